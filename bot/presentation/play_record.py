"""What a handler hands back: the reply, and what happened if anything did, what that does to the
game and what the log keeps of it."""

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
    is_of_game,
    is_open,
)
from bot.game.state import Game, Json
from bot.rules.cards import PLAY, SETTLED, apply_card_draws, take_cards
from bot.rules.dice import TENS_FIRST, RolledDie, Script, Source
from bot.rules.errors import DieOwed, UserError
from bot.rules.inputs.input_values import parse_hand_dice
from bot.rules.sequence.sequence import ACTOR, Change, ChoiceRequest, Joining
from bot.rules.text.phrase import Phrase, Typed
from bot.rulesets.system import System
from bot.ui.reply.reply import Reply
from bot.ui.spec import Path

T = TypeVar("T")


class PlayRecord(NamedTuple):
    """Something that belongs in the game's log: what was asked, which dice fell, what came of it.

    `changes` are the roster units that it changes, `units` the names of those that its inputs call
    (`acting`: of those that act), `sources` those of related units that brought a value, `joins`
    those that come into play; `result` is what came of it in a few
    words, for the log. `read` are the tracks that it read, `tracks` those that it changes, as a
    state keeps them. `asks` is what a side has to choose before anything is changed, `held` the
    tracks that wait for it. `uses` are the cards in play that it uses up.
    """

    kind: str
    inputs: Mapping[str, Any] = {}
    dice: tuple[RolledDie, ...] = ()
    out: Mapping[str, Any] = {}
    changes: tuple[Change, ...] = ()
    system: str = ""
    target: str = ""
    by_hand: bool = False
    units: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    acting: tuple[str, ...] = ()
    result: str = ""
    joins: tuple[Joining, ...] = ()
    read: Mapping[str, Any] = {}
    tracks: Mapping[str, Any] = {}
    asks: tuple[ChoiceRequest, ...] = ()
    held: tuple[str, ...] = ()
    uses: tuple[UsedCard, ...] = ()

    def build_dice_notes(self) -> list[dict[str, Any]]:
        """Its dice as the log keeps them; nobody knows the faces of a die that was thrown by
        hand.
        """
        dice = [die._replace(faces=None) for die in self.dice] if self.by_hand else self.dice
        return [die.to_note() for die in dice]

    @property
    def hidden_faces(self) -> dict[str, str]:
        """The faces of its dice that are shown to nobody, by the texts that hold them: `face.2`
        of the second die.
        """
        dice = [(at, die) for at, die in enumerate(self.dice, 1) if die.pile is not None]
        return {f"face.{at}": str(die.value) for at, die in dice if die.is_closed and die.sides}


class ReplyWithRecord(NamedTuple):
    """A reply, and the happening behind it (None for lookups, odds, help and lists); of a table
    also the inputs that it answers, with what was rolled."""

    reply: Reply
    happening: PlayRecord | None = None
    given: Mapping[str, Any] = {}


def play_with_dice(
    play: Callable[[Source], T],
    source: Source,
    hand: object,
    typed: Callable[[str], str],
    *,
    cards: bool = False,
) -> T:
    """What is played with the dice of `source`, or with real ones (and `cards`) where these are
    given. Raises UserError for real dice that do not fit; of too few it names the die owed next,
    and what to type then (`typed` writes it).

    Dice that fit only if each d100 is two dice, tens and units, are read so.
    """
    if hand in (None, ""):
        return play(source)
    values = parse_hand_dice(hand, cards=cards)
    try:
        return _play_with(Script(values, named=cards, as_printed=True), play)
    except DieOwed as owed:
        what = f"Nothing is recorded yet. Next die: {owed.label or 'a die'} ({owed.sides})."
        hint = Phrase("Roll it and type: ", Typed(typed(",".join(map(str, (*owed.given, "?"))))))
        raise UserError(what, hint=hint, option="hand", code="die-owed", about=owed) from None
    except UserError as error:
        if error.code not in _UNFITTING:
            raise
        pairs = Script(values, named=cards, as_printed=True, has_tens_and_units=True)
        try:
            return _play_with(pairs, play)
        except UserError as other:
            raise (other if other.code == TENS_FIRST else error) from None


_UNFITTING = ("bad-face", "dice-left-over")
"""The codes of dice that are typed and do not fit."""


def _play_with(script: Script, play: Callable[[Source], T]) -> T:
    """Return what is played with the dice of `script`. Raises UserError if some are left over."""
    played = play(script)
    script.finish()
    return played


def apply_play_record(
    game: Game, happening: PlayRecord, seen: Mapping[str, System], *, joins: bool = True
) -> Game:
    """The game with the results written to its units; free play without units takes on the system
    used. `seen` are the systems by id.

    Who comes into play joins the roster; logs from before that have them not: `joins` is off.
    """
    side = get_new_initiative(game, happening)
    moves = _changes_game_system(game, happening, seen)
    if not is_of_game(game, happening.system):
        return game
    after = set_system(game, seen[happening.system]) if moves else game
    if side is not None:
        # A log from before there was a go knows nothing of it.
        after = (
            set_initiative(after, side, seen.get(after.system))
            if game.go
            else replace(after, initiative=side)
        )
    after = (
        apply_changes(after, happening.changes, seen.get(after.system))
        if happening.changes
        else after
    )
    after = (
        replace(after, tracks={**after.tracks, **happening.tracks}) if happening.tracks else after
    )
    if any(die.pile is not None for die in happening.dice):
        after = replace(
            after,
            cards=apply_card_draws(after.decks, after.cards, happening.build_dice_notes())
            or after.cards,
        )
    for used in happening.uses:
        to = SETTLED[used.to]
        after = replace(after, cards=take_cards(used.deck, after.cards, [used.card], [PLAY], to))
    return add_joining_units(after, happening.joins) if joins and happening.joins else after


def _changes_game_system(game: Game, happening: PlayRecord, seen: Mapping[str, System]) -> bool:
    """Return whether its system, or its version of a pack, becomes the game's; an extension joins
    with the first of the game's units that it is played with, also where the game was started.
    """
    if happening.kind != "sequence" or not happening.system:
        return False
    takes_on = not game.system or is_open(game)
    is_own = takes_on or happening.system == game.system or seen[happening.system].base is None
    return takes_on or (not game.started if is_own else bool(happening.units))


LONGEST_ASK, LONGEST_SAID = 1_000, 200
"""Characters of a question and of an option that a log keeps."""


def build_choice_json(happening: PlayRecord) -> Json:
    """Return what a side is asked for, as an event holds it; empty if nobody is asked."""
    asks = happening.asks
    if not asks:
        return {}
    first = asks[0]
    return {
        "name": first.name,
        "ask": first.ask[:LONGEST_ASK] or "?",
        "options": [option for option, _ in first.options],
        "says": [says[:LONGEST_SAID] for _, says in first.options],
        "else": first.otherwise,
        **({"items": [ask.item for ask in asks]} if first.item else {}),
        **({"tracks": [*happening.held]} if happening.held else {}),
    }


def get_asked_side(game: Game, asks: tuple[ChoiceRequest, ...], side: str) -> str:
    """The side that is asked: that of the units, or of who acts (`side`); of units that are on no
    roster it is the other of two. Empty where there are none."""
    who = {name for ask in asks for name in ask.who}
    if ACTOR in who:
        return side
    sides = [unit.side for unit in find_units_by_name(game, who) if unit.side in game.sides]
    others = [one for one in game.sides if one != side]
    return min(sides) if sides else others[0] if len(others) == 1 else ""


def build_event_facts(path: Path, happening: PlayRecord, system: System | None) -> Json:
    """What the event says beside who and when: enough to replay it and to count its odds again; and
    what is `hidden` of it, under hashes. `system` is the one that it names."""
    return {
        "hidden": happening.hidden_faces,
        "command": " ".join(path),
        "inputs": {name: value for name, value in happening.inputs.items() if name != "label"},
        "dice": happening.build_dice_notes(),
        "out": dict(happening.out),
        "system": happening.system,
        "target": happening.target,
        "read": dict(happening.read),
        **(system.rule_edition if system is not None else {}),
        "uses": [used.to_json() for used in happening.uses],
        "hand": happening.by_hand,
        "result": happening.result,
    }


def get_new_initiative(game: Game, happening: PlayRecord) -> str | None:
    """Who has the initiative after a sequence of that name: sides a and b are the game's first
    and second.
    """
    if happening.target != "initiative" or len(game.sides) != 2:
        return None
    return dict(zip("ab", game.sides, strict=True)).get(str(happening.out.get("winner")))
