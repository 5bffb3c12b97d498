"""Every proof holds, its control resists, and its leaves stand at another precision."""

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import pytest

from replicate.papers.distribution_learning import instances
from replicate.proofs import balls

pytest.importorskip("flint")


@dataclass(frozen=True)
class Case:
    """A proof by name, one argument with which it must resist, and the arguments of the claim."""

    name: str
    control: dict[str, Any]
    stated: dict[str, Any] = field(default_factory=dict)


CLASSES = instances.clipped()

TABLE = {
    "proofs.losses": [
        Case(name, {"spent": 1.01}) for name in ("softmax", "permute_and_flip", "randomized_response", "laplace")
    ],
    "papers.prefix_softmax.proofs": [
        Case("lemma_1", {"divisor": 7.8}),
        Case("lemma_2", {"largest_x": 1.6}),
        Case("lemma_3", {"noise_divisor": 1.02}),
        Case("proposition_1", {"readers": 2}),
        Case("lemma_4", {"factor": 3.9}),
        Case("equation_4", {"divisor": 4.5}, {"divisor": 4.58}),
        Case("drift", {"constant": 0.88}, {"constant": 0.87}),
    ],
    "papers.noisy_leader.proofs": [
        Case("lemma_2", {"factor": 0.99}),
        Case("lemma_3", {"constant": 1.35}, {"constant": 1.387}),
        Case("lemma_4", {"order": "decreasing"}),
        Case("equation_9", {"laplace_share": 0.51}),
        Case("gumbel_tail", {"divisor": 4}),
        Case("privacy", {"divisor": 1.02}),
        Case("optimal_rate", {"excess": 0.5042}, {"excess": 0.50421}),
        Case("laplace_density", {"form": "printed"}),
    ],
    "papers.tracking.proofs": [
        Case("lemma_2_2", {"noise_epsilon": 1.02}),
        Case("lemma_2_3", {"noise_epsilon": 1.02}),
        Case("lemma_2_4", {"constant": 3.95}, {"constant": 4}),
        Case("lemma_3_2", {"under_root": 1.99}),
        Case("log_moments", {"limit": 0.549}, {"limit": 0.63208}),
        Case("theorem_3_1", {"root": 8.4}),
        Case("theorem_4_1", {"exponent": 1.99}),
        Case("lemma_b3", {"factor": 3.95}, {"factor": 4}),
    ],
    "papers.bandits.proofs": [
        Case("lemma_18", {"noise": "Gaussian"}),
        Case("lemma_19", {"lowest": -0.001}),
        Case("lemma_20", {"factor": 3.95}, {"factor": 4}),
        Case("lemma_26", {"eta_times_loss": 1.8}, {"eta_times_loss": 1.79}),
        Case("second_moment", {"coefficient": 1.99}),
        Case("mixing_range", {"margin": 1.01}, {"margin": 0.99}),
    ],
    "papers.distribution_learning.proofs": [
        Case("lemma_1", {"rate_factor": 0.53}, {"rate_factor": 0.54}),
        Case("lemma_4", {"rate_factor": 0.53}, {"rate_factor": 0.54}),
        Case("second_order", {"losses": "negative"}),
        Case("step_c", {"epsilon": 1.76}, {"epsilon": 1.78}),
        Case(
            "n_cells",
            {"hypotheses": CLASSES["Dirichlet(0.3), K=4, M=8"]},
            {"hypotheses": CLASSES["three labels"]},
        ),
    ],
}
MODULES = {name: import_module(f"replicate.{name}") for name in TABLE}
cases = pytest.mark.parametrize(
    ("module", "case"),
    [pytest.param(MODULES[m], case, id=f"{m}.{case.name}") for m, table in TABLE.items() for case in table],
)


def run(module, case, precision=balls.PRECISION, **changed):
    return getattr(module, case.name)(precision, **{**case.stated, **changed})


@cases
def test_the_proof_holds(module, case):
    """As well with three times as many bits."""
    for precision in (balls.PRECISION, 192):
        proof = run(module, case, precision)
        assert proof.holds, [step for step in proof.steps if not step.holds]
        assert proof.margin >= 0


@cases
def test_the_control_resists(module, case):
    """With one argument changed, a step is certainly false, on a part of its box if it has one."""
    assert len(case.control) == 1
    proof = run(module, case, **case.control)
    assert not proof.holds
    assert proof.refuted
    for step in proof.refuted:
        assert step.margin < 0
        if step.kernel is not None:
            domain = balls.part(step.domain, step.resists)
            assert step.kernel(*(balls.ball(side) for side in domain)) < 0


@cases
def test_the_leaves_stand_at_another_precision(module, case):
    """They fill the box and are certified again, with fewer bits and with more."""
    for step in run(module, case).covers:
        for precision in (40, 256):
            assert balls.recheck(step.leaves, step.kernel, step.domain, precision=precision) > 0


@pytest.mark.parametrize("name", [name for name in TABLE if name.startswith("papers")])
def test_no_proof_is_left_out(name):
    public = {
        key for key, item in vars(MODULES[name]).items()
        if callable(item) and getattr(item, "__module__", "") == MODULES[name].__name__ and key[0] != "_"
    }  # fmt: skip
    assert public <= {case.name for case in TABLE[name]}
