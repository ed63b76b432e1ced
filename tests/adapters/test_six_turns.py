"""A whole evening on each platform: six turns of Lock 'n Load by two players and a game master,
with one restart.

Everybody is called once for each go and nobody for what they did themselves; what was taken back is
struck; old buttons refuse kindly; the dice are provable.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from tests.adapters.evening import Platform, Table, on_each
from tests.adapters.left_over import time_passes, until_nothing_is_left
from tools import verify_log

TAPS = 8
"""Most taps that a turn without fire may cost, by both players together."""
SIDES = {"Anna": ("US", "VC"), "Ben": ("VC", "US")}
"""Whose squads are theirs, and whose the others'."""


def nobody(e: Table) -> None:
    """Nobody was called since the last time."""
    assert e.calls() == [], "who is there is named, not called"


def order(e: Table, card: Any) -> tuple[str, str]:
    """Who goes first by the card of a phase, and the other."""
    nobody(e)
    return ("Anna", "Ben") if "US goes first" in e.words(card) else ("Ben", "Anna")


async def through(e: Table, card: Any, *turns: str) -> Any:
    """The go handed over by each of these until the phase ends: the card of the next turn."""
    for who in turns:
        card = await e.press(who, card, "Pass")
        nobody(e)
        if "Administrative" in e.words(card):
            break
    assert "Administrative" in e.words(card)
    return await e.press(turns[0], card, "Next turn")


async def begun(e: Table, rally: Any, who: str) -> Any:
    """Initiative rolled by one player, and the phase behind it begun by the game master: its
    card.
    """
    return await e.press("Greta", await e.press(who, rally, "Initiative"), "Next phase")


async def muster(e: Table) -> Any:
    """The game begun, joined by button, with its rosters, and a plan; the message that began it."""
    started = await e.say("Greta", 'game start lnlt "Hill 875" sides="US, VC"')
    await e.press("Anna", started, "Join US")
    await e.press("Ben", started, "Join VC")
    await e.say("Anna", 'unit add "US Squad 1..3" squad US stats="morale=5 fp=2"')
    await e.say("Anna", 'unit add "US Squad 4..6" squad US stats="morale=12 fp=2"')
    await e.say("Anna", 'unit add "Lt Hill" leader US stats="morale=6 lm=1 lr=1"')
    await e.say("Ben", 'unit add "VC Squad 1..3" squad VC stats="morale=4 fp=1"')
    await e.say("Ben", 'unit add "VC Squad 4..6" squad VC stats="morale=12 fp=1"')
    await e.say("Greta", 'game plan 4 "VC reinforcements at K7"')
    assert e.calls() == [], "nobody waits for anybody yet"
    return started


async def first_turn(e: Table, started: Any) -> tuple[Any, Any]:
    """Fire typed, an undo refused and one agreed to; the card of turn 1 and that of turn 2."""
    await e.rest()
    asking = await e.press("Anna", started, "Next phase")
    nobody(e)
    await e.rest()
    card = await e.say("Greta", "game initiative US")
    nobody(e)
    await e.over(asking)

    fired = await e.say("Anna", 'lnlt fire "us1; us2; Lt Hill" vc1 tm=1 hand=5,2,3')
    buttons = e.buttons(fired)
    asked = await e.press("Anna", fired, "Undo")
    assert sorted(e.calls()) == ["Ben", "Greta"], "either may agree"
    await e.refused("Carl", asked, "Agree")
    await e.pressed("Ben", asked, "Refuse")
    await e.until(
        lambda: "refuses" in e.first(asked) and not e.buttons(asked), "the request refused"
    )
    assert e.buttons(fired) == buttons, "the result holds"

    passed = await e.press("Anna", card, "Pass")
    nobody(e)
    shot = await e.say("Ben", 'lnlt fire "vc2; vc3" us1 hand=6,1,2')
    asked = await e.press("Ben", shot, "Undo")
    assert sorted(e.calls()) == ["Anna", "Greta"]
    await e.pressed("Anna", asked, "Agree")
    await e.struck(shot)
    await e.until(
        lambda: "is undone" in e.first(asked) and e.buttons(asked) == ["Redo"],
        "the request agreed to",
    )
    await e.say("Ben", "lnlt fire vc2 us1 hand=6,1,6")
    await e.press("Ben", passed, "Done")
    nobody(e)
    last = await e.say("Anna", "game next")
    nobody(e)
    rally = await e.press("Ben", last, "Next turn")
    nobody(e)
    return card, rally


async def second_turn(e: Table, rally: Any, old: Any) -> Any:
    """Rally and initiative, fire by form, another target, one modifier changed, odds; the card
    of turn 3.
    """
    assert "Shaken: US Squad 1 and VC Squad 1" in e.words(rally)
    form = await e.form("Anna", rally, "Rally")
    rallied = await e.filled(
        "Anna", form, {"units": ["US Squad 1"], "?flags": ["cover"], "lm": "1"}
    )
    assert "US Squad 1" in e.first(rallied)
    won = await e.press("Anna", rally, "Initiative")
    assert e.calls() == []
    card = await e.press("Greta", won, "Next phase")
    first, second = order(e, card)
    await e.over(old)
    await e.refused(second, card, "Pass")
    await e.refused("Carl", card, "Next phase")

    mine, yours = SIDES[first]
    form = await e.form(first, card, "Fire")
    fired = await e.filled(
        first, form, {"attackers": [f"{mine} Squad 3"], "targets": [f"{yours} Squad 4"]}
    )
    assert not e.is_private(fired)
    assert f"{yours} Squad 4" in e.first(fired)
    other = await e.chosen(first, fired, f"{yours} Squad 5")
    assert f"{yours} Squad 5" in e.first(other)
    changed = await e.filled(first, await e.form(first, other, "Change…"), {"?flags": ["adjacent"]})
    assert "2 adjacent" in e.words(changed)
    assert "was fired" in await e.refused(first, changed, "Odds")
    assert e.calls() == [], "a shot calls nobody"
    return await through(e, card, first, second, first, second, first)


async def third_turn(e: Table, rally: Any) -> Any:
    """A sealed roll, a restart, the roll opened, own dice by the keypad; the card of turn 4."""
    e.calls()
    await e.alone("Ben", "roll 2d6 label=ambush secret hand=3,4", says="7 for ambush")
    sealed = await e.message("makes a sealed roll")
    assert "7 for ambush" not in e.words(sealed)
    await e.bot.kill()
    await e.bot.start()
    await e.refused("Anna", sealed, "Open it")
    await e.pressed("Ben", sealed, "Open it")
    await e.until(
        lambda: "7 for ambush" in e.words(sealed) and "Open it" not in e.buttons(sealed),
        "the seal opened",
    )

    card = await begun(e, rally, "Ben")
    first, second = order(e, card)
    mine, yours = SIDES[first]
    keypad = await e.keypad(first, card, f"{mine} Squad 6", f"{yours} Squad 3")
    assert e.is_private(keypad)
    await e.pressed(first, keypad, "6")
    await e.pressed(first, keypad, "1")
    fired = await e.press(first, keypad, "6")
    assert f"{yours} Squad 3" in e.first(fired)
    return await through(e, card, first, second, first, second, first)


async def fourth_turn(e: Table, rally: Any) -> Any:
    """What was planned is due; a melee, taken back with the game master's consent; the card of
    turn 5.
    """
    assert "Due now: VC reinforcements at K7" in e.words(rally)
    e.calls()
    await e.say("Ben", 'unit add "VC Squad 7..8" squad VC stats="morale=4 fp=1"')
    card = await begun(e, rally, "Anna")
    first, second = order(e, card)
    mine, yours = ("us2; us5", "vc7") if first == "Anna" else ("vc7; vc8", "us2")
    await e.form(first, card, "Melee")
    fought = await e.say(first, f'lnlt melee attackers="{mine}" defenders="{yours}" hand=6,5,1,1')
    asked = await e.press(first, fought, "Undo")
    assert sorted(e.calls()) == sorted([second, "Greta"])
    await e.pressed("Greta", asked, "Agree")
    await e.struck(fought)
    return await through(e, card, first, second, first, second)


async def fifth_turn(e: Table, rally: Any) -> Any:
    """A turn without fire: every tap by both players counted; the card of turn 6."""
    e.calls()
    e.spent()
    won = await e.pressed("Anna", rally, "Initiative")
    card = await e.pressed("Ben", won, "Next phase")
    first, second = order(e, card)
    for who in (first, second, first):
        card = await e.pressed(who, card, "Pass")
        nobody(e)
    last = await e.pressed(first, card, "Next turn")
    nobody(e)
    taps, letters = e.spent()
    assert letters == 0
    assert taps <= TAPS
    return last


async def the_end(e: Table, rally: Any, folder: Path) -> None:
    """The end with its story; old cards refuse; the log is sound; the game is taken up again
    from the list.
    """
    assert e.first(rally).startswith("Turn 6, Rally")
    assert f"{e.strong}Turn 6, Rally" in e.whole(rally)
    seen = e.as_seen(rally)  # as it is on a screen that has not heard of the end
    question = await e.alone("Greta", "game end")
    story = await e.press("Greta", question, "US won", says="is over:")
    assert e.first(story).startswith("Hill 875 is over: US wins on turn 6")
    assert e.is_bold(story, "Hill 875 is over: US wins on turn 6")
    assert e.calls() == []
    await e.refused("Anna", seen, "Next phase")
    await e.alone("Anna", "lnlt fire us2 vc3")

    await e.say("Greta", "fair reveal")
    path = folder / "hill-875.json"
    path.write_bytes(await e.log_of("Greta"))
    assert main(["verify", str(path)]) == 0
    assert verify_log.main([str(path)]) == 0

    listed = await e.typed("Greta", "game list", says="Hill 875")
    opened = await e.pressed("Greta", listed, "Read", says="Hill 875")
    assert e.is_private(opened)
    resumed = await e.press("Greta", opened, "Resume", says="resumes")
    assert "Turn 6" in e.words(resumed)
    await e.say("Anna", "lnlt fire us4 vc6")
    assert e.calls() == []


@pytest.mark.slow_sample(1)
@pytest.mark.slow
@on_each
async def test_six_turns_end_as_they_were_played(platform: Platform, tmp_path: Path) -> None:
    async with platform(tmp_path) as e:
        started = await muster(e)
        await e.say("Greta", "game board", says="Log")
        old, card = await first_turn(e, started)
        await e.board("Turn 2, Rally")
        card = await second_turn(e, card, old)
        card = await third_turn(e, card)
        board = await e.board("Turn 4, Rally")
        card = await fourth_turn(e, card)
        card = await fifth_turn(e, card)
        await e.until(lambda: board.deleted or not e.buttons(board), "an old board gone")
        board = await e.board("Turn 6, Rally")
        await the_end(e, card, tmp_path)
        await e.until(
            lambda: board.deleted or ("is over" in e.words(board) and not e.buttons(board)),
            "the last board",
        )
        time_passes(tmp_path)
        await until_nothing_is_left(tmp_path, 60)
        seen = [one for one in e.messages() if e.words(one)]
        assert not any("further down" in e.words(one) for one in seen), (
            "the boards of earlier turns are gone"
        )
