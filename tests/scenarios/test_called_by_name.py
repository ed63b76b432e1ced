"""Cards that call units by name: who owes a roll when a phase begins, what is spent and comes back, what is due."""

from __future__ import annotations

import pytest

from bot.audit.games import audit
from bot.game.roster import described
from bot.interface.reply import Reply
from bot.rules.proof.event_kinds import is_later
from bot.systems.catalog import system
from tests.playing import Channel
from tests.random_play import exported_text

RED = "unit add Red element A firearms=12 morale=14 members=4 weapon=smg"


async def started(game: str, *units: str) -> Channel:
    """A game of side A (Anna) and side B (Bob) with these units."""
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start {game} Farm sides="A, B"', "game join A")
    await channel.do("Bob", "game join B")
    await channel.do("Anna", *units)
    return channel


def button(reply: Reply, label: str) -> str:
    return next(one.action for one in reply.buttons if one.label == label)


def labels(reply: Reply) -> list[str]:
    return [one.label for one in reply.buttons]


async def unit(channel: Channel, key: str) -> str:
    return described((await channel.game()).units[key])


# -- ultracombat normandy: Status Damage (Pinned); Morale, Who Makes a Morale Roll -----------------------------


async def test_a_round_calls_the_pinned_first_and_then_those_who_test_on_activating() -> None:
    """Status Damage, Pinned: a Morale roll as the next combat phase begins; Who Makes a Morale Roll, 1 and 2."""
    channel = await started(
        "ucn",
        "unit add Red element A morale=20 pinned suppression_markers=1",
        "unit add Kit element A morale=20 withdraw",
    )
    await channel.do("Anna", "unit add Tom element A morale=20", "unit add Blue element B morale=20 morale_markers=1")
    card = await channel.do("Anna", "game next")
    assert "Pinned, Morale test before anything else: Red" in card.text()
    assert "Morale test on activating: Kit and Blue" in card.text()
    assert "Tom" not in card.text()
    other = await channel.press("Bob", button(card, "Test the pinned"))
    assert "none of them is yours" in other.text()
    tested = await channel.press("Anna", button(card, "Test the pinned"))
    assert tested.first.startswith("Red ")
    both = await channel.press("Anna", button(card, "Test Morale"))  # hers alone: Blue is Bob's
    assert both.first.startswith("Kit ")
    status = await channel.do("Anna", "game status")
    assert "Morale test on activating: Blue" in status.text()
    assert "Pinned" not in status.text()
    again = await channel.press("Anna", button(card, "Test the pinned"))
    assert again.error
    await audit_whole(channel)


async def test_who_acts_before_the_roll_that_they_owe_is_told_with_the_button() -> None:
    channel = await started("ucn", f"{RED} morale_markers=1", "unit add Blue element B morale=14")
    await channel.do("Anna", "game next")
    shot = await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    assert "Red owed a roll first: Morale test on activating: Red" in shot.text()
    tested = await channel.press("Anna", button(shot, "Test Morale"))
    assert "Morale test" in tested.text()
    shot = await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    assert "owed" not in shot.text()


async def test_an_undone_test_is_owed_again() -> None:
    channel = await started("ucn", "unit add Red element A morale=20 pinned")
    card = await channel.do("Anna", "game next")
    await channel.press("Anna", button(card, "Test the pinned"))
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert "before anything else: Red" in (await channel.do("Anna", "game status")).text()


# -- ultracombat normandy: Action Points ------------------------------------------------------------------------


async def test_ap_are_counted_in_an_activation_and_are_back_in_the_next_round() -> None:
    """AP Expenditure: shooting 1, a second time 2; Additional AP: one use, what is left of them is lost."""
    channel = await started("ucn", f"{RED} ap=3 more_ap=2", "unit add Blue element B morale=14")
    shot = await channel.do("Anna", "ucn shoot shooters=Red target=Blue extra_ap=1 hand=19")
    assert "Red uses 1 AP and 1 additional (2 left)" in shot.text()
    assert "spent=1" in await unit(channel, "red")
    assert "more_ap=1" in await unit(channel, "red")
    second = await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    assert "Red uses 2 AP (0 left)" in second.text()
    third = await channel.do("Anna", "ucn spot unit=Red skill=12 count=1 hand=19")
    assert "Red uses 1 AP (it had 0)" in third.text()
    card = await channel.do("Anna", "game next")
    assert "Markers come off: Red" in card.text()
    assert await unit(channel, "red") == ("Red (a1): element ap=3 firearms=12 members=4 morale=14 weapon=smg")
    await audit_whole(channel)


async def test_a_phase_that_takes_numbers_off_is_for_newer_readers_alone() -> None:
    channel = await started("ucn", f"{RED} ap=3", "unit add Blue element B")
    await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    assert '"version":1' in await exported_text(channel)
    await channel.do("Anna", "game next")
    assert '"version":2' in await exported_text(channel)
    loaded = await channel.app.games.at(channel.place.key)
    assert loaded is not None
    rows = await channel.app.store.events(loaded.row)
    assert [row.data["kind"] for row in rows if is_later(row.data)] == ["next"]
    await channel.do("Anna", "game undo")
    assert "spent=1" in await unit(channel, "red")


async def test_without_ap_nothing_is_counted() -> None:
    channel = await started("ucn", RED, "unit add Blue element B")
    shot = await channel.do("Anna", "ucn shoot shooters=Red target=Blue hand=19")
    assert "AP" not in shot.text()
    assert "activated" not in await unit(channel, "red")


async def audit_whole(channel: Channel) -> None:
    assert await audit(channel.app.store) == (1, [])


@pytest.mark.parametrize("game", ["ucn", "baps", "lnlt", "nhis", "asl"])
def test_what_a_phase_calls_is_said_with_names(game: str) -> None:
    for phase in system(game).game["phases"]:
        for call in phase.get("calls", ()):
            assert call["says"].endswith("{}"), call
            assert bool(call.get("roll")) == bool(call.get("button")), call
