"""`make env` under settings of pip that would send packages elsewhere: a tiny project, an index of one wheel."""

import hashlib
import io
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

from tests.hostile_world.frame import ROOT, Row, World

BACKEND = """
import pathlib, shutil
def build_editable(folder, *_):
    shutil.copy("ours-1-py3-none-any.whl", folder)
    return "ours-1-py3-none-any.whl"
def get_requires_for_build_editable(*_): return []
"""
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "ours"
version = "1"
"""
CONFIG = "[global]\nuser = true\ntarget = HERE/elsewhere\nfind-links = HERE/index\nno-index = true\n"


def wheel(name: str) -> bytes:
    """Return a wheel, version 1, whose one module is empty."""
    packed, info = io.BytesIO(), f"{name}-1.dist-info"
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(f"{name}.py", "")
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return packed.getvalue()


def made(world: World, **settings: str) -> None:
    """Packages come from the index that the user names, and lie in the environment."""
    theirs = wheel("theirs")
    world.lay({
        "index/theirs-1-py3-none-any.whl": theirs, "ours-1-py3-none-any.whl": wheel("ours"),
        "requirements.lock": f"theirs==1 --hash=sha256:{hashlib.sha256(theirs).hexdigest()}\n",
        "backend.py": BACKEND, "pyproject.toml": PROJECT,
        "home/.config/pip/pip.conf": CONFIG.replace("HERE", str(world.folder)),
    })  # fmt: skip
    shutil.copy(ROOT / "Makefile", world.folder)
    (world.folder / "replicate").mkdir()
    shutil.copy(ROOT / "replicate" / "contents.py", world.folder / "replicate")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "MAKE", "XDG_"))}
    given = plain | {"HOME": str(world.folder / "home")}
    given |= {name: value.replace("HERE", str(world.folder)) for name, value in settings.items()}
    done = subprocess.run(["make", "env"], cwd=world.folder, env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    asked = [".venv/bin/python", "-I", "-c", "import ours, theirs; print(ours.__file__, theirs.__file__)"]
    said = subprocess.run(asked, cwd=world.folder, capture_output=True, text=True, check=True).stdout.split()
    assert all(Path(place).is_relative_to(world.folder / ".venv") for place in said), said
    assert not (world.folder / "elsewhere").exists()
    assert not (world.folder / "home" / ".local").exists()


ROWS = [
    Row("settings", "PIP_USER and a pip.conf", lambda w: made(w, PIP_USER="1"), long=True),
    Row("settings", "PIP_TARGET", lambda w: made(w, PIP_USER="0", PIP_TARGET="HERE/elsewhere"), long=True),
]
