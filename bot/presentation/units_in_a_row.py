"""Units typed one after the other without a semicolon: `fire us1 us2 vc1`."""

from collections.abc import Callable, Mapping

from bot.rules.errors import UserError
from bot.rules.inputs.options import ACTS, TARGETS, BareValue, Option, clean
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rules.text.names import join_names
from bot.rulesets.system import Sequence

_NOT_UNITS = ("int", "number", "enum")
"""Types of options that receive the next unit if units are typed in a row."""


def check_units_in_a_row(
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
    write: Callable[[Mapping[str, object]], str],
) -> None:
    """Raise UserError if units typed bare, one after the other, fill options that are not theirs.

    A unit that was typed with the name of its option is where it was meant to be.
    The error holds the corrected command, which `write` writes: the units of the first unit's side
    in one list, the others in the other.
    """
    named = _find_named(sequence, options, roster)
    lists = _sort_into_lists(sequence, named)
    if not lists or any(option.name in options.keys() - named.keys() for option, _ in lists):
        return
    units = [*named.values()]
    error = UserError(
        f"{join_names(unit.name for unit in units)} were typed with only spaces between them.",
        hint="Put a semicolon between the units of one list.",
        option=next(option.name for option, _ in lists),
        code="loose-word",
    )
    if all(_fits(option, members) for option, members in lists):
        written = {option.name: _write_list(members) for option, members in lists}
        rest = {name: value for name, value in options.items() if name not in named}
        error.better = write({**written, **rest})
        error.right = " at ".join(join_names(unit.name for unit in members) for _, members in lists)
    raise error


def _find_named(
    sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> dict[str, RosterUnit]:
    """Return {option: roster unit} of each bare value that is the name of a roster unit by itself."""
    named = {}
    for option in sequence.inputs:
        unit = _find_unit(option, options.get(option.name), roster)
        if unit is not None:
            named[option.name] = unit
    return named


def _sort_into_lists(
    sequence: Sequence, named: Mapping[str, RosterUnit]
) -> list[tuple[Option, list[RosterUnit]]]:
    """Return (option, its units) of each list that the units in `named` were meant for; [] if they
    were typed correctly, or if none of these options is for units that act.
    """
    inputs = {option.name: option for option in sequence.inputs}
    targets = _find_list(sequence, inputs, lambda option: option.part == TARGETS)
    acting = _find_list(sequence, named, lambda option: targets is None or option.part == ACTS)
    has_misplaced = any(inputs[name].type in _NOT_UNITS for name in named)
    if acting is None:
        return []
    if targets is None:
        return [(acting, [*named.values()])] if has_misplaced else []
    side = named[acting.name].side
    own = [unit for unit in named.values() if unit.side == side]
    others = [unit for unit in named.values() if unit.side != side]
    is_at_own_side = targets.name in named and named[targets.name].side == side
    if has_misplaced or (is_at_own_side and others):
        return [(acting, own), (targets, others)]
    return []


def _fits(option: Option, units: list[RosterUnit]) -> bool:
    return len(units) == 1 or (option.type == "units" and bool(units))


def _find_list(
    sequence: Sequence, names: Mapping[str, object], fits: Callable[[Option], bool]
) -> Option | None:
    """Return the first input among `names` that takes units and satisfies `fits`, or None."""
    lists = (
        option
        for option in sequence.inputs
        if option.type in ("unit", "units") and option.name in names
    )
    return next(filter(fits, lists), None)


def _find_unit(option: Option, value: object, roster: Roster) -> RosterUnit | None:
    """Return the roster unit that a bare value names by itself. None if it names none, and if an
    option for a number or a word accepts the value.
    """
    unit = roster.get(value.strip(" ,").casefold()) if isinstance(value, BareValue) else None
    if unit is None or option.type not in _NOT_UNITS:
        return unit
    try:
        clean(option, value)
    except UserError:
        return unit
    return None


def _write_list(units: list[RosterUnit]) -> str:
    return "; ".join(unit.handle for unit in units)
