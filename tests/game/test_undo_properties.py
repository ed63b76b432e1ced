"""A random evening with undos: the state is that of the log without what was undone, redo restores
it, and all verifiers find the log sound.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.game.events import apply_patch, find_undone_events, replay
from bot.game.state import Game, get_undoable_content
from bot.game.undo_reach import build_patch_onto
from bot.ui.reply.reply import Reply
from tests.fresh import run
from tests.game.properties_helpers import bodies
from tests.playing import Channel, two_sides
from tests.seams.undo_helpers import PLACE, assert_verified

ANNA, BOB = "Anna", "Bob"
LINES = (
    (ANNA, "lnlt fire attackers=us1 targets=vc1 adjacent"),
    (ANNA, "lnlt fire attackers=us2 targets=vc2 adjacent"),
    (ANNA, 'lnlt fire attackers=us2 targets="vc1; vc2" adjacent'),
    (BOB, "lnlt fire attackers=vc1 targets=us1 adjacent"),
    (BOB, "lnlt fire attackers=vc2 targets=us2 adjacent"),
    (ANNA, "lnlt fire attackers=us1 targets=vc2 adjacent secret"),
    (BOB, "lnlt morale-check units=vc3"),
    (ANNA, "game pass done"),
    (BOB, "game pass done"),
    (ANNA, "game pass"),
    (ANNA, "game next"),
    (ANNA, "game initiative US"),
    (ANNA, "unit edit us1 marker=+moved"),
    (ANNA, "unit edit us1 marker=-moved"),
    (BOB, "unit edit vc2 marker=+low-crawl"),
    (BOB, 'unit add "Late 1" squad VC stats="morale=4 fp=1"'),
    (BOB, "unit remove vc2"),
    (ANNA, 'game plan 9 "x"'),
    (BOB, 'game plan 8 "y"'),
    (ANNA, "deck draw standard-52"),
    (BOB, "deck draw standard-54"),
    (BOB, "roll 2d6"),
    (ANNA, "game settings answers=compact"),
    (BOB, "game leave"),
    (BOB, "game join VC"),
    (ANNA, "open"),
)
STEPS = st.lists(
    st.one_of(
        st.sampled_from(LINES),
        st.tuples(st.sampled_from((ANNA, BOB)), st.integers(1, 6)),  # undo the n-th newest event
    ),
    min_size=6,
    max_size=14,
)


def history_without(events: list[dict[str, Any]]) -> Game:
    """The game to which all events lead that are not undone, as if the others had not happened."""
    undone = find_undone_events(events)
    game = Game(events[0]["game"])
    for event in events:
        is_turn = event["kind"] in ("undo", "redo")
        if is_turn or undone & {event["number"], *event.get("opens", ())}:
            continue
        patch = build_patch_onto(game, event.get("before"), event.get("after"))
        game = apply_patch(game, patch.get("after") or {})
    return game


async def consent(channel: Channel, name: str, reply: Reply) -> Reply:
    """The answer once whoever was asked has agreed: to the question, and to the request."""
    if reply.private and reply.title.startswith("Undo #"):
        reply = await channel.press(name, reply.buttons[0].action)
    agrees = [button.action for button in reply.buttons if button.action.startswith("consent:")]
    for other in (ANNA, BOB) if agrees else ():
        agreed = await channel.press(other, agrees[0])
        if not agreed.error:
            return agreed
    return reply


async def undo(channel: Channel, name: str, back: int) -> None:
    """Undo an event; where that goes through, redo restores the state, and it is undone again."""
    before = await channel.content()
    number = (await channel.game()).number + 1 - back
    undone = await consent(channel, name, await channel.say(name, f"game undo {number}"))
    if undone.error or " undone" not in undone.title:
        assert await channel.content() == before
        return
    after = await channel.content()
    redone = await consent(channel, name, await channel.say(name, "game redo"))
    assert " back" in redone.title, redone.format_text()
    assert await channel.content() == before
    again = await consent(channel, name, await channel.say(name, f"game undo {number}"))
    assert again.title == undone.title
    assert await channel.content() == after


async def play(steps: list[tuple[str, Any]]) -> int:
    """Play an evening and check it; how many events were undone in it."""
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    await channel.do(ANNA, "game next")
    for name, step in steps:
        if isinstance(step, int):
            await undo(channel, name, step)
        elif step == "open":
            for number in list((await channel.game()).sealed)[:1]:
                await channel.say(name, f"game reveal {number}")
        else:
            await channel.meant(name, await channel.say(name, step))
    events = await bodies(channel)
    expected = get_undoable_content(history_without(events))
    assert await channel.content() == expected
    assert get_undoable_content(replay(events[0]["game"], events)) == expected
    await assert_verified(channel)
    return sum(event["kind"] == "undo" for event in events)


@settings(max_examples=6)
@given(STEPS)
def test_the_state_is_that_of_the_log_without_what_was_undone(
    steps: list[tuple[str, Any]],
) -> None:
    run(play(steps))


@pytest.mark.slow
@settings(max_examples=100)
@given(STEPS)
def test_it_is_so_in_many_evenings(steps: list[tuple[str, Any]]) -> None:
    run(play(steps))
