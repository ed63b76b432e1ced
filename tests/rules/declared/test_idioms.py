"""`test`, `pool`, `spread`, outputs told by name and plurals: the same steps, dice and lines as
written out.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import yaml

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Declared, Library
from bot.rules.dice import Script
from bot.rules.errors import TableError, UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds.odds import compute_joint_odds, compute_marginals
from bot.rules.sequence.sequence import Play, UnitResult, play
from tests.rules.declared.idioms_helpers import (
    INPUTS,
    OUTPUTS,
    WORDS,
    declared,
    given,
    squad,
)


def played(sequence: Declared, inputs: Given, *dice: int) -> Play:
    script = Script(dice)
    found = play(sequence.plan(inputs), script)
    script.finish()
    return found


TEST = """
- each: units
  row: "{unit}"
  test: {dice: "2d6: morale check", plus: {modifier: mod}, at_most: unit.morale, gives: [pass, fail]}
  fate: "{result}"
- headline: done
"""
WRITTEN = """
- each: units
  row: "{unit}"
  steps:
  - let: {needed: unit.morale}
  - roll: {roll: "2d6: morale check"}
    let: {total: roll + mod, result: pass if total <= needed else fail}
    tell: {unit: unit.word, result: result, roll: roll}
    say: {label: "{unit}", dice: roll, parts: {modifier: mod}, total: total, result: "needs {needed} or less"}
    fate: "{result}"
- headline: done
"""


@pytest.mark.parametrize("dice", [(3, 3, 4, 4), (1, 1, 6, 6)])
def test_a_test_is_what_it_stands_for(dice: tuple[int, ...]) -> None:
    inputs = given(squad(5), squad(5, 9, "Able"), mod=1)
    short, long = (played(declared(steps), inputs, *dice) for steps in (TEST, WRITTEN))
    assert short == long
    by = ["units[0].result", "units[1].roll"]
    assert compute_marginals(declared(TEST).plan(inputs), by) == compute_marginals(
        declared(WRITTEN).plan(inputs), by
    )


def test_a_test_of_at_least_tells_its_outputs_by_name() -> None:
    sequence = declared("""
- test: {dice: "1d6: armour", at_least: 5, gives: [pass, fail], as: save}
- test: {dice: "2d6: nerve", plus: {modifier: mod}, at_most: 8, gives: [pass, fail], says: "against {needed}"}
- headline: "{result}, {save}"
""")
    found = played(sequence, given(mod=2), 5, 3, 4)
    assert found.out == {"roll": 7, "total": 9, "result": "fail", "units": []}
    assert found.resolution.headline == "fail, pass"
    assert [line.text() for line in found.lines] == [
        "Armour: [5], needs 5 or more",
        "Nerve: [3] [4] + 2 modifier = 9, against 8",
    ]
    assert compute_marginals(sequence.plan(given(mod=2)), ["result"])["result"]["pass"] == Fraction(
        15, 36
    )


def test_a_test_without_words_is_true_or_false() -> None:
    found = played(
        declared('- test: {dice: 1d6, at_most: 3}\n- headline: "{result}"\n'), given(), 3
    )
    assert "result" not in found.out, "it is pass or fail"
    assert found.resolution.headline == "True"
    assert found.lines[0].text() == "Dice: [3], needs 3 or less"


POOLS = """
- pool: {dice: "10d6: fire", success: face >= 4, gives: hits}
- pool: {dice: "{hits}d6: armour", success: face >= 5, gives: saved}
- headline: "{hits} hit{|s}, {hits - saved} {man falls|men fall}"
"""


def test_pools_of_pools() -> None:
    found = played(declared(POOLS, "saved"), given(), 4, 5, *[1] * 8, 6, 1)
    assert found.out == {"hits": 2, "saved": 1, "units": []}
    assert [line.text().split("], ")[-1] for line in found.lines] == [
        "2 of 10 hits",
        "1 of 2 saved",
    ]
    assert found.resolution.headline == "2 hits, 1 man falls"
    none = played(declared(POOLS, "saved"), given(), *[1] * 10)
    assert (len(none.lines), none.resolution.headline) == (1, "0 hits, 0 men fall")


SPREAD = """
- roll: {roll: "1d6: losses"}
- spread: {loss: roll, over: units, from: men, lost: gone}
- each: units
  when: unit.fell > 0 and unit.becomes != gone
  test: {dice: "2d6: morale of {unit}", at_most: unit.morale, gives: [pass, fail]}
- headline: "{roll} lost"
"""


def test_losses_fall_on_the_units_in_their_order() -> None:
    found = played(
        declared(SPREAD),
        given(squad(2, word="Able"), squad(4, word="Baker", state="steady")),
        5,
        4,
        4,
    )
    assert found.out["units"] == [
        {"unit": "Able", "becomes": "gone", "fell": 2},
        {"unit": "Baker", "fell": 3, "becomes": "steady", "result": "fail", "roll": 8},
    ]
    assert [(fate.unit, fate.token, fate.detail) for fate in found.resolution.unit_results] == [
        ("Able", "gone", ""),
        ("Baker", "loses", "3"),
    ]


def test_losses_change_the_roster() -> None:
    able, baker = (
        Unit(name, "squad", {"men": men, "morale": 7}, name=name)
        for name, men in (("Able", 2), ("Baker", 4))
    )
    found = played(declared(SPREAD), given(able, baker), 3, 6, 6)
    assert [(change.unit, change.set) for change in found.resolution.changes] == [
        ("Able", {"men": 0}),
        ("Able", {"state": "gone"}),
        ("Baker", {"men": 3}),
    ]


def test_what_a_unit_lacks_is_refused_before_the_dice() -> None:
    with pytest.raises(UserError, match="men"):
        declared(SPREAD).plan(given(Unit("squad", "squad", {"morale": 7})))


def test_spread_takes_other_words() -> None:
    sequence = declared("""
- spread: {loss: 3, over: units, from: men, lost: gone, gives: killed, words: [unhurt, loses]}
- each: units
  fate: {is: "{unit.becomes}", more: "{unit.killed}"}
- headline: done
""")
    found = played(sequence, given(squad(2), squad(2), squad(2)))
    assert [fate.token for fate in found.resolution.unit_results] == ["gone", "loses", "unhurt"]


def test_a_unit_of_two_fates_is_one_unit() -> None:
    """What came last goes first; a typed unit that is there twice is two, one of the roster is
    one.
    """
    sequence = declared("""
- spread: {loss: 3, over: units, from: men, lost: gone}
- each: units
  when: unit.becomes != gone and unit.fell > 0
  fate: shaken
- fate: {unit: "units[0]", is: burns}
- headline: done
""")
    alike = squad(2)
    fates = played(sequence, given(alike, alike)).resolution.unit_results
    assert fates == (
        UnitResult("squad", "burns", "", (("gone", ""),)),
        UnitResult("squad", "shaken", "", (("loses", "1"),)),
    )
    named = Unit("Able", "squad", {"men": 9, "morale": 7}, name="Able")
    (fate,) = played(sequence, given(named)).resolution.unit_results
    assert fate == UnitResult("Able", "burns", "", (("shaken", ""), ("loses", "3")))


def test_a_value_set_before_the_end_is_told_where_it_stops() -> None:
    sequence = declared("""
- roll: {roll: 1d6}
- stop: roll == 6
- let: {total: roll + 1}
- headline: done
""")
    assert played(sequence, given(), 6).out == {"roll": 6, "units": []}
    assert played(sequence, given(), 2).out == {"roll": 2, "total": 3, "units": []}


def test_an_input_is_no_output_by_its_name() -> None:
    assert played(declared("- headline: done\n"), given(mod=2)).out == {"units": []}


@pytest.mark.parametrize(
    ("text", "mod", "said"),
    [
        ("held{, by {mod} when mod > 0}", 2, "held, by 2"),
        ("held{, by {mod} when mod > 0}", 0, "held"),
        ("{{mod} hit{|s} when mod != 0 | a miss}", 1, "1 hit"),
        ("{{mod} hit{|s} when mod != 0 | a miss}", 0, "a miss"),
        (
            "{{mod} hit{|s} when mod > 1 or mod == 1 | {mod} or less}, {mod} {man|men}",
            -2,
            "-2 or less, -2 men",
        ),
        ("{text('falls when hit', mod)}", 3, "falls when hit3"),
        ("{it's over when mod > 1}", 2, "it's over"),
        ("{{mod}: when mod > 1}held", 2, "2: held"),
        ("{{mod} act when mod > 1 | {act when mod == 1 | {mod} hide{|s}}}", 0, "0 hides"),
        ("needs {how_many('d20', face > 12)}", 0, "needs 8"),
    ],
)
def test_a_part_of_a_text_may_stand_only_when_something_holds(
    text: str, mod: int, said: str
) -> None:
    steps = yaml.safe_dump([{"headline": text}], width=1000)
    assert played(declared(steps), given(mod=mod)).resolution.headline == said


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("- test: {at_most: 7}", "line 4, column 7, row test, step 1, test: test needs dice"),
        ("- test: {dice: 2d6}", "step 1, test: test needs either at_most or at_least"),
        (
            "- test: {dice: 2d6, at_most: 7, at_least: 3}",
            "test needs either at_most or at_least",
        ),
        ("- test: {dice: 2d6, at_most: 7, gives: pass}", "gives needs two words"),
        (
            "- test: {dice: 2d6, at_most: unit.morale}",
            "line 4, column 25, row test, step 1, test, at_most: there is no",
        ),
        ("- test: {dice: 2d6, at_mots: 7}", "test has no at_mots. Did you mean at_most?"),
        ("- test: 2d6", "test is a mapping of dice"),
        ("- pool: {dice: 2d6, success: face >= 5}", "pool needs gives"),
        ("- spread: {loss: 1, over: units, from: men}", "spread needs lost"),
        (
            "- spread: {loss: 1, over: units, from: mens, lost: gone}",
            "a unit has no mens. Did you mean men?",
        ),
        ('- headline: "{|s} hit"', "there is no number before {|s}, which needs one"),
        (
            '- headline: "held{, by two when modd > 1}"',
            "there is no name modd here. Did you mean mod?",
        ),
        ('- headline: "held{, {by {{mod}}} when mod > 1}"', "has a brace without its other half"),
        ('- headline: "{units} hit{|s}"', "there is no number before {|s}"),
        (
            "- when: mod > 0\n  let: {saved: 1}\n- tell: {saved: saved}",
            "saved is set only below a when (line 5); set it before that: let: {saved: 0}",
        ),
    ],
)
def test_mistakes(steps: str, said: str) -> None:
    with pytest.raises(TableError) as error:
        declared(steps)
    assert said in str(error.value)


def test_what_no_step_tells_is_known() -> None:
    sheet: Any = declared(
        "- each: units\n  let: {result: pass}\n- let: {roll: 1, total: \"'x'\"}\n"
    )._sheet
    missing = ["total", "result", "hits", "saved", "units.roll", "units.fell", "units.becomes"]
    assert list(sheet.untold) == missing
    assert sheet.untold["hits"] == "has no value: no step tells it"
    assert sheet.untold["result"] == (
        "has no value: no step tells it; result is set only below an each (line 5); "
        "set it before that: let: {result: 0}"
    )
    twice: Any = declared(
        "- each: units\n  let: {roll: 1}\n- each: units\n  let: {roll: 2}\n"
    )._sheet
    assert twice.untold["units.roll"] == "is set in two places; say which one counts"


def test_what_logs_held_before_outputs_were_told_by_name() -> None:
    sequence = declared(
        "- each: units\n  tell: {result: \"'pass'\"}\n- let: {roll: 1}\n- tell: {total: 2}\n"
    )
    out = played(sequence, given(squad(2))).out
    assert out == {"units": [{"result": "pass", "unit": "squad"}], "total": 2, "roll": 1}
    assert sequence.drop_named_outputs(out) == {"units": [{"result": "pass"}], "total": 2}


def test_what_is_in_sight_where_a_block_is_used_is_told_where_it_stops() -> None:
    text = """
blocks:
  over: {needs: [roll], steps: [{stop: roll == 6}]}
sequences:
  test:
    steps:
    - roll: {roll: 1d6}
    - use: over
    - let: {total: roll}
    - headline: done
"""
    sequence = Library(
        yaml.safe_load(text), Setting("test.yaml"), {"test": SequenceHead(INPUTS, OUTPUTS)}
    ).load_sequence("test")
    assert played(sequence, given(), 6).out == {"roll": 6, "units": []}
    assert played(sequence, given(), 5).out == {"roll": 5, "total": 5, "units": []}


@pytest.mark.parametrize(
    "by", [["units[1].becomes"], ["units[1].fell"], ["units[0].becomes", "units[1].becomes"]]
)
def test_losses_that_go_on_to_the_next_unit_have_the_odds_of_every_roll(by: list[str]) -> None:
    """Of a single unit too, though what falls on those before it is not asked for."""
    plan, expected = (
        declared(SPREAD).plan(given(squad(2), squad(3), squad(9))),
        dict[Any, Fraction](),
    )
    for losses in range(1, 7):
        fell = (min(2, losses), min(3, max(0, losses - 2)))
        words = ["gone" if one == most else "" for one, most in zip(fell, (2, 3), strict=True)]
        key = fell[1] if by[0].endswith("fell") else words[1] if len(by) == 1 else tuple(words)
        expected[key] = expected.get(key, Fraction(0)) + Fraction(1, 6)
    found = compute_joint_odds(plan, by)
    assert {key if len(by) > 1 else key[0]: chance for key, chance in found.items()} == expected


def test_what_a_block_sets_anew_of_an_item_is_asked_about_as_without_the_block() -> None:
    """Told where it is set first, it would say another word than the answer."""
    lines = [
        "- each: units",
        "  let: {unit.becomes: steady}",
        "- each: units",
        "  when: unit.men > 2",
    ]
    for last in ("  let: {unit.becomes: gone}", "  steps: [{use: rout}]"):
        text = "\n".join(
            ["sequences:", "  test:", "    steps:", *(f"    {line}" for line in (*lines, last))]
        )
        text += "\n    - headline: done\nblocks: {rout: {needs: [unit], steps: [{let: {unit.becomes: gone}}]}}\n"
        setting = Setting("test.yaml", words={"units": WORDS}, place=lambda path: "")
        heads = {"test": SequenceHead(INPUTS, OUTPUTS, "units[0].becomes")}
        untold = Library(yaml.safe_load(text), setting, heads).load_sequence("test").missing_outputs
        assert any("becomes is set in two places" in one for one in untold), (last, untold)
