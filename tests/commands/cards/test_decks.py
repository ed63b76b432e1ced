"""`/deck` as it is played: made, drawn, discarded, shuffled, shown, undone as dice are, exported
and imported.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot.rules import cards
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from tests.forging import bodies, rechained
from tests.fresh import fresh_app
from tests.packs.evening import refused_by_all
from tests.page_script import said_by_page
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tests.refusing import assert_refused
from tools import verify_log


async def sound(channel: Channel) -> dict[str, object]:
    """The exported log, which must be sound."""
    log: dict[str, object] = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    return log


async def test_an_evening_with_a_cup() -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", 'deck make "1..5" cup')
    assert reply.title == "Anna makes a deck: cup, 5 cards"
    first = await channel.do("Bob", "deck draw 3")
    assert re.fullmatch(r"Bob draws \d, \d, \d", first.title)
    assert "2 of 5 in the pile, 3 in play" in first.format_text()
    drawn = first.title.removeprefix("Bob draws ").split(", ")
    await channel.do(
        "Anna", f"deck discard {drawn[0]}", "deck discard all out", f"deck return {drawn[0]}"
    )
    shown = await channel.do("Anna", "deck show")
    assert shown.private
    assert "3 of 5 in the pile, 2 out of the game" in shown.format_text()
    rest = await channel.do("Bob", "deck draw cup 3")
    assert set(rest.title.removeprefix("Bob draws ").split(", ")) == {*"12345"} - {*drawn[1:]}
    await channel.refused("Bob", "deck draw", "empty-pile")
    await channel.do("Anna", "deck discard all")
    again = await channel.do("Anna", "deck draw 2")
    assert "The pile was empty, so the discards were shuffled in first." in again.format_text()
    await channel.do("Anna", "fair reveal")
    await sound(channel)


async def test_the_draw_button_draws_one_more() -> None:
    channel = await Channel.fresh()
    reply = await channel.do("Anna", "deck draw standard-52")
    button = next(one for one in reply.buttons if one.label == "Draw")
    assert (await channel.press("Bob", button.action)).title.startswith("Bob draws ")
    game = await channel.game()
    assert sum(game.cards.values()) == 2


async def test_a_standard_deck_is_declared_before_its_first_die() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "deck draw standard-54 54")
    log = await sound(channel)
    kinds = [event["body"]["kind"] for event in log["events"]]  # type: ignore[attr-defined]
    assert kinds == ["start", "deck", "draw"]
    assert log["version"] == 2


async def test_words_are_kept_apart_and_can_be_deleted() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'deck make "*Ambush* x2, <@5>, 7" events', "deck draw events 4")
    text = await exported_text(channel)
    bodies = json.dumps([event["body"] for event in json.loads(text)["events"]])
    assert "Ambush" not in bodies
    assert "*Ambush*, " in (await channel.say("Bob", "log")).format_text()
    await channel.do("Anna", "privacy delete confirm")
    shown = (await channel.say("Bob", "deck show")).format_text()
    assert "Ambush" not in shown
    assert "card 1 x2" in shown
    assert "Ambush" not in await exported_text(channel)
    await sound(channel)


async def test_names_are_put_in_order_by_anybody() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    reply = await channel.do("Carl", 'deck shuffle "Alice, Bob, Carol"')
    assert sorted(reply.title.removeprefix("In order: ").split(", ")) == ["Alice", "Bob", "Carol"]
    assert "in order: " in (await channel.say("Bob", "log")).format_text()
    await channel.refused("Carl", "deck draw standard-52", "not-player")
    await channel.fails("Anna", 'deck shuffle "Alice,"', "2 to 60 names")
    await channel.do("Anna", "fair reveal")
    await sound(channel)


async def test_undo_of_a_draw_needs_consent_and_gives_no_second_try() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", 'deck make "1..1000" cup' if cards.MOST_KINDS >= 1000 else 'deck make "1..400" cup'
    )
    first = await channel.do("Anna", "deck draw")
    asked = await channel.do("Anna", "game undo")
    assert "Dice were rolled" in asked.format_text()
    assert sum((await channel.game()).cards.values()) == 1
    await channel.do("Bob", "game undo")
    assert not (await channel.game()).cards
    again = await channel.do("Anna", "deck draw")
    assert again.title != first.title
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo")
    assert sum((await channel.game()).cards.values()) == 1
    await channel.do("Anna", "fair reveal")
    await sound(channel)


async def test_a_deck_of_the_same_name_begins_anew() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'deck make "1..5" cup', "deck draw cup 5")
    assert "starts over" in (await channel.do("Anna", 'deck make "1..3" cup')).title
    assert not (await channel.game()).cards
    await channel.do("Anna", "game undo")
    assert sum((await channel.game()).cards.values()) == 5
    refused = await channel.refused("Anna", "deck make standard-52 standard-54", "bad-value name")
    assert refused.title == "standard-54 is already a deck with its own cards."
    await sound(channel)


async def test_a_deck_comes_along_with_an_import() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'deck make "1..5, Ambush" cup', "deck draw cup 2", "deck discard all")
    file = await exported_text(channel)
    there = Channel(await fresh_app(), Place("console:there", "console"))
    command = Command(("game", "import"), {"file": file}, there.who("Bob"), there.place, "import")
    assert not (await there.app.run(command)).error
    assert (await there.game()).cards == (await channel.game()).cards
    assert "4 of 6 in the pile, 2 discarded" in (await there.do("Bob", "deck show")).format_text()
    await there.do("Bob", "deck draw cup 6", "fair reveal")
    await sound(there)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("deck draw nope", "unknown-deck deck"),
        ("deck draw cup 61", "bad-value count"),
        ("deck draw cup 7", "empty-pile count"),
        ("deck discard 9", "unknown-card cards"),
        ("deck discard 1", "unknown-card cards"),
        ("deck return all", "unknown-card cards"),
        ("deck shuffle cup", "empty-pile"),
        ("deck make '1..500' big", "too-many cards"),
        ("deck make '1 x9999' big", "too-many cards"),
        ("deck make ',' big", "missing cards"),
        ("deck make '1..6' 'No Name!'", "bad-value name"),
        ("deck make '1..6' cup", "no-change"),
    ],
)
async def test_what_cannot_be_is_refused_in_one_line(line: str, what: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'deck make "1..6" cup')
    reply = await channel.say("Anna", line)
    assert reply.error
    assert_refused(what, reply.code, reply.option, reply.title)
    assert "\n" not in reply.title
    assert (await channel.game()).number == 2


async def test_a_game_has_so_many_decks_and_no_more() -> None:
    channel = await Channel.fresh()
    for number in range(cards.MOST_DECKS):
        await channel.do("Anna", f'deck make "1..{number + 2}"')
    await channel.fails("Anna", 'deck make "1..99"', "at most 12 decks")
    await channel.fails("Anna", "deck draw standard-52", "at most 12 decks")
    await channel.do("Anna", 'deck make "1..99" deck-3')


async def test_the_last_text_does_not_close_itself_by_a_draw() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'fair add "mine"')
    await channel.fails("Anna", "deck draw standard-52", "another player has to roll first")
    await channel.do("Bob", "deck draw standard-52", "deck draw standard-52")
    await sound(channel)


async def test_a_deck_begun_anew_as_it_was_is_no_forgery(tmp_path: Path) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", 'deck make "1..6" cup', "deck draw cup 2", 'deck make "1..6" cup', "deck draw cup 6"
    )
    text = await exported_text(channel)
    assert check(json.loads(text)).faults == ()
    assert verify_log.check(json.loads(text)).faults == []
    (page,) = said_by_page([text], tmp_path)
    assert page["faults"] == []


async def test_the_deck_is_asked_for_only_where_several_could_be_meant() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Hill sides=US,VC", "game join US")
    await channel.do("Anna", 'deck make "1..3" one', 'deck make "Rain, Sun" two', "deck draw one 2")
    assert (await channel.do("Anna", "deck discard all")).by == "one"
    assert (await channel.do("Anna", "deck shuffle")).by == "one"
    await channel.refused("Anna", "deck draw", "unknown-deck")
    await channel.do("Anna", "deck draw one", "deck draw two 2")
    await channel.refused("Anna", "deck discard all", "unknown-deck")
    assert (await channel.do("Anna", "deck discard rain")).by == "two"
    assert (await channel.do("Anna", "deck return Rain")).by == "two"
    await channel.do("Anna", "deck make Fog two once=yes", "deck draw two")
    assert (await channel.do("Anna", "deck draw")).by == "from one", (
        "the other has nothing left to draw"
    )


async def test_all_means_those_in_play_before_those_of_a_hand() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Hill sides=US,VC", "game join US")
    await channel.do(
        "Anna",
        'deck make "1..3" one',
        'deck make "Rain, Sun" two',
        "deck draw one",
        "deck draw two to=me",
    )
    assert (await channel.do("Anna", "deck discard all")).by == "one"
    assert "1 in US's hand" in (await channel.do("Anna", "deck show two")).format_text()
    assert (await channel.do("Anna", "deck discard all")).by == "from two", "nothing else is there"


async def test_a_deck_is_drawn_by_a_macro_and_an_order_says_how() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", "game start lnlt Hill sides=US,VC", "game join US", 'deck make "1..9" cup'
    )
    await channel.do("Anna", 'macro add c "deck draw cup {n=1}"')
    assert (await channel.do("Anna", "macro run c n=3")).title.count(",") == 2
    refused = await channel.refused(
        "Anna", 'order write command="deck draw cup"', "bad-value command"
    )
    assert (
        'only rolls, tables and combat sequences can.\nWrite it in words instead: /order write "deck draw"'
        in refused.format_text()
    )
    await channel.do("Anna", 'order write "deck draw"')
    wrong = await channel.fails("Anna", "order write text=deck command=draw", "There is no command")
    assert wrong.better == '/order write deck "deck draw"'


async def test_cards_of_a_real_deck_are_typed_and_marked_for_ever(tmp_path: Path) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'deck make "1..5, Air strike x2" cup once=yes')
    told = await channel.do("Bob", 'deck draw hand="air strike, 3"')
    assert (told.title, told.footer[-1]) == ("Bob draws Air strike, 3", "drawn by hand")
    assert (
        "draws Air strike, 3 from cup (drawn by hand)"
        in (await channel.do("Anna", "log 3")).format_text()
    )
    await channel.refused("Bob", "deck draw cup hand=,", "bad-value hand")
    refused = await channel.refused("Bob", "deck draw cup hand=3", "bad-face hand")
    assert (
        refused.format_text()
        == "cup has no card 3 left to draw.\nIt can be 1, 2, 4, 5, Air strike."
    )
    for line in ("deck draw cup 3 hand=1,2", "deck draw cup to=me hand=1"):
        await channel.refused("Bob", line, "not-together hand")
    await channel.do("Bob", "game undo")
    assert not (await channel.do("Anna", "game undo")).error, "by consent, as dice"
    await channel.do("Bob", 'deck draw hand="air strike, 3"')
    await channel.do("Anna", "deck draw cup", "deck draw cup to=me")
    await channel.refused("Bob", "deck draw cup hand=1", "closed-cards hand")
    await channel.do("Anna", "deck play all", "game settings hand_dice=no")
    await channel.refused("Bob", "deck draw cup hand=1", "no-hand-dice")
    assert (await channel.do("Anna", "game stats")).title.startswith("No rolls to judge luck by")
    await channel.do("Anna", "game end")
    text = await exported_text(channel)
    assert check(json.loads(text)).faults == ()
    assert check(json.loads(text)).by_hand == 4, "also what was undone"
    assert verify_log.check(verify_log.parse_json(text)).faults == []
    (page,) = said_by_page([text], tmp_path)
    assert page["faults"] == []
    draw = next(body for body in bodies(json.loads(text)) if body.get("hand"))
    assert "closes" not in draw, "no die of the game's fell"
    for bent in (
        {"hand": False},
        {"does": "names"},
        {"dice": [{**draw["dice"][0], "value": 1}, draw["dice"][1]]},
    ):
        log = json.loads(text)
        next(body for body in bodies(log) if body.get("hand")).update(bent)
        refused_by_all(rechained(log))
    log = json.loads(text)
    next(body for body in bodies(log) if "closed" in body)["hand"] = True
    refused_by_all(rechained(log))


async def test_what_was_typed_while_the_game_allowed_none_is_refused_by_all(tmp_path: Path) -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do(
        "Anna", 'deck make "1..5" cup', "game settings hand_dice=no", "deck draw", "game end"
    )
    log = json.loads(await exported_text(channel))
    next(body for body in bodies(log) if body["kind"] == "draw")["hand"] = True
    refused_by_all(rechained(log))
