"""What experiments ask of the simulators, and make of runs that are given: every number has its place."""

import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from replicate import certify
from replicate.papers.bandits.algorithms import tuning
from replicate.papers.bandits.experiments import lower_bound, regret, sweeps, table_2
from replicate.papers.bandits.instances import SIZES, AdviceSetting, Setting

GAP_ONE = ((0.0, 1.0),)
"""Losses of the two actions in every round of the figures."""


@pytest.fixture
def asked(monkeypatch):
    """What was asked of the simulator, whose i-th run has regrets i, i + 1, ..., one a replicate."""
    calls = []

    def simulate(env, *, rng, replicates, **words):
        losses = tuple(map(tuple, np.unique(env.losses(0, 2, rng=np.random.default_rng(1)), axis=0)))
        calls.append(words | {"losses": losses, "replicates": replicates, "draw": rng.random()})
        return SimpleNamespace(final=float(len(calls)) + np.arange(replicates))

    monkeypatch.setattr(sweeps.simulation, "simulate", simulate)
    yield calls
    assert len({words["draw"] for words in calls}) == len(calls)


def words_of(calls, *names):
    return [tuple(words[name] for name in names) for words in calls]


@pytest.mark.parametrize(("profile", "horizons", "many"), [("quick", 5, 8), ("full", 9, 8)])
def test_regret_over_time_is_asked_for_at_horizons_in_a_row(profile, horizons, many, asked):
    """From 1,000 rounds on in equal ratios; 0 to n - 1 have tenths of n - 1."""
    data = sweeps.over_time.__wrapped__(profile, 5)
    top = SIZES[profile].sweep_horizon
    rounds = [int(1000 * (top / 1000) ** (i / (horizons - 1)) + 1e-6) for i in range(horizons)]
    known = []
    for learner in ("htinf", "exp3", "ftpl", "per_round_exp3", "tsallis_inf", "plain_exp3"):
        for t in rounds:
            epsilon = None if learner in ("tsallis_inf", "plain_exp3") else 0.1
            try:
                tuning.plan(learner, n_actions=2, epsilon=epsilon, horizon=t)
            except ValueError:
                continue
            known.append((learner, epsilon, t, GAP_ONE, many))
    assert words_of(asked, "learner", "epsilon", "horizon", "losses", "replicates") == known
    assert list(zip(data["learner"], data["rounds"], strict=True)) == [(name, t) for name, _, t, *_ in known]
    first = np.arange(1, len(known) + 1)
    np.testing.assert_allclose(data["regret"], first + (many - 1) / 2)
    np.testing.assert_allclose(data["low"], first + (many - 1) / 10)
    np.testing.assert_allclose(data["high"], first + (many - 1) * 9 / 10)


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_regret_against_epsilon_has_a_row_for_every_replicate(profile, asked):
    """Private learners at levels from 0.01 to 1 in equal ratios, and one without privacy."""
    data = sweeps.against_epsilon.__wrapped__(profile, 5)
    n, horizon, many = {"quick": (5, 50_000, 8), "full": (9, 4 * 10**5, 8)}[profile]
    levels = [10 ** (-2 + 2 * i / (n - 1)) for i in range(n)]
    known = [(name, e) for e in levels for name in ("htinf", "exp3", "ftpl", "per_round_exp3")]
    assert words_of(asked, "horizon", "losses", "replicates") == [(horizon, GAP_ONE, many)] * (len(known) + 1)
    assert [words["learner"] for words in asked] == [*(name for name, _ in known), "tsallis_inf"]
    assert [words["epsilon"] for words in asked[:-1]] == pytest.approx([e for _, e in known])
    assert asked[-1]["epsilon"] is None
    rows = data.to_numpy().reshape(len(asked), many, 5)
    for i, block in enumerate(rows):
        assert block[:, 3].tolist() == list(range(many))
        assert block[:, 4].tolist() == [i + 1 + j for j in range(many)]
        assert {*block[:, 0]} == {asked[i]["learner"]}
        level = asked[i]["epsilon"]
        assert all(math.isnan(e) if level is None else e == level for e in block[:, 1])
    assert set(data["horizon"]) == {horizon}


@pytest.mark.parametrize(("profile", "horizon"), [("quick", 50_000), ("full", 4 * 10**5)])
def test_prior_work_has_a_hundred_runs_at_each_level(profile, horizon, asked):
    data = sweeps.prior_work.__wrapped__(profile, 5)
    levels = np.repeat([10**-2, 10**-1.5, 10**-1], 2)
    known = [(name, horizon, GAP_ONE, 100) for _ in range(3) for name in ("htinf", "per_round_exp3")]
    assert words_of(asked, "learner", "horizon", "losses", "replicates") == known
    assert [words["epsilon"] for words in asked] == data["epsilon"].to_list() == pytest.approx(list(levels))
    assert data["learner"].to_list() == [name for name, *_ in known]
    assert [(x[0], len(x)) for x in data["samples"]] == [(i + 1, 100) for i in range(6)]
    assert set(data["horizon"]) == {horizon}


def test_figure_1_is_of_both_sequences_at_the_paper_s_parameters(monkeypatch):
    asked = []
    monkeypatch.setattr(
        sweeps.exp3,
        "exp3_leakage",
        lambda **words: asked.append(words) or (np.array([3.0, 4]), np.array([5.0, 6])),
    )
    data = sweeps.leakage.__wrapped__()
    assert asked == [{"learning_rate": 1e-4, "mixing": 1e-4, "horizon": 10**6}]
    assert data.to_dict("list") == {"t": [1, 2], "first": [3, 4], "neighbour": [5, 6]}


@pytest.mark.parametrize(("profile", "local"), [("quick", 5), ("full", 6)])
def test_separation_bets_where_a_limit_is_claimed(profile, local, monkeypatch):
    """At the largest horizons 48 runs, elsewhere 10, of regrets from -T / 5 on: rates are between 0 and 1."""
    calls = []

    def simulate(env, *, rng, **words):
        assert env.losses(0, 1, rng=rng).tolist() == [[0, 1]]
        calls.append(words | {"draw": rng.random()})
        return SimpleNamespace(final=np.linspace(-0.2, 0.8, words["replicates"]) * words["horizon"])

    monkeypatch.setattr(sweeps.simulation, "simulate", simulate)
    data = sweeps.separation.__wrapped__(profile, 5)
    runs = [("htinf", 10**p) for p in range(4, 15)] + [("per_round_exp3", 10**p) for p in range(4, local + 1)]
    assert (
        words_of(calls, "learner", "horizon") == runs == list(zip(data["learner"], data["horizon"], strict=True))
    )
    assert len({words["draw"] for words in calls}) == len(calls)
    for (learner, horizon), words, row in zip(runs, calls, data.itertuples(), strict=True):
        bets = horizon == (10**14 if learner == "htinf" else 10**local)
        rates = np.linspace(-0.2, 0.8, 48 if bets else 10).clip(0)
        assert words["epsilon"] == row.epsilon == pytest.approx(horizon**-0.6)
        assert words["replicates"] == len(rates)
        assert row.samples.tolist() == pytest.approx(rates.tolist())
        assert row.rate == pytest.approx(0.3)
        alarm = certify.CLAIM_FALSE_ALARM / 60
        high, low = (float(certify.betting_upper(x, low=0, high=1, false_alarm=alarm)) for x in (rates, 1 - rates))
        assert (row.upper, row.lower) == pytest.approx((high, 1 - low))
        known = float(sweeps.bounds.corollary_2(n_actions=2, epsilon=horizon**-0.6, horizon=horizon))
        assert row.bound == pytest.approx(known / horizon)


def test_windows_are_quiet_where_action_2_is_played_less_than_ln_2_over_epsilon(monkeypatch):
    """Played in every fourth of 40 batches of 100 rounds: below 69.3 plays where no such batch is in a window."""
    asked = []

    def batch_actions(env, plan, *, horizon, replicates, rng):
        asked.append((env.losses(0, 1, rng=rng).tolist(), plan.batch, horizon, replicates))
        arms = np.zeros((replicates, 40), dtype=np.int8)
        arms[:, ::4] = 1
        return arms

    monkeypatch.setattr(lower_bound.simulation, "batch_actions", batch_actions)
    found, replicates = lower_bound.quiet_windows.__wrapped__("htinf", 0.01, "quick", 5)
    assert asked == [([[0.5, 1.0]], 100, 400_000, 520)]
    assert replicates == 520
    delays = sorted({int(13 ** (i / 39) + 1e-9) for i in range(40)})
    assert found.tolist() == [520 * all(t % 4 for t in range(d, 3 * d)) for d in delays]
    assert 0 < found.sum() < 520 * len(found)


def test_noise_on_every_round_may_play_action_2_six_times_in_a_quiet_window(monkeypatch):
    """At epsilon = 1/10 ln 2 / epsilon is 6.9; in every second of 60 rounds action 2 is played d times in 2 d."""

    def batch_actions(env, plan, *, horizon, replicates, rng):
        assert (plan.batch, horizon) == (1, 40_000)
        return np.tile(np.arange(60) % 2, (replicates, 1)).astype(np.int8)

    monkeypatch.setattr(lower_bound.simulation, "batch_actions", batch_actions)
    found, replicates = lower_bound.quiet_windows.__wrapped__("per_round_exp3", 0.1, "quick", 5)
    delays = sorted({int(20 ** (i / 39) + 1e-9) for i in range(40)})
    assert {1, 6, 7, 20} <= set(delays)
    assert found.tolist() == [replicates * (d <= 6) for d in delays]


def test_windows_of_the_probing_learner_are_those_of_its_condition(monkeypatch):
    asked = []
    monkeypatch.setattr(
        lower_bound,
        "probing_learner",
        lambda *words: asked.append(words) or SimpleNamespace(condition_2=7, replicates=11),
    )
    found, replicates = lower_bound.quiet_windows.__wrapped__("probing", 0.3, "quick", 5)
    assert (found.tolist(), replicates, asked) == ([7], 11, [(0.3, "Laplace", "quick", 5)])


def test_late_plays_are_counted_after_ten_log_rounds_and_in_units_of_half_the_mixing(monkeypatch):
    """Action 2 is played throughout the waiting time, and then in every other round."""
    asked = []

    def batch_actions(env, plan, *, horizon, replicates, rng):
        asked.append((env.losses(0, 1, rng=rng).tolist(), list(plan.setting), horizon, replicates))
        arms = np.ones((replicates, horizon), dtype=np.int8)
        arms[:, horizon - 50_000 :: 2] = 0
        return arms

    monkeypatch.setattr(lower_bound.simulation, "batch_actions", batch_actions)
    rates = lower_bound.late_plays.__wrapped__("quick", 5)
    mixing = {10: 0.002, 100: 0.0002, 1000: 0.00002}
    waits = [math.ceil(500 * math.log(1 / g)) + 50_000 for g in mixing.values()]
    settings = [pytest.approx([0.02, g, g / 2]) for g in mixing.values()]
    assert asked == [([[0.5, 1.0]], s, t, 100) for s, t in zip(settings, waits, strict=True)]
    assert {ratio: set(x.round(6)) for ratio, x in rates.items()} == {
        r: {round(1 / g, 6)} for r, g in mixing.items()
    }


@pytest.mark.parametrize(
    ("profile", "levels"), [("quick", (1.0, 0.1, 0.01)), ("full", (1.0, 0.3, 0.1, 0.03, 0.01))]
)
def test_both_instances_are_played_by_both_learners(profile, levels, monkeypatch):
    """Action 2 loses 1 until round 30, and nothing afterwards where the instance switches."""
    asked, draws = [], []

    def probing(*words):
        asked.append(words)
        numbers = {"constant": np.array([1.0, 3]), "switching": np.array([4.0, 8]), "bound": 7.0}
        return SimpleNamespace(delay=30, horizon=50, **numbers)

    def simulate(env, *, rng, **words):
        draws.append(rng.random())
        later = env.losses(0, 50, rng=rng)
        assert later[:30].tolist() == [[0.5, 1.0]] * 30
        assert later[30:, 0].tolist() == [0.5] * 20
        return SimpleNamespace(
            final=np.array([later[:, 1].sum(), words["epsilon"] + words["horizon"]]), words=words
        )

    monkeypatch.setattr(lower_bound, "probing_learner", probing)
    monkeypatch.setattr(lower_bound.simulation, "simulate", simulate)
    data = lower_bound.both_instances.__wrapped__(profile, 5)
    assert asked == [(e, "Laplace", profile, 5) for e in levels]
    assert len(set(draws)) == 2 * len(levels)
    known = [
        (e, 50, 7.0, learner, name, mean)
        for e in levels
        for learner, name, mean in (
            ("probing", "constant", 2),
            ("probing", "switching", 6),
            ("htinf", "constant", (50 + 50 + e) / 2),
            ("htinf", "switching", (30 + 50 + e) / 2),
        )
    ]
    names = ["epsilon", "horizon", "bound", "learner", "instance", "regret"]
    for row, numbers in zip(data[names].itertuples(index=False), known, strict=True):
        assert row[3:5] == numbers[3:5]
        assert (*row[:3], row[5]) == pytest.approx((*numbers[:3], numbers[5]))


def test_who_plays_both_instances_beside_the_probing_learner(monkeypatch):
    seen = []
    probing = SimpleNamespace(delay=30, horizon=50, constant=np.ones(2), switching=np.ones(2), bound=7.0)
    monkeypatch.setattr(lower_bound, "probing_learner", lambda *_: probing)
    monkeypatch.setattr(
        lower_bound.simulation,
        "simulate",
        lambda env, rng, **w: seen.append(w) or SimpleNamespace(final=np.ones(1)),
    )
    lower_bound.both_instances.__wrapped__("quick", 5)
    known = [{"learner": "htinf", "epsilon": e, "horizon": 50, "replicates": 60} for e in (1.0, 0.1, 0.01)]
    assert seen == [words for words in known for _ in range(2)]


SIZES_OF_MAPS = [
    ("quick", 10**4, (2, 8), (0.01, 0.1, 1.0)),
    ("full", 10**5, (2, 8, 32, 128), (0.001, 0.01, 0.1, 1.0)),
]


@pytest.mark.parametrize(("profile", "horizon", "experts", "levels"), SIZES_OF_MAPS)
def test_the_measured_map_leaves_out_what_has_no_tuning(profile, horizon, experts, levels, monkeypatch):
    """Three runs of each learner on the game of one good expert; at the lowest level Theorem 9's has none."""
    calls = []

    def simulate(problem, *, rng, **words):
        calls.append((np.shape(problem.advice), words, rng.random()))
        if words["learner"] == "local_exp4" and words["epsilon"] == levels[0]:
            raise ValueError
        return SimpleNamespace(final=np.array([1.0, 2, 3]) * len(calls))

    monkeypatch.setattr(table_2.advice, "simulate_experts", simulate)
    data = table_2.measured_map.__wrapped__(profile, 5)
    learners = {"Corollary 8": "htinf", "Theorem 9": "local_exp4", "Theorem 10": "batched_exp4"}
    cells = [(n, e, name) for n in experts for e in levels for name in learners]
    assert len({draw for *_, draw in calls}) == len(calls)
    for i, (row, (n, e, name), (shape, words, _)) in enumerate(
        zip(data.itertuples(), cells, calls, strict=True), 1
    ):
        delta = 1e-6 if name == "Theorem 10" else None
        common = {"horizon": horizon, "replicates": 3}
        assert words == {"learner": learners[name], "epsilon": e, "delta": delta, **common}
        assert shape == (1, n, 2)
        assert (row.n_experts, row.epsilon, row.algorithm, row.horizon) == (n, e, name, horizon)
        expected = math.nan if name == "Theorem 9" and e == levels[0] else 2 * i / horizon
        assert row.rate == pytest.approx(expected, nan_ok=True)


def test_the_map_of_explicit_bounds_has_a_grid_of_equal_ratios(monkeypatch):
    """Uniform play among four actions has the regret 3 T / 4: bounds of 74 and 76 for T = 100."""
    asked = []

    def explicit(*, n_actions, n_experts, epsilon, horizon):
        asked.append((n_actions, horizon))
        small = np.where(n_experts < 1e9, 74.0, 76.0)
        return np.stack([small + (epsilon < 1e-9), 75.5 + 0 * small, small + 0.5])

    monkeypatch.setattr(table_2, "explicit_bounds", explicit)
    data = table_2.explicit_map.__wrapped__(100, 4)
    assert asked == [(4, 100)]
    experts, levels = np.unique(data["n_experts"]), np.unique(data["epsilon"])
    assert (len(experts), len(levels), len(data)) == (69, 73, 69 * 73)
    np.testing.assert_allclose(experts, [2 * (5e17) ** (i / 68) for i in range(69)])
    np.testing.assert_allclose(levels, [10 ** (-18 + i / 4) for i in range(73)])
    known = np.where(data["n_experts"] > 1e9, -1, np.where(data["epsilon"] < 1e-9, 2, 0))
    np.testing.assert_array_equal(data["winner"], known)


@pytest.mark.parametrize("n_actions", [None, 3])
def test_first_horizons_are_powers_at_which_a_bound_wins_somewhere(n_actions, monkeypatch):
    """The second from 10^5 on, the third at 10^(35.75) only, the first never; -1 wins nothing."""

    def explicit_map(horizon, given):
        assert given == (n_actions or 2)
        exponent = math.log10(horizon)
        return {"winner": [-1, *[1] * (exponent > 4.9), *[2] * (exponent > 35.7)]}

    monkeypatch.setattr(table_2, "explicit_map", explicit_map)
    words = [n_actions] if n_actions else []
    assert table_2.first_horizons.__wrapped__(*words) == (math.inf, pytest.approx(1e5), pytest.approx(10**35.75))


@pytest.mark.parametrize(
    ("experts", "epsilon", "rows", "winner"),
    [
        (3, 0.05, [0], 0),
        (4, 0.05, [0, 2], 2),
        (4, 1.0, [0, 1], 1),
        (40, 0.1, [1, 2], 2),
        (40, 0.11, [1], 1),
        (8, 0.3, [], 0),
        (8, 0.5, [1], 1),
        (3, 1.5, [0], 0),
    ],
)
def test_rows_of_table_2_with_four_actions_and_a_hundred_rounds(experts, epsilon, rows, winner):
    """N against K = 4, epsilon against K / N and 1 / sqrt(T) = 0.1; the last row that claims a point has it."""
    point = {"n_actions": 4, "n_experts": experts, "epsilon": epsilon, "horizon": 100}
    assert table_2.paper_row(**point) == rows
    assert table_2.winner_as_printed(**point) == winner


@pytest.mark.parametrize(
    ("experts", "epsilon", "winner"),
    [(16, 0.25, 1), (16, 0.249, 0), (16, 2**-10, 2), (16, 2**-9, 0), (4096, 2**-6, 1), (4096, 2**-6 - 1e-9, 2)],
)
def test_borders_of_the_rates_with_four_actions_and_4096_rounds(experts, epsilon, winner):
    """N = 16: K / N is 1/4 and N^2 / (K^3 T) is 2^-10. N = T: (N T)^(-1/4) = 2^-6 lies between these."""
    point = {"n_actions": 4, "n_experts": experts, "epsilon": epsilon, "horizon": 4096}
    assert table_2.winner_by_rate(**point) == winner


def test_rates_of_table_2_in_powers_of_two():
    """N = 64, K = 4, epsilon = 1/8, T = 512: sqrt(N T / eps), sqrt(K T) / eps and 2 * 2 * 64 * 2 + 64."""
    found = table_2.rates(n_actions=4, n_experts=64, epsilon=1 / 8, horizon=512)
    np.testing.assert_allclose(found, [512, 2 * 512**0.5 * 8, 512 + 64])


@pytest.fixture
def played(monkeypatch):
    """Every call of the simulators: environment, words and first draw."""
    calls = []

    def run(env, *, rng, **words):
        calls.append((env, words, rng.random()))
        return SimpleNamespace(final=np.arange(3.0))

    def simulate_plan(env, plan, **words):
        return run(env, plan=plan, **words)

    monkeypatch.setattr(regret.simulation, "simulate", run)
    monkeypatch.setattr(regret.simulation, "simulate_plan", simulate_plan)
    monkeypatch.setattr(regret, "regret_range", lambda env, horizon: (env, horizon))
    monkeypatch.setattr(regret, "uniform_regret", lambda env, horizon: (env, horizon, "uniform"))
    return calls


def test_conversions_are_played_2_percent_longer_than_uniform_play_needs(played, monkeypatch):
    """Each instance at a rate of its own: 40 sqrt(T) is below T / 2 from 6,400 on, below T / 4 from 25,600 on."""

    def bound(*, n_actions, epsilon, horizon):
        return 20 * n_actions * math.sqrt(horizon)

    monkeypatch.setitem(regret.CONVERSIONS, "Corollary 22", regret.Conversion("exp3", bound, "key"))
    settings = (Setting(2, 0.5, 9, ("one", "two")), Setting(4, 0.25, 7, ("one",)))
    monkeypatch.setitem(regret.SIZES, "quick", SimpleNamespace(conversions={"Corollary 22": settings}))
    monkeypatch.setattr(regret, "uniform_rate", lambda k, name: {"one": 0.5, "two": 0.25}[name])
    monkeypatch.setattr(regret, "instance", lambda name, k, horizon: (name, k, horizon))
    data = regret.private_regret.__wrapped__("Corollary 22", "quick", 5)
    known = [("one", 2, 0.5, 9, 6528), ("two", 2, 0.5, 9, 26_112), ("one", 4, 0.25, 7, 26_112)]
    assert len({draw for *_, draw in played}) == 3
    for row, (env, words, _), (name, k, e, many, horizon) in zip(data.itertuples(), played, known, strict=True):
        assert env == (name, k, row.horizon)
        assert row.horizon == pytest.approx(horizon, abs=1)
        assert words == {"learner": "exp3", "epsilon": e, "horizon": row.horizon, "replicates": many}
        assert (row.n_actions, row.epsilon) == (k, e)
        assert row.bound == pytest.approx(20 * k * math.sqrt(row.horizon))
        assert row.range == (env, row.horizon)
        assert row.uniform == (env, row.horizon, "uniform")


def test_informative_horizons_are_sought_from_ten_over_epsilon_on(played, monkeypatch):
    sought = []
    monkeypatch.setattr(regret, "informative_horizon", lambda *_, start=None: sought.append(start) or 100.0)
    for statement in regret.CONVERSIONS:
        regret.private_regret.__wrapped__(statement, "quick", 5)
    sizes = [s for settings in SIZES["quick"].conversions.values() for s in settings for _ in s.instances]
    assert sought == [10 / s.epsilon for s in sizes]
    assert {words["horizon"] for _, words, _ in played} == {102}
    learners = {"Corollary 2": "htinf", "Corollary 22": "exp3"}
    named = [learners.get(n, "ftpl") for n, group in SIZES["quick"].conversions.items() for _ in group]
    assert [words["learner"] for _, words, _ in played] == named


def test_base_learners_see_single_losses_with_the_noise_of_the_proof(played, monkeypatch):
    """Second moments of a loss with Laplace(3) noise: at most 2 + 4 * 9 as printed, 1 + 2 * 9 in truth."""
    monkeypatch.setitem(regret.SIZES, "quick", SimpleNamespace(base=(9, ((3, 3.0),))))
    data = regret.noisy_regret.__wrapped__("quick", 5)
    assert data["proof"].to_list() == list(regret.BASES)
    assert len({draw for *_, draw in played}) == 3
    sigmas = [math.sqrt(38), math.sqrt(19)]
    bound = regret.bounds
    for i, (row, (env, words, _)) in enumerate(zip(data.itertuples(), played, strict=True)):
        plan, t = words.pop("plan"), row.horizon
        assert words == {"horizon": t, "replicates": 9}
        assert env.losses(0, 1, rng=None).tolist() == [[0, 1, 1]]
        assert (plan.noise, plan.batch, row.n_actions, row.noise_scale) == (3.0, 1, 3, 3.0)
        if i < 2:
            assert plan.setting[0] == pytest.approx(sigmas[i])
            known = partial(bound.theorem_21, n_actions=3, sigma=sigmas[i])
        else:
            assert plan.setting.tolist() == tuning.noisy_exp3(3, t, 3.0).setting.tolist()
            known = partial(bound.noisy_exp3, n_actions=3, noise_scale=3.0)
        assert row.bound == pytest.approx(float(known(horizon=t)))
        before, after = 0.999 * t / 1.02, 1.001 * t / 1.02
        assert known(horizon=before) > 2 / 3 * before
        assert known(horizon=after) < 2 / 3 * after
        assert row.range == (env, t)
        assert row.uniform == (env, t, "uniform")


def test_base_learners_draw_anew_at_every_number_of_actions_and_scale(played, monkeypatch):
    monkeypatch.setitem(regret.SIZES, "quick", SimpleNamespace(base=(9, ((3, 3.0), (3, 1.0), (2, 1.0)))))
    data = regret.noisy_regret.__wrapped__("quick", 5)
    cells = [(proof, k, scale) for k, scale in ((3, 3.0), (3, 1.0), (2, 1.0)) for proof in regret.BASES]
    assert list(zip(data["proof"], data["n_actions"], data["noise_scale"], strict=True)) == cells
    assert len({draw for *_, draw in played}) == len(cells)


def test_theorem_10_before_its_tuning_is_put_in_takes_what_the_learner_has(monkeypatch):
    asked = []
    tuned = SimpleNamespace(learning_rate=0.1, mixing=0.2, batch=30)
    monkeypatch.setattr(regret.advice, "batched_exp4_tuning", lambda **words: asked.append(words) or tuned)
    monkeypatch.setattr(regret.bounds, "theorem_10_chain", lambda **words: asked.append(words) or 5.0)
    monkeypatch.setattr(regret.bounds, "theorem_10", lambda **words: asked.append(words) or 6.0)
    assert regret._other_forms(AdviceSetting(3, 4, 0.5, 5), 600) == {"chain": 5.0, "final": 6.0}
    words = {"n_actions": 3, "n_experts": 4, "epsilon": 0.5, "delta": 1e-6, "horizon": 600}
    assert asked == [words, words | {"learning_rate": 0.1, "mixing": 0.2, "batch": 30}, words]


@pytest.mark.parametrize("statement", regret.ADVISED)
def test_other_forms_of_theorem_10_stand_in_its_rows_alone(statement, monkeypatch):
    """Played 3 percent longer than where uniform play breaks the bound: at 1,030 rounds for 1,000."""
    asked = []
    monkeypatch.setattr(regret, "informative_horizon", lambda bound, rate: asked.append(rate) or 1000.0)
    monkeypatch.setattr(regret, "_other_forms", lambda *words: asked.append(words) or {"chain": 5.0, "final": 6.0})
    monkeypatch.setattr(regret, "_advised", lambda *words: asked.append(words) or {"row": 1})
    setting = AdviceSetting(4, 3, 0.5, 7, contexts=(1, 5))
    monkeypatch.setitem(regret.SIZES, "quick", SimpleNamespace(advice={statement: (setting,)}))
    data = regret.expert_regret.__wrapped__(statement, "quick", 9)
    special = statement == "Theorem 10"
    known = [0.75, *[(setting, 1030)] * special, *((statement, setting, n, 1030, 9) for n in (1, 5))]
    assert asked == known
    sizes = {"n_experts": 3, "epsilon": 0.5, "horizon": 1030}
    bounds = {
        "Corollary 8": lambda: regret.bounds.corollary_8(**sizes),
        "Theorem 9": lambda: regret.bounds.theorem_9(n_actions=4, **sizes),
        "Theorem 10": lambda: regret.bounds.theorem_10_printed(n_actions=4, delta=1e-6, **sizes),
    }
    forms = {"chain": 5.0, "final": 6.0} if special else {}
    row = {"row": 1, "bound": pytest.approx(float(bounds[statement]())), **forms}
    assert data.to_dict("records") == [row] * 2


def plays_of_action_2(batches, *places):
    """Actions of one replicate for each argument, which says where it plays action 2."""
    actions = np.zeros((len(places), batches), dtype=np.int64)
    for row, where in zip(actions, places, strict=True):
        row[where] = 1
    return actions


@pytest.mark.parametrize(
    ("noise", "epsilon", "tau", "batches", "window"),
    [("none", 0.1, 1, 20_000, 179), ("Laplace", 0.5, 2, 4000, 3800)],
)
def test_conditions_of_lemma_11_are_counted_in_the_window_and_in_the_whole_game(
    noise, epsilon, tau, batches, window, monkeypatch
):
    """A window of p / gamma rounds from batch 100 on; p is below 4 plays without noise, below one batch with it.

    Without noise gamma T is 420 plays, with it less than one batch. On the instance that switches, action 2 has no
    loss from batch 100 on, and costs 100 batches before.
    """
    most, least = (3, 420) if noise == "none" else (0, 1)
    places = [
        slice(100, 100 + most), slice(100 + window - most - 1, 100 + window), slice(99 - most, 100),
        slice(100 + window, 100 + window + least), slice(100 + window, 99 + window + least),
    ]  # fmt: skip
    runs = [
        plays_of_action_2(batches, *places),
        plays_of_action_2(batches, slice(0), slice(None), slice(100, None)),
    ]
    asked, given = [], iter(runs)
    monkeypatch.setattr(lower_bound, "_probe", lambda *words: asked.append(words) or next(given))
    found = lower_bound.probing_learner.__wrapped__(epsilon, noise, "quick", 5)
    assert found.condition_2 == 4
    assert found.condition_1 == (1 if noise == "none" else 3)
    assert found.constant.tolist() == [0.5 * tau * row.sum() for row in runs[0]]
    assert found.switching.tolist() == [tau * (batches / 2 - 100), 0, -50 * tau]
    assert (found.delay, found.horizon) == (100 * tau, tau * batches)
    assert found.constant_range == (0, tau * batches / 2)
    assert found.switching_range == (-50 * tau, tau * (batches / 2 - 50))
    (losses, rate, scale, many, rng), (switched, *rest) = asked
    assert rest == [rate, scale, many, rng]
    assert (losses == [0.5, 1.0]).all()
    assert (switched == np.where(np.arange(batches)[:, None] < 100, [0.5, 1.0], [0.5, 0.0])).all()
    assert (rate, scale) == ((0.02, 0.0) if noise == "none" else (1 / 32_000, pytest.approx(1 / (tau * epsilon))))
