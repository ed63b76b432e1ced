"""The element deck of Ultracombat Normandy: an option by which activation goes by a card for
each element.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from adapters.discord.modal import ROOM
from bot.commands.dispatch import load_shared_registry
from bot.game.cups import get_chit
from bot.game.state import from_json, to_json
from bot.rulesets.catalog import find_shared_system
from bot.ui.form.form import build_form
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from tests.forging import bodies, rechained
from tests.packs.cups_helpers import labels, sound
from tests.playing import Channel
from tests.random_play import exported_text

pytestmark = pytest.mark.scenes(6)

INTERRUPT = 'ucn interrupt shooters="Gruppe 1" target="1st Squad"'


async def causeway() -> Channel:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn scenario=causeway", "game join US")
    await channel.do("Bob", "game join German")
    await channel.do("Anna", "game settings rule=element-deck")
    return channel


async def round_of(channel: Channel) -> list[Reply]:
    """Every card of a combat round, in order; each element is done at once."""
    found, turn = list[Reply](), (await channel.game()).turn
    while (await channel.game()).turn == turn:
        game = await channel.game()
        if get_chit(game.led):
            await channel.do("Bob" if game.go == ("German",) else "Anna", "game pass done")
        else:
            found.append(await channel.do("Bob", "deck draw elements"))
    return found


async def test_each_element_has_one_card_and_the_round_is_over_with_the_last(
    tmp_path: Path,
) -> None:
    channel = await causeway()
    assert labels(await channel.do("Anna", "game board"))[:2] == ["Draw", "Next turn"]
    drawn = await round_of(channel)
    names = {unit.name for unit in (await channel.game()).units.values()}
    assert {reply.title.partition(":")[0] for reply in drawn} == names
    assert labels(drawn[0]) == ["Shoot", "Melee", "Morale", "Done", "Undo"]
    assert "handle" not in drawn[0].format_text()
    game = await channel.game()
    assert (game.turn, game.led, game.go) == (2, "elements", ("US", "German"))
    log = await sound(channel, tmp_path)
    assert {body.get("edition", find_shared_system("ucn").edition) for body in bodies(log)} == {
        find_shared_system("ucn").edition
    }


async def test_the_form_begins_with_the_element_whose_card_is_up() -> None:
    """First in the list of who acts, and chosen, after each draw; nobody of the other side is."""
    channel = await causeway()
    spec = load_shared_registry().get(("ucn", "shoot"))
    assert spec is not None
    for _ in range(3):
        drawn = await channel.do("Bob", "deck draw elements")
        name = drawn.title.partition(":")[0]
        side = (await channel.game()).units[name.casefold()].side
        for player, own in (("Anna", "US"), ("Bob", "German")):
            known = await channel.app.get_form_context(spec, channel.place, channel.who(player))
            picks = build_form(spec, {}, known, ROOM).fields[0].picks
            chosen = [pick.label for pick in picks if pick.chosen]
            assert chosen == ([name] if side == own else [])
            assert side != own or picks[0].label == name
        await channel.do("Bob" if side == "German" else "Anna", "game pass done")


async def test_before_the_first_card_the_deck_is_whole_and_one_learns_how_to_draw() -> None:
    channel = await causeway()
    for line in ("deck show", "deck show elements"):
        said = await channel.fails("Anna", line, "All cards of elements are in the pile.")
        assert "/deck draw elements" in said.format_text()
    other = await channel.fails("Anna", "deck show bridges", 'There is no deck "bridges".')
    assert "Make one: /deck make" in other.format_text().replace("`", "")
    await channel.do("Anna", 'game settings rule="element-deck off"')
    await channel.fails("Anna", "deck show", "There is no deck here yet.")


async def test_who_interrupts_gives_up_the_card_until_the_next_round(tmp_path: Path) -> None:
    channel = await causeway()
    await channel.do("Bob", "deck draw")
    while get_chit((await channel.game()).led) == "germ1":
        await channel.do("Bob", "game undo")
        await channel.do("Anna", "game undo")
        await channel.do("Bob", "deck draw elements")
    await channel.do("Bob", INTERRUPT)
    assert "activated" in (await channel.game()).units["gruppe 1"].marks
    told = "\n".join(reply.format_text() for reply in await round_of(channel))
    assert "Gruppe 1: German to play" not in told
    game = await channel.game()
    assert "Gruppe 1: set aside, marked activated." in told or game.turn == 2
    assert "activated" not in game.units["gruppe 1"].marks, "the next round clears it"
    again = "\n".join(reply.title for reply in await round_of(channel))
    assert "Gruppe 1: German to play" in again
    await sound(channel, tmp_path)


async def test_losses_and_who_comes_later_count_from_the_next_round_on(tmp_path: Path) -> None:
    channel = await causeway()
    await channel.do("Bob", "deck draw elements", 'unit edit "Gruppe 2" combat-ineffective')
    await channel.do(
        "Anna", 'unit add "3rd Squad" element US stats="spot=12 firearms=12 morale=14 members=8"'
    )
    told = "\n".join(reply.format_text() for reply in await round_of(channel))
    assert "Gruppe 2: German to play" not in told
    assert "3rd Squad: " not in told
    again = "\n".join(reply.format_text() for reply in await round_of(channel))
    assert "3rd Squad: US to play" in again
    assert "Gruppe 2" not in again
    await sound(channel, tmp_path)


async def test_it_is_switched_off_again_and_a_game_without_it_is_as_it_was() -> None:
    channel = await causeway()
    await channel.do("Bob", "deck draw elements")
    await channel.do("Anna", 'game settings rule="element-deck off"')
    await channel.do("Anna", "game next")
    game = await channel.game()
    assert game.led == ""
    assert not any(key.startswith("elements/play/") for key in game.cards)
    fresh = await Channel.fresh()
    await fresh.do("Anna", "game start ucn scenario=causeway", "game join US", "game next")
    assert '"led"' not in await exported_text(fresh)
    await fresh.refused("Anna", "deck draw elements", "unknown-deck")


@pytest.mark.parametrize("what", ["go", "led"])
async def test_a_go_for_who_gave_up_the_card_is_seen_by_all_three(
    what: str, tmp_path: Path
) -> None:
    channel = await causeway()
    await channel.do("Bob", 'unit edit "Gruppe 1" marker=+activated', "deck draw elements")
    while True:
        log = json.loads(await exported_text(channel))
        given = [one for one in bodies(log, "draw") if one["result"] == "elements: germ1"]
        game = await channel.game()
        if given or game.turn > 1:
            break
        await channel.do("Bob" if game.go == ("German",) else "Anna", "game pass done")
        await channel.do("Bob", "deck draw elements")
    body = given[0]
    body["after"].setdefault("game", {})[what] = ["German"] if what == "go" else "elements/germ1"
    body["before"].setdefault("game", {})[what] = ["US", "German"] if what == "go" else "elements"
    rechained(log)
    assert check(log).faults


LINES = (
    "deck draw", "deck draw elements", "game pass done", "game pass", "game undo", "game redo", INTERRUPT, "game next",
    'ucn shoot shooters="1st Squad" target="Gruppe 1"', "game settings rule=element-deck",
    'game settings rule="element-deck off"', "deck shuffle elements", "deck return all elements", "deck discard all",
    "deck draw standard-52 2", "unit edit germ2 combat-ineffective", 'unit edit us1 marker=+activated',
    'unit edit us2 stats="name=Fox"', "game leave", "game join US", "game join German", "deck make 1..3 elements",
    "deck make elements", "deck discard all elements out", "game initiative US", "roll 2d6 secret", "hand agree",
    "deck draw elements 2 to=me", "deck peek elements", "game end", "game settings strict=yes",
)  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(4))
async def test_random_evenings_are_sound_and_none_goes_wrong(seed: int, tmp_path: Path) -> None:
    chance, channel = Random(seed), await causeway()
    for _ in range(90):
        line = chance.choice(LINES[:6]) if chance.random() < 0.6 else chance.choice(LINES)
        reply = await channel.say(chance.choice(("Anna", "Bob")), line)
        assert "Something went wrong" not in reply.format_text(), line
        game = await channel.game()
        assert from_json(to_json(game)) == game
    await sound(channel, tmp_path)


async def test_without_units_it_says_what_gives_one_a_card() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn", "game settings rule=element-deck")
    refused = await channel.refused("Anna", "deck draw", "no-chit")
    assert "/unit add" in refused.format_text()


async def test_a_deck_of_that_name_in_a_game_without_the_rule_is_a_deck_like_others() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", "game start ucn scenario=causeway", "game join US", 'deck make "1..5" elements'
    )
    told = await channel.do("Anna", "deck draw elements to=me")
    assert told.title.startswith("You draw ")


async def test_switched_on_it_says_when_cards_lead_and_switched_off_none_is_drawn() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn scenario=causeway", "game join US")
    told = await channel.do("Anna", "game settings rule=element-deck")
    assert "Cards lead this phase the next time it starts" in told.format_text()
    await channel.do("Anna", "deck draw")
    await channel.do("Anna", 'game settings rule="element-deck off"', "game next")
    refused = await channel.refused("Anna", "deck draw", "leads-phase")
    assert "elements no longer leads a phase." in refused.format_text()


async def test_nobody_new_takes_the_card_of_a_unit_that_is_gone() -> None:
    channel = await causeway()
    await channel.do("Bob", "deck draw elements")
    game = await channel.game()
    last = max(
        (unit for unit in game.units.values() if unit.side == "US"), key=lambda unit: unit.handle
    )
    await channel.do("Anna", f'unit remove "{last.name}"')
    await channel.do(
        "Anna", 'unit add Other element US stats="spot=12 firearms=12 morale=14 members=8"'
    )
    game = await channel.game()
    assert game.units["other"].handle != last.handle
    told = "\n".join(reply.format_text() for reply in await round_of(channel))
    assert "Other: " not in told
    if get_chit(game.led) != last.handle:
        assert (
            f"the unit that was {last.handle}: set aside, it has no units left." in told
            or "empty" in told
        )


async def test_the_log_calls_cards_of_units_by_their_names() -> None:
    channel = await causeway()
    await channel.do("Bob", 'deck draw hand="gruppe 1"', "game pass")
    told = (await channel.do("Anna", "log 3")).format_text()
    assert "draws Gruppe 1 from elements" in told
    assert "Gruppe 1 is done" in told


async def test_the_card_of_a_pinned_element_leads_with_morale() -> None:
    """Failed Morale Test, Pinned: a Morale test at the beginning of its next Combat Phase."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start ucn scenario=causeway",
        "game settings rule=element-deck",
        "unit edit us1..us4 state=pinned",
        "unit edit germ1..germ5 state=pinned",
    )
    pinned_now = await channel.do("Anna", "deck draw elements")
    leading = [button.label for button in pinned_now.buttons if button.style == "primary"]
    assert leading == ["Done"], "it was pinned in this round"
    await channel.do("Anna", "game next")
    card = await channel.do("Anna", "deck draw elements")
    assert [button.label for button in card.buttons][:2] == ["Morale", "Shoot"]


async def test_an_action_out_of_turn_gets_the_remark() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn scenario=causeway", "game settings rule=element-deck")
    card = await channel.do("Anna", "deck draw elements")
    drawn = card.title.partition(":")[0]
    names = {unit.name: unit for unit in (await channel.game()).units.values()}
    other = next(name for name in names if name != drawn)
    acted = await channel.do("Anna", f'ucn act "{other}" turn-over-180')
    assert f"It's {drawn}'s activation." in acted.format_text()
    own = await channel.do("Anna", f'ucn act "{drawn}" turn-over-180')
    assert "activation" not in own.format_text()


async def test_embark_asks_which_vehicle_before_any_ap_are_spent() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn scenario=causeway")
    before = await channel.content()
    await channel.refused("Anna", "ucn act us1 embark", "missing vehicle")
    assert await channel.content() == before
    acted = await channel.do("Anna", 'ucn act us1 embark vehicle="Captured Tank"')
    assert "embarks" in acted.title


@pytest.mark.parametrize("draws", [1, 4, 8])
async def test_the_line_of_a_new_turn_agrees_with_the_deck(draws: int) -> None:
    """Nine elements: those not drawn are counted, and the new round has all nine cards again."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn scenario=causeway", "game settings rule=element-deck")
    for _ in range(draws):
        await channel.do("Anna", "deck draw elements", "game pass done")
    left = 9 - draws
    shown = (await channel.do("Anna", "deck show elements")).format_text()
    assert f"{left} of 9" in shown
    card = (await channel.do("Anna", "game next")).format_text()
    assert ("1 element never got its" if left == 1 else f"{left} elements never got their") in card
    assert "9 of 9" in (await channel.do("Anna", "deck show elements")).format_text()
