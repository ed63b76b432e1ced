"""While nothing can be saved dice still roll, and say that they are not recorded; nothing claims
to be saved.
"""

from __future__ import annotations

import pytest

from bot.app import App
from bot.execution.promises import NOTE
from bot.storage.base import StoreError
from bot.storage.postgres.faults import BUSY, Unreachable, build_store_error
from bot.storage.sqlite import TemporaryStore
from bot.storage.sqlite.faults import DiskFault, Gone, Locked
from bot.ui.reply.reply import Reply
from tests.fresh import fresh_store
from tests.playing import Channel, two_sides

FULL = StoreError("The database cannot grow, because the disk is full. None of it was saved.")


class Table:
    """A channel whose store can be made to fail."""

    def __init__(self, store: TemporaryStore, patch: pytest.MonkeyPatch) -> None:
        self.store, self.patch = store, patch
        self.channel = Channel(App(store))

    def fails(self, error: Exception, *methods: str) -> None:
        async def fail(*_: object, **__: object) -> None:
            raise error

        for method in methods or ("commit",):
            self.patch.setattr(self.store, method, fail)

    async def say(self, line: str) -> Reply:
        return await self.channel.say("Anna", line)

    async def log(self) -> str:
        self.patch.undo()
        return (await self.channel.do("Anna", "log")).format_text()


@pytest.fixture
async def table(monkeypatch: pytest.MonkeyPatch) -> Table:
    return Table(await fresh_store(), monkeypatch)


async def test_a_roll_on_a_full_disk_is_thrown_and_marked(table: Table) -> None:
    await table.say("roll 2d6 label=before")
    table.fails(FULL)
    reply = await table.say("roll 3d6 label=meanwhile")
    assert not reply.error
    assert not reply.private
    assert reply.title.endswith("for meanwhile")
    assert reply.lines[-1] == NOTE
    assert reply.footer == (), "it has no number"
    assert (reply.buttons, reply.menus, reply.outbox) == ((), (), 0), (
        "nothing to undo, nothing on its way"
    )
    log = await table.log()
    assert "before" in log
    assert "meanwhile" not in log


@pytest.mark.parametrize(
    "line",
    [
        "lnlt fire attackers='squad fp=2' targets='squad morale=4'",
        "lnlt-table melee-odds attack=7 defense=5",
    ],
)
async def test_sequences_typed_in_full_and_tables_need_no_store(table: Table, line: str) -> None:
    table.fails(FULL)
    table.fails(FULL, "load_game_version", "load_game", "load_doc")
    reply = await table.say(line.replace("'", '"'))
    assert not reply.error, reply.format_text()
    assert (reply.lines[-1] == NOTE) is ("fire" in line), "a table that is read is never in the log"


async def test_a_unit_of_the_roster_needs_the_game_and_nothing_changes(table: Table) -> None:
    await two_sides(table.channel)
    table.fails(FULL)
    for line in (
        "lnlt fire attackers=us1 targets=vc1",
        "unit edit us1 morale=2",
        "roll 2d6 secret",
        "game pass",
    ):
        reply = await table.say(line)
        assert reply.error, line
        assert reply.private
        assert "None of it was saved" in reply.format_text()


async def test_the_same_request_shows_the_same_dice(table: Table) -> None:
    table.fails(FULL)
    channel = table.channel
    app, who, where = channel.app, channel.who("Anna"), channel.place
    first = await app.run_text("roll 20d6", who, where, "discord:1")
    again = await app.run_text("roll 20d6", who, where, "discord:1")
    other = await app.run_text("roll 20d6", who, where, "discord:2")
    assert again.seen
    assert again.format_text() == first.format_text() != other.format_text()
    table.patch.undo()
    late = await app.run_text("roll 20d6", who, where, "discord:1")
    assert late.format_text() == first.format_text(), (
        "also when the store is back: one request rolls once"
    )


@pytest.mark.parametrize("error", [Unreachable(), DiskFault("The disk reports an error.")])
async def test_what_may_have_been_stored_is_not_thrown_again(
    table: Table, error: StoreError
) -> None:
    passed = table.store.commit

    async def breaks(commit: object) -> None:
        await passed(commit)  # type: ignore[arg-type]
        raise error

    table.patch.setattr(table.store, "commit", breaks)
    table.fails(error, "load_earlier_reply")
    reply = await table.say("roll 2d6 label=perhaps")
    assert reply.error
    assert "perhaps" in await table.log()


@pytest.mark.parametrize("error", [Locked("The database is locked by another program."), Gone()])
async def test_what_is_over_in_a_moment_is_not_worth_dice_outside_the_log(
    table: Table, error: StoreError
) -> None:
    table.fails(error)
    reply = await table.say("roll 2d6")
    assert reply.error
    assert reply.private


async def test_a_server_that_is_away_before_anything_was_sent(table: Table) -> None:
    table.fails(Unreachable(), "load_game_version", "load_game", "load_doc", "load_earlier_reply")
    reply = await table.say("roll 2d6")
    assert reply.lines[-1] == NOTE


@pytest.mark.parametrize("code", ["22P05", "22021", "23505", "42P01", "55P03", "57014"])
async def test_a_database_that_is_well_gives_nobody_dice_without_a_record(
    table: Table, code: str
) -> None:
    """What it does not take is our fault, and a locked row is over in a moment: either way no die
    falls, or somebody who found such a text could see a roll, dislike it and try again."""
    table.fails(build_store_error(code, "..."))
    reply = await table.say("roll 2d6")
    assert reply.error
    assert reply.code == ("busy" if code in BUSY else "our-fault")
    assert NOTE not in reply.format_text()


async def test_each_answer_without_a_record_is_in_the_hosts_log(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.fails(build_store_error("57P03", "the database system is shutting down"))
    assert NOTE in (await table.say("roll 2d6")).lines
    assert "dice without a record: /roll" in caplog.text
