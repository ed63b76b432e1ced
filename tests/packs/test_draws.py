"""Combat sequences that draw cards out of a deck of their game: played, told, counted, undone, exported, verified."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.audit.check_file import check
from bot.packs.check import check_path
from tests.forging import bodies
from tests.packs.conftest import PackMaker
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text
from tools import verify_log

CHANCES = """\
title: Chances
cards:
  - {id: quiet, name: "All quiet", count: 4, ap: 0, side: none, after: back}
  - {id: rain, name: Rain, count: 2, ap: 1, side: both, wet: true}
  - {id: guide, name: "A guide", ap: 3, side: blue, after: removed}
"""
PLAIN = "title: Events\nempty: refuse\nafter: removed\ncards: [{id: storm, ap: 2, count: 2}, {id: calm, ap: 0}]\n"
SEQUENCES = """\
chance:
  title: Chance
  source: "ours"
  summary: A card, and a die where it has any ap.
  dice: 1d6
  inputs: {units: {type: units, help: "who"}}
  outputs: {result: [lost, held], ap: int, card: text}
  odds_by: result
  example: {units: "unit"}
  steps:
  - draw: {card: "chances: a chance for {units[0]}"}
    roll: {die: "1d6: nerve"}
    let: {ap: card.ap, result: lost if die <= card.ap else held}
    headline: "{result}"
  - change: {unit: "units[0]", when: result == lost, set: {state: lost}}
pair:
  title: Pair
  source: "ours"
  summary: Two cards at once, one of which stays in play.
  inputs: {n: {type: int, default: 1, min: 0, max: 9, help: "how many events"}}
  outputs: {total: int}
  odds_by: total
  example: {n: 1}
  steps:
  - draw: {one: chances, other: "chances, into play"}
  - let: {total: one.ap + other.ap}
  - each: numbers(n)
    draw: {event: events}
    let: {total: total + event.ap}
  - headline: "{total} in all"
march:
  title: March
  source: "ours"
  summary: A card for each unit.
  inputs: {unit: {type: unit, help: "who"}}
  outputs: {result: text}
  odds_by: result
  steps:
  - draw: {card: chances}
    let: {result: card.id}
    headline: "{unit}: {result}"
ask:
  title: Ask
  source: "ours"
  summary: A card, then a side is asked.
  inputs: {units: {type: units, help: "who"}}
  outputs: {result: [stay, go, lost]}
  odds_by: result
  example: {units: "unit"}
  steps:
  - draw: {card: chances}
  - choose: {what: {who: actor, ask: "{card}. Stay or go?", options: {stay: "stay", go: "go"}, else: stay}}
  - let: {result: stay}
  - when: what == go
    roll: {die: 1d6}
    let: {result: lost if die <= card.ap else go}
  - headline: "{result}"
"""
GAME = (
    "groups: {combat: Combat}\nunits: {types: [unit], states: [well, lost], well: [well], lost: [lost]}\n"
    "scores: {chance: {lost: -1, held: 0}}\nturns: by-side\nphases: [{name: fire, go: own, buttons: [chance, next]}]\n"
)
SCENARIO = (
    "title: Ford\nsides: [Reds, Blues]\nunits:\n- {name: 'Red 1..3', type: unit, side: Reds}\n"
    "- {name: Blue, type: unit, side: Blues}\n"
)
FILES: dict[str, str | bytes | None] = {
    "game.yaml": GAME, "decks/chances.yaml": CHANCES, "decks/events.yaml": PLAIN, "sequences.yaml": SEQUENCES,
    "scenarios/ford.yaml": SCENARIO,
}  # fmt: skip


@pytest.fixture(autouse=True)
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack(FILES)
    use_packs(path.parent)
    return path


async def ford() -> Channel:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start few scenario=ford", "game join Reds")
    await channel.do("Bob", "game join Blues")
    return channel


async def left(channel: Channel, deck: str = "chances") -> str:
    """What is out of a pile, in short."""
    game = await channel.game()
    return " ".join(f"{key.partition('/')[2]}={count}" for key, count in sorted(game.cards.items()) if deck in key)


async def sound(channel: Channel, folder: Path) -> dict[str, Any]:
    """The exported log, which all three verifiers find sound."""
    log: dict[str, Any] = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log)[0] == []
    (seen,) = said_by_page([json.dumps(log)], folder)
    assert seen["faults"] == []
    return log


def test_the_check_finds_nothing(pack: Path) -> None:
    (fault,) = check_path(pack).faults
    assert "march: its example fails" in fault, "it takes units of a roster, which the check has not"


async def test_a_card_is_drawn_told_and_goes_where_its_deck_says(tmp_path: Path) -> None:
    channel = await ford()
    told = (await channel.do("Anna", "few chance units='Red 1'")).text()
    game = await channel.game()
    assert list(game.decks) == ["chances"], "declared before its first die"
    log = await sound(channel, tmp_path)
    (event,) = bodies(log, "sequence")
    die, nerve = event["dice"]
    assert (die["label"], die["sides"], die["deck"]) == ("a chance for Red 1", 7, "chances")
    assert "deck" not in nerve
    assert event["read"] == {"deck.chances": ["quiet*4 rain*2 guide / -"]}
    goes = {"back": {}, "discard": {"chances/discard/rain": 1}, "removed": {"chances/removed/guide": 1}}
    assert game.cards == goes[die["to"]]
    assert log["version"] == 2
    assert f"chances: {7 - len(game.cards)} of 7 in the pile" in told


async def test_several_draws_leave_one_in_play_and_the_rest_go_where_they_belong(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "few pair n=2")
    log = await sound(channel, tmp_path)
    (event,) = bodies(log, "sequence")
    assert [die["to"] for die in event["dice"]][1:] == ["play", "removed", "removed"]
    assert [die["sides"] for die in event["dice"]] == [7, 6, 3, 2]
    game = await channel.game()
    assert sum(count for key, count in game.cards.items() if key.startswith("chances/play/")) == 1
    await channel.do("Anna", "few pair n=1")
    await channel.fails("Anna", "few pair n=1", "Events has too few cards left to draw")
    await sound(channel, tmp_path)


async def test_undo_by_consent_puts_the_card_back_and_redo_brings_it_again(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "few pair n=0")
    out = await left(channel)
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    assert await left(channel) == ""
    await channel.do("Bob", "game redo")
    await channel.do("Anna", "game redo")
    assert await left(channel) == out != ""
    await channel.do("Anna", "few pair n=0", "deck discard all deck=chances", "deck draw chances")
    await sound(channel, tmp_path)


async def test_each_of_several_units_draws_from_what_the_ones_before_left(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "few march unit='Red 1..3; Blue'")
    (event,) = bodies(await sound(channel, tmp_path), "sequence")
    assert [die["sides"] for die in event["dice"]] == [7, 6, 5, 4]
    await channel.do("Anna", "few march unit='Red 1..3'")
    await sound(channel, tmp_path)


async def test_cards_of_a_real_deck_are_typed_by_id_or_name(tmp_path: Path) -> None:
    channel = await ford()
    await channel.fails(
        "Anna", "few chance units='Red 1' hand=?", "Next die: a chance for Red 1 (a card: quiet, rain, guide)"
    )
    await channel.fails(
        "Anna",
        "few chance units='Red 1' hand=hail,2",
        "Chances has no card hail left to draw.\nIt may be quiet, rain, guide.",
    )
    await channel.fails("Anna", "few chance units='Red 1' hand=rain", "Next die: nerve")
    await channel.fails("Anna", "few chance units='Red 1' hand=3,rain", "no card 3")
    told = (await channel.do("Anna", "few chance units='Red 1' hand='A Guide, 2'")).text()
    assert "A guide (ap 3, side blue)" in told
    assert await left(channel) == "removed/guide=1"
    await channel.fails("Anna", "few chance units='Red 2' hand=guide,2", "no card guide left to draw")
    (event,) = bodies(await sound(channel, tmp_path), "sequence")
    assert event["hand"] is True
    await channel.do("Anna", "few march unit='Red 2; Red 3' hand=rain,quiet")
    await sound(channel, tmp_path)


async def test_a_card_then_a_choice(tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "few ask units='Red 1' hand=rain")
    assert await left(channel) == "discard/rain=1"
    await channel.do("Anna", "deck draw chances", "deck shuffle chances")
    await channel.do("Anna", "choose go")
    await sound(channel, tmp_path)
    await channel.do("Anna", "few ask units='Red 1'", "game undo")
    await channel.do("Bob", "game undo")
    await sound(channel, tmp_path)


async def test_who_may_not_and_what_cannot_be() -> None:
    channel = await ford()
    await channel.fails(
        "Anna",
        "few chance units='Red 1' secret",
        "Chance draws cards for all to see, so it cannot be rolled under seal.",
    )
    await channel.fails("Cleo", "few pair", "")
    await channel.do("Anna", "deck draw chances to=me")
    hidden = "Cards of chances are closed, in hands or of known place, so combat sequences cannot draw from it."
    await channel.fails("Anna", "few chance units='Red 1'", hidden)
    await channel.fails("Bob", "few chance units=Blue odds", hidden)


async def test_odds_count_what_is_left_and_what_if_keeps_it() -> None:
    channel = await ford()
    assert "lost 12%" in (await channel.do("Anna", "few chance units='Red 1' odds")).text(), "5 ap on 7 cards, by 6"
    assert (await channel.game()).decks == {}, "odds declare nothing"
    await channel.do("Anna", "few chance units='Red 1' hand=guide,6")
    assert "lost 6%" in (await channel.do("Anna", "few chance units='Red 1' odds")).text(), "2 ap on 6 cards, by 6"
    before = await left(channel)
    await channel.press("Anna", await channel.under(6, "odds"))
    assert await left(channel) == before
