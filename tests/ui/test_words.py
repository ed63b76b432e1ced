"""Human words in forms, and errors that know their option."""

from __future__ import annotations

import pytest

from bot.commands.dispatch import load_shared_registry
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import play_sequence
from bot.ui.form.form import list_flag_picks


def test_modifiers_say_their_value() -> None:
    fire = load_shared_registry().get(("lnlt", "fire"))
    assert fire is not None
    picks = list_flag_picks(fire, {})
    labels = {pick.value: pick.label for pick in picks}
    assert labels["night"] == "Night, target unlit −3"
    assert labels["adjacent"] == "Adjacent +2"
    assert labels["hit_and_run"] == "Hit and run −2"
    assert labels["tis"] == "Thermal imaging"
    for pick in picks:
        assert not pick.about.startswith(("+", "-", "\u2212")), "the label has the value already"


@pytest.mark.parametrize(
    ("attackers", "targets", "option"),
    [
        (
            "squad fp=4",
            "squad",
            "targets",
        ),  # the same word in both lists: it is the second that lacks morale
        ("squad", "squad morale=5", "attackers"),
        ("squad fp=4 shaken", "squad morale=5", "attackers"),
        ("squad fp=2 pf=3", "squad morale=5", "attackers"),
    ],
)
def test_an_error_about_a_unit_names_the_option_that_holds_it(
    attackers: str, targets: str, option: str
) -> None:
    with pytest.raises(UserError) as caught:
        play_sequence(
            find_shared_system("lnlt").find_sequence("fire"),
            {"attackers": attackers, "targets": targets},
            Script(()),
        )
    assert caught.value.option == option, caught.value


def test_every_option_has_a_name_for_people_and_each_differs() -> None:
    for spec in load_shared_registry():
        if spec.family == "sequence":
            names = [option.display_name for option in spec.options]
            assert len(set(names)) == len(names), spec.name
            assert all(len(name) <= 45 for name in names), spec.name
