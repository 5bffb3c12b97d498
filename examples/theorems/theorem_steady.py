"""On losses that do not fluctuate the noisy leader has regret at most 1 + 8 m_K / epsilon, with any noise.

Theorem "noisy-leader" of this workbook (reports/theorems.md, number 2), its last statement, about Algorithm 1 of
Wu and Wang, "New Rates in Stochastic Decision-Theoretic Online Learning under Differential Privacy", with B = 0.

Statement. T >= 1, K >= 2 and the gaps in [0, 1] are arbitrary; every loss vector is the same. After n = 1, 2, 4,
... rounds of the last epoch the learner plays arg max of Q_k - n mu_k for the next 2 n rounds; its first action
is uniform. The Q_k are i.i.d., of any distribution with a mean. Then the regret is at most

    1 + c m_K / epsilon,    c = 8,    m_K = eta (E max_k Q_k - E Q_1),    eta = epsilon / 2.

What this page shows. It computes the regret after 2^18 rounds (which never falls with T) by integration over the
quantiles of the noise, to nine digits, for Gumbel, exponential and Laplace noise of scale 2 / epsilon, logistic
noise, and Pareto noise of index 2, which has a mean and no variance; m_K by the same integration. For Gumbel
noise it is also computed for random gaps. The bound with c = 5 for c = 8 fails (Gumbel noise, many actions), and
noise that grows with the epoch fails the bound.

This page does not show privacy, which depends on the noise: Gumbel, exponential and Laplace noise of this scale
are epsilon-private, the other two need not be.
"""

import numpy as np

# Quantile functions of noise in units of 1 / eta, at u = 1 / (1 + exp(-z)), and distribution functions.
NOISES = {
    "Gumbel": (lambda z: -np.log(np.logaddexp(0, -z)), lambda x: np.exp(-np.exp(-np.maximum(x, -700)))),
    "exponential": (lambda z: np.logaddexp(0, z), lambda x: -np.expm1(-np.maximum(x, 0))),
    "Laplace": (
        lambda z: -np.sign(z) * (np.log(2) - np.logaddexp(0, np.abs(z))),
        lambda x: np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2),
    ),
    "logistic": (lambda z: z, lambda x: 1 / (1 + np.exp(-np.maximum(x, -700)))),
    "Pareto": (lambda z: np.exp(np.logaddexp(0, z) / 2), lambda x: 1 - np.maximum(x, 1.0) ** -2),
}


def nodes(reach=60.0, step=0.01):
    """Points z of u = 1 / (1 + exp(-z)) in (0, 1), and the weights of du."""
    z = np.arange(-reach, reach, step)
    return z, step * np.exp(-np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z))))


def wrong_chance(noise, K, d):
    """Chance that one of K - 1 actions wins, each behind the best one by d / eta."""
    (quantile, cdf), (z, weights) = NOISES[noise], nodes()
    others = cdf(quantile(z) + d)
    return np.sum(weights * -np.expm1((K - 1) * np.log(np.maximum(others, 1e-300))))


def spread(noise, K):
    """m_K: the expected maximum has the density K u^(K-1) in u."""
    quantile, (z, weights) = NOISES[noise][0], nodes()
    return np.sum(weights * quantile(z) * (K * np.exp(-(K - 1) * np.logaddexp(0, -z)) - 1))


def regret(noise, K, gap, epsilon, T, growth=False):
    """Regret after T rounds with K - 1 equal gaps; `growth` breaks it: the noise grows with the epoch."""
    total, n = gap * (K - 1) / K, 1
    while 2 * n <= T:
        rounds = min(4 * n - 1, T) - 2 * n + 1
        total += rounds * gap * wrong_chance(noise, K, epsilon / 2 * gap * (1 if growth else n))
        n *= 2
    return total


def gumbel_regret(gaps, epsilon, T):
    """The same for Gumbel noise and any gaps: the chances are a softmax."""
    total, n = gaps.mean(), 1
    while 2 * n <= T:
        w = np.exp(-epsilon / 2 * n * (gaps - gaps.min()))
        total += (min(4 * n - 1, T) - 2 * n + 1) * (w @ gaps) / w.sum()
        n *= 2
    return total


def bound(noise, K, epsilon, c=8.0):
    """The theorem as it stands; c may be sharpened."""
    return 1 + c * spread(noise, K) / epsilon


def main(sizes=(2, 256), settings=((0.01, 0.1), (1.0, 5.0)), T=2**18, seed=0):
    """Print the table and assert what it shows."""
    print("noise        actions   gap  epsilon  regret   bound")
    for noise in NOISES:
        for K in sizes:
            for gap, epsilon in settings:
                value, top = regret(noise, K, gap, epsilon, T), bound(noise, K, epsilon)
                print(f"{noise:12} {K:7} {gap:5} {epsilon:8} {value:7.2f} {top:7.2f}")
                assert value <= top
    rng = np.random.default_rng(seed)
    sets = np.column_stack([np.zeros(200), rng.random((200, 16)) ** 4])
    share = max(gumbel_regret(gaps, 0.5, T) for gaps in sets) / bound("Gumbel", 17, 0.5)
    print(f"Gumbel noise, 17 actions, 200 random sets of gaps: at most {share:.2f} times the bound")
    assert share <= 1
    near, low = regret("Gumbel", 256, 0.3, 0.01, T), bound("Gumbel", 256, 0.01, 5)
    print(f"Gumbel noise, 256 actions, epsilon 0.01: regret {near:.0f}; c = 5 allows {low:.0f}, which fails")
    broken, top = regret("Gumbel", 2, 1.0, 1.0, T, growth=True), bound("Gumbel", 2, 1.0)
    print(f"noise that grows with the epoch, 2 actions: regret {broken:.0f}, bound {top:.1f}, which fails")
    assert near > low
    assert broken > top


if __name__ == "__main__":
    main()
