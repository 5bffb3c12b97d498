"""Every bound of the paper as a function, with its constants; and those the paper hides in an O( ).

All risks are in nats: sums over t of KL(f(x_t), p_hat_t). The ranges of the arguments are those of `simulate`:

=====================  ==========================================================
``n_hypotheses``       K, from 2 to 2**40
``n_labels``           M, from 1 to 10**9
``horizon``            T, from 2 to 2**59 (from 1 where that makes sense)
``epsilon``            privacy of one label, from 1e-6 to 50
``delta``              from 1e-100 to 0.5
=====================  ==========================================================

Every function raises a ValueError that names an argument outside its range.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from replicate import validation

LONGEST = 2**59
"""Largest horizon: up to here binomial counts are exact in distribution."""


def checked_hypotheses(n_hypotheses: int) -> int:
    """Return K, an integer from 2 to 2**40."""
    return validation.count("n_hypotheses", n_hypotheses, low=2, high=2**40)


def checked_horizon(horizon: int, *, low: int = 2) -> int:
    """Return T, an integer from `low` to 2**59."""
    return validation.count("horizon", horizon, low=low, high=LONGEST)


def checked_epsilon(epsilon: float) -> float:
    """Return epsilon, a number from 1e-6 to 50."""
    return validation.real("epsilon", epsilon, low=1e-6, high=50)


def checked_delta(delta: float | None) -> float:
    """Return delta, a number from 1e-100 to 0.5."""
    return validation.real("delta", np.nan if delta is None else delta, low=1e-100, high=0.5)


# Noise and tuning, shared with the algorithms


def printed_unit_scale(*, n_hypotheses: int, epsilon: float, delta: float) -> float:
    """Scale of the K Laplace noises of (8), in units of the sensitivity.

    (2 sqrt(2 K log(1/delta)) + sqrt(K epsilon))/epsilon; K may be 1 here.
    """
    k = validation.count("n_hypotheses", n_hypotheses, high=2**40)
    epsilon, delta = checked_epsilon(epsilon), checked_delta(delta)
    return float((2 * np.sqrt(2 * k * np.log(1 / delta)) + np.sqrt(k * epsilon)) / epsilon)  # (8)


def log_range(n_hypotheses: int, horizon: int, calibration: str) -> float:
    """Width R of the interval of log densities: log(KT) as printed after (7), log((K + 1) T) corrected."""
    validation.choice("calibration", calibration, ("printed", "corrected"))
    return float(np.log(n_hypotheses if calibration == "printed" else n_hypotheses + 1) + np.log(horizon))


def noise_limit(scale: float, n_hypotheses: int, horizon: int) -> float:
    """Limit c' of (9) and (13), gamma = log T: KT noises of that scale stay below it with probability 1 - 1/T."""
    return float(scale * (float(np.log(horizon)) + np.log(n_hypotheses) + np.log(horizon)))  # (13)


def message_factor(log_range: float, limit: float) -> float:
    """Factor c of (9) and (13), 1/(R + 2 c'): brings messages into [0, 1]."""
    return float(1 / (log_range + 2 * limit))  # c of (9)


# Regret of the two updates


def wma_regret(*, n_actions: int, horizon: int) -> float:
    """Lemmas 1 and 4: regret of weighted majority with losses in [0, 1], sqrt(2 T log K).

    `n_actions` is K, from 2 to 2**40; `horizon` may be 1.
    """
    k = validation.count("n_actions", n_actions, low=2, high=2**40)
    return float(np.sqrt(2 * checked_horizon(horizon, low=1) * np.log(k)))  # Lemmas 1, 4


def exp3_regret(*, n_actions: int, horizon: int) -> float:
    """Lemma 7: regret of weighted majority that sees one random coordinate a round, sqrt(2 T K log K).

    `n_actions` is K, from 2 to 2**40; `horizon` may be 1.
    """
    k = validation.count("n_actions", n_actions, low=2, high=2**40)
    return float(np.sqrt(2 * checked_horizon(horizon, low=1) * k * np.log(k)))  # Lemma 7


# Upper bounds of Algorithms 1 and 2


def _risk(regret: float, width: float, scale: float, k: int, t: int) -> float:
    """The proof of Theorem 4 with every constant: regret/c + 3 R + e^(-gamma) (T R + 3 R), R the log range.

    3 R: the two steps of (31) cost at most 2 R/T a round and -log(1 - 1/T), which over T rounds adds up to
    T log(T/(T - 1)) <= 2 log 2 <= R for T, K >= 2. Off the good event, of probability at most e^(-gamma), a
    round costs at most R + 3 R/T. `width` is R and `scale` that of the noise.
    """
    factor = message_factor(width, noise_limit(scale, k, t))
    # terms (A) and (B) of the proof of Theorem 4, with gamma = log T
    return float(regret / factor + 3 * width + np.exp(-float(np.log(t))) * (t * width + 3 * width))


def theorem_4(
    *, n_hypotheses: int, horizon: int, epsilon: float, delta: float, calibration: str = "corrected"
) -> float:
    """Theorem 4, explicit: (1/c) sqrt(2 T log K) + 3 R + e^(-gamma) (T R + 3 R) with gamma = log T.

    R = log(KT) and c of (9) for ``calibration="printed"``, log((K + 1) T) throughout for ``"corrected"``.
    The number of labels does not enter.

    >>> round(theorem_4(n_hypotheses=4, horizon=10**12, epsilon=1.0, delta=0.01) / 10**12, 3)
    0.078
    """
    k, t = checked_hypotheses(n_hypotheses), checked_horizon(horizon)
    width = log_range(k, t, calibration)
    scale = width * printed_unit_scale(n_hypotheses=k, epsilon=epsilon, delta=delta)
    return _risk(wma_regret(n_actions=k, horizon=t), width, scale, k, t)


def theorem_5(*, n_hypotheses: int, horizon: int, epsilon: float, calibration: str = "corrected") -> float:
    """Theorem 5, explicit: (1/c_pdp) sqrt(2 T K log K) + 3 R + e^(-gamma) (T R + 3 R) with gamma = log T.

    R = log(KT) for ``calibration="printed"``, log((K + 1) T) for ``"corrected"``.

    >>> round(theorem_5(n_hypotheses=4, horizon=10**12, epsilon=1.0) / 10**12, 3)
    0.011
    """
    k, t = checked_hypotheses(n_hypotheses), checked_horizon(horizon)
    width = log_range(k, t, calibration)
    return _risk(exp3_regret(n_actions=k, horizon=t), width, width / checked_epsilon(epsilon), k, t)


def theorem_4_form(*, n_hypotheses: int, horizon: int, epsilon: float, delta: float) -> float:
    """The form inside the O( ) of Theorem 4: sqrt(2 T log K) (L + (sqrt(K ln 1/delta) + sqrt(K eps)) L^2/eps).

    L = log(KT). `theorem_4`, corrected, is at most 14.7 times this, for all arguments. Proof: R = log((K + 1) T)
    is at most 1.2926 L, log 6/log 4, as K, T >= 2, and 2 log T + log K <= 2 L; so 1/c <= 1.2926 (L + 4 u L^2/eps)
    with u = 2 sqrt(2 K ln 1/delta) + sqrt(K eps) <= 2 sqrt(2) (sqrt(K ln 1/delta) + sqrt(K eps)), a factor of at
    most 14.63 = 1.2926 * 4 * 2 sqrt(2) on the second term. The rest, (4 + 3/T) R <= 7.11 L, is at most 7.11/1.66 =
    4.29 times sqrt(2 T log K) L, and 1.2926 + 4.29 < 14.7. QED
    """
    k, t = checked_hypotheses(n_hypotheses), checked_horizon(horizon)
    log, epsilon = np.log(float(k) * t), checked_epsilon(epsilon)
    unit = np.sqrt(k * np.log(1 / checked_delta(delta))) + np.sqrt(k * epsilon)
    return float(np.sqrt(2 * t * np.log(k)) * (log + unit * log**2 / epsilon))


def theorem_5_form(*, n_hypotheses: int, horizon: int, epsilon: float) -> float:
    """The form inside the O( ) of Theorem 5: sqrt(2 T K log K) (L + L^2/eps), L = log(KT).

    `theorem_5`, corrected, is at most 5.2 times this, for all arguments. Proof: as for `theorem_4_form`, with
    1/c <= 1.2926 (L + 4 L^2/eps), a factor of at most 5.171 on the second term, and 7.11 L at most
    7.11/2.35 = 3.03 times sqrt(2 T K log K) L; 1.2926 + 3.03 < 5.2. QED
    """
    k, t = checked_hypotheses(n_hypotheses), checked_horizon(horizon)
    log = np.log(float(k) * t)
    return float(np.sqrt(2 * t * k * np.log(k)) * (log + log**2 / checked_epsilon(epsilon)))


def median_failure(*, batches: int) -> float:
    """Probability, at most, that the median trick of Section 6 fails: P(Bin(m, 1/3) >= m/2), below e^(-m/18).

    Theorem. Let m independent estimates of a distribution p have expected total variation at most alpha each.
    Choose one that has more than m/2 of the estimates, itself among them, within 6 alpha. With probability 1 -
    P(Bin(m, 1/3) >= m/2) there is such a one, and every such one is within 9 alpha of p.

    Proof. By Markov's inequality an estimate is farther than 3 alpha from p with probability at most 1/3. Unless
    m/2 or more of them are, more than m/2 are within 3 alpha of p, so within 6 alpha of each other: any of them
    can be chosen. Two sets of more than m/2 meet: whichever is chosen is within 6 alpha of one that is within
    3 alpha of p. P(Bin(m, 1/3) >= m/2) <= e^(-2 m (1/2 - 1/3)^2) by Hoeffding's inequality. QED

    `batches` is m, from 1 to 10**6.
    """
    m = validation.count("batches", batches, high=10**6)
    return float(special.bdtrc(np.ceil(m / 2) - 1, m, 1 / 3))


def theorem_6(*, n_hypotheses: int, horizon: int, epsilon: float, calibration: str = "corrected") -> float:
    """Theorem 6, explicit: averaged total variation at most sqrt(Theorem 5 / (2 T)) (Pinsker, Cauchy-Schwarz)."""
    risk = theorem_5(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, calibration=calibration)
    return float(np.sqrt(risk / (2 * int(horizon))))  # Theorem 6


def theorem_2_constant(*, n_hypotheses: int, horizon: int, epsilon: float, power: float = 5.0) -> float:
    """Theorem 5 over (1/epsilon) sqrt(K T log(KT)^power), the form of Theorem 2.

    `power` is a number from 0 to 20; 5 in the paper.
    """
    risk = theorem_5(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    product = float(n_hypotheses) * int(horizon)
    power = validation.real("power", power, low=0, high=20)
    return float(risk / (np.sqrt(product * np.log(product) ** power) / epsilon))


def sample_size(*, n_hypotheses: int, epsilon: float, accuracy: float) -> int:
    """T_alpha of Section 6: the smallest horizon at which Theorem 6 promises the accuracy, up to one part in 1e9.

    `accuracy` is alpha, the averaged total variation, in (0, 1].

    Raises
    ------
    ValueError
        If no horizon up to 2**59 is enough.
    """
    accuracy = validation.positive("accuracy", accuracy, high=1)

    def promise(horizon: int) -> float:
        return theorem_6(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)

    low, high = 2, LONGEST
    if promise(high) > accuracy:
        raise ValueError(
            f"accuracy must be at least {promise(high):.3g} for horizons up to 2**59, "
            f"n_hypotheses={n_hypotheses} and epsilon={epsilon:g}, got {accuracy!r}"
        )
    while high - low > max(1, high // 10**9):
        middle = (low + high) // 2
        low, high = (low, middle) if promise(middle) <= accuracy else (middle, high)
    return high


# Lower bounds


def _leverage(epsilon: float) -> float:
    """min{(e^eps - 1)^2, 1} e^eps of Theorem 3."""
    return float(min(np.expm1(epsilon) ** 2, 1.0) * np.exp(epsilon))


def hadamard_gap(*, n_pairs: int, horizon: int, epsilon: float) -> float:
    """The gap a of (16): sqrt(K/(9 T min{(e^eps - 1)^2, 1} e^eps)) for K = `n_pairs` pairs of distributions.

    `n_pairs` is an integer from 1 to 2**40; `horizon` may be 1.

    Raises
    ------
    ValueError
        If a > 1: the horizon is below `hadamard_horizon` and there is no such class.
    """
    needed, t = hadamard_horizon(n_pairs=n_pairs, epsilon=epsilon), checked_horizon(horizon, low=1)
    if t < needed:
        raise ValueError(
            f"horizon must be at least {needed} for n_pairs={n_pairs} and epsilon={epsilon:g}, "
            f"or the gap a of (16) exceeds 1, got {horizon}"
        )
    return min(float(np.sqrt(n_pairs / (9 * t * _leverage(epsilon)))), 1.0)  # (16)


def hadamard_horizon(*, n_pairs: int, epsilon: float) -> int:
    """Smallest T at which the class of (16) exists: a <= 1; `n_pairs` from 1 to 2**40."""
    k = validation.count("n_pairs", n_pairs, high=2**40)
    # a horizon at which a is 1 up to rounding counts
    return int(np.ceil(k / (9 * _leverage(checked_epsilon(epsilon))) * (1 - 1e-12)))


def theorem_3(*, n_pairs: int, horizon: int, epsilon: float) -> float:
    """Theorem 3: no epsilon-LDP scheme has smaller risk than a T/132 on all of the class of (16).

    The class holds 2 K hypotheses, K = `n_pairs`, on N <= 2 K labels, and depends on T and epsilon through a;
    see `hadamard_gap`.

    >>> round(theorem_3(n_pairs=4, horizon=10**10, epsilon=1.0))
    306
    """
    return hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon) * int(horizon) / 132  # Theorem 3


def theorem_1_constant(*, epsilon: float) -> float:
    """Theorem 3 over sqrt(K T)/epsilon, the form of Theorem 1: 1/396 as epsilon goes to 0, and 0 as it grows."""
    return float(checked_epsilon(epsilon) / (396 * np.sqrt(_leverage(epsilon))))


def information(epsilon: float) -> float:
    """(4/5) (e^(eps/2) - 1)^2: what all pairs of the Hadamard class together get from a message, over a^2.

    For the K pairs of (16), with any gap a <= 1, and any eps-private channel with symbol probabilities q(y | i),
    sum_i KL(p_i1 q, p_i2 q) <= (4/5) a^2 (e^(eps/2) - 1)^2: in the place of (22) and (23), for every eps. Step (i)
    of theorem "pairs" in reports/theorems.md.

    Remark. The inequality before (24), sum KL_i <= a^2 min{(e^eps - 1)^2, 1} e^eps/2, holds for every eps, though
    step (c) does not. Where b >= 0, x >= 0 and x - log(1 + x) <= x^2/2, so 0.773/u may be replaced by
    max{1/(2 m), 0.773/s}. For s >= 1.546 m this is 1/(2 m), and (e^(eps/2) - 1)^2/2 <= e^eps/2; for smaller s,
    0.773 (s - m)(e^eps m - s)/s <= 0.194 s e^eps, as (s - m) m <= s^2/4. For e^eps <= 2,
    0.773 (e^(eps/2) - 1)^2 is at most (e^eps - 1)^2 e^eps/2, as 1.546 <= (e^(eps/2) + 1)^2 e^eps.
    """
    return float(0.8 * np.expm1(checked_epsilon(epsilon) / 2) ** 2)


def budgeted_gap(*, n_pairs: int, horizon: int, epsilon: float) -> float:
    """Gap of the Hadamard class for `budgeted_lower_bound`: (3/4) sqrt(2 K/(T information)), K = `n_pairs`.

    Raises
    ------
    ValueError
        If it exceeds 1: the horizon is below 9 K/(8 information).
    """
    k, t = validation.count("n_pairs", n_pairs, high=2**40), checked_horizon(horizon, low=1)
    needed = 9 * k / (8 * information(epsilon))
    if t < needed:
        raise ValueError(f"horizon must be at least {np.ceil(needed):.0f} for {k} pairs, got {horizon!r:.50}")
    return min(float(0.75 * np.sqrt(2 * k / (t * information(epsilon)))), 1.0)


def budgeted_lower_bound(*, n_pairs: int, horizon: int, epsilon: float) -> float:
    """A lower bound like that of Theorem 3, at least 40 times larger, for schemes that may change with time.

    (3 log 2/(16 sqrt 2)) sqrt(K T/V), V = `information`, for T >= 9 K/(8 V), on the K pairs of (16) with the gap
    of `budgeted_gap`, in the mean over the 2 K hypotheses; for eps <= 1 more than sqrt(K T)/(6.4 eps). Theorem
    "pairs" in reports/theorems.md.

    >>> round(budgeted_lower_bound(n_pairs=4, horizon=10**10, epsilon=1.0))
    31677
    """
    gap = budgeted_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)
    return float(int(horizon) * gap * np.log(2) / 8)


def tv_lower_bound(*, n_pairs: int, horizon: int, epsilon: float) -> float:
    """Lower bound for the averaged total variation on a class of 2 K distributions: (3/32) sqrt(2 K/(T V)).

    In the setting of `budgeted_lower_bound`, K = `n_pairs`, for the mean over the hypotheses; theorem "pairs".

    >>> round(tv_lower_bound(n_pairs=4, horizon=10**10, epsilon=1.0), 8)
    4.57e-06
    """
    return budgeted_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon) / 8


# Lower bounds on K = 2^m - 1 distributions that differ by rows of a Hadamard matrix


def _signed(n_hypotheses: int) -> int:
    """Return K, which must be 2^m - 1 and at least 3."""
    k = checked_hypotheses(n_hypotheses)
    if k < 3 or (k + 1).bit_count() != 1:
        raise ValueError(f"n_hypotheses must be a power of two less 1, at least 3, got {n_hypotheses!r:.50}")
    return k


def _undecided(k: int, interaction: bool) -> float:
    """Probability that a guess is wrong, at least, in the mean over rounds: 2 r/3, or with interaction r/2.

    r = 1 - log 2/log K, or 1 - 1/K.
    """
    return float((1 - 1 / k) / 2 if interaction else 2 * (1 - np.log(2) / np.log(k)) / 3)


def _allowed(k: int, interaction: bool) -> float:
    """T times the square of a gap, where a message of a class of gap 1 tells 1/K, for that probability."""
    wrong = _undecided(k, interaction)
    return float((45 / 8 * wrong**2 if interaction else wrong * np.log(k)) * k)


def _long_enough(horizon: int, needed: float, k: int) -> int:
    """Return T, at least `needed`."""
    t = checked_horizon(horizon, low=1)
    if t < needed:
        raise ValueError(f"horizon must be at least {np.ceil(needed):.0f} for {k} hypotheses, got {horizon!r:.50}")
    return t


def signed_gap(*, n_hypotheses: int, horizon: int, epsilon: float, interaction: bool = False) -> float:
    """Gap a of the distributions (1 + a H_j)/N for `fano_tv`, or for `interactive_tv`; N = K + 1.

    H_1, ..., H_K are the rows of the Hadamard matrix but the constant one.
    sqrt((2 r/3) K log K/T)/sinh(eps/2), at most 1; with interaction (3 r/8) sqrt(10 K/T)/sinh(eps/2), at most 1/2.

    Raises
    ------
    ValueError
        If K + 1 is no power of two, at least 4; if the gap is too large: the horizon is too short.
    """
    k, largest = _signed(n_hypotheses), 0.5 if validation.flag("interaction", interaction) else 1.0
    needed = _allowed(k, interaction) / np.sinh(checked_epsilon(epsilon) / 2) ** 2 / largest**2
    return float(largest * np.sqrt(needed / _long_enough(horizon, needed, k)))


def rare_share(
    *, n_hypotheses: int, horizon: int, epsilon: float, interaction: bool = False, form: str = "either"
) -> float:
    """Mass b of the labels that tell distributions apart, for `fano_risk`, or for `interactive_risk`.

    The distributions have mass 1 - b on a common label and b (1 + H_j)/N on N = K + 1 others. With g^2 the square
    of `signed_gap` times sinh(eps/2)^2, the ``sharp`` form is the root of b^2 = (1 - b) g^2/(e^(eps/2) - 1)^2, the
    ``crude`` one 2 g/(e^eps - 1), which is larger where T is short; ``either`` is the larger one that is at most
    1, or with interaction at most 1/(1 + e^eps).

    Raises
    ------
    ValueError
        If K + 1 is no power of two, at least 4; if both shares are too large: the horizon is too short.
    """
    k, level = _signed(n_hypotheses), checked_epsilon(epsilon)
    allowed, largest = _allowed(k, validation.flag("interaction", interaction)), 1.0
    if interaction:
        largest = float(1 / (1 + np.exp(level)))
    sharp, crude = allowed / np.expm1(level / 2) ** 2, 4 * allowed / np.expm1(level) ** 2
    needed = {"sharp": sharp * (1 - largest) / largest**2, "crude": crude / largest**2}
    if validation.choice("form", form, ("either", *needed)) != "either":
        needed = {form: needed[form]}
    t = _long_enough(horizon, min(needed.values()), k)
    # the root of b^2 = (1 - b) s / t, without a difference of near equals
    shares = {"sharp": 2 / (1 + np.sqrt(1 + 4 * t / sharp)), "crude": np.sqrt(crude / t)}
    return float(max(shares[name] for name in needed if t >= needed[name]))


def fano_tv(*, n_hypotheses: int, horizon: int, epsilon: float) -> float:
    """Lower bound for the averaged total variation without interaction, in the mean over a class.

    (1/4) (2 r/3)^(3/2) sqrt(K log K/T)/sinh(eps/2), r = 1 - log 2/log K, on the distributions of `signed_gap`, for
    T >= (2 r/3) K log K/sinh(eps/2)^2, user t sending a symbol of an eps-private channel chosen beforehand.
    Theorem "no-interaction" in reports/theorems.md.

    >>> round(fano_tv(n_hypotheses=15, horizon=10**6, epsilon=1.0), 6)
    0.001068
    """
    gap = signed_gap(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return _undecided(n_hypotheses, interaction=False) * gap / 4


def fano_risk(*, n_hypotheses: int, horizon: int, epsilon: float) -> float:
    """Lower bound for the risk without interaction: (r/6) b T, b of `rare_share`, r = 1 - log 2/log K.

    For every T, in the mean over the distributions of `rare_share`: (1/4) (2 r/3)^(3/2) sqrt(K T log K (1 - b))
    over e^(eps/2) - 1, or more. Theorem "no-interaction" in reports/theorems.md.

    >>> round(fano_risk(n_hypotheses=15, horizon=10**10, epsilon=1.0))
    85803
    """
    share = rare_share(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)
    return float(int(horizon) * _undecided(n_hypotheses, interaction=False) * share / 4)


def interactive_tv(*, n_hypotheses: int, horizon: int, epsilon: float) -> float:
    """The same for schemes whose channels may depend on earlier messages: (3 r^2/64) sqrt(10 K/T)/sinh(eps/2).

    r = 1 - 1/K, on the distributions of `signed_gap` with interaction. Theorem "interaction" in
    reports/theorems.md.

    >>> round(interactive_tv(n_hypotheses=15, horizon=10**6, epsilon=1.0), 6)
    0.00096
    """
    gap = signed_gap(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, interaction=True)
    return _undecided(n_hypotheses, interaction=True) * gap / 4


def interactive_risk(*, n_hypotheses: int, horizon: int, epsilon: float) -> float:
    """Lower bound for the risk with interaction: (r/8) b T, b of `rare_share` with interaction, r = 1 - 1/K.

    (3 r^2/64) sqrt(10 K T (1 - b))/(e^(eps/2) - 1), or more. Theorem "interaction" in reports/theorems.md.

    >>> round(interactive_risk(n_hypotheses=15, horizon=10**10, epsilon=1.0))
    77088
    """
    share = rare_share(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, interaction=True)
    return float(int(horizon) * _undecided(n_hypotheses, interaction=True) * share / 4)


def quantised_risk(*, horizon: int, epsilon: float) -> float:
    """Risk of an eps-private scheme for two hypotheses, on every class: 3 log 2 + 2 + T^3 e^(-eps) log(2T).

    It refutes Theorem 1 for large eps: sqrt(2 T)/eps grows with T where eps = 4 log T, and this does not.

    Proof. Let g = (f_1 + f_2)/2 and r = f_1/(2 g), between 0 and 1. Cut [0, 1] into T cells of width w = 1/T; the
    message is the cell of r(Y) through randomised response on T symbols: it is the true one but with probability
    below T e^(-eps). The learner mixes the two distributions of cells by Bayes' rule as if there were no noise,
    gives every label its share f_j(cell) g(y)/g(cell) under hypothesis j, and adds g with weight 1/T. If all
    messages are true ones, the divergences of the cells' distributions add up to at most log 2, the weight 1/T
    costs
    -T log(1 - 1/T) <= 2 log 2, and inside a cell there is a divergence of sum_cells 2 g(cell) E[r log(r/mean r)],
    E under g given the cell. By log x <= x - 1, E r log(r/mean r) <= Var r/mean r <= w: at most
    (mean r)(w - mean r)/mean r in the cell at 0, and w^2/4 over at least w in the others. That is 2 w a round; the
    same for f_2 with 1 - r. Otherwise, with probability below T T e^(-eps), a round costs at most log(2T), for
    f_j <= 2 g. QED
    """
    t = checked_horizon(horizon)
    epsilon = validation.real("epsilon", epsilon, low=1e-6, high=500)
    return float(3 * np.log(2) + 2 + np.exp(3 * np.log(t) - epsilon) * np.log(2 * t))


# Baselines


def randomized_response(*, n_hypotheses: int, n_labels: int, horizon: int, epsilon: float) -> float:
    """Risk of randomised response, the M sqrt(T log K)/epsilon of Section 3 with constants of our own.

    sqrt(T log K/2) sqrt((2 + log K)^2 + 1)/c_eta, c_eta = (e^eps - 1)/(e^eps + M - 1).

    Derivation. (i) Predictions for the noisy labels are a Bayesian mixture: their risk is at most log K.
    (ii) Noise shrinks total variation by exactly c_eta, so Pinsker gives
    E sum TV(f, p_hat)^2 <= log K/(2 c_eta^2). (iii) With w the weight of the truth, f/p_hat <= 1/w, and
    r log r <= (r - 1)_+ rho log rho/(rho - 1) <= (r - 1)_+ (1 + log rho) for r <= rho = 1/w gives
    KL <= TV (1 + log 1/w). (iv) E 1/w <= K, so log 1/w is at most log K plus an Exp(1) variable, and
    E (1 + log 1/w)^2 <= (2 + log K)^2 + 1. (v) Cauchy-Schwarz over rounds and coins joins (ii) to (iv).
    """
    total = randomized_response_tv(n_hypotheses=n_hypotheses, n_labels=n_labels, horizon=horizon, epsilon=epsilon)
    return float(int(horizon) * total * np.sqrt((2 + np.log(n_hypotheses)) ** 2 + 1))


def randomized_response_tv(*, n_hypotheses: int, n_labels: int, horizon: int, epsilon: float) -> float:
    """Averaged total variation of randomised response: sqrt(log K/(2 T))/c_eta, step (ii) of its risk bound."""
    log_k = np.log(checked_hypotheses(n_hypotheses))
    n_labels = validation.count("n_labels", n_labels, high=10**9)
    excess = np.expm1(checked_epsilon(epsilon))
    return float((excess + n_labels) / excess * np.sqrt(log_k / (2 * checked_horizon(horizon, low=1))))


def bits_tv(*, n_hypotheses: int, horizon: int, epsilon: float, price: float | None = None) -> float:
    """Averaged total variation of one randomised bit per label, at most: sqrt((K - 1) log K/T)/tanh(eps/2).

    For every class of K hypotheses, whatever M, and contexts that may depend on earlier messages:
    sum_t E |f(x_t) - p_hat_t|_TV^2 <= kappa log K/(2 tanh(eps/2)^2), kappa <= 2 (K - 1) the price of the tests of
    `algorithms.bits.sign_tests`. Theorem "one-bit" in reports/theorems.md.

    `price` is kappa of the class at hand, 0 or more; None for its largest value, 2 (K - 1).

    >>> round(bits_tv(n_hypotheses=4, horizon=10**10, epsilon=1.0), 7)
    4.41e-05
    """
    k, t = checked_hypotheses(n_hypotheses), checked_horizon(horizon, low=1)
    kappa = 2.0 * (k - 1) if price is None else validation.real("price", price, low=0, high=1e15)
    return float(np.sqrt(kappa * np.log(k) / (2 * t)) / np.tanh(checked_epsilon(epsilon) / 2))


def bits_sample_size(*, n_hypotheses: int, epsilon: float, accuracy: float) -> int:
    """T_alpha of Section 6 for one randomised bit per label: (K - 1) log K/(alpha tanh(eps/2))^2, rounded up.

    From that many labels the mean of the predictions is within total variation `accuracy` of the distribution, in
    the mean.

    >>> bits_sample_size(n_hypotheses=4, epsilon=1.0, accuracy=0.1)
    1948
    """
    k, alpha = checked_hypotheses(n_hypotheses), validation.positive("accuracy", accuracy, high=1)
    return int(np.ceil((k - 1) * np.log(k) / (alpha * np.tanh(checked_epsilon(epsilon) / 2)) ** 2))


def bits_risk(*, n_hypotheses: int, horizon: int, epsilon: float, price: float | None = None) -> float:
    """Risk of one randomised bit per label, at most: T `bits_tv` sqrt((2 + log K)^2 + 1).

    By steps (iii) to (v) of `randomized_response`. Of order sqrt(K T) log(K)^(3/2)/eps, without logarithms of T,
    where Theorem 2 has log(KT)^(5/2).

    >>> round(bits_risk(n_hypotheses=4, horizon=10**10, epsilon=1.0))
    1558178
    """
    total = bits_tv(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, price=price)
    return float(int(horizon) * total * np.sqrt((2 + np.log(n_hypotheses)) ** 2 + 1))


def non_private(*, n_hypotheses: int) -> float:
    """Risk of the non-private Bayesian mixture: log K, whatever T.

    >>> round(non_private(n_hypotheses=2), 4)
    0.6931
    """
    return float(np.log(checked_hypotheses(n_hypotheses)))


def of_scheme(
    scheme: str, *, n_hypotheses: int, n_labels: int, horizon: int, epsilon: float, delta: float
) -> float:
    """Bound on the risk of a scheme, for `n_labels` labels as it reads them, at `delta` where it has one."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    if scheme == "approximate":
        return theorem_4(**setting, delta=delta)
    if scheme in ("randomized_response", "merged_response"):
        return randomized_response(**setting, n_labels=n_labels)
    if scheme == "non_private":
        return non_private(n_hypotheses=n_hypotheses)
    return theorem_5(**setting) if scheme == "pure" else bits_risk(**setting)
