"""Private bandits spend the privacy that they declare: noise read from the learners, simulators and kernels.

Scales of noise are written down here from the theory. Where a compiled kernel draws the noise, its law is compared
with the exact one; a twin with 1.2 times the scale must be rejected. Kolmogorov-Smirnov on n values rejects at
3.27 / sqrt(n) (level 1e-9), and the two laws are 0.0335 apart: 25,000 values leave four standard deviations.
"""

import copy
import math

import numpy as np
import pytest
from scipy import stats

from replicate.environments import Bernoulli, Repeated, Table
from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.learners.pseudo_regret import Stretches
from replicate.mechanisms.composition import laplace_composition
from replicate.papers import bandits
from replicate.papers.bandits.algorithms import advice, advice_kernels, kernels, simulation, tuning
from replicate.papers.bandits.algorithms.base_learners import BaseLearner
from replicate.papers.bandits.algorithms.tuning import Plan
from replicate.streams import stream
from tests.agreement import compares, plain_python
from tests.conftest import FALSE_ALARM

BATCHED = ("htinf", "exp3", "ftpl")
LEARNERS = (*BATCHED, "per_round_exp3")
BATCHES = {0.07: 15, 0.3: 4, 0.5: 2, 1.0: 1}
"""Epsilon and ceil(1 / epsilon)."""
HORIZON, DELTA = 10**5, 0.01
MANY = 25_000
close = pytest.approx


def exact(value):
    return close(value, rel=1e-12, abs=0)


def stated(name, epsilon):
    """Batch size and scale of the noise, by Lemma 3: one loss moves the mean by 1 / tau."""
    return (1, 1 / epsilon) if name == "per_round_exp3" else (BATCHES[epsilon], 1 / (BATCHES[epsilon] * epsilon))


def next_unit(rng):
    """Return the variable of scale 1 that the next draw from `rng` makes, and leave `rng` alone."""
    return kernels.laplace(copy.deepcopy(rng), 1.0)


def correlated(x, y):
    """P-value of independence, by ranks."""
    return stats.spearmanr(x, y).pvalue


def fits(values, law):
    return stats.kstest(values, law).pvalue > FALSE_ALARM


def laplace_law(scale):
    return stats.laplace(scale=scale).cdf


def sum_of_two_law(scale):
    """Law of the sum, or difference, of two independent Laplace variables."""

    def cdf(x):
        z = np.abs(x) / scale
        tail = np.exp(-z) * (2 + z) / 4
        return np.where(np.asarray(x) < 0, tail, 1 - tail)

    return cdf


def test_unit_noise_has_the_laplace_law():
    rng = stream(1, "unit noise")
    drawn = np.array([kernels.laplace(rng, 3.0) for _ in range(MANY)])
    assert fits(drawn, laplace_law(3.0))
    assert not fits(1.2 * drawn, laplace_law(3.0))
    assert correlated(drawn[1:], drawn[:-1]) > FALSE_ALARM
    assert correlated(np.abs(drawn[1:]), np.abs(drawn[:-1])) > FALSE_ALARM


# Algorithm 1 and noise on every loss, round by round


class Listener:
    """A base learner that writes down what it observes."""

    feedback = "bandit"

    def __init__(self, n_actions):
        self.n_actions, self.heard = n_actions, []

    def act(self):
        return 0

    def observe(self, loss):
        self.heard.append(loss)


def from_registry(name, epsilon, rng):
    return registry.learner(name, n_actions=3, horizon=HORIZON, epsilon=epsilon, delta=DELTA, rng=rng)


def from_entry(name, epsilon, rng):
    return registry.entry(name).build(Setting(n_actions=3, horizon=HORIZON, epsilon=epsilon, delta=DELTA), rng)


def from_paper(name, epsilon, rng):
    return bandits.private_learner(name, 3, epsilon=epsilon, horizon=HORIZON, rng=rng)


def over_experts(name, epsilon, rng):
    return bandits.ExpertBandit(from_paper(name, epsilon, rng), rng=rng)


@pytest.mark.parametrize("make", [from_registry, from_entry, from_paper, over_experts])
@pytest.mark.parametrize("epsilon", BATCHES)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_base_learner_hears_noisy_means_of_batches(make, name, epsilon):
    rng = stream(2, make.__name__, name, epsilon)
    learner = make(name, epsilon, rng)
    assert learner.privacy.epsilon == epsilon
    check_batches(learner, stated(name, epsilon), rng)


@pytest.mark.parametrize("epsilon", BATCHES)
@pytest.mark.parametrize("batch", [None, 1, 7])
def test_the_conversion_divides_its_noise_by_its_batch(epsilon, batch):
    rng = stream(2, "conversion", epsilon, batch)
    learner = bandits.PrivateBandit(bandits.HTINF(3, rng=rng), epsilon=epsilon, batch_size=batch, rng=rng)
    tau = batch or BATCHES[epsilon]
    check_batches(learner, (tau, 1 / (tau * epsilon)), rng)


def check_batches(learner, sizes, rng):
    """Feed losses of two batches and one round: what is heard, and when, to the last digits."""
    tau, scale = sizes
    conversion = learner._base if isinstance(learner, bandits.ExpertBandit) else learner
    conversion._base = base = Listener(3)
    losses, expected = np.resize([0.25, 1.0, 0.0, 0.75, 0.5], 2 * tau + 1), []
    for t, loss in enumerate(losses.tolist()):
        if isinstance(learner, bandits.ExpertBandit):
            learner.act(np.full((3, 2), 0.5))
        else:
            learner.act()
        if (t + 1) % tau == 0:
            expected.append(losses[t + 1 - tau : t + 1].mean() + scale * next_unit(rng))
        learner.observe(loss)
        assert len(base.heard) == (t + 1) // tau
    np.testing.assert_allclose(base.heard, expected, rtol=0, atol=1e-12 * scale)
    assert len(set(base.heard)) == len(base.heard)


@pytest.mark.parametrize("name", LEARNERS)
def test_successive_batches_have_independent_noise(name):
    rng = stream(3, "batches", name)
    learner = from_registry(name, 0.5, rng)
    learner._base = base = Listener(3)
    with plain_python():  # a call of a kernel is dear
        for _ in range(20_000 if name == "per_round_exp3" else 40_000):
            learner.act()
            learner.observe(0.0)
    heard = np.array(base.heard)
    assert len(heard) == 20_000
    assert fits(heard, laplace_law(stated(name, 0.5)[1]))
    assert correlated(heard[1:], heard[:-1]) > FALSE_ALARM
    assert correlated(np.abs(heard[1:]), np.abs(heard[:-1])) > FALSE_ALARM
    shared = np.repeat(heard[::2], 2)
    assert correlated(shared[1:], shared[:-1]) < FALSE_ALARM


# Algorithm 1, simulated


@pytest.fixture
def played(monkeypatch):
    """What the loops of the base learners are given: one dictionary a call."""
    calls = []

    def spied(kind, loop):
        def play(state, setting, seen, cost, trials, noise, arms, *rest):
            result = loop(state, setting, seen, cost, trials, noise, arms, *rest)
            calls.append({"state": state, "seen": seen, "trials": trials, "noise": noise, "batches": len(arms)})
            return result

        return play

    monkeypatch.setattr(kernels, "PLAY", {kind: spied(kind, loop) for kind, loop in kernels.PLAY.items()})
    return calls


ROUNDS = 500


def batches(calls):
    """Rounds of each batch of losses that are drawn, in the order played."""
    return [call["trials"] for call in calls for _ in range(call["batches"])]


def on_environment(name, env, epsilon, rng):
    registry.simulate(name, env, epsilon=epsilon, horizon=ROUNDS, replicates=1, rng=rng)


def by_entry(name, env, epsilon, rng):
    setting = Setting(n_actions=3, horizon=ROUNDS, epsilon=epsilon, delta=DELTA)
    registry.entry(name).simulate(env, setting, replicates=1, rng=rng)


def printed(name, env, epsilon, rng):
    sizes = {"horizon": ROUNDS, "replicates": 1, "rng": rng}
    bandits.simulate(env, learner=name, epsilon=epsilon, calibration="printed", **sizes)


def corrected(name, env, epsilon, rng):
    bandits.simulate(env, learner=name, epsilon=epsilon, horizon=ROUNDS, replicates=1, rng=rng)


@pytest.mark.parametrize("run", [on_environment, by_entry, printed, corrected])
@pytest.mark.parametrize("epsilon", BATCHES)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_simulator_plays_the_batches_and_noise_of_the_learner(run, name, epsilon, played):
    rng = stream(4, run.__name__, name, epsilon)
    tau, scale = stated(name, epsilon)
    table = rng.random((ROUNDS, 3))
    run(name, Table(table), epsilon, rng)
    means = [table[t : t + tau].mean(axis=0) for t in range(0, ROUNDS, tau)]
    np.testing.assert_allclose(np.concatenate([call["seen"] for call in played]), means, rtol=0, atol=1e-12)
    assert sum(call["batches"] for call in played) == len(means)
    assert all(call["noise"] == exact(scale) and call["trials"] == 0 for call in played)
    played.clear()
    run(name, Bernoulli([0.2, 0.5, 0.9]), epsilon, rng)
    assert all(call["noise"] == exact(scale) for call in played)
    assert batches(played) == [tau] * (ROUNDS // tau) + [ROUNDS % tau] * (ROUNDS % tau > 0)


PROBLEM = bandits.ExpertProblem(stream(5, "problem").dirichlet(np.ones(2), size=(1, 3)), [[0.25, 0.75]])
"""Two actions, three experts, one context, losses drawn."""


def advised_by_registry(name, epsilon, rng, horizon=ROUNDS):
    registry.simulate_with_advice(
        name, PROBLEM, epsilon=epsilon, delta=DELTA, horizon=horizon, replicates=1, rng=rng
    )


def advised_by_entry(name, epsilon, rng, horizon=ROUNDS):
    setting = Setting(n_actions=3, horizon=horizon, epsilon=epsilon, delta=DELTA)
    registry.entry(name).simulate_with_advice(PROBLEM, setting, replicates=1, rng=rng)


def advised_by_paper(name, epsilon, rng, horizon=ROUNDS):
    delta = DELTA if name == "batched_exp4" else None
    bandits.simulate_experts(
        PROBLEM, learner=name, epsilon=epsilon, delta=delta, horizon=horizon, replicates=1, rng=rng
    )


@pytest.mark.parametrize("run", [advised_by_registry, advised_by_entry, advised_by_paper])
@pytest.mark.parametrize("epsilon", BATCHES)
@pytest.mark.parametrize("name", BATCHED)
def test_experts_as_meta_actions_are_played_with_the_noise_of_the_conversion(run, name, epsilon, played):
    run(name, epsilon, stream(6, run.__name__, name, epsilon))
    tau, scale = stated(name, epsilon)
    assert all(call["noise"] == exact(scale) for call in played)
    assert batches(played) == [tau] * (ROUNDS // tau) + [ROUNDS % tau] * (ROUNDS % tau > 0)
    np.testing.assert_allclose(played[0]["seen"][0], PROBLEM.expert_means[0], rtol=1e-12)


def flat_plan(kind, *, noise, batch=1):
    """A base learner that hardly learns and never skips: a score is the noise heard times a known factor."""
    setting = {
        kernels.HTINF: [1e7, math.inf, 0.0],
        kernels.EXP3: [1e-9, 0.0, 0.0],
        kernels.FTPL: [1e-9, 1.0, 0.0],
    }[kind]
    return Plan(kind, np.array(setting), batch, noise)


def heard(kind, *, noise, calls, rng, n_actions=400, batches=40):
    """Noise by batch, from the state after zero losses, shape (calls, batches); NaN for actions played again."""
    plan, values = flat_plan(kind, noise=noise), []
    factor = {kernels.HTINF: n_actions, kernels.EXP3: -1e-9 * n_actions, kernels.FTPL: -1e-9}[kind]
    zeros, arms = np.zeros((1, n_actions)), np.empty(batches, dtype=np.int16)
    for _ in range(calls):
        state = kernels.fresh_state(kind, n_actions)
        kernels.PLAY[kind](state, plan.setting, zeros, zeros, 0, noise, arms, np.array([batches]), rng)
        once = np.bincount(arms, minlength=n_actions)[arms] == 1
        values.append(np.where(once, state[kernels.SCORE, arms] / factor, np.nan))
    return np.array(values)


@pytest.mark.parametrize("kind", kernels.PLAY)
def test_kernels_of_the_conversion_draw_fresh_noise_of_the_scale_given(kind):
    rng, scale = stream(7, "kernel", kind), 2.5
    values = heard(kind, noise=scale, calls=740, rng=rng)
    clean = values[~np.isnan(values)]
    assert len(clean) > MANY
    assert fits(clean, laplace_law(scale))
    assert not fits(1.2 * clean, laplace_law(scale))
    pairs = np.stack([values[:, 1:].ravel(), values[:, :-1].ravel()])
    pairs = pairs[:, ~np.isnan(pairs).any(axis=0)]
    assert correlated(*pairs) > FALSE_ALARM
    assert correlated(*np.abs(pairs)) > FALSE_ALARM
    assert fits(pairs[0] - pairs[1], sum_of_two_law(scale))
    shared = np.repeat(clean[::2], 2)
    assert correlated(shared[1:], shared[:-1]) < FALSE_ALARM
    assert not fits(shared[1:] - shared[:-1], sum_of_two_law(scale))


def test_kernels_without_noise_add_none():
    rng = stream(8, "no noise")
    for kind in kernels.PLAY:
        assert not np.nan_to_num(heard(kind, noise=0.0, calls=3, rng=rng)).any()


@pytest.mark.parametrize("calibration", ["corrected", "printed"])
def test_resamples_stop_at_their_cap(calibration):
    """Two actions with equal scores: each resample hits with probability 1/2, at most three are made."""
    rng, state = stream(8, "resamples", calibration), kernels.fresh_state(kernels.FTPL, 2)
    setting = tuning.ftpl(learning_rate=0.5, resamples=3, calibration=calibration).setting
    counts = np.bincount([kernels.resamples(state, setting, 1, rng) for _ in range(20_000)], minlength=4)
    stopped = [0, 1 / 2, 1 / 4, 1 / 4] if calibration == "corrected" else [1 / 8, 1 / 2, 1 / 4, 1 / 8]
    assert len(counts) == 4
    law = np.array(stopped)
    assert not counts[law == 0].any()
    assert stats.chisquare(counts[law > 0], law[law > 0] * counts.sum()).pvalue > FALSE_ALARM


# Literal against simulated: Algorithm 1

RATE, CAP = 0.5, 3
PAIRS = {
    "htinf": tuning.htinf(sigma=1.0, threshold=0.9),
    "exp3": tuning.exp3(learning_rate=0.3, mixing=0.3, n_actions=3),
    "ftpl": tuning.ftpl(learning_rate=RATE, resamples=CAP),
}
TWINS = {
    "htinf": tuning.htinf(sigma=1 / 1.3, threshold=0.9),
    "exp3": tuning.exp3(learning_rate=1.3 * 0.3, mixing=0.3, n_actions=3),
    "ftpl": tuning.ftpl(learning_rate=1.5 * RATE, resamples=CAP),
}
GAMES, TWIN, BRIEF, TAU = 2000, 600, 6, 4
"""Literal games, and those of most twins; one batch of four rounds and one of two."""
SHORT, LONG_GAME = 18, 62
"""Rounds of a game: four or fifteen batches of four and one of two."""
PATTERN = np.array([
    [0.0, 0.4, 0.9], [0.3, 1.0, 0.8], [0.0, 0.6, 1.0], [0.5, 1.0, 1.0], [0.0, 0.5, 0.9], [0.2, 1.0, 1.0],
])  # fmt: skip


def noisy(base, *, noise=0.1, batch=TAU):
    return Plan(base.kind, base.setting, batch, noise)


def simulated(plan, env, rng, horizon, games=GAMES):
    """Scores after the complete batches and regret after the last round: shapes (games, K), (games,)."""
    scores, regrets = np.empty((games, 3)), np.empty(games)
    loop, whole, game = kernels.PLAY[plan.kind], horizon // plan.batch, Stretches(env, horizon)

    def spied(state, *rest):
        if len(rest[5]) == whole or plan.batch * whole == horizon:
            result = loop(state, *rest)
            scores[r] = state[kernels.SCORE]
            return result
        return loop(state, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(kernels.PLAY, plan.kind, spied)
        ends = np.array([-(-horizon // plan.batch)])
        for r in range(games):
            regrets[r] = simulation.play_plan(game, plan, horizon, ends, rng)[0][0]
    return scores, regrets


def literal(plan, rng, horizon):
    """The streaming learners' scores and regrets."""
    scores, regrets, table = np.empty((GAMES, 3)), np.empty(GAMES), np.resize(PATTERN, (horizon, 3))
    rows, best = table.tolist(), table.sum(axis=0).min()
    with plain_python():
        for r in range(GAMES):
            base = BaseLearner(3, plan, rng)
            learner = bandits.PrivateBandit(base, epsilon=1.0, batch_size=plan.batch, rng=rng)
            learner.noise, lost = plan.noise, 0.0
            for row in rows:
                loss = row[learner.act()]
                learner.observe(loss)
                lost += loss
            scores[r], regrets[r] = base._state[kernels.SCORE], lost - best
    return scores, regrets


def apart(first, second):
    """Smallest p-value of Kolmogorov-Smirnov over the columns and their sum, times their number."""
    columns = [np.vstack([x.T, x.T.sum(axis=0)]) if x.ndim == 2 else x[None].round(9) for x in (first, second)]
    return len(columns[0]) * min(
        stats.ks_2samp(x, y, method="asymp").pvalue for x, y in zip(*columns, strict=True)
    )


@compares("simulator: htinf", "simulator: exp3", "simulator: ftpl")
@pytest.mark.parametrize(
    ("name", "horizon"),
    [("htinf", SHORT), ("exp3", SHORT), ("ftpl", LONG_GAME)]
    + [pytest.param(name, LONG_GAME, marks=pytest.mark.long) for name in ("htinf", "exp3")],
)
def test_a_simulated_conversion_has_the_law_of_the_literal_one(name, horizon):
    """Scores before the last, short batch, and regret after it: with skipping, caps, batches of three kinds."""
    rng, env = stream(9, "pair", name), Repeated(PATTERN)
    slow = literal(noisy(PAIRS[name]), rng, horizon)
    fast = simulated(noisy(PAIRS[name]), env, rng, horizon)
    assert apart(slow[0], fast[0]) > FALSE_ALARM
    assert apart(slow[1], fast[1]) > FALSE_ALARM
    last = np.repeat(np.resize(PATTERN[[3, 1, 5]], (horizon, 3)), TAU, axis=0)[:horizon]
    assert apart(slow[0], simulated(noisy(TWINS[name]), env, rng, horizon)[0]) < FALSE_ALARM
    assert apart(slow[0], simulated(noisy(PAIRS[name]), Table(last), rng, horizon, TWIN)[0]) < FALSE_ALARM


@pytest.mark.parametrize("name", PAIRS)
def test_a_short_batch_counts_in_the_regret(name):
    rng, env, plan = stream(9, "brief", name), Repeated(PATTERN), noisy(PAIRS[name])
    slow = literal(plan, rng, BRIEF)[1]
    assert apart(slow, simulated(plan, env, rng, BRIEF)[1]) > FALSE_ALARM
    assert apart(slow, simulated(plan, env, rng, TAU, TWIN)[1]) < FALSE_ALARM


# Algorithms 2 and 6, with advice


def corollaries(name, *, k, n, epsilon, delta, horizon, calibration="corrected"):
    """Learning rate, mixing, batch and noise of Theorems 9 and 10."""
    if name == "local_exp4":
        log = math.log(k * horizon)
        eta = math.sqrt(math.log(n) / (3 * horizon * k * (1 + 10 * log**2 / epsilon**2)))
        return eta, 4 * eta * k * log / epsilon, 1, 1 / epsilon
    big, log = math.log(1 / delta), math.log(n * horizon)
    eta = (n * big) ** (1 / 6) * (log * math.log(n)) ** (1 / 3)
    eta /= horizon ** (1 / 3) * k ** (1 / 2) * epsilon ** (1 / 3)
    tau = math.ceil((n * big * horizon / math.log(n)) ** (1 / 3) * (log / epsilon) ** (2 / 3))
    inside = eta * n * (big if calibration == "corrected" else 1)
    gamma = inside ** (1 / 3) * (k * log / (epsilon * tau)) ** (2 / 3)
    gamma = max(gamma, 12 * eta * k * math.sqrt(n * big) * log / (epsilon * tau))
    return eta, gamma, tau, 3 * k * math.sqrt(n * big) / (gamma * tau * epsilon)


LONG = {"local_exp4": 2_000, "batched_exp4": 10**6}


def advised_registry(name, epsilon, rng):
    learner = registry.learner(name, n_actions=3, horizon=LONG[name], epsilon=epsilon, delta=DELTA, rng=rng)
    return learner._learner


def advised_entry(name, epsilon, rng):
    setting = Setting(n_actions=3, horizon=LONG[name], epsilon=epsilon, delta=DELTA)
    return registry.entry(name).build(setting, rng)._learner


def advised_paper(name, epsilon, rng):
    if name == "local_exp4":
        return bandits.LocalExp4(3, 3, epsilon=epsilon, horizon=LONG[name], rng=rng)
    return bandits.BatchedExp4(3, 3, epsilon=epsilon, delta=DELTA, horizon=LONG[name], rng=rng)


def advised_printed(name, epsilon, rng):
    sizes = {"horizon": LONG[name], "calibration": "printed", "rng": rng}
    return bandits.BatchedExp4(3, 3, epsilon=epsilon, delta=DELTA, **sizes)


@pytest.mark.parametrize("make", [advised_registry, advised_entry, advised_paper])
@pytest.mark.parametrize("epsilon", [0.4, 1.0])
def test_algorithm_6_adds_its_noise_to_every_loss(make, epsilon):
    rng = stream(10, make.__name__, epsilon)
    learner = make("local_exp4", epsilon, rng)
    eta, gamma, _, scale = corollaries("local_exp4", k=3, n=3, epsilon=epsilon, delta=None, horizon=2_000)
    assert learner.privacy.epsilon == epsilon
    mixed = stream(10, "advice").dirichlet(np.ones(3), size=3)
    scores, noises = np.zeros(3), []
    for loss in (0.0, 1.0, 0.25, 0.25):
        weights = np.exp(scores - scores.max())
        law = (1 - gamma) * weights / weights.sum() @ mixed + gamma / 3
        arm = learner.act(mixed)
        noises.append(next_unit(rng))
        learner.observe(loss)
        scores -= eta * (loss + scale * noises[-1]) * mixed[:, arm] / law[arm]
        np.testing.assert_allclose(learner._score, scores, rtol=1e-11)
    assert len(set(noises)) == 4


@pytest.mark.parametrize("make", [advised_registry, advised_entry, advised_paper, advised_printed])
@pytest.mark.parametrize("epsilon", [0.7, 1.0])
def test_algorithm_2_adds_noise_to_every_expert_of_every_batch(make, epsilon):
    rng = stream(11, make.__name__, epsilon)
    learner = make("batched_exp4", epsilon, rng)
    calibration = "printed" if make is advised_printed else "corrected"
    eta, gamma, tau, scale = corollaries(
        "batched_exp4", k=3, n=3, epsilon=epsilon, delta=DELTA, horizon=10**6, calibration=calibration
    )
    check_composition(learner, epsilon, sensitivity=3 / (gamma * tau), scale=scale)
    mixed = stream(11, "advice").dirichlet(np.ones(3), size=3)
    scores, seen = np.zeros(3), []
    for _ in range(2):
        during = np.empty((tau, 3))
        weights = np.exp(scores - scores.max())
        law = (1 - gamma) * weights / weights.sum() @ mixed + gamma / 3
        estimate = np.zeros(3)
        for t in range(tau):
            arm = learner.act(mixed)
            during[t] = learner._score
            estimate += mixed[:, arm] / law[arm] * (t % 2) / tau
            if t == tau - 1:
                coins = copy.deepcopy(rng)
                seen.append([kernels.laplace(coins, 1.0) for _ in range(3)])
            learner.observe(float(t % 2))
        np.testing.assert_allclose(during, np.tile(scores, (tau, 1)), rtol=1e-10)
        scores -= eta * (estimate + scale * np.array(seen[-1]))
        np.testing.assert_allclose(learner._score, scores, rtol=1e-10)
    assert len(np.unique(seen)) == 6


def check_composition(learner, epsilon, *, sensitivity, scale):
    """N releases, each of privacy epsilon / (3 sqrt(N log(1 / delta))), are as private together as declared."""
    each = sensitivity / scale
    assert each == exact(epsilon / (3 * math.sqrt(3 * math.log(1 / DELTA))))
    assert learner.privacy.delta == DELTA
    lemma_15 = epsilon / (6 * math.log(1 / DELTA)) + math.sqrt(2 / 3)
    assert learner.privacy.epsilon == exact(epsilon * max(1, lemma_15))
    assert laplace_composition(3, epsilon_each=each, epsilon=learner.privacy.epsilon)[1] <= DELTA
    assert laplace_composition(3, epsilon_each=8 * each, epsilon=learner.privacy.epsilon)[0] > DELTA


@pytest.fixture
def advised(monkeypatch):
    """What the loops of Algorithms 2 and 6 are given: learning rate, mixing, batch, noise."""
    calls = []

    def local(score, advice_, losses, drawn, *rest):
        calls.append((*rest[:2], 1, rest[2]))
        return whole_local(score, advice_, losses, drawn, *rest)

    def batched(score, advice_, losses, drawn, *rest):
        calls.append((*rest[:2], rest[-2], rest[2]))
        return whole_batched(score, advice_, losses, drawn, *rest)

    whole_local, whole_batched = advice_kernels.play_local, advice_kernels.play_all_batched
    monkeypatch.setattr(advice_kernels, "play_local", local)
    monkeypatch.setattr(advice_kernels, "play_all_batched", batched)
    return calls


@pytest.mark.parametrize("run", [advised_by_registry, advised_by_entry, advised_by_paper])
@pytest.mark.parametrize("epsilon", [0.7, 1.0])
@pytest.mark.parametrize("name", LONG)
def test_simulators_with_advice_take_the_noise_of_the_theorems(run, epsilon, name, advised):
    run(name, epsilon, stream(12, run.__name__, name, epsilon), horizon=LONG[name])
    sizes = corollaries(name, k=2, n=3, epsilon=epsilon, delta=DELTA, horizon=LONG[name])
    assert set(advised) == {advised[0]}
    assert advised[0] == exact(sizes)


def test_the_printed_simulator_takes_the_printed_mixing(advised):
    bandits.simulate_experts(
        PROBLEM, learner="batched_exp4", epsilon=1.0, delta=DELTA, horizon=10**7, replicates=1,
        calibration="printed", rng=stream(12, "printed"),
    )  # fmt: skip
    sizes = {"k": 2, "n": 3, "epsilon": 1.0, "delta": DELTA, "horizon": 10**7}
    assert advised[0] == exact(corollaries("batched_exp4", **sizes, calibration="printed"))
    assert advised[0] != exact(corollaries("batched_exp4", **sizes))


@pytest.mark.parametrize("rounds", [5, 3])
def test_the_kernel_of_algorithm_2_draws_noise_for_every_expert(rounds):
    """Zero losses, one batch, or a shorter one: the score is the noise, times minus the learning rate."""
    rng, scale, zeros = stream(13, "experts", rounds), 2.5, np.zeros((1, 2))
    given = np.full((1, 4, 2), 0.5)
    noise = np.zeros((MANY // 4, 4))
    for score in noise:
        advice_kernels.play_all_batched(score, given, zeros, False, 0.5, 0.3, scale, 0, 0, rounds, 5, rng)
    noise /= -0.5
    check_independent_columns(noise, scale)


def check_independent_columns(noise, scale):
    """Laplace noise of that scale, independent between columns and rows; twins that share a draw are rejected."""
    assert fits(noise.ravel(), laplace_law(scale))
    assert not fits(1.2 * noise.ravel(), laplace_law(scale))
    for i in range(1, noise.shape[1]):
        differences = noise[:, i] - noise[:, 0]
        assert fits(differences, sum_of_two_law(scale))
        assert differences.var() == close(4 * scale**2, rel=0.2)
        assert correlated(noise[:, i], noise[:, 0]) > FALSE_ALARM
        assert correlated(np.abs(noise[:, i]), np.abs(noise[:, 0])) > FALSE_ALARM
    flat = noise.ravel()
    assert correlated(flat[noise.shape[1] :], flat[: -noise.shape[1]]) > FALSE_ALARM
    shared = np.tile(noise[:, :1], 2)
    assert not fits(shared[:, 1] - shared[:, 0], sum_of_two_law(scale))
    assert correlated(*shared.T) < FALSE_ALARM


def test_the_kernel_of_algorithm_2_draws_noise_for_every_batch():
    """The score after two batches, the second a short one, has the law of two independent draws."""
    rng, scale, zeros, given = stream(14, "batches"), 2.5, np.zeros((1, 2)), np.full((1, 4, 2), 0.5)
    noise = np.zeros((MANY // 4, 4))
    for score in noise:
        advice_kernels.play_all_batched(score, given, zeros, False, -1.0, 0.3, scale, 0, 0, 8, 5, rng)
    assert fits(noise.ravel(), sum_of_two_law(scale))
    assert not fits(1.2 * noise.ravel(), sum_of_two_law(scale))
    assert not fits(2 * stats.laplace(scale=scale).rvs(MANY, random_state=rng), sum_of_two_law(scale))


def test_the_kernel_of_algorithm_6_draws_noise_for_every_round():
    """Experts that name an action each, and hardly any learning: the score of an action is its noise times K."""
    rng, scale, k = stream(15, "rounds"), 2.5, 60
    given, zeros, values, pairs = np.eye(k)[None], np.zeros((1, k)), [], []
    for _ in range(MANY):
        score = np.zeros(k)
        advice_kernels.play_local(score, given, zeros, False, 1e-9, 0.3, scale, 0, 0, 2, rng)
        drawn = score[score != 0] / (-1e-9 * k)
        if len(drawn) == 2:
            values.append(drawn[0])
            pairs.append(drawn)
    values, pairs = np.array(values), np.array(pairs)
    assert fits(values, laplace_law(scale))
    assert not fits(1.2 * values, laplace_law(scale))
    assert fits(pairs[:, 1] - pairs[:, 0], sum_of_two_law(scale))
    assert correlated(*pairs.T) > FALSE_ALARM
    assert correlated(*np.abs(pairs.T)) > FALSE_ALARM
    shared = np.repeat(pairs[:, :1], 2, axis=1)
    assert not fits(shared[:, 1] - shared[:, 0], sum_of_two_law(scale))
    assert correlated(*shared.T) < FALSE_ALARM


@pytest.mark.parametrize("everyone", [True, False])
def test_audited_actions_with_advice_follow_three_rounds_of_the_law(everyone):
    """The law of the second and third action on zero losses, from the density of the noise on a grid."""
    rng, eta, gamma, scale = stream(16, "audited", everyone), 1.0, 0.2, 1.5
    codes = np.empty(400_000, dtype=np.int64)
    advice_kernels.sample_actions(np.eye(2), np.zeros((3, 2)), eta, gamma, scale, everyone, codes, rng)
    counts = np.bincount(codes, minlength=8)
    grid = (np.arange(20_000) + 0.5) / 20_000
    laplace = np.sort(stats.laplace(scale=scale).ppf(grid))
    law = paths(laplace, everyone, eta, gamma)
    assert law.sum() == close(1)
    assert stats.chisquare(counts, law * len(codes)).pvalue > FALSE_ALARM
    for twin in (paths(1.2 * laplace, everyone, eta, gamma), np.full(8, 1 / 8)):
        assert stats.chisquare(counts, twin * len(codes)).pvalue < FALSE_ALARM


def paths(laplace, everyone, eta, gamma):
    """Law of three actions of two experts: a sum over quantiles of the noise that moves the first log weight."""
    quantiles = laplace
    if everyone:
        spread = np.subtract.outer(laplace[25::50], laplace[25::50]).ravel()
        quantiles = np.quantile(spread, (np.arange(800) + 0.5) / 800)
    else:
        quantiles = laplace[12::25]

    def first(score):
        return (1 - gamma) / (1 + np.exp(-score)) + gamma / 2

    law = np.zeros((2, 2, 2))
    for a in range(2):
        sign = 1 if everyone or a == 0 else -1
        after = -sign * eta * quantiles * (1.0 if everyone else 1 / 0.5)
        for b in range(2):
            p = first(after) if b == 0 else 1 - first(after)
            sign = 1 if everyone or b == 0 else -1
            step = -sign * eta * quantiles if everyone else -sign * eta * np.divide.outer(quantiles, p).T
            third = first(after[:, None] + step)
            law[a, b, 0] = 0.5 * (p * third.mean(axis=1)).mean()
            law[a, b, 1] = 0.5 * (p * (1 - third).mean(axis=1)).mean()
    return law.ravel()


# Literal against simulated: Algorithms 2 and 6

GAME = bandits.ExpertProblem(
    [[[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], [[0.7, 0.3], [0.1, 0.9], [0.4, 0.6]]], [[0.9, 0.3], [0.5, 0.8]], False
)
TUNED = {
    "local_exp4": advice.Exp4Tuning(0.2, 0.4, 1, 0.25),
    "batched_exp4": advice.Exp4Tuning(0.6, 0.4, TAU, 0.25),
}


def simulated_exp4(name, tuned, rng, horizon, *, problem=GAME, games=TWIN):
    """Scores two rounds before the end, and regret at the end."""
    scores, regrets, n = np.zeros((games, 3)), np.empty(games), horizon
    best = int(GAME.mean_sums(0, n).argmin())
    common = (problem.advice, problem.losses, problem.drawn, tuned.learning_rate, tuned.mixing, tuned.noise, best)
    for r, score in enumerate(scores):
        if name == "local_exp4":
            regret = advice_kernels.play_local(score, *common, 0, n - 2, rng)
            extra = advice_kernels.play_local(score.copy(), *common, n - 2, n, rng)
        else:
            regret = advice_kernels.play_all_batched(score, *common, 0, n - 2, tuned.batch, rng)
            extra = advice_kernels.play_all_batched(score.copy(), *common, n - 2, n, tuned.batch, rng)
        regrets[r] = regret + extra
    return scores, regrets


def literal_exp4(name, rng, horizon):
    """Scores and regrets of the streaming learners."""
    scores, regrets, best = np.empty((GAMES, 3)), np.empty(GAMES), GAME.mean_sums(0, horizon).min()
    for r in range(GAMES):
        if name == "local_exp4":
            learner = bandits.LocalExp4(2, 3, epsilon=1.0, horizon=10**4, rng=rng)
        else:
            learner = bandits.BatchedExp4(2, 3, epsilon=1.0, delta=DELTA, horizon=10**6, rng=rng)
        learner.tuning, lost = TUNED[name], 0.0
        for t in range(horizon):
            if t == horizon - 2:
                scores[r] = learner._score
            arm = learner.act(GAME.advice[t % 2])
            lost += learner._action_law @ GAME.losses[t % 2]
            learner.observe(GAME.losses[t % 2, arm])
        regrets[r] = lost - best
    return scores, regrets


@compares("with advice: local_exp4", "with advice: batched_exp4")
@pytest.mark.parametrize("horizon", [SHORT, pytest.param(LONG_GAME, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", TUNED)
def test_simulated_exp4_has_the_law_of_the_literal_one(name, horizon):
    rng, tuned = stream(17, "pair", name), TUNED[name]
    slow, fast = literal_exp4(name, rng, horizon), simulated_exp4(name, tuned, rng, horizon, games=GAMES)
    assert apart(slow[0], fast[0]) > FALSE_ALARM
    assert apart(slow[1], fast[1]) > FALSE_ALARM
    hot = advice.Exp4Tuning(1.3 * tuned.learning_rate, tuned.mixing, tuned.batch, tuned.noise)
    even = advice.Exp4Tuning(tuned.learning_rate, 1.6 * tuned.mixing, tuned.batch, tuned.noise)
    swapped = bandits.ExpertProblem(GAME.advice, GAME.losses[[1, 1]], False)
    assert apart(slow[0], simulated_exp4(name, hot, rng, horizon)[0]) < FALSE_ALARM
    assert apart(slow[1], simulated_exp4(name, even, rng, horizon)[1]) < FALSE_ALARM
    assert apart(slow[0], simulated_exp4(name, tuned, rng, horizon, problem=swapped)[0]) < FALSE_ALARM
