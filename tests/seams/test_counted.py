"""Every state and marker that counts x odds, open and sealed shots, undo, a restart, and the checks
of the log.

The sequences come from the registry, the states and markers from the data, so that new ones join by
themselves. Which of them count shows in the odds: they differ once the unit is in that state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bot.app import App
from bot.commands.dispatch import load_shared_registry
from bot.game.state import build_roster
from bot.presentation.counted_conditions import CountedCondition, find_counted_conditions
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.ui.reply.parts import Odds
from bot.ui.reply.reply import Reply
from bot.ui.typing.command_text import format_command
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text
from tests.seams.outcomes import Ready, ready
from tests.seams.undo_helpers import assert_verified

SEQUENCES = [
    (game.id, sequence.id)
    for game in load_shared_systems().values()
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


@pytest.mark.slow_sample(12)
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
    one = await ready(find_shared_system(game).find_sequence(name))
    channel = one.channel
    spec = load_shared_registry().get((game, name))
    assert spec is not None
    line = format_command(spec, one.raw).removeprefix("/")
    base = await channel.say("Anna", f"{line} odds")
    counting: dict[str, Reply] = {}
    for name_of_unit, condition, edit in _edits(one):
        before = await channel.content()
        if len(counting) == most or (await channel.say("Anna", edit)).error:
            continue
        odds = await channel.say("Anna", f"{line} odds")
        if not odds.error and (base.error or _chances(odds) != _chances(base)):
            counting[edit] = odds
            # equal units share a line: "Zebra 3 + 5 are already shaken"
            stem = name_of_unit.rpartition(" ")[0]
            says = rf"(From|Applies to) {name_of_unit}|{stem} [^\n]*already"
            assert re.search(says, odds.format_text()), f"{edit}: {odds.format_text()}"
            if not base.error:
                without = await channel.say(
                    "Anna", f"{_left_out(line, name_of_unit, condition)} odds"
                )
                assert _chances(without) == _chances(base), edit
            roster = build_roster(await channel.game())
            counted = find_counted_conditions(one.sequence, one.raw, roster)
            _check_names(await _play(channel, line, odds), counted)
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


def _edits(one: Ready) -> Iterator[tuple[str, str, str]]:
    """Yield each unit and each state and marker of the game, with the command that puts it there.

    The order is the test's own. A unit whose state ails it already keeps that.
    """
    units = one.sequence.system.game["units"]
    ailing = [state for state in units.get("states", ()) if state not in units.get("well", ())]
    edits = [(state, f"state={state}") for state in ailing]
    edits += [(marker, f"marker=+{marker}") for marker in units.get("markers", ())]
    listed = {unit.name: unit for unit in one.roster.values()}
    lines = [
        (name, condition, f'unit edit "{name}" {edit}')
        for name, unit in listed.items()
        for condition, edit in edits
        if not (edit.startswith("state=") and unit.state in ailing)
    ]
    yield from Random(one.sequence.id).sample(lines, len(lines))


def _left_out(line: str, unit: str, condition: str) -> str:
    """Return the line with the condition left out of the unit for this roll."""
    return re.sub(rf"\b{unit}\b(?=[\";]|$)", f"{unit} -{condition}", line)


def _check_names(answer: Reply, counted: tuple[CountedCondition, ...]) -> None:
    """Check that each thing that counts is named in the answer of the roll."""
    text = answer.format_text().casefold()
    for one in counted:
        names = [name for name, _ in one.modifiers] or [one.text]
        assert one.is_named or all(name.casefold() in text for name in names), answer.format_text()


def _chances(reply: Reply) -> list[tuple[tuple[str, float], ...]]:
    assert not reply.error, reply.format_text()
    return [part.chances for part in reply.lines if isinstance(part, Odds)]


async def _play(channel: Channel, line: str, odds: Reply) -> Reply:
    """Roll, open it if it is sealed, and return the answer. The odds of that roll stay those of before, whatever it did
    to its units, for another process too.
    """
    reply = await channel.say("Anna", line)
    assert not reply.error, reply.format_text()
    number = (await channel.game()).last
    if line.endswith("secret"):
        await channel.do("Anna", f"game reveal {number}")
    shot = await channel.under(number, "odds")
    other = Channel(App(channel.app.store), channel.place, f"other-{number}-")
    for process in (channel, other):
        assert _chances(await process.press("Anna", shot)) == _chances(odds)
    return reply
