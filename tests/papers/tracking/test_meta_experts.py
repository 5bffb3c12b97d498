"""The meta-experts and L2P: compiled and streaming learners against exact laws of the literal list."""

import math
from dataclasses import replace

import numpy as np
import pytest

from replicate import certify
from replicate.learners.protocol import play
from replicate.papers import tracking
from replicate.papers.tracking.algorithms import lazy, meta_experts, switching
from replicate.papers.tracking.algorithms.lazy import Lazy
from replicate.papers.tracking.privacy import exact
from replicate.papers.tracking.privacy.sampled import lazy_plays
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM as RARELY
from tests.papers.tracking.common import FALSE_ALARM, SIZES, table_of


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
@pytest.mark.parametrize(("batch", "redraw"), [(1, 0.35), (2, 0.35), (3, 0.35), (1, 0.05)])
@pytest.mark.parametrize("levels", [2, 5])
def test_efficient_reduction_has_the_law_of_the_literal_one(horizon, n, switches, batch, redraw, levels):
    """At p = 1/20 the number of draws is cut at two."""
    table = table_of(horizon, n, "law", levels=levels)
    board = tracking.Dartboard(learning_rate=0.4, redraw=redraw, batch=batch)
    literal = exact.literal_law(table, n_switches=switches, dartboard=board)
    efficient = exact.efficient_law(table, n_switches=switches, dartboard=board)
    assert literal.sum() == pytest.approx(1, abs=1e-14)
    np.testing.assert_allclose(efficient, literal, rtol=1e-12, atol=1e-17)


@pytest.mark.parametrize(
    ("switches", "batch", "redraw", "runs"),
    [(2, 1, 0.4, 25_000), (2, 2, 0.4, 40_000), (0, 2, 0.4, 8_000), (1, 1, 0.1, 8_000)],
)
def test_the_dartboard_draws_from_the_exact_law(switches, batch, redraw, runs):
    """Of the kernel; a learner that plays round by round shares its draws, below. Twins: eta, p, batch."""
    horizon, n = 6, 2
    table, rng = table_of(horizon, n, "gof", levels=2), stream(2, "gof", switches, batch)
    board = tracking.Dartboard(learning_rate=0.45, redraw=redraw, batch=batch)

    def law(rows=table, **changes):
        other = replace(board, **changes)
        return exact.literal_law(rows, n_switches=switches, dartboard=other).ravel()

    run = {"n_switches": switches, "dartboard": board, "rng": rng}
    plays = [meta_experts.run_dartboard(table, **run)[0] for _ in range(runs)]
    compiled = np.bincount(agreement.codes(plays, n), minlength=n**horizon)
    assert certify.goodness_of_fit(compiled, law()) > FALSE_ALARM
    for twin in ({"learning_rate": 0.3}, {"redraw": 0.7 * redraw}, {"batch": batch + 1}, {"rows": table[:, ::-1]}):
        assert certify.goodness_of_fit(compiled, law(**twin)) < FALSE_ALARM, twin


@agreement.compares(*(f"simulator: {name}" for name in ("meta_experts", "dartboard", "pure_dartboard")))
@pytest.mark.parametrize(("batch", "switches"), [(1, 4), (7, 4), (7, 0)])
def test_streaming_meta_experts_share_their_noise_with_the_compiled_loop(batch, switches):
    table = table_of(300, 3, "stream")
    board = tracking.Dartboard(learning_rate=0.2, redraw=0.3, batch=batch)
    learner = tracking.MetaExperts(3, n_switches=switches, horizon=300, dartboard=board, rng=stream(3, "same"))
    run = play(learner, table)
    actions, _ = meta_experts.run_dartboard(table, n_switches=switches, dartboard=board, rng=stream(3, "same"))
    np.testing.assert_array_equal(run.actions[0], actions)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0])
@pytest.mark.parametrize("horizon", [10**6, 10**12, 10**18])
def test_the_tightest_budgets_are_kept(epsilon, horizon):
    """At epsilon = 1e-9 and 1e18 rounds the learning rate that a budget allows is 1e-27."""
    for delta, batches in ((0.0, (1,)), (1e-300, (1, 10**9)), (0.1, (1,))):
        tuned = meta_experts.tune_dartboard(
            epsilon=epsilon, delta=delta, horizon=horizon, log_d=30.0, batches=batches
        )
        assert meta_experts.dartboard_epsilon(tuned, horizon=horizon, delta=delta) <= epsilon


@pytest.mark.parametrize(("epsilon", "horizon"), [(0.1, 10**6), (1.0, 10**14), (0.5, 2**17)])
def test_l2p_is_tuned_to_spend_its_budget(epsilon, horizon):
    sizes, log_d = {"horizon": horizon, "delta": 1e-6}, switching.log_count_sequences(horizon, 16, 4)
    base, regret = lazy.tune_lazy(epsilon=epsilon, log_d=log_d, **sizes)
    eta, p, batch = base.learning_rate, base.redraw, base.batch
    spent = lazy.lazy_epsilon(base, **sizes)
    assert spent <= epsilon * (1 + 1e-9)
    assert max(spent / epsilon, eta * batch * math.log(2 * horizon / 1e-6) / p) == pytest.approx(1, rel=1e-6)
    assert regret == lazy.lazy_regret(eta, batch, horizon=horizon, log_d=log_d)


@pytest.mark.parametrize("name", ["meta-experts", "l2p"])
def test_an_expert_that_lost_for_long_is_played_again(name):
    """Expert 0 loses, then 1, then 0 again: a sequence 2,000 nats behind wins, and the filter ends on it."""
    horizon = 120_000
    table = np.zeros((horizon, 2))
    table[:20_000, 0] = table[20_000:60_000, 1] = table[60_000:, 0] = 1
    log_d = switching.log_count_sequences(horizon, 2, 1)
    if name == "l2p":
        base = lazy.Lazy(learning_rate=0.05, redraw=0.05)
        actions = lazy.run_lazy(table, n_switches=1, lazy=base, rng=stream(6, "lost"))
        stated = float(lazy.lazy_regret(0.05, 1, horizon=horizon, log_d=log_d))
    else:
        board = tracking.Dartboard(learning_rate=0.05, redraw=0.05)
        actions, _ = meta_experts.run_dartboard(table, n_switches=1, dartboard=board, rng=stream(6, "lost"))
        stated = meta_experts.dartboard_regret(board, horizon=horizon, log_d=log_d)
    best, _ = tracking.best_sequence(table, n_switches=1)
    assert table[np.arange(horizon), actions].sum() - best < stated < 6300
    assert (actions[-100:] == 1).mean() > 0.8


BITS = stream(4, "bits").integers(0, 3, (9, 2))[:6] / 2
THREE = np.array([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0, 1.0]])
RATE, REDRAW = 0.1, 0.1


@agreement.compares("law: l2p")
@pytest.mark.parametrize(
    ("table", "switches", "batch"), [(BITS, 1, 1), (BITS, 2, 2), (BITS, 0, 3), (THREE, 2, 1)], ids=range(4)
)
def test_plays_have_the_law_of_the_list_of_sequences(table, switches, batch):
    """Every path; twins in the longer games: half the rate, more fresh draws, batches of another length."""
    (horizon, n), rng = table.shape, stream(6, "l2p", switches, batch)

    def law(**changes):
        other = Lazy(**{"learning_rate": RATE, "redraw": REDRAW, "batch": batch} | changes)
        return exact.literal_lazy_law(table, n_switches=switches, lazy=other)

    plays = lazy_plays(table, switches, RATE, REDRAW, batch, 60_000 // batch, rng)
    seen = np.bincount(agreement.codes(plays, n), minlength=n**horizon)
    assert certify.goodness_of_fit(seen, law()) > RARELY
    if horizon > 3:
        for twin in ({"learning_rate": RATE / 2}, {"redraw": 2 * REDRAW}, {"batch": batch + 1}):
            assert certify.goodness_of_fit(seen, law(**twin)) < RARELY, twin


def constant_law(*, rate, redraw, batch, batches, shared=False):
    """Law of L2P's plays, batch by batch, on two experts of whom the first loses 1 in every round: no switches.

    x and y, which is never played, are left by two numbers, or by one that they share.
    """
    loss, nu, joint = np.array([batch, 0.0]), np.full(2, 0.5), np.eye(2)[:, :, None].repeat(2, axis=2) / 4
    for _ in range(batches - 1):
        nu = nu * np.exp(-rate * loss)
        nu /= nu.sum()
        kept = (1 - redraw) * np.exp(-rate * (2 * batch + loss[:, None] - loss))
        both = np.maximum(redraw - kept, 0) if shared else (1 - kept) * redraw
        x, y = 1 - kept - both, redraw - both
        joint = (
            joint * (1 - both - x - y) + (joint * x).sum(axis=1)[:, None, :] * nu[:, None]
            + (joint * y).sum(axis=2)[..., None] * nu
            + (joint * both).sum(axis=(1, 2))[:, None, None] * np.outer(nu, nu)
        )  # fmt: skip
        joint = (joint[:, None] * np.eye(2)[:, :, None]).reshape(-1, 2, 2)
    return joint.sum(axis=(1, 2))


def test_the_sequence_that_hides_the_other_is_redrawn_by_a_number_of_its_own():
    """The log ratio of both laws of the plays has the mean of the one, and not that of the other, its twin."""
    words, runs = {"rate": 0.1, "redraw": 0.2, "batch": 7}, 300_000
    apart, one = (constant_law(**words, batches=6, shared=shared) for shared in (False, True))
    score, table = np.log(apart / one), np.tile([1.0, 0.0], (36, 1))
    plays = lazy_plays(table, 0, words["rate"], words["redraw"], words["batch"], runs, stream(8, "of its own"))
    found = score[agreement.codes(plays[:, ::7], 2)].mean()
    errors = [
        abs(found - law @ score) / math.sqrt((law @ score**2 - (law @ score) ** 2) / runs) for law in (apart, one)
    ]
    assert errors[0] < 6 < errors[1], errors
