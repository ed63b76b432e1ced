"""Tells a played sequence: who, what, result; then dice, modifiers, totals; then each unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.interface.parts import Thrown
from bot.interface.reply import Reply
from bot.rules.sequence import Line, Played


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
        lines=(*played.lines, *unit_lines(settled.units), *settled.then),
        footer=(system,),
    )


def compact(reply: Reply, dice: tuple[object, ...]) -> Reply:
    """The same answer in short: all dice in one line, no single rolls, and what it means for each unit."""
    kept = (part for part in reply.lines if not isinstance(part, Line | Thrown))
    return replace(reply, lines=(*((Thrown(dice),) if dice else ()), *kept))
