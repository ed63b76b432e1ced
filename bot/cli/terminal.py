"""Replies on a terminal: bold first line, dim footer. Colours repeat what the words say."""

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

STEP = 2  # blanks
KEY_GAP = "   "  # between the keys under a reply
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
    """Print a reply, and under it `keys`, a line that says which keys stand for its buttons.

    Text of the reply is never read as markup.
    """
    mark = ""
    style = _STYLES.get(reply.tone, "bold")
    if reply.error:
        mark = "Error: "
        style = "bold red"
    elif reply.private:
        mark = "(only you) "
    if reply.over:
        mark = f"{mark}{reply.over}: "
    first_line = Text(mark + reply.title, style=style)
    if reply.by:
        first_line.append(f" · {localize_text(reply.by)}", style="none")
    print_text(console, first_line)
    for group in _group_dice_lines(reply.lines):
        label_width = max(
            (len(part.heading) for part in group if isinstance(part, Line)), default=0
        )
        for part in group:
            _print_part(console, part, label_width)
    for text in (" · ".join(reply.footer), *_wrap_keys(keys, console)):
        if text:
            print_text(console, Text("  " + text, style="dim"))


def _wrap_keys(keys: str, console: Console) -> list[str]:
    """Return the keys in lines that fit the terminal, so that no key is apart from its label."""
    lines = [""]
    for key in keys.split(KEY_GAP):
        longer = f"{lines[-1]}{KEY_GAP}{key}" if lines[-1] else key
        if lines[-1] and console.is_terminal and len(longer) + 2 > console.width:
            lines.append(key)
        else:
            lines[-1] = longer
    return lines


def _group_dice_lines(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Yield runs of parts: dice lines in a row, whose labels share a column, or other parts in a
    row.
    """
    for _, run in groupby(parts, key=lambda part: isinstance(part, Line)):
        yield list(run)


def _print_part(console: Console, part: Part, label_width: int) -> None:
    """Print a part of a reply, with its label padded to `label_width` columns if it is a dice line
    and the width is at most MOST_LABEL.
    """
    if isinstance(part, Line) and label_width <= MOST_LABEL:
        text = part.text()
        label = text[: len(part.heading) + 1].removesuffix(":")
        value = text[len(part.heading) + 2 :]
        print_text(console, Text(f"  {label:<{label_width}}  {value}".rstrip()))
        return
    if isinstance(part, UnitTable) and console.width >= WIDE:
        for line, tone in part.format_wide_lines():
            style = _STYLES[tone].removeprefix("bold ") if tone in (HURT, SHAKEN) else ""
            console.print(Text("  " + line, style=style), soft_wrap=True, highlight=False)
        return
    if isinstance(part, Odds):
        for text, index in format_numbered_lines(part.heading, part.rows, _get_look(console)):
            tone = part.tones[index] if 0 <= index < len(part.tones) else ""
            style = _STYLES[tone].removeprefix("bold ") if tone in (HURT, SHAKEN) else "cyan"
            console.print(Text("  " + text, style=style), soft_wrap=True, highlight=False)
        return
    for line in format_part(part, _PEN, _get_look(console)):
        if isinstance(part, FIXED):
            console.print(Text("  " + line, style="cyan"), soft_wrap=True, highlight=False)
        else:
            print_text(console, Text("  " + line, style="dim" if isinstance(part, Small) else ""))


def localize_text(text: str) -> str:
    """Return a line for the console: times in this computer's time zone, commands without a slash."""
    return "".join(map(_localize_piece, split_pieces(text)))


def _localize_piece(piece: str) -> str:
    """Return a time in this computer's time zone, a command without its slash, other text as it is."""
    if isinstance(piece, When):
        return _format_moment(piece)
    if isinstance(piece, Typed):
        return piece.removeprefix("/")
    return piece


def _format_moment(moment: When) -> str:
    return datetime.fromtimestamp(moment.at).astimezone().strftime("%a %d %b, %H:%M")


_PEN = PLAIN._replace(plain=localize_text, small=localize_text)


def _get_look(console: Console) -> Look:
    """Return the look of bars: short ones on a narrow terminal, in ASCII if the output is not in a
    Unicode encoding, and grids as wide as the terminal.
    """
    is_narrow = console.is_terminal and console.width < NARROW
    look = PHONE if is_narrow else LONG
    look = look._replace(plain=not console.encoding.startswith("utf"))
    if console.is_terminal:
        look = look._replace(grid=max(console.width - STEP, PHONE.grid + 1))
    return look


def print_text(console: Console, text: Text) -> None:
    """Print a line; on a terminal break it between words, with the continuation lines of an
    indented line indented one step more.
    """
    margin = len(text.plain) - len(text.plain.lstrip(" "))
    indent = margin + STEP if margin else 0
    if not console.is_terminal or text.cell_len <= console.width:
        console.print(text, soft_wrap=True, highlight=False)
        return
    lines = text.wrap(console, max(console.width - indent, MIN_WIDTH))
    console.print(lines[0], soft_wrap=True, highlight=False)
    for line in lines[1:]:
        indented = Text(" " * indent).append_text(line)
        console.print(indented, soft_wrap=True, highlight=False)


def save_files(reply: Reply, folder: Path) -> list[Path]:
    """Write the files of a reply into `folder`, which is created if necessary, and return their
    paths. A name that is there already gets a number.
    """
    saved = []
    for file in reply.files:
        folder.mkdir(parents=True, exist_ok=True)
        name = Path(file.name).name or "file.txt"
        path = folder / name
        number = 1
        while path.exists():
            number += 1
            stem, dot, suffix = name.partition(".")
            path = folder / f"{stem}-{number}{dot}{suffix}"
        path.write_bytes(file.data)
        saved.append(path)
    return saved
