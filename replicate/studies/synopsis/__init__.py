"""The five papers side by side: their learners on common instances at equal privacy, and which one to use.

Privacy is that of the whole published sequence of actions when all losses of one round are replaced, with
the calibrations that attain it. The papers disagree on what is known of the losses, on what the learner
sees and on the comparator; the synopsis says which of these each number is about. The learners come from the
registry, `replicate.learners`; here are the instances that they are compared on.
"""

from typing import Any

from replicate import deferred


def _public() -> dict[str, Any]:
    from replicate.studies.synopsis.instances import clock_trap, good_arm, restart_trap, shifting

    return locals()


__all__, __getattr__ = deferred(__name__, _public)
