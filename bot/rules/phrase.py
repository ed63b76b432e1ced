"""Sentences that hold commands to copy, as values: adapters set these apart in their own way, nobody searches prose.

Only code makes a `Typed`, where the sentence is written: what a player typed is plain text, whatever it looks like.
"""

from __future__ import annotations

from typing import Any


class Typed(str):
    """A command to copy, such as `/game link off`: shown so that it copies unchanged."""

    __slots__ = ()


class Phrase(str):
    """A sentence of plain pieces and commands; `phrase` makes most."""

    pieces: tuple[str, ...]

    def __new__(cls, *pieces: str) -> Phrase:
        """The pieces in order; those of a phrase within are taken over."""
        made = super().__new__(cls, "".join(pieces))
        made.pieces = tuple(inner for piece in pieces for inner in pieces_of(piece))
        return made

    def __getnewargs__(self) -> tuple[str, ...]:  # type: ignore[override]  # pickle makes it of its pieces, too
        return self.pieces


def phrase(sentence: str, **values: object) -> Phrase:
    """A sentence of ours with its commands in backticks: ``phrase("Join one: `/game join {side}`.", side=side)``.

    `values` are put in afterwards, so nothing in them can become a command; a sentence is a literal, never an f-string.
    """
    pieces = (piece.format(**values) for piece in sentence.split("`"))
    return Phrase(*(Typed(piece) if at % 2 else piece for at, piece in enumerate(pieces) if piece))


def pieces_of(text: str) -> tuple[str, ...]:
    """The pieces of a text, each a `Typed` or plain."""
    return text.pieces if isinstance(text, Phrase) else (text,)


def text_to_json(text: str) -> Any:
    """A text as plain JSON: `"plain"`, or a list of pieces with `{"typed": "/log"}` for a command."""
    if not isinstance(text, Typed | Phrase):
        return text
    return [{"typed": str(piece)} if isinstance(piece, Typed) else piece for piece in pieces_of(text)]


def text_from_json(data: Any) -> str:
    """The text that `text_to_json` wrote."""
    if isinstance(data, str):
        return data
    pieces = [Typed(piece["typed"]) if isinstance(piece, dict) else piece for piece in data]
    return pieces[0] if len(pieces) == 1 else Phrase(*pieces)
