"""Formulas of Asi, Raman & Saha (2025), "Tracking the Best Expert Privately"."""

import math


def report_noisy_max_scale(*, epsilon):
    """Section 2.2, before Lemma 2.3; Algorithm 1, line 4."""
    return 2 / epsilon


def lemma_2_4(*, n_queries, epsilon, failure):
    """Lemma 2.4, alpha."""
    return 8 * (math.log(n_queries) + math.log(2 / failure)) / epsilon


def above_threshold_noise(*, epsilon):
    """Lemma 2.4, AboveThreshold of [12] at sensitivity 1: scales of the threshold's and the queries' noise."""
    return 2 / epsilon, 4 / epsilon


def adaptive_regret(*, n_actions, horizon, epsilon, failure):
    """Theorem 3.1: the constant and the factor of sqrt(w)."""
    log = math.log(n_actions * horizon / failure)
    return 16 * log / epsilon, 9 * math.sqrt(log)


def lemma_3_2(*, n_actions, horizon, failure):
    """Lemma 3.2: the factor of sqrt(w)."""
    return math.sqrt(2 * math.log(horizon * n_actions / failure))


def lemma_3_3(*, n_actions, horizon, epsilon, failure):
    """Lemma 3.3: the constant and the factor of sqrt(w)."""
    log = math.log(n_actions * horizon / failure)
    return 16 * log * math.log(horizon) / epsilon, 7 * math.sqrt(log)


def restart_rule(*, n_actions, epsilon, horizon, failure=None, calibration="corrected", windows="all"):
    """Algorithm 2, lines 3 and 7: AboveThreshold's eps, alpha, constant of Reg_w, factor of sqrt(w).

    Corrected: Algorithm 1 at eps / 2, AboveThreshold at eps / 3 and failure beta / T. Windows of 1, 2, 4, ...
    rounds are at most T (floor(log2 T) + 1).
    """
    printed, beta = calibration == "printed", 1 / horizon if failure is None else failure
    queries = horizon * (horizon if windows == "all" else math.floor(math.log2(horizon)) + 1)
    union = math.log(queries) + (0 if printed else math.log(horizon)) + math.log(2 / beta)
    log = math.log(n_actions * horizon / beta)
    if printed:
        return epsilon / 2, 16 * union / epsilon, 16 * log / epsilon, 9 * math.sqrt(log)
    return epsilon / 3, 24 * union / epsilon, 32 * log / epsilon, 9 * math.sqrt(log)


def regret_w(*, width, **setting):
    """Algorithm 2, line 7, Reg_w, of the rule with this setting."""
    _, _, constant, root = restart_rule(**setting)
    return constant + root * math.sqrt(width)


def restart_query(*, regret, width, **setting):
    """Algorithm 2, line 8."""
    return regret - regret_w(width=width, **setting) - restart_rule(**setting)[1] - 1


def lemma_3_5(*, width, **setting):
    """Lemma 3.5."""
    return regret_w(width=width, **setting) + 2 * restart_rule(**setting)[1] + 1


def inequality_1(*, accuracy, constant, root, switches, length):
    """Section 3.2, (1), for alpha, the constant of Reg_w and the factor of sqrt(w)."""
    return root * math.sqrt((switches + 1) * length) + (switches + 1) * (constant + 2 * accuracy + 1)


def inequality_1_of_rule(*, switches, length, **setting):
    """Section 3.2, (1), printed or with corrected Reg_w and alpha."""
    _, alpha, constant, root = restart_rule(**setting)
    return inequality_1(accuracy=alpha, constant=constant, root=root, switches=switches, length=length)


def theorem_3_6(*, n_switches, calibration="printed", windows="all", **setting):
    """Proof of Theorem 3.6, before O; dyadic windows: at most floor(log2 T) + 1 parts; and 1 / (1 - 2^(-1/2))."""
    _, alpha, constant, root = restart_rule(**setting, calibration=calibration, windows=windows)
    parts = 1 if windows == "all" else math.floor(math.log2(setting["horizon"])) + 1
    spread = 1 if windows == "all" else 1 / (1 - 2 ** (-1 / 2))
    return spread * root * math.sqrt(2 * n_switches * setting["horizon"]) + 2 * n_switches * parts * (
        constant + 2 * alpha + 1
    )


def shifting_lower_sum(*, n_actions, n_phases, epsilon, phase):
    """Section 3.2, lower bound for shifting adversary, the same before the integral."""
    k = n_actions // n_phases
    return n_phases * sum((k - 1) / (math.exp((t - 1) * epsilon) + k - 1) for t in range(1, phase + 1))


def count_sequences(*, horizon, n_actions, n_switches):
    """Section 2.1, size of C(T, S)."""
    return n_actions * sum(math.comb(horizon - 1, k) * (n_actions - 1) ** k for k in range(n_switches + 1))


def log_count_sequences(**sizes):
    """Section 2.1, logarithm of the size of C(T, S)."""
    return math.log(count_sequences(**sizes))


def count_tuples(*, horizon, n_actions, n_switches):
    """Proof of Theorem 4.1, number of meta-experts."""
    return sum(math.comb(horizon, c) * n_actions ** (c + 1) for c in range(n_switches + 1))


def stay_probability(*, n_actions, rounds, switches):
    """Section 4, uniform sequence: no switch in the next of m rounds, S - s switches left."""
    now = count_sequences(horizon=rounds + 1, n_actions=n_actions, n_switches=switches)
    return count_sequences(horizon=rounds, n_actions=n_actions, n_switches=switches) / now


def move_probability(*, n_actions, rounds, switches):
    """Section 4, uniform sequence: switch to a given other expert in the next of m rounds, S - s switches left."""
    now = count_sequences(horizon=rounds + 1, n_actions=n_actions, n_switches=switches)
    return count_sequences(horizon=rounds, n_actions=n_actions, n_switches=switches - 1) / now


def corollary_4_1_1_rate(*, n_actions, horizon, n_switches, epsilon, delta):
    """Corollary 4.1.1."""
    return math.sqrt(n_switches * horizon * math.log(n_actions * horizon)) + n_switches * horizon ** (
        1 / 3
    ) * math.log(horizon / delta) * math.log(n_actions * horizon) / epsilon ** (2 / 3)


def dartboard_epsilon(*, learning_rate, redraw, batch=1, horizon, delta):
    """Section 4, Private Shrinking Dartboard: unbatched, pure or batched."""
    if delta == 0 and batch == 1:
        return learning_rate / redraw + 16 * horizon * redraw * learning_rate
    if batch == 1:
        return (
            5 * learning_rate / redraw
            + 100 * horizon * redraw * learning_rate**2
            + 20 * learning_rate * math.sqrt(horizon * redraw * math.log(1 / delta))
        )
    return (
        5 * learning_rate / (batch * redraw)
        + 100 * horizon * redraw * learning_rate**2 / batch**3
        + 20 * learning_rate / batch * math.sqrt(12 * horizon * redraw / batch * math.log(1 / delta))
    )


def dartboard_redraws(*, redraw, batch, horizon):
    """Section 4, Private Shrinking Dartboard: number of redraws at which it stops."""
    return 4 * horizon * redraw / batch


def dartboard_keep(*, learning_rate, redraw, loss):
    """Section 4, Private Shrinking Dartboard: probability to keep an expert after a (mean) loss."""
    return (1 - redraw) * (1 - learning_rate) ** loss


def dartboard_regret(*, learning_rate, redraw, batch=1, horizon, log_d):
    """Section 4, Private Shrinking Dartboard, plain and batched."""
    late = 2 * horizon * math.exp(-horizon * redraw / (3 * batch))
    return learning_rate * horizon + batch * log_d / learning_rate + late


def dartboard_learning_rate(*, epsilon, delta, horizon, redraw):
    """Section 4, Private Shrinking Dartboard: largest eta <= p at which the stated epsilon is at most epsilon."""
    square = 100 * horizon * redraw
    linear = 5 / redraw + 20 * math.sqrt(horizon * redraw * math.log(1 / delta))
    return min(redraw, 2 * epsilon / (linear + math.sqrt(linear**2 + 4 * square * epsilon)))


def dartboard_learning_rate_batched(*, epsilon, delta, horizon, redraw, batch):
    """Section 4, batched Private Shrinking Dartboard: largest eta <= p for the stated epsilon."""
    square = 100 * horizon * redraw / batch**3
    linear = 5 / (batch * redraw) + 20 / batch * math.sqrt(12 * horizon * redraw / batch * math.log(1 / delta))
    return min(redraw, 2 * epsilon / (linear + math.sqrt(linear**2 + 4 * square * epsilon)))


def lazy_keep(*, now, before, other_now, other_before, learning_rate, batch):
    """Section 4, L2P: parameter of S."""
    return min(1, now / (math.exp(2 * batch * learning_rate) * before) * other_before / other_now)


def lazy_epsilon(*, eta, p, batch, horizon, delta):
    """Section 4, L2P on multiplicative weights; delta_1 = delta / (2 T)."""
    return (
        2 * eta / p
        + eta
        + 3 * horizon * eta**2 * p * math.log(2 * horizon / delta) / (2 * batch)
        + math.sqrt(6 * horizon * eta**2 * p * math.log(2 * horizon / delta) ** 2 / batch)
    )


def lazy_conditions(*, eta, p, batch, horizon, delta_1):
    """Section 4, L2P: eta (at most 1/10), eta B log(1 / delta_1) / p (at most 1), T p / B (at least 1)."""
    return eta, eta * batch * math.log(1 / delta_1) / p, horizon * p / batch


def adaptive_lower_rate(*, horizon, n_switches, epsilon):
    """Proof of Theorem 5.1, (S + 1) min(T', 1 / (eps log T')^2)."""
    return (n_switches + 1) * min(
        horizon / (n_switches + 1), 1 / (epsilon * math.log(horizon / (n_switches + 1))) ** 2
    )


def clip_floor(*, n_actions, horizon, n_switches):
    """Section 5.2, clipped simplex."""
    return n_switches / (n_actions * horizon)


def parameters(*, n_actions, horizon, n_switches, epsilon, calibration="corrected"):
    """Theorem 5.2 and Algorithm 3, line 6, corrected at eps / N: learning rate and noise scale."""
    level = epsilon if calibration == "printed" else epsilon / n_actions
    return level * math.sqrt(n_switches / (horizon * math.log(n_actions * horizon))), 1 / level


def theorem_b2(*, n_actions, horizon, n_switches, noise, learning_rate):
    """Proof of Theorem B.2, last display; 1 / eps = noise."""
    log = math.log(n_actions * horizon)
    spread = 10 * learning_rate * horizon * log**2 * noise**2
    return 2 * n_switches * log / learning_rate + spread + 4 * n_switches * log * noise + 1


def tracking_regret(*, n_actions, horizon, n_switches, noise, learning_rate):
    """Theorem B.2, (S + 1) log(N T / S) / eta + eta T E(1 + max |Z|)^2 + S (1 - 1 / N)."""
    first, second = (sum(1 / j**power for j in range(1, n_actions + 1)) for power in (1, 2))
    return (
        (n_switches + 1) * math.log(n_actions * horizon / n_switches) / learning_rate
        + learning_rate * horizon * (1 + 2 * noise * first + noise**2 * (first**2 + second))
        + n_switches * (1 - 1 / n_actions)
    )


def watched_regret(*, horizon, noise, log_d, **setting):
    """Theorem 5.2, adaptive adversaries: the bound for fixed losses, and 2 s sqrt((T + ln d) ln d)."""
    fixed = tracking_regret(horizon=horizon, noise=noise, **setting)
    return fixed + 2 * noise * (log_d * horizon + log_d**2) ** 0.5


def laplace_norm_failure(*, n_actions, horizon, factor=10.0):
    """Lemma B.3, exact probability."""
    return 1 - (1 - (n_actions * horizon) ** -math.sqrt(factor)) ** (n_actions * horizon)


def algorithm_3_epsilon(*, n_actions, horizon, epsilon, learning_rate):
    """Proof of privacy in Theorem B.2, corrected: the plays, min(2 floor(N / 2) eps, 2 eta (T - 1))."""
    return min(2 * (n_actions // 2) * epsilon, 2 * learning_rate * (horizon - 1))
