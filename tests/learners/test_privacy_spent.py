"""Every learner of the register spends at most the privacy that it declares, and not below a stated share of it.

Exactly, on the worst short pair of neighbouring losses that one can build. A neighbour replaces one round's
losses, so that sums of losses move by up to 1, each in its own direction. Learners get a generator whose numbers
are chosen: where a decision changes shows the law that it is made from.
"""

import copy
import functools
import itertools
import math
import pickle

import numpy as np
import pytest
from scipy import optimize, stats

from replicate import audit
from replicate.learners import Setting, competitors, registry
from replicate.learners.anytime import anytime
from replicate.learners.competitors import phases
from replicate.learners.entries import at_rates
from replicate.mechanisms.composition import laplace_composition
from replicate.papers import bandits, tracking
from replicate.papers.tracking.algorithms import switching
from replicate.papers.tracking.algorithms.meta_experts import tune_dartboard
from replicate.papers.tracking.privacy import exact
from replicate.studies.synopsis import privacy
from tests.learners import draws

ENTRIES = registry.register()
DELTA = 1e-3


def listed(name, *, n_actions=2, horizon=100, epsilon=1.0, rng=None, **sizes):
    rng = np.random.default_rng(1) if rng is None else rng
    words = {"n_actions": n_actions, "horizon": horizon, "epsilon": epsilon, "delta": DELTA, "rng": rng} | sizes
    return registry.learner(name, **words)


def watch(learner, rows):
    for row in rows:
        learner.act()
        learner.observe(row)
    return learner.act()


def decision(make, rows):
    """Return what is played after `rows`, as a function of the numbers that are drawn from the last row on.

    The rounds before are played once; sums of losses, which decide, are those of any numbers.
    """
    rng = draws.Scripted()
    learner = make(n_actions=rows.shape[1], rng=rng)
    watch(learner, rows[:-1])

    def play(**numbers):
        rng.told(**numbers)
        return watch(copy.deepcopy(learner, {id(rng): rng}), rows[-1:])

    return play


def block(r, behind, n_actions=2):
    """Rounds 1, ..., 2**(r + 1) - 1, in the last block of which action 0 is behind by `behind` rounds."""
    rows = np.zeros((2 ** (r + 1) - 1, n_actions))
    rows[2**r - 1 : 2**r - 1 + behind, 0] = 1
    rows[: 2**r - 1, 1] = 1  # of the blocks before, nothing may be left
    return rows


def pair(r, mine=0, then=0):
    """Two tables that differ in one round: action `mine` of two is behind by the whole block, or by 2 less.

    After the block come `then` rounds without a loss.
    """
    rows, other = block(r, 2**r), block(r, 2**r)
    other[2**r - 1] = [0, 1]
    return [np.vstack([table[:, [mine, 1 - mine]], np.zeros((then, 2))]) for table in (rows, other)]


def by_blocks(ratio, last):
    """The worst of blocks of 1, 4 and 2**last rounds, each read in two selections: its own and the next."""
    return max(ratio(r, 0) + ratio(r, 2 ** (r + 1)) for r in (0, 2, last))


def lead(make, rows, mine=0):
    """Unit noise of an action from which on it is selected after `rows`; the last action never is."""
    chosen = np.append(np.arange(rows.shape[1]) == mine, 0)
    never = np.append(np.zeros(rows.shape[1]), -1e7)
    play = decision(make, np.column_stack([rows, np.zeros(len(rows))]))
    return draws.flip(lambda x: play(noise=x * chosen + never) != mine, -100, 100, steps=40)  # to 2e-10


def chance(make, rows, mine=0):
    """Probability of action `mine` of two after `rows`: the uniform number at which the selection changes."""
    play = decision(make, rows)
    below = draws.flip(lambda u: play(uniform=u) == 0, 0.0, 1.0, steps=48)
    return below if mine == 0 else 1 - below


# Ways to read what is spent: (name of a learner, epsilon) to epsilon


def by_noise(name, epsilon, mine=0):
    """A leader's noise: its law, and where the selection changes on both of a pair."""
    make = functools.partial(listed, name, epsilon=epsilon)

    def ratio(r, then):
        leads = [lead(make, rows, mine) for rows in pair(r, mine, then)]
        first, second = (draws.difference_cdf(-x, noise=name.removesuffix("_resampled")) for x in leads)
        return math.log(second / first)

    return by_blocks(ratio, 4)


def by_law(name, epsilon, mine=0):
    """A law that actions are drawn from."""
    make = functools.partial(listed, name, epsilon=epsilon)

    def ratio(r, then):
        first, second = (chance(make, rows, mine) for rows in pair(r, mine, then))
        return math.log(second / first)

    return by_blocks(ratio, 5 if name == "prefix_softmax" else 4)


def by_selections(name, epsilon, mine=0, horizon=150, make=listed, **tuned):
    """Every selection that reads the first batch: the action is behind by six of its rounds, or by four."""
    make, spent = functools.partial(make, name, epsilon=epsilon, horizon=horizon, **tuned), 0.0
    batch = make(n_actions=3).tuning.batch
    for end in range(batch, horizon, batch):
        rows = np.zeros((end, 2))
        rows[:6, mine] = 1
        other = rows.copy()
        other[0] = 1 - rows[0]
        first, second = (
            draws.difference_cdf(-lead(make, table, mine), noise="exponential") for table in (rows, other)
        )
        spent += math.log(second / first)
    return spent


def by_epochs_to_come(name, epsilon, mine=0):
    """Losses of an epoch in the four selections that follow, of each epoch up to the first of nine rounds.

    In each of them the action is behind by at most eight rounds; the first round of the epoch is turned round.
    """
    make, spent = functools.partial(listed, name, epsilon=epsilon), []
    length = make(rng=draws.Scripted()).length
    last = next(r for r in itertools.count() if length(r) > 8)
    ends = list(itertools.accumulate(map(length, range(last + 4)), initial=0))
    for r in range(last + 1):
        spent.append(0.0)
        for end in ends[r + 1 : r + 5]:
            rows = np.zeros((end, 2))
            for epoch, begin in enumerate(ends[r:], r):
                rows[begin : begin + min(8, length(epoch)), mine] = 1
            other = rows.copy()
            other[ends[r]] = 1 - rows[ends[r]]
            leads = [lead(make, table, mine) for table in (rows, other)]
            first, second = (draws.difference_cdf(-x, noise="exponential") for x in leads)
            spent[-1] += math.log(second / first)
    return max(spent)


def by_nothing(name, epsilon):
    """Opposite losses, one stream: not an action changes."""
    played = []
    for loss in (0.0, 1.0):
        learner = listed(name, epsilon=epsilon)
        played.append([(learner.act(), learner.observe(loss)) for _ in range(100)])
    return 0.0 if played[0] == played[1] else math.inf


def by_weights(name, epsilon, n_actions=3):
    """Mirror descent: the shift of a round's noises that hides which losses it had, in scales, added up."""
    row, other, shifts = np.array([0.0, 1, 0]), np.array([1.0, 0, 1]), []

    def weights(losses, noise):
        learner = listed(name, n_actions=n_actions, epsilon=epsilon, rng=draws.Scripted(noise=noise))
        learner.act()
        learner.observe(losses)
        return learner.weights

    for j in range(n_actions):
        target = weights(np.where(np.arange(n_actions) == j, other, row), np.zeros(n_actions))
        sign = 1 if other[j] > row[j] else -1

        def short(x, j=j, sign=sign, target=target):
            found = weights(row, sign * x * np.eye(n_actions)[j])
            return sign * (found[j] - target[j]) > 0

        shifts.append(draws.flip(short, 0.0, 10.0))
    return sum(shifts)


def by_conversion(name, epsilon):
    """Lemma 3: a loss moves the mean of a batch by 1 / tau; the test below hears noise of this scale."""
    learner = listed(name, epsilon=epsilon)
    return 1 / (learner.batch_size * learner.noise)


def by_rounds(name, epsilon):
    """Noise on every loss; papers/bandits compares the law of its plays with the exact one."""
    return 1 / bandits.LocalExp4(2, 2, epsilon=epsilon, horizon=2000, rng=np.random.default_rng(1)).tuning.noise


def by_composition(name, epsilon):
    """Two experts' noisy estimates, of sensitivity K / (gamma tau) each: least epsilon at which delta suffices."""
    sizes = {"epsilon": epsilon, "delta": DELTA, "horizon": 10**6, "rng": np.random.default_rng(1)}
    tuned = bandits.BatchedExp4(2, 2, **sizes).tuning
    each = 2 / (tuned.mixing * tuned.batch) / tuned.noise
    return draws.flip(lambda e: laplace_composition(2, epsilon_each=each, epsilon=e)[1] > DELTA, 0.0, 2 * epsilon)


def by_sums(name, epsilon):
    """Noisy sums, each of rounds of its own."""
    return privacy.loss_of_sums(registry.entry(name), n_actions=3, n_rounds=150, epsilon=epsilon, delta=DELTA)[0]


def by_prefixes(name, epsilon):
    """Noisy prefix sums of 16 rounds that share noises."""
    return privacy.loss_of_prefixes(registry.entry(name), n_actions=3, horizon=16, epsilon=epsilon)


def by_gaussian_prefixes(name, epsilon):
    """By how much the noise of the prefix sums could be divided until delta no longer suffices."""
    sums = {"n_actions": 3, "horizon": 16, "epsilon": epsilon, "delta": DELTA}
    return epsilon / draws.flip(
        lambda d: privacy.delta_of_prefixes(registry.entry(name), **sums, noise_divisor=d) <= DELTA, 0.1, 10.0
    )


class Told(draws.Scripted):
    """Draws these uniform numbers, then halves."""

    numbers = ()

    def random(self, *_, **__):
        first, *self.numbers = *self.numbers, 0.5
        return first


def by_bits(name, epsilon):
    """The bit of one loss, or of one batch in which one loss changes: the number from which on it is another.

    What a learner remembers, as a pickle, tells it; and that is one of two things, whatever the losses were.
    """

    def remembered(u, losses):
        learner = listed(name, epsilon=epsilon, horizon=10**4, rng=(rng := Told()))
        full = learner.feedback == "full"
        for i, loss in enumerate(losses, 1):
            learner.act()
            rng.numbers = [0.0] * full + [u] if i == len(losses) else []  # a coordinate first
            learner.observe([loss, loss] if full else loss)
        return pickle.dumps(learner)

    def chance(losses):
        return draws.flip(lambda u: remembered(u, losses) == remembered(0.0, losses), 0.0, 1 - 1e-16, steps=48)

    batch, odds = getattr(listed(name, epsilon=epsilon, horizon=10**4), "batch", 1), []
    for others in (0.0, 1.0):
        tables = [[others] * (batch - 1) + [loss] for loss in (0.0, 1.0)]
        for u in (0.0, 1 - 1e-16):
            assert len({remembered(u, losses) for losses in tables}) == 1
        p, q = map(chance, tables)
        odds += [math.log(q / p), math.log((1 - p) / (1 - q))]
    return max(odds)


def by_sequences(name, epsilon):
    """The law of six actions of the dartboard as it is tuned, by enumeration; one of two rounds is replaced."""
    switches, delta = BOARDS[name]
    log_d = switching.log_count_sequences(6, 2, switches) if switches else math.log(2)
    board = tune_dartboard(epsilon=epsilon, delta=delta, horizon=6, log_d=log_d)
    law = functools.partial(exact.literal_law, n_switches=switches, dartboard=board)
    spent = 0.0
    for t in (0, 2):
        tables = np.zeros((2, 6, 2))
        tables[1, t, 0] = 1.0
        laws = [law(table).ravel() for table in tables]
        for p, q in (laws, laws[::-1]):
            if audit.hockey_stick(p, q, epsilon=0.0) > delta:
                spent = max(
                    spent, draws.flip(lambda e, p=p, q=q: audit.hockey_stick(p, q, epsilon=e) > delta, 0.0, 50.0)
                )
    return spent


BOARDS = {"meta_experts": (1, DELTA), "dartboard": (0, DELTA), "pure_dartboard": (0, 0.0)}


def by_runs(name, epsilon):
    """Privacy that a run spends; with one noise, its opposite losses change no play of the next run."""
    length, plays = phases.restart_length(n_actions=2, horizon=300, n_switches=1), ([], [])
    for loss, later in enumerate(plays):
        learner = listed(name, horizon=300, epsilon=epsilon, rng=draws.Scripted())
        for t in range(2 * length):
            later.append(learner.act())
            learner.observe(float(loss != later[-1] if t < length else later[-1]))
    assert plays[0][length:] == plays[1][length:]
    assert plays[0] != plays[1]
    return by_sums(name.removesuffix("_restarted"), epsilon)


SUMS = ("dp_imed", "dp_imed_4", "fixed_share_cube")
BITS = [e.name for e in competitors.LEARNERS if e.name.startswith(("bit_", "batch_bit_", "coordinate_"))]
LEADERS = [name for name in ENTRIES if name.removesuffix("_resampled") in draws.DENSITIES]
CONVERTED = ("htinf", "exp3", "ftpl", "per_round_exp3", "per_round_htinf")
WAYS = {
    "prefix_softmax": (by_law, 0.6), **dict.fromkeys(LEADERS, (by_noise, 0.75)),
    "limited_updates": (by_law, 0.75), **dict.fromkeys(("restarts", "restarts_dyadic"), (by_law, 0.33)),
    "meta_experts": (by_sequences, 0.0), "dartboard": (by_sequences, 1e-3), "pure_dartboard": (by_sequences, 0.3),
    "mirror_descent": (by_weights, 1 - 1e-6),
    **dict.fromkeys(CONVERTED, (by_conversion, 1 - 1e-9)), "local_exp4": (by_rounds, 1 - 1e-9),
    "batched_exp4": (by_composition, 0.1),
    **dict.fromkeys(SUMS, (by_sums, 1 - 1e-9)), "dp_imed_restarted": (by_runs, 1 - 1e-9),
    "hedge_tree_cube": (by_prefixes, 1 - 1e-6),
    "hedge_factorized": (by_gaussian_prefixes, 0.75), **dict.fromkeys(BITS, (by_bits, 1 - 1e-6)),
    **dict.fromkeys(("few_leaders", "fading_batches"), (by_selections, 0.5)),
    **dict.fromkeys(("weighted_epochs", "random_epochs"), (by_epochs_to_come, 1 - 1e-7)),
    "uniform": (by_nothing, 1.0),
}  # fmt: skip
"""How each learner's spending is read, and the share of what it declares that is spent at least.

Restarts spend another half on the threshold, below; what the dartboards declare is what their accountant states,
of which short plays reveal little, and nothing where delta pays for it.
"""
RATED = {rated.name: entry.name for entry in competitors.LEARNERS for rated in at_rates(entry)}
SPENT = {name: WAYS[RATED.get(name, name)] for name in ENTRIES if RATED.get(name, name) in WAYS}
"""The same at every rate that a learner is listed at."""
EXCUSED = {name: "it declares no privacy" for name, entry in ENTRIES.items() if not entry.private}
UNTOLD = [name for name, (way, _) in SPENT.items() if ENTRIES[name].unending and way is not by_prefixes]
"""Learners with a form of their own for T unknown: batches whose tuning changes."""
SIDED = {by_noise, by_law, by_selections, by_epochs_to_come}
"""Ways that look at either of the two actions."""


def test_every_learner_is_read_or_excused():
    assert set(SPENT) | set(EXCUSED) == set(ENTRIES)
    assert not set(SPENT) & set(EXCUSED)
    assert all(listed(name, epsilon=None).privacy.epsilon == math.inf for name in EXCUSED)


WEAK = [n for n in SPENT if not n.startswith(("local_", "batched_", "few_", *BITS, *BOARDS))]
"""Learners that are read at a level above 1 too, or play at 1 there."""
READ = [(n, e) for n in SPENT for e in ((0.3, 0.9) if RATED.get(n, n) == n else (0.9,))]


@pytest.mark.parametrize(("name", "epsilon"), READ + [(n, 4.0) for n in WEAK if RATED.get(n, n) == n])
def test_what_is_spent_is_at_most_what_is_declared_and_not_below_a_share(name, epsilon):
    way, share = SPENT[name]
    declared = listed(name, epsilon=epsilon, horizon=10**6 if name == "batched_exp4" else 100).privacy
    assert (declared.delta > 0) is ENTRIES[name].approximate
    spent = way(name, epsilon)
    assert share * declared.epsilon <= spent <= declared.epsilon * (1 + 1e-7)
    assert declared.epsilon <= epsilon * (1 + 1e-9)
    if way in SIDED and epsilon == 0.3:
        assert way(name, epsilon, mine=1) == pytest.approx(spent, rel=1e-6)


@pytest.mark.parametrize("name", BITS)
def test_who_is_listed_as_local_remembers_nothing_of_a_loss_but_its_bit(name):
    """A batch, whose losses a curator adds up before there is a bit, is not local: it remembers its first loss."""

    def remembered(loss):
        learner = listed(name, epsilon=0.01, horizon=10**6, rng=(rng := Told()))
        learner.act()
        rng.numbers = [0.0, 0.0]  # a coordinate, and a bit that is 1 whatever the loss
        learner.observe([loss, loss] if learner.feedback == "full" else loss)
        return pickle.dumps(learner)

    assert ENTRIES[name].local is (remembered(0.0) == remembered(1.0))
    assert ("local" in ENTRIES[name].privacy) is ENTRIES[name].local


def test_the_other_local_learners_are_those_with_noise_on_every_loss():
    noisy = {"per_round_exp3", "per_round_htinf", "local_exp4", "mirror_descent"}
    local = {RATED.get(name, name) for name, entry in ENTRIES.items() if entry.local}
    assert local - set(BITS) == noisy | {"uniform"}


def at_rate(name, *, n_actions=2, rng=None, **sizes):
    setting = Setting(n_actions=n_actions, **sizes)
    return ENTRIES[name].build(setting, np.random.default_rng(1) if rng is None else rng)


@pytest.mark.parametrize(
    ("epsilon", "horizon", "rate", "switches", "batches"),
    [(8.0, 600, 1.0, 1, 60), (30.0, 60, 0.1, 2, 6), (30.0, 60, 0.1, 1, 3), (30.0, 60, 0.05, 1, 2)],
)
def test_a_round_that_fades_from_selection_to_selection_spends_epsilon_in_all(
    epsilon, horizon, rate, switches, batches
):
    """Where batches before the last one help, so that several selections read a round; or only few are left."""
    asked = {"epsilon": epsilon, "horizon": horizon, "rate": rate, "n_switches": switches}
    tuned = at_rate("fading_batches", n_actions=3, **asked).tuning
    assert tuned.memory > 0
    assert -(-horizon // tuned.batch) == batches
    assert by_selections("fading_batches", make=at_rate, **asked) == pytest.approx(epsilon)


@pytest.mark.parametrize("epsilon", [0.5, 6.0, 9.0])
@pytest.mark.parametrize("name", [name for name in BITS if name.startswith("coordinate_")])
def test_all_coordinates_that_a_round_shows_spend_epsilon_together(name, epsilon):
    """A round shows m of six coordinates, each with a bit; all six losses are replaced, so m bits change."""

    def shown(loss, place=0, u=0.25):
        learner = listed(name, n_actions=6, epsilon=epsilon, horizon=10**4, rng=(rng := Told()))
        learner.act()
        numbers = np.array([[(i + 0.25) / 6, 0.25] for i in range(6)])
        numbers[place, 1] = u
        rng.numbers = numbers.ravel().tolist()
        learner.observe([loss] * 6)
        return pickle.dumps(learner), rng.numbers.count(0.5) // 2

    def chance(loss, place):
        return draws.flip(lambda u: shown(loss, place, u) == shown(loss, place, 0.0), 0.0, 1 - 1e-16, steps=48)

    (_, many), spent = shown(0.0), 0.0
    assert (many > 1) is (epsilon > 1)
    for place in range(many):
        p, q = chance(0.0, place), chance(1.0, place)
        spent += max(math.log(q / p), math.log((1 - p) / (1 - q)))
    assert spent == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize("name", UNTOLD)
def test_who_is_not_told_the_horizon_spends_as_much(name):
    """A loss of the batch at whose end the tuning changes; trees of unbounded sums have tests of their own."""
    learner = listed(name, n_actions=3, horizon=None, epsilon=0.3, n_switches=1)
    first = learner.tuning
    end = next(t for t in range(1, 10**4) if watch(learner, [np.zeros(3)]) >= 0 and learner.tuning != first)
    replaced = (0, end - first.batch, end - 1)
    rounds = {"n_rounds": end + 2 * learner.tuning.batch, "replaced": replaced}
    spent, sums = privacy.loss_of_sums(anytime(ENTRIES[name]), n_actions=3, epsilon=0.3, **rounds)
    assert sums > 5
    assert spent == pytest.approx(0.3)


class Listener:
    """A base learner that writes down what it observes."""

    feedback, n_actions = "bandit", 3

    def __init__(self):
        self.heard = []

    def act(self):
        return 0

    def observe(self, loss):
        self.heard.append(loss)


@pytest.mark.parametrize("epsilon", [0.07, 0.3, 1.0])
@pytest.mark.parametrize("batch", [None, 1, 7])
def test_a_conversion_tells_its_base_means_of_batches_with_the_noise_that_it_names(epsilon, batch):
    """Whole batches alone; losses of 0, so that the noise is bare: 400 draws of its scale, not of 1.5 times it."""
    base = Listener()
    learner = bandits.PrivateBandit(base, epsilon=epsilon, batch_size=batch, rng=np.random.default_rng(2))
    tau = learner.batch_size
    assert tau == (batch or math.ceil(1 / epsilon))
    assert 1 / (tau * learner.noise) == pytest.approx(learner.privacy.epsilon, rel=1e-12)  # Lemma 3
    for t in range(1, 400 * tau + 1):
        learner.act()
        learner.observe(0.0)
        assert len(base.heard) == t // tau
    law = stats.laplace(scale=learner.noise)
    assert stats.kstest(base.heard, law.cdf).pvalue > 1e-6
    assert stats.kstest(np.divide(base.heard, 1.8), law.cdf).pvalue < 1e-6
    zeros, calm = list(base.heard), np.mean(base.heard)
    for _ in range(400 * tau):
        learner.act()
        learner.observe(1.0)
    assert np.mean(base.heard[400:]) - calm == pytest.approx(1, abs=0.6 * learner.noise)
    assert len({*zeros}) == 400


@pytest.mark.parametrize("windows", ["all", "dyadic"])
@pytest.mark.parametrize(
    ("calibration", "share", "declared"), [("corrected", 1 / 3, 1.0), ("printed", 1 / 2, 1.25)]
)
def test_restarts_spend_half_on_play_and_the_rest_on_thresholds_and_queries(calibration, share, declared, windows):
    """A query moves by up to 2, all in one direction: the threshold follows it, and the query that halts moves."""
    rng, epsilon = draws.Scripted(), 0.6
    words = {"horizon": 100, "epsilon": epsilon, "calibration": calibration, "windows": windows, "rng": rng}
    learner = tracking.Restarts(2, **words)
    watch(learner, block(2, 3)[:6])
    threshold, query = 2 / (share * epsilon), 4 / (share * epsilon)
    assert [scale for _, scale, _ in rng.calls] == pytest.approx([threshold, *[query] * 6])
    assert [size for *_, size in rng.calls] == [
        None,
        *(n if windows == "all" else n.bit_length() for n in range(1, 7)),
    ]

    def trailing(uniform):
        """Is the expert selected that lost the first block's only loss, 1?"""
        words["rng"] = draws.Scripted(uniform=uniform)
        learner = tracking.Restarts(2, **words)
        learner.observe([1.0, 0.0])
        return learner.act() == 0

    # P(Z - Z' >= 1) = (2 + y) exp(-y) / 4 of two Laplace(b) variables, y = 1 / b; losses of a round cost 2 / b
    chance = draws.flip(trailing, 0, 1 - 1e-12)
    inverse = optimize.brentq(lambda y: (2 + y) * math.exp(-y) / 4 - chance, 0, 50)
    assert 2 * inverse + 2 / threshold + 2 / query == pytest.approx(declared * epsilon)
    assert learner.privacy.epsilon == pytest.approx(declared * epsilon)


@pytest.mark.parametrize(("noise", "alarms"), [(1e6, 4), (0.0, 0)])
def test_the_threshold_is_drawn_anew_after_every_restart_and_never_else(noise, alarms):
    """Noise that sets the alarm off in every round, and none that does."""
    rng, epsilon = draws.Scripted(noise=noise), 0.6
    learner = tracking.Restarts(2, horizon=100, epsilon=epsilon, rng=rng)
    watch(learner, np.zeros((4, 2)))
    assert len(learner.restarts) == 1 + alarms
    thresholds = [scale for _, scale, size in rng.calls if size is None]
    assert thresholds == pytest.approx([2 / (epsilon / 3)] * (1 + alarms))
    assert len(rng.calls) == len(thresholds) + 4


@pytest.mark.parametrize("windows", ["all", "dyadic"])
def test_a_query_of_restarts_moves_as_the_regret_does(windows):
    """Of the first round alone, and with thresholds at zero: query noise from which on the alarm goes off."""

    def silent(x, regret):
        words = {"horizon": 100, "epsilon": 0.6, "windows": windows, "rng": draws.Scripted(noise=x)}
        learner = tracking.Restarts(2, **words)
        learner.act()
        learner.observe([regret, 0.0])
        return len(learner.restarts) == 1

    calm, loud = (draws.flip(functools.partial(silent, regret=regret), 0, 1e6) for regret in (0.0, 1.0))
    assert calm - loud == pytest.approx(0.6 / 12, rel=1e-8)
