"""Every kind of event on top of a shot, and undo: what is passed over, what is in the way, and what
is said of it.

`KINDS` names the kinds: a new one fails here until `TOP` says how it comes about. Left out: `start`
(it begins a log of its own), `import` (it does too, with a file; tested by itself below), `count`
(it comes before every roll), `undo` and `redo` (what they do is the subject).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from bot.game.event_kinds import KINDS
from bot.game.events import BESIDE, is_passed_over
from bot.rules.inputs.tracks import Track
from bot.rulesets.catalog import find_shared_system
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from tests.commands.choices_helpers import dare
from tests.commands.pack_helpers import add, managed
from tests.forging import rechained
from tests.fresh import fresh_app
from tests.page_script import said_by_page
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tests.seams.undo_helpers import (
    DAY,
    PLACE,
    SHOT,
    Away,
    assert_verified,
    linked,
    newest,
    stood_in,
)

pytestmark = pytest.mark.scenes(18)

Act = Callable[[Channel], Awaitable[object]]


def says(name: str, *lines: str) -> Act:
    """Somebody says these lines, each of which is answered."""
    return lambda channel: channel.do(name, *lines)


async def moved(channel: Channel) -> None:
    assert not (await channel.transfer("Anna", "902", manager=True)).error
    channel.place = Place("discord:55/902", "discord:55")


async def opened(channel: Channel) -> None:
    await channel.do("Bob", f"game reveal {min((await channel.game()).sealed)}")


async def weathered(channel: Channel) -> None:
    """Anna sets the weather, which this game has as long as she does: no built-in game has
    tracks.
    """
    lnlt = vars(find_shared_system("lnlt"))
    with patch.dict(
        lnlt, {"tracks": {"weather": Track("weather", "Weather", ("clear", "mud"), start="clear")}}
    ):
        await channel.do("Anna", "track set weather mud")


async def dared(channel: Channel) -> None:
    """An extension of the game asks Anna's side, which chooses: no built-in sequence asks."""
    assert not (await add(channel, dare("lnlt"))).error
    await managed(channel, "pack enable dare")
    await channel.do("Anna", "game settings pack=dare")
    await channel.do("Bob", "dare dare targets=squad")
    await channel.do("Anna", "choose go")


async def counted(channel: Channel) -> None:
    """The game counts."""
    await managed(channel, "setup ladder on")
    await channel.do("Anna", "result count")
    await channel.do("Bob", "result count")


async def confirmed(channel: Channel) -> None:
    await channel.do("Anna", "game end winner=US confirm")
    await channel.do("Bob", "result confirm")


async def struck(channel: Channel) -> None:
    await confirmed(channel)
    await channel.do("Anna", "result strike")
    await channel.do("Bob", "result strike")


BEFORE: dict[str, Act] = {
    "confirm": counted,
    "strike": counted,
    "reveal": says("Bob", "roll 2d6 secret"),
    "orders": says("Anna", 'order write "to H5"'),
    "leave": says("Zoe", "game join VC"),
    "privacy": says("Zoe", "roll d6"),
    "draw": says("Bob", "deck make 1..6 cup"),
    "cards": says("Bob", "deck make 1..6 cup", "deck draw cup 2"),
}
"""What has to happen before the shot, so that the kind can come after it."""
TOP: dict[str, Act] = {
    "roll": says("Zoe", "roll 1d6"),
    "table": says("Zoe", "lnlt-table hero-creation"),
    "sequence": says("Zoe", 'lnlt damage-check targets="squad morale=5" dc_mod=1'),
    "sealed": says("Zoe", "roll 2d6 secret"),
    "reveal": opened,
    "plan": says("Bob", 'game plan 9 "x"'),
    "order": says("Bob", 'order write "hold"'),
    "orders": says("Bob", 'order write "hold"'),
    "join": says("Zoe", "game join VC"),
    "leave": says("Zoe", "game leave"),
    "fair": says("Anna", "fair reveal"),
    "link": linked,
    "transfer": moved,
    "privacy": says("Zoe", "privacy delete confirm"),
    "claim": says("Zoe", "game claim"),
    "next": says("Bob", "game next"),
    "pass": says("Bob", "game pass"),
    "initiative": says("Bob", "game initiative VC"),
    "unit": says("Bob", "unit edit vc2 marker=+moved"),
    "settings": says("Anna", "game settings answers=compact"),
    "choice": dared,
    "track": weathered,
    "deck": says("Bob", "deck make 1..6 cup"),
    "draw": says("Bob", "deck draw cup"),
    "cards": says("Bob", "deck discard all cup"),
    "confirm": confirmed,
    "strike": struck,
    "end": says("Anna", "game end confirm"),
    "resume": says("Anna", "game end confirm", "game resume"),
}
OWN = {"settings", "track", "choice", "fair"}
"""Kinds of which Anna, who fired, is the author in `TOP`."""
PASSED = {*BESIDE, "roll", "table", "sequence", "reveal"}
ELSEWHERE = {
    "pass",
    "initiative",
    "unit",
    "settings",
    "choice",
    "track",
    "deck",
    "draw",
    "cards",
}
"""Kinds that changed the game, but in `TOP` nothing that the shot changed."""
ENDED = ("end", "resume", "confirm", "strike")
"""Kinds that need the end of the game."""
IN_THE_WAY = {"next"}
"""A new phase, which clears the markers of all units."""


def test_every_kind_is_tried() -> None:
    assert TOP.keys() | {"start", "import", "count", "undo", "redo"} == KINDS.keys()


async def shot_at(kind: str) -> tuple[Channel, int]:
    """A game in which Anna has fired at Bob's men, and the number of that."""
    channel = await Channel.fresh(place=PLACE)
    if kind == "claim":
        channel = await imported()
    else:
        await two_sides(channel)
    if kind in BEFORE:
        await BEFORE[kind](channel)
    await channel.do("Anna", SHOT)
    return channel, (await channel.game()).last


async def imported() -> Channel:
    """A game that was brought in, and gone on with by its players; Zoe may still claim to be one
    of its file.
    """
    there = await Channel.fresh()
    await two_sides(there)
    await there.do("Zoe", "roll d6")
    file = await exported_text(there)
    channel = Channel(await fresh_app(), PLACE)
    command = Command(("game", "import"), {"file": file}, channel.who("Anna"), PLACE, "import")
    assert not (await channel.app.run(command)).error
    await channel.do("Anna", "game claim")
    await channel.do("Bob", "game claim")
    return channel


async def kind_on_top(channel: Channel, kind: str) -> dict[str, Any]:
    """Let the kind happen; the event."""
    await TOP[kind](channel)
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    events = [row.data for row in await channel.app.store.load_events(loaded.row)]
    return next(event for event in reversed(events) if event["kind"] == kind)


@pytest.mark.slow_sample(10)
@pytest.mark.sample(6)
@pytest.mark.parametrize("kind", sorted(TOP))
async def test_undo_with_it_on_top(kind: str) -> None:
    """`/game undo` passes over it and asks first, takes it, or says that it is in the way."""
    channel, shot = await shot_at(kind)
    before = (await channel.game()).units
    event = await kind_on_top(channel, kind)
    assert is_passed_over(event) == (kind in PASSED)
    asked = await channel.say("Anna", "game undo")
    if kind in ELSEWHERE & OWN:
        assert f"#{event['number']}" in asked.title, "it is her own last step"
        asked = await channel.say("Anna", f"game undo {shot}")
    elif kind in PASSED | ELSEWHERE:
        assert asked.private
        assert asked.title.startswith(f"Undo #{shot}, ")
        assert f"#{(await newest(channel))['number']}, " in asked.format_text()
        asked = await channel.press("Anna", asked.buttons[0].action)
    if kind in PASSED | ELSEWHERE:
        assert asked.title == f"Anna asks to undo #{shot}"
        assert (
            f"Dice were rolled, so Bob{' or Zoe' if kind == 'leave' else ''} must agree"
            in asked.format_text()
        )
        assert not (await channel.press("Bob", asked.buttons[0].action)).error
        now = (await channel.game()).units
        assert now["squad 1"] != before["squad 1"]
        assert "moved" not in now["squad 1"].marks
        undone = (await assert_verified(channel))[-1]
        assert (undone["kind"], undone["event"]) == ("undo", shot)
    elif kind in IN_THE_WAY:
        assert f"#{event['number']}" in asked.format_text()
        pressed = await channel.press("Anna", await channel.under(shot, "undo"))
        assert f"#{shot}" in pressed.format_text()
    else:
        assert asked.error
    await assert_verified(channel)


@pytest.mark.slow_sample(10)
@pytest.mark.sample(6)
@pytest.mark.parametrize("kind", sorted(TOP))
async def test_an_open_request_with_it_on_top(kind: str) -> None:
    """It stays open across what it does not touch, and says what came first if something did."""
    channel, shot = await shot_at(kind)
    asked = await channel.do("Anna", "game undo")
    event = await kind_on_top(channel, kind)
    agreed = await channel.press("Bob", asked.buttons[0].action)
    if kind in PASSED | ELSEWHERE:
        assert agreed.first_line == f"#{shot} is undone · Anna asked, Bob agreed"
    elif kind in IN_THE_WAY:
        assert agreed.code == "not-asked"
        assert f"#{event['number']} came first" in agreed.format_text()
    else:
        assert agreed.error
    await assert_verified(channel)


@pytest.mark.sample(6)
@pytest.mark.parametrize("kind", sorted({*TOP} - {*ENDED}))
async def test_redo_with_it_on_top(kind: str) -> None:
    """What is passed over keeps what can be brought back; anything else empties that. Redo needs
    the same consent.
    """
    channel, shot = await shot_at(kind)
    fired = await channel.content()
    asked = await channel.do("Anna", "game undo")
    await channel.press("Bob", asked.buttons[0].action)
    event = await kind_on_top(channel, kind)
    assert (await channel.game()).redo == ((shot,) if kind in PASSED else ())
    assert event.get("keeps") == (True if kind in PASSED else None)
    back = await channel.say("Anna", "game redo")
    if kind in PASSED:
        assert "must agree" in back.format_text()
        assert (await channel.press("Bob", back.buttons[0].action)).first_line.startswith(
            f"#{shot} is back"
        )
        assert (await channel.content())["units"] == fired["units"]
        again = await channel.undo("Anna")
        assert f"undo #{shot}" in again.title, "it can be taken back once more"
        assert not (await channel.press("Bob", again.buttons[0].action)).error
    else:
        assert back.code == "nothing-to-redo"
    await assert_verified(channel)


async def test_an_import_is_a_barrier() -> None:
    channel = await imported()
    assert (await channel.say("Anna", "game undo")).error


async def test_a_button_that_names_a_roll_takes_back_that_one() -> None:
    """It changed nothing, so nothing later is in its way."""
    channel, shot = await shot_at("roll")
    await channel.do("Anna", "roll 1d6")
    roll = (await channel.game()).last
    await channel.do("Zoe", "roll 1d6")
    button = await channel.under(roll, "undo")
    asked = await channel.press("Anna", button)
    assert asked.title == f"Anna asks to undo #{roll}"
    assert not (await channel.do("Bob", "game undo")).error, "typed is as good as the button"
    assert roll in (await channel.game()).redo
    await channel.do("Anna", "game redo")
    await channel.do("Bob", "game redo", "unit edit vc2 marker=+moved")
    assert (await channel.press("Anna", button)).title == f"Anna asks to undo #{roll}"
    await assert_verified(channel)


async def test_who_joins_afterwards_agrees_to_nothing() -> None:
    """A friend who joins the other side, also in place of one who left, is no consenter by the
    log.
    """
    channel, shot = await shot_at("join")
    asked = await channel.do("Anna", "game undo")
    await channel.do("Zoe", "game join VC")
    assert (await channel.press("Zoe", asked.buttons[0].action)).code == "not-yours"
    await channel.do("Bob", "game leave")
    assert (await channel.press("Zoe", asked.buttons[0].action)).code == "not-yours"
    assert "Bob agreed" in (await channel.press("Bob", asked.buttons[0].action)).first_line
    await assert_verified(channel)


async def test_a_reason_is_true() -> None:
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    await channel.do("Anna", "game settings master=Bob")
    await channel.do("Bob", "game next")
    asked = await channel.undo("Anna")
    assert "It was Bob's action, so Bob must agree." in asked.format_text()
    assert "Dice" not in asked.format_text()


BLOCKS = {
    "a roll": ("roll 1d6",),
    "a plan": ('game plan 9 "x"',),
    "a sealed roll": ("roll 1d6 secret",),
    "an order": ('order write "hold"',),
    "a look-up": ("lnlt-table hero-creation",),
    "a friend": ("game leave", "game join VC"),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("on_slack", [False, True])
@pytest.mark.parametrize("way", BLOCKS)
async def test_an_opponent_cannot_block(way: str, on_slack: bool) -> None:
    """Six ways to sit on somebody's request, in the same channel or in a linked one on the other
    platform; it stays open, and the shot stays what undo takes. A friend who joins there agrees to
    nothing."""
    channel, shot = await shot_at("roll")
    theirs = channel
    if on_slack:
        theirs = Channel(channel.app, Place("slack:T1/C1", "slack:T1", "#games"), "slack")
        code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
        assert not (await theirs.say("Bob", f"game link {code}", manager=True)).error
    asked = await channel.undo("Anna")
    await theirs.do("Bob", *BLOCKS[way])
    assert (await channel.say("Anna", "game undo")).code == "asked-already"
    await theirs.do("Zoe", "game join VC")
    assert (await theirs.press("Zoe", asked.buttons[0].action)).code == "not-yours"
    assert (await theirs.press("Bob", asked.buttons[0].action)).first_line.startswith(
        f"#{shot} is undone"
    )
    await assert_verified(channel)


async def test_in_free_play_who_comes_later_blocks_and_agrees_to_nothing() -> None:
    channel = await Channel.fresh(place=PLACE)
    await channel.do(
        "Anna",
        "game start lnlt X",
        'unit add "Squad 1" squad morale=5 fp=2',
        'unit add "Cell 1" squad morale=5 fp=2',
    )
    await channel.do("Anna", 'lnlt fire attackers="Squad 1" targets="Cell 1" hand=1,6')
    await channel.do("Zoe", "roll d6")
    assert "is undone" in (await channel.undo("Anna")).first_line
    assert (await assert_verified(channel))[-1]["alone"] is True


@pytest.mark.parametrize("reason", ["left", "silent"])
async def test_a_manager_agrees_where_the_opponent_is_gone(reason: str, tmp_path: Path) -> None:
    channel = await stood_in(reason)
    undone, back = (await assert_verified(channel))[-2:]
    assert (undone["by"], undone["reason"], back["by"], back["reason"]) == ("manager", reason) * 2
    log = json.loads(await exported_text(channel))
    assert log["version"] == 2
    remarks = [line for line in check(log).remarks if "only the host's word" in line]
    assert len(remarks) == (2 if reason == "left" else 0)
    forged = json.loads(json.dumps(log))
    for event in forged["events"]:
        event["body"].update({"reason": "silent"} if event["body"].get("reason") == "left" else {})
    (page,) = said_by_page([json.dumps(log)], tmp_path)
    assert page["faults"] == []
    too_early = [
        line for line in check(rechained(forged)).faults if "seven days, but it was not" in line
    ]
    assert len(too_early) == (2 if reason == "left" else 0)
    assert "as manager" in (await channel.do("Anna", "log 3")).format_text()


@pytest.mark.parametrize("where", ["there", "unknown", "six days", "plays", "no manager"])
async def test_a_manager_agrees_to_nothing_else(where: str) -> None:
    away, channel, asked = await Away.fired()
    away.here["console:bob"] = {"there": True, "unknown": None}.get(
        where, where in ("plays", "no manager") and False
    )
    if where == "six days":
        away.here.clear()
        away.now += 6 * DAY
    if where == "plays":
        await channel.do("Max", "game join US")
    name = "Max"
    action = asked.buttons[0].action
    if where == "no manager":
        assert (await channel.press(name, action)).code == "not-yours"
    else:
        assert (await away.manager(channel, action, name)).code == "not-yours"


async def test_in_the_console_nobody_stands_in() -> None:
    away = Away()
    channel = Channel(await fresh_app(lambda: away.now))
    await two_sides(channel)
    await channel.do("Anna", SHOT)
    asked = await channel.do("Anna", "game undo")
    away.now += 8 * DAY
    assert (await away.manager(channel, asked.buttons[0].action)).code == "not-yours"


@pytest.mark.parametrize("home", [True, False])
async def test_in_a_linked_game_a_manager_of_its_home_decides(home: bool) -> None:
    away, channel, asked = await Away.fired()
    code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
    guest = Channel(channel.app, Place("discord:77/1", "discord:77"), "guest")
    assert not (await guest.say("Gus", f"game link {code}", manager=True)).error
    away.now += 8 * DAY
    answer = await away.manager(channel if home else guest, asked.buttons[0].action)
    assert bool(answer.error) is not home


async def test_what_was_taken_back_by_agreement_comes_back_where_nobody_else_could_agree() -> None:
    """Before anybody has joined, the master alone decides; where somebody could agree, an
    unasked redo is a fault.
    """
    channel = await Channel.fresh(place=PLACE)
    await channel.do("Anna", 'game start lnlt Board sides="US, VC"')
    await channel.do(
        "Bob", 'lnlt fire attackers="squad fp=6" targets="squad morale=5" adjacent', "game undo"
    )
    await channel.do("Anna", "game undo", "game redo")
    assert [event["kind"] for event in await assert_verified(channel)][-2:] == ["undo", "redo"]


async def test_a_unit_is_renamed_and_back() -> None:
    """Its handle stays, undo and redo know it, and all verifiers read it."""
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    was = (await channel.game()).units
    told = await channel.do("Anna", 'unit edit us1 stats="name=Rifle 9"')
    assert told.title == "Squad 1 is now Rifle 9"
    renamed = (await channel.game()).units["rifle 9"]
    assert (renamed.handle, renamed.numbers) == (was["squad 1"].handle, was["squad 1"].numbers)
    assert (await channel.say("Anna", 'unit edit us1 stats="name=Squad 2"')).error
    for several in ('name="Rifle 8" shaken', "shaken name=Rifle"):
        assert (
            await channel.say("Anna", f"unit edit us1 {several}")
        ).title == "Change the name by itself."
    await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 hand=1,6")
    asked = await channel.do("Anna", "game undo")
    await channel.press("Bob", asked.buttons[0].action)
    assert "Squad 1 is back as before." in (await channel.do("Anna", "game undo")).format_text()
    assert (await channel.game()).units == was
    await channel.do("Anna", "game redo")
    assert "rifle 9" in (await channel.game()).units
    await assert_verified(channel)
