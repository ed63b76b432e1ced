"""How far one command walks through the house: `pytest -s tests/test_house.py` prints it.

A walk is what a command calls of ours, from its text to the stored answer, by an app that is warm.
It may enter so many files and change packages so often: whoever makes a walk longer meets this test,
and whoever makes one shorter lowers it.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path
from types import FrameType

import pytest

from bot.game.ledger import Ledger
from bot.ui.reply.reply import Reply
from tests.fresh import fresh_app
from tests.playing import Channel

ROOT = Path(__file__).resolve().parents[1]
APPEND = Ledger.append
"""As it is without the check of every event that conftest puts before it: that is no part of a
walk.
"""
FIRE = 'lnlt fire attackers=us1 targets="squad morale=5"'

WALKS = {
    "fire": (69, 495),
    "odds of it": (61, 140),
    "one die": (39, 80),
    "undo": (34, 114),
    "Again": (69, 525),
    "Odds": (55, 116),
    "a cell": (36, 72),
}
"""The most files that a walk enters, and the most changes of package, by its name. A shot makes many,
as it is tried at every other target before its menu offers that one.
"""


@dataclass
class Walk:
    """The calls of functions of ours, as the files that they are in, one after another."""

    files: list[str] = field(default_factory=list)

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """What `sys.setprofile` calls."""
        code = frame.f_code
        if (
            event == "call"
            and code.co_name[0] != "<"
            and code.co_filename.startswith(f"{ROOT}/bot/")
        ):
            self.files.append(code.co_filename.removeprefix(f"{ROOT}/"))

    @property
    def entered(self) -> int:
        """How many files."""
        return len(set(self.files))

    @property
    def packages(self) -> int:
        """How often the package changes: a folder of `bot` is one, and so are its loose files."""
        return sum(first != second for first, second in pairwise(map(package_of, self.files)))


def package_of(file: str) -> str:
    """The folder of `bot` that a file is in, or `bot`."""
    return "/".join(file.split("/")[:2]) if file.count("/") > 1 else "bot"


@contextmanager
def walked() -> Iterator[Walk]:
    """What is called inside."""
    walk = Walk()
    sys.setprofile(walk.note)
    try:
        yield walk
    finally:
        sys.setprofile(None)


class Table:
    """A game at which walks are taken."""

    def __init__(self, channel: Channel) -> None:
        self.channel, self.fired = channel, Reply("")

    async def walk(self, step: Callable[[], Awaitable[Reply]], *, after_fire: bool) -> Walk:
        """The shortest walk of a command that may be one about the shot before it; dice lengthen
        it now and then.
        """
        walks = list[Walk]()
        for _ in range(18):
            if after_fire:
                self.fired = await self.channel.do("Anna", FIRE)
            with walked() as walk:
                reply = await step()
            assert not reply.error, reply.format_text()
            walks.append(walk)
        return min(walks[2:], key=lambda one: one.packages)

    async def press(self, button: str) -> Reply:
        """A button under the last shot."""
        found = next(one.action for one in self.fired.buttons if one.label == button)
        return await self.channel.press("Anna", found)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", WALKS)
async def test_a_command_enters_few_files(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ledger, "append", APPEND)
    seconds = count(0, 5)
    channel = Channel(await fresh_app(steady=lambda: float(next(seconds))))
    await channel.do("Anna", "game start lnlt scenario=ford")
    table = Table(channel)
    steps: dict[str, Callable[[], Awaitable[Reply]]] = {
        "fire": lambda: channel.say("Anna", FIRE),
        "odds of it": lambda: channel.say("Anna", FIRE + " odds"),
        "one die": lambda: channel.say("Anna", "roll d6"),
        "undo": lambda: channel.say("Anna", "game undo"),
        "Again": lambda: table.press("Again"),
        "Odds": lambda: table.press("Odds"),
        "a cell": lambda: channel.say(
            "Anna", "lnlt-table dct total=7 unit=good-order-mmc morale=5"
        ),
    }
    walk = await table.walk(steps[name], after_fire=name in ("undo", "Again", "Odds"))
    files, packages = WALKS[name]
    print(
        f"\n{name}: {len(walk.files)} calls, {walk.entered} files, {walk.packages} changes of package"
    )
    assert walk.entered <= files
    assert walk.packages <= packages
