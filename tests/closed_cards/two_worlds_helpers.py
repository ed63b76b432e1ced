"""Helpers of tests/closed_cards/test_two_worlds.py, which other tests use as well."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from adapters.discord.render import render_message as discord
from adapters.discord.request import DiscordRequest
from adapters.slack.render import render_message as slack
from bot.commands.dispatch import load_shared_registry
from bot.game.ledger import Ledger
from bot.rules.dice import Die
from bot.spectators.watched_games import public_export
from bot.ui.reply.packing import read_file_text
from bot.ui.reply.reply import Reply
from tests.playing import Channel

HEX = re.compile(r"\b[0-9a-f]{8,64}\b|sha256-[A-Za-z0-9+/]{43}=")

GZIP = re.compile(r'(<script type="application/gzip" id="export">).*?(</script>)', re.DOTALL)

LOOKS = (
    ("Bob", "deck show"), ("Bob", "deck show cup"), ("Bob", "hand"), ("Bob", "log 50"), ("Dora", "log 50 story"),
    ("Bob", "game status"), ("Bob", "fair show"), ("Bob", "fair reveal"), ("Bob", "game export"),
    ("Bob", "game export html"), ("Bob", "game export markdown"), ("Bob", "game export csv"), ("Bob", "privacy export"),
    ("Bob", "deck play Bbb"), ("Bob", "deck play Hhhhhhhhhhhh"), ("Bob", "deck discard Bbb cup"),
    ("Bob", "deck discard Hhhhhhhhhhhh"), ("Bob", "deck return Bbb"), ("Bob", "deck give Bbb US"),
    ("Dora", "deck play Bbb"), ("Bob", "deck draw cup 60"), ("Bob", "deck draw cup 9"),
    ("Bob", 'deck make "1..3" standard-52'), ("Bob", "game stats"), ("Bob", "help deck draw"),
    ("Anna", "privacy export"),
)  # fmt: skip
"""What anybody may try at any time; Anna's own file holds no card either."""


class Given:
    """Faces that were arranged for an event; all else falls as it would."""

    def __init__(self, faces: Sequence[int], source: Any) -> None:
        self._faces, self._source = [*faces], source

    def draw(self, die: Die) -> int | str:
        return self._faces.pop(0) if self._faces else self._source.draw(die)

    def draw_all(self, die: Die, many: int) -> list[int | str]:
        return [self.draw(die) for _ in range(many)]


class World:
    """A channel in which some draws are arranged, by the number of their event; what others saw
    of it.
    """

    def __init__(self, channel: Channel, faces: Mapping[int, Sequence[int]]) -> None:
        self.channel, self.faces, self.seen = channel, faces, list[str]()

    async def do(self, name: str, line: str, *, holder: str) -> None:
        """A line; of the holder's private answers only that there is one is seen."""
        source = Ledger.create_dice_source
        with patch.object(
            Ledger,
            "create_dice_source",
            lambda ledger: Given(self.faces.get(ledger.next_number, ()), source(ledger)),
        ):
            if line.startswith("pick "):
                reply = await self.pick(name, *line.split()[1:])
            else:
                reply = await self.channel.say(name, line)
        self.note(
            f"{name}: {line}",
            reply,
            hides=name == holder and line.split()[0] in ("hand", "deck", "pick"),
        )

    async def pick(self, name: str, menu: str, place: str, to: str = "") -> Reply:
        """Choose the card in this place of a menu of one's hand, and for whom."""
        menus = {one.label: one.entries for one in (await self.channel.say(name, "hand")).menus}
        reply = await self.channel.press(name, menus[menu][int(place)].action)
        button = next((one for one in reply.buttons if to and one.label == to), None)
        return await self.channel.press(name, button.action) if button is not None else reply

    def note(self, what: str, reply: Reply, *, hides: bool) -> None:
        """What others see of an answer: all of a public one, and what it announces; never what
        it is for its asker.
        """
        if reply.private and hides:
            told = (
                reply.announce.to_json()
                if reply.announce is not None
                else {"private": True, "error": reply.error}
            )
        else:
            told = reply.to_json()
        for file in reply.files if not hides else ():
            self.seen.append(masked(f"{file.name}: {read_file_text(file.data, file.name)}"))
        self.seen.append(masked(f"{what}: {json.dumps(told)}"))
        for part in (reply.announce,) if reply.private and hides else (reply, reply.announce):
            if part is not None:
                sent = replace(part, files=())
                self.seen.append(
                    masked(
                        json.dumps(
                            discord(
                                sent, DiscordRequest(1, "", 1, 2, 2, 1), load_shared_registry()
                            ).body
                        )
                    )
                )
                self.seen.append(masked(repr(slack(sent, "T1", load_shared_registry()))))

    async def look(self) -> None:
        """All that others can look at, and what is completed for them."""
        for name, line in LOOKS:
            await self.do(name, line, holder="")
        for option, path in (
            ("deck", ("deck", "draw")),
            ("cards", ("deck", "play")),
            ("cards", ("deck", "discard")),
        ):
            for name in ("Bob", "Anna"):
                who, where = self.channel.who(name), self.channel.place
                found = await self.channel.app.complete_option(path, option, "", {}, who, where)
                self.seen.append(f"{name} completes {path} {option}: {found}")
        loaded = await self.channel.app.games.load_current(self.channel.place.key)
        assert loaded is not None
        events = await self.channel.app.store.load_events(loaded.row)
        self.seen.append(masked("\n".join(row.body for row in events)))
        self.seen.append(
            masked(json.dumps(await public_export(self.channel.app.store, loaded.row, events)))
        )
        self.seen.append(masked(repr(loaded.game)))


def masked(text: str) -> str:
    """A text without hashes, heads and what is packed of them."""
    return HEX.sub("#", GZIP.sub(r"\1\2", text))
