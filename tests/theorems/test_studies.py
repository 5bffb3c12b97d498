"""Our theorems on the lazy leader, on small games and on the signed tree: pages beside the package."""

import numpy as np
import pytest

from replicate import learners, mechanisms
from replicate.environments import Bernoulli
from replicate.mechanisms import signed_tree
from replicate.studies.price_of_privacy import lemmas as small_games
from replicate.studies.price_of_privacy.algorithms import lazy
from replicate.studies.price_of_privacy.instances import FAMILIES, value
from replicate.studies.synopsis import clock_trap
from replicate.studies.synopsis import lemmas as tree_lemmas
from tests.theorems import page
from tests.theorems.agreement import Pair, level


def block(rng):
    n = int(rng.integers(1, 60))
    return {"n": n, "good": rng.uniform(0, n), "epsilon": level(rng)}


def gap_and_level(rng):
    return {"gap": rng.uniform(0.01, 1), "epsilon": level(rng)}


def whole_blocks(epsilon, blocks):
    """Rounds of the first block and of `blocks` further ones."""
    return (2 ** (blocks + 1) - 1) * int(np.ceil(1.4 / epsilon))


def shape(rng):
    return {"a": int(rng.integers(1, 5)), "b": int(rng.integers(1, 5))}


def product_and_tree(module, a, b):
    signs, rounds = module.matrices(a, b)
    return np.concatenate([signs.ravel(), rounds.ravel()])


def package_tree(a, b):
    signs, rounds = tree_lemmas.factors(tree_lemmas.parents(signed_tree.Tree(a, b)))
    return np.concatenate([signs.ravel(), rounds.ravel()])


PAIRS = [
    Pair(
        "theorem_lazy_leader.increment", block,
        lambda m, n, good, epsilon: m.increment(np.array([good]), np.ones(1), n, epsilon),
        lambda n, good, epsilon: lazy.increment_law(n, good, epsilon=epsilon),
        lambda epsilon, **s: {"epsilon": 1.1 * epsilon}, tolerance=1e-8,
    ),
    *(
        Pair(
            f"theorem_lazy_leader.regret, {'forgetting' if forget else 'adding'}", gap_and_level,
            lambda m, gap, epsilon, forget=forget: m.regret(gap, epsilon, 6, forget=forget),
            lambda gap, epsilon, forget=forget: lazy.exact_regret(
                [0.0, gap], epsilon=epsilon, horizon=whole_blocks(epsilon, 6), forget=forget
            ).final[0],
            lambda gap, **s: {"gap": 0.9 * gap}, tolerance=1e-8,
        )
        for forget in (True, False)
    ),
    *(
        Pair(
            f"theorem_lazy_leader.bound, {losses}", gap_and_level,
            lambda m, gap, epsilon, losses=losses: m.bound(gap, epsilon, losses == "fixed"),
            lambda gap, epsilon, losses=losses: lazy.gap_bound(epsilon=epsilon, gap=gap, losses=losses),
            lambda epsilon, **s: {"epsilon": 1.1 * epsilon},
        )
        for losses in ("fixed", "iid")
    ),
    *(
        Pair(
            f"sy_trap.behind, {noise}", lambda rng: {"n": 2 ** int(rng.integers(0, 5)), "beta": level(rng, 0.5)},
            lambda m, n, beta, noise=noise: m.behind(noise, n, beta),
            lambda n, beta, noise=noise: mechanisms.report_noisy_max_pmf(
                [0.0, -n], noise=noise.lower(), scale=beta
            )[1],
            lambda n, **s: {"n": n + 1},
        )
        for noise in ("Laplace", "Gumbel", "exponential")
    ),
    Pair(
        "theorem_scaling.least_regret",
        lambda rng: {"T": int(rng.integers(1, 5)), "name": str(rng.choice(LEVELS))},
        lambda m, T, name: m.least_regret(T, number(name)),
        lambda T, name: value("deterministic", FAMILIES["deterministic"].game(2, T, name)),
        lambda T, **s: {"T": T + 1}, tolerance=1e-6,
    ),
    Pair(
        "theorem_signed_tree.bound", shape, lambda m, a, b: m.bound(a, b),
        lambda a, b: signed_tree.releases_of(signed_tree.Tree(a, b)), lambda a, **s: {"a": a + 1},
    ),
    Pair(
        "theorem_signed_tree.matrices", shape, lambda m, a, b: product_and_tree(m, a, b), package_tree,
        lambda a, **s: {"a": a + 1},
    ),
]  # fmt: skip
LEVELS = [epsilon for epsilon, delta in FAMILIES["deterministic"].levels if delta == "0" and epsilon != "inf"]
"""Privacy levels of the stored games, as text."""


def number(name):
    """Return a level as a number: ``"log 2"`` is a logarithm."""
    word, _, value = name.rpartition(" ")
    if word:
        return float(np.log(float(value)))
    top, _, bottom = name.partition("/")
    return float(top) / float(bottom or 1)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_page_and_the_package_agree(pair):
    pair.check()


def test_which_trees_fit_is_the_same_for_both_searches():
    for a, n in ((1, 2), (1, 3), (2, 6), (2, 7)):
        assert page("theorem_signed_tree").possible(a, n) == tree_lemmas.fits(signed_tree.Tree(a, 2), n)
    assert not page("theorem_signed_tree").possible(1, 3)


def test_the_lower_bound_of_a_longer_game_is_the_packages():
    short = page("theorem_scaling").least_regret(3, 1.0)
    low = 2 * (short - 0.5)
    assert small_games.scaled(short, rounds=2) == pytest.approx(low, rel=1e-12)
    assert small_games.scaled(short, rounds=3) != pytest.approx(low, rel=1e-3)
    assert page("theorem_scaling").least_regret(4, 0.5) >= low
    below = small_games.limit_bounds(short, epsilon=1.0)[0]
    assert below == pytest.approx(low / 2, rel=1e-12)
    assert below < 2.02


def test_the_lazy_leader_of_both_is_simulated_alike():
    """Coins with a gap: the page's exact regret is within four standard errors of the package's simulated one."""
    gap, epsilon, blocks = 0.3, 0.5, 6
    p, q = (1 - gap) / 2, (1 + gap) / 2
    exact = page("theorem_lazy_leader").regret(gap, epsilon, blocks, [p * p, 2 * p * q, q * q])
    run = lazy.simulate(
        Bernoulli([p, q]), epsilon=epsilon, horizon=whole_blocks(epsilon, blocks), replicates=4000,
        rng=np.random.default_rng(6),
    ).final  # fmt: skip
    error = run.std(ddof=1) / np.sqrt(len(run))
    assert abs(run.mean() - exact) < 4 * error
    assert abs(run.mean() - page("theorem_lazy_leader").regret(gap, epsilon, blocks)) > 6 * error


def trap(epsilon, blocks):
    """The page's regrets on the trap, of learners under their names in the package."""
    module = page("sy_trap")
    best = module.table(blocks)
    wrong = {"prefix_softmax": [module.prefix(r, min(epsilon / 2, 1 / 8)) for r in range(blocks)]}
    for noise in ("Laplace", "Gumbel", "exponential"):
        wrong[noise.lower()] = [module.behind(noise, 2**r, 2 / epsilon) for r in range(blocks)]
    wrong["no_noise"] = [0.0] * blocks
    return {name: module.regret(np.array(chances), best) for name, chances in wrong.items()}


@pytest.mark.parametrize("learner", ["prefix_softmax", "laplace", "gumbel", "exponential", "no_noise"])
def test_the_trap_of_both_costs_the_same(learner):
    """The page's exact regret is within four standard errors of the mean of the package's games."""
    blocks, replicates = 9, 4000
    env = clock_trap(2, 2**blocks - 1)
    best = [int(np.argmin(env.mean_sums(2**r - 1, 2 ** (r + 1) - 1))) for r in range(blocks)]
    assert best == page("sy_trap").table(blocks).tolist()
    run = learners.simulate(
        learner, env, epsilon=None if learner == "no_noise" else 0.2, horizon=2**blocks - 1, replicates=replicates,
        rng=np.random.default_rng(8),
    ).final  # fmt: skip
    error = run.std(ddof=1) / np.sqrt(replicates) + 1e-9  # leaders have their expectation in every game
    assert abs(run.mean() - trap(0.2, blocks)[learner]) < 4 * error
    other = trap(0.1, blocks)["gumbel" if learner == "no_noise" else learner]
    assert abs(run.mean() - other) > 6 * error
