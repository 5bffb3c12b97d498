"""Whole epochs have the optimal rate with every noise, for losses of any joint distribution.

Theorem "noisy-leader" of this workbook (reports/theorems.md, number 2), about Algorithm 1 of Wu and Wang, "New
Rates in Stochastic Decision-Theoretic Online Learning under Differential Privacy".

Statement. T >= 1, K >= 2, epsilon > 0; loss vectors in [0, 1]^K are i.i.d. over the rounds. After n = 1, 2, 4,
... rounds of the last epoch the learner plays arg max of Q_k - S_k for the next 2 n rounds, S the sums of these
n vectors; its first action is uniform; Q_k is Gumbel, exponential or Laplace noise of scale 2 / epsilon. The
pseudo-regret is at most

    1 + a (log(K - 1) + 1) / gap + c m_K / epsilon,

the term in 1 / gap (the least positive gap) only if a positive gap is below epsilon, m_K the expected maximum of
K noises less their mean, in units of the scale, and (a, c) as in INDEPENDENT and JOINT below.

What this page shows. The regret after 4 n - 1 rounds is computed, not simulated, for losses of 0 and 1. (1) K - 1
actions share one coin (so losses are not independent over the actions if K > 2), which is independent of the best
action's coin or opposed to it, for the three noises; Laplace noise is integrated on a grid, to four digits. (2)
Three actions have random joint distributions of their eight loss vectors, and Gumbel noise; the distribution of
the sums comes from a Fourier transform. The wrong sign of the losses fails the bound, and the bound with c = 5 for
c = 16 fails though no gap is below epsilon.

This page does not show losses between 0 and 1 (resampling makes them 0 or 1), nor privacy.
"""

from itertools import product

import numpy as np

# (a, c) for losses that are independent over the actions, and for losses of any joint distribution
INDEPENDENT = {"Gumbel": (18.3, 32 / 3), "exponential": (18.3, 32 / 3), "Laplace": (20.5, 32 / 3)}
JOINT = {"Gumbel": (21.4, 16.0), "exponential": (21.4, 16.1), "Laplace": (23.4, 16.1)}
GRID = np.arange(-25.0, 35.0, 0.02)


def laplace_cdf(x):
    """Distribution function of Laplace noise of scale 1."""
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


def wrong_chance(noise, K, d):
    """Chance that one of K - 1 actions wins if the best one leads them by each d (in units of the scale)."""
    a = np.exp(-np.clip(d, 1e-12, 700))
    if noise == "Gumbel":
        return 1 / (1 + np.exp(np.clip(d, -700, 700)) / (K - 1))
    if noise == "exponential":
        return np.where(d > 0, 1 + np.expm1(K * np.log1p(-a)) / (K * a), 1 - np.exp(np.minimum(d, 0)) / K)
    density = np.exp(-np.abs(GRID)) / 2 * (GRID[1] - GRID[0])
    return np.array([density @ (1 - laplace_cdf(GRID + x) ** (K - 1)) for x in np.clip(d, -30, 60)])


def spread(noise, K):
    """m_K; for Laplace noise the integral of 1 - F^K - (1 - F) over the line."""
    F = laplace_cdf(GRID)
    harmonic, integral = (1 / np.arange(2, K + 1)).sum(), np.sum(F - F**K) * (GRID[1] - GRID[0])
    return {"Gumbel": np.log(K), "exponential": harmonic, "Laplace": integral}[noise]


def regret(noise, K, gap, epsilon, longest, steps):
    """Steps: chances of l_k - l_1 = -1, 0, 1, the same difference for all k > 1."""
    total, n, law = gap * (K - 1) / K, 1, np.asarray(steps)
    while n <= longest:
        total += 2 * n * gap * (law @ wrong_chance(noise, K, epsilon / 2 * np.arange(-n, n + 1, dtype=np.float64)))
        n, law = 2 * n, np.convolve(law, law)
    return total


def random_law_regret(chances, epsilon, longest):
    """Gumbel noise, K = 3; chances of the eight vectors of bits. Returns the regret and the least positive gap."""
    bits, size = np.array(list(product((0, 1), repeat=3))), 2 * longest + 1
    gaps = chances @ bits - (chances @ bits).min()
    step = np.zeros((size, size))
    np.add.at(step, (bits[:, 1] - bits[:, 0], bits[:, 2] - bits[:, 0]), chances)
    lead = np.fft.fftfreq(size, 1 / size)  # S_2 - S_1 and S_3 - S_1, negative ones at the end
    w = np.exp(-epsilon / 2 * np.stack(np.broadcast_arrays(0.0, lead[:, None], lead[None, :])))
    cost, total, spectrum = np.tensordot(gaps, w / w.sum(0), 1), gaps.mean(), np.fft.fft2(step)
    for n in 2 ** np.arange(int(np.log2(longest)) + 1):
        total += 2 * n * np.sum(cost * np.fft.ifft2(spectrum**n).real)
    return total, gaps[gaps > 0].min()


def bound(noise, K, gap, epsilon, independent=False, constants=None):
    """The theorem as it stands; the constants (a, c) may be sharpened."""
    a, c = constants or (INDEPENDENT if independent else JOINT)[noise]
    return 1 + (a * (np.log(K - 1) + 1) / gap if gap < epsilon else 0) + c * spread(noise, K) / epsilon


def main(settings=((2, 0.3, 1.0), (17, 0.3, 0.2), (256, 0.5, 5.0)), longest=2**9, laws=15, seed=0):
    """Print the table and assert what it shows."""
    print("noise        actions  gap  epsilon  coins        regret   bound")
    for noise, (K, gap, eps), kind in product(JOINT, settings, ("independent", "opposed")):
        p, q = (1 - gap) / 2, (1 + gap) / 2
        steps = [p * p, 2 * p * q, q * q] if kind == "independent" else [p, 0, q]
        alone = K == 2 and kind == "independent"
        value, top = regret(noise, K, gap, eps, longest, steps), bound(noise, K, gap, eps, alone)
        print(f"{noise:12} {K:7} {gap:4} {eps:8}  {kind:11} {value:7.2f} {top:7.2f}")
        assert value <= top
    random_laws = np.random.default_rng(seed).dirichlet(np.full(8, 0.3), laws)
    pairs = [random_law_regret(chances, 0.5, 128) for chances in random_laws]
    share = max(value / bound("Gumbel", 3, gap, 0.5) for value, gap in pairs)
    print(f"Gumbel noise, 3 actions, {laws} random distributions, 511 rounds: at most {share:.2f} times the bound")
    wrong, top = regret("Gumbel", 2, 0.3, 1.0, longest, [0.65, 0, 0.35]), bound("Gumbel", 2, 0.3, 1.0)
    near, low = regret("Gumbel", 256, 0.5, 0.05, longest, [0.25, 0, 0.75]), 1 + 5 * np.log(256) / 0.05
    print(f"wrong sign of the losses: {wrong:.0f}, bound {top:.0f}; c = 5: {near:.0f}, bound {low:.0f}; both fail")
    assert share <= 1 < wrong / top
    assert low < near <= bound("Gumbel", 256, 0.5, 0.05)


if __name__ == "__main__":
    main()
