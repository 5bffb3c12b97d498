"""One randomised bit of a random test has averaged total variation of order root(K log K/T)/epsilon.

This is the theorem "one-bit" of reports/theorems.md. It answers Remark 1 of Sima, Wu, Milenkovic & Szpankowski,
*Online Distribution Learning with Local Privacy Constraints* (AISTATS 2024).

Statement. For every class of K distributions there is an epsilon-locally private scheme that sends one bit per
label, without interaction, with averaged total variation at most root(kappa log K/(2T))/tanh(epsilon/2) and risk
at most root(kappa T log K/2) root((2 + log K)^2 + 1)/tanh(epsilon/2), both in the mean, with kappa = K - 1. The
range is K >= 2, epsilon > 0, T >= 1, finitely many labels and contexts in any order; the truth is in the class.

What the page shows.
1. Step (i) is computed: a distribution of tests (functions of the label with values 1 and -1) whose second moment
V on
   the span of the differences of the distributions has the largest determinant satisfies test' V^-1 test <= n, n
   the dimension. The multiplicative algorithm finds it among all tests; the printed price is the certified
   maximum, which is n up to the stopping error. The inequality |u|_1^2 <= price E<test, u>^2 is tried on random
   differences u.
2. Privacy is exact: the public number of the test has nothing to do with the label, and the bit has the ratio
   e^epsilon.
3. Averaged total variation and risk are simulated for every truth in the class. The page prints the largest
   upper end of Student's 99% intervals, beside the bounds. A scheme that always asks the heaviest test (broken)
   exceeds the bound.

The page does not show other classes, nor contexts that change. It prints the bounds with the certified price in
the place of kappa; the proof holds for any price.
"""

import itertools
import math

import numpy as np


def all_tests(laws, steps=4000):
    """Return the tests of largest determinant, their weights, and the certified price max test' V^-1 test."""
    basis = np.linalg.svd(laws[1:] - laws[0], full_matrices=False)
    E = basis[2][basis[1] > 1e-9]  # orthonormal rows that span the differences
    tests = np.array([(1.0, *s) for s in itertools.product((-1.0, 1.0), repeat=laws.shape[1] - 1)])
    x, w = tests @ E.T, np.full(len(tests), 1 / len(tests))
    for _ in range(steps):
        g = np.einsum("ki,ij,kj->k", x, np.linalg.inv((x * w[:, None]).T @ x), x)
        w *= g / len(E)
    keep = w > 1e-4
    w = np.where(keep, w, 0.0) / w[keep].sum()
    price = np.einsum("ki,ij,kj->k", x, np.linalg.inv((x * w[:, None]).T @ x), x).max()
    return tests[keep], w[keep], float(price)


def play(laws, tests, weights, epsilon, T, truth, runs, rng):
    """Return the averaged total variation and the risk of every run; ``truth`` is the law of the labels."""
    K, M = laws.shape
    log_w, far, risk, f = np.zeros((runs, K)), np.zeros(runs), np.zeros(runs), laws[truth]
    right = 1 / (1 + math.exp(-epsilon))
    like = 0.5 + (right - 0.5) * (laws @ tests.T)  # P(bit = 1 | distribution, test)
    for _ in range(T):
        w = np.exp(log_w - log_w.max(axis=1, keepdims=True))
        p = (w / w.sum(axis=1, keepdims=True)) @ laws  # (ii): the posterior mixture
        far += np.abs(p - f).sum(axis=1) / 2
        risk += (f * np.log(f / p)).sum(axis=1)
        k, y = rng.choice(len(tests), runs, p=weights), rng.choice(M, runs, p=f)
        bit = (tests[k, y] > 0) ^ (rng.random(runs) > right)  # the bit is right with probability e^eps/(1 + e^eps)
        log_w += np.log(np.where(bit, like[:, k], 1 - like[:, k])).T
    return far / T, risk


def main(K=4, M=6, T=2000, runs=30, epsilon=1.0, seed=0):
    """Print the price of the tests, the ratio of the bit, and simulations; the broken variant needs K > 2."""
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.ones(M), K)
    tests, weights, price = all_tests(laws)
    u = rng.dirichlet(np.ones(K), 2000) @ laws - laws[0]
    share = float((np.abs(u).sum(axis=1) ** 2 / (price * (u @ tests.T) ** 2 @ weights)).max())
    print(f"{K} laws on {M} labels: {len(tests)} tests of price {price:.5f}, of which differences use {share:.4f}")
    ratio = (1 / (1 + math.exp(-epsilon))) / (1 / (1 + math.exp(epsilon)))
    print(f"privacy: ratio of a bit {ratio:.6f}, allowed {math.exp(epsilon):.6f}")
    scale = math.sqrt(price * math.log(K) / 2) / math.tanh(epsilon / 2)
    bounds = scale / math.sqrt(T), scale * math.sqrt(T * ((2 + math.log(K)) ** 2 + 1))
    for name, w in (("scheme", weights), ("one test only (broken)", np.eye(len(tests))[weights.argmax()])):
        both = np.array([play(laws, tests, w, epsilon, T, j, runs, rng) for j in range(K)])  # K x 2 x runs
        # Student, 30 runs
        upper = (both.mean(axis=2) + 2.76 * both.std(axis=2, ddof=1) / math.sqrt(runs)).max(axis=0)
        print(f"{name:<22} total variation {upper[0]:.4f} (bound {bounds[0]:.4f})")
        print(f"{name:<22} risk            {upper[1]:.1f} (bound {bounds[1]:.1f})")
        assert (upper[0] <= bounds[0]) == (name == "scheme")
        assert upper[1] <= bounds[1] or name != "scheme"
    assert share <= 1
    assert price <= (K - 1) * 1.01


if __name__ == "__main__":
    main()
