"""The refusal of data that only unreleased builds wrote. It stays as it is, and is not called forged."""

from collections.abc import Mapping
from typing import Any

from bot.rules.errors import UserError
from bot.rules.proof.fair import PROTOCOL

LAST_UNRELEASED_COMMIT = "e8fe7cd8"
"""The newest commit that reads the formats of unreleased builds."""


def describe_unreleased(subject: str, version: str) -> str:
    """Return the sentence that an unreleased build made `subject`, such as "This game".

    `version` names the old format, such as "dice protocol 1".
    """
    return f"{subject} was made by an unreleased build of Grognard ({version})."


HINT = f"Commit {LAST_UNRELEASED_COMMIT} of Grognard opens it. This release leaves it untouched."


def make_unreleased_error(subject: str, version: str) -> UserError:
    """Build the error for a file or game of an unreleased build, see `describe_unreleased`."""
    return UserError(describe_unreleased(subject, version), hint=HINT, code="unreleased-format")


def check_protocol(event: Mapping[str, Any]) -> None:
    """Raise UserError if an event promises a seed under a dice protocol of unreleased builds."""
    secret = event.get("secret")
    if not isinstance(secret, Mapping) or "commitment" not in secret:
        return
    protocol = secret.get("protocol", 1)
    if type(protocol) is int and protocol < PROTOCOL:
        raise make_unreleased_error("This game", f"dice protocol {protocol}")
