"""Return True if two files hold the same picture, up to what the last bits of numbers move."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import numpy as np
from matplotlib import image

from replicate.validation import FloatArray

_SHADE = 1.5 / 255
"""Largest difference of a channel: less than two of its 255 steps."""
_POINTS = 0.02
"""Largest difference of a number in a PDF, in points: matplotlib finds the ends of arrows to within 0.01."""
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
_STREAM = re.compile(rb"stream\n(.*?)\nendstream", re.DOTALL)


def alike(first: Path, second: Path) -> bool:
    """Return whether two PNG files, or two PDF files, show the same; one that cannot be read is like no other."""
    try:
        return _same_dots(first, second) if first.suffix == ".png" else _same_lines(first, second)
    except (OSError, SyntaxError, ValueError, zlib.error):
        return False


def _same_dots(first: Path, second: Path) -> bool:
    a, b = image.imread(first), image.imread(second)
    return a.shape == b.shape and float(np.abs(a - b).max()) <= _SHADE


def _same_lines(first: Path, second: Path) -> bool:
    (texts, numbers), (others, moved) = _drawn(first), _drawn(second)
    return texts == others and bool(np.allclose(numbers, moved, rtol=0, atol=_POINTS))


def _drawn(pdf: Path) -> tuple[list[bytes], FloatArray]:
    """Return the streams of a PDF and the sizes of its pages, cut at numbers, and the numbers."""
    content = pdf.read_bytes()
    streams = [zlib.decompress(stream) for stream in _STREAM.findall(content)]
    text = b"\n".join([*streams, *re.findall(rb"/MediaBox \[.*?\]", content)])
    return _NUMBER.split(text), np.array(_NUMBER.findall(text), dtype=np.float64)
