"""The lock admits every supported Python, agrees with pyproject.toml, and names no index."""

import re
import shutil
import subprocess
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import replicate

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]
LOCK = (ROOT / "requirements.lock").read_text()
PINS = re.findall(r"^([\w.\-\[\]]+)==([\w.+!]+)(?: ; (.*?))? \\$", LOCK, flags=re.MULTILINE)


def pinned(python: str) -> dict[str, str]:
    """Return the lock's pins for one version of Python on Linux."""
    environment = {"python_version": python, "python_full_version": f"{python}.5", "sys_platform": "linux"}
    return {
        canonicalize_name(name): version
        for name, version, marker in PINS
        if not marker or Marker(marker).evaluate(environment)
    }


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_the_lock_satisfies_every_declared_range(python):
    pins = pinned(python)
    declared = [*PROJECT["dependencies"], *chain.from_iterable(PROJECT["optional-dependencies"].values())]
    for requirement in map(Requirement, declared):
        version = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True), (requirement, version)


def test_every_python_gets_the_same_version_of_what_it_gets():
    numbers = [(canonicalize_name(name), version) for name, version, _ in PINS]
    assert len(dict(numbers)) == len(set(numbers))


def test_every_pin_has_hashes_and_no_address():
    entries = re.split(r"^(?=\S)", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) == len(PINS) > 100
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in LOCK
    assert "--index" not in LOCK


def test_a_wheel_has_every_file_that_is_no_module():
    root = ROOT / "replicate"
    packed = SETTINGS["tool"]["setuptools"]["package-data"]["replicate"]
    data = {p for p in root.rglob("*") if p.is_file() and p.suffix != ".py" and "__pycache__" not in p.parts}
    left_out = data - {path for pattern in packed for path in root.glob(pattern)}
    assert not left_out, f"name them in package-data of pyproject.toml: {sorted(map(str, left_out))}"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not installed")
def test_the_lines_for_users_of_uv_build_an_environment_that_make_takes(tmp_path):
    lines = re.findall(r"^uv .*", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE)
    assert len(lines) == 2
    for name in ("pyproject.toml", "requirements.lock", "README.md", "LICENSE", "Makefile"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("replicate", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for line in (*lines, 'test -z "$(make -n env | grep pip)"', ".venv/bin/python -m replicate play --list"):
        subprocess.run(line, shell=True, cwd=tmp_path, check=True)


def test_python_versions_are_said_alike():
    versions = re.findall(r":: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert f"Python {versions[0]} to {versions[-1]}" in (ROOT / "README.md").read_text()


def test_the_distribution_is_not_named_like_another_package():
    assert PROJECT["name"] != "replicate"
    assert PROJECT["version"] == replicate.__version__
    assert f"version: {replicate.__version__}" in (ROOT / "CITATION.cff").read_text()


def test_tracked_files_name_no_machine_path_and_no_registry():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    machine = re.compile(r"(?<![\w.])/(?:home|root|Users|work)/\w|(?:pypi|files\.pythonhosted)\.org")
    texts = {".py", ".md", ".toml", ".ipynb", ".json", ".csv", ".yml", ".lock", ".cff", ""}
    for path in map(ROOT.joinpath, listed.stdout.splitlines()):
        if path.suffix in texts and path != Path(__file__):
            named = machine.search(path.read_text(encoding="utf-8"))
            assert not named, (path, named)
