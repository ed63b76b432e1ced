"""The club game of packs/hedgerow, fought on the console, on Discord and on Slack, with the same
dice.

An attack with units of the roster, named shifts, odds, forms, losses written back, undo, the proof
and luck.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from tests.adapters.discord import process as discord_process
from tests.adapters.discord.duel_helpers import press, say
from tests.adapters.slack import process as slack_process
from tests.adapters.slack.conftest import say as say_on_slack
from tests.adapters.slack.conftest import settle, stand_in
from tests.playing import Channel
from tests.standins.discord import DiscordStandIn

ODDS = ("26% shaken or worse: each Guard", "reduced", "17%", "retreats", "24%")
RETREAT = (
    "Guard 2 retreats shaken, Guard 1 retreats in good order · Rifles 1-3 and Troop A attack",
    "18 against 8: −1 Hedge, column 1-1",
    "defenders retreat",
    "passes against 8",
    "fails against 8",
    "The defenders retreat two hexes.",
)
EXCHANGE = ("All 6 units reduced", "18 against 8: +1 Tanks in the open, column 3-1", "exchange")


@pytest.fixture
def hedgerow(root: Path, use_packs: Callable[[Path], None]) -> Path:
    """The pack is there, and nothing else beside the built-in games."""
    folder = root / "packs" / "hedgerow"
    use_packs(folder)
    return folder


def says(answer: str, *lines: str) -> None:
    """Each of these is in the answer, whatever weight the platform gave its letters."""
    plain = answer.replace("*", "").replace("`", "")
    for line in lines:
        assert line in plain, plain


def test_it_is_written_in_fewer_than_125_lines(hedgerow: Path) -> None:
    assert (
        sum(len(file.read_text(encoding="utf-8").splitlines()) for file in hedgerow.rglob("*.yaml"))
        < 125
    )


async def test_an_attack_on_the_console(
    hedgerow: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start hedgerow "The Lane" scenario=lane', "game settings hand_dice=yes"
    )
    await channel.do("Anna", "game join Blue")
    shot = 'hedgerow attack attackers="Rifles 1..3; Troop A" targets="Guard 1; Guard 2"'
    says((await channel.do("Anna", f"{shot} ground=hedge odds")).format_text(), *ODDS)
    says((await channel.do("Anna", f"{shot} ground=hedge hand=5,2,3,6,6")).format_text(), *RETREAT)
    assert "shaken" in (await channel.game()).units["guard 2"].marks
    refused = await channel.say("Anna", 'hedgerow attack attackers="Guard 2" targets="Rifles 1"')
    says(refused.format_text(), "Guard 2 is shaken.", "rally phase")
    says((await channel.do("Anna", f"{shot} hand=2")).format_text(), *EXCHANGE)
    units = (await channel.game()).units
    assert {units[name].state for name in ("rifles 1", "troop a", "guard 1", "guard 2")} == {
        "reduced"
    }
    gone = await channel.do(
        "Anna", "hedgerow attack attackers=blue1 targets=red2 ground=village hand=1"
    )
    says(gone.format_text(), "Rifles 1 is destroyed")
    await channel.do("Anna", "game undo")
    assert (await channel.game()).units["rifles 1"].state == "reduced"

    await channel.do("Anna", "game settings hand_dice=no", "hedgerow attack blue2 red3")
    says((await channel.do("Anna", "game stats")).format_text(), "Luck against expectation", "Blue")
    assert "not in the store" not in caplog.text, "a pack of the host's own folder needs no store"
    await channel.do("Anna", "fair reveal")
    [exported] = (await channel.do("Anna", "game export")).files
    file = tmp_path / exported.name
    file.write_text(str(exported.content), encoding="utf-8")
    assert main(["verify", str(file)]) == 0, capsys.readouterr().out


@pytest.mark.slow
async def test_an_attack_on_discord(hedgerow: Path, tmp_path: Path) -> None:
    """By its own command with completion, by the form with odds, and undone with the button."""
    async with (
        DiscordStandIn.running() as discord,
        discord_process.running(discord, tmp_path, GROGNARD_PACKS=str(hedgerow)),
    ):
        table, anna = discord.channel("table"), discord.user("Anna")
        await say(anna, table, "game start", system="hedgerow", name="The Lane", scenario="lane")
        await say(anna, table, "game join", side="Blue")
        offered = await anna.autocomplete(table, "hedgerow attack", "targets", "gua")
        assert [choice.value for choice in offered][:2] == ["Guard 1", "Guard 2"]
        given: dict[str, Any] = {"attackers": "Rifles 1..3; Troop A", "targets": "Guard 1; Guard 2"}
        odds = await (
            await anna.slash(table, "hedgerow attack", ground="hedge", odds=True, **given)
        ).answer()
        says(odds.text, *ODDS)
        fought = await say(
            anna, table, "hedgerow attack", ground="hedge", hand="5,2,3,6,6", **given
        )
        says(fought.text, *RETREAT)

        says((await (await anna.slash(table, "unit list")).answer()).text, "Guard 2 shaken")
        says((await press(anna, fought, "Undo")).text, "is undone")
        assert "shaken" not in (await (await anna.slash(table, "unit list")).answer()).text

        form = await anna.slash(table, "hedgerow attack")
        labels = [part["label"] for part in form.modal["components"]]
        assert labels == ["Attackers", "Targets", "Ground", "What now?"], (
            "no field without a choice"
        )
        chosen = {
            "Attackers": ["Rifles 1", "Rifles 2", "Rifles 3", "Troop A"],
            "Targets": ["Guard 1", "Guard 2"],
        }
        filled = {**chosen, "Ground": ["Hedge −1"], "What now?": "Show the odds first"}
        odds = await (await anna.submit_modal(form, filled)).answer()
        says(odds.text, *ODDS)
        again = await anna.press(odds, "Change…")
        keypad = await (await anna.submit_modal(again, {"What now?": "Enter my own dice"})).answer()
        for face in (5, 2, 3, 6):
            await anna.press(keypad, str(face))
        says((await (await anna.press(keypad, "6")).answer()).text, *RETREAT)


@pytest.mark.slow
async def test_an_attack_on_slack(hedgerow: Path, tmp_path: Path) -> None:
    """By a slash command, undone with the button, and again by the form and its keypad."""
    slack = await stand_in("socket")
    home, anna, _, games = settle(slack)
    try:
        async with slack_process.running(slack, tmp_path, home, GROGNARD_PACKS=str(hedgerow)):
            await say_on_slack(anna, games, "/game", 'start hedgerow "The Lane" scenario=lane')
            await say_on_slack(anna, games, "/game", "join Blue")
            shot = 'hedgerow attack attackers="Rifles 1..3; Troop A" targets="Guard 1; Guard 2" ground=hedge'
            says((await say_on_slack(anna, games, "/grognard", f"{shot} odds")).everything, *ODDS)
            fought = await say_on_slack(anna, games, "/grognard", f"{shot} hand=5,2,3,6,6")
            says(fought.everything, *RETREAT)
            asked = await anna.slash(games, "/grognard", "hedgerow attack")
            view = await asked.modal()
            says((await (await anna.press(fought, "Undo")).answer()).everything, "is undone")
            done = await anna.submit(
                view,
                {
                    "attackers": {"value": ["Rifles 1", "Rifles 2", "Rifles 3", "Troop A"]},
                    "targets": {"value": ["Guard 1", "Guard 2"]},
                    "ground": {"value": "Hedge −1"},
                    "?how": {"value": "hand"},
                },
            )
            assert done.errors == {}
            answer = await asked.answer()
            for face in "52366":
                answer = await (await anna.press(answer, face)).answer()
            says(answer.everything, *RETREAT)
    finally:
        await slack.stop()
