"""What experiments ask of games and brackets, and make of those that are given: classes, options, columns."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from replicate.papers.distribution_learning import instances
from replicate.papers.distribution_learning.algorithms.schemes import SCHEMES
from replicate.papers.distribution_learning.experiments import bits, privacy, regret

HALF = stats.t.isf(0.005, 3) * math.sqrt(5 / 3 / 4)
"""Half of the band of four numbers in a row, at 99 %."""
SPREAD = np.arange(4.0)


@pytest.fixture
def games(monkeypatch):
    """Games in the place of `play`: the i-th one costs 10 i to 10 i + 3, and a hundredth of that in distance."""
    calls = []

    def play(f, profile, seed, *key, **words):
        calls.append((f, key, words))
        final = 10.0 * len(calls) + SPREAD
        return SimpleNamespace(final=final, averaged_tv=final / 100)

    monkeypatch.setattr(regret, "play", play)
    return calls


def summaries(data, games=None):
    """Mean and band of the first rows, one a game."""
    n = len(data)
    np.testing.assert_allclose(data["high"] - data["mean"], HALF)
    np.testing.assert_allclose(data["mean"] - data["low"], HALF)
    np.testing.assert_allclose(data["mean"], 10 * np.arange(1, n + 1) + 1.5 if games is None else games)


@pytest.mark.parametrize("epsilon", [1.0, 0.3])
def test_risks_over_horizons_are_of_one_class_at_the_level_that_is_named(epsilon, games, monkeypatch):
    asked = []
    monkeypatch.setattr(regret, "bound", lambda scheme, **words: asked.append((scheme, words)) or len(asked))
    data = regret.risk_over_horizons.__wrapped__("quick", 5, *([] if epsilon == 1 else [epsilon]))
    cells = [(s, t) for t in instances.SIZES["quick"].horizons for s in SCHEMES]
    for (f, key, words), (scheme, horizon) in zip(games, cells, strict=True):
        np.testing.assert_array_equal(f, instances.dirichlet(4, 8))
        assert key == ("horizons",)
        setting = {"scheme": scheme, "horizon": horizon, "epsilon": epsilon}
        assert words == setting | {"grid": 100, "replicates": 10}
    sizes = {"n_hypotheses": 4, "n_labels": 8, "epsilon": epsilon}
    assert asked == [(s, sizes | {"horizon": t}) for s, t in cells]
    played, flat = data[data["learner"] != "uniform"], data[data["learner"] == "uniform"]
    summaries(played)
    assert list(zip(played["learner"], played["horizon"], strict=True)) == cells
    assert played["bound"].to_list() == list(range(1, len(cells) + 1))
    assert set(data["epsilon"]) == {epsilon}
    f = instances.dirichlet(4, 8)
    risk = float((f[0] * np.log(f[0] / f.mean(axis=0))).sum())
    for name in ("mean", "low", "high"):
        np.testing.assert_allclose(flat[name], risk * np.array(instances.SIZES["quick"].horizons))
    assert flat["bound"].isna().all()


@pytest.mark.parametrize(
    ("profile", "runs", "grid"), [("quick", 100, 100), ("full", 200, 200), ("huge", 2000, 200)]
)
def test_deciles_of_the_weight_of_the_truth_from_a_hundred_thousandth_on(profile, runs, grid, monkeypatch):
    """Weights 0 to 1 in tenths, times the share of the round: at least 100 games."""
    asked = []

    def play(f, name, seed, *key, **words):
        asked.append((key, words))
        rounds = np.array([1, 1e-5, 2e-5, 0.5, 1]) * words["horizon"]
        rounds[0] = min(1, rounds[1] / 2)
        return SimpleNamespace(
            rounds=rounds, truth_weight=np.linspace(0, 1, 11)[:, None] * rounds / words["horizon"]
        )

    monkeypatch.setattr(regret, "play", play)
    data = regret.truth_weights.__wrapped__(profile, 5)
    horizons = [10**4, 10**6, 10**8, 10**10, 10**12]
    assert asked == [(("weights",), {"horizon": t, "replicates": runs, "grid": grid}) for t in horizons]
    assert data["horizon"].to_list() == np.repeat(horizons, 3).tolist()
    np.testing.assert_allclose(data["fraction"], np.tile([2e-5, 0.5, 1], 5))
    for name, share in (("q10", 0.1), ("median", 0.5), ("q90", 0.9)):
        np.testing.assert_allclose(data[name], share * data["fraction"])


@pytest.mark.parametrize(
    ("profile", "runs"),
    [
        ("quick", {8: 10, 512: 10}),
        ("full", {8: 100, 64: 100, 512: 100, 4096: 30, 2**15: 10}),
        ("huge", {8: 1000, 64: 1000, 512: 1000, 4096: 300, 2**15: 100}),
    ],
)
def test_risks_against_labels_at_ten_thousand_million_rounds(profile, runs, games):
    data = bits.label_sweep.__wrapped__(profile, 5)
    shown = ("sign_bits", "merged_response", "posterior", "pure", "non_private")
    cells = [(m, s) for m in runs for s in shown]
    for (f, key, words), (m, scheme) in zip(games, cells, strict=True):
        np.testing.assert_array_equal(f, instances.dirichlet(4, m, concentration=1.0))
        assert key == ("label sweep", m)
        assert words == {"scheme": scheme, "horizon": 10**10, "replicates": runs[m], "grid": 100}
    played, flat = data[data["learner"] != "uniform"], data[data["learner"] == "uniform"]
    summaries(played)
    assert list(zip(played["n_labels"], played["learner"], strict=True)) == cells
    assert flat["n_labels"].to_list() == list(runs)
    for row in flat.itertuples():
        f = instances.dirichlet(4, row.n_labels, concentration=1.0)
        risk = 1e10 * float((f[0] * np.log(f[0] / f.mean(axis=0))).sum())
        assert (row.mean, row.low, row.high) == pytest.approx((risk, risk, risk))


def test_bands_that_reach_below_zero_are_cut(games, monkeypatch):
    """Where logarithms are drawn: at 0.1 and at 1e-12."""
    monkeypatch.setattr(regret, "play", lambda *_, **__: SimpleNamespace(final=0.1 * SPREAD))
    data = bits.label_sweep.__wrapped__("quick", 5)
    assert set(data.loc[data["learner"] != "uniform", "low"]) == {0.1}
    assert regret._summary(0.1 * SPREAD)["low"] == 1e-12


def test_one_bit_a_label_is_limited_on_every_class_at_every_setting(games, monkeypatch):
    """Two classes at two settings, each with two limits, and one more: nine share the error of a claim."""
    limits = []
    classes = {"two coins": instances.close_pair(0.2), "other": instances.hadamard_class(4, 0.5)}
    monkeypatch.setattr(bits, "hard_classes", lambda *_: classes)
    monkeypatch.setattr(bits, "public", lambda f, **words: (f, words))

    def upper(run, shared, truth, *, quantity, false_alarm):
        assert false_alarm == pytest.approx(1e-9 / 9)
        limits.append((run.final[0], shared, truth, quantity))
        return 1000.0 * len(limits)

    monkeypatch.setattr(bits, "upper", upper)
    data = bits.rates.__wrapped__("quick", 5)
    cells = [(e, t, name) for e, t in ((1.0, 10**6), (0.1, 10**8)) for name in classes]
    for i, ((epsilon, horizon, name), row) in enumerate(zip(cells, data.itertuples(), strict=False)):
        f, key, words = games[i]
        setting = {"scheme": "sign_bits", "epsilon": epsilon, "horizon": horizon}
        assert (f is classes[name], key) == (True, ("bits", name))
        assert words == setting | {"replicates": 240 if name == "two coins" else 60, "grid": 100}
        for j, quantity in enumerate(("risk", "tv")):
            final, shared, truth, given = limits[2 * i + j]
            assert (final, shared[0] is f, shared[1], truth, given) == (10 * (i + 1), True, setting, 0, quantity)
        assert (row.risk_learned, row.tv_learned * horizon) == pytest.approx((2000 * i + 1000, 2000 * i + 2000))
        sizes = {"n_hypotheses": len(f), "horizon": horizon, "epsilon": epsilon}
        assert (row.instance, row.tv_bound) == (name, pytest.approx(bits.bounds.bits_tv(**sizes)))
        assert row.risk_bound == pytest.approx(bits.bounds.bits_risk(**sizes))
        center = f.mean(axis=0)
        assert row.tv_uniform == pytest.approx(np.abs(f[0] - center).sum() / 2)
        assert row.risk_uniform == pytest.approx(horizon * stats.entropy(f[0], center))
    assert len(data) == len(games) == 5


def test_one_bit_a_label_on_three_contexts_has_a_limit_of_its_distance(games, monkeypatch):
    monkeypatch.setattr(bits, "hard_classes", lambda *_: {"two coins": instances.close_pair(0.2)})
    monkeypatch.setattr(bits, "upper", lambda *_, **__: 0.0)
    row = bits.rates.__wrapped__("quick", 5).iloc[-1]
    f, key, words = games[-1]
    assert (f.shape, key) == ((3, 4, 6), ("bits",))
    assert words == {"scheme": "sign_bits", "horizon": 1000, "replicates": 600, "grid": 100}
    samples = 0.3 + SPREAD / 100
    high = float(bits.certify.betting_upper(samples, low=0, high=1, false_alarm=1e-9 / 5))
    assert (row["instance"], row["tv_learned"]) == ("three contexts", pytest.approx(high))
    sizes = {"n_hypotheses": 4, "horizon": 1000, "epsilon": 1.0}
    assert row[list(sizes)].to_dict() == sizes
    assert row["tv_bound"] == pytest.approx(bits.bounds.bits_tv(**sizes))


def test_hard_classes_are_as_far_apart_as_their_bounds_say(monkeypatch):
    """Coins by 1.2 times the bound; of pairs the first law and every second; a tenth of uniform in the blocks."""
    asked = []
    monkeypatch.setattr(bits.bounds, "bits_tv", lambda **words: asked.append(words) or 0.1)
    monkeypatch.setattr(bits.bounds, "budgeted_gap", lambda **words: asked.append(words) or 0.2)
    found = bits.hard_classes(0.5, 1000)
    common = {"horizon": 1000, "epsilon": 0.5}
    sizes = [{"n_hypotheses": 2}, {"n_pairs": 4}, {"n_pairs": 15}, {"n_hypotheses": 16}]
    assert asked == [size | common for size in sizes]
    coins, four, fifteen, blocks = found.values()
    np.testing.assert_allclose(np.abs(coins[0] - coins[1]).sum() / 2, 2 * 0.12)
    for f, n in ((four, 4), (fifteen, 15)):
        np.testing.assert_array_equal(f, instances.hadamard_class(n, 0.2)[[0, *range(1, 2 * n, 2)]])
        assert len(f) == n + 1
    np.testing.assert_allclose(blocks, 0.9 * instances.paired_blocks(8, 0.1) + 0.1 / 16)
    assert all(((f > 0) | (f[:1] == 0)).all() for f in found.values())


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_distance_of_two_coins_in_two_rounds(epsilon):
    """Weights are equal at first; one bit is right with probability p: gap^2 + 4 gap^2 p (1 - p)."""
    gap = 0.3
    p = 0.5 + gap * math.tanh(epsilon / 2)
    assert bits.coins_distance(gap, 1, epsilon) == pytest.approx(gap**2)
    assert bits.coins_distance(gap, 2, epsilon) == pytest.approx(gap**2 * (1 + 4 * p * (1 - p)))


@pytest.mark.parametrize(("profile", "many"), [("quick", 30), ("full", 400)])
def test_distances_on_blocks_have_a_fourth_of_the_error_on_either_side(profile, many, games, monkeypatch):
    asked = []
    monkeypatch.setattr(
        bits, "upper", lambda run, shared, truth, **words: asked.append((shared, truth, words)) or 4e5
    )
    monkeypatch.setattr(bits, "public", lambda *words: words)
    low, high = bits.block_distance.__wrapped__(profile, 5, "sign_bits")
    [(f, key, words)] = games
    np.testing.assert_array_equal(f, instances.paired_blocks(32, 0.06))
    assert key == ("blocks",)
    assert words == {"scheme": "sign_bits", "horizon": 10**6, "replicates": many, "grid": 100}
    [(shared, truth, options)] = asked
    assert (shared[0] is f, shared[1:], truth) == (True, ("sign_bits", 1.0, 10**6), 0)
    assert options == {"quantity": "tv", "false_alarm": pytest.approx(0.25e-9)}
    assert high == pytest.approx(0.4)
    assert low == pytest.approx(regret.risk_lower(0.1 + SPREAD / 100, false_alarm=0.25e-9))


@pytest.fixture
def brackets(monkeypatch):
    """Brackets that say which one they are: 3 i below, 7 i above, 2 i in distance."""
    calls = []

    def bracketed(*words):
        calls.append(words)
        i = float(len(calls))
        lower, upper, far = np.array([i, 2 * i]), np.array([3 * i, 4 * i]), np.array([i, i])
        return SimpleNamespace(lower=lower, upper=upper, variation=far)

    def shared(f, scheme, epsilon, horizon, **words):
        about = {"scheme": scheme, "epsilon": epsilon, "horizon": horizon, **words}
        return SimpleNamespace(f=f, about=about, hypotheses=np.empty((1, f.shape[-2], 1)))

    monkeypatch.setattr(regret, "bracketed", bracketed)
    monkeypatch.setattr(regret, "public_scheme", shared)
    monkeypatch.setattr(regret, "uniform_losses", lambda f, truth: (f.size + truth, f.size / 100 + truth))
    monkeypatch.setattr(regret, "frozen_losses", lambda s, truth: (s.f.size + 5 + truth, s.f.size / 50 + truth))
    return calls


def test_every_named_class_is_bracketed_for_every_truth_of_four(brackets, monkeypatch):
    """Distances are held against the root of the bound over 2 T; of sixteen truths the first is taken."""
    classes = {
        "four": (np.ones((4, 3)), "iid"),
        "turns": (np.ones((2, 4, 3)), "periodic"),
        "many": (np.ones((16, 2)), "iid"),
    }
    monkeypatch.setattr(regret.instances, "named", lambda: classes)
    asked = []
    monkeypatch.setattr(regret, "bound", lambda scheme, **words: asked.append((scheme, words)) or 8.0)
    data = regret.theorem_grid.__wrapped__("pure", "quick", 5)
    settings = instances.SIZES["quick"].settings
    cells = [(e, t, name, j) for e, t in settings for name in classes for j in range(1 if name == "many" else 4)]
    sizes = [(16 if name == "many" else 4, e, t) for e, t in settings for name in classes]
    assert asked == [("pure", {"n_hypotheses": k, "n_labels": 1, "horizon": t, "epsilon": e}) for k, e, t in sizes]
    for i, (row, (e, t, name, j), (shared, truth, contexts)) in enumerate(
        zip(data.itertuples(), cells, brackets, strict=True), 1
    ):
        f, turns = classes[name]
        assert (shared.f is f, truth, contexts) == (True, j, turns)
        assert shared.about == {"scheme": "pure", "epsilon": e, "horizon": t}
        assert (row.instance, row.truth, row.epsilon, row.horizon) == (name, j, e, t)
        assert (row.n_hypotheses, row.risk_lower, row.risk_learned) == (f.shape[-2], 3 * i, 7 * i)
        assert (row.tv_lower, row.tv_learned) == (0, pytest.approx(2 * i / t))
        assert (row.risk_bound, row.tv_bound) == (8, pytest.approx(2 / math.sqrt(t)))
        assert (row.risk_uniform, row.risk_frozen) == (t * (f.size + j), t * (f.size + 5 + j))
        assert (row.tv_uniform, row.tv_frozen) == pytest.approx((f.size / 100 + j, f.size / 50 + j))


@pytest.mark.parametrize(("profile", "labels", "largest"), [("quick", 200, 16), ("full", 1000, 64)])
def test_large_classes_are_bracketed_at_a_hundred_million_million_rounds(
    profile, labels, largest, brackets, monkeypatch
):
    asked = []
    monkeypatch.setattr(regret, "bound", lambda **words: asked.append(words) or 8.0)
    data = regret.large_classes.__wrapped__(profile, 5)
    cells = [("pure", largest, None)]
    cells += [("approximate", k, delta) for k in (2, 4, 16, 64) for delta in (0.01, 1e-6)]
    for i, (row, words, (shared, truth), (scheme, k, delta)) in enumerate(
        zip(data.itertuples(), asked, brackets, cells, strict=True), 1
    ):
        setting = {"scheme": scheme, "epsilon": 1.0, "horizon": 10**14, "delta": delta or 0.01}
        assert (shared.about, truth, shared.f.shape) == (setting, 0, (k, labels))
        assert words == setting | {"n_hypotheses": k, "n_labels": labels}
        assert (row.scheme, row.n_hypotheses, row.n_labels, row.bound) == (scheme, k, labels, 8)
        assert row.delta == delta or math.isnan(row.delta)
        assert (row.lower, row.learned) == (3 * i, 7 * i)
        assert (row.uniform, row.frozen) == (1e14 * k * labels, 1e14 * (k * labels + 5))


@pytest.mark.parametrize(("profile", "horizons"), [("quick", (10**10,)), ("full", (10**10, 10**12))])
def test_contexts_that_are_chosen_cost_the_worst_one_throughout(profile, horizons, brackets, monkeypatch):
    """Uniform weights cost the mean over contexts; frozen ones may cost the largest."""
    asked = []
    monkeypatch.setattr(regret, "chosen_visits", lambda *words: asked.append(words) or "visits")
    monkeypatch.setattr(regret, "bracket", lambda *words: regret.bracketed(*words))
    f = np.ones((3, 4, 6)) * np.array([1.0, 2, 3])[:, None, None]
    monkeypatch.setattr(regret.instances, "named", lambda: {"three contexts, i.i.d.": (f, "iid")})
    monkeypatch.setattr(regret, "uniform_losses", lambda f, truth: (f[0, 0] + truth, -1.0))
    monkeypatch.setattr(regret, "frozen_losses", lambda s, truth: (10 * s.f[0, 0] + truth, -1.0))
    data = regret.chosen_contexts.__wrapped__(profile, 5, "greedy", 0.5)
    cells = [(t, j) for t in horizons for j in range(4)]
    for i, (row, (t, j), words, (shared, truth, visits)) in enumerate(
        zip(data.itertuples(), cells, asked, brackets, strict=True), 1
    ):
        assert (words, truth, visits) == ((shared, j, "greedy"), j, "visits")
        assert shared.about == {"scheme": "pure", "epsilon": 0.5, "horizon": t}
        assert (row.horizon, row.truth, row.uniform, row.frozen) == (t, j, t * (2 + j), t * (30 + j))
        assert (row.lower, row.learned) == (3 * i, 7 * i)
        known = regret.bounds.theorem_5(n_hypotheses=4, horizon=t, epsilon=0.5)
        assert row.bound == pytest.approx(known)


@pytest.mark.parametrize("scheme", ["pure", "randomized_response"])
@pytest.mark.parametrize(("profile", "step", "grid"), [("quick", 4, 100), ("full", 1, 200)])
def test_close_coins_are_those_that_a_scheme_just_fails_on(scheme, profile, step, grid, games):
    data, samples = regret.close_coins.__wrapped__(profile, 5, scheme)
    horizons = [10**p for p in range(8, 17, step)]
    assert data["horizon"].to_list() == horizons
    np.testing.assert_allclose(samples, (10 * np.arange(1, len(horizons) + 1) + SPREAD[:, None]) / 100)
    for row, (f, key, words) in zip(data.itertuples(), games, strict=True):
        gap = instances.hardest_gap(row.horizon, 1.0)
        if scheme == "randomized_response":
            sizes = {"n_hypotheses": 2, "n_labels": 2, "horizon": row.horizon, "epsilon": 1.0}
            gap = 1.2 * regret.bounds.randomized_response_tv(**sizes)
        np.testing.assert_array_equal(f, instances.close_pair(gap))
        assert (row.gap, key) == (gap, ("coins",))
        assert words == {"scheme": scheme, "horizon": row.horizon, "replicates": 400, "grid": grid}
        theorem = regret.bounds.theorem_6(n_hypotheses=2, horizon=row.horizon, epsilon=1.0)
        assert row.theorem_6 == pytest.approx(theorem)
    np.testing.assert_allclose(data["mean"], samples.mean(axis=0))
    np.testing.assert_allclose(data["high"] - data["mean"], HALF / 100)


def test_fixed_coins_are_played_at_the_horizons_of_close_ones(games, monkeypatch):
    asked = []
    frame = regret.pd.DataFrame({"horizon": [100, 1000]})
    monkeypatch.setattr(regret, "close_coins", lambda *words: asked.append(words) or (frame, None))
    data, samples = regret.tv_over_horizons.__wrapped__("quick", 5)
    assert asked == [("quick", 5)]
    known = [(("fixed coins",), {"horizon": t, "grid": 100}) for t in (100, 1000)]
    assert [(key, words) for _, key, words in games] == known
    for f, *_ in games:
        np.testing.assert_array_equal(f, instances.close_pair(0.3))
    np.testing.assert_allclose(samples, (np.array([10, 20]) + SPREAD[:, None]) / 100)
    assert data[["horizon", "gap"]].to_numpy().tolist() == [[100, 0.3], [1000, 0.3]]
    np.testing.assert_allclose(data["mean"], [0.115, 0.215])


@pytest.mark.parametrize("epsilon", [1.0, 0.3])
def test_calibrations_are_compared_on_two_classes(epsilon, games, monkeypatch):
    """Twelve games with limits on either side; exact privacy losses are those of Algorithm 2."""
    asked = []
    monkeypatch.setattr(regret.privacy, "privacy_loss", lambda f, **words: asked.append((len(f), words)) or 9.0)
    data = regret.printed_and_corrected.__wrapped__("quick", 5, *([] if epsilon == 1 else [epsilon]))
    names, kinds = ("K=2, M=50", "K=4, M=8"), ("printed", "corrected", "tight")
    cells = [(n, s, c) for n in names for s in ("pure", "approximate") for c in kinds]
    level = {} if epsilon == 1 else {"epsilon": epsilon}
    for i, ((f, key, words), (name, scheme, kind), row) in enumerate(
        zip(games, cells, data.itertuples(), strict=True), 1
    ):
        known = instances.one_against_many(50) if name == names[0] else instances.dirichlet(4, 8)
        np.testing.assert_array_equal(f, known)
        assert (key, words) == ((name,), {"scheme": scheme, "horizon": 10**12, "calibration": kind, **level})
        half = stats.t.isf(1e-9 / 24, 3) * math.sqrt(5 / 12)
        mean = 10 * i + 1.5
        assert (row.upper, row.lower, row.mean) == pytest.approx((mean + half, mean - half, mean))
        assert (row.instance, row.scheme, row.calibration) == (name, scheme, kind)
        assert row.privacy_loss == pytest.approx(9 if scheme == "pure" else math.nan, nan_ok=True)
    common = {"epsilon": epsilon, "horizon": 10**12}
    assert asked == [(k, common | {"calibration": kind}) for k in (2, 4) for kind in kinds]


@pytest.mark.parametrize("scheme", [None, "approximate", "non_private"])
def test_a_game_has_the_sizes_of_the_profile_unless_others_are_named(scheme, monkeypatch):
    """Algorithm 2 unless another scheme is named; delta is 0.01, of Algorithm 1 alone."""
    asked = []
    monkeypatch.setattr(
        regret, "simulate", lambda f, *, rng, **words: asked.append(words | {"draw": rng.random()})
    )
    options = {"scheme": scheme} if scheme else {}
    for key, replicates in (("one", None), ("one", 7), ("other", None)):
        regret.play(
            None, "quick", 5, key, horizon=9, **options, **({"replicates": replicates} if replicates else {})
        )
    draws = [words.pop("draw") for words in asked]
    assert draws[0] == draws[1] != draws[2]
    delta = 0.01 if scheme == "approximate" else None
    known = {"scheme": scheme or "pure", "grid": 200, "horizon": 9, "delta": delta}
    assert asked == [known | {"replicates": n} for n in (40, 7, 40)]


def test_upper_bounds_on_the_risk_by_scheme():
    sizes = {"n_hypotheses": 4, "horizon": 10**10, "epsilon": 0.5}
    known = {
        "pure": regret.bounds.theorem_5(**sizes),
        "approximate": regret.bounds.theorem_4(**sizes, delta=0.01),
        "randomized_response": regret.bounds.randomized_response(**sizes, n_labels=8),
        "non_private": math.log(4),
    }
    assert len(set(known.values())) == 4
    for scheme, value in known.items():
        assert regret.bound(scheme, **sizes, n_labels=8) == pytest.approx(value)


@pytest.mark.parametrize(("profile", "many"), [("quick", 34), ("full", 100)])
def test_privacy_losses_are_of_both_calibrations_at_horizons_in_equal_ratios(profile, many, monkeypatch):
    """From 10 to 10^12; in units of epsilon."""
    asked = []
    monkeypatch.setattr(
        privacy.privacy, "privacy_loss", lambda f, **words: asked.append((f.shape, words)) or float(len(asked))
    )
    data = privacy.privacy_losses.__wrapped__(profile, 5, 0.5)
    horizons = sorted({round(10 * 1e11 ** (i / (many - 1))) for i in range(many)})
    names = {"one against 49 labels": (2, 50), "three labels": (2, 3), "Dirichlet(0.3), K=4, M=8": (4, 8)}
    cells = [(n, t, c) for n in names for t in horizons for c in ("printed", "corrected")]
    assert len(asked) == len(cells)
    for (shape, words), (name, horizon, calibration) in zip(asked, cells, strict=True):
        assert words == {"epsilon": 0.5, "horizon": pytest.approx(horizon, rel=1e-9), "calibration": calibration}
        assert shape == names[name]
    assert list(zip(data["instance"], data["calibration"], strict=True)) == [(n, c) for n, _, c in cells]
    assert data["loss"].to_list() == [2.0 * (i + 1) for i in range(len(cells))]
    assert data["horizon"].to_list() == [words["horizon"] for _, words in asked]


@pytest.mark.parametrize(("profile", "first", "many"), [("quick", 2, 7), ("full", 1, 31)])
def test_scales_of_noise_for_two_deltas_up_to_a_thousand_hypotheses(profile, first, many, monkeypatch):
    """Splitting epsilon among K costs K / epsilon."""
    asked = []

    def answer(name):
        return lambda *sizes, **words: asked.append((name, sizes, words)) or float(len(asked))

    monkeypatch.setattr(privacy.bounds, "printed_unit_scale", answer("printed"))
    monkeypatch.setattr(privacy.bounds, "advanced_unit_scale", answer("lemma"))
    monkeypatch.setattr(privacy.composition, "laplace_scale", answer("exact"))
    data = privacy.noise_scales.__wrapped__(profile, 5, 0.5)
    sizes = sorted({round(first * (1000 / first) ** (i / (many - 1))) for i in range(many)})
    cells = [(k, delta) for k in sizes for delta in (0.01, 1e-6)]
    assert list(zip(data["n"], data["delta"], strict=True)) == cells
    for i, (k, delta) in enumerate(cells):
        words = {"epsilon": 0.5, "delta": delta}
        named = words | {"n_hypotheses": k}
        assert asked[3 * i : 3 * i + 3] == [("printed", (), named), ("lemma", (), named), ("exact", (k,), words)]
    numbers = 3 * np.arange(len(cells))[:, None] + [1, 2, 3]
    np.testing.assert_array_equal(data[["printed", "lemma_2", "exact"]], numbers)
    np.testing.assert_allclose(data["plain"], 2 * data["n"])


@pytest.fixture
def messages(monkeypatch):
    """What was asked about Bayes' rule on Algorithm 2's messages; costs and tails are given."""
    asked, rule = {"play": [], "upper": [], "shared": []}, regret.posterior

    def shared(f, scheme, epsilon, horizon):
        asked["shared"].append((f, scheme, epsilon, horizon))
        return SimpleNamespace(channels=["channel"], masses=f[None], epsilon=epsilon)

    def play(laws, masses, rounds, *, truth, replicates, rng):
        asked["play"].append((laws, rounds[-1], truth, replicates, rng.random()))
        return np.array([[1.0, 2.0], [3.0, 8.0]])

    def upper(costs, *, largest, tails, false_alarm):
        asked["upper"].append((costs.tolist(), false_alarm))
        return 20.0

    def tails(laws, rounds, *, truth, apart):
        assert (laws, rounds[-1], truth, apart.argmin()) == ("classes", 10**10, 0, 0)
        return np.array([2.0, 5.0]), None

    bracket = SimpleNamespace(lower=np.array([1.0, 2]), upper=np.array([3.0, 4]))
    monkeypatch.setattr(regret, "public_scheme", shared)
    monkeypatch.setattr(regret, "bracketed", lambda *_: bracket)
    monkeypatch.setattr(rule, "message_classes", lambda shared: "classes")
    monkeypatch.setattr(rule, "class_laws", lambda *words: words[2])
    monkeypatch.setattr(rule, "play", play)
    monkeypatch.setattr(rule, "tails", tails)
    monkeypatch.setattr(rule, "privacy_loss", lambda shared, classes: 6 * shared.epsilon)
    monkeypatch.setattr(regret.certify, "truncated_upper", upper)
    return asked


def test_bayes_rule_and_algorithm_2_read_the_same_messages(games, messages):
    """Four classes: limits of both, the mean of response, and the loss in units of epsilon."""
    data = regret.posterior_risks.__wrapped__("quick", 5)
    cells = [(8, 0.3, 1.0), (8, 1.0, 1.0), (8, 0.3, 0.1), (1024, 1.0, 1.0)]
    assert messages["upper"] == [([[1, 2], [2, 5]], pytest.approx(0.25e-9))] * 4
    assert [call[:4] for call in messages["play"]] == [("classes", 10**10, 0, 100)] * 4
    assert len({call[4] for call in messages["play"]}) == 4
    for i, (row, (m, share, epsilon)) in enumerate(zip(data.itertuples(), cells, strict=True), 1):
        f, key, words = games[i - 1]
        np.testing.assert_array_equal(f, instances.dirichlet(4, m, concentration=share))
        assert (messages["shared"][i - 1][0] == f).all()
        assert messages["shared"][i - 1][1:] == ("pure", epsilon, 10**10)
        options = {"scheme": "randomized_response", "epsilon": epsilon, "horizon": 10**10}
        assert (key, words) == (("posterior", m, share), options | {"grid": 100, "replicates": 20})
        assert (row.epsilon, row.mean, row.upper, row.lower_2, row.upper_2) == (epsilon, 7, 20, 3, 7)
        assert (row.response, row.loss) == (10 * i + 1.5, pytest.approx(6))
        assert row.instance == f"Dirichlet({share:g}), M={m}"


def test_stretches_are_even_and_growing_ones():
    """A thousand rounds of either kind, rounded, none twice: from 0 to the horizon."""
    edges = regret.stretches(10**8)
    even = [round(10**8 * i / 999) for i in range(1000)]
    growing = [round(10 ** (8 * i / 999)) for i in range(1000)]
    assert edges.tolist() == pytest.approx(sorted({*even, *growing}), abs=1)


def test_contexts_in_turn_are_visited_one_after_the_other(monkeypatch):
    """Of three contexts in turn the first had 1 of 1 rounds and 2 of 4; equally likely ones have a third each."""
    asked = []
    monkeypatch.setattr(regret, "bracket", lambda *words, **named: asked.append((words, named)))
    monkeypatch.setattr(regret, "stretches", lambda horizon: np.arange(horizon + 1.0))
    scheme = SimpleNamespace(horizon=5, masses=[None] * 3)
    regret.bracketed(scheme, 2, "periodic")
    regret.bracketed(scheme, 2)
    ((_, truth, visits), none), ((_, other, rounds), law) = asked
    visited = [[sum(t % 3 == x for t in range(n)) for x in range(3)] for n in range(6)]
    assert (visits.tolist(), none, truth, other) == (visited, {}, 2, 2)
    assert rounds.tolist() == [[n] for n in range(6)]
    assert law["law"].tolist() == pytest.approx([1 / 3] * 3)
