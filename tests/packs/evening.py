"""An evening with a pack: the same lines on the console, on Discord and on Slack, which must all
end the same; then export, verify, the after-action page, and the import elsewhere."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from bot.app import App
from bot.rules.inputs.options import is_flag_on
from bot.storage.sqlite import SqliteStore
from bot.ui.spec import Command, CommandSpec, Place
from bot.verification.check_file import check
from bot.verification.export_format import read_json
from tests.adapters.discord import process as discord_process
from tests.adapters.evening_helpers import state_of
from tests.adapters.slack import process as slack_process
from tests.adapters.slack.conftest import say as say_on_slack
from tests.adapters.slack.conftest import settle, stand_in
from tests.forging import rechained
from tests.fresh import fresh_store
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text
from tests.standins.discord import DiscordStandIn
from tools import verify_log

Evening = list[tuple[str, str]]
"""(who, what they type); Anna starts the game and Ben joins it."""
Say = Callable[[str, str], Awaitable[str]]
"""What is answered when somebody types a line, which may not fail."""
Player = Callable[[Say], Awaitable[None]]
"""Who plays by what is answered: cards and chits come as they come."""


def by_lines(evening: Evening) -> Player:
    """Who plays these lines, whatever is answered."""

    async def play(say: Say) -> None:
        for name, line in evening:
            await say(name, line)

    return play


async def on_the_console(evening: Evening) -> tuple[Channel, dict[str, object]]:
    """The channel and the state of the game after all lines, none of which may fail."""
    channel = await on_the_console_by(by_lines(evening))
    return channel, await state_of(channel.app, channel.place.key)


async def on_the_console_by(play: Player) -> Channel:
    """The channel after an evening."""
    channel = await Channel.fresh()

    async def say(name: str, line: str) -> str:
        return (await channel.do(name, line)).format_text()

    await play(say)
    return channel


async def by_post(play: Player) -> tuple[Channel, int]:
    """The channel after an evening by post, and how many reminders came: Ben in a linked channel,
    another process for each line, and three hours pass after every fourth."""
    now, lines = [1.8e9], 0
    store = await fresh_store(lambda: now[0])
    channel = Channel(App(store, lambda: now[0], lambda: now[0]))
    there = Channel(channel.app, Place("console:there", "console"), "there")
    seen = set[str]()

    async def say(name: str, line: str) -> str:
        nonlocal lines
        channel.app = there.app = App(store, lambda: now[0], lambda: now[0])
        at = there if name == "Ben" and lines else channel
        reply, lines = await at.do(name, line), lines + 1
        if lines == 1:
            code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
            assert not (await there.say("Ben", f"game link {code}", manager=True)).error
            await channel.do("Anna", "me ping interval=1h quiet=off")
            await there.do("Ben", "me ping interval=1h quiet=off")
        if lines % 4 == 0:
            now[0] += 3 * 3600
            await channel.app.due_work.look()
            due = await channel.app.answers.claim_due("console:")
            seen.update(
                str(one.id)
                for one in due
                if not one.amends and "is waiting for you" in one.reply.title
            )
        return reply.format_text()

    await play(say)
    return channel, len(seen)


async def agree_to_undo(say: Say, name: str) -> str:
    """Return the answer to a player's consent to the undo that the other side asked for.

    If the bot names the event first, type what it says: by post hours pass before the answer.
    """
    answer = await say(name, "game undo")
    typed = re.search(r"or type `?/?(game undo \d+)", answer)
    return await say(name, typed[1]) if typed else answer


async def export_of(channel: Channel) -> str:
    """The game's log as a file, its dice revealed."""
    reply = await channel.say("Anna", "fair reveal")
    assert not reply.error, reply.format_text()
    [exported] = (await channel.do("Anna", "game export")).files
    return str(exported.content)


async def proved(channel: Channel, tmp_path: Path) -> str:
    """The page of the game, after its export was verified and played again elsewhere with the
    same state.
    """
    text = await export_of(channel)
    file, page = tmp_path / "log.json", tmp_path / "page.html"
    file.write_text(text, encoding="utf-8")
    assert main(["verify", str(file)]) == 0
    assert main(["report", str(file), "-o", str(page)]) == 0
    other = await Channel.fresh()
    command = Command(("game", "import"), {"file": text}, other.who("Anna"), other.place, "import")
    reply = await other.app.run(command)
    assert not reply.error, reply.format_text()
    assert (await other.content())["units"] == (await channel.content())["units"]
    return page.read_text(encoding="utf-8")


async def agreed(channel: Channel, folder: Path) -> None:
    """The whole check, the one-file verifier and the page's checker find the exported log sound."""
    text = await exported_text(channel)
    assert check(read_json(text)).faults == ()
    assert verify_log.check(verify_log.parse_json(text)).faults == []
    (checked,) = said_by_page([text], folder)
    assert checked["faults"] == []


def refused_by_all(log: dict[str, Any]) -> None:
    """Assert that `grognard verify` finds a fault in a bent log."""
    assert check(rechained(log)).faults


ACT_FOR = re.compile("Act for [^'\"]+")
"""The button of a game master who plays, and is asked whether they mean the other side."""


async def on_discord(folder: Path, evening: Evening, tmp_path: Path) -> dict[str, object]:
    """The state of the game after all lines, each a slash command."""
    return await on_discord_by(folder, by_lines(evening), tmp_path)


async def on_discord_by(folder: Path, play: Player, tmp_path: Path) -> dict[str, object]:
    """The state of the game after an evening of slash commands."""
    reader = await Channel.fresh()
    async with DiscordStandIn.running() as discord:
        async with discord_process.running(discord, tmp_path, GROGNARD_PACKS=str(folder)):
            table = discord.channel("table")
            people = {name: discord.user(name) for name in ("Anna", "Ben")}

            async def say(name: str, line: str) -> str:
                typed = await reader.app.parse_line(line, reader.place, reader.who(name))
                options = {
                    key: _sent(typed.spec, key, value) for key, value in typed.options.items()
                }
                asked = await people[name].slash(table, " ".join(typed.spec.path), options)
                answer = await asked.answer()
                assert not answer.content.startswith("Error"), f"{line}: {answer.text}"
                if button := ACT_FOR.search(str(answer.components)):
                    pressed = await people[name].press(answer, button[0])
                    answer = await pressed.answer()
                return answer.text

            await play(say)
        app = await App.open(await SqliteStore.open(tmp_path / "grognard.db"))
        try:
            return await state_of(app, f"discord:{table.guild.id if table.guild else 0}/{table.id}")
        finally:
            await app.close()


async def on_slack(folder: Path, evening: Evening, tmp_path: Path) -> dict[str, object]:
    """The state of the game after all lines, each behind /grognard."""
    return await on_slack_by(folder, by_lines(evening), tmp_path)


async def on_slack_by(folder: Path, play: Player, tmp_path: Path) -> dict[str, object]:
    """The state of the game after an evening behind /grognard."""
    slack = await stand_in("socket")
    home, anna, ben, games = settle(slack)
    try:
        async with slack_process.running(slack, tmp_path, home, GROGNARD_PACKS=str(folder)):

            async def say(name: str, line: str) -> str:
                player = {"Anna": anna, "Ben": ben}[name]
                if line == "hand":  # a modal, where the others have a private answer
                    return _texts(
                        (await (await player.slash(games, "/grognard", line)).modal()).body
                    )
                answer = await say_on_slack(player, games, "/grognard", line)
                if button := ACT_FOR.search(str(answer.blocks)):
                    pressed = await player.press(answer, button[0])
                    answer = await pressed.answer()
                return answer.text

            await play(say)
        assert slack.refusals == []
    finally:
        await slack.stop()
    app = await App.open(await SqliteStore.open(tmp_path / "grognard.db"))
    try:
        ended = await state_of(app, f"slack:{home.id}/{games.id}")
    finally:
        await app.close()
    players: Any = ended["players"]
    ended["players"] = {name.title(): side for name, side in players.items()}
    ended["master"] = str(ended["master"]).title()
    return ended


def _texts(view: Any) -> str:
    """All texts of a modal, line by line."""
    if isinstance(view, dict):
        own = [view["text"]] if isinstance(view.get("text"), str) else []
        return "\n".join(filter(None, (*own, *map(_texts, view.values()))))
    return "\n".join(filter(None, map(_texts, view))) if isinstance(view, list) else ""


def _sent(spec: CommandSpec, name: str, value: object) -> object:
    """A value as Discord sends it: a number as one, a flag as true or false."""
    kinds = {option.name: option.type for option in spec.options}
    return (
        int(str(value))
        if kinds[name] == "int"
        else is_flag_on({name: value}, name)
        if kinds[name] == "bool"
        else value
    )


Platform = Callable[[Path, Evening, Path], Awaitable[dict[str, object]]]


def on_both(test: Callable[..., Awaitable[None]]) -> Any:
    """A slow test of an evening on each `platform`."""
    return pytest.mark.slow(
        pytest.mark.parametrize("platform", [on_discord, on_slack], ids=["discord", "slack"])(test)
    )


async def ends_as_on_the_console(
    platform: Platform, folder: Path, evening: Evening, tmp_path: Path
) -> None:
    """The same lines with the same pack come to the same game there."""
    _, alone = await on_the_console(evening)
    assert await platform(folder, evening, tmp_path) == alone
