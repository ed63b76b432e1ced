"""The guided form as a Discord modal: within the limits for every command, whatever the roster;
read back as filled.
"""

from __future__ import annotations

from typing import Any

import pytest

from adapters.discord.modal import ROOM, build_modal, read_modal
from bot.commands.dispatch import load_shared_registry
from bot.rules.inputs.units import RosterUnit
from bot.ui.form.form import (
    COMPARE,
    FLAGS,
    HAND,
    HOW,
    ODDS,
    OTHERS,
    ROLL,
    SECRET,
    build_form,
)
from bot.ui.form.line_and_keypad import REST
from bot.ui.form.submission import evaluate_form
from bot.ui.typing.command_text import parse_text
from bot.ui.typing.complete import CompletionContext
from tests.standins.discord.components import check_modal
from tests.standins.discord.errors import Problems
from tests.standins.discord.forms import submitted_part

KEY = "0123456789abcdef"
MANY = tuple(
    RosterUnit(f"Platoon number {n:02} of the 3rd", f"us{n}", "squad", "US", {"fp": 1})
    for n in range(60)
)
FEW = tuple(
    RosterUnit(f"{side} Squad {n}", f"{side.casefold()}{n}", "squad", side)
    for side in ("US", "VC")
    for n in (1, 2)
)


@pytest.mark.parametrize("roster", [(), FEW, MANY], ids=["no roster", "4 units", "60 units"])
def test_discord_takes_the_modal_of_every_command(roster: tuple[RosterUnit, ...]) -> None:
    for spec in load_shared_registry():
        if not spec.options:
            continue
        known = CompletionContext(roster, ("US", "VC"), own_side="US", system=spec.system)
        example = (
            dict(parse_text(spec.example, load_shared_registry()).options) if spec.example else {}
        )
        for given in ({}, example):
            form = build_form(
                spec, given, known, ROOM, next(iter(given), ""), "Something was wrong here."
            )
            problems = Problems()
            check_modal(problems, "", build_modal(form, KEY))
            problems.done()
            covered = {name for field in form.fields for name in (field.name, *field.covers)}
            if spec.family == "sequence":
                if form.find_field(HOW) is None:  # its place is needed: the button says what to do
                    covered |= {ODDS, COMPARE, SECRET, HAND}
                assert {option.name for option in spec.options} <= covered, spec.name


@pytest.mark.parametrize(
    ("given", "ticked", "way"),
    [
        ({}, [], ROLL),
        ({}, ["?how=secret"], SECRET),
        ({}, ["?how=hand"], HAND),
        ({SECRET: True}, [], ROLL),
        ({SECRET: True}, ["?how=secret"], SECRET),
        ({ODDS: True}, [], ODDS),
    ],
)
def test_a_large_roster_leaves_sealed_rolls_and_real_dice_in_the_form(
    given: dict[str, Any], ticked: list[str], way: str
) -> None:
    spec = load_shared_registry().get(("lnlt", "fire"))
    assert spec is not None
    known = CompletionContext(MANY, ("US", "VC"), own_side="US", system="lnlt")
    form = build_form(spec, given, known, ROOM)
    assert form.find_field(HOW) is None
    flags = form.find_field(FLAGS)
    assert flags is not None
    assert [pick.label for pick in flags.picks[-2:]] == ["Roll sealed", "Enter my own dice"]
    problems = Problems()
    check_modal(problems, "", build_modal(form, KEY))
    problems.done()
    taken = evaluate_form(spec, known, form, {FLAGS: ticked})
    assert (taken.problem, taken.roll_mode) == (None, way)
    assert not any(name.startswith("?") for name in taken.options)


def test_a_sealed_roll_with_real_dice_is_asked_about() -> None:
    spec = load_shared_registry().get(("lnlt", "fire"))
    assert spec is not None
    known = CompletionContext(MANY, ("US", "VC"), own_side="US", system="lnlt")
    form = build_form(spec, {}, known, ROOM)
    taken = evaluate_form(spec, known, form, {FLAGS: ["?how=secret", "?how=hand"]})
    assert taken.problem is not None
    assert taken.problem.message == "A sealed roll, or your own dice?"


def sent(body: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """What Discord sends when the form is submitted with `values` and otherwise as it was
    opened.
    """
    left = dict(values)
    numbered = [
        part | {"id": 1, "component": part["component"] | {"id": 2}} for part in body["components"]
    ]
    return {"components": [submitted_part(part, left) for part in numbered]}


@pytest.mark.parametrize("roster", [(), FEW], ids=["no roster", "4 units"])
def test_a_form_filled_in_from_an_example_and_sent_as_it_is_means_the_same_command(
    roster: tuple[RosterUnit, ...],
) -> None:
    for spec in load_shared_registry():
        if spec.family != "sequence" or not spec.example:
            continue
        known = CompletionContext(roster, ("US", "VC"), own_side="US", system=spec.system)
        given = dict(parse_text(spec.example, load_shared_registry()).options)
        form = build_form(spec, given, known, ROOM)
        taken = evaluate_form(spec, known, form, read_modal(sent(build_modal(form, KEY), {})))
        assert taken.problem is None, (spec.name, taken.problem)
        assert _plain(spec, taken.options) == _plain(spec, given), spec.name


def _plain(spec: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Options by what they mean: defaults left out, flags of `mods` as flags, spaces in lists
    alike.
    """
    plain: dict[str, Any] = {}
    for name, value in options.items():
        option = spec.find_option(name)
        if name == "mods":
            plain |= dict.fromkeys(str(value).split(), True)
        elif option.type == "bool":
            plain |= {name: True} if value in (True, "yes", "true") else {}
        elif str(value) != str(option.default) and value != "":
            text = str(value)
            plain[name] = (
                "; ".join(part.strip() for part in text.split(";"))
                if option.type == "units"
                else text
            )
    return plain


def test_the_fire_form_is_one_modal_of_five_fields() -> None:
    fire = load_shared_registry().find(["lnlt", "fire"])[0]
    known = CompletionContext(FEW, ("US", "VC"), own_side="US", system="lnlt")
    form = build_form(fire, {"attackers": "us2", "tm": 1, "mods": "rubber_boat"}, known, ROOM)
    assert [field.label for field in form.fields] == [
        "Who's firing",
        "Targets",
        "Terrain and modifiers",
        "Other modifiers",
        "What now?",
    ]
    body = build_modal(form, KEY)
    assert body["title"] == "Direct fire"
    ticks = body["components"][2]["component"]
    assert ticks["options"][0] == {"label": "Terrain 1", "value": "tm=1", "default": True}
    assert ticks["options"][4] == {"label": "Adjacent +2", "value": "adjacent"}
    values = {
        "attackers": ["us2", "us1"],
        "targets": ["vc1"],
        FLAGS: ["tm=2", "night", "rubber_boat"],
        REST: "degrading 1",
        HOW: "odds",
    }
    taken = evaluate_form(fire, known, form, read_modal(sent(body, values)))
    assert taken.roll_mode == "odds"
    assert taken.options == {
        "attackers": "us2; US Squad 1",
        "targets": "VC Squad 1",
        "night": True,
        "mods": "rubber_boat",
        "tm": 2,
        "degrading": 1,
        "odds": True,
    }


def test_more_units_than_a_menu_holds_leave_a_row_that_says_how_to_name_them() -> None:
    fire = load_shared_registry().find(["lnlt", "fire"])[0]
    form = build_form(
        fire,
        {"attackers": "us50"},
        CompletionContext(MANY, ("US",), own_side="US", system="lnlt"),
        ROOM,
    )
    picks = form.fields[0].picks
    assert len(picks) == 25
    assert (picks[-1].label, picks[-1].about) == ("More: type handles below", "us23")
    assert any(pick.value == "us50" and pick.chosen for pick in picks)
    values = {"attackers": ["us50", "us0", "more:"], OTHERS: "us55, us56"}
    known = CompletionContext(MANY, ("US",), own_side="US", system="lnlt")
    taken = evaluate_form(fire, known, form, read_modal(sent(build_modal(form, KEY), values)))
    assert taken.options["attackers"] == "us50; Platoon number 00 of the 3rd; us55; us56"


def test_what_was_refused_is_empty_and_says_why() -> None:
    fire = load_shared_registry().find(["lnlt", "fire"])[0]
    known = CompletionContext(FEW, ("US", "VC"), own_side="US", system="lnlt")
    given = {"attackers": "US Squad 1", "targets": "VC Squad 9; VC Squad 2"}
    form = build_form(
        fire, given, known, ROOM, "targets", "There is no VC Squad 9. Did you mean VC Squad 1?"
    )
    part = build_modal(form, KEY)["components"][1]
    assert part["description"] == "⚠ There is no VC Squad 9. Did you mean VC Squad 1?"
    chosen = [option["value"] for option in part["component"]["options"] if option.get("default")]
    assert chosen == ["vc2"]
