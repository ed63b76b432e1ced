"""The units and tracks that a command may use or change, before its first die.

They are known before the first die so that no die decides whether the command is refused.
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
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import Sequence


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
    """Return the names of the roster units that act. Raises UserError for inputs that are refused."""
    plays = clean_play_inputs(sequence, options, roster)
    return tuple(dict.fromkeys(name for given in plays for name in list_acting_units(given)))


def compute_reach(
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
    game: Game,
    read: Mapping[str, Any],
    systems: RuleSets,
) -> CommandReach:
    """Return all that a play with these inputs uses or may change, for any dice. It is empty if the
    game is of another system, which the play does not touch.

    `read` are the tracks that it read. Raises UserError for inputs that the sequence refuses.
    """
    if not is_of_game(game, sequence.system):
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
    """Return these units, those that the sequence changes by name (`effects.units`), and all on the
    roster that links lead to from them, in either direction. Names are case-folded.
    """
    keys = {name.casefold() for name in names} | effects.units
    queue = [unit for unit in roster if unit.name.casefold() in keys]
    while queue:
        unit = queue.pop()
        for other in roster:
            key = other.name.casefold()
            if key not in keys and _are_linked(unit, other, effects.links):
                keys.add(key)
                queue.append(other)
    return frozenset(keys)


def _are_linked(unit: RosterUnit, other: RosterUnit, links: Iterable[str]) -> bool:
    """Return whether one of these attributes of either unit names the other unit."""
    pairs = ((unit, other), (other, unit))
    return any(_links_to(holder, key, called) for holder, called in pairs for key in links)


def _links_to(holder: RosterUnit, key: str, called: RosterUnit) -> bool:
    links = str(holder.numbers.get(key) or "").split(",")
    return any(list_linked_names((called,), link.strip()) for link in links if link.strip())


def _may_change_setup(
    sequence: Sequence, units: Collection[str], game: Game, systems: RuleSets
) -> bool:
    """Return whether a play may change the game's system, its packs, or the side that leads the
    phase.
    """
    winners = ("a", "b") if sequence.id == "initiative" else ("",)
    for winner in winners:
        record = PlayRecord(
            "sequence",
            out={"winner": winner},
            units=tuple(units),
            system=sequence.system.id,
            target=sequence.id,
        )
        after = apply_play_record(game, record, systems)
        if any(getattr(after, field) != getattr(game, field) for field in HELD_FIELDS):
            return True
    return False
