"""The file with the marks of erased users."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from pathlib import Path

import pytest

from bot.storage.erased import FILE, ErasureMarks


async def test_a_slow_disk_holds_up_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two users are erased while the disk is busy: the loop goes on, and the file has both marks."""
    is_loop_free = threading.Event()
    waits = []
    monkeypatch.setattr(os, "fsync", lambda _: waits.append(is_loop_free.wait(30)))
    marks = ErasureMarks(tmp_path)
    anna = marks.build_docs(["discord:1"], 100.0)
    bob = marks.build_docs(["discord:2"], 200.0)
    erasures = asyncio.gather(marks.keep(anna), marks.keep(bob))
    await asyncio.sleep(0.01)
    is_loop_free.set()
    await erasures
    assert waits == [True, True]
    stored = json.loads((tmp_path / FILE).read_text("utf-8"))
    assert stored["marks"] == sorted(doc.key for doc in (*anna, *bob))
