"""What a short answer leaves out, and what it says in its place."""

from __future__ import annotations

from bot.presentation.run_sequence import _format_dice_rows, build_play_reply
from bot.rules.sequence.sequence import Line, Play, Resolution, UnitResult
from bot.rulesets.catalog import find_shared_system

FIRE = find_shared_system("lnlt").find_sequence("fire")


def answer(lines: tuple[Line, ...], settled: Resolution) -> list[str]:
    """The lines of an answer below the first."""
    return (
        build_play_reply("Alice", FIRE, Play({}, (), lines, settled), ("US Squad 3",))
        .format_text()
        .split("\n")[1:]
    )


def test_what_a_sum_is_made_of_comes_name_first_before_the_modifiers() -> None:
    line = Line(
        "attack", contributors=(("rifles", 27), ("LMG", 8)), parts=(("leader", -1),), total=34
    )
    assert line.text() == "Attack: rifles 27 + LMG 8 − 1 leader = 34"
    assert Line("skill", contributors=(("Spot", 12),), total=12).text() == "Skill: Spot 12"


def test_the_rolls_of_up_to_three_are_told_and_those_of_more_are_summed_up() -> None:
    def firers(count: int) -> list[str]:
        rolls = tuple(Line(f"GI {at} to hit", (at,), unit=f"GI {at}") for at in range(1, count + 1))
        sums = (Line(f"{count} to hit", result="2 hit"),)
        settled = Resolution(
            "in the log", unit_results=(UnitResult("VC 5", "shaken"),), sum_lines=sums
        )
        return answer((Line("skill", total=12), *rolls, Line("after")), settled)

    assert firers(3) == [
        "Skill: 12",
        "GI 1 to hit: [1]",
        "GI 2 to hit: [2]",
        "GI 3 to hit: [3]",
        "After",
    ]
    assert firers(4) == ["Skill: 12", "4 to hit: 2 hit", "After"]


def test_three_units_are_counted_first_and_named_by_their_results_below() -> None:
    fates = tuple(
        UnitResult(f"VC {at}", token)
        for at, token in ((1, "shaken"), (2, "none"), (3, "eliminated"))
    )
    told = build_play_reply(
        "Alice",
        FIRE,
        Play({}, (), (), Resolution("in the log", unit_results=fates)),
        ("US Squad 3",),
    )
    assert told.format_text().split("\n")[:4] == [
        "1 of 3 VC eliminated, 1 shaken · US Squad 3 fires",
        "Eliminated: VC 3",
        "Shaken: VC 1",
        "No effect: VC 2",
    ]


def test_a_man_and_both_of_his_results_are_one_row_of_dice() -> None:
    words = {"GI 5": "wounded and suppressed", "GI 6": "killed"}
    assert list(_format_dice_rows({"GI 5": [11, 13], "GI 6": [2, 3]}, words)) == [
        "GI 5  11 13  wounded, suppressed",
        "GI 6   2  3  killed",
    ]
