"""Cells that name a table which is rolled next: looked up in chat, and called from a combat
sequence.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.rules.dice import Script
from bot.systems.packs.pack import PackSystem
from bot.systems.resolve import count_odds, resolve
from bot.verification.check_file import check
from tests.packs.conftest import FEW, PackMaker
from tests.playing import Channel
from tests.scenarios.test_pack_versions import exported

HEAD = "source: ours\ngroup: combat\nkind: roll\nsummary: What a die says.\n"
ROLL = (
    "inputs: {roll: {type: int, min: 1, max: 6, optional: true, help: the die}%s}\n"
    "rolls: {roll: {dice: 1d6, label: %s}}\n"
)
HITS = (
    "title: Hits\n" + HEAD + ROLL % ("", "place") + "outputs: {what: [belt, steering, magazine]}\n"
    "results: {B: {what: belt}, S: {what: steering, table: jam}, W: {table: weather}}\n"
    "read:\n  rows: roll\n  cells: {1-3: B, 4-5: S, 6: W}\nexample: {roll: 2}\n"
)
JAM = (
    "title: Jammed\n" + HEAD + ROLL % ("", "turns") + "outputs: {turns: int}\n"
    "read:\n  rows: roll\n  cells: {1-3: 1, 4-6: 2}\nexample: {roll: 2}\n"
)
WEATHER = (
    "title: Weather\n" + HEAD + ROLL % ("", "sky") + "outputs: {sky: [clear, rain]}\n"
    "read:\n  rows: roll\n  cells: {1-4: clear, 5-6: rain}\nexample: {roll: 2}\n"
)
SEQUENCES = """
gun:
  title: Gunfire
  source: ours
  summary: One hit, and what it leads to.
  dice: 1d6
  verb: Fire
  inputs: {}
  outputs: {what: text, turns: text}
  odds_by: turns
  example: {}
  steps:
  - roll: {place: "1d6: place"}
    let: {found: "hits(roll=place)"}
    say: {label: Hit, dice: place, result: "{words(found.what)}"}
  - tell: {what: "text(found.what)", turns: "text(found_next.turns) if found.table == jam else 'none'"}
    headline: "{words(found.what)}"
"""
PACK = {"hits.yaml": HITS, "jam.yaml": JAM, "weather.yaml": WEATHER, "sequences.yaml": SEQUENCES}


def pack_of(**changed: str) -> PackSystem:
    """The pack with some files changed."""
    files = {**FEW, **PACK, **{f"{name}.yaml": text for name, text in changed.items()}}
    return PackSystem({name: text.encode() for name, text in files.items()})


async def test_a_look_up_rolls_on_the_table_that_the_cell_names(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    assert check_content(pack_of().content).faults == ()
    use_packs(make_pack(PACK).parent)
    channel = await Channel.fresh()
    plain = await channel.do("Anna", "few-table hits roll=2")
    assert plain.title == "Belt"
    both = await channel.do("Anna", "few-table hits roll=4")
    assert both.title.startswith("Rolled: Steering; Turns ")
    assert "Jammed: Turns " in both.text()
    assert (await channel.do("Anna", "few-table hits roll=6")).title in (
        "Rolled: Clear",
        "Rolled: Rain",
    )
    for _ in range(8):
        await channel.do("Anna", "few-table hits")
    await channel.refused("Anna", "few-table hits roll=4 private", "not-together private")
    log = await exported(channel)
    assert check(log).faults == ()
    events = [row["body"] for row in log["events"] if row["body"]["kind"] == "table"]
    assert events[0]["out"]["table"] == "jam"
    assert events[0]["out"]["next"].keys() == {"turns"}
    assert events[0]["result"].startswith("steering; ")
    assert len({len(event["dice"]) for event in events}) > 1
    events[0]["out"]["next"]["turns"] = 9
    assert check(json.loads(json.dumps(log))).faults


def test_a_sequence_that_calls_the_table_rolls_on() -> None:
    gun = pack_of().sequence("gun")
    played = resolve(gun, {}, Script([4, 5]))
    assert played.out == {"what": "steering", "turns": "2"}
    assert [line.label for line in played.lines] == ["Hit", "Jammed"]
    assert resolve(gun, {}, Script([1])).out == {"what": "belt", "turns": "none"}
    odds = count_odds(gun, {})
    assert odds == {"none": Fraction(2, 3), "1": Fraction(1, 6), "2": Fraction(1, 6)}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"weather": WEATHER.replace("5-6: rain", "5-6: {table: hits}")}, "leads back to"),
        (
            {"weather": WEATHER.replace("5-6: rain", "5-6: {table: weather}")},
            "weather leads back to weather",
        ),
        (
            {"hits": HITS.replace("table: weather", "table: weather-s")},
            "there is no table weather-s. Did you mean weather?",
        ),
        (
            {
                "jam": JAM.replace(
                    "help: the die}",
                    "help: the die}, sea: {type: int, min: 1, max: 2, help: the sea}",
                ).replace("roll: 2}\n", "roll: 2, sea: 1}\n")
            },
            "jam needs sea, and hits, which leads to it, has no such input",
        ),
    ],
)
def test_a_chain_that_cannot_be_rolled_is_a_fault_when_loaded(
    changed: dict[str, str], said: str
) -> None:
    faults = check_content(pack_of(**changed).content).faults
    assert any(said in fault for fault in faults), faults


def test_a_chain_has_an_end() -> None:
    more = {
        f"t{at}": WEATHER.replace("5-6: rain", f"5-6: {{table: t{at + 1}}}") for at in range(7)
    } | {"t7": WEATHER}
    assert any(
        "more than 5 tables are rolled" in fault
        for fault in check_content(pack_of(**more).content).faults
    )
