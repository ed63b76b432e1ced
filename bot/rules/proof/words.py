"""The first line of an answer as the log keeps it: its SHA-256 in the event (`said`), the words beside the chain.

What may have to be deleted is not in the words: where a person is named, or a free text is quoted, there is a mark,
`⟦ab12⟧` for the person with this id and `⟦41.label⟧` for the text `label` of event 41.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Protocol

SAID = "said"
"""Key of the text that holds the words, and field of the event that holds their hash."""
UNSAID = ("sealed", "answer", SAID)
"""Keys of texts that are quoted in no first line."""
SOMEONE, DELETED = "someone", "(deleted)"
_MARK = re.compile("⟦([^⟦⟧]+)⟧")


def said(words: str) -> str:
    """The hash of a first line that is in its event."""
    return sha256(words.encode("utf-8", "replace")).hexdigest()


class Person(Protocol):
    """Who may be named: the id in this game, and the name."""

    @property
    def person(self) -> str: ...
    @property
    def name(self) -> str: ...


class Text(Protocol):
    """A free text that may be quoted."""

    @property
    def event(self) -> int: ...
    @property
    def key(self) -> str: ...
    @property
    def text(self) -> str: ...


def unnamed(first: str, body: str, persons: Iterable[Person], texts: Iterable[Text]) -> str:
    """A first line with marks for the persons and free texts in it. A word that is in the event's `body` stays as it
    is: a player may be called as a side is, and what a side did is not to change with the name of a player."""
    marks = {row.text: f"⟦{row.event}.{row.key}⟧" for row in texts if row.key not in UNSAID and row.text}
    for row in persons:
        if row.name and row.name in first and not _word(row.name).search(body):
            marks.setdefault(row.name, f"⟦{row.person}⟧")
    if not marks:
        return first
    every = "|".join(_word(found).pattern for found in sorted(marks, key=len, reverse=True))
    return re.sub(every, lambda found: marks[found[0]], first)


def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")


def filled(words: str, name_of: Callable[[str], str], text_of: Callable[[int, str], str]) -> str:
    """The words as they are read: with names and texts in the places of their marks."""

    def one(found: re.Match[str]) -> str:
        number, point, key = found[1].partition(".")
        return text_of(int(number), key) if point and number.isdecimal() else name_of(found[1])

    return _MARK.sub(one, words)
