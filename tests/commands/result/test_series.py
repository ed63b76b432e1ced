"""A game and its return game, with sides swapped: sought with `/seek`, or agreed afterwards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from bot.commands.games.result import confirm
from bot.commands.games.result.series import RETURN_ASKED, RETURN_GAME
from bot.commands.ladder.ladder_docs import PLAYED
from bot.storage.base import DAY
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person
from bot.verification.check_file import check
from bot.verification.check_ladder import check_ladder
from tests.commands.result_helpers import ANNA, BEN, CORA, HALL, ROOM, VERA, Server
from tests.forging import Json, rechained
from tests.verification.forgeries_helpers import first

RETURN = "Play the return game"
SEEK = "seek game daily lnlt scenario=ford"


@pytest.fixture
async def server() -> Server:
    return await Server.fresh()


async def sought(server: Server, options: str) -> Reply:
    """The first card of a game that Anna sought and Ben plays."""
    card = (await server.do(ANNA, f"{SEEK} {options}")).announce
    assert card is not None
    played = await server.press(BEN, card, "Play")
    assert not played.error, played.format_text()
    return played


def labels(reply: Reply) -> list[str]:
    return [button.label for button in reply.buttons]


async def sides(server: Server) -> dict[str, str]:
    """The sides of Anna and Ben in the game that is played in the hall."""
    loaded = await server.app.games.load_current(HALL.key)
    assert loaded is not None
    return {loaded.persons[person].name: side for person, side in loaded.game.players.items()}


async def test_a_sought_series_counts_from_the_card_to_its_score(server: Server) -> None:
    card = (await server.do(ANNA, f"{SEEK} side=both counts")).announce
    assert card is not None
    text = card.format_text()
    assert "Two games: each of you plays both US and VC." in text
    assert "Both games count." in text
    begun = await server.press(BEN, card, "Play")
    assert "It counts." in begun.format_text()
    assert "The return game, with sides swapped, comes after it." in begun.format_text()
    first_sides = await sides(server)
    log = await server.log()
    start, count = (event["body"] for event in log["events"][:2])
    assert (start["series"], start["scenario"]) == (log["game"], "ford")
    assert (count["kind"], count["asked"]) == ("count", start["who"])
    await server.do(ANNA, "roll 2d6")
    summary = (await server.do(ANNA, f"game end winner={first_sides['Anna']} confirm")).announce
    assert summary is not None
    assert RETURN not in labels(summary)
    confirmed = await server.press(BEN, summary, "Confirm")
    assert labels(confirmed) == [RETURN]
    assert (await server.press(CORA, confirmed, RETURN)).code == "not-yours"
    again = await server.press(BEN, confirmed, RETURN)
    assert again.title == 'Ben and Anna play the return game of "The Ford at Dawn"'
    assert again.mention == (ANNA.key,)
    assert await sides(server) == {"Anna": first_sides["Ben"], "Ben": first_sides["Anna"]}
    assert (await server.press(ANNA, confirmed, RETURN)).code == "not-asked"
    second = await server.log()
    start = second["events"][0]["body"]
    assert (start["series"], start["scenario"]) == (log["game"], "ford")
    await server.do(BEN, "roll 2d6")
    summary = (await server.do(BEN, f"game end winner={first_sides['Ben']} confirm")).announce
    assert summary is not None
    confirmed = await server.press(ANNA, summary, "Confirm")
    assert "The series: Anna 2, Ben 0" in confirmed.format_text()
    assert labels(confirmed) == []
    results = await server.results()
    assert {result.series for result in results} == {log["game"]}
    assert len(results) == 2
    await server.log()


async def test_a_draw_and_a_win_score_halves(server: Server) -> None:
    await server.start()
    confirmed = await server.press(BEN, await server.end("draw"), "Confirm")
    asked = await server.press(ANNA, confirmed, RETURN)
    await server.press(BEN, asked, "Agree")
    summary = await server.end("US")
    # now Ben has the US, and Anna is game master as she asked
    done = await server.press(BEN, summary, "Confirm")
    assert "The series: Anna 0.5, Ben 1.5" in done.format_text()


async def test_a_win_each_is_one_each(server: Server) -> None:
    await server.start()
    confirmed = await server.press(BEN, await server.end(), "Confirm")
    asked = await server.press(ANNA, confirmed, RETURN)
    await server.press(BEN, asked, "Agree")
    done = await server.press(BEN, await server.end("US"), "Confirm")
    assert "The series: 1 each" in done.format_text()


async def test_a_return_game_is_agreed_by_the_other(server: Server) -> None:
    await server.start()
    confirmed = await server.press(BEN, await server.end(), "Confirm")
    asked = await server.press(BEN, confirmed, RETURN)
    assert asked.title == 'Ben asks for a return game of "Hill 875"'
    assert "Anna would play VC, and Ben US." in asked.format_text()
    assert asked.mention == (ANNA.key,)
    assert (await server.press(BEN, asked, "Agree")).code == "not-yours"
    begun = await server.press(ANNA, asked, "Agree")
    assert begun.title == 'Ben and Anna play the return game of "Hill 875"'
    assert await sides(server) == {"Ben": "US", "Anna": "VC"}
    log = await server.log()
    kinds = [event["body"]["kind"] for event in log["events"]]
    assert kinds[:4] == ["start", "count", "join", "join"]
    assert log["events"][0]["body"]["series"] != log["game"]


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize(
    ("who", "note"), [(ANNA, "Anna says no."), (BEN, "Ben withdraws it.")], ids=["no", "withdrawn"]
)
async def test_a_return_game_is_declined_or_withdrawn(
    server: Server, who: Person, note: str, *, typed: bool
) -> None:
    await server.start()
    await server.press(BEN, await server.end(), "Confirm")
    asked = await server.do(BEN, "result return")
    assert labels(asked) == ["Agree", "No"]
    assert (await server.press(CORA, asked, "No")).code == "not-yours"
    if typed:
        declined = await server.do(who, "result return decline")
    else:
        declined = await server.press(who, asked, "No")
    assert declined.title == 'No return game of "Hill 875"'
    assert note in declined.format_text()
    for label in ("Agree", "No"):
        late = await server.press(ANNA, asked, label)
        assert late.code == "not-asked"
        assert "/result return" in late.format_text()
    assert (await server.say(ANNA, "result return decline")).code == "not-asked"
    await server.do(BEN, "result return")
    begun = await server.do(ANNA, "result return")
    assert begun.title == 'Ben and Anna play the return game of "Hill 875"'


async def test_who_asks_as_well_agrees_and_a_strike_ends_the_request(server: Server) -> None:
    await server.start()
    confirmed = await server.press(BEN, await server.end(), "Confirm")
    await server.press(BEN, confirmed, RETURN)
    assert (await server.press(BEN, confirmed, RETURN)).title.startswith("Ben asks")
    assert len(await server.app.store.load_docs(RETURN_ASKED)) == 1
    await server.do(ANNA, "result strike")
    await server.do(BEN, "result strike")
    assert await server.app.store.load_docs(RETURN_ASKED) == ()
    confirmed = await server.do(BEN, "result confirm")
    await server.press(BEN, confirmed, RETURN)
    begun = await server.press(ANNA, confirmed, RETURN)
    assert begun.title == 'Ben and Anna play the return game of "Hill 875"'
    assert await server.app.store.load_docs(RETURN_ASKED) == ()


async def test_a_series_that_does_not_count_has_its_return_game_too(server: Server) -> None:
    await sought(server, "side=both")
    await server.do(ANNA, "roll 2d6")
    summary = (await server.do(ANNA, "game end winner=US confirm")).announce
    assert summary is not None
    assert RETURN in labels(summary)
    begun = await server.press(BEN, summary, RETURN)
    assert "It counts" not in begun.format_text()
    assert not await server.app.store.load_docs(PLAYED)
    await server.log()


async def test_a_return_game_waits_until_the_channel_is_free(server: Server) -> None:
    await server.start()
    confirmed = await server.press(BEN, await server.end(), "Confirm")
    await server.do(CORA, 'game start lnlt "Other" sides="US, VC"')
    refused = await server.press(ANNA, confirmed, RETURN)
    assert refused.code == "game-on"
    await server.do(CORA, "game end confirm")
    asked = await server.press(ANNA, confirmed, RETURN)
    assert not (await server.press(BEN, asked, "Agree")).error
    loaded = await server.app.games.load_current(HALL.key)
    assert loaded is not None
    assert loaded.game.counted
    await server.log()


async def test_a_return_game_starts_once_however_often_it_is_pressed(server: Server) -> None:
    await sought(server, "side=both counts")
    await server.do(ANNA, "roll 2d6")
    summary = (await server.do(ANNA, "game end winner=US confirm")).announce
    assert summary is not None
    confirmed = await asyncio.gather(*(server.press(BEN, summary, "Confirm") for _ in range(4)))
    (done,) = (reply for reply in confirmed if not reply.error)
    assert len(await server.results()) == 1
    presses = [
        server.press(who, done, RETURN, where)
        for who in (ANNA, BEN)
        for where in (HALL, HALL, ROOM)
    ]
    replies = await asyncio.gather(*presses)
    assert sum(not reply.error for reply in replies) == 1
    assert not await server.app.store.load_docs(RETURN_GAME)


async def test_a_struck_result_has_no_return_game(server: Server) -> None:
    await server.start()
    confirmed = await server.press(BEN, await server.end(), "Confirm")
    await server.do(BEN, "result strike")
    struck = await server.do(ANNA, "result strike")
    assert (await server.press(ANNA, confirmed, RETURN)).code == "not-asked"
    again = await server.press(BEN, struck, "Confirm again")
    asked = await server.press(ANNA, again, RETURN)
    await server.press(BEN, asked, "Agree")
    await server.end("US")
    await server.do(ANNA, "result strike game=1")
    await server.do(BEN, "result strike game=1")
    again = await server.do(BEN, "result confirm game=1")
    assert labels(again) == [], "there was a return game already"


async def play_series(server: Server, joins: int) -> None:
    """Anna and Ben play a game and its return game; both results are confirmed, and the first is
    struck. Vera, a manager, plays in the game with the number `joins`, 0 for none, and leaves it.
    """
    await server.start()
    for number in (1, 2):
        if number == joins:
            await server.do(VERA, "game join VC")
            await server.do(VERA, "game leave")
        confirmed = await server.press(BEN, await server.end(), "Confirm")
        if number == 1:
            asked = await server.press(ANNA, confirmed, RETURN)
            await server.press(BEN, asked, "Agree")
    await server.do(ANNA, "result strike game=1")
    await server.do(BEN, "result strike game=1")
    server.now += 8 * DAY


@pytest.mark.parametrize("joins", [1, 2])
async def test_a_manager_who_played_in_either_game_decides_neither(
    server: Server, joins: int
) -> None:
    await play_series(server, joins)
    for line in ("result confirm reason=x game=1", "result strike reason=x game=2"):
        reply = await server.say(VERA, line)
        assert reply.code == "not-yours", line
        assert "You've played in" in reply.format_text()


async def test_a_manager_who_played_in_neither_game_decides_both(server: Server) -> None:
    await play_series(server, 0)
    await server.do(VERA, "result confirm reason=x game=1")
    await server.do(VERA, "result strike reason=x game=2")
    await server.do(VERA, "result confirm reason=x game=2")
    assert await ladder_faults(server) == ""


async def exported(server: Server, line: str) -> Json:
    """The file that a command exports."""
    file = (await server.do(VERA, line)).files[0]
    data: Json = json.loads(file.text)
    return data


async def ladder_faults(server: Server, forge: Callable[[Json], object] = id) -> str:
    """The faults of the ladder and of both logs, with the first one forged."""
    logs = [await exported(server, f"game export game={number}") for number in (1, 2)]
    ladder = await exported(server, "ladder export")
    forge(logs[0])
    rechained(logs[0])
    (result,) = (row for row in ladder["results"] if row["game"] == logs[0]["game"])
    result["head"] = logs[0]["events"][result["confirmed"] - 1]["hash"]
    return "\n".join(check_ladder(ladder, logs).faults)


@pytest.mark.parametrize("joins", [1, 2])
async def test_verify_names_a_manager_who_played_in_the_other_game(
    server: Server, joins: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host lets her decide all the same."""

    async def has_played_nowhere(_: object) -> bool:
        return False

    monkeypatch.setattr(confirm, "has_played_other_game", has_played_nowhere)
    await play_series(server, joins)
    if joins == 1:
        await server.do(BEN, "result confirm game=1")
        await server.do(VERA, "result strike reason=x game=2")
    await server.do(VERA, f"result confirm reason=x game={3 - joins}")
    faults = await ladder_faults(server)
    assert "a manager who played in the other game of the series decided the result" in faults


def leave_out_other_game(log: Json) -> None:
    del first(log, log["events"][-1]["body"]["kind"], by="manager")["texts"]["elsewhere"]
    log["texts"] = [row for row in log["texts"] if row["key"] != "elsewhere"]


async def test_verify_names_a_manager_who_does_not_say_who_they_are_there(server: Server) -> None:
    await play_series(server, 0)
    await server.do(VERA, "result confirm reason=x game=1")
    faults = await ladder_faults(server, leave_out_other_game)
    assert "a manager does not say who they are in the other game of the series" in faults
    await server.do(VERA, "result strike reason=x game=2")
    return_game = await exported(server, "game export game=2")
    leave_out_other_game(return_game)
    faults = "\n".join(check(rechained(return_game)).faults)
    assert "struck by a manager who may have played in the first game" in faults


async def test_who_deleted_their_data_plays_no_return_game(server: Server) -> None:
    await server.start()
    confirmed = await server.press(BEN, await server.end(), "Confirm")
    await server.do(ANNA, "privacy delete confirm")
    assert (await server.press(BEN, confirmed, RETURN)).code == "not-asked"


# Seeks that count


async def test_an_open_seek_is_let_count_by_its_writer(server: Server) -> None:
    posted = await server.do(ANNA, SEEK)
    assert labels(posted) == ["Let it count", "Withdraw"]
    assert (await server.press(BEN, posted, "Let it count")).code == "not-yours"
    assert not (await server.press(ANNA, posted, "Let it count")).error
    assert posted.announce is not None
    played = await server.press(BEN, posted.announce, "Play")
    assert "It counts." in played.format_text()
    assert (await server.press(ANNA, posted, "Let it count")).code == "not-asked"


async def test_a_seek_does_not_count_without_a_ladder() -> None:
    server = await Server.fresh(ladder=False)
    assert (await server.say(ANNA, f"{SEEK} counts")).code == "no-ladder"
    assert labels(await server.do(ANNA, SEEK)) == ["Withdraw"]


async def test_a_ladder_that_is_turned_off_lets_no_sought_game_count(server: Server) -> None:
    card = (await server.do(ANNA, f"{SEEK} counts")).announce
    assert card is not None
    await server.do(VERA, "setup ladder off")
    assert "It counts" not in (await server.press(BEN, card, "Play")).format_text()
