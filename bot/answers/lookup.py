"""Tables looked up; a table of kind roll rolls its own dice when its roll is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bot.answers.card import card_of, said
from bot.interface.reply.bars import PHONE
from bot.interface.reply.parts import Grid, Sheet, Small, Thrown, Whole, width
from bot.interface.reply.reply import Reply
from bot.rules.dice import Rolled, Source
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean
from bot.rules.tables.table import Answer, Table
from bot.rules.text.line import Line
from bot.rules.text.phrase import phrase
from bot.systems.catalog import systems

if TYPE_CHECKING:
    from bot.answers.outcome import Outcome

MANY = 12
"""Rows above and below the one that answers, where the whole table is too large."""
FEW = 3
"""So many outputs and more are said with their names."""


def read_table(table: Table, options: Mapping[str, object], who: str, source: Source, title: str) -> Outcome:
    """The answer of a table. A roll that is missing is rolled with `source` and is a happening.

    Raises UserError for inputs that the table refuses.
    """
    from bot.answers.outcome import Happening, Outcome

    given = {name: value for name, value in options.items() if value is not None}
    rolled: list[Rolled] = []
    for option, dice in table.owes(given):
        values = [source.draw(die) for die in dice]
        rolled += [die.rolled(value) for die, value in zip(dice, values, strict=True)]
        given[option] = sum(value for value in values if isinstance(value, int))
    answer = table.read(given)
    reply = lookup_reply(table, given, answer, title, who if rolled else "", rolled)
    if not rolled:
        return Outcome(reply, given=given)
    inputs = {name: value for name, value in options.items() if value is not None}
    happening = Happening(
        "table",
        inputs=inputs,
        dice=tuple(rolled),
        out=answer.out,
        system=table.system,
        target=table.id,
        result=_in_the_log(table, answer),
    )
    return Outcome(reply, happening, given)


def _in_the_log(table: Table, answer: Answer) -> str:
    """The answer in the words that the log keeps: verify compares them, so they never change."""
    said = _told(answer)
    words = ", ".join(_logged(name, value, len(said)) for name, value in said.items()) or answer.text or "no effect"
    return f"{table.title}: {words}".rpartition(f"{table.title}: ")[2]


def _told(answer: Answer) -> dict[str, Any]:
    return {name: value for name, value in answer.out.items() if name not in ("text", "parts")}


def lookup_reply(
    table: Table,
    given: Mapping[str, Any],
    answer: Answer,
    title: str,
    who: str = "",
    rolled: list[Rolled] | None = None,
) -> Reply:
    """What a table says, first in one line, then how it was reached, and the card around the cell."""
    del title
    words = words_of(table)
    dice = {roll.option for roll in table.rolls} if rolled else set()
    asked = [_asked(name, value, words) for name, value in given.items() if name not in dice]
    name = table.title if table.title[1:] != table.title[1:].lower() else table.title.lower()
    by = ", ".join(filter(None, (who, name, *asked)))
    lines: list[Line | Thrown | Grid | Whole | Small] = []
    if rolled:
        lines.append(Thrown(tuple(die.value for die in rolled)))
    lines += _summed(answer, words)
    if answer.text and _told(answer):
        lines.append(Line(answer.text))
    card = card_of(table)
    values = {**{option.name: option.default for option in table.inputs}, **_read(table, given), **answer.out}
    if card is not None and (grid := card.around(values, words)) is not None:
        lines.append(grid if width(grid.rows) <= PHONE.grid else Whole((Sheet("", grid.rows),)))
    news = _news(answer, words)
    return Reply(news[:1].upper() + news[1:], tuple(lines), by=by)


def _read(table: Table, given: Mapping[str, Any]) -> dict[str, Any]:
    return {option.name: clean(option, given[option.name]) for option in table.inputs if option.name in given}


def words_of(table: Table) -> Mapping[str, str]:
    """How the game says the tokens of its tables, where that is not their own spelling."""
    game = systems().get(table.system)
    return (game.game.get("words") or {}) if game is not None else {}


def _news(answer: Answer, words: Mapping[str, str]) -> str:
    """The answer in a few words."""
    told = _told(answer)
    if len(told) == 1:
        (name, value), *_ = told.items()
        if not isinstance(value, bool | int | float):
            return said(value, words)
    pieces = []
    for name, value in told.items():
        label = "" if name == "result" and isinstance(value, str) else said(name, words)
        if isinstance(value, bool):
            pieces.append(label if value else f"not {label}")
        elif isinstance(value, str) and value not in ("none", *told):
            pieces.append(
                said(value, words)
                if len(told) < FEW and not value[:1].isdigit()
                else f"{label} {said(value, words)}".strip()
            )
        else:
            pieces.append(f"{label} {said(value, words)}".strip())
    return ", ".join(pieces) or answer.text or "no effect"


def _asked(name: str, value: object, words: Mapping[str, str]) -> str:
    """An input as it was given: `morale 5`, `adjacent`, `good-order squad`; nothing for what does not count."""
    if isinstance(value, bool) or str(value).lower() in ("yes", "no", "true", "false"):
        return said(name, words) if str(value).lower() in ("yes", "true") else ""
    text = said(value, words)
    return f"{said(name, words)} {text}" if text.lstrip("−-")[:1].isdigit() else text


def _summed(answer: Answer, words: Mapping[str, str]) -> list[Line]:
    """The modifiers that count, a line for each total that they make up."""
    totals = dict.fromkeys(part.total for part in answer.parts)
    lines = []
    for total in totals:
        parts = tuple((part.name, part.value) for part in answer.parts if part.total == total)
        value = answer.out.get(total)
        number = value if isinstance(value, int | float) and len(parts) > 1 else None
        lines.append(Line("counted" if len(totals) == 1 else said(total, words), (), parts, number))
    return lines


def whole_reply(table: Table, usage: str, given: Mapping[str, Any] | None = None) -> Reply:
    """The whole of a table, or what it asks for where it is a rule in words; `given` is what was looked up in it."""
    from bot.answers.sheets import sheets_of

    card, words = card_of(table), words_of(table)
    sheets = sheets_of(table, words)
    asks = phrase("For a single answer: `{usage}`", usage=usage)
    if not sheets:
        options = [Line(option.shown, result=option.expected) for option in table.inputs if option.required]
        return Reply(table.title, (*options, asks), by="no grid, but a rule; it asks for", private=True)
    across = f"{said(card.column_by, words)} across" if card is not None and card.column_by else ""
    by = ", ".join(filter(None, ("the whole table", across)))
    found = _around(table, given, words) if given else None
    whole = Whole(sheets, found.rows if found is not None else ())
    below = [Small(legend)] if (legend := _legend(table, words)) else []
    return Reply(table.title, (whole, *below, Small(table.source), *(() if given else (asks,))), by=by, private=True)


def _legend(table: Table, words: Mapping[str, str]) -> str:
    """`S suppressed, K killed`: what the codes of cells that are shown as printed mean."""
    body = table.printed.get("read")
    if not isinstance(body, Mapping) or "bands" not in body:
        return ""
    return ", ".join(f"{code} {said(meant, words)}" for code, meant in (table.printed.get("results") or {}).items())


def _around(table: Table, given: Mapping[str, Any], words: Mapping[str, str]) -> Grid | None:
    """The rows around the one that answers, more of them than a look-up shows."""
    card = card_of(table)
    if card is None:
        return None
    values = {**{option.name: option.default for option in table.inputs}, **_read(table, given)}
    try:
        values |= table.read(given).out
    except UserError:  # the roll is not among them
        pass
    return card.around(values, words, rows=MANY)


def _logged(name: str, value: object, count: int) -> str:
    shown = _shown(value)
    return shown if count == 1 and not isinstance(value, bool | int | float) else f"{name.replace('_', ' ')} {shown}"


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(map(_shown, value))
    return str(value)
