"""Time of the exact regret and of the simulators: ``pytest --benchmark-only``."""

from __future__ import annotations

import numpy as np
import pytest

from replicate import environments, mechanisms
from replicate.papers import noisy_leader


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("shape", ["linear", "geometric"])
def test_exact_regret_of_4096_actions(benchmark, noise, shape):
    gaps = np.linspace(0, 1, 4096) if shape == "linear" else np.append(0, np.geomspace(1e-6, 1, 4095))
    options = {"epsilon": 1.0, "horizon": 2**59, "noise": noise}
    run = benchmark.pedantic(noisy_leader.exact_regret, (gaps,), options, rounds=3)
    assert np.isfinite(run.final).all()


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_simulation_of_100_replicates(benchmark, noise):
    env = environments.Bernoulli(np.append(0.4, np.full(15, 0.5)))
    rng = np.random.default_rng(1)
    options = {"epsilon": 0.1, "horizon": 2**59, "replicates": 100, "rng": rng, "noise": noise}
    run = benchmark.pedantic(noisy_leader.simulate, (env,), options, rounds=3)
    assert run.regret.shape == (100, 60)
