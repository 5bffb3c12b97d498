"""The schemes of paper 5 spend the privacy that they declare: noise read from users, simulators and kernels.

Users get coins that a test chooses, so what they release shows the scale of the noise on every coordinate, the
sensitivity of what it hides, and the probability that a label is replaced, to the last digits. Where a compiled
kernel draws the noise, its law is compared with the exact one; twins with 1.2 times the scale are rejected.
"""

import functools
import math

import numpy as np
import pytest
from scipy import special, stats

from replicate.learners import registry
from replicate.mechanisms.composition import laplace_composition
from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning.algorithms import labels, simulation, walk
from replicate.streams import stream
from tests.agreement import compares
from tests.conftest import FALSE_ALARM

NOISY = ("pure", "approximate")
CALIBRATIONS = ("printed", "corrected", "tight")
DELTA, MANY = 1e-3, 25_000
CLASSES = {
    "ternary": np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.3, 0.4, 0.3], [0.05, 0.05, 0.9]]),
    "contexts": np.array([[[0.8, 0.2], [0.3, 0.7]], [[0.45, 0.55], [0.5, 0.5]]]),
    "alike": np.array([[0.4, 0.1, 0.1, 0.4], [0.1, 0.4, 0.4, 0.1]]),
}
"""Four hypotheses on three labels; two contexts; labels that no hypothesis tells apart."""
close = pytest.approx


def exact(value):
    return close(value, rel=1e-11, abs=1e-300)


def fits(values, law):
    return stats.kstest(values, law).pvalue > FALSE_ALARM


def correlated(x, y):
    """P-value of independence, by ranks."""
    return stats.spearmanr(x, y).pvalue


def sum_law(n):
    """Law of the sum of n independent Laplace variables of scale 1, n = 1, 2, 3."""
    polynomial = {1: [0.5], 2: [0.25, 0.5], 3: [1 / 16, 5 / 16, 0.5]}[n]

    def cdf(x):
        tail = np.exp(-np.abs(x)) * np.polyval(polynomial, np.abs(x))
        return np.where(np.asarray(x) < 0, tail, 1 - tail)

    return cdf


class Coins(np.random.Generator):
    """Coins that a test chooses: whether the label is kept, its replacement, the noise, the coordinate shown."""

    def __init__(self, n, *, uniform=0.0, other=0, noise=None, shown=0):
        super().__init__(np.random.PCG64(1))
        self.uniform, self.other, self.shown = uniform, other, shown
        self.noise, self.chances = np.zeros(n) if noise is None else noise, None

    def random(self, *_, **__):
        return self.uniform

    def choice(self, a, size=None, replace=True, p=None, **_):
        assert size is None
        self.chances = np.full(a, 1 / a) if p is None else p
        return self.other

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + scale * (self.noise[0] if size is None else self.noise[:size].copy())

    def integers(self, *_, **__):
        return self.shown


def contexts_of(hypotheses):
    return hypotheses[None] if hypotheses.ndim == 2 else hypotheses


def release(user, label, context, **coins):
    """Return the message of a user whose coins are chosen."""
    user._rng = Coins(user._scheme.hypotheses.shape[1], **coins)
    return np.asarray(user.release(label, context), dtype=float)


def cells(laws, horizon):
    """Formulas (3) to (6) for one context: cells of each label, and log densities of a cell, shape (K, M)."""
    m = laws.shape[1]
    counts = np.array([math.ceil(m * max(laws[:, y]) - 1e-9) for y in range(m)])
    density = (1 - 1 / horizon) * laws / counts + 1 / (horizon * counts.sum())
    return counts, np.log(density)


def unit_scale(k, epsilon, delta, calibration, spread):
    """Scale of the noise, by the theory: Algorithm 2, or (8) for Algorithm 1."""
    if delta is None:
        return spread / epsilon
    return spread * (2 * math.sqrt(2 * k * math.log(1 / delta)) + math.sqrt(k * epsilon)) / epsilon


def messages(user, context, n_labels):
    """Messages without noise, shape (M, K), coordinate by coordinate, and what unit noise adds, shape (K, K)."""
    k = user._scheme.hypotheses.shape[1]
    plain, moved = np.empty((n_labels, k)), np.empty((k, k))
    for j in range(k):
        for label in range(n_labels):
            plain[label, j] = release(user, label, context, shown=j)[j]
        for i in range(k):
            moved[i, j] = release(user, 0, context, noise=np.eye(k)[i], shown=j)[j] - plain[0, j]
    return plain, moved


def check_messages(user, scheme, hypotheses, *, epsilon, delta, horizon, calibration):
    """One noise for each coordinate, of the scale that its sensitivity needs, both read from what is released."""
    laws = contexts_of(hypotheses)
    x_, k, m = laws.shape
    densities = [cells(f, horizon)[1] for f in laws]
    worst = max(float((v.max(axis=1) - v.min(axis=1)).max()) for v in densities)
    for x in range(x_):
        plain, moved = messages(user, x, m)
        np.testing.assert_array_equal(moved, np.diag(np.diag(moved)))
        v = densities[x] - densities[x][:, :1]
        slope = np.linalg.lstsq(v.ravel()[:, None], (plain - plain[0]).T.ravel(), rcond=None)[0][0]
        np.testing.assert_allclose((plain - plain[0]).T, slope * v, rtol=1e-9, atol=1e-12)
        scales = np.diag(moved) / slope
        np.testing.assert_allclose(scales, scales[0], rtol=1e-10)
        shown = abs((plain.max(axis=0) - plain.min(axis=0)) / np.diag(moved)).max()
        if calibration == "tight" and scheme == "approximate":
            each = worst / scales[0]
            low, high = laplace_composition(k, epsilon_each=each, epsilon=epsilon)
            assert low <= delta * (1 + 1e-6)
            assert high >= 0.999 * delta
            continue
        spread = worst if calibration == "tight" else math.log((k + (calibration == "corrected")) * horizon)
        expected = unit_scale(k, epsilon, delta, calibration, spread)
        assert scales[0] == close(expected, rel=1e-9)
        if scheme == "pure":
            assert shown <= epsilon * (1 + 1e-9) * (worst / spread if calibration == "printed" else 1)
        else:
            assert laplace_composition(k, epsilon_each=worst / scales[0], epsilon=epsilon)[0] <= delta


SETTINGS = [(epsilon, horizon) for epsilon in (0.3, 1.0, 4.0) for horizon in (16, 5000)]


def options(scheme, epsilon, horizon, calibration="corrected"):
    return {
        "scheme": scheme, "epsilon": epsilon, "delta": DELTA if scheme == "approximate" else None,
        "horizon": horizon, "calibration": calibration,
    }  # fmt: skip


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("scheme", NOISY)
@pytest.mark.parametrize("name", CLASSES)
def test_users_hide_every_coordinate_behind_its_own_noise(scheme, calibration, name):
    for epsilon, horizon in SETTINGS:
        chosen = options(scheme, epsilon, horizon, calibration)
        user = dl.User(CLASSES[name], **chosen, rng=stream(1, "user"))
        check_messages(user, hypotheses=CLASSES[name], **chosen)
        wrong = chosen | {"epsilon": 1.2 * epsilon}
        with pytest.raises(AssertionError):
            check_messages(user, hypotheses=CLASSES[name], **wrong)


@pytest.mark.parametrize("scheme", NOISY)
def test_pure_messages_show_one_coordinate_and_approximate_ones_all(scheme):
    user = dl.User(CLASSES["ternary"], **options(scheme, 1.0, 100), rng=stream(1, "shown"))
    for shown in range(4):
        message = release(user, 1, 0, noise=np.full(4, 2.0), shown=shown)
        assert np.flatnonzero(message).tolist() == ([shown] if scheme == "pure" else [0, 1, 2, 3])


def keep_probability(scheme, epsilon, horizon, m):
    return 1 - 1 / horizon if scheme in NOISY else math.expm1(epsilon) / (math.exp(epsilon) + m - 1)


def check_replacement(user, scheme, hypotheses, epsilon, horizon):
    """The label is replaced from the stated probability on, by a cell that does not depend on it."""
    laws = contexts_of(hypotheses)
    m = laws.shape[-1]
    keep = keep_probability(scheme, epsilon, horizon, m)
    for x, f in enumerate(laws):
        chances = cells(f, horizon)[0] / cells(f, horizon)[0].sum() if scheme in NOISY else np.full(m, 1 / m)
        for label in range(m):
            release(user, label, x, uniform=keep * (1 - 1e-12))
            assert user._rng.chances is None
            other = release(user, label, x, uniform=keep * (1 + 1e-12), other=(label + 1) % m)
            np.testing.assert_allclose(user._rng.chances, chances, rtol=1e-12)
            np.testing.assert_array_equal(other, release(user, (label + 1) % m, x))
    if scheme == "randomized_response":  # Section 3: the label stays with probability e^eps / (e^eps + M - 1)
        assert keep + (1 - keep) / m == exact(math.exp(epsilon) / (math.exp(epsilon) + m - 1))


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("scheme", [*NOISY, "randomized_response"])
@pytest.mark.parametrize("name", CLASSES)
def test_users_replace_labels_as_often_as_their_privacy_needs(scheme, calibration, name):
    for epsilon, horizon in SETTINGS:
        user = dl.User(CLASSES[name], **options(scheme, epsilon, horizon, calibration), rng=stream(1, "flips"))
        check_replacement(user, scheme, CLASSES[name], epsilon, horizon)
        if scheme == "randomized_response":
            with pytest.raises(AssertionError):
                check_replacement(user, scheme, CLASSES[name], 1.2 * epsilon, horizon)


def test_labels_that_no_hypothesis_allows_are_always_replaced():
    laws = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]])
    for scheme in NOISY:
        user = dl.User(laws, **options(scheme, 1.0, 100), rng=stream(1, "impossible"))
        release(user, 2, 0, uniform=0.0)
        np.testing.assert_allclose(user._rng.chances, [2 / 5, 3 / 5, 0.0])


# The register's games on labels


@pytest.fixture
def users(monkeypatch):
    """The users that games are played with."""
    made = []

    class Kept(labels.User):
        def __init__(self, *arguments, rng, **sizes):
            super().__init__(*arguments, rng=rng, **sizes)
            assert self._rng is rng
            made.append(self)

    monkeypatch.setattr(labels, "User", Kept)
    return made


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("scheme", [*NOISY, "randomized_response"])
def test_a_game_of_the_register_is_played_by_users_with_the_declared_noise(scheme, epsilon, users):
    laws = CLASSES["ternary"]
    seen = np.resize([0, 1, 2, 2], 50)
    run = registry.schemes()[scheme].play(laws, seen, epsilon=epsilon, delta=DELTA, rng=stream(2, scheme))
    delta = DELTA if scheme == "approximate" else None
    assert run.privacy.epsilon == epsilon
    assert run.privacy.delta == (delta or 0.0)
    check_replacement(users[0], scheme, laws, epsilon, 50)
    if scheme in NOISY:
        check_messages(users[0], hypotheses=laws, **options(scheme, epsilon, 50))


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("scheme", NOISY)
def test_a_game_takes_its_calibration(scheme, calibration, users):
    chosen = options(scheme, 0.7, 40, calibration)
    sizes = {key: value for key, value in chosen.items() if key != "horizon"}
    run = dl.play_labels(CLASSES["ternary"], np.resize([0, 1, 2], 40), **sizes, rng=stream(3, "game"))
    check_messages(users[0], hypotheses=CLASSES["ternary"], **chosen)
    excess = math.log(5 * 40) / math.log(4 * 40) if (scheme, calibration) == ("pure", "printed") else 1
    assert run.privacy.epsilon == exact(0.7 * excess)


@pytest.fixture
def walks(monkeypatch):
    """The walks that simulations take."""
    made = []

    class Kept(simulation.Walk):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(simulation, "Walk", Kept)
    return made


def by_registry(scheme, hypotheses, *, epsilon, horizon, calibration, rng):
    extra = {} if calibration == "corrected" else {"calibration": calibration}
    registry.schemes()[scheme].simulate(
        hypotheses, epsilon=epsilon, delta=DELTA, horizon=horizon, replicates=1, grid=100, rng=rng, **extra
    )


def by_paper(scheme, hypotheses, *, epsilon, horizon, calibration, rng):
    chosen = options(scheme, epsilon, horizon, calibration)
    dl.simulate(hypotheses, **chosen, replicates=1, grid=100, rng=rng)


@pytest.mark.parametrize("run", [by_registry, by_paper])
@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("scheme", [*NOISY, "randomized_response"])
@pytest.mark.parametrize("name", CLASSES)
def test_a_simulation_walks_with_the_declared_noise(run, scheme, calibration, name, walks):
    """Symbols, their law and the weight of the noise, as the walk uses them."""
    laws = contexts_of(CLASSES[name])
    k, m = laws.shape[1:]
    for epsilon, horizon in SETTINGS:
        run(scheme, CLASSES[name], epsilon=epsilon, horizon=horizon, calibration=calibration, rng=stream(4, "w"))
        shared = walks[-1].scheme
        keep = keep_probability(scheme, epsilon, horizon, m)
        assert [c.keep for c in shared.channels] == [exact(keep)] * len(laws)
        if scheme == "randomized_response":
            truth = keep * laws[:, 0] + (1 - keep) / m
            merged = [sorted(np.diff(walks[-1]._cumulative[x], prepend=0.0)) for x in range(len(laws))]
            by_hand = [sorted(grouped(truth[x], laws)) for x in range(len(laws))]
            np.testing.assert_allclose(merged, by_hand, rtol=1e-10)
            continue
        densities = [cells(f, horizon)[1] for f in laws]
        worst = max(float((v.max(axis=1) - v.min(axis=1)).max()) for v in densities)
        spread = worst if calibration == "tight" else math.log((k + (calibration == "corrected")) * horizon)
        nothing, one = np.zeros(k), np.eye(k)[0]
        of_noise = shared.log_weights(nothing, one, nothing) - shared.log_weights(nothing, nothing, nothing)
        of_density = shared.log_weights(one, nothing, nothing) - shared.log_weights(nothing, nothing, nothing)
        assert np.flatnonzero(of_noise).tolist() == [0]
        scale = of_noise[0] / of_density[0]
        delta = DELTA if scheme == "approximate" else None
        if calibration == "tight" and scheme == "approximate":
            low, high = laplace_composition(k, epsilon_each=worst / scale, epsilon=epsilon)
            assert low <= delta * (1 + 1e-6)
            assert high >= 0.999 * delta
        else:
            assert scale == close(unit_scale(k, epsilon, delta, calibration, spread), rel=1e-9)
        found = np.sort(np.unique(shared.values.round(9)))
        np.testing.assert_allclose(found, np.unique(np.round(densities, 9)), atol=2e-9)


def grouped(law, laws):
    """Sum a law over labels that no hypothesis tells apart in any context."""
    columns = laws.reshape(-1, laws.shape[-1]).T
    return [law[(columns == column).all(axis=1)].sum() for column in np.unique(columns, axis=0)]


# Live noise of users


def live(scheme, n, k=4):
    """Noise of n messages about labels that say nothing, shape (n, K), zeros where nothing is shown."""
    user = dl.User(np.full((k, 2), 0.5), **options(scheme, 1.0, 1000), rng=stream(5, "live", scheme))
    silent = dl.User(np.full((k, 2), 0.5), **options(scheme, 1.0, 1000), rng=stream(5, "live", scheme))
    plain = release(silent, 0, 0)[0]
    slope = release(silent, 0, 0, noise=np.eye(k)[0])[0] - plain
    found = np.array([user.release(0) for _ in range(n)])
    return np.where(found == 0, 0.0, (found - plain) / slope)


def check_columns(noise):
    """Unit Laplace noise, independent between coordinates and between users; shared draws are rejected."""
    assert fits(noise.ravel(), sum_law(1))
    assert not fits(1.2 * noise.ravel(), sum_law(1))
    for i in range(1, noise.shape[1]):
        assert fits(noise[:, i] - noise[:, 0], sum_law(2))
        assert correlated(noise[:, i], noise[:, 0]) > FALSE_ALARM
        assert correlated(np.abs(noise[:, i]), np.abs(noise[:, 0])) > FALSE_ALARM
        assert correlated(np.abs(noise[1:, i]), np.abs(noise[:-1, 0])) > FALSE_ALARM
    for column in noise.T:
        assert correlated(column[1:], column[:-1]) > FALSE_ALARM
    shared = np.repeat(noise[:, :1], 2, axis=1)
    assert not fits(shared[:, 1] - shared[:, 0], sum_law(2))
    assert correlated(*shared.T) < FALSE_ALARM
    repeated = np.repeat(noise[::2, 0], 2)
    assert correlated(repeated[1:], repeated[:-1]) < FALSE_ALARM


def test_noise_of_all_coordinates_and_users_is_independent():
    check_columns(live("approximate", MANY // 4))


def test_noise_of_the_coordinate_shown_is_independent_of_which_it_is():
    noise = live("pure", MANY)
    rows, shown = noise.nonzero()
    assert rows.tolist() == list(range(MANY))
    assert stats.chisquare(np.bincount(shown, minlength=4)).pvalue > FALSE_ALARM
    assert stats.chisquare(np.bincount(np.append(shown, [3] * 2000))).pvalue < FALSE_ALARM
    values = noise[rows, shown]
    assert fits(values, sum_law(1))
    assert not fits(1.2 * values, sum_law(1))
    for other in (shown, np.roll(shown, 1), np.roll(values, 1)):
        assert correlated(values, other) > FALSE_ALARM
        assert correlated(np.abs(values), np.abs(other)) > FALSE_ALARM
    assert correlated(shown[1:], shown[:-1]) > FALSE_ALARM
    assert correlated(values, values + shown) < FALSE_ALARM


def test_shown_labels_have_the_law_of_randomised_response():
    epsilon, m, n = 1.5, 4, 10_000
    user = dl.User(np.full((2, m), 0.25), **options("randomized_response", epsilon, n), rng=stream(6, "shown"))
    shown = np.array([int(user.release(2)) for _ in range(n)])
    law = np.array([1, 1, math.exp(epsilon), 1]) / (math.exp(epsilon) + m - 1)
    twin = np.array([1, 1, math.exp(1.2 * epsilon), 1]) / (math.exp(1.2 * epsilon) + m - 1)
    counts = np.bincount(shown, minlength=m)
    assert stats.chisquare(counts, n * law).pvalue > FALSE_ALARM
    assert stats.chisquare(counts, n * twin).pvalue < FALSE_ALARM
    joint = np.bincount(m * shown[1:] + shown[:-1], minlength=m * m).reshape(m, m)
    assert stats.chi2_contingency(joint).pvalue > FALSE_ALARM


# Noise of the kernels


def walked(scheme, steps, n, k=3):
    """Sums of unit noise and numbers of messages after stretches of rounds, shapes (n, len(steps), K).

    They are n pieces of one walk, each less what was there when it began.
    """
    visits, half = np.tile(steps, n)[:, None], np.array([[0.5, 1.0]])
    _, *sums = walk._walk(
        stream(7, "walked", scheme, str(steps)), visits, half, np.cumsum([[0.5, 0.5]], axis=1),
        np.zeros((1, 2, k)), scheme == "pure", True,
    )  # fmt: skip
    pieces = [np.reshape(part, (n, len(steps), k)) for part in sums]
    return [part - np.insert(part[:-1, -1:], 0, 0, axis=0) for part in pieces]


@pytest.mark.parametrize("first", [1, 2, 3])
def test_the_walk_adds_a_laplace_variable_for_each_message(first):
    noise, rounds = walked("approximate", (first, 2), MANY)
    assert rounds.tolist() == [[[first] * 3, [first + 2] * 3]] * MANY
    late = noise[:, 1] - noise[:, 0]
    for values, n in ((noise[:, 0], first), (late, 2)):
        for column in values.T:
            assert fits(column, sum_law(n))
        assert not fits(1.2 * values.ravel(), sum_law(n))
        assert correlated(values[:, 1], values[:, 0]) > FALSE_ALARM
        assert correlated(*np.abs(values[:, 1:].T)) > FALSE_ALARM
        assert (values[:, 1] - values[:, 0]).var() == close(4 * n, rel=0.15)
        shared = np.repeat(values[:, :1], 2, axis=1)
        assert correlated(*shared.T) < FALSE_ALARM
    assert correlated(late[:, 0], noise[:, 0, 0]) > FALSE_ALARM
    assert correlated(np.abs(late[:, 0]), np.abs(noise[:, 0, 0])) > FALSE_ALARM
    assert correlated(late[1:, 0], late[:-1, 0]) > FALSE_ALARM
    assert not fits(2 * stats.laplace.rvs(size=MANY, random_state=8), sum_law(2))


def test_the_walk_shows_one_coordinate_of_each_message():
    noise, rounds = walked("pure", (2, 1), MANY)
    first, late, counts = noise[:, 0], noise[:, 1] - noise[:, 0], rounds[:, 0]
    pairs = np.bincount(3 * counts[:, 0] + counts[:, 1], minlength=9)
    law = stats.multinomial(2, [1 / 3] * 3)
    expected = [law.pmf([a, b, 2 - a - b]) if a + b <= 2 else 0.0 for a in range(3) for b in range(3)]
    possible = np.array(expected) > 0
    assert not pairs[~possible].any()
    assert stats.chisquare(pairs[possible], MANY * np.array(expected)[possible]).pvalue > FALSE_ALARM
    assert not first[counts == 0].any()
    ones = (counts == 1).sum(axis=1) == 2
    both = first[ones][counts[ones] == 1].reshape(-1, 2)
    assert fits(both.ravel(), sum_law(1))
    assert not fits(1.2 * both.ravel(), sum_law(1))
    assert fits(both[:, 1] - both[:, 0], sum_law(2))
    assert correlated(*both.T) > FALSE_ALARM
    assert fits(first[counts == 2], sum_law(2))
    assert not fits(2 * both[:, 0], sum_law(2))
    added = rounds[:, 1] - counts
    assert (added.sum(axis=1) == 1).all()
    assert fits(late[added == 1], sum_law(1))
    assert correlated(late[added == 1], first.sum(axis=1)) > FALSE_ALARM


# Literal against simulated

GAMES, SIMULATED, TWIN, T = 2_000, 20_000, 5_000, 14
EPSILON = {"pure": 25.0, "approximate": 50.0, "randomized_response": 1.0}
PAIR = np.array(
    [
        [[0.55, 0.05, 0.05, 0.35], [0.1, 0.3, 0.3, 0.3], [0.25, 0.25, 0.25, 0.25]],
        [[0.4, 0.1, 0.1, 0.4], [0.2, 0.2, 0.2, 0.4], [0.1, 0.35, 0.35, 0.2]],
    ]
)
"""Two contexts, three hypotheses, two labels that are alike."""


@functools.cache
def literal(scheme):
    """Log weights after T - 1 messages, less their mean, shape (games, K)."""
    rng, chosen = stream(9, "literal", scheme), options(scheme, EPSILON[scheme], T)
    user = dl.User(PAIR, **chosen, rng=rng)
    found = np.empty((GAMES, 3))
    drawn = np.stack([rng.choice(4, p=PAIR[x, 1], size=(GAMES, T)) for x in range(2)])
    for r in range(GAMES):
        predictor = dl.Predictor(PAIR, **chosen)
        for t in range(T - 1):
            predictor.observe(user.release(int(drawn[t % 2, r, t]), t % 2), t % 2)
        found[r] = predictor.log_weights
    return found - found.mean(axis=1, keepdims=True)


def fast(scheme, walks, *, epsilon=None, truth=1, games=TWIN):
    """The same from the walk of the register's simulation: of one long walk, whose games are independent."""
    rng = stream(9, "fast", scheme, epsilon, truth)
    registry.schemes()[scheme].simulate(
        PAIR, epsilon=epsilon or EPSILON[scheme], delta=DELTA, horizon=T, truth=truth, contexts="periodic",
        replicates=1, grid=100, rng=rng,
    )  # fmt: skip
    times = (1 + T * np.arange(games)[:, None] + [0, 5, T - 1]).ravel()
    begun, _, found = np.moveaxis(walks[-1].log_weights(times, rng).reshape(games, 3, -1), 1, 0)
    found -= begun
    return found - found.mean(axis=1, keepdims=True)


def apart(first, second):
    """Smallest p-value of Kolmogorov-Smirnov over the columns, times their number; sums in any order."""
    pairs = zip(first.T.round(9), second.T.round(9), strict=True)
    return 3 * min(stats.ks_2samp(x, y, method="asymp").pvalue for x, y in pairs)


@compares(*(f"scheme: {scheme}" for scheme in EPSILON))
@pytest.mark.parametrize("scheme", EPSILON)
def test_simulated_weights_have_the_law_of_the_literal_ones(scheme, walks):
    slow, quick = literal(scheme), fast(scheme, walks, games=SIMULATED)
    assert apart(slow, quick) > FALSE_ALARM
    assert apart(slow, 1.3 * quick) < FALSE_ALARM
    assert apart(slow, fast(scheme, walks, truth=0)) < FALSE_ALARM
    assert apart(slow, fast(scheme, walks, epsilon=EPSILON[scheme] / 4)) < FALSE_ALARM


@pytest.mark.parametrize("scheme", EPSILON)
def test_the_register_simulates_the_weight_of_the_truth(scheme):
    """The last weight of the run itself, a number in (0, 1)."""
    slow = special.softmax(literal(scheme), axis=1)[:, 1]
    run = registry.schemes()[scheme].simulate(
        PAIR, epsilon=EPSILON[scheme], delta=DELTA, horizon=T, truth=1, contexts="periodic", replicates=2000,
        grid=100, rng=stream(10, scheme),
    )  # fmt: skip
    assert run.times[0].tolist() == list(range(1, T + 1))
    weights = run.truth_weight
    assert stats.ks_2samp(slow.round(9), weights[:, -1].round(9), method="asymp").pvalue > FALSE_ALARM
    assert stats.ks_2samp(slow.round(9), weights[:, T // 2].round(9), method="asymp").pvalue < FALSE_ALARM
