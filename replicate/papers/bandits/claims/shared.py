"""Verdicts with their constants, and controls, of several claims."""

from __future__ import annotations

from typing import Any

CORRECTED: dict[str, Any] = {"verdict": "reproduced with correction", "constants": "corrected"}
UNPROVED: dict[str, Any] = {"verdict": "unproved as printed"}
PROVED: dict[str, Any] = {"verdict": "true, proved here"}
FALSE: dict[str, Any] = {"verdict": "fails as printed"}
OURS: dict[str, Any] = {"verdict": "our finding", "constants": "derived"}

LESS_NOISE: dict[str, Any] = {
    "stated": {"noise_divisor": 1.0}, "control": {"noise_divisor": 1.02}, "control_name": "noise smaller by a fiftieth",
}  # fmt: skip


def some_games(share: float) -> dict[str, Any]:
    """Return a control: that share of the games is played uniformly."""
    name = f"uniform play in {100 * share:.3g} % of the games"
    return {"control": {"uniform": share}, "control_name": name, "knob": "constant"}
