"""Algorithm 1 against its simulator on random losses, dependent ones too: sums of epochs, actions."""

import numpy as np
import pytest

from replicate import environments, mechanisms
from replicate.learners import dyadic
from replicate.papers import noisy_leader
from replicate.papers.noisy_leader import algorithms
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM
from tests.learners import draws

HORIZON = 16
STARTS, _ = dyadic.blocks(HORIZON)
LEVELS = np.array([0.0, 0.5, 1.0])
ENVS = {
    "independent": environments.Grid(LEVELS, np.array([[0.6, 0.3, 0.1], [0.3, 0.3, 0.4], [0.4, 0.2, 0.4]])),
    "dependent": environments.Joint(
        np.array([[0.0, 0.5, 1.0], [0.5, 0.5, 0.5], [0.5, 1.0, 0.75]]), [0.4, 0.4, 0.2]
    ),
}
VARIANTS = [(noise, resample) for noise in mechanisms.NOISES for resample in (False, True)]


def state(sums, actions):
    """Four times the sums of epochs, one by one and two together, and the actions, one by one and in pairs."""
    quarters = np.asarray(4 * sums).round().astype(int)
    return {
        "sums": quarters.reshape(len(quarters), -1),
        "sums together": quarters[..., 0] * 100 + quarters[..., 1],
        "actions": actions,
        "pairs": actions[:, :-1] * 10 + actions[:, 1:],
    }


def streamed(env, runs, rng, **variant):
    """Sums of the complete epochs and actions of all, of the learner that sees one round at a time."""
    sums, actions = np.empty((runs, len(STARTS) - 1, 3)), np.empty((runs, len(STARTS)), dtype=int)
    select, tables = algorithms.report_noisy_max, env.losses(0, HORIZON * runs, rng=rng)
    with pytest.MonkeyPatch.context() as patch:
        for run, table in enumerate(tables.reshape(runs, HORIZON, 3)):
            learner, seen = noisy_leader.NoisyLeader(3, epsilon=1.6, rng=rng, **variant), []

            def recorded(scores, *, seen=seen, **words):
                seen.append(-scores)
                return select(scores, **words)

            patch.setattr(algorithms, "report_noisy_max", recorded)
            actions[run] = agreement.played(learner, table)[STARTS]
            sums[run] = seen
    return state(sums, actions)


def simulated(env, runs, rng, *, epsilon=1.6, **variant):
    """The same of the simulator."""
    sums, laws, select = [], [np.full((runs, 3), 1 / 3)], algorithms.selector

    def spied(*given, **words):
        def recorded(read):
            sums.append(read)
            laws.append(select(*given, **words)(read))
            return laws[-1]

        return recorded

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algorithms, "selector", spied)
        noisy_leader.simulate(env, epsilon=epsilon, horizon=HORIZON, replicates=runs, rng=rng, **variant)
    return state(np.stack(sums, axis=1), agreement.drawn(np.stack(laws, axis=1), rng))


@agreement.compares(*(f"simulator: {noise}{'_resampled' * resample}" for noise, resample in VARIANTS))
@pytest.mark.parametrize(
    ("kind", "runs"), [("dependent", 2000), pytest.param("independent", 6000, marks=pytest.mark.long)]
)
@pytest.mark.parametrize(("noise", "resample"), VARIANTS)
def test_the_simulator_sums_and_plays_as_algorithm_1(noise, resample, kind, runs):
    """Twins: half the noise, the other B, losses without that dependence, one draw for all actions."""
    rng, other = (
        stream(1, "literal", noise, resample, kind),
        "dependent" if kind == "independent" else "independent",
    )
    slow, variant = streamed(ENVS[kind], runs, rng, noise=noise, resample=resample), {"noise": noise}
    fast = simulated(ENVS[kind], runs, rng, **variant, resample=resample)
    assert agreement.apart(slow, fast) > FALSE_ALARM
    assert (slow["sums"] % 4 == 0).all() == resample, "bits, or the losses themselves"
    twins = (
        simulated(ENVS[kind], runs, rng, **variant, resample=resample, epsilon=3.2),
        simulated(ENVS[kind], 1000, rng, **variant, resample=not resample),
        simulated(ENVS[other], 1000, rng, **variant, resample=resample),
    )
    assert [agreement.apart(slow, twin) < FALSE_ALARM for twin in twins] == [True] * 3
    sharing = streamed(ENVS[kind], 500, draws.Sharing(np.random.PCG64(1)), noise=noise, resample=resample)
    assert agreement.apart(sharing, fast) < FALSE_ALARM
