"""Privacy from outside: what samples of a mechanism's outputs certify."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy

from replicate import certify, validation
from replicate.audit.certificates import certificate
from replicate.audit.outcomes import Layout, Outputs
from replicate.audit.outputs import Sampler, drawn, joined, outcome_codes
from replicate.audit.scores import ScoreFunction
from replicate.validation import FloatArray, Generator

Score = ScoreFunction | Literal["fitted"] | None
"""What chooses events: a function of outputs, one fitted to them, or None, the outcomes or numbers themselves."""


def certified_privacy_loss(
    first: Sampler,
    second: Sampler,
    *,
    samples: int,
    delta: float = 0.0,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
    rng: Generator,
    score: Score = None,
) -> float:
    """Return a lower limit on epsilon that samples of a mechanism's outputs on two neighbouring inputs certify.

    An (epsilon, delta)-private mechanism satisfies P(S) <= exp(epsilon) Q(S) + delta for every event S, P and Q
    its output distributions on the two inputs, in either order. Half of the samples choose S, a set of outputs
    with a large ratio of probabilities. The other half bound P(S) from below and Q(S) from above
    (Clopper-Pearson).

    With a score S is a set of outputs whose score is on one side of a threshold. A fifth of the samples fit the
    score if it is to be fitted, a tenth chooses S, but never more than a million each, and the others certify. For
    delta = 0 their numbers are Poisson, so that one limit bounds the ratio of probabilities.

    Parameters
    ----------
    first, second
        The mechanism on two neighbouring inputs. Integers and their rows count as outcomes, floats by size.
    samples
        Outputs drawn from each, 4 to 2**40.
    delta
        The delta of the claim under test, in [0, 1).
    false_alarm
        Probability with which the limit may lie above the mechanism's true epsilon.
    rng
        Source of randomness.
    score
        Any function of the outputs, (n, ...) to numbers (n,), or ``"fitted"``: logistic regression on features of
        the outputs, which rows of floats always get. Both see outputs a part at a time.

    Returns
    -------
    The lower limit, at least 0; 0 when the samples certify nothing.

    Raises
    ------
    ValueError
        If an argument is out of range, or a sampler raises, returns another number of outputs than it is asked
        for, NaN, or anything but numbers, words and rows of them.

    Examples
    --------
    >>> import numpy as np
    >>> from replicate import audit
    >>> def sums(x):
    ...     return lambda n, rng: np.cumsum(x + rng.laplace(scale=2.0, size=(n, 3)), axis=1)
    >>> limit = audit.certified_privacy_loss(sums(0.0), sums(1.0), samples=50_000, rng=np.random.default_rng(1))
    >>> 1.2 < limit < 1.5
    True
    """
    half = validation.count("samples", samples, low=4, high=2**40) // 2
    delta = validation.real("delta", delta, low=0, high=1)
    false_alarm = validation.real("false_alarm", false_alarm, low=1e-300, high=0.5)
    pair = validation.function("first", first), validation.function("second", second)
    validation.generator(rng)
    if score is not None:
        chosen_score = None if isinstance(score, str) else validation.function("score", score)
        validation.choice("score", score if isinstance(score, str) else "fitted", ("fitted",))
        return certificate(
            *pair, samples=samples, delta=delta, false_alarm=false_alarm, rng=rng, score=chosen_score
        ).epsilon
    outputs = [drawn("first", first, 2 * half, rng), drawn("second", second, 2 * half, rng)]
    scores = _likelihood_scores(outputs, half)
    if scores is None:
        served = [_served(known, draw) for known, draw in zip(outputs, pair, strict=True)]
        return certificate(*served, samples=2 * half, delta=delta, false_alarm=false_alarm, rng=rng).epsilon
    chosen, certified = ([s[:half] for s in scores], [s[half:] for s in scores])
    events = [(one, sign) for one in (0, 1) for sign in (1.0, -1.0)]
    z = float(scipy.stats.norm.isf(false_alarm / 2))
    thresholds = [
        _best_threshold(sign * chosen[one], sign * chosen[1 - one], delta=delta, z=z) for one, sign in events
    ]
    best = int(np.argmax([loss for _, loss in thresholds]))
    (one, sign), threshold = events[best], thresholds[best][0]
    inside = [int((sign * certified[i] >= threshold).sum()) for i in (one, 1 - one)]
    # the second halves certify; two limits share the false alarm
    low = certify.binomial_lower(inside[0], half, false_alarm=false_alarm / 2)
    high = certify.binomial_upper(inside[1], half, false_alarm=false_alarm / 2)
    return float(np.log((low - delta) / high)) if low - delta > high else 0.0


def _served(known: Outputs, draw: Sampler) -> Sampler:
    """Return a sampler that first hands out outputs drawn before."""
    place = 0

    def sampler(n: int, rng: Generator) -> Outputs:
        nonlocal place
        old = known[place : place + n]
        place += len(old)
        return old if len(old) == n else joined([old, drawn("sampler", draw, n - len(old), rng)])

    return sampler


def _likelihood_scores(outputs: list[Outputs], half: int) -> list[FloatArray] | None:
    """Score outputs by how much they speak for the first input; numbers speak for themselves.

    Outcomes are scored by the log ratio of their smoothed counts in the first halves. None for anything else.
    """
    if all(o.ndim == 1 and o.dtype.kind == "f" and not np.isnan(o).any() for o in outputs):
        return [np.asarray(o, dtype=np.float64) for o in outputs]
    together = joined(outputs)
    if together.dtype.kind not in "biu":
        layout = Layout.of(*outputs)
        if not layout.whole:
            return None
        together = layout.rows(together)
    codes = outcome_codes(together)  # rows of small integers need no sorting
    codes = np.unique(together, axis=0, return_inverse=True)[1].ravel() if codes is None else codes
    labels = np.split(codes, 2)
    most = int(max(part.max() for part in labels)) + 1
    # only the first halves choose; half a count for outcomes that were not seen
    counts = [np.bincount(part[:half], minlength=most) + 0.5 for part in labels]
    ratio = np.log(counts[0] / counts[1])
    return [ratio[part] for part in labels]


def _best_threshold(one: FloatArray, other: FloatArray, *, delta: float, z: float) -> tuple[float, float]:
    """Threshold c at which log((P(score >= c) - delta) / Q(score >= c)) is largest, counts z deviations off."""
    candidates = np.unique(np.quantile(np.concatenate([one, other]), np.linspace(0, 1, 513), method="nearest"))
    p, q = ((np.sort(s), len(s)) for s in (one, other))
    inside_p = p[1] - np.searchsorted(p[0], candidates)
    inside_q = q[1] - np.searchsorted(q[0], candidates)
    low = (inside_p - z * np.sqrt(inside_p)) / p[1] - delta
    # z^2 / 2 more: none seen does not mean none
    high = (inside_q + z * np.sqrt(inside_q) + z**2 / 2) / q[1]
    loss = np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -np.inf)
    best = int(loss.argmax())
    return float(candidates[best]), float(loss[best])
