"""On losses that do not vary, the constant 1000 of prefix softmax can be replaced by 32 + 1/log 2 = 33.44.

Paper: Cesari and Colomboni, "Optimal Gap-Dependent Regret for Private Stochastic Decision-Theoretic Online
Learning" (arXiv 2605.29148v1), section 4, Theorem 1, display (2). The sharper constant is ours.

Statement. If every round has the same loss vector in [0, 1]^K, with one best action and the smallest gap `gap`,
then for all K >= 2, epsilon > 0 and T >= 1 the algorithm with eta = min(epsilon / 2, 1 / 8) has

    Reg_T <= 1 + 4 log K / eta <= (32 + 1 / log 2) (log K / gap + log K / epsilon).

Proof. F_m = sum_j gap_j P(j after m losses) is the derivative of -log(sum_j exp(-eta m gap_j)) / eta in m. It
decreases, so F_1 + F_2 + ... is at most its integral, log K / eta. Block r + 1 has 2^(r+1) rounds, each of which
costs the mean of F over 2^(r-1) < m <= 2^r: together 4 times that part of the sum (2 F_1 for r = 0). Round 1 costs
at most 1. The last step uses gap <= 1 and log K >= log 2.

What this page shows. The regret is computed, not simulated, for equal gaps and for unequal ones. What can follow
after the last computed round is added, so the number holds for every T. Three steps of the proof are checked: F
decreases, its sum, and the bound. The constant 31 in the place of 33.44 fails, so hardly less is true. A broken
variant, which draws M_r from the whole block 1, ..., 2^r, fails the bound at a long horizon. The algorithm is also
run as printed (`play`, which draws losses 0 or 1 of any means, here 0 and 1): the mean of its runs is within four
standard errors of the computed regret, and with the broken variant's regret it is not.

This page does not show losses that vary (ps_t1b.py does) nor privacy (ps_privacy.py does).
"""

import numpy as np


def play(means, eta, T, runs, rng):
    """Regret of each of so many runs; losses are 0 or 1 with these means, and sums of losses are binomial."""
    A, first, total = rng.integers(len(means), size=runs), 1, np.zeros(runs)  # A_0 is uniform
    while first <= T:  # block B_r: the rounds 2^r, ..., 2^(r+1) - 1, in which A_r is played
        total += min(first, T - first + 1) * (means[A] - means.min())
        M = rng.integers(first // 2 + 1, first + 1, size=(runs, 1))  # M_r is uniform on 2^(r-1) + 1, ..., 2^r
        L = rng.binomial(M, means)  # losses of the first M_r rounds of the block
        A = np.argmax(rng.gumbel(size=L.shape) - eta * L, axis=1)  # A_(r+1) = k with probability ~ exp(-eta L_k)
        first *= 2
    return total


def F(gaps, eta, M):
    """F_1, ..., F_M: the expected gap of the softmax action after m equal loss vectors (section 5.3)."""
    w = np.exp(-eta * np.outer(np.arange(1, M + 1, dtype=np.float64), gaps))
    return (w @ gaps) / w.sum(axis=1)


def regret(gaps, eta, T, whole=False):
    """Expected pseudo-regret after T rounds; `whole` draws M_r from the whole block (broken)."""
    values = F(gaps, eta, max(2 ** (T.bit_length() - 2), 1) if T > 1 else 1)
    total = gaps.mean()  # round 1 plays A_0, which is uniform
    for r in range(T.bit_length() - 1):  # rounds 2^(r+1), ..., 2^(r+2) - 1 play A_{r+1}
        played = min(2 ** (r + 2) - 1, T) - 2 ** (r + 1) + 1
        total += played * values[0 if whole else 2**r // 2 : 2**r].mean()
    return total


def ever(gaps, eta):
    """The regret and the sum of F, both with upper ends for all that comes after the last computed m = M."""
    gap, K = gaps[gaps > 0].min(), len(gaps)
    M = 2 ** int(np.ceil(np.log2(np.log(K * 1e9) / (eta * gap))))
    values, left = F(gaps, eta, M), K * np.exp(-eta * gap * M) / eta  # F_m <= the sum of gap_j exp(-eta m gap_j)
    assert (np.diff(values) <= 1e-15).all()
    return regret(gaps, eta, 4 * M - 1) + 4 * left, values.sum() + left


def bound(K, gap, epsilon, constant=None):
    """The right end of the statement, or another constant in the place of 33.44."""
    return (constant or 32 + 1 / np.log(2)) * np.log(K) * (1 / gap + 1 / epsilon)


def main(settings=((2, 1.0, 1.0), (17, 0.01, 0.1), (256, 0.5, 5.0), (4096, 1.0, 100.0)), blocks=10, runs=200):
    """Print the table and assert what it shows."""
    print("actions  gap  epsilon   gaps   regret for every T  1 + 4 log K/eta    bound   share")
    for K, gap, epsilon in settings:
        eta = min(epsilon / 2, 1 / 8)
        for kind in ("equal", "unequal"):
            gaps = np.append(0.0, np.full(K - 1, gap) if kind == "equal" else np.linspace(gap, 1, K - 1))
            value, total = ever(gaps, eta)
            top = bound(K, gap, epsilon)
            print(f"{K:7} {gap:4} {epsilon:8} {kind:>8} {value:18.2f} {1 + 4 * np.log(K) / eta:16.2f}", end="")
            print(f" {top:8.0f} {value / top:7.3f}")
            assert total <= np.log(K) / eta
            assert value <= 1 + 4 * np.log(K) / eta <= top
    gaps = np.append(0.0, np.ones(K - 1))
    value, low = regret(gaps, eta, 4 * 2**blocks - 1), bound(K, gap, epsilon, 31)
    broken = regret(gaps, eta, 4 * 2**blocks - 1, whole=True)
    print(f"{K} actions, gap {gap}, epsilon {epsilon}: regret {value:.0f}; 31 allows {low:.0f} and fails")
    print(f"with M_r from the whole block: {broken:.0f} after {4 * 2**blocks - 1} rounds, which fails {top:.0f}")
    assert low < value <= bound(K, gap, epsilon) < broken
    played = play(gaps[:17], eta, 4 * 2**blocks - 1, runs, np.random.default_rng(0))
    mean, error = played.mean(), played.std(ddof=1) / np.sqrt(runs)
    right, wrong = (regret(gaps[:17], eta, 4 * 2**blocks - 1, whole) for whole in (False, True))
    print(f"17 actions, gap 1: {runs} runs have the mean {mean:.1f}, computed {right:.1f}, broken {wrong:.1f}")
    assert abs(mean - right) < 4 * error < abs(mean - wrong)


if __name__ == "__main__":
    main()
