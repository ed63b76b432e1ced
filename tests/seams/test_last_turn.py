"""Every scenario to its last turn: each card counts the turns, the last one asks who won, and the
players of both sides end the game together.

Sam leads the game and plays no side; Anna plays the first side, Bob the second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.game import scenario_base
from bot.game.sides import fit_verb
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from tests.playing import Channel
from tests.random_play import exported_text
from tools import verify_log

ROOT = Path(__file__).parents[2]
FILES = [*ROOT.glob("tables/*/scenarios/*.yaml"), *ROOT.glob("packs/*/scenarios/*.yaml")]
NUMBERS = ["five", "six", "seven", "eight", "nine", "ten"]
IN_WORDS = re.compile(rf"\b({'|'.join(NUMBERS)}) (?:turns|rounds)\b", re.IGNORECASE)
FORD = "game start lnlt scenario=ford"
MOST_PHASES = 150


def read(file: Path) -> dict[str, Any]:
    """Return the content of a scenario, completed from the one that it is built on."""
    data: dict[str, Any] = yaml.safe_load(file.read_text())
    if scenario_base.ON not in data:
        return data
    base = yaml.safe_load(file.with_stem(data[scenario_base.ON]).read_text())
    return scenario_base.lay_over(base, data)


def with_turns() -> Iterator[tuple[str, str, int]]:
    """Yield the game, the name and the last turn of each scenario that has one."""
    for file in FILES:
        data = yaml.safe_load(file.read_text())
        if "turns" in data:
            yield file.parts[-3], file.stem, data["turns"]


def read_tracks(game: str) -> list[dict[str, Any]]:
    """Return the tracks of a game, as its file has them."""
    (file,) = [*ROOT.glob(f"tables/{game}/game.yaml"), *ROOT.glob(f"packs/{game}/game.yaml")]
    return [*(yaml.safe_load(file.read_text()).get("tracks") or {}).values()]


def action(reply: Reply, label: str) -> str:
    """Return what the button with this label does."""
    return next(button.action for button in reply.buttons if button.label == label)


async def seated(start: str) -> Channel:
    """Return a channel with a scenario that both sides have joined."""
    channel = await Channel.fresh()
    await channel.do("Sam", start)
    first, second = (await channel.game()).sides
    await channel.do("Anna", f'game join "{first}"')
    await channel.do("Bob", f'game join "{second}"')
    return channel


async def over(channel: Channel, turns: int) -> Reply:
    """Return the card that follows the last turn; each card before it counts the turns."""
    for _ in range(MOST_PHASES):
        turn = (await channel.game()).turn
        card = await channel.do("Sam", "game next")
        game = await channel.game()
        if game.turn > turns:
            assert turn == turns
            return card
        assert card.title.startswith(f"Turn {game.turn} of {turns}"), card.format_text()
    raise AssertionError(f"{MOST_PHASES} phases do not end turn {turns}")


def labels(reply: Reply) -> list[str]:
    """Return the labels of all buttons."""
    return [button.label for button in reply.buttons]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_a_scenario_that_names_its_turns_has_them_as_data(file: Path) -> None:
    data = read(file)
    in_words = IN_WORDS.search(data.get("about", ""))
    if in_words:
        assert data.get("turns") == NUMBERS.index(in_words[1].casefold()) + 5
    assert "wins" in data or "turns" not in data


@pytest.mark.sample(3)
@pytest.mark.parametrize(("game", "scenario", "turns"), [*with_turns()])
async def test_the_last_turn_ends_with_the_question_who_won(
    game: str, scenario: str, turns: int, use_packs: Callable[[Path], None]
) -> None:
    use_packs(ROOT / "packs")
    channel = await seated(f"game start {game} scenario={scenario}")
    started = await channel.game()
    first, second = started.sides
    card = await over(channel, turns)
    has_score = any("wins" in track for track in read_tracks(game))
    question = "By the score, it is a draw." if has_score else "Who won?"
    assert card.title == f"That was turn {turns}, the last. {question}"
    assert started.wins in card.format_body()
    wins = [f"{side} {fit_verb(side, 'wins', 'win')}" for side in (first, second)]
    outcomes = ["Confirm: A draw", *wins] if has_score else [*wins, "A draw"]
    assert labels(card) == [*outcomes, "Play on"]
    assert {button.style for button in card.buttons} == {"plain"}

    asked = await channel.press("Bob", action(card, wins[1]))
    assert asked.title == f"Bob asks to end the game: {wins[1]}"
    assert "Anna must agree, or Sam, the game master." in asked.format_body()
    story = await channel.press("Anna", action(asked, "Agree"))
    assert story.title == f"{started.name} is over: {wins[1]} after turn {turns}"
    assert "Bob and Anna agree." in story.format_body()
    ended = await channel.game()
    assert (ended.ended, ended.winner) == (True, second)


async def test_play_on_shows_the_card_of_the_next_turn_once() -> None:
    channel = await seated(FORD)
    card = await over(channel, 6)
    turned = await channel.press("Anna", action(card, "Play on"))
    assert turned.title == "Turn 7, Rally: both sides"
    assert "Anna plays on." in turned.format_body()
    await channel.do("Sam", "game next")
    late = await channel.press("Anna", action(card, "Play on"))
    assert (late.code, late.private) == ("phase-over", True)
    asked = await channel.do("Sam", "game end")
    story = await channel.press("Sam", action(asked, "US won"))
    assert story.title == "The Ford at Dawn is over: US wins on turn 7"


async def test_a_stranger_neither_ends_a_game_nor_plays_on() -> None:
    channel = await seated(FORD)
    card = await over(channel, 6)
    ended = await channel.press("Eve", action(card, "US wins"))
    assert ended.code == "not-master"
    assert "Ask Sam, the game master." in ended.format_text()
    assert (await channel.press("Eve", action(card, "Play on"))).code == "not-player"
    assert not (await channel.game()).ended


async def test_the_game_master_ends_the_game_from_the_card_alone() -> None:
    channel = await seated(FORD)
    card = await over(channel, 6)
    story = await channel.press("Sam", action(card, "A draw"))
    assert story.title == "The Ford at Dawn is over: a draw after turn 6"


async def test_who_won_has_no_green_button() -> None:
    channel = await seated(FORD)
    for name in ("Sam", "Anna"):
        asked = await channel.do(name, "game end")
        assert asked.title == 'End "The Ford at Dawn" on turn 1? Who won?'
        assert {button.style for button in asked.buttons} == {"plain"}
    assert "VC must agree." in asked.format_body()


async def test_the_other_side_may_type_its_agreement_or_play_on() -> None:
    channel = await seated(FORD)
    asked = await channel.do("Anna", 'game end winner=US text="The hill is taken." confirm')
    assert asked.announce is not None
    assert (await channel.press("Anna", action(asked.announce, "Agree"))).code == "not-yours"
    assert (await channel.press("Eve", action(asked.announce, "Agree"))).code == "not-player"
    refused = await channel.press("Bob", action(asked.announce, "Play on"))
    assert refused.format_body() == ["Bob wants to play on."]
    assert (await channel.press("Bob", action(asked.announce, "Agree"))).code == "not-asked"

    await channel.do("Anna", 'game end winner=US text="The hill is taken." confirm')
    other = await channel.do("Bob", "game end winner=VC confirm")
    assert other.announce is not None
    assert other.announce.title == "Bob asks to end the game: VC wins"
    await channel.do("Anna", "game end winner=VC confirm")
    game = await channel.game()
    assert (game.ended, game.winner) == (True, "VC")


async def test_a_player_without_an_opponent_is_sent_to_the_game_master() -> None:
    channel = await Channel.fresh()
    await channel.do("Sam", FORD)
    await channel.do("Anna", "game join US")
    refused = await channel.refused("Anna", "game end", "not-master")
    assert "Only the game master or a manager can end it." in refused.format_text()
    assert "Ask Sam, the game master." in refused.format_text()


@pytest.mark.parametrize(
    ("points", "score"),
    [
        ({"Duke": 9, "League": 4}, "Duke 9, League 4: Duke is ahead"),
        ({"Duke": 4, "League": 9}, "Duke 4, League 9: League is ahead"),
        ({"Duke": 4, "League": 4}, "Duke 4, League 4: level"),
    ],
)
async def test_the_score_is_in_the_question_and_in_the_story(
    points: dict[str, int], score: str, use_packs: Callable[[Path], None]
) -> None:
    use_packs(ROOT / "packs")
    channel = await seated("game start salt-road scenario=year")
    await channel.do("Anna", f"track set points {points['Duke']}")
    await channel.do("Bob", f"track set points {points['League']}")
    asked = await channel.do("Sam", "game end")
    assert f"Points: {score}" in asked.format_body()
    labels = [button.label for button in asked.buttons[:4]]
    if score.endswith("level"):
        assert labels == ["Draw", "Duke won", "League won", "No result"]
    else:
        assert labels == ["Duke won", "League won", "Draw", "No result"]
    story = await channel.press("Sam", action(asked, "Duke won"))
    assert f"Points: {score.partition(':')[0]}\n" in story.format_text(), "nobody is ahead any more"
    is_doubted = (
        "Duke's win is the players' decision; the score says otherwise." in story.format_body()
    )
    assert is_doubted == (not score.endswith("Duke is ahead"))


async def test_the_coloured_button_of_a_card_game_is_what_is_left_to_play(
    use_packs: Callable[[Path], None],
) -> None:
    """*Draw* while a hand has room, *Your hand* while cards are left, orders next, at last *Pass*."""
    use_packs(ROOT / "packs")
    channel = await seated("game start salt-road scenario=year")

    async def coloured() -> list[str]:
        card = await channel.do("Sam", "game board")
        return [button.label for button in card.buttons if button.style == "primary"]

    assert await coloured() == ["Draw to five"]
    await channel.do("Anna", "deck draw to=full")
    await channel.do("Bob", "deck draw to=full")
    assert await coloured() == ["Done"]
    await channel.do("Sam", "game next")
    await channel.do("Sam", "game initiative Duke")
    assert await coloured() == ["Your hand"]
    await channel.do("Anna", "track set cards 0", "track set orders 2")
    assert await coloured() == ["March"]
    await channel.do("Anna", "track set orders 0")
    assert await coloured() == ["Pass"]


async def test_who_asks_or_agrees_to_end_the_game_agrees_to_open_their_hand(
    use_packs: Callable[[Path], None],
) -> None:
    use_packs(ROOT / "packs")
    channel = await seated("game start salt-road scenario=year")
    await channel.do("Anna", "deck draw duke 2 to=me")
    await channel.do("Bob", "deck draw league 2 to=me")
    asked = await channel.do("Anna", "game end winner=Duke confirm")
    assert asked.announce is not None
    assert "Anna agrees to open Duke's hand." in asked.announce.format_body()
    story = await channel.press("Bob", action(asked.announce, "Agree"))
    assert story.title == "One year on the salt road is over: Duke wins on turn 1"
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    assert verify_log.check(log).faults == []
