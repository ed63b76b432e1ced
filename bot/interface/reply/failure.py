"""What is said when the bot itself failed: one sentence, and a reference by which the host finds it in the log."""

from __future__ import annotations

import logging

from bot.interface.reply.reply import Reply, error_reply
from bot.process.entropy import new_id
from bot.rules.errors import UserError


def failed(log: logging.Logger, what: str, *, recorded: bool = True) -> Reply:
    """A private reply for the exception at hand, which is logged whole; `recorded` False says that nothing was."""
    reference = new_id()[:8]
    log.exception("%s failed, reference %s", what, reference)
    nothing = "Nothing was recorded. " if not recorded else ""
    return error_reply(
        UserError(
            f"Something went wrong here, which is not your fault (reference {reference}).",
            hint=f"{nothing}The host finds the reference in the log.",
            code="our-fault",
        )
    )
