"""What an undo passes over, what it takes back with it, and what has to be undone first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.game.events import replay
from bot.game.undo import build_undo_fields
from bot.game.undo_reach import is_in_the_way, list_written
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from tests.forging import bodies, rechained
from tests.page_script import said_by_page
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tests.seams.undo_helpers import PLACE, assert_verified, newest

SHOT = "lnlt fire attackers=us1 targets=vc1 hand=1,6"
DONE = "game pass"
THERE, ELSEWHERE = "unit edit us1 marker=+moved", "unit edit us2 marker=+moved"


async def fired(*lines: str) -> tuple[Channel, int]:
    """A game in which Anna has fired, and then typed these lines; the number of the shot."""
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    await channel.do("Anna", "game next", "game initiative US", SHOT)
    shot = (await newest(channel))["number"]
    for line in lines:
        await channel.do("Anna", line)
    return channel, shot


async def numbers_undone(channel: Channel) -> list[int]:
    return [event["event"] for event in await assert_verified(channel) if event["kind"] == "undo"]


async def agreed(channel: Channel, question: Reply) -> Reply:
    """Anna says that she means it, and Bob agrees."""
    asked = await channel.press("Anna", question.buttons[0].action)
    assert "so Bob must agree" in asked.format_text(), asked.format_text()
    return await channel.press("Bob", asked.buttons[0].action)


@pytest.mark.parametrize("lines", [(DONE,), (THERE,), (THERE, DONE)])
@pytest.mark.parametrize("how", ["button", "typed"])
async def test_ones_own_later_steps_without_dice_go_with_a_shot(
    lines: tuple[str, ...], how: str
) -> None:
    """They are named first, and one consent is enough for all. Redo brings all of it back."""
    channel, shot = await fired(*lines)
    played = await channel.content()
    later = [shot + 1 + place for place in range(len(lines))]
    question = await (
        channel.press("Anna", await channel.under(shot, "undo"))
        if how == "button"
        else channel.say("Anna", f"game undo {shot}")
    )
    assert question.private
    label = question.buttons[0].label
    assert label == " and ".join(
        f"Undo {text}"[5 * bool(place) :]
        for place, text in enumerate([", ".join(f"#{n}" for n in later[::-1]), f"#{shot}"])
    )
    undone = await agreed(channel, question)
    assert undone.title == f"{label.removeprefix('Undo ')} are undone"
    assert await numbers_undone(channel) == [*later[::-1], shot]
    game = await channel.game()
    assert game.go == ("US",)
    assert not game.units["squad 1"].marks
    back = await channel.press("Anna", undone.buttons[0].action)
    assert "so Bob must agree" in back.format_text()
    back = await channel.press("Bob", back.buttons[0].action)
    assert back.title == f"#{shot}, {', '.join(f'#{n}' for n in later)} are back".replace(
        f", #{later[-1]} are", f" and #{later[-1]} are"
    )
    assert await channel.content() == played
    await assert_verified(channel)


async def test_a_step_of_ones_own_elsewhere_stays() -> None:
    channel, shot = await fired(ELSEWHERE, "deck draw standard-52")
    asked = await channel.press("Anna", await channel.under(shot, "undo"))
    assert asked.title == f"Anna asks to undo #{shot}"
    assert not (await channel.press("Bob", asked.buttons[0].action)).error
    game = await channel.game()
    assert game.units["squad 2"].marks == {"moved"}
    assert sum(game.cards.values()) == 1
    assert await numbers_undone(channel) == [shot]


async def test_done_stays_if_the_other_side_has_acted_on_it() -> None:
    """The shot is taken back all the same, and the turn goes on."""
    channel, shot = await fired(DONE)
    await channel.do("Bob", "lnlt fire attackers=vc2 targets=us2 hand=1,6")
    asked = await channel.press("Anna", await channel.under(shot, "undo"))
    assert asked.title == f"Anna asks to undo #{shot}"
    assert not (await channel.press("Bob", asked.buttons[0].action)).error
    assert (await channel.game()).go == ("VC",)
    assert await numbers_undone(channel) == [shot]


async def test_the_done_of_another_player_stays_where_it_is() -> None:
    """Bob hands over after Anna's shot out of turn, and asks to undo that shot."""
    channel, shot = await fired()
    await channel.do("Anna", "game initiative VC", SHOT)
    late = (await newest(channel))["number"]
    await channel.do("Bob", DONE)
    asked = await channel.press("Bob", await channel.under(late, "undo"))
    assert asked.title == f"Bob asks to undo #{late}"


async def test_a_shot_of_the_other_side_elsewhere_is_no_hindrance(tmp_path: Path) -> None:
    """Out of turn, which marks a unit as fired; each can be undone, in any order."""
    channel, shot = await fired()
    await channel.do("Bob", "lnlt fire attackers=vc2 targets=us2 hand=1,6")
    theirs = (await newest(channel))["number"]
    before = (await channel.game()).units["cell 2"]
    asked = await channel.press("Anna", await channel.under(shot, "undo"))
    assert asked.title == f"Anna asks to undo #{shot}"
    assert (await channel.press("Bob", asked.buttons[0].action)).title == f"#{shot} is undone"
    assert (await channel.game()).units["cell 2"] == before
    await channel.press("Bob", await channel.under(theirs, "undo"))
    assert not (await channel.do("Anna", "game undo")).error
    assert await numbers_undone(channel) == [shot, theirs]
    [page] = said_by_page([await exported_text(channel)], tmp_path)
    assert page["faults"] == []


async def test_a_shot_that_used_the_same_unit_is_undone_first() -> None:
    """The refusal has a button that asks for that one; then the first can be undone."""
    channel, shot = await fired()
    await channel.do("Bob", "lnlt fire attackers=vc2 targets=us1 hand=1,6")
    theirs = (await newest(channel))["number"]
    refused = await channel.press("Anna", await channel.under(shot, "undo"))
    assert refused.code == "not-latest"
    assert [button.label for button in refused.buttons] == [f"Undo #{theirs}"]
    asked = await channel.press("Anna", refused.buttons[0].action)
    assert asked.title == f"Anna asks to undo #{theirs}"
    await channel.press("Bob", asked.buttons[0].action)
    asked = await channel.press("Anna", await channel.under(shot, "undo"))
    assert not (await channel.press("Bob", asked.buttons[0].action)).error
    assert await numbers_undone(channel) == [theirs, shot]


async def test_a_request_that_names_several_lapses_with_one_of_them() -> None:
    """Anna takes back her *Done* herself: what she asked for is no longer there to agree to."""
    channel, shot = await fired(DONE)
    question = await channel.press("Anna", await channel.under(shot, "undo"))
    asked = await channel.press("Anna", question.buttons[0].action)
    await channel.press("Anna", await channel.under(shot + 1, "undo"))
    late = await channel.press("Bob", asked.buttons[0].action)
    assert late.code == "not-asked" or "no open request" in late.format_text()
    assert await numbers_undone(channel) == [shot + 1]


async def test_typed_undo_names_ones_own_newer_step_beside_an_old_request() -> None:
    channel, shot = await fired()
    await channel.press("Anna", await channel.under(shot, "undo"))
    await channel.do("Bob", "unit edit vc2 marker=+moved")
    edited = (await newest(channel))["number"]
    question = await channel.say("Bob", "game undo")
    assert question.title.startswith(f"Undo #{edited}, ")
    assert question.buttons[1].label == f"Agree to undo #{shot}"


PASSED_OVER = {
    "a unit that a shot used": (
        ("Anna", SHOT),
        ("Bob", "lnlt fire attackers=vc2 targets=us1 hand=1,6"),
    ),
    "the turn in which a shot was fired": (
        ("Anna", DONE),
        ("Bob", "lnlt fire attackers=vc2 targets=us2 hand=1,6"),
    ),
    "the units that a new phase looked at": (
        ("Anna", 'unit edit us1 stats="morale=6"'),
        ("Anna", "game next"),
    ),
    "a pile from which a card was drawn": (
        ("Anna", "deck draw standard-52"),
        ("Bob", "deck draw standard-52"),
    ),
}
"""What a cheat takes back although something was built upon it: the event, and the one after it."""


@pytest.mark.parametrize("what", PASSED_OVER)
async def test_a_log_in_which_an_undo_passes_over_what_it_may_not_is_refused(what: str) -> None:
    """All hashes fit, the other side agreed, and no unit differs: only the rule is broken."""
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    await channel.do("Anna", "game next", "game initiative US")
    first, second = PASSED_OVER[what]
    await channel.do(*first)
    number = (await newest(channel))["number"]
    refused_by = await newest(channel)
    await channel.do(*second)
    log = json.loads(await exported_text(channel))
    assert check(log).faults == ()
    game = replay(log["game"], bodies(log))
    other = next(person for person in game.players if person != refused_by["who"])
    forged = {
        "number": game.number + 1,
        "at": bodies(log)[-1]["at"],
        "who": other,
        "side": game.players[other],
        "kind": "undo",
        "behind": game.last,
        "asked": refused_by["who"],
        **build_undo_fields(refused_by, game.last, game),
    }
    log["events"].append({"number": forged["number"], "hash": "", "body": forged})
    faults = check(rechained(log)).faults
    assert [fault for fault in faults if "changed the game since" in fault], faults
    refused = await channel.press("Zoe", await channel.under(number, "undo"))
    assert refused.error
    assert (await channel.game()).number == game.number


READERS: dict[str, tuple[dict[str, dict[str, Any]], dict[str, Any]]] = {
    "a unit": ({"units": {"able": {"handle": "us1"}}}, {"used": [{"name": "Able"}]}),
    "a unit that brought a value": (
        {"units": {"able": {"handle": "us1"}}},
        {"sources": [{"name": "Able"}]},
    ),
    "a track": ({"game": {"tracks": {"US/points": 2}}}, {"read": {"side": "US", "side.points": 1}}),
    "a pile": ({"cards": {"duke/play/rain": 1}}, {"read": {"deck.duke": 12}}),
    "the phase": ({"game": {"phase": "rally"}}, {}),
    "rules": ({"game": {"rules": {"fog": True}}}, {}),
}


@pytest.mark.parametrize("what", READERS)
def test_what_a_sequence_read_is_in_the_way_of_its_undo(what: str) -> None:
    """And nothing else that an event can change is."""
    read = {
        "kind": "sequence",
        "number": 3,
        "who": "b",
        "after": {"units": {}, "cards": {"x/y": 1}},
    }
    for name, (after, _) in READERS.items():
        before: dict[str, dict[str, Any]] = {
            part: dict.fromkeys(values) for part, values in after.items()
        }
        if "game" in before:
            before["game"] = {field: {} for field in before["game"]}
        written = {*list_written({"kind": "unit", "number": 2, "before": before, "after": after})}
        later = {**read, "read": {"side": "VC"}, **READERS[what][1]}
        is_of_all = name in ("the phase", "rules")
        is_alike = "unit" in name and "unit" in what
        assert is_in_the_way(later, written) == (name == what or is_of_all or is_alike), name


def test_the_choice_that_an_event_asked_for_is_in_its_way() -> None:
    written = {*list_written({"kind": "sequence", "number": 2, "asks": {"name": "way"}})}
    choice = {"kind": "choice", "number": 3, "who": "b", "event": 2}
    assert is_in_the_way(choice, written)
    assert not is_in_the_way({**choice, "event": 1}, written)


async def test_of_many_steps_that_go_along_a_few_are_named() -> None:
    """A button has 80 characters, and its name 100."""
    marks = [f"unit edit us1 marker={sign}moved" for _ in range(5) for sign in "+-"]
    channel, shot = await fired(*marks)
    question = await channel.press("Anna", await channel.under(shot, "undo"))
    assert question.buttons[0].label == f"Undo #{shot} and 10 later ones"
    assert len(question.buttons[0].action) < 60
    assert "4 more of yours will be undone too." in question.format_text()
    undone = await agreed(channel, question)
    assert undone.title == f"#{shot} and 10 later ones are undone"
    assert not (await channel.game()).units["squad 1"].marks
    await assert_verified(channel)
