"""Formulas of Wu & Wang (2026), "New Rates in Stochastic Decision-Theoretic Online Learning under ... Privacy"."""

import math

BY_HAND: dict[str, tuple[dict[str, object], object]] = {}


def noise_scale(noise, *, epsilon, calibration="corrected"):
    """Section 2 and Table 2: beta of Lap, Exp, Gumbel; Exp corrected for Definition 1."""
    return (1 if (noise, calibration) == ("exponential", "printed") else 2) / epsilon


# 2 / 0.1 = 20
BY_HAND["noise_scale"] = ({"noise": "exponential", "epsilon": 0.1}, 20)


def epoch_rounds(*, epoch):
    """Algorithm 1, line 6: first and last round of epoch r."""
    return 2 ** (epoch - 1), 2**epoch - 1


# 4 and 8 - 1 = 4 and 7
BY_HAND["epoch_rounds"] = ({"epoch": 3}, (4, 7))


def n_epochs(*, horizon, calibration="corrected"):
    """Algorithm 1, line 4: number of epochs."""
    if calibration == "printed":
        return math.ceil(math.log2(horizon - 1)) + 1
    return math.ceil(math.log2(horizon + 1))


# 2^9 < 1001 < 2^10; the printed one gives 10 + 1.
# 10
BY_HAND["n_epochs"] = ({"horizon": 1000}, 10)


def exponential_privacy_one_round(*, epsilon):
    """Privacy of Exp(1 / eps) under Definition 1, K = 2, block of one round."""
    return math.log(2 * math.exp(epsilon) - 1)


# exp(0.693147180560) = 2, and log(2 * 2 - 1) = log 3.
# 1.09861228867 = 1.09861229
BY_HAND["exponential_privacy_one_round"] = ({"epsilon": 0.69314718056}, 1.09861229)


def lemma_2_function(*, a, x):
    """Lemma 2, f(x)."""
    above = sum(2**x * a_i * math.exp(-(2**x) * a_i) for a_i in a)
    return above / sum(math.exp(-(2**x) * a_i) for a_i in a)


# 2^1 a = 0, 0.5, 1.
# (0.5 * 0.60653065971 + 1 * 0.36787944117) / (1 + 0.60653065971 + 0.36787944117) = 0.339921666
BY_HAND["lemma_2_function"] = ({"a": [0.0, 0.25, 0.5], "x": 1.0}, 0.339921666)


def lemma_2_derivative(*, a, x):
    """Proof of Lemma 2, f'(x) (third display)."""
    zero = sum(math.exp(-(2**x) * a_i) for a_i in a)
    one = sum(2**x * a_i * math.exp(-(2**x) * a_i) for a_i in a)
    two = sum((2**x * a_i) ** 2 * math.exp(-(2**x) * a_i) for a_i in a)
    return math.log(2) * one / zero - math.log(2) * (two * zero - one**2) / zero**2


# sums 1.97441010088, 0.671144771025, 0.25 * 0.60653065971 + 0.36787944117 = 0.519512106098;
# divided by the first: 0.339921666 and 0.263122695
# 0.69314718056 * (0.339921666 - 0.263122695 + 0.339921666**2) = 0.133323887
BY_HAND["lemma_2_derivative"] = ({"a": [0.0, 0.25, 0.5], "x": 1.0}, 0.133323887)


def lemma_3(*, integral):
    """Proof of Lemma 3, (6)."""
    return (math.log(2) + 1) * integral


# 1.69314718056 * 2.5 = 4.23286795
BY_HAND["lemma_3"] = ({"integral": 2.5}, 4.23286795)


def lemma_3_integral_exact(*, a):
    """Proof of Lemma 3, lim F - F(0)."""
    return math.log(sum(math.exp(-a_i) for a_i in a)) / math.log(2)


# a_2 = log 4: the sum is 1 + 1/4 + 1/4 + 1/2 = 2.
# 0.69314718056 / 0.69314718056 = 1
BY_HAND["lemma_3_integral_exact"] = ({"a": [0.0, 1.38629436112, 1.38629436112, 0.69314718056]}, 1)


def theorem_4(*, n_actions, epsilon, constants=(4,)):
    """Proof of Theorem 4 with the constants of Lemma 3."""
    (a,) = constants
    return 3 + a * (1 + 1 / math.log(2)) * math.log(n_actions) / epsilon


# 3 + 4 * (1 + 1 / 0.69314718056) * 1.09861228867 / 0.1 = 110.342992
BY_HAND["theorem_4"] = ({"n_actions": 3, "epsilon": 0.1}, 110.342992)


def gumbel_law_corrected(*, gaps, action, epoch, epsilon):
    """Proof of Theorem 4, P[J_r = j] with deterministic losses; actions counted from 0."""
    below = sum(math.exp(-(2 ** (epoch - 1)) * gap * epsilon / 2) for gap in gaps)
    return math.exp(-(2 ** (epoch - 1)) * gaps[action] * epsilon / 2) / below


# 2^2 * 0.25 * 1 / 2 = 0.5 and 2^2 * 0.5 * 1 / 2 = 1.
# 0.60653065971 / (1 + 0.60653065971 + 0.36787944117) = 0.307195886
BY_HAND["gumbel_law_corrected"] = ({"gaps": [0, 0.25, 0.5], "action": 1, "epoch": 3, "epsilon": 1.0}, 0.307195886)


def gumbel_regret_corrected(*, gaps, epsilon, epochs):
    """Section 1.3, last display: the sum over r = 3, ..., R without O(1)."""
    return sum(
        2 ** (r - 1) * gap * gumbel_law_corrected(gaps=gaps, action=j, epoch=r - 1, epsilon=epsilon)
        for r in range(3, epochs + 1)
        for j, gap in enumerate(gaps)
    )


# r = 3: 2 * 0.25 * 2 / 2 = 0.5; r = 4: 4 * 0.25 * 2 / 2 = 1.
# 4 * 0.25 * 0.60653065971 / 1.60653065971 + 8 * 0.25 * 0.36787944117 / 1.36787944117 = 0.915423512
BY_HAND["gumbel_regret_corrected"] = ({"gaps": [0.0, 0.25], "epsilon": 2.0, "epochs": 4}, 0.915423512)


def tail_constants(noise):
    """(c1, c2) of (7), exponent 2^{r+1}, noise of scale 2 / eps (Appendix D)."""
    return (1.5, 32.0) if noise == "laplace" else (2.0, 16.0)


# Laplace: 1 + 1/2 in front, and 2^r / 16 = 2^{r+1} / 32 in the exponent.
# 1 + 0.5 and 2 * 16.0 = 1.5 and 32
BY_HAND["tail_constants"] = ({"noise": "laplace"}, (1.5, 32))


def equation_7(*, epoch, gap, epsilon, noise, c2=None):
    """Appendix C, (7), with (c1, c2) at scale 2 / eps; also (4) of Section 2.1."""
    c1, derived = tail_constants(noise)
    return c1 * math.exp(-(2 ** (epoch + 1)) * gap * min(gap, epsilon) / (derived if c2 is None else c2))


# The exponent is 16 * 0.5 * 0.5 / 16 = 0.25.
# 2 * 0.778800783071 = 1.55760157
BY_HAND["equation_7"] = ({"epoch": 3, "gap": 0.5, "epsilon": 1.0, "noise": "gumbel"}, 1.55760157)


def appendix_d_gumbel_printed(*, epoch, gap, epsilon):
    """Appendix D, Gumbel(2 / eps), last display."""
    return math.exp(-(2 ** (epoch - 1)) * gap * epsilon / 2) + math.exp(-(2 ** (epoch - 1)) * gap**2 / 4)


# Exponents 8 * 0.5 * 0.5 / 2 = 1 and 8 * 0.25 / 4 = 0.5.
# 0.36787944117 + 0.60653065971 = 0.974410101
BY_HAND["appendix_d_gumbel_printed"] = ({"epoch": 4, "gap": 0.5, "epsilon": 0.5}, 0.974410101)


def appendix_d_gumbel_corrected(*, epoch, gap, epsilon):
    """Appendix D, Gumbel(2 / eps), last display with exp(-eps G / 2)."""
    return math.exp(-(2 ** (epoch - 1)) * gap * epsilon / 4) + math.exp(-(2 ** (epoch - 1)) * gap**2 / 4)


# Exponents 8 * 0.5 * 1 / 4 = 1 and 8 * 0.25 / 4 = 0.5.
# 0.36787944117 + 0.60653065971 = 0.974410101
BY_HAND["appendix_d_gumbel_corrected"] = ({"epoch": 4, "gap": 0.5, "epsilon": 1.0}, 0.974410101)


def equation_9(*, epoch, gap, epsilon, c1, c2):
    """Appendix G, (9)."""
    return c1 * math.exp(-(2**epoch) * gap * epsilon / c2)


# The exponent is 16 * 0.5 * 1 / 8 = 1.
# 2 * 0.36787944117 = 0.735758882
BY_HAND["equation_9"] = ({"epoch": 4, "gap": 0.5, "epsilon": 1.0, "c1": 2, "c2": 8}, 0.735758882)


def pairwise_law(*, epoch, gap, epsilon, noise):
    """Appendix G, P[Q_{r,j} - Q_{r,1} >= 2^{r-1} Delta_j] exactly, noise of scale 2 / eps."""
    u = 2 ** (epoch - 1) * gap * epsilon / 2
    if noise == "laplace":
        return (1 + u / 2) * math.exp(-u) / 2
    if noise == "exponential":
        return math.exp(-u) / 2
    return 1 / (1 + math.exp(u))


# u = 8 * 0.5 * 0.5 / 2 = 1.
# (1 + 1 / 2) * 0.36787944117 / 2 = 0.275909581
BY_HAND["pairwise_law"] = ({"epoch": 4, "gap": 0.5, "epsilon": 0.5, "noise": "laplace"}, 0.275909581)


def theorem_2(*, n_actions, gap, epsilon, noise="laplace"):
    """Theorem 2 and Corollary 1, the sum of Appendix C with (c1, c2) at scale 2 / eps."""
    c1, c2 = tail_constants(noise)
    up = (8 * c2 * math.log(n_actions) + 2 * c1 * c2) / gap
    down = 2 * c2 / epsilon * math.log(n_actions) * sum(1 / j for j in range(2, n_actions + 1))
    return up + down + c1 * c2 / epsilon * (n_actions - 1) / n_actions


# (256 * 1.38629436112 + 96) / 0.5 + 64 / 0.1 * 1.38629436112 * 1.08333333333 + 48 / 0.1 * 3 / 4 = 2222.9468
BY_HAND["theorem_2"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 2222.9468)


def corollary_2(*, n_actions, epsilon, horizon, noise="laplace"):
    """Corollary 2, Appendix F over the sum of Appendix C with (c1, c2) at scale 2 / eps."""
    critical = math.sqrt(math.log(n_actions) / horizon)
    return horizon * critical + theorem_2(n_actions=n_actions, gap=critical, epsilon=epsilon, noise=noise)


# sqrt(1000 * 1.38629436112) = 37.2329741, and 1000 / 37.2329741 = 26.8579136 = 1 / Delta^*;
# 32 / 0.1 * 1.38629436112 * 1.08333333333 = 480.582045 and 32 / 0.1 * 3 / 4 = 240
# 37.2329741 + (128 * 1.38629436112 + 64) * 26.8579136 + 480.582045 + 240 = 7242.54217
BY_HAND["corollary_2"] = ({"n_actions": 4, "epsilon": 0.1, "horizon": 1000, "noise": "gumbel"}, 7242.54217)


def corollary_3_chain(*, n_actions, epsilon, constants):
    """Corollary 3, Appendix C's Regret_down over (9), exponent 2^r, all of j = 2, ..., K; (c1, c2)."""
    c1, c2 = constants
    first = 4 * c2 / epsilon * math.log(n_actions) * sum(1 / j for j in range(2, n_actions + 1))
    return first + 2 * c1 * c2 / epsilon * (n_actions - 1) / n_actions


# 4 * 8 / 0.1 * 1.38629436112 * 1.08333333333 + 2 * 2 * 8 / 0.1 * 3 / 4 = 720.582045
BY_HAND["corollary_3_chain"] = ({"n_actions": 4, "epsilon": 0.1, "constants": (2, 8)}, 720.582045)


def theorem_3_sum(*, n_actions, epsilon, horizon):
    """Appendix E, the sum before the integral, t - 1 observed losses in round t."""
    # (K - 1) / (e^x + K - 1), divided by e^x above and below.
    weights = ((n_actions - 1) * math.exp(-t * epsilon) for t in range(horizon))
    return sum(weight / (1 + weight) for weight in weights)


# 3 / (1 + 3) + 3 / (1.6487212707 + 3) = 1.39533876
BY_HAND["theorem_3_sum"] = ({"n_actions": 4, "epsilon": 0.5, "horizon": 2}, 1.39533876)


def theorem_3(*, n_actions, epsilon, horizon):
    """Appendix E, R(T) >= ln(...) / eps."""
    # e^x / (e^x + K - 1) at x = (T + 1) eps, divided by e^x above and below.
    last = 1 / (1 + (n_actions - 1) * math.exp(-(horizon + 1) * epsilon))
    return math.log(last * (math.exp(epsilon) + n_actions - 1) / math.exp(epsilon)) / epsilon


# e^eps = 2, T = 1: the argument is 4 / 7 * 5 / 2 = 10 / 7.
# (2.30258509299 - 1.94591014906) / 0.69314718056 = 0.514573173
BY_HAND["theorem_3"] = ({"n_actions": 4, "epsilon": 0.69314718056, "horizon": 1}, 0.514573173)


def theorem_3_integral(*, n_actions, epsilon, horizon):
    """Appendix E, the integral over [0, T], t - 1 observed losses in round t."""
    # K e^x / (e^x + K - 1) at x = T eps, divided by e^x above and below.
    return math.log(n_actions / (1 + (n_actions - 1) * math.exp(-horizon * epsilon))) / epsilon


# T eps = 2 log 3, e^{T eps} = 9: 4 * 9 / (9 + 3) = 3.
# 1.09861228867 / 1.09861228867 = 1
BY_HAND["theorem_3_integral"] = ({"n_actions": 4, "epsilon": 1.09861228867, "horizon": 2}, 1)


def theorem_3_limit(*, n_actions, epsilon):
    """Appendix E, ln K / eps - 1."""
    return math.log(n_actions) / epsilon - 1


# 1.38629436112 / 0.1 - 1 = 12.8629436
BY_HAND["theorem_3_limit"] = ({"n_actions": 4, "epsilon": 0.1}, 12.8629436)


def expected_maximum(*, n_actions, noise):
    """Mean of the largest of K draws at scale 1 less the mean of one draw."""
    if noise == "gumbel":
        return math.log(n_actions)
    if noise == "exponential":
        return sum(1 / i for i in range(2, n_actions + 1))
    return sum((1 - 2.0**-i) / i for i in range(1, n_actions + 1)) - 2.0**-n_actions / n_actions


# K = 2: half of the mean distance 3 / 2 of two draws.
# 0.5 * 1.5 = 0.75
BY_HAND["expected_maximum"] = ({"n_actions": 2, "noise": "laplace"}, 0.75)
