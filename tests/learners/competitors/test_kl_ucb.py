"""KL-UCB: limits by bisection, actions by computing all limits, the bound by its formula."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import optimize, special

from replicate import environments
from replicate.learners import protocol
from replicate.learners.competitors import entries_bandit, kl_ucb
from replicate.learners.entries import Setting
from replicate.streams import stream


def divergence(p, q):
    return special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q)


def by_bisection(total, count, level):
    mean = total / count
    if mean <= 0 or level <= 0:
        return mean

    def excess(x):
        return count * divergence(mean, math.exp(x)) - level

    return math.exp(optimize.brentq(excess, -700, math.log(mean))) if excess(-700) > 0 else 0.0


def lowest(total, count, level, guess=0.0):
    return kl_ucb.lowest_mean(total, count, kl_ucb.negative_entropy(total, count), level, guess)


@given(
    count=st.sampled_from([0.5, 1, 2, 30, 10**4, 10**8]), share=st.floats(0, 1), level=st.floats(0.0, 50),
    guess=st.floats(0, 1),
)  # fmt: skip
def test_the_limit_is_the_smallest_mean_within_the_level(count, share, level, guess):
    """From any guess."""
    if level and share and (level / count > 300 or count * share < 1e-9 or level < 1e-6):
        return
    assert lowest(count * share, count, level, guess) == pytest.approx(
        by_bisection(count * share, count, level), rel=1e-9, abs=1e-12
    )


def naive(sums, counts, wide):
    """All limits by bisection, before the next round."""
    t = sum(counts) + 1
    level = math.log(1 + t * math.log(t) ** 2) if wide else math.log(t)
    return np.array([by_bisection(s, n, level) for s, n in zip(sums, counts, strict=True)])


@pytest.mark.parametrize("level", kl_ucb.LEVELS)
@pytest.mark.parametrize("losses", ["bits", "numbers", "rare"])
def test_the_action_has_the_smallest_limit(level, losses):
    rng, k = stream(1, level, losses), 6
    learner = kl_ucb.KLUCB(k, level=level, rng=rng)
    means, played = {"bits": 0.5, "numbers": 0.5, "rare": 0.02}[losses] * np.linspace(0.8, 1.2, k), []
    sums, counts = [0.0] * k, [0] * k
    for t in range(800):
        arm = learner.act()
        if t >= k:
            limits = naive(sums, counts, level == "proved")
            assert limits[arm] <= limits.min() + 1e-11
        loss = rng.beta(means[arm], 1 - means[arm]) if losses == "numbers" else float(rng.random() < means[arm])
        learner.observe(loss)
        played.append(arm)
        sums[arm], counts[arm] = sums[arm] + loss, counts[arm] + 1
    assert sorted(played[:k]) == list(range(k))
    assert len(set(played[k:])) == k


@pytest.mark.parametrize("rounds", [5_000, pytest.param(20_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("level", kl_ucb.LEVELS)
@pytest.mark.parametrize("losses", ["bits", "numbers", "rare", "alike"])
def test_a_mark_never_changes_the_action(level, losses, rounds):
    """Against the search among all limits, in every round; most need no search."""
    k, searched, rng = 6, 0, stream(5, level, losses)
    means = {"bits": 0.5, "numbers": 0.5, "rare": 0.02, "alike": 0.5}[losses] * np.linspace(0.8, 1.2, k)
    state = kl_ucb.fresh_state(k, level=level)
    for t in range(rounds):
        without = state.copy()
        without[kl_ucb.MARK] = 0
        arm = kl_ucb.act(state, rng)
        assert arm == kl_ucb.act(without, rng)
        assert state[kl_ucb.LEADER, kl_ucb.FIRST] == state[kl_ucb.COUNT].argmax()
        searched += not np.array_equal(state[kl_ucb.LOW], without[kl_ucb.LOW]) or t < k
        loss = rng.beta(means[arm], 1 - means[arm]) if losses == "numbers" else float(rng.random() < means[arm])
        kl_ucb.observe(state, arm, 0.5 if losses == "alike" else loss)
    assert losses != "bits" or searched > 0.4 * rounds


@pytest.mark.parametrize("level", kl_ucb.LEVELS)
@pytest.mark.parametrize("losses", [[1.0, 0.0], [0.5, 1.0, 0.0, 1.0]])
def test_an_action_that_never_lost_is_played_for_ever(level, losses):
    """Its limit is 0, whatever the marks of earlier rounds were: at first there is none."""
    run = protocol.play(kl_ucb.KLUCB(len(losses), level=level, rng=stream(6)), np.tile(losses, (60, 1)))
    actions = run.actions[0].tolist()
    assert sorted(actions[: len(losses)]) == list(range(len(losses)))
    assert actions[len(losses) :] == [losses.index(0)] * (60 - len(losses))


@pytest.mark.parametrize("gap", [0.05, 0.2])
def test_the_bound_holds_on_the_hardest_means(gap):
    """Means around 1/2; the bound is below that of any learner and above the lower bound of Lai and Robbins."""
    rounds, setting = 50_000, Setting(n_actions=4, horizon=50_000)
    entry = next(e for e in entries_bandit.LEARNERS if e.name == "kl_ucb_proved")
    bound = entry.bound(setting, gap)
    env = environments.Bernoulli([0.5 - gap / 2] + [0.5 + gap / 2] * 3)
    final = entry.simulate(env, setting, replicates=20, rng=stream(3, gap)).final
    assert final.mean() + 4 * final.std() / math.sqrt(20) < bound
    assert 3 * gap * math.log(rounds) / divergence(0.5 + gap / 2, 0.5 - gap / 2) < bound < 3 * rounds * gap


def test_the_bound_at_its_best_split():
    """The grid finds the minimum over x and y to one in a hundred."""
    gap, t = 0.1, 1e6
    level = math.log(1 + t * math.log(t) ** 2)

    def plays(z):
        x, y = special.softmax([*z, 0.0])[:2] * gap
        return level / (2 * (gap - x - y) ** 2) + 1 / (2 * x**2) + 2 / y**2

    best = optimize.minimize(plays, [0.0, 0.0], method="Nelder-Mead", options={"fatol": 1e-9, "xatol": 1e-9}).fun
    bound = kl_ucb.regret_bound(n_actions=2, gap=gap, horizon=t)
    assert gap * best <= bound * (1 + 1e-9) < 1.01 * gap * best


UNIT = st.floats(0.001, 0.999)
LEVEL = st.floats(-3, 1.5).map(lambda x: 10**x)


def by_grid(x, y, epsilon):
    """The least value of a convex function, on grids that close in on it."""
    values, low, high = np.zeros(1), y, x
    for _ in range(3):
        z = np.linspace(low, high, 2_001)
        values = special.rel_entr(z, y) + special.rel_entr(1 - z, 1 - y) + epsilon * (x - z)
        low, high = z[max(values.argmin() - 1, 0)], z[min(values.argmin() + 1, 2_000)]
    return values.min()


@given(x=UNIT, share=UNIT, epsilon=LEVEL)
def test_the_private_divergence_is_the_infimum(x, share, epsilon):
    y = x * share
    assert kl_ucb.private_divergence(x, y, epsilon) == pytest.approx(by_grid(x, y, epsilon), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("x", [0.0, 0.3, 1.0])
def test_edges(x):
    assert kl_ucb.private_divergence(x, 0.0, 0.7) == pytest.approx(0.7 * x)
    assert kl_ucb.private_divergence(x, x, 0.7) == 0
    assert kl_ucb.divergence(x, x) == 0
    assert kl_ucb.divergence(0.5, 0.0) == math.inf
    assert kl_ucb.divergence(0.5, 1.0) == math.inf
    assert kl_ucb.private_limit(0.0, 3, 1.0, 0.5) == 0
    assert kl_ucb.private_divergence(x, x / 2, 1e300) == kl_ucb.divergence(x, x / 2)
    assert kl_ucb.private_limit(x, 50, 1.0, 1e300) == kl_ucb.kl_limit(x, 50, 1.0)
    assert kl_ucb.private_limit(x, 50, 1.0, 1e-300) == 0


@given(x=UNIT, count=st.floats(0, 5).map(lambda p: 10**p), level=st.floats(0.5, 20), epsilon=LEVEL)
@example(x=0.05, count=10**0.5, level=0.5, epsilon=10**0.5)  # the limit is where 0 begins to be refused
def test_the_private_limit_is_the_smallest_mean_within_the_level(x, count, level, epsilon):
    found = kl_ucb.private_limit(x, count, level, epsilon)

    def excess(q):
        return count * kl_ucb.private_divergence(x, q, epsilon) - level

    expected = optimize.brentq(excess, 1e-15, x, xtol=1e-16) if excess(1e-15) > 0 else 0.0
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert found <= kl_ucb.kl_limit(x, count, level) + 1e-12
