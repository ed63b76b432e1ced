"""Signed but bent requests: refused with 4xx or answered kindly, never a traceback."""

from __future__ import annotations

import copy
import itertools
import json
import logging
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest

from adapters.slack.calls import SlackApi, SlackRefused
from adapters.slack.http import PATH, create_web_app
from adapters.slack.listeners import Listeners
from adapters.slack.request import is_valid_payload
from adapters.slack.request_handler import RequestHandler
from adapters.slack.serve import create_bolt
from adapters.slack.teams import Team, Teams
from adapters.web_server import Door, open_port
from tests.fresh import fresh_app
from tests.ports import HERE
from tests.standins.slack.signed import sign

ME = {"id": "U1", "username": "anna", "name": "anna", "team_id": "T1"}
META = json.dumps({"path": ["lnlt", "fire"], "team": "T1", "channel": "C1"})
COMMAND = {
    "command": "/roll", "text": "2d6", "team_id": "T1", "channel_id": "C1", "channel_name": "games", "user_id": "U1",
    "user_name": "anna", "trigger_id": "1.2.3", "response_url": "http://127.0.0.1:9/r",
    "is_enterprise_install": "false",
}  # fmt: skip
PRESS = {
    "type": "block_actions", "team": {"id": "T1"}, "user": ME, "channel": {"id": "C1"}, "trigger_id": "1.2.4",
    "response_url": "http://127.0.0.1:9/r", "container": {"type": "message", "message_ts": "1.0", "channel_id": "C1"},
    "message": {"ts": "1.0", "text": "x", "blocks": [{"type": "actions", "elements": [{"action_id": "do:undo:2"}]}]},
    "actions": [{"type": "button", "action_id": "do:undo:2", "block_id": "b", "value": "undo:2"}],
}  # fmt: skip
SUBMIT = {
    "type": "view_submission", "team": {"id": "T1"}, "user": ME, "trigger_id": "1.2.5",
    "view": {"id": "V1", "type": "modal", "callback_id": "form", "private_metadata": META, "state": {"values": {
        "attackers": {"value": {"type": "plain_text_input", "value": "squad fp=3"}},
        "targets": {"value": {"type": "plain_text_input", "value": "squad morale=5"}},
        "?flags": {"value": {"type": "checkboxes", "selected_options": [{"value": "night"}]}},
    }}},
}  # fmt: skip
PICK = {
    "type": "view_submission", "team": {"id": "T1"}, "user": ME, "trigger_id": "1.2.6",
    "view": {"id": "V2", "type": "modal", "callback_id": "pick", "private_metadata": META, "state": {"values": {
        "command": {"value": {"type": "static_select", "selected_option": {"value": "lnlt fire"}}},
    }}},
}  # fmt: skip
CHANGE = {
    "type": "block_actions", "team": {"id": "T1"}, "user": ME, "trigger_id": "1.2.7",
    "container": {"type": "view", "view_id": "V1"},
    "actions": [{"type": "button", "action_id": "more", "block_id": "buttons", "value": "more"}],
    "view": {"id": "V1", "type": "modal", "callback_id": "form", "private_metadata": META, "state": {"values": {}}},
}  # fmt: skip
MENTION = {
    "type": "event_callback", "team_id": "T1", "event_id": "E1",
    "authorizations": [{"team_id": "T1", "user_id": "UB", "is_bot": True}],
    "event": {"type": "app_mention", "user": "U1", "text": "<@UB> roll 2d6", "ts": "2.0", "channel": "C1"},
}  # fmt: skip
UNINSTALLED = {
    "type": "event_callback",
    "team_id": "T1",
    "event": {"type": "tokens_revoked", "tokens": {"bot": ["x"]}},
}
CHANGED = {
    "type": "event_callback", "team_id": "T1", "authed_users": ["U1"], "function_data": {"execution_id": "F1"},
    "event": {"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "3.0", "message": {"ts": "2.0"},
              "previous_message": {"ts": "2.0", "thread_ts": "1.0"}, "item": {"channel": "C1"}, "view": {"id": "V1"},
              "assistant_thread": {"channel_id": "C1", "thread_ts": "1.0"}},
}  # fmt: skip
"""Of which the library alone reads most."""
SOUND: list[dict[str, Any]] = [COMMAND, PRESS, SUBMIT, PICK, CHANGE, MENTION, UNINSTALLED, CHANGED]
ODD: list[Any] = [
    None,
    "",
    "x",
    0,
    -1,
    1.5,
    True,
    [],
    [None],
    ["x"],
    [[]],
    {},
    {"id": None},
    {"x": {}},
    "\x00",
    "é" * 50,
]


class Deaf(SlackApi):
    """Slack's Web API that cannot be reached."""

    async def _call(self, *_: Any, **__: Any) -> Any:
        raise SlackRefused("deaf")

    async def respond(self, *_: Any, **__: Any) -> None:
        return


@asynccontextmanager
async def listening() -> AsyncIterator[str]:
    app, wire = await fresh_app(), Deaf()
    teams = Teams(None)
    teams.add(Team("T1", "xoxb-1", "UB", "B1"))
    bolt = create_bolt(Listeners(RequestHandler(app, wire, teams)), teams, wire)
    try:
        async with open_port(create_web_app(bolt, "secret"), HERE, "", Door) as server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{PATH}"
    finally:
        await wire.close()
        await app.close()


def paths_of(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield (*before, key)
        yield from paths_of(inner, (*before, key))


def bent(payload: dict[str, Any], chance: random.Random) -> Any:
    """The payload with one to three things left out or changed."""
    made = copy.deepcopy(payload)
    for _ in range(chance.randint(1, 3)):
        paths = list(paths_of(made))
        if not paths:
            return made
        *way, last = chance.choice(paths)
        inner: Any = made
        for key in way:
            inner = inner[key]
        if chance.random() < 0.4:
            del inner[last]
        else:
            inner[last] = copy.deepcopy(chance.choice(ODD))
    if chance.random() < 0.1 and isinstance(made.get("view"), dict):
        made["view"]["private_metadata"] = chance.choice(
            ["", "{", "[]", "1", '{"path": 3}', '{"path": ["x"]}', META[:-9]]
        )
    return made


def body_of(payload: Any, chance: random.Random) -> tuple[bytes, str]:
    if isinstance(payload, dict) and "event" in payload:
        return json.dumps(payload).encode(), "application/json"
    form = (
        payload
        if isinstance(payload, dict) and "command" in payload
        else {"payload": json.dumps(payload)}
    )
    body = urlencode({key: "" if value is None else value for key, value in form.items()}).encode()
    if chance.random() < 0.05:
        body = bytes(chance.randrange(256) if chance.random() < 0.05 else byte for byte in body)
    return body, "application/x-www-form-urlencoded"


def test_what_slack_sends_is_sound() -> None:
    assert all(map(is_valid_payload, SOUND))
    assert is_valid_payload({"type": "url_verification", "challenge": "x"})
    not_sound: list[Any] = [
        None,
        [],
        "x",
        {"command": "/roll"},
        {**PRESS, "actions": []},
        {**PRESS, "user": None},
    ]
    for payload in not_sound:
        assert not is_valid_payload(payload)


@pytest.mark.parametrize("bodies", [100, pytest.param(500, marks=pytest.mark.slow)])
async def test_bent_bodies_are_refused_or_answered_kindly(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, bodies: int
) -> None:
    calculator = "slack_sdk.http_retry.builtin_interval_calculators.BackoffRetryIntervalCalculator"
    # nobody is at a response address
    monkeypatch.setattr(f"{calculator}.calculate_sleep_duration", lambda *_: 0.0)
    chance = random.Random(9)
    caplog.set_level(logging.WARNING)
    statuses: dict[int, int] = {}
    async with listening() as url, aiohttp.ClientSession() as session:
        for number, payload in zip(range(bodies), itertools.cycle(SOUND), strict=False):
            body, kind = body_of(bent(payload, chance), chance)
            at = int(time.time()) - number % 200
            headers = {
                "Content-Type": kind,
                "X-Slack-Request-Timestamp": str(at),
                "X-Slack-Signature": sign("secret", body, at),
            }
            async with session.post(url, data=body, headers=headers) as answer:
                statuses[answer.status] = statuses.get(answer.status, 0) + 1
                assert answer.status < 500, (
                    payload.get("type"),
                    body,
                    [r.getMessage() for r in caplog.records[-2:]],
                )
    faults = [record for record in caplog.records if record.exc_info]
    assert not faults, faults[0].getMessage()
    print(statuses)
    assert statuses[200] > bodies / 10
    assert statuses[400] > bodies / 5
