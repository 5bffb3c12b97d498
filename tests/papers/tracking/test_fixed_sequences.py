"""Games on fixed and shifting sequences: their tables, tunings and bounds by hand, from plays that are given."""

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from replicate.papers.tracking.experiments import oblivious, privacy, shifting
from replicate.papers.tracking.instances import SIZES


class Words:
    """Answers under a number of their own, and the words that asked for them."""

    def __init__(self, *answers):
        self.answers, self.asked = iter(answers), []

    def __call__(self, **words):
        self.asked.append(words)
        return next(self.answers)


def plays(monkeypatch, module, name, answer, seen):
    """Put one answer in the place of a learner; keep its table, its other words and its first draw."""

    def run(*words, rng, **named):
        seen.append((*words, named, rng.random()))
        return answer(*words)

    monkeypatch.setattr(module, name, run)


def test_the_dartboard_plays_a_perfect_expert_in_each_stretch(monkeypatch):
    """Of 10 rounds in stretches of 4, 3 and 3 two experts take turns: always the first one loses the middle 3."""
    seen, tune, bound = [], Words("board"), Words(123.0)
    counted = []
    monkeypatch.setattr(oblivious.dartboard, "tune_dartboard", tune)
    monkeypatch.setattr(
        oblivious.dartboard, "dartboard_regret", lambda board, **words: bound(board=board, **words)
    )
    monkeypatch.setattr(oblivious.switching, "log_count_sequences", lambda *sizes: counted.append(sizes) or 7.0)
    plays(monkeypatch, oblivious.meta_experts, "run_dartboard", lambda _: (np.zeros(10, int), None), seen)
    data = oblivious._oblivious(5, 2, 2, 10, 64, 3)
    assert counted == [(10, 2, 2)]
    assert tune.asked == [{"epsilon": 1.0, "delta": 1e-6, "horizon": 10, "log_d": 7.0, "batches": (64,)}]
    assert bound.asked == [{"board": "board", "horizon": 10, "log_d": 7.0}]
    for table, words, _ in seen:
        np.testing.assert_array_equal(table[:, 0], [0, 0, 0, 0, 1, 1, 1, 0, 0, 0])
        np.testing.assert_array_equal(table[:, 1], [1, 1, 1, 1, 0, 0, 0, 1, 1, 1])
        assert words == {"n_switches": 2, "dartboard": "board"}
    assert len({draw for *_, draw in seen}) == 3
    known = {"n_actions": 2, "n_switches": 2, "horizon": 10, "batch": 64, "bound": 123, "log_d": 7, "uniform": 5}
    assert data.to_dict("records") == [{"regret": 3.0, **known}] * 3


def test_uniform_play_loses_to_all_experts_but_one(monkeypatch):
    """Four experts, of whom the fourth is wrong for 9 of 12 rounds in four stretches: its own is the last."""
    seen = []
    monkeypatch.setattr(oblivious.dartboard, "tune_dartboard", lambda **_: None)
    monkeypatch.setattr(oblivious.dartboard, "dartboard_regret", lambda *_, **__: 0.0)
    plays(monkeypatch, oblivious.meta_experts, "run_dartboard", lambda _: (np.full(12, 3), None), seen)
    data = oblivious._oblivious(5, 4, 3, 12, 1, 2)
    assert data["uniform"].to_list() == [9, 9]
    assert data["regret"].to_list() == [9, 9]
    np.testing.assert_array_equal(seen[0][0].argmin(axis=1), [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])


def test_games_of_the_dartboard_are_those_of_the_profile(monkeypatch):
    asked = []
    monkeypatch.setattr(
        oblivious, "_oblivious", lambda *words: asked.append(words) or oblivious.pd.DataFrame({"n": [len(asked)]})
    )
    assert oblivious.oblivious.__wrapped__("full", 5)["n"].to_list() == [1, 2, 3, 4]
    assert asked == [(5, *case) for case in SIZES["full"].oblivious]


def test_l2p_plays_two_experts_of_whom_each_is_right_for_half_of_the_game(monkeypatch):
    """Who changes ten rounds late loses ten."""
    horizon, replicates = SIZES["quick"].lazy
    late, seen, counted = np.arange(horizon) >= horizon // 2 + 10, [], []
    tune = Words(("lazy", 99.0))
    monkeypatch.setattr(oblivious.lazy, "tune_lazy", tune)
    monkeypatch.setattr(oblivious.switching, "log_count_sequences", lambda *sizes: counted.append(sizes) or 7.0)
    plays(monkeypatch, oblivious.lazy, "run_lazy", lambda _: late.astype(int), seen)
    data = oblivious.lazy_regret.__wrapped__("quick", 5)
    assert tune.asked == [{"epsilon": 1.0, "delta": 1e-6, "horizon": horizon, "log_d": 7.0}]
    assert counted == [(horizon, 2, 1)]
    assert {(len(table), words["n_switches"], words["lazy"]) for table, words, _ in seen} == {(horizon, 1, "lazy")}
    known = {"regret": 10.0, "horizon": horizon, "bound": 99.0, "uniform": horizon / 2}
    assert data.to_dict("records") == [known] * replicates == [known] * len({draw for *_, draw in seen})


def test_runs_of_algorithm_3_lose_as_much_as_their_weights(monkeypatch):
    """The floor is 1 / (N T); runs at a privacy level are printed ones."""
    seen, tuning = [], Words((0.25, 3.0))
    monkeypatch.setattr(oblivious.mirror_descent, "parameters", tuning)

    def played(*words):
        seen.append((*words[:4], words[4].random()))
        return 2.5

    monkeypatch.setattr(oblivious.mirror_descent, "play_swapped", played)
    assert oblivious._mirror_regrets.__wrapped__(5, 0.45, 6, 4) == [2.5] * 4
    setting = {"n_actions": 2, "horizon": 6, "n_switches": 1, "epsilon": 0.45}
    assert tuning.asked == [setting | {"calibration": "printed"}]
    assert [words[:4] for words in seen] == [(6, 0.25, 3.0, pytest.approx(1 / 12))] * 4
    assert len({draw for *_, draw in seen}) == 4


@pytest.mark.parametrize(
    ("words", "rounds", "level", "replicates"),
    [
        (("printed",), 2**18, 0.9, 104),
        (("corrected",), 2**18, 0.45, 104),
        (("printed", 500, 0.2), 500, 0.2, 40),
        (("corrected", 500, 0.2), 500, 0.1, 40),
    ],
)
def test_algorithm_3_corrected_is_the_printed_one_at_half_the_level(words, rounds, level, replicates, monkeypatch):
    asked, tuning, two = [], Words((0.25, 3.0)), [Words(70.0), Words(80.0)]
    monkeypatch.setattr(oblivious.mirror_descent, "parameters", tuning)
    monkeypatch.setattr(oblivious.bounds, "theorem_b2", two[0])
    monkeypatch.setattr(oblivious.bounds, "tracking_regret", two[1])
    monkeypatch.setattr(oblivious, "_mirror_regrets", lambda *given: asked.append(given) or [1.0, 2.0])
    data = oblivious.mirror.__wrapped__("quick", 5, *words)
    setting = {"n_actions": 2, "horizon": rounds, "n_switches": 1}
    epsilon = words[2] if len(words) > 1 else 0.9
    assert tuning.asked == [setting | {"epsilon": epsilon, "calibration": words[0]}]
    assert [bound.asked for bound in two] == [[setting | {"noise": 3.0, "learning_rate": 0.25}]] * 2
    assert asked == [(5, level, rounds, replicates)]
    known = {"horizon": rounds, "uniform": rounds / 2, "theorem_b2": 70.0, "derived": 80.0}
    assert data.to_dict("records") == [{"regret": regret, **known} for regret in (1.0, 2.0)]


def test_who_is_watched_plays_the_corrected_algorithm_3(monkeypatch):
    """The adversary shifts after 40 plays in a row of the good expert."""
    rounds, replicates = SIZES["quick"].watched
    seen, tuning, bound, counted, numbers = [], Words((0.25, 3.0)), Words(60.0), [], count(1)
    monkeypatch.setattr(oblivious.mirror_descent, "parameters", tuning)
    monkeypatch.setattr(
        oblivious.mirror_descent, "play_watched", lambda *words: seen.append(words) or (4.0, next(numbers))
    )
    monkeypatch.setattr(oblivious.bounds, "watched_regret", bound)
    monkeypatch.setattr(oblivious.switching, "log_count_sequences", lambda *sizes: counted.append(sizes) or 7.0)
    data = oblivious.watched.__wrapped__("quick", 5)
    setting = {"n_actions": 2, "horizon": rounds, "n_switches": 1}
    assert tuning.asked == [setting | {"epsilon": 0.9, "calibration": "corrected"}]
    assert bound.asked == [setting | {"noise": 3.0, "learning_rate": 0.25, "log_d": 7.0}]
    assert counted == [(rounds, 2, 1)]
    assert {words[:5] for words in seen} == {(rounds, 0.25, 3.0, 1 / (2 * rounds), 40)}
    assert len({words[5].random() for words in seen}) == len(data) == replicates
    assert sorted(data["shift"]) == list(range(1, replicates + 1))
    known = {"regret": 4.0, "horizon": rounds, "uniform": rounds / 2, "bound": 60.0}
    assert data.drop(columns="shift").drop_duplicates().to_dict("records") == [known]


@pytest.fixture
def shifts(monkeypatch):
    """Rules, restarted runs and environments of Algorithms 1 and 2 that only say what they are for."""
    asked = SimpleNamespace(rules=[], runs=[], games=[], starts=[0, 100, 3276, 3276, 5000])

    def rule(**words):
        asked.rules.append(words)
        return shifting.bounds.RestartRule(accuracy=3.0, constant=20.0, root=2.0, epsilon=0.5)

    def run_restarts(table, *, epsilon, rule, rng):
        asked.runs.append((epsilon, rule, rng.random()))
        return SimpleNamespace(actions=np.full(len(table), 1), restarts=np.array(asked.starts))

    def one_shift(horizon, gap):
        asked.games.append((horizon, gap))
        return SimpleNamespace(losses=lambda a, b, rng: np.zeros((b - a, 10)))

    monkeypatch.setattr(shifting.bounds, "restart_rule", rule)
    monkeypatch.setattr(shifting.restarts, "run_restarts", run_restarts)
    monkeypatch.setattr(shifting, "one_shift", one_shift)
    return asked


@pytest.mark.parametrize(
    ("thresholds", "divisor", "runs"), [("printed", 1, 215), ("a twentieth", 20, 20), ("infinite", None, 20)]
)
def test_restarts_are_spurious_where_no_shift_lies_before_them(thresholds, divisor, runs, shifts, monkeypatch):
    """The shift is after round 3,276: who restarts there, twice, has one law in every stretch."""
    windows = []
    monkeypatch.setattr(shifting, "window_ratio", lambda *words: windows.append(words) or float(len(words[0])))
    data = shifting.detection.__wrapped__("quick", 5, thresholds)
    words = {"n_actions": 10, "epsilon": 1.0, "horizon": 2**13, "failure": 0.1, "calibration": "printed"}
    assert shifts.rules == [words]
    assert set(shifts.games) == {(2**13, 0.96)}
    assert {epsilon for epsilon, *_ in shifts.runs} == {0.5}
    for _, rule, _ in shifts.runs:
        assert (rule.constant if rule else None) == (20 / divisor if divisor else None)
    assert len(shifts.runs) == len({draw for *_, draw in shifts.runs}) == len(data) == runs
    assert {name: set(data[name]) for name in data} == {"spurious": {4}, "restarts": {4}, "inside": {3192}}
    assert {len(excess) for excess, *_ in windows} == {99, 3175, 1723, 3192}
    assert len(windows) == 4 * runs
    assert {tuple(rule) for _, *rule in windows} == {(20 + 2 * 3 + 1, 2.0, 0)}


@pytest.mark.parametrize(
    ("starts", "spurious"),
    [
        ([0], 0),
        ([0, 3277], 0),
        ([0, 3276], 1),
        ([0, 100], 1),
        ([0, 100, 4000], 1),
        ([0, 4000, 5000], 1),
        ([0, 9, 99], 2),
    ],
)
def test_the_first_restart_after_the_shift_is_none_without_a_shift(starts, spurious, shifts, monkeypatch):
    monkeypatch.setattr(shifting, "window_ratio", lambda *_: 0.0)
    shifts.starts = starts
    data = shifting.detection.__wrapped__("quick", 5, "infinite")
    assert set(data["spurious"]) == {spurious}
    assert set(data["restarts"]) == {len(starts) - 1}


def test_windows_between_restarts_hold_the_regret_of_the_plays(shifts, monkeypatch):
    """The second expert is played and loses 1, the others 0."""
    row = np.arange(10) == 1
    monkeypatch.setattr(
        shifting, "one_shift", lambda *_: SimpleNamespace(losses=lambda a, b, rng: np.tile(1.0 * row, (b - a, 1)))
    )
    seen = []
    monkeypatch.setattr(shifting, "window_ratio", lambda excess, *_: seen.append(excess) or 0.0)
    shifting.detection.__wrapped__("quick", 5, "infinite")
    for excess in seen[:4]:
        np.testing.assert_array_equal(excess, np.tile(1.0 - row, (len(excess), 1)))


@pytest.mark.parametrize(
    ("words", "size", "epsilon"),
    [
        (("printed",), (2**16, 48), 0.5),
        (("proven",), (2**16, 32), 0.5),
        (("corrected", "dyadic"), (2**16, 48), 0.5),
        (("printed", "all", "Algorithm 1"), (2**16, 48), 1.0),
    ],
)
def test_runs_with_one_shift_are_held_against_theorem_3_6(words, size, epsilon, shifts, monkeypatch):
    """Algorithm 1 is not restarted and has the whole of epsilon; two distributions follow each other."""
    bound, (horizon, runs) = Words(55.0), size
    monkeypatch.setattr(shifting.bounds, "theorem_3_6", bound)
    monkeypatch.setattr(shifting, "_scores", lambda table, trace, rule: {"regret": len(table) + rule.accuracy})
    data = shifting.shifting.__wrapped__("quick", 5, *words)
    common = {"n_actions": 10, "epsilon": 1.0, "horizon": horizon, "calibration": words[0]}
    windows = words[1] if len(words) > 1 else "all"
    assert shifts.rules == [common | {"windows": windows}]
    assert bound.asked == [common | {"n_switches": 2}]
    assert set(shifts.games) == {(horizon, 0.96)}
    assert {(given, rule is None) for given, rule, _ in shifts.runs} == {(epsilon, len(words) > 2)}
    known = {"regret": horizon + 3.0, "horizon": horizon, "uniform": pytest.approx(0.864 * horizon), "bound": 55.0}
    assert len(shifts.runs) == len({draw for *_, draw in shifts.runs}) == runs
    assert data.to_dict("records") == [known] * runs


@pytest.mark.parametrize(("size", "profile"), [("shifting", "full"), ("proven", "full"), ("dyadic", "full")])
def test_sizes_of_runs_with_one_shift_differ(size, profile, shifts, monkeypatch):
    monkeypatch.setattr(shifting.bounds, "theorem_3_6", lambda **_: 0.0)
    monkeypatch.setattr(shifting, "_scores", lambda *_: {"regret": 0.0})
    calibration, windows = {"proven": ("proven", "all")}.get(
        size, ("printed", "dyadic" if size == "dyadic" else "all")
    )
    data = shifting.shifting.__wrapped__(profile, 5, calibration, windows)
    assert (data["horizon"].iloc[0], len(data)) == (2**17, 56 if size == "proven" else 84)


@pytest.mark.parametrize(("learner", "runs"), [("private", 215), ("uniform", 4)])
def test_algorithm_1_on_one_law_has_the_whole_of_epsilon(learner, runs, shifts, monkeypatch):
    """One expert loses 2 of 100 rounds on average, the others 98; the second is always played."""
    scored = []
    monkeypatch.setattr(
        shifting,
        "_window_ratios",
        lambda table, losses, means: scored.append((table, losses, means)) or {"x": 1.0},
    )
    env = SimpleNamespace(losses=lambda a, b, rng: np.tile(np.arange(10.0), (b - a, 1)))
    laws = []
    monkeypatch.setattr(shifting.environments, "Bernoulli", lambda means: laws.append(list(means)) or env)
    data = shifting.stationary.__wrapped__("quick", 5, learner)
    assert laws == [[0.02] + [0.98] * 9] == [list(scored[0][2])]
    assert len(data) == len(scored) == runs
    assert {(epsilon, rule) for epsilon, rule, _ in shifts.runs} == (
        {(1.0, None)} if learner == "private" else set()
    )
    assert {table.shape for table, *_ in scored} == {(2**14, 10)}
    assert all(set(losses) == ({1.0} if learner == "private" else set(range(10))) for _, losses, _ in scored)


@pytest.mark.parametrize(("calibration", "runs"), [("printed", 16_000), ("corrected", 4_000)])
def test_plays_of_a_half_are_counted_from_37_of_59(calibration, runs, monkeypatch):
    """Counts 22, 23, 36 and 37 in turn: a quarter are at least 37, a quarter at most 22."""
    asked = []

    def counts(*, replicates, rng, **words):
        asked.append((words, replicates, rng.random()))
        return np.resize([22, 23, 36, 37], replicates)

    monkeypatch.setattr(privacy.exact, "half_counts", counts)
    favoured, disfavoured = privacy.half_play_limits.__wrapped__("quick", 5, calibration)
    words = {"n_actions": 200, "horizon": 60, "n_switches": 10, "epsilon": 0.9, "calibration": calibration}
    assert [given for given, *_ in asked] == [words] * 10
    assert {many for _, many, _ in asked} == {runs // 10}
    assert len({draw for *_, draw in asked}) == 10
    many = runs // 4
    known = (stats.beta.ppf(0.25e-9, many, runs - many + 1), stats.beta.isf(0.25e-9, many + 1, runs - many))
    for found in (favoured, disfavoured):
        assert (found.low, found.high) == pytest.approx(known, rel=1e-6)


def test_the_pair_whose_loss_exceeds_epsilon_is_of_two_experts_at_epsilon_1(monkeypatch):
    found = Words("pair")
    monkeypatch.setattr(privacy.exact, "restart_pair", found)
    assert privacy.restart_pair.__wrapped__("printed") == "pair"
    assert found.asked == [{"epsilon": 1.0, "horizon": 10_000, "calibration": "printed"}]


def test_events_and_upper_bounds_of_one_row_are_about_one_game(monkeypatch):
    """In units of epsilon = 0.9; for Algorithm 2 an event, and half of epsilon and 3/2 of AboveThreshold's."""
    found, above, rule = Words(1.8, 0.9), [], SimpleNamespace(epsilon=0.2)
    monkeypatch.setattr(privacy, "half_play_limits", lambda *_: (privacy.certify.Interval(0.1, 0.0, 0.2),) * 2)
    monkeypatch.setattr(privacy, "restart_pair", lambda *_: SimpleNamespace(loss=1.5))
    monkeypatch.setattr(privacy.exact, "mirror_loss", found)
    monkeypatch.setattr(privacy, "_mirror_upper", lambda *words: above.append(words) or 2.0 + len(above))
    monkeypatch.setattr(privacy.bounds, "restart_rule", lambda **words: above.append(words) or rule)
    data = privacy.privacy_losses.__wrapped__("quick", 1)
    words = {"horizon": 64, "n_switches": 2, "epsilon": 0.9, "later_loss": 1.0}
    assert found.asked == [words | {"calibration": name} for name in ("printed", "corrected")]
    assert data["lower"].to_list() == pytest.approx([1.5, 2.0, 0.0, 1.5, 1.0, 0.0])
    rules = {"n_actions": 2, "epsilon": 1.0, "horizon": 10_000}
    assert above == [
        words
        for name in ("printed", "corrected")
        for words in (rules | {"calibration": name}, (2, 64, 2, name), (200, 60, 10, name))
    ]
    assert data["upper"].to_list() == pytest.approx([0.8, 4, 5, 0.8, 7, 8])


def test_the_proved_loss_of_algorithm_3_has_the_rate_and_the_noise_of_its_game(monkeypatch):
    tuning, proved = Words((0.25, 3.0)), Words(1.8)
    monkeypatch.setattr(privacy.mirror_descent, "parameters", tuning)
    monkeypatch.setattr(privacy.exact, "mirror_upper", proved)
    assert privacy._mirror_upper(6, 50, 4, "printed") == pytest.approx(2)
    game = {"n_actions": 6, "horizon": 50}
    assert tuning.asked == [game | {"n_switches": 4, "epsilon": 0.9, "calibration": "printed"}]
    assert proved.asked == [game | {"learning_rate": 0.25, "noise": 3.0}]
