"""Every piece of checks whose worst alone is shown: from coins, and from laws and regrets that are given."""

from itertools import product
from math import exp

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader.checks import lemmas, privacy, regret
from tests.claims.by_hand import assert_pieces

CEILING = 1 + 1e-9


def numbers(evidence):
    """Measured numbers and limits of all pieces."""
    return [(piece.measured, piece.limit) for piece in evidence.pieces or (evidence,)]


def shown(evidence):
    """Measured number, limit and that of uniform play, of all pieces."""
    return [(piece.measured, piece.limit, piece.uniform) for piece in evidence.pieces or (evidence,)]


def wrong(losses, gap, rounds, epsilon):
    """Chance that Gumbel noise of scale 2 / epsilon selects the worse of two: a logistic of what it is behind."""
    if losses == "independent":
        worse, better = (
            stats.binom.pmf(np.arange(rounds + 1), rounds, mean) for mean in (0.5 + gap / 2, 0.5 - gap / 2)
        )
        behind, law = np.arange(-rounds, rounds + 1), np.convolve(worse, better[::-1])
    elif losses == "opposite":
        behind = np.arange(-rounds, rounds + 1, 2)
        law = stats.binom.pmf(np.arange(rounds + 1), rounds, (1 + gap) / 2)
    else:
        behind, law = np.array([-rounds, rounds]), np.array([(1 - gap) / 2, (1 + gap) / 2])
    return float(law @ special.expit(-epsilon / 2 * behind))


@pytest.mark.parametrize("losses", ["opposite", "independent", "one loss vector"])
def test_tails_of_any_losses_by_sums_of_coins(losses, monkeypatch):
    """Constants 1 and 32/3: over exp(-(3/8) n gap min(gap, epsilon)), n = 1, 2, 4 to 256 rounds."""
    monkeypatch.setattr(lemmas.mechanisms, "NOISES", ("gumbel",))
    known = []
    for epsilon, gap, n in product((0.1, 0.5, 2.0), (0.05, 0.3, 0.6, 1.0), 2 ** np.arange(9)):
        limit = exp(-0.375 * n * gap * min(gap, epsilon))
        if limit >= 1e-200:
            known.append((wrong(losses, gap, int(n), epsilon) / limit, 3 * CEILING))
    found = lemmas.tail_of_any_losses("quick", 0, losses=losses, constant=3.0)
    assert_pieces(numbers(found), known, rel=1e-6)


@pytest.mark.parametrize(("profile", "sizes"), [("quick", (2, 3, 4)), ("full", (2, 3, 4, 6, 8))])
def test_exact_losses_are_those_of_blocks_of_resampled_bits_and_of_two_epochs(profile, sizes, monkeypatch):
    """The noise is divided; tables of two rounds have three levels, those of three rounds two."""
    monkeypatch.setattr(privacy.privacy, "shipped_scale", lambda noise: {"laplace": 6.0}.get(noise, 3.0))
    monkeypatch.setattr(
        privacy.audit,
        "report_noisy_max_privacy_loss",
        lambda k, *, noise, scale, n_rounds: k + NOISES.index(noise) / scale + 1000 * n_rounds,
    )
    monkeypatch.setattr(privacy.privacy, "resampled_law", lambda **words: ("bits", words))
    monkeypatch.setattr(privacy.privacy, "sequence_law", lambda **words: ("epochs", words))
    asked = []

    def every_table(law, *, n_rounds, n_actions, levels=(0.0, 1.0)):
        asked.append((*law(), n_rounds, n_actions, levels))
        return float(n_rounds)

    monkeypatch.setattr(privacy.audit, "exhaustive_privacy_loss", every_table)
    found = privacy.exact_losses(profile, 0, divisor=3.0)
    known, calls = [], []
    for i, noise in enumerate(NOISES):
        scale = 2.0 if noise == "laplace" else 1.0
        known += [k + i / scale + 1000 * n for k, n in product(sizes, (1, 2, 16, 256))] + [2, 3]
        law = {"noise": noise, "scale": scale}
        calls += [("bits", law, 2, 2, (0.0, 0.5, 1.0)), ("epochs", law | {"resample": False}, 3, 2, (0.0, 1.0))]
    assert_pieces(numbers(found), [(loss, CEILING) for loss in known])
    assert asked == calls


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_the_losses_of_table_2_are_held_from_both_sides(calibration, monkeypatch):
    """Four actions, 16 rounds; the search over a law returns its noise's place, 200 starts."""
    monkeypatch.setattr(privacy.privacy, "shipped_law", lambda noise, **words: (NOISES.index(noise), words))
    monkeypatch.setattr(privacy.privacy, "shipped_scale", lambda *_, **words: 1.0)
    asked = []
    monkeypatch.setattr(
        privacy.audit, "selection_privacy_loss", lambda law, **words: asked.append((law[1], words)) or law[0] + 0.5
    )
    found = privacy.table_2("quick", 0, calibration=calibration).pieces
    known = [(i + 0.5, *side) for i in range(3) for side in ((CEILING, "<="), (0.999, ">="))]
    assert [(piece.measured, piece.limit, piece.relation) for piece in found] == known
    law = {"n_actions": 4, "calibration": calibration}
    assert asked == [(law, {"n_actions": 4, "n_rounds": 16, "starts": 200})] * 3


FORMS = {"printed": "theorem_3", "integral": "theorem_3_integral", "sum": "theorem_3_sum"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("profile", "largest"), [("quick", 256), ("full", 2**14)])
def test_every_learner_s_regret_is_held_against_a_form_of_theorem_3(profile, largest, form, monkeypatch):
    """Regrets of 5 and 7 times the bound, given as K T; the other forms are not asked for."""

    def bound(*, n_actions, epsilon, horizon):
        return n_actions * float(horizon)

    def exact(learner, *, n_actions, epsilon, horizon):
        asked.append((n_actions, epsilon, horizon))
        return (5 if learner == "one" else 7) * n_actions * horizon / epsilon

    asked = []
    assert {name: rule.__name__ for name, rule in regret._LOWER.items()} == FORMS
    monkeypatch.setattr(regret, "_LOWER", {form: bound})
    monkeypatch.setattr(regret.deterministic, "lower_bound_regret", exact)
    found = regret.lower_bound(profile, 0, form=form, learners=("one", "two"), constant=3.0)
    sizes = [k for k in (2, 16, 256, 4096, 2**14) if k <= largest]
    grid = list(product(sizes, (0.01, 0.1, 1.0, 3.0), (2, 3, 10, 1000, 2**40)))
    assert asked == [setting for setting in grid for _ in range(2)]
    assert_pieces(numbers(found), [(ratio / e, 3 * (1 - 1e-9)) for _, e, _ in grid for ratio in (5, 7)])
    assert {piece.relation for piece in found.pieces} == {">="}


@pytest.mark.parametrize(("learner", "column"), [("the paper's", 0), ("uniform play", 1)])
def test_bounds_of_ours_are_held_on_three_kinds_of_losses(learner, column, monkeypatch):
    """On the grid, on Beta losses and on ladders, where the bound is stated; another bound does not count."""
    rows = {"upper": [1.0, 2.0], "uniform": [30.0, 40.0], "ours": [5.0, np.nan], "another": [0.1, 0.1]}
    names = ("regret_grid", "continuous_losses", "ladders")
    for i, name in enumerate(names):
        table = pd.DataFrame(rows).assign(n_actions=2, gap=0.1, epsilon=0.1, noise="gumbel", instance=name)
        table[["upper", "uniform", "ours"]] += i
        monkeypatch.setattr(regret.experiments, name, lambda *words, table=table: {("quick", 7): table}[words])
    found = regret.our_bound("quick", 7, bound="ours", learner=learner, constant=2.0)
    assert shown(found) == [((1 + i, 30 + i)[column], 2 * (5 + i), 30 + i) for i in range(3)]


@pytest.mark.parametrize(("learner", "column"), [("the paper's", "measured"), ("uniform play", "uniform")])
def test_rows_of_table_1_that_are_measured_are_held_against_their_bounds(learner, column, monkeypatch):
    """Quoted rows have neither a number nor a bound, and one row may lack one of the two."""
    rows = {"measured": [1.0, np.nan, 3.0, np.nan, 2.0], "bound": [5.0, 6.0, np.nan, np.nan, 7.0]}
    table = pd.DataFrame(rows).assign(uniform=[9.0, 9.0, 9.0, np.nan, 8.0], learner="any", setting="any")
    monkeypatch.setattr(regret.experiments, "regret_table", lambda *words: {("quick", 7): table}[words])
    found = regret.table_1("quick", 7, learner=learner, constant=4.0)
    known = {"measured": (1, 2), "uniform": (9, 8)}[column]
    assert shown(found) == [(known[0], 20, 9), (known[1], 28, 8)]
