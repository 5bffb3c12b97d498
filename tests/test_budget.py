"""Write down what confidence limits spend where they are computed; shared limits count once."""

import ast
import functools
from pathlib import Path

import numpy as np
import pytest

from replicate import budget, certify
from replicate.claims import Comparison, Evidence, compare
from replicate.workbook import sweep

SAMPLES = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    ("limit", "spent"),
    [
        (lambda: certify.mean_upper(SAMPLES, false_alarm=0.01), 0.03),
        (lambda: certify.mean_lower(SAMPLES[:, 0], false_alarm=0.01), 0.01),
        (lambda: certify.mean_interval(SAMPLES[:, 0], false_alarm=0.01), 0.01),
        (lambda: certify.bernstein_upper(SAMPLES, width=12, false_alarm=0.02), 0.06),
        (lambda: certify.betting_upper(SAMPLES, low=0, high=12, false_alarm=0.02), 0.06),
        (lambda: certify.truncated_upper(SAMPLES, largest=[12] * 3, tails=[12] * 3, false_alarm=0.02), 0.02),
        (lambda: certify.truncated_upper(SAMPLES, largest=[1e9] * 3, tails=[0] * 3, false_alarm=0.02), 0),
        (lambda: certify.clopper_pearson(3, 10, false_alarm=0.01), 0.01),
        (lambda: certify.binomial_lower(3, 10, false_alarm=0.01), 0.01),
        (lambda: certify.binomial_upper(3, 10, false_alarm=0.01), 0.01),
        (lambda: certify.quantile_upper(SAMPLES[:, 0], level=0.5, false_alarm=0.01), 0.01),
        (lambda: certify.log_log_slope([1, 2, 4], 1 + SAMPLES, false_alarm=0.01), 0.01),
        (lambda: certify.band(SAMPLES[:, 0], level=0.9), 0),
    ],
)
def test_every_limit_enters_the_book(limit, spent):
    _, book = budget.noted(limit)
    assert budget.total(book) == pytest.approx(spent)


def test_limits_of_several_claims_are_counted_and_added_up_once():
    assert budget.together({1: 0.01, 2: 0.02}, {2: 0.02, 3: 0.04}) == (3, pytest.approx(0.07))


def test_an_open_book_hears_of_limits_in_books_inside_it():
    def limit():
        certify.clopper_pearson(0, 10, false_alarm=0.01)

    def limits():
        _, inner = budget.noted(limit)
        limit()
        return inner

    inner, outer = budget.noted(limits)
    assert budget.total(inner) == 0.01
    assert budget.total(outer) == budget.total(inner, outer) == 0.02


@pytest.mark.parametrize(("remember", "second"), [(budget.cache, 0.01), (functools.cache, 0)])
def test_a_remembered_limit_counts_for_each_claim_and_once_in_all(remember, second):
    """The twin forgets what it spent when it remembers the result."""

    @remember
    def limit(successes):
        return certify.clopper_pearson(successes, 10, false_alarm=0.01)

    books = [budget.noted(limit, 3)[1] for _ in range(2)]
    assert [budget.total(book) for book in books] == [0.01, second]
    assert budget.total(*books) == 0.01
    assert limit(3) == limit(3)


@pytest.mark.parametrize(("remember", "computed"), [(budget.cache, 1), (functools.cache, 3)])
def test_one_call_may_be_written_in_several_ways(remember, computed):
    """By place, by name, by default; another value is another call."""
    calls = []

    @remember
    def answer(seed, factor=2.0):
        calls.append((seed, factor))
        return seed * factor

    assert answer(7) == answer(7, 2.0) == answer(factor=2.0, seed=7) == 14
    assert calls == [(7, 2)] * computed
    assert answer(7, 3.0) == 21
    assert len(calls) == computed + 1


def test_arguments_that_have_a_name_only_are_told_apart():
    @budget.cache
    def answer(seed, *, factor=2.0):
        return seed * factor

    assert [answer(7), answer(seed=7, factor=3.0), answer(7, factor=5.0)] == [14, 21, 35]


def _cell(rng):
    return {"upper": certify.mean_upper(rng.random(10))}


def test_a_cell_of_a_sweep_computes_no_limits():
    """A cell's result lies in a file or comes from another process: no book hears of it."""
    with pytest.raises(RuntimeError, match="outside the cells"):
        sweep.run([sweep.Cell("budget", ())], _cell, seed=1)


def test_an_outcome_counts_the_check_and_not_its_control():
    def check(profile, seed, *, share):
        high = certify.clopper_pearson(0, 100, false_alarm=share).high
        return Evidence(measured=high, limit=0.2)

    comparison = Comparison(check=check, stated={"share": 1e-3}, control={"share": 1e-100})
    outcome = compare(comparison, profile="quick", seed=1)
    assert outcome.stands
    assert outcome.false_alarm == 1e-3


RANGES = {
    "betting_upper": "high", "betting_lower": "low", "bernstein_upper": "width", "truncated_upper": "largest",
}  # fmt: skip
"""Limits that need no normality, and the argument that says what samples could be, not just what they are."""


def ranges_of_samples(text):
    """Calls of such limits whose range is an extreme of what the samples are made of, in a module's text."""
    for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        for given in call.keywords if name in RANGES and call.args else ():
            extreme = {getattr(part, "attr", "") for part in ast.walk(given.value)} & {
                "max",
                "min",
                "amax",
                "amin",
            }
            if given.arg == RANGES[name] and extreme and names(given.value) & names(call.args[0]):
                yield name


def names(expression):
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)} - {"np", "float"}


def test_limits_do_not_take_their_range_from_the_samples():
    package = Path(budget.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    limited = {path: text for path, text in texts.items() if any(name in text for name in RANGES)}
    assert len(limited) > 10
    assert not [path.name for path, text in limited.items() if any(ranges_of_samples(text))]
    assert list(ranges_of_samples("certify.betting_upper(run.final, low=x.min(), high=gaps.max())")) == []
    twin = "certify.betting_upper(run.final, low=0, high=float(np.max(run.final)))"
    assert list(ranges_of_samples(twin)) == ["betting_upper"]


QUANTILES = {"isf", "ppf"}
UNBOOKED = {
    "audit/sampling.py": "promises of events; the limit that follows is booked",
    "audit/divergences.py": "promises of events; the limit that follows is booked",
    "papers/noisy_leader/experiments/__init__.py": "scatter of an exact curve, nothing drawn",
}
"""Modules besides `certify` with functions that take quantiles and spend nothing, and why."""


def unbooked(text):
    """Functions of a module that take a quantile and do not spend."""
    for node in ast.walk(ast.parse(text)) if any(name in text for name in QUANTILES) else ():
        if isinstance(node, ast.FunctionDef):
            functions = (getattr(part, "func", None) for part in ast.walk(node))
            called = {function.attr for function in functions if isinstance(function, ast.Attribute)}
            if called & QUANTILES and "spend" not in called:
                yield node.name


def test_limits_outside_certify_are_booked_or_say_why_not():
    package = Path(budget.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py") if path.name != "certify.py"}
    found = {path.relative_to(package).as_posix() for path, text in texts.items() if any(unbooked(text))}
    new = ", ".join(sorted(found - set(UNBOOKED)))
    assert found == set(UNBOOKED), (
        f"call budget.spend where a limit is computed, or say in UNBOOKED why not: {new}"
    )


def test_a_quantile_that_nobody_books_is_seen():
    text = "def f(x):\n    budget.spend(0.1)\n    return stats.t.isf(0.1, x)"
    assert list(unbooked(text)) == []
    assert list(unbooked(text.replace("budget.spend(0.1)", "pass"))) == ["f"]
