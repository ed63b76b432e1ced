"""A list of units that is much too long is refused while it is read, with one sentence, in every
option that takes units; nobody's log has anything about it."""

import logging
from collections.abc import Iterator
from random import Random
from uuid import uuid4

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.inputs.options import MAX_TEXT, Option
from bot.rules.inputs.unit_selectors import expand_list
from bot.rules.inputs.units import MAX_UNITS, split_items
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.system import System
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, CommandSpec
from tests.parsers import ROSTER, WHOSE
from tests.playing import Channel
from tools.fuzz import build_roster_lines, list_sides

TOO_MANY = f"A list can have at most {MAX_UNITS} units."
LISTS = {
    "commas": "," * MAX_TEXT,
    "names": "a," * (MAX_TEXT // 2),
    "semicolons": ";" * MAX_TEXT,
    "quoted": '"a",' * (MAX_TEXT // 4),
    "numbers": f"a sw={'1,' * (MAX_TEXT // 2 - 3)}",
}
LOG_OPTIONS = (("log", "unit"),)
"""Options of other types that take units too."""


def options_with_units(game: System) -> Iterator[tuple[CommandSpec, str]]:
    """Yield each command that is played in a game, with each of its options that takes several
    units.
    """
    for spec in load_shared_registry():
        if spec.system not in ("", game.id):
            continue
        for option in spec.options:
            takes_several = option.type == "units" or (option.type == "unit" and option.many)
            is_of_roster = option.complete == "unit" and option.many
            if takes_several or is_of_roster or (spec.path[0], option.name) in LOG_OPTIONS:
                yield spec, option.name


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "id", [game.id for game in load_shared_systems().values() if game.base is None]
)
async def test_every_option_says_how_many_units_a_list_holds(
    id: str, caplog: pytest.LogCaptureFixture
) -> None:
    game = find_shared_system(id)
    channel = await Channel.fresh()
    sides = list_sides(game)
    await channel.do(
        "Anna", f'game start {id} "A game" sides="{", ".join(sides)}"', f"game join {sides[0]}"
    )
    await channel.do("Anna", *build_roster_lines(game, Random(1)))
    await channel.do("Anna", "roll 2d6")
    wrong = []
    with caplog.at_level(logging.WARNING):
        for spec, option in options_with_units(game):
            for shape, text in LISTS.items():
                reply = await run(channel, spec, option, text)
                if not reply.error or reply.title != TOO_MANY:
                    wrong.append(f"{spec.name} {option}, {shape}: {reply.format_text()[:100]}")
    assert not wrong, "\n".join(wrong)
    assert not caplog.records


async def run(channel: Channel, spec: CommandSpec, option: str, text: str) -> Reply:
    """Return the answer to a command with this option, and with what it cannot do without, as a
    platform sends it.
    """
    needed = {other.name: _some_value(other) for other in spec.options if other.is_required}
    options = {**needed, option: text}
    command = Command(
        spec.path, options, channel.who("Anna"), channel.place, uuid4().hex, spec=spec
    )
    return await channel.app.run(command)


def _some_value(option: Option) -> str:
    """Return a value that an option may have."""
    if option.values:
        return option.values[0]
    if option.type in ("int", "number"):
        return str(int(option.min or 1))
    return "moved"


def test_forty_units_are_a_list_and_a_mark_behind_the_last_is_no_harm() -> None:
    words = find_shared_system("lnlt").words["units"]
    for sign in (",", ";"):
        text = f"us1{sign} " * MAX_UNITS
        assert len(split_items(expand_list(text, words, ROSTER, WHOSE).strip(" ;"))) == MAX_UNITS


def test_commas_in_a_value_or_a_name_separate_nothing() -> None:
    words = find_shared_system("lnlt").words["units"]
    written = expand_list('us1 sw=3,2, "Squad 2" sw=1,2', words, ROSTER, WHOSE)
    assert written == 'us1 sw=3,2; "Squad 2" sw=1,2'
