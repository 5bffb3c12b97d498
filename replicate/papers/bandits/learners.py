"""The paper's learners in the registry."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from replicate import validation
from replicate.environments import Environment
from replicate.learners.entries import Bound, Entry, Setting, Simulate, simulator_on_sums
from replicate.learners.protocol import MOST_EXPERTS, Learner, Run
from replicate.papers import bandits
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import kernels, simulation
from replicate.papers.bandits.algorithms.advice import EXPERT_LEARNERS
from replicate.papers.bandits.algorithms.literal import Advised, BaseLearner, BatchedExp4, LocalExp4, floor_learner
from replicate.validation import FloatArray

_BATCHES = "K for a batch of 1/ε rounds"


def _level(setting: Setting) -> float:
    """Level that a learner runs at: the tunings of the paper end at 1, where they stay for larger ones."""
    return min(setting.epsilon, 1.0)


def _bandit(name: str, *, privacy: str = "ε", **about: Any) -> Entry:
    """A learner of batches, private or not: on losses and, where the paper has it, with advice."""
    private = name in simulation.PRIVATE

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        k, horizon = setting.n_actions, setting.horizon
        if private:
            return bandits.private_learner(name, k, epsilon=_level(setting), horizon=horizon, rng=rng)
        return floor_learner(name, k, horizon=horizon, rng=rng)

    def simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
        return bandits.simulate(env, learner=name, epsilon=_level(setting) if private else None, **sizes)

    return Entry(
        name=name, paper="bandits", feedback="bandit", private=private, privacy=privacy, build=build,
        proved_for=("fixed",),
        simulate=simulator_on_sums(simulate),
        simulate_with_advice=_advised(name) if name in EXPERT_LEARNERS else None, **about,
    )  # fmt: skip


def _advised(name: str, *, approximate: bool = False) -> Simulate:
    """Simulator of the game with advice."""

    def simulate(
        problem: bandits.ExpertProblem, setting: Setting, *, replicates: int, rng: np.random.Generator
    ) -> Run:
        delta = setting.delta if approximate else None
        return bandits.simulate_experts(
            problem, learner=name, epsilon=_level(setting), delta=delta, horizon=setting.horizon,
            replicates=replicates, rng=rng,
        )  # fmt: skip

    return simulate


def _bound(formula: Callable[..., FloatArray]) -> Bound:
    """A bound for fixed tables, from the formula of a corollary."""

    def bound(setting: Setting, gap: float) -> float:
        s = setting
        return float(formula(n_actions=s.n_actions, epsilon=_level(s), horizon=s.horizon))

    return bound


def _exp4(name: str, learner: Callable[..., Any], *, approximate: bool = False, **about: Any) -> Entry:
    """A learner with advice, each action its own expert; it reads delta where it is `approximate`."""

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        k = validation.count("n_actions", setting.n_actions, low=2, high=MOST_EXPERTS)
        delta = {"delta": setting.delta} if approximate else {}
        return Advised(
            learner(k, k, epsilon=_level(setting), horizon=setting.horizon, rng=rng, **delta), np.eye(k)
        )

    return Entry(
        name=name, paper="bandits", feedback="bandit", proved_for=("fixed",), cost="N K", approximate=approximate,
        build=build, simulate_with_advice=_advised(name, approximate=approximate), **about,
    )  # fmt: skip


# The paper's base learner with noise on every loss, as in prior work, and on batches that suit the noise


def _sigma(epsilon: float) -> float:
    """Root of the second moment of a loss with Laplace(1 / epsilon) noise, at most 1 + 2 / epsilon^2."""
    return math.sqrt(1 + 2 / epsilon**2)


def _noisy_rounds(setting: Setting) -> simulation.Plan:
    """HTINF on batches of one round."""
    eps = validation.real("epsilon", _level(setting), low=1 / setting.horizon, high=1)
    return replace(simulation.htinf(sigma=_sigma(eps)), noise=1 / eps)


def _planned(plan: Callable[[Setting], simulation.Plan], *, released: str = "", **about: Any) -> Entry:
    """A base learner on batches, both as planned."""

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        planned = plan(setting)
        base = BaseLearner(setting.n_actions, planned, rng)
        learner = bandits.PrivateBandit(base, epsilon=_level(setting), batch_size=planned.batch, rng=rng)
        if released:
            learner.privacy = replace(learner.privacy, released=released)
        return learner

    def simulate(env: Environment, setting: Setting, *, horizon: int, **sizes: Any) -> Run:
        simulation.n_actions_of(env)
        planned = plan(setting)
        kernels.steps("horizon", horizon, planned.batch)
        return simulation.simulate_plan(env, planned, horizon=horizon, **sizes)

    return Entry(paper="bandits", feedback="bandit", build=build, simulate=simulator_on_sums(simulate), **about)


LEARNERS: tuple[Entry, ...] = (
    _bandit(
        "htinf", label="HTINF in batches", colour="#0072B2", bound=_bound(bounds.corollary_2),
        summary="Algorithm 1 over HTINF: batches of 1 / epsilon rounds, noisy means",
        guarantee="fixed tables: √(KT/ε)", anytime=True, cost=_BATCHES,
    ),
    _bandit(
        "exp3", label="EXP3 in batches", colour="#E69F00", bound=_bound(bounds.corollary_22),
        summary="Algorithm 1 over EXP3", guarantee="fixed tables: √(KT log K/ε) log KT", cost=_BATCHES,
    ),
    _bandit(
        "ftpl", label="FTPL in batches", colour="#009E73", bound=_bound(bounds.corollary_24),
        summary="Algorithm 1 over follow the perturbed leader",
        guarantee="fixed tables: √(KT log K/ε) log KT", cost=_BATCHES,
    ),
    _bandit(
        "per_round_exp3", label="EXP3, noise on every round", colour="#D55E00",
        summary="EXP3 with noise on every loss: prior work", local=True, privacy="ε, also local",
        bound=_bound(bounds.per_round_exp3), guarantee="fixed tables: √(KT log K) log(KT)/ε",
    ),
    _exp4(
        "local_exp4", LocalExp4, label="EXP4 with local noise", colour="#D55E00",
        summary="Algorithm 6, each action its own expert: noise on every loss",
        guarantee="fixed tables: √(KT log N) log(KT)/ε", local=True, privacy="ε, also local",
    ),
    _exp4(
        "batched_exp4", BatchedExp4, label="EXP4 in batches", colour="#009E73",
        summary="Algorithm 2, each action its own expert: noisy batch means; reads delta", approximate=True,
        guarantee="fixed tables, N experts", privacy="(ε, 10⁻⁶)",
    ),
    _bandit(
        "tsallis_inf", label="Tsallis-INF", colour="#555555", summary="Tsallis-INF", privacy="none",
        guarantee="any losses: √(KT)", anytime=True,
    ),
    _bandit(
        "plain_exp3", label="EXP3", colour="#999999", summary="EXP3", privacy="none",
        guarantee="any losses: √(KT log K)",
    ),
    _planned(
        _noisy_rounds, name="per_round_htinf", label="HTINF, noise on every round", colour="#CC79A7",
        summary="HTINF on batches of one round: noise on every loss, tuned to its second moment 1 + 2 / ε²",
        bound=lambda s, gap: float(
            bounds.theorem_21(n_actions=s.n_actions, sigma=_sigma(_level(s)), horizon=s.horizon)
        ),
        guarantee="fixed tables: 30 √(1 + 2/ε²) √(KT)", proved_for=("fixed",), anytime=True,
        privacy="ε, local", local=True, released="every noisy loss and every action",
    ),
)  # fmt: skip
