"""Randomized-prefix softmax has regret at most 1000 (log K / gap + log K / epsilon), and is private.

Paper: Cesari and Colomboni, "Optimal Gap-Dependent Regret for Private Stochastic Decision-Theoretic Online
Learning" (arXiv 2605.29148v1), section 4, Theorem 1, displays (1) and (2).

Statement. For every K >= 2, epsilon > 0 and T >= 1, and loss vectors in [0, 1]^K that are i.i.d. over the
rounds (of any joint distribution within a round) with one best action, the algorithm with
eta = min(epsilon / 2, 1 / 8) is epsilon-differentially private, and

    Reg_T <= 1 + 800 log K / gap + 16 log K / eta                    (1)
    Reg_T <= 1000 (log K / gap + log K / epsilon)                    (2)

What this page shows. The regret is computed, not simulated, where the other K - 1 actions have the same losses:
fixed losses, and coins (X_1 is 1 with probability 1/2 - gap/2, the others share one coin with 1/2 + gap/2).
Whatever can follow after the last computed round is added, so the number holds for every T. The privacy loss is
the largest log-ratio of the chances of an action sequence, over all pairs of 0/1 loss tables that differ in one
round. The same algorithm fails (2) if the sign of eta is wrong, and fails epsilon-privacy with eta = epsilon.

This page does not show other joint distributions of losses, nor privacy beyond the small game (ps_privacy.py has
more).
"""

from itertools import product

import numpy as np


def selection_errors(K, gap, eta, M, steps=None):
    """F_1, ..., F_M of section 5.3; `steps` has the chances of X_j - X_1 = -1, 0, 1 (None: always the gap)."""

    def error(D):
        """The gap times the chance of a wrong action if the best one leads by D."""
        return gap / (1 + np.exp(np.minimum(eta * D - np.log(K - 1), 700.0)))

    if steps is None:
        return error(gap * np.arange(1, M + 1, dtype=np.float64))
    F, law = np.zeros(M), np.ones(1)
    for m in range(1, M + 1):
        law = np.convolve(law, steps)  # of D_m, which is in -m, ..., m
        F[m - 1] = law @ error(np.arange(-m, m + 1, dtype=np.float64))
    return F


def regret(K, gap, eta, T, steps=None):
    """Expected pseudo-regret after T rounds; A_0 is uniform and is played in round 1."""
    F = selection_errors(K, gap, eta, max(2 ** (T.bit_length() - 2), 1) if T > 1 else 1, steps)
    total = gap * (K - 1) / K
    for r in range(T.bit_length() - 1):  # A_{r+1} is played in B_{r+1}, rounds 2^(r+1), ..., 2^(r+2) - 1
        played = min(2 ** (r + 2) - 1, T) - 2 ** (r + 1) + 1
        total += played * F[2**r // 2 : 2**r].mean()  # M_r is uniform on 2^(r-1) + 1, ..., 2^r; M_0 = 1
    return total


def regret_ever(K, gap, eta, steps=None):
    """An upper end of the regret for every T: Lemma 4, and E exp(-s D_m) = rho^m bounds the rounds left out."""
    s = eta if steps is None else min(eta, gap)
    rho = np.exp(-s * gap) if steps is None else np.dot(steps, np.exp([s, 0, -s]))
    M = 2 ** int(np.ceil(np.log2(np.log(K * 1e6) / -np.log(rho))))
    return regret(K, gap, eta, 4 * M - 1, steps) + 4 * gap * (K - 1) * rho ** (M + 1) / (1 - rho)


def bounds(K, gap, epsilon):
    """Displays (1) and (2)."""
    eta = min(epsilon / 2, 1 / 8)
    return 1 + 800 * np.log(K) / gap + 16 * np.log(K) / eta, 1000 * np.log(K) * (1 / gap + 1 / epsilon)


def privacy_loss(K, eta, blocks=2):
    """Largest log-ratio of P(A_0, ..., A_blocks) between 0/1 tables that differ in one loss vector."""
    vectors, rounds = np.array(list(product((0.0, 1.0), repeat=K))), 2**blocks - 1
    laws = np.empty((2**K,) * rounds + (K**blocks,))
    for table in product(range(2**K), repeat=rounds):
        law = np.ones(1)
        for r in range(blocks):  # softmax of the first m losses of block r, for every m that M_r may be
            w = np.exp(-eta * np.cumsum(vectors[list(table[2**r - 1 : 2 ** (r + 1) - 1])], axis=0)[2**r // 2 :])
            law = np.kron(law, (w / w.sum(1, keepdims=True)).mean(0))
        laws[table] = law
    return max(np.log(laws.max(axis) / laws.min(axis)).max() for axis in range(rounds))


def main(settings=((2, 1.0, 1.0), (17, 0.01, 0.1), (256, 0.5, 5.0), (3, 0.3, 0.2)), games=((2, 2), (3, 2))):
    """Print the table and assert what it shows."""
    print("actions   gap  epsilon  losses  regret for every T  bound (1)  bound (2)")
    for K, gap, epsilon in settings:
        coins = np.convolve([(1 - gap) / 2, (1 + gap) / 2], [(1 - gap) / 2, (1 + gap) / 2])
        for name, steps in (("fixed", None), ("coins", coins)) if gap >= 0.1 else (("fixed", None),):
            value = regret_ever(K, gap, min(epsilon / 2, 1 / 8), steps)
            one, two = bounds(K, gap, epsilon)
            print(f"{K:7} {gap:5} {epsilon:8}   {name} {value:19.2f} {one:10.0f} {two:10.0f}")
            assert value <= one <= two
    wrong = regret(2, 1.0, -1 / 8, 4095)
    print(f"with the wrong sign of eta, 2 actions, gap 1, epsilon 1, 4095 rounds: {wrong:.0f}, which fails (2)")
    assert wrong > bounds(2, 1.0, 1.0)[1]
    for K, blocks in games:
        loss, broken = privacy_loss(K, 0.1, blocks), privacy_loss(K, 0.2, blocks)
        print(f"{K} actions, {blocks} blocks, epsilon 0.2: privacy loss {loss:.4f}; eta = epsilon: {broken:.4f}")
        assert loss <= 0.2 < broken


if __name__ == "__main__":
    main()
