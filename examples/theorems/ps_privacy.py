"""The actions of randomized-prefix softmax are 2 eta-private, and what breaks that.

Paper: Cesari and Colomboni, "Optimal Gap-Dependent Regret for Private Stochastic Decision-Theoretic Online
Learning" (arXiv 2605.29148v1), section 5.2: Lemma 3 and Proposition 1.

Statement. For every eta > 0, n >= 1 and distribution of a prefix length N that does not depend on the data, the
softmax of the first N loss vectors in [0, 1]^K with inverse temperature eta is 2 eta-private: chances of a
selected action differ by a factor of at most exp(2 eta) if one vector is replaced (Lemma 3). The sequence of all
actions of the algorithm is as private (Proposition 1), because every round is read for one selection only.

What this page shows. It computes the largest log-ratio (the privacy loss) of the chances of a sequence of
actions, over all pairs of loss tables that differ in one round, with all losses 0 or 1. As a function of one
loss vector each chance is monotone in each coordinate, so the replaced vector is worst at 0 and 1. With a long
block the loss approaches 2 eta, so the theorem could not say less. Three broken variants fail: eta is doubled,
the selection reads all rounds so far in the place of the last block, and the action is drawn anew in the middle
of a block.

This page does not show all games of more than seven rounds, nor losses between 0 and 1 in rounds that are kept.
"""

from itertools import product

import numpy as np


def softmax(L, eta):
    """Exponential weights of the cumulative losses L."""
    w = np.exp(-eta * (L - L.min(-1, keepdims=True)))
    return w / w.sum(-1, keepdims=True)


def selection(block, eta):
    """Distribution of A_{r+1}: the mean, over M_r in n/2 + 1, ..., n, of the softmax of the first M_r vectors."""
    return softmax(np.cumsum(block, axis=0)[len(block) // 2 :], eta).mean(0)


def action_law(table, eta, K, everything=False, draws=1):
    """Chances of all sequences (A_0, ..., A_s); round t is row t - 1 of the table, block B_r starts at 2^r."""
    law, end = np.full(K, 1 / K), 1
    while end <= len(table):  # the block ends with round `end`
        for _ in range(draws):
            law = np.kron(law, selection(table[0 if everything else end // 2 : end], eta))
        end = 2 * end + 1
    return law


def privacy_loss(K, rounds, eta, **variant):
    """The largest log-ratio over all neighbouring 0/1 tables of so many rounds."""
    vectors = np.array(list(product((0.0, 1.0), repeat=K)))
    tables = product(range(len(vectors)), repeat=rounds)
    laws = np.array([action_law(vectors[list(table)], eta, K, **variant) for table in tables])
    laws = laws.reshape((len(vectors),) * rounds + (-1,))
    return max(np.log(laws.max(axis) / laws.min(axis)).max() for axis in range(rounds))


def long_block_loss(n, eta):
    """Two actions: every vector of the block is (1, 0), then the first one becomes (0, 1)."""
    table, other = np.tile([1.0, 0.0], (n, 1)), np.tile([1.0, 0.0], (n, 1))
    other[0] = 0.0, 1.0
    return np.abs(np.log(selection(table, eta) / selection(other, eta))).max()


def main(eta=0.5, games=((2, 1), (2, 3), (2, 7), (3, 3)), lengths=(4, 16, 64)):
    """Print the table and assert what it shows."""
    print(f"eta = {eta}: the theorem allows a privacy loss of {2 * eta}")
    for K, rounds in games:
        loss = privacy_loss(K, rounds, eta)
        print(f"{K} actions, {rounds} rounds read, all tables: largest privacy loss {loss:.4f}")
        assert loss <= 2 * eta
    for n in lengths:
        loss = long_block_loss(n, eta)
        print(f"2 actions, a block of {n} rounds, one pair of tables: privacy loss {loss:.4f}")
        assert loss <= 2 * eta
    assert loss > 1.9 * eta
    for name, variant in (
        ("eta is doubled", {"eta": 2 * eta}),
        ("all rounds so far are read", {"eta": eta, "everything": True}),
        ("the action is drawn anew in the middle of a block", {"eta": eta, "draws": 2}),
    ):
        loss = privacy_loss(2, 3, **variant)
        print(f"broken variant, {name}: privacy loss {loss:.4f}, which fails")
        assert loss > 2 * eta


if __name__ == "__main__":
    main()
