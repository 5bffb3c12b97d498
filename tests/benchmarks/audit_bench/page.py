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

The table shows lower limits on epsilon that samples alone certify, at {level} confidence, for the twenty
mechanisms on which DP-Sniper was evaluated (Bichsel, Steffen, Bogunovic and Vechev, S&P 2021).

- *Pair* names the pair of neighbouring inputs, if the benchmark has several.
- *Exact* is the pair's exact privacy loss.
- *Published* is the limit of the better of DP-Sniper's two classifiers, from 2e8 runs on each input (and 5.35e7
  for each pair that was searched). It took 19 to 1,117 s on many cores.
- *Ours* is `audit.certified_privacy_loss(..., score="fitted")`: the median of {seeds}, with the least and the
  largest limit in brackets. Each seed has {samples:,} runs on each input, including those that train the score
  and choose the event.
- *Share* is our limit divided by the published one; it is bold if it exceeds 1.
- *Seconds* is processor time of one core. It shows an order of magnitude and depends on the machine; the limits
  do not.

{table}

{verdict}

Two printed limits are not targets, because they exceed the exact values: DP-Sniper's {rappor} for Rappor is
above {rappor_exact:.5f}, and StatDP's {elsewhere} for NoisyHist2 (Ding, Wang, Wang, Zhang and Kifer, CCS 2018)
is above 10. A limit at {level} confidence may be wrong once in ten audits; the certified limits in the claims of
this workbook are wrong with probability at most 1e-9.

The method has three steps. A million runs on each input fit the log odds of the first input by logistic regression
on binned features of the output: coordinates, differences of adjacent coordinates, and their order. Bins with few
outputs are shrunk towards the adjacent bins, and frequent patterns of values get a correction. No feature depends
on the mechanism. Another million runs choose the event, a threshold of one of these scores, by the limit that it
promises. The remaining runs count the event: their numbers are Poisson, and one Clopper-Pearson limit bounds the
ratio of the two probabilities. Outputs are first rounded to nine decimals, so that floating point leaks nothing.

## Runs to refute

The table shows the number of runs, over both inputs, after which bets refute a claimed ε (`audit.refute` with
learned events). The claim is half of the exact loss, or ε = 1 if the loss is infinite. Each entry is the median
over the seeds, with the least and the largest number in brackets, at false-alarm probabilities of .05 and 1e-9.
With three seeds these brackets contain the true median with probability 3/4; with one seed there is no interval. A
bet ends after {most_bets:,} runs, and earlier for three mechanisms with wide outputs, whose events take long to
learn. The table says if the claim was not refuted by then, and after how many runs.

{bets}

Published numbers are for other mechanisms and claims, so we give no ratio. DP-Sniper fixes its number of runs in
advance: 2e8 on each input. The sequential test of Gonzalez, Dulce-Rubio, Ramdas and Ribero (arXiv 2509.07055)
refutes faulty Gaussian and Laplace means at an error of .05, after 192 to 1,139 samples on average at a claim of
ε = .01, and after 562 to 4,776 at ε = .1; for two of these, DP-Auditorium found no violation in 500,000 samples.
We took these numbers from a published summary of the paper. The test loses power for ε above about .6, because
the kernel distance and its threshold both tend to √2; bets on events do not. The sequential test of Kutta,
Dunsche, Wei and Zikas (arXiv 2602.06518) is for f-DP; we found no numbers for it.

## The learners' own audits

The audits of the papers' learners evaluate the same runs in two ways. *By outcomes*, half of the runs choose an
event and the other half bound two probabilities. *By a fitted score*, at least seven tenths of the runs bound
one ratio. The table shows medians of the certified limits over {learner_seeds} seeds at quick sizes, with the
false-alarm probability of these audits; limits for tracking are in units of the declared epsilon. *Gain* is the
relative increase by the fitted score.

{learners}

All of these audits use fitted scores, except for the meta-experts. Without redraws their violation shows in
labels so rare that the tenth of the runs that chooses the event contains too few of them: the fitted score then
certifies nothing, while outcomes certify three times epsilon. Audits of a single bit or number (distribution
learning) were not measured and still use outcomes. For Algorithm 2 of the bandits neither way certifies
anything, because its noise is large.

`make audit-bench` computes the results that build/audit_bench lacks, one by one, and prints the table. Remove
that folder after a change of the method. With PUBLISH=1 the command renews this page and
[audit_bench.csv](audit_bench.csv).
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
        f"Our limit is above the published one for {above} of {len(table)} mechanisms (target: {AHEAD}).",
        f"It is at least {100 * ALMOST:.0f}% of the published one for {reached} (target: {MOST}){_below(table)}.",
        *(_wanted(table, name, limit) for name, limit in WANTED.items()),
        *_reasons(table),
        f"The median is above the exact loss for {_names(table[table.ours_median > table.exact])} (target: none). "
        f"Single seeds are above it for {_names(false)}; each of the {int(table.seeds.sum())} limits may be so "
        "with probability 0.1.",
        f"The slowest audit takes {slow:.0f} s (target: at most 60); the most memory is "
        f"{table.megabytes.max():.0f} MB.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _below(table: pd.DataFrame) -> str:
    names = _names(table[table.share < ALMOST])
    return "" if names == "none" else f"; below: {names}"


def _reasons(table: pd.DataFrame) -> list[str]:
    """Say what each mechanism below loses by counting a rare event, and by an event that is not the best."""
    low = (table.share < ALMOST) | (table.ours_median < table.mechanism.map(WANTED))
    return [
        f"The event of {row.mechanism} contains {100 * row.event:.2g}% of the runs. Its limit is below the exact "
        f"loss by {row.counting:.4f} because of counting, and by "
        f"{row.exact - row.counting - row.ours_median:.4f} because of the choice of the event and chance."
        for _, row in table[low].iterrows()
    ]


def _wanted(table: pd.DataFrame, name: str, limit: float) -> str:
    own = table[table.mechanism == name]
    found = f"{own.ours_median.iloc[0]:.4f}" if len(own) else "not computed"
    return f"The limit for {name} is {found} (target: {limit})."


def _names(table: pd.DataFrame) -> str:
    return ", ".join(table.mechanism) or "none"


def render(table: pd.DataFrame, own: pd.DataFrame, bets: pd.DataFrame) -> str:
    """Return the page in Markdown: the benchmark, runs to refute, and the learners' own audits."""
    least, most = int(table.seeds.min()), int(table.seeds.max())
    rappor = CASES["Rappor"]
    return PAGE.format(
        level=f"{100 * (1 - cells.FALSE_ALARM):.0f}%",
        seeds=_seeds(least, most),
        samples=cells.SAMPLES,
        table=rows(table),
        verdict=verdict(table),
        rappor=rappor.published,
        rappor_exact=rappor.exact,
        elsewhere=STATDP,
        most_bets=sequential.MOST,
        bets=sequential.rows(bets),
        learners=learners.rows(own),
        learner_seeds=learners.SEEDS,
    )


def _seeds(least: int, most: int) -> str:
    return f"{least} to {most} seeds" if least < most else "one seed" if most == 1 else f"{most} seeds"
