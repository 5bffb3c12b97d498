"""A claim at the reader's sizes in a notebook: what is shown, drawn and slid, of an answer made by hand."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from IPython.display import Markdown
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from replicate.claims import asking
from replicate.workbook import own_setting

DATA = pd.DataFrame(
    {"horizon": [10, 100], "mean": [3.0, 5.0], "low": [2.0, 4.5], "high": [3.5, 7.0], "bound": [20.0, 30.0],
     "uniform": [40.0, 400.0]}
)  # fmt: skip


def answer(data=DATA):
    promise = asking.promises()["PS-T1"][0]
    outside = "" if len(data) else "no tuning"
    return asking.Answer(promise=promise, own=promise.own({"horizon": 100}), runs=4, data=data, outside=outside)


def test_the_figure_shows_the_numbers():
    found = answer()
    figure = own_setting.draw(found)
    (ax,) = figure.axes
    mean, bound, uniform = (line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_marker() != "_")
    for line, column in ((mean, "mean"), (bound, "bound"), (uniform, "uniform")):
        np.testing.assert_array_equal(line.get_xdata(), DATA["horizon"])
        np.testing.assert_array_equal(line.get_ydata(), DATA[column])
    (bars,) = (bars for container in ax.containers for bars in container.lines[2])
    ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
    assert ends == DATA[["low", "high"]].to_numpy().tolist()
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    shown = {text.get_text() for text in ax.get_legend().get_texts()}
    assert shown == {f"{found.promise.label}, 99% interval", "bound of PS-T1", "uniform play"}
    assert "Holds here" in " ".join(
        text.get_text() for text in [*figure.texts, ax.title, *ax.texts]
    ) + ax.get_title("left")
    plt.close(figure)


@pytest.mark.parametrize(("data", "figures"), [(DATA, 1), (DATA[:0], 0)])
def test_an_answer_is_shown_as_text_and_as_a_figure_if_there_is_one(data, figures, monkeypatch):
    shown, asked = [], {}

    def ask(claim, **sizes):
        asked.update(sizes, claim=claim)
        return [answer(data)] * 2

    monkeypatch.setattr(own_setting, "ask", ask)
    monkeypatch.setattr(own_setting, "display", lambda what, **words: shown.append((what, words)))
    before = plt.get_fignums()
    own_setting.show("PS-T1", seed=3, horizon=100)
    assert asked == {"claim": "PS-T1", "seed": 3, "horizon": 100}
    assert [type(what) for what, _ in shown] == [Markdown, *[Figure] * figures] * 2
    assert all(words["metadata"]["image/png"]["alt"] for what, words in shown if isinstance(what, Figure))
    assert plt.get_fignums() == before


def test_the_text_is_a_table_of_what_the_answer_says():
    found = answer()
    lines = own_setting._told(found).splitlines()
    first, *rest = str(found).splitlines()
    assert lines[:4] == [f"**{first}**", "", "| | |", "| --- | --- |"]
    assert lines[4:] == [f"| {line[:10].strip()} | {line[10:]} |" for line in rest]
    assert len(rest) == 5


def test_every_size_has_a_control_that_asks_again(monkeypatch):
    """Of `epsilon`, `gap` and `delta` a slider over decades; a field for what is a whole number."""
    made = {}

    def control(kind):
        return lambda **words: made.setdefault(words.pop("description"), (kind, words))

    asked = []
    widgets = SimpleNamespace(
        FloatLogSlider=control("slider"), FloatText=control("field"),
        interactive=lambda function, **controls: (function(gap=0.5), controls)[1],
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "ipywidgets", widgets)
    monkeypatch.setattr(own_setting, "show", lambda claim, **words: asked.append((claim, words)))
    controls = own_setting.sliders("PS-T1", seed=5)
    at = asking.promises()["PS-T1"][0].at
    assert asked == [("PS-T1", {"seed": 5, "gap": 0.5})]
    assert list(controls) == list(at) == list(made)
    for name, (kind, words) in made.items():
        assert kind == ("slider" if name in ("epsilon", "gap", "delta") else "field")
        assert words.pop("value") == at[name]
        decades = {"epsilon": (-3, 1), "gap": (-3, 0), "delta": (-12, -2)}.get(name)
        expected = dict(zip(("min", "max"), decades, strict=True)) if decades else {}
        assert words == {**expected, "continuous_update": False}


def test_without_the_package_sliders_say_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ValueError, match="pip install ipywidgets"):
        own_setting.sliders("PS-T1", seed=1)
