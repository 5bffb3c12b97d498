"""Algorithm 2 for local privacy has slightly more than epsilon as printed; a larger logarithm repairs it.

This is Theorem 5 of Sima, Wu, Milenkovic & Szpankowski, *Online Distribution Learning with Local Privacy
Constraints* (AISTATS 2024), for Algorithm 2, with (3) to (7), (12), (13) and Lemmas 6 to 8.

Statement. For any class of K hypotheses Algorithm 2 is (epsilon, 0)-locally private and its KL-risk is O(root(2
T K log K) (log(KT) + log^2(KT)/epsilon)). The omitted proof, done like that of Theorem 4 with gamma = log T,
gives root(2 T K log K)/c + 4 log(KT) + 3 log(KT)/T, where 1/c = log(KT) + 2 log(KT) (gamma + log K + log
T)/epsilon.

What the page shows.
1. Privacy fails as printed. Line (7) uses N' <= KM, but (3) rounds each label up, so that only N' < (K + 1) M is
   true. On a class with N' = (K + 1) M - 2 the log-likelihood moves by more than log(KT), for which the noise is
   scaled. The privacy loss of a message (a mixture of Laplace densities) is computed exactly: between two
   centres the ratio of two such mixtures is a Moebius function of e^(2z), hence monotone, so its extremes are at
   the centres.
2. The correction has log((K + 1) T) in the place of log(KT). The loss is then at most epsilon. Half of that
   noise (broken) exceeds epsilon.
3. Risk is simulated with the corrected noise on two hypotheses of disjoint support, where the bound speaks: a
   learner that never learns, because its weights stay even, exceeds it. The page prints the upper end of
   Student's 99% interval.

The page shows the excess for K = 2 only. It is at most about epsilon log((K + 1)/K)/log(KT), so it falls with K
and T, and the random function h hides part of it. Contexts are constant in the simulation.
"""

import math

import numpy as np


def clipped(F, T):
    """Return the values log p_j on S_y (K x M), the channel P(h(y) in S_y') (M x M), and N'."""
    M = F.shape[1]
    size = np.ceil(M * F.max(axis=0))  # |S_y|
    n = size.sum()  # N' of (3)
    return np.log((1 - 1 / T) * F / size + 1 / (T * n)), (1 - 1 / T) * np.eye(M) + size / (T * n), n  # (5), (6)


def privacy_loss(F, T, scale):
    """Return the exact privacy loss of a message of Algorithm 2 with Laplace noise of the given scale."""
    values, channel, _ = clipped(F, T)
    worst = 0.0
    for v in values:  # the message names j, so each j counts by itself
        density = channel @ np.exp(-np.abs(v[:, None] - v) / scale)  # rows: labels y; columns: centres z
        worst = max(worst, float(np.log(density.max(axis=0) / density.min(axis=0)).max()))
    return worst


def witness(M):
    """Return two hypotheses with N' = 3M - 2: nearly even, a little above 1/M, and certain of the last label."""
    F = np.zeros((2, M))
    F[0, :-1] = (1 + 1 / M**2) / M
    F[0, -1] = 1 - F[0, :-1].sum()
    F[1, -1] = 1.0
    return F


def bound(T, K, epsilon, log):
    """Return the bound of the proof with ``log`` for log(KT), and c and c' of (13)."""
    shift = log * (2 * math.log(T) + math.log(K)) / epsilon  # gamma = log T
    return (
        math.sqrt(2 * T * K * math.log(K)) * (log + 2 * shift) + 4 * log + 3 * log / T,
        1 / (log + 2 * shift),
        shift,
    )


def risk(F, T, epsilon, log, rng, learn=1.0):
    """Return the KL-risk of one run of Algorithm 2 under the first of two hypotheses."""
    values, channel, _ = clipped(F, T)
    _, c, shift = bound(T, 2, epsilon, log)
    j = rng.integers(0, 2, T)  # line 7: J_t
    y = np.searchsorted(np.cumsum(F[0] @ channel)[:-1], rng.random(T))  # the S_y in which h_t(Y_t) falls
    z = -c * (values[j, y] + rng.laplace(0, log / epsilon, T) + math.log(F.shape[1]) - shift)  # (12)
    eta = learn * math.sqrt(4 * math.log(2) / T)  # line 2
    d = np.concatenate(([0.0], np.cumsum(-eta * z * (2 * j - 1))[:-1]))  # log w_2 - log w_1
    w = 1 / (1 + np.exp(d))
    p = np.exp(values) * np.ceil(F.shape[1] * F.max(axis=0))  # line 6: sums over S_y
    return sum(
        f * (math.log(f) * T - np.log(w * a + (1 - w) * b).sum()) for f, a, b in zip(F[0], *p, strict=True) if f
    )


def main(M=400, sizes=(10, 100, 1000, 10000), T=10**6, runs=6, epsilon=4.0, seed=0):
    """Print the exact privacy losses (T = 10 needs M of 300 and more to fail) and a simulated risk."""
    F = witness(M)
    print(f"two hypotheses on {M} labels: N' = {clipped(F, 10)[2]:.0f}, while KM = {2 * M}; declared epsilon 1")
    for n in sizes:
        printed, log = privacy_loss(F, n, math.log(2 * n)), math.log(3 * n)
        fixed, broken = privacy_loss(F, n, log), privacy_loss(F, n, log / 2)
        print(
            f"T = {n:<6} privacy loss {printed:.5f} printed, {fixed:.5f} corrected, {broken:.5f} with half noise"
        )
        assert fixed <= 1 < min(printed, broken)
    rng, log = np.random.default_rng(seed), math.log(3 * T)
    x = np.array([risk(np.eye(2), T, epsilon, log, rng) for _ in range(runs)])
    # Student, 6 runs
    upper, limit = x.mean() + 4.04 * x.std(ddof=1) / math.sqrt(runs), bound(T, 2, epsilon, log)[0]
    never = risk(np.eye(2), T, epsilon, log, rng, learn=0.0)
    print(f"T = {T:,}, epsilon {epsilon}: risk {upper:,.0f} (99%), bound {limit:,.0f}, even weights {never:,.0f}")
    assert upper <= limit < never


if __name__ == "__main__":
    main()
