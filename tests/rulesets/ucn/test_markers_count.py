"""Markers and types with a number on the card count by themselves, in odds, play and forms; each
can be left out for one roll.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.system import list_builtin_systems
from bot.ui.form.form import FLAGS, Field, Form, Room, build_form
from bot.ui.form.submission import evaluate_form
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import CompletionContext
from tests.examples import odds, play_example
from tests.playing import Channel
from tests.rulesets.ucn.rosters import roster, unit

# By hand, from the card: what each condition adds to Spot, to Firearms, against a vehicle to each,
# and to Morale.
SPOT = {
    "target_moving": 4, "target_concealed": -6, "target_hidden": -15, "target_gone_firm": -4,
    "target_fired_suppression": 6, "target_vehicle": 4, "attacker_moving": -4,
}  # fmt: skip
SHOOT = {
    "target_moving": -4, "target_in_cover": -6, "target_hidden": -15, "target_gone_firm": -4,
    "attacker_moving": -4,
}  # fmt: skip
SPOT_VEHICLE = {
    "target_moving": 4, "fired_main_weapon": 6, "target_in_cover": -6, "target_hidden": -15,
    "attacker_vehicle_moving": 4,
}  # fmt: skip
SHOOT_VEHICLE = {
    "target_moving": -4, "target_in_cover": -6, "target_hidden": -15, "attacker_vehicle_moving": -10,
}  # fmt: skip
MORALE = {"cover": 2}


def of_target(adds: Mapping[str, int]) -> Mapping[str, int]:
    """What the target adds: who interrupts is not moving."""
    return {name: value for name, value in adds.items() if name.startswith("target")}


class Roll(NamedTuple):
    """A sequence, who acts and at whom, what fails, and what the card adds to its checks."""

    sequence: str
    given: Mapping[str, object]
    by: str
    failed: str
    checks: tuple[tuple[int, Mapping[str, int]], ...]

    def chance(self, given: Mapping[str, object], units: dict[str, Any]) -> Fraction:
        """The chance of success as the odds count it."""
        counted = odds("ucn", self.sequence, given, self.by, roster=units)
        return 1 - counted.get(self.failed, Fraction(0))

    def by_hand(self, option: str) -> Fraction:
        """The chance with this condition: a 1 always succeeds, a 20 never."""
        chance = Fraction(1)
        for skill, adds in self.checks:
            final = skill + adds.get(option, 0)
            chance *= Fraction(min(19, max(1, final)), 20)
        return chance


VEHICLE = {"unit": "Red", "target": "Blue", "skill": 9, "pen": 9, "hull": 6}
ROLLS = [
    Roll("spot", {"unit": "Red", "target": "Blue"}, "result", "not-spotted", ((12, SPOT),)),
    Roll("shoot", {"shooters": "Red", "target": "Blue"}, "hits", "0", ((12, SHOOT),)),
    Roll(
        "interrupt",
        {"shooters": "Red", "unit": "Red", "target": "Blue"},
        "hits",
        "0",
        ((12, of_target(SPOT)), (12, of_target(SHOOT))),
    ),
    Roll("attack-vehicle", VEHICLE, "result", "miss", ((13, SHOOT_VEHICLE),)),
    Roll(
        "attack-vehicle",
        {**VEHICLE, "spot_skill": 5},
        "result",
        "not-spotted",
        ((9, SPOT_VEHICLE),),
    ),
    Roll("morale", {"unit": "Red"}, "result", "passed", ((12, MORALE),)),
]


class Case(NamedTuple):
    """A condition that the roster brings to a roll: the option, who has it, and as what."""

    roll: Roll
    option: str
    holder: str
    keys: tuple[str, ...]


def cases() -> list[Case]:
    """Each marker and type that an option of these sequences is brought by."""
    found = []
    states = find_shared_system("ucn").game["units"]["states"]
    for roll in ROLLS:
        for option in find_shared_system("ucn").find_sequence(roll.sequence).inputs:
            holder, _, keys = option.brings.partition(".")
            if option.type != "bool" or not keys:
                continue
            for alternative in keys.split("|"):
                if alternative not in states:  # those are tried in test_states_count.py
                    found.append(Case(roll, option.name, holder, tuple(alternative.split("+"))))
    return found


def people(holder: str = "", keys: tuple[str, ...] = ()) -> dict[str, Any]:
    """Red, who acts, and Blue; one of them has these markers, or is a vehicle."""
    types = find_shared_system("ucn").words["units"].types
    marks = tuple(key for key in keys if key not in types)
    kind = next((key for key in keys if key in types), "element")
    is_red = holder in ("unit", "shooters")
    red = unit(
        "Red", kind if is_red else "element", marks=marks if is_red else (),
        weapon="bolt-action-rifle", firearms=12, spot=12, morale=12, members=1,
    )  # fmt: skip
    blue = unit("Blue", "element" if is_red else kind, marks=() if is_red else marks)
    return roster(red, blue)


def name_of(case: Case) -> str:
    spots = " spot" if case.roll.failed == "not-spotted" else ""
    return f"{case.roll.sequence}{spots} {'+'.join(case.keys)}"


@pytest.mark.parametrize("case", cases(), ids=name_of)
def test_a_marker_counts_as_if_it_were_typed(case: Case) -> None:
    roll = case.roll
    held = people(case.holder, case.keys)
    typed = {**roll.given, case.option: True}
    left_out = {**roll.given, case.option: False}
    marks = roll.by_hand(case.option)
    base = roll.by_hand("")
    adds = [adds.get(case.option, 0) for _, adds in roll.checks]
    if roll.sequence == "morale":
        marks, base = 1 - marks, 1 - base
    assert roll.chance(roll.given, people()) == base
    assert roll.chance(roll.given, held) == marks
    assert roll.chance(typed, people()) == marks
    assert roll.chance(typed, held) == marks
    assert roll.chance(left_out, held) == base
    assert (marks != base) == any(adds)


def test_every_marker_with_a_number_is_tried() -> None:
    without = {"activated", "shot", "thrown", "reload", "commanded", "cannot-move"}
    tried = {key for case in cases() for key in case.keys}
    markers = set(find_shared_system("ucn").game["units"]["markers"])
    assert markers - without == tried - {"vehicle"}
    for roll in ROLLS:
        options = {option for _, adds in roll.checks for option in adds}
        assert options <= {case.option for case in cases() if case.roll is roll}


def test_a_marker_is_left_out_behind_the_unit_as_well() -> None:
    held = people("target", ("moving",))
    shot = {"shooters": "Red", "target": "Blue -moving"}
    assert odds("ucn", "shoot", shot, "hits", roster=held)["1"] == Fraction(12, 20)
    own = people("shooters", ("moving",))
    shot = {"shooters": "Red -moving", "target": "Blue"}
    assert odds("ucn", "shoot", shot, "hits", roster=own)["1"] == Fraction(12, 20)


def test_each_shooter_has_a_marker_of_their_own() -> None:
    units = roster(
        *[
            unit(name, marks=marks, weapon="bolt-action-rifle", firearms=12)
            for name, marks in (("Red", ("moving",)), ("Green", ()))
        ]
    )
    played = play_example("ucn", "shoot", {"shooters": "Red; Green"}, [20, 20], units)
    assert [one["final_skill"] for one in played.out["shooters"]] == [8, 12]
    typed = {"shooters": "Red; Green", "attacker_moving": False}
    played = play_example("ucn", "shoot", typed, [20, 20], units)
    assert [one["final_skill"] for one in played.out["shooters"]] == [12, 12]


def test_firm_by_choice_is_not_the_state_after_a_failed_test() -> None:
    """Both are -4; only the state has the +4 cover."""
    shot = {"shooters": "Red", "target": "Blue"}
    chosen = play_example("ucn", "shoot", shot, [20], people("target", ("firm",)))
    assert chosen.lines[0].text() == "Skill: Firearms 12 − 4 target gone firm = 8"
    red = unit("Red", weapon="bolt-action-rifle", firearms=12)
    failed = roster(red, unit("Blue", state="go-firm", marks=("firm",)))
    forced = play_example("ucn", "shoot", shot, [20], failed)
    assert forced.lines[0].text() == (
        "Skill: Firearms 12 − 4 target gone firm − 4 target's firm cover = 4"
    )


# Forms: what the roster brings is ticked, and unticking leaves it out

UNITS = (
    RosterUnit("Red", "us1", "element", "US", {"firearms": 12, "weapon": "smg"}),
    RosterUnit("Blue", "ger1", "element", "German", {}, "", frozenset({"moving", "cover"})),
    RosterUnit("Grey", "ger2", "element", "German", {}),
)
KNOWN = CompletionContext(
    UNITS, ("US", "German"), own_side="US", system="ucn", game=list_builtin_systems()["ucn"]
)
SHOT = {"shooters": "Red", "target": "Blue"}
ROOMS = [Room(5, 25, 10), Room(folds=True)]


def shoot_spec() -> CommandSpec:
    spec = load_shared_registry().get(("ucn", "shoot"))
    assert spec is not None
    return spec


def shoot_form(options: Mapping[str, object], room: Room) -> Form:
    return build_form(shoot_spec(), options, KNOWN, room)


def boxes(form: Form) -> Field:
    field = form.find_field(FLAGS)
    assert field is not None
    return field


def ticked(form: Form) -> list[str]:
    return [pick.value for pick in boxes(form).picks if pick.chosen]


@pytest.mark.parametrize("room", ROOMS, ids=["narrow", "wide"])
def test_the_box_of_a_marker_is_ticked_and_unticking_leaves_it_out(room: Room) -> None:
    spec = shoot_spec()
    form = shoot_form(SHOT, room)
    assert {"target_moving", "target_in_cover"} <= {*ticked(form)}
    kept = evaluate_form(spec, KNOWN, form, {FLAGS: ticked(form)}).options
    assert "target_moving" not in kept
    assert "target_in_cover" not in kept
    without = [one for one in ticked(form) if one != "target_moving"]
    left_out = evaluate_form(spec, KNOWN, form, {FLAGS: without}).options
    assert left_out["target_moving"] is False
    again = shoot_form(left_out, room)
    assert "target_moving" not in ticked(again)
    assert (
        evaluate_form(spec, KNOWN, again, {FLAGS: ticked(again)}).options["target_moving"] is False
    )


@pytest.mark.parametrize("room", ROOMS, ids=["narrow", "wide"])
def test_another_target_in_the_same_form_brings_its_own_markers(room: Room) -> None:
    form = shoot_form(SHOT, room)
    filled = {FLAGS: ticked(form), "target": ["ger2"]}
    options = evaluate_form(shoot_spec(), KNOWN, form, filled).options
    assert options["target"] == "Grey"
    assert "target_moving" not in options
    assert "target_in_cover" not in options


async def test_a_new_turn_clears_what_ends_with_it_and_undo_brings_it_back() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start ucn scenario=causeway",
        "unit edit germ2 moving loud cover firm",
        "game next",
    )
    assert (await channel.game()).units["gruppe 2"].marks == {"cover", "firm"}
    await channel.undo("Anna")
    assert (await channel.game()).units["gruppe 2"].marks == {"moving", "loud", "cover", "firm"}


async def test_play_odds_and_other_target_count_the_same() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", "game start ucn scenario=causeway", "unit edit germ2 cover", "unit edit us4 ap=none"
    )
    shot = await channel.do("Anna", "ucn shoot shooters=us4 target=germ2 hand=20")
    assert "− 6 target in cover" in shot.format_text()
    counted = await channel.do("Anna", "ucn shoot shooters=us4 target=germ2 odds")
    assert "From Gruppe 2: − 6 target in cover." in counted.format_text()
    typed = await channel.do("Anna", "ucn shoot shooters=us4 target=germ1 target_in_cover odds")
    assert str(counted.lines[0]).replace("Gruppe 2", "Gruppe 1") == str(typed.lines[0])
    number = (await channel.game()).last
    other = await channel.press("Anna", await channel.under(number, "other") + ":germ1")
    assert "target in cover" not in other.format_text()
