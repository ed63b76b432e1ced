"""Names of units side by side, as players say them."""

from __future__ import annotations

import pytest

from bot.rules.text.names import find_stem, format_plural, get_singular_verb, join_names


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["Lt Dan"], "Lt Dan"),
        (["US Squad 3", "US Squad 4"], "US Squads 3 + 4"),
        (["VC 3", "VC 7", "VC 5"], "VC 3, 5, 7"),
        (["GI 1", "GI 2", "GI 3", "GI 10"], "GI 1-3, 10"),
        (["US Squad 3", "Lt Dan", "US Squad 4"], "US Squads 3 + 4 and Lt Dan"),
        (["squad", "squad", "leader"], "2 squads and leader"),
        (["Squad 5", "Squad 3"], "Squads 3 + 5"),
        (["Cavalry 1", "Cavalry 2"], "Cavalry 1 + 2"),
        (["Hero 1", "Hero 2", "Hero 3"], "Hero 1-3"),
        (["هدف 1", "هدف 2", "هدف 3"], "هدف 1-3"),
        ([], ""),
    ],
)
def test_names_side_by_side(names: list[str], said: str) -> None:
    assert join_names(names) == said


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("squad", "squads"),
        ("VC", "VC"),
        ("M60 team", "M60 teams"),
        ("rally", "rallies"),
        ("man", "men"),
        ("Rifles", "Rifles"),
        ("cross", "crosses"),
    ],
)
def test_more_than_one(one: str, many: str) -> None:
    assert format_plural(one) == many


def test_what_numbered_names_have_in_common() -> None:
    assert find_stem(["VC 3", "VC 5"]) == "VC"
    assert find_stem(["VC 3", "Nguyen"]) == ""


@pytest.mark.parametrize(
    ("verb", "said"), [("go", "goes"), ("fire", "fires"), ("pass", "passes"), ("rally", "rallies")]
)
def test_what_one_does(verb: str, said: str) -> None:
    assert get_singular_verb(verb) == said
