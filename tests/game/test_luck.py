"""Luck counted by hand, and on whose side it counts."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest

from bot.game.luck import (
    ENOUGH,
    Luck,
    ScoredRoll,
    Tally,
    Worth,
    combine_z,
    count_players_per_outlier,
    measure,
    scan,
    sum_worths,
)
from bot.rulesets.catalog import load_shared_systems
from tests.playing import Channel, two_sides

SIDES = ("US", "VC")


async def counted(channel: Channel) -> list[tuple[str, str]]:
    """(side, sequence) of all that counts."""
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    rows = await channel.app.store.load_events(loaded.row)
    tally = Tally()
    tally.add(scan((row.data for row in rows), SIDES, {}, load_shared_systems()))
    return [(roll.side, roll.sequence) for roll in tally.rolls_with_score]


def test_a_rally_against_a_count_by_hand() -> None:
    """2d6 at or under morale 7: 21 of 36. Worth 1 when it succeeds."""
    inputs = '{"raw": {"units": "squad morale=7 shaken"}, "used": []}'
    chance = 21 / 36
    worth = measure(
        ScoredRoll(1, "US", "lnlt", "rally", ((inputs, '{"outcome": "rallied"}'),)),
        load_shared_systems(),
    )
    assert worth is not None
    assert worth == pytest.approx((1, chance, chance * (1 - chance), chance, 0))
    assert sum_worths([worth] * (ENOUGH - 1)).sentence.endswith("too few rolls to say.")
    luck = sum_worths([worth] * ENOUGH)
    assert luck.z == pytest.approx(30 * (1 - chance) / sqrt(30 * chance * (1 - chance)))
    assert "luckier than 99.9" in luck.sentence


async def test_luck_is_that_of_who_acts_not_of_who_suffers() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1")
    # the game master rolls for the other side
    await channel.do("Anna", "lnlt fire attackers=vc2 targets=us2")
    await channel.do("Bob", "lnlt damage-check targets=us3 dc_mod=0")  # a mortar of his
    # one of hers
    await channel.do(
        "Bob", "unit edit vc1 state=good-order", "lnlt damage-check targets=vc1 dc_mod=0"
    )
    assert await counted(channel) == [
        ("US", "fire"),
        ("VC", "fire"),
        ("VC", "damage-check"),
        ("US", "damage-check"),
    ]


async def test_dice_by_hand_undone_and_sealed_do_not_count() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 secret")
    await channel.do("Anna", "lnlt morale-check units=us2 hand=3,4", "lnlt morale-check units=us2")
    asked = await channel.undo_last("Anna")
    await channel.press("Bob", asked.buttons[0].action)
    await channel.do("Bob", "lnlt morale-check units=vc3")
    assert await counted(channel) == [("VC", "morale-check")]
    assert "too few rolls to say" in (await channel.do("Bob", "game stats")).format_text()


def test_points_below_nothing_have_a_minus_sign() -> None:
    luck = Luck().plus(Worth(-1.0, -2.5, 0.5, Fraction(1, 10), Fraction(0)))
    assert luck.sentence == "−1 point, −2.5 expected, in 1 roll: too few rolls to say."


def test_points_of_different_games_are_not_added_up() -> None:
    """Two standard deviations up in 25 rolls and one down in 75, counted by hand: (5 * 2 - 8.66)
    / 10. It does not matter that one game pays ten times the points.
    """
    small = Luck(count=25, worth=14.0, mean=10.0, variance=4.0)
    large = Luck(count=75, worth=380.0, mean=400.0, variance=400.0)
    assert small.z == 2
    assert large.z == -1
    assert combine_z([small, large]) == pytest.approx((5 * 2 - sqrt(75)) / 10)
    assert combine_z([small]) == pytest.approx(2)
    assert combine_z([Luck(count=9, worth=9.0, mean=9.0)]) == 0, "nothing could have come otherwise"


def test_one_player_in_so_many_is_as_far_out_by_chance() -> None:
    """From a table of the normal distribution: 31.7% are beyond one standard deviation, 4.55%
    beyond two, 0.27% beyond three.
    """
    counts = [count_players_per_outlier(z) for z in (0, 1, -1, 2, -3, 40)]
    assert counts == [1, 3, 3, 22, 370, 1_000_000]
