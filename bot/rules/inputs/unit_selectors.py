"""Selectors of several roster units: `GI 1..10`, `us1..us4`, `all shaken`, `side:US`, `hex:H5`,
`us3, us4`; and a separate item for each weapon of a unit that fires several.

A selector is expanded to the list of names, so that the log holds names. Replay and changes need
not know which units were in play.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from bot.rules.errors import Hint, UserError, did_you_mean
from bot.rules.inputs.loadout import LOADOUT, WEAPON, count_ready_weapons
from bot.rules.inputs.options import MAX_TEXT
from bot.rules.inputs.units import (
    MAX_UNITS,
    SEPARATED,
    Roster,
    RosterUnit,
    UnitWords,
    check_count,
    split_items,
    split_left_out,
)
from bot.rules.text.normalize import comparison_key, word_key
from bot.rules.text.phrase import Phrase, phrase

_RANGE_START = re.compile(r"(?<!\d)(\d{1,4})\s*(\.\.+|\u2026|[-\u2013])\s*")
_RANGE_END = re.compile(r"(\d{1,4})(?=[\s,]|$)")
_CHOICE = re.compile(r"(all\b|(side|hex):)", re.IGNORECASE)
_QUOTED = re.compile(r"(?:[\"\u201c](?P<name>[^\"\u201d]*)[\"\u201d]|'(?P<other>[^']*)')(?=\s|,|$)")
_LAST_DIGITS = re.compile(r"(?<!\d)\d+$")
_SEPARATOR = re.compile(
    r"\"[^\"]*\"?|\u201c[^\u201d]*\u201d?|=|,| ++(?:and|&|\+) ++(?=\S)| ++", re.IGNORECASE
)
"""What people write between two units, and what is no separator: a quoted text, an equals sign, a
space.
"""
_PIECE = re.compile(r"[^\s,]+,?")
MOST_PIECES = 12
"""The most words of a unit's name, or of a selector."""


class AskingSide(NamedTuple):
    """The player's side, for selectors without names, and whether the list is for acting units (of
    that side) or for targets (of the other side).

    `gone` are the states of units that such selectors leave out, `out` the markers of units that
    cannot act. `types` are those that the list takes, none for all.
    """

    side: str = ""
    acting: bool = True
    gone: Collection[str] = ()
    out: Collection[str] = ()
    types: Collection[str] = ()


def expand_list(text: str, words: UnitWords, roster: Roster, asking_side: AskingSide) -> str:
    """Return a list of units with each range, selector and comma expanded: `GI 1; GI 2; GI 3 fp=2`.

    A list without any of these stays as it is, and so does every list if there is no roster. Raises
    UserError if the list has too many units, or if a range or selector finds none.
    """
    if not roster or not text.strip():
        return text
    typed = [item for item in split_items(text) if item.strip()]
    items = _split_at_commas(typed, roster)
    selected = [_read_selector(item, words, roster, asking_side) for item in items]
    has_selector = any(selection is not None for selection in selected)
    if not has_selector and len(items) == len(typed):
        return text
    names = _list_plain_names(items, roster)
    expanded: list[str] = []
    for item, selection in zip(items, selected, strict=True):
        if selection is None:
            expanded.append(item)
            continue
        selected_units, words_after = selection
        units = [unit for unit in selected_units if unit.name not in names]
        check_count(len(expanded) + len(units))  # before `words_after` is repeated for each unit
        for unit in units:
            name = _format_name(unit, words_after, roster)
            expanded.append(f"{name} {words_after}".strip())
            names.add(unit.name)
    check_count(len(expanded))
    return _join_items(expanded, roster)


def _list_plain_names(items: Iterable[str], roster: Roster) -> set[str]:
    """Return the names of the roster units that begin an item, not counting selectors."""
    names = set[str]()
    for item in items:
        unit = _find_plain_unit(item[: find_name_end(item, roster)], roster)
        if unit is not None:
            names.add(unit.name)
    return names


def list_names(
    text: str, words: UnitWords, roster: Roster, asking_side: AskingSide
) -> tuple[str, ...]:
    """Return the names of the roster units that a text means, each once.

    The option takes units by their names alone, and with them what is left out for this roll:
    `Rifle 2 -moved`. Raises UserError for a unit that the roster does not have.
    """
    names = dict[str, str]()
    for item in split_items(expand_list(text, words, roster, asking_side)):
        if not (item := item.strip()):
            continue
        name, left_out = split_left_out(item, roster)
        unit = _find_plain_unit(name, roster)
        if unit is None:
            raise make_no_unit_error(item, roster)
        names.setdefault(unit.name, f"{unit.name}{left_out}")
    return tuple(names.values())


def list_units(texts: Iterable[object], roster: Roster) -> tuple[RosterUnit, ...]:
    """Return the roster units at the start of the items of expanded lists, each once; None is an
    empty list.
    """
    items = [item.strip() for text in texts if text for item in split_items(str(text))]
    units = [
        _find_plain_unit(item[:length], roster)
        for item in items
        if item and (length := find_name_end(item, roster))
    ]
    return tuple({unit.name: unit for unit in units if unit is not None}.values())


def make_no_unit_error(item: str, roster: Roster) -> UserError:
    """Return the error for a text that is not a unit of the roster, with the most similar name."""
    hint = did_you_mean(item, {unit.name for unit in roster.values()})
    message = f'No unit is called "{item[:40]}".'
    return UserError(
        message, hint=hint or _describe_where_to_look(item), code="unknown-unit", about=item
    )


def _describe_where_to_look(item: str) -> str:
    """Return a hint on how to see the units, and if the text may name several, how to separate
    them.
    """
    several = (
        f"{SEPARATED}. " if " " in item.strip() and any(map(str.isdigit, item.split()[0])) else ""
    )
    return Phrase(several, phrase("`/unit list` shows them all."))


def _get_quoted_name(quoted: re.Match[str]) -> str:
    """Return what is in quotation marks."""
    return str(quoted["name"] if quoted["other"] is None else quoted["other"])


def _find_plain_unit(item: str, roster: Roster) -> RosterUnit | None:
    """Return the unit that an item names, if nothing follows the name."""
    if quoted := _QUOTED.fullmatch(item.strip()):
        return roster.get(_get_quoted_name(quoted).casefold())
    return roster.get(" ".join(item.split()).casefold())


def _format_name(unit: RosterUnit, words_after: str, roster: Roster) -> str:
    """Return the unit's name in a form that is read back correctly with these words after it."""
    return (
        unit.name
        if find_name_end(f"{unit.name} {words_after}", roster) == len(unit.name)
        else f'"{unit.name}"'
    )


def _join_items(items: Iterable[str], roster: Roster) -> str:
    """Return the list as text, with handles if the names are too long for an option."""
    listed = list(items)
    text = "; ".join(listed)
    if len(text) > MAX_TEXT:
        short = {unit.name: unit.handle for unit in roster.values()}
        text = "; ".join(short.get(item, item) for item in listed)
    return text


# The comma


def _split_at_commas(items: Iterable[str], roster: Roster) -> list[str]:
    """Return the items, each split at the commas and the words "and" that separate units.

    Raises UserError as soon as there is one item more than a list holds.
    """
    parts: list[str] = []
    for item in items:
        for part in _split_parts(item.strip(), roster):
            parts.append(part)
            check_count(len(parts))
    return [part for part in parts if part]


def _split_parts(item: str, roster: Roster) -> Iterator[str]:
    """Yield the parts between the separators of an item, some of which may be empty.

    A comma in a value (`sw=3,2`), in quotation marks or in a unit's own name separates nothing, and
    "and" or "&" does only before another unit. Raises UserError for more commas in one value than a
    list has units.
    """
    begin = 0
    while begin < len(item):
        end, next_begin = _find_separator(item, begin, roster)
        yield item[begin:end].strip()
        begin = next_begin


def _find_separator(item: str, begin: int, roster: Roster) -> tuple[int, int]:
    """Return the index of the separator that ends the part at `begin`, and the index after it; the
    length of the item if there is none.
    """
    while begin < len(item) and item[begin].isspace():
        begin += 1
    has_key = False
    commas_in_values = 0
    for match in _SEPARATOR.finditer(item, begin + find_name_end(item[begin:], roster)):
        sign = match[0][0]
        if sign == "=":
            has_key = True
        elif sign == " ":
            has_key = False
        if sign not in ", " or match[0].isspace():
            continue
        if _begins_unit(item[match.end() :], roster) or (sign == "," and not has_key):
            return match.start(), match.end()
        if sign == ",":
            commas_in_values += 1
            check_count(commas_in_values)
    return len(item), len(item)


def _begins_unit(following: str, roster: Roster) -> bool:
    """Return whether the text after a comma begins another unit and not another number."""
    if not following or following[0].isspace():
        return True
    return bool(find_name_end(following, roster) or _CHOICE.match(following))


def find_name_end(item: str, roster: Roster) -> int:
    """Return the length of the longest unit name at the start of an item, 0 for none."""
    if item.isalnum():  # a handle, as most are
        return len(item) if item.casefold() in roster else 0
    if quoted := _QUOTED.match(item):
        return quoted.end() if _get_quoted_name(quoted).casefold() in roster else 0
    name_ends = [piece.end() for piece in islice(_PIECE.finditer(item), MOST_PIECES)]
    for name_end in reversed(name_ends):
        for till in (name_end, name_end - 1) if item[name_end - 1] == "," else (name_end,):
            if " ".join(item[:till].split()).casefold() in roster:
                return till
    return 0


# Ranges and choices


def _read_selector(
    item: str, words: UnitWords, roster: Roster, asking_side: AskingSide
) -> tuple[list[RosterUnit], str] | None:
    """Return the units that an item selects and the words after it, which apply to each; None for a
    single unit.
    """
    if not item or find_name_end(item, roster):
        return None
    if (quoted := _QUOTED.match(item)) and (
        selection := _read_range(_get_quoted_name(quoted), roster, asking_side)
    ):
        return selection[0], f"{selection[1]} {item[quoted.end() :]}".strip()
    if selection := _read_range(item, roster, asking_side):
        return selection
    return _read_choice(item, words, roster, asking_side) if _CHOICE.match(item) else None


def _read_range(
    item: str, roster: Roster, asking_side: AskingSide
) -> tuple[list[RosterUnit], str] | None:
    """Return the units of a range and the words after it, None for no range. A dash makes a range
    only if the first unit exists.
    """
    for begin in islice(_RANGE_START.finditer(item), MOST_PIECES):
        stem = " ".join(item[: begin.start()].split(" "))
        words_after = item[begin.end() :]
        if stem and words_after.casefold().startswith(stem.casefold()):
            words_after = words_after[len(stem) :]
        last = _RANGE_END.match(words_after)
        if last and (f"{stem}{begin[1]}".casefold() in roster or begin[2] not in "-\u2013"):
            return _list_between(stem, begin[1], last[1], roster, asking_side), words_after[
                last.end() :
            ].strip()
    return None


def _explain_range(range_text: str, first: int, last: int) -> str:
    """Return what is wrong with a range: it counts downwards, or is too long."""
    if last < first:
        return f'"{range_text}" counts downwards; the smaller number comes first.'
    return f'"{range_text}" is {last - first + 1} units; the limit is {MAX_UNITS} at once.'


_NUMBERED = re.compile(r"(\d{1,4})\.\.(\d{1,4})")


def expand_names(text: str) -> list[str]:
    """Return the names of new units that `Squad 1..4` stands for. Raises UserError for more than
    40.
    """
    match = _NUMBERED.search(text)
    if match is None:
        return [text]
    first = int(match[1])
    last = int(match[2])
    if not first <= last < first + MAX_UNITS:
        hint = '"Squad 1..4" adds four.'
        raise UserError(
            _explain_range(match[0], first, last), hint=hint, option="name", code="bad-value"
        )
    width = len(match[1]) if match[1].startswith("0") else 0
    return [
        text[: match.start()] + str(number).zfill(width) + text[match.end() :]
        for number in range(first, last + 1)
    ]


def _list_between(
    stem: str, first: str, last: str, roster: Roster, asking_side: AskingSide
) -> list[RosterUnit]:
    """Return the units of a range such as `GI 1..4`, without those in a state of
    `asking_side.gone`, unless all of them are.

    Raises UserError if the range is empty or too long, or if the roster lacks one of its units.
    """
    lower = int(first)
    upper = int(last)
    if not lower <= upper < lower + MAX_UNITS:
        problem = _explain_range(f"{stem[:30]}{first}..{last}", lower, upper)
        raise UserError(problem, code="bad-value")
    width = len(first) if first.startswith("0") else 0
    names = [f"{stem}{str(number).zfill(width)}" for number in range(lower, upper + 1)]
    units_by_name = dict[str, RosterUnit]()
    for name in names:
        unit = roster.get(name.casefold())
        if unit is not None:
            units_by_name[name] = unit
    if len(units_by_name) < len(names):
        raise _make_missing_error(names, units_by_name, roster)
    units = list({unit.name: unit for unit in units_by_name.values()}.values())
    return [unit for unit in units if unit.state not in asking_side.gone] or units


def _make_missing_error(names: list[str], there: Collection[str], roster: Roster) -> UserError:
    """Return the error for a range of which only the units `there` are on the roster."""
    missing_names = [name for name in names if name not in there]
    ellipsis = " ..." if len(missing_names) > 3 else ""
    range_text = f"{', '.join(missing_names[:3])}{ellipsis}"
    if not there:
        near = did_you_mean(names[0], {unit.name for unit in roster.values()})
        return UserError(
            f"The roster has no {range_text[:60]}.",
            hint=near or _describe_where_to_look(names[0]),
            code="unknown-unit",
        )
    right = "; ".join(_list_runs(names, there))
    hint = Hint(f"Did you mean {right[:120]}?")
    return UserError(f"The roster has no {range_text[:60]}.", hint=hint, code="unknown-unit")


def _list_runs(names: list[str], there: Collection[str]) -> Iterator[str]:
    """Yield the existing units of a range, as ranges."""
    run: list[str] = []
    for name in (*names, ""):
        if name in there:
            run.append(name)
        elif run:
            number = _LAST_DIGITS.search(run[-1])
            yield f"{run[0]}..{number[0]}" if number and len(run) > 1 else run[0]
            run = []


def _read_choice(
    item: str, words: UnitWords, roster: Roster, asking_side: AskingSide
) -> tuple[list[RosterUnit], str]:
    """Return the units that a selector such as `all shaken`, `side:US` or `hex:H5` means.

    States and types may follow it. The second value is the text after them, which applies to each
    unit. Units in a state of `asking_side.gone` are left out unless such a state is named. Units of
    other types than those of the list, and units that cannot act, are left out unless no others
    remain. Without `side:` the units are of the side that `asking_side` means.

    Raises UserError if no unit is left, or if it is unclear which side is meant.
    """
    all_units = sorted({unit.name: unit for unit in roster.values()}.values(), key=_get_sort_key)
    units, words_left, names_side = _apply_selectors(all_units, item)
    pieces = words_left.split()
    types = {*words.types, *(unit.type for unit in roster.values())}
    filters = set[str]()
    filter_count = 0
    for word in pieces[:MOST_PIECES]:
        remaining = _filter_units(units, word, words, types)
        if remaining is None:
            break
        filters.add(word.casefold())
        filter_count += 1
        units = remaining
    words_after = " ".join(pieces[filter_count:])
    if filters.isdisjoint(asking_side.gone):
        units = [unit for unit in units if unit.state not in asking_side.gone]
    units = _prefer_suitable(units, asking_side)
    if not names_side:
        units = _select_meant_side(units, asking_side, item)
    if not units:
        raise UserError(
            f'No unit in play fits "{item[:40]}".',
            hint="side:NAME picks one side's units.",
            code="nobody",
        )
    return units, words_after


def _prefer_suitable(units: list[RosterUnit], asking_side: AskingSide) -> list[RosterUnit]:
    """Return the units of the types that the list takes, and of these the ones that can act.

    Each test is skipped if no unit passes it.
    """
    units = [unit for unit in units if unit.type in asking_side.types] or units
    return [unit for unit in units if unit.marks.isdisjoint(asking_side.out)] or units


def _apply_selectors(units: list[RosterUnit], item: str) -> tuple[list[RosterUnit], str, bool]:
    """Return the units that the selectors at the start of an item (`all`, `side:US`, `hex:H5`)
    select, the words after the selectors, and whether `side:` is among them.

    Raises UserError for an unknown side.
    """
    words_left = item
    names_side = False
    for _ in range(MOST_PIECES):
        choice_match = _CHOICE.match(words_left)
        if choice_match is None:
            break
        words_left = words_left[choice_match.end() :].lstrip()
        selector = choice_match[2]
        if selector is None:
            continue
        value, words_left = _split_value(words_left, {unit.side for unit in units})
        if selector.casefold() == "side":
            names_side = True
            units = _select_side(units, value)
        else:
            units = _select_hex(units, value)
    return units, words_left, names_side


def _select_hex(units: list[RosterUnit], hex_name: str) -> list[RosterUnit]:
    """Return the units in a hex, in any case of its letters."""
    folded = hex_name.casefold()
    return [unit for unit in units if str(unit.numbers.get("hex", "")).casefold() == folded]


def _get_sort_key(unit: RosterUnit) -> tuple[str, int, str]:
    """Return the sort key of a unit: by side, then in numeric order, so that GI 2 comes before GI
    10.
    """
    number = _LAST_DIGITS.search(unit.handle)
    return unit.side.casefold(), int(number[0]) if number else 0, unit.name.casefold()


def _split_value(text: str, sides: Iterable[str]) -> tuple[str, str]:
    """Return the value after `side:` or `hex:`, which may be quoted or a side of several words, and
    the rest.
    """
    if match := _QUOTED.match(text):
        return _get_quoted_name(match), text[match.end() :].lstrip()
    for side in sorted(sides, key=len, reverse=True):
        if " " in side and text.casefold().startswith(side.casefold()):
            return side, text[len(side) :].lstrip()
    value, _, text = text.partition(" ")
    return value, text.lstrip()


def _select_side(units: list[RosterUnit], side: str) -> list[RosterUnit]:
    """Return the units of a side. Raises UserError if no unit is of that side."""
    sides = {unit.side for unit in units} - {""}
    side_key = comparison_key(side)
    if side_key not in map(comparison_key, sides):
        side_list = ", ".join(sorted(sides)) or "not named here"
        hint = did_you_mean(side, sides) or f"Sides are {side_list}."
        raise UserError(f'No unit is on a side "{side[:40]}".', hint=hint, code="unknown-side")
    return [unit for unit in units if comparison_key(unit.side) == side_key]


def _filter_units(
    units: list[RosterUnit], word: str, words: UnitWords, types: Collection[str]
) -> list[RosterUnit] | None:
    """Return the units in a state or of a type; None for a word that is neither."""
    folded = word_key(word)
    if folded == words.sound and folded:
        return [unit for unit in units if words.get_state(unit) in ("", folded)]
    if folded in words.states:
        return [unit for unit in units if _includes_state(unit, folded, words)]
    if folded in words.known_states:
        return [unit for unit in units if unit.state == folded]
    for type_ in types:
        if folded in (type_, f"{type_}s"):
            return [unit for unit in units if unit.type == type_]
    return None


def _includes_state(unit: RosterUnit, state: str, words: UnitWords) -> bool:
    """Return whether the flags of a unit's state include all flags of `state`.

    False if `state` has no flags. `words` are the unit words of the game.
    """
    state_flags = {*words.states[state]}
    unit_flags = {*words.states.get(words.get_state(unit), ())}
    return bool(state_flags) and state_flags <= unit_flags


def _select_meant_side(
    units: list[RosterUnit], asking_side: AskingSide, item: str
) -> list[RosterUnit]:
    """Return the units of the side that is meant. Raises UserError if that may be several."""
    sides = sorted({unit.side for unit in units} - {""})
    if asking_side.side and asking_side.acting:
        return [unit for unit in units if unit.side == asking_side.side]
    if asking_side.side:
        units = [unit for unit in units if unit.side != asking_side.side]
        sides = [side for side in sides if side != asking_side.side]
    if len(sides) > 1:
        choices = " or ".join(f"side:{side}" for side in sides[:4])
        raise UserError(
            f'Which side\'s "{item[:40]}" do you mean?',
            hint=f"Write {choices}.",
            code="unknown-side",
        )
    return units


# Weapons


def list_fired_weapons(
    name: str, numbers: Mapping[str, Any], repeat: str, words_after: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield (weapon, item) for each weapon that the unit `name` can fire: `1st Squad weapon=smg
    n=2`.
    """
    for word, count in count_ready_weapons(numbers).items():
        repeat_word = f"{repeat}={count}" if count > 1 and repeat else ""
        yield word, " ".join(filter(None, (name, f"{WEAPON}={word}", repeat_word, words_after)))


def expand_fired_weapons(text: str, words: UnitWords, roster: Roster) -> str:
    """Return the list with all weapons of each roster unit that has a loadout, unless a weapon is
    typed after its name.
    """
    if (
        LOADOUT not in words.keys
        or not words.repeat
        or not any(unit.numbers.get(LOADOUT) for unit in roster.values())
    ):
        return text
    out = []
    for item in filter(None, map(str.strip, split_items(text))):
        name_end = find_name_end(item, roster)
        unit = roster.get(" ".join(item[:name_end].strip("\"'\u201c\u201d").split()).casefold())
        words_after = item[name_end:].strip()
        keys = {word.partition("=")[0].casefold() for word in words_after.split()}
        if unit is None or not unit.numbers.get(LOADOUT) or keys & {WEAPON, words.repeat}:
            out.append(item)
        else:
            out += [
                fire
                for _, fire in list_fired_weapons(
                    item[:name_end], unit.numbers, words.repeat, words_after
                )
            ]
    return "; ".join(out)
