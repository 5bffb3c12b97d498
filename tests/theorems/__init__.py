"""The pages of examples/theorems: their style, each run alone, and the package held against each of them."""

import importlib.util
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "examples" / "theorems"


@cache
def page(name):
    """Return a page as a module, by its file's name without the ending."""
    spec = importlib.util.spec_from_file_location(f"theorem_pages.{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
