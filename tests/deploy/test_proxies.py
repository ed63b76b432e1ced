"""The samples for Caddy and nginx, run by these programs where they are installed: a bot behind
them is fought with, its live page is read with the stream of what happens, strangers get nowhere,
and of equal workers one that is away is passed over."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import aiohttp
import pytest
from aiohttp import web

from tests.adapters.slack.conftest import settle, stand_in
from tests.adapters.slack.process import running
from tests.adapters.web.serving import Stream
from tests.ports import free_port

AROUND = """daemon off; pid {folder}/pid; error_log stderr; {user}
events {{}}
http {{
    access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; include {folder}/grognard.conf;
}}
"""


class Names(asyncio.DatagramProtocol):
    """A name server: each name is at 127.0.0.1 and at 127.0.0.2."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Where to answer."""
        self.transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Two addresses, if addresses of four bytes are what is asked for."""
        end = data.index(0, 12) + 5
        asked = data[12:end]
        kind = int.from_bytes(asked[-4:-2], "big")
        found = [bytes([127, 0, 0, 1]), bytes([127, 0, 0, 2])] if kind == 1 else []
        answers = b"".join(b"\xc0\x0c\0\x01\0\x01\0\0\0\x05\0\x04" + address for address in found)
        head = data[:2] + b"\x81\x80\0\x01" + len(found).to_bytes(2, "big") + b"\0\0\0\0"
        self.transport.sendto(head + asked + answers, addr)


@asynccontextmanager
async def names() -> AsyncIterator[str]:
    """The address of a name server."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(Names, ("127.0.0.1", 0))
    yield "{}:{}".format(*transport.get_extra_info("sockname"))
    transport.close()


def sample(samples: Path, program: str, port: int, workers: dict[str, str]) -> str:
    """Our sample without TLS, listening at a port of this machine, the second site of it at the
    next one; its workers are elsewhere: {words of the sample: other words}."""
    if program == "caddy":
        text = (samples / "Caddyfile").read_text()
        text = text.replace("bot.example.org {", f"http://127.0.0.1:{port} {{")
        text = text.replace("games.example.org {", f"http://127.0.0.1:{port + 1} {{")
        # some stream is open
        text = text.replace("{\n\tservers", "{\n\tadmin off\n\tgrace_period 100ms\n\tservers", 1)
        version = subprocess.run(
            ["caddy", "version"], capture_output=True, text=True, check=True
        ).stdout
        if version.removeprefix("v").startswith("2.6."):  # it had another word for that
            text = text.replace("request_buffers 4MB", "buffer_requests")
    else:
        text = (samples / "nginx.conf").read_text()
        text = re.sub(r"^ *(listen \[::\]|ssl_).*\n", "", text, flags=re.MULTILINE)
        text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port}", 1)
        text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port + 1}", 1)
    for words, others in workers.items():
        assert words in text
        text = text.replace(words, others)
    return text


def free_ports() -> int:
    """A port that nobody listens on, nor on the next one."""
    port, following = free_port(), free_port()
    while following != port + 1:
        port, following = following, free_port()
    return port


@asynccontextmanager
async def proxy(
    samples: Path, folder: Path, program: str, workers: dict[str, str]
) -> AsyncIterator[int]:
    """The proxy, listening; its port."""
    if shutil.which(program) is None:
        pytest.skip(f"no {program} on this machine")
    port = free_ports()
    text = sample(samples, program, port, workers)
    if program == "caddy":
        config = folder / "Caddyfile"
        config.write_text(text)
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
        for _ in range(600):
            assert process.returncode is None, (folder / "proxy.log").read_text()
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.1)
            else:
                writer.close()
                break
        yield port
    finally:
        process.terminate()
        await process.wait()
        log.close()


def test_every_site_of_every_sample_limits_bodies(root: Path) -> None:
    """A site is a `reverse_proxy` of Caddy, or a `server` of nginx that passes requests on."""
    for sample in root.glob("deploy/**/Caddyfile*"):
        text = sample.read_text()
        assert text.count("reverse_proxy ") == text.count("max_size "), sample
    for sample in root.glob("deploy/**/nginx*.conf"):
        for server in re.split(r"^server ", sample.read_text(), flags=re.MULTILINE)[1:]:
            for location in re.split(r"^    location ", server, flags=re.MULTILINE)[1:]:
                is_limited = "client_max_body_size" in server.partition("location")[0] + location
                assert is_limited or "proxy_pass" not in location, (sample, location)


@pytest.mark.slow
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
            proxy(
                root / "deploy", tmp_path, program, {"127.0.0.1:3000": f"127.0.0.1:{bot.port}"}
            ) as port,
        ):
            address = f"http://127.0.0.1:{port}"
            slack.request_url = f"{address}/slack/events"
            await (await anna.slash(games, "/roll", "2d6 label=behind")).answer()
            assert any("behind" in text for text in slack.posted(games))
            for path, status in (
                ("/", 404),
                ("/metrics", 404),
                ("/slack/other", 404),
                ("/health", 200),
            ):
                async with stranger.get(address + path) as answer:
                    assert answer.status == status, path
            async with stranger.post(f"{address}/slack/events", data=b"{}") as answer:
                assert answer.status == 401, "it is not signed"
            async with stranger.post(f"{address}/slack/events", data=b"x" * 5_000_000) as answer:
                assert answer.status in (413, 502), "older Caddys say it so"
    finally:
        await slack.stop()


@pytest.mark.slow
@pytest.mark.parametrize("program", ["caddy", "nginx"])
async def test_a_game_is_watched_through_it_as_it_goes_on(
    root: Path, tmp_path: Path, program: str
) -> None:
    """Slack's signed requests pass, and by the second name the page with its stream, an event as
    soon as it happens.
    """
    slack = await stand_in("http")
    home, anna, _, games = settle(slack)
    live = free_port()
    try:
        async with (
            running(slack, tmp_path / "data", home, LIVE_PORT=str(live), PUBLIC_URL="https://games.example.org") as bot,
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(60)) as watcher,
            proxy(
                root / "deploy", tmp_path, program,
                {"127.0.0.1:3000": f"127.0.0.1:{bot.port}", "127.0.0.1:8080": f"127.0.0.1:{live}"},
            ) as port,
        ):  # fmt: skip
            slack.request_url = f"http://127.0.0.1:{port}/slack/events"
            await (
                await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')
            ).answer()
            shared = await (await anna.slash(games, "/game", "share")).answers(2)
            found = re.search(
                r"https://games\.example\.org(/g/[\w-]+)", "".join(one.everything for one in shared)
            )
            assert found
            page = f"http://127.0.0.1:{port + 1}{found[1]}"
            async with watcher.get(page) as answer:
                assert answer.status == 200
                assert "Hill 875" in await answer.text()
            async with watcher.get(f"{page}/events") as answer:
                assert answer.headers["Content-Type"].startswith("text/event-stream")
                stream = Stream(answer.content)
                await (await anna.slash(games, "/roll", "2d6 label=watched")).answer()
                heard = ""
                while "watched" not in heard:
                    heard = str(await stream.next(20))
            async with watcher.get(page, data=b"x" * 100_000) as answer:
                assert answer.status in (413, 502), "older Caddys say it so"
            for path in ("/", "/metrics", "/healthz"):
                async with watcher.get(f"http://127.0.0.1:{port + 1}{path}") as answer:
                    assert answer.status == 404, path
    finally:
        await slack.stop()


@pytest.mark.slow
@pytest.mark.parametrize("program", ["caddy", "nginx"])
async def test_a_worker_that_is_away_is_passed_over(
    root: Path, tmp_path: Path, program: str
) -> None:
    heard: list[bytes] = []

    async def hears(request: web.Request) -> web.Response:
        heard.append(await request.read())
        return web.Response(text="yes")

    app = web.Application()
    app.router.add_post("/{path:.*}", hears)
    runner = web.AppRunner(app)
    await runner.setup()
    here = free_port()
    await web.TCPSite(runner, "127.0.0.1", here).start()  # and nobody at 127.0.0.2
    try:
        async with names() as server, aiohttp.ClientSession() as platform:
            if program == "caddy":
                found = f"port {here}\n\t\t\t\tresolvers udp/{server}"
                workers = {"port 3001": found, "port 3000": found}
            else:
                ports = [3001, 3000]
                workers = {
                    f"worker-{at}:{port}": f"127.0.0.{3 - at}:{here}"
                    for at in (1, 2)
                    for port in ports
                }
            async with proxy(root / "deploy" / "scale", tmp_path, program, workers) as port:
                address = f"http://127.0.0.1:{port}"
                for number in range(10):
                    for path in ("/discord/interactions", "/slack/events"):
                        async with platform.post(address + path, data=str(number)) as answer:
                            assert (answer.status, await answer.text()) == (200, "yes")
                async with platform.get(f"{address}/discord/other") as answer:
                    assert answer.status == 404
        assert sorted(heard) == sorted(
            str(number).encode() for number in range(10) for _ in range(2)
        ), "each once"
    finally:
        await runner.cleanup()
