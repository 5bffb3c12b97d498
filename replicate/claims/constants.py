"""Every constant of a theorem in one line: what is stated, what the data refute, what is proved and by whom.

Reads records of claims, `Result.record`. A constant is the number that a claim's bound is proportional to; where
it is 1, that is a factor on the whole bound as it is stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Better:
    """A constant that is proved in the place of a stated one: the constant in words, by which claim, by whom."""

    constant: str
    claim: str
    proof: str


@dataclass(frozen=True)
class Constant:
    """The constant of a theorem.

    Attributes
    ----------
    claim, source
        Id of the claim on it, and where the paper states it.
    upper
        Whether the bound is an upper one: smaller constants are better, and those below `refuted` are refuted.
    stated
        Its value; 1 where the whole bound counts.
    proof
        Who proves the stated one: ``"none"`` if nobody here does.
    refuted, refuted_by
        The constant below which the data refute an upper bound, or above which a lower one, and the id of the
        claim whose data these are; None and nothing where they refute none.
    where
        At which setting these data are nearest to the bound.
    better
        What is proved in its place.
    """

    claim: str
    source: str
    upper: bool
    stated: float
    proof: str
    refuted: float | None
    refuted_by: str
    where: str
    better: tuple[Better, ...]

    @property
    def share(self) -> float | None:
        """The refuted constant over the stated one, None where none is refuted."""
        return None if self.refuted is None else self.refuted / self.stated


def constant_of(record: Record, records: Iterable[Record]) -> Constant:
    """Return the constant of a claim that has one, with what claims among `records` prove in its place."""
    sharper = [
        (other, part) for other in records for part in other.get("sharpens", ()) if part["claim"] == record["id"]
    ]
    upper = record["relation"] == "<="
    alike = [record, *(other for other, part in sharper if part["alike"])]
    refuted = [
        (float(other["refuted"]), other["id"], other.get("detail", ""))
        for other in alike
        if other["refuted"] is not None
    ]
    value, by, where = (max if upper else min)(refuted, default=(None, "", ""))
    return Constant(
        claim=record["id"],
        source=record["source"],
        upper=upper,
        stated=float(record["stated"]),
        proof=record["proof"],
        refuted=value,
        refuted_by=by,
        where=where,
        better=tuple(Better(part["constant"], other["id"], other["proof"]) for other, part in sharper),
    )
