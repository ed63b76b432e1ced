"""Which modifiers a form leaves out because no unit that is chosen, or could be, can bear them."""

from collections.abc import Mapping
from dataclasses import replace

from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, split_words
from bot.rules.inputs.units import Unit, UnitWords, build_unit, index_by_name, parse_units
from bot.rulesets.bears import find_unborne
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import CompletionContext, is_out, takes_own_units


def drop_unborne(
    spec: CommandSpec, options: Mapping[str, object], known: CompletionContext
) -> CommandSpec:
    """Return the command without the modifiers that no unit chosen, or on the roster, can bear.

    What was given stays, and whatever was dropped can still be typed.
    """
    given = {*split_words(options.get("mods") or ()), *(name for name in options if options[name])}
    unborne = _find_unborne_words(spec, options, known) - given
    if not unborne:
        return spec
    kept = [
        _drop_words(option, unborne) if option.type == "mods" else option
        for option in spec.options
        if not (option.type == "bool" and option.name in unborne)
    ]
    return spec._replace(options=tuple(kept))


def _find_unborne_words(
    spec: CommandSpec, options: Mapping[str, object], known: CompletionContext
) -> frozenset[str]:
    game = known.game
    if game is None or spec.system != game.id or not known.roster:
        return frozenset()
    sequence = game.sequences.get(spec.target)
    if sequence is None or not sequence.bears:
        return frozenset()
    lists = {bearers.option for bearers in sequence.bears.values()}
    words = game.words["units"]
    units = {
        option.name: _list_units(option, str(options.get(option.name) or ""), words, known)
        for option in spec.options
        if option.name in lists
    }
    return find_unborne(sequence.bears, units, game.game["units"].get("classes") or {})


def _drop_words(option: Option, words: frozenset[str]) -> Option:
    """Return an option for modifier words without some of its words."""
    return replace(option, values=tuple(word for word in option.values if word not in words))


def _list_units(
    option: Option, text: str, words: UnitWords, known: CompletionContext
) -> tuple[Unit, ...]:
    """Return the units that are chosen in an option, else all of the roster that could be; () for
    a text that cannot be read yet.
    """
    if text:
        try:
            return parse_units(text, words, index_by_name(known.roster), option="")
        except UserError:
            return ()
    side = known.own_side
    reasons = known.reasons.get(option.name, {})
    return tuple(
        build_unit(unit, words)
        for unit in known.roster
        if not is_out(unit, known)
        and unit.handle not in reasons
        and (not side or (unit.side == side) == takes_own_units(option))
    )
