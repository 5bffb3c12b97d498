"""One entry point for the four learners: `simulate`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from replicate import validation
from replicate.environments import Environment, Table
from replicate.learners.comparator import comparator_losses
from replicate.learners.protocol import DYNAMIC, Run
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import dartboard, mirror_descent, restarts, switching
from replicate.papers.tracking.algorithms.dartboard import Dartboard
from replicate.papers.tracking.algorithms.meta_experts import run_dartboard
from replicate.validation import FloatArray
from replicate.workbook import sweep

__all__ = ["DYNAMIC", "METHODS", "simulate"]

Player = Callable[[FloatArray, np.random.Generator], tuple[NDArray[np.int32], FloatArray]]
"""Table, generator to the experts played and the loss paid in each round, both of shape (T,)."""

METHODS = ("restarts", "limited_updates", "meta_experts", "mirror_descent")
_MAX_HORIZON = 10**8
_MAX_STORED = 64


def simulate(
    env: Environment,
    *,
    method: str = "restarts",
    epsilon: float,
    horizon: int,
    n_switches: int = 1,
    replicates: int,
    rng: np.random.Generator,
    calibration: str = "corrected",
    windows: str = "all",
    failure: float | None = None,
    delta: float = 1e-6,
    dartboard_parameters: Dartboard | None = None,
    keep_actions: bool = False,
) -> Run:
    """Play a loss process round by round with compiled kernels, replicates in threads.

    Parameters
    ----------
    env
        The loss process; every replicate draws its own losses.
    method
        ``"restarts"`` (Algorithm 2), ``"limited_updates"`` (Algorithm 1), ``"meta_experts"`` (Section 4 on Private
        Shrinking Dartboard, approximate privacy), ``"mirror_descent"`` (Algorithm 3).
    epsilon, delta
        Privacy level; only ``"meta_experts"`` uses `delta` (0 is pure privacy).
    horizon
        Number of rounds T, 2 to 1e8.
    n_switches
        S >= 1 of the comparator, of ``"meta_experts"`` and of ``"mirror_descent"``. Less than T.
    replicates
        Independent repetitions, at least 1.
    rng
        Source of randomness; a replicate's stream does not depend on the number of threads.
    calibration
        ``"corrected"`` or ``"printed"`` (see `bounds`; ``"proven"`` for restarts only).
    windows, failure
        For ``"restarts"``: ``"all"`` or ``"dyadic"``; beta, None for 1 / T.
    dartboard_parameters
        For ``"meta_experts"``; None tunes them on the stated bounds.
    keep_actions
        Record the experts played.

    Returns
    -------
    Dynamic regret at up to 64 rounds. ``"mirror_descent"`` pays the expected loss given its weights.
    """
    validation.choice("method", method, METHODS)
    horizon = validation.count("horizon", horizon, low=2, high=_MAX_HORIZON)
    n_switches = validation.count("n_switches", n_switches, high=horizon - 1)
    validation.count("replicates", replicates)
    validation.generator(rng)
    validation.choice("calibration", calibration, bounds.CALIBRATIONS)
    sizes = {"n_experts": env.n_actions, "horizon": horizon, "epsilon": validation.positive("epsilon", epsilon)}
    if method in ("restarts", "limited_updates"):
        rule = None
        if method == "restarts":
            rule = bounds.restart_rule(**sizes, failure=failure, calibration=calibration, windows=windows)  # type: ignore[arg-type]
        player = restart_player(epsilon if rule is None else epsilon / 2, rule)
    elif method == "meta_experts":
        board = dartboard_parameters or dartboard.tune_dartboard(
            epsilon=epsilon, delta=validation.real("delta", delta, low=0, high=0.5), horizon=horizon,
            log_d=switching.log_count_sequences(horizon, env.n_actions, n_switches),
        )  # fmt: skip
        player = dartboard_player(board, n_switches)
    else:
        rate, noise = mirror_descent.parameters(**sizes, n_switches=n_switches, calibration=calibration)  # type: ignore[arg-type]
        player = mirror_player(rate, noise, n_switches / (env.n_actions * horizon))
    return _play(env, player, horizon, n_switches, replicates, rng, keep_actions)


def restart_player(epsilon: float, rule: bounds.RestartRule | None) -> Player:
    """Return Algorithm 1 at `epsilon`, restarted by `rule`."""

    def play(table: FloatArray, rng: np.random.Generator) -> tuple[NDArray[np.int32], FloatArray]:
        actions = restarts.run_restarts(table, epsilon=epsilon, rule=rule, rng=rng).actions
        return actions, table[np.arange(len(table)), actions]

    return play


def dartboard_player(board: Dartboard, n_switches: int) -> Player:
    """Return Private Shrinking Dartboard on the meta-experts."""

    def play(table: FloatArray, rng: np.random.Generator) -> tuple[NDArray[np.int32], FloatArray]:
        actions, _ = run_dartboard(table, n_switches=n_switches, dartboard=board, rng=rng)
        return actions, table[np.arange(len(table)), actions]

    return play


def mirror_player(rate: float, noise: float, floor: float) -> Player:
    """Return Algorithm 3; it pays the expected loss given the weights."""

    def play(table: FloatArray, rng: np.random.Generator) -> tuple[NDArray[np.int32], FloatArray]:
        return mirror_descent.run_mirror_descent(table, learning_rate=rate, noise=noise, floor=floor, rng=rng)

    return play


def _play(
    env: Environment,
    player: Player,
    horizon: int,
    n_switches: int,
    replicates: int,
    rng: np.random.Generator,
    keep_actions: bool,
) -> Run:
    rounds = np.unique(np.ceil(np.linspace(0, horizon, _MAX_STORED + 1)[1:]).astype(np.int64))
    fixed = None
    if isinstance(env, Table):
        if len(env.rows) < horizon:
            raise ValueError(f"horizon must be at most the table's {len(env.rows)} rounds, got {horizon}")
        fixed = comparator_losses(env.rows[:horizon], n_switches=n_switches)

    def one(own: np.random.Generator) -> tuple[FloatArray, NDArray[np.int32] | None]:
        table = np.ascontiguousarray(env.losses(0, horizon, rng=own))
        actions, paid = player(table, own)
        best = comparator_losses(table, n_switches=n_switches) if fixed is None else fixed
        return np.cumsum(paid - best)[rounds - 1], actions if keep_actions else None

    with sweep.threads() as pool:
        results = list(pool.map(one, rng.spawn(replicates)))
    actions = np.array([a for _, a in results], dtype=np.int64) if keep_actions else None
    return Run(rounds, np.array([regret for regret, _ in results]), DYNAMIC, actions)
