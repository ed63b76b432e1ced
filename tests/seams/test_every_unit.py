"""Every unit of every scenario x every action that its card offers: it works as offered, or is not
offered.

Generated from the registry and the data: a new scenario, unit or sequence joins by itself. Left
out: what the rest of the form is filled with varies as little as the sequence's example does; typed
units are nobody's scenario.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.discord.render import build_button_rows, build_menu_rows
from adapters.slack.render import render_message as slack
from bot.commands.dispatch import load_shared_registry
from bot.game.roster_file import find_scenario
from bot.packs.check import check_system
from bot.presentation.firers_and_targets import (
    BY_NATURE,
    find_refusal_error,
    list_actions,
    list_refused_offers,
)
from bot.presentation.headline import find_target_option
from bot.presentation.unit_reasons import lacks_numbers
from bot.rules.inputs.options import ACTING
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.system import FIRES, System, list_builtin_systems
from bot.ui.form.form import ODDS
from bot.ui.reply.reply import OPEN_FORM
from bot.ui.typing.command_text import format_command, parse_text
from tests.packs.conftest import read
from tests.playing import Channel
from tests.seams.every_unit_helpers import (
    FOLDER,
    PACKS,
)
from tests.standins.slack import check_blocks

LONGEST_ID = 100
BESIDE = ("leader", "headquarters")
SCENARIOS = [
    (one.id, name)
    for one in (*list_builtin_systems().values(), *map(load_pack, PACKS))
    for name in one.scenarios
]


def the(id: str) -> System:
    """A game of the house, or a pack, which has been checked."""
    return list_builtin_systems().get(id) or read(FOLDER)[id]


@pytest.mark.slow_sample(8)
@pytest.mark.sample(1)
@pytest.mark.parametrize(("id", "scenario"), SCENARIOS)
def test_what_is_offered_is_not_refused(id: str, scenario: str) -> None:
    """Neither for what the unit is, which the card hides, nor for a number that the scenario
    left out. No card says that numbers are missing.
    """
    system = the(id)
    units = find_scenario(system, scenario).units
    assert list(list_refused_offers(system, units.values())) == []
    assert [unit.name for unit in units.values() if lacks_numbers(system, unit)] == []
    assert check_system(system, is_new=True).faults == ()


@pytest.mark.parametrize(("id", "scenario"), SCENARIOS)
def test_who_leads_fires_with_each_of_the_side(id: str, scenario: str) -> None:
    """Alone a leader may have nothing to fire; beside whoever is offered to fire they are never
    in the way.
    """
    system, tried = the(id), 0
    units = list(find_scenario(system, scenario).units.values())
    for unit in units:
        first = next(list_actions(system, unit, system.sequences, is_own=True), None)
        if first is None or first[0].verb not in FIRES or _single(first[0].id, first[1], system):
            continue
        sequence, option = first
        for leader in (
            one for one in units if one.type in BESIDE and one.side == unit.side and one is not unit
        ):
            roster = {one.name.casefold(): one for one in (unit, leader)}
            own = {**sequence.example, option: f"{unit.name}; {leader.name}"}
            tried += 1
            if system.id != "ucn":
                # there each item is a character with a weapon, and a leader fires as one
                sequence.plan(sequence.read_inputs(own, roster))
    none = (
        "asl",
        "hedgerow",
        "little-wars",
        "low-water",
        "maneuver-rules",
        "omniversal",
        "salt-road",
        "strategos-t",
        "three-mills",
    )
    assert tried or id in none, "no leaders, or no fire, on its card"


def _single(id: str, option: str, system: System) -> bool:
    return next(one.type for one in system.sequences[id].inputs if one.name == option) == "unit"


@pytest.mark.slow_sample(12)
@pytest.mark.parametrize(
    ("id", "scenario", "side"),
    [
        pytest.param(
            id, name, at, marks=[] if id in ("lnlt", "nhis") and not at else [pytest.mark.slow]
        )
        for id, name in SCENARIOS
        for at in (0, 1)
    ],
)
async def test_every_button_of_every_card_plays(
    id: str, scenario: str, side: int, use_packs: Callable[[Path], None]
) -> None:
    """Pressed, with the rest of the form filled in as in the example: an answer, never a
    refusal.
    """
    use_packs(FOLDER)
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {id} scenario={scenario}")
    game = await channel.game()
    mine = game.sides[side]
    over = (
        " over" if mine in game.self_played else ""
    )  # a person takes over a side that plays itself
    await channel.do("Anna", f"game join {mine}{over}")
    if id == "salt-road":
        await channel.do("Anna", "track set orders 3")  # as a card played for them gives
    tried = 0
    for unit in game.units.values():
        card = await channel.do("Anna", f"unit show {unit.handle}")
        for button in card.buttons:
            if not button.action.startswith(OPEN_FORM):
                continue
            typed = parse_text(button.action.removeprefix(OPEN_FORM), load_shared_registry())
            sequence = load_shared_systems()[id].find_sequence(typed.spec.target)
            aimed, enemy = (
                find_target_option(sequence.inputs),
                next(one for one in game.units.values() if one.side != mine),
            )
            given = {
                **({aimed.name: enemy.handle} if aimed else {}),
                **sequence.example,
                **typed.options,
            }
            reply = await channel.do("Anna", format_command(typed.spec, given))
            tried += 1
            if not typed.options.get(ODDS):
                assert not reply.private, reply.format_text()
                await channel.undo_last("Anna")
    assert tried or id in ("strategos-t", "three-mills"), "where nobody has a target yet"


@pytest.mark.parametrize(
    ("id", "scenario"),
    [
        pytest.param(id, name, marks=[] if id == "lnlt" else [pytest.mark.slow])
        for id, name in SCENARIOS
    ],
)
async def test_every_mark_of_every_card_is_put_on_and_taken_back(
    id: str, scenario: str, use_packs: Callable[[Path], None]
) -> None:
    """Each state, marker and side that the card of a unit type offers; the card can be shown on
    both platforms.
    """
    use_packs(FOLDER)
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {id} scenario={scenario}")
    tried, types = 0, set[str]()
    for unit in (await channel.game()).units.values():
        if unit.type in types:
            continue
        types.add(unit.type)
        card = await channel.do("Anna", f"unit show {unit.handle}")
        assert check_blocks(slack(card, "T1", load_shared_registry()).blocks) == []
        shown = [
            part
            for row in (*build_button_rows(card.buttons), *build_menu_rows(card.menus))
            for part in row["components"]
        ]
        ids = [part["custom_id"] for part in shown]
        values = [option["value"] for part in shown for option in part.get("options", ())]
        assert len(ids) == len({*ids})
        assert len(values) == len({*values})
        assert max(map(len, (*ids, *values))) <= LONGEST_ID
        for entry in (entry for menu in card.menus for entry in menu.entries):
            reply = await channel.press("Anna", entry.action)
            assert not reply.error, (unit.name, entry.label, reply.format_text())
            undone = await channel.undo_last("Anna")
            assert "undone" in undone.first_line, (unit.name, entry.label, undone.format_text())
            tried += 1
    assert tried, "some marks are offered"


GHOSTS = [
    ("lnlt", RosterUnit("Gun", "us1", "weapon-team", "US", {"morale": 5})),
    ("lnlt", RosterUnit("Squad", "us1", "squad", "US", {"morale": 5})),
    ("nhis", RosterUnit("Squad", "us1", "squad", "US", {"morale": 5, "range": 6})),
]


@pytest.mark.parametrize(("id", "unit"), GHOSTS)
def test_a_unit_without_what_its_fire_needs_is_a_fault_of_its_scenario(
    id: str, unit: RosterUnit
) -> None:
    """`grognard check` says so in the words of the fire."""
    assert any(
        said.startswith(("Direct fire", "Fire", "Ranged"))
        for said in list_refused_offers(the(id), [unit])
    )


@pytest.mark.parametrize(
    ("id", "name"), [("lnlt", "Lt Brooks"), ("lnlt", "Doc"), ("nhis", "Lt Harlan")]
)
def test_fire_with_it_is_offered_to_what_can_do_it(id: str, name: str) -> None:
    """Leaders and medics add nothing alone: no button. The squad beside them has one."""
    system = the(id)
    units = [unit for one in system.scenarios for unit in find_scenario(system, one).units.values()]
    shots = {
        unit.name: [
            one
            for one, option in list_actions(system, unit, system.sequences, is_own=True)
            if option in ACTING
        ]
        for unit in units
    }
    assert not [one for one in shots[name] if one.verb == "Fire"]
    unit = next(unit for unit in units if unit.name == name)
    error = find_refusal_error(system.find_sequence("fire"), "attackers", unit)
    assert error is not None
    assert error.code in BY_NATURE
    assert any(
        one.verb == "Fire"
        for one in shots[next(unit.name for unit in units if unit.type == "squad")]
    )
