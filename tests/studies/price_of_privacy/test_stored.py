"""The command that verifies, solves anew or writes the certificates: what it finds, says and leaves alone."""

from dataclasses import replace

import pytest

from replicate.studies.price_of_privacy.bounds import checker
from replicate.studies.price_of_privacy.instances import FAMILIES, stored

GAMES = [("full", FAMILIES["full"].game(2, t, "1")) for t in (1, 2, 3)]


@pytest.fixture
def few(monkeypatch):
    """Three games, and the horizons that were asked for."""
    asked = []

    def games(longest):
        asked.append(longest)
        return iter(GAMES)

    monkeypatch.setattr(stored, "games", games)
    return asked


@pytest.fixture
def solved(monkeypatch):
    """Games that are solved."""
    found, solve = [], stored.solve
    monkeypatch.setattr(stored, "solve", lambda game: found.append(game) or solve(game))
    return found


def test_every_certificate_is_verified_and_shown(few, solved, capsys):
    assert stored.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" ", 4)[3:] for line in lines] == [[name, str(game)] for name, game in GAMES]
    for line, (name, game) in zip(lines, GAMES, strict=True):
        value, gap, off = map(float, line.split()[:3])
        low, high = stored.bounds(name, game)
        assert value == pytest.approx(stored.value(name, game), abs=1e-12)
        assert gap == pytest.approx(high - low, rel=0.1)
        assert 0 <= off <= gap
    assert solved == []
    assert few[0] >= max(t for family in FAMILIES.values() for _, t in family.sizes)


def test_programs_are_solved_anew_when_asked(few, solved):
    assert stored.main(["--large"]) == 0
    assert solved == [game for _, game in GAMES]


@pytest.mark.parametrize(("shift", "status"), [(-1e-6, 1), (1e-6, 1), (-1e-10, 0), (1e-10, 0)])
def test_a_value_outside_its_bounds_fails(shift, status, few, monkeypatch):
    """One game of three is off, by more than a billionth or by less."""
    solve, wrong = stored.solve, GAMES[1][1]

    def shifted(game):
        found = solve(game)
        middle = stored.value("full", game)
        return replace(found, value=middle + shift * (game == wrong))

    monkeypatch.setattr(stored, "solve", shifted)
    assert stored.main(["--large"]) == status
    assert stored.main([]) == 0, "nothing is solved"


def test_only_what_is_missing_is_written(tmp_path, monkeypatch, few):
    family = replace(FAMILIES["deterministic"], longest={2: 2}, levels=(("1", "0"), ("inf", "0")))
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    monkeypatch.setattr(stored, "FAMILIES", {"some": family})
    kept = stored.path("some", 2, 1)
    kept.write_bytes(b"kept")
    monkeypatch.setattr(stored, "games", lambda longest: iter(()))
    assert stored.main([]) == 0
    assert not stored.path("some", 2, 2).exists()
    assert stored.main(["--refresh"]) == 0
    assert kept.read_bytes() == b"kept"
    written = checker.read(stored.path("some", 2, 2))
    assert [held.game for held in written] == [family.game(2, 2, "1"), family.game(2, 2, "inf")]
    for held in written:
        assert 0 <= held.bounds[1] - held.bounds[0] < 1e-9


@pytest.mark.parametrize("longest", [0, 1, 3, 8])
def test_games_up_to_a_horizon(longest):
    found = list(stored.games(longest))
    assert len(found) == len(set(found))
    known = {
        (name, family.game(k, t, epsilon, delta))
        for name, family in FAMILIES.items() for k, t in family.sizes for epsilon, delta in family.levels
    }  # fmt: skip
    assert set(found) == {(name, game) for name, game in known if game.horizon <= longest}
