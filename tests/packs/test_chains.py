"""Cells that name a table which is rolled next: looked up in chat, and called from a combat
sequence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.rules.dice import Script
from bot.rulesets.packs.pack import PackSystem
from bot.rulesets.play_once import count_odds, play_sequence
from bot.verification.check_file import check
from tests.packs.conftest import FEW, PackMaker
from tests.playing import Channel
from tests.scenarios.pack_versions_helpers import exported

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
    assert "Jammed: Turns " in both.format_text()
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
    gun = pack_of().find_sequence("gun")
    played = play_sequence(gun, {}, Script([4, 5]))
    assert played.out == {"what": "steering", "turns": "2"}
    assert [line.label for line in played.lines] == ["Hit", "Jammed"]
    assert play_sequence(gun, {}, Script([1])).out == {"what": "belt", "turns": "none"}
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


# -- a chain of several tables, as a sequence reads it


def link(at: int, *, is_last: bool) -> str:
    """Return the table of a chain at a place: it ends the chain on 1 to 4, and leads on on 5, 6."""
    further = "" if is_last else f", table: link{at + 1}"
    return (
        f"title: Link {at}\n{HEAD}{ROLL % ('', f'link {at}')}"
        f"outputs: {{level: int, sinks: bool, what: [dud{at}, hit{at}]}}\n"
        f"results:\n  D: {{level: {at}, sinks: false, what: dud{at}}}\n"
        f"  H: {{level: 0, sinks: {is_last}, what: hit{at}{further}}}\n"
        "read:\n  rows: roll\n  cells: {1-4: D, 5-6: H}\nexample: {roll: 2}\n"
    )


def chain_of(length: int, steps: str, outputs: str = "{level: int, sinks: bool}") -> PackSystem:
    """Return a pack in which so many tables follow each other, with a sequence that rolls them."""
    links = {f"link{at}": link(at, is_last=at == length) for at in range(1, length + 1)}
    head = SEQUENCES.partition("  outputs:")[0].replace("\ngun:", "gun:")
    sequence = f"{head}  outputs: {outputs}\n  odds_by: level\n  example: {{}}\n  steps:\n{steps}"
    return pack_of(**links, sequences=sequence)


def roll_and_read(length: int) -> str:
    """Return steps that roll the chain, and add up what each of its tables says."""
    answers = ["found" + ".next" * at for at in range(length)]
    levels = " + ".join(f"{answer}.level" for answer in answers)
    return (
        '  - roll: {die: "1d6: link 1"}\n    let: {found: "link1(roll=die)"}\n'
        '  - say: {label: First, dice: die, result: "{found.what}"}\n'
        f"  - let: {{level: {levels}, sinks: {answers[-1]}.sinks}}\n"
        '    headline: "level {level}"\n'
    )


@pytest.mark.parametrize("length", [2, 3, 5])
def test_every_table_of_a_chain_can_be_read_and_is_counted(length: int) -> None:
    """By hand: link k is the last with (1/3)^(k-1) * 2/3; a 5 or 6 on the last one sinks."""
    pack = chain_of(length, roll_and_read(length))
    assert check_content(pack.content).faults == ()
    gun = pack.find_sequence("gun")
    third = Fraction(1, 3)
    expected = {str(at): third ** (at - 1) * Fraction(2, 3) for at in range(1, length + 1)}
    expected["0"] = third**length
    assert count_odds(gun, {}) == expected
    sunk = play_sequence(gun, {}, Script([6] * length))
    assert sunk.out == {"level": 0, "sinks": True}
    labels = [line.label for line in sunk.lines]
    assert labels == ["First", *(f"Link {at}" for at in range(2, length + 1))]
    assert [line.dice for line in sunk.lines] == [(6,)] * length
    for ends_at in range(1, length + 1):
        played = play_sequence(gun, {}, Script([5] * (ends_at - 1) + [1]))
        assert played.out == {"level": ends_at, "sinks": False}


def test_lines_of_a_chain_stand_in_order_within_an_each() -> None:
    steps = (
        "  - each: numbers(2)\n    as: shell\n    let: {level: 0}\n    steps:\n"
        '    - roll: {die: "1d6: link 1"}\n      let: {found: "link1(roll=die)"}\n'
        '    - say: {label: First, dice: die, result: "{found.what}"}\n'
        "    - when: found.next.next.sinks\n"
        '      then: "All hands!"\n'
        "  - let: {level: 1, sinks: false}\n    headline: done\n"
    )
    pack = chain_of(3, steps)
    assert check_content(pack.content).faults == ()
    played = play_sequence(pack.find_sequence("gun"), {}, Script([6, 6, 6, 5, 1]))
    labels = [line.label for line in played.lines]
    assert labels == ["First", "Link 2", "Link 3", "First", "Link 2"]
    assert played.resolution.next_steps == ("All hands!",)


def test_odds_of_two_shells_that_each_roll_a_chain() -> None:
    """By hand: a shell sinks with 1/27, so that two do not with (26/27)^2."""
    steps = (
        "  - let: {sinks: false, level: 0}\n"
        "  - each: numbers(2)\n    as: shell\n    steps:\n"
        '    - roll: {die: "1d6: link 1"}\n      let: {found: "link1(roll=die)"}\n'
        "    - let: {sinks: sinks or found.next.next.sinks}\n"
        "  - let: {level: 1 if sinks else 0}\n    headline: done\n"
    )
    odds = count_odds(chain_of(3, steps).find_sequence("gun"), {})
    afloat = Fraction(26, 27) ** 2
    assert odds == {"0": afloat, "1": 1 - afloat}


@pytest.mark.parametrize(
    ("read", "fault"),
    [
        ("found.next.next.sink", "table link3 has no output sink. Did you mean sinks?"),
        ("found_next.sinkz", "table link2 has no output sinkz. Did you mean sinks?"),
        ("found_next_next.next.sinks", "no table is rolled after link3"),
        ("found.next.next.what + 1 > 2", "a text cannot be used in arithmetic"),
    ],
)
def test_what_a_chain_does_not_say_is_a_fault_with_its_line(read: str, fault: str) -> None:
    steps = roll_and_read(3).replace("found.next.next.sinks", read)
    (found,) = check_content(chain_of(3, steps).content).faults
    assert fault in found
    assert "sequences.yaml, line 15, column" in found


def test_an_answer_that_was_not_asked_for_is_nothing_and_false() -> None:
    steps = (
        '  - roll: {die: "1d6: link 1"}\n    let: {found: none, level: 0, sinks: true}\n'
        '  - when: die > 4\n    let: {found: "link1(roll=die)"}\n'
        '  - let: {level: found.level, sinks: found.sinks}\n    headline: "{found.what}"\n'
    )
    pack = chain_of(1, steps)
    assert check_content(pack.content).faults == ()
    played = play_sequence(pack.find_sequence("gun"), {}, Script([2]))
    assert played.out == {"level": 0, "sinks": False}
    assert play_sequence(pack.find_sequence("gun"), {}, Script([6])).out == {
        "level": 0,
        "sinks": True,
    }
    unknown = chain_of(1, steps.replace("found.sinks", "found.sink"))
    assert "table link1 has no output sink" in check_content(unknown.content).faults[0]


def test_a_block_that_needs_an_answer_reads_the_tables_after_it() -> None:
    steps = (
        '  - roll: {die: "1d6: link 1"}\n    let: {found: "link1(roll=die)", total: 0}\n'
        "  - use: sum\n    gives: {total: total}\n"
        "  - let: {level: total, sinks: found.next.sinks}\n    headline: done\n"
    )
    files = {
        "steps/shared.yaml": (
            "blocks:\n  sum:\n    needs: [found]\n    steps:\n"
            "    - let: {total: found.level + found.next.level + found.next.next.level}\n"
        )
    }
    content = {**chain_of(3, steps).content}
    content |= {name: text.encode() for name, text in files.items()}
    assert check_content(content).faults == ()
    gun = PackSystem(content).find_sequence("gun")
    assert play_sequence(gun, {}, Script([5, 6, 1])).out == {"level": 3, "sinks": False}


def test_a_chain_read_outside_of_its_when_names_the_first_answer() -> None:
    steps = roll_and_read(3).replace("  - roll", "  - when: 1 > 0\n    roll")
    (found,) = check_content(chain_of(3, steps).content).faults
    assert (
        "found is set only below a when (line 14); set it before that: let: {found: none}" in found
    )


def test_the_example_of_the_guide_plays_as_the_page_prints_it(root: Path) -> None:
    page = (root / "docs" / "pack-chains.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"```yaml\n# (\S+)\n(.*?)```", page, re.DOTALL))
    head = SEQUENCES.partition("  inputs:")[0].replace("\ngun:", "shell:")
    files["sequences.yaml"] = (
        f"{head}  inputs: {{}}\n  outputs: {{result: [afloat, damaged, sunk], guns: int}}\n"
        "  odds_by: result\n  example: {}\n"
    )
    pack = PackSystem({name: text.encode() for name, text in {**FEW, **files}.items()})
    assert check_content(pack.content).faults == ()
    shell = pack.find_sequence("shell")
    assert count_odds(shell, {}) == {
        "afloat": Fraction(2, 3),
        "damaged": Fraction(17, 54),
        "sunk": Fraction(1, 54),
    }
    played = play_sequence(shell, {}, Script([5, 6, 6]))
    assert played.resolution.headline == "sunk, 2 guns out"
    assert [line.label for line in played.lines] == ["Shell", "Turret hit", "Magazine"]
