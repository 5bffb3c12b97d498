"""Every fast face in the register is compared with a literal one; the statistics have their size and power."""

import importlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from replicate.learners import registry
from tests import agreement
from tests.conftest import FALSE_ALARM

TESTS = Path(__file__).parent


@cache
def compared():
    """Map each name that tests say they compare to those tests."""
    found = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        if "compares(" not in path.read_text() or path == Path(__file__):
            continue
        module = importlib.import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))
        for test in vars(module).values():
            names = getattr(test, "compares", ())
            for name in names if isinstance(names, tuple) else ():
                found.setdefault(name, []).append(f"{module.__name__}.{test.__name__}")
    return found


def faces():
    """Simulators, exact regrets and schemes of the register."""
    entries = registry.register().items()
    kinds = {"simulator": "simulate", "exact regret": "exact_regret", "with advice": "simulate_with_advice"}
    listed = [f"{kind}: {name}" for kind, face in kinds.items() for name, entry in entries if getattr(entry, face)]
    return [*listed, *(f"scheme: {name}" for name in registry.schemes())]


@pytest.mark.parametrize("face", faces())
def test_every_simulator_is_compared_with_a_literal_learner(face):
    assert face in compared()


def test_nothing_is_compared_that_does_not_exist():
    assert {name for name in compared() if not name.startswith("law: ")} <= set(faces())


SAMPLES = {
    "numbers": lambda rng, n: {"x": rng.laplace(size=(n, 3))},
    "ties": lambda rng, n: {"x": rng.laplace(size=(n, 2)).clip(-0.5, 0.5), "y": rng.poisson(3, n)},
    "rare values": lambda rng, n: {"x": rng.geometric(0.2, (n, 2))},
    "one value": lambda rng, n: {"x": np.zeros((n, 2)), "y": np.ones(n, dtype=int)},
}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_of_one_law_are_told_apart_as_rarely_as_stated(name, rng):
    """100 pairs at 5%: at most 5 are expected, and 20 would be one in ten million."""
    sample = SAMPLES[name]
    values = [agreement.apart(sample(rng, 300), sample(rng, 900)) for _ in range(100)]
    assert np.mean(np.array(values) < 0.05) <= 20 / 100
    assert all(0 <= p <= 1 for p in values)


@pytest.mark.parametrize(
    "other",
    [
        lambda x, rng: 1.3 * x,
        lambda x, rng: x + 0.3,
        lambda x, rng: np.repeat(x[:, :1], 3, axis=1),
        lambda x, rng: x.round(),
        lambda x, rng: np.where(rng.random(x.shape) < 0.1, 0.0, x),
    ],
    ids=["scale", "place", "one draw for all", "rounded", "some are missing"],
)
def test_samples_of_other_laws_are_told_apart(other, rng):
    first, second = rng.laplace(size=(8000, 3)), other(rng.laplace(size=(16_000, 3)), rng)
    assert agreement.apart({"x": first}, {"x": second}) < FALSE_ALARM
    assert agreement.columns_apart({"x": first, "y": first}, {"x": second, "y": first})["y"] > FALSE_ALARM


def test_draws_and_codes():
    laws = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.25, 0.25, 0.5]])
    found = agreement.drawn(np.broadcast_to(laws, (20_000, 3, 3)), np.random.default_rng(1))
    assert (found[:, 0] == 1).all()
    assert (found[:, 1] == 0).all()
    assert np.bincount(found[:, 2]) / 20_000 == pytest.approx([0.25, 0.25, 0.5], abs=0.03)
    assert agreement.codes([[0, 1, 2], [2, 0, 0]], 3).tolist() == [5, 18]
