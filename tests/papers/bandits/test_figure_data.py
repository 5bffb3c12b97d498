"""Data that only figures show, against a second simulation and regrets known by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from replicate import environments
from replicate.papers.bandits.algorithms import simulation, tuning
from replicate.papers.bandits.experiments import lower_bound, sweeps, table_2
from replicate.streams import stream


def test_regret_over_time_is_that_of_the_learner_tuned_for_each_horizon():
    data = sweeps.over_time("quick", 2026)
    env = environments.Deterministic(np.array([0.0, 1.0]))
    assert set(data["learner"]) <= set(tuning.LEARNERS)
    assert (data["low"] <= data["high"]).all()
    assert (data["regret"] <= data["rounds"]).all()
    for row in data[data["rounds"] == 10_000].itertuples():
        epsilon = 0.1 if row.learner in tuning.PRIVATE else None
        rng = stream(9, "again", row.learner)
        again = simulation.simulate(
            env, learner=row.learner, epsilon=epsilon, horizon=10_000, replicates=60, rng=rng
        ).final
        spread = np.quantile(again, [0.1, 0.9])
        assert row.regret == pytest.approx(again.mean(), abs=np.ptp(spread) + 1), row.learner
        assert row.high - row.low < 5 * np.ptp(spread) + 5


def test_the_probing_learner_is_good_on_one_instance_and_bad_on_the_other():
    """Its bound splits them: probing costs half a loss a probe; who never probes again misses the switch."""
    data = lower_bound.both_instances("quick", 2026)
    table = data.set_index(["learner", "instance", "epsilon"])["regret"]
    horizons, limits = (data.groupby("epsilon")[name].first() for name in ("horizon", "bound"))
    assert horizons.to_dict() == {1.0: 4_000, 0.1: 40_000, 0.01: 400_000}
    for epsilon, limit in limits.items():
        assert 0 < table["probing", "constant", epsilon] < limit < table["probing", "switching", epsilon]
        assert table["probing", "switching", epsilon] < horizons[epsilon] / 2
        assert table["htinf", "constant", epsilon] < horizons[epsilon] / 4


@pytest.mark.parametrize("horizon", [1e6, 1e30])
def test_the_map_names_the_smallest_bound_or_uniform_play(horizon):
    data = table_2.explicit_map(horizon)
    for row in data.iloc[::397].itertuples():
        values = table_2.explicit_bounds(
            n_actions=2, n_experts=row.n_experts, epsilon=row.epsilon, horizon=horizon
        )
        assert row.winner == (-1 if values.min() >= horizon / 2 else values.argmin())
    assert data["n_experts"].min() == 2
    assert data["epsilon"].max() == pytest.approx(1)


def test_probing_learners_have_noise_of_their_own(rng):
    """Everybody probes in every batch, where noise alone decides who changes sides: about half of them do."""
    losses = np.full((lower_bound._EXPLORED + 2, 2), 0.25)
    played = lower_bound._probe(losses, 1.0, 1.0, 2000, rng)
    changed = played[:, -1] != played[:, -2]
    assert 0.4 < changed.mean() < 0.6


def test_probing_learners_probe_each_for_itself(rng):
    """In a fifth of the batches: a loss of 1/2 keeps the others' side, one of 0 there is found and kept."""
    losses = np.tile([0.5, 1.0], (lower_bound._EXPLORED + 40, 1))
    played = lower_bound._probe(losses, 0.2, 0.0, 1000, rng)[:, lower_bound._EXPLORED :]
    assert played.mean() == pytest.approx(0.2, abs=5 * math.sqrt(0.16 / 40_000))
    losses[lower_bound._EXPLORED :, 1] = 0.0
    played = lower_bound._probe(losses, 0.2, 0.0, 1000, rng)[:, lower_bound._EXPLORED :]
    found = [1 - 0.8 ** (j + 1) for j in range(40)]
    known = [0.2, *(0.8 * before + 0.2 * (1 - before) for before in found[:-1])]
    np.testing.assert_allclose(played.mean(axis=0), known, atol=5 * math.sqrt(0.25 / 1000))


@pytest.mark.parametrize(("noise", "gap"), [(1.0, 0.5), (2.0, 0.5), (1.0, 0.1)])
def test_probing_learners_settle_by_sums_of_fifty_noisy_losses_each(noise, gap, rng):
    """Each has variance 100 noise^2, so that the difference has a deviation of 10 sqrt(2) noise."""
    losses = np.tile([0.5, 0.5 + gap], (lower_bound._EXPLORED + 1, 1))
    played = lower_bound._probe(losses, 0.0, noise, 20_000, rng)
    np.testing.assert_array_equal(played[:, :-1], np.tile([0, 1], (20_000, 50)))
    wrong = stats.norm.sf(50 * gap / (math.sqrt(200) * noise))
    assert played[:, -1].mean() == pytest.approx(wrong, abs=5 * math.sqrt(wrong / 20_000) + 0.003)


@pytest.mark.parametrize(
    ("epsilon", "noise", "batch", "batches"),
    [(0.3, "Laplace", 4, 4_000), (1.0, "Laplace", 1, 4_000), (0.3, "none", 1, 20_000)],
)
def test_regrets_and_conditions_of_the_probing_learner_from_plays_that_are_given(
    epsilon, noise, batch, batches, monkeypatch
):
    """Action 1 is played in three batches only, and loses 1 there, later nothing or 1; action 0 a half.

    Condition (1) asks for a tenth of 4,000 in 3,800 batches, or for 5 % more than one in 50 of 20,000 rounds.
    """
    asked = []

    def probe(losses, rate, scale, replicates, rng):
        asked.append((rate, scale))
        return np.tile(np.arange(len(losses)) < 3, (replicates, 1)).astype(int)

    monkeypatch.setattr(lower_bound, "_probe", probe)
    found = lower_bound.probing_learner.__wrapped__(epsilon, noise, "quick", 5)
    private = noise == "Laplace"
    known = (1 / 32_000, 1 / (batch * epsilon)) if private else (1 / 50, 0.0)
    assert asked == [pytest.approx(known)] * 2
    horizon, early = batch * batches, 100 * batch
    assert (found.horizon, found.delay) == (horizon, early)
    plays, pulls = (0.4 / 3.8, 0.1) if private else (420, 0.375)
    assert (found.fraction * batches, found.pulls * epsilon) == pytest.approx((plays, pulls))
    assert set(found.constant) == {1.5 * batch}
    assert set(found.switching) == {horizon / 2 + 1.5 * batch - early}
    assert found.constant_range == (0.0, horizon / 2)
    assert found.switching_range == pytest.approx((-early / 2, horizon / 2 - early + early / 2))
    assert found.condition_2 == found.replicates
    assert found.condition_1 == (found.replicates if found.fraction * batches <= 3 else 0)
