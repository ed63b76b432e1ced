"""Inputs for look-ups in a table, drawn by its own name, so that each run has the same."""

import random
from collections.abc import Iterator
from typing import Any

from bot.packs.linter import list_values
from bot.rules.errors import UserError
from bot.rules.tables.table import Table

LOOK_UPS = 20
MOST_TRIES = 400


def random_look_ups(table: Table, count: int = LOOK_UPS) -> Iterator[dict[str, Any]]:
    """Yield inputs that the table answers."""
    draw = random.Random(table.id)
    domains = {option.name: list_values(option) for option in table.inputs}
    answered = 0
    for _ in range(MOST_TRIES * count // LOOK_UPS):
        given = {name: draw.choice(list(values)) for name, values in domains.items()}
        try:
            table.read(given)
        except UserError:
            continue
        yield given
        answered += 1
        if answered == count:
            return
