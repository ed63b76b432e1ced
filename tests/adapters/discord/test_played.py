"""What strangers once stumbled over on Discord, played again through the real library."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.discord.duel_helpers import duel, fire, press, say
from tests.adapters.discord.process import running
from tests.standins.discord import Channel, DiscordStandIn, Message, Person

pytestmark = pytest.mark.scenes(2)

PHONE = 39
"""Columns of a phone."""
MOST_LINES = 22
"""Of twelve men with any dice, their weapons jammed as well; for dice of one kind tests/presentation
has fewer.
"""


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordStandIn]:
    async with DiscordStandIn.running() as standin, running(standin, tmp_path):
        yield standin


async def private(who: Person, where: Channel, path: str, **options: object) -> Message:
    """The answer to a command, which only who asked may see."""
    answer = await (await who.slash(where, path, **options)).answer()
    assert answer.ephemeral, answer.text
    return answer


async def test_a_button_of_an_earlier_game_touches_nothing_of_the_next_and_nothing_is_buried(
    discord: DiscordStandIn,
) -> None:
    table, anna = discord.channel("table"), discord.user("Anna", manage_guild=True)
    rolled = await say(anna, table, "roll", dice="2d6")
    await private(anna, table, "roll", dice="d20", secret=True)
    sealed = await discord.message(table, "Anna makes a sealed roll")
    await say(anna, table, "game start", system="lnlt", name="Hill 875", sides="US, VC")
    added = await say(
        anna, table, "unit add", name="Squad 1", type="squad", side="US", stats="morale=5 fp=2"
    )
    assert "#2" in added.text
    assert "#2" in rolled.text
    refused = await press(anna, rolled, "Undo")
    assert refused.ephemeral
    assert "Squad 1" in (await private(anna, table, "unit list")).text
    listed = await private(anna, table, "game list")
    assert "2 games played here" in listed.text
    await anna.press(sealed, "Open it")
    await discord.until(lambda: "Open it" not in sealed.buttons)


async def test_opening_a_seal_blocks_no_undo_and_redo_needs_the_other_player_too(
    discord: DiscordStandIn,
) -> None:
    table, anna, ben = await duel(discord)
    await private(ben, table, "roll", dice="d20", secret=True)
    sealed = await discord.message(table, "Ben makes a sealed roll")
    shot = await fire(anna, table)
    await ben.press(sealed, "Open it")
    await discord.until(lambda: "Open it" not in sealed.buttons)
    asked = await press(anna, shot, "Undo")
    assert not asked.ephemeral
    assert asked.pings, "the other player is called"
    await ben.press(asked, "Agree")
    await discord.until(lambda: "Undone in #" in shot.content)
    again = await say(anna, table, "game redo")
    assert list(again.buttons) == ["Agree", "Refuse"]
    assert "Undone in #" in shot.content, "it does not hold again before Ben agrees"


async def test_the_initiative_goes_to_a_side_by_its_name(discord: DiscordStandIn) -> None:
    table, anna, _ = await duel(discord)
    won = await say(anna, table, "game initiative")
    assert re.match(r"\*\*(US|VC) (takes|keeps) the initiative\*\*", won.content), won.content
    assert "side a" not in won.text.casefold()


async def test_an_error_offers_the_form_and_its_lines_work_on_discord(
    discord: DiscordStandIn,
) -> None:
    table, anna, _ = await duel(discord)
    wrong = await private(anna, table, "lnlt fire", attackers="Squad 1", targets="Cell 9")
    assert "attackers=" not in wrong.text, "a line of the console cannot be pasted here"
    form = await anna.press(wrong, "Fix it")
    assert form.modal
    fixed = await (await anna.submit_modal(form, {"Targets": ["Cell 1"]})).answer()
    assert "Cell 1" in fixed.content


async def test_help_is_found_by_any_word_and_modifiers_say_what_they_add(
    discord: DiscordStandIn,
) -> None:
    table, anna, _ = await duel(discord)
    for typed, found in (("melee", "lnlt melee"), ("lnlt f", "lnlt fire")):
        offered = await anna.autocomplete(table, "help", "topic", typed)
        assert found in [choice.value for choice in offered]
    offered = await anna.autocomplete(table, "lnlt fire", "mods", "")
    assert all("(" in choice.name for choice in offered), "each says what it means and adds"


async def test_twelve_men_fire_in_a_phone_screen(discord: DiscordStandIn) -> None:
    table, anna = discord.channel("village"), discord.user("Anna")
    await say(anna, table, "game start", system="baps", name="Village", sides="US, VC")
    await say(anna, table, "game join", side="US")
    await say(
        anna,
        table,
        "unit add",
        name="GI 1..12",
        type="soldier",
        side="US",
        stats="weapon=rifle-semi",
    )
    await say(
        anna,
        table,
        "unit add",
        name="VC 1..4",
        type="soldier",
        side="VC",
        stats="weapon=rifle-semi",
    )
    shot = await say(anna, table, "baps fire", attackers="GI 1..12", range=10, targets="VC 1..4")
    assert not shot.files
    lines = [
        line.replace("*", "").removeprefix("-# ") for line in shot.text.splitlines() if line.strip()
    ]
    assert sum(-(-len(line) // PHONE) for line in lines) <= MOST_LINES, shot.text


async def test_what_is_deleted_is_told_and_a_mere_roll_blocks_no_link(
    discord: DiscordStandIn,
) -> None:
    table, anna, _ = await duel(discord)
    hall, vera = discord.channel("hall"), discord.user("Vera", manage_guild=True)
    await say(vera, hall, "roll", dice="2d6")
    given = await (await vera.slash(table, "game link")).answer()
    code = given.text.split("The code is ")[1].split()[0].strip("*")
    linked = await (await vera.slash(hall, "game link", code=code)).answer()
    assert "Error" not in linked.text, linked.text
    await discord.message(hall, "links this channel")
    gone = await (await anna.slash(table, "game delete")).answer()
    assert gone.ephemeral


async def test_a_vehicle_of_the_roster_brings_its_armor_and_a_casualty_turns_the_counter(
    discord: DiscordStandIn,
) -> None:
    table, anna, ben = await duel(discord)
    await say(ben, table, "unit edit", name="Cell 1", stats="reduced: morale=3 fp=1")
    await say(
        ben,
        table,
        "unit add",
        name="T-54 1",
        type="armored-vehicle",
        side="VC",
        stats="armor=5 turret_armor=6",
    )
    shot = await say(anna, table, "lnlt fire", attackers="Squad 1", targets="Cell 1", hand="6,1,4")
    assert "half-squad" in shot.text
    assert "half-squad" in (await private(anna, table, "unit show", name="Cell 1")).text
    listed = await private(ben, table, "unit list")
    assert listed.text.index("VC · Ben") < listed.text.index("US · Anna"), "one's own side first"
