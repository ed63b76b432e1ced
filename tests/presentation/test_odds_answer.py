"""The odds decide: the first line says how likely harm is, for every target; below it the
results, worst first.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from icepool import d6  # type: ignore[import-not-found,import-untyped,unused-ignore]

from bot.presentation.odds import build_odds_reply
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import build_odds_rows, compute_each_odds
from bot.ui.reply.parts import Odds
from bot.ui.reply.percents import format_percent
from bot.ui.reply.reply import GAME, SHAKEN, Reply
from tests.playing import Channel, two_sides


def odds_of(game: str, id: str, **given: Any) -> Reply:
    """The answer to the odds of a sequence with these inputs."""
    sequence = find_shared_system(game).find_sequence(id)
    rows = build_odds_rows(sequence, given)
    return build_odds_reply(
        sequence,
        given,
        rows,
        compute_each_odds(sequence, given, tuple(rows)),
        target_names="target",
    )


def hurt(fp: int, morale: int, tm: int) -> Fraction:
    """How likely an attack hits and the damage check then exceeds morale, counted die by die."""
    found = 0
    for attack, defense, check in product(range(1, 7), repeat=3):
        beaten = attack + fp - defense - tm
        found += beaten > 0 and check + beaten > morale
    return Fraction(found, 216)


def blocks(reply: Reply) -> list[Odds]:
    """Its bars."""
    return [part for part in reply.lines if isinstance(part, Odds)]


def test_two_dice_against_morale_as_counted_by_other_means() -> None:
    """A damage check of 1d6 + 3 against morale 5: over it shakes; icepool counts the same."""
    (block,) = blocks(
        odds_of("lnlt", "damage-check", targets="squad morale=5", dc_mod=3, no_hero=True)
    )
    over = (d6 + 3).map(lambda total: total > 5)
    assert block.least[-1] == pytest.approx(float(Fraction(over.probability(True))))
    assert sum(chance for _, chance in block.chances) == pytest.approx(1)


def test_results_come_worst_first_with_this_or_worse_beside_them() -> None:
    reply = odds_of(
        "lnlt", "fire", attackers="squad fp=8", targets="squad morale=5; leader morale=6 lm=1"
    )
    squad, leader = blocks(reply)
    assert [word for word, _ in squad.chances] == [
        "eliminated",
        "casualties",
        "shaken",
        "no effect",
    ]
    assert [word for word, _ in leader.chances] == ["eliminated", "wounded", "shaken", "no effect"]
    for block in (squad, leader):
        added = 0.0
        for (_, chance), least in zip(block.chances, block.least, strict=False):
            added += chance
            assert least == pytest.approx(added)
        assert len(block.least) == 3, "no effect has no column of its own"
        assert block.least[-1] == pytest.approx(1 - block.chances[-1][1])


@pytest.mark.parametrize(
    ("game", "id", "given", "first"),
    [
        (
            "lnlt",
            "morale-check",
            {"units": "squad morale=5; leader morale=6"},
            "72% that the squad fails, 58% the leader",
        ),
        ("lnlt", "rally", {"units": "squad morale=5 sr"}, "28% that the squad rallies"),
        (
            "lnlt",
            "melee",
            {"attackers": "squad fp=3", "defenders": "squad fp=3"},
            "42% to eliminate the defenders, 42% to lose the attackers",
        ),
        (
            "lnlt",
            "spot",
            {"terrain": "blocking", "lm": 3, "tis": True},
            "83% that the target spots the hex",
        ),
        ("baps", "leader-points", {}, "Points: 4 (25%), 3 (25%), 2 (25%)"),
        (
            "baps",
            "morale-check",
            {"men": 8, "grade": "veteran", "event": "mg-attack", "cover": "light"},
            "70% to pin or break the target",
        ),
        (
            "baps",
            "vehicle-fire",
            {"weapon": "medium", "range": 250, "armor": "medium", "aspect": "side"},
            "76% to harm the vehicle, 46% the soldier",
        ),
    ],
)
def test_what_one_decides_by(game: str, id: str, given: dict[str, Any], first: str) -> None:
    assert odds_of(game, id, **given).first_line == first


def test_the_colour_says_whether_harm_is_likely() -> None:
    likely = odds_of("lnlt", "damage-check", targets="squad morale=2", dc_mod=4)
    assert (likely.tone, likely.private) == (SHAKEN, True)
    assert (
        odds_of("lnlt", "fire", attackers="squad fp=1", targets="squad morale=6", tm=3).tone == GAME
    )


async def test_three_targets_alike_ones_once_under_their_names() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Bob", 'unit add "VC Squad 5..6" squad VC morale=4 fp=1')
    reply = await channel.do("Anna", 'lnlt fire "Squad 1" "VC Squad 5; VC Squad 6; Tran" tm=1 odds')
    fp = 2
    assert [format_percent(float(hurt(fp, morale, 1))) for morale in (4, 5)] == ["44%", "35%"]
    assert reply.first_line == "44% to shake or hurt each VC Squad, 35% Tran · Squad 1 fires"
    assert [block.heading for block in blocks(reply)] == ["VC Squads 5 + 6", "Tran"]
    assert reply.format_body()[-1] == "Terrain (TM) 1. Exact odds. Nothing was rolled."
    assert [button.label for button in reply.buttons][:2] == ["Roll it", "Change…"]


async def test_many_different_targets_are_said_to_be_more() -> None:
    channel = await Channel.fresh()
    units = "; ".join(f"squad morale={morale}" for morale in range(2, 10))
    reply = await channel.do("Anna", f'lnlt fire attackers="squad fp=4" targets="{units}" odds')
    assert reply.title.endswith(", 6 more between")
    assert len(blocks(reply)) == 8
