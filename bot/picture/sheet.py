"""A printed table as blocks of words in rows and columns, and where its answer is: what a
picture is drawn from.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from bot.answers.formula_words import formula_in_words, modifier_in_words
from bot.answers.printed_table import (
    ANY_OTHER,
    cell_names,
    column_axis,
    option_words,
    print_cell,
    print_modifier,
    print_row,
    row_axis,
)
from bot.answers.tables import find_position, label, lookup_reply, said
from bot.picture.font import drawable
from bot.rules.tables.axis import Axis
from bot.rules.tables.print_pattern import signed
from bot.rules.tables.table import Answer, Table

SHORT, SHORTEST, FEW, MANY = 9, 6, 5, 8
"""Cells of so few letters are said in words (in MANY columns: fewer); in few columns, longer ones,
too. Others are codes with a legend."""
ALIKE = 4
"""So many codes that differ in a number alone are explained by the first of them."""
ROW = -1
"""The column of a hit that is a whole row."""
_BARE = ("row", "column", "key")
_SEVERAL, _BRIEF, _BESIDE = 3, 4, 2
_BAND = re.compile(r"(?<=\d)\.\.(?=-?\d)")
_DASH = re.compile(r"(?<=\d)-(?=\d)")


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
        return [[drawable(text) for text in row] for row in ((self.corner, *self.columns), *rows)]

    def columns_from(self, first: int, last: int) -> Self:
        """Some of its columns."""
        hit = self.hit and (self.hit[0], self.hit[1] - first if self.hit[1] != ROW else ROW)
        cells = tuple(row[first:last] for row in self.cells)
        return replace(self, columns=self.columns[first:last], cells=cells, hit=hit)

    def where(self) -> str:
        """Where its answer is, in words; "" without one."""
        if self.hit is None:
            return ""
        row, column = self.hit
        head = f"{self.corner} {self.rows[row]}".strip()
        if column == ROW or len(self.columns) == 1:
            return f"Marked: row {head}."
        across = f"{self.across} {self.columns[column]}".strip()
        return f"Marked: row {head}, column {across}: {self.cells[row][column]}."

    def said(self) -> Iterator[str]:
        """Its rows in words."""
        for at, (head, cells) in enumerate(zip(self.rows, self.cells, strict=True)):
            named = cells
            if len(cells) > 1:
                named = tuple(
                    f"{name} {cell}" for name, cell in zip(self.columns, cells, strict=True)
                )
            yield f"{f'{self.heading}: ' if self.heading and not at else ''}{head}: {', '.join(named)}."


@dataclass(frozen=True, slots=True)
class Sheet:
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

    def said(self) -> list[str]:
        """In words what it is, its answer and where that is."""
        news = f"{self.news}{f' ({self.asked})' if self.asked else ''}." if self.news else ""
        return [f"{self.title}.", *filter(None, (news, *(block.where() for block in self.blocks)))]


def sheet_of(table: Table, given: Mapping[str, object] | None = None) -> Sheet:
    """The whole table; with `given` inputs the part that answers them, and where.

    Raises UserError for inputs that the table refuses.
    """
    sheet = Sheet(table.title, table.game or table.system, table.source, ())
    if given is None:
        maker = _Maker(table, None)
        return replace(sheet, blocks=(*maker.blocks(), *maker.meanings()), legend=maker.explained())
    answer, values = table.worked(given)
    reply = lookup_reply(table, given, answer)
    maker = _Maker(table, values, answer)
    blocks = maker.blocks()
    news = reply.title if len(reply.title) <= 90 else ""
    asked = (
        reply.by[len(table.title) :].lstrip(", ")
        if reply.by.casefold().startswith(table.title.casefold())
        else ""
    )
    text = "" if maker.texts_shown or answer.text == news else answer.text
    return replace(
        sheet, blocks=blocks, legend=maker.explained(), news=news, asked=asked, text=text
    )


class _Maker:
    """One table on its way to blocks, with the values behind its answer, if there is one."""

    def __init__(
        self, table: Table, values: Mapping[str, Any] | None, answer: Answer | None = None
    ) -> None:
        self.table = table
        self.values = values
        self.answer = answer
        self.data = table.printed
        self.words = table.words
        self.results: Mapping[Any, Any] = self.data.get("results") or {}
        self.derived: Mapping[str, Any] = self.data.get("derive") or {}
        self.formulas: Mapping[str, Any] = {**self.derived, **(self.data.get("then") or {})}
        self.legend: dict[str, str] = {}
        self.texts_shown = False

    def blocks(self) -> tuple[Block, ...]:
        """The table's own rows and columns; its rules where it has no others."""
        found = [self._modifiers()] if self.table.modifiers else []
        bodies: Any = self.data.get("read") or []
        for body in bodies if isinstance(bodies, list) else [bodies]:
            found += self._body(body, ())
        return tuple(found) or (self._rules(),)

    def meanings(self) -> tuple[Block, ...]:
        """What the table says in sentences, where these are not beside its rows."""
        if self.texts_shown or not self.table.texts:
            return ()
        rows = tuple(self.say(key) for key in self.table.texts)
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

    def explained(self) -> tuple[tuple[str, str], ...]:
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

    def say(self, value: object) -> str:
        """A value in words."""
        return said(value, self.words)

    def key(self, by: object, key: object) -> str:
        """The head of a row or column in words: a band of numbers, `*` for any other."""
        if key in ANY_OTHER:
            return ANY_OTHER[str(key)]
        if (
            isinstance(key, str)
            and re.fullmatch(r"-?\d.*", key)
            and key not in option_words(self.table, by)
        ):
            return re.sub(r"^-|(?<=to )-", "\u2212", _DASH.sub("\u2013", _BAND.sub(" to ", key)))
        return self.say(key)

    # -- bodies -------------------------------------------------------------------------------------------

    def _body(self, body: Mapping[str, Any], heading: tuple[str, ...]) -> Iterator[Block]:
        if "pick" in body:
            yield from self._pick(body, heading)
        elif "always" in body:
            meant = self._meant(body["always"])
            entries = meant if isinstance(meant, Mapping) else {"result": meant}
            shown = [
                (self.say(name), self.say(value))
                for name, value in entries.items()
                if value is not None
            ]
            hit = (0, ROW) if self.values is not None and len(shown) == 1 else None
            names = tuple(name for name, _ in shown)
            cells = tuple((value,) for _, value in shown)
            yield Block(", ".join(heading), "always", "", ("",), names, cells, hit)
        elif body.get("columns"):
            yield self._grid(body, ", ".join(heading))
        else:
            yield self._list(body, ", ".join(heading))

    def _pick(self, body: Mapping[str, Any], heading: tuple[str, ...]) -> Iterator[Block]:
        keys = list(body["pick"])
        found = self._found(row_axis(self.table, keys, body["by"], body), body["by"])
        for at, (key, below) in enumerate(body["pick"].items()):
            if found is None or found == at:
                yield from self._body(below, (*heading, self._keyed(body["by"], key)))

    def _keyed(self, by: object, key: object) -> str:
        """`low ammo: yes`, or the key alone where it says enough."""
        text = self.key(by, key)
        name = self._name(by) or formula_in_words(str(by), self.say)
        return (
            f"{name}: {text}" if text in ("yes", "no", "any other") or text[:1].isdigit() else text
        )

    def _grid(self, body: Mapping[str, Any], heading: str) -> Block:
        spec = body["columns"]
        meaning = next(key for key in ("heads", "from", "to") if key in spec)
        heads = list(spec[meaning])
        gives = cell_names(self.table, body)
        cells = list(body["cells"].values())
        as_code = self._as_codes(cells, len(heads), bool(body.get("bands")))
        has_pairs = any(isinstance(cell, list) for row in cells for cell in row)
        if len(gives) > 1 and has_pairs and "print" not in body:
            self.legend["each cell"] = ", ".join(self._name(self._becomes(name)) for name in gives)
        row = self._found(
            row_axis(self.table, list(body["cells"]), body["rows"], body), body["rows"]
        )
        column = self._found(column_axis(self.table, body), spec["by"])
        columns = tuple(self.key(spec["by"], head) for head in heads)
        rows = tuple(self.key(body["rows"], key) for key in body["cells"])
        shown = tuple(
            tuple(self._grid_cell(body, (key, at), cell, as_code) for at, cell in enumerate(line))
            for key, line in body["cells"].items()
        )
        hit = None if row is None or column is None else (row, column)
        return Block(
            heading, self._name(body["rows"]), self._name(spec["by"]), columns, rows, shown, hit
        )

    def _list(self, body: Mapping[str, Any], heading: str) -> Block:
        """Rows that give one or several named values each."""
        gives = cell_names(self.table, body)
        lines: list[Mapping[str, Any]] = []
        banded = bool(body.get("bands"))
        for cell in body["cells"].values():
            meant = cell if banded else self._meant(cell)
            if isinstance(meant, Mapping):
                lines.append(meant)
            elif isinstance(meant, list) and len(meant) == len(gives) > 1:
                lines.append(dict(zip(gives, meant, strict=True)))
            else:
                lines.append({gives[0] if gives else "result": meant})
        names = [
            name
            for name in dict.fromkeys(name for line in lines for name in line)
            if not name.startswith("_")
        ]
        names = names or [name for line in lines[:1] for name in line]
        keys = list(body["cells"])
        texts = self._texts_of(body["rows"], keys) if len(names) <= _BESIDE else []
        columns = [*map(self._output_name, names), *(["text"] if texts else [])]
        is_printed = "print" in body and len(gives) == 1
        cells = []
        for at, (key, line) in enumerate(zip(keys, lines, strict=True)):
            if is_printed:
                row_cells = print_row(self.table, body, key, body["cells"][key], self.say)
            else:
                row_cells = tuple(self._cell(line.get(name), banded) for name in names)
            cells.append((*row_cells, *((texts[at],) if texts else ())))
        row = self._found(row_axis(self.table, keys, body["rows"], body), body["rows"])
        rows = tuple(self.key(body["rows"], key) for key in keys)
        hit = None if row is None else (row, 0 if len(columns) == 1 else ROW)
        return Block(heading, self._name(body["rows"]), "", tuple(columns), rows, tuple(cells), hit)

    def _texts_of(self, by: object, keys: Sequence[object]) -> list[str]:
        """The sentence of each row, where sentences go by the rows."""
        said_by = self.data.get("text_by")
        said_by = said_by[0] if isinstance(said_by, list) and len(said_by) == 1 else said_by
        found = [self.table.texts.get(str(key), "") for key in keys]
        if not any(found) or (said_by != by and sum(map(bool, found)) < len(keys)):
            return []
        self.texts_shown = True
        return found

    def _becomes(self, name: str) -> str:
        """The output that a value of the card goes into, for one that has no name of its own."""
        into = (
            output
            for output, rule in self.formulas.items()
            if name.startswith("_") and name in _names(rule)
        )
        return next(into, name)

    # -- cells --------------------------------------------------------------------------------------------

    def _meant(self, cell: Any) -> Any:
        known = isinstance(cell, str | int) and not isinstance(cell, bool) and cell in self.results
        return self.results[cell] if known else cell

    def _as_codes(self, cells: Sequence[Any], columns: int, banded: bool) -> bool:
        if banded:
            return True
        meant = [self._meant(cell) for row in cells for cell in row]
        if any(isinstance(item, Mapping) for item in meant):
            return True
        longest = max((len(self.say(item)) for item in meant), default=0)
        return columns > FEW and longest > (SHORTEST if columns >= MANY else SHORT)

    def _grid_cell(
        self, body: Mapping[str, Any], place: tuple[object, int], cell: Any, as_code: bool
    ) -> str:
        """Return a cell of a grid: several values as printed, one as its code or in words."""
        if isinstance(cell, list) or "print" in body:
            return print_cell(self.table, body, place, cell, self.say)
        return self._cell(cell, as_code)

    def _output_name(self, name: str) -> str:
        """Return the head of a column that holds an output, or a value of the card's own."""
        return self.words.get(f"output {name}") or self._name(name)

    def _label(self, name: object) -> str:
        return label(name, self.words, self.say)

    def _cell(self, cell: Any, as_code: bool) -> str:
        if cell is None or cell == "":
            return "\u2013"
        if not as_code:
            return self._words(self._meant(cell))
        for code in (
            [cell]
            if not isinstance(cell, str)
            else [part.partition(":")[2] or part for part in cell.split()]
        ):
            if isinstance(code, str | int) and code in self.results and str(code) not in ("-", ""):
                words = self._words(self.results[code])
                if words.casefold() != str(code).casefold():
                    self.legend.setdefault(str(code), words)
        return (
            _DASH.sub("\u2013", cell) if isinstance(cell, str) and ":" in cell else self._code(cell)
        )

    def _code(self, cell: Any) -> str:
        if isinstance(cell, str) and (cell in self.results or cell == "-"):
            return "\u2013" if cell == "-" else re.sub(r"^-(?=\d)", "\u2212", cell)
        return self._words(cell)

    def _words(self, value: Any) -> str:
        if isinstance(value, Mapping):
            pieces = []
            for name, item in value.items():
                if item is None or item is False or item == "none" or name.startswith("_"):
                    continue
                head = self._label(name)
                text = self.say(item)
                pieces.append(
                    head if item is True else text if name == "result" else f"{head} {text}"
                )
            return ", ".join(pieces) or "no effect"
        return self.say(value) if value is not None else "\u2013"

    def _name(self, by: object) -> str:
        """What rows or columns go by, in words; nothing for a formula. A mere `column` says what
        it is made of.
        """
        text = str(by)
        rule = self.derived.get(text)
        if rule is not None and (text.startswith("_") or text in _BARE):
            inputs = [option.name for option in self.table.inputs if option.name in _names(rule)]
            return ", ".join(map(self.say, inputs)) if len(inputs) <= _SEVERAL else self.say(text)
        return self.say(text) if re.fullmatch(r"\w+", text) else ""

    # -- where the answer is ------------------------------------------------------------------------------

    def _found(self, edge: Axis, by: object) -> int | None:
        return None if self.values is None else find_position(edge, by, self.values)

    # -- modifiers and rules ------------------------------------------------------------------------------

    def _modifiers(self) -> Block:
        rows = self.data["rows"]
        totals = list(dict.fromkeys(total for row in rows for total in row["adds"]))
        heads = [self._label(total) for total in totals] if len(totals) > 1 else ["adds"]
        in_words = partial(modifier_in_words, say=self.say)
        cells = [[print_modifier(row, total, in_words) for total in totals] for row in rows]
        counts: tuple[int, ...] = ()
        if self.answer is not None:
            heads.append("counts")
            worth = {
                row["id"]: [part for part in self.answer.parts if part.id == row["id"]]
                for row in rows
            }
            for row, line in zip(rows, cells, strict=True):
                line.append(", ".join(signed(part.value) for part in worth[row["id"]]))
            counts = tuple(at for at, row in enumerate(rows) if worth[row["id"]])
        names = tuple(str(row["name"]) for row in rows)
        return Block(
            "", "modifier", "", tuple(heads), names, tuple(map(tuple, cells)), None, counts
        )

    def _rules(self) -> Block:
        """A table that only calculates: each value and how it comes about."""
        rules = {
            name: rule for name, rule in self.formulas.items() if not name.startswith("_")
        } or self.formulas
        cells = [[formula_in_words(str(rule), self.say)] for rule in rules.values()]
        heads = ["how it is found"]
        if self.values is not None:
            heads.append("here")
            for name, line in zip(rules, cells, strict=True):
                line.append(self._words(self.values.get(name)))
        return Block(
            "",
            "value",
            "",
            tuple(heads),
            tuple(map(self.say, rules)),
            tuple(map(tuple, cells)),
            None,
        )


def _names(rule: object) -> set[str]:
    """The names that a formula reads."""
    return set(re.findall(r"[A-Za-z_]\w*", str(rule)))
