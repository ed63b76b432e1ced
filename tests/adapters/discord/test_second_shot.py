"""The second shot on Discord, with its taps counted: another target, one modifier changed, odds, a name mended."""

from __future__ import annotations

from pathlib import Path

from bot.interface.form.form import FLAGS
from tests.adapters.discord.process import running
from tests.adapters.discord.two_sides import gather, say
from tests.standins.discord import Channel, DiscordStandIn, Person
from tests.standins.taps import DiscordThumb

MENU = "Same shot, other target"


async def six_of_the_vc(discord: DiscordStandIn, table: Channel) -> tuple[Person, Person]:
    """Anna with four US squads, Ben with six of the VC that no shot eliminates."""
    return await gather(discord, table, "US Squad 1..4", "VC Squad 1..6", morale=12)


async def test_the_second_shot_takes_two_taps_and_no_letter(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path) as bot:
        table = discord.channel("table")
        anna, _ = await six_of_the_vc(discord, table)
        thumb = DiscordThumb(anna)
        fired = await say(anna, table, "lnlt fire", attackers="US Squad 3; US Squad 4", targets="VC Squad 5", tm=1)
        assert list(fired.buttons) == ["Again", "Change…", "Odds", "Undo"]
        assert [part["type"] for part in fired.components[1]["components"]] == [3], "a row of its own"

        second = await (await thumb.select(fired, MENU, "VC Squad 6")).answer()
        assert thumb.spent() == (2, 0)
        assert not second.ephemeral
        assert "VC Squad 6" in second.content
        assert "1 terrain" in second.text, "the terrain stays"

        await bot.kill()
        await bot.start()
        third = await (await thumb.select(second, MENU, "VC Squad 1")).answer()
        assert "VC Squad 1" in third.content, "a menu outlives the process"
        assert thumb.spent() == (2, 0)

        again = await (await thumb.press(third, "Again")).answer()
        assert "VC Squad 1" in again.content
        assert thumb.spent() == (1, 0)
        odds = await (await thumb.press(again, "Odds")).answer()
        assert odds.ephemeral
        assert "as it was fired" in odds.text
        assert "\u25c0" in odds.text
        assert thumb.spent() == (1, 0)

        opened = await thumb.press(again, "Change…")
        changed = await (await thumb.submit(opened, {FLAGS: ["tm=1", "adjacent"]})).answer()
        assert "adjacent" in changed.text
        assert thumb.spent() == (3, 0)

        typing = await anna.select(changed, MENU, "Type another…")
        assert typing.modal["title"].startswith("Change the shot of #")


async def test_a_wrong_name_is_mended_by_one_tap_and_the_form_by_another(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, _ = await six_of_the_vc(discord, table)
        thumb = DiscordThumb(anna)
        refused = await say(anna, table, "lnlt fire", attackers="us3", targets="VC Squad 9", tm=1)
        assert refused.ephemeral
        mended = next(label for label in refused.buttons if label.startswith("Fire at VC Squad"))
        assert "Fix it" in refused.buttons
        fired = await (await thumb.press(refused, mended)).answer()
        assert not fired.ephemeral
        assert thumb.spent() == (1, 0)


async def test_who_may_not_fire_is_refused_and_a_dead_target_leads_to_the_form(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table, carl = discord.channel("table"), discord.user("Carl")
        anna, ben = await six_of_the_vc(discord, table)
        fired = await say(anna, table, "lnlt fire", attackers="us3", targets="vc5", hand="1,6")
        await say(ben, table, "unit edit", name="vc6", stats="state=eliminated")
        refused = await (await anna.select(fired, MENU, "VC Squad 6")).answer()
        assert refused.ephemeral
        assert "VC Squad 6 is eliminated" in refused.content
        form = await anna.press(refused, "Fix it")
        assert form.modal["title"].startswith("Direct fire")
        stranger = await (await carl.select(fired, MENU, "VC Squad 1")).answer()
        assert stranger.ephemeral
        assert not stranger.buttons


async def test_ones_own_dice_go_on_one_tap_a_die_and_large_ones_from_a_menu(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, _ = await six_of_the_vc(discord, table)
        thumb = DiscordThumb(anna)
        keypad = await say(anna, table, "lnlt fire", attackers="us3", targets="vc5", hand="6")
        assert keypad.ephemeral
        assert "1 die in. Next: defense (d6)" in keypad.content
        assert [len(row["components"]) for row in keypad.components] == [3, 3, 1]
        check = await (await thumb.press(keypad, "1")).answer()
        assert "2 dice in" in check.content
        fired = await (await thumb.press(check, "6")).answer()
        assert not fired.ephemeral
        assert thumb.spent() == (2, 0)

        twenty = await say(anna, table, "roll", dice="2d20", hand="7,?")
        rolled = await (await thumb.select(twenty, "What the d20 shows", "20")).answer()
        assert "27" in rolled.content
        assert thumb.spent() == (2, 0)


async def test_the_menu_of_a_message_does_what_its_buttons_do(tmp_path: Path) -> None:
    async with DiscordStandIn.running() as discord, running(discord, tmp_path):
        table = discord.channel("table")
        anna, _ = await six_of_the_vc(discord, table)
        fired = await say(anna, table, "lnlt fire", attackers="us3", targets="vc5", hand="1,6")
        odds = await (await anna.menu(fired, "Odds of this")).answer()
        assert odds.ephemeral
        assert "as it was fired" in odds.text
        asked = await (await anna.menu(fired, "Undo this")).answer()
        assert "is undone" in asked.text or "asks to undo" in asked.text
        nothing = await (await anna.menu(odds, "Undo this")).answer()
        assert nothing.ephemeral
        assert "holds no roll" in nothing.text
