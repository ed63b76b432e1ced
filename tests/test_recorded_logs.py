"""Recorded logs are sound for ever and go on, whatever is added after them.

They are random games made by `tests.random_play.exported`. All but `unpublished` publish the seeds
of all their dice. From the first release on none of them is
written again: new ones are added.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.app import App
from bot.game.events import replay
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Command
from bot.verification.check_file import check, check_file
from bot.verification.check_games import audit_games
from tests.playing import Channel
from tests.random_play import exported_text
from tests.recorded_logs_helpers import (
    DATA,
    LOGS,
)
from tools import verify_log


class Recorded(NamedTuple):
    """The last event of a log that holds, the events that redo can bring back, and its dice.

    `dice` are computed again from the published seeds; the seed of `waiting` is not published.
    """

    last: int
    redo: tuple[int, ...]
    dice: int
    waiting: int = 0


RECORDED = {
    "asl": Recorded(30, (26,), dice=18),
    "baps": Recorded(40, (36,), dice=37),
    "imported": Recorded(51, (), dice=46),
    "lnlt": Recorded(35, (), dice=16),
    "nhis": Recorded(33, (), dice=14),
    "ucn": Recorded(35, (), dice=33),
    "unpublished": Recorded(37, (34, 33), dice=0, waiting=28),
}


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.stem)
def test_a_recorded_log_is_sound(file: Path) -> None:
    log = json.loads(file.read_text("utf-8"))
    found = check(
        log, [log["head"], f"#{log['events'][4]['number']} {log['events'][4]['hash'][:8]}"]
    )
    assert found.faults == ()
    assert found.status in (0, 3), "an outcome of an older edition is not played again"
    recorded = RECORDED[file.stem]
    assert (found.dice, found.waiting) == (recorded.dice, recorded.waiting)
    assert verify_log.check(log).faults == []


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.stem)
def test_a_recorded_log_leads_to_the_same_state(file: Path) -> None:
    log = json.loads(file.read_text("utf-8"))
    game = replay(log["game"], (row["body"] for row in log["events"]))
    recorded = RECORDED[file.stem]
    assert (game.last, game.redo) == (recorded.last, recorded.redo)


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.stem)
async def test_a_recorded_log_is_imported_and_goes_on(file: Path) -> None:
    """After more play, an undo and a redo it is a log of today, and both verifiers accept it."""
    channel, text = await Channel.fresh(), await asyncio.to_thread(file.read_text, "utf-8")
    imported = Command(
        ("game", "import"),
        {"file": text},
        channel.who("Anna", manager=True),
        channel.place,
        "import",
    )
    assert not (reply := await channel.app.run(imported)).error, reply.format_text()
    if (await channel.game()).ended:
        await channel.do("Anna", "game resume")
    added = [
        await channel.say("Anna", f"unit add Zed {kind}")
        for kind in ("squad", "soldier", "element", "rifles")
    ]
    assert not all(reply.error for reply in added)
    await channel.do("Anna", "game undo", "game redo", "roll 2d6")
    log = json.loads(await exported_text(channel))
    assert log["version"] == 2
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []


async def test_a_page_without_its_facts_is_refused(tmp_path: Path) -> None:
    channel, path = await Channel.fresh(), tmp_path / "page.html"
    await channel.do("Anna", "roll 2d6")
    text = (await channel.do("Anna", "game export html")).files[0].text
    path.write_text(text.replace("FACTS = ", "FACT = "), "utf-8")
    assert check_file(path).status == 1


async def test_a_database_of_before_opens_and_its_open_request_is_answered(tmp_path: Path) -> None:
    """Anna had fired and asked to take it back; Bob agrees after the update, and it comes back
    as well.
    """
    path = tmp_path / "games.db"
    with closing(sqlite3.connect(path)) as old:
        old.executescript((DATA / "games-of-edition-2.sql").read_text("utf-8"))
    async with await SqliteStore.open(path) as store:
        channel = Channel(App(store), prefix="later")
        fired = (await channel.game()).units
        taken = await channel.do("Bob", "game undo")
        assert taken.first_line == "#8 is undone · Anna asked, Bob agreed"
        assert (await channel.game()).units != fired
        await channel.do("Anna", "game redo")
        assert (await channel.do("Bob", "game redo")).first_line.startswith("#8 is back")
        assert (await channel.game()).units == fired
        assert await audit_games(store) == (1, [])


def test_there_are_logs_to_check() -> None:
    assert {file.stem for file in LOGS} == RECORDED.keys()
