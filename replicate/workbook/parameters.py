"""The parameters of a notebook, checked before anything runs: names, types and ranges."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from replicate import validation
from replicate.claims.asking import Own
from replicate.learners.dyadic import MAX_HORIZON
from replicate.profiles import PROFILES

_SIZES = {
    "EPSILON": "epsilon", "N_ACTIONS": "n_actions", "N_HYPOTHESES": "n_actions", "N_LABELS": "n_labels",
    "GAP": "gap", "HORIZON": "horizon", "N_SWITCHES": "n_switches",
}  # fmt: skip
"""Parameters that are sizes of a setting, and their names there."""
_OTHERS: dict[str, Callable[[str, Any], Any]] = {
    "PROFILE": lambda name, value: validation.choice(name, value, tuple(PROFILES)),
    "SEED": lambda name, value: validation.count(name, value, low=0),
    "OUTPUT": validation.text,
    "MEASURE": validation.flag,
    "LONG_HORIZON": lambda name, value: validation.count(name, value, high=MAX_HORIZON),
}


def checked(
    given: Mapping[str, Any], *, admitted: Callable[..., Any] | None = None, **choices: tuple[str, ...]
) -> dict[str, Any]:
    """Return a notebook's parameters with whole numbers as such, 100000 for 1e5; refuse those that cannot be.

    Parameters
    ----------
    given
        Names and values; names that no notebook has as a parameter are passed over.
    admitted
        Refuses sizes that do not fit together: those among its arguments, by the names of a setting.
    **choices
        The words that a parameter of this notebook may be.

    Raises
    ------
    ValueError
        With the name of the parameter, its range, and what it is.

    Examples
    --------
    >>> checked({"HORIZON": 1e5, "rng": None})
    {'HORIZON': 100000}
    """
    values = {name: check(name, given[name]) for name, check in _OTHERS.items() if name in given}
    values |= {name: validation.choice(name, given[name], words) for name, words in choices.items()}
    named = {size: name for name, size in _SIZES.items() if name in given}
    try:
        sizes = _sizes({size: given[name] for size, name in named.items()})
        if admitted is not None:
            admitted(**{size: sizes[size] for size in inspect.signature(admitted).parameters if size in sizes})
    except ValueError as error:
        words = "|".join(named)
        raise ValueError(re.sub(rf"\b({words})\b", lambda found: named[found[0]], str(error))) from None
    return values | {name: sizes[size] for size, name in named.items()}


def _sizes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return sizes as a setting has them, a finite privacy level among them."""
    if "epsilon" in given:
        validation.positive("epsilon", given["epsilon"])
    own = Own(**{"n_actions": 2, "horizon": 2, **given})
    for other, factor, most in (("n_switches", own.n_switches + 1, 10**5), ("n_labels", own.n_labels, 10**6)):
        if own.n_actions * factor > most and "n_actions" in given:
            others = f" and {other} = {given[other]}" if other in given else ""
            raise ValueError(f"n_actions = {own.n_actions}{others} are too many for a notebook: at most {most:,}")
    return {size: getattr(own, size) for size in given}
