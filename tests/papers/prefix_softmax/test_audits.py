"""What sampled audits ask: of which tables, how many runs, drawn at once or one by one."""

import numpy as np
import pytest

from replicate.papers.prefix_softmax import privacy
from replicate.streams import stream

RUNS = {"quick": (300_000, 1000, 600), "full": (600_000, 6000, 2000), "huge": (6 * 10**6, 60_000, 20_000)}
"""By profile: all at once; of the literal learner on the audited pair, and on the trailing tables."""
SEED = 5


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn of which table: at once blocks 0 to 5, by the literal learner rounds, numbered mod 2."""
    asked = []

    def sampler(name, width):
        def of(build, table, **words):
            def draw(runs, rng):
                asked.append((name, table.tolist(), runs, list(words)))
                return np.tile(np.arange(width(len(table))) % 2, (3, 1))

            return draw

        return of

    monkeypatch.setattr(privacy.audit, "dyadic_sampler", sampler("at once", lambda rounds: 6))
    monkeypatch.setattr(privacy.audit, "learner_sampler", sampler("literal", lambda rounds: rounds))
    return asked


@pytest.mark.parametrize("profile", RUNS)
@pytest.mark.parametrize("literal", [False, True])
def test_actions_of_blocks_are_drawn_on_the_trailing_tables(profile, literal, drawn):
    """Actions 1 to 5 as bits: 1, 0, 1, 0, 1 at once; blocks of the literal learner start in odd rounds, from 0."""
    found = privacy.drawn_actions.__wrapped__(profile, SEED, noise_divisor=1.0, literal=literal)
    runs = RUNS[profile][2 if literal else 0]
    name, words = ("literal", []) if literal else ("at once", ["prefix"])
    assert drawn == [(name, table.tolist(), runs, words) for table in privacy.trailing_tables()]
    assert [codes.tolist() for codes in found] == [[0b11111 if literal else 0b10101] * 3] * 2


@pytest.mark.parametrize("profile", RUNS)
@pytest.mark.parametrize("literal", [False, True])
@pytest.mark.parametrize("learner", ["prefix softmax", "its non-private twin"])
def test_the_audited_pair_is_drawn_at_once_or_by_the_literal_learner(profile, literal, learner, drawn, samplers):
    """Of the few runs of the literal learner outcomes are counted, of many a score is fitted."""
    assert privacy.certified_loss(learner, profile=profile, seed=SEED, literal=literal) == 0.6
    [(pair, words)] = samplers
    assert words.pop("rng").random() == stream(SEED, "prefix_softmax/audit", learner, literal).random()
    assert words == {"samples": RUNS[profile][literal], "score": None if literal else "fitted"}
    for sampler in pair:
        sampler(3, None)
    name, prefix = ("literal", []) if literal else ("at once", ["prefix"])
    assert drawn == [(name, table.tolist(), 3, prefix) for table in privacy.tables()]
