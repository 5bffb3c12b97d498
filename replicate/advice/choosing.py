"""A private choice among learners on losses that are themselves private.

To try learners on a table and to use the best is to publish something about the table. Private selection with a
random number of trials (Liu & Talwar 2019; Papernot & Steinke 2022) keeps that within the privacy level, however
many learners there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import scipy
from numpy.typing import ArrayLike

from replicate import validation
from replicate.advice.game import level_of
from replicate.advice.instances import in_canonical_order
from replicate.learners import protocol, registry
from replicate.learners.entries import Setting
from replicate.validation import FloatArray, Generator

_TRIALS_EACH = 3
"""Expected number of trials of each learner."""


@dataclass(frozen=True)
class Choice:
    """The learner chosen, and its noisy loss on the table."""

    learner: str
    noisy_loss: float


def choose(losses: ArrayLike, names: Sequence[str], *, epsilon: float, rng: Generator) -> Choice:
    """Choose a learner for losses like these, epsilon-privately: its name and noisy loss may be published.

    Each trial plays a learner, drawn at random, at level epsilon / 4, and adds Laplace noise of scale 4 / epsilon
    to its loss: one round changes the loss of given actions by at most 1, so a trial is (epsilon / 2)-private. The
    best of a random number of trials is epsilon-private, see `best_of`. Columns are relabelled at random in every
    trial, so that no answer depends on their order. To play the learner on the same losses costs its own level
    besides.

    Parameters
    ----------
    losses
        Shape (T, K), entries in [0, 1].
    names
        Private learners of the registry with pure privacy, at least 2.
    epsilon
        Privacy of one round of the table, positive.
    rng
        Source of randomness.

    Raises
    ------
    ValueError
        If a learner is not private, its privacy is not pure, it cannot play at epsilon / 4, or an argument is out
        of range.
    """
    table = in_canonical_order(protocol.loss_table(losses))
    level, generator = validation.positive("epsilon", epsilon), validation.generator(rng)
    entries = [registry.entry(name) for name in names]
    wrong = [entry.name for entry in entries if not entry.private or entry.approximate]
    if len(set(names)) < 2 or wrong:
        raise ValueError(f"names must be at least 2 learners with pure privacy, got {', '.join(wrong) or names}")

    def trial() -> tuple[float, str]:
        name = entries[int(generator.integers(len(entries)))].name
        relabelled = table[:, generator.permutation(table.shape[1])]
        learner = _learner(name, shape=table.shape, epsilon=level / 4, rng=generator)
        return _loss(learner, relabelled) + float(generator.laplace(scale=4 / level)), name

    (loss, name), _ = best_of(trial, mean=_TRIALS_EACH * len(entries), rng=generator)
    return Choice(name, loss)


def _learner(name: str, *, shape: tuple[int, ...], epsilon: float, rng: Generator) -> protocol.Learner:
    """A learner at that level, or at 1 if it is made for no larger one."""
    rounds, actions = shape
    sizes: dict[str, Any] = {"n_actions": actions, "horizon": rounds}
    level = level_of(registry.entry(name), Setting(**sizes, epsilon=epsilon))
    return registry.learner(name, **sizes, epsilon=level, rng=rng)


def _loss(learner: protocol.Learner, table: FloatArray) -> float:
    total = 0.0
    for row in table:
        action = learner.act()
        total += float(row[action])
        learner.observe(row if learner.feedback == "full" else row[action])
    return total


def best_of(
    trial: Callable[[], tuple[float, str]], *, mean: float, rng: Generator
) -> tuple[tuple[float, str], int]:
    """Return the smallest outcome of N independent trials, N logarithmic: it costs twice the privacy of one trial.

    P(N = n) is (1 - g)^n / (n log(1 / g)), n = 1, 2, ...

    Proof. Let a trial be eta-private, Q its distribution, and order outcomes, ties broken. N has the generating
    function f(x) = log(1 - (1 - g) x) / log g, and the best outcome is y with probability f(Q(>= y)) - f(Q(> y)),
    the integral of f' over an interval of length Q(y). There f'(x) = (1 - g) / (log(1 / g) (g + (1 - g)(1 - x))).
    For x = Q(> y) + u Q(y), u in [0, 1], 1 - x = Q(< y) + (1 - u) Q(y) is, for a neighbouring input, at least
    e^-eta times as large, so f' is at most e^eta times as large, and so is Q(y), the length: in all e^(2 eta).

    Parameters
    ----------
    trial
        Called once a trial: (loss, label).
    mean
        Expected number of trials, above 1.
    rng
        Source of randomness.

    Returns
    -------
    The best outcome, and the number of trials, which must not be published.
    """
    trials = int(validation.generator(rng).logseries(1 - stopping(mean)))
    return min(trial() for _ in range(trials)), trials


def stopping(mean: float) -> float:
    """Return g such that the logarithmic distribution has that mean, (1 / g - 1) / log(1 / g)."""
    target = validation.real("mean", mean, low=1.001, high=1e6)
    log = scipy.optimize.brentq(lambda x: math.expm1(x) / x - target, 1e-9, 40)
    return math.exp(-log)
