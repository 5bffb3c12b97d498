"""Bounds on regret of competitors that a reader can ask at sizes of their own: the register has their values."""

from __future__ import annotations

from replicate.claims.asking import Promise, by_rounds, of_learner

_FIXED = {"epsilon": 1.0, "n_actions": 8, "gap": 0.9, "horizon": 16_384}
_SWITCHES = _FIXED | {"n_switches": 3}


_PLAIN = {size: value for size, value in _FIXED.items() if size != "epsilon"}


def _promises(claim: str, *learners: str, nanoseconds: float, at: dict[str, float]) -> tuple[Promise, ...]:
    """A claim's learners at the synopsis's sizes."""
    return tuple(of_learner(claim, learner, at=at, work=by_rounds(nanoseconds)) for learner in learners)


PROMISES = (
    *_promises("SY-B-TREE", "hedge_tree_cube", "leader_tree_cube", nanoseconds=60, at=_FIXED),
    *_promises("SY-B-BATCH", "fixed_share_cube", "fixed_share_laplace", nanoseconds=60, at=_SWITCHES),
    *_promises("SY-B-PHASE", "dp_se", "adap_ucb", "adap_klucb", nanoseconds=20, at=_FIXED),
    *_promises("SY-B-BIT", "bit_tsallis_inf", nanoseconds=60, at=_FIXED),
    *_promises(
        "SY-B-PLAIN", "hedge", "adahedge", "tsallis_inf_centred", "kl_ucb_proved", nanoseconds=60, at=_PLAIN
    ),
)
