"""Ask a claim at sizes of your own: ``python -m replicate ask PS-T1 --epsilon 2 --actions 1000 --gap 0.2``.

It plays the claim's learner there, for about a second, twenty at most, and prints its regret, the bound, the
regret of uniform play, and the verdict. Without an id it lists the claims that can be asked, and what each reads.
Of any other claim it names the command that checks it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from replicate.claims import asking
from replicate.claims.registry import Claim, register
from replicate.claims.words import place, unlatexed

OPTIONS = {
    "epsilon": ("--epsilon", "privacy level ε"),
    "delta": ("--delta", "δ of approximate privacy"),
    "n_actions": ("--actions", "number of actions, or of hypotheses, K"),
    "n_labels": ("--labels", "number of labels M"),
    "gap": ("--gap", "mean loss of the second-best action minus that of the best one"),
    "horizon": ("--rounds", "number of rounds T, such as 1e6 or 2**40"),
    "n_switches": ("--switches", "S, how often the best action changes"),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("claim", nargs="?", help="id of a claim; without it those that can be asked are listed")
    for field, (option, text) in OPTIONS.items():
        parser.add_argument(option, dest=field, type=_number, help=text)
    parser.add_argument("--seed", type=int, default=2026, help="root of the random streams (2026)")


def _number(text: str) -> float:
    """A number, or a power such as 2**40."""
    base, power, exponent = text.partition("**")
    try:
        return float(base) ** float(exponent) if power else float(base)
    except (OverflowError, ValueError):
        raise argparse.ArgumentTypeError(f"must be a number, such as 1e6 or 2**40, got {text!r}") from None


def main(options: argparse.Namespace) -> int:
    """Ask and print."""
    if options.claim is None:
        print(_listed())
        return 0
    listed = asking.promises()
    entry = register().get(options.claim)
    if entry is None:
        raise ValueError(f"unknown claim: {options.claim}; these can be asked: {', '.join(listed)}")
    if entry.id not in listed:
        raise ValueError(
            f"{entry.id} has no sizes that can be set: `python -m replicate claims {entry.id}` says what it "
            "states and checks it as it stands"
        )
    sizes = {field: getattr(options, field) for field in OPTIONS if getattr(options, field) is not None}
    own = listed[entry.id][0].at
    if unread := [OPTIONS[field][0] for field in sizes if field not in own]:
        reads = ", ".join(OPTIONS[field][0] for field in own)
        raise ValueError(f"{', '.join(unread)} cannot be used with {entry.id}, which reads {reads}")
    answers = asking.ask(options.claim, seed=options.seed, **sizes)
    assert isinstance(entry, Claim)
    said = f"{place(vars(entry) | {'paper': entry.paper})}\n{unlatexed(entry.statement)}"
    print("\n\n".join([said, *map(str, answers)]))
    if left_out := {name: value for name, value in own.items() if name not in sizes}:
        print(f"note      sizes that were not given are the claim's own: {_typed(left_out)}")
    return 0


def _typed(sizes: Mapping[str, float]) -> str:
    """Sizes as a user types them."""
    return " ".join(
        f"{OPTIONS[name][0]} {asking.count(value).replace(',', '').replace('^', '**')}"
        for name, value in sizes.items()
    )


def _listed() -> str:
    """Every claim that can be asked, one line per claim: its options with their own values."""
    return "\n".join(
        f"{claim:8} {_typed(listed[0].at)}  ({'; '.join(promise.label for promise in listed)})"
        for claim, listed in asking.promises().items()
    )
