"""Damage checks, bail-outs and the fate of passengers for a list of units: one piece for every kind
of attack.

A sequence that hits a list begins the checks with `begin`; they run unit by unit and hand back to
the sequence's `finish`.

Source: PAC 02, 05, 06, 09, 12 (5.0, 11.2, 15.4, 16.1.1).
"""

from collections.abc import Callable, Sequence
from operator import or_
from typing import Any

from bot.rules.dice import Die, d6
from bot.rules.sequence.sequence import (
    IndependentPart,
    IndependentParts,
    Line,
    Outputs,
    Plan,
    Roll,
    Ruling,
    Step,
    resolve_never,
    ruled,
)
from bot.rulesets.lnlt import kinds
from bot.rulesets.lnlt.items import Attack, Item, Readings, end_attack
from bot.rulesets.lnlt.reasons import (
    Opposed,
    build_bare_part,
    compare_with_morale,
    explain_further_loss,
    format_needed_faces,
)

NONE = "none"
ABLE = ("good-order", "wounded")  # states of a leader who can help
MANY = 5  # units on foot, from which on odds are quicker when each is counted by itself
UNCHECKED = {"roll": NONE, "dc_total": NONE, "result": NONE}  # of a unit that makes no damage check
NOT_ROLLED = {
    "bailout": NONE,
    "mc": NONE,
    "mc_total": NONE,
}  # of a passenger, for only they owe these
HERE = ""  # owed by the unit in hand: nothing more, so the next one is due


class DamageChecks:
    """The dice that a list of hit units owes, and what they mean."""

    def __init__(
        self,
        readings: Readings,
        items: Sequence[Item],
        *,
        finish: Callable[[Attack], Attack] = end_attack,
        only_hit: bool = False,
        crew_of_all: bool = False,
        outcome: bool = True,
        leaves_out_crashed: bool = False,
        also: Callable[[int, str], Outputs] | None = None,
    ) -> None:
        """`only_hit`: a unit whose dc_mod is not above 0 is not hit. `crew_of_all`: every unit
        tells its crew.

        `leaves_out_crashed`: those aboard a destroyed aircraft have no answer, where the list ends
        with them; otherwise they keep their place with nothing rolled. `also` tells more of the
        unit at a position, from the state that its check leaves it in.
        """
        self.readings, self.items, self.finish, self.also = readings, tuple(items), finish, also
        self.only_hit = only_hit
        self.crew_of_all = crew_of_all
        self.outcome = outcome
        self.leaves_out_crashed = leaves_out_crashed

    def steps(self) -> dict[str, Step[Attack]]:
        """The steps check, hero, crew, bail and morale, for the plan of a sequence."""
        return {
            "check": ruled(self._dice("damage check"), self._check),
            "hero": ruled(self._dice("hero creation"), self._hero),
            "crew": ruled(self._dice("bail-out crew of"), self._crew),
            "bail": ruled(self._dice("bail-out"), self._bail),
            "morale": ruled(self._dice("morale check", 2), self._morale),
        }

    def _dice(self, label: str, count: int = 1) -> Callable[[Attack], tuple[Die, ...]]:
        return lambda now: (d6(f"{label} {self.items[now.at].unit.word}"),) * count

    def rule_on_attack(
        self,
        sums: Opposed,
        roll: Roll,
        *,
        flammable: bool,
        hit: str = "hit",
        at: int = 0,
        lm: int = 0,
    ) -> Ruling[Attack]:
        """The ruling on an attack on all of the list: damage checks where it is higher and hits
        somebody, else the sequence goes on. In a `flammable` hex a natural 6 calls for a fire
        check."""
        six = flammable and 6 in roll[:-1]
        told = sums.build_outputs(roll, hit)
        attack = Attack(None, told["dc_mod"], at, lm, six=six)
        if attack.margin > 0 and self.items:
            after, known = self.begin(attack)
        else:
            after = self.finish(attack)
            known = {"outcome": "damage-check" if attack.margin > 0 else NONE}
        told |= known
        if flammable and not six:
            told["fire_check"] = NONE
        return Ruling(after, told, lambda: sums.build_lines(roll))

    def begin(self, now: Attack) -> tuple[Attack, dict[str, Any]]:
        """The attack as it owes the first die from unit `at` on, and what is known of those who
        owe none.
        """
        told: dict[str, Any] = {}
        if now.at >= len(self.items):
            return self.finish(now), told
        return self._pass_over(now, told), told

    def _pass_over(self, now: Attack, told: dict[str, Any]) -> Attack:
        """The state that owes the next die of the units from `at` on; those who owe none are
        told.
        """
        at = now.at
        row = now.row
        stop = self.items[at].stop
        while at < stop:
            item = self.items[at]
            need = self._get_needed_roll(item, now.margin, row)
            if need is not None:
                return now._replace(owes=need, at=at, row=row)
            if item.kind == "vehicle":
                row = NONE
            if not (self.leaves_out_crashed and item.kind == "passenger" and row == "crash"):
                self._tell_untouched(item, row, told)
            at += 1
        return self._finish(now, stop)

    def _finish(self, now: Attack, at: int) -> Attack:
        return self.finish(now._replace(owes=HERE, at=at, lm=0, row="", keep=""))

    def _get_needed_roll(self, item: Item, margin: int, row: str) -> str | None:
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

    def _tell_untouched(self, item: Item, row: str, told: dict[str, Any]) -> None:
        """What is known of a unit that owes no die."""
        rides = item.kind == "passenger"
        gone = rides and item.fates.get(row) == "eliminated"
        told |= item.build_outputs(
            unit=item.unit.word,
            **UNCHECKED,
            hero=False,
            becomes="eliminated" if gone else item.state,
        )
        if rides:
            told |= item.build_outputs(**NOT_ROLLED, disembarks=False)
        elif item.kind == "vehicle" or self.crew_of_all:
            told |= item.build_outputs(crew=NONE)
        if item.first and self.outcome:
            told["outcome"] = NONE

    def _build_ruling(
        self, now: Attack, told: dict[str, Any], story: Callable[[], tuple[Line]]
    ) -> Ruling[Attack]:
        """The ruling on a roll of the unit in hand, after which the next is due where this one
        owes nothing more.
        """
        item = self.items[now.at]
        at = now.at + 1
        if now.owes == HERE and at < item.stop:
            now = self._pass_over(now._replace(at=at, lm=now.lm if item.later else 0), told)
        elif now.owes == HERE:
            now = self._finish(now, at)
        return Ruling(now, told, story)

    # -- the rules of each roll -------------------------------------------------------------------------------

    def _check(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6 + difference - leader against morale; a squad's 1 may bring a hero. Source: PAC 02
        (5.0, 11.2).
        """
        item, (die,), readings = self.items[now.at], roll, self.readings
        difference = now.margin + item.offset
        leader = now.lm if item.kind == "leg" else 0
        total = die + difference - leader
        result = readings.result(item.column, item.morale, max(-20, min(99, total)))
        left = readings.becomes(item.row, item.state, result)
        told = item.build_outputs(unit=item.unit.word, roll=die, dc_total=total, result=result)
        after = self._apply_consequences(item, now, result, left, told)
        if not after.keep:
            told |= item.build_outputs(becomes=left)
        if die == 1 and item.hero:
            after = after._replace(owes="hero")
        else:
            told |= item.build_outputs(hero=False)
        if item.first and self.outcome:
            told["outcome"] = result

        def story() -> tuple[Line]:
            unit = item.unit
            parts = build_bare_part(difference)
            if leader:
                parts = (*parts, ("leader", -leader))
            why = compare_with_morale(total, item.morale, damage=True)
            was_shaken = "shaken" in item.state and total < 2 * item.morale
            return (
                Line(
                    item.label,
                    roll,
                    parts,
                    total,
                    why + explain_further_loss(unit, result, left, was_shaken=was_shaken),
                ),
            )

        ruling = self._build_ruling(after, told, story)
        if self.also is not None:
            told |= self.also(now.at, left)
        return ruling

    def _apply_consequences(
        self, item: Item, now: Attack, result: str, left: str, told: dict[str, Any]
    ) -> Attack:
        """What a damage check brings with it, by the kind of unit that is `left` so. Source: PAC
        02, 09 (15.4).
        """
        if item.kind == "leg":  # a leader who came through helps those after them
            if self.crew_of_all:
                told |= item.build_outputs(crew=NONE)
            helps = item.helps if left in ABLE else 0
            return now._replace(owes=HERE, lm=max(now.lm, helps))
        if item.kind == "passenger":
            if item.fates[now.row] == "damage-check-then-bail-out" and left != "eliminated":
                return now._replace(owes="bail", keep=left)
            walks = "outside" in item.unit.flags and left in kinds.SHAKEN_STATES
            told |= item.build_outputs(**NOT_ROLLED, disembarks=walks)
            return now._replace(owes=HERE)
        row = left if left in ("abandoned", "destroyed") else NONE if result == NONE else "shaken"
        if row == "destroyed" and not item.is_flying:
            return now._replace(owes="crew", row=row)
        told |= item.build_outputs(crew="shaken-moved" if left == "abandoned" else NONE)
        return now._replace(owes=HERE, row="crash" if row == "destroyed" else row)

    def _hero(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6: whether a hero appears. Source: PAC 02 (11.2)."""
        item = self.items[now.at]
        hero = self.readings.hero
        now = now._replace(owes="bail" if now.keep else HERE)
        told = item.build_outputs(hero=hero(roll[0]))
        return self._build_ruling(
            now, told, lambda: (Line(f"{item.label} hero", roll, result=format_needed_faces(hero)),)
        )

    def _crew(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6: whether the crew gets out of a destroyed vehicle. Source: PAC 09 (15.4)."""
        item = self.items[now.at]
        readings = self.readings
        told = item.build_outputs(crew=readings.bail_out("crew", roll[0]))

        def story() -> tuple[Line]:
            return (Line(f"{item.label} crew", roll, result=readings.get_escape_number("crew")),)

        return self._build_ruling(now._replace(owes=HERE), told, story)

    def _bail(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """1d6: whether a passenger gets out, and then shaken. Source: PAC 09 (15.4)."""
        item = self.items[now.at]
        readings = self.readings
        result = readings.bail_out("passengers", roll[0])
        out = result != "eliminated"
        told = {} if now.keep else item.build_outputs(unit=item.unit.word, **UNCHECKED, hero=False)
        becomes = (
            readings.get_shaken_state(item.row, now.keep or item.state) if out else "eliminated"
        )
        told |= item.build_outputs(
            **(NOT_ROLLED | {"bailout": result}), becomes=becomes, disembarks=out
        )
        if not now.keep and item.first and self.outcome:
            told["outcome"] = NONE

        def story() -> tuple[Line]:
            return (
                Line(
                    f"{item.label} bail-out", roll, result=readings.get_escape_number("passengers")
                ),
            )

        return self._build_ruling(now._replace(owes=HERE, keep=""), told, story)

    def _morale(self, now: Attack, roll: Roll) -> Ruling[Attack]:
        """2d6 at or under morale, or a passenger is shaken. Source: PAC 09 (15.4)."""
        item = self.items[now.at]
        total = sum(roll)
        passes = total <= item.morale
        told = item.build_outputs(
            unit=item.unit.word,
            **UNCHECKED,
            bailout=NONE,
            mc="pass" if passes else "fail",
            mc_total=total,
            hero=False,
            becomes=item.state if passes else self.readings.get_shaken_state(item.row, item.state),
            disembarks=item.fates[now.row] == "disembark-morale-check",
        )
        if item.first and self.outcome:
            told["outcome"] = NONE

        def story() -> tuple[Line]:
            return (
                Line(
                    f"{item.label} morale", roll, (), total, compare_with_morale(total, item.morale)
                ),
            )

        return self._build_ruling(now._replace(owes=HERE), told, story)

    # -- what follows is for the odds; the rules end here ------------------------------------------------------

    def split_parts(self, now: Attack) -> IndependentParts[Attack] | None:
        """The men of a list who know nothing of each other once the attack is rolled, each a part
        of its own.

        They go as far as to a leader, who may help those after. Passengers and their vehicle are
        not told apart.
        """
        items = self.items
        end = now.at
        if now.owes != "check" or items[end].stop - end < MANY:
            return None
        stop = items[end].stop
        while end < stop and not (end > now.at and items[end - 1].helps):
            if items[end].kind != "leg":
                return None
            end += 1
        each = [self._build_part(now, at) for at in range(now.at, end)]

        def rule_after(helped: bool) -> Ruling[Attack]:
            if end == stop:
                return Ruling(self.finish(now._replace(owes=None, at=stop, lm=0)))
            lm = max(now.lm, items[end - 1].helps) if helped else now.lm
            return Ruling(*self.begin(now._replace(owes=None, at=end, lm=lm)))

        return IndependentParts(each, {"helped": or_}, rule_after, {"helped": ()})

    def _build_part(self, now: Attack, at: int) -> IndependentPart[Attack]:
        """One of them; it also tells whether it comes through as a leader who helps more than
        the one before.
        """
        item = self.items[at]
        lends = self.items[at].helps > now.lm

        def plan() -> Plan[Attack]:
            alone = DamageChecks(
                self.readings,
                [item._replace(stop=1)],
                only_hit=self.only_hit,
                crew_of_all=self.crew_of_all,
                outcome=self.outcome,
                also=lambda _, left: {"helped": lends and left in ABLE},
            )
            start, told = alone.begin(now._replace(owes=None, at=0))
            return Plan(start, alone.steps(), resolve_never, told, lambda _: {"helped": False})

        shift = now.margin + item.offset
        looks = (
            item.column,
            item.row,
            item.state,
            item.morale,
            item.hero,
            shift - now.lm,
            shift > 0,
            lends,
        )
        heads = (item.path, "outcome") if item.first and self.outcome else (item.path,)
        return IndependentPart(heads, plan, looks, item.build_outputs(unit=item.unit.word))


def describe_crew_fate(fate: str) -> str:
    """What became of a vehicle's crew, as players say it."""
    return "shaken and moved" if fate == "shaken-moved" else fate


def describe_result(result: str) -> str:
    """A result as players say it: none is no effect."""
    return "no effect" if result == NONE else result
