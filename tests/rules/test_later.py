"""What a plan may not need is made when it is first asked for, and once."""

from __future__ import annotations

from bot.rules.dice import d6
from bot.rules.later import Later, Steps
from bot.rules.ruling import Ruled, Ruling, ruled
from bot.systems.baps.volley import Volley


def test_a_value_is_made_at_the_first_call_and_only_then() -> None:
    made: list[str] = []
    value = Later(lambda: made.append("made"))
    assert made == []
    assert (value(), value(), made) == (None, None, ["made"])


def test_a_step_is_made_when_it_is_owed_and_all_are_there_to_be_counted() -> None:
    made: list[str] = []

    def step(name: str) -> Ruled[Volley]:
        made.append(name)
        return ruled((d6(name),), lambda _now, _roll: Ruling(Volley(None)))

    steps = Steps({"hit": lambda: step("hit"), "scatter": lambda: step("scatter")})
    assert ([*steps], len(steps), "man" in steps, made) == (["hit", "scatter"], 2, False, [])
    assert steps["hit"] is steps["hit"]
    assert made == ["hit"]
    assert [one.dice for one in steps.values()] == [(d6("hit"),), (d6("scatter"),)]
    assert made == ["hit", "scatter"]
