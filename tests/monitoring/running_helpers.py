"""Helpers of tests/monitoring/test_running.py, which other tests use as well."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request


def fetched(port: str, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


async def get(port: str, path: str) -> tuple[int, str]:
    return await asyncio.to_thread(fetched, port, path)
