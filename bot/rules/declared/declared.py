"""A file of declared sequences, and one of them: checked when it is loaded, planned for given inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.rules.declared.coded import Coded
from bot.rules.declared.formulas import Formulas, Name, Names
from bot.rules.declared.load import Loader, Place
from bot.rules.declared.running import Now
from bot.rules.declared.setting import Head, Setting
from bot.rules.declared.taken import Taken, shown_name
from bot.rules.declared.types import NUMBERS, words_in
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.options import Option
from bot.rules.sequence.sequence import Plan

if TYPE_CHECKING:
    from bot.rules.declared.bounds import Bound

KEYS = ("lists", "formulas", "blocks", "sequences")


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
        lists = tuple(name for name, said in loader.outputs.items() if said.startswith("list"))
        inputs = _inputs(head.inputs)
        self._wrong = formulas.setting.wrong
        self.code = Coded(
            steps, lists, frozenset((*lists, *loader.items)), frozenset(loader.by_item), formulas, tuple(inputs)
        )
        self._mods = any(option.type == "mods" for option in head.inputs)
        self._take = Taken(head.inputs, self.code.reads)

    def bound(self, units: int) -> Bound | None:
        """How many states its odds have, with at most so many `units` in a list; None where it has no odds."""
        return self.code.bound(self.head.odds_by, self.head.inputs, units) if self.head.odds_by else None

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

    def plan(self, given: Given) -> Plan[Now]:
        """The plan for cleaned inputs. Raises UserError for what the steps refuse."""
        if self._mods:
            _refuse_values(given)
        return self.code.plan(self._take(given))


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
