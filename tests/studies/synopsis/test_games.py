"""Every experiment plays the games that it says, by what the register is asked: losses, lengths, repetitions.

Nothing is played, so that arguments in each other's place show at once.
"""

from collections import Counter
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replicate.advice.text import short
from replicate.learners import registry
from replicate.studies.synopsis.experiments import other_games, regret

SEED = 987_654_322
"""A root of its own: what is remembered here serves no other test."""
BLOCKS = ("exponential", "gumbel", "laplace", "no_noise", "prefix_softmax")


@pytest.fixture
def asked(monkeypatch):
    """What the register was asked for: the losses, and a count of (learner, K, rounds, replicates)."""
    calls = SimpleNamespace(games=Counter(), losses=[])

    def simulate(name, env, *, horizon, replicates, rng, epsilon, n_switches=None):
        calls.games[name, getattr(env, "n_actions", None), horizon, replicates] += 1
        calls.losses.append(env)
        samples = np.full(replicates, 0.25)
        return SimpleNamespace(final=samples, rounds=np.array([horizon]), regret=samples[:, None])

    monkeypatch.setattr(registry, "simulate", simulate)
    monkeypatch.setattr(registry, "simulate_with_advice", simulate)
    return calls


def gaps(env, start, stop):
    """By how much the mean loss of each action exceeds the smallest, from round `start` to `stop` - 1."""
    sums = env.mean_sums(start, stop)
    return ((sums - sums.min()) / (stop - start)).round(12).tolist()


def good(n_actions, gap, best=0):
    return [gap * (i != best) for i in range(n_actions)]


@pytest.mark.parametrize("learner", ["restarts", "htinf", "exponential"])
@pytest.mark.parametrize("switches", [0, 3])
def test_a_game_of_equal_phases(learner, switches, asked):
    many = 8 * (1 if registry.entry(learner).max_horizon <= regret.MAX_DRAWN else 4)
    assert len(regret._moving(learner, switches, 4096, 8, SEED)) == many
    assert asked.games == {(learner, 8, 4096, many): 1}
    length = 4096 // (switches + 1)
    for i in range(switches + 1):
        assert gaps(asked.losses[0], i * length, (i + 1) * length) == pytest.approx(good(8, 0.9, i))


def test_growth_and_switches_are_those_of_the_profile(asked):
    horizons, samples = regret.growth("quick", SEED, "restarts")
    assert horizons.tolist() == [40_000, 80_000, 160_000]
    assert samples.shape == (8, 3)
    assert asked.games == {("restarts", 8, t, 8): 1 for t in (40_000, 80_000, 160_000)}
    asked.games.clear()
    data = regret.over_switches("quick", SEED)
    assert Counter(name for name, *_ in asked.games.elements()) == dict.fromkeys(regret.MOVING, 4)
    assert {horizon for _, _, horizon, _ in asked.games} == {30_000}
    assert {many for *_, many in asked.games} == {4, 16}
    assert data["uniform"].to_list() == pytest.approx([30_000 * 0.9 * 7 / 8] * 28)
    assert data["n_switches"].to_list() == [0, 1, 3, 7] * 7


def test_curves_over_time(asked):
    """Block learners once, to 2**40; others at every length, the shorter the more often, 8 to 128 times."""
    data = regret.over_time("quick", SEED)
    many = {512: 64, 1024: 32, 2048: 16, 4096: 8, 8192: 8, 16384: 8}
    streamed = {key for key in asked.games if key[0] not in BLOCKS}
    assert {name for name, *_ in streamed} == {
        "restarts", "meta_experts", "mirror_descent", "htinf", "tsallis_inf", "hedge"
    }  # fmt: skip
    assert streamed == {(name, 8, t, runs) for name, *_ in streamed for t, runs in many.items()}
    assert set(asked.games) - streamed == {(name, 8, 2**40, 160) for name in BLOCKS}
    assert all(gaps(env, 0, 64) == pytest.approx(good(8, 0.5)) for env in asked.losses)
    assert data["uniform"].to_numpy() == pytest.approx(data["rounds"].to_numpy() * 0.5 * 7 / 8)


def test_a_calm_game(asked):
    assert len(regret.calm("quick", SEED, "htinf")) == 300
    assert asked.games == {("htinf", 8, 8192, 300): 1}
    assert gaps(asked.losses[0], 0, 8192) == pytest.approx(good(8, 0.5))


@pytest.mark.parametrize(("learner", "many"), [("gumbel", 1000), ("restarts", 128), ("htinf", 16)])
@pytest.mark.parametrize("trap", ["clock", "restart"])
def test_traps_have_two_actions_and_the_regret_of_uniform_play(learner, many, trap, asked):
    """In every round of a trap one of both actions loses 1: uniform play is half a round from the best."""
    samples, uniform, least = regret.trapped("quick", SEED, learner, trap)
    assert len(samples) == many
    assert asked.games == {(learner, 2, 32_767, many): 1}
    sums = asked.losses[0].mean_sums(0, 32_767)
    assert sums.sum() == 32_767
    assert (uniform, least) == (32_767 / 2 - sums.min(), -sums.min())


def test_the_clock_trap_is_played_anew_at_every_length(asked):
    data = regret.on_clock_trap("quick", SEED)
    known = {(name, 2, 2**p - 1, 24): 1 for p in range(6, 16) for name in (*BLOCKS, "fixed_share_cube")}
    assert asked.games == known
    for env, (_, row) in zip(asked.losses, data.iterrows(), strict=True):
        losses = env.losses(0, row["rounds"], rng=np.random.default_rng(1)).sum(axis=0)
        assert row["uniform"] == losses.mean() - losses.min()


def test_arms_of_every_number(asked):
    arms, samples = regret.against_arms("quick", SEED, "htinf")
    assert arms.tolist() == [2, 8, 32]
    assert samples.shape == (96, 3)
    assert asked.games == {("htinf", k, 20_000, 96): 1 for k in (2, 8, 32)}
    assert [gaps(env, 0, 50) for env in asked.losses] == [pytest.approx(good(k, 0.9)) for k in (2, 8, 32)]
    data = regret.feedback("quick", SEED)
    assert data["uniform"].to_numpy() == pytest.approx(18_000 * (1 - 1 / data["n_actions"].to_numpy()))
    assert set(data["horizon"]) == {20_000}
    assert len(data) == 18


def test_games_with_advice(asked):
    other_games.advised("quick", SEED)
    lengths = {"htinf": (10**6, 10), "local_exp4": (10**6, 6), "batched_exp4": (10**9, 8)}
    assert {(name, t, many) for name, _, t, many in asked.games} == {(n, *size) for n, size in lengths.items()}


def test_a_summary_is_a_mean_with_its_interval():
    """Two degrees of freedom: the quantile of p is (2 p - 1) / sqrt(2 p (1 - p)), p = 0.995."""
    half = 0.99 / np.sqrt(2 * 0.995 * 0.005) * np.sqrt(7 / 3)
    found = regret.summary(np.array([1.0, 2.0, 6.0]), learner="a", rounds=7)
    assert found == {
        "learner": "a", "rounds": 7, "regret": pytest.approx(3), "low": pytest.approx(3 - half),
        "high": pytest.approx(3 + half),
    }  # fmt: skip


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_the_grid_has_more_runs_of_few_actions(profile, monkeypatch):
    """15 times as many as the profile has over K, but at least as many as it has; a row for each learner."""
    seen = []

    def run(cells, function, *, seed, **_):
        seen.extend(dict(cell.parameters) for cell in cells)
        assert (function, seed) == (regret._grid_cell, SEED)
        samples = np.array([1.0, 2.0, 6.0])
        return {cell.id: {"one": samples + i, "other": samples * 2 + i} for i, cell in enumerate(cells)}

    monkeypatch.setattr(regret.sweep, "run", run)
    monkeypatch.setattr(regret.executors, "opened", nullcontext)
    data = regret.stochastic_grid.__wrapped__(profile, SEED)
    sizes = regret.SIZES[profile]
    known = [
        {"n_actions": k, "gap": gap, "epsilon": e, "replicates": max(sizes.replicates, 15 * sizes.replicates // k)}
        for k in sizes.n_actions
        for gap in (0.5, 0.1, 0.02)
        for e in (1.0, 0.1, 0.01)
    ]
    assert seen == known
    assert data[list(known[0])].to_dict("records") == [words for words in known for _ in range(2)]
    assert data["learner"].to_list() == ["one", "other"] * len(known)
    assert data["regret"].to_list() == pytest.approx([i + mean for i in range(len(known)) for mean in (3, 6)])
    assert [samples.mean() for samples in data["samples"]] == pytest.approx(data["regret"].to_list())


# Labels

BOUNDED = {"sign_bits": 1000.0, "merged_response": 90.0, "pure": 5e6}
OTHERS = {"pair_bits": 3000.0, "posterior": 20.0, "non_private": 1.5}
"""Risks of schemes whose bounds, if any, do not count."""
LABELS = {name: scheme.label for name, scheme in registry.schemes().items()}


def measured(place, *risks):
    """Risks of the schemes with a bound, in their order, and of the others, which may be smaller."""
    fixed = {"place": place, "n_hypotheses": 4, "n_labels": 2048, "uniform": 500.0}
    found = [*zip(BOUNDED, BOUNDED.values(), risks, strict=True), *((n, np.nan, r) for n, r in OTHERS.items())]
    return [
        fixed | {"learner": name, "bound": bound, "regret": risk, "low": risk - 3, "high": risk + 7}
        for name, bound, risk in found
    ]


def test_rows_of_labels_name_the_best_scheme_with_a_bound(monkeypatch):
    """Two rows of three classes; the others by their risks, those without a bound apart."""
    rows = [*measured("many labels", 40, 25, 900), *measured("copies", 900, 40, 25), *measured("few", 1, 2, 3)]
    monkeypatch.setattr(other_games, "labelled", lambda profile, seed: pd.DataFrame(rows))
    first, second = other_games.label_rows("quick", SEED)
    size = "(K = 4, 2,048 labels, T = 10¹⁰)"
    beside = f"{LABELS['posterior']} 20, {LABELS['pair_bits']} 3,000", f"{LABELS['non_private']} 1.5"
    assert first == [
        "labels, nobody to trust (prediction)", f"**{LABELS['merged_response']}**", "ε, local",
        f"risk 25 ± 5 nats {size}", "90, holds here", *beside,
        f"others with a bound: {LABELS['sign_bits']} 40, {LABELS['pure']} 900", "SY-LAB, SY-MERGE, DL-R1c",
    ]  # fmt: skip
    assert second == [
        "the same, labels being copies of a few", f"**{LABELS['pure']}**", "ε, local",
        f"risk 25 ± 5 nats {size}", f"{short(5e6)}, vacuous here", *beside,
        f"others with a bound: {LABELS['merged_response']} 40, {LABELS['sign_bits']} 900", first[-1],
    ]  # fmt: skip


def test_games_with_advice_have_limits_of_their_own(monkeypatch):
    """Eight experts and two actions; upper and lower limits of three learners share the error of a claim."""
    calls = []

    def simulate(name, problem, *, rng, **words):
        calls.append((name, np.shape(problem.advice), words, rng.random()))
        return SimpleNamespace(final=len(calls) + np.array([1.0, 2.0, 6.0]))

    monkeypatch.setattr(registry, "simulate_with_advice", simulate)
    data = other_games.advised.__wrapped__("quick", SEED)
    sizes = {"htinf": (10**6, 10), "local_exp4": (10**6, 6), "batched_exp4": (10**9, 8)}
    known = [(n, (1, 8, 2), {"epsilon": 1.0, "horizon": t, "replicates": m}) for n, (t, m) in sizes.items()]
    assert [call[:3] for call in calls] == known
    assert len({call[3] for call in calls}) == 3
    half = stats.t.isf(1e-9 / 6, 2) * np.sqrt(7 / 3)
    for i, (row, (name, (horizon, _))) in enumerate(zip(data.itertuples(), sizes.items(), strict=True), 1):
        assert (row.learner, row.horizon, row.regret) == (name, horizon, pytest.approx(3 + i))
        assert (row.lower, row.upper) == pytest.approx((3 + i - half, 3 + i + half), rel=1e-6)


@pytest.mark.parametrize(("profile", "many", "largest"), [("quick", 50, 256), ("full", 150, 2**12)])
def test_classes_of_labels(profile, many, largest):
    """Shapes, epsilon and runs; copies are of eight labels."""
    found = other_games.label_classes(profile)
    known = {
        "few labels": ((4, 8), 1.0, 4 * many),
        "many labels": ((4, largest), 1.0, many),
        "more hypotheses": ((16, 64), 1.0, 200 if profile == "quick" else 300),
        "copies": ((4, 2**15), 1.0, many if profile == "quick" else 2 * many),
    }
    if profile == "full":
        known |= {"few labels, ε = 0.1": ((4, 8), 0.1, 600), "few labels, ε = 0.01": ((4, 8), 0.01, 600)}
        known["most hypotheses"] = ((64, 1024), 1.0, 30)
    assert {name: (f.shape, epsilon, n) for name, (f, epsilon, n) in found.items()} == known
    for name, (f, *_) in found.items():
        np.testing.assert_allclose(f.sum(axis=1), 1)
        assert len(np.unique((f / f.sum(axis=0)).round(9), axis=1).T) == min(
            f.shape[1], 8 if name == "copies" else 2**15
        )


def test_labels_are_played_by_every_scheme_and_copies_by_response_too(monkeypatch):
    """Algorithm 2 is played 40 times, for its limits are proved; 28 limits share the error of a claim."""
    laws = np.array([[0.5, 0.5], [0.9, 0.1]])
    monkeypatch.setattr(
        other_games, "label_classes", lambda _: {"one": (laws, 0.5, 70), "copies": (laws, 1.0, 90)}
    )
    calls, limits = [], []

    def scheme(name):
        def simulate(f, *, rng, **words):
            calls.append((name, f is laws, words, rng.random()))
            return SimpleNamespace(final=len(calls) + np.array([1.0, 2.0, 6.0]))

        bound = None if name == "posterior" else lambda f, **words: (name, f is laws, words)
        return SimpleNamespace(simulate=simulate, bound=bound)

    names = (*other_games.LABEL_SCHEMES, "randomized_response")
    monkeypatch.setattr(registry, "schemes", lambda: {name: scheme(name) for name in names})
    monkeypatch.setattr(other_games, "_limits", lambda run, f, *words: limits.append(words) or (1.0, 9.0))
    data = other_games.labelled.__wrapped__("quick", SEED)
    cells = [("one", name, 0.5, 70) for name in names[:-1]] + [("copies", name, 1.0, 90) for name in names]
    uniform = 1e10 * float((laws[0] * np.log(laws[0] / laws.mean(axis=0))).sum())
    assert len({draw for *_, draw in calls}) == len(cells)
    for i, (row, (place, name, epsilon, many)) in enumerate(zip(data.itertuples(), cells, strict=True)):
        size = {"horizon": 10**10, "replicates": 40 if name == "pure" else many, "grid": 100, "epsilon": epsilon}
        assert calls[i][:3] == (name, True, size)
        assert limits[i] == (name, epsilon, pytest.approx(1e-9 / 28))
        assert (row.place, row.learner, row.n_hypotheses, row.n_labels, row.epsilon) == (
            place,
            name,
            2,
            2,
            epsilon,
        )
        assert (row.lower, row.upper, row.regret, row.uniform) == pytest.approx((1, 9, i + 4, uniform))
        if name == "posterior":
            assert np.isnan(row.bound)
        else:
            assert row.bound == (name, True, {"epsilon": epsilon, "horizon": 10**10})


@pytest.mark.parametrize("scheme", ["pure", "randomized_response", "non_private", "sign_bits"])
def test_limits_of_a_scheme_are_proved_or_of_its_own_law(scheme, monkeypatch):
    """Each kind of limit says what it is, and what it was given."""
    source, run, laws = other_games.regret_of_labels, SimpleNamespace(final=np.array([1.0])), "laws"
    bracket = SimpleNamespace(lower=np.array([1.0, 2]), upper=np.array([3.0, 4]))
    asked = []
    monkeypatch.setattr(source, "public_scheme", lambda *words: words)
    monkeypatch.setattr(source, "bracketed", lambda *words: asked.append(words) or bracket)
    monkeypatch.setattr(
        source, "risk_lower", lambda final, false_alarm: asked.append((final[0], false_alarm)) or 5.0
    )
    monkeypatch.setattr(source, "response_upper", lambda *words, **named: asked.append((words, named)) or 6.0)
    monkeypatch.setattr(other_games.labels, "public", lambda *words: words)
    monkeypatch.setattr(other_games.labels, "upper", lambda *words, **named: asked.append((words, named)) or 7.0)
    found = other_games._limits(run, laws, scheme, 0.5, 0.01)
    if scheme == "pure":
        assert (found, asked) == ((3, 7), [((laws, scheme, 0.5, 10**10), 0)])
    elif scheme == "sign_bits":
        words = (run, (laws, scheme, 0.5, 10**10), 0)
        assert (found, asked) == ((5, 7), [(1, 0.01), (words, {"quantity": "risk", "false_alarm": 0.01})])
    else:
        words = (run, laws, 0.5, 0), {"false_alarm": 0.01, "scheme": scheme}
        assert (found, asked) == ((5, 6), [(1, 0.01), words])
