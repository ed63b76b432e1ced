"""Names of units with spaces that were typed without quotation marks: `fire Rifle 1 at Local 2`,
and `unit add Rifle 9 squad`.
"""

from collections.abc import Iterable

from bot.rules.errors import UserError
from bot.rules.text.normalize import comparison_key, word_key
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
            stop = starts[index + count]
            value = text[begin:stop].rstrip(" \t\n,")
            pieces += [
                text[end_of_copied:begin],
                quote_value(value),
                text[begin + len(value) : stop],
            ]
            end_of_copied = stop
        index += count or 1
    return "".join([*pieces, text[end_of_copied:]])


def is_unit_added(spec: CommandSpec) -> bool:
    """Return whether a command begins with the name of a new unit and its type, as `/unit add`."""
    first_options = [(option.name, option.complete) for option in spec.options[:2]]
    return first_options == [("name", ""), ("type", "unit-type")]


def quote_new_name(text: str, spec: CommandSpec, types: Iterable[str]) -> str:
    """Return a line of a command that adds a unit with quotation marks around the unit's name.

    The name ends before the first word after it that is one of the unit `types`. The line stays as
    typed if the name has no space or is already quoted, or if no type follows.

    For example, `unit add Rifle 9 squad US` becomes `unit add "Rifle 9" squad US`.
    """
    tokens = _tokenize_after_command(text, spec)
    if not tokens:
        return text
    keys = {word_key(type_) for type_ in types}
    name_tokens = [tokens[0]]
    for token in tokens[1:]:
        if word_key(token.value) in keys:
            break
        name_tokens.append(token)
    is_plain = not any(token.quoted or token.key for token in name_tokens)
    if not is_plain or len(name_tokens) == 1 or len(name_tokens) == len(tokens):
        return text
    last_token = name_tokens[-1]
    name_start = name_tokens[0].start
    name_stop = last_token.start + len(last_token.value)
    name = quote_value(text[name_start:name_stop])
    return text[:name_start] + name + text[name_stop:]


def _tokenize_after_command(text: str, spec: CommandSpec) -> list[Token]:
    """Return the tokens after the last word of a command's name; none if that is not found."""
    if len(text) > MAX_LENGTH:
        return []
    try:
        tokens = tokenize(text)
    except UserError:
        return []
    for index, token in enumerate(tokens):
        if word_key(token.value).lstrip("/") == spec.path[-1]:
            return tokens[index + 1 :]
    return []


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
