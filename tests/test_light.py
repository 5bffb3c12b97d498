"""With NumPy and SciPy alone audit, plugin, learners, mechanisms and bounds work; other parts name their extra."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
INSTALLED = ("numpy", "scipy", "pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py",
             "replicate")  # fmt: skip
ALONE = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        known = sys.stdlib_module_names | set({INSTALLED!r})
        if top not in known and not top.startswith("_"):
            raise ModuleNotFoundError(f"No module named {{top!r}}", name=top)

sys.meta_path.insert(0, Absent())
"""
"""A program so begun finds the standard library, NumPy, SciPy, pytest and this package, and nothing else."""


def alone(program, *words, cwd=ROOT):
    command = [sys.executable, "-c", ALONE + program, *words]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)


LEARNER = """
import numpy as np
from replicate import audit, certify, environments, learners, mechanisms
from replicate.papers import bandits, distribution_learning, noisy_leader, prefix_softmax, tracking

rng = np.random.default_rng(0)
env = environments.Bernoulli([0.4, 0.6])
learner = learners.learner("gumbel", n_actions=2, horizon=50, epsilon=1.0, rng=rng)
print(learners.play(learner, env.losses(0, 50, rng=rng)))
print(prefix_softmax.simulate(env, epsilon=1.0, horizon=1000, replicates=5, rng=rng).final.shape)
print(noisy_leader.bounds.theorem_2, audit.report_noisy_max_privacy_loss(2, noise="laplace", scale=1.0))

from replicate.__main__ import main
for words in (["advise", "--help"], ["claims", "NL-S1"]):
    assert main(words) == 2
try:
    import pandas
except ModuleNotFoundError as error:
    print(error, file=sys.stderr)
from replicate import advice
"""


def test_the_plugin_audits_a_suite(tmp_path):
    """The guide's own test passes; with a fourth of its noise it fails."""
    guide = (ROOT / "examples" / "audit_in_ci.md").read_text(encoding="utf-8")
    code = guide.partition("```python\n")[2].partition("```")[0]
    for name, fault in (("right", ""), ("wrong", "/ 4")):
        text = code.replace("scale=1.0", f"scale=1.0 {fault}")
        (tmp_path / f"test_{name}.py").write_text(text, encoding="utf-8")
    words = ["-q", "-rA", "-p", "replicate.plugin", "-p", "no:cacheprovider", "--privacy-runs=5000"]
    start = f"sys.path.insert(0, {str(ROOT)!r}); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    said = alone(start, *words, cwd=tmp_path).stdout
    assert "PASSED test_right.py" in said, said
    assert "FAILED test_wrong.py" in said
    assert "1 failed, 1 passed" in said


def test_a_learner_plays_and_is_audited_and_commands_and_a_namespace_name_the_extra():
    done = alone(LEARNER)
    assert "(5,)" in done.stdout, done.stderr
    said = done.stderr.splitlines()
    named = (
        "pandas is not installed: pip install 'private-online-learning-workbook[workbook]' "
        "(in a checkout '.[workbook]')"
    )
    assert said[:2] == [f"error: {named}"] * 2
    assert said[2] == "No module named 'pandas'"
    assert said[-1].endswith(named)
