"""The units that a unit is linked to: the squad of a man, the leader of that squad."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Roster, RosterUnit, Unit
from bot.rules.text.normalize import comparison_key


class LinkedValue(NamedTuple):
    """A value that a related unit gives an option, and the name of that unit.

    `value` is None if the unit has no value for the option.
    """

    unit: str
    value: Any


def list_link_names(unit: RosterUnit) -> set[str]:
    """Return the names by which attributes of other units may refer to a unit; they hold no
    blanks.
    """
    key = comparison_key(unit.name)
    return {key, key.replace(" ", ""), unit.handle}


def find_linked(unit: Unit | RosterUnit, key: str, roster: Roster) -> RosterUnit | None:
    """Return the unit of the roster that `unit` names in its attribute `key`, if there is one."""
    link = comparison_key(str(unit.numbers.get(key) or ""))
    if not link:
        return None
    if link in roster:
        return roster[link]
    return next(
        (candidate for candidate in roster.values() if link in list_link_names(candidate)), None
    )


def find_linked_value(option: Option, unit: Unit, roster: Roster) -> LinkedValue | None:
    """Return the value from the unit that `unit` is linked to, None if it is linked to none.

    `option.through` is the attribute with the link, `option.reads` translates a word of the linked
    unit into one of the option.
    """
    linked = find_linked(unit, option.through, roster)
    if linked is None:
        return None
    key = option.brings.partition(".")[2]
    value = linked.state if key == "state" else linked.numbers.get(key)
    value = option.reads.get(str(value), value)
    if option.values and value not in option.values:
        value = None
    return LinkedValue(linked.name, value)


def find_leader_rating(option: Option, units: Iterable[Unit], roster: Roster) -> LinkedValue | None:
    """Return the rating that the best leader of the units' squad lends them.

    A leader among the units lends nothing. Units of several squads get nothing either: they are
    not one unit. None if nobody lends.
    """
    lends = option.lends
    units = tuple(units)
    squads = dict[str, RosterUnit]()
    for unit in units:
        squad = find_linked(unit, lends["through"], roster)
        if squad is None and unit.type == lends["group"]:
            squad = roster.get(unit.name.casefold())
        if squad is not None:
            squads[squad.name] = squad
    if len(squads) != 1:
        return None
    (squad,) = squads.values()
    acting = {unit.name for unit in units}
    leaders = [
        candidate
        for candidate in {candidate.name: candidate for candidate in roster.values()}.values()
        if candidate.type == lends["type"]
        and candidate.name not in acting
        and candidate.state != lends.get("not")
        and candidate.numbers.get(lends["number"])
        and find_linked(candidate, lends["through"], roster) is squad
    ]
    best = max(leaders, key=lambda candidate: int(candidate.numbers[lends["number"]]), default=None)
    return None if best is None else LinkedValue(best.name, int(best.numbers[lends["number"]]))


def list_source_units(sources: Mapping[str, LinkedValue]) -> tuple[str, ...]:
    """Return the names of the units that bring something, each once."""
    return tuple(dict.fromkeys(source.unit for source in sources.values()))
