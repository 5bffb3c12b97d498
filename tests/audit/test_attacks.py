"""Attacks: a leak in a corner of an output is found, and what is right is not called wrong."""

import json

import numpy as np
import pandas as pd
import pytest

from replicate import audit


class Labelled(dict):
    """A dict that holds something beside its items."""

    def __init__(self, note):
        super().__init__(count=1)
        self.note = note


class Hidden:
    """An object with a private slot and one that is public."""

    __slots__ = ("__secret", "shown")

    def __init__(self, secret):
        self.__secret, self.shown = secret, 0


def series(label):
    """A series whose index has a name."""
    return pd.Series([1.0, 2.0], index=pd.Index(["a", "b"], name=label))


def attributed(label):
    """A table with metadata."""
    table = pd.DataFrame({"a": [1.0]})
    table.attrs["note"] = label
    return table


LEAKS = {
    "an attribute of a dict": lambda x, rng: Labelled(x),
    "a private slot": lambda x, rng: Hidden(x),
    "the name of an index": lambda x, rng: series(f"name {x}"),
    "metadata of a table": lambda x, rng: attributed(x),
    "digits of other scripts": lambda x, rng: "٣३"[x],
    "one of a thousand keys that come and go": lambda x, rng: {
        k: x if k == 500 else 0 for k in np.flatnonzero(rng.random(1_000) < 0.9).tolist()
    },
    "a place in lists of any length": lambda x, rng: [3 * x + rng.laplace(), *rng.random(rng.integers(1, 60))],
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found_and_nothing_where_the_input_is_hidden(leak):
    wide = "thousand" in leak
    for hidden in (False, True)[: 1 if wide else 2]:

        def make(x, hidden=hidden):
            return audit.one_by_one(lambda rng: LEAKS[leak](int(rng.integers(2)) if hidden else x, rng))

        verdict = audit.examine(make, (0, 1), 1.0, runs=300 if wide else 600, seed=1)
        assert verdict.refuted is not hidden
        assert json.loads(json.dumps(verdict.plain()))["event"] == str(verdict.event)


def test_outputs_with_labels_of_their_own_are_refused():
    def make(x):
        return lambda n, rng: pd.Series(rng.random(n), index=np.arange(n) + x)

    with pytest.raises(ValueError, match="without labels"):
        audit.examine(make, (0, 1), 1.0)
    assert not audit.examine(lambda x: lambda n, rng: pd.Series(rng.random(n)), (0, 1), 1.0, runs=500).refuted


def sampled(data, rng):
    """A noisy sum of a random half of the records, whose number is not released."""
    kept = [value for value, coin in zip(data, rng.random(len(data)) < 0.5, strict=True) if coin]
    return float(np.sum(kept)) + rng.laplace(scale=1.0)


def test_a_replay_does_not_judge_a_sample_of_records_where_one_is_added():
    """With as many noisy values as records the number of records is an output, and it is judged."""
    found = audit.replay(sampled, [0.5, 0.5], [0.5, 0.5, 1.0], epsilon=1.0)
    assert not found.findings
    assert any("not compared" in note for note in found.notes)
    each = audit.replay(lambda data, rng: np.array(data) + rng.laplace(size=len(data)), [0.5], [0.5, 1.0])
    assert [finding.kind for finding in each.findings] == ["domain"]


def test_a_replay_follows_a_mechanism_past_a_draw_of_nothing():
    def total(data, rng):
        rng.uniform(size=sum(value is None for value in data))
        return sum(data) + rng.laplace(scale=1.0)

    assert [f.kind for f in audit.replay(total, [0, 1], [0, 3], epsilon=1.0).findings] == ["sensitivity"]
    assert not audit.replay(total, [0, 1], [0, 2], epsilon=1.0).findings


def test_the_pair_that_a_relation_finds_is_told():
    def make(data):
        return lambda n, rng: (sum(data) > 2) + rng.laplace(scale=0.2, size=n)

    verdict = audit.examine(make, [1, 1, 0], 1.0, relation=audit.ReplaceOne([0, 1]), runs=4_000, seed=1)
    assert verdict.refuted
    assert f"the pair that was found: {verdict.neighbours[0]!r} and {verdict.neighbours[1]!r}" in str(verdict)


def test_a_claim_out_of_reach_by_its_delta_is_told():
    verdict = audit.examine(lambda x: lambda n, rng: np.full(n, x), (0, 1), 1.0, delta=0.999, runs=200)
    assert verdict.reach == 0
    assert any("not testable" in note for note in verdict.notes)
    assert audit.examine(lambda x: lambda n, rng: np.full(n, x), (0, 1), 1.0, delta=0.5, runs=20_000).refuted
