"""The file of a ladder: it is checked by computing everything again, and each cheat is named."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from bot.ladder.export import (
    build_ladder_file,
    find_ladder_faults,
    is_ladder_file,
    read_ladder_file,
)
from bot.ladder.season import compute_ladder
from bot.rules.errors import UserError
from tests.ladder import recompute_ratings
from tests.ladder.season_facts import build_result
from tests.ladder.test_season import seasons

Json = dict[str, Any]


def build_file(results: list[Any], month: str = "2026-12") -> Json:
    ladder = compute_ladder(results, month)
    file = build_ladder_file(
        results,
        ladder,
        server="The club",
        system="lnlt",
        title="Line of Fire",
        created=1_800_000_000,
    )
    parsed: Json = json.loads(json.dumps(file))
    return parsed


def build_autumn() -> Json:
    """Return a file in which Anna plays Ben four times in October, and Cleo in November."""
    results = [build_result(f"2026-10-{day:02}", "anna", "ben", day % 2) for day in range(1, 5)]
    results += [build_result(f"2026-11-{day:02}", "cleo", "anna", None) for day in range(1, 4)]
    return build_file(results)


def list_faults(data: Json) -> list[str]:
    return list(find_ladder_faults(read_ladder_file(data)))


@given(seasons())
def test_each_file_holds_what_it_says_and_a_second_program_agrees(results: list[Any]) -> None:
    data = build_file(results, "2026-02")
    assert list_faults(data) == []
    assert recompute_ratings.find_differences(data) == []


def test_a_file_has_no_accounts_and_only_ratings_that_are_shown() -> None:
    data = build_autumn()
    assert "console/" not in json.dumps(data)
    assert data["players"] == {"p1": "anna", "p2": "ben", "p3": "cleo"}
    shown = [standing["player"] for standing in data["standings"] if "rating" in standing]
    assert shown == ["p1"]
    assert [result["rated"] for result in data["results"]] == [True] * 3 + [False] + [True] * 3


def _turn_result(data: Json) -> None:
    data["results"][0]["winner"] = 0


def _repeat_game(data: Json) -> None:
    data["results"].insert(1, data["results"][0])


def _copy_dice(data: Json) -> None:
    data["results"][4]["commitment"] = data["results"][0]["commitment"]


def _rate_fourth(data: Json) -> None:
    data["results"][3]["rated"] = True


def _leave_unrated(data: Json) -> None:
    data["results"][1]["rated"] = False


def _swap_order(data: Json) -> None:
    data["results"][0], data["results"][1] = data["results"][1], data["results"][0]


def _raise_rating(data: Json) -> None:
    data["standings"][0]["rating"] += 10


def _raise_volatility(data: Json) -> None:
    data["standings"][0]["volatility"] += 0.001


def _show_early(data: Json) -> None:
    data["standings"][1]["rating"] = 1800.0


def _drop_player(data: Json) -> None:
    del data["standings"][1]


def _invent_player(data: Json) -> None:
    data["standings"].append({"player": "p9", "rated": 5, "rating": 2000.0})


def _count_more(data: Json) -> None:
    data["standings"][1]["rated"] = 4


def _change_formula(data: Json) -> None:
    data["formula"]["tau"] = 0.9


def _play_oneself(data: Json) -> None:
    data["results"][0]["players"][1]["player"] = "p1"


def _confirm_later(data: Json) -> None:
    data["results"][-1]["time"] = 1_800_000_001


CHEATS: list[tuple[Callable[[Json], None], str]] = [
    (_turn_result, "The file gives anna a rating of "),
    (_repeat_game, '"Ford" (game 2026-10-01-anna-ben) is listed 2 times.'),
    (_copy_dice, "(game 2026-11-01-cleo-anna) has the dice of"),
    (_rate_fourth, "is rated, but anna and ben already had 3 rated games in 2026-10 before it."),
    (_leave_unrated, "is not rated, but it is among the first 3 games of anna and ben in 2026-10."),
    (_swap_order, "but was confirmed earlier."),
    (_raise_rating, "The file gives anna a rating of "),
    (_raise_volatility, "The file gives anna a volatility of "),
    (_show_early, "ben has a rating after fewer than 5 rated games."),
    (_drop_player, "ben has played, but is not in the standings."),
    (_invent_player, "p9 is in the standings without a game."),
    (_count_more, "The file gives ben 4 rated games; it should be 3."),
    (_change_formula, "The formula has tau 0.9; every ladder has 0.5."),
    (_play_oneself, "has the same player on both sides."),
    (_confirm_later, "was confirmed after the file was created."),
]


@pytest.mark.parametrize(("cheat", "sentence"), CHEATS, ids=[cheat.__name__ for cheat, _ in CHEATS])
def test_each_cheat_has_its_sentence(cheat: Callable[[Json], None], sentence: str) -> None:
    data = build_autumn()
    cheat(data)
    faults = list_faults(data)
    assert any(sentence in fault for fault in faults), faults


VALUES: tuple[Any, ...] = ("x", [], None, -1, 1e300, True)


def test_every_part_that_is_missing_or_of_another_kind_is_refused_or_a_fault() -> None:
    """Whatever is taken out of a file, or replaced by a text or a list, the check says something
    or the file says no less than before; it never fails.
    """
    data = build_autumn()
    assert list_faults(data) == []
    for path in _list_paths(data):
        for value in VALUES:
            changed = copy.deepcopy(data)
            part: Any = changed
            for key in path[:-1]:
                part = part[key]
            part[path[-1]] = value
            with contextlib.suppress(UserError):
                list_faults(changed)


def _list_paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    paths = []
    for key, part in items:
        paths.append((*path, key))
        if isinstance(part, dict | list):
            paths += _list_paths(part, (*path, key))
    return paths


def test_a_file_of_a_newer_version_says_so() -> None:
    data = build_autumn()
    assert is_ladder_file(data)
    assert not is_ladder_file({"format": "grognard-game"})
    with pytest.raises(UserError, match="newer Grognard"):
        read_ladder_file({**data, "version": 2})
