"""A table that is asked often becomes two functions: from a sequence's values to the answer, and from what was typed.

They do what `Table` does step by step, with every formula in place and every input looked at once. What they cannot
read at a glance they leave to those steps, which refuse it in words.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bot.rules.inputs.options import Option
from bot.rules.tables.formula import Formula, tree_of
from bot.rules.tables.writer import AsLocals, NotLocal, Writer

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


def function_of(table: Table, name: str) -> Any:
    """A function by its name: `answer` from all values, `called` and `typed` as `Table` has them, and `read`, from what
    was typed to the answer; None for a `read` of values that are needed by name, which goes by the others."""
    if name == "answer":
        return answer_of(table)
    if name == "typed":
        return _typed_of(table)
    if name == "read":
        return None if table.rolls else _direct(table, _take_typed, "read(given)")
    return _direct(table, _take_called, "called(inputs)") or _called_of(table, answer_of(table))


def _typed_of(table: Table) -> Typed:
    """The function that reads what was typed; None comes back for all that is not plain at a glance."""
    writer = Writer(table)
    pairs = [f"{name!r}: {local}" for name, local in _take_typed(writer).items()]
    writer.lines.append(f"return {{{', '.join(pairs)}}}")
    return writer.function("typed(given)")  # type: ignore[no-any-return]


def _called_of(table: Table, answer: Callable[[dict[str, Any]], Any]) -> Called:
    """The function from a sequence's values to the answer."""
    writer = Writer(table)
    pairs = [f"**{writer.name(dict(table.constants))}"] if table.constants else []
    pairs += [f"{name!r}: {local}" for name, local in _take_called(writer).items()]
    writer.scope["answer"] = answer
    writer.lines.append(f"return answer({{{', '.join(pairs)}}})")
    return writer.function("called(inputs)")  # type: ignore[no-any-return]


def _take_typed(writer: Writer) -> dict[str, str]:
    """Write how what was typed becomes local names; returns them by input."""
    rolled = {roll.option for roll in writer.table.rolls}
    say, local = writer.lines.append, dict[str, str]()
    writer.scope["NOTHING"] = _Nothing()
    say("left = len(given)")
    for at, option in enumerate(option for option in writer.table.inputs if option.name not in rolled):
        local[option.name] = f"v{at}"
        say(f"v{at} = given.get({option.name!r})")
        say(f"if v{at} is None:")
        if option.type == "bool":
            say(f"    v{at} = {bool(option.default)}")
        elif option.type == "mods" or option.required:
            say("    return None")
        else:
            say(f"    v{at} = {writer.name(option.default)}")
        say("else:")
        say("    left -= 1")
        say(f"    v{at} = {writer.name(known(option))}.get(v{at}.__class__, NOTHING).get(v{at})")
        say(f"    if v{at} is None: return None")
    say("if left: return None")
    return local


def _take_called(writer: Writer) -> dict[str, str]:
    """Write how a sequence's values become local names; returns them by input."""
    rolled = {roll.option for roll in writer.table.rolls}
    say, local = writer.lines.append, dict[str, str]()
    say("left_out = 0")
    for at, option in enumerate(writer.table.inputs):
        local[option.name] = f"v{at}"
        say(f"if {option.name!r} in inputs:")
        say(f"    v{at} = inputs[{option.name!r}]")
        say(f"    if {_odd(writer, option, f'v{at}')}: v{at} = clean({writer.name(option)}, v{at})")
        if option.required and option.name not in rolled:
            say("else: return None")
        elif option.type == "bool" and option.default is None:
            say(f"else: v{at} = False; left_out += 1")
        else:
            say(f"else: v{at} = {writer.name(option.default)}; left_out += 1")
    say(f"if len(inputs) + left_out != {len(writer.table.inputs)}: return None")
    return local


def _odd(writer: Writer, option: Option, name: str) -> str:
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
    writer = Writer(table)
    _answer(writer, "values", writer.formula, lambda name: f"values[{name!r}]")
    return writer.function("answer(values)")  # type: ignore[no-any-return]


def _direct(table: Table, take: Callable[[Writer], dict[str, str]], head: str) -> Any:
    """A function from the inputs to the answer in which all values are local names; None where they are asked for by
    name: by a body of cells, a text, or a formula that must be called."""
    if table.body is not None or table.texts:
        return None
    writer = Writer(table)
    local = take(writer)
    inputs = ", ".join(f"{name!r}: {place}" for name, place in local.items())
    for name, constant in table.constants.items():
        local.setdefault(name, writer.name(constant))
    values = f"{{**{writer.name(dict(table.constants))}, {inputs}}}"

    def formula(formula: Formula) -> str:
        tree = tree_of(formula)
        if tree is None:
            raise NotLocal
        writer.trees[found := f"tree{len(writer.trees)}"] = AsLocals(local).visit(deepcopy(tree))
        return found

    try:
        _answer(writer, values, formula, lambda name: local.setdefault(name, f"n{len(local)}"))
    except NotLocal:
        return None
    return writer.function(head)


def _answer(writer: Writer, values: str, formula: Callable[[Formula], str], place: Callable[[str], str]) -> None:
    """Write how the answer comes about. `values` are all of them, `place` is where one of them is kept."""
    from bot.rules.tables.table import Answer

    table, say = writer.table, writer.lines.append
    for refuse, words in table.refuse:
        say(f"if {formula(refuse)}:")
        say(f'    raise UserError({writer.name(words)}.format_map({values}), code="card-refuses")')
    for name, derived in table.derive:
        say(f"{place(name)} = {formula(derived)}")
    if table.body is not None:
        say(f"{writer.name(table.body)}({values})")
    if table.modifiers:
        _modify(writer, formula, place)
    for name, derived in table.then:
        say(f"{place(name)} = {formula(derived)}")
    parts = "parts" if table.modifiers else "()"
    _outputs(writer, parts, "" if values == "values" else values, place)
    text = "text" if table.texts else "''"
    if table.texts:
        keys = ", ".join(map(formula, table.text_by))
        say(f"text = {writer.name(table.text_of)}([{keys}])")
    if "text" in table.outputs:
        say(f"out['text'] = {text}")
    say(f"return {writer.name(Answer)}(out, {parts}, {text})")


def _outputs(writer: Writer, parts: str, values: str, place: Callable[[str], str]) -> None:
    table, say = writer.table, writer.lines.append
    written = {name for name, _ in (*table.derive, *table.then)} | {option.name for option in table.inputs}
    written |= {total for row in table.modifiers for total, _ in row.adds} | set(table.constants)
    say("out = {}")
    if not values:
        say("get = values.get")
    for name in table.outputs:
        if name == "text" or (values and name not in written):
            continue
        say(f"value = {place(name) if name in written else f'get({name!r})'}")
        say(f"if value is not None: out[{name!r}] = value")
    if "parts" in table.outputs:
        say(f"out['parts'] = {'said' if parts == 'parts' else '[]'}")


def _modify(writer: Writer, formula: Callable[[Formula], str], place: Callable[[str], str]) -> None:
    """Every row of a table of modifiers, one behind another."""
    from bot.rules.tables.table import Part

    say, begun = writer.lines.append, {option.name for option in writer.table.inputs}
    begun |= {name for name, _ in writer.table.derive} | set(writer.table.constants)
    writer.scope["tuple"] = tuple
    say("parts = []; said = []")
    for row in writer.table.modifiers:
        for total, adds in row.adds:
            kept = place(total)
            if total not in begun:
                begun.add(total)
                say(f"{kept} = 0" if writer.table.body is None else f"if {total!r} not in values: {kept} = 0")
            indent = ""
            if row.when is not None:
                say(f"if {formula(row.when)}:")
                indent = "    "
            tree = tree_of(adds)
            always = tree.value if isinstance(tree, ast.Constant) else None
            if always and isinstance(always, int | float):
                part = writer.name(Part(row.id, row.name, total, always))
                say(f"{indent}{kept} += {always!r}")
                say(f"{indent}parts.append({part}); said.append({{'id': {row.id!r}, 'value': {always!r}}})")
                continue
            say(f"{indent}value = {formula(adds)}")
            say(f"{indent}if value:")
            say(f"{indent}    {kept} += value")
            say(f"{indent}    parts.append({writer.name(_parts(row.id, row.name, total))}(value))")
            say(f"{indent}    said.append({{'id': {row.id!r}, 'value': value}})")
    say("parts = tuple(parts)")


def _parts(id: str, name: str, total: str) -> Callable[[Any], Any]:
    """The part that a row is, by its value; small whole numbers are made once."""
    from bot.rules.tables.table import Part

    made = {value: Part(id, name, total, value) for value in range(-12, 13)}

    def part(value: Any) -> Any:
        found = made.get(value) if value.__class__ is int else None
        return found or Part(id, name, total, value)

    return part
