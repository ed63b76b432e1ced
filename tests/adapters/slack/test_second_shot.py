"""The second shot on Slack, with its taps counted: another target, one modifier changed, odds, a name mended."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import Channel, Message, SlackStandIn, User
from tests.standins.taps import SlackThumb

MENU = "a:menu-0"


async def say(player: User, where: Channel, command: str, text: str) -> Message:
    """The answer to a slash command."""
    return await (await player.slash(where, command, text)).answer()


async def gather(anna: User, ben: User, games: Channel) -> None:
    """Anna with four US squads, Ben with six of the VC that no shot eliminates."""
    await say(anna, games, "/game", 'start lnlt "Hill 875" sides="US, VC"')
    await say(anna, games, "/game", "join US")
    await say(ben, games, "/game", "join VC")
    await say(anna, games, "/unit", 'add "US Squad 1..4" squad US morale=5 fp=2')
    await say(ben, games, "/unit", 'add "VC Squad 1..6" squad VC morale=12 fp=1')


async def test_the_second_shot_takes_two_taps_and_no_letter(socket_slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home) as bot:
        await gather(anna, ben, games)
        thumb = SlackThumb(anna)
        fired = await say(anna, games, "/lnlt", 'fire "us3; us4" "VC Squad 5" tm=1')
        (row,) = [block for block in fired.blocks if block["type"] == "actions"]
        assert [one.get("text", one.get("placeholder"))["text"] for one in row["elements"]] == [
            "Again", "Change…", "Other target", "Odds", "Undo",
        ]  # fmt: skip

        second = await (await thumb.choose(fired, MENU, "VC Squad 6")).answer()
        assert thumb.spent() == (2, 0)
        assert second.ephemeral_for is None
        assert "VC Squad 6" in second.text
        assert "1 terrain" in second.plain, "the terrain stays"

        await bot.kill()
        await bot.start()
        third = await (await thumb.choose(second, MENU, "VC Squad 1")).answer()
        assert "VC Squad 1" in third.text, "a menu outlives the process"
        assert thumb.spent() == (2, 0)

        again = await (await thumb.press(third, "Again")).answer()
        assert "VC Squad 1" in again.text
        assert thumb.spent() == (1, 0)
        odds = await (await thumb.press(again, "Odds")).answer()
        assert odds.ephemeral_for == anna.id
        assert "as it was fired" in odds.text
        assert thumb.spent() == (1, 0)

        view = await (await thumb.press(again, "Change…")).modal()
        await thumb.submit(view, {"flags": ["adjacent"]})
        taps, characters = thumb.spent()
        assert (taps, characters) == (5, 0)
        await anna.wait_for(games, "2 adjacent")

        refused = await say(anna, games, "/lnlt", 'fire us3 "VC Squad 9" tm=1')
        assert refused.ephemeral_for == anna.id
        mended = next(label for label in refused.buttons() if label.startswith("Fire at VC Squad"))
        assert (await (await thumb.press(refused, mended)).answer()).ephemeral_for is None
        assert thumb.spent() == (1, 0)


async def test_ones_own_dice_go_on_one_tap_a_die(http_slack: SlackStandIn, tmp_path: Path) -> None:
    home, anna, ben, games = settle(http_slack)
    async with running(http_slack, tmp_path, home):
        await gather(anna, ben, games)
        thumb = SlackThumb(anna)
        keypad = await say(anna, games, "/lnlt", "fire us3 vc5 hand=6")
        assert keypad.ephemeral_for == anna.id
        assert "1 die in. Next: defense (d6)" in keypad.text
        check = await (await thumb.press(keypad, "1")).answer()
        fired = await (await thumb.press(check, "6")).answer()
        assert fired.ephemeral_for is None
        assert thumb.spent() == (2, 0)
