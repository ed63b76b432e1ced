"""`/unit edit` and `remove`: units changed by hand, one or several, as one event."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.answers.several import whose
from bot.commands.context import Context
from bot.commands.turns.calling import call_sides
from bot.commands.units.unit import free_side
from bot.game.rights import find_side, need_units
from bot.game.roster import changes_said, check_name, count_units, described, new_handle, set_by_hand
from bot.game.state import Game, roster_of
from bot.interface.reply.reply import Reply
from bot.interface.reply.tone import NOTHING
from bot.rules.errors import UserError
from bot.rules.inputs.many import names_in
from bot.rules.inputs.units import RosterUnit, UnitWords, find_unit
from bot.rules.text.names import joined
from bot.rules.text.phrase import phrase
from bot.systems.catalog import System

NAME = "name"
_NEW_NAME = re.compile(r"\s*name=(.+)", re.IGNORECASE)
NO_WORDS = UnitWords((), {}, {})


async def edit(context: Context) -> Reply:
    """Change numbers, state, markers, side or name by hand; what is typed is for each of several units."""
    options = context.options()
    game = context.need_open()
    units = find_units(context, options[NAME])
    need_units(game, context.actor, units)
    system = _system_of(context)
    if (new_name := _NEW_NAME.fullmatch(options["stats"])) is not None:
        return _rename(context, units, new_name[1].strip(' "'), system)
    changed: list[tuple[RosterUnit, RosterUnit]] = []
    for unit in units:
        new = _edited(game, unit, options["stats"], system, [now.handle for _, now in changed])
        if new != unit:
            changed.append((unit, new))
    if not changed:
        who = units[0].name if len(units) == 1 else f"Each of the {count_units(len(units))}"
        raise UserError(f"{who} already has these values.", hint=described(units[0]), code="no-change")
    need_units(game, context.actor, [new for _, new in changed])
    who = _told([new for _, new in changed])
    after = {**game.units, **{unit.name.casefold(): new for unit, new in changed}}
    context.ledger.add("unit", replace(game, units=after), result=f"{who} edited")
    told: dict[str, list[str]] = {}
    for old, new in changed:
        told.setdefault(changes_said(old, new), []).append(new.name)
    lines = [f"{joined(names)}: {said}" if len(changed) > 1 else said for said, names in told.items()]
    if same := len(units) - len(changed):
        lines.append(f"{count_units(same)} had these values already.")
    theirs = {unit.side for unit, _ in changed} - {context.actor.side, ""}
    mention = await call_sides(context, context.game, theirs)
    return Reply(f"{context.who} edits {who}", tuple(lines), tone=NOTHING, mention=mention)


def _rename(context: Context, units: list[RosterUnit], typed: str, system: System) -> Reply:
    """The unit under another name; its handle stays, and the log knows it by both."""
    game, unit = context.game, units[0]
    if len(units) > 1:
        raise UserError("One unit at a time gets a new name.", option="stats", code="bad-value")
    key = unit.name.casefold()
    rest = {at: other for at, other in game.units.items() if at != key}
    name = check_name(typed, rest, system.words["units"])
    if name.casefold() == key:
        raise UserError(f"{unit.name} is called that already.", option="stats", code="no-change")
    after = {(name.casefold() if at == key else at): other for at, other in game.units.items()}
    after[name.casefold()] = replace(unit, name=name)
    told = f"{unit.name} is now {name}"
    context.ledger.add("unit", replace(game, units=after), result=told, renamed=unit.name)
    return Reply(told, (described(after[name.casefold()]),), by=context.who, tone=NOTHING)


def _edited(game: Game, unit: RosterUnit, stats: str, system: System, taken: list[str]) -> RosterUnit:
    """The unit with what was typed; on another side it gets a handle of that side."""
    rest, changed = [], unit
    for word in stats.split():
        key, equals, value = word.partition("=")
        if key.casefold() == "side" and equals:
            changed = replace(changed, side=find_side(game, value) if game.sides else free_side(value))
        else:
            rest.append(word)
    changed = set_by_hand(changed, " ".join(rest), system)
    if changed.side != unit.side:
        changed = replace(changed, handle=new_handle(changed.side, game.units, taken))
    return changed


async def remove(context: Context) -> Reply:
    """Take units off the roster."""
    game = context.need_open()
    units = find_units(context, context.options()[NAME])
    need_units(game, context.actor, units)
    gone = {unit.name.casefold() for unit in units}
    after = {key: other for key, other in game.units.items() if key not in gone}
    who = _told(units)
    context.ledger.add("unit", replace(game, units=after), result=f"{who} removed")
    return Reply(f"{context.who} removes {who}", tuple(map(described, units)))


def find_units(context: Context, typed: str) -> list[RosterUnit]:
    """The units that a name, a range or a choice means: at least one. Raises UserError."""
    game = context.need_game()
    roster = roster_of(game)
    try:
        if not roster or typed.strip().casefold() in roster:
            return [find_unit(typed, roster)]
        words = context.system.words["units"] if context.system is not None else NO_WORDS
        names = names_in(typed, words, roster, whose(NAME, context.actor.side))
        return [roster[name.casefold()] for name in names] or [find_unit(typed, roster)]
    except UserError as error:
        error.option = NAME
        raise


def _told(units: list[RosterUnit]) -> str:
    return units[0].name if len(units) == 1 else count_units(len(units))


def _system_of(context: Context) -> System:
    system = context.system
    if system is None:
        raise UserError(
            "This channel has no system yet.",
            hint=phrase('Start a game: `/game start lnlt "Hill 875"`.'),
            code="no-system",
        )
    return system
