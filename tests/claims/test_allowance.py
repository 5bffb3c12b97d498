"""The register's budget of false alarms, at quick sizes: what a check spends, and what all of them may.

A check with a knob has a second share, for the limits on the side that refutes constants.
"""

from replicate import certify
from replicate.claims import Claim
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


LIMITED = [
    name for name, entry in ENTRIES.items() if isinstance(entry, Claim) and entry.grade in ("certified", "nominal")
]
UNSPENT = {
    "DL-TEST": "tests are certified by computation, nothing is drawn",
    "DL-FANOi": "the information of a channel is computed, nothing is drawn",
    "MM-LZv": "a share of rounds far from its limit, drawn once",
    "TR-L2P": "p-values, no limit",
    "MM-UP": "at quick sizes every game is solved exactly",
}
"""Claims that call themselves certified or nominal and spend nothing, and why."""


@by_paper(LIMITED)
def test_a_limit_is_paid_for_and_lies_beyond_its_estimate(names):
    """An estimate in the place of a limit spends nothing of the false alarm, or is the estimate itself."""
    for name in names:
        outcome = verified(name).outcomes[0]
        assert outcome.false_alarm > 0 or name in UNSPENT, f"{name}: no limit is computed, or it enters no book"
        sign = 1 if outcome.evidence.relation == "<=" else -1
        pieces = [piece for piece in outcome.evidence.pieces or (outcome.evidence,) if piece.estimate is not None]
        beyond = [sign * (piece.measured - piece.estimate) for piece in pieces]
        if outcome.false_alarm > 0 and beyond:
            assert min(beyond) >= 0, f"{name}: a limit is on the wrong side of its estimate"
            assert max(beyond) > 0, f"{name}: every limit is its estimate"
            wide = [sign * (piece.estimate - piece.opposite) for piece in pieces if piece.opposite is not None]
            assert all(distance >= 0 for distance in wide), f"{name}: the limit that refutes is on the wrong side"
