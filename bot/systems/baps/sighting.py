"""Sighting distance in woods."""

from __future__ import annotations

from bot.rules.dice import dice
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Plan, Settlement
from bot.rules.shapes import Once, one_roll
from bot.rules.tables.table import Tables


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """4d4 inches in light woods, 1d4 + 2 in heavy ones. Source: Infantry Charts, Normal Fires, sighting."""
    table, woods = tables["sighting"], given.word("woods")
    adds = int(table(woods=woods, roll=4)["distance"]) - 4
    return one_roll(
        dice(4 if woods == "light" else 1, 4, "sighting"),
        lambda total: {"distance": table(woods=woods, roll=total)["distance"]},
        lambda roll, told: Line("roll", roll, (("heavy woods", adds),) if adds else (), told["distance"]),
        lambda out: Settlement(
            f"{out['distance']} inches",
            fates=(Fate(f"sight in {woods} woods", "reaches", f"{out['distance']} inches"),),
        ),
        opening={},
    )
