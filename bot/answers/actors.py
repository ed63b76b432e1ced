"""Who acts in a sequence, by its inputs."""

from __future__ import annotations

from collections.abc import Iterable

from bot.rules.inputs.given import Given
from bot.rules.inputs.options import Option
from bot.systems.catalog import Sequence

ACTING = ("attackers", "shooters", "unit", "units")
"""Inputs that name who acts."""
AIMED = ("targets", "target", "defenders")
"""Inputs that name whom it is done to."""
FIRES = ("Fire", "Shoot", "Attack")
"""What sequences that fire do, by the verbs of their forms."""
HEX = "the target hex"
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
    """Those who are acted on by these inputs, as they were called. Where nobody is named, what a shot is at; those who
    act only where they alone take part."""
    single = [unit.word for key, unit in given.roster.items() if key not in ACTING]
    listed = [unit.word for key, units in given.lists.items() if key not in ACTING for unit in units]
    if single or listed:
        return (*single, *listed)
    aimed = aimed_option(sequence.inputs)
    return actors(sequence, given) if aimed is None else (HEX if aimed.type == "units" else "the target",)


def aimed_option(options: Iterable[Option]) -> Option | None:
    """The option that names whom the sequence is done to, as units; None where it has none."""
    return next((option for option in options if option.name in AIMED and option.type in ("unit", "units")), None)
