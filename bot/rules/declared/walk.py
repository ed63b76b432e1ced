"""A program gone through with dice: it runs to the next roll, and goes on from there with what is still read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from bot.rules.declared.closures import Env, Run, always
from bot.rules.declared.formulas import Formula
from bot.rules.declared.program import (
    Block,
    For,
    If,
    Keys,
    Let,
    Refuse,
    Roll,
    Say,
    Statement,
    Stop,
    Take,
    Tell,
    assigned,
    before_dice,
)
from bot.rules.declared.running import Dice, Now, counted, dice_of, listed, or_null, total, twice
from bot.rules.declared.settling import change, fate, pieced, result
from bot.rules.declared.types import FACES
from bot.rules.sequence.sequence import Line

TOLD, LINES, NOTES = " told", " lines", " notes"
"""Where outputs, lines and notes are collected: keys that no name can be."""
END = Now(None)
Do: TypeAlias = Callable[[Env], Now | None]
"""Carries a statement out: the state where a roll is owed or the sequence ends, None where it goes on."""
Frame: TypeAlias = tuple[list[Do], int]
"""Steps, and the first of them that is still to be done."""


class Site(NamedTuple):
    """A roll: what its state holds, and what follows. `dice` are those that never change, else they are last in it."""

    roll: Roll
    dice: Dice | None
    keys: tuple[str, ...]
    """The keys whose values the state holds, in this order."""
    early: Keys
    """The keys set before the first die that are read after it."""
    loops: tuple[For, ...]
    """The lists that it is within, whose items are found again by their numbers."""
    fixed: Keys
    rest: tuple[Frame, ...]
    """What follows it, from inside to outside."""

    @property
    def name(self) -> str:
        """The step that owes it."""
        return f"{self.roll.site:04}"

    def env(self, early: Env, state: Now) -> Env:
        """The values at hand once its dice are to fall; `early` are those of the keys set before the first die."""
        env = early.copy()
        env.update(zip(self.keys, state.values, strict=False))
        for one in self.loops:
            number = env[one.number]
            if one.each.key in self.fixed:
                env[one.each.key] = env[one.items][number]
            if one.each.at in self.fixed:
                env[one.each.at] = number
        return env

    def fallen(self, early: Env, state: Now, faces: tuple[Any, ...]) -> tuple[Now, Env]:
        """The state after these dice, and what they told."""
        env = self.env(early, state)
        env[TOLD], env[LINES], env[NOTES] = {}, [], []
        dice, read = self.dice or state.values[-1], self.roll.faces
        for (key, *_), (first, last) in zip(self.roll.dice, dice.cuts, strict=True):
            if key in read:
                env[key] = sum(faces[first:last])
            if (single := key + FACES) in read:
                env[single] = faces[first:last]
        for steps, at in self.rest:
            for step in steps[at:]:
                if (owed := step(env)) is not None:
                    return owed, env
        return END, env


class Walk:
    """A program whose steps are closures. `inputs` are the names that it begins with."""

    def __init__(self, program: Block, inputs: Iterable[str]) -> None:
        self.program, self.sites = program, dict[str, Site]()
        self._early = before_dice(program, inputs)
        self._start = self._block(program, (), ())

    def begin(self, known: Mapping[str, Any]) -> tuple[Now, Env]:
        """The state after what comes before the first die, and the values at hand."""
        env = {**known, TOLD: {}, LINES: [], NOTES: []}
        return _go(self._start, env) or END, env

    # -- statements

    def _block(self, block: Block, rest: tuple[Frame, ...], loops: tuple[For, ...]) -> list[Do]:
        steps: list[Do] = []
        for at, one in enumerate(block):
            steps.append(self._one(one, ((steps, at + 1), *rest) if block[at + 1 :] else rest, loops))
        return steps

    def _one(self, one: Statement, rest: tuple[Frame, ...], loops: tuple[For, ...]) -> Do:
        if isinstance(one, Let):
            return _let(one.key, one.value.run)
        if isinstance(one, If):
            return _if(one.when.run, self._block(one.then, rest, loops), self._block(one.other, rest, loops))
        if isinstance(one, For):
            return self._for(one, rest, loops)
        if isinstance(one, Roll):
            return self._roll(one, rest, loops)
        if isinstance(one, Stop):
            when = one.when.run
            return lambda env: END if when(env) else None
        assert not isinstance(one, Refuse), "inputs are refused before"
        return _tell(one) if isinstance(one, Tell) else _say(one) if isinstance(one, Say) else _take(one)

    def _for(self, one: For, rest: tuple[Frame, ...], loops: tuple[For, ...]) -> Do:
        body: list[Do] = []
        each, number, items, only, asked = one.each, one.number, one.items, one.only, one.asked
        chosen = None if each.only is None else each.only.run

        def through(env: Env, first: int) -> Now | None:
            some, wanted = env[items], env[only] if only else None
            for at in range(first, len(some)):
                if (only and at != wanted) or (asked and at not in env[asked]):
                    continue
                env[number], env[each.key], env[each.at] = at, some[at], at
                if (owed := _go(body, env)) is not None:
                    return owed
            return None

        def start(env: Env) -> Now | None:
            env[items] = some = listed(each.items.run(env))
            if chosen is not None:
                env[only] = chosen(env) if some else None
            return through(env, 0)

        inside = (*loops, one) if one.rolls else loops
        body += self._block(one.body, (([lambda env: through(env, env[number] + 1)], 0), *rest), inside)
        return start

    def _roll(self, one: Roll, rest: tuple[Frame, ...], loops: tuple[For, ...]) -> Do:
        fixed = _fixed(loops) & one.after
        keys = tuple(sorted((one.after | frozenset(one.loops)) - self._early - fixed))
        specs = [tuple([formula.run for formula in three]) for _, *three in one.dice]
        always = not any(formula.reads for _, *three in one.dice for formula in three)
        dice = _asked(specs, {}) if always else None
        site = Site(one, dice, keys, self._early & one.after, loops, fixed, rest)
        self.sites[site.name] = site
        name = site.name

        def owed(env: Env) -> Now:
            values = tuple([env[key] for key in keys])
            return Now(name, values if always else (*values, _asked(specs, env)))

        return owed


def _fixed(loops: tuple[For, ...]) -> Keys:
    """The keys of lists that say nothing beyond the number of the item: they are found again, not remembered."""
    fixed, outside = set[str](), set[str]()
    for loop in loops:
        own = {loop.each.key, loop.each.at}
        fixed |= own - assigned(loop.body).keys() - outside
        outside |= own
    return frozenset(fixed)


def _asked(specs: Iterable[tuple[Run, ...]], env: Env) -> Dice:
    return dice_of(tuple([tuple([spec(env) for spec in three]) for three in specs]))


def _go(steps: list[Do], env: Env) -> Now | None:
    for step in steps:
        if (owed := step(env)) is not None:
            return owed
    return None


def _let(key: str, value: Run) -> Do:
    def do(env: Env) -> None:
        env[key] = value(env)

    return do


def _if(when: Run, then: list[Do], other: list[Do]) -> Do:
    return lambda env: _go(then if when(env) else other, env)


def _tell(one: Tell) -> Do:
    value, once = one.value.run, one.once
    always = None if any(number for _, number in one.within) else path_to(one.within, one.name, {})

    def do(env: Env) -> None:
        if once and env[once]:
            twice(one.name)
        found = value(env)
        path = path_to(one.within, one.name, env) if always is None else always
        env[TOLD][path] = or_null(found) if one.null else found

    return do


def path_to(within: Iterable[tuple[str, str]], output: str, env: Env) -> str:
    """The path of an output: `targets[0].result`."""
    places = [f"{listed}[{env[number] if number else 0}]" for listed, number in within]
    return ".".join([*places, output] if output else places)


def filled(ready: Any) -> Run:
    """All formulas of a line or note in their places."""
    if isinstance(ready, Formula):
        return ready.run
    if isinstance(ready, Mapping):
        named = {key: filled(value) for key, value in ready.items()}
        return lambda env: {key: value(env) for key, value in named.items()}
    if isinstance(ready, list | tuple):
        some = [filled(value) for value in ready]
        return lambda env: tuple([value(env) for value in some])
    return always(ready)


def _say(one: Say) -> Do:
    ready = one.ready
    when = None if ready["when"] is None else ready["when"].run
    said = filled([ready[key] for key in ("label", "dice", "parts", "total", "result", "contributors", "unit")])

    def do(env: Env) -> None:
        if when is None or when(env):
            label, dice, parts, sum_, result, more, unit = said(env)
            faces = tuple([face for some in dice for face in some])
            shown = None if ready["total"] is None else total(sum_)
            env[LINES].append(Line(label, faces, counted(parts), shown, result, counted(more), unit))

    return do


def _take(one: Take) -> Do:
    kind, ready = one.kind, one.ready
    when = ready["when"].run if ready.get("when") is not None else None
    said = filled({key: value for key, value in ready.items() if key != "when"})

    def do(env: Env) -> None:
        if when is None or when(env):
            env[NOTES].append(_noted(kind, said(env)))

    return do


def _noted(kind: str, said: dict[str, Any]) -> tuple[str, Any]:
    """A note for the end."""
    if kind == "change":
        return change(**said)
    if "say" in said:
        return kind, pieced(said["say"])
    noted = fate if kind == "fate" else result
    return noted(*[said[key] for key in ("unit", "is", "more") if key in said])
