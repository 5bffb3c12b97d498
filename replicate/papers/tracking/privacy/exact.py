"""Exact privacy losses of Algorithms 1, 2 and 3, and exact laws of the meta-experts' plays on tiny tables.

Neighbours differ in one round's whole loss vector; the output is the sequence of experts played.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from replicate.compiled import compiled
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import mirror_descent, switching
from replicate.papers.tracking.algorithms.lazy import Lazy
from replicate.papers.tracking.algorithms.limited_updates import selector
from replicate.papers.tracking.algorithms.meta_experts import Dartboard
from replicate.validation import FloatArray


def limited_updates_law(table: FloatArray, *, epsilon: float, blocks_read: int = 1) -> FloatArray:
    """Exact joint distribution of the selections that s whole blocks, (2^s - 1, N), determine in Algorithm 1.

    A selection reads the last block, as Algorithm 1 does, or with ``blocks_read=2`` the one before as well.

    Returns
    -------
    Probabilities, shape (N**s,).
    """
    joint = np.ones(1)
    # no block is read by two selections: the joint distribution is a product
    for r in range((len(table) + 1).bit_length() - 1):
        first = (2 ** (r - 1) if blocks_read == 2 and r > 0 else 2**r) - 1
        law = selector(epsilon)(table[first : 2 ** (r + 1) - 1].sum(axis=0))
        joint = np.multiply.outer(joint, law).ravel()
    return joint


def query_shift(earlier: FloatArray, losses: FloatArray, other: FloatArray, *, played: int) -> float:
    """Return how far a window query moves when one round's losses change from `losses` to `other`.

    `earlier` holds the summed losses of the window's other rounds; all arrays have shape (N,), and `played`
    is the expert played throughout.
    """
    first, second = earlier + losses, earlier + other
    return float(abs((first[played] - first.min()) - (second[played] - second.min())))


FAR = 20.0
RUN = 1000
"""Factors of at least 1/2 whose product stays above the smallest floating-point number."""


@dataclass(frozen=True, kw_only=True)
class RestartPair:
    """An event of Algorithm 2 under two neighbouring tables.

    Attributes
    ----------
    selections
        Log ratio of the event's probabilities that the selections of Algorithm 1 contribute.
    restart
        Log ratio that the moment of the restart contributes.
    log_probability
        Natural logarithm of the event's larger probability.
    """

    selections: float
    restart: float
    log_probability: float

    @property
    def loss(self) -> float:
        """The privacy loss of the event."""
        return self.selections + self.restart


def restart_pair(*, epsilon: float, horizon: int, calibration: str) -> RestartPair:
    """Exact privacy loss of one event of Algorithm 2 with two experts.

    Expert 0 is played from the start (it is selected at every power of 2) and the only restart comes right
    after round k. Its losses are 1 against 0 up to a round m, then 0 against 1 up to k, so that the window
    regrets rise past the threshold and fall again; the neighbours differ in one round h rounds before m,
    where expert 0 loses 1 or gains 1. Under the first table each of the selections and the silence of
    AboveThreshold is less likely; the query that restarts at k does not notice.
    """
    rule = bounds.restart_rule(n_actions=2, epsilon=epsilon, horizon=horizon, calibration=calibration)
    rise, before, fall = _shape(rule)
    length = rise + fall
    if length > horizon:
        raise ValueError(f"horizon must be at least {length} rounds for this epsilon, got {horizon}")
    logs, selections = [], []
    for sign in (1.0, -1.0):
        regret = np.concatenate([np.ones(rise), -np.ones(fall)])
        regret[rise - before] = sign
        logs.append(_restart_log_probability(regret, rule))
        selections.append(_selection_log_probability(regret, epsilon / 2))
    return RestartPair(
        selections=selections[1] - selections[0],
        restart=logs[1] - logs[0],
        log_probability=max(logs[0] + selections[0], logs[1] + selections[1]),
    )


def _shape(rule: bounds.RestartRule) -> tuple[int, int, int]:
    """Rounds up, distance of the differing round from the top, rounds down.

    The top passes the threshold by 12 scales, and expert 0 trails in the block of the differing round.
    """
    scale = 4 / rule.epsilon
    rise = 64
    while True:
        before = min(rise // 4, math.ceil(40 * scale))
        end = 2 ** (rise - before).bit_length() - 1
        trails = 2 * rise - end > end // 2 + 20 * scale
        if trails and rise - rule.allowance(rise) - rule.accuracy >= 12 * scale:
            return rise, before, rise + math.ceil(30 * scale)
        rise += 16


def _selection_log_probability(regret: FloatArray, epsilon: float) -> float:
    """Log probability that Algorithm 1 selects expert 0 at the end of every whole block.

    The difference of two Laplace(1) variables exceeds x >= 0 with probability (1 + x / 2) exp(-x) / 2.
    """
    total = 0.0
    for r in range((len(regret) + 1).bit_length() - 1):
        trail = regret[2**r - 1 : 2 ** (r + 1) - 1].sum() * epsilon / 2
        behind = -abs(trail) - math.log(2) + math.log1p(abs(trail) / 2)
        total += behind if trail > 0 else math.log(-math.expm1(behind))
    return total


def _restart_log_probability(regret: FloatArray, rule: bounds.RestartRule) -> float:
    """Log probability that AboveThreshold's first answer above comes at the last round, by quadrature.

    The threshold noise must have passed the largest query: nodes lie from 8 scales below it to 32 above.
    """
    scale = 4 / rule.epsilon
    constant = rule.constant + rule.accuracy + 1
    top = (np.cumsum(regret) - constant - rule.root * np.sqrt(np.arange(len(regret)))).max()
    x, w = np.polynomial.legendre.leggauss(8)
    edges = top + np.arange(-16, 65) * scale / 2
    half = scale / 4
    nodes = (edges[:-1, None] + half * (1 + x)).ravel()
    silent, last = _log_silence(regret, nodes, constant, rule.root, scale)
    density = np.log(np.tile(half * w, len(edges) - 1)) - np.abs(nodes) * 2 / scale - math.log(scale)
    return float(np.logaddexp.reduce(density + silent + np.log(-np.expm1(last))))


@compiled()
def _log_silence(
    regret: FloatArray, nodes: FloatArray, constant: float, root: float, scale: float
) -> tuple[FloatArray, FloatArray]:
    """Log probability, given the threshold noise, of no answer above before the last round, and in it.

    More than `FAR` scales below every node log(1 - y) is -y to within 1e-18: such queries are added up first. The
    others' factors, at least 1/2 each, are multiplied, `RUN` of them before a logarithm is taken.
    """
    n_rounds, n_nodes = len(regret), len(nodes)
    logs, far, product = np.zeros((2, n_nodes)), np.zeros(2), np.ones(n_nodes)
    prefix = np.zeros(n_rounds + 1)
    prefix[1:] = np.cumsum(regret)
    # a query far below has the same share of every node's hazard, up to this factor
    share = 0.5 * np.exp((nodes[0] - nodes) / scale)
    for n in range(1, n_rounds + 1):
        late = n // n_rounds
        for start in range(0, n, RUN):
            for m in range(start, min(n, start + RUN)):
                query = max(0.0, prefix[n] - prefix[m]) - constant - root * math.sqrt(n - m - 1)
                height = math.exp((query - nodes[0]) / scale)
                if nodes[0] - query > FAR * scale:
                    far[late] += height
                    continue
                for i in range(n_nodes):
                    if nodes[i] >= query:
                        product[i] *= 1.0 - height * share[i]
                    else:
                        logs[late, i] += (nodes[i] - query) / scale - math.log(2.0)
            logs[late] += np.log(product)
            product[:] = 1.0
    return logs[0] - far[0] * share, logs[1] - far[1] * share


def restart_law(table: FloatArray, *, rule: bounds.RestartRule, held: int) -> FloatArray:
    """Exact probabilities that Algorithm 2, playing the expert `held`, first restarts after each round.

    Parameters
    ----------
    table
        Shape (T, N); the rule asks all windows.
    rule, held
        The thresholds, and the expert played throughout.

    Returns
    -------
    Shape (T + 1,), the last entry for never. By quadrature over the threshold noise.
    """
    regret = np.cumsum(table[:, [held]] - table, axis=0)
    regrets = np.vstack([np.zeros(table.shape[1]), regret])
    scale = 2 / rule.epsilon
    x, w = np.polynomial.legendre.leggauss(6)
    panels = np.arange(-40, 60, 0.5)
    nodes = scale * (panels[:, None] + (1 + x) / 4).ravel()
    # half a panel, scale / 4, times the threshold's density exp(-|x| / scale) / (2 scale)
    weights = np.tile(w, len(panels)) * np.exp(-np.abs(nodes) / scale) / 8
    silent = np.exp(-_hazards(regrets, nodes, rule.constant + rule.accuracy + 1, rule.root, 2 * scale))
    # the first answer above comes in round n: silent up to n - 1, not up to n
    return np.append((silent[:-1] - silent[1:]) @ weights, silent[-1] @ weights)


@compiled()
def _hazards(regrets: FloatArray, nodes: FloatArray, constant: float, root: float, scale: float) -> FloatArray:
    """Minus log probability of silence up to each round, given the threshold noise: shape (T + 1, nodes)."""
    n_rounds, width = regrets.shape[0] - 1, regrets.shape[1]
    total = np.zeros((n_rounds + 1, len(nodes)))
    for n in range(1, n_rounds + 1):
        total[n] = total[n - 1]
        for m in range(n):
            query = -constant - root * math.sqrt(n - m - 1)
            query += max([regrets[n, j] - regrets[m, j] for j in range(width)])
            for i in range(len(nodes)):
                gap = (nodes[i] - query) / scale
                total[n, i] += -math.log1p(-0.5 * math.exp(-gap)) if gap >= 0 else math.log(2.0) - gap
    return total


def mirror_upper(*, n_actions: int, horizon: int, learning_rate: float, noise: float) -> float:
    """Upper bound on the privacy loss of Algorithm 3's plays: min(2 floor(N / 2) / noise, 2 eta (T - 1)).

    Post-processing: adding one number to all losses changes no weight, so a round's noisy losses cost at
    most min over c of ||d - c||_1 / noise <= 2 floor(N / 2) / noise for d in [-1, 1]^N. And without any noise:
    the round multiplies ratios of later weights by at most e^(2 eta), hence each of T - 1 later plays.
    """
    return min(2 * (n_actions // 2) / noise, 2 * learning_rate * (horizon - 1))


def mirror_loss(
    *, horizon: int, n_switches: int, epsilon: float, calibration: str, later_loss: float = 0.0, cells: int = 1500
) -> float:
    """Privacy loss of one event of Algorithm 3 with N = 2, by a forward filter on log(w_1 / w_2).

    The tables differ in the first round, (0, 1) against (1, 0); in all others expert 1 loses `later_loss` and
    expert 2 nothing. The event is that expert 1 is played in every round from the second on. The clipped log ratio
    moves by eta times the difference of two Laplace variables; its distribution is propagated on a grid of `cells`
    with exact transition probabilities between cell centres: two grids show how far that is converged (at T = 1024
    it is not).
    """
    rate, noise = mirror_descent.parameters(
        n_actions=2, horizon=horizon, n_switches=n_switches, epsilon=epsilon, calibration=calibration
    )
    floor = n_switches / (2 * horizon)
    top = math.log((1 - floor) / floor)  # both ends of the clipped simplex, as log ratios
    edges = np.linspace(-top, top, cells + 1)
    centres = (edges[1:] + edges[:-1]) / 2
    step = _cells_law(edges, centres - rate * later_loss, rate * noise)
    play = 1 / (1 + np.exp(-centres))
    logs = []
    for shift in (1.0, -1.0):
        law, total = _cells_law(edges, np.array([shift * rate]), rate * noise)[0], 0.0
        for _ in range(horizon - 2):
            law = law * play
            total += math.log(law.sum())
            # given that expert 1 was played; the logarithm of its chance is added up
            law = (law / law.sum()) @ step
        logs.append(total + math.log(law @ play))
    return logs[0] - logs[1]


def _cells_law(edges: FloatArray, start: FloatArray, scale: float) -> FloatArray:
    """Law over cells of start + scale (X - Y), X and Y Laplace(1), clipped to the ends: shape (S, cells)."""
    x = (edges[1:-1] - start[:, None]) / scale
    tail = 0.5 * np.exp(-np.abs(x)) * (1 + np.abs(x) / 2)  # P(X - Y > |x|)
    cdf = np.where(x < 0, tail, 1 - tail)
    return np.diff(cdf, axis=1, prepend=0.0, append=1.0)


def literal_law(
    losses: ArrayLike, *, n_switches: int, dartboard: Dartboard, released: str = "experts"
) -> FloatArray:
    """Return the exact distribution of what the literal construction releases: of losses (T, N), T and N tiny.

    Released are the ``"experts"`` played or the ``"sequences"`` held, one axis per round: (N, ..., N) for experts.
    """
    table = np.asarray(losses, dtype=np.float64)
    horizon, n = table.shape
    sequences = switching.enumerate_sequences(horizon, n, n_switches)
    size, draws = len(sequences), dartboard.draws(horizon)
    shown = sequences if released == "experts" else np.tile(np.arange(size)[:, None], horizon)
    values = n if released == "experts" else size
    weights = np.ones(size)
    # joint[released so far, redraws so far, held sequence]
    joint = np.zeros((values, draws, size))
    joint[shown[:, 0], 0, np.arange(size)] = 1 / size
    batch_loss = np.zeros(size)
    for t in range(horizon - 1):
        loss = table[t, sequences[:, t]]
        weights, batch_loss = weights * dartboard.factors(loss), batch_loss + loss
        if (t + 1) % dartboard.batch == 0:
            kept = (1 - dartboard.redraw) * dartboard.factors(batch_loss)
            joint = _keep_or_redraw(joint, kept, weights / weights.sum())
            batch_loss = np.zeros(size)
        grown = np.zeros((len(joint), values, *joint.shape[1:]))
        for j in range(values):
            grown[:, j, :, shown[:, t + 1] == j] = np.moveaxis(joint[..., shown[:, t + 1] == j], -1, 0)
        joint = grown.reshape(-1, *joint.shape[1:])
    return np.asarray(joint.sum(axis=(1, 2)).reshape((values,) * horizon))


def efficient_law(losses: ArrayLike, *, n_switches: int, dartboard: Dartboard) -> FloatArray:
    """Return the exact law of the experts that `MetaExperts` plays, by a forward recursion over its states.

    A state is (experts played so far, redraws so far, switches used, expert held). In each round its probability
    moves as the learner does: the held sequence goes on by the Markov chain of `switching`; at the end of a batch
    it stays with probability (1 - p) (1 - eta)^(loss / B) only, and otherwise a state is drawn from the filter,
    unless all redraws are used. The loss of the batch is no part of the state: the experts played determine it.
    Parameters and result are those of `literal_law`.
    """
    table = np.asarray(losses, dtype=np.float64)
    horizon, n = table.shape
    draws, rows = dartboard.draws(horizon), n_switches + 1
    filter_, work = switching.start(n_switches, n, horizon)
    # joint[played so far, redraws so far, switches used, expert held]
    joint = np.zeros((n, draws, rows, n))
    joint[np.arange(n), 0, 0, np.arange(n)] = 1 / n
    batch_loss = np.zeros(n)
    for t in range(horizon - 1):
        batch_loss = batch_loss + np.tile(table[t], len(joint) // n)
        switching.switch_probabilities(horizon - 1 - t, n, work)
        switching.advance(filter_, dartboard.factors(table[t]), work)
        moved = _reveal(joint, work[switching.MOVES])
        if (t + 1) % dartboard.batch == 0:
            kept = (1 - dartboard.redraw) * dartboard.factors(batch_loss)
            leaving = joint[:, :-1].sum(axis=(2, 3)) * (1 - kept)[:, None]  # the last count of redraws stays
            moved[:, :-1] *= kept[:, None, None, None]
            moved[:, 1:] += leaving[..., None, None] * switching.law(filter_, work)
            batch_loss = np.zeros(len(joint))
        grown = np.zeros((len(joint), n, draws, rows, n))
        for j in range(n):
            grown[:, j, ..., j] = moved[..., j]
        joint, batch_loss = grown.reshape(-1, draws, rows, n), np.repeat(batch_loss, n)
    return joint.sum(axis=(1, 2, 3)).reshape((n,) * horizon)


def literal_lazy_law(losses: ArrayLike, *, n_switches: int, lazy: Lazy) -> FloatArray:
    """Exact distribution of L2P's plays on the list of all distinct sequences: of losses (T, N), T and N tiny.

    Its shape is (N**T,), the first round's expert leading.
    """
    table = np.asarray(losses, dtype=np.float64)
    horizon, n = table.shape
    sequences = switching.enumerate_sequences(horizon, n, n_switches)
    size = len(sequences)
    weights, batch_loss = np.full(size, 1 / size), np.zeros(size)
    # joint[played so far, x, y]
    joint = np.zeros((n, size, size))
    joint[sequences[:, 0], np.arange(size)] = 1 / size**2
    for t in range(horizon - 1):
        batch_loss += table[t, sequences[:, t]]
        if (t + 1) % lazy.batch == 0:
            weights = weights * np.exp(-lazy.learning_rate * batch_loss)
            weights /= weights.sum()
            gap = 2 * lazy.batch + batch_loss[:, None] - batch_loss
            kept = (1 - lazy.redraw) * np.exp(-lazy.learning_rate * gap)
            leaving = (joint * (1 - kept)).sum(axis=1)
            joint = joint * kept + weights[:, None] * leaving[:, None, :]
            drawn = joint.sum(axis=2, keepdims=True) * weights
            joint = (1 - lazy.redraw) * joint + lazy.redraw * drawn
            batch_loss = np.zeros(size)
        grown = np.zeros((len(joint), n, size, size))
        for j in range(n):
            mine = sequences[:, t + 1] == j
            grown[:, j, mine] = joint[:, mine]
        joint = grown.reshape(-1, size, size)
    return np.asarray(joint.sum(axis=(1, 2)))


def _keep_or_redraw(joint: FloatArray, kept: FloatArray, fresh: FloatArray) -> FloatArray:
    """Keep the held sequence or draw another, for (played, redraws, held); after the last redraw it stays."""
    after = joint.copy()
    after[:, :-1] *= kept
    leaving = (joint[:, :-1] * (1 - kept)).sum(axis=2)
    after[:, 1:] += leaving[..., None] * fresh
    return after


def _reveal(joint: FloatArray, moves: FloatArray) -> FloatArray:
    """Reveal one more round of a held sequence: shape (..., S + 1, N)."""
    n = joint.shape[-1]
    move = moves[::-1]
    after = joint * (1 - move)[:, None]
    spread = joint.sum(axis=-1, keepdims=True) - joint
    after[..., 1:, :] += spread[..., :-1, :] * (move[:-1] / (n - 1))[:, None]
    return after
