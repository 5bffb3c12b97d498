from itertools import combinations, product

import numpy as np
import pytest

from replicate import audit, mechanisms


def randomised_response(epsilon, coins=1):
    """Release whether the first loss is 1, flipped with probability 1 / (1 + e^epsilon), `coins` times."""

    def law(table):
        keep = 1 / (1 + np.exp(-epsilon))
        one = keep if table[0, 0] == 1 else 1 - keep
        joint = np.ones(1)
        for _ in range(coins):
            joint = np.multiply.outer(joint, [one, 1 - one]).ravel()
        return joint

    return law


def test_enumeration_finds_the_loss_of_randomised_response():
    loss = audit.exhaustive_privacy_loss(randomised_response(0.7), n_rounds=2, n_actions=2)
    assert loss == pytest.approx(0.7)
    twice = audit.exhaustive_privacy_loss(randomised_response(0.7, coins=2), n_rounds=1, n_actions=2)
    assert twice == pytest.approx(1.4)


def test_enumeration_compares_neighbours_only():
    """A mechanism that tells tables apart only when two rows differ together is perfectly private."""

    def law(table):
        shifted = np.array_equal(table[0], table[1])
        return np.array([0.5, 0.5]) if not shifted else np.array([0.4, 0.6])

    assert audit.exhaustive_privacy_loss(law, n_rounds=2, n_actions=2) == pytest.approx(np.log(0.5 / 0.4))
    constant = audit.exhaustive_privacy_loss(lambda t: np.array([0.3, 0.7]), n_rounds=2, n_actions=2)
    assert constant == 0


def test_privacy_loss_of_impossible_outcomes():
    assert audit.privacy_loss([0.5, 0.5, 0.0], [0.25, 0.75, 0.0]) == pytest.approx(np.log(2))
    assert audit.privacy_loss([1.0, 0.0], [0.9, 0.1]) == np.inf
    with pytest.raises(ValueError, match="probabilities"):
        audit.privacy_loss([-0.1, 1.1], [0.5, 0.5])


def laplace_release(value, scale):
    return lambda n, rng: value + rng.laplace(scale=scale, size=n)


def softmax_choice(scores, scale):
    return lambda n, rng: mechanisms.sample_pmf(
        np.tile(mechanisms.softmax_pmf(scores, scale=scale), (n, 1)), rng=rng
    )


def test_samples_certify_most_of_a_laplace_release_and_never_more():
    limits = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        pair = laplace_release(0.0, 1.0), laplace_release(1.0, 1.0)
        limits.append(audit.certified_privacy_loss(*pair, samples=400_000, rng=rng))
    assert 0.9 < min(limits) <= max(limits) <= 1.0
    halved = laplace_release(0.0, 0.5), laplace_release(1.0, 0.5)
    assert audit.certified_privacy_loss(*halved, samples=400_000, rng=np.random.default_rng(0)) > 1.5


def test_samples_certify_outcomes_and_whole_rows(rng):
    pair = softmax_choice([3.0, 0.0, 2.0], 2.0), softmax_choice([2.0, 1.0, 3.0], 2.0)
    exact = audit.privacy_loss(*(mechanisms.softmax_pmf(s, scale=2.0) for s in ([3.0, 0, 2], [2.0, 1, 3])))
    limit = audit.certified_privacy_loss(*pair, samples=400_000, rng=rng)
    assert 0.85 * exact < limit <= exact

    def twice(draw):
        return lambda n, rng: np.stack([draw(n, rng), draw(n, rng)], axis=1)

    both = audit.certified_privacy_loss(*(twice(d) for d in pair), samples=400_000, rng=rng)
    assert 1.2 * exact < both <= 2 * exact


def test_a_delta_pays_for_rare_events(rng):
    """Reveal the input with probability 0.01: infinite epsilon, nothing at delta = 0.01."""

    def reveal(value):
        return lambda n, rng: np.where(rng.random(n) < 0.01, value, 0)

    assert audit.certified_privacy_loss(reveal(1), reveal(2), samples=200_000, rng=rng) > 2
    assert audit.certified_privacy_loss(reveal(1), reveal(2), samples=200_000, delta=0.01, rng=rng) == 0


def test_the_event_is_bounded_on_samples_that_did_not_choose_it(rng):
    """Two equal laws on so many outcomes that each is seen once: what tells the halves apart is chance."""

    def draw(n, rng):
        return rng.integers(10**6, size=n)

    assert audit.certified_privacy_loss(draw, draw, samples=20_000, rng=rng) == 0


def test_hockey_stick_of_a_histogram():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    assert audit.hockey_stick(p, q, epsilon=0.0) == pytest.approx(0.3)
    assert audit.hockey_stick(p, q, epsilon=np.log(2)) == pytest.approx(0.1)
    assert audit.hockey_stick(p, q, epsilon=float(audit.privacy_loss(p, q))) == pytest.approx(0, abs=1e-15)
    x = np.linspace(-40, 40, 400_001)
    cells = [np.diff(np.where(x < m, np.exp(x - m) / 2, 1 - np.exp(m - x) / 2)) for m in (0.0, 1.5)]
    exact = 1 - np.exp((0.4 - 1.5) / 2)  # two Laplace laws, 1.5 scales apart
    assert audit.hockey_stick(*cells, epsilon=0.4) == pytest.approx(exact, abs=1e-4)
    with pytest.raises(ValueError, match="probabilities"):
        audit.hockey_stick([-1.0, 2.0], [0.5, 0.5], epsilon=1)


@pytest.mark.parametrize("levels", [(0.0, 1.0), (0.0, 0.5, 1.0)])
def test_every_two_loss_vectors_are_compared(levels):
    """One outcome has chances 1/10 and 9/10 on two vectors, 3/10 on all others: the worst loss is log 9."""
    vectors = list(product(levels, repeat=2))
    for pair in combinations(vectors, 2):
        chances = dict.fromkeys(vectors, 0.3) | dict(zip(pair, (0.1, 0.9), strict=True))

        def law(table, chances=chances):
            p = chances[tuple(table[0])]
            return np.array([p, 1 - p])

        worst = audit.exhaustive_privacy_loss(law, n_rounds=1, n_actions=2, levels=levels)
        assert worst == pytest.approx(np.log(9))
