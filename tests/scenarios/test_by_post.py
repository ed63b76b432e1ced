"""A game by post, weeks of it in seconds: reminders as each wishes, nothing at night, nothing
twice, also behind a restart."""

from __future__ import annotations

import json
from datetime import datetime
from random import Random
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from adapters.discord.text import format_line as discord_line
from bot.app import App
from bot.commands.by_post.reminders import ReminderSettings, list_deadlines, list_waiting_players
from bot.game.state import WAITED, Game
from bot.outbox.waiting_answers import DueAnswer
from bot.storage.base import DAY
from bot.storage.store import Store
from bot.ui.reply.parts import Entry, Group, Happened
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Path, Place
from bot.verification.check_file import check
from tests.forging import rechained
from tests.fresh import fresh_store
from tests.playing import Channel
from tests.random_play import exported_text

pytestmark = pytest.mark.scenes(15)

HOUR, MINUTE = 3600.0, 60.0
BERLIN = ZoneInfo("Europe/Berlin")
MORNING = datetime(2026, 3, 2, 9, 0, tzinfo=BERLIN).timestamp()


class Post:
    """A game of Alice (US) and Bob (VC), its clock, and what was posted in its channel or to
    somebody.
    """

    def __init__(self, store: Store, now: list[float], channel: Channel) -> None:
        self.store, self.now, self.channel = store, now, channel
        self.posted: list[tuple[float, DueAnswer]] = []
        self.places = (channel.place.key, "console:alice", "console:bob")

    @classmethod
    async def begin(cls) -> Post:
        now = [MORNING]
        store = await fresh_store(lambda: now[0])
        post = cls(store, now, Channel(App(store, lambda: now[0], lambda: now[0])))
        await post.channel.do("Alice", 'game start lnlt "Hill 875" sides="US, VC"', "game join US")
        await post.channel.do("Bob", "game join VC")
        return post

    def restart(self) -> None:
        """Another process goes on with the same data."""
        self.channel.app = self.process()

    def command(self, name: str, path: Path, options: dict[str, object]) -> Command:
        """A command as an adapter makes it."""
        return Command(
            path, options, self.channel.who(name, manager=True), self.channel.place, f"{name}{path}"
        )

    def process(self) -> App:
        return App(self.store, lambda: self.now[0], lambda: self.now[0])

    async def passes(self, hours: float, step: float = 10 * MINUTE) -> list[Reply]:
        """What comes while time passes."""
        until, before = self.now[0] + hours * HOUR, len(self.posted)
        while self.now[0] < until:
            self.now[0] = min(until, self.now[0] + step)
            await self.look()
        return [due.reply for _, due in self.posted[before:]]

    async def look(self) -> None:
        await self.channel.app.due_work.look()
        for due in await self.channel.app.answers.claim_due("console:"):
            if not due.is_too_late and not due.amends:
                self.posted.append((self.now[0], due))
            await self.channel.app.answers.mark_delivered(due.id, spot={"message": due.id})

    def local_hours(self) -> list[int]:
        return [datetime.fromtimestamp(at, BERLIN).hour for at, _ in self.posted]


async def in_operations(post: Post) -> None:
    await post.channel.do("Alice", "game initiative US", "game next")


def action(reply: Reply, label: str) -> str:
    return next(button.action for button in reply.buttons if button.label == label)


async def test_a_reminder_comes_after_5_minutes_then_as_wished_and_three_times_at_most() -> None:
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=4h quiet=22-7 zone=Europe/Berlin")
    await in_operations(post)
    await post.channel.do("Alice", "lnlt initiative hand=5,2", "game pass done")
    assert await post.passes(4 / 60, MINUTE) == []
    (first,) = await post.passes(2 / 60, MINUTE)
    assert first.title == "Hill 875 is waiting for you"
    assert first.by == "it became your move 2 Mar 2026, 08:00 UTC"
    assert first.format_body() == ["Last: US keeps the initiative · #6", "Turn 1, Operations"]
    assert first.footer == ("Reminder 1 of 3",)
    assert first.mention == ("console:bob",)
    assert [button.label for button in first.buttons] == ["In 4 hours", "Tomorrow", "Stop"]
    later = await post.passes(3 * 24)
    assert [reply.footer for reply in later] == [("Reminder 2 of 3",), ("Reminder 3 of 3",)]
    assert [due.place for _, due in post.posted] == [post.channel.place.key] * 3


async def test_nobody_is_reminded_who_never_asked_for_it() -> None:
    post = await Post.begin()
    await in_operations(post)
    await post.passes(0.2)
    over = await post.channel.do("Alice", "game pass done")
    assert over.mention == ("console:bob",)
    assert await post.passes(48, HOUR) == []
    shown = await post.channel.do("Bob", "me show")
    assert shown.title == "Reminders are off"
    assert "form:me ping" in [button.action for button in shown.buttons]


@pytest.mark.parametrize("hours", ["zone=Europe/Berlin", "quiet=23-6", "quiet=23-6 zone=UTC"])
async def test_hours_alone_change_nothing_but_the_hours(hours: str) -> None:
    post = await Post.begin()
    saved = await post.channel.do("Bob", f"me ping {hours}")
    assert saved.title == "Your hours are saved; reminders stay off"
    assert (await post.channel.do("Bob", "me show")).title == "Reminders are off"
    await post.channel.do("Bob", "me ping interval=9h")
    kept = await post.channel.do("Bob", f"me ping {hours}")
    assert kept.title == "You'll get reminders"
    assert "then every 9 hours" in kept.format_text()
    await post.channel.do("Bob", "me ping interval=off")
    assert "stay off" in (await post.channel.do("Bob", f"me ping {hours}")).title
    assert (await post.channel.do("Bob", "me ping where=dm")).title == "You'll get reminders"


async def test_a_whole_day_is_no_quiet_hours_and_whoever_kept_one_is_reminded() -> None:
    """Hours that never end would be looked through for their end for ever, and the bot with
    them.
    """
    post = await Post.begin()
    await in_operations(post)
    for hours in ("0-24", "24-0", "0:00-24:00", "22-22", "23:60-7"):
        refused = await post.channel.say("Bob", f"me ping interval=1h quiet={hours}")
        assert refused.title == f'"{hours}" is not a range of hours in a day.', hours
    assert (
        "Quiet hours: 23:59 to 00:00, UTC"
        in (await post.channel.do("Bob", "me ping 1h quiet=23:59-24")).format_body()
    )
    kept = ReminderSettings(1, (0, 0))  # as it was taken once
    assert (kept.is_quiet(0), kept.skip_quiet_hours(60)) == (False, 60)
    assert (
        "There is no time zone"
        in (await post.channel.say("Bob", "me ping 1h zone=localtime")).title
    )


async def test_nothing_comes_at_night_in_the_clock_of_whoever_sleeps() -> None:
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=3h quiet=22-7 zone=berlin")
    await in_operations(post)
    await post.passes(12.95)  # 21:57 in Berlin
    await post.channel.do("Alice", "game pass done")
    assert await post.passes(9) == []
    (first,) = await post.passes(0.2)
    assert first.footer == ("Reminder 1 of 3",)
    assert post.local_hours() == [7]


async def test_a_reminder_goes_as_soon_as_the_go_has_passed_on() -> None:
    """Also one that no platform has taken yet: it is never posted."""
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=1h quiet=off")
    await in_operations(post)
    await post.channel.do("Alice", "game pass done")
    post.now[0] += 6 * MINUTE
    await post.channel.app.due_work.look()
    await post.channel.do("Bob", "game pass done")
    assert await post.passes(24, HOUR) == []


async def test_a_posted_reminder_is_struck_through_when_the_go_passes_on() -> None:
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=1h quiet=off where=dm")
    await in_operations(post)
    await post.channel.do("Alice", "game pass done")
    (first,) = await post.passes(0.2)
    assert post.posted[0][1].place == "console:bob"
    assert first.mention == ()
    assert (first.buttons[0].label, first.buttons[0].action) == (
        "Open the game",
        "goto:console:main",
    )
    await post.channel.do("Bob", "game pass done")
    (struck,) = await post.channel.app.answers.claim_due("console:bob")
    assert (struck.reply.over, struck.reply.title) == (
        "No longer your move",
        "Hill 875 is waiting for you",
    )


async def test_snooze_stop_and_tomorrow() -> None:
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=1h quiet=off zone=Europe/Berlin")
    await in_operations(post)
    await post.channel.do("Alice", "game pass done")
    (first,) = await post.passes(0.2)
    assert (await post.channel.press("Alice", action(first, "Stop"))).code == "not-yours"
    snoozed = await post.channel.press("Bob", action(first, "In 4 hours"))
    assert snoozed.format_body() == ["Your next reminder comes 2 Mar 2026, 12:12 UTC."]
    assert await post.passes(3.9) == []
    (second,) = await post.passes(0.3)
    await post.channel.press("Bob", action(second, "Tomorrow"))
    assert await post.passes(18) == []
    (third,) = await post.passes(2)
    assert (third.footer, post.local_hours()[-1]) == (("Reminder 3 of 3",), 9)
    other = await Post.begin()
    await other.channel.do("Bob", "me ping interval=1h quiet=off")
    await in_operations(other)
    await other.channel.do("Alice", "game pass done")
    (reminder,) = await other.passes(0.2)
    stopped = await other.channel.press("Bob", action(reminder, "Stop"))
    assert stopped.in_place
    assert stopped.format_body() == ["No more reminders for this move."]
    assert await other.passes(48, HOUR) == []


async def test_after_downtime_a_reminder_is_late_and_says_so_and_comes_once_from_two_processes() -> (
    None
):
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=4h quiet=22-7 zone=Europe/Berlin")
    await in_operations(post)
    await post.channel.do("Alice", "game pass done")
    post.now[0] += 3 * HOUR
    one, other = post.process(), post.process()
    await one.due_work.look()
    await other.due_work.look()
    post.restart()
    (late,) = await post.passes(0.1)
    assert late.format_body()[-1] == "Late: Grognard was not running when this was due."
    assert await post.passes(3.5) == []


async def test_a_reminder_that_no_platform_took_in_time_is_not_posted_at_night() -> None:
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=4h quiet=22-7 zone=Europe/Berlin")
    await in_operations(post)
    post.now[0] += 12.8 * HOUR
    await post.channel.do("Alice", "game pass done")
    post.now[0] += 6 * MINUTE
    await post.channel.app.due_work.look()  # 21:54; the platform is away until midnight
    post.now[0] += 2 * HOUR
    (due,) = await post.channel.app.answers.claim_due("console:")
    assert due.is_too_late


async def test_wishes_are_personal_data() -> None:
    post = await Post.begin()
    await in_operations(post)
    await post.channel.do("Alice", "game pass done")
    await post.channel.do("Bob", "me ping interval=1h quiet=off")
    exported = await post.channel.do("Bob", "privacy export")
    assert '"interval": 1' in exported.files[0].text
    assert '"kind": "remind"' in exported.files[0].text
    await post.channel.do("Bob", "privacy delete confirm")
    assert await post.passes(24, HOUR) == []
    assert (await post.channel.do("Bob", "me show")).title == "Reminders are off"


async def test_my_games_wherever_they_are_with_whose_go_it_is() -> None:
    post = await Post.begin()
    await in_operations(post)
    mine = await post.channel.do("Alice", "me games")
    assert mine.title == "It's your move in 1 of 1 game"
    assert mine.format_body() == [
        "Hill 875 · US · this channel",
        "Your move · turn 1, Operations phase · #5 · turn passed: 2 Mar 2026, 08:00 UTC",
    ]
    theirs = await post.channel.press("Bob", "mygames:")
    assert theirs.format_body() == [
        "Hill 875 · VC · this channel",
        "US to play · turn 1, Operations phase · #5 · turn passed: 2 Mar 2026, 08:00 UTC",
    ]
    assert theirs.lines[0].action == "goto:console:main"  # type: ignore[union-attr]
    assert (await post.channel.do("Cora", "me games")).title == "You're not in a game right now"


async def test_two_games_of_one_scenario_are_told_apart_by_their_channels() -> None:
    table = Channel(App(await fresh_store()))
    for number, name in enumerate(("#ford-1", "#ford-2")):
        channel = Place(f"discord:5/{number}", "discord:5", f"{name} of Club")
        table.place = channel
        await table.do("Alice", "game start scenario=ford", "game join US")
    mine = await table.do("Alice", "me games")
    entries = [part for part in mine.lines if isinstance(part, Entry)]
    assert {entry.title for entry in entries} == {"The Ford at Dawn"}
    assert {entry.about for entry in entries} == {
        "US · #ford-1 of Club",
        "US · this channel",
    }


async def test_what_is_no_wish_is_refused_with_an_example() -> None:
    post = await Post.begin()
    for line, option in (
        ("interval=often", "interval"),
        ("quiet=nights", "quiet"),
        ("zone=Berlon", "zone"),
    ):
        refused = await post.channel.refused("Bob", f"me ping {line}", f"bad-value {option}")
        assert refused.lines


async def verified(post: Post) -> str:
    """The exported game, which both verifiers find sound."""
    text = await exported_text(post.channel)
    faults = check(json.loads(text)).faults
    assert list(faults) == []
    return text


async def test_orders_are_sealed_until_both_sides_are_in_and_opened_together() -> None:
    post = await Post.begin()
    await post.channel.do("Alice", 'unit add "Squad 3" squad US morale=5 fp=2')
    sealed = await post.channel.do(
        "Alice", 'order write "Squads 3 + 4 advance to H5" command="roll 2d6"'
    )
    assert (sealed.private, sealed.title) == (True, "Your orders are sealed")
    card = sealed.announce
    assert card is not None
    assert card.first_line == "Orders for turn 1: US is in, VC isn't in yet · all open together"
    assert "H5" not in card.format_text()
    assert card.mention == ("console:bob",)
    assert [button.label for button in card.buttons] == ["Write orders", "Mine", "Proof"]
    own = await post.channel.press("Alice", action(card, "Mine"))
    assert own.format_body() == ["Yours: Squads 3 + 4 advance to H5 · ready: /roll 2d6"]
    assert (
        await post.channel.press("Bob", action(card, "Mine"))
    ).title == "You have written no orders yet"
    assert "H5" not in await verified(post), "only its hash is in the file"
    for who in ("Alice", "Bob"):
        await post.channel.refused(who, "order open", "not-all-in")
    assert "H5" not in (await post.channel.do("Bob", "log")).format_text()

    opened = (await post.channel.do("Bob", 'order write "Squad 6 falls back to J6"')).announce
    assert opened is not None
    assert opened.first_line == "Orders for turn 1 are open · US and VC"
    assert opened.format_body() == [
        "US: Squads 3 + 4 advance to H5 · ready: /roll 2d6",
        "VC: Squad 6 falls back to J6",
    ]
    assert opened.mention == ("console:alice",)
    assert (await post.channel.press("Bob", action(opened, "Alice: /roll"))).code == "not-yours"
    rolled = await post.channel.press("Alice", action(opened, "Alice: /roll"))
    assert not rolled.error
    await post.channel.refused("Alice", "order open", "no-orders")
    assert "H5" in await verified(post)


async def test_whoever_writes_again_before_they_open_writes_in_place_of_the_first() -> None:
    post = await Post.begin()
    await post.channel.do("Alice", 'order write "to H5"')
    again = await post.channel.do("Alice", 'order write "to G4"')
    assert again.title == "Your new orders are sealed and replace the old ones"
    assert again.announce is not None
    assert again.announce.mention == (), "Bob was called for the first"
    opened = (await post.channel.do("Bob", "order write hold")).announce
    assert opened is not None
    assert opened.format_body() == ["US: to G4", "VC: hold"]
    assert "H5" not in await verified(post)


async def test_orders_are_undone_before_they_open_and_never_after() -> None:
    post = await Post.begin()
    await post.channel.do("Alice", 'order write "to H5"', "game undo")
    assert (await post.channel.game()).orders == {}
    await post.channel.do("Alice", "game redo")
    await post.channel.do("Bob", "order write hold")
    await post.channel.refused("Bob", "game undo", "not-undoable")
    await verified(post)


async def test_at_the_deadline_they_open_with_whoever_is_in_also_behind_a_restart_and_once() -> (
    None
):
    post = await Post.begin()
    await post.channel.do("Alice", 'order write "to H5"')
    told = await post.channel.do("Bob", "order deadline 2d")
    assert (
        told.format_body()[0]
        == "They open when both are in, or at the latest 4 Mar 2026, 08:00 UTC."
    )
    assert await post.passes(47, HOUR) == []
    post.restart()
    one, other = post.process(), post.process()
    post.now[0] += 2 * HOUR
    await one.due_work.look()
    await other.due_work.look()
    post.restart()
    (opened,) = await post.passes(1)
    assert opened.first_line == "Orders for turn 1 are open · US"
    assert opened.format_body() == ["US: to H5", "Late: Grognard was not running at the deadline."]
    assert set(opened.mention) == {"console:alice", "console:bob"}
    assert (await post.channel.game()).orders_due == 0
    assert await post.passes(72, HOUR) == []
    await verified(post)


async def test_a_deadline_that_is_undone_opens_nothing_and_one_nobody_met_says_so() -> None:
    post = await Post.begin()
    await post.channel.do("Alice", 'order write "to H5"', "order deadline 36h", "game undo")
    assert await post.passes(48, HOUR) == []
    await post.channel.do("Alice", "game undo", "order deadline 1h")
    (nobody,) = await post.passes(2)
    assert nobody.first_line == "Nobody wrote orders for turn 1 in time · the deadline has passed"
    for typed in ("soon", "0h", "99d"):
        await post.channel.refused("Alice", f"order deadline {typed}", "bad-value within")
    await verified(post)


async def test_the_end_of_a_game_names_orders_that_nobody_opens_and_a_neutral_master_opens_them() -> (
    None
):
    post = await Post.begin()
    await post.channel.do("Greta", "roll 2d6")
    await post.channel.do("Alice", 'order write "to H5"')
    asked = await post.channel.do("Alice", "game end")
    assert (
        "Sealed orders of US stay sealed, because not every side has written theirs."
        in asked.format_text()
    )
    told = (await post.channel.do("Alice", "game end winner=VC confirm")).announce
    assert told is not None
    assert (
        "Unopened: the orders for turn 1 of US; only their authors can read them"
        in told.format_text()
    )
    assert "H5" not in told.format_text()
    await post.channel.do("Alice", "game resume", "game settings master=Greta")
    assert (
        "Sealed orders of US will be opened."
        in (await post.channel.do("Greta", "game end")).format_text()
    )
    told = (await post.channel.do("Greta", "game end confirm")).announce
    assert told is not None
    assert "US: to H5" in told.format_text()
    assert (await post.channel.game()).orders == {}


async def test_deleted_orders_open_empty_and_break_no_chain() -> None:
    post = await Post.begin()
    await post.channel.do("Alice", 'order write "to H5"')
    await post.channel.do("Alice", "privacy delete confirm")
    card = (await post.channel.do("Bob", "order write hold")).announce
    assert card is not None
    assert card.title == "Orders for turn 1: nobody plays US, VC is in"
    await post.channel.refused("Bob", "order open", "not-all-in")
    await post.channel.do("Bob", "order deadline 1h")
    (opened,) = await post.passes(2)
    assert opened.format_body() == [
        "VC: hold",
        "someone: not available here: deleted, or saved only where it was written",
    ]
    assert "H5" not in await verified(post)


async def test_who_may_write_what() -> None:
    post = await Post.begin()
    await post.channel.refused("Cora", "order write x", "not-player")
    await post.channel.refused("Alice", "order write", "missing text")
    await post.channel.refused(
        "Alice", 'order write command="game end confirm"', "bad-value command"
    )
    await post.channel.refused("Alice", 'order write command="rol 2d6"', "unknown-command")
    await post.channel.refused("Alice", f"order write {'x' * 1600}", "too-long text")


@pytest.mark.parametrize(
    ("kind", "change", "reason"),
    [
        (
            "order",
            {"result": "VC is in"},
            "its words are not any that Grognard writes|its words are not those|its words do not match",
        ),
        ("order", {"after": {"game": {"orders": {"4": "x"}}}}, "the writer's own orders"),
        ("orders", {"reads": [4]}, "orders other than those sealed"),
        (
            "orders",
            {"result": "of US"},
            "its words are not any that Grognard writes|its words are not those|its words do not match",
        ),
        ("orders", {"after": {"game": {"orders": {"4": "x"}}}}, "they stay sealed"),
    ],
)
async def test_both_verifiers_refuse_forged_orders(
    kind: str, change: dict[str, object], reason: str
) -> None:
    post = await Post.begin()
    await post.channel.do("Alice", 'order write "to H5"')
    await post.channel.do("Bob", "order write hold")
    log = json.loads(await verified(post))
    next(event["body"] for event in log["events"] if event["body"]["kind"] == kind).update(change)
    rechained(log)
    faults = check(log).faults
    assert any(one in fault for fault in faults for one in reason.split("|")), faults


async def test_orders_opened_too_early_or_without_their_text_are_found_out() -> None:
    post = await Post.begin()
    await post.channel.do("Alice", 'order write "to H5"')
    await post.channel.do("Bob", "order write hold")
    whole = await verified(post)
    log = json.loads(whole)
    del log["texts"][next(at for at, row in enumerate(log["texts"]) if row["key"] == "order")]
    faults = check(log).faults
    assert any("not in the file" in fault for fault in faults), faults
    log = json.loads(whole)
    early = log["events"][-1]["body"]
    log["events"][-2:] = [{**log["events"][-1], "number": early["number"] - 1}]
    early |= {
        "number": early["number"] - 1,
        "behind": early["behind"] - 1,
        "reads": early["reads"][:1],
    }
    early["before"]["game"]["orders"].popitem()
    early["result"] = "of US"
    log["texts"] = [row for row in log["texts"] if row["key"] == "order"][:1]
    rechained(log)
    faults = check(log).faults
    assert any("not every side has written" in fault for fault in faults), faults


async def test_an_imported_game_has_only_the_hash_of_what_is_still_sealed() -> None:
    post = await Post.begin()
    await post.channel.do("Alice", 'order write "to H5"')
    text = await verified(post)
    there = await Post.begin()
    brought = await there.channel.say("Alice", "game delete confirm", manager=True)
    assert not brought.error
    imported = await there.channel.app.run(
        there.command("Alice", ("game", "import"), {"file": text})
    )
    assert not imported.error, imported.format_text()
    assert list((await there.channel.game()).orders) == ["4"]
    assert "H5" not in (await there.channel.do("Alice", "order show")).format_text()


async def evening(post: Post) -> None:
    """Bob writes his last; then Alice fires twice, and one shot is taken back."""
    await post.channel.do("Alice", 'unit add "Squad 1..2" squad US morale=5 fp=4')
    await post.channel.do(
        "Bob", 'unit add "Cell 1..2" squad VC morale=4 fp=1', "game initiative US"
    )
    await post.channel.do("Alice", "game next")
    await post.channel.do("Alice", 'unit edit "Cell 1" state=eliminated', "roll 2d6 label=ambush")
    await post.channel.undo_last("Alice")


async def test_since_i_left_says_what_it_means_for_me() -> None:
    post = await Post.begin()
    await evening(post)
    back = await post.channel.do("Bob", "log since=me")
    assert back.private
    assert back.first_line == "Since you left: you lost Cell 1, and US to play · 3 events, Hill 875"
    assert back.format_body()[:2] == [
        "#7 Turn 1, Operations phase begins, US first",
        "#8 Cell 1 edited · Alice",
    ]
    assert [button.label for button in back.buttons] == ["Log"]
    edited = back.lines[1]
    assert isinstance(edited, Happened)
    assert edited.grave
    await post.channel.do("Bob", "game undo")  # what Alice asked to take back: Bob agrees
    await post.channel.do("Alice", "game pass done")
    again = await post.channel.do("Bob", "log since=me")
    assert again.first_line == "Nothing has happened since you left, and it's your move · Hill 875"
    assert [button.label for button in again.buttons] == [
        "Fire",
        "Melee",
        "Done",
        "Pass",
        "Next phase",
        "Log",
    ]
    all_of_it = await post.channel.do("Bob", "log since=6")
    assert all_of_it.format_body()[2].startswith("#9 2d6: ")
    assert all_of_it.format_body()[2].endswith(" · Alice (undone)")
    await post.channel.refused("Bob", "log since=yesterday", "bad-value since")


async def test_three_weeks_by_post_with_restarts_nobody_called_twice_or_at_night() -> None:
    """Alice sleeps in New York, Bob in Berlin; each answers when it suits them, and now and then
    the bot restarts.
    """
    post, chance = await Post.begin(), Random(11)
    zones = {"Alice": ZoneInfo("America/New_York"), "Bob": BERLIN}
    for who, zone in zones.items():
        await post.channel.do(who, f"me ping interval=5h quiet=22-7 zone={zone.key}")
    await in_operations(post)
    called, goes = list[tuple[str, ...]](), 0
    while post.now[0] < MORNING + 21 * DAY:
        game = await post.channel.game()
        who = {"US": "Alice", "VC": "Bob"}.get(game.go[0], "")
        if game.go == game.sides:
            for one, text in (("Alice", "hold"), ("Bob", "wait")):
                await post.channel.do(one, f"order write {text}")
                await post.passes(chance.uniform(0.1, 9), HOUR / 2)
            await post.channel.do(
                "Alice", "game next", *(["game initiative US"] if game.phase == "rally" else [])
            )
            continue
        await post.passes(chance.choice((0.05, 1, 8, 20, 50)), HOUR / 2)
        if chance.random() < 0.3:
            post.restart()
        over = await post.channel.do(
            who, chance.choice(("game pass", "game pass done", "game pass done"))
        )
        called.append(over.mention)
        goes += 1
    reminders = [
        (at, due) for at, due in post.posted if due.reply.title.endswith("is waiting for you")
    ]
    assert goes > 20
    assert len(reminders) > 20
    assert all(len(mention) <= 1 for mention in called)
    seen = set()
    for at, due in reminders:
        (user,) = due.reply.mention
        hour = datetime.fromtimestamp(at, zones[user.removeprefix("console:").capitalize()]).hour
        assert 7 <= hour < 22, "somebody was called at night"
        which = (user, due.about, due.reply.footer)
        assert which not in seen, "somebody was called twice"
        seen.add(which)
    await verified(post)


async def test_a_game_that_was_put_aside_reminds_again_once_it_is_taken_up() -> None:
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=4h quiet=off")
    await in_operations(post)
    await post.channel.do("Alice", "order deadline 3d", "game pass done")
    asked = await post.channel.do("Alice", 'game start lnlt "Another" sides="US, VC"')
    await post.channel.press(
        "Alice", next(one.action for one in asked.buttons if one.action.startswith("begin:"))
    )
    assert (await post.channel.game()).name == "Another"
    assert await post.passes(30, HOUR) == []
    await post.channel.do("Alice", 'game resume "Hill 875"')
    (again,) = await post.passes(0.2)
    assert again.title == "Hill 875 is waiting for you"
    later = await post.passes(72, HOUR)
    assert (
        later[-1].first_line == "Nobody wrote orders for turn 1 in time · the deadline has passed"
    )


async def test_an_order_after_the_opening_calls_nobody_in_the_same_turn() -> None:
    post = await Post.begin()
    first = await post.channel.do("Alice", 'order write "Advance"')
    assert first.announce is not None
    assert first.announce.mention
    await post.channel.do("Bob", 'order write "Hold"')
    again = await post.channel.do("Alice", 'order write "Smoke as well"')
    assert again.announce is not None
    assert not again.announce.mention


async def test_a_command_that_is_ready_reads_as_the_reader_types_it() -> None:
    post = await Post.begin()
    await post.channel.do("Alice", 'order write "Fire" command="roll 2d6"')
    opened = (await post.channel.do("Bob", 'order write "Hold"')).announce
    assert opened is not None
    ready = next(part for part in opened.lines if isinstance(part, Group))
    assert (ready.label, discord_line(ready.text)) == ("US", "Fire · ready: `/roll 2d6`")


class Noted:
    """A game that notes which of its fields are read."""

    def __init__(self, game: Game) -> None:
        self.game, self.read = game, set[str]()

    def __getattr__(self, name: str) -> Any:
        self.read.add(name)
        return getattr(self.game, name)


def test_reminders_and_deadlines_hang_on_nothing_but_who_is_waited_for() -> None:
    asks = {3: {"side": "US", "due": MORNING + DAY}}
    game = Game(
        "g",
        started=True,
        players={"a": "US"},
        go=("US",),
        go_since=int(MORNING),
        waits=asks,
        orders_due=9,
    )
    noted = Noted(game)
    assert list_waiting_players(cast("Game", noted))
    assert list_deadlines(cast("Game", noted))
    assert noted.read == {*WAITED}, (
        "else a command changes what is due and nothing is laid down anew"
    )


async def test_quiet_hours_hold_without_reminders_too() -> None:
    """Bob acts just before Alice hands over, so that he is not pinged; his one reminder waits for
    the morning.
    """
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=4h quiet=22-7 zone=Europe/Berlin")
    await post.channel.do("Bob", "me ping interval=off")
    await in_operations(post)
    post.now[0] += 13.9 * HOUR
    await post.channel.do("Bob", "roll 2d6")
    await post.channel.do("Alice", "game pass done")
    assert await post.passes(7) == []
    assert len(await post.passes(4)) == 1
