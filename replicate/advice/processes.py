"""Loss processes on which learners are compared: a good action, one that changes, a trap for doubling clocks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from replicate import validation
from replicate.environments import Bernoulli, Deterministic, Environment, Shifting
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS
from replicate.validation import FloatArray, Generator


def good_arm(n_actions: int, gap: float, *, best: int = 0) -> Bernoulli:
    """One good action: Bernoulli losses with means (1 - gap) / 2 for it and (1 + gap) / 2 for the others.

    Parameters
    ----------
    n_actions
        K, 2 to 2**20.
    gap
        In [0, 1].
    best
        The good action, 0 to K - 1.
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    gap = validation.real("gap", gap, low=0, high=1)
    best = validation.count("best", best, low=0, high=k - 1)
    return Bernoulli((1 + gap) / 2 - gap * (np.arange(k) == best))


def shifting(n_actions: int, gap: float, *, n_switches: int, horizon: int) -> Shifting:
    """Equal phases of `good_arm`, a new good action in each of the S + 1.

    Parameters
    ----------
    n_actions, gap
        As for `good_arm`.
    n_switches
        S, 0 to 1000.
    horizon
        Number of rounds T, S + 1 to 2**59.
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    n_switches = validation.count("n_switches", n_switches, low=0, high=1000)
    horizon = validation.count("horizon", horizon, low=n_switches + 1, high=MAX_HORIZON)
    cuts = np.linspace(0, horizon, n_switches + 2).astype(int)
    return Shifting([(int(n), good_arm(k, gap, best=i % k)) for i, n in enumerate(np.diff(cuts))])


def random_phases(
    n_actions: int,
    gap: float,
    *,
    n_switches: int,
    horizon: int,
    law: Callable[[FloatArray], Environment],
    hidden: bool,
    rng: Generator,
) -> Shifting:
    """Phases of random lengths, a tenth to nineteen tenths of an equal share, with a new good action in each.

    Parameters
    ----------
    n_actions, gap, n_switches, horizon
        As for `shifting`.
    law
        From the expected losses of a phase, shape (K,), to its losses.
    hidden
        False: in each phase the good action has (1 - gap) / 2, the others (1 + gap) / 2. True: in every other
        change the good action keeps its expected loss, and another falls below it by the gap.
    rng
        Source of the lengths.
    """
    equal = np.arange(1, n_switches + 1) * horizon / (n_switches + 1)
    cuts = (equal + rng.uniform(-0.45, 0.45, size=n_switches) * horizon / (n_switches + 1)).astype(int)
    lengths = np.diff(np.concatenate([[0], np.maximum.accumulate(np.maximum(cuts, 1)), [horizon]]))
    i = np.arange(n_actions)

    def phase(r: int) -> Environment:
        level = 0.5 if not hidden else 0.5 if r % 2 else 0.5 + gap
        good = level - gap / 2 if not hidden else level - gap
        return law(np.where(i == r % n_actions, good, level + gap / 2 if not hidden else level))

    return Shifting([(max(int(n), 1), phase(r)) for r, n in enumerate(lengths)])


def clock_trap(n_actions: int, horizon: int) -> Shifting:
    """The action that never loses in a block of 2, 4, 8, ... rounds always loses in the next one.

    A learner that plays in each block what was best in the block before loses 1 in every round; the better of
    actions 0 and 1 loses in a third of the rounds.

    Parameters
    ----------
    n_actions
        K, 2 to 2**20; actions beyond the first two lose in every round.
    horizon
        Number of rounds T, 1 to 2**59.
    """
    n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    horizon = validation.count("horizon", horizon, high=MAX_HORIZON)
    blocks = range(horizon.bit_length())
    return Shifting([(2**r, Deterministic((np.arange(n_actions) != r % 2).astype(np.float64))) for r in blocks])
