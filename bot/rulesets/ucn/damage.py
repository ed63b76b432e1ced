"""Damage to others in an area of effect: character by character a save and the damage dice; each
element takes its worst status.

Source: Infantry Combat, Area of Effect, Save, Damage, Status Damage.
"""

from collections.abc import Callable, Mapping
from operator import add
from typing import Any, NamedTuple

from bot.rules.dice import Die
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    IndependentPart,
    IndependentParts,
    Line,
    OddsRow,
    Outputs,
    Plan,
    Resolution,
    Roll,
    RuledStep,
    Ruling,
    UnitResult,
    build_row,
    resolve_never,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rules.text.names import number_repeated
from bot.rulesets.ucn import shooters
from bot.rulesets.ucn.shooters import STATUSES, Damage, Saves, d20


class ElementLoss(NamedTuple):
    """The losses of one element so far; `worst` is a place in the list of statuses."""

    saved: int = 0
    casualties: int = 0
    worst: int = 0


class AreaState(NamedTuple):
    """The roll that is due, for which character, and the losses of each element."""

    owes: str | None
    at: int
    losses: tuple[ElementLoss, ...]


class AreaVictim(NamedTuple):
    """A character in the area: the element by its place in the list, and by name."""

    element: int
    name: str


class AreaDamage:
    """The rolls for the elements in an area; `hits` are how many each of them takes."""

    def __init__(
        self, names: tuple[str, ...], hits: tuple[int, ...], damage: Damage, saves: Saves | None
    ) -> None:
        self.names = names
        self.hits = hits
        self.damage = damage
        self.saves = saves
        self.victims = tuple(
            [
                AreaVictim(element, name)
                for element, name in enumerate(names)
                for _ in range(hits[element])
            ]
        )

    def plan(self, settle: Callable[[Mapping[str, Any]], Resolution]) -> Plan[AreaState]:
        """Return the plan of the damage as it is played."""
        opening: dict[str, Any] = {"targets": []}
        for element, name in enumerate(self.names):
            opening[f"targets[{element}].unit"] = name
            opening[f"targets[{element}].hits"] = self.hits[element]
        start = self.turn(0, (ElementLoss(),) * len(self.names))
        return Plan(
            start,
            self.steps(),
            settle,
            opening,
            self.closing,
            rows=self.rows(),
            apart=self.split_parts,
        )

    def steps(self) -> dict[str, RuledStep[AreaState]]:
        """Return the rolls that a character may owe."""
        dice = self.damage.dice
        return {
            "save": ruled(lambda burst: self.dice(burst, "save"), self.save),
            "damage": ruled(lambda burst: self.dice(burst, "damage") * dice, self.roll_damage),
        }

    def dice(self, burst: AreaState, label: str) -> tuple[Die, ...]:
        """Return a die of the character whose roll is due."""
        return d20(f"{self.victims[burst.at].name} {label}")

    def turn(self, at: int, losses: tuple[ElementLoss, ...]) -> AreaState:
        """Return the state in which the character at this place owes its first roll."""
        if at >= len(self.victims):
            return AreaState(None, at, losses)
        return AreaState("damage" if self.saves is None else "save", at, losses)

    def save(self, burst: AreaState, roll: Roll) -> Ruling[AreaState]:
        """Rule on a save: who is saved takes no damage."""
        assert self.saves is not None
        victim = self.victims[burst.at]
        is_saved = self.saves[roll[0] - 1] == shooters.SAVED
        if is_saved:
            after = self._advance(burst, ElementLoss(saved=1))
        else:
            after = burst._replace(owes="damage")
        needed = f"{self.saves.count(shooters.SAVED)} or less needed"
        line = Line(f"{victim.name} save", roll, result=needed)
        return Ruling(after, {}, lambda: (line,))

    def roll_damage(self, burst: AreaState, roll: Roll) -> Ruling[AreaState]:
        """Rule on damage dice: each is read by itself, and the element takes the worst status."""
        victim = self.victims[burst.at]
        bonus = self.damage.bonus
        loss = ElementLoss(casualties=self.damage.casualties(roll), worst=self.damage.worst(roll))
        parts = (("each" if len(roll) > 1 else "damage", bonus),) if bonus else ()
        line = Line(f"{victim.name} damage", roll, parts)
        return Ruling(self._advance(burst, loss), {}, lambda: (line,))

    def _advance(self, burst: AreaState, loss: ElementLoss) -> AreaState:
        element = self.victims[burst.at].element
        before = burst.losses[element]
        total = ElementLoss(
            before.saved + loss.saved,
            before.casualties + loss.casualties,
            max(before.worst, loss.worst),
        )
        losses = (*burst.losses[:element], total, *burst.losses[element + 1 :])
        return self.turn(burst.at + 1, losses)

    def closing(self, burst: AreaState) -> Outputs:
        """Return the outputs that are known at the end."""
        outputs: dict[str, Any] = {}
        for element, loss in enumerate(burst.losses):
            path = f"targets[{element}]"
            outputs[f"{path}.saved"] = loss.saved
            outputs[f"{path}.casualties"] = loss.casualties
            outputs[f"{path}.status"] = STATUSES[loss.worst]
        outputs["casualties"] = sum([loss.casualties for loss in burst.losses])
        return outputs

    def rows(self) -> tuple[OddsRow, ...]:
        """Return the elements as the odds show them."""
        return tuple(
            [
                build_row(f"targets[{element}].status", name)
                for element, name in enumerate(self.names)
            ]
        )

    # -- for the odds: no element knows anything of another one

    def split_parts(self, burst: AreaState) -> IndependentParts[AreaState] | None:
        """Return the elements as parts whose odds can be worked out separately."""
        if burst.at or (burst.owes == "damage" and self.saves is not None) or len(self.names) < 2:
            return None
        return IndependentParts(
            [self._build_part(element) for element in range(len(self.names))], {"casualties": add}
        )

    def _build_part(self, element: int) -> IndependentPart[AreaState]:
        name = self.names[element]
        hits = self.hits[element]

        def plan() -> Plan[AreaState]:
            alone = AreaDamage((name,), (hits,), self.damage, self.saves)
            return alone.plan(resolve_never)._replace(
                opening={}, closing=lambda burst: self._move_outputs(alone.closing(burst), element)
            )

        known = {f"targets[{element}].unit": name, f"targets[{element}].hits": hits}
        return IndependentPart((f"targets[{element}]",), plan, (element, hits), known)

    @staticmethod
    def _move_outputs(outputs: Outputs, element: int) -> Outputs:
        return {
            path.replace("targets[0]", f"targets[{element}]"): outputs[path] for path in outputs
        }


def plan(tables: Tables, given: Given) -> Plan[AreaState]:
    """Return the damage that others in the area of effect take."""
    units = given.units("targets")
    weapon = shooters.find_weapon(tables, given.word("weapon"))
    damage = shooters.read_damage(tables, weapon, given.int("over"))
    saves = shooters.read_saves(tables, weapon) if given.flag("saves") else None
    names = number_repeated([unit.word for unit in units])
    hits = tuple([given.int("hits") * int(unit.numbers.get("characters") or 1) for unit in units])

    def resolve(outputs: Mapping[str, Any]) -> Resolution:
        return _resolve(units, names, outputs)

    return AreaDamage(names, hits, damage, saves).plan(resolve)


def _resolve(
    units: tuple[Unit, ...], names: tuple[str, ...], outputs: Mapping[str, Any]
) -> Resolution:
    if not units:
        return Resolution("nobody else is in the area")
    fates: list[UnitResult] = []
    changes: list[Change] = []
    for unit, name, told in zip(units, names, outputs["targets"], strict=True):
        lost = told["casualties"]
        members = unit.numbers.get("members")
        if members is not None:
            lost = min(lost, int(members))
        status = str(told["status"])
        fates.append(UnitResult(name, status, shooters.format_loss(lost, members)))
        changes += shooters.build_changes(unit if unit.name else None, lost, status)
    casualties = outputs["casualties"]
    headline = shooters.format_casualties(casualties) if casualties else "no casualties"
    results = zip(names, [str(told["status"]) for told in outputs["targets"]], strict=True)
    return Resolution(headline, tuple(results), changes=tuple(changes), fates=tuple(fates))
