"""The benchmarks measure what they say: every simulator is covered, peers do the same work, slopes are right."""

import importlib
import json
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import replicate.papers
from replicate import certify
from replicate.contents import HOMES
from tests.benchmarks import cases, competitors, own, peers, report
from tests.conftest import FALSE_ALARM

ROOT = Path(__file__).parent.parent.parent
SIMULATOR = re.compile(r"(simulate(_|$)|exact_regret|run_|play_|leakage|best_sequence|window_ratio)")
ANALYSIS = re.compile(r"\.(checks|figures|experiments)\b")
NOT_PUBLISHED = {
    *(case.name for case in (*competitors.COMPETITORS, *own.OWN)), "Algorithm 3, two experts",
    "Algorithm 3, watched",
}  # fmt: skip
"""Cases that the committed page need not have yet; ``make bench PUBLISH=1`` adds them to it."""


def simulators():
    """Return the public kernels and simulators of the papers, by the module that defines them."""
    found = set()
    for module in pkgutil.walk_packages(replicate.papers.__path__, "replicate.papers."):
        if ANALYSIS.search(module.name):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            own = getattr(getattr(value, "py_func", value), "__module__", None) == module.name
            if own and callable(value) and SIMULATOR.match(name):
                found.add(f"{module.name.removeprefix('replicate.papers.')}.{name}")
    return found


def covered(chosen):
    return {name for case in chosen for name in case.covers}


def test_every_kernel_and_simulator_is_timed():
    untimed = simulators() - covered(cases.CASES)
    assert not untimed, (
        f"name them in covers= of a case of tests/benchmarks/cases.py: {', '.join(sorted(untimed))}"
    )
    without = [case for case in cases.CASES if case.name != "EXP3"]
    assert simulators() - covered(without) == {"bandits.algorithms.kernels.play_exp3"}


@pytest.mark.long
@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: f"{case.paper or 'ground'}: {case.name}")
def test_every_case_plays_at_its_smallest_sizes(case):
    for name in case.covers:
        module, _, function = name.rpartition(".")
        paper, _, inside = module.partition(".")
        home = f"{HOMES[paper]}.{inside}" if case.paper else f"replicate.{module}"
        assert callable(getattr(importlib.import_module(home.rstrip(".")), function))
    assert set(case.per) <= set(case.base)
    assert all(len(sizes) > 3 and case.base[axis] for axis, (sizes, _) in case.axes.items())
    smallest = {symbol: min((*case.axes.get(symbol, ((), 0))[0], size)) for symbol, size in case.base.items()}
    case.build(**smallest)()


def test_peers_do_the_same_work():
    """Both games of prefix softmax have one mean regret; the EXP3 beside our kernel learns."""
    slow, fast = peers.every_round(255, 2000)(), peers.block_sums(255, 2000)().final
    assert certify.two_sample(slow, fast) > FALSE_ALARM
    assert certify.two_sample(slow, peers.block_sums(300, 2000)().final) < FALSE_ALARM
    assert peers.numpy_exp3(10, 5_000)().argmax() == 0
    picks = {
        name: play()
        for name, play in (("ours", peers.selections(4, 4000)), ("NumPy", peers.numpy_selections(4, 4000)))
    }
    counts = [np.bincount(pick, minlength=4) for pick in picks.values()]
    law = np.exp(np.linspace(0, 1, 4) / 2)
    assert all(certify.goodness_of_fit(count, law) > FALSE_ALARM for count in counts)


def test_the_committed_page_tells_the_committed_numbers():
    results = json.loads((ROOT / "figures/benchmarks/results.json").read_text(encoding="utf-8"))
    text = (ROOT / "reports/benchmarks.md").read_text(encoding="utf-8")
    assert report.render(results) == text
    published = {(record["paper"], record["name"]) for record in results["cases"]}
    listed = {(case.paper, case.name) for case in cases.CASES}
    assert published <= listed
    missing = {name for _, name in listed - published} - NOT_PUBLISHED
    assert not missing, f"`make bench PUBLISH=1` adds them to the page: {', '.join(sorted(missing))}"
    examples = (ROOT / "examples/README.md").read_text(encoding="utf-8")
    assert report.with_summary(examples, results) == examples
    results["cases"][0]["ns"] *= 2
    results["executors"][1]["kept"] *= 2
    assert report.render(results) != text
    assert report.with_summary(examples, results) != examples
