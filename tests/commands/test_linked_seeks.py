"""Seeks between linked servers: a card on both, one game, and nothing more than the card crosses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from itertools import combinations_with_replacement
from typing import Any

import pytest

from bot.commands.games.link import remind_linked_channels
from bot.commands.ladder.ladder_docs import PLAYED
from bot.commands.seek.open_seeks import SEEK, SEEK_KEPT, SEEK_SEED
from bot.commands.turns.mentions import SEAT
from bot.execution.due_loop import DueLoop
from bot.game.loaded_game import LoadedGame
from bot.loading.load_game import load_game_by_id
from bot.preferences.shared_seeks import MOST_LINKS, load_linked_servers
from bot.storage.records import SEEK_LINK
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place
from bot.verification.check_file import check
from tests.commands.seek_helpers import (
    ABROAD,
    ANNA,
    BEN,
    BOARD,
    BOB,
    CORA,
    FORD,
    HALL,
    SARA,
    SLACK,
    VERA,
    Server,
    action,
    id_of,
)
from tests.commands.seek_helpers import bots as bots
from tests.commands.seek_helpers import server as server
from tools import verify_log

OTHERS = [(ABROAD, VERA, BEN), (SLACK, SARA, BOB)]
"""A linked server of each platform: its channel for seekers, a manager, and a player."""
on_each_platform = pytest.mark.parametrize(
    ("there", "manager", "player"), OTHERS, ids=["discord", "slack"]
)


async def open_thread(place: str, spot: dict[str, Any], title: str) -> str:
    """The thread of a message, as each platform names it."""
    assert title == "The Ford at Dawn"
    parent = place if place.startswith("slack") else place.partition("/")[0]
    return f"{parent}/{spot['message']}" if "message" in spot else ""


def get_seats(loaded: LoadedGame) -> dict[str, str]:
    """The sides by the names of their players."""
    return {loaded.persons[who].name: side for who, side in loaded.game.players.items()}


async def press_play(server: Server, who: Person, card: Reply, where: Place) -> Reply:
    """Press *Play* under a card, which is message 77 of its channel."""
    delivery = {"to": who.name, "pressed": {"message": 77}}
    request = f"{who.key}{server.now}{id_of(card)}"
    return await server.app.press(action(card, "Play"), who, where, request, delivery)


async def read_notes(server: Server, where: Place) -> list[str]:
    """What the cards that are over in a channel say of it, since the last time."""
    return [one.over for one in await server.posted(where) if one.over]


# The link


@on_each_platform
async def test_two_managers_share_seeks_for_all_to_see(
    server: Server, there: Place, manager: Person, player: Person
) -> None:
    await server.do(VERA, "setup seekers", BOARD)
    await server.do(manager, "setup seekers", there)
    await server.posted(BOARD)
    given = await server.do(VERA, "seek link", BOARD)
    code = given.title.split()[-1]
    assert given.private
    assert (await server.say(player, f"seek link {code}", there)).code == "not-manager"
    used = await server.do(manager, f"seek link {code.lower()}", there)
    assert used.private
    assert used.announce is not None
    assert "shares seeks with #seekers (a" in used.announce.title.replace("another", "a")
    told = [one.title for one in await server.posted(BOARD)]
    assert told[-1].startswith(f"Vera shares seeks with {there.name} (a")
    assert (await server.say(manager, f"seek link {code}", there)).code == "unknown-code"
    listed = await server.do(VERA, "setup links", HALL)
    assert f"Seeks in #seekers are shared with {there.name}" in listed.format_text()


async def test_a_link_needs_a_code_from_another_channel_for_seekers(server: Server) -> None:
    assert (await server.say(VERA, "seek link", BOARD)).code == "no-seekers"
    await server.do(VERA, "setup seekers", BOARD)
    assert (await server.say(CORA, "seek link", BOARD)).code == "not-manager"
    assert (await server.say(VERA, "seek link", HALL)).code == "no-seekers"
    assert (await server.say(VERA, "seek link off", HALL)).code == "not-linked"
    code = (await server.do(VERA, "seek link", BOARD)).title.split()[-1]
    assert (await server.say(VERA, f"seek link {code}", BOARD)).code == "same-channel"
    await server.do(VERA, "setup seekers", ABROAD)
    for wrong in (f"game link {code}", "seek link ABCD1234"):
        assert (await server.say(VERA, wrong, ABROAD)).code == "unknown-code"
    server.now += 15 * 60 + 1
    assert (await server.say(VERA, f"seek link {code}", ABROAD)).code == "unknown-code"
    assert not await server.app.store.load_docs(SEEK_LINK)


async def test_a_server_shares_with_a_few_others_each_once(server: Server) -> None:
    places = [Place(f"discord:7{number}/1", f"discord:7{number}", "#x") for number in range(4)]
    for place in places[:MOST_LINKS]:
        await server.share(place, VERA)
    assert (await server.say(VERA, "seek link", BOARD)).code == "too-many"
    await server.do(VERA, "setup seekers", places[-1])
    code = (await server.do(VERA, "seek link", places[-1])).title.split()[-1]
    assert (await server.say(VERA, f"seek link {code}", BOARD)).code == "too-many"
    code = (await server.do(VERA, "seek link", places[0])).title.split()[-1]
    assert (await server.say(VERA, f"seek link {code}", places[-1])).error is False
    again = await server.say(VERA, f"seek link {code}", places[1])
    assert again.code == "unknown-code"
    asked = await server.say(VERA, "seek link off", BOARD)
    assert (asked.code, len(asked.buttons)) == ("missing", MOST_LINKS)
    assert (await server.press(CORA, asked.buttons[0].action, BOARD)).code == "not-manager"
    assert not (await server.press(VERA, asked.buttons[0].action, BOARD)).error
    assert (await server.press(VERA, asked.buttons[0].action, BOARD)).code == "not-linked"
    assert len(await load_linked_servers(server.app.store, BOARD.server)) == MOST_LINKS - 1


# The card on both sides


@on_each_platform
async def test_a_seek_is_shown_and_listed_on_both_sides(
    server: Server, there: Place, manager: Person, player: Person
) -> None:
    await server.share(there, manager)
    await server.do(ANNA, "me ping quiet=22-7 zone=Europe/Berlin")
    await server.do(player, "me ping quiet=22-7 zone=America/New_York", there)
    await server.posted(there)
    reply = await server.do(ANNA, f'{FORD} text="Be kind"')
    assert f"It is also shown in {there.name} (a" in reply.format_text()
    [card], [linked_card] = await server.posted(BOARD), await server.posted(there)
    assert linked_card.title == card.title == "Anna is looking for an opponent: The Ford at Dawn"
    assert "From #seekers (a" in linked_card.format_text()
    assert "\u201cBe kind\u201d" in linked_card.format_text()
    assert (linked_card.mention, linked_card.quiet) == ((), True)
    labels = ["Play", "Our hours", "Withdraw"]
    assert [button.label for button in linked_card.buttons] == labels
    crossed = json.dumps(linked_card.to_json())
    for secret in (ANNA.key, HALL.key, BOARD.key, BOARD.server, "Berlin", "22"):
        assert secret not in crossed.replace("commitment", "")[: crossed.find('"footer"')]
    hours = await server.press(player, action(linked_card, "Our hours"), there)
    assert (hours.private, hours.title) == (True, "You and Anna share about 9 hours a day")
    listed = await server.do(player, "seek list", there)
    assert "About 9 hours a day together" in listed.format_text()
    assert "From #seekers (a" in listed.format_text()
    assert "Your own seek" in (await server.do(ANNA, "seek list")).format_text()
    await server.posted(BOARD)
    await server.do(player, FORD, there)
    [back] = await server.posted(BOARD)
    assert back.title == f"{player.name} is looking for an opponent: The Ford at Dawn"
    assert "2 players are looking" in (await server.do(CORA, "seek list")).title


async def test_a_server_that_shares_nothing_sees_none_of_it(server: Server) -> None:
    """Nor one that is linked with a linked one."""
    far = Place("discord:8/1", "discord:8", "#far")
    await server.share(ABROAD, VERA)
    await server.share(far, VERA, ABROAD)
    card, _ = await server.cards(ABROAD)
    assert await server.posted(far) == []
    for place in (far, SLACK):
        assert "Nobody is looking" in (await server.do(BEN, "seek list", place)).title
        assert "no longer open" in (await server.say(BEN, f"seek play {id_of(card)}", place)).title


async def test_seeks_from_before_the_link_stay_where_they_were_written(server: Server) -> None:
    card = await server.card()
    await server.share(ABROAD, VERA)
    assert "Nobody is looking" in (await server.do(BEN, "seek list", ABROAD)).title
    assert "no longer open" in (await server.say(BEN, f"seek play {id_of(card)}", ABROAD)).title


async def test_a_game_that_is_switched_off_there_is_not_shown_there(server: Server) -> None:
    await server.share(ABROAD, VERA)
    await server.do(VERA, "setup systems ucn", ABROAD)
    await server.posted(ABROAD)
    reply = await server.do(ANNA, FORD)
    assert "also shown" not in reply.format_text()
    assert await server.posted(ABROAD) == []


async def test_a_change_of_the_seek_is_shown_on_both_cards(server: Server) -> None:
    await server.share(ABROAD, VERA)
    await server.do(VERA, "setup ladder on", HALL)
    posted = await server.do(ANNA, FORD)
    await server.posted(BOARD), await server.posted(ABROAD)
    await server.press(ANNA, action(posted, "Let it count"))
    [card], [linked_card] = await server.posted(BOARD), await server.posted(ABROAD)
    assert "The game counts." in card.format_text()
    assert "The game counts." in linked_card.format_text()
    assert "From #seekers" in linked_card.format_text()
    assert "From #seekers" not in card.format_text()


# Play


@on_each_platform
@pytest.mark.parametrize("has_threads", [True, False])
async def test_play_on_the_other_side_starts_one_game_on_both(
    server: Server, there: Place, manager: Person, player: Person, has_threads: bool
) -> None:
    await server.share(there, manager)
    if has_threads:
        server.app.executor.threads |= {"discord": open_thread, "slack": open_thread}
    card, linked_card = await server.cards(there)
    begun = await press_play(server, player, linked_card, there)
    assert (begun.error, begun.private) == (False, True), begun.format_text()
    assert begun.title == "Your game with Anna has begun"
    [game] = await server.app.store.list_games()
    loaded = await load_game_by_id(server.app.store, game)
    assert loaded is not None
    own, home = sorted(loaded.places, key=lambda place: place.startswith(f"{HALL.server}/"))
    if has_threads:
        parent = there.key if there is SLACK else there.server
        assert own == f"{parent}/77"
        assert home.startswith(f"{HALL.server}/")
        assert home != BOARD.key
    else:
        assert (own, home) == (there.key, BOARD.key)
    assert {*get_seats(loaded)} == {"Anna", player.name}
    assert loaded.persons[loaded.game.master].name == "Anna"
    own_place = Place(own, there.server, parent=there if has_threads else None)
    home_place = Place(home, HALL.server, parent=BOARD if has_threads else None)
    for user, key in ((player, own), (ANNA, home)):
        seat = await server.app.store.load_doc(SEAT, f"{game}/{user.key}")
        assert seat is not None
        assert seat.data["place"] == key, "where they are called"
    for place, channel, user, other in (
        (own_place, there, player, BOARD),
        (home_place, BOARD, ANNA, there),
    ):
        posted = await server.posted(channel)
        over = next(one for one in posted if one.over)
        assert (over.title, over.over) == (card.title, f"{player.name} plays it")
        assert [button.action for button in over.buttons] == [f"goto:{place.key}"]
        posted += await server.posted(place)
        first = next(one for one in posted if "Also played from" in one.format_text())
        assert first.title == f'{player.name} and Anna play "The Ford at Dawn"'
        assert first.mention == (user.key,)
        assert f"Also played from {other.name} (a" in first.format_text()
    rolled = await server.do(player, "game initiative", own_place)
    assert rolled.title in [one.title for one in await server.posted(home_place)]
    answer = await server.do(ANNA, "roll 2d6", home_place)
    assert answer.title in [one.title for one in await server.posted(own_place)]
    log = await server.log(player, own_place)
    assert not check(log).faults
    assert not verify_log.check(log).faults
    assert not await server.app.store.load_docs(SEEK)
    assert not await server.app.store.load_docs(SEEK_SEED)


@pytest.mark.parametrize("typed", ["seek play {id}", "seekplay:{id}:list"])
async def test_only_a_channel_that_has_agreed_shows_its_rolls_elsewhere(
    server: Server, typed: str
) -> None:
    """A game from a linked server starts in the channel for seekers, wherever *Play* is pressed."""
    await server.share(ABROAD, VERA)
    card, _ = await server.cards(ABROAD)
    room = Place("discord:6/2", "discord:6", "#room")
    text = typed.format(id=id_of(card).partition(":")[0])
    say = server.say if text.startswith("seek ") else server.press
    begun = await say(BEN, text, room)
    assert (begun.error, begun.private) == (False, True), begun.format_text()
    assert [button.action for button in begun.buttons] == [f"goto:{ABROAD.key}"]
    assert await server.game(room) is None
    game = await server.game(ABROAD)
    assert game is not None
    assert game == await server.game(BOARD)


@pytest.mark.parametrize("busy", [BOARD, ABROAD], ids=["home", "abroad"])
async def test_a_game_that_is_on_is_left_alone(server: Server, busy: Place) -> None:
    await server.share(ABROAD, VERA)
    _, linked_card = await server.cards(ABROAD)
    await server.do(CORA, 'game start lnlt "Hill" sides="US, VC"', busy)
    reply = await press_play(server, BEN, linked_card, ABROAD)
    assert (reply.error, reply.code) == (True, "game-on")
    assert f"A game is on in {'#seekers' if busy is BOARD else 'this channel'}" in reply.title
    assert len(await server.app.store.load_docs(SEEK)) == 1
    assert (await server.game(busy)).name == "Hill"


async def test_what_was_played_before_is_named_on_no_other_server(server: Server) -> None:
    await server.share(ABROAD, VERA)
    for place in (BOARD, ABROAD):
        await server.do(CORA, f'game start lnlt "Old {place.name}" sides="US, VC"', place)
        await server.do(CORA, "game end confirm", place)
    _, linked_card = await server.cards(ABROAD)
    await server.posted(BOARD), await server.posted(ABROAD)
    assert not (await press_play(server, BEN, linked_card, ABROAD)).error
    for place in (BOARD, ABROAD):
        shown = " ".join(one.format_text() for one in await server.posted(place))
        assert "The Ford at Dawn" in shown
        assert "Old" not in shown
        assert f"Old {place.name}" in (await server.do(CORA, "game list", place)).format_text()


async def test_the_writers_own_server_plays_it_as_any_other_seek(server: Server) -> None:
    await server.share(ABROAD, VERA)
    card, _ = await server.cards(ABROAD)
    played = await server.press(CORA, action(card, "Play"), BOARD)
    assert played.title == 'Cora and Anna play "The Ford at Dawn"'
    loaded = await server.app.games.load_current(BOARD.key)
    assert loaded is not None
    assert loaded.places == (BOARD.key,)
    [over] = await server.posted(ABROAD)
    assert (over.over, over.buttons) == ("Cora plays it", ())


async def test_a_sought_game_counts_on_each_server_with_a_ladder(server: Server) -> None:
    await server.share(SLACK, SARA)
    await server.do(VERA, "setup ladder on", HALL)
    await server.do(SARA, "setup ladder on", SLACK)
    _, linked_card = await server.cards(SLACK, f"{FORD} counts side=both")
    assert not (await press_play(server, BOB, linked_card, SLACK)).error
    docs = await server.app.store.load_docs(PLAYED)
    servers = [(doc.owner, "slack:T1/lnlt" in doc.key) for doc in docs]
    assert sorted(servers) == [
        (user, on_slack) for user in (ANNA.key, BOB.key) for on_slack in (False, True)
    ]


# The end


@on_each_platform
async def test_withdraw_and_time_take_both_cards_away(
    server: Server, there: Place, manager: Person, player: Person
) -> None:
    await server.share(there, manager)
    card, linked_card = await server.cards(there)
    refused = await server.press(player, action(linked_card, "Withdraw"), there)
    assert refused.code == "not-manager"
    await server.press(ANNA, action(card, "Withdraw"), BOARD)
    for place in (BOARD, there):
        assert await read_notes(server, place) == ["Withdrawn"]
    await server.cards(there)
    server.now += SEEK_KEPT
    assert await DueLoop(server.app.store, server.app.run).look() == 1
    for place in (BOARD, there):
        assert await read_notes(server, place) == ["Expired"]
    assert "no longer open" in (await press_play(server, player, linked_card, there)).title


async def test_a_manager_takes_a_card_down_on_their_own_server_only(server: Server) -> None:
    await server.share(SLACK, SARA)
    card, linked_card = await server.cards(SLACK)
    reply = await server.press(SARA, action(linked_card, "Withdraw"), SLACK)
    assert reply.title == "Taken down here: The Ford at Dawn"
    assert await read_notes(server, SLACK) == ["Taken down here"]
    assert "Nobody is looking" in (await server.do(BOB, "seek list", SLACK)).title
    assert "no longer open" in (await press_play(server, BOB, linked_card, SLACK)).title
    assert await server.posted(BOARD) == []
    assert not (await server.press(BEN, action(card, "Play"), BOARD)).error
    assert await server.posted(SLACK) == [], "it has heard the last of it"


@pytest.mark.parametrize("typed", ["seek link off", "setup seekers off"])
@pytest.mark.parametrize("side", [0, 1], ids=["writer's server", "other server"])
async def test_the_end_of_a_link_takes_the_cards_of_both_sides_down(
    server: Server, typed: str, side: int
) -> None:
    await server.share(SLACK, SARA)
    card, linked_card = await server.cards(SLACK)
    await server.do(BOB, FORD, SLACK)
    [back] = await server.posted(BOARD)
    await server.posted(SLACK)
    await server.do(*((VERA, typed, BOARD), (SARA, typed, SLACK))[side])
    for place, other in ((BOARD, SLACK), (SLACK, BOARD)):
        posted = await server.posted(place)
        assert [one.over for one in posted if one.over] == ["No longer shown here"]
        assert any("no longer share" in one.title for one in posted)
        assert any(other.name in one.title for one in posted)
    assert "no longer open" in (await press_play(server, BOB, linked_card, SLACK)).title
    assert "no longer open" in (await press_play(server, BEN, back, BOARD)).title
    assert len(await server.app.store.load_docs(SEEK)) == 2
    assert not (await server.press(BEN, action(card, "Play"), HALL)).error
    assert not await server.app.store.load_docs(SEEK_LINK)


async def test_a_seek_goes_with_its_writers_data_on_both_sides(server: Server) -> None:
    await server.share(SLACK, SARA)
    await server.cards(SLACK)
    await server.do(ANNA, "privacy delete confirm")
    for place in (BOARD, SLACK):
        [over] = [one for one in await server.posted(place) if one.over]
        assert over.over == "Withdrawn"
        assert "Anna" not in over.format_text()


# A server that has removed the bot


async def test_nothing_is_shared_with_a_server_that_has_removed_the_bot(server: Server) -> None:
    await server.share(SLACK, SARA)
    _, linked_card = await server.cards(SLACK)
    store = server.app.store
    assert await store.list_servers_sharing_seeks("discord:") == [HALL.server]
    await store.mark_server_left(HALL.server)
    assert await store.list_servers_sharing_seeks("discord:") == []
    assert "Nobody is looking" in (await server.do(BOB, "seek list", SLACK)).title
    reply = await press_play(server, BOB, linked_card, SLACK)
    assert (reply.error, reply.title) == (
        True,
        "Anna's server has removed the bot, so this can't be played right now.",
    )
    assert "also shown" not in (await server.do(BOB, FORD, SLACK)).format_text()
    assert [one for one in await server.posted(BOARD) if not one.over] == []
    await remind_linked_channels(store, HALL.server)
    [reminder] = await server.posted(BOARD)
    assert (
        reminder.title == "Seeks of this channel are shared with #wargames (a workspace on Slack)"
    )
    await remind_linked_channels(store, HALL.server)
    assert await server.posted(BOARD) == [], "it was not away"
    assert not (await press_play(server, BOB, linked_card, SLACK)).error


# Two bots on one database, and whatever happens at once


Step = Callable[[Server, Reply, Reply], Awaitable[Reply]]
STEPS: dict[str, Step] = {
    "play here": lambda bot, card, _: bot.press(CORA, action(card, "Play"), BOARD),
    "play there": lambda bot, _, linked: bot.press(BOB, action(linked, "Play"), SLACK),
    "withdraw": lambda bot, card, _: bot.press(ANNA, action(card, "Withdraw"), BOARD),
    "take down": lambda bot, _, linked: bot.press(SARA, action(linked, "Withdraw"), SLACK),
    "end the link": lambda bot, *_: bot.say(SARA, "seek link off", SLACK),
    "let it count": lambda bot, card, _: bot.press(
        ANNA, f"seekcounts:{id_of(card).partition(':')[0]}", HALL
    ),
}


CLOSING = {"play here", "play there", "withdraw"}
HIDING = {*CLOSING, "take down", "end the link"}
PLAYS = {"play here", "play there"}


QUICK_PAIRS = [("play here", "play there"), ("take down", "let it count")]
PAIRS = [*combinations_with_replacement(STEPS, 2)]


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param(QUICK_PAIRS, id="some"),
        pytest.param(PAIRS, id="all", marks=pytest.mark.slow),
    ],
)
async def test_whatever_happens_at_once_it_is_played_once_and_no_card_is_left_over(
    bots: list[Server], pairs: list[tuple[str, str]]
) -> None:
    """Each pair of steps, at the same time by two bots."""
    first, second = bots
    await first.share(SLACK, SARA)
    await first.do(VERA, "setup ladder on", HALL)
    for steps in pairs:
        card, linked_card = await first.cards(SLACK)
        replies = await asyncio.gather(
            *(STEPS[step](bot, card, linked_card) for bot, step in zip(bots, steps, strict=True))
        )
        done = {step for step, reply in zip(steps, replies, strict=True) if not reply.error}
        is_closed = bool(done & CLOSING)
        assert bool(await first.app.store.load_docs(SEEK)) != is_closed, steps
        for place, ends in ((BOARD, CLOSING), (SLACK, HIDING)):
            over = await read_notes(first, place)
            assert bool(over) == bool(done & ends), (steps, place)
        games = [await second.game(place) for place in (BOARD, SLACK)]
        ids = {game.id for game in games if game is not None and not game.ended}
        successes = [
            reply
            for step, reply in zip(steps, replies, strict=True)
            if step in PLAYS and not reply.error
        ]
        assert len(ids) == len(successes) == bool(done & PLAYS), steps
        await clear_up(first)


async def clear_up(server: Server) -> None:
    """End what is open, and link the servers again if the link has ended."""
    for place, manager in ((BOARD, VERA), (SLACK, SARA)):
        await server.say(manager, "game end confirm", place)
    await server.say(ANNA, "seek withdraw", HALL)
    if not await load_linked_servers(server.app.store, BOARD.server):
        await server.share(SLACK, SARA)
    await server.posted(BOARD)
    await server.posted(SLACK)
