"""Words for a row of sums in a spreadsheet, in several languages."""

import re

_SUM = re.compile(
    r"(?:grand |sub-?)?totals?|totale?|totaal|totaux|sums?|summe[n]?|gesamt|gesamtsumme|insgesamt"
    r"|suma|somm[ae]|all|Σ|∑",
    re.IGNORECASE,
)
_MARKS = " :.=*_()[]"


def is_sum_word(text: str) -> bool:
    """Return whether a cell is nothing but a word for a sum: `Total:`, `Summe`, `Σ`."""
    return _SUM.fullmatch(text.strip(_MARKS)) is not None
