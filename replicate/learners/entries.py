"""Entries of the registry: everything one needs to choose a learner, to build it and to simulate it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from replicate import validation
from replicate.environments import Environment
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, Learner, Run, checked_level
from replicate.learners.pseudo_regret import Player, against_phases, on_drawn_tables
from replicate.validation import Generator

K_ADDITIONS = "K additions; log₂ T selections in all"
"""Work of the learners that act on blocks."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The setting that is known before the first round.

    Attributes
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    horizon
        Number of rounds T, 1 to 2**59.
    epsilon
        Privacy level, positive; infinite for learners without privacy.
    delta
        Of approximate privacy, in [0, 1]; learners with pure privacy do not read it.
    n_switches
        S of the comparator, 0 to T - 1. Zero: the best fixed action. More: a simulated run is compared with the
        best action of every phase of its losses, and the learners that are tuned for S switches read it.
    rate
        Times the learning rate at which the learner's own bound is smallest, in [1/1000, 1000]; read by the
        learners that are listed at several rates, see `at_rates`.
    unending
        Whether the horizon is not told to the learner; read by those that have a form of their own for that.

    Raises
    ------
    ValueError
        If one of them is out of range.

    Examples
    --------
    >>> Setting(n_actions=8, horizon=1e6, epsilon=0.5).horizon
    1000000
    """

    n_actions: int
    horizon: int
    epsilon: float = math.inf
    delta: float = 1e-6
    n_switches: int = 0
    rate: float = 1.0
    unending: bool = False

    def __post_init__(self) -> None:
        horizon = validation.count("horizon", self.horizon, high=MAX_HORIZON)
        checked = {
            "n_actions": validation.count("n_actions", self.n_actions, low=2, high=MAX_ACTIONS),
            "horizon": horizon,
            "epsilon": checked_level(self.epsilon),
            "delta": validation.real("delta", self.delta, low=0, high=1),
            "n_switches": validation.count("n_switches", self.n_switches, low=0),
            "rate": validation.real("rate", self.rate, low=1e-3, high=1e3),
            "unending": validation.flag("unending", self.unending),
        }
        if checked["n_switches"] >= horizon:
            raise ValueError(f"n_switches must be below the horizon, {horizon}, got {self.n_switches!r}")
        vars(self).update(checked)

    @property
    def sizes(self) -> dict[str, Any]:
        """Arguments that tunings and bounds take by name: number of actions, horizon and privacy level."""
        return {"n_actions": self.n_actions, "horizon": self.horizon, "epsilon": self.epsilon}


LOSSES = {
    "iid": ("iid",),
    "shifting": ("iid", "shifting"),
    "fixed": ("iid", "fixed"),
    "switching": ("iid", "shifting", "fixed", "switching"),
    "reactive": ("iid", "fixed", "reactive"),
}
"""What losses may do, each with what a guarantee for it covers.

Independent and of one distribution; the same, but the distribution changes S times; a table fixed in advance; a
table, compared with the best sequence of actions that switches S times; losses that may depend on the actions
played before.
"""

Bound = Callable[[Setting, float], float]
"""``bound(setting, gap)``: value of the proved regret bound; the gap is that of i.i.d. losses."""
Build = Callable[[Setting, Generator], Learner]
"""``build(setting, rng)``: the literal learner, one round at a time."""
Simulate = Callable[..., Run]
"""``simulate(env, setting, *, replicates, rng)``: pseudo-regret, exact in distribution."""
ExactRegret = Callable[..., Run]
"""``exact_regret(means, setting)``: expected regret on deterministic losses."""


def simulator_on_tables(player: Callable[[Setting], Player]) -> Simulate:
    """Return the simulator of a learner that reads every round, from its player in a setting."""

    def simulate(env: Environment, setting: Setting, *, replicates: int, rng: Generator) -> Run:
        return on_drawn_tables(
            player(setting), env, horizon=setting.horizon, n_switches=setting.n_switches, replicates=replicates,
            rng=rng,
        )  # fmt: skip

    return simulate


def simulator_on_sums(run: Callable[..., Run]) -> Simulate:
    """Return the simulator of a learner from ``run(env, setting, **sizes)``, pseudo-regret against a fixed action.

    The sizes are `horizon`, `replicates` and `rng`.
    """

    def simulate(env: Environment, setting: Setting, *, replicates: int, rng: Generator) -> Run:
        fixed = run(env, setting, horizon=setting.horizon, replicates=replicates, rng=rng)
        return against_phases(fixed, env, n_switches=setting.n_switches)

    return simulate


@dataclass(frozen=True, kw_only=True)
class Method:
    """The facts about a method that one must know before one uses it.

    Attributes
    ----------
    name
        Stable name, for code, random streams and the command line.
    label
        Name in figures and tables.
    colour
        Of its lines, ``"#0072B2"``.
    paper
        Key of `contents.PAPERS`, or ``"baseline"``.
    summary
        One line: which algorithm it is, what is particular.
    guarantee
        The game in which its regret is proved, and the rate.
    privacy
        What is proved of what it releases, in words for tables: ``"ε"``, ``"(ε, 10⁻⁶)"``, ``"ε, local"``.
    private
        Whether it keeps losses private, and so takes epsilon.
    approximate
        Whether it reads delta: its privacy is not pure.
    local
        Whether each message that leaves a user is private by itself.
    cost
        Work in a round.
    """

    name: str
    label: str
    colour: str
    summary: str
    paper: str = "baseline"
    guarantee: str = ""
    privacy: str = "ε"
    private: bool = True
    approximate: bool = False
    local: bool = False
    cost: str = "K"

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type == "str":
                validation.text(field.name, getattr(self, field.name))
        if not re.fullmatch("#[0-9A-Fa-f]{6}", self.colour):
            raise ValueError(f"colour must be '#' and six hexadecimal digits, got {self.colour!r}")
        for name in ("private", "approximate", "local"):
            validation.flag(name, getattr(self, name))


@dataclass(frozen=True, kw_only=True)
class Entry(Method):
    """A learner that plays on losses.

    Attributes
    ----------
    feedback
        ``"full"``: it sees the losses of all actions; ``"bandit"``: of its own action only.
    build
        Makes the literal learner: ``build(setting, rng)``.
    simulate
        Simulates it exactly in distribution: ``simulate(env, setting, *, replicates, rng)``; None where there is
        no simulator. Reads the privacy level from `setting`.
    max_horizon
        Largest horizon of `simulate`. Simulators that draw sums of losses reach 2**59 rounds; those that draw
        every round stop at `pseudo_regret.MAX_DRAWN`.
    exact_regret
        Expected regret on deterministic losses without sampling: ``exact_regret(means, setting)``, or None.
    simulate_with_advice
        Simulates the game with experts' advice, in which a setting's actions are the experts:
        ``simulate_with_advice(problem, setting, *, replicates, rng)``, or None.
    proved_for
        What the losses may do, of `LOSSES`, for its regret bound to hold; several where none covers the other.
    bound
        Value of that bound, explicit constants included; None where the theorem has none.
    rates
        Further rates, times that of its own bound, at which the registry lists the learner: see `at_rates`.
    anytime
        Whether it plays alike whatever the horizon: under one seed, its first actions are those of a longer game.
        The others are restarted where nobody knows T: see `replicate.learners.anytime`.
    unending
        Whether it has a better form for that: it reads `Setting.unending`.

    The other attributes are those of `Method`.
    """

    feedback: str = "full"
    build: Build
    simulate: Simulate | None = None
    max_horizon: int = MAX_HORIZON
    exact_regret: ExactRegret | None = None
    simulate_with_advice: Simulate | None = None
    proved_for: tuple[str, ...] = ()
    bound: Bound | None = None
    rates: tuple[float, ...] = ()
    anytime: bool = False
    unending: bool = False

    def covers(self, losses: str) -> bool:
        """Return True if a regret bound is proved for losses of that kind, a key of `LOSSES`."""
        return any(losses in LOSSES[assumption] for assumption in self.proved_for)

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.tuple_of("proved_for", self.proved_for, str, "kinds of losses")
        for assumption in self.proved_for:
            validation.choice("proved_for", assumption, tuple(LOSSES))
        if not isinstance(self.rates, tuple) or any(rate not in _RATES for rate in self.rates):
            raise ValueError(f"rates must be a tuple of numbers of {tuple(_RATES)}, got {self.rates!r:.200}")
        validation.choice("feedback", self.feedback, ("full", "bandit"))
        for name in ("anytime", "unending"):
            validation.flag(name, getattr(self, name))
        validation.count("max_horizon", self.max_horizon, high=MAX_HORIZON)
        validation.function("build", self.build)
        for name in ("simulate", "exact_regret", "simulate_with_advice", "bound"):
            if getattr(self, name) is not None:
                validation.function(name, getattr(self, name))


_RATES = {0.5: "half", 2.0: "twice", 4.0: "fourfold", 8.0: "eightfold"}
"""Rates at which a learner may be listed, times that of its own bound."""


def at_rates(entry: Entry) -> tuple[Entry, ...]:
    """Return a learner, and the same learner at each of its further rates.

    They differ in `Setting.rate` alone: privacy is what it was, and the bound is the value of the same bound
    there.

    Examples
    --------
    >>> from replicate.learners import competitors
    >>> share = next(entry for entry in competitors.LEARNERS if entry.name == "coordinate_share")
    >>> [at.name for at in at_rates(share)]
    ['coordinate_share', 'coordinate_share_twice', 'coordinate_share_fourfold', 'coordinate_share_eightfold']
    """
    return (entry, *(_at_rate(entry, rate) for rate in entry.rates))


def _at_rate(entry: Entry, rate: float) -> Entry:
    return in_setting(
        entry,
        {"rate": rate},
        name=f"{entry.name}_{_RATES[rate]}",
        label=f"{entry.label}, rate × {rate:g}",
        summary=f"{entry.summary}; at {rate:g} times the rate of its own bound",
        guarantee=f"{entry.guarantee}; the constant at this rate",
    )


def in_setting(entry: Entry, changes: Mapping[str, Any], **facts: Any) -> Entry:
    """Return a learner that is built, simulated and bounded in a setting with these changes, and has no rates.

    Parameters
    ----------
    entry
        The learner.
    changes
        Attributes of `Setting`.
    facts
        Attributes of `Entry` that differ besides.
    """

    def build(setting: Setting, rng: Generator) -> Learner:
        return entry.build(replace(setting, **changes), rng)

    def simulate(env: Environment, setting: Setting, **sizes: Any) -> Run:
        assert entry.simulate is not None
        return entry.simulate(env, replace(setting, **changes), **sizes)

    def bound(setting: Setting, gap: float) -> float:
        assert entry.bound is not None
        return entry.bound(replace(setting, **changes), gap)

    return replace(
        entry,
        build=build,
        simulate=simulate if entry.simulate else None,
        bound=bound if entry.bound else None,
        rates=(),
        **facts,
    )


@dataclass(frozen=True, kw_only=True)
class LabelEntry(Method):
    """A privatization scheme for the game on labels, in which a round is a label and the learner predicts its law.

    Attributes
    ----------
    play
        Plays a user's own labels: ``play(hypotheses, labels, *, epsilon, delta, rng) -> Run``.
    simulate
        Simulates the game exactly in distribution:
        ``simulate(hypotheses, *, epsilon, delta, horizon, replicates, rng, grid)``.
    bound
        Value of the proved bound on its KL risk, for every class of that size, explicit constants included:
        ``bound(hypotheses, *, epsilon, delta, horizon)``; None where there is none.

    Only schemes with approximate privacy read `delta`. The other attributes are those of `Method`.
    """

    play: Callable[..., Run]
    simulate: Callable[..., Any]
    bound: Callable[..., float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.function("play", self.play)
        validation.function("simulate", self.simulate)
        if self.bound is not None:
            validation.function("bound", self.bound)
