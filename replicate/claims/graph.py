"""The graph of the register: what a claim's proof uses, what fails, what that touches, and what still stands.

Two kinds of edges start at a claim: `Claim.proof_uses` leads to what its printed proof rests on, and
`Claim.stands_by` to other claims that establish it, or its corrected form, another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from replicate.claims.errata import Erratum
from replicate.claims.markdown import linked, rows
from replicate.claims.registry import Claim, Verdict
from replicate.contents import PAPERS

FAILING: tuple[Verdict, ...] = ("fails as printed", "unproved as printed")
"""Verdicts that break a printed proof which uses the claim."""


class Touched(NamedTuple):
    """A claim whose printed proof rests, over `path`, on a claim that fails."""

    claim: Claim
    path: tuple[str, ...]


def order(entries: Mapping[str, Claim | Erratum]) -> list[str]:
    """Return the claims' ids in an order in which what a proof uses comes first.

    Raises
    ------
    ValueError
        If an edge leads to no claim, or proofs use each other in a circle.
    """
    claims = {claim.id: claim for claim in _claims(entries)}
    for claim in claims.values():
        if unknown := {*claim.proof_uses, *claim.stands_by} - {*claims}:
            raise ValueError(f"edges of {claim.id} must lead to claims, got {', '.join(sorted(unknown))}")
    try:
        return list(TopologicalSorter({name: claim.proof_uses for name, claim in claims.items()}).static_order())
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise ValueError(f"proofs must not use each other in a circle, got {circle}") from error


def touched(entries: Mapping[str, Claim | Erratum], name: str) -> Iterator[Touched]:
    """Yield every claim whose printed proof rests on the claim `name`, nearest first, each by a shortest path."""
    claims = {claim.id: claim for claim in _claims(entries)}
    ordered = [claims[other] for other in order(entries)]
    paths: list[tuple[str, ...]] = [(name,)]
    for path in paths:  # which grow on the way
        for claim in ordered:
            if path[-1] in claim.proof_uses and claim.id not in {known[-1] for known in paths}:
                paths.append((*path, claim.id))
                yield Touched(claim, paths[-1])


def failures(entries: Mapping[str, Claim | Erratum]) -> list[dict[str, Any]]:
    """Return one record for each failing claim and each claim that it touches: ids, verdicts, path, what stands.

    A failing claim that touches none is left out.
    """
    return [
        {
            "paper": claim.paper,
            "fails": claim.id,
            "how": claim.verdict,
            "touches": reached.claim.id,
            "verdict": reached.claim.verdict,
            "over": " ".join(reached.path[1:-1]),
            "stands_by": " ".join(reached.claim.stands_by),
        }
        for claim in _claims(entries)
        if claim.verdict in FAILING
        for reached in touched(entries, claim.id)
    ]


def page(entries: Mapping[str, Claim | Erratum], *, link: str) -> str:
    """Return tables of failing claims as Markdown: what each of them touches, on which path, and what stands.

    Parameters
    ----------
    entries
        The register, or a part that contains all that it refers to.
    link
        Where an id leads to, see `replicate.claims.markdown.listed`.
    """
    parts = []
    for paper in PAPERS:
        failing = [claim for claim in _claims(entries) if claim.paper == paper and claim.verdict in FAILING]
        head = ("what fails", "verdict", "it touches", "over", "whose verdict is", "and which stands by")
        if lines := [line for claim in failing for line in _lines(entries, claim)]:
            parts.append(f"\n## {paper}\n\n{linked(rows(head, lines), link=link)}\n")
    return "".join(parts)


def _lines(entries: Mapping[str, Claim | Erratum], claim: Claim) -> Iterator[tuple[str, ...]]:
    """Rows of the page about one failing claim; one row says so when no registered proof uses it."""
    fault = (f"{claim.id}, {claim.source}", claim.verdict)
    claims = list(touched(entries, claim.id))
    if not claims:
        yield (*fault, "no other claim's proof", "", "", ", ".join(claim.stands_by))
    for i, reached in enumerate(claims):
        over = " → ".join(reached.path[1:-1])
        what = f"{reached.claim.id}, {reached.claim.source}"
        yield (
            *(fault if i == 0 else ("", "")),
            what,
            over,
            reached.claim.verdict,
            ", ".join(reached.claim.stands_by),
        )


def _claims(entries: Mapping[str, Claim | Erratum]) -> Iterator[Claim]:
    return (entry for entry in entries.values() if isinstance(entry, Claim))
