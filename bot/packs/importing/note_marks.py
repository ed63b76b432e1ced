"""Marks of footnotes after a value, such as `2*`, `2[b]`, `AE†` and `1¹`."""

import re
from collections.abc import Iterable, Sequence

_MARKED = re.compile(
    r"(.*[^\s*†‡§])\s?(?:[*†‡§]{1,3}|\[\^?[a-z0-9]{1,2}\]|\([a-z]\)|(?<=\s)[a-z]\)|\^[a-z0-9]"
    r"|[¹²³⁴-⁹ᵃ-ᶻ])",
    re.IGNORECASE,
)
_MARKED_WORD = re.compile(
    r"(.*[^\W\d_]{2}[.)]?)\s?(?:[†‡§]{1,3}|\[\^[a-z0-9]{1,2}\]|[¹²³⁴-⁹])", re.IGNORECASE
)
"""A word with a mark that can be nothing but that of a note."""
_MOST_NAMED = 3


def without_note_mark(text: str) -> str:
    """Return a value without the mark of a footnote after it."""
    marked = _MARKED.fullmatch(text.strip())
    return marked[1] if marked else text


def strip_word_marks(words: Sequence[str]) -> list[str]:
    """Return headings that are words without marks such as `¹` and `[^1]`; as they are if two of
    them would become the same.
    """
    marked = [_MARKED_WORD.fullmatch(word.strip()) for word in words]
    bare = [mark[1] if mark else word for word, mark in zip(words, marked, strict=True)]
    return bare if len({*bare}) == len({*words}) else list(words)


def ask_about_note_marks(cells: Iterable[object], questions: list[str]) -> None:
    """Add a question about results that are another result, or a number among numbers, with a mark
    of a footnote after it. They stay as they are.
    """
    values = list(dict.fromkeys(cells))
    plain = {str(value) for value in values}
    has_numbers = any(isinstance(value, int) for value in values)
    marked = [value for value in values if _is_marked(value, plain, has_numbers)]
    if not marked:
        return
    listed = ", ".join(map(str, marked[:_MOST_NAMED]))[:60]
    if len(marked) > _MOST_NAMED:
        listed += f" and {len(marked) - _MOST_NAMED} more"
    statement = (
        "is read as a separate result" if len(marked) == 1 else "are read as separate results"
    )
    questions.append(f"{listed} {statement}: if the mark refers to a note, remove it")


def _is_marked(value: object, plain: set[str], has_numbers: bool) -> bool:
    """Return whether a value is a text that ends with the mark of a note.

    A word may have only a mark that can mean nothing else. A text that is one of the `plain`
    results without its mark may have any, and so may a number if other results are (`has_numbers`).
    """
    if not isinstance(value, str):
        return False
    bare = without_note_mark(value)
    if _MARKED_WORD.fullmatch(value):
        return True
    return bare != value and (bare in plain or (has_numbers and bare.isdecimal()))


def format_marks_note(texts: Sequence[str], bare: Sequence[str]) -> str:
    """Return the remark on headings that are read without their marks, which are `bare` then."""
    changed = [text for text, plain in zip(texts, bare, strict=True) if text != plain]
    return f"read without the note mark: {', '.join(changed[:_MOST_NAMED])}"
