import math
from contextlib import nullcontext

import numpy as np
import pytest

from replicate.papers.prefix_softmax import experiments, privacy


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
