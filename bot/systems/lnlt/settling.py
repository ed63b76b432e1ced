"""What is said of units that were attacked, and the word that the answer finds for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.rules.inputs.units import Unit
from bot.rules.names import joined
from bot.rules.sequence import Fate, Outputs, Row, Settlement
from bot.systems.lnlt import kinds
from bot.systems.lnlt.checks import say, say_crew
from bot.systems.lnlt.items import Item
from bot.systems.lnlt.roster import MOVED, NOTHING, SPOTTER, becomes, fired


def fate_of(answer: Mapping[str, Any]) -> str:
    """The token for what happened to one unit: its result, or what it becomes where that says more."""
    if (
        answer.get("bailout", "none") != "none"
        or answer.get("mc", "none") != "none"
        or answer["becomes"] == "eliminated"
    ):
        return str(answer["becomes"])
    return str(answer["result"])


PLACED = {"survives": "good order", "shaken-moved": "shaken"}
"""How a crew that got out is placed."""
CREWS = {"eliminated": "crew killed", "survives": "crew bails out", "shaken-moved": "crew bails out shaken"}
SURVIVING = ("casualties", "wounded", "damaged")


def token_of(unit: Unit, answer: Mapping[str, Any]) -> str:
    """The worst that happened to one unit: what it becomes, unless its result says more of it."""
    now, result = str(answer["becomes"]), str(answer["result"])
    if now in kinds.GONE or result in SURVIVING:
        return now if now in kinds.GONE else result
    return "shaken" if "shaken" in now and now != kinds.state_of(unit) else "none"


CRASHES = "in the crash"


def rows(items: Iterable[Item], names: Sequence[str] = (), *, crash: str = "") -> tuple[Row, ...]:
    """The odds of each unit that is checked, under its name (or that of `names`), by the word of the answer.

    `crash` is the output that says when passengers are in a crash, about which nothing more is said here.
    """
    return tuple(
        _row(item.path, names[at] if names else item.unit.word, _crash(item, crash)) for at, item in enumerate(items)
    )


def _crash(item: Item, crash: str) -> str:
    return crash if item.kind == "passenger" else ""


def _row(path: str, name: str, crash: str) -> Row:
    keys = {f"{path}.{key}": key for key in ("result", "bailout", "mc", "becomes")}

    def read(told: Outputs) -> str | None:
        if crash and told.get(crash) in ("destroyed", "crash"):
            return CRASHES
        answer = {key: told[path] for path, key in keys.items() if path in told}
        return fate_of(answer) if {"result", "becomes"} <= answer.keys() else None

    return Row(name, (*keys, *([crash] if crash else [])), read)


def word_of(answer: Mapping[str, Any]) -> str:
    """What happened to one unit, in a few words."""
    words = [say(fate_of(answer)), *(["disembarks"] if answer.get("disembarks") else [])]
    if answer.get("hero"):
        words.append("a hero appears")
    if (crew := answer.get("crew", "none")) != "none":
        words.append(f"crew {say_crew(str(crew))}")
    return ", ".join(words)


def heroes(answers: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What is drawn for heroes that appeared. Source: PAC 02 (11.2)."""
    created = [answer["unit"] for answer in answers if answer.get("hero")]
    return tuple(f"A hero appears: draw one and a skill counter at random for {unit}." for unit in created)


def changed(units: Sequence[Unit], answers: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the results changed beside what the first line says: half-squads, the wounded who are shaken, riders.

    Source: PAC 02 (11.1.2).
    """
    said: dict[str, list[str]] = {}
    for unit, answer in zip(units, answers, strict=False):
        now = str(answer["becomes"])
        words = [f"a half-squad{_printed(unit)} and shaken"] if now == "half-squad-shaken" else []
        if now == "shaken-wounded" and token_of(unit, answer) == "wounded" and not unit.has("shaken"):
            words.append("shaken")
        words += ["stops moving"] if "wounded" in now and not unit.has("wounded") else []
        words += ["on foot"] if answer.get("disembarks") else []
        if words:
            said.setdefault(", ".join(words), []).append(unit.word)
    return tuple(
        f"{joined(names)} {words if len(names) == 1 else words.replace('a half-squad', 'half-squads')}"
        for words, names in said.items()
    )


def _printed(unit: Unit) -> str:
    """That the roster has no numbers for the side that is turned up; nothing where it has them."""
    return " (old numbers)" if unit.name and unit.reduced is None else ""


def aftermath(units: Sequence[Unit], answers: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the card has players remember of units that were hurt: moves, hatches, leadership without a roster.

    Source: PAC 02 (11.1.2).
    """
    lines: list[str] = []
    for unit, answer in zip(units, answers, strict=False):
        now = str(answer["becomes"])
        if "wounded" in now and not unit.has("wounded") and unit.type == "leader" and not unit.name:
            lines.append(f"{unit.word}: morale, leadership and leadership range are 1 less.")
        elif now == "shaken" and unit.type in kinds.GROUND_VEHICLES and not unit.has("shaken"):
            lines.append(f"{unit.word} buttons up, moves at half its MF (fractions down) and fires nothing.")
        elif now == "damaged" and unit.type in kinds.AIRBORNE and not unit.has("damaged"):
            lines.append(f"{unit.word} leaves the board at once; it neither unloads nor fires.")
    return tuple(dict.fromkeys(lines))


def crashes(units: Sequence[Unit], answers: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What follows a destroyed helicopter."""
    down = [
        unit.word
        for unit, answer in zip(units, answers, strict=False)
        if unit.type in kinds.AIRBORNE and answer["becomes"] == "destroyed"
    ]
    return tuple(f"{word} crashes: run crash, and bail-out for those aboard." for word in down)


def suffered(units: Sequence[Unit], answers: Sequence[Mapping[str, Any]]) -> Settlement:
    """What damage checks did to `units`: words, changes, fates, and heroes who come into play beside them."""
    both = list(zip(units, answers, strict=False))
    changes = (becomes(unit, one["becomes"], mark=MOVED if one.get("disembarks") else NOTHING) for unit, one in both)
    return Settlement(
        "",
        tuple((one["unit"], word_of(one)) for one in answers),
        heroes(answers),
        tuple(change for change in changes if change is not None),
        tuple(Fate(unit.word, token_of(unit, one), CREWS.get(str(one.get("crew", "")), "")) for unit, one in both),
        changed(units, answers),
        joins=tuple(("hero", unit.name) for unit, one in both if one.get("hero") and unit.name),
        notes=aftermath(units, answers),
    )


def attacked(
    headline: str,
    targets: Sequence[Unit],
    answers: Sequence[Mapping[str, Any]],
    *,
    more: Sequence[str] = (),
    notes: Sequence[str] = (),
    firers: Sequence[Unit | None] = (),
    beaten_by: int = 0,
    miss: str = "none",
) -> Settlement:
    """The settlement of an attack on a list of units: what they suffered, crashes, and who has fired.

    `more` is for players to act on, `notes` are small print. Of an attack on no listed unit `beaten_by` is what the
    damage checks in the hex are to be made at; `miss` is the token of targets that were not checked.
    """
    hurt = suffered(targets, answers)
    spotters = [unit.word for unit in firers if unit is not None and unit.has(SPOTTER)]
    spotted = [f"{word} fires at the hex it has just spotted: Ops Complete comes off." for word in spotters]
    return replace(
        hurt,
        headline=headline,
        then=(*hurt.then, *crashes(targets, answers), *more),
        changes=(*hurt.changes, *fired(firers)),
        fates=hurt.fates or tuple(Fate(unit.word, miss) for unit in targets) or (at_the_hex(beaten_by, miss),),
        notes=(*hurt.notes, *notes, *spotted),
    )


def at_the_hex(beaten_by: int, miss: str) -> Fate:
    """The fate of a hex of which no unit was listed."""
    hex = "the target hex"
    return Fate(hex, "damage-check", f"each at +{beaten_by}") if beaten_by else Fate(hex, miss)


def headline(answers: Sequence[Mapping[str, Any]], *, hit: bool) -> str:
    """The result of an attack in a few words: `squad shaken; leader no effect`."""
    if not hit:
        return "no effect"
    return "; ".join(f"{answer['unit']} {word_of(answer)}" for answer in answers) or "hit: damage check"
