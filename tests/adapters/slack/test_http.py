"""The door of HTTP mode: who is let in, and how long and how much it listens to anybody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from adapters.slack.http import MAX_BODY, PATH, create_signature_check, create_web_app
from adapters.web_server import MAX_AGE, Door, open_port
from tests.ports import HERE
from tests.standins.slack.signed import sign, sign_text

NOW = 1_800_000_000


def test_a_signature_is_right_fresh_and_taken_once() -> None:
    now = [float(NOW)]
    known = create_signature_check("secret", lambda: now[0])
    good = sign("secret", b"body", NOW)
    assert known.check(str(NOW), good, b"body") == ""
    assert known.check(str(NOW), good, b"body") == "replayed"
    assert known.check(str(NOW), sign("secret", b"other", NOW), b"other") == ""
    for timestamp, signature, wrong in (
        (str(NOW), good.replace("v0", "v1"), "bad signature"),
        (str(NOW + 1), good, "bad signature"),
        (str(NOW), "", "bad signature"),
        (str(NOW), "v0=\udcff", "bad signature"),
        (str(NOW), sign("", b"body", NOW), "bad signature"),
        ("", good, "no timestamp"),
        ("-1", good, "no timestamp"),
        (f"0{NOW}", sign_text("secret", b"body", f"0{NOW}"), "no timestamp"),
        (f"+{NOW}", sign_text("secret", b"body", f"+{NOW}"), "no timestamp"),
        ("\u0661" * 10, good, "no timestamp"),
        ("9" * 4_000, good, "no timestamp"),
        (str(NOW - MAX_AGE - 1), sign("secret", b"body", NOW - MAX_AGE - 1), "stale"),
        (str(NOW + MAX_AGE + 1), sign("secret", b"body", NOW + MAX_AGE + 1), "stale"),
    ):
        assert known.check(timestamp, signature, b"body") == wrong
    early = sign("secret", b"early", NOW + MAX_AGE)  # their clock runs before ours
    assert known.check(str(NOW + MAX_AGE), early, b"early") == ""
    now[0] += 2 * MAX_AGE
    assert known.check(str(NOW + MAX_AGE), early, b"early") == "replayed"


@asynccontextmanager
async def listening() -> AsyncIterator[str]:
    """The web application, with nothing behind its door: whoever gets in gets an error."""
    nobody: Any = None
    async with open_port(
        create_web_app(nobody, "secret"), HERE, "", Door, shutdown_timeout=0.2
    ) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_what_is_too_large_or_unsigned_is_refused() -> None:
    async with listening() as base, aiohttp.ClientSession() as session:
        for body, status in ((b"x" * (MAX_BODY + 1), 413), (b"payload=1", 401), (b"", 401)):
            async with session.post(base + PATH, data=body) as answer:
                assert answer.status == status
        async with session.get(base + PATH) as answer:
            assert answer.status == 405
        async with session.get(base + "/health") as answer:
            assert await answer.text() == "ok"
        async with session.get(base + "/slack/install") as answer:
            assert answer.status == 404, "only where there is something to install"


async def test_nobody_is_waited_for_who_sends_his_body_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("adapters.web_server.BODY_SECONDS", 0.2)
    async with listening() as base:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        signed = (
            f"X-Slack-Request-Timestamp: {NOW}\r\nX-Slack-Signature: {sign('secret', b'', NOW)}\r\n"
        )
        writer.write(
            f"POST {PATH} HTTP/1.1\r\nHost: x\r\n{signed}Content-Length: 100\r\n\r\nx".encode()
        )
        status = await asyncio.wait_for(reader.readline(), 30)
        assert b"408" in status
        writer.close()
