"""A check opens a stream once: two experiments that draw alike are one experiment, counted twice.

`tests.test_stream_keys` reads the keys in the sources. Here they are counted while the register is checked: a key
that forgets what a loop runs over is found wherever the loop is. A check and its control may draw alike.
"""

import pytest

from replicate import streams
from tests.claims.quick import ENTRIES, SEED, opened, recorded

AGAIN = {
    "": "for a learner that is only asked whether it is tuned",
    "advice": "all learners meet the same losses, replicate by replicate",
    "advice/reactive": "all learners meet the same adversary",
    "bandits/advice": "pathwise: a learner and the one that it is compared with draw alike",
    "bandits/batching": "pathwise, as before",
    "bandits/experts": "one table of advice for all learners",
    "bandits/crowd": "an instance",
    "bandits/other draws": "pathwise: those of the control",
    "dirichlet": "an instance",
    "sign tests": "a fixed design",
    "synopsis/answers": "a probe of several releases, fed alike",
    "synopsis/rows": "a probe of several releases, fed alike",
    "tracking/same_law": "one table is played with two limits on redraws",
}
"""First words of the keys of streams that one check opens more than once, and why."""
FIXED = {
    "", "bandits/crowd", "bandits/lemma_23", "bandits/slips/indices", "bandits/table_2",
    "bandits/theorem_10_terms",
    "dirichlet", "price_of_privacy/learners", "sign tests", "synopsis/answers", "synopsis/restart_trap",
    "synopsis/rows",
}  # fmt: skip
"""First words of the keys of streams that do not depend on the seed: instances, designs, grids and probes."""


@pytest.mark.parametrize("name", ENTRIES)
def test_a_check_opens_every_stream_once_and_from_the_seed(name):
    found = [key for once in opened(name) for key, n in once.items() if n > 1]
    assert {word for _, word, _ in found} - set(AGAIN) == set(), found
    other = [key for once in opened(name) for key in once if key[0] != SEED]
    assert {word for _, word, _ in other} - set(FIXED) == set(), other


def test_two_draws_from_one_key_are_found():
    with recorded() as found:
        for k in range(3):
            streams.stream(SEED, "shared").random(k + 1)
            streams.stream(SEED, "own", k).random(k + 1)
    assert found == {(SEED, "shared", "('shared',)"): 3} | {(SEED, "own", f"('own', {k})"): 1 for k in range(3)}
