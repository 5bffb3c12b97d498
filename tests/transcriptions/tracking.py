"""Formulas of Asi, Raman & Saha (2025), "Tracking the Best Expert Privately"."""

import math

BY_HAND: dict[str, tuple[dict[str, object], object]] = {}


def report_noisy_max_scale(*, epsilon):
    """Section 2.2, before Lemma 2.3; Algorithm 1, line 4."""
    return 2 / epsilon


# 2 / 0.5 = 4
BY_HAND["report_noisy_max_scale"] = ({"epsilon": 0.5}, 4)


def lemma_2_4(*, n_queries, epsilon, failure):
    """Lemma 2.4, alpha."""
    return 8 * (math.log(n_queries) + math.log(2 / failure)) / epsilon


# 8 * (6.93147180560 + 7.62461898616) / 0.5 = 232.897453
BY_HAND["lemma_2_4"] = ({"n_queries": 1024, "epsilon": 0.5, "failure": 0.0009765625}, 232.897453)


def above_threshold_noise(*, epsilon):
    """Lemma 2.4, AboveThreshold of [12] at sensitivity 1: scales of the threshold's and the queries' noise."""
    return 2 / epsilon, 4 / epsilon


# 2 / 0.5 and 4 / 0.5 = 4 and 8
BY_HAND["above_threshold_noise"] = ({"epsilon": 0.5}, (4, 8))


def adaptive_regret(*, n_actions, horizon, epsilon, failure):
    """Theorem 3.1: the constant and the factor of sqrt(w)."""
    log = math.log(n_actions * horizon / failure)
    return 16 * log / epsilon, 9 * math.sqrt(log)


# 16 * 15.2492379723 / 0.5 and 9 * 15.2492379723 ** 0.5 = 487.975615 and 35.1452454
BY_HAND["adaptive_regret"] = (
    {"n_actions": 4, "horizon": 1024, "epsilon": 0.5, "failure": 0.0009765625},
    (487.975615, 35.1452454),
)


def lemma_3_2(*, n_actions, horizon, failure):
    """Lemma 3.2: the factor of sqrt(w)."""
    return math.sqrt(2 * math.log(horizon * n_actions / failure))


# (2 * 15.2492379723) ** 0.5 = 5.52254253
BY_HAND["lemma_3_2"] = ({"n_actions": 4, "horizon": 1024, "failure": 0.0009765625}, 5.52254253)


def lemma_3_3(*, n_actions, horizon, epsilon, failure):
    """Lemma 3.3: the constant and the factor of sqrt(w)."""
    log = math.log(n_actions * horizon / failure)
    return 16 * log * math.log(horizon) / epsilon, 7 * math.sqrt(log)


# 16 * 15.2492379723 * 6.93147180560 / 0.5 and 7 * 15.2492379723 ** 0.5 = 3382.38922 and 27.3351909
BY_HAND["lemma_3_3"] = (
    {"n_actions": 4, "horizon": 1024, "epsilon": 0.5, "failure": 0.0009765625},
    (3382.38922, 27.3351909),
)


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


# 0.25 / 3 and 24 * (3 * 4.15888308336 + 2.77258872224) / 0.25 and 32 * 6.93147180560 / 0.25 and 9 *
# 6.93147180560 ** 0.5 = 0.0833333333 and 1463.92685 and 887.228391 and 23.6949196
BY_HAND["restart_rule"] = (
    {"n_actions": 2, "epsilon": 0.25, "horizon": 64, "failure": 0.125},
    (0.0833333333, 1463.92685, 887.228391, 23.6949196),
)


# 0.5 / 2 and 16 * (2 * 6.93147180560 + 7.62461898616) / 0.5 and 16 * 15.2492379723 / 0.5 and 9 * 15.2492379723
# ** 0.5 = 0.25 and 687.602003 and 487.975615 and 35.1452454
BY_HAND["restart_rule, printed"] = (
    {"calibration": "printed", "n_actions": 4, "epsilon": 0.5, "horizon": 1024, "failure": 0.0009765625},
    (0.25, 687.602003, 487.975615, 35.1452454),
)


# 0.5 / 3 and 24 * (3 * 6.93147180560 + 7.62461898616) / 0.5 and 32 * 15.2492379723 / 0.5 and 9 * 15.2492379723
# ** 0.5 = 0.166666667 and 1364.11365 and 975.95123 and 35.1452454
BY_HAND["restart_rule, at 4 actions"] = (
    {"n_actions": 4, "epsilon": 0.5, "horizon": 1024, "failure": 0.0009765625},
    (0.166666667, 1364.11365, 975.95123, 35.1452454),
)


def accuracy(*, n_actions=2, **setting):
    """Algorithm 2, line 7, alpha."""
    return restart_rule(n_actions=n_actions, **setting)[1]


# 1024 * 11 queries: log(11264) = 6.93147180560 + 2.39789527280
# 16 * (6.93147180560 + 2.39789527280 + 7.62461898616) / 0.5 = 542.527554
BY_HAND["accuracy, printed"] = (
    {"calibration": "printed", "windows": "dyadic", "horizon": 1024, "epsilon": 0.5, "failure": 0.0009765625},
    542.527554,
)


# log(11264) = 6.93147180560 + 2.39789527280 = 9.32936707840
# 24 * (9.32936707840 + 6.93147180560 + 7.62461898616) / 0.5 = 1146.50198
BY_HAND["accuracy"] = ({"windows": "dyadic", "horizon": 1024, "epsilon": 0.5, "failure": 0.0009765625}, 1146.50198)


def regret_w(*, width, **setting):
    """Algorithm 2, line 7, Reg_w, of the rule with this setting."""
    _, _, constant, root = restart_rule(**setting)
    return constant + root * math.sqrt(width)


# 16 * 6.93147180560 / 0.25 + 9 * (16 * 6.93147180560) ** 0.5 = 538.393874
BY_HAND["regret_w, printed"] = (
    {"calibration": "printed", "n_actions": 2, "horizon": 64, "epsilon": 0.25, "failure": 0.125, "width": 16},
    538.393874,
)


# 32 * 6.93147180560 / 0.25 + 9 * (16 * 6.93147180560) ** 0.5 = 982.00807
BY_HAND["regret_w"] = (
    {"n_actions": 2, "horizon": 64, "epsilon": 0.25, "failure": 0.125, "width": 16},
    982.00807,
)


def restart_query(*, regret, width, **setting):
    """Algorithm 2, line 8."""
    return regret - regret_w(width=width, **setting) - restart_rule(**setting)[1] - 1


# 10 - 16 * 6.93147180560 / 0.25 - 9 * (16 * 6.93147180560) ** 0.5 - 16 * (2 * 4.15888308336 + 2.77258872224) /
# 0.25 - 1 = -1239.17659
BY_HAND["restart_query"] = (
    {
        "regret": 10.0,
        "n_actions": 2,
        "horizon": 64,
        "epsilon": 0.25,
        "failure": 0.125,
        "width": 16,
        "calibration": "printed",
    },
    -1239.17659,
)


def lemma_3_5(*, width, **setting):
    """Lemma 3.5."""
    return regret_w(width=width, **setting) + 2 * restart_rule(**setting)[1] + 1


# 16 * 6.93147180560 / 0.25 + 9 * (16 * 6.93147180560) ** 0.5 + 32 * (2 * 4.15888308336 + 2.77258872224) / 0.25
# + 1 = 1958.9593
BY_HAND["lemma_3_5"] = (
    {"n_actions": 2, "horizon": 64, "epsilon": 0.25, "failure": 0.125, "width": 16, "calibration": "printed"},
    1958.9593,
)


def inequality_1(*, accuracy, constant, root, switches, length):
    """Section 3.2, (1), for alpha, the constant of Reg_w and the factor of sqrt(w)."""
    return root * math.sqrt((switches + 1) * length) + (switches + 1) * (constant + 2 * accuracy + 1)


# 3 * (4 * 100) ** 0.5 + 4 * (20 + 2 * 30 + 1) = 384
BY_HAND["inequality_1"] = ({"accuracy": 30.0, "constant": 20.0, "root": 3.0, "switches": 3, "length": 100}, 384)


def inequality_1_of_rule(*, switches, length, **setting):
    """Section 3.2, (1), printed or with corrected Reg_w and alpha."""
    _, alpha, constant, root = restart_rule(**setting)
    return inequality_1(accuracy=alpha, constant=constant, root=root, switches=switches, length=length)


# 9 * (4 * 100 * 15.2492379723) ** 0.5 + 4 * (16 * 15.2492379723 / 0.5 + 32 * (2 * 6.93147180560 +
# 7.62461898616) / 0.5 + 1) = 8159.62339
BY_HAND["inequality_1_of_rule, printed"] = (
    {
        "calibration": "printed",
        "n_actions": 4,
        "horizon": 1024,
        "epsilon": 0.5,
        "failure": 0.0009765625,
        "switches": 3,
        "length": 100,
    },
    8159.62339,
)


# 9 * (4 * 100 * 15.2492379723) ** 0.5 + 4 * (32 * 15.2492379723 / 0.5 + 48 * (3 * 6.93147180560 +
# 7.62461898616) / 0.5 + 1) = 15523.619
BY_HAND["inequality_1_of_rule"] = (
    {"n_actions": 4, "horizon": 1024, "epsilon": 0.5, "failure": 0.0009765625, "switches": 3, "length": 100},
    15523.619,
)


def theorem_3_6(*, n_switches, calibration="printed", windows="all", **setting):
    """Proof of Theorem 3.6, before O; dyadic windows: at most floor(log2 T) + 1 parts; and 1 / (1 - 2^(-1/2))."""
    _, alpha, constant, root = restart_rule(**setting, calibration=calibration, windows=windows)
    parts = 1 if windows == "all" else math.floor(math.log2(setting["horizon"])) + 1
    spread = 1 if windows == "all" else 1 / (1 - 2 ** (-1 / 2))
    return spread * root * math.sqrt(2 * n_switches * setting["horizon"]) + 2 * n_switches * parts * (
        constant + 2 * alpha + 1
    )


# 9 * (6 * 64 * 9.01091334728) ** 0.5 + 6 * (16 * 9.01091334728 / 0.25 + 32 * (2 * 4.15888308336 +
# 4.85203026392) / 0.25 + 1) = 14110.0049
BY_HAND["theorem_3_6"] = ({"n_actions": 2, "horizon": 64, "n_switches": 3, "epsilon": 0.25}, 14110.0049)


# 9 * (4 * 1024 * 15.2492379723) ** 0.5 + 4 * (16 * 15.2492379723 / 0.5 + 32 * (2 * 6.93147180560 +
# 7.62461898616) / 0.5 + 1) = 9706.01419
BY_HAND["theorem_3_6, printed"] = (
    {"n_actions": 4, "horizon": 1024, "n_switches": 2, "epsilon": 0.5, "failure": 0.0009765625},
    9706.01419,
)


# 9 * (4 * 1024 * 15.2492379723) ** 0.5 + 4 * (32 * 15.2492379723 / 0.5 + 48 * (3 * 6.93147180560 +
# 7.62461898616) / 0.5 + 1) = 17070.0098
BY_HAND["theorem_3_6, corrected"] = (
    {
        "calibration": "corrected",
        "n_actions": 4,
        "horizon": 1024,
        "n_switches": 2,
        "epsilon": 0.5,
        "failure": 0.0009765625,
    },
    17070.0098,
)


# 9 / 0.292893218813 * (4 * 1024 * 15.2492379723) ** 0.5 + 44 * (16 * 15.2492379723 / 0.5 + 32 * (9.32936707840
# + 7.62461898616) / 0.5 + 1) = 76936.9277
BY_HAND["theorem_3_6, dyadic"] = (
    {
        "windows": "dyadic",
        "n_actions": 4,
        "horizon": 1024,
        "n_switches": 2,
        "epsilon": 0.5,
        "failure": 0.0009765625,
    },
    76936.9277,
)


# 9 / 0.292893218813 * (4 * 1024 * 15.2492379723) ** 0.5 + 44 * (32 * 15.2492379723 / 0.5 + 48 * (9.32936707840
# + 6.93147180560 + 7.62461898616) / 0.5 + 1) = 151557.604
BY_HAND["theorem_3_6, dyadic, corrected"] = (
    {
        "calibration": "corrected",
        "windows": "dyadic",
        "n_actions": 4,
        "horizon": 1024,
        "n_switches": 2,
        "epsilon": 0.5,
        "failure": 0.0009765625,
    },
    151557.604,
)


def shifting_lower_sum(*, n_actions, n_phases, epsilon, phase):
    """Section 3.2, lower bound for shifting adversary, the same before the integral."""
    k = n_actions // n_phases
    return n_phases * sum((k - 1) / (math.exp((t - 1) * epsilon) + k - 1) for t in range(1, phase + 1))


# With e**eps = 2 and 4 experts per phase.
# 2 * (3 / 4 + 3 / 5 + 3 / 7) = 3.55714286
BY_HAND["shifting_lower_sum"] = ({"n_actions": 8, "n_phases": 2, "epsilon": 0.69314718056, "phase": 3}, 3.55714286)


def count_sequences(*, horizon, n_actions, n_switches):
    """Section 2.1, size of C(T, S)."""
    return n_actions * sum(math.comb(horizon - 1, k) * (n_actions - 1) ** k for k in range(n_switches + 1))


# 3 * (1 + 3 * 2 + 3 * 4) = 57
BY_HAND["count_sequences"] = ({"horizon": 4, "n_actions": 3, "n_switches": 2}, 57)


def log_count_sequences(**sizes):
    """Section 2.1, logarithm of the size of C(T, S)."""
    return math.log(count_sequences(**sizes))


# The count is 57 = 3 * 19.
# 1.09861228867 + 2.94443897917 = 4.04305127
BY_HAND["log_count_sequences"] = ({"horizon": 4, "n_actions": 3, "n_switches": 2}, 4.04305127)


def count_tuples(*, horizon, n_actions, n_switches):
    """Proof of Theorem 4.1, number of meta-experts."""
    return sum(math.comb(horizon, c) * n_actions ** (c + 1) for c in range(n_switches + 1))


# 3 + 4 * 9 + 6 * 27 = 201
BY_HAND["count_tuples"] = ({"horizon": 4, "n_actions": 3, "n_switches": 2}, 201)


def stay_probability(*, n_actions, rounds, switches):
    """Section 4, uniform sequence: no switch in the next of m rounds, S - s switches left."""
    now = count_sequences(horizon=rounds + 1, n_actions=n_actions, n_switches=switches)
    return count_sequences(horizon=rounds, n_actions=n_actions, n_switches=switches) / now


# (1 + 3 * 2 + 3 * 4) / (1 + 4 * 2 + 6 * 4) = 0.575757576
BY_HAND["stay_probability"] = ({"n_actions": 3, "rounds": 4, "switches": 2}, 0.575757576)


def move_probability(*, n_actions, rounds, switches):
    """Section 4, uniform sequence: switch to a given other expert in the next of m rounds, S - s switches left."""
    now = count_sequences(horizon=rounds + 1, n_actions=n_actions, n_switches=switches)
    return count_sequences(horizon=rounds, n_actions=n_actions, n_switches=switches - 1) / now


# (1 + 3 * 2) / (1 + 4 * 2 + 6 * 4) = 0.212121212
BY_HAND["move_probability"] = ({"n_actions": 3, "rounds": 4, "switches": 2}, 0.212121212)


def corollary_4_1_1_rate(*, n_actions, horizon, n_switches, epsilon, delta):
    """Corollary 4.1.1."""
    return math.sqrt(n_switches * horizon * math.log(n_actions * horizon)) + n_switches * horizon ** (
        1 / 3
    ) * math.log(horizon / delta) * math.log(n_actions * horizon) / epsilon ** (2 / 3)


# (2 * 512 * 7.62461898616) ** 0.5 + 2 * 8 * 13.1697964306 * 7.62461898616 / 0.25 = 6514.90019
BY_HAND["corollary_4_1_1_rate"] = (
    {"n_actions": 4, "horizon": 512, "n_switches": 2, "epsilon": 0.125, "delta": 0.0009765625},
    6514.90019,
)


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


# 5 * 0.002 / 0.25 + 100 * 128 * 0.000004 / 8 + 20 * 0.002 / 2 * (12 * 64 * 6.93147180560) ** 0.5 = 1.50562861
BY_HAND["dartboard_epsilon"] = (
    {"learning_rate": 0.002, "redraw": 0.125, "batch": 2, "horizon": 1024, "delta": 0.0009765625},
    1.50562861,
)


def dartboard_redraws(*, redraw, batch, horizon):
    """Section 4, Private Shrinking Dartboard: number of redraws at which it stops."""
    return 4 * horizon * redraw / batch


# 4 * 1024 * 0.0625 / 4 = 64
BY_HAND["dartboard_redraws"] = ({"redraw": 0.0625, "batch": 4, "horizon": 1024}, 64)


def dartboard_keep(*, learning_rate, redraw, loss):
    """Section 4, Private Shrinking Dartboard: probability to keep an expert after a (mean) loss."""
    return (1 - redraw) * (1 - learning_rate) ** loss


# 0.9375 * 0.9 = 0.84375
BY_HAND["dartboard_keep"] = ({"learning_rate": 0.19, "redraw": 0.0625, "loss": 0.5}, 0.84375)


def dartboard_regret(*, learning_rate, redraw, batch=1, horizon, log_d):
    """Section 4, Private Shrinking Dartboard, plain and batched."""
    late = 2 * horizon * math.exp(-horizon * redraw / (3 * batch))
    return learning_rate * horizon + batch * log_d / learning_rate + late


# The exponent is 1024 * 0.05859375 / 12 = 5.
# 0.01 * 1024 + 4 * 10 / 0.01 + 2 * 1024 * 0.00673794699909 = 4024.03932
BY_HAND["dartboard_regret"] = (
    {"learning_rate": 0.01, "redraw": 0.05859375, "batch": 4, "horizon": 1024, "log_d": 10.0},
    4024.03932,
)


def dartboard_learning_rate(*, epsilon, delta, horizon, redraw):
    """Section 4, Private Shrinking Dartboard: largest eta <= p at which the stated epsilon is at most epsilon."""
    square = 100 * horizon * redraw
    linear = 5 / redraw + 20 * math.sqrt(horizon * redraw * math.log(1 / delta))
    return min(redraw, 2 * epsilon / (linear + math.sqrt(linear**2 + 4 * square * epsilon)))


# 5 / 0.0625 + 20 * 21.0621507819 = 501.243015637 and 100 * 64 = 6400
# 2 * 0.5 / (501.243015637 + (501.243015637 ** 2 + 4 * 6400 * 0.5) ** 0.5) = 0.000985128811
BY_HAND["dartboard_learning_rate"] = (
    {"epsilon": 0.5, "delta": 0.0009765625, "horizon": 1024, "redraw": 0.0625},
    0.000985128811,
)


def dartboard_learning_rate_batched(*, epsilon, delta, horizon, redraw, batch):
    """Section 4, batched Private Shrinking Dartboard: largest eta <= p for the stated epsilon."""
    square = 100 * horizon * redraw / batch**3
    linear = 5 / (batch * redraw) + 20 / batch * math.sqrt(12 * horizon * redraw / batch * math.log(1 / delta))
    return min(redraw, 2 * epsilon / (linear + math.sqrt(linear**2 + 4 * square * epsilon)))


# 5 / 0.25 + 5 * 36.4807152709 = 202.403576354 and 100 * 64 / 64 = 100
# 2 * 0.5 / (202.403576354 + (202.403576354 ** 2 + 4 * 100 * 0.5) ** 0.5) = 0.00246730443
BY_HAND["dartboard_learning_rate_batched"] = (
    {"epsilon": 0.5, "delta": 0.0009765625, "horizon": 1024, "redraw": 0.0625, "batch": 4},
    0.00246730443,
)


def lazy_keep(*, now, before, other_now, other_before, learning_rate, batch):
    """Section 4, L2P: parameter of S."""
    return min(1, now / (math.exp(2 * batch * learning_rate) * before) * other_before / other_now)


# 0.2 / (1.6487212707 * 0.25) * 0.4 / 0.5 = 0.388179622
BY_HAND["lazy_keep"] = (
    {"now": 0.2, "before": 0.25, "other_now": 0.5, "other_before": 0.4, "learning_rate": 0.0625, "batch": 4},
    0.388179622,
)


def lazy_epsilon(*, eta, p, batch, horizon, delta):
    """Section 4, L2P on multiplicative weights; delta_1 = delta / (2 T)."""
    return (
        2 * eta / p
        + eta
        + 3 * horizon * eta**2 * p * math.log(2 * horizon / delta) / (2 * batch)
        + math.sqrt(6 * horizon * eta**2 * p * math.log(2 * horizon / delta) ** 2 / batch)
    )


# 2 * 0.001 / 0.0625 + 0.001 + 3 * 64 * 0.000001 * 14.5560907918 / 8 + (6 * 16 * 0.000001) ** 0.5 *
# 14.5560907918 = 0.175969327
BY_HAND["lazy_epsilon"] = (
    {"eta": 0.001, "p": 0.0625, "batch": 4, "horizon": 1024, "delta": 0.0009765625},
    0.175969327,
)


def lazy_conditions(*, eta, p, batch, horizon, delta_1):
    """Section 4, L2P: eta (at most 1/10), eta B log(1 / delta_1) / p (at most 1), T p / B (at least 1)."""
    return eta, eta * batch * math.log(1 / delta_1) / p, horizon * p / batch


# 0.001 and 0.001 * 4 * 6.93147180560 / 0.0625 and 64 / 4 = 0.001 and 0.443614196 and 16
BY_HAND["lazy_conditions"] = (
    {"eta": 0.001, "p": 0.0625, "batch": 4, "horizon": 1024, "delta_1": 0.0009765625},
    (0.001, 0.443614196, 16),
)


def adaptive_lower_rate(*, horizon, n_switches, epsilon):
    """Proof of Theorem 5.1, (S + 1) min(T', 1 / (eps log T')^2)."""
    return (n_switches + 1) * min(
        horizon / (n_switches + 1), 1 / (epsilon * math.log(horizon / (n_switches + 1))) ** 2
    )


# 4 / (0.03125 * 6.93147180560) ** 2 = 85.2528735
BY_HAND["adaptive_lower_rate"] = ({"horizon": 4096, "n_switches": 3, "epsilon": 0.03125}, 85.2528735)


def clip_floor(*, n_actions, horizon, n_switches):
    """Section 5.2, clipped simplex."""
    return n_switches / (n_actions * horizon)


# 2 / 4096 = 0.00048828125
BY_HAND["clip_floor"] = ({"n_actions": 4, "horizon": 1024, "n_switches": 2}, 0.00048828125)


def parameters(*, n_actions, horizon, n_switches, epsilon, calibration="corrected"):
    """Theorem 5.2 and Algorithm 3, line 6, corrected at eps / N: learning rate and noise scale."""
    level = epsilon if calibration == "printed" else epsilon / n_actions
    return level * math.sqrt(n_switches / (horizon * math.log(n_actions * horizon))), 1 / level


# 0.25 / 2 * (3 / (64 * 4.85203026392)) ** 0.5 and 2 / 0.25 = 0.0122862374 and 8
BY_HAND["parameters"] = ({"n_actions": 2, "horizon": 64, "n_switches": 3, "epsilon": 0.25}, (0.0122862374, 8))


# 0.5 * (2 / (1024 * 8.31776616672)) ** 0.5 and 1 / 0.5 = 0.00766181516 and 2
BY_HAND["parameters, printed"] = (
    {"calibration": "printed", "n_actions": 4, "horizon": 1024, "n_switches": 2, "epsilon": 0.5},
    (0.00766181516, 2),
)


# 0.5 / 4 * (2 / (1024 * 8.31776616672)) ** 0.5 and 4 / 0.5 = 0.00191545379 and 8
BY_HAND["parameters, at 4 actions"] = (
    {"n_actions": 4, "horizon": 1024, "n_switches": 2, "epsilon": 0.5},
    (0.00191545379, 8),
)


def theorem_b2(*, n_actions, horizon, n_switches, noise, learning_rate):
    """Proof of Theorem B.2, last display; 1 / eps = noise."""
    log = math.log(n_actions * horizon)
    spread = 10 * learning_rate * horizon * log**2 * noise**2
    return 2 * n_switches * log / learning_rate + spread + 4 * n_switches * log * noise + 1


# 4 * 8.31776616672 / 0.01 + 10 * 0.01 * 1024 * 8.31776616672 ** 2 * 4 + 8 * 8.31776616672 * 2 + 1 = 31799.4626
BY_HAND["theorem_b2"] = (
    {"n_actions": 4, "horizon": 1024, "n_switches": 2, "noise": 2.0, "learning_rate": 0.01},
    31799.4626,
)


def tracking_regret(*, n_actions, horizon, n_switches, noise, learning_rate):
    """Theorem B.2, (S + 1) log(N T / S) / eta + eta T E(1 + max |Z|)^2 + S (1 - 1 / N)."""
    first, second = (sum(1 / j**power for j in range(1, n_actions + 1)) for power in (1, 2))
    return (
        (n_switches + 1) * math.log(n_actions * horizon / n_switches) / learning_rate
        + learning_rate * horizon * (1 + 2 * noise * first + noise**2 * (first**2 + second))
        + n_switches * (1 - 1 / n_actions)
    )


# 1 + 1/2 + 1/3 + 1/4 = 2.08333333333 and 1 + 1/4 + 1/9 + 1/16 = 1.42361111111
# 3 * 7.62461898616 / 0.01 + 0.01 * 1024 * (1 + 4 * 2.08333333333 + 4 * (2.08333333333 ** 2 + 1.42361111111)) +
# 2 * 0.75 = 2620.54792
BY_HAND["tracking_regret"] = (
    {"n_actions": 4, "horizon": 1024, "n_switches": 2, "noise": 2.0, "learning_rate": 0.01},
    2620.54792,
)


def watched_regret(*, horizon, noise, log_d, **setting):
    """Theorem 5.2, adaptive adversaries: the bound for fixed losses, and 2 s sqrt((T + ln d) ln d)."""
    fixed = tracking_regret(horizon=horizon, noise=noise, **setting)
    return fixed + 2 * noise * (log_d * horizon + log_d**2) ** 0.5


# 2620.54792, as above, + 2 * 2 * (16 * 1024 + 16 ** 2) ** 0.5 = 3136.53241
BY_HAND["watched_regret"] = (
    {"n_actions": 4, "horizon": 1024, "n_switches": 2, "noise": 2.0, "learning_rate": 0.01, "log_d": 16.0},
    3136.53241,
)


def laplace_norm_failure(*, n_actions, horizon, factor=10.0):
    """Lemma B.3, exact probability."""
    return 1 - (1 - (n_actions * horizon) ** -math.sqrt(factor)) ** (n_actions * horizon)


# 1 - (1 - exp(-3.16227766017 * 2.77258872224)) ** 16 = 0.00248800498
BY_HAND["laplace_norm_failure"] = ({"n_actions": 4, "horizon": 4}, 0.00248800498)


def algorithm_3_epsilon_vector(*, n_actions, epsilon):
    """Proof of privacy in Theorem B.2, corrected: the noisy loss vector, l1 sensitivity N."""
    return n_actions * epsilon


# 5 * 0.5 = 2.5
BY_HAND["algorithm_3_epsilon_vector"] = ({"n_actions": 5, "epsilon": 0.5}, 2.5)


def algorithm_3_epsilon(*, n_actions, horizon, epsilon, learning_rate):
    """Proof of privacy in Theorem B.2, corrected: the plays, min(2 floor(N / 2) eps, 2 eta (T - 1))."""
    return min(2 * (n_actions // 2) * epsilon, 2 * learning_rate * (horizon - 1))


# 2 * 0.0001 * 1023 = 0.2046
BY_HAND["algorithm_3_epsilon"] = (
    {"n_actions": 5, "horizon": 1024, "epsilon": 0.5, "learning_rate": 0.0001},
    0.2046,
)
