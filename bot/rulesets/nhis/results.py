"""The effects of hits and damage on the units of a hex: damage points that fall at random, morale
checks, shaken units and units that stop.

Shared by fire, morale and damage. Source: Hit, Damaged and Damaged-2/3 paragraphs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bot.rules.dice import Die, d6
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import (
    Change,
    Line,
    OddsRow,
    Outputs,
    Plan,
    Resolution,
    Roll,
    RuledStep,
    Ruling,
    UnitResult,
    ruled,
)
from bot.rules.tables.table import Tables
from bot.rules.text.names import number_repeated

CHECK = "check"
POINT = "point"
KINDS = ("shakeable", "unshakable")
MOST_NAMED = 4  # units that the first line of an answer names one by one


class HexUnderFire(NamedTuple):
    """A hex under fire, part-way through its results. Units are given by their indices.

    - `next_step`: the next step, None at the end.
    - `points`: the damage points that are still to be dealt.
    - `hits`: the points of each unit so far.
    - `candidates`: the units on one of which the next point falls.
    - `queue`: the units that have yet to check morale, in order.
    - `modifier`: the number added to the die of each morale check.
    - `rating`: the best rating of the leaders that are known to be prepared.
    - `no_leadership`: no unit adds the rating of a leader.
    """

    next_step: str | None
    points: int = 0
    hits: tuple[int, ...] = ()
    candidates: tuple[int, ...] = ()
    queue: tuple[int, ...] = ()
    modifier: int = 0
    rating: int = 0
    no_leadership: bool = False


class Results:
    """The effects of a Hit or Damaged result on the units of a hex, step by step."""

    def __init__(
        self,
        tables: Tables,
        units: Sequence[Unit],
        *,
        flamethrower: bool,
        checks: Collection[str] = KINDS,
    ) -> None:
        """Read the units. `checks` are the kinds of units that may need a morale.

        Raises UserError for an unshakable unit that is shaken, and for a missing morale that may be
        needed.
        """
        self._tables = tables
        self._flamethrower = flamethrower
        self.targets = [_read_target(unit, checks) for unit in units]
        self.names = number_repeated([unit.word for unit in units])

    def steps(self) -> dict[str, RuledStep[HexUnderFire]]:
        """Return the steps point and check, for the plan of a sequence."""
        return {
            POINT: ruled(
                lambda state: (Die("damage point", len(state.candidates)),), self._rule_on_point
            ),
            CHECK: ruled(
                lambda state: (d6(f"morale check {self.names[state.queue[0]]}"),),
                self._rule_on_check,
            ),
        }

    def _list_check_order(self) -> list[int]:
        """Return the indices of the targets in the order in which they check: leaders first."""
        leaders: list[int] = []
        other_units: list[int] = []
        for index, target in enumerate(self.targets):
            if target.is_leader:
                leaders.append(index)
            else:
                other_units.append(index)
        return leaders + other_units

    def rule_unharmed(self) -> Ruling[HexUnderFire]:
        """Return the ruling on an attack without effect: the end, with `none` for each unit."""
        outputs: dict[str, Any] = {}
        for index, target in enumerate(self.targets):
            outputs |= self._build_outputs(index, "none", target.state)
        return Ruling(HexUnderFire(None), outputs)

    def start_checks(self, modifier: int, *, no_leadership: bool = False) -> HexUnderFire:
        """Return the state in which every unit checks morale, leaders first.

        `modifier` is added to each die. With `no_leadership` no unit adds a leader's rating.
        """
        return HexUnderFire(
            CHECK,
            queue=tuple(self._list_check_order()),
            modifier=modifier,
            no_leadership=no_leadership,
        )

    def deal_damage(self, points: int) -> Ruling[HexUnderFire]:
        """Return the ruling on `points` damage points, dealt until a die is needed.

        See `_deal_points`. If no die is needed, this is the ruling after the last point.
        """
        return self._deal_points(HexUnderFire(POINT, points, (0,) * len(self.targets)))

    # -- damage points ------------------------------------------------------------------------------------

    def _list_candidates(self, hits: Sequence[int]) -> tuple[int, ...]:
        """Return the indices of the units that a point can fall on.

        They are not eliminated, and have the fewest points so far.
        """
        alive = [index for index, target in enumerate(self.targets) if hits[index] < target.steps]
        fewest_hits = min([hits[index] for index in alive], default=0)
        return tuple([index for index in alive if hits[index] == fewest_hits])

    def _deal_points(self, state: HexUnderFire) -> Ruling[HexUnderFire]:
        """Return the ruling after the points that need no die.

        If several units are candidates for the next point, the step `point` is due, with a die to
        pick one. If no unit is, the remaining points are lost. After the last point units are
        shaken, and those that must check morale are queued.
        """
        lines: list[Line] = []
        while state.points:
            candidates = self._list_candidates(state.hits)
            if len(candidates) > 1:
                next_state = HexUnderFire(POINT, state.points, state.hits, candidates)
                return Ruling(next_state, build_lines=lambda: lines)
            if not candidates:
                lines.append(Line("damage points lost", total=state.points))
                break
            index = candidates[0]
            lines.append(self._build_point_line((), index, state.hits))
            state = _deal_point(state, index)
        next_state, outputs = self._apply_damage(state.hits)
        return Ruling(next_state, outputs, lambda: lines)

    def _apply_damage(self, hits: Sequence[int]) -> tuple[HexUnderFire, Outputs]:
        """Return the state after all points, and the outputs of the units that do not check morale.

        The state owes the morale checks of the other units, or is the end.
        """
        outputs: dict[str, Any] = {}
        queue: list[int] = []
        rating = 0
        for index in self._list_check_order():
            target = self.targets[index]
            result = "eliminated"
            new_state = "eliminated"
            if hits[index] < target.steps:
                effect = self._tables["damaged-effect"](
                    unit_class=target.kind, state=target.state, hit=hits[index] > 0
                )
                if effect["check"]:
                    queue.append(index)
                    continue
                result = effect["result"]
                new_state = effect["after"]
            is_newly_shaken = new_state in SHAKEN and target.state not in SHAKEN
            outputs |= self._build_outputs(
                index, result, new_state, damage=hits[index], halted=is_newly_shaken
            )
            if is_prepared(new_state):
                rating = max(rating, target.leadership)
        if queue:
            return HexUnderFire(CHECK, queue=tuple(queue), rating=rating), outputs
        return HexUnderFire(None), outputs

    def _rule_on_point(self, state: HexUnderFire, roll: Roll) -> Ruling[HexUnderFire]:
        """Rule on the die that picks one of the candidates for one point.

        Also deal the further points that need no die.
        """
        index = state.candidates[roll[0] - 1]
        ruling = self._deal_points(_deal_point(state, index))

        def build_lines() -> Iterable[Line]:
            yield self._build_point_line(roll, index, state.hits)
            yield from ruling.build_lines()

        return ruling._replace(build_lines=build_lines)

    def _build_point_line(self, roll: Roll, index: int, hits: Sequence[int]) -> Line:
        """Return the line of a point on the unit at this index; `hits` are those before it."""
        label = "second damage point" if hits[index] else "damage point"
        return Line(label, roll, result=self.names[index])

    # -- morale checks ------------------------------------------------------------------------------------

    def _rule_on_check(self, state: HexUnderFire, roll: Roll) -> Ruling[HexUnderFire]:
        """Rule on the morale check of the first unit in the queue: die + modifier, at or under
        morale.

        A leader who is prepared after the check helps those after it.
        """
        index, *queue = state.queue
        target = self.targets[index]
        total = roll[0] + state.modifier
        leader = 0
        if not state.no_leadership and self._is_led(target):
            leader = state.rating
        needed = (target.morale or 0) + leader
        fails = total > needed
        result = "none"
        new_state = target.state
        if fails:
            effect = self._tables["morale-fail"](unit_class=target.kind, state=target.state)
            result = effect["result"]
            new_state = effect["after"]
        outputs = self._build_outputs(
            index, result, new_state, check=total, needed=needed, halted=fails
        )
        next_state = HexUnderFire(None)
        if queue:
            rating = state.rating
            if is_prepared(new_state):
                rating = max(rating, target.leadership)
            next_state = state._replace(queue=tuple(queue), rating=rating)

        def build_lines() -> Iterable[Line]:
            morale = f"{target.morale} + {leader} leader" if leader else f"{target.morale}"
            parts = (("hit", state.modifier),) if state.modifier else ()
            reason = f"{'over' if fails else 'within'} morale {morale}"
            return [Line(self.names[index], roll, parts, total, reason)]

        return Ruling(next_state, outputs, build_lines)

    # -- the tables' entries for a target ------------------------------------------------------------------

    def _is_led(self, target: Target) -> bool:
        """Return whether the unit adds the rating of a prepared leader in its hex."""
        row = "weapon-team"
        if target.unit.type == "leader":
            row = "leader"
        elif target.unit.type in ("squad", "tank"):
            row = "squad"
        return bool(self._tables["leadership"](unit=row)["adds"])

    def _halts(self, target: Target) -> bool:
        """Return whether the unit must stop moving if it fails a check or is newly shaken."""
        answer = self._tables["stop-moving"](
            unit_class=target.kind,
            banzai="banzai" in target.unit.flags,
            flamethrower=self._flamethrower,
        )
        return bool(answer["stops"])

    # -- the outputs --------------------------------------------------------------------------------------

    def _build_outputs(
        self,
        index: int,
        result: str,
        new_state: str,
        *,
        damage: int = 0,
        check: int | None = None,
        needed: int | None = None,
        halted: bool = False,
    ) -> Outputs:
        """Return the outputs of the unit at this index.

        `halted` means that it stops if it moves, is not eliminated, and table stop-moving says so.
        """
        target = self.targets[index]
        can_stop = halted and target.moves and new_state != "eliminated"
        path = f"targets[{index}]"
        return {
            f"{path}.unit": target.unit.word,
            f"{path}.damage": damage,
            f"{path}.check": check,
            f"{path}.needed": needed,
            f"{path}.result": result,
            f"{path}.after": new_state,
            f"{path}.stops": can_stop and self._halts(target),
        }

    def build_rows(self) -> tuple[OddsRow, ...]:
        """Return a row of odds for each unit, under its name: its state afterwards, or none."""
        return tuple(_build_row(f"targets[{index}]", name) for index, name in enumerate(self.names))

    def resolve(self, out: Mapping[str, Any], headline: str = "") -> Resolution:
        """Return the result of a sequence: a word for each unit, and the changes of roster units.

        `headline` goes before the summary of the units.
        """
        answers = out["targets"]
        words: list[tuple[str, str]] = []
        changes: list[Change] = []
        results: list[UnitResult] = []
        stop_notes: list[str] = []
        for name, target, answer in zip(self.names, self.targets, answers, strict=True):
            # units without an effect need no number: they are counted together
            is_unharmed = answer["result"] == "none"
            label = answer["unit"] if is_unharmed else name
            words.append((label, _get_word(answer)))
            results.append(UnitResult(name, _get_state_after(answer)))
            change = _build_change(target, answer)
            if change is not None:
                changes.append(change)
            if answer["stops"]:
                stop_notes.append(f"{name} stops")
        summary = _summarize(self.names, answers)
        return Resolution(
            f"{headline}: {summary}" if headline else summary,
            tuple(words),
            changes=tuple(changes),
            unit_results=tuple(results),
            state_changes=tuple(stop_notes),
        )


def _summarize(names: Sequence[str], answers: Sequence[Mapping[str, Any]]) -> str:
    """Return the results of all units in a few words.

    Units without an effect are left out; more than `MOST_NAMED` affected units are only counted.
    """
    if len(answers) == 1:
        return _get_word(answers[0])
    phrases: list[str] = []
    for name, answer in zip(names, answers, strict=True):
        if answer["result"] != "none":
            phrases.append(f"{name} {_get_word(answer)}")
    if len(phrases) > MOST_NAMED:
        return f"{len(phrases)} of {len(answers)} affected"
    return "; ".join(phrases) if phrases else "no effect"


def _get_state_after(answer: Mapping[str, Any]) -> str:
    """Return the state of a unit afterwards, or `none` if its result is none."""
    return "none" if answer["result"] == "none" else str(answer["after"])


def _build_row(path: str, name: str) -> OddsRow:
    """Return the row of odds of the unit with outputs below `path`: its state afterwards."""
    result_path = f"{path}.result"
    state_path = f"{path}.after"

    def read(outputs: Outputs) -> Any:
        if result_path not in outputs:
            return None
        return _get_state_after({"result": outputs[result_path], "after": outputs[state_path]})

    return OddsRow(name, (result_path, state_path), read)


def _deal_point(state: HexUnderFire, index: int) -> HexUnderFire:
    """Return the state after one damage point was dealt to the unit at this index.

    The state has one point less to deal, and the unit one more hit. Candidates for a next point are
    not in it.
    """
    hits = [*state.hits]
    hits[index] += 1
    return HexUnderFire(POINT, state.points - 1, tuple(hits))


def _get_word(answer: Mapping[str, Any]) -> str:
    """Return the result of a unit in words: `shaken, stops`, `no effect`."""
    word = "no effect" if answer["result"] == "none" else _get_state_after(answer)
    return f"{word}, stops" if answer["stops"] else word


def _build_change(target: Target, answer: Mapping[str, Any]) -> Change | None:
    """Return the change of a roster unit: its new state, and no movement marker if it stops.

    Return None for a unit that is not of the roster or that nothing happened to.
    """
    is_unharmed = answer["result"] == "none" and not answer["stops"]
    if not target.unit.name or is_unharmed:
        return None
    unmark = frozenset(MOVES) if answer["stops"] else frozenset()
    is_newly_reduced = answer["after"] in REDUCED and target.state not in REDUCED
    flips = target.unit.reduced is not None and is_newly_reduced
    return Change(target.unit.name, {"state": answer["after"]}, unmark=unmark, turn=flips)


# -- the sequence damage: a Damaged result


def plan_damage(tables: Tables, inputs: Given) -> Plan[HexUnderFire]:
    """Plan `points` damage points on `targets`. Source: Damaged and Damaged-2/3 paragraphs.

    Raises UserError for targets as in `Results`.
    """
    units = inputs.units("targets")
    flamethrower = inputs.flag("flamethrower")
    results = Results(tables, units, flamethrower=flamethrower, checks=("unshakable",))
    start = results.deal_damage(inputs.int("points"))
    opening = {"targets": [], **start.outputs}
    lines = tuple(start.build_lines())
    return Plan(
        start.next_state,
        results.steps(),
        results.resolve,
        opening,
        lines=lines,
        odds_rows=results.build_rows,
    )


# -- the sequence morale: checks as after a Hit, leaders first; a prepared leader helps the others


def plan_morale(tables: Tables, inputs: Given) -> Plan[HexUnderFire]:
    """Plan morale checks of `targets` with `hit_number` added to each die. Source: Hit paragraph.

    Raises UserError for targets as in `Results`.
    """
    results = Results(tables, inputs.units("targets"), flamethrower=inputs.flag("flamethrower"))
    start = results.start_checks(
        inputs.int("hit_number"), no_leadership=inputs.flag("no_leadership")
    )
    opening: dict[str, Any] = {"targets": []}
    return Plan(start, results.steps(), results.resolve, opening, odds_rows=results.build_rows)


# -- the units of a target hex: their class, state and movement

SHAKEN = ("shaken", "reduced-shaken")
REDUCED = ("reduced", "reduced-shaken")
MOVES = ("moving", "crawling", "banzai")


class Target(NamedTuple):
    """A unit under fire.

    - `kind`: shakeable or unshakable.
    - `state`: good-order, shaken, reduced or reduced-shaken.
    - `morale`: None if it is missing and no check can need it.
    - `rating`: its leadership rating, if it is a leader.
    - `moves`: it has a marker for movement.
    - `steps`: the damage points that eliminate it.
    """

    unit: Unit
    kind: str
    state: str
    morale: int | None
    is_leader: bool
    rating: int
    moves: bool
    steps: int

    @property
    def leadership(self) -> int:
        """Return the rating that a leader gives to others while prepared; 0 for other units."""
        return self.rating if self.is_leader else 0


def is_prepared(state: str) -> bool:
    """Return whether a leader in this state gives its rating: not eliminated, not shaken."""
    return state != "eliminated" and state not in SHAKEN


def _read_target(unit: Unit, checks: Collection[str]) -> Target:
    """Return the unit as a target.

    `checks` are the kinds of units (shakeable, unshakable) that need a morale.

    Raises UserError for an unshakable unit that is shaken, and for a missing morale.
    """
    kind = "unshakable" if "unshakable" in unit.flags else "shakeable"
    if kind == "unshakable" and "shaken" in unit.flags:
        hint = "Leave out one of the two words."
        raise UserError(
            f"{unit.word} is unshakable and cannot be shaken.", hint=hint, code="not-together"
        )
    state = _get_state(unit)
    return Target(
        unit=unit,
        kind=kind,
        state=state,
        morale=unit.number("morale") if kind in checks else unit.numbers.get("morale"),
        is_leader=unit.type == "leader",
        rating=unit.number("lr", 0),
        moves=not unit.flags.isdisjoint(MOVES),
        steps=1 if state in REDUCED else 2,
    )


def _get_state(unit: Unit) -> str:
    """Return the state that the unit's flags mean."""
    if "reduced" in unit.flags:
        return "reduced-shaken" if "shaken" in unit.flags else "reduced"
    return "shaken" if "shaken" in unit.flags else "good-order"
