"""The guided form: its fields, their order and choices, and what they make of a command; alike
on every platform.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from adapters.slack.modal import ROOM as VIEW
from bot.commands.dispatch import load_shared_registry
from bot.rules.inputs.options import OWN
from bot.rules.inputs.units import RosterUnit
from bot.rulesets.system import list_builtin_systems
from bot.ui.form.form import (
    FLAGS,
    HOW,
    ODDS,
    OTHERS,
    ROLL,
    Field,
    Form,
    Room,
    build_form,
    get_lasting_inputs,
    opens_form,
)
from bot.ui.form.line_and_keypad import REST
from bot.ui.form.submission import evaluate_form
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import format_command
from bot.ui.typing.complete import CompletionContext, complete_option

ROSTER = tuple(
    RosterUnit(
        f"{name} {number}", f"{side.casefold()}{number}", "squad", side, {"morale": 5, "fp": 2}
    )
    for side, name in (("US", "Squad"), ("VC", "Cell"))
    for number in range(1, 31)
)
KNOWN = CompletionContext(
    ROSTER, ("US", "VC"), own_side="US", system="lnlt", game=list_builtin_systems()["lnlt"]
)
SMALL = CompletionContext(
    ROSTER[:3] + ROSTER[30:33],
    ("US", "VC"),
    own_side="US",
    system="lnlt",
    game=list_builtin_systems()["lnlt"],
)


def spec_of(*path: str) -> CommandSpec:
    spec = load_shared_registry().get(path)
    assert spec is not None
    return spec


FIRE = spec_of("lnlt", "fire")


NARROW, WIDE = Room(5, 25, 10), Room(folds=True)


def filled(
    options: dict[str, object],
    known: CompletionContext,
    values: dict[str, object],
    room: Room = WIDE,
) -> dict[str, object]:
    """The options of a fire form after these fields were filled in."""
    taken = evaluate_form(FIRE, known, build_form(FIRE, options, known, room), values)
    assert taken.problem is None
    return taken.options


def field(form: Form, name: str) -> Field:
    found = form.find_field(name)
    assert found is not None, name
    return found


def test_what_is_missing_is_asked_for_until_it_is_there() -> None:
    assert [option.name for option in FIRE.options if option.is_required] == ["attackers"]
    assert opens_form(FIRE, {})
    assert opens_form(FIRE, {"tm": 1})
    assert not opens_form(FIRE, {"attackers": "squad fp=2"})


def test_which_commands_ask_when_called_alone() -> None:
    alone = {spec.name for spec in load_shared_registry() if opens_form(spec, {})}
    assert {
        "/roll",
        "/lnlt fire",
        "/lnlt mines",
        "/game start",
        "/unit add",
        "/unit import",
    } <= alone
    assert alone.isdisjoint({"/log", "/again", "/game status", "/help", "/game link", "/game next"})


def test_what_a_unit_may_bring_is_not_asked_for() -> None:
    """Whether it does is seen when the command runs: its refusal opens the form."""
    morale = spec_of("ucn", "morale")
    assert opens_form(morale, {})
    assert not opens_form(morale, {"unit": "Green"})
    assert not opens_form(morale, {"morale": 12})


def test_a_whole_table_is_shown_without_its_form() -> None:
    tables = [spec for spec in load_shared_registry() if spec.family == "lookup"]
    assert tables
    assert [spec.path for spec in tables if opens_form(spec, {"whole": True})] == []
    assert opens_form(spec_of("asl-table", "infantry", "vs-afv"), {})


def test_needed_fields_come_first_and_rare_ones_wait() -> None:
    form = build_form(FIRE, {}, SMALL, WIDE)
    shown = [one.label for one in form.fields if not one.rare]
    assert shown == ["Who's firing", "Targets", "Terrain (TM)", "Modifiers", "What now?"]
    assert {"lm", "degrading", "shooter", "skill", REST} == {
        one.name for one in form.fields if one.rare
    }
    assert field(form, "tm").hint.startswith("Target modifier for the hex.")
    assert "In a command" not in field(form, "tm").hint, "noise on a phone"


def test_ticks_that_are_no_modifiers_come_after_the_other_fields() -> None:
    """`Carry the roster over` is not the first question about a new game."""
    checked = []
    for spec in load_shared_registry():
        if spec.family in ("sequence", "lookup"):
            continue
        fields = [
            field.name
            for field in build_form(spec, {}, CompletionContext(), WIDE).fields
            if field.option is None or field.option.type not in ("unit", "units")
        ]
        if FLAGS in fields:
            checked.append(spec.path)
            assert fields[-1] == FLAGS or fields[-2:] == [FLAGS, HOW], spec.path
    assert ("game", "start") in checked


def test_where_five_fields_are_all_the_rest_is_one_line() -> None:
    form = build_form(FIRE, {"tm": 1, "shooter": "sniper", "mods": "rubber_boat"}, SMALL, NARROW)
    assert [one.name for one in form.fields] == ["attackers", "targets", FLAGS, REST, HOW]
    assert field(form, REST).value == "type of shooter sniper"
    assert field(form, FLAGS).label == "Terrain and modifiers"
    assert [pick.label for pick in field(form, FLAGS).picks[:5]] == [
        *(f"Terrain {at}" for at in (1, 2, 3, 4)),
        "Adjacent +2",
    ]
    assert [pick.value for pick in field(form, FLAGS).picks if pick.chosen] == [
        "tm=1",
        "rubber_boat",
    ]
    assert (form.title, form.verb) == ("Direct fire", "Fire")


def test_what_is_needed_and_has_no_field_stands_in_the_line_by_name() -> None:
    tank = spec_of("lnlt", "ordnance-vehicle")
    form = build_form(tank, {}, SMALL, NARROW)
    line = field(form, REST)
    assert line.needed, "no unit of this roster brings armor"
    assert line.hint.startswith("Needed: penetration, armor.")
    assert field(form, "to_hit").needed
    tanks = tuple(
        replace(unit, numbers={"armor": 3, "penetration": 6, "morale": 5}) for unit in SMALL.roster
    )
    with_tanks = build_form(tank, {}, SMALL._replace(roster=tanks), NARROW)
    assert not field(with_tanks, REST).needed, "units of the roster bring what else is needed"
    taken = evaluate_form(
        tank, SMALL, form, {"to_hit": "8", REST: "penetration 6, armor 2, target's morale 5"}
    )
    assert taken.options == {"to_hit": 8, "penetration": 6, "armor": 2, "morale": 5}


def test_the_side_that_is_meant_comes_first_those_in_good_order_before_others() -> None:
    shaken = RosterUnit("Squad 9", "us9", "squad", "US", {"fp": 2}, "shaken")
    form = build_form(
        FIRE,
        {},
        CompletionContext(
            (shaken, *SMALL.roster),
            ("US", "VC"),
            own_side="US",
            system="lnlt",
            game=list_builtin_systems()["lnlt"],
        ),
        WIDE,
    )
    attackers = field(form, "attackers").picks
    assert [pick.value for pick in attackers] == ["us1", "us2", "us3", "us9", "vc1", "vc2", "vc3"]
    assert attackers[3].about == "US, shaken, squad, fp 2"
    assert field(form, "targets").picks[0].value == "vc1"
    long = field(build_form(FIRE, {}, KNOWN, NARROW), "attackers").picks
    assert len(long) == 25
    assert {pick.value[:2] for pick in long[:-1]} == {"us"}
    assert (long[-1].label, long[-1].about) == ("More: type handles below", "us25")


def test_a_menu_begins_with_the_own_units_that_it_is_about() -> None:
    units = [
        RosterUnit(f"{side} {n}", f"{side.lower()}{n}", "squad", side)
        for side in ("VC", "US")
        for n in (1, 2, 3)
    ]
    units[1] = replace(units[1], state="shaken")
    units[5] = replace(units[5], state="shaken-wounded")
    known = CompletionContext(
        tuple(units),
        ("US", "VC"),
        own_side="US",
        system="lnlt",
        game=list_builtin_systems()["lnlt"],
    )
    rally = spec_of("lnlt", "rally")
    picks = [pick.label for pick in field(build_form(rally, {}, known, WIDE), "units").picks]
    assert picks == ["US 3", "US 1", "US 2", "VC 2", "VC 1", "VC 3"]
    typed = [
        choice.value
        for choice in complete_option(rally, "units", "", load_shared_registry(), known, {})
    ]
    assert [one for one in typed if one in picks] == picks
    checks = spec_of("nhis", "morale")
    picks = [
        pick.label
        for pick in field(
            build_form(checks, {}, known._replace(system="nhis"), WIDE), "targets"
        ).picks
    ]
    assert picks[:2] == ["US 1", "US 2"], "one's own check, whatever the list is called"


def test_what_a_list_is_about_are_words_of_its_game() -> None:
    named = [
        (spec.path, word, load_shared_registry().games[spec.system].game["units"])
        for spec in load_shared_registry()
        for option in spec.options
        for word in option.likely
        if word != OWN
    ]
    assert len(named) > 10
    strange = [
        (path, word)
        for path, word, units in named
        if word not in (*units["types"], *units.get("states", ()), *units.get("markers", ()))
    ]
    assert not strange


def test_choosing_keeps_what_was_typed() -> None:
    typed: dict[str, object] = {"attackers": "Squad 2 fp=3; leader lm=1"}
    picks = field(build_form(FIRE, typed, SMALL, WIDE), "attackers").picks
    assert [pick.label for pick in picks if pick.chosen] == ["Squad 2 fp=3", "leader lm=1"]
    options = filled(typed, SMALL, {"attackers": ["=Squad 2 fp=3", "=leader lm=1", "us1"]})
    assert options["attackers"] == "Squad 2 fp=3; leader lm=1; Squad 1"
    assert filled(options, SMALL, {"attackers": ["us1"]})["attackers"] == "Squad 1"
    assert filled({"attackers": "us1"}, SMALL, {"attackers": []}) == {}


def test_another_system_than_the_games_is_offered_no_units_of_it() -> None:
    form = build_form(spec_of("nhis", "fire"), {}, SMALL, WIDE)
    assert not any(pick.value == "us1" for one in form.fields for pick in one.picks)


def test_flags_words_and_enumerations() -> None:
    options = filled({}, SMALL, {FLAGS: ["adjacent", "tis"]})
    assert options == {"adjacent": True, "mods": "tis"}
    assert filled(options, SMALL, {FLAGS: ["tis"]}) == {"mods": "tis"}
    options = filled({}, SMALL, {"shooter": ["sniper"]})
    assert options == {"shooter": "sniper"}
    assert filled(options, SMALL, {"shooter": ["normal"]}) == {}


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("terrain 2, degrading hexes 1", {"tm": 2, "degrading": 1}),
        ("tm=2 lm=1 rubber boat", {"tm": 2, "lm": 1, "mods": "rubber_boat"}),
        ("leader's modifier 1\nHit and run", {"lm": 1, "mods": "hit_and_run"}),
        ("type of shooter sniper, hex can burn", {"shooter": "sniper", "flammable": True}),
        (
            "targets squad morale=5 shaken; leader morale=6, terrain",
            {"targets": "squad morale=5 shaken; leader morale=6"},
        ),
        ("", {}),
    ],
)
def test_the_line_for_the_rest_reads_names_of_people_and_of_the_code(
    line: str, options: dict[str, object]
) -> None:
    assert filled({}, SMALL, {REST: line}, NARROW) == options


def test_the_line_takes_the_place_of_what_it_showed_and_of_nothing_else() -> None:
    given: dict[str, object] = {
        "attackers": "us1",
        "tm": 1,
        "lm": 1,
        "adjacent": True,
        "mods": "tis",
    }
    assert filled(given, SMALL, {REST: "terrain 3"}, NARROW) == {
        "attackers": "us1",
        "adjacent": True,
        "mods": "tis",
        "tm": 3,
    }


@pytest.mark.parametrize("line", ["=", "terrain 3 =", "=, terrain 3"])
def test_a_lone_equals_sign_in_the_line_says_nothing(line: str) -> None:
    assert filled({}, SMALL, {REST: line}, NARROW) == ({"tm": 3} if "3" in line else {})


@pytest.mark.parametrize(
    ("line", "said"), [("terraim 2", "terrain"), ("terrain much", "tm must be a whole number")]
)
def test_what_the_line_cannot_mean_is_said_and_the_rest_is_kept(line: str, said: str) -> None:
    form = build_form(FIRE, {}, SMALL, NARROW)
    taken = evaluate_form(FIRE, SMALL, form, {"attackers": ["us1"], REST: line})
    assert said in str(taken.problem)
    assert taken.options == {"attackers": "Squad 1"}
    assert form.find_field_of_option(str(taken.problem.option) if taken.problem else "") in (
        REST,
        FLAGS,
    )


def test_a_refused_number_is_named_and_the_others_are_taken() -> None:
    form = build_form(FIRE, {"lm": 1}, SMALL, WIDE)
    taken = evaluate_form(FIRE, SMALL, form, {"tm": "2", "degrading": "many", "lm": ""})
    assert taken.problem is not None
    assert taken.problem.option == "degrading"
    assert taken.options == {"tm": 2, "degrading": "many"}
    shown = build_form(FIRE, taken.options, SMALL, WIDE, "degrading", taken.problem.message)
    assert (field(shown, "degrading").value, field(shown, "tm").value) == ("", "2")
    assert field(shown, "degrading").wrong.startswith("degrading must be a whole number")


def test_what_was_refused_is_gone_when_the_form_is_sent_again() -> None:
    """The unit that nobody knows was in no menu, so nobody could have taken it off."""
    given: dict[str, object] = {"targets": "Cell 1; Cell 99"}
    form = build_form(FIRE, given, SMALL, WIDE, "targets", "There is no Cell 99.")
    assert evaluate_form(FIRE, SMALL, form, {"targets": ["vc1"], "attackers": ["us1"]}).options == {
        "targets": "Cell 1",
        "attackers": "Squad 1",
    }


def test_what_lasts_from_the_shot_before_belongs_to_the_firer_and_is_no_unit_or_flag() -> None:
    last: dict[str, object] = {
        "attackers": "us1",
        "targets": "vc1",
        "tm": 1,
        "lm": 1,
        "adjacent": True,
        "mods": "tis",
    }
    assert get_lasting_inputs(FIRE, last, SMALL) == {"lm": 1}, "the next target has its own terrain"
    assert get_lasting_inputs(FIRE, last, CompletionContext()) == last, (
        "without a roster units are typed, and typing is saved"
    )


def test_the_command_so_far_can_be_typed() -> None:
    given: dict[str, object] = {
        "attackers": "Squad 1; Squad 2",
        "tm": 2,
        "adjacent": True,
        "mods": "tis",
    }
    shown = build_form(FIRE, given, SMALL, WIDE).options
    assert (
        format_command(FIRE, shown) == '/lnlt fire attackers="Squad 1; Squad 2" tm=2 adjacent tis'
    )


def test_a_flag_that_is_on_by_default_can_be_switched_off_and_on_again() -> None:
    shoot = spec_of("ucn", "shoot")

    def after(options: dict[str, object], flags: list[str]) -> dict[str, object]:
        form = build_form(shoot, options, CompletionContext(), WIDE)
        return evaluate_form(shoot, CompletionContext(), form, {FLAGS: flags}).options

    [saves] = [
        pick
        for pick in field(build_form(shoot, {}, CompletionContext(), WIDE), FLAGS).picks
        if pick.value == "saves"
    ]
    assert saves.chosen
    off = after({}, [])
    assert off == {"saves": False}
    assert format_command(
        shoot, build_form(shoot, off, CompletionContext(), WIDE).options
    ).endswith("saves=no")
    assert after(off, ["saves"]) == {}


def test_abbreviations_of_asl_are_as_its_players_write_them() -> None:
    said = {
        option.name: [option.format_word(word) for word in option.values]
        for target in ("smoke", "ht-effects", "malfunction", "pillbox-attack")
        for option in spec_of("asl", target).options
    }
    assert said["dispenser"][0] == "sD"
    assert {"K/KIA", "1MC", "NMC"} <= set(said["crew"]) | set(said["passenger"])
    assert said["weapon"][0] in ("SW", "AP")
    assert spec_of("asl", "pillbox-attack").find_option("from").display_name == "Fired from"  # type: ignore[union-attr]
    assert (
        spec_of("asl", "malfunction").find_option("ft_dc_non_elite").display_name  # type: ignore[union-attr]
        == "FT/DC, non-elite"
    )


def test_menus_say_numbers_as_people_do_and_only_those_one_chooses_by() -> None:
    gun = RosterUnit("Gun", "us1", "crew", "US", {"sw": (3, 2), "morale": 5, "he": 0})
    blue = RosterUnit(
        "Blue",
        "bl1",
        "element",
        "Blue",
        {"firearms": 12, "members": 8, "loadout": ("6xbattle-rifle", "smg")},
    )
    known = CompletionContext(
        (gun,), ("US",), own_side="US", system="lnlt", game=list_builtin_systems()["lnlt"]
    )
    assert (
        field(build_form(FIRE, {}, known, NARROW), "attackers").picks[0].about
        == "crew, sw 3 + 2, morale 5"
    )
    known = CompletionContext((blue,), ("Blue",), own_side="Blue", system="ucn")
    picks = field(build_form(spec_of("ucn", "shoot"), {}, known, NARROW), "shooters").picks
    assert picks[0].about == "element, firearms 12, 6 battle rifles, SMG"


def test_a_bare_number_is_the_one_that_is_needed() -> None:
    tank = spec_of("baps", "vehicle-fire")
    kinds = [(side, kind) for side in "ab" for kind in ("crewman", "vehicle")]
    crew = tuple(RosterUnit(f"{side} {kind}", f"{side}{kind}", kind, side) for side, kind in kinds)
    known = CompletionContext(crew, ("a", "b"), own_side="a", system="baps")
    form = build_form(tank, {}, known, NARROW)
    line = field(form, REST)
    assert (line.label, line.value, line.needed) == (
        "Range in inches and the rest",
        "",
        True,
    )
    assert evaluate_form(tank, known, form, {REST: "12"}).options["range"] == 12
    assert evaluate_form(tank, known, form, {REST: "range in inches 9, 12"}).problem is not None


def test_a_first_shot_among_sixty_units_needs_no_typed_modifier() -> None:
    """The boxes stay; what to do is left to the button that opened the form."""
    form = build_form(FIRE, {}, KNOWN, NARROW)
    assert [one.name for one in form.fields] == ["attackers", "targets", OTHERS, FLAGS, REST]
    values = {"attackers": ["us1"], "targets": ["vc1"], FLAGS: ["tm=2", "adjacent"]}
    taken = evaluate_form(FIRE, KNOWN, form, values)
    assert (taken.roll_mode, taken.options["tm"], taken.options["adjacent"]) == (ROLL, 2, True)
    odds = build_form(FIRE, {ODDS: True}, KNOWN, NARROW)
    assert odds.title == "Direct fire: odds"
    assert evaluate_form(FIRE, KNOWN, odds, values).roll_mode == ODDS
    assert evaluate_form(FIRE, KNOWN, form, {**values, REST: "odds"}).roll_mode == ODDS, (
        "never a shot instead"
    )


@pytest.mark.parametrize(
    ("name", "common"),
    [
        ("lnlt fire", "tm adjacent target_moved"),
        ("nhis fire", "terrain feature target_moved"),
        ("baps fire", "stance cover"),
        ("baps vehicle-fire", "aspect cover target_move"),
        ("ucn shoot", "target_in_cover target_moving"),
    ],
)
def test_the_commonest_modifiers_are_fields_where_five_are_all(name: str, common: str) -> None:
    game, sequence = name.split()
    spec = spec_of(game, sequence)
    types = list_builtin_systems()[game].words["units"].types
    roster = tuple(
        RosterUnit(f"{side} {n}", f"{side.lower()}{n}", types[0], side)
        for side in ("US", "VC")
        for n in (1, 2)
    )
    form = build_form(
        spec, {}, CompletionContext(roster, ("US", "VC"), own_side="US", system=game), NARROW
    )
    assert {form.find_field_of_option(option) for option in common.split()} == {FLAGS}


def test_the_commonest_modifiers_of_nhis_have_fields_where_five_are_all() -> None:
    """Terrain and a moved target are in one menu, the distance is in the line for the rest."""
    roster = (
        RosterUnit("Rifle", "us1", "squad", "US", {"fp": 4, "morale": 5}),
        RosterUnit("Local", "jp1", "squad", "JP", {"fp": 4, "morale": 4}),
    )
    spec = spec_of("nhis", "fire")
    known = CompletionContext(roster, system="nhis")
    given = {"attackers": "us1", "targets": "jp1"}
    form = build_form(spec, given, known, NARROW)
    assert len(form.fields) == 5
    assert {form.find_field_of_option(name) for name in ("terrain", "target_moved", "feature")} == {
        FLAGS
    }
    assert form.find_field_of_option("distance") == REST
    assert field(form, FLAGS).kind == "picks"
    values = {
        "attackers": ["us1"],
        "targets": ["jp1"],
        FLAGS: ["terrain=trees", "target_moved"],
        REST: "4",
    }
    taken = evaluate_form(spec, known, form, values)
    assert taken.problem is None
    assert (taken.options["terrain"], taken.options["target_moved"]) == ("trees", True)
    assert taken.options["distance"] == 4
    both = evaluate_form(spec, known, form, {**values, FLAGS: ["terrain=trees", "terrain=hut"]})
    assert both.problem is not None
    assert both.problem.code == "not-together"


def test_a_marker_of_a_listed_unit_has_its_box_ticked_and_unticking_leaves_it_out() -> None:
    roster = (
        RosterUnit("Rifle", "us1", "squad", "US", {"fp": 2, "morale": 5}),
        RosterUnit("Local", "vc1", "squad", "VC", {"morale": 4}, marks=frozenset({"moved"})),
    )
    known = CompletionContext(roster, system="lnlt", game=list_builtin_systems()["lnlt"])
    given = {"attackers": "us1", "targets": "vc1"}
    form = build_form(FIRE, given, known, NARROW)
    assert [pick.value for pick in field(form, FLAGS).picks if pick.chosen] == ["target_moved"]
    left = evaluate_form(FIRE, known, form, {FLAGS: ["target_moved"]})
    assert "target_moved" not in left.options, "it counts by itself"
    unticked = evaluate_form(FIRE, known, form, {FLAGS: []})
    assert unticked.options["target_moved"] is False
    assert "target_moved=no" in format_command(FIRE, unticked.options)


def test_no_line_below_a_field_says_its_label_again() -> None:
    """Of every form of every game: `One man` is not followed by `One man.`"""
    small = {"a", "an", "the", "of", "in", "that", "who"}
    for game in list_builtin_systems():
        for spec in load_shared_registry().list_below((game,)):
            for field in build_form(spec, {}, CompletionContext(), VIEW).fields:
                hint = {*re.findall(r"[a-z']+", field.hint.casefold())} - small
                label = {*re.findall(r"[a-z']+", field.label.casefold())}
                assert not hint or not hint <= label, (spec.path, field.label, field.hint)
                assert not ("their" in label and hint and hint <= {"target", "targets"})
