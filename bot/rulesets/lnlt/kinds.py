"""What kind of unit an item of a list is: its class, its state, its column and row on the cards."""

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
    """Return whether it is an MMC or a single man, on foot or not."""
    return unit.type in MEN


def is_leg(unit: Unit) -> bool:
    """Return whether it is an MMC or a single man that is not a passenger."""
    return unit.type in MEN and RIDING.isdisjoint(unit.flags)


def is_shaken(unit: Unit) -> bool:
    """Return whether it is on its shaken side."""
    return "shaken" in unit.flags


def get_leadership(unit: Unit) -> int:
    """The leadership modifier that a good order leader has for others; 0 for everybody else."""
    return int(unit.numbers.get("lm") or 0) if unit.type == "leader" and not is_shaken(unit) else 0


def get_state(unit: Unit) -> str:
    """The state that its flags mean: good-order, shaken, wounded, shaken-wounded or damaged."""
    flags = unit.flags
    if "shaken" in flags:
        return "shaken-wounded" if "wounded" in flags else "shaken"
    if "wounded" in flags:
        return "wounded"
    return "damaged" if "damaged" in flags else "good-order"


def get_check_column(unit: Unit) -> str:
    """Its column of the damage check table. Source: PAC 02."""
    if unit.type in MMC:
        return "shaken-mmc" if is_shaken(unit) else "good-order-mmc"
    if unit.type in SMC:
        return "hero-or-shaken-smc" if unit.type == "hero" or is_shaken(unit) else "good-order-smc"
    return unit.type


def refuse_unfit(units: Iterable[Unit]) -> None:
    """Raise UserError for a roster unit that is out of play, or that is in the list twice."""
    seen: set[str] = set()
    for unit in units:
        name = unit.name
        if not name and not unit.state:  # typed, not of the roster, as most are
            continue
        if unit.state in GONE:
            hint = phrase(
                "Choose another unit. If its state is wrong: `/unit edit {unit} state=good-order`",
                unit=f'"{unit.word}"' if " " in unit.word else unit.word,
            )
            raise UserError(f"{unit.word} is {unit.state}.", hint=hint, code="unit-gone")
        if name and name in seen:
            raise UserError(
                f"{unit.word} is in the list twice.", hint="List each unit once.", code="unit-twice"
            )
        seen.add(name)


def make_no_passenger_error(unit: Unit) -> UserError:
    """The error for one who can ride on no vehicle."""
    what = f"{unit.word} ({unit.type}) cannot be a passenger."
    return UserError(what, hint="Leave out inside and outside.", code="wrong-type")


def make_stray_error(unit: Unit) -> UserError:
    """The error for a passenger whose vehicle is not in the list."""
    what = f"{unit.word} is a passenger without a vehicle."
    return UserError(what, hint="List the vehicle before it.", code="passenger")


# -- the target modifier of a hex where no table of modifiers holds it

MOST = 4


def compute_target_terrain(tm: int, *, wall_or_hill: bool = False) -> int:
    """The target modifier as it counts: at most +4, never doubled, 0 from a wall or hill.
    Source: PAC 03, 05.
    """
    return 0 if wall_or_hill else min(tm, MOST)


def note_cap(given: Given) -> tuple[str, ...]:
    """The remark where a higher target modifier was typed than counts."""
    return (f"A target modifier counts with at most {MOST}.",) if given.int("tm") > MOST else ()


def get_terrain_for(unit: Unit, tm: int) -> int:
    """A hex's target modifier for one unit: aircraft are a level above it and have none. Source:
    PAC 05, 06.
    """
    return 0 if unit.type in AIRBORNE else tm


def is_lone_sniper(targets: Sequence[Unit]) -> bool:
    """Return whether the targets are one sniper alone, whose target modifier is doubled. Source:
    PAC 03, 05 (5.5).
    """
    return len(targets) == 1 and targets[0].type == "sniper"


# -- markers that count by themselves: who moved is hit otherwise, and who moved fires worse

MOVED = frozenset({"moved", "assault_move"})
MOVED_AT_ALL = MOVED | {"hit_and_run"}
MOUNTED = frozenset({"motorcycle", "cavalry"})


def read_direct_fire_markers(
    given: Given, firers: Sequence[Unit], targets: Sequence[Unit]
) -> dict[str, bool]:
    """The inputs of table dft-mods that the markers of these units set.

    What is typed goes before a marker, such as target_moved=no. Source: PAC 03 (5.0).
    """
    found = {
        "target_moved": any(_is_on_foot(unit) and unit.flags & MOVED for unit in targets),
        "vehicle_moved": any(_is_driving(unit) and unit.flags & MOVED_AT_ALL for unit in targets),
        "hit_and_run": any("hit_and_run" in unit.flags for unit in firers),
        "assault": any(is_assault_moving(unit) for unit in firers),
    }
    return {name: True for name, is_set in found.items() if is_set and name not in given.typed}


def has_moved(targets: Iterable[Unit]) -> bool:
    """Return whether any target of ordnance has a marker that says it moved.

    Source: PAC 04 (14.1).
    """
    return any(unit.flags & MOVED_AT_ALL for unit in targets)


def is_assault_moving(firer: Unit) -> bool:
    """Return whether Assault Move reduces the fire of this unit: it is on foot, and no scout.

    Source: PAC 03, 04.
    """
    return "assault_move" in firer.flags and is_leg(firer) and firer.type != "scout"


def counts_as_ops_complete(unit: Unit) -> bool:
    """Return whether Ops Complete weakens the unit's fire: not that of one who fires right after
    spotting.

    Source: PAC 11, 12.
    """
    return "ops" in unit.flags and "spotter" not in unit.flags


def _is_on_foot(unit: Unit) -> bool:
    return is_leg(unit) and MOUNTED.isdisjoint(unit.flags)


def _is_driving(unit: Unit) -> bool:
    return unit.type in GROUND_VEHICLES or (is_leg(unit) and not MOUNTED.isdisjoint(unit.flags))


# -- positions of units in a list, as typed: `1 3`


def read_positions(text: str, size: int, *, option: str) -> tuple[int, ...]:
    """The places (from 0) that the positions (from 1) name, in order; all of them for an empty
    text.

    Raises UserError for a word that is not a position, one beyond the list, or one that is given
    twice.
    """
    places: list[int] = []
    for word in text.replace(",", " ").split():
        if not re.fullmatch(r"[0-9]{1,3}", word) or not 1 <= int(word) <= size:
            what = f'{option} names "{word[:20]}"; expected positions from 1 to {size}.'
            raise UserError(what, option=option, code="bad-value")
        if int(word) - 1 in places:
            raise UserError(
                f"{option} names position {int(word)} twice.", option=option, code="given-twice"
            )
        places.append(int(word) - 1)
    return tuple(sorted(places) or range(size))
