import numpy as np

from replicate.papers.prefix_softmax import experiments, privacy


def test_the_twin_is_not_private_and_the_table_says_so():
    assert privacy.pair_loss("its non-private twin") == np.inf
    table = experiments.audit_table("quick", 3).set_index("learner")
    private, twin = table.loc["prefix softmax"], table.loc["its non-private twin"]
    assert 0 < private["certified"] <= private["this pair"] <= private["any pair"] <= private["declared"]
    assert twin["certified"] > twin["by literal runs"] > 1
