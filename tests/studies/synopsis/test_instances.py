"""Instances of the synopsis: traps and phases."""

import numpy as np

from replicate.studies.synopsis import instances
from replicate.streams import stream


def test_clock_trap_turns_with_every_block():
    rows = instances.clock_trap(3, 127).losses(0, 127, rng=stream(6, "t"))
    best = rows.argmin(axis=1)
    block = np.floor(np.log2(np.arange(1, 128))).astype(int)
    assert (best == block % 2).all()
    assert (np.sort(rows, axis=1) == [0, 1, 1]).all()


def test_restart_trap_is_a_fixed_table_that_begins_anew():
    horizon = 2**15 - 1
    trap = instances.restart_trap(2, horizon, epsilon=1.0).rows
    plain = instances.clock_trap(2, horizon).losses(0, horizon, rng=stream(7, "u"))
    differs = np.flatnonzero((trap != plain).any(axis=1))
    assert trap.shape == plain.shape
    assert len(differs)
    again = trap[differs[0] - 1 :]
    begun = next(k for k in range(200) if (again[k : k + 4000] == plain[:4000]).all())
    assert begun < 200


def test_every_phase_has_a_new_good_action():
    env = instances.shifting(3, 0.5, n_switches=3, horizon=1000)
    assert [phase.means.argmin() for phase in env.environments] == [0, 1, 2, 0]
    assert env.starts.tolist() == [0, 250, 500, 750]
    assert instances.good_arm(3, 0.5, best=2).means.tolist() == [0.75, 0.75, 0.25]
