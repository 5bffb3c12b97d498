"""The question of a practitioner: the feedback, what losses may do, the sizes and the privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from replicate import validation
from replicate.learners.anytime import anytime
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.entries import LOSSES, Entry, Setting
from replicate.learners.protocol import MAX_ACTIONS

OTHER = {
    "iid": "fixed", "fixed": "iid", "shifting": "switching", "switching": "shifting", "reactive": "fixed",
}  # fmt: skip
"""The assumption that one would make instead."""
_LARGEST = 2**24
"""Most losses of all phases together."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question for a learner.

    Attributes
    ----------
    feedback
        ``"full"``: the losses of all actions are seen; ``"bandit"``: that of the own action only.
    losses
        What they may do, a key of `replicate.learners.entries.LOSSES`; None where nobody can say: then the answer
        is one for independent losses and one for losses fixed in advance.
    n_actions
        Number of actions K, 2 to 2**20.
    rounds
        Number of rounds T, K to 2**59.
    anytime
        Whether nobody knows T: private learners are not told it, and are compared after that many rounds.
    epsilon
        Privacy of one round's losses, positive.
    delta
        0 for pure privacy; up to 1e-2 otherwise.
    n_switches
        S of the comparator: at least 1 for losses that shift or switch, otherwise 0; (S + 1) K at most 2**24.
    rounds_per_person
        Rounds m that one person's losses may be part of: epsilon and delta are those of a person, and a round's
        losses are private at epsilon / m and delta (e^(epsilon / m) - 1) / (e^epsilon - 1), by group privacy.
    local
        Whether nobody may be trusted with a loss: each message that leaves a user is private by itself.

    Raises
    ------
    ValueError
        If an argument is out of range, or the question contradicts itself: one sentence says how.

    Examples
    --------
    >>> Question(feedback="full", losses="iid", n_actions=8, rounds=1e6, epsilon=1).rounds
    1000000
    """

    feedback: str
    losses: str | None = None
    n_actions: int
    rounds: int
    anytime: bool = False
    epsilon: float
    delta: float = 0.0
    n_switches: int = 0
    rounds_per_person: int = 1
    local: bool = False

    def __post_init__(self) -> None:
        validation.choice("feedback", self.feedback, ("full", "bandit"))
        if self.losses is not None:
            validation.choice("losses", self.losses, tuple(LOSSES))
        validation.flag("local", self.local)
        validation.flag("anytime", self.anytime)
        k = validation.count("n_actions", self.n_actions, low=2, high=MAX_ACTIONS)
        checked = {
            "n_actions": k,
            "rounds": validation.count("rounds", self.rounds, low=k, high=MAX_HORIZON),
            "epsilon": validation.real("epsilon", self.epsilon, low=1e-9, high=1e3),
            "rounds_per_person": validation.count("rounds_per_person", self.rounds_per_person, high=10**6),
            "delta": validation.real("delta", self.delta, low=0, high=1e-2),
            "n_switches": validation.count("n_switches", self.n_switches, low=0, high=1000),
        }
        vars(self).update(checked)
        moving = self.losses in ("shifting", "switching") or (self.losses is None and self.n_switches > 0)
        if moving and not 1 <= self.n_switches < self.rounds / 2:
            raise ValueError(
                f"n_switches must be from 1 to half the rounds for {self.losses or 'such'} losses, "
                f"got {self.n_switches}"
            )
        if (self.n_switches + 1) * k > _LARGEST:
            raise ValueError(
                f"n_switches must be at most {_LARGEST // k - 1} for {k:,} actions, got {self.n_switches}"
            )
        if not moving and self.n_switches:
            raise ValueError(
                f"n_switches must be 0 for {self.losses} losses, which are compared with one fixed action, "
                f"got {self.n_switches}: ask for losses that are shifting or switching"
            )

    @property
    def readings(self) -> tuple[Question, Question]:
        """The question under the assumption that is made, and under the one that would be made instead."""
        named = self.losses or ("shifting" if self.n_switches else "iid")
        return replace(self, losses=named), replace(self, losses=OTHER[named])

    @property
    def setting(self) -> Setting:
        """The setting in which private learners are built."""
        level = self.epsilon / self.rounds_per_person
        return Setting(
            n_actions=self.n_actions,
            horizon=self.rounds,
            epsilon=level,
            delta=self.delta * math.exp(level - self.epsilon) * math.expm1(-level) / math.expm1(-self.epsilon),
            n_switches=self.n_switches,
        )

    def played(self, entry: Entry) -> Entry:
        """Return a learner in the form in which it plays: one that needs no T, if nobody knows T."""
        return anytime(entry) if self.anytime and entry.private else entry

    def refusal(self, entry: Entry) -> str:
        """Say why a learner is no answer to the question; empty when it is one.

        A learner without privacy is a benchmark, not an answer. A bandit learner may be used where all losses are
        seen.
        """
        if self.feedback == "bandit" and entry.feedback == "full":
            return "needs the losses of all actions"
        if not entry.private:
            return "not private"
        if entry.approximate and not self.delta:
            return "needs delta > 0"
        if self.local and not entry.local:
            return "needs a trusted curator"
        return ""
