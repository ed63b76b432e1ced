"""The cells of an Excel workbook (.xlsx) as text, sheet by sheet, as Excel shows them.

A workbook is a zip of XML. Its sizes are checked by unpacking it within bounds, before the library
that reads it (openpyxl, the extra `sheets`) sees it.
"""

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from bot.rules.errors import UserError
from bot.ui.uploads.decoding import build_workbook_error

MAX_UNPACKED = 8_000_000
"""Maximum size of all parts of a workbook together, in bytes."""
MAX_PARTS = 500
MAX_SHEETS = 30
MAX_LINES = 5_000
MAX_WIDTH = 500
MAX_CELLS = 100_000
MAX_MERGED = 500
MAX_NAMED = 5
_WORKBOOK = "xl/workbook.xml"
_BINARY_WORKBOOK = "xl/workbook.bin"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")
_LITERAL = re.compile(r'"([^"]{1,80})"')
_NO_LETTERS = re.compile(r'"[^"]*+(?:"|\Z)|\[[^\]]*+(?:\]|\Z)|\\.|_.')
"""The parts of a number format that are no letters of it: texts, colors, languages and escaped
signs.
"""
_MERGED = re.compile(
    r'<(?:\w{1,20}:)?mergeCell\s[^<>]{0,80}?ref="([A-Z]{1,3})([1-9]\d{0,6}):([A-Z]{1,3})([1-9]\d{0,6})"'
)
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@dataclass(frozen=True, slots=True)
class Worksheet:
    """A sheet: its name, its cells as text with tabs between them, and remarks on cells that the user
    should check.
    """

    title: str
    text: str
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MergedCells:
    """Cells that are merged: the letters of their columns and the numbers of their rows."""

    left: str
    first_row: str
    right: str
    last_row: str

    @property
    def is_down(self) -> bool:
        """Return whether the cells are all in one column, in several rows."""
        return self.left == self.right and self.top < self.bottom

    @property
    def top(self) -> int:
        return int(self.first_row)

    @property
    def bottom(self) -> int:
        return int(self.last_row)

    @property
    def column(self) -> int:
        """The index of the left column, from 0."""
        number = 0
        for letter in self.left:
            number = number * 26 + ord(letter) - ord("A") + 1
        return number - 1

    @property
    def place(self) -> str:
        return f"{self.left}{self.first_row}:{self.right}{self.last_row}"


def can_read_workbooks() -> bool:
    """Return whether the library that reads workbooks is installed."""
    return find_spec("openpyxl") is not None


def is_workbook(data: bytes) -> bool:
    """Return whether a file is a workbook in a zip, of Excel or of LibreOffice."""
    if not data.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if _WORKBOOK in names or _BINARY_WORKBOOK in names:
                return True
            return names[:1] == ["mimetype"] and _is_open_document(archive)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError, zlib.error):
        return False


def _is_open_document(archive: zipfile.ZipFile) -> bool:
    """Return whether a zip that begins with the file `mimetype` is a workbook of LibreOffice."""
    with archive.open("mimetype") as file:
        return file.read(100).startswith(_OPEN_DOCUMENT)


def read_workbook(data: bytes, name: str) -> tuple[list[Worksheet], list[str]]:
    """Return the visible sheets of a workbook that have cells, and a sentence for each hidden
    sheet, which is not read.

    Raises UserError for a workbook of another program, or one that is too large or damaged.
    """
    _check_parts(data, name)
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise build_workbook_error(
            f"{name} is an Excel workbook, and this bot cannot read those."
        ) from None
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        visible = []
        hidden_notes = []
        for sheet in book.worksheets:
            if sheet.sheet_state == "visible":
                visible.append(sheet)
            else:
                hidden_notes.append(f"sheet {sheet.title} is hidden, so it is left out")
        if len(visible) > MAX_SHEETS:
            raise UserError(
                f"{name} has {len(visible)} sheets; the bot reads at most {MAX_SHEETS} at once.",
                option="file",
                code="too-many",
            )
        sheets = [_read_sheet(sheet, name, _find_merged(data, sheet)) for sheet in visible]
    except UserError:
        raise
    except Exception:  # the library fails in any way on a damaged file
        raise build_workbook_error(
            f"{name} is an Excel workbook, but Excel didn't save it in this form, so it can't be read."
        ) from None
    return [sheet for sheet in sheets if sheet.text.strip()], hidden_notes


def _check_parts(data: bytes, name: str) -> None:
    """Raise UserError for a workbook of another program, a damaged or encrypted one, and one with
    parts that are too many, too large, or declare entities.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            names = {part.filename for part in parts}
            if _WORKBOOK not in names:
                kind = "binary Excel" if _BINARY_WORKBOOK in names else "LibreOffice"
                raise build_workbook_error(
                    f"{name} is a {kind} workbook, which the bot cannot read."
                )
            if len(parts) > MAX_PARTS:
                raise build_workbook_error(f"{name} has more than {MAX_PARTS} parts.")
            bytes_left = MAX_UNPACKED
            for part in parts:
                if part.flag_bits & 1:
                    raise build_workbook_error(f"{name} is encrypted.")
                with archive.open(part) as file:
                    content = file.read(bytes_left + 1)  # the declared size may be wrong
                bytes_left -= len(content)
                if bytes_left < 0:
                    raise build_workbook_error(
                        f"{name} is larger than {MAX_UNPACKED // 1_000_000} MB unpacked."
                    )
                if _has_declarations(content):
                    raise build_workbook_error(
                        f"{name} declares XML entities, which the bot does not read."
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError):
        raise build_workbook_error(f"{name} is a damaged workbook.") from None


def _has_declarations(content: bytes) -> bool:
    """Return whether XML in UTF-8 or UTF-16 declares a document type or an entity."""
    if any(declaration in content for declaration in _DECLARATIONS):
        return True
    wide_declarations = [declaration.decode().encode("utf-16-le") for declaration in _DECLARATIONS]
    # without the last zero byte, these are found in both byte orders
    return any(declaration[:-1] in content for declaration in wide_declarations)


def _find_merged(data: bytes, sheet: Any) -> list[MergedCells]:
    """Return the merged cells of a sheet that are in one column, from the top, at most MAX_MERGED."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        xml = archive.read(sheet._worksheet_path).decode("utf-8", "replace")
    all_merged = [MergedCells(*match.groups()) for match in _MERGED.finditer(xml)]
    in_one_column = [merged for merged in all_merged if merged.is_down][:MAX_MERGED]
    return sorted(in_one_column, key=lambda merged: (merged.top, merged.column))


def _fill_merged(rows: list[list[str]], merged_cells: Iterable[MergedCells]) -> list[str]:
    """Write the value of merged cells into each of their rows that has other cells. Changes `rows`
    in place. Return the ranges that were filled: `A2:A5`.
    """
    ranges = list[str]()
    for merged in merged_cells:
        top_row, *lower_rows = rows[merged.top - 1 : merged.bottom] or [[]]
        column = merged.column
        value = top_row[column] if column < len(top_row) else ""
        empty = [row for row in lower_rows if column < len(row) and not row[column] and any(row)]
        for row in empty:
            row[column] = value
        if value and empty:
            ranges.append(merged.place)
    return ranges


def _read_sheet(sheet: Any, name: str, merged_cells: Iterable[MergedCells]) -> Worksheet:
    """Return a sheet with its cells as text; merged cells are filled in each of their rows.

    Raises UserError for a sheet that is too large.
    """
    rows = list[list[str]]()
    questions = list[str]()
    count = 0
    for cells in sheet.iter_rows():
        count += len(cells)
        if len(rows) >= MAX_LINES or len(cells) > MAX_WIDTH or count > MAX_CELLS:
            raise UserError(
                f"Sheet {sheet.title} of {name} is larger than {MAX_LINES:,} rows, {MAX_WIDTH} "
                f"columns or {MAX_CELLS:,} cells.",
                hint="Copy just the table into a separate sheet.",
                option="file",
                code="file-too-large",
            )
        rows.append([_format_cell(cell, questions) for cell in cells])
    ranges = _fill_merged(rows, merged_cells)
    if ranges:
        listed = ", ".join(ranges[:MAX_NAMED])
        suffix = " and more" if len(ranges) > MAX_NAMED else ""
        questions.append(f"merged cells are read in each of their rows: {listed}{suffix}")
    return Worksheet(str(sheet.title), _join_with_tabs(rows), tuple(dict.fromkeys(questions)))


def _join_with_tabs(rows: Iterable[list[str]]) -> str:
    """Return rows as text with tabs, without empty rows at the end."""
    output = io.StringIO()
    csv.writer(output, delimiter="\t", lineterminator="\n").writerows(rows)
    return output.getvalue().rstrip("\n\t ") + "\n"


def _format_cell(cell: Any, questions: list[str]) -> str:
    """Return a cell as it is shown, without the text that its format adds to a number; "" for an
    empty cell.

    Such a text is reported in `questions`, which is extended in place.
    """
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return " ".join(value.replace("\t", " ").split("\n"))
    format_ = str(getattr(cell, "number_format", "") or "General")
    if hasattr(value, "hour") and not hasattr(value, "year"):
        return _format_time(value.hour, value.minute, value.second)
    if hasattr(value, "total_seconds"):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return _format_time(minutes // 60, minutes % 60, seconds)
    if hasattr(value, "year"):
        return _format_date(value, format_)
    if isinstance(value, bool):
        return str(value).upper()
    text = _format_number(value, is_percent="%" in format_)
    literal = _LITERAL.search(format_)
    if literal and any(map(str.isalpha, literal[1])):
        questions.append(
            f"cell {cell.coordinate} is formatted to show {literal[1].strip()[:20]!r} as well; "
            f"the bot reads {text}"
        )
    return text


def _format_number(value: float, *, is_percent: bool) -> str:
    """Return a number with at most 15 digits, as Excel shows it; 0.25 as `25%` if `is_percent`."""
    if is_percent:
        return f"{value * 100:.15g}%"
    return f"{value:.15g}" if abs(value) < 1e15 else str(value)


def _format_time(hour: int, minute: int, second: int) -> str:
    """Return a time: `6:05`, or `6:05:30` if it has seconds."""
    return f"{hour}:{minute:02}:{second:02}" if second else f"{hour}:{minute:02}"


def _format_date(value: Any, format_: str) -> str:
    """Return a date in the order of its format: `2-Apr`, `Apr-2`, `Jan-50`, or in full."""
    letters = _strip_format(format_)
    day_index = letters.find("d")
    month_index = letters.find("m")
    year_index = letters.find("y")
    month = _MONTHS[value.month - 1]
    if year_index < 0 <= day_index:
        return f"{value.day}-{month}" if day_index < month_index else f"{month}-{value.day}"
    if day_index < 0 <= year_index:
        return f"{month}-{value.year % 100:02}"
    time = "" if not (value.hour or value.minute) else f" {value.hour}:{value.minute:02}"
    return f"{value.year:04}-{value.month:02}-{value.day:02}{time}"


def _strip_format(format_: str) -> str:
    """Return the letters of a number format in lower case, such as `d-mmm-yy`, of its first part
    before a `;`. Quoted texts, colors, languages and escaped signs are left out.
    """
    return _NO_LETTERS.sub("", format_.partition(";")[0]).casefold()
