"""The orders of the generic pack's side that plays itself: typed a second time, by columns where
the file has rows, counted by hand, and carried out in a game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from bot.game.ledger import Ledger
from bot.rules.dice import Script
from tests.commands.games.solo_helpers import list_answers, list_bodies
from tests.examples import lookup, odds
from tests.playing import Channel

ORDERS = {
    ("movement", "fresh"): "close-in close-in to-town to-town stand stand",
    ("movement", "worn"): "to-town to-town to-town withdraw withdraw stand",
    ("movement", "support"): "to-town to-town withdraw stand stand stand",
    ("combat", "fresh"): "attack attack attack attack attack stand",
    ("combat", "worn"): "attack stand stand stand stand stand",
    ("combat", "support"): "attack stand stand stand stand stand",
}
"""The order of each face of the die, from 1 to 6."""
UNITS = {
    "infantry": "fresh",
    "armor": "fresh",
    "infantry pinned": "worn",
    "armor reduced": "worn",
    "artillery": "support",
    "artillery pinned": "support",
    "headquarters": "support",
}
"""Units as they are typed, and what the table calls them."""


@pytest.fixture(autouse=True)
def generic_pack(use_packs: Callable[[Path], None], root: Path) -> None:
    use_packs(root / "packs" / "generic")


def test_each_face_of_the_die_is_its_order() -> None:
    for (phase, strength), words in ORDERS.items():
        for face, order in enumerate(words.split(), 1):
            row = lookup("generic", "solo-orders", phase=phase, strength=strength, roll=face)
            assert row["order"] == order, (phase, strength, face)


@pytest.mark.parametrize("phase", ["movement", "combat"])
def test_the_odds_of_the_orders_are_those_of_a_count_by_hand(phase: str) -> None:
    """Six faces for a unit alone; of several, each is picked by one face of another die."""
    for unit, strength in UNITS.items():
        counts = Counter(ORDERS[phase, strength].split())
        expected = {order: Fraction(count, 6) for order, count in counts.items()}
        assert odds("generic", "give-order", {"units": unit, "phase": phase}) == expected
    together = Counter[str]()
    for strength in UNITS.values():
        together.update(ORDERS[phase, strength].split())
    faces = 6 * len(UNITS)
    expected = {order: Fraction(count, faces) for order, count in together.items()}
    assert odds("generic", "give-order", {"units": "; ".join(UNITS), "phase": phase}) == expected


@pytest.mark.parametrize(
    ("situation", "answers", "carried_out"),
    [
        ("", ("Tank Company", "Town"), "attack attack attack attack attack stand"),
        ("", ("None",), "stand " * 6),
        ("unit edit red1 state=reduced", ("Tank Company", "Town"), "attack" + " stand" * 5),
        ("unit edit red1 attack=0", ("Tank Company", "Clear"), "stand " * 6),
        ("unit remove blue1..blue6", (), "stand " * 6),
    ],
    ids=["next to an enemy", "next to none", "worn", "too weak", "no enemy left"],
)
async def test_an_attack_that_is_impossible_falls_to_the_next_order(
    situation: str, answers: tuple[str, ...], carried_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guard alone throws 1 to 6 in the combat phases of six turns. Its attack with a 6 in the town hurts nobody."""
    faces: list[int] = []
    monkeypatch.setattr(Ledger, "create_dice_source", lambda _: Script([faces.pop(0)]))
    channel = await Channel.fresh()
    await channel.do("Anna", "solo generic", "unit remove red2..red6")
    if situation:
        await channel.do("Anna", situation)
    for face in range(1, 7):
        faces[:] = [6, face, 6]
        reply = await channel.do("Anna", *["game next"] * 3)
        for label in answers if list_answers(reply) else ():
            reply = await channel.press("Anna", list_answers(reply)[label])
    orders = [body["order"] for body in await list_bodies(channel) if "order" in body]
    assert orders[1::2] == carried_out.split()
