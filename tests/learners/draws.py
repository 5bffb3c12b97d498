"""Random numbers that are known, and laws of noise computed from nothing but densities."""

import numpy as np
from scipy import stats

from tests.conftest import FALSE_ALARM

DENSITIES = {"gumbel": stats.gumbel_r, "exponential": stats.expon, "laplace": stats.laplace}


class Choosing(np.random.Generator):
    """Writes down the laws that actions are chosen from."""

    def __init__(self, n_actions):
        super().__init__(np.random.PCG64(1))
        self.n_actions, self.laws = n_actions, []

    def choice(self, a, p=None):
        law = np.zeros(self.n_actions)
        law[np.arange(self.n_actions) if p is not None else a] = 1 / len(a) if p is None else p
        self.laws.append(law)
        return int(law.argmax())


class Scripted(np.random.Generator):
    """Draws what it is told: uniform numbers, and noise in units of its scale; writes down scales and sizes.

    `noise` of shape (K,) answers draws of K numbers, one number answers all; draws of a single number are zero.
    """

    def __init__(self, *, uniform=0.5, noise=0.0):
        super().__init__(np.random.PCG64(1))
        self.calls = []
        self.told(uniform=uniform, noise=noise)

    def told(self, *, uniform=0.5, noise=0.0):
        """Tell what is drawn from now on."""
        self.uniform, self.unit = uniform, noise

    def _noise(self, name, scale, size):
        self.calls.append((name, scale, size))
        if size is None:
            return 0.0
        fits = np.ndim(self.unit) == 0 or np.prod(size) == len(self.unit)
        return scale * np.broadcast_to(self.unit if fits else 0.0, size)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + self._noise("laplace", scale, size)

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        return loc + self._noise("gumbel", scale, size)

    def exponential(self, scale=1.0, size=None):
        return self._noise("exponential", scale, size)

    def random(self, size=None, dtype=np.float64, out=None):
        return self.uniform if size is None else np.full(size, self.uniform)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        return np.full(() if size is None else size, 0 if high is None else low, dtype)[()]

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        self.calls.append(("choice", p, size))
        return 0


def flip(before, low, high, *, steps=64):
    """Return the number at which a decision changes: `before` holds below it and not above."""
    assert before(low)
    assert not before(high)
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if before(middle) else (low, middle)
    return (low + high) / 2


def noisy_min_law(sums, *, noise, scale):
    """P(j has the smallest sum less independent noise), by integration over the winner's noise: (K,) -> (K,)."""
    law, lead = DENSITIES[noise], -np.asarray(sums, dtype=float) / scale
    nodes, weights = np.polynomial.legendre.leggauss(16)
    found = np.empty(len(lead))
    for j in range(len(lead)):
        others = lead[j] - np.delete(lead, j)
        edges = np.unique(np.clip([*np.arange(-40.0, 41.0), *-others], -40, 40))  # the densities have kinks
        x = (edges[:-1, None] + np.diff(edges)[:, None] * (1 + nodes) / 2).ravel()
        density = law.pdf(x) * law.cdf(x[:, None] + others).prod(axis=1)
        found[j] = density @ np.outer(np.diff(edges) / 2, weights).ravel()
    return found


def difference_cdf(x, *, noise):
    """P(X - Y <= x) for two independent draws of unit noise: logistic, Laplace, or that of two Laplace draws."""
    tail = {"gumbel": 1 / (1 + np.exp(abs(x))), "exponential": np.exp(-abs(x)) / 2}
    tail["laplace"] = np.exp(-abs(x)) * (1 + abs(x) / 2) / 2
    return tail[noise] if x < 0 else 1 - tail[noise]


def counts(outcomes, sizes):
    """Count how often each row of small integers occurs: (n, d) -> (prod(sizes),), the last column fastest."""
    return np.bincount(np.ravel_multi_index(np.transpose(outcomes), sizes), minlength=np.prod(sizes))


# Live noise


def fits(values, law):
    return stats.kstest(values, law).pvalue > FALSE_ALARM


def correlated(x, y):
    """P-value of independence, by ranks."""
    return stats.spearmanr(x, y).pvalue


def sum_law(n):
    """Law of the sum of n independent Laplace variables of scale 1, n = 1, 2, 3."""
    polynomial = {1: [0.5], 2: [0.25, 0.5], 3: [1 / 16, 5 / 16, 0.5]}[n]

    def cdf(x):
        tail = np.exp(-np.abs(x)) * np.polyval(polynomial, np.abs(x))
        return np.where(np.asarray(x) < 0, tail, 1 - tail)

    return cdf


def check_columns(noise):
    """Unit Laplace noise, independent between coordinates and between users; shared draws are rejected."""
    assert fits(noise.ravel(), sum_law(1))
    assert not fits(1.2 * noise.ravel(), sum_law(1))
    for i in range(1, noise.shape[1]):
        assert fits(noise[:, i] - noise[:, 0], sum_law(2))
        assert correlated(noise[:, i], noise[:, 0]) > FALSE_ALARM
        assert correlated(np.abs(noise[:, i]), np.abs(noise[:, 0])) > FALSE_ALARM
        assert correlated(np.abs(noise[1:, i]), np.abs(noise[:-1, 0])) > FALSE_ALARM
    for column in noise.T:
        assert correlated(column[1:], column[:-1]) > FALSE_ALARM
    shared = np.repeat(noise[:, :1], 2, axis=1)
    assert not fits(shared[:, 1] - shared[:, 0], sum_law(2))
    assert correlated(*shared.T) < FALSE_ALARM
    repeated = np.repeat(noise[::2, 0], 2)
    assert correlated(repeated[1:], repeated[:-1]) < FALSE_ALARM
