"""Logs that earlier releases exported are sound for ever, whatever is added since."""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.app import App
from bot.audit.check_file import AN_OLD_PAGE, check, check_file
from bot.audit.check_games import audit
from bot.game.events import replay
from bot.interface.spec import Command
from bot.stores.sqlite import SqliteStore
from tests.playing import Channel
from tests.random_play import exported_text
from tools import verify_log

DATA = Path(__file__).parent / "data"
LOGS, PAGES = sorted((DATA / "logs").glob("*.json")), sorted((DATA / "pages").glob("*.html.gz"))


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
    "linked-3": (18, ()),
    "lnlt-2": (41, ()),
    "lnlt-3": (27, ()),
    "lnlt": (38, ()),
    "nhis-2": (42, ()),
    "nhis-3": (23, ()),
    "nhis": (37, ()),
    "pack-3": (9, (10,)),
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


@pytest.mark.sample(6)
@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.stem)
async def test_a_log_of_an_earlier_release_is_imported_and_goes_on(file: Path) -> None:
    """What is played, taken back and brought back on top makes it a log of today that both verifiers take."""
    channel, text = await Channel.fresh(), await asyncio.to_thread(file.read_text, "utf-8")
    imported = Command(("game", "import"), {"file": text}, channel.who("Anna", manager=True), channel.place, "import")
    assert not (reply := await channel.app.run(imported)).error, reply.text()
    if (await channel.game()).ended:
        await channel.do("Anna", "game resume")
    added = [await channel.say("Anna", f"unit add Zed {kind}") for kind in ("squad", "soldier", "element", "rifles")]
    assert not all(reply.error for reply in added)
    await channel.do("Anna", "game undo", "game redo", "roll 2d6")
    log = json.loads(await exported_text(channel))
    assert log["version"] == 2
    assert check(log).faults == ()
    assert verify_log.check(log)[0] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name.partition(".")[0])
def test_a_page_of_an_earlier_release_is_checked_as_far_as_it_goes(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It shows numbers, sides, marks and dice where pages show them still; of its words the verifiers say that nothing
    proves them."""
    found = check_file(page)
    assert (found.faults, found.status) == ((), 3)
    assert AN_OLD_PAGE in found.remarks
    assert verify_log.main([str(page)]) == 3
    assert "An older Grognard made this page" in capsys.readouterr().out
    bent, text = tmp_path / "bent.html", gzip.decompress(page.read_bytes()).decode()
    for old, new in (('"no">#8<', '"no">#9<'), ('"sd">US<', '"sd">VC<'), ('<span class="tag">sealed</span>', "")):
        assert old in text
        bent.write_text(text.replace(old, new, 1), "utf-8")
        assert (check_file(bent).status, verify_log.main([str(bent)])) == (1, 1)


async def test_a_page_of_today_is_not_taken_for_an_older_one(tmp_path: Path) -> None:
    channel, path = await Channel.fresh(), tmp_path / "page.html"
    await channel.do("Anna", "roll 2d6")
    text = (await channel.do("Anna", "game export html")).files[0].text
    path.write_text(text.replace("FACTS = ", "FACT = "), "utf-8")
    assert (check_file(path).status, verify_log.main([str(path)])) == (1, 1)


async def test_a_database_of_before_opens_and_its_open_request_is_answered(tmp_path: Path) -> None:
    """Anna had fired and asked to take it back; Bob agrees after the update, and it comes back as well."""
    path = tmp_path / "games.db"
    with closing(sqlite3.connect(path)) as old:
        old.executescript((DATA / "games-of-edition-2.sql").read_text("utf-8"))
    async with await SqliteStore.open(path) as store:
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
    assert (len(LOGS) >= 21, len(PAGES)) == (True, 2)
