"""The registry: every claim of the papers and every erratum, how each is checked, and what would refute it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from replicate import registered, validation
from replicate.claims import scope as ranges
from replicate.claims.errata import Erratum, example_holds
from replicate.claims.evidence import Comparison, Evidence, Outcome, compare, significant
from replicate.claims.words import compared, plain, shown
from replicate.contents import PAPERS, TEXTS, paper_of

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


_READ = {
    "cesari2026": "prefix_softmax", "wu2025": "noisy_leader", "asi2025": "tracking", "talwar2025": "bandits",
    "sima2024": "distribution_learning",
}  # fmt: skip
REFERENCES = {
    **{
        key: f"{TEXTS[paper].short.replace('&', 'and')}: {TEXTS[paper].title}. {TEXTS[paper].version}"
        for key, paper in _READ.items()
    },
    "hu2021v1": "Hu et al. 2021, version 1: Optimal Algorithms for Private Online Learning in a Stochastic "
    "Environment. arXiv 2102.07929, version 1",
    "hu2021": "Hu et al. 2021: Near-Optimal Algorithms for Differentially Private Online Learning in a "
    "Stochastic Environment. arXiv 2102.07929, the latest version; paper 2 cites an earlier title",
    "kiefer1960": "Kiefer and Wolfowitz 1960: The Equivalence of Two Extremum Problems. Canadian Journal of "
    "Mathematics 12",
    "lewis1978": "Lewis 1978: Finite Dimensional Subspaces of L_p. Studia Mathematica 63",
    "zaks2000": "Zaks 2000: Duality in ATM Layout Problems. LNCS 1767; its abstract was read, and those of works "
    "it names",
    "gopi2020": "Gopi et al. 2020: Locally Private Hypothesis Selection. COLT 2020, arXiv 2002.09465",
    "pour2024": "Pour, Ashtiani and Asoodeh 2024: Sample-Optimal Locally Private Hypothesis Selection and the "
    "Provable Benefits of Interactivity. COLT 2024, PMLR 247:4240-4275, arXiv 2312.05645",
    "edmonds2020": "Edmonds, Nikolov and Ullman 2020: The Power of Factorization Mechanisms in Local and Central "
    "Differential Privacy. STOC 2020",
    "duchi2013": "Duchi, Jordan and Wainwright 2013: Local Privacy and Statistical Minimax Rates. FOCS 2013",
    "ullman2018": "Ullman 2018: Tight Lower Bounds for Locally Differentially Private Selection. arXiv 1802.02638",
    "asoodeh2022": "Asoodeh and Zhang 2022: Contraction of Locally Differentially Private Mechanisms. arXiv "
    "2210.13386",
    "chrobak2006": "Chrobak, Kenyon, Noga and Young 2006: Oblivious Medians via Online Bidding. LATIN 2006, LNCS "
    "3887",
    "herbster1998": "Herbster and Warmuth 1998: Tracking the Best Expert. Machine Learning 32",
    "koolen2008": "Koolen and de Rooij 2008: Combining Expert Advice Efficiently. COLT 2008",
    "gyorgy2012": "György, Linder and Lugosi 2012: Efficient Tracking of Large Classes of Experts. IEEE "
    "Transactions on Information Theory 58",
    "hazan2009": "Hazan and Seshadhri 2009: Efficient Learning Algorithms for Changing Environments. ICML 2009",
    "dwork2014": "Dwork and Roth 2014: The Algorithmic Foundations of Differential Privacy. Foundations and "
    "Trends in Theoretical Computer Science 9",
    "balle2018": "Balle and Wang 2018: Improving the Gaussian Mechanism for Differential Privacy. ICML 2018",
    "andersson2023": "Andersson and Pagh 2023: A Smooth Binary Mechanism for Efficient Private Continual "
    "Observation. NeurIPS 2023",
    "andersson2025": "Andersson, Pagh, Steiner and Torkamani 2025: Count on Your Elders: Laplace vs Gaussian "
    "Noise. FORC 2025",
    "warner1965": "Warner 1965: Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias. "
    "Journal of the American Statistical Association 60",
    "azize2022": "Azize and Basu 2022: When Privacy Meets Partial Information: A Refined Analysis of "
    "Differentially Private Bandits. NeurIPS 2022",
    "derooij2014": "de Rooij, van Erven, Grünwald and Koolen 2014: Follow the Leader If You Can, Hedge If You "
    "Must. Journal of Machine Learning Research 15",
    "zimmert2021": "Zimmert and Seldin 2021: Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial "
    "Bandits. Journal of Machine Learning Research 22",
}  # fmt: skip
"""Works that claims of our own are compared with, by key: citation, title, and place of publication."""


def reference(entry: str) -> str:
    """Return the key of an entry of `known`.

    Raises
    ------
    ValueError
        If it is none of the bibliography's, or says nothing.
    """
    name, _, what = entry.partition(": ")
    if name not in REFERENCES or not what:
        raise ValueError(f"known must hold texts like 'pour2024: what it has', got {entry!r:.200}")
    return name


def before(known: Sequence[str], new: str) -> str:
    """Return what was known and what is new in two sentences; nothing where neither is said.

    Examples
    --------
    >>> before(("ullman2018: a bound for selection",), "one for classes")
    'Known before: a bound for selection (Ullman 2018). New: one for classes.'
    """
    if not (known or new):
        return ""
    works = [(entry.partition(": ")[2], REFERENCES[reference(entry)].partition(": ")[0]) for entry in known]
    before = "; ".join(f"{what} ({work})" for what, work in works)
    return f"Known before: {before or 'nothing found'}. New: {new}."


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
        all learners, seen on some), weak (a learner that plays uniformly in 30% of its rounds would pass, and so
        would every number that is wrong by 30%: reports/power.md). None while it is not graded. It says nothing
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
        For a finding of ours: what was known before, each a key of `REFERENCES` and what that work has, and
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
        if not isinstance(self.known, tuple) or not all(map(reference, self.known)):
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
        outcome, evidence, control = outcomes[0], outcomes[0].evidence, outcomes[0].control.record()
        link = f"notebooks/{PAPERS[self.paper]}.ipynb#{self.id}" if self.paper in PAPERS else ""
        return {
            **{name: getattr(self, name) for name in ("id", "paper", "source", "section", "error")},
            "link": link,
            "statement": self.statement,
            **ranges.record(self.scope),
            "known": before(self.known, self.new),
            "kind": self.kind,
            "constants": self.constants,
            "grade": self.grade if outcome.profile != "quick" else None,
            "proof": self.proved,
            "sharpens": [vars(part) for part in self.sharpens],
            "proof_uses": list(self.proof_uses),
            "stands_by": list(self.stands_by),
            **evidence.record(),
            "uniform": significant(evidence.uniform),
            "detail": evidence.detail,
            "control": self.control_name,
            "control_measured": control["measured"],
            "control_limit": control["limit"],
            "control_caught": not outcome.control.holds,
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
            run = f"{outcome.profile} sizes, {outcome.seconds:.1f} s; {self.verdict} ({self.entry.source})"
            lines.append(f"{self.entry.id:11} {compared(outcome.evidence.record())}; {control}; {run}")
        return "\n".join(lines)

    def record(self) -> dict[str, Any]:
        """Return the result as plain data, numbers to four digits, without times."""
        record = self.entry.record(self.outcomes) | {"verdict": self.verdict, "stands": self.stands}
        texts = {name: text for name, text in record.items() if isinstance(text, str)}
        return record | {name: plain(text) for name, text in texts.items() if name not in ("example", "link")}


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
        From the registry, or of one's own.
    profile
        ``"quick"``, ``"full"`` or ``"huge"``.
    seed
        Root seed, a non-negative integer.
    """
    validation.instance("entry", entry, Claim | Erratum, "a Claim or an Erratum")
    outcomes = tuple(compare(comparison, profile=profile, seed=seed) for comparison in entry.comparisons)
    return Result(entry=entry, outcomes=outcomes, example_holds=isinstance(entry, Claim) or example_holds(entry))
