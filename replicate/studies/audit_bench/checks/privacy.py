"""Checks of what audits certify: the zoo, the field's mechanisms, and what a pass does not mean."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from replicate import audit, certify, learners
from replicate.claims.evidence import EXACT, Evidence, worst
from replicate.streams import stream
from replicate.studies.audit_bench.algorithms import traps
from replicate.studies.audit_bench.algorithms.leaks import LEAKS, private
from replicate.studies.audit_bench.experiments import bets, zoo
from replicate.studies.audit_bench.instances import SIZES
from replicate.studies.audit_bench.instances.field import CASES, ELSEWHERE
from replicate.studies.audit_bench.privacy import libraries
from replicate.validation import FloatArray, Generator, IntArray


@worst
def rejected(profile: str, seed: int, *, version: str) -> Iterator[Evidence]:
    """Smallest certified level of the zoo over the declared one: above 1."""
    for row in zoo.results(profile, seed).to_dict("records"):
        yield Evidence(measured=row[version], limit=1.0, relation=">=", detail=f"Smallest: {row['name']}.")


@worst
def acquitted(profile: str, seed: int, *, version: str) -> Iterator[Evidence]:
    """Largest certified level of the zoo over the declared one: at most 1."""
    for row in zoo.results(profile, seed).to_dict("records"):
        yield Evidence(measured=row[version], limit=1.0, detail=f"Largest: {row['name']}.")


@worst
def never_above(profile: str, seed: int, *, level: str) -> Iterator[Evidence]:
    """Certified limits of the field's mechanisms against their exact losses, where those are finite."""
    for row in zoo.field_limits(profile, seed, level).to_dict("records"):
        if np.isfinite(row["exact"]):
            yield Evidence(
                measured=row["limit"],
                limit=row["exact"] * (1 + EXACT),
                detail=f"Closest: {row['mechanism']}, {SIZES[profile].samples:,} samples of each input.",
            )


@worst
def in_print(profile: str, seed: int, *, mechanisms: tuple[str, ...]) -> Iterator[Evidence]:
    """Exact losses of some mechanisms against lower limits in print: below them, which makes these false."""
    figures = {name: ELSEWHERE.get(name, CASES[name].published) for name in mechanisms}
    for name, figure in figures.items():
        yield Evidence(
            measured=CASES[name].exact, limit=figure, detail=f"Exact loss of {name} on the benchmark's pair."
        )


def runs_needed(profile: str, seed: int, *, calibration: str, event: str, most: int) -> Evidence:
    """Median number of runs, over both tables, until exponential noise is refuted at epsilon = 1."""
    runs = bets.runs(profile, seed, calibration, event)
    detail = f"{len(runs)} bets; the longest took {max(runs):,} runs."
    return Evidence(measured=float(np.median(runs)), limit=float(most), detail=detail)


def last_bits(profile: str, seed: int, *, decimals: int | None) -> Evidence:
    """Certify epsilon of a number with Laplace noise, 1 declared, by the last bits of what is released."""
    draws = [partial(traps.release, np.array([x]), decimals=decimals) for x in (0.0, 1.0)]
    rng = stream(seed, "audit_bench/last bits", decimals)
    certified = audit.bits(*draws, samples=50_000, rng=rng)
    detail = "Events: sets of positions of the highest and the lowest bit."
    return Evidence(measured=certified, limit=1.0, relation=">=", detail=detail)


def liar(profile: str, seed: int, *, watched: float) -> Evidence:
    """Certify epsilon of a mechanism without noise at one input, 1 declared: `watched` and one less are tried."""
    pair = [partial(traps.liar, np.array([x])) for x in (watched, watched - 1.0)]
    rng = stream(seed, "audit_bench/liar", watched)
    certified = audit.certified_privacy_loss(*pair, samples=50_000, rng=rng)
    return Evidence(
        measured=certified, limit=1.0, detail="The loss is infinite where the second input is one less."
    )


@worst
def leaks(profile: str, seed: int, *, version: str) -> Iterator[Evidence]:
    """Smallest certified level of mechanisms that tell two inputs apart by outputs of some kind, or of twins."""
    runs = {"quick": 600}.get(profile, 2_000)
    for name, wrong in LEAKS.items():
        run = wrong if version == "wrong" else private(wrong)
        pair = [audit.one_by_one(partial(run, x)) for x in (0, 1)]
        rng = stream(seed, "audit_bench/leaks", version, name)
        limit = audit.certified_privacy_loss(
            *pair, samples=runs, score="fitted", false_alarm=certify.share(2 * len(LEAKS)), rng=rng
        )
        yield Evidence(measured=limit, limit=1.0, relation=">=", detail=f"Smallest: {name}.")


@worst
def replayed(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Largest cost, over the declared epsilon, that a replay finds of learners with noise for `factor` epsilon."""
    declared, table = 0.5, stream(seed, "audit_bench/replay").integers(0, 2, size=(40, 4)).astype(np.float64)
    neighbour = table.copy()
    neighbour[2] = 1 - neighbour[2]

    def plays(name: str, losses: FloatArray, rng: Generator) -> IntArray | None:
        built = learners.learner(name, n_actions=4, horizon=40, epsilon=factor * declared, rng=rng)
        return learners.play(built, losses).actions

    for name in TRACED:
        replay = audit.replay(partial(plays, name), table, neighbour, seed=seed)
        dearest = max(replay.costs, key=replay.costs.__getitem__, default="")
        detail = f"Largest: {name}, {_text_of_line(dearest) if dearest else 'no line'}."
        yield Evidence(measured=replay.cost / declared, limit=1 + 1e-9, detail=detail)


def _text_of_line(place: str) -> str:
    """Return the function at ``file:line`` and the text of that line: they stay where lines above them move."""
    path, _, number = place.rpartition(":")
    text = Path(path).read_text(encoding="utf-8")
    around = [
        node for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and node.lineno <= int(number) <= (node.end_lineno or node.lineno)
    ]  # fmt: skip
    name = ".".join(node.name for node in sorted(around, key=lambda node: node.lineno))
    return f"{name}: `{text.splitlines()[int(number) - 1].strip()}`"


@worst
def shipped(profile: str, seed: int, *, version: str) -> Iterator[Evidence]:
    """Smallest exact loss of four calls of released libraries at epsilon = 1, as shipped or put right."""
    wrong = version == "wrong"
    losses = {
        "RAPPORClient": libraries.rappor_loss(8, 2 / (1 + math.exp(0.5)), clears=not wrong),
        "SS_Client": libraries.subset_loss(20, 1.0, ordered=wrong),
        "RSpFD_GRR_Client": libraries.fake_data_loss(8, 3, 1.0, differ=3 if wrong else 1),
        "nanmean": libraries.nan_mean_loss(100, 1, counts_nan=wrong),
    }
    for name, loss in losses.items():
        yield Evidence(measured=loss, limit=1.5, relation=">=", detail=f"Smallest: {name}.")


TRACED = (
    "gumbel",
    "exponential",
    "laplace",
    "restarts",
    "mirror_descent",
    "sticky_leader",
    "adap_ucb",
    "lazy_dp_ts",
)
"""Learners whose draws a replay follows."""
