"""Sentences with their commands, addresses and times as separate values, which each adapter formats
in its own way without searching the text for them.

Only code and the files of a rule set create a `Typed`, when they write the sentence. Text that a
player typed is always plain text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Typed(str):
    """A command to copy, such as `/game link off`, displayed so that it copies unchanged."""

    __slots__ = ()


class Address(str):
    """An address of our own website, displayed so that one press or click opens it."""

    __slots__ = ()


class When(str):
    """A moment, displayed in the reader's own time zone: as a date with its time, or if `ago` is
    set as a distance such as `5 hours ago`. `at` is in Unix seconds.

    Its plain text comes from `bot/ui/reply/parts.py`.
    """

    at: int
    ago: bool

    def __new__(cls, text: str, at: int, *, ago: bool = False) -> When:
        """Create the moment `at`; `text` is displayed if the reader's time zone is unknown."""
        moment = super().__new__(cls, text)
        moment.at = at
        moment.ago = ago
        return moment

    def __getnewargs_ex__(
        self,
    ) -> tuple[tuple[str, int], dict[str, bool]]:  # for pickle
        return (str(self), self.at), {"ago": self.ago}


class Phrase(str):
    """A sentence of plain pieces, commands and moments; most are created by `phrase`."""

    pieces: tuple[str, ...]

    def __new__(cls, *pieces: str) -> Phrase:
        """Create the sentence of these pieces, joined as they are. A phrase among them is split
        into its own pieces.
        """
        sentence = super().__new__(cls, "".join(pieces))
        sentence.pieces = tuple(inner for piece in pieces for inner in split_pieces(piece))
        return sentence

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]  # for pickle
        return self.pieces


def capitalize_first(text: str) -> str:
    """Return a text with a capital: `Squad shaken`. A phrase or a command stays as it is."""
    if text[:1].isupper() or isinstance(text, Phrase | Typed):
        return text
    return text[:1].upper() + text[1:]


def phrase(sentence: str, **values: object) -> Phrase:
    """Create a sentence whose commands are written in backticks:
    ``phrase("Join one: `/game join {side}`.", side=side)``.

    `values` are inserted afterwards, so nothing in them can become a command. The sentence must be
    a literal, never an f-string.
    """
    return _mark_pieces(piece.format(**values) for piece in sentence.split("`"))


def mark_commands(text: str) -> Phrase:
    """Create a sentence from a text of a rule set's file, in which commands are in backticks."""
    return _mark_pieces(text.split("`"))


def _mark_pieces(pieces: Iterable[str]) -> Phrase:
    """Create a sentence from pieces of which every second one is a command; empty ones are left
    out.
    """
    return Phrase(
        *(Typed(piece) if index % 2 else piece for index, piece in enumerate(pieces) if piece)
    )


def split_pieces(text: str) -> tuple[str, ...]:
    """Return the pieces of a phrase, each a `Typed`, an `Address`, a `When` or plain; any other
    text as its only piece.
    """
    return text.pieces if isinstance(text, Phrase) else (text,)


def text_to_json(text: str) -> Any:
    """Return a text as plain JSON: a plain text as it is, any other as a list of pieces, with
    `{"typed": "/log"}` for a command, `{"address": ...}` for an address and
    `{"at": 17e8, "text": ...}` for a moment.
    """
    if not isinstance(text, Typed | Address | When | Phrase):
        return text
    return [_piece_to_json(piece) for piece in split_pieces(text)]


def _piece_to_json(piece: str) -> Any:
    """Return one piece as `text_to_json` writes it."""
    if isinstance(piece, When):
        data: dict[str, Any] = {"at": piece.at, "text": str(piece)}
        if piece.ago:
            data["ago"] = True
        return data
    if isinstance(piece, Address):
        return {"address": str(piece)}
    if isinstance(piece, Typed):
        return {"typed": str(piece)}
    return piece


def text_from_json(data: Any) -> str:
    """Return the text for JSON that `text_to_json` wrote."""
    if isinstance(data, str):
        return data
    pieces = [_piece_from_json(piece) if isinstance(piece, dict) else piece for piece in data]
    return pieces[0] if len(pieces) == 1 else Phrase(*pieces)


def _piece_from_json(piece: dict[str, Any]) -> str:
    """Return the address, command or moment for a piece that `text_to_json` wrote."""
    if "address" in piece:
        return Address(piece["address"])
    if "typed" in piece:
        return Typed(piece["typed"])
    return When(piece["text"], piece["at"], ago=piece.get("ago", False))
