"""Standard learners with full information in the registry: what a well-read practitioner would try."""

from __future__ import annotations

from functools import partial
from typing import Any

from replicate.environments import Environment
from replicate.learners.competitors import (
    adahedge,
    batched_share,
    coordinate_bit,
    epochs,
    few_leaders,
    noisy_sums,
    random_epochs,
)
from replicate.learners.entries import Entry, Setting, simulator_on_sums, simulator_on_tables
from replicate.learners.protocol import Learner, Run
from replicate.learners.pseudo_regret import MAX_DRAWN, Player
from replicate.validation import Generator


def _hedge(name: str, *, sums: str, **facts: Any) -> Entry:
    """Hedge on noisy prefix sums."""
    approximate = sums == "factorized_gaussian"

    def unending(s: Setting) -> dict[str, Any]:
        return {"n_actions": s.n_actions, "horizon": s.horizon, "epsilon": s.epsilon, "times": s.rate}

    def sizes(s: Setting) -> dict[str, Any]:
        return {**s.sizes, "delta": s.delta if approximate else 0.0}

    def tuned(s: Setting) -> noisy_sums.Tuning:
        return noisy_sums.hedge_tuning(sums, **sizes(s), times=s.rate)

    def build(s: Setting, rng: Generator) -> Learner:
        if s.unending:
            return noisy_sums.UnendingHedge(s.n_actions, epsilon=s.epsilon, times=s.rate, rng=rng)
        return noisy_sums.NoisyHedge(**sizes(s), sums=sums, learning_rate=tuned(s).parameter, rng=rng)

    def player(s: Setting) -> Player:
        rate: Any
        if s.unending:
            rate = noisy_sums.learning_rates(**unending(s))
            draws: Any = partial(noisy_sums.unbounded_sums, s.n_actions, epsilon=s.epsilon)
        else:
            rate, draws = tuned(s).parameter, partial(noisy_sums.noisy_sums, sums, **sizes(s))
        losses = partial(noisy_sums.hedge_losses, learning_rate=rate)
        return lambda table, rng: losses(table, draws(rng=rng).draw_noise(len(table) - 1))

    def bound(s: Setting, gap: float) -> float:
        return noisy_sums.unending_bound(**unending(s)) if s.unending else tuned(s).bound

    return Entry(
        name=name,
        guarantee="fixed tables: √(2 log K (T/4 + V)), V the variance of the noise",
        privacy="(ε, 10⁻⁶)" if approximate else "ε",
        approximate=approximate,
        build=build,
        simulate=simulator_on_tables(player),
        max_horizon=MAX_DRAWN,
        proved_for=("fixed",),
        bound=bound,
        unending=not approximate,
        **facts,
    )


def _on_sums(name: str, *, module: Any, make: Any, given: Any = None, **facts: Any) -> Entry:
    """A learner with the module of its tuning and its simulation, which are told what is `given`."""
    unending = facts.get("unending", False)

    def words(s: Setting) -> dict[str, Any]:
        return {"epsilon": s.epsilon, "n_switches": s.n_switches, "times": s.rate} | (given or {})

    def build(s: Setting, rng: Generator) -> Learner:
        learner: Learner = make(
            s.n_actions, horizon=None if unending and s.unending else s.horizon, **words(s), rng=rng
        )
        return learner

    def simulate(env: Environment, s: Setting, **asked: Any) -> Run:
        told = {"unending": s.unending} if unending else {}
        run: Run = module.simulate(env, **words(s), **told, **asked)
        return run

    def bound(s: Setting, gap: float) -> float:
        sizes = {"n_actions": s.n_actions, "horizon": s.horizon, **words(s)}
        return float(module.paced_bound(**sizes) if s.unending else module.tuning(**sizes).bound)

    return Entry(name=name, build=build, simulate=simulator_on_sums(simulate), bound=bound, **facts)


def _anytime(name: str, *, make: Any, simulate: Any, bound: Any, **facts: Any) -> Entry:
    """A learner for i.i.d. losses that nothing but epsilon tunes."""
    return Entry(
        name=name,
        build=lambda s, rng: make(s.n_actions, epsilon=s.epsilon, rng=rng),
        simulate=simulator_on_sums(lambda env, s, **sizes: simulate(env, epsilon=s.epsilon, **sizes)),
        proved_for=("iid",),
        bound=lambda s, gap: bound(**s.sizes, gap=gap),
        anytime=True,
        **facts,
    )


_LEADERS: dict[str, Any] = {"module": few_leaders, "make": few_leaders.FewLeaders, "cost": "K; K draws per batch"}
_COORDINATE: dict[str, Any] = {"max_horizon": MAX_DRAWN, "privacy": "ε, local", "local": True}
_SHARED: dict[str, Any] = {"module": coordinate_bit, "make": coordinate_bit.CoordinateShare, **_COORDINATE}
_EPOCHS = "K additions; log T selections in all"
_WEIGHTS: dict[str, Any] = {"weights": (2 / 3, 1 / 3)}
LEARNERS = (
    _hedge(
        "hedge_tree_cube",
        sums="tree_cube",
        label="Hedge on a tree, cube noise",
        colour="#0072B2",
        summary="Hedge on prefix sums with tree noise from the cube: pure, and the least of pure noises here",
        cost="3 K draws",
        rates=(4.0,),
    ),
    _hedge(
        "hedge_factorized",
        sums="factorized_gaussian",
        label="Hedge on factorised sums",
        colour="#CC79A7",
        summary="Hedge on prefix sums with Gaussian noise through the square root of summing; reads delta",
        cost="K t, or K log T when simulated",
        rates=(2.0,),
    ),
    _on_sums(
        "fixed_share_cube",
        module=batched_share,
        make=batched_share.BatchedShare,
        guarantee="any losses, S switches: √(T σ (log K + S log KT)), σ the deviation of the noise",
        proved_for=("switching", "reactive"),
        unending=True,
        label="Fixed Share on batches, cube noise",
        colour="#882255",
        summary="Fixed Share on batches of rounds, each with fresh noise from the cube, tuned for S switches",
        cost="K; 3 K draws per batch",
        rates=(2.0, 4.0, 8.0),
    ),
    _on_sums(
        "few_leaders",
        **_LEADERS,
        given={"n_switches": None},
        label="leader of all rounds, chosen few times",
        colour="#661100",
        summary="the noisy leader of all rounds so far, with exponential noise, played for a batch of T/B rounds",
        guarantee="fixed tables: 2 B log K/ε + T²ε/(4 B²)",
        proved_for=("fixed",),
        max_horizon=10**10,  # a game has about sqrt(T) selections: below a second
        rates=(4.0,),
    ),
    _on_sums(
        "fading_batches",
        **_LEADERS,
        label="leader of fading batches",
        colour="#6699CC",
        summary="the leader of the last batches, whose weights fade by a factor that is tuned for S switches",
        guarantee="i.i.d. losses, S changes of distribution: as for the last batch, with less chance in its sums",
        proved_for=("shifting",),
        rates=(2.0,),
    ),
    _anytime(
        "weighted_epochs",
        make=partial(epochs.EpochLeader, **_WEIGHTS),
        simulate=partial(epochs.simulate_epochs, **_WEIGHTS),
        bound=partial(epochs.epochs_bound, **_WEIGHTS),
        guarantee="i.i.d. losses: log K (1/gap + log(1/ε)/ε)",
        cost=_EPOCHS,
        label="weighted epochs",
        colour="#CC6677",
        summary="exponential noise on doubling epochs, sums of the last two weighted 2 to 1",
    ),
    _anytime(
        "random_epochs",
        make=random_epochs.RandomEpochLeader,
        simulate=random_epochs.simulate,
        bound=random_epochs.regret_bound,
        label="random epochs",
        colour="#117733",
        summary="exponential noise on the last of epochs of ceil(e^(r + U)) rounds, U drawn once",
        guarantee="i.i.d. losses: log K/Δ + log K/ε",
        cost=_EPOCHS,
    ),
    _on_sums(
        "coordinate_share",
        **_SHARED,
        label="one bit of one coordinate, Fixed Share",
        colour="#999933",
        summary="one randomised bit of one loss of each vector, drawn at random; Fixed Share, or Hedge if S = 0",
        guarantee="any losses, S switches: √(2 (log K + S log KT) V T), V = K / (4 tanh²(ε/2))",
        proved_for=("switching", "reactive"),
        rates=(2.0, 4.0, 8.0),
    ),
    _anytime(
        "coordinate_leader",
        make=coordinate_bit.CoordinateLeader,
        simulate=partial(coordinate_bit.simulate, learner="leader"),
        bound=coordinate_bit.leader_bound,
        **_COORDINATE,
        label="one bit of one coordinate, leader",
        colour="#DDCC77",
        summary="one randomised bit of one loss of each vector, drawn at random; the leader of these",
        guarantee="i.i.d. losses: K log K / (tanh²(ε/2) gap)",
    ),
    Entry(
        name="adahedge",
        label="AdaHedge",
        colour="#999933",
        summary="exponential weights, the rate falls with the losses so far: no horizon, constant on easy losses",
        guarantee="any losses: √(T log K)",
        privacy="none",
        private=False,
        anytime=True,
        build=lambda setting, rng: adahedge.AdaHedge(setting.n_actions, rng=rng),
        simulate=simulator_on_tables(lambda _: lambda table, rng: adahedge.adahedge_losses(table)),
        max_horizon=MAX_DRAWN,
        proved_for=("reactive",),
        bound=lambda setting, gap: adahedge.adahedge_bound(setting.n_actions, setting.horizon),
    ),
)
