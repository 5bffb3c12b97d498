"""The five papers side by side: their learners on common instances at equal privacy, and which one to use.

Privacy is that of the whole published sequence of actions when all losses of one round are replaced, with
the calibrations that attain it. The papers disagree on what is known of the losses, on what the learner
sees and on whom it competes with; the synopsis says which of these each number is about.
"""

from replicate.papers.synopsis.learners import LEARNERS, regret

__all__ = ["LEARNERS", "regret"]
