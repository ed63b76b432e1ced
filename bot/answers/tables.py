"""Tables: the answer of one, the card around its cell, and the whole of it."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

from bot.answers.formula_words import modifier_in_words
from bot.answers.printed_table import (
    ANY_OTHER,
    cell_names,
    column_axis,
    print_modifier,
    print_row,
    row_axis,
)
from bot.interface.reply.bars import PHONE
from bot.interface.reply.parts import Grid, Sheet, Small, Thrown, Whole, width
from bot.interface.reply.reply import Reply
from bot.rules.dice import Rolled
from bot.rules.errors import TableError, UserError
from bot.rules.inputs.options import clean
from bot.rules.tables.axis import Axis
from bot.rules.tables.formula import compile_formula
from bot.rules.tables.print_pattern import is_blank
from bot.rules.tables.table import CHAIN, Answer, Table
from bot.rules.text.line import Line, minus
from bot.rules.text.phrase import phrase

MANY = 12
"""Rows above and below the one that answers, where the whole table is too large."""
NEXT = "next"
"""In what a table came to: what the one came to that was rolled behind it."""
FEW = 3
"""So many outputs and more are said with their names."""


_BESIDE = ("text", "parts", CHAIN)


def told(answer: Answer) -> dict[str, Any]:
    """What a table says by the names of its outputs, without its free text."""
    out = answer.out
    # a table of its own may have an output `next`
    beside = (*_BESIDE, NEXT) if CHAIN in out else _BESIDE
    return {name: value for name, value in out.items() if name not in beside}


def lookup_reply(
    table: Table,
    given: Mapping[str, Any],
    answer: Answer,
    who: str = "",
    rolled: list[Rolled] | None = None,
) -> Reply:
    """What a table says, first in one line, then how it was reached, and the card around the
    cell.
    """
    words = table.words
    card = printed(table).card
    dice = {roll.option for roll in table.rolls} if rolled else set()
    asked = [_asked(name, value, words) for name, value in given.items() if name not in dice]
    name = table.title if table.title[1:] != table.title[1:].lower() else table.title.lower()
    by = ", ".join(filter(None, (who, name, *asked)))
    lines: list[Line | Thrown | Grid | Whole | Small] = []
    if rolled:
        lines.append(Thrown(tuple(die.value for die in rolled)))
    lines += _summed(answer, words)
    headline = headline_of(table, given, answer)
    if rest := _rest_of(answer.text, headline):
        lines.append(Line(rest))
    grid = card.around(_worked_values(table, given)) if card is not None else None
    if grid is not None:
        lines.append(grid if width(grid.rows) <= PHONE.grid else Whole((Sheet("", grid.rows),)))
    return Reply(headline, tuple(lines), by=by)


def _worked_values(table: Table, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return every value behind the answer by name: inputs, derived values and outputs.

    Without the roll that the table needs, only the inputs: as given, else their defaults.
    """
    try:
        return table.worked(given)[1]
    except UserError:
        pass
    return {
        one.name: clean(one, given[one.name]) if one.name in given else one.default
        for one in table.inputs
    }


def headline_of(table: Table, given: Mapping[str, Any], answer: Answer) -> str:
    """Return the first line of a look-up: the sentence of the table's `says`, else its outputs."""
    words = table.words
    sentence = table.tell(given, answer, partial(said, words=words))
    sentence = sentence or _list_outputs(answer, words)
    return sentence[:1].upper() + sentence[1:]


def _list_outputs(answer: Answer, words: Mapping[str, str]) -> str:
    """Return the outputs in a few words, for a table without `says`.

    What is false, zero or none is left out, unless there is nothing else.
    """
    outputs = told(answer)
    telling = {name: value for name, value in outputs.items() if not _is_nothing(value)}
    if not telling:
        return answer.text or ", ".join(
            _say_nothing(name, value, words) for name, value in outputs.items()
        )
    pieces = []
    for name, value in telling.items():
        is_number = isinstance(value, int | float) or str(value)[:1].isdigit()
        is_named = is_number or (name != "result" and len(telling) >= FEW)
        if isinstance(value, bool):
            pieces.append(_output_name(name, words))
        elif is_named:
            pieces.append(f"{_output_name(name, words)} {said(value, words)}")
        else:
            pieces.append(said(value, words))
    return ", ".join(pieces)


def _is_nothing(value: object) -> bool:
    """Return whether a value of an output says nothing by itself: false, zero or none."""
    return is_blank(value) or value == 0


def _say_nothing(name: str, value: object, words: Mapping[str, str]) -> str:
    """Return the words for an output that is false, zero or none: "no effect", "moves: no"."""
    if isinstance(value, bool):
        return f"{_output_name(name, words)}: no"
    if isinstance(value, int | float):
        return f"{_output_name(name, words)} 0"
    return "no effect" if name == "result" else f"no {_output_name(name, words)}"


_SENTENCE = re.compile(r"\s*(.+?[.?!](?=\s+[A-Z]|$))", re.DOTALL)


def _rest_of(text: str, headline: str) -> str:
    """Return a table's free text without the sentences at its start that the headline says."""
    while found := _SENTENCE.match(text):
        if found[1].rstrip(".").casefold() not in headline.casefold():
            break
        text = text[found.end() :].lstrip()
    return text


def _output_name(name: str, words: Mapping[str, str]) -> str:
    """Return the name of an output as players say it."""
    return label(name, words, lambda value: said(value, words))


def _asked(name: str, value: object, words: Mapping[str, str]) -> str:
    """An input as it was given: `morale 5`, `adjacent`, `good-order squad`; nothing for what
    does not count.
    """
    if isinstance(value, bool) or str(value).lower() in ("yes", "no", "true", "false"):
        return said(name, words) if str(value).lower() in ("yes", "true") else ""
    text = said(value, words)
    return f"{said(name, words)} {text}" if text.lstrip("−-")[:1].isdigit() else text


def _summed(answer: Answer, words: Mapping[str, str]) -> list[Line]:
    """The modifiers that count, a line for each total that they make up."""
    totals = dict.fromkeys(part.total for part in answer.parts)
    lines = []
    for total in totals:
        parts = tuple((part.name, part.value) for part in answer.parts if part.total == total)
        value = answer.out.get(total)
        number = value if isinstance(value, int | float) and len(parts) > 1 else None
        lines.append(
            Line("counted" if len(totals) == 1 else _output_name(total, words), (), parts, number)
        )
    return lines


def whole_reply(table: Table, usage: str, given: Mapping[str, Any] | None = None) -> Reply:
    """The whole of a table, or what it asks for where it is a rule in words; `given` is what was
    looked up in it.
    """
    words, (card, sheets) = table.words, printed(table)
    asks = phrase("For a single answer: `{usage}`", usage=usage)
    if not sheets:
        options = [
            Line(option.shown, result=option.expected) for option in table.inputs if option.required
        ]
        return Reply(
            table.title, (*options, asks), by="no grid, but a rule; it asks for", private=True
        )
    across = f"{said(card.column_by, words)} across" if card is not None and card.column_by else ""
    by = ", ".join(filter(None, ("the whole table", across)))
    found = _around(table, given) if given else None
    whole = Whole(sheets, found.rows if found is not None else ())
    footnotes = [Small(text) for text in (_legend(table, words), table.notes) if text]
    return Reply(
        table.title,
        (whole, *footnotes, Small(table.source), *(() if given else (asks,))),
        by=by,
        private=True,
    )


def _legend(table: Table, words: Mapping[str, str]) -> str:
    """`S suppressed, K killed`: what the codes of cells that are shown as printed mean."""
    body = table.printed.get("read")
    if not isinstance(body, Mapping) or "bands" not in body:
        return ""
    return ", ".join(
        f"{code} {said(meant, words)}"
        for code, meant in (table.printed.get("results") or {}).items()
    )


def _around(table: Table, given: Mapping[str, Any]) -> Grid | None:
    """The rows around the one that answers, more of them than a look-up shows."""
    card = printed(table).card
    return card.around(_worked_values(table, given), rows=MANY) if card is not None else None


WIDE = 33
"""What a phone shows in a fixed width."""
MOST_COLUMNS, AROUND = 9, 2
"""So many columns at most, and rows above and below the one that answers."""
HERE = "▶ "


class Card(NamedTuple):
    """A table that is a simple grid: what its rows and columns go by, the axes that find one, and
    its heads and cells in words."""

    row_by: str
    column_by: str
    row_axis: Axis
    column_axis: Axis | None
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    def around(self, values: Mapping[str, Any], rows: int = AROUND) -> Grid | None:
        """The rows and columns around the cell that answers `values`, which is marked; None
        where it is not found.
        """
        row = find_position(self.row_axis, self.row_by, values)
        column: int | None = 0
        if self.column_axis is not None:
            column = find_position(self.column_axis, self.column_by, values)
        if row is None or column is None:
            return None
        near = range(max(0, row - rows), min(len(self.rows), row + rows + 1))
        low, high = self._window(column, near) if self.column_by else (0, len(self.columns))
        lines = [
            [self.corner, *self.columns[low:high]],
            *([self.rows[at], *self.cells[at][low:high]] for at in near),
        ]
        for at, line in enumerate(lines, near.start - 1):
            line[column - low + 1] = (HERE if at == row else "  ") + line[column - low + 1]
        return Grid(tuple(map(tuple, lines)))

    def all_rows(self) -> tuple[tuple[str, ...], ...]:
        """All of it, with a row of heads."""
        lines = ((head, *cells) for head, cells in zip(self.rows, self.cells, strict=True))
        return ((self.corner, *self.columns), *lines)

    def _window(self, column: int, rows: range) -> tuple[int, int]:
        """The columns beside `column` that fit a phone, by turns on the right and on the left."""
        shown = (self.columns, *self.cells[rows.start : rows.stop])
        widths = [max(map(len, texts)) + 2 for texts in zip(*shown, strict=True)]
        low = column
        high = column + 1
        right = True
        room = (
            WIDE
            - max(map(len, (self.corner, *self.rows[rows.start : rows.stop])))
            - widths[column]
            - len(HERE)
        )
        for _ in range(2 * len(widths)):
            more = high if right else low - 1
            right = not right
            if 0 <= more < len(widths) and high - low < MOST_COLUMNS and widths[more] <= room:
                low = min(low, more)
                high = max(high, more + 1)
                room = room - widths[more]
        return low, high


def find_position(edge: Axis, by: object, values: Mapping[str, Any]) -> int | None:
    """Return the row or column of `edge` that gave the answer, or None.

    `values` are those that the table worked with: the inputs come before outputs of the same name.
    """
    name = str(by)
    if name in values:
        return edge.find(values[name])
    try:
        formula = compile_formula(name, set(values), "")
    except TableError:  # an input of the formula was not given
        return None
    return edge.find(formula(values))


def label(name: object, words: Mapping[str, str], say: Callable[[object], str]) -> str:
    """Return the name of an output as the game says it: `output b` in its words, else the name."""
    return words.get(f"output {name}") or say(name)


class Printed(NamedTuple):
    """A table in the words of its game: as a grid, None for one that is printed in another way; and
    each part of it with its heading ("" where there is one only), none where it is a rule in words.
    """

    card: Card | None
    sheets: tuple[Sheet, ...]


@lru_cache(300)
def printed(table: Table) -> Printed:
    """The table as players read it, made once."""
    body = table.printed.get("read")
    words = table.words
    cards = [*_cards(table, body, words, "")]
    sheets = [Sheet(heading[:1].upper() + heading[1:], card.all_rows()) for heading, card in cards]
    if modifiers := _modifiers(table, words):
        sheets.append(modifiers)
    is_grid = isinstance(body, Mapping) and not {"bands", "pick"} & body.keys()
    return Printed(cards[0][1] if cards and is_grid else None, tuple(sheets))


def card_in(table: Table, body: object, words: Mapping[str, str]) -> Card | None:
    """A part of a table as a grid; None for one that is printed in another way. Ranges of a die
    stay as printed.
    """
    if not isinstance(body, Mapping) or not {"rows", "cells"} <= body.keys():
        return None
    cells = body["cells"]
    spec = body.get("columns") or {}

    def say(value: object) -> str:
        return said(value, words)

    if spec:
        heads = next((spec[key] for key in ("heads", "from", "to") if key in spec), ())
        labels = [_column_head(spec.get("by", ""), head, say) for head in heads]
    else:
        heads = cell_names(table, body)
        labels = [label(head, words, say) for head in heads]
    rows = [print_row(table, body, key, cells[key], say) for key in cells]
    if not heads or any(len(row) != len(heads) for row in rows):
        return None
    by = str(body["rows"])
    return Card(
        by,
        str(spec.get("by", "")),
        row_axis(table, list(cells), by, body),
        column_axis(table, body) if spec else None,
        said(by, words) if by.replace("_", "").isalnum() else "",
        tuple(ANY_OTHER.get(key) or say(key) for key in cells),
        tuple(labels),
        tuple(rows),
    )


def _column_head(by: object, head: object, say: Callable[[object], str]) -> str:
    """Return the head of a column: a yes or no with its question, `can see: yes`."""
    is_answer = isinstance(head, bool) and str(by).isidentifier()
    return f"{say(by)}: {say(head)}" if is_answer else say(head)


_HYPHEN = re.compile(r"(?<=[a-z])-|-(?=[a-z])|_")


def said(value: object, words: Mapping[str, str]) -> str:
    """A key or value of a table as players say it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return minus(value)
    if isinstance(value, list | tuple):
        return ", ".join(said(item, words) for item in value)
    text = str(value)
    if word := words.get(text):
        return word
    if ", " in text:
        return ", ".join(said(part, words) for part in text.split(", "))
    pieces = [piece for part in text.strip("_").split() for piece in _HYPHEN.split(part)]
    return " ".join(_word(piece, words) for piece in pieces if piece) or text


def _word(piece: str, words: Mapping[str, str]) -> str:
    """Return a part of a token as the game says it; a single letter is no word of its own there."""
    return piece if len(piece) == 1 else words.get(piece, piece)


def _cards(
    table: Table, body: object, words: Mapping[str, str], heading: str
) -> Iterator[tuple[str, Card]]:
    """The grids in a part of the file with their headings: one, several behind each other, or
    one for each case.
    """
    if isinstance(body, list):
        for part in body:
            yield from _cards(table, part, words, heading)
    elif isinstance(body, Mapping) and "pick" in body:
        by = said(body.get("by", ""), words)
        for case, part in body["pick"].items():
            name = (
                f"{'' if case is True else 'not '}{by}"
                if isinstance(case, bool)
                else ANY_OTHER.get(case) or said(case, words)
            )
            yield from _cards(table, part, words, ", ".join(filter(None, (heading, name))))
    elif (card := card_in(table, body, words)) is not None:
        yield heading, card


def _modifiers(table: Table, words: Mapping[str, str]) -> Sheet | None:
    """Return what counts, and how much, if the table is a list of modifiers."""
    rows = table.printed.get("rows") or ()
    if not rows:
        return None

    def say(value: object) -> str:
        return said(value, words)

    totals = list(dict.fromkeys(total for row in rows for total in row.get("adds") or {}))
    labels = [label(total, words, say) for total in totals] if len(totals) > 1 else ["adds"]
    lines = [
        (
            str(row.get("name") or row["id"]),
            *(print_modifier(row, total, partial(modifier_in_words, say=say)) for total in totals),
        )
        for row in rows
    ]
    return Sheet("", (("modifier", *labels), *lines))
