"""Which schedule? Epochs are online bidding: 8 is least for fixed lengths, random ones have 2 e.

Theorem "schedules" of this workbook (reports/theorems.md, number 12), about Algorithm 1 of Wu and Wang, "New Rates
in Stochastic Decision-Theoretic Online Learning under Differential Privacy", with epochs of other lengths.

Statement. K >= 2 actions, losses that do not fluctuate, any gaps. Through each epoch the learner plays the action
with the largest noise less losses of the last whole epoch; its first action is uniform. Noise is Gumbel of scale
2 / epsilon, so m = log K. Epochs of 1, ceil(e^U), ceil(e^(1 + U)), ... rounds, U uniform in [0, 1) and drawn once,
have regret at most, for every T,

    1 + X + log(1 + X),    X = 2 e m / epsilon.

Epochs that double have at most 1 + 8 m / epsilon. As K grows no fixed lengths have a factor below 8 at all gaps,
no random ones one below 2 e: lengths are bids for an unknown threshold, as in "online bidding" (Chrobak, Kenyon,
Noga and Young 2006), log K / (eta gap), eta = epsilon / 2.

What this page shows. (1) It computes regrets after 10^13 rounds and more, the mean over U by 64 values, for one
good action and an octave of gaps: random epochs keep their bound, and epochs that double exceed it. (2) Fixed
lengths with the ratio g exceed 2 e m / epsilon at some gap, for g from 1.3 to 6 and K = 10^300. (3) In the game of
bids the cost over the threshold of bids g^r is at least 4 for every ratio g, least at 2, and e in the mean for
random bids e^(r + U), at every threshold. A start that is not drawn (U = 0) fails the bound.

This page does not show the bounds for losses that fluctuate, nor that no other bids do better.
"""

import numpy as np


def wrong_chance(log_K, lead):
    """Chance that one of K - 1 actions wins that lag by `lead` each, in units of the noise: softmax."""
    return 1 / (1 + np.exp(np.minimum(lead - log_K, 700)) / (1 - np.exp(-log_K)))


def regret(log_K, gap, epsilon, lengths):
    """Mean regret over schedules, one a row of `lengths`; the first epoch has one round and a uniform action."""
    read = np.insert(lengths, 0, 1, axis=1)[:, :-1]
    paid = (lengths * wrong_chance(log_K, epsilon / 2 * gap * read)).sum(axis=1).mean()
    return gap * (1 - np.exp(-log_K) + paid)


def random_lengths(starts):
    """Epochs of ceil(e^(r + U)) rounds, r = 0, 1, ..., one row for each U."""
    return np.ceil(np.exp(np.arange(40) + np.reshape(starts, (-1, 1))))


def bound(log_K, epsilon):
    """The theorem as it stands, for losses that do not fluctuate."""
    X = 2 * np.e * log_K / epsilon
    return 1 + X + np.log1p(X)


def price(bids, threshold):
    """Bids, rising, up to the first that reaches the threshold: their sum over it, in the mean over the rows."""
    return np.where(np.insert(bids, 0, 0, axis=1)[:, :-1] < threshold, bids, 0).sum(axis=1).mean() / threshold


def main(epsilon=1e-4, actions=(2, 256, 1e6, 1e12), starts=64):
    """Print the table and assert what it shows."""
    gaps, U = 2.0 ** -np.arange(1, 2, 1 / 8), (np.arange(starts) + 0.5) / starts
    print("regret at the worst gap, times m / epsilon\n      K  random  bound  doubling  U = 0")
    for K in actions:
        log_K, unit = np.log(K), np.log(K) / epsilon
        schedules = random_lengths(U), 2.0 ** np.arange(1, 50)[None], random_lengths(0.0)
        found = [max(regret(log_K, gap, epsilon, rows) for gap in gaps) / unit for rows in schedules]
        top = bound(log_K, epsilon) / unit
        print(f"{K:7.3g} {found[0]:7.3f} {top:6.3f} {found[1]:9.3f} {found[2]:6.3f}")
        assert found[0] <= top < min(found[1:])
        assert found[1] * unit <= 1 + 8 * unit
    ratios, log_K = np.arange(1.3, 6, 0.1), 300 * np.log(10)
    grid = [np.ceil(g ** np.arange(1, 1 + int(35 / np.log(g))))[None] for g in ratios]
    least = min(max(regret(log_K, x, epsilon, rows) for x in np.linspace(0.1, 1, 99)) for rows in grid)
    print(f"K = 10^300, fixed ratios: at least {least * epsilon / log_K:.2f}; random epochs {2 * np.e:.2f}")
    assert least > 2 * np.e * log_K / epsilon
    fixed = [max(price(g ** np.arange(99.0)[None], g**5 * x) for x in np.geomspace(1, 6, 400)) for g in ratios]
    drawn = [price(np.exp(np.arange(-20, 30) + np.linspace(0, 1, 4001)[:-1, None]), x) for x in (10, 77, 1234)]
    print(f"bids: fixed ratios at least {min(fixed):.2f}, at the ratio {ratios[np.argmin(fixed)]:.1f}; ", end="")
    print(f"random bids {min(drawn):.3f} to {max(drawn):.3f}")
    assert 3.9 < min(fixed) <= 4.1
    assert np.allclose(drawn, np.e, rtol=2e-3)


if __name__ == "__main__":
    main()
