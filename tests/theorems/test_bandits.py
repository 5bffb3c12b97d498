"""Paper 4 and theorem "gaussian-advice": pages beside the package."""

import numpy as np
import pytest

from replicate import audit
from replicate.environments import Bernoulli
from replicate.learners import tsallis_law
from replicate.mechanisms.composition import laplace_composition
from replicate.mechanisms.vector_noise import gaussian_delta, gaussian_scale
from replicate.papers.bandits import bounds
from replicate.papers.bandits import privacy as exact
from replicate.papers.bandits.algorithms import (
    advice,
    kernels,
    simulation,
)
from replicate.papers.bandits.checks import lemmas
from replicate.papers.bandits.instances import gap_one
from tests.theorems import page
from tests.theorems.agreement import Pair, actions, level, near


def long_game(rng):
    """A game that every tuning of the paper admits."""
    return {"T": int(10 ** rng.uniform(9, 15)), "K": actions(rng, 9), "epsilon": rng.uniform(0.1, 1)}


def advised_game(rng):
    return long_game(rng) | {"N": actions(rng, 9), "delta": 10 ** rng.uniform(-9, -1)}


def described(K, N, epsilon, delta, T):
    return {"n_actions": K, "n_experts": N, "epsilon": epsilon, "delta": delta, "horizon": T}


def switcher(actions, bits):
    """The package's base learner in the page's words: it changes the action after every high observation."""
    action = 0 if not actions else actions[-1] ^ bits[-1]
    return [1.0 - action, float(action)]


def played(losses, batch, epsilon):
    """Law of the actions of the package's base learner: the decision that the last batch leads to is left out."""
    law = exact.switch_law(losses, batch=batch, scale=1 / (batch * epsilon), threshold=1.0)
    return law.reshape(-1, 2).sum(axis=1)


def page_law(m, losses, batch, epsilon):
    law = m.law(losses.tolist(), batch, 1 / (batch * epsilon), B=switcher)
    n = len(losses) // batch
    switches = [np.array(np.unravel_index(i, (2,) * (n - 1))) for i in range(2 ** (n - 1))]
    return [law[(0, *(np.cumsum(moves) % 2).tolist())] for moves in switches]


def histories(rng):
    return {"arms": rng.integers(0, 3, 40), "seen": rng.laplace(size=40)}


def htinf_of_the_page(m, arms, seen):
    L, laws = np.zeros((1, 3)), []
    for t, (arm, loss) in enumerate(zip(arms, seen, strict=True), start=1):
        laws.append(m.tsallis(L / (m.SIGMA * np.sqrt(t)))[0])
        m.feed(L, t, laws[-1][None], np.array([arm]), np.array([loss]))
    return laws


def htinf_of_the_package(arms, seen):
    plan, laws = simulation.htinf(), []
    state = kernels.fresh_state(kernels.HTINF, 3)
    for arm, loss in zip(arms, seen, strict=True):
        state[tsallis_law.NUMBER, tsallis_law.ROUND] += 1.0
        tsallis_law.write_law(state, plan.setting[kernels.SIGMA])
        laws.append(state[tsallis_law.LAW].copy())
        kernels.htinf_observe(state, plan.setting, int(arm), float(loss))
    return laws


def exp3_plan(K, epsilon, T):
    return simulation.plan("exp3", n_actions=K, epsilon=epsilon, horizon=T).setting[[kernels.RATE, kernels.MIXING]]


def of_the_claim(K, margin, epsilon):
    """BA-C22s: its coefficient times the rate, and what the conversion adds."""
    n = margin * 16 / 22 * K * np.log(K)
    coefficient = lemmas.corollary_22_sum_at(K, margin).measured
    return (coefficient * np.sqrt(n * K * np.log(K)) * np.log(K * n) + 4) / epsilon


def exp3_law(losses, eta):
    """Law of all action sequences of the package's EXP3, whose kernel observes each; mixing is eta, too."""
    plan, law = simulation.exp3(learning_rate=eta, mixing=eta, n_actions=2), []
    for played in np.ndindex((2,) * len(losses)):
        state, chance = kernels.fresh_state(kernels.EXP3, 2), 1.0
        for arm, row in zip(played, losses, strict=True):
            weights = state[tsallis_law.LAW]
            chance *= (1 - eta) * weights[arm] / weights.sum() + eta / 2
            kernels.exp3_observe(state, plan.setting, arm, float(row[arm]))
        law.append(chance)
    return np.array(law)


def largest_exp3_loss(T, eta):
    """Largest privacy loss of EXP3's actions between the two tables of Figure 1."""
    tables = np.ones((2, T, 2))
    tables[0, 0, 1] = 0.0
    return audit.privacy_loss(*(exp3_law(table, eta) for table in tables))


def figure_1(m, eta, T):
    both = [m.exp3_log_probabilities([2, 1] * (T // 2), first, eta, eta) for first in ((1.0, 0.0), (1.0, 1.0))]
    return np.exp([logs[:, 1] for logs in both])


def tuned(result):
    return [result.learning_rate, result.batch, result.mixing]


PAIRS = [
    Pair(
        "ba_t1.law",
        lambda rng: {
            "losses": rng.random((6, 2)), "batch": int(rng.choice([1, 2, 3])), "epsilon": rng.uniform(0.1, 1)
        },
        page_law, played, lambda losses, **s: {"losses": 1 - losses},
    ),
    Pair(
        "ba_c2.tsallis and feed", histories, htinf_of_the_page, htinf_of_the_package,
        lambda seen, **s: {"seen": 1.5 * seen}, tolerance=1e-8,
    ),
    Pair(
        "ba_c22.bound", long_game, lambda m, **s: m.bound(**s),
        lambda T, K, epsilon: bounds.corollary_22(n_actions=K, epsilon=epsilon, horizon=T),
        lambda K, **s: {"K": K + 1},
    ),
    Pair(
        "ba_c22.proof, no term dropped", lambda rng: {
            "K": actions(rng, 9), "margin": 10 ** rng.uniform(0.1, 6), "epsilon": rng.uniform(0.1, 1)
        },
        lambda m, K, margin, epsilon: m.proof(margin * 16 / 22 * K * np.log(K) / epsilon, K, epsilon)[0],
        of_the_claim, lambda margin, **s: {"margin": 1.01 * margin},
    ),
    Pair("ba_c22.tuning", long_game, lambda m, **s: m.tuning(**s), exp3_plan, lambda K, **s: {"K": K + 1}),
    *(
        Pair(
            f"ba_t10.tuning, {calibration}", advised_game,
            lambda m, T, K, N, epsilon, delta, printed=calibration == "printed": m.tuning(
                T, K, N, epsilon, delta, printed
            )[:3],
            lambda calibration=calibration, **s: [
                getattr(advice.batched_exp4_tuning(**described(**s), calibration=calibration), name)
                for name in ("learning_rate", "batch", "mixing")
            ],
            lambda N, **s: {"N": N + 1},
        )
        for calibration in ("printed", "corrected")
    ),
    Pair(
        "ba_t10.tuning, bound", advised_game,
        lambda m, T, K, N, epsilon, delta: np.dot(m.tuning(T, K, N, epsilon, delta)[3:], (100, 1)),
        lambda **s: bounds.theorem_10_printed(**described(**s)), lambda N, **s: {"N": N + 1},
    ),
    *(
        Pair(
            f"ba_t10.chain, {calibration}", advised_game,
            lambda m, T, K, N, epsilon, delta, printed=calibration == "printed": m.chain(
                T, K, N, epsilon, delta, printed
            ),
            lambda calibration=calibration, **s: proof_of_theorem_10(calibration, described(**s)),
            lambda N, **s: {"N": N + 1},
        )
        for calibration in ("printed", "corrected")
    ),
    Pair(
        "ba_figure1.exp3_log_probabilities",
        lambda rng: {"eta": level(rng, 1e-3, 0.1), "T": 2 * int(rng.integers(5, 400))},
        figure_1, lambda eta, T: np.stack(simulation.exp3_leakage(learning_rate=eta, mixing=eta, horizon=T)),
        lambda eta, **s: {"eta": 1.01 * eta},
    ),
    Pair(
        "ba_figure1.largest_loss", lambda rng: {"T": int(rng.integers(2, 9)), "eta": level(rng, 0.01, 0.5)},
        lambda m, T, eta: m.largest_loss(T, eta, eta), largest_exp3_loss, lambda eta, **s: {"eta": 1.01 * eta},
    ),
    Pair(
        "theorem_gaussian_advice.delta_of", lambda rng: {"s": level(rng, 0.3, 9), "epsilon": level(rng)},
        lambda m, s, epsilon: m.delta_of(s, epsilon), lambda s, epsilon: gaussian_delta(s, epsilon=epsilon),
        lambda s, **rest: {"s": 1.1 * s}, tolerance=1e-7,
    ),
    Pair(
        "theorem_gaussian_advice.least_s", lambda rng: {"epsilon": level(rng), "delta": 10 ** rng.uniform(-9, -1)},
        lambda m, **s: m.least_s(**s), lambda **s: gaussian_scale(**s),
        lambda epsilon, **s: {"epsilon": 1.1 * epsilon}, tolerance=1e-5,
    ),
    Pair(
        "theorem_gaussian_advice.tuning", advised_game,
        lambda m, T, K, N, epsilon, delta: m.tuning(
            T, K, N, gaussian_scale(epsilon=epsilon, delta=delta)
        )[:4],
        lambda **s: gaussian(described(**s)), lambda N, **s: {"N": N + 1},
    ),
]  # fmt: skip


def proof_of_theorem_10(calibration, setting):
    """The sum of the proof over its printed bound, at a tuning of the package's."""
    rest = advice.batched_exp4_tuning(**setting, calibration=calibration)
    chain = bounds.theorem_10_chain(
        **setting, learning_rate=rest.learning_rate, mixing=rest.mixing, batch=rest.batch
    )
    return chain / bounds.theorem_10_printed(**setting)


def gaussian(setting):
    rest = advice.gaussian_tuning(**setting)
    sizes = {name: setting[name] for name in ("n_actions", "n_experts", "horizon")}
    return [*tuned(rest), advice.gaussian_bound(rest, **sizes)]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_page_and_the_package_agree(pair):
    pair.check()


def test_the_bound_of_the_first_corollary_is_the_packages(capsys):
    """The page prints it in whole numbers: 208 root(TK/epsilon) + 2/epsilon."""
    page("ba_c2").main(batches=3000, runs=2, epsilon=0.5, K=2)
    bound = float(bounds.corollary_2(n_actions=2, epsilon=0.5, horizon=6000))
    said = capsys.readouterr().out
    assert f"the bound is {bound:,.0f}" in said
    assert f"the bound is {1.01 * bound:,.0f}" not in said


@pytest.mark.parametrize("entries", [1, 7])
def test_the_delta_of_a_laplace_vector_is_bracketed_by_both(entries):
    for one, epsilon in ((0.3, 0.5), (0.8, 1.0)):
        low, high = (page("ba_t10").vector_delta(epsilon, one, entries, up) for up in (False, True))
        least, most = laplace_composition(entries, epsilon_each=one, epsilon=epsilon)
        assert low <= most
        assert least <= high
        assert high - low <= 0.05 * high + 1e-6
        further = laplace_composition(entries, epsilon_each=1.2 * one, epsilon=epsilon)[0]
        assert further > high or high == 0


@pytest.mark.parametrize("learner", ["htinf", "exp3"])
def test_simulated_regrets_agree_in_the_mean(learner):
    """Batches of two rounds: within four standard errors; the control is six apart.

    HTINF meets one loss of 0 and one of 1, EXP3 coins.
    """
    batches, runs, epsilon = 400, 300, 0.5
    env, means = (gap_one(2), [0.0, 1.0]) if learner == "htinf" else (Bernoulli([0.1, 0.9]), [0.1, 0.9])
    means, rng = np.tile(means, (batches, 1)), np.random.default_rng(3)
    package = simulation.simulate(
        env, learner=learner, epsilon=epsilon, horizon=2 * batches, replicates=runs, rng=rng
    )
    ours, control = (
        2 * page("ba_c2").htinf(means, scale, runs, rng)
        if learner == "htinf"
        else page("ba_c22").exp3(means, 2, *rates, 1 / (2 * scale), runs, rng)
        for scale, rates in ((1.0, exp3_plan(2, epsilon, 2 * batches)), (0.3, (0.3, 0.05)))
    )
    assert near(ours, package.final) < 4
    assert near(control, package.final) > 6


def test_noise_on_batches_of_expert_advice_costs_the_same():
    """Algorithm 2 with constant advice: expert j always advises action j."""
    T, epsilon, delta, runs = 2 * 10**6, 1.0, 0.4, 40
    rng = np.random.default_rng(4)
    ours = page("ba_t10").exp4(T, np.eye(2), np.array([0.0, 1.0]), epsilon, delta, runs, rng)
    problem = advice.ExpertProblem(advice=np.eye(2)[None], losses=np.array([[0.0, 1.0]]), drawn=False)
    package = advice.simulate_experts(
        problem, learner="batched_exp4", epsilon=epsilon, delta=delta, horizon=T, replicates=runs, rng=rng
    )
    assert near(ours, package.final) < 4
    other = page("ba_t10").exp4(T, np.eye(2), np.array([0.0, 0.5]), epsilon, delta, runs, rng)
    assert near(other, package.final) > 6
