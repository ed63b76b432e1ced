"""Messages change with what becomes of them: what was undone, brought back, opened or answered says
so where it was said.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.adapters.evening import Platform, Table, on_each

pytestmark = pytest.mark.scenes(4)

HITS = 'lnlt fire "Squad 1" "Cell 1" hand=6,1,5'
CARD_OF_US = ["Fire", "Melee", "Done", "Pass", "Next phase"]


async def duel(e: Table) -> Any:
    """Give Anna a squad of the US and Ben one of the VC. Return the message that starts the game."""
    start = await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
    await e.say("Anna", "game join US")
    await e.say("Ben", "game join VC")
    await e.say("Anna", 'unit add "Squad 1" squad US stats="morale=5 fp=2"')
    await e.say("Ben", 'unit add "Cell 1" squad VC stats="morale=4 fp=1"')
    # the next answer will change, and Slack does not say where one of several quick answers is
    await e.rest()
    return start


async def ask_to_undo_a_hit(e: Table) -> tuple[Any, Any]:
    """Return the answer to Anna's shot and her request to undo it, which calls Ben once."""
    fired = await e.say("Anna", HITS)
    await e.rest()
    request = await e.press("Anna", fired, "Undo", "asks to undo")
    assert e.called(request) == ["Ben"]
    return fired, request


@on_each
async def test_what_was_undone_is_struck_through_and_comes_back_with_its_buttons(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        rolled = await e.say("Anna", "roll 2d6 label=ambush")
        first, buttons = e.head(rolled), e.buttons(rolled)
        await e.rest()
        undone = await e.press("Anna", rolled, "Undo", "#2 is undone")
        await e.struck(rolled)
        assert "Undone in #3: " in e.words(rolled)
        await e.rest()
        await e.press("Anna", undone, "Redo", "#2 is back")
        await e.until(
            lambda: "brought back in #4" in e.words(rolled) and e.buttons(rolled) == buttons,
            "the roll as it was",
        )
        assert e.head(rolled).startswith(first)
        await e.until(
            lambda: e.first(undone).startswith("Redone in #4: ") and not e.buttons(undone),
            "the undo struck",
        )


@on_each
async def test_a_request_calls_the_other_side_once_and_becomes_its_answer(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await duel(e)
        fired, request = await ask_to_undo_a_hit(e)
        await e.pressed("Ben", request, "Agree")
        await e.until(
            lambda: "is undone" in e.first(request) and e.buttons(request) == ["Redo"],
            "the request answered",
        )
        assert f"{e.shown('Anna')} asked, {e.shown('Ben')} agreed" in e.words(request)
        await e.struck(fired)
        await e.rest()
        again = await e.press("Anna", request, "Redo", "asks to redo")
        await e.pressed("Ben", again, "Refuse")
        await e.until(
            lambda: "refuses to redo" in e.first(again) and not e.buttons(again),
            "the second request refused",
        )
        assert "Undone in #" in e.words(fired)


@on_each
async def test_only_the_card_of_the_phase_that_is_on_has_its_buttons(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        start = await duel(e)
        rally = await e.say("Anna", "game initiative US")
        await e.until(
            lambda: e.buttons(start) == ["Join US", "Join VC", "Proof"], "the start without a card"
        )
        await e.rest()
        card = await e.press("Anna", rally, "Next phase")
        assert e.buttons(card) == CARD_OF_US
        await e.over(rally)
        await e.rest()
        passed = await e.press("Anna", card, "Pass")
        await e.over(card)
        assert e.first(card).startswith("Turn 1, Operations: US goes first"), "what it said holds"
        await e.rest()
        await e.say("Anna", "game undo")
        await e.struck(passed)
        await e.until(lambda: e.buttons(card) == CARD_OF_US, "the card with its buttons again")
        await e.rest()
        await e.press("Anna", card, "Pass", "VC to play")


@on_each
async def test_a_new_game_that_was_asked_for_is_answered_once(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        await duel(e)
        request = await e.say("Ben", "game start baps Farm")
        assert e.buttons(request) == ["Start it", "Keep playing"]
        await e.pressed("Anna", request, "Keep playing")
        await e.until(
            lambda: (
                not e.buttons(request)
                and f"{e.shown('Anna')} keeps the current game: {e.strike}" in e.whole(request)
            ),
            "the request answered",
        )


@on_each
async def test_an_opened_roll_takes_the_place_of_its_seal(
    platform: Platform, tmp_path: Path
) -> None:
    """Its buttons stand once: in place of the seal, or under the answer to a typed command."""
    async with platform(tmp_path) as e:
        await e.typed("Anna", "roll 2d6 label=ambush secret hand=3,4")
        seal = await e.message("makes a sealed roll")
        assert await e.refused("Ben", seal, "Open it")
        await e.pressed("Anna", seal, "Open it")
        await e.until(
            lambda: "7 for ambush" in e.words(seal) and e.buttons(seal) == ["Again", "Undo"],
            "the seal opened",
        )


@pytest.mark.slow
@on_each
async def test_an_opponent_cannot_bury_a_shot_and_a_friend_who_joins_agrees_to_nothing(
    platform: Platform, tmp_path: Path
) -> None:
    """Five ways to block a request, and somebody who joins the other side: Ben's button alone takes
    the shot back.
    """
    async with platform(tmp_path) as e:
        await duel(e)
        fired, request = await ask_to_undo_a_hit(e)
        for line in (
            "roll 1d6",
            'game plan 9 "x"',
            "roll 1d6 secret",
            'order write "hold"',
            "lnlt-table hero-creation",
        ):
            await e.typed("Ben", line)
        await e.say("Carl", "game join VC")
        assert f"Only {e.shown('Ben')} can agree" in await e.refused("Carl", request, "Agree")
        await e.say("Ben", "game leave")
        await e.say("Ben", "game join VC")
        await e.pressed("Ben", request, "Agree")
        await e.struck(fired)
        agreed = f"{e.shown('Anna')} asked, {e.shown('Ben')} agreed"
        await e.until(lambda: agreed in e.words(request), "the request answered")
