"""Watches a stream with so many sockets: PORT PATH COUNT. Says when all are there; told a number,
waits until all have seen that event, says how many did and how many messages one got, and ends. In
five minutes at most."""

from __future__ import annotations

import asyncio
import re
import sys

AT_ONCE, PATIENCE = 50, 90.0


class Watcher(asyncio.Protocol):
    """One socket: remembers the last event that came."""

    here = 0

    def __init__(self, request: bytes) -> None:
        self._request, self._tail = request, b""
        self.last, self.messages, self._is_here = 0, 0, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if not self._is_here:
            self._is_here = True
            Watcher.here += 1
        seen = self._tail + data
        for found in re.finditer(rb"\nid: (\d+)\n", seen):
            if int(found[1]) > self.last:
                self.last, self.messages = int(found[1]), self.messages + 1
        self._tail = seen[-32:]


async def watch(port: int, path: str, count: int) -> None:
    loop = asyncio.get_running_loop()
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n".encode()
    crowd = []
    for start in range(0, count, AT_ONCE):
        some = range(start, min(start + AT_ONCE, count))
        connecting = [
            loop.create_connection(lambda: Watcher(request), "127.0.0.1", port) for _ in some
        ]
        crowd += [watcher for _, watcher in await asyncio.gather(*connecting)]
    while Watcher.here < count:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    print("all here", flush=True)
    number = int(await loop.run_in_executor(None, sys.stdin.readline))
    until = loop.time() + PATIENCE
    while loop.time() < until and any(one.last < number for one in crowd):  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    print(
        sum(watcher.last >= number for watcher in crowd),
        max(watcher.messages for watcher in crowd),
        flush=True,
    )


async def main() -> None:
    port, path, count = sys.argv[1:]
    async with asyncio.timeout(300):
        await watch(int(port), path, int(count))


if __name__ == "__main__":
    asyncio.run(main())
