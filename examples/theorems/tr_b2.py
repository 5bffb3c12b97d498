"""Theorem B.2 of Asi, Raman and Saha, Tracking the Best Expert Privately (2025), appendix B, Algorithm 3.

Statement: for a fixed sequence of losses, Algorithm 3 with any epsilon, eta > 0 is epsilon-differentially private,
and its expected dynamic regret is O(eta T log^2(NT) / epsilon^2 + S log(NT) / eta + S log(NT) / epsilon).

The page shows four things.
(1) Privacy as printed fails if neighbours differ in a whole loss vector: line 6 adds Laplace noise of scale
    1 / epsilon to N losses, whose vector has L1 sensitivity N. The distribution of J_2 is exact for large eta.
    Noise of scale N / epsilon is enough; so is the printed noise if neighbours differ in one expert's loss.
(2) A step of the printed proof fails: <w_t - w_{t+1}, noisy loss> may exceed 10 eta log^2(NT) / epsilon^2 although
    the event F does not happen; with 16 for 10 the step is right (epsilon < 0.8 log(NT)), and the O(.) stands.
(3) A corrected bound without F, proved in the docstring of `bound`, holds in runs with a stated confidence limit.
(4) A control without clipping (line 7) breaks that bound.

The page does not show the regret with noise of scale N / epsilon (put epsilon / N for epsilon). Readings: S is at
least 1, since line 7 clips at S / (NT); the comparator is each round's best expert, which changes S times.
"""

import numpy as np


def choice(losses, scale):
    """Return the exact probability that each expert has the least noisy loss (whole losses, Laplace noise)."""
    edges = np.arange(-np.ceil(40 * scale), np.ceil(40 * scale) + 1)
    node, weight = np.polynomial.legendre.leggauss(8)
    x = edges[:-1, None] + (node + 1) / 2
    y = x + (losses[:, None] - losses)[..., None, None]  # the integrand is smooth between the edges
    above = np.where(y > 0, np.exp(-np.abs(y) / scale), 2 - np.exp(-np.abs(y) / scale)) / 2
    above[np.eye(len(losses), dtype=bool)] = 1
    return (above.prod(axis=1) * weight * np.exp(-np.abs(x) / scale)).sum(axis=(1, 2)) / (4 * scale)


def worst_loss(N, T, S, scale, one_expert):
    """Return the worst privacy loss of J_2 over all binary loss vectors of round 1, for eta to infinity."""
    vectors = np.indices((2,) * N).reshape(N, -1).T
    floor = S / (N * T)  # line 7 clips to weights of at least S / (NT): the best expert has the rest
    logP = np.log([floor + (1 - N * floor) * choice(v, scale) for v in vectors])
    near = np.abs(vectors[:, None] - vectors[None]).sum(axis=2) <= (1 if one_expert else N)
    return np.abs(logP[:, None] - logP[None])[near].max()


def update(w, noisy, eta, floor):
    """Return w_{t+1}, the minimiser of <w, eta noisy> + D(w, w_t) over weights of at least floor (line 7)."""
    v = w * np.exp(-eta * (noisy - noisy.min(axis=-1, keepdims=True)))
    u = np.sort(v, axis=-1)[..., ::-1]  # the k largest are scaled to what the others' floors leave
    scale = (1 - floor * np.arange(w.shape[-1] - 1, -1, -1)) / np.cumsum(u, axis=-1)
    k = (u * scale >= floor).sum(axis=-1, keepdims=True)
    return np.maximum(np.take_along_axis(scale, k - 1, axis=-1) * v, floor)


def printed_bound(N, S, T, epsilon, eta, step=10):
    """Return the bound at the end of the printed proof; step is 10 as printed and 16 as its own bounds give."""
    L = np.log(N * T)
    return 2 * S * L / eta + step * eta * T * (L / epsilon) ** 2 + 4 * S * L / epsilon + 1


def bound(N, S, T, epsilon, eta):
    """Return the corrected bound (S + 1) log(NT/S) / eta + eta T E max (1 + |Z|)^2 + S.

    The printed proof without its event F: <w_t - w_{t+1}, noisy> <= eta max noisy^2 holds always, and in the mean
    max |Z| is H_N / epsilon and its square (H_N^2 + sum of 1/i^2) / epsilon^2; the clipped comparator costs S / T
    per round, since the noise has mean 0; each of S + 1 intervals telescopes to log(NT/S) / eta.
    """
    i = np.arange(1, N + 1)
    second_moment = (1 + np.sum(1 / i) / epsilon) ** 2 + np.sum(1 / i**2) / epsilon**2
    return (S + 1) * np.log(N * T / S) / eta + eta * T * second_moment + S


def regret(losses, S, epsilon, eta, runs, rng, clip=True):
    """Return each run's regret of Algorithm 3, in the mean over J_t (line 4), against every round's best."""
    T, N = losses.shape
    w, total = np.full((runs, N), 1 / N), np.zeros(runs)  # line 2
    for row in losses:
        total += w @ row - row.min()
        w = update(w, row + rng.laplace(scale=1 / epsilon, size=(runs, N)), eta, clip * S / (N * T))  # lines 6, 7
    return total


def proof_step(N, T, S, epsilon, eta=1e-6):
    """Return <w_t - w_{t+1}, noisy loss> / (eta log^2(NT) / epsilon^2) for a noise just outside of the event F."""
    z, w = np.sqrt(10) * np.log(N * T) / epsilon, np.full(N, 1 / N)
    noisy = np.where(np.arange(N) < N / 2, 1 + z, -z)
    return 10 * (w - update(w, noisy, eta, S / (N * T))) @ noisy / eta / z**2


def main(T=20_000, S=1, epsilon=1.0, runs=250, seed=1):
    """Print the table and check what it shows; a smaller T needs more runs (see the confidence limit)."""
    print("Worst privacy loss of J_2 for large eta, 3 experts, T = 50, in units of epsilon:")
    cases = ((1, False), (1, True), (3, False))
    whole, own, corrected = (worst_loss(3, 50, 1, b / epsilon, one) / epsilon for b, one in cases)
    print(f"  noise of scale 1 / epsilon: {whole:.3f} (whole vector), {own:.3f} (one expert)")
    print(f"  noise of scale 3 / epsilon: {corrected:.3f} (whole vector)")
    assert max(own, corrected) <= 1 < whole
    step = proof_step(2, T, S, epsilon)
    print(f"Proof, printed bound 10 on <w_t - w_(t+1), noisy loss> epsilon^2 / (eta log^2(NT)): it is {step:.2f}")
    assert 10 < step <= 16
    eta = np.sqrt(2 * np.log(2 * T) / T) / (1 + 2 / epsilon)
    losses = (np.arange(T)[:, None] * (S + 1) // T + np.arange(2)) % 2.0  # the best expert changes S times
    limit = bound(2, S, T, epsilon, eta)
    print(f"Regret, T = {T}: printed proof {printed_bound(2, S, T, epsilon, eta):.0f}, corrected {limit:.0f}")
    mean = regret(losses, S, epsilon, eta, runs, np.random.default_rng(seed)).mean()
    broken = regret(losses, S, epsilon, eta, 5, np.random.default_rng(seed), clip=False).mean()
    upper = mean + T * np.sqrt(np.log(100) / (2 * runs))  # Hoeffding's inequality, 99% confidence
    print(f"  mean of {runs} runs {mean:.0f}, upper confidence limit {upper:.0f}; without clipping {broken:.0f}")
    assert upper <= limit < broken


if __name__ == "__main__":
    main()
