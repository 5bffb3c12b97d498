"""Comparing random pairs of hypotheses is not enough: at least 20 times the error of random sets of labels.

Paper: Sima, Wu, Milenkovic and Szpankowski, "Online Distribution Learning with Local Privacy Constraints" (AISTATS
2024), section 6, Remark 1. It asks whether comparison-based arguments can be extended from batches to online play.

Statement (ours; measured at these settings only). The class has 32 pairs of coins, each pair on two labels of its
own: K = 64 distributions, (1/2 + gap, 1/2 - gap) and (1/2 - gap, 1/2 + gap) on the labels of a pair. Each round
sends one bit: whether the label is in a random set, flipped with probability 1 / (1 + e^epsilon). The learner
predicts with Bayes' rule. If the set is {labels y: f_i(y) > f_j(y)} for a random pair i, j of hypotheses, the
averaged total variation at epsilon = 1, T = 10^6 and gap = 0.06 is at least 20 times that of the scheme "one-bit"
(reports/theorems.md).

The reason. A set tells the two coins of one pair apart only if it holds one of their labels and not the other one.
Most sets {f_i > f_j} hold both or neither, because i and j are of the same pair with probability 1/63. The sets of
the scheme "one-bit" are balanced, and half of them tell the coins apart. Here they are the rows of a Hadamard
matrix on the 64 labels; their price is K - 1, which the theorem needs.

What this page shows. The messages are independent of each other, so their counts after t rounds are multinomial
and are drawn at once. In each stretch of rounds 2^k, ..., 2^(k+1) - 1 one round t is drawn, which gives an
unbiased estimate of the averaged total variation in the mean over the class. The page prints Student's 99%
intervals of these estimates and the ratio of their ends, the price, and the bound of theorem "one-bit".
Two controls: sets that hold each label with probability 1/2 do not have 20 times the error, and comparisons within
a pair, which somebody who knows the class can choose, have less than a quarter of the error of random pairs.

This page does not show other classes, nor that every way to compare hypotheses fails.
"""

import numpy as np
from scipy.linalg import hadamard
from scipy.stats import t as student


def coins(pairs, gap):
    """The class: 2 pairs distributions on 2 pairs labels."""
    return np.kron(np.eye(pairs), np.array([[0.5 + gap, 0.5 - gap], [0.5 - gap, 0.5 + gap]]))


def comparisons(laws, near=False):
    """The sets {f_i > f_j} as signs, with their chances; `near`: only i, j of one pair."""
    K = len(laws)
    pairs = [(i, j) for i in range(K) for j in range(K) if i != j and (i // 2 == j // 2 or not near)]
    sets = np.array([np.where(laws[i] > laws[j], 1.0, -1.0) for i, j in pairs])
    tests, counts = np.unique(sets, axis=0, return_counts=True)
    return tests, counts / counts.sum()


def even(tests):
    """The tests with equal chances."""
    return tests, np.full(len(tests), 1 / len(tests))


def price(laws, tests, weights):
    """The largest test' V^-1 test on the span of the differences of the laws, V the second moment of the tests."""
    E = np.linalg.svd(laws[1:] - laws[0], full_matrices=False)
    x = tests @ E[2][E[1] > 1e-9].T
    return np.einsum("ki,ij,kj->k", x, np.linalg.inv((x * weights[:, None]).T @ x), x).max()


def distances(laws, tests, weights, epsilon, T, runs, rng):
    """Unbiased estimates of the averaged total variation, one per run."""
    K, total = len(laws), np.zeros(runs)
    like = 0.5 + np.tanh(epsilon / 2) / 2 * (laws @ tests.T)  # P(bit = 1 | distribution, test)
    cells = np.hstack([like * weights, (1 - like) * weights])
    for k in range(T.bit_length()):
        last = min(2 ** (k + 1) - 1, T)
        for run, truth in enumerate(rng.integers(0, K, runs)):
            t = rng.integers(2**k, last + 1) - 1  # rounds before this one
            n = rng.multinomial(t, cells[truth] / cells[truth].sum())
            score = np.log(like) @ n[: len(tests)] + np.log(1 - like) @ n[len(tests) :]
            w = np.exp(score - score.max())
            total[run] += (last - 2**k + 1) * np.abs(w @ laws / w.sum() - laws[truth]).sum() / 2
    return total / T


def main(pairs=32, gap=0.06, epsilon=1.0, T=10**6, runs=200, seed=0):
    """Print the table and assert what it shows."""
    rng, laws = np.random.default_rng(seed), coins(pairs, gap)
    balanced, random = hadamard(2 * pairs)[1:].astype(float), rng.choice([-1.0, 1.0], (4 * pairs, 2 * pairs))
    schemes = {"one-bit: balanced sets": even(balanced), "random pairs": comparisons(laws)}
    schemes |= {"random sets": even(random), "near pairs": comparisons(laws, near=True)}
    ends = {}
    print("bits                     averaged total variation   times one-bit")
    for name, (tests, weights) in schemes.items():
        far = distances(laws, tests, weights, epsilon, T, runs, rng)
        half = student.ppf(0.995, runs - 1) * far.std(ddof=1) / np.sqrt(runs)
        ends[name] = far.mean() - half, far.mean() + half
        low, high = ends["one-bit: balanced sets"]
        print(f"{name:<24}{ends[name][0]:.6f} to {ends[name][1]:.6f}", end="")
        print(f"    {ends[name][0] / high:9.2f} to {ends[name][1] / low:.2f}")
    K, cost = len(laws), price(laws, balanced, np.full(len(balanced), 1 / len(balanced)))
    bound = np.sqrt(cost * np.log(K) / (2 * T)) / np.tanh(epsilon / 2)
    print(f"price of the balanced sets {cost:.3f}, K - 1 = {K - 1}; bound of theorem one-bit {bound:.4f}")
    assert abs(cost - (K - 1)) < 1e-6
    assert high <= bound
    assert ends["random pairs"][0] >= 20 * high
    assert ends["random sets"][1] < 20 * low
    assert ends["near pairs"][1] < ends["random pairs"][0] / 4


if __name__ == "__main__":
    main()
