"""The register: every claim of the papers and every erratum, how each is checked, and what would refute it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from replicate import registered, validation
from replicate.claims import references
from replicate.claims import scope as ranges
from replicate.claims.errata import Erratum, example_holds
from replicate.claims.evidence import Comparison, Evidence, Outcome, compare, significant
from replicate.claims.words import compared, plain, shown
from replicate.contents import PAPERS, paper_of

Kind = Literal["regret upper", "regret lower", "privacy", "lemma", "figure", "table"]
Constants = Literal["stated", "derived", "corrected"]
Verdict = Literal[
    "reproduced",
    "true, proved here",
    "not refuted, proof incomplete",
    "unproved as printed",
    "reproduced with correction",
    "fails as printed",
    "vacuous at feasible size",
    "our finding",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
WITH_REASON: tuple[Verdict, ...] = VERDICTS[1:6]
"""Verdicts that blame the printed text: such a claim's remark says why."""

_UNPROVED: tuple[Verdict, ...] = ("not refuted, proof incomplete", "unproved as printed", "fails as printed")
_OURS: tuple[Verdict, ...] = ("our finding", "true, proved here", "reproduced with correction")

Grade = Literal["proved", "exact", "certified", "nominal", "grid", "illustrated", "weak"]
GRADES: tuple[Grade, ...] = get_args(Grade)
Proof = Literal["by machine", "by hand, ours", "the paper's", "none"]
PROOFS: tuple[Proof, ...] = get_args(Proof)


@dataclass(frozen=True, kw_only=True)
class Sharper:
    """A better constant for another claim, and who proves it.

    Attributes
    ----------
    claim
        Id of the claim whose constant it replaces.
    constant
        What is proved in its place, in words.
    alike
        Whether this claim's knob counts in the other one's unit: then data that refute this one's constant refute
        that one's.
    """

    claim: str
    constant: str
    alike: bool = False

    def __post_init__(self) -> None:
        for name in ("claim", "constant"):
            validation.text(name, getattr(self, name))
        validation.flag("alike", self.alike)


@dataclass(frozen=True, kw_only=True)
class Claim(Comparison):
    """One claim of a paper, or of a reader.

    Attributes
    ----------
    id
        Stable name, ``"PS-T1"``: its prefix is the paper's (`contents.PREFIXES`), any other one the reader's own.
    source
        Where the paper states it: ``"Theorem 1, (1)"``.
    statement
        The claim in our words, Markdown with LaTeX.
    kind, constants
        What sort of claim, and whose constants are tested: the paper's, or ours.
    verdict
        What stands once the check holds.
    remark
        The reason for a correction, the counterexample, the size from which on the claim is informative.
    section
        Number of the paper's section or appendix that states it, ``"4.1"`` or ``"C"``.
    error
        Id of the erratum that this claim shows: one error may fail several claims, and is counted once.
    grade
        How strong the measured number is at full sizes: proved (rational or interval arithmetic, or an identity),
        exact (closed form or enumeration in floating point), certified (a limit that needs no normality), nominal
        (Student's limit or an asymptotic one), grid (an inequality tried at points), illustrated (a statement on
        all learners, seen on some), weak (a learner that plays uniformly in 30 % of its rounds would pass, and so
        would every number that is wrong by 30 %: reports/power.md). None while it is not graded. It says nothing
        of the statement's proof.
    proof
        Who proves the statement: a certificate that is run with the check, this workbook's text, the paper's, or
        nobody here. When None, it is derived, see `proved`.
    sharpens
        The constants of other claims for which this one proves a better one.
    proof_uses
        Ids of the claims that the paper's proof of this one rests on.
    stands_by
        Ids of the claims by which this one stands when something in its printed proof fails.
    scope
        The range of the statement: each free quantity, and the set it is claimed for (`claims.scope`).
    at
        The statement at one point of the range, small and fast: takes the quantities by name. None where the range
        is only measured. If it takes the argument that `control` changes, the control must fail at a corner.
    known, new
        For a finding of ours: what was known before, each a key of `claims.references` and what that work has, and
        what is new.
    """

    id: str
    source: str
    statement: str
    kind: Kind
    constants: Constants = "stated"
    verdict: Verdict = "reproduced"
    remark: str = ""
    section: str = ""
    error: str = ""
    grade: Grade | None = None
    proof: Proof | None = None
    sharpens: tuple[Sharper, ...] = ()
    proof_uses: tuple[str, ...] = ()
    stands_by: tuple[str, ...] = ()
    scope: tuple[ranges.Quantity, ...] = ()
    at: Callable[..., Evidence] | None = field(default=None, repr=False)
    known: tuple[str, ...] = ()
    new: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        ranges.validate(self.id, self.scope, self.at)
        if not isinstance(self.known, tuple) or not all(map(references.key, self.known)):
            raise ValueError(f"known must be a tuple of texts, got {self.known!r:.200}")
        validation.text("new", self.new)
        for name in ("id", "source", "statement", "remark", "section", "error"):
            validation.text(name, getattr(self, name))
        for name, allowed in (("kind", Kind), ("constants", Constants), ("verdict", Verdict)):
            validation.choice(name, getattr(self, name), get_args(allowed))
        if self.grade is not None:
            validation.choice("grade", self.grade, GRADES)
        if self.proof is not None:
            validation.choice("proof", self.proof, PROOFS)
        validation.tuple_of("sharpens", self.sharpens, Sharper, "Sharper")
        for name in ("proof_uses", "stands_by"):
            validation.tuple_of(name, getattr(self, name), str, "ids")
        if self.verdict in WITH_REASON and not self.remark:
            raise ValueError(f"remark must say why {self.id} is {self.verdict!r}, got an empty one")

    @property
    def paper(self) -> str:
        """Key of `contents.PAPERS`, or `contents.OWN`."""
        return paper_of(self.id)

    @property
    def proved(self) -> Proof:
        """Origin of the proof: `proof`, or what the verdict says of it.

        Nobody where the printed proof fails or is incomplete, and for what is only seen, in a figure or an audit.
        """
        if self.proof is not None:
            return self.proof
        if self.grade == "proved":
            return "by machine"
        seen = self.kind in ("figure", "privacy") or self.grade == "nominal"
        if self.verdict in _UNPROVED or (seen and self.verdict == "our finding"):
            return "none"
        ours = self.constants != "stated" or self.verdict in _OURS
        return "by hand, ours" if ours else "the paper's"

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons that are run: the claim itself."""
        return (self,)

    def record(self, outcomes: Sequence[Outcome]) -> dict[str, Any]:
        """Return the claim and its evidence as plain data, numbers to four digits, without times."""
        outcome, evidence, control = outcomes[0], outcomes[0].evidence, outcomes[0].control
        link = f"notebooks/{PAPERS[self.paper]}.ipynb#{self.id}" if self.paper in PAPERS else ""
        return {
            **{name: getattr(self, name) for name in ("id", "paper", "source", "section", "error")},
            "link": link,
            "statement": self.statement,
            **ranges.record(self.scope),
            "known": references.in_words(self.known, self.new),
            "kind": self.kind,
            "constants": self.constants,
            "grade": self.grade if outcome.profile != "quick" else None,
            "proof": self.proved,
            "sharpens": [vars(part) for part in self.sharpens],
            "proof_uses": list(self.proof_uses),
            "stands_by": list(self.stands_by),
            **evidence.record(),
            "ratio": evidence.recorded[1],
            "uniform": significant(evidence.uniform),
            "detail": evidence.detail,
            "control": self.control_name,
            "control_measured": control.recorded[0],
            "control_limit": significant(control.limit),
            "control_caught": not control.holds,
            "knob": self.knob,
            "stated": significant(self.stated[self.knob]) if self.knob else None,
            "false_alarm": significant(outcome.false_alarm),
            "refuted": significant(outcome.refuted),
            "remark": self.remark,
        }


@dataclass(frozen=True, kw_only=True)
class Result:
    """A claim or an erratum with the outcome of each of its comparisons.

    Attributes
    ----------
    entry
        The claim or erratum.
    outcomes
        In the order of its `comparisons`.
    example_holds
        Whether an erratum's example holds; a claim has none.
    """

    entry: Claim | Erratum
    outcomes: tuple[Outcome, ...]
    example_holds: bool = True

    @property
    def stands(self) -> bool:
        """True if every check holds, no control does, and the example holds."""
        return self.example_holds and all(outcome.stands for outcome in self.outcomes)

    @property
    def missing(self) -> str:
        """The package without which a proof is not repeated and nothing else decides; empty otherwise."""
        named = [outcome.missing for outcome in self.outcomes if not outcome.stands]
        return named[0] if self.example_holds and named and all(named) else ""

    @property
    def seconds(self) -> float:
        """Time of all checks and controls."""
        return sum(outcome.seconds for outcome in self.outcomes)

    @property
    def spent(self) -> dict[int, float]:
        """The confidence limits of all checks, each with its probability of being wrong."""
        return {number: rate for outcome in self.outcomes for number, rate in outcome.spent.items()}

    @property
    def verdict(self) -> str:
        """The entry's verdict, or what went wrong with a check."""
        if not self.example_holds:
            return "EXAMPLE DOES NOT HOLD"
        if self.missing:
            return f"NOT REPEATED: {self.missing} is missing"
        if not all(outcome.evidence.holds for outcome in self.outcomes):
            return "NOT CONFIRMED"
        return "CONTROL NOT CAUGHT" if not self.stands else self.entry.verdict

    def __str__(self) -> str:
        lines = []
        for outcome in self.outcomes:
            control = f"control {shown(outcome.control.measured)} against {shown(outcome.control.limit)}"
            lines.append(
                f"{self.entry.id:11} {compared(outcome.evidence.record())}; {control}; {outcome.profile} sizes, "
                f"{outcome.seconds:.1f} s; {self.verdict} ({self.entry.source})"
            )
        return "\n".join(lines)

    def record(self) -> dict[str, Any]:
        """Return the result as plain data, numbers to four digits, without times."""
        record = self.entry.record(self.outcomes) | {"verdict": self.verdict, "stands": self.stands}
        code = ("example", "link")
        return {
            name: plain(part) if isinstance(part, str) and name not in code else part
            for name, part in record.items()
        }


def register(paper: str | None = None) -> dict[str, Claim | Erratum]:
    """Return every claim and every erratum by id, in the papers' order, claims first.

    Parameters
    ----------
    paper
        Key of `contents.PAPERS`: only the entries of this one, and no other one is loaded. None for all.

    Raises
    ------
    ValueError
        If an id stands twice, or there is no such paper.
    """
    if paper is not None:
        validation.choice("paper", paper, tuple(PAPERS))
    entries: dict[str, Claim | Erratum] = {}
    for entry in registered("claims", "errata", paper=paper):
        if entry.id in entries:
            raise ValueError(f"ids must be unique, got {entry.id} twice")
        entries[entry.id] = entry
    return entries


def verify(entry: Claim | Erratum, *, profile: str, seed: int) -> Result:
    """Run every comparison of a claim or an erratum, and an erratum's example.

    Parameters
    ----------
    entry
        From the register, or of one's own.
    profile
        ``"quick"``, ``"full"`` or ``"huge"``.
    seed
        Root seed, a non-negative integer.
    """
    if not isinstance(entry, Claim | Erratum):
        raise ValueError(f"entry must be a Claim or an Erratum, got {entry!r:.200}")
    outcomes = tuple(compare(comparison, profile=profile, seed=seed) for comparison in entry.comparisons)
    return Result(entry=entry, outcomes=outcomes, example_holds=isinstance(entry, Claim) or example_holds(entry))
