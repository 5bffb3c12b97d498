"""Random calls of every public callable: a result, or a ValueError or TypeError that says something."""

import importlib
import inspect
import warnings

import numpy as np
import pytest

from replicate import audit, certify, claims, environments, learners, mechanisms
from replicate.papers import bandits, distribution_learning, noisy_leader, prefix_softmax, tracking
from tests.hostile import HOSTILE, Hang, deadline

PAPERS = (bandits, distribution_learning, noisy_leader, prefix_softmax, tracking)
BOUNDS = [importlib.import_module(f"{paper.__name__}.bounds") for paper in PAPERS]
PUBLIC = [audit, certify, claims, environments, learners, mechanisms, *PAPERS]
SECONDS = 20
TABLE = [[0.0, 1.0], [0.5, 0.25], [1.0, 0.0]]


def callables():
    """Public callables by name: of packages what they list, of modules of bounds every function."""
    listed = {f"{home.__name__}.{name}": getattr(home, name) for home in PUBLIC for name in home.__all__}
    for module in BOUNDS:
        own = {name: f for name, f in vars(module).items() if getattr(f, "__module__", "") == module.__name__}
        listed |= {f"{module.__name__}.{name}": value for name, value in own.items() if name[0] != "_"}
    return {name: value for name, value in listed.items() if inspect.isclass(value) or inspect.isfunction(value)}


def sensible(rng):
    """Values that some call takes, by the names of arguments."""
    env = environments.Bernoulli([0.25, 0.75])
    return {
        "n_actions": 3, "horizon": 100, "epsilon": 0.5, "delta": 1e-3, "n_switches": 1, "rng": rng, "env": env,
        "replicates": 2, "losses": TABLE, "means": [0.25, 0.75], "name": "gumbel", "noise": "gumbel", "scale": 1.0,
        "scores": [0.0, 1.0], "gap": 0.25, "learner": learners.Hedge(2, learning_rate=0.1, rng=rng),
        "claim": "PS-T1", "n_experts": 3, "learning_rate": 0.1, "samples": [0.25, 0.5, 1.0], "low": 0.0,
        "high": 1.0, "level": 0.9,
        "hypotheses": [[0.75, 0.25], [0.25, 0.75]], "truth": 0, "n_labels": 3, "n_hypotheses": 3, "share": 0.1,
        "false_alarm": 0.1, "runs": 1000, "neighbours": (0.0, 1.0), "method": "restarts", "scheme": "pure",
        "make": lambda x: lambda rng, n: x + rng.laplace(size=n), "seed": 1, "mixing": 0.1, "batch": 2,
        "sigma": 2.0,
    }  # fmt: skip


def drawn(function, rng):
    """Arguments by name: sensible ones half of the time, else any of the hostile ones or of the sensible ones."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return {}
    known, given, first = sensible(rng), {}, []
    pool = [*HOSTILE, *known.values()]
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or (p.default is not p.empty and rng.random() < 0.6):
            continue
        value = known[p.name] if p.name in known and rng.random() < 0.6 else pool[rng.integers(len(pool))]
        if p.kind is p.POSITIONAL_ONLY:
            first.append(value)
        else:
            given[p.name] = value
    return given | ({"": first} if first else {})


def wrong(function, given, rng):
    """Call, and play with what comes back if it plays; return what is wrong with how it ends, or None."""
    try:
        with deadline(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*given.get("", ()), **{name: value for name, value in given.items() if name})
            for method in rng.permutation([m for m in ("act", "observe") if hasattr(result, m)]):
                getattr(result, method)(*[HOSTILE[rng.integers(len(HOSTILE))]] * (method == "observe"))
            str(result)
    except (ValueError, TypeError) as error:
        return None if str(error).strip() else "a refusal without a word"
    except (Hang, Exception) as error:
        return f"{type(error).__name__}: {error}"
    return None


def complaints(calls, seed):
    listed, rng, found = callables(), np.random.default_rng(seed), []
    names = sorted(listed)
    for i in range(calls):
        name = names[i % len(names)]
        given = drawn(listed[name], rng)
        shown = ", ".join(f"{k}={v!r:.60}" for k, v in given.items())
        if said := wrong(listed[name], given, rng):
            found.append(f"{name}({shown}): {said:.200}")
    return found


def test_random_calls_end_in_a_result_or_a_sentence():
    assert complaints(300, 1) == []


@pytest.mark.long
def test_two_thousand_random_calls_end_in_a_result_or_a_sentence():
    assert complaints(2000, 2) == []


def test_a_function_that_breaks_is_found():
    rng = np.random.default_rng(1)
    assert wrong(lambda n_actions: [][n_actions], {"n_actions": 1}, rng).startswith("IndexError")
    assert wrong(float, {"": ["x"]}, rng) is None
