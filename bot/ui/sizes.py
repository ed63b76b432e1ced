"""Limits on the text of one command, checked before anything parses it."""

from collections.abc import Mapping

from bot.rules.errors import UserError
from bot.rules.inputs.options import MAX_TEXT
from bot.ui.reply.packing import MOST_TEXT

MAX_OPTIONS = 60
MAX_TEXTS = 8_000
"""Maximum number of characters in all texts of one command, files excepted."""
FILE = "file"
"""The option with the text of a file, which only the checker process parses."""


def check_sizes(options: Mapping[str, object]) -> None:
    """Raise UserError for more options, or longer texts, than a command may have. The text of a
    file has a limit of its own. The texts are measured, not parsed.
    """
    if len(options) > MAX_OPTIONS:
        raise UserError("Too many options.", code="too-long")
    total = 0
    for name, value in options.items():
        if not isinstance(value, str):
            continue
        total += 0 if name == FILE else len(value)
        limit = MOST_TEXT if name == FILE else MAX_TEXT
        if len(value) > limit:
            raise UserError(
                f"{name[:40]} is too long: it can have at most {limit} characters.",
                option=name[:40],
                code="too-long",
            )
    if total > MAX_TEXTS:
        message = (
            f"That is too much text for one command: all its options together can have at most "
            f"{MAX_TEXTS:,} characters."
        )
        raise UserError(message, hint="Send it as several commands.", code="too-long")
