"""Turns of three scenarios on Discord and on Slack, in which what the game knows counts by the card.

Six rounds of Ultracombat Normandy with AP and the element deck, a turn of Advanced Squad Leader
through each phase, and six turns of Lock 'n Load with markers that count.
`GROGNARD_EVENINGS=FOLDER` keeps every answer's payload there, to be drawn and looked at.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.scenarios.evening import Seen, Table, keep, on_discord, on_slack

Story = Callable[[Table], Awaitable[None]]
Place = Callable[[Path], AbstractAsyncContextManager[Table]]

PLAYERS = {"US": "Anna", "British": "Anna", "VC": "Ben", "German": "Ben"}
ROUNDS = 6


async def start(table: Table, system: str, scenario: str, mine: str, yours: str) -> Seen:
    """Start a scenario, and let Anna and Ben join their sides by button."""
    started = await table.type("Greta", f"game start {system} scenario={scenario}")
    await table.press("Anna", started, f"Join {mine}")
    await table.press("Ben", started, f"Join {yours}")
    return started


async def take_back(table: Table, result: Seen, player: str, other: str) -> Seen:
    """Undo a result on which dice fell, with the consent of the other player."""
    request = await table.press(player, result, "Undo")
    undone = await table.press(other, request, "Agree")
    assert "is undone" in undone.text
    return undone


# -- Ultracombat Normandy

ELEMENTS = {
    "1st Squad": ("us1", "US"), "2nd Squad": ("us2", "US"), "MG Team": ("us3", "US"),
    "Lt Doyle": ("us4", "US"), "Gruppe 1": ("germ1", "German"), "Gruppe 2": ("germ2", "German"),
    "MG Nest": ("germ3", "German"), "Captured Tank": ("germ4", "German"),
    "Fw Kranz": ("germ5", "German"),
}  # fmt: skip
FOES = {"US": "germ", "German": "us"}


async def activate(table: Table, name: str) -> None:
    """Spend the AP of the element whose card is drawn, and be done with it."""
    unit, side = ELEMENTS[name]
    player = PLAYERS[side]
    foe = f"{FOES[side]}2"
    if name in ("Lt Doyle", "Fw Kranz"):
        squad = "us1" if side == "US" else "germ1"
        await table.type(player, f"ucn command {unit} {squad} n=2", maybe=True)
    elif name == "Captured Tank":
        await table.type(player, f"ucn act {unit} move n=2", maybe=True)
        await table.type(player, f"ucn shoot {unit} {foe}", maybe=True)
    elif name in ("MG Team", "MG Nest"):
        await table.type(player, f"ucn act {unit} set-up-mmg-hmg", maybe=True)
        await table.type(player, f"ucn shoot {unit} {foe} target_in_cover", maybe=True)
    else:
        await table.type(player, f"ucn act {unit} move", maybe=True)
        await table.type(player, f"ucn spot {unit} {foe}", maybe=True)
        await table.type(player, f"ucn shoot {unit} {foe} target_in_cover odds", maybe=True)
        await table.type(player, f"ucn shoot {unit} {foe} target_in_cover", maybe=True)
        await table.type(player, f"ucn act {unit} go-firm", maybe=True)
    await table.type(player, "game pass done")


CALLED = "Pinned, Morale test first: "


async def roll_morale_of_pinned(table: Table, card: Seen) -> None:
    """Test the Morale of each element that the card of a round calls pinned."""
    lines = table.platform.words(card.raw).splitlines()
    called = {line for line in lines if line.startswith(CALLED)}
    for name, (unit, side) in ELEMENTS.items():
        if any(name in line for line in called):
            await table.type(PLAYERS[side], f"ucn morale {unit}", maybe=True)


async def causeway(table: Table) -> None:
    """Play rounds with AP and the element deck; every element has its card in the first."""
    await start(table, "ucn", "causeway", "US", "German")
    await table.type("Greta", "game settings rule=element-deck")
    for turn in range(1, ROUNDS + 1):
        drawn = set()
        for _ in range(len(ELEMENTS) if turn == 1 else 2):
            card = await table.type("Greta", "deck draw elements")
            [name] = [name for name in ELEMENTS if f"{name}:" in table.platform.first(card.raw)]
            drawn.add(name)
            await activate(table, name)
        if turn == 1:
            assert drawn == {*ELEMENTS}
            await table.type("Anna", "unit list", "Fw Kranz")
        else:
            card = await table.type("Greta", "game next")
            await roll_morale_of_pinned(table, card)
        await table.type("Anna", "game status", f"urn {turn + 1} of 8, Combat round")
    spent = "\n".join(table.platform.words(seen.raw) for seen in table.seen)
    assert "uses 1 AP (2 left)" in spent
    assert "gets 2 additional AP" in spent
    assert "elements never got their card" in spent


# -- Advanced Squad Leader

RECOVERS, MAY_NOT = "recovers Bren", "may not recover Bren"
PHASES = {
    "Rally": RECOVERS,
    "Prep Fire": MAY_NOT,
    "Movement": RECOVERS,
    "Defensive Fire": MAY_NOT,
    "Advancing Fire": MAY_NOT,
    "Rout": MAY_NOT,
    "Advance": MAY_NOT,
    "Close Combat": MAY_NOT,
}
"""What a try to recover a dropped weapon comes to in each phase, by table 7 of the card."""


async def canal(table: Table) -> None:
    """Play each phase of a British turn: recovery, a check, the options against a half-track in
    Motion, its smoke and a Molotov cocktail thrown at it.
    """
    await start(table, "asl", "canal", "British", "German")
    await table.type("Ben", 'unit edit "Half-track 1" marker=+motion')
    for number, (phase, recovery) in enumerate(PHASES.items()):
        if number:
            await table.type("Greta", "game next", phase)
        squad = f"brit{number % 4 + 1}"
        die = " hand=2" if recovery == RECOVERS else ""
        await table.type("Anna", f"asl recover {squad} Bren{die}", recovery)
        if recovery == RECOVERS:
            await table.type("Anna", f"unit edit {squad} holds=none")
        await table.type("Ben", f"asl check nmc germ{number % 5 + 1} hand=3,3", "against morale 7")
        options = f'asl vs-afv {squad} "Half-track 1"'
        await table.type("Anna", options, "has options")
        smoke = 'asl smoke sm usage_number=8 unit="Half-track 1"'
        flame = 'asl flame-attack mol-adjacent unit="Half-track 1" hand=3,3'
        await table.type("Ben", f"{smoke} hand=3,4" if phase == "Movement" else smoke, maybe=True)
        await table.type("Anna", flame, "moving")
    await table.type("Greta", "game next", "German, Rally")
    await table.type("Anna", "unit list", "Half-track 1")


# -- Lock 'n Load


async def ford(table: Table) -> None:
    """Play six turns in which Moved, Assault Move and Hit & Run count, named in the line."""
    await start(table, "lnlt", "ford", "US", "VC")
    for turn in range(1, ROUNDS + 1):
        await table.type("Greta", "game initiative US")
        await table.type("Greta", "game next", "Operations")
        firer = f"us{(turn - 1) % 3 + 1}"
        target = f"vc{(turn - 1) % 4 + 1}"
        await table.type("Ben", f"unit edit {target} marker=+moved", "moved")
        shot = f"lnlt fire {firer} {target} tm=1"
        await table.type("Anna", f"{shot} odds")
        fired = await table.type("Anna", f"{shot} hand=1,6", "+ 1 moved")
        await take_back(table, fired, "Anna", "Ben")
        left_out = await table.type("Anna", f"{shot} target_moved=no hand=1,6")
        assert "moved" not in table.platform.words(left_out.raw)
        await table.type("Anna", f"unit edit {firer} marker=+assault-move")
        await table.type("Anna", f"{shot} hand=1,6", "− 2 assault movement or fire")
        await table.press("Anna", table.seen[-1], "Undo")
        await table.type("Greta", "game pass")
        await table.type("Ben", f"unit edit {target} marker=+hit-and-run")
        await table.type("Ben", f"lnlt fire {target} {firer} hand=1,6", maybe=True)
        await table.type("Ben", f"lnlt fire {target} {firer} hand=1,6 anyway", "− 2 hit")
        await table.type("Ben", "game pass")
        await table.type("Anna", "game pass")
        over = await table.type("Greta", "game next", "Markers removed")
        await table.press("Greta", over, "Next turn" if turn < ROUNDS else f"End turn {turn}")
        await table.type("Anna", "unit list", "Local 1-4")


@pytest.mark.slow_sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("platform", [on_discord, on_slack])
@pytest.mark.parametrize("story", [causeway, canal, ford])
async def test_what_the_game_knows_counts(platform: Place, story: Story, tmp_path: Path) -> None:
    async with platform(tmp_path) as table:
        try:
            await story(table)
        finally:
            keep(table, f"{platform.__name__}-{story.__name__}")
