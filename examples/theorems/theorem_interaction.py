"""Local privacy costs root(K/T) in averaged total variation also if channels depend on earlier messages.

This is the theorem "interaction" of reports/theorems.md. It is Theorem 3 of Sima, Wu, Milenkovic & Szpankowski,
*Online Distribution Learning with Local Privacy Constraints* (AISTATS 2024), which is without interaction, for
all schemes.

Statement. Let r = 1 - 1/K, K = N - 1 = 2^m - 1 >= 3, and let H_1, ..., H_K be the rows but the constant one of a
Hadamard matrix. For every epsilon-locally private scheme, whose channels may depend on earlier messages: (a) on
the distributions (1 + a H_j)/N, a = (3r/8) root(10 K/T)/sinh(epsilon/2), the averaged total variation is at least
(r/8) a = (3 r^2/64) root(10 K/T)/sinh(epsilon/2) in the mean over j; (b) on the distributions with mass 1 - b on a
common label and b(1 + H_j)/N on N rare ones, b = (3r/8) root(10 K(1 - b)/T)/(e^(epsilon/2) - 1), the risk is at
least (r/8) b T. The range is epsilon > 0 and (a) T >= (90 r^2/16) K/sinh^2(epsilon/2), that is a <= 1/2; (b) b <=
1/(1 + e^epsilon), that is T >= (90 r^2/64) K e^epsilon (1 + e^epsilon)/(e^(epsilon/2) - 1)^2.

What the page shows.
1. Step (i) is computed exactly for (a) and (b), on subset selection and random channels: over all j the
   divergences of distribution j from the uniform distribution (or from the common label with a uniform rest) add
   up to at most (4/5) a^2 sinh^2(epsilon/2), or (4/5) b^2 (e^(epsilon/2) - 1)^2/(1 - b). Channels of twice epsilon
   (broken) exceed both.
2. The bound (a) is compared with a scheme that interacts: each user sends, as a private bit, the sign at the
   label of the row whose posterior probability is nearest to 1/2. All 2^T histories are enumerated. No prediction
   is nearer than the weighted medians of the distributions, label by label, so the printed number bounds every
   prediction after these messages from below.
3. Labels in the clear (broken) are simulated at a smaller epsilon. They fall below the bound; the page prints
   the upper end of a 99% interval.

The page does not show bound (b) in a game (it needs T >= 39, which has too many histories), nor K > 3, nor the
best scheme. The game needs epsilon of at least about 1.5, because T must be at least 7.5/sinh^2(epsilon/2).
"""

import itertools
import math

import numpy as np

H = np.array([[1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])  # K = 3, N = 4


def channels(M, epsilon, trials, rng):
    """Yield channels of level epsilon on M labels: subset selection of all sizes, then random ones."""
    for size in range(1, M):
        q = np.array(
            [[math.exp(epsilon * (y in s)) for s in itertools.combinations(range(M), size)] for y in range(M)]
        )
        yield q / q.sum(axis=1, keepdims=True)
    for q in np.exp(epsilon * rng.integers(-1, 1, (trials, M, 3))) * (1 - math.exp(-epsilon)) / 3:
        yield np.hstack([q, 1 - q.sum(axis=1, keepdims=True)])


def step_one(laws, centre, limit, epsilon, trials, rng):
    """Return the largest sum over j of KL(messages under centre, under j), over limit, and at twice epsilon."""
    worst = [0.0, 0.0]
    for i in range(2):
        for q in channels(len(centre), (i + 1) * epsilon, trials, rng):
            worst[i] = max(worst[i], float((centre @ q * np.log(centre @ q / (laws @ q))).sum()) / limit)
    return worst


def interactive(laws, epsilon, T):
    """Return the least averaged total variation after bits that each user sends of the row known least."""
    a, tanh = 4 * laws[0, 0] - 1, math.tanh(epsilon / 2)
    joint, far = np.full((1, len(laws)), 1 / len(laws)), 0.0  # rows: histories; columns: P(history, j)
    for _ in range(T):
        far += np.einsum("cj,jiy->ciy", joint, np.abs(laws[:, None] - laws)).min(axis=1).sum() / 2  # medians
        k = np.abs(joint / joint.sum(axis=1, keepdims=True) - 0.5).argmin(axis=1)
        one = (1 + a * tanh * (np.arange(len(laws)) == k[:, None])) / 2  # distribution j favours row j only
        joint = np.vstack([joint * one, joint * (1 - one)])
    return far / T


def in_the_clear(laws, T, runs, rng):
    """Return the averaged total variation per run if labels are sent in the clear."""
    j, log_w, far = rng.integers(0, len(laws), runs), np.zeros((runs, len(laws))), np.zeros(runs)
    for _ in range(T):
        w = np.exp(log_w - log_w.max(axis=1, keepdims=True))
        far += np.abs(laws[w.argmax(axis=1)] - laws[j]).sum(axis=1) / 2  # the learner names the likeliest law
        log_w += np.log(laws[:, (rng.random(runs)[:, None] > np.cumsum(laws[j], axis=1)).sum(axis=1)]).T
    return far / T


def both_steps(epsilon, trials, rng):
    """Print step (i) for (a) and (b) at the largest a and b allowed."""
    a, b = 0.5, 1 / (1 + math.exp(epsilon))
    limit = 0.8 * (a * math.sinh(epsilon / 2)) ** 2
    x, y = step_one((1 + a * H) / 4, np.full(4, 0.25), limit, epsilon, trials, rng)
    rare, rest = np.hstack([np.full((3, 1), 1 - b), b * (1 + H) / 4]), np.array([1 - b, *[b / 4] * 4])
    u, v = step_one(rare, rest, 0.8 * (b * math.expm1(epsilon / 2)) ** 2 / (1 - b), epsilon, trials, rng)
    print(f"epsilon {epsilon}, divergences over limit: (a) {x:.4f}, broken {y:.4f}; (b) {u:.4f}, broken {v:.4f}")
    assert max(x, u) <= 1 < min(y, v)


def main(T=14, epsilon=2.0, small=0.3, runs=400, trials=200, seed=0):
    """Print step (i), the enumerated scheme that interacts, and labels in the clear."""
    rng, r = np.random.default_rng(seed), 2 / 3
    both_steps(epsilon, trials, rng)
    a = 3 * r / 8 * math.sqrt(30 / T) / math.sinh(epsilon / 2)
    least = interactive((1 + a * H) / 4, epsilon, T)
    print(f"{T} rounds, epsilon {epsilon}: total variation with interaction {least:.5f}, bound {r / 8 * a:.5f}")
    assert a <= 0.5
    assert least >= r / 8 * a
    n = math.ceil(7.5 / math.sinh(small / 2) ** 2)
    a = 3 * r / 8 * math.sqrt(30 / n) / math.sinh(small / 2)
    x = in_the_clear((1 + a * H) / 4, n, runs, rng)
    upper = x.mean() + 2.6 * x.std(ddof=1) / math.sqrt(runs)  # Student, 400 runs
    print(f"{n} rounds, epsilon {small}: labels in the clear (broken) {upper:.5f} (99%), bound {r / 8 * a:.5f}")
    assert upper < r / 8 * a


if __name__ == "__main__":
    main()
