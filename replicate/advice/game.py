"""The game in which learners are compared: a question's instances, and each learner's regrets on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from replicate import certify
from replicate.advice import reactive
from replicate.advice.instances import Instance, instances, of_table
from replicate.advice.question import Question
from replicate.learners import registry
from replicate.learners.entries import Entry
from replicate.streams import stream
from replicate.validation import FloatArray

LEVEL = 0.99
"""Confidence of the intervals."""
CLOSE = 0.1
"""Share of the best regret within which the half width of a difference must lie for two learners to be alike."""
MEAN = ("iid", "shifting")
"""Losses for which a learner's regret is the mean over the instances; for others it is the worst."""


@dataclass
class Candidate:
    """A learner that is tried, or the reason why it is not.

    Attributes
    ----------
    entry
        From the register.
    reason
        Why it is no answer, or was not measured; empty otherwise.
    seconds
        Estimated processor time of a replicate on all instances.
    regrets
        By instance, shape (replicates,): one number of replicates for all instances.
    rounds
        After which they were measured.
    looks
        How often more replicates were added.
    """

    entry: Entry
    reason: str = ""
    seconds: float = math.nan
    regrets: list[FloatArray] = field(default_factory=list)
    rounds: int = 0
    looks: int = 0


class Game:
    """A question's instances, and how a learner is measured on one of them."""

    def __init__(
        self,
        question: Question,
        seed: int,
        table: ArrayLike | None = None,
        *,
        kept: dict[tuple[object, ...], FloatArray] | None = None,
    ) -> None:
        self.question, self._seed = question, seed
        self._kept = kept
        """What was measured in games that share it: all of one seed, none on a reader's table."""
        self.rounds = question.rounds
        self.whole_only = table is not None
        """Whether there is no shorter game of the same kind."""
        self._at: dict[int, Sequence[Instance]] = {}
        if table is not None:
            self._at[self.rounds] = [of_table(question, table)]

    def instances(self, rounds: int | None = None) -> Sequence[Instance]:
        """Return the loss processes of a game of that many rounds; none where losses react."""
        if self.question.losses == "reactive":
            return []
        length = rounds or self.rounds
        if length not in self._at:
            table = self._at.get(self.rounds) if self.whole_only else None
            self._at[length] = table or instances(replace(self.question, rounds=length))
        return self._at[length]

    @property
    def names(self) -> list[str]:
        """Names of the instances, or of the adversaries."""
        if self.question.losses == "reactive":
            return list(reactive.adversaries(self.question, self.rounds))
        return [instance.name for instance in self.instances()]

    def sample(self, entry: Entry, number: int, replicates: int, rounds: int, *, look: int = 0) -> FloatArray:
        """Return regrets of a learner after that many rounds of an instance, shape (replicates,).

        Learners that draw their losses alike meet the same ones, replicate by replicate. Each look draws anew.
        """
        if self._kept is None:
            return self._sample(entry, number, replicates, rounds, look)
        q = self.question
        level = (q.epsilon if entry.private else None, q.delta if entry.approximate else None)
        key = (entry.name, q.losses, number, q.n_actions, *level, q.n_switches, replicates, rounds, look)
        if key not in self._kept:
            self._kept[key] = self._sample(entry, number, replicates, rounds, look)
        return self._kept[key]

    def _sample(self, entry: Entry, number: int, replicates: int, rounds: int, look: int) -> FloatArray:
        q, name = self.question, self.names[number]
        if q.losses == "reactive":
            return self._react(entry, name, replicates, rounds, look)
        rng = stream(self._seed, "advice", name, q.n_actions, rounds, *([look] if look else []))
        run = registry.simulate(
            entry.name, self.instances(rounds)[number].env, epsilon=q.epsilon if entry.private else None,
            horizon=rounds, replicates=replicates, rng=rng, delta=q.delta, n_switches=q.n_switches,
        )  # fmt: skip
        return run.final

    def _react(self, entry: Entry, name: str, replicates: int, rounds: int, look: int) -> FloatArray:
        q = self.question
        make, finals = reactive.adversaries(q, rounds)[name], []
        for r in range(replicates):
            adversary = make(stream(self._seed, "advice/reactive", name, q.n_actions, look, r))
            learner = registry.learner(
                entry.name, n_actions=q.n_actions, horizon=rounds, epsilon=q.epsilon if entry.private else None,
                delta=q.delta, rng=stream(self._seed, "advice/learner", entry.name, name, q.n_actions, look, r),
            )  # fmt: skip
            finals.append(reactive.regret(learner, adversary, rounds=rounds))
        return np.array(finals)

    def run(self, candidate: Candidate, replicates: int, *, rounds: int | None = None, look: int = 0) -> bool:
        """Measure a learner on every instance, or say why it cannot be; a later look adds to the earlier ones."""
        length = rounds or self.rounds
        try:
            new = [self.sample(candidate.entry, i, replicates, length, look=look) for i in range(len(self.names))]
        except ValueError as error:
            candidate.reason = str(error)
            return False
        if look:
            new = [np.append(old, more) for old, more in zip(candidate.regrets, new, strict=True)]
        candidate.regrets, candidate.rounds, candidate.looks = new, length, look
        return True

    def score(self, candidate: Candidate) -> tuple[FloatArray, int]:
        """Return the regrets by which a learner is ranked, one a replicate, and the instance where it is worst."""
        table = np.stack(candidate.regrets)
        worst = int(table.mean(axis=1).argmax())
        return (table.mean(axis=0) if self.question.losses in MEAN else table[worst]), worst

    def over_instances(self, values: Sequence[float]) -> float:
        """Return the mean, or the worst, of one value an instance: as a learner's regret is taken."""
        return float(np.mean(values) if self.question.losses in MEAN else max(values))

    def uniform(self) -> float:
        """Regret of uniform play; NaN against adversaries that react."""
        return self.over_instances([instance.uniform for instance in self.instances()] or [math.nan])


def difference(regrets: FloatArray, best: FloatArray, *, level: float = LEVEL) -> certify.Interval:
    """Return the mean difference to the best learner's regrets: a Student interval from pairs of replicates."""
    pairs = min(len(regrets), len(best))
    return certify.band(regrets[:pairs] - best[:pairs], level=level)


def order(regrets: FloatArray, best: FloatArray, *, level: float = LEVEL) -> str:
    """Compare a learner with the best one: ``"larger"``, ``"alike"`` or ``"not decided"``.

    Larger: the interval of the difference lies above zero. Alike: it does not, and its half width is at most a
    tenth of the best learner's regret.
    """
    found = difference(regrets, best, level=level)
    if found.low > 0:
        return "larger"
    return "alike" if found.high - found.estimate <= CLOSE * abs(float(best.mean())) else "not decided"
