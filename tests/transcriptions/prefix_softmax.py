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


def theorem_1(*, n_actions, gap, epsilon, constants=(800, 16)):
    """Theorem 1, (1)."""
    a, b = constants
    eta = min(epsilon / 2, 1 / 8)
    return 1 + a * math.log(n_actions) / gap + b * math.log(n_actions) / eta


# 1 + 800 * 1.38629436112 / 0.5 + 16 * 1.38629436112 / 0.05 = 2662.68517
BY_HAND["theorem_1"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 2662.68517)


def theorem_1_rate(*, n_actions, gap, epsilon, constants=(1000,)):
    """Theorem 1, (2)."""
    (a,) = constants
    return a * (math.log(n_actions) / gap + math.log(n_actions) / epsilon)


# 1000 * (1.38629436112 / 0.5 + 1.38629436112 / 0.1) = 16635.5323
BY_HAND["theorem_1_rate"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 16635.5323)


def rate(*, n_actions, gap, epsilon):
    """Corollary 1."""
    return math.log(n_actions) / gap + math.log(n_actions) / epsilon


# 1.38629436112 / 0.5 + 1.38629436112 / 0.1 = 16.6355323
BY_HAND["rate"] = ({"n_actions": 4, "gap": 0.5, "epsilon": 0.1}, 16.6355323)


def lemma_1(*, rounds, mean):
    """Lemma 1."""
    return math.exp(-rounds * mean**2 / 8)


# The exponent is 16 * 0.25 / 8 = 0.5.
# 0.60653065971 = 0.60653066
BY_HAND["lemma_1"] = ({"rounds": 16, "mean": 0.5}, 0.60653066)


def lemma_2_iv(*, x, n):
    """Lemma 2 (iv): left side (geometric series of the proof) and right side of <=."""
    return math.exp(-(n + 1) * x) / (1 - math.exp(-x)), 2 * math.exp(-n * x) / x


# 0.22313016015 / (1 - 0.60653065971) and 2 * 0.36787944117 / 0.5 = 0.567083982 and 1.47151776
BY_HAND["lemma_2_iv"] = ({"x": 0.5, "n": 2}, (0.567083982, 1.47151776))


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


def lemma_5_large_gaps(*, n_actions, epsilon):
    """Proof of Lemma 5, (6), eta of Section 4."""
    eta = min(epsilon / 2, 1 / 8)
    return 4 * math.log(n_actions) / eta


# eps / 2 = 0.5 exceeds the cap: eta = 1 / 8.
# 4 * 1.38629436112 / 0.125 = 44.3614196
BY_HAND["lemma_5_large_gaps"] = ({"n_actions": 4, "epsilon": 1.0}, 44.3614196)


def equation_4(*, rounds, gap):
    """Proof of Lemma 5, (4)."""
    return 2 * math.exp(-rounds * gap**2 / 8)


# The exponent is 16 * 0.25 / 8 = 0.5.
# 2 * 0.60653065971 = 1.21306132
BY_HAND["equation_4"] = ({"rounds": 16, "gap": 0.5}, 1.21306132)
