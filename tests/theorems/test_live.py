"""The theorems in a browser, as `make live` made them: from a file and over HTTP, without a network."""

import http.server
import json
import threading
import time
from functools import partial

import pytest

from tests import browser
from tests.theorems import FOLDER, ROOT

LIVE = ROOT / "build" / "live"
FILE = (LIVE / "index.html").as_uri()
NAMES = [*sorted(path.stem for path in FOLDER.glob("*.py")), "ask"]
DRAWN = {"ba_t10", "dl_r1p", "theorem_gaussian_advice"}
"""Pages that draw binomial or multinomial numbers: NumPy 2.5 changed that sampler. Their assertions hold still."""
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not (LIVE / "index.html").exists(), reason="not made: make live"),
    pytest.mark.skipif(browser.binary() is None, reason="no Chromium or Chrome on the path"),
]


@pytest.fixture(scope="module")
def served():
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(http.server.SimpleHTTPRequestHandler, directory=LIVE)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()


@pytest.fixture(scope="module")
def tab():
    with browser.browser() as page:
        page.open(FILE, size=browser.WIDTHS["desktop"], theme="light")
        yield page


def said(tab, seconds=40.0):
    """Wait until nothing runs and return what the page says."""
    until = time.monotonic() + seconds
    while tab.evaluate("Boolean(busy)") and time.monotonic() < until:
        time.sleep(0.02)
    return tab.evaluate("$('said').textContent")


def run(tab, source="", **given):
    """Run the page with these texts in its fields and return what it says."""
    for name, text in given.items():
        tab.evaluate(f"$('form').{name}.value = {json.dumps(text)}")
    tab.evaluate(f"$('source').value = {json.dumps(source)} || $('source').value; $('run').click()")
    return said(tab)


def turn(tab, name):
    """Turn to a page."""
    tab.evaluate(f"location.hash = '{name}'")
    while not tab.evaluate(f"page === LIVE.pages.{name}"):
        time.sleep(0.02)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_prints_the_numbers_of_the_record(tab, name):
    turn(tab, name)
    text = run(tab)
    assert text.startswith("All assertions hold")
    assert ("DIFFER" in text) == (name in DRAWN), text
    assert ("binomial sampler" in text) == (name in DRAWN)


def test_fields_and_source_are_read_and_what_is_wrong_is_told(tab):
    turn(tab, "dl_t1")
    assert run(tab, T="1000").endswith("The record is of the original page.")
    turn(tab, "nl_t4")
    source = tab.evaluate("page.source")
    assert run(tab, source.replace("assert ", "assert not ")).startswith("An error ended the run")
    assert "AssertionError" in tab.evaluate("$('here').textContent")
    tab.evaluate("page.numbers = page.numbers.map((x, i) => i === 9 ? String(2e-9 + x * (1 + 2e-9)) : x)")
    assert "DIFFER from the record's by up to" in run(tab, source)


def test_stop_ends_an_endless_run_and_the_next_one_works(tab):
    turn(tab, "nl_t3")
    tab.evaluate("$('source').value = 'def main(**given):\\n    while True: pass'; $('run').click()")
    assert tab.evaluate("Boolean(busy) && !$('stop').hidden")
    tab.evaluate("$('stop').click()")
    assert said(tab, 0) == "Stopped."
    assert run(tab, tab.evaluate("page.source")).startswith("All assertions hold")


@pytest.mark.parametrize("width", browser.WIDTHS)
@pytest.mark.parametrize("place", ["file", "http"])
def test_by_keyboard_the_first_number_comes_in_twenty_seconds_and_from_here(place, width, served):
    address, theme = (FILE, "light") if place == "file" else (served, "dark")
    with browser.browser() as page:
        assert browser.findings(page, address, width=width, theme=theme) == []
        start = time.monotonic()
        for key, code in (("Tab", 9), ("Tab", 9), ("Enter", 13)):  # the choice, the first field, where Enter runs
            text = {"text": "\r"} if key == "Enter" else {}
            page.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        assert page.evaluate("document.activeElement.name") == "settings"
        assert said(page).startswith("All assertions hold")
        assert time.monotonic() - start < 20
        assert not page.complaints()
        sent = [e["params"]["request"]["url"] for e in page.events if e["method"] == "Network.requestWillBeSent"]
        files = {address, address.replace("index.html", "runtime.js")}
        assert {url for url in sent if not url.startswith(("data:", "blob:"))} == files
        assert page.evaluate("fetch('/').then(() => 'answered', () => 'refused')") == "refused"
        page.evaluate("delete window.DecompressionStream")
        assert "it has no DecompressionStream" in run(page)
    assert sum(path.stat().st_size for path in LIVE.iterdir()) <= 60e6
