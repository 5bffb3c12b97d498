"""A whole program that lets a learner play: it runs as printed, on an example or on a reader's table."""

from __future__ import annotations

from replicate.advice.question import Question
from replicate.learners.entries import Entry

_ROWS, _LOSSES = 1000, 2**20
"""Most rounds, and most losses, of the example."""


def program(question: Question, entry: Entry | None, level: float | None, source: str = "") -> str:
    """Return about ten lines of Python.

    Parameters
    ----------
    question
        The sizes.
    entry
        The learner; None for uniform play.
    level
        The privacy level at which it plays.
    source
        Line that gives `losses`, with its imports before it; empty for an example.
    """
    q = question
    rows = max(min(q.rounds, _ROWS, _LOSSES // q.n_actions), 1)
    example = (
        f"losses = environments.Bernoulli(np.linspace(0.2, 0.8, {q.n_actions})).losses(0, {rows}, rng=rng)"
        f"\n# an example: {rows} rounds, losses 0 or 1 with means from 0.2 to 0.8; put your own table there"
    )
    if entry is None:
        act, see, build = f"int(rng.integers({q.n_actions}))", "", ""
    else:
        arguments = [f'"{entry.name}"', f"n_actions={q.n_actions}", f"horizon={None if q.anytime else q.rounds}"]
        arguments += [f"epsilon={level!r}"] if level is not None else []
        arguments += [f"delta={q.setting.delta!r}"] if entry.approximate else []
        arguments += [f"n_switches={q.n_switches}"] if q.n_switches else []
        build = f"learner = registry.learner({', '.join(arguments)}, rng=rng)\n"
        act = "learner.act()"
        seen = "row" if entry.feedback == "full" else "row[action]"
        owner = "  # draws a noisy message first; to trust nobody, let the loss's owner do that" if q.local else ""
        see = f"    learner.observe({seen}){owner}\n"
    imports = "from replicate import environments\n" * (
        not source
    ) + "from replicate.learners import registry\n" * bool(build)
    return (
        f"import numpy as np\n{imports}\n"
        f"rng = np.random.default_rng()  # seed it to repeat a run\n"
        f"{source or example}\n{build}"
        "total = 0.0\n"
        "for row in losses:\n"
        f"    action = {act}  # play this; only then look at the round's losses\n"
        f"    total += row[action]\n{see}"
        'print(f"loss {total:,.1f} in {len(losses):,} rounds; best action {losses.sum(axis=0).min():,.1f}")\n'
    )
