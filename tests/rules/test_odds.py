"""The driver: one definition played and counted. A little fire fight stands for all sequences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from operator import or_
from typing import Any

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules.dice import Script, d6, d20, make_dice
from bot.rules.odds.odds import compute_joint_odds, compute_marginals
from bot.rules.odds.rolls import TooManyStates, group_alike, group_sums, group_values
from bot.rules.sequence.sequence import (
    IndependentPart,
    IndependentParts,
    Plan,
    Resolution,
    Roll,
    Ruling,
    nest_outputs,
    play,
    ruled,
)
from tests.refusing import refuses
from tests.rules.odds_helpers import (
    Grouped,
)


@dataclass(frozen=True, slots=True)
class Volley:
    """Shots still to come and hits so far; a hit owes a second die."""

    shots: int
    hits: int = 0
    next_step: str | None = "shot"


def volley(shots: int, *, grouped: bool = False) -> Plan[Volley]:
    """Each shot hits on 5 or 6; each hit kills on 4 or more, told one by one."""

    def shoot(state: Volley, roll: Roll) -> Ruling[Volley]:
        number, hit = shots - state.shots, roll[0] >= 5
        told: dict[str, Any] = {f"shots[{number}].roll": roll[0], f"shots[{number}].hit": hit}
        if hit:
            return Ruling(replace(state, next_step="kill"), told)
        after = replace(state, shots=state.shots - 1, next_step="shot" if state.shots > 1 else None)
        return Ruling(after, told | {f"shots[{number}].killed": False})

    def kill(state: Volley, roll: Roll) -> Ruling[Volley]:
        left, killed = state.shots - 1, roll[0] >= 4
        after = Volley(left, state.hits + killed, "shot" if left else None)
        return Ruling(after, {f"shots[{shots - state.shots}].killed": killed})

    groups = group_values(range(1, 7), lambda face: face >= 5)
    return Plan(
        Volley(shots),
        {
            "shot": Grouped((d6("shot"),), shoot, lambda _: groups)
            if grouped
            else ruled((d6("shot"),), shoot),
            "kill": ruled((d6("kill"),), kill),
        },
        lambda out: Resolution(f"{out['kills']} killed"),
        closing=lambda state: {"kills": state.hits},
    )


def test_an_example_of_play() -> None:
    """3 misses, 6 hits and 4 kills."""
    script = Script([3, 6, 4])
    played = play(volley(2), script)
    script.finish()
    assert played.out == {
        "shots": [
            {"roll": 3, "hit": False, "killed": False},
            {"roll": 6, "hit": True, "killed": True},
        ],
        "kills": 1,
    }
    assert [die.label for die in played.dice] == ["shot", "shot", "kill"]


def test_a_script_must_be_used_up() -> None:
    script = Script([3, 3, 3])
    play(volley(2), script)
    with refuses("dice-left-over"):
        script.finish()


def test_a_missing_die_says_which_is_owed() -> None:
    with refuses("die-owed kill"):
        play(volley(1), Script([6]))


@pytest.mark.parametrize("face", [0, 7, "4", True, 2.0, None])
def test_an_impossible_die_is_refused(face: object) -> None:
    with refuses("bad-face"):
        play(volley(1), Script([face]))


@given(st.integers(1, 12), st.booleans())
def test_odds_match_a_second_opinion_and_sum_to_one(shots: int, grouped: bool) -> None:
    counted = compute_joint_odds(volley(shots, grouped=grouped), ["kills"])
    one = icepool.Die({0: 5, 1: 1})  # a third hits, half of these kill
    expected = shots @ one
    assert sum(counted.values()) == 1
    assert counted == {
        (kills,): Fraction(expected.quantity(kills), expected.denominator())
        for kills in expected.outcomes()
    }


def test_several_outputs_at_once() -> None:
    counted = compute_joint_odds(volley(2), ["shots[0].killed", "shots[1].killed", "kills"])
    sixth = Fraction(1, 6)
    assert counted[("true", "true", 2)] == sixth**2
    assert counted[("true", "false", 1)] == sixth * (1 - sixth)
    assert sum(counted.values()) == 1


def test_a_face_that_is_asked_for_is_counted_by_every_face() -> None:
    counted = compute_joint_odds(volley(1), ["shots[0].roll"])
    assert counted == {(face,): Fraction(1, 6) for face in range(1, 7)}


def test_faces_that_come_to_the_same_lead_to_one_state() -> None:
    """20 faces hit or miss: two states in which the next die is looked at, however many asked
    for the first.
    """

    def shoot(_: Volley, roll: Roll) -> Ruling[Volley]:
        return Ruling(Volley(1, roll[0] >= 15, "kill"), {"roll": roll[0], "hit": roll[0] >= 15})

    def kill(before: Volley, roll: Roll) -> Ruling[Volley]:
        return Ruling(Volley(0, next_step=None), {"killed": before.hits and roll[0] >= 4})

    steps = {"shot": ruled((d20("shot"),), shoot), "kill": ruled((d6("kill"),), kill)}
    plan = Plan(Volley(1), steps, lambda out: Resolution(f"{out['hit']}"))
    assert compute_joint_odds(plan, ("hit",), rolls=20) == {
        ("true",): Fraction(6, 20),
        ("false",): Fraction(14, 20),
    }
    assert compute_joint_odds(plan, ("killed",), rolls=20 + 2 * 6, budget=3)[("true",)] == Fraction(
        3, 20
    )
    assert compute_joint_odds(plan, ("roll",))[15,] == Fraction(1, 20)
    with refuses("too-large"):
        compute_joint_odds(plan, ("killed",), rolls=31)


def test_a_state_is_looked_at_once_whatever_the_way_to_it() -> None:
    """A hit owes a second die, so the last shot comes after 3 to 6 rolls: still 1 + 2 + 3 shots
    and kills.
    """
    assert sum(compute_joint_odds(volley(3), ["shots[2].killed"], budget=12).values()) == 1
    with refuses("too-large"):
        compute_joint_odds(volley(3), ["shots[2].killed"], budget=11)


def test_each_by_itself_in_one_pass() -> None:
    each = compute_marginals(volley(3), ["kills", "shots[2].killed", "shots[7].killed"])
    assert each["shots[2].killed"] == {"false": Fraction(5, 6), "true": Fraction(1, 6)}
    assert each["kills"] == {
        key: chance for (key,), chance in compute_joint_odds(volley(3), ["kills"]).items()
    }
    assert each["shots[7].killed"] == {"none": 1}, "an item that is absent is none"


def test_cost_grows_gently() -> None:
    """Forty shots are 3^40 paths but few states."""
    assert sum(compute_joint_odds(volley(40), ["kills"]).values()) == 1


def test_too_much_work_is_refused() -> None:
    with pytest.raises(TooManyStates):
        compute_joint_odds(
            volley(12), [f"shots[{number}].roll" for number in range(8)], budget=2_000
        )


def test_sums_of_alike_dice() -> None:
    ways = {sum(roll): count for count, roll in group_sums(2, 6)}
    assert ways[7] == 6
    assert sum(ways.values()) == 36
    assert make_dice(2, 6, "x")[0] == d6("x")


def test_alike_dice_are_one_multinomial() -> None:
    """Of three dice with 2, 3 and 1 faces to a class: one of each in 3! * 2 * 3 * 1 ways."""
    classes = group_values(range(1, 7), lambda face: (face > 2) + (face > 5))
    groups = group_alike(3, classes)
    assert len(groups) == 10
    assert sum(ways for ways, _ in groups) == 6**3
    assert {roll: ways for ways, roll in groups}[1, 3, 6] == 36
    assert group_alike(0, classes) == ((1, ()),)


def test_a_plan_is_focused_on_what_is_asked() -> None:
    asked: list[tuple[str, ...]] = []

    def focus(wanted: tuple[str, ...]) -> Plan[Volley]:
        asked.append(wanted)
        return volley(1, grouped=True)

    focused = volley(1)._replace(narrow=focus)
    assert compute_marginals(focused, ["hits"]) == compute_marginals(volley(1), ["hits"])
    assert compute_joint_odds(focused, ["hits", "shots[0].hit"]) == compute_joint_odds(
        volley(1), ["hits", "shots[0].hit"]
    )
    assert asked == [("hits",), ("hits", "shots[0].hit")]


def test_paths_become_lists_and_objects() -> None:
    assert nest_outputs({"a": 1, "b[1].c": 2, "b[0].c": 3, "b[0].d[0].e": 4, "empty": []}) == {
        "a": 1,
        "b": [{"c": 3, "d": [{"e": 4}]}, {"c": 2}],
        "empty": [],
    }
    assert nest_outputs({"a[3]": 1, "a[1]": 2, "b[0].c": 3, "b": {}}) == {"a": [2, 1], "b": {}}, (
        "a gap; told in their stead"
    )


@dataclass(frozen=True, slots=True)
class Salvo:
    """A gun with one aim for all its shots, each of which is by itself: how many dice are left,
    and any six so far.
    """

    next_step: str | None
    aim: int = 0
    at: int = 0
    six: bool = False


D6 = range(1, 7)


def salvo(shots: int, *, first: int = 0, aim: int = 0, apart: str = "") -> Plan[Salvo]:
    """One aim die; each shot that is at or under it hits; if any shot was a six, the gun may
    break at the end.
    """

    def take_aim(_: Salvo, roll: Roll) -> Ruling[Salvo]:
        return Ruling(Salvo("shot", roll[0], first), {"aim": roll[0]})

    def shoot(now: Salvo, roll: Roll) -> Ruling[Salvo]:
        six, at = now.six or roll[0] == 6, now.at + 1
        here = f"shots[{now.at}]"
        told = {
            f"{here}.hit": roll[0] <= now.aim,
            f"{here}.number": now.at,
            f"{here}.roll": roll[0],
        }
        return Ruling(Salvo("shot", now.aim, at, six) if at < shots else end(six), told)

    def end(six: bool) -> Salvo:
        return Salvo(None if aim or not six else "break", six=six)

    def breaks(_: Salvo, roll: Roll) -> Ruling[Salvo]:
        return Ruling(Salvo(None), {"broken": roll[0] == 1})

    def fall_apart(now: Salvo) -> IndependentParts[Salvo] | None:
        if now.next_step != "shot" or aim:
            return None
        each = tuple(one(at, now.aim) for at in range(shots))
        matters = ("broken",) if apart == "for what is asked" else ()
        return IndependentParts(
            each, {"six": or_}, lambda six=False: Ruling(end(six)), {"six": matters}
        )

    def one(at: int, aim: int) -> IndependentPart[Salvo]:
        key = None if apart == "unlike" else aim
        return IndependentPart(
            (f"shots[{at}]",),
            lambda: salvo(at + 1, first=at, aim=aim),
            key,
            {f"shots[{at}].number": at},
        )

    return Plan(
        Salvo("shot", aim, first) if aim else Salvo("aim"),
        {
            "aim": ruled((d6("aim"),), take_aim),
            "shot": ruled((d6("shot"),), shoot),
            "break": ruled((d6("break"),), breaks),
        },
        lambda out: Resolution(f"{out['aim']}"),
        closing=lambda end: {"six": end.six} if aim else {},
        find_independent_parts=fall_apart if apart else None,
    )


APART = ("unlike", "alike", "for what is asked")


@pytest.mark.parametrize("apart", APART)
@pytest.mark.parametrize(
    "by",
    [
        ("shots[0].hit", "shots[1].hit", "shots[2].hit"),
        ("shots[2].hit", "aim", "shots[0].hit"),
        ("shots[1].roll", "broken", "shots[0].hit"),
        ("shots[1].number", "shots[2].hit", "shots[0].number"),
        ("broken", "shots[1].hit"),
        ("shots[1].hit", "broken", "shots[0].hit"),
        ("aim", "broken"),
        ("shots[1].hit",),
        ("broken",),
        ("shots[7].hit", "shots[0].hit"),
    ],
)
def test_parts_that_know_nothing_of_each_other_are_counted_apart(
    by: tuple[str, ...], apart: str
) -> None:
    """Each by itself or together, with what comes after them all: the same as one after the
    other.
    """
    assert compute_joint_odds(salvo(3, apart=apart), by) == compute_joint_odds(salvo(3), by)
    assert compute_marginals(salvo(3, apart=apart), by) == compute_marginals(salvo(3), by)


@pytest.mark.parametrize("apart", APART[1:])
def test_the_parts_of_eight_shots_are_one_and_multiply(apart: str) -> None:
    """Six aims of one shot each are 6 + 6 * 6 rolls; one after the other they would be 256
    combinations an aim.
    """
    hits = [f"shots[{at}].hit" for at in range(8)]
    counted = compute_joint_odds(salvo(8, apart=apart), hits, rolls=6 + 36)
    assert counted[("true",) * 8] == sum(Fraction(aim, 6) ** 8 for aim in range(1, 7)) / 6
    with pytest.raises(TooManyStates):
        compute_joint_odds(salvo(8), hits, rolls=6 + 36)
