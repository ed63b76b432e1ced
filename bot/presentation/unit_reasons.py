"""Why a unit cannot be in a list of a sequence, by the sequence's own check: for menus, for *Other
target* and for what *Again* and *Change…* leave out."""

from collections.abc import Iterable, Iterator, Mapping

from bot.game.counter_faces import format_word, list_printed_keys
from bot.game.cups import is_called
from bot.game.rights import find_ban
from bot.game.roster import has_left_fight
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
from bot.rulesets.system import FIRES, Sequence, System
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import Reason

FIRED = "fired"
NEEDS_NUMBER = ("missing", "unit-needs")
"""Refusals of a unit that lacks a number on the roster."""
WITH_OTHERS = {"no-firepower": "no firepower", "no-weapon": "no weapon"}
"""Refusals of units that can be in a list with others who fire."""
BY_CARD = (FORBIDDEN, "card-refuses")
"""Refusals by the card, which may hang on what else is given."""
LONGEST = 30
"""Characters of a reason behind a unit's name."""


def find_reasons(
    system: System | None,
    spec: CommandSpec,
    roster: Iterable[RosterUnit],
    game: Game,
    side: str,
    only: str = "",
) -> dict[str, dict[str, Reason]]:
    """Return, by option and handle, why units of the roster cannot be in that option.

    `side` is that of who asks; with `only` no other option is looked at. Return {} if the command
    is no sequence of the game's system.
    """
    if system is None or spec.family != "sequence" or spec.system != system.id:
        return {}
    sequence = system.sequences[spec.target]
    units = list(roster)
    reasons = {}
    for option in sequence.inputs:
        if option.type in ("unit", "units") and only in ("", option.name):
            found = dict(_list_reasons(sequence, option, units, game, side))
            if option.part == ACTS:
                found = _drop_common_gaps(found, units)
            if found:
                reasons[option.name] = found
    return reasons


def _drop_common_gaps(
    reasons: Mapping[str, Reason], units: Iterable[RosterUnit]
) -> dict[str, Reason]:
    """Return the reasons without a missing number that no unit of a side has: the form asks for
    it.
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
    for unit in units:
        reason = _find_ban_reason(sequence, option, unit, game, side)
        reason = reason or find_reason(sequence, option, unit)
        if reason is not None:
            yield unit.handle, reason


def _find_ban_reason(
    sequence: Sequence, option: Option, unit: RosterUnit, game: Game, side: str
) -> Reason | None:
    """Return what the card forbids a unit that acts by its markers now; None for nothing."""
    if not sequence.bans or option.part != ACTS:
        return None
    ban = find_ban(game, sequence, (unit.name,), side)
    if not ban:
        return None
    words = [ban_.markers[mark] for ban_ in sequence.bans for mark in unit.marks & {*ban_.markers}]
    return Reason(words[0] if words else "not now", ban, is_final=False)


def find_acting_option(sequence: Sequence) -> Option | None:
    """Return the option that lists the units that act in a sequence; None if it has none."""
    of_units = [option for option in sequence.inputs if option.type in ("unit", "units")]
    return next((option for option in of_units if option.part == ACTS), None)


def can_anyone_act(sequence: Sequence, game: Game) -> bool:
    """Return whether a unit of the sides to play can act in a sequence as it is now.

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
    if _find_ban_reason(sequence, option, unit, game, unit.side) is not None:
        return False
    if FIRED in unit.marks and FIRED in sequence.effects.marks:
        return False  # it has done that in this turn
    if option.likely and not {unit.type, unit.state, *unit.marks} & {*option.likely}:
        return False
    reason = find_reason(sequence, option, unit)
    return reason is None or reason.is_for_number  # a field of the form can give the number


def find_reason(sequence: Sequence, option: Option, unit: RosterUnit) -> Reason | None:
    """Return why a unit as it is cannot be in an option of a sequence, all else being as in its
    example; None if it can, or if what else is given decides.
    """
    if has_left_fight(unit) and unit.state not in option.likely:
        return Reason(unit.state, f"{unit.name} is {format_word(unit.state)}.")
    refused = find_refusal(sequence, option.name, unit)
    if refused is None or not _is_about(refused, option, sequence):
        return None
    brief = _shorten(refused, unit, sequence)
    message = refused.message.replace("{}", unit.name)
    if refused.code in NEEDS_NUMBER:
        message = f"{unit.name} has {brief.removesuffix(' yet')} on the roster."
    is_final = refused.code not in (*WITH_OTHERS, FORBIDDEN)
    return Reason(brief, message, is_final, is_for_number=refused.code == "missing")


def _is_about(refused: Refusal, option: Option, sequence: Sequence) -> bool:
    """Return whether a refusal is about the unit of an option, and not about what else is given."""
    if refused.code in (*UNFIT, *WITH_OTHERS, "unit-needs"):
        return refused.option == option.name
    if refused.code in BY_CARD:
        others = (one for one in sequence.inputs if one.name != option.name)
        return refused.option == option.name and not any(one.is_required for one in others)
    needed = next((one for one in sequence.inputs if one.name == refused.option), None)
    is_brought = needed is not None and needed.brings.partition(".")[0] == option.name
    return refused.code == "missing" and is_brought


def _shorten(refused: Refusal, unit: RosterUnit, sequence: Sequence) -> str:
    """Return a refusal in two or three words: `shaken`, `a squad`, `no morale yet`."""
    if refused.code == "wrong-type":
        return add_article(format_code_word(unit.type).casefold())
    if refused.code in WITH_OTHERS:
        return WITH_OTHERS[refused.code]
    if refused.code == "missing":
        needed = next(one for one in sequence.inputs if one.name == refused.option)
        return f"no {needed.display_name.partition(' (')[0].casefold()} yet"
    text = refused.message.removeprefix("{}").strip(" .")
    if refused.code == "unit-needs":
        return f"no {text.removeprefix('needs ').replace('_', ' ')} yet"
    for end in (";", ":", ",", " and "):
        text = text.partition(end)[0]
    text = text.removeprefix("is ")
    is_short = refused.message.startswith("{}") and len(text) <= LONGEST
    return text if is_short else "cannot now"


def lacks_numbers(system: System, unit: RosterUnit) -> bool:
    """Return whether a unit without any number on its counter is refused for want of one, where
    it fires or is fired at. A list that does not take units of its type does not count.
    """
    if has_left_fight(unit) or not unit.numbers.keys().isdisjoint(
        list_printed_keys(unit.type, system)
    ):
        return False
    refusals = (
        find_refusal(sequence, option.name, unit)
        for sequence in system.sequences.values()
        if sequence.verb in FIRES
        for option in sequence.inputs
        if option.type == "units" and takes_type(sequence, option, unit.type)
    )
    return any(one is not None and one.code == "unit-needs" for one in refusals)


def is_forbidden_in_phase(sequence: Sequence, option: str, unit: RosterUnit, game: Game) -> bool:
    """Return whether the card forbids this sequence to a unit in the present phase of the game.

    All that neither the unit nor the phase fills in is as in the example.
    """
    by_phase = [one for one in sequence.inputs if one.phases]
    if not game.phase or not by_phase:
        return False
    names = [one.name for one in by_phase]
    example = {name: value for name, value in sequence.example.items() if name not in names}
    for one in by_phase:
        value = get_value_in_phase(one, game, unit.side)
        if value:
            example[one.name] = value
    error = find_refusal_error(sequence, option, unit, example)
    return error is not None and error.code == FORBIDDEN


def list_fit_targets(
    sequence: Sequence, option: Option, units: Iterable[RosterUnit]
) -> list[RosterUnit]:
    """Return the units that can be in an option by what they are and have."""
    fit = []
    for unit in units:
        reason = find_reason(sequence, option, unit)
        if reason is None or not reason.is_final:
            fit.append(unit)
    return fit
