"""Damage checks, bail-outs and the fate of passengers for a list of units: one piece for every kind of attack.

A sequence that hits a list enters the checks with `enter`; they run item by item and hand back to the sequence's
`finish`. In the odds a unit's follow-up dice (hero, crew, bail-out) are taken together with its check, so that all
units stay in step and equal states merge.

Source: PAC 02, 05, 06, 09, 12 (5.0, 11.2, 15.4, 16.1.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.rules.dice import Die
from bot.rules.odds import group_sums
from bot.rules.sequence import Line, Outputs, Roll, Step
from bot.systems.lnlt import kinds
from bot.systems.lnlt.items import Item, Readings
from bot.systems.lnlt.reasons import beside_morale, more_than_the_result, one_of

NONE = "none"
HERE = ""  # owed within an item: nothing more, go on to the next
FOLLOW_UPS = ("hero", "crew", "bail")


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack on a list of units, part-way through.

    `margin` is what the dice gave (each item adds its offset for its dc_mod). `at` is the item in hand, `lm` the
    best leader who came through their own check, `row` the result on the vehicle as its passengers read it, `keep`
    what a damage check left of a passenger who must still bail out. `six` says that a fire check is due.
    """

    owes: str | None
    margin: int = 0
    at: int = 0
    lm: int = 0
    row: str = ""
    keep: str = ""
    six: bool = False


def ended(state: Attack) -> Attack:
    """The end of a sequence that has no more dice: all such states are equal."""
    del state
    return Attack(None)


class DamageChecks:
    """The dice that a list of hit units owes, what they do and what they tell."""

    def __init__(
        self,
        readings: Readings,
        items: Sequence[Item],
        *,
        finish: Callable[[Attack], Attack] = ended,
        only_hit: bool = False,
        crew_of_all: bool = False,
        outcome: bool = True,
        leaves_out_crashed: bool = False,
        also: Callable[[int, str], Outputs] | None = None,
    ) -> None:
        """`only_hit`: an item whose dc_mod is not above 0 is not hit. `crew_of_all`: every item tells its crew.

        `leaves_out_crashed`: those aboard a destroyed aircraft have no answer, where the list ends with them;
        otherwise they keep their place with nothing rolled. `also` tells more of the unit at a position, from the
        state that its check leaves it in.
        """
        self._also, self._leaves_out_crashed = also, leaves_out_crashed
        self.readings, self.items, self.finish = readings, tuple(items), finish
        self.only_hit, self.crew_of_all, self.outcome = only_hit, crew_of_all, outcome
        self._rolls: Mapping[str, Callable[[Attack, Roll], tuple[Attack, dict[str, Any]]]] = {
            "check": self._check,
            "hero": self._hero,
            "crew": self._crew,
            "bail": self._bail,
            "morale": self._morale,
        }

    def steps(self) -> dict[str, Step[Any]]:
        """The steps check, hero, crew, bail and morale, for the plan of a sequence."""
        return {name: self._step(name) for name in self._rolls}

    def enter(self, state: Attack, at: int) -> Attack:
        """`state` as it owes the first die from item `at` on, or as the sequence goes on when none is owed."""
        return self._pass_over(state, at, {})

    def passed_over(self, state: Attack, at: int) -> Outputs:
        """The outputs of the items from `at` on that owe no die, up to the first that does."""
        told: dict[str, Any] = {}
        self._pass_over(state, at, told)
        return told

    def _pass_over(self, state: Attack, at: int, told: dict[str, Any]) -> Attack:
        if at >= len(self.items):
            return self.finish(state)
        row, stop = state.row, self.items[at].stop
        while at < stop:
            item = self.items[at]
            need = self._need(item, state.margin, row)
            if need is not None:
                return replace(state, owes=need, at=at, row=row)
            if item.kind == "vehicle":
                row = NONE
            if not self._crashed(item, row):
                self._tell_untouched(item, row, told)
            at += 1
        return self.finish(replace(state, at=stop, lm=0, row="", keep=""))

    def _need(self, item: Item, margin: int, row: str) -> str | None:
        """The roll that the item owes first, None for none."""
        if self.only_hit and margin + item.offset <= 0:
            return None
        if item.kind != "passenger":
            return None if item.immune else "check"
        fate = item.fates.get(row, NONE)
        if fate.startswith("damage-check"):
            return "check"
        if fate.endswith("morale-check"):
            return "morale"
        return "bail" if fate == "bail-out" else None

    def _crashed(self, item: Item, row: str) -> bool:
        """Whether nothing is said of the passenger here: who is in a crash is asked for by itself."""
        return item.kind == "passenger" and row == "crash" and self._leaves_out_crashed

    def _tell_untouched(self, item: Item, row: str, told: dict[str, Any]) -> None:
        gone = item.kind == "passenger" and item.fates.get(row) == "eliminated"
        told.update(self._check_told(item, NONE, NONE, NONE))
        told[f"{item.path}.hero"] = False
        told[f"{item.path}.becomes"] = "eliminated" if gone else item.state
        if item.kind == "passenger":
            told.update(self._passenger_told(item))
            told[f"{item.path}.disembarks"] = False
        elif item.kind == "vehicle" or self.crew_of_all:
            told[f"{item.path}.crew"] = NONE

    def _check_told(self, item: Item, roll: Any, total: Any, result: str) -> dict[str, Any]:
        path = item.path
        told = {
            f"{path}.unit": item.unit.word,
            f"{path}.roll": roll,
            f"{path}.dc_total": total,
            f"{path}.result": result,
        }
        if item.first and self.outcome:
            told["outcome"] = result
        return told

    def _passenger_told(self, item: Item, *, bailout: str = NONE, mc: str = NONE, total: Any = NONE) -> dict[str, Any]:
        path = item.path
        return {f"{path}.bailout": bailout, f"{path}.mc": mc, f"{path}.mc_total": total}

    def _check(self, state: Attack, roll: Roll) -> tuple[Attack, dict[str, Any]]:
        item, path = self.items[state.at], self.items[state.at].path
        total = roll[0] + state.margin + item.offset - (state.lm if item.kind == "leg" else 0)
        result = self.readings.result(item.column, item.morale, total)
        becomes = self.readings.becomes(item.row, item.state, result)
        told = self._check_told(item, roll[0], total, result)
        owes, row, keep, lm = HERE, state.row, "", state.lm
        if item.kind == "vehicle":
            row, owes = self._hurt_vehicle(item, result, becomes, told)
        elif item.kind == "passenger":
            bails = item.fates.get(row) == "damage-check-then-bail-out" and becomes != "eliminated"
            keep = becomes if bails else ""
            if not bails:
                told.update(self._passenger_told(item))
                told[f"{path}.disembarks"] = item.unit.has("outside") and becomes in kinds.SHAKEN_STATES
            owes = "bail" if bails else HERE
        else:
            if item.helps > lm and becomes in ("good-order", "wounded"):
                lm = item.helps
            if self.crew_of_all:
                told[f"{path}.crew"] = NONE
        if not keep:
            told[f"{path}.becomes"] = becomes
        if self._also is not None:
            told.update(self._also(state.at, becomes))
        if roll[0] == 1 and item.hero:
            owes = "hero"
        else:
            told[f"{path}.hero"] = False
        return Attack(owes, state.margin, state.at, lm if item.later else 0, row, keep, state.six), told

    def _hurt_vehicle(self, item: Item, result: str, becomes: str, told: dict[str, Any]) -> tuple[str, str]:
        """The row that its passengers read, and the roll of its crew if one is due."""
        row = becomes if becomes in ("abandoned", "destroyed") else NONE if result == NONE else "shaken"
        if becomes == "destroyed" and not item.flies:
            return row, "crew"
        told[f"{item.path}.crew"] = "shaken-moved" if becomes == "abandoned" else NONE
        return "crash" if row == "destroyed" else row, HERE

    def _hero(self, state: Attack, roll: Roll) -> tuple[Attack, dict[str, Any]]:
        told = {f"{self.items[state.at].path}.hero": self.readings.hero(roll[0])}
        return replace(state, owes="bail" if state.keep else HERE), told

    def _crew(self, state: Attack, roll: Roll) -> tuple[Attack, dict[str, Any]]:
        told = {f"{self.items[state.at].path}.crew": self.readings.bail_out("crew", roll[0])}
        return replace(state, owes=HERE), told

    def _bail(self, state: Attack, roll: Roll) -> tuple[Attack, dict[str, Any]]:
        item, path = self.items[state.at], self.items[state.at].path
        result = self.readings.bail_out("passengers", roll[0])
        out = result != "eliminated"
        told: dict[str, Any] = {} if state.keep else self._check_told(item, NONE, NONE, NONE)
        if not state.keep:
            told[f"{path}.hero"] = False
        told.update(self._passenger_told(item, bailout=result))
        told[f"{path}.becomes"] = self.readings.shaken(item.row, state.keep or item.state) if out else "eliminated"
        told[f"{path}.disembarks"] = out
        return replace(state, owes=HERE, keep=""), told

    def _morale(self, state: Attack, roll: Roll) -> tuple[Attack, dict[str, Any]]:
        item, path = self.items[state.at], self.items[state.at].path
        passes = sum(roll) <= item.morale
        told = self._check_told(item, NONE, NONE, NONE)
        told.update(self._passenger_told(item, mc="pass" if passes else "fail", total=sum(roll)))
        told[f"{path}.hero"] = False
        told[f"{path}.becomes"] = item.state if passes else self.readings.shaken(item.row, item.state)
        told[f"{path}.disembarks"] = item.fates.get(state.row) == "disembark-morale-check"
        return replace(state, owes=HERE), told

    def _step(self, name: str) -> Step[Any]:
        def ask(state: Attack) -> tuple[Die, ...]:
            return self.items[state.at].dice[name]

        def run(state: Attack, roll: Roll) -> tuple[Attack, dict[str, Any]]:
            if name == "morale":
                return self._morale(state, roll)
            after, told = self._rolls[name](state, roll[:1])
            for die in roll[1:]:
                after, more = self._rolls[str(after.owes)](after, (die,))
                told.update(more)
            return after, told

        def apply(state: Attack, roll: Roll) -> Attack:
            after, _ = run(state, roll)
            if after.owes != HERE:
                return after
            if state.at + 1 < self.items[state.at].stop:
                return self.enter(after, state.at + 1)
            return self.finish(replace(after, at=state.at + 1, lm=0, row="", keep=""))

        def outputs(state: Attack, roll: Roll, after: Attack) -> Outputs:
            del after
            left, told = run(state, roll)
            if left.owes == HERE and state.at + 1 < self.items[state.at].stop:
                self._pass_over(left, state.at + 1, told)
            return told

        def lines(state: Attack, roll: Roll, after: Attack) -> Iterable[Line]:
            del after
            return self._story(name, state, roll)

        return Step(ask, apply, outputs, lines, groups=self._groups(name))

    def _groups(self, name: str) -> Callable[[Attack], tuple[tuple[int, Roll], ...]]:
        """Rolls of one unit with all the dice that follow from them; none of them falsifies an output."""
        if name == "morale":
            return lambda _: group_sums(2, 6)

        def branches(state: Attack, roll: Roll, weight: int) -> Iterable[tuple[int, Roll]]:
            if state.owes not in FOLLOW_UPS:
                yield weight, roll
                return
            classes: dict[object, list[int]] = {}
            for face in range(1, 7):
                classes.setdefault(self._class(str(state.owes), face), []).append(face)
            for faces in classes.values():
                after, _ = self._rolls[str(state.owes)](state, (faces[0],))
                yield from branches(after, (*roll, faces[0]), weight // 6 * len(faces))

        def groups(state: Attack) -> tuple[tuple[int, Roll], ...]:
            if name != "check":
                return tuple(branches(state, (), 36))
            found: list[tuple[int, Roll]] = []
            for face in range(1, 7):
                found += branches(self._check(state, (face,))[0], (face,), 36)
            return tuple(found)

        return groups

    def _class(self, owes: str, face: int) -> object:
        if owes == "hero":
            return self.readings.hero(face)
        return self.readings.bail_out("crew" if owes == "crew" else "passengers", face)

    def _story(self, name: str, state: Attack, roll: Roll) -> Iterable[Line]:
        item = self.items[state.at]
        word = item.unit.word
        after, told = self._rolls[name](state, roll)
        del after
        if name == "check":
            modifier = state.margin + item.offset
            parts = [("", modifier)] if modifier else []
            if item.kind == "leg" and state.lm:
                parts.append(("leader", -state.lm))
            total, result = told[f"{item.path}.dc_total"], told[f"{item.path}.result"]
            why = beside_morale(total, item.morale, damage=True)
            left = self.readings.becomes(item.row, item.state, result)
            yield Line(word, roll, tuple(parts), total, why + more_than_the_result(item.unit, result, left))
        elif name == "morale":
            yield Line(f"{word} morale", roll, (), sum(roll), beside_morale(sum(roll), item.morale))
        elif name == "hero":
            yield Line(f"{word} hero", roll, result=one_of(self.readings.hero))
        elif name == "crew":
            yield Line(f"{word} crew", roll, result=self.readings.gets_out("crew"))
        else:
            yield Line(f"{word} bail-out", roll, result=self.readings.gets_out("passengers"))


def say_crew(fate: str) -> str:
    """What became of a vehicle's crew, as players say it."""
    return "shaken and moved" if fate == "shaken-moved" else fate


def say(result: str) -> str:
    """A result as players say it: none is no effect."""
    return "no effect" if result == NONE else result
