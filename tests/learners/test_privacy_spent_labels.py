"""The schemes of paper 5 spend the privacy that they declare: noise read from what users release.

Users get coins that a test chooses, so what they release shows the scale of the noise on every coordinate, the
sensitivity of what it hides, and the probability that a label is replaced, to the last digits.
"""

import math

import numpy as np
import pytest
from scipy import special, stats

from replicate.learners import registry
from replicate.mechanisms.composition import laplace_composition
from replicate.papers import distribution_learning as dl
from replicate.streams import stream
from tests.agreement import compares
from tests.conftest import FALSE_ALARM
from tests.learners.draws import check_columns, correlated, fits, sum_law

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


def release(options, hypotheses, label, context, **coins):
    """Return the message of a user whose coins are chosen, and the chances of the replacements if it asked."""
    rng = Coins(contexts_of(hypotheses).shape[1], **coins)
    user = dl.User(hypotheses, **options, rng=rng)
    return np.asarray(user.release(label, context), dtype=float), rng.chances


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


def messages(options, hypotheses, context, n_labels):
    """Messages without noise, shape (M, K), coordinate by coordinate, and what unit noise adds, shape (K, K)."""
    k = contexts_of(hypotheses).shape[1]
    plain, moved = np.empty((n_labels, k)), np.empty((k, k))
    for j in range(k):
        for label in range(n_labels):
            plain[label, j] = release(options, hypotheses, label, context, shown=j)[0][j]
        for i in range(k):
            noisy = release(options, hypotheses, 0, context, noise=np.eye(k)[i], shown=j)[0]
            moved[i, j] = noisy[j] - plain[0, j]
    return plain, moved


def check_messages(played, hypotheses, *, scheme, epsilon, delta, horizon, calibration):
    """One noise for each coordinate, of the scale that its sensitivity needs, both read from what is released."""
    laws = contexts_of(hypotheses)
    x_, k, m = laws.shape
    densities = [cells(f, horizon)[1] for f in laws]
    worst = max(float((v.max(axis=1) - v.min(axis=1)).max()) for v in densities)
    for x in range(x_):
        plain, moved = messages(played, hypotheses, x, m)
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
        check_messages(chosen, CLASSES[name], **chosen)
        with pytest.raises(AssertionError):
            check_messages(chosen, CLASSES[name], **chosen | {"epsilon": 1.2 * epsilon})


@pytest.mark.parametrize("scheme", NOISY)
def test_pure_messages_show_one_coordinate_and_approximate_ones_all(scheme):
    for shown in range(4):
        message, _ = release(
            options(scheme, 1.0, 100), CLASSES["ternary"], 1, 0, noise=np.full(4, 2.0), shown=shown
        )
        assert np.flatnonzero(message).tolist() == ([shown] if scheme == "pure" else [0, 1, 2, 3])


def keep_probability(scheme, epsilon, horizon, m):
    return 1 - 1 / horizon if scheme in NOISY else math.expm1(epsilon) / (math.exp(epsilon) + m - 1)


def check_replacement(played, scheme, hypotheses, epsilon, horizon):
    """The label is replaced from the stated probability on, by a cell that does not depend on it."""
    laws = contexts_of(hypotheses)
    m = laws.shape[-1]
    keep = keep_probability(scheme, epsilon, horizon, m)
    for x, f in enumerate(laws):
        chances = cells(f, horizon)[0] / cells(f, horizon)[0].sum() if scheme in NOISY else np.full(m, 1 / m)
        for label in range(m):
            assert release(played, hypotheses, label, x, uniform=keep * (1 - 1e-12))[1] is None
            after = (label + 1) % m
            other, seen = release(played, hypotheses, label, x, uniform=keep * (1 + 1e-12), other=after)
            np.testing.assert_allclose(seen, chances, rtol=1e-12)
            np.testing.assert_array_equal(other, release(played, hypotheses, after, x)[0])
    if scheme == "randomized_response":  # Section 3: the label stays with probability e^eps / (e^eps + M - 1)
        assert keep + (1 - keep) / m == exact(math.exp(epsilon) / (math.exp(epsilon) + m - 1))


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("scheme", [*NOISY, "randomized_response"])
@pytest.mark.parametrize("name", CLASSES)
def test_users_replace_labels_as_often_as_their_privacy_needs(scheme, calibration, name):
    for epsilon, horizon in SETTINGS:
        chosen = options(scheme, epsilon, horizon, calibration)
        check_replacement(chosen, scheme, CLASSES[name], epsilon, horizon)
        if scheme == "randomized_response":
            with pytest.raises(AssertionError):
                check_replacement(chosen, scheme, CLASSES[name], 1.2 * epsilon, horizon)


def test_labels_that_no_hypothesis_allows_are_always_replaced():
    laws = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]])
    for scheme in NOISY:
        _, chances = release(options(scheme, 1.0, 100), laws, 2, 0, uniform=0.0)
        np.testing.assert_allclose(chances, [2 / 5, 3 / 5, 0.0])


# Live noise of users


def live(scheme, n, k=4):
    """Noise of n messages about labels that say nothing, shape (n, K), zeros where nothing is shown."""
    laws, chosen = np.full((k, 2), 0.5), options(scheme, 1.0, 1000)
    user = dl.User(laws, **chosen, rng=stream(5, "live", scheme))
    plain = release(chosen, laws, 0, 0)[0][0]
    slope = release(chosen, laws, 0, 0, noise=np.eye(k)[0])[0][0] - plain
    found = np.array([user.release(0) for _ in range(n)])
    return np.where(found == 0, 0.0, (found - plain) / slope)


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


# Literal against simulated

GAMES = {"pure": 2000, "approximate": 2000, "randomized_response": 300, "non_private": 700, "posterior": 700}
"""Literal games of each scheme, 450 of the others; there are twice as many simulated ones."""
T = 14
EPSILON = dict.fromkeys(registry.schemes(), 1.0) | {"pure": 25.0, "approximate": 50.0, "posterior": 8.0}
PAIR = np.array(
    [
        [[0.55, 0.05, 0.05, 0.35], [0.1, 0.3, 0.3, 0.3], [0.25, 0.25, 0.25, 0.25]],
        [[0.4, 0.1, 0.1, 0.4], [0.2, 0.2, 0.2, 0.4], [0.1, 0.35, 0.35, 0.2]],
    ]
)
"""Two contexts, three hypotheses, two labels that are alike."""


def literal(scheme):
    """Weight of the truth after 6 and after T - 1 messages, shape (games, 2)."""
    games = GAMES.get(scheme, 450)
    rng, chosen = stream(9, "literal", scheme), options(scheme, EPSILON[scheme], T)
    user = dl.User(PAIR, **chosen, rng=rng)
    found = np.empty((games, 2, 3))
    drawn = np.stack([rng.choice(4, p=PAIR[x, 1], size=(games, T)) for x in range(2)])
    for r in range(games):
        predictor = dl.Predictor(PAIR, **chosen)
        for t in range(T - 1):
            predictor.observe(user.release(int(drawn[t % 2, r, t]), t % 2), t % 2)
            if t in (5, T - 2):
                found[r, int(t > 5)] = predictor.log_weights
    return special.softmax(found, axis=2)[:, :, 1]


def apart(first, second):
    """Smallest p-value of Kolmogorov-Smirnov over the columns, times their number; sums in any order."""
    pairs = zip(first.T.round(9), second.T.round(9), strict=True)
    return 2 * min(stats.ks_2samp(x, y, method="asymp").pvalue for x, y in pairs)


def simulated(scheme, *, share=1.0, truth=1):
    """The same from the simulator, at a share of epsilon and under a truth."""
    epsilon = share * EPSILON[scheme]
    run = registry.schemes()[scheme].simulate(
        PAIR, epsilon=epsilon, delta=DELTA, horizon=T, truth=truth, contexts="periodic",
        replicates=2 * GAMES.get(scheme, 450), grid=100, rng=stream(9, "fast", scheme, epsilon),
    )  # fmt: skip
    assert run.times[0].tolist() == list(range(1, T + 1))
    return run.truth_weight[:, [6, T - 1]]


@compares(*(f"scheme: {scheme}" for scheme in EPSILON))
@pytest.mark.parametrize("scheme", EPSILON)
def test_simulated_weights_have_the_law_of_the_literal_ones(scheme):
    """Twins: log odds doubled, a quarter of epsilon, without privacy another truth."""
    slow, fast = literal(scheme), simulated(scheme)
    assert apart(slow, fast) > FALSE_ALARM
    assert apart(slow, special.expit(2 * special.logit(fast))) < FALSE_ALARM
    twin = {"truth": 2} if scheme == "non_private" else {"share": 1 / 4}
    assert apart(slow, simulated(scheme, **twin)) < FALSE_ALARM
