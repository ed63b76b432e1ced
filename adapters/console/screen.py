"""Everything that the console draws around answers: sides in their colours, the bar of keys, the
state of the game, and pictures.
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
"""The keys of the bar, each with its label and the line that it types."""
SIGNS, ASCII_SIGNS = "●▲■◆", "*^#+"
COLOURS = ("bright_blue", "magenta", "green", "bright_cyan")
WIDE, BOARD = 160, 72
"""Minimum number of columns with which the board is always shown, and how many of them it takes."""
LOGGED = 10
"""Number of events that are shown next to the board."""
PNG = b"\x89PNG"


class Screen(Console):
    """A terminal that shows the names of sides in their colours, and a sign at lines that begin
    with a side.
    """

    sides: tuple[str, ...] = ()
    board = ""  # drawn next to the prompt
    events: tuple[str, ...] = ()  # listed below the prompt

    def draw_events(self) -> str:
        """Draw the last events, cut to the columns that the board leaves."""
        columns = max(self.width - BOARD - 2, 1)
        output = StringIO()
        screen = Screen(file=output, width=columns, force_terminal=True)
        screen.sides = self.sides
        for line in self.events:
            screen.print(Text(line, style="dim"), no_wrap=True, overflow="ellipsis")
        return output.getvalue()

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as the library does, with the sides in texts marked."""
        marked = [self.mark_sides(item) if isinstance(item, Text) else item for item in objects]
        super().print(*marked, **options)

    def get_sign(self, side: str) -> str:
        """Return the sign of a side, or "" if the game has no such side."""
        if side not in self.sides:
            return ""
        signs = SIGNS if self.encoding.startswith("utf") else ASCII_SIGNS
        return signs[self.sides.index(side) % len(signs)]

    def mark_sides(self, text: Text) -> Text:
        """Return a line with its sides in their colours. If it begins with a side, the sign is in
        its margin of two spaces.
        """
        marked = text.copy()
        for side, colour in zip(self.sides, COLOURS * len(self.sides), strict=False):
            pattern = rf"(?<!\w){re.escape(side)}(?!\w)"
            marked.highlight_regex(pattern, colour)
            if re.match("  " + pattern, marked.plain):
                sign = Text().append(f"{self.get_sign(side)} ", colour)
                marked = sign.append_text(marked[2:])
        return marked


def format_bottom_line(
    context: CompletionContext, name: str, columns: int = 1000, sign: str = ""
) -> str:
    """Format the state of the game (game, turn, phase, and the sides to play) and the player `name`
    with the `sign` of their side.

    If that does not fit, the help and the game's first parts are left out one after another.
    """
    player = name
    if context.own_side:
        side = f"{sign} {context.own_side}".strip()
        player = f"{name} ({side})"
    state = context.status.split(" · ") if context.status else []
    rows = [[*state, f"you are {player}    ? help"], [*state, f"you are {player}"]]
    rows += [[*state[start:], player] for start in range(len(state) + 1)]
    for row in rows:
        line = " " + " · ".join(row) + " "
        if len(line) <= columns:
            return line
    return line[:columns]


def build_key_bar(columns: int) -> list[tuple[str, str]]:
    """Build the bar of keys for prompt_toolkit, as (style, text) pieces, in as many rows as fit
    into `columns`.
    """
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
    """Return a PNG as the terminal draws it, at most `columns` wide.

    Return None for any other file, or if the terminal draws no pictures or the library is not
    installed. The library asks the terminal once.
    """
    if not picture.startswith(PNG) or find_spec("textual_image") is None:  # an extra
        return None
    from textual_image.renderable import Image, SixelImage, TGPImage

    if Image not in (SixelImage, TGPImage):
        return None
    pixel_width = int.from_bytes(picture[16:20], "big")
    width = min(columns - 2, max(pixel_width // 9, 1))
    image: RenderableType = Image(BytesIO(picture), width, "auto")
    return image
