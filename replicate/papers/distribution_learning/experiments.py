"""Measured data: what the claims are checked on and the figures drawn from."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from replicate import certify
from replicate.mechanisms import composition
from replicate.papers.distribution_learning import bounds, instances, privacy
from replicate.papers.distribution_learning.algorithms import channels, schemes
from replicate.papers.distribution_learning.algorithms.schemes import Game, divergence
from replicate.papers.distribution_learning.algorithms.simulation import RiskRun, simulate
from replicate.papers.distribution_learning.instances import SIZES, hadamard_class
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "BAND",
    "DELTA",
    "close_coins",
    "coins_mixture_risk",
    "frozen_risk",
    "hadamard_risks",
    "large_classes",
    "noise_scales",
    "play",
    "printed_and_corrected",
    "privacy_losses",
    "public_game",
    "risk_over_horizons",
    "size_sweep",
    "theorem_grid",
    "truth_weights",
    "tv_over_horizons",
    "uniform_risk",
]

BAND = 0.01
"""Bands in figures are 99 % confidence intervals of the mean."""
DELTA = 0.01
"""delta of Algorithm 1 wherever it is not varied."""
LEARNERS = ("pure", "approximate", "randomized_response", "non_private")


def play(hypotheses: FloatArray, profile: str, seed: int, *key: object, **options: Any) -> RiskRun:
    """Simulate with the profile's sizes, and a stream that depends on `key` and the options."""
    sizes = SIZES[profile]
    scheme = options.setdefault("scheme", "pure")
    options.setdefault("replicates", sizes.replicates)
    options.setdefault("grid", sizes.grid)
    delta = DELTA if scheme == "approximate" else None
    named = sorted((name, value) for name, value in options.items() if name != "replicates")
    return simulate(hypotheses, **options, delta=delta, rng=stream(seed, "dl", profile, *key, named))


def uniform_risk(hypotheses: FloatArray, truth: int, horizon: int) -> float:
    """Risk of predicting the plain average of all hypotheses for ever, contexts being equally frequent."""
    f = channels.validate_hypotheses(hypotheses)
    return float(horizon * np.mean([divergence(row[truth], row.mean(axis=0)) for row in f]))


def frozen_risk(game: Game, truth: int) -> float:
    """Risk of a learner stuck for ever on the wrong hypothesis that is farthest from the truth."""
    per_round = np.array([divergence(m[truth], p) for m, p in zip(game.masses, game.predictions, strict=True)])
    return float(game.horizon * per_round.mean(axis=0).max())


def bound(scheme: str, *, n_hypotheses: int, n_labels: int, horizon: int, epsilon: float) -> float:
    """The upper bound that holds for a scheme."""
    setting = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    if scheme == "pure":
        return bounds.theorem_5(**setting)  # type: ignore[arg-type]
    if scheme == "approximate":
        return bounds.theorem_4(**setting, delta=DELTA)  # type: ignore[arg-type]
    if scheme == "randomized_response":
        return bounds.randomized_response(**setting, n_labels=n_labels)  # type: ignore[arg-type]
    return bounds.non_private(n_hypotheses=n_hypotheses)


def _summary(samples: FloatArray) -> dict[str, float]:
    """Mean with the ends of its confidence band."""
    interval = certify.mean_interval(samples, false_alarm=BAND)
    return {"mean": interval.estimate, "low": max(interval.low, 1e-12), "high": interval.high}


def coins_mixture_risk(gap: float, horizon: int) -> float:
    """Exact risk of the non-private mixture on two coins: E log(2/(1 + LR)) over the number of heads."""
    heads = np.arange(horizon + 1)
    log_ratio = (2 * heads - horizon) * np.log((0.5 - gap) / (0.5 + gap))
    law = stats.binom.pmf(heads, horizon, 0.5 + gap)
    return float(np.log(2) - law @ np.logaddexp(0, log_ratio))


@cache
def theorem_grid(scheme: str, profile: str, seed: int) -> pd.DataFrame:
    """Risk and averaged total variation of a scheme on every named class, truth, epsilon and horizon.

    Columns hold means, upper confidence limits that together are wrong with probability
    `certify.CLAIM_FALSE_ALARM`, the explicit bounds, and what uniform and frozen learners pay.
    """
    rows: list[dict[str, Any]] = []
    settings = SIZES[profile].settings
    classes = instances.named()
    rate = certify.share(8 * len(settings) * len(classes))
    for (epsilon, horizon), (name, f) in ((s, c) for s in settings for c in classes.items()):
        contexts = "periodic" if "periodic" in name else "iid"
        game = public_game(f, scheme, epsilon, horizon)
        k = game.hypotheses.shape[1]
        for truth in range(4 if k == 4 else 1):
            options = {"scheme": scheme, "epsilon": epsilon, "horizon": horizon, "contexts": contexts}
            size = {"replicates": min(100, SIZES[profile].replicates), "grid": 200}
            run = play(f, profile, seed, "theorems", name, truth=truth, **options, **size)
            rows.append(
                {"instance": name, "n_hypotheses": k, "truth": truth, "epsilon": epsilon, "horizon": horizon}
                | {"risk": run.final.mean(), "tv": run.averaged_tv.mean()}
                | {"risk_upper": float(certify.mean_upper(run.final, false_alarm=rate))}
                | {"tv_upper": float(certify.mean_upper(run.averaged_tv, false_alarm=rate))}
                | {"risk_bound": bound(scheme, n_hypotheses=k, n_labels=1, horizon=horizon, epsilon=epsilon)}
                | {"risk_uniform": uniform_risk(f, truth, horizon), "risk_frozen": frozen_risk(game, truth)}
                | {"tv_uniform": _uniform_tv(f, truth), "tv_frozen": _frozen_tv(game, truth)}
            )
    data = pd.DataFrame(rows)
    data["tv_bound"] = np.sqrt(data["risk_bound"] / (2 * data["horizon"]))
    return data


@cache
def large_classes(profile: str, seed: int) -> pd.DataFrame:
    """Risk at T = 1e14, epsilon = 1: many hypotheses and many labels together, and every K with both deltas."""
    n_labels, largest, horizon = (200, 16, 10**14) if profile == "quick" else (1000, 64, 10**14)
    cells: list[tuple[str, int, float | None]] = [("pure", largest, None)]
    cells += [("approximate", k, delta) for k in (2, 4, 16, 64) for delta in (1e-2, 1e-6)]
    rows = []
    for scheme, k, delta in cells:
        f = instances.dirichlet(k, n_labels)
        options = {"scheme": scheme, "epsilon": 1.0, "delta": delta, "horizon": horizon}
        rng = stream(seed, "dl", "large", profile, scheme, k, delta)
        run = simulate(f, **options, replicates=16, grid=100, rng=rng)  # type: ignore[arg-type]
        setting = {"n_hypotheses": k, "horizon": horizon, "epsilon": 1.0}
        limit = bounds.theorem_5(**setting) if delta is None else bounds.theorem_4(**setting, delta=delta)  # type: ignore[arg-type]
        game = Game.validated(f, **options, calibration="corrected", merge=True)  # type: ignore[arg-type]
        rows.append(
            {"scheme": scheme, "n_hypotheses": k, "n_labels": n_labels, "delta": delta, "bound": limit}
            | {"upper": float(certify.mean_upper(run.final, false_alarm=certify.share(len(cells))))}
            | {"uniform": uniform_risk(f, 0, horizon), "frozen": frozen_risk(game, 0)}
        )
    return pd.DataFrame(rows)


def public_game(f: FloatArray, scheme: str, epsilon: float, horizon: int, calibration: str = "corrected") -> Game:
    """What users and learner know, with the delta of these experiments."""
    delta = DELTA if scheme == "approximate" else None
    return Game.validated(
        f, scheme=scheme, epsilon=epsilon, delta=delta, horizon=horizon, calibration=calibration, merge=True
    )


def _uniform_tv(hypotheses: FloatArray, truth: int) -> float:
    f = channels.validate_hypotheses(hypotheses)
    return float(np.abs(f[:, truth] - f.mean(axis=1)).sum(axis=-1).mean() / 2)


def _frozen_tv(game: Game, truth: int) -> float:
    distance = np.abs(game.masses[:, truth, None] - game.predictions).sum(axis=-1) / 2
    return float(distance.mean(axis=0).max())


@cache
def risk_over_horizons(profile: str, seed: int, epsilon: float = 1.0) -> pd.DataFrame:
    """Risk of every learner at each horizon, each run tuned to its horizon; one Dirichlet(0.3) class, K=4, M=8."""
    f = instances.dirichlet(4, 8)
    rows: list[dict[str, Any]] = []
    for horizon in SIZES[profile].horizons:
        setting = {"horizon": horizon, "epsilon": epsilon}
        for scheme in LEARNERS:
            run = play(f, profile, seed, "horizons", scheme=scheme, **setting)
            limit = bound(scheme, n_hypotheses=4, n_labels=8, horizon=horizon, epsilon=epsilon)
            rows.append({"learner": scheme, **setting, **_summary(run.final), "bound": limit})
        flat = uniform_risk(f, 0, horizon)
        rows.append({"learner": "uniform", **setting, "mean": flat, "low": flat, "high": flat, "bound": np.nan})
    return pd.DataFrame(rows)


@cache
def size_sweep(profile: str, seed: int, horizon: int = 10**10) -> pd.DataFrame:
    """Risk against K (classes on 64 labels, averaged over two truths) and against M (one class, labels split)."""
    sizes = SIZES[profile]
    cells = [("K", k, instances.dirichlet(k, 64, concentration=1.0)) for k in sizes.n_hypotheses]
    base = instances.dirichlet(4, 8)
    cells += [("M", m, instances.split_labels(base, m)) for m in sizes.n_labels]
    rows: list[dict[str, Any]] = []
    for axis, value, f in cells:
        truths, replicates = (range(2), 40) if axis == "K" else (range(1), sizes.replicates)
        for scheme in LEARNERS:
            setting = {"n_hypotheses": len(f), "n_labels": f.shape[1], "horizon": horizon, "epsilon": 1.0}
            options = {"scheme": scheme, "horizon": horizon, "replicates": replicates, "grid": 200}
            runs = [play(f, profile, seed, axis, value, truth=j, **options) for j in truths]
            final = np.mean([run.final for run in runs], axis=0)
            limit = bound(scheme, **setting)
            rows.append({"axis": axis, "value": value, "learner": scheme, **_summary(final), "bound": limit})
    return pd.DataFrame(rows)


@cache
def truth_weights(profile: str, seed: int) -> pd.DataFrame:
    """Quartiles over replicates of Algorithm 2's weight of the truth, against t/T, for several horizons."""
    f = instances.dirichlet(4, 8)
    rows = []
    for horizon in (10**4, 10**6, 10**8, 10**10, 10**12):
        run = play(f, profile, seed, "weights", horizon=horizon, replicates=max(100, SIZES[profile].replicates))
        low, middle, high = np.quantile(run.truth_weight, [0.1, 0.5, 0.9], axis=0)
        keep = run.rounds > 1e-5 * horizon
        rows.append(
            pd.DataFrame(
                {"horizon": horizon, "fraction": run.rounds / horizon, "q10": low, "median": middle, "q90": high}
            )[keep]
        )
    return pd.concat(rows, ignore_index=True)


@cache
def hadamard_risks(profile: str, seed: int, n_pairs: int = 4) -> pd.DataFrame:
    """Risk on the class of Theorem 3, rebuilt for each epsilon and horizon: the larger one of the first pair."""
    rows: list[dict[str, Any]] = []
    horizons = SIZES[profile].horizons
    rate = certify.share(2 * 2 * len(horizons) * len(LEARNERS))
    for epsilon, horizon in ((e, t) for e in (1.0, 0.1) for t in horizons):
        setting = {"n_pairs": n_pairs, "horizon": horizon, "epsilon": epsilon}
        gap = bounds.hadamard_gap(**setting)  # type: ignore[arg-type]
        f = hadamard_class(n_pairs, gap)
        for scheme in LEARNERS:
            options = {"scheme": scheme, "horizon": horizon, "epsilon": epsilon}
            size = {"replicates": 200 if scheme == "randomized_response" else 30, "grid": 100}
            finals = [play(f, profile, seed, "hadamard", truth=j, **options, **size).final for j in (0, 1)]
            worst = max(finals, key=lambda final: final.mean())
            limit = {"lower": max(float(certify.mean_lower(final, false_alarm=rate)) for final in finals)}
            rows.append(
                {"learner": scheme, **setting, "gap": gap, **_summary(worst), **limit}
                | {"upper": float(certify.mean_upper(worst, false_alarm=rate))}
                | {"theorem_3": bounds.theorem_3(**setting)}  # type: ignore[arg-type]
            )
    return pd.DataFrame(rows)


@cache
def close_coins(profile: str, seed: int, scheme: str = "pure") -> tuple[pd.DataFrame, FloatArray]:
    """Averaged total variation on two coins whose gap shrinks with T so that the scheme just fails to tell them.

    Returns
    -------
    A summary, one row a horizon, and the samples, shape (replicates, horizons).
    """
    horizons = [10**p for p in range(8, 17, 2 if profile == "quick" else 1)]
    rows, samples = [], []
    for horizon in horizons:
        gap = instances.hardest_gap(horizon, 1.0)
        if scheme == "randomized_response":
            gap = 0.25 * bounds.randomized_response_tv(n_hypotheses=2, n_labels=2, horizon=horizon, epsilon=1.0)
        run = play(instances.close_pair(gap), profile, seed, "coins", scheme=scheme, horizon=horizon)
        rows.append(
            {"horizon": horizon, "gap": gap, **_summary(run.averaged_tv)}
            | {"theorem_6": bounds.theorem_6(n_hypotheses=2, horizon=horizon, epsilon=1.0)}
        )
        samples.append(run.averaged_tv)
    return pd.DataFrame(rows), np.array(samples).T


@cache
def tv_over_horizons(profile: str, seed: int) -> tuple[pd.DataFrame, FloatArray]:
    """Averaged total variation of Algorithm 2 on two fixed coins, at the horizons of `close_coins`."""
    rows, samples = [], []
    for horizon in close_coins(profile, seed)[0]["horizon"]:
        run = play(instances.close_pair(0.3), profile, seed, "fixed coins", horizon=int(horizon))
        rows.append({"horizon": int(horizon), "gap": 0.3, **_summary(run.averaged_tv)})
        samples.append(run.averaged_tv)
    return pd.DataFrame(rows), np.array(samples).T


@cache
def privacy_losses(profile: str, seed: int, epsilon: float = 1.0) -> pd.DataFrame:
    """Exact privacy loss of Algorithm 2's message, printed and corrected, against the horizon."""
    classes = {
        "one against 49 labels": instances.one_against_many(50),
        "three labels": instances.THREE_LABELS,
        "Dirichlet(0.3), K=4, M=8": instances.dirichlet(4, 8),
    }
    horizons = np.unique(np.round(np.geomspace(10, 10**12, 34 if profile == "quick" else 100)).astype(np.int64))
    rows = []
    for (name, f), horizon in ((c, int(t)) for c in classes.items() for t in horizons):
        for calibration in ("printed", "corrected"):
            game = public_game(f, "pure", epsilon, horizon, calibration)
            loss = privacy.one_coordinate_loss(game.channels[0], game.masses[0], game.tuning.scale)
            rows.append({"instance": name, "horizon": horizon, "calibration": calibration, "loss": loss / epsilon})
    return pd.DataFrame(rows)


@cache
def noise_scales(profile: str, seed: int, epsilon: float = 1.0) -> pd.DataFrame:
    """Scale of Algorithm 1's noise for one unit of sensitivity: printed, by Lemma 2, and exact."""
    sizes = np.unique(np.round(np.geomspace(1, 1000, 13 if profile == "quick" else 31)).astype(int))
    rows = []
    for k, delta in ((int(k), delta) for k in sizes for delta in (1e-2, 1e-6)):
        printed = schemes.printed_unit_scale(k, epsilon, delta)
        lemma = privacy.advanced_unit_scale(k, epsilon, delta)
        exact = composition.laplace_scale(k, epsilon=epsilon, delta=delta)
        row = {"n": k, "delta": delta, "printed": printed, "lemma_2": lemma, "exact": exact, "plain": k / epsilon}
        rows.append(row)
    return pd.DataFrame(rows)


@cache
def printed_and_corrected(profile: str, seed: int) -> pd.DataFrame:
    """Risk of Algorithms 1 and 2 under the three calibrations at T = 10^12, where privacy losses differ."""
    classes = {"K=2, M=50": instances.one_against_many(50), "K=4, M=8": instances.dirichlet(4, 8)}
    rows: list[dict[str, Any]] = []
    for (name, f), scheme in ((c, s) for c in classes.items() for s in ("pure", "approximate")):
        for calibration in ("printed", "corrected", "tight"):
            run = play(f, profile, seed, name, scheme=scheme, horizon=10**12, calibration=calibration)
            loss = np.nan
            if scheme == "pure":
                game = public_game(f, scheme, 1.0, 10**12, calibration)
                loss = privacy.one_coordinate_loss(game.channels[0], game.masses[0], game.tuning.scale)
            rows.append(
                {"instance": name, "scheme": scheme, "calibration": calibration, **_summary(run.final)}
                | {"upper": float(certify.mean_upper(run.final, false_alarm=certify.share(8)))}
                | {"lower": float(certify.mean_lower(run.final, false_alarm=certify.share(8)))}
                | {"privacy_loss": loss}
            )
    return pd.DataFrame(rows)
