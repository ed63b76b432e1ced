"""Sides by name: who joined and left them, whose orders are in, and who may open the orders."""

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
"""Endings of sides named for a whole people: the British, the Japanese, the French."""
MAX_SIDE = 32
ORDER, COMMAND = "order", "command"
"""Keys of an order's texts: the side's plan, and the command that is ready when it opens."""


def format_possessive(side: str, noun: str) -> str:
    """Return a side's possession: `VC's turn`, `Reds' turn`, and `the German turn` for an
    adjective.
    """
    if _PEOPLES.search(side):
        return f"the {side} {noun}"
    return f"{side}' {noun}" if side.endswith("s") else f"{side}'s {noun}"


def fit_verb(side: str, singular: str, plural: str) -> str:
    """Return the verb that fits a side: `plural` for Marines or British, `singular` for US or Duke."""
    is_many = side.endswith("s") and not side.endswith("ss")
    return plural if is_many or _MANY.search(side) else singular


def is_valid_side_name(side: str) -> bool:
    """Return whether a side may have this name: short, and without signs that end a typed name."""
    return len(side) <= MAX_SIDE and not set(side) & set(';="“”')


def find_side(game: Game, name: str) -> str:
    """Return the side of the game with this name, in its own spelling. Case does not count.

    Raise UserError for an unknown side, with the sides of the game, and for a game without sides.
    """
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


def list_free_sides(game: Game) -> tuple[str, ...]:
    """Return the sides that nobody plays, and that do not play themselves."""
    taken_sides = {*game.players.values(), *game.self_played}
    return tuple(side for side in game.sides if side not in taken_sides)


def describe_no_player(game: Game, side: str) -> str:
    """Return what is said in place of the players of a side that has none."""
    if side in game.self_played:
        return fit_verb(side, "plays itself", "play themselves")
    return "no player yet"


def list_joinable_sides(game: Game) -> tuple[str, ...]:
    """Return the sides that somebody may join: all but those that play themselves."""
    return tuple(side for side in game.sides if side not in game.self_played)


def make_unknown_side_error(name: str, sides: Sequence[str], option: str = "side") -> UserError:
    """Build the error for an unknown side, with the side that is probably meant."""
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
    """Return the sides with a written order.

    Orders of players who have left their side do not count.
    """
    sides = {game.players.get(person, "") for person in game.orders.values()}
    return sides - {""}


def list_missing_sides(game: Game) -> list[str]:
    """Return the sides whose orders are not in, including those that nobody plays."""
    sides_with_orders = list_sides_with_orders(game)
    return [side for side in game.sides if side not in sides_with_orders]


def has_all_orders(game: Game) -> bool:
    """Return whether the orders of every side are in. A side without players is not in."""
    return bool(game.orders) and not list_missing_sides(game)


@dataclass(slots=True)
class Seats:
    """The sides that players left, and the event at which each player joined their present side.

    Built from the log, event by event.
    """

    left: dict[str, str] = field(default_factory=dict)
    joined: dict[str, int] = field(default_factory=dict)

    def note(self, event: Mapping[str, Any]) -> None:
        """Record who left or joined a side in the next event of the log.

        A player who claims a person of an imported log takes over their record.
        """
        claimed = event.get("own", "")
        if claimed:
            self._move_claimed(claimed, event["who"])
        fields_before = (event.get("before") or {}).get("game") or {}
        fields_after = (event.get("after") or {}).get("game") or {}
        if "players" not in fields_after:
            return
        old_players = fields_before.get("players") or {}
        new_players = fields_after["players"]
        for person, side in old_players.items():
            if new_players.get(person) != side and person != claimed:
                self.left[person] = side
        if claimed:
            return
        for person, side in new_players.items():
            if old_players.get(person) != side:
                self.joined[person] = event["number"]

    def _move_claimed(self, claimed: str, person: str) -> None:
        """Move the record of a person of an imported log to the player who claimed them."""
        if claimed in self.left:
            self.left[person] = self.left.pop(claimed)
        self.joined[person] = max(self.joined.pop(claimed, 0), self.joined.get(person, 0))


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
    first_order = min(map(int, game.orders))
    return not missing & set(seats.left.values()) and seats.joined.get(person, 0) < first_order


def get_order_side(game: Game, person: str) -> str:
    """Return the side that a person writes orders for, "" if they have left it."""
    return game.players.get(person, "")


def sort_orders(game: Game) -> list[int]:
    """Return the events that wrote the orders, grouped by side, those of no side last."""
    sides = [*game.sides, ""]

    def get_sort_key(number: int) -> tuple[int, int]:
        side = get_order_side(game, game.orders[str(number)])
        return sides.index(side), number

    return sorted(map(int, game.orders), key=get_sort_key)


def describe_order_sides(game: Game) -> str:
    """Return the sides whose orders these are, for the log: `of US and VC`."""
    sides = [side for side in game.sides if side in list_sides_with_orders(game)]
    return f"of {' and '.join(sides)}" if sides else "of nobody"
