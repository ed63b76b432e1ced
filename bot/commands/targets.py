"""*Same shot, other target*: the menu under an answer, and the inputs of the shot with another target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.commands.context import Context
from bot.forms import FIRES, change_button
from bot.game.roster import in_order, is_gone
from bot.game.state import Game, Json
from bot.interface.reply import Menu, MenuEntry
from bot.interface.spec import CommandSpec
from bot.play.actors import ACTING
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import RosterUnit, UnitWords

TARGETS = ("targets", "target")
MOST = 24
"""Targets in a menu; one entry more opens the form."""


def target_option(spec: CommandSpec) -> Option | None:
    """The option that says whom a shot is at; None where the same cannot be done to another."""
    if spec.verb not in FIRES:
        return None
    return next(
        (option for option in spec.options if option.name in TARGETS and option.type in ("units", "unit")), None
    )


def other_targets(context: Context, was: Game, facts: Json, number: int) -> tuple[Menu, ...]:
    """The menu under a shot: units in play that it could be fired at, those beside its target first."""
    option = target_option(context.spec)
    if option is None or not facts["inputs"].get(option.name) or not context.game.units:
        return ()
    acting, used = set(facts["acting"]), {unit["name"] for unit in facts["used"]}
    sides = {unit.side for unit in was.units.values() if unit.name in acting} or {context.actor.side}
    at = [was.units[name.casefold()] for name in used - acting if name.casefold() in was.units]
    units = [unit for unit in in_order(context.game.units.values()) if unit.name not in acting and not is_gone(unit)]
    units = [unit for unit in units if not unit.side or unit.side not in sides]
    if len(at) == 1:  # at the same one again is *Again*
        units = [unit for unit in units if unit.name != at[0].name]
    if not units:
        return ()
    near = {_hex(unit) for unit in at} - {""}
    units.sort(key=lambda unit: _hex(unit) not in near)
    words = context.system.words["units"] if context.system is not None else None
    entries = [
        MenuEntry(f"other:{context.ledger.row}:{number}:{unit.handle}", unit.name, _about(unit, words))
        for unit in units[:MOST]
    ]
    another = MenuEntry(change_button(context.ledger.row, number).action, "Type another…")
    return (Menu("Same shot, other target", (*entries, another), "Other target"),)


def _hex(unit: RosterUnit) -> str:
    return str(unit.numbers.get("hex") or "")


def _about(unit: RosterUnit, words: UnitWords | None) -> str:
    """What one chooses by: type where the name does not say it, state, hex."""
    kind = "" if unit.type.casefold() in unit.name.casefold() else unit.type
    state = (words.state_of(unit) or words.sound) if words is not None else unit.state
    return " · ".join(piece for piece in (kind, state.replace("-", " "), _hex(unit)) if piece)


def aimed_at(spec: CommandSpec, inputs: Mapping[str, object], option: Option, target: RosterUnit) -> dict[str, object]:
    """The inputs of a shot with another target: what was said of the old one, the new one brings for itself."""
    left_out = {other.name for other in _about_target(spec.options, option)}
    kept = {name: value for name, value in inputs.items() if name not in left_out}
    return {**kept, option.name: target.name}


def _about_target(options: Iterable[Option], target: Option) -> Iterable[Option]:
    """Options that speak of the target: its numbers, and who is aboard."""
    for option in options:
        aboard = option.type in ("units", "unit") and option.name not in ACTING
        if option is target or aboard or option.brings.startswith(f"{target.name}."):
            yield option
