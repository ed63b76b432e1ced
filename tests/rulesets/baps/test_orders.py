"""Leader points, random orders, heroic actions and leader ratings."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.examples import odds, play_example
from tests.refusing import refuses
from tests.rulesets.baps.rosters import changes, roster, unit


def order(dice: list[int], **given: Any) -> dict[str, Any]:
    return play_example("baps", "random-order", given, dice).out


# -- leader points ----------------------------------------------------------------------------------------------------


def test_a_ready_leader_rolls() -> None:
    assert play_example("baps", "leader-points", {"rating": 2}, [3]).out == {"roll": 3, "points": 5}
    assert play_example("baps", "leader-points", {"rating": -3}, [2]).out == {
        "roll": 2,
        "points": 1,
    }


def test_a_leader_in_bad_morale_has_his_rating_only() -> None:
    given = {"rating": 2, "state": "bad-morale"}
    assert play_example("baps", "leader-points", given, []).out == {"roll": "none", "points": 2}
    given = {"rating": 0, "state": "bad-morale"}
    assert play_example("baps", "leader-points", given, []).out == {"roll": "none", "points": 1}


def test_a_suppressed_leader_has_none() -> None:
    given = {"rating": 5, "state": "suppressed"}
    assert play_example("baps", "leader-points", given, []).out == {"roll": "none", "points": 0}
    leaders = roster(unit("Sgt Fox", "leader", state="suppressed", lr=3))
    assert (
        play_example("baps", "leader-points", {"unit": "Sgt Fox"}, [], leaders).out["points"] == 0
    )
    out = play_example(
        "baps", "leader-points", {"unit": "Sgt Fox", "state": "ready"}, [4], leaders
    ).out
    assert out == {"roll": 4, "points": 7}


def test_odds_of_leader_points() -> None:
    assert odds("baps", "leader-points", {"rating": -2}) == {
        "1": Fraction(3, 4),
        "2": Fraction(1, 4),
    }
    assert odds("baps", "leader-points", {"state": "suppressed"}) == {"0": Fraction(1)}


# -- random orders ----------------------------------------------------------------------------------------------------


def test_a_plain_order() -> None:
    assert order([9]) == {
        "roll": 9,
        "order": "same-as-nearest-friend",
        "mark": "none",
        "may_change": False,
        "heroic_roll": "none",
        "heroic": "none",
        "orders": 0,
    }


def test_a_dagger_lets_all_but_green_men_do_a_chore() -> None:
    assert order([1], grade="veteran")["may_change"]
    out = order([1])
    assert (out["mark"], out["may_change"]) == ("dagger", False)
    assert not order([1], grade="elite", morale="bad")["may_change"]


def test_a_hero_who_becomes_a_leader_rolls_for_his_orders() -> None:
    out = order([20, 1, 1, 3])
    assert (out["order"], out["heroic_roll"], out["heroic"], out["orders"]) == (
        "heroic-action",
        2,
        "become-leader",
        3,
    )
    out = order([20, 3, 4])
    assert (out["heroic_roll"], out["heroic"], out["orders"]) == (7, "one-action", 0)


def test_bad_morale_ends_in_berserk_or_surrender_without_more_dice() -> None:
    out = order([20], morale="bad")
    assert (out["order"], out["heroic"]) == ("berserk", "none")
    assert order([1], morale="bad")["mark"] == "double-dagger"


def test_a_suppressed_soldier_stays_so() -> None:
    out = order([], suppressed=True)
    assert (out["roll"], out["order"], out["mark"]) == ("none", "remain-suppressed", "none")
    assert order([13], who="driver", suppressed=True)["order"] == "same-as-last-turn"


def test_starred_moves_are_for_the_driver() -> None:
    assert order([3], who="driver")["order"] == "move-quickly-away-enemy"
    out = order([3], who="crewman", grade="crack")
    assert (out["order"], out["mark"], out["may_change"]) == ("none", "dagger", True)
    assert order([20], who="crewman")["order"] == "fire-random-enemy"


def test_the_roster_takes_heroes_and_berserks() -> None:
    men = roster(
        unit("Abe"), unit("Bob", state="suppressed", grade="elite"), unit("Sgt Fox", "leader")
    )
    heroic = play_example("baps", "random-order", {"unit": "Abe"}, [20, 2, 2], men)
    assert changes(heroic) == {"Abe": {"mark": {"heroic"}}}
    berserk = play_example("baps", "random-order", {"unit": "Abe", "morale": "bad"}, [20], men)
    assert changes(berserk) == {"Abe": {"mark": {"berserk"}}}
    assert (
        play_example("baps", "random-order", {"unit": "Bob"}, [], men).out["order"]
        == "remain-suppressed"
    )
    with refuses("wrong-type Sgt Fox"):
        play_example("baps", "random-order", {"unit": "Sgt Fox"}, [], men)


def test_odds_of_random_orders() -> None:
    chances = odds("baps", "random-order", {})
    assert chances["none"] == Fraction(3, 20)
    assert chances["heroic-action"] == Fraction(1, 20)
    assert odds("baps", "random-order", {}, "heroic")["become-leader"] == Fraction(1, 20 * 36)
    assert odds("baps", "random-order", {}, "orders")["4"] == Fraction(1, 20 * 36 * 4)
    assert odds("baps", "random-order", {}, "roll")["4"] == Fraction(1, 20)


# -- heroic actions, leader ratings -----------------------------------------------------------------------------------


def test_heroic_actions() -> None:
    out = play_example("baps", "heroic-action", {}, [1, 1, 4]).out
    assert out == {"roll": 2, "result": "become-leader", "orders": 4, "lasts": "turn"}
    out = play_example("baps", "heroic-action", {}, [6, 6]).out
    assert out == {"roll": 12, "result": "berserk", "orders": 0, "lasts": "berserk"}
    assert play_example("baps", "heroic-action", {}, [5, 6]).out["result"] == "act-each-phase"


def test_a_hero_is_unsuppressed() -> None:
    men = roster(unit("Bob", state="suppressed"))
    played = play_example("baps", "heroic-action", {"unit": "Bob"}, [2, 2], men)
    assert changes(played)["Bob"]["state"] == "ready"
    assert changes(played)["Bob"]["mark"] == {"heroic"}


def test_odds_of_heroic_actions() -> None:
    chances = odds("baps", "heroic-action", {})
    assert (chances["one-action"], chances["berserk"]) == (Fraction(6, 36), Fraction(1, 36))


def test_leader_ratings() -> None:
    assert play_example("baps", "leader-rating", {"grade": "green"}, [17]).out == {
        "roll": 17,
        "rating": 2,
    }
    assert play_example("baps", "leader-rating", {"grade": "elite"}, [1]).out["rating"] == 1
    leaders = roster(unit("Sgt Fox", "leader", grade="crack"))
    played = play_example("baps", "leader-rating", {"unit": "Sgt Fox"}, [20], leaders)
    assert changes(played) == {"Sgt Fox": {"lr": 3}}
    with refuses("missing grade"):
        play_example("baps", "leader-rating", {}, [1])


def test_odds_of_leader_ratings() -> None:
    assert odds("baps", "leader-rating", {"grade": "green"}) == {
        "0": Fraction(6, 20),
        "1": Fraction(10, 20),
        "2": Fraction(4, 20),
    }
