"""`/game transfer`: a game goes only where the platform lets its asker go, and only once a
manager takes it over.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest

from bot.ui.reply.reply import LINK, Reply
from bot.ui.spec import Command, Place
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides

TABLE = Place("discord:5/1", "discord:5", "#table of Club")
HALL = Place("discord:5/2", "discord:5", "#hall of Club")
LAIR = Place("discord:66/6", "discord:66", "#lair")


@dataclass
class Club:
    """A server with two channels; Anna's game is played in one of them."""

    now: float = 1_000_000.0
    changed: list[Reply] = field(default_factory=list)

    async def open(self) -> None:
        self.app = await fresh_app(lambda: self.now)
        self.table, self.hall = Channel(self.app, TABLE, "t"), Channel(self.app, HALL, "h")
        await two_sides(self.table)

    async def posted(self, place: Place) -> list[Reply]:
        """What waits to be posted in a place because of another one."""
        due = [one for one in await self.app.answers.claim_due(place.key) if one.place == place.key]
        await self.app.answers.mark_delivered(*(one.id for one in due))
        self.changed = [one.reply for one in due if one.amends]
        return [one.reply for one in due if not one.amends]

    async def asked(self) -> tuple[str, str]:
        """The buttons under the request in the hall: to take it over, to refuse."""
        assert not (await self.table.transfer("Anna", "2")).error
        (request,) = await self.posted(HALL)
        first, second = request.buttons
        return first.action, second.action

    async def press(self, name: str, action: str, where: Channel, *, manager: bool) -> Reply:
        return await self.app.press(
            action, where.who(name, manager=manager), where.place, f"{name}{action}{self.now}"
        )

    async def is_in(self, channel: Channel) -> bool:
        return await self.app.games.load_current(channel.place.key) is not None


@pytest.fixture
async def club() -> AsyncIterator[Club]:
    club = Club()
    await club.open()
    yield club
    await club.app.close()


async def test_an_id_that_the_platform_did_not_confirm_is_refused(club: Club) -> None:
    """By default, for every adapter, form and text: even for a manager."""
    for refused in (
        await club.table.transfer("Anna", "2", manager=True, confirmed=False),
        await club.table.say("Anna", "game transfer 2", manager=True),
        await club.table.say("Anna", 'game transfer "<#2>"', manager=True),
    ):
        assert refused.error
        assert "where both you and the bot can write" in refused.title
    assert await club.posted(HALL) == []


async def test_what_was_confirmed_is_not_something_else(club: Club) -> None:
    who = club.table.who("Anna", manager=True)
    command = Command(("game", "transfer"), {"channel": HALL.key}, who, TABLE, "x")
    for other in (LAIR, replace(HALL, key="discord:5/3"), replace(HALL, server="discord:66")):
        refused = await club.app.run(
            replace(command, channels={"channel": other}, request_id=other.key + other.server)
        )
        assert refused.error
    moved = replace(
        command, options={"channel": LAIR.key}, channels={"channel": LAIR}, request_id="y"
    )
    assert "only move within its server" in (await club.app.run(moved)).title
    assert await club.is_in(club.table)


async def test_until_it_is_taken_over_a_game_stays(club: Club) -> None:
    take, _ = await club.asked()
    assert await club.is_in(club.table)
    assert not await club.is_in(club.hall)
    assert (await club.press("Anna", take, club.hall, manager=False)).error, "she is no manager"
    assert (await club.press("Vera", take, club.table, manager=True)).error, "and only there"
    taken = await club.press("Vera", take, club.hall, manager=True)
    assert not taken.private
    assert '"Hill 875" is played here from now on' in taken.title
    (told,) = await club.posted(TABLE)
    assert told.title == 'Vera moves "Hill 875" to #hall of Club'
    assert await club.is_in(club.hall)
    assert not await club.is_in(club.table)


async def test_a_manager_moves_it_at_once_and_all_see_it_there(club: Club) -> None:
    assert not (await club.table.transfer("Anna", "2", manager=True)).error
    (told,) = await club.posted(HALL)
    assert not told.private
    assert "Anna moves it from #table of Club" in told.format_text()


async def test_where_something_is_played_even_a_manager_asks(club: Club) -> None:
    await club.hall.do("Cora", "roll 2d6")
    await club.posted(HALL)
    asked = await club.table.transfer("Anna", "2", manager=True)
    assert "asks to move" in asked.title
    assert await club.is_in(club.table)


async def test_a_request_is_refused_or_lapses(club: Club) -> None:
    take, stay = await club.asked()
    assert (await club.press("Cora", stay, club.hall, manager=False)).error
    assert not (await club.press("Vera", stay, club.hall, manager=True)).error
    assert (await club.posted(TABLE))[-1].title == "Vera refuses to take the game over"
    assert (await club.press("Vera", take, club.hall, manager=True)).error
    take, _ = await club.asked()
    club.now += 24 * 3600 + 1
    assert (await club.press("Vera", take, club.hall, manager=True)).error
    assert await club.is_in(club.table)


async def test_a_game_that_was_linked_or_ended_meanwhile_does_not_come(club: Club) -> None:
    take, _ = await club.asked()
    code = (await club.table.say("Zoe", "game link", manager=True)).title.split()[-1]
    lair = Channel(club.app, LAIR, "l")
    assert not (await lair.say("Mallory", f"game link {code}", manager=True)).error
    assert (
        "no longer played there" in (await club.press("Vera", take, club.hall, manager=True)).title
    )
    await lair.say("Mallory", "game link off", manager=True)
    await club.table.do("Anna", "game end confirm")
    assert (await club.press("Vera", take, club.hall, manager=True)).error


async def test_the_old_channel_says_where_the_game_went(club: Club) -> None:
    told = await club.table.transfer("Anna", "2", manager=True)
    (button,) = told.buttons
    assert (button.label, button.action, button.style) == ("Open #2", "goto:discord:5/2", LINK)
    (there,) = await club.posted(HALL)
    assert [button.action for button in there.buttons] == ["goto:discord:5/1"]
    refused = await club.table.refused("Bob", "lnlt rally units=us1", "unknown-unit")
    refused = await club.table.refused("Bob", "game status", "no-game")
    assert refused.title == '"Hill 875" is now played in #2.'
    shown = await club.table.do("Bob", "game list")
    assert shown.format_body() == ['"Hill 875" is now played in #2.']
    assert shown.buttons == told.buttons
    assert refused.title in (await club.table.do("Bob", "roll 2d6")).format_text(), (
        "the first roll says it too"
    )
    assert refused.title not in (await club.table.do("Bob", "roll 2d6")).format_text()
    assert (await club.table.say("Bob", "game open 1")).title.startswith("Free play"), (
        "it is read where it is played"
    )


async def test_what_makes_room_for_a_game_is_kept_there(club: Club) -> None:
    await club.hall.do("Cora", "unit add Doc medic stats=morale=5")
    take, _ = await club.asked()
    taken = await club.press("Vera", take, club.hall, manager=True)
    assert "The free play is saved: /game list" in taken.format_text()
    logs = [(await club.hall.do("Cora", f"log game={number}")).format_text() for number in (1, 2)]
    assert sum("Doc" in log for log in logs) == 1, (
        "both began in the same second, so either may be the first"
    )


async def test_a_deleted_game_is_announced(club: Club) -> None:
    deleted = await club.table.do("Anna", "game delete confirm")
    assert deleted.private
    assert deleted.announce is not None
    assert deleted.announce.title == 'Anna deletes "Hill 875"'
    await club.table.do("Anna", "roll d6")
    assert (await club.table.do("Anna", "game delete confirm")).announce is None, (
        "nobody else was there"
    )


async def test_a_request_to_move_that_nobody_answered_expires(club: Club) -> None:
    take, _ = await club.asked()
    club.now += 24 * 3600 + 1
    await club.app.due_work.look()
    await club.posted(HALL)
    (expired,) = club.changed
    assert expired.format_text() == "Expired after 24 hours: The move of a game that was requested"
    assert not expired.buttons
    assert (await club.press("Vera", take, club.hall, manager=True)).code == "not-asked"


async def test_a_request_to_move_says_how_it_was_answered(club: Club) -> None:
    _, stay = await club.asked()
    await club.press("Vera", stay, club.hall, manager=True)
    await club.posted(HALL)
    assert [reply.format_text() for reply in club.changed] == [
        "Vera refuses: The move of a game that was requested"
    ]
    take, _ = await club.asked()
    await club.press("Vera", take, club.hall, manager=True)
    await club.posted(HALL)
    assert [reply.format_text() for reply in club.changed] == [
        "Vera takes it over: The move of a game that was requested"
    ]
    assert not club.changed[0].buttons


async def test_a_request_to_move_is_answered_in_the_channel_that_was_asked_alone(
    club: Club,
) -> None:
    take, stay = await club.asked()
    for action in (take, stay):
        assert (await club.press("Vera", action, club.table, manager=True)).code == "not-asked"
    assert await club.is_in(club.table)
    assert not (await club.press("Vera", take, club.hall, manager=True)).error


async def test_a_request_whose_message_is_not_known_yet_is_changed_where_it_was_answered(
    club: Club,
) -> None:
    """The process was killed between posting it and knowing where; the button that is pressed is
    under it.
    """
    assert not (await club.table.transfer("Anna", "2")).error
    (request,) = [
        one for one in await club.app.answers.claim_due(HALL.key) if one.place == HALL.key
    ]
    who, stay, spot = (
        club.hall.who("Vera", manager=True),
        request.reply.buttons[1].action,
        {"message": "77"},
    )
    await club.app.press(stay, who, HALL, "r1", {"pressed": spot})
    await club.app.answers.mark_delivered(request.id)
    (change,) = [one for one in await club.app.answers.claim_due(HALL.key) if one.amends]
    assert change.reply.format_text() == "Vera refuses: The move of a game that was requested"
    assert spot in (await club.app.store.load_posted_messages(change.amends)).spots[HALL.key]


async def test_a_game_takes_its_closed_hands_along(club: Club) -> None:
    """Each still sees their own, there; where it was, an old hand on show acts no more."""
    await club.table.do("Anna", 'deck make "1..20" cup', "deck deal 3", "deck peek 2")
    hand = await club.table.do("Bob", "hand")
    held = [entry.label for entry in hand.menus[0].entries]
    assert not (await club.table.transfer("Anna", "2", manager=True)).error
    there = await club.hall.do("Bob", "hand")
    assert [entry.label for entry in there.menus[0].entries] == held
    assert "On top of cup" in (await club.hall.do("Anna", "hand")).format_text()
    old = await club.table.press("Bob", hand.menus[0].entries[0].action)
    assert old.error
    assert held[0] not in old.format_text().split()
    played = await club.hall.press("Bob", there.menus[0].entries[0].action)
    assert played.announce is not None
    assert played.announce.title == f"Bob plays {held[0]}"
