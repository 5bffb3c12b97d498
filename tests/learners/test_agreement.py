"""Learners of the register, literal against simulated: state by state, pathwise where the noise can be shared.

A simulator's state is read where it selects: the laws of the actions of every block, the actions that a compiled
player returns. Losses change their best action, the last block is cut short, actions tie.
"""

from functools import cache

import numpy as np
import pytest
from scipy import special

from replicate import environments
from replicate.learners import dyadic, protocol, registry
from replicate.learners.pseudo_regret import Stretches
from replicate.papers import bandits, prefix_softmax
from replicate.papers import distribution_learning as dl
from replicate.papers.bandits.algorithms import advice, advice_kernels, kernels, simulation, tuning
from replicate.papers.bandits.algorithms.base_learners import BaseLearner
from replicate.papers.tracking.algorithms import meta_experts, mirror_descent, restarts
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM

ENTRIES = registry.register()
LEADERS = tuple(f"{noise}{end}" for noise in ("gumbel", "exponential", "laplace") for end in ("", "_resampled"))
BLOCKS = ("prefix_softmax", *LEADERS, "limited_updates", "no_noise")
ROUNDS = ("hedge", "fixed_share", "follow_the_leader")
BOARDS = ("meta_experts", "dartboard", "pure_dartboard")
PLAYERS = {
    "restarts": restarts, "restarts_dyadic": restarts, "mirror_descent": mirror_descent,
    **dict.fromkeys(BOARDS, meta_experts),
}  # fmt: skip
BANDITS = ("htinf", "exp3", "ftpl", "per_round_exp3", "tsallis_inf", "plain_exp3")
EXACT = ("prefix_softmax", *LEADERS[::2])


def private(name, epsilon):
    return epsilon if ENTRIES[name].private else None


def games(name, losses, rng, *, epsilon, horizon):
    """Actions of one literal game on every table of losses, shape (games, T, K): shape (games, T)."""
    actions, laws = np.empty(losses.shape[:2], dtype=int), {}
    for table, played in zip(losses, actions, strict=True):
        learner = registry.learner(
            name, n_actions=losses.shape[2], horizon=horizon, epsilon=private(name, epsilon), rng=rng
        )
        if hasattr(learner, "_selector"):
            learner._selector = agreement.remembered(learner._selector, laws)
        for t, row in enumerate(table):
            played[t] = learner.act()
            learner.observe(row)
    return actions


# Learners that act on blocks: the law of every block's action


def selections(name, env, **sizes):
    """Run of the register's simulator, and the laws of the actions of its blocks: (replicates, blocks, K)."""
    laws, simulate = [], dyadic.simulate

    def spied(env, *, selector, **rest):
        def recorded(sums):
            laws.append(selector(sums))
            return laws[-1]

        return simulate(env, selector=recorded, **rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dyadic, "simulate", spied)
        run = registry.simulate(name, env, **sizes)
    uniform = np.full((sizes["replicates"], env.n_actions), 1 / env.n_actions)
    laws = [np.broadcast_to(law, uniform.shape) for law in laws]
    return run, np.stack([uniform, *laws], axis=1)


def of_blocks(actions):
    """State of a learner that acts on blocks: the blocks' actions, and those of neighbouring blocks together."""
    pairs = actions[:, :-1] * 100 + actions[:, 1:]
    return {"actions": actions, "pairs": pairs}


CUT = 45  # blocks of 1, 2, 4, 8, 16 rounds, and 14 of 32
TURNING = np.where(np.arange(CUT)[:, None] < 20, [0.0, 0.5, 1.0], [1.0, 0.75, 0.0])
TURNING[5:9] = [0.5, 0.5, 0.5]
TURNING[3:5] = [0.75, 0.25, 0.25]


STEP = {name: 1 if name == "prefix_softmax" else 2 for name in BLOCKS}
"""Of whose losses every second round is enough, in blocks of 1, 2, 4, 8 rounds, and 8 of 16."""


@cache
def literal_blocks(name, epsilon, runs):
    table = TURNING[:: STEP[name]]
    starts, _ = dyadic.blocks(len(table))
    losses = np.broadcast_to(table, (runs, *table.shape))
    actions = games(name, losses, stream(1, "blocks", name), epsilon=epsilon, horizon=len(table))
    assert (np.diff(actions)[:, np.setdiff1d(np.arange(len(table) - 1), starts - 1)] == 0).all()
    return of_blocks(actions[:, starts])


@agreement.compares(*(f"simulator: {name}" for name in BLOCKS))
@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize(("epsilon", "runs"), [(1.5, 2000), pytest.param(0.3, 8000, marks=pytest.mark.long)])
def test_blocks_are_played_by_the_laws_that_a_simulator_selects(name, epsilon, runs):
    """Twins: losses four rounds late; half the noise (prefix softmax, whose rate is capped: five times it)."""
    rng, other = stream(2, "blocks", name), 0.05 if name == "prefix_softmax" else 2 * epsilon
    games = runs if name.endswith("resampled") else 2 * runs

    def fast(level=epsilon, late=0):
        table = np.roll(TURNING, late, axis=0)[:: STEP[name]]
        many = games if name == "prefix_softmax" or name.endswith("resampled") else 1
        sizes = {"epsilon": level, "horizon": len(table), "replicates": many}
        _, laws = selections(name, environments.Table(table), rng=rng, **sizes)
        return of_blocks(agreement.drawn(np.resize(laws, (games, *laws.shape[1:])), rng))

    slow = literal_blocks(name, epsilon, runs)
    assert agreement.apart(slow, fast()) > FALSE_ALARM
    assert agreement.apart(slow, fast(late=4)) < FALSE_ALARM
    if name != "no_noise":
        assert agreement.apart(slow, fast(level=other)) < FALSE_ALARM


@agreement.compares("simulator: prefix_softmax")
@pytest.mark.parametrize("horizon", [1, 2, 3, CUT])
def test_a_prefix_that_both_read_gives_both_one_law(horizon):
    """Lengths drawn beforehand for 60 games: laws of the streaming learner's blocks are those of the simulator."""
    lengths = [prefix_softmax.algorithms.random_prefix(r, 60, stream(3, "prefix", r)) for r in range(7)]
    table, literal, now = TURNING[:horizon], [[np.full(3, 1 / 3)] for _ in range(60)], {}

    def prefix(r, replicates, rng):
        return lengths[r] if replicates == 60 else lengths[r][[now["game"]]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefix_softmax.algorithms, "random_prefix", prefix)
        _, laws = selections(
            "prefix_softmax", environments.Table(table), epsilon=0.2, horizon=horizon, replicates=60, rng=stream(3)
        )
        for now["game"], seen in enumerate(literal):
            learner = registry.learner("prefix_softmax", n_actions=3, horizon=9, epsilon=0.2, rng=stream(4))
            select = learner._selector
            learner._selector = lambda sums, seen=seen, select=select: seen.append(select(sums)) or seen[-1]
            for row in table:
                learner.observe(row)
    n = laws.shape[1]
    np.testing.assert_allclose(np.array([seen[:n] for seen in literal]), laws, rtol=1e-12)
    if horizon == CUT:  # one round less is read
        shorter = np.array([seen[:n] for seen in literal])
        assert np.abs(shorter[np.r_[1:60, 0], 3:] - laws[:, 3:]).max() > 1e-3


@agreement.compares(*(f"exact regret: {name}" for name in EXACT))
@pytest.mark.parametrize("horizon", [1, 2, 3, CUT, 64])
@pytest.mark.parametrize("name", EXACT)
def test_exact_regret_is_the_simulated_one_averaged_over_the_lengths_of_prefixes(name, horizon):
    """64 replicates that read every possible length equally often; a replicate alone is another number."""

    def every_length(r, replicates, rng):
        return 2**r - np.arange(replicates) % max(2**r // 2, 1)

    means, sizes = [0.3, 0.1, 1.0, 0.3], {"epsilon": 0.2, "horizon": horizon}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefix_softmax.algorithms, "random_prefix", every_length)
        run = registry.simulate(name, environments.Deterministic(means), replicates=64, rng=stream(5), **sizes)
    exact = registry.exact_regret(name, means, **sizes)
    np.testing.assert_array_equal(exact.rounds, run.rounds)
    np.testing.assert_allclose(exact.regret[0], run.regret.mean(axis=0), rtol=1e-11)
    assert registry.exact_regret(name, means, epsilon=0.21, horizon=64).final[0] != pytest.approx(run.final.mean())


# Learners that act in every round: their laws, their actions


class Choosing(np.random.Generator):
    """Writes down the laws that actions are chosen from."""

    def __init__(self, n_actions):
        super().__init__(np.random.PCG64(1))
        self.n_actions, self.laws = n_actions, []

    def choice(self, a, p=None):
        law = np.zeros(self.n_actions)
        law[np.arange(self.n_actions) if p is not None else a] = 1 / len(a) if p is None else p
        self.laws.append(law)
        return int(law.argmax())


@agreement.compares(*(f"simulator: {name}" for name in ROUNDS))
@pytest.mark.parametrize("horizon", [2, 3, CUT])
@pytest.mark.parametrize("name", ROUNDS)
def test_expected_losses_are_those_of_the_laws_that_a_literal_learner_draws_from(name, horizon):
    table, rng = TURNING[:horizon], Choosing(3)
    games(name, table[None], rng, epsilon=None, horizon=horizon)
    laws = np.array(rng.laws)
    run = registry.simulate(name, environments.Table(table), horizon=horizon, replicates=2, rng=stream(6))
    losses = (laws * table).sum(axis=1)
    np.testing.assert_allclose(run.final, (losses - table[:, table.sum(axis=0).argmin()]).sum(), rtol=1e-12)
    if horizon == CUT:
        assert ((laws > 0) & (laws < 1)).any(), "ties"
        late = (np.roll(laws, 1, axis=0) * table).sum()
        assert late != pytest.approx(losses.sum(), rel=1e-3)


# By hand: losses whose best action changes, on tables and in phases

EARLY, LATE, SHIFT = np.array([0.2, 0.7, 0.5]), np.array([0.9, 0.4, 0.3]), 19
MEANS = np.where(np.arange(CUT)[:, None] < SHIFT, EARLY, LATE)
MOVING = environments.Shifting(
    [(SHIFT, environments.Bernoulli(EARLY)), (CUT - SHIFT, environments.Bernoulli(LATE))]
)


def expected_losses(env):
    """Expected losses of every round, shape (T, K)."""
    return MEANS if env is MOVING else env.rows


def played_in_blocks(name, env, key, **sizes):
    """Run of a simulator, the learner's loss in every round, shape (R, T), and those of all actions, (R, T, K)."""
    run, laws = selections(name, env, rng=stream(*key), **sizes)
    starts, stops = dyadic.blocks(CUT)
    losses = np.broadcast_to(expected_losses(env), (len(laws), CUT, 3))
    return run, (np.repeat(laws, stops - starts, axis=1) * losses).sum(axis=2), losses


def played_by_kernels(name, env, key, **sizes):
    """The same from what a compiled player returns: actions, or expected losses."""
    module, calls = PLAYERS[name], []
    play = module.play

    def spied(table, *rest):
        calls.append((table, *play(table, *rest)))
        return calls[-1][1:]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "play", spied)
        patch.setattr("os.cpu_count", lambda: 1)
        run = registry.simulate(name, env, rng=stream(*key), **sizes)
    own = [e if name == "mirror_descent" else table[np.arange(CUT), a] for table, a, e in calls]
    return run, np.array(own), np.array([table for table, _, _ in calls])


def played_by_laws(name, env, key, *, n_switches, **sizes):
    """The same from the laws that literal learners draw from, on the tables that the simulator draws."""
    run = registry.simulate(name, env, rng=stream(*key), n_switches=n_switches, **sizes)
    tables = np.array([env.losses(0, CUT, rng=own) for own in stream(*key).spawn(sizes["replicates"])])
    rng = Choosing(3)
    for table in tables:
        learner = registry.learner(name, n_actions=3, horizon=CUT, n_switches=max(n_switches, 1), rng=rng)
        protocol.play(learner, table)
    return run, (np.reshape(rng.laws, tables.shape) * tables).sum(axis=2), tables


def played_in_batches(name, env, key, **sizes):
    """The same from the actions of a bandit learner's batches."""
    play, found = simulation.play_plan, []

    def spied(env, plan, *rest):
        regret, actions = play(env, plan, *rest)
        found.append(np.repeat(actions, plan.batch)[:CUT])
        return regret, actions

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulation, "play_plan", spied)
        patch.setattr("os.cpu_count", lambda: 1)
        run = registry.simulate(name, env, rng=stream(*key), **sizes)
    losses = np.broadcast_to(expected_losses(env), (len(found), CUT, 3))
    return run, np.take_along_axis(losses, np.array(found)[..., None], axis=2)[..., 0], losses


FAMILIES = {
    **dict.fromkeys(BLOCKS, played_in_blocks), **dict.fromkeys(PLAYERS, played_by_kernels),
    **dict.fromkeys(ROUNDS, played_by_laws), **dict.fromkeys(BANDITS, played_in_batches),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["table", "fixed action", "phases"])
@pytest.mark.parametrize("name", FAMILIES)
def test_regret_is_what_one_adds_up_by_hand(name, kind):
    """Against the best action of all rounds, or of every phase: that of the first block or batch is another."""
    env = environments.Table(TURNING) if kind == "table" else MOVING
    sizes = {"horizon": CUT, "replicates": 4, "epsilon": 0.3, "n_switches": int(kind == "phases")}
    run, own, losses = FAMILIES[name](name, env, (8, name, kind), **sizes)
    means = expected_losses(env)
    best = means.argmin(axis=1) if kind == "phases" else np.full(CUT, means.sum(axis=0).argmin())

    def regret(best):
        return np.cumsum(own - losses[:, np.arange(CUT), best], axis=1)[:, run.rounds - 1]

    assert run.rounds[-1] == CUT
    np.testing.assert_allclose(run.regret, regret(best), rtol=1e-11, atol=1e-11)
    first = np.full(CUT, means[:4].sum(axis=0).argmin())
    assert np.abs(run.final - regret(first)[:, -1]).max() > 0.5, "the best action of the first batch is another"


# Pathwise: a streaming learner and a simulator that draw the same numbers


@agreement.compares(*(f"simulator: {name}" for name in (*BOARDS, *BANDITS)))
@pytest.mark.parametrize("epsilon", [1.0, 0.3])
@pytest.mark.parametrize("name", [*BOARDS, *BANDITS])
def test_a_simulator_plays_the_actions_of_the_literal_learner_on_one_stream(name, epsilon):
    """Batches of one round and of four, the last of one; three streams, and a fourth that plays otherwise."""
    env, level = environments.Table(TURNING), epsilon * (100 if name in BOARDS else 1)
    key, sizes = (9, name, epsilon), {"horizon": CUT, "replicates": 3, "n_switches": 1}
    run, own, _ = FAMILIES[name](name, env, key, epsilon=level, **sizes)
    losses = np.empty((4, CUT))
    for lost, rng in zip(losses, stream(*key).spawn(4), strict=True):
        learner = registry.learner(name, n_actions=3, horizon=CUT, epsilon=private(name, level), rng=rng)
        lost[:] = TURNING[np.arange(CUT), protocol.play(learner, TURNING).actions[0]]
    np.testing.assert_array_equal(losses[:3], own)
    assert run.final.std() > 0
    assert (losses[3] != own).any(axis=1).all()


# Experts' advice

GAME = {
    drawn: bandits.ExpertProblem(
        [[[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], [[0.7, 0.3], [0.1, 0.9], [0.4, 0.6]]],
        [[0.9, 0.3], [0.5, 0.8]],
        drawn,
    )
    for drawn in (False, True)
}
EXP4 = advice.Exp4Tuning(learning_rate=0.2, mixing=0.4, batch=1, noise=0.25)


@agreement.compares("with advice: local_exp4")
@pytest.mark.parametrize("drawn", [False, True])
def test_algorithm_6_and_its_kernel_have_one_path(drawn):
    """Scores and regret of the same draws; twins: more noise, contexts one round late, losses drawn or not."""
    game, rng = GAME[drawn], stream(10, "exp4")
    learner = bandits.LocalExp4(2, 3, epsilon=1.0, horizon=10**4, rng=rng)
    learner.tuning, best, regret = EXP4, int(game.mean_sums(0, CUT).argmin()), 0.0
    for t in range(CUT):
        arm = learner.act(game.advice[t % 2])
        regret += (learner._action_law - game.advice[t % 2, best]) @ game.losses[t % 2]
        mean = game.losses[t % 2, arm]
        learner.observe(float(rng.random() < mean) if drawn else mean)

    def path(noise=EXP4.noise, late=0, drawn=drawn):
        score = np.zeros(3)
        given = (game.advice, game.losses, drawn, EXP4.learning_rate, EXP4.mixing, noise, best)
        total = advice_kernels.play_local(score, *given, late, CUT + late, stream(10, "exp4"))
        return [*score, total]

    np.testing.assert_allclose(path(), [*learner._score, regret], rtol=1e-12)
    for twin in ({"noise": 1.01 * EXP4.noise}, {"late": 1}, {"drawn": not drawn}):
        assert np.abs(np.subtract(path(**twin), path())).max() > 1e-3


BASES = {
    "htinf": tuning.htinf(sigma=0.7, threshold=0.5),
    "exp3": tuning.exp3(learning_rate=0.3, mixing=0.3, n_actions=3),
    "ftpl": tuning.ftpl(learning_rate=0.3, resamples=4),
    "per_round_exp3": tuning.exp3(learning_rate=0.2, mixing=0.3, n_actions=3),
}


@agreement.compares(*(f"with advice: {name}" for name in BASES))
@pytest.mark.parametrize(
    ("name", "drawn", "batches", "runs"),
    [("htinf", False, 6, 2000)]
    + [pytest.param(name, drawn, 15, 4000, marks=pytest.mark.long) for name in BASES for drawn in (False, True)],
)
def test_experts_as_meta_actions_have_the_law_of_the_simulated_ones(name, drawn, batches, runs):
    """Scores after some batches of four rounds; twins: more noise, losses of one context in both."""
    rng, game, tau = stream(11, name, drawn), GAME[drawn], 1 if name == "per_round_exp3" else 4
    plan, horizon = tuning.Plan(BASES[name].kind, BASES[name].setting, tau, 0.2), batches * tau

    def literal():
        score = np.empty((runs, 3))
        for found in score:
            base = BaseLearner(3, plan, rng)
            inner = bandits.PrivateBandit(base, epsilon=1.0, batch_size=tau, rng=rng)
            inner.noise, learner = plan.noise, bandits.ExpertBandit(inner, rng=rng)
            losses, _ = game.rounds(0, horizon, rng=rng)
            for t, row in enumerate(losses):
                learner.observe(row[learner.act(game.advice[t % 2])])
            found[:] = base._state[kernels.SCORE]
        return {"score": score}

    def simulated(noise=plan.noise, contexts=(0, 1), games=runs):
        states, loop = [], kernels.PLAY[plan.kind]
        problem = bandits.ExpertProblem(game.advice, game.losses[[*contexts]], drawn)
        env = Stretches(problem.over_experts(), horizon)
        other = tuning.Plan(plan.kind, plan.setting, tau, noise)
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(kernels.PLAY, plan.kind, lambda state, *rest: states.append(state) or loop(state, *rest))
            for _ in range(games):
                simulation.play_plan(env, other, horizon, np.array([batches]), rng)
        return {"score": np.array([state[kernels.SCORE] for state in states])}

    slow = literal()
    assert agreement.apart(slow, simulated(games=2 * runs)) > FALSE_ALARM
    assert agreement.apart(slow, simulated(noise=0.4)) < FALSE_ALARM
    assert agreement.apart(slow, simulated(contexts=(1, 1))) < FALSE_ALARM


# Labels

LAWS = np.array([
    [[0.55, 0.05, 0.05, 0.35], [0.1, 0.3, 0.3, 0.3], [0.25, 0.25, 0.25, 0.25]],
    [[0.4, 0.1, 0.1, 0.4], [0.2, 0.2, 0.2, 0.4], [0.1, 0.35, 0.35, 0.2]],
])  # fmt: skip


@agreement.compares("scheme: non_private")
def test_weights_without_privacy_have_the_law_of_the_literal_predictors():
    """Weight of the truth before three of 14 rounds; twins: another truth, contexts in another order."""
    sizes, shown = {"scheme": "non_private", "horizon": 14}, [2, 7, 13]
    rng, log_weights = stream(12, "labels"), np.empty((2000, 14, 3))
    user = dl.User(LAWS, **sizes, rng=rng)
    labels = np.stack([rng.choice(4, p=LAWS[t % 2, 1], size=2000) for t in range(14)], axis=1).tolist()
    for found, drawn in zip(log_weights, labels, strict=True):
        predictor = dl.Predictor(LAWS, **sizes)
        for t, label in enumerate(drawn):
            found[t] = predictor.log_weights
            predictor.observe(user.release(label, t % 2), t % 2)

    def simulated(truth=1, order=(0, 1), replicates=1000):
        run = registry.schemes()["non_private"].simulate(
            LAWS[[*order]], epsilon=1.0, delta=0.01, horizon=14, truth=truth, contexts="periodic",
            replicates=replicates, grid=100, rng=rng,
        )  # fmt: skip
        assert run.rounds.tolist() == list(range(1, 15))
        return {"weight": run.truth_weight[:, shown]}

    slow = {"weight": special.softmax(log_weights, axis=2)[:, shown, 1]}
    assert agreement.apart(slow, simulated(replicates=2000)) > FALSE_ALARM
    assert agreement.apart(slow, simulated(truth=2)) < FALSE_ALARM
    assert agreement.apart(slow, simulated(order=(1, 0))) < FALSE_ALARM
