"""The noisy leader on losses that do not fluctuate: regret of order log K / epsilon, and two corrections.

Paper: Wu and Wang, "New Rates in Stochastic Decision-Theoretic Online Learning under Differential Privacy",
section 2.2, Theorem 4, for Algorithm 1 with B = 0.

Statement. In the deterministic setting (every loss vector is mu) Algorithm 1 with the noise Exp(1/epsilon) or
Gumbel(2/epsilon) is epsilon-differentially private and has pseudo-regret O(log K / epsilon), for every T and K.

What this page shows. All numbers are computed, not simulated.
(1) Privacy is enumerated over all 0/1 loss tables that differ in one whole vector: Gumbel(2/epsilon) is
epsilon-private. Exp(1/epsilon) is not: with two actions and the losses (0, 1) in rounds 2 and 3, and (1, 0) for
(0, 1) in one of them, the chance of J_2 = 2 grows by exp(2 epsilon). Correction: Exp(2/epsilon) is private. (The
scale 1/epsilon suffices if one replaced vector can only raise sums, or only lower them.)
(2) The printed formula P(J_r = j) ~ exp(-epsilon G_j) belongs to Gumbel(1/epsilon), which is 2 epsilon-private
only; for Gumbel(2/epsilon) the exponent is epsilon G_j / 2. The proof, with that exponent and with the integral
of Lemma 3 as log K / log 2 (printed: twice that), gives 3 + 4 (1 + 1/log 2) log K / epsilon, the `bound` below.
(3) O(log K / epsilon) without a constant beside it is false for large epsilon, as round 1 alone costs 1/2. The
regret is below the bound at every setting tried, and exponential noise has no more regret than Gumbel noise of
the same scale. Uniform play and the wrong sign of the losses fail the bound.

This page does not show every instance, nor privacy beyond three rounds that are read (T <= 7).
"""

from itertools import product

import numpy as np


def choice(noise, G, beta):
    """P(J_r = j) in line 16, arg max of -G_j + Q_j with noise of scale beta."""
    w = np.exp(-(G - G.min()) / beta)
    if noise == "Gumbel":  # the exponential mechanism
        return w / w.sum()
    # Exponential: j wins above the highest -G, where the others' chances to be lower are 1 - v w_i, v uniform.
    x, weights = np.polynomial.legendre.leggauss(len(G) // 2 + 1)  # exact for this polynomial in v
    below = 1 - np.outer((x + 1) / 2, w)
    return w * ((weights / 2 * below.prod(1)) @ (1 / below))


def regret(noise, gaps, beta, T, sign=1):
    """Pseudo-regret of Algorithm 1 with B = 0 where every loss vector has these gaps."""
    J, total, first = np.full(len(gaps), 1 / len(gaps)), 0.0, 1  # line 3
    while first <= T:  # epoch r is the rounds 2^(r-1), ..., 2^r - 1 and plays J_{r-1}
        total += (min(2 * first - 1, T) - first + 1) * (J @ gaps)
        J = choice(noise, sign * first * gaps, beta)
        first *= 2
    return total


def bound(K, epsilon):
    """The constants of the corrected proof."""
    return 3 + 4 * (1 + 1 / np.log(2)) * np.log(K) / epsilon


def privacy_loss(noise, beta, K, epochs):
    """Largest log-ratio of P(J_0, ..., J_epochs) over 0/1 tables that differ in one loss vector."""
    vectors, rounds = np.array(list(product((0.0, 1.0), repeat=K))), 2**epochs - 1
    laws = np.empty((2**K,) * rounds + (K**epochs,))
    for table in product(range(2**K), repeat=rounds):
        law = np.ones(1)
        for r in range(epochs):
            G = vectors[list(table[2**r - 1 : 2 ** (r + 1) - 1])].sum(0)
            law = np.kron(law, choice(noise, G, beta))
        laws[table] = law
    return max(np.log(laws.max(axis) / laws.min(axis)).max() for axis in range(rounds))


def main(epsilon=1.0, games=((2, 2), (3, 2)), sizes=(2, 17, 256), epsilons=(0.1, 5.0), T=2**20):
    """Print the table and assert what it shows."""
    print("noise              actions  privacy loss  allowed  epsilon-private")
    for noise, scale, (K, epochs) in product(("Gumbel", "exponential"), (2, 1), games):
        loss = privacy_loss(noise, scale / epsilon, K, epochs)
        private = loss <= epsilon * (1 + 1e-9)
        print(f"{noise:11} {scale}/epsilon {K:5} {loss:13.4f} {epsilon:8}  {'holds' if private else 'fails'}")
        assert private == (scale == 2)
        assert loss <= 2 * epsilon * (1 + 1e-9)
    pair = [choice("exponential", np.array(G), 1 / epsilon)[1] for G in ((1.0, 1.0), (0.0, 2.0))]
    print(f"counterexample, Exp(1/epsilon): P(J_2 = 2) is {pair[1]:.4f}, then {pair[0]:.4f}")
    assert np.isclose(pair[0] / pair[1], np.exp(2 * epsilon))
    print("actions   gaps  epsilon  Gumbel(2/epsilon)  exponential(2/epsilon)   bound  uniform play")
    for K, gap, eps in product(sizes, (0.01, "mixed"), epsilons):
        gaps = np.linspace(0, 1, K) ** 2 if gap == "mixed" else np.append(0, np.full(K - 1, gap))
        gumbel, exponential = (regret(noise, gaps, 2 / eps, T) for noise in ("Gumbel", "exponential"))
        top, even = bound(K, eps), T * gaps.mean()
        print(f"{K:7} {gap!s:>6} {eps:8} {gumbel:18.2f} {exponential:23.2f} {top:7.1f} {even:13.3g}")
        assert exponential <= gumbel * (1 + 1e-6) <= top * (1 + 1e-6) < even
        assert regret("Gumbel", gaps, 2 / eps, T, sign=-1) > top
    large = regret("Gumbel", np.array([0.0, 1.0]), 2 / 1000, T) / (np.log(2) / 1000)
    print(f"2 actions, gap 1, epsilon 1000: the regret is {large:.0f} times log K / epsilon")
    assert large > 700


if __name__ == "__main__":
    main()
