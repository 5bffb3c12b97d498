"""Checks of the errata, second routes: exact arithmetic where lemmas were computed, samples where distributions were.

Every check establishes that a printed statement fails: its number is at or beyond the limit that the printed
statement allows. Its control is the same comparison on the corrected version.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from replicate import audit, certify
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most
from replicate.learners.competitors import batched_share
from replicate.papers.bandits import bounds, lemmas
from replicate.papers.bandits import privacy as exact
from replicate.papers.bandits.algorithms import kernels, simulation
from replicate.papers.bandits.privacy import AUDITED, BLURRED, EPSILON
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

_E = (Fraction(27182, 10000), Fraction(27183, 10000))
_LN10 = (Fraction(2302585, 10**6), Fraction(2302586, 10**6))
"""Rational limits of e and of log 10."""


def _fails(measured: float | Fraction, limit: float | Fraction, detail: str) -> Evidence:
    return at_least(float(measured), float(limit), detail)


# Section 1


def _hidden_arm(horizon: int, n_actions: float) -> Fraction:
    """Least expected regret of any bandit learner, one random arm of K >= T losing 0 and all others 1.

    In rationals: t plays meet the good arm with probability at most t / K, whatever was seen.
    """
    return horizon - horizon * (horizon + 1) / (2 * Fraction(n_actions))


def hidden_arm_at(horizon: int, n_actions: int) -> Evidence:
    """That regret against (3 T - 1) / 4 at K >= 2 T."""
    return at_least(float(_hidden_arm(horizon, n_actions)), (3 * horizon - 1) / 4 * (1 - EXACT))


def hidden_arm(profile: str, seed: int, *, n_actions: float) -> Evidence:
    """That regret over T / 2, T = 64."""
    return _fails(_hidden_arm(64, n_actions) / 32, 1, f"In rationals; K={n_actions:g}, T=64, no privacy asked.")


def hidden_arm_sampled(profile: str, seed: int, *, arms: str) -> Evidence:
    """The same of EXP3 without noise, lower limit of its mean regret: arms ``"two per round"``, or ``"two"``."""
    rounds, n_actions = 64, 128 if arms == "two per round" else 2
    losses, rng = (np.arange(n_actions) > 0).astype(float), stream(seed, "bandits/slips/hidden_arm", n_actions)
    low = float(certify.mean_lower(_exp3_regrets(losses, 0.1, 0.1, rounds, rng)))
    return _fails(low, rounds / 2, f"200 runs of EXP3, η=γ=0.1, K={n_actions}, T={rounds}; the arms are alike to it.")


def _exp3_regrets(
    losses: FloatArray, eta: float, gamma: float, rounds: int, rng: np.random.Generator
) -> list[float]:
    """Regrets of 200 runs of EXP3 without noise on the same losses (K,) in every round."""
    k, row, end = len(losses), losses[None], np.array([rounds])
    plan, arms = simulation.exp3(learning_rate=eta, mixing=gamma, n_actions=k), np.empty(rounds, dtype=np.int16)
    given = (plan.setting, row, row, 0, 0.0, arms, end, rng)
    return [float(kernels.PLAY[plan.kind](kernels.fresh_state(plan.kind, k), *given)[0]) for _ in range(200)]


def few_experts(profile: str, seed: int, *, experts: str) -> Evidence:
    """T over a proved bound on a private learner's regret with all losses seen, which may react; epsilon = T^(-0.6).

    Fixed Share on batches with cube noise. Against the best expert in hindsight twice its bound is enough.
    """
    horizon, n_actions = 10**12, 2 if experts == "two" else 2**20
    bound = 2 * batched_share.tuning(n_actions=n_actions, horizon=horizon, epsilon=horizon**-0.6).bound
    return _fails(horizon / bound, 10, f"Fixed Share on batches, N={n_actions}, T=10^12, ε=T^-0.6, pure privacy.")


# Section 4


def advice_certified(profile: str, seed: int, *, released: exact.Released) -> Evidence:
    """Certify a privacy loss of Algorithm 5 when the first round's advice is swapped, whose losses are 0 and 1.

    The second round loses 1 for both actions. Released are the actions, or the experts that were chosen.
    """
    rng = stream(seed, "bandits/slips/advice", released == "chosen experts")
    outputs = (partial(_advised, swapped, released) for swapped in (False, True))
    lower = audit.certified_privacy_loss(*outputs, samples=10**5, rng=rng)
    return _fails(lower, EPSILON, f"Released: {released}; 100,000 runs, advice (0.95, 0.05), ε=0.5.")


def _advised(swapped: bool, released: exact.Released, runs: int, rng: np.random.Generator) -> IntArray:
    """Draw the experts chosen in the first two batches, or the actions played in their first rounds.

    Expert j names action j with probability 0.95, in the first round the other one if the advice is swapped.
    """
    plan = AUDITED["experts"].plan
    strays = rng.random((2, runs)) >= BLURRED[0, 0]
    other = strays[0] ^ swapped
    codes = np.empty(runs, dtype=np.int64)
    for names_other in (False, True):
        # Batch means by expert: of losses (0, 1) and (1, 1), or of (1, 0) and (1, 1).
        seen = np.array([[1.0, 0.5] if names_other else [0.5, 1.0], [1.0, 1.0]])
        part = np.empty(np.count_nonzero(other == names_other), dtype=np.int64)
        start = kernels.fresh_state(plan.kind, 2)
        kernels.sample_actions(plan.kind, start, plan.setting, seen, plan.noise, part, rng)
        codes[other == names_other] = part
    return codes if released == "chosen experts" else codes ^ (2 * other + strays[1])


# Theorem 10


def theorem_10_coefficient(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Cube of the coefficient of the last term, 90 L^(2/3) or 90, over that of 100, with 13 <= L = log 10^6.

    The term is 90 eta T N K^2 L log^2(NT) / (eps gamma tau)^2 at
    gamma = (eta N)^(1/3) (K log(NT) / (eps tau))^(2/3), with or without L^(1/3).
    """
    if _E[1] ** 13 >= 10**6:
        raise ArithmeticError("the rational limit of e is too large")
    cube = Fraction(90) ** 3 * (Fraction(13) ** 2 if calibration == "printed" else 1)
    return _fails(float(cube / 100**3), 1, "Cubes, in rationals; δ=1e-6, L=log 10^6 ≥ 13 since e < 2.7183.")


def approximate_certified(profile: str, seed: int, *, delta: float) -> Evidence:
    """Certify epsilon at a declared delta for 30 noisy losses that each move by one, the noise of Theorem 10."""
    n, epsilon, runs = 30, 1.0, 2 * 10**5
    rng = stream(seed, "bandits/slips/approximate", delta)
    scale = 3 * math.sqrt(n * math.log(1 / delta)) / epsilon

    def beyond(moved: float) -> int:
        z = rng.laplace(scale=scale, size=(runs, n)) + moved
        return int(((np.abs(z - 1) - np.abs(z)).sum(axis=1) > epsilon * scale).sum())

    rate = certify.share(2)
    low = certify.clopper_pearson(beyond(0.0), runs, false_alarm=rate).low
    high = certify.clopper_pearson(beyond(1.0), runs, false_alarm=rate).high
    lower = math.log((low - delta) / high) if low > delta + high else 0.0
    return _fails(lower, epsilon, f"N={n}, declared ε=1, δ={delta:g}; {runs:,} releases of all losses.")


# Table 2


def last_step_exactly(profile: str, seed: int, *, root_actions: int) -> Evidence:
    """Theorem 10's proof before its last step, over after it, in units of U, at V = 2.8 U.

    In rationals: 4.56^3 < 95, and W = V^2 / (U sqrt K), so before: 95 + 4.56 * 2.8, after: 100 + 2.8^2 / sqrt K.
    """
    root, v = Fraction(456, 100), Fraction(28, 10)
    if root**3 >= 95:
        raise ArithmeticError("the rational limit of the cube root of 95 is too large")
    before, after = 95 + root * v, 100 + v**2 / root_actions
    return _fails(before / after, 1, f"Rationals; V = 2.8 U, √K = {root_actions}.")


def borders_in_integers(profile: str, seed: int, *, n_experts: float) -> Evidence:
    """Sixth power of Theorem 10's rate over Corollary 8's at K = 2, T = 1e12, epsilon = 1e-6, in rationals."""
    k, n, t, inverse = 2, Fraction(n_experts), 10**12, 10**6
    theorem_10 = n * k**3 * t**4 * inverse**2
    corollary_8 = n**3 * t**3 * inverse**3
    return _fails(theorem_10 / corollary_8, 1, f"Rationals; N={n_experts:g}, K=2, T=10^12, ε=T^-1/2.")


# Section 5


def _hedge(log_odds: float, epsilon: float, root: int) -> float:
    """Hedge's exact regret at rate epsilon / sqrt T, losses (0, 1, ..., 1), from log odds log(K - 1); T = `root`^2."""
    behind = epsilon / root * np.arange(root**2) - log_odds
    return float((1 / (1 + np.exp(np.minimum(behind, 700)))).sum())


def hedge_rate_at(n_actions: float, epsilon: float) -> Evidence:
    """That regret over log K / eta, large T."""
    log_k = math.log(n_actions)
    root = math.ceil(4 * log_k / epsilon)
    regret = _hedge(math.log(n_actions - 1), epsilon, root)
    return at_least(regret * epsilon / (root * log_k), 0.9)


def hedge_rate(profile: str, seed: int, *, factor: str) -> Evidence:
    """That regret over 4 sqrt(T) / epsilon times a factor of log K."""
    log_k, horizon, epsilon = 64.0, 10**6, 0.5
    regret = _hedge(log_k, epsilon, 1000)
    detail = f"Losses (0, 1, ..., 1), K=1+e^64, T=10^6, ε=0.5, η=ε/√T: regret {regret:,.0f}."
    return _fails(regret, 4 * math.sqrt(horizon) * log_k ** (0.5 if factor == "root of log K" else 1) / epsilon, detail)


def hedge_rate_exactly(profile: str, seed: int, *, factor: str) -> Evidence:
    """Square of a lower limit of that regret over sqrt(T) / epsilon, over 16 times the squared factor.

    While Hedge's odds of losing are 1 or more it loses 1/2 or more a round: log(K - 1) / (2 eta) altogether. In
    rationals at K = 2^n, n = 1000, with log(K - 1) >= (n - 1) log 2 and 69/100 < log 2 < 7/10.
    """
    n, power = 1000, 1 if factor == "root of log K" else 2
    square = (Fraction(n - 1) * Fraction(69, 100) / 2) ** 2
    return _fails(square / (16 * (Fraction(7, 10) * n) ** power), 1, "In rationals; K=2^1000, T so large that η T exceeds log K.")


# Section 5.2


def still_played(profile: str, seed: int, *, ratio: float) -> Evidence:
    """Expected probability of section 5.2's bad action after 10 log(1 / gamma) / eta rounds, over gamma / 2."""
    eta = 0.2
    gamma = eta * ratio
    rounds = math.ceil(10 * math.log(1 / gamma) / eta)
    value = lemmas.expected_probability(eta, gamma, rounds) / (gamma / 2)
    return _fails(value, 20, f"E P(2) after {rounds} rounds = 10 log(1/γ)/η, over γ/2; η=0.2, γ={ratio:g} η.")


def pulls_exactly(profile: str, seed: int, *, pulls_times_epsilon: float) -> Evidence:
    """A lower limit of e^(epsilon p) / 2 from the exponential's series: at 1 or more Lemma 11's second term is gone.

    In rationals, 12 terms; the rest is below a millionth of the sum.
    """
    x, term, total = Fraction(pulls_times_epsilon).limit_denominator(10**4), Fraction(1), Fraction(1)
    for i in range(1, 12):
        term *= x / i
        total += term
    return _fails(total / 2, 1, f"Twelve terms of the series at εp={pulls_times_epsilon:g}, in rationals.")


# Appendix E


def dropped_exactly(profile: str, seed: int, *, coefficient: float) -> Evidence:
    """Square of the dropped term, `coefficient` eta K T log(K T), at K = 2, T = 1,000, lambda = 1: above 1.

    In rationals: eta^2 (K T)^2 log^2 = log 2 K T log^2 / (2 (1 + 10 log^2)), with 7 < log 2000 and 69/100 < log 2.
    """
    log, k, t = Fraction(7), 2, 1000
    square = Fraction(coefficient).limit_denominator(1000) ** 2 * Fraction(69, 100) * k * t * log**2
    square /= 2 * (1 + 10 * log**2)
    return _fails(square, 1, "In rationals; K=2, T=1000, λ=1. The printed sum has no more room than 1.")


def step_exactly(profile: str, seed: int, *, actions_power: float) -> Evidence:
    """Lower limit of eta M (1 + sqrt 10 log KT) at T = 1,000, K = 10^power, lambda = 1, by rational limits of log 10.

    For eta's second branch, 1 / (M (1 + 4 log T)), which is the smaller one there.
    """
    low, high = _LN10
    value = (1 + Fraction(3162, 1000) * (3 + Fraction(actions_power).limit_denominator(1000)) * low) / (1 + 4 * 3 * high)
    return _fails(value, Fraction(12565, 10000), f"In rationals; T=10^3, K=10^{actions_power:g}, λ=1.")


def mixing_exactly(profile: str, seed: int, *, rounds: float) -> Evidence:
    """Square of Corollary 22's mixing at K = 10: gamma^2 = (16 / 22) K log K / (eps T); log KT cancels."""
    square = Fraction(16, 22) * 10 * _LN10[0] / rounds
    return _fails(float(square), 1, f"In rationals, log 10 > 2.302585; K=10, εT={rounds}.")


def mixing_of_theorem_9(profile: str, seed: int, *, margin: float) -> Evidence:
    """Theorem 9's mixing at T = margin * (16 / 30) K log N, N = 100, K = 10, epsilon = 0.001."""
    gamma = lemmas.mixing_of_theorem_9(10, 100, 1e-3, margin)
    return _fails(gamma, 1, f"γ at N=100, K=10, ε=0.001, T={margin * 160 / 30 * math.log(100):.3g}.")


def exp3_enumerated(profile: str, seed: int, *, largest_loss: float) -> Evidence:
    """Exact regret of EXP3 on losses (0, size), 14 rounds, all action sequences, over Lemma 23 as printed."""
    losses = np.tile([0.0, largest_loss], (14, 1))
    eta = math.sqrt(math.log(2) / 14) / largest_loss
    regret, _ = lemmas.exp3_game(losses, learning_rate=eta, mixing=1.0)
    limit = bounds.lemma_23(losses, learning_rate=eta, mixing=1.0)
    return _fails(regret, limit, f"All 16,384 action sequences; K=2, losses (0, {largest_loss:g}), γ=1.")


def exp3_certified(profile: str, seed: int, *, largest_loss: float) -> Evidence:
    """Lower confidence limit of EXP3's regret on losses (0, size) for 1,000 rounds, over Lemma 23 as printed."""
    losses, rng = np.array([0.0, largest_loss]), stream(seed, "bandits/slips/lemma_23", largest_loss)
    regrets = _exp3_regrets(losses, 1e-4, 0.5, 1000, rng)
    limit = bounds.lemma_23(np.tile(losses, (1000, 1)), learning_rate=1e-4, mixing=0.5)
    low = float(certify.mean_lower(regrets))
    detail = f"200 runs, mean {np.mean(regrets):,.0f}; losses (0, {largest_loss:g}), η=1e-4, γ=0.5, T=1000."
    return _fails(low, limit, detail)


def second_branch(profile: str, seed: int, *, factor: float) -> Evidence:
    """First term of Lemma 25's sum, at least 6 log K M (1 + 4 log T), over `factor` times the printed bound.

    At K = 10^3, T = 10^12, lambda = 1, over sqrt(KT): M >= sqrt(KT), log K and log T multiples of log 10.
    """
    low, high = _LN10
    first = 6 * 3 * low * (1 + 4 * 12 * low)
    printed = 11 * 3 * high * 15 * high + 10
    return _fails(
        float(first / printed), factor, "In rationals, 2.302585 < log 10 < 2.302586; K=10^3, T=10^12, λ=1."
    )


def resampling_certified(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Lower confidence limit of Algorithm 4's expected estimate of a loss of 1, the leader's, from the kernel."""
    counts = lemmas.simulated_resamples(calibration, 0, 4000, seed)
    share = 1 - 1.5 * math.exp(-4)
    detail = "4,000 resamplings at estimated losses (0, 4/η), M=1000."
    return _fails(share * float(certify.mean_lower(counts)), 10, detail)


def displayed_mean(profile: str, seed: int, *, summed: str) -> Evidence:
    """Lower limit of the estimated losses less the best arm's, over the bound that Lemma 25 displays for it.

    Algorithm 4, corrected, two arms that always lose 1, no noise on the losses, T = 4,000. ``"at the played
    action"`` sums the estimate of the action that is played, as displayed; ``"over actions"`` weighs the estimates
    by the probabilities, as the decomposition that it quotes does.
    """
    rounds, runs = 4000, 200
    most = math.ceil(math.sqrt(2 * rounds))
    eta = min(math.sqrt(math.log(2) / (2 * rounds)), 1 / most)
    rng = stream(seed, "bandits/slips/displayed_mean")
    lead, total = np.zeros(runs), np.zeros(runs)
    for _ in range(rounds):
        # Arm 0 is played where the difference of two Laplace(1 / eta) numbers exceeds its estimated loss's lead.
        z = eta * np.abs(lead)
        behind = np.exp(-z) * (2 + z) / 4
        first = np.where(lead > 0, behind, 1 - behind)
        played_first = rng.random(runs) < first
        law = np.where(played_first, first, 1 - first)
        estimate = np.minimum(rng.geometric(law), most)
        total += (1.0 if summed == "at the played action" else law) * estimate - np.where(played_first, estimate, 0)
        lead += np.where(played_first, estimate, -estimate)
    limit = 6 * math.log(2) / eta + 8 * eta * rounds
    detail = f"{runs} runs, K=2, losses (1, 1), λ=0, T={rounds:,}: mean {total.mean():,.0f}, displayed bound {limit:,.0f}."
    return _fails(float(certify.mean_lower(total)), limit, detail)


def signed_estimate_at(estimate: float, lead: float) -> Evidence:
    """L^ (P - P') against |l^| P (exp(eta |l^|) - 1), two arms under Laplace(1 / eta) noise, in units of 1 / eta.

    P and P' are the chances of the arm before and after its estimated loss rises by `estimate`.
    """

    def chance(behind: float) -> float:
        tail = math.exp(-abs(behind)) * (2 + abs(behind)) / 4
        return tail if behind > 0 else 1 - tail

    before, after = chance(lead), chance(lead + estimate)
    right = abs(estimate) * before * math.expm1(abs(estimate))
    return at_most(estimate * (before - after), right * (1 + EXACT))


def negative_estimate(profile: str, seed: int, *, size: str) -> Evidence:
    """Left less right side of the step from P_t - P_(t+1) to exp(eta |l^|) - 1, at a negative estimate.

    Two arms level, an estimate of -1 / (2 eta) for one of them: l^ (P - P') against l^ P (e^(1/2) - 1), the estimate
    ``"signed"`` as displayed or by its ``"absolute"`` value.
    """
    sides = signed_estimate_at(-0.5, 0.0)
    right = sides.limit / (1 + EXACT) * (-1 if size == "signed" else 1)
    return _fails(sides.measured - right, 0.1, "In units of 1/η: estimate -0.5, probability 0.5 before it.")


# Appendix G


_QUICK, _SLOW = Fraction(9, 20), Fraction(1, 4)
"""Probabilities of playing arm 2 again after a loss of 0 and of 1: log 1.8 <= 0.6-private."""


def fixed_set_exactly(profile: str, seed: int, *, step: str) -> Evidence:
    """P(not E) on the improved arm, over the proof's middle term, or over e^(eps p) P(not E) without it, p = 1.

    The learner plays arm 2 in one uniformly chosen round of ten. P(not E), that it plays arm 2 again, is `_QUICK`
    where arm 2 always loses 0; the middle term is the largest where it loses 0 in one fixed round.
    """
    fixed = Fraction(1, 10) * _QUICK + Fraction(9, 10) * _SLOW
    limit = float(fixed) if step == "fixed sets" else math.exp(0.6) * float(_SLOW)
    return _fails(_QUICK, limit, "In rationals; 10 rounds, p=1, ε=0.6.")


def fixed_set_sampled(profile: str, seed: int, *, step: str) -> Evidence:
    """The same from runs of the learner: lower limit for the random set, upper limits for the fixed ones."""
    rng, runs = stream(seed, "bandits/slips/fixed_set"), 20_000

    def twice(loses_nothing: NDArray[np.bool_]) -> int:
        probed = rng.integers(10, size=runs)
        again = np.where(loses_nothing[probed], float(_QUICK), float(_SLOW))
        return int((rng.random(runs) < again).sum())

    rate = certify.share(12)
    low = certify.clopper_pearson(twice(np.ones(10, dtype=bool)), runs, false_alarm=rate).low
    worst = max(certify.clopper_pearson(twice(np.arange(10) == s), runs, false_alarm=rate).high for s in range(10))
    none = certify.clopper_pearson(twice(np.zeros(10, dtype=bool)), runs, false_alarm=rate).high
    return _fails(low, worst if step == "fixed sets" else math.exp(0.6) * none, f"{runs:,} runs for each set.")


# Definitions


def swapped_indices(profile: str, seed: int, *, formula: str) -> Evidence:
    """Regret of always following the best of two experts, formula read literally: it must be 0.

    Advice mu[j][i] of expert j for action i; printed, the comparator sums mu[i][j] over the actions i.
    """
    worst = Fraction(0)
    halves = [Fraction(i, 2) for i in range(3)]
    for a, b, x, y in product(halves, repeat=4):
        right = (a * x + (1 - a) * y, b * x + (1 - b) * y)
        read = (a * x + b * y, (1 - a) * x + (1 - b) * y) if formula == "printed" else right
        worst = max(worst, abs(min(right) - min(read)))
    return _fails(worst, Fraction(1, 10), "In rationals, all 81 cases with halves, K=N=2, T=1.")


def swapped_indices_drawn(profile: str, seed: int, *, formula: str) -> Evidence:
    """The same on random advice and losses of many rounds, in floats."""
    rng = stream(0, "bandits/slips/indices")
    advice, losses = rng.dirichlet(np.ones(3), size=(50, 3)), rng.random((50, 3)) * [0.1, 1, 1]
    right = np.einsum("tji,ti->j", advice, losses)
    read = np.einsum("tij,ti->j", advice, losses) if formula == "printed" else right
    return _fails(abs(right.min() - read.min()), 0.1, "K=N=3, 50 rounds of random advice and losses.")
