"""Whether an event may be taken back, and whose consent that needs. So undo cannot re-roll."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.game.events import NEVER_UNDONE, has_dice
from bot.game.rights import Actor, is_guarded
from bot.game.state import Game, Json, content, unit_json
from bot.rules.errors import UserError
from bot.rules.phrase import phrase


def need_undoable(event: Mapping[str, Any] | None, number: int) -> None:
    """Raise UserError for nothing to undo, and for a kind of event that is never undone."""
    if event is None:
        raise UserError("There is nothing to undo.", code="not-undoable")
    if event["kind"] in NEVER_UNDONE:
        raise UserError(
            f"The last event (#{number}, {event['kind']}) cannot be undone.",
            hint=phrase("`/log` shows what happened; /unit edit sets things right by hand."),
            code="not-undoable",
        )


def consenters(game: Game, actor: Actor, persons: Iterable[str], event: Mapping[str, Any]) -> frozenset[str]:
    """Who could agree to take the dice of `event` back: players of another side, and a game master who plays none.

    Somebody without a side asks for the side that rolled, so that nobody outside can help a roller to
    consent to their own undo. Where there are no sides it is everyone else who took part (`persons`). Empty: the actor
    is alone.
    """
    if is_guarded(game) or (game.sides and game.players):
        asking = actor.side or event.get("side", "")
        others = {person for person, side in game.players.items() if side != asking}
        if not actor.side:
            others.discard(event["who"])
        if game.master and game.master not in game.players:
            others.add(game.master)
    else:
        others = set(persons)
    return frozenset(others - {actor.person})


def may_ask(game: Game, actor: Actor, event: Mapping[str, Any]) -> bool:
    """Whether they may ask for the event to be taken back at all."""
    return not is_guarded(game) or bool(actor.side) or actor.directs or event["who"] == actor.person


def is_free(actor: Actor, event: Mapping[str, Any]) -> bool:
    """Whether it may be taken back at once: no dice, and their own doing (or they direct the game)."""
    return not has_dice(event) and (event["who"] == actor.person or actor.directs)


def changed_since(game: Game, patch: Mapping[str, Any]) -> list[str]:
    """Names of units and settings that are no longer as `patch` left them."""
    units = {key: unit_json(unit) if (unit := game.units.get(key)) else None for key in patch.get("units", {})}
    names = [(unit or {"name": key})["name"] for key, unit in patch.get("units", {}).items() if units[key] != unit]
    fields = content(replace(game, units={})) if patch.get("game") else {}
    return names + [name for name, value in patch.get("game", {}).items() if fields[name] != value]


def undo_fields(event: Mapping[str, Any]) -> Json:
    """What an undo event holds to take `event` back: its number, what holds then, and the reversed patch."""
    fields: Json = {"event": event["number"], "last": event["behind"]}
    if event.get("after"):
        fields |= {"before": event["after"], "after": event["before"]}
    return fields


def redo_fields(event: Mapping[str, Any]) -> Json:
    """What a redo event holds to bring `event` back: its number and its patch."""
    fields: Json = {"event": event["number"]}
    if event.get("after"):
        fields |= {"before": event["before"], "after": event["after"]}
    return fields
