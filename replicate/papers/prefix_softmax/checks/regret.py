"""Checks of the regret claims and of the erratum."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from replicate import certify, environments, mechanisms
from replicate.budget import cache
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, over, worst
from replicate.environments.stochastic import means_of
from replicate.learners import dyadic
from replicate.papers.prefix_softmax import algorithms, bounds, experiments, lemmas
from replicate.papers.prefix_softmax.checks import corners
from replicate.papers.prefix_softmax.instances import HORIZON, SIZES
from replicate.streams import stream
from replicate.validation import FloatArray

_NO_DRAWS = np.random.default_rng(0)
"""For simulations that draw nothing: deterministic losses, whole blocks, expected selections."""

BOUND = {"(1)": "bound_1", "(2)": "rate", "sharper": "sharper"}
"""Columns of what the constant multiplies: all of (1), the rate of (2), all of our sharper bound."""


@worst
def _under(data: pd.DataFrame, form: str, constant: float) -> Iterator[Evidence]:
    """Compare regret and bound row by row and return the row closest to its bound."""
    closest = "Worst of {} settings: {instance}, K={n_actions}, gap={gap:.3g}, ε={epsilon:g}."
    for row in data.to_dict("records"):
        known = {"opposite": row["lower"], "estimate": row["regret"], "unit": "regret", "uniform": row["uniform"]}
        yield at_most(row["upper"], constant * row[BOUND[form]], closest.format(len(data), **row), **known)


def theorem_1(profile: str, seed: int, *, form: str, uniform: float, constant: float) -> Evidence:
    """Upper confidence limit of the regret, against `constant` times Theorem 1 in its form ``"(1)"`` or ``"(2)"``.

    The constant 1 stands for all of (1), as printed; (2) has the constant 1000. Here and below `uniform` is the
    share of rounds that are played uniformly instead.
    """
    data = pd.concat([experiments.regret_grid(profile, seed), experiments.structured_grid(profile, seed)])
    return _under(data, form, constant).mixed(uniform)


def dependent(profile: str, seed: int, *, uniform: float, constant: float) -> Evidence:
    """Upper confidence limit of the regret on losses dependent within a round, against `constant` times (1)."""
    data = experiments.structured_grid(profile, seed)
    names = ["comonotone losses", "antithetic losses", "one-hot losses"]
    return _under(data[data["instance"].isin(names)], "(1)", constant).mixed(uniform)


@worst
def rate(profile: str, seed: int, *, noise_power: float) -> Iterator[Evidence]:
    """Confidence limits of the slopes of the regret in 1/gap, 1/epsilon and log K: between 0.7 and 1.3.

    The noise of the selections behind the slope in log K, which is exact, is multiplied by (log K)**noise_power.
    """
    share = certify.share(3)
    gaps, by_gap = experiments.gap_sweep(profile, seed)
    levels, by_level = experiments.epsilon_sweep(profile, seed)
    log_k = np.log(2 ** np.arange(1, 15))
    exact = [_zero_one_regret(2**power, 0.1 / x**noise_power) for power, x in enumerate(log_k, 1)]
    slopes = {
        "1/gap (gap 1e-4 to 3e-3)": certify.log_log_slope(1 / gaps[:4], by_gap[:, :4], false_alarm=share),
        "1/ε (ε 1e-3 to 1/4)": certify.log_log_slope(1 / levels, by_level, false_alarm=share),
        "log K (K to 2^14, exact)": certify.log_log_slope(log_k, np.tile(exact, (2, 1)), false_alarm=share),
    }
    detail = "Slope in " + ", ".join(f"{name}: {slope}" for name, slope in slopes.items()) + "."
    for slope in slopes.values():
        yield at_most(slope.high, 1.3, detail, opposite=slope.low)
        yield at_least(slope.low, 0.7, detail, opposite=slope.high)


def _zero_one_regret(n_actions: int, epsilon: float) -> float:
    """Exact regret at T = 2**59 where the best action always has loss 0 and the others have loss 1."""
    means = (np.arange(n_actions) > 0).astype(np.float64)
    return float(algorithms.exact_regret(means, epsilon=epsilon, horizon=HORIZON).final[0])


@worst
def horizon_free(profile: str, seed: int, *, temperature: str) -> Iterator[Evidence]:
    """Growth of the regret after a round 4 n, up to 2**59, against what the proof leaves for it.

    Exact on deterministic losses, where Lemma 4 leaves four times the sum of F_m over m > n. On Bernoulli losses
    of two actions an upper confidence limit against `bounds.remainder`, one loss added to both: there may be no
    growth at all.
    """
    yield from _exact_late_growth(temperature)
    for row in experiments.late_growth(profile, seed).to_dict("records"):
        detail = f"1 + growth after T={row['rounds']:,} at K=2, gap={row['gap']:g}, ε={row['epsilon']:g}."
        yield at_most(1 + row["growth"], 1 + row["remainder"], detail)


def _exact_late_growth(temperature: str) -> Iterator[Evidence]:
    """Growth of the regret on deterministic losses, linear gaps from 0.01, K = 16, epsilon = 0.01.

    The temperature of the softmax is ``"constant"``, 1 / eta, or ``"largest sum"``, 1 / eta times the block's
    largest sum of losses: then the selection never sharpens.
    """
    regret, selected = _regret_at_blocks(temperature), _late_errors()
    for power in (16, 18, 19, 20):
        left = 4 * float(selected[2 ** (power - 2) - 2**14 :].sum())
        detail = f"Exact growth from T=2^{power} to 2^59, linear gaps from 0.01, K=16, ε=0.01."
        yield at_most(float(regret[-1] - regret[power - 1]), left * (1 + EXACT), detail)


@cache
def _late_errors() -> FloatArray:
    """F_m for m from 2**14 + 1 to 2**20, after which it has vanished, on the instance of `_exact_late_growth`.

    Actions whose weight has fallen below e^-60 before a power of two do not count after it.
    """
    gaps, eta, errors = environments.gaps(means_of("linear gaps", 16, 0.01)), algorithms.learning_rate(0.01), []
    for start in 2 ** np.arange(14, 20):
        near = gaps[eta * start * gaps < 60]
        errors.append(algorithms.softmax_error(near, eta=eta, rounds=np.arange(start, 2 * start) + 1))
    return np.concatenate(errors)


@cache
def _regret_at_blocks(temperature: str) -> FloatArray:
    """Exact regret at the ends of the blocks, shape (60,), on the instance of `_exact_late_growth`."""
    means, eta = means_of("linear gaps", 16, 0.01), algorithms.learning_rate(0.01)
    if temperature == "constant":
        return algorithms.exact_regret(means, epsilon=0.01, horizon=HORIZON).regret[0]
    return dyadic.simulate(
        environments.Deterministic(means),
        selector=lambda sums: algorithms.selector(eta)(sums / sums.max(axis=-1, keepdims=True)),
        horizon=HORIZON,
        replicates=1,
        rng=_NO_DRAWS,
    ).regret[0]


@worst
def noisy_max_growth(profile: str, seed: int, *, noise_power: float) -> Iterator[Evidence]:
    """Slope in log K, K >= 16, of report-noisy-max's regret, its noise multiplied by (log K)**noise_power.

    The upper confidence limit is at most 3/2: nearer to log K than to its square.
    """
    for (gap, epsilon), part in experiments.against_noisy_max(profile, seed, noise_power).groupby(
        ["gap", "epsilon"]
    ):
        part = part[part["n_actions"] >= 16]
        gumbel, ours = (
            np.stack([group["regret"].to_numpy() for _, group in rows.groupby("n_actions")], axis=1)
            for rows in (part[part["learner"] == name] for name in ("gumbel", "prefix_softmax"))
        )
        log_k = np.log(np.sort(part["n_actions"].unique()))
        slope = certify.log_log_slope(log_k, gumbel, false_alarm=certify.share(3))
        advantage = (ours.mean(axis=0) / gumbel.mean(axis=0)).min()
        detail = (
            f"Slope in log K {slope} at gap={gap:g}, ε={epsilon:g}; "
            f"there the regret of prefix softmax is at least {advantage:.2f} times as large."
        )
        yield at_most(slope.high, 1.5, detail)


def largest_ratio(profile: str, seed: int, *, constant: float) -> Evidence:
    """Largest exact regret over log K / gap + log K / epsilon that a search over gap vectors finds."""
    data = experiments.worst_instances(profile, seed)
    row = data.loc[data["ratio"].idxmax()]
    private = data.loc[data["epsilon"] <= 0.25, "ratio"].max()
    detail = (
        f"Largest Reg/rate found: gaps {row['gaps']}, K={row['n_actions']}, ε={row['epsilon']:g}; "
        f"for ε ≤ 1/4 the largest is {private:.2f}."
    )
    return at_most(float(row["ratio"]), constant, detail)


def cap(profile: str, seed: int, *, epsilon: float, factor: float) -> Evidence:
    """Exact regret with eta = min(epsilon / 2, 1/8) over that with eta = epsilon / 2, against `factor`."""
    capped, uncapped = experiments.regret_with_and_without_cap(epsilon)
    detail = f"Exact regret {capped:.4g} with the cap, {uncapped:.4g} without, K=16, 0/1 losses, ε={epsilon:g}."
    return at_least(capped / uncapped, factor, detail)


def sharper_theorem_1(profile: str, seed: int, *, uniform: float, constant: float) -> Evidence:
    """Upper limits of the regret, against `constant` times 1 + 16 (log(K - 1) + 1) / gap + 8 log K / eta.

    The settings of Theorem 1 with one good arm or dependent losses, and others in which eta = epsilon / 2 has no
    cap, epsilon up to 16.
    """
    return _under(experiments.sharper_grid(profile, seed), "sharper", constant).mixed(uniform)


statistical_lower_bound = over(
    corners.statistical_lower_bound,
    *(
        {"n_actions": k, "gap": gap}
        for k, gaps in ((2, (0.5, 0.1)), (3, (0.3,)), (4, (0.5,)), (16, (0.1, 0.5)), (256, (0.3,)), (4096, (0.5,)))
        for gap in gaps
    ),
)


@worst
def private_lower_bound(profile: str, seed: int, *, noise_power: float) -> Iterator[Evidence]:
    """Exact regret at gap 1 of prefix softmax and of report-noisy-max, against log K / (28 epsilon).

    The noise is multiplied by epsilon**noise_power: with 1 it no longer grows as epsilon falls, and the learner is
    not private at epsilon.
    """
    for n_actions, epsilon in product((2, 7, 256), (0.1, 0.01, 0.001)):
        spent = epsilon ** (1 - noise_power)
        limit = bounds.lower_bound_privacy(n_actions=n_actions, epsilon=epsilon)
        env = environments.Deterministic((np.arange(n_actions) > 0).astype(np.float64))
        whole = experiments.report_noisy_max(env, epsilon=spent, horizon=HORIZON, replicates=1, rng=_NO_DRAWS)
        regrets = {"prefix softmax": _zero_one_regret(n_actions, spent), "noisy max": float(whole.final[0])}
        for name, regret in regrets.items():
            yield at_least(regret, limit, f"Exact regret of {name}, K={n_actions}, gap 1, ε={epsilon:g}.")


@worst
def whole_blocks(profile: str, seed: int, *, constant: float) -> Iterator[Evidence]:
    """Exact regret, deterministic losses, of softmax that reads whole blocks, against 1 + constant log K / eta.

    The theorem has 4. At every horizon that is tried, and block by block, it is at most that of the learner that
    reads prefixes.
    """
    for means, epsilon, where in _read_instances():
        gaps, eta = environments.gaps(means), algorithms.learning_rate(epsilon)
        *others, last = corners.read_whole(gaps, eta, (1000, 3000, HORIZON))
        yield from (replace(piece, detail=f"{where}: {piece.detail}") for piece in (*others, last))
        detail = f"{where}: {last.limit / last.measured:.3f} times less than prefix."
        yield replace(last, limit=1 + constant * math.log(len(means)) / eta, detail=detail)
        costs = lemmas.whole_blocks(gaps, eta=eta, blocks=24)
        closest = int((costs[0] / np.maximum(costs[1], 1e-300)).argmax())
        detail = f"{where}: block {closest + 1} of {2 ** (closest + 1):,} rounds, the closest."
        yield at_most(float(costs[0][closest]), float(costs[1][closest]) * (1 + EXACT), detail)


def _read_instances() -> Iterator[tuple[FloatArray, float, str]]:
    """Means, epsilon and names of the instances with deterministic losses."""
    for name, gap, n_actions in product(("one good arm", "linear gaps"), (0.5, 0.1), (2, 16, 4096)):
        yield means_of(name, n_actions, gap), 0.1, f"{name}, K={n_actions}, gap={gap:g}, ε=0.1"
    for power in range(8):  # somewhere a block ends just before the best action shows
        epsilon = 0.1 * 2 ** (-power / 8)
        yield (np.arange(4096) > 0).astype(np.float64), epsilon, f"losses 0 and 1, K=4096, ε={epsilon:.3g}"


@worst
def where_the_prefix_helps(profile: str, seed: int, *, dependence: str) -> Iterator[Evidence]:
    """Exact regret without prefix over that with it, three actions, the best without noise, eta = 1/8.

    At gap 1e-5 and T = 4,095 it is at least 1.02, for F_m rises; at gap 0.05 and T = 2**16 - 1 it is at most 0.75.
    """
    early, late = (_whole_over_prefix(gap, blocks)[dependence] for gap, blocks in ((1e-5, 12), (0.05, 16)))
    detail = f"Regret without prefix over that with it: {early:.4f} at gap 1e-5, T=4,095; {late:.4f} at gap 0.05."
    yield at_least(early, 1.02, detail)
    yield at_most(late, 0.75, detail)


@cache
def _whole_over_prefix(gap: float, blocks: int) -> dict[str, float]:
    """Exact regret of reading whole blocks over that of reading prefixes, after `blocks` blocks, by dependence.

    Every prefix of up to 1,024 rounds is computed; of longer blocks 65 prefixes are, and interpolated between.
    """
    regret = {name: np.full(2, 2 / 3) for name in ("opposite", "equal")}
    for r in range(blocks - 1):
        rounds = np.unique(np.linspace(2**r // 2 + 1, 2**r, 65 if r > 10 else 2**r - 2**r // 2).astype(np.int64))
        for name, wrong in lemmas.rivals_error(rounds, gap, eta=1 / 8).items():
            all_lengths = np.interp(np.arange(2**r // 2 + 1, 2**r + 1), rounds, wrong)
            regret[name] += 2 ** (r + 1) * np.array([wrong[-1], all_lengths.mean()])
    return {name: float(whole / prefix) for name, (whole, prefix) in regret.items()}


# The erratum. At gap 1 there is one instance: the best action has loss 0, the others 1. At gap 1/2 the others toss
# fair coins. The learner is report-noisy-max with Gumbel noise at epsilon = 4 log K, scale 2 / epsilon.

SLIP_ACTIONS = (2**4, 2**14)
"""Numbers of actions between which rate over regret must not grow, were the rate a lower bound in order."""


def _slip_rate(n_actions: int, gap: float) -> float:
    """Return log K / gap + log K / epsilon at epsilon = 4 log K."""
    return math.log(n_actions) / gap + 0.25


def _slip_regret(n_actions: int, gap: float) -> float:
    """Regret at gap 1 of report-noisy-max, epsilon = 4 log K; at gap 1/2 of following the leader, doubling blocks.

    After n rounds of fair coins each of the others is still level with the best with probability q = 2**-n, and
    ties are broken at random: the leader is wrong with probability 1 - (1 - (1 - q)**K) / (K q).
    """
    if gap == 1:
        env = environments.Deterministic((np.arange(n_actions) > 0).astype(np.float64))
        epsilon = 4 * math.log(n_actions)
        run = experiments.report_noisy_max(env, epsilon=epsilon, horizon=2**40, replicates=1, rng=_NO_DRAWS)
        return float(run.final[0])
    level = 0.5 ** (2.0 ** np.arange(6))
    wrong = 1 + np.expm1(n_actions * np.log1p(-level)) / (n_actions * level)
    return float(gap * (1 - 1 / n_actions + (2 ** np.arange(1, 7)) @ wrong))


def below_the_rate(profile: str, seed: int, *, gap: float) -> Evidence:
    """Growth of rate over exact regret from K = 2**4 to 2**14; the logarithm itself grows by 3.5."""
    few, many = (_slip_rate(k, gap) / _slip_regret(k, gap) for k in SLIP_ACTIONS)
    detail = f"Rate over regret at gap {gap:g}, ε = 4 log K: {few:.3g} at K = 2^4, {many:.3g} at K = 2^14."
    return at_least(many / few, 2.0, detail)


def _played_costs(n_actions: int, gap: float, *, runs: int, seed: int) -> FloatArray:
    """Pseudo-regret by block of the actions that report-noisy-max plays in 64 rounds: shape (runs, 7)."""
    env = environments.Bernoulli(np.where(np.arange(n_actions) > 0, gap, 0.0))
    scale, rng = 0.5 / math.log(n_actions), stream(seed, "prefix_softmax/slip", n_actions)
    starts, stops = dyadic.blocks(64)
    wrong = np.empty((runs, len(starts)), dtype=np.bool_)
    for run in wrong:
        run[0], losses = rng.integers(n_actions) != 0, env.losses(0, 64, rng=rng)
        for r, (start, stop) in enumerate(zip(starts[:-1], stops[:-1], strict=True)):
            sums = losses[start:stop].sum(axis=0)
            run[r + 1] = mechanisms.report_noisy_max(-sums, noise="gumbel", scale=scale, rng=rng) != 0
    return gap * wrong * (stops - starts)


def _played_upper(costs: FloatArray, n_actions: int, gap: float, *, false_alarm: float) -> float:
    """Upper limit of the mean of summed costs: bets on early blocks, proved tails of late ones."""
    starts, stops = dyadic.blocks(64)
    largest = gap * (stops - starts)
    steps, read = dyadic.difference_law(0, gap), 2.0 ** np.arange(len(starts) - 1)
    wrong = (n_actions - 1) * dyadic.selection_tail(steps, read, noise="gumbel", scale=0.5 / math.log(n_actions))
    tails = largest * np.r_[1.0, np.minimum(wrong, 1)]
    return certify.truncated_upper(costs, largest=largest, tails=tails, false_alarm=false_alarm)


def below_the_rate_played(profile: str, seed: int, *, gap: float) -> Evidence:
    """Lower confidence limit of the growth of rate over regret, from the actions that the learner plays.

    At few actions bets give a lower limit of the regret, at many an upper one, with proved tails of late blocks.
    """
    (few, many), (k, k_many), rate = SIZES[profile].played_runs, SLIP_ACTIONS, certify.share(2)
    costs = _played_costs(k, gap, runs=few, seed=seed)
    low = -float(certify.betting_upper(-costs.sum(axis=1), low=-64 * gap, high=0, false_alarm=rate))
    costs = _played_costs(k_many, gap, runs=many, seed=seed)
    high = _played_upper(costs, k_many, gap, false_alarm=rate)
    limits = _slip_rate(k, gap) / low, _slip_rate(k_many, gap) / high
    detail = f"{few} and {many} runs: rate over regret at most {limits[0]:.3g}, then at least {limits[1]:.3g}."
    return at_least(limits[1] / limits[0], 2.0, detail)
