"""Tables looked up; a table of kind roll rolls its own dice when its roll is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.interface.parts import Thrown
from bot.interface.reply import Reply
from bot.play.outcome import Happening, Outcome
from bot.rules.dice import Rolled, Source
from bot.rules.sequence import Line
from bot.rules.tables.table import Answer, Part, Table


def read_table(table: Table, options: Mapping[str, object], who: str, source: Source, title: str) -> Outcome:
    """The answer of a table. A roll that is missing is rolled with `source` and is a happening.

    Raises UserError for inputs that the table refuses.
    """
    given = {name: value for name, value in options.items() if value is not None}
    rolled: list[Rolled] = []
    for option, dice in table.owes(given):
        values = [source.draw(die) for die in dice]
        rolled += [die.rolled(value) for die, value in zip(dice, values, strict=True)]
        given[option] = sum(value for value in values if isinstance(value, int))
    answer = table.read(given)
    reply = lookup_reply(table, given, answer, title, who if rolled else "", rolled)
    if not rolled:
        return Outcome(reply)
    inputs = {name: value for name, value in options.items() if value is not None}
    happening = Happening(
        "table",
        inputs=inputs,
        dice=tuple(rolled),
        out=answer.out,
        system=table.system,
        target=table.id,
        result=reply.title.rpartition(f"{table.title}: ")[2],
    )
    return Outcome(reply, happening)


def lookup_reply(
    table: Table,
    given: Mapping[str, Any],
    answer: Answer,
    title: str,
    who: str = "",
    rolled: list[Rolled] | None = None,
) -> Reply:
    """What a table says, first in one line, then how it was reached."""
    said = {name: value for name, value in answer.out.items() if name not in ("text", "parts")}
    asked = ", ".join(f"{name} {_shown(value)}" for name, value in given.items())
    lines: list[Line | Thrown] = []
    if rolled:
        lines.append(Thrown(tuple(die.value for die in rolled)))
    if asked:
        lines.append(Line(asked))
    several = len({part.total for part in answer.parts}) > 1
    lines += [Line(_counted(part, several=several)) for part in answer.parts]
    if answer.text:
        lines.append(Line(answer.text))
    start = f"{who}: " if who else ""
    words = ", ".join(_said(name, value, len(said)) for name, value in said.items()) or answer.text or "no effect"
    return Reply(f"{start}{table.title}: {words}", tuple(lines), footer=(title, table.source))


def _said(name: str, value: object, count: int) -> str:
    shown = _shown(value)
    return shown if count == 1 and not isinstance(value, bool | int | float) else f"{name.replace('_', ' ')} {shown}"


def _counted(part: Part, *, several: bool) -> str:
    """A modifier that counts, with the total that it changes where the table has several."""
    return f"{part.name} {part.value:+g}" + (f" ({part.total.replace('_', ' ')})" if several else "")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(map(_shown, value))
    return str(value)
