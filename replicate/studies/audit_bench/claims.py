"""The claims about audits: what they refute, what they must not, and how much they can say."""

from __future__ import annotations

from typing import Any

from replicate.claims import Claim
from replicate.studies.audit_bench.checks import lemmas, privacy


def _found(name: str, statement: str, **rest: Any) -> Claim:
    """Return a claim of ours."""
    about: dict[str, Any] = {"source": "this workbook", "constants": "derived", "verdict": "our finding", "kind": "privacy"}
    return Claim(id=f"AU-{name}", statement=statement, **(about | rest))


CLAIMS: tuple[Claim, ...] = (
    _found(
        "ZOO",
        r"Each of eleven real errors is rejected from samples: the certified level exceeds the declared one, at an error of $10^{-9}$ in all.",
        grade="certified",
        check=privacy.rejected, stated={"version": "wrong"}, control={"version": "corrected"},
        control_name="the corrected twins",
        remark=r"Ten declare $\varepsilon=1$ and one $\varepsilon^2/8$-zCDP. The quick profile shows ten: it leaves out mirror descent, whose runs take longest. The full one shows all eleven, at its seed: the 14,000 runs that mirror descent has there certify more than 1 at 17 of 20 seeds, and 28,000 at each of ten.",
    ),
    _found(
        "TWIN",
        r"None of their corrected twins is rejected.",
        grade="certified",
        check=privacy.acquitted, stated={"version": "corrected"}, control={"version": "wrong"},
        control_name="the mechanisms as found",
        remark="A twin that is acquitted is not proved private by that: each is by its exact loss, or by its paper's theorem.",
    ),
    _found(
        "ZOOx",
        r"No certified level of the zoo exceeds the exact one of its pair of inputs, where that is finite.",
        grade="certified",
        check=privacy.zoo_never_above, stated={"compared": "own"}, control={"compared": "other"},
        control_name="the exact level of the other version",
    ),
    _found(
        "EX",
        r"DP-Sniper's twenty mechanisms: no certified limit exceeds the exact privacy loss, which we compute for all of them.",
        source="Bichsel et al. 2021", grade="certified",
        check=privacy.never_above, stated={"level": "certified"}, control={"level": "even odds"},
        control_name="limits that are wrong half of the time",
        remark=r"Exact losses by closed forms and quadrature; infinite for RNM4 and SVT5. New are those of SVT3, 0.3, of NumericalSVT, 0.0588, and of SVT34Parallel, 0.487.",
    ),
    _found(
        "PUB",
        r"Two lower limits in print are false: DP-Sniper's 0.3008 for Rappor exceeds the exact loss, 0.30006, and StatDP's 10.002 for NoisyHist2 exceeds 10.",
        source="Bichsel et al. 2021", kind="table", grade="exact",
        check=privacy.in_print, stated={"mechanisms": ("Rappor", "NoisyHist2")},
        control={"mechanisms": ("OneTimeRappor", "RNM3")},
        control_name="OneTimeRappor and RNM3, whose limits in print are below the exact losses",
        remark="Limits at 90 % may be wrong once in ten times; these two are. Neither is a figure to beat.",
    ),
    _found(
        "RUN",
        r"Exponential noise of scale $1/\varepsilon$, paper 2 as printed, is refuted at $\varepsilon=1$ and error $10^{-9}$ within 1,000 runs over both tables in half of all bets, the event being given.",
        source="paper 2, Section 2", grade="nominal",
        check=privacy.runs_needed, stated={"calibration": "printed", "event": "given", "most": 1000},
        control={"calibration": "corrected"}, control_name="scale 2/ε, never refuted",
        remark="The median of the bets of the profile. A bet that knew both probabilities would need about 800.",
    ),
    _found(
        "RUNl",
        r"With an event that is learned on the way 1,200 runs are enough.",
        source="paper 2, Section 2", grade="nominal",
        check=privacy.runs_needed, stated={"calibration": "printed", "event": "learned", "most": 1200},
        control={"calibration": "corrected"}, control_name="scale 2/ε, never refuted",
    ),
    _found(
        "LV",
        r"At the boundary of a true claim bets reach $1/\alpha$ at some time with probability at most $\alpha$, for $\alpha=0.05$, $0.01$, $0.001$: wealths averaged over eight events and five stakes.",
        kind="lemma", grade="certified",
        check=lemmas.level_of_bets, stated={"wealth": "average"}, control={"wealth": "largest"},
        control_name="the largest wealth in place of the average",
        remark="Ville's inequality. The largest of several wealths is no supermartingale.",
    ),
    _found(
        "ONE",
        r"One limit for the ratio of two probabilities errs no more often than it says: with Poisson numbers of runs, exactly.",
        kind="lemma", grade="exact",
        check=lemmas.one_limit, stated={"spent": 1.0}, control={"spent": 1.14},
        control_name="a limit for 1.14 times the error",
        remark="Given $X+Y$, $X$ is binomial; expected counts from 3 to 200.",
    ),
    _found(
        "ONEr",
        r"Two limits that share the error need at least 1.45 times as many runs to say the same; about twice as many where the probabilities are of one size.",
        kind="lemma", grade="exact",
        check=lemmas.fewer_runs, stated={"factor": 1.45}, control={"factor": 1.53}, knob="factor",
        control_name="1.53 times as many",
        remark=r"Errors of 0.1 to $10^{-9}$; at 0.1, the benchmark's, three times as many.",
    ),
    _found(
        "REN",
        r"Limits of Rényi divergences and of zero-concentrated privacy never exceed the exact values: orders $\frac32$, 2, 8, $\infty$, four pairs of finite laws.",
        kind="lemma", grade="certified",
        check=lemmas.divergences, stated={"level": "certified"}, control={"level": "even odds"},
        control_name="limits that are wrong half of the time",
    ),
    _found(
        "FDP",
        r"Bands of trade-off curves never fall below the exact curves of four pairs of finite laws.",
        kind="lemma", grade="certified",
        check=lemmas.curves, stated={"level": "certified"}, control={"level": "even odds"},
        control_name="bands that are wrong half of the time",
    ),
    _found(
        "BITS",
        r"A number with Laplace noise in floating point is not 1-private: the last bits of what is released certify more.",
        source="Mironov, CCS 2012", grade="certified",
        check=privacy.last_bits, stated={"decimals": None}, control={"decimals": 9},
        control_name="rounded to nine decimals",
        remark="Our audits round to nine decimals before anything else, so that this error is seen only by who asks for it.",
    ),
    _found(
        "LIE",
        r"A mechanism that gives up its noise at one input passes wherever that input is not tried.",
        grade="certified",
        check=privacy.liar, stated={"watched": 1.0}, control={"watched": 42.0},
        control_name="that input, 42",
        remark="No black-box audit shows privacy. A pass says that this event, on this pair, with these runs, was not refuted.",
    ),
    _found(
        "OUT",
        r"Twenty total leaks, one a kind of output, are all certified above 1 from 20,000 runs: rows of words and numbers, wide integers, numbers below $10^{-9}$, NaN, exceptions, dicts, sets, texts.",
        grade="certified",
        check=privacy.leaks, stated={"version": "wrong"}, control={"version": "corrected"},
        control_name="the same mechanisms on a coin that is 1-private",
        remark="The quick profile draws 3,000 runs.",
    ),
    _found(
        "RPL",
        r"Two runs are enough where draws can be followed: for eight learners of the register the replay on a neighbour costs at most the declared $\varepsilon$.",
        grade="exact",
        check=privacy.replayed, stated={"factor": 1.0}, control={"factor": 1.03},
        control_name="noise for 1.03 times the epsilon, named by its line",
        remark="A pair of tables that differ in one whole round. Costs are sums over draws: an upper limit of what the pair costs along this play.",
    ),
    _found(
        "LIB",
        r"Four calls of released libraries that declare $\varepsilon=1$ cost more than 1.5 on a pair of neighbours, exactly.",
        grade="exact",
        check=privacy.shipped, stated={"version": "wrong"}, control={"version": "corrected"},
        control_name="what would be right: 1 each",
        remark=r"From what their sources draw: pure-ldp 1.2.0, multi-freq-ldpy 0.2.5 (twice), diffprivlib 0.6.6. `make libraries` certifies the same from outside, of the packages as installed: reports/libraries.md.",
    ),
)
