"""What is measured for each claim and held against what. The same code, given a mutant, is the claim's control."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replicate import audit, certify, dyadic, environments
from replicate.claims import Check, Evidence
from replicate.environments import Bernoulli, Joint
from replicate.papers.prefix_softmax import algorithms, bounds, experiments, lemmas, privacy
from replicate.papers.prefix_softmax.instances import HORIZON, SIZES, means_of
from replicate.streams import stream

__all__ = [
    "cap",
    "dependent",
    "drift",
    "equation_4",
    "horizon_free",
    "largest_ratio",
    "lemma_1",
    "lemma_2",
    "lemma_4",
    "lemma_5",
    "noisy_max_growth",
    "rate",
    "selection_loss",
    "sequence_loss",
    "theorem_1",
]

FloatArray = NDArray[np.float64]
EXACT = 1e-9
"""Relative slack for comparisons of exact computations: rounding, not statistics."""


# Theorem 1 and Corollary 1


def _under(data: pd.DataFrame, measured: str, bound: str) -> Evidence:
    """Hold one column against another, row by row; the row closest to its bound speaks for all."""
    pieces = []
    for row in data.to_dict("records"):
        where = f"K={row['n_actions']}, gap={row['gap']:.3g}, ε={row['epsilon']:g}"
        detail = f"Worst of {len(data)} settings: {row['instance']}, {where}."
        pieces.append(Evidence(measured=row[measured], limit=row[bound], detail=detail, uniform=row["uniform"]))
    return Evidence.worst(pieces)


def theorem_1(bound: str, measured: str = "upper") -> Check:
    """Upper confidence limit of the regret, or what uniform play pays, against a form of Theorem 1."""

    def check(profile: str, seed: int) -> Evidence:
        data = [experiments.regret_grid(profile, seed), experiments.structured_grid(profile, seed)]
        return _under(pd.concat(data), measured, bound)

    return check


def dependent(measured: str) -> Check:
    """Theorem 1, (1), on losses that depend on each other within a round."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.structured_grid(profile, seed)
        names = ["comonotone losses", "antithetic losses", "one-hot losses"]
        return _under(data[data["instance"].isin(names)], measured, "bound_1")

    return check


def _slopes(k_regret: FloatArray, log_k: FloatArray, profile: str, seed: int) -> Evidence:
    """Distance from slope 1 of the regret in 1/gap, 1/epsilon and log K; the nearest other rates are 1/2 and 2."""
    rate = certify.share(2)
    gaps, by_gap = experiments.gap_sweep(profile, seed)
    levels, by_level = experiments.epsilon_sweep(profile, seed)
    slopes = {
        "1/gap (gap 1e-4 to 3e-3)": certify.log_log_slope(1 / gaps[:4], by_gap[:, :4], false_alarm=rate),
        "1/ε (ε 1e-3 to 1/4)": certify.log_log_slope(1 / levels, by_level, false_alarm=rate),
        "log K (K to 2^14, exact)": certify.log_log_slope(log_k, np.tile(k_regret, (2, 1))),
    }
    detail = "Slope in " + ", ".join(f"{name}: {slope}" for name, slope in slopes.items()) + "."
    distance = max(max(abs(s.low - 1), abs(s.high - 1)) for s in slopes.values())
    return Evidence(measured=distance, limit=0.5, detail=detail)


def rate(log_power: int) -> Check:
    """Check the rate; with log_power = 1 the temperature grows with log K, a rate of log^2 K / epsilon."""

    def check(profile: str, seed: int) -> Evidence:
        n_actions = 2 ** np.arange(1, 15)
        regret = []
        for k in n_actions:
            means = (np.arange(k) > 0).astype(np.float64)
            epsilon = 0.1 / np.log(k) ** log_power
            regret.append(algorithms.exact_regret(means, epsilon=epsilon, horizon=HORIZON).final[0])
        return _slopes(np.array(regret), np.log(n_actions), profile, seed)

    return check


@cache
def _late_growth(cooling: bool) -> float:
    """Growth of the regret from T = 2**24 to 2**59 on deterministic losses, linear gaps from 0.01, epsilon = 0.01.

    With `cooling` the learning rate is divided by the block's largest sum of losses: selection never sharpens.
    """
    means, eta = means_of("linear gaps", 16, 0.01), algorithms.learning_rate(0.01)
    if not cooling:
        run = algorithms.exact_regret(means, epsilon=0.01, horizon=HORIZON)
    else:
        run = dyadic.simulate(
            environments.Deterministic(means),
            selector=lambda sums: algorithms.selector(eta)(sums / sums.max(axis=-1, keepdims=True)),
            horizon=HORIZON,
            replicates=1,
            rng=stream(0, "not used by deterministic losses"),
        )
    return float(run.final[0] - run.regret[0, 23])


def horizon_free(cooling: bool) -> Check:
    """Largest growth of the regret after 2**24 rounds, against what the proof leaves for them."""

    def check(profile: str, seed: int) -> Evidence:
        grid = experiments.regret_grid(profile, seed)
        late = float((grid["regret"] - grid["regret_2^24"]).max())
        early = float((grid["regret"] / grid["regret_2^20"] - 1).max())
        detail = (
            "Largest growth from T=2^24 to 2^59 over the grid and an exact instance; "
            f"from T=2^20 the means of the grid grow by at most {early:.2%}."
        )
        limit = bounds.remainder(n_actions=max(SIZES[profile].n_actions), gap=0.01, epsilon=0.01, rounds=2**22)
        return Evidence(measured=max(late, _late_growth(cooling)), limit=limit, detail=detail)

    return check


# Privacy


def selection_loss(factor: float, multiple: float) -> Check:
    """Exact loss of the block selector run at eta * factor, against multiple * eta for the stated eta."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for epsilon in (0.25, 0.1, 0.01):
            eta = algorithms.learning_rate(epsilon)
            for n_actions in (2, 16, 4096):
                for block in (0, 7, 14):
                    loss = privacy.block_privacy_loss(n_actions=n_actions, eta=factor * eta, block=block)
                    detail = (
                        f"Exact worst loss, nearest its limit at K={n_actions}, ε={epsilon:g}, block 2^{block}."
                    )
                    pieces.append(Evidence(measured=loss, limit=multiple * eta * (1 + EXACT), detail=detail))
        return Evidence.worst(pieces)

    return check


def sequence_loss(readers: int) -> Check:
    """Joint law of all actions: enumerated on 7 rounds, and on a pair of tables of 2**12 - 1 rounds."""

    def check(profile: str, seed: int) -> Evidence:
        epsilon, eta = 0.1, algorithms.learning_rate(0.1)
        enumerated = audit.exhaustive_privacy_loss(
            lambda table: privacy.sequence_law(table, eta=eta, readers=readers), n_rounds=7, n_actions=2
        )
        pair = privacy.neighbouring_pair(blocks=12, changed=10)
        long = float(
            audit.privacy_loss(*(privacy.sequence_law(table, eta=eta, readers=readers) for table in pair))
        )
        detail = (
            f"All 16,384 tables of 7 rounds, K=2: {enumerated:.5f}; one pair of 4,095 rounds: {long:.5f}; ε=0.1."
        )
        return Evidence(measured=max(enumerated, long), limit=min(2 * eta, epsilon) * (1 + EXACT), detail=detail)

    return check


# Lemmas


def lemma_1(divisor: float) -> Check:
    """Exact tail over exp(-m mu^2 / divisor); the lemma has divisor 8."""

    def check(profile: str, seed: int) -> Evidence:
        m = np.unique(np.geomspace(1, 20_000, 200).astype(int))[:, None]
        mu = np.geomspace(0.01, 1, 60)
        log_ratio = lemmas.log_lower_tail(m, mu) + m * mu**2 / divisor
        i, j = np.unravel_index(log_ratio.argmax(), log_ratio.shape)
        ratio = np.exp(log_ratio[i, j])
        detail = f"Exact tail over bound, {log_ratio.size:,} points, worst at m={m[i, 0]}, μ={mu[j]:.3g}."
        return Evidence(measured=float(ratio), limit=1.0, detail=detail)

    return check


def lemma_2(largest_x: float) -> Check:
    """Left over right side of (i) to (v); (i) is tried up to `largest_x`, the lemma has 1."""

    def check(profile: str, seed: int) -> Evidence:
        x, y, u = (
            np.linspace(1e-6, largest_x, 20_001),
            np.linspace(1e-6, 1, 20_001),
            np.linspace(1e-9, 1 - 1e-9, 20_001),
        )
        k = np.unique(np.geomspace(2, 1e9, 2000).astype(int))
        ratios = {
            "(i)": (x / 2) / -np.expm1(-x),
            "(ii)": np.exp(-y) / (1 - y / 2),
            "(iii)": u / -np.log1p(-u),
            "(iv)": (np.exp(-y) / -np.expm1(-y)) / (2 / y),
            "(v)": np.log(k + 1) / (2 * np.log(k)),
        }
        worst = {name: float(ratio.max()) for name, ratio in ratios.items()}
        detail = (
            "Largest left over right: " + ", ".join(f"{name} {value:.4f}" for name, value in worst.items()) + "."
        )
        return Evidence(measured=max(worst.values()), limit=1.0, detail=detail)

    return check


def _two_action_envs() -> list[Joint]:
    """Two actions with 0/1 losses: independent, comonotone, antithetic."""
    means = np.array([0.25, 0.75])
    independent = [lemmas.as_joint(Bernoulli(m)) for m in (means, np.array([0.0, 0.4]), np.array([0.3, 0.7]))]
    return [*independent, environments.comonotone(means), environments.antithetic(means)]


@cache
def _two_action_sums(epsilon: float) -> list[tuple[FloatArray, float, float]]:
    """(means, regret, sum of F) of the two-action environments, exact by convolution."""
    eta = algorithms.learning_rate(epsilon)
    longest = 2**12
    cases = []
    for env in _two_action_envs():
        f = np.ptp(env.means) * lemmas.error_probabilities(env, eta=eta, longest=longest)
        block = [f[n // 2 : n].mean() * 2 * n for n in 2 ** np.arange(13)]
        cases.append((env.means, float(np.ptp(env.means) / 2 + np.sum(block)), float(f.sum())))
    return cases


def lemma_4(factor: float) -> Check:
    """Exact regret against 1 + factor sum F; the lemma has factor 4. Sums of F by brute force."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for n_actions, gap, epsilon in ((2, 1.0, 1.0), (16, 0.5, 0.25), (4096, 1.0, 0.05), (256, 0.2, 0.1)):
            means = gap * (np.arange(n_actions) > 0)
            eta = algorithms.learning_rate(epsilon)
            m = np.arange(1, int((np.log(n_actions) + 45) / (eta * gap)) + 1)
            level = np.array([0.0, gap])
            weight = np.exp(-eta * gap * m) * (n_actions - 1)
            total = float((level[1] * weight / (1 + weight)).sum())
            regret = float(algorithms.exact_regret(means, epsilon=epsilon, horizon=HORIZON).final[0])
            detail = f"Deterministic losses, K={n_actions}, gap={gap:g}, ε={epsilon:g}."
            pieces.append(Evidence(measured=regret, limit=1 + factor * total, detail=detail))
        for means, regret, total in _two_action_sums(1.0):
            detail = f"Bernoulli losses, means {means.round(2)}, ε=1, by convolution."
            pieces.append(Evidence(measured=regret, limit=1 + factor * total, detail=detail))
        return Evidence.worst(pieces)

    return check


def equation_4(divisor: float) -> Check:
    """Exact E[P_{m,j}] against 2 exp(-m gap^2 / divisor), gaps at most 4 eta; the paper has divisor 8."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for env in _two_action_envs():
            gap = float(np.ptp(env.means))
            exact = lemmas.error_probabilities(env, eta=1 / 8, longest=500)
            m = np.arange(1, 501)
            limit = 2 * (bounds.equation_4(m, gap) / 2) ** (8 / divisor)
            i = int((exact / limit).argmax())
            detail = f"Exact E[P], nearest its bound at gap={gap:.2g}, m={m[i]}, η=1/8."
            pieces.append(Evidence(measured=float(exact[i]), limit=float(limit[i]), detail=detail))
        return Evidence.worst(pieces)

    return check


def drift(constant: float) -> Check:
    """Smallest decrease of E[log Z] over eta V, against `constant`; the paper has 1/4."""

    def check(profile: str, seed: int) -> Evidence:
        rng = stream(seed, "prefix_softmax/drift")
        pieces = []
        for eta, means in ((0.125, [0.1, 0.7, 0.9]), (0.125, [0.2, 0.71, 0.71]), (0.01, [0.4, 0.45, 1.0])):
            for env in (lemmas.as_joint(Bernoulli(np.array(means))), environments.antithetic(means)):
                q = rng.dirichlet([0.2, 0.2, 0.2], size=20_000)
                q = np.vstack([q[q[:, 0] < 0.999], [[1 - 1e-3, 1e-3, 0], [0, 1, 0], [0, 0.5, 0.5]]])
                decrease = float(-lemmas.potential_drift(env, q, eta=eta).max())
                detail = f"Smallest decrease over ηV at means {means}, η={eta:g}."
                pieces.append(Evidence(measured=decrease, limit=constant, relation=">=", detail=detail))
        return Evidence.worst(pieces)

    return check


def _error_sums(part: str, profile: str, seed: int) -> list[tuple[float, dict[str, float], str]]:
    """(sum of F, setting, where) of instances whose gaps are all small, all large, or anything.

    Restricting an instance to some of its actions can only raise their weights, so instances with gaps of
    one kind cover the halves (5) and (6).
    """
    sums = []
    for n_actions in (2, 16, 4096):
        for epsilon in (1.0, 0.1, 0.01):
            eta = algorithms.learning_rate(epsilon)
            cuts = {"small": (1e-3, 4 * eta), "large": (4 * eta * 1.001, 1.0), "all": (1e-3, 1.0)}
            low, high = cuts[part]
            for name, gaps in (
                ("equal", np.full(n_actions - 1, high)),
                ("spread", np.linspace(low, high, n_actions - 1)),
            ):
                total = float(algorithms.softmax_error_sum(np.r_[0.0, gaps], eta=eta, start=0, stop=np.inf))
                setting = {"n_actions": n_actions, "gap": float(gaps.min()), "epsilon": epsilon}
                sums.append(
                    (total, setting, f"deterministic, {name} gaps to {high:.3g}, K={n_actions}, ε={epsilon:g}")
                )
    if part == "all":
        for row in experiments.regret_grid(profile, seed).to_dict("records"):
            setting = {key: row[key] for key in ("n_actions", "gap", "epsilon")}
            where = f"Bernoulli, K={row['n_actions']}, gap={row['gap']:g}, ε={row['epsilon']:g}"
            sums.append((row["upper"] / 4 + 0.5, setting, where))
    return sums


def lemma_5(part: str, scale: float = 1.0) -> Check:
    """Sums of F against the right-hand side of Lemma 5, (5) or (6), times `scale`."""

    def limit(setting: dict[str, float]) -> float:
        n_actions, gap, epsilon = int(setting["n_actions"]), setting["gap"], setting["epsilon"]
        if part == "small":
            return bounds.lemma_5_small_gaps(n_actions=n_actions, gap=gap)
        if part == "large":
            return bounds.lemma_5_large_gaps(n_actions=n_actions, epsilon=epsilon)
        return bounds.lemma_5(n_actions=n_actions, gap=gap, epsilon=epsilon)

    def check(profile: str, seed: int) -> Evidence:
        return Evidence.worst(
            Evidence(measured=total, limit=scale * limit(setting), detail=f"Worst: {where}.")
            for total, setting, where in _error_sums(part, profile, seed)
        )

    return check


# Our findings


def noisy_max_growth(power: int) -> Check:
    """Slope of report-noisy-max's regret in log K, K >= 16; `power` - 1 further factors log K make the control."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.against_noisy_max(profile, seed)
        pieces = []
        for (gap, epsilon), part in data.groupby(["gap", "epsilon"]):
            wide = {name: _by_k(rows) for name, rows in part.groupby("learner")}
            k = np.array(sorted(part["n_actions"].unique()))
            k, gumbel, ours = k[3:], wide["gumbel"][:, 3:], wide["prefix_softmax"][:, 3:]
            slope = certify.log_log_slope(
                np.log(k), gumbel * np.log(k) ** (power - 1), false_alarm=certify.share(3)
            )
            advantage = (ours.mean(axis=0) / gumbel.mean(axis=0)).min()
            detail = (
                f"Slope in log K {slope} at gap={gap:g}, ε={epsilon:g}; "
                f"there prefix softmax pays at least {advantage:.2f} times as much."
            )
            pieces.append(Evidence(measured=slope.high, limit=1.5, detail=detail))
        return Evidence.worst(pieces)

    return check


def _by_k(rows: pd.DataFrame) -> FloatArray:
    """Regrets of one learner, shape (replicates, number of K)."""
    return np.stack([group["regret"].to_numpy() for _, group in rows.groupby("n_actions")], axis=1)


def largest_ratio(limit: float) -> Check:
    """Largest exact regret over log K / gap + log K / epsilon that a search over gap vectors finds."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.worst_instances(profile, seed)
        row = data.loc[data["ratio"].idxmax()]
        private = data.loc[data["epsilon"] <= 0.25, "ratio"].max()
        detail = (
            f"Largest Reg/rate found: gaps {row['gaps']}, K={row['n_actions']}, ε={row['epsilon']:g}; "
            f"for ε ≤ 1/4 the largest is {private:.2f}."
        )
        return Evidence(measured=float(row["ratio"]), limit=limit, detail=detail)

    return check


def cap(epsilon: float) -> Check:
    """Regret with eta = min(epsilon / 2, 1/8) over regret with eta = epsilon / 2: at least 4."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.cost_of_the_cap()
        row = data.iloc[(data["epsilon"] - epsilon).abs().argmin()]
        detail = f"Exact regret with the cap over without, K=16, 0/1 losses, ε={row['epsilon']:.3g}."
        return Evidence(measured=float(row["capped"] / row["uncapped"]), limit=4.0, relation=">=", detail=detail)

    return check
