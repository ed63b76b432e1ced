"""What is offered while typing: a choice replaces the whole value and holds 100 characters."""

from __future__ import annotations

from bot.commands.dispatch import load_shared_registry
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.system import list_builtin_systems
from bot.ui.typing.complete import (
    CompletionChoice,
    CompletionContext,
    complete_option,
    restore_choice_values,
)

ROSTER = tuple(
    RosterUnit(f"{name} {number}", f"{side.casefold()}{number}", "squad", side)
    for side, name in (("US", "Squad"), ("VC", "Cell"))
    for number in range(1, 13)
)
KNOWN = CompletionContext(
    ROSTER, ("US", "VC"), ("Anna",), "US", "lnlt", game=list_builtin_systems()["lnlt"]
)


def offered(
    name: str, typed: str, known: CompletionContext = KNOWN, **given: object
) -> list[CompletionChoice]:
    spec = load_shared_registry().get(("lnlt", "fire"))
    assert spec is not None
    return list(complete_option(spec, name, typed, load_shared_registry(), known, given))


def values(name: str, typed: str, known: CompletionContext = KNOWN, **given: object) -> list[str]:
    return [choice.value for choice in offered(name, typed, known, **given)]


def test_own_units_first_for_attackers_the_others_first_for_targets() -> None:
    assert values("attackers", "")[0] == "Squad 1"
    assert values("targets", "")[0] == "Cell 1"
    assert offered("attackers", "")[0].name == "Squad 1 (us1, squad)"


def test_a_name_with_a_space_can_be_typed_to_its_end() -> None:
    assert values("attackers", "squad 1")[:4] == ["Squad 1", "Squad 10", "Squad 11", "Squad 12"]
    assert values("attackers", "Squad 1; squad 2")[0] == "Squad 1; Squad 2"
    assert "Squad 1 fp=" in values("attackers", "Squad 1 ")
    assert "squad fp=4 morale=" in values("attackers", "squad fp=4 mor")


def test_many_at_once_behind_the_first_units() -> None:
    """Ranges, `all` and sides, with the number of units that each means."""
    shown = [choice.name for choice in offered("attackers", "")]
    assert shown[:7] == [
        "Squad 1 (us1, squad)",
        "Squad 2 (us2, squad)",
        "Squad 3 (us3, squad)",
        "Squad 4 (us4, squad)",
        "Squad 1..12 (12 units)",
        "all (12 units)",
        "side:US (12 units)",
    ]
    assert values("attackers", "Squad 1")[4] == "Squad 1..12"
    assert values("attackers", "squad 3")[1] == "Squad 3..12"
    assert values("attackers", "squad 3..")[:2] == ["Squad 3..12", "Squad 3..11"]
    assert values("attackers", "Squad 1..1")[:2] == ["Squad 1..12", "Squad 1..11"]
    assert values("attackers", "us1..4")[0] == "us1..4"
    assert values("attackers", "Squad 1; al")[0] == "Squad 1; all"
    assert values("targets", "side")[:2] == ["side:VC", "side:US"]


def test_all_is_offered_by_state_and_only_where_its_side_is_clear() -> None:
    more = (
        RosterUnit("A", "us1", "squad", "US", state="shaken"),
        RosterUnit("B", "us2", "squad", "US", {"hex": "H5"}),
        RosterUnit("C", "us3", "squad", "US", {"hex": "H5"}, state="shaken"),
        RosterUnit("D", "vc1", "squad", "VC"),
    )
    assert values("attackers", "all", CompletionContext(more, own_side="US")) == [
        "all",
        "all shaken",
    ]
    assert values("attackers", "hex", CompletionContext(more, own_side="US")) == ["hex:H5"]
    assert values("attackers", "all", CompletionContext(more)) == [
        "all"
    ]  # what was typed, nothing more
    assert "all" not in values("attackers", "", CompletionContext(more))


def test_what_takes_units_by_name_takes_several() -> None:
    orders = load_shared_registry().get(("baps", "random-order"))
    assert orders is not None
    men = tuple(RosterUnit(f"GI {at}", f"us{at}", "soldier", "US") for at in range(1, 13))
    known = CompletionContext(
        men, own_side="US", system="baps", game=list_builtin_systems()["baps"]
    )
    found = [
        choice.value
        for choice in complete_option(orders, "unit", "GI 1", load_shared_registry(), known, {})
    ]
    assert found[:5] == ["GI 1", "GI 10", "GI 11", "GI 12", "GI 1..12"]
    assert restore_choice_values(orders, {"unit": "GI 1..12 (12 units)"}) == {"unit": "GI 1..12"}
    edit = load_shared_registry().get(("unit", "edit"))
    assert edit is not None
    found = [
        choice.value
        for choice in complete_option(edit, "name", "us1, a", load_shared_registry(), known, {})
    ]
    assert found == ["us1, all"]


def test_a_unit_is_not_offered_twice_not_even_to_fire_at_itself() -> None:
    assert "Squad 1; Squad 1" not in values("attackers", "Squad 1; squ")
    assert "Squad 2" not in values("targets", "", attackers="Squad 1; us2")
    gone = CompletionContext(
        (RosterUnit("Lost", "us1", "squad", "US", state="eliminated"),), own_side="US"
    )
    assert "Lost" not in values("attackers", "", gone)


def test_units_out_of_the_game_are_not_offered_as_their_game_has_it() -> None:
    shoot = load_shared_registry().get(("ucn", "shoot"))
    assert shoot is not None
    states = ("", "combat-ineffective", "out-of-action", "destroyed")
    roster = tuple(
        RosterUnit(f"Man {at}", f"us{at}", "element", "US", state=state)
        for at, state in enumerate(states)
    )
    known = CompletionContext(
        roster, ("US", "VC"), ("Anna",), "US", "ucn", game=list_builtin_systems()["ucn"]
    )
    names = [
        choice.name
        for choice in complete_option(shoot, "shooters", "man", load_shared_registry(), known, {})
    ]
    assert "Man 0" in names[0]
    assert not [name for name in names if any(f"Man {gone}" in name for gone in (1, 2, 3))]


def test_systems_are_completed_one_behind_the_other() -> None:
    setup = load_shared_registry().get(("setup", "systems"))
    assert setup is not None
    found = [
        choice.value
        for choice in complete_option(
            setup, "systems", "lnlt ", load_shared_registry(), CompletionContext(), {}
        )
    ]
    assert "lnlt ucn" in found
    assert "lnlt lnlt" not in found
    assert [
        one.value
        for one in complete_option(
            setup, "systems", "lnlt u", load_shared_registry(), CompletionContext(), {}
        )
    ] == ["lnlt ucn"]


def test_names_give_way_to_handles_where_100_characters_run_out() -> None:
    typed = "; ".join(f"Squad {number}" for number in range(1, 12))
    found = values("attackers", f"{typed}; squad 12")
    assert found[0] == "us1; us2; us3; us4; us5; us6; us7; us8; us9; us10; us11; us12"
    assert all(len(choice.name) <= 100 for choice in offered("attackers", f"{typed}; squ"))


def test_what_a_choice_shows_means_the_same_as_its_value() -> None:
    """Discord's apps send the one for the other when a command is edited, pasted, or taken to
    another channel.
    """
    fire, roll = load_shared_registry().get(("lnlt", "fire")), load_shared_registry().get(("roll",))
    assert fire is not None
    assert roll is not None
    shown = [choice.name for choice in offered("attackers", "Squad 1; squad 2")]
    assert shown[0] == "Squad 1; Squad 2 (us2, squad)"
    assert restore_choice_values(fire, {"attackers": shown[0], "tm": 1}) == {
        "attackers": "Squad 1; Squad 2",
        "tm": 1,
    }
    assert values("attackers", f"{shown[0]}; squad 3")[0] == "Squad 1; Squad 2; Squad 3"
    assert offered("attackers", "Squad 1 mo")[0].name == "Squad 1 morale="
    for choice in complete_option(roll, "dice", "", load_shared_registry(), KNOWN, {}):
        assert restore_choice_values(roll, {"dice": choice.name}) == {"dice": choice.value}
    assert (
        restore_choice_values(
            roll, {"dice": '2d6+ : a number must follow "+"', "label": "x (us1, y)"}
        )["label"]
        == "x (us1, y)"
    )


def test_modifier_words_complete_and_hide_what_is_there() -> None:
    found = values("mods", "adjacent ni")
    assert found == ["adjacent night", "adjacent lone_sniper"]
    shown = offered("mods", "adjacent ni")[0].name
    assert shown == "adjacent night (Night, target unlit −3)"
    fire = load_shared_registry().get(("lnlt", "fire"))
    assert fire is not None
    assert restore_choice_values(fire, {"mods": shown}) == {"mods": "adjacent night"}, (
        "some clients send what is shown"
    )
    assert "smoke" not in values("mods", "", smoke=True)
    assert not any(value == "adjacent adjacent" for value in values("mods", "adjacent adj"))


def test_dice_are_checked_while_they_are_typed() -> None:
    spec = load_shared_registry().get(("roll",))
    assert spec is not None
    [choice] = complete_option(spec, "dice", "2d6+", load_shared_registry(), KNOWN, {})
    assert choice == CompletionChoice('2d6+ : a number or dice must follow "+"', "2d6+")
    assert CompletionChoice("2d6", "2d6") in complete_option(
        spec, "dice", "2d6", load_shared_registry(), KNOWN, {}
    )
    assert len(complete_option(spec, "dice", "", load_shared_registry(), KNOWN, {})) > 3


def test_bare_states_and_markers_complete_behind_a_unit() -> None:
    spec = load_shared_registry().get(("unit", "edit"))
    assert spec is not None
    found = [
        choice.value
        for choice in complete_option(
            spec, "stats", "morale=5 sh", load_shared_registry(), KNOWN, {}
        )
    ]
    assert found == ["morale=5 shaken", "morale=5 shaken-wounded"]
    assert "fp=" in [
        choice.value
        for choice in complete_option(spec, "stats", "", load_shared_registry(), KNOWN, {})
    ]


def test_time_zones_by_city_or_continent() -> None:
    spec = load_shared_registry().get(("me", "ping"))
    assert spec is not None

    def zones(typed: str) -> list[str]:
        return [
            choice.value
            for choice in complete_option(
                spec, "zone", typed, load_shared_registry(), CompletionContext(), {}
            )
        ]

    assert zones("")[:2] == ["UTC", "Europe/London"]
    assert zones("berl") == ["Europe/Berlin"]
    assert zones("new y") == ["America/New_York"]
    assert zones("europe/")[:2] == ["Europe/Athens", "Europe/Berlin"], "the usual ones first"
    assert len(zones("a")) == 25
    assert zones("atlantis") == []
