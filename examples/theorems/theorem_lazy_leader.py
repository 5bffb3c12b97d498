"""A leader that forgets costs a constant over epsilon at every gap.

Theorem "lazy-leader" of this workbook (reports/theorems.md, number 10). Two actions.

Statement. For every T >= 1, epsilon > 0 and gap in (0, 1], and losses in [0, 1]: with u = exp(-epsilon), c = 6,
n_1 = ceil(1.4 / epsilon), k = (1 - u) / epsilon exp(epsilon / (1 - u) - 1) the lazy leader has regret at most the
smaller one of

    c / (1 - u) + 3 + gap n_1 / 2   and   4.33 / epsilon (2 k / (1 + u))^2 exp(epsilon / 2) + 3 gap n_1 / 2

if all rounds have the same losses; if the loss vectors are i.i.d., of any joint distribution, what stands beside
the terms in n_1 doubles and 37 / gap is added. Its actions are epsilon-private for any losses.

The learner plays action 0 while its lead is positive, action 1 while it is negative, and a fair coin's action at
lead 0, where it starts. Its blocks have n_1, 2 n_1, 4 n_1, ... rounds, and after a block of n rounds

    lead := trunc(lead / 2) + clip(2 (floor(G + U) + Z) - n, -n, n),

G the sum of (1 + loss of 1 - loss of 0) / 2 over the block, U uniform on [0, 1), P(Z = z) ~ exp(-epsilon |z|).

What this page shows. It computes the distribution of the lead, and so the regret (to ten digits), for fixed losses
and for two coins that are independent or opposed. It enumerates the privacy loss over all tables of seven rounds
in which (1 + loss of 1 - loss of 0) / 2 is 0, 1/2 or 1, with blocks of 1, 2 and 4 rounds. A leader that does not
forget (its leads add up) exceeds the bound with c = 4 at a small gap, which the lazy leader keeps. A leader that
follows the worse action fails, and Z with the rate 2 epsilon is not epsilon-private.

This page does not show other gaps and distributions than those tried, nor adaptive losses.
"""

from itertools import product

import numpy as np


def convolve(a, b):
    """As np.convolve, by Fourier transform."""
    size = 1 << (len(a) + len(b)).bit_length()
    return np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[: len(a) + len(b) - 1]


def increment(G, chances, n, epsilon):
    """Distribution on -n, ..., n of clip(2 (floor(G + U) + Z) - n, -n, n), for values G with these chances."""
    low, u, width = np.floor(G).astype(np.int64), np.exp(-epsilon), min(int(np.ceil(50 / epsilon)), n)
    floor = np.bincount(low, chances * (low + 1 - G), n + 2) + np.bincount(low + 1, chances * (G - low), n + 2)
    Z = u ** np.abs(np.arange(-width, width + 1)) * (1 - u) / (1 + u)
    Z[[0, -1]] /= 1 - u  # whole tails: the clip sends them to -n and n
    law = convolve(floor, Z)  # of floor(G + U) + Z, from -width on; it is clipped to 0, ..., n
    inner = law[width : width + n + 1].copy()
    inner[0], inner[-1] = law[: width + 1].sum(), law[width + n :].sum()
    return np.kron(inner, [1.0, 0.0])[:-1]


def move(lead, law, forget=True):
    """Distribution of the next lead, on -m, ..., m, from that of this lead and of the increment."""
    m = len(lead) // 2
    half = np.trunc(np.arange(-m, m + 1) / 2).astype(np.int64) + m // 2
    return convolve(np.bincount(half, lead, 2 * (m // 2) + 1) if forget else lead, law)


def plays_one(lead):
    """Chance of action 1 at each lead."""
    return (1 - np.sign(np.arange(len(lead)) - len(lead) // 2)) / 2


def regret(gap, epsilon, blocks, steps=None, forget=True, follow=1):
    """Action 0 is better; steps: chances that loss of 1 - loss of 0 is -1, 0, 1 (None: always the gap)."""
    n, lead = int(np.ceil(1.4 / epsilon)), np.ones(1)
    total, sums = n * gap / 2, np.polynomial.polynomial.polypow(steps or [1.0], n)
    for _ in range(blocks):
        G, chances = (np.arange(2 * n + 1) / 2, sums) if steps else (np.array([n * (1 + gap) / 2]), np.ones(1))
        lead = move(lead, increment(G, chances, n, epsilon), forget)
        total += 2 * n * gap * (lead @ plays_one(lead)[::follow])
        n, sums = 2 * n, convolve(sums, sums)
    return total


def bound(gap, epsilon, fixed, c=6.0):
    """The theorem as it stands; c may be sharpened."""
    u, n, t = np.exp(-epsilon), gap / 2 * np.ceil(1.4 / epsilon), 1 if fixed else 2
    small = 17.32 / epsilon**3 * np.tanh(epsilon / 2) ** 2 * np.exp(2 * epsilon / (1 - u) - 2 + epsilon / 2)
    return min(t * (c / (1 - u) + 3) + n, t * small + 3 * n) + (0 if fixed else 37 / gap)


def privacy_loss(rate, epochs=3):
    """Largest log-ratio of the chances of the actions of blocks 2, 3, ... over neighbouring tables; n_1 = 1."""
    rounds, laws = 2**epochs - 1, []
    for table in product((0.0, 0.5, 1.0), repeat=rounds):
        states = [np.ones(1)]
        for r in range(epochs):
            law = increment(np.array([sum(table[2**r - 1 : 2 ** (r + 1) - 1])]), np.ones(1), 2**r, rate)
            states = [x * plays_one(x)[::side] for x in (move(lead, law) for lead in states) for side in (-1, 1)]
        laws.append([lead.sum() for lead in states])
    laws = np.array(laws).reshape((3,) * rounds + (-1,))
    return max(np.log(laws.max(axis) / laws.min(axis)).max() for axis in range(rounds))


def main(settings=((1.0, 1.0, 9), (0.05, 0.1, 11), (0.01, 1.0, 15)), small=(0.002, 0.1, 15), epochs=3):
    """Print the table and assert what it shows; settings are the gap, epsilon and the number of blocks."""
    print(" gap  epsilon  losses       regret   bound")
    for (gap, epsilon, blocks), kind in product(settings, ("fixed", "independent", "opposed")):
        p, q = (1 - gap) / 2, (1 + gap) / 2
        steps = {"independent": [p * p, 2 * p * q, q * q], "opposed": [p, 0, q]}.get(kind)
        value, top = regret(gap, epsilon, blocks, steps), bound(gap, epsilon, steps is None)
        print(f"{gap:4} {epsilon:8}  {kind:11} {value:7.2f} {top:7.2f}")
        assert value <= top
    low, top = (bound(*small[:2], True, c=c) for c in (4, 6))
    lazy, adding, wrong = regret(*small), regret(*small, forget=False), regret(*small, follow=-1)
    print(f"gap {small[0]}: {lazy:.2f}, c = 4 {low:.2f}; fail: adding {adding:.2f}, the worse action {wrong:.0f}")
    assert lazy <= low < min(adding, top) <= top < wrong
    loss, broken = privacy_loss(1.4, epochs), privacy_loss(2.8, epochs)
    print(f"epsilon 1.4: privacy loss {loss:.4f}; with the rate 2 epsilon {broken:.4f}, which fails")
    assert loss <= 1.4 * (1 + 1e-9) < broken


if __name__ == "__main__":
    main()
