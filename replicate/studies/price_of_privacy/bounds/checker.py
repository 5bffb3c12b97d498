"""Verify certificates of a game's value, in integers. The standard library suffices.

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

with m_t the law of a_t; or the largest over the game's laws.

*The adversary* gives a lower bound: a law q of tables and multipliers pi >= 0 of the privacy constraints. As these
multiply numbers that are at most 0 for every private learner, E_hi >= e**epsilon, the regret of each is at least

    min over all x of  E_q[loss - L*] + sum pi (x_T(a | o) - E_hi x_T(a | o')) - delta sum over o, o' of max_a pi,

and the minimum over learners without privacy is a backward recursion that takes the smallest action.

>>> game = Game(n_actions=2, horizon=2, epsilon="log 2")
>>> print(upper(game, [[HALF, HALF]]))  # uniform play
1
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from replicate.studies.price_of_privacy.bounds.games import Game

ONE = 2**60
"""Probabilities of a policy are integers over this number."""
HALF = ONE // 2

Numbers = Sequence[int]


class Rejected(ValueError):
    """The certificate proves nothing: its policy is none or not private, or its adversary is none."""


class Marginals(NamedTuple):
    """Laws of an action after every table of earlier rounds, as numerators over `whole`."""

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
        Of the constraints, in units of the law's weights: for every changed place, every shift of its signal by
        1, 2, ... (modulo their number) and every leaf x_T(a | o), in that order. Empty without privacy.
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
            # the last action has what is left: a law adds up by construction
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
    """Law of a_t after every table of t - 1 rounds."""
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
    """Largest pseudo-regret over the game's laws."""
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
    """Mean losses of the actions under a law of letters."""
    sums = (sum(c * v[a] for c, v in zip(law, game.letters, strict=True)) for a in range(game.n_actions))
    return [Fraction(total, game.grid) for total in sums]


def _mean(p: Numbers, losses: Sequence[Any]) -> Any:
    """Mean loss of an action under a law, in the parts in which the law is given."""
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
        raise Rejected(f"a law must have {many} weights of at least 0, not all 0")
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
    """Expected loss of round t, in weights of the law (times grid**T), for every (a_<=t, o_<t)."""
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
    """The same for a mixture of laws of letters, times grid**T."""
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
    """Mean loss of the comparator, in weights of the law."""
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
