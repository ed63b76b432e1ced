"""Strict parsing of YAML: with the safe loader, an error for a repeated key, and limits for the
files of packs.
"""

import re
from collections.abc import Sequence
from typing import Any

import yaml

from bot.rules.errors import TableError

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _StrictLoader(_Loader):  # type: ignore[misc, valid-type]  # PyYAML's C loader has no stubs of its own
    """A safe loader that refuses a mapping key that is there twice: a second row of the same name
    would hide the first.
    """


def _build_strict_mapping(loader: Any, node: Any, deep: bool = False) -> dict[Any, Any]:
    """Return the mapping of a YAML node. Raises MarkedYAMLError for a key that is there twice."""
    mapping: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in mapping:
            raise yaml.MarkedYAMLError(
                problem=f"the key {key!r} is given twice", problem_mark=key_node.start_mark
            )
        mapping[key] = loader.construct_object(value_node, deep=deep)
    return mapping


_StrictLoader.add_constructor(
    "tag:yaml.org,2002:map", lambda loader, node: _build_strict_mapping(loader, node, deep=True)
)


def parse(text: bytes, file: str) -> Any:
    """Return the content of a YAML file; `file` is its name in errors.

    Raises TableError with the line if it cannot be parsed.
    """
    try:
        return yaml.load(text, Loader=_StrictLoader)  # a safe loader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise TableError(file, f"line {line}: {error.problem}") from None


def find_position(text: bytes, path: Sequence[str | int]) -> str:
    """Return the place of a path of keys and indexes in a YAML text: `line 12, column 5`.

    If the path leads nowhere, it is followed as far as possible; "" if even its first key is
    missing.
    """
    node = yaml.compose(text, Loader=_Loader)
    mark = None
    for key in path:
        if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            mark = node.start_mark
            continue
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        pair = next(((name, value) for name, value in pairs if name.value == str(key)), None)
        if pair is None:
            break
        name, node = pair
        mark = name.start_mark
    return f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""


# -- YAML that a stranger may have written: checked before it is parsed, with limits on its depth, its
# texts and its numbers, and without anchors and tags

DEEPEST = 12
MOST_VALUES = 30_000
"""Most values of one file. The largest printed table of the built-in games has some 3,000."""
MOST_KEYS = 500
"""Most keys or items directly in one mapping or list."""
MOST_CELLS = 2_000
"""Most rows in `cells`: decks of texts are long."""
LONGEST_TEXT = 4_000
LONGEST_LINE = 10_000
"""Most characters of a line, with room for a quoted text."""
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
_LARGE = re.compile(
    r"[-+]?[\d_][\d_]{12,}(\.\d*)?|[-+]?[\d_.]+[eE][-+]?\d{2,}|[-+]?\.(inf|nan)", re.IGNORECASE
)
_OTHER_NUMBER = re.compile(
    r"\d{4}-\d\d?-\d\d?([Tt ].*)?|[-+]?0[xb][\da-fA-F_]+|[-+]?\d[\d_]*(:[0-5]?\d)+(\.\d*)?"
)


def read_bounded(data: bytes, file: str) -> Any:
    """Return the content of a YAML file of a pack, None for an empty one.

    `file` is its name in errors. Raises TableError, with line and column if they are known, for a
    text that is no YAML or has a repeated key, and for all that `_Bounds` refuses.
    """
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise TableError(file, f"is not UTF-8 text (byte {error.start})") from None
    _check_lines(text, file)
    try:
        _Bounds(file).check(text)
    except yaml.MarkedYAMLError as error:
        raise TableError(file, _explain_slip(error, text)) from None
    except yaml.YAMLError as error:
        raise TableError(file, f"is not YAML: {error}") from None
    try:
        return parse(text.encode(), file)
    except (
        ValueError,
        TypeError,
        RecursionError,
        yaml.YAMLError,
    ):  # a key that is a list, a 31st of February
        raise TableError(
            file, "has a key that is not a word or a number, or an impossible date; quote it"
        ) from None


def _check_lines(text: str, file: str) -> None:
    """Raise TableError for a line that is too long, or has a control or invisible character."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            raise TableError(
                file,
                f"line {number}: has {len(line)} characters; a line has at most {LONGEST_LINE}",
            )
        character = _INVISIBLE.search(line)
        if character:
            code = f"U+{ord(character[0]):04X}"
            raise TableError(
                file,
                f"line {number}, column {character.start() + 1}: a control or invisible character ({code})",
            )


class _Bounds:
    """The limits of one file, checked event by event without building its content.

    `_entries` and `_limits` have an item for each mapping and list that is open: its keys and
    values so far, and the most entries. `_last_value` is the text of the last event.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._values = 0
        self._entries: list[int] = []
        self._limits: list[int] = []
        self._last_value = ""

    def check(self, text: str) -> None:
        """Check the text of the file.

        Raises TableError for an anchor, alias or tag, for lists and mappings that are too deep, for
        too many values or entries, and for a text or number as in `_check_scalar`. Raises YAMLError
        if it is not YAML.
        """
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                self._refuse(
                    event,
                    "anchors and aliases (& and *) are not allowed; write it out, or quote the text",
                )
            tag = getattr(event, "tag", None)
            if tag:
                self._refuse(event, f"tags such as {str(tag)[:40]} are not allowed")
            if isinstance(event, yaml.ScalarEvent):
                self._check_scalar(event)
            if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
                self._count(event)
            if isinstance(event, yaml.CollectionStartEvent):
                self._entries.append(0)
                limit = MOST_CELLS if self._last_value == "cells" else MOST_KEYS
                self._limits.append(limit)
                if len(self._entries) > DEEPEST:
                    self._refuse(event, f"lists and mappings go at most {DEEPEST} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                self._entries.pop()
                self._limits.pop()
            self._last_value = getattr(event, "value", "")

    def _count(self, event: Any) -> None:
        """Count a value. Raises TableError for one too many in the file, mapping or list."""
        self._values += 1
        if self._values > MOST_VALUES:
            self._refuse(event, f"a file has at most {MOST_VALUES} values")
        if self._entries:
            self._entries[-1] += 1
            if self._entries[-1] > 2 * self._limits[-1]:  # a mapping counts keys and values
                self._refuse(event, f"a mapping or list has at most {self._limits[-1]} entries")

    def _check_scalar(self, event: Any) -> None:
        """Check a text, number or other single value.

        Raises TableError for a text that is too long, a number that is too large, or something that
        YAML would read as a date, a time or a number other than decimal. Quoted, these are texts.
        """
        if len(event.value) > LONGEST_TEXT:
            self._refuse(event, f"a text has at most {LONGEST_TEXT} characters")
        if event.implicit[0]:  # plain: it may be a number
            if _LARGE.fullmatch(event.value):
                self._refuse(event, f"{event.value[:20]} is too large for a number in a table")
            if _OTHER_NUMBER.fullmatch(event.value):
                self._refuse(
                    event,
                    f"YAML reads {event.value[:20]} as a date, a time or a different number; quote it",
                )

    def _refuse(self, event: Any, problem: str) -> None:
        """Raise TableError with the place of this event."""
        raise TableError(self._file, f"{_format_mark(event.start_mark)}{problem}")


_SLIPS = {
    "expected ':'": 'this line has no ":"; write key: value',
    "mapping values": 'a ":" too many, or a line indented further than its key: quote text that has a colon',
    "end of stream": "the quotation mark opened here is not closed",
    "expected ','": "the bracket opened here is not closed, or a comma is missing between two entries; "
    "in {...}, quote a formula with a comma or a bracket",
    "expected key": "this does not fit what is above: line up keys of the same level, and close quotes and brackets",
    "expected '-'": "this does not fit the list above: begin each entry with - in the same column",
    "cannot start": "text cannot begin with this character; quote it",
    "unknown escape": "in double quotes, write a backslash twice",
}
"""Parts of messages of the YAML parser, each with a message that helps an author."""
_PLACED_AT_BEGINNING = ("expected ':'", "end of stream", "expected ','")
"""The messages with the place where the faulty text begins, not where the parser noticed it."""


def _explain_slip(error: yaml.MarkedYAMLError, text: str) -> str:
    """Return the message for a text that is no YAML: the place, and how to correct it."""
    mark = error.problem_mark or error.context_mark
    lines = text.split("\n")
    if mark and mark.line < len(lines) and lines[mark.line].lstrip(" ").startswith("\t"):
        return f"line {mark.line + 1} begins with a tab; use spaces"
    part = next((part for part in _SLIPS if part in (error.problem or "")), "")
    if part in _PLACED_AT_BEGINNING and error.context_mark:
        mark = error.context_mark
    return f"{_format_mark(mark)}{_SLIPS.get(part, error.problem)}"


def _format_mark(mark: Any) -> str:
    """Format a place in front of a message: `line 3, column 1: `; empty if it is not known."""
    return f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
