"""Tables that are lists: a title with dice, then a line for each result. Also the commands
with which Roll20 makes a table.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.packs.importing.blocks import is_dice_head, is_in_columns, list_left_out_notes
from bot.packs.importing.dice_of_rows import check_totals, guess_dice
from bot.packs.importing.digit_dice import digit_dice_for, is_digit_dice, numbers_of
from bot.packs.importing.figures import (
    Span,
    find_covered_range,
    find_named_dice,
    get_totals,
    is_rising,
    read_figures,
    remove_dice,
)
from bot.packs.importing.spreadsheet_dates import is_date, read_date_pairs
from bot.packs.importing.table_draft import (
    TableDraft,
    build_one_column,
    clean_text,
    make_import_error,
)
from bot.packs.importing.weights import assign_spans
from bot.packs.importing.zeros import read_zero_as_highest
from bot.rules.text.markup import remove_markup

SOURCE = "a list"
ROLL20 = "a rollable table of Roll20"
_MARK = r"(?:[-*•]\s+)?"
_FIGURE = r"[-+]?\d{1,5}"
_ENTRY = re.compile(
    rf"{_MARK}("
    rf"{_FIGURE}\s?(?:[-‐‑‒–—−~〜～]|\.{{2,3}}|…|to|thru|through|bis|à)\s?\d{{1,5}}"
    rf"|{_FIGURE}(?:\+|-(?=[\s:.])| or (?:more|less|higher|lower|above|below|over|under))"
    rf"|[≤≥<>]=?\s?{_FIGURE}"
    rf"|{_FIGURE}(?:\.[0０]{{1,2}}(?!\d))?"
    r")(?:\s*[.):：]{1,2}(?![.:\d])\s*(?:[-–—=]\s+)?|\s+[-–—=]\s+|\s+)([^\s,;|\t].*)",
    re.IGNORECASE,
)
_MARKED = re.compile(rf"{_MARK}({_FIGURE})\s+[-–—=]\s+(\S.*)")
_DATED = re.compile(
    rf"{_MARK}(\d{{1,2}}[-./][^\W\d_]{{3,9}}|[^\W\d_]{{3,9}}[-./]\d{{2}})\.?:?\s+(?:[-–—]\s+)?(\S.*)"
)
_SLASHED = re.compile(rf"{_MARK}(\d{{1,3}})/(\d{{1,3}})(?:\s*[.):：]\s*|\s+[-–—=]\s+)(\S.*)")
_COLUMN_HEADS = re.compile(r"(?:roll|die|dice|die roll)\s+\S+", re.IGNORECASE)
"""A line with two headings of columns, which is no title."""
_HEADING_SIGNS = re.compile(r"^#{1,6}\s+|\*\*|__")
_ROLL20_TABLE = re.compile(r"!import-table\s+--(.{1,200})")
_ROLL20_ITEM = re.compile(r"!import-table-item\s+--(.{1,4000})")
_LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a list: its figures and its text.

    `marked` is another reading of a line such as `1 - 4 men`, in which the dash is only a mark
    after the figure, or None.
    """

    span: Span
    text: str
    marked: tuple[Span, str] | None = None
    date: str = ""
    """The date that its figures were read from, or ""."""
    slash: str = ""
    """Its figures as they are typed, if a slash is between them, or ""."""


@dataclass(slots=True)
class _List:
    """The lines of one list: its title, its entries, and its lines without a figure. `notes` are
    lines that belong to none of these.
    """

    title: str = ""
    entries: list[_Entry] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    joined: list[str] = field(default_factory=list)
    """Lines that were read as more of the entry above them."""


def is_list(text: str) -> bool:
    """Return whether a text is a list: half of its lines or more are entries, or its title names
    one die and a line follows for each face. A text with cells between marks is none.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or any("\t" in line or "|" in line for line in lines[:3]):
        return False
    if _is_of_cells(lines) or is_in_columns(lines):
        return False
    entries = sum(_read_entry(line) is not None for line in lines)
    if entries >= 2 and 2 * entries >= len(lines):
        return True
    return _is_of_faces(lines)


def _is_of_cells(lines: Sequence[str]) -> bool:
    """Return whether more than half of the lines have the same number of cells between commas or
    semicolons, and at least half of the lines with that mark begin with a figure or date.
    """
    for mark in ",;":
        rows = [_split_cells(line, mark) for line in lines if mark in line]
        widths = [len(row) for row in rows]
        width = max(set(widths), key=widths.count, default=0)
        keyed = sum(bool(read_figures(row[0])) or is_date(row[0]) for row in rows)
        if 2 * widths.count(width) > len(lines) and 2 * keyed >= len(rows):
            return True
    return False


def _split_cells(line: str, mark: str) -> list[str]:
    """Return the cells of a line of CSV; the line as a single cell if it is broken."""
    try:
        return next(csv.reader([line], delimiter=mark), [line])
    except csv.Error:
        return [line]


def _is_of_faces(lines: Sequence[str]) -> bool:
    """Return whether a title names one die and is followed by a line for each of its faces."""
    title = lines[0]
    dice = find_named_dice(title)
    if not is_dice_head(title) or not dice.startswith("1d"):
        return False
    if "," in title or ";" in title:
        return False
    return len(lines) - 1 == get_totals(dice)[1]


def read_lists(text: str, name: str) -> tuple[list[TableDraft], list[str]]:
    """Return the tables of lists, and remarks on the lines that are in none of them. `name` is the
    title of a list without one. Raises UserError.
    """
    lists = _split_lists(text)
    notes = [note for part in lists for note in part.notes]
    drafts = [_build_draft(part, name) for part in lists if part.entries or part.lines]
    return drafts, list_left_out_notes(notes)


def _split_lists(text: str) -> list[_List]:
    """Return the lists of a text: a new one begins with each title that names dice."""
    lists = [_List()]
    was_empty = False
    for raw in text.split("\n"):
        line = _HEADING_SIGNS.sub("", raw.strip()).strip()
        if line:
            current = lists[-1]
            has_lines = current.entries or current.lines or current.title
            if has_lines and _is_title(line):
                lists.append(_List())
            _add_line(lists[-1], line, was_empty)
        was_empty = not line
    return lists


def _is_title(line: str) -> bool:
    """Return whether a line is a title with dice, and no entry."""
    if is_dice_head(line):
        return True
    if line[:1].islower():  # a sentence of the entry above that goes on
        return False
    return (
        bool(find_named_dice(line)) and len(line) <= _LONGEST_TITLE and not _ENTRY.fullmatch(line)
    )


def _add_line(part: _List, line: str, was_empty: bool) -> None:
    """Add a line to a list: as an entry, the title, more of the last entry, or a note. `was_empty`:
    the line before it was empty, so it does not continue an entry.
    """
    entry = None if _is_title(line) else _read_entry(line)
    if _is_title(line):
        part.title = line
    elif entry is not None:
        part.entries.append(entry)
    elif part.entries and not was_empty:
        part.entries[-1] = _continue_entry(part.entries[-1], line)
        part.joined.append(line)
    elif part.entries:
        part.notes.append(line)
    elif not part.title and not part.lines:
        part.title = line
    else:
        part.lines.append(line)


def _continue_entry(entry: _Entry, line: str) -> _Entry:
    """Return an entry with a line added to its text, in both readings."""
    marked = entry.marked
    if marked is not None:
        span, text = marked
        marked = (span, f"{text} {line}")
    return replace(entry, text=f"{entry.text} {line}", marked=marked)


def _read_entry(line: str) -> _Entry | None:
    """Return a line as an entry, None if it is none. A date is read as the range that it was, and
    `1/2` as a range if its figures follow each other.
    """
    dated = _DATED.fullmatch(line)
    if dated:
        pairs = read_date_pairs(dated[1])
        if pairs:
            low, high = sorted(pairs[0])
            return _Entry((low, high), dated[2].strip(), date=dated[1])
    slashed = _SLASHED.fullmatch(line)
    if slashed and int(slashed[2]) == int(slashed[1]) + 1:
        span = (int(slashed[1]), int(slashed[2]))
        return _Entry(span, slashed[3].strip(), slash=f"{slashed[1]}/{slashed[2]}")
    entry = _ENTRY.fullmatch(line)
    spans = read_figures(entry[1]) if entry else ()
    if entry is None or len(spans) != 1:
        return None
    marked = None
    single = _MARKED.fullmatch(line)
    if single:
        number = int(single[1])
        marked = (number, number), single[2].strip()
        if _is_upside_down(spans[0]):
            return _Entry(marked[0], marked[1])
    return _Entry(spans[0], entry[2].strip(), marked)


def _is_upside_down(span: Span) -> bool:
    """Return whether a range does not go up, so that its dash is no dash of a range: `5 - 3`."""
    low, high = span
    return low is not None and high is not None and low >= high


def _choose_reading(entries: Sequence[_Entry]) -> list[tuple[Span, str]]:
    """Return the figures and texts of entries. Of the readings of dashes, the first is chosen in
    which the figures rise without a gap: as ranges, as marks after single figures, or as marks
    wherever they can be.
    """
    ranges = [(entry.span, entry.text) for entry in entries]
    marked = [entry.marked or (entry.span, entry.text) for entry in entries]
    readings = (ranges, _remove_list_marks(ranges), marked)
    for reading in readings:
        spans = [span for span, _ in reading]
        if is_rising(spans) and find_covered_range(spans) is not None:
            return reading
    return _remove_list_marks(ranges)


def _remove_list_marks(entries: list[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """Return entries with `4-` read as 4 if several are written so, as only one row of a list can
    be 4 or less. Others stay as they are.
    """
    marked = [span for span, _ in entries if span[0] is None]
    if len(marked) < 2:
        return entries
    return [((high, high) if low is None else (low, high), text) for (low, high), text in entries]


def _build_draft(part: _List, name: str) -> TableDraft:
    """Return the table of a list. `name` is its title if it has none. Raises UserError."""
    dice = find_named_dice(part.title)
    title = remove_dice(part.title).rstrip(" :：.") or name
    if _COLUMN_HEADS.fullmatch(part.title):
        title = name
    if not part.entries:
        return _build_faces_draft(part, title, dice)
    if part.lines:
        quoted = clean_text(part.lines[0][:60], "A line")
        raise make_import_error(f'"{quoted}" has no number in front of it.')
    reading = _choose_reading(part.entries)
    spans = [span for span, _ in reading]
    if is_digit_dice(dice) and digit_dice_for(spans) != dice:
        numbers = numbers_of(dice)
        lowest = min(numbers)
        highest = max(numbers)
        raise make_import_error(
            f"The title of {title[:40]} says d{highest}, but its numbers are not the "
            f"{len(numbers)} from {lowest} to {highest}."
        )
    questions = _list_questions(part, spans)
    dice = dice or guess_dice(spans, title, questions)
    rows = read_zero_as_highest([(span,) for span in spans], dice, questions)
    entries = list[tuple[Span, str]]()
    for row, (_, text) in zip(rows, reading, strict=True):
        entries += [(span, remove_markup(text)) for span in row]
    check_totals(entries, dice, title)
    return build_one_column(title, SOURCE, dice, entries, questions)


def _list_questions(part: _List, spans: Sequence[Span]) -> list[str]:
    """Return the questions about a list: lines that were joined, dates, slashes, and figures that
    do not rise. `spans` are the figures as they are read.
    """
    questions = list[str]()
    if part.joined:
        quoted = ", ".join(f'"{line[:40]}"' for line in part.joined[:3])
        questions.append(f"read as part of the line above: {quoted}")
    dates = [entry.date for entry in part.entries if entry.date]
    if dates:
        questions.append(f"dates are read as the ranges that were typed: {', '.join(dates[:4])}")
    slashes = [entry.slash for entry in part.entries if entry.slash]
    if slashes:
        questions.append(f"{', '.join(slashes[:3])} are read as ranges, not as fractions")
    if not is_rising(spans):
        questions.append("its numbers do not go up from line to line")
    return questions


def _build_faces_draft(part: _List, title: str, dice: str) -> TableDraft:
    """Return the table of lines without figures: one for each face of the die of the title. Raises
    UserError unless there are as many lines as faces.
    """
    sides = get_totals(dice)[1] if dice.startswith("1d") else 0
    if len(part.lines) != sides:
        raise make_import_error(
            f"{title[:40]} has {len(part.lines)} lines without numbers for {dice or 'no dice'}.",
            "Number each line: 1. A farmer.",
        )
    entries = [((face, face), remove_markup(text)) for face, text in enumerate(part.lines, 1)]
    questions = [f"its lines have no numbers: read as 1 to {sides}"]
    return build_one_column(title, SOURCE, dice, entries, questions)


# -- lines of Roll20: `!import-table --Weather --show`, `!import-table-item --Weather --Rain --3 --`


def is_roll20(text: str) -> bool:
    """Return whether a text begins with the command of Roll20 that makes a table."""
    return text.lstrip().startswith("!import-table")


def read_roll20(text: str) -> tuple[list[TableDraft], list[str]]:
    """Return the tables of Roll20's lines, and remarks on lines and pictures that are left out.
    Raises UserError.
    """
    entries_by_title: dict[str, list[tuple[int, str]]] = {}
    left_out = list[str]()
    has_pictures = False
    for line in map(str.strip, text.split("\n")):
        if not line:
            continue
        if item := _ROLL20_ITEM.fullmatch(line):
            title, entry, weight, picture = _split_item(item[1])
            has_pictures = has_pictures or bool(picture)
            entries_by_title.setdefault(title, []).append((weight, entry))
        elif table := _ROLL20_TABLE.fullmatch(line):
            entries_by_title.setdefault(table[1].split("--")[0].strip(), [])
        else:
            left_out.append(line)
    notes = list_left_out_notes(left_out)
    if has_pictures:
        notes.append("pictures are left out")
    drafts = [_build_roll20_draft(title, entries) for title, entries in entries_by_title.items()]
    return drafts, notes


def _split_item(text: str) -> tuple[str, str, int, str]:
    """Return the title of the table, text, weight and picture of an entry. Without a weight it is
    1. Raises UserError for another weight than a whole number.
    """
    parts = [part.strip() for part in re.split(r"(?:^|\s)--", text)]
    parts += [""] * (4 - len(parts))
    title, entry, weight, picture = parts[:4]
    if weight and not weight.isdecimal():
        raise make_import_error(f"The weight {weight[:20]} of {entry[:40]} is not a whole number.")
    return title, entry, int(weight[:9] or 1), picture


def _build_roll20_draft(title: str, entries: Sequence[tuple[int, str]]) -> TableDraft:
    """Return the table of entries with their weights. Raises UserError for a table without any."""
    if not entries:
        raise make_import_error(f"{title[:40]} has no entries.")
    dice, spans = assign_spans([weight for weight, _ in entries], title)
    texts = [text for weight, text in entries if weight]
    return build_one_column(title, ROLL20, dice, zip(spans, texts, strict=True))
