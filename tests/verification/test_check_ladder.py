"""A ladder against the logs of its games: each cheat is named, with the game."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.cli.cli import verify_file
from bot.ui.spec import Person
from bot.verification.check_ladder import check_ladder
from tests.commands.ladder.played import MANAGER, Table, export_ladder
from tests.fresh import fresh_app, run

Json = dict[str, Any]
ANNA = Person("discord:1", "Anna")
BEN = Person("discord:2", "Ben")


async def _play_two_games() -> tuple[Json, list[Json]]:
    time = 1_800_000_000.0
    app = await fresh_app(lambda: time)
    first_table = Table(app, 1)
    await first_table.say(MANAGER, "setup ladder on")
    await first_table.play(ANNA, BEN, "US")
    time += 60.0
    second_table = Table(app, 2)
    await second_table.play(BEN, ANNA, "draw", title="Ford")
    logs = [await first_table.export(ANNA), await second_table.export(ANNA)]
    return await export_ladder(app, first_table.place), logs


@pytest.fixture(scope="module")
def season() -> tuple[Json, list[Json]]:
    """Return the ladder of two games, which Anna won and drew, and their logs."""
    return run(_play_two_games())


def test_an_honest_ladder_is_proved_by_its_logs(season: tuple[Json, list[Json]]) -> None:
    ladder, logs = season
    findings = check_ladder(ladder, logs)
    assert findings.faults == ()
    assert (findings.results, findings.proved, findings.status) == (2, 2, 0)


def test_results_without_a_log_are_counted(season: tuple[Json, list[Json]]) -> None:
    ladder, logs = season
    findings = check_ladder(ladder, logs[:1])
    assert (findings.faults, findings.proved, findings.status) == ((), 1, 3)
    assert "1 result without a log" in findings.format_summary()[1]


def _turn_winner(ladder: Json) -> None:
    ladder["results"][0]["winner"] = 1


def _swap_persons(ladder: Json) -> None:
    first, second = ladder["results"][0]["players"]
    first["person"], second["person"] = second["person"], first["person"]


def _name_stranger(ladder: Json) -> None:
    ladder["results"][0]["players"][1]["person"] = "somebody"


def _change_head(ladder: Json) -> None:
    ladder["results"][0]["head"] = "0" * 64


def _name_other_event(ladder: Json) -> None:
    ladder["results"][0]["confirmed"] = 2


def _move_time(ladder: Json) -> None:
    ladder["results"][0]["time"] -= 40 * 86400


def _deny_manager(ladder: Json) -> None:
    ladder["results"][0]["manager"] = True


def _change_scenario(ladder: Json) -> None:
    ladder["results"][0]["scenario"] = "ford"


def _change_commitment(ladder: Json) -> None:
    ladder["results"][0]["commitment"] = "f" * 64


def _change_system(ladder: Json) -> None:
    ladder["system"] = "nhis"


CHEATS: list[tuple[Callable[[Json], None], str]] = [
    (_turn_winner, "the ladder says VC won, its log US won."),
    (_swap_persons, "a player has the side VC in the ladder, and US in its log."),
    (_name_stranger, "the players in the ladder are not those who let the game count in its log."),
    (_change_head, "has another hash in its log than in the ladder."),
    (_name_other_event, "its log confirms no result in event 2."),
    (_move_time, "the ladder has another time of the confirmation than its log."),
    (_deny_manager, "do not agree on whether a manager confirmed it."),
    (_change_scenario, "the ladder has another scenario than its log."),
    (_change_commitment, "the ladder has another commitment to its dice than its log."),
    (_change_system, "it was played by the rules of lnlt, not of nhis."),
]


@pytest.mark.parametrize(("cheat", "sentence"), CHEATS, ids=[cheat.__name__ for cheat, _ in CHEATS])
def test_each_cheat_names_the_game(
    season: tuple[Json, list[Json]], cheat: Callable[[Json], None], sentence: str
) -> None:
    ladder, logs = copy.deepcopy(season)
    game = ladder["results"][0]["game"]
    cheat(ladder)
    findings = check_ladder(ladder, logs)
    matching = [fault for fault in findings.faults if sentence in fault]
    assert matching, findings.faults
    assert matching[0].startswith(f'"Hill 875" (game {game}): ')
    assert findings.status == 1


def test_a_forged_log_is_named_with_its_game(season: tuple[Json, list[Json]]) -> None:
    """The winner is changed in the log as well, whose chain then no longer fits."""
    ladder, logs = copy.deepcopy(season)
    ladder["results"][0]["winner"] = 1
    end = next(row for row in logs[0]["events"] if row["body"]["kind"] == "end")
    end["body"]["after"]["game"]["winner"] = "VC"
    findings = check_ladder(ladder, logs)
    game = ladder["results"][0]["game"]
    assert any(
        fault.startswith(f'"Hill 875" (game {game}), its log: ') for fault in findings.faults
    )


def test_a_game_that_is_left_out_is_a_remark(season: tuple[Json, list[Json]]) -> None:
    ladder, logs = copy.deepcopy(season)
    removed = ladder["results"].pop()
    findings = check_ladder(ladder, logs)
    assert any(
        remark.startswith(
            f"The game {removed['game']} has a confirmed result in its log, and is not"
        )
        for remark in findings.remarks
    )


async def test_a_result_that_was_taken_back_is_a_fault() -> None:
    app = await fresh_app()
    table = Table(app, 1)
    await table.say(MANAGER, "setup ladder on")
    await table.play(ANNA, BEN, "US")
    ladder = await export_ladder(app, table.place)
    request = await table.say(ANNA, "result strike")
    await table.press(BEN, request, "Agree")
    findings = check_ladder(ladder, [await table.export(ANNA)])
    assert any("its result was taken back later in the log." in fault for fault in findings.faults)
    assert (await export_ladder(app, table.place, "later"))["results"] == []


def test_the_command_line_checks_a_ladder_with_its_logs(
    season: tuple[Json, list[Json]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ladder, logs = copy.deepcopy(season)
    paths = [tmp_path / name for name in ("ladder.json", "one.json", "two.json")]
    for path, data in zip(paths, [ladder, *logs], strict=True):
        path.write_text(json.dumps(data))
    assert verify_file([str(path) for path in paths]) == 0
    assert capsys.readouterr().out == "2 results, 2 compared with their logs, 0 faults.\n"
    assert verify_file([str(paths[0])]) == 3
    assert "2 results without a log: list the files from /game export" in capsys.readouterr().out
    ladder["standings"][0]["rated"] = 9
    paths[0].write_text(json.dumps(ladder))
    assert verify_file([str(path) for path in paths]) == 1
    assert "9 rated games; it should be 2." in capsys.readouterr().out
    assert verify_file([str(paths[1])]) == 0
