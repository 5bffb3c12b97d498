"""Measured risk and total variation of one randomised bit per label, and of the schemes that compete with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from replicate import certify
from replicate.budget import cache
from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms.bayes import BayesScheme
from replicate.papers.distribution_learning.algorithms.simulation import RiskRun
from replicate.papers.distribution_learning.experiments import regret
from replicate.profiles import with_more
from replicate.validation import FloatArray

SETTINGS = {
    "quick": ((1.0, 10**6), (0.1, 10**8)),
    "full": ((3.0, 10**6), (1.0, 10**8), (1.0, 10**12), (0.1, 10**10)),
    "huge": ((3.0, 10**6), (1.0, 10**8), (1.0, 10**12), (0.1, 10**10), (0.1, 10**12)),
}
"""(epsilon, horizon) of `rates`."""


def public(f: FloatArray, scheme: str, epsilon: float, horizon: int) -> BayesScheme:
    """Return what is public of a scheme of `algorithms.bayes`; alike labels are merged."""
    sizes: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon}
    return BayesScheme.validated(f, scheme=scheme, **sizes, calibration="corrected", merge=True)


def upper(run: RiskRun, shared: BayesScheme, truth: int, *, quantity: str, false_alarm: float) -> float:
    """`experiments.regret.upper` of Bayes' rule on one context."""
    return regret.upper(run, shared.laws[0], shared.masses[0], truth, quantity=quantity, false_alarm=false_alarm)


def hard_classes(epsilon: float, horizon: int) -> dict[str, FloatArray]:
    """Classes that one bit per label just resolves within the horizon, shapes (K, M).

    No distribution is zero where the first is positive: of the Hadamard class, the first distribution and the
    second of each pair.
    """
    coins = 1.2 * bounds.bits_tv(n_hypotheses=2, horizon=horizon, epsilon=epsilon)
    classes = {"two coins": instances.close_pair(coins)}
    for pairs in (4, 15):
        gap = bounds.budgeted_gap(n_pairs=pairs, horizon=horizon, epsilon=epsilon)
        classes[f"Hadamard, {pairs} pairs"] = instances.hadamard_class(pairs, gap)[[0, *range(1, 2 * pairs, 2)]]
    gap = bounds.bits_tv(n_hypotheses=16, horizon=horizon, epsilon=epsilon)
    return classes | {"8 pairs on blocks of their own": 0.9 * instances.paired_blocks(8, gap) + 0.1 / 16}


@cache
def rates(profile: str, seed: int) -> pd.DataFrame:
    """One randomised bit per label on classes that get harder with T: upper limits of risk and averaged distance.

    Columns ``tv_learned`` and ``risk_learned``, the bounds, and the values of the ``uniform`` mixture. The last
    class has three contexts, at T = 1,000, and no limit of its risk.
    """
    rows, many = [], with_more({"quick": 60, "full": 150})[profile]
    cells = [(e, t, name) for e, t in SETTINGS[profile] for name in hard_classes(e, t)]
    alarm = certify.share(2 * len(cells) + 1)
    for epsilon, horizon, name in cells:
        f = hard_classes(epsilon, horizon)[name]
        options: dict[str, Any] = {"scheme": "sign_bits", "epsilon": epsilon, "horizon": horizon}
        shared = public(f, **options)
        size = {"replicates": 4 * many if name == "two coins" else many, "grid": 100}
        run = regret.play(f, profile, seed, "bits", name, **options, **size)
        row = _stated(f, epsilon, horizon) | {"instance": name}
        for quantity in ("risk", "tv"):
            limit = upper(run, shared, 0, quantity=quantity, false_alarm=alarm)
            row[f"{quantity}_learned"] = limit if quantity == "risk" else limit / horizon
            samples = run.final if quantity == "risk" else run.averaged_tv
            row[f"{quantity}_lower"] = regret.risk_lower(samples, false_alarm=alarm)
        rows.append(row)
    f = instances.named()["three contexts, i.i.d."][0]
    run = regret.play(f, profile, seed, "bits", scheme="sign_bits", horizon=1000, replicates=10 * many, grid=100)
    value = float(certify.betting_upper(run.averaged_tv.clip(0, 1), low=0, high=1, false_alarm=alarm))
    least = regret.risk_lower(run.averaged_tv, false_alarm=alarm)
    rows.append(_stated(f, 1.0, 1000) | {"instance": "three contexts", "tv_lower": least, "tv_learned": value})
    return pd.DataFrame(rows)


def _stated(f: FloatArray, epsilon: float, horizon: int) -> dict[str, Any]:
    """Bounds of one bit per label, and what the uniform mixture has."""
    setting: dict[str, Any] = {"n_hypotheses": f.shape[-2], "horizon": horizon, "epsilon": epsilon}
    risk, distance = regret.uniform_losses(f, 0)
    stated = {"tv_bound": bounds.bits_tv(**setting), "risk_bound": bounds.bits_risk(**setting)}
    return setting | stated | {"tv_uniform": distance, "risk_uniform": horizon * risk}


def coins_distance(gap: float, horizon: int, epsilon: float) -> float:
    """Exact sum over rounds of E TV^2 of one bit per label on two coins: heads with probability 1/2 +- gap.

    A bit is right for the truth with probability p = (1 + 2 gap tanh(eps/2))/2. After n bits, s of them right, the
    weight of the wrong coin is 1/(1 + (p/(1 - p))^(2 s - n)), and the distance is 2 gap times that.
    """
    right, total, law = (1 + 2 * gap * np.tanh(epsilon / 2)) / 2, 0.0, np.ones(1)
    for n in range(horizon):
        wrong = special.expit((n - 2 * np.arange(n + 1)) * special.logit(right))
        total += float(law @ (2 * gap * wrong) ** 2)
        law = np.append(law * (1 - right), 0.0) + np.append(0.0, law * right)  # of s, one bit later
    return total


@cache
def block_distance(profile: str, seed: int, scheme: str) -> tuple[float, float]:
    """Limits of the averaged total variation on 32 pairs with blocks of their own, T = 10^6, epsilon = 1."""
    f, horizon = instances.paired_blocks(32, 0.06), 10**6
    size = {"replicates": with_more({"quick": 30, "full": 400})[profile], "grid": 100}
    run = regret.play(f, profile, seed, "blocks", scheme=scheme, horizon=horizon, **size)
    shared, alarm = public(f, scheme, 1.0, horizon), certify.share(4)
    high = upper(run, shared, 0, quantity="tv", false_alarm=alarm) / horizon
    return regret.risk_lower(run.averaged_tv, false_alarm=alarm), high


@cache
def class_means(
    kind: str, quantity: str, profile: str, seed: int, epsilon: float, horizon: int, size: int
) -> pd.DataFrame:
    """Mean risk, or averaged total variation (``tv``), over the class of a lower bound: each law once true.

    Of ``pairs`` of the Hadamard class, of `size` distributions ``signed`` by its rows, or of those for
    ``interactive`` schemes. Columns ``learner`` and ``lower``, its confidence limit.
    """
    schemes: tuple[str, ...] = ("randomized_response", "sign_bits", "non_private")
    key: tuple[object, ...] = ("pair distances", size)
    if kind == "pairs":
        f = instances.hadamard_class(size, bounds.budgeted_gap(n_pairs=size, horizon=horizon, epsilon=epsilon))
        many, limits = max(80, 640 // len(f)), 9
        if quantity == "risk":
            key, schemes, limits = ("pairs", size), (schemes[0], schemes[2]), 12
            many = max(60, (600 if profile == "quick" else 1000) // len(f))
    else:
        f = _signed(quantity, kind == "interactive", epsilon, horizon, size)
        key, many, limits = ("signed", quantity, kind == "interactive", size), max(40, 320 // len(f)), 9
    rows = []
    for scheme in schemes:
        control = profile == "quick" and scheme == "non_private"  # millions of times below the bound
        played = {"scheme": scheme, "epsilon": epsilon, "horizon": horizon, "grid": 100}
        played["replicates"] = 10 if control else many
        runs = [regret.play(f, profile, seed, *key, truth=j, **played) for j in range(len(f))]
        total = np.mean([run.averaged_tv if quantity == "tv" else run.final for run in runs], axis=0)
        rows.append({"learner": scheme, "lower": regret.risk_lower(total, false_alarm=certify.share(limits))})
    return pd.DataFrame(rows)


def _signed(quantity: str, interaction: bool, epsilon: float, horizon: int, n_hypotheses: int) -> FloatArray:
    """The class of `bounds.fano_tv` or `interactive_tv`, or of the bounds for the ``risk``: shape (K, M)."""
    setting: dict[str, Any] = {"n_hypotheses": n_hypotheses, "horizon": horizon, "epsilon": epsilon}
    if quantity == "tv":
        return instances.signed_class(n_hypotheses, bounds.signed_gap(**setting, interaction=interaction))
    return instances.rare_class(n_hypotheses, bounds.rare_share(**setting, interaction=interaction))


def greedy_loss(quantity: str, epsilon: float, horizon: int, n_hypotheses: int) -> float:
    """Exact mean loss over the class of the bound with interaction, of Bayes' rule on bits that are asked for.

    Each user sends one randomised bit of the row of the Hadamard matrix whose mean has the largest variance under
    the learner's posterior. Risk, or averaged total variation (``tv``), over all 2^T sequences of bits.
    """
    f = _signed(quantity, True, epsilon, horizon, n_hypotheses)
    rows = np.ones_like(f)
    rows[:, -n_hypotheses - 1 :] = np.where(instances.signed_class(n_hypotheses, 1.0) > 0, 1, -1)
    means = np.tanh(epsilon / 2) * f @ rows.T  # of a bit, as +-1, under each law (rows) and for each row of H
    total, joint = 0.0, np.full((1, n_hypotheses), 1 / n_hypotheses)  # of a sequence of bits and the distribution
    for _ in range(horizon):
        posterior = joint / joint.sum(axis=1, keepdims=True)
        predicted = (posterior @ f)[:, None]
        apart = np.abs(f - predicted) / 2 if quantity == "tv" else special.rel_entr(f, predicted)
        total += float((joint * apart.sum(axis=2)).sum())
        asked = (posterior @ means**2 - (posterior @ means) ** 2).argmax(axis=1)
        joint = np.concatenate([joint * (1 + sign * means.T[asked]) / 2 for sign in (1, -1)])
    return total / horizon if quantity == "tv" else total


LABELS = {"quick": {8: 10, 512: 10}, "full": {8: 100, 64: 100, 512: 100, 2**12: 30, 2**15: 12}}
"""Numbers of labels of `label_sweep`, with the runs at each: a run costs as much as there are labels.

At full sizes Algorithm 2 has half as many: its runs are the dearest by far, and scatter least.
"""
SHOWN = ("sign_bits", "merged_response", "posterior", "pure", "non_private")
"""Schemes whose risks `label_sweep` compares."""


@cache
def label_sweep(profile: str, seed: int) -> pd.DataFrame:
    """Risk at T = 10^10 against the number of labels, K = 4, epsilon = 1: Dirichlet(1) classes, not mergeable.

    Columns ``learner``, ``n_labels``, ``mean``, ``low``, ``high``; ``uniform`` weights too.
    """
    rows: list[dict[str, Any]] = []
    for m, runs in LABELS["quick" if profile == "quick" else "full"].items():
        f = instances.dirichlet(4, m, concentration=1.0)
        for scheme in SHOWN:
            many = with_more({"quick": runs, "full": runs // (2 if scheme == "pure" else 1)})[profile]
            options = {"scheme": scheme, "horizon": 10**10, "replicates": many, "grid": 100}
            final = regret.play(f, profile, seed, "label sweep", m, **options).final
            band = certify.band(final, level=regret.BAND)
            limits = {"mean": band.estimate, "low": max(band.low, 0.1), "high": band.high}
            rows.append({"learner": scheme, "n_labels": m, **limits})
        flat = 10**10 * regret.uniform_losses(f, 0)[0]
        rows.append({"learner": "uniform", "n_labels": m, "mean": flat, "low": flat, "high": flat})
    return pd.DataFrame(rows)
