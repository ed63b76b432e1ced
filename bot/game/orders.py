"""Sealed orders as the state holds them: which events wrote them, and which sides are in."""

from __future__ import annotations

from bot.game.state import Game

ORDER, COMMAND = "order", "command"
"""Keys of an order's texts: what the side does, and the command that is ready when it opens."""


def sides_in(game: Game) -> set[str]:
    """The sides for which somebody has written."""
    return {side for person in game.orders.values() if (side := game.players.get(person, ""))}


def all_in(game: Game) -> bool:
    """Whether every side has written that somebody plays."""
    return bool(game.orders) and set(game.players.values()) <= sides_in(game)


def of_sides(game: Game, person: str) -> str:
    """The side for which somebody writes; "" for who has left it."""
    return game.players.get(person, "")


def in_order(game: Game) -> list[int]:
    """The events that wrote the orders: side by side, those of nobody's side last."""
    sides = [*game.sides, ""]
    return sorted(map(int, game.orders), key=lambda at: (sides.index(of_sides(game, game.orders[str(at)])), at))


def told_sides(game: Game) -> str:
    """Whose orders they are, for the log: `of US and VC`."""
    found = [side for side in game.sides if side in sides_in(game)]
    return f"of {' and '.join(found)}" if found else "of nobody"
