"""The refusal of data that only unreleased builds have written. It is left untouched, and never
called forged.
"""

from collections.abc import Mapping
from typing import Any

from bot.rules.errors import UserError
from bot.rules.proof.fair import PROTOCOL

LAST_UNRELEASED_COMMIT = "e8fe7cd8"
"""The newest commit that reads the formats of unreleased builds."""


def describe_unreleased(subject: str, version: str) -> str:
    """Return the sentence that names what an unreleased build made: "This game", "dice protocol
    1".
    """
    return f"{subject} was made by an unreleased build of Grognard ({version})."


HINT = f"Commit {LAST_UNRELEASED_COMMIT} of Grognard opens it. This release leaves it as it is."


def make_unreleased_error(subject: str, version: str) -> UserError:
    """Return the error for a file or game that an unreleased build made."""
    return UserError(describe_unreleased(subject, version), hint=HINT, code="unreleased-format")


def check_protocol(event: Mapping[str, Any]) -> None:
    """Raise UserError if an event promises a seed under a dice protocol of unreleased builds."""
    secret = event.get("secret")
    if not isinstance(secret, Mapping) or "commitment" not in secret:
        return
    protocol = secret.get("protocol", 1)
    if type(protocol) is int and protocol < PROTOCOL:
        raise make_unreleased_error("This game", f"dice protocol {protocol}")
