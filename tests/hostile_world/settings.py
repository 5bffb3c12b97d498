"""Settings that a user has at home, of matplotlib, IPython, Jupyter and Python, change no result."""

import json
import sys

import nbformat

from tests.hostile_world.frame import Row, World, ends_well
from tests.hostile_world.machine import MARK, notebook

STYLE = "text.usetex: True\nfont.size: 30\nlines.linewidth: 9\nfigure.facecolor: red\nsavefig.bbox: tight\n"
DRAWS = """
import os
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt, pandas as pd
from replicate.workbook import figures
from replicate.workbook.notebook import Notebook
with figures.style():
    figure, ax = plt.subplots()
    ax.plot([1, 2], [1, 4], label="a")
    ax.legend()
    figures.title(ax, "Finding", "setting")
notebook = Notebook("prefix_softmax", profile="quick", seed=1, output="build/out")
notebook.figure("one", figure, pd.DataFrame({"a": [1]}))
"""
SAYS = """
import sys, os, matplotlib, IPython
print("secret" in dir(), sys.flags.optimize, sys.executable, matplotlib.rcParams["font.size"])
print(matplotlib.get_backend().rpartition(".")[2], os.environ.get("FOREIGN"), sys.stdout.encoding)
"""
FOREIGN = {"argv": ["/bin/false", "{connection_file}"], "display_name": "Python 3", "language": "python"}


def drawn(world: World) -> None:
    """A figure is the same file, whatever matplotlibrc there is."""
    picture = world.folder / "build/out/figures/prefix_softmax/one.png"
    pictures = []
    for env in ({}, {"MATPLOTLIBRC": "rc"}):
        world.lay({"rc": STYLE, "pyproject.toml": ""})
        ends_well(Row("settings", "", ""), world.process(DRAWS, env={"SOURCE_DATE_EPOCH": "0", **env}))
        pictures.append(picture.read_bytes())
        picture.unlink()
    assert pictures[0] == pictures[1]


HOME = {
    "home/.ipython/profile_default/startup/00.py": "secret = 1",
    "home/.ipython/profile_default/ipython_config.py": "raise SystemExit",
    "home/.ipython/profile_default/ipython_kernel_config.py": "raise SystemExit",
    "home/.config/matplotlib/matplotlibrc": STYLE,
    "jupyter/kernels/python3/kernel.json": json.dumps(FOREIGN),
    "startup.py": "secret = 1",
    "path/papermill_secret.py": "",
    "path/sitecustomize.py": "import os; os.environ['FOREIGN'] = '1'",
}


def kernel(world: World, **env: str) -> None:
    """A kernel is the environment's own, with none of the user's settings."""
    source = notebook(world, SAYS, MARK)
    world.lay(HOME)
    folder = str(world.folder)
    given = {name: value.replace("HERE", folder) for name, value in env.items()}
    ends_well(Row("settings", "", ""), world.process(f"run {source}", env=given))
    book = nbformat.read(world.folder / "build/quick/toy.ipynb", as_version=4)
    said = book.cells[-2].outputs[0].text.replace(sys.prefix, ".venv")
    assert said.split() == ["False", "0", f".venv{sys.executable.removeprefix(sys.prefix)}", "10.0",
                            "backend_inline", "None", "UTF-8"], said  # fmt: skip


EVERYTHING = {
    "HOME": "HERE/home", "IPYTHONDIR": "HERE/home/.ipython", "MPLCONFIGDIR": "HERE/home/.config/matplotlib",
    "MPLBACKEND": "agg", "JUPYTER_PATH": "HERE/jupyter", "PYTHONSTARTUP": "HERE/startup.py",
    "PYTHONOPTIMIZE": "2", "LC_ALL": "C", "PYTHONUTF8": "0",
}  # fmt: skip

ROWS = [
    Row("settings", "a matplotlibrc", drawn, long=True),
    Row("settings", "everything that a user may have", lambda w: kernel(w, **EVERYTHING)),
    *(
        Row("settings", name, lambda w, name=name: kernel(w, **{name: EVERYTHING[name]}), long=True)
        for name in EVERYTHING
    ),
]
