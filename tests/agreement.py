"""Two faces of one law: statistics of how far two samples of a state lie apart, and names of what tests compare.

A face is a way to run an algorithm: round by round, by a simulator, by a compiled kernel. A test
that compares two faces says so with `compares`; an inventory finds what none names.
"""

import numpy as np
from scipy import stats

RARE = 10
"""Fewest counts of a cell, in both samples together, that stands for itself in a chi-square."""
FEW = 64
"""Most distinct values of a column that is compared by its counts."""


# Statistics


def apart(first, second):
    """P-value that two samples of a state have one law, small where they lie apart.

    A state is a mapping of names to columns: arrays of shape (runs,) or (runs, d), of the same d in both samples.
    Columns with few values are compared by chi-square, others by Kolmogorov-Smirnov; a table of real numbers also
    by the sums and the neighbours' differences of its columns, which know their dependence. The smallest p-value
    is multiplied by their number.
    """
    assert first.keys() == second.keys()
    values = [p for name in first for p in _p_values(_columns(first[name]), _columns(second[name]))]
    return min(1.0, len(values) * min(values))


def columns_apart(first, second):
    """Names of the parts of two states that lie apart, with their p-values: what a failed comparison shows."""
    return {name: apart({name: first[name]}, {name: second[name]}) for name in first}


def _columns(part):
    """Columns of a part of a state: shape (runs, d)."""
    table = np.asarray(part)
    return table.reshape(len(table), -1)


def _p_values(x, y):
    """P-values of the columns of two parts, and of what shows their dependence."""
    assert x.shape[1] == y.shape[1]
    if x.dtype.kind in "biu" or len(np.unique(np.concatenate([x, y]).round(9))) <= FEW:
        return [by_counts(a, b) for a, b in zip(x.T, y.T, strict=True)]
    parts = [(x, y)]
    if x.shape[1] > 1:
        parts += [(x.sum(axis=1)[:, None], y.sum(axis=1)[:, None]), (np.diff(x), np.diff(y))]
    return [by_distance(a, b) for x, y in parts for a, b in zip(x.T, y.T, strict=True)]


def by_counts(first, second):
    """P-value of the chi-square of homogeneity of two samples, shape (n,) and (m,); rare values are merged."""
    kinds, place = np.unique(np.concatenate([first, second]).round(9), return_inverse=True)
    counts = np.stack([np.bincount(part, minlength=len(kinds)) for part in np.split(place, [len(first)])])
    rare = counts.sum(axis=0) < RARE * counts.sum() / counts.sum(axis=1).min()
    counts = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) > 0]
    return float(stats.chi2_contingency(counts, correction=False).pvalue) if counts.shape[1] > 1 else 1.0


def by_distance(first, second):
    """P-value of Kolmogorov and Smirnov's two-sample test; sums in any order, hence nine digits."""
    return float(stats.ks_2samp(first.round(9), second.round(9), method="asymp").pvalue)


def codes(actions, n_actions):
    """Every row of actions as one number to the base K: (runs, T) -> (runs,)."""
    return np.ravel_multi_index(np.transpose(actions), (n_actions,) * np.shape(actions)[1])


def drawn(laws, rng):
    """One action from every law: (..., K) -> (...)."""
    below = rng.random((*laws.shape[:-1], 1)) >= laws.cumsum(axis=-1)[..., :-1]
    return below.sum(axis=-1)


def played(learner, losses):
    """Actions of one game on a table, (T, K) -> (T,): `protocol.play` without what it adds for people."""
    actions = np.empty(len(losses), dtype=np.int64)
    for t, row in enumerate(losses):
        actions[t] = learner.act()
        learner.observe(row if learner.feedback == "full" else row[actions[t]])
    return actions


def remembered(selector, laws):
    """Return a selector that computes the law of equal sums once, kept in `laws`: literal games repeat them."""

    def select(sums):
        key = sums.tobytes()
        if key not in laws:
            laws[key] = selector(sums)
        return laws[key]

    return select


# What is compared


def compares(*names):
    """Say which learners, kernels or laws a test compares with another face of theirs."""

    def mark(test):
        test.compares = names
        return test

    return mark


def laws(learner, table):
    """Laws of the actions of all rounds, (T, K): those that the learner tells, or all mass on what is played."""
    found = np.zeros(table.shape)
    for law, row in zip(found, table, strict=True):
        told = hasattr(learner, "probabilities")
        action = 0 if told else learner.act()
        law[:] = learner.probabilities() if told else np.eye(len(row))[action]
        learner.observe(row if learner.feedback == "full" else row[action])
    return found
