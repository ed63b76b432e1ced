"""An event as the log of a page tells it: the news in front, then what it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.game.sides import by_name
from bot.game.state import Json
from bot.game.summary import title_of
from bot.play.retold import TEXTS, held, retold
from bot.rules.phrase import begun

FILTERS = {
    "sequence": "combat",
    "roll": "rolls",
    "table": "rolls",
    "sealed": "rolls",
    "reveal": "rolls",
    "unit": "units",
}
"""Under which kind a reader finds an event; everything else is about the game."""
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


def told(event: Event) -> Told:
    """The news of an event and what it was: (`Squad 4 is eliminated`, `PT-76 fires`)."""
    kind = event.body["kind"]
    if kind in _TOLD:
        return _TOLD[kind](event)
    text = event.texts.get(TEXTS.get(kind, "label"), "")
    found = retold(event.body, event.name_of, text, event.sides)
    return found.title, ""


def _sequence(event: Event) -> Told:
    facts = event.facts
    if "told" not in facts:
        return begun(by_name(_without_facts(event), event.sides)), facts.get("title") or title_of(event.body)
    return held(event.body, by_name(facts["told"], event.sides), event.sides), facts["by"]


def _without_facts(event: Event) -> str:
    """An outcome of other rules than today's, with those who fired and whom they fired at."""
    found = retold(event.body, event.name_of, sides=event.sides)
    return found.sentence if found.acts else found.title


def _roll(event: Event) -> Told:
    label, title = event.texts.get("label", ""), title_of(event.body)
    name = label or title
    said = f"{name}: {event.result}" if event.result else name
    return said if name == title and event.body["kind"] == "roll" else begun(said), title if label else ""


def _undo(event: Event) -> Told:
    body = event.body
    asked = f", asked for by {event.name_of(body['asked'])}" if body.get("asked") else ""
    what = "taken back" if body["kind"] == "undo" else "brought back"
    return f"#{body['event']} {what}", f"by consent{asked}" if asked else ""


def _fair(event: Event) -> Told:
    if added := event.texts.get("text"):
        return f"Adds to the dice: “{added}”", ""
    return begun(event.result), "dice"


def _order(event: Event) -> Told:
    """A sealed order: its words once they are open."""
    return begun(f"Sealed orders: {event.result}"), " · ".join(event.texts.values())


_TOLD: Mapping[str, Callable[[Event], Told]] = {
    "sequence": _sequence,
    "roll": _roll,
    "table": _roll,
    "undo": _undo,
    "redo": _undo,
    "fair": _fair,
    "order": _order,
    "orders": lambda event: (f"The orders {event.result} are open", ""),
    "sealed": lambda _event: ("A sealed roll", "closed until its roller opens it"),
    "leave": lambda _event: ("Leaves the game", ""),
    "resume": lambda _event: ("Takes the game up again", ""),
    "claim": lambda _event: ("Is this person from the imported log", ""),
    "import": lambda event: (f"Brings the game here: {event.result}", "imported"),
    "transfer": lambda _event: ("Moves the game to another channel", ""),
    "link": lambda event: (begun(event.result), "channels"),
    "privacy": lambda _event: ("A name and its texts were deleted", ""),
    "settings": lambda event: (f"Settings: {event.result}" if event.result else "Settings", ""),
}
