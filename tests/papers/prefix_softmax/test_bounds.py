import numpy as np
import pytest

from replicate.papers.prefix_softmax import bounds


def test_bounds_by_hand():
    log_k = np.log(16)
    setting = {"n_actions": 16, "gap": 0.1, "epsilon": 0.05}
    assert bounds.theorem_1(**setting) == pytest.approx(1 + 8000 * log_k + 16 * log_k / 0.025)
    assert bounds.theorem_1_rate(**setting) == pytest.approx(1000 * log_k * 30)
    assert bounds.lemma_5(**setting) == pytest.approx(2000 * log_k + 160 * log_k)
    assert bounds.theorem_1(n_actions=16, gap=0.1, epsilon=7) == pytest.approx(1 + 8000 * log_k + 128 * log_k)
    assert bounds.theorem_1(**setting) == pytest.approx(float(bounds.lemma_4(bounds.lemma_5(**setting))))
    assert bounds.lemma_1(8, 0.5) == pytest.approx(np.exp(-0.25))
    assert bounds.equation_4(8, 0.5) == pytest.approx(2 * np.exp(-0.25))
