"""Odds of a shot at nobody in particular: every sequence whose target may be left out x typed units
and roster units.

Generated from the registry: a new sequence joins by itself. Left out: sequences that need a target,
those that take nobody who acts, and those in which who acts is the only one there (a rally, a
morale check, smoke), whose odds are about nobody else.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.presentation.headline import (
    has_one_party,
    list_actors,
    list_affected_units,
)
from bot.presentation.odds import build_odds_reply
from bot.rules.inputs.options import ACTING, AIMED
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import join_names
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.play_once import build_odds_rows, compute_each_odds
from bot.rulesets.system import Sequence
from bot.ui.reply.parts import Odds

NAME = "Zebra"


def _sequences() -> Iterator[Sequence]:
    for system in load_shared_systems().values():
        for sequence in system.sequences.values():
            acting = [
                option
                for option in sequence.inputs
                if option.name in ACTING and option.type in ("unit", "units")
            ]
            aimed = [
                option
                for option in sequence.inputs
                if option.name in AIMED and option.type in ("unit", "units")
            ]
            is_open = aimed and not any(option.is_required for option in aimed)
            alone = has_one_party(sequence) or sequence.hits_unit
            if sequence.odds_by and acting and is_open and not alone:
                yield sequence


def _untargeted(sequence: Sequence) -> dict[str, object]:
    """The example's inputs without a target."""
    aimed = [
        option.name
        for option in sequence.inputs
        if option.name in AIMED and option.type in ("unit", "units")
    ]
    return {name: value for name, value in sequence.example.items() if name not in aimed}


def _rostered(sequence: Sequence) -> tuple[dict[str, object], dict[str, RosterUnit]]:
    """The example's inputs without a target, those who act being units of a roster; and that
    roster.
    """
    raw = _untargeted(sequence)
    given = sequence.read_inputs(raw, {})
    roster: dict[str, RosterUnit] = {}
    for option in sequence.inputs:
        if option.name not in ACTING or option.type not in ("unit", "units"):
            continue
        words, names = sequence.system.words["units"], []
        for unit in given.units(option.name) or (None,):
            name, numbers = f"{NAME} {len(roster) + 1}", dict(unit.numbers) if unit else {}
            type_ = unit.type if unit and unit.type in words.types else words.types[0]
            if unit and unit.type not in words.types:  # a weapon, which an element carries
                numbers = {"weapon": unit.type}
            roster[name.casefold()] = RosterUnit(name, f"z{len(roster) + 1}", type_, "", numbers)
            names.append(name)
        raw[option.name] = "; ".join(names)
    return raw, roster


def _cases() -> Iterator[object]:
    for sequence in _sequences():
        for how in ("typed", "roster"):
            yield pytest.param(sequence, how, id=f"{sequence.system.id}-{sequence.id}-{how}")


@pytest.mark.parametrize(("sequence", "how"), [*_cases()])
def test_the_odds_name_the_target_and_never_those_who_act(sequence: Sequence, how: str) -> None:
    """Neither the question nor the heading of a block says a word of who acts: they are about
    whoever is hit.
    """
    raw, roster = _rostered(sequence) if how == "roster" else (_untargeted(sequence), {})
    given, rows = sequence.read_inputs(raw, roster), build_odds_rows(sequence, raw, roster)
    acting = list_actors(sequence, given)
    if how == "roster":
        assert {name.split()[0] for name in acting} == {NAME}, acting
    counted = compute_each_odds(sequence, raw, tuple(rows), roster)
    reply = build_odds_reply(
        sequence, raw, rows, counted, target_names=join_names(list_affected_units(sequence, given))
    )
    said = " ".join(
        (reply.title, *(part.heading for part in reply.lines if isinstance(part, Odds)))
    )
    assert not [name for name in acting if name in said], said
    if acting:
        assert join_names(acting) not in said, said


def test_the_sequences_are_those_one_would_think_of() -> None:
    """So nobody empties the list without seeing it."""
    found = {f"{sequence.system.id} {sequence.id}" for sequence in _sequences()}
    assert {
        "lnlt fire",
        "ucn shoot",
        "ucn interrupt",
        "lnlt ordnance-vehicle",
        "lnlt barrage",
    } <= found
