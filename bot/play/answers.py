"""Tells a played sequence: who, what, result; then dice, modifiers, totals; then each unit."""

from __future__ import annotations

from collections.abc import Iterable

from bot.interface.reply import Reply
from bot.rules.sequence import Line, Played


def story_lines(lines: Iterable[Line]) -> tuple[str, ...]:
    """Each line of the story as text: `attack [5] + firepower 4 - degrading hexes 1 = 8, hit`."""
    return tuple(line_text(line) for line in lines)


def line_text(line: Line) -> str:
    """One line of the story: raw dice first, each modifier with its name, the final number, what it means."""
    pieces = [line.label]
    if line.dice:
        pieces.append("".join(f"[{value}]" for value in line.dice))
    for name, value in line.parts:
        named = f"{name}:" if name[-1:].isdigit() else name  # Squad 2: 1, not Squad 2 1
        pieces.append(f"{'-' if value < 0 else '+'} {named} {abs(value):g}")
    if line.total is not None and (line.parts or len(line.dice) != 1):
        pieces.append(f"= {line.total:g}")
    text = " ".join(pieces)
    return f"{text}, {line.result}" if line.result else text


def unit_lines(units: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """What each unit suffers, alike ones counted together: `squad: casualties`, `3 x squad: no effect`."""
    counted: dict[tuple[str, str], int] = {}
    for unit, word in units:
        key = (unit, plain_word(word))
        counted[key] = counted.get(key, 0) + 1
    return tuple(
        f"{unit}: {word}" if count == 1 else f"{count} x {unit}: {word}" for (unit, word), count in counted.items()
    )


def plain_word(word: str) -> str:
    """A token as it is read aloud: none is no effect."""
    return "no effect" if word == "none" else word


def played_reply(who: str, title: str, played: Played, system: str) -> Reply:
    """The public answer to a sequence."""
    settled = played.settlement
    return Reply(
        title=f"{who}: {title}: {settled.headline}",
        lines=(*story_lines(played.lines), *unit_lines(settled.units), *settled.then),
        footer=(system,),
    )
