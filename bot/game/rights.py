"""Who may do what in a game: players act for their side, strangers roll and look, a game master directs; and who may
still add texts to the dice: one rule for play and for whoever checks a log; docs/dice.md says it in words. Sides are
found and called by name here; a card knows sides a and b."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from bot.game.state import Game
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.phrase import phrase

LETTERS = ("a", "b")
_SIDE = re.compile(r"\b[Ss]ide ([ab])\b")


_PEOPLES = re.compile(
    r"(?:^| )(?:American|Australian|Belgian|British|Canadian|Chinese|Dutch|Egyptian|Finnish|French|German|Hungarian"
    r"|Indian|Israeli|Italian|Japanese|Korean|Norwegian|Polish|Romanian|Russian|Soviet|Spanish|Turkish|Vietnamese)$"
)
ORDER, COMMAND = "order", "command"
"""Keys of an order's texts: what the side does, and the command that is ready when it opens."""


def of_side(side: str, what: str) -> str:
    """What is a side's: `VC's go`, `Reds\u2019 go`; of one that is called by an adjective `the German go`."""
    if _PEOPLES.search(side):
        return f"the {side} {what}"
    return f"{side}\u2019 {what}" if side.endswith("s") else f"{side}'s {what}"


def holds(side: str, before: str) -> str:
    """What a side does to the initiative that `before` had it: it keeps or takes it."""
    return "keeps" if side == before else "takes"


def by_name(text: str, sides: tuple[str, ...]) -> str:
    """A text with the names of a game's two sides for side a and side b; as it is in any other game."""
    return _SIDE.sub(lambda found: sides[LETTERS.index(found[1])], text) if len(sides) == 2 else text


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


class Actor(NamedTuple):
    """Who acts: their person id in this game ("" while they have none), their side, and whether they direct the game.

    Directors are the game master and those who manage the server.
    """

    person: str
    side: str
    directs: bool


def actor_in(game: Game, person: str, *, manager: bool) -> Actor:
    """The actor with this person id in `game`."""
    return Actor(person, game.players.get(person, ""), manager or (bool(person) and person == game.master))


def is_guarded(game: Game) -> bool:
    """Whether only players and directors may touch the game: it was started with sides and has not ended."""
    return game.started and not game.ended and bool(game.sides)


def is_stranger(game: Game, actor: Actor) -> bool:
    """Whether they may only roll and look things up."""
    return is_guarded(game) and not actor.side and not actor.directs


def need_director(game: Game, actor: Actor, what: str) -> None:
    """Raise UserError unless they are game master or manage the server. Free play has no master: all may."""
    if game.started and not actor.directs:
        problem = f"Only the game master, a server manager or a workspace admin can {what}."
        raise UserError(problem, hint=phrase("`/game status` says who is game master."), code="not-master")


def need_player(game: Game, actor: Actor) -> None:
    """Raise UserError for a stranger."""
    if is_stranger(game, actor):
        raise UserError(
            "You play no side in this game.",
            hint=phrase(
                "Sides are {sides}. Join one: `/game join {first}`",
                sides=", ".join(game.sides),
                first=_typed(game.sides[0]),
            ),
            code="not-player",
        )


def need_go(game: Game, actor: Actor) -> None:
    """Raise UserError for a stranger, and for a player of a side whose go it is not: a phase is not theirs to end."""
    need_player(game, actor)
    if not is_guarded(game) or actor.directs or not game.go or actor.side in game.go:
        return
    if not set(game.go) & set(game.players.values()):  # nobody plays that side, so whoever is there goes on
        return
    sides = " and ".join(game.go)
    hint = f"Only whoever plays {sides}, or the game master, can pass or end the phase."
    raise UserError(f"It is {of_side(sides, 'go')}; you play {actor.side}.", hint=hint, code="not-your-go")


def need_units(game: Game, actor: Actor, units: Iterable[RosterUnit]) -> None:
    """Raise UserError when one of `units` is not theirs to change."""
    need_player(game, actor)
    if not is_guarded(game) or actor.directs:
        return
    for unit in units:
        if unit.side and unit.side != actor.side:
            raise UserError(f"{unit.name} belongs to {unit.side}; you play {actor.side}.", code="not-yours")


def need_share(game: Game, actor: Actor, units: Iterable[RosterUnit], acting: Iterable[RosterUnit]) -> None:
    """Raise UserError for a stranger who names units, and for a player who acts with another side's.

    Any unit may be the target: artillery and mines have no unit that acts.
    """
    if not tuple(units) or not is_guarded(game):
        return
    need_player(game, actor)
    theirs = [unit for unit in acting if unit.side not in ("", actor.side)]
    if theirs and not actor.directs:
        names = ", ".join(f"{unit.name} ({unit.side})" for unit in theirs[:3])
        raise UserError(f"You play {actor.side} and cannot act with {names}.", code="not-yours")


def _typed(name: str) -> str:
    return f'"{name}"' if " " in name else name


def over(game: Game) -> UserError:
    """What to say to somebody who would change a game that has ended."""
    return UserError(
        f'"{game.name}" is over, and kept as it was.' if game.name else "This free play is over, and kept as it was.",
        hint=phrase('Take it up again: `/game resume`. Start another: `/game start lnlt "Hill 875" sides="US, VC"`'),
        code="game-ended",
    )


def are_open(game: Game) -> bool:
    """Whether texts may still be added to the dice of the seed in force."""
    return not (game.closed if game.closing else game.drawn)


def is_alone(game: Game, person: str) -> bool:
    """Whether there is nobody else in the game who could close the texts."""
    if is_guarded(game):
        return {*game.players, game.master} <= {"", person}
    return game.solo == person


def has_last_word(game: Game, person: str) -> bool:
    """Whether the last text is this person's, so that somebody else must close."""
    return game.closing and bool(person) and game.adder == person and not is_alone(game, person)
