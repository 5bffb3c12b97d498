"""Formulas of Cesari & Colomboni (2026), "Optimal Gap-Dependent Regret for Private Stochastic ... Learning"."""

import math

BY_HAND: dict[str, tuple[dict[str, object], object]] = {}


def learning_rate(*, epsilon):
    """Section 4: eta = min{eps / 2, 1 / 8}."""
    return min(epsilon / 2, 1 / 8)


# 0.1 / 2 = 0.05
BY_HAND["learning_rate"] = ({"epsilon": 0.1}, 0.05)


def block(*, index):
    """Section 4, B_r: first and last round."""
    return 2**index, 2 ** (index + 1) - 1


# 8 and 16 - 1 = 8 and 15
BY_HAND["block"] = ({"index": 3}, (8, 15))


def prefix_range(*, index):
    """Section 4, smallest and largest value of M_r."""
    if index == 0:
        return 1, 1
    return 2 ** (index - 1) + 1, 2**index


# 4 + 1 and 8 = 5 and 8
BY_HAND["prefix_range"] = ({"index": 3}, (5, 8))


def softmax(*, losses, action, learning_rate):
    """Section 4, P(A_{r+1} = j | M_r, X); actions counted from 0."""
    return math.exp(-learning_rate * losses[action]) / sum(math.exp(-learning_rate * loss) for loss in losses)


# 0.60653065971 / (1 + 0.60653065971 + 0.36787944117) = 0.307195886
BY_HAND["softmax"] = ({"losses": [0.0, 4.0, 8.0], "action": 1, "learning_rate": 0.125}, 0.307195886)


def theorem_1(*, n_actions, gap, epsilon):
    """Theorem 1, (1)."""
    eta = min(epsilon / 2, 1 / 8)
    return 1 + 800 * math.log(n_actions) / gap + 16 * math.log(n_actions) / eta


# 1 + 800 * 1.38629436112 / 0.5 + 16 * 1.38629436112 / 0.05 = 2662.68517
BY_HAND["theorem_1"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 2662.68517)


def theorem_1_rate(*, n_actions, gap, epsilon):
    """Theorem 1, (2)."""
    return 1000 * (math.log(n_actions) / gap + math.log(n_actions) / epsilon)


# 1000 * (1.38629436112 / 0.5 + 1.38629436112 / 0.1) = 16635.5323
BY_HAND["theorem_1_rate"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 16635.5323)


def theorem_1_small_epsilon(*, n_actions, gap, epsilon):
    """Proof of Theorem 1, case eps <= 1/4."""
    return 802 * math.log(n_actions) / gap + 32 * math.log(n_actions) / epsilon


# 802 * 1.38629436112 / 0.5 + 32 * 1.38629436112 / 0.1 = 2667.23035
BY_HAND["theorem_1_small_epsilon"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 2667.23035)


def theorem_1_large_epsilon(*, n_actions, gap):
    """Proof of Theorem 1, case eps > 1/4."""
    return 930 * math.log(n_actions) / gap


# 930 * 1.38629436112 / 0.5 = 2578.50751
BY_HAND["theorem_1_large_epsilon"] = ({"n_actions": 4, "gap": 0.5}, 2578.50751)


def rate(*, n_actions, gap, epsilon):
    """Corollary 1."""
    return math.log(n_actions) / gap + math.log(n_actions) / epsilon


# 1.38629436112 / 0.5 + 1.38629436112 / 0.1 = 16.6355323
BY_HAND["rate"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 16.6355323)


def lower_rate(*, n_actions, gap, epsilon):
    """Section 1, lower bound of Hu et al. [5]."""
    return math.log(n_actions) / min(gap, epsilon)


# 1.38629436112 / 0.1 = 13.8629436
BY_HAND["lower_rate"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 13.8629436)


def wu_wang_rate(*, n_actions, gap, epsilon):
    """Remark 1, upper bound of Wu and Wang [10]."""
    return math.log(n_actions) / gap + math.log(n_actions) ** 2 / epsilon


# 1.38629436112 / 0.5 + 1.38629436112**2 / 0.1 = 21.9907093
BY_HAND["wu_wang_rate"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 21.9907093)


def lemma_1(*, rounds, mean):
    """Lemma 1."""
    return math.exp(-rounds * mean**2 / 8)


# The exponent is 16 * 0.25 / 8 = 0.5.
# 0.60653065971 = 0.60653066
BY_HAND["lemma_1"] = ({"rounds": 16, "mean": 0.5}, 0.60653066)


def hoeffding(*, rounds, deviation):
    """Proof of Lemma 1, Hoeffding's inequality for variables in [-1, 1]."""
    return math.exp(-2 * deviation**2 / (4 * rounds))


# The exponent is 2 * 16 / 64 = 0.5.
# 0.60653065971 = 0.60653066
BY_HAND["hoeffding"] = ({"rounds": 16, "deviation": 4.0}, 0.60653066)


def lemma_2_i(*, x):
    """Lemma 2 (i): left and right side of >=."""
    return 1 - math.exp(-x), x / 2


# 1 - 0.60653065971 and 0.5 / 2 = 0.39346934 and 0.25
BY_HAND["lemma_2_i"] = ({"x": 0.5}, (0.39346934, 0.25))


def lemma_2_ii(*, x):
    """Lemma 2 (ii): left and right side of <=."""
    return math.exp(-x), 1 - x / 2


# 0.60653065971 and 1 - 0.5 / 2 = 0.60653066 and 0.75
BY_HAND["lemma_2_ii"] = ({"x": 0.5}, (0.60653066, 0.75))


def lemma_2_iii(*, u):
    """Lemma 2 (iii): left and right side of <=."""
    return math.log(1 - u), -u


# -0.69314718056 and -0.5 = -0.693147181 and -0.5
BY_HAND["lemma_2_iii"] = ({"u": 0.5}, (-0.693147181, -0.5))


def lemma_2_iv(*, x, n):
    """Lemma 2 (iv): left side (geometric series of the proof) and right side of <=."""
    return math.exp(-(n + 1) * x) / (1 - math.exp(-x)), 2 * math.exp(-n * x) / x


# 0.22313016015 / (1 - 0.60653065971) and 2 * 0.36787944117 / 0.5 = 0.567083982 and 1.47151776
BY_HAND["lemma_2_iv"] = ({"x": 0.5, "n": 2}, (0.567083982, 1.47151776))


def lemma_2_v(*, n_actions):
    """Lemma 2 (v): left and right side of <=."""
    return math.log(n_actions + 1), 2 * math.log(n_actions)


# 1.60943791243 and 2 * 1.38629436112 = 1.60943791 and 2.77258872
BY_HAND["lemma_2_v"] = ({"n_actions": 4}, (1.60943791, 2.77258872))


def lemma_3(*, learning_rate):
    """Lemma 3: privacy of the softmax map."""
    return 2 * learning_rate


# 2 * 0.05 = 0.1
BY_HAND["lemma_3"] = ({"learning_rate": 0.05}, 0.1)


def lemma_4(*, error_sum):
    """Lemma 4."""
    return 1 + 4 * error_sum


# 1 + 4 * 2.5 = 11
BY_HAND["lemma_4"] = ({"error_sum": 2.5}, 11)


def lemma_5(*, n_actions, gap, epsilon):
    """Lemma 5, eta of Section 4."""
    eta = min(epsilon / 2, 1 / 8)
    return 200 * math.log(n_actions) / gap + 4 * math.log(n_actions) / eta


# 200 * 1.38629436112 / 0.5 + 4 * 1.38629436112 / 0.05 = 665.421293
BY_HAND["lemma_5"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 665.421293)


def lemma_5_small_gaps(*, n_actions, gap):
    """Proof of Lemma 5, (5)."""
    return 200 * math.log(n_actions) / gap


# 200 * 1.38629436112 / 0.5 = 554.517744
BY_HAND["lemma_5_small_gaps"] = ({"n_actions": 4, "gap": 0.5}, 554.517744)


def lemma_5_small_gaps_chain(*, n_actions, gap):
    """Proof of Lemma 5, the line before (5)."""
    return (64 * math.log(n_actions + 1) + 36) / gap


# (64 * 1.60943791243 + 36) / 0.5 = 278.008053
BY_HAND["lemma_5_small_gaps_chain"] = ({"n_actions": 4, "gap": 0.5}, 278.008053)


def lemma_5_large_gaps(*, n_actions, epsilon):
    """Proof of Lemma 5, (6), eta of Section 4."""
    eta = min(epsilon / 2, 1 / 8)
    return 4 * math.log(n_actions) / eta


# eps / 2 = 0.5 exceeds the cap: eta = 1 / 8.
# 4 * 1.38629436112 / 0.125 = 44.3614196
BY_HAND["lemma_5_large_gaps"] = ({"n_actions": 4, "epsilon": 1.0}, 44.3614196)


def lemma_5_group_rounds(*, size, level, gap):
    """Proof of Lemma 5, tau_l; size is |H_l|."""
    return math.ceil(16 * math.log(size + 1) / (2 ** (level - 1) * gap) ** 2)


# 16 * 1.38629436112 / (2 * 0.1)**2 = 554.5177, rounded up.
# 555
BY_HAND["lemma_5_group_rounds"] = ({"size": 3, "level": 2, "gap": 0.1}, 555)


def lemma_5_group_early(*, size, level, gap):
    """Proof of Lemma 5, early part of group H_l."""
    return (32 * math.log(size + 1) + 2) / (2 ** (level - 1) * gap)


# (32 * 1.38629436112 + 2) / (2 * 0.1) = 231.807098
BY_HAND["lemma_5_group_early"] = ({"size": 3, "level": 2, "gap": 0.1}, 231.807098)


def lemma_5_group_late(*, size, level, gap):
    """Proof of Lemma 5, late part of group H_l."""
    return 64 * size / (2 ** (level - 1) * gap) * 1 / (size + 1) ** 2


# 64 * 3 / (2 * 0.1) * 1 / 16 = 60
BY_HAND["lemma_5_group_late"] = ({"size": 3, "level": 2, "gap": 0.1}, 60)


def lemma_5_group(*, size, level, gap):
    """Proof of Lemma 5, early and late part of group H_l."""
    return (32 * math.log(size + 1) + 18) / (2 ** (level - 1) * gap)


# (32 * 1.38629436112 + 18) / (2 * 0.1) = 311.807098
BY_HAND["lemma_5_group"] = ({"size": 3, "level": 2, "gap": 0.1}, 311.807098)


def equation_4(*, rounds, gap):
    """Proof of Lemma 5, (4)."""
    return 2 * math.exp(-rounds * gap**2 / 8)


# The exponent is 16 * 0.25 / 8 = 0.5.
# 2 * 0.60653065971 = 1.21306132
BY_HAND["equation_4"] = ({"rounds": 16, "gap": 0.5}, 1.21306132)


def large_gap_moment(*, learning_rate, gap):
    """Proof of Lemma 5, Hoeffding's lemma."""
    return math.exp(-learning_rate * gap + learning_rate**2 / 2)


# The exponent is -0.1 * 1 + 0.01 / 2 = -0.095, and exp(-0.095) = 0.904837418036 * exp(0.005).
# 0.904837418036 * 1.00501252086 = 0.909372934
BY_HAND["large_gap_moment"] = ({"learning_rate": 0.1, "gap": 1.0}, 0.909372934)


def large_gap_exponential(*, learning_rate, gap):
    """Proof of Lemma 5, after eta^2 / 2 <= eta Delta / 8."""
    return math.exp(-7 * learning_rate * gap / 8)


# The exponent is 7 * 0.8 / 64 = 0.0875, and exp(-0.0875) = exp(-0.1) exp(0.0125).
# 0.904837418036 * 1.01257845154 = 0.916218872
BY_HAND["large_gap_exponential"] = ({"learning_rate": 0.125, "gap": 0.8}, 0.916218872)


def large_gap_factor(*, learning_rate, gap):
    """Proof of Lemma 5, after Lemma 2 (ii)."""
    return 1 - learning_rate * gap / 4


# 1 - 0.1 / 4 = 0.975
BY_HAND["large_gap_factor"] = ({"learning_rate": 0.125, "gap": 0.8}, 0.975)


def potential_drift(*, learning_rate, weighted_gap):
    """Proof of Lemma 5, E[log Z_{m+1} - log Z_m | F_m]."""
    return -learning_rate * weighted_gap / 4


# -0.125 * 0.5 / 4 = -0.015625
BY_HAND["potential_drift"] = ({"learning_rate": 0.125, "weighted_gap": 0.5}, -0.015625)
