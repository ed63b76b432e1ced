"""The first line of an answer: who, what happened to whom, how grave it is."""

from __future__ import annotations

import pytest

from bot.presentation.headline import build_headline, build_result_groups, summarize_results
from bot.rules.sequence.sequence import UnitResult
from bot.rulesets.catalog import find_shared_system
from bot.ui.reply.reply import HURT, NOTHING, SHAKEN

FIRE = find_shared_system("lnlt").find_sequence("fire")
TWO = ("US Squad 3", "US Squad 4")


@pytest.mark.parametrize(
    ("fates", "title", "tone"),
    [
        (
            [("VC 5", "shaken"), ("Nguyen", "casualties")],
            "Nguyen takes casualties, VC 5 is shaken",
            HURT,
        ),
        ([("VC 5", "shaken"), ("VC 6", "shaken")], "VC 5 + 6 are shaken", SHAKEN),
        ([("VC 5", "none")], "No effect on VC 5", NOTHING),
        ([("VC 5", "none"), ("VC 6", "none"), ("VC 7", "none")], "No effect on 3 VC", NOTHING),
        (
            [(f"Private First Class {name}", "shaken") for name in "ABC"],
            "All 3 units shaken",
            SHAKEN,
        ),
        (
            [("VC 5", "none"), ("VC 6", "eliminated"), ("VC 7", "shaken"), ("VC 8", "shaken")],
            "1 of 4 VC eliminated, 2 shaken",
            HURT,
        ),
        ([(f"Enemy {at}", "eliminated") for at in range(40)], "Enemy: all 40 eliminated", HURT),
        (
            [("Local 1", "shaken"), ("Local 2", "none"), ("Local 3", "none")],
            "Local: 1 of 3 shaken",
            SHAKEN,
        ),
        (
            [("squad", "eliminated"), ("squad", "eliminated"), ("leader", "eliminated")],
            "2 squads and the leader are eliminated",
            HURT,
        ),
        (
            [("Nguyen", "none", "", (("wounded", ""), ("shaken", "")))],
            "Nguyen is wounded and is shaken",
            HURT,
        ),
        ([(f"Nguyen {'x' * at}", "shaken") for at in range(4)], "All 4 units shaken", SHAKEN),
    ],
)
def test_the_first_line_says_what_happened_to_whom_worst_first(
    fates: list[tuple[str, str]], title: str, tone: str
) -> None:
    told = build_headline(
        summarize_results(FIRE, [UnitResult(*fate) for fate in fates]), "in the log", TWO, "Alice"
    )
    assert (told.title, told.cause, told.tone) == (title, "US Squads 3 + 4 fire", tone)


@pytest.mark.parametrize(
    ("system_id", "sequence", "tokens", "title"),
    [
        (
            "baps", "fire",
            ["killed", *["wounded-twice"] * 3, *["wounded-suppressed"] * 4, *["suppressed"] * 3, "none"],
            "1 of 12 GIs killed, 7 wounded, 3 suppressed",
        ),
        ("lnlt", "fire", ["eliminated", "wounded", "casualties", "damaged", "shaken", "shaken"],
            "1 of 6 GIs eliminated, 1 with casualties, 4 wounded or damaged or shaken"),
        ("baps", "random-order", ["rush-toward-enemy", *["none"] * 3, *["same-as-leader"] * 4, "heroic-action"],
            "1 of 9 GIs rushes the enemy, 1 acts heroically, 3 do nothing"),
        ("lnlt", "rally", ["rallied", "fails", "fails"], "1 of 3 GIs rallied, 2 failed"),
    ],
)  # fmt: skip
def test_beyond_three_results_they_are_summed_by_severity(
    system_id: str, sequence: str, tokens: list[str], title: str
) -> None:
    """Never "10 otherwise", of whom six were wounded; of orders those that one looks out for."""
    played = find_shared_system(system_id).find_sequence(sequence)
    fates = [UnitResult(f"GI {at}", token, "") for at, token in enumerate(tokens)]
    assert build_headline(summarize_results(played, fates), "", (), "Alice").title == title


def test_units_to_which_two_things_happened_are_in_one_line_of_many() -> None:
    fates = [
        *(UnitResult(f"Squad {at}", "shaken", "", (("loses", "2"),)) for at in range(4)),
        UnitResult("Squad 9", "none"),
    ]
    came = summarize_results(FIRE, fates)
    assert build_result_groups(came)[0].text == "Squads 0-3"
    assert build_result_groups(came)[0].label.startswith("Shaken, loses")
    assert build_headline(came, "", (), "Alice").title == "4 of 5 Squads shaken"


def test_where_nobody_acts_the_sequence_is_named() -> None:
    told = build_headline(summarize_results(FIRE, ()), "no effect", (), "Alice")
    assert (told.title, told.cause, told.tone) == ("No effect", "Alice fires", NOTHING)


def test_many_units_are_shown_by_their_results() -> None:
    fates = [
        UnitResult("VC 1", "shaken"),
        UnitResult("VC 3", "eliminated"),
        UnitResult("VC 2", "shaken"),
        UnitResult("VC 4", "none"),
    ]
    shown = [
        (group.label, group.text, group.grave)
        for group in build_result_groups(summarize_results(FIRE, fates))
    ]
    assert shown == [
        ("Eliminated", "VC 3", True),
        ("Shaken", "VC 1 + 2", False),
        ("No effect", "VC 4", False),
    ]


def test_what_the_files_say_of_a_sequence_is_read_for_its_first_answer_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fates = [UnitResult("VC 5", "shaken")]
    first = build_headline(summarize_results(FIRE, fates), "in the log", TWO, "Alice")
    monkeypatch.setattr(FIRE.system, "game", {})
    assert build_headline(summarize_results(FIRE, fates), "in the log", TWO, "Alice") == first
