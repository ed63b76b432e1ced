"""The layout of a printed table for its picture: blocks of words in rows and columns, with the
position of the answer.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from bot.charts.font import replace_missing_letters
from bot.presentation.formula_words import format_formula
from bot.presentation.printed_table import BLANK_CELL, CellPosition, PrintedGrid, get_printed_table
from bot.presentation.tables import build_lookup_reply
from bot.rules.tables.answer_words import format_value
from bot.rules.tables.print_pattern import format_signed
from bot.rules.tables.table import Answer, Table

SHORT, SHORTEST, FEW, MANY = 9, 6, 5, 8
"""Limits for words in cells. Longer words become codes with a legend.

In up to FEW columns, words of any length are fine. In more columns a word has at most SHORT letters,
from MANY columns at most SHORTEST.
"""
ALIKE = 4
"""Codes that differ only in a number, from which the legend explains only the first of them."""
ROW = -1
"""The column of a hit that is a whole row."""
MOST_NEWS = 90
"""Letters of the longest result that a picture shows above its table."""
_MOST_COLUMNS_BEFORE_TEXT = 2


@dataclass(frozen=True, slots=True)
class Block:
    """Rows and columns of words."""

    heading: str
    corner: str
    """What the rows stand for."""
    across: str
    """What the columns stand for, or ""."""
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    hit: CellPosition | None = None
    """The answer. Its column is ROW if the whole row answers."""
    counts: tuple[int, ...] = ()
    """The rows of modifiers that count."""

    @property
    def grid(self) -> list[list[str]]:
        """All cells with the heads of rows and columns, in letters of the font."""
        rows = [(self.corner, *self.columns)]
        for head, cells in zip(self.rows, self.cells, strict=True):
            rows.append((head, *cells))
        return [[replace_missing_letters(text) for text in row] for row in rows]

    def cut_columns(self, start: int, stop: int) -> Self:
        """Return the block with its columns from `start` up to, but without, `stop`."""
        hit = self.hit
        if hit is not None and hit.column != ROW:
            hit = hit._replace(column=hit.column - start)
        cells = tuple(row[start:stop] for row in self.cells)
        return replace(self, columns=self.columns[start:stop], cells=cells, hit=hit)

    def describe_answer_position(self) -> str:
        """Describe where the answer is in a sentence; "" if there is none."""
        if self.hit is None:
            return ""
        row, column = self.hit
        head = f"{self.corner} {self.rows[row]}".removeprefix("row ").strip()
        if column == ROW or len(self.columns) == 1:
            return f"Marked: row {head}."
        across = f"{self.across} {self.columns[column]}".strip()
        return f"Marked: row {head}, column {across}: {self.cells[row][column]}."

    def describe_rows(self) -> Iterator[str]:
        """Yield each row as a sentence. The heading of the block precedes the first row."""
        for index, (head, cells) in enumerate(zip(self.rows, self.cells, strict=True)):
            words = cells
            if len(cells) > 1:
                words = tuple(
                    f"{name} {cell}" for name, cell in zip(self.columns, cells, strict=True)
                )
            sentence = f"{head}: {', '.join(words)}."
            if self.heading and index == 0:
                sentence = f"{self.heading}: {sentence}"
            yield sentence


@dataclass(frozen=True, slots=True)
class TableLayout:
    """The layout of a table: its blocks, the meanings of its codes, and the answer in words.

    `news` is the result, `inputs` are the inputs of the look-up, and `text` is a sentence of the
    table.
    """

    title: str
    game: str
    source: str
    blocks: tuple[Block, ...]
    legend: tuple[tuple[str, str], ...] = ()
    news: str = ""
    inputs: str = ""
    text: str = ""
    doubts: tuple[str, ...] = ()

    def describe(self) -> list[str]:
        """Describe the table in sentences: its title, its answer and the position of the answer."""
        sentences = [f"{self.title}."]
        if self.news:
            inputs = f" ({self.inputs})" if self.inputs else ""
            sentences.append(f"{self.news}{inputs}.")
        for block in self.blocks:
            position = block.describe_answer_position()
            if position:
                sentences.append(position)
        return sentences


def build_layout(table: Table, given: Mapping[str, object] | None = None) -> TableLayout:
    """Build the layout of a whole table, or of the part that answers the `given` inputs.

    Raises UserError for inputs that the table refuses.
    """
    layout = TableLayout(table.title, table.game or table.system, table.source, ())
    if given is None:
        builder = _LayoutBuilder(table, None)
        return replace(
            layout,
            blocks=(*builder.build_blocks(), *builder.build_sentence_blocks()),
            legend=builder.list_code_meanings(),
            doubts=tuple(doubt.text for doubt in table.unsure),
        )
    answer, values = table.answer_with_values(given)
    reply = build_lookup_reply(table, given, answer)
    builder = _LayoutBuilder(table, values, answer)
    blocks = builder.build_blocks()
    news = reply.title if len(reply.title) <= MOST_NEWS else ""
    inputs = ""
    if reply.by.casefold().startswith(table.title.casefold()):
        inputs = reply.by[len(table.title) :].lstrip(", ")
    return replace(
        layout,
        blocks=blocks,
        legend=builder.list_code_meanings(),
        news=news,
        inputs=inputs,
        text="" if builder.has_sentences or answer.text == news else answer.text,
        doubts=tuple(doubt.text for doubt in table.unsure if doubt.concerns(values)),
    )


class _LayoutBuilder:
    """Builds the blocks and the legend of one table.

    `values` are the values that led to the `answer`; both are None for a whole table.
    """

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
        self.has_sentences = False

    def build_blocks(self) -> tuple[Block, ...]:
        """Build the rows and columns of the table, or its formulas if it has no rows."""
        blocks = [self._build_modifier_block()] if self.table.modifiers else []
        for grid in get_printed_table(self.table).grids:
            if self.values is None or grid.is_case_of(self.values):
                blocks.append(self._build_block(grid))
        return tuple(blocks) or (self._build_rule_block(),)

    def build_sentence_blocks(self) -> tuple[Block, ...]:
        """Build a block with the sentences of the table; () if it has none, or if they are in its
        rows already.
        """
        if self.has_sentences or not self.table.texts:
            return ()
        rows = tuple(self.format_value(key) for key in self.table.texts)
        cells = tuple((text,) for text in self.table.texts.values())
        return (Block("", "in short", "", ("in full",), rows, cells),)

    def list_code_meanings(self) -> tuple[tuple[str, str], ...]:
        """List (code, meaning). Of ALIKE or more codes that differ only in a number, only the first
        is listed, and its meaning ends with `and so on`.
        """
        codes_by_pattern: dict[str, list[str]] = {}
        for code in self.legend:
            codes_by_pattern.setdefault(re.sub(r"\d+", "#", code), []).append(code)
        meanings = []
        for codes in codes_by_pattern.values():
            if len(codes) >= ALIKE:
                meanings.append((codes[0], f"{self.legend[codes[0]]}, and so on"))
            else:
                meanings += [(code, self.legend[code]) for code in codes]
        return tuple(meanings)

    def format_value(self, value: object) -> str:
        """Format a value in the words of the table."""
        return format_value(value, self.words)

    def _build_block(self, grid: PrintedGrid) -> Block:
        """Build the block of a printed grid, with codes and a legend in place of long words."""
        self.legend |= grid.legend
        cells = grid.cells
        if _needs_codes(grid):
            cells = grid.codes
            self.legend |= _list_codes(grid)
        columns = grid.columns
        if grid.column_axis is None and len(columns) <= _MOST_COLUMNS_BEFORE_TEXT:
            sentences = self._list_row_sentences(grid.row_by, grid.keys)
            if sentences:
                columns = (*columns, "text")
                cells = tuple((*row, text) for row, text in zip(cells, sentences, strict=True))
        hit = None if self.values is None else grid.find_cell(self.values)
        if hit is not None and grid.column_axis is None and len(columns) > 1:
            hit = hit._replace(column=ROW)
        return Block(grid.heading, grid.corner, grid.across, columns, grid.rows, cells, hit)

    def _list_row_sentences(self, row_by: object, keys: Sequence[object]) -> list[str]:
        """List the sentence of each row, and note that there are sentences; [] if they do not go
        with the rows.

        They do if some row has one and they are chosen by `row_by`, the input of the rows, or if
        all rows have one. `keys` are the values of the rows.
        """
        text_by = self.data.get("text_by")
        if isinstance(text_by, list) and len(text_by) == 1:
            text_by = text_by[0]
        sentences = [self.table.texts.get(str(key), "") for key in keys]
        if not any(sentences):
            return []
        if text_by != row_by and not all(sentences):
            return []
        self.has_sentences = True
        return sentences

    # -- modifiers and rules ------------------------------------------------------------------------------

    def _build_modifier_block(self) -> Block:
        """Build the list of modifiers; with an answer, also how much each of them counts."""
        rows = self.data["rows"]
        (_, *heads), *lines = get_printed_table(self.table).sheets[0].rows
        cells = [list(line[1:]) for line in lines]
        counts: tuple[int, ...] = ()
        if self.answer is not None:
            heads.append("counts")
            values_by_id: dict[str, list[str]] = {row["id"]: [] for row in rows}
            for part in self.answer.parts:
                if part.id in values_by_id:
                    values_by_id[part.id].append(format_signed(part.value))
            for row, line in zip(rows, cells, strict=True):
                line.append(", ".join(values_by_id[row["id"]]))
            counts = tuple(index for index, row in enumerate(rows) if values_by_id[row["id"]])
        names = tuple(str(row["name"]) for row in rows)
        body = tuple(map(tuple, cells))
        return Block("", "modifier", "", tuple(heads), names, body, None, counts)

    def _build_rule_block(self) -> Block:
        """Build the list of formulas of a table without rows; with an answer, also their values."""
        public = {
            name: formula for name, formula in self.formulas.items() if not name.startswith("_")
        }
        formulas = public or self.formulas
        heads = ["how it is worked out"]
        if self.values is not None:
            heads.append("here")
        cells = []
        for name, formula in formulas.items():
            line = [format_formula(str(formula), self.format_value)]
            if self.values is not None:
                value = self.values.get(name)
                line.append(BLANK_CELL if value is None else self.format_value(value))
            cells.append(tuple(line))
        names = tuple(map(self.format_value, formulas))
        return Block("", "value", "", tuple(heads), names, tuple(cells))


def _list_codes(grid: PrintedGrid) -> dict[str, str]:
    """Return the codes of a grid with their words, without codes that are the words themselves."""
    words_by_code = {}
    for codes, cells in zip(grid.codes, grid.cells, strict=True):
        for code, words in zip(codes, cells, strict=True):
            if code.casefold() != words.casefold():
                words_by_code[code] = words
    return words_by_code


def _needs_codes(grid: PrintedGrid) -> bool:
    """Return whether the words of a grid are too long for its columns and have codes."""
    if grid.column_axis is None or grid.codes == grid.cells:
        return False
    longest = max(len(text) for row in grid.cells for text in row)
    limit = SHORTEST if len(grid.columns) >= MANY else SHORT
    return len(grid.columns) > FEW and longest > limit
