"""Helpers of tests/adapters/slack/test_linked.py, which other tests use as well."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bot.verification.check_file import check_file
from tests.adapters.slack.conftest import settle
from tests.standins.discord import Channel as Table
from tests.standins.discord import DiscordStandIn
from tests.standins.discord import Message as Outputs
from tests.standins.discord import Person as Player
from tests.standins.slack import Channel, Message, SlackStandIn, User


async def say(player: Player, table: Table, path: str, **options: object) -> Outputs:
    """The answer to a command on Discord, which must not be an error."""
    answer = await (await player.slash(table, path, **options)).answer()
    assert not answer.content.startswith("Error"), answer.text
    return answer


async def write(player: User, games: Channel, command: str, text: str) -> Message:
    """The answer to a command on Slack, which must not be an error."""
    answer = await (await player.slash(games, command, text)).answer()
    assert "Error" not in answer.text, answer.text
    return answer


CALL = re.compile(r"<@(\w+)>")


class Evening:
    """Both networks with one player each, a game master on Discord, and a game that was linked."""

    def __init__(self, discord: DiscordStandIn, slack: SlackStandIn) -> None:
        self.discord = discord
        self.table, self.anna = discord.channel("table"), discord.user("Anna")
        self.greta = discord.user("Greta", manage_guild=True)
        self.home, self.cora, self.ben, self.games = settle(slack)
        self.ben.admin = True

    async def link(self) -> None:
        """Greta's game from Ben's channel, too."""
        await say(
            self.greta, self.table, "game start", system="lnlt", name="Hill 875", sides="US, VC"
        )
        await say(self.anna, self.table, "game join", side="US")
        asked = await say(self.greta, self.table, "game link")
        assert asked.ephemeral
        code = asked.content.split()[-1].strip("*")
        await write(self.ben, self.games, "/game", f"link {code}")
        await self.on_discord("links this channel with #games of t1 (a workspace on Slack)")
        told = await self.on_slack(
            "links this channel with #table of Wargamers (a server on Discord)"
        )
        assert told.ephemeral_for is None, "all see in whose sight they play from now on"
        refused = await (await self.cora.slash(self.games, "/game", f"link {code}")).answer()
        assert "doesn't exist or has been used" in refused.text

    async def on_discord(self, words: str) -> Outputs:
        """The message with these words in Anna's channel, now or soon."""
        return await self.discord.message(self.table, words)

    async def on_slack(self, words: str) -> Message:
        """The message with these words in Ben's channel, now or soon."""
        return await self.ben.wait_for(self.games, words)

    async def play(self) -> None:
        """Fire here and there, a consent across the networks, six turns, the end."""
        await write(self.ben, self.games, "/game", "join VC")
        await self.on_discord("ben")
        await say(
            self.anna,
            self.table,
            "unit add",
            name="Squad 1..2",
            type="squad",
            side="US",
            stats="morale=5 fp=2",
        )
        await write(self.ben, self.games, "/unit", 'add "Cell 1..2" squad VC morale=5 fp=1')
        await say(
            self.anna,
            self.table,
            "lnlt fire",
            attackers="Squad 1",
            targets="Cell 1",
            adjacent=True,
            hand="6,1,5",
        )
        fought = await self.on_slack("Squad 1 fires")
        assert "Cell 1 takes casualties" in fought.text
        assert "(late)" not in fought.text
        asked = await (await self.ben.press(fought, "Undo")).answer()
        told = await self.on_discord(asked.text.split("\n")[0][-25:])
        assert "Agree" in told.buttons
        await self.anna.press(told, "Agree")
        await self.on_slack("is undone")
        await self.take_turns()
        await write(
            self.ben, self.games, "/lnlt", 'fire attackers="Cell 1" targets="Squad 1" hand=5,1,6'
        )
        await self.on_discord("Cell 1 fires")
        await write(self.ben, self.games, "/roll", "2d6")
        await self.on_discord("ben rolls 2d6")
        await say(self.greta, self.table, "fair reveal")
        await say(self.greta, self.table, "game end", winner="US", confirm=True)
        await self.on_slack("US wins on turn 6")

    def calls(self) -> list[str]:
        """Who has been called so far, and where, one entry for each notification."""
        names = {str(one.id): one.user.name for one in (self.anna, self.greta)}
        names |= {self.ben.id: "Ben", self.cora.id: "Cora"}
        here = [who for one in self.discord.messages(self.table) for who in one.pings]
        there = [
            who
            for one in self.ben.sees(self.games)
            if one.via != "user" and one.ephemeral_for is None
            for who in CALL.findall((one.earlier or [one])[0].text)
        ]
        return sorted(
            [f"{names[who]} on Discord" for who in here]
            + [f"{names[who]} on Slack" for who in there]
        )

    async def take_turns(self) -> None:
        """Five turns by passes, with fire across the networks: each hand-over calls the other
        once, where they play.
        """
        before = self.calls()
        await say(self.anna, self.table, "game next")
        for turn in (2, 3, 4, 5, 6):
            await say(self.greta, self.table, "game initiative", side="US")
            await self.on_slack(f"Turn {turn - 1}, Operations")
            if turn % 2:
                await say(
                    self.anna,
                    self.table,
                    "lnlt fire",
                    attackers="Squad 2",
                    targets="Cell 2",
                    hand="1,6",
                )
                await self.on_slack("Squad 2 fires")
                await say(self.anna, self.table, "game pass")
                await write(
                    self.ben,
                    self.games,
                    "/lnlt",
                    'fire attackers="Cell 2" targets="Squad 2" hand=1,6',
                )
                await self.on_discord("Cell 2 fires")
                await write(self.ben, self.games, "/game", "pass")
            await say(self.anna, self.table, "game pass")
            card = await self.on_slack(f"Turn {turn - 1}, Operations · one pass so far")
            await (await self.ben.press(card, "Pass")).answer()
            await self.on_discord(f"Turn {turn - 1}, Operations · two passes in a row")
            await say(self.anna, self.table, "game pass")
            await self.on_slack(f"Turn {turn - 1}, Administrative")
            await write(self.ben, self.games, "/game", "next")
            await self.on_discord(f"Turn {turn}, Rally")
            await say(self.anna, self.table, "game next")
            await self.on_slack(f"Turn {turn}, Operations")
        new = self.calls()
        for one in before:
            new.remove(one)
        assert new == [], "who is there is named, not called"

    async def compare(self, folder: Path) -> None:
        """Both logs, both exports, and what `verify` says of them."""
        here = (await say(self.anna, self.table, "log", count=200)).text
        there = (await write(self.ben, self.games, "/log", "200")).plain
        lines = [line for line in there.replace("&lt;", "<").split("\n") if line.startswith("#")]
        assert len(lines) > 9
        plain = here.replace("\\", "")
        for line in lines[:-1]:
            assert line.replace("*", "") in plain, (line, plain)
        exported = await say(self.anna, self.table, "game export", format="json")
        await write(self.ben, self.games, "/game", "export json")
        sent = [one for one in self.ben.sees(self.ben.im) if one.files][-1].files[0].data
        files = {"discord.json": next(iter(exported.files.values())), "slack.json": sent}
        heads = set()
        for name, data in files.items():
            path = folder / name
            path.write_bytes(data)
            assert check_file(path).faults == (), name
            heads.add(json.dumps(json.loads(data).get("head")))
        assert len(heads) == 1
