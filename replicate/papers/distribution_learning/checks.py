"""What is measured for each claim and held against what. The same code, given a mutant, is the claim's control."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from replicate import certify
from replicate.claims import Check, Evidence
from replicate.papers.distribution_learning import (
    bounds,
    channels,
    experiments,
    hadamard,
    instances,
    lemmas,
    privacy,
)
from replicate.papers.distribution_learning.algorithms import Game
from replicate.papers.distribution_learning.channels import FloatArray
from replicate.papers.distribution_learning.instances import SIZES
from replicate.streams import stream

EXACT = 1e-9
"""Relative slack for comparisons of exact computations: rounding, not statistics."""
THREE_LABELS = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])


# Theorems 4, 5 and 6: risk and total variation under their bounds


def upper_bound(scheme: str, quantity: str, column: str = "upper") -> Check:
    """Upper confidence limit of the risk or the averaged total variation against the explicit bound.

    `column` "frozen" puts a learner stuck on the farthest wrong hypothesis in the learner's place.
    """

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.theorem_grid(scheme, profile, seed)
        pieces = []
        for row in data.to_dict("records"):
            limit, uniform = row[f"{quantity}_bound"], row[f"{quantity}_uniform"]
            where = f"{row['instance']}, truth {row['truth']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}"
            detail = f"Worst of {len(data)} settings: {where}."
            pieces.append(
                Evidence(measured=row[f"{quantity}_{column}"], limit=limit, detail=detail, uniform=uniform)
            )
        return Evidence.worst([piece for piece in pieces if piece.uniform > piece.limit])  # type: ignore[operator]

    return check


def sample_size(scheme: str = "pure") -> Check:
    """Averaged total variation at T_alpha against alpha."""

    def check(profile: str, seed: int) -> Evidence:
        f, alpha = instances.dirichlet(4, 8), 0.1
        horizon = bounds.sample_size(n_hypotheses=4, epsilon=1.0, accuracy=alpha)
        order = horizon / (4 / alpha**4)
        uniform = float(np.abs(f[0] - f.mean(axis=0)).sum() / 2)
        detail = f"T = {horizon:.3g} at α = {alpha}, K = 4, ε = 1: {order:.3g} times K/(ε²α⁴)."
        if scheme == "uniform":
            return Evidence(measured=uniform, limit=alpha, detail=detail)
        run = experiments.play(f, profile, seed, "sample size", scheme=scheme, horizon=horizon)
        upper = float(certify.mean_upper(run.averaged_tv))
        return Evidence(measured=upper, limit=alpha, detail=detail, uniform=uniform)

    return check


def slope_on_coins(kind: str) -> Check:
    """Slope of the averaged total variation in T, its (1/c)^(1/2) of logarithms divided out."""

    def check(profile: str, seed: int) -> Evidence:
        source = experiments.close_coins if kind == "shrinking" else experiments.tv_over_horizons
        data, samples = source(profile, seed)
        horizons = data["horizon"].to_numpy()
        logs = np.array([2 * instances.hardest_gap(int(t), 1.0) * t**0.25 for t in horizons])
        slope = certify.log_log_slope(horizons, samples / logs)
        raw = certify.log_log_slope(horizons, samples)
        detail = f"Slope of TV/sqrt(1/c) in T {slope}, of TV itself {raw}; T = 10^8 to 10^16, K = 2, ε = 1."
        return Evidence(measured=slope.low, limit=-0.3, relation=">=", detail=detail)

    return check


def response_rate(measured: str) -> Check:
    """Averaged total variation of randomised response on coins at the edge of what it resolves."""

    def check(profile: str, seed: int) -> Evidence:
        data, samples = experiments.close_coins(profile, seed, "randomized_response")
        rate = certify.share(len(data))
        pieces = []
        for row, sample in zip(data.to_dict("records"), samples.T, strict=True):
            setting = {"n_hypotheses": 2, "n_labels": 2, "horizon": int(row["horizon"]), "epsilon": 1.0}
            limit = bounds.randomized_response_tv(**setting)  # type: ignore[arg-type]
            value = float(certify.mean_upper(sample, false_alarm=rate))
            if measured == "pure":
                value = experiments.close_coins(profile, seed)[0].set_index("horizon")["mean"][row["horizon"]]
            pieces.append(Evidence(measured=value, limit=limit, detail=f"K=2, M=2, ε=1, T={row['horizon']:.0e}."))
        return Evidence.worst(pieces)

    return check


# Theorem 3 and its proof


def lower_bound(learners: tuple[str, ...]) -> Check:
    """Lower confidence limit of the risk on the Hadamard class against a T/132."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.hadamard_risks(profile, seed)
        data = data[data["learner"].isin(learners)]
        pieces = [
            Evidence(
                measured=row["lower"],
                limit=row["theorem_3"],
                relation=">=",
                detail=f"Smallest of {len(data)}: {row['learner']}, ε={row['epsilon']:g}, T={row['horizon']:.0e}, "
                f"{row['n_pairs']} pairs, a={row['gap']:.2g}.",
            )
            for row in data.to_dict("records")
        ]
        return Evidence.worst(pieces)

    return check


def _random_channels(n: int, epsilon: float, rng: np.random.Generator) -> Iterable[tuple[str, FloatArray]]:
    """Private channels on n labels: the best known ones, and random ones."""
    response = channels.randomized_response(np.ones(n), epsilon)
    yield "randomised response", response.law(np.eye(n))
    for size in range(1, n):
        yield f"subsets of {size}", hadamard.subset_channel(n, size, epsilon)
    for i in range(10):
        yield f"random channel {i}", hadamard.extremal_channel(n, epsilon, symbols=2 * n, rng=rng)


def _pair_divergence(channel: FloatArray, epsilon: float, detail: str) -> Evidence:
    """Smallest KL over the pairs after a channel, against the a^2 min{..} e^eps/(2K) before (24)."""
    n_pairs, horizon = len(channel) - 1, 10**4
    gap = bounds.hadamard_gap(n_pairs=n_pairs, horizon=horizon, epsilon=epsilon)
    released = hadamard.released_divergences(hadamard.hadamard_class(n_pairs, gap), channel)
    limit = gap**2 * min(np.expm1(epsilon) ** 2, 1) * np.exp(epsilon) / (2 * n_pairs)
    return Evidence(measured=float(released.min()), limit=limit, detail=detail)


def two_points(private: bool) -> Check:
    """Inequality before (24) for many private channels, or for the channel that hides nothing."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for epsilon in (0.1, 0.5, 1.0, 1.7, 3.0):
            rng = stream(seed, "dl", "channels", epsilon)
            tried = _random_channels(8, epsilon, rng) if private else [("no privacy", np.eye(8) + 1e-12)]
            pieces += [_pair_divergence(q, epsilon, f"{name}, N=8, ε={epsilon}.") for name, q in tried]
        return Evidence.worst(pieces)

    return check


def step_c(epsilon: float, printed: bool = True) -> Check:
    """Step (c) of (23): spread of one symbol's probabilities over the labels, against the printed factor."""

    def check(profile: str, seed: int) -> Evidence:
        columns = np.exp(epsilon * np.tril(np.ones((31, 32))))
        factor = min(np.expm1(epsilon) ** 2, 1.0) if printed else 2 * np.tanh(epsilon / 2) ** 2
        return Evidence(
            measured=hadamard.spread_ratio(columns),
            limit=factor * (1 + EXACT),
            relation=">=",
            detail=f"ε={epsilon}, 32 labels, symbols with probability ratio e^ε between two groups of labels.",
        )

    return check


def rates(power: float) -> Check:
    """Theorem 5 over the form of Theorem 2, for epsilon up to 1, with log(KT)^power."""

    def check(profile: str, seed: int) -> Evidence:
        grid = [(2**a, 2**b, e) for a in range(1, 31, 3) for b in range(1, 60, 3) for e in (1.0, 0.1, 0.01)]
        setting = ("n_hypotheses", "horizon", "epsilon")
        values = [bounds.theorem_2_constant(**dict(zip(setting, p, strict=True)), power=power) for p in grid]
        k, t, e = grid[int(np.argmax(values))]
        detail = f"Largest over {len(grid)} (K, T, ε): K={k}, T={t:.3g}, ε={e}."
        return Evidence(measured=max(values), limit=12.0, detail=detail)

    return check


def theorem_1(epsilon: float) -> Check:
    """Randomised response on the Hadamard class against sqrt(KT)/(820 epsilon) at a large epsilon."""

    def check(profile: str, seed: int) -> Evidence:
        pairs, horizon = 4, 10**12
        gap = bounds.hadamard_gap(n_pairs=pairs, horizon=horizon, epsilon=epsilon)
        f = hadamard.hadamard_class(pairs, gap)
        options = {"scheme": "randomized_response", "horizon": horizon, "epsilon": epsilon}
        finals = [experiments.play(f, profile, seed, "large ε", truth=j, **options).final for j in range(8)]
        worst = max(float(certify.mean_upper(final, false_alarm=certify.share(8))) for final in finals)
        form = np.sqrt(pairs * horizon) / (820 * epsilon)
        detail = f"Randomised response, K=4 pairs, T=1e12, ε={epsilon:.3g}: worst truth of the class."
        return Evidence(measured=worst, limit=form, detail=detail)

    return check


# Regret lemmas and conditional inequalities


def wma(rate_factor: float, quantity: str = "regret") -> Check:
    """Regret of weighted majority on hard tables against sqrt(2 T log K), or the second-order inequality."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for k, horizon in ((2, 16), (2, 400), (4, 400), (16, SIZES[profile].lemma_horizon), (64, 5)):
            rate = rate_factor * np.sqrt(2 * np.log(k) / horizon)
            tables = lemmas.hard_tables(horizon, k, rate, stream(seed, "dl", "wma", k, horizon))
            for name, losses in tables.items():
                measured, limit = lemmas.wma_regret(losses, rate), bounds.wma_regret(n_actions=k, horizon=horizon)
                uniform = float((losses.mean(axis=1).sum()) - losses.sum(axis=0).min())
                detail = f"Worst table: {name}, K={k}, T={horizon}."
                pieces.append(Evidence(measured=measured, limit=limit, detail=detail, uniform=uniform))
        return Evidence.worst(pieces)

    return check


def wma_on_messages(rate_factor: float) -> Check:
    """Lemma 4 on messages of Algorithm 1, the noise being any array that keeps them in [0, 1]."""

    def check(profile: str, seed: int) -> Evidence:
        pieces, f = [], instances.dirichlet(4, 8)
        for horizon in (2, 128, SIZES[profile].lemma_horizon):
            game = _game(f, "approximate", 1.0, horizon)
            rng = stream(seed, "dl", "messages", horizon)
            symbols = rng.choice(8, p=game.channels[0].law(game.masses[0, 0]), size=horizon)
            low, high = (
                game.tuning.message(game.values[0].T[symbols], sign * game.tuning.shift / game.tuning.scale)
                for sign in (1, -1)
            )
            rate = rate_factor * np.sqrt(2 * np.log(4) / horizon)
            for name, extreme in lemmas.hard_tables(horizon, 4, rate, rng).items():
                measured = lemmas.wma_regret(np.where(extreme > rng.random(extreme.shape), high, low), rate)
                limit = bounds.wma_regret(n_actions=4, horizon=horizon)
                detail = f"Noise that imitates: {name}, K=4, M=8, T={horizon}."
                pieces.append(Evidence(measured=measured, limit=limit, detail=detail))
        return Evidence.worst(pieces)

    return check


def one_coordinate(rate_factor: float) -> Check:
    """Lemma 7 exactly, over all sequences of coordinates, on hard and on random tables."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for k, horizon in ((2, 16), (3, 10)) if profile == "full" else ((2, 14), (3, 9)):
            rate = rate_factor * np.sqrt(2 * k * np.log(k) / horizon)
            rng = stream(seed, "dl", "lemma 7", k)
            tables = lemmas.hard_tables(horizon, k, rate, rng)
            for name, losses in tables.items():
                detail = f"Worst table: {name}, K={k}, T={horizon}, all {k}^{horizon - 1} sequences."
                pieces.append(
                    Evidence(
                        measured=lemmas.one_coordinate_regret(losses, rate),
                        limit=bounds.exp3_regret(n_actions=k, horizon=horizon),
                        detail=detail,
                    )
                )
        return Evidence.worst(pieces)

    return check


def second_order(exponent: float) -> Check:
    """log K/eta + (eta/2) sum w v^2 against the regret, with every rate up to 4; losses times `exponent`."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for k, rate in ((k, rate) for k in (2, 3, 8) for rate in (0.1, 0.5, 1.0, 2.0, 4.0)):
            rng = stream(seed, "dl", "second order", k, rate)
            for name, losses in lemmas.hard_tables(100, k, rate, rng).items():
                ratio = lemmas.second_order_slack(exponent * losses, rate)
                pieces.append(Evidence(measured=ratio, limit=1.0, detail=f"{name}, K={k}, η={rate}, T=100."))
        return Evidence.worst(pieces)

    return check


def conditional(scheme: str, learns: bool = True) -> Check:
    """Inequalities (10) and (15): for fixed arrays of noise within c', in the mean over labels and coordinates."""

    def check(profile: str, seed: int) -> Evidence:
        sizes, horizon = SIZES[profile], 128
        game = _game(np.array([[0.8, 0.2], [0.3, 0.7]]), scheme, 1.0, horizon)
        regret = bounds.exp3_regret if scheme == "pure" else bounds.wma_regret
        limit = regret(n_actions=2, horizon=horizon) / game.tuning.factor + 3 * game.tuning.log_range
        arrays = _noise_arrays(game, horizon, sizes.noise_arrays, stream(seed, "dl", "noise", scheme))
        rate, pieces = certify.share(len(arrays)), []
        for name, noise in arrays.items():
            rng = stream(seed, "dl", "conditional", scheme, name, learns)
            excess = lemmas.conditional_excess(game, 0, noise, replicates=500, rng=rng, learns=learns)
            upper = float(certify.mean_upper(excess, false_alarm=rate))
            pieces.append(Evidence(measured=upper, limit=limit, detail=f"Noise: {name}; K=2, M=2, ε=1, T=128."))
        return Evidence.worst(pieces)

    return check


def _noise_arrays(game: Game, horizon: int, drawn: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    """Arrays of noise inside the good event: extreme ones, and ones drawn from the Laplace law."""
    bound = game.tuning.shift
    favour = np.tile([bound, -bound], (horizon, 1))
    late = favour * np.where(np.arange(horizon) < horizon // 2, -1, 1)[:, None]
    arrays = {"all for the truth": favour, "against the truth": -favour, "first against, then for it": late}
    for i in range(drawn):
        noise = game.tuning.scale * rng.laplace(size=(horizon, 2))
        arrays[f"Laplace draw {i}"] = np.clip(noise, -bound, bound)
    return arrays


def _game(f: FloatArray, scheme: str, epsilon: float, horizon: int, calibration: str = "corrected") -> Game:
    delta = experiments.DELTA if scheme == "approximate" else None
    options = {"scheme": scheme, "epsilon": epsilon, "delta": delta, "horizon": horizon}
    return Game.validated(f, **options, calibration=calibration, merge=True)  # type: ignore[arg-type]


# Privacy


def one_coordinate_privacy(calibration: str, *, relation: str = "<=", halve: bool = False) -> Check:
    """Exact privacy loss of Algorithm 2 over its budget, worst over classes and horizons."""

    def check(profile: str, seed: int) -> Evidence:
        classes = {
            "three labels": THREE_LABELS,
            "one against 49": instances.one_against_many(50),
            "one against 9999": instances.one_against_many(10**4),
        } | {f"Dirichlet {i}": instances.dirichlet(4, 16, index=i) for i in range(SIZES[profile].classes)}
        worst, where = 0.0, ""
        for name, f in classes.items():
            for horizon, epsilon in ((t, e) for t in (10, 100, 10**4, 10**6, 10**12) for e in (0.1, 1.0, 2.0)):
                game = _game(f, "pure", epsilon, horizon, calibration)
                scale = game.tuning.scale / (2 if halve else 1)
                loss = privacy.one_coordinate_loss(game.channels[0], game.masses[0], scale) / epsilon
                if loss > worst:
                    worst, where = loss, f"{name}, T={horizon:.0e}, ε={epsilon:g}"
        detail = f"Largest exact loss over ε: {where}."
        limit = 1 + EXACT if relation == "<=" else 1.005
        return Evidence(measured=worst, limit=limit, relation=relation, detail=detail)  # type: ignore[arg-type]

    return check


def printed_loss(calibration: str) -> Check:
    """Exact loss over epsilon in the smallest counterexample, K = 2, M = 3, T = 100."""

    def check(profile: str, seed: int) -> Evidence:
        game = _game(THREE_LABELS, "pure", 1.0, 100, calibration)
        loss = privacy.one_coordinate_loss(game.channels[0], game.masses[0], game.tuning.scale)
        larger = _game(instances.one_against_many(50), "pure", 1.0, 100, calibration)
        wide = privacy.one_coordinate_loss(larger.channels[0], larger.masses[0], larger.tuning.scale)
        detail = f"f₁=(½,½,0), f₂=(0,0,1), T=100, ε=1; one law against 49 labels instead: {wide:.4g}."
        return Evidence(measured=loss, limit=1 + EXACT, relation=">=", detail=detail)

    return check


def vector_privacy(scale: Callable[[int, float, float], float]) -> Check:
    """Exact delta of Algorithm 1's K noises over the delta promised, with the corrected sensitivity."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for k, epsilon in ((k, e) for k in (2, 4, 16, 64) for e in (2.0, 1.0, 0.3, 0.1)):
            for delta, horizon in ((d, t) for d in (1e-2, 1e-6) for t in (10**2, 10**6, 10**12)):
                true, printed = np.log((k + 1) * horizon), np.log(k * horizon)
                spent = privacy.laplace_composition(k, true / (printed * scale(k, epsilon, delta)), epsilon)[1]
                detail = f"Worst of K, ε, δ, T: K={k}, ε={epsilon:g}, δ={delta:g}, T={horizon:.0e}."
                pieces.append(Evidence(measured=spent, limit=delta, detail=detail))
        return Evidence.worst(pieces)

    return check


def just_below(k: int, epsilon: float, delta: float) -> float:
    """One per cent less noise than the exact composition asks for."""
    return 0.99 * privacy.exact_unit_scale(k, epsilon, delta)


def advanced_composition(root: float) -> Check:
    """Exact delta at the epsilon of Lemma 2, over delta: Laplace mechanisms and randomised responses.

    `root` is the factor under the square root: 2 in Lemma 2.
    """

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for k, each in ((k, e) for k in (2, 4, 16, 64, 256) for e in (0.3, 0.1, 0.03, 0.01)):
            for delta in (1e-1, 1e-2, 1e-6):
                total = k * each**2 / 2 + np.sqrt(root * np.log(1 / delta) * k) * each
                exact = {
                    "Laplace mechanisms": privacy.laplace_composition(k, each, total)[1],
                    "randomised responses": privacy.randomized_response_composition(k, each, total),
                }
                for name, spent in exact.items():
                    detail = f"Closest: {k} {name}, ε'={each}, δ={delta:g}."
                    pieces.append(Evidence(measured=spent, limit=delta, detail=detail))
        return Evidence.worst(pieces)

    return check


def excess_noise(column: str) -> Check:
    """Scale of the noise over the exact requirement: the smallest ratio over K and delta."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.noise_scales(profile, seed)
        data = data[data["n"] >= 2]
        ratio = data[column] / data["exact"]
        row = data.loc[ratio.idxmin()]
        detail = f"From {ratio.min():.3g} (K={row['n']:.0f}, δ={row['delta']:g}) to {ratio.max():.3g}; ε=1."
        return Evidence(measured=float(ratio.min()), limit=2.5, relation=">=", detail=detail)

    return check


def cost_of_approximate(deltas: tuple[float, ...]) -> Check:
    """Noise of Algorithm 1 under exact composition over the sqrt(K)/epsilon that one coordinate costs."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for k, epsilon, delta in ((k, e, d) for k in (2, 4, 16, 64) for e in (1.0, 0.1) for d in deltas):
            ratio = privacy.exact_unit_scale(k, epsilon, delta) * epsilon / np.sqrt(k)
            detail = f"Smallest over K, ε, δ: K={k}, ε={epsilon:g}, δ={delta:g}."
            pieces.append(Evidence(measured=ratio, limit=1.0, relation=">=", detail=detail))
        return Evidence.worst(pieces)

    return check


# The clipping map


def n_cells(factor: str, f: FloatArray) -> Check:
    """N' over its printed limit KM."""

    def check(profile: str, seed: int) -> Evidence:
        channel = channels.clipping(f, np.ones(f.shape[1]), 100)
        k, m = f.shape
        limit = k * m
        detail = f"N' = {channel.n_cells:.0f}, K M = {limit}, smallest density x TKM = "
        detail += f"{np.exp(channel.log_density(f)[:, channel.cells > 0].min()) * 100 * limit:.4g}; {factor}."
        return Evidence(measured=channel.n_cells / limit, limit=1 + EXACT, relation=">=", detail=detail)

    return check


def corrected_cells(printed: bool = False) -> Check:
    """N' over min(M^2, (K + 1) M - K), and the sensitivity over log((K + 1) T), over many classes."""

    def check(profile: str, seed: int) -> Evidence:
        rng, pieces = stream(seed, "dl", "cells"), []
        classes = [THREE_LABELS, *(instances.one_against_many(m) for m in (2, 5, 50, 1000))]
        for k, m in ((k, m) for k in (2, 3, 5) for m in (2, 5, 12, 60)):
            classes += [rng.dirichlet(np.full(m, a), size=k) for a in (0.05, 0.3, 1.0) for _ in range(20)]
            if m >= k:
                classes.append(np.array([np.isin(np.arange(m) % k, j) for j in range(k)], dtype=float))
                classes[-1] /= classes[-1].sum(axis=1, keepdims=True)
        for f in classes:
            k, m = f.shape
            channel = channels.clipping(f, np.ones(m), 1000)
            limit = k * m if printed else min(m * m, (k + 1) * m - k)
            pieces.append(Evidence(measured=channel.n_cells, limit=limit, detail=f"N', K={k}, M={m}."))
            log = np.log((k if printed else k + 1) * 1000.0)
            pieces.append(Evidence(measured=channel.sensitivity(f), limit=log, detail=f"Spread, K={k}, M={m}."))
        return Evidence.worst(pieces)

    return check


def price_of_correction(top: str, bottom: str) -> Check:
    """Risk under one calibration over the risk under another: upper over lower confidence limit."""

    def check(profile: str, seed: int) -> Evidence:
        data, pieces = experiments.printed_and_corrected(profile, seed), []
        for (name, scheme), rows in data.groupby(["instance", "scheme"]):
            limits = rows.set_index("calibration")
            ratio = limits.loc[top, "upper"] / limits.loc[bottom, "lower"]
            detail = f"{name}, Algorithm {2 if scheme == 'pure' else 1}, T=1e12, ε=1, {top} over {bottom}."
            pieces.append(Evidence(measured=float(ratio), limit=1.25, detail=detail))
        return Evidence.worst(pieces)

    return check


# Baselines


def response(measured: str) -> Check:
    """Risk of randomised response against its explicit bound, over M, near what it can just resolve."""

    def check(profile: str, seed: int) -> Evidence:
        horizon, pieces = 10**10, []
        for m in (2, 8, 64, 1000):
            setting = {"n_hypotheses": 2, "n_labels": m, "horizon": horizon, "epsilon": 1.0}
            gap = 60 * bounds.randomized_response_tv(**setting)  # type: ignore[arg-type]
            f = instances.split_labels(hadamard.hadamard_class(1, gap), m)
            uniform = experiments.uniform_risk(f, 1, horizon)
            value = uniform
            if measured == "response":
                options = {"scheme": "randomized_response", "horizon": horizon, "truth": 1, "replicates": 400}
                run = experiments.play(f, profile, seed, "response", m, **options)
                value = float(certify.mean_upper(run.final, false_alarm=certify.share(4)))
            limit = bounds.randomized_response(**setting)  # type: ignore[arg-type]
            detail = f"Hadamard pair on M={m} labels, a={gap:.2g}, ε=1, T={horizon:.0e}."
            pieces.append(Evidence(measured=value, limit=limit, detail=detail, uniform=uniform))
        return Evidence.worst(pieces)

    return check


def response_grows_with_m(scheme: str) -> Check:
    """Risk at the most labels over the risk at the fewest: the same problem, written with more labels."""

    def check(profile: str, seed: int) -> Evidence:
        data = experiments.size_sweep(profile, seed)
        data = data[(data["axis"] == "M") & (data["learner"] == scheme)].sort_values("value")
        first, last = data.iloc[0], data.iloc[-1]
        detail = f"M={first['value']} to {last['value']}, T=1e10, K=4, ε=1; mean {first['mean']:.3g} to {last['mean']:.3g}."
        return Evidence(measured=last["low"] / first["high"], limit=100.0, relation=">=", detail=detail)

    return check


def non_private(learner: str) -> Check:
    """Risk of the Bayesian mixture of labels in the clear, exactly, against log K: two coins."""

    def check(profile: str, seed: int) -> Evidence:
        pieces = []
        for gap, horizon in ((gap, t) for gap in (0.01, 0.1, 0.4) for t in (10, 1000, 10**5)):
            risk = experiments.coins_mixture_risk(gap, horizon)
            if learner == "randomized_response":
                options = {"scheme": learner, "horizon": horizon, "epsilon": 0.3}
                run = experiments.play(instances.close_pair(gap), profile, seed, "non-private", **options)
                risk = float(certify.mean_lower(run.final, false_alarm=certify.share(9)))
            detail = f"Two coins, gap {gap}, T={horizon}."
            pieces.append(Evidence(measured=risk, limit=float(np.log(2)), detail=detail))
        return Evidence.worst(pieces)

    return check
