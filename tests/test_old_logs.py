"""Logs that earlier releases exported are sound for ever, whatever is added since."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.app import App
from bot.audit.check_file import check
from bot.audit.games import audit
from bot.game.events import replay
from bot.stores.sqlite import open_sqlite
from tests.playing import Channel
from tools import verify_log

LOGS = sorted((Path(__file__).parent / "data" / "logs").glob("*.json"))


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.stem)
def test_a_log_of_an_earlier_release_is_sound(file: Path) -> None:
    """All systems turn by turn, free play, one that was imported: exported by the first release, and with dice of
    protocol 2 by the first that had it; and a game that went on from one protocol to the other."""
    log = json.loads(file.read_text("utf-8"))
    found = check(log, [log["head"], f"#{log['events'][4]['number']} {log['events'][4]['hash'][:8]}"])
    assert found.faults == ()
    assert found.status in (0, 3), "an outcome of an older edition is not played again"
    assert found.dice + found.waiting > 0
    assert verify_log.check(log)[0] == []


def test_each_protocol_has_its_logs() -> None:
    """The dice of a log are those of the protocol that each of its seeds was promised under."""
    protocols = {file.stem: _protocols(file) for file in LOGS}
    assert all(set(protocols[name]) == {1} for name in ("asl", "baps", "free", "lnlt", "nhis", "ucn"))
    assert all(set(protocols[f"{name}-2"]) == {2} for name in ("asl", "baps", "free", "lnlt", "nhis", "ucn"))
    assert protocols["goes-on"] == [1, 2, 2]


def _protocols(file: Path) -> list[int]:
    events = json.loads(file.read_text("utf-8"))["events"]
    secrets = [event["body"]["secret"] for event in events if "secret" in event["body"]]
    return [secret.get("protocol", 1) for secret in secrets if "commitment" in secret]


STANDS = {
    "asl-2": (34, ()),
    "asl-3": (25, ()),
    "asl": (35, ()),
    "baps-2": (46, ()),
    "baps-3": (26, ()),
    "baps": (37, ()),
    "free-2": (15, ()),
    "free": (16, ()),
    "goes-on": (23, ()),
    "imported": (28, ()),
    "lnlt-2": (41, ()),
    "lnlt-3": (27, ()),
    "lnlt": (38, ()),
    "nhis-2": (42, ()),
    "nhis-3": (23, ()),
    "nhis": (37, ()),
    "ucn-2": (43, ()),
    "ucn-3": (31, ()),
    "ucn": (39, ()),
}
"""Of each log the last event that holds, and what can be brought back, as the release that wrote it read them."""


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.stem)
def test_a_log_of_an_earlier_release_is_read_by_its_rules(file: Path) -> None:
    log = json.loads(file.read_text("utf-8"))
    game = replay(log["game"], (row["body"] for row in log["events"]))
    assert (game.last, game.redo) == STANDS[file.stem]


async def test_a_database_of_before_opens_and_its_open_request_is_answered(tmp_path: Path) -> None:
    """Anna had fired and asked to take it back; Bob agrees after the update, and it comes back as well."""
    path = tmp_path / "games.db"
    with closing(sqlite3.connect(path)) as old:
        old.executescript((Path(__file__).parent / "data" / "games-of-edition-2.sql").read_text("utf-8"))
    async with open_sqlite(path) as store:
        channel = Channel(App(store), prefix="later")
        fired = (await channel.game()).units
        taken = await channel.do("Bob", "game undo")
        assert taken.first == "#8 is undone · Anna asked, Bob agreed"
        assert (await channel.game()).units != fired
        await channel.do("Anna", "game redo")
        assert (await channel.do("Bob", "game redo")).first.startswith("#8 is back")
        assert (await channel.game()).units == fired
        assert await audit(store) == (1, [])


def test_there_are_logs_to_check() -> None:
    assert len(LOGS) >= 14
