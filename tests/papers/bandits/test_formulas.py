"""Formulas of the package against a second transcription of the paper."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest

from replicate.papers.bandits import bounds, experiments, privacy
from replicate.papers.bandits.algorithms import advice, kernels, literal, simulation
from tests.transcriptions import bandits as second
from tests.transcriptions.pairs import SUMMED, compared, grid, pair, public, same, untouched

ACTIONS = (2, 3, 16, 1000)
EXPERTS = (2, 5, 64, 10**6)
LEVELS = (1.0, 0.7, 0.25, 0.013, 1e-4)
HORIZONS = (10**6, 2 * 10**9, 10**15)
SCALES = (0.0, 0.3, 1.0, 2.5, 100.0)
"""On both sides of 1, where the maximum of lambda and its square changes."""
DELTAS = (1e-12, 1e-3, 0.9)
TABLES = [np.random.default_rng(seed).normal(size=(7, k)).tolist() for seed, k in ((1, 2), (2, 4))]

EXEMPT: dict[str, str] = {}
"""None: every bound of the package is a display of the paper, printed or corrected."""


def plan(learner, n_actions, horizon, epsilon=None):
    """Setting, batch size and noise of a learner; the last number of EXP3's setting is gamma / K."""
    found = simulation.plan(learner, n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    return [*found.setting.tolist(), found.batch, found.noise]


def second_plan(learner, n_actions, horizon, epsilon):
    """Corollaries 2, 22 and 24, and EXP3 with noise on every loss."""
    tau = second.batch_size(epsilon=epsilon)
    noise = second.batch_noise(epsilon=epsilon, batch_size=tau)
    sizes = {"n_actions": n_actions, "horizon": horizon}
    if learner == "htinf":
        setting = [second.htinf_sigma(), second.htinf_threshold()]
    elif learner == "exp3":
        mixing = second.corollary_22_mixing(**sizes, epsilon=epsilon)
        setting = [second.corollary_22_learning_rate(**sizes, epsilon=epsilon), mixing, mixing / n_actions]
    elif learner == "ftpl":
        resamples = second.corollary_24_resamples(**sizes, epsilon=epsilon)
        rate = second.corollary_24_learning_rate(**sizes, epsilon=epsilon, resamples=resamples)
        setting = [rate, float(resamples), 0.0]
    else:
        tau, noise = 1, second.batch_noise(epsilon=epsilon, batch_size=1)
        rate = second.noisy_exp3_learning_rate(**sizes, noise_scale=1 / epsilon)
        mixing = second.noisy_exp3_mixing(**sizes, noise_scale=1 / epsilon, learning_rate=rate)
        setting = [rate, mixing, mixing / n_actions]
    return [*setting, tau, noise]


def second_noisy_exp3(n_actions, noise_scale, horizon):
    sizes = {"n_actions": n_actions, "noise_scale": noise_scale, "horizon": horizon}
    rate = second.noisy_exp3_learning_rate(**sizes)
    mixing = second.noisy_exp3_mixing(**sizes, learning_rate=rate)
    return [rate, mixing, mixing / n_actions]


def exp4(tuned):
    return [tuned.learning_rate, tuned.mixing, tuned.batch, tuned.noise]


def defined(tuned):
    """The transcription's tuning where gamma is a probability and a batch fits in the horizon."""

    def fits(setting):
        return tuned(**setting)[1] <= 1 and tuned(**setting)[2] <= setting["horizon"]

    return lambda settings: [setting for setting in settings if fits(setting)]


def largest_kept(sigma, round_, probability):
    """The largest loss that HTINF does not skip, by bisection."""
    setting = np.array([sigma, second.htinf_threshold()])
    low, high = 0.0, 1e6
    for _ in range(100):
        state = kernels.fresh_state(kernels.HTINF, 2)
        state[kernels.LAW], state[kernels.NUMBER, kernels.ROUND] = probability, round_
        kernels.htinf_observe(state, setting, 0, (low + high) / 2)
        kept = state[kernels.SCORE, 0] != 0
        low, high = ((low + high) / 2, high) if kept else (low, (low + high) / 2)
    return low


def shown(name):
    """Noise of an audited learner."""
    return privacy.AUDITED[name].plan.noise


def second_shown(name):
    if name == "batched_exp4":
        return second.batched_exp4_noise(n_actions=2, n_experts=2, epsilon=0.5, delta=1e-6, mixing=0.3, batch=1)
    return second.batch_noise(epsilon=0.5, batch_size=1 if name in ("per_round_exp3", "local_exp4") else 2)


SETTINGS = grid(n_actions=ACTIONS, epsilon=LEVELS, horizon=HORIZONS)
NOISY = grid(n_actions=ACTIONS, noise_scale=SCALES, horizon=(50, *HORIZONS))
ADVISED = grid(n_actions=ACTIONS, n_experts=EXPERTS, epsilon=LEVELS, horizon=HORIZONS)
APPROXIMATE = [s | {"delta": d} for s in ADVISED for d in DELTAS]
PLANNED = grid(n_actions=(2, 3, 16), horizon=HORIZONS, epsilon=(1.0, 0.7, 0.25, 0.013))
LOCAL = defined(second.local_exp4_tuning)(ADVISED)
BATCHED = defined(second.batched_exp4_tuning)(
    grid(
        n_actions=(2, 8), n_experts=(2, 64), epsilon=(1.0, 0.125), delta=(1e-12, 1e-3, 0.9),
        horizon=(10**6, 10**11, 10**15), calibration=("printed", "corrected"),
    )
)  # fmt: skip


PAIRS = [
    # Algorithm 1.
    *same(bounds, second, grid(base_regret=(0.0, 12.5, 1e9), batch_size=(1, 4, 1000)), "theorem_1"),
    *same(bounds, second, SETTINGS, "corollary_2", "corollary_22", "corollary_24", "corollary_24_chain",
          "per_round_exp3"),
    *same(bounds, second, grid(n_experts=EXPERTS, epsilon=LEVELS, horizon=HORIZONS), "corollary_8"),
    *same(bounds, second, grid(n_actions=ACTIONS, sigma=(0.0, 1.5, 1e3), horizon=(1, *HORIZONS)), "theorem_21"),
    *same(bounds, second, NOISY, "noisy_htinf", "noisy_exp3", "lemma_25"),
    pair("bounds.lemma_25_chain", bounds.lemma_25_chain, second.lemma_25_chain_rounded, NOISY),
    # Tunings.
    pair(
        "simulation.batch_size", lambda epsilon: simulation.batch_size(epsilon), second.batch_size,
        grid(epsilon=(1.0, 0.999, 0.5, 0.49, 0.3, 0.1, 0.013, 1e-4, 3e-9)),
    ),
    pair(
        "simulation.plan", plan, second_plan,
        [s | {"learner": k} for s in PLANNED for k in ("htinf", "exp3", "ftpl")]
        + grid(learner=["ftpl"], n_actions=(2,), horizon=(100, 3000), epsilon=(1.0, 0.25))  # its other branch
        + grid(learner=["per_round_exp3"], n_actions=(2, 3), horizon=HORIZONS[1:], epsilon=(1.0, 0.25, 0.013)),
    ),
    pair(
        "simulation.plan",  # without noise: EXP3 with no mixing; Tsallis-INF has sigma 2 and skips nothing
        lambda learner, **sizes: [min(x, 1e300) for x in plan(learner, **sizes)],
        lambda learner, n_actions, horizon: {
            "plain_exp3": [
                second.noisy_exp3_learning_rate(n_actions=n_actions, noise_scale=0.0, horizon=horizon), 0.0, 0.0
            ],
            "tsallis_inf": [2.0, 1e300],
        }[learner] + [1, 0.0],
        grid(learner=("plain_exp3", "tsallis_inf"), n_actions=ACTIONS, horizon=(50, 10**12)),
    ),
    pair(
        "simulation.noisy_exp3",
        lambda n_actions, noise_scale, horizon: simulation.noisy_exp3(n_actions, horizon, noise_scale).setting,
        second_noisy_exp3, grid(n_actions=(2, 16), noise_scale=(0.0, 0.3, 1.0, 2.5), horizon=(10**4, 10**15)),
    ),
    pair(
        "kernels.htinf_observe", largest_kept,
        lambda sigma, round_, probability: second.htinf_skip(
            learning_rate=second.htinf_learning_rate(sigma=sigma, round_=round_), probability=probability
        ),
        grid(sigma=(0.3, sqrt(6)), round_=(1, 16, 10**6), probability=(0.01, 0.5, 1.0)), rel=SUMMED,
    ),
    # Expert advice.
    *same(bounds, second, ADVISED, "theorem_9"),
    *same(bounds, second, APPROXIMATE, "theorem_10", "theorem_10_printed", "theorem_10_terms"),
    *same(
        bounds,
        second,
        [
            s | {"learning_rate": eta, "mixing": gamma, "batch": tau}
            for s in APPROXIMATE[::17]
            for eta, gamma, tau in product((1e-5, 0.3), (0.01, 1.0), (1, 5000.5))
        ],
        "theorem_10_chain",
    ),
    pair(
        "advice.local_exp4_tuning", lambda **setting: exp4(advice.local_exp4_tuning(**setting)),
        second.local_exp4_tuning, LOCAL,
    ),
    pair(
        "advice.batched_exp4_tuning", lambda **setting: exp4(advice.batched_exp4_tuning(**setting)),
        second.batched_exp4_tuning, BATCHED,
    ),
    pair(
        "literal.BatchedExp4",  # Lemma 15 may give more than epsilon when delta is near 1
        lambda n_actions, n_experts, calibration, **setting: literal.BatchedExp4(
            n_actions, n_experts, calibration=calibration, **setting, rng=np.random.default_rng(1)
        ).privacy.epsilon,
        lambda epsilon, delta, **_: max(
            epsilon, second.algorithm_2_epsilon(epsilon=epsilon, delta=delta)
        ),
        BATCHED,
    ),
    pair(
        "experiments.explicit_bounds", lambda **setting: experiments.explicit_bounds(**setting, delta=1e-6),
        lambda n_actions, **setting: [
            second.corollary_8(**setting),
            second.theorem_9(n_actions=n_actions, **setting),
            second.theorem_10(n_actions=n_actions, delta=1e-6, **setting),
        ],
        ADVISED,
    ),
    # Lemmas and privacy.
    *same(
        bounds, second,
        grid(
            fraction=(1e-4, 0.3), delay=(0, 16), pulls=(0.5, 4, 60), epsilon=(0.01, 0.125, 0.5, 3.0),
            horizon=(100, 10**6),
        ),
        "lemma_11",
    ),
    *same(bounds, second, grid(size=(2, 4), horizon=(1, 4, 8), factor=(1.0, 10.0)), "lemma_20", rel=SUMMED),
    *same(
        bounds, second, grid(losses=TABLES, learning_rate=(1e-4, 0.5, 30.0), mixing=(0.0, 0.25, 1.0)),
        "lemma_23", "lemma_23_mixing",
    ),
    pair(
        "bounds.lemma_26", bounds.lemma_26, second.lemma_26,
        [
            {"losses": table, "laws": np.random.default_rng(3).dirichlet([0.5] * len(table[0]), 7).tolist()}
            | {"learning_rate": rate}
            for table in TABLES
            for rate in (1e-4, 0.5, 30.0)
        ],
    ),
    pair(
        "privacy.advanced_composition", privacy.advanced_composition,
        lambda n, epsilon, delta: second.lemma_15(epsilons=[epsilon] * n, delta=delta),
        grid(n=(1, 4, 300), epsilon=LEVELS, delta=DELTAS),
    ),
    pair("privacy.AUDITED", shown, second_shown, grid(name=privacy.AUDITED)),
    pair(
        "simulation.exp3_leakage",  # the listing's weights underflow later than these rounds
        lambda learning_rate, mixing, rounds, first_loss: simulation.exp3_leakage(
            learning_rate=learning_rate, mixing=mixing, horizon=rounds
        )[int(first_loss)],
        second.figure_1,
        grid(learning_rate=(1e-3, 0.05), mixing=(0.01, 0.5, 1.0), rounds=[400], first_loss=(0.0, 1.0)),
        rel=SUMMED,
    ),
    pair(
        "simulation.exp3_leakage",  # where the curves end
        lambda mixing: [
            curve[-1] for curve in simulation.exp3_leakage(learning_rate=mixing, mixing=mixing, horizon=10**5)
        ],
        second.figure_1_limits, grid(mixing=(1e-2, 3e-2)), rel=SUMMED,
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", PAIRS, ids=str)
def test_formula(case):
    assert not case.disagreements()


def test_batches_at_inverses_of_whole_numbers():
    """1 / (1 / 49) is above 49 in floats; the transcription rounds that up to 50."""
    assert [simulation.batch_size(1 / n) for n in range(1, 2000)] == list(range(1, 2000))
    assert second.batch_size(epsilon=1 / 49) == 50


@pytest.mark.parametrize("n_actions", [2, 10, 1000])
def test_the_mixing_of_corollary_22_is_a_probability_from_its_condition_on(n_actions):
    rounds = second.corollary_22_mixing_condition(n_actions=n_actions)
    with pytest.raises(ValueError, match="mixing"):
        simulation.plan("exp3", n_actions=n_actions, epsilon=1e-3, horizon=int(999 * rounds))
    tuned = simulation.plan("exp3", n_actions=n_actions, epsilon=1e-3, horizon=int(1002 * rounds))
    assert 0.99 < tuned.setting[kernels.MIXING] <= 1


def test_every_name_is_compared():
    assert public(bounds) - compared(PAIRS) == set(EXEMPT)
    assert not untouched(second, PAIRS, __file__)
