"""Checks of the privacy claims, exact and sampled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np

from replicate import audit
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, worst
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import lazy, switching
from replicate.papers.tracking.algorithms.meta_experts import Dartboard
from replicate.papers.tracking.experiments import half_play_limits, mirror_accounted, restart_pair
from replicate.papers.tracking.privacy import exact, sampled
from replicate.validation import FloatArray

Relation = Literal["<=", ">="]
OVER = "privacy loss over ε"
"""The unit of a privacy loss as a multiple of the declared level."""


def post_processing(profile: str, seed: int, *, constant: float) -> Evidence:
    """Theorem 4.1, privacy: worst loss of the experts played over that of the sequences held, over all 0/1 tables.

    The base learner is Private Shrinking Dartboard on the list of sequences of two experts, three rounds, S = 1.
    """
    played_loss, held_loss = (
        audit.exhaustive_privacy_loss(partial(_released, shown=shown), n_rounds=3, n_actions=2)
        for shown in ("experts", "sequences")
    )
    detail = f"Losses {played_loss:.4g} and {held_loss:.4g}; N = 2, T = 3, eta = 0.2, p = 0.3."
    return at_most(played_loss / held_loss, constant, detail)


def _released(table: FloatArray, shown: str) -> FloatArray:
    """Distribution of the output of the literal construction."""
    board = Dartboard(learning_rate=0.2, redraw=0.3)
    return exact.literal_law(table, n_switches=1, dartboard=board, released=shown).ravel()


def limited_privacy(profile: str, seed: int, *, blocks_read: int) -> Evidence:
    """Exact worst privacy loss of Algorithm 1's selections over all 0/1 tables of three rounds.

    A selection reads the last block, or the last two.
    """
    law = partial(exact.limited_updates_law, epsilon=1.0, blocks_read=blocks_read)
    loss = max(audit.exhaustive_privacy_loss(law, n_rounds=3, n_actions=n) for n in (2, 3))
    return at_most(loss, 1.0, "N = 2 and 3, epsilon = 1, all neighbouring 0/1 tables.")


def restart_event(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Privacy loss of one event of Algorithm 2 at epsilon = 1: more than 1.2."""
    pair = restart_pair(calibration)
    return at_least(pair.loss, 1.2, _event(pair), unit=OVER)


@worst
def restart_composition(profile: str, seed: int, *, calibration: str) -> Iterator[Evidence]:
    """Privacy loss of Algorithm 2 at epsilon = 1: of one event, and of its two components' worst pairs together.

    The components: report-noisy-max at epsilon / 2, and AboveThreshold with queries that move within [0, 2].
    """
    pair = restart_pair(calibration)
    rule = bounds.restart_rule(n_actions=2, epsilon=1.0, horizon=10_000, calibration=calibration)
    selected = audit.report_noisy_max_privacy_loss(n_actions=2, noise="laplace", scale=2 / 0.5)
    queries = audit.above_threshold_pair(epsilon=rule.epsilon, down=0.0, up=2.0)
    alarm = audit.above_threshold_pair_loss(*queries, epsilon=rule.epsilon)
    composed = f"Worst pairs: selections {selected:.4g}, alarm {alarm:.4g}."
    for loss, detail in ((pair.loss, _event(pair)), (selected + alarm, composed)):
        yield at_most(loss, 1 + EXACT, detail, unit=OVER)


def _event(pair: exact.RestartPair) -> str:
    return (
        f"T = 10,000, N = 2, epsilon = 1: selections {pair.selections:.4g}, restart {pair.restart:.4g}; the event "
        f"has probability 10^{pair.log_probability / math.log(10):.0f}."
    )


def sensitivity(profile: str, seed: int, *, changes: str) -> Evidence:
    """Largest move of a window query when one round's losses change.

    `changes` is ``"all losses"`` of the round, or ``"the played expert's"`` only.
    """
    vectors = [np.array(v) for v in product((0.0, 1.0), repeat=2)]
    worst = max(
        exact.query_shift(np.array(earlier), a, b, played=0)
        for earlier, a, b in product(product((0.0, 1.0, 2.0, 3.0), repeat=2), vectors, vectors)
        if changes == "all losses" or a[1] == b[1]
    )
    return at_least(worst, 2.0, "N = 2, all 0/1 losses, windows with sums up to 3.")


def mirror_event(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Privacy loss of one event of Algorithm 3's plays over epsilon, N = 2; later losses are (1, 0)."""
    known: dict[str, Any] = {"horizon": 64, "n_switches": 2, "epsilon": 0.9, "calibration": calibration}
    fine, coarse = (exact.mirror_loss(**known, later_loss=1.0, cells=cells) / 0.9 for cells in (1500, 600))
    detail = f"T = 64, S = 2, epsilon = 0.9: {fine:.4f} on 1500 cells, {coarse:.4f} on 600."
    return at_least(fine - 10 * abs(fine - coarse), 1.0, detail, unit=OVER)


def mirror_counts(profile: str, seed: int, *, calibration: str) -> Evidence:
    """Certified privacy loss of Algorithm 3's plays over epsilon, N = 200, by counting in the favoured half."""
    likely, rare = half_play_limits(profile, seed, calibration)
    measured = math.log(likely.low / rare.high) / 0.9 if likely.low > 0 else -math.inf
    detail = f"At least 37 of 59 plays: {likely.estimate:.3f} against {rare.estimate:.3f} of the runs."
    return at_least(measured, 1.0, detail, unit=OVER)


@worst
def mirror_upper(profile: str, seed: int, *, calibration: str) -> Iterator[Evidence]:
    """Privacy loss of Algorithm 3's plays: the accountant's over epsilon, worst over sizes, and of one event.

    The event's exact loss must not exceed what the accountant allows there.
    """
    for n, horizon, s in product((2, 3, 10, 1000), (100, 10**6), (1, 10)):
        detail = f"N = {n}, T = {horizon}, S = {s}."
        yield at_most(mirror_accounted(n, horizon, s, calibration), 1 + EXACT, detail, unit=OVER)
    loss = exact.mirror_loss(horizon=64, n_switches=2, epsilon=0.9, calibration=calibration, cells=600)
    detail = "One event, N = 2, T = 64, S = 2, on 600 cells, against the accountant."
    yield at_most(loss / 0.9, mirror_accounted(2, 64, 2, calibration), detail, unit=OVER)


def _certified(result: sampled.Audit, limit: float, relation: Relation, detail: str) -> Evidence:
    """Evidence of an audit, in units of epsilon."""
    known = "" if math.isnan(result.exact) else f" Exact loss of the pair {result.exact:.3g};"
    detail = f"{detail}{known} proved: at most {result.proved:.3g}. {result.runs:,} runs on each table."
    return Evidence(measured=result.certified, limit=limit, relation=relation, unit=OVER, detail=detail)


def selections(profile: str, seed: int, *, noise_factor: float) -> Evidence:
    """Privacy loss that the plays of Algorithm 1 certify, its noise multiplied by `noise_factor`."""
    result = sampled.audit_selections(profile, seed, noise_factor)
    return _certified(result, 1.0, "<=", "The expert selected after a block of four rounds, N = 8.")


def alarm(profile: str, seed: int, *, calibration: str, relation: Relation) -> Evidence:
    """Privacy loss that the time of Algorithm 2's first restart certifies, against AboveThreshold's share."""
    result = sampled.audit_alarm(profile, seed, calibration)
    drawn = ", drawn from its exact distribution" if profile == "quick" else ""
    return _certified(result, 0.5, relation, f"Restart before or in the second climb, or never{drawn}.")


@worst
def dartboard(profile: str, seed: int, *, redraws: str) -> Iterator[Evidence]:
    """Privacy loss that the plays of the meta-experts certify, pure and approximate, and the exact one for T = 4.

    `redraws` is ``"tuned"``, or ``"after a loss"`` only; then the pure game decides.
    """
    tuned = redraws == "tuned"
    for game in (sampled.PURE, sampled.APPROXIMATE) if tuned else (sampled.PURE,):
        result = sampled.audit_dartboard(profile, seed, game, redraws=redraws)
        where = f"T = {game.horizon}, S = {game.n_switches}, delta = {game.delta:g}, N = 2."
        yield _certified(result, 1.0, "<=", where)
    if tuned:
        worst = sampled.dartboard_worst()
        yield at_most(worst, 1.0, "Exact, T = 4: all neighbouring 0/1 tables.", unit=OVER)


def mirror(profile: str, seed: int, *, calibration: str, relation: Relation) -> Evidence:
    """Privacy loss that the plays of Algorithm 3 certify, six experts in eight rounds, epsilon = 2."""
    result = sampled.audit_mirror(profile, seed, calibration)
    return _certified(result, 1.0, relation, "How many of seven plays fall into the favoured half.")


@worst
def lazy_privacy(profile: str, seed: int, *, redraw_factor: float) -> Iterator[Evidence]:
    """Exact worst privacy loss of L2P's first four plays over the stated one, over all 0/1 tables.

    L2P tuned to (1/2, 1e-6) for four rounds, and L2P for 500 rounds at rate 1e-4 with the smallest p that the
    stated accountant admits there: 2 eta / p is nearly all of it. The learner's p is multiplied by
    `redraw_factor`.
    """
    delta = 1e-6
    log_d = switching.log_count_sequences(4, 2, 1)
    tuned, _ = lazy.tune_lazy(epsilon=0.5, delta=delta, horizon=4, log_d=log_d)
    least = lazy.Lazy(learning_rate=1e-4, redraw=1e-4 * math.log(2 * 500 / delta) * (1 + EXACT))
    for name, base, horizon in (("tuned to epsilon = 1/2", tuned, 4), ("least p at rate 1e-4", least, 500)):
        used = replace(base, redraw=base.redraw * redraw_factor)
        law = partial(exact.literal_lazy_law, n_switches=0, lazy=used)
        loss = audit.exhaustive_privacy_loss(law, n_rounds=4, n_actions=2)
        stated = lazy.lazy_epsilon(base, horizon=horizon, delta=delta)
        detail = f"N = 2, S = 0, T = {horizon}, {name}: all neighbouring 0/1 tables of four rounds."
        yield at_most(loss / stated, 1.0, detail, unit=OVER)
