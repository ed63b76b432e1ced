"""*Done* under the shot on each platform: one tap hands over, in the shot itself, and undo takes
that back.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.evening import Platform, Table, on_each

OURS, THEIRS = "lnlt fire us1 vc1 hand=1,6", "lnlt fire vc1 us1 hand=1,6"


async def begin(e: Table) -> Any:
    """A game in which it is the US's impulse; its card."""
    await e.say("Greta", 'game start lnlt "Hill 875" sides="US, VC"')
    await e.say("Anna", "game join US")
    await e.say("Ben", "game join VC")
    await e.say("Ben", 'unit add "VC Squad 1" squad VC stats="morale=12 fp=1"')
    await e.say("Anna", 'unit add "US Squad 1" squad US stats="morale=12 fp=2"')
    await e.say("Anna", "game initiative US")
    await e.rest()
    return await e.say("Anna", "game next")


async def fire(e: Table, who: str, line: str) -> Any:
    """A shot, which Slack tells the place of."""
    await e.rest()
    return await e.say(who, line)


async def hand_over(e: Table, who: str, shot: Any, says: str) -> None:
    """Press *Done* under a shot: that very message says who is next, and no other one comes."""
    before = [e.key(message) for message in e.messages()]
    await e.pressed(who, shot, "Done", says=says)
    await e.until(lambda: says in e.words(shot), f"{says} under the shot")
    assert [e.key(message) for message in e.messages()] == before
    assert {"Fire", "Pass", "Undo"} <= {*e.buttons(shot)}
    assert "Again" not in e.buttons(shot)


@on_each
async def test_done_under_a_shot_hands_over_right_there(platform: Platform, tmp_path: Path) -> None:
    async with platform(tmp_path) as e:
        card = await begin(e)
        first = await fire(e, "Anna", OURS)
        assert "Done" in e.buttons(first)
        second = await fire(e, "Anna", OURS)
        await e.until(lambda: "Done" not in e.buttons(first), "an older shot without Done")
        number = re.search(r"#\d+", e.words(second))
        assert number is not None
        assert "US to play" in await e.refused("Ben", second, "Done")
        e.calls()

        await hand_over(e, "Anna", second, f"→ VC to play, {e.shown('Ben')}")
        await e.over(card)
        assert number[0] in e.words(second)

        third = await fire(e, "Ben", THEIRS)
        await hand_over(e, "Ben", third, f"→ US to play, {e.shown('Anna')}")
        await e.until(lambda: "Fire" not in e.buttons(second), "the move under it is over")
        assert "→ VC to play" in e.words(second)
        assert e.calls() == [], "who is there is named, not called"

        undone = await e.say("Ben", "game undo")
        assert "US to play" in e.words(undone)
        await e.until(
            lambda: "→" not in e.words(third) and "Done" in e.buttons(third),
            "the shot as it was",
        )
        await e.until(lambda: "Fire" in e.buttons(second), "Ben's move again")
        await e.press("Ben", undone, "Redo")
        await e.until(lambda: "→ US to play" in e.words(third), "the hand-over brought back")

        question = await e.pressed("Ben", third, "Undo")
        (both,) = e.buttons(question)
        assert both.startswith("Undo #")
        asked = await e.press("Ben", question, both)
        await e.pressed("Anna", asked, "Agree")
        await e.struck(third)
        assert "To play: VC" in e.words(await e.alone("Ben", "game status"))


@on_each
async def test_a_hand_over_that_cannot_be_shown_under_the_shot_is_posted(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await begin(e)
        shot = await fire(e, "Anna", OURS)
        e.refuses_edits()
        await e.pressed("Anna", shot, "Done")
        card = await e.message("VC to play")
        assert "→" not in e.words(card)
        assert e.first(card).startswith("VC to play")
        assert {"Fire", "Pass"} <= {*e.buttons(card)}
        shot = await fire(e, "Ben", THEIRS)
        await e.press("Ben", shot, "Undo")


@pytest.mark.slow
@on_each
async def test_five_turns_of_ford_post_no_message_for_a_hand_over_after_a_shot(
    platform: Platform, tmp_path: Path
) -> None:
    """Each side fires twice a turn: 20 hand-overs of one tap each, none with a message of its own;
    15 passes have one, of which every third ends the phase. Nobody is pinged.
    """
    async with platform(tmp_path) as e:
        await e.say("Greta", "game start lnlt scenario=ford")
        await e.say("Anna", "game join US")
        card = await e.say("Ben", "game join VC")
        players = {"US": ("Anna", "us"), "VC": ("Ben", "vc")}
        for turn in range(1, 6):
            side = ("US", "VC")[turn % 2]
            other = ("VC", "US")[turn % 2]
            await e.say("Greta", f"game initiative {side}")
            card = await e.say("Greta", "game next")
            for number, acting in ((1, side), (1, other), (2, side), (2, other)):
                who, own = players[acting]
                _, enemy = players[other if acting == side else side]
                shot = await fire(e, who, f"lnlt fire {own}{number} {enemy}1 hand=1,6")
                e.spent()
                next_side = other if acting == side else side
                await hand_over(e, who, shot, f"→ {next_side} to play")
                assert e.spent() == (1, 0)
                card = shot
            for acting in (side, other, side):
                card = await e.press(players[acting][0], card, "Pass")
            assert "Administrative" in e.words(card)
            card = await e.say("Greta", "game next")
        assert e.calls() == []
