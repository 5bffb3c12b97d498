"""HTINF on noisy batch means is private and has regret of order root(TK/epsilon).

This is Corollary 2 of Asi, Raman & Talwar, *Faster Rates for Private Adversarial Bandits* (2025). Appendix D
proves it from Theorem 1, Lemma 19 and Theorem 4.1 of Huang, Dai & Huang (2022), whose algorithm HTINF it runs.

Statement. For every epsilon in [1/T, 1], Algorithm 1 with HTINF (alpha = 2, sigma = root 6) and batches of tau =
ceil(1/epsilon) rounds is epsilon-differentially private, and its worst-case expected regret is
O(root(TK/epsilon) + 1/epsilon). The proof has 208 root(TK/epsilon) + 2/epsilon, which is the bound used here.

What the page shows.
1. Privacy is computed by quadrature in two batches of one round, where the second action is chosen from one
   noisy observation. The worst ratio over losses of the first round is at most e^epsilon; HTINF uses little of
   it in so short a game. Without noise (broken), all sequences of actions in twelve rounds are enumerated, and
   the worst ratio exceeds e^epsilon.
2. Regret is simulated; the page prints the upper end of Student's 99% interval, beside the regret of uniform
   play.

The page does not test the constant 208, because the bound says nothing at sizes that it plays: uniform play
itself stays below the bound until T = 6.75 * 208^2 / epsilon (292,032 rounds for epsilon = 1, at K = 3, its
worst K). HTINF is not printed in the paper. It is written here as we know it from Huang, Dai & Huang: the
learning rate is 1/(sigma root t), the regulariser is -2 sum(root x_i), and an observation whose absolute value
is above 0.2063 sigma root(t x_i) is skipped.
"""

import math

import numpy as np

SIGMA, SKIP = math.sqrt(6.0), 1 - 2 ** (-1 / 3)  # Theta_2 = min(1 - 2^(-1/3), e^(-1/2))


def tsallis(z):
    """Return argmin over the simplex of <z, x> - 2 sum(root x), row by row: x_i = (z_i + mu)^(-2) sums to 1."""
    mu = 1.0 - z.min(axis=1, keepdims=True)
    for _ in range(60):
        x = (z + mu) ** -2.0
        step = (x.sum(axis=1, keepdims=True) - 1) / (2 * (x / (z + mu)).sum(axis=1, keepdims=True))
        mu += step  # Newton from the left of the root of a convex function: steps stay on its side
        if np.abs(step).max() < 1e-12:
            break
    return x / x.sum(axis=1, keepdims=True)


def feed(L, t, x, arm, seen):
    """Update the estimated losses L, one row per run, after arm was drawn from x and its loss was seen."""
    rows = np.arange(len(L))
    px = x[rows, arm]
    L[rows, arm] += np.where(np.abs(seen) <= SKIP * SIGMA * np.sqrt(t * px), seen / px, 0.0)  # else it is skipped
    return px


def htinf(means, lam, runs, rng):
    """Return the expected regret, per run, of HTINF on noisy means, one row of ``means`` per batch."""
    J, K = means.shape
    L, paid = np.zeros((runs, K)), np.zeros(runs)
    for t in range(1, J + 1):
        x = tsallis(L / (SIGMA * math.sqrt(t)))  # x_t = argmin eta_t <L, x> + Psi(x)
        paid += x @ means[t - 1]
        arm = np.minimum((rng.random((runs, 1)) > x.cumsum(axis=1)).sum(axis=1), K - 1)  # Algorithm 1, line 5
        feed(L, t, x, arm, means[t - 1, arm] + rng.laplace(0, lam, runs))  # line 11: batch mean + Z_j
    return paid - means.sum(axis=0).min()


def noise_free_ratio(T=12, first=((0.35, 0.0), (0.0, 0.35)), later=0.5):
    """Return the worst ratio over all action sequences if HTINF sees losses without noise; first rounds differ."""
    arms = (np.arange(2**T)[:, None] >> np.arange(T)) & 1
    logs = np.zeros((2, 2**T))
    for log, losses in zip(logs, first, strict=True):
        L = np.zeros((2**T, 2))
        for t in range(1, T + 1):
            seen = np.array(losses)[arms[:, 0]] if t == 1 else np.full(2**T, later)
            log += np.log(feed(L, t, tsallis(L / (SIGMA * math.sqrt(t))), arms[:, t - 1], seen))
    return float(np.exp(np.abs(logs[0] - logs[1]).max()))


def worst_ratio(lam=1.0, K=2, values=(0.0, 0.5, 1.0), points=40001):
    """Return the worst ratio of P(I_1, I_2) between two losses of the first round; batches of one round."""
    y = np.linspace(-40 * lam, 40 * lam, points)  # the losses, where the density has its kink, lie on the grid
    limit = SKIP * SIGMA * math.sqrt(1 / K)
    z = np.zeros((points, K))
    z[:, 0] = np.where(np.abs(y) <= limit, y * K, 0.0) / (SIGMA * math.sqrt(2))
    density = np.exp(-np.abs(y[:, None] - np.array(values)) / lam) / (2 * lam)
    p = np.einsum("yl,yi->li", density, tsallis(z)) * (y[1] - y[0])  # rows: losses; columns: I_2
    return float((p.max(axis=0) / p.min(axis=0)).max())


def main(batches=10000, runs=100, epsilon=0.25, K=3, seed=0):
    """Print the privacy of two small games, and the simulated regret at a gap of one."""
    tau = math.ceil(1 / epsilon)
    ratio, broken = worst_ratio(), noise_free_ratio()
    means = np.tile(np.arange(K) > 0, (batches, 1)).astype(float)
    regret = tau * htinf(means, 1 / (tau * epsilon), runs, np.random.default_rng(seed))
    upper = regret.mean() + 2.63 * regret.std(ddof=1) / math.sqrt(runs)  # Student, 100 runs
    T = batches * tau
    bound, uniform = 208 * math.sqrt(T * K / epsilon) + 2 / epsilon, T * (1 - 1 / K)
    print(f"two rounds, epsilon 1: worst ratio           {ratio:.6f}   allowed {math.e:.6f}")
    print(f"twelve rounds without noise (broken)         {broken:.6f}  allowed {math.e:.6f}")
    print(f"{T:,} rounds, epsilon {epsilon}, {K} actions: regret at most {upper:,.0f} (99% interval)")
    print(f"uniform play has regret {uniform:,.0f}; the bound is {bound:,.0f}")
    print(f"the bound speaks from {6.75 * 208**2 / epsilon:,.0f} rounds on (three actions)")
    assert ratio <= math.e < broken
    assert upper < min(bound, uniform)


if __name__ == "__main__":
    main()
