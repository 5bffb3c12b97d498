"""What is changed on purpose only, and the list of it that was read and accepted.

Every default of the package, every range that it checks, every limit that a check holds its number against, and
whether it takes the largest or the smallest of several.

``python -m tests.interface`` prints what has changed since; with ``--accept`` it renews the list.
"""

import ast
import difflib
import sys
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "replicate"
WORST = {f"{kind}{end}" for end in ("min", "max") for kind in ("", "arg", "nan")} | {"minimum", "maximum"}
"""Calls that take the worst case of a check, with `Evidence.worst` and `Evidence.best`."""
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
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _root(node) == "validation":
                named = [f"{word.arg}={ast.unparse(word.value)}" for word in node.keywords]
                parts = [*map(ast.unparse, [*node.args[:1], *node.args[2:]]), *named]
                yield owner.name, f"{node.func.attr}({', '.join(parts)})"


def limits(tree):
    """Yield (function, what its number must respect): relation and limit, and what the names in it stand for.

    Where the number is a quotient, the divisor is a part of the limit.
    """
    for owner in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        given = dict(pair for node in ast.walk(owner) if isinstance(node, ast.Assign) for pair in _assigned(node))
        for node in ast.walk(owner):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Evidence":
                words = {word.arg: word.value for word in node.keywords}
                relation = ast.unparse(words.get("relation", ast.Constant("<=")))
                divisors = [part.right for part in ast.walk(words["measured"]) if _divides(part)]
                limit = ast.Tuple([words["limit"], *divisors])
                names = dict.fromkeys(part.id for part in ast.walk(limit) if isinstance(part, ast.Name))
                made = "".join(f"; {name} = {given[name]}" for name in names if name in given)
                yield owner.name, f"{relation} {' / '.join(map(ast.unparse, limit.elts))}{made}"


def worst_cases(tree):
    """Yield (function, the largest and smallest that it takes, in their order)."""
    for owner in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        calls = (node.func for node in ast.walk(owner) if isinstance(node, ast.Call))
        names = [getattr(call, "attr", getattr(call, "id", "")) for call in calls]
        taken = [name for name in names if name in WORST | {"worst", "best"}]
        if taken:
            yield owner.name, f"takes {', '.join(taken)}"


def _root(node):
    """Name that a chain of attributes and calls begins with."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return getattr(node, "id", "")


def _divides(node):
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def _assigned(node):
    """Yield (name, value) of an assignment, of each name and value where both are listed."""
    for target in node.targets:
        listed = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
        pairs = zip(target.elts, node.value.elts, strict=False) if listed else [(target, node.value)]
        yield from ((name.id, ast.unparse(value)) for name, value in pairs if isinstance(name, ast.Name))


@cache
def trees():
    """Return every module's tree by its place."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    return {place: ast.parse(path.read_text(encoding="utf-8")) for place, path in paths.items()}


@cache
def found():
    """Return (file, owner, name, value) of every default."""
    return [(place, *default) for place, tree in trees().items() for default in defaults(tree)]


def lines():
    """Return one line a default, one a range, one a limit and one a function that takes a worst case."""
    checks = {place: tree for place, tree in trees().items() if "/checks/" in place}
    checked, held, taken = (
        ["{} {}: {}".format(place, *line) for place, tree in modules.items() for line in read(tree)]
        for read, modules in ((ranges, trees()), (limits, trees()), (worst_cases, checks))
    )
    return ["{} {} {} = {}".format(*default) for default in found()] + checked + held + taken


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
