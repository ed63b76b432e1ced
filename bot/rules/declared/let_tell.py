"""`let`, `add`, `tell`, `stop` and `refuse`: set values, set outputs, and end a sequence."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bot.rules.codes import CODES
from bot.rules.declared.compile_context import Path, describe_type, get_stated_type
from bot.rules.declared.formula import Env, Formula, build_constant, build_formula, build_name
from bot.rules.declared.formula_functions import NONE
from bot.rules.declared.interpreter import END, TOLD, Do, Here, Keys, OuterList, build_path
from bot.rules.declared.odds_limits import Names, PossibleValues, StateCounter, compute_known
from bot.rules.declared.output_steps import build_sentence
from bot.rules.declared.program import (
    OPEN,
    KnownValuesPass,
    Slicer,
    Statement,
    make_undecided_error,
)
from bot.rules.declared.step_parser import StepScope
from bot.rules.errors import UserError

REFUSE_KEYS = ("say", "hint", "option", "code")


@dataclass(frozen=True)
class Let(Statement):
    """A statement that sets a key to a value."""

    key: str
    value: Formula

    @property
    def sets(self) -> Keys:
        return frozenset((self.key,))

    def is_wanted(self, slicer: Slicer, /) -> bool:
        return self.key in slicer.live

    def run_partly(self, known_pass: KnownValuesPass, env: Env, /) -> bool:
        env[self.key] = known_pass.value(self.value, env)
        return False

    def do(self, _context: Here, /) -> Do:
        key = self.key
        run = self.value.run
        value = self.value.value

        def do(env: Env) -> None:
            env[key] = run(env)

        def set_value(env: Env) -> None:
            env[key] = value

        return set_value if self.value.kind == "constant" else do

    def bound(self, _counter: StateCounter, names: Names, states: float, /) -> float:
        names[self.key] = compute_known(self.value, names)
        return states


@dataclass(frozen=True)
class Tell(Statement):
    """A statement that sets an output, in its `outer_lists`. `once` is the key that says whether
    it was set before.
    """

    name: str
    outer_lists: tuple[OuterList, ...]
    value: Formula
    once: str
    where: Path
    null: bool
    """True if the value none becomes null."""
    tells = True

    @property
    def path(self) -> str:
        """The path of the output without indices: `targets.damage.status`."""
        return ".".join(filter(None, [*(name for name, _ in self.outer_lists), self.name]))

    @property
    def sets(self) -> Keys:
        return frozenset((self.once,)) - {""}

    @cached_property
    def reads(self) -> Keys:
        return (
            super().reads
            | self.sets
            | frozenset(number for _, number in self.outer_lists if number)
        )

    def is_wanted(self, slicer: Slicer, /) -> bool:
        return slicer.asked is None or self.path in slicer.asked

    def bound(self, counter: StateCounter, names: Names, states: float, /) -> float:
        names |= dict.fromkeys(self.sets, PossibleValues(frozenset((True,))))
        return super().bound(counter, names, states)

    def do(self, _context: Here, /) -> Do:
        """Set the output. Raises UserError if it was set before."""
        run = self.value.run
        once = self.once
        null = self.null
        name = self.name
        outer_lists = self.outer_lists
        always = (
            None if any(number for _, number in outer_lists) else build_path(outer_lists, name, {})
        )

        def do(env: Env) -> None:
            if once:
                if env[once]:
                    raise UserError(
                        f"The steps of this sequence tell {name} twice.", code="card-refuses"
                    )
                env[once] = True
            value = run(env)
            env[TOLD][build_path(outer_lists, name, env) if always is None else always] = (
                None if null and value == NONE else value
            )

        return do


@dataclass(frozen=True)
class Stop(Statement):
    """A statement that ends the sequence if its condition holds."""

    when: Formula
    ends = True

    @property
    def always(self) -> bool:
        """Return whether it ends in any case."""
        return self.when.source in ("true", "True")

    def get_keys_read_before(self, live: Keys) -> Keys:
        """Return only its own keys if it always ends: then nothing after it is read."""
        return self.reads if self.always else live | self.reads

    def is_wanted(self, slicer: Slicer, /) -> bool:
        """Return whether it is kept: in play always, in odds if an output is set later."""
        return slicer.asked is None or slicer.tells

    def run_partly(self, known_pass: KnownValuesPass, env: Env, /) -> bool:
        stops = known_pass.value(self.when, env)
        known_pass.unsure += stops is OPEN
        return stops is not OPEN and bool(stops)

    def do(self, _context: Here, /) -> Do:
        holds = self.when.run
        return lambda env: END if holds(env) else None


@dataclass(frozen=True)
class Refuse(Statement):
    """A statement that refuses the inputs. Every second piece of the `hint` is a command. It is
    checked before the first die.
    """

    say: Formula
    hint: tuple[Formula, ...]
    option: Formula
    code: str

    def is_wanted(self, _slicer: Slicer, /) -> bool:
        """Return False: play and odds start after the check."""
        return False

    def check(self, known_pass: KnownValuesPass, env: Env, /) -> None:
        """Raise the UserError of the refusal."""
        say, option, *hint = [
            known_pass.value(formula, env) for formula in (self.say, self.option, *self.hint)
        ]
        if OPEN in (say, option, *hint):
            raise make_undecided_error("what a refusal says")
        raise UserError(
            str(say),
            hint=build_sentence(list(map(str, hint))),
            option=str(option) or None,
            code=self.code,
        )

    def do(self, _context: Here, /) -> Do:
        return lambda env: self.check(KnownValuesPass(), env)


def read_let(spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read `let: {total: roll + mod}`: values that are set in order."""
    for name, source in scope.mapping(spec, path).items():
        scope.check_name(name, (*path, name))
        value = scope.formula(source, (*path, name))
        yield Let(scope.set_name(str(name), value.type), value)


def read_add(spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read `add: {drm: {cover: 1, night: 2 if night else 0}}`: add named parts to a list.

    Parts of 0 are left out. Raises TableError for a name that cannot be used, a formula that cannot
    be read, and a list without parts.
    """
    for name, parts_by_label in scope.mapping(spec, path).items():
        scope.check_name(name, (*path, name))
        for label, source in scope.mapping(parts_by_label, (*path, name)).items():
            item_path = (*path, name, label)
            earlier = (
                build_name(scope.names[name].key) if name in scope.names else build_constant(())
            )
            word = scope.text(label, item_path)
            part = scope.formula(source, item_path)
            yield Let(
                scope.set_name(str(name), "parts"),
                build_formula(
                    "add", "parts", _compile_addition(earlier, word, part), earlier, word, part
                ),
            )
        if not parts_by_label:
            raise scope.make_error(f"add needs the parts of {name}", path[:-1])


def _compile_addition(earlier: Formula, label: Formula, part: Formula) -> Any:
    """Return the function that adds the part and its label to the earlier parts, unless it is 0."""

    def add_part(env: Env) -> Any:
        parts = earlier.run(env)
        value = part.run(env)
        return (*parts, (label.run(env), value)) if value else parts

    return add_part


def read_tell(spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read `tell: {result: pass if held else fails}`: set an output of the item or of the sequence.

    Raises TableError for a formula that cannot be read, and for one that is a unit.
    """
    sheet = scope.sheet
    for name, source in scope.mapping(spec, path).items():
        item_path = (*path, name)
        name = str(name)
        value = scope.formula(source, item_path)
        if value.type in ("unit", "units"):
            raise scope.make_error(
                f"{name} is a word or number, and this is {describe_type(value.type)}: quote a word",
                item_path,
            )
        of_item = _of_item(name, scope, value, item_path)
        kind = (sheet.items.get(scope.into, {}) if of_item else sheet.outputs).get(name, "")
        plain = of_item and sheet.plain(name)
        null = "null" in re.findall(r"\w+", kind)
        sheet.by_item |= {name} if plain else set()
        sheet.told.add((scope.into if of_item else "", name))
        if name not in scope.names:
            key = scope.set_name(name, value.type)
            yield Let(key, value)
            value = build_name(key)
        once = "" if of_item else f"told {name}"
        if once:
            sheet.begins[once] = False
        yield Tell(
            "" if plain else name,
            scope.outer_lists if of_item else (),
            value,
            once,
            item_path,
            null,
        )


def _of_item(name: str, scope: StepScope, value: Formula, path: Path) -> bool:
    """Return whether the output is one of the current item. Raises TableError for an output that
    the sequence does not have.
    """
    sheet = scope.sheet
    items = sheet.items.get(scope.into, {})
    if name not in items and name not in sheet.outputs:
        raise scope.make_error(f"there is no output {name}", path, name, [*items, *sheet.outputs])
    kind = items[name] if name in items else sheet.outputs[name]
    want = get_stated_type(kind)
    if want != "any" and value.type not in (want, "any", "none"):
        raise scope.make_error(
            f"output {name} is {kind}, but {describe_type(value.type)} is told", path
        )
    if name in sheet.items and value.type in ("number", "bool", "text"):
        raise scope.make_error(f"{name} is a list; go through one with each, into: {name}", path)
    return name in items or (name == scope.into and sheet.plain(name))


def read_refuse(spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read `refuse: "{unit} has fired"`, or a mapping with `say`, `hint`, `option` and `code`."""
    spec = spec if isinstance(spec, Mapping) else {"say": spec}
    scope.check_keys("refuse", spec, REFUSE_KEYS, path)
    if "say" not in spec:
        raise scope.make_error("refuse needs a text to say", path)
    code = str(spec.get("code", "card-refuses"))
    if code not in CODES:
        raise scope.make_error(f"there is no code {code}", path, code, CODES)
    hint = scope.pieces(spec.get("hint", ""), path)
    say, option = (scope.text(spec.get(key, ""), (*path, key)) for key in ("say", "option"))
    yield Refuse(say, hint, option, code)
