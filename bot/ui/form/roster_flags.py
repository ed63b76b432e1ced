"""The boxes of a form that are ticked because a unit of the roster has that state, marker or type."""

from collections.abc import Mapping
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.input_values import has_flag
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Roster, Unit, UnitWords, index_by_name, parse_units
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import CompletionContext


def find_roster_flags(
    spec: CommandSpec, options: Mapping[str, object], context: CompletionContext
) -> frozenset[str]:
    """Return the flags that count although nobody types them, because of units on the roster.

    A flag that units bring counts if all units of its list have it. A flag with `counts` counts if
    one unit does (see _is_counted). Empty without a roster.
    """
    game = context.game
    if game is None or not context.roster:
        return frozenset()
    words = game.words["units"]
    roster = index_by_name(context.roster)
    flags = [option for option in spec.options if option.type == "bool"]
    flags_of_all_units = {
        option.name
        for option in flags
        if option.brings and _is_on_roster(option, options, words, roster)
    }
    classes: Mapping[str, list[str]] = game.game["units"].get("classes") or {}
    flags_of_any_unit = {
        option.name
        for option in flags
        if option.counts and _is_counted(option.counts, options, words, roster, classes)
    }
    return frozenset(flags_of_all_units | flags_of_any_unit)


def _is_counted(
    counts: Mapping[str, Any],
    options: Mapping[str, object],
    words: UnitWords,
    roster: Roster,
    classes: Mapping[str, list[str]],
) -> bool:
    """Return whether a unit of the list `counts["from"]` has one of `counts["flags"]`, and is of one
    of the types or classes in `counts["types"]`, if there are any.
    """
    units = _parse_roster_units(str(options.get(counts["from"]) or ""), words, roster)
    types = {type for name in counts.get("types", ()) for type in classes.get(name, [name])}
    return any(
        (not types or unit.type in types) and not unit.flags.isdisjoint(counts["flags"])
        for unit in units
    )


def _is_on_roster(
    option: Option, options: Mapping[str, object], words: UnitWords, roster: Roster
) -> bool:
    """Return whether all units of the list that brings a flag have it; False for an empty list."""
    holder, _, keys = option.brings.partition(".")
    units = _parse_roster_units(str(options.get(holder) or ""), words, roster)
    return bool(units) and all(has_flag(unit, keys) for unit in units)


def _parse_roster_units(text: str, words: UnitWords, roster: Roster) -> tuple[Unit, ...]:
    """Return the roster units of a text; () if it cannot be parsed yet or names other units as well."""
    try:
        units = parse_units(text, words, roster, option="")
    except UserError:
        return ()
    return units if all(unit.name for unit in units) else ()
