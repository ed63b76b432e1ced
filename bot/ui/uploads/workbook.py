"""The cells of an Excel workbook (.xlsx) as text, sheet by sheet, the way that its cells are shown.

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
"""Bytes of all parts of a workbook together."""
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
"""Of a number format: texts, colors and languages, and single signs that stand for themselves."""
_MERGED = re.compile(
    r'<(?:\w{1,20}:)?mergeCell\s[^<>]{0,80}?ref="([A-Z]{1,3})([1-9]\d{0,6}):([A-Z]{1,3})([1-9]\d{0,6})"'
)
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@dataclass(frozen=True, slots=True)
class Worksheet:
    """A sheet: its name, its cells as text with tabs between them, and what to look at again."""

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
        """Return whether they are below each other in one column."""
        return self.left == self.right and self.top < self.bottom

    @property
    def top(self) -> int:
        return int(self.first_row)

    @property
    def bottom(self) -> int:
        return int(self.last_row)

    @property
    def column(self) -> int:
        """Return the number of their column, from 0."""
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
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            names = packed.namelist()
            if _WORKBOOK in names or _BINARY_WORKBOOK in names:
                return True
            return names[:1] == ["mimetype"] and _is_open_document(packed)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError, zlib.error):
        return False


def _is_open_document(packed: zipfile.ZipFile) -> bool:
    with packed.open("mimetype") as file:
        return file.read(100).startswith(_OPEN_DOCUMENT)


def read_workbook(data: bytes, name: str) -> tuple[list[Worksheet], list[str]]:
    """Return the sheets of a workbook that have cells, and what is left out. Raises UserError for
    one that is not read, is too large or damaged.
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
        sheets = book.worksheets
        left_out = [f"sheet {sheet.title} is hidden, and left out" for sheet in sheets
                    if sheet.sheet_state != "visible"]  # fmt: skip
        visible = [sheet for sheet in sheets if sheet.sheet_state == "visible"]
        if len(visible) > MAX_SHEETS:
            raise UserError(
                f"{name} has {len(visible)} sheets; at most {MAX_SHEETS} are read at once.",
                option="file",
                code="too-many",
            )
        read = [_read_sheet(sheet, name, _find_merged(data, sheet)) for sheet in visible]
    except UserError:
        raise
    except Exception:  # whatever a damaged file makes of the library
        raise build_workbook_error(
            f"{name} is an Excel workbook, but not as Excel writes one, and cannot be read."
        ) from None
    return [sheet for sheet in read if sheet.text.strip()], left_out


def _check_parts(data: bytes, name: str) -> None:
    """Raise UserError for a workbook of another program, or one whose parts are too many, too
    large, or declare entities.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            parts = packed.infolist()
            names = {part.filename for part in parts}
            if _WORKBOOK not in names:
                kind = "binary Excel" if _BINARY_WORKBOOK in names else "LibreOffice"
                raise build_workbook_error(f"{name} is a {kind} workbook, which is not read.")
            if len(parts) > MAX_PARTS:
                raise build_workbook_error(f"{name} has more than {MAX_PARTS} parts.")
            left = MAX_UNPACKED
            for part in parts:
                if part.flag_bits & 1:
                    raise build_workbook_error(f"{name} is encrypted.")
                with packed.open(part) as file:
                    content = file.read(left + 1)  # the size that it declares may be a lie
                left -= len(content)
                if left < 0:
                    raise build_workbook_error(
                        f"{name} is larger than {MAX_UNPACKED // 1_000_000} MB unpacked."
                    )
                if _has_declarations(content):
                    raise build_workbook_error(
                        f"{name} declares entities of XML, which are not read."
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError):
        raise build_workbook_error(f"{name} is a damaged workbook.") from None


def _has_declarations(content: bytes) -> bool:
    """Return whether a part of XML declares something, also in UTF-16."""
    if any(declaration in content for declaration in _DECLARATIONS):
        return True
    wide = [
        bytes(byte for char in declaration for byte in (char, 0)) for declaration in _DECLARATIONS
    ]
    return any(declaration[:-1] in content for declaration in wide)


def _find_merged(data: bytes, sheet: Any) -> list[MergedCells]:
    """Return the merged cells of a sheet that go down one column."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        part = packed.read(sheet._worksheet_path).decode("utf-8", "replace")
    found = [MergedCells(*match.groups()) for match in _MERGED.finditer(part)]
    down = [merged for merged in found if merged.is_down][:MAX_MERGED]
    return sorted(down, key=lambda merged: (merged.top, merged.column))


def _fill_merged(rows: list[list[str]], merged_cells: Iterable[MergedCells]) -> list[str]:
    """Write the value of merged cells into each of their rows that has other cells, and return
    where that was.
    """
    filled = list[str]()
    for merged in merged_cells:
        first, *others = rows[merged.top - 1 : merged.bottom] or [[]]
        column = merged.column
        value = first[column] if column < len(first) else ""
        fitting = [row for row in others if column < len(row) and not row[column] and any(row)]
        for row in fitting:
            row[column] = value
        if value and fitting:
            filled.append(merged.place)
    return filled


def _read_sheet(sheet: Any, name: str, merged_cells: Iterable[MergedCells]) -> Worksheet:
    """Return the cells of a sheet. Raises UserError for one that is too large."""
    rows = list[list[str]]()
    questions = list[str]()
    count = 0
    for cells in sheet.iter_rows():
        count += len(cells)
        if len(rows) >= MAX_LINES or len(cells) > MAX_WIDTH or count > MAX_CELLS:
            raise UserError(
                f"Sheet {sheet.title} of {name} is larger than {MAX_LINES:,} rows, {MAX_WIDTH} "
                f"columns or {MAX_CELLS:,} cells.",
                hint="Copy the table alone into a sheet of its own.",
                option="file",
                code="file-too-large",
            )
        rows.append([_format_cell(cell, questions) for cell in cells])
    if filled := _fill_merged(rows, merged_cells):
        more = " and more" if len(filled) > MAX_NAMED else ""
        listed = ", ".join(filled[:MAX_NAMED])
        questions.append(f"merged cells are read in each of their rows: {listed}{more}")
    return Worksheet(str(sheet.title), _join_with_tabs(rows), tuple(dict.fromkeys(questions)))


def _join_with_tabs(rows: Iterable[list[str]]) -> str:
    """Return rows as text with tabs, without empty rows at the end."""
    output = io.StringIO()
    csv.writer(output, delimiter="\t", lineterminator="\n").writerows(rows)
    return output.getvalue().rstrip("\n\t ") + "\n"


def _format_cell(cell: Any, questions: list[str]) -> str:
    """Return a cell as it is shown; what its format adds to a number is asked about."""
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
            f"cell {cell.coordinate} is shown with {literal[1].strip()[:20]!r} by its format: "
            f"{text} is read"
        )
    return text


def _format_number(value: float, *, is_percent: bool) -> str:
    if is_percent:
        return f"{value * 100:.15g}%"
    return f"{value:.15g}" if abs(value) < 1e15 else str(value)


def _format_time(hour: int, minute: int, second: int) -> str:
    return f"{hour}:{minute:02}:{second:02}" if second else f"{hour}:{minute:02}"


def _format_date(value: Any, format_: str) -> str:
    """Return a date in the order of its format: `2-Apr`, `Apr-2`, `Jan-50`, or in full."""
    plain = _strip_format(format_)
    day = plain.find("d")
    month = plain.find("m")
    year = plain.find("y")
    name = _MONTHS[value.month - 1]
    if year < 0 <= day:
        return f"{value.day}-{name}" if day < month else f"{name}-{value.day}"
    if day < 0 <= year:
        return f"{name}-{value.year % 100:02}"
    time = "" if not (value.hour or value.minute) else f" {value.hour}:{value.minute:02}"
    return f"{value.year:04}-{value.month:02}-{value.day:02}{time}"


def _strip_format(format_: str) -> str:
    """Return the letters of a number format in lower case, such as `d-mmm-yy`, of its first part
    before a `;`. Quoted texts, colors, languages and escaped signs are left out.
    """
    return _NO_LETTERS.sub("", format_.partition(";")[0]).casefold()
