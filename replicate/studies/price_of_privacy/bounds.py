"""Both sides of the limit: games, and certificates of their values, verified in integers by the standard library.

A game has K actions and T rounds. Before the first round the adversary writes a table of losses in [0, 1], round
by round a vector l_t of shape (K,). In round t the learner plays a_t and then sees a signal: the whole vector
(full information) or the loss of its action (bandit feedback). Tables are written in an alphabet of loss
vectors, the letters, to which the general game is reduced:

1. *Bits.* The learner replaces every loss by a bit with that mean. The distribution of its actions becomes a
mixture of
   distributions on bit tables, in which one round's letter follows another distribution when that round's losses
   are replaced: privacy is jointly convex, so (epsilon, delta) stays. The expected loss is that of the bits, and E
   min_j <= min_j E, so the regret on the table is at most the mean of those on bit tables. Bits are losses: the
   value is the same. Not so for deterministic losses, whose bits fluctuate, nor for i.i.d. losses, whose bits may
   depend on each other.
2. *No constant letters, full information.* A vector 11..1 or 00..0 is replaced by a vector with one 1 at a
   uniformly drawn place. Its mean is constant, so up to a number that all actions share, the argument of 1.
   holds again, also for sequences of comparators. 2**K - 2 letters stay. Bandits cannot do this: they see no
   vector.
3. *One good action, deterministic losses.* One vector v is repeated. The learner maps every vector to the letter
   with loss 0 at its best action (the first of them), 1 elsewhere, round by round, so privacy stays. Its regret
   on v is the sum of P(a_t = a) (v_a - min v), at most that of P(a_t is not best), its regret on the letter. K
   letters.
4. *Distributions on a grid, i.i.d. losses.* Letters are drawn from one distribution, with probabilities that are
multiples of 1 / grid.
   A finite set of distributions is less than all of them: the value is a lower bound of the iid and of the general
   one.
5. *First action, full information.* Averaged over the relabellings of the actions (all letters and sets of
distributions
   here are closed under them) a learner plays a uniform a_1; drawn anew and independently, it keeps the
   distribution of (a_2, ..., a_T) and every marginal, and dropping a_1 costs no privacy. So privacy is asked of
   a_2, ..., a_T.

The value never falls with T where losses may be anything: append rounds of zeros. Deterministic and i.i.d. losses
have non-negative regret in every round.

A certificate has two halves, and neither is trusted: both sides are computed from it here.

*The learner* gives an upper bound. It is a behaviour policy p_t(a_t | a_<t, o_<t): probability of an action
after the actions and signals so far, with rational entries. In sequence form x_t(a_<=t | o_<t) is the product of
its probabilities. It is private when at the leaves

    x_T(a | o) <= E_lo x_T(a | o')                                    (delta = 0)
    sum_a max(0, x_T(a | o) - E_lo x_T(a | o')) <= delta

for all o, o' that differ in one place, E_lo <= e**epsilon: marginals inherit it, and for delta = 0 single outcomes
suffice. The last signal reaches no action. Under bandit feedback tables that differ in one round give, along one
sequence of actions, signals that differ in that place or nowhere. The regret is the largest over tables,

    W(l_<=T) = -L*(l),    W(l_<t) = max over letters l of <m_t(. | l_<t), l> + W(l_<t, l),

with m_t the distribution of a_t; or the largest over the game's distributions.

*The adversary* gives a lower bound: a distribution q of tables and multipliers pi >= 0 of the privacy constraints.
As these multiply numbers that are at most 0 for every private learner, E_hi >= e**epsilon, the regret of each is
at least

    min over all x of  E_q[loss - L*] + sum pi (x_T(a | o) - E_hi x_T(a | o')) - delta sum over o, o' of max_a pi,

and the minimum over learners without privacy is a backward recursion that takes the smallest action.

>>> game = Game(n_actions=2, horizon=2, epsilon="log 2")
>>> half = ONE // 2
>>> print(upper(game, [[half, half]]))  # uniform play
1
"""

from __future__ import annotations

import json
import lzma
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

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
        ``"any"`` table; ``"deterministic"``, one vector repeated; ``"iid"``, drawn from one distribution of a
        finite set. Privacy is asked on all tables. Only full information has the last two.
    n_switches
        The comparator is the best sequence of actions with at most S switches.
    delta
        Of approximate privacy, a rational number as text. Only full information has it.
    grid
        Of i.i.d. losses: probabilities of letters are multiples of 1 / grid.
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
        """Distributions of one round's letter, as numerators over `grid`; none where losses may be anything."""
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


ONE = 2**60
"""Probabilities of a policy are integers over this number."""

Numbers = Sequence[int]


class Rejected(ValueError):
    """The certificate proves nothing: its policy is none or not private, or its adversary is none."""


class Marginals(NamedTuple):
    """Distributions of an action after every table of earlier rounds, as numerators over `whole`."""

    laws: list[list[int]]
    whole: int


@dataclass(frozen=True)
class Certificate:
    """A learner and an adversary that prove the value of a game between them.

    Attributes
    ----------
    game
        The game.
    policy
        One sequence a round from `game.first` to T: for every history, in the order of (actions, signals) as
        digits, the numerators over `ONE` of all actions but the last, which has the rest.
    law
        Weights of the adversary, not normalised: of all tables in lexicographic order, or of all of `game.laws`.
    multipliers
        Of the constraints, in units of the distribution's weights: for every changed place, every shift of its
        signal by 1, 2, ... (modulo their number) and every leaf x_T(a | o), in that order. Empty without privacy.
    """

    game: Game
    policy: Sequence[Numbers]
    law: Numbers
    multipliers: Numbers

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Lower and upper bound of the game's value, verified.

        Raises
        ------
        Rejected
            If the policy is none, or not private, or the adversary is none.
        """
        return lower(self.game, self.law, self.multipliers), upper(self.game, self.policy)


def sequence_form(game: Game, policy: Sequence[Numbers]) -> Iterator[list[int]]:
    """Yield x_t for t = first, ..., T as numerators over ONE**(t - first + 1), in the order of histories."""
    k, o = game.n_actions, game.n_signals
    rounds = range(game.first, game.horizon + 1)
    if len(policy) != len(rounds):
        raise Rejected(f"a policy must have {len(rounds)} rounds, got {len(policy)}")
    x = [1]
    for t, numerators in zip(rounds, policy, strict=True):
        signals, earlier = o ** (t - 1), o ** max(t - 2, 0)
        histories = k ** (t - game.first) * signals
        if len(numerators) != histories * (k - 1):
            raise Rejected(f"round {t} must have {histories * (k - 1)} entries, got {len(numerators)}")
        new = [0] * (histories * k)
        for node in range(histories):
            actions, seen = divmod(node, signals)
            shares = list(numerators[node * (k - 1) : (node + 1) * (k - 1)])
            # the last action has what is left: a distribution adds up by construction
            shares.append(ONE - sum(shares))
            if min(shares) < 0:
                raise Rejected(f"round {t} has a negative probability")
            mass = x[actions * earlier + (seen // o if t > game.first else 0)]
            for action, share in enumerate(shares):
                new[(actions * k + action) * signals + seen] = mass * share
        x = new
        yield x


def upper(game: Game, policy: Sequence[Numbers]) -> Fraction:
    """Return the regret of a policy, which bounds the value from above once it is private."""
    marginals = {1: Marginals([[1] * game.n_actions], game.n_actions)} if game.first == 2 else {}
    x: list[int] = []
    for t, x in enumerate(sequence_form(game, policy), game.first):
        marginals[t] = _marginals(game, t, x)
    if x and game.private:
        _require_privacy(game, x)
    return _worst_law(game, marginals) if game.laws else _worst_table(game, marginals)


def _marginals(game: Game, t: int, x: Numbers) -> Marginals:
    """Distribution of a_t after every table of t - 1 rounds."""
    k, signals = game.n_actions, game.n_signals ** (t - 1)
    sums = [[0] * k for _ in range(len(game.letters) ** (t - 1))]
    for i, actions in enumerate(product(range(k), repeat=t - game.first)):
        codes = range(signals) if game.feedback == "full" else _codes(game, actions)
        for row, code in zip(sums, codes, strict=True):
            for action in range(k):
                row[action] += x[(i * k + action) * signals + code]
    return Marginals(sums, ONE ** (t - game.first + 1))


def _codes(game: Game, actions: Sequence[int]) -> list[int]:
    """Codes of the signals that these actions see, on every table of as many rounds."""
    codes = [0]
    for action in actions:
        signals = [game.signal(letter, action) for letter in range(len(game.letters))]
        codes = [code * game.n_signals + signal for code in codes for signal in signals]
    return codes


def _worst_table(game: Game, marginals: Mapping[int, Marginals]) -> Fraction:
    """Backward recursion over tables, in parts of a unit that every marginal divides."""
    n, unit = len(game.letters), game.n_actions * ONE ** max(game.horizon - game.first + 1, 0)
    value = [-unit * loss for loss in _comparators(replace(game, epsilon="inf", delta="0"))]  # W(l_<=T) = -L*(l)
    for t in range(game.horizon, 0, -1):
        laws, whole = marginals[t]
        value = [
            # W(l_<t)
            max(unit // whole * _mean(p, letter) + value[code * n + i] for i, letter in enumerate(game.letters))
            for code, p in enumerate(laws)
        ]
    return Fraction(value[0], unit)


@lru_cache(maxsize=1)
def _comparators(game: Game) -> list[int]:
    """Loss of the comparator on every table of a game without privacy: one list serves all levels of a family."""
    return [game.comparator(table) for table in product(range(len(game.letters)), repeat=game.horizon)]


def _worst_law(game: Game, marginals: Mapping[int, Marginals]) -> Fraction:
    """Largest pseudo-regret over the game's distributions."""
    regrets = []
    for law in game.laws:
        means, mass, total = _means(game, law), [Fraction(1)], Fraction(0)
        for t in range(1, game.horizon + 1):
            laws, whole = marginals[t]
            total += sum(m * _mean(p, means) for m, p in zip(mass, laws, strict=True) if m) / whole
            mass = [m * Fraction(c, game.grid) for m in mass for c in law]
        regrets.append(total - game.horizon * min(means))
    return max(regrets)


def _means(game: Game, law: Numbers) -> list[Fraction]:
    """Mean losses of the actions under a distribution of letters."""
    sums = (sum(c * v[a] for c, v in zip(law, game.letters, strict=True)) for a in range(game.n_actions))
    return [Fraction(total, game.grid) for total in sums]


def _mean(p: Numbers, losses: Sequence[Any]) -> Any:
    """Mean loss of an action under a distribution, in the parts in which the distribution is given."""
    return sum(share * loss for share, loss in zip(p, losses, strict=True) if loss)


def neighbours(game: Game) -> Iterator[tuple[int, int, int]]:
    """Yield the ways to replace one signal: weight of its digit, shift, number of its first constraint."""
    number, leaves = 0, n_leaves(game)
    for place in range(game.horizon - 1):
        for shift in range(1, game.n_signals):
            yield game.n_signals ** (game.horizon - 2 - place), shift, number
            number += leaves


def n_leaves(game: Game) -> int:
    """Number of pairs (a_first..a_T, o_1..o_(T-1))."""
    return int(game.n_actions ** max(game.horizon - game.first + 1, 0) * game.n_signals ** (game.horizon - 1))


def replaced(code: int, weight: int, shift: int, n_signals: int) -> int:
    """Code of the neighbour: the digit of that weight moved by `shift`, modulo the number of signals."""
    digit = code // weight % n_signals
    return code + ((digit + shift) % n_signals - digit) * weight


def _require_privacy(game: Game, x: Numbers) -> None:
    """Raise an error unless the leaves x_T are private at E_lo."""
    top, bottom = game.exponential[0].numerator, game.exponential[0].denominator
    signals, o = game.n_signals ** (game.horizon - 1), game.n_signals
    allowed = Fraction(game.delta) * bottom * ONE ** (game.horizon - game.first + 1)
    for weight, shift, _ in neighbours(game):
        for seen in range(signals):
            other = replaced(seen, weight, shift, o)
            pairs = zip(x[seen::signals], x[other::signals], strict=True)
            if sum(excess for a, b in pairs if (excess := bottom * a - top * b) > 0) > allowed:
                raise Rejected(f"the policy is not private: signals {seen} and {other} differ in one place")


def lower(game: Game, law: Numbers, multipliers: Numbers) -> Fraction:
    """Return the lower bound of the value that an adversary and multipliers prove."""
    many = len(game.laws) or len(game.letters) ** game.horizon
    if len(law) != many or min(law) < 0 or sum(law) <= 0:
        raise Rejected(f"a distribution must have {many} weights of at least 0, not all 0")
    gains, slack, unit = _lagrangian(game, multipliers)
    scale = game.grid**game.horizon if game.laws else 1
    value = [gain * scale for gain in gains]
    for t in range(game.horizon, 0, -1):
        if t < game.horizon:  # whatever the signal of round t
            value = [sum(value[i : i + game.n_signals]) for i in range(0, len(value), game.n_signals)]
        value = _best_action(game, t, [unit * cost for cost in _stage(game, law, t)], value)
    total = Fraction(value[0], unit * scale) - _expected_comparator(game, law) - slack
    return total / sum(law)


def _lagrangian(game: Game, multipliers: Numbers) -> tuple[list[int], Fraction, int]:
    """Multipliers times constraints at every leaf, in parts of `unit`; the share of delta; the unit."""
    leaves, signals, o = n_leaves(game), game.n_signals ** (game.horizon - 1), game.n_signals
    gains, slack = [0] * leaves, 0
    if not game.private:
        return gains, Fraction(0), 1
    top, bottom = game.exponential[1].numerator, game.exponential[1].denominator
    if len(multipliers) != (game.horizon - 1) * (o - 1) * leaves or min(multipliers, default=0) < 0:
        raise Rejected("there must be a multiplier of at least 0 for every constraint")
    for weight, shift, number in neighbours(game):
        for leaf, pi in enumerate(multipliers[number : number + leaves]):
            if pi:
                # pi (x_T(a | o) - E_hi x_T(a | o')), times the denominator of E_hi
                gains[leaf] += pi * bottom
                gains[replaced(leaf, weight, shift, o)] -= pi * top
        slack += sum(max(multipliers[number + seen : number + leaves : signals]) for seen in range(signals))
    return gains, Fraction(game.delta) * slack, bottom


def _best_action(game: Game, t: int, stage: Numbers, value: Sequence[int]) -> list[int]:
    """Smallest cost over a_t of round t and what follows, for every history before a_t."""
    k, signals = game.n_actions, game.n_signals ** (t - 1)
    follow = value if t >= game.first else list(value) * k
    costs = [now + later for now, later in zip(stage, follow, strict=True)]
    return [
        min(costs[(actions * k + a) * signals + seen] for a in range(k))
        for actions in range(len(costs) // (k * signals))
        for seen in range(signals)
    ]


def _stage(game: Game, law: Numbers, t: int) -> list[int]:
    """Expected loss of round t, in weights of the distribution (times grid**T), for every (a_<=t, o_<t)."""
    k, signals = game.n_actions, game.n_signals ** (t - 1)
    losses = _expected_losses_of_laws(game, law, t) if game.laws else _expected_losses(game, law, t)
    if game.feedback == "full":
        return [row[a] for a in range(k) for row in losses] * int(k ** max(t - game.first, 0))
    stage = [0] * (k**t * signals)
    for i, actions in enumerate(product(range(k), repeat=t - 1)):
        for code, row in zip(_codes(game, actions), losses, strict=True):
            for a in range(k):
                stage[(i * k + a) * signals + code] += row[a]
    return stage


def _expected_losses(game: Game, law: Numbers, t: int) -> list[list[int]]:
    """Weight of every table of t - 1 rounds times the mean loss of each action in round t."""
    n, k = len(game.letters), game.n_actions
    later = n ** (game.horizon - t)
    weights = [sum(law[i : i + later]) for i in range(0, len(law), later)]
    return [
        [sum(w * v[a] for w, v in zip(weights[i : i + n], game.letters, strict=True)) for a in range(k)]
        for i in range(0, len(weights), n)
    ]


def _expected_losses_of_laws(game: Game, law: Numbers, t: int) -> list[list[int]]:
    """The same for a mixture of distributions of letters, times grid**T."""
    n, k = len(game.letters), game.n_actions
    losses = [[0] * k for _ in range(n ** (t - 1))]
    for weight, chances in zip(law, game.laws, strict=True):
        means = [int(game.grid * mean) for mean in _means(game, chances)]
        mass = [weight * game.grid ** (game.horizon - t)]
        for _ in range(t - 1):
            mass = [m * c for m in mass for c in chances]
        for row, m in zip(losses, mass, strict=True):
            for a in range(k) if m else ():
                row[a] += m * means[a]
    return losses


def _expected_comparator(game: Game, law: Numbers) -> Fraction:
    """Mean loss of the comparator, in weights of the distribution."""
    if game.laws:
        best = [game.horizon * min(_means(game, chances)) for chances in game.laws]
        return sum((w * b for w, b in zip(law, best, strict=True)), Fraction(0))
    losses = _comparators(replace(game, epsilon="inf", delta="0"))
    return Fraction(sum(w * loss for w, loss in zip(law, losses, strict=True)))


def read(path: Path) -> list[Certificate]:
    """Return the certificates of a compressed file."""
    records = json.loads(lzma.decompress(path.read_bytes()))
    return [Certificate(Game(**r["game"]), r["policy"], r["law"], r["multipliers"]) for r in records]


def write(path: Path, certificates: Sequence[Certificate]) -> None:
    """Write certificates into one compressed file."""
    records = [
        {"game": asdict(c.game), "policy": c.policy, "law": c.law, "multipliers": c.multipliers}
        for c in certificates
    ]
    path.write_bytes(lzma.compress(json.dumps(records, separators=(",", ":")).encode(), preset=9))


def main(paths: Sequence[str]) -> int:
    """Verify every certificate of the files named; print each game with its bounds."""
    for path in paths:
        for certificate in read(Path(path)):
            low, high = certificate.bounds
            print(f"{float(low):.12f} {float(high - low):.1e} {certificate.game}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
