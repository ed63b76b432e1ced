"""A table that is asked often becomes functions: they answer, and refuse, as it did step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

from bot.packs.situations import situations
from bot.rules.errors import UserError
from bot.rules.tables import table as tables
from bot.rules.tables.table import Table
from bot.systems.catalog import System, systems

ODD: tuple[Any, ...] = ("", None, "none", "x", "-1", "999", "1.5", True, False, 1.0, 2.5, "yes", "+3", [], "\u22122")
EVERY = [(game.id, name) for game in systems().values() for name in game.tables]


def told(ask: Callable[[dict[str, Any]], Any], given: dict[str, Any]) -> object:
    """All that an answer or a refusal says, types and order included."""
    try:
        answer = ask(given)
    except UserError as error:
        return str(error), error.option, error.code
    except (TypeError, ValueError, LookupError) as error:  # of a blank where a sequence always has a number
        return type(error), str(error)
    return repr((list(answer.out.items()), answer.parts, answer.text))


def asked(table: Table) -> Iterator[dict[str, Any]]:
    """Some situations of the table, and each with something odd in it."""
    every = list(islice(situations(table), 4000))
    for number, given in enumerate(every[:: max(1, len(every) // 40)]):
        yield given
        yield {name: str(value) for name, value in given.items()}
        name = [*given, ""][number % (len(given) + 1)]
        yield {**given, name: ODD[number % len(ODD)]}
        yield {other: value for other, value in given.items() if other != name}
        yield {**given, "mods": [flag for flag, value in given.items() if value is True]}


def is_function(table: Table) -> bool:
    """Whether what sequences ask of it is answered by a function."""
    return callable(table._whole.get("called"))


@pytest.fixture
def fresh() -> Callable[[str, str], Table]:
    """Tables that nobody has asked yet."""
    games: dict[str, System] = {}

    def load(game: str, name: str) -> Table:
        return games.setdefault(game, systems()[game]).load_table(name)

    return load


@pytest.mark.parametrize(("game", "name"), EVERY, ids=[f"{game}-{table}" for game, table in EVERY])
def test_every_table_answers_as_it_did_step_by_step(
    fresh: Callable[[str, str], Table], monkeypatch: pytest.MonkeyPatch, game: str, name: str
) -> None:
    often, seldom = fresh(game, name), fresh(game, name)
    for table, after in ((often, 0), (seldom, 10**9)):
        monkeypatch.setattr(tables, "OFTEN", after)
        table._whole.clear()
        for kind in ("answer", "called", "typed", "read"):
            table._function(kind)
    assert (is_function(often), is_function(seldom)) == (True, False)
    answers = 0
    for given in asked(seldom):
        by_steps = told(seldom.read, given)
        assert told(often.read, given) == by_steps, given
        called = told(seldom._called, given)
        assert told(often._called, given) == called, given
        answers += isinstance(by_steps, str)
    assert answers


def test_a_table_that_is_seldom_asked_stays_as_it_is(fresh: Callable[[str, str], Table]) -> None:
    """A process that reads one table need not write functions for it."""
    table = fresh("lnlt", "dft-mods")
    assert not is_function(table)
    for _ in range(tables.OFTEN):
        table(**table.example)
    assert not is_function(table), "the same question is remembered"
    for flag in range(2):
        for lm in range(4):
            for skill in range(-3, 4):
                table(lm=lm, skill=skill, smoke=bool(flag))
    assert is_function(table)


def test_what_was_typed_keeps_its_refusals(fresh: Callable[[str, str], Table]) -> None:
    table = fresh("lnlt", "dft-mods")
    for number in range(2 * tables.OFTEN):
        assert table.read({"lm": str(number % 4), "smoke": "yes"})["attack_mod"] is not None
    refused: list[dict[str, Any]] = [
        {"lm": "9"}, {"lm": True}, {"lm": 1.5}, {"smoke": "maybe"}, {"fog": "yes"}, {"lm": []},
    ]  # fmt: skip
    for bad in refused:
        with pytest.raises(UserError):
            table.read(bad)
    assert table.read({"lm": 2.0}).out == table.read({"lm": "+2"}).out == table.read({"lm": 2}).out
