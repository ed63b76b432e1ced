"""Packs that would bend a game that they extend or inherit, or that never end: each is refused
in one sentence.
"""

from __future__ import annotations

import time

import pytest

from bot.packs.check import check_content
from tests.extension import EXTENSION
from tests.packs.conftest import FEW

ABOUT = EXTENSION["pack.yaml"]
HOUSE = {"pack.yaml": ABOUT.replace("extends: asl", "inherits: asl")}
SMOKE = EXTENSION["sequences.yaml"].replace("\nfire:", "\nsmoke:")
FIRST = "title: First\nsides: [A, B]\nunits: [{name: Al, type: squad, side: A, fp: 4}]\n"


def faults_of(files: dict[str, str]) -> tuple[str, ...]:
    """The faults of a pack with these files, found in no time and without an exception."""
    since = time.process_time()
    found = check_content({name: text.encode() for name, text in files.items()}).faults
    assert time.process_time() - since < 10
    return found


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"pack.yaml": ABOUT.replace("asl", "few")},
            "pack.yaml, row extends: there is no built-in game few",
        ),
        ({"pack.yaml": ABOUT.replace("asl", "club-ift")}, "there is no built-in game club-ift"),
        (
            {"pack.yaml": ABOUT + "inherits: asl\n"},
            "a pack inherits (a game of its own) or extends",
        ),
        (
            {"pack.yaml": ABOUT.replace("asl", "asl@99")},
            "is for edition 99 of asl, but this is edition",
        ),
        ({"pack.yaml": ABOUT.replace("asl", "[asl, lnlt]")}, "row extends: must be a text"),
        (
            {"sequences.yaml": SMOKE, "steps/smoke.yaml": EXTENSION["steps/fire.yaml"]},
            "has the combat sequence smoke",
        ),
        ({"melee-actions.yaml": EXTENSION["card.yaml"]}, "already has the table melee-actions"),
        ({"game.yaml": "phases: []\n"}, "row phases: an extension only adds to groups, lists"),
        ({"game.yaml": "turns: together\n"}, "row turns: an extension only adds to"),
        ({"game.yaml": "title: Mine\n"}, "row title: an extension only adds to"),
        ({"game.yaml": "units: [squad]\n"}, "row units: an extension only adds to"),
        (
            {"game.yaml": "units: {attributes: {morale: null}}\n"},
            "an extension cannot remove anything from a game",
        ),
        (
            {"game.yaml": "units: {attributes: {morale: {type: int, max: 99}}}\n"},
            "morale: already exists",
        ),
        (
            {"game.yaml": "units: {lost: [good-order]}\n"},
            "good-order: belongs to the game and cannot be changed here",
        ),
        (
            {"game.yaml": "units: {state_flags: {broken: [low_ammo]}}\n"},
            "belongs to the game and cannot be changed here",
        ),
        ({"game.yaml": "units: {states: [squad]}\n"}, "squad: already exists, among types"),
        ({"game.yaml": "units: {only: 7}\n"}, "row units only: must be"),
        ({"game.yaml": "units: {types: 7}\n"}, "row units types: must be a list of words"),
        (
            {"game.yaml": "lists: {starts: [never]}\n"},
            "lists starts: already exists with a different definition",
        ),
        (
            {"game.yaml": '{results: {"*": {break: {says: "{} wins"}}}}\n'},
            "break: already exists",
        ),
        (
            {"scenarios/canal.yaml": FIRST},
            "already has the scenario canal; call this one something",
        ),
        (
            {"pack.yaml": HOUSE["pack.yaml"], "game.yaml": "units: {states: null}\n"},
            "is not known here",
        ),
        (
            {"pack.yaml": HOUSE["pack.yaml"], "game.yaml": "units: null\n"},
            "game.yaml: units is missing",
        ),
        (
            {"pack.yaml": HOUSE["pack.yaml"], "game.yaml": "groups: {fire: null}\n"},
            "the game has no group fire",
        ),
        (
            {"pack.yaml": HOUSE["pack.yaml"], "game.yaml": "phases: null\nlists: [a]\n"},
            "row lists: must be {name: [text, ...]}",
        ),
    ],
)
def test_what_would_bend_a_game_is_refused_in_one_sentence(
    changed: dict[str, str], said: str
) -> None:
    faults = faults_of({**EXTENSION, **changed})
    assert any(said in fault for fault in faults), faults
    assert all("Error" not in fault and len(fault) < 500 for fault in faults), faults


def test_four_hundred_blank_cells_are_listed_in_a_line() -> None:
    rows = "\n".join(f"    {row}: [{', '.join('_' * 20)}]" for row in range(1, 21))
    card = FEW["crt.yaml"].replace("max: 6}", "max: 20}").partition("outputs:")[0].replace(
        "inputs:", "inputs:\n  column: {type: int, min: 1, max: 20}"
    )  # fmt: skip
    blanks = ", ".join("_" * 20)
    card += "outputs: {result: token}\nread:\n  rows: roll\n"
    card += f"  columns: {{by: column, from: [{blanks}]}}\n  cells:\n{rows}\n"
    report = check_content(
        {name: text.encode() for name, text in {**FEW, "crt.yaml": card}.items()}
    )
    assert report.faults == ()
    (asked,) = [question for question in report.questions if "blank" in question]
    assert "401 blanks" in asked
    assert len(asked) < 500
