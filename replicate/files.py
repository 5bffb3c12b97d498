"""Files that are either whole or absent; which source files a module's results depend on."""

from __future__ import annotations

import hashlib
import re
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile

from replicate.profiles import PROFILES

_PACKAGE = __name__.partition(".")[0]
_IMPORTED = rf"from[ \t]+({_PACKAGE}[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]*)|import[ \t]+([^\n#;]*)"
_IMPORT = re.compile(rf"^[ \t]*(?:{_IMPORTED})".encode(), re.MULTILINE)
_FOR_TYPES = re.compile(rb"^if TYPE_CHECKING:\n(?:[ \t].*\n|\n)+", re.MULTILINE)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on success it takes the place of `path` in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{secrets.token_hex(8)}{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write(path: Path, text: str) -> None:
    """Write a text in one step."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def writable(path: Path) -> None:
    """Raise OSError if no file can be written here, before the work whose result it is to hold."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it")
    path.parent.mkdir(parents=True, exist_ok=True)
    TemporaryFile(dir=path.parent).close()


def project_root(start: Path | None = None) -> Path:
    """Return the closest folder at or above `start` (default: the working directory) with a pyproject.toml."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "pyproject.toml").exists():
            return folder
    return here


def other_versions() -> str:
    """Name the libraries that draw or compute numbers and are not in the lock's version; empty if all are.

    Examples
    --------
    ``"numpy 2.5.5 (requirements.lock: 2.4.6)"``. Outside a checkout there is no lock, and the answer is empty.
    """
    lock = project_root() / "requirements.lock"
    pins = re.findall(r"^(numpy|scipy|numba)==(\S+)", lock.read_text("utf-8"), re.M) if lock.exists() else ()
    return ", ".join(f"{name} {version(name)} (requirements.lock: {p})" for name, p in pins if version(name) != p)


def scratch(root: Path, output: str) -> bool:
    """Tell if a run may write into this folder whatever its parameters: in build/, not one of the build's own."""
    place, build = (root / output).resolve(), (root / "build").resolve()
    return place.is_relative_to(build) and place not in (build, *(build / profile for profile in PROFILES))


def marker(root: Path, output: str, profile: str, paper: str) -> Path:
    """Return the file that says a paper's notebook ran to its end.

    It lies in the folder of that run, `output`; for ``"."``, the committed figures, in ``build/<profile>``.
    """
    here = (root / output).resolve() == root.resolve()
    return (root / "build" / profile if here else root / output) / f"{paper}.json"


PENDING = "REPLICATE_MARKER"
"""Names, in the environment of a notebook's kernel, the file that its last cell writes instead of the marker."""


def pending(done: Path) -> Path:
    """Return the file that becomes the marker once the executed copy lies beside it."""
    return done.with_name(f".{done.name}.pending")


def reached(module: str, implied: Mapping[str, Sequence[str]] | None = None) -> dict[str, bytes]:
    """Return the text of a loaded module and of every module of this package that it reaches by imports.

    Parameters
    ----------
    module
        Full name; a script's is ``"__main__"``.
    implied
        Modules that an import of the one named stands for too, unless it stands in the module's own package.

    Returns
    -------
    Names to texts; modules without a source file are left out.
    """
    texts: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = source(name)
        if name in texts or path is None:
            continue
        texts[name] = path.read_bytes()
        imported = imports(texts[name])
        waiting.extend(imported)
        for asked, further in (implied or {}).items():
            if asked in imported and name != asked.rpartition(".")[0]:
                waiting.extend(further)
    return texts


def digest(texts: Mapping[str, bytes]) -> str:
    """Return a hash of names and texts."""
    hashed = hashlib.sha256()
    for name, text in sorted(texts.items()):
        hashed.update(name.encode() + b"\0" + text + b"\0")
    return hashed.hexdigest()


def source(module: str) -> Path | None:
    """Return the source file of a module of this package or of one that is loaded, None where there is none."""
    if module.partition(".")[0] == _PACKAGE:
        return _own(module)
    loaded = getattr(sys.modules.get(module), "__file__", None) or ""
    return Path(loaded) if loaded.endswith(".py") else None


@cache
def _own(module: str) -> Path | None:
    path = Path(__file__).parent.joinpath(*module.split(".")[1:])
    places = (path.with_name(f"{path.name}.py"), path / "__init__.py")
    return next((place for place in places if place.is_file()), None)


@cache
def imports(text: bytes) -> frozenset[str]:
    """Return the modules of this package that a text imports; ``from a import b`` may mean module a.b.

    Statements are found by their first words, which takes a tenth of the time of parsing; a line of a string that
    looks like one adds a name. What is imported for types alone does not run.
    """
    modules = set()
    for parent, members, listed in _IMPORT.findall(_FOR_TYPES.sub(b"", text)):
        parts = re.sub(rb"#[^\n]*|[()]", b" ", members or listed).split(b",")  # each with its ``as``
        names = [part.split()[0].decode() for part in parts if part.strip()]
        modules |= {parent.decode(), *(f"{parent.decode()}.{name}" for name in names)} if parent else {*names}
    return frozenset(name for name in modules if name.partition(".")[0] == _PACKAGE)
