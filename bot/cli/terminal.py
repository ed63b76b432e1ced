"""Replies on a terminal: bold first line, dim footer. Colour helps, but every sign is also a
word.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bot.rules.sequence.sequence import Line
from bot.rules.text.phrase import Typed, When, split_pieces
from bot.ui.reply.bars import PHONE, Look, format_numbered_lines
from bot.ui.reply.bars import WIDE as LONG
from bot.ui.reply.parts import FIXED, PLAIN, Odds, Part, Small, format_part
from bot.ui.reply.reply import HURT, NOTHING, OVER, SHAKEN, WAITING, Reply
from bot.ui.reply.unit_table import UnitTable
from bot.ui.typing.command_writer import CommandReader, write_command

STEP = 2  # blanks
NARROW = 66  # a terminal with fewer columns gets the bars of a phone
MIN_WIDTH = 20  # on a narrower terminal lines run over
WIDE = 72  # columns for units with their types
MOST_LABEL = 24  # longer labels get no column of their own
_STYLES = {
    HURT: "bold red",
    SHAKEN: "bold yellow",
    NOTHING: "",
    WAITING: "bold yellow",
    OVER: "dim",
}


def print_reply(console: Console, reply: Reply, keys: str = "") -> None:
    """Print a reply, with the `keys` that stand for its buttons. Its text is data: nothing in it
    is read as markup.
    """
    mark = "Error: " if reply.error else ("(only you) " if reply.private else "")
    style = "bold red" if reply.error else _STYLES.get(reply.tone, "bold")
    first = Text(mark + reply.title, style=style)
    print_text(
        console, first.append(f" · {localize_text(reply.by)}", style="none") if reply.by else first
    )
    for run in _group_dice_lines(reply.lines):
        labels = max((len(part.heading) for part in run if isinstance(part, Line)), default=0)
        for part in run:
            _print_part(console, part, labels)
    for last in (" · ".join(reply.footer), keys):
        if last:
            print_text(console, Text("  " + last, style="dim"))


def _group_dice_lines(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Lines of dice that follow each other together: their labels share a column."""
    for _, run in groupby(parts, key=lambda part: isinstance(part, Line)):
        yield list(run)


def _print_part(console: Console, part: Part, labels: int) -> None:
    if isinstance(part, Line) and labels <= MOST_LABEL:
        said = part.text()
        label = said[: len(part.heading) + 1]
        rest = said[len(part.heading) + 2 :]
        print_text(console, Text(f"  {label.removesuffix(':'):<{labels}}  {rest}".rstrip()))
        return
    if isinstance(part, UnitTable) and console.width >= WIDE:
        for line, tone in part.format_wide_lines():
            style = _STYLES[tone].removeprefix("bold ") if tone in (HURT, SHAKEN) else ""
            console.print(Text("  " + line, style=style), soft_wrap=True, highlight=False)
        return
    if isinstance(part, Odds):
        for text, at in format_numbered_lines(part.heading, part.rows, _get_look(console)):
            tone = part.tones[at] if 0 <= at < len(part.tones) else ""
            style = _STYLES[tone].removeprefix("bold ") if tone in (HURT, SHAKEN) else "cyan"
            console.print(Text("  " + text, style=style), soft_wrap=True, highlight=False)
        return
    for line in format_part(part, _PEN, _get_look(console)):
        if isinstance(part, FIXED):
            console.print(Text("  " + line, style="cyan"), soft_wrap=True, highlight=False)
        else:
            print_text(console, Text("  " + line, style="dim" if isinstance(part, Small) else ""))


def localize_text(text: str) -> str:
    """A line with its moments in the clock of this computer, and its commands as the console has
    them.
    """
    return "".join(map(_localize_piece, split_pieces(text)))


def _localize_piece(piece: str) -> str:
    if isinstance(piece, When):
        return _format_moment(piece)
    return write_command(piece, CommandReader.CONSOLE) if isinstance(piece, Typed) else piece


def _format_moment(when: When) -> str:
    return datetime.fromtimestamp(when.at).astimezone().strftime("%a %d %b, %H:%M")


_PEN = PLAIN._replace(plain=localize_text, small=localize_text)


def _get_look(console: Console) -> Look:
    """Bars as long as the terminal is wide, in signs that it can show."""
    is_narrow = console.is_terminal and console.width < NARROW
    look = (PHONE if is_narrow else LONG)._replace(plain=not console.encoding.startswith("utf"))
    return (
        look._replace(grid=max(console.width - STEP, PHONE.grid + 1))
        if console.is_terminal
        else look
    )


def print_text(console: Console, text: Text) -> None:
    """Print a line, broken between words on a terminal.

    What follows a break is one step further in, so that it does not read as a line of its own.
    """
    margin = len(text.plain) - len(text.plain.lstrip(" "))
    indent = margin + STEP if margin else 0
    if not console.is_terminal or text.cell_len <= console.width:
        console.print(text, soft_wrap=True, highlight=False)
        return
    first, *others = text.wrap(console, max(console.width - indent, MIN_WIDTH))
    for line in (first, *(Text(" " * indent).append_text(line) for line in others)):
        console.print(line, soft_wrap=True, highlight=False)


def save_files(reply: Reply, folder: Path) -> list[Path]:
    """Write the files of a reply into `folder` without overwriting any; returns where they are."""
    saved = []
    for file in reply.files:
        folder.mkdir(parents=True, exist_ok=True)
        name = Path(file.name).name or "file.txt"
        path = folder / name
        number = 1
        while path.exists():
            number += 1
            stem, dot, rest = name.partition(".")
            path = folder / f"{stem}-{number}{dot}{rest}"
        path.write_bytes(file.data)
        saved.append(path)
    return saved
