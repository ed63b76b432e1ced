"""Pictures to share, from an exported game: where it is at or how it ended, a box for each unit,
crossed out once lost; and one result: who did what to whom, by which dice, at which odds. The first
is also beside a link to a shared game."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from html import escape

from bot.game.state import DRAW
from bot.interface.reply.bars import percent
from bot.picture.charts import losses_picture
from bot.picture.font import FAMILY, drawable, width, wrap
from bot.picture.png import png
from bot.picture.svg import FALLBACK, Picture
from bot.report.luck import shots
from bot.report.page_data import Row, Story
from bot.report.units import HURT, is_lost
from bot.rules.errors import UserError

WIDE, HIGH = 1200, 630
EDGE = 64
PAPER, INK, FAINT, LINE = "#1a1f1d", "#e7ebe6", "#a2ada6", "#343c38"
COLOURS = (
    ("#7cbcf5", "#16314a"),
    ("#f5a463", "#46280f"),
    ("#5fd0ad", "#0f3a2e"),
    ("#e29ad6", "#432040"),
)
SIDES, BOXES, BOX, STEP = 4, 16, 44, 52
CHECKED = " · every die can be checked"
DICE, DIE, LINES = 10, 84, 3
"""Dice in a picture, how large one is, and lines of a result."""


def card_png(export: str) -> bytes:
    """The picture beside a link as PNG. Raises UserError where nothing is installed that draws
    it.
    """
    return png(card(export).svg)


def cards_drawn(
    export: str, facts: Mapping[int, str], number: int = 0
) -> tuple[tuple[str, bytes, str], ...]:
    """(name, PNG, what it says) of the event with this number; without one of the whole game and
    what decided it.
    """
    story = Story(json.loads(export), {at: json.loads(told) for at, told in facts.items()})
    if number:
        found = [("result", result(story, number))]
    else:
        turns = [
            (f"decided-{row.number}", result(story, row.number)) for row in story.turning_points()
        ]
        found = [("game", card(export)), *turns]
    return tuple((name, png(drawn.svg), drawn.alt) for name, drawn in found)


def card(export: str) -> Picture:
    """The game as it is, or as it ended."""
    story = Story(json.loads(export), {})
    sides = story.sides[:SIDES]
    room = 300 // max(1, len(sides))
    name = _named(story)
    out = [
        _text(EDGE, 92, 30, FAINT, story.system.title if story.system is not None else "Free play"),
        _text(EDGE, 172, 76, INK, name, bold=True),
        _text(
            EDGE, 236, 36, INK, f"{where(story)}{f': {story.closing()}' if story.closing() else ''}"
        ),
    ]
    for at, side in enumerate(sides):
        out += _side(story, side, 280 + at * room, *COLOURS[at])
    return _framed(story, 268, out, f"{name}. {story.headline()} {story.closing()}")


def losses(title: str, export: str) -> Picture:
    """Draw the lost and weakened units of each side, turn by turn."""
    story = Story(json.loads(export), {})
    turns = [turn for turn in story.turns if turn.number]
    lost = {
        side: [len(turn.losses[side].gone) + len(turn.losses[side].hurt) for turn in turns]
        for side in story.sides
    }
    totals = {side: _losses_in_words(story, side) for side in story.sides}
    return losses_picture(title, [str(turn.number) for turn in turns], lost, totals)


def _losses_in_words(story: Story, side: str) -> str:
    """Return `2 of 7 lost, 1 weakened`."""
    losses = story.losses_of(side)
    weakened = f", {len(losses.weakened)} weakened" if losses.weakened else ""
    return f"{len(losses.lost)} of {losses.total} lost{weakened}"


def result(story: Story, number: int) -> Picture:
    """One event: what came of it, who did it, its dice and how likely it was. Raises UserError
    where it has none.
    """
    if not 1 <= number <= len(story.rows):
        raise UserError(f"This game has no event #{number}.", code="bad-value")
    turn, phase, row = next(
        (turn.number, phase.title, row)
        for turn in story.turns for phase in turn.phases for row in phase.rows if row.number == number
    )  # fmt: skip
    decided = bool(story.game.get("ended")) and number in [
        one.number for one in story.turning_points()
    ]
    place = f"turn {turn}, {phase}" if turn else phase
    kicker = f"{'What decided ' if decided else ''}{_named(story)} · {place} · #{number}"
    size = next((size for size in (68, 60, 52) if len(_wrapped(row.head, size)) <= LINES), 46)
    lines = _wrapped(row.head, size)[: LINES + 1]
    side = story.sides.index(row.side) if row.side in story.sides else -1
    by = " · ".join(piece for piece in (row.side, row.who, row.what) if piece)
    likely = _likely(story, row)
    top = 130 + round(len(lines) * size * 1.2)
    out = [_text(EDGE, 92, 30, FAINT, kicker)]
    out += [
        _text(EDGE, 140 + round((at + 0.8) * size * 1.2), size, INK, line, bold=True)
        for at, line in enumerate(lines)
    ]
    out += [
        _text(EDGE, top + 56, 36, COLOURS[side % SIDES][0] if side >= 0 else FAINT, by),
        *_dice(row, top + 84),
    ]
    out += [_text(EDGE, max(536, top + 212), 36, INK, likely)]
    dice = f" Dice: {', '.join(str(value) for value, _ in row.dice)}." if row.dice else ""
    return _framed(
        story, 0, out, f"{kicker}. {row.head}. {by}.{dice} {likely}", "" if row.hand else CHECKED
    )


def _named(story: Story) -> str:
    return str(story.export.get("name") or "Free play")


def _wrapped(text: str, size: int) -> list[str]:
    return wrap(drawable(text), WIDE - 2 * EDGE, size, True)


def _likely(story: Story, row: Row) -> str:
    """`That or better: 1 in 54`, or the chance of the rarest thing that came up; nothing for
    real dice.
    """
    for found, words in zip(shots([row]), ("So much or more", "So little or less"), strict=True):
        if found:
            return f"{words}: {found[0].odds}"
    odds = story.facts.get(row.number, {}).get("odds") or ()
    came = [
        (float(Fraction(exact)), word)
        for one in odds
        for word, exact in one["chances"]
        if word in one["came"]
    ]
    return (
        "Real dice"
        if row.hand
        else f"Odds then: {min(came)[1]} {percent(min(came)[0])}"
        if came
        else ""
    )


def _dice(row: Row, top: int) -> Iterator[str]:
    """The dice as boxes; of many the first."""
    for at, (value, _) in enumerate(row.dice[:DICE]):
        x = EDGE + at * (DIE + 20)
        text = str(value) if at < DICE - 1 or len(row.dice) == DICE else "…"
        yield f'<rect x="{x}" y="{top}" width="{DIE}" height="{DIE}" rx="14" fill="{INK}"/>'
        size = 52 if len(text) < 3 else 36
        yield _text(
            x + round((DIE - width(text, size, True)) / 2), top + 60, size, PAPER, text, bold=True
        )


def _framed(story: Story, line: int, out: list[str], alt: str, checked: str = CHECKED) -> Picture:
    rule = (
        f'<path d="M{EDGE} {line}H{WIDE - EDGE}" stroke="{LINE}" stroke-width="2"/>' if line else ""
    )
    foot = _text(EDGE, 594, 30, FAINT, f"Grognard{checked} · {str(story.export['head'])[:16]}")
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}"'
        f" font-family=\"'{FAMILY}',{escape(FALLBACK)}\"><title>{escape(alt)}</title>"
        f'<rect width="{WIDE}" height="{HIGH}" fill="{PAPER}"/>{rule}{"".join(out)}{foot}</svg>'
    )
    return Picture(svg, alt.strip(), HIGH)


def where(story: Story) -> str:
    """Who won, or where the game is at."""
    turn = story.game.get("turn", 0)
    winner = story.game.get("winner")
    won = "A draw" if winner == DRAW else f"{winner} won" if winner else ""
    if story.game.get("ended"):
        return f"{won or 'Ended'} on turn {turn}"
    return f"Turn {turn}, {story.phase_title()}" if turn else "Free play"


def _side(story: Story, side: str, top: int, colour: str, fill: str) -> list[str]:
    """A side's name, what is left of it, and its units."""
    units = {key: unit for key, unit in story.units.items() if unit and unit.get("side") == side}
    out = [
        _text(EDGE, top + 42, 38, colour, side, bold=True, room=250),
        _text(EDGE, top + 76, 26, FAINT, f"{story.left(side)} left" if units else "", room=250),
    ]
    for at, (key, unit) in enumerate(list(units.items())[:BOXES]):
        x = 330 + at * STEP
        y = top + 20
        gone = is_lost(unit, story.system)
        edge = f'stroke="{FAINT}" stroke-dasharray="6 5"' if gone else f'stroke="{colour}"'
        out.append(
            f'<rect x="{x}" y="{y}" width="{BOX}" height="{BOX}" rx="5" fill="{PAPER if gone else fill}" {edge}'
            ' stroke-width="3"/>'
        )
        if not gone and story.drawn(key)[0]["standing"] == HURT:
            half = f"M{x + BOX} {y}V{y + BOX}H{x}Z"
            out.append(
                f'<path d="{half}" fill="{PAPER}" stroke="{colour}" stroke-width="3" stroke-linejoin="round"/>'
            )
        if gone:
            low = y + BOX - 4
            right = x + BOX - 4
            cross = f"M{x + 4} {y + 4}L{right} {low}M{right} {y + 4}L{x + 4} {low}"
            out.append(f'<path d="{cross}" stroke="{FAINT}" stroke-width="3"/>')
    return out


def _text(
    x: int,
    y: int,
    size: int,
    fill: str,
    text: str,
    *,
    bold: bool = False,
    room: int = WIDE - 2 * EDGE,
) -> str:
    """A line of text, smaller where it is long, and cut where it would be too small."""
    text = drawable(" ".join(text.split()))
    while size > 28 and width(text, size, bold) > room:
        size -= 4
    while text and width(text, size, bold) > room:
        text = f"{text[:-2].rstrip()}…"
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{weight}>{escape(text)}</text>'
