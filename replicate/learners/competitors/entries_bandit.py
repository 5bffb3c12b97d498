"""Standard bandit learners in the registry: what a well-read practitioner would try."""

from __future__ import annotations

from functools import partial
from typing import Any

from replicate.environments import MAX_STRETCH, Environment
from replicate.learners.anytime import restarted
from replicate.learners.competitors import (
    bandit,
    bit_exp4,
    phases,
    player,
    random_bit,
    thompson,
    tsallis,
)
from replicate.learners.entries import Entry, Setting, simulator_on_sums
from replicate.learners.protocol import SHARPEST, Learner, Run
from replicate.validation import Generator


def _stepped(
    name: str,
    *,
    learner: Any,
    kind: int,
    bits: bool = False,
    private: bool = False,
    **facts: Any,
) -> Entry:
    """A compiled learner: on the losses themselves, on their rounded values (`bits`), or on private bits."""

    def build(setting: Setting, rng: Generator) -> Learner:
        base: Learner = learner(setting.n_actions, rng=rng)
        return random_bit.RandomBit(base, epsilon=setting.epsilon, rng=rng) if private else base

    def simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
        seen = random_bit.response(setting.epsilon) if private else 1.0 if bits else None
        return player.simulate(env, kind=kind, fresh=learner.fresh, response=seen, **sizes)

    return Entry(
        name=name, feedback="bandit", private=private, build=build,
        simulate=simulator_on_sums(simulate), max_horizon=player.MAX_ROUNDS,
        privacy="ε, local" if private else "none", local=private, anytime=True, **facts,
    )  # fmt: skip


_TSALLIS: dict[str, Any] = {"learner": tsallis.TsallisINF, "kind": player.TSALLIS}
_THOMPSON: dict[str, Any] = {"learner": thompson.ThompsonSampling, "kind": player.THOMPSON, "bits": True}
LOCAL = (
    _stepped(
        "bit_tsallis_inf",
        label="one random bit, Tsallis-INF",
        colour="#0072B2",
        summary="one randomised bit of every loss, read by Tsallis-INF",
        guarantee="any losses: (2√(KT) + 6K log T) / tanh(ε/2)",
        proved_for=("reactive",),
        bound=lambda s, gap: random_bit.regret_bound(**s.sizes),
        private=True,
        **_TSALLIS,
    ),
    _stepped(
        "bit_thompson",
        label="one random bit, Thompson",
        colour="#E69F00",
        summary="one randomised bit of every loss, read by Thompson sampling",
        guarantee="i.i.d. losses: asymptotic only, log T / kl of the bits",
        proved_for=("iid",),
        private=True,
        **_THOMPSON,
    ),
)
NOT_PRIVATE = (
    _stepped(
        "thompson",
        label="Thompson sampling",
        colour="#000000",
        summary="the smallest of means drawn from Beta posteriors",
        guarantee="i.i.d. losses: asymptotic only, log T / kl",
        proved_for=("iid",),
        **_THOMPSON,
    ),
)


def _grown(setting: Setting, rng: Generator, *, ratio: float) -> phases.GrowingBandit:
    return phases.GrowingBandit(setting.n_actions, epsilon=setting.epsilon, ratio=ratio, rng=rng)


def _imed(name: str, *, ratio: float, label: str, colour: str, times: str) -> Entry:
    """DP-IMED, whose phases double or quadruple the plays of an action."""
    make = partial(_grown, ratio=ratio)

    def simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
        return phases.simulate(lambda rng: make(setting, rng), env, **sizes)

    return Entry(
        name=name,
        label=label,
        colour=colour,
        summary=f"noisy sums of all phases of an action, whose plays {times}, smallest private divergence from "
        "the leader",
        feedback="bandit",
        guarantee=f"i.i.d. losses 0 and 1: asymptotic only, {ratio:g} Σ gap log T / d_ε",
        proved_for=("iid",),
        build=make,
        simulate=simulator_on_sums(simulate),
        max_horizon=MAX_STRETCH,
        cost="K for a phase",
        anytime=True,
    )


CENTRAL = (
    _imed("dp_imed", ratio=phases.RATIO, label="DP-IMED", colour="#CC79A7", times="double"),
    _imed("dp_imed_4", ratio=4.0, label="DP-IMED, ratio 4", colour="#E69F00", times="quadruple"),
)


RESTARTED = (
    restarted(
        CENTRAL[0],
        lambda s: phases.restart_length(n_actions=s.n_actions, horizon=s.horizon, n_switches=s.n_switches),
        name="dp_imed_restarted",
        label="DP-IMED, restarted",
        colour="#882255",
        summary="DP-IMED, restarted after runs whose length fits S changes of the distribution",
        guarantee="none where the distribution changes",
        proved_for=(),
    ),
)


def _on_bits(name: str, *, kind: int, batch: Any, make: Any, fresh: Any, **facts: Any) -> Entry:
    """A compiled learner that reads one random bit of every batch of losses."""

    def build(setting: Setting, rng: Generator) -> Learner:
        base = make(setting, rng)
        return random_bit.RandomBit(base, epsilon=setting.epsilon, batch=batch(setting), rng=rng)

    def simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
        size = batch(setting)
        seen = random_bit.response(setting.epsilon, size)
        return player.simulate_bits(env, kind=kind, fresh=fresh(setting), response=seen, batch=size, **sizes)

    return Entry(
        name=name, feedback="bandit", build=build, simulate=simulator_on_sums(simulate),
        max_horizon=player.MAX_ROUNDS, **facts,
    )  # fmt: skip


def _share(name: str, *, batch: int | None, **facts: Any) -> Entry:
    """EXP3.S on one random bit of every batch of that many rounds, or of as many as its bound asks for."""

    def tuned(s: Setting) -> bit_exp4.Tuning:
        return bit_exp4.tuning(**s.sizes, n_switches=s.n_switches, batch=batch, times=s.rate)

    def words(setting: Setting) -> dict[str, Any]:
        plan = tuned(setting)
        return {"rate": plan.rate, "share": plan.share}

    return _on_bits(
        name,
        kind=player.SHARE,
        batch=lambda s: tuned(s).batch,
        make=lambda s, rng: bit_exp4.Exp3Share(s.n_actions, **words(s), rng=rng),
        fresh=lambda s: partial(bit_exp4.fresh_state, **words(s)),
        # a reactive loss inside a batch knows the action that its bit is about
        proved_for=("switching", "reactive") if batch == 1 else ("switching",),
        bound=lambda s, gap: tuned(s).bound,
        **facts,
    )


def _bit_batch(setting: Setting) -> int:
    return min(max(round(random_bit.best_batch(**setting.sizes) / setting.rate), 1), setting.horizon)


BITS = (
    _share(
        "bit_exp3_s",
        batch=1,
        label="one random bit, EXP3.S",
        colour="#882255",
        summary="one randomised bit of every loss, read by EXP3 with Fixed Share's mixing, tuned for S switches",
        guarantee="any losses, S switches: √(KT (log K + S log KT)) / tanh(ε/2)",
        privacy="ε, local",
        local=True,
        rates=(2.0,),
    ),
    _share(
        "batch_bit_exp3_s",
        batch=None,
        label="one random bit per batch, EXP3.S",
        colour="#AA4499",
        summary="one randomised bit of every batch of losses, read by EXP3 with Fixed Share's mixing",
        guarantee="fixed tables, S switches: √(8KT (log K + S log KT)/ε) for small ε",
        cost="K for a batch",
    ),
    _on_bits(
        "batch_bit_tsallis_inf",
        kind=player.TSALLIS,
        batch=_bit_batch,
        make=lambda s, rng: tsallis.TsallisINF(s.n_actions, rng=rng),
        fresh=lambda s: tsallis.fresh_state,
        label="one random bit per batch, Tsallis-INF",
        colour="#44AA99",
        summary="one randomised bit of every batch of losses, read by Tsallis-INF; batches tuned by its bound",
        guarantee="fixed tables: 2√(8KT/ε) for small ε, and 6K log T a batch",
        proved_for=("fixed",),
        bound=lambda s, gap: random_bit.regret_bound(**s.sizes, batch=_bit_batch(s)),
        cost="K for a batch",
        rates=(0.5,),
    ),
)


def _exp3_s(setting: Setting) -> tuple[dict[str, Any], float]:
    """EXP3.S (Auer, Cesa-Bianchi, Freund and Schapire 2002) on the losses themselves: rate, share and bound.

    They are those of bits that follow the losses exactly, see `bit_exp4.tuning`.
    """
    sizes = setting.sizes | {"epsilon": SHARPEST}
    tuned = bit_exp4.tuning(**sizes, n_switches=setting.n_switches, times=setting.rate)
    return {"rate": tuned.rate, "share": tuned.share}, tuned.bound


def _simulate_exp3_s(env: Environment, setting: Setting, **sizes: Any) -> Run:
    fresh = partial(bit_exp4.fresh_state, **_exp3_s(setting)[0])
    return player.simulate(env, kind=player.SHARE, fresh=fresh, **sizes)


SWITCHING = (
    Entry(
        name="exp3_s",
        label="EXP3.S",
        colour="#999999",
        summary="EXP3 with Fixed Share's mixing, tuned for S switches",
        feedback="bandit",
        guarantee="any losses, S switches: √(2KT (log K + S log KT))",
        proved_for=("switching", "reactive"),
        bound=lambda s, gap: _exp3_s(s)[1],
        private=False,
        privacy="none",
        build=lambda s, rng: bit_exp4.Exp3Share(s.n_actions, **_exp3_s(s)[0], rng=rng),
        simulate=simulator_on_sums(_simulate_exp3_s),
        max_horizon=player.MAX_ROUNDS,
        rates=(2.0,),
    ),
)


def _simulate_exp4(env: Environment, s: Setting, **sizes: Any) -> Run:
    """EXP4 whose experts are the actions: the weights of EXP3 without a share for others."""
    seen = random_bit.response(s.epsilon)
    rate = bit_exp4.learning_rate(s.n_actions, s.n_actions, seen, s.horizon, s.rate) / seen
    fresh = partial(bit_exp4.fresh_state, rate=rate, share=0.0)
    return player.simulate_bits(env, kind=player.SHARE, fresh=fresh, response=seen, batch=1, **sizes)


ADVISED = (
    Entry(
        name="bit_exp4",
        label="one random bit, EXP4",
        colour="#117733",
        summary="one randomised bit of every loss, read by EXP4; without advice each action is its own expert",
        feedback="bandit",
        guarantee="any losses, N experts: √(2 V T log N), V = K (1 + r) / (2 r²), r = tanh(ε/2)",
        privacy="ε, local",
        local=True,
        cost="N K",
        proved_for=("reactive",),
        bound=lambda s, gap: bit_exp4.regret_bound(**s.sizes, n_experts=s.n_actions, times=s.rate),
        build=lambda s, rng: bit_exp4.BitExp4(**s.sizes, n_experts=s.n_actions, times=s.rate, rng=rng),
        simulate=simulator_on_sums(_simulate_exp4),
        max_horizon=player.MAX_ROUNDS,
        simulate_with_advice=lambda problem, s, **sizes: bit_exp4.simulate(
            problem, epsilon=s.epsilon, horizon=s.horizon, times=s.rate, **sizes
        ),
    ),
)
UNIFORM = (
    Entry(
        name="uniform",
        label="uniform play",
        colour="#999999",
        summary="each action with the same probability, whatever the losses are",
        feedback="bandit",
        guarantee="any losses: T (1 − 1/K)",
        privacy="perfect, local",
        local=True,
        cost="one draw",
        anytime=True,
        proved_for=("switching", "reactive"),
        bound=lambda s, gap: s.horizon * (1 - 1 / s.n_actions),
        build=lambda s, rng: bandit.UniformPlay(s.n_actions, rng=rng),
        simulate=simulator_on_sums(lambda env, setting, **sizes: bandit.simulate_uniform(env, **sizes)),
    ),
)
LEARNERS = (*CENTRAL, *RESTARTED, *LOCAL, *BITS, *ADVISED, *UNIFORM, *NOT_PRIVATE, *SWITCHING)
