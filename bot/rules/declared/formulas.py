"""Formulas and texts of declared sequences: parsed once, checked for names and types."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from keyword import iskeyword
from typing import Any

from bot.rules.declared.calls import CALLS, NONE, WORD, item, listing, plus, remainder, times, word
from bot.rules.declared.closures import FACE, Run, Scope, closure, variable
from bot.rules.declared.reader import Reader
from bot.rules.declared.running import PROGRAM
from bot.rules.declared.setting import Path, Setting
from bot.rules.declared.types import ALL, FACES, Name, Names, Typing, Vocabulary, in_sight, with_face, words_of

MOST_CHARACTERS = 1_000
TIMES, PLUS, MOD, ITEM, LISTING = "times ", "plus ", "mod ", "item ", "listing "
"""What `*`, `+`, `%`, `list[place]` and `[a, b]` call: names that no formula can write."""
SAFE = {ast.Mult: TIMES, ast.Add: PLUS, ast.Mod: MOD}
PLAIN = {
    "invalid syntax": "it is no formula",
    "unterminated string literal": "a quotation mark is never closed",
    "expected 'else' after 'if' expression": "an if in a formula needs an else",
}
"""What Python says of a formula that it cannot read, in plain words."""


@dataclass(frozen=True)
class Formula:
    """A checked formula: the keys of the names that it reads, its syntax, a function of them, and its type.

    Of an `and` and an `if` the `parts` can be decided one by one, where inputs decide them.
    """

    reads: tuple[str, ...]
    tree: ast.expr = field(compare=False, repr=False)
    scope: Scope = field(default_factory=dict, compare=False, repr=False)
    """What it calls, and the lists of its file."""
    type: str = "any"
    source: str = ""
    kind: str = ""
    parts: tuple[Formula, ...] = ()
    own: bool = True
    """Whether the file says it; what only whole programs hold is not."""

    @cached_property
    def run(self) -> Run:
        """Its value, of the values at hand; `a and b` is true or false."""
        found = closure(self.tree, self.scope)
        return (lambda env: bool(found(env))) if self.kind == "and" and self.type != "bool" else found


class Formulas(Vocabulary):
    """Compiles the formulas of one game's file."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._learnt: set[str] = set()
        self.scope: dict[str, Any] = {**PROGRAM, **CALLS, **self.lists}
        self.scope |= {"true": True, "false": False, "none": NONE, TIMES: times, ITEM: item}
        self.scope |= {PLUS: plus, MOD: remainder, LISTING: listing, WORD: word}
        for name, id in self.tables.items():
            self.scope[name] = Reader(self.setting.tables, id)

    def define(self, head: str, source: object, where: Path) -> None:
        """A formula of the file's own: `state(u)`. It may call those defined before it."""
        found = re.fullmatch(r"([a-z][a-z0-9_]*)\(([a-z0-9_, ]*)\)", head)
        if found is None:
            raise self.setting.wrong(f'"{head}" must be written as name(a, b)', where)
        if found[1] in self.scope:
            raise self.setting.wrong(f"{found[1]} is a table or function already", where)
        takes = [take.strip() for take in found[2].split(",") if take.strip()]
        formula = self.formula(source, {take: Name(take, "any") for take in takes}, where, takes=takes)
        run, reads = closure(formula.tree, self.scope), formula.reads
        self.scope[found[1]] = lambda *values: run(dict(zip(reads, values, strict=True)))
        self.own[found[1]] = len(takes), formula.type

    def formula(self, source: object, names: Names, where: Path, takes: list[str] | None = None) -> Formula:
        """The formula, parsed and checked; `names` are those in sight. Raises TableError."""
        written = source if isinstance(source, str) else repr(source)
        if len(written) > MOST_CHARACTERS:
            raise self.setting.wrong(f"a formula has at most {MOST_CHARACTERS} characters", where)
        self._learn(written)
        ready = self._quoted(written.strip(), names).replace("\n", " ")
        ready = re.sub(r"\(\s*\*\s*(?=[,)])", f"({ALL}=true", ready)
        try:
            tree = ast.parse(ready, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            problem = getattr(error, "msg", "").partition(" (detected")[0] or "it is nested too deep"
            problem = PLAIN.get(problem, problem)
            problem += _advice(problem, written)
            raise self.setting.wrong(f'"{written[:80]}" cannot be read: {problem}', where) from None
        return self._compiled(tree, names, where, written, takes)

    def _compiled(self, tree: ast.expr, names: Names, where: Path, source: str, takes: list[str] | None) -> Formula:
        typing = Typing(self, names, where)
        if takes is not None:
            typing.reads |= dict.fromkeys(takes)
        type_ = typing.type(tree)
        kind, pieces = "", list[ast.expr]()
        if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
            kind, pieces = "and", tree.values
        elif isinstance(tree, ast.IfExp):
            kind, pieces = "if", [tree.test, tree.body, tree.orelse]
        inner: tuple[Formula, ...] = ()
        if takes is None and pieces:
            inner = tuple(self._compiled(_copy(piece), names, where, source, None) for piece in pieces)
        order = tuple(typing.reads)
        body = _Rewritten(self, names, typing.reads).visit(tree)
        return Formula(order, body, self.scope, type_, source, kind if inner else "", inner)

    def text(self, template: object, names: Names, where: Path) -> Formula:
        """A text with formulas in braces: `against {unit.morale}`; `{+mod}` has its sign."""
        pieces: list[str] = []
        for number, piece in enumerate(re.split(r"\{([^{}]*)\}", str(template))):
            if number % 2:
                pieces.append(f"signed({piece[1:]})" if piece.startswith("+") else f"({piece})")
            elif "{" in piece or "}" in piece:
                raise self.setting.wrong(f'"{str(template)[:80]}" has a brace without its other half', where)
            elif piece:
                pieces.append(repr(piece))
        if not pieces or (len(pieces) == 1 and pieces[0].startswith(("'", '"'))):
            return constant(str(template))
        return self.formula(f"text({', '.join(pieces)})", names, where)

    def _learn(self, written: str) -> None:
        """The words of the tables that are called, from here on written bare."""
        for name in _CALLED.findall(written):
            if name in self.tables and name not in self._learnt:
                self._learnt.add(name)
                self.tokens |= words_of(self.setting.tables[self.tables[name]])

    def _quoted(self, source: str, names: Names) -> str:
        """The formula with its bare words in quotes: those that the game knows and that are no names in sight."""

        def quote(found: re.Match[str]) -> str:
            word = found[0]
            hidden = word in names or word in self.lists or word in CALLS or word in ("true", "false", "none")
            hidden = hidden or (word == "face" and "how_many(" in source)
            return word if hidden or found[0][0] in "'\"" or word not in self.tokens else repr(word)

        return _WORD.sub(quote, source)


_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w.-])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*(?![\w(]|\s*=[^=])")


_CALLED = re.compile(r"([a-z_0-9]+)\(")


def _advice(problem: str, written: str) -> str:
    """What its author may have meant by a formula that cannot be read."""
    if "was never closed" in problem:
        return "; quote it, if it has a comma"
    if re.search(r"\b\d*d\d+\b", written):
        return "; dice are rolled by roll, and a formula reads their name"
    if re.search(r"(?<![=!<>])=(?!=)", written):
        return "; == compares"
    return ""


def constant(value: Any) -> Formula:
    """A value as a formula that reads nothing."""
    kinds: Mapping[type, str] = {bool: "bool", int: "number", float: "number", str: "text"}
    return Formula((), ast.Constant(value), {}, kinds.get(type(value), "any"), repr(value))


def _copy(tree: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(tree), mode="eval").body


def called_with(name: str, arguments: list[ast.expr]) -> ast.Call:
    """A call, as a part of a formula."""
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


class _Rewritten(ast.NodeTransformer):
    """The tree with names as the arguments of its function, attributes as calls of `of`, `table(*)` spelled out."""

    def __init__(self, formulas: Formulas, names: Names, reads: Mapping[str, None]) -> None:
        self.formulas, self.names, self.reads = formulas, names, reads

    def _read(self, name: str) -> ast.Name | None:
        known = self.names.get(name)
        return variable(known.key) if known is not None and known.key in self.reads else None

    def visit_Name(self, node: ast.Name) -> ast.expr:  # as ast names it
        return self._read(node.id) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and (own := self._read(f"{node.value.id}.{node.attr}")):
            return own
        default = [ast.Constant(False)] if self.formulas.units.get(node.attr) == "bool" else []
        return called_with("of", [self.visit(node.value), ast.Constant(node.attr), *default])

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return called_with(ITEM, [self.visit(node.value), self.visit(node.slice)])

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        safe = SAFE.get(type(node.op))
        if safe == PLUS and _is_whole(left) and _is_whole(right):
            safe = None
        elif safe == PLUS and any(_is_number(side) for side in (left, right)):
            safe = None  # a text plus a number is an error of its own
        return called_with(safe, [left, right]) if safe else ast.BinOp(left, node.op, right)

    def visit_Tuple(self, node: ast.Tuple | ast.List) -> ast.expr:
        items = [self.visit(item) for item in node.elts]
        if items and all(isinstance(item, ast.Constant) for item in items):
            words: Any = tuple([item.value for item in items if isinstance(item, ast.Constant)])
            return ast.Constant(words)
        return called_with(LISTING, items)

    visit_List = visit_Tuple  # as ast names it  # noqa: N815

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        same = {ast.Is: ast.Eq, ast.IsNot: ast.NotEq}
        signs = [same.get(type(sign), type(sign))() for sign in node.ops]  # none is a value like any other
        return ast.Compare(self.visit(node.left), signs, [self.visit(other) for other in node.comparators])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if name == "faces" and isinstance(node.args[0], ast.Name):
            return self._read(node.args[0].id + FACES) or node
        if name == "how_many" and isinstance(node.args[0], ast.Name):
            inside = _Rewritten(self.formulas, with_face(self.names), {**self.reads, FACE: None})
            each = ast.arguments([], [ast.arg(FACE)], None, [], [], None, [])
            faces = self._read(node.args[0].id + FACES) or node
            return called_with(name, [faces, ast.Lambda(each, inside.visit(node.args[1]))])
        if name == "of" and isinstance(node.args[0], ast.Attribute):  # of(unit.lm, 0): a number that may be missing
            inner = node.args[0]
            own = isinstance(inner.value, ast.Name) and self._read(f"{inner.value.id}.{inner.attr}")
            if not own:
                return called_with(
                    "of", [self.visit(inner.value), ast.Constant(inner.attr), *map(self.visit, node.args[1:])]
                )
        words = [ast.keyword(_input(str(w.arg)), self.visit(w.value)) for w in node.keywords if w.arg != ALL]
        if len(words) < len(node.keywords):
            typed = {word.arg for word in words}
            words += [
                ast.keyword(key, self.visit(ast.Name(shown, ast.Load())))
                for key, shown in in_sight(self.formulas, name, self.names)
                if key not in typed
            ]
        if name == "text" and len(node.args) == 1:
            return called_with(WORD, [self.visit(node.args[0])])
        return ast.Call(ast.Name(name, ast.Load()), [self.visit(argument) for argument in node.args], words)


def _input(word: str) -> str:
    """The input of a table as the table calls it: one named `from` is written from_."""
    return word[:-1] if word.endswith("_") and iskeyword(word[:-1]) else word


def _is_whole(node: ast.AST) -> bool:
    """Whether part of a formula is a small whole number, whatever it reads: 1 if cover else 0."""
    if isinstance(node, ast.IfExp):
        return _is_whole(node.body) and _is_whole(node.orelse)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_whole(node.left) and _is_whole(node.right)
    return isinstance(node, ast.Constant) and node.value.__class__ is int


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)
