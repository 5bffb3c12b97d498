"""Private schemes without interaction have mean risk of order root(KT)/epsilon over the pairs of (16).

This is the theorem "pairs" of reports/theorems.md. It is Theorem 3 of Sima, Wu, Milenkovic & Szpankowski,
*Online Distribution Learning with Local Privacy Constraints* (AISTATS 2024), with other constants and in the
mean over its pairs (16).

Statement. Let H be a Hadamard matrix of N columns and N/2 <= K <= N - 1. In pair i, p_1 is uniform on the labels
where row i of H is -1, and p_2 = p_1 + a H_i/N. Put V = (4/5)(e^(epsilon/2) - 1)^2 and a = (3/4) root(2K/(TV)).
Every epsilon-locally private scheme whose channels are chosen beforehand has a mean risk over the 2K distributions
of at least (3 log 2/(16 root 2)) root(KT/V), which for epsilon <= 1 is more than root(KT)/(6.4 epsilon), and a
mean averaged total variation of at least (3/32) root(2K/(TV)). The range is K >= 1, epsilon > 0, T >= 9K/(8V).

What the page shows.
1. Step (i) of the proof is computed exactly on random channels and on subset selection: behind a private channel
   the divergences of the K pairs add up to at most a^2 V. Channels of twice epsilon (broken) exceed it.
2. For K = 1, N = 2 the statement is computed exactly against all schemes at once: on two labels every private
   channel is a post-processing of randomised response, so after it Bayes' rule has the least mean risk, and the
   likelier distribution the least mean total variation. Both exceed the bounds. Labels in the clear (broken) fall
   below them.

The page does not show the statement for K > 1, of which it tries only step (i).
"""

import itertools
import math

import numpy as np


def hadamard(N):
    """Return the Hadamard matrix of N = 2^m columns of Appendix A; its first row is constant."""
    return np.array([[(-1.0) ** bin(i & y).count("1") for y in range(N)] for i in range(N)])


def pairs(K, N, a):
    """Return the pairs of (16) as an array K x 2 x N."""
    H = hadamard(N)[1 : K + 1]
    first = (1 - H) / N
    return np.stack([first, first + a * H / N], axis=1)


def private_channel(N, epsilon, rng, subsets=None):
    """Return a channel (N x symbols) of level epsilon: subset selection of the given size, or a random one."""
    if subsets is not None:
        q = [
            [math.exp(epsilon) if y in s else 1.0 for s in itertools.combinations(range(N), subsets)]
            for y in range(N)
        ]
        return np.array(q) / np.sum(q, axis=1, keepdims=True)
    q = np.exp(epsilon * rng.integers(0, 2, (N, 2 * N)))  # extreme columns; rows are then completed to sum 1
    q *= rng.random(2 * N)
    q *= -math.expm1(-epsilon) / q.sum(axis=1).max()  # so that the last column is of level epsilon too
    return np.hstack([q, 1 - q.sum(axis=1, keepdims=True)])


def divergences(p, channel):
    """Return the sum over pairs of KL(messages under the first distribution, messages under the second)."""
    m = p @ channel
    return float((m[:, 0] * np.log(m[:, 0] / m[:, 1])).sum())


def least(T, a, keep):
    """Return the exact least mean risk and least mean averaged total variation for K = 1, N = 2."""
    laws = pairs(1, 2, a)[0]
    one = laws @ np.array([keep, 1 - keep])  # probability of the message "label 1" under both distributions
    counts, risk, far = np.zeros((2, T)), 0.0, 0.0
    counts[:, 0] = 1.0
    entropy = (laws * np.log(np.maximum(laws, 1e-300))).sum(axis=1)
    for _ in range(T):
        total = np.maximum(counts.sum(axis=0), 1e-300)
        cross = laws @ np.log(np.maximum(laws.T @ (counts / total), 1e-300))  # of Bayes' prediction, per count
        risk += float((counts * (entropy[:, None] - cross)).sum()) / 2
        far += float(counts.min(axis=0).sum()) * np.abs(laws[0] - laws[1]).sum() / 4  # name the likelier law
        shifted = counts[:, :-1] * one[:, None]
        counts *= 1 - one[:, None]
        counts[:, 1:] += shifted
    return risk, far / T


def main(T=1500, epsilon=1.0, N=8, trials=300, seed=0):
    """Print step (i) on channels and the exact least risk and total variation of one pair."""
    rng, K = np.random.default_rng(seed), N - 1
    V = 0.8 * math.expm1(epsilon / 2) ** 2
    a = 0.75 * math.sqrt(2 * K / (T * V))
    p = pairs(K, N, a)
    sums = [divergences(p, private_channel(N, epsilon, rng)) for _ in range(trials)]
    sums += [divergences(p, private_channel(N, epsilon, rng, k)) for k in range(1, N)]
    broken = max(divergences(p, private_channel(N, 2 * epsilon, rng, k)) for k in range(1, N))
    print(
        f"sum of divergences over a^2 V: at most {max(sums) / a**2 / V:.4f}, twice epsilon {broken / a**2 / V:.4f}"
    )
    assert max(sums) <= a * a * V < broken
    keep, a = math.exp(epsilon) / (1 + math.exp(epsilon)), 0.75 * math.sqrt(2 / (T * V))
    (risk, far), (open_risk, open_far) = least(T, a, keep), least(T, a, 1.0)
    bound, near = 3 * math.log(2) / (16 * math.sqrt(2)) * math.sqrt(T / V), 3 / 32 * math.sqrt(2 / (T * V))
    print(f"one pair, {T} rounds, epsilon {epsilon}        least private   bound     in the clear")
    print(f"mean risk                           {risk:.5f}         {bound:.5f}   {open_risk:.5f}")
    print(f"mean averaged total variation       {far:.5f}         {near:.5f}   {open_far:.5f}")
    assert risk >= bound > open_risk
    assert far >= near > open_far


if __name__ == "__main__":
    main()
