"""The modifiers that a form leaves out, as no unit that is chosen, or could be, can bear them."""

from collections.abc import Mapping
from dataclasses import replace

from bot.rules.errors import UserError
from bot.rules.inputs.options import Option, split_words
from bot.rules.inputs.units import Unit, UnitWords, build_unit, index_by_name, parse_units
from bot.rulesets.bears import find_unborne
from bot.rulesets.system import refuses_lost_unit
from bot.ui.spec import CommandSpec
from bot.ui.typing.complete import CompletionContext, takes_own_units


def drop_unborne(
    spec: CommandSpec, options: Mapping[str, object], context: CompletionContext
) -> CommandSpec:
    """Return the command without the modifiers that no unit can bear: no chosen one or, if none is
    chosen, no unit of the roster.

    Modifiers that are set stay. Dropped ones can still be typed.
    """
    used = {*split_words(options.get("mods") or ()), *(name for name in options if options[name])}
    unborne = _find_unborne_words(spec, options, context) - used
    if not unborne:
        return spec
    options_left = []
    for option in spec.options:
        if option.type == "mods":
            options_left.append(_drop_words(option, unborne))
        elif option.type != "bool" or option.name not in unborne:
            options_left.append(option)
    return spec._replace(options=tuple(options_left))


def _find_unborne_words(
    spec: CommandSpec, options: Mapping[str, object], context: CompletionContext
) -> frozenset[str]:
    """Return the modifiers of a sequence that no chosen or possible unit can bear; empty for other
    commands, without a roster, and if the sequence does not say who bears what.
    """
    game = context.game
    if game is None or spec.system != game.id or not context.roster:
        return frozenset()
    sequence = game.sequences.get(spec.target)
    if sequence is None or not sequence.bears:
        return frozenset()
    lists = {bearers.option for bearers in sequence.bears.values()}
    words = game.words["units"]
    units = {
        option.name: _list_units(option, str(options.get(option.name) or ""), words, context)
        for option in spec.options
        if option.name in lists
    }
    return find_unborne(sequence.bears, units, game.game["units"].get("classes") or {})


def _drop_words(option: Option, words: frozenset[str]) -> Option:
    """Return an option for modifier words without some of its words."""
    return replace(option, values=tuple(word for word in option.values if word not in words))


def _list_units(
    option: Option, text: str, words: UnitWords, context: CompletionContext
) -> tuple[Unit, ...]:
    """Return the units that the text of an option names. Without a text, return all units of the
    roster that the option could take: those still in the fight, of the side that it is meant for,
    and without a reason against them. () for a text that cannot be parsed yet.
    """
    if text:
        try:
            return parse_units(text, words, index_by_name(context.roster), option="")
        except UserError:
            return ()
    side = context.own_side
    reasons = context.reasons.get(option.name, {})
    return tuple(
        build_unit(unit, words)
        for unit in context.roster
        if not refuses_lost_unit(option, unit, context.game)
        and unit.handle not in reasons
        and (not side or (unit.side == side) == takes_own_units(option))
    )
