"""Checks of the errata: each holds on the printed version and not on the corrected one."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy import integrate

from replicate import audit, certify, mechanisms
from replicate.claims.evidence import EXACT, Evidence, at_least
from replicate.papers.noisy_leader import algorithms, bounds
from replicate.papers.noisy_leader.checks.lemmas import Relation
from replicate.papers.noisy_leader.lemmas import selection_law
from replicate.profiles import with_more
from replicate.streams import stream
from replicate.validation import FloatArray

DRAWS = with_more({"quick": 200_000, "full": 400_000})
"""Draws of a sampled route."""


def outside_interval(hits: int, n: int, stated: float, detail: str) -> Evidence:
    """Distance of a stated probability from a frequency, over what the confidence interval allows on that side."""
    interval = certify.clopper_pearson(hits, n, false_alarm=certify.CLAIM_FALSE_ALARM)
    allowed = interval.high if stated > interval.estimate else interval.low
    ratio = (stated - interval.estimate) / (allowed - interval.estimate)
    return at_least(ratio, 1.0, f"{detail}: stated {stated:.5g}, measured {interval} in {n:,} draws.")


def _against_softmax(
    profile: str, rng: np.random.Generator, sums: FloatArray, scale: float, law: FloatArray, where: str
) -> Evidence:
    """The chance of the last action by a stated distribution, against report-noisy-max with Gumbel noise on the sums."""
    n = DRAWS[profile]
    selected = mechanisms.report_noisy_max(np.tile(-sums, (n, 1)), noise="gumbel", scale=scale, rng=rng)
    return outside_interval(int((selected == len(sums) - 1).sum()), n, float(law[-1]), where)


def epoch_count(profile: str, seed: int, *, form: str, relation: Relation = ">=") -> Evidence:
    """One and the number of horizons from 2 to 4096 whose number of epochs is not the number needed, in integers."""
    horizons = range(2, 4097)
    counts = [(t - 2).bit_length() + 1 if form == "printed" else t.bit_length() for t in horizons]
    wrong = [t for t, count in zip(horizons, counts, strict=True) if not 2 ** (count - 1) <= t < 2**count]
    detail = f"First: T = {wrong[:4]}." if wrong else "None."
    limit = 1.0 if relation == "<=" else 2.0
    return Evidence(measured=1.0 + len(wrong), limit=limit, relation=relation, detail=detail)


def epoch_loop(profile: str, seed: int, *, form: str) -> Evidence:
    """Number of T from 1 to 64 for which the loop stops before T, begins an epoch after it, or is undefined."""
    wrong = [t for t in range(1, 65) if not _covers(t, form)]
    return at_least(float(len(wrong)), 1.0, f"Horizons {wrong[:6]}, ...")


def _covers(horizon: int, form: str) -> bool:
    """Return True if the loop's epochs hold the rounds up to the horizon and none of them begins after it."""
    try:
        epochs = math.ceil(math.log2(horizon - 1)) + 1 if form == "printed" else horizon.bit_length()
    except ValueError:
        return False
    return 2 ** (epochs - 1) <= horizon < 2**epochs


def _laplace_height(form: str, beta: float) -> float:
    """Density of Lap(beta) at zero."""
    return beta / 2 if form == "printed" else 1 / (2 * beta)


def laplace_density(profile: str, seed: int, *, form: str, relation: Relation = "<=") -> Evidence:
    """Distance from one of the integral of Lap(2)'s density."""
    beta = 2.0
    total = 2 * _laplace_height(form, beta) * integrate.quad(lambda x: np.exp(-x / beta), 0, 200)[0]
    detail = f"The density integrates to {total:.6g}."
    return Evidence(measured=abs(total - 1), limit=1e-9, relation=relation, detail=detail)


def laplace_draws(profile: str, seed: int, *, form: str) -> Evidence:
    """Frequency of |x| <= 0.1 among draws of Laplace(1/2), against the density."""
    beta, n = 0.5, DRAWS[profile]
    x = stream(seed, "noisy_leader/slip/laplace").laplace(scale=beta, size=n)
    stated = 2 * _laplace_height(form, beta) * beta * -math.expm1(-0.1 / beta)
    return outside_interval(int((np.abs(x) <= 0.1).sum()), n, stated, "P(|x| <= 0.1), scale 1/2")


def gumbel_law(profile: str, seed: int, *, rate: float, relation: Relation = "<=") -> Evidence:
    """Distance of softmax(-rate epsilon G) from the distribution of Gumbel(2 / epsilon): K = 2, epsilon = 1, G = (0, 3).

    That distribution by quadrature of its definition. Printed is the rate 1. A distance counts as one machine epsilon at
    least.
    """

    def density(x: float) -> float:
        return float(np.exp(-x / 2 - np.exp(-x / 2)) / 2)

    exact = integrate.quad(lambda x: density(x + 3) * np.exp(-np.exp(-x / 2)), -30, 200)[0]
    softmax = 1 / (1 + np.exp(3 * rate))
    detail = f"P(second action) = {exact:.6f}, softmax {softmax:.6f}."
    distance = max(abs(exact - softmax), np.finfo(np.float64).eps)
    return Evidence(measured=float(distance), limit=1e-8, relation=relation, detail=detail)


def gumbel_draws(profile: str, seed: int, *, rate: float) -> Evidence:
    """Frequency of the worst of three actions under Gumbel(2 / epsilon), against softmax(-rate epsilon G)."""
    sums, rng = np.array([0.0, 1.0, 3.0]), stream(seed, "noisy_leader/slip/gumbel")
    law = mechanisms.softmax_pmf(-sums, scale=1 / rate)
    return _against_softmax(profile, rng, sums, 2.0, law, "P(third action), sums (0, 1, 3), ε = 1")


def softmax_privacy_loss(profile: str, seed: int, *, rate: float) -> Evidence:
    """Worst privacy loss of softmax(-rate epsilon G), found by search, over the epsilon of Gumbel(2 / epsilon)."""
    loss = audit.selection_privacy_loss(
        lambda sums: mechanisms.softmax_pmf(-sums, scale=1 / rate), n_actions=2, n_rounds=16, starts=200
    )
    return at_least(loss, 1 + EXACT, f"ε = 1, K = 2, 16 rounds: {loss:.4f}.")


def action_order(profile: str, seed: int, *, form: str) -> Evidence:
    """Smallest exact ratio of P(better) and P(worse) over settings; more than one contradicts the form.

    Printed is P(better) <= P(worse), corrected the reverse.
    """
    ratios = []
    for noise, mean, n in product(mechanisms.NOISES, (0.31, 0.5, 0.9), (1, 8, 64)):
        better, worse = selection_law([0.3, mean], rounds=n, noise=noise, scale=2.0)
        ratios.append(float(better / worse if form == "printed" else worse / better))
    return at_least(min(ratios), 1 + EXACT, f"{len(ratios)} settings, K = 2, exact binomial distributions.")


def order_draws(profile: str, seed: int, *, form: str) -> Evidence:
    """Lower confidence limit of P(better), or of P(worse), K = 2, one epoch of 16 Bernoulli rounds, drawn.

    More than 1/2 contradicts the form: printed is P(better) <= P(worse), corrected the reverse.
    """
    n, rng = DRAWS[profile], stream(seed, "noisy_leader/slip/order")
    sums = rng.binomial(16, [0.3, 0.6], size=(n, 2))
    selected = mechanisms.report_noisy_max(-sums, noise="laplace", scale=2.0, rng=rng)
    low = certify.clopper_pearson(int((selected == (0 if form == "printed" else 1)).sum()), n).low
    return at_least(low, 0.5, f"Laplace noise, ε = 1: at least {low:.4f} of {n:,} selections.")


def exponential_odds(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Factor by which one round can change the odds, over exp(epsilon), in rational arithmetic: K = 2.

    The action one loss behind has weight p = exp(-1 / scale) and is selected with probability p / 2.
    """
    root = Fraction(2)  # exp(epsilon / 2)
    weight = 1 / root**2 if calibration == "printed" else 1 / root
    odds = (1 - weight / 2) / (weight / 2)
    detail = f"exp(ε) = {root**2}, losses (0, 1) or (1, 0): odds change by the factor {odds}."
    return at_least(float(odds / root**2), 1 + EXACT, detail)


# Lemmas, theorems and proofs


def integral_series(profile: str, seed: int, *, form: str) -> Evidence:
    """Claimed integral over the true one, a = (0, log 2), in rational arithmetic, rounded in the claim's favour.

    The true one is log(3/2) / log 2, and log(3/2) is the alternating series of 1 / (k 2**k), here from above;
    claimed is 2 log 2 / log 2, and log 2 is the same series with positive signs, here from below.
    """
    powers = [Fraction(1, k * 2**k) for k in range(1, 60)]
    above = sum((term if k % 2 else -term for k, term in enumerate(powers, 1)), Fraction(0))
    true = above + Fraction(1, 2**60)
    claimed = 2 * sum(powers, Fraction(0)) if form == "printed" else above - Fraction(1, 2**60)
    return at_least(float(claimed / true), 1.0 + EXACT, "59 terms of each series.")


def geometric_sum(profile: str, seed: int, *, value: int) -> Evidence:
    """Partial sum of 2**-(l-1), l <= 60, over the value of the series; Appendix C has 1."""
    partial = sum((Fraction(1, 2 ** (level - 1)) for level in range(1, 61)), Fraction(0))
    return at_least(float(partial / value), 1.0 + EXACT, f"{float(partial):.6g} : {value}.")


def epoch_index(profile: str, seed: int, *, form: str) -> Evidence:
    """Largest 2**(tau + 2) D over 8 c2 ln|H| / D, the step that takes the value of tau; base-2 logarithms.

    Without the base-2 logarithm in its definition, as printed, tau is a number of rounds, not an epoch.
    """
    c2, worst = 16.0, -math.inf
    for size, gap in ((2, 0.5), (16, 0.1), (256, 0.01)):
        rounds = c2 * math.log(size) / gap**2
        tau = math.ceil(rounds if form == "printed" else math.log2(rounds))
        shift = 2 if form == "printed" else 1  # the sum up to epoch tau is 2**tau, twice the gap D
        worst = max(worst, tau + shift + math.log2(gap) - math.log2(8 * c2 * math.log(size) / gap))
    detail = "Logarithm to base 2 of the left side over the right; at most 0 where the step is right."
    return at_least(worst, EXACT, detail)


def _gumbel_tail(rounds: int, gap: float, epsilon: float, divisor: float) -> float:
    """The last display of Appendix D, exp(-n gap epsilon / divisor) + exp(-n gap**2 / 4); the divisor printed is 2."""
    return math.exp(-rounds * gap * epsilon / divisor) + math.exp(-rounds * gap**2 / 4)


def gumbel_tail(profile: str, seed: int, *, rounds: int, gap: float, epsilon: float, divisor: float) -> Evidence:
    """Exact P(J_r = 2) with Gumbel noise over the last display of Appendix D, two actions."""
    law = selection_law([0.5 - gap / 2, 0.5 + gap / 2], rounds=rounds, noise="gumbel", scale=2 / epsilon)
    limit = _gumbel_tail(rounds, gap, epsilon, divisor)
    return at_least(float(law[1]) / limit, 1.0, f"{rounds} rounds: P = {law[1]:.5g}, bound {limit:.5g}.")


def gumbel_tail_draws(profile: str, seed: int, *, divisor: float) -> Evidence:
    """Lower confidence limit of P(J = 2) from drawn epochs of 4096 rounds, epsilon = 0.03, over the same display."""
    n, rng = 8 * DRAWS[profile], stream(seed, "noisy_leader/slip/tail")
    sums = rng.binomial(4096, [0.45, 0.55], size=(n, 2))
    selected = mechanisms.report_noisy_max(-sums, noise="gumbel", scale=2 / 0.03, rng=rng)
    low, limit = certify.clopper_pearson(int(selected.sum()), n).low, _gumbel_tail(4096, 0.1, 0.03, divisor)
    return at_least(low / limit, 1.0, f"P at least {low:.5g} from {n:,} epochs, bound {limit:.5g}.")


def swapped_sign(profile: str, seed: int, *, sign: int) -> Evidence:
    """P(worse action), sums (0, 3), by softmax(sign G) over softmax(-G).

    The first display of the Gumbel proof has the sign -1, the second, exp(-epsilon (-G)) in numerator and
    denominator, the sign 1.
    """
    sums = np.array([0.0, 3.0])
    stated = mechanisms.softmax_pmf(sign * sums, scale=1.0)[1]
    ratio = float(stated / mechanisms.softmax_pmf(-sums, scale=1.0)[1])
    return at_least(ratio, 1 + EXACT, f"The display gives {stated:.4f}.")


def swapped_sign_draws(profile: str, seed: int, *, sign: int) -> Evidence:
    """P(worse action) by softmax(sign G), against draws of arg max -G + Gumbel(1 / epsilon)."""
    sums, rng = np.array([0.0, 3.0]), stream(seed, "noisy_leader/slip/sign")
    law = mechanisms.softmax_pmf(sign * sums, scale=1.0)
    return _against_softmax(profile, rng, sums, 1.0, law, "P(worse action), sums (0, 3), ε = 1")


def _factor(factor: str, n_actions: int) -> int:
    """The factor of the last integrand of Appendix E: ``"K"`` as printed, or ``"1"``."""
    return n_actions if factor == "K" else 1


def integrand(profile: str, seed: int, *, factor: str) -> Evidence:
    """Largest relative distance of the last integral, by quadrature, from the closed form that it should have."""
    errors = []
    for k, epsilon, horizon in ((2, 1.0, 5), (16, 0.1, 40), (100, 0.5, 10)):

        def value(t: float, k: int = k, epsilon: float = epsilon) -> float:
            return _factor(factor, k) * (k - 1) / (math.exp(t * epsilon) + k - 1)

        closed = bounds.theorem_3(n_actions=k, epsilon=epsilon, horizon=horizon)
        errors.append(abs(integrate.quad(value, 1, horizon + 1)[0] / closed - 1))
    return at_least(max(errors), 1e-6, "K = 2, 16 and 100.")


def integrand_against_a_learner(profile: str, seed: int, *, factor: str) -> Evidence:
    """The last integral over the exact regret of an epsilon-DP learner; more than one would exclude the learner.

    Gumbel noise of scale 2 / epsilon, one action with loss 0 and the others with 1.
    """
    ratios = []
    for k, epsilon in ((16, 0.1), (256, 1.0)):
        means = (np.arange(k) > 0).astype(np.float64)
        regret = float(algorithms.exact_regret(means, epsilon=epsilon, horizon=2**30).final[0])
        closed = bounds.theorem_3(n_actions=k, epsilon=epsilon, horizon=2**30)
        ratios.append(_factor(factor, k) * closed / regret)
    return at_least(max(ratios), 1 + EXACT, "K = 16 and 256, T = 2^30.")


def last_step(profile: str, seed: int, *, form: str) -> Evidence:
    """One less the limit of the bound at epsilon = 2 ln K: at least 1 where it says nothing.

    The printed limit is ln K / epsilon - 1, the corrected one ln K / epsilon.
    """
    k = 16
    epsilon = 2 * math.log(k)
    if form == "printed":
        limit = bounds.theorem_3_limit(n_actions=k, epsilon=epsilon)
    else:
        limit = bounds.theorem_3_integral(n_actions=k, epsilon=epsilon, horizon=2**30)
    return at_least(1 - limit, 1.0, f"K = 16, ε = 2 ln K: the bound tends to {limit:.3g}.")


def _at_small_epsilon(c: float, horizon: str) -> tuple[float, int]:
    """Return epsilon = c ln K / 2, K = 16, and a horizon: 1, as is printed, or the least T of at least ln K / epsilon.

    Whatever the universal constant c is, the statement without a range fails: its bound c ln K / epsilon is 2.
    """
    epsilon = c * math.log(16) / 2
    return epsilon, 1 if horizon == "1" else math.ceil(math.log(16) / epsilon)


def theorem_3_at_once(profile: str, seed: int, *, horizon: str) -> Evidence:
    """Smallest c ln K / epsilon = 2 over T, the most that any learner can lose, K = 16."""
    ratio = min(2 / _at_small_epsilon(c, horizon)[1] for c in (1.0, 0.1, 0.001))
    return at_least(ratio, 1 + EXACT, "c = 1, 0.1, 0.001; ε = c ln K / 2.")


def theorem_3_of_a_learner(profile: str, seed: int, *, horizon: str) -> Evidence:
    """Smallest c ln K / epsilon = 2 over the exact regret of Gumbel noise, losses 0 and 1, K = 16, c at most 0.4."""
    regrets, means = [], (np.arange(16) > 0).astype(np.float64)
    for c in (0.4, 0.1, 0.001):
        epsilon, rounds = _at_small_epsilon(c, horizon)
        regrets.append(float(algorithms.exact_regret(means, epsilon=epsilon, horizon=rounds).final[0]))
    return at_least(2 / max(regrets), 1 + EXACT, "c = 0.4, 0.1 and 0.001; ε = c ln K / 2.")


def first_round(profile: str, seed: int, *, form: str) -> Evidence:
    """Smallest exact regret of Gumbel noise over C ln K / epsilon, or over C (1 + ln K / epsilon), T = 2**20.

    Deterministic losses, all gaps 1, K = 2 and 16, epsilon = 4 C ln K.
    """
    ratios = []
    for k, c in product((2, 16), (1.0, 10.0, 1000.0)):
        means, epsilon = (np.arange(k) > 0).astype(np.float64), 4 * c * math.log(k)
        regret = float(algorithms.exact_regret(means, epsilon=epsilon, horizon=2**20).final[0])
        ratios.append(regret / (c * (math.log(k) / epsilon + (form == "corrected"))))
    return at_least(min(ratios), 1 + EXACT, "C = 1, 10 and 1000; ε = 4 C ln K.")


def first_action(profile: str, seed: int, *, form: str) -> Evidence:
    """Lower confidence limit of P(first action is wrong), literal learners, K = 16, over ln K / epsilon or 1 more.

    All gaps are 1 and epsilon is 100: the first round costs what the probability says.
    """
    n, rng, epsilon = DRAWS[profile] // 50, stream(seed, "noisy_leader/slip/first action"), 100.0
    wrong = sum(algorithms.NoisyLeader(16, epsilon=epsilon, rng=rng).act() != 0 for _ in range(n))
    low = certify.clopper_pearson(wrong, n).low
    limit = math.log(16) / epsilon + (form == "corrected")
    detail = f"The learner is wrong with probability at least {low:.3f} in {n:,} runs; ln K / ε = {math.log(16) / epsilon:.3g}."
    return at_least(low / limit, 1.0, detail)
