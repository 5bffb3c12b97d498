"""Every default of the package, as the sources have it, and the list of them that was read and accepted.

``python -m tests.defaults`` prints what has changed since; with ``--accept`` it renews the list.
"""

import ast
import difflib
import sys
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "replicate"
ACCEPTED = Path(__file__).parent / "defaults.txt"


def defaults(tree):
    """Yield (owner, name, value) of the arguments of every function and the fields of every class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            placed = [*node.args.posonlyargs, *node.args.args]
            pairs = [
                *zip(placed[len(placed) - len(node.args.defaults) :], node.args.defaults, strict=True),
                *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
            ]
            yield from ((node.name, a.arg, ast.unparse(value)) for a, value in pairs if value is not None)
        elif isinstance(node, ast.ClassDef):
            fields = (part for part in node.body if isinstance(part, ast.AnnAssign) and part.value is not None)
            yield from ((node.name, ast.unparse(part.target), ast.unparse(part.value)) for part in fields)


@cache
def found():
    """Return (file, owner, name, value) of every default."""
    return [
        (path.relative_to(PACKAGE).as_posix(), *default)
        for path in sorted(PACKAGE.rglob("*.py"))
        for default in defaults(ast.parse(path.read_text(encoding="utf-8")))
    ]


def lines():
    """Return one line a default."""
    return ["{} {} {} = {}".format(*default) for default in found()]


def changes():
    """Return the lines that differ from those accepted, marked + and -."""
    accepted = ACCEPTED.read_text(encoding="utf-8").splitlines()
    marked = difflib.unified_diff(accepted, lines(), lineterm="", n=0)
    return [line for line in marked if not line.startswith(("---", "+++", "@@"))]


if __name__ == "__main__":
    if "--accept" in sys.argv:
        ACCEPTED.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    else:
        print(*changes(), sep="\n")
