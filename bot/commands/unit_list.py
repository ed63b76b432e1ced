"""`/unit list` and `show`: the roster by sides, and units with all their numbers."""

from __future__ import annotations

from bot.commands.context import Context
from bot.commands.unit_change import NAME, find_units
from bot.game.rights import find_side
from bot.game.roster import count_units, described, in_order, is_gone, is_stat
from bot.interface.reply import Reply
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.units import RosterUnit
from bot.rules.phrase import phrase
from bot.systems.catalog import System


async def listing(context: Context) -> Reply:
    """The roster by sides; eliminated units only when asked for, all of them or by their state."""
    options = context.options()
    game = context.need_game()
    units = in_order(game.units.values())
    side, state = options["side"], options["state"]
    if side and not state and context.system is not None and is_stat(side, context.system):
        sides = {unit.side.casefold() for unit in units} | {*map(str.casefold, game.sides)}
        side, state = (side, None) if side.casefold() in sides else (None, side)  # `/unit list shaken`
    if side:
        side = find_side(game, side) if game.sides else side
        units = [unit for unit in units if unit.side.casefold() == side.casefold()]
    if state:
        units = _in_state(units, state, context.system)
    shown = [unit for unit in units if options["all"] or state or not is_gone(unit)]
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
    if not game.units:
        lines.append(phrase('Add some: `/unit add "Squad 1..4" squad US morale=5`'))
    return Reply(count_units(len(shown)), tuple(lines), private=True)


def _in_state(units: list[RosterUnit], typed: str, system: System | None) -> list[RosterUnit]:
    """Those in a state, or with a marker. Raises UserError for a word that is neither."""
    folded = typed.strip().casefold().replace("_", "-")
    data = system.game["units"] if system is not None else {}
    states, markers = tuple(data.get("states") or ()), tuple(data.get("markers") or ())
    known = [word.replace("_", "-") for word in (*states, *markers)]
    if system is None or folded not in known:
        hint = did_you_mean(folded, known) or f"States are {', '.join(states)}."
        raise UserError(f'There is no state "{typed[:40]}".', hint=hint, option="state", code="bad-value")
    words = system.words["units"]
    flags = {*words.states.get(folded, ())}

    def fits(unit: RosterUnit) -> bool:
        state = words.state_of(unit) or words.sound
        also = bool(flags) and flags <= {*words.states.get(state, ())}
        return state == folded or also or folded in {mark.replace("_", "-") for mark in unit.marks}

    return [unit for unit in units if fits(unit)]


async def press_card(context: Context, handle: str) -> Reply:
    """The card of the unit that a menu names."""
    from bot.commands.playing import repeated

    return await show(repeated(context, ("unit", "show"), {NAME: handle}))


async def show(context: Context) -> Reply:
    """One unit with all its numbers, ready to be edited; several in a line each."""
    units = find_units(context, context.options()[NAME])
    if len(units) > 1:
        return Reply(count_units(len(units)), tuple(map(described, units)), private=True)
    unit = units[0]
    lines = [f"{key}={value}" for key, value in unit.numbers.items()]
    lines += [f"state={unit.state}"] if unit.state else []
    lines += [f"marker {mark}" for mark in sorted(unit.marks)]
    side = f", {unit.side}" if unit.side else ""
    return Reply(f"{unit.name} ({unit.handle}): {unit.type}{side}", tuple(lines), private=True)
