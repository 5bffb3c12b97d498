"""The right-hand sides of the paper's statements, every constant explicit.

N = n_actions (experts), T = horizon, S = n_switches, beta = failure, L = log(N T / beta). A statement with several
versions takes `calibration`:

- ``"printed"``: as in the paper.
- ``"corrected"``: Algorithm 1 inside Algorithm 2 runs at epsilon / 2, so its noise is twice as large;
  AboveThreshold's queries move within an interval of length 2, so it runs at epsilon / 3; T^2 queries at
  failure beta / T need 3 log T.

Ranges, unless a function says otherwise: N from 2 to 1e9, T from 1 to 1e18 (to 1e9 for Algorithm 2), S from 1 to
1e9, beta in [1e-100, 1], epsilon, noise and learning rate in [1e-50, 1e50]. Anything else is a ValueError.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.mechanisms.above_threshold import above_threshold_accuracy
from replicate.validation import FloatArray

CALIBRATIONS = ("printed", "corrected")
WINDOWS = ("all", "dyadic")


def _sizes(n_actions: int, horizon: int) -> tuple[int, int]:
    """Check N and T."""
    n = validation.count("n_actions", n_actions, low=2, high=10**9)
    return n, validation.count("horizon", horizon, high=10**18)


def _scale(name: str, value: float) -> float:
    """Check a privacy level, a noise scale or a learning rate."""
    return validation.real(name, value, low=1e-50, high=1e50)


def _switches(n_switches: int, *, low: int = 1) -> int:
    """Check S."""
    return validation.count("n_switches", n_switches, low=low, high=10**9)


def _log_ntb(n_actions: int, horizon: int, failure: float | None) -> tuple[float, float]:
    """Return beta and log(N T / beta); beta is 1 / T by default (Theorem 3.6)."""
    n, rounds = _sizes(n_actions, horizon)
    beta = 1 / rounds if failure is None else validation.real("failure", failure, low=1e-100, high=1)
    return beta, math.log(n * rounds / beta)


def adaptive_regret(*, n_actions: int, horizon: int, epsilon: float, failure: float) -> tuple[float, float]:
    """Theorem 3.1, Algorithm 1 at `epsilon`: regret over rounds t, ..., t + w is at most constant + root sqrt(w).

    16 L / epsilon and 9 sqrt(L), with probability 1 - beta for all 1 <= w <= T - t at once. The printed proof ends
    with 16 L log T / epsilon; `proved_regret` has the statement, and a little more.

    Returns
    -------
    (constant, root)

    Examples
    --------
    >>> constant, root = adaptive_regret(n_actions=10, horizon=2**14, epsilon=1.0, failure=0.1)
    >>> round(constant), round(root, 1)
    (229, 34.0)
    """
    log = _log_ntb(n_actions, horizon, failure)[1]
    return 16 * log / _scale("epsilon", epsilon), 9 * math.sqrt(log)  # Theorem 3.1


def proved_regret(
    *, n_actions: int, horizon: int, epsilon: float, failure: float, noise: str = "laplace"
) -> tuple[float, float]:
    """Theorem 3.1 as it is proved in `theorems`: 10.9 L / epsilon and 8.5 sqrt(L), as (constant, root).

    Laplace noise of scale 2 / epsilon, the paper's; with Gumbel noise of the same scale 32/3 L / epsilon.
    """
    log = _log_ntb(n_actions, horizon, failure)[1]
    factor = 10.9 if validation.choice("noise", noise, ("laplace", "gumbel")) == "laplace" else 32 / 3
    return factor * log / _scale("epsilon", epsilon), 8.5 * math.sqrt(log)


def lemma_3_2(*, n_actions: int, horizon: int, failure: float) -> float:
    """Lemma 3.2: the c of c sqrt(w), c = sqrt(2 L): losses over a window against w times their mean."""
    return math.sqrt(2 * _log_ntb(n_actions, horizon, failure)[1])  # Lemma 3.2


def lemma_3_3(*, n_actions: int, horizon: int, epsilon: float, failure: float) -> tuple[float, float]:
    """Lemma 3.3: 16 L log T / epsilon + 7 sqrt(w L), as (constant, root)."""
    log = _log_ntb(n_actions, horizon, failure)[1]
    return 16 * log * math.log(horizon) / _scale("epsilon", epsilon), 7 * math.sqrt(log)  # Lemma 3.3


@dataclass(frozen=True)
class RestartRule:
    """Thresholds of Algorithm 2: query = regret over w + 1 rounds - constant - root sqrt(w) - accuracy - 1.

    Attributes
    ----------
    epsilon
        Privacy parameter of AboveThreshold, positive.
    accuracy
        alpha >= 0.
    constant, root
        Reg_w = constant + root sqrt(w), neither of them negative.
    windows
        Which windows are asked, ``"all"`` or ``"dyadic"``.
    """

    epsilon: float
    accuracy: float
    constant: float
    root: float
    windows: str = "all"

    def __post_init__(self) -> None:
        _scale("epsilon", self.epsilon)
        for name in ("accuracy", "constant", "root"):
            validation.real(name, getattr(self, name), low=0)
        validation.choice("windows", self.windows, WINDOWS)

    def allowance(self, w: ArrayLike) -> FloatArray:
        """Return Reg_w, of any shape."""
        return np.asarray(self.constant + self.root * np.sqrt(w))


def restart_rule(
    *,
    n_actions: int,
    epsilon: float,
    horizon: int,
    failure: float | None = None,
    calibration: str = "corrected",
    windows: str = "all",
) -> RestartRule:
    """Return Algorithm 2's thresholds (line 7) at privacy level `epsilon`, T up to 1e9.

    Printed: AboveThreshold at epsilon / 2, alpha = 16 (2 log T + log(2 / beta)) / epsilon, and Reg_w of an
    Algorithm 1 at epsilon. Corrected: at epsilon / 3, alpha = 24 (3 log T + log(2 / beta)) / epsilon, Reg_w of an
    Algorithm 1 at epsilon / 2. With dyadic windows T^2 becomes T (floor(log2 T) + 1) queries.
    """
    validation.choice("calibration", calibration, CALIBRATIONS)
    validation.choice("windows", windows, WINDOWS)
    epsilon = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    horizon = validation.count("horizon", horizon, high=10**9)
    beta, _ = _log_ntb(n_actions, horizon, failure)
    # a round asks at most T windows, or floor(log2 T) + 1 dyadic ones
    queries = horizon**2 if windows == "all" else horizon * horizon.bit_length()
    printed = calibration == "printed"
    share = epsilon / (2 if printed else 3)
    # Lemma 2.4; line 3 asks for failure beta / T, but alpha as printed (line 7) is that of beta
    alpha = above_threshold_accuracy(queries, failure=beta if printed else beta / horizon, epsilon=share)
    # Reg_w of line 7: the Algorithm 1 that line 2 starts has epsilon / 2
    constant, root = adaptive_regret(
        n_actions=n_actions, horizon=horizon, epsilon=epsilon if printed else epsilon / 2, failure=beta
    )
    return RestartRule(share, alpha, constant, root, windows)


def inequality_1(rule: RestartRule, *, switches: int, length: int) -> float:
    """Inequality (1): bound on the regret between two restarts of Algorithm 2.

    Parameters
    ----------
    rule
        Its thresholds, from `restart_rule`.
    switches
        Switches of the comparator between them, 0 to 1e9.
    length
        Rounds between them, 1 to 1e18.
    """
    if not isinstance(rule, RestartRule):
        raise ValueError(f"rule must be a RestartRule, got {rule!r:.200}")
    parts = validation.count("switches", switches, low=0, high=10**9) + 1
    length = validation.count("length", length, high=10**18)
    constant = rule.constant + 2 * rule.accuracy + 1
    if rule.windows == "all":
        return rule.root * math.sqrt(parts * length) + parts * constant  # (1)
    return rule.root / (1 - math.sqrt(0.5)) * math.sqrt(parts * length) + parts * constant * length.bit_length()


def theorem_3_6(
    *,
    n_actions: int,
    horizon: int,
    n_switches: int,
    epsilon: float,
    failure: float | None = None,
    calibration: str = "corrected",
    windows: str = "all",
) -> float:
    """Theorem 3.6: dynamic regret <= root sqrt(2 S T) + 2 S (constant + 2 alpha + 1), with high probability.

    Printed: 9 sqrt(2 S T L) + 2 S (16 L / epsilon + 2 alpha + 1), T up to 1e9; `restart_rule` has the terms of
    other calibrations. With dyadic windows any window splits into at most log2 T + 1 dyadic ones (the digits of
    its length): the second term is multiplied by that, the first by 1 / (1 - 1 / sqrt 2).
    """
    switches = _switches(n_switches)
    rule = restart_rule(
        n_actions=n_actions, epsilon=epsilon, horizon=horizon, failure=failure, calibration=calibration,
        windows=windows,
    )  # fmt: skip
    constant = 2 * switches * (rule.constant + 2 * rule.accuracy + 1)  # Theorem 3.6
    square_root = rule.root * math.sqrt(2 * switches * horizon)
    if windows == "all":
        return square_root + constant
    return square_root / (1 - math.sqrt(0.5)) + constant * int(horizon).bit_length()


def shifting_lower(*, n_actions: int, n_phases: int, epsilon: float, phase: int) -> float:
    """Lower bound of Section 3.2, explicit: the regret of any epsilon-private learner for some shifting adversary.

    In each phase one of K = N / S fresh experts, uniformly hidden, has loss 0 and the others 1. After t rounds of
    the phase, group privacy leaves the hidden expert a probability of at most e^(t epsilon) / (e^(t epsilon) + K -
    1): the K distributions are within e^(t epsilon) of each other, and the events disjoint. So a phase costs at
    least the sum over t < phase of (K - 1) / (e^(t epsilon) + K - 1), about log K / epsilon.

    Parameters
    ----------
    n_actions
        N, at least 2 S.
    n_phases
        S, 1 to 1e6.
    epsilon
        Privacy level.
    phase
        Rounds of a phase, 1 to 1e7.
    """
    phases = validation.count("n_phases", n_phases, high=10**6)
    k = validation.count("n_actions", n_actions, low=2 * phases, high=10**9) // phases
    t = np.arange(validation.count("phase", phase, high=10**7))
    odds = np.exp(-np.minimum(_scale("epsilon", epsilon) * t, 700))
    # divided by exp(t epsilon), which overflows
    return float(phases * ((k - 1) * odds / (1 + (k - 1) * odds)).sum())


def adaptive_lower_rate(*, horizon: int, n_switches: int, epsilon: float) -> float:
    """Return min(T, (S + 1) / (epsilon^2 log(T / (S + 1))^2)), the rate of Theorem 5.1 (as its proof has it).

    T is at least 2 (S + 1), and S may be 0.
    """
    copies = _switches(n_switches, low=0) + 1
    log = math.log(validation.count("horizon", horizon, low=2 * copies, high=10**18) / copies)
    return min(horizon, copies / (_scale("epsilon", epsilon) * log) ** 2)  # Theorem 5.1


def mirror_descent_rate(*, n_actions: int, horizon: int, n_switches: int, epsilon: float) -> float:
    """Theorem 5.2: eta = epsilon sqrt(S / (T log(N T)))."""
    n, rounds = _sizes(n_actions, horizon)
    log = math.log(n * rounds)
    return _scale("epsilon", epsilon) * math.sqrt(_switches(n_switches) / (rounds * log))  # Theorem 5.2


def theorem_b2(*, n_actions: int, horizon: int, n_switches: int, noise: float, learning_rate: float) -> float:
    """Theorem B.2: 2 S log(N T) / eta + 10 eta T s^2 log^2(N T) + 4 S s log(N T) + 1.

    The noise is Laplace(s), s = `noise`; printed: s = 1 / epsilon. For a fixed table of losses and a fixed
    comparator, in expectation.
    """
    n, rounds = _sizes(n_actions, horizon)
    s, eta, switches = _scale("noise", noise), _scale("learning_rate", learning_rate), _switches(n_switches)
    log = math.log(n * rounds)
    # Theorem B.2
    return 2 * switches * log / eta + 10 * eta * rounds * (s * log) ** 2 + 4 * switches * s * log + 1


def tracking_regret(*, n_actions: int, horizon: int, n_switches: int, noise: float, learning_rate: float) -> float:
    """Return (S + 1) log(N T / S) / eta + eta T E(1 + max |Z|)^2 + S (1 - 1 / N): B.2's proof, without waste.

    Each of the S + 1 stretches telescopes to at most log(N T / S) / eta, for weights lie between S / (N T) and 1;
    each round costs at most eta (1 + max_i |Z_i|)^2, and max_i |Z_i| of Laplace(s) noise has mean s H_N and
    second moment s^2 (H_N^2 + sum 1 / i^2); clipping the comparator costs S / T (1 - 1 / N) a round, the noise in
    that term having mean zero. N is at most 1e7, S at most T.
    """
    n = validation.count("n_actions", n_actions, low=2, high=10**7)
    rounds = validation.count("horizon", horizon, high=10**18)
    switches = validation.count("n_switches", n_switches)
    if switches > rounds:
        raise ValueError(f"n_switches must be at most the horizon, {rounds}, got {switches}")
    s, eta = _scale("noise", noise), _scale("learning_rate", learning_rate)
    i = np.arange(1, n + 1)
    first = s * float((1 / i).sum())
    second = first**2 + s**2 * float((1 / i**2).sum())
    stretches = (switches + 1) * math.log(n * rounds / switches) / eta
    return stretches + eta * rounds * (1 + 2 * first + second) + switches * (1 - 1 / n)


def watched_regret(
    *, n_actions: int, horizon: int, n_switches: int, noise: float, learning_rate: float, log_d: float
) -> float:
    """Theorem 5.2 against adaptive adversaries, with constants: `tracking_regret` and what the noise may hide.

    Theorem B.1 does not cover Algorithm 3, whose weights carry noise from round to round. But the proof of
    `tracking_regret` holds path by path for every sequence j in C(T, S), however the losses are chosen:

        sum <w_t, l_t> - l_t(j_t) <= A - sum <w_t - e~_t, Z_t>,

    A the three terms of `tracking_regret`, of which the second depends on the noise. Z_t is drawn after w_t and
    l_t are fixed, so E sum <w_t, Z_t> = 0 against every adversary, as is the mean of the constant part of e~_t.
    The comparator may be chosen after the game: E max over j of sum Z_t(j_t) is not 0. There are d sequences, each
    sum has T independent Laplace(s) terms, so for 0 < x < 1 / s it is at most (ln d - T ln(1 - x^2 s^2)) / x: a
    maximum is at most the log of the sum of exponentials, divided by x. At x^2 s^2 = ln d / (T + ln d) the second
    term is T ln(1 + ln d / T) <= ln d, which leaves 2 s sqrt(ln d (T + ln d)): the term that is added here. With
    s = 1 / epsilon it is of the order sqrt(S T log(N T)) / epsilon, below the first term of the theorem.
    Ranges are those of `tracking_regret`; `log_d` is ln d, 0 to 1e9.
    """
    base = tracking_regret(
        n_actions=n_actions, horizon=horizon, n_switches=n_switches, noise=noise, learning_rate=learning_rate
    )
    log_d = validation.real("log_d", log_d, low=0, high=1e9)
    return base + 2 * noise * math.sqrt(log_d * (horizon + log_d))


def restarted_hedge(
    *, n_actions: float, horizon: int, n_switches: int, epsilon: float, delta: float
) -> tuple[int, float, float]:
    """Return batch B, rate eta and a bound on dynamic regret of Hedge that forgets all after every B rounds.

    Theorem. With eta^2 (B - 1) = 2 rho, rho + 2 sqrt(rho ln(1 / delta)) = epsilon, the plays are (epsilon,
    delta)-private, and dynamic regret is at most

        S B + ceil(T / B) ln N / eta + eta T / 8,

    both against adversaries that see the plays. At B = ceil(T / (8 S)) and N >= 2, delta <= 1 / 2 it is at most
    T / 4 + S wherever epsilon is in [38 ln N sqrt(ln(e / delta) S / T), 1].

    Proof. A play is drawn afresh from weights exp(-eta L), L the sums since the last restart. Given the plays
    before it, it therefore has one distribution on both of two tables that differ in a round of another stretch,
    or in a later round; else the logarithm of the likelihood ratio moves within an interval of length 2 eta, so
    that the draw is (eta^2 / 2)-zCDP (`lemmas.lazy_account_terms`, step 2). At most B - 1 draws compose. The
    weights are a function of the losses, however chosen: Hedge's bound ln N / eta + eta B / 8 holds path by
    path in every stretch, and in expectation over the fresh draws. At most S stretches hold a switch and cost at
    most B more. At that B, S B <= T / 8 + S and ceil(T / B) <= 8 S; with l = ln(1 / delta), sqrt(rho) = sqrt(l +
    epsilon) - sqrt(l) >= epsilon / (2 sqrt(l + 1)), so 8 S ln N / eta <= 4 ln N sqrt(S T (l + 1)) / epsilon <= 4 T
    / 38; and eta <= 0.06 there, since T / S >= 1,100: together at most T (1 / 8 + 0.106 + 0.008) + S.

    The three tools are known: advanced composition, restarts, Hedge (Hazan and Seshadhri 2009 for restarts).
    `n_actions` may be a float up to 1e300.
    """
    n = validation.real("n_actions", n_actions, low=2, high=1e300)
    rounds = validation.count("horizon", horizon, high=10**18)
    switches = validation.count("n_switches", n_switches)
    level = validation.positive("epsilon", epsilon, high=1)
    log = math.log(1 / validation.positive("delta", delta, high=0.5))
    batch = -(-rounds // (8 * switches))
    root = math.sqrt(log + level) - math.sqrt(log)
    eta = root * math.sqrt(2 / max(batch - 1, 1))
    return batch, eta, switches * batch + -(-rounds // batch) * math.log(n) / eta + eta * rounds / 8
