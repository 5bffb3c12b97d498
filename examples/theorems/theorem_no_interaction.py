"""Without interaction, local privacy costs root(K log K/T): the factor root(log K) cannot be spared.

This is the theorem "no-interaction" of reports/theorems.md, on distributions like those of Sima, Wu, Milenkovic &
Szpankowski, *Online Distribution Learning with Local Privacy Constraints* (AISTATS 2024).

Statement. Let rho = (2/3)(1 - log 2/log K), K = N - 1 = 2^m - 1 >= 3, and let H_1, ..., H_K be the rows but the
constant one of a Hadamard matrix. For every epsilon-locally private scheme whose channels are chosen beforehand:
(a) on the distributions (1 + a H_j)/N, a = root(rho K log K/T)/sinh(epsilon/2) <= 1, the averaged total variation
is at least (1/4) rho^(3/2) root(K log K/T)/sinh(epsilon/2) in the mean over j; (b) on the distributions with mass
1 - b on a common label and b(1 + H_j)/N on N rare ones, b = root(rho K log K (1 - b)/T)/(e^(epsilon/2) - 1), the
risk is at least (rho/4) b T. The range is epsilon > 0 and (a) T >= rho K log K/sinh^2(epsilon/2), (b) T >= 1.

What the page shows.
1. Step (i) is computed exactly: one message tells at most (a^2/K) sinh^2(epsilon/2) nats of chi square about j.
   Subset selection attains it if the size of the subsets is N/(1 + e^epsilon), as for epsilon = log 3 and one
   label; random channels stay below; twice epsilon (broken) exceeds it.
2. Both bounds are computed exactly in games of T rounds: all counts of messages of randomised response are
   enumerated. For (a) no prediction is nearer than the weighted medians of the distributions, label by label; for
   (b) Bayes' mixture is best. Guessing the distribution from labels in the clear (broken) falls below the bound of
   (a).

The page does not show the bounds for other channels than randomised response, nor K > 3.
"""

import itertools
import math

import numpy as np

H = np.array([[1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])  # K = 3, N = 4


def information(channel, a=1.0):
    """Return (a^2/K) times the sum over messages and j of b_j^2/s, the mean chi square of one message."""
    s, b = channel.mean(axis=0), H @ channel / 4
    return float(a * a / len(H) * (b**2 / s).sum())


def subsets(size, epsilon):
    """Return subset selection: a message is a subset of labels, more likely by e^epsilon if it has the label."""
    q = np.array(
        [[math.exp(epsilon * (y in s)) for s in itertools.combinations(range(4), size)] for y in range(4)]
    )
    return q / q.sum(axis=1, keepdims=True)


def counts(t, symbols):
    """Return all vectors of counts of t messages, and the logarithms of their multinomial coefficients."""
    grid = np.indices((t + 1,) * (symbols - 1), dtype=np.int64).reshape(symbols - 1, -1)
    grid = grid[:, grid.sum(axis=0) <= t]
    full = np.vstack([grid, t - grid.sum(axis=0)])
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, t + 1)))))
    return full, log_factorial[t] - log_factorial[full].sum(axis=0)


def game(laws, keep, T):
    """Return two mean averaged total variations and the least mean risk after randomised response, exactly.

    The first bounds all predictions from below (weighted medians need not add up to 1), the second is that of the
    best guess of a distribution. A message is the label with probability ``keep``, otherwise any other label.
    """
    K, M = laws.shape
    channel = (1 - keep) / (M - 1) + (keep - (1 - keep) / (M - 1)) * np.eye(M)
    log_q = np.log(np.maximum(laws @ channel, 1e-300))
    entropy = (laws * np.log(np.maximum(laws, 1e-300))).sum(axis=1, keepdims=True)
    low = guess = risk = 0.0
    for t in range(T):
        n, log_m = counts(t, M)
        joint = np.exp(log_m + log_q @ n) / K  # P(j, counts)
        mixture = laws.T @ (joint / np.maximum(joint.sum(axis=0), 1e-300))
        risk += (joint * (entropy - laws @ np.log(np.maximum(mixture, 1e-300)))).sum()
        apart = np.einsum("jc,jiy->ciy", joint, np.abs(laws[:, None] - laws)) / 2
        low += apart.min(axis=1).sum()  # a weighted median of the laws at a label is one of their values there
        guess += apart.sum(axis=2).min(axis=1).sum()
    return low / T, guess / T, risk


def step_one(epsilon, trials, rng):
    """Return the information over its limit of pairs of labels, of random channels, of pairs at twice epsilon."""
    q = np.exp(epsilon * rng.integers(-1, 1, (trials, 4, 3))) * (1 - math.exp(-epsilon)) / 3
    random = max(information(np.hstack([c, 1 - c.sum(axis=1, keepdims=True)])) for c in q)
    pairs, broken = information(subsets(2, epsilon)), information(subsets(2, 2 * epsilon))
    return [3 * x / math.sinh(epsilon / 2) ** 2 for x in (pairs, random, broken)]


def main(T=40, epsilon=0.3, rare_rounds=12, rare_epsilon=1.0, trials=300, seed=0):
    """Print step (i) and the two bounds in exactly enumerated games."""
    rho, sinh = 2 / 3 * (1 - math.log(2) / math.log(3)), math.sinh(epsilon / 2)
    best, random, broken = step_one(epsilon, trials, np.random.default_rng(seed))
    attained = 3 * information(subsets(1, math.log(3))) / math.sinh(math.log(3) / 2) ** 2
    print(f"information over its limit: one label at epsilon log 3 {attained:.6f}, pairs {best:.4f}")
    print(f"random channels at most {random:.4f}, pairs at twice epsilon (broken) {broken:.4f}")
    assert max(best, random, attained - 1e-12) <= 1 < broken
    a = math.sqrt(rho * 3 * math.log(3) / T) / sinh
    bound = rho**1.5 / 4 * math.sqrt(3 * math.log(3) / T) / sinh
    private, clear = (game((1 + a * H) / 4, keep, T) for keep in (1 / (1 + 3 * math.exp(-epsilon)), 1.0))
    print(f"(a) {T} rounds: total variation {private[0]:.5f}, bound {bound:.5f}, in the clear {clear[1]:.5f}")
    c = rho * 3 * math.log(3) / rare_rounds / math.expm1(rare_epsilon / 2) ** 2  # b^2 = c (1 - b)
    b = (math.sqrt(c * c + 4 * c) - c) / 2
    laws = np.hstack([np.full((3, 1), 1 - b), b * (1 + H) / 4])
    risk = game(laws, 1 / (1 + 4 * math.exp(-rare_epsilon)), rare_rounds)[2]
    print(
        f"(b) {rare_rounds} rounds, epsilon {rare_epsilon}: risk {risk:.5f}, bound {rho / 4 * b * rare_rounds:.5f}"
    )
    assert private[0] >= bound > clear[1]
    assert risk >= rho / 4 * b * rare_rounds


if __name__ == "__main__":
    main()
