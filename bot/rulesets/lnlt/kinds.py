"""The kinds of units: their class, their state, their column on the cards, and their markers."""

import re
from collections.abc import Iterable, Sequence

from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.text.phrase import phrase

MMC = frozenset({"squad", "half-squad", "weapon-team", "crew"})
SMC = frozenset(
    {
        "leader", "hero", "scout", "sniper", "marksman", "medic", "corpsman", "nurse", "chaplain", "advisor",
        "armor-leader", "smc",
    }
)  # fmt: skip
MEN = MMC | SMC
GROUND_VEHICLES = frozenset({"armored-vehicle", "unarmored-vehicle"})
VEHICLES = GROUND_VEHICLES | {"helicopter"}
AIRBORNE = frozenset({"helicopter", "aircraft"})
GONE = frozenset({"abandoned", "destroyed", "eliminated"})
SHAKEN_STATES = frozenset({"shaken", "shaken-wounded", "half-squad-shaken"})
RIDING = frozenset({"inside", "outside"})


def is_passenger(unit: Unit) -> bool:
    """Return whether the unit rides on the vehicle listed before it."""
    return not RIDING.isdisjoint(unit.flags)


def is_man(unit: Unit) -> bool:
    """Return whether the unit is an MMC or a single man, on foot or not."""
    return unit.type in MEN


def is_leg(unit: Unit) -> bool:
    """Return whether the unit is an MMC or a single man, and not a passenger."""
    return unit.type in MEN and RIDING.isdisjoint(unit.flags)


def is_shaken(unit: Unit) -> bool:
    """Return whether the unit is on its shaken side."""
    return "shaken" in unit.flags


def get_leadership(unit: Unit) -> int:
    """Return the LM with which the unit helps others: 0 unless it is a leader who is not shaken."""
    if unit.type != "leader" or is_shaken(unit):
        return 0
    return int(unit.numbers.get("lm") or 0)


def get_state(unit: Unit) -> str:
    """Return the state that the flags of the unit mean.

    It is good-order, shaken, wounded, shaken-wounded or damaged.
    """
    flags = unit.flags
    if "shaken" in flags:
        return "shaken-wounded" if "wounded" in flags else "shaken"
    if "wounded" in flags:
        return "wounded"
    return "damaged" if "damaged" in flags else "good-order"


def get_check_column(unit: Unit) -> str:
    """Return the column of the unit in the damage check table. Source: PAC 02."""
    if unit.type in MMC:
        return "shaken-mmc" if is_shaken(unit) else "good-order-mmc"
    if unit.type not in SMC:
        return unit.type
    if unit.type == "hero" or is_shaken(unit):
        return "hero-or-shaken-smc"
    return "good-order-smc"


def refuse_unfit(units: Iterable[Unit]) -> None:
    """Raise UserError for a roster unit that is out of play, or that is in the list twice.

    Units that were only typed have no name and no roster state; they always pass.
    """
    listed_names: set[str] = set()
    for unit in units:
        name = unit.name
        if not name and not unit.state:  # typed, not of the roster, as most are
            continue
        if unit.state in GONE:
            word = f'"{unit.word}"' if " " in unit.word else unit.word
            hint = phrase(
                "Choose another unit. If its state is wrong: `/unit edit {unit} state=good-order`",
                unit=word,
            )
            raise UserError(f"{unit.word} is {unit.state}.", hint=hint, code="unit-gone")
        if name and name in listed_names:
            raise UserError(
                f"{unit.word} is in the list twice.", hint="List each unit once.", code="unit-twice"
            )
        listed_names.add(name)


def make_no_passenger_error(unit: Unit) -> UserError:
    """Return the error for a unit marked as a passenger that is no MMC and no single man."""
    problem = f"{unit.word} ({unit.type}) cannot be a passenger."
    return UserError(problem, hint="Leave out inside and outside.", code="wrong-type")


def make_stray_error(unit: Unit) -> UserError:
    """Return the error for a passenger without a vehicle before it in the list."""
    problem = f"{unit.word} is a passenger without a vehicle."
    return UserError(problem, hint="List the vehicle before it.", code="passenger")


# -- the target modifier of a hex, for sequences that have no table for it

MAX_TARGET_MODIFIER = 4


def compute_target_terrain(tm: int, *, wall_or_hill: bool = False) -> int:
    """Return the target modifier as it counts: at most +4, never doubled.

    It is 0 if `tm` comes from a wall or hill. Source: PAC 03, 05.
    """
    return 0 if wall_or_hill else min(tm, MAX_TARGET_MODIFIER)


def list_cap_notes(inputs: Given) -> tuple[str, ...]:
    """Return the remark that the target modifier was capped, or () if it was not.

    `inputs` must have the option tm.
    """
    if inputs.int("tm") <= MAX_TARGET_MODIFIER:
        return ()
    return (f"TM is capped at {MAX_TARGET_MODIFIER}.",)


def get_terrain_for(unit: Unit, tm: int) -> int:
    """Return a hex's target modifier `tm` as it counts for one unit.

    Helicopters and aircraft are a level above the hex and have none. Source: PAC 05, 06.
    """
    return 0 if unit.type in AIRBORNE else tm


def is_lone_sniper(targets: Sequence[Unit]) -> bool:
    """Return whether the only target is a sniper: the target modifier of a lone sniper is doubled.

    Source: PAC 03, 05 (5.5).
    """
    return len(targets) == 1 and targets[0].type == "sniper"


# -- markers that count without being typed: moved targets, firers that moved, Ops Complete

MOVED = frozenset({"moved", "assault_move"})
MOVED_AT_ALL = MOVED | {"hit_and_run"}
"""Markers of vehicles and ordnance targets that moved; for men on foot hit_and_run does not count.
"""
MOUNTED = frozenset({"motorcycle", "cavalry"})


def read_direct_fire_markers(
    inputs: Given, firers: Sequence[Unit], targets: Sequence[Unit]
) -> dict[str, bool]:
    """Return the inputs of table dft-mods that the markers of these units set, each as True.

    Inputs that the player typed (target_moved=no) are left out: the typed value counts.
    Source: PAC 03 (5.0).
    """
    is_set_by_marker = {
        "target_moved": any(_is_on_foot(unit) and unit.flags & MOVED for unit in targets),
        "vehicle_moved": any(_is_driving(unit) and unit.flags & MOVED_AT_ALL for unit in targets),
        "hit_and_run": any("hit_and_run" in unit.flags for unit in firers),
        "assault": any(is_assault_moving(unit) for unit in firers),
    }
    marker_inputs = {}
    for name, is_set in is_set_by_marker.items():
        if is_set and name not in inputs.typed:
            marker_inputs[name] = True
    return marker_inputs


def has_moved(targets: Iterable[Unit]) -> bool:
    """Return whether any target of ordnance has a marker for movement: moved, assault_move or
    hit_and_run.

    Source: PAC 04 (14.1).
    """
    return any(unit.flags & MOVED_AT_ALL for unit in targets)


def is_assault_moving(firer: Unit) -> bool:
    """Return whether Assault Move reduces the fire of this unit.

    It must have the marker, be an MMC or single man and no passenger; scouts are exempt.
    Source: PAC 03, 04.
    """
    return "assault_move" in firer.flags and is_leg(firer) and firer.type != "scout"


def counts_as_ops_complete(unit: Unit) -> bool:
    """Return whether Ops Complete weakens the unit's fire.

    It must have the marker `ops`. A unit that has just spotted (`spotter`) is exempt.
    Source: PAC 11, 12.
    """
    return "ops" in unit.flags and "spotter" not in unit.flags


def _is_on_foot(unit: Unit) -> bool:
    """Return whether the unit walks: men who are no passengers, without motorcycles or horses."""
    return is_leg(unit) and MOUNTED.isdisjoint(unit.flags)


def _is_driving(unit: Unit) -> bool:
    """Return whether the unit is a ground vehicle, or men on motorcycles or horses."""
    return unit.type in GROUND_VEHICLES or (is_leg(unit) and not MOUNTED.isdisjoint(unit.flags))


# -- positions of units in a list, as typed: `1 3`


def read_positions(text: str, size: int, *, option: str) -> tuple[int, ...]:
    """Return the sorted indices (from 0) of the positions (from 1) that `text` lists.

    An empty text stands for all `size` units. `option` is the option's name in error messages.

    Raises UserError for a word that is not a position from 1 to `size`, or that is listed twice.
    """
    indices: list[int] = []
    for word in text.replace(",", " ").split():
        is_number = re.fullmatch(r"[0-9]{1,3}", word) is not None
        if not is_number or not 1 <= int(word) <= size:
            problem = f'{option} names "{word[:20]}"; expected positions from 1 to {size}.'
            raise UserError(problem, option=option, code="bad-value")
        position = int(word)
        if position - 1 in indices:
            problem = f"{option} lists position {position} twice."
            raise UserError(problem, option=option, code="given-twice")
        indices.append(position - 1)
    if not indices:
        return tuple(range(size))
    return tuple(sorted(indices))
