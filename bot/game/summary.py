"""An event in one line, as the log, the report and undo tell it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.game.roster import changed_names
from bot.game.sides import by_name
from bot.game.state import DRAW
from bot.game.version import system_of

NameOf = Callable[[str], str]


def told_event(
    event: Mapping[str, Any], name_of: NameOf, label: str = "", sides: tuple[str, ...] = (), what: str = ""
) -> str:
    """`#41 Anna (US): Direct fire: casualties [5][2]`; `sides` are those of the game, for a card's side a and b.

    `what` takes the place of the words in the log."""
    if sides and event.get("target") == "initiative":
        event = {**event, "result": by_name(event.get("result", ""), sides)}
    side = f" ({event['side']})" if event.get("side") else ""
    dice = "".join(f"[{die['value']}]" for die in event.get("dice", ())[:40])
    pieces = [f"#{event['number']} {name_of(event['who'])}{side}: {what or _what(event, name_of, label)}", dice]
    if event.get("hand"):
        pieces.append("(dice by hand)")
    return " ".join(piece for piece in pieces if piece)


def _what(event: Mapping[str, Any], name_of: NameOf, label: str) -> str:
    kind, result = event["kind"], event.get("result", "")
    if kind in ("roll", "sequence", "table"):
        named = f"{label}: " if label else ""
        name = title_of(event)
        used = [unit["name"] for unit in event.get("used", ())]
        units = list(dict.fromkeys([*used, *changed_names(event.get("before") or {}, event.get("after") or {})]))
        touched = f" ({', '.join(units[:8])}{', ...' if len(units) > 8 else ''})" if units else ""
        return f"{named}{name}: {result}{touched}" if result else f"{named}{name}{touched}"
    if kind in ("undo", "redo"):
        take = "take" if kind == "undo" else "bring"
        if not event.get("asked"):
            return f"{take}s back #{event['event']}{', alone in the game' if event.get('alone') else ''}"
        as_manager = ", as manager" if event.get("by") else ""
        return f"lets {name_of(event['asked'])} {take} back #{event['event']}{as_manager}"
    if kind == "end" and (winner := ((event.get("after") or {}).get("game") or {}).get("winner")):
        return f"end, {'a draw' if winner == DRAW else f'{winner} wins'}{f': {result}' if result else ''}"
    if kind == "resume":
        return "takes the game up again"
    if kind in ("order", "orders"):
        return f"the orders {result} are open" if kind == "orders" else f"sealed orders: {result}"
    if kind in ("reveal", "end"):
        opened = result or ", ".join(f"#{number}" for number in event.get("opens", ()))
        return f"{kind} {opened}".strip()
    if kind == "start":
        fields = (event.get("after") or {}).get("game") or {}
        return f'start "{fields["name"]}"' if fields.get("name") else "free play begins"
    if kind == "claim":
        return "is this person from the imported log"
    if kind == "pass":
        return str(result)
    if kind == "join":
        return f"joins {event['side']}"
    return f"{kind}: {result}" if result else kind


def title_of(event: Mapping[str, Any]) -> str:
    """The name of the sequence or table behind an event, or the dice of a roll."""
    if event["kind"] == "roll":
        return str(event["inputs"].get("dice", ""))
    system = system_of(event)
    target = event.get("target", "")
    if system is not None and event["kind"] == "sequence" and target in system.sequences:
        return system.sequences[target].title
    if system is not None and event["kind"] == "table" and target in system.tables:
        return system.tables[target].title
    return str(event.get("command", target))
