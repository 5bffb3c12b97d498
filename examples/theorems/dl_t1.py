"""A lower bound on the risk under local privacy fails for large epsilon and for small T.

This is Theorem 1 of Sima, Wu, Milenkovic & Szpankowski, *Online Distribution Learning with Local Privacy
Constraints* (AISTATS 2024). Its precise form is Theorem 3, which Appendix A proves with the distributions of
(16).

Statement. For any K >= 2 and label set Y with |Y| >= K there is a class of size K such that for any (epsilon,
0)-locally private mechanism and any learning rule the KL-risk is Omega(root(KT)/epsilon). No range of epsilon or
T is given; we read the constant in Omega as one number for all K, T and epsilon.

What the page shows.
1. Large epsilon refutes the statement. Let every user send the label, or with probability (M-1)/(e^epsilon +
   M-1) another of the M labels. The learner takes messages for labels and predicts (1 - 1/T) times Bayes'
   mixture plus 1/T times the even mixture. If all messages are right, the risk is at most log K + T
   log(T/(T-1)); a round costs at most log(KT) otherwise. So in every class of K hypotheses the risk is at most
   ``risk_of_response``. It stays near log K + 1 for epsilon = 3 log T, while root(KT)/epsilon grows, so no
   constant is possible.
2. Small T refutes it too. The even mixture has risk at most T log K, so no constant is possible for T = 1 as
   epsilon tends to 0.
3. The correction has epsilon <= 1 and the range of T of Theorem 3. For the pair of (16) on two labels (K = 1
   there) the exact least mean risk of all private schemes is computed: on two labels every private mechanism is
   a post-processing of randomised response, so Bayes' rule after it is best, with interaction or without. It
   exceeds the constant of the proof, aT/132. Labels sent in the clear (broken) fall below it.

The page does not show larger classes; the pages on the theorems "pairs" and "interaction" do.
"""

import math

import numpy as np


def risk_of_response(T, K, M, epsilon):
    """Return an upper bound on the KL-risk of randomised response, for every class of K hypotheses on M labels."""
    wrong = T * (M - 1) / (math.exp(epsilon) + M - 1)  # union bound: some message is not the label
    return math.log(K) + T * -math.log1p(-1 / T) + wrong * T * math.log(K * T)


def strength(epsilon):
    """Return min((e^epsilon - 1)^2, 1) e^epsilon of Theorem 3."""
    return min(math.expm1(epsilon) ** 2, 1.0) * math.exp(epsilon)


def least_risk(T, a, keep):
    """Return the exact mean KL-risk of Bayes' rule on the pair of (16), two labels, messages right with ``keep``.

    The distributions are p_1 = (0, 1) and p_2 = (a/2, 1 - a/2), each the truth with probability 1/2.
    """
    laws = np.array([[0.0, 1.0], [a / 2, 1 - a / 2]])
    first = laws @ np.array([keep, 1 - keep])  # probability of the message "label 1"
    counts, risk = np.zeros((2, T)), 0.0  # distribution of the number of such messages under both hypotheses
    counts[:, 0] = 1.0
    entropy = np.where(laws > 0, laws * np.log(np.where(laws > 0, laws, 1.0)), 0.0).sum(axis=1)
    for t in range(T):
        now = counts[:, : t + 1]
        total = now.sum(axis=0)
        now = now[:, total > 0]
        p = (now.T / now.sum(axis=0)[:, None]) @ laws  # Bayes' prediction after each count
        cross = np.log(np.maximum(p, 1e-300)) @ laws.T
        risk += float((now.T * (entropy - cross)).sum()) / 2
        shifted = counts[:, :-1] * first[:, None]
        counts *= 1 - first[:, None]
        counts[:, 1:] += shifted
    return risk


def main(sizes=(10**3, 10**6, 10**9, 10**12), T=2000, levels=(0.1, 0.3, 1.0)):
    """Print the counterexamples and the correction; the broken variant fails for T of 1,000 and more."""
    for n in sizes:
        epsilon = 3 * math.log(n)
        risk, claim = risk_of_response(n, 2, 2, epsilon), math.sqrt(2 * n) / epsilon
        print(f"T = {n:<13} epsilon = {epsilon:6.2f}: risk at most {risk:.3f}, root(KT)/epsilon {claim:.2f}")
    assert risk < 0.001 * claim  # the ratio tends to 0
    print(f"T = 1, epsilon = 0.0001: risk at most {math.log(2):.3f}, root(KT)/epsilon {math.sqrt(2) / 1e-4:.0f}")
    print(f"The pair of (16), {T} rounds, exact mean risk of the best private scheme")
    for epsilon in levels:
        a = math.sqrt(1 / (9 * T * strength(epsilon)))
        keep = math.exp(epsilon) / (1 + math.exp(epsilon))
        private, clear = least_risk(T, a, keep), least_risk(T, a, 1.0)
        print(f"epsilon = {epsilon}: risk {private:.4f}, bound aT/132 {a * T / 132:.4f}, in the clear {clear:.4f}")
        assert private >= a * T / 132
        if epsilon == levels[0]:
            assert clear < a * T / 132  # the broken scheme, which sends labels in the clear, falls below


if __name__ == "__main__":
    main()
