"""Papers 1 and 2 and our theorems on them: prefix softmax and the noisy leader, pages beside the package."""

import numpy as np
import pytest

from replicate import audit, mechanisms
from replicate.claims import asking
from replicate.environments import Bernoulli, Joint
from replicate.papers import noisy_leader as nl
from replicate.papers.noisy_leader import bounds as nl_bounds
from replicate.papers.noisy_leader import lemmas as nl_lemmas
from replicate.papers.noisy_leader import privacy as nl_privacy
from replicate.papers.prefix_softmax import algorithms, bounds, lemmas, privacy
from tests.theorems import page
from tests.theorems.agreement import Pair, actions, level, near


def gap_setting(rng, most=40):
    return {"K": actions(rng, most), "gap": rng.uniform(0.02, 1), "epsilon": level(rng)}


def fixed(K, gap):
    """Gaps of K - 1 equal actions beside the best one."""
    return np.append(0.0, np.full(K - 1, gap))


def coins(gap, kind):
    """The two coins of a page: the best action's and that which the others share."""
    p, q = (1 - gap) / 2, (1 + gap) / 2
    laws = {
        "independent": [(1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q],
        "opposed": [0.0, p, q, 0.0],
        "same": [1 - q, 0.0, gap, p],
    }
    return Joint([[0, 0], [1, 0], [0, 1], [1, 1]], laws[kind])


def noisy_regret(means, epsilon, T, noise):
    """Regret of two actions after T rounds, from the package's laws of a selection; independent coins."""
    gap, total, n = abs(means[1] - means[0]), abs(means[1] - means[0]) / 2, 1
    worse = int(means[1] > means[0])
    while 2 * n <= T:
        law = nl_lemmas.selection_law(means, rounds=n, noise=noise, scale=2 / epsilon)
        total += (min(4 * n - 1, T) - 2 * n + 1) * gap * law[worse]
        n *= 2
    return total


def any_gaps(rng):
    """Gaps of a best action and others that differ; the horizon need not end a block."""
    gaps = np.append(0.0, rng.uniform(0.05, 1, actions(rng, 9)))
    return {"gaps": gaps, "epsilon": level(rng), "T": int(rng.integers(1, 4000))}


def promised(claim, **sizes):
    """Return the bound of a claim that the package tries at these sizes."""
    (promise,) = asking.promises()[claim]
    return promise.bound(promise.own(sizes))


def worst_block(eta, K, blocks):
    return max(privacy.block_privacy_loss(n_actions=K, eta=eta, block=r) for r in range(blocks))


def exhaustive(law, rounds, K):
    return audit.exhaustive_privacy_loss(law, n_rounds=rounds, n_actions=K)


def random_table(rng, rounds, K):
    return {"table": rng.random((rounds, K)), "eta": level(rng), "K": K}


PREFIX = [
    Pair(
        "ps_t1b.bounds", gap_setting,
        lambda m, **s: m.bounds(**s),
        lambda K, gap, epsilon: [
            f(n_actions=K, gap=gap, epsilon=epsilon) for f in (bounds.theorem_1, bounds.theorem_1_rate)
        ],
        lambda K, **s: {"K": K + 1},
    ),
    Pair(
        "ps_t1b.regret", lambda rng: gap_setting(rng) | {"T": int(rng.integers(1, 4000))},
        lambda m, K, gap, epsilon, T: m.regret(K, gap, epsilon, T),
        lambda K, gap, epsilon, T: algorithms.regret_of_fixed(fixed(K, gap), eta=epsilon, horizon=T).final[0],
        lambda K, **s: {"K": K + 1},
    ),
    Pair(
        "ps_t1b.selection_errors", lambda rng: gap_setting(rng) | {"M": int(rng.integers(2, 60))},
        lambda m, K, gap, epsilon, M: m.selection_errors(
            K, gap, epsilon, M, np.convolve([(1 - gap) / 2, (1 + gap) / 2], [(1 - gap) / 2, (1 + gap) / 2])
        ),
        lambda K, gap, epsilon, M: gap * lemmas.error_probabilities(
            coins(gap, "independent"), eta=epsilon, longest=M, rivals=K - 1
        ),
        lambda epsilon, **s: {"epsilon": 1.1 * epsilon},
    ),
    Pair(
        "ps_t1b.regret_ever", lambda rng: gap_setting(rng) | {"gap": rng.uniform(0.2, 1)},
        lambda m, K, gap, epsilon: m.regret_ever(K, gap, epsilon),
        lambda K, gap, epsilon: algorithms.regret_of_fixed(fixed(K, gap), eta=epsilon, horizon=2**59).final[0],
        lambda epsilon, **s: {"epsilon": 1.01 * epsilon},
        tolerance=1e-4,
    ),
    Pair(
        "ps_t1b.privacy_loss", lambda rng: {"K": 2 + int(rng.integers(2)), "eta": level(rng)},
        lambda m, K, eta: m.privacy_loss(K, eta), lambda K, eta: worst_block(eta, K, 2),
        lambda eta, **s: {"eta": 1.01 * eta}, many=4,
    ),
    Pair(
        "ps_privacy.privacy_loss", lambda rng: {"K": 2, "eta": level(rng)},
        lambda m, K, eta: m.privacy_loss(K, 3, eta), lambda K, eta: worst_block(eta, K, 2),
        lambda eta, **s: {"eta": 1.01 * eta},
    ),
    Pair(
        "ps_privacy.action_law",
        lambda rng: random_table(rng, int(rng.choice([1, 3, 7, 15])), 2 + int(rng.integers(2))),
        lambda m, table, eta, K: m.action_law(table, eta, K).reshape(K, -1)[0] * K,
        lambda table, eta, K: privacy.sequence_law(table, eta=eta),
        lambda table, **s: {"table": 1 - table},
    ),
    Pair(
        "theorem_prefix.bound", gap_setting,
        lambda m, K, gap, epsilon: m.bound(K, gap, epsilon),
        lambda K, gap, epsilon: bounds.sharper_theorem_1(n_actions=K, gap=gap, eta=epsilon),
        lambda gap, **s: {"gap": 0.9 * gap},
    ),
    Pair(
        "ps_w.regret", any_gaps,
        lambda m, gaps, epsilon, T: m.regret(gaps, epsilon, T),
        lambda gaps, epsilon, T: algorithms.regret_of_fixed(gaps, eta=epsilon, horizon=T).final[0],
        lambda epsilon, **s: {"epsilon": 1.1 * epsilon},
    ),
    Pair(
        "ps_w.bound", gap_setting,
        lambda m, K, gap, epsilon: m.bound(K, gap, epsilon),
        lambda K, gap, epsilon: promised("PS-W", n_actions=K, gap=gap, epsilon=epsilon),
        lambda K, **s: {"K": K + 1},
    ),
    *(
        Pair(
            f"theorem_prefix.selection_errors, {kind}",
            lambda rng: gap_setting(rng) | {"M": int(rng.integers(2, 60))},
            lambda m, K, gap, epsilon, M, kind=kind: m.selection_errors(
                K, gap, epsilon, M, m.coin_steps(gap, kind)
            ),
            lambda K, gap, epsilon, M, kind=kind: gap * lemmas.error_probabilities(
                coins(gap, kind), eta=epsilon, longest=M, rivals=K - 1
            ),
            lambda K, **s: {"K": K + 1},
        )
        for kind in ("independent", "opposed", "same")
    ),
]  # fmt: skip


def scores(rng):
    """Sums of losses that are not far apart."""
    return {"sums": rng.integers(0, 6, actions(rng, 9)).astype(float), "epsilon": level(rng)}


NOISES = {"Gumbel": "gumbel", "exponential": "exponential", "Laplace": "laplace"}


def wrong(noise, K, d):
    """Chance that one of K - 1 actions wins, each behind the best by d scales."""
    scores = np.array([0.0, -d])
    law = mechanisms.report_noisy_max_pmf(scores, noise=noise, scale=1.0, multiplicity=[1, K - 1])
    return (K - 1) * law[1]


NOISY = [
    Pair(
        "nl_t2.laplace_tail", lambda rng: {"x": rng.uniform(-9, 9), "epsilon": level(rng)},
        lambda m, x, epsilon: m.laplace_tail(x, 2 / epsilon),
        lambda x, epsilon: mechanisms.report_noisy_max_pmf([x, 0.0], noise="laplace", scale=2 / epsilon)[1],
        lambda x, **s: {"x": x + 0.1},
    ),
    Pair(
        "nl_t2.regret_two", lambda rng: {
            "means": np.sort(rng.random(2)), "epsilon": level(rng), "T": int(rng.integers(1, 200))
        },
        lambda m, **s: m.regret_two(**s), lambda **s: noisy_regret(**s, noise="laplace"),
        lambda T, **s: {"T": 2 * T + 1},
    ),
    Pair(
        "nl_t2.privacy_loss", lambda rng: {"epsilon": level(rng)},
        lambda m, epsilon: m.privacy_loss(2 / epsilon),
        lambda epsilon: exhaustive(
            lambda table: nl_privacy.sequence_law(table, noise="laplace", scale=2 / epsilon, resample=True), 3, 2
        ),
        lambda epsilon: {"epsilon": 1.01 * epsilon}, many=4,
    ),
    Pair(
        "nl_t3.bound", lambda rng: {"K": actions(rng), "epsilon": level(rng), "T": int(rng.integers(1, 500))},
        lambda m, **s: m.bound(**s),
        lambda K, epsilon, T: nl_bounds.theorem_3_sum(n_actions=K, epsilon=epsilon, horizon=T),
        lambda K, **s: {"K": K + 1},
    ),
    Pair(
        "nl_t3.noisy_leader", lambda rng: {
            "K": actions(rng, 9), "epsilon": level(rng), "T": int(rng.integers(2, 200))
        },
        lambda m, **s: m.mean_regret(m.noisy_leader(**s)),
        lambda K, epsilon, T: nl.exact_regret(fixed(K, 1.0), epsilon=epsilon, horizon=T).final[0],
        lambda K, **s: {"K": K + 1},
    ),
    *(
        Pair(
            f"nl_t4.choice, {noise}", scores,
            lambda m, sums, epsilon, noise=noise: m.choice(noise, sums, 2 / epsilon),
            lambda sums, epsilon, noise=noise: mechanisms.report_noisy_max_pmf(
                -sums, noise=NOISES[noise], scale=2 / epsilon
            ),
            lambda sums, **s: {"sums": 1.5 * sums + np.arange(len(sums))},
        )
        for noise in ("Gumbel", "exponential")
    ),
    *(
        Pair(
            f"nl_t4.regret, {noise}", lambda rng: {
                "gaps": np.append(0, rng.uniform(0.01, 1, actions(rng, 9))), "epsilon": level(rng), "T": 2**18 + 5
            },
            lambda m, gaps, epsilon, T, noise=noise: m.regret(noise, gaps, 2 / epsilon, T),
            lambda gaps, epsilon, T, noise=noise: nl.exact_regret(
                gaps, epsilon=epsilon, horizon=T, noise=NOISES[noise]
            ).final[0],
            lambda epsilon, **s: {"epsilon": 1.01 * epsilon},
        )
        for noise in ("Gumbel", "exponential")
    ),
    Pair(
        "nl_t4.bound", lambda rng: {"K": actions(rng), "epsilon": level(rng)},
        lambda m, **s: m.bound(**s), lambda K, epsilon: nl_bounds.theorem_4(n_actions=K, epsilon=epsilon),
        lambda K, **s: {"K": K + 1},
    ),
    *(
        Pair(
            f"nl_t4.privacy_loss, {noise}", lambda rng: {"epsilon": level(rng), "K": 2 + int(rng.integers(2))},
            lambda m, epsilon, K, noise=noise: m.privacy_loss(noise, 2 / epsilon, K, 2),
            lambda epsilon, K, noise=noise: max(
                audit.report_noisy_max_privacy_loss(K, noise=NOISES[noise], scale=2 / epsilon, n_rounds=n)
                for n in (1, 2)
            ),
            lambda epsilon, **s: {"epsilon": 1.01 * epsilon}, tolerance=1e-8, many=3,
        )
        for noise in ("Gumbel", "exponential")
    ),
    *(
        Pair(
            f"{name}.wrong_chance, {noise}", lambda rng: {"K": actions(rng, 300), "d": rng.uniform(0, 9)},
            lambda m, K, d, noise=noise, array=array: np.ravel(
                m.wrong_chance(noise, K, np.array([d]) if array else d)
            ),
            lambda K, d, noise=noise: [wrong(NOISES[noise], K, d)],
            lambda K, **s: {"K": 2 * K}, tolerance=tolerance,
        )
        for name, array, exact in (("theorem_noisy_leader", True, 1e-9), ("theorem_steady", False, 1e-8))
        for noise in NOISES
        for tolerance in [2e-4 if array and noise == "Laplace" else exact]
    ),
    *(
        Pair(
            f"{name}.spread, {noise}", lambda rng: {"K": actions(rng, 300)},
            lambda m, K, noise=noise: m.spread(noise, K),
            lambda K, noise=noise: nl_bounds.expected_maximum(K, noise=NOISES[noise]),
            lambda K: {"K": 2 * K}, tolerance=2e-4 if name == "theorem_noisy_leader" else 1e-8,
        )
        for name in ("theorem_noisy_leader", "theorem_steady")
        for noise in NOISES
    ),
    *(
        Pair(
            f"theorem_steady.bound, {noise}", lambda rng: {"K": actions(rng, 300), "epsilon": level(rng)},
            lambda m, K, epsilon, noise=noise: m.bound(noise, K, epsilon),
            lambda K, epsilon, noise=noise: nl_bounds.potential(
                n_actions=K, noise=NOISES[noise], scale=2 / epsilon
            ),
            lambda K, **s: {"K": 2 * K}, tolerance=1e-8,
        )
        for noise in NOISES
    ),
    *(
        Pair(
            f"theorem_steady.regret, {noise}", gap_setting,
            lambda m, K, gap, epsilon, noise=noise: m.regret(noise, K, gap, epsilon, 2**18),
            lambda K, gap, epsilon, noise=noise: nl.exact_regret(
                fixed(K, gap), epsilon=epsilon, horizon=2**18, noise=NOISES[noise]
            ).final[0],
            lambda K, **s: {"K": K + 1}, tolerance=1e-8,
        )
        for noise in NOISES
    ),
    Pair(
        "theorem_schedules.regret, doubling", gap_setting,
        lambda m, K, gap, epsilon: m.regret(np.log(K), gap, epsilon, 2.0 ** np.arange(1, 18)[None]),
        lambda K, gap, epsilon: nl.exact_regret(fixed(K, gap), epsilon=epsilon, horizon=2**18 - 1).final[0],
        lambda K, **s: {"K": K + 1}, tolerance=1e-8,
    ),
    Pair(
        "theorem_steady.gumbel_regret", lambda rng: {
            "gaps": np.append(0, rng.uniform(0.01, 1, actions(rng, 9))), "epsilon": level(rng)
        },
        lambda m, gaps, epsilon: m.gumbel_regret(gaps, epsilon, 2**18),
        lambda gaps, epsilon: nl.exact_regret(gaps, epsilon=epsilon, horizon=2**18).final[0],
        lambda epsilon, **s: {"epsilon": 1.01 * epsilon},
    ),
    *(
        Pair(
            f"theorem_noisy_leader.regret, {noise}",
            lambda rng: {"gap": rng.uniform(0.05, 1), "epsilon": level(rng)},
            lambda m, gap, epsilon, noise=noise: m.regret(
                noise, 2, gap, epsilon, 16, page("theorem_prefix").coin_steps(gap, "independent")
            ),
            lambda gap, epsilon, noise=noise: noisy_regret(
                [(1 - gap) / 2, (1 + gap) / 2], epsilon, 63, NOISES[noise]
            ),
            lambda gap, **s: {"gap": 0.9 * gap}, tolerance=2e-4 if noise == "Laplace" else 1e-9,
        )
        for noise in NOISES
    ),
]  # fmt: skip


@pytest.mark.parametrize("pair", [*PREFIX, *NOISY], ids=lambda pair: pair.name)
def test_the_page_and_the_package_agree(pair):
    pair.check()


def test_long_blocks_are_no_worse_than_the_exact_worst_one():
    for n, block in ((4, 2), (16, 4), (64, 6)):
        shown = page("ps_privacy").long_block_loss(n, 0.5)
        exact = privacy.block_privacy_loss(n_actions=2, eta=0.5, block=block)
        assert shown <= exact * (1 + 1e-12) <= 1
    assert page("ps_privacy").long_block_loss(64, 0.55) > exact


def test_the_constants_of_the_noisy_leader_are_the_packages_rounded_up():
    module, setting = page("theorem_noisy_leader"), {"n_actions": 5, "gap": 0.1, "epsilon": 1.0}
    for losses, table in (("independent", module.INDEPENDENT), ("any", module.JOINT)):
        for noise, (a, c) in table.items():
            package = nl_bounds.optimal_rate(**setting, noise=NOISES[noise], losses=losses)
            mean = nl_bounds.expected_maximum(5, noise=NOISES[noise])
            ours = 1 + a * (np.log(4) + 1) / 0.1 + c * mean
            assert package <= ours <= 1.005 * package
            assert 1 + 0.99 * a * (np.log(4) + 1) / 0.1 + c * mean < package


def test_three_actions_of_any_joint_law_have_the_packages_regret():
    """Gumbel noise is a softmax: from all eight loss vectors, round by round."""
    chances = np.random.default_rng(4).dirichlet(np.ones(8))
    bits = np.array(np.meshgrid(*[[0, 1]] * 3, indexing="ij")).reshape(3, -1).T
    gaps = chances @ bits - (chances @ bits).min()
    law, total = {(0, 0, 0): 1.0}, gaps.mean()
    for n in range(1, 5):
        new = {}
        for sums, p in law.items():
            for row, q in zip(bits, chances, strict=True):
                key = tuple(np.add(sums, row).tolist())
                new[key] = new.get(key, 0.0) + p * q
        law = new
        if n in (1, 2, 4):
            selected = mechanisms.report_noisy_max_pmf(-np.array([*law]), noise="gumbel", scale=2.0)
            total += 2 * n * np.array([*law.values()]) @ selected @ gaps
    found, least = page("theorem_noisy_leader").random_law_regret(chances, 1.0, 4)
    assert found == pytest.approx(total, rel=1e-9)
    assert least == gaps[gaps > 0].min()


MEANS = np.array([0.3, 0.5, 0.6, 0.7])


@pytest.mark.parametrize("noise", NOISES.values())
def test_simulated_runs_of_the_noisy_leader_agree_in_the_mean(noise):
    """Four standard errors; a control is more than six apart."""
    play, rng = page("nl_t2").play, np.random.default_rng(5)
    runs = {e: play(MEANS, noise, 2 / e, 300, 2000, rng) for e in (0.5, 0.25)}
    package = nl.simulate(
        Bernoulli(MEANS), epsilon=0.5, horizon=300, replicates=2000, rng=rng, noise=noise, resample=True
    )
    assert near(runs[0.5], package.final) < 4
    assert near(runs[0.25], package.final) > 6


def test_simulated_runs_of_prefix_softmax_agree_in_the_mean():
    """Four standard errors; a control is more than six apart."""
    play, rng = page("ps_w").play, np.random.default_rng(5)
    runs = {eta: play(MEANS, eta, 300, 2000, rng) for eta in (0.1, 0.05)}
    package = algorithms.simulate(Bernoulli(MEANS), epsilon=0.2, horizon=300, replicates=2000, rng=rng)
    assert near(runs[0.1], package.final) < 4
    assert near(runs[0.05], package.final) > 6
