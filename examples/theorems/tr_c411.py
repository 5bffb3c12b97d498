"""Theorem 4.1 and Corollary 4.1.1 of Asi, Raman and Saha, Tracking the Best Expert Privately (2025), section 4.

Statement: losses are oblivious. If A is (epsilon, delta)-private with static regret at most R(T, N), then A run on
all meta-experts with at most S switches is (epsilon, delta)-private with dynamic regret at most R(T, (NT)^{2S}).
With the learner of Proposition 1, which this paper only quotes: an (epsilon, delta)-private learner has dynamic
regret O(sqrt(S T log(NT)) + S T^{1/3} log(T/delta) log(NT) / epsilon^{2/3}), for epsilon, delta in (0, 1).

The page shows the reduction, with Hedge as the learner A. Each round makes a fresh draw, which is 2 eta-private,
and eta-private for one expert's loss; by bounded range and concentrated privacy (quoted), T draws are
(epsilon, delta)-private for epsilon = rho + 2 sqrt(rho log(1/delta)), rho = T eta^2 / 2. The page shows
(1) the number of meta-experts, which exceeds (NT)^{2S} if S = 0 or T = 1;
(2) the exact worst privacy loss of all actions over all binary tables of a small game, for neighbours that differ
    in a whole loss vector or in one expert's loss; the control's set of meta-experts depends on the losses;
(3) the exact dynamic regret on oblivious losses and the bound log M / eta + eta T / 8 for M meta-experts; the
    control's meta-experts do not switch.

The page does not show the rate of the corollary: its O(.) has no constant, and its learner is in another paper.
The page prints from which power of two the expression is below T/2 if the constant is 1. Reading: a meta-expert
plays its next expert in round t_i, not after it.
"""

from itertools import combinations, product
from math import comb, log, sqrt

import numpy as np


def count(N, T, S):
    """Return the number of meta-experts (first line of the proof of Claim 1)."""
    return sum(comb(T, c) * N ** (c + 1) for c in range(S + 1))


def meta_experts(N, T, S):
    """Return all meta-experts, one row per meta-expert, one column per round; some rows repeat, as printed."""
    switches = [times for c in range(S + 1) for times in combinations(range(1, T + 1), c)]
    segments = [np.searchsorted(times, np.arange(1, T + 1), side="right") for times in switches]
    return np.array([np.array(j)[row] for row in segments for j in product(range(N), repeat=row[-1] + 1)])


def law(losses, E, eta):
    """Return the probabilities of J_t = E_t(t), of shape (T, N), if A is Hedge on the meta-losses l_t(e(t))."""
    meta = losses[np.arange(len(losses)), E]
    weight = np.exp(-eta * (np.cumsum(meta, axis=1) - meta))
    return (
        np.array([(weight * (j == E)).sum(axis=0) for j in range(losses.shape[1])]).T / weight.sum(axis=0)[:, None]
    )


def law_fast(losses, S, eta):
    """Return the same probabilities without a list of meta-experts: weights of (switches so far, expert)."""
    (T, N), left = losses.shape, len(losses) - np.arange(1, len(losses) + 1.0)
    terms = np.cumprod([left * 0 + 1] + [N * (left - c + 1) / c for c in range(1, S + 1)], axis=0)
    rest = np.cumsum(terms, axis=0)[::-1].T  # completions with the switches that are left
    A, P = np.zeros((S + 1, N)), np.empty((T, N))
    A[0] = 1
    for t in range(T):
        A[1:] = A[1:] + A[:-1].sum(axis=1)[:, None]  # a switch at round t + 1
        P[t] = rest[t] @ A
        A *= np.exp(-eta * losses[t])
        A /= A.sum()
    return P / P.sum(axis=1)[:, None]


def rate(N, S, T, epsilon, delta):
    """Return the expression inside O(.) in Corollary 4.1.1."""
    return sqrt(S * T * log(N * T)) + S * T ** (1 / 3) * log(T / delta) * log(N * T) / epsilon ** (2 / 3)


def worst_loss(N, T, S, eta, pruned=False):
    """Return the worst privacy losses of J_1, ..., J_T for whole-vector and for one-expert neighbours."""
    tables, E = np.array(list(product((0, 1), repeat=T * N))).reshape(-1, T, N), meta_experts(N, T, S)
    kept = [E[E[:, 1] == x[0].argmin()] if pruned else E for x in tables]  # pruned: round 1's best plays round 2
    with np.errstate(divide="ignore", invalid="ignore"):
        logP = np.log([law(x, rows, eta) for x, rows in zip(tables, kept, strict=True)])
        loss = np.nan_to_num(logP[:, None] - logP[None], nan=0, posinf=np.inf).max(axis=3).sum(axis=2)
    entries = np.abs(tables[:, None] - tables[None]).sum(axis=3)
    near = (entries > 0).sum(axis=2) == 1
    return loss[near].max(), loss[near & (entries.sum(axis=2) == 1)].max()


def main(N=2, S=1, T=40_000, epsilon=0.9, delta=1e-6):
    """Print the table and check what it shows."""
    for t, c in ((9, 0), (1, 1), (2, 1), (9, 2)):
        print(f"T = {t}, S = {c}: {count(2, t, c)} meta-experts on 2 experts; (NT)^(2S) = {(2 * t) ** (2 * c)}")
    (whole, own), (broken, _) = worst_loss(2, 4, 1, 0.1), worst_loss(2, 4, 1, 0.1, pruned=True)
    print(f"Privacy, 4 rounds, eta = 0.1: {whole:.4f} (whole vector), {own:.4f} (one expert); control: {broken}")
    assert own <= 3 * 0.1 < 3 * 0.2 < broken  # round 1 reads no loss, so there are three draws
    assert own < whole <= 3 * 0.2
    x, E = np.random.default_rng(1).random((5, 3)), meta_experts(3, 5, 2)
    assert np.allclose(law(x, E, 0.7), law_fast(x, 2, 0.7) * (len(E) == count(3, 5, 2)))
    rho = (sqrt(log(1 / delta) + epsilon) - sqrt(log(1 / delta))) ** 2  # rho + 2 sqrt(rho log(1/delta)) = epsilon
    eta = sqrt(2 * rho / T)
    losses = (np.arange(T)[:, None] * (S + 1) // T + np.arange(N)) % N > 0  # one expert has loss 0; S switches
    bound = log(count(N, T, S)) / eta + eta * T / 8
    for c in (S, 0):
        regret = (law_fast(losses, c, eta) * losses).sum()
        print(f"Regret, meta-experts with at most {c} switches: {regret:.1f}; bound {bound:.1f}; T = {T}")
        assert (regret <= bound) == (c == S)
    first = next(t for t in 2.0 ** np.arange(9, 60) if rate(N, S, t, epsilon, delta) < t / 2)
    print(f"The expression of Corollary 4.1.1, with constant 1, is below T/2 from T = {first:.0f} on.")


if __name__ == "__main__":
    main()
