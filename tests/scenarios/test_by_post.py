"""A game by post, weeks of it in seconds: reminders as each wishes, nothing at night, nothing twice, also behind a
restart."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.app import App
from bot.interface.reply import Reply
from bot.outbox.answers import Due
from bot.stores.base import Store
from tests.fresh import fresh_store
from tests.playing import Channel

HOUR, MINUTE = 3600.0, 60.0
BERLIN = ZoneInfo("Europe/Berlin")
MORNING = datetime(2026, 3, 2, 9, 0, tzinfo=BERLIN).timestamp()


class Post:
    """A game of Alice (US) and Bob (VC), its clock, and what was posted in its channel or to somebody."""

    def __init__(self, store: Store, now: list[float], channel: Channel) -> None:
        self.store, self.now, self.channel = store, now, channel
        self.posted: list[tuple[float, Due]] = []
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
        for due in await self.channel.app.due("console:"):
            if not due.is_too_late and not due.amends:
                self.posted.append((self.now[0], due))
            await self.channel.app.delivered(due.id, spot={"message": due.id})

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
    assert first.title == "Hill 875 waits for you"
    assert first.by == "your go came 2 Mar 2026, 08:00 UTC"
    assert first.body() == ["Last: Initiative: US has the initiative · #6", "Turn 1, Operations"]
    assert first.footer == ("Reminder 1 of 3",)
    assert first.mention == ("console:bob",)
    assert [button.label for button in first.buttons] == ["In 4 hours", "Tomorrow", "Stop"]
    later = await post.passes(3 * 24)
    assert [reply.footer for reply in later] == [("Reminder 2 of 3",), ("Reminder 3 of 3",)]
    assert [due.place for _, due in post.posted] == [post.channel.place.key] * 3


async def test_nobody_is_reminded_who_never_asked_for_it() -> None:
    post = await Post.begin()
    await in_operations(post)
    await post.channel.do("Alice", "game pass done")
    assert await post.passes(48, HOUR) == []
    shown = await post.channel.do("Bob", "me show")
    assert shown.title == "Reminders are off"


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
    assert (first.buttons[0].label, first.buttons[0].action) == ("Open the game", "goto:console:main")
    await post.channel.do("Bob", "game pass done")
    (struck,) = await post.channel.app.due("console:bob")
    assert (struck.reply.over, struck.reply.title) == ("Passed on", "Hill 875 waits for you")


async def test_snooze_stop_and_tomorrow() -> None:
    post = await Post.begin()
    await post.channel.do("Bob", "me ping interval=1h quiet=off zone=Europe/Berlin")
    await in_operations(post)
    await post.channel.do("Alice", "game pass done")
    (first,) = await post.passes(0.2)
    assert (await post.channel.press("Alice", action(first, "Stop"))).code == "not-yours"
    snoozed = await post.channel.press("Bob", action(first, "In 4 hours"))
    assert snoozed.body() == ["The next reminder comes 2 Mar 2026, 12:12 UTC."]
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
    assert stopped.body() == ["No more reminders of this go."]
    assert await other.passes(48, HOUR) == []


async def test_after_downtime_a_reminder_is_late_and_says_so_and_comes_once_from_two_processes() -> None:
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
    assert late.body()[-1] == "Late: Grognard was not running when this was due."
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
    (due,) = await post.channel.app.due("console:")
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
    assert mine.title == "It is your go in 1 of 1 game"
    assert mine.body() == ["Hill 875 · US", "Your go · turn 1, Operations phase · #5"]
    theirs = await post.channel.press("Bob", "mygames:")
    assert theirs.body() == ["Hill 875 · VC", "US's go · turn 1, Operations phase · #5"]
    assert theirs.lines[0].action == "goto:console:main"  # type: ignore[union-attr]
    assert (await post.channel.do("Cora", "me games")).title == "You play in no game just now"


async def test_what_is_no_wish_is_refused_with_an_example() -> None:
    post = await Post.begin()
    for line, option in (("interval=often", "interval"), ("quiet=nights", "quiet"), ("zone=Berlon", "zone")):
        refused = await post.channel.refused("Bob", f"me ping {line}", f"bad-value {option}")
        assert refused.lines
