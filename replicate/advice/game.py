"""The game in which learners are compared: a question's instances, and each learner's regrets on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from replicate import certify
from replicate.advice import reactive
from replicate.advice.instances import Instance, instances, of_table
from replicate.advice.question import Question
from replicate.learners.entries import Entry, Setting
from replicate.streams import alone, stream
from replicate.validation import FloatArray

LEVEL = 0.99
"""Confidence of the intervals."""
CLOSE = 0.1
"""Share of the best regret within which the half width of a difference must lie for two learners to be alike."""
_FEW = 16
"""Games below which the interval of a mean is doubted."""
_TOGETHER = 8
"""Replicates that play on one drawn instance: together they cost less than half."""
_SMALL = 2**18
"""Most losses of a game whose replicates are played without threads."""
MEAN = ("iid", "shifting")
"""Losses for which a learner's regret is the mean over the instances; for others it is the worst."""


@dataclass(eq=False)
class Candidate:
    """A learner that is tried, or the reason why it is not.

    Attributes
    ----------
    entry
        From the registry.
    reason
        Why it is no answer, or was not measured; empty otherwise.
    seconds
        Estimated processor time of a replicate on all instances.
    regrets
        By instance, shape (replicates,): one number of replicates for all instances.
    places
        Numbers of these instances: all of them, or those that cost most in a shorter game.
    rounds
        After which they were measured.
    looks
        How often more replicates were added.
    times
        By number of rounds: seconds of a game on one instance.
    trials
        By number of rounds of a shorter game: regret by instance.
    foretold
        Regret in the whole game, foretold from the longest of these: see `replicate.advice.rows.forecast`.
    """

    entry: Entry
    reason: str = ""
    seconds: float = math.nan
    regrets: list[FloatArray] = field(default_factory=list)
    rounds: int = 0
    looks: int = 0
    places: tuple[int, ...] = ()
    times: dict[int, float] = field(default_factory=dict)
    trials: dict[int, FloatArray] = field(default_factory=dict)
    foretold: float = math.inf


class Game:
    """A question's instances, and how a learner is measured on one of them."""

    def __init__(
        self,
        question: Question,
        seed: int,
        table: FloatArray | None = None,
        *,
        kept: dict[tuple[object, ...], FloatArray] | None = None,
    ) -> None:
        self.question, self._seed, self._table = question, seed, table
        self._kept = {} if kept is None else kept
        """What was measured, also in games that share it: all of one seed, and of one table if of any."""
        self.rounds = question.rounds
        self.whole_only = table is not None
        """Whether a shorter game, on the table's first rounds, is no game of the same kind."""
        self._at: dict[int, Sequence[Instance]] = {}
        self.instances()

    def instances(self, rounds: int | None = None) -> Sequence[Instance]:
        """Return the loss processes of a game of that many rounds; none where losses are adaptive."""
        if self.question.losses == "reactive" and self._table is None:
            return []
        length = rounds or self.rounds
        if length not in self._at:
            asked, table = replace(self.question, rounds=length), self._table
            given = None if table is None else of_table(asked, table if length == self.rounds else table[:length])
            self._at[length] = instances(asked) if given is None else [given]
        return self._at[length]

    @property
    def names(self) -> list[str]:
        """Names of the instances, or of the adversaries."""
        if self.question.losses == "reactive":
            return list(reactive.opponents(self.question, self.rounds))
        return [instance.name for instance in self.instances()]

    def level(self, entry: Entry) -> float | None:
        """Return the level at which a learner plays: one that is made for small levels plays at 1 at most."""
        return level_of(entry, self.question.setting) if entry.private else None

    def sample(self, entry: Entry, number: int, replicates: int, rounds: int, *, look: int = 0) -> FloatArray:
        """Return regrets of a learner after that many rounds of an instance, shape (replicates,).

        All learners meet the same instances, replicate by replicate, and those that draw their losses alike the
        same losses. Each look draws anew; `_TOGETHER` replicates share an instance, and intervals are about the
        instances drawn.
        """
        q, name = self.question, self.names[number]
        level = (self.level(entry), q.setting.delta if entry.approximate else None)
        # regret of uniform play tells apart what a question makes of an instance: its distribution, or the table
        law = None if q.losses == "reactive" else self.instances(rounds)[number].uniform
        kind = None if self.whole_only else q.losses
        key = (entry.label, kind, name, law, q.n_actions, *level, q.n_switches, replicates, rounds, look)
        if key not in self._kept:
            rng = stream(self._seed, "advice", name, q.n_actions, rounds, *([look % 2**32] if look else []))
            if q.losses == "reactive":
                games = [self._react(entry, number, rounds, fresh) for fresh in rng.spawn(replicates)]
            else:
                parts = [min(_TOGETHER, replicates - i) for i in range(0, replicates, _TOGETHER)]
                streams = zip(parts, rng.spawn(len(parts)), strict=True)
                games = [g for n, fresh in streams for g in self._play(entry, number, rounds, n, fresh)]
            self._kept[key] = np.array(games)
        return self._kept[key]

    def _play(
        self, entry: Entry, number: int, rounds: int, replicates: int, rng: np.random.Generator
    ) -> FloatArray:
        """Regrets of replicates that share an instance, shape (replicates,)."""
        if entry.simulate is None:
            raise ValueError(f"{entry.name} has no simulator")
        env, setting = self.instances(rounds)[number].draw(rng), self._setting(entry, rounds)
        with alone(rounds * setting.n_actions <= _SMALL):
            return entry.simulate(env, setting, replicates=replicates, rng=rng).final

    def _react(self, entry: Entry, number: int, rounds: int, rng: np.random.Generator) -> float:
        """Regret of one replicate against an adversary."""
        q = self.question
        opponent, order = reactive.opponents(q, rounds)[self.names[number]](rng), rng.permutation(q.n_actions)
        learner = entry.build(replace(self._setting(entry, rounds), n_switches=1), rng)
        return reactive.regret(learner, opponent, rounds=rounds, order=order)

    def _setting(self, entry: Entry, rounds: int) -> Setting:
        return replace(self.question.setting, horizon=rounds, epsilon=self.level(entry) or math.inf)

    def run(
        self,
        candidate: Candidate,
        replicates: int,
        *,
        rounds: int | None = None,
        look: int = 0,
        places: Sequence[int] | None = None,
    ) -> bool:
        """Measure a learner, or say why it cannot be; a later look adds to earlier ones, on their instances.

        A negative look is a trial of its own draws, to which nothing is added.
        """
        length = rounds or self.rounds
        chosen = candidate.places if look > 0 else tuple(range(len(self.names)) if places is None else places)
        try:
            new = [self.sample(candidate.entry, i, replicates, length, look=look) for i in chosen]
        except ValueError as error:
            candidate.reason = str(error)
            return False
        if look > 0:
            new = [np.append(old, more) for old, more in zip(candidate.regrets, new, strict=True)]
        candidate.regrets, candidate.rounds, candidate.looks, candidate.places = new, length, max(look, 0), chosen
        return True

    def score(self, candidate: Candidate) -> tuple[FloatArray, int]:
        """Return the regrets by which a learner is ranked, one a replicate, and the instance where it is worst."""
        table = np.stack(candidate.regrets)
        worst = int(table.mean(axis=1).argmax())
        ranked = self.over_instances(table) if self.question.losses in MEAN else table[worst]
        return ranked, (candidate.places or range(len(table)))[worst]

    def tail(self, candidate: Candidate) -> tuple[float, str]:
        """Return what 19 of 20 single games stay below, and why the interval of the mean is not to be trusted.

        Where the worst instance ranks, the largest of their quantiles; of fewer than 20 games the largest regret.
        The doubt is empty unless games are few, or one of them has half of the variance.
        """
        games, weights = np.concatenate(candidate.regrets), None
        if self.question.losses in MEAN:
            weights = np.repeat([i.weight for i in self.instances()], len(candidate.regrets[0]))
            high = np.quantile(games, 0.95, weights=weights, method="inverted_cdf")
        else:
            high = max(np.quantile(regrets, 0.95, method="inverted_cdf") for regrets in candidate.regrets)
        ranked = self.score(candidate)[0]
        squares = (ranked - ranked.mean()) ** 2
        one = squares.max() > 0.5 * squares.sum() and ranked.std() > CLOSE * abs(ranked.mean())
        return float(high), "few games" if len(ranked) < _FEW else "one game decides it" if one else ""

    def over_instances(self, values: ArrayLike) -> FloatArray:
        """Return the weighted mean, or the worst, over the first axis, the instances: as regret is taken."""
        if self.question.losses in MEAN:
            weights = np.array([instance.weight for instance in self.instances()])
            return np.asarray(np.average(np.asarray(values), axis=0, weights=weights))
        return np.asarray(np.max(values, axis=0))

    def uniform(self, rounds: int | None = None) -> float:
        """Regret of uniform play; where losses are adaptive, that against a chaser with a good action."""
        if self.question.losses == "reactive":
            return (rounds or self.rounds) / 2 * (1 - 1 / self.question.n_actions)
        return float(self.over_instances([instance.uniform for instance in self.instances(rounds)]))


@cache
def level_of(entry: Entry, setting: Setting) -> float:
    """Return the level of a setting, or 1 for a larger one at which a private learner has no tuning."""
    if setting.epsilon > 1:
        try:
            entry.build(replace(setting, n_switches=max(setting.n_switches, 1)), np.random.default_rng(0))
        except ValueError:
            return 1.0
    return setting.epsilon


def difference(regrets: FloatArray, best: FloatArray, *, level: float = LEVEL) -> certify.Interval:
    """Return the mean difference to the best learner's regrets: a Student interval from pairs of replicates."""
    pairs = min(len(regrets), len(best))
    return certify.band(regrets[:pairs] - best[:pairs], level=level)


def order(regrets: FloatArray, best: FloatArray, *, level: float = LEVEL) -> str:
    """Compare a learner with the best one: ``"larger"``, ``"alike"`` or ``"not decided"``.

    Larger: the interval of the difference lies above zero. Alike: it does not, and its half width is at most a
    tenth of the best learner's regret.
    """
    interval = difference(regrets, best, level=level)
    if interval.low > 0:
        return "larger"
    return "alike" if interval.high - interval.estimate <= CLOSE * abs(float(best.mean())) else "not decided"
