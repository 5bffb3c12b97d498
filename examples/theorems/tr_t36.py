"""Theorem 3.6 of Asi, Raman and Saha, Tracking the Best Expert Privately (2025), section 3.2, Algorithm 2.

Statement: if the distribution of the losses shifts S times, Algorithm 2 with beta = 1/T is epsilon-differentially
private, and its expected dynamic regret is O(sqrt(S T log(NT)) + S log(NT) / epsilon).

The page shows the privacy half. The lemma on sparse vectors (Lemma 2.4) needs queries of sensitivity 1. The window
queries of line 8 have sensitivity 2 if neighbours differ in a whole loss vector, as in the paper, and 1 if they
differ in one expert's loss. The page gives two neighbouring loss tables and an event of probability 10^-10.7
whose privacy loss is 1.17 epsilon: Theorem 3.6 fails as printed. With twice the noise in the sparse vector
technique, the usual rule for queries of sensitivity 2, the same kind of event has a privacy loss below epsilon.
(The package has 1.5 times the printed noise, AboveThreshold at epsilon/3, which suffices: all queries move
within one interval of length 2.) The event shows experts 1, 3, 1, 3, ..., each in
one block of Algorithm 1, then expert 0 within a block: only a restart in round k, and none before, does that.

The page does not show regret: the bound in the proof falls below T/2 only from the T that it prints, and one run
would take T^2 / 2 queries. Readings: AboveThreshold is that of Dwork and Roth (threshold noise 2 / epsilon, query
noise 4 / epsilon); the new instance begins in the round after the alarm (if it reads the loss of that round again,
as "t_i = t" says, privacy is worse); alpha is that of the paper, although it allows for T queries, not T^2 / 2.
"""

from itertools import product

import numpy as np


def log_cdf(x, b):
    """Return the logarithm of the distribution function of Laplace noise of scale b."""
    return np.where(x < 0, x / b - np.log(2), np.log1p(-0.5 * np.exp(-np.abs(x) / b)))


def sensitivity(N, rounds, one_expert):
    """Return the largest change of a window's regret between neighbours, over all binary tables and plays."""
    tables = np.array(list(product((0, 1), repeat=rounds * N))).reshape(-1, rounds, N)
    entries = np.abs(tables[:, None] - tables[None]).sum(axis=3)  # how many entries of each round differ
    near = (entries.astype(bool).sum(axis=2) == 1) & (entries.max(axis=2) <= (1 if one_expert else N))
    best = tables.sum(axis=1).min(axis=1)
    regret = [tables[:, range(rounds), J].sum(axis=1) - best for J in np.ndindex((N,) * rounds)]
    return max(np.abs(r[:, None] - r[None])[near].max() for r in regret)


def log_alarm(losses, J, T, epsilon, beta, noise, step=1):
    """Return the log-probability of no alarm before the last round and an alarm in it (lines 7 to 9)."""
    (k, N), logs = losses.shape, np.log(losses.shape[1] * T / beta)
    alpha = noise * 16 * (2 * np.log(T) + np.log(2 / beta)) / epsilon  # line 7
    total = np.vstack([np.zeros(N, dtype=np.int64), np.cumsum(losses[np.arange(k), J][:, None] - losses, axis=0)])
    regret = [(total[t] - total[:t]).max(axis=1) for t in range(1, k + 1)]  # line 8: windows that end at t
    rho, silent = np.arange(-80, 280 + k * epsilon / 8, step) * noise / epsilon, []  # threshold noise 4 / epsilon
    for windows in (range(1, k), range(k, k + 1)):
        pairs = np.concatenate([regret[t - 1] + 2 * T * np.arange(t - 1, -1, -1) for t in windows])
        code, count = np.unique(pairs, return_counts=True)
        w = (code + T // 2) // (2 * T)
        q = code - w * 2 * T - 16 * logs / epsilon - 9 * np.sqrt(w * logs) - alpha - 1  # line 8
        silent.append([(count * log_cdf(x - q, 8 * noise / epsilon)).sum() for x in rho])  # line 9, query noise
    density = np.log(step / 8) - np.abs(rho) * epsilon / (4 * noise)
    return np.logaddexp.reduce(density + silent[0] + np.log(-np.expm1(silent[1])))


def log_choice(S, j, epsilon):
    """Return the log-probability that Algorithm 1 with epsilon / 2 selects expert j from the whole sums S."""
    b = 4 / epsilon
    x = np.arange(-np.ptp(S) - 60 * np.ceil(b), 60 * np.ceil(b), 1 / 16)
    others = sum(log_cdf(S[i] - S[j] - x, b) for i in range(len(S)) if i != j)
    return np.logaddexp.reduce(others - np.abs(x) / b) - np.log(2 * b * 16)


def log_event(vector, k, s, T, epsilon, noise=1):
    """Return the log-probability of the event if round s has this loss vector."""
    block = np.log2(np.arange(1, k + 1)).astype(np.int64)  # Algorithm 1 selects anew in rounds 2, 4, 8, ...
    J, losses = np.where(block % 2 == 0, 1, 3), np.zeros((k, 4), dtype=np.int64)
    losses[np.arange(k), J] = 1  # who is played has loss 1, so every window's regret is large
    losses[s : s + 40, 2], losses[s : s + 20, 4 - J[s]], losses[k - 41 :, 0] = 1, 1, 1
    losses[s - 1], J[0] = vector, 0  # line 1 of Algorithm 1
    sums = [(2 * n - 1, losses[n - 1 : 2 * n - 1].sum(axis=0)) for n in 2 ** np.arange(block[-1])]
    return sum(log_choice(S, J[t], epsilon) for t, S in sums) + log_alarm(losses, J, T, epsilon, 1 / T, noise)


def bound(N, S, T, epsilon):
    """Return the bound on the dynamic regret at the end of the printed proof, with beta = 1/T."""
    logs, alpha = np.log(N * T * T), 16 * np.log(2 * T**3) / epsilon
    return 9 * np.sqrt(2 * S * T * logs) + 2 * S * (16 * logs / epsilon + 2 * alpha + 1)


def main(T=4096, k=2680, k_corrected=3500, s=600, epsilon=1.0):
    """Print the table and check what it shows."""
    whole, own = (sensitivity(3, 2, one) for one in (False, True))
    print(f"Sensitivity of a window query: {whole} (whole vector), {own} (one expert)")
    assert (whole, own) == (2, 1)
    before, rows = np.array([1, 0, 0, 0]), np.vstack([np.ones((1, 4)), np.eye(4)]).astype(np.int64)
    p = log_event(before, k, s, T, epsilon)  # before is the loss vector of round s; a neighbour has before ^ row
    whole, *own = (abs(p - log_event(before ^ row, k, s, T, epsilon)) / epsilon for row in rows)
    q, r = (log_event(v, k_corrected, s, T, epsilon, noise=2) for v in (before, before ^ 1))
    print(f"An event of probability 10^{p / np.log(10):.1f} has these privacy losses, in units of epsilon:")
    print(f"  as printed: {whole:.3f} (whole vector), {max(own):.3f} (one expert)")
    print(f"  with twice the noise, a similar event: {abs(q - r) / epsilon:.3f} (whole vector)")
    assert whole > 1.1 > 1 > max(*own, abs(q - r) / epsilon)  # the printed noise is the variant that fails
    first = next(n for n in 2 ** np.arange(10, 40, dtype=np.int64) if bound(2, 2, n, epsilon) < n / 2)
    print(f"Regret, 2 experts and 2 shifts: the bound in the proof is below T/2 from T = {first} on.")


if __name__ == "__main__":
    main()
