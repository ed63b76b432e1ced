"""Whether an event follows on those before it: what is taken back, and brought back."""

from __future__ import annotations

from bot.game.events import NEVER_UNDONE, has_dice, is_passed_over
from bot.game.follows.past import Event, Past, Said
from bot.game.state import Json
from bot.game.undo import SILENCE, are_silent, consenters, find, may_stand_in, redo_fields, then, undo_fields


def undo(past: Past, event: Event, _: Said) -> str:
    """The latest event that changed the game is taken back, by agreement where dice were rolled."""
    now, number = past.now, event["event"]
    undone = past.bodies.get(number)
    found = find(reversed(past.bodies.values()), now.last, number)
    if undone is None or (found.event is None and found.way is None):
        return f"it takes back #{number}, but the last event that held was #{now.last}."
    if found.way is not None:
        return f"it takes back #{number}, but #{found.way['number']} changed the game since."
    if undone["kind"] in NEVER_UNDONE:
        return f"it takes back #{number}, of the kind {undone['kind']}, which is never undone."
    if any(event.get(name) != value for name, value in _filled(undo_fields(undone, found.last)).items()):
        return f"it does not turn round what #{number} did."
    if has_dice(undone) and not event.get("asked") and not event.get("alone"):
        return "dice are taken back, and nobody agreed."
    return _agreed(past, event, undone, "undo")


def redo(past: Past, event: Event, _: Said) -> str:
    """What was undone last is brought back as it was, by agreement where it was undone so."""
    now, number = past.now, event["event"]
    if not now.redo or now.redo[-1] != number:
        return f"it brings back #{number}, which was not undone last."
    done = past.bodies[number]
    if any(event.get(name) != value for name, value in _filled(redo_fields(done)).items()):
        return f"it does not do again what #{number} did."
    return _agreed(past, event, done, "redo")


def _agreed(past: Past, event: Event, undone: Event, what: str) -> str:
    """What is wrong with who agreed. Where nothing was passed over, nobody can have come or gone since."""
    now, who, asked, number = past.now, event["who"], event.get("asked", ""), event["event"]
    passes_over = what == "undo" and number != event["behind"]
    if asked and event.get("alone"):
        return "somebody alone in a game asks nobody."
    if not asked and (event.keys() & {"by", "reason"}):
        return "nobody agrees where nobody asked."
    if asked and asked not in past.acted:
        return f"who asked for the {what} had no part in the game."
    was = then(reversed(past.bodies.values()), now, number)
    by_then = {one["who"] for one in past.bodies.values() if one["number"] <= number} if passes_over else past.acted
    others = consenters(was, asked or who, by_then, undone)
    if asked and event.keys() & {"by", "reason"}:
        if not (event.keys() >= {"by", "reason"} and others and may_stand_in(now, was, who, asked, undone)):
            return f"who agreed to the {what} had no say in it."
        is_silent = event["reason"] != SILENCE or are_silent(past.bodies.values(), others, event["at"])
        return "" if is_silent else "it says that the other side was silent for seven days, but it was not."
    if asked:
        return "" if who != asked and who in others else f"who agreed to the {what} had no say in it."
    here = past.acted_here - past.left_here
    if what == "redo" and past.agreed.get(number):
        here_then = here & {one["who"] for one in past.bodies.values() if one["number"] <= number}
        others = consenters(was, who, here_then, undone)
        return "it was undone by agreement, and nobody agreed to bring it back." if others else ""
    if event.get("alone") and consenters(was, who, here & by_then, undone):
        return "it says that nobody else could agree, but others play."
    return ""


def keeping_problem(past: Past, event: Event) -> str:
    """What is wrong with keeping what can be brought back, which only an event beside the game does."""
    if event.get("keeps") and not (past.now.redo and is_passed_over(event)):
        return "it keeps what could be brought back, which it cannot."
    return ""


def _filled(fields: Json) -> Json:
    return {"before": None, "after": None, **fields}
