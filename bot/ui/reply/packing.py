"""Files that are sent to and fetched from a chat: text, compressed if it is long."""

import zlib
from base64 import b64decode, b64encode

from bot.rules.errors import UserError
from bot.ui.reply.reply import File
from bot.ui.uploads.decoding import build_no_text_error, decode_text

MOST_BYTES = 10_000_000
"""Maximum size of a file that is fetched from a chat, in bytes, as it was uploaded."""
MOST_TEXT = 20_000_000
"""Maximum size of the text of a file, in bytes, unpacked: about 50,000 rolls."""
LONG = 500_000
"""A text of more bytes than this is sent compressed."""
ZIPPED = "zip in base64:"
"""The beginning of the text that stands for a zip file: only packs are zip files."""
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"


class Packing:
    """A file to be sent, built piece by piece. If it gets long it is compressed, with .gz after its
    name.

    Only the last text of a long file is held in memory uncompressed; adding may take some
    milliseconds.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._plain: list[bytes] = []
        self._size = 0
        self._packer = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS | 16)
        self._packed: list[bytes] = []

    def add(self, text: str) -> None:
        """Append text to the file."""
        data = text.encode()
        self._size += len(data)
        self._plain.append(data)
        if self._size > LONG:
            self._packed += [self._packer.compress(piece) for piece in self._plain]
            self._plain.clear()

    def build_file(self) -> File:
        """Return the file. Nothing can be added after that."""
        if self._size <= LONG:
            return File(self._name, b"".join(self._plain).decode())
        return File(f"{self._name}.gz", b"".join([*self._packed, self._packer.flush()]))


class FileText(str):
    """The text of an uploaded file, with the file's name. `note` says in which encoding it was
    read, if that was a guess.
    """

    name: str
    note: str

    def __new__(cls, text: str, name: str = "", note: str = "") -> "FileText":
        file_text = super().__new__(cls, text)
        file_text.name = name
        file_text.note = note
        return file_text


def read_file_text(data: bytes, name: str) -> FileText:
    """Return the text of an uploaded file, unpacked if it is compressed. A zip becomes a text from
    which `get_zip_data` restores it.

    Raises UserError for a file that is too large (a small one may unpack to any size), damaged or
    no text.
    """
    if len(data) > MOST_BYTES:
        raise build_too_large_error(name)
    if data.startswith(_ZIP):
        return FileText(ZIPPED + b64encode(data).decode(), name)
    if data.startswith(_GZIP):
        data = _unpack_gzip(data, name)
    decoded = decode_text(data, name)
    return FileText(decoded.text, name, decoded.note)


def get_file_name(text: object) -> str:
    """Return the name of the file that a text is from, or "" if it was typed."""
    return text.name if isinstance(text, FileText) else ""


def get_file_note(text: object) -> str:
    """Return the note on the encoding of a text's file if that was a guess, else ""."""
    return text.note if isinstance(text, FileText) else ""


def check_utf8(text: object) -> None:
    """Raise UserError for the text of a file if its encoding was a guess."""
    if get_file_note(text):
        raise build_no_text_error(get_file_name(text))


def get_zip_data(text: str) -> bytes | None:
    """Return the zip that read_file_text stored as a text, or None if the text is no zip.

    b"" for a text that only pretends to be one.
    """
    if not text.startswith(ZIPPED):
        return None
    try:
        return b64decode(text.removeprefix(ZIPPED))
    except ValueError:  # a user typed it
        return b""


def build_too_large_error(name: str) -> UserError:
    """Return the error for a file of more than MOST_BYTES."""
    message = f"{name} is larger than {MOST_BYTES // 1_000_000} MB."
    hint = "Compress it: gzip FILE makes FILE.gz."
    return UserError(message, hint=hint, option="file", code="file-too-large")


def _unpack_gzip(data: bytes, name: str) -> bytes:
    """Return the content of a gzip file. Raises UserError if it is damaged or larger than MOST_TEXT
    bytes; no more than that is ever unpacked.
    """
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        text = stream.decompress(data, MOST_TEXT + 1)
    except zlib.error:
        raise UserError(
            f"{name} is damaged: it cannot be unpacked.", option="file", code="damaged-file"
        ) from None
    if len(text) > MOST_TEXT:
        message = f"{name} is too large: unpacked it has more than {MOST_TEXT // 1_000_000} MB."
        raise UserError(message, option="file", code="file-too-large")
    if not stream.eof or stream.unused_data:
        message = f"{name} is damaged: it is cut off, or has extra data at the end."
        raise UserError(message, option="file", code="damaged-file")
    return text
