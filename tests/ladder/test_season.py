"""Seasons: which results are rated, months, standings and form."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ladder.glicko import NEWCOMER, RatedGame, rate
from bot.ladder.result import Result
from bot.ladder.season import (
    NO_LADDER,
    Ladder,
    add_month,
    compute_ladder,
    get_month,
    get_next_month,
    get_order,
    select_rated,
    sort_standings,
)
from tests.ladder.season_facts import build_result

PLAYERS = ("anna", "ben", "cleo", "dan")


@st.composite
def seasons(draw: st.DrawFn) -> list[Result]:
    """Draw results of four players in 14 months, with several games of a pair in a month."""
    results: list[Result] = []
    for number in range(draw(st.integers(0, 40))):
        first, second = draw(st.permutations(PLAYERS))[:2]
        month = draw(st.integers(0, 13))
        day = f"{2025 + month // 12}-{month % 12 + 1:02}-{draw(st.integers(1, 28)):02}"
        winner = draw(st.sampled_from((0, 1, None)))
        results.append(build_result(day, first, second, winner, game=f"g{number}"))
    return results


def test_a_month_is_one_of_utc() -> None:
    """The last second of November, and the first of December."""
    assert get_month(1796083199) == "2026-11"
    assert get_month(1796083200) == "2026-12"
    assert get_next_month("2026-11") == "2026-12"
    assert get_next_month("2026-12") == "2027-01"


def test_the_first_three_games_a_month_of_two_players_are_rated_in_order_of_confirmation() -> None:
    results = [
        build_result("2026-11-05", "anna", "ben"),
        build_result("2026-11-02", "ben", "anna"),
        build_result("2026-11-04", "anna", "ben"),
        build_result("2026-11-06", "anna", "ben"),
        build_result("2026-11-07", "anna", "cleo"),
        build_result("2026-12-01", "anna", "ben"),
    ]
    days = [result.game[:10] for result in select_rated(results)]
    assert days == ["2026-11-02", "2026-11-04", "2026-11-05", "2026-11-07", "2026-12-01"]


def test_games_of_a_month_count_at_once_against_the_ratings_before_it() -> None:
    results = [
        build_result("2026-11-02", "anna", "ben"),
        build_result("2026-11-03", "anna", "cleo"),
    ]
    ladder = compute_ladder(results, "2026-11")
    newcomer_lost = RatedGame(NEWCOMER, 0.0)
    newcomer_won = RatedGame(NEWCOMER, 1.0)
    assert ladder.records["console/anna"].rating == rate(NEWCOMER, [newcomer_won, newcomer_won])
    assert ladder.records["console/ben"].rating == rate(NEWCOMER, [newcomer_lost])
    assert ladder.records["console/cleo"].rating == rate(NEWCOMER, [newcomer_lost])


def test_a_player_without_games_is_less_sure_month_by_month() -> None:
    result = build_result("2026-11-02", "anna", "ben")
    after_one = compute_ladder([result], "2026-11").records["console/anna"].rating
    after_three = compute_ladder([result], "2027-01").records["console/anna"].rating
    assert after_three == rate(rate(after_one, []), [])


def test_form_shows_the_last_five_results_also_those_that_are_not_rated() -> None:
    results = [
        build_result(f"2026-11-{day:02}", "anna", "ben", winner)
        for day, winner in enumerate((1, 0, None, 0, 1, 0), start=1)
    ]
    ladder = compute_ladder(results, "2026-11")
    assert ladder.records["console/anna"].form == "WDWLW"
    assert ladder.records["console/ben"].form == "LDLWL"
    assert ladder.records["console/anna"].rated == 3


def test_reply_hours_are_those_of_the_last_games_that_say_them() -> None:
    results = [
        build_result("2026-11-01", "anna", "ben", reply_hours=(2.0, None)),
        build_result("2026-11-02", "anna", "ben", reply_hours=(4.0, None)),
    ]
    ladder = compute_ladder(results, "2026-11")
    assert ladder.records["console/anna"].replies == (2.0, 4.0)
    assert ladder.records["console/ben"].replies == ()


def test_standings_list_the_best_first_and_hide_ratings_below_five_games() -> None:
    """Anna wins five times against five others; two of these play each other."""
    others = ("ben", "cleo", "dan", "eve", "fred")
    results = [
        build_result(f"2026-11-{day:02}", "anna", other)
        for day, other in enumerate(others, start=1)
    ]
    results.append(build_result("2026-11-09", "ben", "cleo", None))
    shown, hidden = sort_standings(compute_ladder(results, "2026-11"))
    assert [(record.name, record.rated) for record in shown] == [("anna", 5)]
    assert [(record.name, record.rated) for record in hidden] == [
        *(("ben", 2), ("cleo", 2)),
        *(("dan", 1), ("eve", 1), ("fred", 1)),
    ]


@given(seasons(), st.integers(0, 13), st.randoms(use_true_random=False))
def test_a_stored_month_changes_nothing(
    results: list[Result], months: int, shuffler: random.Random
) -> None:
    """From a stored ladder on, in whatever order results come, the standings are the same."""
    month = f"{2025 + months // 12}-{months % 12 + 1:02}"
    whole = compute_ladder(results, "2026-02")
    earlier = [result for result in results if get_month(result.time) <= month]
    stored = json.loads(json.dumps(compute_ladder(earlier, month).to_json()))
    later = [result for result in results if get_month(result.time) > month]
    shuffler.shuffle(later)
    assert compute_ladder(later, "2026-02", Ladder.from_json(stored)).records == whole.records


@given(seasons())
def test_no_pair_has_more_than_three_rated_games_a_month(results: list[Result]) -> None:
    rated = select_rated(results)
    pairs = [(get_month(result.time), *sorted(s.player for s in result.seats)) for result in rated]
    assert max(map(pairs.count, pairs), default=0) <= 3
    assert rated == sorted(rated, key=get_order)
    ladder = compute_ladder(results, "2026-02")
    assert sum(record.rated for record in ladder.records.values()) == 2 * len(rated)


def test_a_ladder_without_results_is_empty() -> None:
    assert compute_ladder([], "2026-11") == Ladder("2026-11", {})
    assert add_month(NO_LADDER, "2026-11", []).records == {}


def test_a_win_of_both_players_each_leaves_them_equal() -> None:
    results = [
        build_result("2026-11-02", "anna", "ben", 0),
        build_result("2026-11-03", "ben", "anna", 0),
    ]
    records = compute_ladder(results, "2026-11").records
    assert records["console/anna"].rating.rating == pytest.approx(1500)
    assert records["console/ben"].rating.rating == pytest.approx(1500)
