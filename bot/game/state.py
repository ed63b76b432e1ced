"""The state of a game as a value: sides, turn and phase, roster, settings, and data for undo.

`Actor` is the player who acts in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, NamedTuple

from bot.rules.errors import UserError
from bot.rules.inputs.units import Back, Roster, RosterUnit
from bot.rules.proof.fair import PROTOCOL
from bot.rules.proof.unreleased import make_unreleased_error
from bot.rules.text.normalize import NameIndex

Json = dict[str, Any]
Units = Mapping[str, RosterUnit]
"""Roster units by name, with case folded."""

WAITED = ("started", "ended", "go", "go_since", "waits", "players", "orders_due")
waited_for = attrgetter(*WAITED)
"""The fields that say who is waited for, and until when. Reminders and deadlines depend on nothing
else.
"""
DRAW = "draw"
FULL = "full"
STRICT = "strict"


@dataclass(frozen=True)
class Game:
    """A game in the state that its events lead to.

    Persons are random ids; their names are elsewhere.

    Undo restores the fields up to `cards`. Those from `number` on are bookkeeping, which undo
    leaves as it is.
    """

    id: str
    system: str = ""
    """The id of the rule set; "" for free play."""
    name: str = ""
    started: bool = False
    ended: bool = False
    winner: str = ""
    """A side, DRAW, or ""."""
    sides: tuple[str, ...] = ()
    """The names of the sides, in their order."""
    self_played: tuple[str, ...] = ()
    """The sides that the scenario lets play themselves: see bot/game/self_play.py."""
    players: Mapping[str, str] = field(default_factory=dict)
    """The side of each person who has joined one."""
    master: str = ""
    """The person who is game master; "" for none."""
    counted: tuple[str, ...] = ()
    """The two persons who agreed that the game counts, the one who asked first; () if it does not.
    """
    confirmed: int = 0
    """The event that confirmed the result of a game that counts; 0 while it is not confirmed."""
    turns: int = 0
    """The number of the last turn; 0 for none."""
    wins: str = ""
    """Who wins, in one sentence, as the scenario has it."""
    turn: int = 0
    phase: str = ""
    initiative: str = ""
    """The side that has it; "" for none."""
    turn_of: str = ""
    """The side to which the turn belongs, in games in which each side has turns of its own."""
    go: tuple[str, ...] = ()
    """The sides that may act now; empty in games from before this was recorded."""
    passes: int = 0
    """The number of passes in a row."""
    led: str = ""
    """The deck that leads the phase, and the chit whose move it is, such as `cup/us-1`: see
    bot/game/cups.py."""
    plans: Mapping[str, int] = field(default_factory=dict)
    """The turn of each written plan, by the event with its text."""
    orders: Mapping[str, str] = field(default_factory=dict)
    """The person of each sealed order, by the event with its text."""
    orders_due: int = 0
    """When the orders open at the latest, in Unix seconds; 0 for no deadline."""
    hand_dice: bool = True
    """Whether players may type real dice."""
    answers: str = FULL
    """The length of answers: FULL or compact."""
    confirm: bool = False
    """Whether a shot at another target asks first."""
    rules: Mapping[str, bool] = field(default_factory=dict)
    """The optional rules that were switched on or off."""
    tracks: Mapping[str, Any] = field(default_factory=dict)
    """The tracks that were changed, by key: `weather`, `US/points`."""
    packs: tuple[str, ...] = ()
    """The versions of packs that it was played with, the one in force last."""
    decks: Mapping[str, Any] = field(default_factory=dict)
    """The decks by id, as events declared them."""
    units: Units = field(default_factory=dict)
    cards: Mapping[str, int] = field(default_factory=dict)
    """The cards out of their piles: see bot/rules/cards.py."""

    number: int = 0
    """The number of the last event."""
    last: int = 0
    """The last event that is not undone."""
    redo: tuple[int, ...] = ()
    """The undone events that can be restored."""
    sealed: Mapping[int, str] = field(default_factory=dict)
    """The person who may open each sealed roll, by its event."""
    withdrawn: tuple[int, ...] = ()
    """The events of undone sealed rolls."""
    epoch: int = 0
    """The number of the dice secret in force, from 1."""
    commitment: str = ""
    """The published hash of that secret."""
    digest: str = ""
    """The hash of the players' texts that are mixed into its dice."""
    drawn: bool = False
    """Whether a die of that secret has fallen."""
    closed: bool = False
    """Whether an event has closed the players' texts."""
    adder: str = ""
    """The person who added the last text."""
    solo: str = ""
    """The person who wrote every event so far, or "*" for several."""
    go_since: int = 0
    """When the sides in `go` got the move, in Unix seconds; 0 if unknown."""
    waits: Mapping[int, Json] = field(default_factory=dict)
    """The pending choices, by the event that asks."""
    hidden: int = 0
    """The first event with closed cards or faces that no event has opened since."""


_SECRET = ("epoch", "commitment", "digest", "drawn", "closed", "adder", "solo")
_BOOKKEEPING = (
    "id",
    "number",
    "last",
    "redo",
    "sealed",
    "withdrawn",
    *_SECRET,
    "go_since",
    "waits",
    "hidden",
)
FIELDS = tuple(
    item.name for item in fields(Game) if item.name not in (*_BOOKKEEPING, "units", "cards")
)
"""Fields that a patch may set, apart from units and cards."""
_ALL = {*FIELDS, *_BOOKKEEPING, "units", "cards", "protocol"}
_PROTOCOL = "protocol"
"""Field of a stored state with the dice protocol. A state without it is of an unreleased build."""


def get_undoable_content(game: Game) -> Json:
    """Return what undo restores, as plain values: everything but the bookkeeping."""
    plain = {name: _plain(getattr(game, name)) for name in FIELDS}
    units = {key: unit_to_json(unit) for key, unit in sorted(game.units.items())}
    return {**plain, "units": units, "cards": dict(sorted(game.cards.items()))}


def to_json(game: Game) -> Json:
    """Return the whole state as plain JSON values."""
    bookkeeping = {name: _plain(getattr(game, name)) for name in _BOOKKEEPING}
    bookkeeping["sealed"] = {str(number): person for number, person in game.sealed.items()}
    bookkeeping["waits"] = {str(number): choice for number, choice in game.waits.items()}
    return {**get_undoable_content(game), **bookkeeping, _PROTOCOL: PROTOCOL}


def from_json(data: Mapping[str, Any]) -> Game:
    """Return the state that `to_json` wrote.

    Raise UserError for a state with fields that only a newer release has, since they would be lost
    when it is stored again.
    """
    protocol = data.get(_PROTOCOL, 1)
    if protocol < PROTOCOL:
        raise make_unreleased_error("This channel's game", f"dice protocol {protocol}")
    if not data.keys() <= _ALL:
        hint = "The host is updating the bot right now; try again in a few minutes."
        raise UserError(
            "This game has been continued with a newer Grognard.", hint=hint, code="newer-game"
        )
    values = {name: value for name, value in data.items() if name != _PROTOCOL}
    values["units"] = {key: unit_from_json(unit) for key, unit in data["units"].items()}
    values["sealed"] = {int(number): person for number, person in data["sealed"].items()}
    values["waits"] = {int(number): asks for number, asks in data.get("waits", {}).items()}
    for name in ("sides", "self_played", "counted", "redo", "withdrawn", "go", "packs"):
        values[name] = tuple(data.get(name, ()))
    return Game(**values)


def unit_to_json(unit: RosterUnit) -> Json:
    """Return a roster unit as plain JSON values.

    Name, handle and type are always there, the rest only if not empty.
    """
    numbers = _numbers_to_json(unit.numbers)
    plain: Json = {"name": unit.name, "handle": unit.handle, "type": unit.type}
    if unit.side:
        plain["side"] = unit.side
    if unit.state:
        plain["state"] = unit.state
    if numbers:
        plain["numbers"] = numbers
    if unit.marks:
        plain["marks"] = sorted(unit.marks)
    back = unit.back
    if back is not None:
        back_values = {"type": back.type, "numbers": _numbers_to_json(back.numbers)}
        plain["back"] = {key: value for key, value in back_values.items() if value}
        if unit.turned:
            plain["turned"] = True
    return plain


def _numbers_to_json(numbers: Mapping[str, Any]) -> Json:
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in sorted(numbers.items())
    }


def _numbers_from_json(data: Any) -> Json:
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in (data or {}).items()
    }


def unit_from_json(data: Mapping[str, Any]) -> RosterUnit:
    """Return the roster unit that `unit_to_json` wrote."""
    back = data.get("back")
    return RosterUnit(
        name=data["name"],
        handle=data["handle"],
        type=data["type"],
        side=data.get("side", ""),
        numbers=_numbers_from_json(data.get("numbers")),
        state=data.get("state", ""),
        marks=frozenset(data.get("marks") or ()),
        back=None
        if back is None
        else Back(back.get("type", ""), _numbers_from_json(back.get("numbers"))),
        turned=data.get("turned") is True,
    )


def set_units(game: Game, units: Mapping[str, RosterUnit | None]) -> Game:
    """Return the game with these units, by folded name, added or replaced, or removed for None."""
    roster = {**game.units, **units}
    return replace(game, units={key: unit for key, unit in roster.items() if unit is not None})


def is_strict(game: Game) -> bool:
    """Return whether the game refuses what other games only remark on.

    The setting is stored among the rules, as a rule of any game.
    """
    return game.rules.get(STRICT, False)


class Actor(NamedTuple):
    """The player who acts: their person id in this game, or "", their side, and whether they
    direct.

    Directors are the game master and those who manage the server. `acts_for` are the sides of other
    players for which a director has confirmed to act.
    """

    person: str
    side: str
    directs: bool
    acts_for: frozenset[str] = frozenset()


def get_actor(game: Game, person: str, *, manager: bool) -> Actor:
    """Return the actor with this person id in `game`. `manager` says whether they manage the
    server.
    """
    return Actor(
        person, game.players.get(person, ""), manager or (bool(person) and person == game.master)
    )


def is_guarded(game: Game) -> bool:
    """Return whether only players and directors may change the game.

    That is so in a game with sides from its start to its end.
    """
    return game.started and not game.ended and bool(game.sides)


def is_stranger(game: Game, actor: Actor) -> bool:
    """Return whether the actor may only roll and look things up."""
    return is_guarded(game) and not actor.side and not actor.directs


def build_roster(game: Game) -> Roster:
    """Return the units by name and by handle, as unit lists need them."""
    handles = {unit.handle.casefold(): unit for unit in game.units.values()}
    return NameIndex({**handles, **game.units})


def _plain(value: Any) -> Any:
    """Return a tuple as a list and a mapping as a dict, anything else as it is.

    Values inside them are not converted.
    """
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
