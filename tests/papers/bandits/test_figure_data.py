"""Data that only figures show, against a second simulation and regrets known by hand."""

import numpy as np
import pytest

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
