"""Ways to get a better card by undo, redo, a second place, a kill or a file: each is refused, or
harmless and told.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from bot.app import App
from bot.game.undo import SILENT
from bot.storage.base import StoreError
from bot.storage.sqlite import SqliteStore
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Person, Place
from bot.verification.check_file import check
from tests.commands.hands_helpers import end, own, sound, table
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides

ENDS_ASKED = "must agree"


async def faces(channel: Channel, number: int) -> tuple[str, ...]:
    """What the dice of a closed draw show, which only the store knows."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    rows = await channel.app.store.load_texts(loaded.row, after=number - 1, before=number + 1)
    return tuple(sorted(f"{row.key} {row.text}" for row in rows if row.key.startswith("face.")))


async def numbers(channel: Channel) -> list[int]:
    """The numbers of all events."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return [row.number for row in await channel.app.store.load_events(loaded.row)]


async def agreed(channel: Channel, what: str = "undo") -> None:
    """Anna asks to undo or redo, Bob agrees."""
    asked = await channel.do("Anna", f"game {what}")
    assert ENDS_ASKED in asked.format_text(), asked.format_text()
    await channel.do("Bob", f"game {what}")


async def test_1_a_draw_is_not_taken_back_alone_and_the_next_one_has_another_die() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..400" cup', "deck draw cup 20 me")
    first, drawn = (await channel.game()).number, await own(channel, "Anna")
    asked = await channel.do("Anna", "game undo")
    assert (await channel.press("Anna", asked.buttons[0].action)).code == "not-yours"
    assert (await channel.press("Zoe", asked.buttons[0].action)).code == "not-yours"
    assert await own(channel, "Anna") == drawn
    await channel.press("Bob", asked.buttons[0].action)
    await channel.do("Anna", "deck draw cup 20 me")
    second = (await channel.game()).number
    assert second == first + 2, "the number of an undone draw is spent"
    assert await faces(channel, second) != await faces(channel, first)
    await end(channel)


async def test_2_a_play_is_not_taken_back_in_silence() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    cards = await own(channel, "Anna")
    await channel.do("Anna", f"deck play {cards[0]}")
    assert "A card from a hand was seen" in (await channel.do("Anna", "game undo")).format_text()
    assert await own(channel, "Anna") == cards[1:], "it lies there until Bob agrees"
    told = await channel.do("Bob", "game undo")
    assert not told.private
    assert f"plays {cards[0]}" in told.format_text(), "all read which card went back"
    assert (
        f"plays {cards[0]} from cup (undone)" in (await channel.do("Bob", "log 20")).format_text()
    ), "for good"
    await end(channel)


async def test_3_a_gift_is_not_taken_back_once_it_was_seen() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    card, *_ = await own(channel, "Anna")
    await channel.do("Anna", f"deck give {card} VC")
    gift = (await channel.game()).last
    assert ENDS_ASKED in (await channel.do("Anna", "game undo")).format_text()
    assert await own(channel, "Bob") == [card]
    await channel.do("Bob", f"deck play {card}")
    await channel.fails("Bob", f"game undo {gift}", "has changed the game since")
    assert (await channel.press("Anna", await channel.under(gift, "undo"))).error, (
        "the play builds on it"
    )
    await end(channel)


async def test_4_a_look_at_the_pile_is_not_taken_back_for_another() -> None:
    channel = await table()
    await channel.do("Anna", "deck peek 3")
    first = (await channel.game()).number
    await agreed(channel)
    assert "On the top" not in (await channel.do("Anna", "hand")).format_text(), (
        "what they saw is drawn next no more"
    )
    await channel.do("Anna", "deck peek 3")
    assert await faces(channel, first) != await faces(channel, (await channel.game()).number)
    await end(channel)


async def test_5_a_shuffle_taken_back_gives_nothing_that_was_not_there() -> None:
    """Free for who shuffled, as no die fell: the known top is known to the same person as before,
    and to nobody else. After a draw it can no longer be taken back."""
    channel = await table()
    await channel.do("Anna", "deck peek 2")
    before, seen = (await channel.game()).cards, (await channel.do("Anna", "hand")).format_text()
    await channel.do("Anna", "deck shuffle cup", "game undo")
    assert (await channel.game()).cards == before
    assert (await channel.do("Anna", "hand")).format_text() == seen
    assert "On the top" not in (await channel.do("Bob", "hand")).format_text()
    await channel.do("Anna", "deck shuffle cup")
    shuffled = (await channel.game()).number
    await channel.do("Anna", "deck draw cup to=me")
    refused = await channel.press("Anna", await channel.under(shuffled, "undo"))
    assert refused.error
    await end(channel)


async def test_6_an_end_that_opened_hands_is_not_taken_back_and_what_was_seen_stays_known() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    card, *_ = await own(channel, "Anna")
    await channel.do("Anna", "game end confirm")
    ended = (await channel.game()).number
    assert (await channel.say("Anna", "game undo")).error
    await channel.do("Anna", "game resume")
    assert (await channel.press("Anna", await channel.under(ended, "undo"))).error
    assert (await channel.press("Anna", await channel.under(ended - 1, "undo"))).error, (
        "nor what was before it"
    )
    assert f"{card} (known to all)" in (await channel.do("Anna", "hand")).format_text()
    await channel.do("Anna", "deck draw cup to=me")
    asked = await channel.do("Anna", "game undo")
    assert ENDS_ASKED in asked.format_text(), "after a resume the rule is the same"


async def test_7_what_was_taken_back_by_agreement_comes_back_by_agreement_alone() -> None:
    """Whoever draws, lets it be undone, and regrets it, or looked meanwhile at what would have
    come.
    """
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    await agreed(channel)
    asked = await channel.do("Anna", "game redo")
    assert ENDS_ASKED in asked.format_text()
    assert not await own(channel, "Anna")
    await channel.do("Anna", "deck peek 1")  # another look: redo is over for good
    await channel.fails("Anna", "game redo", "")
    assert (await channel.press("Bob", asked.buttons[0].action)).error
    await end(channel)


async def test_8_nobody_agrees_for_a_side_that_is_merely_away() -> None:
    now = [1_800_000_000.0]
    channel = Channel(await fresh_app(lambda: now[0]), Place("discord:55/900", "discord:55"))
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..30" cup', "deck draw cup 2 me")
    asked = await channel.do("Anna", "game undo")
    agree = asked.buttons[0].action

    async def press(name: str) -> Reply:
        return await channel.app.press(
            agree, channel.who(name, manager=True), channel.place, f"{name} {now[0]}"
        )

    now[0] += SILENT - 60
    assert (await press("Mona")).error, "Bob is away, but not for seven days"
    assert (await press("Anna")).error, "nor is it for who drew, whatever they manage"
    now[0] += 120
    assert (await press("Anna")).error, "not even then"
    told = await press("Mona")
    assert not told.error
    assert "manager" in told.format_text(), "the log says who agreed and why"
    assert not await own(channel, "Anna")
    await end(channel)


async def test_9_a_linked_place_has_no_rights_of_its_own() -> None:
    """In a second channel of the game onlookers, and the messages of who drew themselves, agree to
    nothing, and read no more than the first."""
    channel = await Channel.fresh(place=Place("discord:55/900", "discord:55"))
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..30" cup', "deck draw cup 2 me")
    drawn = await own(channel, "Anna")
    code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
    there = Channel(channel.app, Place("discord:dm/7", owner="console:anna"), "dm")
    linked = await there.say("Anna", f"game link {code}")
    assert not linked.error, linked.format_text()
    asked = await there.undo("Anna")
    for name in ("Anna", "Zoe"):
        assert (await there.press(name, asked.buttons[0].action)).error
        assert (
            await there.app.press(
                asked.buttons[0].action, there.who(name, manager=True), there.place, name
            )
        ).error
    assert await own(channel, "Anna") == drawn == await own(there, "Anna")
    assert not await own(there, "Zoe")
    await channel.press("Bob", asked.buttons[0].action)
    assert not await own(there, "Anna")


async def test_10_a_bot_that_dies_at_a_draw_shows_no_card_and_draws_the_same_ones(
    tmp_path: Path,
) -> None:
    """The commit fails: nothing was shown, nothing is spent, and the next try has the same dice.
    Behind the commit the draw holds, also where its answer was never seen, and an undone one stays
    undone."""
    store = await SqliteStore.open(tmp_path / "games.db")
    channel = Channel(App(store))
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..400" cup')
    tried = list[Any]()

    async def broken(what: Any) -> Any:
        tried.append(what)
        raise StoreError("The disk is full.")

    with patch.object(store, "commit", broken):
        refused = await channel.say("Anna", "deck draw cup 20 me")
    assert refused.error
    would = tuple(
        sorted(f"{row.key} {row.text}" for row in tried[0].texts if row.key.startswith("face."))
    )
    assert len(would) == 20
    spent = (await channel.game()).number
    await channel.app.close()

    again = Channel(App(await SqliteStore.open(tmp_path / "games.db")), prefix="u")
    await again.do("Anna", "deck draw cup 20 me")
    assert (await again.game()).number == spent + 1
    assert await faces(again, spent + 1) == would, "a kill is no second try"
    drawn, asked = await own(again, "Anna"), await again.do("Anna", "game undo")
    await again.app.close()

    third = Channel(App(await SqliteStore.open(tmp_path / "games.db")), prefix="v")
    assert await own(third, "Anna") == drawn
    assert (await third.press("Anna", asked.buttons[0].action)).code == "not-yours"
    await third.press("Bob", asked.buttons[0].action)
    await third.app.close()

    fourth = Channel(App(await SqliteStore.open(tmp_path / "games.db")), prefix="w")
    assert not await own(fourth, "Anna")
    await fourth.do("Anna", "deck draw cup 20 me")
    assert await faces(fourth, (await fourth.game()).number) != would
    await end(fourth)
    await fourth.app.close()


async def test_11_a_file_brings_no_hand_back() -> None:
    """The game is exported with a hand that its holder likes, spoilt, and imported again: hands are
    in the pile, the import cannot be taken back, nor can what was before it."""
    channel = await table()
    await channel.do("Anna", "deck draw cup 2 me")
    file = json.dumps(await sound(channel, closed=True))
    there = Channel(await fresh_app(), Place("console:there", "console"))
    command = Command(("game", "import"), {"file": file}, there.who("Anna"), there.place, "import")
    assert not (await there.app.run(command)).error
    await there.do("Anna", "game join US")
    imported = await numbers(there)
    assert not await own(there, "Anna")
    for number in imported[-4:-1]:
        assert (await there.press("Anna", await there.under(number, "undo"))).error
    assert not await own(there, "Anna")
    await there.do("Anna", "deck draw cup 30")  # all thirty are in the pile
    await sound(there)


async def leave_and_undo(channel: Channel) -> None:
    await channel.do("Anna", "game leave")
    await channel.say("Anna", "game undo")


async def leave_and_join(channel: Channel) -> None:
    await channel.do("Anna", "game leave", "game join US")


async def deleted(channel: Channel) -> None:
    await channel.do("Anna", "privacy delete confirm", "game join US")


async def made_anew(channel: Channel) -> None:
    await channel.fails("Anna", 'deck make "1..30" cup', "Players hold hidden cards")
    await channel.do("Anna", "deck return all cup")


@pytest.mark.parametrize("way", [leave_and_join, deleted, made_anew])
async def test_12_a_hand_is_not_thrown_away_unseen(
    way: Callable[[Channel], Awaitable[None]],
) -> None:
    """A bad hand can be put back, and all read that it was; never in silence, and not the cards
    for others alone.
    """
    channel = await table()
    await channel.do("Anna", "deck draw cup 3 me")
    await way(channel)
    assert not await own(channel, "Anna")
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    rows = await channel.app.store.load_events(loaded.row)
    [gone] = [
        row.data
        for row in rows
        if (row.data.get("before") or {}).get("cards", {}).get("cup/hand/US") == 3
    ]
    assert gone["after"]["cards"]["cup/hand/US"] == 0
    log = json.loads(json.dumps(await sound(channel, closed=True)))
    assert check(log).faults == ()


async def test_13_who_leaves_and_takes_that_back_holds_what_they_held() -> None:
    channel = await table()
    await channel.do("Anna", "deck draw cup 3 me")
    drawn = await own(channel, "Anna")
    await leave_and_undo(channel)
    assert await own(channel, "Anna") in ([], drawn), "all of it or nothing"
    await sound(channel, closed=True)


async def test_14_a_draw_by_two_people_of_a_side_is_not_taken_back_between_them() -> None:
    channel = await table()
    await channel.do("Cid", "game join US")
    await channel.do("Anna", "deck draw cup 3 me")
    asked = await channel.undo("Cid")
    assert "Bob must agree" in asked.format_text()
    for name in ("Anna", "Cid"):
        assert (await channel.press(name, asked.buttons[0].action)).error
    assert len(await own(channel, "Cid")) == 3


async def test_15_sides_changed_after_a_draw_give_no_yes() -> None:
    """A friend who joins the other side afterwards, or the drawer who goes over to it, agrees to
    nothing.
    """
    channel = await table()
    await channel.do("Anna", "deck draw cup 3 me")
    asked = await channel.do("Anna", "game undo")
    await channel.do("Zoe", "game join VC")
    assert (await channel.press("Zoe", asked.buttons[0].action)).error
    await channel.do("Anna", "game leave", "game join VC")
    assert (await channel.press("Anna", asked.buttons[0].action)).error


async def test_an_account_of_ones_own_elsewhere_is_another_person() -> None:
    """Without sides all who took part before a draw may agree; one who first comes along with
    the yes may not.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", "deck draw standard-52 3 me")
    await channel.do("Bob", "roll d6")
    await channel.do("Anna", "deck draw standard-52 to=me")
    asked = await channel.say("Anna", "game undo")
    second = Person("console:anna2", "Anna's other account")
    pressed = await channel.app.press(asked.buttons[0].action, second, channel.place, "second")
    assert pressed.error
