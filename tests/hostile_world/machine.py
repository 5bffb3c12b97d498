"""Machines: folders that cannot be written, homes that are not there, full disks, torn and cold caches, kills."""

import ctypes
import json
import resource
import shutil
import signal
from pathlib import Path

import nbformat

from tests.hostile_world.frame import ROOT, Row, World, ends_well

TOY = """
from replicate.compiled import compiled

@compiled()
def halved(x):
    return x / 2
"""
KERNEL = """
from toy import halved
print(halved(3.0))
"""
"""A number that a compiled kernel computes."""
AGAIN = r"compiled code in \S+ cannot be used and is compiled anew: "


def humble() -> None:
    """Take from a process, which may be root's, the right to pass over the modes of files."""
    for right in (1, 2, 3):  # to override reading and writing, to read and search, to act for an owner
        ctypes.CDLL(None).prctl(24, right, 0, 0, 0)


UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1"}
"""For a full disk: Python 3.11 keeps a module's bytecode that was cut short, and imports it no more."""


def little_disk() -> None:
    """Let no file become longer than a full disk would."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))


def sealed(world: World) -> Path:
    """A copy of the package that cannot be written."""
    package = world.folder / "package"
    shutil.copytree(ROOT / "replicate", package / "replicate", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (*package.rglob("*"), package):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return package


def read_only(world: World, *, home: str | None, tmp: bool = True) -> None:
    (world.folder / "tmp").mkdir()
    chosen = None if tmp else "/proc/nowhere"
    world.lay({"toy.py": TOY})
    env = {"HOME": home, "TMPDIR": str(world.folder / "tmp"), "NUMBA_CACHE_DIR": chosen}
    ended = world.process(KERNEL, env=env, package=sealed(world), preexec_fn=humble)
    assert ended.exit == 0
    assert len(ended.err.splitlines()) == (0 if tmp else 1), ended.err
    assert bool(list((world.folder / "tmp").rglob("*.nbc"))) == tmp


def torn(world: World, *, kind: str = "*.nbc", how: str = "cut") -> None:
    """A kernel's files are cut, emptied, or no longer readable: a line says so, and the answer is the same."""
    world.lay({"toy.py": TOY})
    env = {"NUMBA_CACHE_DIR": str(world.folder / "cache")}
    before = world.process(KERNEL, env=env)
    files = list((world.folder / "cache").rglob(kind))
    assert files
    for path in files:
        if how == "closed":
            path.chmod(0o000)
        else:
            path.write_bytes(path.read_bytes()[: {"cut": path.stat().st_size // 2, "emptied": 0}[how]])
    ends_well(Row("cache", "", "", says=AGAIN), again := world.process(KERNEL, env=env, preexec_fn=humble))
    assert again.out == before.out
    assert len(again.err.splitlines()) == 1
    assert world.process(KERNEL, env=env) == before


def cold(world: World) -> None:
    """Two processes that compile the same at once say the same."""
    world.lay({"toy.py": TOY})
    env = {"NUMBA_CACHE_DIR": str(world.folder / "cache")}
    both = [world.start(KERNEL, env=env) for _ in range(2)]
    said = [process.communicate(timeout=100) for process in both]
    assert said[0] == said[1]
    assert said[0][0]


def disk_is_full(world: World) -> None:
    """A file that lay there stays whole, and one line says what is wrong."""
    world.lay({"out.json": "old"})
    ended = world.process("claims PS-L2 --json out.json", env=UNCOMPILED, preexec_fn=little_disk)
    ends_well(Row("machine", "", "", says="error: .*[Ff]ile too large", exit=2), ended)
    assert (world.folder / "out.json").read_text() == "old"
    assert [path.name for path in world.folder.iterdir()] == ["out.json"]


def disk_is_full_in_a_run(world: World) -> None:
    """The executed copy of an earlier run stays whole, without a marker."""
    source = notebook(world, "print('x' * 1000)", MARK)
    copy = world.folder / "build/quick/toy.ipynb"
    ends_well(Row("machine", "", ""), world.process(f"run {source}"))
    before = copy.read_bytes()
    ended = world.process(f"run {source}", env=UNCOMPILED, preexec_fn=little_disk)
    assert ended.exit == 2
    assert "Traceback" not in ended.err
    assert copy.read_bytes() == before
    assert not copy.with_suffix(".json").exists()


MARK = """import os
from pathlib import Path
Path(os.environ["REPLICATE_MARKER"]).write_text("{}")"""
"""The last cell of a notebook."""


def notebook(world: World, *cells: str) -> Path:
    """A project with a notebook."""
    book = nbformat.v4.new_notebook()
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    first = nbformat.v4.new_code_cell('PROFILE = "quick"\nSEED = 3\nOUTPUT = "build/quick"')
    first.metadata.tags = ["parameters"]
    book.cells = [first, *map(nbformat.v4.new_code_cell, cells)]
    path = world.folder / "notebooks" / "toy.ipynb"
    path.parent.mkdir()
    (world.folder / "pyproject.toml").touch()
    nbformat.write(book, path)
    return path


def killed_at_the_end(world: World) -> None:
    """The runner is killed when the last cell has run: there is no marker, and the next run has both files.

    What the killed one wrote beside them stays hidden: another run might be writing it.
    """
    source = notebook(world, MARK + "\nimport signal\nif not Path('again').exists(): os.kill(os.getppid(), 9)")
    assert world.process(f"run {source}").exit == -signal.SIGKILL
    build = world.folder / "build/quick"
    assert not (build / "toy.json").exists()
    (world.folder / "again").touch()
    ends_well(Row("interruption", "", ""), world.process(f"run {source}"))
    assert sorted(path.name for path in build.glob("[!.]*")) == ["toy.ipynb", "toy.json"]


NEW = "new paper toy --prefix TY --title Toy --authors Toy --year 2026 --version 1 --text replicate/contents.py"


def finished(world: World) -> None:
    """`Notebook.finish` leaves its mark where the runner says, which makes it the marker beside the copy."""
    source = notebook(
        world,
        "from replicate.workbook.notebook import Notebook\nfrom pathlib import Path\nimport os",
        'toy = Notebook("toy", profile=PROFILE, seed=SEED, output=OUTPUT)\ntoy.verify("TY-T1")\ntoy.finish()',
        'print(*(path.resolve() for path in Path(OUTPUT).glob("*.json*")), os.environ["REPLICATE_MARKER"])',
    )
    shutil.copytree(ROOT / "replicate", world.folder / "replicate", ignore=shutil.ignore_patterns("__pycache__"))
    (world.folder / "tests").mkdir()
    for needed in ("CITATION.cff", "tests/test_listings.py"):
        shutil.copy(ROOT / needed, world.folder / needed)
    how = {"package": world.folder, "env": {"NUMBA_CACHE_DIR": str(world.folder / "cache")}}
    ends_well(Row("order of calls", "", ""), world.process(NEW, **how))
    ends_well(Row("order of calls", "", ""), world.process(f"run {source}", **how))
    copy = nbformat.read(world.folder / "build/quick/toy.ipynb", as_version=4)
    left, told = copy.cells[-1].outputs[0].text.split()
    assert Path(left).name == Path(told).name == ".toy.json.pending"
    assert json.loads((world.folder / "build/quick/toy.json").read_text())["paper"] == "toy"


def own_source(world: World, *, output: str) -> None:
    source = notebook(world, MARK)
    before = source.read_bytes()
    ended = world.process(f"run {source} -p OUTPUT {output}")
    ends_well(Row("file", "", "", says="OUTPUT must be a folder of its own in build/", exit=2), ended)
    assert source.read_bytes() == before


PICTURE = "iVBORw0KGgo//8/4n/0+/home/=="
SHOWS = f"""
import os, sys
from IPython.display import HTML, display
home = os.path.expanduser("~")
print(home, home + "/data", "a/b image/png", os.getcwd(), sys.prefix, home + "land/x", "/x" + home)
display({{"text/plain": "a/b", "image/png": "{PICTURE}"}}, raw=True)
display(HTML("<img src='data:image/png;base64,{PICTURE}'>"))
"""


def scrubbed(world: World, *, home: str | None, says: str) -> None:
    """Machine paths leave what cells printed; sources and pictures stay."""
    before = nbformat.read(source := notebook(world, SHOWS, MARK), as_version=4)
    ends_well(Row("machine", "", ""), world.process(f"run {source}", env={"HOME": home}))
    after = nbformat.read(world.folder / "build/quick/toy.ipynb", as_version=4)
    assert after.cells[-2].source == before.cells[-2].source
    printed, picture, page = after.cells[-2].outputs
    assert printed.text.strip() == says
    assert picture.data == {"text/plain": "a/b", "image/png": PICTURE}
    assert PICTURE in page.data["text/html"]


SLASH = "/ //data a/b image/png . .venv /land/x /x/"


def at(world: World) -> str:
    home = f"{world.folder}x"
    return f"~ ~/data a/b image/png . .venv {home}land/x /x{home}"


ROWS = [
    Row("machine", "package is read-only, no home", lambda w: read_only(w, home="/proc/nowhere"), long=True),
    Row("machine", "nothing can be written", lambda w: read_only(w, home="/proc/nowhere", tmp=False), long=True),
    Row("machine", "disk is full", disk_is_full),
    Row("machine", "disk is full while a notebook runs", disk_is_full_in_a_run, long=True),
    Row("machine", "HOME is /", lambda w: scrubbed(w, home="/", says=SLASH)),
    Row("machine", "HOME is a folder", lambda w: scrubbed(w, home=f"{w.folder}x", says=at(w)), long=True),
    Row("cache", "compiled code is cut", torn),
    Row("cache", "compiled code is empty", lambda w: torn(w, how="emptied"), long=True),
    Row("cache", "index of compiled code is cut", lambda w: torn(w, kind="*.nbi"), long=True),
    Row("cache", "index of compiled code is empty", lambda w: torn(w, kind="*.nbi", how="emptied"), long=True),
    Row("cache", "compiled code of another user", lambda w: torn(w, kind="*.nbi", how="closed"), long=True),
    Row("cache", "two processes on cold caches", cold, long=True),
    Row("interruption", "kill -9 between the last cell and the copy", killed_at_the_end, long=True),
    Row("order of calls", "a notebook's last cell comes before its copy", finished, long=True),
    Row("file", "a run over its own source", lambda w: own_source(w, output="notebooks")),
    Row("file", "a run over its own source, the long way",
        lambda w: own_source(w, output="build/../notebooks/."), long=True),
]  # fmt: skip
