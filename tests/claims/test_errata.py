"""What is wrong in print: every route establishes its slip, and finds nothing in the corrected version."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from replicate import claims, contents
from replicate.claims import Evidence, errata
from replicate.claims.errata import Route, Slip

ROOT = Path(__file__).parent.parent
SLIPS = errata.register()
ROUTES = {
    f"{slip.id} {i} {route.kind}": route for slip in SLIPS.values() for i, route in enumerate(slip.routes, 1)
}
SEED = 2026


@pytest.mark.parametrize("name", ROUTES)
def test_a_route_finds_the_slip_and_not_in_the_corrected_version(name):
    route = ROUTES[name]
    found, control = route.check("quick", SEED), route.control("quick", SEED)
    assert found.holds, found
    assert not control.holds, control


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS.keys())
def test_the_example_holds(slip):
    assert errata.try_example(slip)


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS.keys())
def test_entries_are_complete(slip):
    texts = [slip.where, slip.printed, slip.true, slip.consequence, slip.correction, slip.cost, slip.reading]
    assert all(texts)
    assert all("\n" not in text and text.count("$") % 2 == 0 for text in texts)
    assert re.fullmatch(r"[A-Z]+-SLIP-\d+", slip.id)
    assert all(claims.register()[claim].paper == slip.paper for claim in slip.claims)
    assert len({route.how for route in slip.routes}) == len(slip.routes)
    assert all(route.check is not route.control for route in slip.routes)


def test_what_is_corrected_or_fails_belongs_to_a_slip():
    verdicts = ("reproduced with correction", "fails as printed")
    explained = {claim for slip in SLIPS.values() for claim in slip.claims}
    assert [c.id for c in claims.register().values() if c.verdict in verdicts and c.id not in explained] == []


def test_every_slip_has_its_place_in_its_notebook():
    for paper, name in contents.PAPERS.items():
        book = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
        ours = {slip.id for slip in SLIPS.values() if slip.paper == paper}
        code = "".join(c.source for c in book.cells if c.cell_type == "code" and "ledger.adjudicate" in c.source)
        text = "".join(c.source for c in book.cells if c.cell_type == "markdown")
        assert set(re.findall(r'"([A-Z]+-SLIP-\d+)"', code)) == ours
        assert ours <= set(re.findall(r'<a id="([\w.-]+)">', text))


def toy(check=2.0, control=0.5, example="1 + 1 == 2"):
    """Build a slip whose two routes measure `check` on the printed and `control` on the corrected version."""

    def against(measured):
        return lambda profile, seed: Evidence(measured=measured, limit=1, relation=">=")

    routes = [Route(kind="exact", how=how, check=against(check), control=against(control)) for how in ("a", "b")]
    names = ["where", "printed", "true", "consequence", "correction", "cost", "reading"]
    words = dict.fromkeys(names, "words")
    effect, paper = "harmless", "prefix_softmax"
    return Slip(id="PS-SLIP-1", paper=paper, effect=effect, example=example, routes=tuple(routes), **words)


def test_an_adjudication_needs_every_route_and_the_example():
    def stands(slip):
        return errata.adjudicate(slip, profile="quick", seed=SEED).stands

    assert stands(toy())
    assert not stands(toy(check=0.5))
    assert not stands(toy(control=2.0))
    assert not stands(toy(example="x = 1\nx == 2"))


def test_one_route_is_not_enough():
    with pytest.raises(ValueError, match="routes"):
        Slip(**{**vars(toy()), "routes": toy().routes[:1]})


def test_an_example_ends_in_an_expression():
    with pytest.raises(ValueError, match="expression"):
        errata.try_example(toy(example="x = 1"))


def test_records_are_plain_data_and_make_a_table():
    record = errata.adjudicate(toy(), profile="quick", seed=SEED).record()
    assert json.loads(json.dumps(record)) == record
    row = errata.table([record]).splitlines()[-1]
    assert row.count(" | ") == errata.table([record]).splitlines()[0].count(" | ")
    assert "[PS-SLIP-1](notebooks/01_prefix_softmax.ipynb#PS-SLIP-1)" in row
