"""A unit's card in each of the five games: what can be done with one's own units, and with those
of the other side.
"""

from __future__ import annotations

import pytest

from tests.playing import Channel

CARDS = [
    (
        "lnlt ford",
        "Rifle 1",
        "Yours · squad · fp 2 · morale 5 · us1",
        "Fire with it, Melee, Morale check",
    ),
    ("lnlt ford", "Local 1", "VC · squad · fp 1 · morale 4 · vc1", "Fire at it, Odds, Melee"),
    (
        "nhis sandbar",
        "MG Section",
        "Yours · MG · fp 5 · range 10 · morale 5 · mari4",
        "Fire with it",
    ),
    (
        "nhis sandbar",
        "Capt Sato",
        "Japanese · leader · lr 1 · morale 5 · japa7",
        "Fire at it, Odds",
    ),
    (
        "asl canal",
        "Bren",
        "Yours · support weapon · start b11 · brit5",
        "Breakdown check for a weapon",
    ),
    (
        "baps farm",
        "GI 1",
        "Yours · soldier · weapon rifle-semi · squad Able · us3",
        "Fire with it, Random order",
    ),
    ("baps farm", "Able", "Yours · squad · men 7 · grade veteran · us1", "Morale check"),
    (
        "ucn causeway",
        "MG Team",
        "carries MMG, pistol · ap 4 · us3",
        "Shoot with it, Melee, Morale test",
    ),
    (
        "ucn causeway",
        "Captured Tank",
        "German · vehicle · hull 6 · turret 8 · spot 11 · firearms 11 · morale 13 · weapon lmg · ap 4 · germ4",
        "Attack it, Odds",
    ),
]


@pytest.mark.parametrize(("scenario", "unit", "about", "acts"), CARDS)
async def test_a_card_says_what_is_on_the_counter_and_offers_what_fits(
    scenario: str, unit: str, about: str, acts: str
) -> None:
    game, id = scenario.split()
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {game} scenario={id}")
    await channel.do("Anna", f"game join {(await channel.game()).sides[0]}")
    card = await channel.do("Anna", f'unit show "{unit}"')
    assert card.format_body()[0].endswith(about)
    labels = [button.label for button in card.buttons]
    assert labels[:-1] == list(filter(None, acts.split(", ")))
    assert labels[-1] == "History"
    history = await channel.press("Anna", card.buttons[-1].action)
    assert history.title.startswith("Log")
    entry = next(entry for entry in card.menus[0].entries if "state=" in entry.action)
    assert "edits" in (await channel.press("Anna", entry.action)).title
