"""Bounds drawn in figures are those of the setting that a row names."""

import math

import pytest

from replicate.papers.prefix_softmax import experiments
from tests.transcriptions import prefix_softmax as second


def test_bounds_are_those_of_each_row():
    for _, row in experiments.regret_over_time("quick", 2026).iterrows():
        assert row["bound"] == pytest.approx(second.theorem_1(n_actions=16, gap=0.1, epsilon=row["epsilon"]))
    for _, row in experiments.regret_grid("quick", 2026).iterrows():
        setting = {key: row[key] for key in ("n_actions", "gap", "epsilon")}
        assert row["bound_1"] == pytest.approx(second.theorem_1(**setting))
        assert row["bound_2"] == pytest.approx(second.theorem_1_rate(**setting))
        assert row["rate"] == pytest.approx(second.rate(**setting))


INSTANCES = (
    {"n_actions": 2, "gap": 1.0, "epsilon": 1.0},
    {"n_actions": 4096, "gap": 1.0, "epsilon": 0.1},
    {"n_actions": 256, "gap": 0.01, "epsilon": 0.1},
    {"n_actions": 16, "gap": 0.05, "epsilon": 0.01},
)


def test_the_steps_of_the_proof_grow_from_the_regret_to_the_theorem():
    chains = experiments.proof_chain().groupby("instance", sort=False)
    for setting, (_, chain) in zip(INSTANCES, chains, strict=True):
        values = dict(zip(chain["step"], chain["value"], strict=True))
        assert list(values.values()) == sorted(values.values())
        assert values["Lemma 5"] == pytest.approx(second.lemma_4(error_sum=second.lemma_5(**setting)))
        assert values["Theorem 1 (2)"] == pytest.approx(second.theorem_1_rate(**setting))


def test_our_bound_is_that_of_the_learning_rate_that_was_played():
    """Without the cap epsilon / 2; with it 1/8 at most."""
    capped, free = experiments.regret_grid("quick", 2026), experiments.uncapped_grid("quick", 2026)
    for data, most in ((capped, 1 / 8), (free, math.inf)):
        for _, row in data.iterrows():
            k, eta = row["n_actions"], min(row["epsilon"] / 2, most)
            known = 1 + 16 * (math.log(k - 1) + 1) / row["gap"] + 8 * math.log(k) / eta
            assert row["sharper"] == pytest.approx(known)
