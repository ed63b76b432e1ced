"""`/game undo` takes back the last step of whoever asks, whatever its result; anything else it
names and asks first.

The shots come from the registry and the packs, so that a new game joins by itself. Who agrees and
what is in the way of an undo is in `test_undo.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.game.state import Game
from bot.game.undo import find_last_step
from bot.presentation.headline import find_target_option
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.system import ATTACKS, list_builtin_systems
from bot.ui.reply.reply import OPEN_FORM
from bot.ui.typing.command_text import format_command, parse_text
from tests.commands.choices_helpers import dare
from tests.commands.pack_helpers import add, managed
from tests.page_script import said_by_page
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tests.seams.every_unit_helpers import FOLDER, PACKS
from tests.seams.last_step_helpers import (
    OWN_STEPS,
    asked_first,
    newest,
    table,
)
from tests.seams.undo_helpers import PLACE, assert_verified

ALL = [*list_builtin_systems().values(), *map(load_pack, PACKS)]
BLANK = "asl-fire"
"""A pack whose table each player fills in from their own card."""
GAMES = [game.id for game in ALL if game.has_sequences and game.id != BLANK]
NO_SHOT = (BLANK, "salt-road", "strategos-t", "three-mills")
"""Games whose unit cards offer no attack at once: a card, an order or a chit comes first."""
WITH_ROSTER = [game.id for game in ALL if game.scenarios and game.id not in NO_SHOT]
TRIES = 25
"""Shots with the game's dice, one of which has no effect."""
ALWAYS_CHANGING = {
    ("salt-road", "typed"),
    ("little-wars", "of the roster"),
    ("maneuver-rules", "of the roster"),
    ("omniversal", "of the roster"),
}
"""Where each shot changes units or tracks."""


async def start(channel: Channel, id: str) -> None:
    """Start the first scenario of a game, or a game without one; Anna and Bob play a side each."""
    game = load_shared_systems()[id]
    scenario = next(iter(game.scenarios), None)
    begin = f'scenario="{scenario}"' if scenario else 'X sides="North, South"'
    await channel.do("Anna", f"game start {id} {begin}")
    sides = (await channel.game()).sides
    await channel.do("Anna", f'game join "{sides[0]}"')
    await channel.do("Bob", f'game join "{sides[1]}"')


def shots_with_typed_units(id: str) -> list[str]:
    """The example of each attack of a game, or of each sequence if it has no attack, as people
    type it.
    """
    game = load_shared_systems()[id]
    sequences = [game.find_sequence(name) for name in game.sequences]
    attacks = [sequence for sequence in sequences if sequence.verb in ATTACKS]
    known = load_shared_registry()
    lines: list[str] = []
    for sequence in attacks or sequences:
        spec = known.get((id, sequence.id))
        assert spec is not None
        lines.append(format_command(spec, sequence.example))
    return lines


async def shots_with_units_of_the_roster(channel: Channel, id: str) -> list[str]:
    """Return the commands that the cards of Anna's units offer against each enemy, attacks first."""
    game = await channel.game()
    own = game.sides[0]
    enemies = [unit.handle for unit in game.units.values() if unit.side not in ("", own)]
    attacks: list[str] = []
    others: list[str] = []
    for unit in game.units.values():
        if unit.side != own:
            continue
        card = await channel.do("Anna", f"unit show {unit.handle}")
        for button in card.buttons:
            if not button.action.startswith(OPEN_FORM):
                continue
            typed = parse_text(button.action.removeprefix(OPEN_FORM), load_shared_registry())
            if typed.spec.family != "sequence":
                continue
            sequence = load_shared_systems()[id].find_sequence(typed.spec.target)
            given = {**sequence.example, **typed.options}
            aimed = find_target_option(sequence.inputs)
            if aimed is None:
                others.append(format_command(typed.spec, given))
            else:
                attacks += [
                    format_command(typed.spec, {**given, aimed.name: enemy}) for enemy in enemies
                ]
    return [*attacks, *others]


async def fire(channel: Channel, lines: list[str]) -> dict[str, Any]:
    """Fire until a shot changes nothing in the game; that one, or else the last that was fired."""
    last: dict[str, Any] = {}
    fired = 0
    for line in lines:
        while fired < TRIES and not (await channel.say("Anna", line)).error:
            fired += 1
            last = await newest(channel)
            if not last.get("after") and not (await channel.game()).waits:
                return last
            if (await channel.game()).waits:
                break
    assert last, "no line was a shot"
    return last


async def assert_each_way_names(channel: Channel, number: int) -> None:
    """The command, the word alone, the button of the board and that of the answer ask for this
    event at once.
    """
    board = await channel.do("Anna", "game board")
    on_board = next(button.action for button in board.buttons if button.label == "Undo")
    under = await channel.under(number, "undo")
    for line, button in (("game undo", ""), ("undo", ""), ("", on_board), ("", under)):
        asked = await (channel.say("Anna", line) if line else channel.press("Anna", button))
        assert asked.title in (f"Anna asks to undo #{number}", f"#{number} is undone"), (
            asked.format_text()
        )
        if asked.title.startswith("Anna"):
            assert not (await channel.press("Bob", asked.buttons[1].action)).error
        else:
            await channel.do("Anna", "game redo")


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("id", "units"), [(id, "typed") for id in GAMES] + [(id, "of the roster") for id in WITH_ROSTER]
)
async def test_each_way_to_undo_names_the_last_shot(
    id: str, units: str, use_packs: Callable[[Path], None]
) -> None:
    """Without effect, if a shot can have none: the setting before it, which has one, stays."""
    use_packs(FOLDER)
    channel = await Channel.fresh(place=PLACE)
    await start(channel, id)
    is_typed = units == "typed"
    lines = (
        shots_with_typed_units(id)
        if is_typed
        else await shots_with_units_of_the_roster(channel, id)
    )
    await channel.do("Anna", "game settings answers=compact")
    if id == "salt-road":
        await channel.do("Anna", "track set orders 3")  # as a card played for them gives
    shot = await fire(channel, lines)
    is_asking = bool((await channel.game()).waits)
    assert not shot.get("after") or is_asking or (id, units) in ALWAYS_CHANGING
    await assert_each_way_names(channel, shot["number"])
    await assert_verified(channel)


@pytest.mark.parametrize("kind", OWN_STEPS)
async def test_the_last_step_is_taken_back_whatever_it_was(kind: str) -> None:
    channel = await table()
    await channel.do("Anna", *OWN_STEPS[kind])
    event = await newest(channel)
    assert event["kind"] == kind
    undone = await channel.say("Anna", "game undo")
    assert undone.title in (
        f"Anna asks to undo #{event['number']}",
        f"#{event['number']} is undone",
    )
    await assert_verified(channel)


async def test_an_older_step_is_named_if_the_newest_cannot_be_undone() -> None:
    channel = await table()
    edited = (await newest(channel))["number"]
    await channel.do("Anna", "fair add luck")
    question = await asked_first(channel, "Anna", edited)
    assert "Your newest step cannot be undone: #" in question.format_text()
    assert (await channel.press("Anna", question.buttons[0].action)).title == f"#{edited} is undone"
    await assert_verified(channel)


async def test_a_plain_roll_is_named_beside_the_step_before_it() -> None:
    """In a started game; in free play a roll is all there is."""
    channel = await table()
    edited = (await newest(channel))["number"]
    await channel.do("Anna", "roll 2d6")
    question = await asked_first(channel, "Anna", edited + 1)
    assert "That roll changed nothing in the game." in question.format_text()
    assert [button.label for button in question.buttons] == [
        f"Undo #{edited + 1}",
        f"Undo #{edited}",
    ]
    assert (await channel.press("Anna", question.buttons[1].action)).title == f"#{edited} is undone"
    free = await Channel.fresh(place=PLACE)
    await free.do("Anna", "roll 2d6")
    assert (await free.do("Anna", "game undo")).title == "#2 is undone"


async def test_the_step_of_another_player_in_the_way_is_named_and_needs_their_consent() -> None:
    """Dice or no dice, also if a game master asks who plays a side."""
    channel = await table()
    edited = (await newest(channel))["number"]
    await channel.do("Bob", "game next")
    question = await asked_first(channel, "Anna", edited + 1)
    assert (
        f"That is Bob's step. It has to be undone before yours, #{edited}, "
        in question.format_text()
    )
    asked = await channel.press("Anna", question.buttons[0].action)
    assert asked.title == f"Anna asks to undo #{edited + 1}"
    assert "It was Bob's action, so Bob must agree." in asked.format_text()
    assert (await channel.do("Bob", "game undo")).title == f"#{edited + 1} is undone"
    await assert_verified(channel)


async def test_a_step_of_another_player_elsewhere_is_offered_beside_ones_own() -> None:
    channel = await table()
    edited = (await newest(channel))["number"]
    await channel.do("Bob", "unit edit vc2 marker=+moved")
    question = await asked_first(channel, "Anna", edited)
    assert f"That is your last step. #{edited + 1}, " in question.format_text()
    assert question.buttons[1].label == f"Undo #{edited + 1}"
    asked = await channel.press("Anna", question.buttons[1].action)
    assert "It was Bob's action, so Bob must agree." in asked.format_text()
    assert (await channel.press("Anna", question.buttons[0].action)).title == f"#{edited} is undone"
    await assert_verified(channel)


async def test_a_game_master_who_plays_no_side_is_asked_and_may() -> None:
    channel = await table()
    await channel.do("Anna", "game settings master=Bob")
    await channel.do("Bob", "game leave")
    left = (await newest(channel))["number"]
    await channel.do("Anna", "unit edit us2 marker=+moved")
    edited = (await newest(channel))["number"]
    question = await asked_first(channel, "Bob", left)
    assert (await channel.press("Bob", question.buttons[1].action)).title == f"#{edited} is undone"
    await assert_verified(channel)


@pytest.mark.parametrize("line", ["unit edit us2 marker=+moved", "lnlt fire us1 vc1 hand=1,6"])
async def test_between_players_of_one_side_the_one_who_did_it_agrees(
    line: str, tmp_path: Path
) -> None:
    """Nobody plays the other side: `alone` was enough for anybody's step before."""
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    await channel.do("Bob", "game leave")
    await channel.do("Cid", "game join US")
    await channel.do("Anna", line)
    number = (await newest(channel))["number"]
    question = await asked_first(channel, "Cid", number)
    asked = await channel.press("Cid", question.buttons[0].action)
    assert "so Anna must agree" in asked.format_text()
    assert (await channel.press("Bob", asked.buttons[0].action)).code == "not-yours"
    assert (await channel.press("Anna", asked.buttons[0].action)).title == f"#{number} is undone"
    await assert_verified(channel)
    [page] = said_by_page([await exported_text(channel)], tmp_path)
    assert page["faults"] == []


async def test_a_request_of_the_other_side_does_not_hide_ones_own_newer_step() -> None:
    channel = await table()
    await channel.do("Anna", "lnlt fire us1 vc1 hand=1,6")
    shot = (await newest(channel))["number"]
    await channel.do("Anna", "game undo")
    await channel.do("Bob", 'lnlt damage-check targets="squad morale=5" dc_mod=1')
    own = (await newest(channel))["number"]
    question = await asked_first(channel, "Bob", own)
    assert f"Anna asks to undo #{shot}, " in question.format_text()
    assert question.buttons[1].label == f"Agree to undo #{shot}"
    assert (await channel.press("Bob", question.buttons[1].action)).title == f"#{shot} is undone"
    await assert_verified(channel)


async def test_the_board_takes_back_the_step_of_whoever_presses() -> None:
    """It names the newest step; for anybody else, and if the board is old, Undo asks first."""
    channel = await table()
    await channel.do("Anna", "lnlt fire us1 vc1 hand=1,6")
    shot = (await newest(channel))["number"]
    board = await channel.do("Anna", "game board")
    button = next(one.action for one in board.buttons if one.label == "Undo")
    assert button.startswith(await channel.under(shot, "undo"))
    by_bob = await channel.press("Bob", button)
    assert by_bob.private
    assert by_bob.buttons[-1].label == f"Undo #{shot}"
    await channel.do("Anna", "unit edit us2 marker=+moved")
    by_anna = await channel.press("Anna", button)
    assert by_anna.private
    assert by_anna.title.startswith(f"Undo #{shot + 1}, ")


async def test_what_came_since_is_offered_where_it_is_in_the_way() -> None:
    channel = await table()
    edited = (await newest(channel))["number"]
    await channel.do("Bob", "game next")
    late = await channel.press("Anna", await channel.under(edited, "undo"))
    assert late.code == "not-latest"
    assert [button.label for button in late.buttons] == [f"Undo #{edited + 1}"]
    asked = await channel.press("Anna", late.buttons[0].action)
    await channel.press("Bob", asked.buttons[0].action)
    assert (
        await channel.press("Anna", await channel.under(edited, "undo"))
    ).title == f"#{edited} is undone"


async def test_a_shot_that_waits_for_a_choice_is_named_to_the_side_that_chooses() -> None:
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    assert not (await add(channel, dare("lnlt"))).error
    await managed(channel, "pack enable dare")
    await channel.do("Anna", "game settings pack=dare", "unit edit us2 marker=+moved")
    await channel.do("Bob", "dare dare targets=squad")
    await asked_first(channel, "Anna", (await newest(channel))["number"])


def test_a_claimed_name_and_the_name_before_it_are_one_player() -> None:
    """And steps before an import, or any other barrier, are nobody's last step."""
    log: list[dict[str, Any]] = [
        {"number": 4, "kind": "claim", "who": "new", "own": "old"},
        {"number": 3, "kind": "order", "who": "old"},
        {"number": 2, "kind": "import", "who": "old"},
        {"number": 1, "kind": "order", "who": "old"},
    ]
    step = find_last_step(log, Game("g"), "new")
    assert [event["number"] for event in step.offers] == [3]
    assert step.certain is None
    assert find_last_step(log[2:], Game("g"), "old").offers == ()
