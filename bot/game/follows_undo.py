"""Whether an event follows on those before it: what is taken back, and brought back."""

from __future__ import annotations

from bot.game.events import NEVER_UNDONE, has_dice
from bot.game.past import Event, Past
from bot.game.rights import Actor
from bot.game.state import Json
from bot.game.undo import consenters, redo_fields, undo_fields


def undo(past: Past, event: Event) -> str:
    """The last event is taken back, by agreement where dice were rolled."""
    now, number, who = past.now, event["event"], event["who"]
    undone = past.bodies.get(number)
    if undone is None or number != now.last:
        return f"it takes back #{number}, but the last event that held was #{now.last}."
    if undone["kind"] in NEVER_UNDONE:
        return f"it takes back #{number}, of the kind {undone['kind']}, which is never undone."
    if any(event.get(name) != value for name, value in _filled(undo_fields(undone)).items()):
        return f"it does not turn round what #{number} did."
    asked = event.get("asked", "")
    if asked and event.get("alone"):
        return "somebody alone in a game asks nobody."
    if has_dice(undone) and not asked and not event.get("alone"):
        return "dice are taken back, and nobody agreed."
    if asked and asked not in past.acted:
        return "who asked for the undo had no part in the game."
    if asked:
        others = consenters(now, Actor(asked, now.players.get(asked, ""), directs=False), past.acted, undone)
        return "" if who != asked and who in others else "who agreed to the undo had no say in it."
    here = past.acted_here - past.left_here
    if event.get("alone") and consenters(now, Actor(who, now.players.get(who, ""), directs=False), here, undone):
        return "it says that nobody else could agree, but others play."
    return ""


def redo(past: Past, event: Event) -> str:
    """What was undone last is brought back as it was."""
    now, number = past.now, event["event"]
    if not now.redo or now.redo[-1] != number:
        return f"it brings back #{number}, which was not undone last."
    if any(event.get(name) != value for name, value in _filled(redo_fields(past.bodies[number])).items()):
        return f"it does not do again what #{number} did."
    asked, who = event.get("asked", ""), event["who"]
    if asked:
        others = consenters(
            now, Actor(asked, now.players.get(asked, ""), directs=False), past.acted, past.bodies[number]
        )
        if asked not in past.acted or who == asked or who not in others:
            return "who agreed to the redo had no say in it."
    return ""


def _filled(fields: Json) -> Json:
    return {"before": None, "after": None, **fields}
