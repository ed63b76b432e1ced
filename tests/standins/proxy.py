"""A proxy before equal workers, as hosts run one: requests in turn, and a worker that is away is
passed over.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count

import aiohttp
from aiohttp import web


class Proxy:
    """On 127.0.0.1; `taken` says which worker answered each request, by its body, `passed` when
    it was handed on.
    """

    def __init__(self, session: aiohttp.ClientSession, workers: Sequence[str]) -> None:
        self._session, self._workers, self._turns = session, workers, count()
        self.taken: dict[bytes, str] = {}
        self.passed: dict[bytes, float] = {}
        self.passed_over = 0
        self.url = ""

    async def pass_on(self, request: web.Request) -> web.Response:
        """The answer of the next worker that is there; 502 where none is."""
        body = await request.read()
        first = next(self._turns)
        for number in range(len(self._workers)):
            worker = self._workers[(first + number) % len(self._workers)]
            self.passed[body] = time.monotonic()
            try:
                async with self._session.post(worker, data=body, headers=request.headers) as answer:
                    self.taken[body] = worker
                    headers = {"Content-Type": answer.headers.get("Content-Type", "text/plain")}
                    return web.Response(
                        status=answer.status, body=await answer.read(), headers=headers
                    )
            except aiohttp.ClientError:
                self.passed_over += 1
        return web.Response(status=502)


@asynccontextmanager
async def proxy_before(*workers: str) -> AsyncIterator[Proxy]:
    """A running proxy before workers with these addresses."""
    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    async with aiohttp.ClientSession(
        connector=connector, timeout=aiohttp.ClientTimeout(total=30)
    ) as session:
        proxy = Proxy(session, workers)
        app = web.Application(client_max_size=8 * 1024 * 1024)
        app.router.add_post("/", proxy.pass_on)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            proxy.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
            yield proxy
        finally:
            await runner.cleanup()
