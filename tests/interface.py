"""Every default of the package and every range that it checks, and the list of them that was read and accepted.

``python -m tests.interface`` prints what has changed since; with ``--accept`` it renews the list.
"""

import ast
import difflib
import sys
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "replicate"
ACCEPTED = Path(__file__).parent / "interface.txt"


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


def ranges(tree):
    """Yield (function, what it checks of an argument): calls of ``validation``, the argument's value left out."""
    for owner in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for node in ast.walk(owner):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("validation."):
                named = [f"{word.arg}={ast.unparse(word.value)}" for word in node.keywords]
                parts = [*map(ast.unparse, [*node.args[:1], *node.args[2:]]), *named]
                yield owner.name, f"{node.func.attr}({', '.join(parts)})"


@cache
def trees():
    """Return every module's tree by its place."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    return {place: ast.parse(path.read_text(encoding="utf-8")) for place, path in paths.items()}


def found():
    """Return (file, owner, name, value) of every default."""
    return [(place, *default) for place, tree in trees().items() for default in defaults(tree)]


def lines():
    """Return one line a default and one a range."""
    checked = [(place, *checked) for place, tree in trees().items() for checked in ranges(tree)]
    return ["{} {} {} = {}".format(*default) for default in found()] + ["{} {}: {}".format(*c) for c in checked]


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
