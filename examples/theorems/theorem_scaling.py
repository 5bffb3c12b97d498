"""One small game of two actions bounds all longer ones at higher privacy.

Theorem "scaling" of this workbook (reports/theorems.md, number 11). One of two actions has loss 0 and the other
has loss 1 in every round, the same one in all; a learner's actions must be epsilon-private for tables in which
the good action may change from round to round. V_T(epsilon) is the least worst-case regret of such learners.

Statement. For every m, T >= 1 and epsilon > 0

    V_mT(epsilon / m) >= m (V_{T+1}(epsilon) - 1/2)                                   (lower)
    V_mT(log(1 + (e^epsilon - 1) / m)) <= m V_T(epsilon)                              (upper, from the proof)

so C = lim epsilon V_inf(epsilon) exists, with E (V_inf(E) - 1/2) <= C <= (e^E - 1) V_inf(E); 1.08 <= C <= 2.02.

What this page shows. V_T is a linear program over all learners (chances of all action sequences under all
tables, none of which depends on later letters). It is solved for T up to 4, and both inequalities hold. The
program's values agree with the closed forms 1/2 and 1/2 + 1/(1 + e^epsilon) of T = 1 and 2. The lower inequality
fails without the 1/2, and the upper one fails at the privacy level epsilon / m, at which a random round of a
batch need not be private.

This page does not show the limit C itself; optimal values have the solver's error, 1e-7.
"""

from itertools import product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def program(T, epsilon):
    """Rows (variable, coefficient) of equalities and of privacy; P(a_1, ..., a_T | letters 1, ..., T - 1)."""
    tables, plays = list(product((0, 1), repeat=T - 1)), list(product((0, 1), repeat=T))
    at = {(x, a): i for i, (x, a) in enumerate(product(tables, plays))}
    equal = [[(at[x, a], 1.0) for a in plays] for x in tables]  # chances add up to 1
    for t, x in product(range(T - 1), tables):  # a_1, ..., a_{t+1} do not depend on letter t + 1 or later
        if not any(x[t:]):
            continue
        y = (*x[:t], *(0,) * (T - 1 - t))
        for head in product((0, 1), repeat=t + 1):
            tails = [head + tail for tail in product((0, 1), repeat=T - 1 - t)]
            equal.append([(at[x, a], 1.0) for a in tails] + [(at[y, a], -1.0) for a in tails])
    flips = [(x, (*x[:t], 1 - x[t], *x[t + 1 :])) for x in tables for t in range(T - 1)]
    private = [[(at[x, a], 1.0), (at[y, a], -np.exp(epsilon))] for x, y in flips for a in plays]
    return at, equal, private, len(tables)


def matrix(rows, columns):
    """Sparse matrix of such rows."""
    entries = [(i, j, value) for i, row in enumerate(rows) for j, value in row]
    i, j, value = zip(*entries, strict=True)
    return coo_matrix((value, (i, j)), shape=(len(rows), columns)).tocsr()


def least_regret(T, epsilon):
    """V_T: the last variable is the larger of the regrets under the two constant tables."""
    at, equal, private, tables = program(T, epsilon)
    worst = [
        [(at[(good,) * (T - 1), a], float(sum(b != good for b in a))) for a in product((0, 1), repeat=T)]
        + [(len(at), -1.0)]
        for good in (0, 1)
    ]
    solution = linprog(
        np.append(np.zeros(len(at)), 1.0),
        A_ub=matrix(worst + private, len(at) + 1),
        b_ub=np.zeros(len(worst) + len(private)),
        A_eq=matrix(equal, len(at) + 1),
        b_eq=np.append(np.ones(tables), np.zeros(len(equal) - tables)),
    )
    return solution.fun


def main(games=((2, 1), (4, 1), (2, 2)), levels=(0.5, 1.0, 3.0)):
    """Print the table and assert what it shows; games are pairs (m, T)."""
    assert np.isclose(least_regret(1, 1.0), 0.5)
    assert np.isclose(least_regret(2, 1.0), 0.5 + 1 / (1 + np.e))
    print("m  T  epsilon  value at epsilon / m  lower bound  value at the amplified level  upper bound")
    for (m, T), epsilon in product(games, levels):
        long, low = least_regret(m * T, epsilon / m), m * (least_regret(T + 1, epsilon) - 0.5)
        other, top = least_regret(m * T, np.log1p(np.expm1(epsilon) / m)), m * least_regret(T, epsilon)
        print(f"{m}  {T} {epsilon:8} {long:21.4f} {low:12.4f} {other:29.4f} {top:12.4f}")
        assert low - 1e-7 <= long < low + m / 2
        assert other <= top + 1e-7
    long, top = least_regret(4, 0.25), 2 * least_regret(2, 0.5)
    print(f"m = T = 2, epsilon 0.5: the value at epsilon / m is {long:.4f}, upper bound {top:.4f}, which fails")
    assert long > top + 1e-3


if __name__ == "__main__":
    main()
