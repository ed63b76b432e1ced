"""Which boxes of a form are ticked because a unit of the roster has that state, marker or type."""

from collections.abc import Mapping
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.input_values import has_flag
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Roster, Unit, UnitWords, index_by_name, parse_units
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import CompletionContext


def find_roster_flags(
    spec: CommandSpec, options: Mapping[str, object], known: CompletionContext
) -> frozenset[str]:
    """Return the flags that count if nobody types them: all units of the option have them."""
    words = known.game.words["units"] if known.game is not None and known.roster else None
    if words is None:
        return frozenset()
    roster = index_by_name(known.roster)
    flags = [option for option in spec.options if option.type == "bool"]
    brought = {
        option.name
        for option in flags
        if option.brings and _is_on_roster(option, options, words, roster)
    }
    assert known.game is not None
    classes: Mapping[str, list[str]] = known.game.game["units"].get("classes") or {}
    counted = {
        option.name
        for option in flags
        if option.counts and _is_counted(option.counts, options, words, roster, classes)
    }
    return frozenset(brought | counted)


def _is_counted(
    counts: Mapping[str, Any],
    options: Mapping[str, object],
    words: UnitWords,
    roster: Roster,
    classes: Mapping[str, list[str]],
) -> bool:
    """Return whether a unit of the list has one of the flags, and is of one of the types."""
    units = _parse_roster_units(str(options.get(counts["from"]) or ""), words, roster)
    types = {type for name in counts.get("types", ()) for type in classes.get(name, [name])}
    return any(
        (not types or unit.type in types) and not unit.flags.isdisjoint(counts["flags"])
        for unit in units
    )


def _is_on_roster(
    option: Option, options: Mapping[str, object], words: UnitWords, roster: Roster
) -> bool:
    holder, _, keys = option.brings.partition(".")
    units = _parse_roster_units(str(options.get(holder) or ""), words, roster)
    return bool(units) and all(has_flag(unit, keys) for unit in units)


def _parse_roster_units(text: str, words: UnitWords, roster: Roster) -> tuple[Unit, ...]:
    """The roster units of a text; none if it cannot be read yet or names others as well."""
    try:
        units = parse_units(text, words, roster, option="")
    except UserError:
        return ()
    return units if all(unit.name for unit in units) else ()
