"""The state of a game as a value: sides and players, turn and phase, the roster, the settings, and
what undo needs; and who acts in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, NamedTuple

from bot.rules.copies import replace
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
"""All of a game that says who is waited for, and until when: reminders and deadlines hang on
nothing else.
"""
DRAW = "draw"
FULL = "full"
STRICT = "strict"


@dataclass(frozen=True)
class Game:
    """A game as its events explain it. Persons are random ids of this game; their names are kept
    elsewhere.

    The first group is what undo restores; `winner` is a side, or DRAW, or nobody. The second is
    bookkeeping: `last` is the last event that is not undone, `redo` those that can be brought back,
    `sealed` the closed rolls with who may open them, `withdrawn` the undone ones among these, and
    the dice secret in force: `drawn` says that a die of it has fallen, `digest` is that of the
    players' texts. `closed` says that an event has closed these has; `adder` is who added the last.
    `solo` is who wrote every event so far: "*" when several did. `go_since` is when the go came to
    those who have it, in Unix seconds; 0 where that is not known. `waits` are the events that ask a
    side for a choice, with what they ask.
    """

    id: str
    system: str = ""
    name: str = ""
    started: bool = False
    ended: bool = False
    winner: str = ""
    sides: tuple[str, ...] = ()
    players: Mapping[str, str] = field(default_factory=dict)  # person -> side
    master: str = ""
    turns: int = 0  # the number of the last turn; 0 for none
    wins: str = ""  # who wins, in one sentence, as the scenario has it
    turn: int = 0
    phase: str = ""
    initiative: str = ""
    turn_of: str = ""  # whose turn it is, where each side has one of its own
    go: tuple[str, ...] = ()  # the sides that may act now; none in games older than that
    passes: int = 0  # in a row
    led: str = ""  # the deck that leads the phase, and the chit whose go it is: cup/us-1, see bot/game/cups.py
    plans: Mapping[str, int] = field(default_factory=dict)  # event with the text -> turn
    orders: Mapping[str, str] = field(default_factory=dict)  # event with the sealed order -> person
    orders_due: int = 0  # when they open at the latest, in Unix seconds; 0 for no deadline
    hand_dice: bool = True
    answers: str = FULL
    confirm: bool = False  # whether a shot at another target asks first
    # optional rules that were switched on or off
    rules: Mapping[str, bool] = field(default_factory=dict)
    # those that were changed: weather, US/points
    tracks: Mapping[str, Any] = field(default_factory=dict)
    packs: tuple[
        str, ...
    ] = ()  # the versions of packs that it was played with, the one in force last
    decks: Mapping[str, Any] = field(default_factory=dict)  # as events declared them
    units: Units = field(default_factory=dict)
    # those out of their piles: see bot/rules/cards.py
    cards: Mapping[str, int] = field(default_factory=dict)

    number: int = 0
    last: int = 0
    redo: tuple[int, ...] = ()
    sealed: Mapping[int, str] = field(default_factory=dict)
    withdrawn: tuple[int, ...] = ()
    epoch: int = 0
    commitment: str = ""
    digest: str = ""
    drawn: bool = False
    closed: bool = False
    adder: str = ""
    solo: str = ""
    go_since: int = 0
    waits: Mapping[int, Json] = field(default_factory=dict)
    hidden: int = 0  # the first event with closed cards or faces that no event has opened since


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
"""What a patch may set, beside units and cards."""
_ALL = {*FIELDS, *_BOOKKEEPING, "units", "cards", "protocol"}
_PROTOCOL = "protocol"
"""Field of a stored state with the dice protocol. A state without it is of an unreleased build."""


def get_undoable_content(game: Game) -> Json:
    """What undo restores, as plain values: everything but the bookkeeping."""
    plain = {name: _plain(getattr(game, name)) for name in FIELDS}
    units = {key: unit_to_json(unit) for key, unit in sorted(game.units.items())}
    return {**plain, "units": units, "cards": dict(sorted(game.cards.items()))}


def to_json(game: Game) -> Json:
    """The whole state as plain JSON values."""
    kept = {name: _plain(getattr(game, name)) for name in _BOOKKEEPING}
    kept["sealed"] = {str(number): person for number, person in game.sealed.items()}
    kept["waits"] = {str(number): asks for number, asks in game.waits.items()}
    return {**get_undoable_content(game), **kept, _PROTOCOL: PROTOCOL}


def from_json(data: Mapping[str, Any]) -> Game:
    """The state that `to_json` wrote. Raises UserError for one with fields that only a newer
    release knows: written back without them it would be another."""
    protocol = data.get(_PROTOCOL, 1)
    if protocol < PROTOCOL:
        raise make_unreleased_error("This channel's game", f"dice protocol {protocol}")
    if not data.keys() <= _ALL:
        hint = "The host is updating just now; try again in a few minutes."
        raise UserError(
            "This game was played on with a newer Grognard.", hint=hint, code="newer-game"
        )
    values = {name: value for name, value in data.items() if name != _PROTOCOL}
    values["units"] = {key: unit_from_json(unit) for key, unit in data["units"].items()}
    values["sealed"] = {int(number): person for number, person in data["sealed"].items()}
    values["waits"] = {int(number): asks for number, asks in data.get("waits", {}).items()}
    for name in ("sides", "redo", "withdrawn", "go", "packs"):
        values[name] = tuple(data.get(name, ()))
    return Game(**values)


def unit_to_json(unit: RosterUnit) -> Json:
    """A roster unit as plain JSON values; what is empty is left out."""
    numbers = _numbers_to_json(unit.numbers)
    plain: Json = {"name": unit.name, "handle": unit.handle, "type": unit.type}
    plain |= {key: value for key, value in (("side", unit.side), ("state", unit.state)) if value}
    if numbers:
        plain["numbers"] = numbers
    if unit.marks:
        plain["marks"] = sorted(unit.marks)
    if (back := unit.back) is not None:
        down = {"type": back.type, "numbers": _numbers_to_json(back.numbers)}
        plain["back"] = {key: value for key, value in down.items() if value}
        plain |= {"turned": True} if unit.turned else {}
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
    """The roster unit that `unit_to_json` wrote."""
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
    """The game with these units (by folded name) put in, replaced, or taken out where None."""
    roster = {**game.units, **units}
    return replace(game, units={key: unit for key, unit in roster.items() if unit is not None})


def is_strict(game: Game) -> bool:
    """Return whether what the game only remarks on otherwise is refused: it is kept among the
    rules, as a rule of any game.
    """
    return game.rules.get(STRICT, False)


class Actor(NamedTuple):
    """The player who acts: their person id in this game ("" while they have none), their side, and
    whether they direct the game.

    Directors are the game master and those who manage the server. `acts_for` are the sides of other
    players for which a director has said that they mean to act.
    """

    person: str
    side: str
    directs: bool
    acts_for: frozenset[str] = frozenset()


def get_actor(game: Game, person: str, *, manager: bool) -> Actor:
    """The actor with this person id in `game`."""
    return Actor(
        person, game.players.get(person, ""), manager or (bool(person) and person == game.master)
    )


def is_guarded(game: Game) -> bool:
    """Return whether only players and directors may touch the game: it was started with sides and
    has not ended.
    """
    return game.started and not game.ended and bool(game.sides)


def is_stranger(game: Game, actor: Actor) -> bool:
    """Return whether they may only roll and look things up."""
    return is_guarded(game) and not actor.side and not actor.directs


def build_roster(game: Game) -> Roster:
    """The roster as unit lists read it."""
    handles = {unit.handle.casefold(): unit for unit in game.units.values()}
    return NameIndex({**handles, **game.units})


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
