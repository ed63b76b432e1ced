"""Sentences that hold commands to copy, or times, as values: adapters set these apart in their own
way, nobody searches prose.

Only code and the files of a rule set make a `Typed`, where the sentence is written: what a player
typed is plain text, whatever it looks like.
"""

from __future__ import annotations

from typing import Any


class Typed(str):
    """A command to copy, such as `/game link off`: shown so that it copies unchanged."""

    __slots__ = ()


class Address(str):
    """An address of our own on the web, to open: shown so that one press or click does so."""

    __slots__ = ()


class When(str):
    """A moment, shown in the reader's own clock: as a date with its time, or `ago` as `5 hours
    ago`. What it reads as plain text comes from `bot/ui/reply/parts.py`."""

    at: int
    ago: bool

    def __new__(cls, text: str, at: int, *, ago: bool = False) -> When:
        """The moment `at`, in Unix seconds, and how it reads where nobody's clock is known."""
        made = super().__new__(cls, text)
        made.at = at
        made.ago = ago
        return made

    def __getnewargs_ex__(
        self,
    ) -> tuple[tuple[str, int], dict[str, bool]]:  # pickle makes it of its moment, too
        return (str(self), self.at), {"ago": self.ago}


class Phrase(str):
    """A sentence of plain pieces, commands and moments; `phrase` makes most."""

    pieces: tuple[str, ...]

    def __new__(cls, *pieces: str) -> Phrase:
        """The pieces in order; those of a phrase within are taken over."""
        made = super().__new__(cls, "".join(pieces))
        made.pieces = tuple(inner for piece in pieces for inner in split_pieces(piece))
        return made

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]  # pickle makes it of its pieces, too
        return self.pieces


def capitalize_first(text: str) -> str:
    """A text as it begins a line: `squad shaken` as `Squad shaken`."""
    return (
        text
        if text[:1].isupper() or isinstance(text, Phrase | Typed)
        else text[:1].upper() + text[1:]
    )


def phrase(sentence: str, **values: object) -> Phrase:
    """A sentence of ours with its commands in backticks: ``phrase("Join one: `/game join {side}`.",
    side=side)``.

    `values` are put in afterwards, so nothing in them can become a command; a sentence is a
    literal, never an f-string.
    """
    pieces = (piece.format(**values) for piece in sentence.split("`"))
    return Phrase(*(Typed(piece) if at % 2 else piece for at, piece in enumerate(pieces) if piece))


def mark_commands(text: str) -> Phrase:
    """A text out of a file of a rule set, with its commands in backticks."""
    return Phrase(
        *(Typed(piece) if at % 2 else piece for at, piece in enumerate(text.split("`")) if piece)
    )


def split_pieces(text: str) -> tuple[str, ...]:
    """The pieces of a text, each a `Typed`, an `Address`, a `When` or plain."""
    return text.pieces if isinstance(text, Phrase) else (text,)


def text_to_json(text: str) -> Any:
    """A text as plain JSON: `"plain"`, or a list of pieces with `{"typed": "/log"}` for a command
    and `{"at": 17e8}` with its text for a moment."""
    if not isinstance(text, Typed | Address | When | Phrase):
        return text
    return [_piece_to_json(piece) for piece in split_pieces(text)]


def _piece_to_json(piece: str) -> Any:
    if isinstance(piece, When):
        return {"at": piece.at, "text": str(piece)} | ({"ago": True} if piece.ago else {})
    if isinstance(piece, Address):
        return {"address": str(piece)}
    return {"typed": str(piece)} if isinstance(piece, Typed) else piece


def text_from_json(data: Any) -> str:
    """The text that `text_to_json` wrote."""
    if isinstance(data, str):
        return data
    pieces = [_piece_from_json(piece) if isinstance(piece, dict) else piece for piece in data]
    return pieces[0] if len(pieces) == 1 else Phrase(*pieces)


def _piece_from_json(piece: dict[str, Any]) -> str:
    if "address" in piece:
        return Address(piece["address"])
    return (
        Typed(piece["typed"])
        if "typed" in piece
        else When(piece["text"], piece["at"], ago=piece.get("ago", False))
    )
