"""One line for every constant: stated, refuted, proved."""

import json

from replicate.claims import Claim, Sharper, constants, markdown
from replicate.files import project_root
from tests.claims.quick import ENTRIES

RECORD = {
    "id": "PS-T1b", "source": "Theorem 1", "kind": "regret upper", "verdict": "reproduced", "relation": "<=",
    "knob": "constant", "stated": 1000.0, "proof": "the paper's", "refuted": 15.7, "sharpens": [],
}  # fmt: skip


def better(name, constant, refuted, *, alike):
    part = {"claim": "PS-T1b", "constant": constant, "alike": alike}
    ours = {"verdict": "our finding", "proof": "by hand, ours", "stated": 1.0}
    return RECORD | ours | {"id": name, "refuted": refuted, "sharpens": [part]}


def test_a_constant_joins_what_is_stated_refuted_and_proved():
    """A sharper claim whose knob counts the same constant refutes it too; another one's share does not."""
    records = [RECORD, better("PS-W", "33.4", 31.3, alike=True), better("PS-S1", "76", 500.0, alike=False)]
    found = constants.constant_of(RECORD, records)
    assert (found.claim, found.stated, found.proof, found.upper) == ("PS-T1b", 1000, "the paper's", True)
    assert (found.refuted, found.refuted_by, found.share) == (31.3, "PS-W", 0.0313)
    assert [(part.constant, part.claim) for part in found.better] == [("33.4", "PS-W"), ("76", "PS-S1")]
    alone = constants.constant_of(RECORD | {"relation": ">=", "refuted": None}, [])
    assert (alone.refuted, alone.refuted_by, alone.share, alone.upper) == (None, "", None, False)


def test_the_list_says_how_loose_paper_5s_thousand_is():
    records = json.loads((project_root() / "figures/prefix_softmax/claims.json").read_text(encoding="utf-8"))
    entry = markdown.listed(records).split("**[PS-T1b]")[1].split("**[")[0]
    for part in (
        "(constant 15.7 of 1,000)",
        "*Proof:* the paper's; constants: stated",
        "76 for the paper's learner",
    ):
        assert part in entry


SHARPER = [(entry, part) for entry in ENTRIES.values() if isinstance(entry, Claim) for part in entry.sharpens]


def test_what_is_sharper_is_proved_and_sharpens_a_claim_with_a_constant():
    for entry, part in SHARPER:
        other = ENTRIES[part.claim]
        assert isinstance(part, Sharper), entry.id
        assert getattr(other, "knob", ""), f"{part.claim} has no constant"
        assert other.paper == entry.paper, entry.id
        assert entry.proved in ("by hand, ours", "by machine"), f"{entry.id} is not proved"
        assert not part.alike or other.knob == entry.knob, entry.id
