"""Bounds on regret of competitors that a reader can ask at sizes of their own: the register has their values."""

from __future__ import annotations

from replicate.claims.asking import Promise, by_rounds, of_learner

_FIXED = {"epsilon": 1.0, "n_actions": 8, "gap": 0.9, "horizon": 16_384}
_PLAIN = {size: value for size, value in _FIXED.items() if size != "epsilon"}


def _promises(*learners: str, nanoseconds: float = 60, at: dict[str, float]) -> tuple[Promise, ...]:
    """Bounds of learners at the synopsis's sizes."""
    return tuple(of_learner("SY-B", learner, at=at, work=by_rounds(nanoseconds)) for learner in learners)


PROMISES = (
    *_promises("hedge_tree_cube", "leader_tree_cube", "bit_tsallis_inf", at=_FIXED),
    *_promises("fixed_share_cube", "fixed_share_laplace", at=_FIXED | {"n_switches": 3}),
    *_promises("dp_se", "adap_ucb", "adap_klucb", nanoseconds=20, at=_FIXED),
    *_promises("hedge", "adahedge", "tsallis_inf_centred", "kl_ucb_proved", at=_PLAIN),
)
