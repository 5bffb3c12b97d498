"""Serve outputs of installed libraries: `python serve.py NAME`, run by the libraries' own interpreter.

A line on standard input with the number of an input, a number of runs and a seed is answered by a line with the
outputs as JSON. Nothing of this project is imported.
"""

import json
import math
import random
import sys
from functools import cache
from importlib import import_module
from unittest.mock import MagicMock

import numpy as np

EPSILON = 1.0
NAN = float("nan")


def identity(item):
    return item


def rappor(x):
    from pure_ldp.frequency_oracles.rappor import RAPPORClient

    client = RAPPORClient(0.5, 8, [[int]], num_of_cohorts=1, index_mapper=identity)
    client.f = client.convert_eps_to_f(EPSILON)
    return lambda: client.privatise(x)[0]


def pure_ldp(module, name):
    """A client of pure-ldp for eight values."""

    def make(x):
        client = getattr(import_module(f"pure_ldp.frequency_oracles.{module}"), name)
        one = client(EPSILON, 8, index_mapper=identity)
        return lambda: one.privatise(x)

    return make


def multi_freq(module, name, *sizes):
    """A client of multi-freq-ldpy."""

    def make(x):
        client = getattr(import_module(f"multi_freq_ldpy.{module}"), name)
        return lambda: client(x, *sizes, EPSILON)

    return make


def subset_as_a_set(x):
    run = multi_freq("pure_frequency_oracles.SS", "SS_Client", 20)(x)
    return lambda: sorted(run())


def unary(x):
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

    return lambda: UE_Client(x, 8, EPSILON, True)


def tool(name, fill):
    """A tool of diffprivlib on a hundred numbers, all others being `fill`."""

    def make(x):
        run = getattr(import_module("diffprivlib.tools"), name)
        return lambda: float(run([x] + [fill] * 99, epsilon=EPSILON, bounds=(0, 1)))

    return make


def regression(x):
    """A linear regression of diffprivlib without an intercept, on ten records."""
    from diffprivlib.models import LinearRegression

    model = LinearRegression(epsilon=EPSILON, bounds_X=(0, 100), bounds_y=(0, 1), fit_intercept=False)
    features, target = np.array([[x], *[[1.0]] * 9]), np.zeros(10)
    return lambda: float(model.fit(features, target).coef_[0])


def mechanism(name, **settings):
    """A mechanism of diffprivlib."""

    def make(x):
        one = getattr(import_module("diffprivlib.mechanisms"), name)(epsilon=EPSILON, **settings)
        return lambda: one.randomise(x)

    return make


def laplace(kind):
    """Laplace noise of OpenDP, discrete for integers."""

    def make(x):
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.atom_domain(T=kind), dp.absolute_distance(T=kind)
        measurement = dp.m.make_laplace(*space, scale=1.0 / EPSILON)
        return lambda: measurement(x)

    return make


def response(x):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    measurement = dp.m.make_randomized_response_bool(prob=math.e**EPSILON / (1 + math.e**EPSILON))
    return lambda: measurement(x)


def count(x):
    from diffpriv_pure import private_count

    return lambda: private_count(x, EPSILON)


def pure_mean(x):
    from diffpriv_pure import private_mean

    return lambda: private_mean([x] + [0.0] * 99, (0.0, 1.0), EPSILON)


def clamped_mean(x):
    from eeprivacy.operations import PrivateClampedMean

    one = PrivateClampedMean(lower_bound=0.0, upper_bound=1.0)
    return lambda: float(one.execute(values=[x] + [0.5] * 99, epsilon=EPSILON))


def vector_mean(x):
    from eeprivacy.operations import PrivateVectorClampedMeanLaplace

    one = PrivateVectorClampedMeanLaplace(lower_bound=0.0, upper_bound=1.0, k=2, N=10)
    vectors = [list(x)] + [[0.5, 0.5]] * 9
    return lambda: one.execute(vectors=vectors, epsilon=EPSILON, delta=0.0)


def without(*names):
    """Let modules that a package imports and this call does not use be absent: they are large."""
    for name in names:
        sys.modules.setdefault(name, MagicMock())


def location(seed):
    """A place on a map of metres; the seed is the function's own, or a fresh one for every run."""

    def make(x):
        without("folium", "folium.plugins", "matplotlib", "matplotlib.pyplot")
        import pandas as pd
        from trasgodp.geoindis import metric_privacy

        place = pd.DataFrame({"lat": [math.degrees(x / 6_371_000)], "lon": [0.0]})

        def run():
            given = {} if seed is None else {"seed": random.getrandbits(32)}
            return metric_privacy(place, "lat", "lon", EPSILON, **given)[["lat", "lon"]].to_numpy().ravel()

        return run

    return make


def presto(x):
    without(*PRESTO)
    sys.modules["torch"].Tensor = type("Tensor", (), {})
    from ornl_presto.privacy_mechanisms import applyDPGaussian

    return lambda: applyDPGaussian([x], sensitivity=100.0, delta=1e-5, epsilon=EPSILON)[0]


def toolbox(module, name):
    """A protocol of ldp-toolbox for eight values."""

    def make(x):
        one = getattr(import_module(f"ldp_toolbox.protocols.frequency.{module}"), name)(8, EPSILON)
        return lambda: one.obfuscate(x)

    return make


def rounded_response(x):
    """NPRR on a grid of five cells, with the probability that its formula has for epsilon."""
    setattr(np, "float_", np.float64)  # noqa: B010 - its name of before NumPy 2
    without("matplotlib", "matplotlib.pyplot", "confseq", "confseq.predmix", "confseq.betting", "confseq.misc")
    without("confseq.cs_plots", "confseq.types", "nprr.dpcs")
    own = import_module("nprr.mechanisms")
    return lambda: float(own.nprr(np.array([x]), own.r_from_G_eps(5, EPSILON), 5)[0])


def fairness(x):
    from insurance_fairness_ldp.mechanisms import KaryRandomisedResponse

    one = KaryRandomisedResponse(EPSILON, list(range(8)))
    return lambda: int(one.privatise([x], np.random.default_rng(random.getrandbits(64)))[0])


PRESTO = (
    "torch", "torch.nn", "torch.optim", "torch.utils", "torch.utils.data", "matplotlib", "matplotlib.pyplot",
    "opacus", "seaborn", "gpytorch", "bayes_opt",
)  # fmt: skip
VALUES = 1, 2
MECHANISMS = {
    "rappor": (rappor, VALUES),
    "direct_encoding": (pure_ldp("direct_encoding", "DEClient"), VALUES),
    "unary_encoding": (pure_ldp("unary_encoding", "UEClient"), VALUES),
    "histogram_encoding": (pure_ldp("histogram_encoding", "HEClient"), VALUES),
    "subset_selection": (multi_freq("pure_frequency_oracles.SS", "SS_Client", 20), VALUES),
    "subset_as_a_set": (subset_as_a_set, VALUES),
    "randomized_response": (multi_freq("pure_frequency_oracles.GRR", "GRR_Client", 8), VALUES),
    "optimal_unary": (unary, VALUES),
    "fake_data": (
        multi_freq("mdim_freq_est.RSpFD_solution", "RSpFD_GRR_Client", [8, 8, 8], 3),
        ((1, 1, 1), (2, 2, 2)),
    ),
    "fake_data_one": (
        multi_freq("mdim_freq_est.RSpFD_solution", "RSpFD_GRR_Client", [8, 8, 8], 3),
        ((1, 1, 1), (2, 1, 1)),
    ),
    "nanmean": (tool("nanmean", NAN), (0.0, 1.0)),
    "mean": (tool("mean", 0.0), (0.0, 1.0)),
    "sum": (tool("sum", 0.0), (0.0, 1.0)),
    "regression": (regression, (0.0, 100.0)),
    "laplace_mechanism": (mechanism("Laplace", sensitivity=1.0), (0.0, 1.0)),
    "geometric": (mechanism("Geometric", sensitivity=1), (0, 1)),
    "staircase": (mechanism("Staircase", sensitivity=1.0), (0.0, 1.0)),
    "binary": (mechanism("Binary", value0="a", value1="b"), ("a", "b")),
    "count": (count, (0, 1)),
    "pure_mean": (pure_mean, (0.0, 1.0)),
    "clamped_mean": (clamped_mean, (0.5, 1_000.0)),
    "clamped_mean_within": (clamped_mean, (0.0, 1.0)),
    "vector_mean": (vector_mean, ((0.0, 0.0), (0.0, 1.0))),
    "location": (location(None), (0.0, 1.0)),
    "location_fresh": (location("fresh"), (0.0, 1.0)),
    "toolbox_response": (toolbox("grr", "GeneralizedRandomizedResponse"), VALUES),
    "toolbox_unary": (toolbox("ue", "UnaryEncoding"), VALUES),
    "toolbox_subset": (toolbox("ss", "SubsetSelection"), VALUES),
    "toolbox_histogram": (toolbox("he", "HistogramEncoding"), VALUES),
    "rounded_response": (rounded_response, (0.0, 1.0)),
    "fairness": (fairness, VALUES),
    "presto": (presto, (0.0, 100.0)),
    "laplace": (laplace(float), (0.0, 1.0)),
    "discrete_laplace": (laplace(int), (0, 1)),
    "response": (response, (False, True)),
}


def plain(value):
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


@cache
def compiled_seed():
    """Seed of the generator in code that Numba compiles, for a library that does."""
    from numba import njit

    return njit(lambda seed: np.random.seed(seed))  # noqa: NPY002


def seeded(seed):
    """Seed Python's and NumPy's generators, and Numba's where a library uses it."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    if "numba" in sys.modules:
        compiled_seed()(seed)


def main(name):
    make, inputs = MECHANISMS[name]
    runs = [make(x) for x in inputs]
    for line in sys.stdin:
        side, n, seed = map(int, line.split())
        seeded(seed)
        print(json.dumps([plain(runs[side]()) for _ in range(n)]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
