"""EXP3 is not private by itself: the losses that it divides by its probabilities leak without limit.

This is the claim of Section 5.1, Appendix G.1 and Figure 1 of Asi, Raman & Talwar, *Faster Rates for Private
Adversarial Bandits* (2025), about Algorithm 3 (EXP3).

Statement. Two tables of losses for K = 2 differ in round 1 only: the losses are (1, 0) in l and (1, 1) in l';
all later losses are 1. Along the actions 2, 1, 2, 1, ... the probability P_t(2) tends to 1 - gamma/2 on l and to
gamma/2 on l'. So the privacy loss of one round grows with time. Figure 1 shows it for gamma = eta = 0.0001 and T
= 1,000,000.

What the page shows.
1. Figure 1 is recomputed in logarithms of weights, because the printed code lets a weight underflow to 0. The
   page prints the two last probabilities, and the round from which they differ by a factor of two.
2. The privacy loss of whole sequences of actions, which is what Definition 3 bounds, is computed exactly: it is
   the largest logarithm of a ratio over all 2^T sequences, for small T and a larger eta. It grows with T.
3. Along the figure's own sequence the privacy losses of actions 2 and 1 nearly cancel in pairs: that whole
   sequence is only twice as probable on one table as on the other. So the figure shows a loss per round. Another
   sequence, which begins like it and then stays with action 2, makes the losses add up.
4. Exponential weights with full information are compared on the same two tables. Their loss per round is at most
   2 eta, as the paper says, so the test "the loss of a round exceeds 2 eta" finds EXP3 and does not find them.

The page does not show how probable such sequences are; that matters for approximate, not for pure privacy.
"""

import math

import numpy as np


def exp3_log_probabilities(actions, first, eta, gamma):
    """Return log P_t(1), log P_t(2) of Algorithm 3 in every round; round 1 has losses ``first``, later ones 1."""
    d, out = 0.0, np.empty((len(actions), 2))  # d = log w_t(2) - log w_t(1)
    for t, action in enumerate(actions):
        weight = 1 / (1 + math.exp(min(-d, 700.0)))
        p2 = (1 - gamma) * weight + gamma / 2  # line 4, K = 2
        out[t] = math.log1p(-p2), math.log(p2)
        loss = first[action - 1] if t == 0 else 1.0
        d += eta * loss / (1 - p2) if action == 1 else -eta * loss / p2  # lines 6 and 7
    return out


def largest_loss(T, eta, gamma, first=((1.0, 0.0), (1.0, 1.0))):
    """Return the largest log ratio of the probabilities of a sequence of T actions, over all sequences."""
    twos = ((np.arange(2**T, dtype=np.int64)[:, None] >> np.arange(T)) & 1).astype(bool)
    logs = np.zeros((2, 2**T))
    for log, losses in zip(logs, first, strict=True):
        d = np.zeros(2**T)
        for t in range(T):
            p2 = (1 - gamma) / (1 + np.exp(np.minimum(-d, 700.0))) + gamma / 2
            p = np.where(twos[:, t], p2, 1 - p2)
            log += np.log(p)
            loss = np.array(losses)[twos[:, 0].astype(int)] if t == 0 else 1.0
            d += np.where(twos[:, t], -1.0, 1.0) * eta * loss / p
    return float(np.abs(logs[0] - logs[1]).max())


def full_information_loss(T, eta, gamma):
    """Return the largest log ratio of one round for exponential weights that see all losses of the two tables."""
    d = np.array([[eta], [0.0]]) * np.ones(T - 1)  # after round 1 the tables never differ again
    p2 = (1 - gamma) / (1 + np.exp(-d)) + gamma / 2
    return float(max(np.abs(np.log(p2[0] / p2[1])).max(), np.abs(np.log((1 - p2[0]) / (1 - p2[1]))).max()))


def main(eta=1e-4, rounds=10**6, stay=2000, sizes=(4, 8, 12, 16), small_eta=0.1):
    """Print Figure 1 in numbers, the exact privacy losses of short games, and the full-information comparison."""
    actions = [2, 1] * (rounds // 2) + [2] * stay
    a, b = (exp3_log_probabilities(actions, first, eta, eta) for first in ((1.0, 0.0), (1.0, 1.0)))
    gap = a - b
    path = np.cumsum(gap[np.arange(len(actions)), np.array(actions) - 1])
    full = full_information_loss(99, eta, eta)
    apart = int(np.argmax(np.abs(gap).max(axis=1) > math.log(2))) + 1
    p, q = np.exp(a[rounds - 1, 1]), np.exp(b[rounds - 1, 1])
    print(f"Figure 1, round {rounds:,}: P(2) is {p:.6f} on one table, {q:.6f} on its neighbour")
    print(f"the probabilities differ by a factor of two from round {apart:,} on")
    print(f"largest privacy loss of one round: {np.abs(gap).max():.3f}; with full information {full:.6f}")
    print(f"privacy loss of the figure's whole sequence: {abs(path[rounds - 1]):.3f}")
    print(f"privacy loss after {stay:,} more rounds of action 2: {path[-1]:.1f}")
    losses = [largest_loss(T, small_eta, small_eta) for T in sizes]
    for T, loss in zip(sizes, losses, strict=True):
        print(f"eta = gamma = {small_eta}, {T:>2} rounds: largest privacy loss over all sequences {loss:.4f}")
    assert q < eta < 1 - eta < p
    assert np.abs(gap).max() > 2 * eta >= full
    assert losses == sorted(losses)
    assert path[-1] > 100 * np.abs(gap).max()


if __name__ == "__main__":
    main()
