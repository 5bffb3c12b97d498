"""A module's text with its syntax tree: where nodes stand, what surrounds them, what is left alone.

Left alone by rule, because no test could or should notice:

- text: docstrings, messages of errors, f-strings, what is displayed (`DISPLAYED`), modules that draw figures;
- annotations of types, overloads and protocols;
- speed: sizes of chunks and blocks of work, numbers of workers, folders of caches (`SPEED`), decorators;
- integers in the key of a random stream, and the root seed of instances that are fixed once: another stream of the
  same law (two streams from one key are drawn, see `operators`);
- a tolerance (`TOLERANCES`) made tighter, which `operators` sees to;
- what never runs: bodies that raise ``NotImplementedError``, branches for the checker of types.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from tests.mutants.drawn.symbols import owned

DISPLAYED = {
    "detail",
    "label",
    "name",
    "title",
    "note",
    "source",
    "colour",
    "progress",
    "desc",
    "unit",
    "ignore_index",
}
"""Named arguments whose values are shown to readers, or name the rows of a table."""
SPEED = re.compile(r"_(BLOCK|CHUNK)|BLOCK|max_workers|cache_dir|maxsize")
TOLERANCES = {"rtol", "atol", "xtol", "ftol", "gtol", "tol", "epsabs", "epsrel"}
STREAMS = {"stream", "seed_sequence"}


class Source:
    """A module's text and tree.

    Attributes
    ----------
    text
        The source, as bytes: positions in the tree count bytes.
    parents
        A node to the node around it.
    """

    def __init__(self, text: str) -> None:
        self.text = text.encode()
        self.tree = ast.parse(text)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        starts = [0]
        for line in self.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts

    def span(self, node: ast.AST) -> tuple[int, int]:
        """First byte of a node and the byte after its last."""
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def code(self, node: ast.AST) -> str:
        """Text of a node."""
        start, end = self.span(node)
        return self.text[start:end].decode()

    def around(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Yield (child, parent) from a node up to the module."""
        while node in self.parents:
            yield node, self.parents[node]
            node = self.parents[node]

    def nodes(self) -> Iterator[ast.AST]:
        """Yield the nodes that may be changed, in the order of the text."""
        places = (node for node in ast.walk(self.tree) if isinstance(node, ast.expr | ast.stmt))
        return iter(sorted((node for node in places if not self._left_alone(node)), key=self.span))

    def _left_alone(self, node: ast.AST) -> bool:
        return _never_runs(node) or any(
            isinstance(parent, ast.Raise | ast.JoinedStr | ast.Assert)
            or _is_annotation(child, parent)
            or _is_shown_or_speed(child, parent)
            or _never_runs(parent)
            for child, parent in self.around(node)
        )

    def in_key(self, node: ast.AST) -> bool:
        """Whether a node is in the key of a random stream, or its root seed."""
        calls = (parent.func for _, parent in self.around(node) if isinstance(parent, ast.Call))
        return any(name_of(function) in STREAMS for function in calls)

    def is_tolerance(self, node: ast.AST) -> bool:
        """Whether a node is a tolerance given by name."""
        return any(isinstance(parent, ast.keyword) and parent.arg in TOLERANCES for _, parent in self.around(node))

    def owner(self, node: ast.AST) -> str:
        """Owner of a node: a method before its class."""
        line = node.lineno  # type: ignore[attr-defined]
        return next((name for name, first, last in reversed(self._owners) if first <= line <= last), "")

    @cached_property
    def _owners(self) -> list[tuple[str, int, int]]:
        return [(name, _first(node), node.end_lineno or node.lineno) for name, node in owned(self.tree)]


def name_of(function: ast.AST) -> str:
    """Last name of what is called: ``mean`` in ``x.mean``."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _first(node: ast.stmt) -> int:
    """First line of a statement with its decorators."""
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])


def _is_annotation(child: ast.AST, parent: ast.AST) -> bool:
    annotation = getattr(parent, "annotation", None), getattr(parent, "returns", None)
    return child in annotation or child in getattr(parent, "decorator_list", [])


def _is_shown_or_speed(child: ast.AST, parent: ast.AST) -> bool:
    if isinstance(parent, ast.keyword):
        return parent.arg in DISPLAYED or bool(SPEED.fullmatch(parent.arg or ""))
    if isinstance(parent, ast.Assign):
        names = [getattr(target, "id", "") for target in parent.targets]
        number = isinstance(parent.value, ast.Constant | ast.BinOp)
        return child is parent.value and any(n in DISPLAYED or (number and SPEED.fullmatch(n)) for n in names)
    return False


def _never_runs(parent: ast.AST) -> bool:
    if isinstance(parent, ast.ClassDef):
        return any(name_of(base) == "Protocol" for base in parent.bases)
    if isinstance(parent, ast.If):
        return name_of(parent.test) == "TYPE_CHECKING"
    if isinstance(parent, ast.FunctionDef):
        return any(name_of(d) == "overload" for d in parent.decorator_list)
    return False
