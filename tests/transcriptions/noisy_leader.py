"""Formulas of Wu & Wang (2026), "New Rates in Stochastic Decision-Theoretic Online Learning under ... Privacy"."""

import math


def noise_scale(noise, *, epsilon, calibration="corrected"):
    """Section 2 and Table 2: beta of Lap, Exp, Gumbel; Exp corrected for Definition 1."""
    return (1 if (noise, calibration) == ("exponential", "printed") else 2) / epsilon


def epoch_rounds(*, epoch):
    """Algorithm 1, line 6: first and last round of epoch r."""
    return 2 ** (epoch - 1), 2**epoch - 1


def n_epochs(*, horizon, calibration="corrected"):
    """Algorithm 1, line 4: number of epochs."""
    if calibration == "printed":
        return math.ceil(math.log2(horizon - 1)) + 1
    return math.ceil(math.log2(horizon + 1))


def exponential_privacy_one_round(*, epsilon):
    """Privacy of Exp(1 / eps) under Definition 1, K = 2, block of one round."""
    return math.log(2 * math.exp(epsilon) - 1)


def lemma_2_function(*, a, x):
    """Lemma 2, f(x)."""
    above = sum(2**x * a_i * math.exp(-(2**x) * a_i) for a_i in a)
    return above / sum(math.exp(-(2**x) * a_i) for a_i in a)


def lemma_2_derivative(*, a, x):
    """Proof of Lemma 2, f'(x) (third display)."""
    zero = sum(math.exp(-(2**x) * a_i) for a_i in a)
    one = sum(2**x * a_i * math.exp(-(2**x) * a_i) for a_i in a)
    two = sum((2**x * a_i) ** 2 * math.exp(-(2**x) * a_i) for a_i in a)
    return math.log(2) * one / zero - math.log(2) * (two * zero - one**2) / zero**2


def lemma_3(*, integral):
    """Proof of Lemma 3, (6)."""
    return (math.log(2) + 1) * integral


def lemma_3_integral_exact(*, a):
    """Proof of Lemma 3, lim F - F(0)."""
    return math.log(sum(math.exp(-a_i) for a_i in a)) / math.log(2)


def theorem_4(*, n_actions, epsilon, constants=(4,)):
    """Proof of Theorem 4 with the constants of Lemma 3."""
    (a,) = constants
    return 3 + a * (1 + 1 / math.log(2)) * math.log(n_actions) / epsilon


def gumbel_law_corrected(*, gaps, action, epoch, epsilon):
    """Proof of Theorem 4, P[J_r = j] with deterministic losses; actions counted from 0."""
    below = sum(math.exp(-(2 ** (epoch - 1)) * gap * epsilon / 2) for gap in gaps)
    return math.exp(-(2 ** (epoch - 1)) * gaps[action] * epsilon / 2) / below


def gumbel_regret_corrected(*, gaps, epsilon, epochs):
    """Section 1.3, last display: the sum over r = 3, ..., R without O(1)."""
    return sum(
        2 ** (r - 1) * gap * gumbel_law_corrected(gaps=gaps, action=j, epoch=r - 1, epsilon=epsilon)
        for r in range(3, epochs + 1)
        for j, gap in enumerate(gaps)
    )


def tail_constants(noise):
    """(c1, c2) of (7), exponent 2^{r+1}, noise of scale 2 / eps (Appendix D)."""
    return (1.5, 32.0) if noise == "laplace" else (2.0, 16.0)


def equation_7(*, epoch, gap, epsilon, noise, c2=None):
    """Appendix C, (7), with (c1, c2) at scale 2 / eps; also (4) of Section 2.1."""
    c1, derived = tail_constants(noise)
    return c1 * math.exp(-(2 ** (epoch + 1)) * gap * min(gap, epsilon) / (derived if c2 is None else c2))


def appendix_d_gumbel_printed(*, epoch, gap, epsilon):
    """Appendix D, Gumbel(2 / eps), last display."""
    return math.exp(-(2 ** (epoch - 1)) * gap * epsilon / 2) + math.exp(-(2 ** (epoch - 1)) * gap**2 / 4)


def appendix_d_gumbel_corrected(*, epoch, gap, epsilon):
    """Appendix D, Gumbel(2 / eps), last display with exp(-eps G / 2)."""
    return math.exp(-(2 ** (epoch - 1)) * gap * epsilon / 4) + math.exp(-(2 ** (epoch - 1)) * gap**2 / 4)


def equation_9(*, epoch, gap, epsilon, c1, c2):
    """Appendix G, (9)."""
    return c1 * math.exp(-(2**epoch) * gap * epsilon / c2)


def pairwise_law(*, epoch, gap, epsilon, noise):
    """Appendix G, P[Q_{r,j} - Q_{r,1} >= 2^{r-1} Delta_j] exactly, noise of scale 2 / eps."""
    u = 2 ** (epoch - 1) * gap * epsilon / 2
    if noise == "laplace":
        return (1 + u / 2) * math.exp(-u) / 2
    if noise == "exponential":
        return math.exp(-u) / 2
    return 1 / (1 + math.exp(u))


def theorem_2(*, n_actions, gap, epsilon, noise="laplace"):
    """Theorem 2 and Corollary 1, the sum of Appendix C with (c1, c2) at scale 2 / eps."""
    c1, c2 = tail_constants(noise)
    up = (8 * c2 * math.log(n_actions) + 2 * c1 * c2) / gap
    down = 2 * c2 / epsilon * math.log(n_actions) * sum(1 / j for j in range(2, n_actions + 1))
    return up + down + c1 * c2 / epsilon * (n_actions - 1) / n_actions


def corollary_2(*, n_actions, epsilon, horizon, noise="laplace"):
    """Corollary 2, Appendix F over the sum of Appendix C with (c1, c2) at scale 2 / eps."""
    critical = math.sqrt(math.log(n_actions) / horizon)
    return horizon * critical + theorem_2(n_actions=n_actions, gap=critical, epsilon=epsilon, noise=noise)


def corollary_3_chain(*, n_actions, epsilon, constants):
    """Corollary 3, Appendix C's Regret_down over (9), exponent 2^r, all of j = 2, ..., K; (c1, c2)."""
    c1, c2 = constants
    first = 4 * c2 / epsilon * math.log(n_actions) * sum(1 / j for j in range(2, n_actions + 1))
    return first + 2 * c1 * c2 / epsilon * (n_actions - 1) / n_actions


def theorem_3_sum(*, n_actions, epsilon, horizon):
    """Appendix E, the sum before the integral, t - 1 observed losses in round t."""
    # (K - 1) / (e^x + K - 1), divided by e^x above and below.
    weights = ((n_actions - 1) * math.exp(-t * epsilon) for t in range(horizon))
    return sum(weight / (1 + weight) for weight in weights)


def theorem_3(*, n_actions, epsilon, horizon):
    """Appendix E, R(T) >= ln(...) / eps."""
    # e^x / (e^x + K - 1) at x = (T + 1) eps, divided by e^x above and below.
    last = 1 / (1 + (n_actions - 1) * math.exp(-(horizon + 1) * epsilon))
    return math.log(last * (math.exp(epsilon) + n_actions - 1) / math.exp(epsilon)) / epsilon


def theorem_3_integral(*, n_actions, epsilon, horizon):
    """Appendix E, the integral over [0, T], t - 1 observed losses in round t."""
    # K e^x / (e^x + K - 1) at x = T eps, divided by e^x above and below.
    return math.log(n_actions / (1 + (n_actions - 1) * math.exp(-horizon * epsilon))) / epsilon


def theorem_3_limit(*, n_actions, epsilon):
    """Appendix E, ln K / eps - 1."""
    return math.log(n_actions) / epsilon - 1


def expected_maximum(*, n_actions, noise):
    """Mean of the largest of K draws at scale 1 less the mean of one draw."""
    if noise == "gumbel":
        return math.log(n_actions)
    if noise == "exponential":
        return sum(1 / i for i in range(2, n_actions + 1))
    return sum((1 - 2.0**-i) / i for i in range(1, n_actions + 1)) - 2.0**-n_actions / n_actions
