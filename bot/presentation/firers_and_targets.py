"""Who acts, and at whom, by what was typed: the units behind the names, what of it is refused or
asked, and what a unit's card offers."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, product
from typing import NamedTuple

from cachetools import LRUCache

from bot.game.roster import GONE, has_left_fight
from bot.game.sides import make_unknown_side_error
from bot.game.state import Game
from bot.presentation.headline import affects_its_own_unit, find_target_option
from bot.rules.errors import UserError
from bot.rules.inputs.options import ACTS, TARGETS, Option
from bot.rules.inputs.unit_selectors import (
    AskingSide,
    expand_fired_weapons,
    expand_list,
    list_names,
    list_units,
)
from bot.rules.inputs.units import Roster, RosterUnit, UnitWords, split_items
from bot.rules.text.names import LETTERS, join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import Phrase, Typed
from bot.rulesets.system import ATTACKS, FIRES, Sequence, System
from bot.ui.registry import get_registry
from bot.ui.typing import complete
from bot.ui.typing.command_text import format_command


class Aim(NamedTuple):
    """The roster units that act and those that it is done to; `option` is where these are named,
    None where nowhere.
    """

    acting: tuple[RosterUnit, ...]
    targets: tuple[RosterUnit, ...]
    option: Option | None

    @property
    def sides(self) -> frozenset[str]:
        """The sides of those who act."""
        return frozenset(unit.side for unit in self.acting) - {""}


def find_aim(sequence: Sequence, options: Mapping[str, object], roster: Roster) -> Aim:
    """The aim of a sequence with these options, whose lists are written out; of no roster,
    nobody's. Raises UserError for a unit that is among those who act and among those that it is
    done to."""
    if not roster:
        return Aim((), (), None)
    at = find_target_option(sequence.inputs)
    acting = [
        one.name for one in sequence.inputs if one.type in ("unit", "units") and one.part == ACTS
    ]
    acts = list_units([options.get(name) for name in acting], roster)
    targets = list_units([options.get(at.name)] if at else [], roster)
    if at and (both := [unit.name for unit in acts if unit in targets]):
        hint = f"Leave it out of {at.name}, or of those who act."
        raise UserError(
            f"{join_names(both)} cannot act and be the target at once.",
            hint=hint,
            option=at.name,
            code="unit-twice",
        )
    return Aim(acts, targets, at)


def has_no_target(sequence: Sequence, options: Mapping[str, object], aim: Aim) -> bool:
    """Return whether roster units attack and nothing says whom: neither a target nor a number that
    a target would bring.
    """
    if not aim.acting or aim.option is None or aim.targets or sequence.verb not in ATTACKS:
        return False
    others = (
        option
        for option in sequence.inputs
        if option.brings.startswith(f"{aim.option.name}.") and option.type != "bool"
    )
    return all(options.get(option.name) in (None, "") for option in chain((aim.option,), others))


def find_own_targets(sequence: Sequence, aim: Aim, side: str) -> tuple[RosterUnit, ...]:
    """Those attacked who are on the side of the attackers, or where none of them is a unit on
    that of who asks.
    """
    if sequence.verb not in ATTACKS or len(aim.sides) > 1:
        return ()
    sides = aim.sides or {side} - {""}
    return tuple(unit for unit in aim.targets if unit.side in sides)


SEVERAL = (";", ",", "..", "all", ":", "-")
"""One of these is in every text that names several units."""
MOST_SHOWN = 4
"""So many commands are written out for whoever meant several."""
OUT = ("out-or-jammed",)
"""Markers of those who cannot fire."""
WITHOUT = "without "
MOST_NAMED = 30
"""Characters of a button that names who is left out."""


def build_asking_side(option: str, side: str, types: Collection[str] = ()) -> AskingSide:
    """Whom `all` and a hex mean in an option, for somebody who plays `side`: theirs in lists of
    those who act. Only those of `types`, if any, and of those who act only who can."""
    acting = option in complete.ACTING
    return AskingSide(side, acting, GONE, OUT if acting else (), types)


def _need_single_unit(
    sequence: Sequence, options: Mapping[str, object], name: str, roster: Roster, side: str
) -> None:
    """Raise UserError for several units where an option takes one, with the command for each of
    them.
    """
    text = str(options[name])
    if " ".join(text.split()).casefold() in roster or not any(mark in text for mark in SEVERAL):
        return
    try:
        names = list_names(
            text, sequence.system.words["units"], roster, build_asking_side(name, side)
        )
    except UserError:
        return  # the sequence refuses it in its own words
    if len(names) < 2:
        return
    spec = get_registry().get((sequence.system.id, sequence.id))
    assert spec is not None
    each = [Typed(format_command(spec, {**options, name: one})) for one in names[:MOST_SHOWN]]
    pieces = [piece for line in each for piece in (line, "; ")][:-1]
    more = f" and so on, {len(names)} in all" if len(names) > MOST_SHOWN else ""
    what = f"{name} takes one unit at a time, and these are {len(names)}."
    hint = Phrase("Once for each: ", *pieces, *((more,) if more else ()))
    raise UserError(what, hint=hint, option=name, code="too-many")


def resolve_unit_names(
    sequence: Sequence, options: Mapping[str, object], roster: Roster, side: str
) -> tuple[dict[str, object], Aim]:
    """The options with the names that ranges, choices and commas stand for, and their aim. Raises
    UserError.

    What an event holds is in names, so that it can be played again whoever is in play by then.
    Nobody is at both ends.
    """
    found = dict(options)
    named = [option for option in sequence.inputs if isinstance(found.get(option.name), str)]
    listed = (option for option in named if option.type == "units" or option.many)
    meant_in = {
        option.name: _get_words_and_asking_side(sequence, option, side) for option in listed
    }
    for option in named:
        text = str(found[option.name])
        if option.type == "unit" and not option.many and not option.free and roster:
            _need_single_unit(sequence, options, option.name, roster, side)
        if option.name not in meant_in:
            continue
        words, meant = meant_in[option.name]
        try:
            if option.type == "units":
                found[option.name] = expand_fired_weapons(
                    expand_list(text, words, roster, meant), words, roster
                )
            elif roster and text.strip().casefold() not in roster:
                found[option.name] = "; ".join(list_names(text, words, roster, meant))
        except UserError as error:
            error.option = option.name
            raise
    return found, find_aim(sequence, found, roster)


def resolve_side_letters(
    sequence: Sequence, options: Mapping[str, object], game: Game
) -> dict[str, object]:
    """The options with the letter that the card has for a side in place of its name; left out, as
    the game has it. Raises UserError."""
    found = dict(options)
    for option in sequence.inputs:
        if option.complete != "side":
            continue
        given = str(found.get(option.name) or "").strip()
        names = [comparison_key(side) for side in game.sides[:2]]
        if comparison_key(given) in names:
            found[option.name] = LETTERS[names.index(comparison_key(given))]
        elif not given and names:
            held = game.initiative if game.initiative in game.sides[:2] else game.sides[0]
            found[option.name] = LETTERS[game.sides.index(held)]
        elif given and given not in LETTERS and names:
            raise make_unknown_side_error(given, game.sides[:2], option.name)
    return found


def uses_side_names(sequence: Sequence, game: Game) -> bool:
    """Return whether the answer calls the sides of this game by name."""
    return len(game.sides) == 2 and any(option.complete == "side" for option in sequence.inputs)


def _get_words_and_asking_side(
    sequence: Sequence, option: Option, side: str
) -> tuple[UnitWords, AskingSide]:
    """The words of the units that an option takes, and whom words mean there that name nobody."""
    words = sequence.system.words[option.units or "units"]
    likely = option.likely if option.many else ()
    return words, build_asking_side(
        option.name, side, [one for one in words.types if one in likely] if likely else words.types
    )


def drop_unable_units(
    sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> tuple[dict[str, object], tuple[str, ...]]:
    """The options without those in any list who left the fight or whom the sequence refuses for
    their type or state, and among those who act without those whose weapons are out; and who was
    left out. A list of which nobody would be left stays."""
    found = dict(options)
    left_out = dict[str, None]()
    for option in sequence.inputs:
        text = found.get(option.name)
        if option.type != "units" or not isinstance(text, str):
            continue
        items = [item.strip() for item in split_items(text)]
        out = {
            item: unit.name
            for item in items
            for unit in list_units([item], roster)
            if _is_unable(sequence, option, unit)
        }
        if kept := [item for item in items if item not in out]:
            found[option.name] = "; ".join(kept)
            left_out |= dict.fromkeys(out.values())
    return found, tuple(left_out)


def _is_unable(sequence: Sequence, option: Option, unit: RosterUnit) -> bool:
    """Return whether a unit as it is now can be in no list of this option."""
    is_acting = option.part == ACTS or option.name in complete.ACTING
    if has_left_fight(unit) or (is_acting and unit.marks & {*OUT}):
        return True
    refused = find_refusal(sequence, option.name, unit)
    return refused is not None and refused.code in UNFIT and refused.option == option.name


def offer_able_units(
    error: UserError,
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
    typed: Callable[..., str],
) -> None:
    """Put on a refusal of units that cannot act the command (`typed` writes it) of those in
    their list who can.
    """
    if error.code not in ("unit-unfit", "unit-gone") or error.better:
        return
    found, left_out = drop_unable_units(sequence, options, roster)
    if left_out:
        said = join_names(left_out)
        error.better = typed(found)
        error.right = WITHOUT + (said if len(said) <= MOST_NAMED else f"{len(left_out)} of them")
        if not error.hint or error.hint.startswith(("Choose another", "Choose other")):
            error.hint = f"Take {said} off the list."


ANYWAY = "anyway"
FORBIDDEN = "card-forbids"


def offer_override(
    error: UserError,
    sequence: Sequence,
    options: Mapping[str, object],
    typed: Callable[..., str],
) -> None:
    """Put on a refusal of what the card forbids the command that does it all the same."""
    has_override = any(option.name == ANYWAY for option in sequence.inputs)
    if error.code == FORBIDDEN and has_override and not error.better:
        error.better = typed({**options, ANYWAY: True})
        error.right = ANYWAY


def name_units_without_weapons(units: Iterable[RosterUnit], acting: Collection[str]) -> str:
    """Who of the side of those who fire cannot since their weapons are out; "" where nobody is."""
    there = [*units]
    sides = {unit.side for unit in there if unit.name in acting}
    out = [
        u.name
        for u in there
        if u.side in sides and u.marks & {*OUT} and not has_left_fight(u) and u.name not in acting
    ]
    return join_names(out) if out else ""


CLOSE = ("melee", "hand-to-hand", "close-assault")
"""Combat at close quarters, by its names in the games."""
MORALE = ("morale-check", "morale")
VEHICLE = "vehicle"
"""What is in the name of a sequence that is fired at vehicles."""
MOST_ACTS = 4
"""So many sequences are offered: fire, close combat, the morale check, and those that are made
for such a unit.
"""
UNFIT = ("wrong-type", "unit-unfit", "unit-gone")
"""Refusals of a unit for its type or its state."""
BY_NATURE = (
    *UNFIT,
    "no-firepower",
    "no-weapon",
    "card-refuses",
    FORBIDDEN,
)
"""Refusals of units that cannot do it as they are, whatever else is typed."""


def list_actions(
    system: System,
    unit: RosterUnit,
    seen: Collection[str],
    *,
    is_own: bool,
    at_vehicle: bool = False,
) -> Iterator[tuple[Sequence, str]]:
    """(sequence, its option that takes the unit) of what is offered, the fire first: to act with
    it, or against it.
    """
    found = [sequence for id, sequence in system.sequences.items() if id in seen]
    part = ACTS if is_own else TARGETS
    fire = [one for one in found if one.verb in FIRES and find_option_for_unit(one, part, unit)]
    if not is_own and at_vehicle:
        fire.sort(key=lambda one: VEHICLE not in one.id)
    close = next(
        (one for one in found if one.id in CLOSE and _can_take_part(one, part, unit)), None
    )
    check = next(
        (one for one in found if is_own and one.id in MORALE and _can_take_part(one, ACTS, unit)),
        None,
    )
    chosen = [one for one in (*fire[:1], close, check) if one is not None]
    made = [one for one in found if one not in chosen and _is_mostly_for(one, unit, is_own=is_own)]
    for one in dict.fromkeys((*chosen, *made[: MOST_ACTS - len(chosen)])):
        option = find_option_for_unit(one, part, unit) or find_option_for_unit(one, ACTS, unit)
        if (error := find_refusal_error(one, option, unit)) is None or error.code not in BY_NATURE:
            yield one, option


def list_refused_offers(system: System, units: Iterable[RosterUnit]) -> Iterator[str]:
    """What is offered to units of a scenario, or against them, and refused then: once for each
    type and sequence.
    """
    said = set[tuple[str, str]]()
    for unit, is_own in product(units, (True, False)):
        for sequence, option in list_actions(
            system, unit, system.sequences, is_own=is_own, at_vehicle=not is_own
        ):
            error = find_refusal_error(sequence, option, unit)
            if error is not None and (unit.type, sequence.id) not in said:
                said.add((unit.type, sequence.id))
                yield f"{sequence.title} is offered and refused: {error.message}"


def find_refusal_error(
    sequence: Sequence,
    option: str,
    unit: RosterUnit,
    example: Mapping[str, object] | None = None,
) -> UserError | None:
    """Return why the sequence refuses the unit alone in this option; None if it does not.

    All else is as in `example`, by default the sequence's own.
    """
    others = sequence.example if example is None else example
    return _try_unit_alone(sequence, {**others, option: unit.name}, unit)


class Refusal(NamedTuple):
    """Why a sequence refuses a unit: code and option of the error, and its message, in which {} is
    the unit.
    """

    code: str
    option: str
    message: str


_REFUSALS = LRUCache[tuple[Sequence, str, str], Refusal | None](2048)
"""Refusals by sequence, option and kind of unit, so that each kind is tried once."""


def find_refusal(sequence: Sequence, option: str, unit: RosterUnit) -> Refusal | None:
    """Return why the sequence refuses the unit alone in this option with the numbers that it has;
    None if it does not.

    All that the unit does not bring is as in the example.
    """
    kind = repr((unit.type, unit.state, sorted(unit.marks), sorted(unit.numbers.items())))
    key = (sequence, option, kind)
    if key in _REFUSALS:
        return _REFUSALS[key]
    brought = {one.name for one in sequence.inputs if one.brings.partition(".")[0] == option}
    options = {name: value for name, value in sequence.example.items() if name not in brought}
    error = _try_unit_alone(sequence, {**options, option: unit.name}, unit)
    refused = None
    if error is not None:
        message = error.message.replace(unit.name, "{}", 1)
        refused = Refusal(error.code, error.option or option, message)
    _REFUSALS[key] = refused
    return refused


def _try_unit_alone(
    sequence: Sequence, options: Mapping[str, object], unit: RosterUnit
) -> UserError | None:
    roster = {unit.name.casefold(): unit, unit.handle.casefold(): unit}
    try:
        written, _ = resolve_unit_names(sequence, options, roster, unit.side)
        sequence.plan(sequence.read_inputs(written, roster))
    except UserError as error:
        return error
    return None


def find_option_for_unit(sequence: Sequence, part: str, unit: RosterUnit) -> str:
    """The option of a sequence that takes the unit in this role; "" where none does."""
    for option in sequence.inputs:
        if option.part != part or option.type not in ("unit", "units"):
            continue
        if option.type == "unit" or takes_type(sequence, option, unit.type):
            return option.name
    return ""


def takes_type(sequence: Sequence, option: Option, unit_type: str) -> bool:
    """Return whether the list of an option takes units of this type. A list whose types are not
    those of units, as one of weapons, takes all.
    """
    known = sequence.system.words
    words = known.get(option.units or "units")
    if words is None or unit_type in words.types:
        return True
    return {*words.types}.isdisjoint(known["units"].types)


def _can_take_part(sequence: Sequence, part: str, unit: RosterUnit) -> bool:
    """Return whether a sequence takes the unit, and the unit has the numbers that it cannot do
    without.
    """
    name = find_option_for_unit(sequence, part, unit)
    needed = [
        option.brings.removeprefix(f"{name}.") for option in sequence.inputs if option.is_required
    ]
    return bool(name) and all("." in key or not key or key in unit.numbers for key in needed)


def _is_mostly_for(sequence: Sequence, unit: RosterUnit, *, is_own: bool) -> bool:
    """Return whether a sequence says of itself that it is mostly about units of this type or in
    this state.
    """
    name = find_option_for_unit(sequence, ACTS, unit)
    option = next((one for one in sequence.inputs if one.name == name), None)
    fits = option is not None and not {*option.likely}.isdisjoint(
        {unit.type, unit.state, *unit.marks}
    )
    return fits and is_own != affects_its_own_unit(sequence)
