"""Theorem 5.2 of Asi, Raman and Saha, Tracking the Best Expert Privately (2025), section 5.2, Algorithm 3.

Statement: Algorithm 3 with epsilon in (0, 1), eta = epsilon sqrt(S / (T log(NT))) is epsilon-private. Its dynamic
regret is O(sqrt(S T) log^1.5(NT) / epsilon + S log(NT) / epsilon) against adaptive losses.

The page has two experts, for which line 7 clips log(w_t(1) / w_t(2)). It shows four things.
(1) Privacy as printed fails at the theorem's own eta if neighbours differ in a whole loss vector, since line 6 has
    noise for one loss only. The probability of "expert 1 in every round" is bracketed: the state is rounded down
    and up to a grid. The same event satisfies the definition with noise of scale N / epsilon, and if neighbours
    differ in one expert's loss; both are epsilon-private by the sensitivity of the loss vector.
(2) The bound of the printed proof is below T/2 only from the power of two that the page prints.
(3) A corrected bound, proved in the docstring of `bound`, holds against an adversary who swaps the losses as soon
    as the good expert was played in `patience` rounds running: simulated, with a stated confidence limit.
(4) A control without clipping breaks that bound.

The printed proof quotes Theorem B.1 (for learners that do not read their own actions). The weights depend on noise
that the actions reveal, so the best sequence may depend on it, too; `bound` pays for that. S >= 1 is needed. The
page does not show that no adversary does worse.
"""

import numpy as np


def law(x, scale):
    """Return the distribution function of the difference of two Laplace variables."""
    tail = np.exp(-np.abs(x) / scale) * (1 + np.abs(x) / (2 * scale)) / 2
    return np.where(x < 0, tail, 1 - tail)


def cells(u, d, grid, eta, scale):
    """Return the law of the next state, rounded down to the grid (lines 6 and 7; line 7 clips to its ends)."""
    return np.diff(law((grid[1:] - u) / eta - d, scale), prepend=0, append=1)


def log_event(first, gap, T, S, eta, scale, points=2500):
    """Bracket log P(J_1 = ... = J_T = expert 1) if expert 2's loss exceeds expert 1's by first[i], then by gap."""
    U = np.log(2 * T / S - 1)  # weights of at least S / (NT)
    grid = np.linspace(-U, U, points)  # of log(w_t(1) / w_t(2)), which is 0 in round 1
    kernel, P = cells(grid[:, None], gap, grid, eta, scale), 1 / (1 + np.exp(-grid))
    low = high = P  # round T, given the state; these rise with the state
    for _ in range(T - 2):
        low, high = P * (kernel @ low), P * (kernel @ np.append(high[1:], high[-1]))
    start = np.array([cells(0, d, grid, eta, scale) for d in first])
    return np.log(start @ np.stack([low, np.append(high[1:], high[-1])], axis=1) / 2)


def tuned(T, S, epsilon):
    """Return the eta of Theorem 5.2 for two experts."""
    return epsilon * np.sqrt(S / (T * np.log(2 * T)))


def printed_bound(N, S, T, epsilon, eta):
    """Return the bound at the end of the printed proof of Theorem B.2."""
    L = np.log(N * T)
    return 2 * S * L / eta + 10 * eta * T * (L / epsilon) ** 2 + 4 * S * L / epsilon + 1


def bound(N, S, T, epsilon, eta):
    """Return (S + 1) log(NT/S) / eta + eta T E max (1 + |Z|)^2 + S + 2 sqrt(2.8 S T log(NT)) / epsilon.

    The first three terms are those for a fixed sequence. The last bounds E max of the sum of Z_t(j_t) over at most
    (NT)^(2S) sequences: log E exp(a Z) <= 1.4 (a / epsilon)^2 for a^2 <= epsilon^2 / 2.
    """
    i = np.arange(1, N + 1)
    second_moment = (1 + np.sum(1 / i) / epsilon) ** 2 + np.sum(1 / i**2) / epsilon**2
    fixed = (S + 1) * np.log(N * T / S) / eta + eta * T * second_moment + S
    return fixed + 2 * np.sqrt(2.8 * S * T * np.log(N * T)) / epsilon


def regret(T, epsilon, eta, patience, U, rng):
    """Return the dynamic regret, S = 1, of one run per entry of U, to which line 7 clips (infinity: no clipping).

    The losses are swapped once, so the best sequence has loss 0.
    """
    u, good, streak, total = np.zeros((4, len(U)))  # line 2; the good expert is 0, then 1
    for _ in range(T):
        J = rng.random(len(U)) > 1 / (1 + np.exp(-u))  # line 4
        total += good != J
        noise = rng.laplace(scale=1 / epsilon, size=(2, len(U)))  # line 6
        u = np.clip(u + eta * (1 - 2 * good + noise[0] - noise[1]), -U, U)  # line 7
        streak = (streak + 1) * (good == J)
        good = np.maximum(good, streak >= patience)  # the adversary reacts to the actions
    return total


def main(T=100_000, epsilon=0.9, runs=100, rounds=16, seed=1):
    """Print the table and check what it shows; a smaller T needs more runs (see the confidence limit)."""
    print(f"Privacy loss of the event, 2 experts, {rounds} rounds, in units of epsilon:")
    for neighbours, second, b in (
        ("a whole vector", -1, 1),
        ("one expert's loss", 0, 1),
        ("a whole vector", -1, 2),
    ):
        ends = log_event((1, second), -1, rounds, 1, tuned(rounds, 1, epsilon), b / epsilon) / epsilon
        low, high = ends[0, 0] - ends[1, 1], ends[0, 1] - ends[1, 0]
        print(f"  noise of scale {b} / epsilon, neighbours differ in {neighbours}: {low:.3f} to {high:.3f}")
        assert low > 1 if second + b == 0 else high <= 1
    eta = tuned(T, 1, epsilon)
    limit, powers = bound(2, 1, T, epsilon, eta), 2.0 ** np.arange(10, 60)
    first = next(t for t in powers if printed_bound(2, 1, t, epsilon, tuned(t, 1, epsilon)) < t / 2)
    print(
        f"Regret: the printed bound is below T/2 from T = {first:.0f} on; corrected bound at T = {T}: {limit:.0f}"
    )
    U = np.append(np.full(runs, np.log(2 * T - 1)), np.full(5, np.inf))  # the last five runs are the control
    total = regret(T, epsilon, eta, T // 3, U, np.random.default_rng(seed))
    mean, broken = total[:runs].mean(), total[runs:].mean()
    upper = mean + T * np.sqrt(np.log(100) / (2 * runs))  # Hoeffding's inequality, 99% confidence
    print(f"  mean of {runs} runs {mean:.0f}, upper confidence limit {upper:.0f}; without clipping {broken:.0f}")
    assert upper <= limit < broken


if __name__ == "__main__":
    main()
