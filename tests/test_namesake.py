"""Another project has the same import name: where both are installed, the first import says so."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def imported(*folders):
    """Return the words of the first import on standard error, with these folders on the path."""
    script = f"import sys; sys.path += {[str(folder) for folder in folders]}; import replicate"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stderr


def test_a_namesake_is_named_in_one_sentence(tmp_path):
    (tmp_path / "replicate-1.0.7.dist-info").mkdir()
    said = imported(tmp_path)
    assert "UserWarning: another project that is imported as replicate, replicate-1.0.7, is installed in" in said
    assert "an environment of its own" in said
    assert said.count("Warning") == 1


def test_other_distributions_are_no_namesakes(tmp_path):
    for name in ("replicates-1.0.dist-info", "private_online_learning_workbook-0.1.0.dist-info", "replicate"):
        (tmp_path / name).mkdir()
    assert imported(tmp_path, tmp_path / "gone") == ""
