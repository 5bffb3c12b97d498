"""No epsilon-private learner has regret below log K / epsilon on fixed losses, if there are enough rounds.

Paper: Wu and Wang, "New Rates in Stochastic Decision-Theoretic Online Learning under Differential Privacy",
section 2.2, Theorem 3, with its proof in appendix E.

Statement. For every epsilon-private learner and every K some fixed means mu in [0, 1]^K have pseudo-regret of at
least c log K / epsilon, where c is a universal constant. As printed no range of T is given; T = 1 has regret at
most 1, so the statement needs about log K / epsilon rounds. The instance may depend on T, as in the printed
proof.

The proof. Under instance l action l has loss 0 and all others have loss 1, in every round. Group privacy gives
P(I_t = i | l) <= exp((t - 1) epsilon) P(I_t = i | l'), because I_t depends on t - 1 rounds (the paper prints t,
which gives away an additive 1). Summed over l, the mean regret over the K instances after T rounds is at least

    sum over t <= T of (K - 1) / (exp((t - 1) epsilon) + K - 1),

which is at least min(T, log K / epsilon) / 3 and tends to log K / epsilon or more as T grows: c = 1.

What this page shows. For several learners it computes the chances of all actions under all K instances, whether
the inequality of group privacy holds in every round, and whether the mean regret obeys the bound. Both hold for
every private learner. Two learners are below the bound, a learner that knows the best action and one that
follows the leader without noise, and both break group privacy, as they must.

This page does not show that no private learner whatever is below the bound, which is the proof's part.
"""

import numpy as np


def noisy_leader(K, epsilon, T, sharpness=1.0, prior=0.0):
    """P(I_t = i | l) of Algorithm 1 with Gumbel(2/epsilon) noise, at [l, t - 1, i]; `prior` favours action 1."""
    rounds = np.arange(1, T + 1, dtype=np.int64)
    n = 2 ** np.floor(np.log2(rounds)) // 2  # rounds of the epoch before, none in round 1
    lead = sharpness * epsilon / 2 * n[None, :, None] * np.eye(K)[:, None, :]
    lead[:, :, 0] += prior
    w = np.exp(lead - lead.max(-1, keepdims=True))
    return w / w.sum(-1, keepdims=True)


def uniform(K, epsilon, T):
    """Uniform play, which reads nothing."""
    return np.full((K, T, K), 1 / K)


def always_first(K, epsilon, T):
    """Action 1 in every round: no regret under instance 1, but under all others."""
    return np.broadcast_to(np.eye(K)[0], (K, T, K))


def favours_first(K, epsilon, T):
    """The noisy leader, which starts with a preference for action 1."""
    return noisy_leader(K, epsilon, T, prior=1.0)


def no_noise(K, epsilon, T):
    """Broken: it follows the leader without noise."""
    return noisy_leader(K, epsilon, T, sharpness=1e9)


def knows_best(K, epsilon, T):
    """Broken: it knows l before round 1."""
    return np.broadcast_to(np.eye(K)[:, None, :], (K, T, K))


def mean_regret(chances):
    """The mean over l of R^(l)(T): a round costs 1 unless action l is played."""
    return (1 - np.einsum("ltl->lt", chances)).sum(1).mean()


def group_private(chances, epsilon):
    """Whether P(I_t = i | l) <= exp((t - 1) epsilon) P(I_t = i | l') for all t, i, l and l'."""
    factor = np.exp(np.minimum(epsilon * np.arange(chances.shape[1]), 700.0))[:, None]
    return bool((chances.max(0) <= factor * chances.min(0) * (1 + 1e-9)).all())


def bound(K, epsilon, T, changed=-1):
    """The proof's sum over rounds with t + changed rounds replaced; changed = 0 is as printed."""
    t = np.arange(1, T + 1) + changed
    return ((K - 1) / (np.exp(np.minimum(t * epsilon, 700.0)) + K - 1)).sum()


def main(settings=((2, 0.1), (17, 0.1), (17, 1.0), (64, 0.5)), more_rounds=60):
    """Print the table and assert what it shows."""
    print("actions  epsilon  rounds  learner        group privacy  mean regret  lower bound")
    for K, epsilon in settings:
        T = int(np.ceil((np.log(K) + more_rounds) / epsilon))
        for learner in (noisy_leader, favours_first, uniform, always_first, no_noise, knows_best):
            chances = learner(K, epsilon, T)
            private, value, low = group_private(chances, epsilon), mean_regret(chances), bound(K, epsilon, T)
            print(
                f"{K:7} {epsilon:8} {T:7}  {learner.__name__:14} {'holds' if private else 'fails':>13}"
                f" {value:12.3f} {low:12.3f}"
            )
            assert private == (learner not in (no_noise, knows_best))
            assert (value >= low) == private
        log = np.log(K) / epsilon
        assert bound(K, epsilon, T) >= log - 1e-6  # as T grows
        assert bound(K, epsilon, T, 0) >= log - 1 - 1e-6  # as printed
        assert all(bound(K, epsilon, t) >= min(t, log) / 3 for t in range(1, T))
        assert bound(K, epsilon, 1) < 1  # so the printed statement fails at T = 1 if log K / epsilon is larger
    print(f"17 actions, epsilon 0.1: at T = 1 no regret exceeds 1, and log K / epsilon is {np.log(17) / 0.1:.1f}")


if __name__ == "__main__":
    main()
