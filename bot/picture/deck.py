"""What is left of a deck, drawn: each of its cards as a chip, and only as its name where none is left."""

from collections.abc import Sequence

from bot.picture.font import cut, drawable, width
from bot.picture.svg import BAND, EDGE, FAINT, HIT, HIT_INK, INK, WIDE, Canvas, Picture

MOST = 150
"""Different cards of a picture; the others are in the answer in words."""
_SIZE, _ROW, _PAD, _GAP = 22, 42, 10, 8
_RIGHT = WIDE - EDGE


def deck_picture(
    title: str, under: str, where: str, listed: Sequence[tuple[str, int, int]], lines: Sequence[str]
) -> Picture:
    """(its name, how many are `where` all can tell no more, how many there are) of each card in the order of the deck;
    then in words where the others are."""
    canvas, left = Canvas(title, under), float(EDGE)
    canvas.words(f"{where}:", 20, FAINT)
    canvas.top += 10
    for name, count, all in listed[:MOST]:
        said = cut(drawable(f"{name} {count} of {all}" if all > 1 else name), _RIGHT - EDGE - 2 * _PAD, _SIZE)
        wide = width(said, _SIZE, True) + 2 * _PAD
        if left + wide > _RIGHT:
            left, canvas.top = float(EDGE), canvas.top + _ROW
        room = (left, canvas.top, left + wide, canvas.top + _ROW - _GAP)
        if count:
            canvas.box(room, HIT if count == all else BAND, 6, "left")
        fill = HIT_INK if count == all else INK if count else FAINT
        canvas.text(said, (left + _PAD, canvas.top + _SIZE + 2), _SIZE, fill, bold=True)
        left += wide + _GAP
    canvas.top += _ROW + 4
    more = [f"{len(listed) - MOST} more are in the answer in words."] if len(listed) > MOST else []
    for line in (*more, *lines):
        canvas.words(line, 20, FAINT)
    canvas.top += 14
    there = [f"{name} {count} of {all}" if all > 1 else name for name, count, all in listed if count]
    return canvas.picture([f"{title}.", f"{under}.", *(f"{line}." for line in lines), f"{where}:"], there)
