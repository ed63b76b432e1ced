"""Army lists of other programs as a roster: the JSON of list builders and of Tabletop Simulator, and
lists that were copied as text.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.game.roster import MAX_NAME
from bot.game.roster_line import RosterLine, RosterText
from bot.game.roster_sheet import clean_unit_name, clean_value, number_name, split_count
from bot.rules.text.markup import remove_markup
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import comparison_key

MAX_NOTED = 12
_UNITS = ("unit", "model")
_LISTS = ("units", "roster", "army", "list")
_NAMES = ("customName", "name", "displayName", "unit", "title")
_COUNTS = ("count", "number", "quantity", "qty", "amount")
_KNOWN = frozenset((*_NAMES, *_COUNTS, "type", "id"))
_SIGNS = r"(?:[-•*·–●▪‣◦○◻◼□■☐☑☒✓✔✅]|\[[ xX]?\])\ufe0f?"
_BULLET = re.compile(rf"^{_SIGNS}\s+")
_COST = re.compile(
    r"(?<!\s)\s*+(?:[\[(](?=[^\])\d]{0,40}\d)[^\])]{1,80}[\])]|[-–—:]\s*+\d{1,5}\s*+(?:pts?|points?)?)$",
    re.IGNORECASE,
)
_COST_AND_MORE = re.compile(
    r"(?<!\s)\s*+[\[(][^\])\n]{0,40}\d\s?(?:pts?|points?|pkt|punkte)\.?[\])]\s*+:.*", re.IGNORECASE
)
"""The cost of a unit, and its equipment after a colon."""
_FIGURE_BEFORE = re.compile(r"(\d{1,2}) (?!x\b)(?=[^\W\d_])(.+)", re.IGNORECASE)
_HEADING = re.compile(r"[+=#_*]{2,}|.*:\s*$|[+] .* [+]$")
_COUNTED_LINE = re.compile(r"\s*(?:[-•*·–]\s+)?\d{1,2} ?[x×] ?\S", re.IGNORECASE)
_PARTS = ("•", "·", ". ")
"""Beginnings of a line that names a part of the unit above it."""


def read_army_json(text: str) -> RosterText | None:
    """Return the units of an army list in JSON, None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    roster = RosterText()
    units = _find_units(data, roster.notes)
    if units is None:
        return None
    _add_units(roster, units)
    return roster


def _find_units(data: Any, notes: list[str]) -> list[Mapping[str, Any]] | None:
    """Return the units of a list builder's data, each with name, count and maybe type; None for
    data of another form.
    """
    if not isinstance(data, Mapping):
        return None
    if isinstance(data.get("ObjectStates"), list):
        return _read_tabletop_save(data["ObjectStates"], notes)
    roster = data.get("roster", data)
    if isinstance(roster, Mapping) and isinstance(roster.get("forces"), list):
        return _read_forces(roster["forces"], notes)
    for key in _LISTS:
        units = data.get(key)
        if not isinstance(units, list) or not all(isinstance(unit, Mapping) for unit in units):
            continue
        if all("type" in unit and not _is_nested(unit) for unit in units):
            return None  # our own form, which is read with its lines and columns
        return _read_plain_list(units, notes)
    return _find_units_inside(data, notes)


def _find_units_inside(data: Mapping[str, Any], notes: list[str]) -> list[Mapping[str, Any]] | None:
    """Return the units of a list one level down, such as `force: {units: [...]}`; None for none.
    They have names and counts, as tables and cards of other programs do not.
    """
    for inner in data.values():
        units = inner.get("units") if isinstance(inner, Mapping) else None
        if not isinstance(units, list) or not all(isinstance(unit, Mapping) for unit in units):
            continue
        if units and all(any(name in unit for name in _NAMES) for unit in units):
            return _read_plain_list(units, notes)
    return None


def _is_nested(unit: Mapping[str, Any]) -> bool:
    return any(isinstance(value, Mapping) for value in unit.values()) or any(
        key in unit for key in _COUNTS
    )


def _read_plain_list(
    units: Sequence[Mapping[str, Any]], notes: list[str]
) -> list[Mapping[str, Any]]:
    """Return the units of a plain list of objects, each with its single values.

    A note names the nested values that are left out.
    """
    nested = dict.fromkeys(
        key for unit in units for key, value in unit.items() if isinstance(value, Mapping | list)
    )
    if nested:
        notes.append(f"left out: {join_names(list(nested)[:MAX_NOTED])} of the units")
    return [_read_plain_unit(unit) for unit in units]


def _read_plain_unit(unit: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the name, count, type and other single values of one unit."""
    values: dict[str, Any] = {}
    for key, value in unit.items():
        if isinstance(value, str | int | float) and key not in _KNOWN:
            values[str(key).casefold()] = clean_value(str(key), str(value))
    values["name"] = next((unit[key] for key in _NAMES if unit.get(key)), "")
    values["count"] = next((unit[key] for key in _COUNTS if key in unit), 1)
    values["type"] = unit.get("type", "")
    return values


def _read_forces(forces: Sequence[Any], notes: list[str]) -> list[Mapping[str, Any]]:
    """Return the units of forces in the form of BattleScribe and New Recruit.

    Upgrades, and whatever is inside a unit, are left out.
    """
    units = list[Mapping[str, Any]]()
    upgrades = list[str]()
    has_parts = False
    for selection in _list_selections(forces):
        name = str(selection.get("name") or "")
        if selection.get("type") in _UNITS:
            units.append({"name": name, "count": selection.get("number", 1)})
            has_parts = has_parts or bool(selection.get("selections"))
        elif name:
            upgrades.append(name)
    if upgrades:
        notes.append(f"left out, because they aren't units: {join_names(upgrades[:MAX_NOTED])}")
    if has_parts:
        notes.append("left out: the models and upgrades inside the units")
    return units


def _list_selections(forces: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the selections and units of forces, and of the forces inside them."""
    for force in forces:
        if not isinstance(force, Mapping):
            continue
        for key in ("selections", "units"):
            for selection in force.get(key) or ():
                if isinstance(selection, Mapping):
                    yield selection
        yield from _list_selections(force.get("forces") or ())


def _read_tabletop_save(states: Sequence[Any], notes: list[str]) -> list[Mapping[str, Any]]:
    """Return the named objects of a Tabletop Simulator save, counted by name.

    Objects in bags count too.
    """
    names = Counter[str]()
    nameless = 0
    for item in _list_objects(states):
        nickname = str(item.get("Nickname") or "").strip()
        if nickname:
            names[nickname] += 1
        elif not item.get("ContainedObjects"):
            nameless += 1
    if nameless:
        notes.append(f"left out: {format_count(nameless, 'object')} without a name")
    return [{"name": name, "count": count} for name, count in names.items()]


def _list_objects(states: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a save, and those inside bags, at most six bags deep."""
    if not isinstance(states, list) or depth > 6:
        return
    for item in states:
        if isinstance(item, Mapping):
            yield item
            yield from _list_objects(item.get("ContainedObjects"), depth + 1)


def _add_units(roster: RosterText, units: Sequence[Mapping[str, Any]]) -> None:
    """Add a row for each name of a unit to the roster, numbered if it has several: `Squad 1..3`.

    The counts of units of the same name are added up; the first has their other values. A unit
    without a name, or with a count of 0, is left out. Notes tell that, names that were shortened,
    and counts that cannot be read, which are 1.
    """
    counts: dict[str, int] = {}
    values_of: dict[str, Mapping[str, Any]] = {}
    spellings: dict[str, str] = {}
    for unit in units:
        name, in_name = split_count(
            clean_unit_name(" ".join(remove_markup(str(unit["name"])).split()))
        )
        key = comparison_key(name)
        count = _read_count(unit)
        if not name:
            roster.notes.append("left out: a unit without a name")
            continue
        if count is None:
            raw = str(unit["count"])[:20]
            roster.notes.append(f"{name[:40]} is read as one unit, because its count is {raw}")
            count = 1
        if len(name) > MAX_NAME - 3:
            short = name[: MAX_NAME - 3].strip()
            roster.notes.append(f"{name[:80]} is called {short}")
            name = short
            key = comparison_key(name)
        spellings.setdefault(key, name)
        counts[key] = counts.get(key, 0) + count * int(in_name or 1)
        values_of.setdefault(key, unit)
    for number, (key, count) in enumerate(counts.items(), 1):
        if not count:
            roster.notes.append(f"left out: {spellings[key][:40]}, because its count is 0")
            continue
        values = {
            column: str(value)
            for column, value in values_of[key].items()
            if column != "count" and value not in ("", None)
        }
        values["name"] = number_name(spellings[key], count)
        roster.rows.append(RosterLine(number, values, {}))


def _read_count(unit: Mapping[str, Any]) -> int | None:
    """Return the count of a unit in a list, 1 if it names none: 2 for `2`, `"2"` and `2.0`.

    Return None for a count that is not a whole number from 0 to 40.
    """
    plain = clean_value("count", str(unit.get("count", 1)))
    is_count = plain.isdecimal() and len(plain) < 7 and int(plain) <= 40
    return int(plain) if is_count else None


# -- as text


def is_army_list(text: str) -> bool:
    """Return whether a text is an army list, as JSON or as lines."""
    return read_army_json(text) is not None or is_army_text(text)


def is_army_text(text: str) -> bool:
    """Return whether a text is an army list, not a sheet.

    An army list has no tabs, semicolons or heads of columns. It has a line such as
    `3x Rifle Squad`, or marks before most lines and a number in one: `☑ 3 rifle squads`.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if any("\t" in line or ";" in line for line in lines):
        return False
    first = next(iter(lines), "").casefold().split(",")
    if "name" in [head.strip() for head in first] or len(first) > 2:
        return False
    return any(_COUNTED_LINE.match(line) for line in lines) or _is_marked_list(lines)


def _is_marked_list(lines: Sequence[str]) -> bool:
    """Return whether the units of a list have marks before them and none has an `x`: most lines
    do, and one has a number (`☑ 3 rifle squads`). YAML, with its keys, is none.
    """
    marked = [_BULLET.sub("", line) for line in lines if _BULLET.match(line)]
    if 2 * len(marked) <= len(lines) or any(": " in line for line in marked):
        return False
    return any(_FIGURE_BEFORE.match(line) for line in marked)


def read_army_text(text: str) -> RosterText:
    """Return the units of an army list that was copied as text.

    Each unit has its own line: `3x Rifle Squad` or `Rifle Squad [120 pts]`. Indented lines belong
    to the unit above them, and are left out.
    """
    roster = RosterText()
    units = list[Mapping[str, Any]]()
    inside = 0
    headings = list[str]()
    lines = [line for line in text.split("\n") if line.strip()]
    is_marked = _is_marked_list(lines)
    for raw in lines:
        line = raw.strip()
        if _HEADING.match(line) or (is_marked and not _BULLET.match(line)):
            headings.append(line.strip("+=#*_: "))
        elif raw[:1].isspace() or (line.startswith(_PARTS) and not is_marked):
            inside += 1
        else:
            units.append(_read_unit_line(_BULLET.sub("", line), is_marked, roster.notes))
    roster.notes += _describe_headings([heading for heading in headings if heading], is_marked)
    if inside:
        roster.notes.append(f"left out: {format_count(inside, 'indented line')} below the units")
    _add_units(roster, units)
    return roster


def _describe_headings(headings: Sequence[str], is_marked: bool) -> list[str]:
    """Return notes about headings: that they are left out, and that they may be names of sides.

    The second comes if `is_marked`, the units of the list have marks, and it has several headings.
    """
    if not headings:
        return []
    notes = [f"left out, as headings: {join_names(headings[:MAX_NOTED])}"]
    if is_marked and len(headings) > 1:
        notes.append("all units go to one side: send each side's list separately")
    return notes


def _read_unit_line(line: str, is_marked: bool, notes: list[str]) -> Mapping[str, Any]:
    """Return the unit of a line without its cost. In a list whose units are marked, a figure before
    a name is their number, which is noted.
    """
    bare = _COST.sub("", _COST_AND_MORE.sub("", line)).strip()
    counted_name = _FIGURE_BEFORE.fullmatch(bare) if is_marked else None
    if counted_name is None:
        return {"name": bare, "count": 1}
    notes.append(f"{bare[:40]} is read as {counted_name[1]} of them")
    return {"name": counted_name[2], "count": int(counted_name[1])}
