"""The text of an uploaded file, in any of the encodings that spreadsheets use."""

import codecs
import re
from dataclasses import dataclass

from bot.rules.errors import UserError

WESTERN = "Windows-1252"
"""The encoding of a CSV file from Excel in Western Europe, which its dialogs call ANSI."""
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_WORD = re.compile(r"\w+")
_ZIP = b"PK\x03\x04"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A text, and a note on its encoding if that was a guess."""

    text: str
    note: str = ""


def decode_text(data: bytes, name: str) -> DecodedText:
    """Return the text of a file in UTF-8, in UTF-16 with a byte order mark, or else in Windows-1252.

    Windows-1252 is a guess; the note then shows the longest word with a special letter, to check.
    Raises UserError for a file that is not text.
    """
    check_old_workbook(data, name)
    if data.startswith(_ZIP):
        raise build_workbook_error(f"{name} is a damaged zip or workbook.")
    for mark, encoding in _UTF_16.items():
        if data.startswith(mark):
            try:
                return DecodedText(data[len(mark) :].decode(encoding))
            except UnicodeDecodeError:
                raise build_no_text_error(name) from None
    try:
        return DecodedText(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        pass
    if _BINARY.search(data):
        raise build_no_text_error(name)
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise build_no_text_error(name) from None
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    longest = max(words, key=len, default="")
    sample = f" ({longest[:30]})" if longest else ""
    return DecodedText(text, f"read as {WESTERN}{sample}, because {name} is not in UTF-8")


def check_old_workbook(data: bytes, name: str) -> None:
    """Raise UserError for a workbook of Excel before 2007 (.xls), which the bot cannot read."""
    if data.startswith(_OLD_EXCEL):
        raise build_workbook_error(
            f"{name} is an old Excel workbook (.xls), which the bot cannot read."
        )


def build_workbook_error(message: str) -> UserError:
    """Return the error for a workbook that cannot be read; the hint names two ways out."""
    hint = "Save it as CSV UTF-8, or copy the cells and paste them as text."
    return UserError(message, hint=hint, option="file", code="unreadable-file")


def build_no_text_error(name: str) -> UserError:
    """Return the error for a file that is not text."""
    return UserError(
        f"{name} is not UTF-8 text.", hint="Save it as UTF-8.", option="file", code="not-text"
    )
