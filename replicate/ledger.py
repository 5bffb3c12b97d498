"""What a notebook keeps: the claims it verified, the figures it drew, and the mark that it came to its end."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.display import Markdown, display
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from replicate import boundary, claims, figures, slips, word_tables
from replicate.files import project_root, replacing

__all__ = ["Ledger", "marker"]


def marker(root: Path, profile: str, paper: str) -> Path:
    """Return the file that says a paper's notebook ran to its end with this profile."""
    return root / "build" / profile / f"{paper}.json"


class Ledger:
    """A notebook's record of one paper.

    Parameters
    ----------
    paper
        Key of `claims.PAPERS`.
    profile
        ``"quick"`` or ``"full"``: how large the experiments are.
    seed
        Root seed.
    output
        Folder that receives ``figures/<paper>/``, relative to the project's root.
    """

    def __init__(self, paper: str, *, profile: str, seed: int, output: str) -> None:
        self.paper = boundary.choice("paper", paper, tuple(claims.PAPERS))
        self.profile = boundary.choice("PROFILE", profile, claims.PROFILES)
        self.seed = boundary.count("SEED", seed, low=0)
        self.root = project_root()
        self.folder = self.root / output / "figures" / paper
        self._claims = {i: c for i, c in claims.register().items() if c.paper == paper}
        self._slips = {i: s for i, s in slips.register().items() if s.paper == paper}
        self._results: dict[str, claims.Result] = {}
        self._adjudications: dict[str, slips.Adjudication] = {}
        self._start = time.perf_counter()
        marker(self.root, self.profile, paper).unlink(missing_ok=True)

    def verify(self, *ids: str) -> None:
        """Check claims and their controls, and show what was measured.

        Raises
        ------
        AssertionError
            If a check does not hold or its control does.
        """
        for claim_id in ids:
            if claim_id not in self._claims:
                raise ValueError(f"id must be one of {', '.join(self._claims)}, got {claim_id!r}")
            result = claims.verify(self._claims[claim_id], profile=self.profile, seed=self.seed)
            self._results[claim_id] = result
            display(Markdown(_evidence(result)))
            if not result.stands:
                raise AssertionError(f"{claim_id}: {result.verdict}: {result.evidence} control {result.control}")

    def adjudicate(self, *ids: str) -> None:
        """Run every route of slips, and show what is wrong in print.

        Raises
        ------
        AssertionError
            If a route does not establish its slip, or establishes it for the corrected version too.
        """
        for slip_id in ids:
            if slip_id not in self._slips:
                raise ValueError(f"id must be one of {', '.join(self._slips)}, got {slip_id!r}")
            result = slips.adjudicate(self._slips[slip_id], profile=self.profile, seed=self.seed)
            self._adjudications[slip_id] = result
            display(Markdown(_adjudicated(result)))
            if not result.stands:
                raise AssertionError(f"{slip_id} is not established: {result.findings}")

    def figure(self, name: str, figure: Figure, data: pd.DataFrame, **parameters: Any) -> None:
        """Show a figure, described in words, and save it with data and provenance; quick ones are stamped."""
        if self.profile == "quick":
            figure.text(
                0.995, 0.005, "QUICK PROFILE: small sizes", ha="right", va="bottom", fontsize=7, color="#b00020"
            )
        figure.draw_without_rendering()  # lay out once: every further rendering would do it anew
        figure.set_layout_engine("none")
        origin = {"paper": self.paper, "profile": self.profile, "seed": self.seed, "parameters": parameters}
        paths = figures.save(figure, self.folder / name, data, origin)
        display(figure, metadata={"image/png": {"alt": figures.description(figure)}})
        plt.close(figure)
        here = marker(self.root, self.profile, self.paper).parent
        kinds = zip(("PNG", "PDF", "data", "provenance"), paths, strict=True)
        links = " · ".join(f"[{kind}]({os.path.relpath(path, here)})" for kind, path in kinds)
        display(Markdown(f"{name}: {links}"))

    def table(self, name: str, data: pd.DataFrame) -> None:
        """Save a table of words as CSV and show it, claims linked to their cells."""
        path = self.folder / f"{name}.csv"
        word_tables.write(path, data)
        display(Markdown(word_tables.markdown(path, notebooks=".")))

    def finish(self) -> None:
        """Show the paper's table of claims, write it, and leave the completion marker.

        Raises
        ------
        AssertionError
            If a claim of the paper was not verified in this notebook, or one of its slips not adjudicated.
        """
        missing = [i for i in self._claims if i not in self._results]
        missing += [i for i in self._slips if i not in self._adjudications]
        if missing:
            raise AssertionError(f"{self.paper} is not checked whole in this notebook: {', '.join(missing)}")
        records = [self._results[i].record() for i in self._claims]
        display(Markdown(claims.table(records, notebooks=".")))
        _write_json(self.folder / "claims.json", records)
        if self._slips:
            _write_json(self.folder / "slips.json", [self._adjudications[i].record() for i in self._slips])
        seconds = {i: round(self._results[i].seconds, 3) for i in self._claims}
        _write_json(self.folder / "times.json", {i: float(f"{value:.2g}") for i, value in seconds.items()})
        done = {
            "paper": self.paper,
            "profile": self.profile,
            "seed": self.seed,
            "seconds": round(time.perf_counter() - self._start, 2),
            "claims": seconds,
            "revision": _revision(self.root),
            "versions": figures.versions(),
        }
        _write_json(marker(self.root, self.profile, self.paper), done)


def _evidence(result: claims.Result) -> str:
    """One claim, its number and its control, as Markdown."""
    claim, e, c = result.claim, result.evidence, result.control
    sign = "≤" if e.relation == "<=" else "≥"
    uniform = "" if e.uniform is None else f" Uniform play: {e.uniform:.4g}."
    remark = f"\n\n{claim.remark}" if claim.remark else ""
    return (
        f"**{claim.id}** ({claim.source}, {claim.constants} constants): **{result.verdict}**\n\n"
        f"{claim.statement}\n\n"
        f"measured **{e.measured:.4g}** {sign} **{e.limit:.4g}**, ratio {e.ratio:.3g}. {e.detail}{uniform}\n\n"
        f"*Control, {claim.control_name}:* {c.measured:.4g} against {c.limit:.4g}, "
        f"{'not ' if not c.holds else ''}accepted. {c.detail}{remark}"
    )


def _adjudicated(result: slips.Adjudication) -> str:
    """One slip with its routes and its counterexample, as Markdown."""
    slip = result.slip
    routes = "\n".join(
        f"- *{f.route.kind}*: {f.route.how}: **{f.evidence.measured:.4g}** "
        f"{'≤' if f.evidence.relation == '<=' else '≥'} {f.evidence.limit:.4g}; "
        f"corrected: {f.control.measured:.4g}. {f.evidence.detail}"
        for f in result.findings
    )
    return (
        f"**{slip.id}** ({slip.where}): **{slip.effect}**\n\n"
        f"| | |\n|---|---|\n| printed | {claims.cell(slip.printed)} |\n| true | {claims.cell(slip.true)} |\n"
        f"| consequence | {claims.cell(slip.consequence)} |\n| correction | {claims.cell(slip.correction)} |\n"
        f"| its cost in regret | {claims.cell(slip.cost)} |\n| survives if | {claims.cell(slip.reading)} |\n\n"
        f"{routes}\n\n```python\n{slip.example}\n```\n"
    )


def _write_json(path: Path, value: Mapping[str, Any] | list[Any]) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def _revision(root: Path) -> str:
    """Git revision of the checkout, with a plus sign when it has changes; empty outside git."""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
