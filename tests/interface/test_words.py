"""Human words in forms, and errors that know their option."""

from __future__ import annotations

import pytest

from bot.interface.form.form import flag_picks
from bot.interface.registry import registry
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.systems.catalog import system
from bot.systems.resolve import resolve


def test_modifiers_say_their_value() -> None:
    fire = registry().get(("lnlt", "fire"))
    assert fire is not None
    labels = {pick.value: pick.label for pick in flag_picks(fire, {})}
    assert labels["night"] == "Night, target unlit −3"
    assert labels["adjacent"] == "Adjacent +2"
    assert labels["hit_and_run"] == "Hit and run −2"
    assert labels["tis"] == "Thermal imaging"


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
        resolve(
            system("lnlt").sequence("fire"),
            {"attackers": attackers, "targets": targets},
            Script(()),
        )
    assert caught.value.option == option, caught.value


def test_every_option_has_a_name_for_people_and_each_differs() -> None:
    for spec in registry():
        if spec.family == "sequence":
            names = [option.shown for option in spec.options]
            assert len(set(names)) == len(names), spec.name
            assert all(len(name) <= 45 for name in names), spec.name
