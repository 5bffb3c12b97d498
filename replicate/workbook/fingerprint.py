"""Fingerprints of values and of functions, under which results are kept: another result has another one.

The fingerprint of a function is made of its compiled code, its defaults, its closure and the globals that it
reads, as they are now: constants, containers, functions, classes. Code of other projects counts by its name and
version. What code looks up by a string is not followed; for that, a sweep adds the sources of the modules that it
met. What a function reads of files, of the clock or of the environment is not seen.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import importlib
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any

_PACKAGE = __name__.partition(".")[0]
_PLACES = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_WRAPPERS = (staticmethod, classmethod, property, functools.cached_property, type(functools.cache(len)))
_INSIDE = ("py_func", "targetoptions", "__wrapped__", "func", "fget", "fset", "fdel")
"""Where these, and compiled functions, keep the functions that they are made of."""


class _Walk:
    """One walk through values, which hashes each of them once; `modules` are those whose code it met."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._met: dict[int, tuple[bytes, Any]] = {}
        self._depth = 0

    def of(self, value: Any) -> bytes:
        """Return the hash of a value; ValueError if it cannot be read, such as a generator that runs."""
        if type(value) in _PLAIN:
            return _hash(type(value), [repr(value).encode()])
        if id(value) not in self._met:
            self._met[id(value)] = f"again {self._depth}".encode(), value  # if it is met inside itself
            self._depth += 1
            self._met[id(value)] = _hash(type(value), map(self.of, self._parts(value))), value
            self._depth -= 1
        return self._met[id(value)][0]

    def _parts(self, value: Any) -> Iterable[Any]:
        """Return all that makes up a value."""
        if type(value) in (tuple, list):
            return value
        if type(value) in (dict, types.MappingProxyType):
            return [part for item in value.items() for part in item]
        if type(value) in (set, frozenset):
            return sorted(map(self.of, value))
        if isinstance(value, types.CodeType):
            counts = value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags
            names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars
            return [*counts, *names, value.co_code, getattr(value, "co_exceptiontable", b""), value.co_consts]
        if isinstance(value, types.ModuleType):
            return self._named(value.__name__)
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, _WRAPPERS) or hasattr(value, "py_func"):
            return [getattr(value, name, None) for name in _INSIDE]
        return self._object(value)

    def _function(self, value: types.FunctionType) -> Iterator[Any]:
        module = str(value.__globals__.get("__name__"))
        yield from (value.__qualname__, *self._named(module))
        if foreign(module) and getattr(sys.modules[module], value.__name__, None) is value:
            return
        cells = [() if cell == types.CellType() else (cell.cell_contents,) for cell in value.__closure__ or ()]
        yield from (value.__code__, value.__defaults__, value.__kwdefaults__, vars(value), cells)
        if not foreign(module):
            for name, read in _reads(value.__code__, value.__globals__):
                yield from (name, read)

    def _class(self, value: type) -> Iterator[Any]:
        yield from (value.__qualname__, *self._named(value.__module__))
        if not foreign(value.__module__):
            yield from value.__bases__
            for name, member in sorted(vars(value).items()):
                slot = isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType)
                if not slot and name != "_abc_impl" and (not name.startswith("__") or callable(member)):
                    yield from (name, member)

    def _object(self, value: Any) -> Iterator[Any]:
        """Yield the parts of an object as pickle takes it apart: its class, what it is made from, its state."""
        if isinstance(value, ContextVar):
            return
        try:
            if isinstance(value, Iterator):
                raise TypeError("it is used up")
            known = copyreg.dispatch_table.get(type(value))
            taken = known(value) if known else value.__reduce_ex__(4)
        except Exception:
            said = " ".join(repr(value).split())[:100]
            raise ValueError(f"{type(value).__qualname__} cannot be read, got {said}") from None
        yield type(value)
        yield from self._named(str(getattr(value, "__module__", "")))
        for part in (taken,) if isinstance(taken, str) else taken:
            yield list(part) if isinstance(part, Iterator) else part

    def _named(self, module: str) -> tuple[str, str]:
        """Return a module's name, and its version if it is another project's."""
        if foreign(module):
            return module, str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))
        module = "__main__" if module == "__mp_main__" else module
        self.modules.add(module)
        return module, ""


def _hash(kind: type, parts: Iterable[bytes]) -> bytes:
    hashed = hashlib.sha256(kind.__qualname__.encode())
    for part in parts:
        hashed.update(f" {len(part)} ".encode() + part)
    return hashed.digest()


@functools.cache
def foreign(module: str) -> bool:
    """Return whether a module is Python's, or another project's that is installed."""
    top = module.partition(".")[0]
    if top == _PACKAGE or top in ("__main__", "__mp_main__"):
        return False
    file = getattr(sys.modules.get(module) or sys.modules.get(top), "__file__", None) or ""
    return top in sys.stdlib_module_names or file.startswith(_PLACES) or "/site-packages/" in file


def _reads(code: types.CodeType, known: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the globals that a code and those inside it read, and what they may read of modules, by name."""
    codes = _codes(code)
    modules: list[Any] = []
    found: Any = None
    level: Any = None
    members: Any = None
    for step in (step for one in codes for step in dis.get_instructions(one)):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
            found = known.get(step.argval)
            if step.argval in known:
                yield step.argval, found
        elif step.opname == "IMPORT_NAME":  # its level and the names to import from it were loaded before
            found = _module("." * (level or 0) + step.argval, known)
            modules += [_module(f"{found.__name__}.{member}", known) for member in members or () if found]
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            found = vars(found).get(step.argval) if isinstance(found, types.ModuleType) else None
        elif step.opname != "EXTENDED_ARG":
            found = None
        modules.append(found)
        level, members = members, step.argval
    names = {name for one in codes for name in one.co_names}
    for module in {id(one): one for one in modules if isinstance(one, types.ModuleType)}.values():
        for name in sorted(names & set(vars(module))):
            if _counts(member := vars(module)[name], module.__name__):
                yield f"{module.__name__}.{name}", member


def _codes(code: types.CodeType) -> list[types.CodeType]:
    """Return a code and those inside it."""
    return [code, *(one for inner in code.co_consts if isinstance(inner, types.CodeType) for one in _codes(inner))]


def _counts(member: Any, module: str) -> bool:
    """Tell if a member of a module counts by its value; another project's if it is a setting, or was put there."""
    if foreign(module):
        put = isinstance(member, types.FunctionType) and not foreign(member.__module__ or "")
        return put or type(member) in _PLAIN
    return not isinstance(member, types.ModuleType)


def _module(name: str, known: dict[str, Any]) -> Any:
    try:
        return importlib.import_module(name, known.get("__package__"))
    except Exception:  # a member that is no module; the function will say so if it is neither
        return None


def of(*values: Any) -> str:
    """Return the fingerprint of values; ValueError if one cannot be read."""
    return _of(values)[0]


def of_call(function: Callable[..., Any]) -> tuple[str, frozenset[str]]:
    """Return the fingerprint of a function and of Python's version, and the modules of its code."""
    return _of((function, sys.implementation.cache_tag, sys.flags.optimize))


def _of(value: Any) -> tuple[str, frozenset[str]]:
    walk = _Walk()
    try:
        return walk.of(value).hex(), frozenset(walk.modules)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
