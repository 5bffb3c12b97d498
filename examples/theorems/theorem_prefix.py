"""Prefix softmax with any eta: regret at most 1 + 16 (log(K - 1) + 1) / gap + 8 log K / eta.

Theorem "prefix" of this workbook (reports/theorems.md, number 1), about the algorithm of Cesari and Colomboni,
"Optimal Gap-Dependent Regret for Private Stochastic Decision-Theoretic Online Learning" (2026), section 4.

Statement. For every T >= 1, K >= 2 and eta > 0, and losses in [0, 1] that are i.i.d. over the rounds, of any
joint distribution within a round, with `gap` the least positive gap, the pseudo-regret is at most

    1 + a (log(K - 1) + 1) / gap + c log K / eta,    a = 16, c = 8,

and at eta = epsilon / 2, which is epsilon-private, at most 26 (log K / gap + log K / epsilon).

What this page shows. The regret after whatever number of rounds is computed for fixed losses and for coins (the
K - 1 other actions share one coin; the best action's coin is independent, opposed or the same as far as it can
be), for eta up to 2.5, which is beyond the paper's cap of 1/8. For K = 17 independent coins it is simulated:
given the losses, chances are exact, and the upper end of the mean is shown, at 99% by the central limit theorem.
The bound with c = 3 for c = 8 fails (the regret is nearly 4 log K / eta), and so does the wrong sign of eta.

This page does not show privacy (ps_privacy.py does), nor gaps that differ from action to action.
"""

import numpy as np


def error(K, gap, eta, D):
    """The gap times the chance of a wrong action, if the best one leads all others by D."""
    return gap / (1 + np.exp(np.minimum(eta * D - np.log(K - 1), 700.0)))


def selection_errors(K, gap, eta, M, steps=None):
    """F_1, ..., F_M; `steps` has the chances of X_j - X_1 = -1, 0, 1 (None: always the gap)."""
    if steps is None:
        return error(K, gap, eta, gap * np.arange(1, M + 1, dtype=np.float64))
    F, law = np.zeros(M), np.ones(1)
    for m in range(1, M + 1):
        law = np.convolve(law, steps)  # of D_m, which is in -m, ..., m
        F[m - 1] = law @ error(K, gap, eta, np.arange(-m, m + 1, dtype=np.float64))
    return F


def regret(F, first, T):
    """Round 1 costs `first`; A_{r+1}, from M_r rounds of block r, is played in 2^(r+1), ..., 2^(r+2) - 1."""
    total = first
    for r in range(T.bit_length() - 1):
        total += (min(2 ** (r + 2) - 1, T) - 2 ** (r + 1) + 1) * F[2**r // 2 : 2**r].mean()
    return total


def simulated_errors(K, gap, eta, M, rng):
    """Means, given M simulated loss vectors of independent coins, in the place of F_1, ..., F_M."""
    means = np.append(0.5 - gap / 2, np.full(K - 1, 0.5 + gap / 2))
    L = np.cumsum(rng.random((M, K)) < means, axis=0, dtype=np.int64)
    w = np.exp(-eta * (L - L.min(1, keepdims=True)))
    return gap * (1 - w[:, 0] / w.sum(1))


def bound(K, gap, eta, a=16.0, c=8.0):
    """The theorem as it stands; a and c may be sharpened."""
    return 1 + a * (np.log(K - 1) + 1) / gap + c * np.log(K) / eta


def coin_steps(gap, kind):
    """Chances of X_j - X_1 = -1, 0, 1."""
    p, q = (1 - gap) / 2, (1 + gap) / 2  # means of X_1 and X_j
    laws = {"independent": [p * p, 2 * p * q, q * q], "opposed": [p, 0, q], "same": [0, 1 - gap, gap]}
    return laws.get(kind)


def main(settings=((2, 0.5, 2.5), (3, 0.3, 0.5), (17, 0.2, 1.0), (256, 1.0, 0.05)), M=2**11, runs=100, seed=0):
    """Print the table and assert what it shows."""
    T = 4 * M - 1
    print(f"actions  gap   eta  losses       regret after {T} rounds   bound  bound at epsilon = 2 eta")
    for K, gap, eta in settings:
        for kind in ("fixed", "independent", "opposed", "same"):
            value = regret(selection_errors(K, gap, eta, M, coin_steps(gap, kind)), gap * (K - 1) / K, T)
            simple = 26 * np.log(K) * (1 / gap + 1 / (2 * eta))
            print(f"{K:7} {gap:4} {eta:5}  {kind:11} {value:25.2f} {bound(K, gap, eta):7.1f} {simple:25.1f}")
            assert value <= bound(K, gap, eta) <= simple
    rngs = [np.random.default_rng((seed, i)) for i in range(runs)]
    many = [regret(simulated_errors(17, 0.2, 1.0, M, rng), 0.2 * 16 / 17, T) for rng in rngs]
    end = np.mean(many) + 2.33 * np.std(many, ddof=1) / np.sqrt(runs)
    print(f"     17  0.2   1.0  all independent, simulated: at most {end:.2f} with 99% confidence")
    assert end <= bound(17, 0.2, 1.0)
    near = regret(selection_errors(256, 1.0, 0.001, 2**16), 1.0, 2**18 - 1)
    low, top = bound(256, 1.0, 0.001, c=3), bound(256, 1.0, 0.001)
    print(f"256 actions, gap 1, eta 0.001: {near:.0f}, bound {top:.0f}; with c = 3 {low:.0f}, which fails")
    assert low < near <= top
    wrong = regret(selection_errors(2, 0.5, -1.0, M), 0.25, T)
    print(f"2 actions, gap 0.5, wrong sign of eta: {wrong:.0f}, bound {bound(2, 0.5, 1.0):.0f}, which fails")
    assert wrong > bound(2, 0.5, 1.0)


if __name__ == "__main__":
    main()
