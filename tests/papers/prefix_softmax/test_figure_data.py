"""Data that only figures show, against closed forms and a second simulation in plain NumPy."""

import numpy as np
import pytest

from replicate import certify, environments
from replicate.papers.prefix_softmax import algorithms, experiments
from replicate.papers.prefix_softmax.bounds import theorem_1
from replicate.papers.prefix_softmax.instances import HORIZON
from replicate.streams import stream
from tests.conftest import FALSE_ALARM


def test_regret_over_time_is_that_of_sixteen_actions():
    data = experiments.regret_over_time("quick", 2026)
    env = environments.Bernoulli(np.where(np.arange(16) > 0, 0.55, 0.45))
    for epsilon, rows in data.groupby("epsilon"):
        assert rows["uniform"].to_list() == pytest.approx((rows["rounds"] * 0.1 * 15 / 16).to_list())
        assert rows["bound"].unique() == pytest.approx([theorem_1(n_actions=16, gap=0.1, epsilon=epsilon)])
        assert (rows["low"] <= rows["high"]).all()
        assert (rows["regret"] < rows["bound"]).all()
        assert rows["rounds"].iloc[-1] == HORIZON
        again = algorithms.simulate(
            env, epsilon=epsilon, horizon=HORIZON, replicates=200, rng=stream(5, "again", epsilon)
        ).final
        where = certify.mean_interval(again, false_alarm=FALSE_ALARM)
        assert rows["regret"].iloc[-1] == pytest.approx(where.estimate, abs=2 * (where.high - where.low))
        between = ((again > rows["low"].iloc[-1]) & (again < rows["high"].iloc[-1])).mean()
        assert 0.6 < between < 0.97
    assert len(data["epsilon"].unique()) == 3


def test_the_potential_starts_at_log_k_and_falls_as_plain_paths_do():
    data = experiments.potential("quick", 2026)
    rng, eta, rounds, paths = np.random.default_rng(7), 0.05, 250, 500
    gaps = np.array([0.0] + 15 * [0.75])
    trail, expected, cumulated = np.zeros((paths, 16)), [], [0.0]
    for _ in range(rounds + 1):
        weights = np.exp(-eta * trail)
        expected.append(np.log(weights.sum(axis=1)).mean())
        cumulated.append(cumulated[-1] + eta * (weights @ gaps / weights.sum(axis=1)).mean())
        losses = (rng.random((paths, 16)) < 0.25 + gaps).astype(float)
        trail += losses - losses[:, :1]
    assert data["log_z"][0] == pytest.approx(np.log(16))
    assert data["eta_sum_v"][:2].to_list() == pytest.approx([0.0, 0.05 * 0.75 * 15 / 16])
    assert data["log_z"].to_numpy() == pytest.approx(np.array(expected), abs=0.05)
    assert data["eta_sum_v"].to_numpy() == pytest.approx(np.array(cumulated[:-1]), abs=0.05)


def test_the_chain_of_bounds_goes_up_from_the_exact_regret():
    chain = experiments.proof_chain().set_index(["instance", "step"])["value"].unstack()
    order = ["regret", "Lemma 4", "Lemma 5", "Theorem 1 (2)"]
    assert (np.diff(chain[order].to_numpy(), axis=1) > 0).all()
    assert len(chain) == 4
    m = np.arange(1, 4000)
    assert chain.loc["K=2, gap 1, ε=1", "Lemma 4"] == pytest.approx(1 + 4 * (1 / (1 + np.exp(m / 8))).sum())
