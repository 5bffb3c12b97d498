"""Streaming learners spend the privacy that they declare: scales read from their decisions, laws of live plays.

Theory: a neighbour replaces one round's losses, so that sums of losses move by up to 1, each in its own direction.
Softmax at rate eta and noise of scale 1 / eta cost 2 eta; the parts of Algorithm 2 add up.
"""

import math
from functools import partial

import numpy as np
import pytest

from replicate.learners import registry
from replicate.papers import noisy_leader, prefix_softmax, tracking
from tests.learners import draws

EXACT = 1e-12
NOISES = tuple(draws.DENSITIES)


def listed(name):
    return partial(registry.learner, name, horizon=100)


def plain(name, **words):
    """The same call for a learner of a paper, in a calibration that the register does not list."""
    make = {
        "noisy_leader": noisy_leader.NoisyLeader,
        "limited_updates": tracking.LimitedUpdates,
        "restarts": partial(tracking.Restarts, horizon=100),
        "mirror_descent": partial(tracking.MirrorDescent, horizon=100, n_switches=1),
    }[name]
    return lambda n_actions, **sizes: make(n_actions, **words, **sizes)


# Noisy leaders: noise to scale * epsilon, and the factor of epsilon that is declared.
LEADERS = {
    f"{noise}{end}": (noise, bool(end), listed(f"{noise}{end}"), 2, 1)
    for noise in NOISES
    for end in ("", "_resampled")
}
LEADERS |= {
    f"{noise} {resample} {calibration}": (
        noise, resample, plain("noisy_leader", noise=noise, resample=resample, calibration=calibration),
        1 if (noise, calibration) == ("exponential", "printed") else 2,
        2 if (noise, calibration) == ("exponential", "printed") else 1,
    )
    for noise in NOISES for resample in (False, True) for calibration in ("corrected", "printed")
}  # fmt: skip


# Learners whose selector is a law: (make, law of action 0 of 2 that is `behind` by x at epsilon, sign of line 4).
def softmax(x, epsilon):
    return 1 / (1 + math.exp(min(epsilon / 2, 1 / 8) * x))


def laplace(x, epsilon):
    return draws.difference_cdf(-x * epsilon / 2, noise="laplace")


LAWS = {
    "prefix_softmax": (listed("prefix_softmax"), softmax),
    "prefix_softmax itself": (lambda n_actions, **w: prefix_softmax.PrefixSoftmax(n_actions, **w), softmax),
    "limited_updates": (listed("limited_updates"), laplace),
    "limited_updates itself": (plain("limited_updates"), laplace),
    "limited_updates printed": (plain("limited_updates", calibration="printed"), lambda x, e: laplace(-x, e)),
    "restarts": (listed("restarts"), lambda x, e: laplace(x, e / 2)),
    "restarts_dyadic": (listed("restarts_dyadic"), lambda x, e: laplace(x, e / 2)),
} | {
    f"restarts {calibration} {windows}": (
        plain("restarts", calibration=calibration, windows=windows), lambda x, e: laplace(x, e / 2)
    )
    for calibration in ("corrected", "printed", "proven") for windows in ("all", "dyadic")
}  # fmt: skip


def watch(learner, rows):
    for row in rows:
        learner.act()
        learner.observe(row)
    return learner.act()


def lead(make, *, epsilon, rows):
    """Unit noise of action 0 over action 1 from which on it is selected after `rows`, the third never."""

    def loses(x):
        rng = draws.Scripted(noise=np.array([x, 0.0, -1e7]))
        return watch(make(n_actions=3, epsilon=epsilon, rng=rng), rows) != 0

    return draws.flip(loses, -100, 100)


def chance(make, *, epsilon, rows, below=1, steps=64):
    """Probability of an action below `below` after `rows`: the uniform number at which the selection changes."""

    def first(u):
        learner = make(n_actions=len(rows[0]), epsilon=epsilon, rng=draws.Scripted(uniform=u))
        return watch(learner, rows) < below

    return draws.flip(first, 0.0, 1.0, steps=steps)


def block(r, behind, n_actions=2):
    """Rounds 1, ..., 2**(r + 1) - 1, in the last block of which action 0 is behind by `behind` rounds."""
    rows = np.zeros((2 ** (r + 1) - 1, n_actions))
    rows[2**r - 1 : 2**r - 1 + behind, 0] = 1
    rows[: 2**r - 1, 1] = 1  # of the blocks before, nothing may be left
    return rows


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 7.0])
@pytest.mark.parametrize("name", LEADERS)
def test_noisy_leaders_add_noise_of_the_scale_that_epsilon_asks_for(name, epsilon):
    _, _, make, scale, factor = LEADERS[name]
    for r, behind in ((0, 1), (1, 2), (2, 3), (3, 8)):
        expected = behind * epsilon / scale
        assert lead(make, epsilon=epsilon, rows=block(r, behind, 3)) == pytest.approx(expected, rel=EXACT)
    assert make(n_actions=3, epsilon=epsilon, rng=np.random.default_rng(1)).privacy.epsilon == pytest.approx(
        factor * epsilon, rel=EXACT
    )


@pytest.mark.parametrize("epsilon", [0.1, 0.2, 1.0, 7.0])
@pytest.mark.parametrize("name", LAWS)
def test_selections_have_the_law_that_epsilon_asks_for(name, epsilon):
    """Prefixes: 1, then 2, then at least 3 of 4 rounds; block 3 is read to the end only if all of it is."""
    make, law = LAWS[name]
    for r, behind in ((0, 1), (1, 2), (2, 3)):
        expected = law(behind, epsilon)
        assert chance(make, epsilon=epsilon, rows=block(r, behind)) == pytest.approx(expected, rel=EXACT)
    if "softmax" in name:
        declared = make(n_actions=2, epsilon=epsilon, rng=np.random.default_rng(1)).privacy.epsilon
        assert declared == pytest.approx(min(epsilon, 1 / 4), rel=EXACT)


@pytest.mark.parametrize("name", LAWS)
def test_selections_from_three_actions_have_the_law_of_independent_noise(name):
    make, _ = LAWS[name]
    epsilon, sums = 0.9, np.array([2.0, 0.5, 1.0])
    rows = np.array([[1.0, 0, 0], sums / 2, sums / 2])
    if "softmax" in name:
        weights = np.exp(-sums / 8)
        law = weights / weights.sum()
    else:
        level = epsilon / 2 if "restarts" in name else epsilon
        law = draws.noisy_min_law(
            -sums if name == "limited_updates printed" else sums, noise="laplace", scale=2 / level
        )
    read = [chance(make, epsilon=epsilon, rows=rows, below=below) for below in (1, 2)]
    np.testing.assert_allclose(read, np.cumsum(law)[:2], rtol=1e-9)


# Calibration to what AboveThreshold gets of epsilon, and what is declared.
ALARMS = {"corrected": (1 / 3, 1.0), "proven": (1 / 3, 1.0), "printed": (1 / 2, 1.25)}


@pytest.mark.parametrize("windows", ["all", "dyadic"])
@pytest.mark.parametrize("calibration", [*ALARMS, "register"])
def test_restarts_spend_half_on_play_and_the_rest_on_one_threshold_with_fresh_noise_for_every_query(
    calibration, windows
):
    epsilon, (share, declared) = 0.6, ALARMS.get(calibration, ALARMS["corrected"])
    name = "restarts" if windows == "all" else "restarts_dyadic"
    make = (
        listed(name) if calibration == "register" else plain("restarts", calibration=calibration, windows=windows)
    )
    rng = draws.Scripted()
    learner = make(n_actions=2, epsilon=epsilon, rng=rng)
    watch(learner, block(2, 3)[:6])
    threshold, query = 2 / (share * epsilon), 4 / (share * epsilon)
    sizes = [n if windows == "all" else n.bit_length() for n in range(1, 7)]
    assert [call[2] for call in rng.calls] == [None, *sizes]
    assert [call[1] for call in rng.calls] == pytest.approx([threshold, *[query] * 6], rel=EXACT)
    # A query moves by up to 2, all in one direction: the threshold follows it, and the query that halts moves.
    assert epsilon / 2 + 2 / threshold + 2 / query == pytest.approx(declared * epsilon, rel=EXACT)
    assert learner.privacy.epsilon == pytest.approx(declared * epsilon, rel=EXACT)


@pytest.mark.parametrize("windows", ["all", "dyadic"])
def test_a_query_of_restarts_moves_as_the_regret_does_and_a_restart_draws_a_new_threshold(windows):
    """Of the first round alone, and with thresholds at zero: query noise from which on the alarm goes off."""
    make, epsilon = plain("restarts", windows=windows), 0.6

    def silent(x, regret):
        learner = make(n_actions=2, epsilon=epsilon, rng=draws.Scripted(noise=x))
        learner.act()
        learner.observe([regret, 0.0])
        return len(learner.restarts) == 1

    calm, loud = (draws.flip(partial(silent, regret=regret), 0, 1e6) for regret in (0.0, 1.0))
    assert calm - loud == pytest.approx(epsilon / 12, rel=1e-8)
    rng = draws.Scripted(noise=1e9)
    watch(make(n_actions=2, epsilon=epsilon, rng=rng), [[1.0, 0.0]] * 3)
    assert [call[2] for call in rng.calls] == [None, 1] * 3 + [None]
    assert [call[1] for call in rng.calls[::2]] == pytest.approx([6 / epsilon] * 4, rel=EXACT)


@pytest.mark.parametrize("n_actions", [2, 3, 5])
@pytest.mark.parametrize("calibration", ["corrected", "printed", "register"])
def test_mirror_descent_adds_noise_to_every_coordinate_and_reads_no_loss_without_it(calibration, n_actions):
    epsilon, factor = 0.6, 1 if calibration == "printed" else n_actions
    make = (
        listed("mirror_descent") if calibration == "register" else plain("mirror_descent", calibration=calibration)
    )
    row, other = np.linspace(0, 1, n_actions), np.linspace(1, 0.2, n_actions)
    scale = factor / epsilon
    noise = np.linspace(-1, 1, n_actions) ** 3
    first, second = draws.Scripted(noise=noise), draws.Scripted(noise=noise + (row - other) / scale)
    learners = [make(n_actions=n_actions, epsilon=epsilon, rng=rng) for rng in (first, second)]
    for learner, losses in zip(learners, (row, other), strict=True):
        learner.observe(losses)
        learner.act()
    for rng in (first, second):
        (name, used, size), _ = rng.calls
        assert (name, np.prod(size)) == ("laplace", n_actions)
        assert used == pytest.approx(scale, rel=EXACT)
    rate = epsilon / factor * math.sqrt(1 / (100 * math.log(100 * n_actions)))
    weights = np.exp(-rate * (row + scale * noise))
    np.testing.assert_allclose(first.calls[-1][1], weights / weights.sum(), rtol=EXACT)
    np.testing.assert_allclose(second.calls[-1][1], first.calls[-1][1], rtol=EXACT)
    declared = n_actions / scale  # all coordinates move by 1, each one's noise costs 1 / scale
    assert learners[0].privacy.epsilon == pytest.approx(declared, rel=EXACT)
    assert declared == pytest.approx(epsilon * n_actions / factor, rel=EXACT)


def whole_play(name, epsilon):
    """Exact privacy loss of a short play: action 0 is behind by the whole of the last block, or by 2 less."""
    r = 5 if "softmax" in name else 3
    rows = block(r, 2**r), block(r, 2**r)
    rows[1][2**r - 1] = [0, 1]
    if name in LEADERS:
        noise, _, make, _, _ = LEADERS[name]
        leads = [lead(make, epsilon=epsilon, rows=np.column_stack([part, np.zeros(15)])) for part in rows]
        first, second = (draws.difference_cdf(-x, noise=noise) for x in leads)
    else:
        first, second = (chance(LAWS[name][0], epsilon=epsilon, rows=part, steps=36) for part in rows)
    return math.log(second / first)


DECLARED = [name for name in LEADERS if " " not in name or ("exponential" in name and "printed" in name)]
"""Noisy leaders that declare each for itself: those of the register, and those with another scale."""


@pytest.mark.parametrize("name", [*DECLARED, "prefix_softmax", "limited_updates", "restarts", "restarts_dyadic"])
def test_a_short_play_costs_what_is_declared_and_at_half_as_much_again_more(name):
    """Restarts: that half of epsilon which the selections spend, for no query comes near the threshold."""
    factor = LEADERS[name][4] if name in LEADERS else 0.5 if "restarts" in name else 1.0
    epsilon = 0.15 if "softmax" in name else 2.0 / factor
    spent, too_much = (whole_play(name, e) for e in (epsilon, 1.5 * epsilon))
    assert spent <= factor * epsilon < too_much


def stated(eta, p, *, horizon, delta):
    """The accountant of Private Shrinking Dartboard, once more."""
    if delta == 0:
        return eta / p + 16 * horizon * p * eta
    return 5 * eta / p + 100 * horizon * p * eta**2 + 20 * eta * math.sqrt(horizon * p * math.log(1 / delta))


BOARDS = {"meta_experts": (2, 1e-6), "dartboard": (0, 1e-6), "pure_dartboard": (0, 0.0)}


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("name", BOARDS)
def test_dartboards_keep_their_sequence_as_the_accountant_asks(name, epsilon):
    switches, delta = BOARDS[name]
    learner = registry.learner(
        name, n_actions=3, horizon=1000, epsilon=epsilon, delta=1e-6, n_switches=2, rng=np.random.default_rng(1)
    )
    rule = learner._rule
    eta, p = -math.expm1(rule.log_keep), rule.redraw
    assert len(learner.weights) == switches + 1
    assert (rule.horizon, rule.batch, rule.draws) == (1000, 1, max(1, math.ceil(4000 * p)))
    assert stated(eta, p, horizon=1000, delta=delta) == pytest.approx(epsilon, rel=1e-9)  # the budget binds
    assert learner.privacy.epsilon == pytest.approx(stated(eta, p, horizon=1000, delta=delta), rel=1e-9)
    assert learner.privacy.delta == delta
    weights = learner.weights
    learner.observe([1.0, 0.0, 0.5])
    if not switches:
        lost = np.array([1 - eta, 1, math.sqrt(1 - eta)])
        np.testing.assert_allclose(learner.weights, weights * lost / (weights @ lost), rtol=EXACT)
