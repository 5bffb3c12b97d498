import math
from contextlib import nullcontext

import numpy as np
import pytest

from replicate import environments
from replicate.learners import dyadic
from replicate.learners.protocol import Run
from replicate.papers.prefix_softmax import algorithms, experiments, privacy
from replicate.papers.prefix_softmax.instances import HORIZON


def test_the_twin_is_not_private_and_the_table_says_so():
    assert privacy.pair_loss("its non-private twin") == np.inf
    table = experiments.audit_table("quick", 3).set_index("learner")
    private, twin = table.loc["prefix softmax"], table.loc["its non-private twin"]
    assert 0 < private["certified"] <= private["this pair"] <= private["any pair"] <= private["declared"]
    assert twin["certified"] > twin["by literal runs"] > 1


@pytest.mark.parametrize("power", [0.0, 1.0, 2.5])
def test_noise_of_noisy_max_is_multiplied_by_a_power_of_log_k_and_that_of_softmax_is_not(power, monkeypatch):
    """Each cell's regrets stand beside the epsilon that is named, not the one that was divided."""
    asked = []

    def run(cells, function, *, seed, **_):
        asked.append((seed, [dict(cell.parameters) for cell in cells]))
        return {cell.id: {"regret": np.full(2, dict(cell.parameters)["n_actions"])} for cell in cells}

    monkeypatch.setattr(experiments.sweep, "run", run)
    monkeypatch.setattr(experiments.executors, "opened", nullcontext)
    monkeypatch.setattr(experiments, "_regret_over_actions", experiments._regret_over_actions.__wrapped__)
    rows = experiments.against_noisy_max("quick", 5, power)
    for (seed, cells), (learner, own) in zip(asked, (("prefix_softmax", 0.0), ("gumbel", power)), strict=True):
        assert seed == 5
        assert {cell["learner"] for cell in cells} == {learner}
        part = rows[rows["learner"] == learner].iloc[::2]
        assert [cell["n_actions"] for cell in cells] == part["n_actions"].to_list() == part["regret"].to_list()
        assert [cell["setting"][0] for cell in cells] == part["gap"].to_list()
        levels = [
            epsilon / math.log(k) ** own for epsilon, k in zip(part["epsilon"], part["n_actions"], strict=True)
        ]
        assert [cell["setting"][1] for cell in cells] == pytest.approx(levels)
    assert set(rows["epsilon"]) == {0.05, 1.0, 0.2}
    assert sorted(set(rows["n_actions"])) == [2**i for i in range(1, 11)]


@pytest.mark.parametrize("epsilon", [0.02, 1.0, 40.0])
@pytest.mark.parametrize("learner", ["prefix_softmax", "gumbel", "uncapped"])
@pytest.mark.parametrize(
    "env",
    [
        environments.Bernoulli([0.5, 0.4, 0.45]),
        environments.antithetic([0.25, 0.75]),
        environments.Deterministic([0.0, 1.0, 0.3]),
    ],
    ids=["independent", "antithetic", "fixed"],
)
def test_blocks_that_cost_nothing_are_not_missed(env, learner, epsilon):
    """The same numbers, block by block, as by drawing all sixty blocks."""
    words = {"epsilon": epsilon, "horizon": HORIZON, "replicates": 30}
    if learner == "gumbel":
        whole = experiments.report_noisy_max(env, **words, rng=np.random.default_rng(3))
        early = experiments._COMPARED["gumbel"](env, **words, rng=np.random.default_rng(3))
    elif learner == "prefix_softmax":
        whole = algorithms.simulate(env, **words, rng=np.random.default_rng(3))
        early = experiments.simulated(env, **words, rng=np.random.default_rng(3))
    else:
        del words["epsilon"]
        words |= {"selector": algorithms.selector(epsilon / 2), "prefix": algorithms.random_prefix}
        whole = dyadic.simulate(env, **words, rng=np.random.default_rng(3))
        early = experiments.settled(dyadic.simulate, env, eta=epsilon / 2, **words, rng=np.random.default_rng(3))
    np.testing.assert_allclose(early.regret, whole.regret, rtol=1e-15)
    np.testing.assert_array_equal(early.rounds, whole.rounds)
    assert early.regret_kind == whole.regret_kind


@pytest.mark.parametrize(
    ("blocks", "horizon", "regret"),
    [(3, 7, [1, 3, 7, 7, 7]), (4, 15, [1, 3, 7, 15, 15]), (5, 20, [1, 3, 7, 15, 20])],
)
def test_settled_games_end_with_the_blocks_that_cost_something(blocks, horizon, regret, monkeypatch):
    """Of five blocks up to round 20, each with a loss a round; the regrets after those that are asked for stay."""
    asked = []
    monkeypatch.setattr(
        experiments.lemmas, "settled_blocks", lambda env, **words: asked.append((env, words)) or blocks
    )

    def simulate(env, *, horizon, epsilon):
        asked.append((env, horizon, epsilon))
        rounds = dyadic.blocks(horizon)[1]
        return Run(rounds, rounds * np.array([[1.0], [2.0]]), "any")

    run = experiments.settled(simulate, "env", eta=0.25, horizon=20, epsilon=9)
    assert asked == [("env", {"eta": 0.25, "horizon": 20}), ("env", horizon, 9)]
    assert run.rounds.tolist() == [1, 3, 7, 15, 20]
    np.testing.assert_array_equal(run.regret, np.outer([1, 2], regret))
    assert run.regret_kind == "any"
