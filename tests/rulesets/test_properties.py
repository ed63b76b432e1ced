"""Whatever may be typed and rolled, a sequence answers as declared or refuses; it never breaks."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from bot.game.state import build_roster
from bot.rulesets.catalog import load_shared_systems
from tests.rulesets.properties_helpers import (
    SEQUENCES,
    play_any,
)
from tools.corpus import frozen, game_of, inputs_for

PLAYS, FEW = 200, 30
"""Plays of each sequence in the slow run, and in the quick one."""
TRIES_PER_PLAY = 20
PROSE = {"direction", "inches"}


@pytest.mark.slow_sample(30)
@pytest.mark.parametrize(
    ("system", "id"), SEQUENCES, ids=[f"{system}-{id}" for system, id in SEQUENCES]
)
@pytest.mark.parametrize("plays", [FEW, pytest.param(PLAYS, marks=pytest.mark.slow)])
def test_any_inputs_and_dice_give_what_is_declared_or_a_refusal(
    system: str, id: str, plays: int
) -> None:
    sequence, draw = (
        load_shared_systems()[system].find_sequence(id),
        random.Random(f"anything for {system} {id}"),
    )
    roster = build_roster(game_of(frozen(system).roster))
    names = [unit["name"] for unit in frozen(system).roster]
    played = 0
    for _ in range(TRIES_PER_PLAY * plays):
        given = inputs_for(draw, sequence, names)
        if (told := play_any(sequence, given, roster, draw)) is None:
            continue
        played += 1
        for path, value in told.items():
            name, *within = re.findall(r"[a-z]\w*", path)
            declared = sequence.outputs.get(name, "")
            assert declared, f"{path} is not declared: {given}"
            if within:
                listed = re.search(r"^(?!.*\{)|\bas (in )?\w+", declared) or within[
                    -1
                ] in re.findall(r"\w+", declared)
                assert listed, f"{path} is not in {declared!r}: {given}"
            elif path == name:  # else an item of a plain list
                assert fits(declared, value), f"{path} is {declared!r}, not {value!r}: {given}"
        if played == plays:
            return
    assert played, "no drawn inputs are taken"


def fits(declared: str, value: Any) -> bool:
    """Whether a value is what `outputs` says: a type, one of its words, or, where it says more
    than that, any word.
    """
    text = re.sub(r"\([^)]*\)", "", declared)
    if value in ("none", "fail", "not-applicable", None) and {None: "null"}.get(
        value, value
    ) in re.findall(r"[a-z-]+", text):
        return True
    kind = re.match(r"int\b|bool\b|number\b|list\b|as \w+, |", text)
    types: dict[str, Any] = {"int": int, "bool": bool, "number": (int, float), "list": list}
    assert kind is not None
    if kind[0] in types:
        return isinstance(value, types[kind[0]]) and (
            kind[0] == "bool" or not isinstance(value, bool)
        )
    words = re.split(r" *\| *|, | or ", text.split(";")[0].strip())
    if all(re.fullmatch(r"[a-z0-9-]+", word) and word not in PROSE for word in words):
        return value in words
    return isinstance(value, str | int | list)
