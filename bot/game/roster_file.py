"""Rosters as text: CSV with a heading line, or a YAML list of units, each value with its line and
column; and scenarios: a title, sides and units, ready to play, from
`tables/<system>/scenarios/*.yaml`."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from bot.game.counter import REDUCED
from bot.game.roster import check_roster_room, count_units, find_type, new_unit, set_by_hand
from bot.game.state import Units
from bot.rules.errors import TableError, UserError, check_keys, did_you_mean
from bot.rules.inputs.several_units import expand_names
from bot.rules.inputs.tracks import started
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.phrase import Phrase
from bot.systems.system import SCENARIOS, System

MAX_ROWS = 400
MAX_COLUMNS = 40
MAX_SIZE = 100_000
"""Characters: 400 lines fit in, and reading them holds nobody up."""
NEEDED = ("name", "type")
FIRST_LINE = "First line: name,type,side,morale; then one line per unit."
MAX_DEPTH = 6
_OPENING = (
    yaml.FlowSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.BlockMappingStartToken,
)
_CLOSING = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken, yaml.BlockEndToken)
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_YAML = re.compile(r"\s*(-\s|\[|\{|#|(units|title|sides)\s*:)")
KEYS = ("title", "sides", "about", "turns", "wins", "tracks", "units")
LONGEST = 500
MAX_WINS = 200
MAX_TURNS = 200
MAX_TITLE = 60


@dataclass(frozen=True, slots=True)
class RosterLine:
    """One unit of the text: its values by column name, and where each is (line, column number or
    0).
    """

    line: int
    values: Mapping[str, str]
    places: Mapping[str, tuple[int, int]]

    def take(self, column: str) -> str:
        """The value of a column. Raises UserError naming the line where one that is needed is
        empty.
        """
        value = self.values.get(column, "").strip()
        if not value and column in NEEDED:
            raise UserError(f"{column} is missing.", option=column, code="missing")
        return value

    @property
    def others(self) -> tuple[str, ...]:
        """The columns beside name, type and side that are not empty."""
        return tuple(
            key
            for key, value in self.values.items()
            if key not in (*NEEDED, "side") and value.strip()
        )

    def at(self, column: str, unit: RosterUnit, system: System) -> RosterUnit:
        """The unit with the stats of a column set. Raises UserError naming the column."""
        value = self.values[column].strip()
        text = value if column in ("stats", "markers", "flags") else f"{column}={value}"
        if column == REDUCED:
            text = f"{REDUCED}: {value}"
        elif column in ("markers", "flags"):
            text = " ".join(re.split(r"[\s,;]+", value))
        try:
            return set_by_hand(unit, text, system)
        except UserError as error:
            error.option = column
            raise

    def explained(self, error: UserError) -> UserError:
        """The error with the line and column at fault."""
        line, column = self.places.get(error.option or "", (self.line, 0))
        place = f"Line {line}" + (f", column {column} ({error.option})" if column else "")
        return UserError(
            f"{place}: {error.message}",
            hint=Phrase(error.hint, " " if error.hint else "", "Nothing was added."),
            option="text",
            code=error.code,
        )


def read_roster(text: str) -> list[RosterLine]:
    """The rows of a roster in CSV or YAML. Raises UserError naming line and column."""
    check_roster_size(text)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\n" not in text.strip() and "\\n" in text:
        text = text.replace("\\n", "\n")
    rows = _yaml_rows(text) if _YAML.match(text) else _csv_rows(text)
    if not rows:
        raise UserError("The roster is empty.", hint=FIRST_LINE, code="missing")
    if len(rows) > MAX_ROWS:
        raise UserError(f"At most {MAX_ROWS} lines at once.", code="too-many")
    return rows


def check_roster_size(text: str) -> None:
    """Raise UserError for a roster of more characters than are read."""
    if len(text) > MAX_SIZE:
        raise _fault(
            f"A roster has at most {MAX_SIZE:,} characters; this has {len(text):,}", code="too-long"
        )


def _fault(
    what: str, line: int = 0, column: int = 0, *, hint: str = "", code: str = ""
) -> UserError:
    """What is wrong with the text, and where; none of its units is added."""
    place = (f"Line {line}, column {column}: " if column else f"Line {line}: ") if line else ""
    return UserError(f"{place}{what}. Nothing was added.", hint=hint, code=code or "bad-roster")


def units_of(
    rows: Iterable[RosterLine],
    system: System,
    side_of: Callable[[str], str],
    known: Units,
    *,
    started: bool,
) -> dict[str, RosterUnit]:
    """The units of all rows by folded name; `known` are those there already, `started` as for
    `new_unit`. Raises UserError naming the line.
    """
    units: dict[str, RosterUnit] = {}
    every = dict(known)
    for row in rows:
        try:
            side = side_of(row.take("side"))
            kind = find_type(row.take("type"), system.words["units"])
            for name in expand_names(row.take("name")):
                unit = new_unit(name, kind, side, "", system, every, started=started)
                for column in row.others:
                    unit = row.at(column, unit, system)
                key = unit.name.casefold()
                units[key] = every[key] = unit
                check_roster_room(every)
        except UserError as error:
            raise row.explained(error) from None
    return units


def _csv_rows(text: str) -> list[RosterLine]:
    first = next((line for line in text.split("\n") if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    rows: list[RosterLine] = []
    heads: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            line = reader.line_num
            if not heads and _has_lost_breaks(text, cells):
                hint = "Paste it into the form of /unit import, or send it as a file."
                raise _fault(
                    "The text is in one line: its line breaks were lost on the way", hint=hint
                )
            if not heads:
                heads = _heads([cell.strip().casefold() for cell in cells], line)
                continue
            if len(cells) > len(heads):
                hint = "Put a value that holds the separator into quotation marks."
                raise _fault("more values than headings", line, len(heads) + 1, hint=hint)
            values = dict(zip(heads, cells, strict=False))
            rows.append(
                RosterLine(line, values, {head: (line, at) for at, head in enumerate(heads, 1)})
            )
    except csv.Error as error:
        raise _fault(str(error), reader.line_num) from None
    return rows


def _has_lost_breaks(text: str, cells: list[str]) -> bool:
    """Return whether the heading goes on with units: it is the only line, and a blank inside a cell
    was a line break.
    """
    heads = [cell.strip().casefold() for cell in cells]
    is_long = len(heads) > len(set(heads)) or any(" " in head for head in heads)
    return "\n" not in text.strip() and len(heads) > len(NEEDED) and heads[0] in NEEDED and is_long


def _heads(heads: list[str], line: int) -> list[str]:
    if len(heads) > MAX_COLUMNS:
        raise _fault(f"at most {MAX_COLUMNS} columns", line, code="too-many")
    for needed in NEEDED:
        if needed not in heads:
            raise _fault(f"the heading {needed} is missing", line, hint=FIRST_LINE, code="missing")
    for at, head in enumerate(heads, 1):
        if not head or heads.index(head) != at - 1:
            raise _fault("a heading is empty or repeated", line, at, code="given-twice")
    return heads


def _yaml_rows(text: str) -> list[RosterLine]:
    """Rows from a YAML list of mappings (or one under `units`), read as nodes so that places are
    known.
    """
    try:
        _check_plain(text)
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        if mark is None:
            raise _fault(f"YAML: {error.problem}") from None
        raise _fault(str(error.problem), mark.line + 1, mark.column + 1) from None
    except (yaml.YAMLError, RecursionError):
        raise _fault("This is not readable YAML") from None
    if isinstance(root, yaml.MappingNode):
        named = [node for key, node in root.value if key.value == "units"]
        root = named[0] if named else root.value[0][1] if len(root.value) == 1 else root
    if not isinstance(root, yaml.SequenceNode):
        raise _fault("a list of units was expected", 1, hint="Begin each unit with a dash.")
    return [_yaml_row(node) for node in root.value]


def _check_plain(text: str) -> None:
    """Raise UserError for aliases and deep nesting, token by token: both can make a small text
    endless work.
    """
    depth = 0
    for token in yaml.scan(text, Loader=_Loader):
        if isinstance(token, yaml.AliasToken):
            raise _fault("A roster holds no YAML aliases")
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if depth > MAX_DEPTH:
            mark = token.start_mark
            raise _fault("too deep for a list of units", mark.line + 1, mark.column + 1)


def _yaml_row(node: yaml.Node) -> RosterLine:
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.MappingNode):
        raise _fault("a unit was expected, such as {name: Squad 1, type: squad}", line)
    values: dict[str, str] = {}
    places: dict[str, tuple[int, int]] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value).casefold()
        place = (value_node.start_mark.line + 1, value_node.start_mark.column + 1)
        items = value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
        if key == REDUCED and isinstance(value_node, yaml.MappingNode):
            pairs = [(str(name.value), str(number.value)) for name, number in value_node.value]
            value = " ".join(
                number if name == "type" else f"{name}={number}" for name, number in pairs
            )
        elif all(isinstance(item, yaml.ScalarNode) for item in items):
            value = ",".join(str(item.value) for item in items)
        else:
            raise _fault(f"{key} must be a single value", *place)
        if key in values:
            raise _fault(f"{key} is given twice", *place, code="given-twice")
        values[key], places[key] = value, place
    for needed in NEEDED:
        if needed not in values:
            raise _fault(f"{needed} is missing", line, code="missing")
    return RosterLine(line, values, places)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario: its title, sides, a few sentences about it, its units by folded names, and the
    tracks that it starts otherwise.

    `turns` is the number of its last turn, 0 if it has none; `wins` says who wins, "" if it does
    not.
    """

    title: str
    sides: tuple[str, ...]
    about: str
    units: Mapping[str, RosterUnit]
    tracks: Mapping[str, Any] = field(default_factory=dict)
    turns: int = 0
    wins: str = ""

    @property
    def forces(self) -> str:
        """`7 US units, 6 VC units`."""
        counts = {
            side: sum(unit.side == side for unit in self.units.values()) for side in self.sides
        }
        return ", ".join(f"{side}: {count_units(count)}" for side, count in counts.items())


def find_scenario(system: System, typed: str) -> Scenario:
    """The scenario of that name. Raises UserError with the nearest, TableError for a file with a
    fault.
    """
    known = system.scenarios
    folded = typed.strip().casefold().replace(" ", "-")
    if folded in known:
        name = f"{SCENARIOS}/{folded}"
        return scenario_of(system, folded, system.read(name), system.text(name))
    hint = did_you_mean(folded, known) or (f"It has {', '.join(known) or 'none yet'}.")
    raise UserError(
        f'{system.title} has no scenario "{typed[:40]}".',
        hint=hint,
        option="scenario",
        code="bad-value",
    )


def scenario_of(system: System, id: str, data: Any, text: str) -> Scenario:
    """A scenario from its file, checked whole. Raises TableError that names the file, and the
    line at fault.
    """
    file = f"{system.id}/{SCENARIOS}/{id}.yaml"
    _check(data, file)
    sides = tuple(data["sides"])
    try:
        rows = read_roster(text)
        units = units_of(
            rows, system, lambda typed: _side_of_scenario(typed, sides), {}, started=True
        )
    except UserError as error:
        raise TableError(file, f"{error.message} {error.hint}".strip(), row="units") from None
    try:
        tracks = started(data.get("tracks") or {}, system.tracks, sides)
    except UserError as error:
        raise TableError(file, f"{error.message} {error.hint}".strip(), row="tracks") from None
    return Scenario(
        data["title"],
        sides,
        _in_one_line(data.get("about")),
        units,
        tracks,
        data.get("turns") or 0,
        _in_one_line(data.get("wins")),
    )


def _in_one_line(text: object) -> str:
    """Return the text of a key without line breaks, "" if it is missing."""
    return " ".join(str(text or "").split())


def _check(data: Any, file: str) -> None:
    check_keys(data, KEYS, ("title", "sides", "units"), file)
    title = data.get("title")
    sides = data.get("sides")
    about = data.get("about") or ""
    if not isinstance(title, str) or not 0 < len(title) <= MAX_TITLE:
        raise TableError(file, f"must be a text of at most {MAX_TITLE} characters", row="title")
    if not isinstance(about, str) or len(about) > LONGEST:
        raise TableError(file, f"must be a text of at most {LONGEST} characters", row="about")
    _check_ending(data, file)
    if (
        not isinstance(sides, list)
        or len(sides) < 2
        or not all(isinstance(side, str) and side for side in sides)
    ):
        raise TableError(file, "must be two names or more; quote them", row="sides")


def _check_ending(data: Mapping[str, Any], file: str) -> None:
    """Raise TableError for a last turn or a sentence about who wins that cannot be used."""
    turns = data.get("turns")
    is_count = type(turns) is int and 0 < turns <= MAX_TURNS
    if turns is not None and not is_count:
        raise TableError(file, f"must be a number from 1 to {MAX_TURNS}", row="turns")
    wins = data.get("wins")
    is_short = isinstance(wins, str) and len(wins) <= MAX_WINS
    if wins is not None and not is_short:
        raise TableError(file, f"must be a text of at most {MAX_WINS} characters", row="wins")


def _side_of_scenario(typed: str, sides: tuple[str, ...]) -> str:
    if typed not in sides:
        hint = f"Sides are {', '.join(sides)}."
        raise UserError(
            f'"{typed[:40]}" is no side of it.', hint=hint, option="side", code="unknown-side"
        )
    return typed
