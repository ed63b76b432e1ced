"""The hash chain that makes a log tamper-evident: each hash covers its event and all earlier ones.

    hash of event n = SHA-256(hash of event n-1, newline, canonical JSON of event n) in lower-case hex

Before event 1 there is the SHA-256 of the game's id.

Free texts and names may have to be deleted, and a sealed roll stays secret for a while. So the
chain holds only a hash of a random salt and the text; salt and text are stored elsewhere.

The first line of an answer is hashed without a salt (`hash_first_line`). It holds marks in place of
what may have to be deleted: `⟦ab12⟧` stands for the person with this id, and `⟦41.label⟧` for the
text `label` of event 41.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

from bot.rules.errors import UserError

_encode = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
).encode
_KEY = re.compile('"(?:-?[0-9][0-9.e+-]*|true|false|null)":')
_FLOAT = re.compile(r"[:,\[]-?[0-9]+(?:\.|e[+-])")
"""Signs of values that `_plain` must convert: numbers that are not whole, and keys that were no
text before. A text key that looks like a number is taken for one, which only costs time.
"""
_MANY_DIGITS = b"0" * 16
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
"""With digits turned to zeros, a search for many zeros takes a tenth of the time of a pattern."""

SEALED = "sealed"
"""Key of the text that holds the content of a sealed event."""
SAID = "said"
"""Key of the text that holds the first line of an answer, and field of the event with its hash."""
UNSAID = ("sealed", "answer", SAID)
"""Keys of texts that no first line quotes."""
SOMEONE = "someone"
"""A person without a known name, in a first line."""
DELETED = "(deleted)"
"""A text that was deleted, in a first line."""
_MARK = re.compile("⟦([^⟦⟧]+)⟧")
_LETTER = re.compile(r"\w")

SHORT = 8
"""The fewest hex digits of a head that a check takes. Answers once showed this many."""
SHOWN = 16
"""The number of hex digits that answers show now, since eight can be forged in minutes."""


def to_canonical(value: Mapping[str, Any]) -> str:
    """Return the canonical JSON of a value: keys sorted by code point, no blanks, few escapes.

    A whole float is written as an integer, others as the shortest decimal that reads back the same.
    Half a surrogate pair, which UTF-8 cannot hold, becomes a question mark. Raises TypeError for
    values without a single text: floats that need an exponent or are no number, keys that are no
    text, and objects.
    """
    try:
        text = _encode(value)
        may_have_floats = "." in text or "e-" in text or "e+" in text
        if _KEY.search(text) or (may_have_floats and _FLOAT.search(text)):
            text = _encode(_plain(value))
    except (TypeError, ValueError):
        text = _encode(_plain(value))
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def has_large_number(body: Mapping[str, Any]) -> bool:
    """Return whether an event contains a number of 2**53 or more, which a browser would change."""
    values: list[Any] = [body]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list):
            values += value
        elif isinstance(value, int | float) and abs(value) >= 2**53:
            return True
    return False


def format_event(body: Mapping[str, Any]) -> str:
    """Return the canonical JSON of a new event. Raises UserError for too large a number."""
    try:
        text = to_canonical(body)
    except ValueError:  # a number of thousands of digits
        text = ""
    may_have_large = not text or _MANY_DIGITS in text.encode().translate(_ZEROS)
    if may_have_large and has_large_number(body):
        hint = "Whole numbers go up to 9,007,199,254,740,991."
        raise UserError("A number is too large for the log.", hint=hint, code="bad-value")
    return text or to_canonical(body)


def compute_genesis(game: str) -> str:
    """Compute the hash before a game's first event. `game` is the id of the game."""
    return sha256(game.encode()).hexdigest()


def compute_event_hash(previous: str, body: str) -> str:
    """Compute the hash of an event from its canonical JSON and the hash of the event before."""
    return sha256(f"{previous}\n{body}".encode()).hexdigest()


def link_bodies(previous: str, bodies: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return (canonical JSON, hash) of each of several successive events.

    `previous` is the hash of the event before the first.
    """
    links = []
    for body in bodies:
        text = to_canonical(body)
        previous = compute_event_hash(previous, text)
        links.append((text, previous))
    return links


def hash_salted(salt: str, text: str) -> str:
    """Compute the hash that stands for a text in the chain: SHA-256 over salt, newline, text.

    Without the salt nobody can guess a short text from it.
    """
    return sha256(f"{salt}\n{text}".encode("utf-8", "replace")).hexdigest()


def shorten_hash(head: str) -> str:
    """Return the digits of a hash that an answer's footer shows."""
    return head[:SHOWN]


def _plain(value: Any) -> Any:
    """Return a JSON value with unambiguous numbers. Raises TypeError, see `to_canonical`."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a key of an event must be text")
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return _plain_float(value)
    raise TypeError(f"an event cannot hold a {type(value).__name__}")


def _plain_float(value: float) -> int | float:
    """Return a whole float as an integer, others unchanged.

    Raises TypeError for floats written with an exponent, and for infinity and NaN.
    """
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    if not repr(value).replace(".", "").removeprefix("-").isdecimal():
        raise TypeError(f"an event cannot hold the number {value!r}")
    return value


def hash_first_line(words: str) -> str:
    """Compute the hash of a first line that its event holds."""
    return sha256(words.encode("utf-8", "replace")).hexdigest()


def mark_names(
    first_line: str, body: str, persons: Mapping[str, str], texts: Iterable[tuple[int, str, str]]
) -> str:
    """Replace persons' names and free texts in a first line by marks, see `fill_marks`.

    `persons` are names by id, `texts` are (event, key, text). A name that occurs in the event's
    `body` stays: a player may be called like a side, and the words for the side must not change
    when the player's name does. At one position the longest name or text is replaced.
    """
    marks = {text: f"⟦{event}.{key}⟧" for event, key, text in texts if key not in UNSAID and text}
    for person, name in persons.items():
        if name and name in first_line and _find_word(body, name) < 0:
            marks.setdefault(name, f"⟦{person}⟧")
    marked = ""
    position = 0
    while True:
        matches = []
        for text in marks:
            start = _find_word(first_line, text, position)
            if start >= 0:
                matches.append((start, -len(text), text))
        if not matches:
            return marked + first_line[position:]
        start, _, text = min(matches)
        marked += first_line[position:start] + marks[text]
        position = start + len(text)


def _find_word(text: str, word: str, start: int = 0) -> int:
    """Return the index of a word in a text, from `start` on, or -1 if it does not occur.

    It must not touch other letters or digits. A regular expression would be slower: one would be
    compiled for each player's name in each answer.
    """
    index = text.find(word, start)
    while index >= 0:
        neighbors = text[index - 1 : index] + text[index + len(word) :][:1]
        if not _LETTER.search(neighbors):
            return index
        index = text.find(word, index + 1)
    return -1


def fill_marks(
    words: str, name_of: Callable[[str], str], text_of: Callable[[int, str], str]
) -> str:
    """Replace the marks in a first line by names and texts.

    `name_of` takes the id of a person, `text_of` an event and the key of its text.
    """

    def fill_mark(match: re.Match[str]) -> str:
        number, point, key = match[1].partition(".")
        return text_of(int(number), key) if point and number.isdecimal() else name_of(match[1])

    return _MARK.sub(fill_mark, words)


def compute_person_key(game: str, user: str) -> str:
    """Return the key by which an account is known again in an exported game.

    It is a hash, so that the file names no account.
    """
    return sha256(f"{game}:{user}".encode(errors="replace")).hexdigest()[:32]
