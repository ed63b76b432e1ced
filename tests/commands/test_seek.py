"""`/seek`: a card that leads two strangers to one game, once, whoever presses what and when."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.commands.seek import game_channels
from bot.commands.seek.open_seeks import (
    MOST_OF_PERSON,
    MOST_OF_SERVER,
    SEEK,
    SEEK_KEPT,
    SEEK_SEED,
)
from bot.commands.seek.seek import MAX_TEXT
from bot.execution.due_loop import DueLoop
from bot.game.roster_file import find_scenario
from bot.rulesets.catalog import load_shared_systems
from bot.storage.base import DAY
from bot.ui.spec import Person, Place
from bot.verification.check_file import check
from tests.commands.seek_helpers import (
    ABROAD,
    ANNA,
    BEN,
    BOARD,
    CORA,
    FORD,
    HALL,
    ROOM,
    VERA,
    Server,
    Threads,
    action,
    id_of,
    press_on_card,
)
from tests.commands.seek_helpers import bots as bots
from tests.commands.seek_helpers import server as server
from tests.packs.conftest import use_packs as use_packs
from tools import verify_log

PACKS = Path(__file__).parents[2] / "packs"


# The card


async def test_a_card_says_what_is_sought_and_pings_nobody(server: Server) -> None:
    reply = await server.do(ANNA, f'{FORD} text="Bring @everyone <@2>"')
    assert (reply.title, reply.private, reply.mention) == ("Your seek is posted here", True, ())
    card = reply.announce
    assert card is not None
    assert card.title == "Anna is looking for an opponent: The Ford at Dawn"
    text = card.format_text()
    for words in (
        "Lock 'n Load",
        "Some turns a day",
        "A die roll decides who plays US and who plays VC",
        "Bring",
    ):
        assert words in text
    assert (card.mention, card.quiet) == ((), True)
    assert [button.label for button in card.buttons] == ["Play", "Our hours", "Withdraw"]


@pytest.mark.parametrize(
    ("typed", "code", "option"),
    [
        ("seek game daily", "missing", "system"),
        ("seek game lnlt scenario=ford", "missing", "pace"),
        ("seek game daily lnlt", "missing", "sides"),
        ("seek game slowly lnlt scenario=ford", "bad-value", "pace"),
        ("seek game daily lnlt scenario=fjord", "bad-value", "scenario"),
        ("seek game daily lnlt scenario=ford side=USA", "unknown-side", "side"),
        ('seek game daily lnlt scenario=ford sides="A, B"', "not-together", "sides"),
        ('seek game daily lnlt sides="A, B, C"', "bad-value", "sides"),
        ("seek game daily lnlt scenario=ford-alone", "bad-value", "scenario"),
        (f"{FORD} text={'x' * (MAX_TEXT + 1)}", "too-long", "text"),
    ],
)
async def test_what_cannot_be_played_is_not_sought(
    server: Server, typed: str, code: str, option: str
) -> None:
    reply = await server.say(ANNA, typed)
    assert (reply.error, reply.code, reply.option) == (True, code, option), reply.format_text()
    assert not await server.app.store.load_docs(SEEK)


async def test_a_misspelt_side_is_corrected(server: Server) -> None:
    assert "Did you mean US" in (await server.say(ANNA, f"{FORD} side=USS")).format_text()


async def test_a_scenario_that_plays_itself_leads_to_solo(server: Server) -> None:
    reply = await server.say(ANNA, "seek game daily lnlt scenario=ford-alone")
    text = reply.format_text()
    assert '"The Ford, Alone" is for one player: the other side plays itself.' in text
    assert "To play it now: /solo lnlt" in text


@pytest.mark.parametrize("side", ["both", "Both in turn"])
async def test_both_sides_are_sought_in_the_words_of_the_card(server: Server, side: str) -> None:
    card = await server.card(text=f'{FORD} side="{side}"')
    assert "Two games: each of you plays both US and VC." in card.format_text()


async def test_a_seek_needs_a_server(server: Server) -> None:
    direct = Place("discord:dm/3", owner=ANNA.key)
    reply = await server.say(ANNA, FORD, direct)
    assert (reply.code, reply.title) == ("no-server", "Do this in a server's channel.")
    assert (await server.say(ANNA, "seek list", direct)).code == "no-server"


async def test_seeks_are_limited(server: Server) -> None:
    for _ in range(MOST_OF_PERSON):
        await server.card()
    assert (await server.say(ANNA, FORD)).code == "too-many"
    for number in range(MOST_OF_SERVER - MOST_OF_PERSON):
        await server.card(Person(f"discord:1{number:03}", f"P{number}"))
    assert "50 open seeks" in (await server.say(BEN, FORD)).title
    await server.card(BEN, FORD, ABROAD)
    listed = await server.do(BEN, "seek list")
    assert listed.title == "48 players are looking for an opponent", "Anna has three seeks"
    assert "40 more" in listed.format_text()


async def test_a_manager_gives_seekers_a_channel(server: Server) -> None:
    assert (await server.say(ANNA, "setup seekers", BOARD)).code == "not-manager"
    await server.do(VERA, "setup seekers", BOARD)
    await server.posted(BOARD)
    reply = await server.do(ANNA, FORD)
    assert (reply.title, reply.announce) == ("Your seek is posted in #seekers", None)
    [card] = await server.posted(BOARD)
    assert card.title == "Anna is looking for an opponent: The Ford at Dawn"
    played = await server.press(BEN, action(card, "Play"), BOARD)
    assert not played.error
    over = next(one for one in await server.posted(BOARD) if one.over)
    assert (over.over, over.title) == ("Ben plays it", card.title)
    assert [button.label for button in over.buttons] == ["Open the game"]
    await server.do(VERA, "setup seekers off", HALL)
    assert (await server.do(ANNA, FORD)).announce is not None
    assert (await server.say(VERA, "setup seekers off", HALL)).code == "no-change"


async def test_a_card_stays_on_its_server(server: Server) -> None:
    """A channel that plays a game together with another server does not post seeks there."""
    await server.do(VERA, 'game start lnlt "Hill" sides="US, VC"')
    code = (await server.do(VERA, "game link")).title.split()[-1]
    await server.do(VERA, f"game link {code}", ABROAD)
    await server.posted(ABROAD)
    await server.card()
    await server.do(VERA, "setup seekers", HALL)
    assert await server.posted(ABROAD) == []


# The list and the hours


async def test_the_list_sorts_by_shared_hours(server: Server) -> None:
    people = {
        "Near": "quiet=22-7 zone=Europe/Paris",
        "Far": "quiet=22-7 zone=Australia/Sydney",
        "Unknown": "",
        "Never": "quiet=7-22 zone=Europe/Berlin",
    }
    for number, (name, zone) in enumerate(people.items()):
        person = Person(f"discord:20{number}", name)
        await server.card(person)
        if zone:
            await server.do(person, f"me ping {zone}")
    await server.card(BEN)
    listed = await server.do(BEN, "seek list")
    assert listed.private
    assert listed.format_text().count("Hours unknown") == 4
    assert "/me ping zone=" in listed.format_text()
    await server.do(BEN, "me ping quiet=22-7 zone=Europe/Berlin")
    text = (await server.do(BEN, "seek list")).format_text()
    order = sorted((*people, "Your own seek"), key=text.index)
    assert order == ["Near", "Far", "Never", "Unknown", "Your own seek"]
    for words in (
        "About 15 hours a day together",
        "About 6 hours",
        "No shared hours",
        "Hours unknown",
    ):
        assert words in text
    for secret in ("22", "Paris", "Sydney"):
        assert secret not in text
    assert "Nobody is looking" in (await server.do(BEN, "seek list ucn")).title


async def test_hours_are_shown_to_the_one_who_asks(server: Server) -> None:
    card = await server.card()
    hours = action(card, "Our hours")
    asked = await server.press(BEN, hours)
    assert (asked.private, asked.title) == (True, "Hours unknown")
    assert "/me ping zone=" in asked.format_text()
    assert "Anna has not set" in asked.format_text()
    await server.do(ANNA, "me ping zone=UTC quiet=off")
    await server.do(BEN, "me ping zone=America/New_York quiet=0-12")
    asked = await server.press(BEN, hours)
    assert asked.title == "You and Anna share about 12 hours a day"
    assert (await server.press(ANNA, hours)).error


# Play


@pytest.mark.parametrize("side", ["", "US", "vc"])
async def test_two_strangers_come_to_a_game_that_the_log_proves(server: Server, side: str) -> None:
    card = await server.card(text=f"{FORD} side={side or 'either'}")
    played = await server.press(BEN, action(card, "Play"))
    assert played.title == 'Ben and Anna play "The Ford at Dawn"'
    assert played.mention == (ANNA.key,)
    game = await server.game(HALL)
    loaded = await server.app.games.load_current(HALL.key)
    assert loaded is not None
    names = {loaded.persons[person].name: seat for person, seat in game.players.items()}
    assert names.keys() == {"Anna", "Ben"}
    assert {*names.values()} == {"US", "VC"}
    if side:
        assert names["Anna"] == side.upper()
    else:
        assert f"Anna plays {names['Anna']}, Ben plays {names['Ben']} (#2)" in played.format_text()
    assert loaded.persons[game.master].name == "Anna"
    assert card.footer[1] == f"commitment {game.commitment[:16]}", "promised on the card"
    log = await server.log(BEN, HALL)
    assert not check(log).faults
    assert not verify_log.check(log).faults
    assert not (await server.do(BEN, "game initiative")).error
    assert not (await server.do(ANNA, "game next")).error


SCENARIOS = [
    (id, scenario)
    for id, system in load_shared_systems().items()
    for scenario in system.scenarios
    if not find_scenario(system, scenario).self_played
]


@pytest.mark.parametrize(("system", "scenario"), SCENARIOS)
async def test_every_scenario_of_two_sides_can_be_sought(
    server: Server, system: str, scenario: str
) -> None:
    card = await server.card(text=f"seek game evening {system} scenario={scenario}")
    played = await server.press(BEN, action(card, "Play"))
    assert not played.error, played.format_text()
    assert len({*(await server.game(HALL)).players.values()}) == 2
    assert not check(await server.log(BEN, HALL)).faults
    assert not (await server.say(ANNA, "game next")).error


@pytest.mark.parametrize(
    ("pack", "scenario"),
    [("salt-road", "year"), ("three-mills", "sorrel"), ("low-water", "cuckmere")],
)
async def test_scenarios_of_packs_can_be_sought(
    use_packs: Callable[[Path], None], pack: str, scenario: str
) -> None:
    use_packs(PACKS / pack)
    server = await Server.fresh()
    card = await server.card(text=f"seek game evening {pack} scenario={scenario}")
    played = await server.press(BEN, action(card, "Play"))
    assert not played.error, played.format_text()
    assert not check(await server.log(BEN, HALL)).faults


async def test_a_scenario_that_is_gone_is_not_started(server: Server) -> None:
    card = await server.card()
    [doc] = await server.app.store.load_docs(SEEK)
    await server.app.store.put_doc(doc._replace(data=doc.data | {"scenario": "gone"}))
    reply = await server.press(BEN, action(card, "Play"))
    assert (reply.error, reply.title) == (True, "The Ford at Dawn can no longer be started here.")
    assert len(await server.app.store.load_docs(SEEK)) == 1


async def test_the_die_draws_both_ways(server: Server) -> None:
    drawn = set()
    for number in range(12):
        card = await server.card()
        await server.press(BEN, action(card, "Play"), Place(f"discord:5/3{number}", "discord:5"))
        loaded = await server.app.games.load_current(f"discord:5/3{number}")
        assert loaded is not None
        seats = {loaded.persons[who].name: side for who, side in loaded.game.players.items()}
        drawn.add(seats["Anna"])
    assert drawn == {"US", "VC"}


async def test_nobody_plays_their_own_seek(server: Server) -> None:
    card = await server.card()
    reply = await server.press(ANNA, action(card, "Play"))
    assert (reply.error, reply.private) == (True, True)
    assert "your own seek" in reply.title
    assert await server.game(HALL) is None


async def test_a_seek_is_played_once(server: Server) -> None:
    """By two at once, in two channels, and by one who presses again."""
    card = await server.card()
    play = action(card, "Play")
    replies = await asyncio.gather(
        server.press(BEN, play), server.press(CORA, play, ROOM), server.press(BEN, play)
    )
    assert sorted(reply.error for reply in replies) == [False, True, True]
    for reply in replies:
        assert not reply.error or "no longer open" in reply.title
    games = [await server.game(where) for where in (HALL, ROOM)]
    assert sum(game is not None for game in games) == 1
    assert await server.app.store.load_docs(SEEK) == ()
    assert await server.app.store.load_docs(SEEK_SEED) == ()


async def test_a_delivery_that_comes_again_starts_nothing(server: Server) -> None:
    play = action(await server.card(), "Play")
    replies = [await server.app.press(play, BEN, HALL, "same", {}) for _ in range(2)]
    assert replies[1].seen
    assert replies[0].title == replies[1].title
    assert len(await server.app.store.list_games()) == 1


async def test_a_game_that_is_on_is_left_alone(server: Server) -> None:
    await server.do(CORA, 'game start lnlt "Hill" sides="US, VC"')
    card = await server.card()
    reply = await server.press(BEN, action(card, "Play"))
    assert (reply.error, reply.code) == (True, "game-on")
    assert f"/seek play {id_of(card)}" in reply.format_text()
    assert (await server.game(HALL)).name == "Hill"
    played = await server.do(BEN, f"seek play {id_of(card).lower()}", ROOM)
    assert played.title == 'Ben and Anna play "The Ford at Dawn"'
    assert (await server.game(ROOM)).name == "The Ford at Dawn"


async def test_a_game_starts_in_the_thread_in_which_it_is_typed(server: Server) -> None:
    """Also while a game is on in its channel, which threads play otherwise."""
    await server.do(CORA, 'game start lnlt "Hill" sides="US, VC"')
    thread = Place("discord:5/77", "discord:5", parent=HALL)
    card = await server.card(where=ROOM)
    await server.do(BEN, f"seek play {id_of(card)}", thread)
    assert (await server.game(thread)).name == "The Ford at Dawn"
    assert (await server.game(HALL)).name == "Hill"
    status = await server.do(BEN, "game status", thread)
    assert "The Ford at Dawn" in status.title


async def test_the_game_is_played_in_a_thread_of_the_card(server: Server) -> None:
    """Also while another game is on in the channel, which stays as it is."""
    threads = Threads(server)
    await server.do(CORA, 'game start lnlt "Hill" sides="US, VC"')
    card = await server.card()
    await server.posted(HALL)
    reply = await press_on_card(server, BEN, card)
    assert (reply.error, reply.private, reply.title) == (
        False,
        True,
        "Your game with Anna has begun",
    )
    assert [button.action for button in reply.buttons] == ["goto:discord:5/900"]
    spot = {"channel": 9, "message": 900}
    assert threads.made == [(HALL.key, spot, "The Ford at Dawn")]
    thread = Place(threads.key, HALL.server, parent=HALL)
    [first] = await server.posted(thread)
    assert first.title == 'Ben and Anna play "The Ford at Dawn"'
    assert first.mention == (ANNA.key, BEN.key)
    assert first.footer[0] == "#4"
    [over] = [one for one in await server.posted(HALL) if one.over]
    assert [button.action for button in over.buttons] == ["goto:discord:5/900"]
    assert (await server.game(HALL)).name == "Hill"
    log = await server.log(BEN, thread)
    assert not check(log).faults
    turned = await server.press(BEN, first.buttons[0].action, thread)
    assert not turned.error


@pytest.mark.parametrize("why", ["refused", "slow", "taken"])
async def test_without_a_thread_the_game_starts_in_the_channel(
    server: Server, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    threads = Threads(server, "" if why == "refused" else "discord:5/900")
    if why == "taken":
        thread = Place(threads.key, HALL.server, parent=HALL)
        await server.do(CORA, 'game start lnlt "Hill" sides="US, VC"', thread)
    if why == "slow":
        monkeypatch.setattr(game_channels, "THREAD_SECONDS", 0.01)

        async def wait(*_: object) -> str:
            await asyncio.sleep(60)
            return ""

        server.app.executor.threads["discord"] = wait
    played = await press_on_card(server, BEN, await server.card())
    assert (played.error, played.private) == (False, False)
    assert (await server.game(HALL)).name == "The Ford at Dawn"


async def test_two_who_press_the_card_at_once_start_one_game_in_its_thread(server: Server) -> None:
    threads = Threads(server)
    card = await server.card()
    replies = await asyncio.gather(*(press_on_card(server, who, card) for who in (BEN, CORA)))
    assert sorted(reply.error for reply in replies) == [False, True]
    assert len(await server.app.store.list_games()) == 1
    assert (await server.game(Place(threads.key))).name == "The Ford at Dawn"
    assert await server.game(HALL) is None


async def test_a_seek_belongs_to_its_server(server: Server) -> None:
    card = await server.card()
    for text in (f"seek play {id_of(card)}", f"seek withdraw {id_of(card)}"):
        assert "no longer open" in (await server.say(VERA, text, ABROAD)).title
    assert "Nobody is looking" in (await server.do(BEN, "seek list", ABROAD)).title


async def test_a_seek_ends_if_its_writer_has_left(server: Server) -> None:
    async def is_member(user: str, channel: str) -> bool | None:
        return {ANNA.key: False, BEN.key: None}.get(user, True)

    server.app.executor.members["discord"] = is_member
    card = await server.card()
    reply = await server.press(BEN, action(card, "Play"))
    assert (reply.title, reply.private) == ("Anna has left, so this seek has ended", True)
    assert [one.over for one in await server.posted(HALL) if one.over] == ["Anna has left"]
    assert await server.game(HALL) is None
    assert await server.app.store.load_docs(SEEK) == ()
    card = await server.card(BEN)
    assert not (await server.press(CORA, action(card, "Play"))).error, "the platform does not say"


async def test_nothing_of_a_start_by_seek_is_undone(server: Server) -> None:
    """The die that drew the sides stays, since the sides do."""
    card = await server.card()
    await server.press(BEN, action(card, "Play"))
    for person in (ANNA, BEN):
        refused = await server.say(person, "game undo")
        assert (refused.error, refused.title) == (True, "There is nothing to undo.")
        for number in range(1, 5):
            refused = await server.say(person, f"game undo {number}")
            assert f"#{number} cannot be undone" in refused.format_text()
    await server.do(ANNA, "unit edit us1 shaken")
    assert "#5 is undone" in (await server.do(ANNA, "game undo")).title
    assert "nothing to undo" in (await server.say(ANNA, "game undo")).title
    log = await server.log(ANNA, HALL)
    assert check(log).faults == ()


@pytest.mark.parametrize(("pace", "hours"), [("evening", 0), ("daily", 4), ("weekly", 24)])
async def test_reminders_match_the_pace_unless_set(server: Server, pace: str, hours: int) -> None:
    await server.do(BEN, "me ping interval=off")
    await server.do(ANNA, "me ping zone=Europe/Berlin")
    card = await server.card(text=f"seek game {pace} lnlt scenario=ford")
    played = await server.press(BEN, action(card, "Play"))
    assert (f"every {hours} hours" in played.format_text()) == bool(hours)
    assert ("To change yours: /me ping" in played.format_text()) == bool(hours)
    assert "are off" in (await server.do(BEN, "me show")).title
    shown = await server.do(ANNA, "me show")
    assert ("are on" in shown.title) == bool(hours)
    assert "Europe/Berlin" in shown.format_text()
    await server.do(CORA, "me show")
    due = (await server.app.store.load_user_data(ANNA.key)).due
    assert bool(due) == bool(hours), "the first move is reminded of"


# The end


async def test_a_seek_is_withdrawn_by_its_writer_or_a_manager(server: Server) -> None:
    card = await server.card()
    reply = await server.press(BEN, action(card, "Withdraw"))
    assert (reply.error, reply.code) == (True, "not-manager")
    assert not (await server.press(ANNA, action(card, "Withdraw"))).error
    assert [one.over for one in await server.posted(HALL) if one.over] == ["Withdrawn"]
    assert "no longer open" in (await server.press(BEN, action(card, "Play"))).title
    card = await server.card()
    assert not (await server.press(VERA, action(card, "Withdraw"))).error


async def test_withdraw_asks_which_of_several(server: Server) -> None:
    assert (await server.say(ANNA, "seek withdraw")).code == "not-asked"
    for _ in range(2):
        await server.card()
    asked = await server.say(ANNA, "seek withdraw")
    assert (asked.code, len(asked.buttons)) == ("missing", 2)
    assert not (await server.press(ANNA, asked.buttons[0].action)).error
    assert (await server.do(ANNA, "seek withdraw")).title == "Withdrawn: The Ford at Dawn"
    assert await server.app.store.load_docs(SEEK) == ()


async def test_a_seek_ends_after_two_weeks(server: Server) -> None:
    card = await server.card()
    await server.posted(HALL)
    loop = DueLoop(server.app.store, server.app.run)
    server.now += SEEK_KEPT - 1000
    assert await loop.look() == 0
    server.now += 1000
    assert await loop.look() == 1
    [over] = [one for one in await server.posted(HALL) if one.over]
    assert (over.over, over.title, over.buttons) == ("Expired", card.title, ())
    assert await loop.look() == 0
    assert "no longer open" in (await server.press(BEN, action(card, "Play"))).title
    assert "Nobody is looking" in (await server.do(BEN, "seek list")).title


async def test_a_played_seek_does_not_expire(server: Server) -> None:
    await server.press(BEN, action(await server.card(), "Play"))
    server.now += SEEK_KEPT + DAY
    await server.posted(HALL)
    await DueLoop(server.app.store, server.app.run).look()
    assert not [one for one in await server.posted(HALL) if one.over == "Expired"]


async def test_a_seek_goes_with_its_writers_data(server: Server) -> None:
    card = await server.card(text=f'{FORD} text="my own words"')
    shown = (await server.do(ANNA, "privacy show")).format_text()
    for words in ("Your open seeks, with your name: 1", "drafts: 0", "reminders pending: 0"):
        assert words in shown
    data = json.loads((await server.do(ANNA, "privacy export")).files[0].content)
    [document] = [one for one in data["documents"] if one["kind"] == SEEK]
    assert document["data"]["text"] == "my own words"
    seed = (await server.app.store.load_docs(SEEK_SEED))[0].data["seed"]
    assert seed not in json.dumps(data), "nobody may know the dice"
    await server.posted(HALL)
    await server.do(ANNA, "privacy delete confirm")
    [over] = [one for one in await server.posted(HALL) if one.over]
    assert over.over == "Withdrawn"
    assert "Anna" not in over.format_text()
    assert await server.app.store.load_docs(SEEK) == ()
    assert "no longer open" in (await server.press(BEN, action(card, "Play"))).title


# Two bots on one database


async def test_two_bots_start_one_game_of_a_seek(bots: list[Server]) -> None:
    first, second = bots
    for _ in range(4):
        play = action(await first.card(), "Play")
        replies = await asyncio.gather(
            first.app.press(play, BEN, HALL, f"{play}b", {}),
            second.app.press(play, CORA, ROOM, f"{play}c", {}),
        )
        assert sorted(reply.error for reply in replies) == [False, True]
        for where in (HALL, ROOM):
            await first.say(VERA, "game end confirm", where)
    assert len(await first.app.store.list_games()) == 4
    listed = await second.app.store.load_docs(SEEK, under=f"{HALL.server}/")
    assert not listed
