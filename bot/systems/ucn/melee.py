"""Hand to hand: each character of both sides rolls 1d20, the side with more successes wins; melee in base contact.

Source: Building Assault and Melee Combat, Assault Modifiers and Melee Combat table.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from operator import add
from typing import Any, NamedTuple

from bot.rules.errors import UserError
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    Fate,
    Line,
    Outputs,
    Part,
    Parts,
    Plan,
    Roll,
    Ruled,
    Ruling,
    Settlement,
    minus,
    parts_of,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.systems.ucn import roster
from bot.systems.ucn.roster import characters, whom
from bot.systems.ucn.skill_check import LAST, Check, check, d20, die_apart, lost_ap, mod_part, sum_line

ROLLS = ("attacker_rolls", "defender_rolls")
EXAMPLES = {"more": (2, 1), "fewer": (1, 2), "equal": (1, 1), "none": (0, 0)}  # successes that stand for each row


class Fight(NamedTuple):
    """Defenders still in the room, and the attackers' successes and natural 1s once they have rolled."""

    owes: str | None
    left: int
    successes: int = 0
    ones: int = 0


class Side(NamedTuple):
    """One side of a melee as it was given: characters, Melee skill, SMGs, and what weighs on it."""

    name: str
    unit: Unit | None
    characters: int
    skill: int
    smgs: int
    suppressed: bool
    hesitant: bool
    mods: tuple[tuple[str, int | float], ...]


def sides(given: Given) -> tuple[Side, Side]:
    """Attacker and defender. Raises UserError for a pinned attacker, nobody left and more SMGs than characters."""
    attacker = given.unit("unit")
    if "attacker_suppressed" not in given.typed:
        roster.refuse_pinned(attacker, "unit", "Add attacker_suppressed=yes to attack all the same, at −6.")
    return _side(given, "attacker", attacker), _side(given, "defender", given.unit("target"))


def _side(given: Given, name: str, unit: Unit | None) -> Side:
    characters, smgs = given.int(f"{name}s"), given.int(f"{name}_smgs")
    if characters < 1:
        raise UserError(f"The {name} has nobody left.", option=f"{name}s", code="nobody")
    if f"{name}_smgs" not in given.typed:  # a roster unit may have lost some of them
        smgs = min(smgs, characters)
    if smgs > characters:
        what = f"{name}_smgs is {smgs}, but the {name} has only {characters} characters."
        raise UserError(what, option=f"{name}_smgs", code="bad-value")
    suppressed, hesitant = f"{name}_suppressed", f"{name}_hesitant"
    return Side(
        name,
        unit,
        characters,
        given.int(f"{name}_skill"),
        smgs,
        given.flag(suppressed) or (suppressed not in given.typed and roster.is_suppressed(unit)),
        given.flag(hesitant) or (hesitant not in given.typed and roster.is_hesitant(unit)),
        mod_part(given, f"{name}_mod"),
    )


def side_check(tables: Tables, side: Side, against: int, *, charging: bool = False) -> Check:
    """The final Melee skill of a side that meets `against` characters."""
    modifiers = tables["assault-modifiers"](
        side=side.name,
        suppressed=side.suppressed,
        hesitant=side.hesitant,
        smgs=side.smgs,
        extra_characters=max(0, side.characters - against),
        charging=charging,
    )
    return check(tables, (("Melee", side.skill), *parts_of(modifiers.parts), *side.mods))


class Combat:
    """The rolls of both sides; `checks` gives both final skills for the defenders who are left.

    `told`: every die is told as well.
    """

    def __init__(
        self, tables: Tables, attackers: int, checks: Callable[[int], tuple[Check, Check]], *, told: bool = False
    ) -> None:
        self.attackers, self.checks, self.told = attackers, checks, told
        self._tables = tables

    def outcome(self, row: str, outnumbered: bool) -> tuple[str, int, int]:
        """How it ends, and what it costs attackers and defenders."""
        more, fewer = EXAMPLES[row]
        read = self._tables["melee-outcome"](
            attacker_successes=more, defender_successes=fewer, defender_outnumbered=outnumbered
        )
        return str(read["outcome"]), int(read["attacker_casualties"]), int(read["defender_casualties"])

    def steps(self) -> dict[str, Ruled[Fight]]:
        """The steps attackers and defenders."""
        return {
            "attackers": ruled(d20("attacker melee") * self.attackers, self.attack),
            "defenders": ruled(lambda fight: d20("defender melee") * fight.left, self.defend),
        }

    def finals(self, left: int) -> dict[str, int]:
        """The final skills of both sides."""
        attacker, defender = self.checks(left)
        return {"attacker_final": attacker.final, "defender_final": defender.final}

    def lines(self, left: int) -> tuple[Line, ...]:
        """How the final skills come about."""
        attacker, defender = self.checks(left)
        return (sum_line(attacker, "attackers"), sum_line(defender, "defenders"))

    def attack(self, fight: Fight, roll: Roll) -> Ruling[Fight]:
        """Every attacker rolls against the final skill."""
        return self._rolled("attacker", self.checks(fight.left)[0], roll, partial(self.attacked, fight))

    def attacked(self, fight: Fight, successes: int, ones: int = 0) -> Ruling[Fight]:
        """The ruling on the dice of the attackers; natural 1s cost the defenders when these have rolled."""
        return Ruling(Fight("defenders", fight.left, successes, ones), {"attacker_successes": successes})

    def defend(self, fight: Fight, roll: Roll) -> Ruling[Fight]:
        """Every defender who is left rolls; more successes win, and each natural 1 costs the other side one more."""
        return self._rolled("defender", self.checks(fight.left)[1], roll, partial(self.defended, fight))

    def defended(self, fight: Fight, successes: int, ones: int = 0) -> Ruling[Fight]:
        """The ruling on the dice of the defenders."""
        outcome, attackers, defenders = self.outcome(_row(fight.successes, successes), fight.left < self.attackers)
        told = {
            "defender_successes": successes,
            "outcome": outcome,
            "attacker_casualties": min(self.attackers, attackers + ones),
            "defender_casualties": min(fight.left, defenders + fight.ones),
        }
        return Ruling(Fight(None, fight.left), told)

    def _rolled(self, side: str, check: Check, roll: Roll, then: Callable[..., Ruling[Fight]]) -> Ruling[Fight]:
        """The ruling of `then` on the dice of one side, of which every one is told where the sequence does so."""
        after, told, _, _ = then(*_successes(check, roll))
        each = {f"{side}_rolls[{at}]": face for at, face in enumerate(roll)} if self.told else {}
        return Ruling(after, {**told, **each}, lambda: [_line(f"{side}s' dice", check, roll)])

    def apart(self, fight: Fight) -> Parts[Fight] | None:
        """For odds: the dice of a side are parts; of its natural 1s only the losses of the other side need to know."""
        attacker, defender = self.checks(fight.left)
        if fight.owes == "attackers":
            return _dice_apart(ROLLS[0], self.attackers, attacker, partial(self.attacked, fight), "defender_casualties")
        if fight.owes == "defenders":
            return _dice_apart(ROLLS[1], fight.left, defender, partial(self.defended, fight), "attacker_casualties")
        return None


def face_apart(path: str, succeeds: Sequence[bool], key: Hashable, says: Sequence[Any] = range(LAST + 1)) -> Part[Any]:
    """For odds: one d20, told at `path` as what each face `says`, whether it `succeeds` and is a natural 1."""

    def tells(face: int) -> Outputs:
        return {path: says[face], "successes": int(succeeds[face]), "ones": int(face == 1)}

    return die_apart(path, tells, key)


def _dice_apart(name: str, count: int, check: Check, then: Callable[..., Ruling[Fight]], costs: str) -> Parts[Fight]:
    each = [face_apart(f"{name}[{at}]", check.passes, check) for at in range(count)]
    return Parts(each, {"successes": add, "ones": add}, then, {"successes": (), "ones": (costs,)})


def _successes(check: Check, roll: Roll) -> tuple[int, int]:
    """Successes and the natural 1s among them."""
    return [check.passes[face] for face in roll].count(True), roll.count(1)


def _row(attacker: int, defender: int) -> str:
    if attacker == defender:
        return "equal" if attacker else "none"
    return "more" if attacker > defender else "fewer"


def _line(label: str, check: Check, roll: Roll) -> Line:
    successes, ones = _successes(check, roll)
    also = f", {ones} natural 1" if ones else ""
    return Line(label, roll, result=f"{successes} of {len(roll)} at {minus(check.final)} or less{also}{lost_ap(roll)}")


def headline(out: Mapping[str, Any]) -> str:
    """The outcome of a melee in a few words."""
    lost = f"attacker loses {out['attacker_casualties']}, defender loses {out['defender_casualties']}"
    return f"{str(out['outcome']).replace('-', ' ')}, {lost}"


def fates(attacker: Side, defender: Side, out: Mapping[str, Any], *, before: int = 0) -> tuple[Fate, ...]:
    """What came of both sides; `before` are the defenders that a grenade took."""
    return (
        _fate(defender, out["defender_casualties"] + before, ("defender-wins",), out["outcome"]),
        _fate(attacker, out["attacker_casualties"], ("attacker-wins", "cleared"), out["outcome"]),
    )


def _fate(side: Side, lost: int, wins: tuple[str, ...], outcome: str) -> Fate:
    unhurt = "deadlock" if outcome == "deadlock" else "unhurt"
    token = ("wins-losing" if lost else "wins") if outcome in wins else "loses" if lost else unhurt
    return Fate(whom(side.unit, f"the {side.name}"), token, characters(lost) if lost else "")


def still_in_combat(out: Mapping[str, Any]) -> tuple[str, ...]:
    """What follows a melee that nobody has won."""
    return ("both stay in combat",) if out["outcome"] in ("deadlock", "no-damage") else ()


# -- melee between two elements in base contact


def plan(tables: Tables, given: Given) -> Plan[Fight]:
    """Melee between attackers and defenders. Source: Melee Combat.

    Raises UserError for more SMGs than characters on a side.
    """
    attacker, defender = sides(given)
    charging = given.flag("charging")

    checks = (
        side_check(tables, attacker, defender.characters, charging=charging),
        side_check(tables, defender, attacker.characters),
    )

    def settle(out: Mapping[str, Any]) -> Settlement:
        changes: list[Change] = []
        units: list[tuple[str, str]] = []
        for side, lost in ((attacker, out["attacker_casualties"]), (defender, out["defender_casualties"])):
            if side.unit is not None:
                changes += roster.change(side.unit, roster.loses(side.unit, lost))
                units.append((side.unit.word, roster.casualties(lost)))
        told = fates(attacker, defender, out)
        still = still_in_combat(out)
        return Settlement(headline(out), tuple(units), (), tuple(changes), told, still)

    fight, left = Combat(tables, attacker.characters, lambda _: checks, told=True), defender.characters
    opening = {**fight.finals(left), "attacker_rolls": [], "defender_rolls": []}
    return Plan(Fight("attackers", left), fight.steps(), settle, opening, lines=fight.lines(left), apart=fight.apart)
