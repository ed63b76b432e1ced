"""What an answer writes back to the roster, and the word it finds for each unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.rules.lnlt import kinds
from bot.rules.lnlt.checks import say, say_crew
from bot.rules.lnlt.items import Item
from bot.rules.sequence import Change, Row, Settlement, Told
from bot.rules.units import Unit

MOVED = frozenset({"moved"})
FIRED = frozenset({"fired"})
RIDING = frozenset({"inside", "outside"})


def becomes(unit: Unit, state: str, *, mark: frozenset[str] = frozenset()) -> Change | None:
    """The change of a roster unit that takes `state`, or None where nothing changes.

    A squad with casualties turns into a half-squad; a leader who is wounded has 1 less morale and 1 less LM.
    Source: PAC 02 (11.1.2).
    """
    if not unit.name:
        return None
    new: dict[str, Any] = {}
    if state == "half-squad-shaken":
        new = {"type": "half-squad", "state": "shaken"}
    elif state != kinds.state_of(unit) or (unit.state and state != unit.state):
        new = {"state": state}
    if unit.type == "leader" and "wounded" in state and not unit.has("wounded"):
        for key, least in (("morale", 1), ("lm", 0)):
            if unit.get(key) is not None:
                new[key] = max(least, int(unit.get(key)) - 1)
    if not new and not mark:
        return None
    return Change(unit.name, set=new, mark=mark, unmark=RIDING & unit.flags if mark else frozenset())


def marked(units: Iterable[Unit | None], marks: frozenset[str]) -> tuple[Change, ...]:
    """The changes that put markers on roster units."""
    return tuple(Change(unit.name, mark=marks) for unit in units if unit is not None and unit.name)


def results(
    units: Sequence[Unit], answers: Sequence[Mapping[str, Any]]
) -> tuple[tuple[Change, ...], list[tuple[str, str]]]:
    """The changes and the words of units that were checked, in the order of their answers."""
    changes: list[Change] = []
    words: list[tuple[str, str]] = []
    for unit, answer in zip(units, answers, strict=False):
        change = becomes(unit, answer["becomes"], mark=MOVED if answer.get("disembarks") else frozenset())
        if change is not None:
            changes.append(change)
        words.append((answer["unit"], word_of(answer)))
    return tuple(changes), words


def fate_of(answer: Mapping[str, Any]) -> str:
    """The token for what happened to one unit: its result, or what it becomes where that says more."""
    if (
        answer.get("bailout", "none") != "none"
        or answer.get("mc", "none") != "none"
        or answer["becomes"] == "eliminated"
    ):
        return str(answer["becomes"])
    return str(answer["result"])


CRASHES = "in the crash"


def rows(items: Iterable[Item], names: Sequence[str] = (), *, crash: str = "") -> tuple[Row, ...]:
    """The odds of each unit that is checked, under its name (or that of `names`), by the word of the answer.

    `crash` is the output that says when passengers are in a crash, about which nothing more is told here.
    """
    return tuple(
        _row(item.path, names[at] if names else item.unit.word, _crash(item, crash)) for at, item in enumerate(items)
    )


def _crash(item: Item, crash: str) -> str:
    return crash if item.kind == "passenger" else ""


def _row(path: str, name: str, crash: str) -> Row:
    keys = {f"{path}.{key}": key for key in ("result", "bailout", "mc", "becomes")}

    def read(told: Told) -> str | None:
        if crash and told.get(crash) in ("destroyed", "crash"):
            return CRASHES
        answer = {key: told[path] for path, key in keys.items() if path in told}
        return fate_of(answer) if "result" in answer else None

    return Row(name, (*keys, *([crash] if crash else [])), read)


def word_of(answer: Mapping[str, Any]) -> str:
    """What happened to one unit, in a few words."""
    word = say(fate_of(answer))
    if answer.get("disembarks"):
        word += ", disembarks"
    if answer.get("hero"):
        word += ", a hero appears"
    crew = answer.get("crew", "none")
    return word if crew == "none" else f"{word}, crew {say_crew(str(crew))}"


def heroes(answers: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What is drawn for heroes that appeared. Source: PAC 02 (11.2)."""
    created = [answer["unit"] for answer in answers if answer.get("hero")]
    return tuple(f"Draw a hero and a skill counter at random for {unit}." for unit in created)


def halved(units: Sequence[Unit], answers: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A reminder for each roster squad that became a half-squad: its new counter has numbers of its own."""
    new = [unit.name for unit, answer in zip(units, answers, strict=False) if answer["becomes"] == "half-squad-shaken"]
    return tuple(f"{name} is a half-squad now: give it that counter's numbers with /unit edit." for name in new if name)


def crashes(units: Sequence[Unit], answers: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What follows a destroyed helicopter."""
    down = [
        unit.word
        for unit, answer in zip(units, answers, strict=False)
        if unit.type in kinds.AIRBORNE and answer["becomes"] == "destroyed"
    ]
    return tuple(f"{word} crashes: run crash, and bail-out for those aboard." for word in down)


def attacked(
    headline: str,
    targets: Sequence[Unit],
    answers: Sequence[Mapping[str, Any]],
    *,
    more: Sequence[str] = (),
    fired: Iterable[Unit | None] = (),
) -> Settlement:
    """The settlement of an attack on a list of units: words, changes, heroes, crashes, and who has fired."""
    changes, words = results(targets, answers)
    then = (*heroes(answers), *halved(targets, answers), *crashes(targets, answers), *more)
    return Settlement(headline, tuple(words), then, (*changes, *marked(fired, FIRED)))


def headline(answers: Sequence[Mapping[str, Any]], *, hit: bool, empty: str = "hit: damage check") -> str:
    """The result of an attack in a few words: `squad shaken; leader no effect`."""
    if not hit:
        return "no effect"
    return "; ".join(f"{answer['unit']} {word_of(answer)}" for answer in answers) or empty
