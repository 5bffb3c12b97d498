"""Losses fixed in advance trap the learners that play by doubling blocks: four times the regret of uniform play.

Papers: Cesari and Colomboni, "Optimal Gap-Dependent Regret for Private Stochastic Decision-Theoretic Online
Learning" (arXiv 2605.29148v1), and Wu and Wang, "New Rates in Stochastic Decision-Theoretic Online Learning under
Differential Privacy". Their guarantees are for i.i.d. losses; the trap, which is ours, has losses of another kind.

Statement. Two actions. In rounds 2^r, ..., 2^(r+1) - 1 (block r = 0, 1, ...) action r mod 2 has loss 0 and the
other one has loss 1. Prefix softmax, and the noisy leader with Laplace, Gumbel and exponential noise, each with
epsilon = 1 and without privacy, have expected regret above 3 times that of uniform play.

The reason. What a block shows decides what the next block plays, so the action that was best in one block is
played in the next one, where it is worse. After a whole number of blocks the better action has lost about T/3
rounds, uniform play T/2 and the trapped learner nearly T: the regrets are near T/6 and 2T/3. Hence no learner can
have more than 4 times the regret of uniform play on this table, up to 1.

What this page shows. All numbers are computed, not simulated. Two controls must fail the same test: the same
learners where one action is better in all blocks, and a leader that follows the sums of all rounds (not of one
block alone): the action that it plays changes after a third of a block, and its regret stays near 0.

This page does not show that the papers are wrong, for such losses are outside of their theorems.
"""

import numpy as np


def table(blocks, alternate=True):
    """Which action has loss 0 in each block; `alternate` False: always action 0."""
    return np.arange(blocks, dtype=np.int64) % 2 * alternate


def behind(noise, n, beta):
    """P(the action that is worse by n is chosen), arg max of -G_j + Q_j with noise of scale beta; n >= 0."""
    x = n / beta if beta else np.inf  # beta = 0: no noise
    if noise == "Gumbel":
        return 1 / (1 + np.exp(min(x, 700.0)))
    d = np.exp(-x)
    if noise == "exponential":
        return d / 2  # Q_2 - Q_1 is Laplace
    return d / 2 * (1 + x / 2) if d else 0.0  # Laplace noise: the difference of two Laplace variables


def prefix(r, eta):
    """P(A_{r+1} is worse in block r): softmax of the first M_r losses, uniform on 2^(r-1) + 1, ..., 2^r."""
    m = np.arange(2**r // 2 + 1, 2**r + 1, dtype=np.float64)
    return (1 / (1 + np.exp(np.minimum(eta * m, 700.0)))).mean()


def regret(wrong, best):
    """Expected regret; wrong[r] is the chance that the action of block r + 1 was worse in block r."""
    sizes = 2.0 ** np.arange(len(best))
    one = np.append(0.5, np.where(best[:-1] == 1, 1 - wrong[:-1], wrong[:-1]))  # P(action 1) in each block
    loss = sizes @ np.where(best == 0, one, 1 - one)
    return loss - min(sizes @ (best == 1), sizes @ (best == 0))


def leader_of_all(best):
    """Regret of the leader of the sums of all earlier rounds; ties go to action 0."""
    lead, loss, total = 0, 0.0, np.zeros(2)
    for r, good in enumerate(best):
        for _ in range(2**r):
            loss += (1 if lead > 0 else 0) != good  # lead: losses of action 0 less those of action 1
            lead += 1 if good == 1 else -1
        total[1 - good] += 2**r
    return loss - total.min()


def main(blocks=15, epsilon=1.0):
    """Print the table and assert what it shows."""
    print("learner                             regret  of uniform play  times    one action best: times")
    learners = {"prefix softmax, epsilon": [prefix(r, min(epsilon / 2, 1 / 8)) for r in range(blocks)]}
    for noise in ("Laplace", "Gumbel", "exponential"):
        learners[f"{noise} leader, epsilon"] = [behind(noise, 2**r, 2 / epsilon) for r in range(blocks)]
    learners["leader of the last block, no privacy"] = [0.0] * blocks
    half = np.full(blocks, 0.5)
    for name, wrong in learners.items():
        trapped, uniform = (regret(np.array(w), table(blocks)) for w in (wrong, half))
        easy = [regret(np.array(w), table(blocks, alternate=False)) for w in (wrong, half)]
        print(f"{name:<37}{trapped:8.1f}{uniform:13.1f}{trapped / uniform:11.2f}{easy[0] / easy[1]:16.4f}")
        assert 3 * uniform < trapped <= 4 * uniform + 1
        assert easy[0] < 3 * easy[1]
    other = leader_of_all(table(blocks))
    print(f"{'leader of all rounds (control)':<37}{other:8.1f}{uniform:13.1f}{other / uniform:11.2f}")
    assert other < 3 * uniform


if __name__ == "__main__":
    main()
