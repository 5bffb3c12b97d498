"""Games in which the competitors' bounds are tried: who plays, uniform play there, and what is not vacuous."""

import numpy as np
import pytest

from replicate import budget, certify
from replicate.learners import baseline_entries, competitors
from replicate.studies.synopsis.claims import CLAIMS
from replicate.studies.synopsis.experiments.regret import GAMES, against_bound
from tests.claims.quick import ENTRIES, SEED, one_by_one


def test_every_competitor_with_a_bound_has_a_game_and_a_claim():
    """All but uniform play, and EXP4, which plays with advice."""
    bounded = {e.name for e in (*competitors.LEARNERS, *baseline_entries.LEARNERS) if e.bound is not None}
    bounded -= {"uniform", "bit_exp4"}
    claimed = [name for claim in CLAIMS if claim.id.startswith("SY-B") for name in claim.stated["learners"]]
    assert set(GAMES) == bounded
    assert sorted(claimed) == sorted(bounded)


@pytest.mark.parametrize("name", GAMES)
def test_uniform_play_and_the_worst_play_by_hand(name):
    """From the mean losses of every round, against the best action, or the best of every phase."""
    game = GAMES[name]
    edges = np.arange(game.horizon + 1)
    means = game.env.mean_sums(edges[:-1], edges[1:])
    if game.n_switches:
        assert np.count_nonzero(np.diff(means.argmin(axis=1))) == game.n_switches
    best = means.min(axis=1).sum() if game.n_switches else means.sum(axis=0).min()
    assert game.uniform == pytest.approx(means.mean(axis=1).sum() - best)
    assert game.most == pytest.approx(means.max(axis=1).sum() - best)


@pytest.mark.parametrize("name", GAMES)
def test_limits_allow_for_games_that_were_not_seen(name):
    """Fifty games alike have chance a where others, which cost the most or the least, have 1 - a**(1/50)."""
    game, alarm = GAMES[name], 1e-3
    least = -game.horizon if game.losses == "clock trap" else 0
    alike, unseen = 0.3 * game.most, alarm ** (1 / 50)
    lower, upper = game.limits(np.full(50, alike), false_alarm=alarm)
    if game.replicates == 1:  # without noise one game is all there is
        assert lower == upper == alike
    else:
        assert game.most - (game.most - alike) * unseen <= upper <= game.most
        assert least <= lower <= least + (alike - least) * unseen


@pytest.mark.parametrize("many", [1, 8])
def test_limits_of_the_games_of_one_claim_share_its_false_alarm(many):
    """On either side, of which one is held against the bound."""
    _, book = budget.noted(against_bound, "quick", SEED, "random_epochs", many)
    assert many * budget.total(book) == pytest.approx(2 * certify.CLAIM_FALSE_ALARM)


@one_by_one(claim.id for claim in CLAIMS if claim.id.startswith("SY-B"))
def test_bounds_hold_where_uniform_play_breaks_them(name):
    learners = ENTRIES[name].stated["learners"]
    for learner in learners:
        found = against_bound("quick", SEED, learner, len(learners))
        assert found.mean <= found.upper < found.bound < found.uniform < GAMES[learner].most
        assert (found.mean == found.upper) == (GAMES[learner].replicates == 1), "known, or a limit"
