"""How often a limit is wrong, beside what it states and beside its nearest faulty twin.

A case counts the repetitions in which a limit lies on the wrong side of the truth. A right limit is wrong in more
of them than are allowed with probability `LEVEL` at most. The power is the probability with which its twin is
wrong in more, computed from how often the twin is wrong at least. Where the probability of being wrong is known
exactly, the comparison is one of two numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from replicate import certify
from replicate.streams import stream

LEVEL, DOUBT, POWER = 1e-6, 1e-3, 0.999
"""False alarm of a case; probability that a twin is wrong less often than is said of it; the least power."""

Wrong = Callable[[np.random.Generator], bool]
"""One repetition: True if the limit is wrong."""


def counted(wrong: Wrong) -> Callable[[int], int]:
    """Return the function that counts the wrong ones of many repetitions."""
    return lambda runs: sum(bool(wrong(stream(1, "coverage", run))) for run in range(runs))


@dataclass(frozen=True)
class Coverage:
    """A limit, and one twin of it.

    Attributes
    ----------
    name
        The limit's name, and in which use.
    wrong
        Repetitions to the number of wrong limits; if `runs` is 0, the exact probability of one.
    fault
        What the twin does, in words.
    twin
        As `wrong`.
    alarm, runs
        The false alarm that is stated, and repetitions.
    """

    name: str
    wrong: Callable[[int], float]
    fault: str
    twin: Callable[[int], float]
    alarm: float
    runs: int = 0

    def __str__(self) -> str:
        return f"{self.name}: {self.fault}"

    def check(self) -> None:
        """Assert that the limit is wrong as rarely as it states and that the twin would be noticed; print both."""
        errors, faults = self.wrong(self.runs), self.twin(self.runs)
        if not self.runs:
            rate, shown, allowed = errors, faults, self.alarm * (1 + 1e-9)
            power = float(shown > allowed)
        else:
            most = int(stats.binom.isf(LEVEL, self.runs, self.alarm))
            least = certify.binomial_lower(faults, self.runs, false_alarm=DOUBT)
            rate, shown, allowed = errors / self.runs, faults / self.runs, most / self.runs
            power = float(stats.binom.sf(most, self.runs, least))
        said = f"{self.name} is wrong with frequency {rate:.3g}, states {self.alarm:g}, may have {allowed:.3g}"
        print(f"{said}; {self.fault}: {shown:.3g}, which is noticed with probability {power:.5f}")
        assert rate <= allowed, said
        assert power >= POWER, f"{self}: this twin would be noticed with probability {power:.4f} only"
