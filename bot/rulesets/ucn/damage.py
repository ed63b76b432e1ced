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
    """The losses of one element so far; `worst` is an index in the list of statuses."""

    saved: int = 0
    casualties: int = 0
    worst: int = 0


class AreaState(NamedTuple):
    """The state: the step that is due, the index of its character, and each element's losses."""

    next_step: str | None
    position: int
    losses: tuple[ElementLoss, ...]


class AreaVictim(NamedTuple):
    """A character in the area: the index of the element in the list, and its name."""

    element: int
    name: str


class AreaDamage:
    """The rolls for the elements in an area, and the rulings on them.

    `hits` is the number of hits on each element. Without `saves` there are no saves.
    """

    def __init__(
        self, names: tuple[str, ...], hits: tuple[int, ...], damage: Damage, saves: Saves | None
    ) -> None:
        self.names = names
        self.hits = hits
        self.damage = damage
        self.saves = saves
        victims: list[AreaVictim] = []
        for element, name in enumerate(names):
            victims += [AreaVictim(element, name)] * hits[element]
        self.victims = tuple(victims)

    def plan(self, resolve: Callable[[Mapping[str, Any]], Resolution]) -> Plan[AreaState]:
        """Return the plan of the damage; `resolve` returns its result from the outputs."""
        opening: dict[str, Any] = {"targets": []}
        for element, name in enumerate(self.names):
            opening[f"targets[{element}].unit"] = name
            opening[f"targets[{element}].hits"] = self.hits[element]
        start = self.turn(0, (ElementLoss(),) * len(self.names))
        return Plan(
            start,
            self.steps(),
            resolve,
            opening,
            self.closing,
            odds_rows=self.rows(),
            find_independent_parts=self.split_parts,
        )

    def steps(self) -> dict[str, RuledStep[AreaState]]:
        """Return the steps of the damage by name."""
        dice = self.damage.dice
        return {
            "save": ruled(lambda burst: self.dice(burst, "save"), self.save),
            "damage": ruled(lambda burst: self.dice(burst, "damage") * dice, self.roll_damage),
        }

    def dice(self, burst: AreaState, label: str) -> tuple[Die, ...]:
        """Return a d20 of the character whose roll is due."""
        return d20(f"{self.victims[burst.position].name} {label}")

    def turn(self, position: int, losses: tuple[ElementLoss, ...]) -> AreaState:
        """Return the state in which the character at this index owes its first roll.

        After the last character the damage ends.
        """
        if position >= len(self.victims):
            return AreaState(None, position, losses)
        return AreaState("damage" if self.saves is None else "save", position, losses)

    def save(self, burst: AreaState, roll: Roll) -> Ruling[AreaState]:
        """Rule on a save: a character who is saved takes no damage."""
        assert self.saves is not None
        victim = self.victims[burst.position]
        is_saved = self.saves[roll[0] - 1] == shooters.SAVED
        if is_saved:
            next_state = self._advance(burst, ElementLoss(saved=1))
        else:
            next_state = burst._replace(next_step="damage")
        needed = f"{self.saves.count(shooters.SAVED)} or less needed"
        line = Line(f"{victim.name} save", roll, result=needed)
        return Ruling(next_state, {}, lambda: (line,))

    def roll_damage(self, burst: AreaState, roll: Roll) -> Ruling[AreaState]:
        """Rule on damage dice: each is read by itself, and the element takes the worst status."""
        victim = self.victims[burst.position]
        bonus = self.damage.bonus
        loss = ElementLoss(casualties=self.damage.casualties(roll), worst=self.damage.worst(roll))
        parts = (("each" if len(roll) > 1 else "damage", bonus),) if bonus else ()
        line = Line(f"{victim.name} damage", roll, parts)
        return Ruling(self._advance(burst, loss), {}, lambda: (line,))

    def _advance(self, burst: AreaState, loss: ElementLoss) -> AreaState:
        """Return the state of the next character, with the loss added to the current element."""
        element = self.victims[burst.position].element
        previous = burst.losses[element]
        total = ElementLoss(
            previous.saved + loss.saved,
            previous.casualties + loss.casualties,
            max(previous.worst, loss.worst),
        )
        losses = (*burst.losses[:element], total, *burst.losses[element + 1 :])
        return self.turn(burst.position + 1, losses)

    def closing(self, burst: AreaState) -> Outputs:
        """Return the outputs at the end: the losses of each element, and all casualties."""
        outputs: dict[str, Any] = {}
        for element, loss in enumerate(burst.losses):
            path = f"targets[{element}]"
            outputs[f"{path}.saved"] = loss.saved
            outputs[f"{path}.casualties"] = loss.casualties
            outputs[f"{path}.status"] = STATUSES[loss.worst]
        outputs["casualties"] = sum([loss.casualties for loss in burst.losses])
        return outputs

    def rows(self) -> tuple[OddsRow, ...]:
        """Return an odds row for each element."""
        return tuple(
            [
                build_row(f"targets[{element}].status", name)
                for element, name in enumerate(self.names)
            ]
        )

    # -- for the odds: the elements do not affect one another

    def split_parts(self, burst: AreaState) -> IndependentParts[AreaState] | None:
        """Return the elements as parts whose odds can be worked out separately.

        None for a single element, or if a die has been rolled.
        """
        is_after_save = burst.next_step == "damage" and self.saves is not None
        if burst.position or is_after_save or len(self.names) < 2:
            return None
        parts = [self._build_part(element) for element in range(len(self.names))]
        return IndependentParts(parts, {"casualties": add})

    def _build_part(self, element: int) -> IndependentPart[AreaState]:
        name = self.names[element]
        hits = self.hits[element]

        def plan() -> Plan[AreaState]:
            alone = AreaDamage((name,), (hits,), self.damage, self.saves)
            return alone.plan(resolve_never)._replace(
                opening={}, closing=lambda burst: self._move_outputs(alone.closing(burst), element)
            )

        path = f"targets[{element}]"
        facts = {f"{path}.unit": name, f"{path}.hits": hits}
        return IndependentPart((path,), plan, (element, hits), facts)

    @staticmethod
    def _move_outputs(outputs: Outputs, element: int) -> Outputs:
        """Return the outputs of the first element at the paths of another one."""
        return {
            path.replace("targets[0]", f"targets[{element}]"): outputs[path] for path in outputs
        }


def plan(tables: Tables, inputs: Given) -> Plan[AreaState]:
    """Return the plan for the damage to others in the area of effect."""
    units = inputs.units("targets")
    weapon = shooters.find_weapon(tables, inputs.word("weapon"))
    damage = shooters.read_damage(tables, weapon, inputs.int("over"))
    saves = shooters.read_saves(tables, weapon) if inputs.flag("saves") else None
    names = number_repeated([unit.word for unit in units])
    hits = tuple([inputs.int("hits") * int(unit.numbers.get("characters") or 1) for unit in units])

    def resolve(outputs: Mapping[str, Any]) -> Resolution:
        return _resolve(units, names, outputs)

    return AreaDamage(names, hits, damage, saves).plan(resolve)


def _resolve(
    units: tuple[Unit, ...], names: tuple[str, ...], outputs: Mapping[str, Any]
) -> Resolution:
    """Return the status and losses of each element, with the roster changes."""
    if not units:
        return Resolution("nobody else is in the area")
    unit_results: list[UnitResult] = []
    words: list[tuple[str, str]] = []
    changes: list[Change] = []
    for unit, name, element in zip(units, names, outputs["targets"], strict=True):
        lost = element["casualties"]
        members = unit.numbers.get("members")
        if members is not None:
            lost = min(lost, int(members))
        status = str(element["status"])
        unit_results.append(UnitResult(name, status, shooters.format_loss(lost, members)))
        words.append((name, status))
        changes += shooters.build_changes(unit if unit.name else None, lost, status)
    casualties = outputs["casualties"]
    headline = shooters.format_casualties(casualties) if casualties else "no casualties"
    return Resolution(
        headline, tuple(words), changes=tuple(changes), unit_results=tuple(unit_results)
    )
