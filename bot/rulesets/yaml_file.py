"""YAML read strictly: by the safe loader, and a key that is given twice is an error; a
stranger's within limits.
"""

import re
from collections.abc import Sequence
from typing import Any

import yaml

from bot.rules.errors import TableError

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _StrictLoader(_Loader):  # type: ignore[misc, valid-type]  # PyYAML's C loader has no stubs of its own
    """Refuses a mapping key that is given twice: a second row of the same name would hide the
    first.
    """


def _build_strict_mapping(loader: Any, node: Any, deep: bool = False) -> dict[Any, Any]:
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
    """The content of a YAML file. Raises TableError with the line for one that cannot be read."""
    try:
        return yaml.load(text, Loader=_StrictLoader)  # a safe loader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise TableError(file, f"line {line}: {error.problem}") from None


def find_position(text: bytes, path: Sequence[str | int]) -> str:
    """Where in the text a path of keys and positions is: `line 12, column 5`; as far as the path
    can be followed.

    Nothing where not even its beginning is in the text.
    """
    node = yaml.compose(text, Loader=_Loader)
    mark = None
    for key in path:
        if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            mark = node.start_mark
            continue
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        found = next(((name, value) for name, value in pairs if name.value == str(key)), None)
        if found is None:
            break
        mark = found[0].start_mark
        node = found[1]
    return f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""


# -- YAML that a stranger wrote, held to limits before it is built: no anchors, tags, depths or
# numbers without end

DEEPEST = 12
MOST_VALUES = 30_000
"""Values of one file. The largest printed table of the built-in games has some 3,000."""
MOST_KEYS = 500
"""Keys or items directly within one mapping or list."""
MOST_CELLS = 2_000
"""Rows below `cells`: decks of texts are long."""
LONGEST_TEXT = 4_000
LONGEST_LINE = 10_000
"""Room for a text that is quoted."""
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_LARGE = re.compile(
    r"[-+]?[\d_][\d_]{12,}(\.\d*)?|[-+]?[\d_.]+[eE][-+]?\d{2,}|[-+]?\.(inf|nan)", re.IGNORECASE
)
_OTHER_NUMBER = re.compile(
    r"\d{4}-\d\d?-\d\d?([Tt ].*)?|[-+]?0[xb][\da-fA-F_]+|[-+]?\d[\d_]*(:[0-5]?\d)+(\.\d*)?"
)


def read_bounded(data: bytes, file: str) -> Any:
    """The content of a YAML file of a pack. Raises TableError that names line and column."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise TableError(file, f"is not UTF-8 text (byte {error.start})") from None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            raise TableError(
                file,
                f"line {number}: has {len(line)} characters; at most {LONGEST_LINE} go in a line",
            )
        if found := _UNSHOWN.search(line):
            raise TableError(
                file,
                f"line {number}, column {found.start() + 1}: a control or invisible character (U+{ord(found[0]):04X})",
            )
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
            file, "has a key that is not a word or a number, or a date that is none; quote it"
        ) from None


class _Bounds:
    """Follows the events of a file, which cost nothing to keep, and stops at the first that goes
    too far.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._values = 0
        self._inside: list[int] = []
        self._most: list[int] = []
        self._last = ""

    def check(self, text: str) -> None:
        """Raise TableError for what is not taken, yaml's own error for what is not YAML."""
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                self._refuse(
                    event,
                    "anchors and aliases (& and *) are not taken; write it out, or quote the text",
                )
            if tag := getattr(event, "tag", None):
                self._refuse(event, f"tags such as {str(tag)[:40]} are not taken")
            if isinstance(event, yaml.ScalarEvent):
                self._check_scalar(event)
            if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
                self._count(event)
            if isinstance(event, yaml.CollectionStartEvent):
                self._inside.append(0)
                self._most.append(MOST_CELLS if self._last == "cells" else MOST_KEYS)
                if len(self._inside) > DEEPEST:
                    self._refuse(event, f"lists and mappings go at most {DEEPEST} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                self._inside.pop()
                self._most.pop()
            self._last = getattr(event, "value", "")

    def _count(self, event: Any) -> None:
        self._values += 1
        if self._values > MOST_VALUES:
            self._refuse(event, f"a file has at most {MOST_VALUES} values")
        if self._inside:
            self._inside[-1] += 1
            if self._inside[-1] > 2 * self._most[-1]:  # a mapping counts keys and values
                self._refuse(event, f"a mapping or list has at most {self._most[-1]} entries")

    def _check_scalar(self, event: Any) -> None:
        if len(event.value) > LONGEST_TEXT:
            self._refuse(event, f"a text has at most {LONGEST_TEXT} characters")
        if event.implicit[0]:  # plain: it may be a number
            if _LARGE.fullmatch(event.value):
                self._refuse(event, f"{event.value[:20]} is too large for a number of a table")
            if _OTHER_NUMBER.fullmatch(event.value):
                self._refuse(
                    event,
                    f"YAML reads {event.value[:20]} as a date, a time or another number; quote it",
                )

    def _refuse(self, event: Any, problem: str) -> None:
        raise TableError(self._file, f"{_format_mark(event.start_mark)}{problem}")


_SLIPS = {
    "expected ':'": 'this line has no ":"; write key: value',
    "mapping values": 'a ":" too many, or a line that begins further right than its key: quote a text with a colon',
    "end of stream": "the quote that begins here is not closed",
    "expected ','": "the bracket that begins here is not closed, or lacks a comma between two entries; "
    "in {...} a formula that has a comma or a bracket is quoted",
    "expected key": "this does not fit what is above: begin keys of one level in one column, close quotes and brackets",
    "expected '-'": "this does not fit the list above: begin each entry with - in one column",
    "cannot start": "a text cannot begin with this sign; quote it",
    "unknown escape": "in double quotes a backslash is written twice",
}
"""What YAML says of a text, by a part of it, and what is meant."""
_OF_BEGINNING = ("expected ':'", "end of stream", "expected ','")
"""Those of which the beginning is the place to look at, not where it was noticed."""


def _explain_slip(error: yaml.MarkedYAMLError, text: str) -> str:
    """Where a text is no YAML, and what to do about it."""
    mark = error.problem_mark or error.context_mark
    lines = text.split("\n")
    if mark and mark.line < len(lines) and lines[mark.line].lstrip(" ").startswith("\t"):
        return f"line {mark.line + 1} begins with a tab; use blanks"
    part = next((part for part in _SLIPS if part in (error.problem or "")), "")
    if part in _OF_BEGINNING and error.context_mark:
        mark = error.context_mark
    return f"{_format_mark(mark)}{_SLIPS.get(part, error.problem)}"


def _format_mark(mark: Any) -> str:
    return f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
