"""A list of units as the damage checks see it: what each item is and may owe, and the cards that
they read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.tables.table import Table, Tables
from bot.rules.text.names import number_alike
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.reasons import format_needed_faces

# -- the cards that damage checks and hits on vehicles read


class Sort(NamedTuple):
    """What the type and flags of a unit come to on the cards: its state, its row of table
    state-change (none where it cannot be in that state), its column of the damage check table."""

    state: str
    row: str
    column: str


class Readings:
    """The cards that damage checks and hits on vehicles read, each cell once as long as it is
    remembered.
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
        self.sort = lru_cache(CELLS)(self._sort)

    def _sort(self, type: str, flags: frozenset[str]) -> Sort:
        unit = Unit("", type, flags=flags)
        state = kinds.get_state(unit)
        row = "smc" if type in kinds.SMC and type != "hero" else type
        can_be = self.becomes(row, state, "none") != "not-applicable"
        return Sort(state, row if can_be else "", kinds.get_check_column(unit))

    def get_escape_number(self, who: str) -> str:
        """What `crew` or `passengers` need to get out of a destroyed vehicle."""
        return format_needed_faces(lambda face: self.bail_out(who, face) != "eliminated")

    def get_shaken_state(self, row: str, state: str) -> str:
        """What the result shaken makes of a man: a hero and one who is shaken already stay as
        they are.
        """
        stays = row == "hero" or state in kinds.SHAKEN_STATES
        return state if stays else str(self.becomes(row, state, "shaken"))


CELLS = 4_096


def _build_cell_reader(table: Table, output: str, *names: str) -> Callable[..., Any]:
    """A function of the values of these inputs, in their order, that reads one output, or all:
    quicker than by name.
    """

    @lru_cache(CELLS)
    def cell(*values: Any) -> Any:
        answer = table(**dict(zip(names, values, strict=True)))
        return answer[output] if output else answer

    return cell


@lru_cache(8)
def get_readings(tables: Tables) -> Readings:
    """The readings of these tables, made once: a play reads few of their cells. A pack may have
    tables of its own.
    """
    return Readings(tables)


# -- a list of units as the damage checks see it: what each item is, may owe, and what a result
# makes of it

ROWS: Mapping[str, tuple[str, ...]] = {
    "dft": ("none", "shaken", "abandoned", "destroyed"),
    "oft": ("none", "shaken", "abandoned", "destroyed"),
    "close-assault": ("none", "destroyed"),
}


class Attack(NamedTuple):
    """An attack on a list of units, part-way through.

    `margin` is what the dice gave (each unit adds its offset for its dc_mod). `at` is the unit in
    hand, `lm` the best leader who came through their own check, `row` the result on the vehicle as
    its passengers read it, `keep` what a damage check left of a passenger who must still bail out.
    `six` says that a fire check is due.
    """

    owes: str | None
    margin: int = 0
    at: int = 0
    lm: int = 0
    row: str = ""
    keep: str = ""
    six: bool = False


def end_attack(_: Attack) -> Attack:
    """The end of a sequence that has no more dice: all such states are equal."""
    return Attack(None)


HEROIC = ("squad", "half-squad")


@dataclass(frozen=True, slots=True)
class Aboard:
    """The vehicle under passengers whose list does not hold it: the cause of their plight, and
    how they sit.
    """

    cause: str
    rows: tuple[str, ...]
    exposed: bool = False


NO_FATES: Mapping[str, str] = MappingProxyType({})


def list_paths(name: str, size: int) -> tuple[str, ...]:
    """The paths of the units of a list output: `targets[0]`, `targets[1]` and so on."""
    return tuple([f"{name}[{at}]" for at in range(size)])


class Item(NamedTuple):
    """One unit of a list, with all that its checks need.

    All its outputs are within `path`. `offset` is added to the margin of the dice to give its
    dc_mod. `immune` is an armored vehicle that direct fire cannot hurt. `fates` maps the result on
    its vehicle to a passenger's fate. `stop` is where its list ends, `helps` the LM it lends to
    those after it, `first` whether its result is the outcome; `later` says for odds whether anybody
    after it has use for a leader. `label` is its name in the answer, numbered if others have the
    same name.
    """

    unit: Unit
    path: str
    kind: str
    stop: int
    first: bool
    offset: int = 0
    column: str = ""
    row: str = ""
    state: str = ""
    morale: int = 0
    hero: bool = False
    immune: bool = False
    helps: int = 0
    later: bool = False
    fates: Mapping[str, str] = NO_FATES
    label: str = ""

    def build_outputs(self, **known: Any) -> dict[str, Any]:
        """What is `known` of the unit, as outputs: `targets[0].result`."""
        return {f"{self.path}.{name}": value for name, value in known.items()}

    @property
    def is_flying(self) -> bool:
        """Return whether it crashes when it is destroyed, so that neither crew nor passengers roll
        here.
        """
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
    aboard: Aboard | None = None,
) -> tuple[Item, ...]:
    """The items of `units`, which are told in the output `name` or at `paths`.

    `spans` are the lists they fall into (one hex each), each with its own leaders; without them
    they are one list, and without `offsets` all are under the same difference.

    Raises UserError for a unit without the morale that it may need, a passenger without a vehicle,
    a unit that no damage check is made for, or a state that it cannot have. Source: PAC 02, 09.
    """
    kinds.refuse_unfit(units)
    items: list[Item] = []
    size = len(units)
    paths = paths or list_paths(name, size)
    offsets = offsets or (0,) * size
    labels = label_units(units)
    for start, stop in spans or ((0, size),):
        vehicle: Unit | None = None
        last_leg = _find_last_leg(units, start, stop)
        for at in range(start, stop):
            unit = units[at]
            path = paths[at]
            type = unit.type
            flags = unit.flags
            if type in kinds.VEHICLES:
                vehicle = unit
            rides = aboard is not None or (flags and not kinds.RIDING.isdisjoint(flags))
            under = _find_vehicle(unit, vehicle, aboard) if rides or type == "aircraft" else None
            state, row, column = readings.sort(type, flags)
            if not row:
                raise UserError(f"{unit.word} ({type}) cannot be {state}.", code="wrong-type")
            fates = (
                _list_passenger_results(readings, unit, under) if under is not None else NO_FATES
            )
            immune = closed_is_immune and type == "armored-vehicle" and "open" not in flags
            # its morale
            is_needed = not immune and (
                under is None or any("check" in fate for fate in fates.values())
            )
            items.append(
                Item(
                    unit,
                    path,
                    "passenger" if under is not None else "vehicle" if unit is vehicle else "leg",
                    stop,
                    path == paths[0],
                    offsets[at],
                    column,
                    row,
                    state,
                    unit.number("morale") if is_needed else int(unit.numbers.get("morale") or 0),
                    type in HEROIC and not no_hero,
                    immune,
                    int(unit.numbers.get("lm") or 0) if type == "leader" and under is None else 0,
                    at < last_leg,
                    fates,
                    labels[at],
                )
            )
    return tuple(items)


def label_units(units: Sequence[Unit]) -> tuple[str, ...]:
    """Return what the answer calls each unit: `squad 2` if several have the same name."""
    words = tuple([unit.word for unit in units])
    return words if len({*words}) == len(words) else number_alike(words)


def _find_vehicle(unit: Unit, vehicle: Unit | None, aboard: Aboard | None) -> Aboard:
    """What a passenger sits on. Raises UserError for an impossible passenger."""
    if unit.type == "aircraft":
        hint = "Use ordnance-vehicle with aircraft=..."
        raise UserError("An aircraft takes no damage check.", hint=hint, code="wrong-type")
    if not kinds.is_man(unit):
        raise kinds.make_no_passenger_error(unit)
    if aboard is not None:
        return aboard
    if vehicle is None:
        raise kinds.make_stray_error(unit)
    exposed = vehicle.type != "armored-vehicle" or not vehicle.flags.isdisjoint(
        ("open-topped", "open_topped")
    )
    return Aboard("dft", ROWS["dft"], exposed)


def _find_last_leg(units: Sequence[Unit], start: int, stop: int) -> int:
    """The place of the last unit on foot of a list, or where it starts."""
    at = stop - 1
    while at > start and not kinds.is_leg(units[at]):
        at -= 1
    return max(at, start)


def _list_passenger_results(readings: Readings, unit: Unit, aboard: Aboard) -> dict[str, str]:
    """What each result on the vehicle brings the passenger; a helicopter counts as unarmored.
    Source: PAC 09.
    """
    who = "outside" if "outside" in unit.flags else "inside"
    fates: dict[str, str] = {}
    for row in aboard.rows:
        fate = readings.fate(aboard.cause, row, who)
        if fate == "not-allowed":
            hint = f"Leave out {unit.word}."
            raise UserError(
                "Passengers outside prevent a close assault.", hint=hint, code="passenger"
            )
        if fate == "damage-check-if-exposed":
            fate = "damage-check" if aboard.exposed else "none"
        fates[row] = fate
    return fates
