"""Standard bandit learners in the register: what a well-read practitioner would try."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from replicate.environments import MAX_STRETCH, Environment
from replicate.learners.competitors import (
    doubling,
    elimination,
    growing,
    kl_ucb,
    lazy_thompson,
    phases,
    player,
    random_bit,
    thompson,
    tsallis,
)
from replicate.learners.entries import Entry, Setting, simulator_on_sums
from replicate.learners.protocol import Learner, Run


def _stepped(
    name: str,
    *,
    make: Callable[..., Learner],
    kind: int,
    fresh: Any,
    bits: bool = False,
    private: bool = False,
    **facts: Any,
) -> Entry:
    """A compiled learner: on the losses themselves, on their rounded values (`bits`), or on private bits."""

    def build(setting: Setting, rng: np.random.Generator) -> Learner:
        base = make(setting.n_actions, rng=rng)
        return random_bit.RandomBit(base, epsilon=setting.epsilon, rng=rng) if private else base

    def simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
        seen = random_bit.response(setting.epsilon) if private else 1.0 if bits else None
        return player.simulate(env, kind=kind, fresh=fresh, response=seen, **sizes)

    return Entry(
        name=name, paper="baseline", feedback="bandit", private=private, build=build,
        simulate=simulator_on_sums(simulate), max_horizon=player.MAX_ROUNDS,
        privacy="ε, local" if private else "none", local=private, **facts,
    )  # fmt: skip


_TSALLIS: dict[str, Any] = {"make": tsallis.TsallisINF, "kind": player.TSALLIS, "fresh": tsallis.fresh_state}
_THOMPSON: dict[str, Any] = {
    "make": thompson.ThompsonSampling, "kind": player.THOMPSON, "fresh": thompson.fresh_state, "bits": True
}  # fmt: skip
LOCAL = (
    _stepped(
        "bit_tsallis_inf",
        label="one random bit, Tsallis-INF",
        colour="#0072B2",
        summary="one randomised bit of every loss, read by Tsallis-INF",
        guarantee="any losses: (2√(KT) + 6K log T) / tanh(ε/2)",
        proved_for=("reactive",),
        bound=lambda s, gap: random_bit.regret_bound(n_actions=s.n_actions, epsilon=s.epsilon, horizon=s.horizon),
        private=True,
        **_TSALLIS,
    ),
    _stepped(
        "bit_thompson",
        label="one random bit, Thompson",
        colour="#E69F00",
        summary="one randomised bit of every loss, read by Thompson sampling",
        guarantee="iid losses: asymptotic only, log T / kl of the bits",
        proved_for=("iid",),
        private=True,
        **_THOMPSON,
    ),
)
NOT_PRIVATE = (
    _stepped(
        "tsallis_inf_centred",
        label="Tsallis-INF, reduced variance",
        colour="#555555",
        summary="Tsallis-INF at rate 4/√t, likely actions' estimates centred at 1/2",
        guarantee="any losses: 2√(KT) + 6K log T",
        proved_for=("reactive",),
        bound=lambda s, gap: tsallis.regret_bound(n_actions=s.n_actions, horizon=s.horizon),
        **_TSALLIS,
    ),
    _stepped(
        "thompson",
        label="Thompson sampling",
        colour="#000000",
        summary="the smallest of means drawn from Beta posteriors",
        guarantee="iid losses: asymptotic only, log T / kl",
        proved_for=("iid",),
        **_THOMPSON,
    ),
    _stepped(
        "kl_ucb",
        label="KL-UCB",
        colour="#999999",
        summary="the smallest lower confidence limit of a mean, by the Bernoulli divergence, level log t",
        guarantee="no theorem at this level; log t + 3 log log t: asymptotic only, log T / kl",
        make=kl_ucb.KLUCB,
        kind=player.KL_UCB,
        fresh=kl_ucb.fresh_state,
    ),
    _stepped(
        "kl_ucb_proved",
        label="KL-UCB, proved level",
        colour="#555555",
        summary="the same at the level log(1 + t log² t)",
        guarantee="iid losses: log T / kl, all constants proved",
        proved_for=("iid",),
        bound=lambda s, gap: kl_ucb.regret_bound(n_actions=s.n_actions, gap=gap, horizon=s.horizon),
        make=partial(kl_ucb.KLUCB, level="proved"),
        kind=player.KL_UCB,
        fresh=partial(kl_ucb.fresh_state, level="proved"),
    ),
)


def _phased(name: str, make: Callable[..., phases.PhasedBandit], **facts: Any) -> Entry:
    """A learner that reads noisy sums of phases; ``make(setting, rng)``."""

    def simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
        return phases.simulate(lambda rng: make(setting, rng), env, **sizes)

    return Entry(
        name=name, paper="baseline", feedback="bandit", build=make, simulate=simulator_on_sums(simulate),
        max_horizon=MAX_STRETCH, privacy="ε", cost="K for a phase", **facts,
    )  # fmt: skip


def _doubling(index: str, alpha: float) -> Callable[..., phases.PhasedBandit]:
    def make(setting: Setting, rng: np.random.Generator) -> phases.PhasedBandit:
        return doubling.DoublingBandit(
            setting.n_actions, epsilon=setting.epsilon, index=index, alpha=alpha, rng=rng
        )

    return make


def _growing(index: str, ratio: float = growing.RATIO) -> Callable[..., phases.PhasedBandit]:
    def make(setting: Setting, rng: np.random.Generator) -> phases.PhasedBandit:
        return growing.GrowingBandit(setting.n_actions, epsilon=setting.epsilon, index=index, ratio=ratio, rng=rng)

    return make


def _elimination(setting: Setting, rng: np.random.Generator) -> phases.PhasedBandit:
    return elimination.SuccessiveElimination(
        setting.n_actions, epsilon=setting.epsilon, horizon=setting.horizon, rng=rng
    )


def _sizes(setting: Setting, gap: float) -> dict[str, Any]:
    return {
        "n_actions": setting.n_actions, "gap": gap, "epsilon": setting.epsilon,
        "horizon": max(setting.horizon, 2),
    }  # fmt: skip


_DOUBLED = "noisy mean of the last phase, phases double, "
_GROWN = "noisy sums of all phases of an action, whose plays double, "
_GROWN_FOUR = "noisy sums of all phases of an action, whose plays quadruple, "
_PROVED: dict[str, Any] = {
    "guarantee": "iid losses: Σ log T / min(gap, ε), all constants proved",
    "proved_for": ("iid",),
}
_OPEN: dict[str, Any] = {"guarantee": "no theorem at this level"}
_LIMIT: dict[str, Any] = {
    "guarantee": "iid losses 0 and 1: asymptotic only, 2 Σ gap log T / d_ε",
    "proved_for": ("iid",),
}
_LIMIT_FOUR = _LIMIT | {"guarantee": "iid losses 0 and 1: asymptotic only, 4 Σ gap log T / d_ε"}
CENTRAL = (
    _phased(
        "dp_se",
        _elimination,
        label="DP-SE",
        colour="#999999",
        summary="successive elimination in epochs with fresh losses and noise",
        bound=lambda s, gap: elimination.regret_bound(**_sizes(s, gap)),
        **_PROVED,
    ),
    _phased(
        "adap_ucb",
        _doubling("ucb", doubling.PROVED),
        label="AdaP-UCB",
        colour="#56B4E9",
        summary=_DOUBLED + "Hoeffding limits at level 3.1 log t",
        bound=lambda s, gap: doubling.regret_bound(**_sizes(s, gap)),
        **_PROVED,
    ),
    _phased(
        "adap_ucb_customary",
        _doubling("ucb", doubling.CUSTOMARY),
        label="AdaP-UCB, level log t",
        colour="#0072B2",
        summary=_DOUBLED + "Hoeffding limits at level log t",
        **_OPEN,
    ),
    _phased(
        "adap_klucb",
        _doubling("kl", doubling.PROVED),
        label="AdaP-KLUCB",
        colour="#009E73",
        summary=_DOUBLED + "divergence limits at level 3.1 log t",
        bound=lambda s, gap: doubling.regret_bound(**_sizes(s, gap)),
        **_PROVED,
    ),
    _phased(
        "adap_klucb_customary",
        _doubling("kl", doubling.CUSTOMARY),
        label="AdaP-KLUCB, level log t",
        colour="#E69F00",
        summary=_DOUBLED + "divergence limits at level log t",
        **_OPEN,
    ),
    _phased(
        "dp_klucb",
        _growing("klucb"),
        label="DP-KLUCB",
        colour="#D55E00",
        summary=_GROWN + "smallest limit by the private divergence",
        **_LIMIT,
    ),
    _phased(
        "dp_imed",
        _growing("imed"),
        label="DP-IMED",
        colour="#CC79A7",
        summary=_GROWN + "smallest private divergence from the leader",
        **_LIMIT,
    ),
    _phased(
        "dp_klucb_4",
        _growing("klucb", 4.0),
        label="DP-KLUCB, ratio 4",
        colour="#0072B2",
        summary=_GROWN_FOUR + "smallest limit by the private divergence",
        **_LIMIT_FOUR,
    ),
    _phased(
        "dp_imed_4",
        _growing("imed", 4.0),
        label="DP-IMED, ratio 4",
        colour="#E69F00",
        summary=_GROWN_FOUR + "smallest private divergence from the leader",
        **_LIMIT_FOUR,
    ),
)


def _lazy(setting: Setting, rng: np.random.Generator) -> Learner:
    return lazy_thompson.LazyThompson(setting.n_actions, epsilon=setting.epsilon, rng=rng)


def _simulate_lazy(env: Environment, setting: Setting, **sizes: Any) -> Run:
    def fresh(n_actions: int) -> Any:
        return lazy_thompson.fresh_state(n_actions, epsilon=setting.epsilon)

    return player.simulate(env, kind=player.LAZY, fresh=fresh, **sizes)


LAZY = (
    Entry(
        name="lazy_dp_ts",
        label="Lazy-DP-TS",
        colour="#882255",
        paper="baseline",
        summary="Thompson sampling from lowered private means of twice as many fresh losses each time",
        feedback="bandit",
        guarantee="iid losses 0 and 1: asymptotic only, Σ log T / min(gap, ε)",
        proved_for=("iid",),
        build=_lazy,
        simulate=simulator_on_sums(_simulate_lazy),
        max_horizon=player.MAX_ROUNDS,
        privacy="ε",
    ),
)
LEARNERS = (*CENTRAL, *LAZY, *LOCAL, *NOT_PRIVATE)
