"""A table that is asked often becomes two functions: from a sequence's values to the answer, and from what was typed.

They do what `Table` does step by step, with every formula in place and every input looked at once. What they cannot
read at a glance they leave to those steps, which refuse it in words.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, clean
from bot.rules.tables.formula import SCOPE, Formula, tree_of

if TYPE_CHECKING:
    from bot.rules.tables.table import Table

Called = Callable[[Mapping[str, Any]], Any]
Typed = Callable[[Mapping[str, Any]], dict[str, Any] | None]
WIDEST = 2_000
"""Values of a whole number that are known by heart."""
WORDS: Mapping[str, bool] = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}


class _Nothing:
    """What is known of a value of another type; such as a list, which no mapping could be asked for."""

    def get(self, _raw: object) -> None:
        """Nothing."""


@lru_cache(64)
def _numbers(low: int, high: int) -> Mapping[type, Mapping[Any, int]]:
    span = range(low, high + 1)
    return {int: {value: value for value in span}, str: {str(value): value for value in span}}


def known(option: Option) -> Mapping[type, Mapping[Any, Any]]:
    """What `clean` makes of the usual ways to give an option, by their type."""
    if option.type == "bool":
        return {bool: {True: True, False: False}, str: WORDS}
    if option.type == "enum":
        return {str: {value: value for value in option.values}}
    if option.type != "int" or option.min is None or option.max is None or option.max - option.min > WIDEST:
        return {}
    return _numbers(int(option.min), int(option.max))


class _Writer:
    """The text of a function under way, and what it names."""

    def __init__(self, table: Table) -> None:
        self.table, self.lines = table, list[str]()
        self.scope: dict[str, Any] = {**SCOPE, "clean": clean, "UserError": UserError}
        self.trees: dict[str, ast.expr] = {}

    def name(self, value: object) -> str:
        """A name for something that the function uses."""
        found = f"k{len(self.scope)}"
        self.scope[found] = value
        return found

    def formula(self, formula: Formula) -> str:
        """A formula, in place where its text is known."""
        tree = tree_of(formula)
        if tree is None:
            return f"{self.name(formula)}(values)"
        self.trees[found := f"tree{len(self.trees)}"] = tree
        return found

    def function(self, head: str) -> Any:
        """The function with this head and these lines."""
        text = f"def {head}:\n" + "\n".join(f"    {line}" for line in self.lines)
        module = _InPlace(self.trees).visit(ast.parse(text))
        exec(compile(ast.fix_missing_locations(module), f"table {self.table.id}", "exec"), self.scope)
        return self.scope[head.split("(")[0]]


class _InPlace(ast.NodeTransformer):
    """Formulas come in where their names are; their one argument is called `values` here."""

    def __init__(self, trees: Mapping[str, ast.expr]) -> None:
        self._trees = trees

    def visit_Name(self, node: ast.Name) -> ast.expr:  # as ast names it
        """A formula, or its argument."""
        if node.id == "values ":
            return ast.Name("values", node.ctx)
        tree = self._trees.get(node.id)
        return node if tree is None else self.visit(tree)


def typed_of(table: Table) -> Typed:
    """The function that reads what was typed; None comes back for all that is not plain at a glance."""
    rolled = {roll.option for roll in table.rolls}
    writer = _Writer(table)
    say = writer.lines.append
    say("left = len(given)")
    pairs = []
    for at, option in enumerate(option for option in table.inputs if option.name not in rolled):
        pairs.append(f"{option.name!r}: v{at}")
        say(f"v{at} = given.get({option.name!r})")
        say(f"if v{at} is None:")
        if option.type == "bool":
            say(f"    v{at} = {bool(option.default)}")
        elif option.type == "mods" or (option.required):
            say("    return None")
        else:
            say(f"    v{at} = {writer.name(option.default)}")
        say("else:")
        say("    left -= 1")
        say(f"    v{at} = {writer.name(known(option))}.get(v{at}.__class__, NOTHING).get(v{at})")
        say(f"    if v{at} is None: return None")
    writer.scope["NOTHING"] = _Nothing()
    say("if left: return None")
    say(f"return {{{', '.join(pairs)}}}")
    return writer.function("typed(given)")  # type: ignore[no-any-return]


def called_of(table: Table, answer: Callable[[dict[str, Any]], Any]) -> Called:
    """The function from a sequence's values to the answer."""
    writer = _Writer(table)
    say = writer.lines.append
    pairs = [f"**{writer.name(dict(table.constants))}"] if table.constants else []
    say("count = 0")
    rolled = {roll.option for roll in table.rolls}
    for at, option in enumerate(table.inputs):
        pairs.append(f"{option.name!r}: v{at}")
        say(f"if {option.name!r} in inputs:")
        say(f"    v{at} = inputs[{option.name!r}]; count += 1")
        say(f"    if {_odd(writer, option, f'v{at}')}: v{at} = clean({writer.name(option)}, v{at})")
        if option.required and option.name not in rolled:
            say("else: return None")
        elif option.type == "bool" and option.default is None:
            say(f"else: v{at} = False")
        else:
            say(f"else: v{at} = {writer.name(option.default)}")
    say("if count != len(inputs): return None")
    say(f"return answer({{{', '.join(pairs)}}})")
    writer.scope["answer"] = answer
    return writer.function("called(inputs)")  # type: ignore[no-any-return]


def _odd(writer: _Writer, option: Option, name: str) -> str:
    """Whether a value has to be cleaned."""
    if option.type == "bool":
        return f"{name} is not False and {name} is not True and {name} is not None"
    if option.type == "enum":
        words = writer.name(frozenset(option.values))
        writer.scope["str"] = str
        return f"({name}.__class__ is not str or {name} not in {words}) and {name} is not None"
    if option.type == "int":
        writer.scope["int"] = int
        limits = [f"{name} < {option.min!r}"] if option.min is not None else []
        limits += [f"{name} > {option.max!r}"] if option.max is not None else []
        return f"({' or '.join([f'{name}.__class__ is not int', *limits])}) and {name} is not None"
    return f"{name} is not None"


def answer_of(table: Table) -> Callable[[dict[str, Any]], Any]:
    """The function from all inputs, and the constants, to the answer."""
    from bot.rules.tables.table import Answer

    writer = _Writer(table)
    say = writer.lines.append
    for refuse, words in table.refuse:
        say(f"if {writer.formula(refuse)}:")
        say(f'    raise UserError({writer.name(words)}.format_map(values), code="card-refuses")')
    for name, formula in table.derive:
        say(f"values[{name!r}] = {writer.formula(formula)}")
    if table.body is not None:
        say(f"{writer.name(table.body)}(values)")
    parts = "()"
    if table.modifiers:
        _modify(writer, table)
        parts = "parts"
    for name, formula in table.then:
        say(f"values[{name!r}] = {writer.formula(formula)}")
    _outputs(writer, table, parts)
    if table.texts:
        say(f"text = {writer.name(table._text)}(values)")
    text = "text" if table.texts else "''"
    if "text" in table.outputs:
        say(f"out['text'] = {text}")
    say(f"return {writer.name(Answer)}(out, {parts}, {text})")
    return writer.function("answer(values)")  # type: ignore[no-any-return]


def _outputs(writer: _Writer, table: Table, parts: str) -> None:
    say = writer.lines.append
    say("out = {}")
    say("get = values.get")
    for name in table.outputs:
        if name != "text":
            say(f"value = get({name!r})")
            say(f"if value is not None: out[{name!r}] = value")
    if "parts" in table.outputs:
        say(f'out["parts"] = [{{"id": part.id, "value": part.value}} for part in {parts}]')


def _modify(writer: _Writer, table: Table) -> None:
    """Every row of a table of modifiers, one behind another."""
    from bot.rules.tables.table import Part

    say, begun = writer.lines.append, set[str]()
    writer.scope["tuple"] = tuple
    say("parts = []")
    for row in table.modifiers:
        for total, adds in row.adds:
            if total not in begun:
                begun.add(total)
                say(f"if {total!r} not in values: values[{total!r}] = 0")
            indent = ""
            if row.when is not None:
                say(f"if {writer.formula(row.when)}:")
                indent = "    "
            tree = tree_of(adds)
            always = tree.value if isinstance(tree, ast.Constant) else None
            if always and isinstance(always, int | float):
                part = writer.name(Part(row.id, row.name, total, always))
                say(f"{indent}values[{total!r}] += {always!r}")
                say(f"{indent}parts.append({part})")
                continue
            say(f"{indent}value = {writer.formula(adds)}")
            say(f"{indent}if value:")
            say(f"{indent}    values[{total!r}] += value")
            say(f"{indent}    parts.append({writer.name(_parts(row.id, row.name, total))}(value))")
    say("parts = tuple(parts)")


def _parts(id: str, name: str, total: str) -> Callable[[Any], Any]:
    """The part that a row is, by its value; small whole numbers are made once."""
    from bot.rules.tables.table import Part

    made = {value: Part(id, name, total, value) for value in range(-12, 13)}

    def part(value: Any) -> Any:
        found = made.get(value) if value.__class__ is int else None
        return found or Part(id, name, total, value)

    return part
