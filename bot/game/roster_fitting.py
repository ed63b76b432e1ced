"""A roster that was sent, fitted to a game.

Columns that its units do not have are left out. Types that only the names contain are filled in.
Each change is noted.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.game.counter_faces import REDUCED
from bot.game.roster_line import FIRST_LINE, NEEDED, RosterLine, RosterText, make_roster_error
from bot.game.roster_sheet import split_count
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.units import UnitWords
from bot.rules.text.names import join_names
from bot.rulesets.system import System

MAX_NOTED = 12
_COLUMNS = (
    *NEEDED,
    "side",
    "state",
    "marker",
    "markers",
    "flag",
    "flags",
    "stats",
    "half",
    REDUCED,
)
_REMARKS = ("remark", "remarks", "note", "notes", "comment", "comments", "bemerkung", "bemerkungen")
_SHORT_FORMS = {
    "hq": "headquarters",
    "arty": "artillery",
    "ldr": "leader",
    "mg": "machine-gun",
    "sqd": "squad",
    "plt": "platoon",
    "eng": "engineers",
    "cav": "cavalry",
    "mtr": "mortar",
}
"""The short forms of unit types that are more than their first letters."""
_NUMBERS = re.compile(r"(?<!\s)\s*+\d{1,4}(?:\.\.\d{1,4})?$")


def fit_roster(roster: RosterText, system: System) -> RosterText:
    """Return a roster with known columns only, and with a type for each unit.

    See `_drop_unknown_columns` and `_add_types`. Raise UserError if no unit has a type.
    """
    words = system.words["units"]
    notes = list(roster.notes)
    rows = _drop_unknown_columns(roster.rows, words, system.title, notes)
    rows = _add_types(rows, words, roster.heading_line, notes)
    return RosterText(rows, notes, roster.heading_line)


def _drop_unknown_columns(
    rows: Sequence[RosterLine], words: UnitWords, title: str, notes: list[str]
) -> list[RosterLine]:
    """Return rows without the columns that units do not have, and add a note that names these.

    A column that is nearly the name of a number stays, so that it is refused later with that name.
    `title` is the game's, for the note.
    """
    columns = dict.fromkeys(column for row in rows for column in row.other_columns)
    unit_columns = {*_COLUMNS, *words.keys}
    unknown = [
        column
        for column in columns
        if column not in unit_columns
        and (column in _REMARKS or not did_you_mean(column, [*words.keys, "state", "marker"]))
    ]
    if unknown:
        noun = "column" if len(unknown) == 1 else "columns"
        notes.append(
            f"left out: {noun} {join_names(unknown[:MAX_NOTED])}, which units in {title} don't have"
        )
    return [
        replace(row, values={key: text for key, text in row.values.items() if key not in unknown})
        for row in rows
    ]


def _add_types(
    rows: Sequence[RosterLine], words: UnitWords, heading_line: int, notes: list[str]
) -> list[RosterLine]:
    """Return rows with the type from their name, if they have no column for it. Add notes on that.

    A unit without a type in its name is left out of an army list. Raise UserError if it is in a
    sheet, or if no unit has one.
    """
    fitted = list[RosterLine]()
    types: dict[str, str] = {}
    untyped = list[str]()
    rows = _expand_types(rows, words.types, notes)
    for row in rows:
        if "type" in row.values:
            fitted.append(row)
            continue
        name = _NUMBERS.sub("", split_count(row.values["name"])[0])
        type_ = find_type_in_name(name, words.types)
        if not type_:
            untyped.append(name[:40])
            continue
        types[name] = type_
        values = {**row.values, "type": type_}
        if name.casefold() in words.types and row.values["name"] == name:
            values["name"] = f"{name} 1"  # a unit must not have the name of a type
        fitted.append(replace(row, values=values))
    if untyped and (heading_line or not fitted):
        raise _make_no_type_error(untyped, words, heading_line)
    if untyped:
        notes.append(
            f"left out: {join_names(untyped[:MAX_NOTED])}, with no type in the name "
            f"({', '.join(words.types[:6])})"
        )
    if types:
        noted_types = [*types.items()][:MAX_NOTED]
        names = join_names([f"{name[:40]} ({type_})" for name, type_ in noted_types])
        notes.append(f"types read from the names: {names}")
    return fitted


def _expand_types(
    rows: Sequence[RosterLine], types: Sequence[str], notes: list[str]
) -> list[RosterLine]:
    """Return rows with whole unit types in place of short forms.

    Put a note about them in front of the others, since the last notes may be too many to show.
    """
    expanded = list[RosterLine]()
    long_types = dict[str, str]()
    for row in rows:
        typed = row.values.get("type", "").strip()
        long = find_short_type(typed, types)
        if long:
            long_types[typed] = long
            row = replace(row, values={**row.values, "type": long})
        expanded.append(row)
    if long_types:
        pairs = [f"{typed[:40]} as {long}" for typed, long in long_types.items()]
        notes.insert(0, f"abbreviated types: {join_names(pairs[:MAX_NOTED])}")
    return expanded


def _make_no_type_error(names: Sequence[str], words: UnitWords, heading_line: int) -> UserError:
    """Build the error for units without a type.

    `heading_line` is the line of a sheet's headings, which lack one for types. In a list without
    headings it is 0, and `names` are those of the units, which say no type.
    """
    types = f"Types are {', '.join(words.types)}."
    if heading_line:
        return make_roster_error(
            "the heading type is missing",
            heading_line,
            hint=f"{FIRST_LINE} {types}",
            code="missing",
        )
    return make_roster_error(
        f"{join_names(list(names[:MAX_NOTED]))}: no name says a type",
        hint=f"Send a sheet with name and type. {types}",
        code="missing",
    )


def find_short_type(typed: str, types: Sequence[str]) -> str:
    """Return the one unit type that a short form such as `Inf.` or `HQ` stands for.

    Return "" if it stands for none or for several, and also for the full name of a type.
    """
    short = typed.casefold().rstrip(".")
    if short.replace(" ", "-") in types or len(short) < 2:
        return ""
    usual = _SHORT_FORMS.get(short, "")
    if usual in types:
        return usual
    longer = [type_ for type_ in types if len(short) > 2 and type_.startswith(short)]
    return longer[0] if len(longer) == 1 else ""


def find_type_in_name(name: str, types: Iterable[str]) -> str:
    """Find the unit type in a name: `Rifle Squads` is a squad. Return "" if there is none.

    Of several, the one that ends last counts: `Squad Leader` is a leader. If two end at the same
    word, the one of more words counts.
    """
    words = re.findall(r"[^\W_]+", name.casefold())
    singular = [word.removesuffix("s") if word.endswith("s") else word for word in words]
    best = ("", -1)
    for type_ in types:
        parts = type_.split("-")
        for start in range(len(words) - len(parts) + 1):
            stop = start + len(parts)
            is_match = words[start:stop] == parts or singular[start:stop] == parts
            if is_match and (stop, len(parts)) > (best[1], best[0].count("-") + 1):
                best = (type_, stop)
    return best[0]
