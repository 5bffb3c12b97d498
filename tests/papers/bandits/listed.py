"""The listings of the base learners once more, with none of the package's parts: regrets of many runs at once."""

import math

import numpy as np

from tests import agreement


def listed_exp3(table, runs, eta, gamma, noise, rng):
    """Algorithm 3 on noisy losses, transcribed with none of the package's parts: the regrets of many runs."""
    k, each = table.shape[1], np.arange(runs)
    w, loss = np.ones((runs, k)), np.zeros(runs)
    for row in table:
        p = (1 - gamma) * w / w.sum(axis=1, keepdims=True) + gamma / k
        i = agreement.drawn(p, rng)
        loss += row[i]
        w[each, i] *= np.exp(-eta * (row[i] + rng.laplace(scale=noise, size=runs)) / p[each, i])
    return loss - table.sum(axis=0).min()


def listed_ftpl(table, runs, eta, most, noise, rng):
    """Algorithm 4 with arg min, every perturbation drawn."""
    k, each = table.shape[1], np.arange(runs)
    score, loss = np.zeros((runs, k)), np.zeros(runs)
    for row in table:
        i = (score + rng.laplace(scale=1 / eta, size=(runs, k))).argmin(axis=1)
        loss += row[i]
        count, missed = np.full(runs, most), each
        for m in range(1, most + 1):
            again = (score[missed] + rng.laplace(scale=1 / eta, size=(len(missed), k))).argmin(axis=1)
            count[missed[again == i[missed]]] = m
            missed = missed[again != i[missed]]
        score[each, i] += (row[i] + rng.laplace(scale=noise, size=runs)) * count
    return loss - table.sum(axis=0).min()


def listed_htinf(table, runs, sigma, noise, rng):
    """HTINF with its minimiser by bisection."""
    k, each = table.shape[1], np.arange(runs)
    score, loss = np.zeros((runs, k)), np.zeros(runs)
    for t, row in enumerate(table, start=1):
        eta = 1 / (sigma * math.sqrt(t))
        x = htinf_by_bisection(score, eta)
        i = agreement.drawn(x, rng)
        loss += row[i]
        seen = row[i] + rng.laplace(scale=noise, size=runs)
        kept = np.abs(seen) <= (1 - 2 ** (-1 / 3)) * np.sqrt(x[each, i]) / eta
        score[each, i] += np.where(kept, seen / x[each, i], 0.0)
    return loss - table.sum(axis=0).min()


def htinf_by_bisection(score, eta):
    """Laws (..., K) at scores (..., K): an interval around what makes them sum to 1 is halved 60 times."""
    above = score - score.min(axis=-1, keepdims=True)
    low, high = np.full((*score.shape[:-1], 1), -1.01 * math.sqrt(score.shape[-1]) / eta), np.array(-0.99 / eta)
    for _ in range(60):
        z = (low + high) / 2
        heavy = (1 / np.square(eta * (above - z))).sum(axis=-1, keepdims=True) > 1
        low, high = np.where(heavy, low, z), np.where(heavy, z, high)
    return 1 / np.square(eta * (above - z))
