"""The reader's own setting in the notebooks, as a reader runs it: text, figure, sliders."""

import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy import stats

from replicate.claims import asking
from replicate.workbook import own_setting

NOTEBOOKS = sorted((Path(__file__).parent.parent.parent / "notebooks").glob("0[1-57]*.ipynb"))


def number_of(text):
    """Return the distance in standard errors that a text states."""
    return float(re.search(r"(\S+) standard errors", text)[1])


def section(path):
    """Code of the parameters and of the section "..., at your setting", from their check on; and its text."""
    cells = nbformat.read(path, as_version=4).cells
    at = next(i for i, cell in enumerate(cells) if "own_setting.show(" in cell.source)
    parameters = next(cell.source for cell in cells if "parameters" in cell.metadata.get("tags", []))
    text = next(cell.source for cell in reversed(cells[:at]) if cell.cell_type == "markdown")
    assert text.splitlines()[0].endswith(", at your setting")
    check = next(cell.source for cell in cells if "parameters.checked(" in cell.source).partition("notebook = ")[0]
    learner = cells[at - 1].source if "default_rng(SEED), " in cells[at - 1].source else ""
    return parameters, text, f"{check}\n{learner}\n{cells[at].source}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_section_answers(path, shell):
    parameters, text, code = section(path)
    sizes = [name for name in re.findall(r"^([A-Z_]+) =", parameters, re.M) if name not in ("PROFILE", "OUTPUT")]
    assert all(name in code for name in sizes), "every size is read"
    opened = plt.get_fignums()  # by other tests of this process
    with shell() as said:
        exec(f"{parameters}\n{code}", {})
    texts = [o.data["text/markdown"] for o in said.outputs if "text/markdown" in o.data]
    tables = [text for text in texts if text.startswith("**")]
    beside = [text for text in texts if "The package's learner there: " in text]
    assert [len(tables) + len(beside), len(beside)] == [len(texts), int("default_rng(SEED), " in code)]
    figures = [o.metadata["image/png"]["alt"] for o in said.outputs if "text/markdown" not in o.data]
    assert len(tables) == len(figures) >= 1
    assert all(re.search(r"\| verdict \| (holds|vacuous) here: ", table) for table in tables)
    assert all("uniform play" in alt and "bound of" in alt for alt in figures)
    for claim in re.findall(r"[A-Z]{2}-[A-Z]+\w*", text):
        assert claim in asking.promises(), "what the text offers can be asked"
    assert plt.get_fignums() == opened, "every figure is closed"


@pytest.mark.parametrize(("claim", "line"), [("MM-UP", ":"), ("MM-LZt", "--")])
def test_the_figure_and_the_table_show_the_answer(claim, line, shell):
    """A lower bound is dotted, an upper one dashed; the table has the answer's lines."""
    answer = asking.ask(claim, seed=1, horizon=3)[0]
    figure = own_setting.draw(answer)
    (ax,) = figure.axes
    curves = {curve.get_label(): curve for curve in ax.lines} | {c.get_label(): c[0] for c in ax.containers}
    for column, label in (("bound", f"bound of {claim}"), ("uniform", "uniform play")):
        np.testing.assert_array_equal(curves[label].get_xdata(), answer.data["horizon"])
        np.testing.assert_array_equal(curves[label].get_ydata(), answer.data[column])
    assert curves[f"bound of {claim}"].get_linestyle() == line
    (bars,) = (bars for container in ax.containers for bars in container.lines[2])
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    np.testing.assert_allclose(ends, answer.data[["low", "high"]])
    plt.close(figure)
    with shell() as said:
        own_setting.show(claim, seed=1, horizon=3)
    table = said.outputs[0].data["text/markdown"]
    first, *rest = str(answer).splitlines()
    assert table.startswith(f"**{first}**\n")
    assert all(" | ".join(part.strip() for part in (row[:10], row[10:])) in table for row in rest)


def test_what_takes_long_is_a_line_with_its_bound(shell):
    """Not an exception, which would end the notebook; a learner that is quick is measured."""
    with shell() as said:
        own_setting.show("TR-T36c", seed=1, horizon=10**8)
        own_setting.show("PS-T1", seed=1, horizon=10**8)
    long, quick = (o.data["text/markdown"] for o in said.outputs if "text/markdown" in o.data)
    assert re.search(r"\| bound \| \d", long)
    assert "not measured: the runs need more than ten minutes; MEASURE = True runs them" in long
    assert "| measured |" in quick
    assert "MEASURE" not in quick


def test_a_learner_is_one_line_at_every_setting():
    """Uniform play's regret is known; a million rounds of a learner that needs every round are not played."""
    sizes = {"seed": 1, "n_actions": 200, "gap": 0.5, "epsilon": 1.0, "n_switches": 0}
    known = own_setting.line("uniform", 3, horizon=10**6, **sizes)
    assert re.search(rf" {asking.shown(10**6 * 0.5 * 0.995)} ± 0 +any losses: T", known)
    long, beyond, outside = (
        own_setting.line(name, 9, **sizes | {"horizon": horizon, "epsilon": epsilon})
        for name, horizon, epsilon in (("htinf", 10**7, 1.0), ("restarts", 10**8, 1.0), ("htinf", 9, 0.01))
    )
    assert re.search("not measured: the runs need .*; MEASURE = True runs them", long)
    assert beyond.endswith("not measured: restarts plays at most 10,000,000 rounds")
    assert "not measured: epsilon must be" in outside
    few = sizes | {"n_actions": 4, "horizon": 512}
    runs = own_setting.played("exponential", 9, **few)
    half = stats.t.ppf(0.995, 8) * stats.sem(runs)
    shown = f"{asking.shown(runs.mean())} ± {asking.shown(half)} "
    assert shown in own_setting.line("exponential", 9, **few)


@pytest.mark.parametrize("switches", [0, 3])
def test_the_package_plays_against_the_best_action_of_every_phase(switches):
    """Uniform play, whose regret is known: of four phases with four good actions no fixed action is better."""
    runs = own_setting.played(
        "uniform", 2, seed=1, n_actions=4, gap=0.5, horizon=512, epsilon=1.0, n_switches=switches
    )
    assert runs == pytest.approx(512 * 0.5 * 3 / 4)


def test_the_packages_learner_stands_beside_the_cells(shell):
    runs = own_setting.played("exponential", 200, seed=1, n_actions=4, gap=0.5, horizon=512, epsilon=1.0)

    def refused():
        raise ValueError("epsilon must be less")

    with shell() as said:
        own_setting.beside(runs, lambda: runs)
        own_setting.beside(runs + 10 * runs.std(), lambda: runs)
        own_setting.beside(runs, refused)
        own_setting.beside(np.ones(200), lambda: np.full(200, 0.999))
        own_setting.beside(np.ones(200), lambda: np.full(200, 0.9))
    same, other, none, unseen, far = (o.data["text/markdown"] for o in said.outputs)
    assert "0.1 standard errors" in unseen, "a thousandth, that 200 runs do not show"
    assert number_of(far) > 10
    half = stats.t.ppf(0.995, 199) * runs.std(ddof=1) / np.sqrt(200)
    assert f"{asking.shown(runs.mean())} ± {asking.shown(half)} (99%, 200 runs), 0.0 standard errors" in same
    assert "(99%, 200 runs), 0.0 standard errors" not in other
    assert none.endswith("not measured, because epsilon must be less.")
