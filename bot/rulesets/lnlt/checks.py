"""Damage checks, bail-outs and the fate of passengers, for the list of units of any attack.

A sequence that hits a list starts the checks with `DamageChecks.begin` or `rule_on_attack`. They run
unit by unit; after the last unit the `finish` function of the sequence returns the next state.

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
ABLE_STATES = ("good-order", "wounded")  # of a leader who can help
MIN_SPLIT_SIZE = 5  # from so many units on foot on, odds are quicker in independent parts
UNCHECKED = {"roll": NONE, "dc_total": NONE, "result": NONE}
"""Outputs of a unit that makes no damage check."""
NOT_ROLLED = {"bailout": NONE, "mc": NONE, "mc_total": NONE}
"""Outputs of a passenger who makes neither a bail-out roll nor a morale check. Only passengers have
them.
"""
UNIT_DONE = ""
"""The value of `next_step` if the current unit has no more rolls, so that the next unit is due."""


class DamageChecks:
    """The rolls that a list of hit units has to make, and their effects.

    Steps pass on a state (`Attack`) with the index of the current unit. Units that roll nothing are
    skipped; their outputs are set at once.
    """

    def __init__(
        self,
        readings: Readings,
        items: Sequence[Item],
        *,
        finish: Callable[[Attack], Attack] = end_attack,
        only_hit: bool = False,
        crew_of_all: bool = False,
        has_outcome: bool = True,
        skips_crashed: bool = False,
        build_extra_outputs: Callable[[int, str], Outputs] | None = None,
    ) -> None:
        """Create the damage checks of `items`.

        - `finish`: returns the state after the last unit of a hex.
        - `only_hit`: units with a dc_mod of 0 or less are not hit.
        - `crew_of_all`: every unit has the output crew, not only vehicles.
        - `has_outcome`: the result of the first item is also the output outcome.
        - `skips_crashed`: those aboard a destroyed aircraft have no outputs; otherwise they have
          outputs without rolls.
        - `build_extra_outputs`: returns further outputs for the index of a unit and the state that
          its check leaves it in.
        """
        self.readings = readings
        self.items = tuple(items)
        self.finish = finish
        self.only_hit = only_hit
        self.crew_of_all = crew_of_all
        self.has_outcome = has_outcome
        self.skips_crashed = skips_crashed
        self.build_extra_outputs = build_extra_outputs

    def steps(self) -> dict[str, Step[Attack]]:
        """Return the steps check, hero, crew, bail and morale, for the plan of a sequence."""
        return {
            "check": ruled(self._build_dice("damage check"), self._rule_on_check),
            "hero": ruled(self._build_dice("hero creation"), self._rule_on_hero),
            "crew": ruled(self._build_dice("bail-out crew of"), self._rule_on_crew),
            "bail": ruled(self._build_dice("bail-out"), self._rule_on_bail_out),
            "morale": ruled(self._build_dice("morale check", 2), self._rule_on_morale),
        }

    def _build_dice(self, label: str, count: int = 1) -> Callable[[Attack], tuple[Die, ...]]:
        """Return a function that returns `count` d6 labelled with `label` and the current unit."""
        return lambda state: (d6(f"{label} {self.items[state.unit_index].unit.word}"),) * count

    def rule_on_attack(
        self,
        sums: Opposed,
        roll: Roll,
        *,
        flammable: bool,
        hit: str = "hit",
        unit_index: int = 0,
        lm: int = 0,
    ) -> Ruling[Attack]:
        """Return the ruling on the attack roll against all units of the list together.

        If the attack is higher and there are units, damage checks follow from `unit_index` on;
        otherwise the sequence goes on with `finish`. `hit` is the name of the output for a hit.
        `lm` is the LM that helps the units from the start. In a `flammable` hex a natural 6 of an
        attack die requires a fire check.
        """
        natural_six = flammable and 6 in roll[:-1]
        outputs = sums.build_outputs(roll, hit)
        margin = outputs["dc_mod"]
        attack = Attack(None, margin, unit_index, lm, natural_six=natural_six)
        if margin > 0 and self.items:
            next_state, more_outputs = self.begin(attack)
            outputs |= more_outputs
        else:
            next_state = self.finish(attack)
            outputs["outcome"] = "damage-check" if margin > 0 else NONE
        if flammable and not natural_six:
            outputs["fire_check"] = NONE
        return Ruling(next_state, outputs, lambda: sums.build_lines(roll))

    def begin(self, state: Attack) -> tuple[Attack, dict[str, Any]]:
        """Return the state that owes the first roll of the units from `state.unit_index` on.

        Also return the outputs of the units before that roll, which roll nothing.
        """
        outputs: dict[str, Any] = {}
        if state.unit_index >= len(self.items):
            return self.finish(state), outputs
        return self._skip_to_next_roll(state, outputs), outputs

    def _skip_to_next_roll(self, state: Attack, outputs: dict[str, Any]) -> Attack:
        """Return the state that owes the next roll of the units from `state.unit_index` on.

        If no unit of this hex rolls any more, return what `finish` returns. Add the outputs of the
        skipped units to `outputs`.
        """
        index = state.unit_index
        row = state.row
        stop = self.items[index].stop
        while index < stop:
            item = self.items[index]
            needed_roll = self._get_needed_roll(item, state.margin, row)
            if needed_roll is not None:
                return state._replace(next_step=needed_roll, unit_index=index, row=row)
            if item.kind == "vehicle":
                row = NONE
            is_crashed = item.kind == "passenger" and row == "crash"
            if not (self.skips_crashed and is_crashed):
                self._add_outputs_without_roll(item, row, outputs)
            index += 1
        return self._finish(state, stop)

    def _finish(self, state: Attack, unit_index: int) -> Attack:
        """Return the state after the hex that ends before `unit_index`."""
        cleared = state._replace(
            next_step=UNIT_DONE, unit_index=unit_index, lm=0, row="", kept_state="", location=""
        )
        return self.finish(cleared)

    def _get_needed_roll(self, item: Item, margin: int, row: str) -> str | None:
        """Return the step of the first roll that the unit has to make, or None.

        `row` is the result on the vehicle of a passenger.
        """
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

    def _add_outputs_without_roll(self, item: Item, row: str, outputs: dict[str, Any]) -> None:
        """Add the outputs of a unit that rolls nothing; `row` is the result on its vehicle."""
        rides = item.kind == "passenger"
        is_eliminated = rides and item.fates.get(row) == "eliminated"
        becomes = "eliminated" if is_eliminated else item.state
        outputs |= item.build_outputs(unit=item.unit.word, **UNCHECKED, hero=False, becomes=becomes)
        if rides:
            outputs |= item.build_outputs(**NOT_ROLLED, disembarks=False)
        elif item.kind == "vehicle" or self.crew_of_all:
            outputs |= item.build_outputs(crew=NONE)
        if item.is_first and self.has_outcome:
            outputs["outcome"] = NONE

    def _build_ruling(
        self, state: Attack, outputs: dict[str, Any], build_lines: Callable[[], tuple[Line]]
    ) -> Ruling[Attack]:
        """Return the ruling on a roll of the current unit.

        If the unit is done, go on to the next roll and add the outputs of the units before it.
        """
        item = self.items[state.unit_index]
        next_index = state.unit_index + 1
        if state.next_step == UNIT_DONE and next_index < item.stop:
            lm = state.lm if item.precedes_leg else 0
            next_unit = state._replace(unit_index=next_index, lm=lm)
            state = self._skip_to_next_roll(next_unit, outputs)
        elif state.next_step == UNIT_DONE:
            state = self._finish(state, next_index)
        return Ruling(state, outputs, build_lines)

    # -- the rules of each roll -------------------------------------------------------------------------------

    def _rule_on_check(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on a damage check: 1d6 + dc_mod - leader against morale.

        A natural 1 of a squad or half-squad can create a hero. Source: PAC 02 (5.0, 11.2).
        """
        item = self.items[state.unit_index]
        readings = self.readings
        die = roll[0]
        dc_mod = state.margin + item.offset
        leader = state.lm if item.kind == "leg" else 0
        total = die + dc_mod - leader
        total_on_card = max(-20, min(99, total))
        result = readings.result(item.column, item.morale, total_on_card)
        becomes = readings.becomes(item.row, item.state, result)
        outputs = item.build_outputs(unit=item.unit.word, roll=die, dc_total=total, result=result)
        next_state = self._apply_consequences(item, state, result, becomes, outputs)
        if not next_state.kept_state:
            outputs |= item.build_outputs(becomes=becomes)
        if die == 1 and item.can_create_hero:
            next_state = next_state._replace(next_step="hero")
        else:
            outputs |= item.build_outputs(hero=False)
        if item.is_first and self.has_outcome:
            outputs["outcome"] = result

        def build_lines() -> tuple[Line]:
            parts = build_bare_part(dc_mod)
            if leader:
                parts = (*parts, ("leader", -leader))
            reason = compare_with_morale(total, item.morale, damage=True)
            was_shaken = "shaken" in item.state and total < 2 * item.morale
            reason += explain_further_loss(item.unit, result, becomes, was_shaken=was_shaken)
            return (Line(item.label, roll, parts, total, reason),)

        ruling = self._build_ruling(next_state, outputs, build_lines)
        if self.build_extra_outputs is not None:
            outputs |= self.build_extra_outputs(state.unit_index, becomes)
        return ruling

    def _apply_consequences(
        self, item: Item, state: Attack, result: str, becomes: str, outputs: dict[str, Any]
    ) -> Attack:
        """Return the state after a damage check with this result; add outputs that it decides.

        `becomes` is the state of the unit after the check. Source: PAC 02, 09 (15.4).
        """
        if item.kind == "leg":
            return self._apply_to_leg(item, state, becomes, outputs)
        if item.kind == "passenger":
            return self._apply_to_passenger(item, state, becomes, outputs)
        return self._apply_to_vehicle(item, state, result, becomes, outputs)

    def _apply_to_leg(
        self, item: Item, state: Attack, becomes: str, outputs: dict[str, Any]
    ) -> Attack:
        """Return the state after the check of a unit on foot.

        A leader who passed raises the LM for those who follow.
        """
        if self.crew_of_all:
            outputs |= item.build_outputs(crew=NONE)
        leader_bonus = item.leader_bonus if becomes in ABLE_STATES else 0
        return state._replace(next_step=UNIT_DONE, lm=max(state.lm, leader_bonus))

    def _apply_to_passenger(
        self, item: Item, state: Attack, becomes: str, outputs: dict[str, Any]
    ) -> Attack:
        """Return the state after a passenger's check: it owes a bail-out roll if they must bail out
        and are alive. Otherwise those outside who are shaken disembark.
        """
        must_bail_out = item.fates[state.row] == "damage-check-then-bail-out"
        if must_bail_out and becomes != "eliminated":
            return state._replace(next_step="bail", kept_state=becomes)
        disembarks = "outside" in item.unit.flags and becomes in kinds.SHAKEN_STATES
        outputs |= item.build_outputs(**NOT_ROLLED, disembarks=disembarks)
        return state._replace(next_step=UNIT_DONE)

    def _apply_to_vehicle(
        self, item: Item, state: Attack, result: str, becomes: str, outputs: dict[str, Any]
    ) -> Attack:
        """Return the state after a vehicle's check, with the row by which its passengers read it.

        It owes the roll of the crew if the vehicle is destroyed; a helicopter crashes instead.
        """
        if becomes in ("abandoned", "destroyed"):
            row = becomes
        else:
            row = NONE if result == NONE else "shaken"
        if row == "destroyed" and not item.is_flying:
            return state._replace(next_step="crew", row=row)
        crew = "shaken-moved" if becomes == "abandoned" else NONE
        outputs |= item.build_outputs(crew=crew)
        if row == "destroyed":
            row = "crash"
        return state._replace(next_step=UNIT_DONE, row=row)

    def _rule_on_hero(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on the 1d6 that decides if a hero appears. Source: PAC 02 (11.2)."""
        item = self.items[state.unit_index]
        has_hero = self.readings.hero
        next_state = state._replace(next_step="bail" if state.kept_state else UNIT_DONE)
        outputs = item.build_outputs(hero=has_hero(roll[0]))

        def build_lines() -> tuple[Line]:
            needed_faces = format_needed_faces(has_hero)
            return (Line(f"{item.label} hero check", roll, result=needed_faces),)

        return self._build_ruling(next_state, outputs, build_lines)

    def _rule_on_crew(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on the 1d6 that gets the crew out of a destroyed vehicle. Source: PAC 09 (15.4)."""
        item = self.items[state.unit_index]
        readings = self.readings
        outputs = item.build_outputs(crew=readings.bail_out("crew", roll[0]))

        def build_lines() -> tuple[Line]:
            needed_roll = readings.format_escape_roll("crew")
            return (Line(f"{item.label} crew", roll, result=needed_roll),)

        return self._build_ruling(state._replace(next_step=UNIT_DONE), outputs, build_lines)

    def _rule_on_bail_out(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on the 1d6 that gets a passenger out of a destroyed vehicle, shaken.

        Source: PAC 09 (15.4).
        """
        item = self.items[state.unit_index]
        readings = self.readings
        result = readings.bail_out("passengers", roll[0])
        escapes = result != "eliminated"
        has_checked = bool(state.kept_state)
        becomes = "eliminated"
        if escapes:
            becomes = readings.get_shaken_state(item.row, state.kept_state or item.state)
        outputs: dict[str, Any] = {}
        if not has_checked:
            outputs = item.build_outputs(unit=item.unit.word, **UNCHECKED, hero=False)
        rolled = NOT_ROLLED | {"bailout": result}
        outputs |= item.build_outputs(**rolled, becomes=becomes, disembarks=escapes)
        if item.is_first and self.has_outcome and not has_checked:
            outputs["outcome"] = NONE

        def build_lines() -> tuple[Line]:
            needed_roll = readings.format_escape_roll("passengers")
            return (Line(f"{item.label} bail-out", roll, result=needed_roll),)

        next_state = state._replace(next_step=UNIT_DONE, kept_state="")
        return self._build_ruling(next_state, outputs, build_lines)

    def _rule_on_morale(self, state: Attack, roll: Roll) -> Ruling[Attack]:
        """Rule on a passenger's morale check: 2d6 over morale shakes them. Source: PAC 09 (15.4)."""
        item = self.items[state.unit_index]
        total = sum(roll)
        passes = total <= item.morale
        becomes = item.state
        if not passes:
            becomes = self.readings.get_shaken_state(item.row, item.state)
        outputs = item.build_outputs(
            unit=item.unit.word,
            **UNCHECKED,
            bailout=NONE,
            mc="pass" if passes else "fail",
            mc_total=total,
            hero=False,
            becomes=becomes,
            disembarks=item.fates[state.row] == "disembark-morale-check",
        )
        if item.is_first and self.has_outcome:
            outputs["outcome"] = NONE

        def build_lines() -> tuple[Line]:
            reason = compare_with_morale(total, item.morale)
            return (Line(f"{item.label} morale", roll, (), total, reason),)

        return self._build_ruling(state._replace(next_step=UNIT_DONE), outputs, build_lines)

    # -- only for the odds; the rules end above ----------------------------------------------------------------

    def split_parts(self, state: Attack) -> IndependentParts[Attack] | None:
        """Return the damage checks of men on foot as independent parts, or None.

        The checks do not depend on each other up to the next leader, who can help those who follow;
        so the parts end there. None if no damage check is due, fewer than `MIN_SPLIT_SIZE` units
        of the hex are left, or a unit up to that leader is not on foot.
        """
        items = self.items
        start = state.unit_index
        if state.next_step != "check" or items[start].stop - start < MIN_SPLIT_SIZE:
            return None
        stop = items[start].stop
        parts_stop = self._find_parts_stop(start, stop)
        if parts_stop is None:
            return None
        parts = [self._build_part(state, index) for index in range(start, parts_stop)]

        def rule_after(helped: bool) -> Ruling[Attack]:
            if parts_stop == stop:
                return Ruling(self.finish(state._replace(next_step=None, unit_index=stop, lm=0)))
            lm = state.lm
            if helped:
                lm = max(lm, items[parts_stop - 1].leader_bonus)
            next_state, outputs = self.begin(
                state._replace(next_step=None, unit_index=parts_stop, lm=lm)
            )
            return Ruling(next_state, outputs)

        return IndependentParts(parts, {"helped": or_}, rule_after, {"helped": ()})

    def _find_parts_stop(self, start: int, stop: int) -> int | None:
        """Return the index after the first leader with an LM from `start` on, or `stop`.

        Return None if a unit before that index is not on foot.
        """
        for index in range(start, stop):
            item = self.items[index]
            if item.kind != "leg":
                return None
            if item.leader_bonus:
                return index + 1
        return stop

    def _build_part(self, state: Attack, index: int) -> IndependentPart[Attack]:
        """Return the damage check of one unit as an independent part.

        Its total `helped` is true if the unit is a leader who passes, with a higher LM than the
        current one.
        """
        item = self.items[index]
        may_help = item.leader_bonus > state.lm

        def plan() -> Plan[Attack]:
            checks = DamageChecks(
                self.readings,
                [item._replace(stop=1)],
                only_hit=self.only_hit,
                crew_of_all=self.crew_of_all,
                has_outcome=self.has_outcome,
                build_extra_outputs=lambda _, becomes: {
                    "helped": may_help and becomes in ABLE_STATES
                },
            )
            start, outputs = checks.begin(state._replace(next_step=None, unit_index=0))
            return Plan(start, checks.steps(), resolve_never, outputs, lambda _: {"helped": False})

        dc_mod = state.margin + item.offset
        key = (
            item.column,
            item.row,
            item.state,
            item.morale,
            item.can_create_hero,
            dc_mod - state.lm,
            dc_mod > 0,
            may_help,
        )
        prefixes: tuple[str, ...] = (item.path,)
        if item.is_first and self.has_outcome:
            prefixes = (item.path, "outcome")
        return IndependentPart(prefixes, plan, key, item.build_outputs(unit=item.unit.word))


def describe_crew_fate(fate: str) -> str:
    """Return the fate of a vehicle's crew in the words of the answer."""
    return "shaken and moved" if fate == "shaken-moved" else fate


def describe_result(result: str) -> str:
    """Return a result in the words of the answer: `no effect` for none."""
    return "no effect" if result == NONE else result
