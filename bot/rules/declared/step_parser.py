"""The tools that read steps: the names at a position of the file, and the checks that all kinds of
steps share.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from keyword import iskeyword
from typing import Any

from bot.rules.declared.compile_context import (
    SHOWN,
    Name,
    Names,
    Path,
    list_answering_tables,
    list_item_outputs,
    merge_types,
)
from bot.rules.declared.formula import Formula, build_name
from bot.rules.declared.formulas import Formulas
from bot.rules.declared.interpreter import OuterList
from bot.rules.errors import TableError
from bot.rules.inputs.decks import GameDeck
from bot.rules.sequence.sequence import Choice

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")


class StepCompiler:
    """The shared data of all steps of one sequence. `outputs` are its outputs, `items` those of the
    items of each list.
    """

    def __init__(
        self, formulas: Formulas, outputs: Mapping[str, Any], odds_by: str, inputs: Container[str]
    ) -> None:
        self.inputs = inputs
        self.choices: dict[str, Choice] = {}
        """The choices of sides, by name."""
        self.chosen: Names = {}
        """The names of answers that are not per item. They are none if the question was not asked,
        and stay visible after the `when` around it.
        """
        self.formulas, self.odds_by = formulas, odds_by.rpartition(".")[2]
        self.outputs = {name: str(kind) for name, kind in outputs.items()}
        self.items = {
            name: item_outputs
            for name, kind in outputs.items()
            if (item_outputs := list_item_outputs(kind))
        }
        self.lists = tuple(name for name, kind in self.outputs.items() if kind.startswith("list"))
        self.own: dict[str, dict[str, Name]] = {}
        """The values that each item of a list has, by the source of the list."""
        self.by_item: set[str] = set()
        """Lists of single values that are set item by item."""
        self.given: Names = {}
        """The names at the start."""
        self.begins: dict[str, Any] = {}
        """The values of keys before the first step."""
        self.told: set[tuple[str, str]] = set()
        """The outputs that steps set, as (list or "", name)."""
        self.by_name: set[tuple[str, str]] = set()
        """The outputs that are set by name, as (list or "", name)."""
        self.untold: dict[str, str] = {}
        """The outputs that nothing sets, and the problem of each."""
        self.decks: dict[str, GameDeck] = {}
        """The decks that it draws from, by id."""
        self.sites, self.loops, self.uses = count(1), count(1), count(1)

    def is_list(self, into: str) -> bool:
        """Return whether this is a list output."""
        return into in self.items or into in self.lists

    def plain(self, into: str) -> bool:
        """Return whether this is a list output of single values."""
        return into not in self.items and into in self.lists


@dataclass
class StepScope:
    """The scope of a step: what its formulas may name, and where its outputs go."""

    sheet: StepCompiler
    names: Names
    """The visible names."""
    into: str = ""
    """The output list of the current item; "" outside such loops."""
    outer_lists: tuple[OuterList, ...] = ()
    """The output lists around it, outermost first."""
    loops: int = 0
    """The number of loops around it."""
    depth: int = 0
    """The number of steps, branches and blocks around it."""
    key_suffix: str = ""
    """The suffix of the keys of names that are set here, so that a block has its own."""
    uses: tuple[str, ...] = field(default=())
    """The blocks around it."""
    asking_item: str = ""
    """The name of an item, if an each around it asks for each item."""
    item: str = ""
    """The name of the current item."""
    parent_key: str = ""
    """The key of the step around it: when, each or use."""
    entered: Names = field(default_factory=dict)
    """The visible names at the start of the steps for the current item."""
    outer_scope: StepScope | None = None
    """The scope in which the outermost block is used."""

    def enter(self, parent_key: str) -> StepScope:
        """Return the scope of inner steps, with a copy of the names."""
        return replace(self, names=dict(self.names), depth=self.depth + 1, parent_key=parent_key)

    def copy(self) -> StepScope:
        """Return the same scope with a copy of the names."""
        return replace(self, names=dict(self.names))

    def set_name(self, name: str, type_: str) -> str:
        """Set the type of a name and return its key. A visible name keeps its key."""
        visible_name = self.names.get(name)
        owner, dot, attribute = name.partition(".")
        merged_type = type_
        if visible_name:
            key = visible_name.key
            merged_type = merge_types(visible_name.type, type_)
        elif dot and owner in self.names:
            key = f"{self.names[owner].key}.{attribute}"
        else:
            key = name + self.key_suffix
        self.names[name] = Name(key, merged_type)
        if list_answering_tables(type_):
            self.sheet.formulas.answers.add(name)
        return key

    def take_types(self, inner_scope: StepScope) -> None:
        """Merge the types that inner steps gave to visible names."""
        for name, inner in inner_scope.names.items():
            outer = self.names.get(name)
            if outer is not None and outer.key == inner.key and outer.type != inner.type:
                self.names[name] = Name(outer.key, merge_types(outer.type, inner.type))

    def make_error(
        self, problem: str, path: Path, name: str = "", candidates: Any = ()
    ) -> TableError:
        """Return the error at a path, with the most similar of the `known` names as a hint."""
        return self.sheet.formulas.setting.make_error(problem, path, name, candidates)

    def formula(self, source: object, path: Path) -> Formula:
        """Compile a formula of the visible names.

        Raises TableError if it cannot be read or uses other names.
        """
        return self.sheet.formulas.formula(source, self.names, path)

    def test(self, source: object, path: Path) -> Formula:
        """Compile a condition. Raises TableError if it cannot be read, or would always hold."""
        return self.sheet.formulas.test(source, self.names, path)

    def dice(self, name: str, path: Path) -> Formula:
        """Compile all dice of a roll, as an answer shows them."""
        shown_name = self.names.get(name + SHOWN) or self.names.get(name)
        shown_name = (
            shown_name
            if shown_name is not None
            and (shown_name.key.endswith(SHOWN) or shown_name.type == "list")
            else None
        )
        return (
            self.formula(f"faces({name})", path)
            if shown_name is None
            else build_name(shown_name.key, "list")
        )

    def text(self, template: object, path: Path) -> Formula:
        """Compile a text with formulas in braces.

        Raises TableError if a formula in it cannot be read.
        """
        return self.sheet.formulas.text(template, self.names, path)

    def pieces(self, template: object, path: Path) -> tuple[Formula, ...]:
        """Compile a text with commands in backticks: every second piece is a command.

        Raises TableError if a formula in it cannot be read.
        """
        return tuple(self.text(piece, path) for piece in str(template).split("`"))

    def mapping(self, spec: object, path: Path) -> Mapping[str, Any]:
        """Return `spec` if it is a mapping, {} for null. Raises TableError for anything else.

        The last word of `path` is its key in the file, for the error.
        """
        if not isinstance(spec or {}, Mapping):
            raise self.make_error(f"{path[-1]} is a mapping of names", path)
        return spec or {}  # type: ignore[return-value]

    def check_keys(
        self, subject: str, part: Mapping[str, Any], valid_keys: tuple[str, ...], path: Path
    ) -> None:
        """Raise TableError for a key that is not allowed."""
        if strange := [key for key in part if key not in valid_keys]:
            raise self.make_error(
                f"{subject} has no {strange[0]}",
                (*path, str(strange[0])),
                str(strange[0]),
                valid_keys,
            )

    def check_name(self, name: object, path: Path) -> None:
        """Raise TableError for a name that formulas could not read.

        In a nested step, also record a name that is new there in `formulas.hidden`: the error for
        a formula outside that reads it then says where it is set.
        """
        if not NAME.fullmatch(str(name)):
            raise self.make_error(f"{name} is not a valid name: use letters, digits and _", path)
        if any(map(iskeyword, str(name).split("."))):
            raise self.make_error(f"{name} is a word used in formulas, not a name", path)
        if self.parent_key and name not in self.names:
            self.sheet.formulas.hidden.setdefault(str(name), (self.parent_key, path))


def as_list(items: Any) -> list[Any]:
    """Return a list, with a single value as its only item."""
    return items if isinstance(items, list) else [items]


def iterate_items(spec: object, path: Path) -> Iterator[tuple[Any, Path]]:
    """Yield the items of a list, or a single value, each with its path."""
    if isinstance(spec, list):
        yield from ((item, (*path, number)) for number, item in enumerate(spec))
    else:
        yield spec, path
