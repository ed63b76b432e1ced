"""A file that somebody attached is fetched from Discord's hosts alone, and no further than
there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from discord.http import Route

from adapters.discord.calls import DiscordApi, Unsure, _is_discord_url


@pytest.mark.parametrize(
    ("url", "is_there"),
    [
        ("https://cdn.discordapp.com/ephemeral-attachments/1/2/game.json?ex=1", True),
        ("https://media.discordapp.net/attachments/1/2/game.json", True),
        ("http://cdn.discordapp.com/attachments/1/2/game.json", False),
        ("https://cdn.discordapp.com.evil.example/x", False),
        ("https://evil.example/cdn.discordapp.com", False),
        ("https://cdn.discordapp.com@evil.example/x", False),
        ("http://127.0.0.1/x", False),
        ("http://169.254.169.254/latest/meta-data", False),
        ("file:///etc/passwd", False),
        ("https://[bad", False),
        ("", False),
    ],
)
def test_which_hosts_are_discords(url: str, is_there: bool) -> None:
    assert _is_discord_url(url) is is_there


@pytest.fixture
async def files(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """A server of files in the place of Discord's API."""

    async def small(_: web.Request) -> web.Response:
        return web.Response(body=b"x" * 100)

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(1_000):
            await response.write(b"x" * 10_000)
        return response

    async def elsewhere(_: web.Request) -> web.Response:
        raise web.HTTPFound("/small")

    app = web.Application()
    app.add_routes(
        [web.get("/small", small), web.get("/endless", endless), web.get("/elsewhere", elsewhere)]
    )
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    monkeypatch.setattr(Route, "BASE", f"{base}/api/v10")
    yield base
    await runner.cleanup()


async def test_a_file_is_fetched_up_to_its_limit_and_no_redirect_is_followed(files: str) -> None:
    async with aiohttp.ClientSession() as session:
        wire = DiscordApi(session)
        assert len(await wire.download(f"{files}/small", 100)) == 100
        with pytest.raises(ValueError, match="too large"):
            await wire.download(f"{files}/small", 99)
        with pytest.raises(ValueError, match="too large"):
            await wire.download(f"{files}/endless", 50_000)
        with pytest.raises(Unsure, match="302"):
            await wire.download(f"{files}/elsewhere", 100)
        with pytest.raises(Unsure, match="not on Discord"):
            await wire.download("http://127.0.0.1:9/small", 100)
