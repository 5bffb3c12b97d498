"""Exact privacy of the paper's messages: one noisy log density, K of them, or randomised response.

Neighbours are two labels of one user (local privacy). Noise scales are in units of the sensitivity where
that is said; a Laplace mechanism with sensitivity 1 and scale b is (1/b)-differentially private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from replicate import audit
from replicate.papers.distribution_learning import instances, privacy
from replicate.papers.distribution_learning.algorithms.channels import Channel
from replicate.papers.distribution_learning.algorithms.schemes import Game
from replicate.streams import stream
from replicate.validation import FloatArray

__all__ = [
    "SAMPLES",
    "Audit",
    "advanced_unit_scale",
    "audit_labels",
    "audit_pure",
    "audit_table",
    "audit_vector",
    "log_density",
    "messages",
    "one_coordinate_loss",
    "wide_class",
]


def one_coordinate_loss(channel: Channel, masses: FloatArray, scale: float) -> float:
    """Exact privacy loss of Algorithm 2's message about one label.

    Parameters
    ----------
    channel
        The clipping map.
    masses
        Shape (K, A): probability of each (group of) label(s) under each hypothesis.
    scale
        Scale b of the Laplace noise, in nats.

    Notes
    -----
    The message about hypothesis j is a Laplace variable around one of the atoms s_j(c), c a symbol, and
    label y reaches c with probability keep 1{c = y} + base_c. Between two neighbouring atoms the density of
    every label is A e^(z/b) + B e^(-z/b), so the ratio of two of them is monotone there, and constant
    beyond the outermost atoms: the supremum over z is attained at an atom, where
    density(y) = base part + keep e^(-|s(y) - s(atom)|/b).
    """
    atoms = channel.log_density(masses)[:, channel.cells > 0] / scale
    order = np.argsort(atoms, axis=1)
    s = np.take_along_axis(atoms, order, axis=1)
    s -= s[:, :1]
    base = channel.base[channel.cells > 0][order]
    up, down = np.exp(s), np.exp(-s)
    below = np.cumsum(base * up, axis=1) * down
    above = (np.cumsum((base * down)[:, ::-1], axis=1)[:, ::-1] - base * down) * up
    blurred = below + above
    farthest = np.maximum(s, s[:, -1:] - s)
    ratio = (blurred + channel.keep) / (blurred + channel.keep * np.exp(-farthest))
    return float(np.log(ratio).max())


def advanced_unit_scale(n: int, epsilon: float, delta: float) -> float:
    """Smallest scale that Lemma 2 (advanced composition) allows, in units of the sensitivity."""
    half = np.sqrt(2 * n * np.log(1 / delta))
    return float(n / (np.sqrt(half**2 + 2 * n * epsilon) - half))


SAMPLES = {"quick": 10**6, "full": 10**7}
"""Messages about each of the two labels."""


_BLOCK = 10**5


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What was certified and what is exact for one pair of labels, in units of the declared epsilon."""

    certified: float
    exact: float
    samples: int


def messages(game: Game, label: int, n: int, rng: np.random.Generator, *, noise: float = 1.0) -> FloatArray:
    """Release n messages about one (group of) label(s): shape (n, K), as `User.release` does one by one.

    Coordinates that Algorithm 2 does not release are NaN. `noise` multiplies the Laplace noise: 1 but for mutants.
    """
    channel, k = game.channels[0], game.hypotheses.shape[1]
    law = channel.base / channel.base.sum()
    symbols = np.where(rng.random(n) < channel.keep, label, rng.choice(len(law), size=n, p=law))
    if game.scheme == "pure":
        shown = rng.integers(k, size=n)
        released = np.full((n, k), np.nan)
        values = game.tuning.message(game.values[0][shown, symbols], noise * rng.laplace(size=n))
        released[np.arange(n), shown] = values
        return released
    return game.tuning.message(game.values[0].T[symbols], noise * rng.laplace(size=(n, k)))


def log_density(game: Game, label: int, released: FloatArray, *, noise: float = 1.0) -> FloatArray:
    """Log density of messages about a label, up to a term that no label changes: shape (n, K) to (n,)."""
    channel = game.channels[0]
    law = channel.base + channel.keep * (np.arange(len(channel.base)) == label)
    atoms = game.tuning.message(game.values[0].T, 0.0)
    width = noise * game.tuning.factor * game.tuning.scale
    total = np.zeros(len(released))
    for probability, atom in zip(law[law > 0], atoms[law > 0], strict=True):
        total += probability * np.exp(-np.nansum(np.abs(released - atom), axis=1) / width)
    return np.asarray(np.log(total))


def _certified(game: Game, *, delta: float, samples: int, rng: np.random.Generator, noise: float = 1.0) -> float:
    """Certified privacy loss of a noisy scheme, for the first label against the last, over epsilon."""
    pair = (0, game.hypotheses.shape[2] - 1)

    def evidence(label: int, n: int, rng: np.random.Generator) -> FloatArray:
        released = messages(game, label, n, rng, noise=noise)
        first, last = (log_density(game, y, released, noise=noise) for y in pair)
        return first - last

    def sampler(label: int) -> audit.Sampler:
        return lambda n, rng: np.concatenate(
            [evidence(label, min(_BLOCK, n - i), rng) for i in range(0, n, _BLOCK)]
        )

    loss = audit.certified_privacy_loss(*map(sampler, pair), samples=samples, delta=delta, rng=rng)
    return loss / game.epsilon


def _game(f: FloatArray, scheme: str, epsilon: float, horizon: int, calibration: str, delta: float | None) -> Game:
    return Game.validated(
        f, scheme=scheme, epsilon=epsilon, delta=delta, horizon=horizon, calibration=calibration, merge=True
    )


def wide_class(n_labels: int) -> FloatArray:
    """`instances.one_against_many` with the lone label first: merged, its groups are the first and the last."""
    return instances.one_against_many(n_labels)[:, ::-1]


@cache
def audit_pure(
    profile: str, seed: int, calibration: str, *, n_labels: int = 50, horizon: int = 100, epsilon: float = 2.0
) -> Audit:
    """Algorithm 2's message on one law against many labels, where the printed noise is too small."""
    game = _game(wide_class(n_labels), "pure", epsilon, horizon, calibration, None)
    rng = stream(seed, "dl", "audit pure", calibration, n_labels, horizon, epsilon)
    exact = privacy.one_coordinate_loss(game.channels[0], game.masses[0], game.tuning.scale) / epsilon
    samples = SAMPLES[profile]
    return Audit(certified=_certified(game, delta=0, samples=samples, rng=rng), exact=exact, samples=samples)


@cache
def audit_vector(
    profile: str, seed: int, calibration: str, *, copies: int = 1, delta: float = 0.01, noise: float = 1.0
) -> Audit:
    """All K = 2 `copies` noisy log densities of Algorithm 1, at (1, delta); the noise times `noise`.

    Three labels against one: two labels tell all hypotheses apart, so all coordinates move together.
    """
    f = np.repeat(wide_class(4), copies, axis=0)
    game = _game(f, "approximate", 1.0, 10**6, calibration, delta)
    rng = stream(seed, "dl", "audit vector", calibration, copies, delta, noise)
    samples = SAMPLES[profile] // 2
    certified = _certified(game, delta=delta, samples=samples, rng=rng, noise=noise)
    return Audit(certified=certified, exact=math.nan, samples=samples)


@cache
def audit_labels(profile: str, seed: int, scheme: str) -> Audit:
    """Randomised response, or the label in the clear: eight labels, epsilon = 1."""
    f = instances.dirichlet(4, 8)
    channel = _game(f, scheme, 1.0, 100, "corrected", None).channels[0]
    laws = channel.keep * np.eye(8)[[0, 7]] + channel.base

    def sampler(law: FloatArray) -> audit.Sampler:
        return lambda n, rng: rng.choice(8, size=n, p=law / law.sum())

    samples = SAMPLES[profile]
    rng = stream(seed, "dl", "audit labels", scheme)
    certified = audit.certified_privacy_loss(*map(sampler, laws), samples=samples, rng=rng)
    return Audit(certified=certified, exact=float(audit.privacy_loss(*laws)), samples=samples)


def audit_table(profile: str, seed: int) -> pd.DataFrame:
    """Every audit of the paper, in units of the epsilon declared."""
    rows = {
        "Algorithm 2, corrected, M = 50": audit_pure(profile, seed, "corrected"),
        "Algorithm 2, printed, M = 50": audit_pure(profile, seed, "printed"),
        "Algorithm 1, corrected, K = 2": audit_vector(profile, seed, "corrected"),
        "Algorithm 1, tight, K = 2": audit_vector(profile, seed, "tight"),
        "Algorithm 1, tight, K = 4": audit_vector(profile, seed, "tight", copies=2),
        "Algorithm 1, tight noise less a fifth": audit_vector(profile, seed, "tight", noise=0.8),
        "randomised response": audit_labels(profile, seed, "randomized_response"),
        "no privacy": audit_labels(profile, seed, "non_private"),
    }
    return pd.DataFrame(
        [
            {"learner": name, "certified by messages": a.certified, "exact": a.exact, "messages": a.samples}
            for name, a in rows.items()
        ]
    )
