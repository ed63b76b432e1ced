"""Reasons why a unit cannot be in a list of a sequence, from the sequence's own checks.

Menus use them, and so do *Other target*, *Again* and *Change…*.
"""

from collections.abc import Iterable, Iterator, Mapping

from bot.game.counter_faces import format_word, list_printed_keys
from bot.game.cups import is_called
from bot.game.rights import find_ban
from bot.game.state import Game
from bot.presentation.derived_inputs import get_value_in_phase
from bot.presentation.firers_and_targets import (
    FORBIDDEN,
    UNFIT,
    Refusal,
    find_refusal,
    find_refusal_error,
    takes_type,
)
from bot.rules.inputs.options import ACTS, Option, format_code_word
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import add_article
from bot.rulesets.system import FIRES, Sequence, System, is_lost, refuses_lost_unit
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import Reason

FIRED = "fired"
NEEDS_NUMBER = ("missing", "unit-needs")
"""Error codes for a unit that lacks a number on the roster."""
WITH_OTHERS = {"no-firepower": "no firepower", "no-weapon": "no weapon"}
"""Error codes for units that may still be listed together with others who fire."""
BY_CARD = (FORBIDDEN, "card-refuses")
"""Error codes for what the card forbids, which may depend on the other inputs."""
LONGEST = 30
"""The maximum characters of a reason after a unit's name."""


def find_reasons(
    system: System | None,
    spec: CommandSpec,
    roster: Iterable[RosterUnit],
    game: Game,
    side: str,
    only: str = "",
) -> dict[str, dict[str, Reason]]:
    """Return, by option and handle, the reasons why roster units cannot be in that option.

    `side` is that of the player who asks. `only` limits the search to one option. Returns {} if the
    command is no sequence of the game's system.
    """
    if system is None or spec.family != "sequence" or spec.system != system.id:
        return {}
    sequence = system.sequences[spec.target]
    units = list(roster)
    reasons = {}
    for option in sequence.inputs:
        if option.type in ("unit", "units") and only in ("", option.name):
            option_reasons = dict(_list_reasons(sequence, option, units, game, side))
            if option.part == ACTS:
                option_reasons = _drop_common_gaps(option_reasons, units)
            if option_reasons:
                reasons[option.name] = option_reasons
    return reasons


def _drop_common_gaps(
    reasons: Mapping[str, Reason], units: Iterable[RosterUnit]
) -> dict[str, Reason]:
    """Return the reasons, by handle, without those that a unit lacks a number, if all units of its
    side have the same reason: the form asks for that number.
    """
    by_side: dict[str, set[str]] = {}
    for unit in units:
        reason = reasons.get(unit.handle)
        by_side.setdefault(unit.side, set()).add(reason.brief if reason is not None else "")
    common = {side for side, briefs in by_side.items() if len(briefs) == 1}
    return {
        unit.handle: reasons[unit.handle]
        for unit in units
        if unit.handle in reasons
        and not (unit.side in common and reasons[unit.handle].is_for_number)
    }


def _list_reasons(
    sequence: Sequence, option: Option, units: Iterable[RosterUnit], game: Game, side: str
) -> Iterator[tuple[str, Reason]]:
    """Yield (handle, reason) of each unit that cannot be in the option now."""
    for unit in units:
        reason = _find_ban_reason(sequence, option, unit, game, side)
        reason = reason or find_reason(sequence, option, unit)
        if reason is not None:
            yield unit.handle, reason


def _find_ban_reason(
    sequence: Sequence, option: Option, unit: RosterUnit, game: Game, side: str
) -> Reason | None:
    """Return the reason why the unit's markers forbid it to act now; None if they do not."""
    if not sequence.bans or option.part != ACTS:
        return None
    message = find_ban(game, sequence, (unit.name,), side)
    if not message:
        return None
    words = [ban.markers[mark] for ban in sequence.bans for mark in unit.marks & {*ban.markers}]
    return Reason(words[0] if words else "not now", message, is_final=False)


def find_acting_option(sequence: Sequence) -> Option | None:
    """Return the option that lists the units that act in a sequence; None if there is none."""
    of_units = [option for option in sequence.inputs if option.type in ("unit", "units")]
    return next((option for option in of_units if option.part == ACTS), None)


def can_anyone_act(sequence: Sequence, game: Game) -> bool:
    """Return whether a unit of the sides to play can act in a sequence now.

    Return True if the sequence lists no units that act, or if there is no roster.
    """
    option = find_acting_option(sequence)
    if option is None or not game.units:
        return True
    return any(
        _can_act(sequence, option, unit, game)
        for unit in game.units.values()
        if _is_to_play(unit, game)
    )


def _is_to_play(unit: RosterUnit, game: Game) -> bool:
    is_of_side = not game.go or unit.side in ("", *game.go)
    return is_of_side and (not game.led or is_called(game, unit))


def _can_act(sequence: Sequence, option: Option, unit: RosterUnit, game: Game) -> bool:
    """Return whether a unit can act in a sequence now. A unit that only lacks a number can, as the
    form has a field for it.
    """
    if _find_ban_reason(sequence, option, unit, game, unit.side) is not None:
        return False
    if FIRED in unit.marks and FIRED in sequence.effects.marks:
        return False  # it has done that in this turn
    if option.likely and not {unit.type, unit.state, *unit.marks} & {*option.likely}:
        return False
    reason = find_reason(sequence, option, unit)
    return reason is None or reason.is_for_number  # a field of the form can give the number


def find_reason(sequence: Sequence, option: Option, unit: RosterUnit) -> Reason | None:
    """Return why a unit cannot be in an option of a sequence, with the other inputs as in its
    example.

    None if it can be, or if that depends on the other inputs.
    """
    if refuses_lost_unit(option, unit, sequence.system):
        return Reason(unit.state, f"{unit.name} is {format_word(unit.state)}.")
    refusal = find_refusal(sequence, option.name, unit)
    if refusal is None or not _is_about(refusal, option, sequence):
        return None
    brief = _shorten(refusal, unit, sequence)
    message = refusal.message.replace("{}", unit.name)
    if refusal.code in NEEDS_NUMBER:
        message = f"{unit.name} has {brief.removesuffix(' yet')} on the roster."
    is_final = refusal.code not in (*WITH_OTHERS, FORBIDDEN)
    return Reason(brief, message, is_final, is_for_number=refusal.code == "missing")


def _is_about(refusal: Refusal, option: Option, sequence: Sequence) -> bool:
    """Return whether a refusal is about the unit of an option, not about other inputs."""
    if refusal.code in (*UNFIT, *WITH_OTHERS, "unit-needs"):
        return refusal.option == option.name
    if refusal.code in BY_CARD:
        others = (other for other in sequence.inputs if other.name != option.name)
        return refusal.option == option.name and not any(other.is_required for other in others)
    needed = next((other for other in sequence.inputs if other.name == refusal.option), None)
    is_brought = needed is not None and needed.brings.partition(".")[0] == option.name
    return refusal.code == "missing" and is_brought


def _shorten(refusal: Refusal, unit: RosterUnit, sequence: Sequence) -> str:
    """Return a refusal in two or three words: `shaken`, `a squad`, `no morale yet`."""
    if refusal.code == "wrong-type":
        return add_article(format_code_word(unit.type).casefold())
    if refusal.code in WITH_OTHERS:
        return WITH_OTHERS[refusal.code]
    if refusal.code == "missing":
        needed = next(other for other in sequence.inputs if other.name == refusal.option)
        return f"no {needed.display_name.partition(' (')[0].casefold()} yet"
    text = refusal.message.removeprefix("{}").strip(" .")
    if refusal.code == "unit-needs":
        return f"no {text.removeprefix('needs ').replace('_', ' ')} yet"
    for separator in (";", ":", ",", " and "):
        text = text.partition(separator)[0]
    text = text.removeprefix("is ")
    is_short = refusal.message.startswith("{}") and len(text) <= LONGEST
    return text if is_short else "cannot now"


def lacks_numbers(system: System, unit: RosterUnit) -> bool:
    """Return whether a unit has no printed number and some fire sequence refuses it for that.

    Only lists that take units of its type count.
    """
    if is_lost(unit, system):
        return False
    printed_keys = list_printed_keys(unit.type, system)
    if not unit.numbers.keys().isdisjoint(printed_keys):
        return False
    for sequence in system.sequences.values():
        if sequence.verb not in FIRES:
            continue
        for option in sequence.inputs:
            if option.type != "units" or not takes_type(sequence, option, unit.type):
                continue
            refusal = find_refusal(sequence, option.name, unit)
            if refusal is not None and refusal.code == "unit-needs":
                return True
    return False


def is_forbidden_in_phase(sequence: Sequence, option: str, unit: RosterUnit, game: Game) -> bool:
    """Return whether the rules forbid the sequence to a unit in the game's present phase.

    The unit is given to `option`. Inputs that neither it nor the phase provides are those of the
    sequence's example.
    """
    phase_options = [phase_option for phase_option in sequence.inputs if phase_option.phases]
    if not game.phase or not phase_options:
        return False
    names = {phase_option.name for phase_option in phase_options}
    example = {name: value for name, value in sequence.example.items() if name not in names}
    for phase_option in phase_options:
        value = get_value_in_phase(phase_option, game, unit.side)
        if value:
            example[phase_option.name] = value
    error = find_refusal_error(sequence, option, unit, example)
    return error is not None and error.code == FORBIDDEN


def list_fit_targets(
    sequence: Sequence, option: Option, units: Iterable[RosterUnit]
) -> list[RosterUnit]:
    """Return the units that no final reason keeps out of an option."""
    fit = []
    for unit in units:
        reason = find_reason(sequence, option, unit)
        if reason is None or not reason.is_final:
            fit.append(unit)
    return fit
