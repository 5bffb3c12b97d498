"""What a mistake may look like: each operator turns a node of the syntax tree into plausible wrong texts.

An operator is a generator: given a node and its source it yields (first byte, byte after the last, new text).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.mutants.drawn.source import STREAMS, Source, name_of

Edit = tuple[int, int, str]
Operator = Callable[[ast.AST, Source], Iterator[Edit]]

EXTREMES = {
    "min": "max", "minimum": "maximum", "argmin": "argmax", "nanmin": "nanmax", "any": "all", "floor": "ceil",
    "best": "worst", "cumsum": "cumprod", "sum": "mean",
}  # fmt: skip
LIMITS = {
    "mean_upper": "mean_lower", "high": "low", "upper": "lower", "isf": "ppf", "sf": "cdf", "logsf": "logcdf",
    "exp": "expm1", "log": "log1p", "log2": "log", "first": "last",
}  # fmt: skip
SYMBOLS: dict[type[ast.AST], tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("<", ("<=", ">=")), ast.LtE: ("<=", ("<", ">=")), ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<=")), ast.Eq: ("==", ("!=",)), ast.NotEq: ("!=", ("==",)),
    ast.In: ("in", ("not in",)), ast.NotIn: ("not in", ("in",)), ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)), ast.Add: ("+", ("-",)), ast.Sub: ("-", ("+",)), ast.Mult: ("*", ("/",)),
    ast.Div: ("/", ("*",)), ast.FloorDiv: ("//", ("/",)), ast.Pow: ("**", ("*",)), ast.And: ("and", ("or",)),
    ast.Or: ("or", ("and",)), ast.BitAnd: ("&", ("|",)), ast.BitOr: ("|", ("&",)),
}  # fmt: skip
"""A symbol of the tree to how it is written, and to what is written by mistake."""
DRAWS = {
    "random", "integers", "laplace", "gumbel", "exponential", "standard_exponential", "uniform", "normal",
    "binomial", "standard_gamma", "choice",
}  # fmt: skip
SYMMETRIC = {"min", "max", "minimum", "maximum", "isinstance", "gcd", "isclose", "allclose", "zip", "two_sample"}
TEXTS = ast.Constant | ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp


@dataclass(frozen=True, order=True)
class Mutation:
    """One mistake: bytes `start` to `end` of a file, `old`, become `new`.

    Attributes
    ----------
    file
        Path from the root of the tree.
    symbol
        Function, method or name that the place belongs to.
    line
        Line of the file, from 1.
    operator
        Kind of mistake.
    """

    file: str
    symbol: str
    line: int
    start: int
    end: int
    operator: str
    old: str
    new: str

    @property
    def package(self) -> str:
        """The paper, or the package of the ground floors."""
        parts = self.file.split("/")
        return parts[2] if parts[1] == "papers" else parts[1].removesuffix(".py")


def mutations(file: str, text: str) -> list[Mutation]:
    """Return every mistake that the operators know in a module's text."""
    source = Source(text)
    found: dict[tuple[int, int, str], Mutation] = {}
    for node in source.nodes():
        owner = source.owner(node)
        for name, operator in OPERATORS.items():
            for start, end, new in operator(node, source):
                old = source.text[start:end].decode()
                line = source.text.count(b"\n", 0, start) + 1
                found.setdefault((start, end, new), Mutation(file, owner, line, start, end, name, old, new))
    return list(found.values())


def applied(text: str, mutation: Mutation) -> str:
    """Return a module's text with a mistake."""
    source = text.encode()
    if source[mutation.start : mutation.end].decode() != mutation.old:
        raise ValueError(f"{mutation.file} is not the text in which {mutation.old!r} was found")
    return (source[: mutation.start] + mutation.new.encode() + source[mutation.end :]).decode()


def differs(tree: Path, mutation: Mutation) -> bool:
    """Whether a mistake gives another program, and one that can be read."""
    text = (tree / mutation.file).read_text(encoding="utf-8")
    try:
        return ast.dump(ast.parse(applied(text, mutation))) != ast.dump(ast.parse(text))
    except SyntaxError:
        return False


def real(node: ast.AST, source: Source) -> Iterator[Edit]:
    """A real constant times 1.2, 2 or 1/2; a tolerance only becomes looser."""
    if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value:
        for factor in (1.2, 2.0, 0.5):
            if not (source.is_tolerance(node) and factor < 1):
                yield *source.span(node), repr(float(f"{node.value * factor:.12g}"))


def integer(node: ast.AST, source: Source) -> Iterator[Edit]:
    """An integer off by one."""
    if isinstance(node, ast.Constant) and type(node.value) is int and not source.in_key(node):
        for shift in (1, -1):
            value = node.value + shift
            yield *source.span(node), str(value) if value >= 0 else f"({value})"


def comparison(node: ast.AST, source: Source) -> Iterator[Edit]:
    """A comparison that admits equality or not, or goes the other way."""
    if isinstance(node, ast.Compare):
        for left, symbol, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            yield from _symbol(left, symbol, right, source)


def arithmetic(node: ast.AST, source: Source) -> Iterator[Edit]:
    """Another operation or sign."""
    if isinstance(node, ast.BinOp) and not any(_is_text(side) for side in (node.left, node.right)):
        yield from _symbol(node.left, node.op, node.right, source)
    elif isinstance(node, ast.AugAssign):
        yield from _symbol(node.target, node.op, node.value, source)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield *source.span(node), source.code(node.operand)


def extreme(node: ast.AST, source: Source) -> Iterator[Edit]:
    """The smallest for the largest, some for all, a mean for a sum."""
    yield from _renamed(node, source, EXTREMES)


def limit(node: ast.AST, source: Source) -> Iterator[Edit]:
    """The upper limit for the lower, one tail for the other, a function for its neighbour."""
    yield from _renamed(node, source, LIMITS)


def dropped(node: ast.AST, source: Source) -> Iterator[Edit]:
    """A sum without one of its terms, a product without one of its factors."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow):
        either = isinstance(node.op, ast.Add | ast.Mult)
        for kept in (node.left, node.right) if either else (node.left,):
            if not any(_is_text(side) for side in (node.left, node.right)):
                code = source.code(kept)
                yield *source.span(node), f"({code})" if isinstance(kept, ast.BinOp) else code


def swapped(node: ast.AST, source: Source) -> Iterator[Edit]:
    """Two neighbouring arguments in each other's place."""
    if not isinstance(node, ast.Call) or name_of(node.func) in SYMMETRIC | STREAMS:
        return
    named = [keyword.value for keyword in node.keywords if not isinstance(keyword.value, ast.Constant)]
    for arguments in (node.args, named):
        for a, b in pairwise(arguments):
            if type(a) is type(b) or (arguments is node.args and not _is_text(a)):
                (start, middle), (after, end) = source.span(a), source.span(b)
                between = source.text[middle:after].decode()
                if "*" not in between.replace("**", "*") and not isinstance(a, ast.Starred):
                    yield start, end, f"{source.code(b)}{between}{source.code(a)}"


def shared(node: ast.AST, source: Source) -> Iterator[Edit]:
    """One draw for a whole axis, one stream for two keys or for all replicates."""
    if not isinstance(node, ast.Call):
        return
    if name_of(node.func) in STREAMS and len(node.args) > 2:
        yield source.span(node.args[-2])[1], source.span(node.args[-1])[1], ""
    elif name_of(node.func) == "spawn" and len(node.args) == 1:
        count = source.code(node.args[0])
        if count != "1":
            yield *source.span(node), f"[np.random.default_rng(0) for _ in range({count})]"
    elif name_of(node.func) in DRAWS and "rng" in source.code(node.func):
        yield from _one_draw(node, source)


def default(node: ast.AST, source: Source) -> Iterator[Edit]:
    """Another default of an argument or of a field."""
    for value in _defaults(node, source):
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            yield *source.span(value), str(not value.value)
        elif isinstance(value, ast.Constant) and isinstance(value.value, int | float):
            yield *source.span(value), repr(value.value * 2 if value.value else 1)
        elif isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield from ((*source.span(value), repr(other)) for other in _choices(value, source))


def deleted(node: ast.AST, source: Source) -> Iterator[Edit]:
    """A statement left out: an update, an assignment to a place, a call for its effect."""
    effect = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    place = isinstance(node, ast.Assign) and all(isinstance(t, ast.Subscript) for t in node.targets)
    if effect or place or isinstance(node, ast.AugAssign):
        yield *source.span(node), "pass"


def logical(node: ast.AST, source: Source) -> Iterator[Edit]:
    """And for or, a condition turned round, a flag flipped."""
    if isinstance(node, ast.BoolOp):
        for left, right in pairwise(node.values):
            yield from _symbol(left, node.op, right, source)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        yield from _symbol(node.left, node.op, node.right, source)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield *source.span(node), source.code(node.operand)
    elif isinstance(node, ast.If | ast.IfExp) and not _guards(node):
        yield *source.span(node.test), f"not ({source.code(node.test)})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield *source.span(node), str(not node.value)


OPERATORS: dict[str, Operator] = {
    function.__name__: function
    for function in (
        default, real, integer, comparison, arithmetic, extreme, limit, dropped, swapped, shared, deleted, logical,
    )
}  # fmt: skip


def _symbol(left: ast.AST, symbol: ast.AST, right: ast.AST, source: Source) -> Iterator[Edit]:
    """Other symbols between two operands."""
    if type(symbol) in SYMBOLS:
        written, mistakes = SYMBOLS[type(symbol)]
        first = source.span(left)[1]
        found = re.search(re.escape(written).encode(), source.text[first : source.span(right)[0]])
        if found:
            yield from ((first + found.start(), first + found.end(), mistake) for mistake in mistakes)


def _renamed(node: ast.AST, source: Source, names: dict[str, str]) -> Iterator[Edit]:
    """A function or attribute with its name exchanged, in either direction."""
    both = {new: old for old, new in names.items() if old != "sum"} | names
    if isinstance(node, ast.Attribute):
        name = node.attr
    else:
        around = source.parents.get(node)
        name = name_of(node) if isinstance(around, ast.Call) and around.func is node else ""
    if name in both:
        end = source.span(node)[1]
        yield end - len(name.encode()), end, both[name]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, TEXTS) and not (isinstance(node, ast.Constant) and isinstance(node.value, int | float))


def _one_draw(node: ast.Call, source: Source) -> Iterator[Edit]:
    """One draw repeated along the last axis of an array of draws."""
    sizes = [keyword.value for keyword in node.keywords if keyword.arg == "size"]
    if not sizes and name_of(node.func) in ("random", "standard_exponential", "laplace") and node.args:
        sizes = [node.args[-1]]
    if not sizes or sizes[0] in [k.value for k in node.keywords if k.arg == "scale"]:
        return
    size = sizes[0]
    last = size.elts[-1] if isinstance(size, ast.Tuple) and size.elts else size
    (start, end), (first, after) = source.span(node), source.span(last)
    head, tail = source.text[start:first].decode(), source.text[after:end].decode()
    if isinstance(last, ast.Constant) and last.value == 1:
        return
    axis = source.code(last)
    one, axis = (f"(*{axis}[:-1], 1)", f"{axis}[-1]") if axis.endswith(".shape") else ("1", axis)
    yield start, end, f"np.repeat({head}{one}{tail}, {axis}, axis=-1)"


def _defaults(node: ast.AST, source: Source) -> list[ast.expr]:
    """Values that arguments or fields take when none is given."""
    if isinstance(node, ast.FunctionDef):
        return [value for value in (*node.args.defaults, *node.args.kw_defaults) if value is not None]
    field = isinstance(node, ast.AnnAssign) and isinstance(source.parents.get(node), ast.ClassDef)
    return [node.value] if field and node.value is not None else []  # type: ignore[attr-defined]


def _choices(value: ast.Constant, source: Source) -> list[str]:
    """Another word of the module that stands in one list with a word."""
    for node in ast.walk(source.tree):
        listed = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        words = [word.value for word in listed if isinstance(word, ast.Constant) and isinstance(word.value, str)]
        if value.value in words and len(words) > 1:
            return [word for word in words if word != value.value][:1]
    pairs = {"corrected": "printed", "gumbel": "laplace", "full": "quick"}
    return [pairs[value.value]] if value.value in pairs else []


def _guards(node: ast.If | ast.IfExp) -> bool:
    """Whether a branch only refuses bad arguments."""
    return isinstance(node, ast.If) and all(isinstance(statement, ast.Raise) for statement in node.body)
