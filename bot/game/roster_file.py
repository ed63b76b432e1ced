"""Rosters and scenarios as text.

A roster is CSV with a heading line, or a YAML list of units; each value has its line and column. A
scenario has a title, sides and units, ready to play, from `tables/<system>/scenarios/*.yaml`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from bot.game.army_list import is_army_text, read_army_json, read_army_text
from bot.game.counter_faces import REDUCED
from bot.game.roster import check_roster_room, count_units, create_unit, find_type
from bot.game.roster_line import FIRST_LINE, NEEDED, RosterLine, RosterText, make_roster_error
from bot.game.roster_sheet import (
    COUNT,
    clean_value,
    expand_count,
    is_markdown,
    read_sheet_roster,
    rename_headings,
)
from bot.game.scenario_base import (
    ON,
    WITHOUT,
    find_base_game,
    lay_over,
    lay_units_over,
    read_base,
)
from bot.game.scenario_keys import PLAYS, get_parts
from bot.game.state import Units
from bot.rules.errors import TableError, UserError, check_known, did_you_mean
from bot.rules.inputs.tracks import read_start_values
from bot.rules.inputs.unit_selectors import expand_names
from bot.rules.inputs.units import RosterUnit
from bot.rules.shapes import check_shape
from bot.rules.text.markup import SOURCE_OF_PAGE, detect_page_language, remove_markup
from bot.rules.text.normalize import comparison_key, normalize_text
from bot.rulesets.game_keys import SOLO
from bot.rulesets.system import SCENARIOS, System

MAX_ROWS = 400
MAX_SIZE = 100_000
"""Maximum number of characters: enough for 400 lines, and quickly read."""
MAX_JSON = 1_000_000
MAX_DEPTH = 6
_OPENING = (
    yaml.FlowSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.BlockMappingStartToken,
)
_CLOSING = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken, yaml.BlockEndToken)
_PLACE = re.compile(r"Line (\d+)(?:, column (\d+)(?: \((\w+)\))?)?: ")
"""The place at fault, as an error of a roster begins."""
_NOTHING_ADDED = "Nothing was added."
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_YAML = re.compile(r"\s*(-\s|\[|\{|#|(units|title|sides)\s*:)")


def read_roster(text: str) -> list[RosterLine]:
    """Return the rows of a roster in CSV or YAML. Raise UserError naming line and column."""
    return read_roster_text(text).rows


def read_roster_text(text: str) -> RosterText:
    """Parse a roster as people send it: a sheet, YAML or an army list.

    Return its units and notes for the player. Raise UserError naming line and column.
    """
    check_roster_size(text)
    text = normalize_text(text)
    has_escaped_breaks = "\n" not in text.strip() and "\\n" in text
    if has_escaped_breaks and text.lstrip()[:1] not in ("{", "["):
        text = text.replace("\\n", "\n")
    language = detect_page_language(text)
    if language:
        raise make_roster_error(f"This is the {language} source of a table", hint=SOURCE_OF_PAGE)
    roster = read_army_json(text)
    if roster is None:
        _check_text_size(text)
        if is_army_text(text):
            roster = read_army_text(text)
        elif _YAML.match(text) and not is_markdown(text):
            roster = _read_yaml(text)
        else:
            roster = read_sheet_roster(text)
    if not roster.rows:
        raise UserError("The roster is empty.", hint=FIRST_LINE, code="missing")
    if len(roster.rows) > MAX_ROWS:
        raise UserError(f"At most {MAX_ROWS} lines at once.", code="too-many")
    return roster


def check_roster_size(text: str) -> None:
    """Raise UserError for a roster that is too long. The JSON of a list builder may be longer."""
    if len(text) > MAX_JSON or text.lstrip("\ufeff \n")[:1] not in ("{", "["):
        _check_text_size(text)


def _check_text_size(text: str) -> None:
    """Raise UserError for a text of more than MAX_SIZE characters."""
    if len(text) > MAX_SIZE:
        raise make_roster_error(
            f"A roster can have at most {MAX_SIZE:,} characters; this has {len(text):,}",
            code="too-long",
        )


def build_units(
    rows: Iterable[RosterLine],
    system: System,
    side_of: Callable[[str], str],
    existing_units: Units,
    *,
    started: bool,
) -> dict[str, RosterUnit]:
    """Build the units of all rows, by folded name.

    `existing_units` are the units already on the roster, `started` is as for `create_unit`. Raise UserError
    naming the line.
    """
    units: dict[str, RosterUnit] = {}
    all_units = dict(existing_units)
    for row in rows:
        try:
            side = side_of(row.get_value("side"))
            kind = find_type(row.get_value("type"), system.words["units"])
            for name in expand_names(row.get_value("name")):
                unit = create_unit(name, kind, side, "", system, all_units, started=started)
                for column in row.other_columns:
                    unit = row.apply_column(column, unit, system)
                key = unit.name.casefold()
                units[key] = all_units[key] = unit
                check_roster_room(all_units)
        except UserError as error:
            if error.code == "name-taken" and not error.hint:
                error.hint = "Choose a different name, such as one that includes the formation."
            raise row.explain_error(error) from None
    return units


def _read_yaml(text: str) -> RosterText:
    """Return the units of a YAML list, each as often as its count says."""
    roster = RosterText()
    for row in _read_yaml_rows(text):
        roster.rows += expand_count(row, roster.notes)
    return roster


def _read_yaml_rows(text: str) -> list[RosterLine]:
    """Return the units of a YAML list, each with its name and type. Raise UserError."""
    return _rows_with(text, NEEDED)


def _rows_with(text: str, needed: Sequence[str]) -> list[RosterLine]:
    """Return the rows of a YAML list of mappings (or of one under `units`) with the columns `needed`.

    The list is read as nodes, so that each value has its place. Raise UserError.
    """
    try:
        _check_plain(text)
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        if mark is None:
            raise make_roster_error(f"YAML: {error.problem}") from None
        raise make_roster_error(str(error.problem), mark.line + 1, mark.column + 1) from None
    except (yaml.YAMLError, RecursionError):
        raise make_roster_error("This is not readable YAML") from None
    if isinstance(root, yaml.MappingNode):
        unit_nodes = [node for key, node in root.value if key.value == "units"]
        if unit_nodes:
            root = unit_nodes[0]
        elif len(root.value) == 1:
            root = root.value[0][1]
    if not isinstance(root, yaml.SequenceNode):
        raise make_roster_error(
            "a list of units was expected", 1, hint="Begin each unit with a dash."
        )
    return [_read_yaml_row(node, needed) for node in root.value]


def _check_plain(text: str) -> None:
    """Raise UserError for aliases and deep nesting, which make a small text endless work."""
    depth = 0
    for token in yaml.scan(text, Loader=_Loader):
        if isinstance(token, yaml.AliasToken):
            raise make_roster_error("A roster can't use YAML aliases")
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if depth > MAX_DEPTH:
            mark = token.start_mark
            raise make_roster_error("too deep for a list of units", mark.line + 1, mark.column + 1)


def _read_yaml_row(node: yaml.Node, needed: Sequence[str]) -> RosterLine:
    """Return one unit of a YAML list, with all its columns under their usual names.

    `needed` are the columns that it must have. Raise UserError if one of them is missing, for a
    column that is given twice or has a nested value, and for a node that is not a mapping.
    """
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.MappingNode):
        raise make_roster_error("a unit was expected, such as {name: Squad 1, type: squad}", line)
    values: dict[str, str] = {}
    places: dict[str, tuple[int, int]] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value).casefold()
        place = (value_node.start_mark.line + 1, value_node.start_mark.column + 1)
        value = _read_yaml_value(key, value_node)
        if value is None:
            raise make_roster_error(f"{key} must be a single value", *place)
        if key in values:
            raise make_roster_error(f"{key} is given twice", *place, code="given-twice")
        values[key] = value
        places[key] = place
    return _rename_columns(RosterLine(line, values, places), needed)


def _read_yaml_value(key: str, node: yaml.Node) -> str | None:
    """Return a value as it is typed: one word, a list with commas, or a reduced side.

    Return None for a nested value.
    """
    if key == REDUCED and isinstance(node, yaml.MappingNode):
        words = list[str]()
        for name_node, number_node in node.value:
            name = str(name_node.value)
            number = str(number_node.value)
            words.append(number if name == "type" else f"{name}={number}")
        return " ".join(words)
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    if not all(isinstance(item, yaml.ScalarNode) for item in items):
        return None
    return ",".join(str(item.value) for item in items)


def _rename_columns(row: RosterLine, needed: Sequence[str]) -> RosterLine:
    """Return a row with the usual names of its columns, as in sheets.

    Raise UserError if it lacks one that is `needed`.
    """
    names = rename_headings([*row.values])
    values = dict(zip(names, row.values.values(), strict=True))
    places = dict(zip(names, row.places.values(), strict=True))
    for name in needed:
        if name not in values:
            raise make_roster_error(f"{name} is missing", row.line, code="missing")
    values["name"] = remove_markup(values["name"])
    if COUNT in values:
        values[COUNT] = clean_value(COUNT, values[COUNT])
    return RosterLine(row.line, values, places)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario: its title, sides, a short text about it, its units by folded names, and its
    tracks.

    `tracks` has only values that differ from the usual start. `turns` is the number of its last
    turn, 0 if it has none; `wins` says who wins, "" if it does not. `self_played` are the sides
    that play themselves.
    """

    title: str
    sides: tuple[str, ...]
    about: str
    units: Mapping[str, RosterUnit]
    tracks: Mapping[str, Any] = field(default_factory=dict)
    turns: int = 0
    wins: str = ""
    self_played: tuple[str, ...] = ()

    @property
    def forces(self) -> str:
        """Return `US: 7 units, VC: 6 units`."""
        counts = {
            side: sum(unit.side == side for unit in self.units.values()) for side in self.sides
        }
        return ", ".join(f"{side}: {count_units(count)}" for side, count in counts.items())


def find_scenario(system: System, typed: str) -> Scenario:
    """Return the scenario with the typed name.

    Raise UserError with the nearest name, and TableError for a file with a fault.
    """
    scenarios = system.scenarios
    folded = comparison_key(typed).replace(" ", "-")
    if folded in scenarios:
        name = f"{SCENARIOS}/{folded}"
        return build_scenario(system, folded, system.read(name), system.text(name))
    hint = did_you_mean(folded, scenarios) or (f"It has {', '.join(scenarios) or 'none yet'}.")
    raise UserError(
        f'{system.title} has no scenario "{typed[:40]}".',
        hint=hint,
        option="scenario",
        code="bad-value",
    )


def build_scenario(system: System, id: str, data: Any, text: str) -> Scenario:
    """Build a scenario from its file and check it completely.

    Raise TableError that names the file and the line at fault.
    """
    file = f"{system.id}/{SCENARIOS}/{id}.yaml"
    content = whole_scenario(system, id, data)
    check_shape(content, "scenario", get_parts(content), file)
    sides = tuple(content["sides"])
    try:
        rows = _read_units(system, id, data, text)
        units = build_units(
            rows, system, lambda typed: _find_scenario_side(typed, sides), {}, started=True
        )
    except UserError as error:
        raise _build_unit_fault(file, error) from None
    try:
        tracks = read_start_values(content.get("tracks") or {}, system.tracks, sides)
    except UserError as error:
        raise TableError(file, f"{error.message} {error.hint}".strip(), row="tracks") from None
    return Scenario(
        content["title"],
        sides,
        _join_lines(content.get("about")),
        units,
        tracks,
        content.get("turns") or 0,
        _join_lines(content.get("wins")),
        _read_self_played(content.get("plays") or {}, sides, system, file),
    )


def _read_self_played(
    plays: Mapping[str, str], sides: tuple[str, ...], system: System, file: str
) -> tuple[str, ...]:
    """Return the sides that play themselves, in the order of the sides.

    Raise TableError for another side, if no side is left for players, or if the game does not say
    how a side plays itself.
    """
    if not plays:
        return ()
    check_known(plays, sides, file, PLAYS)
    if len(plays) == len(sides):
        raise TableError(file, "one side must be left for players", row=PLAYS)
    if not system.game.get(SOLO):
        problem = f"game.yaml does not say how a side plays itself: it has no {SOLO}"
        raise TableError(file, problem, row=PLAYS)
    return tuple(side for side in sides if side in plays)


def whole_scenario(system: System, id: str, data: Any) -> Any:
    """Return the content of a scenario's file, completed from the scenario that it is built on.

    Raise TableError if there is no such scenario.
    """
    file = f"{system.id}/{SCENARIOS}/{id}.yaml"
    if not isinstance(data, Mapping):
        return data
    if True in data:  # `on` is a word for yes in YAML
        raise TableError(file, f"write {ON}: {data[True]}", row="on")
    if ON not in data:
        if WITHOUT in data:
            raise TableError(file, f"only works together with {ON}", row=WITHOUT)
        return data
    check_shape(data, "scenario", get_parts(data), file)
    game = find_base_game(system, id, data[ON], file)
    return lay_over(read_base(game, data[ON], file), data)


def _read_units(system: System, id: str, data: Mapping[str, Any], text: str) -> list[RosterLine]:
    """Return the rows of a scenario's units. Raise UserError that names the line, or TableError."""
    if ON not in data:
        return read_roster(text)
    on = data[ON]
    game = find_base_game(system, id, on, f"{system.id}/{SCENARIOS}/{id}.yaml")
    base = read_roster(game.text(f"{SCENARIOS}/{on}"))
    changes = _rows_with(text, ["name"]) if data.get("units") else []
    return lay_units_over(base, changes, data.get(WITHOUT) or [], on)


def _join_lines(text: object) -> str:
    """Return the text of a key without line breaks, "" if it is missing."""
    return " ".join(str(text or "").split())


def _build_unit_fault(file: str, error: UserError) -> TableError:
    """Return the fault of the units of a scenario, with the place as other faults have it.

    A roster that somebody sends begins with the place in words, and ends with what was not done.
    """
    text = f"{error.message} {error.hint}".strip().removesuffix(_NOTHING_ADDED).rstrip()
    place = _PLACE.match(text)
    if place is None:
        return TableError(file, text, row="units")
    line, column, key = place.groups()
    parts = [file, f"line {line}", f"column {column}" if column else "", key]
    return TableError(", ".join(filter(None, parts)), text[place.end() :])


def _find_scenario_side(typed: str, sides: tuple[str, ...]) -> str:
    """Return the side as typed. Raise UserError if it is none of `sides`."""
    if typed not in sides:
        hint = f"Sides are {', '.join(sides)}."
        raise UserError(
            f'"{typed[:40]}" is not one of its sides.',
            hint=hint,
            option="side",
            code="unknown-side",
        )
    return typed
