"""The menu of units in a form, and the list of units after a choice in it."""

from collections.abc import Iterable
from typing import NamedTuple

from bot.rules.inputs.loadout import LEFT, LOADOUT, format_weapon, format_weapons
from bot.rules.inputs.options import Option, format_code_word, format_number
from bot.rules.inputs.unit_selectors import list_fired_weapons
from bot.rules.inputs.units import Roster, RosterUnit, index_by_name
from bot.rulesets.system import refuses_lost_unit
from bot.ui.typing.complete import CompletionContext, rank_able_first, takes_own_units

TYPED = "="
"""The beginning of the value of an entry that was typed, and is not in the roster."""
MORE = "more:"
"""The value of the last entry of a menu that is too short for the roster."""
LONGEST = 99
REPEAT = "n"
SOUND = ("", "good-order", "ready", "fit")


class FormPick(NamedTuple):
    """One entry of a menu: its value, its label, a further line, and whether it is chosen."""

    value: str
    label: str
    about: str = ""
    chosen: bool = False


def list_unit_picks(
    option: Option, text: str, context: CompletionContext, size: int
) -> tuple[FormPick, ...]:
    """Return the menu of a unit option, of at most `size` entries; () without a roster. Units in
    `text` are chosen.

    The likeliest units come first: those of the side that is meant, that the option is about, and
    in good order. Units that the command would refuse come last, with the reason. Then come the
    items of `text` that are no roster units, if the option takes such. If the roster is longer than
    the menu, its last entry (MORE) says how to name the other units. Single weapons are listed only
    in the room that the units leave. Without a text, the unit of the drawn card or chit is chosen
    if it is the only one and could act.
    """
    if not context.roster:
        return ()
    reasons = context.reasons.get(option.name, {})
    picked = find_picked_handles(text, context.roster)
    if not text and takes_own_units(option) and len(context.on_call) == 1:
        # the unit of the drawn card acts, unless another one is chosen
        picked |= context.on_call - reasons.keys()
    typed: list[str] = []
    if option.type == "units" or option.free or option.many:
        typed = list_typed_items(text, context.roster)
    capacity = size - len(typed)
    units = _list_eligible_units(option, context, picked, capacity)
    overflow: list[FormPick] = []
    if len(units) > capacity:
        units.sort(key=lambda unit: unit.handle not in picked)
        first_hidden = units[capacity - 1]
        overflow = [FormPick(MORE, "More: type handles below", first_hidden.handle)]
        units = units[: capacity - 1]
        units.sort(key=lambda unit: _rank_pick(unit, option, context))
    has_several_sides = len({unit.side for unit in units}) > 1
    spare = capacity - len(overflow) - len(units)
    picks = []
    for unit in units:
        is_picked = unit.handle in picked
        reason = reasons.get(unit.handle)
        if reason is not None:
            label = f"{unit.name} ({reason.brief})"
            picks.append(FormPick(unit.handle, label, reason.message, is_picked))
            continue
        about = _describe_pick(unit, context, say_side=has_several_sides)
        picks.append(FormPick(unit.handle, unit.name, about, is_picked))
        weapon_picks = _list_weapon_picks(unit, option, typed)[:spare]
        spare -= len(weapon_picks)
        picks += weapon_picks
    typed_picks = [FormPick(TYPED + item, item, "as typed", True) for item in typed]
    return (*picks, *typed_picks, *overflow)


def _list_eligible_units(
    option: Option, context: CompletionContext, picked: set[str], capacity: int
) -> list[RosterUnit]:
    """Return the roster units for a menu, the likeliest first.

    Units that have left the fight are left out, unless they are picked or the option is about their
    state. If there are more than `capacity`, so are units of the side that is not meant.
    """
    units = [
        unit
        for unit in context.roster
        if unit.handle in picked or not refuses_lost_unit(option, unit, context.game)
    ]
    side = context.own_side
    if side and len(units) > capacity:
        is_own = takes_own_units(option)
        units = [
            unit
            for unit in units
            if not unit.side or (unit.side == side) == is_own or unit.handle in picked
        ]
    units.sort(key=lambda unit: _rank_pick(unit, option, context))
    return units


def _list_weapon_picks(unit: RosterUnit, option: Option, typed: list[str]) -> list[FormPick]:
    """Return an entry for each weapon of a unit that carries several, without those in `typed`.

    Only a list of units that fire has such entries; [] for any other.
    """
    if not option.units or not unit.numbers.get(LOADOUT):
        return []
    items = [
        item for item in list_fired_weapons(unit.name, unit.numbers, REPEAT) if item[1] not in typed
    ]
    return [
        FormPick(TYPED + item, f"{unit.name}, {format_weapon(weapon)} only")
        for weapon, item in items
    ]


def _rank_pick(unit: RosterUnit, option: Option, context: CompletionContext) -> tuple[bool, ...]:
    """Return the sort key of a unit in a menu: as rank_able_first, then those in good order."""
    return *rank_able_first(unit, option, context), unit.state not in SOUND


def drop_unable(option: Option, text: str, context: CompletionContext) -> str:
    """Return a list of units without the items that name a roster unit that cannot be in it
    (Reason.is_final) and nothing else. An item with numbers added stays.

    A list without such items stays as it was typed.
    """
    roster = index_by_name(context.roster)
    reasons = context.reasons.get(option.name, {})
    items = split_unit_items(text)
    allowed = []
    for item in items:
        unit = find_plain_unit(item, roster)
        reason = reasons.get(unit.handle) if unit is not None else None
        if reason is None or not reason.is_final:
            allowed.append(item)
    return "; ".join(allowed) if len(allowed) < len(items) else text


def _describe_pick(unit: RosterUnit, context: CompletionContext, *, say_side: bool) -> str:
    """Return the description of a unit in a menu: its side if `say_side`, its state, type, the
    numbers on its counter that are not 0, weapons and markers.
    """
    printed_keys = None
    if context.game is not None:
        counters = context.game.game["units"].get("counters") or {}
        printed_keys = counters.get(unit.type, {}).get("numbers")
    numbers = []
    for key in printed_keys or unit.numbers:
        number = unit.numbers.get(key)
        if number and key not in (LEFT, LOADOUT):
            numbers.append(f"{key.replace('_', ' ')} {format_number(number)}")
    side = unit.side if say_side else ""
    state = format_code_word(unit.state).casefold() if unit.state not in SOUND else ""
    unit_type = format_code_word(unit.type).casefold()
    weapons = format_weapons(unit.numbers)
    markers = [format_code_word(mark).casefold() for mark in sorted(unit.marks)]
    pieces = (side, state, unit_type, *numbers, weapons, *markers)
    return ", ".join(piece for piece in pieces if piece)


def find_picked_handles(text: str, roster: Iterable[RosterUnit]) -> set[str]:
    """Return the handles of the roster units that a list names. Items with numbers added do not
    count.
    """
    roster_by_name = index_by_name(roster)
    units = (find_plain_unit(item, roster_by_name) for item in split_unit_items(text))
    return {unit.handle for unit in units if unit is not None}


def list_typed_items(text: str, roster: Iterable[RosterUnit]) -> list[str]:
    """Return the items of a list that are more or less than the name of a roster unit: a type, or a
    unit with numbers added. Each comes once, at most 10. Items too long for a menu are left out.
    """
    roster_by_name = index_by_name(roster)
    items = [item for item in split_unit_items(text) if len(item) < LONGEST]
    typed = [item for item in items if find_plain_unit(item, roster_by_name) is None]
    return list(dict.fromkeys(typed))[:10]


def update_unit_list(
    text: str, context: CompletionContext, offered: Iterable[str], selected: Iterable[str]
) -> str:
    """Return a list of units after a choice in its menu.

    Items that were offered and not selected go; newly selected ones are added at the end. Items that
    the menu did not offer stay. `offered` and `selected` are values of the menu's entries.
    """
    roster = index_by_name(context.roster)
    offered = set(offered)
    selected = [value for value in selected if value != MORE]
    items = []
    item_values = set()
    for item in split_unit_items(text):
        unit = find_plain_unit(item, roster)
        value = unit.handle if unit is not None else TYPED + item
        if value not in offered or value in selected:
            items.append(item)
            item_values.add(value)
    names = {unit.handle: unit.name for unit in context.roster}
    added = [value for value in selected if value not in item_values]
    items += [names.get(value, value.removeprefix(TYPED)) for value in added]
    return "; ".join(items)


def keep_roster_items(text: str, roster: Iterable[RosterUnit]) -> str:
    """Return a list with only the items that are the name or handle of a roster unit; an item with
    anything added is dropped.

    An item that is none is split at its commas first.
    """
    roster_by_name = index_by_name(roster)
    items: list[str] = []
    for item in split_unit_items(text):
        if find_plain_unit(item, roster_by_name) is not None:
            items.append(item)
        else:
            parts = (part.strip() for part in item.split(","))
            items += (part for part in parts if part)
    return "; ".join(item for item in items if find_plain_unit(item, roster_by_name) is not None)


def split_unit_items(text: str) -> list[str]:
    """Return the items of a list. They are separated by semicolons, which no name of a unit holds,
    or by line ends.
    """
    return [item.strip() for item in text.replace("\n", ";").split(";") if item.strip()]


def find_plain_unit(item: str, roster: Roster) -> RosterUnit | None:
    """Return the roster unit that an item names, perhaps in quotation marks; None if it names none,
    or has anything more in it.
    """
    if item[0] in "\"'\u201c" and len(item) > 1:
        closing = {"\u201c": "\u201d"}.get(item[0], item[0])
        return roster.get(item[1:-1].casefold()) if item.endswith(closing) else None
    return roster.get(" ".join(item.split()).casefold())
