"""Pictures of an exported game to share.

A game card shows the position or the outcome, with a box for each unit, crossed out if it is lost.
A chat also shows it next to a link to the game. A result card shows one event: who did what to
whom, the dice and the odds.
"""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from html import escape

from bot.charts.charts import render_losses
from bot.charts.font import FAMILY, measure_width, replace_missing_letters, wrap_text
from bot.charts.png import render_png
from bot.charts.svg import FALLBACK, Picture
from bot.presentation.events import describe_past_outcome
from bot.report.luck import find_rarest_rolls
from bot.report.page_data import LogRow, Story
from bot.report.units import HURT, is_lost
from bot.rules.errors import UserError
from bot.rules.text.phrase import capitalize_first
from bot.rulesets.rule_sets import RuleSets
from bot.ui.reply.percents import format_percent

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
MAX_DICE = 10
DIE_SIZE = 84
MAX_LINES = 3
"""Lines of a result in large letters."""


def render_link_card(export: str, systems: RuleSets) -> bytes:
    """Render the game card that a chat shows next to a link, as PNG.

    Raises UserError if no library that renders PNG is installed.
    """
    return render_png(draw_game_card(export, systems).svg)


def render_result_cards(
    export: str, facts: Mapping[int, str], systems: RuleSets, number: int = 0
) -> tuple[tuple[str, bytes, str], ...]:
    """Render the card of event `number`; if it is 0, of the game and of each event that decided it.

    Return (file name, PNG, alt text) of each. Raises UserError for an unknown number.
    """
    facts_by_event = {event_number: json.loads(text) for event_number, text in facts.items()}
    story = Story(json.loads(export), facts_by_event, systems)
    if number:
        pictures = [("result", draw_result_card(story, number))]
    else:
        pictures = [("game", draw_game_card(export, systems))]
        for row in story.turning_points():
            pictures.append((f"decided-{row.number}", draw_result_card(story, row.number)))
    return tuple((name, render_png(picture.svg), picture.alt) for name, picture in pictures)


def draw_game_card(export: str, systems: RuleSets) -> Picture:
    """Draw the position of a game in progress, or the outcome of one that has ended."""
    story = Story(json.loads(export), {}, systems)
    sides = story.sides[:SIDES]
    side_height = 300 // max(1, len(sides))
    name = _get_game_name(story)
    kicker = story.system.title if story.system is not None else "Free play"
    position = describe_game_position(story)
    closing = story.closing()
    if closing:
        position = f"{position}: {closing}"
    elements = [
        _draw_text(EDGE, 92, 30, FAINT, kicker),
        _draw_text(EDGE, 172, 76, INK, name, bold=True),
        _draw_text(EDGE, 236, 36, INK, position),
    ]
    for index, side in enumerate(sides):
        elements += _draw_side(story, side, 280 + index * side_height, *COLOURS[index])
    return _frame_card(story, 268, elements, f"{name}. {story.headline()} {closing}")


def draw_losses_chart(title: str, export: str, systems: RuleSets) -> Picture:
    """Draw the lost and weakened units of each side, turn by turn."""
    story = Story(json.loads(export), {}, systems)
    turns = [turn for turn in story.turns if turn.number]
    labels = [str(turn.number) for turn in turns]
    counts = {}
    totals = {}
    for side in story.sides:
        losses = [turn.losses[side] for turn in turns]
        counts[side] = [len(loss.gone) + len(loss.hurt) for loss in losses]
        totals[side] = _format_losses(story, side)
    return render_losses(title, labels, counts, totals)


def _format_losses(story: Story, side: str) -> str:
    """Format the losses of a side so far: `2 of 7 lost, 1 weakened`, or `0 of 7 lost`."""
    losses = story.losses_of(side)
    weakened = f", {len(losses.weakened)} weakened" if losses.weakened else ""
    return f"{len(losses.lost)} of {losses.total} lost{weakened}"


def draw_result_card(story: Story, number: int) -> Picture:
    """Draw one event: its result, who did it, its dice and how likely it was.

    Raises UserError if the game has no event with this number.
    """
    if not 1 <= number <= len(story.rows):
        raise UserError(f"This game has no event #{number}.", code="bad-value")
    row, place = _find_row(story, number)
    kicker = f"{_get_game_name(story)} · {place} · #{number}"
    if story.game.get("ended") and number in [point.number for point in story.turning_points()]:
        kicker = f"What decided {kicker}"
    size = 46
    for large_size in (68, 60, 52):
        if len(_wrap_text(row.head, large_size)) <= MAX_LINES:
            size = large_size
            break
    lines = _wrap_text(row.head, size)[: MAX_LINES + 1]
    colour = FAINT
    if row.side in story.sides:
        colour = COLOURS[story.sides.index(row.side) % SIDES][0]
    by = " · ".join(piece for piece in (row.side, row.who, row.what) if piece)
    likelihood = _format_likelihood(story, row)
    top = 130 + round(len(lines) * size * 1.2)
    elements = [_draw_text(EDGE, 92, 30, FAINT, kicker)]
    for index, line in enumerate(lines):
        baseline = 140 + round((index + 0.8) * size * 1.2)
        elements.append(_draw_text(EDGE, baseline, size, INK, line, bold=True))
    elements.append(_draw_text(EDGE, top + 56, 36, colour, by))
    elements += _draw_dice(row, top + 84)
    elements.append(_draw_text(EDGE, max(536, top + 212), 36, INK, likelihood))
    dice = f" Dice: {', '.join(str(value) for value, _ in row.dice)}." if row.dice else ""
    alt = f"{kicker}. {row.head}. {by}.{dice} {likelihood}"
    return _frame_card(story, 0, elements, alt, "" if row.hand else CHECKED)


def _find_row(story: Story, number: int) -> tuple[LogRow, str]:
    """Return the row of an event, and the turn and phase of it in words."""
    for turn in story.turns:
        for phase in turn.phases:
            for row in phase.rows:
                if row.number == number:
                    place = f"turn {turn.number}, {phase.title}" if turn.number else phase.title
                    return row, place
    raise AssertionError("each event is in a phase")


def _get_game_name(story: Story) -> str:
    return str(story.export.get("name") or "Free play")


def _wrap_text(text: str, size: int) -> list[str]:
    return wrap_text(replace_missing_letters(text), WIDE - 2 * EDGE, size, True)


def _format_likelihood(story: Story, row: LogRow) -> str:
    """Return how likely the result was, or "" if that is unknown.

    If the roll has luck it is `This or more: 1 in 54`, or `This or less: 1 in 54`. For
    other rolls of real dice it is `Real dice`, else the chance of the worst result that came up:
    `Rifle 2 pinned: 25%`.
    """
    successes, failures = find_rarest_rolls([row])
    if successes:
        return f"This or more: {successes[0].odds}"
    if failures:
        return f"This or less: {failures[0].odds}"
    if row.hand:
        return "Real dice"
    results: list[tuple[int, float, str]] = []
    for odds in story.facts.get(row.number, {}).get("odds") or ():
        unit = odds["of"]
        if len(odds["came"]) > 1:  # each unit of the group has its own result
            unit = ""
        for rank, (word, exact) in enumerate(odds["chances"]):
            if word in odds["came"]:
                results.append((rank, float(Fraction(exact)), f"{unit} {word}".strip()))
    if not results:
        return ""
    _, chance, result = min(results)
    return f"{capitalize_first(result)}: {format_percent(chance)}"


def _draw_dice(row: LogRow, top: int) -> Iterator[str]:
    """Yield the dice of a row as boxes with their values, at most MAX_DICE of them.

    If there are more, the last box holds an ellipsis.
    """
    for index, (value, _) in enumerate(row.dice[:MAX_DICE]):
        x = EDGE + index * (DIE_SIZE + 20)
        is_last_box = index == MAX_DICE - 1
        text = "…" if is_last_box and len(row.dice) > MAX_DICE else str(value)
        size = 52 if len(text) < 3 else 36
        text_x = x + round((DIE_SIZE - measure_width(text, size, True)) / 2)
        yield (
            f'<rect x="{x}" y="{top}" width="{DIE_SIZE}" height="{DIE_SIZE}" rx="14" fill="{INK}"/>'
        )
        yield _draw_text(text_x, top + 60, size, PAPER, text, bold=True)


def _frame_card(
    story: Story, line: int, elements: list[str], alt: str, promise: str = CHECKED
) -> Picture:
    """Build a card from its SVG elements, with a footer.

    `line` is the height of a horizontal line across the card, or 0 for none. The footer has the
    words of `promise` and the head of the log.
    """
    rule = ""
    if line:
        rule = f'<path d="M{EDGE} {line}H{WIDE - EDGE}" stroke="{LINE}" stroke-width="2"/>'
    head = str(story.export["head"])[:16]
    footer = _draw_text(EDGE, 594, 30, FAINT, f"Grognard{promise} · {head}")
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}"'
        f" font-family=\"'{FAMILY}',{escape(FALLBACK)}\"><title>{escape(alt)}</title>"
        f'<rect width="{WIDE}" height="{HIGH}" fill="{PAPER}"/>{rule}{"".join(elements)}{footer}</svg>'
    )
    return Picture(svg, alt.strip(), HIGH)


def describe_game_position(story: Story) -> str:
    """Return `US won on turn 6` for a game that has ended, otherwise its turn and phase."""
    turn = story.game.get("turn", 0)
    if not story.game.get("ended"):
        return f"Turn {turn}, {story.phase_title()}" if turn else "Free play"
    winner = story.game.get("winner") or ""
    outcome = describe_past_outcome(winner, begins_line=True)
    if not outcome:
        return f"Ended on turn {turn}"
    return f"{outcome} on turn {turn}"


def _draw_side(story: Story, side: str, top: int, colour: str, fill: str) -> list[str]:
    """Draw the name of a side, how many units it has left, and a box for each unit."""
    units = {key: unit for key, unit in story.units.items() if unit and unit.get("side") == side}
    units_left = f"{story.left(side)} left" if units else ""
    elements = [
        _draw_text(EDGE, top + 42, 38, colour, side, bold=True, room=250),
        _draw_text(EDGE, top + 76, 26, FAINT, units_left, room=250),
    ]
    for index, (key, unit) in enumerate(list(units.items())[:BOXES]):
        x = 330 + index * STEP
        y = top + 20
        if is_lost(unit, story.system):
            elements += _draw_lost_unit(x, y)
            continue
        is_hurt = story.drawn(key)[0]["standing"] == HURT
        elements += _draw_unit(x, y, colour, fill, is_hurt)
    return elements


def _draw_lost_unit(x: int, y: int) -> list[str]:
    """Draw a dashed and crossed box with its upper left corner at (x, y)."""
    low = y + BOX - 4
    right = x + BOX - 4
    cross = f"M{x + 4} {y + 4}L{right} {low}M{right} {y + 4}L{x + 4} {low}"
    edge = f'stroke="{FAINT}" stroke-dasharray="6 5"'
    return [
        _draw_box(x, y, PAPER, edge),
        f'<path d="{cross}" stroke="{FAINT}" stroke-width="3"/>',
    ]


def _draw_unit(x: int, y: int, colour: str, fill: str, is_hurt: bool) -> list[str]:
    """Draw a box with its upper left corner at (x, y), half of it empty if the unit is hurt."""
    elements = [_draw_box(x, y, fill, f'stroke="{colour}"')]
    if is_hurt:
        half = f"M{x + BOX} {y}V{y + BOX}H{x}Z"
        elements.append(
            f'<path d="{half}" fill="{PAPER}" stroke="{colour}" stroke-width="3" stroke-linejoin="round"/>'
        )
    return elements


def _draw_box(x: int, y: int, fill: str, edge: str) -> str:
    """Draw the box of a unit. `edge` are the SVG attributes of its outline."""
    return (
        f'<rect x="{x}" y="{y}" width="{BOX}" height="{BOX}" rx="5" fill="{fill}" {edge}'
        ' stroke-width="3"/>'
    )


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
    """Draw a line of text with its baseline at `y`.

    Text wider than `room` gets smaller letters, and is cut if these would be too small.
    """
    text = replace_missing_letters(" ".join(text.split()))
    while size > 28 and measure_width(text, size, bold) > room:
        size -= 4
    while text and measure_width(text, size, bold) > room:
        text = f"{text[:-2].rstrip()}…"
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{weight}>{escape(text)}</text>'
