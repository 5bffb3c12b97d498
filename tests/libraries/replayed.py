"""Replay faults in the packages' own code: `python replayed.py`, run by the libraries' own interpreter.

It prints one line of JSON for each of `CASES`, or for those that are named: what `replay` finds in the package as
released, and after the fault is corrected. A module is executed from its source, with its ``np.random`` replaced
by the recorder. A correction replaces the faulty lines. Modules that the call does not use are absent.
"""

import contextlib
import io
import itertools
import json
import sys
import time
import warnings
from collections import Counter
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import distribution, version
from pathlib import Path
from types import ModuleType
from unittest.mock import MagicMock

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from replicate import audit


class Absent(MetaPathFinder, Loader):
    """Finds modules below some names, and makes nothing of them."""

    names = ("pydantic", "pgmpy", "synthcity", "mostlyai", "tqdm")

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.split(".")[0] in self.names else None

    def create_module(self, spec):
        return MagicMock(__path__=[], __spec__=spec, __name__=spec.name)

    def exec_module(self, module):
        pass


class Numpy:
    """NumPy, whose legacy random functions draw from the recorder of the run."""

    def __init__(self):
        self.random = None

    def __getattr__(self, name):
        return getattr(np, name)


NUMPY = Numpy()


def module(package, path, *edits):
    """Execute a module of an installed package, some of its lines replaced; each must be there."""
    file = distribution(package).locate_file(path)
    text = Path(file).read_text(encoding="utf-8")
    for old, new in edits:
        if old not in text:
            raise LookupError(f"{path} has no {old!r}")
        text = text.replace(old, new)
    made = ModuleType(path.removesuffix(".py").replace("/", "."))
    exec(compile(text, str(file), "exec"), vars(made))  # the package's own source
    made.np = NUMPY
    return made


def covariance(fix):
    """DPcovariance of SmartNoise: noise is drawn by a function inside, from uniform numbers."""
    import pandas as pd

    edits = [("dp_noise(n=len(true_val), noise_scale=scale)", "np.random.laplace(scale=scale)")]
    edits += [("covar(data.values.T", "covar(new_data.values.T")] * fix
    own = module("smartnoise-synth", "snsynth/models/dp_covariance.py", *edits)

    def run(rows):
        bounds = pd.DataFrame({0: [0.0, 1.0], 1: [0.0, 1.0]})
        one = own.DPcovariance(len(rows), ["a", "b"], bounds, 1.0)
        return one.release(pd.DataFrame(rows, columns=["a", "b"]))

    rows = np.full((20, 2), 0.5)
    return run, rows, np.vstack([rows[1:], [9.0, 9.0]])


def odometer(fix):
    """Odometer of SmartNoise: what it reports of a budget; no noise is drawn."""
    own = module(
        "smartnoise-sql", "snsql/sql/odometer.py",
        ("from snsql.sql.privacy import Privacy", "class Privacy: epsilon, delta = 0.1, 1e-6"),
        *[("(1/tol)", "np.log(1/tol)")] * fix,
    )  # fmt: skip

    def run(records):
        one = own.Odometer(own.Privacy())
        one.spend(100)
        return one.spent, sum(records) + NUMPY.random.laplace(scale=1.0)

    return run, [0.0, 0.0], [0.0, 1.0]


def network(parents, data, neighbour, *faults):
    """PrivBayes of Synthcity, declared 1-private: the conditional probabilities that it fits."""

    def make(fix):
        own = module(
            "synthcity", "synthcity/plugins/privacy/plugin_privbayes.py",
            ("class PrivBayes(Serializable):", "class PrivBayes:"),
            ("class PrivBayesPlugin(Plugin):", "class PrivBayesPlugin:"),
            ("@validate_arguments(config=dict(arbitrary_types_allowed=True))", ""),
            *faults * fix,
        )  # fmt: skip
        own.TabularCPD = lambda **found: found["values"]

        def run(rows):
            import pandas as pd

            one = own.PrivBayes(epsilon=1.0, K=parents)
            one._greedy_bayes = lambda table: [own.network_edge(name, []) for name in table.columns]
            one.display_network = lambda: None
            with contextlib.redirect_stderr(io.StringIO()):
                kept = []
                own.BayesianNetwork = lambda: MagicMock(add_cpds=lambda *found: kept.extend(found))
                one.fit(pd.DataFrame(rows, columns=list("abc")))
            return kept

        return run, data, neighbour

    return make


def statistics(own, values):
    """What MOSTLY AI's analysis has of a column of numbers, from one partition."""
    digits = {f"E{k}": int(10**k <= max(values)) for k in range(3, -1, -1)}
    return {
        "has_nan": False, "has_neg": False, "min_digits": digits, "max_digits": digits,
        "min_n": sorted(values), "max_n": sorted(values)[::-1],
        "log_hist": own.compute_log_histogram(np.array(values)),
        "cnt_values": dict(sorted(Counter(map(str, values)).items())),
    }  # fmt: skip


def analysis(data, neighbour, *faults):
    """analyze_reduce_numeric of MOSTLY AI at a declared epsilon of 1."""

    def make(fix):
        common = module("mostlyai-engine", "mostlyai/engine/_common.py")
        sys.modules["mostlyai.engine._common"] = common
        own = module("mostlyai-engine", "mostlyai/engine/_encoding_types/tabular/numeric.py", *faults * fix)
        return lambda values: own.analyze_reduce_numeric([statistics(own, values)], True, 1.0), data, neighbour

    return make


def marginals(fix):
    """MST of dpmm on one column, and its measurement."""
    import pandas as pd
    from dpmm.models import mst
    from dpmm.models.base.mechanisms import mechanism

    rho = mechanism.cdp_rho(1.0, 1e-5)  # a search that is none of the replay's
    mst.cdp_rho = mechanism.cdp_rho = lambda epsilon, delta: rho
    mechanism.gaussian_noise = lambda sigma, size=None: NUMPY.random.normal(scale=sigma, size=size)

    def run(values):
        one = mst.MST(
            epsilon=1.0, delta=1e-5, n_iters=100, compress=False, n_jobs=1, domain={"a": 8} if fix else None
        )
        one.fit(pd.DataFrame({"a": values}), marginals_only=True)
        return one.measures[0][1]

    return run, [0, 1, 2], [0, 1, 7]


def diffprivlib():
    """Let its Laplace mechanisms and vectors draw from the recorder."""
    from diffprivlib.mechanisms import base, laplace

    base.check_random_state = lambda state, secure=False: NUMPY.random
    laplace.Laplace.randomise = lambda self, value: (
        value + self._rng.laplace(scale=self.sensitivity / self.epsilon)
    )


def regression(fix):
    """LinearRegression of diffprivlib; corrected, the upper bound counts too."""
    diffprivlib()
    twice, right = "[bounds_X[0][i], bounds_X[0][i]]", "[bounds_X[0][i], bounds_X[1][i]]"
    own = module("diffprivlib", "diffprivlib/models/linear_regression.py", *[(twice, right)] * fix)
    own.check_random_state = lambda state: state

    def run(values):
        one = own.LinearRegression(epsilon=1.0, bounds_X=(0, 100), bounds_y=(0, 1), fit_intercept=False)
        return one.fit(np.array(values)[:, None], np.zeros(len(values))).coef_

    return run, [1.0, 2.0], [1.0, 90.0]


def classes(fix):
    """LogisticRegression of diffprivlib; corrected, the labels are public."""
    diffprivlib()
    edits = [("self.classes_ = np.unique(y)", "self.classes_ = np.arange(3)")] * fix
    own = module("diffprivlib", "diffprivlib/models/logistic_regression.py", *edits)
    own.check_random_state = lambda state: state

    def run(labels):
        one = own.LogisticRegression(epsilon=1.0, data_norm=1.0)
        return one.fit(np.full((len(labels), 1), 0.5), np.array(labels)).coef_

    return run, [0, 1, 1], [0, 1, 2]


def nan(fix):
    """`tools.sum` of diffprivlib on a NaN; corrected, NaN is nothing."""
    diffprivlib()
    from diffprivlib import tools

    own = tools.nansum if fix else tools.sum
    return lambda values: own(values, epsilon=1.0, bounds=(-5, 5)), [1.0, 2.0], [1.0, NAN]


NAN = float("nan")
ROWS = 100 * list(itertools.product((0, 1), repeat=3))
SCALE = ("2 * (n_features - self.K) / (n_items * self.epsilon)", "4 * n_features / self.epsilon")
LOW = [5.0] * 30 + [900.0] * 30
NO_LIMIT = [("len(reduced_min_n) <", "False and 0 <"), ("len(reduced_max_n) <", "False and 0 <")]
SPLIT = [("log_hist, value_protection_epsilon", "log_hist, value_protection_epsilon / 2"),
         ("cnt_values, value_protection_epsilon", "cnt_values, value_protection_epsilon / 2")]  # fmt: skip
DIFF, MOSTLY = "diffprivlib", ("mostlyai-engine", "analyze_reduce_numeric")
CASES = {
    "covariance": ("smartnoise-synth", "DPcovariance.release", covariance, {}),
    "odometer": ("smartnoise-sql", "Odometer.spent", odometer, {}),
    "size": ("synthcity", "PrivBayes.fit", network(1, ROWS, ROWS[:-1], SCALE), {}),
    "network": ("synthcity", "PrivBayes.fit", network(3, ROWS, [*ROWS[1:], ROWS[1]], SCALE), {}),
    "regression": (DIFF, "LinearRegression.fit", regression, {}),
    "classes": (DIFF, "LogisticRegression.fit", classes, {}),
    "budget": (*MOSTLY, analysis(LOW, LOW[1:], *SPLIT), {}),
    "steps": (*MOSTLY, analysis([5.0] * 20, [5.0] * 19, *NO_LIMIT), {"epsilon": 2.0}),
    "domain": ("dpmm", "MST.fit", marginals, {"epsilon": None, "rho": 0.1}),
    "nan": (DIFF, "tools.sum", nan, {}),
}
"""Package, what is called, (fix) to a run and two inputs, and what is declared if it is not an epsilon of 1."""


def replayed(name, *, fix):
    """Replay one case: the kinds of what is found, notes, and seconds of processor time."""
    _, _, make, declared = CASES[name]
    run, data, neighbour = make(fix)

    def recorded(data, rng):
        NUMPY.random = rng
        return run(data)

    start = time.process_time()
    found = audit.replay(recorded, data, neighbour, **{"epsilon": 1.0} | declared)
    seconds = time.process_time() - start
    return {"kinds": sorted({f.kind for f in found.findings}), "notes": len(found.notes), "seconds": seconds}


def main():
    sys.meta_path.insert(0, Absent())
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or CASES:
        package, called = CASES[name][:2]
        # the corrected one first: what the package does once is not counted as the replay's
        fixed, found = (replayed(name, fix=fix) for fix in (True, False))
        told = {"name": name, "package": package, "version": version(package), "call": called}
        print(json.dumps(told | {"found": found, "fixed": fixed}), flush=True)


if __name__ == "__main__":
    main()
