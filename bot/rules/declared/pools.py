"""Pools of dice: what later steps look at of single dice, the rolls that differ for that, and the
step of a plan that rolls them.

A step may look at one die by its index, or at the number of dice that pass a test. Everything that
decides this must be known when the dice are rolled; if it is not, every face counts.
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
    KnownValuesPass,
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
"""What is looked at of identical dice: (index, or None for all dice; what is seen of each face)."""
Shape = tuple[tuple[int, tuple[Any, ...] | None], ...]
"""Sides and faces of each die."""


class EveryFace(Exception):
    """The signal that every face is read, or that it is not yet known what is looked at."""


class FacePool:
    """The faces of a roll under `key`, and the statements `follows` that look at them."""

    def __init__(self, roll: RollStatement, key: str, follows: Block) -> None:
        self.key = key
        self._sets = roll.sets
        again = next(
            (
                index
                for index, statement in enumerate(follows)
                if isinstance(statement, RollStatement) and key in statement.sets
            ),
            None,
        )
        self._after = follows[:again]
        self.reads = _list_deciding_keys(self._after, key)

    def find_looks(self, faces: tuple[Any, ...], env: Env) -> Looks | None:
        """Return what is looked at of dice with these faces if `env` is known; None if it is every
        face.
        """
        looker = _Looker(self.key, faces)
        try:
            looker.block(self._after, {**env, **dict.fromkeys(self._sets, OPEN)})
            looks = tuple(looker.found)
            hash(looks)
        except (
            EveryFace,
            UserError,
            *UNWORKABLE,
        ):  # whoever rolls a face that makes no sense is told so
            return None
        return looks


def pools_in(program: Block) -> dict[str, dict[int, FacePool]]:
    """Return the dice whose faces are read one by one but not as a sum, by roll and by index in the
    roll.
    """
    pools_by_roll: dict[str, dict[int, FacePool]] = {}
    for statement in walk_statements(program):
        if isinstance(statement, RollStatement):
            pools = pools_by_roll[statement.name] = {}
            for index, key in enumerate(request.key for request in statement.dice):
                if key in statement.faces or key + FACES not in statement.faces:
                    continue
                try:
                    pools[index] = FacePool(
                        statement,
                        key + FACES,
                        _read_after(program, statement.name, key + FACES) or (),
                    )
                except EveryFace:
                    continue
    return pools_by_roll


def _read_after(block: Block, name: str, key: str) -> Block | None:
    """Return the statements after the roll `name` that may read `key`; None if the roll is not in
    this block. Raises EveryFace if a loop reads it.
    """
    for index, statement in enumerate(block):
        following = block[index + 1 :]
        if isinstance(statement, RollStatement) and statement.name == name:
            return following
        for inner in statement.blocks():
            inner_following = _read_after(inner, name, key)
            if inner_following is None:
                continue
            if isinstance(statement, For) and key in statement.head:
                raise EveryFace
            return (
                inner_following + following
                if isinstance(statement, If | For) and key in statement.after
                else inner_following
            )
    return None


def _list_deciding_keys(block: Block, key: str) -> Keys:
    """Return the keys that may decide how the faces are looked at."""
    statements = list(walk_statements(block))
    keys = {
        read_key
        for statement in statements
        for formula in statement.formulas
        if key in formula.reads
        for read_key in formula.reads
    }
    count = -1
    while len(keys) > count:
        count = len(keys)
        for statement in statements:
            if isinstance(statement, Stop | If | For) or (
                isinstance(statement, Let) and statement.key in keys
            ):
                keys |= statement.reads
    return frozenset(keys)


class _Looker(KnownValuesPass):
    """A pass that collects what is looked at of the faces under one key."""

    def __init__(self, key: str, faces: tuple[Any, ...]) -> None:
        self.key = key
        self._faces = faces
        self.found: list[tuple[int | None, tuple[Any, ...]]] = []

    def value(self, formula: Formula, env: Env) -> Any:
        """Return the value of a formula, open if it has none."""
        self.note_looks(formula, env)
        try:
            return super().value(formula, env)
        except (UserError, *UNWORKABLE):
            return OPEN

    def meets(self, statement: Statement, env: Env) -> None:
        """Note what the formulas of a statement look at."""
        for formula in statement.formulas:
            self.note_looks(formula, env)

    def note_looks(self, value: Formula, env: Env) -> None:
        """Note what a formula looks at: if it reads a single die, the whole formula as a function
        of that die.
        """
        if self.key not in value.reads:
            return
        parts = list(value.all_parts())
        if sum(part.kind == "name" and part.value == self.key for part in parts) == 1:
            looks = [part for part in parts if part.kind == "item" and self._looks_at(part)]
            if looks:
                die_index = evaluate_known(looks[0].parts[1], env)
                if die_index is not OPEN and self._all_known(value, env):
                    self._look(
                        die_index, lambda face: value.run({**env, self.key: {die_index: face}})
                    )
                    return
        self._note_part_looks(value, env)

    def _note_part_looks(self, part: Formula, env: Env) -> None:
        """Note what a part of a formula looks at, as far as the conditions around it hold."""
        if part.kind == "name" and part.value == self.key:
            raise EveryFace
        if self._looks_at(part):
            self._note_taken(part, env)
        elif part.kind == "if":
            test, *branches = part.parts
            self._note_part_looks(test, env)
            test_value = evaluate_known(test, env)
            for branch, holds in zip(branches, (True, False), strict=True):
                if test_value is OPEN or bool(test_value) == holds:
                    self._note_part_looks(branch, env)
        elif part.kind in ("and", "or"):
            for inner in part.parts:
                self._note_part_looks(inner, env)
                value = evaluate_known(inner, env)
                if value is not OPEN and bool(value) != (part.kind == "and"):
                    break
        else:
            for inner in part.parts:
                self._note_part_looks(inner, env)

    def _looks_at(self, part: Formula) -> bool:
        """Return whether a part looks at a face by its index, or counts faces by a test."""
        if part.kind not in ("item", "how_many"):
            return False
        return part.parts[0].kind == "name" and part.parts[0].value == self.key

    def _note_taken(self, part: Formula, env: Env) -> None:
        """Note an index or a test. Raises EveryFace if it is not known yet."""
        argument = part.parts[1]
        if part.kind == "item":
            die_index = evaluate_known(argument, env)
            if die_index is OPEN:
                raise EveryFace
            self._look(die_index, lambda face: face)
        elif not self._all_known(argument, env):
            raise EveryFace
        else:
            self._look(None, lambda face: not argument.run({**env, FACE: face}))

    def _look(self, die_index: Any, look: Callable[[Any], Any]) -> None:
        values = [look(face) for face in self._faces]
        self.found.append((die_index, tuple([(value.__class__, value) for value in values])))

    def _all_known(self, part: Formula, env: Env) -> bool:
        return all(key in (FACE, self.key) or env.get(key, OPEN) is not OPEN for key in part.reads)


def faces_of(die: Die) -> tuple[Any, ...]:
    """Return the faces of a die."""
    return die.faces or tuple(range(1, die.sides + 1))


@lru_cache(maxsize=256)
def group_pool_rolls(keys: tuple[tuple[Shape, bool, bool, Looks | None], ...]) -> Weighted:
    """Return the rolls that differ for later steps, with weights.

    Each key has the dice, whether their sum and whether their single faces are read, and if only
    some tests of faces are read, these (else None). The faces of all keys are in one tuple.
    """
    rolls_by_key = [_group_key_rolls(*key) for key in keys]
    grouped = []
    for rolls in product(*rolls_by_key):
        weight = prod([weight for weight, _ in rolls])
        grouped.append((weight, tuple([face for _, faces in rolls for face in faces])))
    return tuple(grouped)


def _group_key_rolls(shape: Shape, summed: bool, single: bool, looks: Looks | None) -> Any:
    """Return the rolls of one key that differ for later steps, with weights.

    If nothing of them is read, it is any one roll with the weight of all. Dice of which only the
    sum is read are grouped by sum.
    """
    dice = tuple(Die("", sides, faces) for sides, faces in shape)
    if not summed and not single:
        any_roll = tuple([die.faces[0] if die.faces else 1 for die in dice])
        return ((prod(die.sides for die in dice), any_roll),)
    if looks is not None:
        return group_by_looks(dice, looks)
    if single or not dice or dice[0].faces:
        return list_all_rolls(dice)
    return group_sums(len(dice), dice[0].sides)


def group_by_looks(dice: tuple[Die, ...], looks: Looks) -> Weighted:
    """Return the rolls of identical dice, grouped by what is looked at: single dice at their index,
    and the number of others of each kind.
    """
    faces = faces_of(dice[0])
    tests = [look for die_index, look in looks if die_index is None]
    apart: dict[int, list[tuple[Any, ...]]] = {}
    for die_index, look in looks:
        if die_index.__class__ is int and 0 <= die_index < len(dice):
            apart.setdefault(die_index, []).append(look)

    def kinds(looked: list[tuple[Any, ...]]) -> Weighted:
        positions = {face: position for position, face in enumerate(faces)}
        return group_values(faces, lambda face: tuple([look[positions[face]] for look in looked]))

    return list_pool_rolls(
        len(dice),
        kinds(tests),
        tuple(
            [
                (die_index, kinds([*tests, *tests_here]))
                for die_index, tests_here in sorted(apart.items())
            ]
        ),
    )


# -- the step of a plan


class Segment:
    """One roll of a plan, a `Step`. `pools` are the dice that are not read as a whole, by index."""

    __slots__ = ("_kept", "_keys", "_pools", "_rest", "_roll")

    def __init__(self, site: Site, pools: Mapping[int, FacePool]) -> None:
        self._roll, self._rest = site
        self._keys = self._roll.keys
        self._pools = pools
        self._kept: dict[tuple[Any, ...], Looks | None] = {}

    def rule(self, state: Now, faces: tuple[Any, ...], /) -> Ruling[Now]:
        """Return the ruling on the roll. Raises UserError if a formula cannot use the values."""
        env = build_env(zip(self._keys, state.values, strict=False))
        next_state = END
        try:
            self._lay(env, state, faces)
            for steps, start in self._rest:
                if (owed := run_steps(steps, env, start)) is not None:
                    next_state = owed
                    break
        except UNWORKABLE as error:
            raise make_unworkable_error(error) from None
        return Ruling(next_state, env[TOLD], env[LINES].copy, env[NOTES])

    def _lay(self, env: Env, state: Now, faces: tuple[Any, ...]) -> None:
        """Set the sums and faces that later steps read."""
        keys_read = self._roll.faces
        for key, (first, last) in zip(
            self._roll.dice_keys, self._get_dice(state).cuts, strict=True
        ):
            if key in keys_read:
                env[key] = sum(faces[first:last])
            if (single := key + FACES) in keys_read:
                env[single] = faces[first:last]

    def _get_dice(self, state: Now) -> Dice:
        return self._roll.constant_dice or build_dice(state.values[-1])

    def list_dice(self, state: Now, /) -> tuple[Die, ...]:
        """Return the dice of this state."""
        return self._get_dice(state).dice

    def group_rolls(self, state: Now, /) -> Weighted:
        """Return the rolls that differ for later steps, with weights."""
        requested = self._get_dice(state)
        kinds = list[Any]()
        roll = self._roll
        for index, (key, (first, last)) in enumerate(
            zip(roll.dice_keys, requested.cuts, strict=True)
        ):
            dice = requested.dice[first:last]
            looks = self._find_looks(state, index, dice) if dice and index in self._pools else None
            shape = tuple([(die.sides, die.faces) for die in dice])
            kinds.append((shape, key in roll.faces, key + FACES in roll.faces, looks))
        return group_pool_rolls(tuple(kinds))

    def _find_looks(self, state: Now, index: int, dice: tuple[Die, ...]) -> Looks | None:
        """Return what later steps look at of `dice`, those at `index` in the roll.

        The values of this state are known. None if they need every face, or if it cannot be told.
        """
        pool = self._pools[index]
        deciding_values = [
            value for key, value in zip(self._keys, state.values, strict=False) if key in pool.reads
        ]
        key = (index, dice[0].sides, dice[0].faces, *deciding_values)
        if key not in self._kept:
            self._kept[key] = pool.find_looks(
                faces_of(dice[0]), dict(zip(self._keys, state.values, strict=False))
            )
        return self._kept[key]


class WordedSegment(Segment):
    """A roll of dice with words. The last value of its state are the faces drawn so far, the one
    before it the dice.
    """

    def _pool(self, state: Now) -> ExpressionPool:
        ((count, sides, _),) = state.values[-2]
        return build_pool(int(count), sides, self._roll.words)

    def list_dice(self, state: Now, /) -> tuple[Die, ...]:
        """Return all initial dice, and after them one die at a time."""
        dice = build_dice(state.values[-2]).dice
        return dice[:1] if state.values[-1] else dice

    def rule(self, state: Now, faces: tuple[Any, ...], /) -> Ruling[Now]:
        """Return the ruling on the finished roll, or the state with these faces if more dice must
        be rolled.
        """
        if faces and faces[0].__class__ is WordedResult:
            return super().rule(state, faces)
        faces_drawn = (*state.values[-1], *faces)
        result = sum_worded_dice(self._pool(state), faces_drawn)
        if result is None:
            return Ruling(Now(state.next_step, (*state.values[:-1], faces_drawn)))
        return super().rule(state, (result,))

    def _lay(self, env: Env, _state: Now, faces: tuple[Any, ...]) -> None:
        (key,) = self._roll.dice_keys
        env[key], env[key + FACES], env[key + SHOWN] = faces[0]

    def group_rolls(self, state: Now, /) -> Weighted:
        """Return the rolls that differ for later steps, each as its result, with weights."""
        (key,), keys_read, pool = self._roll.dice_keys, self._roll.faces, self._pool(state)
        dice = build_dice(state.values[-2]).dice
        looks = self._find_looks(state, 0, dice) if dice and self._pools else None
        tests = (
            None
            if looks is None or any(die_index is not None for die_index, _ in looks)
            else tuple([look for _, look in looks])
        )
        weighted: Any = list_worded_rolls(pool, key in keys_read, key + FACES in keys_read, tests)
        rolls: Weighted = weighted
        return rolls
