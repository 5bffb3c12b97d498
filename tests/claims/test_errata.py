"""Errata: two routes at least, an example that ends in an expression, and all of them must find it."""

import json

import pytest

from replicate import claims
from replicate.claims import Erratum, Evidence, Route, markdown
from replicate.claims.errata import example_holds


def measure(profile, seed, *, version):
    return Evidence(measured={"printed": 2.0, "corrected": 0.5, "half": 0.6}[version], limit=1, relation=">=")


def toy(stated="printed", control="corrected", example="1 + 1 == 2"):
    """Build an erratum whose two routes compare two versions."""
    routes = [
        Route(kind="exact", how=how, check=measure, stated={"version": stated}, control={"version": control})
        for how in ("a", "b")
    ]
    words = dict.fromkeys(["source", "printed", "true", "consequence", "correction", "cost", "reading"], "words")
    return Erratum(id="PS-SLIP-1", effect="harmless", example=example, routes=tuple(routes), **words)


def test_an_erratum_needs_every_route_and_the_example():
    def stands(erratum):
        return claims.verify(erratum, profile="quick", seed=2026).stands

    assert stands(toy())
    assert not stands(toy(stated="half"))
    assert not stands(toy(stated="corrected", control="printed"))
    assert not stands(toy(example="x = 1\nx == 2"))


def test_one_route_is_not_enough():
    with pytest.raises(ValueError, match="routes"):
        Erratum(**{**vars(toy()), "routes": toy().routes[:1]})


def test_an_example_ends_in_an_expression():
    with pytest.raises(ValueError, match="expression"):
        example_holds(toy(example="x = 1"))


def test_records_are_plain_data_and_make_a_list():
    record = claims.verify(toy(), profile="quick", seed=2026).record()
    assert json.loads(json.dumps(record)) == record
    assert record["verdict"] == "harmless"
    entry = markdown.listed([record])
    assert "[PS-SLIP-1](notebooks/01_prefix_softmax.ipynb)" in entry
    assert "Printed: words" in entry
