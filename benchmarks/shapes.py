"""What any 4,000 characters cost the loop: each kind of option, lines and completion, filled with
each repeated piece.

Run as `python -m benchmarks.shapes [PIECES]`; with a number only so many pieces are tried. The cost
is processor time of the loop's own thread, the least of three; the goal is 20 milliseconds for the
worst. A game of Lock 'n Load with a roster of 40 units is played in the channel.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from time import thread_time

from adapters.discord.text import escape_text
from adapters.slack.text import escape_text as escaped_on_slack
from adapters.slack.text import remove_markup
from benchmarks.goals import goal
from bot.app import App
from bot.rules.inputs.options import MAX_TEXT, Option
from bot.storage.sqlite import TemporaryStore
from bot.ui.spec import Command, CommandSpec, Person, Place
from tests.parsers import PIECES, repeated

ROUNDS, WORST, MOST_MS = 3, 12, 20.0
ANNA, HERE = (
    Person("console:anna", "Anna", manager=True),
    Place("discord:1/100", "discord:1", "table"),
)
START = (
    'game start lnlt "Hill 875" sides="US, VC"',
    "game join US",
    'unit add "Squad 1..20" squad US morale=5 fp=2',
    'unit add "Cell 1..20" squad VC morale=4 fp=1',
)
Run = Callable[[str], Awaitable[object]]


class Shapes:
    """A channel with a game in it, and the ways by which a text comes in there."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._ids = count()

    async def line(self, text: str) -> None:
        """Run a line."""
        await self._app.run_text(text, ANNA, HERE, f"line-{next(self._ids)}")

    def option(self, spec: CommandSpec, option: Option) -> Run:
        """Return what runs a command with a text in one of its options, and with what it cannot
        do without.
        """
        needed = {other.name: _some_value(other) for other in spec.options if other.is_required}

        async def run(text: str) -> None:
            given = {**needed, option.name: text}
            await self._app.run(
                Command(spec.path, given, ANNA, HERE, f"option-{next(self._ids)}", spec=spec)
            )

        return run

    def completion(self, spec: CommandSpec, option: Option) -> Run:
        """Return what completes a text in an option."""

        async def run(text: str) -> None:
            await self._app.complete_option(spec.path, option.name, text, {}, ANNA, HERE)

        return run

    def ways(self) -> Iterator[tuple[str, Run]]:
        """Yield each way in, by name: one option of each kind of each game, those of all games
        each.
        """
        yield "a line", self.line
        yield "a roll", lambda text: self.line(f"roll {text}"[:MAX_TEXT])
        yield "a shot", lambda text: self.line(f"lnlt fire attackers={text}"[:MAX_TEXT])
        yield "a message on Slack", _plain(remove_markup)
        yield "a text shown on Discord", _plain(escape_text)
        yield "a text shown on Slack", _plain(escaped_on_slack)
        seen = set[tuple[str, str, str, bool]]()
        for spec in self._app.registry:
            for option in spec.options:
                kind = (
                    spec.system or " ".join(spec.path),
                    option.type,
                    option.complete,
                    bool(option.values),
                )
                if kind in seen:
                    continue
                seen.add(kind)
                yield f"{spec.name} {option.name}", self.option(spec, option)
                if option.type != "file":
                    yield f"{spec.name} {option.name}, completed", self.completion(spec, option)


def _plain(function: Callable[[str], object]) -> Run:
    async def run(text: str) -> None:
        function(text)

    return run


def _some_value(option: Option) -> str:
    if option.values:
        return option.values[0]
    return str(int(option.min or 1)) if option.type in ("int", "number") else "us1"


async def cost(run: Run, text: str) -> float:
    """Return the milliseconds of the loop's thread, the least of some rounds if the first is not
    short.
    """
    least = await _once(run, text)
    for _ in range(ROUNDS - 1 if least > MOST_MS / 4 else 0):
        least = min(least, await _once(run, text))
    return least


async def _once(run: Run, text: str) -> float:
    begin = thread_time()
    await run(text)
    return (thread_time() - begin) * 1000


async def measure(pieces: tuple[str, ...]) -> list[tuple[float, str, str]]:
    """Return the worst piece of each way in: milliseconds, the way, the piece."""
    app = App(await TemporaryStore.make())
    shapes = Shapes(app)
    for line in START:
        await shapes.line(line)
    found = []
    for name, run in shapes.ways():
        costs = [(await cost(run, repeated(piece, MAX_TEXT)), name, piece) for piece in pieces]
        found.append(max(costs))
    await app.close()
    return sorted(found, reverse=True)


def main() -> None:
    """Print the dearest ways in, and the worst of all."""
    pieces = PIECES[: int(sys.argv[1])] if sys.argv[1:] else PIECES
    found = asyncio.run(measure(pieces))
    print(f"{len(found)} ways in, {len(pieces)} pieces, {MAX_TEXT:,} characters each; the dearest:")
    for milliseconds, name, piece in found[:WORST]:
        print(f"{milliseconds:6.1f} ms  {name}: {piece!r}")
    goal("any 4,000 characters, ms of the loop", [found[0][0]], most=MOST_MS)


if __name__ == "__main__":
    main()
