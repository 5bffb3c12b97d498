"""Keys of random streams name what differs: runs over which results are combined do not share their draws.

A stream opened in a loop is keyed by all that the loop runs over, one opened by an experiment by what the
experiment is called with, and no two places have one key. Checks and their controls may share a stream: they are
compared, not combined.
"""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "replicate"
WHOLE = {"profile", "seed", "rng", "replicates", "samples"}
"""Arguments that need no stream of their own: one root and one profile in a run; sizes."""

ON_PURPOSE = {
    ("audit_bench/experiments/zoo.py", "certified", "share"): "a share of the samples: a size",
    ("bandits/experiments/regret.py", "_advised", "horizon"): "follows from the number of experts",
    ("bandits/instances.py", "one_good_expert", "drawn"): "one game, its losses as they are or drawn",
    ("distribution_learning/experiments/regret.py", "play", "hypotheses"): "named in the key",
    ("noisy_leader/experiments/growth.py", "deterministic_growth", "noise_factor"): "a control's noise",
    **dict.fromkeys(
        [
            ("price_of_privacy/algorithms/own.py", "worst_regret", name)
            for name in ("learner", "n_actions", "horizon", "epsilon")
        ],
        "expected regret, to which no draw matters in games of at most 7 rounds",
    ),
}
"""Arguments that open no stream of their own, and why."""

ONE_TABLE = {
    "price_of_privacy/algorithms/own.py": "expected regret, to which no draw matters",
    "tracking/checks/lemmas.py": "same_law plays one table with two limits on redraws",
}
"""Loops of which one round opens what another does."""

NAMED = {
    ("audit_bench/experiments/limits.py", "both"): "the laws of that name",
    ("bandits/experiments/lower_bound.py", "env"): "of the instance's name",
    ("bandits/experiments/regret.py", "bound_on"): "the proof's",
    ("bandits/experiments/regret.py", "plan"): "the proof's",
    ("bandits/experiments/table_2.py", "name"): "each learner has one",
    ("distribution_learning/checks/lemmas.py", "f"): "the class of that name",
    ("distribution_learning/checks/lemmas.py", "horizon"): "follows from the number of hypotheses",
    ("distribution_learning/checks/lemmas.py", "noise"): "the array of that name",
    ("prefix_softmax/experiments.py", "horizon"): "follows from the instance's name",
    ("synopsis/experiments/other_games.py", "epsilon"): "the place's",
    ("synopsis/experiments/other_games.py", "horizon"): "the learner's",
    ("synopsis/experiments/other_games.py", "laws"): "the place's",
    ("synopsis/experiments/other_games.py", "many"): "a number of runs",
}
"""What a loop runs over beside what its streams are keyed by, and what it belongs to."""

MADE = {
    "audit_bench/experiments/bets.py": "for a learner that is only asked for its law",
    "audit/assertion.py": "by the caller's seed",
    "audit/scores.py": "multipliers of a hash",
    "distribution_learning/algorithms/simulation.py": "by words of the caller's stream",
    "learners/competitors/noisy_sums.py": "for a learner that is only asked for its tuning",
    "noisy_leader/privacy.py": "for a learner that is only asked for its law",
    "prefix_softmax/checks/errata.py": "not used by deterministic losses",
    "prefix_softmax/checks/regret.py": "not used by deterministic losses",
    "prefix_softmax/privacy.py": "for a learner that is only asked for its law",
    "streams.py": "where all others come from",
    "synopsis/checks/privacy.py": "for a learner that is only asked what it declares",
    "synopsis/experiments/regret.py": "by a number of the cell's stream: all learners meet the same losses",
    "synopsis/privacy.py": "for a learner that is only asked for its noise",
}
"""Where a generator is made by itself, once in a module, and from what or for what."""

TWICE = {"bandits/batching": "a learner and the same learner in batches draw alike: their actions are equal"}
"""Words that open a stream in several places, and why."""


class Opened:
    """A call of ``stream`` in a module's tree."""

    def __init__(self, call, parents):
        self.call, self.around = call, []
        node = call
        while node in parents:
            self.around.append((node, parents[node]))
            node = parents[node]
        self.function = next((p for _, p in self.around if isinstance(p, ast.FunctionDef)), None)
        self.names = named(ast.Tuple(elts=call.args))

    def loops(self):
        """Names that loops around the call bind, all of those that are numbered as one."""
        for child, parent in self.around:
            if parent is self.function:
                return
            rounds = []
            if isinstance(parent, ast.For) and child in parent.body:
                rounds = [parent]
            elif hasattr(parent, "generators") and child is not parent.generators[0]:
                rounds = parent.generators
            for part in rounds:
                numbered = ast.unparse(part.iter).startswith("enumerate(")
                yield from [named(part.target)] if numbered else ({name} for name in sorted(named(part.target)))

    def parameters(self):
        arguments = self.function.args
        return {a.arg for a in (*arguments.args, *arguments.kwonlyargs)} - WHOLE

    def keyed_by(self, names):
        """Whether the key holds one of some names, or a name that was made from one."""
        known = set(names)
        for node in ast.walk(self.function or self.call):
            if isinstance(node, ast.Assign) and named(node.value) & known:
                known |= set().union(*map(named, node.targets))
            elif isinstance(node, ast.For) and named(node.iter) & known:
                known |= named(node.target)
        return bool(known & self.names)


def called(function):
    """Name of a function without its module's."""
    return getattr(function, "attr", getattr(function, "id", ""))


def named(node):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


@cache
def opened(text):
    tree = ast.parse(text)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 1)
    return [Opened(call, parents) for call in calls if getattr(call.func, "id", "") == "stream"]


def shared_by_loops(text):
    """Names that loops bind and a stream in them is not keyed by."""
    return {(ast.unparse(o.call), *names) for o in opened(text) for names in o.loops() if not o.keyed_by(names)}


def shared_by_arguments(text):
    return [
        (o.function.name, name) for o in opened(text) if o.function
        for name in sorted(o.parameters()) if not o.keyed_by({name})
    ]  # fmt: skip


@cache
def modules():
    """Texts that open streams, by their paths, those of papers from the paper on."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    texts = {name.removeprefix("papers/").removeprefix("studies/"): path.read_text(encoding="utf-8") for name, path in paths.items()}
    return {name: text for name, text in texts.items() if "stream(" in text}


def test_a_loop_opens_streams_of_its_own():
    found = {
        (module, *names) for module, text in modules().items() for _, *names in shared_by_loops(text)
        if module not in ONE_TABLE
    }  # fmt: skip
    assert found == set(NAMED)
    assert {module: len(shared_by_loops(modules()[module])) for module in ONE_TABLE} == dict.fromkeys(ONE_TABLE, 1)


def test_an_experiment_or_instance_keys_its_streams_by_what_it_is_called_with():
    found = {
        (name, *pair) for name, text in modules().items() if "/experiments" in name or "/instances" in name
        for pair in shared_by_arguments(text)
    }  # fmt: skip
    assert found - set(ON_PURPOSE) == set()


def test_generators_come_from_streams():
    """A generator that is made anew, inside a loop say, would give the same draws to every round of it."""
    made = Counter(
        path.relative_to(PACKAGE).as_posix().removeprefix("papers/").removeprefix("studies/")
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and called(node.func).endswith(("default_rng", "Generator"))
    )
    assert made == Counter(list(MADE))


def test_no_two_places_have_one_key():
    """A key is known by its words and by how many parts it has."""
    keys = Counter(
        (*(a.value for a in o.call.args if isinstance(getattr(a, "value", None), str)), len(o.call.args))
        for text in modules().values() for o in opened(text)
    )  # fmt: skip
    assert [key for key, n in keys.items() if n > 1 and isinstance(key[0], str) and key[0] not in TWICE] == []


@pytest.mark.parametrize(
    "loop",
    [
        "def f(seed):\n    for k in ks:\n        g(stream(seed, 'a'))",
        "def f(seed):\n    for k in ks:\n        for e in es:\n            g(stream(seed, 'a', e))",
        "def f(seed):\n    for e, k in es:\n        g(stream(seed, 'a', e))",
        "def f(seed):\n    for i, k in enumerate(ks):\n        g(stream(seed, 'a'))",
        "def f(seed):\n    return [g(stream(seed, 'a')) for k in ks]",
        "def f(seed):\n    return [g(stream(seed, 'a', e)) for e, k in es]",
    ],
)
def test_a_shared_stream_is_found(loop):
    assert len(shared_by_loops(loop)) == 1
    assert shared_by_loops(loop.replace("'a'", "'a', k")) == set()
    made = loop.replace("'a'", "'a', half").replace("        g", "        half = k / 2\n        g", 1)
    assert shared_by_loops(made) == set() or "half =" not in made


def test_a_number_names_a_round():
    assert (
        shared_by_loops("def f(seed):\n    for i, (e, k) in enumerate(ks):\n        g(stream(seed, i))") == set()
    )


def test_an_argument_without_a_stream_of_its_own_is_found():
    text = "def f(seed, noise, k):\n    return stream(seed, 'a', k)"
    assert shared_by_arguments(text) == [("f", "noise")]
