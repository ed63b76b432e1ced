"""Tells a played sequence: who, what, result; then dice, modifiers, totals; then each unit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.answers.brief import NOW, OUT
from bot.answers.headline import fared, groups, news, said, unrolled
from bot.answers.short import in_short
from bot.interface.reply.parts import Part, Small, Thrown
from bot.interface.reply.reply import Reply
from bot.rules.sequence.sequence import Line, Played
from bot.rules.text.names import joined
from bot.rules.text.phrase import begun
from bot.systems.catalog import Sequence


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


def played_reply(who: str, sequence: Sequence, played: Played, actors: Iterable[str]) -> Reply:
    """The public answer to a sequence: the news, then dice and modifiers, then what changed besides.

    Many units are shown by their results, without the dice of each (these are in the log)."""
    settled = played.settlement
    came = fared(sequence, settled.fates)
    types = came.wording.types
    told = news(sequence, came, settled.headline, actors, who)
    by = said(types, settled.by) if settled.by else told.by if played.dice else unrolled(told.by, who)
    lines: list[Part] = [f"{OUT}{joined(settled.out)}"] if settled.out else []
    lines += in_short(played.lines, settled, came)
    if came.is_counted:
        lines += groups(came)
    if settled.units and not settled.fates:
        lines += map(begun, unit_lines(settled.units))
    for text in settled.then:
        lines.append(begun(said(types, text)))
    if settled.now:
        lines.append(Small(f"{NOW}{' · '.join([said(types, text) for text in settled.now])}"))
    if settled.notes and (notes := " ".join([begun(said(types, text)) for text in settled.notes])):
        lines.append(Small(notes))
    return Reply(title=told.title, lines=tuple(lines), by=by, tone=told.tone)


def compact(reply: Reply, dice: tuple[object, ...]) -> Reply:
    """The same answer in short: all dice in one line, no single rolls, and what it means for each unit."""
    kept = (part for part in reply.lines if not isinstance(part, Line | Thrown))
    return replace(reply, lines=(*((Thrown(dice),) if dice else ()), *kept))
