"""Bounds on regret that a reader can ask at sizes of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from typing import Any

from replicate.claims.asking import Own, Promise, by_blocks, formula, of_learner
from replicate.papers.noisy_leader import bounds

_AT = {"epsilon": 1.0, "n_actions": 10, "gap": 0.1, "horizon": 2**40}
_NANOSECONDS = {"gumbel": (300, 0.0), "exponential": (300, 0.6), "laplace": (8000, 1.3)}
"""Of a run, for an action and a block: see `by_blocks`."""
_SHORT = _AT | {"gap": 1.0, "horizon": 16}


def _promise(
    claim: str, noise: str, function: Callable[..., float], *, resample: bool = False, at: Any = None, **more: Any
) -> Promise:
    """A bound on one variant; formulas that read no noise, no gap or no horizon are not given it."""
    known = {name: noise for name in signature(function).parameters if name == "noise"}
    about = {name: more.pop(name) for name in ("fixed", "relation", "scope") if name in more}
    sizes = [name for name in signature(function).parameters if name in _AT]
    return of_learner(
        claim, f"{noise}_resampled" if resample else noise, bound=formula(function, *sizes, **known, **more),
        at=at or _AT, work=by_blocks(*_NANOSECONDS[noise]), **about,
    )  # fmt: skip


def potential(n_actions: int, epsilon: float, noise: str) -> float:
    """Return `bounds.potential` at the scale of an epsilon-private learner."""
    return bounds.potential(n_actions=n_actions, noise=noise, scale=2 / epsilon)


def for_some_means(n_actions: int, epsilon: float) -> float:
    """Return NL-T3a's lower bound, c_1 log K / epsilon with c_1 = ln(4/3) / ln 2."""
    return math.log(4 / 3) / math.log(2) * math.log(n_actions) / epsilon


def enough_rounds(own: Own) -> str:
    """NL-T3a is for T of at least ln K / epsilon."""
    return "" if own.horizon >= math.log(own.n_actions) / own.epsilon else "NL-T3a is for T of at least ln K / ε"


def largest_gap(own: Own) -> str:
    """The instances of Theorem 3 have losses 0 and 1."""
    return "" if own.gap == 1 else "the instances of Theorem 3 have gap 1"


def hard_instance(own: Own) -> str:
    """Return why rounds or losses are outside of NL-T3a, nothing where they are inside."""
    return enough_rounds(own) or largest_gap(own)


PROMISES = (
    _promise("NL-T1", "laplace", bounds.theorem_1),
    _promise("NL-T2", "laplace", bounds.theorem_2, resample=True),
    *(_promise("NL-C1", noise, bounds.theorem_2, resample=True) for noise in ("gumbel", "exponential")),
    *(_promise("NL-C2", noise, bounds.corollary_2, resample=True) for noise in bounds.NOISES),
    *(_promise("NL-F6", noise, bounds.optimal_rate, losses="any") for noise in bounds.NOISES),
    *(_promise("NL-F7", noise, bounds.optimal_rate) for noise in bounds.NOISES),
    *(_promise("NL-C3", noise, bounds.corollary_3, fixed=True) for noise in bounds.NOISES),
    *(_promise("NL-T4", noise, bounds.theorem_4, fixed=True) for noise in ("gumbel", "exponential")),
    *(_promise("NL-F2", noise, potential, fixed=True) for noise in bounds.NOISES),
    *(
        _promise(claim, noise, function, fixed=True, relation=">=", at=_SHORT, scope=scope)
        for claim, function, scope in (
            ("NL-T3", bounds.theorem_3, largest_gap),
            ("NL-T3i", bounds.theorem_3_integral, largest_gap),
            ("NL-T3a", for_some_means, hard_instance),
        )
        for noise in bounds.NOISES
    ),
)
