"""A shot of a gun: its modifiers and when a die hits."""

from __future__ import annotations

from bot.rules.inputs.given import Given
from bot.rules.tables.table import Answer, Tables

FLAGS = ("firer_moving", "hasty", "suppressed", "smoke", "lost_row")


def shot_modifiers(tables: Tables, given: Given, *, side: bool) -> Answer:
    """The to-hit modifiers of a shot. Source: Vehicle Charts, Roll to Hit Vehicular Targets, modifiers."""
    flags = {flag: given.flag(flag) for flag in FLAGS}
    return tables["hit-modifiers"](**flags, side=side, target_move=given.word("target_move"), cover=given.word("cover"))


def hits_vehicle(die: int, modifier: int, need: int) -> bool:
    """Whether a die hits: a 20 always, a 1 never, otherwise by its total."""
    return die == 20 or (die != 1 and die + modifier >= need)
