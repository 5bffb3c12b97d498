"""A bar under what takes more than three seconds: how long a notebook's cell has run, and what of it is done."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Sized
from typing import Any, TypeVar

from tqdm import tqdm

T = TypeVar("T")

_PATIENCE, _TICK = 3.0, 1.0
"""Seconds until a bar is shown, and from one state of it to the next."""
_FORM = "{desc}: {n_fmt} of {total_fmt} |{bar:20}| {elapsed}"


class _Clock:
    """What is known of the cell that runs."""

    total, n, name = 0, 0, ""
    done = threading.Event()

    def begin(self, *_: Any) -> None:
        """Start the time of a cell."""
        self.total, self.n, self.name, self.done = 0, 0, "this cell has run", threading.Event()
        threading.Thread(target=self._show, args=(self.done,), daemon=True).start()

    def end(self, *_: Any) -> None:
        """Take the bar away."""
        self.done.set()

    def _show(self, done: threading.Event) -> None:
        if done.wait(_PATIENCE):
            return
        with tqdm(desc=self.name, bar_format="{desc} {elapsed}", file=sys.stderr, leave=False) as bar:
            bar.start_t -= _PATIENCE
            while not done.wait(_TICK):
                bar.bar_format = _FORM if self.total else "{desc} {elapsed}"
                bar.total, bar.n = self.total, self.n
                bar.set_description_str(self.name)


_CLOCK = _Clock()


def steps(things: Iterable[T], total: int = 0) -> Iterator[T]:
    """Yield things, each a step of the cell that runs, whose bar counts them; so many in all, or their length."""
    for i, thing in enumerate(things):
        _CLOCK.total, _CLOCK.n = total or (len(things) if isinstance(things, Sized) else 0), i
        _CLOCK.name = thing if isinstance(thing, str) else "steps"
        yield thing
    _CLOCK.total = 0


def under_cells(shell: Any) -> None:
    """Show the bar under every cell of a kernel from now on, once."""
    if shell is not None and not getattr(shell, "_replicate_clock", False):
        shell._replicate_clock = True
        shell.events.register("pre_run_cell", _CLOCK.begin)
        shell.events.register("post_run_cell", _CLOCK.end)
