"""Commands: ``python -m replicate run | play | advise | ask | claims | review | seeds | readme | book | new``."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings

from replicate import loaded
from replicate.validation import printable

COMMANDS = {
    "run": "run a notebook, and fail if a cell or a claim fails",
    "play": "let learners play on losses of your own",
    "advise": "say which learner fits your losses, by simulation at your sizes",
    "ask": "compare a learner's regret with the bound of a claim, at sizes of your own",
    "claims": "check claims and errata, each with its control",
    "review": "run ten headline claims at full sizes and compare them with the records",
    "seeds": "check all claims and errata under many root seeds",
    "readme": "renew the generated parts of README, reports and galleries",
    "book": "render the executed notebooks as offline pages",
    "new": "create the skeleton of a new paper",
}

TYPED = {
    "n_actions": "--actions", "n_hypotheses": "--actions", "n_labels": "--labels", "rounds": "--rounds",
    "horizon": "--rounds", "n_switches": "--switches", "epsilon": "--epsilon", "delta": "--delta", "gap": "--gap",
    "experts": "--experts", "repeats": "--repeats", "rounds_per_person": "--rounds-per-person", "seed": "--seed",
    "regret": "--regret", "name": "--learner",
}  # fmt: skip
"""What a user types for an argument of the functions that these commands call."""
_SIZED = ("advise", "ask", "play")
_ASCII = ("ascii", "ansi_x3.4-1968", "us-ascii", "646")


def main(words: list[str] | None = None) -> int:
    """Run one command; what is wrong with its arguments or files ends the program with one line."""
    given = sys.argv[1:] if words is None else words
    _speak_utf8()
    try:
        code = _run(given)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of the pipe has enough: `replicate claims | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (OSError, ValueError, ModuleNotFoundError) as error:
        print(f"error: {printable(_told(error, given))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\rinterrupted: files are whole, and the same command goes on from what it keeps", file=sys.stderr)
        warnings.simplefilter("ignore")  # of the kernel's messages that nobody will read any more
        return 130


def _told(error: Exception, given: list[str]) -> str:
    """Return an error's message, with the option or the file that was typed in place of an argument's name."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    name, _, rest = str(error).partition(" ")
    return f"{TYPED[name]} {rest}" if given[:1] and given[0] in _SIZED and name in TYPED else str(error)


def _speak_utf8() -> None:
    """Print letters that the locale's encoding lacks all the same, as Python does by itself in most of them."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if stream.encoding.lower() in _ASCII else None, errors="replace")


def _run(given: list[str]) -> int:
    """Read the command's arguments, of which only its own module knows, and run it."""
    parser = argparse.ArgumentParser(prog="python -m replicate", description="Every command.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if given[:1] == [name]:
            loaded(f"replicate.commands.{name}").arguments(command)
    if not given:
        parser.print_help(sys.stderr)
        return 2
    options = parser.parse_args(given)
    return int(loaded(f"replicate.commands.{options.command}").main(options))


if __name__ == "__main__":
    sys.exit(main())
