"""What counts in a roll is found within a budget, and nothing false is said if the budget is spent.

The sequences come from the registry, the states and markers from the data.
"""

from __future__ import annotations

import pytest

from bot.game.state import build_roster
from bot.presentation import counted_conditions
from bot.presentation.counted_conditions import CountedCondition, find_counted_conditions
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit, index_by_name
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.system import Sequence
from tests.seams.outcomes import ready

SEQUENCES = [
    (game.id, sequence.id)
    for game in load_shared_systems().values()
    for sequence in game.sequences.values()
    if sequence.odds_by
]
QUICK = [("lnlt", "fire")]
SQUADS = 12
DEAREST = 200
"""What the last play may cost over the budget."""


@pytest.mark.slow_sample(4)
@pytest.mark.parametrize(
    ("game", "name"),
    [
        *QUICK,
        *(pytest.param(*one, marks=pytest.mark.slow) for one in SEQUENCES if one not in QUICK),
    ],
)
async def test_a_small_budget_finds_less_and_nothing_else(
    game: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await ready(find_shared_system(game).find_sequence(name))
    units = one.sequence.system.game["units"]
    for condition in [*units.get("states", ()), *units.get("markers", ())]:
        for unit in {unit.name: unit for unit in one.roster.values()}.values():
            key = "state=" if condition in units.get("states", ()) else "marker=+"
            edit = f'unit edit "{unit.name}" {key}{condition}'
            reply = await one.channel.say("Anna", edit)
            if reply.error:
                continue
            roster = build_roster(await one.channel.game())
            found = {}
            for points in (1, 60, 150, 10_000):
                monkeypatch.setattr(counted_conditions, "MOST_POINTS", points)
                try:
                    counted = find_counted_conditions(one.sequence, one.raw, roster)
                except UserError:
                    counted = ()
                found[points] = {each.condition: each.modifiers for each in counted}
            for fewer in found.values():
                for each, modifiers in fewer.items():
                    assert modifiers in ((), found[10_000][each]), (edit, found)
            if key == "state=":  # of markers a unit may have many, of states one
                await one.channel.undo_last("Anna")


def test_what_counts_of_two_dozen_squads_is_found_within_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """12 squads with Assault Move fire at 12 that have Moved, and each has markers that count
    nothing.
    """
    spent = list[float]()
    charge = counted_conditions._PointBudget.charge_for_play

    def note(budget: counted_conditions._PointBudget, plays: object) -> None:
        charge(budget, plays)  # type: ignore[arg-type]
        spent.append(counted_conditions.MOST_POINTS - budget._points)

    monkeypatch.setattr(counted_conditions._PointBudget, "charge_for_play", note)
    fire = find_shared_system("lnlt").find_sequence("fire")
    counted = _find_for_squads(fire, "assault-move", "moved")
    assert {(each.condition.word, each.modifiers[0][1]) for each in counted} == {
        ("assault-move", -2),
        ("moved", 1),
    }
    assert max(spent) < counted_conditions.MOST_POINTS + DEAREST


def _find_for_squads(fire: Sequence, own: str, other: str) -> tuple[CountedCondition, ...]:
    """Return what counts if squads with one marker fire at squads with another."""
    units = list[RosterUnit]()
    for number in range(1, SQUADS + 1):
        numbers = {"fp": 2, "morale": 5}
        for side, mark in (("us", own), ("vc", other)):
            marks = frozenset({mark, "spotted", "low-crawl"} if side == "vc" else {mark})
            handle = f"{side}{number}"
            units.append(
                RosterUnit(f"{side.upper()} {number}", handle, "squad", side, numbers, marks=marks)
            )
    raw = {
        "attackers": "; ".join(unit.name for unit in units if unit.side == "us"),
        "targets": "; ".join(unit.name for unit in units if unit.side == "vc"),
    }
    return find_counted_conditions(fire, raw, index_by_name(units))
