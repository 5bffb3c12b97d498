"""The statements at one point of their ranges: exact, in milliseconds.

Losses are fixed, or bits: of two actions, one of them better by the gap, or opposite bits in every round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import stats

from replicate import audit, mechanisms
from replicate.budget import cache
from replicate.claims import EXACT, Evidence
from replicate.learners import dyadic
from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader import algorithms, bounds, lemmas
from replicate.papers.noisy_leader.experiments import deterministic
from replicate.validation import FloatArray

LONGEST = 2**7
"""Rounds of bits that a selection reads at most; the regret on bits is followed for twice as long."""


@cache
def wrong_of_bits(gap: float, noise: str, epsilon: float, losses: str) -> FloatArray:
    """Probabilities of selecting the worse of two actions after 1, ..., `LONGEST` rounds, exact.

    Bits with means (1 - gap) / 2 and (1 + gap) / 2, ``"independent"`` or ``"opposite"``.
    """
    low, high = (1 - gap) / 2, (1 + gap) / 2
    steps = dyadic.difference_law(low, high) if losses == "independent" else np.array([low, 0.0, high])
    scale = algorithms.noise_scale(noise, epsilon=epsilon)
    return lemmas.wrong_of_two(steps, most_rounds=LONGEST, noise=noise, scale=scale)


def _fixed(n_actions: int, gap: float, epsilon: float, horizon: int, noise: str) -> float:
    """Exact regret on fixed losses, all gaps alike, without resampling."""
    scale = algorithms.noise_scale(noise, epsilon=epsilon)
    delta, counts = np.array([0.0, gap]), np.array([1, n_actions - 1])
    return float(algorithms.grouped_regret(delta, counts, noise=noise, scale=scale, horizon=horizon)[1][-1])


def _bits(gap: float, epsilon: float, horizon: int, noise: str, losses: str) -> float:
    """Exact regret of two actions on bits, of the first 255 rounds at most."""
    starts, stops = dyadic.blocks(min(horizon, 2 * LONGEST - 1))
    wrong = wrong_of_bits(gap, noise, epsilon, losses)[2 ** np.arange(len(starts) - 1) - 1]
    return float(gap * (np.r_[0.5, wrong] @ (stops - starts)))


def _upper(
    limit: Callable[[str], float],
    *,
    n_actions: int,
    gap: float,
    epsilon: float,
    horizon: int,
    learner: str,
    noises: tuple[str, ...],
    resample: bool,
) -> Evidence:
    """Regret with each noise, or that of uniform play, against its limit; resampled losses are bits."""
    uniform = horizon * gap * (1 - 1 / n_actions)

    def regrets(noise: str) -> Iterator[tuple[str, float]]:
        if gap == 1 or not resample:
            yield "fixed", _fixed(n_actions, gap, epsilon, horizon, noise)
        yield "independent", _bits(gap, epsilon, horizon, noise, "independent")

    return Evidence.worst(
        Evidence(
            measured=uniform if learner == "uniform play" else regret,
            limit=limit(noise),
            uniform=uniform,
            detail=f"Exact regret with {noise} noise on {losses} losses.",
        )
        for noise in noises
        for losses, regret in regrets(noise)
    )


def _theorem_2(
    n_actions: int, gap: float, epsilon: float, horizon: int, noises: tuple[str, ...], learner: str
) -> Evidence:
    def limit(noise: str) -> float:
        return bounds.theorem_2(n_actions=n_actions, gap=gap, epsilon=epsilon, noise=noise)

    setting: dict[str, Any] = {"n_actions": n_actions, "gap": gap, "epsilon": epsilon, "horizon": horizon}
    return _upper(limit, **setting, noises=noises, learner=learner, resample=True)


def optimal_rate(
    n_actions: int, gap: float, epsilon: float, horizon: int, *, learner: str = "noisy leader"
) -> Evidence:
    """NL-F7: independent losses, not resampled: fixed ones, and independent bits."""

    def limit(noise: str) -> float:
        return bounds.optimal_rate(n_actions=n_actions, gap=gap, epsilon=epsilon, noise=noise)

    setting: dict[str, Any] = {"n_actions": n_actions, "gap": gap, "epsilon": epsilon, "horizon": horizon}
    return _upper(limit, **setting, noises=NOISES, learner=learner, resample=False)


def any_losses(
    n_actions: int, gap: float, epsilon: float, horizon: int, *, learner: str = "noisy leader"
) -> Evidence:
    """NL-F6: fixed losses, and opposite bits."""
    uniform, cases = horizon * gap * (1 - 1 / n_actions), []
    for noise in NOISES:
        limit = bounds.optimal_rate(n_actions=n_actions, gap=gap, epsilon=epsilon, noise=noise, losses="any")
        regrets = {
            "fixed": _fixed(n_actions, gap, epsilon, horizon, noise),
            "opposite": _bits(gap, epsilon, horizon, noise, "opposite"),
        }
        for kind, regret in regrets.items():
            value, detail = uniform if learner == "uniform play" else regret, f"{noise} noise on {kind} losses."
            cases.append(Evidence(measured=value, limit=limit, uniform=uniform, detail=detail))
    return Evidence.worst(cases)


def tilt(q: float, h: float, *, direction: str = "forward") -> Evidence:
    """NL-F14 at one place of the densities, scale 1."""
    laws = {"gumbel": stats.gumbel_r, "exponential": stats.expon, "laplace": stats.laplace}
    moved = q + h if direction == "backward" else q - h
    return Evidence.worst(
        Evidence(measured=float(law.pdf(moved)), limit=math.exp(h) * float(law.pdf(q)) + 1e-12, detail=noise)
        for noise, law in laws.items()
    )


def theorem_1(
    n_actions: int, gap: float, epsilon: float, horizon: int, *, learner: str = "noisy leader"
) -> Evidence:
    """Theorem 1 with our constants, Laplace noise, B = 0."""
    setting: dict[str, Any] = {"n_actions": n_actions, "gap": gap, "epsilon": epsilon, "horizon": horizon}
    limit = bounds.theorem_1(**setting)
    return _upper(lambda noise: limit, **setting, noises=("laplace",), learner=learner, resample=False)


def theorem_2(
    n_actions: int, gap: float, epsilon: float, horizon: int, *, learner: str = "noisy leader"
) -> Evidence:
    """Theorem 2 with our constants, Laplace noise, B = 1."""
    return _theorem_2(n_actions, gap, epsilon, horizon, ("laplace",), learner)


def corollary_1(
    n_actions: int, gap: float, epsilon: float, horizon: int, *, learner: str = "noisy leader"
) -> Evidence:
    """Corollary 1 with our constants, B = 1."""
    return _theorem_2(n_actions, gap, epsilon, horizon, ("gumbel", "exponential"), learner)


def corollary_2(
    n_actions: int, gap: float, epsilon: float, horizon: int, *, learner: str = "noisy leader"
) -> Evidence:
    """Corollary 2 with our constants, B = 1."""

    def limit(noise: str) -> float:
        return bounds.corollary_2(n_actions=n_actions, epsilon=epsilon, horizon=horizon, noise=noise)

    setting: dict[str, Any] = {"n_actions": n_actions, "gap": gap, "epsilon": epsilon, "horizon": horizon}
    return _upper(limit, **setting, noises=NOISES, learner=learner, resample=True)


def _fixed_losses(
    limit: Callable[[str], float],
    n_actions: int,
    gap: float,
    epsilon: float,
    horizon: int,
    noises: tuple[str, ...],
) -> Evidence:
    """Exact regret on fixed losses with each noise against its limit."""
    return Evidence.worst(
        Evidence(
            measured=_fixed(n_actions, gap, epsilon, horizon, noise),
            limit=limit(noise),
            detail=f"Exact regret with {noise} noise.",
        )
        for noise in noises
    )


def corollary_3(n_actions: int, gap: float, epsilon: float, horizon: int) -> Evidence:
    """Corollary 3, 1 more for round 1, B = 0."""

    def limit(noise: str) -> float:
        return bounds.corollary_3(n_actions=n_actions, epsilon=epsilon, noise=noise)

    return _fixed_losses(limit, n_actions, gap, epsilon, horizon, NOISES)


def theorem_4(n_actions: int, gap: float, epsilon: float, horizon: int) -> Evidence:
    """Theorem 4 with our constants, B = 0."""
    bound = bounds.theorem_4(n_actions=n_actions, epsilon=epsilon)
    return _fixed_losses(lambda noise: bound, n_actions, gap, epsilon, horizon, ("gumbel", "exponential"))


def potential(n_actions: int, gap: float, epsilon: float, horizon: int) -> Evidence:
    """1 + 4 (E max Q - E Q), B = 0."""

    def limit(noise: str) -> float:
        return bounds.potential(n_actions=n_actions, noise=noise, scale=2 / epsilon)

    return _fixed_losses(limit, n_actions, gap, epsilon, horizon, NOISES)


# Lower bounds


def _lower(
    n_actions: int, epsilon: float, horizon: int, learners: tuple[str, ...], limits: tuple[float, ...]
) -> Evidence:
    """Exact regrets on Theorem 3's instances against the last limit, which is at least each of the others."""
    cases = [Evidence(measured=limits[-1], limit=limit * (1 - EXACT), relation=">=") for limit in limits[:-1]]
    for name in learners:
        regret = deterministic.lower_bound_regret(name, n_actions=n_actions, epsilon=epsilon, horizon=horizon)
        limit = limits[-1] * (1 - EXACT)
        cases.append(Evidence(measured=regret, limit=limit, relation=">=", detail=f"Exact regret of {name}."))
    return Evidence.worst(cases)


def theorem_3(
    n_actions: int, epsilon: float, horizon: int, *, learners: tuple[str, ...] = (*NOISES, "prefix_softmax")
) -> Evidence:
    """Theorem 3 as printed."""
    limit = bounds.theorem_3(n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    return _lower(n_actions, epsilon, horizon, learners, (limit,))


def theorem_3_integral(
    n_actions: int, epsilon: float, horizon: int, *, learners: tuple[str, ...] = (*NOISES, "prefix_softmax")
) -> Evidence:
    """Theorem 3 with t - 1 for t, larger than as printed."""
    setting: dict[str, Any] = {"n_actions": n_actions, "epsilon": epsilon, "horizon": horizon}
    limits = bounds.theorem_3(**setting), bounds.theorem_3_integral(**setting)
    return _lower(n_actions, epsilon, horizon, learners, limits)


def theorem_3_sum(n_actions: int, epsilon: float, horizon: int) -> Evidence:
    """Theorem 3 as a sum over rounds, larger than the other two."""
    setting: dict[str, Any] = {"n_actions": n_actions, "epsilon": epsilon, "horizon": horizon}
    limits = bounds.theorem_3(**setting), bounds.theorem_3_integral(**setting), bounds.theorem_3_sum(**setting)
    return _lower(n_actions, epsilon, horizon, (*NOISES, "prefix_softmax"), limits)


def order_of_theorem_3(n_actions: int, epsilon: float, horizon: int) -> Evidence:
    """The order log2(4/3) log K / epsilon, from T = log K / epsilon on: below our form, and below regrets."""
    limit = math.log2(4 / 3) * math.log(n_actions) / epsilon
    known = bounds.theorem_3_integral(n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    return Evidence.worst(
        [
            Evidence(
                measured=known, limit=limit * (1 - EXACT), relation=">=", detail="The bound in its closed form."
            ),
            _lower(n_actions, epsilon, horizon, NOISES, (limit,)),
        ]
    )


# Privacy


def privacy(n_actions: int, epsilon: float, n_rounds: int, *, divisor: float = 1) -> Evidence:
    """Exact worst loss of a selection from so many rounds of losses, noise divided by `divisor`."""
    return Evidence.worst(
        Evidence(
            measured=audit.report_noisy_max_privacy_loss(
                n_actions,
                noise=noise,
                scale=algorithms.noise_scale(noise, epsilon=epsilon) / divisor,
                n_rounds=n_rounds,
            ),
            limit=epsilon * (1 + EXACT),
            detail=f"Exact loss with {noise} noise.",
        )
        for noise in NOISES
    )


def exponential_loss(epsilon: float, *, calibration: str = "printed") -> Evidence:
    """Exact loss of exponential noise on two rounds of two actions: as printed it exceeds epsilon."""
    scale = algorithms.noise_scale("exponential", epsilon=epsilon, calibration=calibration)
    loss = audit.report_noisy_max_privacy_loss(2, noise="exponential", scale=scale, n_rounds=2)
    return Evidence(measured=loss, limit=epsilon * (1 + 1e-6), relation=">=", detail="Exact loss, two rounds.")


# Tails and lemmas


def equation_9(n_actions: int, gap: float, epsilon: float, rounds: int) -> Evidence:
    """(9) on fixed losses, all gaps alike, after an epoch of so many rounds, a power of two."""
    epoch = rounds.bit_length()
    scores = np.where(np.arange(n_actions) > 0, -rounds * gap, 0.0)
    return Evidence.worst(
        Evidence(
            measured=float(
                mechanisms.report_noisy_max_pmf(
                    scores, noise=noise, scale=algorithms.noise_scale(noise, epsilon=epsilon)
                )[1]
            ),
            limit=float(bounds.equation_9(epoch, gap, epsilon=epsilon, noise=noise)) * (1 + EXACT) + 1e-250,
            detail=f"Exact P(J = 2) with {noise} noise.",
        )
        for noise in NOISES
    )


def _tail(
    gap: float, epsilon: float, rounds: int, noises: tuple[str, ...], constants: Any, losses: str
) -> Evidence:
    """P(the worse of two) from bits against c1 exp(-4 n gap min(gap, epsilon) / c2)."""
    cases = []
    for noise in noises:
        c1, c2 = constants(noise)
        limit = c1 * math.exp(-4 * rounds * gap * min(gap, epsilon) / c2)
        wrong = float(wrong_of_bits(gap, noise, epsilon, losses)[rounds - 1])
        detail = f"Exact P(J = 2) with {noise} noise on {losses} bits."
        cases.append(Evidence(measured=wrong, limit=limit * (1 + EXACT) + 1e-250, detail=detail))
    return Evidence.worst(cases)


def tail_of_laplace(gap: float, epsilon: float, rounds: int) -> Evidence:
    """(4): Laplace noise, independent actions."""
    return _tail(gap, epsilon, rounds, ("laplace",), bounds.tail_constants, "independent")


def tail_of_others(gap: float, epsilon: float, rounds: int) -> Evidence:
    """(7): Gumbel and exponential noise, independent actions."""
    return _tail(gap, epsilon, rounds, ("gumbel", "exponential"), bounds.tail_constants, "independent")


def tail_of_any_losses(gap: float, epsilon: float, rounds: int) -> Evidence:
    """(7) with constants for any joint law of a round's losses, on opposite bits."""
    return _tail(gap, epsilon, rounds, NOISES, bounds.tail_constants_of_any_losses, "opposite")


def dominance(n_actions: int, deficit: float, *, scale: float = 1.0) -> Evidence:
    """Expected deficit of exponential noise of `scale` against that of Gumbel noise, all deficits alike."""
    sums = np.where(np.arange(n_actions) > 0, deficit, 0.0)
    flip, softmax = (
        float(mechanisms.report_noisy_max_pmf(-sums, noise=noise, scale=b) @ sums)
        for noise, b in (("exponential", scale), ("gumbel", 1.0))
    )
    return Evidence(measured=flip, limit=softmax * (1 + EXACT), detail="Expected deficits.")


def _vector(n_actions: int, entry: float, least: float = 0.0) -> FloatArray:
    """A vector a of one least entry and others."""
    return np.where(np.arange(n_actions) > 0, entry, least)


def _slope(a: FloatArray, x: float) -> tuple[float, float]:
    """f(x) and its derivative, by a complex step."""
    value, moved = (lemmas.smooth_sum(np.array([at]), a)[0] for at in (x, x + 1e-30j))
    return float(np.real(value)), float(np.imag(moved)) / 1e-30


def lemma_2(n_actions: int, entry: float, x: float, *, constant: float = math.log(2)) -> Evidence:
    """f'(x) <= log 2 f(x), entries 0 and a."""
    value, slope = _slope(_vector(n_actions, entry), x)
    return Evidence(measured=slope, limit=constant * value * (1 + EXACT), detail="f' against log 2 f.")


def lemma_2_negative(n_actions: int, entry: float, x: float, *, constant: float = math.log(2)) -> Evidence:
    """f'(x) <= log 2 f(x), entries -a and a, or -a and 0."""
    cases = []
    for other in (0.0, entry):
        value, slope = _slope(_vector(n_actions, other, -entry), x)
        limit = constant * value + EXACT * abs(value)
        cases.append(Evidence(measured=slope, limit=limit, detail="f' against log 2 f."))
    return Evidence.worst(cases)


def lemma_3(n_actions: int, entry: float) -> Evidence:
    """Sum of f(r) against (1 + log 2) times the integral."""
    a = _vector(n_actions, entry)
    limit = float(bounds.lemma_3(lemmas.lemma_integral(a)))
    return Evidence(measured=lemmas.lemma_sum(a), limit=limit, detail="Sum against integral.")


def lemma_3_integral(n_actions: int, entry: float, *, form: str = "corrected") -> Evidence:
    """The integral of f by quadrature, from its closed form; printed is 2 log K / log 2."""
    a = _vector(n_actions, entry)
    value = 2 * math.log(n_actions) if form == "printed" else math.log(np.exp(-a).sum())
    distance = abs(lemmas.lemma_integral(a) - value / math.log(2))
    return Evidence(measured=distance, limit=1e-6, detail="Distance of the integral from its value.")


def lemma_1(low: float, middle: float, high: float, rounds: int) -> Evidence:
    """P(J = j) falls in j: three independent actions with these means, sorted, exact."""
    means, cases = np.sort([low, middle, high]), []
    for noise in NOISES:
        for scale in (0.1, 2.0, 200.0):
            law = lemmas.selection_law(means, rounds=rounds, noise=noise, scale=scale)
            for j in (1, 2):
                limit = float(law[j - 1]) * (1 + EXACT) + 1e-15
                cases.append(Evidence(measured=float(law[j]), limit=limit, detail=f"{noise}, scale {scale}."))
    return Evidence.worst(cases)


def lemma_4(rounds: int, p: float) -> Evidence:
    """F(k; n, p') - F(k; n, p) for p' above p, every k."""
    law = lemmas.binomial_cdf(rounds, [p, p + (1 - p) / 1000, (1 + p) / 2, 1.0])
    return Evidence(measured=float(np.diff(law, axis=0).max()), limit=1e-12, detail="Largest rise.")


def two_actions(low: float, gap: float, scale: float) -> Evidence:
    """P(the worse of two is selected) from n + 1 rounds over that from n, independent bits, n up to 60."""
    cases = []
    for noise in (*NOISES, "threshold"):
        steps = dyadic.difference_law(low, low + gap)
        wrong = lemmas.wrong_of_two(steps, most_rounds=60, noise=noise, scale=scale)
        limits = wrong[:-1] * (1 + EXACT) + 1e-14
        worst = int((wrong[1:] / limits).argmax())
        detail = f"{noise}, from {worst + 1} rounds to one more."
        cases.append(Evidence(measured=float(wrong[worst + 1]), limit=float(limits[worst]), detail=detail))
    return Evidence.worst(cases)


def gumbel_law(epsilon: float, deficit: float, *, rate: float = 0.5) -> Evidence:
    """Distance of the softmax of epsilon G / 2 from what Gumbel noise of scale 2 / epsilon selects."""
    law = mechanisms.report_noisy_max_pmf([0.0, -deficit], noise="gumbel", scale=2 / epsilon)
    stated = 1 / (1 + math.exp(min(rate * epsilon * deficit, 700)))
    return Evidence(measured=abs(float(law[1]) - stated), limit=1e-9, detail="P(second of two actions).")


def better_than_theorem_1(n_actions: int, gap: float, epsilon: float, *, exponent: float = 1.0) -> Evidence:
    """Rate of Theorem 2 against that of Theorem 1 at T = K**exponent, without constants."""
    log_k = math.log(n_actions)
    first, second = (log_k / gap + factor * log_k**2 / epsilon for factor in (exponent, 1.0))
    return Evidence(measured=second, limit=first * (1 + EXACT), detail="T = K to a power.")


def epoch_count(horizon: int, *, form: str = "corrected") -> Evidence:
    """Rounds before the last epoch, and after it, against T."""
    epochs = max(horizon - 2, 0).bit_length() + 1 if form == "printed" else horizon.bit_length()
    return Evidence.worst(
        [
            Evidence(measured=float(2**epochs - 1), limit=float(horizon), relation=">=", detail="Rounds in all."),
            Evidence(measured=float(2 ** (epochs - 1)), limit=float(horizon), detail="First of the last epoch."),
        ]
    )


def below_theorem_4(n_actions: int, epsilon: float) -> Evidence:
    """Regret of one round at gap 1 over log K / epsilon, which it exceeds from epsilon = 2 log K on."""
    return Evidence(
        measured=1 - 1 / n_actions, limit=math.log(n_actions) / epsilon, relation=">=", detail="Round 1 alone."
    )
