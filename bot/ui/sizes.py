"""How much text one command may have, asked before anybody looks into it."""

from collections.abc import Mapping

from bot.rules.errors import UserError
from bot.rules.inputs.options import MAX_TEXT
from bot.ui.reply.packing import MOST_TEXT

MAX_OPTIONS = 60
MAX_TEXTS = 8_000
"""Characters in all texts of one command, each of which may have half of them."""
FILE = "file"
"""The option that holds the text of a file; only the checker process looks into that."""


def check_sizes(options: Mapping[str, object]) -> None:
    """Raise UserError for more options, or more text in them, than a command may have; no text
    is looked into.
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
                f"{name[:40]} is too long: at most {limit} characters.",
                option=name[:40],
                code="too-long",
            )
    if total > MAX_TEXTS:
        what = f"That is too much text for one command: at most {MAX_TEXTS:,} characters in all its options."
        raise UserError(what, hint="Send it as several commands.", code="too-long")
