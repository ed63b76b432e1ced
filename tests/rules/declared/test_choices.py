"""A sequence that asks a side to choose partway through: casualties or going to ground; retreat or loss for
each unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from bot.packs.check import check_path
from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Library
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.inputs.input_values import Given
from bot.rules.sequence.sequence import Play, play
from bot.rulesets.packs.pack import load_pack
from bot.rulesets.play_once import (
    build_odds_rows,
    compute_each_odds,
    count_odds,
    count_rounds,
    list_choice_branches,
    play_sequence,
)
from bot.rulesets.system import Sequence

GRIT = Path(__file__).parents[2] / "data" / "packs" / "grit"
SHOT: Mapping[str, object] = {"attackers": "squad", "targets": "squad morale=7 men=5", "dice": 3}
ASSAULT: Mapping[str, object] = {
    "attackers": "squad",
    "targets": "squad morale=7 men=5; squad morale=6 men=5",
}


def sequence(id: str) -> Sequence:
    return load_pack(GRIT).find_sequence(id)


def first(id: str, raw: Mapping[str, object], dice: tuple[int, ...]) -> Play:
    """What comes of it as far as the question."""
    script, asked = Script(dice), sequence(id)
    played = asked.play(asked.plan(asked.read_inputs(raw, {})), script)
    script.finish()
    return played


def test_two_hits_ask_the_target_and_nothing_is_changed_yet() -> None:
    (ask,) = (played := first("shoot", SHOT, (4, 5, 1))).resolution.choice_requests
    assert ask.question == "2 hits on squad. Casualties, or go to ground?"
    assert ask.options == (("casualties", "take 2 casualties"), ("suppressed", "go to ground"))
    assert ask.default == "casualties"
    assert (played.resolution.changes, played.out) == ((), {})


def test_no_hit_asks_nobody() -> None:
    played = first("shoot", SHOT, (1, 2, 3))
    assert not played.resolution.choice_requests
    assert played.out == {"hits": 0, "loss": 0, "result": "no-effect"}


@pytest.mark.parametrize(
    ("answer", "dice", "result"),
    [("casualties", (4, 5, 1), "casualties"), ("suppressed", (4, 5, 1, 3, 4), "suppressed"),
     ("Suppressed", (4, 5, 1, 4, 4), "panic")],
)  # fmt: skip
def test_what_is_chosen_is_an_input_of_resolve(
    answer: str, dice: tuple[int, ...], result: str
) -> None:
    script = Script(dice)
    assert (
        play_sequence(sequence("shoot"), {**SHOT, "answer": answer}, script).out["result"] == result
    )
    script.finish()


def test_resolve_and_odds_by_outputs_list_the_options_where_it_is_missing() -> None:
    for asked in (
        lambda: play_sequence(sequence("shoot"), SHOT, Script((4, 4, 4))),
        lambda: count_odds(sequence("shoot"), SHOT),
    ):
        with pytest.raises(
            UserError,
            match=r"This needs answer: the option chosen\. answer must be one of casualties, suppressed.",
        ):
            asked()
    with pytest.raises(
        UserError,
        match=r'answer has no option "flee"\. answer must be one of casualties, suppressed.',
    ):
        play_sequence(sequence("shoot"), {**SHOT, "answer": "flee"}, Script((4, 4, 4)))


def test_each_unit_that_fails_its_check_is_asked_for_in_one_question() -> None:
    asks = first("assault", ASSAULT, (6, 6, 6, 6)).resolution.choice_requests
    assert [(ask.item, ask.name) for ask in asks] == [("squad", "answer"), ("squad", "answer")]
    assert len(first("assault", ASSAULT, (1, 1, 6, 6)).resolution.choice_requests) == 1


@pytest.mark.parametrize(
    ("answer", "more"), [("retreat,loss", (3,)), (["retreat", "loss"], (3,)), ("loss", (3, 4))]
)
def test_each_has_an_answer_of_its_own_or_one_is_for_all(
    answer: object, more: tuple[int, ...]
) -> None:
    found = play_sequence(
        sequence("assault"), {**ASSAULT, "answer": answer}, Script((6, 6, 6, 6, *more))
    )
    lost = [0, 3] if len(more) == 1 else [3, 4]
    assert [unit["lost"] for unit in found.out["targets"]] == lost


def test_too_many_or_too_few_answers_are_refused() -> None:
    with pytest.raises(UserError, match="answer has 3 answers for 2"):
        play_sequence(
            sequence("assault"), {**ASSAULT, "answer": "loss,loss,loss"}, Script((6,) * 9)
        )
    three = {
        **ASSAULT,
        "targets": f"{ASSAULT['targets']}; squad morale=5 men=5",
        "answer": "loss,loss",
    }
    with pytest.raises(UserError, match="answer has 2 answers, but more are needed"):
        play_sequence(sequence("assault"), three, Script((6,) * 9))


def test_what_was_not_asked_is_none_behind_the_when_that_asks() -> None:
    """Parley's reply is read behind it; so is an answer that nobody was asked for."""
    steps = [
        {"roll": {"die": "1d6"}},
        {
            "when": "die > 3",
            "choose": {
                "answer": {
                    "who": "actor",
                    "ask": "Go?",
                    "options": {"go": "", "stay": ""},
                    "else": "go",
                }
            },
        },
        {"tell": {"result": "answer"}},
    ]
    head = SequenceHead(outputs={"result": "go | stay | none"}, odds_by="result")
    source = {"sequences": {"dare": {"steps": steps}}}
    declared = Library(source, Setting("dare.yaml"), {"dare": head}).load_sequence("dare")
    assert play(declared.plan(Given({})), Script((2,))).out == {"result": "none"}
    assert play(declared.plan(Given({"answer": ("stay",)})), Script((4,))).out == {"result": "stay"}


def test_odds_are_told_option_by_option() -> None:
    """Of three dice one at least hits in 7 of 8; the nerve of 7 holds in 21 of 36."""
    shot, counted = sequence("shoot"), {}
    for under, chosen in list_choice_branches(shot, SHOT):
        counted[under] = compute_each_odds(shot, chosen, tuple(build_odds_rows(shot, chosen)))[
            "row 0"
        ]
    hit, held = Fraction(7, 8), Fraction(21, 36)
    assert counted == {
        ("casualties",): {"casualties": hit, "no-effect": 1 - hit},
        ("suppressed",): {
            "suppressed": hit * held,
            "panic": hit * (1 - held),
            "no-effect": 1 - hit,
        },
    }
    assert [under for under, _ in list_choice_branches(shot, {**SHOT, "answer": "casualties"})] == [
        ()
    ]


def test_a_choice_adds_no_state_to_the_odds_of_its_options() -> None:
    """Of six units is known who is shaken, and nothing of what they were asked."""
    declared = sequence("assault").declaration
    assert declared is not None
    bound = declared.bound(6)
    assert bound is not None
    assert bound.most <= 6 * 2**6


@pytest.mark.parametrize("units", [12, pytest.param(30, marks=pytest.mark.slow)])
def test_of_many_units_asked_one_by_one_there_are_no_odds_but_they_are_played(units: int) -> None:
    """What each has rolled is known until all have answered, so the situations double with each
    unit.
    """
    many = {**ASSAULT, "targets": "; ".join(["squad morale=6 men=5"] * units), "answer": "loss"}
    with pytest.raises(UserError, match=r"These odds take too long to compute\.") as refused:
        compute_each_odds(
            sequence("assault"),
            many,
            tuple(build_odds_rows(sequence("assault"), many)),
            budget=1_000,
        )
    assert "fewer units" in str(refused.value.hint)
    found = play_sequence(sequence("assault"), many, Script((6,) * 2 * units + (1,) * units))
    assert len(found.out["targets"]) == units


def test_rounds_are_refused_in_one_sentence() -> None:
    asked = sequence("shoot")
    asked.rounds = {"ends": [{"when": {"result": ["panic"]}}]}
    with pytest.raises(
        UserError,
        match="Shooting asks a side to choose partway through, so its odds are those of one round",
    ):
        count_rounds(asked, SHOT, 2)


def test_the_pack_is_checked_with_its_examples() -> None:
    assert not check_path(GRIT).faults
