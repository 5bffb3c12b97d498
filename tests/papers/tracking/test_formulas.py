"""Formulas of the package against a second transcription of the paper."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import exp, inf, sqrt

import numpy as np
import pytest

from replicate.mechanisms import above_threshold_accuracy
from replicate.papers.tracking import bounds, lemmas
from replicate.papers.tracking.algorithms import (
    lazy,
    limited_updates,
    meta_experts,
    mirror_descent,
    restarts,
    switching,
    windows,
)
from replicate.papers.tracking.privacy import exact, sampled
from tests.transcriptions import tracking as second
from tests.transcriptions.pairs import SUMMED, against, compared, grid, pair, public, same, untouched

ACTIONS = (2, 3, 16, 10**6)
HORIZONS = (2, 3, 1000, 1024, 10**9)
LEVELS = (0.01, 0.5, 1.0, 1.5, 5.0)
FAILURES = (1e-9, 0.05, 1.0)
SWITCHES = (1, 2, 40)

EXEMPT = {
    "bounds.proved_regret": "ours, by hand in test_bounds",
    "bounds.restarted_hedge": "ours, by hand in test_bounds",
}


def rule(**setting):
    """The package's thresholds in the transcription's order."""
    found = bounds.restart_rule(**setting)
    return [found.epsilon, found.accuracy, found.constant, found.root]


def allowances(width, **setting):
    return bounds.restart_rule(**setting).allowance(width)


def inequality_1(switches, length, **setting):
    return bounds.inequality_1(bounds.restart_rule(**setting), switches=switches, length=length)


def asked(regret, n_actions, horizon, epsilon, failure, width):
    """The compiled loop's query of a window of `width` + 1 rounds with that regret, printed thresholds."""
    found = windows.alarm_of(
        bounds.restart_rule(
            n_actions=n_actions, horizon=horizon, epsilon=epsilon, failure=failure, calibration="printed"
        )
    )
    regrets = np.zeros((width + 3, 2))
    regrets[width + 2] = regret, regret - 1
    return windows.query(regrets, width + 2, 1, found.constant, found.root)


def noises(epsilon):
    """Scales of AboveThreshold's threshold and queries, as the compiled loop reads them."""
    scale = windows.alarm_of(bounds.RestartRule(epsilon, 1.0, 1.0, 1.0)).scale
    return [scale / 2, scale]


def board(learning_rate, redraw, batch=1):
    return meta_experts.Dartboard(learning_rate=learning_rate, redraw=redraw, batch=batch)


def board_epsilon(learning_rate, redraw, batch, horizon, delta):
    return meta_experts.dartboard_epsilon(board(learning_rate, redraw, batch), horizon=horizon, delta=delta)


def rate_allowed(epsilon, delta, horizon, log_d, redraw, batch):
    """The largest eta <= p that the privacy allows, or sqrt(B ln d / T) if that is smaller."""
    if delta == 0:
        private = min(redraw, epsilon / (1 / redraw + 16 * horizon * redraw))
    elif batch == 1:
        private = second.dartboard_learning_rate(epsilon=epsilon, delta=delta, horizon=horizon, redraw=redraw)
    else:
        private = second.dartboard_learning_rate_batched(
            epsilon=epsilon, delta=delta, horizon=horizon, redraw=redraw, batch=batch
        )
    return min(private, sqrt(batch * log_d / horizon))


def tuned_board(epsilon, delta, horizon, log_d, batches):
    """The stated regret of the package's parameters, and their learning rate."""
    found = meta_experts.tune_dartboard(
        epsilon=epsilon, delta=delta, horizon=horizon, log_d=log_d, batches=batches
    )
    return [meta_experts.dartboard_regret(found, horizon=horizon, log_d=log_d), found.learning_rate]


def second_tuned_board(epsilon, delta, horizon, log_d, batches):
    """The smallest stated regret over 300 values of p from 1e-7 to 0.499 and the batches."""
    candidates = []
    for i, batch in product(range(300), batches):
        redraw = 1e-7 * (0.499 / 1e-7) ** (i / 299)
        rate = rate_allowed(epsilon, delta, horizon, log_d, redraw, batch)
        regret = second.dartboard_regret(
            learning_rate=rate, redraw=redraw, batch=batch, horizon=horizon, log_d=log_d
        )
        candidates.append((regret, rate))
    return min(candidates)


def lazy_epsilon(eta, p, batch, **setting):
    return lazy.lazy_epsilon(lazy.Lazy(learning_rate=eta, redraw=p, batch=batch), **setting)


def lazy_allowed(eta, p, batch, horizon, delta):
    """The two conditions of the statement."""
    _, product_, draws = second.lazy_conditions(
        eta=eta, p=p, batch=batch, horizon=horizon, delta_1=delta / (2 * horizon)
    )
    return product_ <= 1 and draws >= 1


def second_tuned_lazy(epsilon, delta, horizon, log_d):
    """The smallest ln d / eta + eta B T / 8 + T B^2 eta^2 over 40 batch sizes and 60 values of p, by bisection."""
    best = inf
    batches = {int(horizon ** (0.5 * i / 39) * (1 + 1e-12)) for i in range(40)}
    for batch, i in product(batches, range(60)):
        setting = {"p": (batch / horizon) ** (1 - i / 59) * (1 + 1e-14), "batch": batch, "horizon": horizon}
        setting |= {"delta": delta}
        low, high = 0.0, min(0.1, sqrt(8 * log_d / (batch * horizon)))
        for step in range(60):
            middle = (low + high) / 2 if step else high
            fits = lazy_allowed(middle, **setting)
            fits = fits and second.lazy_epsilon(eta=middle, **setting) <= epsilon
            low, high = (middle, high) if fits else (low, middle)
        best = min(best, log_d / low + low * batch * horizon / 8 + horizon * (batch * low) ** 2)
    return best


def moves(n_actions, horizon, n_switches, after):
    """Probabilities that a held sequence moves after `after` rounds, for 0, ..., S switches left."""
    _, work = switching.start(n_switches, n_actions, horizon)
    for t in range(1, after + 1):
        switching.switch_probabilities(horizon - t, n_actions, work)
    return [*work[switching.MOVES], *(1 - work[switching.MOVES])]


def second_moves(n_actions, horizon, n_switches, after):
    left = [{"n_actions": n_actions, "rounds": horizon - after, "switches": r} for r in range(n_switches + 1)]
    going = [float((n_actions - 1) * second.move_probability(**setting)) for setting in left]
    return going + [float(second.stay_probability(**setting)) for setting in left]


def second_lazy_law(losses, eta, p):
    """Law of L2P's plays in two rounds of two experts without switches: keep by `lazy_keep`, or draw anew."""
    weights = [exp(-eta * loss) for loss in losses]
    now = [w / sum(weights) for w in weights]
    law = [0.0] * 4
    for x, y in product(range(2), repeat=2):
        kept = (1 - p) * second.lazy_keep(
            now=now[x], before=0.5, other_now=now[y], other_before=0.5, learning_rate=eta, batch=1
        )
        for fresh in range(2):
            law[2 * x + fresh] += (kept * (fresh == x) + (1 - kept) * now[fresh]) / 4
    return law


def of_two(lead, epsilon):
    """Law of the expert selected from losses 0 and `lead`: two Laplace variables differ by more than u scales."""
    u = lead / second.report_noisy_max_scale(epsilon=epsilon)
    worse = (1 + u / 2) * exp(-u) / 2
    return [1 - worse, worse]


def learner(**setting):
    return mirror_descent.MirrorDescent(**setting, rng=np.random.default_rng(1))


def corollary():
    """The package's ratios at N = 16, S = 4, epsilon = 0.1, times the rate of Corollary 4.1.1."""
    horizons, over_rate, _ = lemmas.lazy_ratios(4)
    return [
        ratio * second.corollary_4_1_1_rate(n_actions=16, horizon=t, n_switches=4, epsilon=0.1, delta=1e-6)
        for t, ratio in zip(map(int, horizons), over_rate, strict=True)
    ]


RULES = grid(
    n_actions=ACTIONS, epsilon=LEVELS, horizon=HORIZONS, failure=FAILURES, calibration=bounds.CALIBRATIONS
)
THEOREM = grid(
    n_actions=ACTIONS, horizon=HORIZONS, n_switches=SWITCHES, epsilon=LEVELS, calibration=bounds.CALIBRATIONS
)
BOARDS = grid(
    learning_rate=(1e-6, 0.01, 0.5), redraw=(1e-3, 0.1, 0.5), batch=(1, 2, 64), horizon=(100, 10**9),
    delta=(1e-6, 0.1),
) + grid(
    learning_rate=(1e-6, 0.01, 0.5), redraw=(1e-3, 0.1, 0.5), batch=[1], horizon=(100, 10**9), delta=[0],
)  # fmt: skip
CALIBRATIONS = grid(calibration=bounds.CALIBRATIONS)
COUNTS = grid(horizon=(1, 2, 10, 1000), n_actions=(2, 3, 16), n_switches=(0, 1, 2, 8))
DESCENT = grid(n_actions=ACTIONS, horizon=(100, 10**6, 10**12), n_switches=SWITCHES, epsilon=LEVELS)
NOISY = [
    s | {"noise": noise, "learning_rate": rate}
    for s in grid(n_actions=(2, 3, 1000), horizon=(100, 10**12), n_switches=SWITCHES)
    for noise, rate in product((0.1, 2.0, 1e4), (1e-6, 0.5, 3.0))
]

PAIRS = [
    # Shifting adversaries.
    *same(bounds, second, grid(n_actions=ACTIONS, horizon=HORIZONS, failure=FAILURES), "lemma_3_2"),
    *same(bounds, second, grid(n_actions=ACTIONS, horizon=HORIZONS, epsilon=LEVELS, failure=FAILURES),
          "adaptive_regret", "lemma_3_3"),
    pair("bounds.restart_rule", rule, second.restart_rule, RULES),
    # beta = 1 / T; `calibration` and `windows` too have the same defaults
    pair("bounds.restart_rule", rule, second.restart_rule,
         grid(n_actions=ACTIONS, epsilon=LEVELS, horizon=HORIZONS)),
    pair("bounds.restart_rule", partial(rule, windows="dyadic"), partial(second.restart_rule, windows="dyadic"),
         RULES),
    pair("bounds.RestartRule", allowances, second.regret_w,
         [s | {"width": w} for s in RULES for w in (0, 1, 50)]),
    # Lemma 3.5: Reg_w + 2 alpha + 1
    pair(
        "bounds.RestartRule",
        lambda width, **s: (
            allowances(width, calibration="printed", **s)
            + 2 * bounds.restart_rule(calibration="printed", **s).accuracy + 1
        ),
        partial(second.lemma_3_5, calibration="printed"),
        grid(n_actions=[16], horizon=(100, 4096), epsilon=LEVELS, failure=FAILURES, width=(0, 1, 50)),
    ),
    # line 8, as the compiled loop asks
    pair("windows.query", asked, partial(second.restart_query, calibration="printed"),
         grid(regret=(-3.0, 0.0, 900.0), n_actions=[16], horizon=(100, 4096), epsilon=LEVELS, failure=FAILURES,
              width=(0, 1, 50))),
    pair("bounds.inequality_1", inequality_1, second.inequality_1_of_rule,
         [s | {"switches": k, "length": t} for s in RULES for k, t in product((0, 1, 9), (1, 77))]),
    # (S + 1 parts) of at most 7 rounds: 1 + 2 + 4, three windows; of 8: up to 4
    pair(
        "bounds.inequality_1",
        partial(bounds.inequality_1, bounds.RestartRule(1.0, 30.0, 20.0, 3.0, "dyadic")),
        lambda switches, length: (
            second.inequality_1(accuracy=0, constant=-1, root=3 / (1 - 0.5**0.5), switches=switches, length=length)
            + {1: 1, 7: 3, 8: 4}[length]
            * second.inequality_1(accuracy=30.0, constant=20.0, root=0, switches=switches, length=length)
        ),
        grid(switches=(0, 3), length=(1, 7, 8)),
    ),
    *same(
        bounds, second,
        [s | {"failure": f} for s in THEOREM for f in (None, 0.05)] + [s | {"windows": "dyadic"} for s in THEOREM],
        "theorem_3_6",
    ),
    against(
        bounds, "shifting_lower", second.shifting_lower_sum,
        grid(n_actions=(16, 1000), n_phases=(1, 3, 8), epsilon=(0.001, 0.5, 3.0), phase=(1, 2, 200)), rel=SUMMED,
    ),
    pair("mechanisms.above_threshold_accuracy", above_threshold_accuracy, second.lemma_2_4,
         grid(n_queries=(1, 1000, 10**18), epsilon=LEVELS, failure=FAILURES)),
    pair("windows.alarm_of", noises, second.above_threshold_noise, grid(epsilon=LEVELS)),
    pair("sampled.alarm_rule", lambda calibration: sampled.alarm_rule(calibration).epsilon,
         lambda **s: second.restart_rule(n_actions=8, epsilon=sampled.ALARM_EPSILON, horizon=127, **s)[0],
         CALIBRATIONS),
    # epsilon / 2 of Algorithm 1, and 1.5 times what AboveThreshold is given
    pair("restarts.stated_privacy", lambda calibration: restarts.stated_privacy(1.0, calibration).epsilon,
         lambda **s: 0.5 + 1.5 * second.restart_rule(n_actions=8, epsilon=1.0, horizon=127, **s)[0], CALIBRATIONS),
    pair("limited_updates.selector",
         lambda lead, epsilon: limited_updates.selector(epsilon)(np.array([0.0, lead])), of_two,
         grid(lead=(0.0, 0.3, 20.0), epsilon=LEVELS), rel=SUMMED),
    # Oblivious adversaries.
    *same(switching, second, COUNTS, "count_sequences", "log_count_sequences"),
    against(lemmas, "count_listed", second.count_tuples, COUNTS),
    pair("switching.switch_probabilities", moves, second_moves,
         grid(n_actions=(2, 3, 16), horizon=[12], n_switches=(0, 1, 3, 15), after=(1, 2, 6, 11))
         + grid(n_actions=(2, 16), horizon=[3000], n_switches=[20], after=[1, 1000]), rel=SUMMED),
    pair("meta_experts.dartboard_epsilon", board_epsilon, second.dartboard_epsilon, BOARDS),
    # the privacy that the learner states
    pair(
        "meta_experts.MetaExperts",
        lambda learning_rate, redraw, batch, horizon, delta: meta_experts.MetaExperts(
            3, n_switches=1, horizon=horizon, delta=delta, dartboard=board(learning_rate, redraw, batch),
            rng=np.random.default_rng(1),
        ).privacy.epsilon,
        second.dartboard_epsilon, BOARDS,
    ),
    pair(
        "meta_experts.dartboard_regret",
        lambda learning_rate, redraw, batch, **s: meta_experts.dartboard_regret(
            board(learning_rate, redraw, batch), **s
        ),
        second.dartboard_regret,
        grid(learning_rate=(1e-6, 0.3), redraw=(1e-4, 0.3), batch=(1, 64), horizon=(100, 10**5), log_d=(0.7, 9.0)),
    ),
    # a redraw needs k < 4 T p / B, and k counts from 1
    pair(
        "meta_experts.Dartboard", lambda redraw, batch, horizon: board(0.1, redraw, batch).draws(horizon),
        lambda **s: 1 + sum(k < second.dartboard_redraws(**s) for k in range(1, 9000)),
        grid(redraw=(1e-4, 0.1, 0.3, 0.5), batch=(1, 3, 64), horizon=(1, 10, 1001, 4096)),
    ),
    # the sum of a batch's losses, where the transcription has their mean
    pair(
        "meta_experts.Dartboard",
        lambda learning_rate, redraw, batch, loss: (
            (1 - redraw) * board(learning_rate, redraw, batch).factors(np.array([batch * loss]))[0]
        ),
        lambda batch, **s: second.dartboard_keep(**s),
        grid(learning_rate=(1e-6, 0.3), redraw=(0.01, 0.3), batch=(1, 5), loss=(0.0, 0.4, 1.0)),
    ),
    pair(
        "meta_experts.tune_dartboard", tuned_board, second_tuned_board,
        grid(epsilon=[1.0], delta=[1e-6], horizon=(10**3, 10**6), log_d=[30.0], batches=[(1, 64)])
        + grid(epsilon=[5.0], delta=[0, 0.01], horizon=[10**5], log_d=[2.0], batches=[(1,)])
        # the other branch
        + grid(epsilon=[1e6], delta=[0.01], horizon=[10**5], log_d=[2.0], batches=[(1,), (4, 16)]),
        rel=SUMMED,
    ),
    pair(
        "lazy.lazy_epsilon", lambda **s: min(1e300, lazy_epsilon(**s)),
        lambda **s: second.lazy_epsilon(**s) if lazy_allowed(**s) else 1e300,
        grid(eta=(1e-9, 1e-6, 1e-3, 0.1), p=(1e-3, 0.1, 1.0), batch=(1, 8), horizon=(10**3, 10**9),
             delta=(1e-6, 0.1)),
    ),
    pair(
        "lazy.tune_lazy", lambda **s: lazy.tune_lazy(**s)[1], second_tuned_lazy,
        [{"epsilon": e, "delta": 1e-6, "horizon": t, "log_d": 30.0}
         for e, t in ((0.1, 10**6), (2, 10**6), (1e4, 10**12))],
        rel=SUMMED,
    ),
    pair(
        "exact.literal_lazy_law",
        lambda losses, eta, p: exact.literal_lazy_law(
            [losses, [0.0, 0.0]], n_switches=0, lazy=lazy.Lazy(learning_rate=eta, redraw=p)
        ),
        second_lazy_law, grid(losses=([0.0, 1.0], [1.0, 0.0], [0.5, 0.5]), eta=(0.01, 0.1), p=(0.1, 1.0)),
    ),
    pair(
        "lemmas.lazy_ratios", corollary,
        lambda: [
            lazy.tune_lazy(
                epsilon=0.1, delta=1e-6, horizon=int(t),
                log_d=second.log_count_sequences(horizon=int(t), n_actions=16, n_switches=4),
            )[1]
            for t in np.geomspace(1e6, 1e14, 9)
        ],
        [{}], rel=SUMMED,
    ),
    # Adaptive adversaries.
    *same(bounds, second, grid(horizon=(100, 10**6, 10**15), n_switches=(0, 1, 40), epsilon=LEVELS),
          "adaptive_lower_rate"),
    against(bounds, "mirror_descent_rate", lambda **s: second.parameters(**s, calibration="printed")[0], DESCENT),
    *same(mirror_descent, second, [s | {"calibration": c} for s in DESCENT for c in bounds.CALIBRATIONS],
          "parameters"),
    pair(
        "mirror_descent.MirrorDescent",
        lambda **s: [getattr(learner(**s), k) for k in ("learning_rate", "noise", "floor")],
        lambda calibration, epsilon, **s: [
            *second.parameters(calibration=calibration, epsilon=epsilon, **s), second.clip_floor(**s)
        ],
        grid(n_actions=(2, 5, 1000), horizon=(100, 10**12), n_switches=SWITCHES, epsilon=LEVELS,
             calibration=bounds.CALIBRATIONS),
    ),
    pair("exact.mirror_upper", lambda epsilon, **s: exact.mirror_upper(noise=1 / epsilon, **s),
         second.algorithm_3_epsilon,
         grid(n_actions=(2, 3, 1000), horizon=(2, 10**6), epsilon=LEVELS, learning_rate=(1e-7, 0.01, 3.0))),
    *same(bounds, second, NOISY, "theorem_b2"),
    *same(bounds, second, NOISY, "tracking_regret", rel=SUMMED),
    *same(bounds, second, [s | {"log_d": d} for s in NOISY for d in (0.5, 90.0)], "watched_regret", rel=SUMMED),
    *same(lemmas, second, grid(n_actions=(2, 4), horizon=(1, 4, 8), factor=(1.0, 10.0)), "laplace_norm_failure",
          rel=SUMMED),
]  # fmt: skip


@pytest.mark.parametrize("case", PAIRS, ids=str)
def test_formula(case):
    assert not case.disagreements()


def test_the_learning_rate_is_capped():
    """Above it, one loss of 1 puts a weight on the floor."""
    setting = {"n_actions": 2, "horizon": 100, "n_switches": 1, "epsilon": 1e6, "calibration": "printed"}
    assert second.parameters(**setting)[0] > 300
    assert mirror_descent.parameters(**setting) == (300, 1e-6)


def test_every_name_is_compared():
    assert public(bounds) - compared(PAIRS) == set(EXEMPT)
    assert not untouched(second, PAIRS, __file__)
