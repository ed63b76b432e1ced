"""The menu of units in a form, and the list that a choice makes of what was typed before."""

from collections.abc import Iterable
from typing import NamedTuple

from bot.rules.inputs.loadout import LEFT, LOADOUT, format_weapon, format_weapons
from bot.rules.inputs.options import Option, format_code_word, format_number
from bot.rules.inputs.unit_selectors import list_fired_weapons
from bot.rules.inputs.units import Roster, RosterUnit, index_by_name
from bot.ui.typing.complete import CompletionContext, is_out, rank_able_first, takes_own_units

TYPED = "="
"""How the value of an entry begins that was typed, and is not in the roster."""
MORE = "more:"
LONGEST = 99
REPEAT = "n"
SOUND = ("", "good-order", "ready", "fit")


class FormPick(NamedTuple):
    """One entry of a menu: its value, what is shown, a further line, and whether it is chosen."""

    value: str
    label: str
    about: str = ""
    chosen: bool = False


def list_unit_picks(
    option: Option, text: str, known: CompletionContext, size: int
) -> tuple[FormPick, ...]:
    """The menu of a unit option: the side that is meant, of it those whom the option is about, then
    those in good order. Those whom the command would refuse come last, with the reason.

    Where the roster is longer than the menu, its last row says how to name the others. None without
    a roster.
    """
    if not known.roster:
        return ()
    own = takes_own_units(option)
    reasons = known.reasons.get(option.name, {})
    picked = find_picked_handles(text, known.roster)
    if not text and own and len(known.on_call) == 1:
        picked |= (
            known.on_call - reasons.keys()
        )  # whose card is up acts, unless somebody else is chosen
    units = [
        unit
        for unit in known.roster
        if not is_out(unit, known) or unit.handle in picked or unit.state in option.likely
    ]
    typed = [
        one
        for one in list_typed_items(text, known.roster)
        if option.type == "units" or option.free or option.many
    ]
    room = size - len(typed)
    if known.own_side and len(units) > room:  # too many: only the side that is meant, and nobody's
        units = [
            u
            for u in units
            if not u.side or (u.side == known.own_side) == own or u.handle in picked
        ]
    more = list[FormPick]()
    units.sort(key=lambda unit: _rank_pick(unit, option, known))
    if len(units) > room:
        units.sort(key=lambda unit: unit.handle not in picked)
        more = [FormPick(MORE, "More: type handles below", units[room - 1].handle)]
        units = sorted(units[: room - 1], key=lambda unit: _rank_pick(unit, option, known))
    sides = {unit.side for unit in units}
    picks = []
    for unit in units:
        if (reason := reasons.get(unit.handle)) is not None:
            label = f"{unit.name} ({reason.brief})"
            picks.append(FormPick(unit.handle, label, reason.message, unit.handle in picked))
            continue
        about = _describe_pick(unit, known, say_side=len(sides) > 1)
        picks.append(FormPick(unit.handle, unit.name, about, unit.handle in picked))
        picks += _list_weapon_picks(unit, option, typed)
    return (
        *picks[: room - len(more)],
        *(FormPick(TYPED + item, item, "as typed", True) for item in typed),
        *more,
    )


def _list_weapon_picks(unit: RosterUnit, option: Option, typed: list[str]) -> list[FormPick]:
    """Each weapon of a unit that carries several, in a list of those who fire that has words of
    its own.
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


def _rank_pick(unit: RosterUnit, option: Option, known: CompletionContext) -> tuple[bool, ...]:
    return *rank_able_first(unit, option, known), unit.state not in SOUND


def drop_unable(option: Option, text: str, known: CompletionContext) -> str:
    """Return a list without the roster units that it names and that cannot be in it as they are."""
    named = index_by_name(known.roster)
    reasons = known.reasons.get(option.name, {})
    kept = []
    for item in split_unit_items(text):
        unit = find_plain_unit(item, named)
        reason = reasons.get(unit.handle) if unit is not None else None
        if reason is None or not reason.is_final:
            kept.append(item)
    return "; ".join(kept) if len(kept) < len(split_unit_items(text)) else text


def _describe_pick(unit: RosterUnit, known: CompletionContext, *, say_side: bool) -> str:
    """What one chooses a unit by: its state, the numbers on its counter that are not 0, and its
    weapons.
    """
    printed = (
        (known.game.game["units"].get("counters") or {}).get(unit.type, {}).get("numbers")
        if known.game
        else ()
    )
    keys = [
        key
        for key in printed or unit.numbers
        if unit.numbers.get(key) and key not in (LEFT, LOADOUT)
    ]
    numbers = [f"{key.replace('_', ' ')} {format_number(unit.numbers[key])}" for key in keys]
    state = format_code_word(unit.state).casefold() if unit.state not in SOUND else ""
    marks = (format_code_word(mark).casefold() for mark in sorted(unit.marks))
    side = unit.side if say_side else ""
    kind = format_code_word(unit.type).casefold()
    return ", ".join(
        filter(None, (side, state, kind, *numbers, format_weapons(unit.numbers), *marks))
    )


def find_picked_handles(text: str, roster: Iterable[RosterUnit]) -> set[str]:
    """Handles of the roster units that a list names, with nothing typed over them."""
    named = index_by_name(roster)
    return {
        unit.handle
        for item in split_unit_items(text)
        if (unit := find_plain_unit(item, named)) is not None
    }


def list_typed_items(text: str, roster: Iterable[RosterUnit]) -> list[str]:
    """The other items of a list, short enough for a menu: units by their type, or with numbers
    typed over them.
    """
    named = index_by_name(roster)
    found = [
        item
        for item in split_unit_items(text)
        if find_plain_unit(item, named) is None and len(item) < LONGEST
    ]
    return list(dict.fromkeys(found))[:10]


def update_unit_list(
    text: str, known: CompletionContext, offered: Iterable[str], taken: Iterable[str]
) -> str:
    """The list without what was offered and not taken; new ones at its end. What else was typed
    stays.
    """
    named = index_by_name(known.roster)
    offered = set(offered)
    taken = [one for one in taken if one != MORE]
    kept = []
    there = set()
    for item in split_unit_items(text):
        unit = find_plain_unit(item, named)
        key = unit.handle if unit is not None else TYPED + item
        if key not in offered or key in taken:
            kept.append(item)
            there.add(key)
    handles = {unit.handle: unit.name for unit in known.roster}
    kept += [handles.get(key, key.removeprefix(TYPED)) for key in taken if key not in there]
    return "; ".join(kept)


def keep_roster_items(text: str, roster: Iterable[RosterUnit]) -> str:
    """The list without the items that name no unit of the roster: what a refused one leaves
    standing.
    """
    named = index_by_name(roster)
    items = [
        part
        for item in split_unit_items(text)
        for part in ([item] if find_plain_unit(item, named) else item.split(","))
    ]
    return "; ".join(
        item.strip()
        for item in items
        if item.strip() and find_plain_unit(item.strip(), named) is not None
    )


def split_unit_items(text: str) -> list[str]:
    """The items of a list; no name of a unit holds a semicolon."""
    return [item.strip() for item in text.replace("\n", ";").split(";") if item.strip()]


def find_plain_unit(item: str, named: Roster) -> RosterUnit | None:
    """The roster unit that an item names, and nothing more."""
    if item[0] in "\"'\u201c" and len(item) > 1:
        closing = {"\u201c": "\u201d"}.get(item[0], item[0])
        return named.get(item[1:-1].casefold()) if item.endswith(closing) else None
    return named.get(" ".join(item.split()).casefold())
