"""The units of a list, prepared for damage checks: the kind of each item, the rolls that it can
require, and the cards that the checks read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.tables.table import Table, Tables
from bot.rules.text.names import number_repeated
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.reasons import format_needed_faces

# -- the cards that damage checks and hits on vehicles read


class Classification(NamedTuple):
    """The entries of the cards for a unit, by its type and flags.

    `state` is its state, `row` its row of table state-change ("" if it cannot be in that state),
    and `column` its column of the damage check table.
    """

    state: str
    row: str
    column: str


class Readings:
    """The cards that damage checks and hits on vehicles read. Each attribute is a function that
    reads one card, and caches the cells that it has read.
    """

    def __init__(self, tables: Tables) -> None:
        self.result = _build_cell_reader(tables["dct"], "result", "unit", "morale", "total")
        self.becomes = _build_cell_reader(
            tables["state-change"], "becomes", "unit", "state", "result"
        )
        self.fate = _build_cell_reader(tables["crew-fate"], "result", "cause", "vehicle", "who")
        self.hero = _build_cell_reader(tables["hero-creation"], "hero", "roll")
        self.burns = _build_cell_reader(tables["fire-start"], "fire", "roll")
        self.bail_out = _build_cell_reader(tables["bail-out-roll"], "result", "who", "roll")
        self.penetration = _build_cell_reader(tables["penetration"], "", "case", "target")
        self.classify = lru_cache(CELLS)(self._classify)

    def _classify(self, type: str, flags: frozenset[str]) -> Classification:
        """Return the entries of the cards for a unit of this type with these flags."""
        unit = Unit("", type, flags=flags)
        state = kinds.get_state(unit)
        row = "smc" if type in kinds.SMC and type != "hero" else type
        if self.becomes(row, state, "none") == "not-applicable":
            row = ""
        return Classification(state, row, kinds.get_check_column(unit))

    def format_escape_roll(self, group: str) -> str:
        """Format the roll that gets `group` out of a destroyed vehicle: `needs 4, 5 or 6`.

        `group` is `crew` or `passengers`.
        """
        return format_needed_faces(lambda face: self.bail_out(group, face) != "eliminated")

    def get_shaken_state(self, row: str, state: str) -> str:
        """Return the state of a man after the result shaken, by the `row` of table state-change.

        A hero, and a man who is shaken already, stay in `state`.
        """
        if row == "hero" or state in kinds.SHAKEN_STATES:
            return state
        return str(self.becomes(row, state, "shaken"))


CELLS = 4_096


def _build_cell_reader(table: Table, output: str, *names: str) -> Callable[..., Any]:
    """Return a cached function that reads `table` for values of the inputs `names`, in that order.

    It returns the named output, or the whole answer if `output` is "". Positional values are
    quicker than named ones.
    """

    @lru_cache(CELLS)
    def read_cell(*values: Any) -> Any:
        answer = table(**dict(zip(names, values, strict=True)))
        return answer[output] if output else answer

    return read_cell


@lru_cache(8)
def get_readings(tables: Tables) -> Readings:
    """Return the readings of these tables, created once and cached: a play reads few cells.

    Packs can have tables of their own, so there can be several sets.
    """
    return Readings(tables)


# -- a list of units, prepared for damage checks: the kind of each item, the rolls that it can
# require, and the effect of each result

ROWS: Mapping[str, tuple[str, ...]] = {
    "dft": ("none", "shaken", "abandoned", "destroyed"),
    "oft": ("none", "shaken", "abandoned", "destroyed"),
    "close-assault": ("none", "destroyed"),
}
"""The results on a vehicle that table crew-fate has, by cause of the damage."""


class Attack(NamedTuple):
    """An attack on a list of units, part-way through.

    - `next_step`: the next step, None at the end.
    - `margin`: the result of the dice; each unit adds its offset to get its dc_mod.
    - `unit_index`: the index of the current unit in the list.
    - `lm`: the best LM of the leaders who passed their own damage check so far.
    - `row`: the result on the vehicle, by which its passengers read table crew-fate. While a
      vehicle owes its morale check: the case of table penetration.
    - `kept_state`: the state of a passenger after a damage check, if they must still bail out.
    - `location`: the part of a vehicle that ordnance hit.
    - `natural_six`: a natural 6 in a flammable hex; a fire check follows, or was made.
    """

    next_step: str | None
    margin: int = 0
    unit_index: int = 0
    lm: int = 0
    row: str = ""
    kept_state: str = ""
    location: str = ""
    natural_six: bool = False


def end_attack(_: Attack) -> Attack:
    """Return the last state of a sequence. It holds nothing, so all such states are equal."""
    return Attack(None)


HEROIC = ("squad", "half-squad")
"""Types of units of which a natural 1 on the damage check can create a hero."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """The vehicle that passengers ride on, as table crew-fate needs it."""

    cause: str
    """The kind of attack on the vehicle."""
    rows: tuple[str, ...]
    """The results that it can have."""
    exposed: bool = False
    """Whether passengers in it are exposed to fire."""


NO_FATES: Mapping[str, str] = MappingProxyType({})


def list_paths(name: str, size: int) -> tuple[str, ...]:
    """Return the paths of the units of a list output: `targets[0]`, `targets[1]` and so on."""
    return tuple([f"{name}[{index}]" for index in range(size)])


class Item(NamedTuple):
    """A unit of a list, with everything that its damage check needs.

    - `path`: the prefix of all its outputs (`targets[0]`).
    - `kind`: leg, vehicle or passenger.
    - `stop`: the index after the last unit of its list (its hex).
    - `is_first`: its result is the outcome of the sequence.
    - `offset`: added to the margin of the dice to get its dc_mod.
    - `column`: its column of the damage check table.
    - `row`: its row of table state-change.
    - `state`, `morale`: before the attack; `morale` is 0 if it is unknown and not needed.
    - `can_create_hero`: a natural 1 on its damage check rolls for a hero.
    - `immune`: an armored vehicle that direct fire cannot hurt.
    - `leader_bonus`: the LM that it gives to those after it, if it passes its check.
    - `precedes_leg`: a unit on foot comes after it in its list, so odds must remember leaders.
    - `fates`: for a passenger, the entry of table crew-fate for each result on the vehicle.
    - `label`: its name in the answer, numbered if others have the same name.
    """

    unit: Unit
    path: str
    kind: str
    stop: int
    is_first: bool
    offset: int = 0
    column: str = ""
    row: str = ""
    state: str = ""
    morale: int = 0
    can_create_hero: bool = False
    immune: bool = False
    leader_bonus: int = 0
    precedes_leg: bool = False
    fates: Mapping[str, str] = NO_FATES
    label: str = ""

    def build_outputs(self, **values: Any) -> dict[str, Any]:
        """Return `values` as outputs of this unit, by path: `targets[0].result`."""
        return {f"{self.path}.{name}": value for name, value in values.items()}

    @property
    def is_flying(self) -> bool:
        """Return whether it crashes when destroyed. Its crew and passengers do not roll then."""
        return self.unit.type in kinds.AIRBORNE


def list_items(
    readings: Readings,
    units: Sequence[Unit],
    name: str = "targets",
    *,
    paths: Sequence[str] = (),
    spans: Sequence[tuple[int, int]] = (),
    offsets: Sequence[int] = (),
    no_hero: bool = False,
    closed_is_immune: bool = False,
    carrier: Carrier | None = None,
) -> tuple[Item, ...]:
    """Return an item for each of `units`, in order.

    - `name`: the list output of the units; or `paths` has the path of each unit.
    - `spans`: (start, stop) of each hex in the list. Leaders and vehicles count only within their
      hex. Without `spans` all units are in one hex.
    - `offsets`: the offset of each unit; without it, 0.
    - `no_hero`: no unit can create a hero.
    - `closed_is_immune`: armored vehicles that are not open need no damage check.
    - `carrier`: if given, all units are its passengers. Otherwise a passenger rides on the last
      vehicle before it in its hex.

    Raises UserError for a unit out of play or listed twice, a missing morale that may be needed, a
    passenger without a vehicle or that cannot ride, an aircraft, or a state that the unit cannot
    have. Source: PAC 02, 09.
    """
    kinds.refuse_unfit(units)
    size = len(units)
    paths = paths or list_paths(name, size)
    offsets = offsets or (0,) * size
    labels = label_units(units)
    items: list[Item] = []
    for start, stop in spans or ((0, size),):
        vehicle: Unit | None = None
        last_leg = _find_last_leg(units, start, stop)
        for index in range(start, stop):
            unit = units[index]
            type = unit.type
            if type in kinds.VEHICLES:
                vehicle = unit
            unit_carrier = _find_carrier(unit, vehicle, carrier)
            rides = unit_carrier is not None
            state, row, column = readings.classify(type, unit.flags)
            if not row:
                raise UserError(f"{unit.word} ({type}) cannot be {state}.", code="wrong-type")
            fates = NO_FATES
            if unit_carrier is not None:
                fates = _list_fates(readings, unit, unit_carrier)
            immune = closed_is_immune and type == "armored-vehicle" and "open" not in unit.flags
            kind = _get_item_kind(unit, rides=rides)
            leader_bonus = _get_leader_bonus(unit, rides=rides)
            morale = _get_morale(unit, fates, rides=rides, immune=immune)
            items.append(
                Item(
                    unit,
                    paths[index],
                    kind,
                    stop,
                    is_first=paths[index] == paths[0],
                    offset=offsets[index],
                    column=column,
                    row=row,
                    state=state,
                    morale=morale,
                    can_create_hero=type in HEROIC and not no_hero,
                    immune=immune,
                    leader_bonus=leader_bonus,
                    precedes_leg=index < last_leg,
                    fates=fates,
                    label=labels[index],
                )
            )
    return tuple(items)


def label_units(units: Sequence[Unit]) -> tuple[str, ...]:
    """Return the name of each unit in the answer: `squad 2` if several have the same name."""
    words = tuple([unit.word for unit in units])
    has_repeated_word = len({*words}) < len(words)
    return number_repeated(words) if has_repeated_word else words


def _get_item_kind(unit: Unit, *, rides: bool) -> str:
    """Return leg, vehicle or passenger."""
    if rides:
        return "passenger"
    return "vehicle" if unit.type in kinds.VEHICLES else "leg"


def _get_morale(unit: Unit, fates: Mapping[str, str], *, rides: bool, immune: bool) -> int:
    """Return the unit's morale, or 0 if it has none and no check can need it.

    Raises UserError for a missing morale that a check may need. A passenger needs it only if one of
    its `fates` is a check, an immune vehicle never.
    """
    is_needed = not immune
    if rides:
        is_needed = any("check" in fate for fate in fates.values())
    if is_needed:
        return unit.number("morale")
    return int(unit.numbers.get("morale") or 0)


def _get_leader_bonus(unit: Unit, *, rides: bool) -> int:
    """Return the LM of a leader on foot, also of a shaken one; 0 for everybody else."""
    if unit.type != "leader" or rides:
        return 0
    return int(unit.numbers.get("lm") or 0)


def _find_carrier(unit: Unit, vehicle: Unit | None, carrier: Carrier | None) -> Carrier | None:
    """Return the carrier of a passenger, or None for a unit that is no passenger.

    If `carrier` is given, every unit is a passenger of it. Otherwise a unit marked as a passenger
    rides on `vehicle`, the last one before it in the list.

    Raises UserError for an aircraft, a passenger that is no MMC and no single man, or a passenger
    without a vehicle.
    """
    if unit.type == "aircraft":
        hint = "Use ordnance-vehicle with aircraft=..."
        raise UserError("Aircraft take no damage checks.", hint=hint, code="wrong-type")
    if carrier is None and not kinds.is_passenger(unit):
        return None
    if not kinds.is_man(unit):
        raise kinds.make_no_passenger_error(unit)
    if carrier is not None:
        return carrier
    if vehicle is None:
        raise kinds.make_stray_error(unit)
    is_open_topped = not vehicle.flags.isdisjoint(("open-topped", "open_topped"))
    exposed = is_open_topped or vehicle.type != "armored-vehicle"
    return Carrier("dft", ROWS["dft"], exposed)


def _find_last_leg(units: Sequence[Unit], start: int, stop: int) -> int:
    """Return the index of the last unit on foot between `start` and `stop`, or `start`."""
    index = stop - 1
    while index > start and not kinds.is_leg(units[index]):
        index -= 1
    return max(index, start)


def _list_fates(readings: Readings, unit: Unit, carrier: Carrier) -> dict[str, str]:
    """Return the passenger's entry of table crew-fate for each result that the carrier can have.

    A helicopter counts as unarmored. Raises UserError for a passenger who prevents a close assault.
    Source: PAC 09.
    """
    riding_place = "outside" if "outside" in unit.flags else "inside"
    fates: dict[str, str] = {}
    for row in carrier.rows:
        fate = readings.fate(carrier.cause, row, riding_place)
        if fate == "not-allowed":
            hint = f"Take {unit.word} off the list."
            raise UserError(
                "Passengers outside prevent a close assault.", hint=hint, code="passenger"
            )
        if fate == "damage-check-if-exposed":
            fate = "damage-check" if carrier.exposed else "none"
        fates[row] = fate
    return fates
