"""`let`, `add`, `tell`, `stop` and `refuse`: values under their keys, outputs, and what ends a
sequence.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bot.rules.codes import CODES
from bot.rules.declared.compile_context import Path, describe_type, get_stated_type
from bot.rules.declared.formula import Env, Formula, build_constant, build_formula, build_name
from bot.rules.declared.formula_functions import NONE
from bot.rules.declared.interpreter import END, TOLD, Do, Here, Keys, build_path
from bot.rules.declared.odds_limits import Counter, Names, PossibleValues, compute_known
from bot.rules.declared.output_steps import build_sentence
from bot.rules.declared.program import OPEN, Partial, Slicer, Statement, make_undecided_error
from bot.rules.declared.step_parser import StepScope
from bot.rules.errors import UserError

REFUSE_KEYS = ("say", "hint", "option", "code")


@dataclass(frozen=True)
class Let(Statement):
    """A value under its key."""

    key: str
    value: Formula

    @property
    def sets(self) -> Keys:
        return frozenset((self.key,))

    def is_wanted(self, slicer: Slicer, /) -> bool:
        return self.key in slicer.live

    def run_partly(self, partial: Partial, env: Env, /) -> bool:
        env[self.key] = partial.value(self.value, env)
        return False

    def do(self, _here: Here, /) -> Do:
        key = self.key
        run = self.value.run
        value = self.value.value

        def do(env: Env) -> None:
            env[key] = run(env)

        def set_value(env: Env) -> None:
            env[key] = value

        return set_value if self.value.kind == "constant" else do

    def bound(self, _counter: Counter, names: Names, states: float, /) -> float:
        names[self.key] = compute_known(self.value, names)
        return states


@dataclass(frozen=True)
class Tell(Statement):
    """An output, in lists at the places `within`. `once` is the key that says whether it has
    been told already.
    """

    name: str
    within: tuple[tuple[str, str], ...]
    value: Formula
    once: str
    where: Path
    null: bool
    """Whether none is told as null."""
    tells = True

    @property
    def path(self) -> str:
        """The path of the output without the places of items: `targets.damage.status`."""
        return ".".join(filter(None, [*(name for name, _ in self.within), self.name]))

    @property
    def sets(self) -> Keys:
        return frozenset((self.once,)) - {""}

    @cached_property
    def reads(self) -> Keys:
        return super().reads | self.sets | frozenset(number for _, number in self.within if number)

    def is_wanted(self, slicer: Slicer, /) -> bool:
        return slicer.asked is None or self.path in slicer.asked

    def bound(self, counter: Counter, names: Names, states: float, /) -> float:
        names |= dict.fromkeys(self.sets, PossibleValues(frozenset((True,))))
        return super().bound(counter, names, states)

    def do(self, _here: Here, /) -> Do:
        """Tell it. Raises UserError for an output that is told once more."""
        run = self.value.run
        once = self.once
        null = self.null
        name = self.name
        within = self.within
        always = None if any(number for _, number in within) else build_path(within, name, {})

        def do(env: Env) -> None:
            if once:
                if env[once]:
                    raise UserError(
                        f"The steps of this sequence tell {name} twice.", code="card-refuses"
                    )
                env[once] = True
            found = run(env)
            env[TOLD][build_path(within, name, env) if always is None else always] = (
                None if null and found == NONE else found
            )

        return do


@dataclass(frozen=True)
class Stop(Statement):
    """The sequence ends here, if it holds."""

    when: Formula
    ends = True

    @property
    def always(self) -> bool:
        """Return whether it ends in any case."""
        return self.when.source in ("true", "True")

    def get_keys_read_before(self, live: Keys) -> Keys:
        """Nothing of what follows, where it always ends."""
        return self.reads if self.always else live | self.reads

    def is_wanted(self, slicer: Slicer, /) -> bool:
        """In odds where something is told later."""
        return slicer.asked is None or slicer.tells

    def run_partly(self, partial: Partial, env: Env, /) -> bool:
        ends = partial.value(self.when, env)
        partial.unsure += ends is OPEN
        return ends is not OPEN and bool(ends)

    def do(self, _here: Here, /) -> Do:
        when = self.when.run
        return lambda env: END if when(env) else None


@dataclass(frozen=True)
class Refuse(Statement):
    """The inputs are refused; every second piece of the `hint` is a command. It is found before
    any die falls.
    """

    say: Formula
    hint: tuple[Formula, ...]
    option: Formula
    code: str

    def is_wanted(self, _slicer: Slicer, /) -> bool:
        """No: play and odds come after the check."""
        return False

    def check(self, partial: Partial, env: Env, /) -> None:
        """Raise the UserError of the refusal."""
        say, option, *hint = [
            partial.value(formula, env) for formula in (self.say, self.option, *self.hint)
        ]
        if OPEN in (say, option, *hint):
            raise make_undecided_error("what a refusal says")
        raise UserError(
            str(say),
            hint=build_sentence(list(map(str, hint))),
            option=str(option) or None,
            code=self.code,
        )

    def do(self, _here: Here, /) -> Do:
        return lambda env: self.check(Partial(), env)


def read_let(said: object, place: StepScope, where: Path) -> Iterator[Statement]:
    """`let: {total: roll + mod}`: values from the first to the last."""
    for name, source in place.mapping(said, where).items():
        place.check_name(name, (*where, name))
        found = place.formula(source, (*where, name))
        yield Let(place.set_name(str(name), found.type), found)


def read_add(said: object, place: StepScope, where: Path) -> Iterator[Statement]:
    """`add: {drm: {cover: 1, night: 2 if night else 0}}`: named parts in a list, those of 0 left
    out. Raises TableError."""
    for name, named in place.mapping(said, where).items():
        place.check_name(name, (*where, name))
        for label, source in place.mapping(named, (*where, name)).items():
            at = (*where, name, label)
            before = (
                build_name(place.names[name].key) if name in place.names else build_constant(())
            )
            word = place.text(label, at)
            part = place.formula(source, at)
            yield Let(
                place.set_name(str(name), "parts"),
                build_formula(
                    "add", "parts", _compile_addition(before, word, part), before, word, part
                ),
            )
        if not named:
            raise place.make_error(f"add needs the parts of {name}", where[:-1])


def _compile_addition(before: Formula, label: Formula, part: Formula) -> Any:
    def add_part(env: Env) -> Any:
        parts = before.run(env)
        value = part.run(env)
        return (*parts, (label.run(env), value)) if value else parts

    return add_part


def read_tell(said: object, place: StepScope, where: Path) -> Iterator[Statement]:
    """`tell: {result: pass if held else fails}`: an output of the item at hand, or of the sequence.
    Raises TableError."""
    sheet = place.sheet
    for name, source in place.mapping(said, where).items():
        at = (*where, name)
        name = str(name)
        found = place.formula(source, at)
        if found.type in ("unit", "units"):
            raise place.make_error(
                f"{name} is a word or number, and this is {describe_type(found.type)}: quote a word",
                at,
            )
        of_item = _of_item(name, place, found, at)
        kind = (sheet.items.get(place.into, {}) if of_item else sheet.outputs).get(name, "")
        plain = of_item and sheet.plain(name)
        null = "null" in re.findall(r"\w+", kind)
        sheet.by_item |= {name} if plain else set()
        sheet.told.add((place.into if of_item else "", name))
        if name not in place.names:
            key = place.set_name(name, found.type)
            yield Let(key, found)
            found = build_name(key)
        once = "" if of_item else f"told {name}"
        if once:
            sheet.begins[once] = False
        yield Tell("" if plain else name, place.within if of_item else (), found, once, at, null)


def _of_item(name: str, place: StepScope, told: Formula, where: Path) -> bool:
    """Return whether the output is one of the item at hand. Raises TableError for one that the
    sequence has not.
    """
    sheet = place.sheet
    items = sheet.items.get(place.into, {})
    if name not in items and name not in sheet.outputs:
        raise place.make_error(f"there is no output {name}", where, name, [*items, *sheet.outputs])
    kind = items[name] if name in items else sheet.outputs[name]
    want = get_stated_type(kind)
    if want != "any" and told.type not in (want, "any", "none"):
        raise place.make_error(
            f"output {name} is {kind}, but {describe_type(told.type)} is told", where
        )
    if name in sheet.items and told.type in ("number", "bool", "text"):
        raise place.make_error(f"{name} is a list; go through one with each, into: {name}", where)
    return name in items or (name == place.into and sheet.plain(name))


def read_refuse(said: object, place: StepScope, where: Path) -> Iterator[Statement]:
    """`refuse: "{unit} has fired"`, or with `hint`, `option` and `code`."""
    said = said if isinstance(said, Mapping) else {"say": said}
    place.check_keys("refuse", said, REFUSE_KEYS, where)
    if "say" not in said:
        raise place.make_error("refuse needs what it says", where)
    code = str(said.get("code", "card-refuses"))
    if code not in CODES:
        raise place.make_error(f"there is no code {code}", where, code, CODES)
    hint = place.pieces(said.get("hint", ""), where)
    say, option = (place.text(said.get(key, ""), (*where, key)) for key in ("say", "option"))
    yield Refuse(say, hint, option, code)
