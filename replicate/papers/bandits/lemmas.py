"""Exact quantities inside the proofs: small games by enumeration, laws carried forward, pathwise identities."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from replicate.environments import Table
from replicate.learners import play
from replicate.learners.tsallis_law import SCORE, draw
from replicate.papers.bandits import bounds
from replicate.papers.bandits.algorithms import kernels, literal, simulation
from replicate.papers.bandits.algorithms.literal import BaseLearner, PrivateBandit, private_learner
from replicate.streams import stream
from replicate.validation import FloatArray, IntArray

# Laplace noise


def lemma_20_factor(*, size: FloatArray, horizon: FloatArray) -> FloatArray:
    """Return the factor at which `bounds.lemma_20` is 1 / T, T >= 2: the smallest with which Lemma 20 holds."""
    n = size * horizon
    tail = -np.expm1(np.log1p(-1 / horizon) / n)
    return np.asarray((np.log(tail) / np.log(n)) ** 2)


# Tunings where a mixing becomes 1


def mixing_of_corollary_22(n_actions: float, margin: float) -> float:
    """Return gamma of Corollary 22 at epsilon T = margin (16 / 22) K log K."""
    rounds = margin * 16 / 22 * n_actions * math.log(n_actions)
    log = math.log(n_actions * rounds)
    return 4 * n_actions * log * math.sqrt(math.log(n_actions) / (22 * n_actions * rounds * log**2))


def mixing_of_theorem_9(n_actions: float, n_experts: float, epsilon: float, margin: float) -> float:
    """Return gamma of Theorem 9 at T = margin (16 / 30) K log N."""
    horizon = margin * 16 / 30 * n_actions * math.log(n_experts)
    log = math.log(n_actions * horizon)
    eta = math.sqrt(math.log(n_experts) / (3 * horizon * n_actions * (1 + 10 * log**2 / epsilon**2)))
    return 4 * eta * n_actions * log / epsilon


# Second-order inequalities


def exp3_game(losses: FloatArray, *, learning_rate: float, mixing: float) -> tuple[float, float]:
    """Exact expected regret of EXP3 by enumeration of all action sequences, and the largest eta (-estimate).

    Losses are any real numbers, shape (T, K): K**T sequences.
    """
    k = losses.shape[1]
    weights, mass, loss, worst = np.zeros((1, k)), np.ones(1), 0.0, 0.0
    for row in losses:
        law = np.exp(weights - weights.max(axis=1, keepdims=True))
        law = (1 - mixing) * law / law.sum(axis=1, keepdims=True) + mixing / k
        loss += float(mass @ (law @ row))
        estimate = row / law  # of each action, if it is played
        worst = max(worst, float((-learning_rate * estimate).max()))
        # every history branches into K: only the action played gets an estimate
        weights = (weights[:, None, :] - learning_rate * estimate[:, :, None] * np.eye(k)).reshape(-1, k)
        mass = (mass[:, None] * law).ravel()
    return loss - float(losses.sum(axis=0).min()), worst


def weights_game(losses: FloatArray, eta: float) -> tuple[float, float]:
    """Regret of multiplicative weights on losses (T, N), and Lemma 26's bound."""
    score = -eta * np.vstack([np.zeros(losses.shape[1]), np.cumsum(losses, axis=0)[:-1]])
    law = np.exp(score - score.max(axis=1, keepdims=True))
    law /= law.sum(axis=1, keepdims=True)
    regret = float((law * losses).sum() - losses.sum(axis=0).min())
    return regret, bounds.lemma_26(losses, law, learning_rate=eta)


@cache
def expected_probability(eta: float, gamma: float, rounds: int) -> float:
    """Expected P_t(2) of EXP3 at losses 1/2 and 1 after some rounds, from the distribution of D = log w_2 / w_1.

    A round moves D up by eta / (2 P_1(D)) when it plays action 1 and down by eta / P_2(D) when it plays action
    2. The distribution of D is carried forward on a grid, with linear interpolation, which keeps its mean.
    """
    # far below, P_2 is nearly gamma / 2 and a step is wide: a coarse grid is enough
    coarse = -np.geomspace(max(2 * eta / gamma, 30), 15, 80)[:-1]
    grid = np.concatenate([coarse, np.arange(-15, 2, eta / 2)])
    n, rows = len(grid), np.arange(len(grid))
    p = (1 - gamma) / (1 + np.exp(np.minimum(-grid, 700))) + gamma / 2
    moves = np.zeros((n, n))
    for target, chance in ((grid - eta / p, p), (grid + eta / (2 * (1 - p)), 1 - p)):
        place = np.clip(np.interp(target, grid, rows), 0, n - 1.001)
        left, share = place.astype(int), place % 1
        np.add.at(moves, (rows, left), chance * (1 - share))
        np.add.at(moves, (rows, left + 1), chance * share)
    law = np.zeros(n)
    law[np.abs(grid).argmin()] = 1.0
    for _ in range(rounds):
        law = law @ moves
    return float(law @ p)


# Section 5.2: two arms that lose 1/2 and 1


def two_arm_game(eta: float, gamma: float, rounds: int) -> tuple[float, float]:
    """Exact regret of EXP3 on losses (1/2, 1), and the least that its potential allows; all action sequences.

    Theorem. Let EXP3 with learning rate eta and mixing gamma < 1 play two arms that lose 1/2 and 1, each of its R
    decisions for kappa rounds (T = kappa R), and let it see their losses with or without independent noise of mean
    0. With D = log(w_2 / w_1) after the last decision, its regret is at least

        gamma T / 4 + (1 - gamma) (kappa / eta) (log 2 - E log(1 + e^D)).

    Proof. Let q be the unmixed distribution and l^ the estimated losses, whose means are the losses. Then
    log(W_(r+1) / W_r) = log sum_i q_i exp(-eta l^_i) >= -eta q . l^ by Jensen's inequality, whatever the sign of
    the losses. Take expectations and add: E log W_(R+1) - log 2 >= -eta (R / 2 + sum_r E q_r(2) / 2). The left
    side is -eta R / 2 + E log(1 + e^D) - log 2, because W = w_1 (1 + e^D) and E log w_1 = -eta R / 2. Hence sum_r
    E q_r(2) >= (2 / eta) (log 2 - E log(1 + e^D)), and the regret is kappa / 2 times the sum of (1 - gamma) q_r(2)
    + gamma / 2.

    A learner that finds the better arm has E log(1 + e^D) near 0: then section 5.2's gamma T + kappa / eta holds
    with 1/4 and 0.69 (1 - gamma) as constants, and for gamma = 1 with 1/4 only.
    """
    lead, mass, loss = np.zeros(1), np.ones(1), 0.0
    for _ in range(rounds):
        p = (1 - gamma) * special.expit(lead) + gamma / 2
        loss += float(mass @ p) / 2
        lead = np.concatenate([lead + eta / (2 * (1 - p)), lead - eta / p])
        mass = np.concatenate([mass * (1 - p), mass * p])
    potential = float(mass @ np.logaddexp(0, lead))
    return loss, gamma * rounds / 4 + (1 - gamma) / eta * (math.log(2) - potential)


def late_improvement(*, plays: float, window: float, delay: float, horizon: float) -> float:
    """Lower bound of section 5.2 without group privacy: max(n / 2, W / 4 - tau / 2).

    Theorem. Let a learner of two arms play each decision for kappa rounds and see a batch's losses at its end. On
    losses (1/2, 1) let it play arm 2 in n rounds on average, and with probability 1/2 or more not at all in the W
    <= T - tau rounds after tau, where a batch begins. Then its regret is at least this on (1/2, 1), or where arm 2
    falls to 0 after tau. It need not be private.

    Proof. On the first instance the regret is half of n. The two instances are equal until arm 2 is played after
    tau, hence on the second one, too, it is not played in the window with probability 1/2 or more. Against arm 2
    that costs W / 2; of the other rounds only the first tau can gain, 1/2 each.

    With gamma = 2 n / T the bound is at least sqrt(gamma T W) / 4 - tau / 2. If after tau arm 2 has at most m
    times the probability gamma / 2, then by Markov's inequality W = kappa / (m gamma) will do, and sqrt(kappa T /
    m) / 4 - tau / 2 follows: at Algorithm 1's kappa = 1 / epsilon this is section 5.2's sqrt(T / epsilon), for m
    of order 1 and tau of smaller order. Lemma 11 adds nothing there, for its p is below log 2 / epsilon < kappa,
    less than one batch. Where kappa < 1 / epsilon it does; its best p, 0.3748 / epsilon, gives 0.0799 sqrt(T /
    epsilon) - tau / 2.
    """
    return max(plays / 2, min(window, horizon - delay) / 4 - delay / 2)


def reads_actions(learner: str, k: int, epsilon: float, horizon: int, adversary: str, seed: int) -> float:
    """Regret over T of Algorithm 1 against losses that an adversary chooses as it sees the actions.

    Theorem. For every base learner, against an adversary that may choose loss_t after seeing I_1, ..., I_(t-1),
    the regret of Algorithm 1 is at least (1 - 1/K) (T - ceil(T / tau)), whatever epsilon <= 1/2.

    Proof. Nothing loses in the first round of a batch; after it, only the arm that the batch plays, 1 a round. The
    learner loses T - ceil(T / tau). So do all arms together, hence the best one a K-th of it at most.

    With ``"fixed in advance"`` the losses are those that another run of the learner would have met.
    """
    plan = simulation.plan(learner, n_actions=k, epsilon=epsilon, horizon=horizon)
    tau, n = plan.batch, horizon // plan.batch
    mine, other = (
        BaseLearner(k, plan, stream(seed, "bandits/reads_actions", learner, k, name)) for name in ("own", "other")
    )
    noise = stream(seed, "bandits/reads_actions", learner, k, "noise")
    loss, sums = 0.0, np.zeros(k)
    for _ in range(n):
        arm, met = mine.act(), other.act()
        hit = arm if adversary == "reads actions" else met
        sums[hit] += tau - 1
        loss += (tau - 1) * (hit == arm)
        mine.observe((hit == arm) * (tau - 1) / tau + kernels.laplace(noise, plan.noise))
        other.observe((tau - 1) / tau + kernels.laplace(noise, plan.noise))
    return (loss - float(sums.min())) / (n * tau)


# Algorithm 4

_LEAD = 4.0
"""Lead of the best action's estimated loss, in units of 1 / eta, in `expected_estimates`."""
_RESAMPLES = 1000


def expected_estimates(calibration: str) -> FloatArray:
    """Return Algorithm 4's expected estimates of losses (1, 1) at estimated losses (0, 4 / eta), M = 1,000."""
    tail = math.exp(-_LEAD) * 1.5
    law = np.array([1 - tail, tail])
    hit = law[::-1] if calibration == "printed" else law
    counts = np.arange(1, _RESAMPLES + 1)
    mean = ((1 - hit[:, None]) ** (counts - 1) * hit[:, None] * counts).sum(axis=1)
    # no success in M trials: the count stays 0 as printed (line 7), and is M as corrected
    mean += 0.0 if calibration == "printed" else _RESAMPLES * (1 - hit) ** _RESAMPLES
    # an action is charged only when it is played
    return law * mean


def simulated_resamples(calibration: str, arm: int, draws: int, seed: int) -> FloatArray:
    """Draw the resample counts of `expected_estimates`' state from the kernel, shape (draws,)."""
    plan = simulation.ftpl(learning_rate=0.1, resamples=_RESAMPLES, calibration=calibration)
    rng = stream(seed, "bandits/resamples", calibration == "printed", arm)
    state = kernels.fresh_state(kernels.FTPL, 2)
    state[SCORE] = [0.0, -_LEAD]
    kernels.reweigh(state)
    return np.array([kernels.resamples(state, plan.setting, arm, rng) for _ in range(draws)], dtype=float)


# Identities of the conversions (Theorems 1, 5, 6, 7)


def batch_means(table: FloatArray, tau: int) -> FloatArray:
    """Means of complete batches, shape (T, K) -> (T // tau, K)."""
    complete = len(table) // tau * tau
    return np.asarray(table[:complete].reshape(-1, tau, table.shape[1]).mean(axis=1))


FED: dict[str, Callable[[FloatArray, int], FloatArray]] = {
    "batch means": batch_means,
    "last losses": lambda table, tau: table[tau - 1 :: tau][: len(table) // tau],
}
"""What a base learner is fed at the end of a batch: Algorithm 1's choice, and another."""


def _base_actions(learner: str, means: FloatArray, plan: simulation.Plan, seed: int) -> NDArray[np.int16]:
    """Actions of the base learner, one batch mean a round, on the stream that the batched learner uses."""
    single = simulation.Plan(plan.kind, plan.setting, 1, plan.noise)
    rounds = np.array([len(means)])
    rng = stream(seed, "bandits/batching", learner)
    return simulation.play_plan(Table(means), single, len(means), rounds, rng)[1]


def _batched_actions(
    learner: str, table: FloatArray, plan: simulation.Plan, epsilon: float, seed: int
) -> IntArray:
    """Actions of the literal Algorithm 1, or of Theorem 5's learner where the plan has no noise."""
    horizon, k = table.shape
    rng = stream(seed, "bandits/batching", learner)
    if plan.noise:
        return _recorded(
            play(private_learner(learner, k, epsilon=epsilon, horizon=horizon, rng=rng), table).actions
        )
    batches = np.array([-(-horizon // plan.batch)])
    arms = simulation.play_plan(Table(table), plan, horizon, batches, rng)[1]
    return np.repeat(arms.astype(np.int64), plan.batch)[:horizon]


def _recorded(actions: IntArray | None) -> IntArray:
    """Return the actions of a run's only replicate."""
    if actions is None:
        raise ValueError("actions must be recorded, got None")
    return actions[0]


def batching_losses(
    learner: str, table: FloatArray, plan: simulation.Plan, seed: int, *, epsilon: float, fed: str
) -> tuple[float, float]:
    """Return the loss of the batched learner over tau, and what it is if its regret is tau times its base's.

    Both are driven by one stream; `fed` says what the base learner beside it is fed.
    """
    actions = _batched_actions(learner, table, plan, epsilon, seed)
    chosen = _base_actions(learner, FED[fed](table, plan.batch), plan, seed)
    return _losses(table[np.arange(len(table)), actions].sum(), table, chosen, plan.batch)


def _losses(loss: float, table: FloatArray, chosen: NDArray[np.integer], tau: int) -> tuple[float, float]:
    """Divide a loss on a table by tau, and add the table's best, over tau, to the regret on the batch means."""
    means = batch_means(table, tau)
    regret = float(means[np.arange(len(means)), chosen].sum() - means.sum(axis=0).min())
    return float(loss) / tau, float(table.sum(axis=0).min()) / tau + regret


def advice_losses(
    learner: str, table: FloatArray, plan: simulation.Plan, seed: int, *, epsilon: float, fed: str, draws: str
) -> tuple[float, float]:
    """The same with experts as meta-actions: Algorithm 5 over a bare learner (Theorem 6), over Algorithm 1 (7).

    Advice is random and blurred. Pathwise, given what each expert would play in each round, Algorithm 5 loses
    what its base learner loses on the losses of those plays. `draws` names the stream of those plays; the
    learner's own is ``"bandits/advice"``.
    """
    advice = stream(seed, "bandits/experts").dirichlet([0.5] * 3, size=(len(table), 3))
    rng = stream(seed, "bandits/batching", learner)
    base = BaseLearner(3, plan, rng)
    inner = PrivateBandit(base, epsilon=epsilon, rng=rng) if plan.noise else base
    outer = literal.ExpertBandit(inner, rng=stream(seed, "bandits/advice"))
    actions = _recorded(literal.play_experts(outer, table, advice).actions)
    rounds, uniform = np.arange(len(table)), stream(seed, draws).random(len(table))
    # Each expert's action, with one uniform number per round for all of them.
    named = [[draw(row, u) for row in rows] for rows, u in zip(advice, uniform, strict=True)]
    plays = table[rounds[:, None], np.array(named)]
    chosen = _base_actions(learner, FED[fed](plays, plan.batch), plan, seed)
    return _losses(table[rounds, actions].sum(), plays, chosen, plan.batch)
