"""Advice: which learner for which losses, by simulation at the reader's own sizes, beside what is proved."""

from replicate.advice.question import Question
from replicate.advice.race import Rule
from replicate.advice.ranking import advise

__all__ = ["Question", "Rule", "advise"]
