"""Every public function answers hostile arguments with a result, or with one error that names the argument."""

from functools import partial
from itertools import product

import numpy as np
import pytest

import replicate
from replicate import environments, learners, mechanisms
from replicate.learners.competitors import bit_exp4
from replicate.mechanisms.tree_sums import FactorizedSums, TreeSums
from replicate.mechanisms.vector_noise import NOISES, VectorNoise
from replicate.papers import bandits, noisy_leader, tracking
from replicate.papers import distribution_learning as dl
from replicate.papers.tracking.algorithms import simulation
from replicate.studies.price_of_privacy.algorithms.minimax import minimax
from tests.calls import ADVICE, CALLS, COINS, bernoulli, board, expert_learner, instances, rng
from tests.hostile import attack, misplaced, taken

INPUTS = (
    "assert_private(neighbours=[nan, 0.5]): AssertionError",
    "examine(neighbours=[nan, 0.5]): NaN",
    "worst_pair(pairs=array([[nan, nan]",
)
"""Inputs of a mechanism are nobody's business: NaN may be one, and tells itself apart from numbers."""
ATTACKED = {"claims.Evidence": {"relation"}}
"""Arguments that are attacked where they are not all."""


@pytest.mark.parametrize("name", CALLS)
def test_bad_arguments_are_refused_by_name(name):
    function, valid = CALLS[name]
    function(**valid())  # compiles what is compiled
    found = attack(function, valid, names=ATTACKED.get(name))
    assert [line for line in found if not line.startswith(INPUTS)] == []


AT_ONCE = [name for name in CALLS if name.startswith(("audit.", "studies.price_of_privacy.lemmas."))]


@pytest.mark.parametrize("name", AT_ONCE)
def test_a_bare_object_is_refused_at_once(name):
    assert taken(*CALLS[name]) == (["data", "neighbour"] if name == "audit.replay" else [])


SHARED = ("audit.bits", "audit.certified_renyi", "audit.certified_zcdp", "audit.trade_off_band")
SHARED += ("certify.clopper_pearson", "certify.mean_interval")
"""Audits and intervals of two limits, which share the probability to err."""


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if "false_alarm" in call[1]()])
def test_a_limit_may_err_with_a_probability_from_1e_300_to_a_half(name):
    assert misplaced(*CALLS[name], "false_alarm", (1 + (name in SHARED)) * 1e-300, 0.5) == []


RATES = ("_half", "_twice", "_fourfold", "_eightfold")
LISTED = {name: entry for name, entry in learners.register().items() if not name.endswith(RATES)}
"""Learners at one rate: at another the same code looks at their arguments."""
LONG = {"n_actions": 3, "horizon": 10**7, "delta": 1e-3, "n_switches": 2}
SHORT = {"epsilon": 0.5, "horizon": 1000, "replicates": 2, "delta": 1e-3, "n_switches": 1}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if i % 3 else []) for i, name in enumerate(LISTED)]
)
def test_no_learner_is_built_or_simulated_on_hostile_arguments(name):
    level = {"name": name, "epsilon": 0.5 if LISTED[name].private else None}
    assert attack(learners.learner, lambda: LONG | level | {"rng": rng()}) == []
    if LISTED[name].simulate:
        assert attack(learners.simulate, lambda: SHORT | {"name": name, "env": bernoulli(), "rng": rng()}) == []


def built(name):
    level = 0.5 if LISTED[name].private else None
    return learners.learner(name, **LONG, epsilon=level, rng=rng())


def simulate_with(method, **options):
    words = {"n_switches": 1, "horizon": 100, "epsilon": 0.5, "replicates": 2, "rng": rng()}
    return tracking.simulate(bernoulli(), method=method, **words | options)


def simulate_restarts(*, calibration, windows, failure):
    return simulate_with("restarts", calibration=calibration, windows=windows, failure=failure)


def simulate_meta_experts(*, delta, dartboard):
    return simulate_with("meta_experts", delta=delta, dartboard=dartboard)


def simulate_mirror_descent(*, calibration):
    return simulate_with("mirror_descent", calibration=calibration)


CONTEXTS = (COINS, COINS[::-1])
TIGHT = {"scheme": "approximate", "delta": 0.01, "calibration": "tight"}
SCHEMED = "papers.distribution_learning."
VARIANTS = [
    (f"{SCHEMED}simulate", TIGHT),
    (f"{SCHEMED}simulate", {"hypotheses": CONTEXTS, "contexts": "periodic"}),
    (f"{SCHEMED}simulate", {"hypotheses": CONTEXTS, "context_law": [0.9, 0.1]}),
    (f"{SCHEMED}play_labels", {"hypotheses": CONTEXTS, "contexts": [0, 1, 1, 0]}),
    (f"{SCHEMED}play_labels", {"scheme": "randomized_response"}),
    *product((f"{SCHEMED}simulate", f"{SCHEMED}play_labels"), ({"scheme": name} for name in dl.BAYES_SCHEMES)),
    (f"{SCHEMED}tune", TIGHT | {"log_range": 9.0, "sensitivity": 8.0}),
    *(
        ("papers.bandits.simulate", {"learner": name, "epsilon": level})
        for names, level in ((("htinf", "exp3", "per_round_exp3"), 0.5), (("tsallis_inf", "plain_exp3"), None))
        for name in names
    ),
    *(("papers.bandits.simulate_experts", {"learner": name, "delta": None}) for name in ("htinf", "local_exp4")),
]
"""Functions, and arguments at which they do something else."""


@pytest.mark.parametrize(("name", "changes"), VARIANTS, ids=str)
def test_bad_arguments_of_variants_are_refused_by_name(name, changes):
    function, valid = CALLS[name]
    assert attack(function, lambda: valid() | changes) == []


# Methods

POLICY = minimax(2, 2, 1.0).policy
PLAYED = {"losses": [0.0, 1.0]}
INSTANCES = [*instances().values(), noisy_leader.resampled(environments.Table([[0.0, 1.0], [0.5, 0.25]]))]
BANDITS = {name: partial(built, name) for name, entry in LISTED.items() if entry.feedback == "bandit"}
BANDITS |= {
    "HTINF": lambda: bandits.HTINF(3, rng=rng()),
    "EXP3": lambda: bandits.EXP3(3, learning_rate=1e6, mixing=0.0, rng=rng()),
    "FTPL": lambda: bandits.FTPL(3, learning_rate=0.1, resamples=5, rng=rng()),
    "Exp3Share": lambda: bit_exp4.Exp3Share(3, rate=0.1, share=0.01, rng=rng()),
}


def of(build, method):
    """A method of an object that is built for every call."""
    return lambda **words: getattr(build(), method)(**words)


def observes(build):
    """A loss after an action, and the next action."""

    def observe(loss):
        learner = build()
        learner.act()
        learner.observe(loss)
        return learner.act()

    return observe


def of_scheme(scheme):
    """What a user and a predictor do, by a scheme of paper 5."""
    options = {"scheme": scheme, "delta": 0.01 if scheme == "approximate" else None, "horizon": 100}
    user, predictor = dl.User(COINS, **options, rng=rng()), dl.Predictor(COINS, **options)
    yield user.release, {"label": 0}
    yield predictor.predict, {}
    yield predictor.observe, {"message": user.release(0)}


SUMS = (
    lambda: TreeSums(3, n_rounds=50, noise="cube", epsilon=0.7, rng=rng()),
    lambda: FactorizedSums(3, n_rounds=50, epsilon=0.7, delta=1e-6, rng=rng()),
)
OF_SUMS = {"add": {"values": [0.1, 0.2, 0.3]}, "draw_noise": {"n": 3}, "log_mgf": {"rate": 0.01}}
ASKED = {"above": {"query": 1.0}, "any_above": {"queries": [0.0, 1.5]}}
METHODS = [
    *(
        (of(lambda: mechanisms.AboveThreshold(epsilon=1.0, threshold=50.0, rng=rng()), method), words)
        for method, words in ASKED.items()
    ),
    *((of(build, method), words) for build in SUMS for method, words in OF_SUMS.items()),
    *((VectorNoise(name=name, n_actions=3, scale=2.0).log_mgf, {"rate": 0.1}) for name in NOISES),
    *((VectorNoise(name=name, n_actions=3, scale=2.0).draw, {"rng": rng()}) for name in NOISES),
    *((env.mean_sums, {"start": 0, "stop": 2}) for env in INSTANCES),
    *((draw, {"start": 0, "stop": 2, "rng": rng()}) for env in INSTANCES for draw in (env.sums, env.losses)),
    *((observes(build), {"loss": 0.5}) for build in BANDITS.values()),
    (of(expert_learner, "act"), {"advice": ADVICE[0]}),
    (of(lambda: bandits.ExpertBandit(bandits.HTINF(3, rng=rng()), rng=rng()), "act"), {"advice": ADVICE[0]}),
    (noisy_leader.NoisyLeader(2, epsilon=1.0, rng=rng()).observe, PLAYED),
    *(case for scheme in (*dl.SCHEMES, *dl.BAYES_SCHEMES) for case in of_scheme(scheme)),
    *(
        (replicate.minimax, {"n_actions": 2, "horizon": 2, "epsilon": 1.0, "feedback": f, "delta": 0.0})
        for f in ("full", "bandit")
    ),
    (POLICY.learner, {"rng": rng(), "batch": 2}),
    (POLICY.learner(rng=rng()).observe, PLAYED),
    (minimax(2, 2, 1.0, "bandit").learner(rng=rng()).observe, {"losses": 0.5}),
    (POLICY.law, {"losses": [[0.0, 1.0], [0.5, 0.5]]}),
    (POLICY.marginals, {"losses": [[0.0, 1.0], [0.5, 0.5]]}),
    (simulate_restarts, {"calibration": "corrected", "windows": "dyadic", "failure": 0.1}),
    (simulate_meta_experts, {"delta": 1e-6, "dartboard": board()}),
    (simulate_mirror_descent, {"calibration": "printed"}),
]
"""Methods and functions that are no public names, and valid calls."""


@pytest.mark.parametrize(
    ("method", "valid"), METHODS, ids=lambda x: getattr(x, "__qualname__", "").replace("<locals>.", "")
)
def test_bad_arguments_of_methods_are_refused_by_name(method, valid):
    assert attack(method, lambda: dict(valid), names=set(valid)) == []


@pytest.mark.parametrize("epsilon", [1e-9, 1e9])
@pytest.mark.parametrize("method", simulation.METHODS)
def test_every_method_of_tracking_plays_at_the_ends_of_its_range(method, epsilon):
    assert np.isfinite(simulate_with(method, epsilon=epsilon).regret).all()
