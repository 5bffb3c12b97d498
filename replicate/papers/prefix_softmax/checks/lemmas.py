"""Checks of the lemmas, of privacy, and of the inequalities inside the proof.

Most ask a statement of `corners` at more points. The control changes the constant that its argument names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from replicate import audit, certify, environments
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, grid, over, worst
from replicate.environments import Bernoulli, Joint
from replicate.papers.prefix_softmax import algorithms, bounds, experiments, lemmas, privacy
from replicate.papers.prefix_softmax.checks import corners
from replicate.papers.prefix_softmax.instances import HORIZON, SIZES
from replicate.streams import stream

_ACTIONS, _RATES, _SPLITS = (2, 16, 4096), (1 / 8, 0.05, 0.005), (1.0, 1.75, 4.0, 64.0)

lemma_1 = over(
    corners.lemma_1,
    {"rounds": np.unique(np.geomspace(1, 10**6, 200).astype(int))[:, None], "mean": np.geomspace(0.01, 1, 60)},
)
lemma_2 = over(
    corners.lemma_2,
    {
        "x": np.r_[1e-9, np.linspace(1e-6, 1, 20_001)],
        "n_actions": np.unique(np.geomspace(2, 1e9, 2000).astype(int)),
    },
)
_coins_of_equation_4 = over(
    corners.equation_4, *grid(n_actions=[2], learning_rate=[1 / 8], gap=(0.5, 0.4), rounds=[np.arange(1, 501)])
)
equation_5 = over(
    corners.equation_5,
    *(point for eta in _RATES for point in grid(n_actions=_ACTIONS, learning_rate=[eta], gap=(1e-3, 4 * eta))),
)
equation_6 = over(
    corners.equation_6,
    *(point for eta in _RATES for point in grid(n_actions=_ACTIONS, learning_rate=[eta], gap=(4.004 * eta, 1.0))),
)
selection_loss = over(
    corners.selection_loss, *grid(epsilon=(0.25, 0.1, 0.01), n_actions=_ACTIONS, block=(0, 7, 14))
)
_exact_lemma_4 = over(
    corners.lemma_4,
    *(
        {"n_actions": k, "gap": gap, "epsilon": epsilon, "horizon": HORIZON}
        for k, gap, epsilon in ((2, 1.0, 1.0), (16, 0.5, 0.25), (4096, 1.0, 0.05), (256, 0.2, 0.1))
    ),
)
_exact_lemma_5 = over(corners.lemma_5, *grid(n_actions=_ACTIONS, gap=(1e-3, 1.0), epsilon=(1.0, 0.1, 0.01)))
_exact_sharper_lemma_5 = over(
    corners.sharper_lemma_5,
    *grid(n_actions=_ACTIONS, gap=(1e-3, 1.0), learning_rate=_RATES, split=_SPLITS),
    *grid(n_actions=(2, 3, 16, 4096), gap=(0.05, 1.0), learning_rate=(5e-5, 0.25, 1.0, 8.0), split=_SPLITS),
)


def equation_4(profile: str, seed: int, *, divisor: float, constant: float) -> Evidence:
    """Exact E[P] on coins against constant exp(-m gap^2 / divisor); the paper has 2 and 8."""
    return _coins_of_equation_4(profile, seed, constant=constant, share=8 / divisor)


@worst
def sequence_loss(profile: str, seed: int, *, readers: int) -> Iterator[Evidence]:
    """Exact loss of the whole sequence at epsilon = 0.1, against that of its worst block.

    All tables of 7 rounds enumerated: the loss of a block of 4. One pair of 2**12 - 1 rounds: at most 2 eta.
    """
    eta = privacy.shipped_learning_rate(2, epsilon=0.1)
    tables = np.array(list(product((0.0, 1.0), repeat=14))).reshape(-1, 7, 2)
    known = privacy.sequence_law(tables, eta=eta, readers=readers)
    laws = {table.tobytes(): law for table, law in zip(tables, known, strict=True)}
    enumerated = audit.exhaustive_privacy_loss(lambda table: laws[table.tobytes()], n_rounds=7, n_actions=2)
    block = privacy.block_privacy_loss(n_actions=2, eta=algorithms.learning_rate(0.1), block=2)
    pair = privacy.neighbouring_pair(blocks=12, changed=10)
    long = float(audit.privacy_loss(*(privacy.sequence_law(table, eta=eta, readers=readers) for table in pair)))
    detail = f"All 16,384 tables of 7 rounds, K=2: {enumerated:.5f}; one pair of 4,095 rounds: {long:.5f}; ε=0.1."
    yield at_most(enumerated, block * (1 + EXACT), detail)
    yield at_least(enumerated, block * (1 - EXACT), detail)
    yield at_most(long, bounds.proposition_1(epsilon=0.1) * (1 + EXACT), detail)


def _two_action_envs() -> list[Joint]:
    """Two actions with 0/1 losses: independent, comonotone, antithetic."""
    means = np.array([0.25, 0.75])
    independent = [lemmas.as_joint(Bernoulli(m)) for m in (means, np.array([0.0, 0.4]), np.array([0.3, 0.7]))]
    return [*independent, environments.comonotone(means), environments.antithetic(means)]


@worst
def lemma_4(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Regret against 1 + factor sum F; the lemma has factor 4.

    On deterministic losses the regret is exact, and the sums of F are added up. On Bernoulli losses the regret is
    simulated, and E[F] is convolved.
    """
    yield _exact_lemma_4(profile, seed, factor=factor)
    for upper, *around in _simulated_lemma_4(profile, seed):
        yield from (replace(upper, limit=1 + factor * upper.limit), *around)


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
        above = at_most(upper, float(f.sum()), detail)
        around = at_least(upper, known, exact)
        cases.append((above, around, at_most(lower, known, exact)))
    return cases


def _least_decrease(env: Joint, eta: float, n: int, rng: np.random.Generator, *further: list[float]) -> float:
    """Smallest decrease of E[log Z] over eta V, over `n` random weights and further ones."""
    weights = rng.dirichlet(np.full(len(env.means), 0.2), size=n)
    weights = np.vstack([weights[weights[:, 0] < 0.999], further])
    return float(-lemmas.potential_drift(env, weights, eta=eta).max())


@worst
def drift(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Smallest decrease of E[log Z] over eta V, against `constant`; the paper has 1/4."""
    rng, further = stream(seed, "prefix_softmax/drift"), ([1 - 1e-3, 1e-3, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5])
    for eta, means in ((0.125, [0.1, 0.7, 0.9]), (0.125, [0.2, 0.71, 0.71]), (0.01, [0.4, 0.45, 1.0])):
        for env in (lemmas.as_joint(Bernoulli(np.array(means))), environments.antithetic(means)):
            decrease = _least_decrease(env, eta, 20_000, rng, *further)
            yield at_least(decrease, constant, f"Smallest decrease over ηV at means {means}, η={eta:g}.")


def _bernoulli_sums(profile: str, seed: int, bound: Callable[..., float], factor: float) -> Iterator[Evidence]:
    """Limits of the sums of F on the grid of Bernoulli losses against `factor` times a bound.

    They are a quarter of those of the regret, and 1/2 more or less: Lemma 4 is an equality up to the first rounds.
    """
    for row in experiments.regret_grid(profile, seed).to_dict("records"):
        setting = {"n_actions": int(row["n_actions"]), "gap": float(row["gap"]), "epsilon": float(row["epsilon"])}
        upper, lower = row["upper"] / 4 + 0.5, row["lower"] / 4 - 0.5
        detail = "Bernoulli, K={n_actions}, gap={gap:g}, ε={epsilon:g}.".format(**setting)
        yield at_most(upper, factor * bound(**setting), detail, opposite=lower)


@worst
def lemma_5(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Sums of F against `factor` times 200 log K / gap + 4 log K / eta; the lemma has factor 1."""
    yield _exact_lemma_5(profile, seed, factor=factor)
    yield from _bernoulli_sums(profile, seed, bounds.lemma_5, factor)


@worst
def one_group(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Sums of F over groups of gaps within a factor 2, against (constant log(size + 1) + 18) / D; printed: 32.

    D is 2**(l - 1) times the smallest gap in group l. Deterministic losses, all gaps at most 4 eta = 1/2.
    """
    eta = 1 / 8
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
                yield at_most(float(part.sum()), float(limit), detail)


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
            others = len(env.means) - 1
            decrease = _least_decrease(env, eta, 5000, rng, [1 - 1e-4, *[1e-4 / others] * others])
            detail = f"Smallest decrease over (1 - 1/(2c)) ηV, c={split}, η={eta:g}, means {env.means.round(3)}."
            yield at_least(decrease / bounds.sharper_drift(split), factor, detail)


@worst
def sharper_lemma_5(profile: str, seed: int, *, factor: float) -> Iterator[Evidence]:
    """Sums of F against `factor` times the sharper bound, for splits 1, 7/4, 4 and 64; the theorem has factor 1.

    The same sums as for Lemma 5, and exact ones at eta up to 8, without a cap, and at 5e-5.
    """

    def bound(n_actions: int, gap: float, epsilon: float) -> float:
        eta = algorithms.learning_rate(epsilon)
        return min(bounds.sharper_lemma_5(n_actions=n_actions, gap=gap, eta=eta, split=split) for split in _SPLITS)

    yield _exact_sharper_lemma_5(profile, seed, factor=factor)
    yield from _bernoulli_sums(profile, seed, bound, factor)
