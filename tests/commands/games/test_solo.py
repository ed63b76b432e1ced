"""Scenarios that play themselves: started in two words, played to the end, and proved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from bot.commands.solo.order_questions import Question
from bot.commands.solo.self_play import build_question
from bot.game.self_play import find_self_played_side, is_order
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.play_once import count_odds
from bot.ui.reply.reply import Button, Reply
from bot.verification.check_file import check
from tests.commands.games.solo_helpers import list_answers, list_bodies, list_faults
from tests.forging import Json, bodies, rechained
from tests.playing import Channel
from tests.random_play import exported_text

pytestmark = pytest.mark.scenes(6)


async def start_operations(channel: Channel) -> Reply:
    """Start the ford alone, and go on to the first phase in which the sides take turns."""
    await channel.do("Anna", "solo lnlt")
    return await channel.do("Anna", "game initiative US", "game next")


async def test_two_words_start_a_fight_against_the_table() -> None:
    channel = await Channel.fresh()
    listed = await channel.do("Anna", "solo")
    assert [button.label for button in listed.buttons] == ["The Ford, Alone"]
    reply = await channel.press("Anna", listed.buttons[0].action)
    game = await channel.game()
    assert (game.name, game.self_played) == ("The Ford, Alone", ("VC",))
    assert [*game.players.values()] == ["US"]
    assert game.go == ("US",), "VC has nothing to wait for where both sides play"
    assert not any(button.label.startswith("Join") for button in reply.buttons)
    await channel.refused("Anna", "solo asl", "bad-value system")


async def test_a_solo_game_in_place_of_another_seats_who_asked_for_it() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt scenario=ford")
    asked = await channel.do("Bob", "solo lnlt")
    card = await channel.press("Anna", asked.buttons[0].action)
    assert "You play US; VC plays itself, by a table of orders." in card.format_text()
    assert not any(button.label.startswith("Join") for button in card.buttons)
    assert [*(await channel.game()).players.values()] == ["US"]
    assert not (await channel.do("Bob", "game initiative US")).error


async def test_handing_over_lets_the_side_act_in_the_same_answer() -> None:
    channel = await Channel.fresh()
    await start_operations(channel)
    before = (await channel.game()).number
    reply = await channel.do("Anna", "game pass")
    game = await channel.game()
    events = (await list_bodies(channel))[before:]
    assert [body["kind"] for body in events][:2] == ["pass", "sequence"]
    assert all(body.get("plays") and body["side"] == "VC" for body in events[1:])
    if list_answers(reply):
        assert find_self_played_side(game) == "VC"
    else:
        assert game.go == ("US",), "an order without a question is carried out at once"
    assert await list_faults(channel) == []


async def play_to_a_question(channel: Channel, nobody: str = "Nobody in sight") -> Reply:
    """Pass until a unit of the other side asks whom it sees."""
    reply = await start_operations(channel)
    for _ in range(60):
        if nobody in list_answers(reply):
            return reply
        others = [
            action
            for label, action in list_answers(reply).items()
            if label.startswith(("Nobody", "No vehicle"))
        ]
        reply = await (
            channel.press("Anna", others[0]) if others else channel.do("Anna", "game pass")
        )
        if not others and (await channel.game()).phase != "operations":
            reply = await channel.do("Anna", "game next")
    raise AssertionError("no unit has asked whom it sees")


async def test_an_answer_leads_to_a_shot_that_is_marked_and_undone() -> None:
    channel = await Channel.fresh()
    reply = await play_to_a_question(channel)
    assert "Track" not in list_answers(reply), "small arms are not asked about a vehicle"
    more = await channel.press("Anna", list_answers(reply)["Rifle 1"])
    how = await channel.press("Anna", list_answers(more)["Nobody"])
    assert "Cover +1" in list_answers(how)
    shot = await channel.press("Anna", list_answers(how)["Cover +1"])
    assert "by the table" in shot.by
    fired = next(
        body for body in reversed(await list_bodies(channel)) if body["kind"] == "sequence"
    )
    assert (fired["target"], fired["side"], fired["plays"]) == ("fire", "VC", True)
    assert (fired["inputs"]["targets"], fired["inputs"]["tm"]) == ("Rifle 1", 1)
    old = await channel.press("Anna", list_answers(how)["Cover +1"])
    assert old.code == "phase-over", "an order is carried out once"
    assert "by the table" in (await channel.do("Anna", "log 4")).format_text()
    undo = next(button for button in shot.buttons if button.label == "Undo")
    undone = await channel.press("Anna", undo.action)
    assert not undone.error, undone.format_text()
    assert await list_faults(channel) == []


async def test_status_names_the_question_of_an_order_until_it_is_answered() -> None:
    """A question that was answered in part is asked again from its beginning."""
    channel = await Channel.fresh()
    reply = await play_to_a_question(channel)
    answers = list_answers(reply)
    more = await channel.press("Anna", answers["Rifle 1"])
    assert "Nobody" in list_answers(more)
    status = await channel.do("Anna", "game status")
    assert f"Waiting for you: {reply.title}" in status.lines
    assert list_answers(status) == answers
    assert not list_answers(await channel.do("Zoe", "game status")), "she plays no side"
    await channel.press("Anna", list_answers(status)["Nobody in sight"])
    status = await channel.do("Anna", "game status")
    assert not {*list_answers(status).values()} & {*answers.values()}


def test_many_enemies_are_menus_that_fit_a_message() -> None:
    """Discord has room for 25 buttons, and for 25 entries of a menu."""
    choices = (*((f"us{index}", f"Squad {index}") for index in range(1, 41)), ("-", "Nobody"))
    context: Any = SimpleNamespace(build_button=lambda _name, label, *_about: Button("x", label))
    rule = {"says": "{} fires"}
    reply = build_question(context, 5, "Local 1", rule, Question("Who?", choices), ())
    assert [button.label for button in reply.buttons] == ["Nobody"]
    assert [len(menu.entries) for menu in reply.menus] == [25, 15]
    few = build_question(context, 5, "Local 1", rule, Question("Who?", choices[-4:]), ())
    assert (len(few.buttons), few.menus) == (4, ())


def test_a_sequence_that_waits_for_a_choice_is_no_order() -> None:
    """Its event has no outputs yet."""
    assert not is_order({"kind": "sequence", "asks": {"side": "US"}})
    assert not is_order({"kind": "pass"})
    assert is_order({"kind": "sequence", "out": {"order": "hold", "chosen": 1}})


async def test_nobody_in_sight_falls_to_the_next_order() -> None:
    channel = await Channel.fresh()
    reply = await play_to_a_question(channel)
    before = (await channel.game()).number
    await channel.press("Anna", list_answers(reply)["Nobody in sight"])
    carried_out = (await list_bodies(channel))[before]
    assert carried_out["kind"] == "unit"
    assert carried_out["order"] in ("advance", "hold")
    assert await list_faults(channel) == []


async def test_a_side_that_plays_itself_is_taken_over_only_on_purpose() -> None:
    channel = await Channel.fresh()
    await start_operations(channel)
    refused = await channel.refused("Ben", "game join VC", "plays-itself")
    assert [button.label for button in refused.buttons] == ["Take over VC"]
    assert "plays itself" in (await channel.do("Ben", "game status")).format_text()
    await channel.press("Ben", refused.buttons[0].action)
    game = await channel.game()
    assert game.self_played == ()
    assert sorted(game.players.values()) == ["US", "VC"]
    reply = await channel.do("Anna", "game pass")
    assert not list_answers(reply), "now Ben plays VC"
    assert await list_faults(channel) == []


async def test_after_an_undo_the_side_waits_for_its_button() -> None:
    channel = await Channel.fresh()
    await play_to_a_question(channel)
    undone = await channel.undo("Anna")
    labels = [button.label for button in undone.buttons]
    assert not undone.error
    assert "VC acts" in labels or (await channel.game()).go == ("US",)
    if "VC acts" in labels:
        acts = next(button for button in undone.buttons if button.label == "VC acts")
        assert not (await channel.press("Anna", acts.action)).error
    assert await list_faults(channel) == []


def act_for_another_side(log: Json, fired: Json) -> None:
    fired["side"] = "US"


def act_with_an_enemy(log: Json, fired: Json) -> None:
    fired["acting"] = [unit["name"] for unit in fired["used"] if unit["side"] == "US"]


def hide_the_table(log: Json, fired: Json) -> None:
    del fired["plays"]


def play_for_a_side_of_players(log: Json, fired: Json) -> None:
    start = bodies(log, "start")[0]
    del start["after"]["game"]["self_played"]
    del start["before"]["game"]["self_played"]


def write_another_row(log: Json, fired: Json) -> None:
    order = bodies(log)[bodies(log).index(fired) - 1]
    order["out"]["order"] = "hold"
    fired["order"] = "hold"


@pytest.mark.parametrize(
    ("forge", "words"),
    [
        (act_for_another_side, "play"),
        (act_with_an_enemy, "play"),
        (hide_the_table, "play"),
        (play_for_a_side_of_players, "play"),
        (write_another_row, "lead to a different outcome"),
    ],
)
async def test_a_forged_act_of_the_table_is_named(
    forge: Callable[[Json, Json], None], words: str
) -> None:
    """An act of a side that does not play itself, or with another side's unit, is found."""
    channel = await Channel.fresh()
    reply = await play_to_a_question(channel)
    more = await channel.press("Anna", list_answers(reply)["Rifle 1"])
    how = await channel.press("Anna", list_answers(more)["Nobody"])
    await channel.press("Anna", list_answers(how)["In the open"])
    await channel.do("Anna", "fair reveal")
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    fired = next(body for body in reversed(bodies(log)) if body.get("target") == "fire")
    forge(log, fired)
    assert any(words in fault for fault in check(rechained(log)).faults)


def test_the_odds_of_the_orders_are_those_of_a_count_by_hand() -> None:
    """d10 on the table: a bold squad closes in on 1-2, fires on 3-8, and advances on 9-10."""
    system = find_shared_system("lnlt")
    sequence = system.sequences["give-order"]
    by_nerve = {
        "squad": {"close-in": 2, "shoot": 6, "advance": 2},
        "half-squad": {"shoot": 2, "fire-or-hold": 5, "crawl": 1, "fall-back": 2},
        "squad shaken": {"fall-back": 6, "hold": 4},
        "leader": {"lead": 8, "join": 2},
        "medic": {"tend": 8, "hold": 2},
    }
    for unit, counts in by_nerve.items():
        odds = count_odds(sequence, {"units": unit})
        assert odds == {order: Fraction(count, 10) for order, count in counts.items()}
    together = Counter[str]()
    for counts in by_nerve.values():
        together.update(counts)
    odds = count_odds(sequence, {"units": "; ".join(by_nerve)})
    assert odds == {order: Fraction(count, 50) for order, count in together.items()}
