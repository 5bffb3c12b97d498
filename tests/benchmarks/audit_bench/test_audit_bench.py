"""The benchmark's runner: cells are kept and resumed, the page says what the cells say, targets can be missed."""

import json

from tests.benchmarks.audit_bench import cells


def test_cells_are_kept_and_resumed(tmp_path):
    first = cells.kept(tmp_path, "RNM1", 0, samples=2_000)
    assert set(first) == {
        "mechanism", "seed", "samples", "epsilon", "counts", "runs", "event", "seconds", "megabytes"
    }  # fmt: skip
    other = cells.kept(tmp_path, "RNM1", 1, samples=2_000)
    assert other["counts"] != first["counts"]
    (place,) = (path for path in tmp_path.iterdir() if json.loads(path.read_text()) == first)
    place.write_text(json.dumps(first | {"seconds": 77.0}))
    assert cells.kept(tmp_path, "RNM1", 0, samples=2_000) == first | {"seconds": 77.0}, "as it was kept"
    assert cells.finished(tmp_path, samples=2_000) == [first | {"seconds": 77.0}, other]
    assert cells.finished(tmp_path) == []


def test_a_cell_is_a_function_of_its_name_and_seed():
    one, other = (cells.measure("SVT1", 3, samples=3_000) for _ in range(2))
    assert one["counts"] == other["counts"]
    assert one["epsilon"] == other["epsilon"]
