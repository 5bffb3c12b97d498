"""The grid of floating-point outputs: an error of arithmetic that scores of rounded numbers do not see.

The doubles near y are about |y| 2**-52 apart. A sum x + z of doubles lies on the grid of the larger of the two:
with x = 1 a small sum is a multiple of 2**-53, however small it is, while the noise z alone, which is the sum for
x = 0, has 53 significant bits wherever it falls. So a small output whose lowest bit is below 2**-53 says x = 0 for
certain (Mironov, CCS 2012): noise that is right as a real number is not private as a double.

What a certified number means: a reader of all bits of what is released learns that much. It is no error of the
mechanism's scale. The remedy is discrete noise, or noise that is rounded with the sum to a grid that is fixed in
advance and coarser than any that depends on the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from replicate import certify, validation
from replicate.audit.certificates import Event
from replicate.audit.outcomes import Outputs
from replicate.audit.outputs import Sampler, drawn
from replicate.audit.sampling import certified_privacy_loss
from replicate.audit.scores import ScoreFunction
from replicate.validation import FloatArray, Generator, IntArray

GRID, _FAR = "outputs are read as the powers of two of their highest and lowest bits", 1100


def grid(outputs: Outputs) -> IntArray:
    """Powers of two of the highest and of the lowest bit of every number: (n, ...) -> (n, 2 d).

    Numbers that are zero or not finite have 1100 for both.
    """
    rows = np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)
    fraction, power = np.frexp(rows)
    # the 53 bits of the fraction as an integer, exactly
    whole = np.abs(np.where(np.isfinite(rows), fraction, 0.0) * 2.0**53).astype(np.int64)
    # whole & -whole is its lowest bit alone
    low = np.frexp((whole & -whole).astype(np.float64))[1] + power - 54
    odd = whole == 0
    return np.hstack([np.where(odd, _FAR, power - 1), np.where(odd, _FAR, low)]).astype(np.int64)


def bits(
    first: Sampler,
    second: Sampler,
    *,
    samples: int,
    delta: float = 0.0,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
    rng: Generator,
) -> float:
    """Return a lower limit on epsilon that the grid of floating-point outputs certifies.

    Parameters
    ----------
    first, second
        The mechanism on two neighbouring inputs; outputs are numbers or rows of them, in doubles as released.
    samples, delta, false_alarm, rng
        As for `certified_privacy_loss`.

    Examples
    --------
    >>> import numpy as np
    >>> from replicate import audit
    >>> def release(x):
    ...     return lambda n, rng: x + rng.laplace(size=n)
    >>> audit.bits(release(0.0), release(1.0), samples=20_000, rng=np.random.default_rng(1)) > 3
    True
    """
    pair = on_grid("first", first), on_grid("second", second)
    return certified_privacy_loss(*pair, samples=samples, delta=delta, false_alarm=false_alarm, rng=rng)


def on_grid(name: str, sampler: Sampler) -> Sampler:
    """Return a sampler of the grids of another's outputs."""
    validation.function(name, sampler)

    def draw(n: int, rng: Generator) -> IntArray:
        outputs = drawn(name, sampler, n, rng)
        if outputs.dtype.kind not in "biuf":
            raise ValueError(f"{name} must return numbers, got {outputs[0]!r:.200}")
        return grid(outputs)

    return draw


@dataclass(frozen=True)
class OfGrid:
    """A score of the grid of outputs, as a score of the outputs."""

    score: ScoreFunction

    def told(self, sign: float, threshold: float) -> str:
        """Say when sign * score reaches a threshold."""
        return f"{GRID}: {Event(self.score, sign, threshold, False)}"

    def __call__(self, outputs: Outputs) -> FloatArray:
        """Score outputs: (n, ...) -> (n,)."""
        return self.score(grid(outputs))
