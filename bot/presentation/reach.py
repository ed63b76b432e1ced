"""What a command may use or change, known before its first die, so that no die decides whether
it is refused.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from bot.game.events import UNIT
from bot.game.pending import HELD_FIELDS, CommandReach
from bot.game.roster import is_of_game
from bot.game.state import Game
from bot.game.tracks import get_track_keys
from bot.presentation.multi_unit_play import list_units_played_singly
from bot.presentation.play_record import PlayRecord, apply_play_record
from bot.presentation.run_sequence import EXTRA, list_acting_units, list_named_units
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rules.sequence.effects import ANY_UNIT, Effects
from bot.rules.sequence.linked_units import list_linked_names
from bot.rulesets.system import Sequence, System


def clean_play_inputs(
    sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> list[Given]:
    """Return the cleaned inputs of each play of a sequence. Raises UserError for inputs that it
    refuses.
    """
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    names = list_units_played_singly(sequence, raw, roster) or ("",)
    return [sequence.read_inputs({**raw, UNIT: name} if name else raw, roster) for name in names]


def list_acting_unit_names(
    sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> tuple[str, ...]:
    """Return the names of the roster units that act by these inputs. Raises UserError for inputs
    it refuses.
    """
    plays = clean_play_inputs(sequence, options, roster)
    return tuple(dict.fromkeys(name for given in plays for name in list_acting_units(given)))


def compute_reach(
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
    game: Game,
    read: Mapping[str, Any],
    systems: Mapping[str, System],
) -> CommandReach:
    """Return what a play with these inputs uses or may change, whatever its dice say.

    `read` are the tracks that it read. Raises UserError for inputs that the sequence refuses.
    """
    if not is_of_game(game, sequence.system.id):
        return CommandReach()
    names = {
        name
        for given in clean_play_inputs(sequence, options, roster)
        for name in list_named_units(given)
    }
    effects = sequence.effects
    units = _add_linked_units(names, effects, game.units.values())
    tracks = frozenset(get_track_keys(effects.tracks, read))
    is_all = _may_change_setup(sequence, units, game, systems)
    return CommandReach(units, tracks, is_all, ANY_UNIT in effects.links)


def _add_linked_units(
    names: Iterable[str], effects: Effects, roster: Collection[RosterUnit]
) -> frozenset[str]:
    """Return the units with these names and all that links lead to from them, in either
    direction, case-folded.
    """
    found = {name.casefold() for name in names} | effects.units
    todo = [unit for unit in roster if unit.name.casefold() in found]
    while todo:
        unit = todo.pop()
        for other in roster:
            key = other.name.casefold()
            if key not in found and _are_linked(unit, other, effects.links):
                found.add(key)
                todo.append(other)
    return frozenset(found)


def _are_linked(one: RosterUnit, other: RosterUnit, links: Iterable[str]) -> bool:
    """Return whether one of these attributes of either unit names the other."""
    pairs = ((one, other), (other, one))
    return any(_links_to(holder, key, called) for holder, called in pairs for key in links)


def _links_to(holder: RosterUnit, key: str, called: RosterUnit) -> bool:
    links = str(holder.numbers.get(key) or "").split(",")
    return any(list_linked_names((called,), link.strip()) for link in links if link.strip())


def _may_change_setup(
    sequence: Sequence, units: Collection[str], game: Game, systems: Mapping[str, System]
) -> bool:
    """Return whether a play may change the game's system, the packs in force, or who leads the
    phase.
    """
    winners = ("a", "b") if sequence.id == "initiative" else ("",)
    for winner in winners:
        happening = PlayRecord(
            "sequence",
            out={"winner": winner},
            units=tuple(units),
            system=sequence.system.id,
            target=sequence.id,
        )
        after = apply_play_record(game, happening, systems)
        if any(getattr(after, field) != getattr(game, field) for field in HELD_FIELDS):
            return True
    return False
