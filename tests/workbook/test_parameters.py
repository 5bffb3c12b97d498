"""Parameters of the notebooks are checked before anything runs, by one function."""

import re
from pathlib import Path

import nbformat
import pytest

from replicate.studies.price_of_privacy.algorithms.minimax import admitted
from replicate.workbook.parameters import checked

NOTEBOOKS = sorted((Path(__file__).parent.parent.parent / "notebooks").glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_checks_every_parameter_first_and_draws_from_its_seed_alone(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert "parameters" in cells[0].metadata.tags
    values, check = {}, cells[1].source.partition("notebook = ")[0]
    exec(cells[0].source, values)
    declared = {name: value for name, value in values.items() if name.isupper()}
    exec(check, values)
    assert {name: values[name] for name in declared} == declared
    for name, value in declared.items():
        if type(value) is int:
            exec(check, values | {name: float(value)})
        with pytest.raises(ValueError, match=f"^{name} "):
            exec(check, values | {name: -1})
    code = "\n".join(cell.source for cell in cells)
    assert not re.search(r"default_rng\((?!SEED\)|\[SEED, )", code)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"GAP": 1.5}, r"GAP must be a finite number in \[1e-09, 1\], got 1.5"),
        ({"N_SWITCHES": 10, "HORIZON": 10}, "N_SWITCHES must be below the HORIZON, 10, got 10"),
        ({"HORIZON": 1.5}, "HORIZON must be an integer of at least 1"),
        ({"MEASURE": 1}, "MEASURE must be True or False, got 1"),
    ],
)
def test_a_parameter_out_of_range_is_named_as_the_reader_wrote_it(given, said):
    with pytest.raises(ValueError, match=said):
        checked(given)


def test_whole_numbers_are_whole_and_sizes_fit_together():
    assert repr(checked({"HORIZON": 1e5, "other": 3})) == "{'HORIZON': 100000}"
    game = {"EPSILON": 1.0, "N_ACTIONS": 3, "HORIZON": 4}
    assert checked(game, admitted=admitted) == game
    with pytest.raises(ValueError, match="N_ACTIONS = 3 and HORIZON = 9 make a game too large"):
        checked(game | {"HORIZON": 9}, admitted=admitted)
