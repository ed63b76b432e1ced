"""The samples for Caddy and nginx, run by these programs where they are installed: a bot behind them is fought with,
strangers get nowhere, and of equal workers one that is away is passed over."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from tests.adapters.slack.conftest import settle, stand_in
from tests.adapters.slack.process import free_port, running

pytestmark = pytest.mark.slow
AROUND = """daemon off; pid {folder}/pid; error_log stderr; {user}
events {{}}
http {{
    access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; include {folder}/grognard.conf;
}}
"""


def sample(root: Path, program: str, scale: str, port: int, workers: dict[str, int]) -> str:
    """Our sample without TLS, listening at a port of this machine before workers at others of its ports."""
    if program == "caddy":
        text = (root / "deploy" / f"Caddyfile{scale}").read_text()
        text = text.replace("bot.example.org {", f"http://127.0.0.1:{port} {{").replace("games.example.org {", ":0 {")
        text = text.replace("{\n\tservers", "{\n\tadmin off\n\tservers", 1)
        version = subprocess.run(["caddy", "version"], capture_output=True, text=True, check=True).stdout
        if version.removeprefix("v").startswith("2.6."):  # it had another word for that
            text = text.replace("request_buffers 4MB", "buffer_requests")
    else:
        text = (root / "deploy" / f"nginx{scale}.conf").read_text()
        text = re.sub(r"^ *(listen \[::\]|ssl_).*\n", "", text, flags=re.MULTILINE)
        text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    for name, at in workers.items():
        assert name in text
        text = text.replace(name, f"127.0.0.1:{at}")
    return text


@asynccontextmanager
async def proxy(root: Path, folder: Path, program: str, scale: str, workers: dict[str, int]) -> AsyncIterator[str]:
    """The proxy, listening; its address."""
    if shutil.which(program) is None:
        pytest.skip(f"no {program} on this machine")
    port, sock = free_port(), free_port()
    text = sample(root, program, scale, port, workers)
    if program == "caddy":
        config = folder / "Caddyfile"
        config.write_text(text.replace(":0 {", f"http://127.0.0.1:{sock} {{"))
        words = ["caddy", "run", "--adapter", "caddyfile", "--config", str(config)]
    else:
        (folder / "grognard.conf").write_text(text)
        config = folder / "nginx.conf"
        user = "user root;" if (Path.home() == Path("/root")) else ""
        config.write_text(AROUND.format(folder=folder, user=user))
        words = ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(config)]
    log = (folder / "proxy.log").open("wb")
    process = await asyncio.create_subprocess_exec(*words, stdout=log, stderr=log)
    try:
        for _ in range(100):
            assert process.returncode is None, (folder / "proxy.log").read_text()
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.1)
            else:
                writer.close()
                break
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()
        log.close()


@pytest.mark.parametrize("program", ["caddy", "nginx"])
async def test_a_bot_behind_it_is_played_with_and_strangers_get_nowhere(
    root: Path, tmp_path: Path, program: str
) -> None:
    slack = await stand_in("http")
    home, anna, _, games = settle(slack)
    try:
        async with (
            running(slack, tmp_path / "data", home) as bot,
            aiohttp.ClientSession() as stranger,
            proxy(root, tmp_path, program, "", {"127.0.0.1:3000": bot.port}) as address,
        ):
            slack.request_url = f"{address}/slack/events"
            await (await anna.slash(games, "/roll", "2d6 label=behind")).answer()
            assert any("behind" in text for text in slack.posted(games))
            for path, status in (("/", 404), ("/metrics", 404), ("/slack/other", 404), ("/health", 200)):
                async with stranger.get(address + path) as answer:
                    assert answer.status == status, path
            async with stranger.post(f"{address}/slack/events", data=b"{}") as answer:
                assert answer.status == 401, "it is not signed"
            async with stranger.post(f"{address}/slack/events", data=b"x" * 5_000_000) as answer:
                assert answer.status in (413, 502), "older Caddys say it so"
    finally:
        await slack.stop()


@pytest.mark.parametrize("program", ["caddy", "nginx"])
async def test_a_worker_that_is_away_is_passed_over(root: Path, tmp_path: Path, program: str) -> None:
    heard: list[bytes] = []

    async def hears(request: web.Request) -> web.Response:
        heard.append(await request.read())
        return web.Response(text="yes")

    app = web.Application()
    app.router.add_post("/{path:.*}", hears)
    runner = web.AppRunner(app)
    await runner.setup()
    here, away = free_port(), free_port()
    await web.TCPSite(runner, "127.0.0.1", here).start()
    workers = {"interactions-1:3001": away, "interactions-2:3001": here, "slack-1:3000": here, "slack-2:3000": away}
    try:
        async with proxy(root, tmp_path, program, ".scale", workers) as address, aiohttp.ClientSession() as platform:
            for number in range(10):
                for path in ("/discord/interactions", "/slack/events"):
                    async with platform.post(address + path, data=str(number)) as answer:
                        assert (answer.status, await answer.text()) == (200, "yes")
            async with platform.get(f"{address}/discord/other") as answer:
                assert answer.status == 404
        assert sorted(heard) == sorted(str(number).encode() for number in range(10) for _ in range(2)), "each once"
    finally:
        await runner.cleanup()
