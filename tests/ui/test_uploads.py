"""Files that people send: encodings are read by their marks or named, a workbook is read as it is
shown, and one that is made to hold the bot up is refused.
"""

from __future__ import annotations

import io
import time
import zipfile
from datetime import date
from datetime import time as clock_time

import pytest

from bot.ui.reply.packing import check_utf8, get_file_name, get_file_note, read_file_text
from bot.ui.uploads.decoding import decode_text
from bot.ui.uploads.workbook import MAX_UNPACKED, is_workbook, read_workbook
from tests.refusing import refuses
from tests.workbooks import workbook


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_that_says_its_encoding_is_read_without_a_note(encoding: str) -> None:
    decoded = decode_text("Grenadière".encode(encoding), "units.csv")
    assert (decoded.text, decoded.note) == ("Grenadière", "")


def test_a_text_in_ansi_is_read_with_a_word_that_shows_how() -> None:
    text = read_file_text("name;type\nGrenadière;squad\n".encode("cp1252"), "units.csv")
    assert (text, get_file_name(text)) == ("name;type\nGrenadière;squad\n", "units.csv")
    assert (
        get_file_note(text)
        == "read as Windows-1252 (Grenadière), because units.csv is not in UTF-8"
    )
    with refuses("not-text"):
        check_utf8(text)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\xff", b"\xff\xfe\x00", b"\x81\x8d\x8f"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with refuses("not-text"):
        decode_text(data, "x.csv")


def test_an_old_workbook_is_named() -> None:
    with refuses("unreadable-file") as caught:
        read_file_text(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500, "units.xls")
    assert "units.xls is an old Excel workbook" in caught.value.message


def test_a_damaged_zip_is_named() -> None:
    with refuses("unreadable-file damaged zip"):
        decode_text(b"PK\x03\x04 rubbish", "x.csv")


def test_cells_are_read_as_they_are_shown() -> None:
    pytest.importorskip("openpyxl")
    april = date(2026, 4, 2)
    rows: list[list[object]] = [
        [april, april, april, date(1950, 1, 1), clock_time(1, 3)],
        [5.0, 0.5, 0.25, True, "two\nlines"],
        [4, -2, None, 0.1 + 0.2, "+1"],
    ]
    formats = {
        "A1": "d-mmm", "B1": "m/d", "C1": "yyyy-mm-dd", "D1": "mmm-yy", "E1": "h:mm",
        "B2": "0%", "A3": '0" or less"',
    }  # fmt: skip
    (sheet,), left_out = read_workbook(workbook(rows, formats), "x.xlsx")
    assert [line.split("\t") for line in sheet.text.splitlines()] == [
        ["2-Apr", "Apr-2", "2026-04-02", "Jan-50", "1:03"],
        ["5", "50%", "0.25", "TRUE", "two lines"],
        ["4", "-2", "", "0.3", "+1"],
    ]
    assert sheet.questions == ("cell A3 is formatted to show 'or less' as well; the bot reads 4",)
    assert left_out == []


def test_merged_cells_are_read_in_each_of_their_rows() -> None:
    """A title over several columns stays where it is, and a row without other cells is a gap."""
    pytest.importorskip("openpyxl")
    rows: list[list[object]] = [
        ["Assault", None, None],
        ["d6", "Difference", None],
        [None, "-1", "+1"],
        ["1-3", "AE", "AR"],
        ["4-6", None, "DR"],
        [None, None, None],
    ]
    data = workbook(rows, merged=["A1:C1", "B2:C2", "A2:A3", "B4:B5", "C5:C6"])
    (sheet,), _ = read_workbook(data, "x.xlsx")
    assert [line.split("\t") for line in sheet.text.splitlines()] == [
        ["Assault", "", ""],
        ["d6", "Difference", ""],
        ["d6", "-1", "+1"],
        ["1-3", "AE", "AR"],
        ["4-6", "AE", "DR"],
    ]
    assert sheet.questions == ("merged cells are read in each of their rows: A2:A3, B4:B5",)


def parts(**contents: bytes) -> bytes:
    """Return a zip that looks like a workbook."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr("xl/workbook.xml", contents.pop("book", b"<workbook/>"))
        for name, content in contents.items():
            packed.writestr(f"xl/{name}.xml", content)
    return file.getvalue()


HOSTILE = {
    "a bomb": parts(bomb=b" " * (MAX_UNPACKED + 1)),
    "many parts": parts(**{f"part{number}": b"" for number in range(600)}),
    "entities": parts(book=b'<!DOCTYPE a [<!ENTITY b "bb">]><workbook/>'),
    "entities in UTF-16": parts(book='<!DOCTYPE a [<!ENTITY b "bb">]><a/>'.encode("utf-16-le")),
    "damaged": parts()[:-30],
    "nothing in it": parts(),
}


@pytest.mark.parametrize("what", list(HOSTILE))
def test_a_hostile_workbook_is_refused_at_once(what: str) -> None:
    begin = time.process_time()
    with refuses("unreadable-file"):
        read_workbook(HOSTILE[what], "x.xlsx")
    assert time.process_time() - begin < 1


def test_a_cell_at_the_far_end_of_a_sheet_is_refused_at_once() -> None:
    pytest.importorskip("openpyxl")
    begin = time.process_time()
    with refuses("file-too-large"):
        read_workbook(workbook([["d6", "Sky"], *[[]] * 20_000, [1, "wet"]]), "x.xlsx")
    assert time.process_time() - begin < 5
    assert not is_workbook(b"PK\x03\x04 and no more")
