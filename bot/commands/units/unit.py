"""`/unit add` and `import`: new units, one by one or a whole roster from a file."""

from __future__ import annotations

import asyncio
import re

from bot.answers.effects import is_open
from bot.commands.context import Context
from bot.game.back import REDUCED
from bot.game.rights import find_side, need_player, need_units
from bot.game.roster import (
    add_units,
    described_together,
    expand_names,
    is_stat,
    new_unit,
)
from bot.game.roster_file import read_roster, units_of
from bot.game.state import Game, Units
from bot.game.version import with_system
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.phrase import phrase
from bot.systems.catalog import System, systems

MAX_SIDE = 32
SHOWN = 60
_COUNT = re.compile(r"(?<!\S)count=([1-9]\d?)(?!\S)")


async def add(context: Context) -> Reply:
    """Add one unit, or a numbered row of them."""
    options = context.options()
    game = context.open_game()
    need_player(game, context.actor)
    system = _system_for(context, options["type"])
    typed, stats = options["side"], options["stats"] or ""
    if typed and is_stat(typed, system) and typed.casefold() not in map(str.casefold, game.sides):
        typed, stats = None, f"{typed} {stats}"  # no side was typed: the first bare word is a state or marker
    if options["reduced"]:
        stats = f"{stats} {REDUCED}: {options['reduced']}"
    side = _side(context, typed)
    units: dict[str, RosterUnit] = {}
    names, stats = _counted(options["name"], stats)
    for name in expand_names(names):
        unit = new_unit(name, options["type"], side, stats, system, {**game.units, **units})
        units[unit.name.casefold()] = unit
    need_units(game, context.actor, units.values())
    return _added(context, game, system, units)


def _counted(name: str, stats: str) -> tuple[str, str]:
    """A name and its numbers without `count=3`, which numbers the name: `2nd Squad 1..3`."""
    found = _COUNT.search(stats)
    if found is None or ".." in name:
        return name, stats
    return f"{name} 1..{found[1]}", _COUNT.sub(" ", stats)


def _added(context: Context, game: Game, system: System, units: Units) -> Reply:
    after = add_units(game if game.started else with_system(game, system), units.values())
    names = [unit.name for unit in units.values()]
    told = names[0] if len(names) == 1 else f"{len(names)} units"
    context.ledger.add("unit", after, result=f"{told} added")
    return Reply(f"{context.who} adds {told}", tuple(described_together(list(units.values())[:SHOWN])))


async def import_units(context: Context) -> Reply:
    """A whole roster; everything in it is checked before any unit is added."""
    options = context.options()
    text = options["file"] if isinstance(options["file"], str) and options["file"] else options["text"]
    if not text:
        raise UserError(
            "/unit import needs text or a file.",
            hint="First line: name,type,side,morale; then one line per unit.",
            code="missing",
        )
    rows = await asyncio.to_thread(read_roster, str(text))
    game = context.open_game()
    need_player(game, context.actor)
    system = _system_for(context, str(rows[0].values.get("type", "")))
    units = units_of(rows, system, lambda typed: _side(context, typed or None), game.units)
    need_units(game, context.actor, units.values())
    return _added(context, game, system, units)


def _system_for(context: Context, type_: str) -> System:
    """The game's system; free play without units takes the only one that knows the unit type."""
    folded = type_.strip().casefold().replace("_", "-").replace(" ", "-")
    if context.system is not None and (not is_open(context.game) or folded in context.system.words["units"].types):
        return context.system
    fitting = [system for system in systems().values() if folded in system.words["units"].types]
    if len(fitting) == 1:
        return fitting[0]
    names = ", ".join(system.id for system in fitting or systems().values())
    known = f"{names} know" if fitting else f"none of {names} knows"
    raise UserError(
        f'This channel has no system yet, and {known} the unit type "{type_[:30]}".',
        hint=phrase('Start a game: `/game start lnlt "Hill 875" sides="US, VC"`.'),
        option="type",
        code="no-system",
    )


def _side(context: Context, typed: str | None) -> str:
    """The side of new units: as typed, else the player's own."""
    game = context.game
    if not typed:
        return context.actor.side
    return find_side(game, typed) if game.sides else free_side(typed)


def free_side(typed: str) -> str:
    """A side in a game that named none: any short name. Raises UserError."""
    side = " ".join(typed.split())
    if len(side) > MAX_SIDE or set(side) & set(';="“”'):
        raise UserError(
            f"A side has at most {MAX_SIDE} characters, and no ; = or quotation marks.", option="side", code="bad-name"
        )
    return side
