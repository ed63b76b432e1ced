"""`/game undo`, the board's button and the answer's on each platform: they name the last step,
or ask first.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.adapters.evening import Platform, Table, on_each

SHOT = "lnlt fire us1 vc1 hand=1,6"


async def fired_twice(e: Table) -> tuple[Any, str]:
    """Anna fires at Ben's squad a second time, which changes nothing; the answer, and its number
    with the sign.
    """
    await e.say("Anna", 'game start lnlt "Hill 875" sides="US, VC"')
    await e.say("Anna", "game join US")
    await e.say("Ben", "game join VC")
    await e.say("Ben", 'unit add "VC Squad 1" squad VC stats="morale=12 fp=1"')
    await e.say("Anna", 'unit add "US Squad 1" squad US stats="morale=5 fp=2"')
    await e.say("Anna", SHOT)
    # the answer will change, and Slack does not say where one of several quick answers is
    await e.rest()
    fired = await e.say("Anna", SHOT)
    found = re.search(r"#\d+", e.words(fired))
    assert found is not None
    return fired, found.group()


async def refuse(e: Table, asked: Any) -> None:
    """Let Ben refuse a request, and wait until it says so."""
    await e.pressed("Ben", asked, "Refuse")
    await e.until(lambda: "refuses" in e.first(asked), "the request refused")


@on_each
async def test_each_way_to_undo_names_a_shot_without_effect(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        fired, number = await fired_twice(e)
        board = await e.say("Anna", "game board", says="Log")
        for way in ("command", "board", "answer"):
            if way == "command":
                asked = await e.say("Anna", "game undo")
            else:
                asked = await e.press("Anna", board if way == "board" else fired, "Undo")
            assert f"asks to undo {number}" in e.first(asked), way
            await refuse(e, asked)


@on_each
async def test_an_older_event_is_named_privately_and_asked_about(
    platform: Platform, tmp_path: Path
) -> None:
    async with platform(tmp_path) as e:
        fired, number = await fired_twice(e)
        await e.say("Ben", "roll 1d6")
        question = await e.alone("Anna", "game undo")
        assert e.first(question).startswith(f"Undo {number}, ")
        assert "No effect on VC Squad 1" in e.first(question)
        assert e.buttons(question) == [f"Undo {number}"]
        asked = await e.press("Anna", question, f"Undo {number}")
        assert f"asks to undo {number}" in e.first(asked)
        await e.pressed("Ben", asked, "Agree")
        await e.struck(fired)
