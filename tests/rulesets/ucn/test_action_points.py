"""Action Points in a started game: every action of the AP table costs its AP, a leader hands out
more, a natural 20 takes what is left, and a new round brings all of it back.
"""

from __future__ import annotations

from typing import Any

import pytest

from bot.game.state import Game
from bot.rules.errors import DieOwed
from bot.rules.inputs.loadout import add_pieces, count_carried_weapons, count_ready_weapons
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import find_shared_system
from tests.examples import lookup, play_example
from tests.playing import Channel
from tests.refusing import refuses
from tests.rulesets.ucn.rosters import changes, roster, unit

ACTIONS = find_shared_system("ucn").find_table("ap-costs").get_option("action").values
ALLOWANCE = {"element": 3, "leader": 3, "heavy-weapon-crew": 4, "vehicle": 4}


async def causeway() -> Channel:
    """The scenario of the game, as it starts."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start ucn scenario=causeway")
    return channel


async def element(channel: Channel, name: str) -> RosterUnit:
    return (await channel.game()).units[name.casefold()]


def ap_left(one: RosterUnit) -> int:
    """Its own AP that are left, never below 0."""
    left = int(one.numbers["ap"]) - int(one.numbers.get("spent", 0))
    assert left >= 0
    return left


# -- the allowance


def test_the_allowance_is_that_of_the_card() -> None:
    starts = find_shared_system("ucn").game["units"]["starts"]["ap"]
    assert starts == ALLOWANCE
    for kind, ap in ALLOWANCE.items():
        on_card = kind if kind in ("heavy-weapon-crew", "vehicle") else "infantry"
        assert lookup("ucn", "ap-allowance", unit=on_card)["ap"] == ap


async def test_units_of_a_scenario_and_of_the_roster_have_it() -> None:
    channel = await causeway()
    await channel.do(
        "Anna",
        "unit add Bazooka heavy-weapon-crew US members=2",
        'unit import "name,type,side,ap\nScouts,element,US,\nTired,element,US,1"',
        "unit add Free element US ap=none",
    )
    units = (await channel.game()).units
    for one in units.values():
        expected = {"Tired": 1, "Free": None}.get(one.name, ALLOWANCE[one.type])
        assert one.numbers.get("ap") == expected, one.name


async def test_free_play_counts_none() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "unit add Red element members=3")
    assert "ap" not in (await element(channel, "Red")).numbers


# -- every action


@pytest.mark.parametrize("action", ACTIONS)
async def test_every_action_of_the_table_lowers_ap(action: str) -> None:
    """As often as the card's AP last, then it is refused, and anyway=yes leaves 0."""
    channel = await causeway()
    cost = int(lookup("ucn", "ap-costs", action=action)["ap"])
    again = int(lookup("ucn", "ap-costs", action=action, second=True)["ap"])
    left = ap_left(await element(channel, "1st Squad"))
    vehicle = " vehicle=germ4" if action == "embark" else ""
    line = f"ucn act unit=us1 action={action}{vehicle}"
    for _ in range(2):
        if cost > left:
            break
        await channel.do("Anna", line)
        left, cost = left - cost, again
        assert ap_left(await element(channel, "1st Squad")) == left
    if not cost:
        return
    if left:
        await channel.do("Anna", "unit edit us1 spent=3")
    await channel.refused("Anna", line, "card-forbids unit")
    reply = await channel.do("Anna", f"{line} anyway=yes")
    assert "1st Squad is short of AP but acts anyway" in reply.format_text() or action == "reload"
    assert ap_left(await element(channel, "1st Squad")) == 0


async def test_a_turn_of_the_causeway_with_ap() -> None:
    """Move, spot, shoot, go firm, command, a throw into a room: all of it is undone and is back in
    the next round.
    """
    channel = await causeway()
    await channel.do(
        "Anna",
        "ucn act unit=us1 action=move",
        "ucn act unit=us1 action=go-firm",
        "ucn command unit=us4 to=us2 n=2",
        "ucn spot unit=us2 target=germ1 extra_ap=1 hand=20,2,3,4,5,6,7,8",
        "ucn shoot shooters=us3 target=germ1 hand=19,18",
        "ucn act unit=us3 action=set-up-mmg-hmg",
    )
    first, second = await element(channel, "1st Squad"), await element(channel, "2nd Squad")
    assert ap_left(first) == 1
    assert first.marks == {"activated", "firm"}
    assert (ap_left(second), second.numbers["more_ap"]) == (2, 1)
    assert second.numbers["without_ap"] == 1
    assert ap_left(await element(channel, "MG Team")) == 0
    await channel.refused("Anna", "ucn shoot shooters=us3 target=germ1", "card-forbids shooters")
    await channel.do("Anna", "game next")
    for one in (await channel.game()).units.values():
        assert ap_left(one) == ALLOWANCE[one.type]
        assert not {"more_ap", "without_ap", "idle_arms"} & one.numbers.keys()
        assert not {"activated", "shot", "moving", "commanded"} & one.marks
    assert (await element(channel, "1st Squad")).marks == {"firm"}


async def test_an_act_is_one_event_and_one_undo() -> None:
    channel = await causeway()
    before = await channel.content()
    moved = await channel.do("Anna", "ucn act us1 move n=2")
    assert moved.title == "1st Squad moves 12 inches"
    assert "1st Squad uses 2 AP (1 left)" in moved.format_text()
    assert (await element(channel, "1st Squad")).marks == {"activated", "moving"}
    await channel.undo("Anna")
    assert await channel.content() == before


async def test_the_refusal_has_a_button_that_does_it_anyway() -> None:
    channel = await causeway()
    await channel.do("Anna", "unit edit us1 spent=3")
    refused = await channel.say("Anna", "ucn act unit=us1 action=climb-window")
    assert refused.title == "1st Squad has no AP left, but this takes 3."
    assert "/ucn act unit=us1 action=climb-window anyway" in refused.format_text()


# -- what bars an element from acting


@pytest.mark.parametrize("state", ["pinned", "let-loose", "withdraw"])
@pytest.mark.parametrize(
    ("sequence", "given", "option"),
    [
        ("act", {"unit": "Red", "action": "move"}, "unit"),
        ("spot", {"unit": "Red"}, "unit"),
        ("shoot", {"shooters": "Red"}, "shooters"),
        ("interrupt", {"shooters": "Red", "auto_spotted": True}, "shooters"),
        ("attack-vehicle", {"unit": "Red", "pen": 9, "hull": 9}, "unit"),
        ("melee", {"unit": "Red", "defenders": 1, "defender_skill": 9}, "unit"),
        ("building-assault", {"unit": "Red", "defenders": 1, "defender_skill": 9}, "unit"),
        ("grenade-assault", {"unit": "Red", "occupants": 1}, "unit"),
    ],
)
def test_who_can_do_nothing_is_refused(
    sequence: str, given: dict[str, object], option: str, state: str
) -> None:
    people = armed(state=state)
    with refuses(f"card-forbids {option}"):
        play_example("ucn", sequence, given, [], people)
    dice = {"act": []}.get(sequence, [20] * 9)
    played = play_until_done(sequence, {**given, "anyway": True}, dice, people)
    assert any("acts anyway" in said for said in played.resolution.state_changes)


def armed(state: str = "ready", **numbers: Any) -> dict[str, Any]:
    """Two characters with rifles and all skills."""
    skills = {"firearms": 12, "spot": 12, "melee": 12, "morale": 12, "members": 2, "ap": 3}
    return roster(unit("Red", state=state, weapon="bolt-action-rifle", **{**skills, **numbers}))


def play_until_done(
    sequence: str, given: dict[str, object], dice: list[int], people: dict[str, Any]
) -> Any:
    """Play with as many of these dice as the sequence takes."""
    for count in range(len(dice) + 1):
        try:
            return play_example("ucn", sequence, given, dice[:count], people)
        except DieOwed:
            continue
    raise AssertionError("more dice are needed")


def test_a_marker_to_reload_is_taken_off_by_act_alone() -> None:
    """1 AP, and 3 with a heavy weapon."""
    people = roster(unit("Red", marks=("reload",), weapon="smg", firearms=12, ap=3))
    with refuses("card-forbids shooters"):
        play_example("ucn", "shoot", {"shooters": "Red"}, [], people)
    done = play_example("ucn", "act", {"unit": "Red", "action": "reload"}, [], people)
    assert done.out == {"ap": 1, "left": 2}
    assert done.resolution.changes[-1].unmark == {"reload"}
    crew = roster(unit("Gun", "heavy-weapon-crew", marks=("reload",), ap=4))
    assert play_example("ucn", "act", {"unit": "Gun", "action": "reload"}, [], crew).out["ap"] == 3


# -- additional AP


def test_only_a_leader_hands_out_ap_and_only_once() -> None:
    people = roster(
        unit("Lt", "leader"), unit("Red", ap=3), unit("Blue", ap=3, marks=("commanded",))
    )

    def command(**given: object) -> Any:
        return play_example("ucn", "command", given, [], people)

    given = command(unit="Lt", to="Red", n=2)
    assert changes(given) == {"Red": {"more_ap": 2, "mark": {"commanded"}}}
    with refuses("card-forbids unit"):
        command(unit="Red", to="Blue")
    with refuses("card-forbids to"):
        command(unit="Lt", to="Blue")
    with refuses("unit-twice to"):
        command(unit="Lt", to="Lt")
    assert changes(command(unit="Lt", to="Blue", anyway=True))["Blue"]["more_ap"] == 1


def test_additional_ap_are_spent_when_its_own_are_gone() -> None:
    people = roster(unit("Red", ap=3, spent=3, more_ap=2, spot=12, members=1))
    spotted = play_example("ucn", "spot", {"unit": "Red"}, [5], people)
    assert changes(spotted)["Red"] == {"spent": 3, "more_ap": 1, "mark": {"activated"}}
    assert "Red uses 1 additional AP (1 left)" in spotted.resolution.state_changes
    with refuses("card-forbids unit"):
        play_example("ucn", "spot", {"unit": "Red", "extra_ap": 2}, [], people)


async def test_a_strict_game_takes_each_action_that_its_ap_pay_for() -> None:
    """An element moves, spots and shoots in one activation; the AP alone stop it."""
    channel = await causeway()
    await channel.do("Anna", "game settings strict=yes", "ucn act us1 move")
    await channel.do("Anna", "ucn spot us1 germ2 hand=12,12,12,12,12,12,12,12")
    shot = await channel.do("Anna", "ucn shoot us1 germ2 hand=12,12,12,12,12,12,12,12")
    assert "already" not in shot.format_text()
    await channel.refused("Anna", "ucn shoot us1 germ2", "card-forbids shooters")


async def test_who_gave_up_the_activation_for_an_interrupt_has_activated_already() -> None:
    channel = await causeway()
    await channel.do("Anna", "unit edit us1 marker=+activated")
    shot = await channel.do("Anna", "ucn shoot us1 germ2 hand=19,19,19,19,19,19,19,19")
    assert "1st Squad has already activated" in shot.format_text()
    await channel.do("Anna", "unit edit us2 marker=+activated", "game settings strict=yes")
    await channel.refused("Anna", "ucn shoot us2 germ2", "strict-game")


# -- a natural 20


@pytest.mark.parametrize(
    ("kind", "members", "left"),
    [("leader", 1, 0), ("heavy-weapon-crew", 2, 0), ("vehicle", None, 0), ("element", 3, 2)],
)
def test_a_twenty_takes_what_is_left(kind: str, members: int | None, left: int) -> None:
    """Of a crew and a vehicle as a whole; of an element only from the character who rolled it."""
    numbers: dict[str, Any] = {"ap": 3, "spot": 12} | ({"members": members} if members else {})
    people = roster(unit("Red", kind, **numbers))
    dice = [5] * ((members or 1) - 1) + [20]
    told = play_example("ucn", "spot", {"unit": "Red"}, dice, people).resolution.changes
    new = {key: value for change in told for key, value in change.set.items()}
    assert 3 - new["spent"] == left
    assert new.get("without_ap") == (1 if left else None)


def test_who_has_no_ap_left_sits_out_the_next_roll() -> None:
    """One of three characters spots no more, and his weapon is left out of the next shot."""
    people = roster(unit("Red", ap=3, spot=12, members=3, without_ap=1))
    assert len(play_example("ucn", "spot", {"unit": "Red"}, [5, 5], people).dice) == 2
    squad = {"loadout": ("6xbattle-rifle", "smg"), "members": 7}
    assert count_ready_weapons(squad) == count_carried_weapons(squad)
    tired = {**squad, "without_ap": 1, "idle_arms": ("smg",)}
    assert count_ready_weapons(tired) == {"battle-rifle": 6}
    spotters = {**squad, "without_ap": 2, "idle_arms": ("smg",)}
    assert count_ready_weapons(spotters) == {"battle-rifle": 5}
    assert add_pieces(("2xsmg",), ["smg", "lmg"]) == ("3xsmg", "lmg")


async def test_the_weapon_of_a_twenty_is_left_out_of_the_next_shot() -> None:
    channel = await causeway()
    shot = await channel.do(
        "Anna", "ucn shoot shooters=us1 target=germ1 hand=19,19,19,19,19,19,20,19"
    )
    assert "1 of 8 characters in 1st Squad has no AP left after a natural 20" in shot.format_text()
    squad = await element(channel, "1st Squad")
    assert squad.numbers["idle_arms"] == ("automatic-rifle",)
    second = await channel.do(
        "Anna", "ucn shoot shooters=us1 target=germ1 hand=19,19,19,19,19,19,19"
    )
    assert "Automatic rifle" not in second.format_text()
    game: Game = await channel.game()
    assert ap_left(game.units["1st squad"]) == 0
