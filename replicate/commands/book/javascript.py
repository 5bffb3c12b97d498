"""Formulas of the package as JavaScript: what a bound computes in Python, the book's sliders compute in a page.

Reads a function's source and follows what it calls. It knows numbers, tuples, conditions, the functions of `math`
and their likes in NumPy, sums over a range, and the package's validation, which throws here as it raises there.
Whatever else a function does is refused: its values then have to be tabulated.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import math
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from types import FunctionType
from typing import Any

import numpy as np
from scipy import special

from replicate import validation


class Untranslated(ValueError):
    """A function does something that has no translation here."""


RUNTIME = """\
const between = (name, value, low, high) => {
  if (!(Number.isFinite(value) && low <= value && value <= high)) {
    throw new RangeError(`${name} must be ${low > -Infinity ? `at least ${low}` : ""}\
${low > -Infinity && high < Infinity ? " and " : ""}${high < Infinity ? `at most ${high}` : ""}`);
  }
  return value;
};
const positive = (name, value, high) => {
  if (!(value > 0)) throw new RangeError(`${name} must be positive`);
  return between(name, value, 0, high);
};
const refuse = (message) => { throw new RangeError(message); };
const bits = (value) => { let n = 0; for (let x = value; x >= 1; x /= 2) n += 1; return n; };
const range = (low, high, term) => {
  let total = 0;
  for (let i = low; i < high; i += 1) total += term(i);
  return total;
};
const logaddexp = (a, b) => Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
const digamma = (value) => {
  let x = value, total = 0;
  for (; x < 12; x += 1) total -= 1 / x;
  const y = 1 / (x * x);
  const series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760)))));
  return total + Math.log(x) - 1 / (2 * x) - series;
};
const expit = (x) => 1 / (1 + Math.exp(-x));
"""
"""What translated functions call."""

_NAMES = ("log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "sinh", "cosh", "tanh", "floor", "ceil")
_NATIVE: dict[Any, str] = {
    **{getattr(module, name): f"Math.{name}" for module in (math, np) for name in _NAMES},
    min: "Math.min", max: "Math.max", np.minimum: "Math.min", np.maximum: "Math.max", abs: "Math.abs",
    float: "", np.asarray: "", int: "Math.trunc", special.digamma: "digamma", special.expit: "expit",
    np.logaddexp: "logaddexp",
}  # fmt: skip
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.BitAnd: "&&"}
_COMPARED = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!==", ast.Is: "===",
    ast.IsNot: "!==",
}  # fmt: skip


_RESERVED = frozenset(
    (
        "arguments", "case", "catch", "const", "default", "delete", "do", "enum", "eval", "export", "extends",
        "function", "implements", "instanceof", "interface", "let", "new", "package", "private", "protected",
        "public", "static", "super", "switch", "this", "throw", "typeof", "var", "void",
    )
)  # fmt: skip
"""Words of JavaScript that are names in Python."""


class Script:
    """JavaScript of a set of functions, each translated once, with those that they call."""

    def __init__(self) -> None:
        self._names: dict[Callable[..., Any], str] = {}
        self._sources: dict[str, str] = {}

    @property
    def text(self) -> str:
        """The functions' definitions, which need `RUNTIME`."""
        return "".join(self._sources.values())

    def add(self, function: Callable[..., Any]) -> str:
        """Translate a function, and return its name in the script.

        Raises
        ------
        Untranslated
            If it does something else than compute numbers from numbers.
        """
        if function not in self._names:
            if not isinstance(function, FunctionType) or function.__closure__:
                raise Untranslated(f"{function!r:.80} is no plain function")
            name = f"{function.__module__.replace('replicate.', '').replace('.', '_')}_{function.__name__}"
            sources = dict(self._sources)
            self._names[function] = name
            try:
                self._sources[name] = _Function(function, self).text(name)
            except Untranslated:
                del self._names[function]
                self._sources = sources
                raise
        return self._names[function]

    def call(self, function: Callable[..., Any], arguments: Mapping[str, str]) -> str:
        """Return a call of a function with arguments by name, each in JavaScript already."""
        given = dict(arguments)
        parts = []
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name in given:
                parts.append(given.pop(parameter.name))
            elif parameter.default is not parameter.empty:
                parts.append(constant(parameter.default))
            else:
                raise Untranslated(f"{function.__name__} needs {parameter.name}")
        if given:
            raise Untranslated(f"{function.__name__} takes no {', '.join(given)}")
        return f"{self.add(function)}({', '.join(parts)})"


def constant(value: Any) -> str:
    """Return a number, a text, None or a tuple of them as JavaScript.

    Examples
    --------
    >>> constant((1.5, "laplace", None)), constant(math.inf)
    ('[1.5, "laplace", null]', 'Infinity')
    """
    if isinstance(value, bool | str) or value is None:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        number = float(value)
        if math.isnan(number):
            return "NaN"
        if math.isinf(number):
            return "Infinity" if number > 0 else "(-Infinity)"
        return f"({number!r})" if number < 0 else repr(number).removesuffix(".0")
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(constant, value))}]"
    raise Untranslated(f"{value!r:.60} is no constant")


def _named(name: str) -> str:
    """A variable's name."""
    return f"{name}_" if name in _RESERVED else name


class _Function:
    """One function on its way into a script."""

    def __init__(self, function: FunctionType, script: Script) -> None:
        self._script, self._globals = script, function.__globals__
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise Untranslated(f"{function.__name__} is not defined by def")
        self._tree = tree
        self._parameters = list(inspect.signature(function).parameters)
        self._local = set(self._parameters) | {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }

    def text(self, name: str) -> str:
        """The definition under a name."""
        declared = sorted(self._local - set(self._parameters))
        let = f"  let {', '.join(map(_named, declared))};\n" if declared else ""
        body = "".join(self._statement(part, "  ") for part in self._tree.body)
        return f"function {name}({', '.join(map(_named, self._parameters))}) {{\n{let}{body}}}\n"

    def _statement(self, node: ast.stmt, indent: str) -> str:
        if isinstance(node, ast.Expr):  # a docstring, or a check
            return "" if isinstance(node.value, ast.Constant) else f"{indent}{self._js(node.value)};\n"
        if isinstance(node, ast.Raise):
            return f"{indent}refuse(`{self._message(node)}`);\n"
        if isinstance(node, ast.Return) and node.value is not None:
            return f"{indent}return {self._js(node.value)};\n"
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return f"{indent}{self._target(node.targets[0])} = {self._js(node.value)};\n"
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return f"{indent}{self._target(node.target)} = {self._js(node.value)};\n"
        if isinstance(node, ast.AugAssign):
            changed = ast.BinOp(ast.Name(ast.unparse(node.target), ast.Load()), node.op, node.value)
            return f"{indent}{self._target(node.target)} = {self._js(changed)};\n"
        if isinstance(node, ast.If):
            done, other = ("".join(self._statement(part, indent + "  ") for part in parts)
                           for parts in (node.body, node.orelse))  # fmt: skip
            rest = f" else {{\n{other}{indent}}}" if other else ""
            return f"{indent}if ({self._js(node.test)}) {{\n{done}{indent}}}{rest}\n"
        raise Untranslated(f"{self._tree.name}: {ast.unparse(node):.60}")

    def _message(self, node: ast.Raise) -> str:
        """Return the text of an exception, without the value that was given."""
        said = node.exc.args[0] if isinstance(node.exc, ast.Call) and node.exc.args else ast.Constant("")
        text = ""
        for part in said.values if isinstance(said, ast.JoinedStr) else [said]:
            if isinstance(part, ast.Constant):
                text += str(part.value).replace("`", "'")
            elif isinstance(part, ast.FormattedValue):
                text += f"${{{self._js(part.value)}}}"
        return text.rpartition(", got ")[0] or text

    def _target(self, node: ast.expr) -> str:
        if isinstance(node, ast.Tuple):
            return f"[{', '.join('' if ast.unparse(part) == '_' else self._target(part) for part in node.elts)}]"
        if isinstance(node, ast.Name):
            return _named(node.id)
        raise Untranslated(f"{self._tree.name}: {ast.unparse(node)}")

    def _js(self, node: ast.expr) -> str:
        """One expression, in brackets where it has parts."""
        if isinstance(node, ast.Constant):
            return constant(node.value)
        if isinstance(node, ast.Name | ast.Attribute):
            return self._identifier(node)
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.UnaryOp):
            sign = {ast.USub: "-", ast.Not: "!", ast.UAdd: "+"}.get(type(node.op))
            return f"({sign}{self._js(node.operand)})"
        if isinstance(node, ast.BoolOp):
            return f"({(' && ' if isinstance(node.op, ast.And) else ' || ').join(map(self._js, node.values))})"
        if isinstance(node, ast.Compare):
            sides = [self._js(part) for part in (node.left, *node.comparators)]
            links = zip(sides, node.ops, sides[1:], strict=False)
            return f"({' && '.join(f'{a} {self._comparison_sign(op)} {b}' for a, op, b in links)})"
        if isinstance(node, ast.IfExp):
            return f"({self._js(node.test)} ? {self._js(node.body)} : {self._js(node.orelse)})"
        if isinstance(node, ast.Tuple):
            return f"[{', '.join(map(self._js, node.elts))}]"
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return f"({{{', '.join(f'{self._js(key)}: {self._js(value)}' for key, value in pairs if key)}}})"
        if isinstance(node, ast.Subscript):
            return f"{self._js(node.value)}[{self._js(node.slice)}]"
        if isinstance(node, ast.Call):
            return self._call(node)
        raise Untranslated(f"{self._tree.name}: {ast.unparse(node):.60}")

    def _comparison_sign(self, op: ast.cmpop) -> str:
        if type(op) not in _COMPARED:
            raise Untranslated(f"{self._tree.name}: {type(op).__name__}")
        return _COMPARED[type(op)]

    def _binary(self, node: ast.BinOp) -> str:
        left, right = self._js(node.left), self._js(node.right)
        if isinstance(node.op, ast.FloorDiv):
            return f"Math.floor({left} / {right})"
        if type(node.op) not in _BINARY:
            raise Untranslated(f"{self._tree.name}: {ast.unparse(node):.60}")
        return f"({left} {_BINARY[type(node.op)]} {right})"

    def _identifier(self, node: ast.Name | ast.Attribute) -> str:
        """A variable, a part of one, or a constant of the module."""
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in self._local:
            return _named(root.id) + ast.unparse(node).removeprefix(root.id)
        return constant(self._known(node))

    def _known(self, node: ast.expr) -> Any:
        """The object of a name, or of a name in a module."""
        if isinstance(node, ast.Name):
            known = self._globals.get(node.id, getattr(builtins, node.id, None))
        elif isinstance(node, ast.Attribute):
            known = getattr(self._known(node.value), node.attr, None)
        else:
            known = None
        if known is None:
            raise Untranslated(f"{self._tree.name}: {ast.unparse(node)}")
        return known

    def _call(self, node: ast.Call) -> str:
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("all", "any", "bit_length"):
            inner = self._js(node.func.value)
            return f"bits({inner})" if node.func.attr == "bit_length" else inner
        called = self._known(node.func)
        if called is sum and isinstance(node.args[0], ast.GeneratorExp):
            return self._summation(node.args[0])
        named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        if len(named) < len(node.keywords):
            raise Untranslated(f"{self._tree.name}: {ast.unparse(node):.60}")
        if getattr(called, "__module__", "") == validation.__name__:
            return self._guarded(called, node.args, named)
        if called in _NATIVE:
            return f"{_NATIVE[called]}({', '.join(map(self._js, node.args))})"
        names = list(inspect.signature(called).parameters)
        if is_dataclass(called):
            parts = {name: self._js(arg) for name, arg in zip(names, node.args, strict=False)}
            parts |= {name: self._js(arg) for name, arg in named.items()}
            return f"({{{', '.join(f'{name}: {part}' for name, part in parts.items())}}})"
        arguments = {name: self._js(arg) for name, arg in zip(names, node.args, strict=False)}
        arguments |= {name: self._js(arg) for name, arg in named.items()}
        return self._script.call(called, arguments)

    def _summation(self, node: ast.GeneratorExp) -> str:
        """A sum over a range."""
        (part,) = node.generators
        over = part.iter
        if part.ifs or not (isinstance(over, ast.Call) and self._known(over.func) is range):
            raise Untranslated(f"{self._tree.name}: {ast.unparse(node):.60}")
        low, high = (["0", *map(self._js, over.args)])[-2:]
        return f"range({low}, {high}, ({self._target(part.target)}) => {self._js(node.elt)})"

    def _guarded(self, check: Callable[..., Any], args: list[ast.expr], named: dict[str, ast.expr]) -> str:
        """A call of the package's validation: the value itself, which throws out of its range."""
        arguments = list(args)
        value = self._js(arguments[1])
        limits = {name: self._js(part) for name, part in named.items() if name in ("low", "high")}
        if check is validation.positive:
            return f"positive({self._js(arguments[0])}, {value}, {limits.get('high', 'Infinity')})"
        if check in (validation.real, validation.count):
            low = limits.get("low", "1" if check is validation.count else "(-Infinity)")
            high = limits.get("high", "Infinity")
            return f"between({self._js(arguments[0])}, {value}, {low}, {'Infinity' if high == 'null' else high})"
        return value
