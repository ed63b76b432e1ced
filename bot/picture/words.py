"""Words over the width of a picture, and its last lines."""

from __future__ import annotations

from bot.picture.font import drawable, wrap
from bot.picture.svg import EDGE, INK, WIDE, Canvas


def lines(
    canvas: Canvas, text: str, size: int, fill: str = INK, *, bold: bool = False, right: float = WIDE - EDGE
) -> None:
    """Words from the left edge up to `right`, in as many lines as they take."""
    for line in wrap(drawable(text), right - EDGE, size, bold):
        top = canvas.top
        canvas.top += size * 1.3
        canvas.text(line, (EDGE, top + size), size, fill, bold=bold, room=(EDGE, top, right, canvas.top))
