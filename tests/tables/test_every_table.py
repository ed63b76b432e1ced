"""Every table of every game: each declared input value is answered or refused by rule, each output is declared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import pytest

from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.tables.table import Table
from bot.systems.catalog import systems

MOST = 4_000
TABLES = [(game.id, id) for game in systems().values() for id in game.tables]


def values_of(option: Option) -> list[Any]:
    """Every declared value of an input; of decimal numbers some inside and at both ends."""
    if option.type == "enum":
        return [*option.values, *([None] if option.optional and option.default is None else [])]
    if option.type == "bool":
        return [False, True]
    if option.type == "int":
        assert option.min is not None, f"{option.name} has no limits"
        assert option.max is not None, f"{option.name} has no limits"
        return list(range(int(option.min), int(option.max) + 1))
    if option.type == "number":
        return [
            value for value in (0, 0.5, 1, 7, 15, 15.1, 24, 60, 60.1, 150, 300, 301, 5000) if _inside(option, value)
        ]
    raise AssertionError(f"a table cannot ask for {option.type}")


def _inside(option: Option, value: float) -> bool:
    return (option.min is None or value >= option.min) and (option.max is None or value <= option.max)


def situations(table: Table) -> Iterator[dict[str, Any]]:
    """All combinations of inputs where they are few; else every value of each input beside a drawn rest."""
    domains = {option.name: values_of(option) for option in table.inputs}
    size = 1
    for domain in domains.values():
        size *= len(domain)
    if size <= MOST:
        yield from (dict(zip(domains, values, strict=True)) for values in product(*domains.values()))
        return
    draw = random.Random(table.id)  # which cells are tried must not change from run to run
    rest = {name: draw.choice(domain) for name, domain in domains.items()}
    for name, domain in domains.items():
        for value in domain:
            yield {**rest, name: value}
    for _ in islice(iter(int, 1), MOST // 2):
        yield {name: draw.choice(domain) for name, domain in domains.items()}


def read_or_refuse(table: Table, given: dict[str, Any]) -> Any:
    """The outputs, or None where the card refuses these inputs by rule; a hole in the grid is no rule."""
    try:
        return table.read(given).out
    except UserError as error:
        refusal = error
    hole = "not on the card" in refusal.message and not table.refuse and not table.rolls
    if hole:
        raise refusal
    return None


def is_declared(value: Any, output: Any) -> bool:
    """Whether a value is one of the declared tokens, or of the declared type."""
    if isinstance(output, tuple):
        return all(item in output for item in value) if isinstance(value, list) else value in output
    kinds: dict[str, Any] = {
        "int": int,
        "number": (int, float),
        "bool": bool,
        "text": str,
        "list": list,
        "token": object,
    }
    return isinstance(value, kinds[output]) and (output not in ("int", "number") or not isinstance(value, bool))


@pytest.mark.parametrize(("game", "name"), TABLES, ids=[f"{game}-{table}" for game, table in TABLES])
def test_every_cell_is_answered_or_refused_by_rule(game: str, name: str) -> None:
    table = systems()[game].table(name)
    answered = 0
    for given in situations(table):
        out = read_or_refuse(table, given)
        if out is None:
            continue
        answered += 1
        for name, value in out.items():
            assert is_declared(value, table.outputs[name]), (given, name, value)
    assert answered, "no combination of inputs is answered"


@pytest.mark.parametrize(("game", "name"), TABLES, ids=[f"{game}-{table}" for game, table in TABLES])
def test_every_table_says_what_it_is(game: str, name: str) -> None:
    table = systems()[game].table(name)
    assert table.title
    assert table.source
    assert table.summary, "players read the summary in help"
    assert len(table.summary) <= 100
    if table.example:
        table.read(table.example)
