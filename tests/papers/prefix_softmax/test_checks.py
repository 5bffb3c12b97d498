import math

import numpy as np
import pytest

from replicate.learners import protocol
from replicate.papers import noisy_leader
from replicate.papers.prefix_softmax import algorithms, claims, errata, experiments, privacy
from replicate.papers.prefix_softmax.checks import errata as errata_checks
from replicate.papers.prefix_softmax.checks import lemmas as lemma_checks
from replicate.papers.prefix_softmax.checks import privacy as privacy_checks


def test_uniform_play_breaks_theorem_1_on_every_instance():
    for data in (experiments.regret_grid("quick", 2026), experiments.structured_grid("quick", 2026)):
        assert (data["uniform"] > data["bound_1"]).all()
        assert (data["uniform"] > data["bound_2"]).all()
        assert (data["upper"] < data["bound_1"]).all()


def test_the_learner_that_reads_blocks_twice_passes_the_one_block_audit():
    """The joint law of consecutive actions is what gives it away."""
    one = privacy.block_privacy_loss(n_actions=2, eta=0.05, block=10)
    assert one <= 0.1
    assert not privacy_checks.sequence_loss("quick", 1, readers=2).holds


def test_the_erratum_runs_report_noisy_max():
    """Regret and played actions are those of the paper that the algorithm is from."""
    for k in (4, 16, 64):
        epsilon, means = 4 * math.log(k), (np.arange(k) > 0).astype(float)
        theirs = noisy_leader.exact_regret(means, epsilon=epsilon, horizon=2**40).final[0]
        assert errata_checks._exact_regret(k, 1.0) == pytest.approx(theirs, rel=1e-12)
        rng, again = np.random.default_rng(k), np.random.default_rng(k)
        played = errata_checks._played_costs(k, 0.5, runs=100, rng=rng).sum(axis=1)
        for regret in played:
            learner = noisy_leader.NoisyLeader(k, epsilon=epsilon, rng=again)
            losses = (again.random((64, k)) < np.where(np.arange(k) > 0, 0.5, 0.0)).astype(float)
            run = protocol.play(learner, losses)
            assert regret == 0.5 * np.count_nonzero(run.actions)


def test_sums_of_the_two_halves_have_gaps_of_their_kind():
    for case in lemma_checks._deterministic_sums(0, 1):
        assert 1e-3 <= case.gap <= 4 * algorithms.learning_rate(case.epsilon)
    for case in lemma_checks._deterministic_sums(1.001, np.inf):
        assert 4 * algorithms.learning_rate(case.epsilon) < case.gap <= 1


def test_every_argument_reads_as_data():
    """Words, numbers and pairs of numbers: no functions, no arrays, no flags."""
    entries = [*claims.CLAIMS, *(route for erratum in errata.ERRATA for route in erratum.routes)]
    for entry in entries:
        for value in (*entry.stated.values(), *entry.control.values()):
            parts = value if isinstance(value, tuple) else (value,)
            assert all(isinstance(part, str | int | float) and not isinstance(part, bool) for part in parts)
