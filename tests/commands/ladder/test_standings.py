"""`/ladder standings` and `/ladder player`: what is shown, and that it is never old."""

from __future__ import annotations

import json

import pytest

from bot.commands.ladder.ladder_docs import COUNTING, UNFINISHED, WAITS, Unfinished
from bot.commands.ladder.standings_cache import CHANGE, STANDINGS
from bot.ladder.season import compute_ladder, get_month
from bot.storage.records import Doc
from tests.commands.ladder.club import HALL, SERVER, Club, build_docs, build_season, put_results
from tests.ladder.season_facts import build_result


async def test_the_standings_show_ratings_form_and_reply_times() -> None:
    club = await Club.fresh(results=build_season())
    text = await club.do("Anna", "ladder standings")
    assert text.splitlines()[:4] == [
        "Ladder of Lock 'n Load Tactical",
        "   Player  Rating  Form   Wait",
        " 1 Anna    1766    WWWLW  3h",
        " 2 Ben     1464    WLDDD  2d",
    ]
    assert "Rated games so far, of 5 needed: Cleo 4, Dan 1, Eve 1, Fred 1." in text
    assert "Form: the last five games, latest last." in text


async def test_unfinished_games_are_listed_with_their_players() -> None:
    club = await Club.fresh(results=build_season())
    for number, (names, state) in enumerate((("Anna Ben", COUNTING), ("Dan Eve", WAITS))):
        players = tuple(names.split())
        unfinished = Unfinished(
            state, "Ford", tuple(f"console/{name}" for name in players), players
        )
        await club.app.store.put_doc(unfinished.build_doc(SERVER, "lnlt", f"g{number}"))
    text = await club.do("Cleo", "ladder standings")
    assert "Still being played: Anna and Ben." in text
    assert "To be confirmed: Dan and Eve." in text


async def test_before_anybody_has_five_games_there_are_no_ratings() -> None:
    club = await Club.fresh(results=build_season()[:4])
    text = await club.do("Ben", "ladder standings")
    assert "Nobody has 5 rated games yet, so there are no ratings." in text
    assert "Anna 4" in text
    assert "1500" not in text
    assert "Form:" not in text, "there is no table to explain"
    assert "More about a player: /ladder player" in text


async def test_a_server_without_ladder_says_who_can_turn_it_on() -> None:
    club = await Club.fresh()
    await club.do("Vera", "setup ladder off", manager=True)
    for line in ("ladder standings", "ladder player", "ladder balance", "ladder export"):
        reply = await club.say("Anna", line)
        assert reply.code == "no-ladder", line
        assert "/setup ladder on" in reply.format_text()


async def test_a_ladder_without_results_says_how_games_come_to_count() -> None:
    club = await Club.fresh()
    for line in ("ladder standings", "ladder player", "ladder balance", "ladder export"):
        reply = await club.say("Anna", line)
        assert reply.code == "no-result", line
        assert "/result count" in reply.format_text()


async def test_with_ladders_of_two_games_one_must_be_chosen() -> None:
    other = build_result("2026-11-09", "Anna", "Ben")._replace(system="nhis")
    club = await Club.fresh(results=[*build_season(), other])
    for line in ("ladder standings", "ladder player", "ladder balance", "ladder export"):
        reply = await club.say("Anna", line)
        assert (reply.code, reply.option) == ("missing", "system"), line
        hint = f"/{line} system=lnlt"
        assert hint in reply.format_text()
        assert "Lock 'n Load Tactical" in await club.do("Anna", hint)
    assert "No Honor in Surrender" in await club.do("Anna", "ladder standings nhis")
    await club.do("Anna", 'game start nhis "Hill" sides="US, VC"')
    assert "No Honor in Surrender" in await club.do("Anna", "ladder standings")


async def test_only_the_user_sees_it_until_they_share_it() -> None:
    club = await Club.fresh(results=build_season())
    reply = await club.say("Anna", "ladder standings")
    assert reply.private
    assert [button.label for button in reply.buttons] == ["Share"]


async def test_a_month_that_is_over_is_stored_and_used() -> None:
    """The stored ladder is that of October; with it the answer is the same as without it."""
    club = await Club.fresh(results=build_season())
    before = await club.do("Dan", "ladder standings")
    doc = await club.app.store.load_doc(STANDINGS, f"{SERVER}/lnlt/2026-10")
    assert doc is not None
    earlier = [result for result in build_season() if get_month(result.time) < "2026-11"]
    stored = compute_ladder(earlier, "2026-10").to_json()
    assert doc.data["ladder"] == json.loads(json.dumps(stored))
    for result in earlier:  # the stored ladder stands for them
        for old in build_docs(result)[:1]:
            await club.app.store.take_doc(old.kind, old.key)
    assert await club.do("Dan", "ladder standings") == before


async def test_a_month_is_not_stored_in_the_first_hour_after_it() -> None:
    club = await Club.fresh("2026-12-01T00:30", results=build_season())
    await club.do("Dan", "ladder standings")
    doc = await club.app.store.load_doc(STANDINGS, f"{SERVER}/lnlt/2026-10")
    assert doc is not None
    assert doc.data["ladder"]["month"] == "2026-10"
    club.now += 3600
    await club.do("Dan", "ladder standings")
    doc = await club.app.store.load_doc(STANDINGS, f"{SERVER}/lnlt/2026-11")
    assert doc is not None
    assert doc.data["ladder"]["month"] == "2026-11"


async def test_a_ladder_that_does_not_know_a_change_is_not_used() -> None:
    """As if a result was struck while the ladder was computed: it is stored, and never used."""
    club = await Club.fresh(results=build_season())
    await club.do("Dan", "ladder standings")
    struck = build_season()[0]
    await club.app.store.take_doc(*build_docs(struck)[0][:2])
    await club.app.store.put_doc(
        Doc(CHANGE, f"{SERVER}/lnlt/x", {"month": "2026-09"}, None, SERVER)
    )
    text = await club.do("Dan", "ladder standings")
    assert "Anna    1790" in text
    assert "Anna    1766" not in text


@pytest.mark.parametrize(
    ("month", "is_used"), [("2026-09", False), ("2026-10", False), ("2026-11", True)]
)
async def test_a_change_spares_the_ladders_of_earlier_months(month: str, *, is_used: bool) -> None:
    """The stored ladder of October is a false one, to see whether it is used."""
    club = await Club.fresh(results=build_season())
    await club.do("Dan", "ladder standings")
    key = f"{SERVER}/lnlt/2026-10"
    doc = await club.app.store.load_doc(STANDINGS, key)
    assert doc is not None
    record = ["console/Zoe", "Zoe", 2000.0, 60.0, 0.06, 9, "WWWWW", []]
    false_ladder = {"month": "2026-10", "records": [record]}
    await club.app.store.put_doc(doc._replace(data={**doc.data, "ladder": false_ladder}))
    await club.app.store.put_doc(Doc(CHANGE, f"{SERVER}/lnlt/x", {"month": month}, None, SERVER))
    assert ("Zoe" in await club.do("Dan", "ladder standings")) == is_used
    assert ("Zoe" in await club.do("Dan", "ladder standings")) == is_used


async def test_the_own_row_is_shown_below_a_long_table() -> None:
    """Twenty players play each other, and number 19 asks."""
    names = [f"P{number:02}" for number in range(20)]
    results = [
        build_result(f"2026-11-{day:02}T{first:02}:{second:02}", names[first], names[second])
        for day in range(1, 2)
        for first in range(20)
        for second in range(first + 1, 20)
    ]
    club = await Club.fresh(results=results)
    rows = (await club.do("P18", "ladder standings")).splitlines()
    assert rows[16].startswith("15 P14")
    assert rows[17].startswith("19 P18")
    assert rows[18] == "4 more aren't shown."


async def test_a_player_is_shown_with_their_range_and_games() -> None:
    club = await Club.fresh(results=build_season())
    text = await club.do("Dan", "ladder player Anna")
    assert text.splitlines()[0] == "Anna: 1766 · Lock 'n Load Tactical"
    assert "Place 1 of 2, after 8 rated games." in text
    assert "19 times out of 20" in text
    assert "Form, latest last: won, won, won, lost, won." in text
    assert "Usually moves within 3 hours." in text
    assert "lost to Ben as VC (Ford)" in text


async def test_a_player_with_few_games_has_no_rating() -> None:
    club = await Club.fresh(results=build_season())
    own = await club.do("Dan", "ladder player")
    assert own.splitlines()[:2] == [
        "Dan · Lock 'n Load Tactical",
        "1 of 5 rated games needed for a rating.",
    ]
    assert "0 of 5 rated games" in await club.do("Zoe", "ladder player")
    reply = await club.say("Dan", "ladder player Ana")
    assert reply.code == "unknown-person"
    assert "Anna" in reply.format_text()


async def test_results_of_another_server_are_not_shown() -> None:
    club = await Club.fresh(results=build_season())
    await put_results(club.app.store, [build_result("2026-11-09", "Zoe", "Yan")], "discord:55")
    text = await club.do("Dan", "ladder standings")
    assert "Zoe" not in text
    assert HALL.server == "discord:5"
    assert await club.app.store.load_docs(UNFINISHED) == ()
