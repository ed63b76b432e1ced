"""Who acts in a sequence, by its inputs."""

from __future__ import annotations

from bot.rules.inputs.given import Given
from bot.systems.catalog import Sequence

ACTING = ("attackers", "shooters", "unit", "units")
"""Inputs that name who acts."""
UNIT_IS_HIT = (("asl", "flame-attack"),)
"""Sequences whose `unit` is the one that is attacked."""


def hits_its_unit(sequence: Sequence) -> bool:
    """Whether the unit that it names suffers instead of acting."""
    return (sequence.system.id, sequence.id) in UNIT_IS_HIT


def has_one_party(sequence: Sequence) -> bool:
    """Whether those who act are the only units that it takes: they rally, check morale, spot."""
    return all(option.name in ACTING for option in sequence.inputs if option.type in ("unit", "units"))


def actors(sequence: Sequence, given: Given) -> tuple[str, ...]:
    """Those who act by these inputs as they were called, with or without a roster."""
    if hits_its_unit(sequence):
        return ()
    called = [unit.word for key, unit in given.roster.items() if key in ACTING]
    if not given.lists:
        return tuple(called)
    named: set[str] = set()  # with several weapons it is there for each
    for key in ACTING:
        for unit in given.lists.get(key, ()):
            if unit.name not in named:
                called.append(unit.word)
            if unit.name:
                named.add(unit.name)
    return tuple(called)


def others(sequence: Sequence, given: Given) -> tuple[str, ...]:
    """Those who are acted on by these inputs, as they were called; those who act where nobody else is named."""
    single = [unit.word for key, unit in given.roster.items() if key not in ACTING]
    listed = [unit.word for key, units in given.lists.items() if key not in ACTING for unit in units]
    return (*single, *listed) or actors(sequence, given)
