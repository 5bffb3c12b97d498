"""Fingerprints of values and of functions, by which results are kept: what gives another result has another one.

A function's is made of its bytecode and constants, of its defaults and closure, and of all that it reads:
functions, classes and values of its module and of others, as they are when it is asked for. So it does not matter
whether there is a file, or whether the file still says what runs. Code of other projects counts by its name and
version. What a function reads of files, of the clock or of the environment is not seen.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import importlib
import importlib.util
import io
import logging
import os
import struct
import sys
import sysconfig
import threading
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

_PACKAGE = __name__.partition(".")[0]
_PLACES = tuple({f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_UNSAID = {
    "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__", "__dataclass_fields__",
    "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__", "__module__", "__slotnames__",
    "__static_attributes__", "__weakref__", "_abc_impl",
}  # fmt: skip
"""Members of a class that change nothing that it computes."""
_SPEECHLESS = (
    ContextVar, logging.Logger, io.IOBase, threading.local, type(threading.Lock()), type(threading.RLock()),
    weakref.ref, weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet,
)  # fmt: skip
"""Values that code may read without its numbers depending on them; they count by their kind."""


class Fingerprint:
    """One walk through values, which hashes each of them once.

    Attributes
    ----------
    modules
        Names of the modules, other projects' left out, whose code the walk met.
    """

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._met: dict[int, bytes] = {}
        self._open: dict[int, int] = {}
        self._alive: list[Any] = []

    def of(self, value: Any) -> bytes:
        """Return the hash of a value.

        Raises
        ------
        ValueError
            If something is met whose contents cannot be read, such as a generator that runs.
        """
        known = self._met.get(id(value))
        if known is not None:
            return known
        if id(value) in self._open:
            return _hash("again", [str(self._open[id(value)]).encode()])
        self._open[id(value)] = len(self._open)
        try:
            digest = _hash(*self._parts(value))
        finally:
            del self._open[id(value)]
        self._met[id(value)] = digest
        self._alive.append(value)
        return digest

    def _all(self, values: Iterable[Any]) -> list[bytes]:
        return [self.of(value) for value in values]

    def _parts(self, value: Any) -> tuple[str, Iterable[bytes]]:
        """Kind of a value, and hashes or bytes of all that makes it up."""
        kind = type(value)
        if value is None or value is Ellipsis or value is NotImplemented or kind in (bool, int, str):
            return kind.__name__, [repr(value).encode("utf-8", "surrogatepass")]
        if kind is float:
            return "float", [struct.pack("<d", value)]
        if kind is complex:
            return "complex", [struct.pack("<dd", value.real, value.imag)]
        if kind in (bytes, bytearray):
            return kind.__name__, [bytes(value)]
        if kind in (tuple, list):
            return kind.__name__, self._all(value)
        if kind in (dict, types.MappingProxyType):
            return "dict", [part for item in value.items() for part in self._all(item)]
        if kind in (set, frozenset):
            return kind.__name__, sorted(self._all(value))
        if isinstance(value, np.ndarray | np.generic):
            return "array", self._array(value)
        pandas: Any = sys.modules.get("pandas")
        if pandas and isinstance(value, _tables(pandas)):
            return kind.__qualname__, self._table(value)
        if isinstance(value, types.CodeType):
            return "code", self._code(value)
        if isinstance(value, types.ModuleType):
            return "module", [_named(value.__name__)]
        return self._thing(value)

    def _array(self, value: Any) -> Iterator[bytes]:
        yield self.of(type(value))
        yield repr(np.lib.format.dtype_to_descr(value.dtype)).encode() + repr(value.dtype.metadata).encode()
        yield repr(value.shape).encode()
        if isinstance(value, np.ma.MaskedArray):
            yield from self._all([value.filled(value.fill_value), np.ma.getmaskarray(value), value.fill_value])
        elif value.dtype.hasobject:
            yield from self._all(np.asarray(value).ravel().tolist())
        else:
            yield np.asarray(value).tobytes()

    def _table(self, value: Any) -> Iterator[bytes]:
        """Hashes of a table, a column, an index or an array of pandas."""
        if hasattr(value, "columns"):
            columns = [value.iloc[:, i].array for i in range(value.shape[1])]
            yield from self._all([value.columns, value.index, dict(value.attrs), columns])
        elif hasattr(value, "levels"):
            yield from self._all([list(value.levels), list(value.codes), list(value.names)])
        elif hasattr(value, "array"):
            yield from self._all([value.name, value.array, getattr(value, "index", None)])
        elif hasattr(value, "categories") and hasattr(value, "codes"):
            yield from self._all([value.codes, value.categories, value.ordered])
        else:
            yield from self._all([str(value.dtype), np.asarray(value.isna()), np.asarray(value.astype(object))])

    def _thing(self, value: Any) -> tuple[str, Iterable[bytes]]:
        """Parts of functions, classes and objects."""
        if isinstance(value, type):
            return "class", self._class(value)
        if isinstance(value, types.FunctionType):
            return "function", self._function(value)
        if isinstance(value, types.MethodType):
            return "method", self._all([value.__func__, value.__self__])
        if isinstance(value, functools.partial):
            return "partial", self._all([value.func, value.args, value.keywords])
        if isinstance(value, staticmethod | classmethod):
            return type(value).__name__, self._all([value.__func__])
        if isinstance(value, property):
            return "property", self._all([value.fget, value.fset, value.fdel])
        if isinstance(value, functools.cached_property):
            return "property", self._all([value.func])
        for beneath in ("py_func", "__wrapped__"):  # a compiled function, a function that is remembered
            if callable(value) and isinstance(getattr(value, beneath, None), types.FunctionType):
                options = getattr(value, "targetoptions", None)
                return beneath, self._all([getattr(value, beneath), options])
        if isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType | np.ufunc):
            name = getattr(value, "__qualname__", value.__name__)
            owner = getattr(value, "__self__", None)
            module = getattr(value, "__module__", None) or ""
            return "builtin", [_named(module), name.encode(), self.of(owner)]
        if isinstance(value, _SPEECHLESS):
            return "speechless", [type(value).__qualname__.encode()]
        return "object", self._object(value)

    def _class(self, value: type) -> Iterator[bytes]:
        yield value.__qualname__.encode()
        module = str(value.__module__)
        if foreign(module):
            yield _named(module)
            return
        self.modules.add(module)
        yield from self._all(value.__bases__)
        for name, member in sorted(vars(value).items()):
            if name not in _UNSAID and not isinstance(
                member, types.MemberDescriptorType | types.GetSetDescriptorType
            ):
                yield name.encode()
                yield self.of(member)

    def _function(self, value: types.FunctionType) -> Iterator[bytes]:
        module = value.__module__ or ""
        yield value.__qualname__.encode()
        yield self.of(value.__code__)
        if foreign(module) and getattr(sys.modules.get(module), value.__name__, None) is value:
            yield _named(module)
            return
        yield from self._all([value.__defaults__, value.__kwdefaults__])
        yield from self._all([_content(cell) for cell in value.__closure__ or ()])
        if foreign(module):
            yield _named(module)
            return
        self.modules.add(module)
        for name, read in _reads(value.__code__, value.__globals__):
            yield name.encode()
            yield self.of(read)

    def _code(self, code: types.CodeType) -> Iterator[bytes]:
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        yield repr((counts, names)).encode() + code.co_code + getattr(code, "co_exceptiontable", b"")
        yield from self._all(code.co_consts)

    def _object(self, value: Any) -> Iterator[bytes]:
        """Hashes of an object as pickle would take it apart: its class, what it is made from, its state."""
        try:
            if isinstance(value, Iterator):
                raise TypeError("it is used up")
            apart: Callable[[Any], Any] = copyreg.dispatch_table.get(type(value), lambda one: one.__reduce_ex__(4))
            taken = apart(value)
        except Exception:
            raise ValueError(f"{type(value).__qualname__} cannot be read, got {value!r:.100}") from None
        yield self.of(type(value))
        if isinstance(taken, str):
            yield taken.encode()
            return
        maker, made_from, *rest = taken
        yield from self._all([maker, made_from])
        for part in rest:
            yield self.of(list(part) if isinstance(part, Iterator) else part)


@functools.cache
def _tables(pandas: Any) -> tuple[type, ...]:
    return pandas.DataFrame, pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray


def _hash(kind: str, parts: Iterable[bytes]) -> bytes:
    hashed = hashlib.sha256(kind.encode() + b"\0")
    for part in parts:
        hashed.update(struct.pack("<q", len(part)) + part)
    return hashed.digest()


def _content(cell: Any) -> Any:
    """Content of a closure's variable; nothing before it is assigned."""
    try:
        return cell.cell_contents
    except ValueError:
        return NotImplemented


@functools.cache
def _named(module: str) -> bytes:
    """Name of a module, and its version where it is another project's."""
    top = module.partition(".")[0]
    version = getattr(sys.modules.get(top), "__version__", "") if foreign(module) else ""
    return f"{module} {version}".encode()


@functools.cache
def foreign(module: str) -> bool:
    """Return whether a module is Python's, or another project's that is installed."""
    top = module.partition(".")[0]
    if top == _PACKAGE or top in ("__main__", "__mp_main__"):
        return False
    loaded = sys.modules.get(module) or sys.modules.get(top)
    file = getattr(loaded, "__file__", None) or ""
    return top in sys.stdlib_module_names or file.startswith(_PLACES) or "/site-packages/" in file


@dataclass(frozen=True)
class _Asked:
    """Names that a code and those inside it may look up.

    Attributes
    ----------
    names
        Of globals.
    attributes
        Of anything.
    chains
        Names, each with the attribute that is read of it: a member that is a module counts if the code says so,
        for which modules a package has depends on what else was imported.
    imports
        Modules: levels and names.
    """

    names: frozenset[str]
    attributes: frozenset[str]
    chains: frozenset[tuple[str, str]]
    imports: tuple[tuple[int, str], ...]


@functools.cache
def _asked(code: types.CodeType) -> _Asked:
    names, chains, imports = set(), set(), []
    attributes = set(code.co_names)
    before: tuple[Any, Any] = (None, None)
    module = ""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
            names.add(step.argval)
        elif step.opname == "IMPORT_NAME":
            level, module = before[0] if isinstance(before[0], int) else 0, str(step.argval)
            imports.append((level, module))
        elif step.opname == "IMPORT_FROM":
            chains.add((module.rpartition(".")[2], str(step.argval)))
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            chains.add((str(before[1]), str(step.argval)))
        before = (before[1], step.argval)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            asked = _asked(inner)
            names |= asked.names
            attributes |= asked.attributes
            chains |= asked.chains
            imports += asked.imports
    return _Asked(frozenset(names), frozenset(attributes), frozenset(chains), tuple(imports))


def _reads(code: types.CodeType, known: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the globals that a code may read, and members of the modules among them, by name."""
    asked = _asked(code)
    values = {name: known[name] for name in sorted(asked.names) if name in known}
    for level, name in asked.imports:
        values[name] = _module("." * level + name, known.get("__package__") or None)
    yield from values.items()
    waiting = [(name, one) for name, one in values.items() if isinstance(one, types.ModuleType)]
    seen = set()
    while waiting:
        bound, module = waiting.pop()
        if (bound, module.__name__) in seen:
            continue
        seen.add((bound, module.__name__))
        for name in sorted(asked.attributes & set(vars(module))):
            member = vars(module)[name]
            if isinstance(member, types.ModuleType):
                if (bound.rpartition(".")[2], name) in asked.chains:
                    waiting.append((name, member))
            elif not foreign(module.__name__) or _changeable(member):
                yield f"{module.__name__}.{name}", member


def _changeable(member: Any) -> bool:
    """Tell if a member of another project's module is a setting, or a function that was put there."""
    maker = getattr(member, "__module__", None)
    return isinstance(member, bool | int | float | str) or (
        isinstance(member, types.FunctionType) and isinstance(maker, str) and not foreign(maker)
    )


def _module(name: str, package: str | None) -> Any:
    try:
        return importlib.import_module(name, package)
    except Exception:  # the function will say so, if it comes there
        return None


def of(*values: Any) -> str:
    """Return the fingerprint of values; see `Fingerprint.of`."""
    try:
        return Fingerprint().of(values).hex()
    except RecursionError:
        raise ValueError("a value is nested too deeply") from None


def of_call(function: Callable[..., Any]) -> tuple[str, frozenset[str]]:
    """Return the fingerprint of a function, of Python's version, and the modules of its code.

    Raises
    ------
    ValueError
        As `Fingerprint.of`.
    """
    walk = Fingerprint()
    try:
        digest = walk.of((function, sys.implementation.cache_tag, sys.flags.optimize))
    except RecursionError:
        raise ValueError(f"what {function!r:.100} reads is nested too deeply") from None
    return digest.hex(), frozenset(walk.modules)
