"""Who shoots at whom by what was typed, and what of it is refused, asked or remarked on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.answers.headline import ACTING, FIRES, aimed_option
from bot.answers.outcome import Happening
from bot.game.phases import phase_of, phases_of, whose_go
from bot.game.state import Game
from bot.rules.errors import UserError
from bot.rules.inputs.many import units_in
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rules.sequence.sequence import Change
from bot.rules.text.names import joined
from bot.systems.system import Sequence, System

ATTACKS = (*FIRES, "Fight")
"""What sequences do that are done to somebody else, by the verbs of their forms."""
DONE_ONCE = ("fired", "activated")
"""Marks of those who have done for this turn what they may do once."""


@dataclass(frozen=True, slots=True)
class Aim:
    """The roster units that act and those that it is done to; `option` is where these are named, None where nowhere."""

    acting: tuple[RosterUnit, ...]
    targets: tuple[RosterUnit, ...]
    option: Option | None

    @property
    def sides(self) -> frozenset[str]:
        """The sides of those who act."""
        return frozenset(unit.side for unit in self.acting) - {""}


def aim_of(sequence: Sequence, options: Mapping[str, object], roster: Roster) -> Aim:
    """The aim of a sequence with these options, whose lists are written out."""

    def named(names: Iterable[str]) -> tuple[RosterUnit, ...]:
        found = [unit for name in names for unit in units_in(str(options.get(name) or ""), roster)]
        return tuple({unit.name: unit for unit in found}.values())

    at = aimed_option(sequence.inputs)
    kinds = [option.name for option in sequence.inputs if option.type in ("unit", "units")]
    return Aim(named([name for name in kinds if name in ACTING]), named([at.name] if at else []), at)


def refuse_itself(aim: Aim) -> None:
    """Raise UserError for a unit that is among those who act and among those that it is done to."""
    if both := [unit.name for unit in aim.acting if unit in aim.targets]:
        assert aim.option is not None
        raise UserError(
            f"{joined(both)} cannot be at both ends of this.",
            hint=f"Leave it out of {aim.option.name}, or of those who act.",
            option=aim.option.name,
            code="unit-twice",
        )


def at_nobody(sequence: Sequence, options: Mapping[str, object], aim: Aim) -> bool:
    """Whether roster units attack and nothing says whom: neither a target nor a number that a target would bring."""
    if not aim.acting or aim.option is None or sequence.verb not in ATTACKS:
        return False
    about = [aim.option, *(option for option in sequence.inputs if option.brings.startswith(f"{aim.option.name}."))]
    return all(options.get(option.name) in (None, "") for option in about)


def own_targets(sequence: Sequence, aim: Aim, side: str) -> tuple[RosterUnit, ...]:
    """Those attacked who are on the side of the attackers, or where none of them is a unit on that of who asks."""
    if sequence.verb not in ATTACKS or len(aim.sides) > 1:
        return ()
    sides = aim.sides or {side} - {""}
    return tuple(unit for unit in aim.targets if unit.side in sides)


def amiss(game: Game, system: System | None, sequence: Sequence, happening: Happening, side: str) -> tuple[str, ...]:
    """What is unusual about a happening in the game as it is now: fired already, out of one's go, out of phase."""
    if not game.started or game.ended or sequence.verb not in ATTACKS:
        return ()
    acting = [unit for name in happening.acting if (unit := game.units.get(name.casefold())) is not None]
    said = [*_again(acting, happening.changes)]
    sides = {unit.side for unit in acting} - {""} or {side} - {""}
    if game.go and sides and not sides & {*game.go}:
        said.append(f"it is {whose_go(game)}")
    phase = phase_of(game, system)
    if phase and not _attacks_in(phase, system) and any(_attacks_in(one, system) for one in phases_of(system)):
        title = str(phase["title"])
        said.append(f"this is the {title}" if title.lower().endswith("phase") else f"the phase is {title}")
    return tuple(said)


def _again(acting: Iterable[RosterUnit], changes: Iterable[Change]) -> Iterable[str]:
    """`Rifle 1 has fired already`, of those who get a mark that they have."""
    put_on = {change.unit: change.mark for change in changes}
    for mark in DONE_ONCE:
        names = [unit.name for unit in acting if mark in unit.marks & put_on.get(unit.name, frozenset())]
        if names:
            yield f"{joined(names)} {'has' if len(names) == 1 else 'have'} {mark} already"


def _attacks_in(phase: Mapping[str, object], system: System | None) -> bool:
    """Whether the card of a phase has a button for an attack."""
    buttons = phase.get("buttons")
    sequences = system.sequences if system is not None else {}
    named = [sequences[name] for name in buttons if name in sequences] if isinstance(buttons, list) else []
    return any(sequence.verb in ATTACKS for sequence in named)
