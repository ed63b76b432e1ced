"""A headless Chromium, the system's own; the tests here are skipped where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Shown:
    """A page that is open, and what it complained of or asked the network for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def until(self, what: str, seconds: float = 60) -> Any:
        """What the expression comes to, once that is true; the page's own rules forbid what
        Playwright would do.
        """
        end = monotonic() + seconds
        while not (found := self.page.evaluate(what)):
            assert monotonic() < end, f"not within {seconds} s: {what}"
            sleep(0.02)
        return found

    def check(self, head: str = "") -> Any:
        """What *Check now* finds."""
        self.page.evaluate("window.lastCheck = null")
        self.page.fill("#head", head)
        self.page.click("#go")
        self.until("window.lastCheck")
        return self.page.evaluate(
            "({...lastCheck, told: document.querySelector('.verdict').textContent})"
        )


def found() -> str:
    """The path of a Chromium; "" where there is none."""
    named = os.environ.get("CHROMIUM", "")
    return named or next((path for name in NAMES if (path := shutil.which(name))), "")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser, for the tests of one file: while it is open, its event loop keeps any other
    from this thread.
    """
    path = found()
    if not path:
        pytest.skip(
            "no Chromium here; on Debian: apt-get install chromium (or name one in CHROMIUM)"
        )
    sync = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed; make setup"
    )
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def show(chromium: Any) -> Iterator[Callable[..., Shown]]:
    """Open a file in a window of its own; at the end nothing may have complained, or asked for
    anything outside.
    """
    opened: list[Shown] = []

    def show_file(path: Path, query: str = "", before: str = "", **look: Any) -> Shown:
        context = chromium.new_context(**({"viewport": {"width": 1280, "height": 900}} | look))
        shown = Shown(context.new_page())
        shown.page.on(
            "console", lambda message: shown.complaints.append(f"{message.type}: {message.text}")
        )
        shown.page.on("pageerror", lambda error: shown.complaints.append(str(error)))
        shown.page.on("request", lambda request: shown.requests.append(request.url))
        if before:
            shown.page.add_init_script(before)
        shown.page.goto(f"file://{path}{query}")
        opened.append(shown)
        return shown

    yield show_file
    for shown in opened:
        assert shown.complaints == []
        assert [
            url for url in shown.requests if not url.startswith(("file:", "blob:", "data:"))
        ] == []
        shown.page.context.close()
