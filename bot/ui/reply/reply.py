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
"""Of the bar beside an answer: lost or wounded; shaken or pinned; no effect; game, turn, table,
help; somebody is waited for; sealed; undone, refused, settled."""
GRAVITY = (HURT, SHAKEN, GAME, NOTHING)
"""The tones of results, worst first; that of the game is for good news (a unit rallies)."""
PLAIN = frozenset({NOTHING, OVER})
"""Tones whose first line has no weight."""
PINNED, UNPINNED, TAKEN_AWAY = "on", "off", "away"
OPEN_FORM = "form:"
"""How the action of a button begins that opens the form of a command."""
LINK = "link"
"""The style of a button that opens the channel that its action names (`goto:discord:55/900`); it
runs nothing.
"""


class Button(NamedTuple):
    """A button under a reply: `action` names what it does and to what (`undo:41`), `label` what
    it says.
    """

    action: str
    label: str
    style: str = "plain"


def build_entry_button(entry: Entry) -> Button:
    """The button beside an entry of a list."""
    return Button(entry.action, entry.label, LINK if entry.action.startswith("goto:") else "plain")


class MenuEntry(NamedTuple):
    """One choice of a menu: the `action` of a button, what it says, and a few words more."""

    action: str
    label: str
    about: str = ""


class Menu(NamedTuple):
    """A menu beside the buttons: choosing an entry does at once what a button with its action would
    do.

    `short` is what it is called where it shares a row with them.
    """

    label: str
    entries: tuple[MenuEntry, ...]
    short: str = ""


class File(NamedTuple):
    """A file that goes with a reply. `content` is its text, or its bytes; `alt` says in words
    what a picture shows.
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
        """Its text."""
        return self.data.decode()

    def to_json(self) -> dict[str, Any]:
        """The file as plain JSON values, bytes in base64."""
        more = {"alt": self.alt} if self.alt else {}
        if isinstance(self.content, bytes):
            from binascii import b2a_base64

            content = b2a_base64(self.content, newline=False).decode()
            return {"name": self.name, "content": content, "packed": True, **more}
        return {"name": self.name, "content": self.content, **more}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> File:
        """The file that `to_json` stored."""
        content = data["content"]
        if data.get("packed"):
            from binascii import a2b_base64

            content = a2b_base64(content)
        return cls(data["name"], content, data.get("alt", ""))


@dataclass(frozen=True)  # its thirty fields are made and copied in half the time without slots
class Reply:
    """What is answered. All text is plain: adapters escape it, so nothing in it can ping or format.

    The first line alone suffices in a notification: `title` is the news, in bold letters (what
    happened to whom), `by` the cause behind it in plain ones (who did it, or since when). `tone`
    says how grave it is (GAME, HURT, ...). `lines` hold the raw dice, each modifier by name, the
    final number, and what it means for each unit; odds and tables are parts, too. `footer` has the
    event's number and what is special about it. `mention` are the keys of those to call (whose go
    it is), behind the first line. `announce` is a second message, for all, beside a private answer
    (a sealed roll). `option` names the option that an error is about, so that a form can show it at
    its field; `code` is the kind of error. `typed` is the command that was refused, `better` as it
    was probably meant, with `right` in place of the wrong word. `across` is how many buttons are in
    a row (0: as many as fit). `trace` are the places of the lines that a phone leaves out at first,
    as the button *Dice* has them. `bare` is an answer so short that it takes no frame.

    `quiet`: nobody is notified. `pin`: PINNED where the message is to be kept at hand, UNPINNED
    where no longer, TAKEN_AWAY where it is to be deleted (it reads like this reply where that is
    refused). `in_place`: it takes the place of the message whose button was pressed; `instead` is
    posted, as a message of its own, if that message cannot be changed. `boxed`: it is
    drawn in a box with its buttons, where a platform has one, so that the next screen can take its
    place. `window`: it is shown in a window of its own where a platform has one and somebody has
    just asked, and there stays what it is about; nothing of that is stored, so an answer that comes
    late is a message. `over` is what became of an answer that no longer holds (`Undone in #41`);
    its title is struck through then.

    `after` is the button that is pressed as soon as the answer is there, for the same person: its
    picture. It is not stored, so an answer that comes late comes without it.

    The app adds what is known of the delivery: `outbox` is the id for `Answers.delivered` (0:
    nothing to confirm), `seen` says that this request was answered before: whoever gets it again
    posts nothing. `elsewhere`: it is at work for another delivery of the request, which alone posts
    its answer, and nothing was stored. `owed` is the die that is missing.
    """

    title: str
    lines: tuple[Part, ...] = ()
    footer: tuple[str, ...] = ()
    private: bool = False
    error: bool = False
    buttons: tuple[Button, ...] = ()
    menus: tuple[Menu, ...] = ()
    files: tuple[File, ...] = ()
    mention: tuple[str, ...] = ()
    announce: Reply | None = None
    instead: Reply | None = None
    option: str = ""
    code: str = ""
    by: str = ""
    tone: str = GAME
    typed: str = ""
    better: str = ""
    right: str = ""
    bare: bool = False
    across: int = 0
    trace: tuple[int, ...] = ()
    in_place: bool = False
    quiet: bool = False
    boxed: bool = False
    pin: str = ""
    over: str = ""
    window: bool = field(default=False, compare=False)
    after: str = field(default="", compare=False)
    outbox: int = field(default=0, compare=False)
    seen: bool = field(default=False, compare=False)
    owed: DieOwed | None = field(default=None, compare=False)
    elsewhere: bool = field(default=False, compare=False)

    @property
    def first_line(self) -> str:
        """The first line in plain words."""
        return f"{self.title} · {self.by}" if self.by else self.title

    @property
    def standalone(self) -> Reply:
        """The answer as a message of its own, also if it was shown within another one."""
        return self.instead or self

    @property
    def visible_lines(self) -> tuple[Part, ...]:
        """The lines that a phone shows at once: those that are no trace."""
        return tuple(part for at, part in enumerate(self.lines) if at not in self.trace)

    def format_body(self) -> list[str]:
        """The parts below the title as plain lines."""
        return [line for part in self.lines for line in format_part(part)]

    def format_text(self, pen: Pen = PLAIN_PEN) -> str:
        """The whole reply as plain text, for the console, screen readers and fallbacks; a `pen`
        writes commands as the reader types them.
        """
        first = f"{self.title} · {pen.plain(self.by)}" if self.by else self.title
        lines = [f"{self.over}: {first}" if self.over else first]
        for part in self.lines:
            lines += format_part(part, pen)
        if self.footer:
            lines.append(" · ".join(self.footer))
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The reply as plain JSON values, as the outbox stores it; what is empty is left out."""
        values: dict[str, Any] = {"title": self.title}
        for name in filter(self.__dict__.get, _STORED):
            found = self.__dict__[name]
            if name != "tone" or found != GAME:
                write = _WRITTEN.get(name)
                if isinstance(found, tuple):
                    values[name] = [*found] if write is None else [*map(write, found)]
                else:
                    values[name] = found if write is None else write(found)
        return values

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reply:
        """The reply that `to_json` stored, also that of an earlier version, whose tables and
        bars were a `block`.
        """
        values = dict(data)
        called = data.get("mention") or ()
        block = Grid(tuple((line,) for line in values.pop("block", ())))
        values["lines"] = (
            *map(part_from_json, values.get("lines", ())),
            *((block,) if block.rows else ()),
        )
        values["mention"] = (called,) if isinstance(called, str) else tuple(called)
        for name, read in _READ.items():
            values[name] = tuple(map(read, values.get(name) or ()))
        values["by"] = text_from_json(values.get("by", ""))
        for name in ("announce", "instead"):
            if values.get(name):
                values[name] = cls.from_json(values[name])
        return cls(**values)


_KINDS: dict[str, Any] = {kind.__name__.lower(): kind for kind in get_args(Part) if kind is not str}


def part_to_json(part: Part) -> Any:
    """A part as plain JSON: a text, or a mapping with its kind."""
    if isinstance(part, str):
        return part if type(part) is str else text_to_json(part)
    return {"kind": type(part).__name__.lower(), **values_to_json(part)}


def values_to_json(value: tuple[Any, ...]) -> Any:
    """What is in a part as plain JSON values: one of several fields is a mapping of them."""
    if names := getattr(value, "_fields", ()):
        return {
            name: values_to_json(item) if isinstance(item, tuple) else item
            for name, item in zip(names, value, strict=True)
        }
    return tuple(map(values_to_json, value)) if value and isinstance(value[0], tuple) else value


def part_from_json(data: Any) -> Part:
    """The part that `part_to_json` wrote; texts were all that earlier versions stored."""
    if not isinstance(data, Mapping):
        return text_from_json(data)
    values = {name: _to_tuples(value) for name, value in data.items() if name != "kind"}
    if data["kind"] == "whole":
        values["sheets"] = tuple(
            Sheet(sheet["heading"], _to_tuples(sheet["rows"])) for sheet in data["sheets"]
        )
    part: Part = _KINDS[data["kind"]](**values)
    return part


def _to_tuples(value: Any) -> Any:
    return tuple(map(_to_tuples, value)) if isinstance(value, list) else value


OF_NOTATION = (
    *("unknown-option", "loose-word", "bad-quotes", "no-value", "missing"),
    *("bad-value", "unknown-modifier", "bad-unit", "unit-needs", "bad-dice", "bad-hand"),
    *("unknown-type", "unknown-attribute"),
)
"""Refusals of how something was typed: an example helps. Those by a rule or the dice have none."""
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
"""What is stored of a reply beside its title, in this order."""
_WRITTEN: dict[str, Callable[[Any], Any]] = {
    "buttons": Button._asdict,
    "menus": lambda menu: (
        menu._asdict() | {"entries": tuple([entry._asdict() for entry in menu.entries])}
    ),
    **dict.fromkeys(("files", "announce", "instead"), lambda value: value.to_json()),
    "lines": part_to_json,
    "by": part_to_json,
}
"""How it is written, where it is no plain value: each of its values where it has several."""
_READ: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("footer", "trace"), lambda value: value),
    "buttons": lambda button: Button(**button),
    "menus": lambda menu: Menu(
        **{**menu, "entries": tuple(MenuEntry(**entry) for entry in menu["entries"])}
    ),
    "files": File.from_json,
}
"""How values of which a reply has several are read."""


def build_error_reply(error: UserError, typed: str = "", example: str = "") -> Reply:
    """A private reply for something that a player can mend: what was wrong, what was expected, what
    to type.

    With the command as `typed`, a misspelt word is answered with the corrected command ready to
    copy; where nothing better is known, an `example` is there.
    """
    typed = typed or error.typed
    lines = [error.hint] if error.hint else []
    better = error.better or (correct_typed(typed, error) if typed else "")
    if better:
        lines.append(Phrase("Type: ", Typed(f"/{better.removeprefix('/')}")))
    right = error.right or (error.hint.right if better and isinstance(error.hint, Hint) else "")
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
