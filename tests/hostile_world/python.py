"""Environments of Python: flags, locales; without Numba, as on a new Python, the same numbers; without Dask."""

from tests.hostile_world.frame import Row, World, ends_well

BLOCKED = 'import sys\nsys.modules["numba"] = None\n'
BOUNDS = """
from replicate.papers import bandits, distribution_learning, noisy_leader, prefix_softmax, tracking
from replicate.papers.prefix_softmax import bounds
from replicate import audit, certify, claims, environments, learners, mechanisms
print(bounds.theorem_1(n_actions=3, gap=0.1, epsilon=0.5))
for noise in ("gumbel", "exponential", "laplace"):
    print(noise, audit.report_noisy_max_privacy_loss(3, noise=noise, scale=2.0))
    print(mechanisms.report_noisy_max_pmf([0.0, 0.5, 3.0], noise=noise, scale=1.0).tolist())
"""
PLAYS = """
import numpy as np
from replicate import learners
losses = np.random.default_rng(3).random((60, 4)) * [0.2, 1, 1, 1]
for name, entry in learners.register().items():
    try:
        sizes = {"n_actions": 4, "epsilon": None if entry.privacy == "none" else 1.0, "horizon": 60}
        learner = learners.learner(name, **sizes, n_switches=1, rng=np.random.default_rng(1))
    except ValueError as error:
        print(name, error)
    else:
        print(name, np.round(learners.play(learner, losses).final, 9))
"""
ASKS = """
from replicate.__main__ import main
print(main(["ask", "PS-T1", "--actions", "3", "--gap", "0.2"]))
"""
PLAY = """
raise SystemExit(main(["play", "losses.csv", "--learner", "thompson", "hedge", "--epsilon", "1"]))
"""
CLAIMS = """
from replicate.__main__ import main
raise SystemExit(main(["claims", "PS-L1", "PS-L2"]))
"""
TABLE = "\n".join(f"{i % 2},{i % 3 / 2},0.5" for i in range(30))


def same(world: World, script: str) -> None:
    """A script prints the same, with Numba and without."""
    with_it, without = (world.process(before + script) for before in ("\n", BLOCKED))
    ends_well(Row("Python", "", "", says=r"\d"), without)
    assert without == with_it


ASCII = {"LC_ALL": "C", "LANG": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

ROWS = [
    Row("Python", "without docstrings", "claims --help", says="usage", flags="-OO"),
    Row("Python", "without assertions", "play --list", says="prefix_softmax", flags="-O", long=True),
    Row("Python", "an ASCII locale", "play --list", says="prefix_softmax", env=ASCII, long=True),
    Row("Python", "a mistake is one line", "claims XX-1", says="unknown claim", exit=2),
    Row("Python", "without Numba: bounds, laws, exact audits", lambda w: same(w, BOUNDS), long=True),
    Row("Python", "without Numba: every learner plays", lambda w: same(w, PLAYS), long=True),
    Row("Python", "without Numba: a theorem is asked", lambda w: same(w, ASKS), long=True),
    Row("Python", "without Numba: imports, bounds, exact audits, ask, play", BLOCKED + BOUNDS + ASKS + PLAY,
        says=r"(?s)laplace 1\.0\n.*verdict   holds here.*learner     thompson.*learner     hedge",
        files={"losses.csv": TABLE}),
    Row("Python", "NUMBA_DISABLE_JIT=1: imports, bounds, exact audits, ask, play", BOUNDS + ASKS + PLAY,
        says=r"(?s)laplace 1\.0\n.*verdict   holds here.*learner     thompson.*learner     hedge",
        env={"NUMBA_DISABLE_JIT": "1"}, files={"losses.csv": TABLE}, long=True),
    Row("Python", "without Dask", 'import sys\nsys.modules["distributed"] = None\n' + CLAIMS,
        env={"EXECUTOR": "dask://localhost:1"}, says="needs Dask", exit=2, long=True),
]  # fmt: skip
