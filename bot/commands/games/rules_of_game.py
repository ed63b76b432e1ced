"""`/game settings rule`: which optional rules a game is played with."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.answers.inputs import in_force
from bot.commands.context import Context
from bot.game.follows.rules import rule_words
from bot.game.state import Game
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option, clean

_TYPED = re.compile(r"([\w-]+)(?:\s*[=:\s]\s*(\w+))?")


def setting(context: Context, game: Game, typed: str) -> tuple[Game, str]:
    """The game with a rule on or off, and what the log says of that. Raises UserError."""
    system = context.system
    if system is None:
        raise UserError("No system is played here yet.", hint="Start a game first.", option="rule", code="no-system")
    rules = system.rules
    if not rules:
        raise UserError(f"{system.title} has no optional rules.", option="rule", code="bad-value")
    found = _TYPED.fullmatch(typed.strip().casefold())
    rule = rules.get(found[1].replace("_", "-")) if found else None
    if found is None or rule is None:
        hint = did_you_mean(found[1] if found else typed, rules) or f"Its rules: {', '.join(rules)}."
        raise UserError(f'{system.title} has no rule "{typed[:40]}".', hint=hint, option="rule", code="bad-value")
    on = bool(clean(Option("rule", "bool"), found[2] or "on"))
    if on == (rule in in_force(system, game)):
        raise UserError(f"{rule.title} is {'on' if on else 'off'} already.", option="rule", code="no-change")
    after = {**game.rules, rule.name: on}
    return replace(game, rules=after), rule_words(game.rules, after)


def listed(context: Context, game: Game) -> list[str]:
    """The rules of the system that is played, each as it is typed, with what it does."""
    system = context.system
    now = in_force(system, game)
    rules = system.rules.values() if system is not None else ()
    return [
        f"rule={rule.name}={'on' if rule in now else 'off'}: {', '.join(filter(None, (rule.title, rule.help)))}"
        for rule in rules
    ]
