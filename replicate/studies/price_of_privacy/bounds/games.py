"""The games whose value is computed, and e**epsilon between two rationals. The standard library suffices.

A game has K actions and T rounds. Before the first round the adversary writes a table of losses in [0, 1], round
by round a vector l_t of shape (K,). In round t the learner plays a_t and then sees a signal: the whole vector
(full information) or the loss of its action (bandit feedback). Tables are written in an alphabet of loss
vectors, the letters, to which the general game is reduced:

1. *Bits.* The learner replaces every loss by a bit with that mean. The law of its actions becomes a mixture of
   laws on bit tables, in which one round's letter follows another law when that round's losses are replaced:
   privacy is jointly convex, so (epsilon, delta) stays. The expected loss is that of the bits, and
   E min_j <= min_j E, so the regret on the table is at most the mean of those on bit tables. Bits are losses: the
   value is the same. Not so for deterministic losses, whose bits fluctuate, nor for iid losses, whose bits may
   depend on each other.
2. *No constant letters, full information.* A vector 11..1 or 00..0 is replaced by a vector with one 1 at a
   uniformly drawn place. Its mean is constant, so up to a number that all actions share, the argument of 1.
   holds again, also for sequences of comparators. 2**K - 2 letters stay. Bandits cannot do this: they see no
   vector.
3. *One good action, deterministic losses.* One vector v is repeated. The learner maps every vector to the letter
   with loss 0 at its best action (the first of them), 1 elsewhere, round by round, so privacy stays. Its regret
   on v is the sum of P(a_t = a) (v_a - min v), at most that of P(a_t is not best), its regret on the letter. K
   letters.
4. *Laws on a grid, iid losses.* Letters are drawn from one law, with probabilities that are multiples of 1 / grid.
   A finite set of laws is less than all of them: the value is a lower bound of the iid and of the general one.
5. *First action, full information.* Averaged over the relabellings of the actions (all letters and sets of laws
   here are closed under them) a learner plays a uniform a_1; drawn anew and independently, it keeps the law of
   (a_2, ..., a_T) and every marginal, and dropping a_1 costs no privacy. So privacy is asked of a_2, ..., a_T.

The value never falls with T where losses may be anything: append rounds of zeros. Deterministic and iid losses
have non-negative regret in every round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

FEEDBACK = ("full", "bandit")
LOSSES = ("any", "deterministic", "iid")

_BITS = 64
"""e**epsilon is known to 2**-64."""


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game between a private learner and an oblivious adversary.

    Attributes
    ----------
    n_actions, horizon
        K >= 2 and T >= 1.
    epsilon
        Privacy level of the whole sequence of actions when one round's losses are replaced: a rational number as
        text, ``"1/2"``, the logarithm of an integer, ``"log 2"``, or ``"inf"`` for no privacy.
    feedback
        ``"full"``: the learner sees all losses of a round; ``"bandit"``: that of its own action.
    losses
        ``"any"`` table; ``"deterministic"``, one vector repeated; ``"iid"``, drawn from one law of a finite set.
        Privacy is asked on all tables. Only full information has the last two.
    n_switches
        The comparator is the best sequence of actions with at most S switches.
    delta
        Of approximate privacy, a rational number as text. Only full information has it.
    grid
        Of iid losses: probabilities of letters are multiples of 1 / grid.
    """

    n_actions: int
    horizon: int
    epsilon: str
    feedback: str = "full"
    losses: str = "any"
    n_switches: int = 0
    delta: str = "0"
    grid: int = 1

    def __post_init__(self) -> None:
        small = self.n_actions < 2 or self.horizon < 1 or self.n_switches < 0 or self.grid < 1
        known = self.feedback in FEEDBACK and self.losses in LOSSES
        only_full = self.feedback == "bandit" and (self.losses != "any" or Fraction(self.delta) > 0)
        if small or not known or only_full or (self.losses != "any" and self.n_switches):
            raise ValueError(f"there is no such game: {self}")
        if not 0 <= Fraction(self.delta) <= 1 or (self.private and self.exponential[0] < 1):
            raise ValueError(f"epsilon must be at least 0 and delta in [0, 1], got {self.epsilon}, {self.delta}")

    @property
    def private(self) -> bool:
        """True unless epsilon is infinite."""
        return self.epsilon != "inf"

    @property
    def first(self) -> int:
        """First round whose action is kept private and remembered: 2 with full information, reduction 5."""
        return 2 if self.feedback == "full" else 1

    @cached_property
    def letters(self) -> tuple[tuple[int, ...], ...]:
        """Loss vectors of which tables are made, in lexicographic order."""
        vectors = product((0, 1), repeat=self.n_actions)
        if self.losses == "deterministic":
            return tuple(v for v in vectors if sum(v) == self.n_actions - 1)
        if self.feedback == "full":
            return tuple(v for v in vectors if 0 < sum(v) < self.n_actions)
        return tuple(vectors)

    @property
    def n_signals(self) -> int:
        """Number of different things that a learner may see after a round."""
        return len(self.letters) if self.feedback == "full" else 2

    def signal(self, letter: int, action: int) -> int:
        """Return the signal of a round: the letter's number, or the loss of the action."""
        return letter if self.feedback == "full" else self.letters[letter][action]

    @cached_property
    def laws(self) -> tuple[tuple[int, ...], ...]:
        """Laws of one round's letter, as numerators over `grid`; none where losses may be anything."""
        if self.losses == "any":
            return ()
        return tuple(c for c in product(range(self.grid + 1), repeat=len(self.letters)) if sum(c) == self.grid)

    def comparator(self, table: tuple[int, ...]) -> int:
        """Loss of the best sequence with at most S switches on a table, given by its letters' numbers."""
        best = [[0] * self.n_actions for _ in range(self.n_switches + 1)]
        for letter in table:
            # from the most switches down: s - 1 is still that of the round before
            for s in range(self.n_switches, 0, -1):
                best[s] = [min(stay, min(best[s - 1])) for stay in best[s]]
            best = [[loss + self.letters[letter][a] for a, loss in enumerate(row)] for row in best]
        return min(map(min, best))

    @cached_property
    def exponential(self) -> tuple[Fraction, Fraction]:
        """Rationals around e**epsilon; see `exponential`."""
        return exponential(self.epsilon)


def exponential(epsilon: str) -> tuple[Fraction, Fraction]:
    """Return rationals E_lo <= e**epsilon <= E_hi, less than 2**-63 apart.

    The Taylor sum S_n = sum_{k<n} x**k / k! is below e**x for x > 0. From n >= 2 x on every further term is at
    most half of the one before, so that e**x <= S_n + 2 x**n / n!. Both sides are rounded outward to 64 bits. A
    logarithm of an integer needs no rounding.

    Parameters
    ----------
    epsilon
        ``"log 3"``, or a rational number of at least 0 as text.
    """
    if epsilon.startswith("log "):
        whole = Fraction(int(epsilon[4:]))
        return whole, whole
    x, total, term, n = Fraction(epsilon), Fraction(0), Fraction(1), 0
    if x < 0:
        raise ValueError(f"epsilon must be at least 0, got {epsilon}")
    # from there on the rest is at most twice the next term
    while n < 2 * x or 2 * term > Fraction(1, 2 ** (_BITS + 2)):
        total, n = total + term, n + 1
        term = term * x / n
    scale = 2**_BITS
    return Fraction(math.floor(total * scale), scale), Fraction(math.ceil((total + 2 * term) * scale), scale)
