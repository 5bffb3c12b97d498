"""Advice for labels that nobody may see: which scheme to release them with, by simulation beside what is proved.

Paper 5's game: a round is a person's label, drawn from one of K known distributions; the learner predicts its
distribution from private messages about earlier labels. Every scheme is local: nobody is trusted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from replicate import certify, validation
from replicate.advice.game import LEVEL
from replicate.advice.rows import ENOUGH, KINDS
from replicate.advice.text import finite, listed, short, table
from replicate.learners import registry
from replicate.learners.entries import LabelEntry
from replicate.learners.protocol import MAX_REPLICATES
from replicate.streams import stream
from replicate.validation import FloatArray

CLASSES = 3
"""Classes of distributions, all drawn from a Dirichlet(1) distribution, on which schemes are compared."""
_MOST, _GRID = 400, 100
_LARGEST = 2**22
_PAIRS = 2**27


@dataclass(frozen=True, kw_only=True)
class LabelQuestion:
    """A question for a scheme.

    Attributes
    ----------
    n_hypotheses
        K, 2 to 1024.
    n_labels
        M, 2 to 10**6; times K at most 2**22.
    rounds
        Number of labels T, 2 to 2**59.
    epsilon
        Privacy of one label, 1e-6 to 50.
    delta
        0 for pure privacy; up to 1e-2 otherwise.

    Raises
    ------
    ValueError
        If an argument is out of range: one sentence says how.

    Examples
    --------
    >>> LabelQuestion(n_hypotheses=4, n_labels=1024, rounds=1e10, epsilon=1).rounds
    10000000000
    """

    n_hypotheses: int
    n_labels: int
    rounds: int
    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        checked = {
            "n_hypotheses": validation.count("n_hypotheses", self.n_hypotheses, low=2, high=1024),
            "n_labels": validation.count("n_labels", self.n_labels, low=2, high=10**6),
            "rounds": validation.count("rounds", self.rounds, low=2, high=2**59),
            "epsilon": validation.real("epsilon", self.epsilon, low=1e-6, high=50),
            "delta": validation.real("delta", self.delta, low=0, high=1e-2),
        }
        if checked["n_hypotheses"] * checked["n_labels"] > _LARGEST:
            raise ValueError(
                f"n_labels times n_hypotheses must be at most 2**22, got {self.n_labels} times {self.n_hypotheses}"
            )
        vars(self).update(checked)

    def refusal(self, scheme: LabelEntry) -> str:
        """Say why a scheme is no answer to the question; empty when it is one, or a benchmark without privacy."""
        if scheme.approximate and not self.delta:
            return "needs delta > 0"
        if scheme.name == "pair_bits" and self.n_hypotheses**2 * self.n_labels > _PAIRS:
            return "has too many pairs of hypotheses"
        return ""


def advise_labels(
    question: LabelQuestion,
    *,
    hypotheses: ArrayLike | None = None,
    budget: float = 20.0,
    replicates: int | None = None,
    seed: int = 2026,
) -> LabelAdvice:
    """Say which scheme of the registry to use, by simulation at a question's sizes beside what is proved.

    Parameters
    ----------
    question
        What is known.
    hypotheses
        The reader's own class of distributions, shape (K, M), positive; None for three Dirichlet(1) classes.
    budget
        Seconds on the clock for the simulations, 1 to 1e5, after compiling. Schemes that would need more are
        skipped, and the reason says how much.
    replicates
        None: as many as the budget allows. Otherwise 2 to 10**6 of each scheme, the same numbers everywhere.
    seed
        Root of the random streams, a non-negative integer.

    Returns
    -------
    The answer. Its ranking has one row per scheme: those with a bound that holds on every class, from the smallest
    risk to the largest; those without one; the benchmark without privacy; what was skipped or does not fit, and
    why. Columns as those of `replicate.advice.rows.ranked`; `regret` is the mean KL risk over the classes, in
    nats, the truth being the first distribution of each.
    """
    if not isinstance(question, LabelQuestion):
        raise ValueError(f"question must be a LabelQuestion, got {question!r:.200}")
    budget = validation.real("budget", budget, low=1, high=1e5)
    seed = validation.count("seed", seed, low=0)
    many = None if replicates is None else validation.count("replicates", replicates, low=2, high=MAX_REPLICATES)
    classes = _classes(question, hypotheses)
    schemes = list(registry.schemes().values())
    fitting = [scheme for scheme in schemes if not question.refusal(scheme)]
    played: dict[str, tuple[list[FloatArray], float]] = {}
    skipped: dict[str, float] = {}
    for place, scheme in enumerate(fitting):
        share = math.inf if many else budget / (len(fitting) - place)
        foretold = 0.0 if many else len(classes) * _foretold(question, scheme)
        if 2 * foretold > share:
            skipped[scheme.name] = 2 * foretold
            continue
        start = time.perf_counter()
        finals = _run(question, scheme, classes, many or 2, seed)
        taken = time.perf_counter() - start
        seconds = taken / (many or 2)
        affordable = int(min((share - taken) / max(seconds, 1e-4), _MOST)) if many is None else 0
        if affordable > 2:
            finals = _run(question, scheme, classes, affordable, seed)
        budget -= time.perf_counter() - start
        played[scheme.name] = (finals, seconds)
    if not any(scheme.name in played and scheme.bound is not None for scheme in fitting):
        least = math.ceil(len(fitting) * min(skipped.values()))
        raise ValueError(f"budget must be about {least:,} s for a scheme to be tried at these sizes, see --budget")
    return LabelAdvice(question, _ranking(question, schemes, classes, played, skipped))


_NARROW = ((4, 64), (8, 1024))
"""Hypotheses and labels of the games from which the seconds of larger ones are foretold."""


def _foretold(question: LabelQuestion, scheme: LabelEntry) -> float:
    """Foretell the seconds of a replicate on one class: linear in K M, and in K again where pairs are compared."""
    seconds, sizes = [], []
    for k, m in _NARROW:
        small = replace(question, n_hypotheses=min(k, question.n_hypotheses), n_labels=min(m, question.n_labels))
        classes = _classes(small, None)[:1]
        _run(small, scheme, classes, 1, 0)  # compiles
        start = time.process_time()
        _run(small, scheme, classes, 1, 0)
        seconds.append(time.process_time() - start)
        sizes.append(small.n_hypotheses * small.n_labels)
    slope = max(seconds[1] - seconds[0], 0.0) / max(sizes[1] - sizes[0], 1)
    pairs = max(question.n_hypotheses / _NARROW[-1][0], 1) if scheme.name == "pair_bits" else 1
    return seconds[1] + slope * pairs * max(question.n_hypotheses * question.n_labels - sizes[1], 0)


def _classes(question: LabelQuestion, hypotheses: ArrayLike | None) -> list[FloatArray]:
    """The classes of distributions, shapes (K, M)."""
    k, m = question.n_hypotheses, question.n_labels
    if hypotheses is not None:
        given = validation.probabilities("hypotheses", hypotheses, ndim=2)
        if given.shape != (k, m):
            raise ValueError(f"hypotheses must have the shape ({k}, {m}) of the question, got {given.shape}")
        return [given]
    return [stream(0, "advice/labels", k, m, i).dirichlet(np.ones(m), size=k) for i in range(CLASSES)]


def _run(
    question: LabelQuestion, scheme: LabelEntry, classes: Sequence[FloatArray], replicates: int, seed: int
) -> list[FloatArray]:
    """Risks of a scheme on each class: shapes (replicates,)."""
    return [
        scheme.simulate(
            laws, epsilon=question.epsilon, delta=question.delta, horizon=question.rounds, replicates=replicates,
            grid=_GRID, rng=stream(seed, "advice/labels", scheme.name, i),
        ).final
        for i, laws in enumerate(classes)
    ]  # fmt: skip


def _ranking(
    question: LabelQuestion,
    schemes: Sequence[LabelEntry],
    classes: Sequence[FloatArray],
    played: Mapping[str, tuple[list[FloatArray], float]],
    skipped: Mapping[str, float],
) -> pd.DataFrame:
    """The ranking; see `advise_labels`."""
    uniform = float(np.mean([question.rounds * _divergence(f[0], f.mean(axis=0)) for f in classes]))
    rows = [_row(question, scheme, classes, played.get(scheme.name), uniform) for scheme in schemes]
    data = pd.DataFrame(rows)
    for name, seconds in skipped.items():
        reason = f"skipped: 2 replicates need about {seconds:,.1f} s; see --budget"
        data.loc[data["learner"] == name, ["kind", "reason"]] = "skipped", reason
    free = data.loc[data["kind"] == "not private", "regret"].min()
    data["of_non_private"] = data["regret"] / free if free > 0 else math.nan
    data["order"] = data["kind"].map({kind: i for i, kind in enumerate(KINDS)})
    return data.sort_values(["order", "regret"], ignore_index=True).drop(columns="order")


def _divergence(truth: FloatArray, prediction: FloatArray) -> float:
    seen = truth > 0
    return float(truth[seen] @ np.log(truth[seen] / prediction[seen]))


def _row(
    question: LabelQuestion,
    scheme: LabelEntry,
    classes: Sequence[FloatArray],
    measured: tuple[list[FloatArray], float] | None,
    uniform: float,
) -> dict[str, object]:
    bands = [] if measured is None else [certify.band(finals, level=LEVEL) for finals in measured[0]]
    risk = float(np.mean([band.estimate for band in bands])) if bands else math.nan
    half = math.sqrt(sum((band.high - band.estimate) ** 2 for band in bands)) / len(bands) if bands else math.nan
    kind = "unfit" if not bands else "not private" if not scheme.private else ""
    rough = measured is not None and len(measured[0][0]) < ENOUGH
    bound, promise = math.nan, "none for all classes"
    if scheme.bound is not None and bands:
        options = {"epsilon": question.epsilon, "delta": question.delta, "horizon": question.rounds}
        bound = float(np.mean([scheme.bound(laws, **options) for laws in classes]))
        promise = "vacuous here" if bound > uniform else "holds here"
    return {
        "learner": scheme.name, "label": scheme.label,
        "kind": kind or ("guaranteed" if scheme.bound is not None else "no guarantee"),
        "regret": risk, "half_width": half, "rough": rough,
        "of_uniform": risk / uniform if uniform > 0 else math.nan, "bound": bound, "promise": promise,
        "privacy": scheme.privacy, "rounds": question.rounds, "seconds": measured[1] if measured else math.nan,
        "reason": question.refusal(scheme), "cost": scheme.cost,
    }  # fmt: skip


@dataclass(frozen=True, eq=False)
class LabelAdvice:
    """The answer, which prints itself as six lines and a program.

    Attributes
    ----------
    question
        What was asked.
    ranking
        See `advise_labels`.
    """

    question: LabelQuestion
    ranking: pd.DataFrame

    @property
    def best(self) -> Mapping[str, Any]:
        """The row of the scheme of least risk among those with a bound."""
        return self.ranking[self.ranking["kind"] == KINDS[0]].iloc[0].to_dict()

    @property
    def program(self) -> str:
        """A whole program that runs as printed."""
        q, scheme = self.question, registry.schemes()[str(self.best["learner"])]
        arguments = f"scheme={scheme.name!r}, epsilon={q.epsilon!r}, horizon={q.rounds}"
        arguments += f", delta={q.delta!r}" if scheme.approximate else ""
        imports = "import numpy as np\nfrom replicate.papers.distribution_learning import Predictor, User\n"
        return f"""{imports}
rng = np.random.default_rng()  # seed it to repeat a run
hypotheses = rng.dirichlet(np.ones({q.n_labels}), size={q.n_hypotheses})  # or a class of yours: one row per law
labels = rng.choice({q.n_labels}, size={min(q.rounds, 1000)}, p=hypotheses[0])  # or labels of yours
given = dict({arguments})
user, predictor = User(hypotheses, **given, rng=rng), Predictor(hypotheses, **given)
loss = 0.0
for label in labels:
    loss -= np.log(predictor.predict()[label])
    predictor.observe(user.release(label))  # all that leaves the user
print(f"log loss {{loss:,.1f}} nats in {{len(labels):,}} rounds")
print("weights of the distributions", np.exp(predictor.log_weights).round(3))
"""

    def lines(self) -> dict[str, str]:
        """Return the six lines: use, cost, assumption, guarantee, what is open, the verdict."""
        best, uniform = self.best, self.best["of_uniform"]
        rivals = self.ranking[self.ranking["kind"].isin(KINDS[:2]) & (self.ranking["learner"] != best["learner"])]
        tied = [
            row.learner for row in rivals.itertuples()
            if row.regret - best["regret"] <= math.hypot(row.half_width, best["half_width"])
        ]  # fmt: skip
        skipped = self.ranking[self.ranking["kind"] == "skipped"]["learner"]
        said = [f"not told apart: {listed(tied)}"] * bool(tied) + [f"not tried: {listed(skipped)}"] * bool(
            len(skipped)
        )
        share = f"{uniform:.2g} of the uniform mixture's, " if uniform == uniform else ""
        learns = uniform * (best["regret"] + best["half_width"]) < best["regret"]
        holds = "" if best["promise"] == "holds here" else ", which is vacuous here"
        return {
            "use": f"{best['label']} ({best['learner']}), {best['privacy']}-private; no trusted curator is needed",
            "costs": (
                f"risk {short(best['regret'])} ± {short(best['half_width'])} nats (99%), {share}"
                f"{short(best['of_non_private'])} times that without privacy"
            ),
            "assumes": "labels are drawn from one of the laws; were they from none of them, no bound holds",
            "guaranteed": f"risk at most {short(best['bound'])} on every class of this size{holds}",
            "open": "; ".join(said) or "nothing",
            "verdict": (
                "it beats the uniform mixture, which looks at no label" if learns
                else "all distributions are the same, and there is nothing to learn" if uniform != uniform
                else "too few labels for this ε: the uniform mixture, which looks at none, is as good"
            ),
        }  # fmt: skip

    def __str__(self) -> str:
        said = "\n".join(f"{key:<12}{text}" for key, text in self.lines().items())
        code = "\n".join(f"    {line}".rstrip() for line in self.program.splitlines())
        return f"{self._question_text()}\n\n{said}\n\n{code}"

    def table(self) -> str:
        """Return the ranking as a short table."""
        return f"{self._question_text()}\n\n{table(self.ranking)}"

    def plain(self) -> dict[str, Any]:
        """Return plain data for JSON: numbers that are not finite become None."""
        answer = {
            "use": self.best["learner"], "lines": self.lines(), "program": self.program,
            "ranking": finite(self.ranking),
        }  # fmt: skip
        return {"version": 2, "question": {"feedback": "labels", **vars(self.question)}, "answers": [answer]}

    def _question_text(self) -> str:
        q = self.question
        privacy = f"ε = {q.epsilon:g}" + (f", δ = {q.delta:g}" if q.delta else ", pure")
        sizes = f"K = {q.n_hypotheses}, M = {q.n_labels:,}, T = {q.rounds:,}"
        return f"labels; {sizes}; {privacy}, local DP"
