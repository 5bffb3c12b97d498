"""The zoo under audit: what samples certify of every member and of its twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from replicate import audit, certify, validation
from replicate.budget import cache
from replicate.streams import stream
from replicate.studies.audit_bench.instances import LEVELS, SIZES
from replicate.studies.audit_bench.instances.field import CASES
from replicate.studies.audit_bench.instances.zoo import MEMBERS, VERSIONS, Member


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
    """Audit every member and its twin.

    Returns
    -------
    Columns member, name, source, error, correction, declared (epsilon or rho), samples, and for both versions
    exact and certified; `wrong` and `corrected` are the certified ones over the declared level.
    """
    rows, share = [], SIZES[profile].share
    alarm = certify.share(2 * len(MEMBERS))
    for key, member in members(profile).items():
        row: dict[str, Any] = {"member": key, "name": member.name, "source": member.source, "error": member.error}
        row |= {
            "correction": member.correction,
            "declared": member.declared,
            "samples": round(share * member.samples),
        }
        for version in VERSIONS:
            limit = certified(key, version, seed=seed, false_alarm=alarm, share=share)
            row |= {f"exact_{version}": member.version(version).exact, f"certified_{version}": limit}
            row[version] = limit / member.declared
        rows.append(row)
    return pd.DataFrame(rows)


def table(profile: str, seed: int) -> pd.DataFrame:
    """Return the zoo in words: a row a member, numbers to three digits, of 1 declared."""
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

    Parameters
    ----------
    profile, seed
        Sizes, and the root seed.
    level
        Key of `LEVELS`.

    Returns
    -------
    Columns mechanism, exact, published, limit; all mechanisms' limits share one false alarm.
    """
    rows = []
    for case in CASES.values():
        limit = audit.certified_privacy_loss(
            *case.samplers(), samples=SIZES[profile].samples, score="fitted",
            false_alarm=LEVELS[level] / (len(CASES) if level == "certified" else 1),
            rng=stream(seed, "audit_bench/field", case.name, level),
        )  # fmt: skip
        rows.append({"mechanism": case.name, "exact": case.exact, "published": case.published, "limit": limit})
    return pd.DataFrame(rows)


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
