"""Vehicles and the men in them: shot modifiers, wrecks and lost tracks, losses of the crew, and
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
    MAX_NAMED_MEN,
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
    """Raise UserError if the vehicle is a wreck: its ammunition or engine exploded.

    Source: Vehicle Charts, if the round penetrated, last note.
    """
    if vehicle is not None and vehicle.state == WRECK:
        hint = phrase("If that's wrong: `/unit edit {name} state=operable`.", name=vehicle.word)
        raise UserError(f"{vehicle.word} is a wreck.", hint=hint, option=option, code="unit-gone")


def list_men_aboard(inputs: Given, option: str, vehicle: Unit | None) -> tuple[Unit, ...]:
    """Return the living men in a vehicle: those typed in input `option`, or that number of crewmen.

    A number comes from the input or from the roster vehicle. The first of these crewmen have the
    wounds of the roster vehicle's crew. Raises UserError for units that are no living men.
    """
    crew = inputs.values[option]
    if not isinstance(crew, int):
        return select_living(inputs.units(option), option)
    crew_wounds = vehicle.numbers.get("crew_wounds", ()) if vehicle is not None else ()
    unhurt = (0,) * crew
    wounds_by_man = (*crew_wounds, *unhurt)[:crew]
    return tuple(
        Unit("crewman", "crewman", {"wounds": wounds} if wounds else {}) for wounds in wounds_by_man
    )


def build_riders(
    men: Sequence[Unit],
    names: Sequence[str],
    path: str,
    cells: tuple[Cell, ...] = (),
    row_names: tuple[str, ...] = (),
) -> tuple[Man, ...]:
    """Return the men in a vehicle with their names on the dice.

    Each has a d20 for each of `cells` and outputs at `path[0]`, `path[1]` and so on. `row_names`
    are the rows of the cells in the answer's lines.
    """
    riders = []
    for index, (unit, name) in enumerate(zip(men, names, strict=True)):
        facts = {"unit": unit.word}
        item_path = f"{path}[{index}]"
        rider = Man(unit, name, cells, item_path, get_wounds(unit), facts, row_names, rides=True)
        riders.append(rider)
    return tuple(riders)


def describe_men_inside(
    men: Sequence[Unit], names: Sequence[str], outcomes: Sequence[Outcome], tokens: Sequence[str]
) -> tuple[str, ...]:
    """Return further texts about the men in a vehicle: wounds and squads that changed.

    More than MAX_NAMED_MEN men are only counted in the first line, so those who were hurt are
    listed by name before that.
    """
    hurt = list_hurt(names, tokens) if len(men) > MAX_NAMED_MEN else ()
    return (*hurt, *list_aftermath(men, names, outcomes))


def build_vehicle_changes(
    target: Unit | None, crew: Sequence[Unit], out: Mapping[str, Any]
) -> tuple[Change, ...]:
    """Return what a shot changes on the roster vehicle: state, markers, and the remaining crew.

    `out` are the finished outputs. Empty if nothing changes or `target` is None. A track stays off
    whatever the crew does. A crewman who is on the roster too keeps their own wounds.
    """
    if target is None:
        return ()
    values: dict[str, Any] = {}
    if not out["operable"]:
        values["state"] = WRECK
    elif out["bail_out"]:
        values["state"] = "bailed-out"
    values |= compute_crew_left(target, crew, out["crew"])
    markers = {NO_GUN} if out["main_gun"] else set()
    if out["outcome"] in ("track-hit", "tire-hit"):
        markers |= OFF_TRACK
    if not values and not markers:
        return ()
    return (Change(target.name, set=values, mark=frozenset(markers)),)


def compute_crew_left(
    target: Unit, crew: Sequence[Unit], outcomes: Sequence[Outcome]
) -> dict[str, Any]:
    """Return the new values of a roster vehicle's crew, only those that changed.

    These are `crew` and `crew_lost` (numbers of men), and `crew_wounds`: the wounds of each wounded
    man who is not on the roster, most first, or None. Empty if the vehicle has no crew
    number or no man was rolled for.
    """
    count = target.numbers.get("crew")
    if count is None or not outcomes:
        return {}
    survivors = [
        (man, outcome)
        for man, outcome in zip(crew, outcomes, strict=True)
        if outcome["after"] != "killed"
    ]
    killed = len(crew) - len(survivors)
    remaining = max(0, count - killed)
    wounds: list[int] = []
    for man, outcome in survivors:
        if not man.name and outcome["wounds"]:
            wounds.append(outcome["wounds"])
    crew_wounds = tuple(sorted(wounds, reverse=True))
    values: dict[str, Any] = {}
    if remaining != count:
        lost_before = int(target.numbers.get("crew_lost") or 0)
        values["crew"] = remaining
        values["crew_lost"] = lost_before + count - remaining
    if crew_wounds != tuple(target.numbers.get("crew_wounds", ())):
        values["crew_wounds"] = crew_wounds or None
    return values


# -- shots

FLAGS = ("firer_moving", "hasty", "suppressed", "smoke", "lost_row")


def read_shot_modifiers(tables: Tables, inputs: Given, *, side: bool) -> Answer:
    """Return the to-hit modifiers of a shot; `side` is whether it hits the side of the target.

    Source: Vehicle Charts, Roll to Hit Vehicular Targets, modifiers.
    """
    move = inputs.word("target_move")
    cover = inputs.word("cover")
    return tables["hit-modifiers"](**inputs.flags(FLAGS), side=side, target_move=move, cover=cover)


def hits_vehicle(die: int, modifier: int, need: int) -> bool:
    """Return whether a die hits: a 20 always, a 1 never, otherwise by its total."""
    return die == 20 or (die != 1 and die + modifier >= need)


def describe_need(need: int, hits: Callable[[int], bool]) -> str:
    """Return the roll that is needed in words: `12 or more needed`.

    `hits` returns whether a face of the d20 hits. If only a 20 or all but a 1 hit, the text says
    so, otherwise it has `need`, the number for the total.
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


def plan_crash(tables: Tables, inputs: Given) -> Plan[Volley]:
    """Return the plan of a crash: 1d20 on the crash chart, then the dice of each occupant.

    Raises UserError for a roster vehicle that is a wreck.
    Source: Vehicle Charts, Vehicle Crash Chart.
    """
    vehicle = inputs.unit("unit")
    refuse_wreck(vehicle, "unit")
    occupants = list_men_aboard(inputs, "occupants", vehicle)
    moved_quickly = inputs.flag("moved_quickly")
    turned = inputs.flag("turned")
    crash_table = tables["crash"]
    columns = {"moved_quickly": moved_quickly, "turned": turned, "roll": D20}
    results = crash_table.get_column("result", **columns)
    totals = crash_table.get_column("total", **columns)
    flags = (("moved quickly", moved_quickly), ("turned sharply", turned))
    parts = tuple((name, 1) for name, is_set in flags if is_set)
    rows = _read_injury_rows(tables, results, hits_object=inputs.flag("hits_object"))

    def crash(_: Volley, roll: Roll) -> Ruling[Volley]:
        total = totals[roll[0] - 1]
        result = results[roll[0] - 1]
        row = rows.get(result, "none")
        outputs = {"roll": roll[0], "total": total, "result": result, "row": row}

        def build_line() -> Line:
            return Line("crash", roll, parts, total)

        if result not in rows or not occupants:
            return Ruling(Volley(None), outputs, lambda: (build_line(),))
        cell = f"row {format_minus(rows[result])}, column 1"
        return Ruling(
            Volley(f"row {row}"),
            outputs,
            lambda: (build_line(), Line("everyone inside", result=cell)),
        )

    names = label_men(occupants)
    crt = ResolutionTable(tables)
    steps = {"roll": ruled((d20("crash"),), crash)}
    for row in rows.values():
        men = build_riders(occupants, names, "occupants", (crt.get_cell(row, 1),))
        steps[f"row {row}"] = build_men_step(men, crt, name=f"row {row}")
    riders = build_riders(occupants, names, "occupants") if rows else ()
    return Plan(
        Volley("roll"),
        steps,
        lambda out: _resolve_crash(vehicle, occupants, names, out),
        opening={"occupants": []},
        odds_rows=build_rows(riders, build_row("result", "the vehicle")),
    )


def _read_injury_rows(
    tables: Tables, results: Sequence[str], *, hits_object: bool
) -> dict[str, int]:
    """Return the row of the Combat Resolution Table by crash result, for results that hurt the men
    inside. A forced move is among them only if the vehicle hits something solid.
    """
    events = EVENTS | (COLLISIONS if hits_object else {})
    injury_table = tables["crash-injury"]
    return {
        result: int(injury_table(event=events[result])["row"])
        for result in set(results)
        if result in events
    }


def _resolve_crash(
    vehicle: Unit | None,
    occupants: tuple[Unit, ...],
    names: tuple[str, ...],
    out: Mapping[str, Any],
) -> Resolution:
    """Return the result of a crash for the vehicle and its occupants, with their roster changes."""
    outcomes = out["occupants"]
    tokens = [get_result_token(outcome) for outcome in outcomes]
    headline = CRASHES[out["result"]]
    if outcomes:
        headline += f", {summarize_results(outcomes, tokens)}"
    is_next_move = out["result"] in COLLISIONS
    next_move = ("This happens in the next movement phase.",) if is_next_move else ()
    vehicle_name = name_unit(vehicle, "the vehicle")
    vehicle_result = UnitResult(vehicle_name, out["result"], summarize_crew(names, tokens))
    crew_values = compute_crew_left(vehicle, occupants, outcomes) if vehicle is not None else {}
    markers = frozenset({"out-of-control"}) if is_next_move else frozenset[str]()
    changes: tuple[Change, ...] = ()
    if vehicle is not None and vehicle.name and (crew_values or markers):
        changes = (Change(vehicle.name, set=crew_values, mark=markers),)
    return Resolution(
        add_unit(vehicle, headline),
        unit_words=list_result_words(outcomes, tokens),
        changes=changes + list_changes(occupants, outcomes),
        unit_results=(vehicle_result,),
        state_changes=describe_men_inside(occupants, names, outcomes, tokens),
        notes=(*next_move, *list_limits(occupants, outcomes)),
    )
