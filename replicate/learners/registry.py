"""The registry of learners: every learner of the workbook by name, to build, to simulate and to look up.

Each paper lists its learners in ``LEARNERS`` of its module ``learners``; those without privacy stand in
`baseline_entries`, what else a practitioner would try in `competitors`. The papers are imported when the registry
is first asked, not before. Here alone they meet: code that compares learners of several papers names them, and
imports none.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import registered, validation
from replicate.environments import Environment
from replicate.learners import baseline_entries, competitors
from replicate.learners.anytime import anytime
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.entries import Entry, LabelEntry, Setting, at_rates
from replicate.learners.protocol import MAX_REPLICATES, Learner, Run, checked_level
from replicate.validation import Generator


@cache
def _listed() -> dict[str, Entry | LabelEntry]:
    """Everything that is listed, by name."""
    methods: dict[str, Entry | LabelEntry] = {}
    for listed in (*registered("learners"), *competitors.LEARNERS, *baseline_entries.LEARNERS):
        for method in at_rates(listed) if isinstance(listed, Entry) else (listed,):
            if method.name in methods:
                raise ValueError(f"names of learners must be unique, got {method.name} twice")
            methods[method.name] = method
    return methods


@cache
def _playing() -> dict[str, Entry]:
    """Those that play on losses."""
    return {name: method for name, method in _listed().items() if isinstance(method, Entry)}


def register() -> dict[str, Entry]:
    """Return every learner that plays on losses, by name: in the papers' order, the baselines last."""
    return dict(_playing())


def schemes() -> dict[str, LabelEntry]:
    """Return every scheme of the game on labels, by name."""
    return {name: method for name, method in _listed().items() if isinstance(method, LabelEntry)}


def entry(name: str) -> Entry:
    """Return the learner of that name.

    Raises
    ------
    ValueError
        If there is none: with the list of names.

    Examples
    --------
    >>> entry("gumbel").label
    'Gumbel noise'
    """
    entries = _playing()
    return entries[validation.choice("name", name, tuple(entries))]


def learner(
    name: str,
    *,
    n_actions: int,
    horizon: int | None,
    epsilon: float | None = None,
    delta: float = 1e-6,
    n_switches: int | None = None,
    rng: Generator,
) -> Learner:
    """Build a learner for T rounds with K actions: ``act()``, then ``observe(losses)``.

    Parameters
    ----------
    name
        Of `register`.
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 2**59; None where nobody knows T: see `replicate.learners.anytime`.
    epsilon
        Privacy level, positive; None for learners without privacy.
    delta
        In [0, 1], for learners with approximate privacy.
    n_switches
        S >= 1, for learners that are tuned for the number of switches of the comparator; None: 1, which a game of
        one round does not have.
    rng
        Source of the learner's randomness.

    Raises
    ------
    ValueError
        If the name is unknown, an argument is out of range, epsilon is missing or not asked for, or the
        learner's tuning does not exist in this setting.

    Examples
    --------
    >>> learner("hedge", n_actions=3, horizon=100, rng=np.random.default_rng(1)).n_actions
    3
    """
    chosen = anytime(entry(name)) if horizon is None else entry(name)
    if chosen.private is (epsilon is None):
        needed = (
            "given: a positive number" if chosen.private else f"None, since it is not private, got {epsilon!r}"
        )
        raise ValueError(f"epsilon must be {needed} (for {name})")
    level = math.inf if epsilon is None else validation.positive("epsilon", epsilon)
    rounds = MAX_HORIZON if horizon is None else validation.count("horizon", horizon)
    switches = min(1, rounds - 1) if n_switches is None else validation.count("n_switches", n_switches)
    setting = Setting(n_actions=n_actions, horizon=rounds, epsilon=level, delta=delta, n_switches=switches)
    return chosen.build(setting, validation.generator(rng))


def simulate(
    name: str,
    env: Environment,
    *,
    epsilon: float | None = None,
    horizon: int,
    replicates: int,
    rng: Generator,
    delta: float = 1e-6,
    n_switches: int = 0,
) -> Run:
    """Simulate a learner exactly in distribution.

    Parameters
    ----------
    name
        Of `register`.
    env
        The loss process.
    epsilon
        Privacy level, positive; learners without privacy do not use it, so that several can be compared in one
        loop.
    horizon
        Number of rounds T, 1 to the `max_horizon` of the entry: 2**59 for learners whose simulator draws sums of
        losses, 10**7 for learners that read every round.
    replicates
        Independent repetitions, 1 to 10**6.
    rng
        Source of randomness.
    delta
        In [0, 1], for learners with approximate privacy.
    n_switches
        0: pseudo-regret against the best fixed action. S > 0: against the best action of every phase of a
        `Shifting` environment, and the learners that are tuned for S switches read S.

    Returns
    -------
    Pseudo-regret at one or more numbers of rounds, the last of them T; ``run.final`` has shape (replicates,).

    Raises
    ------
    ValueError
        If an argument is out of range, or there is no simulator or no tuning of the learner in this setting.

    Examples
    --------
    >>> from replicate.environments import Bernoulli
    >>> run = simulate("gumbel", Bernoulli([0.4, 0.6]), epsilon=1.0, horizon=2**40, replicates=5,
    ...                rng=np.random.default_rng(1))
    >>> run.final.shape
    (5,)
    """
    chosen = entry(name)
    if chosen.simulate is None:
        raise ValueError(f"name must be that of a learner with a simulator, got {name!r}")
    validation.interface("env", env, ("n_actions", "sums", "mean_sums"))
    setting = Setting(
        n_actions=env.n_actions,
        horizon=validation.count("horizon", horizon, high=chosen.max_horizon),
        epsilon=_level(chosen, epsilon),
        delta=delta,
        n_switches=n_switches,
    )
    validation.count("replicates", replicates, high=MAX_REPLICATES)
    return chosen.simulate(env, setting, replicates=replicates, rng=validation.generator(rng))


def simulate_with_advice(
    name: str, problem: Any, *, epsilon: float, horizon: int, replicates: int, rng: Generator, delta: float = 1e-6
) -> Run:
    """Simulate a learner on a problem with experts' advice, exactly in distribution.

    Parameters
    ----------
    name
        Of `register`, one of those of paper 4 that take advice.
    problem
        Contexts, advice and losses: `papers.bandits.ExpertProblem`.
    epsilon, horizon, replicates, rng, delta
        As for `simulate`.

    Returns
    -------
    Pseudo-regret against the best expert.
    """  # fmt: skip
    chosen = entry(name)
    if chosen.simulate_with_advice is None:
        raise ValueError(f"name must be that of a learner that takes advice, got {name!r}")
    validation.interface("problem", problem, ("advice", "losses"))
    setting = Setting(
        n_actions=np.shape(problem.advice)[1], horizon=horizon, epsilon=_level(chosen, epsilon), delta=delta
    )
    validation.count("replicates", replicates, high=MAX_REPLICATES)
    return chosen.simulate_with_advice(problem, setting, replicates=replicates, rng=validation.generator(rng))


def exact_regret(name: str, means: ArrayLike, *, epsilon: float, horizon: int) -> Run:
    """Return a learner's expected regret on deterministic losses, without sampling.

    Parameters
    ----------
    name
        Of `register`, one of those with an exact regret: the learners of papers 1 and 2 without resampling.
    means
        Losses in [0, 1], shape (K,), unique best action.
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 2**59.

    Examples
    --------
    >>> run = exact_regret("gumbel", [0.0, 1.0], epsilon=0.01, horizon=2**40)
    >>> round(float(run.final[0]))
    400
    """
    chosen = entry(name)
    if chosen.exact_regret is None:
        raise ValueError(f"name must be that of a learner with an exact regret, got {name!r}")
    mu = validation.unit_array("means", means, ndim=1)
    return chosen.exact_regret(mu, Setting(n_actions=len(mu), horizon=horizon, epsilon=_level(chosen, epsilon)))


def _level(chosen: Entry, epsilon: float | None) -> float:
    """Privacy level of a setting: infinite for a learner without privacy, which may be given one all the same."""
    if not chosen.private:
        checked_level(math.inf if epsilon is None else epsilon)
        return math.inf
    if epsilon is None:
        raise ValueError(f"epsilon must be given: a positive number (for {chosen.name})")
    return validation.positive("epsilon", epsilon)
