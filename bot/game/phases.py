"""Turns and phases as the game's card has them: what comes next, what to remember in it, which markers come off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.game.roster import cleared
from bot.game.state import Game
from bot.systems.catalog import System


def phases_of(system: System | None) -> list[Mapping[str, Any]]:
    """The phases of a turn, in order; none where the card has no turn sequence."""
    return list(system.game.get("phases") or ()) if system is not None else []


def first_turn(game: Game, system: System | None) -> Game:
    """The game at the start of its first turn."""
    phases = phases_of(system)
    return replace(game, turn=1, phase=phases[0]["name"] if phases else "")


def next_phase(game: Game, system: System | None) -> Game:
    """The game one phase on; behind the last phase the next turn begins. Markers that the card clears come off."""
    phases = phases_of(system)
    names = [phase["name"] for phase in phases]
    at = names.index(game.phase) + 1 if game.phase in names else 0
    turn = game.turn
    if at >= len(phases) or not turn:
        at, turn = 0, turn + 1
    if not phases:
        return replace(game, turn=turn, phase="")
    entered = phases[at]
    units = {**game.units, **cleared(game.units, entered.get("clears") or ())}
    return replace(game, turn=turn, phase=entered["name"], units=units)


def phase_title(game: Game, system: System | None) -> str:
    """`turn 3, Rally phase`, or only what there is."""
    title = next((phase.get("title", phase["name"]) for phase in phases_of(system) if phase["name"] == game.phase), "")
    return ", ".join(piece for piece in (f"turn {game.turn}" if game.turn else "", title) if piece)


def reminders(game: Game, system: System | None) -> tuple[str, ...]:
    """What the card asks to remember in the present phase."""
    return next((tuple(phase.get("remember") or ()) for phase in phases_of(system) if phase["name"] == game.phase), ())
