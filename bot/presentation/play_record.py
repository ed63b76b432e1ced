"""The record of a play, with its effect on the game, and what the log keeps of it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from bot.game.decks import UsedCard
from bot.game.events import set_system
from bot.game.phases import set_initiative
from bot.game.roster import (
    add_joining_units,
    apply_changes,
    find_units_by_name,
    is_id_of_game,
    is_open,
)
from bot.game.state import Game, Json
from bot.rules.cards import PLAY, SETTLED, apply_card_draws, take_cards
from bot.rules.dice import TENS_FIRST, RolledDie, Script, Source
from bot.rules.errors import DieOwed, UserError
from bot.rules.inputs.input_values import parse_hand_dice
from bot.rules.sequence.sequence import ACTOR, Arrival, Change, ChoiceRequest
from bot.rules.text.phrase import Phrase, Typed
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System
from bot.ui.spec import Path

T = TypeVar("T")


class PlayRecord(NamedTuple):
    """A play to be written to the game's log: its inputs, dice and results."""

    kind: str
    """The kind of event that records it: roll, table or sequence."""
    inputs: Mapping[str, Any] = {}
    """The options by name, as typed or filled in."""
    dice: tuple[RolledDie, ...] = ()
    out: Mapping[str, Any] = {}
    """The outputs by path, as the log keeps them."""
    changes: tuple[Change, ...] = ()
    """The changes of roster units."""
    system: str = ""
    """The id of the rule set; "" for a plain roll."""
    target: str = ""
    """The id of the table or sequence; "" for a plain roll."""
    by_hand: bool = False
    """Whether the players threw real dice and typed them."""
    units: tuple[str, ...] = ()
    """The names of the units that its inputs mention."""
    sources: tuple[str, ...] = ()
    """The names of related units that supplied a value."""
    acting: tuple[str, ...] = ()
    """The names of the units that act."""
    result: str = ""
    """The result in a few words, for the log. Verify compares it."""
    arrivals: tuple[Arrival, ...] = ()
    """The units that come into play."""
    tracks_read: Mapping[str, Any] = {}
    """The tracks that it read, with their values, by their keys in the game's state."""
    tracks: Mapping[str, Any] = {}
    """The tracks that it changes, with their new values, by the same keys."""
    choice_requests: tuple[ChoiceRequest, ...] = ()
    """The choices that a side has to make before anything is changed."""
    held_tracks: tuple[str, ...] = ()
    """The keys of the tracks that cannot change until these choices are made."""
    used_cards: tuple[UsedCard, ...] = ()
    """The cards in play that it uses up."""

    def build_dice_notes(self) -> list[dict[str, Any]]:
        """Return the dice as the log keeps them. Dice thrown by hand have no known faces."""
        dice = [die._replace(faces=None) for die in self.dice] if self.by_hand else self.dice
        return [die.to_note() for die in dice]

    @property
    def hidden_faces(self) -> dict[str, str]:
        """Faces of dice that no player may see, by the key of their text: `face.2` for the second."""
        faces = {}
        for number, die in enumerate(self.dice, 1):
            if die.pile is not None and die.is_closed and die.sides:
                faces[f"face.{number}"] = str(die.value)
        return faces


def play_with_dice(
    play: Callable[[Source], T],
    source: Source,
    hand: object,
    typed: Callable[[str], str],
    *,
    cards: bool = False,
) -> T:
    """Play with the dice of `source`, or with the real dice (and `cards`) in `hand` if given.

    Dice that fit only if each d100 is two dice, tens and units, are read as such. Raises UserError
    for real dice that do not fit. If there are too few, the error names the next die and the
    command to type then, which `typed` writes.
    """
    if hand in (None, ""):
        return play(source)
    values = parse_hand_dice(hand, cards=cards)
    try:
        return _play_with(Script(values, named=cards, as_printed=True), play)
    except DieOwed as owed:
        die = owed.label or "a die"
        message = f"Nothing is recorded yet. Next die: {die} ({owed.sides})."
        command = typed(",".join(map(str, (*owed.given, "?"))))
        hint = Phrase("Roll it, and type the result in place of the ?: ", Typed(command))
        raise UserError(message, hint=hint, option="hand", code="die-owed", about=owed) from None
    except UserError as error:
        if error.code not in _UNFITTING:
            raise
        pairs = Script(values, named=cards, as_printed=True, has_tens_and_units=True)
        try:
            return _play_with(pairs, play)
        except UserError as pair_error:
            raise (pair_error if pair_error.code == TENS_FIRST else error) from None


_UNFITTING = ("bad-face", "dice-left-over")
"""The error codes of real dice that do not fit."""


def _play_with(script: Script, play: Callable[[Source], T]) -> T:
    """Return the outcome of a play with the dice of `script`. Raises UserError if some are left
    over.
    """
    outcome = play(script)
    script.finish()
    return outcome


def apply_play_record(
    game: Game, record: PlayRecord, systems: RuleSets, *, with_arrivals: bool = True
) -> Game:
    """Return the game after a play. Free play without units takes on the system that was used.

    `systems` are the systems by id. Units that come into play join the roster unless
    `with_arrivals` is off, as it is for old logs that do not have them.
    """
    side = get_new_initiative(game, record)
    takes_system = _changes_game_system(game, record, systems)
    if not is_id_of_game(game, record.system, systems):
        return game
    after = game
    if takes_system:
        after = set_system(after, systems[record.system])
    if side is not None:
        if game.go:
            after = set_initiative(after, side, systems.get(after.system))
        else:  # an old log, from before games knew which sides are to play
            after = replace(after, initiative=side)
    if record.changes:
        after = apply_changes(after, record.changes, systems.get(after.system))
    if record.tracks:
        after = replace(after, tracks={**after.tracks, **record.tracks})
    if any(die.pile is not None for die in record.dice):
        cards = apply_card_draws(after.decks, after.cards, record.build_dice_notes())
        after = replace(after, cards=cards or after.cards)
    for used in record.used_cards:
        pile = SETTLED[used.to]
        after = replace(after, cards=take_cards(used.deck, after.cards, [used.card], [PLAY], pile))
    if with_arrivals and record.arrivals:
        after = add_joining_units(after, record.arrivals)
    return after


def _changes_game_system(game: Game, record: PlayRecord, systems: RuleSets) -> bool:
    """Return whether the play's system, or its version of a pack, becomes the game's.

    An extension joins with the first play that uses units of the game, even if the game was
    started without it.
    """
    if record.kind != "sequence" or not record.system:
        return False
    if not game.system or is_open(game):
        return True
    if record.system == game.system or systems[record.system].base is None:
        return not game.started
    return bool(record.units)


LONGEST_ASK, LONGEST_SAID = 1_000, 200
"""The maximum characters of a question and of an option in the log."""


def build_choice_json(record: PlayRecord) -> Json:
    """Return the choice that a side has to make, as an event holds it; {} if there is none."""
    requests = record.choice_requests
    if not requests:
        return {}
    first = requests[0]
    return {
        "name": first.name,
        "ask": first.question[:LONGEST_ASK] or "?",
        "options": [option for option, _ in first.options],
        "says": [says[:LONGEST_SAID] for _, says in first.options],
        "else": first.default,
        **({"items": [request.item for request in requests]} if first.item else {}),
        **({"tracks": [*record.held_tracks]} if record.held_tracks else {}),
    }


def get_asked_side(game: Game, requests: tuple[ChoiceRequest, ...], side: str) -> str:
    """Return the side that must choose; "" if there is none.

    It is the side of the units that the requests name, or `side` if these name the player who
    acts. If the units are on no roster, it is the other one of two sides.
    """
    names = {name for request in requests for name in request.choosers}
    if ACTOR in names:
        return side
    sides = [unit.side for unit in find_units_by_name(game, names) if unit.side in game.sides]
    if sides:
        return min(sides)
    other_sides = [name for name in game.sides if name != side]
    return other_sides[0] if len(other_sides) == 1 else ""


def build_event_facts(path: Path, record: PlayRecord, system: System | None) -> Json:
    """Return the fields of the event that replay it and count its odds, without player and time.

    `hidden` holds texts that the log keeps only as hashes. `system` is the one that the record
    names.
    """
    return {
        "hidden": record.hidden_faces,
        "command": " ".join(path),
        "inputs": {name: value for name, value in record.inputs.items() if name != "label"},
        "dice": record.build_dice_notes(),
        "out": dict(record.out),
        "system": record.system,
        "target": record.target,
        "read": dict(record.tracks_read),
        **(system.rule_edition if system is not None else {}),
        "uses": [used.to_json() for used in record.used_cards],
        "hand": record.by_hand,
        "result": record.result,
    }


def get_new_initiative(game: Game, record: PlayRecord) -> str | None:
    """Return the side with the initiative after a sequence named `initiative`; None if it is
    another.

    The card's sides a and b are the first and second side of the game.
    """
    if record.target != "initiative" or len(game.sides) != 2:
        return None
    return dict(zip("ab", game.sides, strict=True)).get(str(record.out.get("winner")))
