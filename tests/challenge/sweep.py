"""Questions that are raced once, for two pages: what forecasts are worth, and which learners are needed.

``python -m tests.challenge.sweep forecast`` and ``... grid`` play until ``--seconds`` are over and go on where
they stopped, ``--part I N`` each N-th question; ``--publish`` writes what is complete into ``reports``.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product

import numpy as np
from scipy import optimize

from replicate.advice import Question, Rule
from replicate.advice.game import Candidate, Game
from replicate.advice.race import race
from replicate.advice.ranking import contenders
from replicate.advice.rows import LEARNT, SOMETHING, bound, forecast, learnt
from replicate.advice.text import short
from replicate.files import project_root, replacing, write
from replicate.learners import registry
from replicate.learners.entries import Entry
from replicate.streams import stream
from tests.challenge.tunings import TUNINGS

KEPT, REPORTS = project_root() / "build" / "sweep", project_root() / "reports"
CLOSE = 1.2
"""Times the best regret within which a learner is as good."""
RULES = {
    name: Rule(first=128, growth=4, short=2, start=start, far=1.5, looks=1)
    for name, start in (("grid", 4), ("forecast", 8))
}
_SHARES = (8, 4)
"""Parts of the rounds that are short games."""
_DRAWN, _LARGEST = 40, 2**20
"""Questions that are drawn at random, and most losses of their games."""
_NEAR, _GAMES = 1.3, 24
"""Times the winner's regret below which learners of a race are played again, and how often on each instance."""
_LEVELS = (1.0, 0.1, 10.0, 0.3, 3.0)
_SIZES = ((8, 2**12), (2, 2**11), (64, 2**12), (512, 2**11), (2, 2**14), (8, 2**14))
"""K and T of the grid; the order is that of play: levels and sizes far apart come first."""
_MOVING = ("shifting", "switching")


def drawn(seed: int = 67) -> list[Question]:
    """Draw questions: feedback, trust, losses, K, T and epsilon, so that a race takes seconds."""
    return [_one(stream(seed, "sweep", number)) for number in range(_DRAWN)]


def _one(rng: np.random.Generator) -> Question:
    losses = str(rng.choice(["iid", "shifting", "fixed", "switching"]))
    feedback, local = str(rng.choice(["full", "bandit"])), bool(rng.random() < 1 / 3)
    k = round(2 ** rng.uniform(1, 7))
    rounds = round(2 ** rng.uniform(13, min(17, math.log2(_LARGEST / k))))
    return Question(
        feedback=feedback, losses=losses, local=local, n_actions=k, rounds=rounds,
        epsilon=float(f"{10 ** rng.uniform(-1, 1):.2g}"), n_switches=3 * (losses in _MOVING),
        delta=1e-6 * (losses == "fixed" and not local and bool(rng.random() < 1 / 3)),
    )  # fmt: skip


def grid() -> list[Question]:
    """Return the grid: every kind of losses, feedback and trust, K from 2 to 512, epsilon from .1 to 10."""
    kinds = [
        *product(("full", "bandit"), (False, True), ("iid", "shifting", "fixed", "switching"), (0.0,)),
        ("full", False, "fixed", 1e-6),
    ]
    reactive = product(("full", "bandit"), (False, True), ("reactive",), (0.0,), (2, 8), (2**9,), (0.3, 3.0))
    parts = [(_LEVELS[:3], _SIZES[:4]), (_LEVELS[3:], _SIZES[:4]), (_LEVELS, _SIZES[4:])]
    asked = [[(*kind, *size, level) for level, size, kind in product(*part, kinds)] for part in parts]
    return [
        Question(
            feedback=feedback, losses=losses, local=local, delta=delta, n_actions=k, rounds=rounds, epsilon=level,
            n_switches=3 * (losses in _MOVING),
        )
        for feedback, local, losses, delta, k, rounds, level in (*asked[0], *reactive, *asked[1], *asked[2])
    ]  # fmt: skip


def running(question: Question) -> list[Candidate]:
    """Return the private learners with a guarantee that have a simulator."""
    return [c for c in contenders(question) if not c.reason and c.entry.covers(question.losses or "")]


def raced(question: Question, rule: Rule, rivals: Sequence[Entry] = (), seed: int = 1) -> list[dict[str, float]]:
    """Return the regret in the whole game of the listed learners that did not leave the race, and of rivals."""
    game, listed = Game(question, seed), running(question)
    race(game, listed, rule)
    whole = [c for c in listed if c.rounds == game.rounds]
    best = min(whole, key=lambda c: float(game.score(c)[0].mean()))
    others = [Candidate(e) for e in rivals if not question.refusal(e) and _plays(e, question)]
    race(game, [best, *others], rule)
    return [
        {c.entry.name: float(game.score(c)[0].mean()) for c in part if c.rounds == game.rounds}
        for part in (whole, others)
    ]


def _plays(entry: Entry, question: Question) -> bool:
    """Return whether a guarantee covers the losses, or there is none and their law changes."""
    return entry.covers(question.losses or "") or (not entry.proved_for and question.losses in _MOVING)


def named(question: Question, part: int, seed: int = 2) -> tuple[str, float]:
    """Return whom forecasts name, from one game on each instance of that part of the rounds, and its forecast.

    If nobody has learnt there, from games of half of the rounds; if nobody has then, the bounds name it.
    """
    game = Game(question, seed)
    candidates = [c for c in running(question) if c.entry.name != "uniform"]
    pulls = 4 * question.n_actions if question.feedback == "bandit" else 8
    for length, share in ((max(question.rounds // part, pulls), LEARNT), (question.rounds // 2, SOMETHING)):
        for c in candidates:
            if game.run(c, 1, rounds=length):
                c.trials[length] = np.concatenate(c.regrets)
                c.foretold = forecast(game, c)
        known = [c for c in candidates if learnt(game, c, share)]
        if known:
            best = min(known, key=lambda c: c.foretold)
            return best.entry.name, best.foretold
    bounds = {c.entry.name: bound(game, c.entry) for c in candidates}
    best_bound = min((name for name in bounds if bounds[name] == bounds[name]), key=lambda name: bounds[name])
    return best_bound, bounds[best_bound]


def play(name: str, seconds: float, part: tuple[int, int] = (0, 1)) -> None:
    """Play the questions that are left, a line of JSON for each."""
    KEPT.mkdir(parents=True, exist_ok=True)
    path, stop = KEPT / f"{name}.jsonl", time.process_time() + seconds
    done = [row["question"] for row in kept(name)]
    for question in _asked(name)[part[0] :: part[1]]:
        if asdict(question) in done or time.process_time() > stop:
            continue
        listed, rivals = raced(question, RULES[name], TUNINGS if name == "grid" else ())
        row = {
            "question": asdict(question), "raced": listed, "rivals": rivals,
            "uniform": Game(question, 1).uniform(),
        }  # fmt: skip
        if name == "forecast":
            row["named"] = {str(part): named(question, part)[0] for part in _SHARES}
            row["raced"] = settled(question, row)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def settled(question: Question, row: dict, seed: int = 3) -> dict[str, float]:
    """Return the regrets in games of their own of the learners that led the race, and of those that were named."""
    least = min(row["raced"].values())
    names = {name for name, regret in row["raced"].items() if regret < _NEAR * max(least, 0)} | {
        *row["named"].values()
    }
    game, again = Game(question, seed), [c for c in running(question) if c.entry.name in names]
    return {c.entry.name: float(game.score(c)[0].mean()) for c in again if game.run(c, _GAMES)}


def _asked(name: str) -> list[Question]:
    return grid() if name == "grid" else drawn()


def kept(name: str) -> list[dict]:
    """Return what was played, in the order of the questions."""
    path, found = KEPT / f"{name}.jsonl", []
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines() if path.exists() else [])
    played = {json.dumps(row["question"]): row for row in rows}
    for question in _asked(name):
        found += [played[key] for key in [json.dumps(asdict(question))] if key in played]
    return found


def needed(rows: Sequence[dict]) -> list[str]:
    """Return the fewest listed learners of which one is close to the best wherever that beats uniform play by 2.

    Learners of the five papers count for nothing: they stay in any case.
    """
    close = [_close(row) for row in rows if _matters(row)]
    names = sorted(set().union(*close))
    has = np.array([[name in one for name in names] for one in close])
    cost = np.array([registry.entry(name).paper == "baseline" for name in names]) + 1e-3
    found = optimize.milp(
        cost, integrality=np.ones(len(names)), bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(has, lb=1),
    )  # fmt: skip
    return [name for name, taken in zip(names, found.x > 0.5, strict=True) if taken]


def _matters(row: dict) -> bool:
    return min(row["raced"].values()) < row["uniform"] / 2


def _close(row: dict) -> set[str]:
    best = min(row["raced"].values())
    return {name for name, regret in row["raced"].items() if regret <= max(CLOSE * best, best)}


def forecasts(rows: Sequence[dict]) -> str:
    """Return a table of questions: who won the race, and whom forecasts name."""
    head = "| losses | feedback | trust | K | T | ε | uniform | the race | from T/8 | of it | from T/4 | of it |"
    lines = [head, "|---|---|---|" + "---:|" * 4 + "---|---|---:|---|---:|"]
    agree = dict.fromkeys(map(str, _SHARES), 0)
    for row in rows:
        asked, best = row["question"], min(row["raced"], key=row["raced"].get)
        cells = [
            asked["losses"] + (", δ" if asked["delta"] else ""), asked["feedback"],
            "nobody" if asked["local"] else "curator", f"{asked['n_actions']:,}", f"{asked['rounds']:,}",
            f"{asked['epsilon']:g}", short(row["uniform"]), f"`{best}` {short(row['raced'][best])}",
        ]  # fmt: skip
        for part in agree:
            name = row["named"][part]
            ratio = row["raced"][name] / row["raced"][best]
            agree[part] += ratio <= CLOSE
            cells += [f"`{name}`", f"{ratio:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    said = " and ".join(f"in {agree[str(part)]} of {len(rows)} from games of T/{part} rounds" for part in _SHARES)
    return f"Forecasts name a learner within {CLOSE:g} times the winner {said}.\n\n" + "\n".join(lines) + "\n"


def cover(rows: Sequence[dict]) -> str:
    """Return the learners that are needed, with the questions where each is close, and alone close among these."""
    kept_ones = needed(rows)
    close = [_close(row) & set(kept_ones) for row in rows if _matters(row)]
    lines = ["| learner | close at | alone at |", "|---|---:|---:|"]
    for name in sorted(kept_ones, key=lambda name: -sum(name in one for one in close)):
        alone = sum(one == {name} for one in close)
        lines.append(
            f"| {registry.entry(name).label} (`{name}`) | {sum(name in one for one in close)} | {alone} |"
        )
    said = f"In {len(close)} of {len(rows)} questions the best learner's regret is below half of uniform play's."
    return f"{said} {len(kept_ones)} learners are enough there.\n\n" + "\n".join(lines) + "\n"


def rivals(rows: Sequence[dict]) -> str:
    """Return the other tunings that cost less than every listed learner by a fifth, most of all first."""
    labels, worst = {entry.name: entry for entry in TUNINGS}, {}
    for row in filter(_matters, rows):
        best = min(row["raced"].values())
        for name, regret in row["rivals"].items():
            proved = labels[name].covers(row["question"]["losses"])
            worst.setdefault((name, proved), []).append((best / max(regret, 1e-9), row["question"]))
    lines = ["| rival | guarantee | most | at | by 1.3 | by 2 |", "|---|---|---:|---|---:|---:|"]
    for (name, proved), ratios in sorted(worst.items(), key=lambda item: -max(r for r, _ in item[1])):
        most, at = max(ratios, key=lambda one: one[0])
        if most > CLOSE:
            counts = [sum(ratio > limit for ratio, _ in ratios) for limit in (1.3, 2)]
            lines.append(
                f"| {labels[name].label} | {'proved' if proved else 'none'} | {most:.2f} | {at['losses']}, "
                f"{at['feedback']}{', local' * at['local']}, K = {at['n_actions']}, T = {at['rounds']:,}, "
                f"ε = {at['epsilon']:g} | {counts[0]} | {counts[1]} |"
            )
    return "\n".join(lines) + "\n"


def publish() -> None:
    """Write the page, and the grid as a table."""
    questions, drawn_ones = kept("grid"), kept("forecast")
    page = _PAGE.format(
        forecasts=forecasts(drawn_ones), cover=cover(questions), rivals=rivals(questions), many=len(questions),
        all=len(grid()), close=CLOSE,
    )  # fmt: skip
    write(REPORTS / "advice.md", page)
    with replacing(REPORTS / "advice.csv") as path, path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*asdict(grid()[0]), "uniform", "best", "regret", "close", "best rival", "its regret"])
        for row in questions:
            best = min(row["raced"], key=row["raced"].get)
            rival = min(row["rivals"], key=row["rivals"].get, default="")
            writer.writerow([
                *row["question"].values(), f"{row['uniform']:.5g}", best, f"{row['raced'][best]:.5g}",
                " ".join(sorted(_close(row))), rival, f"{row['rivals'][rival]:.5g}" if rival else "",
            ])  # fmt: skip


_PAGE = """# What the advice is worth

`python -m tests.challenge.sweep` measures this page: every number is a mean regret on the advisor's
instances, the worst of them where losses are fixed in advance. Learners are those with a guarantee for such
losses. The [glossary](glossary.md) defines the words.

## Forecasts

Where no learner can play the whole game in the time, `advise` ranks them by forecasts: the regret of a
shorter game, one on each instance, grows to the whole one as the proved bound does. Here are 40 questions
that were drawn at random, small enough for a race of all learners with eight games on each instance, after
which the first of them and the named ones play 24 games of their own. Where nobody has learnt in the shorter
game (regret above .8 of uniform play's), one of T/2 rounds is played, and where nobody has less than .95 of
uniform play's regret in that, bounds rank. This last limit was .8 as well when these questions were first
seen, and named one learner less within the limit.

On 40 other questions, drawn before these, forecasts by the proved rate named 33 from T/8 and 35 from T/4,
without games of T/2; power laws through games of T/64 and T/8 rounds, and of T/16 and T/4, named 32 each.
What remains are mostly learners whose batches jump with T, so that the shorter game is another one.

{forecasts}
## Learners that are needed

The grid has losses that are i.i.d. (iid), shift, are oblivious (fixed) or have a best action that switches
(S = 3), full and bandit feedback, with and without a trusted curator, K from 2 to 512, ε from .1 to 10; and some that react. {many} of its {all} questions have
been raced, most at ε = 1, .1 and 10; the script goes on where it stopped. Each is raced once, four games on
each instance. A learner is close if its regret is at most {close:g} times the best one's. These are the
fewest learners of which one is close at every question where the best one's regret is below half of uniform
play's; those of the five papers count for nothing. The [table](advice.csv) has every question.

{cover}
## Other tunings

Learners that are not listed met the best listed one on the same grid: the listed ones at other rates,
AdaP-KLUCB and DP-IMED begun anew after T/4, T/8 and T/16 rounds, bits of two and of four coordinates whatever
ε is, and Hedge whose rate is read from private sums. "Most" is the best listed learner's regret over the
rival's, where it is largest; then in how many questions the rival wins by more than 1.3 times, and by more
than 2. Rivals without a guarantee met losses whose law changes. Those that never win by a fifth are left out.

{rivals}"""


def main() -> None:
    """Play, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=("forecast", "grid"), nargs="?", help="what to play")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("I", "N"))
    parser.add_argument("--publish", action="store_true", help="write reports/advice.md and reports/advice.csv")
    options = parser.parse_args()
    if options.name:
        play(options.name, options.seconds, tuple(options.part))
    if options.publish:
        publish()


if __name__ == "__main__":
    main()
