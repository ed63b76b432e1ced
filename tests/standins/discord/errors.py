"""What Discord answers when it refuses: a status, a code, a message, and where in the body the
fault lies.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

Json = dict[str, Any]


class ApiError(Exception):
    """A refusal, as the client sees it."""

    def __init__(self, status: int, code: int, message: str, errors: Json | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.errors = errors

    def body(self) -> Json:
        """Discord's error object."""
        found: Json = {"message": self.message, "code": self.code}
        if self.errors:
            found["errors"] = self.errors
        return found


def unauthorized() -> ApiError:
    """The bot's token is missing or wrong."""
    return ApiError(401, 0, "401: Unauthorized")


def not_found(what: str, code: int) -> ApiError:
    """`what` (Channel, Message, Webhook, ...) does not exist, or not for this bot."""
    return ApiError(404, code, f"Unknown {what}")


def unknown_message() -> ApiError:
    """No such message, or one that only a token may touch."""
    return not_found("Message", 10008)


def missing_access() -> ApiError:
    """The bot cannot see the channel."""
    return ApiError(403, 50001, "Missing Access")


def missing_permissions() -> ApiError:
    """The bot sees the channel but may not do this there."""
    return ApiError(403, 50013, "Missing Permissions")


def empty_message() -> ApiError:
    """Nothing to show: no content, embed, file or component."""
    return ApiError(400, 50006, "Cannot send an empty message")


class Problems:
    """Everything wrong with one body, each found at a dotted place in it."""

    def __init__(self) -> None:
        self.found: Json = {}

    def add(self, where: str, code: str, message: str) -> None:
        """Note one fault at `where` (`embeds.0.title`)."""
        node = self.found
        for part in where.split("."):
            node = node.setdefault(part, {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def required(self, where: str) -> None:
        """Note that something is missing at `where`."""
        self.add(where, "BASE_TYPE_REQUIRED", "This field is required")

    def length(self, where: str, text: object, low: int, high: int) -> bool:
        """True when `text` is a string of `low` to `high` characters; otherwise the fault is
        noted.
        """
        if not isinstance(text, str):
            if text is None:
                self.required(where)
            else:
                self.add(where, "STRING_TYPE_CONVERT", "Could not interpret value as string.")
            return False
        if low <= len(text) <= high:
            return True
        if not text:
            self.required(where)
        elif len(text) > high:
            self.add(where, "BASE_TYPE_MAX_LENGTH", f"Must be {high} or fewer in length.")
        else:
            self.add(where, "BASE_TYPE_MIN_LENGTH", f"Must be {low} or more in length.")
        return False

    def count(self, where: str, items: Sized, low: int, high: int) -> bool:
        """True when there are `low` to `high` items; otherwise the fault is noted."""
        if low <= len(items) <= high:
            return True
        self.add(where, "BASE_TYPE_BAD_LENGTH", f"Must be between {low} and {high} in length.")
        return False

    def done(self) -> None:
        """Raise `Invalid Form Body` (50035) if anything was noted."""
        if self.found:
            raise ApiError(400, 50035, "Invalid Form Body", self.found)


def check_file_types(problems: Problems, where: str, types: object) -> None:
    """At most ten: ends of names, or one of Discord's three words."""
    given = types if isinstance(types, list) else [None]
    if len(given) > 10:
        problems.add(
            f"{where}.file_types", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length."
        )
    if not all(
        isinstance(one, str) and (one in ("audio", "image", "video") or one[:1] == ".")
        for one in given
    ):
        problems.add(
            f"{where}.file_types",
            "BASE_TYPE_CHOICES",
            "Value must be an extension or a kind of file.",
        )
