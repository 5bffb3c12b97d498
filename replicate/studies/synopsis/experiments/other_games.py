"""Measured regret with the advice of experts, and measured risk of predicting labels."""

from __future__ import annotations

import pandas as pd

from replicate import certify
from replicate.advice.text import short
from replicate.budget import cache
from replicate.learners import registry
from replicate.papers.bandits.instances import one_good_expert
from replicate.papers.distribution_learning.algorithms.simulation import RiskRun
from replicate.papers.distribution_learning.experiments import bits as labels
from replicate.papers.distribution_learning.experiments import regret as regret_of_labels
from replicate.papers.distribution_learning.instances import dirichlet, split_labels
from replicate.streams import stream
from replicate.studies.synopsis.experiments import regret
from replicate.validation import FloatArray


@cache
def advised(profile: str, seed: int) -> pd.DataFrame:
    """Bandits with the advice of 8 experts, one of them good: regret over T, K = 2, epsilon = 1."""
    rows, problem, limits = [], one_good_expert(8, 2), (certify.mean_upper, certify.mean_lower)
    runs = 10 if profile == "quick" else 16
    for learner, horizon, many in (("htinf", 10**6, runs), ("local_exp4", 10**6, 6), ("batched_exp4", 10**9, 8)):
        rng = stream(seed, "synopsis/advised", learner)
        run = registry.simulate_with_advice(
            learner, problem, epsilon=1.0, horizon=horizon, replicates=many, rng=rng
        )
        alarm = certify.share(6)
        upper, lower = (float(limit(run.final, false_alarm=alarm)) for limit in limits)
        rows.append(regret.summary(run.final, learner=learner, horizon=horizon, upper=upper, lower=lower))
    return pd.DataFrame(rows)


LABEL_SCHEMES = ("sign_bits", "pair_bits", "merged_response", "posterior", "pure", "non_private")
"""Schemes of pure local privacy, and the label itself. All but Algorithm 2 are read by Bayes' rule."""
LABEL_HORIZON = 10**10


def label_classes(profile: str) -> dict[str, tuple[FloatArray, int]]:
    """Classes of laws, and replicates: labels that cannot be merged (Dirichlet(1)), and copies of eight."""
    many, largest = {"quick": (50, 256), "full": (150, 2**12), "huge": (1500, 2**12)}[profile]
    return {
        "many labels": (dirichlet(4, largest, concentration=1.0), many),
        "more hypotheses": (dirichlet(16, 64, concentration=1.0), max(2 * many, 200)),
        "copies": (split_labels(dirichlet(4, 8), 2**15), many if profile == "quick" else 2 * many),
    }


@cache
def labelled(profile: str, seed: int) -> pd.DataFrame:
    """Locally private labels: risk in nats at T = 10^10, epsilon = 1, of every scheme with pure privacy, by class.

    ``lower`` and ``upper`` are proved limits for Algorithm 2, of which few games are played, and confidence limits
    without normality for others; ``bound`` is the value of the proved bound for all classes of that size, NaN
    where there is none. Plain randomised response is there on copies only: it gains nothing elsewhere by merging.
    """
    rows, cells, epsilon = [], label_classes(profile), 1.0
    few = {"quick": 8}.get(profile, 16)
    alarm = certify.share(2 * len(cells) * (len(LABEL_SCHEMES) + 1))
    for place, (laws, many) in cells.items():
        for scheme in (*LABEL_SCHEMES, *(["randomized_response"] if place == "copies" else [])):
            rng = stream(seed, "synopsis/labelled", place, scheme)
            size = {"horizon": LABEL_HORIZON, "replicates": few if scheme == "pure" else many, "grid": 100}
            run = registry.schemes()[scheme].simulate(laws, epsilon=epsilon, rng=rng, **size)
            lower, upper = _limits(run, laws, scheme, epsilon, alarm)
            promise = registry.schemes()[scheme].bound
            bound = promise(laws, epsilon=epsilon, horizon=LABEL_HORIZON) if promise else float("nan")
            row = {"place": place, "learner": scheme, "n_hypotheses": len(laws), "n_labels": laws.shape[1]}
            row |= {"epsilon": epsilon, "bound": bound, "lower": lower, "upper": upper}
            uniform = LABEL_HORIZON * regret_of_labels.uniform_losses(laws, 0)[0]
            rows.append(regret.summary(run.final, **row, uniform=uniform))
    return pd.DataFrame(rows)


def label_rows(profile: str, seed: int) -> list[list[str]]:
    """Rows of the decision table, in its columns.

    The scheme is the one of least mean risk among those with a bound for all classes of the size.
    """
    data, rows = labelled(profile, seed), []
    situations = {
        "many labels": "labels, nobody to trust (prediction)",
        "copies": "the same, labels being copies of a few",
    }
    for place, situation in situations.items():
        risk = data[data["place"] == place].set_index("learner")
        private, free = risk.drop(index="non_private"), risk.loc["non_private"]
        proved = private[private["bound"].notna()].sort_values("regret")
        best, at = registry.schemes()[str(proved.index[0])], proved.iloc[0]
        half = (at["high"] - at["low"]) / 2
        size = f"K = {at['n_hypotheses']}, {at['n_labels']:,} labels, T = 10¹⁰"
        others = private[private["bound"].isna()].sort_values("regret")
        rows.append([
            situation, "", f"**{best.label}**", best.name, best.privacy,
            f"risk {short(at['regret'])} ± {short(half)} nats ({size})", short(at["uniform"]),
            f"{short(at['bound'])}, {'holds here' if at['bound'] < at['uniform'] else 'vacuous here'}", "",
            _listed(others), f"{registry.schemes()['non_private'].label} {short(free['regret'])}",
            f"others with a bound: {_listed(proved.iloc[1:])}", "SY-LAB, SY-MERGE, DL-R1c",
        ])  # fmt: skip
    return rows


def _listed(rows: pd.DataFrame) -> str:
    """Schemes with their risks."""
    return "; ".join(
        f"{registry.schemes()[str(name)].label} {short(row['regret'])}" for name, row in rows.iterrows()
    )


def _limits(run: RiskRun, laws: FloatArray, scheme: str, epsilon: float, alarm: float) -> tuple[float, float]:
    """Limits of the expected risk of a scheme."""
    if scheme == "pure":
        shared = regret_of_labels.public_scheme(laws, scheme, epsilon, LABEL_HORIZON)
        risk = regret_of_labels.bracketed(shared, 0)
        return float(risk.lower.sum()), float(risk.upper.sum())
    lower = regret_of_labels.risk_lower(run.final, false_alarm=alarm)
    if scheme in ("randomized_response", "non_private"):
        return lower, regret_of_labels.response_upper(run, laws, epsilon, 0, false_alarm=alarm, scheme=scheme)
    known = labels.public(laws, scheme, epsilon, LABEL_HORIZON)
    return lower, labels.upper(run, known, 0, quantity="risk", false_alarm=alarm)
