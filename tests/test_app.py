"""One command from end to end: once, in order, durable, bounded."""

from __future__ import annotations

import asyncio
import multiprocessing
import operator
import os
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app import App
from bot.odds_pool.pool import Worker
from bot.rules.expression.sum_parser import parse
from bot.runtime.settings import Settings
from bot.storage.base import DAY, StoreError
from bot.storage.records import Commit, Committed
from bot.storage.sqlite import SqliteStore, TemporaryStore
from bot.ui.spec import Command, Person, Place
from bot.verification.check_games import audit_games
from tests.fresh import fresh, fresh_app
from tests.playing import HERE, Channel, two_sides
from tests.refusing import refuses

ANNA = Person("console:anna", "Anna")
HOUR = 3600.0


async def events(app: App, place: Place = HERE) -> list[str]:
    """Kinds of a channel's events, in order."""
    loaded = await app.games.load_current(place.key)
    assert loaded is not None
    return [row.data["kind"] for row in await app.store.load_events(loaded.row)]


async def test_the_same_request_twenty_times_at_once_rolls_once_and_answers_once() -> None:
    app = await fresh_app()
    replies = await asyncio.gather(
        *(app.run_text("roll 2d6", ANNA, HERE, "same") for _ in range(20))
    )
    assert len({reply.title for reply in replies}) == 1
    assert [reply.seen for reply in replies].count(False) == 1, "one of them is to be posted"
    assert await events(app) == ["start", "roll"]


async def test_a_request_that_comes_again_after_a_restart_is_the_same_answer(
    tmp_path: Path,
) -> None:
    async with await SqliteStore.open(tmp_path / "games.db") as store:
        first = await App(store).run_text("roll 2d6", ANNA, HERE, "same", {"token": "t"})
    async with await SqliteStore.open(tmp_path / "games.db") as store:
        app = App(store)
        again = await app.run_text("roll 2d6", ANNA, HERE, "same", {"token": "t"})
        assert (again.title, again.seen, again.outbox) == (first.title, True, 0)
        assert await events(app) == ["start", "roll"]


async def test_an_undo_that_comes_twice_is_no_error_the_second_time() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll d6")
    app = channel.app
    first = await app.run_text("game undo", ANNA, HERE, "undo-1")
    again = await app.run_text("game undo", ANNA, HERE, "undo-1")
    assert not first.error
    assert again.title == first.title
    assert again.seen


async def test_commands_of_a_game_run_in_order_of_arrival() -> None:
    channel = await Channel.fresh()
    app = channel.app
    names = [f"text {number}" for number in range(30)]
    await asyncio.gather(
        *(app.run_text(f'roll d6 label="{name}"', ANNA, HERE, name) for name in names)
    )
    loaded = await app.games.load_current(HERE.key)
    assert loaded is not None
    texts = [row.text for row in await app.store.load_texts(loaded.row) if row.key == "label"]
    assert texts == names


async def test_games_run_side_by_side(tmp_path: Path) -> None:
    async with await SqliteStore.open(tmp_path / "games.db") as store:
        app = App(store)
        places = [Place(f"console:{number}") for number in range(20)]
        await asyncio.gather(
            *(app.run_text("roll d6", ANNA, place, place.key) for place in places for _ in range(1))
        )
        for place in places:
            assert await events(app, place) == ["start", "roll"]
        assert len(app.executor._queues) == 0, "a queue exists only while somebody waits"


async def test_what_was_not_posted_is_due_and_told_once() -> None:
    now = [1000.0]
    app = await fresh_app(lambda: now[0])
    reply = await app.run_text("roll 2d6", ANNA, HERE, "r1", {"token": "abc"})
    posted = await app.run_text("roll 2d6", ANNA, HERE, "r2", {"token": "def"})
    await app.answers.mark_delivered(posted)
    assert await app.answers.claim_due("console:") == [], "whoever ran it has time to post it"
    now[0] += 3600
    (due,) = await app.answers.claim_due("console:")
    assert (due.reply.title, due.place, due.delivery) == (reply.title, HERE.key, {"token": "abc"})
    assert await app.answers.claim_due("console:") == [], "one process gets it"
    await app.answers.mark_delivered(due.id)
    now[0] += 3600
    assert await app.answers.claim_due("console:") == []


async def test_a_bug_of_ours_is_one_line_with_a_reference(caplog: pytest.LogCaptureFixture) -> None:
    app = await fresh_app()

    async def broken(place: str) -> None:
        raise RuntimeError("boom")

    app.games.load_current = broken  # type: ignore[method-assign]
    reply = await app.run_text("roll 2d6", ANNA, HERE, "r1")
    assert reply.error
    assert reply.private
    reference = reply.title.split("reference ")[1].rstrip(").")
    assert reference in caplog.text
    assert "boom" in caplog.text
    assert "boom" not in reply.format_text()


async def test_input_is_bounded() -> None:
    app = await fresh_app()
    long = await app.run(Command(("roll",), {"dice": "d6", "label": "x" * 5000}, ANNA, HERE, "r1"))
    assert long.error
    many = await app.run(
        Command(("roll",), {f"o{number}": "1" for number in range(100)}, ANNA, HERE, "r2")
    )
    assert many.error
    assert (await app.run(Command((), {}, ANNA, HERE, "r3"))).error
    assert (await app.run(Command(("button", "nonsense"), {}, ANNA, HERE, "r4"))).error


async def test_a_system_that_is_not_enabled_here() -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", "setup systems lnlt", "not-manager")
    assert not (await channel.say("Anna", "setup systems nhis", manager=True)).error
    both = await channel.say("Anna", "setup systems nhis, ucn", manager=True)
    assert both.title == "Enabled here: nhis, ucn", (
        "without quotation marks, as it is written in the help"
    )
    reply = await channel.refused(
        "Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5"', "not-enabled"
    )
    assert "/setup systems" in reply.format_text()
    await channel.refused("Anna", "lnlt-table melee-odds attack=3 defense=2", "not-enabled")
    assert not (await channel.say("Anna", "setup systems all", manager=True)).error
    await channel.do("Anna", 'lnlt fire attackers="squad fp=2" targets="squad morale=5"')


async def test_completion_knows_the_channel() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Test", 'unit add "Squad 1..2" squad stats="morale=5"')
    app = channel.app
    units = await app.complete_option(("lnlt", "fire"), "attackers", "squ", {}, ANNA, HERE)
    assert {"Squad 1", "Squad 2"} <= {choice.value for choice in units}
    types = await app.complete_option(("unit", "add"), "type", "half", {}, ANNA, HERE)
    assert [choice.value for choice in types] == ["half-squad"]
    stats = await app.complete_option(
        ("unit", "edit"), "stats", "morale=4 state=sh", {}, ANNA, HERE
    )
    assert "morale=4 state=shaken" in [choice.value for choice in stats]


async def test_the_same_person_presses_again_twice_within_two_seconds() -> None:
    now = [1000.0]
    app = await fresh_app(steady=lambda: now[0])
    again = (await app.run_text("roll 2d6", ANNA, HERE, "r1")).buttons[0].action
    await app.press(again, ANNA, HERE, "p1")
    assert (await app.press(again, ANNA, HERE, "p1")).seen, "the same press, delivered twice"
    ignored = await app.press(again, ANNA, HERE, "p2")
    assert ignored.private
    assert ignored.code == "too-soon"
    other = await app.press(again, Person("console:bob", "Bob"), HERE, "p3")
    assert not other.error
    now[0] += 2.1
    assert not (await app.press(again, ANNA, HERE, "p4")).error
    assert await events(app) == ["start", "roll", "roll", "roll", "roll"]


@pytest.mark.parametrize("jump", [-30 * DAY, -3 * HOUR, 3 * HOUR, 30 * DAY])
async def test_again_waits_two_seconds_and_no_more_however_the_clock_is_set(jump: float) -> None:
    now, steady = [40 * DAY], [5.0]
    app = await fresh_app(lambda: now[0], lambda: steady[0])
    again = (await app.run_text("roll 2d6", ANNA, HERE, "r1")).buttons[0].action
    await app.press(again, ANNA, HERE, "p1")
    now[0] += jump
    assert (await app.press(again, ANNA, HERE, "p2")).error
    steady[0] += 2.1
    assert not (await app.press(again, ANNA, HERE, "p3")).error


async def test_a_button_undoes_its_event_once_and_says_so_to_whoever_presses_again() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll 2d6", "roll 2d6")
    under = await channel.under(3, "undo")
    first = await channel.press("Anna", under)
    assert first.first_line == "#3 is undone · Anna"
    for name in ("Anna", "Bob"):
        again = await channel.press(name, under)
        assert again.private
        assert again.title == "Already done: #3 is undone · Anna"
    assert (await events(channel.app))[-1] == "undo"
    stale = await channel.press("Anna", await channel.under(1, "undo"))
    assert stale.error
    assert stale.private


async def test_undo_redo_undo_goes_on_for_ever_under_one_message() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'lnlt fire attackers="Squad 1" targets="Cell 1"')
    number = (await channel.game()).last
    undo = await channel.under(number, "undo")
    for _ in range(3):
        asked = await channel.press("Anna", undo)
        assert asked.title == f"Anna asks to undo #{number}"
        assert (await channel.press("Anna", undo)).error, "they have already asked"
        taken = await channel.press("Bob", undo)
        assert taken.first_line == f"#{number} is undone · Anna asked, Bob agreed", (
            "the same button is consent"
        )
        assert (
            await channel.press("Bob", asked.buttons[0].action)
        ).title == f"Already done: {taken.first_line}"
        again = await channel.do("Anna", "game redo")
        back = await channel.press("Bob", again.buttons[0].action)
        assert back.first_line == f"#{number} is back · Anna asked, Bob agreed"
    assert (await channel.game()).last == number


async def test_a_strangers_refusal_never_answers_who_may_press(tmp_path: Path) -> None:
    """Carl, of no side, is a moment faster on Agree than Bob, whose it is: each is answered for
    himself.
    """
    async with await SqliteStore.open(tmp_path / "games.db") as store:
        channel = Channel(App(store))
        await two_sides(channel)
        await channel.do("Anna", "roll 2d6")
        asked = await channel.undo_last("Anna")
        carl, bob = await asyncio.gather(
            *(channel.press(name, asked.buttons[0].action) for name in ("Carl", "Bob"))
        )
        assert "Only Bob can agree" in carl.title
        assert "Anna asked, Bob agreed" in bob.first_line
        assert (await events(channel.app))[-1] == "undo"


@pytest.mark.parametrize("deletion", ["game delete confirm", "privacy delete confirm"])
async def test_a_duplicate_after_a_deletion_does_not_roll_again(
    tmp_path: Path, deletion: str
) -> None:
    async with await SqliteStore.open(tmp_path / "games.db") as store:
        app = App(store)
        await app.run_text("roll 2d6", ANNA, HERE, "r1", {"token": "t"})
        assert not (await app.run_text(deletion, ANNA, HERE, "r2")).error
        loaded = await app.games.load_current(HERE.key)
        before = [] if loaded is None else await events(app)
        for request in ("r1", "r1"):
            again = await app.run_text("roll 2d6", ANNA, HERE, request, {"token": "t"})
            assert again.private
            assert again.title.startswith(
                "That was already answered, and the answer has since been deleted."
            )
            assert not again.outbox
        assert (await app.run_text(deletion, ANNA, HERE, "r2")).seen, (
            "the deletion itself is answered as it was"
        )
        assert ([] if loaded is None else await events(app)) == before
        assert len(await store.list_games()) == (loaded is not None)


async def test_the_same_press_delivered_twice_takes_back_once() -> None:
    """Also when the second delivery comes after the event was brought back."""
    channel = await Channel.fresh()
    await channel.do("Anna", "roll 2d6")
    app, undo = channel.app, await channel.under(2, "undo")
    both = await asyncio.gather(*(app.press(undo, ANNA, HERE, "press-1") for _ in range(2)))
    assert sorted(reply.seen for reply in both) == [False, True]
    assert (await app.press(undo, ANNA, HERE, "press-1")).seen
    await channel.do("Anna", "game redo")
    late = await app.press(undo, ANNA, HERE, "press-1")
    assert late.seen
    assert (await events(app)) == ["start", "roll", "undo", "redo"]


async def test_odds_that_take_too_long_are_refused_kindly_and_the_next_are_counted() -> None:
    worker = Worker(seconds=1)
    try:
        with refuses("too-large"):
            await worker.run(sum, range(10**12))
        assert await worker.run(operator.neg, 4) == -4
        with refuses("bad-dice dice"):
            await worker.run(parse, "2d")
    finally:
        await worker.close()


HAMMERED = int(os.environ.get("GROGNARD_HAMMER", "50"))


def _hammer(path: str, name: str, count: int) -> None:
    """One process: rolls and adds units to the one game of a file, eight commands at a time."""

    async def main() -> None:
        app = App(await SqliteStore.open(Path(path)))
        who = Person(f"console:{name}", name)
        try:
            for start in range(0, count, 8):
                lines = [
                    (
                        f"roll 2d6 label={number}"
                        if number % 2
                        else f"unit add {name}-{number} squad",
                        number,
                    )
                    for number in range(start, min(start + 8, count))
                ]
                replies = await asyncio.gather(
                    *(app.run_text(line, who, HERE, f"{name}-{number}") for line, number in lines)
                )
                assert not [reply.format_text() for reply in replies if reply.error]
        finally:
            await app.close()

    asyncio.run(main())


@pytest.mark.slow
async def test_two_processes_hammer_one_game(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    async with await SqliteStore.open(path) as store:
        app = App(store)
        await app.run_text("game start lnlt Test", ANNA, HERE, "start")
        context = multiprocessing.get_context("spawn")
        processes = [
            context.Process(target=_hammer, args=(str(path), name, HAMMERED)) for name in ("x", "y")
        ]
        for process in processes:
            process.start()
        for process in processes:
            await asyncio.to_thread(process.join, 60)
            assert process.exitcode == 0
        loaded = await app.games.load_current(HERE.key)
        assert loaded is not None
        assert len(loaded.game.units) == HAMMERED, "no lost update"
        rows = await store.load_events(loaded.row)
        assert [row.number for row in rows] == list(range(1, 2 * HAMMERED + 2))
        assert await audit_games(store) == (1, [])


async def test_without_a_place_for_the_database_games_last_as_long_as_the_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for _ in range(2):
        app = await App.open(Settings(database=None))
        assert not (await app.run_text("roll 2d6", ANNA, HERE, "r1")).seen
        assert await events(app) == ["start", "roll"]
        await app.close()
    assert os.listdir(tmp_path) == []


async def test_a_reply_says_how_it_stands_with_its_delivery() -> None:
    app = await fresh_app()
    bare = await app.run_text("roll d6", ANNA, HERE, "r1")
    assert bare.outbox == 0
    kept = await app.run_text("roll d6", ANNA, HERE, "r2", {"token": "t"})
    assert kept.outbox
    assert replace(kept, outbox=0) == kept


class FullDisk(TemporaryStore):
    """A store that can be read but not written."""

    is_full = False

    async def commit(self, commit: Commit) -> Committed:
        if self.is_full:
            raise StoreError("The disk is full. None of it was saved.", hint="Make room.")
        return await super().commit(commit)


async def test_what_cannot_be_stored_is_not_answered_and_changes_nothing() -> None:
    store = await fresh(FullDisk)
    channel = Channel(App(store))
    await channel.do("Anna", "roll d6", 'unit add "A" crewman')
    before = await channel.content()
    store.is_full = True
    for line in ("roll 2d6 secret", "unit edit A state=killed", "game undo"):
        reply = await channel.refused("Anna", line, "store-failed disk")
        assert "=" not in reply.title, "no die is told"
    assert await channel.content() == before
    store.is_full = False
    number = (await channel.game()).number
    await channel.do("Anna", "unit edit A state=killed")
    assert (await channel.game()).number == number + 1


async def test_a_flag_that_is_neither_yes_nor_no_is_refused_before_any_die() -> None:
    channel = await Channel.fresh()
    sides = {"attackers": "squad fp=3", "defenders": "squad fp=2"}
    for path, options in (
        (("lnlt", "melee"), sides | {"odds": "perhaps"}),
        (("roll",), {"dice": "d6", "secret": "2"}),
    ):
        reply = await channel.app.run(Command(path, options, ANNA, HERE, path[-1]))
        assert reply.error
        assert str(options.get("odds") or options["secret"]) in reply.format_text()
    assert await channel.app.games.load_current(HERE.key) is None
