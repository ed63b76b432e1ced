"""The target modifier of a hex where no table of modifiers holds it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.rules.inputs.units import Unit
from bot.systems.lnlt.kinds import AIRBORNE

MOST = 4


def target_terrain(tm: int, *, wall_or_hill: bool = False) -> int:
    """The target modifier as it counts: at most +4, never doubled, 0 from a wall or hill. Source: PAC 03, 05."""
    return 0 if wall_or_hill else min(tm, MOST)


def terrain_for(unit: Unit, tm: int) -> int:
    """A hex's target modifier for one unit: aircraft are a level above it and have none. Source: PAC 05, 06."""
    return 0 if unit.type in AIRBORNE else tm


def is_lone_sniper(targets: Sequence[Unit]) -> bool:
    """Whether the targets are one sniper alone, whose target modifier is doubled. Source: PAC 03, 05 (5.5)."""
    return len(targets) == 1 and targets[0].type == "sniper"
