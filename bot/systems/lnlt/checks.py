"""Damage checks, bail-outs and the fate of passengers for a list of units: one piece for every kind of attack.

A sequence that hits a list begins the checks with `begin`; they run unit by unit and hand back to the sequence's
`finish`.

Source: PAC 02, 05, 06, 09, 12 (5.0, 11.2, 15.4, 16.1.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from bot.rules.dice import Die, dice
from bot.rules.sequence import Line, Outputs, Roll, Ruled, Ruling, ruled
from bot.systems.lnlt import kinds
from bot.systems.lnlt.checks_odds import together
from bot.systems.lnlt.items import Item, Readings
from bot.systems.lnlt.reasons import bare, beside_morale, more_than_the_result, one_of

NONE = "none"
HERE = ""  # owed by the unit in hand: nothing more, so the next one is due


class Attack(NamedTuple):
    """An attack on a list of units, part-way through.

    `margin` is what the dice gave (each unit adds its offset for its dc_mod). `at` is the unit in hand, `lm` the
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


def ended(_: Attack) -> Attack:
    """The end of a sequence that has no more dice: all such states are equal."""
    return Attack(None)


class DamageChecks:
    """The dice that a list of hit units owes, and what they mean."""

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
        """`only_hit`: a unit whose dc_mod is not above 0 is not hit. `crew_of_all`: every unit tells its crew.

        `leaves_out_crashed`: those aboard a destroyed aircraft have no answer, where the list ends with them;
        otherwise they keep their place with nothing rolled. `also` tells more of the unit at a position, from the
        state that its check leaves it in.
        """
        self.readings, self.items, self.finish, self.also = readings, tuple(items), finish, also
        self.only_hit, self.crew_of_all, self.outcome = only_hit, crew_of_all, outcome
        self.leaves_out_crashed = leaves_out_crashed

    def only(self, start: int, stop: int) -> DamageChecks:
        """The checks of a part of the units, for the odds of these alone."""
        also = self.also
        return DamageChecks(
            self.readings,
            [replace(item, stop=min(item.stop, stop) - start) for item in self.items[start:stop]],
            only_hit=self.only_hit,
            crew_of_all=self.crew_of_all,
            outcome=self.outcome,
            leaves_out_crashed=self.leaves_out_crashed,
            also=None if also is None else lambda at, left: also(start + at, left),
        )

    @cached_property
    def counted(self) -> dict[str, Ruled[Attack]]:
        """The steps, made once."""
        return self.steps()

    def steps(self) -> dict[str, Ruled[Attack]]:
        """The steps check, hero, crew, bail and morale, for the plan of a sequence."""
        return together(
            {
                "check": ruled(self._dice("damage check"), self._check),
                "hero": ruled(self._dice("hero creation"), self._hero),
                "crew": ruled(self._dice("bail-out crew of"), self._crew),
                "bail": ruled(self._dice("bail-out"), self._bail),
                "morale": ruled(self._dice("morale check", 2), self._morale),
            },
            self.readings,
        )

    def _dice(self, label: str, count: int = 1) -> Callable[[Attack], tuple[Die, ...]]:
        return lambda now: dice(count, 6, f"{label} {self.items[now.at].unit.word}")

    def resolve(self, attack: Attack) -> tuple[Attack, dict[str, Any]]:
        """What follows an attack: damage checks where it is higher and hits somebody, else the sequence goes on."""
        if attack.margin > 0 and self.items:
            return self.begin(attack)
        return self.finish(attack), {"outcome": "damage-check" if attack.margin > 0 else NONE}

    def begin(self, now: Attack) -> tuple[Attack, dict[str, Any]]:
        """The attack as it owes the first die from unit `at` on, and what is known of those who owe none."""
        told: dict[str, Any] = {}
        return self._pass_over(now, told), told

    def _pass_over(self, now: Attack, told: dict[str, Any]) -> Attack:
        at, row = now.at, now.row
        if at >= len(self.items):
            return self.finish(now)
        stop = self.items[at].stop
        while at < stop:
            item = self.items[at]
            need = self._need(item, now.margin, row)
            if need is not None:
                return now._replace(owes=need, at=at, row=row)
            if item.kind == "vehicle":
                row = NONE
            if not (self.leaves_out_crashed and item.kind == "passenger" and row == "crash"):
                told |= self._told(item, self._untouched(item, row))
            at += 1
        return self.finish(now._replace(at=stop, lm=0, row="", keep=""))

    def _need(self, item: Item, margin: int, row: str) -> str | None:
        """The roll that the unit owes first, None for none."""
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

    def _untouched(self, item: Item, row: str) -> dict[str, Any]:
        """What is known of a unit that owes no die."""
        gone = item.kind == "passenger" and item.fates.get(row) == "eliminated"
        answer = _unchecked(item) | {"hero": False, "becomes": "eliminated" if gone else item.state}
        if item.kind == "passenger":
            return answer | NOT_ROLLED | {"disembarks": False}
        return answer | ({"crew": NONE} if item.kind == "vehicle" or self.crew_of_all else {})

    def _ruling(self, now: Attack, answer: dict[str, Any], line: Callable[[], Line]) -> Ruling[Attack]:
        """The ruling on a roll of the unit in hand, after which the next is due where this one owes nothing more."""
        item, at = self.items[now.at], now.at + 1
        told = self._told(item, answer)
        if now.owes == HERE and at < item.stop:
            now = self._pass_over(now._replace(at=at, lm=now.lm if item.later else 0), told)
        elif now.owes == HERE:
            now = self.finish(now._replace(at=at, lm=0, row="", keep=""))
        return Ruling(now, told, lambda: [line()])

    def _told(self, item: Item, answer: Mapping[str, Any]) -> dict[str, Any]:
        path = item.path
        told = {f"{path}.{key}": value for key, value in answer.items()}
        if item.first and self.outcome and "result" in answer:
            told["outcome"] = answer["result"]
        return told

    # -- the rules of each roll -------------------------------------------------------------------------------

    def _check(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6 + difference - leader against morale; a squad's 1 may bring a hero. Source: PAC 02 (5.0, 11.2)."""
        item, (die,), readings = self.items[now.at], roll, self.readings
        difference, leader = now.margin + item.offset, now.lm if item.kind == "leg" else 0
        total = die + difference - leader
        result = readings.result(item.column, item.morale, total)
        left = readings.becomes(item.row, item.state, result)
        answer = {"unit": item.unit.word, "roll": die, "dc_total": total, "result": result}
        after = self._follows(item, now._replace(owes=HERE), result, left, answer)
        if not after.keep:
            answer["becomes"] = left
        if die == 1 and item.hero:
            after = after._replace(owes="hero")
        else:
            answer["hero"] = False

        def line() -> Line:
            parts = (*bare(difference), *((("leader", -leader),) if leader else ()))
            why = beside_morale(total, item.morale, damage=True) + more_than_the_result(item.unit, result, left)
            return Line(item.unit.word, roll, parts, total, why)

        after, told, story, _ = self._ruling(after, answer, line)
        if self.also is not None:
            told = {**told, **self.also(now.at, left)}
        return Ruling(after, told, story)

    def _follows(self, item: Item, now: Attack, result: str, left: str, answer: dict[str, Any]) -> Attack:
        """What a damage check brings with it, by the kind of unit that is `left` so. Source: PAC 02, 09 (15.4)."""
        if item.kind == "leg":  # a leader who came through helps those after them
            answer |= {"crew": NONE} if self.crew_of_all else {}
            return now._replace(lm=max(now.lm, item.helps)) if left in ("good-order", "wounded") else now
        if item.kind == "passenger":
            if item.fates[now.row] == "damage-check-then-bail-out" and left != "eliminated":
                return now._replace(owes="bail", keep=left)
            answer |= NOT_ROLLED | {"disembarks": item.unit.has("outside") and left in kinds.SHAKEN_STATES}
            return now
        row = left if left in ("abandoned", "destroyed") else NONE if result == NONE else "shaken"
        if row == "destroyed" and not item.flies:
            return now._replace(owes="crew", row=row)
        answer["crew"] = "shaken-moved" if left == "abandoned" else NONE
        return now._replace(row="crash" if row == "destroyed" else row)

    def _hero(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6: whether a hero appears. Source: PAC 02 (11.2)."""
        word, hero = self.items[now.at].unit.word, self.readings.hero
        now = now._replace(owes="bail" if now.keep else HERE)
        return self._ruling(now, {"hero": hero(roll[0])}, lambda: Line(f"{word} hero", roll, result=one_of(hero)))

    def _crew(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6: whether the crew gets out of a destroyed vehicle. Source: PAC 09 (15.4)."""
        word, readings = self.items[now.at].unit.word, self.readings
        answer = {"crew": readings.bail_out("crew", roll[0])}
        needs = readings.gets_out
        return self._ruling(now._replace(owes=HERE), answer, lambda: Line(f"{word} crew", roll, result=needs("crew")))

    def _bail(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6: whether a passenger gets out, and then shaken. Source: PAC 09 (15.4)."""
        item, readings = self.items[now.at], self.readings
        result = readings.bail_out("passengers", roll[0])
        out = result != "eliminated"
        left = readings.shaken(item.row, now.keep or item.state) if out else "eliminated"
        answer = {} if now.keep else _unchecked(item) | {"hero": False}
        answer |= NOT_ROLLED | {"bailout": result, "becomes": left, "disembarks": out}

        def line() -> Line:
            return Line(f"{item.unit.word} bail-out", roll, result=readings.gets_out("passengers"))

        return self._ruling(now._replace(owes=HERE, keep=""), answer, line)

    def _morale(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """2d6 at or under morale, or a passenger is shaken. Source: PAC 09 (15.4)."""
        item, total = self.items[now.at], sum(roll)
        passes = total <= item.morale
        left = item.state if passes else self.readings.shaken(item.row, item.state)
        answer = _unchecked(item) | NOT_ROLLED | {"mc": "pass" if passes else "fail", "mc_total": total, "hero": False}
        answer |= {"becomes": left, "disembarks": item.fates[now.row] == "disembark-morale-check"}

        def line() -> Line:
            return Line(f"{item.unit.word} morale", roll, (), total, beside_morale(total, item.morale))

        return self._ruling(now._replace(owes=HERE), answer, line)


NOT_ROLLED = {"bailout": NONE, "mc": NONE, "mc_total": NONE}
"""The rolls that only passengers owe."""


def _unchecked(item: Item) -> dict[str, Any]:
    return {"unit": item.unit.word, "roll": NONE, "dc_total": NONE, "result": NONE}


def say_crew(fate: str) -> str:
    """What became of a vehicle's crew, as players say it."""
    return "shaken and moved" if fate == "shaken-moved" else fate


def say(result: str) -> str:
    """A result as players say it: none is no effect."""
    return "no effect" if result == NONE else result
