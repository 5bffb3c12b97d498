"""Times that an answer foretells: within a factor of two, above a second, at twenty settings.

Restarts cost little until the first of them, at a length that shorter games do not show: they may be foretold too
long, by a factor of four, and never too short.
"""

import time

import numpy as np
import pytest

from replicate.claims import asking

SETTINGS = [
    ("PS-T1", {"n_actions": 100_000, "horizon": 10**12}),
    ("PS-T1", {"n_actions": 40_000, "horizon": 10**15, "epsilon": 20}),
    ("NL-F7", {"n_actions": 50_000, "horizon": 10**12}),
    ("NL-T1", {"n_actions": 10_000, "horizon": 10**12}),
    ("NL-T1", {"n_actions": 4_000, "horizon": 10**15, "epsilon": 0.01}),
    ("TR-T36c", {"horizon": 400_000, "n_actions": 10}),
    ("TR-T36c", {"horizon": 20_000, "n_actions": 100, "epsilon": 5}),
    ("TR-T36d", {"horizon": 10**6}),
    ("TR-T36d", {"horizon": 200_000, "n_actions": 100}),
    ("TR-T41r", {"horizon": 2 * 10**6}),
    ("TR-T41r", {"horizon": 400_000, "n_actions": 64}),
    ("BA-C2", {"horizon": 3 * 10**6}),
    ("BA-C2", {"horizon": 300_000, "n_actions": 256}),
    ("BA-C2", {"horizon": 2 * 10**8, "epsilon": 0.01}),
    ("DL-T5", {"n_actions": 32, "n_labels": 1024, "horizon": 10**12}),
    ("DL-T5", {"n_actions": 4, "n_labels": 2**14, "horizon": 10**10}),
    ("DL-R1k", {"n_actions": 128, "n_labels": 1024, "horizon": 10**12}),
    ("DL-R1k", {"n_actions": 8, "n_labels": 2**14, "horizon": 10**12}),
    ("BA-C2", {"horizon": 10**6, "n_actions": 64}),
    ("MM-UP", {"n_actions": 2, "horizon": 7, "epsilon": 0.5}),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "sizes"), SETTINGS)
def test_a_time_is_foretold_within_a_factor_of_two(claim, sizes):
    answer = next(asking.answers(claim, longest=0.3, **sizes))
    runs = 1 if answer.promise.exact else 4
    start = time.process_time()
    answer.promise.play(answer.own, runs, np.random.default_rng(1))
    took = time.process_time() - start
    foretold = answer.seconds or took
    most = 4 if claim == "TR-T36c" else 2
    assert took < 1 or took / 2 <= foretold <= most * took
