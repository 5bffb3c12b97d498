import json
import shutil

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from seaborn.utils import relative_luminance

from replicate.workbook import figures


def draw():
    with figures.style():
        figure, ax = plt.subplots()
        ax.plot([1, 2, 4], [1, 3, 2])
        figures.log2_axis(ax, step=1)
    return figure


def test_saving_twice_gives_the_same_bytes(tmp_path):
    data = pd.DataFrame({"x": [1, 2], "y": [0.1, 1 / 3]})
    first = figures.save(draw(), tmp_path / "a" / "curve", data, {"seed": 1})
    second = figures.save(draw(), tmp_path / "b" / "curve", data, {"seed": 1})
    suffixes = {"PNG": ".png", "data": ".csv", "provenance": ".json"}
    assert {kind: path.suffix for kind, path in first.items()} == suffixes
    for kind, path in first.items():
        assert path.read_bytes() == second[kind].read_bytes()
    origin = json.loads(first["provenance"].read_text())
    assert origin["seed"] == 1
    assert set(origin["versions"]) >= {"numpy", "scipy", "matplotlib"}
    assert "0.333333" in first["data"].read_text()
    assert not list((tmp_path / "a").glob(".*"))


def test_a_failing_save_leaves_no_half_written_file(tmp_path):
    class Unserialisable:
        pass

    with pytest.raises(TypeError):
        figures.save(draw(), tmp_path / "curve", pd.DataFrame({"x": [1]}), {"what": Unserialisable()})
    assert not (tmp_path / "curve.json").exists()
    assert not list(tmp_path.glob(".*"))


def test_the_style_leaves_no_trace():
    before = dict(plt.rcParams)
    with figures.style():
        assert dict(plt.rcParams) != before
    assert dict(plt.rcParams) == before


@pytest.mark.parametrize("band", [("low", "high"), ("low", "missing")])
def test_curves_draw_the_data_and_their_band_and_say_where_they_end(band):
    data = pd.DataFrame({"who": list("aabb"), "x": [1, 2, 2, 1], "y": [3, 4, 6, 5]}).eval(
        "low = y - 1\nhigh = y + 3"
    )
    with figures.style():
        _, ax = plt.subplots()
        ax.set(xlabel="rounds", ylabel="regret")
        ends = figures.curves(ax, data, "x", "y", "who", lambda name: figures.Look(name, "#0072B2"), band=band)
    assert ends == {"a": (4, "#0072B2"), "b": (5, "#0072B2")}
    assert [line.get_xydata().tolist() for line in ax.get_lines()] == [[[1, 3], [2, 4]], [[2, 6], [1, 5]]]
    assert [line.get_label() for line in ax.get_lines()] == ["a", "b"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rounds", "regret")
    reached = [collection.get_paths()[0].get_extents().intervaly.tolist() for collection in ax.collections]
    assert reached == ([[2, 7], [4, 9]] if band[1] in data else [])


def test_bars_reach_from_the_lower_limit_to_the_upper_one():
    data = pd.DataFrame({"x": [1, 2], "y": [3.0, 5.0], "low": [2.5, 4.0], "high": [6.0, 5.25]})
    with figures.style():
        _, ax = plt.subplots()
        ends = figures.bars(ax, data, "x", "y", figures.Look("a", "#0072B2"))
    reached = [segment.tolist() for bar in ax.containers for segment in bar[2][0].get_segments()]
    assert reached == [[[1, 2.5], [1, 6]], [[2, 4], [2, 5.25]]]
    assert ends == {"a": (5, "#0072B2")}


def test_a_map_is_read_from_below_and_its_numbers_can_be_read():
    ratios = pd.DataFrame([[1.0, 2.0, 3.0], [4.0, 8.0, 15.0]], index=[2, 16], columns=[1.0, 0.1, 0.01])
    said = {"xlabel": "privacy level", "ylabel": "K", "finding": "It grows", "cell": "ratio"}
    with figures.style():
        figure = figures.ratio_maps({"gap 1": ratios}, "{:.0f}".format, most=16, **said)
    ax = figure.axes[0]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "0.1", "0.01"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["2", "16"]
    heights = {text.get_text(): ax.transData.transform(text.get_position())[1] for text in ax.texts}
    assert heights["1"] == heights["2"] == heights["3"] < heights["4"]
    contrasts = [
        contrast(text.get_color(), shade)
        for text, shade in zip(ax.texts, ax.collections[0].get_facecolor(), strict=True)
    ]
    assert min(contrasts) > 4.5 > min(contrast("white", shade) for shade in ax.collections[0].get_facecolor())


def contrast(one, other):
    """Contrast of two colours, 1 to 21, as the guidelines for web pages define it."""
    light, dark = sorted((relative_luminance(one), relative_luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_names_at_line_ends_do_not_overlap():
    with figures.style():
        ax = plt.figure().add_subplot()
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ends = {"a": (0.50, "C0"), "b": (0.50, "C1"), "c": (0.51, "C2"), "far": (0.9, "C3")}
        ends |= {"top": (0.999, "C4"), "next": (0.998, "C5")}
        figures.label_ends(ax, 1.0, ends, gap=0.05)
    heights = np.sort([text.xyann[1] for text in ax.texts])
    assert np.diff(heights).min() > 0.049
    assert heights[-3:] == pytest.approx([0.875, 0.925, 0.975], abs=1e-5), "no half of a name leaves the axes"
    led = {text.get_text(): text.xy[1] for text in ax.texts if text.arrow_patch is not None}
    assert led == pytest.approx({"a": 0.50, "c": 0.51, "far": 0.9, "next": 0.998, "top": 0.999}), (
        "names that were pushed away lead to their ends"
    )


def test_a_figure_describes_itself_in_its_own_words():
    with figures.style():
        fig, (left, right) = plt.subplots(1, 2)
        figures.headline(fig, "Regret stops growing", {left: r"$\ln K = 2$, $\varepsilon = 1$", right: "K = 16"})
        left.plot([1, 2], [1, 2], label="bound")
        left.plot([1, 2], [2, 2])
        left.set(xlabel="rounds T", ylabel="regret\n(total)")
        right.text(0.5, 0.5, "uniform,\nplay")
    text = figures.description(fig)
    plt.close(fig)
    assert text == (
        "Regret stops growing. ln K = 2, ε = 1: regret, (total) against rounds T: bound. K = 16: uniform, play."
    )


def saved(folder, *, by=0.0, title="A title", colour="#0072b2", width=6.4):
    """Save a curve, its last point higher by a part of it; no numbers on its axes, whose fonts take a second."""
    with figures.style():
        figure, ax = plt.subplots(figsize=(width, 4.8))
        x = np.linspace(0, 1, 50)
        ax.plot(x, np.sin(7 * x) * np.where(x == 1, 1 + by, 1), color=colour)
        ax.set(title=title, xticks=[], yticks=[])
    paths = figures.save(figure, folder / "curve", pd.DataFrame({"by": [by]}), {"by": by})
    plt.close(figure)
    return {path.suffix: path.read_bytes() for path in paths.values()}


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A folder with the curve, and its files."""
    folder = tmp_path_factory.mktemp("old")
    return folder, saved(folder)


def test_a_move_of_the_last_bits_changes_data_only(old, tmp_path):
    folder, old = old
    elsewhere = saved(tmp_path / "elsewhere", by=3e-6)
    assert elsewhere[".png"] != old[".png"], "the move would show in the file"
    shutil.copytree(folder, tmp_path / "again")
    again = saved(tmp_path / "again", by=3e-6)
    assert {suffix for suffix in again if again[suffix] == old[suffix]} == {".png"}
    assert not list((tmp_path / "again").glob(".*"))


@pytest.mark.parametrize(
    "change",
    [{"by": 0.01}, {"title": "Another"}, {"colour": "#0082b2"}, {"width": 6.5}],
    ids=lambda c: next(iter(c)),
)
def test_another_picture_takes_the_place(change, old, tmp_path):
    folder, old = old
    shutil.copytree(folder, tmp_path / "again")
    new = saved(tmp_path / "again", **change)
    alone = saved(tmp_path / "alone", **change)
    assert new[".png"] == alone[".png"] != old[".png"]


def test_what_is_no_picture_is_like_none(tmp_path):
    (tmp_path / "a.png").write_text("no picture")
    assert not figures.alike(tmp_path / "a.png", tmp_path / "a.png")


def test_a_figure_says_what_it_draws_against_what_or_in_which_rows():
    _, ax = plt.subplots()
    ax.set(xlabel="rounds", ylabel="regret")
    assert figures.drawn(ax.figure) == "regret against rounds"
    figure, ax = plt.subplots()
    figures.listed(ax, ["one", "two", "three", "four"])
    ax.set_xlabel("loss")
    assert figures.drawn(figure) == "loss, one row each for: one; two; three; ..."
    plt.close("all")
