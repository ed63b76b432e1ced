"""Cups that lead a phase: each chit drawn from one names the side or formation to act.

The meaning of each chit is in the chain with its deck, before the first die of the deck, so that a
check of a log needs no files of the game: `side`, `of` (values that its units have: `{"formation":
"2/16"}`), `ends` (the phase or the turn) and `after` (the pile for the chit after its activation).
`Game.led` is the deck that leads the phase. The active chit follows after a `/`: `cup`, `cup/us-1`.
"""

from collections.abc import Iterable
from dataclasses import replace

from bot.game.roster import sort_units
from bot.game.state import Game, Json
from bot.rules import cards
from bot.rules.cards import (
    DISCARD,
    MOST_KINDS,
    PLAY,
    REFUSE,
    REMOVED,
    Deck,
    count_at,
    deck_from_json,
    get_card_key,
    pile_size,
    set_counts,
)
from bot.rules.inputs.decks import GameDeck
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import format_count
from bot.rules.text.normalize import NameIndex
from bot.rulesets.deck_file import ENDS, FORMATION, HANDLE, SIDE
from bot.rulesets.deck_keys import OUT
from bot.rulesets.game_keys import LED_BY
from bot.rulesets.system import System

LOST = "lost"
"""In a deck that leads a phase: the states in which a unit is out of the game."""
TURN = "turn"
ELEMENTS = "elements"
"""The deck with a card for each unit, for an optional rule that lets it lead a phase."""


def is_cup(id: str, system: System | None) -> bool:
    """Return whether a deck leads a phase of the game, by its card or by any of its optional rules.

    The optional rules count even if they are not in force; see `is_leading_phase`.
    """
    phases = (system.game.get("phases") or ()) if system is not None else ()
    if any(phase.get(LED_BY) == id for phase in phases):
        return True
    return id == ELEMENTS and bool(list_give_up_markers(system))


def is_leading_phase(game: Game, id: str, system: System | None) -> bool:
    """Return whether a deck leads some phase of this game, as it is played.

    The deck of the current phase does, whatever a newer version of its pack says. ELEMENTS does
    only if an optional rule for it is in force, any other deck if a phase of the game names it.
    """
    rules = system.rules.values() if system is not None else ()
    if id == ELEMENTS and id != get_cup(game.led):
        return any(rule.leads and game.rules.get(rule.name, rule.default) for rule in rules)
    return id == get_cup(game.led) or is_cup(id, system)


def list_give_up_markers(system: System | None) -> list[str]:
    """Return the markers with which optional rules give up a unit's card, in force or not."""
    if system is None:
        return []
    return [mark for rule in system.rules.values() for mark in rule.leads.values()]


def build_roster_deck(game: Game, lost: Iterable[str]) -> GameDeck:
    """Build the deck ELEMENTS: a card for each unit left in the game, with its handle as the id.

    `lost` are the states of units that are not left. There are at most MOST_KINDS cards.
    """
    remaining = [unit for unit in sort_units(game.units.values()) if unit.state not in lost]
    units = remaining[:MOST_KINDS]
    ids = [unit.handle for unit in units]
    meanings = {unit.handle: {SIDE: unit.side, HANDLE: unit.handle} for unit in units}
    deck = Deck(tuple((id, 1) for id in ids), REFUSE)
    names = {unit.handle: unit.name for unit in units}
    return GameDeck(ELEMENTS, "Elements", deck, names, meanings, dict.fromkeys(ids, DISCARD), {})


def list_unit_cards(game: Game) -> list[str]:
    """Return the handles on the cards of this round, [] if no cards of units lead the phase.

    A new unit must not take one of them.
    """
    if get_cup(game.led) != ELEMENTS or ELEMENTS not in game.decks:
        return []
    return [card["id"] for card in game.decks[ELEMENTS]["cards"]]


def build_declaration(game_deck: GameDeck, sides: Iterable[str], lost: Iterable[str]) -> Json:
    """Build the declaration in the chain of a deck that leads a phase.

    It holds ids, counts, and the meaning of each chit in this game. `lost` are the states and
    markers that make a unit count as lost. They are part of the declaration.
    """
    side_names = NameIndex({side.casefold(): side for side in sides})
    data = game_deck.deck.to_json()
    for card in data["cards"]:
        meaning = game_deck.said[card["id"]]
        next_pile = game_deck.after[card["id"]]
        side = side_names.get(str(meaning.get(SIDE, "")).casefold(), "")
        member_keys = meaning.keys() & {FORMATION, HANDLE}
        if side:
            card["side"] = side
        if member_keys:
            card["of"] = {name: meaning[name] for name in member_keys}
        if ENDS in meaning:
            card[ENDS] = meaning[ENDS]
        if next_pile != DISCARD:
            card["after"] = next_pile
    data = {**data, LOST: [*lost]}
    if game_deck.dead == OUT:
        data["dead"] = OUT
    return data


def get_cup(led: str) -> str:
    """Return the id of the deck that leads the phase."""
    return led.partition("/")[0]


def get_chit(led: str) -> str:
    """Return the active chit, or "" while none is drawn."""
    return led.partition("/")[2]


def is_drawn_next(game: Game) -> bool:
    """Return whether the next chit is to be drawn."""
    return bool(game.led) and not get_chit(game.led)


def get_chit_values(game: Game, led: str) -> Json:
    """Return the entry of the active chit in the chain.

    Return {} if no chit is active, or for one of a deck that was declared again without it.
    """
    chits = game.decks.get(get_cup(led), {}).get("cards", ())
    return next((chit for chit in chits if chit["id"] == get_chit(led)), {})


def count_chits_left(game: Game) -> int:
    """Return how many chits are left in the declared cup that leads the phase, 0 if there is none."""
    id = get_cup(game.led)
    return pile_size(id, deck_from_json(game.decks[id]), game.cards) if id in game.decks else 0


def get_nouns(led: str) -> tuple[str, str]:
    """Return the nouns for the thing drawn and for its container: `chit` and `cup`."""
    return ("card", "deck") if get_cup(led) == ELEMENTS else ("chit", "cup")


def describe_chits_left(game: Game) -> str:
    """Return a text such as `3 chits left in the cup`."""
    noun, container = get_nouns(game.led)
    return f"{format_count(count_chits_left(game), noun)} left in the {container}"


def describe_undrawn(game: Game) -> str:
    """Return a sentence about the cards or chits not drawn: `2 elements never got their card.`"""
    count = count_chits_left(game)
    if get_cup(game.led) == ELEMENTS:
        possessive = "its" if count == 1 else "their"
        return f"{format_count(count, 'element')} never got {possessive} card."
    noun = get_nouns(game.led)[0]
    verb = "was" if count == 1 else "were"
    return f"{format_count(count, noun)} {verb} never drawn."


def put_chit_away(game: Game) -> Game:
    """Return the game after the chit's activation, with the chit on the pile it belongs to.

    Return the same game if no chit is active, or if it is no longer in play.
    """
    id = get_cup(game.led)
    chit = get_chit(game.led)
    if not chit or not game.cards.get(get_card_key(id, PLAY, chit)):
        return game
    return _move_card(game, id, chit, get_chit_values(game, game.led).get("after", DISCARD))


def _move_card(game: Game, id: str, card: str, pile: str) -> Game:
    """Return the game with a card moved from play to a pile.

    `pile` is a key of `cards.SETTLED`, or the place itself.
    """
    place = cards.SETTLED.get(pile, pile)
    return replace(game, cards=cards.take_cards(id, game.cards, [card], [PLAY], place))


def start_led_phase(game: Game, cup: str) -> Game:
    """Return the game at the start of a phase that the deck `cup` leads, "" for none.

    The active chit goes to its pile. Then all chits return to the cup, except those that are out
    of the game.
    """
    new_game = replace(put_chit_away(game), led=cup)
    if not cup:
        return new_game
    zero_counts = {
        get_card_key(cup, place, card): 0
        for place in (PLAY, DISCARD)
        for card in count_at(cup, place, new_game.cards)
    }
    if not zero_counts:
        return new_game
    return replace(new_game, cards=set_counts(new_game.cards, zero_counts))


def end_chit_turn(game: Game) -> Game:
    """Return the game after the chit's activation: any side may draw the next chit."""
    return replace(put_chit_away(game), led=get_cup(game.led), go=game.sides)


def apply_chit_draw(game: Game, id: str, card: str) -> Game:
    """Return the game after a chit is drawn into play.

    The chit becomes active, or is set aside if no unit that it activates is left.
    """
    led = f"{id}/{card}"
    go = get_sides_to_act(game, led)
    if go is not None:
        return replace(game, led=led, go=go)
    pile = REMOVED if game.decks[id].get("dead") == OUT else DISCARD
    return replace(_move_card(game, id, card, pile), led=id, go=game.sides)


def get_sides_to_act(game: Game, led: str) -> tuple[str, ...] | None:
    """Return the sides that a chit lets act, None if none of its units is left.

    A chit of a side lets that side act, a chit of units the sides of those that are left, and any
    other chit all sides. Two chits need no unit: that of a whole side which has none in the roster,
    and any chit while the roster is empty.
    """
    chit = get_chit_values(game, led)
    deck = game.decks[get_cup(led)]
    side = chit.get("side", "")
    of = chit.get("of", {})
    if not (side or of):
        return game.sides
    members = [unit for unit in game.units.values() if _is_member(unit, side, of)]
    lost_states = {*deck.get(LOST, ())}
    remaining_sides = {
        unit.side for unit in members if lost_states.isdisjoint((unit.state, *unit.marks))
    }
    if not remaining_sides:
        is_listed = members or (of and game.units)
        if is_listed:
            return None
    if side:
        return (side,)
    return tuple(name for name in game.sides if name in remaining_sides) or game.sides


def is_called(game: Game, unit: RosterUnit) -> bool:
    """Return whether the active chit activates the unit.

    A chit that names no formation activates all units of its side.
    """
    return _is_member(unit, "", get_chit_values(game, game.led).get("of", {}))


def _is_member(unit: RosterUnit, side: str, of: Json) -> bool:
    """Return whether a unit is of `side` ("" for any) and has all the values in `of`."""
    values = {**unit.numbers, HANDLE: unit.handle}
    return side in ("", unit.side) and all(values.get(name) == value for name, value in of.items())
