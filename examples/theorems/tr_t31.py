"""Theorem 3.1 of Asi, Raman and Saha, Tracking the Best Expert Privately (2025), section 3.1, Algorithm 1.

Statement: losses l_1, ..., l_T in [0, 1]^N are i.i.d.; Algorithm 1 is epsilon-differentially private, and with
probability 1 - beta, for t in [T] and w in [T - t], its regret over the rounds t, ..., t + w is at most
16 log(NT/beta) / epsilon + 9 sqrt(w log(NT/beta)).

The page shows: (1) the exact worst privacy loss of the actions in a game of 31 rounds with 3 experts, over all
binary loss tables, if neighbours differ in a whole loss vector and if they differ in one expert's loss;
(2) the largest ratio of regret to bound over all windows at once, in simulated runs; (3) that line 4 prints
arg max where arg min is meant: arg max breaks the regret bound, with the same privacy; (4) that the theorem
needs i.i.d. losses: if the distribution shifts once, Algorithm 1 breaks the bound.

The page does not show the printed proof: its lemma has 16 log(NT/beta) log(T) / epsilon, which the statement
drops. "For any t and w" is read as "for all windows at once", as in the lemma (the stronger reading).
"""

import numpy as np


def choice(S, epsilon):
    """Return the exact probability that line 4 (with arg min) selects each expert, for sums S of (..., N)."""
    b = 2 / epsilon  # line 4: Laplace noise of scale 2 / epsilon
    edges = np.arange(-np.ceil(80 * b), np.ceil(80 * b) + 1)  # the integrand is smooth between them
    node, weight = np.polynomial.legendre.leggauss(8)
    x = (edges[:-1, None] + (node + 1) / 2).ravel()
    weight = np.tile(weight / 2, len(edges) - 1)
    P = np.empty(S.shape)
    for j in range(S.shape[-1]):
        y = x + (S[..., [j]] - S)[..., None]
        survive = np.where(y > 0, 0.5 * np.exp(-np.abs(y) / b), 1 - 0.5 * np.exp(-np.abs(y) / b))
        P[..., j] = np.prod(np.delete(survive, j, axis=-2), axis=-2) @ (weight * np.exp(-np.abs(x) / b) / (2 * b))
    return P


def worst_loss(N, block, epsilon, one_expert):
    """Return the largest privacy loss of the action chosen from one block of rounds, over all binary losses."""
    S = np.indices((block + 1,) * N).reshape(N, -1).T  # every vector of sums that binary losses can have
    logP = np.log(choice(S, epsilon))
    move = S[:, None, :] - S[None, :, :]
    near = np.abs(move).max(axis=2) == 1  # one round's loss vector is replaced
    if one_expert:
        near &= np.abs(move).sum(axis=2) == 1
    return np.max(np.abs(logP[:, None, :] - logP[None, :, :])[near])


def bound(N, T, epsilon, beta, w):
    """Return the bound of Theorem 3.1."""
    L = np.log(N * T / beta)
    return 16 * L / epsilon + 9 * np.sqrt(w * L)


def play(S, epsilon, rng, sign=1, first=0):
    """Return the expert of each block 1, 2-3, 4-7, ... for its sums of losses S of shape (runs, blocks, N).

    Sign 1 is arg min, sign -1 is arg max as printed.
    """
    J = np.full(S.shape[:2], first)  # line 1: the first expert is fixed
    for r in range(1, S.shape[1]):  # line 3: t = 2^r begins a block
        noise = rng.laplace(scale=2 / epsilon, size=S[:, 0].shape)
        J[:, r] = np.argmin(sign * S[:, r - 1] + noise, axis=1)  # line 4: rounds t/2, ..., t - 1
    return J  # line 6


def largest_ratio(losses, J, epsilon, beta):
    """Return for each run the largest ratio of regret to bound over all windows t, ..., t + w with w >= 1."""
    runs, T, N = losses.shape
    excess = np.take_along_axis(losses, J[:, :, None], axis=2) - losses
    total = np.concatenate([np.zeros((runs, 1, N)), np.cumsum(excess, axis=1)], axis=1).transpose(2, 0, 1).copy()
    ratio = np.zeros(runs)
    for w in range(1, T):
        regret = (total[:, :, w + 1 :] - total[:, :, : -w - 1]).max(axis=(0, 2))
        ratio = np.maximum(ratio, regret / bound(N, T, epsilon, beta, w))
    return ratio


def main(N=2, T=4096, epsilon=1.0, beta=0.1, runs=50, gap=0.98, seed=1):
    """Print the table and check what it shows; the controls need T >= 4096, the runs may be fewer."""
    for block in (1, 2, 4, 8):  # the blocks of a game of 31 rounds: no round is in two blocks
        whole, own = (worst_loss(3, block, epsilon, one) for one in (False, True))
        print(f"Privacy, block of {block} rounds: worst loss {whole:.4f} (whole vector), {own:.4f} (one expert)")
        assert max(2 * own, whole) < epsilon + 1e-9
    assert worst_loss(3, 4, 2 * epsilon, one_expert=False) > epsilon  # control: noise of scale 1 / epsilon
    rng = np.random.default_rng(seed)
    iid = np.where(rng.random((runs, T, N)) < (1 - gap) / 2 + gap * (np.arange(N) > 0), 1.0, 0.0)
    shifted = np.where(np.arange(T)[:, None] < T // 2, iid, 1 - iid)[:3]
    print("Largest ratio of regret to bound over all windows; a ratio above 1 breaks Theorem 3.1:")
    cases = (("arg min", iid, 1), ("arg max as printed", iid[:3], -1), ("arg min, one shift", shifted, 1))
    starts = 2 ** np.arange(T.bit_length()) - 1  # of blocks; round 1 has the index 0
    for name, losses, sign in cases:
        experts = play(np.add.reduceat(losses, starts, axis=1), epsilon, rng, sign)
        J = np.repeat(experts, np.diff(starts, append=T), axis=1)
        ratio = largest_ratio(losses, J, epsilon, beta)
        print(f"  {name}: median {np.median(ratio):.3f}, largest {ratio.max():.3f} in {len(ratio)} runs")
        assert ratio.max() <= 1 if losses is iid else ratio.min() > 1, name
    print(f"No i.i.d. run breaks it: the chance is below {1 - 0.01 ** (1 / runs):.3f} (99% confidence).")


if __name__ == "__main__":
    main()
