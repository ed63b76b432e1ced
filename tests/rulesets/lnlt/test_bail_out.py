"""The fate of crew and passengers, PAC 02, 06 and 09."""

from fractions import Fraction
from typing import Any

import pytest

from tests.examples import odds, play_example
from tests.playing import Channel
from tests.refusing import refuses
from tests.rulesets.lnlt.rosters import roster, unit


def bail(
    dice: list[int], cause: str, vehicle: str, passengers: str = "", **given: Any
) -> dict[str, Any]:
    """The outputs of one bail-out."""
    given |= {"cause": cause, "vehicle": vehicle, "passengers": passengers}
    return play_example("lnlt", "bail-out", given, dice).out


def test_destroyed_by_fire_the_crew_rolls_then_each_checks_and_bails_out() -> None:
    """Crew 1 survives. Squad 1 + 2 holds, hero die 4, bail-out 2. Leader 6 + 2 shaken, bail-out
    3: lost.
    """
    out = bail(
        [1, 1, 4, 2, 6, 3], "dft", "destroyed", "squad morale=5; leader morale=6 outside", dc_mod=2
    )
    assert (out["crew"], out["outcome"]) == ("survives", "survives")
    squad, leader = out["passengers"]
    assert squad == {
        "unit": "squad",
        "roll": 1,
        "dc_total": 3,
        "result": "none",
        "hero": True,
        "bailout": "shaken",
        "mc": "none",
        "mc_total": "none",
        "disembarks": True,
        "becomes": "shaken",
    }
    assert (leader["result"], leader["bailout"], leader["becomes"], leader["disembarks"]) == (
        "shaken",
        "eliminated",
        "eliminated",
        False,
    )


def test_destroyed_by_ordnance_there_is_no_damage_check() -> None:
    """A wounded hero gets out wounded, not shaken; no morale is needed."""
    out = bail([2, 4], "oft", "destroyed", "hero wounded")
    assert out["crew"] == "eliminated"
    assert (out["passengers"][0]["roll"], out["passengers"][0]["becomes"]) == ("none", "wounded")


def test_abandoned_all_disembark_and_check_morale() -> None:
    """The crew is out without a die."""
    out = bail([3, 3, 1, 1], "dft", "abandoned", "squad morale=5; crew morale=4 shaken")
    assert out["crew"] == "shaken-moved"
    assert [(item["mc"], item["becomes"], item["disembarks"]) for item in out["passengers"]] == [
        ("fail", "shaken", True),
        ("pass", "shaken", True),
    ]


@pytest.mark.parametrize("how", ["open_topped", "unarmored"])
def test_inside_is_exposed_only_in_open_topped_or_unarmored_vehicles(how: str) -> None:
    """In a closed one nothing happens and no die is rolled."""
    out = bail([6], "dft", "shaken", "squad morale=5", **{how: True})
    assert (out["passengers"][0]["result"], out["passengers"][0]["disembarks"]) == ("shaken", False)
    assert bail([], "dft", "shaken", "squad morale=5")["passengers"][0]["becomes"] == "good-order"


def test_outside_a_shaken_rider_must_disembark() -> None:
    """And one who holds stays."""
    out = bail([6, 2], "dft", "none", "squad morale=5 outside; squad morale=5 outside", dc_mod=1)
    assert [item["disembarks"] for item in out["passengers"]] == [True, False]
    assert out["crew"] == "none"


def test_after_an_ordnance_hit_without_effect_only_those_outside_get_down() -> None:
    """Inside nothing; shaken, inside checks but stays."""
    out = bail([1, 1], "oft", "none", "squad morale=5; squad morale=5 outside")
    assert [(item["mc"], item["disembarks"]) for item in out["passengers"]] == [
        ("none", False),
        ("pass", True),
    ]
    out = bail([6, 6], "oft", "shaken", "leader morale=5")
    assert (out["passengers"][0]["becomes"], out["passengers"][0]["disembarks"]) == (
        "shaken",
        False,
    )


def test_close_assault_eliminates_without_a_die() -> None:
    """Crew and passengers."""
    out = bail([], "close-assault", "destroyed", "squad; leader")
    assert (out["crew"], [item["becomes"] for item in out["passengers"]]) == (
        "eliminated",
        ["eliminated"] * 2,
    )
    assert bail([], "close-assault", "none", "squad")["passengers"][0]["becomes"] == "good-order"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("close-assault", "shaken", ""), "card-refuses shaken"),
        (("close-assault", "abandoned", ""), "card-refuses abandoned"),
        (("close-assault", "destroyed", "squad outside"), "passenger outside"),
        (("dft", "destroyed", "squad"), "unit-needs morale"),
        (("dft", "destroyed", "armored-vehicle morale=5"), "wrong-type passenger"),
        (("dft", "damaged", ""), "bad-value vehicle"),
    ],
)
def test_refusals(given: tuple[str, str, str], words: str) -> None:
    """What the card marks as not applicable."""
    with refuses(words):
        bail([], *given)


def test_survivors_are_written_back_and_marked_moved() -> None:
    """The eliminated are not marked."""
    units = roster(unit("A", "squad", morale=5), unit("B", "squad", morale=5))
    given = {"cause": "oft", "vehicle": "destroyed", "passengers": "A; B"}
    played = play_example("lnlt", "bail-out", given, [6, 2, 1], units)
    first, second = played.resolution.changes
    assert (dict(first.set), set(first.mark)) == ({"state": "shaken"}, {"moved"})
    assert (dict(second.set), second.mark) == ({"state": "eliminated"}, frozenset())


def test_odds_match_a_count_by_hand() -> None:
    """A half of those not eliminated by the check: 1d6 + 9 is 3 times 4 from 3 on."""
    given = {"cause": "dft", "vehicle": "destroyed", "passengers": "squad morale=4", "dc_mod": 9}
    chances = odds("lnlt", "bail-out", given, "passengers[0].becomes")
    assert chances == {"eliminated": Fraction(5, 6), "half-squad-shaken": Fraction(1, 6)}
    assert odds("lnlt", "bail-out", given) == {
        "survives": Fraction(1, 6),
        "eliminated": Fraction(5, 6),
    }


async def test_a_vehicle_of_the_roster_brings_its_riders_and_its_crew_joins() -> None:
    """PAC 09: destroyed by an OFT result, a 1 places a good order crew marked Moved."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford", "unit edit us4 in=us7")
    before = await channel.content()
    reply = await channel.do("Anna", "lnlt bail-out oft destroyed unit=us7 hand=1,6")
    assert "Gun Team" in reply.title
    assert "Crew 1 comes into play" in reply.title
    crew = (await channel.game()).units["crew 1"]
    assert (crew.side, crew.marks) == ("US", frozenset({"moved"}))
    await channel.undo_last("Anna")
    assert await channel.content() == before
