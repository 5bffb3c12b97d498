"""The checker: by hand, without NumPy, against floating point, and on certificates that were changed."""

import math
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise, product
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicate.studies.price_of_privacy import bounds, instances
from replicate.studies.price_of_privacy.algorithms.policies import Policy
from replicate.studies.price_of_privacy.algorithms.solver import solve
from replicate.studies.price_of_privacy.bounds import ONE, Game, Rejected, exponential, lower, upper
from replicate.studies.price_of_privacy.checks import changed
from replicate.studies.price_of_privacy.instances import FAMILIES, LEVELS

ROOT = Path(__file__).parents[3]
TWO = Game(n_actions=2, horizon=2, epsilon="log 2")
THIRD = ONE // 3


def test_two_rounds_by_hand():
    """V_2 = 5/6 at ln 2: randomised response, and the tables 01 01 and 10 10 with one multiplier each."""
    policy = [[ONE - THIRD - 1, THIRD + 1]]  # after 01 action 0 is good
    low = lower(TWO, [3, 0, 0, 3], [1, 0, 0, 1])
    assert low == Fraction(5, 6)
    assert upper(TWO, policy) - Fraction(5, 6) < Fraction(1, 2**55)
    with pytest.raises(Rejected, match="not private"):
        upper(TWO, [[ONE - THIRD, THIRD]])  # too good by a rounding


@pytest.mark.parametrize(("horizon", "delta"), [(2, "1/10"), (3, "1/10"), (3, "1/1000"), (4, "1/7")])
def test_a_policy_is_private_up_to_delta_and_not_beyond(horizon, delta):
    """Play the action that was good in the last round but one with chance p: it has delta 3 p - 2 at ln 2.

    Or follow it for sure, which has delta 1. All other rounds are coins: the sequence is as private as this one.
    """
    game = Game(n_actions=2, horizon=horizon, epsilon="log 2", delta=delta)
    most = int((2 + Fraction(delta)) / 3 * ONE)  # p, in parts of ONE

    def policy(p):
        coins = [[ONE // 2] * (2 ** (2 * t - 3)) for t in range(2, horizon)]
        return [*coins, [p, ONE - p] * 2 ** (2 * horizon - 4)]

    assert 0 < upper(game, policy(most)) <= upper(game, policy(ONE // 2))
    for p in (most + 3, ONE):
        with pytest.raises(Rejected, match="not private"):
            upper(game, policy(p))
        free = Game(n_actions=2, horizon=horizon, epsilon="log 2", delta="1")
        assert upper(free, policy(p)) < upper(game, policy(most)), "delta 1 allows everything"


def test_exponential_lies_between_close_rationals():
    """e**epsilon by a longer sum, which is closer and still below."""
    for epsilon in ("1/1000", *(f"{i}/50" for i in range(1, 200, 3)), "10"):
        low, high = exponential(epsilon)
        x = Fraction(epsilon)
        more = sum((x**k / factorial(k) for k in range(80)), Fraction(0))
        assert low <= more < high
        assert high - low <= Fraction(1, 2**63)
        assert float(low) == pytest.approx(np.exp(float(x)), rel=1e-15)


def test_logarithms_are_exact():
    assert exponential("log 3") == (3, 3)


def test_letters():
    assert TWO.letters == ((0, 1), (1, 0))
    assert len(Game(n_actions=4, horizon=1, epsilon="1").letters) == 14
    assert len(Game(n_actions=3, horizon=1, epsilon="1", feedback="bandit").letters) == 8
    one_good = Game(n_actions=3, horizon=1, epsilon="1", losses="deterministic")
    assert one_good.letters == ((0, 1, 1), (1, 0, 1), (1, 1, 0))
    assert one_good.laws == ((0, 0, 1), (0, 1, 0), (1, 0, 0))


@pytest.mark.parametrize(("feedback", "k"), [("full", 3), ("bandit", 2)])
@pytest.mark.parametrize("switches", [0, 1, 2, 3])
def test_comparator_by_trying_every_sequence(switches, feedback, k):
    game = Game(n_actions=k, horizon=4, epsilon="1", n_switches=switches, feedback=feedback)
    rng = np.random.default_rng(3)
    for _ in range(30):
        table = tuple(rng.integers(len(game.letters), size=4).tolist())
        losses = [
            sum(game.letters[letter][a] for letter, a in zip(table, actions, strict=True))
            for actions in product(range(k), repeat=4)
            if sum(a != b for a, b in pairwise(actions)) <= switches
        ]
        assert game.comparator(table) == min(losses)


SMALL = [(name, game) for name, game in instances.games(4) if game.horizon > 1]


def small(name, game):
    return instances.read(name, game.n_actions, game.horizon)[game]


@pytest.mark.parametrize(("name", "game"), SMALL[::5], ids=str)
def test_regret_and_privacy_agree_with_floating_point(name, game):
    """The exact regret against the laws of actions on every table; the level against the leaves."""
    held = small(name, game)
    policy = Policy(game, tuple(held.policy))
    regrets = []
    if game.laws:
        for law in game.laws:
            means = np.array(law) @ np.array(game.letters) / game.grid
            regret = -game.horizon * means.min()
            for table in product(range(len(game.letters)), repeat=game.horizon):
                chance = np.prod([law[letter] / game.grid for letter in table])
                if chance:
                    losses = np.array([game.letters[letter] for letter in table], dtype=float)
                    regret += chance * (policy.marginals(losses) @ means).sum()
            regrets.append(regret)
    else:
        for table in product(range(len(game.letters)), repeat=game.horizon):
            losses = np.array([game.letters[letter] for letter in table], dtype=float)
            regrets.append((policy.marginals(losses) * losses).sum() - game.comparator(table))
    assert float(upper(game, held.policy)) == pytest.approx(max(regrets), abs=1e-12)


@pytest.mark.parametrize("part", ["policy", "law", "multipliers"])
@pytest.mark.parametrize(("name", "game"), SMALL[3::7], ids=str)
def test_a_changed_entry_is_noticed(name, game, part):
    held = small(name, game)
    if game.horizon < 3 or not game.private or not any(held.multipliers) or game.delta != "0":
        return  # changes nothing, or what delta allows
    spoiled = changed(held, part)
    try:
        low, high = spoiled.bounds
    except Rejected:
        assert part == "policy"
        return
    assert part != "policy"
    assert float(high - low) > 1e-6


def test_malformed_certificates_are_rejected():
    held = small("full", FAMILIES["full"].game(2, 3, "1"))
    game = held.game
    for policy, message in (
        (held.policy[:-1], "must have 2 rounds"),
        ([held.policy[0][:-1], held.policy[1]], "must have"),
        ([[-1, *held.policy[0][1:]], held.policy[1]], "negative"),
        ([[ONE + 1, *held.policy[0][1:]], held.policy[1]], "negative"),
    ):
        with pytest.raises(Rejected, match=message):
            upper(game, policy)
    for law in ([0] * 8, held.law[:-1], [-1, *held.law[1:]]):
        with pytest.raises(Rejected, match="distribution must have"):
            lower(game, law, held.multipliers)
    for multipliers in ([], held.multipliers[:-1], [-1, *held.multipliers[1:]]):
        with pytest.raises(Rejected, match="multiplier"):
            lower(game, held.law, multipliers)


@given(data=st.data())
@pytest.mark.parametrize(
    "rest",
    [{}, {"feedback": "bandit"}, {"losses": "deterministic"}, {"delta": "1/10"}, {"n_switches": 1}],
    ids=str,
)
def test_any_adversary_with_any_multipliers_bounds_the_value(rest, data):
    game = Game(n_actions=2, horizon=3, epsilon="1", **rest)
    best = float(certified(game))
    tables, constraints = (
        len(game.laws) or len(game.letters) ** 3,
        2 * bounds.n_leaves(game) * (game.n_signals - 1),
    )
    law = data.draw(st.lists(st.integers(0, 9), min_size=tables, max_size=tables).filter(any))
    multipliers = data.draw(st.lists(st.integers(0, 3), min_size=constraints, max_size=constraints))
    assert lower(game, law, multipliers) <= best + 1e-9


@cache
def certified(game):
    return solve(game).value


def test_files_are_complete_small_and_come_back(tmp_path):
    paths = {instances.path(name, k, t) for name, family in FAMILIES.items() for k, t in family.sizes}
    assert paths == set(instances.FOLDER.glob("*"))
    assert sum(path.stat().st_size for path in paths) < 5e6
    for name, family in FAMILIES.items():
        for k, t in family.sizes:
            if t < 7:
                assert len(instances.read(name, k, t)) == len(family.levels)
    held = [small("bandit", FAMILIES["bandit"].game(2, 3, e)) for e in LEVELS]
    bounds.write(tmp_path / "a.xz", held)
    assert bounds.read(tmp_path / "a.xz") == held
    bounds.write(tmp_path / "b.xz", held)
    assert (tmp_path / "a.xz").read_bytes() == (tmp_path / "b.xz").read_bytes()


def test_the_checker_runs_without_numpy():
    script = (
        "import sys; sys.modules['numpy'] = sys.modules['scipy'] = None\n"
        "from replicate.studies.price_of_privacy import bounds\n"
        "sys.exit(bounds.main(sys.argv[1:]))"
    )
    files = [str(instances.path("full", 2, 3)), str(instances.path("bandit", 2, 3))]
    done = subprocess.run([sys.executable, "-c", script, *files], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2 * len(LEVELS)
    assert lines[LEVELS.index("log 2")].startswith("1.1666666666")


def test_a_file_with_a_false_certificate_fails(tmp_path):
    held = small("full", FAMILIES["full"].game(2, 3, "1"))
    bounds.write(tmp_path / "false.xz", [changed(held, "policy")])
    with pytest.raises(Rejected):
        bounds.main([str(tmp_path / "false.xz")])


def test_the_smallest_games_are_games():
    """Two actions, one round, no switch, one step of the grid, no privacy loss at all, and every delta."""
    smallest = {"n_actions": 2, "horizon": 1, "n_switches": 0, "grid": 1}
    for delta in ("0", "1"):
        assert Game(**smallest, epsilon="0", delta=delta).exponential[0] == 1
    assert Game(**smallest, epsilon="inf").private is False


@dataclass(frozen=True, kw_only=True)
class Between(Game):
    """A game whose e**epsilon is known to lie between two numbers only."""

    ends: tuple[int, int] = (2, 3)

    @cached_property
    def exponential(self):
        return Fraction(self.ends[0]), Fraction(self.ends[1])


def between(low, high):
    return Between(n_actions=2, horizon=2, epsilon="1", ends=(low, high))


def test_a_policy_is_private_at_the_lower_end_and_constraints_count_at_the_upper_end():
    """Between 2 and 3: a ratio of 5/2 is refused and one below 2 taken; multipliers prove what they do at ln 3."""
    assert upper(between(2, 3), [[ONE - THIRD - 1, THIRD + 1]]) == upper(TWO, [[ONE - THIRD - 1, THIRD + 1]])
    with pytest.raises(Rejected, match="not private"):
        upper(between(2, 3), [[5 * ONE // 7, ONE - 5 * ONE // 7]])
    adversary = [3, 0, 0, 3], [1, 0, 0, 1]
    proved = [lower(between(*ends), *adversary) for ends in ((2, 3), (3, 3), (2, 2))]
    assert proved[0] == proved[1] < proved[2] == Fraction(5, 6)


@pytest.mark.parametrize(("name", "game"), list(instances.games(3))[::7], ids=str)
def test_a_program_solved_anew_has_the_stored_value(name, game):
    low, high = instances.bounds(name, game)
    assert low <= instances.value(name, game) <= high <= low + 1e-9
    assert solve(game).value == pytest.approx(instances.value(name, game), abs=1e-9)


@pytest.mark.parametrize("by", [-1e-6, 1e-6, math.nan])
@pytest.mark.parametrize("place", [0, 3, 9])
def test_the_command_fails_if_any_value_that_is_found_anew_is_another(place, by, capsys):
    stored = list(instances.games(2))[:10]

    def found(name, game):
        return instances.value(name, game) + (by if game == stored[place][1] else 0)

    assert instances.compared(stored, found) == 1
    assert instances.compared(stored, instances.value) == 0
    assert len(capsys.readouterr().out.splitlines()) == 20
