"""Paper 5 and our theorems on it: pages beside the package."""

import numpy as np
import pytest
from scipy.linalg import hadamard

from replicate.papers import distribution_learning as dl
from replicate.papers.distribution_learning import bounds, instances, lemmas, privacy
from replicate.papers.distribution_learning.algorithms import bits, schemes
from tests.theorems import page
from tests.theorems.agreement import Pair, actions, level, near


def private_game(rng):
    return {"T": int(10 ** rng.uniform(5, 12)), "K": actions(rng, 9), "epsilon": level(rng, 0.1, 3)}


def sizes(K, T, epsilon):
    return {"n_hypotheses": K, "horizon": T, "epsilon": epsilon}


def laws(rng, K=3, M=6):
    return {"F": rng.dirichlet(np.ones(M), K), "T": int(rng.integers(5, 2000))}


def released(F, T):
    """Values, channel and N' of the package's clipping map, label by label."""
    channel = schemes.clipping(F, np.ones(F.shape[1]), T)
    matrix = channel.keep * np.eye(F.shape[1]) + channel.base
    return np.concatenate([channel.log_density(F).ravel(), matrix.ravel(), [channel.n_cells]])


def as_one(parts):
    return np.concatenate([np.ravel(part) for part in parts])


def any_channel(rng, N):
    return {"channel": instances.extremal_channel(N, level(rng, 0.2, 2), symbols=8, rng=rng)}


def pair_class(rng):
    return {"K": 4 + int(rng.integers(4)), "a": rng.uniform(0.05, 1)} | any_channel(rng, 8)


def signed(rng):
    return {"a": rng.uniform(0.05, 0.5)} | any_channel(rng, 4)


PAIRS = [
    Pair(
        "dl_t1.strength, the gap of (16)", private_game,
        lambda m, T, K, epsilon: np.sqrt(K / (9 * T * m.strength(epsilon))),
        lambda T, K, epsilon: bounds.hadamard_gap(n_pairs=K, horizon=T, epsilon=epsilon),
        lambda K, **s: {"K": K + 1},
    ),
    Pair(
        "dl_t5.clipped", laws, lambda m, F, T: as_one(m.clipped(F, T)), released,
        lambda F, **s: {"F": F[:, ::-1]},
    ),
    *(
        Pair(
            f"dl_t5.privacy_loss, {calibration}", laws,
            lambda m, F, T, add=add: m.privacy_loss(F, T, np.log((len(F) + add) * T)),
            lambda F, T, calibration=calibration: privacy.privacy_loss(
                F, epsilon=1.0, horizon=T, calibration=calibration
            ),
            lambda T, **s: {"T": 2 * T},
        )
        for calibration, add in (("printed", 0), ("corrected", 1))
    ),
    *(
        Pair(
            f"dl_t5.bound, {calibration}", private_game,
            lambda m, T, K, epsilon, add=add: m.bound(T, K, epsilon, np.log((K + add) * T))[0],
            lambda T, K, epsilon, calibration=calibration: bounds.theorem_5(
                **sizes(K, T, epsilon), calibration=calibration
            ),
            lambda K, **s: {"K": K + 1},
        )
        for calibration, add in (("printed", 0), ("corrected", 1))
    ),
    Pair(
        "theorem_pairs.pairs", lambda rng: {"K": 4 + int(rng.integers(4)), "a": rng.uniform(0.05, 1)},
        lambda m, K, a: m.pairs(K, 8, a).reshape(2 * K, 8), lambda K, a: instances.hadamard_class(K, a),
        lambda a, **s: {"a": 0.9 * a},
    ),
    Pair(
        "theorem_pairs.divergences", pair_class,
        lambda m, K, a, channel: m.divergences(m.pairs(K, 8, a), channel),
        lambda K, a, channel: lemmas.released_divergences(instances.hadamard_class(K, a), channel).sum(),
        lambda a, **s: {"a": 0.9 * a},
    ),
    Pair(
        "theorem_no_interaction.information", signed,
        lambda m, a, channel: m.information(channel, a),
        lambda a, channel: lemmas.released_information(instances.signed_class(3, a), channel)[0],
        lambda a, **s: {"a": 0.9 * a},
    ),
    Pair(
        "theorem_no_interaction.subsets",
        lambda rng: {"size": 1 + int(rng.integers(3)), "epsilon": level(rng, 0.2, 2)},
        lambda m, size, epsilon: m.information(m.subsets(size, epsilon)),
        lambda size, epsilon: lemmas.released_information(
            instances.signed_class(3, 1.0), instances.subset_channel(4, size, epsilon)
        )[0],
        lambda epsilon, **s: {"epsilon": 1.1 * epsilon},
    ),
    Pair(
        "theorem_interaction.H, divergences", signed,
        lambda m, a, channel: kl(np.full(4, 0.25) @ channel, (1 + a * m.H) / 4 @ channel),
        lambda a, channel: 3 * lemmas.released_information(instances.signed_class(3, a), channel)[2],
        lambda a, **s: {"a": 0.9 * a},
    ),
]  # fmt: skip


def kl(centre, rows):
    return float((centre * np.log(centre / rows)).sum())


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_page_and_the_package_agree(pair):
    pair.check()


def printed(name, capsys, **options):
    """Run a page and return the numbers that it prints."""
    page(name).main(**options)
    return capsys.readouterr().out


def test_the_lower_bounds_that_the_pages_print_are_the_packages(capsys):
    said = printed("theorem_pairs", capsys, T=400, epsilon=1.0, trials=5)
    assert f"{bounds.budgeted_lower_bound(n_pairs=1, horizon=400, epsilon=1.0):.5f}" in said
    assert f"{bounds.tv_lower_bound(n_pairs=1, horizon=400, epsilon=1.0):.5f}" in said
    assert f"{bounds.tv_lower_bound(n_pairs=1, horizon=500, epsilon=1.0):.5f}" not in said
    said = printed("theorem_no_interaction", capsys, T=40, epsilon=0.3, rare_rounds=8, trials=5)
    assert f"bound {bounds.fano_tv(n_hypotheses=3, horizon=40, epsilon=0.3):.5f}" in said
    share = bounds.rare_share(n_hypotheses=3, horizon=8, epsilon=1.0, form="sharp")
    weight = 4 * bounds.fano_tv(n_hypotheses=3, horizon=40, epsilon=0.3)
    weight /= bounds.signed_gap(n_hypotheses=3, horizon=40, epsilon=0.3)  # 2 r / 3
    assert f"bound {weight / 4 * share * 8:.5f}" in said
    said = printed("theorem_interaction", capsys, T=10, epsilon=2.0, trials=5)
    assert f"bound {bounds.interactive_tv(n_hypotheses=3, horizon=10, epsilon=2.0):.5f}" in said
    assert f"bound {bounds.interactive_tv(n_hypotheses=3, horizon=11, epsilon=2.0):.5f}" not in said


def test_the_lower_bound_of_theorem_3_that_a_page_prints_is_the_packages(capsys):
    said = printed("dl_t1", capsys, T=2000)
    for epsilon in (0.1, 0.3, 1.0):
        assert f"bound aT/132 {bounds.theorem_3(n_pairs=1, horizon=2000, epsilon=epsilon):.4f}" in said
    assert f"bound aT/132 {bounds.theorem_3(n_pairs=2, horizon=2000, epsilon=1.0):.4f}" not in said


def test_large_epsilon_refutes_theorem_1_by_both_schemes():
    """Two schemes for two hypotheses have bounded risk at epsilon = 4 log T, while root(2T)/epsilon grows."""
    for T in (10**3, 10**6):
        epsilon = 4 * np.log(T)
        assert bounds.quantised_risk(horizon=T, epsilon=epsilon) < 5
        assert page("dl_t1").risk_of_response(T, 2, 2, epsilon) < 3
        assert page("dl_t1").risk_of_response(T, 2, 2, np.log(T)) > 5


def test_bayes_behind_randomised_response_is_the_least_risk_on_one_pair():
    """The package's scheme of the same pair and messages has the page's exact risk, up to its sampling error."""
    module, T, epsilon = page("dl_t1"), 300, 1.0
    a = bounds.hadamard_gap(n_pairs=1, horizon=T, epsilon=epsilon)
    exact = module.least_risk(T, a, np.exp(epsilon) / (1 + np.exp(epsilon)))
    runs = [
        dl.simulate(
            instances.hadamard_class(1, a), truth=truth, scheme="randomized_response", epsilon=epsilon, horizon=T,
            replicates=400, rng=np.random.default_rng([3, truth]),
        ).final
        for truth in (0, 1)
    ]  # fmt: skip
    mean = np.mean([run.mean() for run in runs])
    error = np.sqrt(sum(run.var(ddof=1) / len(run) for run in runs)) / 2
    assert abs(mean - exact) < 4 * error + 1e-3 * exact
    assert abs(mean - module.least_risk(T, a, 1.0)) > 6 * error


def test_tests_of_both_pass_each_others_inequality():
    """|u|_1 squared is at most the price times E<test, u>^2, for the page's tests and for the package's."""
    rng = np.random.default_rng(5)
    F = rng.dirichlet(np.ones(6), 4)
    tests, weights, cost = page("theorem_one_bit").all_tests(F)
    package = bits.sign_tests(F)
    even = np.full(len(package.signs), 1 / len(package.signs))
    u = rng.dirichlet(np.ones(4), 2000) @ F - F[0]
    for signs, law, price in ((tests, weights, cost), (package.signs, even, package.price)):
        share = np.abs(u).sum(axis=1) ** 2 / ((u @ signs.T) ** 2 @ law)
        assert share.max() <= price * (1 + 1e-9)
        assert share.max() > price / 9
    assert 3 <= cost <= 3.03
    assert package.price <= 6


def test_the_bounds_of_one_bit_that_a_page_prints_are_the_packages(capsys):
    module = page("theorem_one_bit")
    said = printed("theorem_one_bit", capsys, T=300, runs=30)
    F = np.random.default_rng(0).dirichlet(np.ones(6), 4)
    setting = sizes(4, 300, 1.0) | {"price": module.all_tests(F)[2]}
    assert f"(bound {bounds.bits_tv(**setting):.4f})" in said
    assert f"(bound {bounds.bits_risk(**setting):.1f})" in said
    assert f"(bound {bounds.bits_risk(**setting | {'price': 3.5}):.1f})" not in said


def test_bits_of_pairs_and_of_balanced_sets_have_the_error_of_the_packages_schemes():
    """Averaged total variation on pairs of coins, over all truths: the page draws counts, the package plays."""
    module, T, gap = page("dl_r1p"), 4096, 0.2
    F = instances.paired_blocks(4, gap)
    assert {tuple(f) for f in F} == {tuple(f) for f in module.coins(4, gap)}
    assert {tuple(f) for f in F} != {tuple(f) for f in module.coins(4, 1.1 * gap)}
    for scheme, tests in (("pair_bits", bits.pair_tests(F)), ("sign_bits", bits.sign_tests(F))):
        law = tests.signs.astype(float), np.full(len(tests.signs), 1 / len(tests.signs))
        ours = module.distances(F, *law, 1.0, T, 400, np.random.default_rng(4))
        package = np.concatenate(
            [
                dl.simulate(
                    F, truth=truth, scheme=scheme, epsilon=1.0, horizon=T, replicates=50,
                    rng=np.random.default_rng([7, truth]),
                ).averaged_tv
                for truth in range(len(F))
            ]
        )  # fmt: skip
        assert near(ours, package) < 4, scheme
        assert near(module.distances(F, *law, 0.5, T, 400, np.random.default_rng(4)), package) > 6, scheme


def test_the_balanced_sets_of_a_page_have_the_price_that_the_package_certifies():
    F = instances.paired_blocks(4, 0.1)
    sets = hadamard(8)[1:]
    even = np.full(len(sets), 1 / len(sets))
    assert page("dl_r1p").price(F, sets, even) == pytest.approx(len(F) - 1, rel=1e-9)
    span = bits.span(F)
    assert bits.price(span, bits.lewis_weights(span), sets.astype(np.int8)) >= len(F) - 1 - 1e-9
    assert page("dl_r1p").price(F, sets, np.arange(1, 8) / 28) > len(F)  # no other weights are as good
