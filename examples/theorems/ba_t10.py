"""EXP4 on noisy batches is private where delta is not too near 1; its regret needs one more factor in gamma.

This is Theorem 10 of Asi, Raman & Talwar, *Faster Rates for Private Adversarial Bandits* (2025), for Algorithm
2; the proof (Appendix F.4) uses Lemmas 15 (advanced composition), 20 and 26. There are K actions and N experts,
whose advice is public.

Statement. For every epsilon and delta in (0, 1], with the eta, tau and gamma of ``tuning``, Algorithm 2 is
(epsilon, delta)-differentially private and has regret O(U + W), where ``tuning`` returns U and W. The proof ends
with 100 U + W.

What the page shows.
1. Privacy is computed for the noisy vector of one batch. One round moves each of its N entries by at most
   K/(gamma tau). It moves N - 1 of them by arbitrarily nearly that much if the weights sit on one expert who
   does not advise the action. So the delta that the vector needs lies between those of N - 1 and of N moved
   entries; both are computed by convolution, with privacy losses rounded down and up. What is known is this.
   Lemma 15 proves the statement for delta <= exp(-0.908 epsilon), exactly for log(1/delta) >= epsilon / (6 (1 -
   root(2/3))). Above, the upper number proves it wherever that number is at most delta. Very near 1 the vector
   needs more than delta. Whether the actions, which are all that Algorithm 2 publishes, then need more is open:
   no event of actions is known that violates privacy, so privacy is unproved there, not refuted. Noise without
   the root of N (broken) fails.
2. The chain of the proof is evaluated at small delta. With gamma as printed it exceeds 100 U + W. With (N
   log(1/delta))^(1/3) in the place of N^(1/3), as a later line of the proof has it, it stays below.
3. Regret is simulated one batch at a time (the counts of a batch are multinomial), at a T where the bound
   speaks: uniform play exceeds it. The page prints the upper end of Student's 99% interval.

The page does not show advice and losses that change. It rounds tau up, which the paper does not say.
"""

import math

import numpy as np


def tuning(T, K, N, eps, delta, printed=True):
    """Return eta, tau, gamma of Theorem 10, and U and W."""
    D, L, M = math.log(1 / delta), math.log(N * T), math.log(N)
    U = (N * D / eps**2) ** (1 / 6) * math.sqrt(K) * (L * M) ** (1 / 3) * T ** (2 / 3)
    eta = (N * D) ** (1 / 6) * (L * M) ** (1 / 3) / (T ** (1 / 3) * math.sqrt(K) * eps ** (1 / 3))
    tau = math.ceil((N * D) ** (1 / 3) * L ** (2 / 3) * T ** (1 / 3) / (eps ** (2 / 3) * M ** (1 / 3)))
    first = (eta * N * (1 if printed else D)) ** (1 / 3) * (K * L / (eps * tau)) ** (2 / 3)
    gamma = max(first, 12 * eta * K * math.sqrt(N * D) * L / (eps * tau))
    return eta, tau, gamma, U, math.sqrt(N * D) * L * M / eps


def chain(T, K, N, eps, delta, printed):
    """Return the sum in the proof before gamma is chosen, over 100 U + W."""
    eta, tau, gamma, U, W = tuning(T, K, N, eps, delta, printed)
    noise = 90 * eta * T * N * K**2 * math.log(1 / delta) * (math.log(N * T) / (eps * gamma * tau)) ** 2
    return (3 * tau * math.log(N) / eta + gamma * T + eta * T * K + noise) / (100 * U + W)


def vector_delta(eps, one, entries, up, cells=200):
    """Return the delta of ``entries`` Laplace entries, each moved by ``one`` scales; losses rounded up or down."""
    steps = (
        np.arange(-cells, cells + 1) * one / cells
    )  # privacy loss of one entry: atoms at both ends, and between
    inside = np.diff(np.exp((steps - one) / 2)) / 2
    p = np.concatenate(([math.exp(-one) / 2], np.zeros(2 * cells - 1), [0.5]))
    p[1:] += up * inside
    p[:-1] += (1 - up) * inside
    total = np.ones(1)
    for _ in range(entries):
        total = np.convolve(total, p)
    loss = (np.arange(total.size) - entries * cells) * one / cells
    return float((total * np.maximum(0.0, -np.expm1(eps - loss))).sum())


def exp4(T, mu, loss, eps, delta, runs, rng):
    """Return the expected regret, per run, of Algorithm 2 with constant advice mu (N x K) and losses."""
    (N, K), (eta, tau, gamma, _, _) = mu.shape, tuning(T, mu.shape[1], len(mu), eps, delta, printed=False)
    S, paid = np.zeros((runs, N)), np.zeros(runs)
    for _ in range(T // tau):
        P = np.exp(-eta * (S - S.min(axis=1, keepdims=True)))
        Q = (1 - gamma) * (P / P.sum(axis=1, keepdims=True)) @ mu + gamma / K  # lines 7 and 9
        counts = rng.multinomial(tau, Q / Q.sum(axis=1, keepdims=True))  # line 10, tau times
        S += (counts / tau * loss / Q) @ mu.T  # lines 11 and 14
        S += rng.laplace(0, 3 * K * math.sqrt(N * math.log(1 / delta)) / (gamma * tau * eps), (runs, N))
        paid += tau * Q @ loss
    return paid - tau * (T // tau) * (mu @ loss).min()


def main(T=6 * 10**8, runs=10, eps=1.0, delta=0.4, N=2, seed=0):
    """Print the delta that the noisy vector needs, the chain of the proof, and a simulated regret."""
    for d in (0.01, 0.4, 0.9, 0.99, 0.99999):
        one = eps / (3 * math.sqrt(N * math.log(1 / d)))
        low, high = vector_delta(eps, one, N - 1, False), vector_delta(eps, one, N, True)
        print(f"declared delta {d:<8} the noisy vector needs between {low:.7f} and {high:.7f}")
        assert high <= d if d < 0.999 else low > d
    broken = vector_delta(eps, eps / (3 * math.sqrt(math.log(100))), 99, False)
    print(f"100 experts, declared delta 0.01, noise without root N (broken): at least {broken:.6f}")
    printed, corrected = (chain(1e15, 2, N, eps, 1e-12, p) for p in (True, False))
    print(f"chain over 100 U + W, delta 1e-12: {printed:.3f} as printed, {corrected:.3f} corrected")
    regret = exp4(T, np.eye(N), np.arange(N) / (N - 1), eps, delta, runs, np.random.default_rng(seed))
    # Student, 10 runs
    upper, U, W = regret.mean() + 3.25 * regret.std(ddof=1) / math.sqrt(runs), *tuning(T, N, N, eps, delta)[3:]
    print(f"{T:,} rounds: regret {upper:.3g} (99% interval), bound {100 * U + W:.3g}, uniform play {T / 2:.3g}")
    assert broken > 0.01
    assert printed > 1 >= corrected
    assert upper <= 100 * U + W
    assert T < 6 * 10**8 or T / 2 > 100 * U + W  # uniform play fails, from about 500 million rounds on


if __name__ == "__main__":
    main()
