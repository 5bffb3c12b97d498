"""Formulas of Sima, Wu, Milenkovic & Szpankowski (2024), "Online Distribution Learning with Local Privacy ..."."""

import math

BY_HAND: dict[str, tuple[dict[str, object], object]] = {}


# --- Section 3 and Appendix A: lower bound -----------------------------------------------------------------------


def equation_23_factor_printed(*, epsilon):
    """Appendix A, (23), step (c)."""
    return min((math.exp(epsilon) - 1) ** 2, 1)


# 0.10517091808**2 = 0.011060922
BY_HAND["equation_23_factor_printed"] = ({"epsilon": 0.1}, 0.011060922)


def hadamard_gap(*, n_pairs, horizon, epsilon):
    """Appendix A, (16): a."""
    return math.sqrt(n_pairs / (9 * horizon * equation_23_factor_printed(epsilon=epsilon) * math.exp(epsilon)))


# (4 / (9 * 1000 * 0.10517091808**2 * 1.10517091808))**0.5 = 0.190677018
BY_HAND["hadamard_gap"] = ({"n_pairs": 4, "horizon": 1000, "epsilon": 0.1}, 0.190677018)


def hadamard_horizon(*, n_pairs, epsilon):
    """Theorem 3: smallest T of the condition, where a of (16) is at most 1."""
    return max(1, math.ceil(hadamard_gap(n_pairs=n_pairs, horizon=1, epsilon=epsilon) ** 2))


# 4 / (9 * 0.10517091808**2 * 1.10517091808) = 36.3580, rounded up.
# 37
BY_HAND["hadamard_horizon"] = ({"n_pairs": 4, "epsilon": 0.1}, 37)


def hadamard_labels(*, n_pairs):
    """Appendix A: N = 2^n with N / 2 <= K <= N - 1."""
    n = 1
    while n - 1 < n_pairs:
        n *= 2
    return n


# 4 <= 4 <= 7
# 8
BY_HAND["hadamard_labels"] = ({"n_pairs": 4}, 8)


def theorem_3(*, n_pairs, horizon, epsilon):
    """Appendix A, (16)-(18): a T / 132."""
    return horizon / 132 * hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)


# 1000 / 132 * (4 / (9 * 1000 * 0.10517091808**2 * 1.10517091808))**0.5 = 1.44452286
BY_HAND["theorem_3"] = ({"n_pairs": 4, "horizon": 1000, "epsilon": 0.1}, 1.44452286)


def theorem_1_constant_printed(*, n_pairs, epsilon):
    """Theorem 3 over sqrt(K T) / eps, K the number of pairs."""
    return epsilon * theorem_3(n_pairs=n_pairs, horizon=1, epsilon=epsilon) / math.sqrt(n_pairs)


# 0.1 / 132 / 3 / (0.10517091808**2 * 1.10517091808)**0.5 = 0.00228399119
BY_HAND["theorem_1_constant_printed"] = ({"n_pairs": 4, "epsilon": 0.1}, 0.00228399119)


def equation_23_factor_exact(*, epsilon):
    """Appendix A, (23), step (c)."""
    return 2 * ((math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)) ** 2


# e^eps = 3: 2 * (2 / 4)^2.
# 2 * 0.25 = 0.5
BY_HAND["equation_23_factor_exact"] = ({"epsilon": 1.09861228867}, 0.5)


def divergence_bound(*, n_pairs, gap, epsilon):
    """Appendix A, KL of i^* before (24)."""
    return gap**2 * equation_23_factor_printed(epsilon=epsilon) * math.exp(epsilon) / (2 * n_pairs)


# 0.25 * 0.10517091808**2 * 1.10517091808 / 8 = 0.000382006542
BY_HAND["divergence_bound"] = ({"n_pairs": 4, "gap": 0.5, "epsilon": 0.1}, 0.000382006542)


# --- Sections 1 and 3: mixture and randomised response -----------------------------------------------------------


def non_private(*, n_hypotheses):
    """Section 1: log |F|."""
    return math.log(n_hypotheses)


# 1.38629436112 = 1.38629436
BY_HAND["non_private"] = ({"n_hypotheses": 4}, 1.38629436)


def randomized_response_flip(*, n_labels, epsilon):
    """Section 3: eta of randomised response."""
    return 1 / (math.exp(epsilon) / (n_labels - 1) + 1)


# 1 / (2.71828182846 / 7 + 1) = 0.720291933
BY_HAND["randomized_response_flip"] = ({"n_labels": 8, "epsilon": 1.0}, 0.720291933)


def randomized_response_contrast(*, n_labels, epsilon):
    """Section 3: c_eta."""
    return (math.exp(epsilon) - 1) / (math.exp(epsilon) + n_labels - 1)


# 1.71828182846 / 9.71828182846 = 0.17680922
BY_HAND["randomized_response_contrast"] = ({"n_labels": 8, "epsilon": 1.0}, 0.17680922)


# --- Section 4.2: clipping ---------------------------------------------------------------------------------------


def n_cells(*, largest):
    """(3); largest holds max_j f_j(x_t)[y] for every label y."""
    return sum(math.ceil(len(largest) * value) for value in largest)


# ceilings of 4 * 0.6 = 2.4, 4 * 0.4 = 1.6, 4 * 0.3 = 1.2 and 0
# 3 + 2 + 2 = 7
BY_HAND["n_cells"] = ({"largest": [0.6, 0.4, 0.3, 0.0]}, 7)


def clip_probability(*, cells, n_cells, horizon, inside):
    """(5), Pr(h_t(y) = y' | y); cells is the ceiling of y."""
    return cell_density(probability=float(inside), cells=cells, n_cells=n_cells, horizon=horizon)


# (1 - 0.01) / 3 + 1 / (100 * 7) = 0.331428571
BY_HAND["clip_probability"] = ({"cells": 3, "n_cells": 7, "horizon": 100, "inside": True}, 0.331428571)


def cell_density(*, probability, cells, n_cells, horizon):
    """(6), h_t o f_j(x_t) in a cell of y; probability is f_j(x_t)[y]."""
    return (1 - 1 / horizon) * probability / cells + 1 / (horizon * n_cells)


# (1 - 0.01) * 0.6 / 3 + 1 / (100 * 7) = 0.199428571
BY_HAND["cell_density"] = ({"probability": 0.6, "cells": 3, "n_cells": 7, "horizon": 100}, 0.199428571)


def cell_label_probability(*, probability, cells, n_cells, horizon):
    """(5) and (6): law of the label of the cell h_t(Y_t); also hat p_t[y] of a single hypothesis."""
    return (1 - 1 / horizon) * probability + cells / (horizon * n_cells)


# (1 - 0.01) * 0.6 + 3 / (100 * 7) = 0.598285714
BY_HAND["cell_label_probability"] = ({"probability": 0.6, "cells": 3, "n_cells": 7, "horizon": 100}, 0.598285714)


def log_range(*, n_hypotheses, horizon, calibration="corrected"):
    """Section 4.2, after (7): sensitivity of the log-likelihood."""
    return math.log((n_hypotheses + (calibration == "corrected")) * horizon)


# 1.60943791243 + 4 * 2.30258509299 = 10.8197783
BY_HAND["log_range"] = ({"n_hypotheses": 4, "horizon": 10000}, 10.8197783)


def log_range_context(*, n_labels, n_cells, horizon, ratio):
    """Section 4.2, sensitivity in one context; ratio is max over j and y of M f_j(x_t)[y] / n_y."""
    return math.log((horizon - 1) * n_cells / n_labels * ratio + 1)


# 99 * 16 / 4 * 1 + 1 = 397 = 400 * 0.9925, log 0.9925 = -0.007528267
# 1.38629436112 + 2 * 2.30258509299 - 0.007528267 = 5.98393628
BY_HAND["log_range_context"] = ({"n_labels": 4, "n_cells": 16, "horizon": 100, "ratio": 1.0}, 5.98393628)


# --- Section 4: approximate privacy ------------------------------------------------------------------------------


def wma_learning_rate(*, n_actions, horizon):
    """Algorithm WMA and Algorithm 1, line 2."""
    return math.sqrt(2 * math.log(n_actions) / horizon)


# (2 * 1.38629436112 / 10000)**0.5 = 0.0166510922
BY_HAND["wma_learning_rate"] = ({"n_actions": 4, "horizon": 10000}, 0.0166510922)


def wma_regret(*, n_actions, horizon):
    """Lemmas 1 and 4."""
    return math.sqrt(2 * horizon * math.log(n_actions))


# (20000 * 1.38629436112)**0.5 = 166.510922
BY_HAND["wma_regret"] = ({"n_actions": 4, "horizon": 10000}, 166.510922)


def second_order_regret(*, n_actions, learning_rate, second_moment):
    """Proof of Lemma 7, first display; second_moment is the double sum of the weighted squares."""
    return math.log(n_actions) / learning_rate + learning_rate / 2 * second_moment


# 1.38629436112 / 0.1 + 0.1 / 2 * 30 = 15.3629436
BY_HAND["second_order_regret"] = ({"n_actions": 4, "learning_rate": 0.1, "second_moment": 30.0}, 15.3629436)


def approximate_unit_scale(*, n_hypotheses, epsilon, delta):
    """(8), Laplace scale over the sensitivity."""
    return (2 * math.sqrt(2 * n_hypotheses * math.log(1 / delta)) + math.sqrt(n_hypotheses * epsilon)) / epsilon


# (2 * (8 * 4.60517018599)**0.5 + 4**0.5) / 1 = 14.139417
BY_HAND["approximate_unit_scale"] = ({"n_hypotheses": 4, "epsilon": 1.0, "delta": 0.01}, 14.139417)


def approximate_scale(*, n_hypotheses, horizon, epsilon, delta, calibration="corrected"):
    """(8), Laplace scale."""
    span = log_range(n_hypotheses=n_hypotheses, horizon=horizon, calibration=calibration)
    return approximate_unit_scale(n_hypotheses=n_hypotheses, epsilon=epsilon, delta=delta) * span


# (2 * (8 * 4.60517018599)**0.5 + 4**0.5) * 10.8197782844 = 152.985357
BY_HAND["approximate_scale"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 1.0, "delta": 0.01}, 152.985357)


def approximate_shift(*, gamma, **setting):
    """(9), c'(gamma)."""
    log = math.log(setting["n_hypotheses"]) + math.log(setting["horizon"])
    return approximate_scale(**setting) * (gamma + log)


# (2 * (8 * 4.60517018599)**0.5 + 4**0.5) * 10.8197782844 * (2 + 1.38629436112 + 9.21034037198) = 1927.10067
BY_HAND["approximate_shift"] = (
    {"n_hypotheses": 4, "horizon": 10000, "epsilon": 1.0, "delta": 0.01, "gamma": 2.0},
    1927.10067,
)


def approximate_factor(*, epsilon, delta, gamma, **sizes):
    """After (8), c(gamma)."""
    shift = approximate_shift(epsilon=epsilon, delta=delta, gamma=gamma, **sizes)
    return 1 / (log_range(**sizes) + 2 * shift)


# 2 * (8 * 4.60517018599)**0.5 + 4**0.5 = 14.139417035
# 1 / (10.8197782844 + 2 * 14.139417035 * 10.8197782844 * (2 + 1.38629436112 + 9.21034037198)) = 0.000258730799
BY_HAND["approximate_factor"] = (
    {"n_hypotheses": 4, "horizon": 10000, "epsilon": 1.0, "delta": 0.01, "gamma": 2.0},
    0.000258730799,
)


def message(*, density, noise, n_labels, factor, shift):
    """(8), and the released coordinate of (12)."""
    return -factor * (math.log(density) + noise + math.log(n_labels) - shift)


# -0.1 * (-0.69314718056 + 1.5 + 1.38629436112 - 3) = 0.0806852819
BY_HAND["message"] = ({"density": 0.5, "noise": 1.5, "n_labels": 4, "factor": 0.1, "shift": 3.0}, 0.0806852819)


def noise_failure(*, n_hypotheses, horizon, gamma):
    """Appendix B, probability of (26) for one t and j."""
    return math.exp(-gamma - math.log(n_hypotheses) - math.log(horizon))


# 0.13533528324 / 4 / 100 = 0.000338338208
BY_HAND["noise_failure"] = ({"n_hypotheses": 4, "horizon": 100, "gamma": 2.0}, 0.000338338208)


def risk_bound(*, factor, regret, gamma, **sizes):
    """Proof of Theorem 4, last display, with 3 log(KT) for O(log(KT))."""
    span, horizon = log_range(**sizes), sizes["horizon"]
    return regret / factor + 3 * span + math.exp(-gamma) * (horizon * span + 3 * span)


# 200 / 0.01 + 3 * 10.8197782844 + 0.13533528324 * (10000 * 10.8197782844 + 3 * 10.8197782844) = 34679.8298
BY_HAND["risk_bound"] = (
    {"factor": 0.01, "regret": 200.0, "n_hypotheses": 4, "horizon": 10000, "gamma": 2.0},
    34679.8298,
)


def theorem_4(*, epsilon, delta, **sizes):
    """Theorem 4, last display of its proof at gamma = log T."""
    k, horizon = sizes["n_hypotheses"], sizes["horizon"]
    factor = approximate_factor(epsilon=epsilon, delta=delta, gamma=math.log(horizon), **sizes)
    return risk_bound(
        factor=factor, regret=wma_regret(n_actions=k, horizon=horizon), gamma=math.log(horizon), **sizes
    )


# shift: 14.139417035 * 10.8197782844 * (9.21034037198 + 1.38629436112 + 9.21034037198) = 3030.17717
# regret: (20000 * 1.38629436112)**0.5 = 166.510922232
# (10.8197782844 + 2 * 3030.17717) * 166.510922232 + 3 * 10.8197782844 + 10.8197782844 * 10003 / 10000 = 1010960.08
BY_HAND["theorem_4"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 1.0, "delta": 0.01}, 1010960.08)


def theorem_4_rate(*, n_hypotheses, horizon, epsilon, delta):
    """Theorem 4."""
    k, span = n_hypotheses, math.log(n_hypotheses * horizon)
    first = (math.sqrt(k * math.log(1 / delta)) + math.sqrt(k * epsilon)) * span**2 / epsilon
    return math.sqrt(2 * horizon * math.log(k)) * (span + first)


# 166.510922232 * (10.5966347331 + ((4 * 4.60517018599)**0.5 + 2) * 10.5966347331**2) = 119406.531
BY_HAND["theorem_4_rate"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 1.0, "delta": 0.01}, 119406.531)


# --- Section 5: pure privacy -------------------------------------------------------------------------------------


def exp3_learning_rate(*, n_actions, horizon):
    """Algorithm 2, line 2, and proof of Lemma 7."""
    return math.sqrt(2 * n_actions * math.log(n_actions) / horizon)


# (8 * 1.38629436112 / 10000)**0.5 = 0.0333021844
BY_HAND["exp3_learning_rate"] = ({"n_actions": 4, "horizon": 10000}, 0.0333021844)


def exp3_regret(*, n_actions, horizon):
    """Lemma 7."""
    return math.sqrt(2 * horizon * n_actions * math.log(n_actions))


# (80000 * 1.38629436112)**0.5 = 333.021844
BY_HAND["exp3_regret"] = ({"n_actions": 4, "horizon": 10000}, 333.021844)


def pure_scale(*, epsilon, **sizes):
    """Section 5, after (12), Laplace scale."""
    return log_range(**sizes) / epsilon


# 10.8197782844 / 0.1 = 108.197783
BY_HAND["pure_scale"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 0.1}, 108.197783)


def pure_shift(*, epsilon, gamma, **sizes):
    """(13), c'_pdp(gamma)."""
    log = math.log(sizes["n_hypotheses"]) + math.log(sizes["horizon"])
    return pure_scale(epsilon=epsilon, **sizes) * (gamma + log)


# 10.8197782844 * (2 + 1.38629436112 + 9.21034037198) / 0.1 = 1362.92795
BY_HAND["pure_shift"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 0.1, "gamma": 2.0}, 1362.92795)


def pure_factor(*, epsilon, gamma, **sizes):
    """Before (13), c_pdp(gamma)."""
    return 1 / (log_range(**sizes) + 2 * pure_shift(epsilon=epsilon, gamma=gamma, **sizes))


# 1 / (10.8197782844 + 2 * 10.8197782844 * (2 + 1.38629436112 + 9.21034037198) / 0.1) = 0.000365406836
BY_HAND["pure_factor"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 0.1, "gamma": 2.0}, 0.000365406836)


def theorem_5(*, epsilon, **sizes):
    """Theorem 5, last display of the proof of Theorem 4 with Lemma 8 and (13) at gamma = log T."""
    k, horizon = sizes["n_hypotheses"], sizes["horizon"]
    factor = pure_factor(epsilon=epsilon, gamma=math.log(horizon), **sizes)
    return risk_bound(
        factor=factor, regret=exp3_regret(n_actions=k, horizon=horizon), gamma=math.log(horizon), **sizes
    )


# shift: 10.8197782844 * 19.8069751051 = 214.307079122; regret: (80000 * 1.38629436112)**0.5 = 333.021844463
# 3 * 10.8197782844 + 10.8197782844 * 10003 / 10000 = 43.2823591
# (10.8197782844 + 2 * 214.307079122) * 333.021844463 + 43.2823591 = 146384.382
BY_HAND["theorem_5"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 1.0}, 146384.382)


def theorem_5_rate(*, n_hypotheses, horizon, epsilon):
    """Theorem 5."""
    k, span = n_hypotheses, math.log(n_hypotheses * horizon)
    return math.sqrt(2 * horizon * k * math.log(k)) * (span + span**2 / epsilon)


# 333.021844463 * (10.5966347331 + 10.5966347331**2 / 0.1) = 377474.703
BY_HAND["theorem_5_rate"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 0.1}, 377474.703)


def theorem_2_rate(*, n_hypotheses, horizon, epsilon, power=5.0):
    """Theorem 2."""
    k = n_hypotheses
    return 1 / epsilon * math.sqrt(k * horizon * math.log(k * horizon) ** power)


# 1 / 0.1 * (40000 * 10.5966347331**5)**0.5 = 731054.756
BY_HAND["theorem_2_rate"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 0.1}, 731054.756)


def theorem_2_constant(*, power=5.0, calibration="corrected", **setting):
    """Theorem 5, explicit, over the expression of Theorem 2."""
    return theorem_5(**setting, calibration=calibration) / theorem_2_rate(**setting, power=power)


# the numerator is that of theorem_5
# ((10.8197782844 + 428.614158244) * 333.021844463 + 43.2823591) / (40000 * 10.5966347331**5)**0.5 = 2.00237234
BY_HAND["theorem_2_constant"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 1.0}, 2.00237234)


# --- Section 6 ---------------------------------------------------------------------------------------------------


def theorem_6(*, horizon, **setting):
    """Proof of Theorem 6, sqrt(risk / (2 T)) with Theorem 5, explicit."""
    return math.sqrt(theorem_5(horizon=horizon, **setting) / (2 * horizon))


# (((10.8197782844 + 428.614158244) * 333.021844463 + 43.2823591) / 20000)**0.5 = 2.70540554
BY_HAND["theorem_6"] = ({"n_hypotheses": 4, "horizon": 10000, "epsilon": 1.0}, 2.70540554)


def sample_size(*, accuracy, **setting):
    """Section 6, T_alpha: smallest T at which the explicit bound of Theorem 6 is at most alpha."""
    low, high = 1, 2**200
    while high - low > 1:
        middle = (low + high) // 2
        enough = theorem_6(horizon=middle, **setting) <= accuracy
        low, high = (low, middle) if enough else (middle, high)
    return high


# At T = 108571614 and 108571615 (log 18.5029205501 and 18.5029205593, log(5 T) = 20.1123584625 and 20.1123584717)
# the squared bound 1 / (2 T) * ((1 + 2 * (2 * log T + 1.38629436112)) * log(5 T) * sqrt(8 T * 1.386294361)
# + 4 log(5 T)) is 0.25 + 2.1e-10 and 0.25 - 7.1e-10.
# 108571615
BY_HAND["sample_size"] = ({"n_hypotheses": 4, "epsilon": 1.0, "accuracy": 0.5}, 108571615)
