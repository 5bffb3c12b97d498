"""What figures compute before they draw it: means with intervals, and ratios over what the axis says.

Read off the drawn artists, from small tables whose answers are computed here.
"""

import math
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replicate import mechanisms
from replicate.learners import registry
from replicate.papers.bandits import figures as bandits
from replicate.papers.distribution_learning import figures as distribution_learning
from replicate.papers.noisy_leader import figures as noisy_leader
from replicate.papers.prefix_softmax import figures as prefix_softmax
from replicate.papers.tracking import figures as tracking
from replicate.studies.audit_bench import figures as audit_bench
from replicate.studies.synopsis import figures as synopsis
from replicate.studies.synopsis.instances import MAPPED

NOISES = mechanisms.NOISES


@pytest.fixture(autouse=True)
def nothing_stays_open():
    yield
    plt.close("all")


def interval(samples):
    """Mean of replicates, and the ends of its 99% interval: Student's, over the root of their number."""
    n = len(samples)
    half = stats.t.ppf(0.995, n - 1) * np.std(samples, ddof=1) / math.sqrt(n)
    return [np.mean(samples), np.mean(samples) - half, np.mean(samples) + half]


def bars(ax):
    """Place, height and ends of each bar, curve by curve."""
    return [
        [(*place, segment[0, 1], segment[1, 1]) for place, segment in zip(line.get_xydata(), ends, strict=True)]
        for line, _, (drawn,) in ax.containers
        for ends in [drawn.get_segments()]
    ]


def curves(ax):
    """Places, heights and ends of the band of each curve that has one, in the order in which they are drawn."""
    found = []
    for line, band in zip(ax.lines, ax.collections, strict=False):
        corners = band.get_paths()[0].vertices
        for x, y in line.get_xydata():
            heights = corners[corners[:, 0] == x, 1]
            found.append((x, y, heights.min(), heights.max()))
    return found


def marks(ax, marker):
    """Places of all marks of a kind from left to right, row by row: shape (curves, rows)."""
    return [line.get_xdata().tolist() for line in ax.lines if line.get_marker() == marker]


def cells(ax):
    """Return the numbers in a map by the names of their row, which stand beside the first map, and column."""
    rows, columns = (
        [text.get_text() for text in labels]
        for labels in (ax.figure.axes[0].get_yticklabels(), ax.get_xticklabels())
    )
    at = {(rows[int(t.get_position()[1])], columns[int(t.get_position()[0])]): t.get_text() for t in ax.texts}
    return {place: float(text.strip("×")) for place, text in at.items()}


# Means over replicates


def test_bars_of_growth_are_intervals_over_the_replicates_of_each_number_of_actions(rng):
    """24 replicates of four numbers of actions, in units of log K; the exact regrets are 3 (log K)**1.5."""
    n_actions = np.array([4, 16, 64, 256])
    samples = {noise: rng.gamma(4.0, size=(24, 4)) + np.log(n_actions) for noise in NOISES}
    exact = pd.DataFrame(product(NOISES, n_actions), columns=["noise", "n_actions"])
    exact = exact.assign(regret=3 * np.log(exact["n_actions"]) ** 1.5)
    exact = exact.assign(potential=10.0, theorem_4=12.0, corollary_3=14.0)
    figure = noisy_leader.growth(exact, n_actions, samples)
    for drawn, values in zip(bars(figure.axes[1]), samples.values(), strict=True):
        known = [(k, *interval(column / math.log(k))) for k, column in zip(n_actions, values.T, strict=True)]
        np.testing.assert_allclose(drawn, known)
    regret = 3 * np.log(n_actions) ** 1.5
    for line, height in zip(figure.axes[0].lines[:6], (regret, regret, regret, 10, 12, 14), strict=True):
        np.testing.assert_allclose(line.get_xydata(), np.stack([n_actions, height / np.log(n_actions)], axis=1))
    assert sum(text.get_text().endswith(": 1.50") for text in figure.axes[0].texts) == 3


def test_the_band_with_and_without_prefix_is_an_interval_over_the_replicates_of_each_setting(rng):
    """Two settings of five and of seven games for each learner and K, whose rows are mixed."""
    keys = ["gap", "epsilon", "learner", "n_actions"]
    settings = [*product([0.1], [1.0], ("prefix_softmax", "gumbel"), (4, 64))]
    settings += [(0.5, 0.1, *rest) for _, _, *rest in settings]
    games = [(*setting, y) for i, setting in enumerate(settings) for y in rng.gamma(2.0, size=5 + 2 * (i > 3))]
    data = pd.DataFrame(games, columns=[*keys, "regret"]).sample(frac=1, random_state=1)
    figure = prefix_softmax.against_noisy_max(data)
    for ax, setting in zip(figure.axes, ((0.1, 1.0), (0.5, 0.1)), strict=True):
        rows = data[(data["gap"] == setting[0]) & (data["epsilon"] == setting[1])]
        known = [(key[1], *interval(x)) for key, x in rows.groupby(["learner", "n_actions"])["regret"]]
        np.testing.assert_allclose(curves(ax), known)


def test_bars_of_resampling_reach_as_far_up_as_down():
    gaps = (0.1, 0.01, 0.001)
    data = pd.DataFrame(product(gaps, NOISES), columns=["gap", "noise"])
    data = data.assign(**{"B = 0": 20.0, "B = 1": 2 / data["gap"], "low": 1.5 / data["gap"], "corollary_3": 50.0})
    [ax] = noisy_leader.resampling_cost(data).axes
    for drawn in bars(ax):
        np.testing.assert_allclose(drawn, [(1 / gap, 2 / gap, 1.5 / gap, 2.5 / gap) for gap in gaps])


def test_the_band_of_bandits_is_that_of_the_middle_four_fifths_of_the_replicates():
    """Eleven regrets 0, 10, ..., 100 times 1 / epsilon, on which T was tuned."""
    levels = [(learner, e) for learner in ("htinf", "exp3") for e in (0.1, 1.0)]
    data = pd.DataFrame([(*level, 10.0 * i / level[1]) for level in levels for i in range(11)])
    data.columns = ["learner", "epsilon", "regret"]
    free = pd.DataFrame({"learner": "tsallis_inf", "epsilon": np.nan, "regret": [3.0, 5.0]})
    [ax] = bandits.against_epsilon(pd.concat([data, free]).assign(horizon=10**6)).axes
    np.testing.assert_allclose(curves(ax), 2 * [(1.0, 50, 10, 90), (0.1, 500, 100, 900)])
    assert set(ax.lines[2].get_ydata()) == {4.0}, "the learner without privacy: its mean"


def test_the_band_of_delays_is_their_range(rng):
    queries = {"round": [1, 2], "query": [-3.0, 1.0], "shift": 1, "restart": 2, "accuracy": 1.0}
    delays = pd.DataFrame(product(("all", "dyadic"), (0.5, 1.0), range(4)), columns=["windows", "gap", "run"])
    delays["delay"] = rng.uniform(5000, 40_000, len(delays))
    figure = tracking.detection(pd.DataFrame(queries), delays)
    of = delays.groupby(["windows", "gap"])["delay"]
    known = [(gap, x.mean(), x.min(), x.max()) for (_, gap), x in of]
    np.testing.assert_allclose(curves(figure.axes[1]), known)


# Ratios


def test_marks_of_the_zoo_are_levels_over_what_each_member_declares():
    """The second declares an eighth: an exact level of 1/4 is twice that."""
    data = pd.DataFrame({"name": ["one", "eighth"], "declared": [1.0, 0.125], "wrong": [3.0, 1.8]})
    data = data.assign(corrected=[0.9, 0.01], exact_wrong=[4.0, 0.25], exact_corrected=[1.0, 0.125])
    [ax] = audit_bench.zoo(data).axes
    assert marks(ax, "o") == [[3.0, 1.8], [0.9, 0.05]], "what is below the axis stands at its end"
    assert marks(ax, "|") == [[4.0, 2.0], [1.0, 1.0]]


def test_marks_of_the_benchmark_are_levels_over_the_limit_in_print():
    """The exact loss of the last is infinite: no mark; that of the first is beyond the axis."""
    data = pd.DataFrame({"mechanism": list("abc"), "published": [0.1, 2.0, 0.5], "exact": [1.0, 3.0, math.inf]})
    data = data.assign(ours_median=[0.12, 1.8, 0.6], ours_low=[0.11, 1.7, 0.55], ours_high=[0.2, 2.2, 4.0])
    [ax] = audit_bench.benchmark(data).axes
    np.testing.assert_allclose(marks(ax, "o"), [[1.2, 0.9, 1.2]])
    np.testing.assert_allclose(marks(ax, "|"), [[5.0, 1.5, math.nan]])
    ranges = [segment[:, 0] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(ranges, [[1.1, 2.0], [0.85, 1.1], [1.1, 5.0]])
    assert "2 of 3" in ax.figure.get_suptitle()


CASES = pd.DataFrame(product((2, 16), (0.5, 0.1), (1.0, 0.1)), columns=["n_actions", "gap", "epsilon"])
CASES = CASES.assign(ratio=np.arange(1.0, 9.0), rate=np.arange(3.0, 11.0)).sample(frac=1, random_state=3)
"""Every case has a ratio of its own, and they are mixed."""


def test_maps_of_rates_show_the_ratio_of_their_own_row_and_column():
    figure = prefix_softmax.rate_maps(CASES.assign(regret=CASES["ratio"] * CASES["rate"]).drop(columns="ratio"))
    for ax, gap in zip(figure.axes, (0.5, 0.1), strict=True):
        known = {(f"{r.n_actions}", f"{r.epsilon:g}"): r.ratio for r in CASES[CASES["gap"] == gap].itertuples()}
        assert (ax.get_title("left"), cells(ax)) == (f"gap {gap:g}", pytest.approx(known))


def test_maps_of_the_price_of_noise_show_the_ratio_of_their_own_row_and_column():
    times = {"exponential": CASES["ratio"], "no_noise": 1.0, "gumbel": 7.0}
    figure = synopsis.noise_price(
        pd.concat([CASES.assign(learner=name, regret=CASES["rate"] * factor) for name, factor in times.items()])
    )
    for ax, k in zip(figure.axes, (2, 16), strict=True):
        known = {(f"{r.gap:g}", f"{r.epsilon:g}"): r.ratio for r in CASES[CASES["n_actions"] == k].itertuples()}
        assert (ax.get_title("left"), cells(ax)) == (f"K = {k}", pytest.approx(known))


def test_steps_of_a_proof_are_drawn_over_the_exact_regret():
    values = {"regret": (2.0, 5.0), "Lemma 4": (3.0, 20.0), "Lemma 5": (40.0, 50.0), "Theorem 1 (2)": (60.0, 5e3)}
    rows = [(instance, step, v) for step, pair in values.items() for instance, v in zip("ab", pair, strict=True)]
    [ax] = prefix_softmax.proof_chain(pd.DataFrame(rows, columns=["instance", "step", "value"])).axes
    assert [marks(ax, form)[0] for form in "osD"] == [[1.5, 4.0], [20.0, 10.0], [30.0, 1000.0]]
    assert [text.get_text() for text in ax.texts] == ["×2", "×4", "×20", "×10", "×30", "×1000"]


def test_the_potential_starts_at_log_k_and_loses_what_the_gaps_cost():
    data = pd.DataFrame({"log_z": [math.log(16), 2.0, 1.5], "m": [0, 1, 2], "eta_sum_v": [0.0, 0.8, 1.2]})
    [ax] = prefix_softmax.potential(data).axes
    drawn = [line.get_ydata() for line in ax.lines[:3]]
    cost = data["eta_sum_v"]
    np.testing.assert_allclose(drawn, [data["log_z"], math.log(16) - cost, math.log(16) - cost / 4])


def test_selections_are_drawn_over_gumbel_s_at_the_same_lead():
    """The probabilities of the three noises, in an order of its own for each."""
    data = pd.DataFrame(product(NOISES, (0.0, 2.0, 4.0)), columns=["noise", "lead"])
    data = data.assign(probability=np.arange(2.0, 11.0) / 50).sort_values(["lead", "noise"])
    figure = noisy_leader.one_score_vector(data)
    chance = data.set_index(["noise", "lead"])["probability"]
    for line, noise in zip(figure.axes[1].lines, data["noise"].unique(), strict=True):
        known = [(lead, chance[noise, lead] / chance["gumbel", lead]) for lead in (0.0, 2.0, 4.0)]
        np.testing.assert_allclose(line.get_xydata(), known)


def test_adversaries_are_drawn_as_shares_of_the_longest_horizon():
    """Shorter games are left out; marks are means over the two games of each learner, row by row."""
    order = ["Algorithm 1", "Algorithm 1, no noise", "meta-experts", "Algorithm 3", "Fixed Share, not private"]
    kinds, keys = ("adaptive", "oblivious replay"), ["learner", "adversary", "horizon", "run"]
    data = pd.DataFrame(product(order, kinds, (50, 100), (0, 1)), columns=keys)
    data["regret"] = np.arange(len(data)) % 37 + 1.0
    [ax] = tracking.adversaries(data.sample(frac=1, random_state=2)).axes
    whole = data[data["horizon"] == 100].groupby(["adversary", "learner"])["regret"].mean() / 100
    np.testing.assert_allclose(marks(ax, "D") + marks(ax, "o"), [whole[kind][order] for kind in kinds])


def test_slopes_in_names_are_those_of_the_curves():
    """Regret like T**0.7 over the last two decades, like T before; the exact ones like (log K)**1.5."""
    rounds = np.geomspace(10**3, 10**7, 9)
    regret = np.where(rounds < 10**5, rounds / 10**1.5, rounds**0.7)
    data = pd.DataFrame({"learner": "htinf", "rounds": rounds, "regret": regret})
    texts = [text.get_text() for text in bandits.over_time(data).axes[0].texts]
    assert any("(0.70)" in text for text in texts)


def test_parts_of_a_guide_grow_as_they_say():
    """Both guides meet the curve of Gumbel noise at eight actions: one grows with log K, one with its square."""
    k = 2 ** np.arange(1, 8, 2)
    data = pd.DataFrame(product(NOISES, k), columns=["noise", "n_actions"])
    data = data.assign(resampled=False, regret=40 * np.log(data["n_actions"]), low=1.0, high=2.0)
    [ax] = noisy_leader.six_variants(data).axes
    for line, power in zip(ax.lines[-2:], (1, 2), strict=True):
        x, y = line.get_xydata().T
        np.testing.assert_allclose(y, 40 * math.log(8) * (np.log(x) / math.log(8)) ** power)


def test_guides_have_the_slope_that_they_are_named_by():
    """On logarithmic axes: a root of T, and the powers -1/4 and -1/2."""
    horizons = 10.0 ** np.arange(8, 17)
    data = pd.DataFrame({"horizon": horizons, "mean": 1 / np.log(horizons), "low": 0.0, "high": 1.0, "bound": 1.0})
    learners = [data.assign(learner=name) for name in ("pure", "approximate", "uniform")]
    shown = distribution_learning.risk_over_horizons(pd.concat(learners))
    coins = distribution_learning.tv_over_horizons(*[data.assign(theorem_6=0.5)] * 3)
    guides = [line for figure in (shown, coins) for line in figure.axes[0].lines if line.get_color() == "#444444"]
    ends = [np.log(line.get_xydata()[[0, -1]]) for line in guides]
    slopes = [np.diff(y)[0] / np.diff(x)[0] for x, y in (pair.T for pair in ends)]
    assert slopes == pytest.approx([0.5, -0.25, -0.5])


def test_a_cell_of_the_winners_says_who_is_second_and_whether_that_is_known():
    """Two actions and two levels; a winner that is hardly better than uniform play stands in brackets."""
    known = {"label": "Gumbel", "learner": "gumbel", "second": registry.entry("htinf").label, "rounds": 1000}
    rows = pd.DataFrame(product(MAPPED[:2], (2, 8), (1.0, 0.1)), columns=["situation", "n_actions", "epsilon"])
    rows = rows.assign(**known, to_second=np.arange(1.5, 9.5), to_not_private=np.arange(11.0, 19.0))
    rows["beaten"] = 2 * ["exponential htinf", "exponential", "", "htinf"]
    rows["of_uniform"] = 2 * [0.5, 0.95, 0.5, 0.91]
    figure = synopsis.winners(rows.sample(frac=1, random_state=5))
    for ax, (_, data) in zip(figure.axes, rows.groupby("situation", sort=False), strict=True):
        factors = {(*np.round(text.get_position(), 9),): text.get_text() for text in ax.texts}
        for row in data.itertuples():
            x, y = (1.0, 0.1).index(row.epsilon) + 0.5, (2, 8).index(row.n_actions) + 0.5
            doubt, name = "" if "htinf" in row.beaten else "?", "[Gumbel]" if row.of_uniform > 0.9 else "Gumbel"
            assert factors[x, round(y - 0.1, 9)] == name
            assert factors[x, round(y - 0.17, 9)].split() == [
                "2nd", f"×{row.to_second:.1f}{doubt}", "free", f"×{row.to_not_private:.0f}",
            ]  # fmt: skip


def test_marks_of_privacy_are_what_is_certified_and_ends_of_bars_what_is_proved():
    """Nothing is certified of the second case: no mark, and a bar from the edge."""
    data = pd.DataFrame(product("ab", ("printed", "corrected")), columns=["case", "calibration"])
    data = data.assign(lower=[2.0, 0.5, 0.0, 0.0], upper=[3.0, 1.0, 4.0, 0.9])
    [ax] = tracking.privacy(data.sample(frac=1, random_state=4).sort_values("case")).axes
    np.testing.assert_allclose(marks(ax, "D") + marks(ax, "o"), [[2.0, math.nan], [0.5, math.nan]])
    assert marks(ax, "|") == [[3.0, 4.0], [1.0, 0.9]]
    reached = [segment[:, 0].tolist() for lines in ax.collections for segment in lines.get_segments()]
    assert reached == [[2.0, 3.0], [0.03, 4.0], [0.5, 1.0], [0.03, 0.9]]
