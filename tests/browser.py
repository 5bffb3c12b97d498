"""Headless Chromium over its DevTools pipe, and what is wrong with a page: ``python -m tests.browser FOLDER``.

Needs a Chromium or Chrome on the path and nothing else.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from replicate.streams import workers

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
THEMES = ("light", "dark")
PATIENCE = 60.0
FINDINGS = Path(__file__).with_name("browser.js").read_text(encoding="utf-8")
HANDSHAKE = """
import fcntl, os, sys
for end, number in [(fcntl.fcntl(int(end), fcntl.F_DUPFD, 10), 3 + i) for i, end in enumerate(sys.argv[1:3])]:
    os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Gives the browser the two ends that it expects as files 3 and 4."""


def binary() -> str | None:
    """Return the path of a browser, None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab, driven over a pair of pipes."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive, self._buffer, self._number = send, receive, b"", 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command and return its result; events that come before it are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])
            self.events.append(answer)

    def open(self, address: str, *, size: tuple[int, int], theme: str) -> None:
        """Load an address at a window size, with a colour scheme, and wait until it is loaded."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def evaluate(self, script: str) -> Any:
        """Return the value of a JavaScript expression, promises awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", "script failed"))
        return answer["result"].get("value")

    def complaints(self) -> list[str]:
        """Return what the browser said of the page: errors on the console, exceptions, failed requests."""
        said = []
        for event in self.events:
            method, what = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                said.append(f"exception: {what['exceptionDetails']['text']}")
            elif method == "Runtime.consoleAPICalled" and what["type"] in {"error", "warning", "assert"}:
                said.append(f"console: {what['args']}")
            elif method == "Log.entryAdded" and what["entry"]["level"] in {"error", "warning"}:
                said.append(f"log: {what['entry']['text']}")
            elif method == "Network.loadingFailed":
                said.append(f"request: {what['errorText']}")
        return said

    def picture(self, path: Path) -> None:
        """Save what the window shows."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def _read(self) -> dict[str, Any]:
        """Return the next message; messages end with a zero byte."""
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._receive], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._receive, 1 << 16) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))


@contextmanager
def browser() -> Iterator[Page]:
    """Start a browser with a profile of its own and yield its page."""
    path = binary()
    if path is None:
        raise RuntimeError("no Chromium or Chrome on the path")
    (theirs_in, ours_out), (ours_in, theirs_out) = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = [
            "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--no-first-run", "--disable-extensions", f"--user-data-dir={profile}",
        ]  # fmt: skip
        command = [sys.executable, "-c", HANDSHAKE, str(theirs_in), str(theirs_out), path, *options]
        process = subprocess.Popen(
            command, pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            yield Page(ours_out, ours_in)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(ours_out)
            os.close(ours_in)


def findings(page: Page, address: str, *, width: str, theme: str) -> list[str]:
    """Return everything wrong with a page at one width and theme, as sentences."""
    page.open(address, size=WIDTHS[width], theme=theme)
    found = [*page.evaluate(FINDINGS), *_dead_links(page)]
    return [f"{width}, {theme}: {what}" for what in [*found, *page.complaints()]]


def _dead_links(page: Page) -> list[str]:
    """Return links to files that are not there, or to places that other pages do not have."""
    links = page.evaluate(
        "[...document.querySelectorAll('a[href]')].map((a) => new URL(a.getAttribute('href'), location).href)"
    )
    wrong = []
    for link in sorted({link for link in links if link.startswith("file:")}):
        parts = urlsplit(link)
        path = Path(unquote(parts.path))
        if not path.exists():
            wrong.append(f"no such page: {path.name}")
        elif parts.fragment and f'id="{unquote(parts.fragment)}"' not in path.read_text(encoding="utf-8"):
            wrong.append(f"no such place: {path.name}#{parts.fragment}")
    return wrong


def main(folder: Path, pictures: Path | None = None) -> int:
    """Print what is wrong with the pages of a folder, and those below it; keep screenshots if asked to."""
    if binary() is None:
        print("no Chromium or Chrome on the path: nothing was opened")
        return 0
    views = [(width, theme) for width in WIDTHS for theme in THEMES]
    asked = []
    for i, path in enumerate(sorted(folder.resolve().rglob("*.html"))):
        alike = path.parent != folder.resolve()  # pages of one kind, some hundred: each in one view, in turn
        asked += [(path, *view) for view in ([views[i % len(views)]] if alike else [views[0], views[-1]])]
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)

    def opened(part: list[tuple[Path, str, str]]) -> list[str]:
        wrong = []
        with browser() as page:
            for path, width, theme in part:
                wrong += [
                    f"{path.name}, {what}" for what in findings(page, path.as_uri(), width=width, theme=theme)
                ]
                if pictures:
                    page.picture(pictures / f"{path.stem}-{width}-{theme}.png")
        return wrong

    many = workers()
    with ThreadPoolExecutor(many) as pool:
        wrong = [what for part in pool.map(opened, [asked[i::many] for i in range(many)]) for what in part]
    print("\n".join(wrong) or "nothing wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:3])))
