"""A sequence typed as data plays, has exact odds, and says at load what is wrong with it, and
where.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
import yaml

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Library
from bot.rules.errors import TableError, UserError
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.odds.by_unit import list_rows
from bot.rules.odds.odds import compute_joint_odds, compute_marginals
from bot.rules.sequence.sequence import Change
from tests.rules.declared.language_helpers import (
    compiled,
    given,
    played,
    squad,
    steps,
)

CHECK = """
- each: units
  row: "{unit}"
  steps:
  - roll: {roll: "2d6: morale check"}
    let: {result: pass if roll + mod <= unit.morale else fails}
    tell: {unit: unit.word, roll: roll, result: result}
    say: {label: "{unit}", dice: roll, parts: {modifier: mod}, total: roll + mod}
    fate: "{result}"
- headline: "{len(units)} checked"
"""


def test_each_unit_rolls_and_the_answer_tells_it() -> None:
    found = played(steps(CHECK), given(squad(7), squad(5, "Able"), mod=1), 3, 3, 4, 4)
    assert [item["result"] for item in found.out["units"]] == ["pass", "fails"]
    assert [line.text() for line in found.lines] == [
        "Squad: [3] [3] + 1 modifier = 7",
        "Able: [4] [4] + 1 modifier = 9",
    ]
    assert found.resolution.headline == "2 checked"
    assert [(fate.unit, fate.token) for fate in found.resolution.unit_results] == [
        ("squad", "pass"),
        ("Able", "fails"),
    ]


def test_odds_are_exact_and_only_what_is_asked_is_counted() -> None:
    plan = steps(CHECK).plan(given(squad(7), squad(5, "Able")))
    assert compute_marginals(plan, ["units[1].result"])["units[1].result"] == {
        "pass": Fraction(10, 36),
        "fails": Fraction(26, 36),
    }
    assert compute_joint_odds(plan, ("units[0].result", "units[1].result"))[
        ("pass", "pass")
    ] == Fraction(21, 36) * Fraction(10, 36)
    assert [row.name for row in list_rows(plan, "")] == ["squad", "Able"]
    assert plan.narrow is not None
    assert len(plan.narrow(("units[1].result",)).steps) == 1, (
        "the first squad's roll decides nothing of it"
    )


def test_what_one_unit_sets_outside_is_seen_by_the_next() -> None:
    carried = steps("""
- let: {best: 0}
- each: units
  steps:
  - roll: {roll: 1d6}
  - when: roll > 3
    let: {best: 'max(best, of(unit.lm, 0))'}
- tell: {total: best}
""")
    men = (squad(6, "leader", "leader", lm=2), squad(5))
    told = [{"unit": "leader", "roll": 4}, {"unit": "squad", "roll": 1}]
    assert played(carried, given(*men), 4, 1).out == {"total": 2, "units": told}
    assert compute_marginals(carried.plan(given(*men)), ["total"])["total"] == {
        2: Fraction(1, 2),
        0: Fraction(1, 2),
    }


def test_a_weapon_changes_hands_and_a_unit_turns_over() -> None:
    """What is not on the roster is taken off by name; who was left with nothing holds nothing."""
    passed = steps("""
- let: {loser: "units[0]", taker: "units[1]"}
- change:
  - {unit: loser, take: {holds: "'mmg'"}, set: {state: shaken}, turn: true}
  - {unit: taker, give: {holds: "'MMG'"}}
  - {unit: taker, of: holds, drop: true}
- headline: "{commas('one', '', none, 'two')}, {capital('no ROF')}"
""")
    loser, taker = (
        Unit("squad", "squad", {"holds": held}, name=name)
        for name, held in (("A", "MMG"), ("B", "LMG"))
    )
    found = played(passed, given(loser, taker)).resolution
    assert found.changes == (
        Change("A", {"state": "shaken", "holds": None}, turn=True),
        Change("B", {"holds": "LMG,MMG"}),
        Change("B", of="holds", drop=True),
    )
    assert found.headline == "one, two, No ROF"
    again = (
        Unit("squad", "squad", {"holds": "LMG"}, name="A"),
        Unit("squad", "squad", {"holds": "MMG"}, name="B"),
    )
    assert [change.set for change in played(passed, given(*again)).resolution.changes] == [
        {"state": "shaken"},
        {},
    ]


BLOCKS = """
blocks:
  double:
    needs: [sum_so_far]
    with: {times: 2}
    steps:
    - let: {mine: times * 10, sum_so_far: sum_so_far + mine}
sequences:
  test:
    steps:
    - let: {mine: 1, sum_so_far: 0}
    - use: double
    - use: double
      with: {times: 3}
      gives: {theirs: mine}
    - tell: {total: mine + sum_so_far + theirs}
"""


def test_names_of_a_block_do_not_leak() -> None:
    assert played(compiled(BLOCKS), given()).out["total"] == 1 + 20 + 30 + 30


def test_what_inputs_decide_costs_no_die() -> None:
    sequence = steps("""
- when: lucky
  tell: {result: pass}
  else:
  - roll: {die: 1d6}
    tell: {result: pass if die == 6 else fails}
""")
    assert sequence.plan(given(lucky=True)).steps == {}
    assert played(sequence, given(), 6).out["result"] == "pass"


def test_a_refusal_says_what_to_do() -> None:
    sequence = steps("""
- each: units
  when: unit.shaken
  refuse: {say: "{unit} is shaken.", hint: "Type `/unit edit {unit} -shaken`.", option: units}
- tell: {result: pass}
""")
    with pytest.raises(UserError, match="squad is shaken") as refused:
        sequence.plan(given(Unit("squad", "squad", {}, frozenset({"shaken"}))))
    assert str(refused.value.hint) == "Type /unit edit squad -shaken."
    assert played(sequence, given(squad(5))).out["result"] == "pass"


def test_plans_for_the_same_inputs_are_made_once_and_do_not_share_their_answers() -> None:
    sequence = steps(CHECK)
    first = played(sequence, given())
    first.out["units"].append("spoilt")
    assert played(sequence, given()).out == {"units": []}


WRONG = [
    ("- tell: {resulted: pass}", "there is no output resulted", "Did you mean result"),
    ("- tell: {result: pasd}", "there is no name pasd here", "Did you mean pass"),
    ("- tell: {total: unit.morale}", "there is no name unit here", "Did you mean units"),
    ("- each: units\n  tell: {total: unit.moral}", "a unit has no moral", "Did you mean morale"),
    ("- lett: {a: 1}", "a step has no key lett", "Did you mean let"),
    ("- tell: {total: result}", "there is no name result", ""),
    ("- tell: {total: pass}", "output total is int, but a text is told", ""),
    ("- let: {a: pass + 1}", "a text cannot be used in arithmetic", ""),
    ("- let: {a: 2 ** 9}", "** is not allowed", ""),
    ("- let: {a: units.__class__}", "a list of units has no __class__", ""),
    ("- let: {a: '(lambda: 1)()'}", "only tables and functions can be called", ""),
    ("- let: {a: '[x for x in units]'}", "a loop is not allowed", ""),
    ("- let: {a: half_pu(3)}", "there is no table or function half_pu", "Did you mean half_up"),
    ("- let: {a: max(1, 2)}", "quote it, if it has a comma", ""),
    (
        "- each: units\n  row: {by: rol}\n  tell: {roll: 1}",
        "units has no output rol",
        "Did you mean roll",
    ),
    (
        "- tell: {result: lucky}",
        "output result is pass | fails | not-allowed, but a true or false is told",
        "",
    ),
    ("- roll: {a: 2x6}", "must be dice", ""),
    ("- use: morale", "there is no block morale", ""),
    ("- let: {a: 1 +}", "cannot be read", ""),
    ("- when: lucky\n  let: {a: 1}\n- tell: {total: a}", "a is set only below a when (line 5)", ""),
    ("- refuse: {say: no, code: nonsense}", "there is no code nonsense", ""),
    ("- say: {labels: x}", "say needs a label", ""),
    (
        "- tell: {result: units}",
        "result is a word or number, and this is a list of units: quote a word",
        "",
    ),
    (
        "- when: units == 3\n  stop: true",
        "a list of units cannot equal anything; quote the word",
        "",
    ),
]


@pytest.mark.parametrize(("text", "problem", "near"), WRONG, ids=[text for text, _, _ in WRONG])
def test_what_is_wrong_is_said_at_load(text: str, problem: str, near: str) -> None:
    with pytest.raises(TableError) as error:
        steps(text)
    assert problem in str(error.value)
    assert near in str(error.value)


def test_an_error_names_file_sequence_step_line_and_column() -> None:
    with pytest.raises(
        TableError, match=r"^test\.yaml, line 5, column 14, row test, step 2, tell, total: "
    ) as error:
        steps("- let: {a: 1}\n- tell: {total: b}")
    assert "there is no name b here" in str(error.value)


def test_a_path_told_twice_is_refused_and_ways_that_exclude_each_other_may_both_tell_it() -> None:
    with pytest.raises(
        TableError, match=r"line 6, column 14, row test, step 2, tell, result: result is told twice"
    ):
        steps("- tell: {result: pass}\n- when: lucky\n  tell: {result: fails}")
    apart = steps(
        "- when: lucky\n  tell: {result: pass}\n- when: mod == 0\n  tell: {result: fails}"
    )
    assert played(apart, given()).out["result"] == "fails"
    assert played(apart, given(lucky=True, mod=1)).out["result"] == "pass"
    with pytest.raises(UserError, match="tell result twice"):
        apart.plan(given(lucky=True))
    either = steps(
        "- roll: {die: 1d6}\n- when: die > 3\n  tell: {result: pass}\n  else:\n  - tell: {result: fails}"
    )
    assert played(either, given(), 2).out["result"] == "fails"


def test_a_block_cannot_use_itself() -> None:
    with pytest.raises(TableError, match="block a uses itself"):
        compiled("blocks: {a: {steps: [{use: a}]}}\nsequences: {test: {steps: [{use: a}]}}")


def test_cost_is_bounded_before_a_die_is_rolled() -> None:
    with pytest.raises(UserError, match="dice are too many for one roll"):
        steps("- let: {n: 201}\n- roll: {die: '{n}d6'}\n- roll: {more: '{n}d20'}").plan(given())
    with pytest.raises(UserError, match="too large"):
        steps("- let: {a: 999999999 * 999}").plan(given())


def test_nothing_is_worked_out_after_the_sequence_has_stopped() -> None:
    sequence = steps(
        "- when: lucky\n  tell: {result: pass}\n  stop: true\n- roll: {die: 1d6}\n  tell: {total: die}"
    )
    assert sequence.plan(given(lucky=True)).steps == {}
    assert played(sequence, given(), 4).out["total"] == 4


def test_a_value_of_a_unit_that_only_some_have_is_named_when_another_is_asked_for_it() -> None:
    some = steps(
        "- each: units\n  when: at == 0\n  let: {unit.a: 1}\n- each: units\n  when: unit.a == 2\n  stop: true"
    )
    with pytest.raises(UserError, match=r"nothing has set 'units\[1\]\.a'"):
        some.plan(given(squad(5), squad(4)))


def test_a_formula_that_makes_no_sense_of_its_values_is_said_and_does_not_crash() -> None:
    with pytest.raises(UserError, match=r"cannot be worked out: it divides by 0 \(mod is 0\)"):
        steps("- let: {a: 1 / mod}").plan(given())
    with pytest.raises(UserError, match="cannot be worked out"):
        played(
            steps("- roll: {die: 1d6}\n  let: {a: 1 // (die - 1)}\n  tell: {total: a}"), given(), 1
        )


GROWING = [
    ("'(units[0].word, 1)[0]'", "a + a", "only numbers"),
    ("2", "'(a, a)'", "too deep"),
    ("2", "a * a * 9", "too large"),
    ("'(units[0].word, 1)[0]'", "a % 5", "only numbers"),
]


@pytest.mark.parametrize(("first", "again", "problem"), GROWING)
def test_nothing_grows_without_end(first: str, again: str, problem: str) -> None:
    grown = steps(
        f"- let: {{a: {first}}}\n- each: numbers(40)\n  let: {{a: {again}}}\n- headline: '{{a}}'"
    )
    with pytest.raises(UserError, match=problem):
        grown.plan(given(squad(5)))


def test_each_die_of_a_roll_may_have_a_label_of_its_own() -> None:
    sequence = steps('- roll: {roll: "2d6: colored | white"}\n- tell: {total: roll}')
    found = played(sequence, given(), 3, 4)
    assert ([die.label for die in found.dice], found.out["total"]) == (["colored", "white"], 7)
    plan = sequence.plan(given()).narrow
    assert plan is not None
    counted = plan(("total",))
    assert len(counted.steps["0001"].group_rolls(counted.start) or ()) == 11, "still one sum"


def test_odds_go_through_a_list_of_lists_behind_a_die() -> None:
    """For each pair its first number once or twice, and the first die: 1 + 3 and twice 1 is the
    least, 6.
    """
    steps = """
    - roll: {x: 1d2}
    - let: {total: 0}
    - each: pairs
      as: pair
      roll: {y: 1d2}
      let: {total: 'total + y * pair[0] + x'}
    - tell: {total: total}
    """
    source = {
        "lists": {"pairs": [[1, 2], [3, 4]]},
        "sequences": {"test": {"steps": yaml.safe_load(steps)}},
    }
    one = Library(
        source, Setting("steps.yaml"), {"test": SequenceHead((), {"total": "int"}, "total")}
    ).load_sequence("test")
    eighth = Fraction(1, 8)
    expected = {6: 1, 7: 1, 8: 1, 9: 2, 10: 1, 11: 1, 12: 1}
    assert compute_joint_odds(one.plan(Given({})), ["total"]) == {
        (total,): ways * eighth for total, ways in expected.items()
    }
