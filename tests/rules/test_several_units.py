"""Several units in a few words, written out as the names that they stand for."""

from __future__ import annotations

import pytest

from bot.rules.errors import UserError
from bot.rules.inputs.unit_selectors import AskingSide, expand_list, list_names
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rulesets.catalog import find_shared_system

WORDS = find_shared_system("lnlt").words["units"]
GONE = ("eliminated",)


def _roster(*units: RosterUnit) -> Roster:
    return {name.casefold(): unit for unit in units for name in (unit.handle, unit.name)}


ROSTER = _roster(
    *(RosterUnit(f"US Squad {at}", f"us{at}", "squad", "US") for at in range(1, 5)),
    RosterUnit("Lt Dan", "us5", "leader", "US", state="shaken"),
    RosterUnit("Smith, HQ", "us6", "leader", "US", {"hex": "H5"}, state="shaken-wounded"),
    RosterUnit("VC 08", "vc1", "squad", "VC", {"hex": "H5"}),
    RosterUnit("VC 09", "vc2", "squad", "VC", state="eliminated"),
    RosterUnit("VC 10", "vc3", "squad", "VC", state="shaken"),
)
ATTACK, DEFENSE = (
    AskingSide("US", acting=True, gone=GONE),
    AskingSide("US", acting=False, gone=GONE),
)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("us3,us4", "us3; us4"),
        ("us3, US Squad 4 fp=2", "us3; US Squad 4 fp=2"),
        ("US Squad 1..3", "US Squad 1; US Squad 2; US Squad 3"),
        ("US Squad 1..US Squad 3", "US Squad 1; US Squad 2; US Squad 3"),
        ("us1..us3", "US Squad 1; US Squad 2; US Squad 3"),
        ("us1-3", "US Squad 1; US Squad 2; US Squad 3"),
        ("us1…us2", "US Squad 1; US Squad 2"),
        ('"US Squad 1..2" fp=3 ops', "US Squad 1 fp=3 ops; US Squad 2 fp=3 ops"),
        ("us1 fp=4; us1..us3", "us1 fp=4; US Squad 2; US Squad 3"),
        ("VC 08..10", "VC 08; VC 10"),  # who is gone is left out
        ("all shaken", "Lt Dan; Smith, HQ"),
        ("all leader", "Lt Dan; Smith, HQ"),
        ("all squads", "US Squad 1; US Squad 2; US Squad 3; US Squad 4"),
        (
            "all good-order fp=2",
            "US Squad 1 fp=2; US Squad 2 fp=2; US Squad 3 fp=2; US Squad 4 fp=2",
        ),
        ("us1; all leader; us5", "us1; Smith, HQ; us5"),
        ("hex:h5", "Smith, HQ"),
        ("side:vc", "VC 08; VC 10"),
        ("side:VC eliminated", "VC 09"),
        ("side:VC hex:H5", "VC 08"),
        ("squad fp=4; us3,us4", "squad fp=4; us3; us4"),
        ("Smith, HQ, us1", "Smith, HQ; us1"),
    ],
)
def test_several_are_written_out(typed: str, names: str) -> None:
    assert expand_list(typed, WORDS, ROSTER, ATTACK) == names
    assert expand_list(names, WORDS, ROSTER, ATTACK) == names


@pytest.mark.parametrize(
    "typed", ["us1; us2", "squad fp=4; half-squad", "3", "Smith, HQ", "squad sw=3,2", ""]
)
def test_what_needs_no_writing_out_stays_as_typed(typed: str) -> None:
    assert expand_list(typed, WORDS, ROSTER, ATTACK) == typed


def test_without_a_roster_nothing_is_read_into_a_list() -> None:
    assert expand_list("squad 1..4, all", WORDS, {}, ATTACK) == "squad 1..4, all"


def test_all_is_ones_own_side_where_the_list_acts_and_the_other_where_it_is_acted_upon() -> None:
    assert list_names("all", WORDS, ROSTER, ATTACK)[0] == "US Squad 1"
    assert list_names("all", WORDS, ROSTER, DEFENSE) == ("VC 08", "VC 10")
    assert list_names("hex:H5", WORDS, ROSTER, DEFENSE) == ("VC 08",)
    with pytest.raises(UserError) as refused:  # who plays no side has to say which
        expand_list("all", WORDS, ROSTER, AskingSide("", acting=True, gone=GONE))
    assert refused.value.hint == "Write side:US or side:VC."


@pytest.mark.parametrize(
    ("typed", "code", "hint"),
    [
        ("US Squad 1..6", "unknown-unit", "Did you mean US Squad 1..4?"),
        ("us1..us9", "unknown-unit", "Did you mean us1..6?"),
        ("Tank 1..3", "unknown-unit", "/unit list shows them all."),
        ("us4..us1", "bad-value", ""),
        ("us1..us99", "bad-value", ""),
        ("side:NVA", "unknown-side", "Sides are US, VC."),
        ("hex:K9", "nobody", "side:NAME picks one side's units."),
    ],
)
def test_what_is_not_there_is_named(typed: str, code: str, hint: str) -> None:
    with pytest.raises(UserError) as refused:
        expand_list(typed, WORDS, ROSTER, ATTACK)
    assert (refused.value.code, refused.value.hint) == (code, hint)


def test_forty_are_the_most() -> None:
    many = _roster(*(RosterUnit(f"GI {at}", f"us{at}", "squad", "US") for at in range(1, 43)))
    assert len(list_names("GI 1..40", WORDS, many, ATTACK)) == 40
    with pytest.raises(UserError) as refused:
        expand_list("all", WORDS, many, ATTACK)
    assert refused.value.code == "too-many"


def test_long_names_give_way_to_handles_where_an_option_has_no_room() -> None:
    many = _roster(
        *(RosterUnit(f"{'x' * 28} {at}", f"us{at}", "squad", "US") for at in range(10, 50))
    )
    text = expand_list("all", WORDS, many, ATTACK)
    assert text.startswith("x" * 28)
    assert len(text) <= 4000
