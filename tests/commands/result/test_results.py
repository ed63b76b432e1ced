"""Games that count: agreed before the first roll, confirmed by the opponent, struck if wrong."""

from __future__ import annotations

import json

import pytest

from bot.commands.games.end import END
from bot.commands.games.result.result_docs import RESULT_OF
from bot.commands.ladder.ladder_docs import PLAYED
from bot.storage.base import DAY
from bot.ui.spec import Command, Person
from tests.commands.result_helpers import ANNA, BEN, CORA, GAME, HALL, ROOM, VERA, Server


@pytest.fixture
async def server() -> Server:
    return await Server.fresh()


# Agreed before the first roll


async def test_both_players_agree_before_the_first_roll(server: Server) -> None:
    await server.start(counts=False)
    asked = await server.do(ANNA, "result count")
    assert asked.title == 'Anna asks to let "Hill 875" count'
    assert asked.mention == (BEN.key,)
    own = await server.press(ANNA, asked, "Agree")
    assert own.code == "not-yours"
    stranger = await server.press(CORA, asked, "Agree")
    assert stranger.code == "not-player"
    agreed = await server.press(BEN, asked, "Agree")
    assert agreed.title == '"Hill 875" counts: Anna v Ben'
    assert (await server.press(BEN, asked, "Agree")).code == "not-asked"
    assert (await server.say(BEN, "result count")).code == "no-change"
    assert "It counts: Anna v Ben" in (await server.do(CORA, "game status")).format_text()
    assert (await server.played(BEN))["state"] == "counting"
    await server.log()


async def test_typing_agrees_as_well(server: Server) -> None:
    await server.start(counts=False)
    await server.do(BEN, "result count")
    assert (await server.do(ANNA, "result count")).title == '"Hill 875" counts: Ben v Anna'
    await server.log()


async def test_an_opponent_says_no(server: Server) -> None:
    await server.start(counts=False)
    asked = await server.do(ANNA, "result count")
    assert (await server.press(BEN, asked, "No")).title == '"Hill 875" does not count'
    assert (await server.press(BEN, asked, "Agree")).code == "not-asked"


async def test_after_the_first_roll_it_is_too_late(server: Server) -> None:
    await server.start(counts=False)
    asked = await server.do(ANNA, "result count")
    await server.do(BEN, "roll 1d6 hand=6")
    late = await server.press(BEN, asked, "Agree")
    assert (late.code, late.title) == ("not-countable", "It is too late: the first roll was #4.")
    await server.do(BEN, "game undo")
    assert (await server.say(ANNA, "result count")).code == "not-countable"


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (("game start lnlt Solitaire",), "not-countable"),
        (('game start lnlt Three sides="A, B, C"', "game join A"), "not-countable"),
        (("solo lnlt",), "not-countable"),
        ((GAME, "game join US"), "nobody"),
        ((GAME,), "not-player"),
    ],
)
async def test_what_cannot_count(server: Server, lines: tuple[str, ...], code: str) -> None:
    for line in lines:
        await server.do(ANNA, line)
    reply = await server.say(ANNA, "result count")
    assert (reply.error, reply.code) == (True, code), reply.format_text()


async def test_a_server_without_a_ladder_sees_none_of_it() -> None:
    server = await Server.fresh(ladder=False)
    await server.start(counts=False)
    refused = await server.say(ANNA, "result count")
    assert refused.code == "no-ladder"
    assert "/setup ladder on" in refused.format_text()
    summary = await server.end()
    assert "Confirm" not in [button.label for button in summary.buttons]
    assert (await server.say(ANNA, "setup ladder on")).code == "not-manager"
    assert (await server.say(VERA, "setup ladder off")).code == "no-change"


# Confirmed


async def test_the_opponent_confirms_what_the_game_master_ended(server: Server) -> None:
    await server.start()
    summary = await server.end()
    assert summary.mention == (BEN.key,)
    assert "Ben has to confirm the result." in summary.format_text()
    assert (await server.press(ANNA, summary, "Confirm")).code == "not-yours"
    assert (await server.press(CORA, summary, "Confirm")).code == "not-manager"
    assert (await server.played(ANNA))["state"] == "waits"
    assert "Waiting for you" not in (await server.do(ANNA, "game status")).format_text()
    status = await server.do(BEN, "game status")
    assert "Waiting for you: confirm the result: US won" in status.format_text()
    confirmed = await server.press(BEN, status, "Confirm")
    assert confirmed.title == "Ben confirms: US won"
    assert "Waiting for you" not in (await server.do(BEN, "game status")).format_text()
    assert "Anna (US) v Ben (VC)" in confirmed.format_text()
    assert (await server.press(BEN, summary, "Confirm")).code == "no-change"
    (result,) = await server.results()
    assert [(seat.name, seat.side) for seat in result.seats] == [("Anna", "US"), ("Ben", "VC")]
    assert (result.winner, result.by_manager, result.series) == (0, False, "")
    log = await server.log()
    confirm = log["events"][result.confirmed - 1]
    assert (confirm["body"]["kind"], confirm["hash"]) == ("confirm", result.head)
    assert confirm["body"]["event"] == result.ended
    assert log["events"][0]["body"]["secret"]["commitment"] == result.commitment
    won, lost = await server.played(ANNA), await server.played(BEN)
    assert (won["outcome"], lost["outcome"]) == ("won", "lost")
    assert (won["opponent"], won["month"]) == ("Ben", "2027-01")


async def test_who_ends_together_has_confirmed_it(server: Server) -> None:
    await server.start()
    await server.do(BEN, "roll 2d6")
    asked = (await server.do(BEN, "game end winner=VC confirm")).announce
    assert asked is not None
    summary = await server.press(ANNA, asked, "Agree")
    # Anna is the game master and plays: her agreement is that of both players.
    assert "The result is confirmed." in summary.format_text()
    assert "Confirm" not in [button.label for button in summary.buttons]
    (result,) = await server.results()
    assert result.winner == 1
    last = (await server.log())["events"][-1]["body"]
    assert (last["kind"], last["event"]) == ("confirm", last["number"] - 1)


@pytest.mark.parametrize("way", ["typed", "asked", "seed"])
async def test_a_game_master_agrees_by_ending_it_with_the_same_winner(
    server: Server, way: str
) -> None:
    await server.start()
    await server.do(BEN, "roll 2d6")
    asked = (await server.do(BEN, "game end winner=VC text='Well played.' confirm")).announce
    assert asked is not None
    assert "Anna, the game master, must agree." in asked.format_text()
    assert asked.format_text().count("Anna") == 1
    if way == "typed":
        summary = (await server.do(ANNA, "game end winner=VC confirm")).announce
    elif way == "asked":
        summary = await server.press(ANNA, await server.do(ANNA, "game end"), "VC won")
    else:
        question = await server.do(ANNA, "game end winner=VC reveal")
        summary = await server.press(ANNA, question, "VC won")
    assert summary is not None
    text = summary.format_text()
    assert "Ben and Anna agree." in text
    assert "Well played." in text
    assert "The result is confirmed." in text
    assert ("Seed 1:" in text) == (way == "seed")
    assert len(await server.results()) == 1
    assert await server.app.store.load_docs(END) == ()
    await server.log()


async def test_a_game_master_who_names_another_winner_does_not_agree(server: Server) -> None:
    await server.start()
    await server.do(BEN, "roll 2d6")
    await server.do(BEN, "game end winner=VC confirm")
    summary = (await server.do(ANNA, "game end winner=US confirm")).announce
    assert summary is not None
    assert "Ben has to confirm the result." in summary.format_text()


async def test_a_game_without_a_winner_has_no_result(server: Server) -> None:
    await server.start()
    summary = (await server.do(ANNA, "game end confirm")).announce
    assert summary is not None
    assert "has no winner yet" in summary.format_text()
    refused = await server.say(BEN, "result confirm")
    assert (refused.code, refused.title) == ("no-result", "The game ended without a winner.")
    await server.do(BEN, "game resume")
    assert (await server.played(BEN))["state"] == "counting"
    assert (await server.say(BEN, "result confirm")).title == "The game has not ended."
    summary = await server.end("draw")
    assert (await server.press(BEN, summary, "Confirm")).title == "Ben confirms: a draw"
    (result,) = await server.results()
    assert result.winner is None
    assert (await server.played(BEN))["outcome"] == "draw"
    await server.log()


async def test_a_manager_confirms_after_seven_days_with_a_reason(server: Server) -> None:
    await server.start()
    await server.end()
    early = await server.say(VERA, "result confirm reason=Gone")
    assert (early.code, early.title) == (
        "no-result",
        "The opponent has 7 days left to confirm it; after that you can.",
    )
    server.now += 7 * DAY
    assert (await server.say(VERA, "result confirm")).option == "reason"
    done = await server.do(VERA, 'result confirm reason="Ben is gone."')
    assert done.title == "Vera confirms: US won"
    assert "by a manager: Ben is gone." in done.format_text()
    (result,) = await server.results()
    assert result.by_manager
    log = await server.log()
    assert log["events"][result.confirmed - 1]["body"]["by"] == "manager"
    assert "Ben is gone." in [text["text"] for text in log["texts"]]


async def test_a_manager_who_played_decides_nothing(server: Server) -> None:
    await server.start()
    await server.do(VERA, "game join US")
    await server.do(VERA, "game leave")
    await server.end()
    server.now += 7 * DAY
    assert (await server.say(VERA, "result confirm reason=x")).code == "not-yours"
    boss = Person(ANNA.key, "Anna", manager=True)
    assert (await server.say(boss, "result confirm reason=x")).code == "not-yours"
    assert await server.results() == []


async def test_an_earlier_game_of_the_channel_is_confirmed(server: Server) -> None:
    await server.start()
    summary = await server.end()
    await server.do(ANNA, 'game start lnlt "Next" sides="US, VC"')
    assert (await server.say(BEN, "result confirm")).code == "not-counted"
    assert (await server.press(BEN, summary, "Confirm")).title == "Ben confirms: US won"
    assert len(await server.results()) == 1


async def test_later_players_do_not_change_whose_game_it_is(server: Server) -> None:
    await server.start()
    await server.do(CORA, "game join VC")
    summary = await server.end()
    assert (await server.press(CORA, summary, "Confirm")).error
    assert not (await server.press(BEN, summary, "Confirm")).error
    (result,) = await server.results()
    assert [seat.name for seat in result.seats] == ["Anna", "Ben"]


async def test_who_leaves_before_the_end_keeps_their_side(server: Server) -> None:
    await server.start()
    await server.do(BEN, "roll 2d6")
    await server.do(BEN, "game leave")
    summary = await server.end()
    assert not (await server.press(BEN, summary, "Confirm")).error
    (result,) = await server.results()
    assert result.seats[1].side == "VC"
    await server.log()


# Struck


async def test_both_strike_a_wrong_result_and_confirm_another(server: Server) -> None:
    await server.start()
    await server.press(BEN, await server.end(), "Confirm")
    assert (await server.say(ANNA, "game resume")).code == "no-result"
    asked = await server.do(BEN, "result strike")
    assert asked.mention == (ANNA.key,)
    assert (await server.press(BEN, asked, "Agree")).code == "not-yours"
    assert (await server.press(CORA, asked, "Agree")).code == "not-yours"
    struck = await server.press(ANNA, asked, "Agree")
    assert struck.title == 'The result of "Hill 875" is struck'
    assert await server.results() == []
    assert not await server.app.store.load_docs(RESULT_OF)
    assert (await server.played(ANNA))["state"] == "waits"
    await server.do(ANNA, "game resume")
    summary = await server.end("VC")
    assert not (await server.press(BEN, summary, "Confirm")).error
    (result,) = await server.results()
    assert result.winner == 1
    await server.log()


async def test_a_manager_strikes_with_a_reason(server: Server) -> None:
    await server.start()
    await server.press(BEN, await server.end(), "Confirm")
    assert (await server.say(CORA, "result strike")).code == "not-manager"
    assert (await server.say(VERA, "result strike")).option == "reason"
    struck = await server.do(VERA, 'result strike reason="Played on the wrong map."')
    assert "Reason: Played on the wrong map." in struck.format_text()
    assert await server.results() == []
    assert (await server.say(VERA, "result strike reason=x")).code == "no-result"
    await server.log()


async def test_a_result_stands_if_the_opponent_says_so(server: Server) -> None:
    await server.start()
    await server.press(BEN, await server.end(), "Confirm")
    asked = await server.do(BEN, "result strike")
    assert (await server.press(ANNA, asked, "Keep it")).title.endswith("is kept")
    assert (await server.press(ANNA, asked, "Agree")).code == "not-asked"
    assert len(await server.results()) == 1


async def test_undo_takes_back_none_of_it(server: Server) -> None:
    await server.start()
    for who in (ANNA, BEN):
        assert (await server.say(who, "game undo")).error
    await server.press(BEN, await server.end(), "Confirm")
    assert (await server.say(BEN, "game undo")).error
    assert len(await server.results()) == 1


# Erased, deleted, imported


async def test_who_deletes_their_data_stays_in_results_without_a_name(server: Server) -> None:
    for where in (HALL, ROOM):
        await server.start(where=where)
        await server.press(BEN, await server.end(where=where), "Confirm", where)
    shown = await server.do(ANNA, "privacy show")
    assert "Your games that count, with opponent and outcome: 2." in shown.format_text()
    exported = json.loads((await server.do(ANNA, "privacy export")).files[0].content)
    kinds = [doc["kind"] for doc in exported["documents"]]
    assert kinds.count(PLAYED) == 2
    await server.do(ANNA, "privacy delete confirm")
    first, second = await server.results()
    assert first.seats[0].player == second.seats[0].player
    assert first.seats[0].player != ANNA.key
    assert {first.seats[0].name, second.seats[0].name} == {"a former player"}
    assert first.seats[1].player == BEN.key
    assert not await server.app.store.load_docs(PLAYED, ANNA.key)
    for doc in await server.app.store.load_docs(PLAYED, BEN.key):
        assert "Anna" not in json.dumps(doc.data)
        assert ANNA.key not in json.dumps(doc.data)


async def test_a_player_who_deleted_their_data_is_still_beaten(server: Server) -> None:
    await server.start()
    await server.end()
    await server.do(ANNA, "privacy delete confirm")
    assert (await server.do(BEN, "result confirm")).title == "Ben confirms: US won"
    (result,) = await server.results()
    assert result.seats[0].name == "a former player"
    assert (await server.played(BEN))["opponent_key"] == ""


async def test_players_cannot_delete_a_game_that_counts(server: Server) -> None:
    await server.start()
    assert (await server.say(ANNA, "game delete confirm")).code == "not-yours"
    await server.do(VERA, "game delete confirm")
    assert not await server.app.store.load_docs(PLAYED)


async def test_a_copy_that_was_imported_does_not_count_twice(server: Server) -> None:
    await server.start()
    copy = (await server.do(ANNA, "game export")).files[0].text
    await server.press(BEN, await server.end(), "Confirm")
    command = Command(("game", "import"), {"file": copy}, ANNA, ROOM, "import")
    imported = await server.app.run(command)
    assert not imported.error, imported.format_text()
    await server.do(ANNA, "game claim", ROOM)
    await server.do(BEN, "game claim", ROOM)
    summary = await server.end("VC", ROOM)
    refused = await server.press(BEN, summary, "Confirm", ROOM)
    assert refused.title == "This game already has a result."
    (result,) = await server.results()
    assert result.winner == 0


ASKED = {
    "undo": ("roll 2d6", "lnlt fire attackers='squad fp=1' targets='squad morale=4'", "game undo"),
    "count": ("result count",),
    "end": ("roll 2d6", "game end winner=US confirm"),
}


@pytest.mark.parametrize("lines", ASKED.values(), ids=ASKED)
async def test_status_names_a_request_to_those_who_are_asked(lines: tuple[str, ...]) -> None:
    """Ben asks, and neither he nor a stranger is asked. Anna can answer as long as it is open."""
    server = await Server.fresh()
    await server.start(counts=False)
    for line in lines:
        asked = await server.do(BEN, line)
    asked = asked.announce or asked
    answers = {button.action for button in asked.buttons}
    status = await server.do(ANNA, "game status")
    assert answers <= {button.action for button in status.buttons}
    text = status.format_text()
    assert f"Waiting for you: {asked.title}" in text
    for person in (BEN, CORA):
        own_status = await server.do(person, "game status")
        assert not answers & {button.action for button in own_status.buttons}
    await server.app.press(asked.buttons[-1].action, ANNA, HALL, "refused", {"to": "Anna"})
    status = await server.do(ANNA, "game status")
    assert not answers & {button.action for button in status.buttons}


async def test_status_names_a_request_about_a_result() -> None:
    server = await Server.fresh()
    await server.start()
    await server.press(BEN, await server.end(), "Confirm")
    strike = await server.do(BEN, "result strike")
    again = await server.do(BEN, "result return")
    status = await server.do(ANNA, "game status")
    actions = {button.action for button in status.buttons}
    assert {button.action for button in (*strike.buttons, *again.buttons)} <= actions
    assert [button.label for button in status.buttons if button.label.startswith("Agree")] == [
        "Agree (1)",
        "Agree (2)",
    ]
