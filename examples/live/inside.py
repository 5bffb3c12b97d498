"""Runs a page and keeps the numbers that it prints: in the browser, and by ``build.py`` for the record."""

import ast
import json
import linecache
import math
import traceback

import numpy as np


class _Watched(ast.NodeTransformer):
    def visit_FormattedValue(self, node):
        """Pass what an f-string formats through a function."""
        self.generic_visit(node)
        call = ast.Call(ast.Name("_watch", ast.Load()), [node.value], [])
        node.value = ast.fix_missing_locations(ast.copy_location(call, node.value))
        return node


def run(source, given):
    """Run a page with these arguments of its main, as texts; return the numbers that it prints, unrounded."""
    numbers = []

    def watch(value):
        numbers.extend([float(value)] if isinstance(value, int | float | np.number) else [])
        return value

    names = {"__name__": "page", "_watch": watch}
    exec(compile(_Watched().visit(ast.parse(source)), "page", "exec"), names)
    names["main"](**{name: eval(text, names) for name, text in given.items()})
    return numbers


def live(words):
    """Run a page; print how many numbers it prints and how far the record is, or the error that ended it."""
    source, given, record = json.loads(words)
    linecache.cache["page"] = len(source), None, source.splitlines(keepends=True), "page"
    try:
        numbers = run(source, given)
        far = [abs(x - y) / max(1, abs(y)) for x, y in zip(numbers, map(float, record), strict=False) if x != y]
        print(end=f"\x01{len(numbers)} {max(far, default=0.0) if len(numbers) == len(record) else math.inf:.1e}")
    except BaseException as error:
        traceback.print_exception(error.with_traceback(error.__traceback__.tb_next))
