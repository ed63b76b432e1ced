"""Excel workbooks for tests, made with openpyxl."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence


def workbook(
    rows: Sequence[Sequence[object]],
    formats: Mapping[str, str] | None = None,
    title: str = "Sheet1",
    merged: Sequence[str] = (),
) -> bytes:
    """Return a workbook of one sheet; `formats` are number formats by cell (`A2`), `merged` are
    ranges of merged cells (`A2:A4`).
    """
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(list(row))
    for cell, number_format in (formats or {}).items():
        sheet[cell].number_format = number_format
    for place in merged:
        sheet.merge_cells(place)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
