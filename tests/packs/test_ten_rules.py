"""The ten small rules of docs/pack-recipes.md, each played as the page prints it, with its odds
counted by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.archive import read_content
from tests.adapters.nursery import run
from tests.examples import odds, play_example

GAME = """
groups: {rules: "Rules"}
units:
  types: [squad, tank]
  attributes:
    men: {type: int, min: 0, max: 20, help: "men"}
    morale: {type: int, min: 2, max: 12, help: "morale"}
    armor: {type: int, min: 0, max: 6, help: "armor"}
    lm: {type: int, min: 0, max: 3, help: "leader's modifier"}
  markers: [disrupted]
  states: [there, gone]
  lost: [gone]
"""
PACK = 'id: ten\ntitle: Ten\nversion: "1"\nauthor: us\nlicence: CC0-1.0\n'
LISTS = re.compile(r"(\w+): ((?:list of )?\{[^}]*\}|\w+(?: \| \w+)*)")
US, THEM = "squad men=4 morale=7", "tank men=3 morale=8 armor=3"


@pytest.fixture
def ten(root: Path, tmp_path: Path, use_packs: Callable[[Path], None]) -> Path:
    """A pack of ten sequences: the steps are the page's, the outputs what the first line of each
    says.
    """
    page = (root / "docs" / "pack-recipes.md").read_text(encoding="utf-8")
    rules = re.findall(r"```yaml\n(# (\d+)\. .*?)```", page, re.DOTALL)
    assert [int(number) for _, number in rules] == [*range(1, 11)]
    folder = tmp_path / "ten"
    (folder / "steps").mkdir(parents=True)
    (folder / "pack.yaml").write_text(PACK)
    (folder / "game.yaml").write_text(GAME)
    made = []
    for steps, number in rules:
        said = re.split(r" {2,}", steps.splitlines()[0])[1]
        outputs = ", ".join(f'{name}: "{kind}"' for name, kind in LISTS.findall(said))
        first, kind = LISTS.findall(said)[-1]
        by = (
            f"{first}[0].{'fell' if 'fell' in kind else 'result'}"
            if kind.startswith("list")
            else first
        )
        inputs = (
            "units: {type: units, help: ours}, targets: {type: units, optional: true, help: theirs}"
        )
        made.append(
            f"rule-{number}:\n  title: Rule {number}\n  source: ours\n  summary: A rule.\n  verb: Roll\n"
            f"  inputs: {{{inputs}, dark: {{type: bool, help: dark}}}}\n  outputs: {{{outputs}}}\n  odds_by: {by}\n"
            f'  example: {{units: "{US}", targets: "{THEM}"}}\n'
        )
        (folder / "steps" / f"rule-{number}.yaml").write_text(steps)
    (folder / "sequences.yaml").write_text("".join(made))
    use_packs(folder)
    return folder


def test_they_pass_the_check(ten: Path) -> None:
    report = check_content(read_content(ten))
    assert report.faults == ()
    assert not [question for question in report.questions if "headline" in question]


def test_a_marker_adds_to_the_roll_of_rule_2(ten: Path, root: Path) -> None:
    script = (
        "unit add Alpha squad Blue men=4 morale=7\nunit edit Alpha marker=disrupted\n"
        "game settings hand_dice=yes\nten rule-2 Alpha hand=3,3\n"
    )
    status, printed, errors = run("try", str(ten), "--as", "Anna", cwd=root, script=script.encode())
    assert status == 0, printed + errors
    assert "0 of 1 pass" in printed
    assert "[3] [3] + 2 disrupted = 8" in printed


def share(ways: Iterable[object], of: object) -> Fraction:
    """The share of these ways that are so."""
    counted = Counter(ways)
    return Fraction(counted[of], counted.total())


SHOTS = {n: Fraction(comb(4, n) * 2 ** (4 - n), 3**4) for n in range(5)}
"""Of four dice so many are 5 or 6."""


@pytest.mark.usefixtures("ten")
@pytest.mark.parametrize(
    ("rule", "by", "value", "expected"),
    [
        (1, "result", "blown", Fraction(1, 3)),
        (2, "units[0].result", "pass", Fraction(21, 36)),
        (
            3,
            "result",
            "won",
            share([(a + 1 > b) for a, b in product(range(1, 11), repeat=2)], True),
        ),
        (4, "result", "hull", Fraction(1, 3)),
        (5, "hits", 2, SHOTS[2]),
        (6, "lost", 0, sum((SHOTS[n] * Fraction(1, 2**n) for n in range(5)), Fraction(0))),
        (7, "targets[0].fell", 2, Fraction(1, 16)),
        (8, "units[0].result", "pass", Fraction(21, 36)),
        (9, "result", "hit", Fraction(3, 6) + Fraction(1, 6) * Fraction(3, 6)),
        (
            10,
            "result",
            "burns",
            1
            - (Fraction(2, 3) + Fraction(1, 3) * (Fraction(1, 2) + Fraction(1, 2) * Fraction(5, 6)))
            ** 4,
        ),
    ],
)
def test_its_odds_are_those_by_hand(rule: int, by: str, value: object, expected: Fraction) -> None:
    found = odds("ten", f"rule-{rule}", {"units": US, "targets": THEM}, by)
    assert {str(key): part for key, part in found.items()}[str(value)] == expected


@pytest.mark.usefixtures("ten")
def test_the_cascade_stops_when_it_burns() -> None:
    played = play_example(
        "ten", "rule-10", {"units": US, "targets": THEM}, (5, 6, 1, 5, 4, 5, 6, 1, 6)
    )
    assert (played.out["hits"], played.out["holes"], played.out["result"]) == (3, 3, "burns")


@pytest.mark.usefixtures("ten")
def test_the_second_walk_leaves_leaders_out() -> None:
    played = play_example("ten", "rule-8", {"units": f"{US}; squad men=1 morale=9 lm=2"}, (4, 5))
    assert [(one.get("total"), one.get("result")) for one in played.out["units"]] == [
        (7, "pass"),
        (None, None),
    ]
    assert find_shared_system("ten").find_sequence("rule-8").title == "Rule 8"
