"""What the optional rules of a game fill in where nobody typed it, and how the answer says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.game.state import Game
from bot.interface.reply.parts import Small
from bot.interface.reply.reply import Reply
from bot.interface.spec import CommandSpec
from bot.rules.inputs.options import is_left_out, words_of
from bot.systems.catalog import Sequence, System
from bot.systems.optional_rules import OptionalRule


@dataclass(frozen=True, slots=True)
class Ruled:
    """An input that a rule fills in, and the rule's title."""

    title: str
    option: str
    value: Any


def in_force(system: System | None, game: Game) -> tuple[OptionalRule, ...]:
    """The optional rules that a game is played with: its choice, else the default of its system."""
    if system is None:
        return ()
    chosen = game.rules if game.system in ("", system.id) else {}
    return tuple(rule for rule in system.rules.values() if chosen.get(rule.name, rule.default))


def rules_told(system: System | None, game: Game) -> str:
    """`Optional rules: Fog of war, Mud`; "" where none is in force."""
    found = [rule.title for rule in in_force(system, game)]
    return f"Optional rules: {', '.join(found)}" if found else ""


def by_rules(sequence: Sequence, options: Mapping[str, object], game: Game) -> tuple[Ruled, ...]:
    """What the rules in force fill in of what was left out."""
    rules = in_force(sequence.system, game)
    if not rules:
        return ()
    try:
        words = [word.replace("-", "_") for word in words_of(options.get("mods") or ())]
    except (TypeError, ValueError):
        words = []  # the sequence refuses them in its own words
    known = {option.name: option for option in sequence.inputs}
    return tuple(
        Ruled(rule.title, name, value)
        for rule in rules
        for name, value in rule.sets.get(sequence.id, {}).items()
        if is_left_out(known[name], options.get(name)) and name not in words
    )


def with_rules(options: Mapping[str, object], ruled: tuple[Ruled, ...]) -> dict[str, object]:
    """The options with what is filled in."""
    return {**options, **{one.option: one.value for one in ruled}}


def told_by_rule(reply: Reply, ruled: tuple[Ruled, ...]) -> Reply:
    """The answer, which names the rules that filled something in."""
    titles = dict.fromkeys(one.title for one in ruled)
    return replace(reply, lines=(*reply.lines, Small(f"By rule: {', '.join(titles)}"))) if titles else reply


def spec_by_rules(spec: CommandSpec, system: System | None, game: Game) -> CommandSpec:
    """A sequence's command as it is filled in there: what a rule in force sets is what its form begins with."""
    if system is None or not any(option.ruled for option in spec.options):
        return spec
    values = {name: value for rule in in_force(system, game) for name, value in rule.sets.get(spec.target, {}).items()}
    options = (replace(one, default=values[one.name]) if one.name in values else one for one in spec.options)
    return replace(spec, options=tuple(options))
