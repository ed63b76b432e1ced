"""More than can be worked on: a command is answered at once, and nothing of it runs; the rest
Slack sends again.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from adapters.slack import serve as module
from adapters.slack.serve import Socket

COMMAND = {
    "command": "/roll",
    "team_id": "T1",
    "channel_id": "C1",
    "user_id": "U1",
    "trigger_id": "1",
}


class Connection:
    """A websocket that keeps what is sent."""

    closed = False

    def __init__(self) -> None:
        self.sent: list[Any] = []

    async def send_str(self, text: str) -> None:
        self.sent.append(json.loads(text))


async def test_beyond_the_limit_a_command_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_WORK", 0)
    nobody: Any = None
    socket, connection = Socket(nobody, nobody, ""), Connection()
    way: Any = connection

    async def come(kind: str, payload: Any) -> None:
        monkeypatch.setattr(module, "AT_WORK", max(1, len(socket._tasks)) if kind else 0)
        socket._tasks.add(asyncio.current_task())  # type: ignore[arg-type]  # somebody is at work
        socket._handle_message(
            way, {"type": kind, "envelope_id": kind, "payload": payload}, asyncio.Event()
        )
        await asyncio.sleep(0)

    await come("slash_commands", COMMAND)
    await come("events_api", {"type": "event_callback", "event": {"type": "team_join"}})
    assert [said["envelope_id"] for said in connection.sent] == ["slash_commands"]
    assert "busy" in connection.sent[0]["payload"]["text"]


async def test_what_is_no_envelope_is_passed_over() -> None:
    nobody: Any = None
    socket = Socket(nobody, nobody, "")
    bent: list[dict[str, Any]] = [
        {},
        {"type": "x"},
        {"type": "events_api", "envelope_id": "1", "payload": [1]},
    ]
    for said in bent:
        socket._handle_message(nobody, said, asyncio.Event())
    assert not socket._tasks
