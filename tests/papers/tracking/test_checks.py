"""Claims and errata of this paper are data, and say what fails."""

from replicate.papers.tracking.claims import CLAIMS


def test_no_printed_statement_that_fails_stands_unmarked():
    """Statements that fail are marked; those marked fail, are unproved, or are corrected in the same sentence."""
    blamed = {"fails as printed", "unproved as printed", "reproduced with correction"}
    for claim in CLAIMS:
        marked = claim.statement.startswith("Printed: ")
        assert marked or claim.verdict != "fails as printed", claim.id
        assert claim.verdict in blamed or not marked, claim.id
        assert claim.verdict != "reproduced with correction" or not marked or "True: " in claim.statement, claim.id
