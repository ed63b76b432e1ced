"""What the console draws around answers: sides in their colours, the bar of keys, where the game
is, pictures.
"""

import re
from importlib.util import find_spec
from io import BytesIO, StringIO
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from bot.ui.typing.complete import CompletionContext

BAR = {"F2": ("again", "a"), "F3": ("odds", "o"), "F4": ("target", "t"), "F5": ("board", "board")}
BAR |= {"F6": ("units", "unit list"), "F7": ("undo", "u"), "F8": ("pass", "p"), "F9": ("next", "n")}
"""Each key of the bar, what it is called, and the line that it types."""
SIGNS, ASCII_SIGNS = "●▲■◆", "*^#+"
COLOURS = ("bright_blue", "magenta", "green", "bright_cyan")
WIDE, BOARD = 160, 72
"""Columns from which on the board is kept in view, and how many of them it takes."""
LOGGED = 10
"""How many events are in view beside it."""
PNG = b"\x89PNG"


class Screen(Console):
    """A terminal that shows sides, wherever they are named, in their colours, and their rosters
    with their signs.
    """

    sides: tuple[str, ...] = ()
    board = ""  # as it is drawn beside the prompt
    events: tuple[str, ...] = ()  # those that are listed below the prompt

    def draw_events(self) -> str:
        """Return the last events, cut to the columns that the board leaves now."""
        columns = max(self.width - BOARD - 2, 1)
        drawn = Screen(file=(written := StringIO()), width=columns, force_terminal=True)
        drawn.sides = self.sides
        for line in self.events:
            drawn.print(Text(line, style="dim"), no_wrap=True, overflow="ellipsis")
        return written.getvalue()

    def print(self, *objects: Any, **options: Any) -> None:
        """As ever, sides marked."""
        super().print(
            *(self.mark_sides(one) if isinstance(one, Text) else one for one in objects), **options
        )

    def get_sign(self, side: str) -> str:
        """The sign of a side; nothing for none."""
        signs = SIGNS if self.encoding.startswith("utf") else ASCII_SIGNS
        return signs[self.sides.index(side) % len(signs)] if side in self.sides else ""

    def mark_sides(self, text: Text) -> Text:
        """A line with its sides marked; one that begins with a side gets the sign in its margin."""
        found = text.copy()
        for side, colour in zip(self.sides, COLOURS * len(self.sides), strict=False):
            named = rf"(?<!\w){re.escape(side)}(?!\w)"
            found.highlight_regex(named, colour)
            if re.match("  " + named, found.plain):
                found = Text().append(f"{self.get_sign(side)} ", colour).append_text(found[2:])
        return found


def format_bottom_line(
    known: CompletionContext, name: str, columns: int = 1000, sign: str = ""
) -> str:
    """Game, turn, phase and whose go it is, and who is typing; without what matters least where
    there is no room.
    """
    who = name + (f" ({f'{sign} {known.own_side}'.strip()})" if known.own_side else "")
    where = known.status.split(" · ") if known.status else []
    rows = [[*where, f"you are {who}    ? help"], [*where, f"you are {who}"]]
    rows += [[*where[at:], who] for at in range(len(where) + 1)]
    shown = [" " + " · ".join(row) + " " for row in rows]
    return next((row for row in shown if len(row) <= columns), shown[-1][:columns])


def build_key_bar(columns: int) -> list[tuple[str, str]]:
    """The keys that are the same everywhere, as prompt_toolkit draws them: in a row, or in two."""
    pieces: list[tuple[str, str]] = []
    width = 0
    for key, (label, _) in BAR.items():
        size = len(f" {key} {label} ")
        if width + size > columns:
            pieces.append(("", "\n"))
            width = 0
        pieces += [("", " "), ("bold noreverse", f"{key}"), ("", f" {label} ")]
        width += size
    return pieces


def render_graphics(picture: bytes, columns: int) -> RenderableType | None:
    """A PNG as this terminal draws it; nothing where it does not, which it is asked with the
    first one.
    """
    if not picture.startswith(PNG) or find_spec("textual_image") is None:  # an extra
        return None
    from textual_image.renderable import Image, SixelImage, TGPImage

    if Image not in (SixelImage, TGPImage):
        return None
    wide = min(columns - 2, max(int.from_bytes(picture[16:20], "big") // 9, 1))
    drawn: RenderableType = Image(BytesIO(picture), wide, "auto")
    return drawn
