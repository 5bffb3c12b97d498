"""Simulators select with the noise of their learners: regrets of short tables by hand."""

from functools import partial

import numpy as np
import pytest

from replicate import environments
from replicate.learners import registry
from replicate.papers import noisy_leader
from replicate.papers.tracking.algorithms import limited_updates
from tests.agreement import compares
from tests.learners import draws

NOISES = tuple(draws.DENSITIES)
LISTED = (*NOISES, "limited_updates", "prefix_softmax")


def selection(name, sums, epsilon, calibration="corrected"):
    """Law of the action selected from sums of losses."""
    if name == "prefix_softmax":
        weights = np.exp(-min(epsilon / 2, 1 / 8) * np.asarray(sums))
        return weights / weights.sum()
    noise = "laplace" if name == "limited_updates" else name
    scale = (1 if (name, calibration) == ("exponential", "printed") else 2) / epsilon
    sign = -1 if (name, calibration) == ("limited_updates", "printed") else 1
    return draws.noisy_min_law(sign * np.asarray(sums), noise=noise, scale=scale)


def simulator(name, calibration, *, resample=False):
    if calibration == "register":
        return partial(registry.simulate, name + "_resampled" * resample)
    if name == "limited_updates":
        return partial(limited_updates.simulate_static, calibration=calibration)
    return partial(noisy_leader.simulate, noise=name, resample=resample, calibration=calibration)


WAYS = [(name, "register") for name in LISTED] + [
    (name, calibration) for name in (*NOISES, "limited_updates") for calibration in ("corrected", "printed")
]


@pytest.mark.parametrize(("name", "calibration"), WAYS)
@pytest.mark.parametrize("horizon", [1, 2, 3, 5, 6, 12])
def test_simulated_regret_is_that_of_the_selections_from_the_block_before(name, calibration, horizon):
    """A table whose best action changes; the last block is cut. Of 4 rounds, prefix softmax reads 3 or 4."""
    table = np.round(np.random.default_rng(9).random((horizon, 3)), 3)
    table[horizon // 2 :] = table[horizon // 2 :][:, ::-1]
    runs, epsilon = 40, 0.2
    run = simulator(name, calibration)(
        environments.Table(table), epsilon=epsilon, horizon=horizon, replicates=runs, rng=np.random.default_rng(1)
    )
    best = table.sum(axis=0).argmin()
    possible = [np.array([(table[0] - table[0, best]).mean()])]
    for start in (1, 3, 7):
        if start < horizon:
            before, block = table[(start - 1) // 2 : start], table[start : 2 * start + 1]
            lengths = {3: 2, 7: 3}.get(start, 1) if name == "prefix_softmax" else len(before)
            laws = [
                selection(name, before[:m].sum(axis=0), epsilon, calibration)
                for m in range(lengths, len(before) + 1)
            ]
            possible.append(np.array([law @ (block - block[:, [best]]).sum(axis=0) for law in laws]))
    steps = np.diff(run.regret, axis=1, prepend=0)
    assert run.rounds.tolist() == [r for r in (1, 3, 7) if r < horizon] + [horizon]
    for values, found in zip(possible, steps.T, strict=True):
        away = np.abs(found[:, None] - values)
        assert away.min(axis=1).max() < 1e-10
        assert set(away.argmin(axis=1)) == set(range(len(values)))


@compares(*(f"exact regret: {name}" for name in (*NOISES, "prefix_softmax")))
@pytest.mark.parametrize("name", [*NOISES, "prefix_softmax"])
def test_exact_regret_is_that_of_the_same_selections(name):
    means, epsilon = np.array([0.25, 0.0, 1.0]), 0.2
    run = registry.exact_regret(name, means, epsilon=epsilon, horizon=5)
    laws = [np.full(3, 1 / 3), selection(name, means, epsilon), selection(name, 2 * means, epsilon)]
    np.testing.assert_allclose(
        np.diff(run.regret[0], prepend=0),
        [n * law @ means for n, law in zip((1, 2, 2), laws, strict=True)],
        rtol=1e-10,
    )
