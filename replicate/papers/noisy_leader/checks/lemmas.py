"""Checks of the lemmas, of the tails and of privacy, by exact computation and by what sampled actions certify.

Some ask a statement of `corners` at more points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np

from replicate import audit, certify, mechanisms
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, grid, over, worst
from replicate.papers.noisy_leader import algorithms, bounds, lemmas, privacy
from replicate.papers.noisy_leader.checks import corners
from replicate.papers.noisy_leader.instances import DEPENDENT_CHANCES, DEPENDENT_OUTCOMES
from replicate.papers.noisy_leader.lemmas import selection_law
from replicate.streams import stream
from replicate.validation import FloatArray

tilt = over(corners.tilt, {"q": np.linspace(-40, 40, 3201)[:, None], "h": np.linspace(0, 20, 401)})
lemma_4 = over(corners.lemma_4, *grid(rounds=(1, 2, 7, 64, 500), p=[np.linspace(0, 1, 101)]))
better_than_theorem_1 = over(
    corners.better_than_theorem_1,
    *grid(n_actions=[2**power for power in range(1, 21)], gap=(0.001, 0.1, 1.0), epsilon=(0.001, 0.1, 1.0)),
)
exponential_loss = over(corners.exponential_loss, {"epsilon": 1.0})

Relation = Literal["<=", ">="]
"""``"<="``: the statement holds everywhere; ``">="``: it fails somewhere."""


def equation_7(
    profile: str, seed: int, *, noises: tuple[str, ...], c2: float | Literal["derived"], constant: float = 1.0,
    relation: Relation = "<=",
) -> Evidence:  # fmt: skip
    """Exact P(J_r = 2) over `constant` times (7), two independent actions, up to 2**9 or 2**11 rounds.

    The constant is a factor of c1.
    """
    at = partial(corners.tail, noises, "independent", c2=None if c2 == "derived" else c2, constant=constant)
    epochs = 10 if profile == "quick" else 12
    points = product((0.1, 0.3, 0.6, 1.0), (0.1, 0.5, 2.0), 2 ** np.arange(epochs))
    return _somewhere((at(gap, epsilon, int(n)) for gap, epsilon, n in points), relation)


@worst
def tail_of_any_losses(profile: str, seed: int, *, losses: str, constant: float = 1.0) -> Iterator[Evidence]:
    """Exact P(J_r = 2) over `constant` times (7) with constants for any joint distribution, two actions.

    Losses are those of `corners.wrong_after`.
    """
    rounds = 2 ** np.arange(9 if profile == "quick" else 11)
    for gap, epsilon, n in product((0.05, 0.3, 0.6, 1.0), (0.1, 0.5, 2.0), rounds):
        yield corners.tail(mechanisms.NOISES, losses, gap, epsilon, int(n), any_losses=True, constant=constant)


def _somewhere(cases: Iterable[Evidence], relation: Relation) -> Evidence:
    """Return the worst piece: against its limit everywhere, or as one place where the statement fails."""
    worst = Evidence.worst(cases)
    return worst if relation == "<=" else replace(worst, relation=relation, pieces=())


def equation_9(
    profile: str, seed: int, *, resample: bool, constant: float = 1.0, relation: Relation = "<="
) -> Evidence:
    """Largest exact P(J_r = j) over `constant` times (9), deterministic losses; two actions, gap 0.05 if B = 1."""
    cases, rng = [], stream(seed, "noisy_leader/equation_9")
    vectors = [np.append(0, np.sort(rng.random(k))) for k in (1, 3, 15, 63)]
    gaps = [np.array([0.0, 0.05])] if resample else vectors
    for noise, delta, epoch in product(mechanisms.NOISES, gaps, range(1, 11)):
        scale, n = algorithms.noise_scale(noise, epsilon=1.0), 2 ** (epoch - 1)
        if resample:
            law = selection_law(0.5 + delta, rounds=n, noise=noise, scale=scale)
        else:
            law = mechanisms.report_noisy_max_pmf(-n * delta, noise=noise, scale=scale)
        limit = bounds.equation_9(epoch, delta, epsilon=1.0, noise=noise)
        ratio = (law / np.maximum(limit, 1e-200))[1:].max()
        detail = f"Closest: {noise}, K={len(delta)}, r={epoch}."
        cases.append(at_most(float(ratio), constant * (1 + EXACT), detail))
    return _somewhere(cases, relation)


@worst
def lemma_1(profile: str, seed: int, *, actions: str) -> Iterator[Evidence]:
    """Largest P(J = j+1) / P(J = j) and j P(J = j), actions sorted by mean; exact distributions.

    With ``"independent"`` actions, binomial sums; with ``"dependent"`` ones, one round of `DEPENDENT_OUTCOMES`,
    whose third action has the largest mean.
    """
    for law, detail in _laws(profile, seed, actions):
        yield from corners.falling(law, detail)


def _laws(profile: str, seed: int, actions: str) -> Iterator[tuple[FloatArray, str]]:
    """Laws of a selection from Bernoulli losses of 2 to 4 actions, or from dependent ones, with descriptions."""
    if actions == "dependent":
        for noise in mechanisms.NOISES:
            law = DEPENDENT_CHANCES @ mechanisms.report_noisy_max_pmf(-DEPENDENT_OUTCOMES, noise=noise, scale=0.5)
            yield law, f"{noise}, K=3, one round of dependent actions"
        return
    rng = stream(seed, "noisy_leader/lemma_1")
    cases = [np.sort(rng.random(k)) for k in (2, 3, 3, 4) for _ in range(3 if profile == "quick" else 12)]
    for noise, means in product(mechanisms.NOISES, cases):
        law = selection_law(means, rounds={2: 64, 3: 12, 4: 5}[len(means)], noise=noise, scale=2.0)
        yield law, f"{noise}, K={len(law)}, means {np.round(means, 2).tolist()}"


def _vectors(seed: int) -> list[FloatArray]:
    """Vectors a with smallest entry 0, of 2 to 200 entries and many scales."""
    rng = stream(seed, "noisy_leader/lemmas")
    drawn = [
        np.append(0, rng.exponential(10.0 ** rng.uniform(-4, 1), size=k))
        for k in (1, 2, 5, 30, 199)
        for _ in range(8)
    ]
    steep = [np.append(0, np.full(4095, c * np.log(4096) / 32)) for c in (0.7, 0.8, 0.9)]
    return [*drawn, *steep, *(np.append(0, np.full(k, 1e-6)) for k in (1, 30, 1000))]


@cache
def _integrals(seed: int) -> list[tuple[FloatArray, float]]:
    """The vectors with the integral of f over [0, inf), by quadrature."""
    return [(a, lemmas.lemma_integral(a)) for a in _vectors(seed)]


def lemma_2(profile: str, seed: int, *, constant: float) -> Evidence:
    """Largest f'(x) / f(x), the derivative by a complex step, against the lemma's constant."""
    detail = "Worst where all 2^x a_i are small: f is then proportional to 2^x."
    return at_most(_steepest(seed), constant * (1 + EXACT), detail)


@cache
def _steepest(seed: int) -> float:
    pairs = (corners.slope(a, np.linspace(-10, 20, 301)) for a in _vectors(seed))
    return max(float((rise[value > 1e-200] / value[value > 1e-200]).max()) for value, rise in pairs)


@worst
def lemma_3(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Largest sum of f(r), r >= 1, over the integral of f, by quadrature, against the lemma's constant.

    Also for gaps (0, c, ..., c), K - 1 = e^1000, where 2^40 c = 990, from closed forms: close to 2 log 2, the
    smallest true constant.
    """
    ratios = [lemmas.lemma_sum(a) / integral for a, integral in _integrals(seed)]
    detail = "2 log 2 = 1.386 in place of 1 + log 2 = 1.693 follows from our potential argument."
    yield at_most(max(ratios), constant, detail)
    terms = 990.0 / 2.0 ** np.arange(40)
    total = float((terms / (1 + np.exp(terms - 1000))).sum())
    integral = float(np.logaddexp(0, 1000 - 990.0 / 2**40)) / math.log(2)
    yield at_most(
        total / integral, constant, "K = e^1000 and equal gaps: the sum stops just before it would fall."
    )


def lemma_3_integral(profile: str, seed: int, *, form: str, relation: Relation = "<=") -> Evidence:
    """Largest distance of the quadrature from log(sum exp(-a_i)) / log 2, or from the printed 2 log K / log 2."""
    errors = []
    for a, integral in _integrals(seed):
        value = 2 * np.log(len(a)) if form == "printed" else np.log(np.exp(-a).sum())
        errors.append(abs(integral - value / np.log(2)))
    detail = f"{len(errors)} vectors, K from 2 to 4096."
    return Evidence(measured=max(errors), limit=1e-6, relation=relation, detail=detail)


@worst
def two_actions(profile: str, seed: int, *, losses: str) -> Iterator[Evidence]:
    """P_{n+1} / P_n of the probability of selecting the worse of two actions, noises and thresholds.

    ``"independent"`` losses are Bernoulli, ``"opposite"`` ones differ by 1 or -1 in every round.
    """
    selectors = [*product(mechanisms.NOISES, (0.2, 2.0, 20.0)), ("threshold", 2.0), ("threshold", 5.0)]
    pairs = ((0.5, 0.51), (0.3, 0.5), (0.45, 0.55), (0.1, 0.6), (0.9, 1.0))
    for (noise, scale), (low, high) in product(selectors, pairs):
        yield corners.two_actions(low, high - low, scale, losses, (noise,), 40 if profile == "quick" else 100)


@worst
def one_round(profile: str, seed: int, *, losses: str) -> Iterator[Evidence]:
    """Largest E Phi(s + l) - Phi(s + x), step (b) of the proof, over scores and laws of one round, three actions.

    Phi(s) = E max (Q_k - s_k) + s_1, x_1 = 0, x_k = -(log E exp(-eta l_k) + log E exp(eta l_1)) / eta, in units of
    1 / eta. Losses are ``"independent"``, on two values each, or the second and third are ``"opposite"`` fair bits
    and the first is 0.
    """
    rng = stream(seed, "noisy_leader/one round")
    for noise, eta in product(mechanisms.NOISES, (0.05, 0.2, 0.5, 1.0, 2.0, 4.0)):
        for _ in range(4 if profile == "quick" else 40):
            s = np.append(0, rng.uniform(-3, 3, size=2))
            values, chance = np.sort(rng.random((3, 2)), axis=1), rng.random(3)
            outcomes = np.array(list(product(*values)))
            weights = np.array([np.prod(w) for w in product(*np.column_stack([1 - chance, chance]))])
            if losses == "opposite":
                outcomes, weights = np.array([[0, 0, 1], [0, 1, 0]]), np.array([0.5, 0.5])
            x = -np.log(weights @ np.exp(-eta * outcomes)) - np.log(weights @ np.exp(eta * outcomes[:, 0]))
            left = weights @ _phi(s + eta * outcomes, noise)
            excess = float(left - _phi(s + np.append(0, x[1:]), noise))
            yield at_most(excess, 1e-11, f"{noise}, η={eta:g}.")


@worst
def one_epoch(profile: str, seed: int, *, step: float) -> Iterator[Evidence]:
    """Largest `step` times the cost of an epoch over the potential that it uses up, step (c) of the proof.

    Exact: three actions of independent Bernoulli losses, 2 n E sum P_k (gap_k - eta / 2) over 4 (Phi(n gap / 2) -
    Phi(n gap)), gaps of at least 2 eta.
    """
    gaps, lengths = (
        ((2, 2), (2, 4), (3, 3), (2, 20), (6, 6)),
        (1, 2, 4) if profile == "quick" else (1, 2, 4, 8, 16),
    )
    for noise, eta, gap, n in product(mechanisms.NOISES, (0.02, 0.1, 0.25, 0.5), gaps, lengths):
        delta = eta * np.array([0.0, *gap])
        if delta[2] > 1:
            continue
        law = selection_law((1 - delta[2]) / 2 + delta, rounds=n, noise=noise, scale=1 / eta)
        used = 4 * (_phi(n * eta * delta / 2, noise) - _phi(n * eta * delta, noise)) / eta
        cost = 2 * n * float(law[1:] @ (delta[1:] - eta / 2))
        detail = f"Closest: {noise}, η={eta:g}, gaps {delta[1]:g} and {delta[2]:g}, n={n}."
        yield at_most(step * cost / float(used), 1.0, detail)


def _phi(scores: FloatArray, noise: str) -> FloatArray:
    """E max (Q_k - s_k) + s_1, noise of scale 1."""
    return lemmas.expected_best(scores, noise=noise) + scores[..., 0]


@worst
def dominance(profile: str, seed: int, *, scale: float) -> Iterator[Evidence]:
    """Largest expected deficit of exponential noise of `scale` over that of Gumbel noise of scale 1.

    The deficit of an action is the difference of its sum of losses from the least one; random sums, up to 40.
    """
    rng = stream(seed, "noisy_leader/dominance")
    sizes = np.repeat([1, 2, 15, 63], 40)
    drawn = [np.append(0, rng.exponential(10.0 ** rng.uniform(-2, 1.2), size=k)) for k in sizes]
    for sums in [*(np.array([0.0, x]) for x in (0.01, 1.0, 10.0, 40.0)), *drawn]:
        if sums.max() > 100:
            continue
        yield corners.deficits(sums, scale)


def lemma_2_negative(profile: str, seed: int, *, constant: float) -> Evidence:
    """Smallest f'(x) / f(x) where f(x) < 0, against the constant: f' <= constant f there.

    Vectors with a negative smallest entry; x up to where 2**x |a| is 500.
    """
    cases = []
    for a in _vectors(seed):
        shifted = a - 0.5 * a.max()
        x = np.linspace(-12, np.log2(500 / np.abs(shifted).max()), 301)
        value, slope = corners.slope(shifted, x)
        keep = value < -1e-200
        if keep.any():
            cases.append(at_least(float((slope[keep] / value[keep]).min()), constant * (1 - EXACT)))
    detail = "Closest where all 2^x a_i are small; at every x the slope is log 2 (f - Var), Var a variance."
    return replace(Evidence.worst(cases), detail=detail)


@worst
def exponential_by_sampling(profile: str, seed: int, *, calibration: str) -> Iterator[Evidence]:
    """Certified privacy loss of exponential noise at epsilon = 1, from simulated actions and the literal learner.

    Three lower limits that share one probability of being wrong; each that is more than epsilon is a violation.
    """
    scale, runs = privacy.shipped("exponential", calibration=calibration).scale, privacy.FEWER[profile]
    known: dict[str, Any] = {"scale": scale, "samples": runs, "seed": seed, "pair": privacy.COUNTEREXAMPLE}
    limits = {
        f"{runs:,} runs, B = {resample:d}": privacy.certified_loss(
            "exponential", resample=resample, false_alarm=certify.share(3), **known
        )
        for resample in (False, True)
    }
    literal = f"{privacy.LITERAL[profile]:,} runs of the literal learner"
    limits[literal] = privacy.literal_loss(profile, seed, calibration=calibration)
    shown = ", ".join(f"{value:.3f} from {name}" for name, value in limits.items())
    for name, value in limits.items():
        detail = f"K = 2, four rounds: {shown}; the exact loss is {2 / scale:g}. Smallest: {name}."
        yield at_least(value, 1 + 1e-6, detail)


def exponential_by_literal_runs(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Certified privacy loss of the literal learner with exponential noise; more than epsilon is a violation."""
    certified = privacy.literal_loss(profile, seed, calibration=calibration)
    detail = f"{privacy.LITERAL[profile]:,} runs of four rounds on each of two neighbouring tables."
    return at_least(certified, 1 + 1e-6, detail)


@worst
def exact_losses(profile: str, seed: int, *, divisor: float) -> Iterator[Evidence]:
    """Exact privacy losses of the six corrected variants at epsilon = 1, noise scales over `divisor`.

    Blocks of up to 256 rounds and up to 4 (quick) or 8 (full) actions; B = 1 and the joint distribution of two
    epochs by enumeration of every table and every neighbour.
    """
    for k, n in product((2, 3, 4) if profile == "quick" else (2, 3, 4, 6, 8), (1, 2, 16, 256)):
        yield corners.privacy(k, 1.0, n, divisor=divisor)
    for noise in mechanisms.NOISES:
        variant: dict[str, Any] = {"noise": noise, "scale": privacy.shipped(noise).scale / divisor}
        for law, rounds, levels, case in (
            (partial(privacy.resampled_law, **variant), 2, (0.0, 0.5, 1.0), "B = 1, every table of two rounds"),
            (partial(privacy.sequence_law, **variant, resample=False), 3, (0.0, 1.0), "B = 0, two epochs"),
        ):
            loss = audit.exhaustive_privacy_loss(law, n_rounds=rounds, n_actions=2, levels=levels)
            yield at_most(loss, 1 + EXACT, f"Largest: {noise}, {case}.")


@worst
def table_2(profile: str, seed: int, *, calibration: str) -> Iterator[Evidence]:
    """Privacy loss of each variant of Table 2 at epsilon = 1, found by search over its own distribution.

    Four actions, blocks of 16 rounds. It is at most epsilon, and at least 0.999 of it: the noise is not too large.
    """
    for noise in mechanisms.NOISES:
        learner = privacy.shipped(noise, n_actions=4, calibration=calibration)
        loss = audit.selection_privacy_loss(learner.law, n_actions=4, n_rounds=16, starts=200)
        detail = f"Closest: {noise} noise of scale {learner.scale:g}, loss {loss:.6f}."
        yield at_most(loss, 1 + EXACT, detail)
        yield at_least(loss, 0.999, detail)
