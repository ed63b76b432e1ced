"""The reader of exported games, as JSON or inside an after-action page.

Anybody may have written the file, so every part is checked. docs/export.md describes it.
"""

from __future__ import annotations

import binascii
import json
import re
import zlib
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bot.rules.errors import UserError
from bot.rules.proof.unreleased import check_protocol, make_unreleased_error
from bot.rules.text.phrase import phrase

FORMAT = "grognard-game"
VERSION = 2
"""The version of the file. Lower ones were written by unreleased builds only."""
MOST_PACKS = 40
_MARK = 'id="export"'
_OPENING = '<script type="application/{kind}" id="export">'
_KINDS = ("json", "gzip")
_CLOSING = "</script>"
_GZIP = zlib.MAX_WBITS | 16


class ExportedEvent(NamedTuple):
    """One event, with its JSON `body` as it is in the file."""

    number: int
    body: Mapping[str, Any]
    hash: str


class ExportedSeed(NamedTuple):
    """One seed of the game's dice. `seed` is empty before it is published."""

    epoch: int
    commitment: str
    seed: bytes


class ExportedText(NamedTuple):
    """A text that the chain holds as a salted hash."""

    event: int
    key: str
    salt: str
    text: str
    person: str


class ExportedPerson(NamedTuple):
    """The account key and the name of a person id."""

    person: str
    key: str  # recognizes their account, see `compute_person_key`; "" for none
    name: str


@dataclass(frozen=True, slots=True)
class Exported:
    """The contents of an exported file."""

    game: str
    head: str
    events: tuple[ExportedEvent, ...]
    seeds: tuple[ExportedSeed, ...]
    texts: tuple[ExportedText, ...]
    persons: tuple[ExportedPerson, ...]
    packs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The files of the packs that the game was played with, by the hash of their version."""


def read_json(text: str, file_name: str = "The file") -> object:
    """Parse the JSON of a file so that it has one meaning only. `file_name` is for messages.

    Raises UserError for text that is not JSON, for a key that occurs twice in an object, for numbers
    such as NaN, and for halves of characters, which would have the same hash as a question mark.
    """

    def build_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated = next(key for key, count in counts.items() if count > 1)
            raise _make_ambiguity_error(
                f"{file_name} contains {repeated[:40]!r} twice in one object."
            )
        return fields

    def refuse_number(word: str) -> object:
        raise _make_ambiguity_error(f"{file_name} contains {word}, which is not a number.")

    try:
        data: object = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=build_object,
            parse_constant=refuse_number,
        )
    except (ValueError, RecursionError):
        raise UserError(
            f"{file_name} is not JSON.",
            hint=phrase("`/game export` writes a file that can be checked."),
            code="not-a-log",
        ) from None
    if _HALF.search(text) and re.search("[\ud800-\udfff]", json.dumps(data, ensure_ascii=False)):
        raise _make_ambiguity_error(f"{file_name} contains half a character.")
    return data


_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def _make_ambiguity_error(problem: str) -> UserError:
    return UserError(
        problem,
        hint="Grognard does not write files like that. Export the game again.",
        code="damaged-log",
    )


def read_export(data: object) -> Exported:
    """Read an export from parsed JSON.

    Raises UserError that names the faulty part, or says that another version wrote the file.
    """
    file = _ExportPart(data, "the file")
    if file.data.get("format") != FORMAT:
        raise UserError(
            "This file is not a game exported by Grognard.",
            hint=phrase("`/game export` writes one."),
            code="not-a-log",
        )
    version = file.number("version")
    if version > VERSION:
        raise UserError(
            "This file was written by a newer Grognard.",
            hint="Update this one, then try again.",
            code="newer-log",
        )
    if version < VERSION:
        raise make_unreleased_error("This file", f"export version {version}")
    events = tuple(
        ExportedEvent(part.number("number"), part.part("body").data, part.text("hash"))
        for part in file.parts("events")
    )
    for event in events:
        check_protocol(event.body)
    persons = tuple(
        ExportedPerson(part.text("person"), part.text("key", ""), part.text("name"))
        for part in file.parts("persons")
    )
    if len({row.person for row in persons}) < len(persons):
        raise _make_ambiguity_error("The file lists a person twice.")
    return Exported(
        game=file.text("game"),
        head=file.text("head"),
        events=events,
        seeds=tuple(
            ExportedSeed(part.number("epoch"), part.text("commitment"), part.seed("seed"))
            for part in file.parts("seeds")
        ),
        texts=tuple(
            ExportedText(
                part.number("event"),
                part.text("key"),
                part.text("salt"),
                part.text("text"),
                part.text("person", ""),
            )
            for part in file.parts("texts")
        ),
        persons=persons,
        packs=_read_packs(file),
    )


def _read_packs(file: _ExportPart) -> dict[str, dict[str, str]]:
    """Read the files of the packs in an export, by hash and name. Return {} if it has no packs.

    Raises UserError for more than MOST_PACKS, and for a file that is not a text.
    """
    if "packs" not in file.data:
        return {}
    packs = file.part("packs")
    if len(packs.data) > MOST_PACKS:
        raise _make_format_error("packs of the file", f"of at most {MOST_PACKS}")
    files_by_hash = {}
    for hash in packs.data:
        pack = packs.part(hash)
        files_by_hash[hash] = {name: pack.text(name) for name in pack.data}
    return files_by_hash


class _ExportPart:
    """A JSON object of the file, with its name for messages. All readers raise UserError."""

    def __init__(self, data: object, name: str) -> None:
        if not isinstance(data, Mapping):
            raise _make_format_error(name, "an object")
        self.data: Mapping[str, Any] = data
        self._name = name

    def text(self, key: str, default: str | None = None) -> str:
        """Return the text of a field, or `default` if it is absent. One of the two is needed."""
        value = self.data.get(key, default)
        if not isinstance(value, str):
            raise _make_format_error(f"{key} of {self._name}", "a text")
        return value

    def number(self, key: str) -> int:
        """Return the number of a field, a whole one from 0. It may not be absent."""
        value = self.data.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
            raise _make_format_error(f"{key} of {self._name}", "a whole number")
        return value

    def seed(self, key: str) -> bytes:
        """Return the bytes of a field in hex digits; empty if it is absent."""
        text = self.text(key, "")
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise _make_format_error(f"{key} of {self._name}", "hex digits") from None

    def part(self, key: str) -> _ExportPart:
        """Return the object of a field. It may not be absent."""
        return _ExportPart(self.data.get(key), f"{key} of {self._name}")

    def parts(self, key: str) -> list[_ExportPart]:
        """Return the objects of a field that is a list; none if it is absent."""
        values = self.data.get(key, [])
        if not isinstance(values, list):
            raise _make_format_error(f"{key} of {self._name}", "a list")
        return [
            _ExportPart(value, f"entry {index} of {key}") for index, value in enumerate(values, 1)
        ]


def _make_format_error(part: str, expected: str) -> UserError:
    return UserError(
        f"The file is damaged: {part} is not {expected}.",
        hint="Export the game again.",
        code="damaged-log",
    )


def extract_export(text: str, max_bytes: int) -> str:
    """Return the JSON of the exported game inside an after-action page. Return other text unchanged.

    Raises UserError for a page with no game or with several, and for data that is damaged or unpacks
    to more than `max_bytes` bytes.
    """
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        return text
    kind, data = _find_embedded_game(text)
    return _unpack(data, max_bytes) if kind == "gzip" else data


def _find_embedded_game(page: str) -> tuple[str, str]:
    """Return how the game in a page is packed (`json` or `gzip`), and its text.

    Raises UserError for a page with no game, or with several. It stops reading at the second.
    """
    hint = "Give the after-action page as it was downloaded, or the game as JSON."
    missing_error = UserError("This page contains no exported game.", hint=hint, code="not-a-log")
    mark = page.find(_MARK)
    if mark < 0:
        raise missing_error
    mark_end = mark + len(_MARK)
    if page.find(_MARK, mark_end) >= 0:
        raise UserError("This page contains more than one game.", hint=hint, code="not-a-log")
    for kind in _KINDS:
        opening = _OPENING.format(kind=kind)
        start = mark_end + 1 - len(opening)
        if start >= 0 and page.startswith(opening, start):
            content = start + len(opening)
            stop = page.find(_CLOSING, content)
            if stop >= 0:
                return kind, page[content:stop]
    raise missing_error


def _unpack(data: str, max_bytes: int) -> str:
    """Unpack text from gzip in base64. Raises UserError if it is damaged or too large."""
    stream = zlib.decompressobj(wbits=_GZIP)
    try:
        raw = stream.decompress(b64decode(data.strip(), validate=True), max_bytes + 1)
        text = raw.decode()
    except (ValueError, binascii.Error, zlib.error):
        raise UserError(
            "The page is damaged: its data cannot be unpacked.", code="damaged-file"
        ) from None
    if len(raw) > max_bytes:
        raise UserError("The game in this page is too large.", code="file-too-large")
    if not stream.eof or stream.unused_data:
        raise UserError("The page is damaged: its data is cut off.", code="damaged-file")
    return text
