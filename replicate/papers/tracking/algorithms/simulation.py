"""Games: `simulate` plays the four learners on a loss process, `duel` plays any learner against an adversary.

The adaptive adversary of Theorem 5.1 is S + 1 copies, one after the other, of the static lower bound's.

Experts come in pairs. Each pair hides a sign X: its losses are (1 + X) / 2 and (1 - X) / 2 until one of the
two has been played, and 1 for both from then on. As long as a pair is untouched, one of its two experts is
perfect; an expert that is played twice in a row loses 1 the second time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replicate import streams, validation
from replicate.environments import Environment, Table
from replicate.learners.entries import Setting
from replicate.learners.protocol import DYNAMIC, Learner, Run, actions_of, best_sequence, comparator_losses
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import meta_experts, mirror_descent, restarts, switching
from replicate.papers.tracking.algorithms.meta_experts import Dartboard, checked, tune_dartboard
from replicate.validation import FloatArray, IntArray

Player = Callable[[FloatArray, np.random.Generator], tuple[NDArray[np.int32], FloatArray]]
"""Table, generator to the experts played and the losses in each round, both of shape (T,)."""

_MAX_HORIZON = 10**8
_MAX_STORED = 64


def of_actions(run: Callable[[FloatArray, np.random.Generator], NDArray[np.int32]]) -> Player:
    """Return the player whose actions on a table, drawn with a generator, `run` returns."""

    def play(table: FloatArray, rng: np.random.Generator) -> tuple[NDArray[np.int32], FloatArray]:
        actions = run(table, rng)
        return actions, table[np.arange(len(table)), actions]

    return play


def restart_player(epsilon: float, rule: bounds.RestartRule | None) -> Player:
    """Return Algorithm 1 at `epsilon`, restarted by `rule`; None never restarts."""
    run = restarts.run_restarts
    return of_actions(lambda table, rng: run(table, epsilon=epsilon, rule=rule, rng=rng).actions)


def dartboard_player(board: Dartboard, n_switches: int) -> Player:
    """Return Private Shrinking Dartboard on the meta-experts."""
    run = meta_experts.run_dartboard
    return of_actions(lambda table, rng: run(table, n_switches=n_switches, dartboard=board, rng=rng)[0])


def _restarts(
    setting: Setting, *, calibration: str = "corrected", windows: str = "all", failure: float | None = None
) -> Player:
    rule = bounds.restart_rule(**setting.sizes, failure=failure, calibration=calibration, windows=windows)
    return restart_player(setting.epsilon / 2, rule)


def _meta_experts(setting: Setting, *, delta: float = 1e-6, dartboard: Dartboard | None = None) -> Player:
    if dartboard is None:
        log_d = switching.log_count_sequences(setting.horizon, setting.n_actions, setting.n_switches)
        dartboard = tune_dartboard(epsilon=setting.epsilon, delta=delta, horizon=setting.horizon, log_d=log_d)
    return dartboard_player(checked(dartboard), setting.n_switches)


def _mirror_descent(setting: Setting, *, calibration: str = "corrected") -> Player:
    """Return Algorithm 3; its losses are the expected ones given the weights."""
    switches, floor = setting.n_switches, setting.n_switches / (setting.n_actions * setting.horizon)
    rate, noise = mirror_descent.parameters(**setting.sizes, n_switches=switches, calibration=calibration)
    run = mirror_descent.run_mirror_descent
    return lambda table, rng: run(table, learning_rate=rate, noise=noise, floor=floor, rng=rng)


METHODS: dict[str, Callable[..., Player]] = {
    "restarts": _restarts,
    "limited_updates": lambda setting: restart_player(setting.epsilon, None),
    "meta_experts": _meta_experts,
    "mirror_descent": _mirror_descent,
}
"""Name of a learner to the function that builds its player from the setting and from options of its own."""


def simulate(
    env: Environment,
    *,
    method: str = "restarts",
    epsilon: float,
    horizon: int,
    n_switches: int = 1,
    replicates: int,
    rng: np.random.Generator,
    keep_actions: bool = False,
    **options: Any,
) -> Run:
    """Play a loss process round by round with compiled kernels, replicates in threads.

    Parameters
    ----------
    env
        The loss process; every replicate draws its own losses.
    method
        ``"restarts"`` (Algorithm 2), ``"limited_updates"`` (Algorithm 1), ``"meta_experts"`` (Section 4 on Private
        Shrinking Dartboard, approximate privacy), ``"mirror_descent"`` (Algorithm 3).
    epsilon
        Privacy level, 1e-9 to 1e9.
    horizon
        Number of rounds T, 2 to 1e8.
    n_switches
        S of the comparator, of ``"meta_experts"`` and of ``"mirror_descent"``; from 1 to min(1000, T - 1).
    replicates
        Independent repetitions, 1 to 1e6.
    rng
        Source of randomness; a replicate's stream does not depend on the number of threads.
    keep_actions
        Record the experts played.
    **options
        Of one method only. ``"restarts"``: `calibration` (``"corrected"``, ``"printed"``), `windows`
        (``"all"``, ``"dyadic"``), `failure` (beta; None is 1 / T). ``"mirror_descent"``: `calibration`
        (``"corrected"``, ``"printed"``). ``"meta_experts"``: `delta` (1e-6; 0 is pure privacy), `dartboard` (None
        tunes it on the stated bounds).

    Returns
    -------
    Dynamic regret at up to 64 rounds; for ``"mirror_descent"`` of the expected losses given the weights.

    Raises
    ------
    ValueError, TypeError
        If an argument is outside its range; if the method has no such option.

    Examples
    --------
    >>> from replicate.environments import Bernoulli
    >>> env, rng = Bernoulli([0.1, 0.9]), np.random.default_rng(1)
    >>> run = simulate(env, method="limited_updates", epsilon=1.0, horizon=4096, replicates=8, rng=rng)
    >>> bool(run.final.mean() < 100)
    True
    """
    validation.interface("env", env, ("n_actions", "losses"))
    validation.choice("method", method, tuple(METHODS))
    horizon = validation.count("horizon", horizon, low=2, high=_MAX_HORIZON)
    n_switches = validation.count("n_switches", n_switches, high=min(1000, horizon - 1))
    replicates = validation.count("replicates", replicates, high=10**6)
    validation.generator(rng)
    validation.flag("keep_actions", keep_actions)
    if isinstance(env, Table) and len(env.rows) < horizon:
        raise ValueError(f"horizon must be at most the table's {len(env.rows)} rounds, got {horizon}")
    epsilon = validation.real("epsilon", epsilon, low=1e-9, high=1e9)
    setting = Setting(n_actions=env.n_actions, horizon=horizon, n_switches=n_switches, epsilon=epsilon)
    player = METHODS[method](setting, **options)
    rounds = np.unique(np.ceil(np.linspace(0, horizon, _MAX_STORED + 1)[1:]).astype(np.int64))
    fixed = comparator_losses(env.rows[:horizon], n_switches=n_switches) if isinstance(env, Table) else None

    def one(stream: np.random.Generator) -> tuple[FloatArray, IntArray | None]:
        table = np.ascontiguousarray(env.losses(0, horizon, rng=stream))
        actions, losses = player(table, stream)
        best = comparator_losses(table, n_switches=n_switches) if fixed is None else fixed
        return np.cumsum(losses - best)[rounds - 1], actions.astype(np.int64) if keep_actions else None

    results = streams.spread(one, rng.spawn(replicates))
    actions = np.array([a for _, a in results]) if keep_actions else None
    return Run(rounds, np.array([regret for regret, _ in results]), DYNAMIC, actions)


class PairAdversary:
    """The adversary: `losses()` for this round, then `see(action)`.

    Parameters
    ----------
    n_pairs
        Number of pairs, 1 to 1e6; N = 2 n_pairs experts. The lower bound wants at least as many as a copy has
        rounds.
    copy_rounds
        Rounds of one copy, T / (S + 1); at its end all pairs are fresh, with new signs.
    rng
        Source of randomness for the signs.

    Examples
    --------
    >>> adversary = PairAdversary(1, copy_rounds=10, rng=np.random.default_rng(1))
    >>> adversary.losses()
    array([0., 1.])
    >>> adversary.see(0)
    >>> adversary.losses()
    array([1., 1.])
    """

    def __init__(self, n_pairs: int, *, copy_rounds: int, rng: np.random.Generator) -> None:
        self.n_actions = 2 * validation.count("n_pairs", n_pairs, high=10**6)
        self._copy_rounds = validation.count("copy_rounds", copy_rounds)
        self._rng, self._round = validation.generator(rng), 0
        self._open()

    def _open(self) -> None:
        signs = self._rng.integers(0, 2, size=self.n_actions // 2)
        # the two of a pair stand side by side: 2 i and 2 i + 1
        self._current = np.empty(self.n_actions)
        self._current[::2], self._current[1::2] = signs, 1 - signs

    def losses(self) -> FloatArray:
        """Return this round's losses, shape (N,)."""
        return self._current.copy()

    def see(self, action: int) -> None:
        """See the expert played: from the next round on, both of its pair lose 1."""
        action = validation.count("action", action, low=0, high=self.n_actions - 1)
        pair = action - action % 2
        self._current[pair : pair + 2] = 1.0
        self._round += 1
        if self._round % self._copy_rounds == 0:
            self._open()


@dataclass(frozen=True, eq=False)
class Duel:
    """A learner's game.

    Attributes
    ----------
    table
        The losses, shape (T, N).
    actions
        The experts played, shape (T,).
    regret
        Dynamic regret against the best sequence with at most S switches.
    """

    table: FloatArray
    actions: IntArray
    regret: float


def duel(learner: Learner, adversary: PairAdversary, *, horizon: int, n_switches: int) -> Duel:
    """Let a learner play against the adversary, which sees every action (Theorem 5.1).

    Parameters
    ----------
    learner
        Any learner with full feedback, and as many actions as the adversary has experts.
    adversary
        A fresh `PairAdversary`.
    horizon
        Number of rounds T, 1 to 1e6.
    n_switches
        S of the comparator, at least 0.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    validation.interface("learner", learner, ("act", "observe", "n_actions"))
    validation.interface("adversary", adversary, ("losses", "see", "n_actions"))
    horizon = validation.count("horizon", horizon, high=10**6)
    n_switches = validation.count("n_switches", n_switches, low=0)
    if learner.n_actions != adversary.n_actions:
        raise ValueError(f"learner must have {adversary.n_actions} actions, got {learner.n_actions}")
    table, actions = np.empty((horizon, adversary.n_actions)), np.empty(horizon, dtype=np.int64)
    for t in range(horizon):
        table[t], actions[t] = adversary.losses(), learner.act()
        learner.observe(table[t])
        adversary.see(int(actions[t]))
    return _score(table, actions, n_switches)


def replay(learner: Learner, table: FloatArray, *, n_switches: int) -> Duel:
    """Let a fresh learner play the losses of an earlier duel: the same numbers from an oblivious adversary."""
    return _score(table, actions_of(learner, table), n_switches)


def _score(table: FloatArray, actions: IntArray, n_switches: int) -> Duel:
    loss = table[np.arange(len(table)), actions].sum()
    return Duel(table, actions, float(loss - best_sequence(table, n_switches=n_switches)[0]))
