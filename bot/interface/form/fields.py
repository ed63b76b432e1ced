"""What the fields of a form hold: units in a menu, and the list that a choice makes of what was typed before; the line
for whatever has no field of its own; and the keypad for a die that somebody throws themselves."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from bot.interface.reply.parts import Small, Thrown
from bot.interface.reply.reply import Button, Menu, MenuEntry, Reply
from bot.interface.spec import CommandSpec
from bot.interface.typing.complete import Known, is_likely, is_out, is_own
from bot.rules.errors import DieOwed, UserError, did_you_mean
from bot.rules.inputs.loadout import LEFT, LOADOUT, arms_said
from bot.rules.inputs.options import Option, format_number, spoken, words_of
from bot.rules.inputs.several_units import fired
from bot.rules.inputs.units import Roster, RosterUnit, by_name
from bot.systems.catalog import systems

TYPED = "="
"""How the value of an entry begins that was typed, and is not in the roster."""
MORE = "more:"
LONGEST = 99
REPEAT = "n"
SOUND = ("", "good-order", "ready", "fit")


class Pick(NamedTuple):
    """One entry of a menu: its value, what is shown, a further line, and whether it is chosen."""

    value: str
    label: str
    about: str = ""
    chosen: bool = False


def unit_picks(option: Option, text: str, known: Known, size: int) -> tuple[Pick, ...]:
    """The menu of a unit option: the side that is meant, of it those whom the option is about, then those in good
    order.

    Where the roster is longer than the menu, its last row says how to name the others. None without a roster.
    """
    if not known.roster:
        return ()
    own = is_own(option)
    picked = picked_handles(text, known.roster)
    units = [
        unit for unit in known.roster if not is_out(unit, known) or unit.handle in picked or unit.state in option.likely
    ]
    typed = [one for one in typed_items(text, known.roster) if option.type == "units" or option.free or option.many]
    room = size - len(typed)
    if known.own_side and len(units) > room:  # too many: only the side that is meant, and nobody's
        units = [u for u in units if not u.side or (u.side == known.own_side) == own or u.handle in picked]
    units.sort(key=lambda unit: _rank(unit, option, known.own_side))
    if len(units) > room:
        units.sort(key=lambda unit: unit.handle not in picked)
        handle = units[room - 1].handle
        units = sorted(units[: room - 1], key=lambda unit: _rank(unit, option, known.own_side))
        more = [Pick(MORE, "More: type handles below", handle)]
    else:
        more = []
    sides = {unit.side for unit in units}
    picks = []
    for unit in units:
        about = _described(unit, known, say_side=len(sides) > 1)
        picks.append(Pick(unit.handle, unit.name, about, unit.handle in picked))
        picks += _weapons(unit, option, typed)
    picks = picks[: size - len(typed)] if not more else picks[: size - len(typed) - 1]
    return (*picks, *(Pick(TYPED + item, item, "as typed", True) for item in typed), *more)


def _weapons(unit: RosterUnit, option: Option, typed: list[str]) -> list[Pick]:
    """Each weapon of a unit that carries several, in a list of those who fire that has words of its own."""
    if not option.units or not unit.numbers.get(LOADOUT):
        return []
    items = [item for item in fired(unit.name, unit.numbers, REPEAT) if item[1] not in typed]
    return [Pick(TYPED + item, f"{unit.name}: {weapon}", "this weapon alone") for weapon, item in items]


def _rank(unit: RosterUnit, option: Option, own_side: str) -> tuple[bool, bool, bool]:
    is_other = bool(own_side) and (unit.side == own_side) != is_own(option)
    return is_other, not is_likely(unit, option), unit.state not in SOUND


def _described(unit: RosterUnit, known: Known, *, say_side: bool) -> str:
    """What one chooses a unit by: its state, the numbers on its counter that are not 0, and its weapons."""
    system = systems().get(known.system)
    printed = (system.game["units"].get("counters") or {}).get(unit.type, {}).get("numbers") if system else ()
    keys = [key for key in printed or unit.numbers if unit.numbers.get(key) and key not in (LEFT, LOADOUT)]
    numbers = [f"{key.replace('_', ' ')} {format_number(unit.numbers[key])}" for key in keys]
    state = spoken(unit.state).casefold() if unit.state not in SOUND else ""
    marks = (spoken(mark).casefold() for mark in sorted(unit.marks))
    pieces = (
        unit.side if say_side else "",
        state,
        spoken(unit.type).casefold(),
        *numbers,
        arms_said(unit.numbers),
        *marks,
    )
    return ", ".join(piece for piece in pieces if piece)


def picked_handles(text: str, roster: Iterable[RosterUnit]) -> set[str]:
    """Handles of the roster units that a list names, with nothing typed over them."""
    named = by_name(roster)
    return {unit.handle for item in items_of(text) if (unit := plain_unit(item, named)) is not None}


def typed_items(text: str, roster: Iterable[RosterUnit]) -> list[str]:
    """The other items of a list, short enough for a menu: units by their type, or with numbers typed over them."""
    named = by_name(roster)
    found = [item for item in items_of(text) if plain_unit(item, named) is None and len(item) < LONGEST]
    return list(dict.fromkeys(found))[:10]


def chosen_units(text: str, known: Known, offered: Iterable[str], taken: Iterable[str]) -> str:
    """The list without what was offered and not taken; new ones at its end. What else was typed stays."""
    named, offered, taken = by_name(known.roster), set(offered), [one for one in taken if one != MORE]
    kept, there = [], set()
    for item in items_of(text):
        unit = plain_unit(item, named)
        key = unit.handle if unit is not None else TYPED + item
        if key not in offered or key in taken:
            kept.append(item)
            there.add(key)
    handles = {unit.handle: unit.name for unit in known.roster}
    kept += [handles.get(key, key.removeprefix(TYPED)) for key in taken if key not in there]
    return "; ".join(kept)


def known_items(text: str, roster: Iterable[RosterUnit]) -> str:
    """The list without the items that name no unit of the roster: what a refused one leaves standing."""
    named = by_name(roster)
    items = [part for item in items_of(text) for part in ([item] if plain_unit(item, named) else item.split(","))]
    return "; ".join(item.strip() for item in items if item.strip() and plain_unit(item.strip(), named) is not None)


def items_of(text: str) -> list[str]:
    """The items of a list; no name of a unit holds a semicolon."""
    return [item.strip() for item in text.replace("\n", ";").split(";") if item.strip()]


def plain_unit(item: str, named: Roster) -> RosterUnit | None:
    """The roster unit that an item names, and nothing more."""
    if item[0] in "\"'\u201c" and len(item) > 1:
        closing = {"\u201c": "\u201d"}.get(item[0], item[0])
        return named.get(item[1:-1].casefold()) if item.endswith(closing) else None
    return named.get(" ".join(item.split()).casefold())


_PIECE = re.compile(r"[,\n]")
_NOISE = re.compile(r"[^\w#+\s]")
_NUMBER = re.compile(r"[+-]?[\d.]+")
_OFF = ("no", "off", "without")
ONE_WORD = ("int", "number", "enum", "bool")


def short(label: str) -> str:
    """A label without what is in brackets: `Terrain (TM)` is `Terrain`."""
    return label.partition(" (")[0]


def rest_text(
    spec: CommandSpec, options: Mapping[str, object], covers: Iterable[str], needed: Collection[str] = ()
) -> str:
    """What the line holds of the options. A needed one that is missing is asked for: `range ?`."""
    words = words_of(options.get("mods") or ())
    pieces, owed = [], []
    for name in covers:
        option = spec.option(name)
        if option is None:
            pieces += [_label(spec, name)] if name in words else []
            continue
        value = options.get(name)
        called = short(option.shown).casefold()
        if option.type == "bool":
            on = bool(options.get(name, option.default)) or name in words
            pieces += [called] if on and not option.default else [f"{called} no"] if option.default and not on else []
        elif value not in (None, "") and str(value) != str(option.default):
            pieces.append(f"{called} {value}")
        elif name in needed:
            owed.append(f"{called} ?")
    return ", ".join([*owed, *pieces])


def rest_example(spec: CommandSpec, names: Iterable[str], flags: Iterable[str]) -> str:
    """What could be in the line, of at most 100 characters."""
    options = [option for name in names if (option := spec.option(name)) is not None]
    numbers = [f"{short(one.shown).casefold()} 1" for one in options if one.type in ("int", "number")][:2]
    words = [f"{short(one.shown).casefold()} {one.values[-1]}" for one in options if one.type == "enum" and one.values]
    flags = [_label(spec, flag) for flag in flags][-1:]
    pieces = [*numbers, *words[: 2 - len(numbers)], *flags]
    while len(", ".join(pieces)) > 100:
        pieces.pop(0)
    return ", ".join(pieces)


def read_rest(spec: CommandSpec, text: str, bare: str = "") -> dict[str, object]:
    """The options that the line gives, as typed; a number without a name is that of `bare`. Raises UserError for a
    piece that names nothing of the command."""
    names = _names(spec)
    found: dict[str, object] = {}
    for piece in _PIECE.split(text):
        words = piece.split()
        while words:
            words[:1] = [part for part in words[0].split("=", 1) if part]
            name, used = _named(words, names)
            if not name and bare and bare not in found and _NUMBER.fullmatch(words[0]):
                name, used = bare, 0
            if not name:
                raise _unknown(spec, piece.strip() if used else " ".join(words), names)
            words = words[used:]
            option = spec.option(name)
            if option is None:
                found["mods"] = f"{found.get('mods', '')} {name}".strip()
            elif option.type == "bool":
                off = bool(words) and words[0].casefold() in _OFF
                words = words[1:] if off or (words and words[0].casefold() == "yes") else words
                found[name] = not off
            else:
                count = 1 if option.type in ONE_WORD else len(words)
                if (value := " ".join(words[:count])) not in ("", "?"):
                    before = f"{found[name]}; " if option.type == "units" and name in found else ""
                    found[name] = before + value
                words = words[count:]
    return found


def _label(spec: CommandSpec, word: str) -> str:
    """What a flag or modifier word is called in the line."""
    option = spec.option(word)
    mods = spec.option("mods")
    if option is not None:
        return short(option.shown).casefold()
    label = mods.labels.get(word, "") if mods is not None else ""
    return (label or word.replace("_", " ")).casefold()


def _names(spec: CommandSpec) -> dict[str, str]:
    """All names that the line understands, folded, with the code word of each."""
    found: dict[str, str] = {}
    for option in spec.options:
        for word in option.values if option.type == "mods" else ():
            found |= {_folded(option.labels.get(word, word)): word, _folded(word): word}
    for option in spec.options:
        if option.type != "mods":
            found |= {_folded(option.shown): option.name, _folded(short(option.shown)): option.name}
            found[_folded(option.name)] = option.name
    return found


def _folded(text: str) -> str:
    return " ".join(_NOISE.sub("", text.replace("_", " ").replace("-", " ")).casefold().split())


def _named(words: list[str], names: Mapping[str, str]) -> tuple[str, int]:
    """The option that the first words name, and how many words that took; a beginning will do if it is the only one."""
    for length in range(min(len(words), 8), 0, -1):
        said = _folded(" ".join(words[:length]))
        if said in names:
            return names[said], length
    said = _folded(words[0])
    near = {name for known, name in names.items() if len(said) > 2 and known.startswith(said)}
    return (near.pop(), 1) if len(near) == 1 else ("", 0)


def _unknown(spec: CommandSpec, piece: str, names: Mapping[str, str]) -> UserError:
    near = did_you_mean(_folded(piece), names)
    return UserError(
        f'There is nothing called "{piece[:40]}" in {(spec.title or spec.name)}.',
        hint=near or "Write a number after its name, and a comma between two.",
        option="rest",
        code="unknown-option",
    )


KEYPAD, LISTED = 10, 25
"""Faces that a keypad has at most, and a menu; larger dice are typed."""
LONGEST_ACTION = 90


def keypad(owed: DieOwed, key: str) -> Reply | None:
    """The keypad for the die that the draft `key` owes next; None for one that can only be typed.

    What was entered so far is in the buttons, `die:KEY:6,1`.
    """
    sides, hand = owed.sides.removeprefix("d"), ",".join(map(str, owed.given))
    faces = range(1, int(sides) + 1) if sides.isdecimal() and int(sides) <= LISTED else range(0)
    if not faces or len(f"die:{key}:{hand},{len(faces)}") > LONGEST_ACTION:
        return None
    dice = len(owed.given)
    count = f"{dice} {'die' if dice == 1 else 'dice'} in. " if dice else ""
    actions = {str(face): f"die:{key}:{hand},{face}" if hand else f"die:{key}:{face}" for face in faces}
    listed = len(faces) > KEYPAD
    entries = tuple(MenuEntry(action, face) for face, action in actions.items())
    buttons = [] if listed else [Button(action, face) for face, action in actions.items()]
    if hand:
        buttons.append(Button(f"die:{key}:", "Start over"))
    so_far = (Thrown((*owed.given, "?")),) if dice else ()
    return Reply(
        f"{count}Next: {owed.label or 'a die'} ({owed.sides})",
        (*so_far, Small("Nothing is saved until all dice are in.")),
        private=True,
        buttons=tuple(buttons),
        menus=(Menu(f"What the {owed.sides} shows", entries, owed.sides),) if listed else (),
        across=3,
    )
