"""Sides by name, who joined and left them, those whose orders are in, and who may open these."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.game.state import Game
from bot.rules.errors import UserError, did_you_mean, suggest_names
from bot.rules.text.normalize import NameIndex, comparison_key, normalize_name
from bot.rules.text.phrase import phrase

_PEOPLES = re.compile(
    r"(?:^| )(?:American|Australian|Belgian|British|Canadian|Chinese|Dutch|Egyptian|Finnish|French|German|Hungarian"
    r"|Indian|Israeli|Italian|Japanese|Korean|Norwegian|Polish|Romanian|Russian|Soviet|Spanish|Turkish|Vietnamese)$"
)
_MANY = re.compile(r"(?:ese|ish|French|Dutch|Swiss)$")
"""How the name of a side ends that is a whole people: the British, the Japanese, the French."""
MAX_SIDE = 32
ORDER, COMMAND = "order", "command"
"""Keys of an order's texts: what the side does, and the command that is ready when it opens."""


def format_possessive(side: str, what: str) -> str:
    """Return what is a side's: `VC's turn`, `Reds' turn`; of one that is called by an adjective
    `the German turn`.
    """
    if _PEOPLES.search(side):
        return f"the {side} {what}"
    return f"{side}' {what}" if side.endswith("s") else f"{side}'s {what}"


def fit_verb(side: str, one: str, many: str) -> str:
    """Return the verb that fits a side: `many` for Marines or British, `one` for US or Duke."""
    is_many = side.endswith("s") and not side.endswith("ss")
    return many if is_many or _MANY.search(side) else one


def is_valid_side_name(side: str) -> bool:
    """Return whether a side may have this name: short enough, and without what ends a name where it
    is typed.
    """
    return len(side) <= MAX_SIDE and not set(side) & set(';="“”')


def find_side(game: Game, name: str) -> str:
    """One of the game's sides, case ignored. Raises UserError naming them all."""
    sides = NameIndex({side.casefold(): side for side in game.sides})
    if side := sides.get(normalize_name(name).casefold()):
        return side
    if not game.sides:
        raise UserError(
            "This game has no sides.",
            hint=phrase('Name them at the start: `/game start lnlt "Hill 875" sides="US, VC"`.'),
            option="side",
            code="no-sides",
        )
    raise make_unknown_side_error(name, game.sides)


def make_unknown_side_error(name: str, sides: Sequence[str], option: str = "side") -> UserError:
    """Return the error for a side that the game does not have, with the side that is meant."""
    starts = [side for side in sides if comparison_key(side).startswith(comparison_key(name))]
    near = (
        suggest_names(name, starts)
        if len(starts) == 1 and name.strip()
        else did_you_mean(name, sides)
    )
    return UserError(
        f'There is no side "{name[:40]}".',
        hint=near or f"Sides are {', '.join(sides)}.",
        option=option,
        code="unknown-side",
    )


def list_sides_with_orders(game: Game) -> set[str]:
    """The sides for which somebody has written."""
    return {side for person in game.orders.values() if (side := game.players.get(person, ""))}


def list_missing_sides(game: Game) -> list[str]:
    """Return the sides whose orders are not in, also those that nobody plays."""
    written = list_sides_with_orders(game)
    return [side for side in game.sides if side not in written]


def has_all_orders(game: Game) -> bool:
    """Return whether the orders of every side of the game are in. A side without players is not
    in.
    """
    return bool(game.orders) and not list_missing_sides(game)


@dataclass(slots=True)
class Seats:
    """The sides that players left, and the event at which each player joined their present side.

    Built from the log, event by event.
    """

    left: dict[str, str] = field(default_factory=dict)
    joined: dict[str, int] = field(default_factory=dict)

    def note(self, event: Mapping[str, Any]) -> None:
        """Update the seats by the next event of the log."""
        before = (event.get("before") or {}).get("game") or {}
        after = (event.get("after") or {}).get("game") or {}
        own = event.get("own", "")
        if own:
            # A player who goes on as a person of an imported log takes over what that person left.
            if own in self.left:
                self.left[event["who"]] = self.left.pop(own)
            self.joined[event["who"]] = max(
                self.joined.pop(own, 0), self.joined.get(event["who"], 0)
            )
        if "players" not in after:
            return
        old = before.get("players") or {}
        new = after["players"]
        for person, side in old.items():
            if new.get(person) != side and person != own:
                self.left[person] = side
        if own:
            return
        for person, side in new.items():
            if old.get(person) != side:
                self.joined[person] = event["number"]


def may_open_early(game: Game, person: str, seats: Seats) -> bool:
    """Return whether `person` may open the orders before every side is in and before the deadline.

    A game master may who plays no side and never did. A player may whose side is in, if nobody
    plays the sides that are missing. Orders of others also stay sealed if somebody left a missing
    side, or if the player joined after the first of the orders was sealed: nobody changes sides to
    read them.
    """
    side = game.players.get(person, "")
    if not side:
        return bool(person) and person == game.master and person not in seats.left
    missing = set(list_missing_sides(game))
    if side in missing or missing & set(game.players.values()):
        return False
    if set(game.orders.values()) == {person}:
        return True
    first = min(map(int, game.orders))
    return not missing & set(seats.left.values()) and seats.joined.get(person, 0) < first


def get_order_side(game: Game, person: str) -> str:
    """The side for which somebody writes; "" for who has left it."""
    return game.players.get(person, "")


def sort_orders(game: Game) -> list[int]:
    """The events that wrote the orders: side by side, those of nobody's side last."""
    sides = [*game.sides, ""]
    return sorted(
        map(int, game.orders),
        key=lambda at: (sides.index(get_order_side(game, game.orders[str(at)])), at),
    )


def describe_order_sides(game: Game) -> str:
    """Whose orders they are, for the log: `of US and VC`."""
    found = [side for side in game.sides if side in list_sides_with_orders(game)]
    return f"of {' and '.join(found)}" if found else "of nobody"
