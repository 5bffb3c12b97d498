"""Bounds on regret that a reader can ask at sizes of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature

from replicate.claims.asking import Own, Promise, by_blocks, of_learner
from replicate.papers.noisy_leader import bounds

_AT = {"epsilon": 1.0, "n_actions": 10, "gap": 0.1, "horizon": 2**40}


def _promise(claim: str, noise: str, formula: Callable[..., float], *, resample: bool = False) -> Promise:
    """A bound on one variant; formulas that read no noise, no gap or no horizon are not given it."""
    read = [name for name in signature(formula).parameters if name == "noise" or name in Own.__dataclass_fields__]

    def bound(at: Own) -> float:
        return formula(**{name: noise if name == "noise" else getattr(at, name) for name in read})

    work = by_blocks(8000 if noise == "laplace" else 300)
    return of_learner(claim, f"{noise}_resampled" if resample else noise, bound=bound, at=_AT, work=work)


PROMISES = (
    _promise("NL-T1", "laplace", bounds.theorem_1),
    _promise("NL-T2", "laplace", bounds.theorem_2, resample=True),
    *(_promise("NL-C1", noise, bounds.theorem_2, resample=True) for noise in ("gumbel", "exponential")),
    *(_promise("NL-C2", noise, bounds.corollary_2, resample=True) for noise in bounds.NOISES),
    *(_promise("NL-F6", noise, partial(bounds.optimal_rate, losses="any")) for noise in bounds.NOISES),
    *(_promise("NL-F7", noise, bounds.optimal_rate) for noise in bounds.NOISES),
)
