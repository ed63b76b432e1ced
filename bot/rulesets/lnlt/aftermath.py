"""The consequences of an attack: the word for each unit in the answer, and the changes of the
roster.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Arrival,
    Change,
    OddsRow,
    Outputs,
    Resolution,
    UnitResult,
    build_row,
)
from bot.rules.text.names import join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import capitalize_first
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.checks import describe_crew_fate, describe_result
from bot.rulesets.lnlt.items import Item, label_units

# -- the changes of roster units by results

NOTHING: frozenset[str] = frozenset()
MOVED = frozenset({"moved"})
FIRED = frozenset({"fired"})
SPOTTER, CAPTURED = "spotter", "captured"
SPOTTED_IT = frozenset({"ops-complete", SPOTTER})
"""Markers of a successful spotter, until it has fired at the hex or the turn ends."""


def build_state_change(unit: Unit, state: str, *, mark: frozenset[str] = NOTHING) -> Change | None:
    """Return the change of a roster unit that takes `state` and the markers `mark`.

    Return None if nothing changes, or if the unit is not of the roster. A squad with casualties
    becomes a half-squad. A wounded leader has 1 less morale, LM and leadership range, unless the
    roster has the numbers of the wounded side. A marked unit has got off its vehicle.
    Source: PAC 02 (11.1.2).
    """
    if not unit.name:
        return None
    values = _list_state_values(unit, state)
    is_new_wound = "wounded" in state and "wounded" not in unit.flags
    flips = unit.reduced is not None and (is_new_wound or state == "half-squad-shaken")
    if is_new_wound and unit.type == "leader" and not flips:
        values |= _list_wounded_leader_values(unit)
    unmark = NOTHING
    if mark:
        unmark = kinds.RIDING & unit.flags
        if unit.numbers.get("in"):
            values["in"] = None
    if not values and not mark:
        return None
    return Change(unit.name, set=values, mark=mark, unmark=unmark, turn=flips)


def _list_state_values(unit: Unit, state: str) -> dict[str, Any]:
    """Return the new values of a roster unit that takes `state`; {} if it has that state."""
    if state == "half-squad-shaken":
        return {"type": "half-squad", "state": "shaken"}
    is_new_by_flags = state != kinds.get_state(unit)
    is_new_on_roster = bool(unit.state) and state != unit.state
    if is_new_by_flags or is_new_on_roster:
        return {"state": state}
    return {}


def _list_wounded_leader_values(unit: Unit) -> dict[str, Any]:
    """Return the leader's morale (at least 1), LM and leadership range (at least 0), each 1 less.

    Numbers that the unit does not have are left out.
    """
    values: dict[str, Any] = {}
    for key, minimum in (("morale", 1), ("lm", 0), ("lr", 0)):
        number = unit.numbers.get(key)
        if number is not None:
            values[key] = max(minimum, int(number) - 1)
    return values


def mark_fired(units: Iterable[Unit | None]) -> tuple[Change, ...]:
    """Return a change for each roster unit among those that have fired: the marker Fired.

    A unit that fires right after spotting also loses Ops Complete. Source: PAC 11.
    """
    changes: list[Change] = []
    for unit in units:
        if unit is not None and unit.name:
            unmark = SPOTTED_IT if SPOTTER in unit.flags else NOTHING
            changes.append(Change(unit.name, mark=FIRED, unmark=unmark))
    return tuple(changes)


def resolve_captured_weapons(
    units: Iterable[Unit], *, works: bool
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """Return the changes and the reminders after the first attack with captured weapons.

    Units without the flag captured are skipped. If the attack `works`, the weapon stays for good;
    otherwise it is removed, with a reminder. If a unit has several weapons, the roster keeps all:
    players take the right one off. Source: PAC 09 note 3.
    """
    changes: list[Change] = []
    reminders: list[str] = []
    for unit in units:
        if CAPTURED not in unit.flags:
            continue
        if unit.name:
            has_several = len(unit.numbers.get("sw") or ()) > 1
            values = {} if works or has_several else {"sw": None}
            changes.append(Change(unit.name, set=values, unmark=frozenset({CAPTURED})))
        if not works:
            reminders.append(
                f"The first attack with {unit.word}'s captured weapon did nothing: remove it."
            )
    return tuple(changes), tuple(reminders)


# -- the results of units that were attacked, in the words of the answer


PLACED = {"survives": "good order", "shaken-moved": "shaken"}
"""The state in which players place a crew that got out, by the output crew."""
CREWS = {
    "eliminated": "crew killed",
    "survives": "crew bails out",
    "shaken-moved": "crew bails out shaken",
}
CREW_STATES = {"survives": "", "shaken-moved": "shaken"}
"""The roster state of a crew that got out, by the output crew."""


def build_joining_crew(vehicle: Unit | None, crew: str) -> tuple[Arrival, ...]:
    """Return the crew that got out of a roster vehicle, marked Moved; () if none got out.

    Also () if the vehicle is not of the roster (then see `list_crew_reminders`). Source: PAC 02, 09.
    """
    if vehicle is None or not vehicle.name or crew not in PLACED:
        return ()
    return (Arrival("crew", vehicle.name, CREW_STATES[crew], MOVED),)


def list_crew_reminders(vehicle: Unit | None, crew: str) -> tuple[str, ...]:
    """Return the reminder to place a crew that got out of a vehicle that is not of the roster.

    Return () if no crew got out or the vehicle is of the roster.
    """
    if crew not in PLACED or (vehicle is not None and vehicle.name):
        return ()
    return (f"Place a {PLACED[crew]} crew, marked Moved.",)


SURVIVING = ("casualties", "wounded", "damaged")
FULLY_TOLD_STATES = frozenset({"good-order", "eliminated"})
"""States about which the first line of the answer says everything. For men, shaken is one too."""


def get_result_token(unit: Unit, answer: Mapping[str, Any]) -> str:
    """Return the token of the worst that happened to one unit.

    It is the unit's new state if it is out of play; otherwise its result if that is casualties,
    wounded or damaged; otherwise shaken if it is newly so, or none. `answer` has `becomes` and
    `result`.
    """
    becomes: str = answer["becomes"]
    if becomes in kinds.GONE:
        return becomes
    result: str = answer["result"]
    if result in SURVIVING:
        return result
    is_newly_shaken = "shaken" in becomes and becomes != kinds.get_state(unit)
    return "shaken" if is_newly_shaken else "none"


CRASHES, MISSED = "in the crash", "missed"


def build_rows(
    items: Iterable[Item], names: Sequence[str] = (), *, crash: str = ""
) -> tuple[OddsRow, ...]:
    """Return a row of odds for each item, by the token of its result.

    Rows have the names of the units, or those of `names`. `crash` is the path of the output that
    says if the vehicle crashes: then the result of its passengers is `CRASHES`. With "" nothing
    crashes.
    """
    rows: list[OddsRow] = []
    for index, item in enumerate(items):
        name = names[index] if names else item.unit.word
        rows.append(_build_row(item, name, crash))
    return tuple(rows)


def add_miss(row: OddsRow) -> OddsRow:
    """Return the row with a result of its own for a miss, apart from a hit without effect."""
    read_hit = row.read

    def read_shot(outputs: Outputs) -> Any:
        if outputs.get("hit") in (False, "false"):
            return MISSED
        return read_hit(outputs)

    return row._replace(paths=(*row.paths, "hit"), read=read_shot)


def build_drift_rows(stage: str) -> tuple[OddsRow, ...]:
    """Return the row of odds of how far something drifts, for a plan without units to hit.

    Return () for the stage `attack`, which has no drift.
    """
    return () if stage == "attack" else (build_row("hexes", "hexes of drift"),)


def _build_row(item: Item, name: str, crash: str) -> OddsRow:
    """Return the row of odds of one unit; see `build_rows`."""
    result_path = f"{item.path}.result"
    becomes_path = f"{item.path}.becomes"
    paths: tuple[str, ...] = (result_path, becomes_path)
    can_crash = bool(crash) and item.kind == "passenger"
    if can_crash:
        paths = (*paths, crash)

    def read(outputs: Outputs) -> str | None:
        if can_crash and outputs.get(crash) in ("destroyed", "crash"):
            return CRASHES
        result = outputs.get(result_path)
        becomes = outputs.get(becomes_path)
        if result is None or becomes is None:
            return None
        return get_result_token(item.unit, {"result": result, "becomes": becomes})

    return OddsRow(name, paths, read)


def get_result_word(answer: Mapping[str, Any]) -> str:
    """Return the result of one unit in a few words: `destroyed, crew survives`.

    A unit that is eliminated, or that made a bail-out roll or morale check, has its new state
    instead of its result. Disembarking, a hero and the crew follow.
    """
    becomes = answer["becomes"]
    get = answer.get
    has_rolled = get("bailout", "none") != "none" or get("mc", "none") != "none"
    uses_state = has_rolled or becomes == "eliminated"
    result = becomes if uses_state else answer["result"]
    word = describe_result(result)
    if get("disembarks"):
        word += ", disembarks"
    if get("hero"):
        word += ", a hero appears"
    crew = get("crew", "none")
    if crew != "none":
        word += f", crew {describe_crew_fate(str(crew))}"
    return word


def _describe_changes(unit: Unit, answer: Mapping[str, Any]) -> str:
    """Return the changes that the first line of the answer does not show, as a predicate or "".

    They are half-squads, wounds, wounded men who are shaken, and riders who get off: `is on foot`.
    Source: PAC 02 (11.1.2).
    """
    becomes = str(answer["becomes"])
    predicates: list[str] = []
    if becomes == "half-squad-shaken":
        # without numbers for the reduced side, the roster keeps those of the squad
        has_old_numbers = bool(unit.name) and unit.reduced is None
        remark = " (old numbers)" if has_old_numbers else ""
        predicate = f"is a shaken half-squad{remark}"
        if "shaken" in unit.flags:
            predicate = f"is a half-squad{remark}"
        predicates.append(predicate)
    elif "wounded" in becomes and "wounded" not in unit.flags:
        predicates.append(_describe_wound(unit, is_shaken="shaken" in becomes))
        predicates.append("must stop")
    elif becomes == "shaken-wounded" and "shaken" not in unit.flags:
        if get_result_token(unit, answer) == "wounded":
            predicates.append("is shaken")
    if answer.get("disembarks"):
        predicates.append("is on foot")
    is_compound = any(" and " in predicate for predicate in predicates)
    return (", and " if is_compound else " and ").join(predicates)


def _describe_wound(unit: Unit, *, is_shaken: bool) -> str:
    """Return a predicate for a new wound: `is wounded (morale 4) and still shaken`.

    The morale is given only if it changes. Source: PAC 02 (11.1.2).
    """
    change = build_state_change(unit, "wounded")
    numbers: Mapping[str, Any] = {}
    if unit.reduced is not None:
        numbers = unit.reduced.numbers
    elif change is not None:
        numbers = dict(change.set)
    morale = numbers.get("morale")
    wound = "is wounded"
    if morale is not None and morale != unit.numbers.get("morale"):
        wound = f"is wounded (morale {morale})"
    if not is_shaken:
        return wound
    if "shaken" in unit.flags:
        return f"{wound} and still shaken"
    return f"{wound} and shaken"


def get_reminder(unit: Unit, becomes: str) -> str:
    """Return the card's rule for a unit that takes the state `becomes`, or "".

    It is for newly wounded leaders that are not of the roster, newly shaken ground vehicles, and
    newly damaged aircraft. Source: PAC 02 (11.1.2).
    """
    flags = unit.flags
    is_new_wound = "wounded" in becomes and "wounded" not in flags
    if is_new_wound and unit.type == "leader" and not unit.name:
        return f"{unit.word}: morale, leadership and leadership range are 1 less."
    is_newly_shaken = becomes == "shaken" and "shaken" not in flags
    if is_newly_shaken and unit.type in kinds.GROUND_VEHICLES:
        return f"{unit.word} buttons up, moves at half its MF (rounded down) and cannot fire."
    is_newly_damaged = becomes == "damaged" and "damaged" not in flags
    if is_newly_damaged and unit.type in kinds.AIRBORNE:
        return f"{unit.word} leaves the board at once; it can neither unload nor fire."
    return ""


def _list_hero_reminders(makers: Sequence[str]) -> list[str]:
    """Return what players do for the units that create a hero, as a list of at most one sentence.

    Source: PAC 02 (11.2).
    """
    if not makers:
        return []
    names = capitalize_first(join_names(makers))
    if len(makers) == 1:
        return [f"{names} creates a hero: draw one and a skill counter at random."]
    return [f"{names} create heroes: for each, draw one and a skill counter at random."]


def resolve_damage(units: Sequence[Unit], answers: Sequence[Mapping[str, Any]]) -> Resolution:
    """Return the result of the damage checks of `units`; `answers` are their outputs, in order.

    It has a word and a token for each unit, the changes of the roster, heroes and crews that come
    into play, and reminders for heroes and crashes. Source: PAC 02 (11.2).
    """
    words: list[tuple[str, str]] = []
    joins: list[Arrival] = []
    hero_makers: list[str] = []
    crash_reminders: list[str] = []
    changes: list[Change] = []
    results: list[UnitResult] = []
    labels_by_predicate: dict[str, list[str]] = {}
    notes: dict[str, None] = {}
    labels = label_units(units)
    for unit, label, answer in zip(units, labels, answers, strict=False):
        becomes = answer["becomes"]
        crew = answer.get("crew", "")
        words.append((answer["unit"], get_result_word(answer)))
        token = get_result_token(unit, answer)
        results.append(UnitResult(unit.word, token, CREWS.get(crew, "")))
        if answer.get("hero"):
            hero_makers.append(f"the {label}" if label == unit.type else label)
        joins += _build_joining_units(unit, answer)
        changes += _build_changes(unit, answer)
        if _is_fully_told(unit, answer):
            continue
        predicate = _describe_changes(unit, answer)
        if predicate:
            subject = f"the {label}" if label == unit.type else label
            labels_by_predicate.setdefault(predicate, []).append(subject)
        note = get_reminder(unit, becomes)
        if note:
            notes[note] = None
        if becomes == "destroyed" and unit.type in kinds.AIRBORNE:
            crash_reminders.append(
                f"{unit.word} crashes: run crash, and bail-out for those aboard."
            )
    return Resolution(
        format_headline(words, hit=True),
        unit_words=tuple(words),
        next_steps=(*_list_hero_reminders(hero_makers), *crash_reminders),
        changes=tuple(changes),
        unit_results=tuple(results),
        state_changes=_merge_notes(labels_by_predicate),
        notes=tuple(notes),
        arrivals=tuple(joins),
    )


def _build_joining_units(unit: Unit, answer: Mapping[str, Any]) -> list[Arrival]:
    """Return the hero and the crew that come into play from a roster unit, [] if neither does."""
    joins: list[Arrival] = []
    if answer.get("hero") and unit.name:
        joins.append(Arrival("hero", unit.name))
    joins += build_joining_crew(unit, answer.get("crew", ""))
    return joins


def _build_changes(unit: Unit, answer: Mapping[str, Any]) -> list[Change]:
    """Return the change of a roster unit by its damage check; [] if nothing changes.

    A passenger who disembarks is marked Moved.
    """
    if not unit.name:
        return []
    mark = MOVED if answer.get("disembarks") else NOTHING
    change = build_state_change(unit, answer["becomes"], mark=mark)
    return [] if change is None else [change]


def _is_fully_told(unit: Unit, answer: Mapping[str, Any]) -> bool:
    """Return whether the first line of the answer says everything about the unit's result.

    It does for units that are in good order or eliminated, and for shaken men, unless they
    disembark.
    """
    if answer.get("disembarks"):
        return False
    becomes = answer["becomes"]
    if becomes in FULLY_TOLD_STATES:
        return True
    return becomes == "shaken" and unit.type in kinds.MEN


def _merge_notes(labels_by_predicate: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return one note for each predicate, with all units that it is true of as its subject."""
    notes: list[str] = []
    for predicate, labels in labels_by_predicate.items():
        verb_phrase = predicate if len(labels) == 1 else _in_plural(predicate)
        notes.append(f"{join_names(labels)} {verb_phrase}")
    return tuple(notes)


def _in_plural(predicate: str) -> str:
    """Return a predicate for several units: `are shaken half-squads`."""
    for noun in ("a shaken half-squad", "a half-squad"):
        predicate = predicate.replace(noun, f"{noun.removeprefix('a ')}s")
    return predicate.replace("is ", "are ").replace("ends ", "end ")


def resolve_attack(
    headline: str,
    targets: Sequence[Unit],
    damage: Resolution,
    *,
    reminders: Iterable[str] = (),
    notes: Iterable[str] = (),
    firers: Sequence[Unit | None] = (),
    changes: Iterable[Change] = (),
    beaten_by: int = 0,
    miss: str = "none",
    cause: str = "",
) -> Resolution:
    """Return the result of an attack on a list of units.

    It adds to `damage`, the result of the damage checks:

    - `headline` and `cause` (in place of the acting unit).
    - `reminders` for players to act on, and `notes` in small print.
    - the marker Fired on `firers`, and further `changes`.
    - `miss`: the token of targets if none was checked.
    - `beaten_by`: if no target was listed, the modifier of the damage checks in the hex.
    """
    spotter_notes: list[str] = []
    for unit in firers:
        if unit is not None and SPOTTER in unit.flags:
            spotter_notes.append(
                f"{unit.word} fires at the hex it has just spotted: Ops Complete comes off."
            )
    results = damage.unit_results or tuple([UnitResult(unit.word, miss) for unit in targets])
    if not results:  # no unit of the hex was listed
        hex_result = UnitResult("the target hex", miss)
        if beaten_by:
            hex_result = UnitResult("the target hex", "damage-check", f"each at +{beaten_by}")
        results = (hex_result,)
    return damage._replace(
        headline=headline,
        next_steps=(*damage.next_steps, *reminders),
        changes=(*damage.changes, *mark_fired(firers), *changes),
        unit_results=results,
        cause=cause,
        notes=(*damage.notes, *notes, *spotter_notes),
    )


def format_headline(words: Iterable[tuple[str, str]], *, hit: bool) -> str:
    """Format the result of an attack from pairs of (unit, word): `squad shaken; leader no effect`.

    Without pairs it is `hit: damage check`, and without a hit `no effect`.
    """
    if not hit:
        return "no effect"
    return "; ".join([f"{unit} {word}" for unit, word in words]) or "hit: damage check"


# -- after a shot of ordnance at any target: acquisition, and the firer of a captured weapon

ACQUIRED = "The target is acquired and stays spotted."


def list_firers(inputs: Given) -> tuple[Unit, ...]:
    """Return the firer of ordnance, as a tuple of one unit or none.

    It has the flag captured if the option `captured` is set, also if no firer was named.
    """
    unit = inputs.unit("unit")
    if inputs.flag(CAPTURED):
        unit = unit or Unit("the firer", "")
        unit = replace(unit, flags=unit.flags | {CAPTURED})
    return () if unit is None else (unit,)


def build_acquisition(inputs: Given, target: Unit | None, *, stays: bool) -> tuple[Change, ...]:
    """Return the change of the firer's acquisition marker, or () if there is none.

    If the target `stays`, the marker on it is 1, or 2 if the firer had one on the same target
    before. Otherwise a marker on that target is removed. Both must be units of the roster.
    Source: PAC 06 (14.1).
    """
    unit = inputs.unit("unit")
    if unit is None or not unit.name or target is None or not target.name:
        return ()
    link = target.name.replace(" ", "")
    is_same = comparison_key(str(unit.numbers.get("acquired", ""))) == comparison_key(link)
    old_level = int(unit.numbers.get("acquisition") or 0) if is_same else 0
    if stays:
        new_level = min(2, old_level + 1)
        return (Change(unit.name, set={"acquired": link, "acquisition": new_level}),)
    if old_level:
        return (Change(unit.name, set={"acquired": None, "acquisition": None}),)
    return ()
