"""The guided form: menus, blanks, the command so far; the same for every platform."""

from __future__ import annotations

from bot.interface.complete import Known
from bot.interface.form import FLAGS, Menu, choose, fill, form_of, missing
from bot.interface.registry import registry
from bot.interface.spec import CommandSpec
from bot.rules.inputs.units import RosterUnit

ROSTER = tuple(
    RosterUnit(f"{name} {number}", f"{side.casefold()}{number}", "squad", side, {"morale": 5, "fp": 2})
    for side, name in (("US", "Squad"), ("VC", "Cell"))
    for number in range(1, 31)
)
KNOWN = Known(ROSTER, ("US", "VC"), own_side="US", system="lnlt")
SMALL = Known(ROSTER[:3] + ROSTER[30:33], ("US", "VC"), own_side="US", system="lnlt")


def spec_of(*path: str) -> CommandSpec:
    spec = registry().get(path)
    assert spec is not None
    return spec


FIRE = spec_of("lnlt", "fire")


def menus(options: dict[str, object], known: Known, name: str) -> list[Menu]:
    return [menu for menu in form_of(FIRE, options, known).menus if menu.option == name]


def test_what_is_missing_is_named_until_it_is_there() -> None:
    assert [option.name for option in missing(FIRE, {})] == ["attackers"]
    assert missing(FIRE, {"attackers": "squad fp=2"}) == ()


def test_a_unit_that_lacks_a_number_does_not_bring_it() -> None:
    morale = spec_of("ucn", "morale")
    green = RosterUnit("Green", "us1", "infantry", "US")
    veteran = RosterUnit("Veteran", "us2", "infantry", "US", {"morale": 14})
    known = Known((green, veteran), ("US", "VC"), own_side="US", system="ucn")
    assert [option.name for option in form_of(morale, {"unit": "Green"}, known).missing] == ["morale"]
    assert form_of(morale, {"unit": "Green", "morale": 12}, known).missing == ()
    assert form_of(morale, {"unit": "us2"}, known).missing == ()


def test_every_sequence_has_a_form_that_fits_any_platform() -> None:
    for game in registry().games:
        for spec in registry().below((game,)):
            form = form_of(spec, {}, KNOWN)
            assert form.command == spec.name
            assert all(1 <= len(menu.picks) <= 25 for menu in form.menus)
            asked = {menu.option for menu in form.menus} | {blank.option.name for blank in form.blanks}
            flags = {pick.value for menu in form.menus if menu.option == FLAGS for pick in menu.picks}
            for option in spec.options:
                assert option.name in asked | flags | {"odds", "mods"}, (spec.name, option.name)


def test_the_side_that_is_meant_comes_first_and_long_rosters_take_several_menus() -> None:
    [attackers] = menus({}, SMALL, "attackers")
    assert [pick.value for pick in attackers.picks] == ["us1", "us2", "us3", "vc1", "vc2", "vc3"]
    assert attackers.picks[0].about == "US, squad, morale 5 fp 2"
    [targets] = menus({}, SMALL, "targets")
    assert targets.picks[0].value == "vc1"
    first, second = menus({}, KNOWN, "attackers")
    assert (len(first.picks), len(second.picks)) == (25, 5)
    assert second.title.endswith("(2 of 2)")
    assert {pick.value[:2] for pick in (*first.picks, *second.picks)} == {"us"}


def test_choosing_keeps_what_was_typed_and_what_other_menus_hold() -> None:
    options = choose(FIRE, {"attackers": "Squad 30 fp=3; leader lm=1"}, KNOWN, "attackers", 0, ["us2", "us1"])
    assert options["attackers"] == "Squad 30 fp=3; leader lm=1; Squad 2; Squad 1"
    options = choose(FIRE, options, KNOWN, "attackers", 0, ["us1"])
    assert options["attackers"] == "Squad 30 fp=3; leader lm=1; Squad 1"
    options = choose(FIRE, options, KNOWN, "attackers", 1, [])
    assert options["attackers"] == "leader lm=1; Squad 1"
    assert choose(FIRE, {"attackers": "us1"}, KNOWN, "attackers", 0, []) == {}


def test_another_system_than_the_games_is_offered_no_units_of_it() -> None:
    spec = spec_of("nhis", "fire")
    assert not any(pick.value == "us1" for menu in form_of(spec, {}, SMALL).menus for pick in menu.picks)


def test_flags_words_and_enumerations() -> None:
    options = choose(FIRE, {}, SMALL, FLAGS, 0, ["adjacent", "tis", "nonsense"])
    assert options == {"adjacent": True, "mods": "tis"}
    [flags] = menus(options, SMALL, FLAGS)
    assert [pick.value for pick in flags.picks if pick.chosen] == ["adjacent", "tis"]
    assert choose(FIRE, options, SMALL, FLAGS, 0, ["tis"]) == {"mods": "tis"}
    options = choose(FIRE, {}, SMALL, "shooter", 0, ["sniper"])
    assert options == {"shooter": "sniper"}
    assert choose(FIRE, options, SMALL, "shooter", 0, []) == {}


def test_blanks_are_checked_one_by_one() -> None:
    options, problems = fill(FIRE, {"lm": 1}, {"tm": "2", "degrading": "many", "lm": "", "other": "1"})
    assert options == {"tm": 2}
    assert problems == ('degrading must be a whole number from 0 to 2, not "many".',)


def test_the_command_so_far_can_be_typed() -> None:
    form = form_of(FIRE, {"attackers": "Squad 1; Squad 2", "tm": 2, "adjacent": True, "mods": "tis"}, SMALL)
    assert form.command == '/lnlt fire attackers="Squad 1; Squad 2" tm=2 adjacent tis'
    assert form.missing == ()


def test_a_flag_that_is_on_by_default_can_be_switched_off_and_on_again() -> None:
    shoot = spec_of("ucn", "shoot")

    def chosen(options: dict[str, object]) -> set[str]:
        menus = form_of(shoot, options, Known()).menus
        return {pick.value for menu in menus if menu.option == FLAGS for pick in menu.picks if pick.chosen}

    assert chosen({}) == {"saves"}
    off = choose(shoot, {}, Known(), FLAGS, 0, [])
    assert (off, chosen(off)) == ({"saves": False}, set())
    assert form_of(shoot, off, Known()).command.endswith("saves=no")
    assert choose(shoot, off, Known(), FLAGS, 0, ["saves"]) == {}
