"""Printed forms of tables for text, picture and docs: grids with heads and cells, and modifiers.

Heads and cells read as on the card. A grid also finds the cell that answers given values.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple, Self

from bot.presentation.formula_words import format_formula, format_modifier
from bot.presentation.table_words import ANY_OTHER, format_edge_key
from bot.rules.errors import TableError
from bot.rules.tables.answer_words import format_label, format_value
from bot.rules.tables.axis import Axis, build_axis, build_heading_axis
from bot.rules.tables.formula import compile_formula
from bot.rules.tables.print_pattern import CODE, fill_pattern, format_signed, is_blank
from bot.rules.tables.table import Table
from bot.ui.reply.parts import Sheet

BLANK_CELL = "\u2013"
"""The text of a cell that is empty on the card."""
EACH_CELL = "each cell"
"""The legend's words before the names of the values that a cell holds."""
_UNNAMED_EDGES = ("row", "column", "key")
_MOST_NAMES = 2
_RANGE_AND_CODE = re.compile(r"(?:[^\s:]+:)?(\S+)")
_MINUS_SIGN = re.compile(r"^-(?=\d)")


class Case(NamedTuple):
    """One case of a `pick`, a part of a table that is divided by an input: the axis of all cases,
    the input that chooses, and the position of this one.
    """

    edge: Axis
    by: str
    position: int


class CellPosition(NamedTuple):
    """The place of a cell in a grid, from 0."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class PrintedGrid:
    """One grid of a table: its heads and cells in words, and the axes that find a cell."""

    heading: str
    row_by: str
    """The input that chooses the row."""
    column_by: str
    """The input that chooses the column; "" for a list of outputs."""
    row_axis: Axis
    column_axis: Axis | None
    corner: str
    """`row_by` in words."""
    across: str
    """`column_by` in words."""
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    codes: tuple[tuple[str, ...], ...]
    """The code of each cell, or its text."""
    keys: tuple[object, ...]
    """The keys of the rows in the file."""
    cases: tuple[Case, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    """The explanations of the codes."""
    body: Mapping[str, Any] | None = None

    def list_all_rows(self) -> tuple[tuple[str, ...], ...]:
        """Return the grid as rows of text, the first with the heads of the columns."""
        lines = ((head, *cells) for head, cells in zip(self.rows, self.cells, strict=True))
        return ((self.corner, *self.columns), *lines)

    def transpose(self) -> Self:
        """Return a list of rows as a card prints it across: with its rows as columns."""
        return replace(
            self,
            row_by=self.column_by,
            column_by=self.row_by,
            row_axis=Axis({}, fallback=0),
            column_axis=self.row_axis,
            across=self.corner,
            rows=self.columns,
            columns=self.rows,
            cells=tuple(zip(*self.cells, strict=True)),
            codes=tuple(zip(*self.codes, strict=True)),
            keys=self.columns,
        )

    def is_case_of(self, values: Mapping[str, Any]) -> bool:
        """Return whether `values` choose this part of the table."""
        return all(
            find_position(case.edge, case.by, values) == case.position for case in self.cases
        )

    def find_cell(self, values: Mapping[str, Any]) -> CellPosition | None:
        """Return the row and column that answer `values`; None if they are not in this grid."""
        if not self.is_case_of(values):
            return None
        row = find_position(self.row_axis, self.row_by, values)
        column: int | None = 0
        if self.column_axis is not None:
            column = find_position(self.column_axis, self.column_by, values)
        if row is None or column is None:
            return None
        return CellPosition(row, column)


class PrintedTable(NamedTuple):
    """A table in the words of its game: its grids, and all its parts with their headings.

    `sheets` is empty for a table that is a rule in words; `legend` explains the codes.
    """

    grids: tuple[PrintedGrid, ...]
    sheets: tuple[Sheet, ...]
    legend: tuple[tuple[str, str], ...]


@lru_cache(300)
def get_printed_table(table: Table) -> PrintedTable:
    """Return the printed form of a table. It is built once."""
    printer = _Printer(table)
    body = table.printed.get("read")
    grids = tuple(printer.build_grids(body, (), ()))
    sheets = [printer.build_modifier_sheet()] if table.printed.get("rows") else []
    sheets += [Sheet(grid.heading, grid.list_all_rows()) for grid in grids]
    legend = {code: meaning for grid in grids for code, meaning in grid.legend}
    return PrintedTable(grids, tuple(sheets), tuple(legend.items()))


class _Printer:
    """A builder of the printed parts of one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.words = table.words
        self.results: Mapping[Any, Any] = table.printed.get("results") or {}
        self.derived: Mapping[str, Any] = table.printed.get("derive") or {}

    def format_value(self, value: object) -> str:
        return format_value(value, self.words)

    def build_grids(
        self, body: object, heading: tuple[str, ...], cases: tuple[Case, ...]
    ) -> Iterator[PrintedGrid]:
        """Yield the grids of a part of the file: one, several, or one for each case. None for a
        part that is no grid.

        `heading` are the headings around the part, and `cases` those in which it counts.
        """
        if isinstance(body, list):
            for part in body:
                yield from self.build_grids(part, heading, cases)
        if not isinstance(body, Mapping):
            return
        if "heading" in body:
            heading = (*heading, str(body["heading"]))
        if "pick" in body:
            yield from self._build_case_grids(body, heading, cases)
        elif "always" in body:
            yield self._build_constant_grid(body, ", ".join(heading), cases)
        elif {"rows", "cells"} <= body.keys():
            grid = self._build_grid(body, ", ".join(heading), cases)
            if grid is not None:
                yield grid

    def _build_case_grids(
        self, body: Mapping[str, Any], heading: tuple[str, ...], cases: tuple[Case, ...]
    ) -> Iterator[PrintedGrid]:
        """Yield the grids of each case of a part that an input chooses from. A case without a
        heading of its own is headed by its key.
        """
        choosing_input = str(body["by"])
        edge = build_row_axis(self.table, list(body["pick"]), choosing_input, body)
        for position, (key, part) in enumerate(body["pick"].items()):
            case = Case(edge, choosing_input, position)
            case_heading = heading
            if not (isinstance(part, Mapping) and "heading" in part):
                case_heading = (*heading, self._format_case(body, key))
            yield from self.build_grids(part, case_heading, (*cases, case))

    def _format_case(self, body: Mapping[str, Any], key: object) -> str:
        """Return the heading of a case: `low ammo: yes`, or the key if it is clear by itself."""
        text = self._format_edge_key(body, key)
        name = self.format_edge_name(body["by"])
        if not name:
            name = format_formula(str(body["by"]), self.format_value)
        is_bare = isinstance(key, bool) or key in ANY_OTHER or text[:1].isdigit()
        return f"{name}: {text}" if is_bare else text

    def _build_constant_grid(
        self, body: Mapping[str, Any], heading: str, cases: tuple[Case, ...]
    ) -> PrintedGrid:
        """Return the grid of a part whose result is constant: a column `always`, with a row for
        each output (a single value is the output `result`). `cases` are the cases in which the part
        counts.
        """
        meaning = self._get_cell_meaning(body["always"])
        values = meaning if isinstance(meaning, Mapping) else {"result": meaning}
        values = {name: value for name, value in values.items() if value is not None}
        cells = tuple((self.format_value(value),) for value in values.values())
        return PrintedGrid(
            heading=_capitalize_first(heading),
            row_by="",
            column_by="",
            row_axis=Axis({}, fallback=0 if len(values) == 1 else None),
            column_axis=None,
            corner="",
            across="",
            rows=tuple(self._format_output_name(name) for name in values),
            columns=("always",),
            cells=cells,
            codes=cells,
            keys=(*values,),
            cases=cases,
        )

    def _build_grid(
        self, body: Mapping[str, Any], heading: str, cases: tuple[Case, ...]
    ) -> PrintedGrid | None:
        """Return a part of the file as a grid, printed across if the file says so. `cases` are the
        cases in which the part counts.

        If no columns are declared and each row has one value, its column is headed `result`, unless
        that value has a name. None without columns, or if some row does not fit them.
        """
        cells = body["cells"]
        spec = body.get("columns") or {}
        rows = [print_row(self.table, body, key, cells[key], self.format_value) for key in cells]
        columns = self._list_column_heads(body)
        if not spec and all(len(row) == 1 for row in rows):
            columns = columns if len(columns) == 1 else ["result"]
        if not columns or any(len(row) != len(columns) for row in rows):
            return None
        keys = tuple(cells)
        row_by = str(body["rows"])
        column_by = str(spec.get("by", ""))
        codes = [
            self._list_cell_codes(cells[key], row) for key, row in zip(keys, rows, strict=True)
        ]
        grid = PrintedGrid(
            heading=_capitalize_first(heading),
            row_by=row_by,
            column_by=column_by,
            row_axis=build_row_axis(self.table, list(keys), row_by, body),
            column_axis=build_column_axis(self.table, body) if spec else None,
            corner=self.format_edge_name(row_by),
            across=self.format_edge_name(column_by),
            rows=tuple(self._format_edge_key(body, key) for key in keys),
            columns=tuple(columns),
            cells=tuple(rows),
            codes=tuple(codes),
            keys=keys,
            cases=cases,
            legend=self._build_legend(body),
            body=body,
        )
        return grid.transpose() if body.get("across") else grid

    def _list_column_heads(self, body: Mapping[str, Any]) -> list[str]:
        """Return the heads of the columns in a part of the file."""
        spec = body.get("columns")
        if spec:
            heads = next((spec[key] for key in ("heads", "from", "to") if key in spec), ())
            return [self._format_column_head(body, spec.get("by", ""), head) for head in heads]
        if "shows" in body:
            return [str(head) for head in body["shows"]]
        return [self._format_output_name(name) for name in list_cell_names(self.table, body)]

    def _format_edge_key(self, body: Mapping[str, Any], key: object) -> str:
        """Return the head of a row, column or case: from `names` of the part, else its key in
        words.
        """
        name = _get_head_name(body, key)
        return format_edge_key(key, self.format_value) if name is None else name

    def _format_column_head(self, body: Mapping[str, Any], by: object, head: object) -> str:
        """Return the head of a column; a yes or no has its question before it: `can see: yes`."""
        text = self._format_edge_key(body, head)
        is_answer = isinstance(head, bool) and _get_head_name(body, head) is None
        if is_answer and str(by).isidentifier():
            return f"{self.format_value(by)}: {text}"
        return text

    def _format_output_name(self, name: str) -> str:
        """Return the head of a column that holds an output, or an internal value of the card."""
        return self.words.get(f"output {name}") or self.format_edge_name(name)

    def format_edge_name(self, by: object) -> str:
        """Return the name of the input for rows or columns in words; "" for a formula.

        A derived value without a telling name, such as `column`, is named by the inputs that it is
        computed from.
        """
        text = str(by)
        rule = self.derived.get(text)
        if rule is not None and (text.startswith("_") or text in _UNNAMED_EDGES):
            names = list_formula_names(rule)
            inputs = [option.name for option in self.table.inputs if option.name in names]
            if len(inputs) <= _MOST_NAMES:
                return ", ".join(map(self.format_value, inputs))
            return self.format_value(text)
        return self.format_value(text) if re.fullmatch(r"\w+", text) else ""

    def _get_cell_meaning(self, cell: Any) -> Any:
        """Return what the code in a cell stands for; the cell itself if it is no code."""
        is_code = isinstance(cell, str | int) and not isinstance(cell, bool)
        return self.results[cell] if is_code and cell in self.results else cell

    def _list_cell_codes(self, cells: Any, row: tuple[str, ...]) -> tuple[str, ...]:
        """Return the code of each cell of a row, or its text if it has no code."""
        raw = cells if isinstance(cells, list) and len(cells) == len(row) else [cells]
        if len(raw) != len(row):
            return row
        return tuple(
            _get_cell_code(cell) if isinstance(cell, str | int) and cell in self.results else text
            for cell, text in zip(raw, row, strict=True)
        )

    def _build_legend(self, body: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
        """Return the meanings of the codes in cells, and the names of values that share a cell."""
        names = list_cell_names(self.table, body)
        legend: dict[str, str] = {}
        cells: list[Any] = []
        for row in body["cells"].values():
            cells += row if isinstance(row, list) else [row]
        has_pairs = bool(body.get("columns")) and any(isinstance(cell, list) for cell in cells)
        if has_pairs and len(names) > 1 and "print" not in body:
            outputs = [self._find_output_name(name) for name in names]
            legend[EACH_CELL] = ", ".join(map(self._format_output_name, outputs))
        for cell in cells:
            codes = _RANGE_AND_CODE.findall(cell) if "bands" in body else [cell]
            for code in codes:
                is_code = isinstance(code, str | int) and code in self.results
                if is_code and str(code) not in ("-", "") and not _is_nothing(self.results[code]):
                    meaning = self.format_meaning(self.results[code])
                    if meaning and meaning.casefold() != str(code).casefold():
                        legend.setdefault(_get_cell_code(code), meaning)
        return tuple(legend.items())

    def format_meaning(self, value: Any) -> str:
        """Return the meaning of a cell's code in words: `MC 1, shaken`; "" if its outputs say nothing."""
        if not isinstance(value, Mapping):
            return BLANK_CELL if value is None else self.format_value(value)
        pieces = []
        for name, item in value.items():
            if item is None or item is False or item == "none" or name.startswith("_"):
                continue
            head = format_label(name, self.words, self.format_value)
            text = self.format_value(item)
            if item is True:
                pieces.append(head)
            elif name == "result":
                pieces.append(text)
            else:
                pieces.append(f"{head} {text}")
        if not pieces and "result" in value:
            return "no effect"
        return ", ".join(pieces)

    def _find_output_name(self, name: str) -> str:
        """Return the output computed from an internal value of the card; other names unchanged."""
        if not name.startswith("_"):
            return name
        formulas: dict[str, Any] = {**self.derived, **(self.table.printed.get("then") or {})}
        for output, rule in formulas.items():
            if name in list_formula_names(rule):
                return output
        return name

    def build_modifier_sheet(self) -> Sheet:
        """Return the modifiers of the table with what each adds to each total."""
        rows = self.table.printed["rows"]
        totals = list(dict.fromkeys(total for row in rows for total in row.get("adds") or {}))
        heads = ["adds"]
        if len(totals) > 1:
            heads = [format_label(total, self.words, self.format_value) for total in totals]
        say_formula = partial(format_modifier, say=self.format_value)
        lines = []
        for row in rows:
            name = str(row.get("name") or row["id"])
            cells = [print_modifier(row, total, say_formula) for total in totals]
            lines.append((name, *cells))
        return Sheet("", (("modifier", *heads), *lines))


def _get_head_name(body: Mapping[str, Any], key: object) -> str | None:
    """Return the name that `names` of the part gives a row or column, or None. 1 and yes are
    different keys.
    """
    names = body.get("names") or {}
    for named_key, name in names.items():
        if named_key == key and type(named_key) is type(key):
            return str(name)
    return None


def _capitalize_first(heading: str) -> str:
    return heading[:1].upper() + heading[1:]


def _is_nothing(value: object) -> bool:
    """Return whether a code stands for missing values alone: a P for a prohibited move."""
    return isinstance(value, Mapping) and all(item is None for item in value.values())


def _get_cell_code(cell: object) -> str:
    return BLANK_CELL if cell == "-" else _MINUS_SIGN.sub("\u2212", str(cell))


def list_formula_names(rule: object) -> set[str]:
    """Return the names that a formula uses."""
    return set(re.findall(r"[A-Za-z_]\w*", str(rule)))


def find_position(edge: Axis, by: object, values: Mapping[str, Any]) -> int | None:
    """Return the row or column of `edge` for these values; None if there is none.

    `values` are those that the table worked with; an input takes precedence over an output of the
    same name. `by` is a name or a formula; without one `edge` has the same position for all values.
    """
    name = str(by)
    if name in values:
        return edge.find(values[name])
    if not name:
        return edge.fallback
    try:
        formula = compile_formula(name, set(values), "")
    except TableError:  # an input of the formula was not given
        return None
    return edge.find(formula(values))


def build_row_axis(
    table: Table, keys: Sequence[object], by: object, body: Mapping[str, Any]
) -> Axis:
    """Return the axis of printed rows, or of the cases of a `pick`, as the table itself reads them.

    If the keys cannot be read, the axis finds nothing.
    """
    return _build_edge_axis(table, keys, by, is_clamped=body.get("off_card") in ("clamp", "rows"))


def build_column_axis(table: Table, body: Mapping[str, Any]) -> Axis:
    """Return the axis of the printed columns of `body`, as the table itself reads them."""
    spec = body["columns"]
    is_clamped = body.get("off_card") in ("clamp", "columns")
    for meaning in ("from", "to"):
        if meaning in spec:
            return build_heading_axis(list(spec[meaning]), meaning=meaning, clamp=is_clamped)
    return _build_edge_axis(table, spec["heads"], spec["by"], is_clamped=is_clamped)


def list_cell_names(table: Table, body: Mapping[str, Any]) -> list[str]:
    """Return the names of the values that a cell of `body` holds, in the order of the cell."""
    gives = body.get("gives")
    if gives is None:
        data = table.printed
        computed = {"text", "parts", *(data.get("derive") or {}), *(data.get("then") or {})}
        gives = [name for name in table.outputs if name not in computed]
    return [gives] if isinstance(gives, str) else list(gives)


def print_cell(
    table: Table,
    body: Mapping[str, Any],
    position: tuple[object, int],
    cell: object,
    say: Callable[[object], str],
) -> str:
    """Return a cell as its card prints it: all its values, in the order and spelling of the card.

    `position` is the key of its row and the number of its column; `say` formats one value.
    """
    if cell == "-" and "-" in (table.printed.get("results") or {}):
        return BLANK_CELL
    code = cell
    cell = _get_code_meaning(table, cell)
    names = list_cell_names(table, body)
    row, column = position
    pattern = _get_row_pattern(body.get("print"), row)
    if isinstance(pattern, list):
        pattern = pattern[column]
    if pattern is not None:
        values = cell if isinstance(cell, list) and len(names) > 1 else [cell]
        bindings = {CODE: code, **dict(zip(names, values, strict=True))}
        return fill_pattern(pattern, bindings, say) or BLANK_CELL
    if isinstance(cell, list) and len(names) == 1:
        return fill_pattern("{cell}", {"cell": cell}, say)
    if isinstance(cell, list):
        return " / ".join(BLANK_CELL if is_blank(item) else say(item) for item in cell)
    return BLANK_CELL if cell is None else say(cell)


def print_row(
    table: Table,
    body: Mapping[str, Any],
    key: object,
    row: Any,
    say: Callable[[object], str],
) -> tuple[str, ...]:
    """Return the printed cells of a row; of a list one cell for each value of the row."""
    if body.get("columns"):
        return tuple(
            print_cell(table, body, (key, column), cell, say) for column, cell in enumerate(row)
        )
    if "shows" in body:
        names = list_cell_names(table, body)
        values = dict(zip(names, row if len(names) > 1 else [row], strict=True))
        patterns = [_get_row_pattern(pattern, key) for pattern in body["shows"].values()]
        return tuple(fill_pattern(str(pattern), values, say) or BLANK_CELL for pattern in patterns)
    if isinstance(row, list) and len(list_cell_names(table, body)) > 1:
        return tuple(BLANK_CELL if item is None or item == "" else say(item) for item in row)
    return (print_cell(table, body, (key, 0), row, say),)


def _get_row_pattern(pattern: object, key: object) -> Any:
    """Return the pattern for a row. A pattern that is not given by rows is for all of them."""
    return pattern.get(key, pattern.get("*")) if isinstance(pattern, Mapping) else pattern


def print_modifier(row: Mapping[str, Any], total: str, say_formula: Callable[[str], str]) -> str:
    """Return what a modifier adds to `total` as the card prints it; "" if it adds nothing.

    `say_formula` formats a formula if the row has no `shown`.
    """
    adds = row.get("adds") or {}
    printed = row.get("shown", {})
    if isinstance(printed, str):
        printed = dict.fromkeys(adds, printed)
    if total in printed:
        return re.sub(r"(?<![\w\u2013])-(?=\d)|^-(?= )", "\u2212", printed[total])
    value = adds.get(total)
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format_signed(value)
    return say_formula(str(value).strip())


def _get_code_meaning(table: Table, cell: object) -> object:
    """Return the meaning of a cell's code if that is a single value, else the cell."""
    if not isinstance(cell, str | int):
        return cell
    meaning = (table.printed.get("results") or {}).get(cell)
    is_single = isinstance(meaning, str | int) and not isinstance(meaning, bool)
    return meaning if is_single else cell


def list_option_words(table: Table, by: object) -> tuple[object, ...]:
    """Return the words that the input or output `by` of the table can be; () for a number, and for
    a name that the table lacks.
    """
    option = next((option for option in table.inputs if option.name == by), None)
    words = option.values if option is not None else table.outputs.get(str(by))
    return words if isinstance(words, tuple) else ()


def _build_edge_axis(table: Table, keys: Sequence[object], by: object, *, is_clamped: bool) -> Axis:
    """Return the axis of these keys for the input or output `by`; one that finds nothing if the
    keys cannot be read. `is_clamped`: a value beyond the last key counts as that key.
    """
    option = next((option for option in table.inputs if option.name == by), None)
    is_decimal = option is not None and option.type == "number"
    words = list_option_words(table, by)
    try:
        return build_axis(keys, "", decimal=is_decimal, clamp=is_clamped, words=words)
    except TableError:
        return Axis({})
