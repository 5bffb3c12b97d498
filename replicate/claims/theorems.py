"""A theorem of our own, with its proof: what the page of theorems prints, and what other pages quote."""

from __future__ import annotations

from dataclasses import dataclass, fields

from replicate import validation


@dataclass(frozen=True, kw_only=True)
class Theorem:
    """A theorem that the workbook proves; texts are Markdown with LaTeX.

    Attributes
    ----------
    key
        Stable name without a number: ``"noisy-leader"``. The page numbers the theorems in their order.
    title
        A few words.
    statement
        The theorem, with its constants.
    scope
        For which K, T, epsilon, gaps, losses and noises it is stated, quantifier by quantifier.
    proof
        The shortest complete proof that we have, at most 40 lines.
    known, new
        What was known before, with references, and what is new.
    checked_by
        How often it was derived, and which steps a machine certifies or computes.
    floor
        How far the constant could fall at most.
    claims
        Ids of the register whose checks and controls are its tests.
    """

    key: str
    title: str
    statement: str
    scope: str
    proof: str
    known: str
    new: str
    checked_by: str
    floor: str
    claims: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name != "claims"):
            if not validation.text(name, getattr(self, name)):
                raise ValueError(f"{name} of a theorem must not be empty")
        if (
            not isinstance(self.claims, tuple)
            or not self.claims
            or not all(isinstance(i, str) for i in self.claims)
        ):
            raise ValueError(f"claims must be a tuple of ids, and not empty, got {self.claims!r:.200}")
