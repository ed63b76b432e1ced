"""`/unit`: the roster by hand: add, edit, remove, list, show, and a whole roster from a file."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.commands.context import Context
from bot.game.rights import find_side, need_player, need_units
from bot.game.roster import (
    add_units,
    count_units,
    described,
    expand_names,
    find_type,
    in_order,
    is_gone,
    is_stat,
    new_handle,
    new_unit,
    set_by_hand,
)
from bot.game.roster_file import read_roster
from bot.game.state import Game, Units, roster_of
from bot.interface.reply import Reply
from bot.play.effects import is_open
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit, find_unit
from bot.rules.phrase import phrase
from bot.systems.catalog import System, systems

MAX_SIDE = 32
SHOWN = 60


async def add(context: Context) -> Reply:
    """Add one unit, or a numbered row of them."""
    options = context.options()
    game = context.open_game()
    need_player(game, context.actor)
    system = _system_for(context, options["type"])
    typed, stats = options["side"], options["stats"] or ""
    if typed and is_stat(typed, system) and typed.casefold() not in map(str.casefold, game.sides):
        typed, stats = None, f"{typed} {stats}"  # no side was typed: the first bare word is a state or marker
    side = _side(context, typed)
    units: dict[str, RosterUnit] = {}
    for name in expand_names(options["name"]):
        unit = new_unit(name, options["type"], side, stats, system, {**game.units, **units})
        units[unit.name.casefold()] = unit
    need_units(game, context.actor, units.values())
    return _added(context, game, system, units)


def _added(context: Context, game: Game, system: System, units: Units) -> Reply:
    after = add_units(replace(game, system=system.id), units.values())
    names = [unit.name for unit in units.values()]
    told = names[0] if len(names) == 1 else f"{len(names)} units"
    context.ledger.add("unit", after, result=f"{told} added")
    shown = [described(unit) for unit in list(units.values())[:SHOWN]]
    return Reply(f"{context.who} adds {told}", tuple(shown), footer=(system.title,))


async def edit(context: Context) -> Reply:
    """Change numbers, state, markers, side or name by hand."""
    options = context.options()
    game = context.need_open()
    unit = _find(game, options["name"])
    need_units(game, context.actor, [unit])
    system = _system_of(context)
    rest = []
    changed = unit
    for word in options["stats"].split():
        key, equals, value = word.partition("=")
        if key.casefold() == "side" and equals:
            changed = replace(changed, side=find_side(game, value) if game.sides else _free_side(value))
        else:
            rest.append(word)
    changed = set_by_hand(changed, " ".join(rest), system)
    if changed.side != unit.side:
        changed = replace(changed, handle=new_handle(changed.side, game.units))
        need_units(game, context.actor, [changed])
    if changed == unit:
        raise UserError(f"{unit.name} already has these values.", hint=described(unit), code="no-change")
    context.ledger.add(
        "unit", replace(game, units={**game.units, unit.name.casefold(): changed}), result=f"{unit.name} edited"
    )
    return Reply(f"{context.who} edits {unit.name}", (f"was {described(unit)}", f"now {described(changed)}"))


async def remove(context: Context) -> Reply:
    """Take a unit off the roster."""
    game = context.need_open()
    unit = _find(game, context.options()["name"])
    need_units(game, context.actor, [unit])
    units = {key: other for key, other in game.units.items() if key != unit.name.casefold()}
    context.ledger.add("unit", replace(game, units=units), result=f"{unit.name} removed")
    return Reply(f"{context.who} removes {unit.name}", (described(unit),))


async def listing(context: Context) -> Reply:
    """The roster by sides; eliminated units only when asked for."""
    options = context.options()
    game = context.need_game()
    units = in_order(game.units.values())
    if options["side"]:
        side = find_side(game, options["side"]) if game.sides else options["side"]
        units = [unit for unit in units if unit.side.casefold() == side.casefold()]
    shown = [unit for unit in units if options["all"] or not is_gone(unit)]
    hidden = len(units) - len(shown)
    lines: list[str] = []
    current = ""
    for unit in shown:
        heading = unit.side or "No side"
        if heading != current:
            current = heading
            lines.append(f"{heading}:")
        lines.append(f"  {described(unit)}")
    if hidden:
        lines.append(phrase("{hidden} eliminated (`/unit list all` shows them)", hidden=hidden))
    if not units:
        lines.append(phrase('Add some: `/unit add "Squad 1..4" squad US morale=5`'))
    return Reply(count_units(len(shown)), tuple(lines), private=True)


async def show(context: Context) -> Reply:
    """One unit with all its numbers, ready to be edited."""
    unit = _find(context.need_game(), context.options()["name"])
    lines = [f"{key}={value}" for key, value in unit.numbers.items()]
    lines += [f"state={unit.state}"] if unit.state else []
    lines += [f"marker {mark}" for mark in sorted(unit.marks)]
    side = f", {unit.side}" if unit.side else ""
    return Reply(f"{unit.name} ({unit.handle}): {unit.type}{side}", tuple(lines), private=True)


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
    units: dict[str, RosterUnit] = {}
    for row in rows:
        try:
            raw = row.take("side")
            side = _side(context, raw) if raw else _side(context, None)
            kind = find_type(row.take("type"), system.words["units"])
            for name in expand_names(row.take("name")):
                unit = new_unit(name, kind, side, "", system, {**game.units, **units})
                for column in row.others:
                    unit = row.at(column, unit, system)
                units[unit.name.casefold()] = unit
        except UserError as error:
            raise row.explained(error) from None
    need_units(game, context.actor, units.values())
    return _added(context, game, system, units)


def _find(game: Game, name: str) -> RosterUnit:
    try:
        return find_unit(name, roster_of(game))
    except UserError as error:
        error.option = "name"
        raise


def _system_of(context: Context) -> System:
    system = context.system
    if system is None:
        raise UserError(
            "This channel has no system yet.",
            hint=phrase('Start a game: `/game start lnlt "Hill 875"`.'),
            code="no-system",
        )
    return system


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
    return find_side(game, typed) if game.sides else _free_side(typed)


def _free_side(typed: str) -> str:
    """A side in a game that named none: any short name. Raises UserError."""
    side = " ".join(typed.split())
    if len(side) > MAX_SIDE or set(side) & set(';="“”'):
        raise UserError(
            f"A side has at most {MAX_SIDE} characters, and no ; = or quotation marks.", option="side", code="bad-name"
        )
    return side
