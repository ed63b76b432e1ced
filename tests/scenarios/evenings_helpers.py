"""Helpers of tests/scenarios/test_evenings.py, which other tests use as well."""

from __future__ import annotations

import re

from tests.scenarios.evening import Seen, Table


async def other(table: Table, who: str, path: str, **options: object) -> Seen:
    """An action that the dice before may have made impossible."""
    return await table.say(who, path, maybe=True, **options)


async def phases_on(table: Table, count: int) -> None:
    """So many phases ended by the game master."""
    for _ in range(count):
        await table.say("Greta", "game next")


async def taken_back(table: Table, shot: Seen, owner: str, agrees: str) -> None:
    """A shot undone with the other's consent, and done again."""
    asked = await table.press(owner, shot, "Undo")
    done = await table.press(agrees, asked, "Agree")
    assert "is undone" in done.text
    asked = await table.press(owner, done, "Redo")
    await table.press(agrees, asked, "Agree")


async def ford(table: Table) -> None:
    """Lock 'n Load, *The Ford at Dawn*: both sides fire, rally and fight hand to hand for six
    turns.
    """
    started = await table.say("Greta", "game start", system="lnlt", scenario="ford")
    await table.press("Anna", started, "Join US")
    await table.press("Ben", started, "Join VC")
    await table.say("Greta", "game board")
    await table.say("Greta", "game plan", turn=3, text="fog lifts")
    for turn in range(1, 7):
        if turn > 1:
            await other(table, "Anna", "lnlt rally", units="us1", lm=1)
            await other(table, "Ben", "lnlt rally", units="vc1; vc2")
        won = await table.say("Greta", "game initiative")
        card = await table.press("Greta", won, "Next phase")
        order = ("Anna", "Ben") if "US goes first" in card.text else ("Ben", "Anna")
        for who in order * 2:
            mine, yours, lead = ("us", "vc", "us5") if who == "Anna" else ("vc", "us", "vc6")
            own, foes = await table.able(mine), await table.able(yours)
            target = foes[turn % len(foes)]
            fire = {"attackers": "; ".join(dict.fromkeys([own[0], lead])), "targets": target}
            await other(table, who, "lnlt fire", **fire, tm=3, odds=True)
            shot = await other(table, who, "lnlt fire", **fire, tm=3)
            if turn == 2 and not shot.error:
                await taken_back(table, shot, who, "Ben" if who == "Anna" else "Anna")
            if turn == 4:
                await other(table, who, "lnlt melee", attackers=own[-1], defenders=foes[-1])
            card = await table.say(who, "game pass")
            if "Administrative" in card.text:
                break
        if turn == 3:
            sealed = await table.say("Ben", "roll", dice="2d6", label="ambush", secret=True)
            number = re.search(r"#(\d+)", sealed.text)
            assert number
            await table.say("Ben", "game reveal", event=int(number[1]))
        if turn == 5:
            await other(
                table, "Anna", "lnlt ordnance-vehicle", to_hit=8, penetration=5, armor=3, morale=5
            )
            await other(table, "Ben", "lnlt ordnance-vehicle", to_hit=8, unit="vc5", target="us7")
            await other(table, "Anna", "lnlt overrun", unit="us7", targets="vc4")
        for path in ("unit list", "game status", "log", "game stats", "fair show"):
            await table.say("Anna", path)
        for unit in ("us1", "us7", "vc1"):
            await table.say("Anna", "unit show", name=unit)
        while turn < 6 and f"Turn {turn + 1}" not in table.seen[-1].text:
            await phases_on(table, 1)
    await ended(table, "US")


async def ended(table: Table, winner: str) -> None:
    """The end, its story and its report."""
    question = await table.say("Greta", "game end")
    story = await table.press("Greta", question, f"{winner} won")
    assert "is over" in story.text
    for button in ("Statistics", "Proof"):
        if button in story.buttons:
            await table.press("Greta", story, button)
    await table.say("Greta", "log", story=True)
    await table.say("Greta", "fair reveal")
