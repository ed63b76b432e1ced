"""Marks of footnotes behind a value, such as `2*`, `2[b]`, `AE†` and `1¹`."""

import re
from collections.abc import Iterable, Sequence

_MARKED = re.compile(
    r"(.*[^\s*†‡§])\s?(?:[*†‡§]{1,3}|\[[a-z0-9]{1,2}\]|\([a-z]\)|\^[a-z0-9]|[¹²³⁴-⁹ᵃ-ᶻ])",
    re.IGNORECASE,
)
_MOST_NAMED = 3


def without_note_mark(text: str) -> str:
    """Return a value without the mark of a footnote behind it."""
    marked = _MARKED.fullmatch(text.strip())
    return marked[1] if marked else text


def ask_about_note_marks(cells: Iterable[object], questions: list[str]) -> None:
    """Ask about results that are another result, or a number among numbers, with a mark of a
    footnote behind it. They stay as they are.
    """
    values = list(dict.fromkeys(cells))
    plain = {str(value) for value in values}
    has_numbers = any(isinstance(value, int) for value in values)
    marked = [value for value in values if _is_marked(value, plain, has_numbers)]
    if not marked:
        return
    listed = ", ".join(map(str, marked[:_MOST_NAMED]))
    more = f" and {len(marked) - _MOST_NAMED} more" if len(marked) > _MOST_NAMED else ""
    what = "is a result" if len(marked) == 1 else "are results"
    questions.append(
        f"{listed[:60]}{more} {what} of {'its' if len(marked) == 1 else 'their'} own: "
        f"if the mark is that of a note, take it off"
    )


def _is_marked(value: object, plain: set[str], has_numbers: bool) -> bool:
    """Return whether a result has a mark behind another result, or behind a number."""
    if not isinstance(value, str):
        return False
    bare = without_note_mark(value)
    return bare != value and (bare in plain or (has_numbers and bare.isdecimal()))


def note_of_marks(texts: Sequence[str], bare: Sequence[str]) -> str:
    """Return what to say about headings that are read without their marks."""
    changed = [text for text, plain in zip(texts, bare, strict=True) if text != plain]
    return f"read without the mark of a note: {', '.join(changed[:_MOST_NAMED])}"
