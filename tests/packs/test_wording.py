"""What authors of packs found in the wording of their answers: who acts, words of the game,
tables rolled on, dice.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.rulesets.packs.archive import read_content
from bot.ui.reply.parts import Odds
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from tests.examples import odds
from tests.forging import bodies, copied, rechained
from tests.packs.conftest import PackMaker
from tests.playing import Channel
from tests.scenarios.pack_versions_helpers import exported

GAME = """
groups: {combat: Combat}
words: {d2: D2, rp: replacement points}
units:
  types: [ship, guns]
  attributes: {guns: {type: int, min: 0, max: 40, help: guns}, hull: {type: int, min: 0, max: 20, help: hull}}
  states: [afloat, sunk]
  lost: [sunk]
results:
  salvo:
    sunk: {tone: hurt, says: "{} blows up"}
    loses: {tone: shaken, says: "{} loses {more}", many: "{} lose {more} each"}
"""
ROLL = (
    "source: ours\ngroup: combat\nkind: roll\nsummary: A die.\n"
    "inputs: {roll: {type: int, min: 1, max: 6, help: die}}\n"
)
LUCK = (
    f"title: Luck\n{ROLL}outputs: {{result: [d2, ex]}}\nrolls: {{roll: {{dice: 1d6, label: luck}}}}\n"
    "results: {D: d2, E: {result: ex, table: windfall}}\n"
    "read:\n  rows: roll\n  cells: {1-3: D, 4-6: E}\nexample: {roll: 2}\n"
)
WINDFALL = (
    f"title: Windfall\n{ROLL}outputs: {{supply: int, rp: int, late: bool}}\n"
    "rolls: {roll: {dice: 1d6, label: gift}}\n"
    "results: {S: [3, 0, true], R: [0, 2, false]}\n"
    "read:\n  rows: roll\n  gives: [supply, rp, late]\n  cells: {1-3: S, 4-6: R}\nexample: {roll: 2}\n"
)
HEAD = "  source: ours\n  summary: A test.\n"
SEQUENCES = f"""
salvo:
  title: Salvo
{HEAD}  verb: Fire
  cause: fires
  inputs: {{shooter: {{type: units, most: 1, help: who fires}}, targets: {{type: units, help: at whom}}}}
  outputs: {{hits: int, targets: "list of {{unit, becomes}}"}}
  odds_by: targets[0].becomes
  example: {{shooter: "ship guns=2", targets: "ship hull=4"}}
  steps:
  - let: {{guns: "shooter[0].guns"}}
  - pool: {{dice: "{{guns}}d6: guns", success: face >= 4, gives: hits}}
  - spread: {{loss: hits, over: targets, from: hull, lost: sunk}}
  - headline: "{{hits}} hit{{|s}}"
burst:
  title: Burst
{HEAD}  inputs: {{n: {{type: int, min: 1, max: 20, help: dice}}}}
  outputs: {{hits: int}}
  odds_by: hits
  example: {{n: 2}}
  steps:
  - pool: {{dice: "{{n}}d6!: burst", success: face >= 4, gives: hits}}
  - headline: "{{hits}} hit{{|s}}"
luck:
  title: Luck
{HEAD}  inputs: {{}}
  outputs: {{result: "d2 | ex"}}
  odds_by: result
  example: {{}}
  steps:
  - roll: {{die: "1d6: luck"}}
    let: {{found: "luck(roll=die)"}}
  - let: {{result: found.result}}
    say: {{label: Luck, dice: die, result: "{{words(found.result)}}"}}
    headline: "found: {{words(result)}}"
"""
PACK = {
    "game.yaml": GAME,
    "luck.yaml": LUCK,
    "windfall.yaml": WINDFALL,
    "sequences.yaml": SEQUENCES,
}


@pytest.fixture
def few(make_pack: PackMaker, use_packs: Callable[[Path], None]) -> Path:
    folder = make_pack(PACK)
    use_packs(folder)
    assert check_content(read_content(folder)).faults == ()
    return folder


async def table() -> Channel:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start few "A Few" sides="Blue, Red"',
        "game settings hand_dice=yes",
        "unit add Wren ship Blue guns=3 hull=4",
        "unit add Adler ship Red guns=3 hull=2",
    )
    return channel


async def test_one_who_shoots_acts_as_several_do(few: Path) -> None:
    """An input called `shooter` is who acts."""
    channel = await table()
    fired = await channel.do("Anna", "few salvo Wren Adler hand=5,5,1")
    assert fired.format_text().splitlines()[0] == "Adler blows up · Wren fires"
    log = await exported(channel)
    assert check(log).faults == ()
    event = next(row["body"] for row in log["events"] if row["body"].get("target") == "salvo")
    assert event["acting"] == ["Wren"]
    for acting in ([], ["Adler"]):
        forged = copied(log)
        salvo = next(body for body in bodies(forged) if body.get("target") == "salvo")
        salvo["acting"] = acting
        assert check(rechained(forged)).faults
    odds = (await channel.do("Anna", "few salvo Wren Adler odds")).format_text()
    assert "Wren and Adler" not in odds


async def test_words_of_the_game_are_said_in_lines_odds_and_first_lines(few: Path) -> None:
    channel = await table()
    said = (await channel.do("Anna", "few luck hand=2")).format_text()
    assert said.splitlines()[:2] == ["Found: D2 · Anna rolls Luck", "Luck: [2], D2"]
    assert "D2" in (await channel.do("Anna", "few luck odds")).format_text()
    log = await exported(channel)
    assert check(log).faults == ()
    event = bodies(log, "sequence")[0]
    assert event["result"] == "found: D2"
    event["result"] = "found: d2"
    assert check(rechained(log)).faults


async def test_a_table_rolled_on_comes_behind_the_roll_that_called_it_and_tells_all(
    few: Path,
) -> None:
    channel = await table()
    said = (await channel.do("Anna", "few luck hand=4,2")).format_text().splitlines()
    assert said[1:3] == ["Luck: [4], ex", "Windfall: [2], supply 3, late"]
    assert (
        "Windfall: [5], replacement points 2"
        in (await channel.do("Anna", "few luck hand=4,5")).format_text()
    )
    assert check(json.loads(json.dumps(await exported(channel)))).faults == ()


async def test_the_ends_of_many_numbers_are_one_row(few: Path) -> None:
    """Exactly: the chances are those of all rows; what came up is marked where it is folded,
    too.
    """
    channel = await table()
    shown = await channel.do("Anna", "few burst 12 odds")
    (bars,) = [part for part in shown.lines if isinstance(part, Odds)]
    exact = odds("few", "burst", {"n": 12})
    words = [row.word for row in bars.rows]
    assert (words[0], words[-1], len(words)) == ("14 or more", "1 or less", 14)
    assert bars.exact[0] == str(sum(chance for hits, chance in exact.items() if int(hits) >= 14))
    assert len(exact) == 57
    await channel.do("Anna", f"few burst 12 hand={','.join(['6'] * 11 + ['4'] * 12)}")
    button = await channel.under((await channel.game()).last, "odds")
    assert "14 or more" in next(
        row.word for row in bars_of(await channel.press("Anna", button)).rows if row.came
    )


def bars_of(reply: Reply) -> Odds:
    """The bars of an answer."""
    return next(part for part in reply.lines if isinstance(part, Odds))


async def test_who_is_called_as_several_are_spoken_of_so(few: Path) -> None:
    """Gunmen fire; the rifles of a game that has such a type are, and a unit of theirs with a
    name of its own is.
    """
    channel = await table()
    await channel.do(
        "Anna", "unit add Gunmen ship Blue guns=3 hull=4", "unit add Moss ship Red guns=3 hull=2"
    )
    assert (await channel.do("Anna", "few salvo Gunmen Moss hand=5,5,1")).by == "Gunmen fire"
    assert (await channel.do("Anna", "few salvo Wren Gunmen hand=5,5,5")).title == "Gunmen lose 3"
    assert (
        await channel.do("Anna", 'few salvo "guns guns=2" "guns hull=9" hand=5,1')
    ).first_line.startswith("The guns lose 1 · guns fire")


async def test_many_dice_are_shown_together(few: Path) -> None:
    """Whoever rolled them can check what was read."""
    channel = await table()
    said = (await channel.do("Anna", "few burst 10 hand=1,1,2,3,3,3,4,5,6,1,2")).format_text()
    assert "Burst: [1 ×3] [2 ×2] [3 ×3] [4] [5] [6!], 3 of 11 hits" in said.replace("\u00a0", " ")
    assert "1\u00a0×3" in said, "which no line of a phone breaks"
