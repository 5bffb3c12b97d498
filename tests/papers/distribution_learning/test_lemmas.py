"""Regret lemmas by sampling and enumeration, and the steps of the lower bound."""

from itertools import product

import numpy as np
import pytest

from replicate import certify
from replicate.papers.distribution_learning import instances, lemmas
from replicate.papers.distribution_learning.algorithms.schemes import divergence
from replicate.streams import stream
from tests.papers.distribution_learning.common import FALSE_ALARM, merged


def test_one_coordinate_regret_against_sampling():
    rng = stream(5, "lemma 7")
    losses, rate = rng.random((7, 3)), 0.6
    sampled = []
    for _ in range(4000):
        scores, total = np.zeros(3), 0.0
        for row in losses:
            w = np.exp(-rate * scores)
            total += w @ row / w.sum()
            j = rng.integers(3)
            scores[j] += row[j]
        sampled.append(total - losses.sum(axis=0).min())
    assert lemmas.one_coordinate_regret(losses, rate) in certify.mean_interval(sampled, false_alarm=FALSE_ALARM)


@pytest.mark.parametrize("scheme", ["pure", "approximate"])
def test_conditional_excess_by_enumeration_of_labels_and_coordinates(scheme):
    g = merged(np.array([[0.8, 0.2], [0.3, 0.7]]), scheme, horizon=4)
    noise = np.clip(stream(5, "noise").laplace(size=(4, 2)) * g.tuning.scale, -g.tuning.shift, g.tuning.shift)
    law = g.channels[0].law(g.masses[0, 0])
    shown = [np.eye(2)[0], np.eye(2)[1]] if scheme == "pure" else [np.ones(2)]
    exact = 0.0
    for path in product(range(2), range(len(shown)), repeat=3):
        outcomes = list(zip(path[::2], path[1::2], strict=True))
        probability = np.prod([law[y] / len(shown) for y, _ in outcomes])
        log_weights, value = np.zeros(2), 0.0
        for t in range(4):
            w = np.exp(log_weights) / np.exp(log_weights).sum()
            value += divergence(g.masses[0, 0], w @ g.predictions[0]) + noise[t, 0] - w @ noise[t]
            if t < 3:
                y, j = outcomes[t]
                message = -g.tuning.factor * (
                    g.values[0][:, y] + noise[t] + np.log(2) - g.tuning.shift
                )  # formula (8)
                log_weights = log_weights - g.tuning.learning_rate * shown[j] * message
        exact += probability * value
    sampled = lemmas.conditional_excess(g, 0, noise, replicates=20000, rng=stream(5, "excess", scheme))
    assert exact in certify.mean_interval(sampled, false_alarm=FALSE_ALARM)


def test_channels_of_the_proof_are_private_and_spread_as_23_says():
    rng = stream(5, "channels")
    for epsilon in (0.3, 1.0, 2.5):
        for q in (
            instances.subset_channel(4, 2, epsilon),
            instances.extremal_channel(4, epsilon, symbols=8, rng=rng),
        ):
            np.testing.assert_allclose(q.sum(axis=1), 1)
            assert np.log(q.max(axis=0) / q.min(axis=0)).max() <= epsilon + 1e-9
            assert lemmas.spread_ratio(q.T) <= 2 * np.tanh(epsilon / 2) ** 2 + 1e-12
