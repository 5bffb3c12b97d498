"""What an answer leaves unmeasured would take long: at twenty settings."""

import time

import numpy as np
import pytest

from replicate.claims import asking

SETTINGS = [
    ("PS-T1", {"n_actions": 400_000, "horizon": 10**12}),
    ("PS-T1", {"n_actions": 200_000, "horizon": 10**15, "epsilon": 20}),
    ("NL-F7", {"n_actions": 200_000, "horizon": 10**12}),
    ("NL-T1", {"n_actions": 10_000, "horizon": 10**12}),
    ("NL-T1", {"n_actions": 4_000, "horizon": 10**15, "epsilon": 0.01}),
    ("TR-T36c", {"horizon": 10**6, "n_actions": 10}),
    ("TR-T36c", {"horizon": 20_000, "n_actions": 100, "epsilon": 5}),
    ("TR-T36d", {"horizon": 2 * 10**6}),
    ("TR-T36d", {"horizon": 200_000, "n_actions": 100}),
    ("TR-T41r", {"horizon": 2 * 10**6}),
    ("TR-T41r", {"horizon": 400_000, "n_actions": 64}),
    ("BA-C2", {"horizon": 10**7}),
    ("BA-C2", {"horizon": 10**6, "n_actions": 256}),
    ("BA-C2", {"horizon": 5 * 10**8, "epsilon": 0.01}),
    ("DL-T5", {"n_actions": 32, "n_labels": 4096, "horizon": 10**12}),
    ("DL-T5", {"n_actions": 4, "n_labels": 2**15, "horizon": 10**10}),
    ("DL-R1k", {"n_actions": 128, "n_labels": 1024, "horizon": 10**12}),
    ("DL-R1k", {"n_actions": 8, "n_labels": 2**14, "horizon": 10**12}),
    ("BA-C2", {"horizon": 10**6, "n_actions": 64}),
    ("MM-UP", {"n_actions": 2, "horizon": 7, "epsilon": 0.5}),
]


@pytest.mark.long
@pytest.mark.parametrize(("claim", "sizes"), SETTINGS)
def test_what_is_not_measured_takes_long(claim, sizes):
    """A tenth of what an answer may take, at least."""
    answer = next(asking.answers(claim, **sizes))
    if answer.seconds:
        start = time.process_time()
        answer.promise.play(answer.own, 1 if answer.promise.exact else 4, np.random.default_rng(1))
        assert time.process_time() - start > asking.LONGEST / 10
