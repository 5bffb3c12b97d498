"""Every line of a printed listing is marked at the code that implements it, and no other line is."""

import inspect
import re
from importlib import import_module
from typing import NamedTuple

import pytest

from replicate.contents import HOMES, TEXTS


class Algorithm(NamedTuple):
    """A numbered algorithm of a paper, and the code that implements it."""

    paper: str
    number: int
    """As printed; 0 for the one algorithm of a paper that prints no listing."""
    steps: str
    """Lines of the listing that do something: each is marked at the line of code that does it."""
    learner: str
    """The class that plays round by round, from the paper's package on."""
    simulator: str
    kernel: str = ""
    """The compiled loop over rounds, where there is one."""


ALGORITHMS = tuple(
    Algorithm(paper, number, steps, *(f"algorithms.{name}" if name else "" for name in code))
    for paper, number, steps, *code in (
        ("prefix_softmax", 0, "", "PrefixSoftmax", "simulate"),
        ("noisy_leader", 1, "3, 5, 7, 8, 10, 12, 14, 16", "NoisyLeader", "simulate"),
        ("tracking", 1, "1, 3-4, 6, 8", "limited_updates.LimitedUpdates", "limited_updates.simulate_static"),
        ("tracking", 2, "1-3, 5-12", "restarts.Restarts", "simulation.simulate", "restarts.play"),
        ("tracking", 3, "2, 4-7", "mirror_descent.MirrorDescent", "simulation.simulate",
         "mirror_descent.play_mirror"),
        ("bandits", 1, "1, 4-5, 7-12", "literal.PrivateBandit", "simulation.simulate", "kernels.play"),
        ("bandits", 2, "1, 4-5, 7, 9-12, 14-16", "literal.BatchedExp4", "advice.simulate_experts",
         "advice_kernels.play_batched"),
        ("bandits", 3, "1, 4-7", "literal.EXP3", "simulation.simulate", "kernels.exp3_observe"),
        ("bandits", 4, "1, 4-8, 10-13, 17-18", "literal.FTPL", "simulation.simulate",
         "kernels.ftpl_observe"),
        ("bandits", 5, "3, 6-11", "literal.ExpertBandit", "advice.simulate_experts"),
        ("bandits", 6, "1, 4-11", "literal.LocalExp4", "advice.simulate_experts",
         "advice_kernels.play_local"),
        ("distribution_learning", 1, "2, 4-8", "streaming.Predictor", "simulation.simulate", "walk.Walk"),
        ("distribution_learning", 2, "2, 4-8", "streaming.Predictor", "simulation.simulate", "walk.Walk"),
    )
)  # fmt: skip
"""Every algorithm of the papers, in their order."""

PRINTED = {"noisy_leader": {1}, "tracking": {1, 2, 3}, "bandits": {*range(1, 7)}, "distribution_learning": {1, 2}}
"""Numbers of the algorithms in each paper's text."""


def resolved(paper, name):
    """The object of that name in the paper's package, and the module that it stands in."""
    module, _, attribute = f"{HOMES[paper]}.{name}".rpartition(".")
    return getattr(import_module(module), attribute), import_module(module)


def numbers(text):
    """Line numbers in a list such as "3, 5-7"."""
    spans = [part.split("-") for part in text.split(",")]
    return {n for span in spans for n in range(int(span[0]), int(span[-1]) + 1)}


def marked(source):
    """Line numbers that comments of a source name: ``# line 7`` or ``# lines 5-6, 9``."""
    lists = re.findall(r"# lines? (\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*)", source)
    return {n for listed in lists for n in numbers(listed)}


def test_every_numbered_algorithm_is_in_the_index():
    assert {*TEXTS} == {a.paper for a in ALGORITHMS}
    for paper, listed in PRINTED.items():
        assert {a.number for a in ALGORITHMS if a.paper == paper} == listed


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: f"{a.paper}-{a.number}")
def test_the_code_marks_the_lines_of_the_listing(algorithm):
    learner, _ = resolved(algorithm.paper, algorithm.learner)
    assert {"act", "observe"} <= set(dir(learner)) or callable(learner)
    steps = numbers(algorithm.steps) if algorithm.steps else set()
    assert marked(inspect.getsource(learner)) == steps
    if algorithm.kernel:
        kernel, _ = resolved(algorithm.paper, algorithm.kernel)
        inside = marked(inspect.getsource(getattr(kernel, "py_func", kernel)))
        assert inside <= steps
        assert inside or not steps
    if algorithm.simulator:
        assert callable(resolved(algorithm.paper, algorithm.simulator)[0])
