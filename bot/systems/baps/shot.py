"""A shot of a gun: its modifiers and when a die hits."""

from __future__ import annotations

from bot.rules.inputs.given import Given
from bot.rules.tables.table import Answer, Tables

FLAGS = ("firer_moving", "hasty", "suppressed", "smoke", "lost_row")


def shot_modifiers(tables: Tables, given: Given, *, side: bool) -> Answer:
    """The to-hit modifiers of a shot. Source: Vehicle Charts, Roll to Hit Vehicular Targets, modifiers."""
    move, cover = given.word("target_move"), given.word("cover")
    return tables["hit-modifiers"](**given.flags(FLAGS), side=side, target_move=move, cover=cover)


def hits_vehicle(die: int, modifier: int, need: int) -> bool:
    """Whether a die hits: a 20 always, a 1 never, otherwise by its total."""
    return die == 20 or (die != 1 and die + modifier >= need)
