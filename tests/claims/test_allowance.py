"""The register's budget of false alarms, at quick sizes: what a check spends, and what all of them may.

A check with a knob has a second share, for the limits on the side that refutes constants.
"""

import pytest

from replicate import certify
from tests.claims.quick import ENTRIES, verified

SHARES = {
    f"{name}/{i}": 2 if comparison.knob else 1
    for name, entry in ENTRIES.items()
    for i, comparison in enumerate(entry.comparisons)
}


@pytest.mark.parametrize("key", SHARES)
def test_a_check_spends_at_most_the_allowance_of_a_claim(key):
    name, _, i = key.partition("/")
    spent, most = verified(name).outcomes[int(i)].false_alarm, SHARES[key] * certify.CLAIM_FALSE_ALARM
    assert spent <= most * (1 + 1e-9), f"{key} may be wrong with {spent:.2g}: share {most:g} by certify.share(n)"


def test_all_checks_together_spend_at_most_what_the_suite_may():
    assert sum(SHARES.values()) * certify.CLAIM_FALSE_ALARM <= certify.SUITE_FALSE_ALARM
