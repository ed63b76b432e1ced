"""Whether an event follows on those before it: turns, phases, whose go it is, and what is planned for a turn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bot.game.follows.past import Event, Past, playing_problem
from bot.rules.proof.event_kinds import shown

PASSES, HANDS_OVER = "passes", "hands over"
"""What the log says of a side that did nothing with its go, and of one that acted."""
_WHERE = ("turn", "phase", "turn_of")


def turn_words_problem(said: str, game: Mapping[str, Any]) -> str:
    """What is wrong with the words for a turn and phase."""
    turn = game["turn"]
    fits = re.fullmatch(rf"turn {turn}(, .{{1,100}})?", said) if game.get("phase") else said == f"turn {turn}"
    return "" if fits else f"its words are not those of turn {turn}: {shown(said)}."


def go_problem(sides: tuple[str, ...], said: Mapping[str, Any]) -> str:
    """What is wrong with whose go it is behind an event that changes `said` of the game."""
    go = said.get("go", ())
    fits = len(set(go)) == len(go) and set(go) <= set(sides) and said.get("turn_of", "") in ("", *sides)
    return "" if fits else "the go is that of sides of the game."


def advance(past: Past, event: Event) -> str:
    """The next phase, or the next turn."""
    return playing_problem(past) or _phase_problem(past, event) or _turn_problem(past, event, event["result"])


def _turn_problem(past: Past, event: Event, words: str) -> str:
    said = past.patch(event, "after", "game")
    return turn_words_problem(words, {name: said.get(name, getattr(past.now, name)) for name in ("turn", "phase")})


def _phase_problem(past: Past, event: Event) -> str:
    """What is wrong with how an event leads into another phase."""
    said = past.patch(event, "after", "game")
    if said.get("turn", past.now.turn) not in (past.now.turn, past.now.turn + 1) or not said.keys() & set(_WHERE):
        return "the next phase is in this turn or in the next one."
    for key, after in past.patch(event, "after", "units").items():
        before = past.patch(event, "before", "units")[key]
        if not before or not after or not _takes_off(before, after):
            return f"a new phase only takes markers and numbers off, but it changes {shown(key)}."
    if said.get("passes", past.now.passes):
        return "nobody has passed in a phase that has just begun."
    return go_problem(past.now.sides, said)


def _takes_off(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a unit only loses markers, and numbers that last no longer than a turn."""
    cut = ("marks", "numbers")
    rest = [{name: value for name, value in unit.items() if name not in cut} for unit in (before, after)]
    marks, numbers = set(before.get("marks", ())), before.get("numbers", {})
    left, kept = set(after.get("marks", ())), after.get("numbers", {})
    return rest[0] == rest[1] and left <= marks and kept.items() <= numbers.items()


def hand_over(past: Past, event: Event) -> str:
    """A side hands the go over, or passes; where that ends the phase, the next one begins."""
    now, said = past.now, past.patch(event, "after", "game")
    if problem := playing_problem(past):
        return problem
    words, _, where = event["result"].partition("; ")
    side = next((side for side in now.go or now.sides if words in (f"{side} {PASSES}", f"{side} {HANDS_OVER}")), "")
    if not side:
        return f"nobody passes whose go it is not: {shown(words)}."
    if where:
        return _phase_problem(past, event) or _turn_problem(past, event, where)
    if said.keys() - {"go", "passes"} or past.patch(event, "after", "units"):
        return "a pass changes more than whose go it is."
    if said.get("passes", now.passes) != (now.passes + 1 if words.endswith(PASSES) else 0):
        return "it counts the passes in a row wrongly."
    if side in said.get("go", now.go):
        return "whoever passes hands the go over."
    return go_problem(now.sides, said)


def initiative(past: Past, event: Event) -> str:
    """The initiative goes to a side, by itself or by a roll for it; its go may begin with that."""
    if problem := playing_problem(past):
        return problem
    side = past.patch(event, "after", "game").get("initiative", past.now.initiative)
    if side != event["result"] or side not in past.now.sides:
        return "the initiative goes to one of the sides."
    return initiative_go_problem(past, event)


def initiative_go_problem(past: Past, event: Event) -> str:
    """What is wrong with the go that comes with the initiative."""
    said = past.patch(event, "after", "game")
    if said.get("passes"):
        return "nobody has passed when the initiative brings the go anew."
    return go_problem(past.now.sides, said)


def plan(past: Past, event: Event) -> str:
    """Something is planned for a turn, or a plan is removed."""
    now, own = past.now, str(event["number"])
    plans = past.patch(event, "after", "game").get("plans", {})
    if problem := playing_problem(past):
        return problem
    gone = [at for at in now.plans if at not in plans]
    if not gone and event.get("texts", {}).keys() == {"text"} and plans == {**now.plans, own: plans.get(own)}:
        return "" if event["result"] == f"for turn {plans[own]}" else "its words are not those of what it plans."
    if len(gone) == 1 and "texts" not in event and {**plans, gone[0]: now.plans[gone[0]]} == now.plans:
        return "" if event["result"] == f"#{gone[0]} removed" else "its words are not those of what it removes."
    return "it neither plans something nor removes a plan."
