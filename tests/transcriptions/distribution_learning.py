"""Formulas of Sima, Wu, Milenkovic & Szpankowski (2024), "Online Distribution Learning with Local Privacy ..."."""

import math

# --- Section 3 and Appendix A: lower bound -----------------------------------------------------------------------


def equation_23_factor_printed(*, epsilon):
    """Appendix A, (23), step (c)."""
    return min((math.exp(epsilon) - 1) ** 2, 1)


def hadamard_gap(*, n_pairs, horizon, epsilon):
    """Appendix A, (16): a."""
    return math.sqrt(n_pairs / (9 * horizon * equation_23_factor_printed(epsilon=epsilon) * math.exp(epsilon)))


def hadamard_horizon(*, n_pairs, epsilon):
    """Theorem 3: smallest T of the condition, where a of (16) is at most 1."""
    return max(1, math.ceil(hadamard_gap(n_pairs=n_pairs, horizon=1, epsilon=epsilon) ** 2))


def hadamard_labels(*, n_pairs):
    """Appendix A: N = 2^n with N / 2 <= K <= N - 1."""
    n = 1
    while n - 1 < n_pairs:
        n *= 2
    return n


def theorem_3(*, n_pairs, horizon, epsilon):
    """Appendix A, (16)-(18): a T / 132."""
    return horizon / 132 * hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)


def theorem_1_constant_printed(*, n_pairs, epsilon):
    """Theorem 3 over sqrt(K T) / eps, K the number of pairs."""
    return epsilon * theorem_3(n_pairs=n_pairs, horizon=1, epsilon=epsilon) / math.sqrt(n_pairs)


def equation_23_factor_exact(*, epsilon):
    """Appendix A, (23), step (c)."""
    return 2 * ((math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)) ** 2


def divergence_bound(*, n_pairs, gap, epsilon):
    """Appendix A, KL of i^* before (24)."""
    return gap**2 * equation_23_factor_printed(epsilon=epsilon) * math.exp(epsilon) / (2 * n_pairs)


# --- Sections 1 and 3: mixture and randomised response -----------------------------------------------------------


def non_private(*, n_hypotheses):
    """Section 1: log |F|."""
    return math.log(n_hypotheses)


def randomized_response_flip(*, n_labels, epsilon):
    """Section 3: eta of randomised response."""
    return 1 / (math.exp(epsilon) / (n_labels - 1) + 1)


def randomized_response_contrast(*, n_labels, epsilon):
    """Section 3: c_eta."""
    return (math.exp(epsilon) - 1) / (math.exp(epsilon) + n_labels - 1)


# --- Section 4.2: clipping ---------------------------------------------------------------------------------------


def n_cells(*, largest):
    """(3); largest holds max_j f_j(x_t)[y] for every label y."""
    return sum(math.ceil(len(largest) * value) for value in largest)


def clip_probability(*, cells, n_cells, horizon, inside):
    """(5), Pr(h_t(y) = y' | y); cells is the ceiling of y."""
    return cell_density(probability=float(inside), cells=cells, n_cells=n_cells, horizon=horizon)


def cell_density(*, probability, cells, n_cells, horizon):
    """(6), h_t o f_j(x_t) in a cell of y; probability is f_j(x_t)[y]."""
    return (1 - 1 / horizon) * probability / cells + 1 / (horizon * n_cells)


def cell_label_probability(*, probability, cells, n_cells, horizon):
    """(5) and (6): law of the label of the cell h_t(Y_t); also hat p_t[y] of a single hypothesis."""
    return (1 - 1 / horizon) * probability + cells / (horizon * n_cells)


def log_range(*, n_hypotheses, horizon, calibration="corrected"):
    """Section 4.2, after (7): sensitivity of the log-likelihood."""
    return math.log((n_hypotheses + (calibration == "corrected")) * horizon)


def log_range_context(*, n_labels, n_cells, horizon, ratio):
    """Section 4.2, sensitivity in one context; ratio is max over j and y of M f_j(x_t)[y] / n_y."""
    return math.log((horizon - 1) * n_cells / n_labels * ratio + 1)


# --- Section 4: approximate privacy ------------------------------------------------------------------------------


def wma_learning_rate(*, n_actions, horizon):
    """Algorithm WMA and Algorithm 1, line 2."""
    return math.sqrt(2 * math.log(n_actions) / horizon)


def wma_regret(*, n_actions, horizon):
    """Lemmas 1 and 4."""
    return math.sqrt(2 * horizon * math.log(n_actions))


def second_order_regret(*, n_actions, learning_rate, second_moment):
    """Proof of Lemma 7, first display; second_moment is the double sum of the weighted squares."""
    return math.log(n_actions) / learning_rate + learning_rate / 2 * second_moment


def approximate_unit_scale(*, n_hypotheses, epsilon, delta):
    """(8), Laplace scale over the sensitivity."""
    return (2 * math.sqrt(2 * n_hypotheses * math.log(1 / delta)) + math.sqrt(n_hypotheses * epsilon)) / epsilon


def approximate_scale(*, n_hypotheses, horizon, epsilon, delta, calibration="corrected"):
    """(8), Laplace scale."""
    span = log_range(n_hypotheses=n_hypotheses, horizon=horizon, calibration=calibration)
    return approximate_unit_scale(n_hypotheses=n_hypotheses, epsilon=epsilon, delta=delta) * span


def approximate_shift(*, gamma, **setting):
    """(9), c'(gamma)."""
    log = math.log(setting["n_hypotheses"]) + math.log(setting["horizon"])
    return approximate_scale(**setting) * (gamma + log)


def approximate_factor(*, epsilon, delta, gamma, **sizes):
    """After (8), c(gamma)."""
    shift = approximate_shift(epsilon=epsilon, delta=delta, gamma=gamma, **sizes)
    return 1 / (log_range(**sizes) + 2 * shift)


def message(*, density, noise, n_labels, factor, shift):
    """(8), and the released coordinate of (12)."""
    return -factor * (math.log(density) + noise + math.log(n_labels) - shift)


def noise_failure(*, n_hypotheses, horizon, gamma):
    """Appendix B, probability of (26) for one t and j."""
    return math.exp(-gamma - math.log(n_hypotheses) - math.log(horizon))


def risk_bound(*, factor, regret, gamma, **sizes):
    """Proof of Theorem 4, last display, with 3 log(KT) for O(log(KT))."""
    span, horizon = log_range(**sizes), sizes["horizon"]
    return regret / factor + 3 * span + math.exp(-gamma) * (horizon * span + 3 * span)


def theorem_4(*, epsilon, delta, **sizes):
    """Theorem 4, last display of its proof at gamma = log T."""
    k, horizon = sizes["n_hypotheses"], sizes["horizon"]
    factor = approximate_factor(epsilon=epsilon, delta=delta, gamma=math.log(horizon), **sizes)
    return risk_bound(
        factor=factor, regret=wma_regret(n_actions=k, horizon=horizon), gamma=math.log(horizon), **sizes
    )


def theorem_4_rate(*, n_hypotheses, horizon, epsilon, delta):
    """Theorem 4."""
    k, span = n_hypotheses, math.log(n_hypotheses * horizon)
    first = (math.sqrt(k * math.log(1 / delta)) + math.sqrt(k * epsilon)) * span**2 / epsilon
    return math.sqrt(2 * horizon * math.log(k)) * (span + first)


# --- Section 5: pure privacy -------------------------------------------------------------------------------------


def exp3_learning_rate(*, n_actions, horizon):
    """Algorithm 2, line 2, and proof of Lemma 7."""
    return math.sqrt(2 * n_actions * math.log(n_actions) / horizon)


def exp3_regret(*, n_actions, horizon):
    """Lemma 7."""
    return math.sqrt(2 * horizon * n_actions * math.log(n_actions))


def pure_scale(*, epsilon, **sizes):
    """Section 5, after (12), Laplace scale."""
    return log_range(**sizes) / epsilon


def pure_shift(*, epsilon, gamma, **sizes):
    """(13), c'_pdp(gamma)."""
    log = math.log(sizes["n_hypotheses"]) + math.log(sizes["horizon"])
    return pure_scale(epsilon=epsilon, **sizes) * (gamma + log)


def pure_factor(*, epsilon, gamma, **sizes):
    """Before (13), c_pdp(gamma)."""
    return 1 / (log_range(**sizes) + 2 * pure_shift(epsilon=epsilon, gamma=gamma, **sizes))


def theorem_5(*, epsilon, **sizes):
    """Theorem 5, last display of the proof of Theorem 4 with Lemma 8 and (13) at gamma = log T."""
    k, horizon = sizes["n_hypotheses"], sizes["horizon"]
    factor = pure_factor(epsilon=epsilon, gamma=math.log(horizon), **sizes)
    return risk_bound(
        factor=factor, regret=exp3_regret(n_actions=k, horizon=horizon), gamma=math.log(horizon), **sizes
    )


def theorem_5_rate(*, n_hypotheses, horizon, epsilon):
    """Theorem 5."""
    k, span = n_hypotheses, math.log(n_hypotheses * horizon)
    return math.sqrt(2 * horizon * k * math.log(k)) * (span + span**2 / epsilon)


def theorem_2_rate(*, n_hypotheses, horizon, epsilon, power=5.0):
    """Theorem 2."""
    k = n_hypotheses
    return 1 / epsilon * math.sqrt(k * horizon * math.log(k * horizon) ** power)


def theorem_2_constant(*, power=5.0, calibration="corrected", **setting):
    """Theorem 5, explicit, over the expression of Theorem 2."""
    return theorem_5(**setting, calibration=calibration) / theorem_2_rate(**setting, power=power)


# --- Section 6 ---------------------------------------------------------------------------------------------------


def theorem_6(*, horizon, **setting):
    """Proof of Theorem 6, sqrt(risk / (2 T)) with Theorem 5, explicit."""
    return math.sqrt(theorem_5(horizon=horizon, **setting) / (2 * horizon))


def sample_size(*, accuracy, **setting):
    """Section 6, T_alpha: smallest T at which the explicit bound of Theorem 6 is at most alpha."""
    low, high = 1, 2**200
    while high - low > 1:
        middle = (low + high) // 2
        enough = theorem_6(horizon=middle, **setting) <= accuracy
        low, high = (low, middle) if enough else (middle, high)
    return high
