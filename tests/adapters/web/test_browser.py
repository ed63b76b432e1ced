"""The live page in a real browser: it follows the game, asks nobody else, and says when it is no
longer shared.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.adapters.web.serving import served, shared
from tests.playing import Channel, two_sides

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium here: apt-get install chromium"),
]
SECONDS = 10_000


@asynccontextmanager
async def browsing(width: int = 390, height: int = 844) -> AsyncIterator[tuple[Any, list[str]]]:
    """A page of a phone, and what was said on its console or asked of anybody else."""
    from playwright.async_api import async_playwright

    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page(viewport={"width": width, "height": height})
        wrong: list[str] = []
        page.on(
            "console",
            lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: (
                wrong.append(asked.url)
                if not asked.url.startswith(("http://127.0.0.1:", "data:"))
                else None
            ),
        )
        try:
            yield page, wrong
        finally:
            await browser.close()


async def test_a_phone_follows_the_game_and_is_told_when_it_is_no_longer_shared() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game next", 'roll 2d6 label="<img src=x onerror=alert(1)>"')
    async with served(channel) as site, browsing() as (page, wrong):
        path = await shared(channel)
        await page.goto(site.at(path))
        await page.locator("#live", has_text=re.compile("^live$")).wait_for(timeout=SECONDS)
        number = (await channel.game()).number
        await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 hand=6,1,6")
        await page.wait_for_selector(f"#e{number + 1}", timeout=SECONDS)
        told = await page.locator(f"#e{number + 1}").text_content()
        assert "Cell 1" in str(told)
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            "no sideways scroll"
        )
        await channel.do("Anna", "game undo")
        await channel.do("Bob", "game undo")
        await page.wait_for_selector(f"#e{number + 1}.undone", timeout=SECONDS)
        await page.click("#check-top")
        await page.locator("#check-short", has_text="✓").wait_for(timeout=SECONDS)
        await channel.do("Anna", "game share off")
        await page.locator("#live", has_text="no longer shared").wait_for(timeout=SECONDS)
        assert wrong == []


async def test_a_page_that_missed_too_much_loads_itself_anew() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    async with served(channel) as site, browsing(1280, 800) as (page, wrong):
        path = await shared(channel)
        await page.goto(site.at(path))
        await page.locator("#live", has_text=re.compile("^live$")).wait_for(timeout=SECONDS)
        for game in site.hub._games.values():
            for watcher in game.watchers:
                watcher.number = 1  # as if it had slept through everything
        await channel.do("Anna", "roll 2d6")
        await page.wait_for_selector(f"#e{(await channel.game()).number}", timeout=SECONDS)
        assert wrong == []
