"""Advice: which learner for which losses, by simulation at the reader's own sizes, beside what is proved."""

from replicate.advice.advising import advise
from replicate.advice.answer import Advice
from replicate.advice.question import Question
from replicate.advice.race import Rule

__all__ = ["Advice", "Question", "Rule", "advise"]
