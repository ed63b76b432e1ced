"""Pools of dice: what is looked at of them, the rolls that differ for that, and the step of a plan
that asks for it.

One die is looked at by its place, or how many pass a test. All that decides it must be known when
the dice are rolled; where it is not, every face counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from bot.rules.declared.compile_context import FACE, FACES, SHOWN
from bot.rules.declared.formula import Env, Formula
from bot.rules.declared.formula_functions import UNWORKABLE, make_unworkable_error
from bot.rules.declared.interpreter import (
    END,
    LINES,
    NOTES,
    TOLD,
    Dice,
    Keys,
    Now,
    Site,
    build_env,
    run_steps,
)
from bot.rules.declared.let_tell import Let, Stop
from bot.rules.declared.program import (
    OPEN,
    Block,
    Partial,
    Statement,
    evaluate_known,
    walk_statements,
)
from bot.rules.declared.rolls import (
    RollStatement,
    WordedResult,
    build_dice,
    build_pool,
    list_worded_rolls,
    sum_worded_dice,
)
from bot.rules.declared.when_each import For, If
from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.expression.model import Pool as ExpressionPool
from bot.rules.odds.rolls import group_sums, group_values, list_all_rolls, list_pool_rolls
from bot.rules.sequence.sequence import Ruling, Weighted

Looks = tuple[tuple[int | None, tuple[Any, ...]], ...]
"""What is looked at of alike dice: of the one at a place, or (None) of them all, what is seen of
each face.
"""
Shape = tuple[tuple[int, tuple[Any, ...] | None], ...]
"""Sides and faces of each die."""


class EveryFace(Exception):
    """Every face is read, or what is looked at is not known yet."""


class FacePool:
    """The faces `key` of a roll, as what `follows` looks at them."""

    def __init__(self, one: RollStatement, key: str, follows: Block) -> None:
        self.key = key
        self._sets = one.sets
        again = next(
            (
                at
                for at, two in enumerate(follows)
                if isinstance(two, RollStatement) and key in two.sets
            ),
            None,
        )
        self._after = follows[:again]
        self.reads = _list_deciding_keys(self._after, key)

    def find_looks(self, faces: tuple[Any, ...], env: Env) -> Looks | None:
        """What is looked at of dice with these faces, the values of `env` known; None where it
        is every face.
        """
        looker = _Looker(self.key, faces)
        try:
            looker.block(self._after, {**env, **dict.fromkeys(self._sets, OPEN)})
            found = tuple(looker.found)
            hash(found)
        except (
            EveryFace,
            UserError,
            *UNWORKABLE,
        ):  # whoever rolls a face that makes no sense is told so
            return None
        return found


def pools_in(program: Block) -> dict[str, dict[int, FacePool]]:
    """The dice whose faces are read one by one, and not as all of them: by roll, and their place
    in it.
    """
    found: dict[str, dict[int, FacePool]] = {}
    for one in walk_statements(program):
        if isinstance(one, RollStatement):
            pools = found[one.name] = {}
            for at, key in enumerate(thrown.key for thrown in one.dice):
                if key in one.faces or key + FACES not in one.faces:
                    continue
                try:
                    pools[at] = FacePool(
                        one, key + FACES, _read_after(program, one.name, key + FACES) or ()
                    )
                except EveryFace:
                    continue
    return found


def _read_after(block: Block, name: str, key: str) -> Block | None:
    """What follows the roll `name` as far as it may read `key`; None where the roll is not in
    this block.
    """
    for at, one in enumerate(block):
        rest = block[at + 1 :]
        if isinstance(one, RollStatement) and one.name == name:
            return rest
        for way in one.blocks():
            found = _read_after(way, name, key)
            if found is None:
                continue
            if isinstance(one, For) and key in one.head:
                raise EveryFace
            return found + rest if isinstance(one, If | For) and key in one.after else found
    return None


def _list_deciding_keys(block: Block, key: str) -> Keys:
    """The keys that may decide how the faces are looked at."""
    after = list(walk_statements(block))
    wanted = {
        read
        for one in after
        for formula in one.formulas
        if key in formula.reads
        for read in formula.reads
    }
    before = -1
    while len(wanted) > before:
        before = len(wanted)
        for one in after:
            if isinstance(one, Stop | If | For) or (isinstance(one, Let) and one.key in wanted):
                wanted |= one.reads
    return frozenset(wanted)


class _Looker(Partial):
    """Finds what is looked at of the faces under one key."""

    def __init__(self, key: str, faces: tuple[Any, ...]) -> None:
        self.key = key
        self._faces = faces
        self.found: list[tuple[int | None, tuple[Any, ...]]] = []

    def value(self, formula: Formula, env: Env) -> Any:
        """What a formula comes to; open where it has no value."""
        self.note_looks(formula, env)
        try:
            return super().value(formula, env)
        except (UserError, *UNWORKABLE):
            return OPEN

    def meets(self, one: Statement, env: Env) -> None:
        """What is told, and which dice are rolled, may look at the faces."""
        for formula in one.formulas:
            self.note_looks(formula, env)

    def note_looks(self, value: Formula, env: Env) -> None:
        """Note the looks of one formula: what it makes of a die, where it looks at no more than
        this one.
        """
        if self.key not in value.reads:
            return
        parts = list(value.all_parts())
        if sum(part.kind == "name" and part.value == self.key for part in parts) == 1:
            looks = [part for part in parts if part.kind == "item" and self._looks_at(part)]
            if looks:
                at = evaluate_known(looks[0].parts[1], env)
                if at is not OPEN and self._all_known(value, env):
                    self._look(at, lambda face: value.run({**env, self.key: {at: face}}))
                    return
        self._note_part_looks(value, env)

    def _note_part_looks(self, part: Formula, env: Env) -> None:
        """Note the looks in a part of a formula, as far as the conditions hold that it is
        written under.
        """
        if part.kind == "name" and part.value == self.key:
            raise EveryFace
        if self._looks_at(part):
            self._note_taken(part, env)
        elif part.kind == "if":
            test, *ways = part.parts
            self._note_part_looks(test, env)
            when = evaluate_known(test, env)
            for way, holds in zip(ways, (True, False), strict=True):
                if when is OPEN or bool(when) == holds:
                    self._note_part_looks(way, env)
        elif part.kind in ("and", "or"):
            for one in part.parts:
                self._note_part_looks(one, env)
                known = evaluate_known(one, env)
                if known is not OPEN and bool(known) != (part.kind == "and"):
                    break
        else:
            for one in part.parts:
                self._note_part_looks(one, env)

    def _looks_at(self, part: Formula) -> bool:
        """Return whether a part looks at the faces by a place, or by a test."""
        if part.kind not in ("item", "how_many"):
            return False
        return part.parts[0].kind == "name" and part.parts[0].value == self.key

    def _note_taken(self, part: Formula, env: Env) -> None:
        what = part.parts[1]
        if part.kind == "item":
            at = evaluate_known(what, env)
            if at is OPEN:
                raise EveryFace
            self._look(at, lambda face: face)
        elif not self._all_known(what, env):
            raise EveryFace
        else:
            self._look(None, lambda face: not what.run({**env, FACE: face}))

    def _look(self, at: Any, seen: Callable[[Any], Any]) -> None:
        values = [seen(face) for face in self._faces]
        self.found.append((at, tuple([(value.__class__, value) for value in values])))

    def _all_known(self, part: Formula, env: Env) -> bool:
        return all(key in (FACE, self.key) or env.get(key, OPEN) is not OPEN for key in part.reads)


def faces_of(die: Die) -> tuple[Any, ...]:
    """The faces of a die."""
    return die.faces or tuple(range(1, die.sides + 1))


@lru_cache(maxsize=256)
def group_pool_rolls(keys: tuple[tuple[Shape, bool, bool, Looks | None], ...]) -> Weighted:
    """The rolls that differ for whoever reads them: dice of which only the sum is read count by
    their sum.
    """
    kinds: list[Any] = []
    for shape, summed, single, looks in keys:
        dice = tuple(Die("", sides, faces) for sides, faces in shape)
        if not summed and not single:
            any_roll = tuple([die.faces[0] if die.faces else 1 for die in dice])
            kinds.append(((prod(die.sides for die in dice), any_roll),))
        elif looks is not None:
            kinds.append(group_by_looks(dice, looks))
        elif single or not dice or dice[0].faces:
            kinds.append(list_all_rolls(dice))
        else:
            kinds.append(group_sums(len(dice), dice[0].sides))
    return tuple(
        (prod(ways for ways, _ in some), tuple(f for _, faces in some for f in faces))
        for some in product(*kinds)
    )


def group_by_looks(dice: tuple[Die, ...], looks: Looks) -> Weighted:
    """Alike dice by what is looked at: single ones at their places, of the others how many there
    are of each kind.
    """
    faces = faces_of(dice[0])
    tests = [seen for at, seen in looks if at is None]
    apart: dict[int, list[tuple[Any, ...]]] = {}
    for at, seen in looks:
        if at.__class__ is int and 0 <= at < len(dice):
            apart.setdefault(at, []).append(seen)

    def kinds(looked: list[tuple[Any, ...]]) -> Weighted:
        places = {face: at for at, face in enumerate(faces)}
        return group_values(faces, lambda face: tuple([seen[places[face]] for seen in looked]))

    return list_pool_rolls(
        len(dice),
        kinds(tests),
        tuple([(at, kinds([*tests, *own])) for at, own in sorted(apart.items())]),
    )


# -- the step of a plan


class Segment:
    """One roll of a plan, a `Step`. `pools` are the dice of whose faces less than all is looked
    at, by their place.
    """

    __slots__ = ("_kept", "_keys", "_pools", "_rest", "_roll")

    def __init__(self, site: Site, pools: Mapping[int, FacePool]) -> None:
        self._roll, self._rest = site
        self._keys = self._roll.keys
        self._pools = pools
        self._kept: dict[tuple[Any, ...], Looks | None] = {}

    def rule(self, state: Now, faces: tuple[Any, ...], /) -> Ruling[Now]:
        """What the roll comes to. Raises UserError."""
        env = build_env(zip(self._keys, state.values, strict=False))
        after = END
        try:
            self._lay(env, state, faces)
            for steps, at in self._rest:
                if (owed := run_steps(steps, env, at)) is not None:
                    after = owed
                    break
        except UNWORKABLE as error:
            raise make_unworkable_error(error) from None
        return Ruling(after, env[TOLD], env[LINES].copy, env[NOTES])

    def _lay(self, env: Env, state: Now, faces: tuple[Any, ...]) -> None:
        """Set the keys of its dice that are read: their sums and faces."""
        read = self._roll.faces
        for key, (first, last) in zip(
            self._roll.dice_keys, self._get_dice(state).cuts, strict=True
        ):
            if key in read:
                env[key] = sum(faces[first:last])
            if (single := key + FACES) in read:
                env[single] = faces[first:last]

    def _get_dice(self, state: Now) -> Dice:
        return self._roll.constant_dice or build_dice(state.values[-1])

    def asks(self, state: Now, /) -> tuple[Die, ...]:
        """The dice in this state."""
        return self._get_dice(state).dice

    def group_rolls(self, state: Now, /) -> Weighted:
        """The rolls that differ for whoever reads them."""
        asked = self._get_dice(state)
        kinds = list[Any]()
        roll = self._roll
        for at, (key, (first, last)) in enumerate(zip(roll.dice_keys, asked.cuts, strict=True)):
            dice = asked.dice[first:last]
            looks = self._find_looks(state, at, dice) if dice and at in self._pools else None
            shape = tuple([(die.sides, die.faces) for die in dice])
            kinds.append((shape, key in roll.faces, key + FACES in roll.faces, looks))
        return group_pool_rolls(tuple(kinds))

    def _find_looks(self, state: Now, at: int, dice: tuple[Die, ...]) -> Looks | None:
        """What is looked at of the dice of a key in this state; None where every face counts."""
        pool = self._pools[at]
        read = [
            value for key, value in zip(self._keys, state.values, strict=False) if key in pool.reads
        ]
        key = (at, dice[0].sides, dice[0].faces, *read)
        if key not in self._kept:
            self._kept[key] = pool.find_looks(
                faces_of(dice[0]), dict(zip(self._keys, state.values, strict=False))
            )
        return self._kept[key]


class WordedSegment(Segment):
    """A roll whose dice have words: its state holds, behind what they are, those that have
    fallen.
    """

    def _pool(self, state: Now) -> ExpressionPool:
        ((count, sides, _),) = state.values[-2]
        return build_pool(int(count), sides, self._roll.words)

    def asks(self, state: Now, /) -> tuple[Die, ...]:
        """All that are written at first, then one after the other."""
        dice = build_dice(state.values[-2]).dice
        return dice[:1] if state.values[-1] else dice

    def rule(self, state: Now, faces: tuple[Any, ...], /) -> Ruling[Now]:
        """What it comes to, or the state with these dice where more are owed."""
        if faces and faces[0].__class__ is WordedResult:
            return super().rule(state, faces)
        drawn = (*state.values[-1], *faces)
        found = sum_worded_dice(self._pool(state), drawn)
        if found is None:
            return Ruling(Now(state.owes, (*state.values[:-1], drawn)))
        return super().rule(state, (found,))

    def _lay(self, env: Env, _state: Now, faces: tuple[Any, ...]) -> None:
        (key,) = self._roll.dice_keys
        env[key], env[key + FACES], env[key + SHOWN] = faces[0]

    def group_rolls(self, state: Now, /) -> Weighted:
        """The rolls that differ, each as what it comes to."""
        (key,), read, pool = self._roll.dice_keys, self._roll.faces, self._pool(state)
        dice = build_dice(state.values[-2]).dice
        looks = self._find_looks(state, 0, dice) if dice and self._pools else None
        tests = (
            None
            if looks is None or any(at is not None for at, _ in looks)
            else tuple([seen for _, seen in looks])
        )
        ways: Any = list_worded_rolls(pool, key in read, key + FACES in read, tests)
        found: Weighted = ways
        return found
