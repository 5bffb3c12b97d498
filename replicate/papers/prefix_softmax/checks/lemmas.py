"""Checks of the lemmas and of the inequalities inside the proof.

The control of a lemma changes the constant that its argument names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from replicate import certify, environments
from replicate.budget import cache
from replicate.claims.evidence import Evidence, worst
from replicate.environments import Bernoulli, Joint
from replicate.papers.prefix_softmax import algorithms, bounds, experiments, lemmas
from replicate.papers.prefix_softmax.instances import HORIZON, SIZES
from replicate.streams import stream


def lemma_1(profile: str, seed: int, *, divisor: float, constant: float) -> Evidence:
    """Exact tail over exp(-m mu^2 / divisor), against `constant`; the lemma has divisor 8 and constant 1."""
    m = np.unique(np.geomspace(1, 10**6, 200).astype(int))[:, None]
    mu = np.geomspace(0.01, 1, 60)
    log_ratio = lemmas.log_lower_tail(m, mu) + m * mu**2 / divisor
    i, j = np.unravel_index(log_ratio.argmax(), log_ratio.shape)
    ratio = np.exp(log_ratio[i, j])
    detail = f"Exact tail over bound, {log_ratio.size:,} points, worst at m={m[i, 0]}, μ={mu[j]:.3g}."
    return Evidence(measured=float(ratio), limit=constant, detail=detail)


@worst
def lemma_2(profile: str, seed: int, *, largest_x: float) -> Iterator[Evidence]:
    """Left over right side of (i) to (v); (i) is tried up to `largest_x`, the lemma has 1."""
    x, y = np.linspace(1e-6, largest_x, 20_001), np.linspace(1e-6, 1, 20_001)
    u = np.linspace(1e-9, 1 - 1e-9, 20_001)
    k = np.unique(np.geomspace(2, 1e9, 2000).astype(int))
    ratios = {
        "(i)": (x / 2) / -np.expm1(-x),
        "(ii)": np.exp(-y) / (1 - y / 2),
        "(iii)": u / -np.log1p(-u),
        "(iv)": (np.exp(-y) / -np.expm1(-y)) / (2 / y),
        "(v)": np.log(k + 1) / (2 * np.log(k)),
    }
    worst = {name: float(ratio.max()) for name, ratio in ratios.items()}
    all_five = ", ".join(f"{name} {value:.4f}" for name, value in worst.items())
    for name, value in worst.items():
        yield Evidence(measured=value, limit=1.0, detail=f"Closest: {name}. Largest left over right: {all_five}.")


def _two_action_envs() -> list[Joint]:
    """Two actions with 0/1 losses: independent, comonotone, antithetic."""
    means = np.array([0.25, 0.75])
    independent = [lemmas.as_joint(Bernoulli(m)) for m in (means, np.array([0.0, 0.4]), np.array([0.3, 0.7]))]
    return [*independent, environments.comonotone(means), environments.antithetic(means)]


def lemma_4(profile: str, seed: int, *, factor: float) -> Evidence:
    """Regret against 1 + factor sum F; the lemma has factor 4.

    On deterministic losses the regret is exact, and the sums of F are added up. On Bernoulli losses the regret is
    simulated, and E[F] is convolved.
    """
    cases = [*_exact_lemma_4(factor)]
    for upper, *around in _simulated_lemma_4(profile, seed):
        cases += [replace(upper, limit=1 + factor * upper.limit), *around]
    return Evidence.worst(cases)


def _exact_lemma_4(factor: float) -> Iterator[Evidence]:
    """Lemma 4 on deterministic losses."""
    for n_actions, gap, epsilon in ((2, 1.0, 1.0), (16, 0.5, 0.25), (4096, 1.0, 0.05), (256, 0.2, 0.1)):
        means = gap * (np.arange(n_actions) > 0)
        eta = algorithms.learning_rate(epsilon)
        m = np.arange(1, int((np.log(n_actions) + 45) / (eta * gap)) + 1)
        weight = np.exp(-eta * gap * m) * (n_actions - 1)
        total = float((gap * weight / (1 + weight)).sum())
        regret = float(algorithms.exact_regret(means, epsilon=epsilon, horizon=HORIZON).final[0])
        detail = f"Deterministic losses, K={n_actions}, gap={gap:g}, ε={epsilon:g}."
        yield Evidence(measured=regret, limit=1 + factor * total, detail=detail)


@cache
def _simulated_lemma_4(profile: str, seed: int) -> list[tuple[Evidence, Evidence, Evidence]]:
    """Lemma 4 on Bernoulli losses of two actions, epsilon = 1, horizon 2**14 - 1: limits of the simulated regret.

    The upper one against the sum of E[F_m], and both against the regret, which is known: the mean gap less 2 F_1,
    and 4 F_m for every m up to 2**12. So a simulated regret that is too low fails as well.
    """
    eta, longest, false_alarm = algorithms.learning_rate(1.0), 2**12, certify.share(10)
    cases = []
    for i, env in enumerate(_two_action_envs()):
        f = np.ptp(env.means) * lemmas.error_probabilities(env, eta=eta, longest=longest)
        known = float(np.ptp(env.means) / 2 - 2 * f[0] + 4 * f.sum())
        rng = stream(seed, "prefix_softmax/lemma_4", i)
        many = 100 * SIZES[profile].replicates
        run = algorithms.simulate(env, epsilon=1.0, horizon=4 * longest - 1, replicates=many, rng=rng)
        upper = experiments.certified_upper(run, env, eta=eta, false_alarm=false_alarm)
        most = float(np.ptp(env.means)) * run.rounds[-1]
        lower = -float(certify.betting_upper(-run.final, low=-most, high=0, false_alarm=false_alarm))
        where = f"Bernoulli losses {i + 1} of 5, means {env.means.round(2)}, ε=1"
        detail, exact = f"{where}, {len(run.final):,} runs.", f"{where}: the exact regret is {known:.4g}."
        above = Evidence(measured=upper, limit=float(f.sum()), detail=detail)
        around = Evidence(measured=upper, limit=known, relation=">=", detail=exact)
        cases.append((above, around, Evidence(measured=lower, limit=known, detail=exact)))
    return cases


@worst
def equation_4(profile: str, seed: int, *, divisor: float, constant: float) -> Iterator[Evidence]:
    """Exact E[P_{m,j}] against constant exp(-m gap^2 / divisor), gaps at most 4 eta; the paper has 2 and 8."""
    for env in _two_action_envs():
        gap = float(np.ptp(env.means))
        exact = lemmas.error_probabilities(env, eta=1 / 8, longest=500)
        m = np.arange(1, 501)
        limit = constant * (bounds.equation_4(m, gap) / 2) ** (8 / divisor)
        i = int((exact / limit).argmax())
        detail = f"Exact E[P], nearest its bound at gap={gap:.2g}, m={m[i]}, η=1/8."
        yield Evidence(measured=float(exact[i]), limit=float(limit[i]), detail=detail)


@worst
def drift(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Smallest decrease of E[log Z] over eta V, against `constant`; the paper has 1/4."""
    rng = stream(seed, "prefix_softmax/drift")
    for eta, means in ((0.125, [0.1, 0.7, 0.9]), (0.125, [0.2, 0.71, 0.71]), (0.01, [0.4, 0.45, 1.0])):
        for env in (lemmas.as_joint(Bernoulli(np.array(means))), environments.antithetic(means)):
            q = rng.dirichlet([0.2, 0.2, 0.2], size=20_000)
            q = np.vstack([q[q[:, 0] < 0.999], [[1 - 1e-3, 1e-3, 0], [0, 1, 0], [0, 0.5, 0.5]]])
            decrease = float(-lemmas.potential_drift(env, q, eta=eta).max())
            detail = f"Smallest decrease over ηV at means {means}, η={eta:g}."
            yield Evidence(measured=decrease, limit=constant, relation=">=", detail=detail)


@dataclass(frozen=True, kw_only=True)
class _ErrorSum:
    """The sum of F_m of an instance, or limits of it, what its bounds depend on, and which instance it is."""

    total: float
    least: float
    n_actions: int
    gap: float
    epsilon: float
    eta: float
    where: str

    def against(self, *, small: float = 0, large: float = 0) -> Evidence:
        """Compare it with small log K / gap + large log K / eta; (5) has small = 200, (6) has large = 4."""
        five = bounds.lemma_5_small_gaps(n_actions=self.n_actions, gap=self.gap)
        six = bounds.lemma_5_large_gaps(n_actions=self.n_actions, epsilon=self.epsilon)
        limit = small / 200 * five + large / 4 * six
        return Evidence(measured=self.total, limit=limit, opposite=self.least, detail=f"Worst: {self.where}.")


def _deterministic(
    n_actions: int, epsilon: float, *, eta: float, low: float, high: float, at: str
) -> Iterator[_ErrorSum]:
    """Sums on deterministic losses whose gaps are all `high`, or are spread from `low` to `high`."""
    spread = np.linspace(low, high, n_actions - 1)
    for name, gaps in (("equal", np.full(n_actions - 1, high)), ("spread", spread)):
        total = float(algorithms.softmax_error_sum(np.r_[0.0, gaps], eta=eta, start=0, stop=np.inf))
        where = f"deterministic, {name} gaps to {high:.3g}, K={n_actions}, {at}"
        setting: dict[str, Any] = {"n_actions": n_actions, "gap": float(gaps.min()), "epsilon": epsilon}
        yield _ErrorSum(total=total, least=total, **setting, eta=eta, where=where)


@cache
def _deterministic_sums(smallest: float, largest: float) -> list[_ErrorSum]:
    """Sums of instances with deterministic losses and gaps between two multiples of 4 eta, but at least 1e-3."""
    sums: list[_ErrorSum] = []
    for n_actions, epsilon in product((2, 16, 4096), (1.0, 0.1, 0.01)):
        eta = algorithms.learning_rate(epsilon)
        low, high = max(1e-3, 4 * eta * smallest), min(1.0, 4 * eta * largest)
        sums += _deterministic(n_actions, epsilon, eta=eta, low=low, high=high, at=f"ε={epsilon:g}")
    return sums


def equation_5(profile: str, seed: int, *, constant: float) -> Evidence:
    """Sums of F where all gaps are at most 4 eta, against constant log K / gap; the paper has 200.

    Fewer actions have larger weights, so instances with small gaps only cover the small gaps of any instance.
    """
    return Evidence.worst(case.against(small=constant) for case in _deterministic_sums(0, 1))


def equation_6(profile: str, seed: int, *, constant: float) -> Evidence:
    """Sums of F where all gaps exceed 4 eta, against constant log K / eta; the paper has 4."""
    return Evidence.worst(case.against(large=constant) for case in _deterministic_sums(1.001, np.inf))


def _bernoulli_sums(profile: str, seed: int) -> Iterator[_ErrorSum]:
    """Limits of the sums on the grid of Bernoulli losses: a quarter of those of the regret, and 1/2 more or less.

    Lemma 4 is an equality up to the first rounds.
    """
    for row in experiments.regret_grid(profile, seed).to_dict("records"):
        n_actions, gap, epsilon = int(row["n_actions"]), float(row["gap"]), float(row["epsilon"])
        where = f"Bernoulli, K={n_actions}, gap={gap:g}, ε={epsilon:g}"
        eta = algorithms.learning_rate(epsilon)
        ends: dict[str, Any] = {"total": row["upper"] / 4 + 0.5, "least": row["lower"] / 4 - 0.5}
        yield _ErrorSum(**ends, n_actions=n_actions, gap=gap, epsilon=epsilon, eta=eta, where=where)


def lemma_5(profile: str, seed: int, *, factor: float) -> Evidence:
    """Sums of F against `factor` times 200 log K / gap + 4 log K / eta; the lemma has factor 1."""
    cases = (*_deterministic_sums(0, np.inf), *_bernoulli_sums(profile, seed))
    return Evidence.worst(case.against(small=200 * factor, large=4 * factor) for case in cases)


def one_group(profile: str, seed: int, *, constant: float) -> Evidence:
    """Sums of F over groups of gaps within a factor 2, against (constant log(size + 1) + 18) / D; printed: 32.

    D is 2**(l - 1) times the smallest gap in group l. Deterministic losses, all gaps at most 4 eta = 1/2.
    """
    cases, eta = [], 1 / 8
    for sizes, smallest in (((1, 1, 1), 0.1), ((3, 12, 48), 0.06), ((400, 20, 1), 0.06), ((255, 0, 0), 0.5)):
        gaps = np.concatenate(
            [np.linspace(1, 1.9, size) * smallest * 2**level for level, size in enumerate(sizes)]
        )
        if sizes[1:] == (0, 0):
            gaps[:] = smallest
        m = np.arange(1, int((np.log(len(gaps) + 1) + 45) / (eta * smallest)) + 1)
        weights = np.exp(-eta * np.outer(m, gaps))
        cost = (gaps * weights / (1 + weights.sum(axis=1, keepdims=True))).sum(axis=0)
        for level, part in enumerate(np.split(cost, np.cumsum(sizes)[:-1])):
            if len(part):
                limit = (constant * np.log(len(part) + 1) + 18) / (smallest * 2**level)
                detail = f"Group {level + 1} of {len(part)} actions, smallest gap {smallest:g}, η=1/8."
                cases.append(Evidence(measured=float(part.sum()), limit=float(limit), detail=detail))
    return Evidence.worst(cases)


@worst
def sharper_drift(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Smallest decrease of E[log Z] over (1 - 1 / (2 c)) eta V, gaps above c eta, against `factor`; ours has 1.

    Losses of two actions with difference 1 or -1 are the worst; three actions, independent or not.
    """
    rng = stream(seed, "prefix_softmax/sharper drift")
    for split, eta in ((1, 0.01), (1, 0.125), (1, 0.9), (2, 0.125), (4, 0.01), (4, 0.125), (4, 0.25)):
        up = (1 + split * eta) / 2
        two = Joint(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([up, 1 - up]))
        means = np.array([0.0, split * eta, min(1.0, 1.5 * split * eta)])
        for env in (two, lemmas.as_joint(Bernoulli(means)), environments.antithetic(means)):
            size = len(env.means)
            q = rng.dirichlet(np.full(size, 0.2), size=5000)
            q = np.vstack([q[q[:, 0] < 0.999], np.r_[1 - 1e-4, np.full(size - 1, 1e-4 / (size - 1))]])
            decrease = float(-lemmas.potential_drift(env, q, eta=eta).max()) / bounds.sharper_drift(split)
            detail = f"Smallest decrease over (1 - 1/(2c)) ηV, c={split}, η={eta:g}, means {env.means.round(3)}."
            yield Evidence(measured=decrease, limit=factor, relation=">=", detail=detail)


@worst
def sharper_lemma_5(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Sums of F against `factor` times the sharper bound, for splits 1, 7/4, 4 and 64; the theorem has factor 1.

    The same sums as for Lemma 5, and deterministic ones at eta up to 8, without a cap, and at 5e-5.
    """
    for case in (*_deterministic_sums(0, np.inf), *_bernoulli_sums(profile, seed), *_uncapped_sums()):
        for split in (1.0, 1.75, 4.0, 64.0):
            limit = bounds.sharper_lemma_5(n_actions=case.n_actions, gap=case.gap, eta=case.eta, split=split)
            detail = f"{case.where}, split {split:g}."
            measured: dict[str, Any] = {"measured": case.total, "opposite": case.least}
            yield Evidence(**measured, limit=factor * limit, detail=detail)


@cache
def _uncapped_sums() -> list[_ErrorSum]:
    """Sums of instances with deterministic losses at eta = epsilon / 2, epsilon 1e-4 and up to 16."""
    return [
        case
        for k, eps in product((2, 3, 16, 4096), (1e-4, 0.5, 2.0, 16.0))
        for case in _deterministic(k, eps, eta=eps / 2, low=0.05, high=1.0, at=f"η=ε/2={eps / 2:g}")
    ]
