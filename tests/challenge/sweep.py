"""Questions that are raced once, for two pages: what forecasts are worth, and which learners are needed.

``python -m tests.challenge.sweep forecast`` and ``... grid`` play until ``--seconds`` are over and go on where
they stopped, ``--part I N`` each N-th question. Tables in ``reports`` keep a row each; ``--publish`` writes it.
"""

from __future__ import annotations

import argparse
import csv
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
from replicate.advice.ranking import contenders, final, trial
from replicate.advice.rows import promised
from replicate.advice.text import short
from replicate.files import project_root, replacing, write
from replicate.learners import registry
from replicate.learners.entries import Entry
from replicate.streams import stream
from tests.challenge.tunings import TUNINGS

REPORTS, TABLES = project_root() / "reports", {"grid": "advice.csv", "forecast": "forecasts.csv"}
CLOSE = 1.2
"""Times the best regret within which a learner is as good."""
RULES = {
    name: Rule(first=128, growth=4, short=2, start=start, far=1.5, looks=1)
    for name, start in (("grid", 4), ("forecast", 8))
}
_AFTER = ("T/8", "T/2")
"""Games after which forecasts name a learner."""
_DRAWN, _LARGEST = 40, 2**20
"""Questions that are drawn at random, and most losses of their games."""
_NEAR, _GAMES, _FAR, _MORE = 1.3, 24, 2.0, 192
"""Times the winner's regret below which learners of a race are played again, and how often on each instance.

The last two where learners that are to leave would be missed.
"""
_LEVELS = (1.0, 0.1, 10.0, 0.3, 3.0)
_SIZES = ((8, 2**12), (2, 2**11), (64, 2**12), (512, 2**11), (2, 2**14), (8, 2**14))
"""K and T of the grid; the order is that of play: levels and sizes far apart come first."""
_MOVING = ("shifting", "switching")


def drawn(seed: int = 72) -> list[Question]:
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


ASKED = {"grid": grid, "forecast": drawn}


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


def named(question: Question, seed: int = 2) -> tuple[str, str]:
    """Return whom forecasts and bounds name after a game of T/8 rounds on each instance, and after the finals."""
    game, names = Game(question, seed), []
    candidates = [c for c in running(question) if c.entry.name != "uniform"]
    pulls = 4 * question.n_actions if question.feedback == "bandit" else 8
    for candidate in candidates:
        trial(game, candidate, max(question.rounds // 8, pulls))
    names.append(min(candidates, key=lambda c: promised(game, c)).entry.name)
    final(game, candidates, question.rounds // 2)
    return names[0], min(candidates, key=lambda c: promised(game, c)).entry.name


def play(name: str, seconds: float, part: tuple[int, int] = (0, 1)) -> None:
    """Play the questions that are left, and append a row of the table for each."""
    stop, done = time.process_time() + seconds, [row["question"] for row in kept(name)]
    for question in ASKED[name]()[part[0] :: part[1]]:
        if question in done or time.process_time() > stop:
            continue
        listed, rivals = raced(question, RULES[name], TUNINGS if name == "grid" else ())
        uniform = Game(question, 1).uniform()
        with (REPORTS / TABLES[name]).open("a", encoding="utf-8", newline="") as file:
            answer = foretold(question, listed) if name == "forecast" else ahead(question, listed, rivals)
            csv.writer(file, lineterminator="\n").writerow([*asdict(question).values(), f"{uniform:.5g}", *answer])


def ahead(question: Question, listed: dict[str, float], rivals: dict[str, float]) -> list[str]:
    """Return the best learner, its regret, who is close to it, the best rival and its regret.

    Where one alone is close, those that led the race play longer, and these games say who is.
    """
    best, rival = min(listed, key=lambda name: listed[name]), min(rivals, key=rivals.get, default="")
    near = close(listed)
    if len(near) == 1:
        near = close(settled(question, listed, near))
    return [
        best, f"{listed[best]:.5g}", " ".join(near), rival, f"{rivals[rival]:.5g}" if rival else "",
    ]  # fmt: skip


def again(leaving: Sequence[str]) -> None:
    """Play longer where nobody is close but learners that are to leave the list, while it has them."""
    rows = kept("grid")
    for row in rows:
        if _matters(row) and not set(row["close"].split()) - set(leaving):
            listed, _ = raced(row["question"], RULES["grid"])
            row["close"] = " ".join(close(settled(row["question"], listed, leaving, near=_FAR, games=_MORE)))
    with replacing(REPORTS / TABLES["grid"]) as path, path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0])[:-1], extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def close(regrets: dict[str, float]) -> list[str]:
    """Return the learners whose regret is at most `CLOSE` times the least one."""
    least = min(regrets.values())
    return sorted(name for name in regrets if regrets[name] <= max(CLOSE * least, least))


def foretold(question: Question, listed: dict[str, float]) -> list[str]:
    """Return the best learner and its regret, and whom forecasts name and their regrets."""
    names = named(question)
    again = settled(question, listed, names)
    best = min(again, key=lambda name: again[name])
    return [cell for name in (best, *names) for cell in (name, f"{again[name]:.5g}")]


def settled(
    question: Question,
    listed: dict[str, float],
    named_ones: Sequence[str],
    *,
    near: float = _NEAR,
    games: int = _GAMES,
    seed: int = 3,
) -> dict[str, float]:
    """Return the regrets in games of their own of the learners that led the race, and of those that were named."""
    least = min(listed.values())
    names = {name for name, regret in listed.items() if regret < near * max(least, 0)} | {*named_ones}
    game, again = Game(question, seed), [c for c in running(question) if c.entry.name in names]
    return {c.entry.name: float(game.score(c)[0].mean()) for c in again if game.run(c, games)}


def kept(name: str) -> list[dict]:
    """Return the rows of the table that were played, in the order of the questions."""
    with (REPORTS / TABLES[name]).open(encoding="utf-8", newline="") as file:
        played = {tuple(row[size] for size in asdict(grid()[0])): row for row in csv.DictReader(file)}
    asked = {tuple(map(str, asdict(question).values())): question for question in ASKED[name]()}
    return [{**played[key], "question": question} for key, question in asked.items() if key in played]


def needed(rows: Sequence[dict]) -> list[str]:
    """Return the fewest learners of which one is close to the best wherever that beats uniform play by 2.

    Learners of the five papers count for nothing: they stay in any case.
    """
    near = [row["close"].split() for row in rows if _matters(row)]
    names = sorted(set().union(*near))
    has = np.array([[name in one for name in names] for one in near])
    free = {entry.name for entry in registry.register().values() if entry.paper != "baseline"}
    found = optimize.milp(
        np.array([name not in free for name in names]) + 1e-3, integrality=np.ones(len(names)),
        bounds=optimize.Bounds(0, 1), constraints=optimize.LinearConstraint(has, lb=1),
    )  # fmt: skip
    return [name for name, taken in zip(names, found.x > 0.5, strict=True) if taken]


def _matters(row: dict) -> bool:
    return float(row["regret"]) < float(row["uniform"]) / 2


def forecasts(rows: Sequence[dict]) -> str:
    """Return a table of questions: who won the race, and whom forecasts name."""
    head = "| losses | feedback | trust | K | T | ε | uniform | the race | after T/8 | of it | after T/2 | of it |"
    lines = [head, "|---|---|---|" + "---:|" * 4 + "---|---|---:|---|---:|"]
    agree = dict.fromkeys(_AFTER, 0)
    for row in rows:
        asked, least = row["question"], float(row["regret"])
        cells = [
            asked.losses + (", δ" if asked.delta else ""), asked.feedback, "nobody" if asked.local else "curator",
            f"{asked.n_actions:,}", f"{asked.rounds:,}", f"{asked.epsilon:g}", short(float(row["uniform"])),
            f"`{row['best']}` {short(least)}",
        ]  # fmt: skip
        for games in agree:
            ratio = float(row[f"regret after {games}"]) / least
            agree[games] += ratio <= CLOSE
            cells += [f"`{row[f'after {games}']}`", f"{ratio:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    said = " and ".join(f"in {agree[games]} of {len(rows)} after games of {games} rounds" for games in agree)
    return f"Forecasts name a learner within {CLOSE:g} times the winner {said}.\n\n" + "\n".join(lines) + "\n"


def cover(rows: Sequence[dict]) -> str:
    """Return the listed learners, with the questions where each is close, and alone close among these."""
    listed = registry.register()
    near = [set(row["close"].split()) & listed.keys() for row in rows if _matters(row)]
    lines = ["| learner | close at | alone at |", "|---|---:|---:|"]
    counts = {name: sum(name in one for one in near) for name in listed}
    for name in sorted(filter(counts.get, counts), key=lambda name: -counts[name]):
        alone = sum(one == {name} for one in near)
        lines.append(f"| {listed[name].label} (`{name}`) | {counts[name]} | {alone} |")
    return (
        f"In {len(near)} of {len(rows)} questions the best learner's regret is below half of uniform play's; in "
        f"{sum(map(bool, near))} of these a listed learner is close.\n\n" + "\n".join(lines) + "\n"
    )


def rivals(rows: Sequence[dict]) -> str:
    """Return the best rivals of questions that cost less than every learner by a fifth, most of all first."""
    labels, wins = {entry.name: entry for entry in TUNINGS}, {}
    for row in filter(_matters, rows):
        name = row["best rival"]
        ratio = float(row["regret"]) / max(float(row["its regret"]), 1e-9) if name else 0.0
        if ratio > CLOSE:
            wins.setdefault((name, labels[name].covers(row["losses"])), []).append((ratio, row["question"]))
    lines = ["| rival | guarantee | most | at | by 1.3 | by 2 |", "|---|---|---:|---|---:|---:|"]
    for (name, proved), ratios in sorted(wins.items(), key=lambda item: -max(r for r, _ in item[1])):
        most, at = max(ratios, key=lambda one: one[0])
        counts = [sum(ratio > limit for ratio, _ in ratios) for limit in (1.3, 2)]
        lines.append(
            f"| {labels[name].label} | {'proved' if proved else 'none'} | {most:.2f} | {at.losses}, "
            f"{at.feedback}{', local' * at.local}, K = {at.n_actions}, T = {at.rounds:,}, "
            f"ε = {at.epsilon:g} | {counts[0]} | {counts[1]} |"
        )
    return "\n".join(lines) + "\n"


def publish() -> None:
    """Write the page."""
    questions = kept("grid")
    page = _PAGE.format(
        forecasts=forecasts(kept("forecast")), cover=cover(questions), rivals=rivals(questions),
        many=len(questions), all=len(grid()), close=CLOSE,
        near=_NEAR, games=_GAMES, far=_FAR, more=_MORE,
    )  # fmt: skip
    write(REPORTS / "advice.md", page)


_PAGE = """# What the advice is worth

`python -m tests.challenge.sweep` measures this page: every number is a mean regret on the advisor's
instances, the worst of them where losses are fixed in advance. Learners are those with a guarantee for such
losses. The [glossary](glossary.md) defines the words.

## Forecasts

Where no learner can play the whole game in the time, `advise` ranks them by the smaller one of their proved
bound and their forecast: the regret of a shorter game, one on each instance, grows to the whole one as the
bound does. Then the first three of them play four games on each instance, of T/2 rounds or as many as the time
allows, and have a new forecast; nobody else is foretold to pay less than all three.

Here are 40 questions that were drawn at random, small enough for a race of all learners with eight games on each
instance, after which the first of them and the named ones play 24 games of their own. "After T/8" is the
learner that comes first before the longer games, and "after T/2" the one that comes first after them; "of it" is
the regret of that learner over the regret of the winner. The rule was fixed before these questions were drawn.

On 40 other questions, `drawn(71)`, on which earlier rules had been tried, the learner that came first cost at
most 1.2 times the winner in 31 before the longer games and in 35 after them. Of the five others three are fading
batches at their own rate, which cost 1.3 times what they cost at twice that rate.

{forecasts}
## Learners that are needed

The grid has losses that are i.i.d. (iid), shift, are oblivious (fixed), have a best action that switches (S = 3),
or are adaptive; full and bandit feedback, with and without a trusted curator, K from 2 to 512, ε from .1 to 10.
{many} of its {all} questions have been raced by the learners of a longer list, four games on each instance.
A learner is close if its regret is at most {close:g} times the best one's. Where one alone was close, those within
{near:g} times played {games} games; where only learners that the list could do without were close, those within
{far:g} times played {more}. The list keeps, beside the learners of the five papers, the fewest of which one is
close at every question where the best one's regret is below half of uniform play's; the learners that the
advice names, the one for experts' advice, and each listed learner at its own rate. The [table](advice.csv) has
every question, and names learners that have left. The columns count the questions at which a listed learner is
close, and where it alone is.

{cover}
## Other tunings

Learners that are not listed met the best listed one on the same grid: the listed ones at other rates,
AdaP-KLUCB and DP-IMED begun anew after T/4, T/8 and T/16 rounds, bits of two and of four coordinates whatever
ε is, and Hedge whose rate is read from private sums. The table counts the questions where a rival was the best of
them. "Most" is the best learner's regret over the rival's, where it is largest; then in how many questions the
rival wins by more than 1.3 times, and by more than 2. Rivals without a guarantee met losses whose law changes.
Those that never win by a fifth are left out.

The grid did not race Fixed Share on batches at 16 times its rate. In a reading of its own it beat rate × 8 by
at most 1.30 times (26 for 34: switching, full, K = 2, T = 16,384, ε = 10), and by at most 1.1 in 41 other
questions.

{rivals}"""


def main() -> None:
    """Play, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=("forecast", "grid"), nargs="?", help="what to play")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("I", "N"))
    parser.add_argument("--leaving", nargs="+", help="learners without which the list should do")
    parser.add_argument("--publish", action="store_true", help="write reports/advice.md")
    options = parser.parse_args()
    if options.leaving:
        again(options.leaving)
    elif options.name:
        play(options.name, options.seconds, tuple(options.part))
    if options.publish:
        publish()


if __name__ == "__main__":
    main()
