"""The picture beside a link to a shared game: its name, where it is at, a box for each unit, crossed out once lost."""

from __future__ import annotations

import json
from html import escape

from bot.game.state import DRAW
from bot.picture.font import FAMILY, drawable, width
from bot.picture.png import png
from bot.picture.svg import FALLBACK
from bot.report.counters import HURT, is_lost
from bot.report.story import Story

WIDE, HIGH = 1200, 630
EDGE = 64
PAPER, INK, FAINT, LINE = "#1a1f1d", "#e7ebe6", "#a2ada6", "#343c38"
COLOURS = (("#7cbcf5", "#16314a"), ("#f5a463", "#46280f"), ("#5fd0ad", "#0f3a2e"), ("#e29ad6", "#432040"))
SIDES, BOXES, BOX, STEP = 4, 16, 44, 52


def card_png(export: str) -> bytes:
    """The picture as PNG. Raises UserError where nothing is installed that draws it."""
    return png(card(export))


def card(export: str) -> str:
    """The picture as SVG."""
    read = json.loads(export)
    story = Story(read, {})
    sides = story.sides[:SIDES]
    room = 300 // max(1, len(sides))
    head = str(read["head"])[:8]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}"'
        f" font-family=\"'{FAMILY}',{escape(FALLBACK)}\">",
        f'<rect width="{WIDE}" height="{HIGH}" fill="{PAPER}"/>',
        f'<path d="M{EDGE} 268H{WIDE - EDGE}" stroke="{LINE}" stroke-width="2"/>',
        _text(EDGE, 92, 30, FAINT, story.system.title if story.system is not None else "Free play"),
        _text(EDGE, 172, 76, INK, str(read.get("name") or "Free play"), bold=True),
        _text(EDGE, 236, 36, INK, where(story)),
        _text(EDGE, 594, 26, FAINT, f"Every die can be checked · {head}"),
    ]
    for at, side in enumerate(sides):
        out += _side(story, side, 280 + at * room, *COLOURS[at])
    return "".join([*out, "</svg>"])


def where(story: Story) -> str:
    """Who won, or where the game is at."""
    turn, winner = story.game.get("turn", 0), story.game.get("winner")
    won = "A draw" if winner == DRAW else f"{winner} won" if winner else ""
    if story.game.get("ended"):
        return f"{won or 'Ended'} on turn {turn}"
    return f"Turn {turn}, {story.phase_title()}" if turn else "Free play"


def _side(story: Story, side: str, top: int, colour: str, fill: str) -> list[str]:
    """A side's name, what is left of it, and its units."""
    units = {key: unit for key, unit in story.units.items() if unit and unit.get("side") == side}
    left = sum(not is_lost(unit, story.system) for unit in units.values())
    out = [
        _text(EDGE, top + 42, 38, colour, side, bold=True, room=250),
        _text(EDGE, top + 76, 26, FAINT, f"{left} of {len(units)} left" if units else "", room=250),
    ]
    for at, (key, unit) in enumerate(list(units.items())[:BOXES]):
        x, y, gone = 330 + at * STEP, top + 20, is_lost(unit, story.system)
        edge = f'stroke="{FAINT}" stroke-dasharray="6 5"' if gone else f'stroke="{colour}"'
        out.append(
            f'<rect x="{x}" y="{y}" width="{BOX}" height="{BOX}" rx="5" fill="{PAPER if gone else fill}" {edge}'
            ' stroke-width="3"/>'
        )
        if not gone and story.drawn(key)[0].standing == HURT:
            half = f"M{x + BOX} {y}V{y + BOX}H{x}Z"
            out.append(f'<path d="{half}" fill="{PAPER}" stroke="{colour}" stroke-width="3" stroke-linejoin="round"/>')
        if gone:
            low, right = y + BOX - 4, x + BOX - 4
            cross = f"M{x + 4} {y + 4}L{right} {low}M{right} {y + 4}L{x + 4} {low}"
            out.append(f'<path d="{cross}" stroke="{FAINT}" stroke-width="3"/>')
    return out


def _text(x: int, y: int, size: int, fill: str, text: str, *, bold: bool = False, room: int = WIDE - 2 * EDGE) -> str:
    """A line of text, smaller where it is long, and cut where it would be too small."""
    text = drawable(" ".join(text.split()))
    while size > 28 and width(text, size, bold) > room:
        size -= 4
    while text and width(text, size, bold) > room:
        text = f"{text[:-2].rstrip()}…"
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{weight}>{escape(text)}</text>'
