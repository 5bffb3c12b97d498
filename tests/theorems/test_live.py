"""The theorems in a browser, as `make live` made them: from a file and over HTTP, without a network."""

import json
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests import browser
from tests.theorems import ROOT

LIVE = ROOT / "build" / "live"
PAGE = (LIVE / "index.html").as_uri()
SAID = "document.getElementById('said').textContent"
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not (LIVE / "index.html").exists(), reason="not made: make live"),
    pytest.mark.skipif(browser.binary() is None, reason="no Chromium or Chrome on the path"),
]


@pytest.fixture(scope="module")
def tab():
    with browser.browser() as page:
        yield page


def opened(tab, address=PAGE, width="desktop"):
    tab.open("about:blank", size=browser.WIDTHS[width], theme="light")
    tab.open(address, size=browser.WIDTHS[width], theme="light")


def ended(tab, *, seconds=40.0):
    """Wait until nothing runs and return what the page says."""
    until = time.monotonic() + seconds
    while tab.evaluate("busy") is not None:
        assert time.monotonic() < until, tab.evaluate(SAID)
        time.sleep(0.05)
    return tab.evaluate(SAID)


def run(tab, source="", **given):
    """Run the page with these fields and return what it says."""
    for name, value in given.items():
        tab.evaluate(f"document.querySelector('[name={name}]').value = {json.dumps(str(value))}")
    if source:
        tab.evaluate(f"$('source').value = {json.dumps(source)}")
    tab.evaluate("void $('run').click()")
    return ended(tab)
