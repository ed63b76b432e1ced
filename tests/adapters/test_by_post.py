"""By post on each platform: a reminder behind a restart with its buttons, in the channel and by
direct message; orders that are opened together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.evening import Platform, Table, on_each

AGO = {"discord": ":R>", "slack": "^{ago}|"}
AT = {"discord": ":f>", "slack": "^{date_short_pretty}, {time}|"}
"""How a moment ends, or what it holds, that each reader sees in their own clock: how long ago,
and when.
"""
SNOOZES = ["In 4 hours", "Tomorrow", "Stop"]


async def gather(e: Table) -> None:
    """Anna with three squads of the US, Ben with thirty cells of the VC."""
    await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
    await e.say("Anna", "game join US")
    await e.say("Ben", "game join VC")
    await e.say("Anna", 'unit add "Squad 1..3" squad US stats="morale=5 fp=2"')
    await e.say("Ben", 'unit add "Cell 1..30" squad VC stats="morale=5 fp=1"')


async def to_ben(e: Table) -> None:
    """The first phase of fire, in which it is Ben's go."""
    for line in ("game initiative US", "game next", "game pass"):
        await e.say("Anna", line)


@pytest.mark.slow
@on_each
async def test_a_reminder_with_its_buttons(platform: Platform, tmp_path: Path) -> None:
    async with platform(tmp_path) as e:
        await gather(e)
        await e.typed("Ben", "me ping interval=4h quiet=off zone=Europe/Berlin")
        await to_ben(e)
        await e.hours_later()
        reminder = await e.message("is waiting for you")
        assert (
            e.first(reminder)
            .partition(", ")[2]
            .startswith("Hill 875 is waiting for you · it became your move ")
        )
        assert e.is_bold(reminder, "Hill 875 is waiting for you")
        assert AGO[e.platform] in e.whole(reminder)
        assert e.head(reminder).endswith(":R>") or e.platform == "slack", (
            "its text alone has no marks"
        )
        assert e.head(reminder).startswith(e.mention("Ben")), "who is called comes first"
        assert e.called(reminder) == ["Ben"]
        assert e.buttons(reminder) == SNOOZES
        await e.refused("Anna", reminder, "Stop")
        snoozed = await e.pressed("Ben", reminder, "In 4 hours")
        assert e.key(snoozed) == e.key(reminder)
        assert "Your next reminder comes " in e.words(snoozed)
        assert e.whole(snoozed).count(AGO[e.platform]) == 2
        await e.say("Ben", "game pass")
        await e.until(lambda: e.strike in e.whole(reminder), "the reminder struck")

        await e.typed("Ben", "me ping where=dm")
        await e.say("Anna", "game pass done")
        await e.hours_later()
        alone = await e.message("is waiting for you", alone="Ben")
        assert e.called(alone) == []
        assert e.leads_here(alone, "Open the game")
        stopped = await e.pressed("Ben", alone, "Stop")
        assert "No more reminders for this move." in e.words(stopped)
        mine = await e.typed("Ben", "me games")
        assert "It's your move in 1 of 1 game" in e.words(mine)
        assert e.leads_here(mine, "Open")


@pytest.mark.slow
@on_each
async def test_who_takes_no_direct_messages_is_reminded_in_the_channel(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await gather(e)
        await e.typed("Ben", "me ping where=dm interval=4h quiet=off")
        e.closes_messages("Ben")
        await to_ben(e)
        await e.hours_later()
        reminder = await e.message("is waiting for you")
        assert e.called(reminder) == ["Ben"]
        assert e.buttons(reminder) == SNOOZES
        stopped = await e.pressed("Ben", reminder, "Stop")
        assert "No more reminders for this move." in e.words(stopped)


@on_each
async def test_orders_are_written_in_a_form_and_opened_for_all(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await gather(e)
        await e.rest()
        await e.alone(
            "Anna", 'order write text="Squads 3 + 4 advance to H5" command="/roll 2d6"', says="H5"
        )
        card = await e.message("US is in, VC isn't in yet")
        assert e.first(card).startswith("Orders for turn 1: US is in, VC isn't in yet")
        assert "H5" not in e.words(card)
        assert e.called(card) == ["Ben"]
        await e.rest()
        until = await e.say("Anna", "order deadline 2d")
        await e.until(lambda: AT[e.platform] in e.whole(card), "the deadline on the card")
        assert "H5" in await e.refused("Anna", card, "Mine")
        form = await e.form("Ben", card, "Write orders")
        await e.filled("Ben", form, {"text": "Squad 6 falls back"}, alone=True)
        opened = await e.message("Orders for turn 1 are open")
        assert e.is_bold(opened, "US:")
        assert "US: Squads 3 + 4 advance to H5" in e.words(opened)
        assert e.called(opened) == ["Anna"]
        await e.until(
            lambda: all(
                "opened in #" in e.words(one) and not e.buttons(one) for one in (card, until)
            ),
            "the cards over",
        )
        [order] = [one for one in e.buttons(opened) if one.endswith(": /roll")]
        rolled = await e.press("Anna", opened, order)
        back = await e.alone("Ben", "log since=me", says="Since you left")
        assert e.first(back).startswith("Since you left: you lost nothing")
        assert f"{e.strong}Since you left: you lost nothing" in e.whole(back)
        assert e.first(rolled).split(" · ")[0] in e.words(back), "the first line as it was answered"
