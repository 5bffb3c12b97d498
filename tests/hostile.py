"""Hostile calls: every public callable answers a bad argument with a result or with one clear error.

`attack` takes a callable and a valid call of it, replaces one argument after the other by values that no one
should pass, and lets nothing through but a finite result, or a ValueError or TypeError that names the argument.
"""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from inspect import signature

import numpy as np

HOSTILE = (
    None, "x", "", object(), True, -1, 0, 0.5, 1, 2, -0.5, 1e-320, 1e300, 2**80, -(2**80), np.nan, np.inf, -np.inf,
    1j, np.float32(0.3), np.int64(3), np.array(0.3), (), [], {}, [0.5], [np.nan, 0.5], [[0.5, 2.0]],
    np.zeros((0, 3)), np.full((2, 2), np.nan), np.ones((2, 3, 4)), np.array(["a", "b"]), [[1.0], [1.0, 2.0]],
)  # fmt: skip
"""Wrong types, NaN, infinities, empty, huge, negative, wrong shapes; a few that are fine for some arguments."""

SECONDS = 20


class Hang(AssertionError):
    """The call did not come back."""


@contextmanager
def deadline(seconds):
    """End what takes more seconds of processor time: a busy machine's clock ends nothing."""

    def stop(*_):
        raise Hang(f"no answer within {seconds} s of processor time")

    old = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)


def has_nan(value, depth=3):
    """Return True if a result holds a NaN, in arrays, sequences, mappings and dataclasses."""
    if isinstance(value, float | complex | np.floating | np.ndarray):
        array = np.asarray(value)
        return array.dtype.kind in "fc" and bool(np.isnan(array).any())
    if depth == 0 or isinstance(value, str):
        return False
    if isinstance(value, dict):
        return any(has_nan(v, depth - 1) for v in value.values())
    if isinstance(value, list | tuple):
        return any(has_nan(v, depth - 1) for v in value)
    if is_dataclass(value) and not isinstance(value, type):
        return any(has_nan(getattr(value, f.name), depth - 1) for f in fields(value))
    return False


def complaint(function, arguments, name):
    """Return what is wrong with the answer to a call whose argument `name` is hostile, or None."""
    try:
        with deadline(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("error")
            result = function(**arguments)
    except (ValueError, TypeError) as error:
        return None if name.replace("_", " ").strip() in str(error).replace("_", " ") else f"unnamed: {error!r}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "NaN in silence" if has_nan(result) else None


def attack(function, valid, *, names=None):
    """Return complaints about one-argument mutations of a valid call, as readable lines.

    `valid` is a function that returns fresh arguments by name, so that generators are not shared. `names` are the
    arguments to attack, all of the signature's when None.
    """
    takes = {p.name for p in signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD}
    called, missing = names or takes, set(valid()) - (names or set()) - takes
    if missing:
        raise AssertionError(f"{function.__name__} takes no {', '.join(sorted(missing))}")
    found = [complaint(function, valid(), "")] if complaint(function, valid(), "") else []
    for name in sorted(called):
        if name in ("args", "kwargs"):
            continue
        for value in HOSTILE:
            wrong = complaint(function, valid() | {name: value}, name)
            if wrong:
                found.append(f"{function.__name__}({name}={value!r}): {wrong}")
    return found


def taken(function, valid, *, names=None):
    """Return the arguments, all of the signature's when None, for which a call takes a bare object and comes back.

    Nobody looks at them, or not before they are used: a sampler, say, is made and fails once it draws. Of what is
    an iterator the first item is asked for.
    """
    found = []
    for name in names or signature(function).parameters:
        with suppress(ValueError, TypeError):
            result = function(**valid() | {name: object()})
            if isinstance(result, Iterator):
                next(result)
            found.append(name)
    return found


def misplaced(function, valid, name, low, high):
    """Return where a range from `low` to `high` does not end: ends that are refused, and what is taken beyond.

    Whole numbers are tried one beyond, others a millionth beyond.
    """
    if isinstance(low, int):
        below, above = low - 1, high + 1
    else:
        below, above = low * (1 - 1e-6) if low > 0 else low - 1e-6, high * (1 + 1e-6)
    found = []
    for value, inside in ((low, True), (high, True), (below, False), (above, False)):
        try:
            function(**valid() | {name: value})
        except ValueError as error:
            if inside or name not in str(error):
                found.append(f"{function.__name__}({name}={value!r}): {error}")
        else:
            if not inside:
                found.append(f"{function.__name__}({name}={value!r}) is taken")
    return found
