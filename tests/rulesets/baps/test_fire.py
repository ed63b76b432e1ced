"""Small arms fire, step by step."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import pytest

from bot.rules.odds.odds import compute_marginals
from bot.rulesets.catalog import find_shared_system
from tests.examples import lookup, odds, play_example
from tests.refusing import refuses
from tests.rulesets.baps.rosters import changes, roster, unit


def fire(dice: list[int], **given: Any) -> dict[str, Any]:
    """The outputs of a fire at 45 inches, if nothing else is said."""
    return play_example("baps", "fire", {"range": 45, **given}, dice).out


def test_a_squad_fires_at_three_men() -> None:
    """Four rifles of 2 and a belt-fed gun of 8 are 16; less 3 and 3 for light cover is row 10,
    read as row 5 twice.
    """
    out = fire(
        [5, 8, 10, 17, 20],
        attackers="soldier weapon=rifle-bolt count=4; soldier weapon=lmg-belt",
        targets=3,
        cover="light",
    )
    assert out["attack"] == 16
    assert out["column"] == 3
    assert [attacker["factor"] for attacker in out["attackers"]] == [2, 2, 2, 2, 8]
    assert out["targets"] == [
        {
            "unit": "soldier",
            "defense": 6,
            "difference": 10,
            "row": 5,
            "passes": 2,
            "rolls": [5, 8],
            "result": "suppressed",
            "wounds": 0,
            "after": "suppressed",
        },
        {
            "unit": "soldier",
            "defense": 6,
            "difference": 10,
            "row": 5,
            "passes": 2,
            "rolls": [10, 17],
            "result": "wound-2",
            "wounds": 2,
            "after": "suppressed",
        },
        {
            "unit": "soldier",
            "defense": 6,
            "difference": 10,
            "row": 5,
            "passes": 2,
            "rolls": [20],
            "result": "killed",
            "wounds": 3,
            "after": "killed",
        },
    ]
    assert out["ammo"] == []


def test_halves_are_added_up_and_the_fraction_dropped() -> None:
    """Suppressed and hasty halve once: 1.5. The gun alone on the move: 8 to 4 to 2. With leader
    1 that is 4.5, so 4.
    """
    out = fire(
        [10],
        attackers="soldier weapon=rifle-semi suppressed hasty; soldier weapon=lmg-belt moving no_assistant",
        targets=1,
        leader=1,
    )
    assert [attacker["factor"] for attacker in out["attackers"]] == [1.5, 2]
    assert out["attack"] == 4


def test_a_missing_assistant_matters_to_machine_guns_only_and_heroes_count_twice() -> None:
    out = fire(
        [10],
        attackers="soldier weapon=rifle-semi no_assistant; leader weapon=carbine heroic hasty",
        targets=1,
    )
    assert [attacker["factor"] for attacker in out["attackers"]] == [3, 2]


def test_fractions_are_dropped_downward_below_nothing() -> None:
    """Half of a pistol's 1 less 3 is -2.5, rounded down to -3."""
    out = fire(
        [20],
        attackers="soldier weapon=pistol hasty",
        targets=1,
        leader=-3,
        range=20,
        cover="very-heavy",
    )
    assert out["attack"] == -3
    assert (out["targets"][0]["difference"], out["targets"][0]["row"]) == (-15, -6)
    assert out["targets"][0]["result"] == "killed"


def test_each_attacker_has_his_range_and_each_target_his_stance_and_cover() -> None:
    """Carbines at 45 and 61 inches are 2 and 1."""
    out = fire(
        [2, 2, 2],
        attackers="soldier weapon=carbine; soldier weapon=carbine range=61",
        targets="soldier; leader stance=rushing cover=heavy; soldier cover=medium",
        stance="moving",
    )
    assert [attacker["factor"] for attacker in out["attackers"]] == [2, 1]
    assert [target["defense"] for target in out["targets"]] == [1, 11, 6]
    assert [target["unit"] for target in out["targets"]] == ["soldier", "leader", "soldier"]


def test_a_one_calls_for_ammunition_checks_of_all_attackers() -> None:
    """Automatic weapons fail on 2, the rifle does not."""
    out = fire(
        [1, 9, 2, 2],
        attackers="soldier weapon=submachine-gun; soldier weapon=rifle-bolt",
        targets=2,
    )
    assert out["ammo"] == [
        {"unit": "soldier", "roll": 2, "result": "out-or-jammed"},
        {"unit": "soldier", "roll": 2, "result": "ok"},
    ]


def test_shared_results_ask_for_a_d6_at_once() -> None:
    """Row -3: six men read 20 as 1/2/K; 5 men read 20 as 2/K. A 1 on the d6 is no 1 of the unit."""
    out = fire(
        [20, 1, 3, 3, 3, 3, 3],
        attackers="soldier weapon=pistol hasty",
        targets=6,
        range=10,
        leader=-1,
    )
    assert out["attack"] == 0
    assert out["targets"][0]["row"] == -3
    assert (out["targets"][0]["rolls"], out["targets"][0]["result"]) == ([20], "wound-1")
    assert out["ammo"] == []


def test_the_notes_of_ten_men_may_ask_for_two_more() -> None:
    """Row -6, ten men: note (4) on 20. A 6 is 1/2/K, and a 4 there wound-2. The second man's 5
    suppresses.
    """
    out = fire(
        [20, 6, 4, 20, 5, *[2] * 8],
        attackers="soldier weapon=pistol",
        targets=10,
        cover="very-heavy",
    )
    assert [target["result"] for target in out["targets"][:3]] == ["wound-2", "suppressed", "none"]
    out = fire([20, 6, 5, *[2] * 7], attackers="soldier weapon=carbine", targets=8, cover="medium")
    assert out["targets"][0]["row"] == -6
    assert out["targets"][0]["result"] == "killed"  # note (3): 6 is 2/K, 5 there is K


def test_a_third_wound_kills_and_ends_his_rolls() -> None:
    """Row 10 is row 5 twice. A man with two wounds is dead after the first pass; the result
    names this attack.
    """
    out = fire(
        [11, 2, 2],
        attackers="soldier weapon=lmg-belt heroic",
        targets="soldier wounds=2; soldier suppressed",
    )
    first, second = out["targets"]
    assert (first["difference"], first["row"], first["passes"]) == (13, 6, 2)
    assert (first["rolls"], first["result"], first["wounds"], first["after"]) == (
        [11],
        "wound-1",
        3,
        "killed",
    )
    assert (second["result"], second["after"]) == ("none", "suppressed")


def test_wounds_of_several_passes_add_up() -> None:
    """wound-1 and wound-2 in one attack are three: killed."""
    out = fire([9, 14], attackers="soldier weapon=lmg-belt heroic", targets=1)
    assert (out["targets"][0]["rolls"], out["targets"][0]["result"]) == ([9, 14], "killed")
    out = fire([9, 10], attackers="soldier weapon=lmg-belt heroic", targets=1)
    assert (out["targets"][0]["result"], out["targets"][0]["wounds"]) == ("wound-2", 2)
    assert out["targets"][0]["after"] == "ready"  # a wound does not suppress


def test_more_than_ten_men_read_column_ten() -> None:
    out = fire([2] * 12, attackers="soldier weapon=rifle-bolt", targets="soldier count=11; leader")
    assert out["column"] == 10
    assert len(out["targets"]) == 12


def test_the_roster_takes_wounds_states_and_jams() -> None:
    """Abe dies of a third wound, Bob takes two; Dan's weapon jams. Dan is suppressed and fires
    at half.
    """
    men = roster(
        unit("Abe", wounds=2),
        unit("Bob", cover="heavy"),
        unit("Cal"),
        unit("Dan", weapon="submachine-gun", state="suppressed"),
        unit("Eve", weapon="medium-machine-gun"),
    )
    given = {"attackers": "Dan; Eve", "range": 40, "targets": "Abe; Bob; Cal"}
    played = play_example("baps", "fire", given, [14, 18, 1, 2, 3], men)
    assert played.out["attack"] == 11
    assert [target["defense"] for target in played.out["targets"]] == [3, 10, 3]
    assert changes(played) == {
        "Abe": {"state": "killed"},
        "Bob": {"wounds": 2},
        "Dan": {"mark": {"out-or-jammed"}},
    }


def test_a_suppressed_target_is_written_back() -> None:
    men = roster(unit("Cal"))
    played = play_example(
        "baps",
        "fire",
        {"attackers": "soldier weapon=rifle-bolt", "range": 40, "targets": "Cal"},
        [13],
        men,
    )
    assert changes(played) == {"Cal": {"state": "suppressed"}}
    assert played.resolution.headline == "Cal: suppressed"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            {"attackers": "soldier weapon=pistol", "range": 70, "targets": 3},
            "out-of-reach attackers",
        ),
        ({"attackers": "soldier", "targets": 3}, "no-weapon soldier"),
        ({"attackers": "soldier weapon=rifle-bolt", "targets": 0}, "missing targets"),
        ({"attackers": "", "targets": 3}, "missing attackers"),
        ({"attackers": "soldier weapon=bow", "targets": 3}, "bad-value weapon"),
        ({"attackers": "soldier weapon=rifle-bolt", "targets": "squad"}, "unknown-unit squad"),
        ({"attackers": "soldier weapon=rifle-bolt", "targets": 41}, "too-many targets"),
        (
            {"attackers": "soldier weapon=rifle-bolt", "targets": "soldier wounds=3"},
            "bad-value wounds",
        ),
        ({"attackers": "soldier weapon=rifle-bolt", "targets": 2, "leader": 9}, "bad-value leader"),
    ],
)
def test_what_the_card_forbids_is_refused(given: dict[str, Any], problem: str) -> None:
    with refuses(problem):
        fire([], **given)


def test_squads_and_the_dead_are_no_targets() -> None:
    men = roster(unit("1st Squad", "squad", state="good"), unit("Abe", state="killed"))
    for target, problem in (("1st Squad", "wrong-type 1st Squad"), ("Abe", "unit-gone Abe")):
        with refuses(problem):
            play_example(
                "baps",
                "fire",
                {"attackers": "soldier weapon=pistol", "range": 4, "targets": target},
                [],
                men,
            )


def test_a_man_is_wounded_and_suppressed_by_one_attack() -> None:
    """19 less 3 is row 16, row 8 twice: 3 is S, 6 a wound, 2 nothing. The wound does not lift
    the S.
    """
    men = roster(unit("Hans"), unit("Karl"))
    given = {
        "attackers": "soldier weapon=heavy-machine-gun; soldier weapon=rifle-semi",
        "range": 45,
    }
    played = play_example("baps", "fire", {**given, "targets": "Hans; Karl"}, [3, 6, 2, 2], men)
    assert [(man["row"], man["result"], man["after"]) for man in played.out["targets"]] == [
        (8, "wound-1", "suppressed"),
        (8, "none", "ready"),
    ]
    assert changes(played) == {"Hans": {"wounds": 1, "state": "suppressed"}}
    assert played.resolution.headline == "1 of 2 wounded and suppressed"
    assert ("Hans", "1 wound, suppressed") in played.resolution.unit_words
    assert played.resolution.notes == ("No sprinting with 1 wound.",)


def test_a_dead_man_leaves_his_squad() -> None:
    """Killed men are taken off the men of the squad that they name; the wounded are not."""
    men = roster(unit("Abe", squad="us1"), unit("Bob", squad="us1"), unit("Cal"))
    given = {
        "attackers": "soldier weapon=heavy-machine-gun",
        "range": 15,
        "targets": "Abe; Bob; Cal",
    }
    played = play_example("baps", "fire", given, [20, 10, 20, 10, 20], men)
    assert [man["after"] for man in played.out["targets"]] == ["killed", "killed", "killed"]
    assert [
        (change.unit, dict(change.add)) for change in played.resolution.changes if change.add
    ] == [
        ("us1", {"men": -1}),
        ("us1", {"men": -1}),
    ]


def test_a_jammed_weapon_does_not_fire() -> None:
    men = roster(unit("Dan", weapon="lmg-belt", marks=("out-or-jammed",)))
    with refuses("unit-unfit Dan") as refused:
        play_example("baps", "fire", {"attackers": "Dan", "range": 45, "targets": 1}, [1], men)
    assert refused.value.hint == "After a reload or unjam order: /unit edit Dan -out-or-jammed."


# -- odds -------------------------------------------------------------------------------------------------------------


def test_odds_at_one_man_match_the_card() -> None:
    """Row 3, one man: 8-10 S, 11-14 1, 15-17 2, 18-20 K."""
    chances = odds(
        "baps",
        "fire",
        {"attackers": "soldier weapon=rifle-bolt count=3", "range": 45, "targets": 1},
    )
    assert chances == {
        "none": Fraction(7, 20),
        "suppressed": Fraction(3, 20),
        "wound-1": Fraction(4, 20),
        "wound-2": Fraction(3, 20),
        "killed": Fraction(3, 20),
    }


def entry(row: int, men: int, roll: int) -> str:
    """The entry of the printed table."""
    return str(lookup("baps", "crt", row=row, men=men, roll=roll)["result"])


def split(word: str, *dice: int) -> str:
    """A shared entry with its further dice."""
    for die in dice:
        if not word.startswith("roll"):
            break
        word = str(lookup("baps", "crt-split", entry=word, roll=die)["result"])
    return word


def test_odds_of_shared_results_agree_with_icepool() -> None:
    """Eight men in row -6: 20 is note (3), its 6 is 2/K."""
    given = {"attackers": "soldier weapon=carbine", "range": 45, "targets": 8, "cover": "medium"}
    chances = odds("baps", "fire", given, "targets[7].result")
    once = icepool.map(
        lambda d, x, y: split(entry(-6, 8, d), x, y), icepool.d20, icepool.d6, icepool.d6
    )
    assert chances == {word: Fraction(ways, once.denominator()) for word, ways in once.items()}


def after_two(first: int, second: int, wounds: int) -> tuple[str, int, str]:
    """A man with old wounds under two passes in row 5, column 2: result, wounds and state,
    counted by hand.
    """
    taken, down, killed = 0, False, False
    for die in (first, second):
        word = entry(5, 2, die)
        if killed or wounds + taken >= 3:
            break
        killed = word == "killed"
        down = down or word == "suppressed"
        taken += {"wound-1": 1, "wound-2": 2}.get(word, 0)
    dead = killed or wounds + taken >= 3
    result = (
        "killed"
        if killed or taken >= 3
        else f"wound-{taken}"
        if taken
        else "suppressed"
        if down
        else "none"
    )
    return (
        result,
        3 if dead else wounds + taken,
        "killed" if dead else "suppressed" if down else "ready",
    )


def test_odds_of_two_passes_match_a_count_of_all_rolls() -> None:
    """Attack 13 less 3 is row 10: row 5 twice, two men, the second with a wound."""
    given = {
        "attackers": "soldier weapon=lmg-belt; soldier weapon=lmg-magazine hasty; soldier weapon=rifle-bolt",
        "range": 45,
        "targets": "soldier; soldier wounds=1",
    }
    counts: dict[str, int] = {}
    for first, second in product(range(1, 21), repeat=2):
        key = "|".join(map(str, after_two(first, second, 1)))
        counts[key] = counts.get(key, 0) + 1
    chances = odds(
        "baps", "fire", given, "targets[1].result", "targets[1].wounds", "targets[1].after"
    )
    assert chances == {key: Fraction(ways, 400) for key, ways in counts.items()}


def test_odds_of_ammunition_match_a_count_by_hand() -> None:
    """Two men, row 0: some d20 is a 1 in 39 of 400; then a bolt-action rifle fails on a 1."""
    given = {
        "attackers": "soldier weapon=rifle-bolt; soldier weapon=pistol",
        "range": 45,
        "targets": 2,
    }
    failing = Fraction(39, 400)
    assert odds("baps", "fire", given, "ammo[1].result") == {
        "out-or-jammed": failing / 6,
        "ok": failing * 5 / 6,
        "none": 1 - failing,
    }


def test_odds_of_single_dice_are_counted_die_by_die() -> None:
    given = {"attackers": "soldier weapon=rifle-bolt count=8", "range": 45, "targets": 2}
    chances = odds("baps", "fire", given, "targets[1].rolls[0]")
    assert chances == {str(face): Fraction(1, 20) for face in range(1, 21)}
    second = odds("baps", "fire", given, "targets[0].rolls[1]")
    killed = sum(entry(6, 2, die) == "killed" for die in range(1, 21))
    assert second["none"] == Fraction(killed, 20)


def test_odds_know_the_factor_of_each_firer() -> None:
    """Half of a moving rifle's 2 is certain before any die, and the odds say so."""
    given = {
        "attackers": "soldier weapon=rifle-bolt moving; leader weapon=pistol",
        "range": 45,
        "targets": 1,
    }
    assert odds("baps", "fire", given, "attackers[0].factor", "attackers[1].unit") == {
        "1|leader": 1
    }


def test_odds_of_ten_men_are_counted_at_once_and_agree_with_each_other() -> None:
    """Ten rifles: attack 20 less 3 is row 17, row 8 twice; every man by himself and all in one
    pass.
    """
    sequence = find_shared_system("baps").find_sequence("fire")
    raw = {"attackers": "soldier weapon=rifle-bolt count=10", "range": 45, "targets": 10}
    paths = [f"targets[{at}].result" for at in range(10)]
    compute_marginals(sequence.plan(sequence.read_inputs(raw, {})), paths)  # tables are read once
    spent = []
    for _ in range(3):
        start = time.process_time()
        together = compute_marginals(sequence.plan(sequence.read_inputs(raw, {})), paths)
        spent.append(time.process_time() - start)
    assert min(spent) < 1  # some hundredths here; the bound is for slow machines
    assert len({tuple(sorted(chances.items())) for chances in together.values()}) == 1
    assert odds("baps", "fire", raw, "targets[9].result") == together["targets[0].result"]
    counts: dict[str, int] = {}
    for first, second in product(range(1, 21), repeat=2):
        taken, down = 0, False
        for word in (entry(8, 10, first), entry(8, 10, second)):
            taken = 9 if word == "killed" else taken + {"wound-1": 1, "wound-2": 2}.get(word, 0)
            down = down or word == "suppressed"
        result = (
            "killed"
            if taken > 2
            else f"wound-{taken}"
            if taken
            else "suppressed"
            if down
            else "none"
        )
        counts[result] = counts.get(result, 0) + 1
    assert together["targets[0].result"] == {
        word: Fraction(ways, 400) for word, ways in counts.items()
    }
