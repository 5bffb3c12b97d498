"""Data frames behind the claims and the figures."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import OptimizeResult, minimize

from replicate import certify, environments, streams
from replicate.budget import cache
from replicate.environments import Environment, Stationary
from replicate.environments.stochastic import means_of
from replicate.learners import dyadic
from replicate.learners.protocol import PSEUDO, Run
from replicate.papers.prefix_softmax import algorithms, bounds, lemmas
from replicate.papers.prefix_softmax.instances import HORIZON, SIZES, structured
from replicate.streams import stream
from replicate.validation import FloatArray
from replicate.workbook import sweep


def _regret_cell(
    instance: str, n_actions: int, gap: float, epsilon: float, replicates: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Regret of one Bernoulli instance at every block end up to 2**59, shape (replicates, blocks)."""
    env = environments.Bernoulli(means_of(instance, n_actions, gap))
    run = simulated(env, epsilon=epsilon, horizon=HORIZON, replicates=replicates, rng=rng)
    return {"rounds": run.rounds, "regret": run.regret}


def simulated(env: Stationary, *, epsilon: float, **sizes: Any) -> Run:
    """Simulate prefix softmax as `settled` does: `horizon`, `replicates` and `rng` are its sizes."""
    return settled(algorithms.simulate, env, eta=algorithms.learning_rate(epsilon), epsilon=epsilon, **sizes)


def settled(simulate: Callable[..., Run], env: Stationary, *, eta: float, horizon: int, **options: Any) -> Run:
    """Simulate a softmax at eta until all later blocks cost `lemmas.NOTHING`: they are not drawn, and add none.

    The blocks before are drawn as they would be if those followed.
    """
    blocks = lemmas.settled_blocks(env, eta=eta, horizon=horizon)
    run = simulate(env, horizon=min(horizon, 2**blocks - 1), **options)
    rounds = dyadic.blocks(horizon)[1]
    regret = np.pad(run.regret, ((0, 0), (0, len(rounds) - len(run.rounds))), mode="edge")
    return Run(rounds, regret, run.regret_kind)


def _setting(means: FloatArray, epsilon: float) -> dict[str, Any]:
    """Return what the bounds depend on."""
    return {"n_actions": len(means), "gap": float(np.sort(environments.gaps(means))[1]), "epsilon": epsilon}


def certified_upper(run: Run, env: Stationary, *, eta: float, false_alarm: float) -> float:
    """Upper limit of the mean regret without normality: bets on early blocks, proved tails of late ones.

    A block costs between 0 and its rounds times the largest gap; `lemmas.block_tails` bounds its mean cost.
    """
    rounds = np.diff(run.rounds, prepend=0)
    return certify.truncated_upper(
        np.diff(run.regret, axis=1, prepend=0),
        largest=rounds * environments.gaps(env.means).max(),
        tails=lemmas.block_tails(env, eta=eta, rounds=rounds),
        false_alarm=false_alarm,
    )


def _summary(
    run: Run, env: Stationary, *, epsilon: float, comparisons: int, eta: float | None = None
) -> dict[str, Any]:
    """Return one row: mean regret, confidence limits, both forms of Theorem 1, uniform play's regret.

    On deterministic losses the expected regret is computed, and stands for all three.
    """
    setting, eta = _setting(env.means, epsilon), eta or algorithms.learning_rate(epsilon)
    if isinstance(env, environments.Deterministic):
        regret = float(algorithms.exact_regret(env.means, epsilon=epsilon, horizon=int(run.rounds[-1])).final[0])
        lower = upper = regret
    else:
        regret, share = float(run.final.mean()), certify.share(comparisons)
        upper = certified_upper(run, env, eta=eta, false_alarm=share)
        lower = float(certify.betting_lower(run.final.clip(0), low=0, false_alarm=share))
    row = setting | {"regret": regret, "lower": lower, "upper": upper}
    row |= {"bound_1": bounds.theorem_1(**setting), "bound_2": bounds.theorem_1_rate(**setting)}
    row["rate"] = bounds.rate(**setting)
    row["sharper"] = bounds.sharper_theorem_1(n_actions=len(env.means), gap=setting["gap"], eta=eta)
    return row | {"uniform": float(run.rounds[-1] * environments.gaps(env.means).mean())}


@cache
def _grid(profile: str, seed: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Parameters and result of every cell of the grid over (K, gap, epsilon), one good Bernoulli arm."""
    sizes = SIZES[profile]
    cells = []
    for n_actions in sizes.n_actions:  # the fewer actions, the cheaper a replicate
        replicates = max(160, sizes.replicates * min(max(256 // n_actions, 1), 16))
        size: dict[str, Any] = {"n_actions": [n_actions], "gap": sizes.gaps, "epsilon": sizes.epsilons}
        cells += sweep.grid("prefix_softmax/grid", instance=["one good arm"], **size, replicates=[replicates])
    with streams.opened() as pool:
        done = sweep.run(cells, _regret_cell, seed=seed, executor=pool, cache_dir=sweep.cache_folder())
    return [(dict(cell.parameters), done[cell.id]) for cell in cells]


def _cases(profile: str) -> list[tuple[str, Stationary, int, float]]:
    """Return the instances outside the grid, each at its privacy levels: name, environment, horizon, epsilon."""
    sizes = SIZES[profile]
    named = structured(min(max(sizes.n_actions), 256), sizes.streamed_horizon)
    return [(*case, eps) for case in named for eps in sizes.epsilons if case[2] == HORIZON or eps == 1.0]


def _comparisons(profile: str) -> int:
    """Return the number of settings in the grid and outside it, capped or not: together they may err."""
    sizes = SIZES[profile]
    return len(sizes.n_actions) * len(sizes.gaps) * len(sizes.epsilons) + len(_cases(profile)) + len(_UNCAPPED)


_UNCAPPED = tuple(product((2, 16), (0.5, 0.1), (0.5, 2.0, 16.0)))
"""Settings (K, gap, epsilon) of `uncapped_grid`."""


@cache
def regret_grid(profile: str, seed: int) -> pd.DataFrame:
    """Regret at T = 2**59, and at 2**20, 2**24, 2**40, over (K, gap, epsilon), one good Bernoulli arm."""
    rows = []
    for point, result in _grid(profile, seed):
        env = environments.Bernoulli(means_of(point["instance"], point["n_actions"], point["gap"]))
        run = Run(result["rounds"], result["regret"], PSEUDO)
        row = _summary(run, env, epsilon=point["epsilon"], comparisons=_comparisons(profile))
        after = {power: np.searchsorted(run.rounds, 2**power - 1) for power in (20, 24, 40)}
        early = {f"regret_2^{power}": float(run.regret[:, i].mean()) for power, i in after.items()}
        rows.append({**row, "instance": point["instance"], **early})
    return pd.DataFrame(rows)


@cache
def late_growth(profile: str, seed: int) -> pd.DataFrame:
    """Upper confidence limits of the growth of two actions' regret on the grid, from a block end to T = 2**59.

    The block end is the first one, 4 n, from which the proof leaves less than half of the regret: the remainder.
    The growth in the block that follows is limited by bets, that in all later ones by proved tails.
    """
    cells = [(point, result) for point, result in _grid(profile, seed) if point["n_actions"] == 2]
    rows = []
    for point, result in cells:
        setting = {key: point[key] for key in ("n_actions", "gap", "epsilon")}
        left = np.array([bounds.remainder(**setting, rounds=int(t) // 4) for t in result["rounds"]])
        first = int((left <= result["regret"][:, -1].mean() / 2).argmax())
        env = environments.Bernoulli(means_of("one good arm", 2, point["gap"]))
        eta = algorithms.learning_rate(point["epsilon"])
        rng = stream(seed, "prefix_softmax/late growth", *setting.values(), point["instance"])
        read = algorithms.random_prefix(first, SIZES[profile].late_replicates, rng)
        selected = algorithms.selector(eta)(env.sums(np.zeros_like(read), read, rng=rng))
        sizes = np.diff(result["rounds"], prepend=0)
        growth = float(sizes[first + 1]) * (selected @ environments.gaps(env.means))
        largest = float(sizes[first + 1] * point["gap"])
        upper = certify.betting_upper(growth, low=0, high=largest, false_alarm=certify.share(len(cells)))
        total = float(upper) + float(lemmas.block_tails(env, eta=eta, rounds=sizes)[first + 2 :].sum())
        ends = {"rounds": int(result["rounds"][first]), "growth": total, "remainder": float(left[first])}
        rows.append({**setting, **ends})
    return pd.DataFrame(rows)


@cache
def structured_grid(profile: str, seed: int) -> pd.DataFrame:
    """Regret on the other instances: structured gaps, deterministic, grid-valued, Beta and dependent losses."""
    sizes = SIZES[profile]
    rows = []
    for name, env, horizon, epsilon in _cases(profile):
        rng = stream(seed, "prefix_softmax/structured", name, env.n_actions, epsilon)
        replicates = sizes.replicates if horizon == HORIZON else 24
        run = simulated(env, epsilon=epsilon, horizon=horizon, replicates=replicates, rng=rng)
        row = _summary(run, env, epsilon=epsilon, comparisons=_comparisons(profile))
        rows.append({"instance": name, **row})
    return pd.DataFrame(rows)


@cache
def uncapped_grid(profile: str, seed: int) -> pd.DataFrame:
    """Regret at T = 2**59 with eta = epsilon / 2, without the cap, one good Bernoulli arm."""
    rows = []
    for i, (n_actions, gap, epsilon) in enumerate(_UNCAPPED):
        env, eta = environments.Bernoulli(means_of("one good arm", n_actions, gap)), epsilon / 2
        learner: dict[str, Any] = {"selector": algorithms.selector(eta), "prefix": algorithms.random_prefix}
        size: dict[str, Any] = {"horizon": HORIZON, "replicates": 8 * SIZES[profile].replicates}
        rng = stream(seed, "prefix_softmax/uncapped", i)
        run = settled(dyadic.simulate, env, eta=eta, **learner, **size, rng=rng)
        row = _summary(run, env, epsilon=epsilon, comparisons=_comparisons(profile), eta=eta)
        rows.append({"instance": "one good arm, no cap", **row})
    return pd.DataFrame(rows)


def sharper_grid(profile: str, seed: int) -> pd.DataFrame:
    """Regret on one good arm, with the cap and without, and on other instances with K <= 16 or fixed losses."""
    other = structured_grid(profile, seed)
    other = other[(other["n_actions"] <= 16) | (other["instance"] == "deterministic 0/1")]
    return pd.concat([regret_grid(profile, seed), other, uncapped_grid(profile, seed)], ignore_index=True)


def _sixteen(gap: float, epsilon: float, profile: str, rng: np.random.Generator) -> Run:
    """Simulate 2**59 rounds of 16 Bernoulli actions, one better than the others by `gap`."""
    env = environments.Bernoulli(means_of("one good arm", 16, gap))
    return simulated(env, epsilon=epsilon, horizon=HORIZON, replicates=SIZES[profile].replicates, rng=rng)


@cache
def regret_over_time(profile: str, seed: int) -> pd.DataFrame:
    """Regret after every block up to 2**59, K = 16, gap = 0.1, for each privacy level: mean and quantiles."""
    frames = []
    for epsilon in (1.0, 0.1, 0.01):
        run = _sixteen(0.1, epsilon, profile, stream(seed, "prefix_softmax/over_time", epsilon))
        low, high = np.quantile(run.regret, [0.1, 0.9], axis=0)
        data = pd.DataFrame({"epsilon": epsilon, "rounds": run.rounds, "regret": run.regret.mean(axis=0)})
        uniform = run.rounds * float(environments.gaps(means_of("one good arm", 16, 0.1)).mean())
        bound = bounds.theorem_1(n_actions=16, gap=0.1, epsilon=epsilon)
        frames.append(data.assign(low=low, high=high, uniform=uniform, bound=bound))
    shown = pd.concat(frames, ignore_index=True)
    shown.attrs["runs"] = len(run.regret)
    return shown


@cache
def gap_sweep(profile: str, seed: int) -> tuple[FloatArray, FloatArray]:
    """Gaps from 1e-4 to 0.1 at K = 16, epsilon = 1, and regrets at T = 2**59, shape (replicates, gaps)."""
    gaps = np.geomspace(1e-4, 0.1, 7)
    runs = [_sixteen(gap, 1.0, profile, stream(seed, "prefix_softmax/gap_sweep", gap)) for gap in gaps]
    return gaps, np.stack([run.final for run in runs], axis=1)


@cache
def epsilon_sweep(profile: str, seed: int) -> tuple[FloatArray, FloatArray]:
    """Levels from 1e-3 to 1/4 at K = 16, gap = 0.5, and regrets at T = 2**59, shape (replicates, levels)."""
    levels = np.geomspace(1e-3, 0.25, 7)
    runs = [_sixteen(0.5, eps, profile, stream(seed, "prefix_softmax/epsilon_sweep", eps)) for eps in levels]
    return levels, np.stack([run.final for run in runs], axis=1)


def report_noisy_max(
    env: Environment, *, epsilon: float, horizon: int, replicates: int, rng: np.random.Generator
) -> Run:
    """Simulate Gumbel report-noisy-max on whole blocks: noise of scale 2 / epsilon, a softmax at epsilon / 2."""
    return dyadic.simulate(
        env, selector=algorithms.selector(epsilon / 2), horizon=horizon, replicates=replicates, rng=rng
    )


def _noisy_max_cell(
    learner: str, setting: tuple[float, float], n_actions: int, replicates: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Regret at T = 2**24 of a learner with a random prefix, or of Gumbel report-noisy-max without."""
    gap, epsilon = setting
    env = environments.Bernoulli(means_of("one good arm", n_actions, gap))
    sizes: dict[str, Any] = {"epsilon": epsilon, "horizon": 2**24, "replicates": replicates, "rng": rng}
    if learner == "prefix_softmax":
        return {"regret": simulated(env, **sizes).final}
    return {"regret": settled(report_noisy_max, env, eta=epsilon / 2, **sizes).final}


@cache
def _regret_over_actions(profile: str, seed: int, learner: str, noise_power: float) -> pd.DataFrame:
    """Regret of one learner against K, three settings, one row per replicate; noise times (log K)**noise_power."""
    sizes = [2**power for power in range(1, SIZES[profile].largest_log2_k + 1)]
    points = list(product([(0.5, 0.05), (0.5, 1.0), (0.05, 0.2)], sizes))
    cells = []
    for (gap, epsilon), k in points:
        setting = (gap, epsilon / float(np.log(k) ** noise_power))
        fixed: dict[str, list[Any]] = {"learner": [learner], "setting": [setting], "n_actions": [k]}
        cells += sweep.grid("prefix_softmax/noisy_max", **fixed, replicates=[100])
    with streams.opened() as pool:
        done = sweep.run(cells, _noisy_max_cell, seed=seed, executor=pool, cache_dir=sweep.cache_folder())
    frames = []
    for cell, ((gap, epsilon), k) in zip(cells, points, strict=True):
        columns = {"learner": learner, "gap": gap, "epsilon": epsilon, "n_actions": k}
        frames.append(pd.DataFrame({**columns, "regret": done[cell.id]["regret"]}))
    return pd.concat(frames, ignore_index=True)


def against_noisy_max(profile: str, seed: int, noise_power: float = 0.0) -> pd.DataFrame:
    """Regret against K of randomised-prefix softmax and of Gumbel report-noisy-max, one good Bernoulli arm.

    One row per replicate. The noise of report-noisy-max is multiplied by (log K)**noise_power.
    """
    powers = {"prefix_softmax": 0.0, "gumbel": noise_power}
    frames = [_regret_over_actions(profile, seed, learner, power) for learner, power in powers.items()]
    return pd.concat(frames, ignore_index=True)


@cache
def potential(profile: str, seed: int) -> pd.DataFrame:
    """E[log Z_m] and eta times the cumulated E[V_m] along Bernoulli paths, K = 16, gap 0.75, epsilon 0.1."""
    means, eta, rounds = np.where(np.arange(16) == 0, 0.25, 1.0), algorithms.learning_rate(0.1), 250
    env, paths = environments.Bernoulli(means), SIZES[profile].replicates
    rng = stream(seed, "prefix_softmax/potential")
    losses = env.losses(0, paths * rounds, rng=rng).reshape(paths, rounds, 16)
    trail = np.zeros((paths, rounds + 1, 16))
    np.cumsum(losses - losses[..., :1], axis=1, out=trail[:, 1:])
    weights = np.exp(-eta * trail)
    v = weights @ environments.gaps(means) / weights.sum(axis=-1)
    expected = eta * np.cumsum(v[:, :-1].mean(axis=0))
    log_z = np.log(weights.sum(axis=-1)).mean(axis=0)
    return pd.DataFrame({"m": np.arange(rounds + 1), "log_z": log_z, "eta_sum_v": np.r_[0.0, expected]})


@cache
def proof_chain() -> pd.DataFrame:
    """The proof's successive upper bounds, and the exact regret, on instances with deterministic losses."""
    rows = []
    for label, means, epsilon in (
        ("K=2, gap 1, ε=1", np.array([0.0, 1.0]), 1.0),
        ("K=4096, gap 1, ε=0.1", (np.arange(4096) > 0).astype(np.float64), 0.1),
        ("K=256, linear gaps from 0.01, ε=0.1", means_of("linear gaps", 256, 0.01), 0.1),
        ("K=16, one competitor at 0.05, ε=0.01", means_of("one near competitor", 16, 0.05), 0.01),
    ):
        gaps, eta = environments.gaps(means), algorithms.learning_rate(epsilon)
        setting = _setting(means, epsilon)
        regret = float(algorithms.exact_regret(means, epsilon=epsilon, horizon=HORIZON).final[0])
        error_sum = float(algorithms.softmax_error_sum(gaps, eta=eta, start=0, stop=np.inf))
        steps = {"regret": regret, "Lemma 4": float(bounds.lemma_4(error_sum))}
        steps["Lemma 5"] = float(bounds.lemma_4(bounds.lemma_5(**setting)))
        steps["Theorem 1 (2)"] = bounds.theorem_1_rate(**setting)
        rows += [{"instance": label, "step": step, "value": value} for step, value in steps.items()]
    return pd.DataFrame(rows)


def regret_with_and_without_cap(epsilon: float) -> tuple[float, float]:
    """Exact regret with eta = min(epsilon / 2, 1/8) and with eta = epsilon / 2: K = 16, losses 0 and 1."""
    gaps, rates = (np.arange(16) > 0).astype(np.float64), (algorithms.learning_rate(epsilon), epsilon / 2)
    runs = (algorithms.regret_of_fixed(gaps, eta=eta, horizon=HORIZON) for eta in rates)
    capped, free = (float(run.final[0]) for run in runs)
    return capped, free


@cache
def cost_of_the_cap() -> pd.DataFrame:
    """Exact regret against epsilon with and without the cap on the learning rate, and the rate."""
    rows = []
    for epsilon in np.geomspace(0.01, 4, 40):
        capped, uncapped = regret_with_and_without_cap(epsilon)
        rate = bounds.rate(n_actions=16, gap=1.0, epsilon=epsilon)
        rows.append({"epsilon": epsilon, "capped": capped, "uncapped": uncapped, "rate": rate})
    return pd.DataFrame(rows)


@cache
def worst_instances(profile: str, seed: int) -> pd.DataFrame:
    """Search gap vectors for the largest exact regret over log K / gap + log K / epsilon (deterministic losses).

    The vectors have three levels of gaps on equal shares of the suboptimal actions; the search starts at
    random levels, and where all gaps are 1.
    """
    rows = []
    quick = profile == "quick"
    for n_actions in (2, 4096) if quick else (2, 16, 256, 4096):
        for epsilon in (0.01, 0.25, 100.0) if quick else (0.01, 0.1, 0.25, 1.0, 100.0):
            rng = stream(seed, "worst", n_actions, epsilon)
            best = worst_levels(n_actions, epsilon, SIZES[profile].searches, rng)
            rows.append({"n_actions": n_actions, "epsilon": epsilon, **best})
    return pd.DataFrame(rows)


def worst_levels(n_actions: int, epsilon: float, searches: int, rng: np.random.Generator) -> dict[str, Any]:
    """Maximise the ratio over three gap levels in (0, 1], from several starts and from where the best one ends."""
    level = np.arange(n_actions - 1) * 3 // (n_actions - 1)

    def gaps_of(x: FloatArray) -> FloatArray:
        return np.clip(np.exp(-np.abs(x)), 1e-6, 1.0)

    def loss(x: FloatArray) -> float:
        delta = np.concatenate([[0.0], gaps_of(x)[level]])
        regret = algorithms.exact_regret(delta, epsilon=epsilon, horizon=HORIZON).final[0]
        return -float(regret) / bounds.rate(n_actions=n_actions, gap=float(delta[1:].min()), epsilon=epsilon)

    def climbed(x: FloatArray) -> OptimizeResult:
        return minimize(loss, x, method="Nelder-Mead", options={"maxfev": 150})

    starts = [*rng.exponential(2.0, size=(searches, 3)), np.zeros(3)]
    best = climbed(min(map(climbed, starts), key=lambda result: result.fun).x)
    return {"ratio": -float(best.fun), "gaps": " ".join(f"{g:.3g}" for g in gaps_of(best.x))}
