"""The guided form of a sequence: which menus and blanks it has, what is chosen, the command as typed so far.

Platforms show it in their own manner; what a choice does to the options is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.interface.complete import ACTING as ACTING
from bot.interface.complete import GONE, Known, fitting
from bot.interface.spec import CommandSpec
from bot.interface.text import command_text
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean, words_of
from bot.rules.inputs.units import Roster, RosterUnit

FLAGS = "flags"
OPEN_FORM = "form:"
"""How the action of a button begins that opens the form of a command."""

Options = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Pick:
    """One entry of a menu: its value, what is shown, a further line, and whether it is chosen."""

    value: str
    label: str
    about: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu for one option, or for all flags; `part` counts from 0 where an option needs several menus."""

    option: str
    part: int
    title: str
    picks: tuple[Pick, ...]
    many: bool


@dataclass(frozen=True, slots=True)
class Blank:
    """A number or text to fill in, with what is there now."""

    option: Option
    value: str


@dataclass(frozen=True, slots=True)
class Form:
    """A form as it is now: `command` is what would be typed, `missing` are the options that it still lacks."""

    menus: tuple[Menu, ...]
    blanks: tuple[Blank, ...]
    command: str
    missing: tuple[Option, ...]


def missing(spec: CommandSpec, options: Options, roster: Iterable[RosterUnit] = ()) -> tuple[Option, ...]:
    """Required options that were not given and that no unit brings; one that is not in `roster` may bring them."""
    named = by_name(roster)
    return tuple(option for option in spec.options if option.required and not _is_given(option, options, named))


def _is_given(option: Option, options: Options, named: Roster) -> bool:
    if options.get(option.name) not in (None, ""):
        return True
    who, _, key = option.brings.partition(".")
    chosen = str(options.get(who) or "").strip()
    unit = named.get(chosen.casefold())
    lacks = unit is not None and option.type in ("int", "number") and key not in unit.numbers
    return bool(chosen) and not lacks


def form_of(spec: CommandSpec, options: Options, known: Known, size: int = 25) -> Form:
    """The form for what has been given so far; no menu has more than `size` entries."""
    known = fitting(known, spec)
    menus: list[Menu] = []
    blanks: list[Blank] = []
    for option in spec.options:
        if option.type in ("units", "unit"):
            menus += _unit_menus(option, options, known, size)
        elif option.type == "enum":
            menus += _parts(option.name, _titled(option), _words(option, options), size, many=False)
        if option.type in ("int", "number", "str", "units", "unit"):
            blanks.append(Blank(option, str(options.get(option.name) or "")))
    menus += flag_menus(spec, options, size)
    wanted = missing(spec, options, known.roster)
    blanks.sort(
        key=lambda blank: (blank.option not in wanted, blank.option.type in ("str",), blank.option.type == "unit")
    )
    return Form(tuple(menus), tuple(blanks), command_text(spec, options), wanted)


def choose(
    spec: CommandSpec, options: Options, known: Known, menu: str, part: int, chosen: Iterable[str], size: int = 25
) -> dict[str, object]:
    """The options after `chosen` values were taken from a menu. Entries of its other parts stay as they are."""
    found = next((m for m in form_of(spec, options, known, size).menus if (m.option, m.part) == (menu, part)), None)
    if found is None:
        return dict(options)
    offered = [pick.value for pick in found.picks]
    taken = [value for value in chosen if value in offered]
    if menu == FLAGS:
        return _with_flags(spec, options, offered, taken)
    option = spec.option(menu)
    if option is not None and option.type == "units":
        return _set(options, menu, _with_units(str(options.get(menu) or ""), known, offered, taken))
    unit = next((unit for unit in known.roster if taken and unit.handle == taken[0]), None)
    if option is not None and option.type == "unit":
        return _set(options, menu, unit.name if unit is not None else "")
    if not taken and options.get(menu) not in offered:
        return dict(options)
    return _set(options, menu, taken[0] if taken else "")


def fill(spec: CommandSpec, options: Options, values: Mapping[str, str]) -> tuple[dict[str, object], tuple[str, ...]]:
    """The options after blanks were filled in, and what was wrong with those that could not be taken."""
    after, problems = dict(options), []
    for name, raw in values.items():
        option = spec.option(name)
        if option is None:
            continue
        text = raw.strip()
        try:
            value: Any = clean(option, text) if text else ""
        except UserError as error:
            problems.append(error.message)
            continue
        after = _set(after, name, value)
    return after, tuple(problems)


def _set(options: Options, name: str, value: object) -> dict[str, object]:
    after = {key: kept for key, kept in options.items() if key != name}
    if value not in (None, "", False):
        after[name] = value
    return after


def _titled(option: Option) -> str:
    return option.shown


def _parts(name: str, title: str, picks: list[Pick], size: int, *, many: bool) -> list[Menu]:
    """As many menus as the picks need; none for none."""
    count = -(-len(picks) // size)
    return [
        Menu(
            name,
            part,
            title if count == 1 else f"{title} ({part + 1} of {count})",
            tuple(picks[part * size : (part + 1) * size]),
            many,
        )
        for part in range(count)
    ]


# Words and flags


def _words(option: Option, options: Options) -> list[Pick]:
    now = options.get(option.name, option.default)
    return [Pick(value, value, "default" if value == option.default else "", value == now) for value in option.values]


def flag_menus(spec: CommandSpec, options: Options, size: int = 25, *, with_odds: bool = False) -> list[Menu]:
    """All flags and further modifier words, so many in each menu; `odds` is left out where it has a button."""
    worded = _worded(options)
    picks = [
        Pick(option.name, option.said(option.name), option.help, _is_on(option, options) or option.name in worded)
        for option in spec.options
        if option.type == "bool" and (with_odds or option.name != "odds")
    ]
    mods = spec.option("mods")
    if mods is not None and mods.type == "mods":
        picks += [Pick(word, mods.said(word), mods.meanings.get(word, ""), word in worded) for word in mods.values]
    return _parts(FLAGS, "modifiers", picks, size, many=True)


def _is_on(option: Option, options: Options) -> bool:
    return bool(options.get(option.name, option.default))


def _worded(options: Options) -> set[str]:
    """The modifier words given; none where they cannot be read."""
    try:
        return set(words_of(options.get("mods") or ()))
    except (TypeError, ValueError):
        return set()


def _with_flags(spec: CommandSpec, options: Options, offered: list[str], taken: list[str]) -> dict[str, object]:
    flags = {option.name: bool(option.default) for option in spec.options if option.type == "bool"}
    words = [word for word in words_of(options.get("mods") or ()) if word not in offered]
    after = {name: value for name, value in options.items() if name not in offered and name != "mods"}
    after |= {word: word in taken for word in offered if word in flags and (word in taken) != flags[word]}
    words += [word for word in taken if word not in flags]
    return after | ({"mods": " ".join(words)} if words else {})


# Units


def _unit_menus(option: Option, options: Options, known: Known, size: int) -> list[Menu]:
    own = option.name in ACTING
    picked = picked_handles(str(options.get(option.name) or ""), known.roster)
    units = [unit for unit in known.roster if unit.state not in GONE or unit.handle in picked]
    if known.own_side and len(units) > size:  # too many for one menu: only the side that is meant, and nobody's
        units = [unit for unit in units if not unit.side or (unit.side == known.own_side) == own]
    units.sort(key=_meant_first(known.own_side, own=own))
    picks = [Pick(unit.handle, unit.name, _described(unit), unit.handle in picked) for unit in units]
    side = f", {known.own_side} first" if known.own_side and own else ""
    return _parts(option.name, _titled(option) + side, picks, size, many=option.type == "units")


def _meant_first(own_side: str, *, own: bool) -> Callable[[RosterUnit], bool]:
    return lambda unit: bool(own_side) and (unit.side == own_side) != own


def _described(unit: RosterUnit) -> str:
    numbers = " ".join(f"{key} {value}" for key, value in unit.numbers.items())
    pieces = (unit.side, unit.type, numbers, unit.state, " ".join(sorted(unit.marks)))
    return ", ".join(piece for piece in pieces if piece)


def picked_handles(text: str, roster: Iterable[RosterUnit]) -> set[str]:
    """Handles of the roster units that a list names."""
    named = by_name(roster)
    return {unit.handle for item in _items(text) if (unit := _unit_of(item, named)) is not None}


def by_name(roster: Iterable[RosterUnit]) -> Roster:
    """Units by folded name and by handle."""
    units = list(roster)
    return {**{unit.handle.casefold(): unit for unit in units}, **{unit.name.casefold(): unit for unit in units}}


def _with_units(text: str, known: Known, offered: list[str], taken: list[str]) -> str:
    """The list without the units that were offered and not taken; new ones at its end. What was typed stays."""
    named = by_name(known.roster)
    kept, there = [], set()
    for item in _items(text):
        unit = _unit_of(item, named)
        if unit is None or unit.handle not in offered or unit.handle in taken:
            kept.append(item)
            there.add(unit.handle if unit is not None else "")
    handles = {unit.handle: unit for unit in known.roster}
    kept += [handles[handle].name for handle in taken if handle not in there]
    return "; ".join(kept)


def _items(text: str) -> list[str]:
    """The items of a list; no name of a unit holds a semicolon."""
    return [item.strip() for item in text.split(";") if item.strip()]


def _unit_of(item: str, named: Roster) -> RosterUnit | None:
    if item[0] in "\"'\u201c":
        return named.get(item[1:].partition({"\u201c": "\u201d"}.get(item[0], item[0]))[0].casefold())
    pieces = item.split()
    keys = (" ".join(pieces[:length]).casefold() for length in range(len(pieces), 0, -1))
    return next((named[key] for key in keys if key in named), None)
