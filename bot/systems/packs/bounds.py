"""YAML that a stranger wrote, held to limits before it is built: no anchors, tags, depths or numbers without end."""

from __future__ import annotations

import re
from typing import Any

import yaml

from bot.rules.errors import TableError
from bot.systems.yaml_file import parse

DEEPEST = 12
MOST_VALUES = 30_000
"""Values of one file. The largest printed table of the built-in games has some 3,000."""
MOST_KEYS = 500
"""Keys or items directly within one mapping or list."""
LONGEST_LINE = 4_000
LONGEST_TEXT = 4_000
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_LARGE = re.compile(r"[-+]?[\d_][\d_]{12,}(\.\d*)?|[-+]?[\d_.]+[eE][-+]?\d{2,}|[-+]?\.(inf|nan)", re.IGNORECASE)
_OTHER_NUMBER = re.compile(r"\d{4}-\d\d?-\d\d?([Tt ].*)?|[-+]?0[xb][\da-fA-F_]+|[-+]?\d[\d_]*(:[0-5]?\d)+(\.\d*)?")


def read_bounded(data: bytes, file: str) -> Any:
    """The content of a YAML file of a pack. Raises TableError that names line and column."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise TableError(file, f"is not UTF-8 text (byte {error.start})") from None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            raise TableError(file, f"line {number}: has {len(line)} characters; at most {LONGEST_LINE} go in a line")
        if found := _UNSHOWN.search(line):
            raise TableError(
                file,
                f"line {number}, column {found.start() + 1}: a control or invisible character (U+{ord(found[0]):04X})",
            )
    try:
        _Bounds(file).check(text)
    except yaml.MarkedYAMLError as error:
        raise TableError(file, f"{_at(error.problem_mark)}{error.problem}") from None
    except yaml.YAMLError as error:
        raise TableError(file, f"is not YAML: {error}") from None
    try:
        return parse(text.encode(), file)
    except (ValueError, TypeError, RecursionError, yaml.YAMLError) as error:  # a key that is a list, a 31st of February
        raise TableError(file, f"is not YAML that can be read: {error}") from None


class _Bounds:
    """Follows the events of a file, which cost nothing to keep, and stops at the first that goes too far."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._values = 0
        self._inside: list[int] = []

    def check(self, text: str) -> None:
        """Raise TableError for what is not taken, yaml's own error for what is not YAML."""
        for event in yaml.parse(text, Loader=_Loader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                self._refuse(event, "anchors and aliases (& and *) are not taken; write it out, or quote the text")
            if tag := getattr(event, "tag", None):
                self._refuse(event, f"tags such as {str(tag)[:40]} are not taken")
            if isinstance(event, yaml.ScalarEvent):
                self._check_scalar(event)
            if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
                self._count(event)
            if isinstance(event, yaml.CollectionStartEvent):
                self._inside.append(0)
                if len(self._inside) > DEEPEST:
                    self._refuse(event, f"lists and mappings go at most {DEEPEST} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                self._inside.pop()

    def _count(self, event: Any) -> None:
        self._values += 1
        if self._values > MOST_VALUES:
            self._refuse(event, f"a file has at most {MOST_VALUES} values")
        if self._inside:
            self._inside[-1] += 1
            if self._inside[-1] > 2 * MOST_KEYS:  # a mapping counts keys and values
                self._refuse(event, f"a mapping or list has at most {MOST_KEYS} entries")

    def _check_scalar(self, event: Any) -> None:
        if len(event.value) > LONGEST_TEXT:
            self._refuse(event, f"a text has at most {LONGEST_TEXT} characters")
        if event.implicit[0]:  # plain: it may be a number
            if _LARGE.fullmatch(event.value):
                self._refuse(event, f"{event.value[:20]} is too large for a number of a table")
            if _OTHER_NUMBER.fullmatch(event.value):
                self._refuse(event, f"YAML reads {event.value[:20]} as a date, a time or another number; quote it")

    def _refuse(self, event: Any, problem: str) -> None:
        raise TableError(self._file, f"{_at(event.start_mark)}{problem}")


def _at(mark: Any) -> str:
    return f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
