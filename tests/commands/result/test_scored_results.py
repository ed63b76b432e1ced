"""Games with a score: after the last turn it gives the winner, whom the players confirm, and
`grognard verify` computes it again.

Anna, the game master, plays the Duke, and Ben the League, which has more points.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.game.score import Score, is_score_against
from bot.storage.base import DAY
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from tests.commands.result_helpers import ANNA, BEN, VERA
from tests.commands.scored_helpers import DUEL, GAME, start_duel
from tests.forging import Json, rechained
from tests.packs.conftest import PackMaker
from tests.packs.conftest import make_pack as make_pack
from tests.packs.conftest import use_packs as use_packs
from tests.verification.forgeries_helpers import first

CALL = "Duke's win is the players' decision; the score says otherwise."
LEAGUE_BY_SCORE = {"winner": "League", "tracks": {"Duke/points": 3, "League/points": 9}}


@pytest.fixture(autouse=True)
def duel(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> None:
    use_packs(make_pack({"game.yaml": GAME, "scenarios/duel.yaml": DUEL}).parent)


def labels(reply: Reply) -> list[str]:
    return [button.label for button in reply.buttons]


def remarks(log: Json) -> str:
    return "\n".join(check(log).remarks)


async def test_the_score_gives_the_winner_whom_both_confirm() -> None:
    server = await start_duel()
    card = await server.do(ANNA, "game next")
    assert card.title == "That was turn 1, the last. By the score, League wins."
    assert "Points: Duke 3, League 9\n" in card.format_text()
    assert labels(card) == ["Confirm: League wins", "Duke wins", "A draw", "Play on"]
    status = await server.do(ANNA, "game status")
    waits = f"Waiting for you: {card.title}"
    assert waits in status.format_text()
    assert labels(status)[:3] == ["Confirm: League wins", "Duke wins", "A draw"]
    asked = await server.press(BEN, card, "Confirm: League wins")
    assert asked.title == "Ben asks to end the game: League wins"
    assert "Points: Duke 3, League 9\n" in asked.format_text()
    story = await server.press(ANNA, asked, "Agree")
    assert "The result is confirmed." in story.format_text()
    log = await server.log()
    assert first(log, "end")["score"] == LEAGUE_BY_SCORE
    assert "score" not in remarks(log)


async def test_a_level_score_gives_a_draw() -> None:
    server = await start_duel(3)
    card = await server.do(ANNA, "game next")
    assert card.title == "That was turn 1, the last. By the score, it is a draw."
    assert labels(card)[0] == "Confirm: A draw"
    summary = await server.press(ANNA, card, "Confirm: A draw")
    confirmed = await server.press(BEN, summary, "Confirm")
    assert "By the score, it is a draw: Duke 3, League 3." in confirmed.format_text()
    assert first(await server.log(), "end")["score"]["winner"] == "draw"


async def test_both_players_may_name_another_and_the_log_says_so() -> None:
    server = await start_duel()
    card = await server.do(ANNA, "game next")
    asked = await server.press(BEN, card, "Duke wins")
    assert CALL in asked.format_text()
    story = await server.press(ANNA, asked, "Agree")
    assert CALL in story.format_text()
    words = "Duke wins against the score, Duke 3, League 9"
    assert words in (await server.do(ANNA, "log")).format_text()
    log = await server.log()
    assert "both players name Duke, and the score gives League." in remarks(log)


@pytest.mark.parametrize(
    ("options", "winner"), [("", "League"), (" winner=Duke", "Duke"), (" winner=none", "")]
)
async def test_the_end_is_typed_without_a_winner(options: str, winner: str) -> None:
    server = await start_duel()
    await server.do(ANNA, "game next")
    question = await server.do(ANNA, "game end")
    assert question.title.endswith("? By the score, League wins.")
    assert labels(question)[:3] == ["Confirm: League won", "Duke won", "Draw"]
    await server.do(ANNA, f"game end{options} confirm")
    fields = first(await server.log(), "end")["after"]["game"]
    assert fields.get("winner", "") == winner


async def test_before_the_last_turn_is_over_the_players_name_the_winner() -> None:
    server = await start_duel()
    question = await server.do(ANNA, "game end")
    assert question.title.endswith("Who won?")
    assert "Points: Duke 3, League 9: League is ahead" in question.format_text()
    await server.do(ANNA, "game end confirm")
    assert "winner" not in first(await server.log(), "end")["after"]["game"]


@pytest.mark.parametrize("winner", ["Duke", "League"])
async def test_a_manager_confirms_what_the_score_gives_and_nothing_else(winner: str) -> None:
    server = await start_duel()
    await server.end(winner)
    server.now += 7 * DAY
    reply = await server.say(VERA, 'result confirm reason="Ben is gone."')
    if winner == "Duke":
        assert reply.code == "no-result"
        return
    assert "By the score, League wins: Duke 3, League 9." in reply.format_text()
    await server.log()


def name_duke(log: Json) -> None:
    first(log, "end")["after"]["game"]["winner"] = "Duke"


def put_score(**fields: Any) -> Callable[[Json], None]:
    return lambda log: first(log, "end")["score"].update(fields)


def leave_out_score(log: Json) -> None:
    del first(log, "end")["score"]


@pytest.mark.parametrize(
    ("forge", "fault"),
    [
        (name_duke, "a manager confirmed a result that contradicts the score"),
        (put_score(winner="Duke"), "its score is not that of the game's tracks"),
        (put_score(tracks={"Duke/points": 3}), "its score is not that of the game's tracks"),
        (put_score(tracks={"Duke/points": 9, "League/points": 3}), "not that of the game's tracks"),
        (put_score(tracks={"Reds/points": 9}), "not that of the game's tracks"),
        (leave_out_score, "Duke 3, League 9; the winner is League"),
    ],
)
async def test_a_result_that_contradicts_the_score_is_named(
    forge: Callable[[Json], None], fault: str
) -> None:
    server = await start_duel()
    await server.end("League")
    server.now += 7 * DAY
    await server.do(VERA, 'result confirm reason="Ben is gone."')
    log = await server.log()
    forge(log)
    faults = "\n".join(check(rechained(log)).faults)
    assert fault in faults, faults or "it was found sound"


@pytest.mark.parametrize(
    ("by_score", "named", "is_against"),
    [
        ("Duke", "Duke", False),
        ("Duke", "League", True),
        ("draw", "League", True),
        ("", "League", False),
        ("Duke", "", False),
    ],
)
def test_only_another_winner_is_against_the_score(
    by_score: str, named: str, is_against: bool
) -> None:
    """A score that names nobody, as its tracks disagree, leaves it to the players."""
    assert is_score_against(Score(by_score, {}), named) == is_against
