"""The register in numbers."""

import json

from replicate.commands import verdicts

FIELDS = ("id", "paper", "verdict", "grade", "proof", "error")
CLAIMS = [
    dict(zip(FIELDS, values, strict=True))
    for values in (
        ("PS-A", "prefix_softmax", "reproduced", "exact", "none", ""),
        ("NL-A", "noisy_leader", "fails as printed", "proved", "by machine", "NL-1"),
        ("NL-B", "noisy_leader", "fails as printed", "exact", "none", "NL-1"),
        ("NL-C", "noisy_leader", "fails as printed", None, "none", "NL-2"),
    )
]
ERRATA = [
    {"id": "NL-SLIP-1", "paper": "noisy_leader", "effect": "broken as printed"},
    {"id": "NL-SLIP-2", "paper": "noisy_leader", "effect": "harmless"},
]


def test_claims_are_counted_by_verdict_and_errata_by_what_they_change():
    table = verdicts.counted(CLAIMS, ERRATA).splitlines()
    assert table[0] == "| paper | claims | reproduced | fails as printed | errata | change a result |"
    assert "| noisy_leader | 3 |  | 3 | 2 | 1 |" in table
    assert table[-1] == "| **all** | 4 | 1 | 3 | 2 | 1 |"


def test_claims_are_counted_by_grade():
    table = verdicts.grades(CLAIMS).splitlines()
    assert table[0].startswith("| paper | measured: proved | measured: exact |")
    assert table[0].endswith("| proof: by machine | proof: by hand, ours | proof: the paper's | proof: none |")
    assert table[-1] == "| **all** | 1 | 2 |  |  |  |  |  | 1 |  |  | 3 |"


def test_errors_are_counted_once():
    assert verdicts.errors(CLAIMS, "fails as printed") == (3, 2)
    assert verdicts.errors(CLAIMS, "reproduced") == (1, 1)


def test_false_alarms_add_up(tmp_path):
    for i, told in enumerate(({"limits": 3, "false_alarm": 1e-9}, {"limits": 1000, "false_alarm": 2e-9})):
        (tmp_path / f"{i}.json").write_text(json.dumps(told))
    text = verdicts.counts(CLAIMS, tmp_path.glob("*.json"))
    assert text.startswith("4 claims. The 3 that fail as printed show 2 errors:")
    assert "1,003 confidence limits" in text
    assert "at most 3·10⁻⁹" in text


def test_results_of_one_paper_name_the_ids():
    lines = verdicts.results(CLAIMS, ERRATA, "noisy_leader").splitlines()[2:]
    assert lines[0].startswith("| fails as printed | 3 | [NL-A](../claims.md#NL-A), [NL-B]")
    assert lines[1:] == [
        "| errata: broken as printed | 1 | [NL-SLIP-1](../errata.md#NL-SLIP-1) |",
        "| errata: harmless | 1 | [NL-SLIP-2](../errata.md#NL-SLIP-2) |",
    ]
