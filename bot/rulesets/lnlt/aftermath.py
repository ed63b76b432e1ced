"""What an attack leaves: the word that the answer finds for each unit, and what the roster takes
from it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    Joining,
    OddsRow,
    Outputs,
    Resolution,
    UnitResult,
    build_row,
)
from bot.rules.text.names import join_names
from bot.rules.text.normalize import comparison_key
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.checks import describe_crew_fate, describe_result
from bot.rulesets.lnlt.items import Item, label_units

# -- what results write back to units of the roster

NOTHING: frozenset[str] = frozenset()
MOVED = frozenset({"moved"})
FIRED = frozenset({"fired"})
SPOTTER, CAPTURED = "spotter", "captured"
SPOTTED_IT = frozenset({"ops-complete", SPOTTER})
"""What a successful spotter bears until it has fired at the hex, or the turn ends."""


def build_state_change(unit: Unit, state: str, *, mark: frozenset[str] = NOTHING) -> Change | None:
    """The change of a roster unit that takes `state`, or None where nothing changes.

    A squad with casualties turns into a half-squad; a wounded leader has 1 less morale, LM and
    leadership range, unless the roster holds the numbers of the wounded side. Source: PAC 02
    (11.1.2).
    """
    if not unit.name:
        return None
    new: dict[str, Any] = {}
    if state == "half-squad-shaken":
        new = {"type": "half-squad", "state": "shaken"}
    elif state != kinds.get_state(unit) or (unit.state and state != unit.state):
        new = {"state": state}
    is_hit = "wounded" in state and "wounded" not in unit.flags
    turn = unit.reduced is not None and (is_hit or state == "half-squad-shaken")
    if unit.type == "leader" and is_hit and not turn:
        for key, least in (("morale", 1), ("lm", 0), ("lr", 0)):
            if unit.numbers.get(key) is not None:
                new[key] = max(least, int(unit.numbers[key]) - 1)
    if mark and unit.numbers.get("in"):  # it is on foot
        new["in"] = None
    if not new and not mark:
        return None
    return Change(
        unit.name,
        set=new,
        mark=mark,
        unmark=kinds.RIDING & unit.flags if mark else NOTHING,
        turn=turn,
    )


def mark_fired(units: Iterable[Unit | None]) -> tuple[Change, ...]:
    """The changes of roster units that have fired; who fires right after spotting loses Ops
    Complete.

    Source: PAC 11.
    """
    return tuple(
        [
            Change(unit.name, mark=FIRED, unmark=SPOTTED_IT if "spotter" in unit.flags else NOTHING)
            for unit in units
            if unit is not None and unit.name
        ]
    )


def resolve_captured_weapons(
    units: Iterable[Unit], *, works: bool
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """The changes of roster units after the first attack with a captured weapon, and the reminders:
    it is kept for good, or removed. Of several weapons players take the right one off. Source: PAC
    09 note 3.
    """
    changes = list[Change]()
    lost = list[str]()
    for unit in units:
        if CAPTURED not in unit.flags:
            continue
        if unit.name:
            stays = works or len(unit.numbers.get("sw") or ()) > 1
            changes.append(
                Change(unit.name, set={} if stays else {"sw": None}, unmark=frozenset({CAPTURED}))
            )
        if not works:
            lost.append(
                f"The first attack with {unit.word}'s captured weapon did nothing: remove it."
            )
    return tuple(changes), tuple(lost)


# -- what is said of units that were attacked, and the word that the answer finds for each


PLACED = {"survives": "good order", "shaken-moved": "shaken"}
"""How a crew that got out is placed."""
CREWS = {
    "eliminated": "crew killed",
    "survives": "crew bails out",
    "shaken-moved": "crew bails out shaken",
}
CREW_STATES = {"survives": "", "shaken-moved": "shaken"}
"""In which state the roster has a crew that got out."""


def build_joining_crew(vehicle: Unit | None, crew: str) -> tuple[Joining, ...]:
    """Return the crew that got out of a vehicle of the roster, marked Moved. Source: PAC 02, 09."""
    if vehicle is None or not vehicle.name or crew not in PLACED:
        return ()
    return (Joining("crew", vehicle.name, CREW_STATES[crew], MOVED),)


def place_crew(vehicle: Unit | None, crew: str) -> tuple[str, ...]:
    """Return what players have to do with a crew that got out of a vehicle that is on no roster."""
    if crew not in PLACED or (vehicle is not None and vehicle.name):
        return ()
    return (f"Place a {PLACED[crew]} crew, marked Moved.",)


SURVIVING = ("casualties", "wounded", "damaged")
ALL_SAID = frozenset({"good-order", "eliminated"})
"""States of which the first line says all; of men it does when they are shaken too."""


def get_result_token(unit: Unit, answer: Mapping[str, Any]) -> str:
    """The worst that happened to one unit: what it becomes, unless its result says more of it."""
    now: str = answer["becomes"]
    if now in kinds.GONE:
        return now
    result: str = answer["result"]
    if result in SURVIVING:
        return result
    return "shaken" if "shaken" in now and now != kinds.get_state(unit) else "none"


CRASHES, MISSED = "in the crash", "missed"


def build_rows(
    items: Iterable[Item], names: Sequence[str] = (), *, crash: str = ""
) -> tuple[OddsRow, ...]:
    """The odds of each unit that is checked, under its name (or that of `names`), by the word of
    the answer.

    `crash` is the output that says when passengers are in a crash, about which nothing more is said
    here.
    """
    return tuple(
        [
            _build_row(item, names[at] if names else item.unit.word, crash)
            for at, item in enumerate(items)
        ]
    )


def add_miss(row: OddsRow) -> OddsRow:
    """The row of a shot that may miss: the chance of that is its own, beside a hit without
    effect.
    """
    read = row.read
    return row._replace(
        paths=(*row.paths, "hit"),
        read=lambda told: MISSED if told.get("hit") in (False, "false") else read(told),
    )


def build_drift_rows(stage: str) -> tuple[OddsRow, ...]:
    """The odds of how far something drifts, where nobody is under it."""
    return () if stage == "attack" else (build_row("hexes", "hexes of drift"),)


def _build_row(item: Item, name: str, crash: str) -> OddsRow:
    paths = (f"{item.path}.result", f"{item.path}.becomes")
    crashes = bool(crash) and item.kind == "passenger"

    def read(told: Outputs) -> str | None:
        if crashes and told.get(crash) in ("destroyed", "crash"):
            return CRASHES
        result, becomes = map(told.get, paths)
        known = result is not None and becomes is not None
        return (
            get_result_token(item.unit, {"result": result, "becomes": becomes}) if known else None
        )

    return OddsRow(name, (*paths, crash) if crashes else paths, read)


def get_result_word(answer: Mapping[str, Any]) -> str:
    """What happened to one unit, in a few words: its result, or what it becomes where that says
    more.
    """
    becomes = answer["becomes"]
    get = answer.get
    rolled = get("bailout", "none") != "none" or get("mc", "none") != "none"
    word = describe_result(becomes if rolled or becomes == "eliminated" else answer["result"])
    if get("disembarks"):
        word += ", disembarks"
    if get("hero"):
        word += ", a hero appears"
    if (crew := get("crew", "none")) != "none":
        word += f", crew {describe_crew_fate(str(crew))}"
    return word


def _describe_changes(unit: Unit, answer: Mapping[str, Any]) -> str:
    """Return what the results changed besides what the first line says, as a predicate: `is on
    foot`. That is half-squads, the wounded who are shaken, and riders.

    Source: PAC 02 (11.1.2).
    """
    now = str(answer["becomes"])
    predicates: list[str] = []
    if now == "half-squad-shaken":
        # the roster has none for that side
        old = " (old numbers)" if unit.name and unit.reduced is None else ""
        news = f"is a shaken half-squad{old}"
        if "shaken" in unit.flags:
            news = f"is now a half-squad{old}"
        predicates.append(news)
    elif "wounded" in now and "wounded" not in unit.flags:
        predicates.append(_describe_wound(unit, is_shaken="shaken" in now))
        predicates.append("ends any move")
    elif now == "shaken-wounded" and "shaken" not in unit.flags:
        if get_result_token(unit, answer) == "wounded":
            predicates.append("is shaken")
    if answer.get("disembarks"):
        predicates.append("is on foot")
    return " and ".join(predicates)


def _describe_wound(unit: Unit, *, is_shaken: bool) -> str:
    """Return the wound with what it costs: `is wounded (morale 4) and still shaken`.

    Source: PAC 02 (11.1.2).
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


def get_reminder(unit: Unit, now: str) -> str:
    """What the card has players remember of a unit that was hurt: moves, hatches, leadership
    without a roster.

    Source: PAC 02 (11.1.2).
    """
    if "wounded" in now and "wounded" not in unit.flags and unit.type == "leader" and not unit.name:
        return f"{unit.word}: morale, leadership and leadership range are 1 less."
    if now == "shaken" and unit.type in kinds.GROUND_VEHICLES and "shaken" not in unit.flags:
        return f"{unit.word} buttons up, moves at half its MF (fractions down) and fires nothing."
    if now == "damaged" and unit.type in kinds.AIRBORNE and "damaged" not in unit.flags:
        return f"{unit.word} leaves the board at once; it neither unloads nor fires."
    return ""


def resolve_damage(units: Sequence[Unit], answers: Sequence[Mapping[str, Any]]) -> Resolution:
    """What damage checks did to `units`: the word for each, heroes who come into play and
    helicopters that crash.

    Source: PAC 02 (11.2).
    """
    words: list[tuple[str, str]] = []
    joins: list[Joining] = []
    heroes: list[str] = []
    changes: list[Change] = []
    fates: list[UnitResult] = []
    down: list[str] = []
    also: dict[str, list[str]] = {}
    notes: dict[str, None] = {}
    labels = label_units(units)
    for unit, label, one in zip(units, labels, answers, strict=False):
        word = unit.word
        get = one.get
        now = one["becomes"]
        disembarks = get("disembarks")
        words.append((one["unit"], get_result_word(one)))
        fates.append(UnitResult(word, get_result_token(unit, one), CREWS.get(get("crew", ""), "")))
        if get("hero"):
            heroes.append(f"A hero appears: draw one and a skill counter at random for {label}.")
            joins += [Joining("hero", unit.name)] if unit.name else []
        joins += build_joining_crew(unit, get("crew", ""))
        if unit.name:
            change = build_state_change(unit, now, mark=MOVED if disembarks else NOTHING)
            changes += [change] if change is not None else []
        if not disembarks and (now in ALL_SAID or (now == "shaken" and unit.type in kinds.MEN)):
            continue
        if said := _describe_changes(unit, one):
            is_type = label == unit.type
            also.setdefault(said, []).append(f"the {label}" if is_type else label)
        if note := get_reminder(unit, now):
            notes[note] = None
        if now == "destroyed" and unit.type in kinds.AIRBORNE:
            down.append(f"{word} crashes: run crash, and bail-out for those aboard.")
    return Resolution(
        format_headline(words, hit=True),
        tuple(words),
        (*heroes, *down),
        tuple(changes),
        tuple(fates),
        _merge_notes(also) if also else (),
        notes=tuple(notes),
        joins=tuple(joins),
    )


def _merge_notes(also: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What changed besides, said once for all to whom it happened."""
    return tuple(
        f"{join_names(names)} {predicate if len(names) == 1 else _in_plural(predicate)}"
        for predicate, names in also.items()
    )


def _in_plural(predicate: str) -> str:
    """Return a predicate for several units: `are shaken half-squads`."""
    for one in ("a shaken half-squad", "a half-squad"):
        predicate = predicate.replace(one, f"{one.removeprefix('a ')}s")
    return predicate.replace("is ", "are ").replace("ends ", "end ")


def resolve_attack(
    headline: str,
    targets: Sequence[Unit],
    hurt: Resolution,
    *,
    more: Iterable[str] = (),
    notes: Iterable[str] = (),
    firers: Sequence[Unit | None] = (),
    changes: Iterable[Change] = (),
    beaten_by: int = 0,
    miss: str = "none",
    by: str = "",
) -> Resolution:
    """The settlement of an attack on a list of units: what they suffered, crashes, and who has
    fired.

    `more` is for players to act on, `notes` are small print. Of an attack on no listed unit
    `beaten_by` is what the damage checks in the hex are to be made at; `miss` is the token of
    targets that were not checked.
    """
    spotted = [
        f"{unit.word} fires at the hex it has just spotted: Ops Complete comes off."
        for unit in firers
        if unit is not None and SPOTTER in unit.flags
    ]
    fates = hurt.fates or tuple([UnitResult(unit.word, miss) for unit in targets])
    if not fates:  # a hex of which no unit was listed
        token, at = ("damage-check", f"each at +{beaten_by}") if beaten_by else (miss, "")
        fates = (UnitResult("the target hex", token, at),)
    return hurt._replace(
        headline=headline,
        then=(*hurt.then, *more),
        changes=(*hurt.changes, *mark_fired(firers), *changes),
        fates=fates,
        by=by,
        notes=(*hurt.notes, *notes, *spotted),
    )


def format_headline(words: Iterable[tuple[str, str]], *, hit: bool) -> str:
    """The result of an attack in a few words: `squad shaken; leader no effect`."""
    if not hit:
        return "no effect"
    return "; ".join([f"{unit} {word}" for unit, word in words]) or "hit: damage check"


# -- what follows a shot of ordnance, whatever it hits: acquisition, riders of the firer, a captured
# weapon

ACQUIRED = "The target is acquired and stays spotted."


def list_firers(given: Given) -> tuple[Unit, ...]:
    """Who fires, with the flag captured where it was typed as an option."""
    unit = given.unit("unit")
    if given.flag(CAPTURED):
        unit = unit or Unit("the firer", "")
        unit = replace(unit, flags=unit.flags | {CAPTURED})
    return () if unit is None else (unit,)


def build_acquisition(given: Given, target: Unit | None, *, stays: bool) -> tuple[Change, ...]:
    """The acquisition marker that the firer keeps: 1, or 2 on who bore one before; it goes with its
    target.

    Source: PAC 06 (14.1).
    """
    unit = given.unit("unit")
    if unit is None or not unit.name or target is None or not target.name:
        return ()
    link = target.name.replace(" ", "")
    is_same = comparison_key(str(unit.numbers.get("acquired", ""))) == comparison_key(link)
    had = int(unit.numbers.get("acquisition") or 0) if is_same else 0
    if stays:
        return (Change(unit.name, set={"acquired": link, "acquisition": min(2, had + 1)}),)
    return (Change(unit.name, set={"acquired": None, "acquisition": None}),) if had else ()
