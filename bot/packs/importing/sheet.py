"""A table out of a spreadsheet, CSV or cells pasted with tabs: the first row heads, the first
column has totals.
"""

import csv
import re
from collections.abc import Sequence
from itertools import pairwise

from bot.packs.importing.draft import (
    D66,
    MOST_COLUMNS,
    MOST_ROWS,
    Cell,
    Draft,
    Edge,
    Span,
    covered,
    dice_for,
    dice_said,
    figures,
    is_d66,
    is_modified,
    is_rising,
    named,
    refused,
    tidy,
    titled,
    totals,
    unlike,
    word,
)

SOURCE = "a spreadsheet"
_RULE = re.compile(r"[\s|:-]+")
_WHOLE = re.compile(r"[-+]?\d{1,9}")
_DICE = re.compile(r"(?<!\s)\s*+\(\s*+\d{0,2}[dw]\d{1,4}\s*+\)$", re.IGNORECASE)
_CORNER = re.compile(r"(?<!\s)\s*+[\\|/]\s*")
NOTHING = "-"
NO_TABLE = "No table can be read from this."


def cells_of(text: str) -> list[list[str]]:
    """The cells of a text, row by row, all rows of one length; empty rows and columns at its edges
    are left out. Raises UserError."""
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(line.strip().startswith("|") for line in lines):
        lines = [line.strip().strip("|") for line in lines if not _RULE.fullmatch(line.strip())]
        mark = "|"
    else:
        mark = next((mark for mark in "\t;," if all(mark in line for line in lines[1:2])), "")
    if len(lines) < 2 or not mark:
        raise refused(
            NO_TABLE, "Paste cells with their headings, separated by tabs, commas or semicolons."
        )
    source = lines if mark == "|" else text.splitlines(keepends=True)
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(source, delimiter=mark)]
    except csv.Error as error:
        raise refused(f"The sheet cannot be read: {error}.") from None
    rows = [row for row in rows if any(row)]
    width = max((at + 1 for row in rows for at, cell in enumerate(row) if cell), default=0)
    if len(rows) > MOST_ROWS + 2 or width > MOST_COLUMNS + 1:
        raise refused(f"The sheet is larger than {MOST_ROWS} rows and {MOST_COLUMNS} columns.")
    return [[*row[:width], *[""] * (width - len(row))] for row in rows]


def read_sheet(text: str, name: str) -> list[Draft]:
    """The table of a sheet. Raises UserError for a text that is none."""
    rows = cells_of(text)
    title = ""
    if len(rows) > 2 and len(rows[0]) > 1 and rows[0][0] and not any(rows[0][1:]):
        title = rows.pop(0)[0]  # a line above the headings
    heads = (rows or [[]])[0]
    body = rows[1:]
    if len(heads) < 2 or not body:
        raise refused(
            "The sheet has no cells beside its headings.",
            "Its first row and first column are headings.",
        )
    corner = _CORNER.split(tidy(heads[0], "The first heading"), maxsplit=1)
    said = " ".join((heads[0], title, name))
    questions: list[str] = []
    keys = [tidy(row[0], f"The heading of row {number}", 100) for number, row in enumerate(body, 1)]
    tops = [
        tidy(head, f"The heading of column {number}", 100)
        for number, head in enumerate(heads[1:], 1)
    ]
    cells = [[_cell(cell, key, top, questions) for cell, top in zip(row[1:], tops, strict=True)]
             for key, row in zip(keys, body, strict=True)]  # fmt: skip
    down = _figures(keys)
    across = _figures(tops)
    if across and not _rolls(down, said) and _rolls(across, ""):  # the totals are at the top
        keys, tops, down, across = tops, keys, across, down
        cells = [list(column) for column in zip(*cells, strict=True)]
        corner = [*corner, ""][1::-1]
    labels = [*(part.strip() for part in corner), "", ""][:2]
    title = _DICE.sub("", titled(title or name)) or "Table"
    return [
        _draft(title, said, _edge(keys, down, labels[0]), tops, across, labels[1], cells, questions)
    ]


def _draft(
    title: str, said: str, rows: Edge, tops: list[str], across: tuple[tuple[Span, ...], ...], label: str,
    cells: list[list[Cell]], questions: list[str],
) -> Draft:  # fmt: skip
    flat = [span for spans in rows.figures for span in spans]
    dice = _rolls(rows.figures, said)
    if flat and dice not in (D66, ""):
        flat, rows = _as_shown(flat, rows, dice, questions)
    modified = bool(dice) and dice != D66 and _needs_modifier(flat, dice, said)
    if flat and not dice:
        reach = covered(flat)
        what = f"{reach[0]} to {reach[1]}" if reach else "with gaps"
        questions.append(
            f"its rows ({what}) are the totals of no dice: if it is rolled, add them under rolls"
        )
    outputs: tuple[str, ...] = ("result",)
    columns = None
    if len(tops) == 1:
        outputs = (named(tops[0], "result", between="_"),)
    elif _are_results(tops, cells) and not across:
        outputs = tuple(_unlike(tops))
        questions.append(
            f"{', '.join(outputs)[:80]} are read as results of one row, not as columns to choose from"
        )
    else:
        columns = _edge(
            tops, across if is_rising([span for spans in across for span in spans]) else (), label
        )
        if _is_from(columns):
            questions.append(
                "its columns are read as 'from this figure on'; with `to` they go up to it"
            )
    return Draft(
        title, SOURCE, rows, tuple(map(tuple, cells)), dice, modified=modified, columns=columns, outputs=outputs,
        questions=tuple(dict.fromkeys(questions)),
    )  # fmt: skip


def _cell(text: str, key: str, top: str, questions: list[str]) -> Cell:
    found = tidy(text, f"Row {key[:20]}, column {top[:20]}")
    if not found:
        questions.append(
            f"row {key[:20]}, column {top[:20]}: the cell is empty, and read as {NOTHING}"
        )
        return NOTHING
    return (
        int(found)
        if _WHOLE.fullmatch(found) and not found.startswith("+") and str(int(found)) == found
        else found
    )


def _figures(headings: Sequence[str]) -> tuple[tuple[Span, ...], ...]:
    """The figures of headings that are all figures; nothing where one is a word, or runs
    downward as odds do.
    """
    found = tuple(figures(heading) for heading in headings)
    runs_downward = any(
        None not in span and span[0] > span[1]  # type: ignore[operator]
        for spans in found
        for span in spans
    )
    if not all(found) or runs_downward:
        return ()
    return found


def _rolls(lines: tuple[tuple[Span, ...], ...], said: str) -> str:
    """The dice that choose a line: those that a heading names, else those whose totals the
    figures are.
    """
    flat = [span for spans in lines for span in spans]
    if not flat:
        return ""
    told = dice_said(said)
    if told == D66:
        return D66 if is_d66(flat) else dice_for(flat)
    found = dice_for(flat)
    return told or found or (dice_for(_tens(flat)) if (0, 0) in flat else "")


def _tens(flat: list[Span]) -> list[Span]:
    """Figures of a die that shows 0 for its highest."""
    high = max((span[1] or 0) for span in flat)
    top = 10 if high <= 9 else 100
    return [(top, top) if span == (0, 0) else span for span in flat]


def _as_shown(
    flat: list[Span], rows: Edge, dice: str, questions: list[str]
) -> tuple[list[Span], Edge]:
    """The rows with 0 read as the highest face, where the die is printed so."""
    if (
        dice not in ("1d10", "1d100")
        or (0, 0) not in flat
        or totals(dice)[1] in {high for _, high in flat}
    ):
        return flat, rows
    top = totals(dice)[1]
    questions.append(f"row 0 is read as {top}, as such a die shows it")
    lines = tuple(
        tuple((top, top) if span == (0, 0) else span for span in spans) for spans in rows.figures
    )
    return [span for spans in lines for span in spans], Edge(rows.label, rows.words, lines)


def _needs_modifier(flat: list[Span], dice: str, said: str) -> bool:
    """Return whether rows go beyond what the dice can show, or the heading says that something is
    added.
    """
    low, high = totals(dice)
    ends = [end for span in flat for end in span if end is not None]
    return (
        is_modified(said)
        or any(None in span for span in flat)
        or min(ends) < low
        or max(ends) > high
    )


def _edge(headings: list[str], found: tuple[tuple[Span, ...], ...], label: str) -> Edge:
    if found:
        return Edge(label, figures=found)
    return Edge(label, words=unlike([word(heading) for heading in headings], "other"))


def _is_from(edge: Edge) -> bool:
    """Return whether columns are single figures that rise with gaps between them: 1, 4, 8."""
    flat = [span for spans in edge.figures for span in spans]
    return len(flat) > 1 and all(low == high for low, high in flat) and covered(flat) is None


def _are_results(tops: list[str], cells: list[list[Cell]]) -> bool:
    """Return whether columns are results of their own: what is in one is not in the next, or one
    has numbers alone.
    """
    if any(char.isdigit() for top in tops for char in top) or not all(
        any(map(str.isalpha, top)) for top in tops
    ):
        return False
    columns = [
        {cell for row in cells for cell in row[at : at + 1] if cell != NOTHING}
        for at in range(len(tops))
    ]
    kinds = {
        2 * sum(isinstance(cell, int) for cell in column) > len(column)
        for column in columns
        if column
    }
    if len(kinds) > 1:
        return True
    shared = [bool(one & other) for one, other in pairwise(columns)]
    return not any(shared) and kinds != {True}


def _unlike(tops: list[str]) -> list[str]:
    found: list[str] = []
    for top in tops:
        found.append(named(top, "result", found, "_"))
    return found
