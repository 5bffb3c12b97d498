"""One randomised bit about a label: which tests to ask so that every mixture of K laws is told from the truth.

A test is a function phi of the label with values -1 and 1. The user draws one of N public tests, evenly, and
releases it with a randomised response to its value. What decides is the price of a set of tests: the smallest
kappa with

    |u|_1^2 <= kappa (1/N) sum_k <phi_k, u>^2    for every u in E, the span of the differences of the
    distributions.

There are tests of price at most 2 n, n = dim E <= K - 1, for every class of distributions: signs of Gaussian
combinations of the hypotheses, with labels weighted by Lewis weights w. Step (i) of theorem "one-bit" of
reports/theorems.md, which has the least price, n, of tests that need a search.

The price of given tests is certified, not trusted: for any positive weights w and the rows a_y of a basis A of E,
|A b|_1^2 <= sum w b'Gb with G = sum_y a_y a_y'/w_y, so kappa is at most sum w times the largest eigenvalue of G
against (1/N) sum_k A'phi_k phi_k'A, whatever rounding did to the weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from replicate.streams import stream
from replicate.validation import FloatArray

RANK = 1e-10
"""A difference of distributions counts as a new direction if this share of it is orthogonal to those before."""
PRICE = 2.0
"""Price of sign tests over the dimension of E, at most."""
_MOST = 2**16


@dataclass(frozen=True, eq=False)
class Tests:
    """Public tests of labels.

    Attributes
    ----------
    signs
        Shape (N, A), -1 or 1: value of each test for each label.
    price
        A certified upper limit of kappa; infinite if some difference of distributions passes all tests.
    """

    signs: NDArray[np.int8]
    price: float


def span(laws: FloatArray) -> FloatArray:
    """Orthonormal basis of the span of the differences of laws, shape (K, A) to (A, n), by Gram and Schmidt.

    In the order of the hypotheses, so that the basis does not depend on a library's choice of signs.
    """
    basis = np.zeros((laws.shape[1], 0))
    for law in laws[1:]:
        direction = law - laws[0]
        size = np.linalg.norm(direction)
        # twice is enough: rounding leaves a share of the old directions the first time
        for _ in range(2):
            direction = direction - basis @ (basis.T @ direction)
        rest = np.linalg.norm(direction)
        if rest > RANK * size:
            basis = np.column_stack([basis, direction / rest])
    return basis


def lewis_weights(basis: FloatArray) -> FloatArray:
    """Weights w of the theorem, shape (A, n) to (A,): fixed point of w_y^2 = a_y' G^-1 a_y, to about 1e-3."""
    sizes = np.linalg.norm(basis, axis=1)
    seen = sizes > 0
    rows = basis[seen]
    weights = np.full(len(rows), basis.shape[1] / len(rows))
    for _ in range(60):
        # w_y^2 = a_y' G^-1 a_y, iterated
        new = np.linalg.norm(_whitened(rows, weights), axis=1) * weights
        close = np.abs(np.log(new / weights)).max() < 1e-3
        weights = new
        if close:
            break
    whole = np.zeros(len(basis))
    whole[seen] = weights
    return whole


def _whitened(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Rows a_y G^(-1/2)/w_y, G^(1/2) the factor of Cholesky: shape (A, n)."""
    scaled = rows / weights[:, None]
    factor = np.linalg.cholesky(rows.T @ scaled)
    return np.asarray(scipy.linalg.solve_triangular(factor, scaled.T, lower=True).T)


def price(basis: FloatArray, weights: FloatArray, signs: NDArray[Any]) -> float:
    """Certified price of tests, see the module: `basis` (A, n), positive `weights` (A,), `signs` (N, A)."""
    seen = weights > 0
    gram = basis[seen].T @ (basis[seen] / weights[seen, None])
    shown = signs @ basis
    moment = shown.T @ shown / len(signs)
    least = float(scipy.linalg.eigh(moment, gram, eigvals_only=True)[0])
    return float(weights.sum()) / least if least > 0 else np.inf


def searched_price(basis: FloatArray, signs: NDArray[Any], rng: np.random.Generator) -> float:
    """A lower limit of the price of tests: largest |u|_1^2 over their mean square that ascent finds, of 20 starts.

    Each step takes the best u of the span for the signs of the last one; the ratio cannot fall.
    """
    moment, best = (signs @ basis).T @ (signs @ basis) / len(signs), 0.0
    for _ in range(20):
        b = np.asarray(rng.standard_normal(basis.shape[1]))
        for _ in range(50):
            b = np.asarray(np.linalg.solve(moment, basis.T @ np.sign(basis @ b)), dtype=np.float64)
        best = max(best, float(np.abs(basis @ b).sum() ** 2 / (b @ moment @ b)))
    return best


def sign_tests(laws: FloatArray) -> Tests:
    """Tests of price at most 2 n for a class, shape (K, A): signs of Gaussian combinations of the rows z_y.

    Twice as many, from 4 n on, until the certificate says so; one for two distributions, which then is {f_1 <
    f_2}. Combinations come n at a time, orthogonal to each other: each is Gaussian up to its length, and together
    they are more even than independent ones.

    Raises
    ------
    ValueError
        If 2**16 tests have not that price: only rounding could be the reason.
    """
    basis = span(laws)
    n = basis.shape[1]
    if not n:
        return Tests(np.ones((1, laws.shape[1]), dtype=np.int8), 0.0)
    weights = lewis_weights(basis)
    seen = weights > 0
    rows = _whitened(basis[seen], weights[seen])
    rng, many, signs = stream(0, "sign tests", n), 1 if n == 1 else 4 * n, np.zeros((0, laws.shape[1]), np.int8)
    while many <= _MOST:
        more = np.ones((many - len(signs), laws.shape[1]), dtype=np.int8)
        directions = np.concatenate([_rotation(n, rng) for _ in range(len(more) // n)])
        more[:, seen] = np.where(directions @ rows.T < 0, -1, 1)
        signs = np.concatenate([signs, more])
        if (certified := price(basis, weights, signs)) <= PRICE * n:
            return Tests(signs, certified)
        many *= 2
    raise ValueError(f"hypotheses must be told apart by {_MOST} tests, got {len(laws)} that are not")


def _rotation(n: int, rng: np.random.Generator) -> FloatArray:
    """Random rotation, rows of shape (n, n); its factors are unique, so that libraries agree on it."""
    q, r = np.linalg.qr(rng.standard_normal((n, n)))
    return np.asarray((q * np.sign(np.diag(r))).T)


def pair_tests(laws: FloatArray) -> Tests:
    """The sets {f_i > f_j} of all pairs i < j, shape (K, A): what a tournament of hypotheses compares.

    The test of a pair sees the whole distance of the two, so for their difference the price is at most K(K - 1)/2;
    for a mixture of several it may be more, or infinite. Where f_i = f_j the test says no: if hypotheses agree on
    labels of positive mass, tests, and with them the distribution of a learner's error, depend on the order in
    which the hypotheses are listed. No order is better for all truths: exchanged hypotheses exchange their errors.
    """
    first, second = np.triu_indices(len(laws), 1)
    signs = np.where(laws[first] > laws[second], 1, -1).astype(np.int8)
    basis = span(laws)
    return Tests(signs, price(basis, lewis_weights(basis), signs) if basis.shape[1] else 0.0)
