"""Formulas of Cesari & Colomboni (2026), "Optimal Gap-Dependent Regret for Private Stochastic ... Learning"."""

import math


def learning_rate(*, epsilon):
    """Section 4: eta = min{eps / 2, 1 / 8}."""
    return min(epsilon / 2, 1 / 8)


def block(*, index):
    """Section 4, B_r: first and last round."""
    return 2**index, 2 ** (index + 1) - 1


def prefix_range(*, index):
    """Section 4, smallest and largest value of M_r."""
    if index == 0:
        return 1, 1
    return 2 ** (index - 1) + 1, 2**index


def softmax(*, losses, action, learning_rate):
    """Section 4, P(A_{r+1} = j | M_r, X); actions counted from 0."""
    return math.exp(-learning_rate * losses[action]) / sum(math.exp(-learning_rate * loss) for loss in losses)


def theorem_1(*, n_actions, gap, epsilon, constants=(800, 16)):
    """Theorem 1, (1)."""
    a, b = constants
    eta = min(epsilon / 2, 1 / 8)
    return 1 + a * math.log(n_actions) / gap + b * math.log(n_actions) / eta


def theorem_1_rate(*, n_actions, gap, epsilon, constants=(1000,)):
    """Theorem 1, (2)."""
    (a,) = constants
    return a * (math.log(n_actions) / gap + math.log(n_actions) / epsilon)


def rate(*, n_actions, gap, epsilon):
    """Corollary 1."""
    return math.log(n_actions) / gap + math.log(n_actions) / epsilon


def lemma_1(*, rounds, mean):
    """Lemma 1."""
    return math.exp(-rounds * mean**2 / 8)


def lemma_2_iv(*, x, n):
    """Lemma 2 (iv): left side (geometric series of the proof) and right side of <=."""
    return math.exp(-(n + 1) * x) / (1 - math.exp(-x)), 2 * math.exp(-n * x) / x


def lemma_3(*, learning_rate):
    """Lemma 3: privacy of the softmax map."""
    return 2 * learning_rate


def lemma_4(*, error_sum):
    """Lemma 4."""
    return 1 + 4 * error_sum


def lemma_5(*, n_actions, gap, epsilon):
    """Lemma 5, eta of Section 4."""
    eta = min(epsilon / 2, 1 / 8)
    return 200 * math.log(n_actions) / gap + 4 * math.log(n_actions) / eta


def lemma_5_small_gaps(*, n_actions, gap):
    """Proof of Lemma 5, (5)."""
    return 200 * math.log(n_actions) / gap


def lemma_5_large_gaps(*, n_actions, epsilon):
    """Proof of Lemma 5, (6), eta of Section 4."""
    eta = min(epsilon / 2, 1 / 8)
    return 4 * math.log(n_actions) / eta


def equation_4(*, rounds, gap):
    """Proof of Lemma 5, (4)."""
    return 2 * math.exp(-rounds * gap**2 / 8)
