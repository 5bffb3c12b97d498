"""What samples certify of the zoo and of the field, bets, limits beside exact values, and the full benchmark."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from replicate import audit, certify, mechanisms, validation
from replicate.audit.wealth import STAKES, log_factors
from replicate.budget import cache
from replicate.files import project_root
from replicate.papers.noisy_leader.algorithms import NoisyLeader
from replicate.streams import stream
from replicate.studies.audit_bench.instances import CASES, LEVELS, MEMBERS, SIZES, VERSIONS, Case, Member
from replicate.validation import FloatArray, IntArray


def members(profile: str) -> dict[str, Member]:
    """Return the members that a profile audits, by name."""
    return {name: member for name, member in MEMBERS.items() if name not in SIZES[profile].left_out}


def certified(
    name: str, version: str, *, seed: int, false_alarm: float = certify.CLAIM_FALSE_ALARM, share: float = 1.0
) -> float:
    """Lower limit of a version's epsilon, or of its rho where that is declared.

    Parameters
    ----------
    name, version
        Keys of `MEMBERS` and one of its two versions.
    seed
        Root seed.
    false_alarm
        Probability with which the limit is too large.
    share
        Share of the member's samples to draw.
    """
    member, rng = MEMBERS[name], stream(seed, "audit_bench/zoo", name, version, false_alarm)
    samples = round(share * member.samples)
    if member.concentrated:
        return audit.certified_zcdp(*member.samplers(version), samples=samples, false_alarm=false_alarm, rng=rng)
    return audit.certified_privacy_loss(
        *member.samplers(version), samples=samples, false_alarm=false_alarm, rng=rng, score=member.score
    )


@cache
def results(profile: str, seed: int) -> pd.DataFrame:
    """Audit every member and its corrected version.

    Returns
    -------
    Columns member, name, source, error, correction, declared (epsilon or rho), samples, and for both versions
    exact and certified; `wrong` and `corrected` are the certified ones over the declared level.
    """
    return pd.DataFrame(audited(key, profile, seed) for key in members(profile))


def audited(name: str, profile: str, seed: int) -> dict[str, Any]:
    """Audit a member and its corrected version: its row of `results`, all of which share one false alarm."""
    member, share, alarm = MEMBERS[name], SIZES[profile].share, certify.share(2 * len(MEMBERS))
    row: dict[str, Any] = {"member": name, "name": member.name, "source": member.source, "error": member.error}
    row |= {"correction": member.correction, "declared": member.declared}
    row["samples"] = round(share * member.samples)
    for version in VERSIONS:
        limit = certified(name, version, seed=seed, false_alarm=alarm, share=share)
        row |= {f"exact_{version}": member.version(version).exact, f"certified_{version}": limit}
        row[version] = limit / member.declared
    return row


def zoo_table(profile: str, seed: int) -> pd.DataFrame:
    """Return the zoo in words: one row per member, numbers to three digits, of 1 declared."""
    data = results(profile, seed)
    rows = data[["name", "error", "source", "declared"]].copy()
    for version, title in zip(VERSIONS, ("as found", "corrected"), strict=True):
        rows[f"certified, {title}"] = data[f"certified_{version}"]
        rows[f"exact, {title}"] = data[f"exact_{version}"]
    return rows.map(lambda cell: shown(cell) if isinstance(cell, float) else cell)


def shown(value: float, digits: int = 3) -> str:
    """Write a number to a few digits; an infinite or unknown one as such."""
    return "" if np.isnan(value) else "∞" if np.isinf(value) else f"{value:.{digits}g}"


@cache
def field_limits(profile: str, seed: int, level: str) -> pd.DataFrame:
    """Certify the field's mechanisms from few samples.

    Returns
    -------
    Columns mechanism, exact, published, limit; all mechanisms' limits share one false alarm.
    """
    rows = []
    for case in CASES.values():
        limit = field_limit(case, profile, seed, level)
        rows.append({"mechanism": case.name, "exact": case.exact, "published": case.published, "limit": limit})
    return pd.DataFrame(rows)


def field_limit(case: Case, profile: str, seed: int, level: str) -> float:
    """Certify one of the field's mechanisms: its limit in `field_limits`."""
    return audit.certified_privacy_loss(
        *case.samplers(), samples=SIZES[profile].samples, score="fitted",
        false_alarm=certify.share(len(CASES) if level == "certified" else 1, total=LEVELS[level]),
        rng=stream(seed, "audit_bench/field", case.name, level),
    )  # fmt: skip


ASKED = tuple(key for key, member in MEMBERS.items() if not member.concentrated)
"""The members that `verdict` takes."""


def verdict(name: str, version: str, *, epsilon: float, seed: int = 0) -> str:
    """Return what `audit.assert_private` says of a version.

    Parameters
    ----------
    name, version
        One of `ASKED`, and one of its versions.
    epsilon
        The level that is asserted.
    seed
        Root of the randomness.
    """
    member = MEMBERS[validation.choice("name", name, ASKED)]
    samplers = dict(enumerate(member.samplers(version)))
    return str(audit.examine(samplers.__getitem__, (0, 1), epsilon=epsilon, seed=seed))


COLUMNS = ("mechanism", "exact", "published", "ours_median", "ours_low", "ours_high", "seconds", "seeds")


def benchmark(path: Path | None = None) -> pd.DataFrame:
    """Return the committed results of the benchmark, one row per mechanism.

    Parameters
    ----------
    path
        Results as ``make audit-bench`` writes them; None is ``reports/audit_bench.csv``.

    Returns
    -------
    `COLUMNS`, with NaN for mechanisms that were not measured; exact losses are computed here.
    """
    source = project_root() / "reports" / "audit_bench.csv" if path is None else path
    cases = pd.DataFrame(
        [{"mechanism": c.name, "exact": c.exact, "published": c.published} for c in CASES.values()]
    )
    ours = pd.read_csv(source) if source.exists() else pd.DataFrame({"mechanism": pd.Series(dtype=str)})
    ours = ours.reindex(columns=["mechanism", *COLUMNS[3:]]).drop_duplicates("mechanism", keep="last")
    return cases.merge(ours, on="mechanism", how="left")[list(COLUMNS)]


def benchmark_table() -> pd.DataFrame:
    """Return the benchmark in words: numbers to four digits, and our limit as a share of the one in print."""
    data = benchmark()
    rows = data[["mechanism", "exact", "published", "ours_median"]].copy()
    rows["over the limit in print"] = data["ours_median"] / data["published"]
    rows = rows.rename(columns={"published": "DP-Sniper", "ours_median": "ours"})
    return rows.map(lambda cell: shown(cell, 4) if isinstance(cell, float) else cell)


SUMS = ((1.0, 1.0), (2.0, 0.0))
"""Summed losses of two neighbouring tables, of which the leader of two actions is selected."""
ALPHAS = (0.05, 0.01, 0.001)
EVENTS = 8
"""Events of which each is at the boundary of a claim of epsilon 1."""


def selector(sums: tuple[float, ...], calibration: str) -> audit.Sampler:
    """Return a sampler of paper 2's selection with the noise that its learner draws at epsilon = 1."""
    learner = NoisyLeader(
        2, epsilon=1.0, noise="exponential", calibration=calibration, rng=np.random.default_rng(0)
    )
    scores = -np.array(sums)
    return lambda n, rng: mechanisms.report_noisy_max(
        np.tile(scores, (n, 1)), noise="exponential", scale=learner.scale, rng=rng
    )


def first_action(outputs: IntArray) -> FloatArray:
    """The event that the first action is selected."""
    return np.asarray(outputs == 0, dtype=np.float64)


@cache
def peaks(profile: str, seed: int, wealth: str) -> FloatArray:
    """Largest wealth that each of many bets against a true claim ever has.

    Outcomes 1 to 8 have probability e q on the first input and q on the second, the ninth the rest; with
    q = 1 / (8 (1 + e)) the claim of epsilon 1 is true, and all outcomes are at its boundary.

    Parameters
    ----------
    wealth
        ``"average"`` over the eight events and all stakes, or ``"largest"`` among them, which is no such wealth.

    Returns
    -------
    Shape (bets,).
    """
    sizes, rng = SIZES[profile], stream(seed, "audit_bench/level", wealth)
    q = 1 / (EVENTS * (1 + math.e))
    first, second, both = np.exp(log_factors(np.array([1.0, 0, 1]), np.array([0.0, 1, 1]), epsilon=1.0)).T
    wealths, peak = np.ones((EVENTS, sizes.bets, len(STAKES))), np.ones(sizes.bets)
    combined = np.mean if wealth == "average" else np.max
    by_event = np.ones((EVENTS, sizes.bets))
    for _ in range(sizes.rounds):
        x, y = (np.minimum(rng.random(sizes.bets) / p, EVENTS).astype(int) for p in (math.e * q, q))
        # the ninth outcome is none of the events, and the others are as they were
        for seen, changed, factor in ((x, x != y, first), (y, x != y, second), (x, x == y, both)):
            bet = np.flatnonzero(changed & (seen < EVENTS))
            wealths[seen[bet], bet] *= factor
            by_event[seen[bet], bet] = combined(wealths[seen[bet], bet], axis=1)
        peak = np.maximum(peak, combined(by_event, axis=0))
    return peak


def paths(seed: int) -> pd.DataFrame:
    """Follow twelve bets of a thousand rounds on the event that the first action is selected, against epsilon = 1.

    Returns
    -------
    Columns calibration, bet, runs (over both inputs) and log10_wealth, every twentieth run.
    """
    frames, rounds = [], 1_000
    for calibration in ("printed", "corrected"):
        for bet in range(12):
            rng = stream(seed, "audit_bench/paths", calibration, bet, rounds)
            values = [first_action(np.asarray(selector(sums, calibration)(rounds, rng))) for sums in SUMS]
            path = np.cumsum(log_factors(*values, epsilon=1.0), axis=1)
            wealth = (logsumexp(path, axis=0) - math.log(len(STAKES))) / math.log(10)
            runs_so_far = 2 * np.arange(1, rounds + 1)
            frame = pd.DataFrame({"bet": bet, "runs": runs_so_far, "log10_wealth": wealth})
            frames.append(frame[9::10].assign(calibration=calibration))
    return pd.concat(frames, ignore_index=True)
