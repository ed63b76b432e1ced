"""Sides by name, and those whose orders are in."""

import re

from bot.game.state import Game
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.phrase import phrase

_PEOPLES = re.compile(
    r"(?:^| )(?:American|Australian|Belgian|British|Canadian|Chinese|Dutch|Egyptian|Finnish|French|German|Hungarian"
    r"|Indian|Israeli|Italian|Japanese|Korean|Norwegian|Polish|Romanian|Russian|Soviet|Spanish|Turkish|Vietnamese)$"
)
MAX_SIDE = 32
ORDER, COMMAND = "order", "command"
"""Keys of an order's texts: what the side does, and the command that is ready when it opens."""


def of_side(side: str, what: str) -> str:
    """What is a side's: `VC's go`, `Reds\u2019 go`; of one that is called by an adjective `the German go`."""
    if _PEOPLES.search(side):
        return f"the {side} {what}"
    return f"{side}\u2019 {what}" if side.endswith("s") else f"{side}'s {what}"


def may_be_called(side: str) -> bool:
    """Whether a side may have this name: short enough, and without what ends a name where it is typed."""
    return len(side) <= MAX_SIDE and not set(side) & set(';="“”')


def find_side(game: Game, name: str) -> str:
    """One of the game's sides, case ignored. Raises UserError naming them all."""
    folded = name.strip().casefold()
    for side in game.sides:
        if side.casefold() == folded:
            return side
    if not game.sides:
        raise UserError(
            "This game has no sides.",
            hint=phrase('Name them at the start: `/game start lnlt "Hill 875" sides="US, VC"`.'),
            option="side",
            code="no-sides",
        )
    hint = did_you_mean(name, game.sides) or f"Sides are {', '.join(game.sides)}."
    raise UserError(f'There is no side "{name[:40]}".', hint=hint, option="side", code="unknown-side")


def sides_in(game: Game) -> set[str]:
    """The sides for which somebody has written."""
    return {side for person in game.orders.values() if (side := game.players.get(person, ""))}


def all_in(game: Game) -> bool:
    """Whether every side has written that somebody plays."""
    return bool(game.orders) and set(game.players.values()) <= sides_in(game)


def of_sides(game: Game, person: str) -> str:
    """The side for which somebody writes; "" for who has left it."""
    return game.players.get(person, "")


def orders_in_order(game: Game) -> list[int]:
    """The events that wrote the orders: side by side, those of nobody's side last."""
    sides = [*game.sides, ""]
    return sorted(map(int, game.orders), key=lambda at: (sides.index(of_sides(game, game.orders[str(at)])), at))


def told_sides(game: Game) -> str:
    """Whose orders they are, for the log: `of US and VC`."""
    found = [side for side in game.sides if side in sides_in(game)]
    return f"of {' and '.join(found)}" if found else "of nobody"
