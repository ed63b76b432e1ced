"""What a play of Lock 'n Load leaves alone: cards that its dice do not ask for, odds, and
memory.
"""

from __future__ import annotations

import gc
from collections import Counter
from typing import Any

import pytest

from bot.rules.dice import Script
from bot.rules.sequence.sequence import OddsRow, Plan, play
from bot.rules.tables.table import Answer, Table
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.lnlt import fire

GIVEN = {
    "attackers": "squad fp=2 sw=3; squad fp=1",
    "targets": "leader morale=6 lm=1; squad morale=5",
    "tm": 1,
}
CODED = [
    id
    for id, sequence in find_shared_system("lnlt").sequences.items()
    if sequence.declaration is None
]
"""Those in Python."""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The tables that are asked, once those who ask have got to know their cards."""
    played([6, 1, 3, 3])
    asked: Counter[str] = Counter()
    ask = Table.__call__

    def counted(table: Table, **inputs: Any) -> Answer:
        asked[table.id] += 1
        return ask(table, **inputs)

    monkeypatch.setattr(Table, "__call__", counted)
    return asked


def planned() -> Plan[Any]:
    """The plan of the shot."""
    sequence = find_shared_system("lnlt").find_sequence("fire")
    return sequence.plan(sequence.read_inputs(GIVEN, {}))


def played(dice: list[int]) -> str:
    """The result of the shot with these dice."""
    return play(planned(), Script(dice)).resolution.headline


def test_a_shot_asks_for_its_modifiers_and_for_the_one_weapon(read: Counter[str]) -> None:
    """1 + 6 against 6 + 1 holds; the table of damage checks is not looked at."""
    assert played([1, 6]) == "no effect"
    assert read == {"dft-mods": 1, "sw-usage": 1}


def test_two_damage_checks_read_cells_that_are_known(read: Counter[str]) -> None:
    """6 + 6 against 1 + 1, beaten by 10, and the dice that were rolled before: not a card is
    asked again.
    """
    assert played([6, 1, 3, 3]) == "leader wounded; squad casualties"
    assert read == {"dft-mods": 1, "sw-usage": 1}


def test_rows_of_the_odds_are_not_made_in_play(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(_: object) -> tuple[OddsRow, ...]:
        raise AssertionError("made in play")

    monkeypatch.setattr(fire.DirectFire, "rows", never)
    assert played([1, 6]) == "no effect"


@pytest.mark.parametrize("id", CODED)
def test_a_play_leaves_nothing_that_must_be_looked_for(id: str) -> None:
    """What was made for a play goes when it is over: nothing in it holds on to itself in a ring."""
    sequence = find_shared_system("lnlt").find_sequence(id)

    def once() -> None:
        play(sequence.plan(sequence.read_inputs(sequence.example, {})), Highest())

    once()  # what it loads stays
    gc.disable()
    gc.freeze()  # whatever was there before, so that nothing but the play is looked through
    try:
        once()
        assert gc.collect() == 0
    finally:
        gc.enable()


class Highest:
    """Dice that show all they can."""

    def draw(self, die: Any) -> Any:
        """The last face."""
        return die.value(die.sides)
