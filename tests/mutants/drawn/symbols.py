"""Which top-level function, method or name owns each line of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def symbols(text: str) -> dict[int, str]:
    """Return the owner of each line that runs: ``function``, ``Class.method``, ``Class`` or ``NAME``.

    The lines of a function are those of its body: its signature and its decorators run when it is imported.
    """
    owners: dict[int, str] = {}
    for name, node in owned(ast.parse(text)):
        first = node.body[0].lineno if isinstance(node, ast.FunctionDef) else node.lineno
        for line in range(first, (node.end_lineno or first) + 1):
            owners[line] = name
    return owners


def owned(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Yield every owner and its statement, a class before its methods."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, node
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner
        elif isinstance(node, ast.FunctionDef):
            yield node.name, node
        else:
            yield from ((name, node) for name in _assigned(node))


def _assigned(node: ast.stmt) -> list[str]:
    """Names that a statement of a module assigns."""
    alone = [node.target] if isinstance(node, ast.AnnAssign) else []
    targets = node.targets if isinstance(node, ast.Assign) else alone
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
