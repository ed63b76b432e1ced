"""The types of formulas: which names and attributes there are, and what may be done with them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from keyword import iskeyword
from typing import Any

from bot.rules.declared.calls import CALLS, MOST_NUMBER, OF_UNITS, RESULTS
from bot.rules.declared.closures import FACE
from bot.rules.declared.setting import Path, Setting
from bot.rules.inputs.options import Option
from bot.rules.tables.formula import _NODES as NODES
from bot.rules.tables.table import Table

NUMBERS = {"int": "number", "number": "number", "bool": "bool"}
"""The types of options, outputs and attributes that are no words."""
MOST_DEEP = 40
FACES = "!"
"""Behind the name of a roll: its single faces."""
ALL = "ALL_"
"""The keyword that `table(*)` becomes."""


def either(one: str, other: str) -> str:
    """The type of a value that is one or the other; none goes with every type."""
    return one if other in (one, "none") else other if one == "none" else "any"


def stated(said: object) -> str:
    """The type that an output states: `int or none` is a number, `pass | fails` a text; any for a list and the like."""
    kind = NUMBERS.get(re.split(r"\W", str(said).strip())[0])
    if kind and words_in(said) - {"none"}:
        return "any"
    return kind or ("text" if not str(said).startswith("list") and words_in(said) else "any")


def of_games(setting: Setting) -> tuple[dict[str, str], frozenset[str]]:
    """The attributes of a game's units with their types, and the words of the game that may be written bare."""
    units = dict.fromkeys(OF_UNITS, "text")
    tokens: set[str] = {str(word) for items in setting.lists.values() for word in items if isinstance(word, str)}
    for words in setting.words.values():
        units |= {key: NUMBERS.get(option.type, "any") for key, option in words.keys.items()}
        units |= {flag.replace("-", "_"): "bool" for flag in words.flags}
        tokens |= {*words.types, *words.known_states, *words.states, *words.flags, *words.marks}
        tokens |= {str(word) for option in words.keys.values() for word in option.values}
    return units, frozenset(tokens)


_KINDS = {*NUMBERS, "token", "tokens", "text", "str"}
"""What an output is said to be, beside words of its own."""
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")
_ITEMS = re.compile(r"list[^{]*\{(.*)\}")


def items_in(said: object) -> dict[str, str]:
    """The outputs of the items of a list output, by name; nothing for another."""
    inner = _ITEMS.search(str(said))
    pieces = [piece.partition(":") for piece in re.split(r",(?![^:]*\|)", inner[1])] if inner else []
    return {name.split("(")[0].strip(): kind.strip() for name, _, kind in pieces}


def words_in(said: object) -> set[str]:
    """The words that an output may be: `pass | fails`, `none, eliminated or shaken-moved`; of a list, of its items."""
    kinds = list(map(str, said)) if isinstance(said, list | tuple) else list(items_in(said).values()) or [str(said)]
    kinds = [kind.removeprefix("list of ") for kind in kinds]
    pieces = {piece.strip() for kind in kinds for piece in re.split(r"\||,|\bor\b", kind)}
    return {piece for piece in pieces if _TOKEN.fullmatch(piece) and piece not in _KINDS}


def words_of(table: Table) -> set[str]:
    """The words that a table takes and gives."""
    taken = {str(word) for option in table.inputs for word in option.values}
    return taken.union(*(words_in(said) for said in table.outputs.values()))


SPOKEN = {"units": "a list of units", "parts": "a list of named parts", "bool": "a true or false"}
"""Types as an author reads them; the others are called as they are."""
INSTEAD = {
    ast.Pow: "** is not allowed in a formula; multiply",
    ast.BitAnd: "& is not allowed in a formula; write and",
    ast.BitOr: "| is not allowed in a formula; write or",
    ast.BitXor: "^ is not allowed in a formula; multiply",
    ast.UAdd: "a + before a number is not allowed in a formula; leave it out",
    ast.Set: "a formula needs no braces; they are for texts",
    ast.Dict: "a formula needs no braces; they are for texts",
    ast.ListComp: "a loop is not allowed in a formula; go through the list with each",
    ast.GeneratorExp: "a loop is not allowed in a formula; go through the list with each",
    ast.NamedExpr: ":= is not allowed in a formula; set names with let",
    ast.JoinedStr: "f'...' is not allowed in a formula; write text(a, b)",
    ast.Slice: "list[a:b] is not allowed in a formula; first(list, n) gives the first n",
}
"""What one may type in Python and not here, and what to type instead."""


def spoken(kind: str) -> str:
    """A type as an author reads it."""
    if kind.startswith("table:"):
        return f"an answer of table {kind[6:]}"
    return SPOKEN.get(kind, f"a {kind}")


def not_allowed(node: ast.AST) -> str:
    """What is wrong with a piece of Python that formulas do not have."""
    return INSTEAD.get(type(node), f"{type(node).__name__} is not allowed in a formula")


def _takes(name: str, count: int) -> bool:
    """Whether a function takes so many values."""
    try:
        signature(CALLS[name]).bind(*(None,) * count)
    except TypeError:
        return False
    except ValueError:  # Python does not say
        return count > 0
    return True


@dataclass(frozen=True)
class Name:
    """A name in sight: the key under which its value is kept, and its type."""

    key: str
    type: str


Names = dict[str, Name]


def plain_name(name: str) -> str:
    """A name of a file as formulas write it: hyphens as underscores."""
    return str(name).replace("-", "_")


def with_face(names: Names) -> Names:
    """The names in sight of the test of how_many(...)."""
    return {**names, "face": Name(FACE, "number")}


class Vocabulary:
    """What the formulas of one game's file may name. `tokens` are the words that may be written bare."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.lists = {plain_name(name): items for name, items in setting.lists.items()}
        self.tables = {plain_name(id): id for id in setting.tables}
        self.units, self.tokens = of_games(setting)
        self.own: dict[str, tuple[int, str]] = {}
        """The file's own formulas: how many values they take, and their type."""


def in_sight(known: Vocabulary, table: str, names: Names) -> Iterator[tuple[str, str]]:
    """The inputs of a table that are names in sight, each with that name."""
    if table in known.tables:
        for option in known.setting.tables[known.tables[table]].inputs:
            shown = f"{option.name}_" if iskeyword(option.name) else option.name
            if shown in names:
                yield option.name, shown


class Typing:
    """Works out the type of one formula and, on the way, which names it `reads`. Raises TableError for what is wrong.

    Types: number, bool, text, none, unit, units, list, parts, table:ID, any.
    """

    def __init__(self, formulas: Vocabulary, names: Names, where: Path) -> None:
        self.formulas, self.names, self.where = formulas, names, where
        self.reads: dict[str, None] = {}
        self._deep = 0

    def type(self, node: ast.AST) -> str:
        """The type of this part of the formula."""
        reader = getattr(self, f"_{type(node).__name__.lower()}", None)
        if reader is None or not isinstance(node, (*NODES, ast.Attribute)):
            raise self._wrong(not_allowed(node))
        self._deep += 1
        if self._deep > MOST_DEEP:
            raise self._wrong("a formula is nested too deep")
        found: str = reader(node)
        self._deep -= 1
        return found

    def _wrong(self, problem: str, name: str = "", known: Any = ()) -> Exception:
        return self.formulas.setting.wrong(problem, self.where, name, known)

    def _constant(self, node: ast.Constant) -> str:
        if isinstance(node.value, int | float) and abs(node.value) > MOST_NUMBER:
            raise self._wrong(f"{node.value} is too large")
        kinds = {bool: "bool", int: "number", float: "number", str: "text"}
        if type(node.value) not in kinds:
            raise self._wrong(f"{node.value!r} is not allowed in a formula")
        return "none" if node.value == "none" else kinds[type(node.value)]

    def _name(self, node: ast.Name) -> str:
        known = self.names.get(node.id)
        if known is not None:
            self.reads[known.key] = None
            return known.type
        if node.id in self.formulas.lists:
            return "list"
        if node.id in ("true", "false", "none"):
            return "none" if node.id == "none" else "bool"
        names = [*self.names, *self.formulas.lists, *self.formulas.tokens]
        raise self._wrong(f"there is no name {node.id} here", node.id, names)

    def _attribute(self, node: ast.Attribute) -> str:
        if isinstance(node.value, ast.Name) and (own := self.names.get(f"{node.value.id}.{node.attr}")):
            self.reads[own.key] = None
            return own.type
        owner, attribute, units = self.type(node.value), node.attr, self.formulas.units
        if owner == "unit":
            if attribute not in units:
                raise self._wrong(f"a unit has no {attribute}", attribute, units)
            return units[attribute]
        if owner.startswith("table:"):
            table = self.formulas.setting.tables[owner[6:]]
            outputs: Mapping[str, Any] = {**table.outputs, **table.constants, "text": "text"}
            if attribute not in outputs:
                raise self._wrong(f"table {table.id} has no output {attribute}", attribute, outputs)
            return stated(outputs[attribute])
        if owner not in ("any", "none"):
            raise self._wrong(f"{spoken(owner)} has no {attribute}")
        return "any"

    def _call(self, node: ast.Call) -> str:
        if not isinstance(node.func, ast.Name):
            raise self._wrong("only tables and functions can be called")
        name, formulas = node.func.id, self.formulas
        if name == "faces":
            self._faces(node)
            return "list"
        if name == "how_many":
            return self._how_many(node)
        for argument in node.args:
            self.type(argument)
        kinds = {str(word.arg): self.type(word.value) for word in node.keywords}
        if name in formulas.tables:
            return self._table(node, formulas.tables[name], kinds)
        if node.keywords:
            raise self._wrong(f"{name} takes its values without names")
        if name in formulas.own:
            count, type_ = formulas.own[name]
            if len(node.args) != count:
                raise self._wrong(f"{name} takes {count} value{'' if count == 1 else 's'}, not {len(node.args)}")
            return type_
        if name not in CALLS:
            raise self._wrong(f"there is no table or function {name}", name, [*formulas.tables, *formulas.own, *CALLS])
        if not _takes(name, len(node.args)):
            raise self._wrong(f"{name} does not take {len(node.args)} value{'' if len(node.args) == 1 else 's'}")
        return RESULTS.get(name, "any")

    def _faces(self, node: ast.Call) -> None:
        """Note that the faces of the roll named first are read."""
        assert isinstance(node.func, ast.Name)
        takes = 1 if node.func.id == "faces" else 2
        roll = node.args[0].id if len(node.args) == takes and isinstance(node.args[0], ast.Name) else ""
        known = self.names.get(roll + FACES)
        if known is None:
            raise self._wrong(f"{node.func.id}(...) takes the name of a roll{' and a test' if takes > 1 else ''}", roll)
        self.reads[known.key] = None

    def _how_many(self, node: ast.Call) -> str:
        self._faces(node)
        outside = self.names
        self.names = with_face(outside)
        self.type(node.args[1])
        self.names = outside
        self.reads.pop(FACE, None)
        return "number"

    def _table(self, node: ast.Call, id: str, kinds: Mapping[str, str]) -> str:
        table = self.formulas.setting.tables[id]
        if node.args:
            raise self._wrong(f"inputs of table {id} are given by their names: {id}(input=value)")
        known = {option.name for option in table.inputs}
        given = {str(word.arg) for word in node.keywords} - {ALL}
        given = {word if word in known else word.rstrip("_") for word in given}
        if strange := sorted(given - known):
            raise self._wrong(f"table {id} has no input {strange[0]}", strange[0], known)
        if any(word.arg == ALL for word in node.keywords):
            for input, shown in in_sight(self.formulas, node.func.id, self.names):  # type: ignore[attr-defined]
                if input not in given:
                    self.reads[self.names[shown].key] = None
                    given.add(input)
        for word, kind in kinds.items():
            if kind in ("unit", "units", "parts") or kind.startswith("table"):
                raise self._wrong(f"table {id} does not take {spoken(kind)} as {word}")
            if kind == "list" and word in known and self._option(table, word).type in ("enum", "int", "bool", "number"):
                raise self._wrong(f"table {id} takes a word or number as {word}, not a list; quote the word")
        if missing := [option.name for option in table.inputs if option.required and option.name not in given]:
            raise self._wrong(f"table {id} needs {missing[0]}")
        return f"table:{id}"

    def _option(self, table: Table, name: str) -> Option:
        return next(option for option in table.inputs if option.name == name)

    def _ifexp(self, node: ast.IfExp) -> str:
        self.type(node.test)
        return either(self.type(node.body), self.type(node.orelse))

    def _boolop(self, node: ast.BoolOp) -> str:
        kinds = {self.type(value) for value in node.values}
        return "bool" if kinds == {"bool"} else "any"

    def _compare(self, node: ast.Compare) -> str:
        kinds = [self.type(part) for part in (node.left, *node.comparators)]
        if "units" in kinds and any(isinstance(sign, ast.Eq | ast.NotEq) for sign in node.ops):
            raise self._wrong("a list of units equals nothing; quote the word")
        for sign in node.ops:
            self._sign(sign)
        return "bool"

    def _unaryop(self, node: ast.UnaryOp) -> str:
        self._sign(node.op)
        kind = self.type(node.operand)
        if isinstance(node.op, ast.Not):
            return "bool"
        self._number(kind)
        return "number"

    def _binop(self, node: ast.BinOp) -> str:
        self._sign(node.op)
        for part in (node.left, node.right):
            self._number(self.type(part))
        return "number"

    def _number(self, kind: str) -> None:
        if kind in ("text", "list", "unit", "units", "parts") or kind.startswith("table"):
            raise self._wrong(f"{spoken(kind)} cannot be reckoned with")

    def _sign(self, sign: ast.AST) -> None:
        if not isinstance(sign, NODES):
            raise self._wrong(not_allowed(sign))

    def _tuple(self, node: ast.Tuple | ast.List) -> str:
        for item in node.elts:
            self.type(item)
        return "list"

    _list = _tuple

    def _subscript(self, node: ast.Subscript) -> str:
        self.type(node.slice)
        value = node.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "faces":
            self._faces(value)
            return "number"
        return "unit" if self.type(node.value) == "units" else "any"
