"""An event as the log of a page tells it: the news in front, then what it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.game.sides import by_name
from bot.game.state import DRAW, Json
from bot.game.summary import title_of
from bot.play.retold import retold

FILTERS = {
    "sequence": "combat",
    "roll": "rolls",
    "table": "rolls",
    "sealed": "rolls",
    "reveal": "rolls",
    "unit": "units",
}
"""Under which kind a reader finds an event; everything else is about the game."""
NAMED = 4
"""So many of those who act are named behind what they did."""
NameOf = Callable[[str], str]
Told = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Event:
    """An event with what is known of it: its texts by their keys, its facts, the names of persons and sides."""

    body: Json
    texts: Mapping[str, str]
    facts: Json
    name_of: NameOf
    sides: tuple[str, ...]

    @property
    def result(self) -> str:
        """The result as the log has it."""
        return str(self.body.get("result") or "")

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the game that it changed."""
        return (self.body.get("after") or {}).get("game") or {}


def told(event: Event) -> Told:
    """The news of an event and what it was: (`Squad 4 is eliminated`, `Fire by PT-76`)."""
    kind = event.body["kind"]
    if kind in _TOLD:
        return _TOLD[kind](event)
    return _begun(event.result or kind), "" if kind in ("unit", "next", "pass") else kind


def _sequence(event: Event) -> Told:
    title = event.facts.get("title") or title_of(event.body)
    news = event.facts.get("told") or _without_facts(event)
    acting = event.body.get("acting") or []
    by = f"{title} by {' + '.join(acting[:NAMED])}{' …' if acting[NAMED:] else ''}" if acting else title
    return by_name(_begun(str(news)), event.sides), by


def _without_facts(event: Event) -> str:
    """An outcome of other rules than today's, with those who fired and whom they fired at."""
    found = retold(event.body, event.name_of, sides=event.sides)
    return found.sentence if found.acts else found.title


def _roll(event: Event) -> Told:
    label, title = event.texts.get("label", ""), title_of(event.body)
    name = label or title
    return _begun(f"{name}: {event.result}" if event.result else name), title if label else ""


def _undo(event: Event) -> Told:
    body = event.body
    asked = f", asked for by {event.name_of(body['asked'])}" if body.get("asked") else ""
    what = "taken back" if body["kind"] == "undo" else "brought back"
    return f"#{body['event']} {what}", f"by consent{asked}" if asked else ""


def _start(event: Event) -> Told:
    if event.body.get("free") or not event.fields.get("name"):
        return "Free play begins", ""
    return f"The game begins: {event.result}" if event.result else "The game begins", ""


def _end(event: Event) -> Told:
    winner = event.fields.get("winner")
    how = "a draw" if winner == DRAW else f"{winner} wins" if winner else ""
    more = [event.texts.get("text", ""), f"opened: {event.result}" if event.result else ""]
    return f"The game ends: {how}" if how else "The game ends", " · ".join(filter(None, more))


def _fair(event: Event) -> Told:
    if added := event.texts.get("text"):
        return f"Adds to the dice: “{added}”", ""
    return _begun(event.result), "dice"


def _written(event: Event) -> Told:
    """A plan, or a sealed order: its words once they are open."""
    return _begun(event.result), " · ".join(text for key, text in event.texts.items() if key != "sealed")


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


_TOLD: Mapping[str, Callable[[Event], Told]] = {
    "sequence": _sequence,
    "roll": _roll,
    "table": _roll,
    "undo": _undo,
    "redo": _undo,
    "start": _start,
    "end": _end,
    "fair": _fair,
    "plan": _written,
    "order": _written,
    "sealed": lambda _event: ("A sealed roll", "closed until its roller opens it"),
    "orders": lambda event: (f"The orders {event.result} are open", ""),
    "reveal": lambda event: (f"Opened: {event.result}" if event.result else "Opened", "a sealed roll"),
    "join": lambda event: (f"Plays {event.body['side']}", ""),
    "leave": lambda _event: ("Leaves the game", ""),
    "resume": lambda _event: ("Takes the game up again", ""),
    "claim": lambda _event: ("Is this person from the imported log", ""),
    "import": lambda event: (f"Brings the game here: {event.result}", "imported"),
    "transfer": lambda _event: ("Moves the game to another channel", ""),
    "link": lambda event: (_begun(event.result), "channels"),
    "privacy": lambda _event: ("A name and its texts were deleted", ""),
    "initiative": lambda event: (f"{event.result} has the initiative", ""),
    "settings": lambda event: (f"Settings: {event.result}" if event.result else "Settings", ""),
}
