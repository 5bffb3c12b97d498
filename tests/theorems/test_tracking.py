"""Paper 3 and theorem "tracking-windows": pages beside the package."""

import numpy as np
import pytest

from replicate import audit
from replicate.papers import noisy_leader as nl
from replicate.papers.tracking import bounds, lemmas
from replicate.papers.tracking.algorithms import limited_updates, mirror_descent, switching
from replicate.papers.tracking.privacy import exact
from tests.theorems import page
from tests.theorems.agreement import Pair, actions, level


def sizes(rng):
    return {
        "N": actions(rng, 30), "T": int(rng.integers(50, 10**6)), "epsilon": level(rng),
        "beta": rng.uniform(0.01, 1),
    }  # fmt: skip


def switching_sizes(rng):
    return {"N": actions(rng, 30), "S": int(rng.integers(1, 9)), "T": int(rng.integers(50, 10**6)),
            "epsilon": level(rng), "eta": level(rng, 1e-4, 1.0)}  # fmt: skip


def windows(constant_and_root, w):
    constant, root = constant_and_root
    return constant + root * np.sqrt(w)


def described(N, T, epsilon, beta):
    return {"n_actions": N, "horizon": T, "epsilon": epsilon, "failure": beta}


def mirror(N, S, T, epsilon, eta):
    return {"n_actions": N, "horizon": T, "n_switches": S, "noise": 1 / epsilon, "learning_rate": eta}


def hedge_on_sequences(losses, S, eta):
    """Law of each round's expert, if Hedge holds the package's distinct sequences."""
    held = switching.enumerate_sequences(*losses.shape, S)
    meta = losses[np.arange(len(losses)), held]
    weight = np.exp(-eta * (np.cumsum(meta, axis=1) - meta))
    return (
        np.stack([(weight * (held == j)).sum(axis=0) for j in range(losses.shape[1])], axis=1)
        / (weight.sum(axis=0)[:, None])
    )


FAILURE = 180.0
"""No probability, but the page's thresholds are low there: the alarm is likely in a short game."""


def alarm_setting(rng):
    return {"losses": rng.integers(0, 2, (12, 3)) | np.array([1, 0, 0]), "epsilon": rng.uniform(15, 40)}


def alarm(losses, epsilon):
    """Logarithm of the probability that the only alarm so far is in the last round, as printed for T = 64."""
    log, accuracy = np.log(3 * 64 / FAILURE), 16 * (2 * np.log(64) + np.log(2 / FAILURE)) / epsilon
    rule = bounds.RestartRule(epsilon / 2, accuracy, 16 * log / epsilon, 9 * np.sqrt(log))
    return np.log(exact.restart_law(losses.astype(float), rule=rule, held=0)[-2])


SUMS = {
    "draw": lambda rng: {"sums": rng.integers(0, 9, actions(rng, 6)).astype(float), "epsilon": level(rng, 0.1)},
    "package": lambda sums, epsilon: limited_updates.selector(epsilon)(sums),
    "control": lambda sums, **s: {"sums": 1.5 * sums + np.arange(len(sums))},
}
PAIRS = [
    Pair("tr_t31.choice", page=lambda m, sums, epsilon: m.choice(sums[None], epsilon)[0], **SUMS),
    Pair("tr_b2.choice", page=lambda m, sums, epsilon: m.choice(sums, 2 / epsilon), **SUMS, tolerance=1e-8),
    Pair(
        "tr_t31.bound", sizes,
        lambda m, N, T, epsilon, beta: m.bound(N, T, epsilon, beta, np.arange(1, 50)),
        lambda **s: windows(bounds.adaptive_regret(**described(**s)), np.arange(1, 50)),
        lambda N, **s: {"N": N + 1},
    ),
    Pair(
        "tr_t31.worst_loss", lambda rng: {"block": int(rng.choice([1, 2, 4])), "epsilon": level(rng, 0.3, 3)},
        lambda m, block, epsilon: m.worst_loss(3, block, epsilon, one_expert=False),
        lambda block, epsilon: audit.report_noisy_max_privacy_loss(
            3, noise="laplace", scale=2 / epsilon, n_rounds=block
        ),
        lambda epsilon, **s: {"epsilon": 1.01 * epsilon}, tolerance=1e-7, many=6,
    ),
    Pair(
        "tr_t31.largest_ratio", lambda rng: {"losses": rng.random((1, 60, 3)), "J": rng.integers(0, 3, (1, 60))},
        lambda m, losses, J: m.largest_ratio(losses, J, 1.0, 0.1)[0],
        lambda losses, J: lemmas.window_ratio(
            losses[0][np.arange(60), J[0]][:, None] - losses[0],
            *bounds.adaptive_regret(**described(3, 60, 1.0, 0.1)), 1,
        ),
        lambda J, **s: {"J": (J + 1) % 3},
    ),
    Pair(
        "tr_t36.bound",
        lambda rng: {
            "N": actions(rng), "S": actions(rng, 9), "T": int(rng.integers(50, 10**6)), "epsilon": level(rng)
        },
        lambda m, **s: m.bound(**s),
        lambda N, S, T, epsilon: bounds.theorem_3_6(
            n_actions=N, horizon=T, n_switches=S, epsilon=epsilon, calibration="printed"
        ),
        lambda S, **s: {"S": S + 1},
    ),
    Pair(
        "tr_t36.log_alarm", alarm_setting,
        lambda m, losses, epsilon: m.log_alarm(
            losses, np.zeros(12, dtype=np.int64), 64, epsilon, FAILURE, noise=1, step=1 / 32
        ),
        alarm, lambda epsilon, **s: {"epsilon": 1.02 * epsilon}, tolerance=1e-5, many=2,
    ),
    Pair(
        "tr_t36.log_choice",
        lambda rng: {"sums": rng.integers(0, 9, 4), "j": int(rng.integers(4)), "epsilon": level(rng, 0.3, 2)},
        lambda m, sums, j, epsilon: m.log_choice(sums, j, epsilon),
        lambda sums, j, epsilon: np.log(limited_updates.selector(epsilon / 2)(sums.astype(float))[j]),
        lambda epsilon, **s: {"epsilon": 1.1 * epsilon}, tolerance=1e-4,
    ),
    Pair(
        "tr_c411.count",
        lambda rng: {"N": actions(rng, 9), "T": int(rng.integers(2, 60)), "S": int(rng.integers(0, 6))},
        lambda m, **s: m.count(**s), lambda N, T, S: lemmas.count_listed(T, N, S), lambda N, **s: {"N": N + 1},
    ),
    Pair(
        "tr_c411.law", lambda rng: {"losses": rng.random((5, 3)), "S": int(rng.integers(0, 4)), "eta": level(rng)},
        lambda m, losses, S, eta: m.law(losses, switching.enumerate_sequences(5, 3, S), eta),
        hedge_on_sequences, lambda losses, **s: {"losses": 1 - losses},
    ),
    Pair(
        "tr_b2.update",
        lambda rng: {"w": rng.dirichlet(np.ones(6)), "noisy": rng.laplace(size=6) * 9, "eta": level(rng)},
        lambda m, w, noisy, eta: m.update(w, noisy, eta, 0.02),
        lambda w, noisy, eta: mirror_descent.project(w * np.exp(-eta * (noisy - noisy.min())), floor=0.02),
        lambda noisy, **s: {"noisy": noisy[::-1]},
    ),
    Pair(
        "tr_b2.printed_bound", switching_sizes,
        lambda m, **s: m.printed_bound(**s),
        lambda **s: bounds.theorem_b2(**mirror(**s)), lambda S, **s: {"S": S + 1},
    ),
    Pair(
        "tr_b2.bound", switching_sizes,  # the page has S where the package has S (1 - 1 / N)
        lambda m, N, S, **s: m.bound(N, S, **s) - S / N,
        lambda **s: bounds.tracking_regret(**mirror(**s)), lambda N, **s: {"N": N + 1},
    ),
    Pair(
        "tr_t52.printed_bound", switching_sizes,
        lambda m, **s: m.printed_bound(**s),
        lambda **s: bounds.theorem_b2(**mirror(**s)), lambda S, **s: {"S": S + 1},
    ),
    Pair(
        "tr_t52.tuned",
        lambda rng: {"T": int(rng.integers(50, 10**6)), "S": int(rng.integers(1, 9)), "epsilon": level(rng)},
        lambda m, **s: m.tuned(**s),
        lambda T, S, epsilon: bounds.mirror_descent_rate(n_actions=2, horizon=T, n_switches=S, epsilon=epsilon),
        lambda S, **s: {"S": S + 1},
    ),
    *(
        Pair(
            f"theorem_tracking_windows.bound, {noise}", sizes,
            lambda m, N, T, epsilon, beta, first=first: m.bound(N, T, epsilon, beta, np.arange(1, 50), first),
            lambda noise=noise, **s: windows(
                bounds.proved_regret(**described(**s), noise=noise), np.arange(1, 50)
            ),
            lambda N, **s: {"N": N + 1},
        )
        for noise, first in (("laplace", 10.9), ("gumbel", 32 / 3))
    ),
    Pair(
        "theorem_tracking_windows.log_pair", lambda rng: {"gaps": np.append(0, rng.uniform(0, 4, 2))},
        lambda m, gaps: m.log_pair(gaps, 0.49), lambda gaps: lemmas.log_moments(gaps, theta=0.49),
        lambda gaps: {"gaps": np.append(gaps[:2], 1 + gaps[2:])}, tolerance=1e-3,
    ),
    Pair(
        "theorem_tracking_windows.noise_regret", lambda rng: {"gap": rng.uniform(0.01, 1), "epsilon": level(rng)},
        # the page's first expert is the bad one, the package's first action is uniform
        lambda m, gap, epsilon: m.noise_regret(gap, 2 / epsilon) - gap / 2,
        lambda gap, epsilon: nl.exact_regret(
            [0.0, gap], epsilon=epsilon, horizon=2**59, noise="laplace"
        ).final[0],
        lambda epsilon, **s: {"epsilon": 1.01 * epsilon}, many=8,
    ),
]  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_page_and_the_package_agree(pair):
    pair.check()


def test_a_window_query_moves_by_two_and_by_one_if_one_expert_is_replaced():
    sensitivity, tables = page("tr_t36").sensitivity, [np.array(x, dtype=float) for x in np.ndindex(2, 2, 2)]
    largest = {True: 0.0, False: 0.0}
    for before in tables:
        for other in tables:
            for earlier in tables:
                one = np.count_nonzero(before != other) == 1
                shift = max(exact.query_shift(earlier, before, other, played=j) for j in range(3))
                largest[one] = max(largest[one], shift)
    assert (sensitivity(3, 2, False), sensitivity(3, 2, True)) == (2, 1)
    assert (largest[False], largest[True]) == (2, 1)


def test_the_privacy_loss_of_mirror_descent_is_in_the_pages_bracket():
    module = page("tr_t52")
    eta = module.tuned(16, 1, 0.9)
    ends = module.log_event((1, -1), -1.0, 16, 1, eta, 1 / 0.9)
    common = {"horizon": 16, "n_switches": 1, "epsilon": 0.9, "calibration": "printed"}
    package = exact.mirror_loss(**common, later_loss=1.0)
    assert ends[0, 0] - ends[1, 1] <= package <= ends[0, 1] - ends[1, 0]
    assert package > 0.9
    other = module.log_event((1, -1), -1.0, 16, 1, eta, 2 / 0.9)
    assert not other[0, 0] - other[1, 1] <= package <= other[0, 1] - other[1, 0]


def test_the_pages_allowance_for_an_adaptive_adversary_is_larger_than_the_packages():
    """The page bounds a moment generating function more crudely and counts more sequences."""
    for T in (1000, 10**5):
        for S in (1, 4):
            setting = mirror(2, S, T, 0.9, 0.01)
            package = bounds.watched_regret(**setting, log_d=switching.log_count_sequences(T, 2, S))
            listed = bounds.watched_regret(**setting, log_d=2 * S * np.log(2 * T))
            ours = page("tr_t52").bound(2, S, T, 0.9, 0.01)
            assert package < listed < ours < 1.3 * listed


@pytest.mark.parametrize("noise", [1.0, 3.0])
def test_three_experts_lose_no_more_than_the_packages_upper_bound(noise):
    shown = page("tr_b2").worst_loss(3, 50, 1, noise, one_expert=False)
    upper = exact.mirror_upper(n_actions=3, horizon=50, learning_rate=100.0, noise=noise)
    assert 0.5 * upper < shown <= upper
