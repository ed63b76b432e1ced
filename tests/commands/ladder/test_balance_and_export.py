"""`/ladder balance` and `/ladder export`."""

from __future__ import annotations

import json

from bot.ladder.export import find_ladder_faults, read_ladder_file
from bot.ladder.result import Result
from tests.commands.ladder.club import Club, build_season
from tests.ladder import recompute_ratings
from tests.ladder.season_facts import build_result


def build_games(luck: tuple[float | None, float | None], games: int) -> list[Result]:
    """Return games in which the US win three of four, always with the same luck."""
    return [
        build_result(f"2026-11-{day:02}", "Anna", "Ben", int(day % 4 == 0), luck=luck)
        for day in range(1, games + 1)
    ]


async def test_each_side_of_a_scenario_has_its_wins() -> None:
    club = await Club.fresh(results=build_games((None, 0.2), 12))
    text = await club.do("Anna", "ladder balance")
    assert text.splitlines() == [
        "Balance of scenarios · Lock 'n Load Tactical",
        "The Ford at Dawn: 12 games. US won 9, VC 3.",
        "At equal luck: shown after 10 games with enough rolls.",
    ]


async def test_at_equal_luck_the_chance_has_a_range() -> None:
    club = await Club.fresh(results=build_games((0.4, 0.4), 12))
    text = await club.do("Anna", "ladder balance")
    assert text.splitlines()[2] == "At equal luck: US 74% (45% to 91%)."


async def test_games_without_a_scenario_have_no_balance() -> None:
    result = build_result("2026-11-01", "Anna", "Ben", scenario="")
    club = await Club.fresh(results=[result])
    text = await club.do("Anna", "ladder balance")
    assert "No game that counted here has used a scenario yet." in text


async def test_the_exported_file_holds_and_a_second_program_agrees() -> None:
    club = await Club.fresh(results=build_season())
    reply = await club.say("Anna", "ladder export")
    assert reply.private
    (file,) = reply.files
    assert file.name == "ladder-lnlt.json"
    data = json.loads(file.text)
    assert (data["month"], data["created"]) == ("2026-11", club.now)
    assert list(find_ladder_faults(read_ladder_file(data))) == []
    assert recompute_ratings.find_differences(data) == []
    assert "discord" not in json.dumps(data["players"])
