"""A valid call of every public function: the usual value of each argument, and where a function asks for another.

`CALLS` maps names of functions, without ``replicate.``, to the function and to a call that makes its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import Parameter, signature
from typing import Any

import numpy as np

from replicate import environments, mechanisms
from replicate.claims import Claim, Evidence, Route
from replicate.learners import baselines
from replicate.learners.competitors import thompson
from replicate.papers import bandits, tracking
from replicate.papers.tracking.bounds import RestartRule

PAPERS = ("bandits", "distribution_learning", "noisy_leader", "prefix_softmax", "tracking")
HOMES = ["audit", "certify", "claims", "environments", "learners", "mechanisms", "studies.synopsis"]
HOMES += [f"mechanisms.{name}" for name in ("composition", "signed_tree", "tree_sums", "vector_noise")]
HOMES += [f"papers.{paper}{part}" for paper in PAPERS for part in ("", ".bounds")]
"""Modules all of whose public functions are called."""
CHOSEN = {
    "studies.price_of_privacy.lemmas": "limit_bounds posterior_regret scaled",
    "learners.competitors.adahedge": "AdaHedge adahedge_bound adahedge_losses",
    "learners.competitors.bandit": "UniformPlay",
    "learners.competitors.batched_share": "BatchedShare simulate tuning",
    "learners.competitors.bit_exp4": "BitExp4 Exp3Share regret_bound tuning",
    "learners.competitors.coordinate_bit": "CoordinateLeader CoordinateShare leader_bound simulate tuning",
    "learners.competitors.epochs": "EpochLeader epochs_bound simulate_epochs",
    "learners.competitors.few_leaders": "FewLeaders simulate tuning",
    "learners.competitors.noisy_sums": "NoisyHedge hedge_losses hedge_tuning",
    "learners.competitors.phases": "GrowingBandit",
    "learners.competitors.random_bit": "RandomBit best_batch regret_bound",
    "learners.competitors.random_epochs": "RandomEpochLeader regret_bound simulate",
    "learners.competitors.thompson": "ThompsonSampling",
    "learners.competitors.tsallis": "TsallisINF regret_bound",
}
"""Modules some of whose functions are for users; others are called by these, with what they have checked."""
UNCALLED = {
    "audit": "AddOrRemoveOne Finding Primitive Replay OneCell Raised Relation ReplaceOne Verdict PrefixWeights "
    "Refutation Sampler Score",
    "certify": "Interval",
    "claims": "Check Outcome Result register",
    "environments": "Environment Stationary",
    "learners": "Learner learner simulate",
    "mechanisms.signed_tree": "Tree releases_of",
    "mechanisms.tree_sums": "PrefixSums",
    "papers.distribution_learning.bounds": "checked_delta checked_epsilon checked_horizon checked_hypotheses "
    "log_range message_factor noise_limit of_scheme",
}
"""Types of answers, protocols, parts of others; `learner` and `simulate` are called for every learner apart."""

TABLE = [[0.0, 1.0], [0.5, 0.25], [1.0, 0.0]]
ROWS = [[1.0, 2.0, 3.0], [1.1, 2.1, 3.2]]
COINS, ADVICE = ((0.7, 0.3), (0.2, 0.8)), [[[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]]]
RULE = {"epsilon": 0.5, "accuracy": 3.0, "constant": 5.0, "root": 2.0, "windows": "dyadic"}


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def bernoulli() -> environments.Bernoulli:
    return environments.Bernoulli([0.2, 0.5, 0.7])


def instances() -> dict[str, environments.Environment]:
    """Return an environment of every kind, of two actions or three."""
    table = TABLE[:2]
    return {
        "Bernoulli": bernoulli(),
        "Deterministic": environments.Deterministic([0.2, 0.5, 0.7]),
        "Joint": environments.comonotone([0.2, 0.5, 0.7]),
        "Grid": environments.Grid([0.0, 0.5], [[0.5, 0.5], [0.1, 0.9]]),
        "Beta": environments.Beta([1.0, 2.0], [2.0, 2.0]),
        "Table": environments.Table(table),
        "Repeated": environments.Repeated(table),
        "Shifting": environments.Shifting([(5, bernoulli()), (3, bernoulli())]),
    }


def board() -> tracking.Dartboard:
    return tracking.Dartboard(learning_rate=0.1, redraw=0.2)


def hedge() -> baselines.Hedge:
    return baselines.Hedge(2, learning_rate=0.5, rng=rng())


def expert_learner() -> bandits.LocalExp4:
    return bandits.LocalExp4(2, 3, epsilon=1.0, horizon=32_000, rng=rng())


def draw(n, rng):
    return rng.integers(2, size=n)


def release(x):
    return lambda n, rng: x + rng.laplace(size=n)


def selector(sums):
    return mechanisms.softmax_pmf(-np.asarray(sums, dtype=float), scale=2.0)


def measure(profile, seed, *, value=1.0):
    return Evidence(measured=value, limit=2)


USUAL = {
    "accuracy": 0.2, "advice": ADVICE, "batch": 2, "calibration": "corrected", "contexts": "iid", "delta": 0.01,
    "epsilon": 0.5, "epsilon_each": 0.5, "eta": 0.1, "factor": 4, "failure": 0.1, "gap": 0.1, "gaps": [0.0, 0.3],
    "horizon": 1000, "hypotheses": COINS, "learning_rate": 0.1, "losses": TABLE, "mean": 0.1,
    "means": [0.2, 0.5, 0.7], "mixing": 0.1, "n": 3, "n_actions": 3, "n_experts": 3, "n_hypotheses": 4,
    "n_labels": 8, "n_pairs": 4, "n_queries": 10, "n_rounds": 9, "n_switches": 2, "noise": "laplace",
    "noise_scale": 0.5, "order": 2.0, "p": [0.5, 0.5], "pmf": [0.5, 0.5], "price": 4.0, "q": [0.3, 0.7],
    "queries": [0.0, 1.0, 1.5], "ratio": 1.5, "redraw": 0.2, "replicates": 2, "resample": True, "rounds": [1, 10],
    "scale": 2.0, "scores": [0.0, 1.0, 1.5], "seed": 1, "sensitivity": 1.0, "share": 0.1, "sigma": 2.0,
    "split": 1.0, "times": 2.0, "value": 1.5, "weights": (0.5, 0.5), "windows": "dyadic",
}  # fmt: skip
"""Values of arguments by name, of those that are optional too."""
FRESH: dict[str, Callable[[], Any]] = {
    "rng": rng,
    "env": bernoulli,
    "base": lambda: bandits.HTINF(3, rng=rng()),
    "dartboard": board,
    "problem": lambda: bandits.ExpertProblem(ADVICE, [[0.2, 0.8]]),
}
"""Values that a call may change."""
LISTED = {"label": "mine", "colour": "#123456", "summary": "a", "guarantee": "b", "privacy": "ε", "private": True}
PARTS = {"check": measure, "stated": {"value": 1.0}, "control": {"value": 3.0}, "control_name": "three"}
CLAIM = PARTS | {"id": "X-1", "source": "here", "statement": "One is at most two.", "kind": "lemma"}
ROUTE = PARTS | {"kind": "exact", "how": "by looking"}
WORDS = dict.fromkeys(["source", "printed", "true", "consequence", "correction", "cost", "reading"], "words")
NONE = ...
"""Stands for an optional argument that is left out."""
OTHERS: dict[str, Callable[[], dict[str, Any]]] = {
    "audit": lambda: {
        "first": draw, "second": draw, "samples": 200, "score": None, "make": release, "neighbours": (0.0, 0.0),
        "runs": 200, "likelihood": None, "relation": None, "false_alarm": 1e-9, "n_rounds": 3, "delta": 0.0,
    },
    "audit.above_threshold_pair": lambda: {"down": 0.5, "up": 1.0, "distance": 10.0},
    "audit.above_threshold_pair_loss": lambda: {"first": [0.0, 1.0], "second": [1.0, 0.0], "sensitivity": NONE},
    "audit.bits": lambda: {"samples": 100},
    "audit.certified_privacy_loss": lambda: {"samples": 100, "score": "fitted"},
    "audit.dyadic_sampler": lambda: {"select": lambda sums, rng: sums.argmin(axis=-1), "resample": NONE},
    "audit.examine": lambda: {"neighbours": [0.0, 1.0]},
    "audit.exhaustive_privacy_loss": lambda: {
        "output_law": lambda table: selector(table.sum(axis=0)), "n_rounds": 2, "n_actions": 2,
    },
    "audit.learner_sampler": lambda: {"make_learner": lambda rng: baselines.FollowTheLeader(2, rng=rng)},
    "audit.one_by_one": lambda: {"run": lambda rng: 0},
    "audit.refute": lambda: {"most_runs": 200, "event": None},
    "audit.replay": lambda: {
        "function": lambda x, rng: None, "data": 0, "neighbour": 0, "rho": 1.0, "primitives": (),
    },
    "audit.selection_privacy_loss": lambda: {"selector": selector, "n_actions": 2, "starts": 8},
    "audit.sequence_law": lambda: {"table": TABLE, "selector": selector, "weights": NONE},
    "audit.whole_block_weights": lambda: {"r": 3},
    "audit.worst_pair": lambda: {"pairs": [(0.0, 0.5), (0.0, 1.0)]},
    "certify": lambda: {"samples": [1.0, 2.0, 4.0], "false_alarm": 0.01, "low": 0.0, "successes": 3, "trials": 10},
    "certify.band": lambda: {"level": 0.9},
    "certify.bernstein_upper": lambda: {"width": 5.0},
    "certify.betting_upper": lambda: {"high": 5.0},
    "certify.goodness_of_fit": lambda: {"counts": [30.0, 20.0, 50.0], "pmf": [0.3, 0.2, 0.5]},
    "certify.log_log_slope": lambda: {"x": [1.0, 2.0, 4.0], "samples": ROWS},
    "certify.quantile_lower": lambda: {"level": 0.5, "false_alarm": 0.2},
    "certify.quantile_upper": lambda: {"level": 0.5, "false_alarm": 0.2},
    "certify.ratio_upper": lambda: {"above": [1.0, 2.0, 4.0], "below": [2.0, 3.0, 5.5]},
    "certify.share": lambda: {"comparisons": 3, "total": 1e-9},
    "certify.truncated_upper": lambda: {"costs": ROWS, "largest": [4.0] * 3, "tails": [3.0] * 3},
    "certify.two_sample": lambda: {"a": [1.0, 2.0, 4.0], "b": [2.0, 3.0, 5.5]},
    "claims.Claim": lambda: CLAIM,
    "claims.Comparison": lambda: PARTS,
    "claims.Erratum": lambda: WORDS | {
        "id": "BA-SLIP-1", "effect": "harmless", "example": "True", "routes": (Route(**ROUTE), Route(**ROUTE)),
    },
    "claims.Evidence": lambda: {"measured": 1.0, "limit": 2.0, "relation": "<=", "detail": "one", "uniform": 3.0},
    "claims.Route": lambda: ROUTE,
    "claims.Sharper": lambda: {"claim": "X-1", "constant": "two for three", "alike": True},
    "claims.compare": lambda: {"comparison": Claim(**CLAIM), "profile": "quick"},
    "claims.verify": lambda: {"entry": Claim(**CLAIM), "profile": "quick"},
    "environments.Joint": lambda: {"outcomes": TABLE[:2], "probabilities": [0.5, 0.5]},
    "environments.Grid": lambda: {"values": [0.0, 0.5], "probabilities": [[0.5, 0.5], [0.1, 0.9]]},
    "environments.Beta": lambda: {"a": [1.0, 2.0], "b": [2.0, 2.0]},
    "environments.Shifting": lambda: {"phases": [(5, bernoulli()), (3, bernoulli())]},
    "environments.one_hot": lambda: {"means": [0.2, 0.3, 0.5]},
    "learners": lambda: {"n_actions": 2, "horizon": 100, "n_switches": 1, "name": "gumbel"},
    "learners.Comparator": lambda: {
        "name": "best fixed action", "actions": np.zeros(3, dtype=int), "loss": 1.0, "uniform": 1.5,
        "labels": ("a", "b"),
    },
    "learners.Entry": lambda: LISTED | {
        "name": "mine", "paper": "baseline", "cost": "K", "feedback": "full", "build": print, "simulate": print,
        "max_horizon": 10, "exact_regret": None, "simulate_with_advice": None,
    },
    "learners.FollowTheLeader": lambda: {"restarts": (5,)},
    "learners.LabelEntry": lambda: LISTED | {
        "name": "mine", "paper": "baseline", "cost": "K", "play": print, "simulate": print,
    },
    "learners.Privacy": lambda: {"calibration": NONE},
    "learners.Run": lambda: {
        "rounds": np.array([1, 2]), "regret": np.array([[0.5, 1.0]]), "regret_kind": "pseudo-regret",
        "actions": np.array([[0, 1]]),
    },
    "learners.play": lambda: {"learner": hedge()},
    "learners.exact_regret": lambda: {"means": [0.0, 0.5]},
    "learners.simulate_with_advice": lambda: {"name": "htinf"},
    "learners.competitors": lambda: {"horizon": 100},
    "learners.competitors.bit_exp4.Exp3Share": lambda: {"rate": 0.1, "share": 0.01},
    "learners.competitors.coordinate_bit.simulate": lambda: {"learner": "share"},
    "learners.competitors.noisy_sums": lambda: {"sums": "factorized_gaussian"},
    "learners.competitors.noisy_sums.hedge_losses": lambda: {"losses": TABLE[:2], "noise": [[0.1, 3.0]]},
    "learners.competitors.random_bit.RandomBit": lambda: {"base": thompson.ThompsonSampling(3, rng=rng())},
    "learners.competitors.random_epochs.regret_bound": lambda: {"losses": "steady"},
    "mechanisms": lambda: {"threshold": 0.0, "noise": "cube", "name": "cube"},
    "mechanisms.above_threshold_failure": lambda: {"accuracy": 3.0},
    "mechanisms.report_noisy_max": lambda: {"noise": "gumbel"},
    "mechanisms.report_noisy_max_pmf": lambda: {"noise": "laplace"},
    "mechanisms.signed_tree.delannoy": lambda: {"a": 2, "b": 3},
    "mechanisms.vector_noise.private_noise": lambda: {"releases": 4},
    "studies.synopsis.good_arm": lambda: {"gap": 0.5, "best": 1},
    "studies.synopsis.shifting": lambda: {"gap": 0.5},
    "studies.price_of_privacy.lemmas.scaled": lambda: {"rounds": 3},
    "papers.bandits": lambda: {"batch_size": 3, "learner": "exp3"},
    "papers.bandits.BatchedExp4": lambda: {"n_actions": 2, "horizon": 10**7},
    "papers.bandits.ExpertProblem": lambda: {"losses": [[0.2, 0.8]], "drawn": True},
    "papers.bandits.FTPL": lambda: {"resamples": 20, "calibration": "printed"},
    "papers.bandits.LocalExp4": lambda: {"n_actions": 2, "horizon": 32_000, "epsilon": 1.0},
    "papers.bandits.play_experts": lambda: {
        "learner": expert_learner(), "losses": np.tile([0.2, 0.8], (10, 1)), "advice": np.tile(ADVICE, (10, 1, 1)),
    },
    "papers.bandits.simulate": lambda: {"learner": "ftpl"},
    "papers.bandits.simulate_experts": lambda: {
        "learner": "batched_exp4", "epsilon": 1.0, "delta": 0.5, "horizon": 10_000,
    },
    "papers.bandits.bounds.lemma_11": lambda: {"fraction": 0.01, "delay": 10, "pulls": 0.5},
    "papers.bandits.bounds.lemma_20": lambda: {"size": 3, "horizon": 10, "factor": 10},
    "papers.bandits.bounds.lemma_23": lambda: {"losses": [[0.2, 0.8], [0.5, -1.0]]},
    "papers.bandits.bounds.lemma_23_mixing": lambda: {"losses": [[0.2, 0.8], [0.5, -1.0]]},
    "papers.bandits.bounds.lemma_26": lambda: {
        "losses": [[0.2, 0.8], [0.5, -1.0]], "laws": [[0.5, 0.5], [0.2, 0.8]],
    },
    "papers.bandits.bounds.theorem_1": lambda: {"base_regret": 10.0, "batch_size": 3},
    "papers.distribution_learning": lambda: {"delta": NONE, "contexts": NONE, "gap": 0.3},
    "papers.distribution_learning.play_labels": lambda: {"labels": [0, 1, 1, 0]},
    "papers.distribution_learning.simulate": lambda: {"grid": 100},
    "papers.distribution_learning.tune": lambda: {"scheme": "pure", "sensitivity": NONE},
    "papers.distribution_learning.bounds": lambda: {"horizon": 10**6, "delta": 0.01},
    "papers.distribution_learning.bounds.bits_sample_size": lambda: {"accuracy": 0.1},
    **{
        f"papers.distribution_learning.bounds.{name}": lambda: {"n_hypotheses": 7}
        for name in ("fano_risk", "fano_tv", "interactive_risk", "interactive_tv", "rare_share", "signed_gap")
    },
    "papers.distribution_learning.bounds.median_failure": lambda: {"batches": 9},
    "papers.noisy_leader": lambda: {"noise": "exponential", "calibration": "printed"},
    "papers.noisy_leader.resampled": lambda: {"env": environments.Table(TABLE[:2])},
    "papers.noisy_leader.simulate": lambda: {"env": environments.Grid([0.0, 0.5], [[0.5, 0.5], [0.1, 0.9]])},
    "papers.noisy_leader.bounds": lambda: {"n_actions": 16, "noise": "gumbel"},
    "papers.noisy_leader.bounds.equation_7": lambda: {"epoch": [1, 3], "gaps": [0.2, 0.3], "c2": 16.0},
    "papers.noisy_leader.bounds.equation_9": lambda: {"epoch": [1, 3], "gaps": [0.2, 0.3]},
    "papers.noisy_leader.bounds.lemma_3": lambda: {"integral": [0.5, 2.0]},
    "papers.noisy_leader.bounds.optimal_rate": lambda: {"losses": "any"},
    "papers.prefix_softmax.block_privacy_loss": lambda: {"block": 3},
    "papers.prefix_softmax.sequence_law": lambda: {"table": TABLE, "readers": 1},
    "papers.prefix_softmax.softmax_error_sum": lambda: {"start": [0, 3], "stop": 2000},
    "papers.prefix_softmax.bounds.lemma_4": lambda: {"error_sum": [0.5, 100.0]},
    "papers.prefix_softmax.bounds.remainder": lambda: {"rounds": 1000},
    "papers.prefix_softmax.bounds.sharper_drift": lambda: {"split": 4},
    "papers.tracking": lambda: {"horizon": 50, "n_switches": 1, "batch": 1},
    "papers.tracking.PairAdversary": lambda: {"n_pairs": 3, "copy_rounds": 5},
    "papers.tracking.duel": lambda: {
        "learner": baselines.Hedge(6, learning_rate=0.5, rng=rng()), "horizon": 10,
        "adversary": tracking.PairAdversary(3, copy_rounds=5, rng=rng()),
    },
    "papers.tracking.project": lambda: {"weights": [0.1, 0.4, 0.5], "floor": 0.2},
    "papers.tracking.simulate": lambda: {"method": "restarts", "keep_actions": True},
    "papers.tracking.tune_dartboard": lambda: {"horizon": 1000, "log_d": 10.0, "batches": (1, 2)},
    "papers.tracking.bounds.RestartRule": lambda: RULE,
    "papers.tracking.bounds.inequality_1": lambda: {"rule": RestartRule(**RULE), "switches": 2, "length": 100},
    "papers.tracking.bounds.proved_regret": lambda: {"noise": "gumbel"},
    "papers.tracking.bounds.shifting_lower": lambda: {"n_actions": 8, "n_phases": 2, "phase": 100},
    **{
        f"papers.tracking.bounds.{name}": lambda: {"noise": 2.0, "log_d": 20.0}
        for name in ("theorem_b2", "tracking_regret", "watched_regret")
    },
}  # fmt: skip
"""Where a module, or a function, asks for other values, and for what no other function takes."""


def names(home: str) -> list[str]:
    """Return the functions of a module that users call."""
    if home in CHOSEN:
        return CHOSEN[home].split()
    module = import_module(f"replicate.{home}")
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    listed = getattr(module, "__all__", own)
    left_out = UNCALLED.get(home, "").split()
    return sorted(n for n in listed if callable(getattr(module, n)) and n[0] != "_" and n not in left_out)


def call_of(function: Callable[..., Any], name: str) -> Callable[[], dict[str, Any]]:
    """Return a function that returns fresh arguments of a valid call."""
    parts = name.split(".")
    places = [OTHERS[place] for i in range(len(parts)) if (place := ".".join(parts[: i + 1])) in OTHERS]
    words = [p for p in signature(function).parameters.values() if p.kind is not Parameter.VAR_KEYWORD]

    def valid() -> dict[str, Any]:
        other: dict[str, Any] = {}
        for place in places:
            other |= place()
        found = {}
        for word in words:
            if word.name in other:
                found[word.name] = other[word.name]
            elif word.name in FRESH:
                found[word.name] = FRESH[word.name]()
            elif word.name in USUAL or word.default is Parameter.empty:
                found[word.name] = USUAL[word.name]
        return {key: value for key, value in found.items() if value is not NONE}

    return valid


def calls() -> Iterator[tuple[str, tuple[Callable[..., Any], Callable[[], dict[str, Any]]]]]:
    for home in [*HOMES, *CHOSEN]:
        for name in names(home):
            function = getattr(import_module(f"replicate.{home}"), name)
            yield f"{home}.{name}", (function, call_of(function, f"{home}.{name}"))


CALLS = dict(calls())
"""Every public function, by its name, and a valid call of it."""
