"""Several roster units in a few words: `GI 1..10`, `us1..us4`, `all shaken`, `side:US`, `hex:H5`,
`us3, us4`; and each weapon of a unit that fires several as an item of its own.

What was typed is written out as the list of names that it stands for, so that the log holds names:
whoever plays an event again, or changes it, need not know who was in play.
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

_FIRST = re.compile(r"(?<!\d)(\d{1,4})\s*(\.\.+|\u2026|[-\u2013])\s*")
_LAST = re.compile(r"(\d{1,4})(?=[\s,]|$)")
_CHOICE = re.compile(r"(all\b|(side|hex):)", re.IGNORECASE)
_QUOTED = re.compile(r"(?:[\"\u201c](?P<name>[^\"\u201d]*)[\"\u201d]|'(?P<other>[^']*)')(?=\s|,|$)")
_LAST_DIGITS = re.compile(r"(?<!\d)\d+$")
_PIECE = re.compile(r"[^\s,]+,?")
MOST_PIECES = 12
"""The most words that a unit's name, or what picks several units, is made of."""


class AskingSide(NamedTuple):
    """Who asks, for words that name nobody: their side, and whether the list names who acts
    (theirs) or who is acted upon (the other side's). `gone` are the states of units that such words
    leave out, `out` the markers of those who cannot act; `types` are those that the list takes,
    none for all."""

    side: str = ""
    acting: bool = True
    gone: Collection[str] = ()
    out: Collection[str] = ()
    types: Collection[str] = ()


def expand_list(text: str, words: UnitWords, roster: Roster, whose: AskingSide) -> str:
    """A list of units with each range, choice and comma written out: `GI 1; GI 2; GI 3 fp=2`.

    A list without any of these comes back as it is, and so does every list where there is no
    roster. Raises UserError.
    """
    if not roster or not text.strip():
        return text
    typed = [item for item in split_items(text) if item.strip()]
    items = _split_at_commas(typed, roster)
    chosen = [_read_selector(item, words, roster, whose) for item in items]
    if all(one is None for one in chosen) and len(items) == len(typed):
        return text
    named = {
        unit.name
        for item in items
        if (unit := _find_plain_unit(item[: find_name_end(item, roster)], roster)) is not None
    }
    out: list[str] = []
    for item, found in zip(items, chosen, strict=True):
        if found is None:
            out.append(item)
            continue
        units, rest = found
        units = [unit for unit in units if unit.name not in named]
        check_count(len(out) + len(units))  # before the words behind them are written once for each
        out += [f"{_format_name(unit, rest, roster)} {rest}".strip() for unit in units]
        named |= {unit.name for unit in units}
    check_count(len(out))
    return _join_items(out, roster)


def list_names(text: str, words: UnitWords, roster: Roster, whose: AskingSide) -> tuple[str, ...]:
    """Return the names of the roster units that a text means, each once.

    The option takes units by their names alone, and with them what is left out for this roll:
    `Rifle 2 -moved`. Raises UserError for a unit that the roster does not have.
    """
    names = dict[str, str]()
    for item in split_items(expand_list(text, words, roster, whose)):
        if not (item := item.strip()):
            continue
        name, left_out = split_left_out(item, roster)
        unit = _find_plain_unit(name, roster)
        if unit is None:
            raise make_no_unit_error(item, roster)
        names.setdefault(unit.name, f"{unit.name}{left_out}")
    return tuple(names.values())


def list_units(texts: Iterable[object], roster: Roster) -> tuple[RosterUnit, ...]:
    """The roster units that the items of written out lists begin with, each once; None is an
    empty list.
    """
    items = [item.strip() for text in texts if text for item in split_items(str(text))]
    found = [
        _find_plain_unit(item[:end], roster)
        for item in items
        if item and (end := find_name_end(item, roster))
    ]
    return tuple({unit.name: unit for unit in found if unit is not None}.values())


def make_no_unit_error(item: str, roster: Roster) -> UserError:
    """The error for what is not a unit of the roster, with the nearest name."""
    hint = did_you_mean(item, {unit.name for unit in roster.values()})
    message = f'No unit is called "{item[:40]}".'
    return UserError(
        message, hint=hint or _describe_where_to_look(item), code="unknown-unit", about=item
    )


def _describe_where_to_look(item: str) -> str:
    """Return where the units can be seen, and for what may be several of them how to separate
    them.
    """
    several = (
        f"{SEPARATED}. " if " " in item.strip() and any(map(str.isdigit, item.split()[0])) else ""
    )
    return Phrase(several, phrase("`/unit list` shows all."))


def _get_quoted_name(quoted: re.Match[str]) -> str:
    """Return what is in quotation marks."""
    return str(quoted["name"] if quoted["other"] is None else quoted["other"])


def _find_plain_unit(item: str, roster: Roster) -> RosterUnit | None:
    """The unit that an item names, with nothing behind it."""
    if found := _QUOTED.fullmatch(item.strip()):
        return roster.get(_get_quoted_name(found).casefold())
    return roster.get(" ".join(item.split()).casefold())


def _format_name(unit: RosterUnit, rest: str, roster: Roster) -> str:
    """Its name as it is read back when `rest` follows it."""
    return (
        unit.name
        if find_name_end(f"{unit.name} {rest}", roster) == len(unit.name)
        else f'"{unit.name}"'
    )


def _join_items(items: Iterable[str], roster: Roster) -> str:
    """The list as text; by handles where the names are too long for an option."""
    listed = list(items)
    text = "; ".join(listed)
    if len(text) > MAX_TEXT:
        short = {unit.name: unit.handle for unit in roster.values()}
        text = "; ".join(short.get(item, item) for item in listed)
    return text


# The comma


def _split_at_commas(items: Iterable[str], roster: Roster) -> list[str]:
    """Return the items, each split at the commas that separate units.

    Raises UserError as soon as there is one item more than a list holds.
    """
    found: list[str] = []
    for item in items:
        for part in _split_parts(item.strip(), roster):
            found.append(part)
            check_count(len(found))
    return [part for part in found if part]


def _split_parts(item: str, roster: Roster) -> Iterator[str]:
    """Yield the parts between the commas of an item, some of which may be empty.

    A comma in a value (`sw=3,2`), in quotation marks or in a unit's own name separates nothing.
    Raises UserError for more commas in one value than a list has units.
    """
    begin = 0
    while begin < len(item):
        end = _find_part_end(item, begin, roster)
        yield item[begin:end].strip()
        begin = end + 1


def _find_part_end(item: str, begin: int, roster: Roster) -> int:
    """Return the index of the comma that ends the part at `begin`, or the length of the item."""
    while begin < len(item) and item[begin].isspace():
        begin += 1
    name = begin + find_name_end(item[begin:], roster)
    in_plain_marks = False
    in_round_marks = 0
    has_key = False
    commas_in_values = 0
    for index in range(begin, len(item)):
        sign = item[index]
        if sign == '"':
            in_plain_marks = not in_plain_marks
        elif sign == "\u201c":
            in_round_marks += 1
        elif sign == "\u201d":
            in_round_marks -= 1
        elif sign == " ":
            has_key = False
        elif sign == "=":
            has_key = True
        elif sign == "," and index >= name and not in_plain_marks and in_round_marks <= 0:
            if not has_key or _begins_unit(item[index + 1 :], roster):
                return index
            commas_in_values += 1
            check_count(commas_in_values)
    return len(item)


def _begins_unit(following: str, roster: Roster) -> bool:
    """Return whether the text after the comma of a value begins another unit, not another
    number.
    """
    if not following or following[0].isspace():
        return True
    return bool(find_name_end(following, roster) or _CHOICE.match(following))


def find_name_end(item: str, roster: Roster) -> int:
    """Return how many characters at the beginning of an item are a unit's name, the longest that
    fits; 0 for none.
    """
    if item.isalnum():  # a handle, as most are
        return len(item) if item.casefold() in roster else 0
    if found := _QUOTED.match(item):
        return found.end() if _get_quoted_name(found).casefold() in roster else 0
    ends = [piece.end() for piece in islice(_PIECE.finditer(item), MOST_PIECES)]
    for end in reversed(ends):
        for till in (end, end - 1) if item[end - 1] == "," else (end,):
            if " ".join(item[:till].split()).casefold() in roster:
                return till
    return 0


# Ranges and choices


def _read_selector(
    item: str, words: UnitWords, roster: Roster, whose: AskingSide
) -> tuple[list[RosterUnit], str] | None:
    """The units that an item picks and the words behind it, which are for each; None for a
    single unit.
    """
    if not item or find_name_end(item, roster):
        return None
    if (quoted := _QUOTED.match(item)) and (
        found := _read_range(_get_quoted_name(quoted), roster, whose)
    ):
        return found[0], f"{found[1]} {item[quoted.end() :]}".strip()
    if found := _read_range(item, roster, whose):
        return found
    return _read_choice(item, words, roster, whose) if _CHOICE.match(item) else None


def _read_range(
    item: str, roster: Roster, whose: AskingSide
) -> tuple[list[RosterUnit], str] | None:
    """The units of a range and what is behind it. A dash counts as one only where the first unit
    is there.
    """
    for begin in islice(_FIRST.finditer(item), MOST_PIECES):
        stem = " ".join(item[: begin.start()].split(" "))
        rest = item[begin.end() :]
        if stem and rest.casefold().startswith(stem.casefold()):
            rest = rest[len(stem) :]
        end = _LAST.match(rest)
        if end and (f"{stem}{begin[1]}".casefold() in roster or begin[2] not in "-\u2013"):
            return _list_between(stem, begin[1], end[1], roster, whose), rest[end.end() :].strip()
    return None


def _explain_range(shown: str, first: int, last: int) -> str:
    """What is wrong with a range: it counts downwards, or is too long."""
    if last < first:
        return f'"{shown}" counts downwards; the smaller number comes first.'
    return f'"{shown}" is {last - first + 1} units; at most {MAX_UNITS} go at once.'


_NUMBERED = re.compile(r"(\d{1,4})\.\.(\d{1,4})")


def expand_names(text: str) -> list[str]:
    """The names of new units that `Squad 1..4` stands for. Raises UserError for more than 40."""
    found = _NUMBERED.search(text)
    if found is None:
        return [text]
    first = int(found[1])
    last = int(found[2])
    if not first <= last < first + MAX_UNITS:
        hint = '"Squad 1..4" adds four.'
        raise UserError(
            _explain_range(found[0], first, last), hint=hint, option="name", code="bad-value"
        )
    width = len(found[1]) if found[1].startswith("0") else 0
    return [
        text[: found.start()] + str(number).zfill(width) + text[found.end() :]
        for number in range(first, last + 1)
    ]


def _list_between(
    stem: str, first: str, last: str, roster: Roster, whose: AskingSide
) -> list[RosterUnit]:
    if not int(first) <= int(last) < int(first) + MAX_UNITS:
        raise UserError(
            _explain_range(f"{stem[:30]}{first}..{last}", int(first), int(last)), code="bad-value"
        )
    width = len(first) if first.startswith("0") else 0
    names = [f"{stem}{str(number).zfill(width)}" for number in range(int(first), int(last) + 1)]
    there = {name: unit for name in names if (unit := roster.get(name.casefold())) is not None}
    if len(there) < len(names):
        raise _make_missing_error(names, there, roster)
    units = list({unit.name: unit for unit in there.values()}.values())
    return [unit for unit in units if unit.state not in whose.gone] or units


def _make_missing_error(names: list[str], there: Collection[str], roster: Roster) -> UserError:
    lost = [name for name in names if name not in there]
    shown = f"{', '.join(lost[:3])}{' ...' if len(lost) > 3 else ''}"
    if not there:
        near = did_you_mean(names[0], {unit.name for unit in roster.values()})
        return UserError(
            f"The roster has no {shown[:60]}.",
            hint=near or _describe_where_to_look(names[0]),
            code="unknown-unit",
        )
    right = "; ".join(_list_runs(names, there))
    hint = Hint(f"Did you mean {right[:120]}?")
    return UserError(f"The roster has no {shown[:60]}.", hint=hint, code="unknown-unit")


def _list_runs(names: list[str], there: Collection[str]) -> Iterator[str]:
    """Those of a range that are there, as ranges."""
    run: list[str] = []
    for name in (*names, ""):
        if name in there:
            run.append(name)
        elif run:
            number = _LAST_DIGITS.search(run[-1])
            yield f"{run[0]}..{number[0]}" if number and len(run) > 1 else run[0]
            run = []


def _read_choice(
    item: str, words: UnitWords, roster: Roster, whose: AskingSide
) -> tuple[list[RosterUnit], str]:
    """`all`, `side:US`, `hex:H5`, then states and types that they must have; the rest is for
    each of them.
    """
    units = sorted({unit.name: unit for unit in roster.values()}.values(), key=_get_sort_key)
    rest = item
    sided = False
    filters = list[str]()
    for _ in range(MOST_PIECES):
        found = _CHOICE.match(rest)
        if found is None:
            break
        rest = rest[found.end() :].lstrip()
        if found[2] is None:
            continue
        value, rest = _split_value(rest, {unit.side for unit in units})
        if found[2].casefold() == "side":
            sided = True
            units = _select_side(units, value)
        else:
            units = [
                unit
                for unit in units
                if str(unit.numbers.get("hex", "")).casefold() == value.casefold()
            ]
    pieces = rest.split()
    types = {*words.types, *(unit.type for unit in roster.values())}
    for word in pieces[:MOST_PIECES]:
        kept = _filter_units(units, word, words, types)
        if kept is None:
            break
        filters.append(word)
        units = kept
    pieces = pieces[len(filters) :]
    if not {word.casefold() for word in filters} & {*whose.gone}:
        units = [unit for unit in units if unit.state not in whose.gone]
    units = [unit for unit in units if unit.type in whose.types] or units
    able = [unit for unit in units if unit.marks.isdisjoint(whose.out)] or units
    units = able if sided else _select_meant_side(able, whose, item)
    if not units:
        raise UserError(
            f'No unit in play fits "{item[:40]}".',
            hint="side:NAME picks those of one side.",
            code="nobody",
        )
    return units, " ".join(pieces)


def _get_sort_key(unit: RosterUnit) -> tuple[str, int, str]:
    """Units by side, then in the order in which they came: GI 2 before GI 10."""
    number = _LAST_DIGITS.search(unit.handle)
    return unit.side.casefold(), int(number[0]) if number else 0, unit.name.casefold()


def _split_value(rest: str, sides: Iterable[str]) -> tuple[str, str]:
    """What follows `side:` or `hex:`, which may be quoted, or a side of several words; and the
    rest.
    """
    if found := _QUOTED.match(rest):
        return _get_quoted_name(found), rest[found.end() :].lstrip()
    for side in sorted(sides, key=len, reverse=True):
        if " " in side and rest.casefold().startswith(side.casefold()):
            return side, rest[len(side) :].lstrip()
    value, _, rest = rest.partition(" ")
    return value, rest.lstrip()


def _select_side(units: list[RosterUnit], side: str) -> list[RosterUnit]:
    known = {unit.side for unit in units} - {""}
    if comparison_key(side) not in map(comparison_key, known):
        hint = (
            did_you_mean(side, known)
            or f"Sides are {', '.join(sorted(known)) or 'not named here'}."
        )
        raise UserError(f'No unit is of a side "{side[:40]}".', hint=hint, code="unknown-side")
    return [unit for unit in units if comparison_key(unit.side) == comparison_key(side)]


def _filter_units(
    units: list[RosterUnit], word: str, words: UnitWords, types: Collection[str]
) -> list[RosterUnit] | None:
    """Those in a state, or of a type; None for a word that is neither."""
    folded = word_key(word)
    if folded == words.sound and folded:
        return [unit for unit in units if words.get_state(unit) in ("", folded)]
    if folded in words.states:
        wanted = {*words.states[folded]}
        return [
            unit
            for unit in units
            if wanted and wanted <= {*words.states.get(words.get_state(unit), ())}
        ]
    if folded in words.known_states:
        return [unit for unit in units if unit.state == folded]
    for type_ in types:
        if folded in (type_, f"{type_}s"):
            return [unit for unit in units if unit.type == type_]
    return None


def _select_meant_side(units: list[RosterUnit], whose: AskingSide, item: str) -> list[RosterUnit]:
    """Those of the side that is meant. Raises UserError where that could be several."""
    sides = sorted({unit.side for unit in units} - {""})
    if whose.side and whose.acting:
        return [unit for unit in units if unit.side == whose.side]
    if whose.side:
        units = [unit for unit in units if unit.side != whose.side]
        sides = [side for side in sides if side != whose.side]
    if len(sides) > 1:
        choices = " or ".join(f"side:{side}" for side in sides[:4])
        raise UserError(
            f'Which side is "{item[:40]}"?', hint=f"Write {choices}.", code="unknown-side"
        )
    return units


# Weapons


def list_fired_weapons(
    name: str, numbers: Mapping[str, Any], repeat: str, rest: str = ""
) -> Iterator[tuple[str, str]]:
    """(weapon, item) for each weapon that the unit called `name` can fire: `1st Squad weapon=smg
    n=2`.
    """
    for word, count in count_ready_weapons(numbers).items():
        many = f"{repeat}={count}" if count > 1 and repeat else ""
        yield word, " ".join(filter(None, (name, f"{WEAPON}={word}", many, rest)))


def expand_fired_weapons(text: str, words: UnitWords, roster: Roster) -> str:
    """A list in which each roster unit with a loadout fires all of it, unless a weapon is typed
    behind its name.
    """
    if (
        LOADOUT not in words.keys
        or not words.repeat
        or not any(unit.numbers.get(LOADOUT) for unit in roster.values())
    ):
        return text
    out = []
    for item in filter(None, map(str.strip, split_items(text))):
        end = find_name_end(item, roster)
        unit = roster.get(" ".join(item[:end].strip("\"'\u201c\u201d").split()).casefold())
        rest = item[end:].strip()
        keys = {word.partition("=")[0].casefold() for word in rest.split()}
        if unit is None or not unit.numbers.get(LOADOUT) or keys & {WEAPON, words.repeat}:
            out.append(item)
        else:
            out += [
                fire for _, fire in list_fired_weapons(item[:end], unit.numbers, words.repeat, rest)
            ]
    return "; ".join(out)
