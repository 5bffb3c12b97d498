"""Compiled code gives the same numbers on every processor: no sum is reordered to fit the width of its vectors."""

import os
import subprocess
import sys
from pathlib import Path

import replicate

PLAYS = """
import hashlib
import numpy as np
from replicate.papers.bandits.algorithms import kernels
from replicate.papers.tracking.algorithms import meta_experts
from replicate.papers.tracking.algorithms.dartboard import Dartboard

digest, cost = hashlib.sha256(), np.linspace(0.3, 0.7, 32)[None]
state, arms = kernels.fresh_state(kernels.HTINF, 32), np.zeros(3000, dtype=np.int16)
setting, rng = np.array([1.5, 1e9, 0.0]), np.random.default_rng(1)
regret = kernels.play_htinf(state, setting, cost, cost, 1, 2.0, arms, rng)
digest.update(state.tobytes() + arms.tobytes() + np.float64(regret).tobytes())
learner = meta_experts.MetaExperts(
    32, n_switches=3, horizon=600, dartboard=Dartboard(learning_rate=0.3, redraw=0.2), rng=rng
)
for row in np.random.default_rng(2).random((400, 32)):
    learner.observe(row)
digest.update(learner.weights.tobytes())
print(digest.hexdigest())
"""


def test_no_kernel_lets_the_compiler_reorder_arithmetic():
    files = list(Path(replicate.__file__).parent.rglob("*.py"))
    assert len(files) > 50
    assert [str(file) for file in files if "fastmath" in file.read_text()] == []


def test_plays_do_not_depend_on_the_width_of_vectors(tmp_path):
    def digest(name):
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / name)}
        if name == "generic":
            environment["NUMBA_CPU_NAME"] = name
        path = os.pathsep.join([str(Path(replicate.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        command = [sys.executable, "-c", PLAYS]
        run = subprocess.run(
            command,
            env=environment | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        return run.stdout

    assert digest("generic") == digest("host")
