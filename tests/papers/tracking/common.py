"""Share between the test modules of this paper."""

import numpy as np

from replicate.streams import stream

FALSE_ALARM = 1e-7
SIZES = [(6, 3, 2), (6, 2, 2), (5, 3, 1), (4, 2, 0), (6, 2, 5)]


def table_of(horizon, n, *key, levels=3):
    return stream(1, *key, horizon, n).integers(0, levels, (horizon, n)) / (levels - 1)


def listed_restarts(table, *, epsilon, rule, rng):
    """Algorithm 2 line by line, Laplace noise drawn for every expert and every window: actions and first rounds.

    `epsilon` is that of Algorithm 1.
    """
    actions, starts, age, sums = [], [0], 0, np.zeros((len(table) + 1, table.shape[1]))
    for t, row in enumerate(table):
        if age == 0:
            action, threshold, since = int(rng.integers(len(row))), rng.laplace(scale=2 / rule.epsilon), t
        elif (age + 1).bit_count() == 1:
            block = table[since + (age - 1) // 2 : t].sum(axis=0)
            action = int((block + rng.laplace(scale=2 / epsilon, size=len(row))).argmin())
        age += 1
        actions.append(action)
        sums[age] = sums[age - 1] + row[action] - row
        lengths = 2 ** np.arange(age.bit_length()) if rule.windows == "dyadic" else np.arange(1, age + 1)
        regret = (sums[age] - sums[age - lengths]).max(axis=1)
        queries = regret - rule.constant - rule.root * np.sqrt(lengths - 1) - rule.accuracy - 1
        if (queries + rng.laplace(scale=4 / rule.epsilon, size=len(lengths)) >= threshold).any():
            starts.append(t + 1)
            age = 0
    return np.array(actions), starts
