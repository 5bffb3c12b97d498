"""What experiments ask of simulators and searches, and make of runs that are given: every number has its place."""

import math
from contextlib import nullcontext
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replicate import environments
from replicate.papers.prefix_softmax import experiments
from replicate.papers.prefix_softmax.checks import errata
from replicate.papers.prefix_softmax.instances import HORIZON, SIZES

ROUNDS = np.array([1, 3, 7, 15, 31, 63])
"""Ends of the first six blocks."""


@pytest.fixture
def runs(monkeypatch):
    """What was asked of both simulators; the i-th run has regrets i and i + 2."""
    calls = []

    def simulate(env, *, rng, **words):
        calls.append(words | {"means": env.means.tolist(), "draw": rng.random()})
        regret = np.array([[len(calls)], [len(calls) + 2.0]]) * np.ones(3)
        return SimpleNamespace(rounds=ROUNDS[:3], regret=regret, final=regret[:, -1])

    def settled(simulate, env, *, eta, **words):
        """Play all blocks; what the learner's own rate says is checked here."""
        rate = words["epsilon"] / 2 if "epsilon" in words else words["selector"][1]
        assert eta == (min(rate, 1 / 8) if simulate is experiments.algorithms.simulate else rate)
        return simulate(env, **words)

    monkeypatch.setattr(experiments.algorithms, "simulate", simulate)
    monkeypatch.setattr(experiments.dyadic, "simulate", lambda *words, **named: simulate(*words, **named))
    monkeypatch.setattr(experiments.algorithms, "selector", lambda eta: ("selector", eta))
    monkeypatch.setattr(experiments, "settled", settled)
    yield calls
    assert len({words["draw"] for words in calls}) == len(calls)


def words_of(call, *left_out):
    return {name: value for name, value in call.items() if name not in ("draw", *left_out)}


def good(n_actions, gap):
    return pytest.approx([0.5 - gap, *[0.5] * (n_actions - 1)])


def test_a_cell_of_the_grid_is_a_run_of_all_blocks(runs, rng):
    found = experiments._regret_cell("one good arm", 3, 0.2, 0.4, 7, rng)
    assert runs[0]["means"] == good(3, 0.2)
    assert words_of(runs[0], "means") == {"epsilon": 0.4, "horizon": HORIZON, "replicates": 7}
    assert found["rounds"].tolist() == [1, 3, 7]
    assert found["regret"].tolist() == [[1] * 3, [3] * 3]


@pytest.mark.parametrize(
    ("learner", "words"), [("prefix_softmax", {"epsilon": 0.4}), ("gumbel", {"selector": ("selector", 0.2)})]
)
def test_learners_are_compared_over_two_to_the_24_rounds(learner, words, runs, rng):
    """Report-noisy-max is a softmax at half of epsilon."""
    found = experiments._noisy_max_cell(learner, (0.2, 0.4), 3, 7, rng)
    assert found["regret"].tolist() == [1, 3]
    assert words_of(runs[0], "means") == words | {"horizon": 2**24, "replicates": 7}
    assert runs[0]["means"] == good(3, 0.2)


@pytest.mark.parametrize(("profile", "many"), [("quick", [1600, 1600, 160]), ("full", [4000, 4000, 250, 250])])
def test_the_grid_has_more_runs_where_there_are_fewer_actions(profile, many, monkeypatch):
    asked = []

    def run(cells, function, **words):
        assert (function, words["seed"]) == (experiments._regret_cell, 5)
        asked.extend(dict(cell.parameters) for cell in cells)
        return {cell.id: i for i, cell in enumerate(cells)}

    monkeypatch.setattr(experiments.sweep, "run", run)
    monkeypatch.setattr(experiments.executors, "opened", nullcontext)
    found = experiments._grid.__wrapped__(profile, 5)
    known = [
        {"instance": "one good arm", "n_actions": k, "gap": gap, "epsilon": e, "replicates": n}
        for k, n in zip((2, 16, 256, 1024), many, strict=False)
        for gap in (0.5, 0.1, 0.01)
        for e in (1.0, 0.1, 0.01)
    ]
    assert asked == known
    assert found == [(words, i) for i, words in enumerate(known)]


@pytest.mark.parametrize(
    ("profile", "sizes", "settings"), [("quick", (256, 2**17), 27), ("full", (256, 2**18), 36)]
)
def test_all_settings_with_a_limit_share_the_error_of_a_claim(profile, sizes, settings, monkeypatch):
    """Instances that are played for fewer rounds have epsilon 1 alone; twelve settings have no cap."""
    asked = []
    named = [("long", None, HORIZON), ("short", None, 100)]
    monkeypatch.setattr(experiments, "structured", lambda *words: asked.append(words) or named)
    cases = experiments._cases(profile)
    assert cases == [("long", None, HORIZON, e) for e in (1.0, 0.1, 0.01)] + [("short", None, 100, 1.0)]
    assert experiments._comparisons(profile) == settings + 4 + 12
    assert set(asked) == {sizes}


def test_limits_are_bets_on_early_blocks_and_tails_of_late_ones(monkeypatch):
    """A block costs at most its rounds, 1, 2 and 4, times the largest gap 0.6."""
    env, asked = environments.Bernoulli([0.2, 0.5, 0.8]), []
    run = SimpleNamespace(rounds=ROUNDS[:3], regret=np.array([[1.0, 3, 6], [2, 2, 5]]))
    monkeypatch.setattr(experiments.lemmas, "block_tails", lambda *words, **named: (words, named))
    monkeypatch.setattr(
        experiments.certify, "truncated_upper", lambda *words, **named: asked.append((words, named))
    )
    experiments.certified_upper(run, env, eta=0.1, false_alarm=0.01)
    [([costs], words)] = asked
    assert costs.tolist() == [[1, 2, 3], [2, 0, 3]]
    assert words["largest"].tolist() == pytest.approx([0.6, 1.2, 2.4])
    (given,), named = words["tails"]
    assert (given, named["eta"], named["rounds"].tolist(), words["false_alarm"]) == (env, 0.1, [1, 2, 4], 0.01)


@pytest.mark.parametrize("fixed", [False, True])
def test_a_row_holds_both_forms_of_theorem_1(fixed, monkeypatch):
    """What uniform play loses, 0.3 a round; deterministic losses are computed, and need no limit."""
    kind, asked = environments.Deterministic if fixed else environments.Bernoulli, []
    env = kind([0.8, 0.2, 0.5])
    run = SimpleNamespace(rounds=ROUNDS, final=np.array([4.0, 8.0]))
    exact = SimpleNamespace(final=np.array([3.0]))
    monkeypatch.setattr(
        experiments.algorithms,
        "exact_regret",
        lambda means, **words: asked.append((means.tolist(), words)) or exact,
    )
    monkeypatch.setattr(
        experiments, "certified_upper", lambda *words, **named: asked.append((words, named)) or 9.0
    )
    row = experiments._summary(run, env, epsilon=2.0, comparisons=4)
    words = {"n_actions": 3, "gap": pytest.approx(0.3), "epsilon": 2.0}
    assert {name: row[name] for name in words} == words
    assert (row["regret"], row["upper"]) == ((3, 3) if fixed else (6, 9))
    setting = {"n_actions": 3, "gap": 0.3, "epsilon": 2.0}
    bounds = experiments.bounds
    assert row["bound_1"] == pytest.approx(bounds.theorem_1(**setting))
    assert row["bound_2"] == pytest.approx(bounds.theorem_1_rate(**setting))
    assert row["rate"] == pytest.approx(bounds.rate(**setting))
    assert row["sharper"] == pytest.approx(bounds.sharper_theorem_1(n_actions=3, gap=0.3, eta=1 / 8))
    assert row["uniform"] == pytest.approx(63 * 0.3)
    if fixed:
        assert asked == [([0.8, 0.2, 0.5], {"epsilon": 2.0, "horizon": 63})]
    else:
        assert asked == [((run, env), {"eta": 1 / 8, "false_alarm": pytest.approx(0.25e-9)})]


def test_the_grid_s_regret_is_read_after_20_24_and_40_blocks(monkeypatch):
    """Regrets b and b + 2 after block b; a row a cell, under the cell's own gap and epsilon."""
    regret = np.arange(1.0, 60) + np.array([[0], [2]])
    point = {"instance": "one good arm", "n_actions": 3, "gap": 0.2, "epsilon": 0.4}
    asked, rounds = [], np.arange(2, 61)
    monkeypatch.setattr(experiments, "_grid", lambda *_: [(point, {"rounds": rounds, "regret": regret})])
    monkeypatch.setattr(experiments, "_comparisons", lambda profile: 43)

    def summary(run, env, **words):
        asked.append((run.rounds is rounds, run.regret is regret, env.means.tolist(), words))
        return {"row": 1}

    monkeypatch.setattr(experiments, "_summary", summary)
    data = experiments.regret_grid.__wrapped__("quick", 5)
    assert asked == [(True, True, good(3, 0.2), {"epsilon": 0.4, "comparisons": 43})]
    known = {"row": 1, "instance": "one good arm", "regret_2^20": 21, "regret_2^24": 25, "regret_2^40": 41}
    assert data.to_dict("records") == [known]


def grown_cells():
    """Cells with 2, 16 and 2 actions, whose two runs lose 7 and 9, all of it in the last block."""
    return [
        ({"instance": "one good arm", "n_actions": k, "gap": gap, "epsilon": 0.5}, {
            "rounds": ROUNDS, "regret": np.tile([0.0, 0, 0, 0, 0, 1], (2, 1)) * [[7], [9]],
        })
        for k, gap in ((2, 0.2), (16, 0.3), (2, 0.4))
    ]  # fmt: skip


def test_growth_is_counted_from_the_block_that_leaves_less_than_half(monkeypatch):
    """Of two cells with two actions the proof leaves 16, 16, 8 and 4 of a regret of 8: from the fourth block on.

    In the fifth of 16 rounds a quarter plays the worse action; the tail of the sixth is 5.
    """
    asked = []
    monkeypatch.setattr(experiments, "_grid", lambda *_: grown_cells())
    monkeypatch.setattr(
        experiments.bounds, "remainder", lambda *, rounds, **words: asked.append(words) or 16 / (rounds + 1)
    )
    monkeypatch.setattr(
        experiments.algorithms,
        "random_prefix",
        lambda block, many, rng: asked.append((block, many)) or np.full(many, 6),
    )

    def selector(eta):
        return lambda sums: asked.append((eta, sums.max() <= 6)) or np.tile([0.75, 0.25], (len(sums), 1))

    monkeypatch.setattr(experiments.algorithms, "selector", selector)
    monkeypatch.setattr(
        experiments.lemmas, "block_tails", lambda env, *, eta, rounds: asked.append(eta) or np.r_[:6, 2.0]
    )

    def betting(growth, *, low, high, false_alarm):
        asked.append((len(growth), set(growth.round(12)), low, round(high, 12), round(false_alarm, 12)))
        return 1.0

    monkeypatch.setattr(experiments.certify, "betting_upper", betting)
    data = experiments.late_growth.__wrapped__("quick", 5)
    for part, gap in zip(np.array_split(np.array(asked, dtype=object), 2), (0.2, 0.4), strict=True):
        words = {"n_actions": 2, "gap": gap, "epsilon": 0.5}
        assert list(part[:6]) == [words] * 6
        assert list(part[6:]) == [
            (3, 80_000), (0.125, True), (80_000, {round(4 * gap, 12)}, 0, round(16 * gap, 12), 0.5e-9), 0.125,
        ]  # fmt: skip
    numbers = {"n_actions": 2, "epsilon": 0.5, "rounds": 15, "growth": 1 + (5.0 + 2.0), "remainder": 4.0}
    assert data.to_dict("records") == [numbers | {"gap": gap} for gap in (0.2, 0.4)]


def test_other_instances_have_fewer_runs_where_rounds_are_fewer(runs, monkeypatch):
    env = environments.Bernoulli([0.2, 0.5])
    monkeypatch.setattr(experiments, "_cases", lambda _: [("long", env, HORIZON, 0.1), ("short", env, 100, 1.0)])
    monkeypatch.setattr(experiments, "_comparisons", lambda _: 43)
    monkeypatch.setattr(experiments, "_summary", lambda run, env, **words: {"first": run.final[0], **words})
    data = experiments.structured_grid.__wrapped__("quick", 5)
    known = [(0.1, HORIZON, 100), (1.0, 100, 24)]
    assert [tuple(words[n] for n in ("epsilon", "horizon", "replicates")) for words in runs] == known
    columns = {"instance": ["long", "short"], "first": [1, 2], "epsilon": [0.1, 1.0], "comparisons": [43, 43]}
    assert data.to_dict("list") == columns


def test_without_the_cap_the_rate_is_half_of_epsilon(runs, monkeypatch):
    asked = []
    monkeypatch.setattr(experiments, "_comparisons", lambda _: 40)
    monkeypatch.setattr(
        experiments,
        "certified_upper",
        lambda run, env, **words: asked.append((run.final[0], words)) or run.final[0],
    )
    data = experiments.uncapped_grid.__wrapped__("quick", 5)
    settings = [(k, gap, e) for k in (2, 16) for gap in (0.5, 0.1) for e in (0.5, 2.0, 16.0)]
    for i, (row, words, (k, gap, e)) in enumerate(zip(data.itertuples(), runs, settings, strict=True), 1):
        assert words["means"] == good(k, gap)
        prefix = experiments.algorithms.random_prefix
        known = {"selector": ("selector", e / 2), "prefix": prefix, "horizon": HORIZON, "replicates": 800}
        assert words_of(words, "means") == known
        assert asked[i - 1] == (i, {"eta": e / 2, "false_alarm": pytest.approx(1e-9 / 40)})
        assert (row.n_actions, row.gap, row.epsilon) == (k, pytest.approx(gap), e)
        assert (row.upper, row.regret) == (i, i + 1)
        assert row.uniform == pytest.approx(HORIZON * gap * (k - 1) / k)
        sharper = experiments.bounds.sharper_theorem_1(n_actions=k, gap=gap, eta=e / 2)
        assert row.sharper == pytest.approx(sharper)


def test_the_sharper_bound_is_tried_where_actions_are_few_or_losses_fixed(monkeypatch):
    other = pd.DataFrame({"n_actions": [16, 17, 256], "instance": ["small", "large", "deterministic 0/1"]})
    for name, frame in (("structured", other), ("regret", other[:0]), ("uncapped", other[:1])):
        monkeypatch.setattr(experiments, f"{name}_grid", lambda *_, frame=frame: frame)
    assert experiments.sharper_grid("quick", 5)["instance"].to_list() == ["small", "deterministic 0/1", "small"]


def test_regret_over_time_has_tenths_at_every_block(monkeypatch):
    """Regrets 0 to 10 times the rounds; 15 of 16 actions lose 0.1 more."""
    asked = []

    def sixteen(gap, epsilon, *, profile, rng):
        asked.append((gap, epsilon, profile, rng.random()))
        return SimpleNamespace(rounds=ROUNDS, regret=np.arange(11.0)[:, None] * ROUNDS)

    monkeypatch.setattr(experiments, "_sixteen", sixteen)
    data = experiments.regret_over_time.__wrapped__("quick", 5)
    levels = (1.0, 0.1, 0.01)
    assert [call[:3] for call in asked] == [(0.1, e, "quick") for e in levels]
    assert len({call[3] for call in asked}) == 3
    assert data["epsilon"].to_list() == np.repeat(levels, 6).tolist()
    rounds = np.tile(ROUNDS, 3)
    for name, factor in (("rounds", 1), ("regret", 5), ("low", 1), ("high", 9), ("uniform", 0.09375)):
        np.testing.assert_allclose(data[name], factor * rounds)
    bounds = [experiments.bounds.theorem_1(n_actions=16, gap=0.1, epsilon=e) for e in levels]
    np.testing.assert_allclose(data["bound"], np.repeat(bounds, 6))


@pytest.mark.parametrize(("name", "ends"), [("gap_sweep", (1e-4, 0.1)), ("epsilon_sweep", (1e-3, 0.25))])
def test_sweeps_take_seven_points_in_equal_ratios(name, ends, monkeypatch):
    asked = []

    def sixteen(gap, epsilon, *, profile, rng):
        asked.append((gap, epsilon, profile, rng.random()))
        return SimpleNamespace(final=np.arange(4.0) + 10 * len(asked))

    monkeypatch.setattr(experiments, "_sixteen", sixteen)
    points, regrets = getattr(experiments, name).__wrapped__("quick", 5)
    known = [ends[0] * (ends[1] / ends[0]) ** (i / 6) for i in range(7)]
    assert points.tolist() == pytest.approx(known)
    varied, fixed = (0, 1) if name == "gap_sweep" else (1, 0)
    assert [call[varied] for call in asked] == points.tolist()
    assert {call[fixed] for call in asked} == {1.0 if name == "gap_sweep" else 0.5}
    assert {call[2] for call in asked} == {"quick"}
    assert len({call[3] for call in asked}) == 7
    np.testing.assert_array_equal(regrets, np.arange(4)[:, None] + 10 * np.arange(1, 8))


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_sixteen_actions_are_played_to_the_last_block(profile, runs, rng):
    experiments._sixteen(0.2, 0.4, profile=profile, rng=rng)
    assert runs[0]["means"] == good(16, 0.2)
    known = {"epsilon": 0.4, "horizon": HORIZON, "replicates": SIZES[profile].replicates}
    assert words_of(runs[0], "means") == known


def test_the_potential_of_losses_that_are_known(monkeypatch):
    """The best action never loses, the others do: Z is 1 + 15 exp(-m / 20)."""
    asked = []

    def losses(start, stop, rng):
        asked.append((start, stop))
        return np.tile(np.append(0.0, np.ones(15)), (stop - start, 1))

    def bernoulli(means):
        assert means.tolist() == [0.25] + [1.0] * 15
        return SimpleNamespace(losses=losses)

    monkeypatch.setattr(experiments.environments, "Bernoulli", bernoulli)
    data = experiments.potential.__wrapped__("quick", 5)
    m = np.arange(251)
    others = 15 * np.exp(-m / 20)
    assert asked == [(0, 250 * 100)]
    assert data["m"].to_list() == m.tolist()
    np.testing.assert_allclose(data["log_z"], np.log1p(others))
    wrong = 0.75 * others / (1 + others)
    np.testing.assert_allclose(data["eta_sum_v"], np.append(0, wrong.cumsum()[:-1]) / 20, atol=1e-12)


def test_the_chain_is_of_the_instances_that_are_named(monkeypatch):
    """Means, epsilon and horizon of the exact regret; what each step is computed from."""
    asked, bounds = [], experiments.bounds
    monkeypatch.setattr(
        experiments.algorithms,
        "exact_regret",
        lambda means, **words: asked.append((means, words)) or SimpleNamespace(final=np.array([1.0])),
    )
    monkeypatch.setattr(
        experiments.algorithms, "softmax_error_sum", lambda gaps, **words: asked.append((gaps, words)) or 2.0
    )
    monkeypatch.setattr(bounds, "lemma_4", lambda total: 10 * total)
    monkeypatch.setattr(bounds, "lemma_5", lambda **words: asked.append(words) or 3.0)
    monkeypatch.setattr(bounds, "theorem_1_rate", lambda **words: asked.append(words) or 40.0)
    data = experiments.proof_chain.__wrapped__()
    assert data["value"].to_list() == [1, 20, 30, 40] * 4
    known = [
        ([0.0, 1.0], 1.0, 1.0),
        ([0.0, *[1.0] * 4095], 1.0, 0.1),
        ([0.25, *(0.25 + 0.01 + 0.74 * i / 254 for i in range(255))], 0.01, 0.1),
        ([0.25, 0.3, *[1.0] * 14], 0.05, 0.01),
    ]
    for (means, gap, epsilon), part in zip(known, [asked[i : i + 4] for i in range(0, 16, 4)], strict=True):
        (given, words), (gaps, total), *settings = part
        np.testing.assert_allclose(given, means)
        np.testing.assert_allclose(gaps, np.array(means) - means[0])
        assert words == {"epsilon": epsilon, "horizon": HORIZON}
        assert total == {"eta": min(epsilon / 2, 1 / 8), "start": 0, "stop": math.inf}
        assert settings == [{"n_actions": len(means), "gap": pytest.approx(gap), "epsilon": epsilon}] * 2


@pytest.mark.parametrize("epsilon", [0.1, 0.25, 1.0, 3.0])
def test_regret_without_the_cap_is_a_sum_of_softmax_errors(epsilon):
    """15/16 in the first round, then 4 e(m) for every m, but 2 e(1); capped, the rate is at most 1/8."""
    found = experiments.regret_with_and_without_cap(epsilon)
    for value, eta in zip(found, (min(epsilon / 2, 1 / 8), epsilon / 2), strict=True):
        others = 15 * np.exp(-eta * np.arange(1, 3000))
        errors = others / (1 + others)
        assert value == pytest.approx(15 / 16 + 4 * errors.sum() - 2 * errors[0], rel=1e-6)


def test_the_cost_of_the_cap_is_computed_at_forty_levels(monkeypatch):
    monkeypatch.setattr(experiments, "regret_with_and_without_cap", lambda e: (3 * e, 2 * e))
    data = experiments.cost_of_the_cap.__wrapped__()
    levels = np.array([0.01 * 400 ** (i / 39) for i in range(40)])
    rates = [experiments.bounds.rate(n_actions=16, gap=1.0, epsilon=e) for e in levels]
    np.testing.assert_allclose(data, np.column_stack([levels, 3 * levels, 2 * levels, rates]))


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_three_levels_are_searched_on_equal_shares(profile, monkeypatch):
    asked = []

    def worst(level, epsilon, searches, rng):
        asked.append((np.bincount(level).tolist(), epsilon, searches, rng.random()))
        return {"ratio": float(len(asked)), "gaps": "any"}

    monkeypatch.setattr(experiments, "_worst_levels", worst)
    data = experiments.worst_instances.__wrapped__(profile, 5)
    shares = {2: [1], 16: [5] * 3, 256: [85] * 3, 4096: [1365] * 3}
    actions, levels, searches = {
        "quick": ((2, 4096), (0.01, 0.25, 100.0), 2),
        "full": ((2, 16, 256, 4096), (0.01, 0.1, 0.25, 1.0, 100.0), 4),
    }[profile]
    known = list(product(actions, levels))
    assert [call[:3] for call in asked] == [(shares[k], e, searches) for k, e in known]
    assert len({call[3] for call in asked}) == len(known)
    assert list(zip(data["n_actions"], data["epsilon"], strict=True)) == known
    assert data["ratio"].to_list() == list(range(1, len(known) + 1))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_search_finds_the_worst_gap_of_two_actions(epsilon, rng):
    """As large as the largest of a fine grid."""
    found = experiments._worst_levels(np.array([0]), epsilon, 3, rng)

    def ratio(gap):
        exact = experiments.algorithms.exact_regret(np.array([0, gap]), epsilon=epsilon, horizon=HORIZON)
        return float(exact.final[0]) / experiments.bounds.rate(n_actions=2, gap=gap, epsilon=epsilon)

    grid = max(ratio(gap) for gap in np.append(np.geomspace(1e-3, 0.99, 60), 1.0))
    assert found["ratio"] == pytest.approx(grid, rel=0.01)
    named = [float(gap) for gap in found["gaps"].split()]
    assert len(named) == 3
    assert ratio(named[0]) == pytest.approx(found["ratio"], rel=0.02)


@pytest.mark.parametrize("n_actions", [16, 2**14])
def test_what_the_erratum_plays_has_the_noise_of_four_log_k(n_actions, monkeypatch):
    """Gumbel noise of scale 2 / (4 log K): an action m behind is ahead of the best with chance 1 / (1 + K^2m).

    The block after m rounds that are read has 2 m.
    """
    scales = []

    def leader(scores, *, noise, scale, rng):
        assert noise == "gumbel"
        scales.append(scale)
        return 0

    monkeypatch.setattr(errata.mechanisms, "report_noisy_max", leader)
    errata._played_costs(n_actions, 1.0, runs=1, rng=np.random.default_rng(1))
    assert scales == pytest.approx([1 / math.log(n_actions**2)] * 6)
    monkeypatch.setattr(errata.certify, "truncated_upper", lambda costs, **words: words["tails"])
    tails = errata._played_upper(np.zeros((1, 7)), n_actions, 1.0, false_alarm=0.1)
    known = [2 * m * (n_actions - 1) / (1 + float(n_actions) ** (2 * m)) for m in (1, 2, 4)]
    assert tails[0] == 1
    assert tails[1:4] == pytest.approx(known, rel=1e-6, abs=0)


def test_a_search_starts_at_three_levels_of_their_own(monkeypatch, rng):
    """Each -log(gap) is exponential of mean 2, then come gaps of 1; it begins anew from the best of the ends."""
    starts = []

    def climbed(loss, x, *, method, options):
        starts.append(x)
        return SimpleNamespace(fun=-float(x[0]), x=x + 1)

    monkeypatch.setattr(experiments, "minimize", climbed)
    found = experiments._worst_levels(np.array([0]), 0.1, 2000, rng)
    drawn, ones = np.array(starts[:-2]), starts[-2]
    assert ones.tolist() == [0.0] * 3
    best = drawn[drawn[:, 0].argmax()] + 1
    assert (drawn.shape, starts[-1].tolist()) == ((2000, 3), best.tolist())
    assert stats.kstest(drawn.ravel(), stats.expon(scale=2).cdf).pvalue > 1e-6
    assert np.abs(np.corrcoef(drawn.T) - np.eye(3)).max() < 0.15
    assert found["ratio"] == best[0]
    assert [float(gap) for gap in found["gaps"].split()] == pytest.approx(np.exp(-best - 1).clip(1e-6), rel=0.01)
