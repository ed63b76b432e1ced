"""An evening told once and played on Discord and on Slack: who says or presses what, and all
that is answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.game.counter_faces import format_word
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import list_lost_states
from tests.adapters import evening as driver

Json = dict[str, Any]

ALLOWED = "unlimited"
"""Commands a minute: nobody types as fast as these people, who else were told to wait for most
of the evening.
"""

STATES_OUT_OF_IT = "|".join(
    sorted(
        {
            format_word(state)
            for system in (None, *load_shared_systems().values())
            for state in list_lost_states(system)
        }
    )
)
"""The states in which a unit has left the fight, in any game, as players read them."""
EXPECTED = re.compile(
    r"cannot|out of ammunition|jammed|already|no longer|over|needs (no|morale)|[Nn]obody|takes no part|"
    r"has nobody left|has no firepower|can do nothing this activation|(has to|must) reload|"
    r"has (no|\d) AP left|not on the roster|"
    rf"(is|are) (not |shaken|dead|pinned|stunned|out|suppressed|abandoned|{STATES_OUT_OF_IT})"
)
"""What a refusal may say in the course of a fight: dice decide who is still able to do what."""


HURRY = re.compile(r"(?:Try again in (\d+) seconds|You just rolled that again)")
LAID_UP = re.compile(rf"[A-Z]{{4,}}|pinned|stunned|suppressed|{STATES_OUT_OF_IT}")


@dataclass(frozen=True)
class Seen:
    """An answer as it was when it came; `raw` is the stand-in's own message."""

    who: str
    said: str
    text: str
    buttons: tuple[str, ...]
    private: bool
    body: Json
    raw: Any

    @property
    def error(self) -> bool:
        """Whether it refuses."""
        return self.private and bool(re.match(r"\W*(Error|Not )", self.text))


@dataclass
class Table:
    """One table of Greta, who leads the game, and Anna and Ben, who play it; `seen` is every
    answer in order.
    """

    platform: driver.Table
    seen: list[Seen] = field(default_factory=list)

    async def say(self, who: str, path: str, *, maybe: bool = False, **options: object) -> Seen:
        """The answer to a command. Raises AssertionError if it is refused, unless a refusal is a
        part of the game.
        """
        said = path + "".join(f" {name}={value}" for name, value in options.items())
        says = "Log" if path == "game board" else ""
        return await self._seen(
            who, said, lambda: self.platform.asked(who, path, options, says), maybe=maybe
        )

    async def type(self, who: str, line: str, says: str = "", *, maybe: bool = False) -> Seen:
        """Return the answer to a line as it is typed, as `say`; its text holds `says`."""
        seen = await self._seen(who, line, lambda: self.platform.typed(who, line), maybe=maybe)
        words = self.platform.words(seen.raw)
        assert says in words, f"{line}: {words}"
        return seen

    async def able(self, handles: str) -> list[str]:
        """The units of this side that are in good order, by the list."""
        listed = (await self.say("Greta", "unit list", all=True)).text
        return list_able(listed, handles) or [f"{handles}1"]

    async def press(self, who: str, on: Seen, button: str, *, maybe: bool = False) -> Seen:
        """The answer to a button, as `say`."""
        return await self._seen(
            who, f"[{button}]", lambda: self.platform.pressed(who, on.raw, button), maybe=maybe
        )

    async def _seen(
        self, who: str, said: str, ask: Callable[[], Awaitable[Any]], *, maybe: bool
    ) -> Seen:
        seen = self._read(who, said, await ask())
        while hurry := HURRY.search(seen.text):
            await asyncio.sleep(int(hurry[1] or 2) + 1)
            seen = self._read(who, said, await ask())
        self.seen.append(seen)
        if seen.error:
            fine = maybe and EXPECTED.search(seen.text)
            assert fine, f"{seen.who}: {seen.said}\n{seen.text}"
        return seen

    def _read(self, who: str, said: str, message: Any) -> Seen:
        """A message as it is now."""
        at = self.platform
        text, private, body = at.whole(message), at.is_private(message), at.body(message)
        return Seen(who, said, text, tuple(at.buttons(message)), private, body, message)


def list_able(listed: str, handles: str) -> list[str]:
    """Return the units of one side that are in good order, by the text of `unit list`.

    A narrow table has the state of a unit in an indented line below its row.
    """
    rows = re.findall(rf"^({handles}\d+) (.*(?:\n +\S.*)*)$", listed, re.MULTILINE)
    return [handle for handle, words in rows if not LAID_UP.search(words)]


@asynccontextmanager
async def on_discord(folder: Path) -> AsyncIterator[Table]:
    """A table on Discord."""
    async with driver.on_discord(folder, COMMANDS_PER_MINUTE=ALLOWED) as at:
        yield Table(at)


@asynccontextmanager
async def on_slack(folder: Path) -> AsyncIterator[Table]:
    """A table on Slack."""
    async with driver.on_slack(folder, COMMANDS_PER_MINUTE=ALLOWED) as at:
        yield Table(at)


def keep(table: Table, name: str) -> None:
    """Write every answer where it may be drawn, if that is asked for."""
    if folder := os.environ.get("GROGNARD_EVENINGS"):
        path = Path(folder) / name
        path.mkdir(parents=True, exist_ok=True)
        for number, seen in enumerate(table.seen):
            (path / f"{number:03}.json").write_text(json.dumps(seen.body))
        lines = [
            f"=== {n:03} {s.who}: {s.said}{' (private)' if s.private else ''}\n{s.text}\n{list(s.buttons)}\n"
            for n, s in enumerate(table.seen)
        ]
        (path / "all.txt").write_text("\n".join(lines))
        (path / "public.txt").write_text(table.platform.public())
