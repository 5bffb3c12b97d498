"""Loops over rounds of the compiled bandit learners, and their simulation exactly in distribution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.environments import Bernoulli, Deterministic, Environment
from replicate.learners.competitors import bit_exp4, thompson, tsallis
from replicate.learners.competitors.bandit import MAX_ARMS, random_bit
from replicate.learners.protocol import PSEUDO, Run, checkpoints
from replicate.learners.pseudo_regret import Stretches, accumulated
from replicate.streams import replicated
from replicate.validation import FloatArray, Generator, IntArray

TSALLIS, THOMPSON, SHARE = 0, 1, 2
"""Kinds of learners."""
MAX_ROUNDS = 10**9
"""Largest horizon: minutes of one replicate."""
_CHUNK = 2**14
"""Rounds whose losses are drawn at once, for environments without a distribution inside the kernel."""


@compiled(error_model="numpy")
def play(
    kind: int,
    state: FloatArray,
    rows: FloatArray,
    cost: FloatArray,
    response: float,
    stops: IntArray,
    rng: Generator,
) -> FloatArray:
    """Play as many rounds as the last of `stops` says, which increase; return the regret after each of them.

    Parameters
    ----------
    kind, state
        The learner.
    rows, cost
        Losses and regret of every action, shape (n, K). Rounds go through the rows in turn and start over.
    response
        Where positive, the learner sees a bit that is 1 with probability 1/2 + response (loss - 1/2): a
        Bernoulli loss at 1, where `rows` holds means; at 0 it sees the loss itself.
    """
    regret, sums, done, row = np.empty(len(stops)), 0.0, 0, 0
    for t in range(1, stops[-1] + 1):
        if kind == TSALLIS:
            arm = tsallis.act(state, rng)
        elif kind == THOMPSON:
            arm = thompson.act(state, rng)
        else:
            arm = bit_exp4.act(state, rng)
        sums += cost[row, arm]
        if t == stops[done]:
            regret[done] = sums
            done += 1
        # of a distribution its mean, of which the bit below is drawn: 0/1 losses are bits with response 1
        loss = rows[row, arm]
        if response > 0.0:
            loss = random_bit(loss, response, rng)
        if kind == TSALLIS:
            tsallis.observe(state, arm, loss)
        elif kind == THOMPSON:
            thompson.observe(state, arm, loss)
        else:
            bit_exp4.observe(state, arm, loss)
        row += 1
        if row == len(rows):
            row = 0
    return regret


def simulate(
    env: Environment,
    *,
    kind: int,
    fresh: Callable[[int], FloatArray],
    response: float | None = None,
    horizon: int,
    replicates: int,
    rng: Generator,
) -> Run:
    """Simulate a compiled bandit learner exactly in distribution.

    Parameters
    ----------
    env
        The loss process, 2 to 32,767 actions. Bernoulli losses are drawn for the action played alone; of
        environments without a distribution inside the kernel all actions' losses are drawn.
    kind, fresh
        The learner, and its state before the first round from K.
    response
        The learner sees bits of this response (see `play`); None: it sees the losses themselves.
    horizon
        Number of rounds T, 1 to 10**9.
    replicates
        Independent repetitions, each with a stream spawned from `rng`.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed action over the horizon, at about 33 checkpoints.
    """
    rounds = validation.count("horizon", horizon, high=MAX_ROUNDS)
    validation.count("n_actions of env", env.n_actions, low=2, high=MAX_ARMS)
    stops = checkpoints(rounds)
    game = Stretches(env, rounds)

    def one(fresh_stream: Generator) -> FloatArray:
        return _regrets(game, kind, fresh(env.n_actions), response, stops, fresh_stream)

    return Run(stops, np.stack(replicated(one, replicates, rng)), PSEUDO)


def simulate_bits(
    env: Environment,
    *,
    kind: int,
    fresh: Callable[[int], FloatArray],
    response: float,
    batch: int,
    horizon: int,
    replicates: int,
    rng: Generator,
) -> Run:
    """Simulate a compiled bandit learner on one random bit for every batch of rounds, exactly in distribution.

    Rounds are independent of each other, so that the bit of a batch has the distribution that its expected mean
    loss gives: no loss is drawn.

    Parameters
    ----------
    env
        The loss process, 2 to 32,767 actions.
    kind, fresh
        The learner, and its state before the first batch from K.
    response, batch
        Of the bits: `replicate.learners.competitors.random_bit.RandomBit`.
    horizon
        Number of rounds T, 1 to 10**9.
    replicates
        Independent repetitions, each with a stream spawned from `rng`.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed action after the horizon.
    """
    rounds = validation.count("horizon", horizon, high=MAX_ROUNDS)
    k, size = validation.count("n_actions of env", env.n_actions, low=2, high=MAX_ARMS), int(batch)
    game, batches = Stretches(env, rounds), -(-rounds // size)

    def one(fresh_stream: Generator) -> float:
        state, total = fresh(k), 0.0
        for first in range(0, batches, _CHUNK):
            many = min(_CHUNK, batches - first)
            sums, cost = game.expected(size * first, size, many)
            total += play(kind, state, sums / size, cost, response, np.array([many]), fresh_stream)[-1]
        return total

    return Run(np.array([rounds]), np.array(replicated(one, replicates, rng))[:, None], PSEUDO)


def _regrets(
    game: Stretches, kind: int, state: FloatArray, response: float | None, stops: IntArray, rng: Generator
) -> FloatArray:
    """Play one replicate; return the regret after each of `stops`."""
    law = game.env if isinstance(game.env, Bernoulli | Deterministic) else None
    bits = float(isinstance(law, Bernoulli)) if response is None else response

    def play_piece(start: int, inside: IntArray) -> FloatArray:
        end = int(inside[-1])
        # one row of means stands for all rounds
        rows = law.means[None] if law else game.losses(start, end, rng=rng)
        _, cost = game.expected(0, 1, 1) if law else game.expected(start, 1, end - start)
        return play(kind, state, rows, cost, bits, inside - start, rng)

    return accumulated(stops, MAX_ROUNDS if law else _CHUNK, play_piece)
