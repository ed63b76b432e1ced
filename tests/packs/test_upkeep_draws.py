"""Upkeep that draws: the card of the turn's events, a chance for each unit; same events, proofs and
undo as a draw in a sequence that somebody asks for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.packs.check import check_path
from bot.rulesets.catalog import find_shared_system
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from tests.forging import Json, bodies, rechained, renumbered
from tests.fresh import fresh_app
from tests.packs.conftest import PackMaker
from tests.packs.draws_helpers import FILES, ford, sound
from tests.packs.evening import refused_by_all
from tests.playing import Channel
from tests.random_play import exported_text
from tools.fuzz import FuzzTally, play_random_games

pytestmark = pytest.mark.scenes(6)

MORE = """\
news:
  title: News
  source: "ours"
  summary: The turn's card.
  inputs: {}
  outputs: {result: text, ap: int}
  odds_by: result
  steps:
  - draw: {card: "chances: the turn's news"}
    let: {result: card.id, ap: card.ap}
    headline: "{card}"
luck:
  title: Luck
  source: "ours"
  summary: A card for each unit.
  inputs: {units: {type: units, help: "who"}}
  outputs: {units: "list of {unit, ap}"}
  example: {units: "unit"}
  steps:
  - each: units
    draw: {card: "events, into play"}
    tell: {unit: unit.word, ap: card.ap}
    change: {unit: unit, when: card.ap > 1, set: {state: lost}}
  - headline: "{len(units)} cards"
"""
GAME = str(FILES["game.yaml"]).replace(
    "phases: [{name: fire, go: own, buttons: [chance, next]}]",
    "phases:\n- {name: fire, go: own, buttons: [chance, next]}\n"
    "- {name: news, go: both, buttons: [next], begins: [{run: news}, {run: luck, units: own}]}",
)
UPKEEP = {**FILES, "game.yaml": GAME, "sequences.yaml": f"{FILES['sequences.yaml']!s}{MORE}"}


@pytest.fixture(autouse=True)
def pack(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    path = make_pack(UPKEEP)
    use_packs(path.parent)
    return path


def kept_up(log: Json) -> list[Json]:
    return [body for body in bodies(log, "sequence") if "upkeep" in body]


def test_the_check_finds_nothing(pack: Path) -> None:
    assert check_path(pack).faults == ()


async def test_a_phase_draws_its_card_for_nobody_and_one_for_each_unit(tmp_path: Path) -> None:
    channel = await ford()
    card = (await channel.do("Anna", "game next")).format_text()
    log = await sound(channel, tmp_path)
    assert [body["kind"] for body in bodies(log)][-5:] == [
        "next",
        "deck",
        "sequence",
        "deck",
        "sequence",
    ]
    news, luck = kept_up(log)
    assert f"News: {news['result']}" in card
    assert "Luck, Reds: 3 cards" in card
    assert [die["deck"] for die in (*news["dice"], *luck["dice"])] == [
        "chances",
        "events",
        "events",
        "events",
    ]
    game = await channel.game()
    assert sum(count for key, count in game.cards.items() if key.startswith("events/play/")) == 3
    assert news["result"].split(",")[0] in {"All quiet", "Rain", "A guide"}


async def test_where_the_cards_give_out_the_card_says_so(tmp_path: Path) -> None:
    """`events` refuses: three cards, then none."""
    channel = await ford()
    await channel.do("Anna", "game next")
    for _ in range(4):
        card = (await channel.do("Anna", "game next")).format_text()
        log = await sound(channel, tmp_path)
    assert "Luck skips" in card or "Luck was not run" in card
    assert "nothing left to draw" in card or "left to draw" in card
    assert [one["target"] for one in kept_up(log)].count("luck") == 1


async def test_undo_by_consent_puts_them_back_before_the_phase_and_redo_draws_the_same(
    tmp_path: Path,
) -> None:
    channel = await ford()
    await channel.do("Anna", "game next")
    after = (await channel.content())["cards"]
    for event in ("luck", "news"):
        asked = await channel.do("Anna", "game undo")
        assert "Bob" in asked.format_text(), event
        await channel.do("Bob", "game undo")
        if event == "luck":
            await channel.do("Anna", "game undo")  # its deck, which nobody has drawn from
    assert not any(
        "chances" in key or "events" in key for key in (await channel.content())["cards"]
    )
    for _ in range(3):
        reply = await channel.say("Anna", "game redo")
        if not reply.error and "Bob" in reply.format_text():
            await channel.do("Bob", "game redo")
    assert (await channel.content())["cards"] == after
    await sound(channel, tmp_path)


async def test_the_phase_in_which_a_game_starts_leaves_the_draw_to_the_players(
    make_pack: PackMaker, use_packs: Callable[[Path], None], tmp_path: Path
) -> None:
    turned = GAME.replace(
        "{name: fire, go: own, buttons: [chance, next]}", "{name: x, go: own, buttons: [next]}"
    )
    first = turned.replace("- {name: x, go: own, buttons: [next]}\n", "")
    use_packs(make_pack({**UPKEEP, "game.yaml": first}).parent)
    channel = await Channel.fresh()
    started = (await channel.do("Anna", "game start few scenario=ford")).format_text()
    assert "Roll this first, once everybody is here: News, /few news" in started
    await channel.do("Anna", "game join Reds", "fair add ours", "few news")
    await sound(channel, tmp_path)


async def test_cards_ask_for_what_the_start_left_open_until_it_is_rolled(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    phases = (
        "phases:\n- {name: news, go: both, buttons: [next], begins: [{run: news}]}\n"
        "- {name: fire, go: both, buttons: [next]}\n- {name: melee, go: both, buttons: [next]}\n"
    )
    game = GAME[: GAME.index("phases:")] + phases
    use_packs(make_pack({**UPKEEP, "game.yaml": game}).parent)
    owed = "Still to roll: News, /few news"
    for rolls in (True, False):
        channel = await Channel.fresh()
        await channel.do("Anna", "game start few scenario=ford", "game join Reds")
        assert owed in (await channel.do("Anna", "game next")).format_body()
        assert owed in (await channel.do("Anna", "game status")).format_body()
        if rolls:
            await channel.do("Anna", "few news")
            assert owed not in (await channel.do("Anna", "game status")).format_body()
        assert (owed in (await channel.do("Anna", "game next")).format_body()) is not rolls
        turned = await channel.do("Anna", "game next")
        assert owed not in turned.format_body()
        assert "News" in turned.format_text(), "turn 2 rolls it by itself"


@pytest.mark.parametrize(
    "line", ["deck draw chances 2 me", "deck peek 2 chances", "deck draw chances 7"]
)
async def test_beside_closed_cards_and_on_a_pile_that_joins(line: str, tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", line, "deck discard all" if line.endswith("7") else "roll 1d6")
    await channel.do("Anna", "game next", "game next", "game next")
    log = await sound(channel, tmp_path)
    assert [one["target"] for one in kept_up(log)] == ["news", "luck", "news"]
    await channel.do("Anna", "game next", "game next")
    await channel.say("Bob", "hand agree")
    await channel.do("Anna", "game end confirm", "fair reveal")
    log = await sound(channel, tmp_path)
    if "peek" in line:
        assert kept_up(log)[0]["dice"][0]["sides"] == 0, "a known top comes without a die"


async def test_a_full_table_of_decks_keeps_the_phase_going(tmp_path: Path) -> None:
    channel = await ford()
    for number in range(12):
        await channel.do("Anna", f'deck make "1..3" d{number}')
    card = (await channel.do("Anna", "game next")).format_text()
    assert "News was not run: A game can have at most 12 decks." in card
    await sound(channel, tmp_path)


async def test_an_import_and_random_games_go_on_with_it() -> None:
    channel = await ford()
    await channel.do("Anna", "game next", "game next")
    text, out = await exported_text(channel), (await channel.game()).cards
    there = Channel(await fresh_app(), Place("console:there", "console"))
    command = Command(("game", "import"), {"file": text}, there.who("Anna"), there.place, "import")
    assert not (await there.app.run(command)).error
    await there.do("Anna", "game claim")
    assert (await there.game()).cards == out
    await there.do("Anna", "game next", "game next")
    assert check(json.loads(await exported_text(there))).faults == ()
    assert await play_random_games(find_shared_system("few"), 2, 3, FuzzTally()) is None


def _other_card(log: Json) -> None:
    die = kept_up(log)[0]["dice"][0]
    die["value"] = 7 if die["value"] < 7 else 1


def _no_deck(log: Json) -> None:
    kept_up(log)[0]["read"] = {}


def _late(log: Json) -> None:
    """It says that a roll which somebody asked for was upkeep."""
    bodies(log, "sequence")[-1]["upkeep"] = "news"


def _elsewhere(log: Json) -> None:
    kept_up(log)[1]["dice"][0]["to"] = "discard"


def _another_phase(log: Json) -> None:
    kept_up(log)[0]["upkeep"] = "fire"


def _behind_decks_alone(log: Json) -> None:
    """Nothing but a deck is before it: no phase has begun."""
    events = log["events"]
    at = next(number for number, event in enumerate(events) if "upkeep" in event["body"])
    log["events"] = events[at - 1 :]
    renumbered(log)


def _first_of_all(log: Json) -> None:
    events = log["events"]
    log["events"] = events[
        next(number for number, event in enumerate(events) if "upkeep" in event["body"]) :
    ]
    renumbered(log)


BENDS = [
    _other_card,
    _no_deck,
    _late,
    _elsewhere,
    _another_phase,
    _behind_decks_alone,
    _first_of_all,
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("bend", BENDS)
async def test_a_cheat_is_seen_by_all_three(bend: Callable[[Json], None], tmp_path: Path) -> None:
    channel = await ford()
    await channel.do("Anna", "game next", "roll 1d6", "few pair n=0", "fair reveal")
    log: dict[str, Any] = await sound(channel, tmp_path)
    bend(log)
    refused_by_all(rechained(log))
