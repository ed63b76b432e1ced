"""A reply as a value: one neutral message that every adapter renders in its own manner, and its plain text."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bot.rules.errors import UserError, corrected


@dataclass(frozen=True, slots=True)
class Button:
    """A button under a reply: `action` names what it does and to what (`undo:41`), `label` what it says."""

    action: str
    label: str
    style: str = "plain"


@dataclass(frozen=True, slots=True)
class File:
    """A file that goes with a reply. `content` is its text; of a `packed` one its compressed bytes in base64."""

    name: str
    content: str
    packed: bool = False

    @property
    def data(self) -> bytes:
        """The bytes to send."""
        return b64decode(self.content) if self.packed else self.content.encode()


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered. All text is plain: adapters escape it, so nothing in it can ping or format.

    `title` alone suffices in a notification: who, what, result. `lines` hold the raw dice, each modifier by name,
    the final number, and what it means for each unit. `block` is set in a fixed width (tables, bars). `footer`
    names event, head hash, system and marks. `mention` is the key of the one person to call (whose turn it is).
    `announce` is a second message, for all, beside a private answer (a sealed roll). `option` names the option that an
    error is about, so that a form can show it at its field.

    The app adds how it stands with the delivery: `outbox` is the id for `App.delivered` (0: nothing to confirm),
    `seen` says that this request was answered before: whoever gets it again posts nothing.
    """

    title: str
    lines: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    footer: tuple[str, ...] = ()
    private: bool = False
    error: bool = False
    buttons: tuple[Button, ...] = ()
    files: tuple[File, ...] = ()
    mention: str = ""
    announce: Reply | None = None
    option: str = ""
    outbox: int = field(default=0, compare=False)
    seen: bool = field(default=False, compare=False)

    def text(self) -> str:
        """The whole reply as plain text, for the console, screen readers and fallbacks."""
        parts = [self.title, *self.lines, *self.block]
        if self.footer:
            parts.append(" · ".join(self.footer))
        return "\n".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The reply as plain JSON values, as the outbox stores it; what is empty is left out."""
        values: dict[str, Any] = {"title": self.title}
        for name in ("lines", "block", "footer"):
            if found := getattr(self, name):
                values[name] = list(found)
        for name in ("private", "error", "mention"):
            if found := getattr(self, name):
                values[name] = found
        for name in ("buttons", "files"):
            if found := getattr(self, name):
                values[name] = [asdict(item) for item in found]
        if self.announce is not None:
            values["announce"] = self.announce.to_json()
        return values

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reply:
        """The reply that `to_json` stored."""
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
        }
        values["buttons"] = tuple(Button(**item) for item in values.get("buttons") or ())
        values["files"] = tuple(File(**item) for item in values.get("files") or ())
        if values.get("announce"):
            values["announce"] = cls.from_json(values["announce"])
        return cls(**values)


def error_reply(error: UserError, typed: str = "", example: str = "") -> Reply:
    """A private reply for something that a player can mend: what was wrong, what was expected, what to type.

    With the command as `typed`, a misspelt word is answered with the corrected command ready to copy; where nothing
    better is known, an `example` stands there.
    """
    lines = [str(error.hint)] if error.hint else []
    if typed and (better := corrected(typed, error)):
        lines.append(f"Type: {better}")
    if not lines and example:
        lines.append(f"For example: {example}")
    return Reply(error.message, tuple(lines), private=True, error=True, option=error.option or "")
