"""What several test modules of this paper share."""

from replicate.streams import stream

FALSE_ALARM = 1e-7
SIZES = [(6, 3, 2), (6, 2, 2), (5, 3, 1), (4, 2, 0), (6, 2, 5)]


def table_of(horizon, n, *key, levels=3):
    return stream(1, *key, horizon, n).integers(0, levels, (horizon, n)) / (levels - 1)
