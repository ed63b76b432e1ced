"""An evening, told once for Discord and for Slack: what people type and tap, and what all and each
of them then read.

A driver sends it as the platform has it, to a bot that is a process of its own, and reads the
platform's own messages. `on_each` runs a test once with each driver.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.inputs.options import is_flag_on
from bot.ui.typing.command_text import parse_text
from bot.ui.typing.command_writer import UNLISTED
from tests.adapters.discord import process as discord_process
from tests.adapters.left_over import time_passes
from tests.adapters.nursery import share
from tests.adapters.slack import process as slack_process
from tests.adapters.slack.conftest import settle, stand_in
from tests.standins import discord as d
from tests.standins import slack as s
from tests.standins.slack.handle import has_words
from tests.standins.taps import DiscordThumb, SlackThumb

PEOPLE = ("Greta", "Anna", "Ben", "Carl")
MENU = "Same shot, other target"
PAUSE = 2.2
"""Seconds after which a channel of Slack takes a message of the bot's own at once: only such a
one can be changed.
"""
CALL = re.compile(r"<@(\w+)>")
_MARKS = re.compile(r"[*~`\\]|^-# |^### ", re.MULTILINE)


class Table(ABC):
    """A channel with Greta, Anna, Ben and Carl, who looks on; a message is the platform's own."""

    bot: Any
    platform: str
    steps: bool
    """Whether the ticks of a form are told whole, steps of a number among them."""
    strong: str
    strike: str
    """The marks around what is bold, and what is struck."""

    def __init__(self) -> None:
        self._seen: set[object] = set()

    @abstractmethod
    async def typed(self, who: str, line: str, says: str = "") -> Any:
        """The answer to a command, which has these words in it or on a button."""

    @abstractmethod
    async def asked(self, who: str, path: str, options: Mapping[str, Any], says: str = "") -> Any:
        """The same for a command by its path and options."""

    @abstractmethod
    async def opened(self, who: str, line: str) -> Any:
        """The form that a command opens."""

    @abstractmethod
    async def pressed(self, who: str, message: Any, button: str, says: str = "") -> Any:
        """The answer to a button, likewise."""

    @abstractmethod
    async def chosen(self, who: str, message: Any, target: str, says: str | None = None) -> Any:
        """The answer to another target from the menu of a shot; it names that, or has the other
        words in it.
        """

    @abstractmethod
    def has_menu(self, message: Any) -> bool:
        """Whether the menu of other targets has the place that it has here."""

    @abstractmethod
    def title(self, form: Any) -> str:
        """What a form is called."""

    @abstractmethod
    def shown(self, who: str) -> str:
        """What somebody is called here."""

    @abstractmethod
    async def form(self, who: str, message: Any, button: str) -> Any:
        """The form that a button opens."""

    @abstractmethod
    async def filled(
        self, who: str, form: Any, fields: Mapping[str, Any], *, alone: bool = False
    ) -> Any:
        """The answer to a form, filled in by the names of its fields; what they read `alone`
        where all see another.
        """

    @abstractmethod
    async def keypad(self, who: str, card: Any, attacker: str, target: str) -> Any:
        """Own dice are asked for, a die a tap, in the way that this platform's people take."""

    @abstractmethod
    async def message(self, words: str, alone: str = "") -> Any:
        """What the bot has written in the channel, or to one person `alone`, with these words in
        it; waits for it.
        """

    @abstractmethod
    async def until(self, look: Callable[[], object], what: str) -> None:
        """Wait until something is so."""

    @abstractmethod
    async def log_of(self, who: str) -> bytes:
        """The game's log as the file that somebody is sent."""

    @abstractmethod
    def messages(self) -> Sequence[Any]:
        """What the bot has written in the channel and still stands there."""

    @abstractmethod
    def called(self, message: Any) -> list[str]:
        """Whom a message called when it came."""

    @abstractmethod
    def key(self, message: Any) -> object:
        """What tells a message from others."""

    @abstractmethod
    def is_private(self, message: Any) -> bool:
        """Whether one person alone reads it."""

    @abstractmethod
    def body(self, message: Any) -> dict[str, Any]:
        """A message as it can be drawn."""

    @abstractmethod
    def whole(self, message: Any) -> str:
        """All that a message says, as the platform has it."""

    @abstractmethod
    def head(self, message: Any) -> str:
        """What a message says first, as the platform has it."""

    @abstractmethod
    def buttons(self, message: Any) -> list[str]:
        """The labels of its buttons."""

    @abstractmethod
    def files(self, message: Any) -> list[str]:
        """The names of its files."""

    @property
    @abstractmethod
    def key_of_place(self) -> str:
        """The channel in the store."""

    @abstractmethod
    def mention(self, who: str) -> str:
        """How a message calls somebody."""

    @abstractmethod
    def leads_here(self, message: Any, button: str) -> bool:
        """Whether a button opens the channel."""

    @abstractmethod
    def closes_messages(self, who: str) -> None:
        """Somebody takes no direct messages of the bot any more."""

    @abstractmethod
    def refuses_edits(self) -> None:
        """The platform changes no message for a button any more, once."""

    @abstractmethod
    def spent(self) -> tuple[int, int]:
        """Taps and characters by all since the last time."""

    async def rest(self) -> None:
        """A pause where the platform wants one."""
        await asyncio.sleep(0)

    def words(self, message: Any) -> str:
        """All that a message says, without marks."""
        return _MARKS.sub("", self.whole(message))

    def public(self) -> str:
        """All that stands in the channel for all to read."""
        return "\n".join(self.whole(one) for one in self.messages() if not self.is_private(one))

    def has(self, message: Any, says: str) -> bool:
        """Whether it has these words in it, or a button of that name."""
        return says in self.words(message) or says in self.buttons(message)

    def is_bold(self, message: Any, words: str) -> bool:
        """Whether these words are bold in it."""
        return f"{self.strong}{words}{self.strong}" in self.whole(message)

    def first(self, message: Any) -> str:
        """What it says first, without marks."""
        return _MARKS.sub("", self.head(message))

    async def say(self, who: str, line: str, says: str = "") -> Any:
        """The answer to a command, which all see."""
        answer = await self.typed(who, line, says)
        assert not self.is_private(answer), self.whole(answer)
        return answer

    async def alone(self, who: str, line: str, says: str = "") -> Any:
        """The answer to a command, which only they read."""
        answer = await self.typed(who, line, says)
        assert self.is_private(answer), self.whole(answer)
        return answer

    async def press(self, who: str, message: Any, button: str, says: str = "") -> Any:
        """The answer to a button, which all see."""
        answer = await self.pressed(who, message, button, says)
        assert not self.is_private(answer), self.whole(answer)
        return answer

    async def refused(self, who: str, message: Any, button: str) -> str:
        """What only the one who pressed a button reads."""
        answer = await self.pressed(who, message, button)
        assert self.is_private(answer), self.whole(answer)
        return self.words(answer)

    def calls(self) -> list[str]:
        """Who was called since the last time by a new message, one name for each."""
        new = [one for one in self.messages() if self.key(one) not in self._seen]
        self._seen |= {self.key(one) for one in new}
        return [name for one in new for name in self.called(one)]

    def as_seen(self, message: Any) -> Any:
        """A message as it is on a screen that hears of nothing more."""
        return replace(message)

    async def struck(self, message: Any) -> None:
        """Wait until a result says that it was taken back, and offers nothing any more."""
        await self.until(
            lambda: "Undone in #" in self.whole(message) and not self.buttons(message),
            "a result struck",
        )
        assert self.strike in self.whole(message)

    async def over(self, card: Any) -> None:
        """Wait until the card of a phase that is over offers nothing for it any more."""
        await self.until(
            lambda: not {"Next phase", "Pass", "Done", "Fire"} & {*self.buttons(card)},
            "an old card",
        )

    async def board(self, words: str) -> Any:
        """The board that holds now, once it shows these words; there is no other one with
        buttons.
        """

        def boards() -> list[Any]:
            return [one for one in self.messages() if {"Log", "Undo"} <= {*self.buttons(one)}]

        await self.until(
            lambda: [words in self.words(one) for one in boards()] == [True], f"one board: {words}"
        )
        [board] = boards()
        assert not self.called(board)
        return board

    async def restarted(self) -> None:
        """The bot is killed, and comes back when what it had begun is due again."""
        await self.bot.kill()
        await self.rest()
        time_passes(self.bot.data)
        await self.bot.start()

    async def hours_later(self) -> None:
        """What is laid down is due, and the bot comes back."""
        await self.bot.kill()
        with closing(sqlite3.connect(self.bot.data / "grognard.db")) as db, db:
            db.execute("UPDATE due SET at = at - 86400")
        await self.bot.start()


class OnDiscord(Table):
    """A channel of a server."""

    platform, steps, strong, strike = "discord", True, "**", "~~"

    def __init__(self, discord: d.DiscordStandIn, *, thread: bool = False) -> None:
        super().__init__()
        self.discord, self.table = discord, discord.channel("table")
        if thread:
            self.table = discord.thread("Hill 875", self.table)
        self.people = {name: discord.user(name) for name in PEOPLE}
        self._names = {str(one.id): name for name, one in self.people.items()}
        self.thumbs = {name: DiscordThumb(one) for name, one in self.people.items()}

    async def typed(self, who: str, line: str, says: str = "") -> d.Message:
        read = parse_text(line, load_shared_registry())
        kinds = {option.name: option.type for option in read.spec.options}
        options: dict[str, Any] = {}
        for name, value in read.options.items():
            number = int(str(value)) if kinds[name] == "int" else value
            options[name] = is_flag_on({name: value}, name) if kinds[name] == "bool" else number
        return await self.asked(who, " ".join(read.spec.path), options, says)

    async def opened(self, who: str, line: str) -> d.Interaction:
        read = parse_text(line, load_shared_registry())
        path = " ".join(read.spec.path)
        opened = await self.people[who].slash(self.table, path, dict(read.options))
        assert opened.modal
        return opened

    async def asked(
        self, who: str, path: str, options: Mapping[str, Any], says: str = ""
    ) -> d.Message:
        return await self._answer(
            await self.people[who].slash(self.table, path, dict(options)), says
        )

    async def _answer(self, asked: d.Interaction, says: str) -> d.Message:
        answer = await asked.answer()
        assert self.has(answer, says), answer.text
        return answer

    async def pressed(self, who: str, message: d.Message, button: str, says: str = "") -> d.Message:
        return await self._answer(await self.thumbs[who].press(message, button), says)

    async def chosen(
        self, who: str, message: d.Message, target: str, says: str | None = None
    ) -> d.Message:
        return await self._answer(
            await self.thumbs[who].select(message, MENU, target), target if says is None else says
        )

    def has_menu(self, message: d.Message) -> bool:
        # a row of its own
        return [part["type"] for part in message.components[1]["components"]] == [3]

    def title(self, form: d.Interaction) -> str:
        return str(form.modal["title"])

    def shown(self, who: str) -> str:
        return who

    async def form(self, who: str, message: d.Message, button: str) -> d.Interaction:
        opened = await self.thumbs[who].press(message, button)
        assert opened.modal
        return opened

    async def filled(
        self, who: str, form: d.Interaction, fields: Mapping[str, Any], *, alone: bool = False
    ) -> d.Message:
        answer = await (await self.thumbs[who].submit(form, fields)).answer()
        assert answer.ephemeral or not alone
        return answer

    async def keypad(self, who: str, card: d.Message, attacker: str, target: str) -> d.Message:
        filled = {"Who's firing": [attacker], "Targets": [target], "What now?": "Enter my own dice"}
        return await self.filled(who, await self.form(who, card, "Fire"), filled)

    async def message(self, words: str, alone: str = "") -> d.Message:
        return await self.discord.message(self.people[alone].dm() if alone else self.table, words)

    async def until(self, look: Callable[[], object], what: str) -> None:
        await self.discord.until(lambda: bool(look()))

    async def log_of(self, who: str) -> bytes:
        exported = await (
            await self.people[who].slash(self.table, "game export", format="json")
        ).answer()
        return next(iter(exported.files.values()))

    def messages(self) -> list[d.Message]:
        return self.people["Carl"].sees(self.table)

    def called(self, message: d.Message) -> list[str]:
        return [self._names[who] for who in sorted(message.pings)]

    def key(self, message: d.Message) -> object:
        return message.id

    def is_private(self, message: d.Message) -> bool:
        return message.ephemeral

    def body(self, message: d.Message) -> dict[str, Any]:
        body = {
            "content": message.content,
            "embeds": message.embeds,
            "components": message.components,
        }
        return body | {"flags": message.flags}

    def whole(self, message: d.Message) -> str:
        return message.text

    def head(self, message: d.Message) -> str:
        return message.content

    def buttons(self, message: d.Message) -> list[str]:
        return [*message.buttons]

    def files(self, message: d.Message) -> list[str]:
        return [*message.files]

    @property
    def key_of_place(self) -> str:
        return f"discord:{self.discord.guild.id}/{self.table.id}"

    def mention(self, who: str) -> str:
        return self.people[who].mention

    def leads_here(self, message: d.Message, button: str) -> bool:
        return str(message.buttons[button]["url"]).endswith(f"/{self.table.id}")

    def closes_messages(self, who: str) -> None:
        self.people[who].user.refuses_dms = True

    def refuses_edits(self) -> None:
        self.discord.fail(r"POST .*/interactions/\d+/[^/]+/callback", 400)

    def spent(self) -> tuple[int, int]:
        taps, letters = zip(*(thumb.spent() for thumb in self.thumbs.values()), strict=True)
        return sum(taps), sum(letters)


def is_news(message: s.Message) -> bool:
    """Whether it is an answer: neither the board, nor a file alone, nor an older message that
    was struck meanwhile.
    """
    old = message.text.startswith(("The board", "Undone", "Overtaken")) or message.text.endswith(
        "is over"
    )
    return "Log" not in message.buttons() and has_words(message) and not old


class OnSlack(Table):
    """A channel of a workspace."""

    platform, steps, strong, strike = "slack", False, "*", "~"

    def __init__(self, slack: s.SlackStandIn) -> None:
        super().__init__()
        self.slack, self.may_refuse = slack, {"missing_scope", "ratelimited"}
        self.home, anna, ben, self.games = settle(slack)
        self.people = {
            "Greta": self.home.user("Greta"),
            "Anna": anna,
            "Ben": ben,
            "Carl": self.home.user("Carl"),
        }
        self._names = {one.id: name for name, one in self.people.items()}
        self.thumbs = {name: SlackThumb(one) for name, one in self.people.items()}

    async def typed(self, who: str, line: str, says: str = "") -> s.Message:
        name, _, rest = line.partition(" ")
        command, text = ("/grognard", line) if name in UNLISTED else (f"/{name}", rest)
        asked = await self.people[who].slash(self.games, command, text)
        assert asked.in_time
        return await self._answer(asked, says)

    async def opened(self, who: str, line: str) -> Any:
        asked = await self.people[who].slash(self.games, "/grognard", line)
        return asked, await asked.modal()

    async def asked(
        self, who: str, path: str, options: Mapping[str, Any], says: str = ""
    ) -> s.Message:
        command, *rest = path.split()
        words = [
            *rest,
            *(f'{name}="{"yes" if value is True else value}"' for name, value in options.items()),
        ]
        return await self._answer(
            await self.people[who].slash(self.games, f"/{command}", " ".join(words)), says
        )

    async def _answer(self, asked: Any, says: str) -> s.Message:
        found: s.Message = await asked.answer(
            where=lambda one: self.has(one, says) if says else is_news(one)
        )
        return found

    async def pressed(self, who: str, message: s.Message, button: str, says: str = "") -> s.Message:
        return await self._answer(await self.thumbs[who].press(message, button), says)

    async def chosen(
        self, who: str, message: s.Message, target: str, says: str | None = None
    ) -> s.Message:
        asked = await self.thumbs[who].choose(message, "a:menu-0", target)
        return await self._answer(asked, target if says is None else says)

    def has_menu(self, message: s.Message) -> bool:
        (row,) = [block for block in message.blocks if block["type"] == "actions"]
        labels = [one.get("text", one.get("placeholder"))["text"] for one in row["elements"]]
        return labels == ["Again", "Change…", "Other target", "Odds", "Undo"]

    def title(self, form: Any) -> str:
        return str(form[1].body["title"]["text"])

    def shown(self, who: str) -> str:
        return who.lower()

    async def form(self, who: str, message: s.Message, button: str) -> Any:
        asked = await self.thumbs[who].press(message, button)
        return asked, await asked.modal()

    async def filled(
        self, who: str, form: Any, fields: Mapping[str, Any], *, alone: bool = False
    ) -> s.Message:
        asked, view = form  # the answer to the form is one to what opened it

        def has_all() -> bool:
            return fields.keys() <= {block["block_id"] for block, _ in view.elements()}

        if not has_all():
            await self.people[who].press(view, "More fields")
            await self.until(has_all, "more fields")
        sent = await self.thumbs[who].submit(view, fields)
        assert sent.errors == {}
        found: s.Message = await asked.answer(where=self.is_private if alone else is_news)
        return found

    async def keypad(self, who: str, card: s.Message, attacker: str, target: str) -> s.Message:
        return await self.typed(who, f'lnlt fire "{attacker}" "{target}" hand=?')

    async def message(self, words: str, alone: str = "") -> s.Message:
        who = self.people[alone or "Carl"]
        return await who.wait_for(who.im if alone else self.games, words)

    async def until(self, look: Callable[[], object], what: str) -> None:
        await self.slack.watch.until(look, timeout=60, what=what)

    async def log_of(self, who: str) -> bytes:
        asker = self.people[who]
        await (await asker.slash(self.games, "/game", "export json")).answer()
        [file] = [one for one in asker.sees(asker.im) if one.files][-1].files
        return file.data

    def messages(self) -> list[s.Message]:
        return [one for one in self.people["Carl"].sees(self.games) if one.via != "user"]

    def called(self, message: s.Message) -> list[str]:
        first = (message.earlier or [message])[0]
        return [self._names[who] for who in sorted({*CALL.findall(first.everything)})]

    def key(self, message: s.Message) -> object:
        return message.ts

    def is_private(self, message: s.Message) -> bool:
        return message.ephemeral_for is not None

    def body(self, message: s.Message) -> dict[str, Any]:
        return {"text": message.text, "blocks": message.blocks}

    def whole(self, message: s.Message) -> str:
        return message.everything

    def head(self, message: s.Message) -> str:
        return message.text

    def buttons(self, message: s.Message) -> list[str]:
        return message.buttons()

    def files(self, message: s.Message) -> list[str]:
        return [file.name for file in message.files]

    @property
    def key_of_place(self) -> str:
        return f"slack:{self.home.id}/{self.games.id}"

    def mention(self, who: str) -> str:
        return self.people[who].mention_text

    def leads_here(self, message: s.Message, button: str) -> bool:
        [url] = [one["url"] for _, one in message.elements() if one["text"]["text"] == button]
        return str(url).endswith(f"channel={self.games.id}")

    def closes_messages(self, who: str) -> None:
        self.slack.faults.error("conversations.open", "cannot_dm_bot")
        self.may_refuse |= {"cannot_dm_bot"}

    def refuses_edits(self) -> None:
        self.slack.faults.error("response_url", "expired_url")
        self.slack.faults.error("chat.update", "cant_update_message")
        self.may_refuse |= {"expired_url", "cant_update_message"}

    def spent(self) -> tuple[int, int]:
        taps, letters = zip(*(thumb.spent() for thumb in self.thumbs.values()), strict=True)
        return sum(taps), sum(letters)

    async def rest(self) -> None:
        await asyncio.sleep(PAUSE * share())


@asynccontextmanager
async def on_discord(
    tmp_path: Path, *, thread: bool = False, **settings: str
) -> AsyncIterator[OnDiscord]:
    """A table on Discord, with the bot at work by these settings; in a `thread` of one."""
    async with (
        d.DiscordStandIn.running() as discord,
        discord_process.running(discord, tmp_path, **settings) as bot,
    ):
        table = OnDiscord(discord, thread=thread)
        table.bot = bot
        yield table
        seen = [one.nonce for one in discord.messages(table.table) if one.text and one.nonce]
        assert len({*seen}) == len(seen), "none twice"


@asynccontextmanager
async def on_slack(
    tmp_path: Path, transport: str = "socket", **settings: str
) -> AsyncIterator[OnSlack]:
    """A table on Slack, with the bot at work by these settings, by one of Slack's transports."""
    slack = await stand_in(transport)
    try:
        table = OnSlack(slack)
        async with slack_process.running(slack, tmp_path, table.home, **settings) as table.bot:
            yield table
        refused = {error for _, error, *_ in slack.refusals}
        assert refused <= table.may_refuse, "it may not read the channel, and waits where asked to"
    finally:
        await slack.stop()


Platform = Callable[[Path], AbstractAsyncContextManager[Table]]


Test = TypeVar("Test", bound=Callable[..., Awaitable[None]])


def on_each(test: Test) -> Test:
    """Run a test with each driver: with one of them in the quick run, with the other in the slow
    one.
    """
    on_both = pytest.mark.parametrize("platform", [on_discord, on_slack], ids=["discord", "slack"])
    marked: Test = pytest.mark.sample(1)(on_both(test))
    return marked


"""A test of an evening on each `platform`."""
