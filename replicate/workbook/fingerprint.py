"""Fingerprints of values and of functions, under which results are kept: another result has another one.

The fingerprint of a value is a hash of its pickle, in which a function stands for its compiled code, its defaults,
its closure and the globals that it reads, as they are now. Code of other projects counts by its name and version.
What code looks up by a string is not followed; for that, a sweep adds the sources of the modules that it met. What
a function reads of files, of the clock or of the environment is not seen.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import importlib
import io
import pickle
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

_PACKAGE = __name__.partition(".")[0]
_PLACES = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_WRAPPERS = (staticmethod, classmethod, property, functools.cached_property, type(functools.cache(len)))
_INSIDE = ("py_func", "targetoptions", "__wrapped__", "func", "fget", "fset", "fdel")
"""Where these, and compiled functions, keep the functions that they are made of."""


class _Walk:
    """One walk through values: `modules` are those whose code it met."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._met: dict[int, tuple[int, Any]] = {}

    def of(self, value: Any) -> str:
        """Return the hash of a value; ValueError if it cannot be read, such as a generator that runs."""
        file = io.BytesIO()
        pickler = pickle.Pickler(file, 5)
        pickler.fast = True  # equal parts are written anew, whether they are one object or two
        pickler.persistent_id = self._instead  # type: ignore[method-assign]
        try:
            pickler.dump(value)
        except ValueError:
            raise
        except Exception as error:
            raise ValueError(f"{type(value).__qualname__} cannot be read, got {error!r:.200}") from None
        return hashlib.sha256(file.getvalue()).hexdigest()

    def _instead(self, value: Any) -> Any:
        """Return what stands for a value that pickle would write by its name, by its order, or not at all."""
        if type(value) in _PLAIN:
            return None
        if isinstance(value, set | frozenset):
            return type(value).__name__, sorted(map(self.of, value))
        if isinstance(value, types.MappingProxyType):
            return list(value.items())
        if isinstance(value, Iterator):
            raise ValueError(
                f"{type(value).__qualname__} cannot be read, got {' '.join(repr(value).split()):.100}"
            )
        if isinstance(value, ContextVar):
            return "ContextVar"
        if isinstance(value, types.ModuleType):
            return self._named(value.__name__)
        known = isinstance(value, _WRAPPERS) or hasattr(value, "py_func")
        if not known and not isinstance(value, types.FunctionType | type):
            return None if foreign(type(value).__module__) else self._object(value)
        if id(value) in self._met:
            return self._met[id(value)][0]
        self._met[id(value)] = len(self._met), value
        if known:
            return [type(value).__name__, *(getattr(value, name, None) for name in _INSIDE)]
        return [*(self._class(value) if isinstance(value, type) else self._function(value))]

    def _object(self, value: Any) -> list[Any]:
        """Return the class of an object, and what pickle would make it from."""
        taken = value.__reduce_ex__(5)
        parts = (taken,) if isinstance(taken, str) else taken
        return [type(value), *(list(part) if isinstance(part, Iterator) else part for part in parts)]

    def _function(self, value: types.FunctionType) -> Iterator[Any]:
        module = str(value.__globals__.get("__name__"))
        yield from (value.__qualname__, *self._named(module))
        if foreign(module) and getattr(sys.modules[module], value.__name__, None) is value:
            return
        cells = [() if cell == types.CellType() else (cell.cell_contents,) for cell in value.__closure__ or ()]
        yield from (value.__defaults__, value.__kwdefaults__, vars(value), cells)
        for code in _codes(value.__code__):
            yield from (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
            yield from (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_code)
            yield getattr(code, "co_exceptiontable", b"")
            yield [part for part in code.co_consts if not isinstance(part, types.CodeType)]
        if not foreign(module):
            yield from _reads(value.__code__, value.__globals__)

    def _class(self, value: type) -> Iterator[Any]:
        yield from (value.__qualname__, *self._named(value.__module__))
        if not foreign(value.__module__):
            yield value.__bases__
            for name, member in sorted(vars(value).items()):
                slot = isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType)
                if not slot and name != "_abc_impl" and (not name.startswith("__") or callable(member)):
                    yield (name, member)

    def _named(self, module: str) -> tuple[str, str]:
        """Return a module's name, and its version if it is another project's."""
        if foreign(module):
            return module, str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))
        module = "__main__" if module == "__mp_main__" else module
        self.modules.add(module)
        return module, ""


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
    names = {name for one in codes for name in one.co_names}
    yield from ((name, known[name]) for name in sorted(names & known.keys()))
    modules, base = [known[name] for name in sorted(names & known.keys())], ""
    for step in (step for one in codes for step in dis.get_instructions(one)):
        if step.opname == "IMPORT_NAME":
            base = step.argval
            modules += [_module("." * dots + base, known) for dots in range(4)]  # how far up, it does not say
        elif step.opname == "IMPORT_FROM":
            modules += [_module(f"{'.' * dots}{base}.{step.argval}", known) for dots in range(4)]
    met: list[Any] = []
    for module in (one for one in modules if isinstance(one, types.ModuleType)):  # which grow on the way
        if module in met:
            continue
        met.append(module)
        for name in sorted(names & set(vars(module))):
            modules.append(member := vars(module)[name])
            if _counts(member, module.__name__):
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
    return _Walk().of(values)


def of_call(function: Callable[..., Any]) -> tuple[str, frozenset[str]]:
    """Return the fingerprint of a function and of Python's version, and the modules of its code."""
    walk = _Walk()
    return walk.of((function, sys.implementation.cache_tag, sys.flags.optimize)), frozenset(walk.modules)
