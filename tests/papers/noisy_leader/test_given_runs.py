"""What experiments ask of simulators and limits, and make of runs that are given: every number has its place."""

import math
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replicate import environments, mechanisms
from replicate.papers.noisy_leader import algorithms
from replicate.papers.noisy_leader.checks import lemmas
from replicate.papers.noisy_leader.experiments import deterministic, growth, limits, privacy, regret
from replicate.papers.noisy_leader.instances import HORIZON, INSTANCES, SIZES, means_of
from replicate.streams import stream

NOISES = ("laplace", "exponential", "gumbel")


@pytest.fixture
def runs(monkeypatch):
    """What was asked of the simulator; the i-th run has regrets i to i + 3 after 3 rounds, i less after one."""
    calls = []

    def simulate(env, *, rng, **words):
        calls.append(words | {"env": env, "draw": rng.random()})
        last = len(calls) + np.arange(4.0)
        return SimpleNamespace(
            final=last, rounds=np.array([1, 3]), regret=np.stack([last - len(calls), last], axis=1)
        )

    for module in (deterministic, growth, regret, limits):
        monkeypatch.setattr(module.algorithms, "simulate", simulate)
    yield calls
    assert len({words["draw"] for words in calls}) == len(calls)


def words_of(call, *left_out):
    return {name: value for name, value in call.items() if name not in ("draw", "env", *left_out)}


def test_all_noises_are_compared():
    assert set(mechanisms.NOISES) == set(NOISES)


def test_the_sandwich_holds_exact_regrets_and_bounds_for_every_k(monkeypatch):
    asked = []
    monkeypatch.setattr(
        deterministic, "lower_bound_regret", lambda name, **words: asked.append((name, words)) or len(asked)
    )
    data = deterministic.sandwich.__wrapped__(0.2, 1000)
    learners = (*mechanisms.NOISES, "prefix_softmax")
    known = [
        (name, {"n_actions": 2**i, "epsilon": 0.2, "horizon": 1000}) for i in range(1, 15) for name in learners
    ]
    assert asked == known
    np.testing.assert_array_equal(data[list(learners)].to_numpy().ravel(), np.arange(1, 57))
    bounds = deterministic.bounds
    for row in data.itertuples():
        words = {"n_actions": row.n_actions, "epsilon": 0.2}
        assert row.epsilon == 0.2
        numbers = (row.theorem_3, row.theorem_3_sum, row.theorem_4, row.potential)
        assert numbers == pytest.approx((
            bounds.theorem_3(**words, horizon=1000), bounds.theorem_3_sum(**words, horizon=1000),
            bounds.theorem_4(**words), bounds.potential(n_actions=row.n_actions, noise="gumbel", scale=10.0),
        ))  # fmt: skip


def test_regrets_on_the_lower_bound_s_instances_are_those_of_the_learner_that_is_named(monkeypatch):
    """One action loses nothing, the others 1; who knows it, nothing; printed noise has the scale 1 / epsilon."""
    words, asked = {"n_actions": 3, "epsilon": 0.5, "horizon": 100}, []
    assert deterministic.lower_bound_regret("clairvoyant", **words) == 0
    exact = deterministic.algorithms.exact_regret

    def recorded(means, **given):
        asked.append((list(means), given))
        return exact(means, **given)

    monkeypatch.setattr(deterministic.algorithms, "exact_regret", recorded)
    printed = deterministic.lower_bound_regret("exponential as printed", **words)
    shared = {"epsilon": 0.5, "horizon": 100, "noise": "exponential"}
    assert asked == [([0, 1, 1], shared | {"calibration": "printed"})]
    corrected = deterministic.lower_bound_regret("exponential", **(words | {"epsilon": 1.0}))
    assert printed == pytest.approx(corrected)
    assert corrected == pytest.approx(
        float(exact(np.array([0.0, 1, 1]), epsilon=1.0, horizon=100, noise="exponential").final[0])
    )


@pytest.mark.parametrize(("profile", "powers"), [("quick", range(1, 9, 2)), ("full", range(1, 15, 2))])
def test_regret_by_actions_is_exact_without_resampling_and_drawn_with(profile, powers, runs, monkeypatch):
    """Gaps 0.25; up to 2^8 actions with Laplace noise, up to 2^12 with others."""
    asked = []
    monkeypatch.setattr(
        deterministic.algorithms,
        "exact_regret",
        lambda means, **words: (
            asked.append((means, words)) or SimpleNamespace(final=np.array([1000.0 + len(asked)]))
        ),
    )
    data = deterministic.regret_by_actions.__wrapped__(profile, 5)
    cells = [(2**p, noise) for p in powers for noise in mechanisms.NOISES]
    common = {"epsilon": 0.1, "horizon": 2**40}
    exact, drawn = data[~data["resampled"]], data[data["resampled"]]
    for i, ((means, words), (k, noise), row) in enumerate(zip(asked, cells, exact.itertuples(), strict=True), 1):
        assert means.tolist() == [0.25] + [0.5] * (k - 1)
        assert words == common | {"noise": noise}
        assert (row.n_actions, row.noise, row.regret, row.low, row.high) == (k, noise, *[1000 + i] * 3)
    rest = [(k, noise) for k, noise in cells if k <= (2**8 if noise == "laplace" else 2**12)]
    half = stats.t.isf(0.005, 3) * math.sqrt(5 / 12)
    for i, (call, (k, noise), row) in enumerate(zip(runs, rest, drawn.itertuples(), strict=True), 1):
        assert call["env"].means.tolist() == [0.25] + [0.5] * (k - 1)
        assert words_of(call) == common | {
            "noise": noise,
            "replicates": SIZES[profile].replicates,
            "resample": True,
        }
        assert (row.n_actions, row.noise) == (k, noise)
        assert (row.regret, row.low, row.high) == pytest.approx((i + 1.5, i + 1.5 - half, i + 1.5 + half))


def test_the_cost_of_resampling_is_limited_below(runs, monkeypatch):
    """Epochs of one and two rounds cost at most the gap and twice the gap; nine limits share a claim's error."""
    asked, lower = [], []
    monkeypatch.setattr(
        deterministic.algorithms,
        "exact_regret",
        lambda means, **words: asked.append((means.tolist(), words)) or SimpleNamespace(final=np.array([7.0])),
    )
    monkeypatch.setattr(deterministic.limits, "lower", lambda costs, **words: lower.append((costs, words)) or 3.0)
    data = deterministic.resampling_cost.__wrapped__("quick", 5)
    cells = [(gap, noise) for gap in (0.1, 0.01, 0.001) for noise in mechanisms.NOISES]
    common = {"epsilon": 1.0, "horizon": 2**40 - 1}
    half = stats.t.isf(0.005, 3) * math.sqrt(5 / 12)
    for i, (row, call, (costs, words), (gap, noise)) in enumerate(
        zip(data.itertuples(index=False), runs, lower, cells, strict=True), 1
    ):
        assert asked[i - 1] == (call["env"].means.tolist(), common | {"noise": noise})
        assert call["env"].means.tolist() == [0.5, 0.5 + gap]
        assert words_of(call) == common | {"noise": noise, "replicates": 200, "resample": True}
        assert costs.tolist() == [[j, i] for j in range(4)]
        assert words == {"largest": pytest.approx([gap, 2 * gap]), "false_alarm": pytest.approx(1e-9 / 9)}
        corollary = deterministic.bounds.corollary_3(n_actions=2, epsilon=1.0, noise=noise)
        assert tuple(row) == (gap, noise, 7, i + 1.5, pytest.approx(i + 1.5 - half), 3, corollary)


@pytest.mark.parametrize(("factor", "share"), [("1", 1.0), ("log K", None)])
def test_the_search_is_of_all_splits_unless_noise_is_multiplied(factor, share, monkeypatch):
    """At full sizes every split, at quick ones the first and the sixth; times epsilon = 0.001 and its bounds."""
    asked = []
    monkeypatch.setattr(growth, "_worst", lambda *words: asked.append(words) or float(len(asked)))
    data = growth.deterministic_growth.__wrapped__("full", 5, factor)
    cells = [(noise, 2**p) for noise in mechanisms.NOISES for p in range(2, 15, 2)]
    assert len({words[4].random() for words in asked}) == len(cells)
    for i, (row, (noise, k), words) in enumerate(zip(data.itertuples(), cells, asked, strict=True), 1):
        scale = 2000 * (share or math.log(k))
        shares, name, given, searches, _ = words
        known = growth.splits(k) if factor == "1" else growth.splits(k)[:1]
        assert [list(s) for s in shares] == [list(s) for s in known]
        assert (name, given, searches) == (noise, pytest.approx(scale), 1)
        assert (row.noise, row.n_actions, row.regret) == (noise, k, i)
        sizes, bounds = {"n_actions": k, "epsilon": 1e-3}, growth.bounds
        numbers = (bounds.potential(n_actions=k, noise=noise, scale=scale), bounds.theorem_4(**sizes))
        numbers = (*numbers, bounds.corollary_3(**sizes, noise=noise))
        assert (row.potential, row.theorem_4, row.corollary_3) == pytest.approx([1e-3 * x for x in numbers])


def test_quick_searches_take_the_first_and_the_last_split(monkeypatch):
    asked = []
    monkeypatch.setattr(growth, "_worst", lambda shares, *_: asked.append([list(s) for s in shares]) or 1.0)
    growth.deterministic_growth.__wrapped__("quick", 5, "1")
    by_k = [[[1, k - 1], [1, *blocks]] for k, blocks in ((16, [1, 2, 4, 8]), (64, [1, 2, 4, 8, 16, 32]))]
    assert [asked[1], asked[2]] == by_k


def test_splits_of_sixteen_actions():
    known = [[15], [1, 14], [3, 12], [14, 1], [1, 3, 11], [1, 2, 4, 8]]
    assert [list(s) for s in growth.splits(16)] == [[1, *share] for share in known]
    assert [list(s) for s in growth.splits(4)] == [
        [1, 3],
        [1, 1, 2],
        [1, 1, 2],
        [1, 2, 1],
        [1, 1, 1, 1],
        [1, 1, 2],
    ]


@pytest.mark.parametrize("power", [0.5, 2.0])
def test_the_slope_of_a_power_law_is_its_power(power):
    k = 2.0 ** np.arange(2, 15, 2)
    rows = pd.DataFrame({"n_actions": k, "regret": 3 * np.log(k) ** power})
    slope, steepest = growth.deterministic_slope(rows)
    assert (slope.estimate, slope.low, slope.high, steepest) == pytest.approx([power] * 4)


def test_the_interval_of_a_slope_is_student_s():
    """Log regrets 0, 2 and 1 over three equal steps s: slope 1 / (2 s), residuals 1/2, 1 and 1/2."""
    s = 0.5
    x = np.array([1, 1 + s, 1 + 2 * s])
    rows = pd.DataFrame({"n_actions": np.exp(np.exp(x)), "regret": np.exp([0.0, 2, 1])})
    slope, steepest = growth.deterministic_slope(rows, level=0.9)
    half = stats.t.isf(0.05, 1) * math.sqrt(1.5 / (2 * s**2))
    assert (slope.estimate, slope.low, slope.high) == pytest.approx(
        (1 / (2 * s), 1 / (2 * s) - half, 1 / (2 * s) + half)
    )
    assert steepest == pytest.approx(2 / s)


def test_families_are_run_in_units_of_one_over_gap_and_ten(runs):
    n_actions, samples = growth.family_growth.__wrapped__("quick", 5)
    assert n_actions.tolist() == [4, 16, 64, 256]
    cases = [(name, gap) for name in INSTANCES for gap in (0.5, 0.35, 0.2, 0.1, 0.02)]
    assert list(samples) == cases
    calls = iter(runs)
    for i, ((name, gap), values) in enumerate(samples.items()):
        for j, k in enumerate((4, 16, 64, 256)):
            call = next(calls)
            assert call["env"].means.tolist() == pytest.approx(means_of(name, k, gap).tolist())
            known = {"epsilon": 0.1, "horizon": 2**40, "replicates": 48, "noise": "gumbel", "resample": True}
            assert words_of(call) == known
            np.testing.assert_allclose(values[:, j], (4 * i + j + 1 + np.arange(4)) / (1 / gap + 10))


def test_the_worst_family_of_each_k_is_that_with_the_largest_mean(monkeypatch):
    """The largest K of full sizes takes that of the one before."""
    samples = {"one": np.array([[1.0, 9], [3, 0]]), "other": np.array([[2.0, 5], [1, 5]])}
    monkeypatch.setattr(growth, "family_growth", lambda *_: (np.array([4, 2**10]), samples))
    assert growth._worst_cases("quick", 5) == {4: "one", 2**10: "other"}
    assert growth._worst_cases("full", 5) == {4: "one", 2**10: "other", 2**12: "other"}


def test_slopes_of_families_stand_beside_their_shape_and_gap(monkeypatch):
    values = np.ones((3, 2))
    monkeypatch.setattr(
        growth, "family_growth", lambda *_: ("sizes", {("linear", 0.1): values, ("one", 0.5): values})
    )
    asked = []

    def slope(*words, false_alarm):
        asked.append((*words, false_alarm))
        return SimpleNamespace(estimate=2, low=1, high=4)

    monkeypatch.setattr(growth, "simulated_slope", slope)
    data = growth.family_slopes("quick", 5)
    assert [(sizes, given is values, alarm) for sizes, given, alarm in asked] == [("sizes", True, 0.01)] * 2
    assert data.to_numpy().tolist() == [["linear", 0.1, 2, 1, 4], ["one", 0.5, 2, 1, 4]]
    assert data.columns.to_list() == ["gaps", "smallest gap", "exponent", "low", "high"]


LARGEST = {"gumbel": 4, "exponential": 3, "laplace": 2}
"""On how many of K = 4, 2^10, 2^12 and 2^14 each noise is run."""


@pytest.mark.parametrize("factor", ["1", "log K"])
def test_noises_are_run_on_the_worst_families_as_far_as_they_can(factor, runs, monkeypatch):
    sizes = (4, 2**10, 2**12, 2**14)
    worst = dict.fromkeys(sizes, ("linear gaps", 0.1))
    monkeypatch.setattr(growth, "_worst_cases", lambda *_: worst)
    n_actions, samples, given = growth.simulated_growth.__wrapped__("full", 5, factor)
    assert (n_actions.tolist(), given) == (list(sizes), worst)
    assert {name: x.shape for name, x in samples.items()} == (
        {name: (4, n) for name, n in LARGEST.items()} if factor == "1" else {"gumbel": (4, 4)}
    )
    cells = [(noise, k) for noise, x in samples.items() for k in sizes[: x.shape[1]]]
    for i, (call, (noise, k)) in enumerate(zip(runs, cells, strict=True), 1):
        epsilon = 0.1 / (math.log(k) if factor == "log K" else 1)
        assert call["env"].means.tolist() == means_of("linear gaps", k, 0.1).tolist()
        known = {
            "epsilon": pytest.approx(epsilon),
            "horizon": 2**40,
            "replicates": 24,
            "noise": noise,
            "resample": True,
        }
        assert words_of(call) == known
        np.testing.assert_allclose(samples[noise][:, sizes.index(k)], (i + np.arange(4)) / 20)


@pytest.mark.parametrize("factor", ["1", "log K"])
def test_ladders_have_gaps_from_epsilon_to_a_half(factor, runs, monkeypatch):
    """Epsilon is 1 / (4 K), and regrets are in units of 1 / epsilon."""
    others = {"gumbel": np.ones((2, 3)), "laplace": np.ones((2, 1))}
    monkeypatch.setattr(growth, "simulated_growth", lambda *words: (np.array([4, 16, 64]), others, words))
    samples = growth.ladders.__wrapped__("quick", 5, factor)
    cells = [("gumbel", 4), ("gumbel", 16), ("gumbel", 64), ("laplace", 4)]
    for i, (call, (noise, k)) in enumerate(zip(runs, cells, strict=True), 1):
        epsilon, means = 1 / (4 * k), call["env"].means - 0.25
        assert means[0] == 0
        ratio = (2 * k) ** (1 / (k - 2))
        np.testing.assert_allclose(means[1:], epsilon * ratio ** np.arange(k - 1))
        words = {"horizon": 2**40, "replicates": 24, "noise": noise, "resample": True}
        asked = epsilon / (math.log(k) if factor == "log K" else 1)
        assert words_of(call) == words | {"epsilon": pytest.approx(asked)}
        np.testing.assert_allclose(samples[noise][:, (4, 16, 64).index(k)], epsilon * (i + np.arange(4)))


def test_privacy_of_ten_actions_and_of_blocks(monkeypatch):
    """Which losses are asked for: blocks of 1, 2, 256 rounds and any, at the scales 2 / epsilon, or as printed."""
    asked = []
    monkeypatch.setattr(
        privacy.audit,
        "report_noisy_max_privacy_loss",
        lambda k, **words: (
            asked.append((k, words["noise"], words["scale"], words["n_rounds"])) or float(len(asked))
        ),
    )
    data = privacy.privacy_table(0.5, 3)
    cells = [(c, n) for c in privacy.algorithms.CALIBRATIONS for n in mechanisms.NOISES]
    scales = [2.0 if cell == ("printed", "exponential") else 4.0 for cell in cells]
    assert asked == [(3, n, s, m) for (_, n), s in zip(cells, scales, strict=True) for m in (1, 2, 256, None)]
    assert list(zip(data["calibration"], data["noise"], strict=True)) == cells
    assert data["scale"].to_list() == scales
    assert set(data["stated"]) == {0.5}
    np.testing.assert_array_equal(data[["1", "2", "256", "any"]], np.arange(1, 4 * len(cells) + 1).reshape(-1, 4))


def test_every_variant_is_audited_at_its_own_scale(monkeypatch):
    asked = []

    def answer(name, value):
        return lambda *words, **named: asked.append((name, words, named)) or value

    monkeypatch.setattr(privacy.privacy, "certified_loss", answer("certified", 1.0))
    monkeypatch.setattr(privacy.audit, "report_noisy_max_privacy_loss", answer("any", 2.0))
    monkeypatch.setattr(privacy.privacy, "pair_loss", answer("pair", 3.0))
    data = privacy.audit_table.__wrapped__("quick", 5, 0.5)
    cells = [(n, b, "corrected", 4.0) for n in mechanisms.NOISES for b in (False, True)]
    cells += [("exponential", b, "printed", 2.0) for b in (False, True)]
    for row, (noise, resample, calibration, scale), calls in zip(
        data.itertuples(index=False), cells, [asked[3 * i : 3 * i + 3] for i in range(len(cells))], strict=True
    ):
        words = {"scale": scale, "resample": resample}
        assert calls == [
            ("certified", (noise,), words | {"samples": 60_000, "seed": 5}),
            ("any", (2,), {"noise": noise, "scale": scale}),
            ("pair", (noise,), words),
        ]
        assert tuple(row) == (noise, int(resample), calibration, 0.5, 2, 3, 1)


@pytest.mark.parametrize(("profile", "many"), [("quick", 100), ("full", 120)])
def test_the_grid_has_fewer_runs_of_many_actions(profile, many, monkeypatch):
    """At least 50, and 5 times the profile's up to 16 actions; the shapes but the first at the largest K alone."""
    asked = []
    monkeypatch.setattr(
        regret.sweep, "run", lambda cells, function, **words: {c.id: {"costs": i} for i, c in enumerate(cells)}
    )
    monkeypatch.setattr(regret.executors, "opened", nullcontext)
    monkeypatch.setattr(regret, "_grid_row", lambda point, costs, share: asked.append((point, costs, share)) or {})
    regret.regret_grid.__wrapped__(profile, 5)
    sizes = SIZES[profile].n_actions
    points = [("one good arm", k, gap) for k in sizes for gap in (0.5, 0.1, 0.01)]
    points += [(name, sizes[-1], 0.1) for name in ("geometric gaps", "linear gaps", "one near competitor")]
    known = [
        {
            "instance": name,
            "n_actions": k,
            "gap": gap,
            "epsilon": e,
            "noise": noise,
            "replicates": {256: 50}.get(k, many),
        }
        for name, k, gap in points
        for e in (1.0, 0.1)
        for noise in mechanisms.NOISES
    ]
    assert [(point, costs) for point, costs, _ in asked] == list(zip(known, range(len(known)), strict=True))
    assert [share for *_, share in asked] == pytest.approx([0.5e-9 / (2 * len(known) + 4)] * len(known))


def test_a_row_of_the_grid_has_limits_on_either_side(monkeypatch):
    asked = []
    monkeypatch.setattr(regret.limits, "lower", lambda costs, **words: asked.append((costs.sum(), words)) or 1.0)
    monkeypatch.setattr(regret.limits, "upper", lambda *words, **named: asked.append((words, named)) or 9.0)
    point = {"instance": "linear gaps", "n_actions": 3, "gap": 0.25, "epsilon": 0.5, "noise": "gumbel"}
    costs = np.array([[1.0, 2], [3, 4]])
    row = regret._grid_row(point, costs, 0.01)
    (total, words), ((known, given), named) = asked
    assert (total, words["false_alarm"], named, given is costs) == (10, 0.01, {"false_alarm": 0.01}, True)
    assert known.means.tolist() == pytest.approx([0.25, 0.5, 1.0])
    assert (known.noise, known.scale, known.horizon) == ("gumbel", 4.0, HORIZON)
    assert words["largest"].tolist() == known.largest.tolist()
    assert {name: row[name] for name in ("regret", "lower", "upper")} == {"regret": 5, "lower": 1, "upper": 9}
    assert {name: row[name] for name in point} == point
    assert row["uniform"] == pytest.approx(HORIZON / 3)
    setting, bounds = {"n_actions": 3, "gap": 0.25, "epsilon": 0.5}, regret.bounds
    assert row["theorem_1"] == pytest.approx(bounds.theorem_1(**setting, horizon=HORIZON))
    for name in ("theorem_2", "no_horizon", "nearly_optimal_rate", "optimal_rate"):
        assert row[name] == pytest.approx(getattr(bounds, name)(**setting, noise="gumbel"))


@pytest.mark.parametrize("factor", ["1", "log T"])
def test_privacy_falls_as_the_game_grows(factor, monkeypatch):
    """Sixteen actions, gaps from epsilon to 1/2, 256 / epsilon^2 rounds; log2 T / 12 is 1 at epsilon = 1/4."""
    asked = []

    def ladder(known, *, cut, replicates, rng):
        asked.append((known, cut, replicates, rng.random()))
        return len(asked)

    monkeypatch.setattr(regret.limits, "ladder", ladder)
    found = regret.falling_epsilon.__wrapped__("full", 5, factor)
    levels = {2.0**-p: p for p in (2, 6, 10, 14)}
    assert found == {epsilon: i for i, epsilon in enumerate(levels, 1)}
    assert len({draw for *_, draw in asked}) == 4
    for (known, cut, replicates, _), (epsilon, power) in zip(asked, levels.items(), strict=True):
        times = (8 + 2 * power) / 12 if factor == "log T" else 1
        assert (known.noise, known.horizon, replicates) == ("laplace", 2 ** (8 + 2 * power), 480)
        assert known.scale == pytest.approx(2 / epsilon * times)
        assert cut == pytest.approx(40 / epsilon * times)
        gaps = known.means - 0.25
        assert gaps[0] == 0
        np.testing.assert_allclose(gaps[1:], [epsilon * (0.5 / epsilon) ** (i / 14) for i in range(15)])


@pytest.mark.parametrize(("profile", "sizes"), [("quick", (16, 64, 256)), ("full", (16, 64, 256, 1024))])
def test_ladders_are_limited_with_a_share_of_half_a_claim_s_error(profile, sizes, monkeypatch):
    asked, alarms = [], []

    def ladder(known, *, cut, replicates, rng):
        asked.append((known, cut, replicates, rng.random()))
        costs = len(asked) * np.array([[1.0, 2], [3, 4]])
        return SimpleNamespace(limits=lambda false_alarm: alarms.append(false_alarm) or (1.0, 9.0), costs=costs)

    monkeypatch.setattr(regret.limits, "ladder", ladder)
    data = regret.ladders.__wrapped__(profile, 5)
    cells = [(noise, k) for noise in ("gumbel", "exponential") for k in sizes]
    assert alarms == [pytest.approx(0.5e-9 / (4 * len(sizes)))] * len(cells)
    assert len({draw for *_, draw in asked}) == len(cells)
    for i, (row, (noise, k), (known, cut, many, _)) in enumerate(
        zip(data.itertuples(), cells, asked, strict=True), 1
    ):
        epsilon, horizon = 1 / (4 * k), 256 * 16 * k**2
        assert (known.noise, known.scale, known.horizon, len(known.means)) == (noise, 8 * k, horizon, k)
        assert (cut, many) == (pytest.approx((40 + 8 * math.log(k)) * 4 * k), 10 * SIZES[profile].replicates)
        assert (row.instance, row.noise, row.n_actions, row.gap, row.epsilon) == (
            "ladder",
            noise,
            k,
            epsilon,
            epsilon,
        )
        assert (row.lower, row.upper, row.regret) == (1, 9, 5 * i)
        assert row.uniform == pytest.approx(horizon * np.mean(known.means - 0.25))
        bound = regret.bounds.theorem_1(n_actions=k, gap=epsilon, epsilon=epsilon, horizon=horizon)
        assert row.theorem_1 == pytest.approx(bound)


@pytest.mark.parametrize(
    ("profile", "factors", "many"), [("quick", (1.0, 2.0), 120), ("full", (0.5, 1.0, 2.0, 4.0), 120)]
)
def test_the_worst_gap_is_chosen_on_one_half_of_the_runs_and_told_on_the_other(
    profile, factors, many, monkeypatch
):
    """The second multiple is the worst on the first halves, where the largest gap is next."""
    asked = []

    def simulate(env, *, rng, **words):
        asked.append((env.means, words, rng.random()))
        order = len(asked)
        chosen = {2: 9.0, len(factors) + 1: 8.0}.get(order, 1.0)
        return SimpleNamespace(regret=np.repeat([[chosen], [order + 20.0]], 2, axis=0))

    monkeypatch.setattr(regret.algorithms, "simulate", simulate)
    worst, costs = regret._worst_critical_gap(profile, 5, "gumbel", 4, 0.5, 10**6)
    unit = math.sqrt(math.log(4) / 10**6)
    gaps = [*(c * unit for c in factors), 0.5]
    assert (worst, costs.tolist()) == (factors[1], [[22], [22]])
    assert len({draw for *_, draw in asked}) == len(gaps)
    known = {"epsilon": 0.5, "horizon": 10**6, "replicates": many, "noise": "gumbel", "resample": True}
    for (means, words, _), gap in zip(asked, gaps, strict=True):
        assert means.tolist() == pytest.approx([0.5 - gap, 0.5, 0.5, 0.5])
        assert words == known


def test_critical_gaps_are_limited_at_every_horizon(monkeypatch):
    asked, alarms = [], []
    costs = np.array([[1.0, 2], [3, 5]])
    monkeypatch.setattr(
        regret, "_worst_critical_gap", lambda *words: asked.append(words) or (2.0, costs * len(asked))
    )

    def limit(value):
        def found(*words, false_alarm, **named):
            alarms.append((false_alarm, words, named))
            return value

        return found

    monkeypatch.setattr(regret.limits, "lower", limit(1.0))
    monkeypatch.setattr(regret.limits, "upper", limit(9.0))
    data, samples = regret.critical_gaps.__wrapped__("quick", 5)
    cells = [(noise, 2**p) for noise in mechanisms.NOISES for p in (24, 38, 52)]
    assert asked == [("quick", 5, noise, 16, 1.0, t) for noise, t in cells]
    assert [alarm for alarm, *_ in alarms] == pytest.approx([0.5e-9 / 18] * 18)
    for i, (row, (noise, t)) in enumerate(zip(data.itertuples(), cells, strict=True)):
        known = alarms[2 * i + 1][1][0]
        gap = 2 * math.sqrt(math.log(16) / t)
        assert known.means.tolist() == pytest.approx([0.5 - gap, *[0.5] * 15])
        assert (known.noise, known.scale, known.horizon) == (noise, 2.0, t)
        assert alarms[2 * i][2]["largest"].tolist() == known.largest.tolist()
        assert (row.noise, row.n_actions, row.epsilon, row.rounds, row.c) == (noise, 16, 1.0, t, 2.0)
        assert (row.lower, row.upper, row.uniform) == (1, 9, pytest.approx(t * 15 / 16))
        bound = regret.bounds.corollary_2(n_actions=16, epsilon=1.0, horizon=t, noise=noise)
        assert row.bound == pytest.approx(bound)
        np.testing.assert_array_equal(samples[noise][:, i % 3], np.array([3, 8]) * (i + 1))


def test_continuous_losses_are_limited_as_the_grid_is(runs, monkeypatch):
    """Beta(1, 2) and seven Beta(2, 2): gaps of 1/6. Laplace noise without resampling, then all with it."""
    asked = []
    monkeypatch.setattr(regret.limits, "upper", lambda *words, **named: asked.append((words, named)) or 9.0)
    data = regret.continuous_losses.__wrapped__("quick", 5)
    cells = [("laplace", False), *((noise, True) for noise in mechanisms.NOISES)]
    share = pytest.approx(0.5e-9 / (2 * len(regret._grid_cells("quick")) + 4))
    for i, (row, call, ((known, costs), named), (noise, resampled)) in enumerate(
        zip(data.itertuples(), runs, asked, cells, strict=True), 1
    ):
        assert call["env"].means.tolist() == pytest.approx([1 / 3, *[1 / 2] * 7])
        assert known.means.tolist() == call["env"].means.tolist()
        assert (known.noise, known.scale, known.horizon, named) == (noise, 2.0, 2**16, {"false_alarm": share})
        assert costs.tolist() == [[j, i] for j in range(4)]
        horizon = min(2**16, 2 ** known.settled() - 1)
        words = {"epsilon": 1.0, "horizon": horizon, "replicates": 100, "noise": noise, "resample": resampled}
        assert words_of(call) == words
        assert (row.instance, row.noise, row.resampled) == ("Beta losses", noise, resampled)
        assert (row.n_actions, row.gap, row.epsilon) == (8, pytest.approx(1 / 6), 1)
        assert (row.regret, row.upper, row.uniform) == (i + 1.5, 9, pytest.approx(2**16 * 7 / 48))
        bound = regret.bounds.theorem_1(n_actions=8, gap=1 / 6, epsilon=1.0, horizon=2**16)
        assert row.theorem_1 == pytest.approx(bound)


def test_table_1_stands_on_the_grid_s_limits(monkeypatch):
    """Of one good arm at K = 16 and both gap and epsilon 0.1; other rows of the grid are not read."""
    rows = [
        {"instance": name, "n_actions": k, "gap": gap, "epsilon": e, "noise": noise,
         "upper": u, "theorem_1": u + 1, "theorem_2": u + 2}
        for i, (name, k, gap, e) in enumerate((
            ("linear gaps", 16, 0.1, 0.1), ("one good arm", 16, 0.1, 0.1), ("one good arm", 2, 0.1, 0.1),
            ("one good arm", 16, 0.5, 0.1), ("one good arm", 16, 0.1, 1.0),
        ))
        for noise, u in zip(mechanisms.NOISES, (100 * i + 10, 100 * i + 20, 100 * i + 30), strict=True)
    ]  # fmt: skip
    monkeypatch.setattr(regret, "regret_grid", lambda *_: pd.DataFrame(rows))
    asked = []
    monkeypatch.setattr(
        regret.algorithms,
        "exact_regret",
        lambda means, **words: asked.append((means.tolist(), words)) or SimpleNamespace(final=[len(asked)]),
    )
    data = regret.regret_table.__wrapped__("quick", 5)
    upper = dict(zip(mechanisms.NOISES, (110, 120, 130), strict=True))
    bounds, words = regret.bounds, {"n_actions": 16, "epsilon": 0.1}
    known = [(math.nan, math.nan), (upper["laplace"], upper["laplace"] + 1)]
    known += [(upper[n], upper[n] + 2) for n in mechanisms.NOISES]
    known += [(math.nan, math.nan), (upper["laplace"], bounds.corollary_2(**words, horizon=HORIZON))]
    for i, noise in enumerate(mechanisms.NOISES, 1):
        known.append((i, bounds.corollary_3(**words, noise=noise)))
        known += [(i, bounds.theorem_4(**words))] * (noise != "laplace")
    known.append((math.nan, bounds.theorem_3(**words, horizon=HORIZON)))
    np.testing.assert_allclose(data[["measured", "bound"]].astype(float), known)
    arm = pytest.approx([0.4, *[0.5] * 15])
    assert asked == [(arm, {"epsilon": 0.1, "horizon": HORIZON, "noise": noise}) for noise in mechanisms.NOISES]
    assert data["uniform"].to_list() == pytest.approx([HORIZON * 0.1 * 15 / 16] * len(data))
    assert data[["n_actions", "gap", "epsilon"]].drop_duplicates().to_numpy().tolist() == [[16, 0.1, 0.1]]


def test_exponential_noise_is_tried_on_scores_that_differ_and_on_one_leader(monkeypatch):
    """Twenty vectors of every size, no two scores alike; then the others' weights add up to 0.5 to 8."""
    tried = []

    def known(scores):
        tried.append(np.asarray(scores))
        return float(len(tried))

    monkeypatch.setattr(lemmas.lemmas, "flip_over_softmax", known)
    assert lemmas.flip_over_softmax("quick", 5, constant=1.3).measured == len(tried) == 95
    drawn, led = tried[:80], tried[80:]
    assert sorted(len(np.unique(scores)) for scores in drawn) == [2] * 20 + [3] * 20 + [16] * 20 + [200] * 20
    assert len({scores[0] for scores in drawn}) == 80
    assert sorted(len(scores) for scores in led) == [9] * 5 + [65] * 5 + [4097] * 5
    weights = [np.exp(scores[1:] - scores[0]).sum() for scores in led]
    assert sorted(weights) == pytest.approx(np.repeat([0.5, 1.0, 1.7933, 3.0, 8.0], 3))


def test_the_search_starts_at_equal_at_spread_and_at_random_gaps(monkeypatch, rng):
    """Logarithms of gaps: -2, or half a factor of 2 apart up to -2, or uniform from -3.5 to -0.5 each."""
    starts = []

    def climbed(loss, x, *, method, options):
        starts.append((x, options["maxfev"]))
        return SimpleNamespace(fun=-float(len(starts)) if len(starts) < 800 else 0.0)

    monkeypatch.setattr(growth.optimize, "minimize", climbed)
    shares = [np.array([1, 3]), np.array([1, 1, 2, 4])]
    assert growth._worst(shares, "gumbel", 2.0, 500, rng) == 799
    for first, size in ((0, 1), (502, 3)):
        points, most = zip(*starts[first : first + 502], strict=True)
        assert set(most) == {20 + 2505 * size}
        assert points[0] == pytest.approx([-2] * size)
        assert points[1] == pytest.approx([-2 - math.log(2) * i / 2 for i in range(size)][::-1])
        drawn = np.array(points[2:])
        assert stats.kstest(drawn.ravel(), stats.uniform(-3.5, 3).cdf).pvalue > 1e-6
        assert drawn.shape == (500, size)
        assert np.abs(np.corrcoef(drawn.T) - np.eye(size)).max() < 0.25
    assert len(starts) == 1004


# Losses that depend on each other


@pytest.mark.parametrize("noise", ["gumbel", "exponential", "laplace"])
def test_opposite_losses_cost_what_they_cost_when_they_are_drawn(noise):
    """K = 8, gap 0.1, epsilon = 0.1: 2,000 games on two loss vectors, 1 first and 0 elsewhere or the opposite."""
    data = regret.opposite_losses()
    row = data[(data["noise"] == noise) & (data["n_actions"] == 8) & (data["epsilon"] == 0.1)].iloc[0]
    env = environments.Joint(np.array([[1.0] + [0.0] * 7, [0.0] + [1.0] * 7]), np.array([0.45, 0.55]))
    played = algorithms.simulate(
        env, epsilon=0.1, horizon=2**16, replicates=2000, noise=noise, rng=stream(3, "opposite", noise)
    )
    error = played.final.std() / math.sqrt(2000)
    assert row["regret"] == pytest.approx(played.final.mean(), abs=6 * error)
    assert error < row["regret"] / 100
    assert row["upper"] == row["lower"] == row["regret"]
    assert row["uniform"] == pytest.approx(2**16 * 0.1 * 7 / 8)


def test_opposite_losses_by_hand():
    """K = 2, gap 1/2, epsilon = 1, exponential noise of scale 2, rounds 2 and 3, which read one round.

    The best action leads by 1 with probability 3/4; a lead of 1 is lost with probability e^(-1/2)/2.
    """
    lost = math.exp(-1 / 2) / 2
    first, second = 1 / 4, 2 * (3 / 4 * lost + 1 / 4 * (1 - lost)) / 2
    row = regret.opposite_losses.__wrapped__(3).set_index(["noise", "n_actions"]).loc["exponential", 2]
    assert row["regret"] == pytest.approx(first + second)
