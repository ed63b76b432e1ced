"""The chain that makes a log tamper-evident: an event's hash covers it and, through the hash
before, all earlier ones.

    hash of event n = SHA-256(hash of event n-1, newline, canonical JSON of event n), as lower-case
    hex before event 1 comes SHA-256 of the game's id

What may have to be deleted (free text, names) or stays secret for a while (a sealed roll) is not in
the chain itself: there is a hash of a random salt and the text, and both are in a table apart.

So is the first line of an answer: its SHA-256 is in the event (`hash_first_line`). What may have to be deleted
is not in its words: where a person is named, or a free text is quoted, there is a mark, `⟦ab12⟧`
for the person with this id and `⟦41.label⟧` for the text `label` of event 41.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

from bot.rules.errors import UserError

_encoded = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
).encode
_KEY = re.compile('"(?:-?[0-9][0-9.e+-]*|true|false|null)":')
_FLOAT = re.compile(r"[:,\[]-?[0-9]+(?:\.|e[+-])")
"""What the text of a value has in it that must be looked at piece by piece: numbers that are not
whole, and keys that were no text before (a key that looks so, too)."""
_MANY_DIGITS, _ZEROS = (
    b"0" * 16,
    bytes.maketrans(b"123456789", b"000000000"),
)  # a tenth of what a pattern takes

SEALED = "sealed"
"""Key of the text that holds the content of a sealed event."""
SAID = "said"
"""Key of the text that holds the words, and field of the event that holds their hash."""
UNSAID = ("sealed", "answer", SAID)
"""Keys of texts that are quoted in no first line."""
SOMEONE, DELETED = "someone", "(deleted)"
_MARK = re.compile("⟦([^⟦⟧]+)⟧")
_LETTER = re.compile(r"\w")

SHORT = 8  # hex digits of the head that answers once showed; nobody takes fewer
SHOWN = 16  # that they show now: eight can be forged in minutes


def to_canonical(value: Mapping[str, Any]) -> str:
    """The one JSON text of `value`: keys sorted by code point, no blanks, no escapes but the
    necessary ones.

    A whole float is written as an integer, others as the shortest decimal that reads back the same.
    Half a surrogate pair, which UTF-8 cannot hold, becomes a question mark. Raises TypeError for
    what has no single text: floats that need an exponent or are no number, keys that are no text,
    objects.
    """
    try:
        text = _encoded(value)
        if _KEY.search(text) or (
            ("." in text or "e-" in text or "e+" in text) and _FLOAT.search(text)
        ):
            text = _encoded(_plain(value))
    except (TypeError, ValueError):
        text = _encoded(_plain(value))
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def has_large_number(body: Mapping[str, Any]) -> bool:
    """Return whether there is a whole number anywhere in it that a browser would read as another
    one.
    """
    rest: list[Any] = [body]
    while rest:
        value = rest.pop()
        if isinstance(value, dict):
            rest += value.values()
        elif isinstance(value, list):
            rest += value
        elif isinstance(value, int | float) and abs(value) >= 2**53:
            return True
    return False


def format_event(body: Mapping[str, Any]) -> str:
    """The canonical text of an event of ours. Raises UserError for a whole number in it that a
    browser would read as another one."""
    try:
        text = to_canonical(body)
    except ValueError:  # a number of thousands of digits
        text = ""
    if (not text or _MANY_DIGITS in text.encode().translate(_ZEROS)) and has_large_number(body):
        hint = "Whole numbers go up to 9,007,199,254,740,991."
        raise UserError("A number is too large for the log.", hint=hint, code="bad-value")
    return text or to_canonical(body)


def compute_genesis(game: str) -> str:
    """What comes before a game's first event."""
    return sha256(game.encode()).hexdigest()


def compute_event_hash(previous: str, body: str) -> str:
    """The hash of the event with the canonical JSON `body`, after an event with the hash
    `previous`.
    """
    return sha256(f"{previous}\n{body}".encode()).hexdigest()


def link_bodies(previous: str, bodies: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(canonical JSON, hash) of each of several events that follow each other."""
    links = []
    for body in bodies:
        text = to_canonical(body)
        previous = compute_event_hash(previous, text)
        links.append((text, previous))
    return links


def hash_salted(salt: str, text: str) -> str:
    """What is in the chain for `text`: SHA-256 over salt, newline, text. Without the salt nobody
    can guess it.
    """
    return sha256(f"{salt}\n{text}".encode("utf-8", "replace")).hexdigest()


def shorten_hash(head: str) -> str:
    """The head as an answer's footer shows it."""
    return head[:SHOWN]


def _plain(value: Any) -> Any:
    """`value` with numbers made unambiguous."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a key of an event is a text")
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return _plain_float(value)
    raise TypeError(f"an event cannot hold a {type(value).__name__}")


def _plain_float(value: float) -> int | float:
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    if not repr(value).replace(".", "").removeprefix("-").isdecimal():
        raise TypeError(f"an event cannot hold the number {value!r}")
    return value


def hash_first_line(words: str) -> str:
    """The hash of a first line that is in its event."""
    return sha256(words.encode("utf-8", "replace")).hexdigest()


def mark_names(
    first: str, body: str, persons: Mapping[str, str], texts: Iterable[tuple[int, str, str]]
) -> str:
    """A first line with marks for the `persons` in it, names by their ids, and for free texts:
    (event, key, text). A word that is in the event's `body` stays as it is: a player may be called
    as a side is, and what a side did is not to change with the name of a player."""
    marks = {text: f"⟦{event}.{key}⟧" for event, key, text in texts if key not in UNSAID and text}
    for person, name in persons.items():
        if name and name in first and _find_word(body, name) < 0:
            marks.setdefault(name, f"⟦{person}⟧")
    words = ""
    at = 0
    while places := [
        (place, -len(text), text) for text in marks if (place := _find_word(first, text, at)) >= 0
    ]:
        place, _, text = min(places)  # the longest of those that begin there
        words = words + first[at:place] + marks[text]
        at = place + len(text)
    return words + first[at:]


def _find_word(text: str, word: str, at: int = 0) -> int:
    """Where a word comes in a text, from there on, with no letter or digit beside it; -1 where it
    does not. No pattern is made of it: of many players' names each would be made anew for each
    answer."""
    while (at := text.find(word, at)) >= 0 and _LETTER.search(
        text[at - 1 : at] + text[at + len(word) :][:1]
    ):
        at += 1
    return at


def fill_marks(
    words: str, name_of: Callable[[str], str], text_of: Callable[[int, str], str]
) -> str:
    """The words as they are read: with names and texts in the places of their marks."""

    def fill_mark(found: re.Match[str]) -> str:
        number, point, key = found[1].partition(".")
        return text_of(int(number), key) if point and number.isdecimal() else name_of(found[1])

    return _MARK.sub(fill_mark, words)


def compute_person_key(game: str, user: str) -> str:
    """Return the key by which an account is known again in an exported game.

    It is a hash, so that the file names no account.
    """
    return sha256(f"{game}:{user}".encode(errors="replace")).hexdigest()[:32]
