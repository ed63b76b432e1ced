"""A printed table as blocks of words in rows and columns, and where its answer is: what a
picture is drawn from.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from bot.charts.font import replace_missing_letters
from bot.presentation.formula_words import format_formula
from bot.presentation.printed_table import BLANK_CELL, PrintedGrid, get_printed_table
from bot.presentation.tables import build_lookup_reply
from bot.rules.tables.answer_words import format_value
from bot.rules.tables.print_pattern import format_signed
from bot.rules.tables.table import Answer, Table

SHORT, SHORTEST, FEW, MANY = 9, 6, 5, 8
"""Cells of so few letters are said in words (in MANY columns: fewer); in few columns, longer ones,
too. Others are codes with a legend."""
ALIKE = 4
"""So many codes that differ in a number alone are explained by the first of them."""
ROW = -1
"""The column of a hit that is a whole row."""
_MOST_COLUMNS_BEFORE_TEXT = 2


@dataclass(frozen=True, slots=True)
class Block:
    """Rows and columns of words. `corner` is what the rows go by, `across` the columns, where they
    go by something.

    `hit` is the row and column that answer; with ROW as the column, all of that row. `counts` are
    further rows that count (modifiers).
    """

    heading: str
    corner: str
    across: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    hit: tuple[int, int] | None = None
    counts: tuple[int, ...] = ()

    @property
    def grid(self) -> list[list[str]]:
        """All cells with their heads, in letters that can be drawn."""
        rows = [(head, *row) for head, row in zip(self.rows, self.cells, strict=True)]
        return [
            [replace_missing_letters(text) for text in row]
            for row in ((self.corner, *self.columns), *rows)
        ]

    def cut_columns(self, first: int, last: int) -> Self:
        """Some of its columns."""
        hit = self.hit and (self.hit[0], self.hit[1] - first if self.hit[1] != ROW else ROW)
        cells = tuple(row[first:last] for row in self.cells)
        return replace(self, columns=self.columns[first:last], cells=cells, hit=hit)

    def describe_answer_position(self) -> str:
        """Where its answer is, in words; "" without one."""
        if self.hit is None:
            return ""
        row, column = self.hit
        head = f"{self.corner} {self.rows[row]}".strip()
        if column == ROW or len(self.columns) == 1:
            return f"Marked: row {head}."
        across = f"{self.across} {self.columns[column]}".strip()
        return f"Marked: row {head}, column {across}: {self.cells[row][column]}."

    def describe_rows(self) -> Iterator[str]:
        """Its rows in words."""
        for at, (head, cells) in enumerate(zip(self.rows, self.cells, strict=True)):
            named = cells
            if len(cells) > 1:
                named = tuple(
                    f"{name} {cell}" for name, cell in zip(self.columns, cells, strict=True)
                )
            yield f"{f'{self.heading}: ' if self.heading and not at else ''}{head}: {', '.join(named)}."


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table as it is drawn: its blocks, what its codes mean, and the answer in words (`news`,
    `asked`, `text`).
    """

    title: str
    game: str
    source: str
    blocks: tuple[Block, ...]
    legend: tuple[tuple[str, str], ...] = ()
    news: str = ""
    asked: str = ""
    text: str = ""
    doubts: tuple[str, ...] = ()

    def describe(self) -> list[str]:
        """In words what it is, its answer and where that is."""
        news = f"{self.news}{f' ({self.asked})' if self.asked else ''}." if self.news else ""
        return [
            f"{self.title}.",
            *filter(None, (news, *(block.describe_answer_position() for block in self.blocks))),
        ]


def build_layout(table: Table, given: Mapping[str, object] | None = None) -> TableLayout:
    """The whole table; with `given` inputs the part that answers them, and where.

    Raises UserError for inputs that the table refuses.
    """
    sheet = TableLayout(table.title, table.game or table.system, table.source, ())
    if given is None:
        maker = _LayoutBuilder(table, None)
        return replace(
            sheet,
            blocks=(*maker.build_blocks(), *maker.build_sentence_blocks()),
            legend=maker.list_code_meanings(),
            doubts=tuple(doubt.text for doubt in table.unsure),
        )
    answer, values = table.answer_with_values(given)
    reply = build_lookup_reply(table, given, answer)
    maker = _LayoutBuilder(table, values, answer)
    blocks = maker.build_blocks()
    news = reply.title if len(reply.title) <= 90 else ""
    asked = (
        reply.by[len(table.title) :].lstrip(", ")
        if reply.by.casefold().startswith(table.title.casefold())
        else ""
    )
    return replace(
        sheet,
        blocks=blocks,
        legend=maker.list_code_meanings(),
        news=news,
        asked=asked,
        text="" if maker.texts_shown or answer.text == news else answer.text,
        doubts=tuple(doubt.text for doubt in table.unsure if doubt.concerns(values)),
    )


class _LayoutBuilder:
    """One table on its way to blocks, with the values behind its answer, if there is one."""

    def __init__(
        self, table: Table, values: Mapping[str, Any] | None, answer: Answer | None = None
    ) -> None:
        self.table = table
        self.values = values
        self.answer = answer
        self.data = table.printed
        self.words = table.words
        self.formulas: Mapping[str, Any] = {
            **(self.data.get("derive") or {}),
            **(self.data.get("then") or {}),
        }
        self.legend: dict[str, str] = {}
        self.texts_shown = False

    def build_blocks(self) -> tuple[Block, ...]:
        """Return the table's own rows and columns; its rules if it has no others."""
        blocks = [self._build_modifier_block()] if self.table.modifiers else []
        for grid in get_printed_table(self.table).grids:
            if self.values is None or grid.is_case_of(self.values):
                blocks.append(self._build_block(grid))
        return tuple(blocks) or (self._build_rule_block(),)

    def build_sentence_blocks(self) -> tuple[Block, ...]:
        """What the table says in sentences, where these are not beside its rows."""
        if self.texts_shown or not self.table.texts:
            return ()
        rows = tuple(self.format_value(key) for key in self.table.texts)
        return (
            Block(
                "",
                "what is said",
                "",
                ("text",),
                rows,
                tuple((text,) for text in self.table.texts.values()),
            ),
        )

    def list_code_meanings(self) -> tuple[tuple[str, str], ...]:
        """What the codes mean; of many that differ in their number alone, the first."""
        kinds: dict[str, list[str]] = {}
        for code in self.legend:
            kinds.setdefault(re.sub(r"\d+", "#", code), []).append(code)
        told = []
        for codes in kinds.values():
            many = len(codes) >= ALIKE
            told += [
                (code, self.legend[code] + (", and so on" if many else ""))
                for code in codes[: 1 if many else None]
            ]
        return tuple(told)

    def format_value(self, value: object) -> str:
        """A value in words."""
        return format_value(value, self.words)

    def _build_block(self, grid: PrintedGrid) -> Block:
        """Return a printed grid as it is drawn, long words as codes with a legend."""
        is_coded = _needs_codes(grid)
        cells = grid.codes if is_coded else grid.cells
        legend = dict(grid.legend)
        if is_coded:
            for codes, row in zip(grid.codes, grid.cells, strict=True):
                legend |= {
                    code: text
                    for code, text in zip(codes, row, strict=True)
                    if code.casefold() != text.casefold()
                }
        self.legend |= legend
        columns = grid.columns
        texts: list[str] = []
        if grid.column_axis is None and len(columns) <= _MOST_COLUMNS_BEFORE_TEXT:
            texts = self._list_row_sentences(grid.row_by, grid.keys)
        if texts:
            columns = (*columns, "text")
            cells = tuple((*row, text) for row, text in zip(cells, texts, strict=True))
        hit = None if self.values is None else grid.find_cell(self.values)
        if hit is not None and grid.column_axis is None and len(columns) > 1:
            hit = (hit[0], ROW)
        return Block(grid.heading, grid.corner, grid.across, columns, grid.rows, cells, hit)

    def _list_row_sentences(self, by: object, keys: Sequence[object]) -> list[str]:
        """The sentence of each row, where sentences go by the rows."""
        said_by = self.data.get("text_by")
        said_by = said_by[0] if isinstance(said_by, list) and len(said_by) == 1 else said_by
        found = [self.table.texts.get(str(key), "") for key in keys]
        if not any(found) or (said_by != by and sum(map(bool, found)) < len(keys)):
            return []
        self.texts_shown = True
        return found

    # -- modifiers and rules ------------------------------------------------------------------------------

    def _build_modifier_block(self) -> Block:
        rows = self.data["rows"]
        (_, *heads), *lines = get_printed_table(self.table).sheets[0].rows
        cells = [list(line[1:]) for line in lines]
        counts: tuple[int, ...] = ()
        if self.answer is not None:
            heads.append("counts")
            worth = {
                row["id"]: [part for part in self.answer.parts if part.id == row["id"]]
                for row in rows
            }
            for row, line in zip(rows, cells, strict=True):
                line.append(", ".join(format_signed(part.value) for part in worth[row["id"]]))
            counts = tuple(at for at, row in enumerate(rows) if worth[row["id"]])
        names = tuple(str(row["name"]) for row in rows)
        return Block(
            "", "modifier", "", tuple(heads), names, tuple(map(tuple, cells)), None, counts
        )

    def _build_rule_block(self) -> Block:
        """A table that only calculates: each value and how it comes about."""
        rules = {
            name: rule for name, rule in self.formulas.items() if not name.startswith("_")
        } or self.formulas
        cells = [[format_formula(str(rule), self.format_value)] for rule in rules.values()]
        heads = ["how it is found"]
        if self.values is not None:
            heads.append("here")
            for name, line in zip(rules, cells, strict=True):
                value = self.values.get(name)
                line.append(BLANK_CELL if value is None else self.format_value(value))
        return Block(
            "",
            "value",
            "",
            tuple(heads),
            tuple(map(self.format_value, rules)),
            tuple(map(tuple, cells)),
            None,
        )


def _needs_codes(grid: PrintedGrid) -> bool:
    """Return whether the cells of a grid are too long for its columns and have codes."""
    if grid.column_axis is None or grid.codes == grid.cells:
        return False
    longest = max(len(text) for row in grid.cells for text in row)
    limit = SHORTEST if len(grid.columns) >= MANY else SHORT
    return len(grid.columns) > FEW and longest > limit
