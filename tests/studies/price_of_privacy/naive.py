"""The program once more, written plainly and independently: every letter, every history, no reduction."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
from scipy import sparse
from scipy.optimize import linprog


def value(n_actions, horizon, factor, *, feedback, letters=None, n_switches=0, delta=0.0, tables=None):
    """Least worst-case regret: x_t for every round, one inequality a table.

    `factor` is e**epsilon, None without privacy. `tables` are those of the adversary, all by default; privacy is
    asked on all tables of the letters.
    """
    letters = list(product((0, 1), repeat=n_actions)) if letters is None else letters
    everything = list(product(range(len(letters)), repeat=horizon))
    column = {}

    def see(table, actions):
        if feedback == "full":
            return table[: len(actions)]
        return tuple(letters[letter][a] for letter, a in zip(table, actions, strict=False))

    def name(actions, signals):
        return column.setdefault((actions, signals), len(column))

    plays = {t: list(product(range(n_actions), repeat=t)) for t in range(1, horizon + 1)}
    for table in everything:
        for t in plays:
            for actions in plays[t]:
                name(actions, see(table, actions[:-1]))
    equal, above, excess = [], [], []
    for actions, signals in list(column):
        if len(actions) > 1 or actions == (0,):
            siblings = {name((*actions[:-1], a), signals): 1.0 for a in range(n_actions)}
            if len(actions) == 1:
                equal.append((siblings, 1.0))
            else:
                equal.append((siblings | {name(actions[:-1], signals[:-1]): -1.0}, 0.0))
    for table in everything if tables is None else tables:
        row = {"value": -1.0}
        for t in plays:
            for actions in plays[t]:
                loss = letters[table[t - 1]][actions[-1]]
                key = name(actions, see(table, actions[:-1]))
                row[key] = row.get(key, 0.0) + loss
        above.append((row, best(table, letters, n_actions, n_switches)))
    if factor is not None:
        for table, place, letter in product(everything, range(horizon), range(len(letters))):
            other = (*table[:place], letter, *table[place + 1 :])
            pairs = [(name(a, see(table, a[:-1])), name(a, see(other, a[:-1]))) for a in plays[horizon]]
            if delta and other != table:
                excess.append((pairs, len(excess)))
            elif not delta:
                above += [({one: 1.0, two: -factor}, 0.0) for one, two in pairs if one != two]
    return _solve(column, equal, above, excess, factor, delta, n_actions**horizon)


def best(table, letters, n_actions, n_switches):
    """Loss of the best sequence of actions with at most so many switches, by trying them all."""
    sequences = product(range(n_actions), repeat=len(table))
    allowed = [s for s in sequences if sum(a != b for a, b in pairwise(s)) <= n_switches]
    return float(min(sum(letters[letter][a] for letter, a in zip(table, s, strict=True)) for s in allowed))


def _solve(column, equal, above, excess, factor, delta, outcomes):
    base = len(column)
    width = base + 1 + len(excess) * outcomes
    rows = list(above)
    for pairs, number in excess:
        start = base + 1 + number * outcomes
        rows += [({one: 1.0, start + i: -1.0, "minus": (two, factor)}, 0.0) for i, (one, two) in enumerate(pairs)]
        rows.append(({start + i: 1.0 for i in range(outcomes)}, delta))

    def matrix(system):
        entries = []
        for i, (row, _) in enumerate(system):
            for key, coefficient in row.items():
                if key == "minus":
                    entries.append((-coefficient[1], i, coefficient[0]))
                else:
                    entries.append((coefficient, i, base if key == "value" else key))
        values, *places = zip(*entries, strict=True)
        a = sparse.coo_array((values, places), shape=(len(system), width))  # entries of one place are added
        return a.tocsr(), np.array([right for _, right in system])

    a, b = matrix(rows)
    a_eq, b_eq = matrix(equal)
    cost = np.zeros(width)
    cost[base] = 1
    bounds = [(0, None)] * base + [(None, None)] + [(0, None)] * (width - base - 1)
    found = linprog(cost, A_ub=a, b_ub=b, A_eq=a_eq, b_eq=b_eq, bounds=bounds, method="highs")
    assert found.status == 0
    return found.fun
