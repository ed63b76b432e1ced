"""Several commands in one text, such as a pasted block: its lines, and the refusal of more than one."""

from collections.abc import Container
from itertools import pairwise

from bot.rules.errors import UserError
from bot.rules.text.normalize import word_key
from bot.rules.text.phrase import phrase
from bot.ui.typing.command_text import is_dice, tokenize, without_slash

PROMPT = "> "
"""The beginning of a line that the documentation prints as typed; its other lines are answers."""
MAX_SHOWN = 100
"""Maximum number of characters of a line that a refusal repeats."""


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, without empty ones.

    A line break between quotation marks ends no line, unless some marks are not closed.
    """
    try:
        tokens = tokenize(text)
    except UserError:
        return [line for line in text.splitlines() if line.strip()]
    lines = list[str]()
    line_start = 0
    for token, next_token in pairwise(tokens):
        piece = text[token.start : next_token.start]
        if "\n" in piece[len(piece.rstrip()) :]:
            lines.append(text[line_start : next_token.start].strip())
            line_start = next_token.start
    if tokens:
        lines.append(text[line_start:].strip())
    return lines


def list_typed_lines(text: str, name: str) -> list[str]:
    """Return the lines to type of a block pasted into the console; see `split_lines`.

    If some of them have a prompt, `> ` or that of the player `name`, the others are answers and are
    left out.
    """
    lines = split_lines(text)
    prompts = (PROMPT, f"{name}{PROMPT}")
    typed_lines = [line for line in lines if line.lstrip().startswith(prompts)]
    return typed_lines or lines


def check_one_command(text: str, names: Container[str]) -> None:
    """Raise UserError for a text with several commands, one a line. `names` are those that commands
    begin with.

    A line that does not begin a command belongs to the one before it.
    """
    lines = split_lines(text)
    if len(lines) < 2:
        return
    first_word = _get_first_word(lines[0])
    count = 1
    for line in lines[1:]:
        word = _get_first_word(line)
        is_roll = is_dice(line) and is_dice(lines[0])
        count += word in names or word == first_word or is_roll
    if count == 1:
        return
    hint = phrase("Nothing was run. Send them one by one.")
    command = without_slash(lines[0])
    is_short = len(command) <= MAX_SHOWN and "\n" not in command
    if first_word in names and is_short:
        hint = phrase("Nothing was run. Send them one by one; first `/{command}`", command=command)
    message = f"Only one command fits into a message; yours has {count}."
    raise UserError(message, hint=hint, code="several-commands")


def _get_first_word(line: str) -> str:
    """Return the first word of a line as names of commands are compared, without a slash."""
    words = without_slash(line).split(maxsplit=1)
    return word_key(words[0]) if words else ""
