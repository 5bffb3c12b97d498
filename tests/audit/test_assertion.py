"""The assertion for anyone's tests, its budget in runs, and where it looks for the pair."""

import json

import numpy as np
import pytest

from replicate import audit, budget
from replicate.audit.assertion import OWN_RANDOMNESS
from replicate.audit.neighbours import worst_pair
from replicate.streams import stream

OWN = np.random.default_rng(5)


def release(x):
    return lambda n, rng: x + rng.laplace(scale=2.0, size=n)


def test_the_assertion_passes_what_is_private_and_fails_clearly_what_is_not():
    assert 0 < audit.assert_private(release, (0.0, 1.0), epsilon=0.5).certified <= 0.5
    with pytest.raises(AssertionError) as failure:
        audit.assert_private(release, (0.0, 1.0), epsilon=0.2)
    text = str(failure.value)
    for part in (
        "not 0.2-private",
        "epsilon is at least 0.",
        "wrong with probability",
        "Event: ",
        " runs on the ",
    ):
        assert part in text
    audit.assert_private(release, (0.0, 1.0), epsilon=0.3, delta=0.2)
    with pytest.raises(AssertionError, match=r"not \(0, 0.05\)-private"):
        audit.assert_private(release, (0.0, 1.0), epsilon=0.0, delta=0.05)


@pytest.mark.parametrize("runs", [100, 7_999, 8_000, 20_000, 100_001])
def test_the_budget_is_a_number_of_runs_and_the_answer_one_of_its_numbers(runs):
    drawn = []

    def counting(x):
        def draw(n, rng):
            drawn.append(n)
            return x + rng.laplace(scale=2.0, size=n)

        return draw

    found = [audit.examine(counting, (0.0, 1.0), 0.5, runs=runs, seed=3) for _ in range(2)]
    assert found[0] == found[1]
    assert found[0].runs == runs
    assert abs(sum(drawn) / 4 - runs) < 60 + 5 * np.sqrt(runs)
    assert audit.examine(counting, (0.0, 1.0), 0.5, runs=runs, seed=4) != found[0]


def test_what_an_early_stage_refutes_takes_no_more_runs():
    assert audit.examine(release, (0.0, 40.0), 1.0, runs=100_000).runs < 10_000


def test_single_runs_make_a_sampler():
    def make(x):
        return audit.one_by_one(lambda rng: "heads" if rng.random() < x else "tails")

    with pytest.raises(AssertionError, match=r"heads|tails"):
        audit.assert_private(make, (0.9, 0.1), epsilon=1.0)
    audit.assert_private(make, (0.6, 0.4), epsilon=1.0)


def test_a_mechanism_that_always_raises_is_a_wrong_argument():
    """On one input only it is an outcome."""
    with pytest.raises(ValueError, match="each raised ZeroDivisionError: division by zero"):
        audit.assert_private(lambda x: audit.one_by_one(lambda rng: 1 / 0), (0, 1), epsilon=1.0)
    with pytest.raises(AssertionError, match="Raised"):
        audit.assert_private(lambda x: audit.one_by_one(lambda rng: 1 / x), (0, 1), epsilon=1.0)


def test_randomness_of_its_own_is_noted():
    quiet = audit.examine(release, (0.0, 1.0), 1.0, runs=1_000)
    loud = audit.examine(lambda x: lambda n, rng: x + OWN.laplace(size=n), (0.0, 1.0), 1.0, runs=1_000)
    words = audit.examine(lambda x: lambda n, rng: [str(OWN.random()) for _ in range(n)], (0, 1), 1.0, runs=1_000)
    assert quiet.notes == ()
    assert loud.notes == words.notes == (OWN_RANDOMNESS,)
    assert OWN_RANDOMNESS in str(loud)


def test_a_score_and_a_likelihood_of_ones_own():
    """Of ten numbers the first one speaks. The exact ratio says more than a fit, another number nothing."""

    def make(x):
        return lambda n, rng: x * np.eye(10)[0] + rng.laplace(size=(n, 10))

    def law(x, outputs):
        return -np.abs(outputs - x * np.eye(10)[0]).sum(axis=1)

    options = {"neighbours": (0.0, 1.0), "epsilon": 1.0, "runs": 20_000}
    exact = audit.examine(make, **options, likelihood=law).certified
    first, last = (audit.examine(make, **options, score=lambda x, c=c: x[:, c]).certified for c in (0, 9))
    assert audit.examine(make, **options).certified < exact <= 1
    assert exact > 0.7
    assert first > 0.7
    assert last < 0.2
    with pytest.raises(ValueError, match="likelihood must"):
        audit.examine(make, **options, score=lambda x: x[:, 0], likelihood=law)


RELATIONS = {
    "replace": (audit.ReplaceOne([0, 1]), [0, 1, 0], 6),
    "add or remove": (audit.AddOrRemoveOne([0, 1]), (0, 1, 0), 5),
    "one cell": (audit.OneCell([0, 1]), np.zeros((2, 3)), 12),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_neighbours_differ_in_what_one_person_decides(name, rng):
    relation, data, size = RELATIONS[name]
    found = list(relation.neighbours(data))
    assert len(found) == size
    assert all(type(x) is type(data) for x in found)
    pairs = [(data, x) for x in found] + relation.pairs(data, count=12, rng=rng)
    assert len({str(base) for base, _ in pairs}) > 3
    for one, other in pairs:
        a, b = list(np.ravel(one)), list(np.ravel(other))
        if len(a) == len(b):
            assert sum(x != y for x, y in zip(a, b, strict=True)) <= 1
        else:
            assert name == "add or remove"
            longer, shorter = sorted((a, b), key=len, reverse=True)
            assert shorter in [longer[:i] + longer[i + 1 :] for i in range(len(longer))]


def test_the_pair_is_looked_for_over_a_relation():
    """Private but where all records but one are 1: found from a data set of zeros, passed on a pair of zeros."""

    def make(data):
        return lambda n, rng: rng.laplace(size=n) + 20.0 * (sum(data) == 5)

    relation = audit.ReplaceOne([0, 1])
    found = audit.examine(make, [0] * 6, 1.0, relation=relation)
    assert found.refuted
    assert sorted(map(sum, found.neighbours)) in ([4, 5], [5, 6])
    assert not audit.examine(make, ([0] * 6, [1] + [0] * 5), 1.0).refuted


def test_no_random_number_of_the_search_is_drawn_again_to_certify():
    """Nor does a stage draw those of another. The control draws all of them again: the same audit once more."""

    def drawn(*seeds):
        numbers = []

        def make(data):
            def draw(n, rng):
                values = rng.random(n)
                if n > 16:  # so few are drawn twice on purpose: they say whether a mechanism draws elsewhere
                    numbers.append(values)
                return values

            return draw

        for seed in seeds:
            audit.examine(make, [0] * 3, 1.0, relation=audit.ReplaceOne([0, 1]), runs=10_000, seed=seed)
        return np.concatenate(numbers)

    for seeds, fresh in (((0, 1), 1.0), ((0, 0), 0.5)):
        numbers = drawn(*seeds)
        assert len(np.unique(numbers)) == fresh * len(numbers)


def test_pairs_are_judged_on_samples_that_no_score_was_fitted_to():
    """On its own samples a score of many labels promises more between equal laws than between two coins."""

    def make(x):
        return lambda n, rng: rng.integers(100, size=n) if isinstance(x, str) else (rng.random(n) < x).astype(int)

    pairs = [("a", "b"), ("c", "d"), (0.3, 0.7), ("e", "f")]
    assert all(worst_pair(make, pairs, samples=200, rng=stream(1, "pairs", r)) == (0.3, 0.7) for r in range(8))


def test_stages_share_one_false_alarm():
    _, book = budget.noted(
        audit.examine, lambda x: lambda n, rng: x + rng.laplace(scale=2.0, size=n), (0.0, 1.0), epsilon=0.5,
        runs=40_000, false_alarm=0.01,
    )  # fmt: skip
    assert 0 < budget.total(book) <= 0.01 * (1 + 1e-9)


@pytest.mark.parametrize("score", [None, lambda outputs: np.asarray(outputs, dtype=float)], ids=["", "given"])
@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_a_claim_beyond_the_reach_of_the_runs_is_called_not_testable(delta, score):
    """No noise at all is as far as samples go: what is certified is the reach, and a claim below it is refuted.

    A score that is given takes no samples to fit.
    """

    def bare(x):
        return lambda n, rng: np.full(n, x)

    far = audit.examine(bare, (0, 1), 12.0, delta, runs=20_000, score=score)
    assert not far.refuted
    assert "not testable with these runs" in far.text
    assert far.certified == pytest.approx(far.reach, rel=0.01)
    near = audit.examine(bare, (0, 1), 0.99 * far.certified, delta, runs=20_000, score=score)
    assert near.refuted
    assert "not testable" not in near.text


@pytest.mark.parametrize("shape", [(), (2,)], ids=["numbers", "rows"])
def test_a_mask_that_tells_the_input_is_seen(shape):
    def masked(x):
        return lambda n, rng: np.ma.array(np.zeros((n, *shape)), mask=np.full((n, *shape), bool(x)))

    assert audit.examine(masked, (0, 1), 1.0, runs=4000).refuted
    assert not audit.examine(masked, (1, 1), 1.0, runs=4000).refuted


@pytest.mark.parametrize(
    "usual", [lambda rng, n: rng.integers(20, size=n), lambda rng, n: rng.laplace(size=(n, 3))], ids=["one", "row"]
)
@pytest.mark.parametrize("share", [0.01, 0.0])
def test_an_outcome_of_one_percent_on_one_input_is_certified(usual, share):
    """Of 10,600 runs 106 are worth 1.48; the tenth that chooses may hold seven of them or fewer."""

    def rare(x):
        def draw(n, rng):
            outputs = usual(rng, n)
            outputs[rng.random(n) < share * x] = 77
            return outputs

        return draw

    found = [audit.examine(rare, (0, 1), 9.0, runs=20_000, seed=seed).certified for seed in range(6)]
    if not share:
        assert max(found) < 0.1
        return
    assert min(found) > 1
    assert np.median(found) > 1.3


@pytest.mark.parametrize("step", [0.0, 2.0**-10])
def test_low_bits_are_an_option(step):
    """Noise that is right as a real number tells x by its lowest bits, unless the sum is rounded to a grid."""

    def make(x):
        def draw(n, rng):
            y = x + rng.laplace(size=n)
            return y if step == 0 else np.rint(y / step) * step

        return draw

    assert not audit.examine(make, (0.0, 1.0), 1.0).refuted
    found = audit.examine(make, (0.0, 1.0), 1.0, bits=True)
    assert found.refuted is (step == 0)
    if found.refuted:
        held = np.mean(
            [found.event(y) for y in make(float(found.event.swapped))(500, np.random.default_rng(5)).tolist()]
        )
        assert held == pytest.approx(found.counts[0] / found.sizes[0], abs=0.1)
        assert "lowest bits" in str(found.event)


def test_the_event_of_a_verdict_is_called_on_an_output():
    found = audit.examine(lambda x: lambda n, rng: x + rng.laplace(size=(n, 2)), (0.0, 3.0), 1.0, runs=4_000)
    far = np.array([30.0, 30.0])
    assert {found.event(far), found.event(-far)} == {True, False}
    assert found.event(far) is found.event.swapped
    kept = json.loads(json.dumps(found.plain()))
    assert kept["event"] == str(found.event)
    assert kept["neighbours"] == ["0.0", "3.0"]
