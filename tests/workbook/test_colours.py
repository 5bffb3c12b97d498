"""Every committed figure can be read without green receptors: forms differ, or colours do."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import ListedColormap

from tests.workbook import committed, sight


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


def test_every_committed_figure_is_drawn_here():
    pictures = {
        p.relative_to(committed.FOLDER).with_suffix("").as_posix() for p in committed.FOLDER.glob("*/*.png")
    }
    assert pictures == set(committed.DRAWN)


@pytest.mark.parametrize("name", committed.DRAWN)
def test_series_can_be_told_apart(name):
    figure = committed.drawn(name)
    assert any(map(sight.marks, figure.axes)) or figure.axes[0].collections
    assert sight.confused(figure) == []


def test_what_deuteranopia_confuses():
    assert sight.distance("black", "white") == pytest.approx(100, abs=0.1)
    assert sight.distance("#0072B2", "#D55E00") > 2 * sight.LEAST
    assert sight.distance("#009E73", "#CC79A7") < sight.LEAST, "a green and a pink of the palette"
    assert sight.distance((1, 0, 0, 0.1), (0, 0, 1, 0.1)) < sight.distance((1, 0, 0, 1), (0, 0, 1, 1))


GREENS = ("#009E73", "#117733")


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: [ax.plot([0, 1], [i, 1], color=c, marker="o") for i, c in enumerate(GREENS)],
        lambda ax: [ax.errorbar([0], [i], 1, color=c, fmt="s", capsize=2) for i, c in enumerate(GREENS)],
        lambda ax: [ax.fill_between([0, 1], i, i + 1, color=c, alpha=0.5) for i, c in enumerate(GREENS)],
        lambda ax: ax.scatter([0, 1], [0, 1], color=GREENS),
        lambda ax: ax.bar([0, 1], [1, 1], color=GREENS),
        lambda ax: ax.hlines([0, 1], 0, 1, color=GREENS),
        lambda ax: ax.imshow([[0, 1]], cmap=ListedColormap(GREENS)),
        lambda ax: ax.pcolormesh([[0, 1]], cmap=ListedColormap(GREENS)),
        lambda ax: ax.figure.legend(handles=list(ax.bar([0, 1], [1, 1], color=GREENS))),
    ],
)
def test_two_greens_are_confused(draw):
    figure, ax = plt.subplots()
    draw(ax)
    assert sight.confused(figure)
