"""Vehicles on the roster: shots at them, wrecks, lost tracks, what a hit leaves of the crew; and
crashes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.rules.dice import d20
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    Line,
    Plan,
    Resolution,
    Roll,
    Ruling,
    UnitResult,
    build_row,
    format_minus,
    ruled,
)
from bot.rules.tables.table import Answer, Tables
from bot.rules.text.phrase import phrase
from bot.rulesets.baps.men import (
    NAMED,
    Outcome,
    add_unit,
    get_result_token,
    get_wounds,
    label_men,
    list_aftermath,
    list_changes,
    list_hurt,
    list_limits,
    list_result_words,
    name_unit,
    select_living,
    summarize_crew,
    summarize_results,
)
from bot.rulesets.baps.resolution import D20, Cell, Man, ResolutionTable, build_rows
from bot.rulesets.baps.volley import Volley, build_men_step

WRECK = "knocked-out"
TRACK_HIT, NO_GUN = "track-hit", "main-gun-destroyed"
OFF_TRACK = frozenset({TRACK_HIT})


def refuse_wreck(vehicle: Unit | None, option: str) -> None:
    """Raises UserError for a vehicle whose ammunition or engine exploded: nobody comes back to it.

    Source: Vehicle Charts, if the round penetrated, last note.
    """
    if vehicle is not None and vehicle.state == WRECK:
        hint = phrase("If it is not: `/unit edit {name} state=operable`.", name=vehicle.word)
        raise UserError(f"{vehicle.word} is a wreck.", hint=hint, option=option, code="unit-gone")


def list_men_aboard(given: Given, option: str, vehicle: Unit | None) -> tuple[Unit, ...]:
    """The men in a vehicle: as typed in `option`, or as many crewmen as the roster vehicle has,
    the wounded first.
    """
    brought = given.values[option]
    if not isinstance(brought, int):
        return select_living(given.units(option), option)
    wounds = vehicle.numbers.get("crew_wounds", ()) if vehicle is not None else ()
    return tuple(
        Unit("crewman", "crewman", {"wounds": old} if old else {})
        for old in (*wounds, *(0,) * brought)[:brought]
    )


def build_riders(
    men: Sequence[Unit],
    names: Sequence[str],
    path: str,
    cells: tuple[Cell, ...] = (),
    where: tuple[str, ...] = (),
) -> tuple[Man, ...]:
    """The men in a vehicle as the dice and the odds know them."""
    return tuple(
        [
            Man(
                unit,
                name,
                cells,
                f"{path}[{at}]",
                get_wounds(unit),
                {"unit": unit.word},
                where,
                rides=True,
            )
            for at, (unit, name) in enumerate(zip(men, names, strict=True))
        ]
    )


def describe_men_inside(
    men: Sequence[Unit], names: Sequence[str], fates: Sequence[Outcome], tokens: Sequence[str]
) -> tuple[str, ...]:
    """What is said besides of the men in a vehicle: who was hurt, where that is not said
    already, and what follows.
    """
    return (
        *(list_hurt(names, tokens) if len(men) > NAMED else ()),
        *list_aftermath(men, names, fates),
    )


def build_vehicle_changes(
    target: Unit | None, crew: Sequence[Unit], out: Mapping[str, Any]
) -> tuple[Change, ...]:
    """What a shot writes to the roster vehicle: state, markers beside it, and the crew that is
    left.

    A track stays off whatever the crew does. A crewman who is on the roster too keeps their own
    wounds.
    """
    if target is None:
        return ()
    state = WRECK if not out["operable"] else "bailed-out" if out["bail_out"] else ""
    mark = {NO_GUN} if out["main_gun"] else set()
    mark |= OFF_TRACK if out["outcome"] in ("track-hit", "tire-hit") else set()
    new = ({"state": state} if state else {}) | compute_crew_left(target, crew, out["crew"])
    return (Change(target.name, set=new, mark=frozenset(mark)),) if new or mark else ()


def compute_crew_left(
    target: Unit, crew: Sequence[Unit], fates: Sequence[Outcome]
) -> dict[str, Any]:
    """The crew of a roster vehicle and their wounds, as far as they have changed."""
    count = target.numbers.get("crew")
    if count is None or not fates:
        return {}
    alive = [
        (man, fate) for man, fate in zip(crew, fates, strict=True) if fate["after"] != "killed"
    ]
    left = max(0, count - (len(crew) - len(alive)))
    wounds = tuple(
        sorted(
            (fate["wounds"] for man, fate in alive if not man.name and fate["wounds"]), reverse=True
        )
    )
    lost = int(target.numbers.get("crew_lost") or 0) + count - left
    new: dict[str, Any] = {"crew": left, "crew_lost": lost} if left != count else {}
    if wounds != tuple(target.numbers.get("crew_wounds", ())):
        new["crew_wounds"] = wounds or None
    return new


# -- shots

FLAGS = ("firer_moving", "hasty", "suppressed", "smoke", "lost_row")


def read_shot_modifiers(tables: Tables, given: Given, *, side: bool) -> Answer:
    """The to-hit modifiers of a shot. Source: Vehicle Charts, Roll to Hit Vehicular Targets,
    modifiers.
    """
    move = given.word("target_move")
    cover = given.word("cover")
    return tables["hit-modifiers"](**given.flags(FLAGS), side=side, target_move=move, cover=cover)


def hits_vehicle(die: int, modifier: int, need: int) -> bool:
    """Return whether a die hits: a 20 always, a 1 never, otherwise by its total."""
    return die == 20 or (die != 1 and die + modifier >= need)


def describe_need(need: int, hits: Callable[[int], bool]) -> str:
    """Return what hits in words, as `hits` counts the faces of a d20.

    It is a number for the total, or a face where a 20 or all but a 1 hit.
    """
    faces = [face for face in range(1, 21) if hits(face)]
    if not faces:
        return "no roll is high enough"
    if faces == [20]:
        return "needs a natural 20"
    return "misses only on a natural 1" if faces[0] == 2 else f"{need} or more needed"


# -- a vehicle out of control, and what happens to those inside

EVENTS = {"stop": "stop", "flip": "flip"}
CRASHES = {
    "half-straight-stop": "half a move straight ahead, then a stop",
    "half-left-stop": "half a move to the left, then a stop",
    "half-right-stop": "half a move to the right, then a stop",
    "quick-straight": "quickly straight ahead",
    "stop": "stops",
    "flip": "flips over",
}
COLLISIONS = {
    **dict.fromkeys(("half-straight-stop", "half-left-stop", "half-right-stop"), "hit-half-speed"),
    "quick-straight": "hit-full-speed",
}
"""How fast each forced move runs into something solid."""


def plan_crash(tables: Tables, given: Given) -> Plan[Volley]:
    """1d20 on the crash chart, then each occupant. Source: Vehicle Charts, Vehicle Crash Chart.

    Raises UserError for a roster vehicle that is a wreck.
    """
    vehicle = given.unit("unit")
    refuse_wreck(vehicle, "unit")
    occupants = list_men_aboard(given, "occupants", vehicle)
    how = {"moved_quickly": given.flag("moved_quickly"), "turned": given.flag("turned")}
    results, totals = (
        tables["crash"].get_column(output, **how, roll=D20) for output in ("result", "total")
    )
    counts = (("moved quickly", how["moved_quickly"]), ("turned sharply", how["turned"]))
    parts = tuple((name, 1) for name, so in counts if so)
    events = EVENTS | (COLLISIONS if given.flag("hits_object") else {})
    rows = {
        result: int(tables["crash-injury"](event=events[result])["row"])
        for result in set(results)
        if result in events
    }

    def crash(_: Volley, roll: Roll) -> Ruling[Volley]:
        total = totals[roll[0] - 1]
        result = results[roll[0] - 1]
        told = {"roll": roll[0], "total": total, "result": result, "row": rows.get(result, "none")}

        def line() -> Line:
            return Line("crash", roll, parts, total)

        if result not in rows or not occupants:
            return Ruling(Volley(None), told, lambda: (line(),))
        read = f"row {format_minus(rows[result])}, column 1"
        return Ruling(
            Volley(f"row {rows[result]}"),
            told,
            lambda: (line(), Line("everybody inside", result=read)),
        )

    names = label_men(occupants)
    crt = ResolutionTable(tables)
    steps = {"roll": ruled((d20("crash"),), crash)}
    for row in rows.values():
        men = build_riders(occupants, names, "occupants", (crt.get_cell(row, 1),))
        steps[f"row {row}"] = build_men_step(men, crt, name=f"row {row}")
    return Plan(
        Volley("roll"),
        steps,
        lambda out: _resolve_crash(vehicle, occupants, names, out),
        opening={"occupants": []},
        rows=build_rows(
            build_riders(occupants, names, "occupants") if rows else (),
            build_row("result", "the vehicle"),
        ),
    )


def _resolve_crash(
    vehicle: Unit | None,
    occupants: tuple[Unit, ...],
    names: tuple[str, ...],
    out: Mapping[str, Any],
) -> Resolution:
    """What is said and done when it has come to rest."""
    hurt = out["occupants"]
    tokens = [*map(get_result_token, out["occupants"])]
    headline = CRASHES[out["result"]] + (f", {summarize_results(hurt, tokens)}" if hurt else "")
    later = ("This happens in the next movement phase.",) if out["result"] in COLLISIONS else ()
    fate = UnitResult(
        name_unit(vehicle, "the vehicle"), out["result"], summarize_crew(names, tokens)
    )
    left = compute_crew_left(vehicle, occupants, hurt) if vehicle is not None else {}
    mark = frozenset({"out-of-control"}) if later else frozenset[str]()
    changes: tuple[Change, ...] = ()
    if vehicle is not None and vehicle.name and (left or mark):
        changes = (Change(vehicle.name, set=left, mark=mark),)
    return Resolution(
        add_unit(vehicle, headline),
        list_result_words(hurt, tokens),
        (),
        changes + list_changes(occupants, hurt),
        (fate,),
        describe_men_inside(occupants, names, hurt, tokens),
        notes=(*later, *list_limits(occupants, hurt)),
    )
