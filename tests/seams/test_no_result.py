"""Dice for which the rules have no result stay in the log, as they fell: a refusal would show them.

The sequences and the table of a pack fail in each way that is found only once dice have fallen. They are
played with the game's own dice and by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.ui.reply.packing import read_file_text
from bot.ui.spec import Place
from bot.verification.check_games import audit_games
from tests.page_script import said_by_page
from tests.playing import Channel
from tests.random_play import exported_text
from tests.seams.undo_helpers import assert_verified

STEPS = {
    "divides": '- roll: {roll: "1d6: try"}\n  - let: {result: "6 // (roll - roll)"}',
    "large": '- roll: {roll: "1d6: try"}\n  - let: {result: "roll * 1000000000 * 100000000"}',
    "digits": '- roll: {roll: "1d6: try"}\n  - let: {result: "roll / 1000000000 / 7"}',
    "explodes": (
        '- roll: {first: "90d6!>=2: try", second: "90d6!>=2: again"}\n'
        "  - let: {result: first + second}"
    ),
    "scores": (
        '- roll: {roll: "1d6: try"}\n  - let: {result: "6 // (roll - roll)"}\n'
        "  - change: {track: points, of: side, add: 1}"
    ),
}
"""Steps that lead to no result, by the ids of sequences."""
IDS = [pytest.param(id, marks=pytest.mark.slow) if id == "explodes" else id for id in STEPS]
"""The same ids; hundreds of dice are slow."""
ASKS = """- roll: {roll: "1d6: try"}
  - choose: {answer: {who: actor, ask: "Go on?", options: {aye: "aye", nay: "nay"}, else: aye}}
  - roll: {more: "1d6: once more"}
  - let: {result: "6 // (more - more)"}"""
"""Steps that lead to none once a side has made its choice."""
SEQUENCE = """{id}:
  title: {title}
  source: "the test"
  summary: "Fails once its dice have fallen."
  inputs: {{}}
  outputs: {{result: number}}
  odds_by: result
  example: {{}}
  steps:
  {steps}
"""
TABLE = """title: Blank
source: ours
group: combat
kind: roll
summary: A formula without a value.
inputs: {roll: {type: int, min: 1, max: 6, optional: true}}
outputs: {result: int}
rolls: {roll: {dice: 1d6, label: try}}
derive: {_x: "0 if roll is None else 6 // (roll - roll)"}
read: {always: {result: 1}}
then: {result: _x}
example: {}
"""
GAME = """groups: {combat: Combat}
units: {types: [unit]}
tracks: {points: {min: 0, max: 9, of: side, title: Points}}
"""


@pytest.fixture
async def channel(tmp_path: Path, use_packs: Callable[[Path], None]) -> Channel:
    folder = tmp_path / "nowhere"
    folder.mkdir()
    about = 'id: nowhere\ntitle: Nowhere\nversion: "1"\nauthor: us\nlicence: CC0-1.0\n'
    texts = [
        SEQUENCE.format(id=id, title=id.title(), steps=steps)
        for id, steps in {**STEPS, "asks": ASKS}.items()
    ]
    (folder / "pack.yaml").write_text(about)
    (folder / "game.yaml").write_text(GAME)
    (folder / "blank.yaml").write_text(TABLE)
    (folder / "sequences.yaml").write_text("".join(texts))
    use_packs(tmp_path)
    channel = await Channel.fresh(place=Place("discord:1/11", "discord:1"))
    await channel.do("Anna", 'game start nowhere "Nowhere" sides="Red, Blue"', "game join Red")
    await channel.do("Anna", "game settings hand_dice=yes")
    return channel


@pytest.mark.parametrize("id", STEPS)
async def test_dice_without_a_result_are_recorded_as_they_fell(id: str, channel: Channel) -> None:
    before = await channel.game()
    first = await channel.do("Anna", f"nowhere {id}")
    second = await channel.do("Anna", f"nowhere {id}")
    events = await _events(channel)
    assert first.title.startswith("No result. ")
    assert second.title.startswith("No result. ")
    assert [event["result"][:11] for event in events[-2:]] == ["No result. "] * 2
    assert all(event["dice"] for event in events[-2:])
    game = await channel.game()
    assert (game.number, game.tracks) == (before.number + 2, before.tracks)
    await _holds(channel)


async def test_dice_by_hand_are_recorded_too(channel: Channel) -> None:
    reply = await channel.do("Anna", "nowhere divides hand=3")
    assert reply.title.startswith("No result. ")
    await channel.fails("Anna", "nowhere divides hand=3,4", "left over")
    await _holds(channel)


async def test_a_choice_that_leads_to_no_result_is_made(channel: Channel) -> None:
    await channel.do("Anna", "nowhere asks")
    chosen = await channel.do("Anna", "choose aye")
    assert chosen.title.startswith("No result. ")
    assert not (await channel.game()).waits
    await _holds(channel)


async def test_a_table_without_an_answer_keeps_its_dice(channel: Channel) -> None:
    reply = await channel.do("Anna", "nowhere-table combat blank")
    assert reply.title.startswith("Rolled: No result. ")
    assert (await _events(channel))[-1]["dice"]
    await _holds(channel)


@pytest.mark.sample(2)
@pytest.mark.parametrize("id", IDS)
async def test_dice_without_a_result_are_shown_alike_by_all(
    id: str, channel: Channel, tmp_path: Path
) -> None:
    """Once open and once sealed: the linked channel, the story, the files, and the page's checker."""
    linked = Channel(channel.app, Place("slack:T1/C1", "slack:T1"), "l")
    code = (await channel.say("Anna", "game link", manager=True)).title.split()[-1]
    assert not (await linked.say("Anna", f"game link {code}", manager=True)).error
    await channel.do("Anna", f"nowhere {id}", f"nowhere {id} secret")
    number = (await channel.game()).last
    sealed = (await _events(channel))[-1]
    assert "No result" not in str({**sealed, "secret": ""})
    opened = await linked.do("Anna", f"game reveal {number}")
    assert opened.title.startswith("No result. ")
    for line in ("log story", "log"):
        assert (await linked.do("Anna", line)).format_text().casefold().count("no result. ") == 2
    for kind in ("markdown", "html"):
        [file] = (await linked.do("Anna", f"game export {kind}")).files
        assert read_file_text(file.data, file.name).count("No result. ") >= 2
    await assert_verified(channel)
    [page] = said_by_page([await exported_text(channel)], tmp_path)
    assert page["faults"] == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("id", IDS)
async def test_dice_without_a_result_are_rolled_again_and_by_a_macro_after_a_restart(
    id: str, channel: Channel
) -> None:
    await channel.do("Anna", f"nowhere {id}", f'macro add m "nowhere {id}"')
    number = (await channel.game()).last
    restarted = Channel(App(channel.app.store), channel.place, "r")
    assert (await restarted.do("Anna", "macro run m")).title.startswith("No result. ")
    again = await restarted.press("Anna", await restarted.under(number, "again"))
    assert again.title.startswith("No result. ")
    assert "0 of " in (await restarted.do("Anna", "game stats")).format_text()
    await _holds(restarted)


async def _events(channel: Channel) -> list[dict[str, Any]]:
    rows = await channel.app.store.load_events((await channel.game()).id)
    return [row.data for row in rows]


async def _holds(channel: Channel) -> None:
    """Everything that reads the log agrees with it, and the last shot can be undone."""
    _, faults = await audit_games(channel.app.store)
    assert faults == []
    for line in ("log", "game stats", "game export"):
        await channel.do("Anna", line)
    await channel.undo_last("Anna")
    _, faults = await audit_games(channel.app.store)
    assert faults == []
