"""What hangs under a look-up: another number, and all of the table."""

from __future__ import annotations

from collections.abc import Mapping

from bot.answers.tables import sheets_of, whole_reply, words_of
from bot.commands.context import Context
from bot.interface.reply.reply import Button, Reply
from bot.interface.typing.text import command_text, parse_text
from bot.places.forms import form_button
from bot.rules.errors import UserError
from bot.rules.tables.table import Table
from bot.systems.catalog import system

LONGEST = 80
NUMBERS = ("int", "number")


def under_lookup(context: Context, table: Table, options: Mapping[str, object]) -> tuple[Button, ...]:
    """*Another number…*, with the form filled in, and *Whole table*, where it has any."""
    spec = context.spec
    found = []
    if table.inputs:
        has_number = any(option.type in NUMBERS for option in table.inputs)
        label = "Another number…" if has_number else "Change…"
        found.append(form_button(spec.path, options, label, context.registry))
    if sheets_of(table, words_of(table)):
        text = command_text(spec, options)
        found.append(Button(f"whole:{(text if len(text) <= LONGEST else spec.name).removeprefix('/')}", "Whole table"))
    return tuple(found)


async def press_whole(context: Context, typed: str) -> Reply:
    """The table that a button names with what was looked up in it, all of it."""
    parsed = parse_text(typed, context.registry)
    spec = parsed.spec
    if spec.family != "lookup":
        raise UserError("This button belongs to no table.", code="unknown-button")
    await context.check_enabled(spec)
    given = {name: value for name, value in parsed.options.items() if name not in ("private", "whole", "picture")}
    return whole_reply(system(spec.system).table(spec.target), spec.example, given)
