"""Ask a claim at sizes of one's own: the learner's regret there, the value of the bound, and a verdict.

A claim on regret that has a setting is a `Promise`; the papers list theirs in their module ``theorems``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from replicate import certify, registered, validation
from replicate.claims.scope import LETTERS
from replicate.claims.words import shown, unlatexed
from replicate.environments import Bernoulli, Deterministic, Environment, Shifting
from replicate.learners import registry
from replicate.learners.entries import Setting
from replicate.learners.protocol import PHASES, PSEUDO
from replicate.streams import stream
from replicate.validation import FloatArray, Generator

LEVEL = 0.99
"""Confidence of the intervals, which are Student's."""
_SECONDS = 0.7
"""Processor seconds that an answer may take, unless the least number of runs takes more."""
LONGEST = 20.0
"""Those that it may take by any means, apart from what compiles."""
_RUNS = (4, 400)
"""Least and largest number of runs."""
_LADDER = (64, 16, 4, 1)
"""The horizon is divided by these: regret is shown against the horizon."""
_PILOT, _STEP = 64, 4
"""Rounds of the first game that is timed, and by what later ones grow."""
_TIMED = 0.05
"""Seconds of a game from which on its time foretells that of longer ones."""
_PATIENCE = 0.8
"""Seconds that no game takes which is played to foretell others."""
_MORE = 1.2
"""Power of the work that is stated up to which, or down to its inverse, times may have grown by chance."""
_ROUGH = 3.0
"""How many times too small the work that a promise states may be."""
SHORT = 16
"""Rounds of a game of which every shorter one is shown too."""


@dataclass(frozen=True, kw_only=True)
class Own(Setting):
    """A setting of the reader's own.

    Attributes
    ----------
    gap
        By how much the mean losses of all other actions exceed that of the best one, above 0, at most 1.
    n_labels
        Number of labels M, 2 to 2**16: for the game on labels.
    """

    gap: float = 0.1
    n_labels: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "gap", validation.real("gap", self.gap, low=1e-9, high=1))
        object.__setattr__(self, "n_labels", validation.count("n_labels", self.n_labels, low=2, high=2**16))


def formula(function: Callable[..., Any], *sizes: str, **others: Any) -> Callable[[Own], float]:
    """Return the bound that a function computes from sizes of its own names, and from other arguments.

    An argument that is a size under another name is given as ``n_hypotheses="n_actions"``.
    """
    known = Own.__dataclass_fields__
    renamed = {name: size for name, size in others.items() if isinstance(size, str) and size in known}
    reads = {name: name for name in sizes} | renamed
    fixed = {name: value for name, value in others.items() if name not in renamed}
    return lambda own: float(function(**{name: getattr(own, size) for name, size in reads.items()}, **fixed))


@dataclass(frozen=True, kw_only=True)
class Promise:
    """A bound on regret, from above or from below, that can be tried at any sizes.

    Attributes
    ----------
    claim
        Id of the claim.
    subject
        Name of what is played: of a learner of the registry, of a scheme of the game on labels, or another.
    at
        The sizes that it reads, fields of `Own`, with values for a reader who has none.
    play
        ``play(own, replicates, rng)``: regrets, or risks, at the horizon, shape (replicates,).
    bound
        Value of the bound.
    uniform
        Regret of uniform play in the same place.
    losses
        What it is played on, in words.
    work
        Processor seconds of a run, to an order of magnitude.
    scope
        Which assumption of the theorem the setting breaks, in words; empty when none.
    quantity
        What is measured.
    relation
        ``"<="``: the bound is an upper one; ``">="``: a lower one.
    exact
        Whether `play` returns an expectation, the same in every run.
    """

    claim: str
    subject: str
    at: Mapping[str, float]
    play: Callable[[Own, int, Generator], FloatArray] = field(repr=False)
    bound: Callable[[Own], float] = field(repr=False)
    uniform: Callable[[Own], float] = field(repr=False)
    losses: str
    work: Callable[[Own], float] = field(repr=False)
    scope: Callable[[Own], str] = field(default=lambda own: "", repr=False)
    quantity: str = PSEUDO
    relation: str = "<="
    exact: bool = False

    @property
    def entry(self) -> Any:
        """The learner's entry of the registry, or the scheme's; None where it is another one."""
        return {**registry.register(), **registry.schemes()}.get(self.subject)

    @property
    def label(self) -> str:
        """The label of the learner, or its name."""
        return self.entry.label if self.entry else self.subject

    def own(self, sizes: Mapping[str, float]) -> Own:
        """Return the reader's setting, with the promise's own values where the reader has none.

        Raises
        ------
        ValueError
            If a size is not read by this promise, or out of range.
        """
        unread = [name for name in sizes if name not in self.at]
        if unread:
            raise ValueError(f"sizes of {self.claim} must be among {', '.join(self.at)}, got {', '.join(unread)}")
        if "epsilon" in sizes:
            validation.positive("epsilon", sizes["epsilon"])
        known: dict[str, Any] = {"n_actions": 2, "horizon": 2, **self.at, **sizes}
        return Own(**known)


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer:
    """The value of a claim's bound in the reader's setting, and the regret measured there.

    Attributes
    ----------
    promise, own
        What was asked, and where.
    runs
        Number of runs behind each mean.
    data
        A row for each horizon: `horizon`, `mean`, `low`, `high` (Student's interval), `bound`, `uniform`.
    outside
        Why the theorem, or the learner, does not apply; empty when it does.
    seconds
        Processor seconds that the runs need, if that is more than was allowed: then nothing was played. Else zero.
    """

    promise: Promise
    own: Own
    runs: int
    data: pd.DataFrame
    outside: str = ""
    seconds: float = 0.0

    @property
    def last(self) -> Mapping[str, float]:
        """The row of the horizon that was asked for; empty when nothing was played."""
        return {str(k): float(v) for k, v in self.data.iloc[-1].items()} if len(self.data) else {}

    @property
    def verdict(self) -> str:
        """The comparison of interval and bound at the horizon, in words."""
        if self.outside:
            return f"outside the theorem's assumptions: {self.outside}"
        if self.seconds:
            return f"not measured: the runs need {duration(self.seconds)}"
        at, bound = self.last, self.last["bound"]
        if self.promise.relation == ">=":
            bound *= 1 - _ROUNDING
            if at["high"] < bound:
                return "refuted here: the regret is less than the bound"
            undecided, held = at["low"] < bound, f"at least {shown(at['low'] / at['bound'])} times the bound"
        else:
            if at["low"] > bound:
                return "refuted here: the regret exceeds the bound"
            if bound >= at["uniform"]:
                return "vacuous here: even uniform play keeps the bound"
            undecided, held = at["high"] > bound, f"at most {shown(at['high'] / bound)} of the bound"
        return "not decided: the interval reaches across the bound" if undecided else f"holds here: {held}"

    def __str__(self) -> str:
        lines = [f"{self.promise.claim}: {self.promise.label}; {described(self.promise, self.own)}"]
        at = self.last
        if at:
            half = (at["high"] - at["low"]) / 2
            error = f" ± {shown(half)} ({LEVEL:.0%}, {self.runs} runs)"
            if self.promise.exact or half <= _ROUNDING * abs(at["mean"]):
                error = " exactly" + ("" if self.promise.exact else ", the mean of games that differ")
            lines += [
                f"measured  {shown(at['mean'])}{error}, {self.promise.quantity}",
                f"on        {self.promise.losses}",
                f"bound     {shown(at['bound'])}",
                f"uniform   {shown(at['uniform'])}",
            ]
        elif self.seconds:
            with suppress(ValueError, ArithmeticError):  # else there is no bound, and the verdict says why
                lines.append(f"bound     {shown(self.promise.bound(self.own))}")
        return "\n".join([*lines, f"verdict   {self.verdict}"])


_ROUNDING = 1e-9
"""Relative error of a value that is computed, not sampled."""


def described(promise: Promise, own: Own) -> str:
    """Return a setting in the papers' letters: what the promise reads of it."""
    return ", ".join(f"{unlatexed(f'${LETTERS[name]}$')} = {count(getattr(own, name))}" for name in promise.at)


def count(value: float) -> str:
    """Return a size as text: whole numbers in full up to ten million, larger powers of two as such."""
    if not float(value).is_integer() or abs(value) < 1:
        return shown(value)
    whole = int(value)
    if whole < 10**7:
        return f"{whole:,}"
    power = whole.bit_length() - 1
    return f"2^{power}" if whole == 2**power else f"{whole:.3g}"


def promises() -> dict[str, list[Promise]]:
    """Return every promise of the papers by its claim's id; a claim may be on several learners."""
    listed: dict[str, list[Promise]] = {}
    for promise in registered("promises"):
        listed.setdefault(promise.claim, []).append(promise)
    return listed


def ask(claim: str, *, seed: int = 2026, **sizes: float) -> list[Answer]:
    """Try a claim at sizes of your own, in about a second of processor time per learner, at most about 20 in all.

    Parameters
    ----------
    claim
        Id of a claim of `promises`.
    seed
        Root seed, a non-negative integer.
    **sizes
        Fields of `Own` that the claim reads; those that are not given have the promise's own values.

    Returns
    -------
    An answer for each learner that the claim is about.

    Raises
    ------
    ValueError
        If the claim has no setting, a size is none of its own or out of range, or the runs would take long.

    Examples
    --------
    >>> answer, = ask("PS-T1", epsilon=2, n_actions=1000, gap=0.2)
    >>> answer.verdict.startswith("holds here")
    True
    """
    listed = []
    for answer in answers(claim, seed=seed, **sizes):
        if answer.seconds:
            raise ValueError(
                f"{claim} at these sizes needs {duration(answer.seconds)}, and an answer may take "
                f"{LONGEST:.0f} s: ask for fewer rounds or actions"
            )
        listed.append(answer)
    return listed


def answers(claim: str, *, seed: int = 2026, longest: float = LONGEST, **sizes: float) -> Iterator[Answer]:
    """Yield the answers of `ask`; one that would take longer than allowed is not measured and has its `seconds`.

    Parameters
    ----------
    claim, seed, **sizes
        As in `ask`, with the same errors for them.
    longest
        Processor seconds that all answers may take.
    """
    listed, seed = promises(), validation.count("seed", seed, low=0)
    chosen = listed[validation.choice("claim", claim, tuple(listed))]
    asked, left = [(promise, promise.own(sizes)) for promise in chosen], longest
    for others, (promise, own) in zip(reversed(range(len(asked))), asked, strict=True):
        first = replace(own, horizon=min(own.horizon, max(_PILOT, own.n_switches + 2)))
        needed = _runs(promise) * promise.work(first)  # of the first game that would be timed
        if needed > max(longest, LONGEST):
            yield _unplayed(promise, own, promise.scope(own), _of_fewer(promise, own, first, seed))
            continue
        pace = Pace(promise, own, seed)  # its first game compiles: time counts from here
        start = time.process_time()
        answer = _answer(promise, own, seed, pace, left / (1 + others))
        left -= time.process_time() - start
        yield answer


def _runs(promise: Promise) -> int:
    """Least number of runs that take time: an expectation is computed once for all of them."""
    return 1 if promise.exact else _RUNS[0]


def _answer(promise: Promise, own: Own, seed: int, pace: Pace, seconds: float) -> Answer:
    """Try one promise in so many seconds of processor time, whatever else the machine does."""
    outside, least = promise.scope(own), _runs(promise)
    runs = int(np.clip(_SECONDS / promise.work(own), *_RUNS))
    horizons = sorted({max(own.horizon // d, own.n_switches + 2) for d in _LADDER})
    if own.horizon <= SHORT:
        horizons = list(range(own.n_switches + 1, own.horizon + 1))
    rows, end = [], time.process_time() + seconds
    for horizon in horizons:
        left = end - time.process_time()
        if max(runs * 2 * pace.seconds(horizon), least * pace.least(own.horizon)) > left:
            pace.look_again()  # a game may have compiled, or been interrupted
        needed = pace.seconds(horizon)
        if least * max(needed, pace.least(own.horizon)) > left:
            long = max(least * pace.seconds(own.horizon), seconds)
            return _unplayed(promise, own, outside, long)
        runs = min(runs, max(int(left / 2 / needed), _RUNS[0]))
        begun = time.process_time()
        try:
            rows.append(_row(promise, replace(own, horizon=horizon), runs, seed))
        except ValueError as error:  # a tuning that does not exist at this horizon
            outside = outside or (str(error) if horizon == own.horizon else "")
            continue
        pace.seen[:] = [timed for timed in pace.seen if timed[0] != horizon]
        pace.seen.append((horizon, (time.process_time() - begun) / (1 if promise.exact else runs)))
    return Answer(promise=promise, own=own, runs=runs, data=pd.DataFrame(rows), outside=outside)


def _of_fewer(promise: Promise, own: Own, first: Own, seed: int) -> float:
    """Return seconds of the least number of runs, foretold from a game of fewer actions and labels."""
    while promise.work(first) > _TIMED and first.n_actions * first.n_labels > 4:
        first = replace(first, n_actions=max(first.n_actions // 2, 2), n_labels=max(first.n_labels // 2, 2))
    _, seconds = (_seconds(promise, first, _runs(promise), seed) for _ in range(2))  # the first one compiles
    return max(seconds, 1e-6) * promise.work(own) / promise.work(first)


def _seconds(promise: Promise, own: Own, runs: int, seed: int) -> float:
    """Return the processor seconds of so many runs."""
    start = time.process_time()
    promise.play(own, runs, stream(seed, "ask/pace", promise.claim, own.horizon))
    return time.process_time() - start


def _unplayed(promise: Promise, own: Own, outside: str, seconds: float) -> Answer:
    """Return the answer whose runs would take this long; where there is no bound either, it says why."""
    try:
        promise.bound(own)
    except (ValueError, ArithmeticError) as error:
        outside = outside or str(error)
    return Answer(promise=promise, own=own, runs=0, data=pd.DataFrame(), outside=outside, seconds=seconds)


def duration(seconds: float) -> str:
    """Return a time as text.

    Examples
    --------
    >>> duration(32.4), duration(130), duration(10**5)
    ('about 32 s', 'about 2 minutes', 'more than ten minutes')
    """
    if seconds >= 600:
        return "more than ten minutes"
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} minutes"


class Pace:
    """Processor seconds of a run of any length, foretold from shorter games.

    Games of 64, 256, 1024, ... rounds, or of twice the work each, are played until the next would take long: what
    is asked may be as long as it likes.
    """

    def __init__(self, promise: Promise, own: Own, seed: int) -> None:
        self._promise, self._own, self._seed = promise, own, seed
        self.seen: list[tuple[int, float]] = []
        """Rounds of games and seconds of a run."""
        length = max(_PILOT, own.n_switches + 2)
        if length >= own.horizon:
            return
        with suppress(ValueError):
            self._timed(length)  # compiles
        while length <= own.horizon:
            if self.seen and self.seen[-1][1] * self._growth(length) > _PATIENCE:
                break
            with suppress(ValueError):  # a tuning that does not exist at this horizon
                self.seen.append((length, self._timed(length)))
            less, length = self._work(length), length * _STEP
            while length * _STEP <= own.horizon and self._work(length) < 2 * less:
                length *= _STEP

    def _work(self, horizon: int) -> float:
        """Return the time of a run that is stated."""
        return self._promise.work(replace(self._own, horizon=horizon))

    def _growth(self, horizon: int) -> float:
        """Return how many times the work of the last game that was timed another one is."""
        return self._work(horizon) / self._work(self.seen[-1][0])

    def _timed(self, horizon: int) -> float:
        """Play one game or, if it is short, as many as an answer must; return the processor seconds of one."""
        own, runs = replace(self._own, horizon=horizon), _runs(self._promise)
        one = _seconds(self._promise, own, 1, self._seed)
        return one if one > _PATIENCE else _seconds(self._promise, own, runs, self._seed) / runs

    def look_again(self) -> None:
        """Time the last two lengths, from which the next is foretold, once more, and keep the shorter times."""
        self.seen[-2:] = [(length, min(seconds, self._timed(length))) for length, seconds in self.seen[-2:]]

    def least(self, horizon: int) -> float:
        """Return the least time of a run: the last one timed, grown as stated or as the rounds if less."""
        if not self.seen:
            return 0.0
        last, late = self.seen[-1]
        return late * min(self._growth(horizon), horizon / last)

    def seconds(self, horizon: int) -> float:
        """Return the time of a run: the last one that was timed, grown as was stated, or as was seen.

        What is seen is a power of the work that is stated, or of the rounds if that is less: a run by blocks takes
        no power of the rounds.
        """
        if not self.seen:
            return self._work(horizon)
        last, late = self.seen[-1]
        growth = self._growth(horizon)
        if len(self.seen) > 1 and min(late, self.seen[-2][1]) > _TIMED / 5:  # noise below
            before, early = self.seen[-2]
            seen, stated = math.log(late / early), math.log(self._work(last) / self._work(before))
            blocks = stated < math.log(last / before) / 2  # which may cost nothing once the best action is found
            if seen > _MORE * stated > 0 or (blocks and 0 < seen < stated / _MORE):
                by_rounds = (horizon / last) ** min(seen / math.log(last / before), 3.0)
                growth = min(growth ** (seen / stated), by_rounds)
        needed = max(late, 1e-6) * growth
        # So short a time is that of a call, whatever the game's length: it is not what grows.
        return needed if late > _TIMED / 5 else min(needed, late + _ROUGH * self._work(horizon))


def _row(promise: Promise, own: Own, runs: int, seed: int) -> dict[str, float]:
    sizes = [float(getattr(own, name)) for name in promise.at]
    try:
        bound = promise.bound(own)
    except ArithmeticError:
        raise ValueError("the bound is no finite number there") from None
    samples = promise.play(own, runs, stream(seed, "ask", promise.claim, promise.subject, own.horizon, sizes))
    band = certify.band(samples, level=LEVEL)
    return {
        "horizon": own.horizon, "mean": float(samples.mean()), "low": band.low, "high": band.high, "bound": bound,
        "uniform": promise.uniform(own),
    }  # fmt: skip


def by_blocks(nanoseconds: float, per_action: float = 0.0) -> Callable[[Own], float]:
    """Work of a run that draws sums over blocks of 1, 2, 4, ... rounds, that much for an action and a block.

    Exact distributions of some selections take `per_action` nanoseconds times K longer for each action.
    """

    def work(own: Own) -> float:
        per_block = nanoseconds + per_action * own.n_actions
        return 1e-9 * per_block * own.n_actions * own.horizon.bit_length()

    return work


def by_rounds(nanoseconds: float) -> Callable[[Own], float]:
    """Work of a run, that much for an action and a round."""
    return lambda own: 1e-9 * nanoseconds * own.n_actions * own.horizon


def of_learner(
    claim: str,
    learner: str,
    *,
    at: Mapping[str, float],
    work: Callable[[Own], float],
    bound: Callable[[Own], float] | None = None,
    scope: Callable[[Own], str] = lambda own: "",
    fixed: bool = False,
    relation: str = "<=",
) -> Promise:
    """Return the promise of a learner of the registry, tried where one action is better by the gap.

    Losses are Bernoulli; where `at` has `n_switches`, there are S + 1 equal phases, each with a good action of its
    own, and the regret is against the best action of every phase.

    Parameters
    ----------
    claim, at, work, scope
        As in `Promise`.
    learner
        Its name in the registry.
    bound
        As in `Promise`; None: the bound that the registry has of the learner.
    fixed
        Whether losses do not vary: 0 for the good action and the gap for the others, in every round.
    relation
        As in `Promise`.
    """

    def registered(own: Own) -> float:
        proved = registry.entry(learner).bound
        assert proved is not None
        return proved(own, own.gap)

    def play(own: Own, replicates: int, rng: Generator) -> FloatArray:
        private = registry.entry(learner).private
        gaps = np.where(np.arange(own.n_actions) == 0, 0.0, own.gap)
        env = Deterministic(gaps) if fixed else good_action(own)
        return registry.simulate(
            learner, env, epsilon=own.epsilon if private else None, horizon=own.horizon,
            replicates=replicates, rng=rng, delta=own.delta, n_switches=own.n_switches,
        ).final  # fmt: skip

    phases, kind = "n_switches" in at, "fixed" if fixed else "Bernoulli"
    return Promise(
        claim=claim, subject=learner, at=at, play=play, bound=bound or registered, uniform=uniform_regret,
        work=work, losses=f"{kind} losses, one action better by the gap{', another one in each phase' * phases}",
        scope=scope, quantity=PHASES if phases else PSEUDO, relation=relation,
    )  # fmt: skip


def uniform_regret(own: Own) -> float:
    """Return the regret of uniform play where one action is better by the gap."""
    return own.horizon * own.gap * (1 - 1 / own.n_actions)


def good_action(own: Own) -> Environment:
    """Return Bernoulli losses, (1 - gap) / 2 for the good action and (1 + gap) / 2 for the others, by phases."""
    k, phases = own.n_actions, own.n_switches + 1
    bad = (1 + own.gap) / 2
    laws = [Bernoulli(np.where(np.arange(k) == i % k, bad - own.gap, bad)) for i in range(phases)]
    cuts = np.linspace(0, own.horizon, phases + 1).astype(int)
    return laws[0] if phases == 1 else Shifting(list(zip(map(int, np.diff(cuts)), laws, strict=True)))
