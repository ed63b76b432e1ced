"""Pictures to share, from an exported game: where it is at or how it ended, a box for each unit,
crossed out once lost; and one result: who did what to whom, by which dice, at which odds. The first
is also beside a link to a shared game."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from html import escape

from bot.charts.charts import render_losses
from bot.charts.font import FAMILY, measure_width, replace_missing_letters, wrap_text
from bot.charts.png import render_png
from bot.charts.svg import FALLBACK, Picture
from bot.game.state import DRAW
from bot.report.luck import find_rarest_rolls
from bot.report.page_data import LogRow, Story
from bot.report.units import HURT, is_lost
from bot.rules.errors import UserError
from bot.ui.reply.bars import format_percent

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


def render_link_card(export: str) -> bytes:
    """The picture beside a link as PNG. Raises UserError where nothing is installed that draws
    it.
    """
    return render_png(draw_game_card(export).svg)


def render_result_cards(
    export: str, facts: Mapping[int, str], number: int = 0
) -> tuple[tuple[str, bytes, str], ...]:
    """(name, PNG, what it says) of the event with this number; without one of the whole game and
    what decided it.
    """
    story = Story(json.loads(export), {at: json.loads(told) for at, told in facts.items()})
    if number:
        found = [("result", draw_result_card(story, number))]
    else:
        turns = [
            (f"decided-{row.number}", draw_result_card(story, row.number))
            for row in story.turning_points()
        ]
        found = [("game", draw_game_card(export)), *turns]
    return tuple((name, render_png(drawn.svg), drawn.alt) for name, drawn in found)


def draw_game_card(export: str) -> Picture:
    """The game as it is, or as it ended."""
    story = Story(json.loads(export), {})
    sides = story.sides[:SIDES]
    room = 300 // max(1, len(sides))
    name = _get_game_name(story)
    out = [
        _draw_text(
            EDGE, 92, 30, FAINT, story.system.title if story.system is not None else "Free play"
        ),
        _draw_text(EDGE, 172, 76, INK, name, bold=True),
        _draw_text(
            EDGE,
            236,
            36,
            INK,
            f"{describe_game_position(story)}{f': {story.closing()}' if story.closing() else ''}",
        ),
    ]
    for at, side in enumerate(sides):
        out += _draw_side(story, side, 280 + at * room, *COLOURS[at])
    return _frame_card(story, 268, out, f"{name}. {story.headline()} {story.closing()}")


def draw_losses_chart(title: str, export: str) -> Picture:
    """Draw the lost and weakened units of each side, turn by turn."""
    story = Story(json.loads(export), {})
    turns = [turn for turn in story.turns if turn.number]
    lost = {
        side: [len(turn.losses[side].gone) + len(turn.losses[side].hurt) for turn in turns]
        for side in story.sides
    }
    totals = {side: _format_losses(story, side) for side in story.sides}
    return render_losses(title, [str(turn.number) for turn in turns], lost, totals)


def _format_losses(story: Story, side: str) -> str:
    """Return `2 of 7 lost, 1 weakened`."""
    losses = story.losses_of(side)
    weakened = f", {len(losses.weakened)} weakened" if losses.weakened else ""
    return f"{len(losses.lost)} of {losses.total} lost{weakened}"


def draw_result_card(story: Story, number: int) -> Picture:
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
    kicker = f"{'What decided ' if decided else ''}{_get_game_name(story)} · {place} · #{number}"
    size = next((size for size in (68, 60, 52) if len(_wrap_text(row.head, size)) <= LINES), 46)
    lines = _wrap_text(row.head, size)[: LINES + 1]
    side = story.sides.index(row.side) if row.side in story.sides else -1
    by = " · ".join(piece for piece in (row.side, row.who, row.what) if piece)
    likely = _format_likelihood(story, row)
    top = 130 + round(len(lines) * size * 1.2)
    out = [_draw_text(EDGE, 92, 30, FAINT, kicker)]
    out += [
        _draw_text(EDGE, 140 + round((at + 0.8) * size * 1.2), size, INK, line, bold=True)
        for at, line in enumerate(lines)
    ]
    out += [
        _draw_text(EDGE, top + 56, 36, COLOURS[side % SIDES][0] if side >= 0 else FAINT, by),
        *_draw_dice(row, top + 84),
    ]
    out += [_draw_text(EDGE, max(536, top + 212), 36, INK, likely)]
    dice = f" Dice: {', '.join(str(value) for value, _ in row.dice)}." if row.dice else ""
    return _frame_card(
        story, 0, out, f"{kicker}. {row.head}. {by}.{dice} {likely}", "" if row.hand else CHECKED
    )


def _get_game_name(story: Story) -> str:
    return str(story.export.get("name") or "Free play")


def _wrap_text(text: str, size: int) -> list[str]:
    return wrap_text(replace_missing_letters(text), WIDE - 2 * EDGE, size, True)


def _format_likelihood(story: Story, row: LogRow) -> str:
    """`That or better: 1 in 54`, or the chance of the rarest thing that came up; nothing for
    real dice.
    """
    for found, words in zip(
        find_rarest_rolls([row]), ("So much or more", "So little or less"), strict=True
    ):
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
        else f"Odds then: {min(came)[1]} {format_percent(min(came)[0])}"
        if came
        else ""
    )


def _draw_dice(row: LogRow, top: int) -> Iterator[str]:
    """The dice as boxes; of many the first."""
    for at, (value, _) in enumerate(row.dice[:DICE]):
        x = EDGE + at * (DIE + 20)
        text = str(value) if at < DICE - 1 or len(row.dice) == DICE else "…"
        yield f'<rect x="{x}" y="{top}" width="{DIE}" height="{DIE}" rx="14" fill="{INK}"/>'
        size = 52 if len(text) < 3 else 36
        yield _draw_text(
            x + round((DIE - measure_width(text, size, True)) / 2),
            top + 60,
            size,
            PAPER,
            text,
            bold=True,
        )


def _frame_card(
    story: Story, line: int, out: list[str], alt: str, checked: str = CHECKED
) -> Picture:
    rule = (
        f'<path d="M{EDGE} {line}H{WIDE - EDGE}" stroke="{LINE}" stroke-width="2"/>' if line else ""
    )
    foot = _draw_text(EDGE, 594, 30, FAINT, f"Grognard{checked} · {str(story.export['head'])[:16]}")
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}"'
        f" font-family=\"'{FAMILY}',{escape(FALLBACK)}\"><title>{escape(alt)}</title>"
        f'<rect width="{WIDE}" height="{HIGH}" fill="{PAPER}"/>{rule}{"".join(out)}{foot}</svg>'
    )
    return Picture(svg, alt.strip(), HIGH)


def describe_game_position(story: Story) -> str:
    """Who won, or where the game is at."""
    turn = story.game.get("turn", 0)
    winner = story.game.get("winner")
    won = "A draw" if winner == DRAW else f"{winner} won" if winner else ""
    if story.game.get("ended"):
        return f"{won or 'Ended'} on turn {turn}"
    return f"Turn {turn}, {story.phase_title()}" if turn else "Free play"


def _draw_side(story: Story, side: str, top: int, colour: str, fill: str) -> list[str]:
    """A side's name, what is left of it, and its units."""
    units = {key: unit for key, unit in story.units.items() if unit and unit.get("side") == side}
    out = [
        _draw_text(EDGE, top + 42, 38, colour, side, bold=True, room=250),
        _draw_text(
            EDGE, top + 76, 26, FAINT, f"{story.left(side)} left" if units else "", room=250
        ),
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


def _draw_text(
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
    text = replace_missing_letters(" ".join(text.split()))
    while size > 28 and measure_width(text, size, bold) > room:
        size -= 4
    while text and measure_width(text, size, bold) > room:
        text = f"{text[:-2].rstrip()}…"
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{weight}>{escape(text)}</text>'
