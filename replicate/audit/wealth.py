r"""Anytime-valid refutation: bet against a claim of privacy, run after run, and stop whenever one likes.

Let P and Q be the laws of a mechanism's outputs on two neighbouring inputs, and let it be
(epsilon, delta)-private. Before round t fix a function f_t of the output with values in [0, 1] and a stake
0 <= lambda_t <= 1 / (e^epsilon + delta), both from earlier rounds. Then run the mechanism once on either input,
X_t ~ P and Y_t ~ Q, and let

    W_t = W_(t-1) (1 + lambda_t (f_t(X_t) - e^epsilon f_t(Y_t) - delta)),    W_0 = 1.

Under the claim W exceeds 1 / alpha at some time with probability at most alpha, however long one goes on:

1. The factor is never negative: f_t(X_t) - e^epsilon f_t(Y_t) - delta >= -(e^epsilon + delta).
2. E f(X) <= e^epsilon E f(Y) + delta for every f into [0, 1]: f(x) is the integral over u in (0, 1) of the
   indicator of {f(x) > u}, and each of these events S_u obeys P(S_u) <= e^epsilon Q(S_u) + delta.
3. Given the past the factor's mean is therefore at most 1: W is a nonnegative supermartingale, and Ville's
   inequality bounds the probability that it ever reaches 1 / alpha by alpha W_0.

The average of several such wealths, over events, directions and stakes, is again one; their maximum is not. The
proof needs runs that are independent given the past: a sampler must carry no state from run to run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replicate import certify, validation
from replicate.audit.outcomes import Outputs
from replicate.audit.outputs import Sampler, joined, pair_of
from replicate.audit.scores import ScoreFunction, fitted_scores, scored
from replicate.validation import FloatArray, Generator

STAKES = np.array([0.01, 0.03, 0.08, 0.2, 0.5, 0.7])
"""Stakes, as parts of the largest one; the wealths that they make are averaged.

Twice the best stake gains nothing, and the best one is small where a claim is nearly true: 0.05 for an epsilon of
0.1 against a claim of 0.05.
"""
_FIRST_BATCH, _GROWTH = 16, 1.25
_THRESHOLDS, _MOST_TRAINED = 64, 2**16

EventFunction = Callable[[Outputs], FloatArray]
"""Outputs (n, ...) to values in [0, 1], (n,); an event is a function with values 0 and 1."""


@dataclass(frozen=True)
class Refutation:
    """The result of a bet against a claim of privacy.

    Attributes
    ----------
    refuted
        Whether the wealth reached one over the false alarm.
    runs
        Runs of the mechanism up to then, over both inputs; all of them if it never did.
    log_wealth
        Natural logarithm of the wealth at that time.
    """

    refuted: bool
    runs: int
    log_wealth: float


def log_factors(one: FloatArray, other: FloatArray, *, epsilon: float, delta: float = 0.0) -> FloatArray:
    """Return log(1 + lambda (f(X) - e^epsilon f(Y) - delta)) for every stake: (...,) twice -> (stakes, ...).

    Parameters
    ----------
    one, other
        f(X) and f(Y), in [0, 1].
    epsilon, delta
        The claim under test.
    """
    most = 1 / (math.exp(epsilon) + delta)  # a larger stake could lose all
    gain = np.asarray(one) - math.exp(epsilon) * np.asarray(other) - delta
    return np.asarray(np.log1p(np.multiply.outer(STAKES * most, gain)))


def refute(
    first: Sampler,
    second: Sampler,
    *,
    epsilon: float,
    delta: float = 0.0,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
    most_runs: int = 10**6,
    rng: Generator,
    event: EventFunction | None = None,
) -> Refutation:
    """Bet against (epsilon, delta)-privacy until it is refuted or the runs are used up.

    Parameters
    ----------
    first, second
        The mechanism on two neighbouring inputs; no state may pass from run to run.
    epsilon, delta
        The claim under test, in [0, 50] and [0, 1).
    false_alarm
        Probability with which a true claim is ever refuted.
    most_runs
        Runs over both inputs after which to give up.
    rng
        Source of randomness.
    event
        Outputs to values in [0, 1], larger on the first input. When None, events are learned from earlier rounds,
        in both directions.

    Returns
    -------
    Whether the claim is refuted, and after how many runs.
    """
    epsilon, delta = (
        validation.real("epsilon", epsilon, low=0, high=50),
        validation.real("delta", delta, low=0, high=1),
    )
    goal = -math.log(validation.real("false_alarm", false_alarm, low=1e-300, high=0.5))
    rounds, rng = validation.count("most_runs", most_runs, low=2) // 2, validation.generator(rng)
    for name, sampler in (("first", first), ("second", second)):
        validation.function(name, sampler)
    bettor: _Given | _Learner = _Learner(epsilon, delta)
    if event is not None:
        bettor = _Given(validation.function("event", event))
    done, wealth = 0, np.zeros(bettor.bets * len(STAKES))
    while done < rounds:
        # a batch is bet on with one event; it may stop the bet at any run inside
        n = min(rounds - done, max(_FIRST_BATCH, int((_GROWTH - 1) * done)))
        bets = bettor.bet(*pair_of(first, second, n, rng))
        paths = [log_factors(*values, epsilon=epsilon, delta=delta) for values in bets]
        path = wealth[:, None] + np.cumsum(np.concatenate(paths), axis=1)
        # the average of wealths is a wealth; their maximum is none
        total = np.logaddexp.reduce(path) - math.log(len(wealth))
        if total.max() >= goal:
            stop = int((total >= goal).argmax())
            return Refutation(True, 2 * (done + stop + 1), float(total[stop]))
        done, wealth = done + n, path[:, -1]
    return Refutation(False, 2 * done, float(total[-1]))


def _empty(outputs: Outputs) -> FloatArray:
    """The empty event, on which nothing is staked."""
    return np.zeros(len(outputs))


_NOTHING: EventFunction = _empty


class _Given:
    """Bet on one event that is given."""

    bets = 1

    def __init__(self, event: EventFunction) -> None:
        self._event = event

    def bet(self, one: Outputs, other: Outputs) -> list[tuple[FloatArray, FloatArray]]:
        """Return f(X) and f(Y) of one batch."""
        values = scored(self._event, one, "event"), scored(self._event, other, "event")
        if min(v.min() for v in values) < 0 or max(v.max() for v in values) > 1:
            raise ValueError("event must have values in [0, 1], got others")
        return [values]


class _Learner:
    """Bet on the event that would have grown most so far, in each direction, learned from all batches before."""

    bets = 2

    def __init__(self, epsilon: float, delta: float) -> None:
        self._epsilon, self._delta = epsilon, delta
        self._seen: list[tuple[Outputs, Outputs]] = []

    def bet(self, one: Outputs, other: Outputs) -> list[tuple[FloatArray, FloatArray]]:
        """Return f(X) and f(Y) of one batch in both directions: events know none of the runs that they bet on."""
        forwards, backwards = self._events()
        self._seen.append((one, other))
        return [(forwards(one), forwards(other)), (backwards(other), backwards(one))]

    def _events(self) -> tuple[EventFunction, EventFunction]:
        if not self._seen:
            return _NOTHING, _NOTHING
        one, other = (joined(parts)[-_MOST_TRAINED:] for parts in zip(*self._seen, strict=True))
        scores = fitted_scores(one, other)
        return self._best(scores, one, other, 1.0), self._best(scores, other, one, -1.0)

    def _best(self, scores: list[ScoreFunction], one: Outputs, other: Outputs, sign: float) -> EventFunction:
        """The event {sign score >= threshold} whose best stake would have grown most on what was seen."""
        best, event = 0.0, _NOTHING
        for score in scores:
            x, y = (np.sort(sign * scored(score, outputs)) for outputs in (one, other))
            levels = np.linspace(0, 1, _THRESHOLDS)
            thresholds = np.unique(np.quantile(np.concatenate([x, y]), levels, method="nearest"))
            p, q = (((len(v) - np.searchsorted(v, thresholds)) + 0.5) / (len(v) + 1) for v in (x, y))
            growth = self._growth(p, q).max(axis=0)
            if growth.max() > best:
                best, event = float(growth.max()), _at_least(score, sign, float(thresholds[growth.argmax()]))
        return event

    def _growth(self, p: FloatArray, q: FloatArray) -> FloatArray:
        """Mean log factor of an event with probabilities p and q, for every stake: (m,) -> (stakes, m)."""
        inside = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
        chances = np.stack([p * (1 - q), q * (1 - p), p * q, (1 - p) * (1 - q)])
        return np.asarray(log_factors(*inside.T, epsilon=self._epsilon, delta=self._delta) @ chances)


def _at_least(score: ScoreFunction, sign: float, threshold: float) -> EventFunction:
    return lambda outputs: (sign * scored(score, outputs) >= threshold).astype(np.float64)
