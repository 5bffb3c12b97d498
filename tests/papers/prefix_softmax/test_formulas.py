"""Formulas of the package against a second transcription of the paper."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from replicate.learners import dyadic
from replicate.papers.prefix_softmax import algorithms, bounds, privacy
from tests.transcriptions import prefix_softmax as second
from tests.transcriptions.pairs import SUMMED, against, compared, grid, pair, public, same, untouched

ACTIONS = (2, 3, 16, 4096, 10**6)
GAPS = (1e-4, 0.1, 0.5, 1.0)
LEVELS = (1e-3, 0.1, 0.249, 0.25, 0.251, 0.9, 1.5, 5.0, 40.0)
"""Below and above 1/4, where the cap on the learning rate sets in."""
RATES = (1e-3, 0.05, 0.125, 0.7)
SPLITS = (1.0, 1.75, 4.0, 64.0)
GAP_VECTORS = ([0.0, 0.5], [0.2, 0.0, 0.3, 1.0], [0.0, 1e-3, 1e-3, 0.9])

EXEMPT: dict[str, str] = {}
"""None: of the bounds that are ours, `bounds.remainder` follows from Lemma 2 (iv), others from `sharper_sum`."""


def error(gaps, eta, m):
    """F_m on deterministic losses (Lemma 4)."""
    losses = [m * gap for gap in gaps]
    return sum(g * second.softmax(losses=losses, action=j, learning_rate=eta) for j, g in enumerate(gaps))


def sharper_sum(n_actions, gap, eta, split):
    """Our bound on the sum of F_m: rates of decay s - s**2 / 2 at s = 1 / c, and 1 - s / 2."""
    s = 1 / split
    return 2 * (1 + log(n_actions - 1)) / ((s - s * s / 2) * gap) + log(n_actions) / ((1 - s / 2) * eta)


def block_law(block, index, eta):
    """Law of the next action, averaged over the prefixes of a block of losses."""
    low, high = second.prefix_range(index=index)
    law = [0.0] * len(block[0])
    for m in range(low, high + 1):
        sums = [sum(row[j] for row in block[:m]) for j in range(len(law))]
        for j in range(len(law)):
            law[j] += second.softmax(losses=sums, action=j, learning_rate=eta) / (high - low + 1)
    return law


def joint_law(table, eta):
    """Joint law of A_1, A_2, ... on whole blocks, the last action running fastest."""
    law = [1.0]
    for index in range(len(table).bit_length()):
        first, last = second.block(index=index)
        new = block_law(table[first - 1 : last], index, eta)
        law = [p * q for p in law for q in new]
    return law


def regret(means, epsilon, horizon):
    """Expected regret on deterministic losses, at the end of every block."""
    eta, gaps = second.learning_rate(epsilon=epsilon), [mean - min(means) for mean in means]
    total, index, trajectory = 0.0, 0, []
    while (first := second.block(index=index)[0]) <= horizon:
        rounds = min(second.block(index=index)[1], horizon) - first + 1
        if index == 0:
            each = sum(gaps) / len(gaps)
        else:
            low, high = second.prefix_range(index=index - 1)
            each = sum(error(gaps, eta, m) for m in range(low, high + 1)) / (high - low + 1)
        total += rounds * each
        trajectory.append(total)
        index += 1
    return trajectory


def drawn_range(index):
    """Smallest and largest of many draws of M_r."""
    drawn = algorithms.random_prefix(index, 4000, np.random.default_rng(1))
    return int(drawn.min()), int(drawn.max())


def weights(r):
    """Uniform law on the prefix lengths, one entry per round."""
    low, high = second.prefix_range(index=r)
    return [1 / (high - low + 1) if m >= low else 0.0 for m in range(1, high + 1)]


SETTINGS = grid(n_actions=ACTIONS, gap=GAPS, epsilon=LEVELS)
ROUNDS = (0, 1, 16, 1000, 10**6)
TABLES = [np.random.default_rng(seed).random((7, k)).tolist() for seed, k in ((1, 2), (2, 3))]

PAIRS = [
    *same(bounds, second, SETTINGS, "rate", "theorem_1", "theorem_1_rate", "lemma_5"),
    *same(bounds, second, grid(n_actions=ACTIONS, gap=GAPS), "lemma_5_small_gaps"),
    *same(bounds, second, grid(n_actions=ACTIONS, epsilon=LEVELS), "lemma_5_large_gaps"),
    *same(bounds, second, grid(rounds=ROUNDS, mean=(0.0, 0.01, 0.5, 1.0)), "lemma_1"),
    *same(bounds, second, grid(rounds=ROUNDS, gap=(0.0, 0.01, 0.5, 1.0)), "equation_4"),
    *same(bounds, second, grid(error_sum=(0.0, 0.3, 2.5, 1e7)), "lemma_4"),
    *same(algorithms, second, grid(epsilon=LEVELS), "learning_rate"),
    against(  # Lemma 3 at the learning rate of Section 4
        bounds, "proposition_1",
        lambda epsilon: second.lemma_3(learning_rate=second.learning_rate(epsilon=epsilon)),
        grid(epsilon=LEVELS),
    ),
    pair(
        "algorithms.PrefixSoftmax",  # the privacy that the learner states
        lambda epsilon: algorithms.PrefixSoftmax(
            3, epsilon=epsilon, rng=np.random.default_rng(1)
        ).privacy.epsilon,
        lambda epsilon: second.lemma_3(learning_rate=second.learning_rate(epsilon=epsilon)), grid(epsilon=LEVELS),
    ),
    pair(
        "algorithms.random_prefix", drawn_range,
        second.prefix_range, grid(index=(0, 1, 2, 3, 7)),
    ),
    pair(
        "algorithms.selector", lambda losses, eta: algorithms.selector(eta)(np.array(losses)),
        lambda losses, eta: [
            second.softmax(losses=losses, action=j, learning_rate=eta) for j in range(len(losses))
        ],
        grid(losses=([0.0, 4.0, 8.0], [3, 1], [30.0, 29.5, 0.0, 70.0]), eta=RATES),
    ),
    pair(
        "algorithms.softmax_error",
        lambda gaps, eta, rounds: algorithms.softmax_error(gaps, eta=eta, rounds=rounds),
        lambda gaps, eta, rounds: error(gaps, eta, rounds),
        grid(gaps=GAP_VECTORS, eta=RATES, rounds=(0, 1, 16, 500)),
    ),
    pair(
        "algorithms.softmax_error_sum",  # 1,024 terms are added directly; errors are relative to them all
        lambda gaps, eta, part: algorithms.softmax_error_sum(gaps, eta=eta, start=part[0], stop=part[1]),
        lambda gaps, eta, part: sum(error(gaps, eta, m) for m in range(part[0] + 1, part[1] + 1)),
        grid(gaps=GAP_VECTORS, eta=RATES, part=((0, 1), (0, 60), (0, 1024), (0, 1500), (1, 40)))
        + grid(gaps=GAP_VECTORS, eta=[1e-3], part=((1000, 1100), (1024, 1500), (1100, 1500)))
        + grid(gaps=[[0.0, 0.0, 0.002], [0.0, 0.0, 0.0]], eta=[0.1], part=((1000, 1500),)), rel=SUMMED,
    ),
    pair(
        "algorithms.exact_regret", lambda means, epsilon, horizon: algorithms.exact_regret(
            means, epsilon=epsilon, horizon=horizon
        ).regret[0],
        regret,
        grid(
            means=([0.0, 1.0], [0.3, 0.5, 0.2, 0.9]), epsilon=(0.05, 0.25, 3.0), horizon=(1, 2, 3, 1000, 1023)
        ), rel=SUMMED,
    ),
    pair(
        "dyadic.blocks",  # the package counts rounds from 0 and names the round after the last
        lambda index: [int(ends[index]) for ends in dyadic.blocks(2**20)],
        lambda index: [second.block(index=index)[0] - 1, second.block(index=index)[1]],
        grid(index=(0, 1, 2, 10, 19)),
    ),
    against(privacy, "prefix_weights", weights, grid(r=(0, 1, 2, 5))),
    pair(
        "privacy.sequence_law", lambda table, eta: privacy.sequence_law(table, eta=eta),
        joint_law, grid(table=TABLES, eta=RATES),
    ),
    pair(
        "privacy.block_privacy_loss",  # one round that turns the losses 1, 0, ..., 0 into 0, 1, ..., 1
        lambda k, eta: privacy.block_privacy_loss(n_actions=k, eta=eta, block=0),
        lambda k, eta: log(
            second.softmax(losses=[0] + [1] * (k - 1), action=0, learning_rate=eta)
            / second.softmax(losses=[1] + [0] * (k - 1), action=0, learning_rate=eta)
        ),
        grid(k=(2, 3, 100, 5000), eta=RATES), rel=SUMMED,
    ),
    against(  # 4 sum over m > n and K - 1 actions of Delta times two exponentials
        bounds, "remainder",
        lambda n_actions, gap, epsilon, rounds: (
            4 * (n_actions - 1) * gap
            * (
                second.lemma_2_iv(x=gap**2 / 8, n=rounds)[1]
                + second.lemma_2_iv(x=second.learning_rate(epsilon=epsilon) * gap / 2, n=rounds)[1]
            )
        ),
        grid(n_actions=ACTIONS, gap=GAPS, epsilon=LEVELS, rounds=(0, 5, 10**4)),
    ),
    against(  # 1 - E exp(-eta Y) over eta Delta at Delta = c eta, as eta vanishes
        bounds, "sharper_drift", lambda split: (split - 0.5) / split,
        grid(split=SPLITS),
    ),
    against(  # tails that decay as s - s**2 / 2 at s = 1 / c, and the drift
        bounds, "sharper_lemma_5", sharper_sum,
        grid(n_actions=ACTIONS, gap=GAPS, eta=RATES, split=SPLITS),
    ),
    against(
        bounds, "sharper_theorem_1",
        lambda n_actions, gap, eta, split: (
            second.lemma_4(error_sum=sharper_sum(n_actions, gap, eta, split))
        ),
        grid(n_actions=ACTIONS, gap=GAPS, eta=RATES, split=SPLITS),
    ),
    against(
        bounds, "lower_bound", lambda n_actions, gap: log(n_actions) / gap / 45,
        grid(n_actions=ACTIONS, gap=GAPS[:3]),
    ),
    against(
        bounds, "lower_bound_privacy", lambda n_actions, epsilon: log(n_actions) / epsilon / 28,
        grid(n_actions=ACTIONS, epsilon=LEVELS),
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", PAIRS, ids=str)
def test_formula(case):
    assert not case.disagreements()


def test_every_name_is_compared():
    assert public(bounds) - compared(PAIRS) == set(EXEMPT)
    assert not untouched(second, PAIRS, __file__)
