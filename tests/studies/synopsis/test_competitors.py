"""Games in which the competitors' bounds are tried: uniform play there, and a tuning that breaks a bound."""

from types import SimpleNamespace

import numpy as np
import pytest

from replicate import certify
from replicate.learners import baseline_entries, competitors
from replicate.learners.competitors import noisy_sums
from replicate.studies.synopsis.checks import lemmas
from replicate.studies.synopsis.claims import CLAIMS
from replicate.studies.synopsis.experiments import competitors as experiments
from replicate.studies.synopsis.experiments.competitors import GAMES, against_bound
from replicate.streams import stream


def bounded():
    return {entry.name for entry in (*competitors.LEARNERS, *baseline_entries.LEARNERS) if entry.bound is not None}


def test_every_competitor_with_a_bound_has_a_game_and_a_claim():
    assert set(GAMES) == bounded()
    claimed = [name for claim in CLAIMS if claim.id.startswith("SY-B-") for name in claim.stated["learners"]]
    assert sorted(claimed) == sorted(bounded())


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


def test_a_tuning_that_the_bound_does_not_allow_breaks_it(monkeypatch):
    tuned = noisy_sums.hedge_tuning

    def timid(*words, **sizes):
        found = tuned(*words, **sizes)
        return found._replace(parameter=found.parameter / 30)

    good = lemmas.proved_bounds("quick", 3, learners=("hedge_tree_cube",), constant=1.0)
    monkeypatch.setattr(noisy_sums, "hedge_tuning", timid)
    bad = lemmas.proved_bounds("quick", 4, learners=("hedge_tree_cube",), constant=1.0)
    assert good.holds
    assert not bad.holds


def test_regrets_lie_within_the_range_that_their_limit_takes():
    for name in ("leader_tree_laplace", "adap_ucb", "fixed_share_laplace"):
        found = against_bound("quick", int(stream(1, name).integers(100)), name, 1)
        assert found.mean < found.upper < found.bound < found.uniform < GAMES[name].most


@pytest.mark.parametrize(("profile", "times"), [("quick", 1), ("full", 3), ("huge", 30)])
@pytest.mark.parametrize("learner", ["hedge_tree_cube", "fixed_share_laplace", "dp_se", "hedge"])
def test_regrets_are_limited_by_bets_between_minus_t_and_the_most(learner, profile, times, monkeypatch):
    """One of five limits of a claim; what is played once by whom draws nothing is known, and needs no bets."""
    game, asked = GAMES[learner], []
    bound = SimpleNamespace(private=learner != "hedge", bound=lambda setting, gap: (setting, gap))

    def simulate(name, env, *, replicates, rng, **words):
        asked.append((name, env, replicates, words, rng.random()))
        return SimpleNamespace(final=game.most * np.linspace(-0.1, 0.6, max(replicates, 2)))

    monkeypatch.setattr(experiments.registry, "simulate", simulate)
    monkeypatch.setattr(experiments.registry, "entry", lambda name: bound)
    found = against_bound.__wrapped__(profile, 5, learner, 5)
    against_bound.__wrapped__(profile, 5, learner, 6)
    [(name, env, replicates, words, draw), (*_, other)] = asked
    assert (name, replicates, draw != other) == (learner, game.replicates * times, True)
    assert np.ptp(env.mean_sums(0, game.horizon) - game.env.mean_sums(0, game.horizon)) == 0
    level = None if learner == "hedge" else 1.0
    assert words == {"epsilon": level, "horizon": game.horizon, "n_switches": game.n_switches}
    samples = game.most * np.linspace(-0.1, 0.6, max(replicates, 2))
    high = samples[-1]
    if learner != "hedge":
        high = certify.betting_upper(samples, low=-game.horizon, high=game.most, false_alarm=0.2e-9)
    assert (found.mean, found.upper) == pytest.approx((0.25 * game.most, float(high)))
    setting, gap = found.bound
    assert (setting.n_actions, setting.horizon, setting.n_switches) == (2, game.horizon, game.n_switches)
    assert (setting.epsilon, gap) == (
        experiments.Setting(n_actions=2, horizon=9).epsilon if level is None else 1,
        game.gap,
    )
    assert found.uniform == game.uniform
