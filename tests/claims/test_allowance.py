"""The register's budget of false alarms, at quick sizes: what a check spends, and what all of them may.

A check with a knob has a second share, for the limits on the side that refutes constants.
"""

from replicate import certify
from tests.claims.quick import ENTRIES, by_paper, verified


def shares(comparison):
    return 2 if comparison.knob else 1


@by_paper(ENTRIES)
def test_a_check_spends_at_most_the_allowance_of_a_claim(names):
    for name in names:
        for i, outcome in enumerate(verified(name).outcomes):
            most = shares(outcome.comparison) * certify.CLAIM_FALSE_ALARM
            said = f"{name}/{i} may be wrong with {outcome.false_alarm:.2g}: share {most:g} by certify.share(n)"
            assert outcome.false_alarm <= most * (1 + 1e-9), said


def test_all_checks_together_spend_at_most_what_the_suite_may():
    many = sum(shares(comparison) for entry in ENTRIES.values() for comparison in entry.comparisons)
    assert many * certify.CLAIM_FALSE_ALARM <= certify.SUITE_FALSE_ALARM
