"""Serve outputs of installed libraries: `python serve.py NAME SIDE`, run by the libraries' own interpreter.

A line with a number of runs and a seed on standard input is answered by a line with the outputs as JSON. Nothing
of this project is imported.
"""

import json
import random
import sys

import numpy as np

EPSILON = 1.0
NAN = float("nan")


def rappor(x):
    from pure_ldp.frequency_oracles.rappor import RAPPORClient

    client = RAPPORClient(0.5, 8, [[int]], num_of_cohorts=1, index_mapper=lambda item: item)
    client.f = client.convert_eps_to_f(EPSILON)
    return lambda: client.privatise(x)[0]


def direct_encoding(x):
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    client = DEClient(EPSILON, 8, index_mapper=lambda item: item)
    return lambda: client.privatise(x)


def unary_encoding(x):
    from pure_ldp.frequency_oracles.unary_encoding import UEClient

    client = UEClient(EPSILON, 8, index_mapper=lambda item: item)
    return lambda: client.privatise(x)


def subset_selection(x):
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client

    return lambda: SS_Client(x, 100, EPSILON)


def subset_as_a_set(x):
    run = subset_selection(x)
    return lambda: sorted(run())


def randomized_response(x):
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    return lambda: GRR_Client(x, 8, EPSILON)


def fake_data(x):
    from multi_freq_ldpy.mdim_freq_est.RSpFD_solution import RSpFD_GRR_Client

    return lambda: RSpFD_GRR_Client(x, [8, 8, 8], 3, EPSILON)


def nanmean(x):
    from diffprivlib.tools import nanmean

    return lambda: float(nanmean([x] + [NAN] * 99, epsilon=EPSILON, bounds=(0, 1)))


def mean(x):
    from diffprivlib.tools import mean

    return lambda: float(mean([x] + [0.0] * 99, epsilon=EPSILON, bounds=(0, 1)))


def laplace(x):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float), dp.absolute_distance(T=float)
    measurement = dp.m.make_laplace(*space, scale=1.0 / EPSILON)
    return lambda: measurement(x)


MECHANISMS = {
    "rappor": (rappor, (1, 2)),
    "direct_encoding": (direct_encoding, (1, 2)),
    "unary_encoding": (unary_encoding, (1, 2)),
    "subset_selection": (subset_selection, (1, 2)),
    "subset_as_a_set": (subset_as_a_set, (1, 2)),
    "randomized_response": (randomized_response, (1, 2)),
    "fake_data": (fake_data, ((1, 1, 1), (2, 2, 2))),
    "fake_data_one": (fake_data, ((1, 1, 1), (2, 1, 1))),
    "nanmean": (nanmean, (0.0, 1.0)),
    "mean": (mean, (0.0, 1.0)),
    "laplace": (laplace, (0.0, 1.0)),
}


def plain(value):
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def seeded(seed):
    """Seed Python's, NumPy's and Numba's generators."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        from numba import njit
    except ImportError:
        return
    njit(lambda s: np.random.seed(s))(seed)  # noqa: NPY002


def main(name, side):
    make, inputs = MECHANISMS[name]
    run = make(inputs[side])
    for line in sys.stdin:
        n, seed = map(int, line.split())
        seeded(seed)
        print(json.dumps([plain(run()) for _ in range(n)]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
