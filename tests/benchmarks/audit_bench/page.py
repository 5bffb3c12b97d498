"""The page of the benchmark: limits beside each other, targets, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from replicate.studies.audit_bench.instances import CASES
from tests.benchmarks.audit_bench import cells, learners, sequential

Z = float(stats.norm.isf(cells.FALSE_ALARM))
COLUMNS = [
    "mechanism", "pair", "exact", "published", "ours_median", "ours_low", "ours_high", "share",
    "seeds", "seconds", "megabytes", "event", "counting",
]  # fmt: skip
ALMOST, AHEAD, MOST = 0.95, 11, 18
"""Share of a published limit that counts as reached; how many are to be above it, and how many to reach it."""
WANTED = {"PrefixSum": 0.9, "LaplaceParallel": 0.05, "NumericalSVT": 0.035}
"""Limits to reach where the published ones are far below the exact losses."""

STATDP = 10.002
"""Its limit for NoisyHist2 in print (Ding, Wang, Wang, Zhang and Kifer, CCS 2018); the exact loss is smaller."""
PAGE = """\
# The audit on the field's benchmark

Lower limits on epsilon that samples alone certify, at {level} confidence, for the twenty mechanisms on
which DP-Sniper was evaluated (Bichsel, Steffen, Bogunovic and Vechev, S&P 2021). *Published* is the better of
its two classifiers, from 2e8 runs on each input (and 5.35e7 for each pair that was searched), 19 to 1,117 s on
many cores. *Ours* is `audit.certified_privacy_loss(..., score="fitted")`: the median of {seeds}, each from
{samples:,} runs on each input, those that train the score and choose the event included; in brackets the least
and the largest. *Share* is ours over the published limit. *Exact* is the pair's privacy loss. Times are
processor time of one core, and an order of magnitude: they depend on the machine; the limits do not.

{table}

{verdict}

Two figures in print are no goals, because they are false: DP-Sniper's {rappor} for Rappor is above the exact
{rappor_exact:.5f}, and StatDP's {elsewhere} for NoisyHist2 (Ding, Wang, Wang, Zhang and Kifer, CCS 2018) is
above the exact 10. A limit at {level} confidence may be wrong once in ten audits; what is certified for the
claims of this workbook is held to 1e-9.

How the limits come about. A million runs on each input fit log odds of the first input by logistic regression
on binned features of the output: coordinates, differences of neighbours, their order; a bin of few outputs is
drawn towards the bins beside it, and patterns of values that come again and again get a correction. No feature
knows a mechanism. A million others choose the event, a threshold of one of these scores, by the limit that it
promises. The rest count: their numbers are Poisson, and one Clopper-Pearson limit bounds the ratio of both
probabilities. Outputs are rounded to nine decimals first, so that floating point leaks nothing.

## Runs to refute

How many runs, over both inputs, bets take to refute half of the exact loss, or ε = 1 where the loss is
infinite: medians of {bet_seeds} seeds with learned events (`audit.refute`), at a false alarm of .05 and of
1e-9. A bet ends after {most_bets:,} runs.

{bets}

Published numbers, for other mechanisms and claims, which is why no ratio is given. DP-Sniper chooses its number
of runs beforehand: 2e8 on each input. The sequential test of Gonzalez, Dulce-Rubio, Ramdas and Ribero (arXiv
2509.07055) refutes at an error of .05: faulty Gaussian and Laplace means after 192 to 1,139 samples on average
at a claim of ε = .01, and after 562 to 4,776 at ε = .1; for two of these, DP-Auditorium found nothing in
500,000 samples. Their test loses its power above ε of about .6, where the kernel distance and its threshold
both tend to the root of 2; bets on events do not. The sequential test of Kutta, Dunsche, Wei and Zikas (arXiv
2602.06518) is for f-DP; its numbers were not to be had by search. The figures of 2509.07055 are from a
published summary of the paper.

## The learners' own audits

The audits of the papers' learners read the same runs twice: by outcomes (half of the runs choose an event, the
other half bound two probabilities), and by a fitted score (seven tenths or more bound one ratio). Medians of
{learner_seeds} seeds at the sizes of the quick profile, false alarm as these audits have it; those of tracking
are in units of the declared epsilon.

{learners}

All of these audits use fitted scores, but for the meta-experts: without redraws their leak shows in labels so
rare that the tenth of the runs that chooses the event holds too few of them, and nothing is certified where
outcomes certify three times epsilon. Audits of a single bit or number (distribution learning) were not
measured and read outcomes as before. Of Algorithm 2 of the bandits neither way certifies anything: its noise is
large.

`make audit-bench` computes what build/audit_bench lacks, cell by cell, and prints the table; remove that folder
after a change of the method. With PUBLISH=1 it renews this page and [audit_bench.csv](audit_bench.csv).
"""


def summary(records: Sequence[cells.Record]) -> pd.DataFrame:
    """Return one row for each mechanism of which there are cells, with `COLUMNS`.

    ``event`` is the share of the runs that end in the event, ``counting`` by how much the limit is below the
    log ratio of the frequencies: both medians.
    """
    rows = []
    for name, case in CASES.items():
        own = [record for record in records if record["mechanism"] == name]
        if not own:
            continue
        limits = [record["epsilon"] for record in own]
        times, held = ([record[key] for record in own] for key in ("seconds", "megabytes"))
        found = (float(np.median(limits)), min(limits), max(limits), float(np.median(limits)) / case.published)
        events = [record["counts"][0] / record["runs"][0] for record in own]
        costs = [Z * math.sqrt(sum(1 / max(k, 1) for k in record["counts"])) for record in own]
        rest = len(own), np.median(times), max(held), np.median(events), np.median(costs)
        rows.append([name, case.label, case.exact, case.published, *found, *rest])
    return pd.DataFrame(rows, columns=COLUMNS)


def rows(table: pd.DataFrame) -> str:
    """Return the table in Markdown."""
    head = "| mechanism | pair | exact | published | ours | share | seeds | seconds |"
    return "\n".join(
        [head, "|---|---|---:|---:|---:|---:|---:|---:|", *(_row(row) for _, row in table.iterrows())]
    )


def _row(row: pd.Series) -> str:
    exact = "infinite" if math.isinf(row.exact) else f"{row.exact:.4f}"
    ours = f"{row.ours_median:.4f} ({row.ours_low:.4f} to {row.ours_high:.4f})"
    mark = "**" if row.share > 1 else ""
    return (
        f"| {row.mechanism} | {row.pair} | {exact} | {row.published:.4f} | {ours} "
        f"| {mark}{row.share:.3f}{mark} | {row.seeds} | {row.seconds:.0f} |"
    )


def verdict(table: pd.DataFrame) -> str:
    """Return one line for each target: what was wanted, and what was found."""
    above, reached = int((table.share > 1).sum()), int((table.share >= ALMOST).sum())
    false = table[table.ours_high > table.exact]
    slow = float(table.seconds.max())
    lines = [
        f"Above the published limit: {above} of {len(table)} (wanted: {AHEAD}).",
        f"At least {100 * ALMOST:.0f} % of it: {reached} of {len(table)} (wanted: {MOST}){_below(table)}.",
        *(_wanted(table, name, limit) for name, limit in WANTED.items()),
        *_reasons(table),
        f"Median above the exact loss: {_names(table[table.ours_median > table.exact])} (wanted: none); single "
        f"seeds above it: {_names(false)}, of {int(table.seeds.sum())} limits that may each be so once in ten.",
        f"Slowest: {slow:.0f} s (wanted: at most 60); most memory: {table.megabytes.max():.0f} MB.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _below(table: pd.DataFrame) -> str:
    names = _names(table[table.share < ALMOST])
    return "" if names == "none" else f"; below: {names}"


def _reasons(table: pd.DataFrame) -> list[str]:
    """Say what each mechanism below loses by counting a rare event, and by an event that is not the best."""
    low = (table.share < ALMOST) | (table.ours_median < table.mechanism.map(WANTED))
    return [
        f"{row.mechanism}: its event holds {100 * row.event:.2g} % of the runs; counting them costs "
        f"{row.counting:.4f}, the event itself and chance {row.exact - row.counting - row.ours_median:.4f}."
        for _, row in table[low].iterrows()
    ]


def _wanted(table: pd.DataFrame, name: str, limit: float) -> str:
    own = table[table.mechanism == name]
    found = f"{own.ours_median.iloc[0]:.4f}" if len(own) else "not computed"
    return f"{name}: {found} (wanted: {limit})."


def _names(table: pd.DataFrame) -> str:
    return ", ".join(table.mechanism) or "none"


def render(table: pd.DataFrame, own: pd.DataFrame, bets: pd.DataFrame) -> str:
    """Return the page in Markdown: the benchmark, runs to refute, and the learners' own audits."""
    least, most = int(table.seeds.min()), int(table.seeds.max())
    rappor = CASES["Rappor"]
    return PAGE.format(
        level=f"{100 * (1 - cells.FALSE_ALARM):.0f} %",
        seeds=_seeds(least, most),
        samples=cells.SAMPLES,
        table=rows(table),
        verdict=verdict(table),
        rappor=rappor.published,
        rappor_exact=rappor.exact,
        elsewhere=STATDP,
        bet_seeds=sequential.SEEDS,
        most_bets=sequential.MOST,
        bets=sequential.rows(bets),
        learners=learners.rows(own),
        learner_seeds=learners.SEEDS,
    )


def _seeds(least: int, most: int) -> str:
    return f"{least} to {most} seeds" if least < most else "one seed" if most == 1 else f"{most} seeds"
