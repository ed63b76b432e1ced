"""Names of units with spaces that were typed without quotation marks: `fire Rifle 1 at Local 2`."""

from collections.abc import Iterable

from bot.rules.errors import UserError
from bot.rules.text.normalize import comparison_key
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import MAX_LENGTH, Token, quote_value, tokenize

_UNITS = ("unit", "units")
MOST_WORDS = 12
"""Maximum number of words of a unit's name that are looked for."""


def takes_units(spec: CommandSpec) -> bool:
    """Return whether a command has an option that takes units of the game."""
    return any(option.type in _UNITS or option.complete in _UNITS for option in spec.options)


def quote_names(text: str, names: Iterable[str]) -> str:
    """Return a line with quotation marks around each unit's name that has spaces. Any other part
    stays as typed.

    >>> quote_names("lnlt fire Rifle 1, rifle 2 at Local 2", ["Rifle 1", "Rifle 2", "Local 2"])
    'lnlt fire "Rifle 1", "rifle 2" at "Local 2"'
    """
    keys = {comparison_key(name) for name in names if " " in name}
    if not keys or len(text) > MAX_LENGTH:
        return text
    try:
        tokens = tokenize(text)
    except UserError:
        return text
    starts = [*(token.start for token in tokens), len(text)]
    pieces: list[str] = []
    end_of_copied = 0
    index = 0
    while index < len(tokens):
        count = _count_words_of_name(tokens, index, keys)
        if count:
            begin = tokens[index].value_start
            end = starts[index + count]
            value = text[begin:end].rstrip(" \t\n,")
            pieces += [
                text[end_of_copied:begin],
                quote_value(value),
                text[begin + len(value) : end],
            ]
            end_of_copied = end
        index += count or 1
    return "".join([*pieces, text[end_of_copied:]])


def _count_words_of_name(tokens: list[Token], index: int, keys: set[str]) -> int:
    """Return how many tokens from `index` on are one name with spaces, the longest; 0 for none."""
    words = list[str]()
    longest = 0
    for token in tokens[index : index + MOST_WORDS]:
        if token.quoted or (token.key and words):
            break
        words.append(token.value)
        if len(words) > 1 and comparison_key(" ".join(words).rstrip(",")) in keys:
            longest = len(words)
        if token.value.endswith(","):
            break
    return longest
