"""Overruns, PAC 01."""

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses


def overrun(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of one overrun."""
    return play_example("lnlt", "overrun", given, dice).out


def test_all_defenders_check_and_the_fit_may_strike_back() -> None:
    """2 + 2 + 1 + 1 + 1 against 3 + 1: 3 higher. The leader helps the first squad; the second is
    shaken.
    """
    targets = "leader morale=6 lm=1; squad morale=5; squad morale=5; hero morale=5; half-squad morale=9 shaken"
    out = overrun([2, 3, 3, 3, 5, 6, 2], he=1, mg=1, lm=1, tm=1, targets=targets)
    assert (out["attack_total"], out["defense_total"], out["dc_mod"], out["mp_cost"]) == (
        7,
        4,
        3,
        4,
    )
    assert [target["result"] for target in out["targets"]] == [
        "none",
        "none",
        "shaken",
        "wounded",
        "none",
    ]
    assert out["may_close_assault"] == ["squad", "hero"]
    assert out["outcome"] == "none"


def test_without_a_hit_all_the_fit_may_strike_back() -> None:
    """A tie is no hit; leaders and shaken units do not close assault."""
    out = overrun(
        [1, 3], targets="leader morale=6; squad morale=5; squad morale=5 shaken; crew morale=4"
    )
    assert (out["hit"], out["targets"], out["may_close_assault"]) == (False, [], ["squad", "crew"])


def test_terrain_counts_up_to_four_and_no_targets_ask_for_a_check() -> None:
    """5 + 2 + 5 against 1 + 4."""
    out = overrun([5, 1], he=5, tm=9)
    assert (out["defense_total"], out["dc_mod"], out["outcome"], out["may_close_assault"]) == (
        5,
        7,
        "damage-check",
        [],
    )


def test_a_hero_may_appear() -> None:
    """A natural 1 of a squad, then an even die."""
    out = overrun([5, 1, 1, 4], targets="squad morale=9")
    assert out["targets"][0]["hero"] is True


def test_refusals() -> None:
    """Numbers beyond the card."""
    with refuses("unit-needs morale"):
        overrun([], targets="squad")
    with refuses("bad-value he"):
        overrun([], he=21)


def test_odds_of_the_list_and_of_the_hit_match_a_count_by_hand() -> None:
    """1d6 + 2 against 1d6 is not higher in 10 of 36; a squad of morale 1 falls at any hit."""
    given = {"targets": "squad morale=1; leader morale=5"}
    missed = Fraction(10, 36)
    assert odds("lnlt", "overrun", given, "hit")["false"] == missed
    assert odds("lnlt", "overrun", given, "may_close_assault") == {
        "squad": missed,
        "none": 1 - missed,
    }
    both = odds("lnlt", "overrun", given, "hit", "may_close_assault")
    assert both == {"false|squad": missed, "true|none": 1 - missed}
