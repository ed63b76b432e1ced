"""A file of declared sequences, and one of them: checked when it is loaded, planned for given inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from bot.rules.declared.calls import NONE, said
from bot.rules.declared.checks import check, rows_in
from bot.rules.declared.formulas import Formulas
from bot.rules.declared.load import Loader, Place
from bot.rules.declared.looking import Pool
from bot.rules.declared.needed import Slicer, asked_key, dice_decide
from bot.rules.declared.program import NOTHING, Block, Builder, Keys, loops_in
from bot.rules.declared.rolls import pools_of, steps_of
from bot.rules.declared.running import UNWORKABLE, Now, unworkable
from bot.rules.declared.setting import Head, Setting
from bot.rules.declared.settling import settled
from bot.rules.declared.types import NUMBERS, Name, Names, words_in
from bot.rules.declared.walk import LINES, NOTES, TOLD, Walk
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.options import Option
from bot.rules.sequence.sequence import Plan, Row, Settlement, no_closing, row_of

if TYPE_CHECKING:
    from bot.rules.declared.bounds import Bound

KEYS = ("lists", "formulas", "blocks", "sequences")
_INDEX, _PLACE = re.compile(r"\[\d+\]"), re.compile(r"([^.\[\]]+)\[(\d+)\]")
MOST_ASKED = 32
"""For how many sets of outputs the walk of their odds is kept."""


class Library:
    """The declared sequences of one file, each loaded when it is first asked for."""

    def __init__(self, source: Mapping[str, Any], setting: Setting, heads: Mapping[str, Head]) -> None:
        for key in KEYS:
            if not isinstance(source.get(key) or {}, Mapping):
                raise setting.wrong(f"{key} must be a mapping", (key,))
        if strange := [key for key in source if key not in KEYS]:
            raise setting.wrong(f"there is no {strange[0]} here", (str(strange[0]),), str(strange[0]), KEYS)
        lists = {name: self._list(setting, name, items) for name, items in (source.get("lists") or {}).items()}
        self.setting = replace(setting, lists={**setting.lists, **lists})
        self.heads, self.ids = heads, tuple(source.get("sequences") or {})
        self._source = source
        self._found: dict[str, Declared] = {}

    def _list(self, setting: Setting, name: str, items: object) -> Any:
        if not isinstance(items, list | Mapping):
            raise setting.wrong(f"{name} must be a list, or a mapping of words", ("lists", name))
        return items if isinstance(items, Mapping) else tuple(items)

    def declared(self, id: str) -> Declared:
        """The sequence `id`, checked. Raises TableError."""
        found = self._found.get(id)
        if found is None:
            found = self._found[id] = self._load(id)
        return found

    def _load(self, id: str) -> Declared:
        spec, where = self._source["sequences"][id], ("sequences", id)
        if not isinstance(spec, Mapping) or "steps" not in spec:
            raise self.setting.wrong("a sequence needs steps", where)
        if strange := [key for key in spec if key not in ("steps", "outputs")]:
            raise self.setting.wrong(
                f"a sequence has no {strange[0]} here", where, str(strange[0]), ("steps", "outputs")
            )
        head = self.heads.get(id)
        if head is None:
            raise self.setting.wrong(f"there is no sequence {id} whose steps these are", where, id, self.heads)
        head = replace(head, outputs={**head.outputs, **(spec.get("outputs") or {})})
        formulas = Formulas(self.setting)
        formulas.tokens |= {word for said in head.outputs.values() for word in words_in(said)}
        formulas.tokens |= {str(word) for option in head.inputs for word in option.values}
        for name, text in (self._source.get("formulas") or {}).items():
            formulas.define(str(name), text, ("formulas", name))
        loader = Loader(formulas, self._source.get("blocks") or {}, head.outputs, head.odds_by)
        steps = loader.steps(spec["steps"], Place(_inputs(head.inputs)), (*where, "steps"))
        return Declared(id, head, formulas, loader, steps)


class Declared:
    """One declared sequence."""

    def __init__(self, id: str, head: Head, formulas: Formulas, loader: Loader, steps: list[Any]) -> None:
        self.id, self.head = id, head
        self._lists = tuple(name for name, said in loader.outputs.items() if said.startswith("list"))
        self._by_item, self._inputs = frozenset(loader.by_item), tuple(_inputs(head.inputs))
        self._wrong, self._scope = formulas.setting.wrong, formulas.scope
        builder = Builder(frozenset((*self._lists, *loader.items)), formulas.setting, formulas.scope)
        self.program: Block = builder.program(steps)
        self._has_rows = any(one.row is not None for one in loops_in(self.program))
        self._asked: dict[frozenset[str], tuple[Walk, Mapping[str, Mapping[int, Pool]]]] = {}

    def bound(self, units: int, path: str = "") -> Bound | None:
        """How many states the odds of an output (or its own) have, with at most so many `units` in a list, or None."""
        from bot.rules.declared.bounds import bound_of

        path = _INDEX.sub("", path or self.head.odds_by)
        return bound_of(self._kept(frozenset((path,)))[0], self.head.inputs, self._scope, units) if path else None

    def check_odds(self) -> None:
        """Raises TableError for odds that nobody could ever count, however few units are listed."""
        from bot.rules.odds.odds import STATE_BUDGET

        bound = self.bound(0)
        if bound is not None and bound.least > STATE_BUDGET:
            raise self._wrong(
                f"the odds by {self.head.odds_by} can never be counted: the dice that are read later come to "
                f"{bound.least:,.0f} states, and {STATE_BUDGET:,} are the most",
                ("sequences", self.id),
            )

    @cached_property
    def dice(self) -> Keys:
        """The keys that dice decide, always or on some way."""
        return dice_decide(self.program)

    @cached_property
    def _play(self) -> Walk:
        return self._walk(None)

    def _kept(self, asked: frozenset[str] | None) -> tuple[Block, Keys]:
        """What of the program is needed, and the inputs that it reads."""
        kept, live, _ = Slicer(asked, self.dice).block(self.program, NOTHING, False)
        return kept, live

    def _walk(self, asked: frozenset[str] | None) -> Walk:
        kept, live = self._kept(asked)
        return Walk(kept, (*self._inputs, *live))

    def plan(self, given: Given) -> Plan[Now]:
        """The plan for cleaned inputs. Raises UserError for what the steps refuse."""
        if any(option.type == "mods" for option in self.head.inputs):
            _refuse_values(given)
        known = values_of(self.head.inputs, given)
        try:
            check(self.program, known)
            walk = self._play
            start, env = walk.begin(known)
        except UNWORKABLE as error:
            raise unworkable(error) from None
        told = _with_lists(env[TOLD], self._lists, self._by_item) if self._lists else env[TOLD]

        def rows() -> tuple[Row, ...]:
            found = rows_in(self.program, known)
            return tuple([replace(row_of(path, said(name)), alike=alike) for path, name, alike in found])

        def focus(paths: tuple[str, ...]) -> Plan[Now]:
            return self._focus(known, paths)

        return Plan(
            start, steps_of(walk, start, env, {}), never, told, no_closing, tuple(env[LINES]), focus,
            rows if self._has_rows else (), None, tuple(env[NOTES]), settled,
        )  # fmt: skip

    def _focus(self, known: Mapping[str, Any], paths: tuple[str, ...]) -> Plan[Now]:
        """The plan of the odds of some outputs, which remembers no more than these need."""
        asked = frozenset(_INDEX.sub("", path) for path in paths)
        if asked not in self._asked:
            if len(self._asked) >= MOST_ASKED:
                self._asked.clear()
            walk = self._walk(asked)
            self._asked[asked] = walk, {name: pools_of(walk, site) for name, site in walk.sites.items()}
        walk, pools = self._asked[asked]
        try:
            start, env = walk.begin({**known, **places_in(paths)})
        except UNWORKABLE as error:
            raise unworkable(error) from None
        return Plan(start, steps_of(walk, start, env, pools), never, env[TOLD])


def _inputs(options: tuple[Option, ...]) -> Names:
    """The names that a sequence begins with: its inputs, the words of its `mods`, and which were typed."""
    kinds = NUMBERS | {"units": "units", "unit": "unit"}
    names: Names = {}
    for option in options:
        name = shown_name(option.name)
        names[name] = Name(name, kinds.get(option.type, "text"))
        names[f"{option.name}_typed"] = Name(f"{option.name}_typed", "bool")
        if option.type == "mods":
            names |= {str(word): Name(str(word), "bool") for word in option.values}
    return names


def _refuse_values(given: Given) -> None:
    for word in given.mods:
        name, equals, _ = word.partition("=")
        if equals:
            say = f'mods takes {name} alone, not "{word[:40]}".'
            raise UserError(say, hint=f"Type {name}.", option="mods", code="unknown-modifier")


def values_of(options: Iterable[Option], given: Given) -> dict[str, Any]:
    """The values of the names that a declared sequence begins with; of two with one name the later counts."""
    known: dict[str, Any] = {}
    for option in options:
        name, value = option.name, given.values.get(option.name)
        if option.type == "units":
            value = given.lists.get(name, ())
        elif option.type == "unit":
            value = given.roster.get(name)
            value = NONE if value is None else value
        elif option.type == "bool":
            value = value or name in given.mods if given.mods else value
        elif value is None and not option.required:
            value = NONE
        known[shown_name(name)], known[f"{name}_typed"] = value, name in given.typed
        if option.type == "mods":
            known |= {str(word): given.flag(str(word)) for word in option.values}
    return known


def shown_name(name: str) -> str:
    """An input as formulas write it: one named `from` is written from_."""
    return f"{name}_" if iskeyword(name) else name.replace("-", "_")


def places_in(paths: Iterable[str]) -> dict[str, frozenset[int]]:
    """The places that are asked for in each list: `targets[0].men[2].fate` has one in `targets` and one in `men`."""
    found: dict[str, set[int]] = {}
    for path in paths:
        for deep, (listed, at) in enumerate(_PLACE.findall(path)):
            found.setdefault(asked_key(deep, listed), set()).add(int(at))
    return {key: frozenset(places) for key, places in found.items()}


def _with_lists(told: dict[str, Any], lists: Sequence[str], by_item: frozenset[str]) -> dict[str, Any]:
    """The outputs with lists that nobody enters empty, those told `by_item` behind what is known before."""
    before: dict[str, Any] = {}
    behind: dict[str, Any] = {}
    for name in lists:
        value = told.get(name, NONE)
        if value == NONE:
            (behind if name in by_item else before)[name] = []
        elif isinstance(value, tuple):
            told[name] = list(value)
    return {**before, **told, **behind}


def never(_out: Any) -> Settlement:
    """Nobody asks: a declared sequence settles by its notes."""
    raise AssertionError("a declared sequence settles by its notes")
