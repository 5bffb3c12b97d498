"""The benchmark's runner: cells are kept and resumed, the page says what the cells say, targets can be missed."""

import json

import numpy as np
import pandas as pd
import pytest

from replicate.studies.audit_bench.instances.field import CASES
from tests.benchmarks.audit_bench import __main__ as command
from tests.benchmarks.audit_bench import cells, learners, page

OWN = pd.DataFrame(
    {"paper": "bandits", "learner": ["Algorithm 6", "Algorithm 2"], "by_outcomes": [0.4, 0.0],
     "fitted": [0.44, 0.0], "gain": [0.1, np.nan], "gains": [4, 0]}
)  # fmt: skip


def records(share, *, seeds=3):
    """Cells whose limits are a share of the published ones, or below exact losses."""
    return [
        {"mechanism": name, "seed": seed, "epsilon": min(share * case.published, 0.999 * case.exact),
         "seconds": 1.0 + seed, "megabytes": 100.0, "counts": [900, 800], "runs": [9_000, 9_000]}
        for name, case in CASES.items() for seed in range(seeds)
    ]  # fmt: skip


def test_cells_are_kept_and_resumed(tmp_path, monkeypatch):
    first = cells.kept(tmp_path, "RNM1", 0, samples=2_000)
    assert set(first) == {
        "mechanism", "seed", "samples", "epsilon", "counts", "runs", "event", "seconds", "megabytes"
    }  # fmt: skip
    other = cells.kept(tmp_path, "RNM1", 1, samples=2_000)
    assert other["counts"] != first["counts"]
    monkeypatch.setattr(cells, "measure", None)
    assert cells.kept(tmp_path, "RNM1", 0, samples=2_000) == first
    assert cells.finished(tmp_path, samples=2_000) == [first, other]
    assert cells.finished(tmp_path) == []


def test_a_cell_is_a_function_of_its_name_and_seed():
    one, other = (cells.measure("SVT1", 3, samples=3_000) for _ in range(2))
    assert one["counts"] == other["counts"]
    assert one["epsilon"] == other["epsilon"]


def test_the_page_counts_what_is_reached():
    good, poor = (page.verdict(page.summary(records(share))) for share in (1.2, 0.9))
    assert "Above the published limit: 18 of 20" in good
    assert "Above the published limit: 0 of 20" in poor
    assert "At least 95 % of it: 20 of 20" in good
    assert "below: Laplace" in poor
    assert "Laplace: its event holds 10 % of the runs; counting them costs 0.0623" in poor
    missed = [line for line in good.splitlines() if "its event holds" in line]
    assert [line.split(":")[0] for line in missed] == ["- PrefixSum", "- LaplaceParallel"], (
        "1.2 times is not enough"
    )
    assert "Median above the exact loss: none" in good
    wrong = [record | {"epsilon": 0.2} for record in records(1) if record["mechanism"] == "Laplace"]
    assert "Median above the exact loss: Laplace" in page.verdict(page.summary(wrong))


def test_the_table_has_medians_and_extremes():
    table = page.summary([r | {"epsilon": 0.09 + 0.001 * r["seed"]} for r in records(1) if r["seed"] < 3])
    assert list(table.columns) == page.COLUMNS
    assert list(table.mechanism) == list(CASES)
    row = table.iloc[0]
    assert (row.ours_median, row.ours_low, row.ours_high, row.seeds, row.seconds) == (0.091, 0.09, 0.092, 3, 2.0)
    assert row.share == pytest.approx(0.091 / 0.0976)
    assert np.isinf(table.set_index("mechanism").exact["RNM4"])


def test_the_command_writes_page_and_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "project_root", lambda: tmp_path)
    for record in records(1.0):
        path = tmp_path / "build/audit_bench" / f"{record['mechanism']}-{record['seed']}-{cells.SAMPLES}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record))
    monkeypatch.setattr(learners, "measured", lambda: OWN)
    assert command.main(["--reuse", "--publish", "--learners"]) == 0
    assert "| PrefixSum |" in capsys.readouterr().out
    text = (tmp_path / "reports/audit_bench.md").read_text()
    assert "the median of 3 seeds" in text
    assert "| bandits | Algorithm 6 | 0.4000 | 0.4400 | +10.0 % | 4 of 5 |" in text
    assert "| bandits | Algorithm 2 | 0.0000 | 0.0000 |  | 0 of 5 |" in text
    assert (tmp_path / "reports/audit_bench.csv").read_text().splitlines()[0] == ",".join(page.COLUMNS)
