"""Every state and marker that counts x odds, open and sealed shots, undo, a restart, and the checks
of the log.

The sequences come from the registry, the states and markers from the data, so that new ones join by
themselves. Which of them count shows in the odds: they differ once the unit is in that state.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bot.app import App
from bot.interface.registry import registry
from bot.interface.reply.parts import Odds
from bot.interface.reply.reply import Reply
from bot.interface.typing.command_text import command_text
from bot.systems.catalog import system, systems
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text
from tests.seams.outcomes import Ready, ready
from tests.seams.test_undo import assert_verified

SEQUENCES = [
    (game.id, sequence.id)
    for game in systems().values()
    for sequence in game.sequences.values()
    if sequence.odds_by
]
COUNTING = (
    ("asl", "recover"),
    ("baps", "morale-check"),
    ("lnlt", "fire"),
    ("nhis", "fire"),
    ("ucn", "shoot"),
)
"""Sequences in which states or markers are known to count."""
FEW, MANY = 2, 6
"""States and markers of each sequence that the quick run plays, and the slow one."""


@pytest.mark.parametrize(
    ("game", "name", "most"),
    [
        *(pytest.param(*one, FEW) for one in COUNTING),
        *(pytest.param(*one, MANY, marks=pytest.mark.slow) for one in SEQUENCES),
    ],
)
async def test_what_counts_counts_the_same_afterward(
    game: str, name: str, most: int, tmp_path: Path
) -> None:
    one = await ready(system(game).sequence(name))
    channel = one.channel
    spec = registry().get((game, name))
    assert spec is not None
    line = command_text(spec, one.raw).removeprefix("/")
    base = await channel.say("Anna", f"{line} odds")
    counting: dict[str, Reply] = {}
    for edit in _edits(one):
        before = await channel.content()
        if len(counting) == most or (await channel.say("Anna", edit)).error:
            continue
        odds = await channel.say("Anna", f"{line} odds")
        if not odds.error and (base.error or _chances(odds) != _chances(base)):
            counting[edit] = odds
            await _play(channel, line, odds)
            await channel.undo_last("Anna")
        await channel.undo_last("Anna")
        assert await channel.content() == before
    print("COUNTS", game, name, len(counting))
    assert counting or (game, name) not in COUNTING
    for edit, odds in [*counting.items()][-1:]:
        await channel.do("Anna", edit)
        await _play(channel, f"{line} secret", odds)
    await assert_verified(channel)
    [page] = said_by_page([await exported_text(channel)], tmp_path)
    assert page["faults"] == []


def _edits(one: Ready) -> Iterator[str]:
    """Yield what puts each state and marker of the game on each unit, in an order of the test's own."""
    units = one.sequence.system.game["units"]
    edits = [f"state={state}" for state in units.get("states", ())]
    edits += [f"marker=+{marker}" for marker in units.get("markers", ())]
    names = dict.fromkeys(unit.name for unit in one.roster.values())
    lines = [f'unit edit "{name}" {edit}' for name in names for edit in edits]
    yield from Random(one.sequence.id).sample(lines, len(lines))


def _chances(reply: Reply) -> list[tuple[tuple[str, float], ...]]:
    assert not reply.error, reply.text()
    return [part.chances for part in reply.lines if isinstance(part, Odds)]


async def _play(channel: Channel, line: str, odds: Reply) -> None:
    """Roll, and open it if it is sealed. The odds of that roll stay those of before, whatever it did
    to its units, for another process too.
    """
    reply = await channel.say("Anna", line)
    assert not reply.error, reply.text()
    number = (await channel.game()).last
    if line.endswith("secret"):
        await channel.do("Anna", f"game reveal {number}")
    shot = await channel.under(number, "odds")
    other = Channel(App(channel.app.store), channel.place, f"other-{number}-")
    for process in (channel, other):
        assert _chances(await process.press("Anna", shot)) == _chances(odds)
