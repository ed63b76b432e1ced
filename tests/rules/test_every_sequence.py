"""Every sequence of every game: its example runs, and its odds are those of playing every roll one by one."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from bot.entropy import throwaway
from bot.rules.odds import shown
from bot.rules.sequence import Plan
from bot.systems.catalog import Sequence, systems
from bot.systems.resolve import count_odds, resolve

SEQUENCES = [(game.id, id) for game in systems().values() for id in game.sequences]
IDS = [f"{game}-{id}" for game, id in SEQUENCES]
MOST_ROLLS = 60_000


class TooMany(Exception):
    """The example has more rolls than a test can play one by one."""


def play_all(plan: Plan[Any], by: str) -> dict[str, Fraction]:
    """Chances of the output `by` from playing each roll by itself, face by face, nothing merged or grouped."""
    chances: dict[str, Fraction] = defaultdict(Fraction)
    played = 0

    def go_on(state: Any, told: dict[str, Any], chance: Fraction) -> None:
        nonlocal played
        if state.owes is None:
            played += 1
            if played > MOST_ROLLS:
                raise TooMany
            told = _told_once(told, plan.closing(state))
            chances[str(shown(told.get(by)))] += chance
            return
        step = plan.steps[state.owes]
        faces: list[Any] = [die.faces or range(1, die.sides + 1) for die in step.asks(state)]
        rolls = list(product(*faces))
        for roll in rolls:
            after = step.apply(state, roll)
            go_on(after, _told_once(told, step.outputs(state, roll, after)), chance / len(rolls))

    go_on(plan.start, dict(plan.opening), Fraction(1))
    return dict(chances)


def _told_once(told: dict[str, Any], more: Any) -> dict[str, Any]:
    again = [path for path in more if path in told and told[path] != []]
    assert not again, f"told twice: {again}"
    return {**told, **more}


def the(game: str, id: str) -> Sequence:
    return systems()[game].sequence(id)


@pytest.mark.parametrize(("game", "id"), SEQUENCES, ids=IDS)
def test_the_example_plays_and_tells_the_declared_outputs(game: str, id: str) -> None:
    sequence = the(game, id)
    needed = any(option.required for option in sequence.inputs)
    assert sequence.example or not needed, "help needs an example that runs"
    for _ in range(20):
        played = resolve(sequence, sequence.example, throwaway())
        assert set(played.out) <= set(sequence.outputs)
        assert set(sequence.outputs) <= set(played.out), set(sequence.outputs) - set(played.out)
        assert played.settlement.headline
        assert "\n" not in played.settlement.headline


@pytest.mark.parametrize(("game", "id"), SEQUENCES, ids=IDS)
def test_odds_are_those_of_every_roll(game: str, id: str) -> None:
    sequence = the(game, id)
    if not sequence.odds_by:
        pytest.skip("rolls nothing")
    counted = count_odds(sequence, sequence.example)
    assert sum(counted.values()) == 1
    assert all(chance > 0 for chance in counted.values())
    try:
        expected = play_all(sequence.plan(sequence.given(sequence.example, {})), sequence.odds_by)
    except TooMany:
        pytest.skip("too many rolls to play one by one")
    assert {str(value): chance for value, chance in counted.items()} == expected
