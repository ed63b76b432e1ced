"""Files that come and go in a chat: text, compressed where it is long."""

import zlib
from base64 import b64decode, b64encode

from bot.rules.errors import UserError
from bot.ui.reply.reply import File
from bot.ui.uploads.decoding import build_no_text_error, decode_text

MOST_BYTES = 10_000_000
"""The largest file that is fetched from a chat, as it is there."""
MOST_TEXT = 20_000_000
"""The longest text in one, unpacked: some 50,000 rolls."""
LONG = 500_000
"""A text longer than this is sent compressed."""
ZIPPED = "zip in base64:"
"""How the text of a file begins that is a zip: only packs come so."""
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"


class Packing:
    """A file to send in the making, piece by piece: it is compressed, with .gz behind its name,
    where it is long.

    No more of a long text is ever held than what was added last; adding may take some milliseconds.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._plain: list[bytes] = []
        self._size = 0
        self._packer = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS | 16)
        self._packed: list[bytes] = []

    def add(self, text: str) -> None:
        """Put text behind what is there."""
        data = text.encode()
        self._size += len(data)
        self._plain.append(data)
        if self._size > LONG:
            self._packed += [self._packer.compress(piece) for piece in self._plain]
            self._plain.clear()

    def build_file(self) -> File:
        """The file; nothing can be added any more."""
        if self._size <= LONG:
            return File(self._name, b"".join(self._plain).decode())
        return File(f"{self._name}.gz", b"".join([*self._packed, self._packer.flush()]))


class FileText(str):
    """The text of a file that was fetched, with the file's name; `note` says how it was read if
    that was a guess.
    """

    name: str
    note: str

    def __new__(cls, text: str, name: str = "", note: str = "") -> "FileText":
        made = super().__new__(cls, text)
        made.name = name
        made.note = note
        return made


def read_file_text(data: bytes, name: str) -> FileText:
    """The text of a file as it was fetched, unpacked if it is compressed; a zip as text, for
    `get_zip_data`.

    Raises UserError for one that is too large (a small one may unpack to no end), damaged or no
    text.
    """
    if len(data) > MOST_BYTES:
        raise build_too_large_error(name)
    if data.startswith(_ZIP):
        return FileText(ZIPPED + b64encode(data).decode(), name)
    decoded = decode_text(_unpack_gzip(data, name) if data.startswith(_GZIP) else data, name)
    return FileText(decoded.text, name, decoded.note)


def get_file_name(text: object) -> str:
    """Return the name of the file that a text is from, "" if it was typed."""
    return text.name if isinstance(text, FileText) else ""


def get_file_note(text: object) -> str:
    """Return how the file of a text was read if that was a guess, else ""."""
    return text.note if isinstance(text, FileText) else ""


def check_utf8(text: object) -> None:
    """Raise UserError for the text of a file whose encoding was a guess."""
    if get_file_note(text):
        raise build_no_text_error(get_file_name(text))


def get_zip_data(text: str) -> bytes | None:
    """The zip that a file's text stands for; None where the file was no zip."""
    if not text.startswith(ZIPPED):
        return None
    try:
        return b64decode(text.removeprefix(ZIPPED))
    except ValueError:  # typed by somebody
        return b""


def build_too_large_error(name: str) -> UserError:
    """The error for a file of more than MOST_BYTES."""
    what = f"{name} is larger than {MOST_BYTES // 1_000_000} MB."
    hint = "Compress it: gzip FILE makes FILE.gz."
    return UserError(what, hint=hint, option="file", code="file-too-large")


def _unpack_gzip(data: bytes, name: str) -> bytes:
    """What a gzip file holds. No more than MOST_TEXT bytes of it are ever made."""
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        text = stream.decompress(data, MOST_TEXT + 1)
    except zlib.error:
        raise UserError(
            f"{name} is damaged: it cannot be unpacked.", option="file", code="damaged-file"
        ) from None
    if len(text) > MOST_TEXT:
        what = f"{name} is too large: unpacked it has more than {MOST_TEXT // 1_000_000} MB."
        raise UserError(what, option="file", code="file-too-large")
    if not stream.eof or stream.unused_data:
        what = f"{name} is damaged: it is cut off, or goes on behind its end."
        raise UserError(what, option="file", code="damaged-file")
    return text
