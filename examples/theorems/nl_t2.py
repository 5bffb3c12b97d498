"""The noisy leader on resampled losses: regret of order log K / gap + log^2 K / epsilon, without log T.

Paper: Wu and Wang, "New Rates in Stochastic Decision-Theoretic Online Learning under Differential Privacy",
section 2.1, Theorem 2 and Lemma 1, for Algorithm 1 with B = 1.

Statement. With Bernoulli resampling (B = 1) and the noise Lap(2/epsilon) Algorithm 1 is epsilon-differentially
private, and its pseudo-regret is O(log K / gap + log^2 K / epsilon) for every T, K and distribution of i.i.d.
losses in [0, 1] that are independent over the actions, with one best action. The paper names no constant.

What this page shows.
(1) Privacy is enumerated for two actions and three rounds that are read (T <= 7). With B = 1 chances are affine
in every single loss, so tables of losses 0 and 1 are the worst of all in [0, 1]. Lap(1/epsilon) fails.
(2) Lemma 1 is computed for two actions: the better action has the larger chance. Without resampling (B = 0) this
is false: action 1 has loss 0.9 with probability 0.51, otherwise 0 (mean 0.459), and action 2 always has loss
0.46.
(3) The regret is computed for two actions; for more, Algorithm 1 is run as printed, and the upper end of the mean,
at 99% by the central limit theorem, is shown. A resampled loss is a bit with the mean of the loss, so the sum of
an epoch is binomial, and 10^12 rounds are as quick as few; there is no log T. The constant that a setting needs
is the quotient of the regret and the printed rate; it is below 10, the largest for two actions and small
epsilon, where log^2 K is below log K. A learner that reads only the last round of an epoch fails: its constant
grows with T.

This page does not show that one constant serves all settings, nor whether log^2 K is needed.
"""

from itertools import product

import numpy as np


def laplace_tail(x, beta):
    """P(Q_2 - Q_1 >= x) for Laplace variables of scale beta (density exp(-|x| / beta) / (2 beta))."""
    z = np.abs(x) / beta
    upper = np.exp(-z) * (2 + z) / 4
    return np.where(x >= 0, upper, 1 - upper)


def regret_two(means, epsilon, T, n_read=lambda n: n):
    """Exact pseudo-regret for two actions; n_read says how many rounds of an epoch of n are read."""
    p, q = means
    steps = np.array([p * (1 - q), p * q + (1 - p) * (1 - q), (1 - p) * q])  # of l_2 - l_1 = -1, 0, 1
    total, wrong, law, first = 0.0, 0.5, np.ones(1), 1
    while first <= T:  # epoch r plays J_{r-1} in the rounds 2^(r-1), ..., 2^r - 1
        total += (min(2 * first - 1, T) - first + 1) * wrong * (q - p)
        while len(law) < 2 * n_read(first) + 1:
            law = np.convolve(law, steps)
        wrong = law @ laplace_tail(np.arange(len(law)) - len(law) // 2, 2 / epsilon)
        first *= 2
    return total


def play(means, noise, scale, T, runs, rng):
    """Regret of each of so many runs of Algorithm 1 with B = 1; noise is "laplace", "exponential" or "gumbel"."""
    J, first, total = rng.integers(len(means), size=runs), 1, np.zeros(runs)  # line 3
    while first <= T:  # line 4: the rounds first, ..., 2 first - 1
        total += min(first, T - first + 1) * (means[J] - means.min())  # line 7
        G = rng.binomial(first, means, size=(runs, len(means)))  # lines 8 to 14: sums of resampled losses
        J = np.argmax(-G + getattr(rng, noise)(scale=scale, size=G.shape), axis=1)  # line 16
        first *= 2
    return total


def privacy_loss(beta):
    """Largest log-ratio of P(J_0, J_1, J_2) over 0/1 tables of three rounds that differ in one loss vector."""
    lead, laws = (0, 1, -1, 0), np.empty((4, 4, 4, 4))  # l_2 - l_1 of the four vectors of bits
    for a, b, c in product(range(4), repeat=3):
        wrong = laplace_tail(np.array([lead[a], lead[b] + lead[c]]), beta)
        laws[a, b, c] = np.kron([1 - wrong[0], wrong[0]], [1 - wrong[1], wrong[1]])
    return max(np.log(laws.max(axis) / laws.min(axis)).max() for axis in range(3))


def main(settings=((2, 1.0, 0.02), (2, 0.1, 0.2), (16, 0.5, 0.2), (64, 0.2, 1.0)), runs=200, T=2**12 - 1, seed=0):
    """Print the table and assert what it shows."""
    for scale in (2, 1):
        loss = privacy_loss(scale / 1.0)
        print(f"Lap({scale}/epsilon), epsilon 1: privacy loss {loss:.4f}, {'holds' if loss <= 1 else 'fails'}")
        assert (loss <= 1) == (scale == 2)
    tail = [laplace_tail(np.array(x), 2 / 10.0) for x in (-0.44, 0.46, -1.0, 0.0, 1.0)]
    plain, bits = np.dot(tail[:2], (0.51, 0.49)), np.dot(tail[2:], (0.459 * 0.54, 0.50328, 0.541 * 0.46))
    print(f"chance of the worse action, epsilon 10: {bits:.4f} with resampling, {plain:.4f} without, which fails")
    assert bits < 0.5 < plain
    print("actions   gap  epsilon         rounds  regret (99% upper end)  constant needed")
    for (K, gap, epsilon), rounds in product(settings, (T, 2**28 * T)):
        means = np.append(0.5 - gap / 2, np.full(K - 1, 0.5 + gap / 2))
        values = play(means, "laplace", 2 / epsilon, rounds, runs, np.random.default_rng(seed))
        end = values.mean() + 2.33 * values.std(ddof=1) / np.sqrt(runs)
        if K == 2 and rounds == T:
            exact = regret_two(means, epsilon, T)
            assert abs(values.mean() - exact) < 4 * values.std(ddof=1) / np.sqrt(runs)
            end = exact
        constant = end / (np.log(K) / gap + np.log(K) ** 2 / epsilon)
        print(f"{K:7} {gap:5} {epsilon:8} {rounds:14} {end:23.2f} {constant:16.2f}")
        assert constant < 10
    broken = [regret_two((0.25, 0.75), 1.0, rounds, lambda n: 1) for rounds in (T, 16 * T)]
    print(f"one round of each epoch is read: regret {broken[0]:.0f}, later {broken[1]:.0f}, which fails")
    assert broken[1] > 10 * broken[0] > 100


if __name__ == "__main__":
    main()
