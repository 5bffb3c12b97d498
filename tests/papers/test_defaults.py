"""What is left out is the paper's: a call without an argument is the call with the paper's number, and no other.

The rest of a call is as small as may be. Each argument is also given another value, which changes the result.
"""

from dataclasses import astuple, dataclass, is_dataclass
from math import sqrt

import numpy as np
import pandas as pd
import pytest

from replicate.papers.bandits import bounds as bandits_bounds
from replicate.papers.bandits import instances as bandits_instances
from replicate.papers.bandits.algorithms import advice, tuning
from replicate.papers.bandits.experiments import table_2
from replicate.papers.bandits.privacy import exact as bandits_exact
from replicate.papers.bandits.privacy.audited import AUDITED
from replicate.papers.distribution_learning import bounds as labels_bounds
from replicate.papers.distribution_learning import instances as labels_instances
from replicate.papers.distribution_learning import privacy as labels_privacy
from replicate.papers.distribution_learning.algorithms import expected, posterior
from replicate.papers.distribution_learning.algorithms import tuning as labels_tuning
from replicate.papers.distribution_learning.experiments import privacy as labels_audits
from replicate.papers.distribution_learning.experiments import regret as labels_regret
from replicate.papers.noisy_leader import algorithms as leader
from replicate.papers.noisy_leader import bounds as leader_bounds
from replicate.papers.noisy_leader import privacy as leader_privacy
from replicate.papers.noisy_leader.experiments import deterministic
from replicate.papers.noisy_leader.experiments import privacy as leader_tables
from replicate.papers.prefix_softmax import bounds as softmax_bounds
from replicate.papers.prefix_softmax import privacy as softmax_privacy
from replicate.papers.tracking import bounds as tracking_bounds
from replicate.papers.tracking import lemmas as tracking_lemmas
from replicate.papers.tracking.algorithms import dartboard, lazy, limited_updates, mirror_descent
from replicate.papers.tracking.privacy import exact as tracking_exact
from replicate.papers.tracking.privacy import played

PROVEN = {"calibration": ("corrected", "proven")}
CORRECTED = {"calibration": ("corrected", "printed")}
NOISY = {"noise_divisor": (1.0, 2.0)}
TABLE = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
LAWS = np.array([[0.8, 0.1, 0.1], [0.1, 0.2, 0.7]])


def scheme():
    """Algorithm 2 on three labels, which differ from context to context: laws of two hypotheses in each."""
    laws = np.stack([LAWS, [[0.3, 0.3, 0.4], [0.5, 0.4, 0.1]]])
    return labels_audits._scheme(laws, "pure", epsilon=1.0, horizon=1000)


SWITCHES = {"n_actions": 4, "horizon": 10**6, "n_switches": 2, "epsilon": 0.5}
RESTARTS = {"n_actions": 4, "horizon": 4096, "epsilon": 0.5}
EXPERTS = {"n_actions": 2, "n_experts": 10, "epsilon": 1.0, "delta": 1e-6, "horizon": 10**9}
LEADER = {"means": [0.0, 1.0], "epsilon": 0.5, "horizon": 64}
BOARD = dartboard.Dartboard(learning_rate=0.5, redraw=0.25)
LAZY = lazy.Lazy(learning_rate=0.001, redraw=0.1, batch=1)
RATE = {"n_actions": 4, "gap": 0.1, "eta": 0.125}
BITS = {"n_hypotheses": 8, "horizon": 10**6, "epsilon": 1.0}


@dataclass
class Case:
    """A function, the arguments that it must be given, and the paper's and another value of every other one."""

    function: object
    given: dict
    left_out: dict


CASES = {
    # Private bandits
    "lemma_20": Case(bandits_bounds.lemma_20, {"size": 10, "horizon": 100}, {"factor": (10.0, 5.0)}),
    "htinf": Case(tuning.htinf, {}, {"sigma": (sqrt(6), 3.0)}),
    "ftpl": Case(tuning.ftpl, {"learning_rate": 0.1, "resamples": 10}, CORRECTED),
    "plan": Case(tuning.plan, {"learner": "ftpl", "n_actions": 2, "epsilon": 0.5, "horizon": 10**4}, CORRECTED),
    "batched_exp4": Case(advice.batched_exp4_tuning, EXPERTS, CORRECTED),
    "explicit_bounds": Case(
        table_2.explicit_bounds, {k: v for k, v in EXPERTS.items() if k != "delta"}, {"delta": (1e-6, 1e-9)}
    ),
    "informative_horizon": Case(
        bandits_instances.informative_horizon, {"bound": lambda t: 0, "rate": 1}, {"start": (10, 20)}
    ),
    "one_good_expert": Case(
        bandits_instances.one_good_expert, {"n_experts": 3, "n_actions": 2},
        {"contexts": (1, 2), "drawn": (False, True)},
    ),
    "exact_loss": Case(bandits_exact.exact_loss, {"learner": AUDITED["htinf"]}, NOISY),
    # Tracking
    "tune_dartboard": Case(
        dartboard.tune_dartboard, {"epsilon": 0.1, "delta": 1e-6, "horizon": 10**4, "log_d": 3.0},
        {"batches": ((1,), (16,))},
    ),
    "lazy_epsilon": Case(
        lazy.lazy_epsilon, {"lazy": LAZY, "horizon": 100, "delta": 1e-6}, {"draw_cost": (1.0, 0.5)}
    ),
    "tune_lazy": Case(
        lazy.tune_lazy, {"epsilon": 0.1, "delta": 1e-6, "horizon": 10**4, "log_d": 3.0}, {"draw_cost": (1.0, 0.5)}
    ),
    "limited_updates": Case(
        lambda **words: limited_updates.selector(1.0, **words)(np.array([0.0, 3.0])), {}, CORRECTED
    ),
    "mirror_descent": Case(mirror_descent.parameters, SWITCHES, CORRECTED),
    "adaptive_regret": Case(tracking_bounds.adaptive_regret, RESTARTS | {"failure": 0.1}, PROVEN),
    "restart_rule": Case(
        tracking_bounds.restart_rule, RESTARTS,
        {"failure": (1 / 4096, 0.1), "windows": ("all", "dyadic")} | CORRECTED,
    ),
    "laplace_norm_failure": Case(
        tracking_lemmas.laplace_norm_failure, {"n_actions": 4, "horizon": 100}, {"factor": (10.0, 5.0)}
    ),
    "limited_updates_law": Case(
        tracking_exact.limited_updates_law, {"table": TABLE, "epsilon": 1.0},
        {"blocks_read": (1, 2)},
    ),
    "literal_law": Case(
        played.literal_law, {"losses": TABLE, "n_switches": 1, "dartboard": BOARD},
        {"released": ("experts", "sequences")},
    ),
    # Noisy leader
    "noise_scale": Case(leader.noise_scale, {"noise": "exponential", "epsilon": 0.5}, CORRECTED),
    "selector": Case(
        lambda **words: leader.selector("exponential", epsilon=0.5, **words)(np.array([0.0, 3.0])), {}, CORRECTED
    ),
    "exact_regret": Case(
        lambda **words: leader.exact_regret(**LEADER, **words).final, {}, {"noise": ("gumbel", "laplace")}
    ),
    "exact_regret, exponential": Case(
        lambda **words: leader.exact_regret(**LEADER, noise="exponential", **words).final, {}, CORRECTED
    ),
    "theorem_4": Case(leader_bounds.theorem_4, {"n_actions": 16, "epsilon": 0.1}, {"factor": (4, 5)}),
    "potential": Case(
        leader_bounds.potential, {"n_actions": 16, "noise": "gumbel", "scale": 20.0}, {"factor": (4, 5)}
    ),
    "shipped_scale": Case(leader_privacy.shipped_scale, {"noise": "exponential"}, CORRECTED),
    "pair_loss": Case(
        leader_privacy.pair_loss, {"noise": "exponential", "scale": 2.0, "resample": False},
        {"pair": (leader_privacy.PAIR, leader_privacy.COUNTEREXAMPLE)},
    ),
    "sandwich": Case(deterministic.sandwich.__wrapped__, {}, {"epsilon": (0.1, 0.2), "horizon": (2**40, 2**10)}),
    "one_score_vector": Case(leader_tables.one_score_vector, {}, {"epsilon": (1.0, 0.5)}),
    "privacy_table": Case(leader_tables.privacy_table, {}, {"epsilon": (1.0, 0.5), "n_actions": (4, 3)}),
    # Prefix softmax
    "sharper_lemma_5": Case(softmax_bounds.sharper_lemma_5, RATE, {"split": (1.0, 2.0)}),
    "sharper_theorem_1": Case(softmax_bounds.sharper_theorem_1, RATE, {"split": (1.0, 2.0)}),
    "sequence_law": Case(softmax_privacy.sequence_law, {"table": TABLE, "eta": 0.5}, {"readers": (1, 2)}),
    "shipped_law": Case(
        lambda **words: softmax_privacy.shipped_law(2, epsilon=0.25, **words)(np.array([0.0, 3.0])), {}, NOISY
    ),
    "trailing_laws": Case(softmax_privacy.trailing_laws, {}, NOISY),
    # Distribution learning
    "tune": Case(
        labels_tuning.tune, {"scheme": "pure", "n_hypotheses": 4, "n_labels": 8, "epsilon": 1.0, "horizon": 100},
        CORRECTED,
    ),
    "theorem_2_constant": Case(labels_bounds.theorem_2_constant, BITS, {"power": (5.0, 4.0)}),
    "increments": Case(lambda **words: expected.increments(scheme(), 0, **words), {}, {"power": (1.0, 0.5)}),
    "ends": Case(posterior.ends, {"scheme": scheme()}, {"context": (0, 1)}),
    "message_classes": Case(posterior.message_classes, {"scheme": scheme()}, {"context": (0, 1)}),
    "dirichlet": Case(
        labels_instances.dirichlet, {"n_hypotheses": 2, "n_labels": 3},
        {"concentration": (0.3, 1.0), "index": (0, 1)},
    ),
    "privacy_loss": Case(
        labels_privacy.privacy_loss, {"hypotheses": LAWS, "epsilon": 1.0, "horizon": 100},
        CORRECTED | {"noise_factor": (1.0, 0.5)},
    ),
    "privacy_losses": Case(
        lambda **words: labels_audits.privacy_losses.__wrapped__("quick", 5, **words), {}, {"epsilon": (1.0, 0.5)}
    ),
    "noise_scales": Case(
        lambda **words: labels_audits.noise_scales.__wrapped__("quick", 5, **words), {}, {"epsilon": (1.0, 0.5)}
    ),
    "public_scheme": Case(
        lambda **words: labels_regret.public_scheme(LAWS, "approximate", 1.0, 1000, **words).tuning.scale, {},
        {"delta": (1e-2, 1e-3)},
    ),
}  # fmt: skip


def numbers(found):
    """All numbers of what a function returns."""
    if is_dataclass(found):
        found = astuple(found)
    if isinstance(found, pd.DataFrame):
        found = found.to_numpy().tolist()
    if isinstance(found, tuple | list):
        return [number for part in found for number in numbers(part)]
    return np.ravel(found).tolist() if isinstance(found, np.ndarray) else [found]


LEFT_OUT = [(name, argument) for name, case in CASES.items() for argument in case.left_out]


@pytest.mark.parametrize(("name", "argument"), LEFT_OUT)
def test_what_is_left_out_is_the_papers(name, argument):
    case = CASES[name]
    found = [numbers(case.function(**case.given, **{argument: value})) for value in case.left_out[argument]]
    left_out = numbers(case.function(**case.given))
    assert [left_out == one for one in found] == [True, False]
