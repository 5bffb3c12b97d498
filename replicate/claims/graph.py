"""The graph of the registry: what a claim's proof uses, what fails, what that touches, and what still stands.

Two kinds of edges start at a claim: `Claim.proof_uses` leads to what its printed proof rests on, and
`Claim.stands_by` to other claims that establish it, or its corrected form, another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from replicate.claims.errata import Erratum
from replicate.claims.markdown import linked, rows, titled
from replicate.claims.registry import Claim, Verdict
from replicate.contents import PAPERS

FAILING: tuple[Verdict, ...] = ("fails as printed", "unproved as printed")
"""Verdicts that break a printed proof which uses the claim."""
OPEN: Verdict = "not refuted, proof incomplete"
"""The verdict that leaves a printed proof which uses the claim without its ground."""


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


def touched(entries: Mapping[str, Claim | Erratum], name: str) -> Iterator[tuple[Claim, tuple[str, ...]]]:
    """Yield every claim whose printed proof rests on the claim `name`, and a shortest path, nearest first."""
    claims = {claim.id: claim for claim in _claims(entries)}
    ordered = [claims[other] for other in order(entries)]
    paths: list[tuple[str, ...]] = [(name,)]
    for path in paths:  # which grow on the way
        for claim in ordered:
            if path[-1] in claim.proof_uses and claim.id not in {known[-1] for known in paths}:
                paths.append((*path, claim.id))
                yield claim, paths[-1]


def failures(entries: Mapping[str, Claim | Erratum]) -> list[dict[str, Any]]:
    """Return one record for each failing claim and each claim that it touches: ids, verdicts, path, what stands.

    A failing claim that touches none is left out.
    """
    return [
        {
            "paper": claim.paper,
            "fails": claim.id,
            "how": claim.verdict,
            "touches": other.id,
            "verdict": other.verdict,
            "over": " ".join(path[1:-1]),
            "stands_by": " ".join(other.stands_by),
        }
        for claim in _claims(entries)
        if claim.verdict in FAILING
        for other, path in touched(entries, claim.id)
    ]


def page(entries: Mapping[str, Claim | Erratum], *, link: str) -> str:
    """Return tables of failing and of open claims as Markdown: what each touches, on which path, and what stands.

    Parameters
    ----------
    entries
        The registry, or a part that contains all that it refers to.
    link
        Where an id leads to, see `replicate.claims.markdown.linked`.
    """
    failing, using = ("what fails or is open", "its verdict"), ("claim whose printed proof uses it", "through")
    head = (*failing, *using, "that claim's verdict", "what proves that claim another way")
    parts = []
    for paper in PAPERS:
        lines: list[tuple[str, ...]] = []
        for claim in (c for c in _claims(entries) if c.paper == paper and c.verdict in (*FAILING, OPEN)):
            fault = (f"{claim.id}, {claim.source}", claim.verdict)
            users: list[tuple[str, ...]] = [
                (f"{c.id}, {c.source}", " → ".join(path[1:-1]), c.verdict, ", ".join(c.stands_by))
                for c, path in touched(entries, claim.id)
            ] or [("none", "", "", ", ".join(claim.stands_by))]
            lines += [(*(("", "") if i else fault), *user) for i, user in enumerate(users)]
        if lines:
            parts.append(f"\n## {titled(paper)}\n\n{linked(rows(head, lines), link=link)}\n")
    return "".join(parts)


def _claims(entries: Mapping[str, Claim | Erratum]) -> Iterator[Claim]:
    return (entry for entry in entries.values() if isinstance(entry, Claim))
