"""Every line of a printed listing is marked at the code that implements it, and no other line is."""

import inspect
import re
from importlib import import_module

import pytest

from replicate.contents import ALGORITHMS, HOMES, TEXTS

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
