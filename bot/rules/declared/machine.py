"""A sequence as code in a row, with jumps: every roll in it is a step of the `Plan` that plays and counts it."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import prod
from typing import Any

from bot.rules.declared.formulas import FACES
from bot.rules.declared.nodes import UNWORKABLE, If, Let, Nodes, Peek, Roll, Say, Stop, Tell, Values, unworkable
from bot.rules.declared.running import Now, never
from bot.rules.declared.settling import Note
from bot.rules.declared.slicing import sliced
from bot.rules.dice import Die
from bot.rules.odds import Weighted, every_roll, group_sums
from bot.rules.pools import group_values, pool
from bot.rules.sequence import Line, Plan, Ruled, Ruling

LET, TELL, UNLESS, ROLL, JUMP, LINE, NOTE, END = range(8)
MOST_KEPT = 2_000
"""How many rolls of one plan are remembered."""


class Machine:
    """The nodes as code."""

    def __init__(self, nodes: Nodes) -> None:
        self.code: list[tuple[Any, ...]] = []
        self._emit(nodes)
        self.code.append((END,))

    def _emit(self, nodes: Nodes) -> None:
        code = self.code
        for node in nodes:
            if isinstance(node, If):
                self._fork(node)
            elif isinstance(node, Stop):
                code.append((END,))
            elif isinstance(node, Roll):
                code.append((ROLL, str(len(code)), node))
            elif isinstance(node, Let):
                code.append((LET, node.key, node.value.call))
            elif isinstance(node, Tell):
                code.append((TELL, node.path, node.value.call))
            elif isinstance(node, Say):
                code.append((LINE if node.line else NOTE, node.value.call))

    def _fork(self, node: If) -> None:
        code, at = self.code, len(self.code)
        code.append(())
        self._emit(node.then)
        past = len(code)
        if node.other:
            code.append(())
        code[at] = (UNLESS, len(code), node.when.call)
        self._emit(node.other)
        if node.other:
            code[past] = (JUMP, len(code))

    def run(self, at: int, now: Values) -> Ruling[Now]:
        """Run to the next roll, or to the end. Raises UserError for what formulas cannot work out."""
        try:
            return self._run(at, now)
        except UNWORKABLE as error:
            raise unworkable(error) from None

    def _run(self, at: int, now: Values) -> Ruling[Now]:
        code, lines, notes = self.code, list[Line](), list[Note]()
        told: dict[str, Any] = {}
        while True:
            op = code[at]
            kind = op[0]
            at += 1
            if kind == LET:
                now[op[1]] = op[2](now)
            elif kind == TELL:
                told[op[1]] = op[2](now)
            elif kind == UNLESS:
                if not op[2](now):
                    at = op[1]
            elif kind == ROLL:
                owed = Now(op[1], tuple([now[key] for key in op[2].before]))
                return Ruling(owed, told, lambda: lines, tuple(notes))
            elif kind == JUMP:
                at = op[1]
            elif kind == LINE:
                if (line := op[1](now)) is not None:
                    lines.append(line)
            elif kind == NOTE:
                notes.append(op[1](now))
            else:
                return Ruling(Now(None), told, lambda: lines, tuple(notes))

    def steps(self) -> dict[str, Ruled[Now]]:
        """The steps by the place of their rolls in the code."""
        return {op[1]: _step(self, int(op[1]), op[2]) for op in self.code if op[0] == ROLL}


def _step(machine: Machine, at: int, roll: Roll) -> Ruled[Now]:
    dice = tuple(die for _, some in roll.dice for die in some)
    ways = cache(lambda: grouped(roll))  # only odds ask for them
    cuts, start = [], 0
    for key, some in roll.dice:
        end = start + len(some)
        if key in roll.faces:
            cuts.append((key, start, end, True))
        if key + FACES in roll.faces or any(peek.faces == key + FACES for peek in roll.peeks):
            cuts.append((key + FACES, start, end, False))
        start = end
    kept: dict[Any, Ruling[Now]] = {}

    def run(state: Now, faces: tuple[int, ...]) -> Ruling[Now]:
        """What the roll comes to. Play and odds of the same plan may ask again."""
        asked = (state.values, faces)
        done = kept.get(asked)
        if done is None:
            now: Values = dict(zip(roll.before, state.values, strict=True))
            for key, first, last, summed in cuts:
                now[key] = sum(faces[first:last]) if summed else faces[first:last]
            done = machine.run(at + 1, now)
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[asked] = done
        return done

    return Ruled(dice, run, lambda _: ways())


def grouped(roll: Roll) -> Weighted:
    """The rolls that differ for whoever reads them: dice of which only the sum is read count by their sum."""
    kinds: list[Weighted] = []
    for key, dice in roll.dice:
        peeks = [peek for peek in roll.peeks if peek.faces == key + FACES]
        if peeks and dice and key not in roll.faces and key + FACES not in roll.faces:
            kinds.append(_pooled(dice, peeks))
        elif key not in roll.faces and key + FACES not in roll.faces:
            kinds.append(((prod(die.sides for die in dice), tuple([_some_face(die) for die in dice])),))
        elif key + FACES in roll.faces or peeks or not dice or dice[0].faces:
            kinds.append(every_roll(dice))
        else:
            kinds.append(group_sums(len(dice), dice[0].sides))
    return tuple(
        (prod(ways for ways, _ in some), tuple(f for _, faces in some for f in faces)) for some in product(*kinds)
    )


def _pooled(dice: tuple[Die, ...], peeks: list[Peek]) -> Weighted:
    """Alike dice by what is looked at: single ones at their places, of the others how many there are of each kind."""
    tests = [peek.sees for peek in peeks if peek.at is None]
    apart: dict[int, list[Any]] = {}
    for peek in peeks:
        if peek.at is not None and peek.at < len(dice):
            apart.setdefault(peek.at, []).append(peek.sees)
    single = {at: _kinds(dice[0], [*tests, *own]) for at, own in apart.items()}
    return pool(len(dice), _kinds(dice[0], tests), tuple(sorted(single.items())))


def _kinds(die: Die, looks: list[Any]) -> Weighted:
    """The faces of a die that differ for any of the looks, one for all of a kind."""
    return group_values(die.faces or tuple(range(1, die.sides + 1)), lambda face: tuple([look(face) for look in looks]))


def _some_face(die: Die) -> Any:
    return die.faces[0] if die.faces else 1


class Counted:
    """The odds of one sequence for the same inputs."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._focused: dict[frozenset[str], Plan[Now]] = {}

    def focus(self, paths: tuple[str, ...]) -> Plan[Now]:
        """The plan of the odds of some outputs, which remembers no more than these need."""
        asked = frozenset(paths)
        found = self._focused.get(asked)
        if found is None:
            machine = Machine(sliced(self._nodes, asked))
            start, told, _, _ = machine.run(0, {})
            found = Plan(start, machine.steps(), never, told)
            if len(self._focused) >= 32:
                self._focused.clear()
            self._focused[asked] = found
        return found
