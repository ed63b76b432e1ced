"""No step of another player is taken back without their consent, and the log shows why if it was:
`grognard verify` names every undo that play would have refused.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from tests.forging import Json, bodies, copied, rechained
from tests.fresh import fresh_app
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tests.seams.last_step_helpers import OWN_STEPS, asked_first, newest, table
from tests.seams.undo_helpers import DAY, PLACE, SHOT, Away, assert_verified

WITH_DICE = ("sealed", "draw", "cards", "sequence")
FREE_STEPS = [kind for kind in OWN_STEPS if kind not in WITH_DICE]
"""Kinds of events that whoever caused them takes back without asking."""


async def export_log(channel: Channel) -> Json:
    log: Json = json.loads(await exported_text(channel))
    return log


def find_faults(log: Json, **fields: Any) -> str:
    """Return what `grognard verify` says if the last undo of the log had these fields, too.

    A field that is None is left out.
    """
    forged = copied(log)
    undo = bodies(forged, "undo")[-1]
    undo.update(fields)
    for name in [name for name, value in undo.items() if value is None]:
        del undo[name]
    return "\n".join(check(rechained(forged)).faults)


@pytest.mark.parametrize("kind", FREE_STEPS)
async def test_an_undo_of_anothers_step_that_nobody_agreed_to_is_named(kind: str) -> None:
    """Of each kind of step without dice: Anna takes hers back, and the log says that Bob did."""
    channel = await table()
    await channel.do("Anna", *OWN_STEPS[kind])
    assert "is undone" in (await channel.do("Anna", "game undo")).title
    log = await export_log(channel)
    assert check(log).faults == ()
    anna = bodies(log, "undo")[-1]["who"]
    players = (await channel.game()).players
    [bob] = players.keys() - {anna}
    by_bob = {"who": bob, "side": players[bob]}
    assert "that player did not agree" in find_faults(log, **by_bob)
    assert "that player did not agree" in find_faults(log, **by_bob, by="manager")
    assert find_faults(log, **by_bob, alone=True)
    assert find_faults(log, **by_bob, asked=bob)
    assert find_faults(log, **by_bob, asked=bob, by="manager", reason="silent")
    assert "no manager was needed" in find_faults(log, by="manager")
    assert find_faults(log, reason="silent")


@pytest.mark.parametrize("line", ["unit edit us2 marker=+moved", SHOT])
async def test_a_player_of_the_same_side_does_not_agree_in_anothers_place(line: str) -> None:
    """Cid asks Anna, who plays for his side. No one else can say yes, and `alone` is not true."""
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    await channel.do("Bob", "game leave")
    await channel.do("Cid", "game join US")
    await channel.do("Eve", "game join US")
    await channel.do("Anna", line)
    number = (await newest(channel))["number"]
    question = await asked_first(channel, "Cid", number)
    asked = await channel.press("Cid", question.buttons[0].action)
    await channel.press("Anna", asked.buttons[0].action)
    log = await export_log(channel)
    assert check(log).faults == ()
    cid = bodies(log, "undo")[-1]["asked"]
    eve = bodies(log, "join")[-1]["who"]
    assert "had no say" in find_faults(log, who=eve)
    by_cid = {"who": cid, "asked": None}
    assert "was there and did not agree" in find_faults(log, **by_cid, alone=True)
    assert "was not" in find_faults(log, **by_cid, alone=True, reason="silent")


@pytest.mark.parametrize("reason", ["left", "silent"])
async def test_the_log_says_why_a_player_who_is_gone_was_not_asked(reason: str) -> None:
    away = Away()
    channel = Channel(await fresh_app(lambda: away.now), PLACE)
    channel.app.executor.members["console"] = away.is_member
    await two_sides(channel)
    await channel.do("Bob", "game leave")
    await channel.do("Anna", "unit edit us2 marker=+moved")
    number = (await newest(channel))["number"]
    if reason == "left":
        away.here["console:anna"] = False
    else:
        away.now += 7 * DAY + 60
    await channel.do("Cid", "game join US")
    question = await channel.do("Cid", "game undo")
    undone = await channel.press("Cid", question.buttons[0].action)
    assert undone.title == f"#{number} is undone"
    event = (await assert_verified(channel))[-1]
    assert (event["alone"], event["reason"]) == (True, reason)
    log = await export_log(channel)
    remarks = [line for line in check(log).remarks if "only the host's word" in line]
    assert len(remarks) == (reason == "left")
    assert "was there and did not agree" in find_faults(log, reason=None)
    assert bool(find_faults(log, reason="silent")) is (reason == "left")


async def test_a_manager_who_undoes_anothers_step_says_so_in_the_log() -> None:
    """Max manages the server and plays no side, so he may, as a game master may."""
    channel = await table()
    number = (await newest(channel))["number"]
    question = await channel.say("Max", "game undo", manager=True)
    assert question.title.startswith(f"Undo #{number}, ")
    undone = await channel.app.press(
        question.buttons[0].action, channel.who("Max", manager=True), channel.place, "max"
    )
    assert undone.title == f"#{number} is undone"
    assert "Max as manager" in undone.first_line
    assert (await assert_verified(channel))[-1]["by"] == "manager"
    log = await export_log(channel)
    assert [line for line in check(log).remarks if "only the host's word" in line]
    assert "that player did not agree" in find_faults(log, by=None)
    assert "as manager" in (await channel.do("Anna", "log 3")).format_text()


# --- A bare Undo of somebody who was asked to agree


async def ask_bob(channel: Channel) -> int:
    """Anna fires, and asks Bob to let her take the shot back. Return its number."""
    await channel.do("Anna", SHOT)
    shot: int = (await newest(channel))["number"]
    asked = await channel.do("Anna", "game undo")
    assert asked.title == f"Anna asks to undo #{shot}"
    return shot


async def assert_named_first(channel: Channel, shot: int) -> Reply:
    """Bob's bare Undo takes nothing back: it names what Anna asks for."""
    before = (await channel.game()).number
    question = await channel.say("Bob", "game undo")
    assert question.private
    assert f"Anna asks to undo #{shot}, " in question.format_text()
    assert f"Press Agree or type /game undo {shot}." in question.format_text()
    assert (await channel.game()).number == before
    return question


async def test_a_bare_undo_agrees_at_once_to_what_was_just_asked() -> None:
    channel = await table()
    shot = await ask_bob(channel)
    await channel.do("Bob", "roll 2d6")
    assert (await channel.do("Bob", "game undo")).title == f"#{shot} is undone"
    await assert_verified(channel)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Anna", "unit edit us2 marker=+moved"),
        ("Cid", 'lnlt damage-check targets="squad morale=5" dc_mod=1'),
        ("Bob", "unit edit vc2 marker=+moved"),
        ("Bob", 'lnlt damage-check targets="squad morale=5" dc_mod=1'),
    ],
)
async def test_a_bare_undo_names_the_request_if_a_step_came_since(name: str, line: str) -> None:
    channel = await table()
    await channel.do("Cid", "game join VC")
    shot = await ask_bob(channel)
    await channel.do(name, line)
    question = await assert_named_first(channel, shot)
    [agree] = [button for button in question.buttons if button.label == f"Agree to undo #{shot}"]
    assert (await channel.press("Bob", agree.action)).title == f"#{shot} is undone"
    await assert_verified(channel)


async def test_a_bare_undo_names_a_request_that_has_been_open_for_long() -> None:
    away, channel, _ = await Away.fired()
    shot = (await newest(channel))["number"]
    away.now += DAY
    question = await assert_named_first(channel, shot)
    own = "Undo #5"
    assert "Your last step is #5, " in question.format_text()
    assert [button.label for button in question.buttons] == [f"Agree to undo #{shot}", own]
    agreed = await channel.press("Bob", question.buttons[0].action)
    assert agreed.title == f"#{shot} is undone"
    await assert_verified(channel)


async def test_who_has_no_step_of_their_own_is_asked_to_agree_or_refuse() -> None:
    channel = await table()
    await channel.do("Max", "roll 2d6")
    await channel.do("Anna", "game settings master=Max")
    shot = await ask_bob(channel)
    await channel.do("Anna", "unit edit us2 marker=+low-crawl")
    question = await channel.say("Max", "game undo")
    assert question.title.startswith(f"Anna asks to undo #{shot}, ")
    assert [button.label for button in question.buttons] == [f"Agree to undo #{shot}", "Refuse"]
    refused = await channel.press("Max", question.buttons[1].action)
    assert refused.title == f"Max refuses to undo #{shot}"


async def test_an_undo_with_its_number_agrees_whatever_came_since() -> None:
    away, channel, _ = await Away.fired()
    shot = (await newest(channel))["number"]
    away.now += DAY
    assert (await channel.do("Bob", f"game undo {shot}")).title == f"#{shot} is undone"
    await assert_verified(channel)
