"""The claims about audits: what they refute, what they must not, and how much they can say."""

from __future__ import annotations

from typing import Any

from replicate.claims import Claim
from replicate.claims.scope import for_all, measured, named
from replicate.studies.audit_bench import checks


def _found(name: str, statement: str, **rest: Any) -> Claim:
    """Return a claim of ours."""
    about: dict[str, Any] = {"source": "this workbook", "constants": "derived", "verdict": "our finding", "kind": "privacy"}
    return Claim(id=f"AU-{name}", statement=statement, **(about | rest))


CLAIMS: tuple[Claim, ...] = (
    _found(
        "ZOO",
        r"In the run recorded here each of eleven real errors is rejected from samples: the certified ε exceeds the declared one, with a total error probability of $10^{-9}$. Over other seeds ten of them are rejected at each of six seeds, and mirror descent at 17 of 20.",
        grade="certified", check=checks.rejected, stated={"version": "wrong"}, control={"version": "corrected"},
        control_name="the corrected versions",
        remark=r"Ten declare $\varepsilon=1$ and one $\varepsilon^2/8$-zCDP. The quick profile shows ten: it leaves out mirror descent, whose runs take longest. The 14,000 runs that mirror descent with 200 experts has in the full one certify more than 1 at 17 of 20 seeds (0.898 at one), and 28,000 at each of ten.",
        scope=(named("errors", "the zoo's eleven; ten in the quick profile"), measured("runs", "those of the profile, at its seed"),),
    ),
    _found(
        "TWIN",
        r"In the same run none of their corrected versions is rejected.",
        grade="certified", check=checks.acquitted, stated={"version": "corrected"}, control={"version": "wrong"},
        control_name="the mechanisms as found",
        remark="A corrected version that is not rejected is not thereby proved private; each one is proved private by its exact loss, or by its paper's theorem.",
        scope=(named("versions", "the zoo's eleven; ten in the quick profile"), measured("runs", "those of the profile, at its seed"),),
    ),
    _found(
        "EX",
        r"For DP-Sniper's twenty mechanisms, in one run, no certified limit exceeds the exact privacy loss, which we compute for all of them.",
        source="Bichsel et al. 2021", grade="certified",
        check=checks.never_above, stated={"level": "certified"}, control={"level": "even odds"},
        control_name="limits that are wrong half of the time",
        remark=r"The exact losses come from closed forms and quadrature; those of RNM4 and SVT5 are infinite. Those of SVT3 (0.3), NumericalSVT (0.0588) and SVT34Parallel (0.487) are new.",
        scope=(named("mechanisms", "the benchmark's twenty"), measured("runs", "50,000 samples of each input, at the profile's seed"),),
    ),
    _found(
        "LV",
        r"At the boundary of a true claim the wealth of a bet reaches $1/\alpha$ at some time with probability at most $\alpha$, for $\alpha=0.05$, $0.01$, $0.001$ and wealths averaged over eight events and six stakes.",
        kind="lemma", grade="certified",
        check=checks.level_of_bets, stated={"wealth": "average"}, control={"wealth": "largest"},
        control_name="the largest wealth in place of the average",
        remark="This is Ville's inequality. The largest of several wealths is no supermartingale.",
        new="the check; the inequality is Ville's",
        scope=(measured("false_alarm", 0.05, 0.01, 0.001, letter=r"\alpha"), measured("runs", "30,000 bets"),),
    ),
    _found(
        "ONE",
        r"One confidence limit for the ratio of two probabilities errs no more often than it says (here 10%); with Poisson numbers of runs this is exact.",
        kind="lemma", grade="exact", check=checks.one_limit, stated={"spent": 1.0}, control={"spent": 1.14},
        control_name="a limit for 1.14 times the error",
        remark="Given $X+Y$, the count $X$ is binomial; the check has expected counts from 3 to 200.",
        new="its use for privacy; that one of two Poisson counts is binomial given their sum is classical",
        scope=(for_all("false_alarm", 0, 1 - 1e-3, tried=[1e-9, 0.1], letter=r"\alpha"), for_all("first", 0.1, 1000, tried=[20], letter="E X"), for_all("second", 0.1, 1000, tried=[10], letter="E Y"),),
        at=checks.one_limit_at,
    ),
    _found(
        "OUT",
        r"Twenty total leaks, one per kind of output, are all certified above 1 from 20,000 runs: rows of words and numbers, wide integers, numbers below $10^{-9}$, values that are no number, exceptions, dicts, sets, texts.",
        grade="certified", check=checks.leaks, stated={"version": "wrong"}, control={"version": "corrected"},
        control_name="the same mechanisms on a coin that is 1-private",
        remark="The quick profile draws 2,000 runs.",
        scope=(named("leaks", "twenty, one per kind of output"), measured("runs", "5,000 on each input; 2,000 in the quick profile"),),
    ),
    _found(
        "LIB",
        r"Four calls of released libraries declare $\varepsilon=1$ and have an exact privacy loss above 1.5 on a pair of neighbours.",
        grade="exact", check=checks.shipped, stated={"version": "wrong"}, control={"version": "corrected"},
        control_name="the right privacy loss, 1 for each",
        remark=r"The losses are computed from what the sources of pure-ldp 1.2.0, multi-freq-ldpy 0.2.5 (twice) and diffprivlib 0.6.6 draw. `make libraries` certifies the same from outside, on the packages as installed (reports/libraries.md).",
        scope=(named("calls", "four, in the versions and on the pairs of reports/libraries.md"),),
    ),
)
