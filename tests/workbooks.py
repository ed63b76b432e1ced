"""Excel workbooks for tests, made with openpyxl."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence


def workbook(
    rows: Sequence[Sequence[object]],
    formats: Mapping[str, str] | None = None,
    title: str = "Sheet1",
) -> bytes:
    """Return a workbook of one sheet; `formats` are number formats by cell (`A2`)."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(list(row))
    for cell, number_format in (formats or {}).items():
        sheet[cell].number_format = number_format
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
