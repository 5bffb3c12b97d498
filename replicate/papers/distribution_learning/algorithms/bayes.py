"""Schemes beyond the paper's: messages of finitely many values, each read by Bayes' rule.

A user turns a label into a message by a public channel; the learner weighs hypothesis j by the product of the
probabilities P_j of the messages under it, and predicts the mixture of the hypotheses. No learning rate is tuned.

===================  ==========================================================================
``scheme``           message of a round
===================  ==========================================================================
merged_response      randomised response, after alike labels are merged
posterior            Algorithm 2's message: its coordinate and one of the intervals of its value
pair_bits            a random pair i < j, and a randomised bit of whether f_i > f_j at the label
sign_bits            a random one of the tests of `bits.sign_tests`, and a randomised bit of its value
===================  ==========================================================================

Labels are alike in a context if their columns (f_1(y), ..., f_K(y)) are proportional. Merging them loses nothing.
Proof. Let s(y) be the class of y. Within a class f_j(y) = r_y f_j(s), r_y the same for all j. So (i) the
divergence of mixtures of hypotheses is that of their distributions of classes. (ii) A channel Q on labels and Q'(m
| s) = sum_y r_y Q(m | y), y in s, have the same distribution of messages under every hypothesis, and Q' is an
average of rows of Q, so as private: what any scheme does with labels some scheme does with classes. (iii) What
maps a label to its class and then through an epsilon-private channel is epsilon-private about the label. QED

``posterior`` is a better use of Algorithm 2's messages than weighted majority, and as private: what the learner
does with messages is post-processing. A message is sorted by its coordinate and an interval of its value, and
hypotheses are weighed by the exact probability of the class. Below and above all atoms, the log densities of the
cells, the ratio of any two densities is constant: the two outermost intervals lose nothing, and those between the
atoms little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from replicate import validation
from replicate.learners.protocol import SHARPEST
from replicate.papers.distribution_learning.algorithms import bits, schemes
from replicate.papers.distribution_learning.algorithms.schemes import (
    SCHEMES,
    Channel,
    Scheme,
    checked_delta,
    mixture_losses,
)
from replicate.validation import FloatArray, IntArray

INTERVALS = 24
"""Intervals between the smallest and the largest atom of a coordinate."""


def ends(scheme: Scheme, context: int = 0) -> FloatArray:
    """Ends of the intervals of each coordinate, from its smallest atom to its largest: (K, INTERVALS + 1)."""
    inside = scheme.values[context][:, scheme.channels[context].cells > 0]
    return np.linspace(inside.min(axis=1), inside.max(axis=1), INTERVALS + 1, axis=1)


def message_class(intervals: FloatArray, coordinate: int, value: float) -> int:
    """Class of a message, from the `ends`: `value` is its log density plus noise, before (12) scales it."""
    place = np.searchsorted(intervals[coordinate], value, side="right")
    return int(coordinate * (INTERVALS + 2) + place)


def message_classes(scheme: Scheme, context: int = 0, *, scale: float | None = None) -> FloatArray:
    """Probability of each class of messages for each symbol before noise: shape (A, K * (INTERVALS + 2)).

    Algorithm 2; coordinate j is shown with probability 1/K. `scale` replaces that of the noise.
    """
    values, k = scheme.values[context], scheme.hypotheses.shape[1]
    width = scheme.tuning.scale if scale is None else scale
    classes = []
    for atoms, edges in zip(values, ends(scheme, context), strict=True):
        distance = (edges - atoms[:, None]) / width
        below = np.where(distance < 0, np.exp(np.minimum(distance, 0)), 2 - np.exp(-np.maximum(distance, 0))) / 2
        above = np.where(distance > 0, np.exp(-np.maximum(distance, 0)), 2 - np.exp(np.minimum(distance, 0))) / 2
        # differences of the smaller tail: on the far side both are near 1 and cancel
        between = np.where(distance[:, 1:] <= 0, np.diff(below, axis=1), -np.diff(above, axis=1))
        classes.append(np.concatenate([below[:, :1], between, above[:, -1:]], axis=1) / k)
    return np.concatenate(classes, axis=1)


def class_laws(channel: Channel, masses: FloatArray, classes: FloatArray) -> FloatArray:
    """Distribution of a message's class under each distribution of labels: shapes (K, A), (A, C) to (K, C)."""
    return np.asarray(channel.law(masses) @ classes)


def privacy_loss(scheme: Scheme, *, scale: float | None = None) -> float:
    """Exact privacy loss of the class of a message about one label, the worst over contexts.

    At most that of the message. `scale` replaces that of the noise.
    """
    losses = []
    for x, channel in enumerate(scheme.channels):
        classes = message_classes(scheme, x, scale=scale)
        losses.append(schemes.privacy_loss(channel.keep * classes[channel.cells > 0] + channel.base @ classes))
    return max(losses)


def play(
    laws: FloatArray,
    masses: FloatArray,
    rounds: IntArray,
    *,
    truth: int,
    replicates: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Risk of the Bayesian mixture in each of n strata, one round of each drawn at random: shape (replicates, n).

    Parameters
    ----------
    laws
        Shape (K, C): distribution of a message's class under each hypothesis.
    masses
        Shape (K, A): distributions of the label, which the learner mixes.
    rounds
        Shape (n,): last round of each stratum, see `simulation.strata`.
    truth
        Index of the true hypothesis.

    Returns
    -------
    The stratum's length times the divergence of its round: unbiased for the risk of the stratum.
    """
    first, log_laws = np.append(1, rounds[:-1] + 1), np.log(np.maximum(laws, 1e-300))
    costs = np.empty((replicates, len(rounds)))
    for costs_of_one in costs:
        # one round of a stratum stands for all of them: the sum stays unbiased
        times = rng.integers(first, rounds, endpoint=True)
        counts = rng.multinomial(np.diff(times - 1, prepend=0), laws[truth] / laws[truth].sum())
        scores = np.cumsum(counts @ (log_laws - log_laws[truth]).T, axis=0)
        costs_of_one[:] = mixture_losses(scores, masses, masses[truth], truth)[0]
    return costs * (rounds - first + 1)


def tails(laws: FloatArray, rounds: IntArray, *, truth: int, apart: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Largest cost of each stratum of `play`, and a proved upper limit of its mean: shapes (n,).

    `apart` is the cost of a round in which all weight is on hypothesis k, shape (K,): its divergence, or total
    variation, from the truth.

    Proof. The cost d of a mixture is convex in the weights w_k: at most sum_k w_k d_k, at most max d_k. A weight
    is at most x/(1 + x) <= sqrt(x)/2, x the likelihood ratio of k against the truth, and E sqrt(x) = h_k^(t - 1)
    before round t, h_k = sum sqrt(P_k P) over the classes of a message: decreasing in t.
    """
    first, distance = np.append(1, rounds[:-1] + 1), apart.copy()
    distance[truth] = 0.0
    log_affinity = np.log(np.minimum(np.sqrt(laws * laws[truth]).sum(axis=1), 1))
    mean = np.exp((first[:, None] - 1) * log_affinity) @ distance / 2
    lengths = rounds - first + 1
    return lengths * distance.max(), lengths * np.minimum(mean, distance.max())


BAYES_SCHEMES = ("merged_response", "posterior", "pair_bits", "sign_bits")
_DIGITS = 12
"""Columns count as proportional if, divided by their sums, they agree to so many decimals."""


def merge_proportional(laws: FloatArray) -> tuple[IntArray, FloatArray]:
    """Merge the labels of one context whose columns are proportional.

    Parameters
    ----------
    laws
        Shape (K, M).

    Returns
    -------
    Class of each label, shape (M,), and the distributions of the classes, shape (K, A). Labels without mass are in
    class 0.
    """
    sums = laws.sum(axis=0)
    # adding 0.0 turns -0.0 into 0.0: keys are compared bit by bit
    kinds = np.round(laws[:, sums > 0] / sums[sums > 0], _DIGITS).T + 0.0
    keys = np.ascontiguousarray(kinds).view(np.dtype((np.void, kinds.itemsize * kinds.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    # classes are numbered in the order in which they first appear
    order = np.argsort(np.argsort(first))
    classes = np.zeros(len(sums), dtype=np.int64)
    classes[sums > 0] = order[inverse]
    merged = np.zeros((len(laws), len(first)))
    np.add.at(merged.T, classes, laws.T)
    return classes, merged


@dataclass(frozen=True, eq=False)
class Response:
    """Randomised response on A classes."""

    n_classes: int
    epsilon: float

    def given(self, label: int) -> FloatArray:
        """Distribution of the message about a class, shape (C,)."""
        channel = schemes.randomized_response(np.ones(self.n_classes), self.epsilon)
        return channel.law(np.eye(self.n_classes)[label])

    def laws(self, masses: FloatArray) -> FloatArray:
        """Distribution of the message under distributions of classes, shapes (..., A) to (..., C)."""
        return schemes.randomized_response(np.ones(self.n_classes), self.epsilon).law(masses)

    def release(self, label: int, rng: np.random.Generator) -> int:
        """Message about a class."""
        if rng.random() < schemes.randomized_response(np.ones(self.n_classes), self.epsilon).keep:
            return label
        return int(rng.integers(self.n_classes))


@dataclass(frozen=True, eq=False)
class Bits:
    """One of N tests at random, and a randomised bit: message 2 k + b, b = 1 more likely where test k says 1.

    b is right with probability e^epsilon/(1 + e^epsilon) = (1 + tanh(epsilon/2))/2: exactly epsilon-private. From
    `SHARPEST` on epsilon is taken for that level, and no bit is certain by rounding.
    """

    tests: bits.Tests
    epsilon: float

    @property
    def _level(self) -> float:
        return min(self.epsilon, SHARPEST)

    def given(self, label: int) -> FloatArray:
        """Distribution of the message about a class, shape (C,)."""
        return self._laws(self.tests.signs[:, label].astype(np.float64))

    def laws(self, masses: FloatArray) -> FloatArray:
        """Distribution of the message under distributions of classes, shapes (..., A) to (..., C)."""
        return self._laws(masses @ self.tests.signs.T)

    def _laws(self, means: FloatArray) -> FloatArray:
        lean = np.tanh(self._level / 2) * means
        # P(test k, bit b) = (1 + (2 b - 1) tanh(epsilon / 2) phi_k) / (2 N)
        both = np.stack([1 - lean, 1 + lean], axis=-1) / (2 * len(self.tests.signs))
        return np.asarray(both.reshape(*means.shape[:-1], -1))

    def release(self, label: int, rng: np.random.Generator) -> int:
        """Message about a class."""
        test = int(rng.integers(len(self.tests.signs)))
        honest = rng.random() < 1 / (1 + np.exp(-self._level))
        return 2 * test + int((self.tests.signs[test, label] > 0) == honest)


@dataclass(frozen=True, eq=False)
class Noisy:
    """The message of Algorithm 2, of which the learner reads the coordinate and an interval of the value."""

    scheme: Scheme
    context: int

    @cached_property
    def _classes(self) -> FloatArray:
        return message_classes(self.scheme, self.context)

    @cached_property
    def _ends(self) -> FloatArray:
        return ends(self.scheme, self.context)

    def given(self, label: int) -> FloatArray:
        """Distribution of the message about a label, shape (C,)."""
        channel = self.scheme.channels[self.context]
        kept = channel.keep * (np.arange(len(channel.cells)) == label) if channel.cells[label] else 0.0
        law = channel.base + kept
        return np.asarray(law / law.sum() @ self._classes)

    def laws(self, masses: FloatArray) -> FloatArray:
        """Distribution of the message under distributions of labels, shapes (..., A) to (..., C)."""
        return class_laws(self.scheme.channels[self.context], masses, self._classes)

    def release(self, label: int, rng: np.random.Generator) -> int:
        """Message about a label: line by line that of `User`, then its class."""
        scheme, channel = self.scheme, self.scheme.channels[self.context]
        if rng.random() >= channel.keep or channel.cells[label] == 0:
            label = int(rng.choice(len(channel.base), p=channel.base / channel.base.sum()))
        shown = int(rng.integers(len(scheme.values[self.context])))
        value = scheme.values[self.context][shown, label] + scheme.tuning.scale * rng.laplace()
        return message_class(self._ends, shown, float(value))


@dataclass(frozen=True, eq=False)
class BayesScheme:
    """The public part of a scheme: hypotheses and channel of every context.

    Attributes
    ----------
    hypotheses
        Shape (X, K, M).
    classes
        Shape (X, M): what each label is turned into before the channel.
    masses
        Shape (X, K, A): the distributions that predictions mix: of labels, or of classes, padded with zeros.
    channels
        One for each context, on the classes.
    """

    hypotheses: FloatArray
    classes: IntArray
    masses: FloatArray
    channels: tuple[Response | Bits | Noisy, ...]
    name: str
    epsilon: float
    horizon: int
    laws: FloatArray
    noisy: bool = False

    @classmethod
    def validated(
        cls, hypotheses: ArrayLike, *, scheme: str, epsilon: float, horizon: int, calibration: str, merge: bool
    ) -> BayesScheme:
        """Check every argument once; see `simulate` for what is allowed. `merge`: predict classes, not labels."""
        noisy = Scheme.validated(
            hypotheses, scheme="pure", epsilon=epsilon, delta=None, horizon=horizon, calibration=calibration,
            merge=merge and scheme == "posterior",
        )  # fmt: skip
        array, level, n_contexts = noisy.hypotheses, noisy.epsilon, len(noisy.hypotheses)
        parts: tuple[FloatArray, ...] = tuple(noisy.masses)
        classes = np.broadcast_to(np.arange(parts[0].shape[1]), (n_contexts, parts[0].shape[1]))
        by_context: tuple[Response | Bits | Noisy, ...] = tuple(Noisy(noisy, x) for x in range(n_contexts))
        if scheme != "posterior":
            groups, parts = zip(*map(merge_proportional, array), strict=True)
            classes, by_context = np.array(groups), tuple(_channel(scheme, part, level) for part in parts)
        laws = _padded([channel.laws(part) for channel, part in zip(by_context, parts, strict=True)])
        masses = _padded(parts) if merge else noisy.masses
        return cls(array, classes, masses, by_context, scheme, level, noisy.horizon, laws)

    @property
    def predictions(self) -> FloatArray:
        """Distributions of which p_hat is the mixture, shape (X, K, A)."""
        return self.masses

    @cached_property
    def values(self) -> FloatArray:
        """Log probability of each message under each hypothesis, less its mean over them: shape (X, K, C)."""
        logs = np.log(np.where(self.laws > 0, self.laws, 1.0))
        # a constant common to all hypotheses changes no weight, and sums stay small
        return np.asarray(logs - logs.mean(axis=1, keepdims=True))

    def symbol_laws(self, truth: int) -> FloatArray:
        """Distribution of a message of each context under a hypothesis, shape (X, C)."""
        return self.laws[:, truth]

    def log_weights(self, log_density: FloatArray, noise: FloatArray, rounds: FloatArray) -> FloatArray:
        """Log weights, up to a constant, from the sum of log probabilities: shapes (..., K)."""
        return log_density

    def release(self, label: int, context: int, rng: np.random.Generator) -> int:
        """Message about a label, an integer from 0 to C - 1."""
        return self.channels[context].release(int(self.classes[context, label]), rng)

    def given(self, label: int, context: int = 0) -> FloatArray:
        """Distribution of the message about a label, shape (C,)."""
        return self.channels[context].given(int(self.classes[context, label]))

    def privacy_loss(self) -> float:
        """Exact privacy loss of a message about one label, worst over contexts and all pairs of labels."""
        return max(
            schemes.privacy_loss(np.array([channel.given(int(label)) for label in np.unique(labels)]))
            for channel, labels in zip(self.channels, self.classes, strict=True)
        )


def _channel(name: str, masses: FloatArray, epsilon: float) -> Response | Bits:
    """The channel of one context on its classes."""
    if name == "merged_response":
        return Response(masses.shape[1], epsilon)
    return Bits(bits.pair_tests(masses) if name == "pair_bits" else bits.sign_tests(masses), epsilon)


def _padded(parts: Sequence[FloatArray]) -> FloatArray:
    """Stack of tables of shape (K, A), A differing, filled up with zeros."""
    width = max(part.shape[1] for part in parts)
    return np.array([np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in parts])


def shared(
    hypotheses: ArrayLike,
    *,
    scheme: str,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    merge: bool = False,
) -> Scheme | BayesScheme:
    """Return the public part of a scheme, of the paper or of this module; see `simulate`."""
    name = validation.choice("scheme", scheme, (*SCHEMES, *BAYES_SCHEMES))
    options: dict[str, Any] = {"epsilon": epsilon, "horizon": horizon, "calibration": calibration, "merge": merge}
    if name in SCHEMES:
        return Scheme.validated(hypotheses, scheme=name, delta=delta, **options)
    checked_delta(name, delta)
    return BayesScheme.validated(hypotheses, scheme=name, **options)
