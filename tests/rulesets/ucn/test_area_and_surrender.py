"""Results that reach others: damage in an area of effect, passengers of a vehicle, surrender."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rulesets.system import list_builtin_systems
from bot.ui.form.form import Room, build_form
from bot.ui.reply.reply import Reply
from bot.ui.typing.complete import CompletionContext
from tests.examples import odds, play_example
from tests.playing import Channel
from tests.refusing import refuses
from tests.rulesets.ucn.rosters import changes, roster, unit


async def causeway() -> Channel:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn scenario=causeway")
    return channel


def area_buttons(reply: Reply) -> list[str]:
    return [button.action for button in reply.buttons if button.label.startswith("In the area")]


# -- damage in an area of effect


def test_each_character_is_saved_or_rolls_the_damage_dice() -> None:
    """An SMG: Blue's first character is saved by a 2, the second takes 15 and 3; Green is pinned."""
    people = roster(unit("Blue", members=3, casualties=1), unit("Green", members=2))
    given = {"weapon": "smg", "targets": "Blue characters=2; Green"}
    played = play_example("ucn", "damage", given, [2, 9, 15, 3, 11, 2, 8], people)
    assert played.out == {
        "targets": [
            {
                "unit": "Blue",
                "hits": 2,
                "saved": 1,
                "casualties": 1,
                "status": "combat-ineffective",
            },
            {"unit": "Green", "hits": 1, "saved": 0, "casualties": 0, "status": "pinned"},
        ],
        "casualties": 1,
    }
    assert changes(played) == {
        "Blue": {"state": "pinned", "members": 2, "casualties": 2},
        "Green": {"state": "pinned"},
    }


def test_skill_above_twenty_and_further_hits_count() -> None:
    """A rifle, two hits, 4 above 20: 9 + 4 is a casualty, 8 + 4 pins."""
    given = {"weapon": "battle-rifle", "targets": "element", "hits": 2, "over": 4}
    played = play_example("ucn", "damage", given, [9, 8])
    assert played.out["targets"][0]["casualties"] == 1
    one = {**given, "hits": 1}
    assert play_example("ucn", "damage", one, [8]).out["targets"][0]["status"] == "pinned"


def test_odds_match_a_count_by_hand() -> None:
    """One d20: 6 faces hesitant, 6 pinned, 8 a casualty; an SMG is saved by two faces of 20."""
    rifle = {"weapon": "battle-rifle", "targets": "element; element"}
    by_hand = {
        "hesitant": Fraction(6, 20),
        "pinned": Fraction(6, 20),
        "combat-ineffective": Fraction(8, 20),
    }
    for at in (0, 1):
        assert odds("ucn", "damage", rifle, f"targets[{at}].status") == by_hand
    both = odds("ucn", "damage", rifle, "casualties")
    assert both == {"0": Fraction(12, 20) ** 2, "1": Fraction(192, 400), "2": Fraction(8, 20) ** 2}
    smg = odds("ucn", "damage", {"weapon": "smg", "targets": "element"}, "targets[0].status")
    assert smg["none"] == Fraction(2, 20)


async def test_a_shot_asks_who_else_is_there_with_nobody_chosen() -> None:
    """The form has the weapon, the hits and all elements, none of them ticked."""
    channel = await causeway()
    shot = await channel.do("Anna", "ucn shoot shooters=us3 target=germ2 hand=2,20,11,1,1")
    assert area_buttons(shot) == ["form:ucn damage weapon=mmg hits=1"]
    game = await channel.game()
    spec = load_shared_registry().get(("ucn", "damage"))
    assert spec is not None
    known = CompletionContext(
        tuple(game.units.values()), game.sides, system="ucn", game=list_builtin_systems()["ucn"]
    )
    form = build_form(spec, {"weapon": "mmg", "hits": 1}, known, Room(folds=True))
    field = form.find_field("targets")
    assert field is not None
    assert "Gruppe 1" in [pick.label for pick in field.picks]
    assert not [pick for pick in field.picks if pick.chosen]
    assert not field.needed
    missed = await channel.do("Anna", "ucn shoot shooters=us4 target=germ2 hand=20")
    assert area_buttons(missed) == []


async def test_the_others_are_one_event_and_one_undo_and_nobody_is_an_answer() -> None:
    channel = await causeway()
    before = await channel.content()
    hurt = await channel.do("Anna", 'ucn damage mmg "germ1; us1" hand=13,1,1,7,1,1')
    assert hurt.title == "Gruppe 1 takes 1 casualty and is pinned, 1st Squad is pinned"
    await channel.undo("Anna")
    assert await channel.content() == before
    nobody = await channel.do("Anna", "ucn damage mmg")
    assert nobody.title == "Nobody else is in the area"
    assert await channel.content() == before


# -- passengers


@pytest.mark.parametrize(
    ("dice", "state", "members"),
    [
        ([3, 3, 15, 3, 18], "ready", 4),  # spalling: they disembark
        ([3, 3, 15, 8], "pinned", 4),  # mobility kill: pinned
        ([3, 3, 15, 13, 18], "pinned", 4),  # mission kill, 16-20: they get out pinned
        ([3, 3, 15, 13, 3], "combat-ineffective", 0),  # mission kill, 1-15
        ([3, 3, 15, 18], "combat-ineffective", 0),  # catastrophic kill
    ],
)
async def test_passengers_share_the_fate_of_the_vehicle(
    dice: list[int], state: str, members: int
) -> None:
    channel = await causeway()
    await channel.do("Anna", "unit edit germ1 in=germ4 members=4")
    before = await channel.content()
    shot = f"ucn attack-vehicle unit=us2 target=germ4 pen=9 hand={','.join(map(str, dice))}"
    reply = await channel.do("Anna", shot)
    gruppe = (await channel.game()).units["gruppe 1"]
    assert (gruppe.state or "ready", gruppe.numbers["members"]) == (state, members)
    assert "in" not in gruppe.numbers
    assert "Gruppe 1" in reply.title + reply.format_text()
    await channel.undo("Anna")
    assert await channel.content() == before


async def test_nobody_aboard_is_nobody_hurt() -> None:
    channel = await causeway()
    reply = await channel.do(
        "Anna", "ucn attack-vehicle unit=us2 target=germ4 pen=9 hand=3,3,15,13"
    )
    assert "passengers" not in reply.format_text().casefold()


# -- surrender


def test_only_a_pinned_element_surrenders() -> None:
    def surrender(state: str, **given: Any) -> Any:
        people = roster(unit("Blue", state=state, members=3))
        return play_example("ucn", "surrender", {"unit": "Blue", **given}, [], people)

    assert changes(surrender("pinned")) == {"Blue": {"state": "surrendered"}}
    with refuses("card-forbids unit"):
        surrender("hesitant")
    assert changes(surrender("hesitant", anyway=True)) == {"Blue": {"state": "surrendered"}}


async def test_who_has_surrendered_is_out_of_the_game() -> None:
    channel = await causeway()
    await channel.do("Anna", "unit edit germ3 pinned", "ucn surrender germ3")
    await channel.refused("Anna", "ucn shoot shooters=us1 target=germ3", "unit-gone")
    assert "lost: MG Nest" in (await channel.do("Anna", "unit list")).format_text()


# -- the tank of the scenario


async def test_the_tank_can_shoot() -> None:
    channel = await causeway()
    shot = await channel.do("Anna", "ucn shoot shooters=germ4 target=us1 hand=20")
    assert "LMG to hit" in shot.format_text()
