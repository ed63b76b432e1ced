"""The possible effects of declared steps, found by reading the program without inputs or dice."""

from collections.abc import Collection, Iterator, Mapping

from bot.rules.declared.choices import Choose
from bot.rules.declared.formula import Formula
from bot.rules.declared.formula_functions import NONE
from bot.rules.declared.output_steps import OutputStatement
from bot.rules.declared.program import Block, Statement, walk_statements
from bot.rules.sequence.effects import ANY_UNIT, Effects


def find_effects(program: Block, tracks: Collection[str]) -> Effects:
    """Return what a program may change; `tracks` are the names of tracks in its formulas."""
    changes = [
        statement
        for statement in walk_statements(program)
        if isinstance(statement, OutputStatement) and statement.changes
    ]
    of_tracks = [statement for statement in changes if statement.changes in tracks]
    of_units = [statement for statement in changes if statement.changes not in tracks]
    sets = frozenset(statement.changes for statement in of_tracks if "set" in statement.ready)
    links = set[str]()
    units = set[str]()
    for statement in of_units:
        _add_units(statement.ready, links, units)
    return Effects(
        tracks=frozenset(statement.changes for statement in of_tracks),
        sets=sets,
        links=frozenset(links),
        units=frozenset(units),
        marks=frozenset(mark for statement in of_units for mark in _marks(statement.ready)),
        held=_find_held(program, frozenset(tracks), sets),
    )


def _add_units(note: Mapping[str, Formula], links: set[str], units: set[str]) -> None:
    """Add the links and names by which a change finds a unit that need not be among the inputs."""
    if "of" in note:
        links.add(str(note["of"].value))
    todo = [note["unit"]]
    while todo:
        unit = todo.pop()
        if unit.kind == "constant":
            units |= {str(unit.value).casefold()} - {NONE}
        elif unit.kind == "attribute":
            links.add(unit.value)
        elif unit.kind == "of" and unit.value:  # of(man.squad, none)
            links.add(unit.value)
            todo.append(unit.parts[1])
        elif unit.kind == "if":
            todo += unit.parts[1:]
        elif unit.type != "unit":
            links.add(ANY_UNIT)


def _marks(note: Mapping[str, object]) -> Iterator[str]:
    """Yield the markers that a change may put on, "*" for one that a formula computes."""
    words = note.get("mark", ())
    for word in words if isinstance(words, list | tuple) else ():
        yield str(word.value) if word.kind == "constant" else ANY_UNIT


def _find_held(
    program: Block, tracks: frozenset[str], later: frozenset[str]
) -> dict[str, frozenset[str]]:
    """Return the tracks that each choice holds, by its name.

    The sequence is played again from its start once the choice is made. So a track is held if it is
    read before the choice, or before any later step that is checked before the first die.
    """
    tracks_read = set[str]()
    held_by_choice = dict[str, frozenset[str]]()
    for statement in walk_statements(program):
        tracks_read |= statement.reads & tracks
        if isinstance(statement, Choose):
            held_by_choice[statement.choice.name] = frozenset(tracks_read)
        elif held_by_choice and type(statement).check is not Statement.check and statement.reads:
            held_by_choice = dict.fromkeys(held_by_choice, frozenset(tracks_read))
    return {name: held_tracks | later for name, held_tracks in held_by_choice.items()}
