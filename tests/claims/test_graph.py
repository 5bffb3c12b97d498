"""The graph of proofs: no circle, no edge to nowhere, and what a failing lemma touches."""

from dataclasses import replace

import pytest

from replicate.claims import graph, markdown
from tests.claims.quick import ENTRIES
from tests.claims.test_registry import toy


def chain():
    """C rests on B, which rests on A; C stands by D."""
    a, b, d = toy(id="BA-A"), toy(id="BA-B", proof_uses=("BA-A",)), toy(id="BA-D")
    c = toy(id="BA-C", proof_uses=("BA-B", "BA-A"), stands_by=("BA-D",))
    return {claim.id: claim for claim in (c, b, a, d)}


def test_the_registers_proofs_have_an_order():
    assert len(graph.order(ENTRIES)) == sum(hasattr(entry, "proof_uses") for entry in ENTRIES.values())


def test_what_a_proof_uses_comes_first():
    order = graph.order(chain())
    assert order.index("BA-A") < order.index("BA-B") < order.index("BA-C")


def test_a_failing_lemma_touches_what_rests_on_it():
    found = {claim.id: (claim.stands_by, path) for claim, path in graph.touched(chain(), "BA-A")}
    assert set(found) == {"BA-B", "BA-C"}
    assert found["BA-C"] == (("BA-D",), ("BA-A", "BA-C"))
    assert list(graph.touched(chain(), "BA-D")) == []


def test_a_failing_lemma_touches_what_rests_on_it_only_through_others():
    entries = chain() | {"BA-A": toy(id="BA-A", verdict="fails as printed", remark="so")}
    entries["BA-C"] = replace(entries["BA-C"], proof_uses=("BA-B",))
    assert [record["over"] for record in graph.failures(entries)] == ["", "BA-B"]
    assert "| BA-B | reproduced | BA-D |" in graph.page(entries, link="{id}")


def test_a_failure_is_recorded_with_its_own_verdict():
    entries = chain() | {"BA-A": toy(id="BA-A", verdict="unproved as printed", remark="so")}
    found = {record["touches"]: (record["fails"], record["how"]) for record in graph.failures(entries)}
    assert found == dict.fromkeys(("BA-B", "BA-C"), ("BA-A", "unproved as printed"))


def test_circles_and_unknown_claims_are_refused():
    entries = chain()
    with pytest.raises(ValueError, match="in a circle"):
        graph.order(entries | {"BA-A": replace(entries["BA-A"], proof_uses=("BA-C",))})
    with pytest.raises(ValueError, match="edges of BA-A must lead to claims, got BA-X"):
        graph.order(entries | {"BA-A": replace(entries["BA-A"], stands_by=("BA-X",))})


def test_the_page_follows_each_failure():
    entries = chain() | {"BA-A": toy(id="BA-A", verdict="fails as printed", remark="so", proof_uses=("BA-L",))}
    entries["BA-L"] = toy(id="BA-L")
    lines = graph.page(entries, link="{report}.md#{id}").splitlines()
    assert f"## {markdown.titled('bandits')}" in lines
    (first,) = (line for line in lines if line.startswith("| BA-A, Theorem 1 | fails as printed | BA-B"))
    assert first.endswith("|  | reproduced |  |")
    (second,) = (line for line in lines if line.startswith("|  |  | BA-C"))
    assert second.endswith("| reproduced | BA-D |")
    alone = graph.page({"BA-A": entries["BA-A"], "BA-L": entries["BA-L"]}, link="{id}")
    assert "| BA-A, Theorem 1 | fails as printed | none |" in alone


def test_the_page_has_what_is_open():
    """A lemma that is neither proved nor refuted leaves what uses it without a ground, too."""
    entries = chain() | {"BA-A": toy(id="BA-A", verdict="not refuted, proof incomplete", remark="so")}
    assert "| BA-A, Theorem 1 | not refuted, proof incomplete | BA-B" in graph.page(entries, link="{id}")
    assert graph.page(chain(), link="{id}") == ""
