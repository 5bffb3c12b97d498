"""The paper's schemes in the registry: methods of the game on labels."""

from __future__ import annotations

from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from replicate.learners.entries import LabelEntry
from replicate.learners.protocol import Run
from replicate.papers.distribution_learning import bounds
from replicate.papers.distribution_learning.algorithms import schemes, simulation, streaming
from replicate.papers.distribution_learning.algorithms.bayes import merge_proportional
from replicate.papers.distribution_learning.algorithms.simulation import RiskRun


def _scheme(name: str, *, approximate: bool = False, privacy: str = "ε, local", **known: Any) -> LabelEntry:
    """A scheme; only one with approximate privacy reads delta."""

    def play(hypotheses: ArrayLike, observed: ArrayLike, *, delta: float, **options: Any) -> Run:
        return streaming.play_labels(
            hypotheses, observed, scheme=name, delta=delta if approximate else None, **options
        )

    def simulate(hypotheses: ArrayLike, *, delta: float = 1e-6, **options: Any) -> RiskRun:
        return simulation.simulate(hypotheses, scheme=name, delta=delta if approximate else None, **options)

    known = {"private": privacy != "none", "approximate": approximate, "local": privacy != "none"} | known
    if name not in ("pair_bits", "posterior"):
        known["bound"] = partial(_bound, name)
    return LabelEntry(
        name=name, paper="distribution_learning", privacy=privacy, play=play, simulate=simulate, **known
    )


def _bound(name: str, hypotheses: ArrayLike, *, epsilon: float, horizon: int, delta: float = 1e-6) -> float:
    """Return the bound on a scheme's risk on a class of distributions.

    It depends on the class by its size; on merged labels by their number, the largest of all contexts.
    """
    f = schemes.validate_hypotheses(hypotheses)
    n_labels = f.shape[2]
    if name == "merged_response":
        n_labels = max(merge_proportional(context)[1].shape[1] for context in f)
    setting: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon, "delta": delta}
    return bounds.of_scheme(name, n_hypotheses=f.shape[1], n_labels=n_labels, **setting)


LEARNERS = (
    _scheme(
        "pure",
        label="Algorithm 2 of paper 5",
        colour="#0072B2",
        summary="Algorithm 2: one noisy log density of each label",
        guarantee="KL risk: (1/ε) √(KT) log KT",
    ),
    _scheme(
        "approximate",
        label="Algorithm 1 of paper 5",
        colour="#D55E00",
        summary="Algorithm 1: all log densities of each label, with noise; reads delta",
        guarantee="KL risk, approximate privacy",
        privacy="(ε, δ), local",
        approximate=True,
    ),
    _scheme(
        "randomized_response",
        label="randomised response",
        colour="#009E73",
        summary="Section 3: the label, or another one",
        guarantee="KL risk: (M/ε) √(T log K)",
    ),
    _scheme(
        "non_private",
        label="no privacy",
        colour="#555555",
        summary="the label itself",
        guarantee="KL risk: log K",
        privacy="none",
    ),
    _scheme(
        "sign_bits",
        label="one bit of a random sign test",
        colour="#CC79A7",
        summary="a random public test of the label, one randomised bit of its value, Bayes' rule",
        guarantee="KL risk: (1/ε) √(KT) log^1.5 K; averaged TV: (1/ε) √(K log K/T)",
    ),
    _scheme(
        "pair_bits",
        label="one bit of a random pair's test",
        colour="#E69F00",
        summary="a random pair of hypotheses, one randomised bit of which is likelier, Bayes' rule",
        guarantee="for each class, by the price of its tests; none for all classes",
    ),
    _scheme(
        "merged_response",
        label="randomised response, alike labels merged",
        colour="#117733",
        summary="labels with proportional columns merged, then randomised response",
        guarantee="KL risk: (M'/ε) √(T log K), M' merged labels",
    ),
    _scheme(
        "posterior",
        label="Bayes' rule on Algorithm 2's messages",
        colour="#56B4E9",
        summary="Algorithm 2's users, Bayes' rule for weighted majority",
        guarantee="for each class, by the affinities of its messages; none for all classes",
    ),
)
