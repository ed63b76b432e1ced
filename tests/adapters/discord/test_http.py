"""Interactions by signed HTTP: what is Discord's own is played as on the gateway, whatever else
knocks is refused.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from adapters.discord.http import create_signature_check
from adapters.discord.request import need_open_thread, read_payload
from adapters.web_server import MAX_AGE
from tests.adapters.discord.http_helpers import (
    playing,
)
from tests.refusing import refuses

FIRE = {"attackers": "squad fp=2", "targets": "squad morale=5", "tm": 1}


@pytest.mark.slow
async def test_an_evening_by_http_on_two_workers(tmp_path: Path) -> None:
    async with playing(tmp_path, 2) as (discord, _):
        anna, games = discord.user("Anna", manage_guild=True), discord.channel("games")
        began = await anna.slash(games, "game start", system="lnlt", name="Hill 875")
        assert "Hill 875" in (await began.answer()).text
        for _ in range(4):
            rolled = await (await anna.slash(games, "roll", dice="2d6")).answer()
        assert re.search(r"#5\b", rolled.text), rolled.text
        fired = await (await anna.slash(games, "lnlt fire", **FIRE)).answer()
        assert "#6" in fired.text
        undone = await (await anna.press(fired, "Undo")).answer()
        assert "undone" in undone.text.casefold()
        form = await anna.slash(games, "lnlt fire")
        assert form.modal["components"]
        choices = await anna.autocomplete(games, "help", "topic", "fi")
        assert choices
        private = await (await anna.slash(games, "lnlt fire", **FIRE, odds=True)).answer()
        assert private.private_to is anna.user
        alone = await (await anna.slash(anna.dm(), "roll", dice="d6")).answer()
        assert "Anna" in alone.text
        discord.deliver_twice()
        await (await anna.slash(games, "roll", dice="3d6", label="once")).answer()
        await asyncio.sleep(0.5)
        assert sum("once" in message.text for message in discord.messages(games)) == 1
        assert {answer.status for answer in discord.site.webhooks.answers} == {202}


async def test_whatever_is_not_discords_own_is_refused(tmp_path: Path) -> None:
    async with playing(tmp_path) as (discord, [address]):
        post, ping = discord.site.webhooks.post, {"type": 1}
        assert (await post(ping, key=Ed25519PrivateKey.generate())).status == 401
        assert (await post(ping, altered=b" ")).status == 401
        assert (await post(ping, age=MAX_AGE + 60)).body == "stale"
        assert (await post(ping, age=-MAX_AGE - 60)).body == "stale"
        assert (await discord.site.webhooks.send(address, b"{}", {})).status == 401
        headers = {"X-Signature-Timestamp": "now", "X-Signature-Ed25519": "zz"}
        assert (await discord.site.webhooks.send(address, b"{}", headers)).status == 401
        assert (await post({"type": 2, "token": "t"})).status == 400
        assert (await discord.site.webhooks.send(address, b"x" * 2_000_000, {})).status == 413
        assert (await post(ping)).payload == {"type": 1}, "and is as well as before"


def test_the_same_request_again_is_a_replay() -> None:
    key, now = Ed25519PrivateKey.generate(), 1_000_000.0
    known = create_signature_check(key.public_key().public_bytes_raw().hex(), lambda: now)
    signed = key.sign(b"1000000{}").hex()
    assert known.check("1000000", signed, b"{}") == ""
    assert known.check("1000000", signed, b"{}") == "replayed"
    assert known.check("1000000", signed.upper(), b"{}") == "replayed"
    assert known.check("1000001", signed, b"{}") == "bad signature"
    assert known.check("01000000", key.sign(b"01000000{}").hex(), b"{}") == "no timestamp"


def test_a_shut_thread_is_known_by_its_payload() -> None:
    shut = {"type": 11, "id": "9", "thread_metadata": {"archived": True, "locked": True}}
    event = {
        "id": "1", "token": "t", "application_id": "2", "type": 2, "guild_id": "5", "channel_id": "9", "channel": shut,
        "member": {"user": {"id": "3", "username": "anna"}, "permissions": "0"}, "app_permissions": "0",
    }  # fmt: skip
    with refuses("place-shut"):
        need_open_thread(read_payload(event))
    need_open_thread(
        read_payload({**event, "app_permissions": str(1 << 34)})
    )  # it may manage threads
    need_open_thread(
        read_payload(
            {**event, "channel": {**shut, "thread_metadata": {"archived": True, "locked": False}}}
        )
    )


def test_a_request_is_read_without_the_library() -> None:
    """A player in a thread, and one alone with the bot."""
    member = {
        "nick": "Vera",
        "permissions": "32",
        "user": {"id": "7", "username": "v", "global_name": "V"},
    }
    channel = {"id": "9", "type": 11, "name": "turn 3", "parent_id": "8"}
    common = {"id": "1", "token": "t", "application_id": "2", "type": 2, "app_permissions": "3072"}
    read = read_payload(
        {**common, "guild_id": "5", "channel_id": "9", "channel": channel, "member": member}
    )
    assert (read.where.key, read.who.key, read.who.name) == ("discord:5/9", "discord:7", "Vera")
    assert read.where.parent is not None
    assert read.where.parent.key == "discord:5/8"
    assert read.who.manager
    assert read.thread
    alone = read_payload(
        {**common, "channel_id": "9", "user": {"id": "7", "username": "v", "global_name": None}}
    )
    assert (alone.where.key, alone.who.name, alone.allowed) == ("discord:dm/9", "v", 3072)
