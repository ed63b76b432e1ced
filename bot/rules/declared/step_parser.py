"""What the kinds of steps are read with: what is in sight at a place of the file, and the checks
that all share.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from keyword import iskeyword
from re import compile as pattern
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
from bot.rules.errors import TableError
from bot.rules.inputs.decks import GameDeck
from bot.rules.sequence.sequence import Choice

NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")


class StepCompiler:
    """What all steps of one sequence share. `outputs` are its outputs, `items` those of the
    items of each list.
    """

    def __init__(
        self, formulas: Formulas, outputs: Mapping[str, Any], odds_by: str, inputs: Container[str]
    ) -> None:
        self.inputs = inputs
        self.choices: dict[str, Choice] = {}
        """What sides are asked for, by name."""
        self.chosen: Names = {}
        """The names of what is chosen once: none where it was not asked, and in sight behind the
        `when` that asks.
        """
        self.formulas, self.odds_by = formulas, odds_by.rpartition(".")[2]
        self.outputs = {name: str(said) for name, said in outputs.items()}
        self.items = {
            name: found for name, said in outputs.items() if (found := list_item_outputs(said))
        }
        self.lists = tuple(name for name, said in self.outputs.items() if said.startswith("list"))
        self.own: dict[str, dict[str, Name]] = {}
        """The values that each item of a list has of its own, by what the list was written as."""
        self.by_item: set[str] = set()
        """Lists of single values that are told one by one."""
        self.given: Names = {}
        """The names that it begins with."""
        self.begins: dict[str, Any] = {}
        """What keys are before the first step."""
        self.told: set[tuple[str, str]] = set()
        """The outputs that steps tell: the list that they are in, and their names."""
        self.by_name: set[tuple[str, str]] = set()
        """Those that are told by name."""
        self.untold: dict[str, str] = {}
        """Those that nothing tells, and what is wrong with each."""
        self.decks: dict[str, GameDeck] = {}
        """The decks that it draws from, by id."""
        self.sites, self.loops, self.uses = count(1), count(1), count(1)

    def is_list(self, into: str) -> bool:
        """Return whether it is an output that lists something."""
        return into in self.items or into in self.lists

    def plain(self, into: str) -> bool:
        """Return whether it is an output that lists single values."""
        return into not in self.items and into in self.lists


@dataclass
class StepScope:
    """Where a step is: the names in sight, the output list of its items, the places it is within,
    how deep it is.

    `own` ends the keys of names that are set here, so that those of a block are its own.
    """

    sheet: StepCompiler
    names: Names
    into: str = ""
    within: tuple[tuple[str, str], ...] = ()
    loops: int = 0
    deep: int = 0
    own: str = ""
    uses: tuple[str, ...] = field(default=())
    """The blocks that it is in."""
    asks: str = ""
    """What an item is called in an each that asks for each of them."""
    item: str = ""
    """What the item at hand is called."""
    below: str = ""
    """The key that its names are below of: when, each or use."""
    entered: Names = field(default_factory=dict)
    """The names in sight where the steps for the item at hand begin."""
    around: StepScope | None = None
    """Where the outermost of its blocks is used."""

    def enter(self, below: str) -> StepScope:
        """The same for what is below: its names are its own."""
        return replace(self, names=dict(self.names), deep=self.deep + 1, below=below)

    def copy(self) -> StepScope:
        """The same with the names that are in sight by now."""
        return replace(self, names=dict(self.names))

    def set_name(self, name: str, type_: str) -> str:
        """Set a name: one in sight keeps its key. Returns the key."""
        old = self.names.get(name)
        owner, dot, rest = name.partition(".")
        key = (
            old.key
            if old
            else f"{self.names[owner].key}.{rest}"
            if dot and owner in self.names
            else name + self.own
        )
        self.names[name] = Name(key, merge_types(old.type, type_) if old else type_)
        if list_answering_tables(type_):
            self.sheet.formulas.answers.add(name)
        return key

    def take_types(self, below: StepScope) -> None:
        """Note what names may be besides, as steps below have set them."""
        for name, inner in below.names.items():
            outer = self.names.get(name)
            if outer is not None and outer.key == inner.key and outer.type != inner.type:
                self.names[name] = Name(outer.key, merge_types(outer.type, inner.type))

    def make_error(self, problem: str, where: Path, name: str = "", known: Any = ()) -> TableError:
        """The error at `where`, with the nearest of the `known` names."""
        return self.sheet.formulas.setting.make_error(problem, where, name, known)

    def formula(self, source: object, where: Path) -> Formula:
        """A formula of the names in sight."""
        return self.sheet.formulas.formula(source, self.names, where)

    def test(self, source: object, where: Path) -> Formula:
        """A formula that holds or not."""
        return self.sheet.formulas.test(source, self.names, where)

    def dice(self, name: str, where: Path) -> Formula:
        """All dice of a roll, as an answer shows them."""
        shown = self.names.get(name + SHOWN) or self.names.get(name)
        shown = (
            shown
            if shown is not None and (shown.key.endswith(SHOWN) or shown.type == "list")
            else None
        )
        return (
            self.formula(f"faces({name})", where)
            if shown is None
            else build_name(shown.key, "list")
        )

    def text(self, template: object, where: Path) -> Formula:
        """A text with formulas in braces."""
        return self.sheet.formulas.text(template, self.names, where)

    def pieces(self, template: object, where: Path) -> tuple[Formula, ...]:
        """A text with its commands in backticks: every second piece is one."""
        return tuple(self.text(piece, where) for piece in str(template).split("`"))

    def mapping(self, said: object, where: Path) -> Mapping[str, Any]:
        """What is written by names, the last word of `where` being its key. Raises TableError."""
        if not isinstance(said or {}, Mapping):
            raise self.make_error(f"{where[-1]} is a mapping of names", where)
        return said or {}  # type: ignore[return-value]

    def check_keys(
        self, what: str, part: Mapping[str, Any], known: tuple[str, ...], where: Path
    ) -> None:
        """Raise TableError for a key that is none of the `known`."""
        if strange := [key for key in part if key not in known]:
            raise self.make_error(
                f"{what} has no {strange[0]}", (*where, str(strange[0])), str(strange[0]), known
            )

    def check_name(self, name: object, where: Path) -> None:
        """Raise TableError for what no formula could read as a name."""
        if not NAME.fullmatch(str(name)):
            raise self.make_error(f"{name} is no name: letters, digits and _ make one", where)
        if any(map(iskeyword, str(name).split("."))):
            raise self.make_error(f"{name} is a word of formulas, not a name", where)
        if self.below and name not in self.names:
            self.sheet.formulas.hidden.setdefault(str(name), (self.below, where))


def as_list(items: Any) -> list[Any]:
    """A list of what may stand alone."""
    return items if isinstance(items, list) else [items]


def iterate_items(said: object, where: Path) -> Iterator[tuple[Any, Path]]:
    """The items of what may stand alone, each with where it is."""
    if isinstance(said, list):
        yield from ((item, (*where, number)) for number, item in enumerate(said))
    else:
        yield said, where
