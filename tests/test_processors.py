"""Part of `tests.processors` for every run of the tests: cheap claims as an old processor has them."""

import json
import subprocess
import sys

import pytest

from replicate.commands import claims as spread
from replicate.files import project_root
from tests import processors

NAMES = [
    "PS-E4", "PS-E5g", "NL-SLIP-1", "NL-SLIP-2", "NL-MS", "TR-L22", "TR-L23", "BA-SLIP-3", "DL-SLIP-2",
]  # fmt: skip
"""Sampled ones and exact ones, of four papers."""
SCRIPT = """
import json, sys
from replicate.commands import claims as spread
print(json.dumps([checked.record for checked in spread.check(sys.argv[1:], "quick", 2026)]))
"""


@pytest.fixture
def kernels():
    """Folder of an old processor's compiled code, which `tests.processors` has use for too."""
    return project_root() / "build" / "processors" / "old" / "kernels"


@pytest.mark.long
def test_claims_are_the_same_on_an_old_processor(kernels):
    surroundings = processors.environment("old", kernels)
    command = [sys.executable, "-c", SCRIPT, *NAMES]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True, timeout=600)
    here = [checked.record for checked in spread.check(NAMES, "quick", 2026)]
    assert json.loads(done.stdout) == json.loads(json.dumps(here))
    other = [checked.record for checked in spread.check(["NL-MS"], "quick", 2027)]
    assert other != here[4:5], "another seed gives other numbers"
