"""A reply as a value: one neutral message that every adapter renders in its own manner, and its
plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_args

from bot.rules.errors import DieOwed, Hint, UserError, correct_typed
from bot.rules.text.phrase import Phrase, Typed, text_from_json, text_to_json
from bot.ui.reply.parts import PLAIN as PLAIN_PEN
from bot.ui.reply.parts import Entry, Grid, Part, Pen, Sheet, format_part

HURT, SHAKEN, NOTHING = "hurt", "shaken", "nothing"
GAME, WAITING, SEALED, OVER = "game", "waiting", "sealed", "over"
COLORS = {
    HURT: 0xDA373C,
    SHAKEN: 0xE08A1E,
    NOTHING: 0x80848E,
    GAME: 0x3E7CB1,
    WAITING: 0xF0B232,
    SEALED: 0x8E6BBF,
    OVER: 0x4E5058,
}
"""Colors of the bar next to an answer, by tone: lost or wounded; shaken or pinned; no effect; game,
turn, table, help; waiting for a player; sealed; undone, refused or settled.
"""
GRAVITY = (HURT, SHAKEN, GAME, NOTHING)
"""The tones of results, worst first. GAME is for good news (a unit rallies)."""
PLAIN = frozenset({NOTHING, OVER})
"""Tones without a bold first line."""
PINNED, UNPINNED, TAKEN_AWAY = "on", "off", "away"
OPEN_FORM = "form:"
"""The beginning of the action of a button that opens the form of a command."""
LINK = "link"
"""The style of a button that opens the channel that its action names (`goto:discord:55/900`); it
runs nothing.
"""


class Button(NamedTuple):
    """A button under a reply: `action` names what it does and to what (`undo:41`), `label` is its
    text.
    """

    action: str
    label: str
    style: str = "plain"


def build_entry_button(entry: Entry) -> Button:
    """Return the button of an entry in a list; a link if its action opens a channel."""
    return Button(entry.action, entry.label, LINK if entry.action.startswith("goto:") else "plain")


class MenuEntry(NamedTuple):
    """One choice of a menu: the `action` of a button, its label, and a description."""

    action: str
    label: str
    about: str = ""


class Menu(NamedTuple):
    """A menu next to the buttons. Choosing an entry at once does what a button with its action
    would do.

    `short` is its label if it shares a row with buttons.
    """

    label: str
    entries: tuple[MenuEntry, ...]
    short: str = ""


class File(NamedTuple):
    """A file that is sent with a reply. `content` is its text, or its bytes; `alt` describes a
    picture in words.
    """

    name: str
    content: str | bytes
    alt: str = ""

    @property
    def data(self) -> bytes:
        """The bytes to send."""
        return self.content if isinstance(self.content, bytes) else self.content.encode()

    @property
    def text(self) -> str:
        """The content as text."""
        return self.data.decode()

    def to_json(self) -> dict[str, Any]:
        """Return the file as plain JSON values, bytes in base64."""
        alt = {"alt": self.alt} if self.alt else {}
        if isinstance(self.content, bytes):
            from binascii import b2a_base64

            content = b2a_base64(self.content, newline=False).decode()
            return {"name": self.name, "content": content, "packed": True, **alt}
        return {"name": self.name, "content": self.content, **alt}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> File:
        """Return the file that `to_json` stored."""
        content = data["content"]
        if data.get("packed"):
            from binascii import a2b_base64

            content = a2b_base64(content)
        return cls(data["name"], content, data.get("alt", ""))


@dataclass(frozen=True)  # its thirty fields are made and copied in half the time without slots
class Reply:
    """An answer to a command, as a value.

    All text is plain: adapters escape it, so that nothing in it can ping or format. `title` and
    `by` make sense alone, in a notification. The fields from `outbox` on are facts about the
    delivery, which the app adds.
    """

    title: str
    """The headline, in bold: what happened to whom."""
    lines: tuple[Part, ...] = ()
    """The raw dice, each modifier by name, the final number, and its meaning for each unit. Odds
    and tables are parts, too."""
    footer: tuple[str, ...] = ()
    """The event's number and notes on it."""
    private: bool = False
    """Whether only the user sees it."""
    error: bool = False
    """Whether it is a refusal."""
    buttons: tuple[Button, ...] = ()
    menus: tuple[Menu, ...] = ()
    files: tuple[File, ...] = ()
    mention: tuple[str, ...] = ()
    """The keys of the users to ping (the players to move). They follow the first line."""
    announce: Reply | None = None
    """A second message, for everybody, next to a private answer (a sealed roll)."""
    instead: Reply | None = None
    """The reply that is posted as a new message if the pressed one cannot be changed."""
    option: str = ""
    """The option that an error is about, so that a form can show it at its field."""
    code: str = ""
    """The kind of error."""
    by: str = ""
    """The cause of the title, in plain letters: who did it, or since when."""
    tone: str = GAME
    """The severity: GAME, HURT, ..."""
    typed: str = ""
    """The command that was refused."""
    better: str = ""
    """The command that was probably meant."""
    right: str = ""
    """The corrected word of that command."""
    bare: bool = False
    """Whether it is so short that it gets no frame."""
    across: int = 0
    """The number of buttons in a row; 0 for as many as fit."""
    trace: tuple[int, ...] = ()
    """The indices of the lines that a phone hides behind the button *Dice*."""
    in_place: bool = False
    """Whether it replaces the message with the button that was pressed."""
    quiet: bool = False
    """Whether nobody is notified."""
    boxed: bool = False
    """Whether it is drawn in a box with its buttons, on platforms that have one, so that the next
    screen can replace it."""
    pin: str = ""
    """PINNED if the message is to be pinned, UNPINNED if no longer, TAKEN_AWAY if it is to be
    deleted (if that is refused, this reply replaces it)."""
    over: str = ""
    """Why an answer no longer holds (`Undone in #41`). Its title is struck through then."""
    window: bool = field(default=False, compare=False)
    """Whether it is shown in a window of its own, on platforms that have one and if the user has
    just asked. That is not stored, so a late answer is a message."""
    after: str = field(default="", compare=False)
    """The action of a button (its picture) that is pressed for the user as soon as the answer is
    posted. It is not stored, so a late answer comes without it."""
    outbox: int = field(default=0, compare=False)
    """The id for `Answers.delivered`; 0 if there is nothing to confirm."""
    seen: bool = field(default=False, compare=False)
    """Whether this request was answered before, so that nothing is posted."""
    owed: DieOwed | None = field(default=None, compare=False)
    """The die that is missing, for the error of a roll with too few real dice."""
    elsewhere: bool = field(default=False, compare=False)
    """Whether another delivery of the request is still running. Only that one posts the answer, and
    nothing was stored."""

    @property
    def first_line(self) -> str:
        """The first line as plain text: the title and its cause."""
        return f"{self.title} · {self.by}" if self.by else self.title

    @property
    def standalone(self) -> Reply:
        """The answer as a message of its own, also if it was shown in place of another one."""
        return self.instead or self

    @property
    def visible_lines(self) -> tuple[Part, ...]:
        """The parts that a phone shows at once: those that are not in the trace."""
        return tuple(part for index, part in enumerate(self.lines) if index not in self.trace)

    def format_body(self) -> list[str]:
        """Return the parts below the title as plain lines."""
        return [line for part in self.lines for line in format_part(part)]

    def format_text(self, pen: Pen = PLAIN_PEN) -> str:
        """Return the whole reply as plain text, for the console, screen readers and fallbacks.

        `pen` writes commands as the reader types them.
        """
        title = f"{self.title} · {pen.plain(self.by)}" if self.by else self.title
        lines = [f"{self.over}: {title}" if self.over else title]
        for part in self.lines:
            lines += format_part(part, pen)
        if self.footer:
            lines.append(" · ".join(self.footer))
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return the reply as plain JSON values, as the outbox stores it, without empty ones."""
        values: dict[str, Any] = {"title": self.title}
        for name in filter(self.__dict__.get, _STORED):
            value = self.__dict__[name]
            if name == "tone" and value == GAME:
                continue
            write = _WRITTEN.get(name)
            if isinstance(value, tuple):
                values[name] = [*value] if write is None else [*map(write, value)]
            else:
                values[name] = value if write is None else write(value)
        return values

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reply:
        """Return the reply that `to_json` stored.

        Also reads replies of an earlier version, which stored tables and bars as a `block`.
        """
        values = dict(data)
        mention = data.get("mention") or ()
        lines = [part_from_json(line) for line in values.get("lines", ())]
        block = values.pop("block", ())
        if block:
            lines.append(Grid(tuple((line,) for line in block)))
        values["lines"] = tuple(lines)
        values["mention"] = (mention,) if isinstance(mention, str) else tuple(mention)
        for name, read in _READ.items():
            values[name] = tuple(map(read, values.get(name) or ()))
        values["by"] = text_from_json(values.get("by", ""))
        for name in ("announce", "instead"):
            if values.get(name):
                values[name] = cls.from_json(values[name])
        return cls(**values)


_KINDS: dict[str, Any] = {kind.__name__.lower(): kind for kind in get_args(Part) if kind is not str}


def part_to_json(part: Part) -> Any:
    """Return a part as plain JSON values: a plain text as it is, a text with commands, addresses or
    times as the list of its pieces, and any other part as a mapping of its fields, with its class
    in lower case as `kind`. A field with commands is `{"pieces": [...]}`.
    """
    if isinstance(part, str):
        return part if type(part) is str else text_to_json(part)
    return {"kind": type(part).__name__.lower(), **values_to_json(part)}


def values_to_json(value: tuple[Any, ...]) -> Any:
    """Return a tuple in a part as plain JSON values: a named tuple becomes a mapping of its fields,
    any other tuple stays one.
    """
    names = getattr(value, "_fields", ())
    if names:
        return {name: _field_to_json(item) for name, item in zip(names, value, strict=True)}
    return tuple(map(values_to_json, value)) if value and isinstance(value[0], tuple) else value


def _field_to_json(value: Any) -> Any:
    """Return a field of a part as plain JSON values."""
    if isinstance(value, tuple):
        return values_to_json(value)
    if isinstance(value, str) and type(value) is not str:
        return {"pieces": text_to_json(value)}
    return value


def part_from_json(data: Any) -> Part:
    """Return the part that `part_to_json` stored. Earlier versions stored texts only."""
    if not isinstance(data, Mapping):
        return text_from_json(data)
    values = {name: _field_from_json(value) for name, value in data.items() if name != "kind"}
    if data["kind"] == "whole":
        values["sheets"] = tuple(
            Sheet(sheet["heading"], _to_tuples(sheet["rows"])) for sheet in data["sheets"]
        )
    part: Part = _KINDS[data["kind"]](**values)
    return part


def _field_from_json(value: Any) -> Any:
    """Return a field of a part for its JSON."""
    if isinstance(value, Mapping) and "pieces" in value:
        return text_from_json(value["pieces"])
    return _to_tuples(value)


def _to_tuples(value: Any) -> Any:
    """Return a JSON list as a tuple, at all levels; any other value as it is."""
    return tuple(map(_to_tuples, value)) if isinstance(value, list) else value


OF_NOTATION = (
    *("unknown-option", "loose-word", "bad-quotes", "no-value", "missing"),
    *("bad-value", "unknown-modifier", "bad-unit", "unit-needs", "bad-dice", "bad-hand"),
    *("unknown-type", "unknown-attribute"),
)
"""Error codes of refusals for the notation, where an example helps. Refusals by a rule have none."""
_STORED = (
    *(
        "lines",
        "footer",
        "private",
        "error",
        "bare",
        "in_place",
        "quiet",
        "boxed",
        "pin",
        "over",
        "across",
        "trace",
    ),
    *("by", "mention", "tone", "buttons", "menus", "files", "announce", "instead"),
)
"""The fields of a reply that are stored after its title, in this order."""
_WRITTEN: dict[str, Callable[[Any], Any]] = {
    "buttons": Button._asdict,
    "menus": lambda menu: (
        menu._asdict() | {"entries": tuple([entry._asdict() for entry in menu.entries])}
    ),
    **dict.fromkeys(("files", "announce", "instead"), lambda value: value.to_json()),
    "lines": part_to_json,
    "by": part_to_json,
}
"""Functions that write fields that are no plain values; for a tuple, each of its items."""
_READ: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("footer", "trace"), lambda value: value),
    "buttons": lambda button: Button(**button),
    "menus": lambda menu: Menu(
        **{**menu, "entries": tuple(MenuEntry(**entry) for entry in menu["entries"])}
    ),
    "files": File.from_json,
}
"""Functions that read the items of fields that are tuples."""


def build_error_reply(error: UserError, typed: str = "", example: str = "") -> Reply:
    """Return a private reply for an error that a player can correct.

    It shows what was wrong, what is expected, and the corrected command ready to copy if there is
    one. `typed` is the command as typed (default: that of the error). If there is nothing better
    and the notation was wrong (OF_NOTATION), it shows `example`.
    """
    typed = typed or error.typed
    lines = [error.hint] if error.hint else []
    better = error.better
    if not better and typed:
        better = correct_typed(typed, error)
    if better:
        lines.append(Phrase("Type: ", Typed(f"/{better.removeprefix('/')}")))
    right = error.right
    if not right and better and isinstance(error.hint, Hint):
        right = error.hint.right
    if not lines and example and example != typed and error.code in OF_NOTATION:
        lines.append(Phrase("For example: ", Typed(example)))
    return Reply(
        error.message,
        tuple(lines),
        private=True,
        error=True,
        option=error.option or "",
        code=error.code,
        typed=error.typed,
        better=better,
        right=right,
        owed=error.about if isinstance(error.about, DieOwed) else None,
        buttons=error.buttons,
    )
