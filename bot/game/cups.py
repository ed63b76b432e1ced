"""Cups that lead a phase: the chit that is drawn names the side or formation whose go it is.

What a chit means is in the chain with its deck, before the first die of it, so that whoever checks
a log needs no files of the game: `side`, `of` (what its units have: `{"formation": "2/16"}`),
`ends` (the phase or the turn) and `after` (where it goes when its go is over). `Game.led` is the
deck that leads the phase, and behind a `/` the chit whose go it is: `cup`, `cup/us-1`.
"""

from collections.abc import Iterable

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
from bot.rules.copies import replace
from bot.rules.inputs.decks import GameDeck
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import format_count
from bot.rules.text.normalize import NameIndex
from bot.rulesets.deck_file import ENDS, FORMATION, HANDLE, OUT, SIDE
from bot.rulesets.game_file import LED_BY
from bot.rulesets.system import System

LOST = "lost"
"""In a deck that leads a phase: the states in which a unit is out of the game."""
TURN = "turn"
ELEMENTS = "elements"
"""The deck with a card for each unit, where an optional rule lets that lead a phase."""


def is_cup(id: str, system: System | None) -> bool:
    """Return whether a deck leads a phase of the game."""
    leads = (
        (phase.get(LED_BY) for phase in system.game.get("phases") or ())
        if system is not None
        else ()
    )
    return id in leads or (id == ELEMENTS and bool(list_give_up_markers(system)))


def is_leading_phase(game: Game, id: str, system: System | None) -> bool:
    """Return whether a deck leads a phase of this game as it is played: the one that is on above
    all, whatever a newer version of its pack says; the one with a card for each unit only where a
    rule for that is in force.
    """
    rules = system.rules.values() if system is not None else ()
    if id == ELEMENTS and id != get_cup(game.led):
        return any(rule.leads and game.rules.get(rule.name, rule.default) for rule in rules)
    return id == get_cup(game.led) or is_cup(id, system)


def list_give_up_markers(system: System | None) -> list[str]:
    """Return the markers with which optional rules give up a unit's card. The rules need not be in
    force.
    """
    return (
        [mark for rule in system.rules.values() for mark in rule.leads.values()]
        if system is not None
        else []
    )


def build_roster_deck(game: Game, lost: Iterable[str]) -> GameDeck:
    """A deck with a card for each unit that is left, called by its handle."""
    units = [unit for unit in sort_units(game.units.values()) if unit.state not in lost][
        :MOST_KINDS
    ]
    ids = [unit.handle for unit in units]
    said = {unit.handle: {SIDE: unit.side, HANDLE: unit.handle} for unit in units}
    deck = Deck(tuple((id, 1) for id in ids), REFUSE)
    names = {unit.handle: unit.name for unit in units}
    return GameDeck(ELEMENTS, "Elements", deck, names, said, dict.fromkeys(ids, DISCARD), {})


def list_unit_cards(game: Game) -> list[str]:
    """The handles that cards are called by in this round: nobody new takes the card of another."""
    return (
        [card["id"] for card in game.decks[ELEMENTS]["cards"]]
        if get_cup(game.led) == ELEMENTS in game.decks
        else []
    )


def build_declaration(made: GameDeck, sides: Iterable[str], lost: Iterable[str]) -> Json:
    """What the chain has of a deck that leads a phase: beside ids and counts what each chit
    means in this game.
    """
    called = NameIndex({side.casefold(): side for side in sides})
    data = made.deck.to_json()
    for card in data["cards"]:
        said = made.said[card["id"]]
        after = made.after[card["id"]]
        side = called.get(str(said.get(SIDE, "")).casefold(), "")
        of = said.keys() & {FORMATION, HANDLE}
        card |= {"side": side} if side else {}
        card |= {"of": {name: said[name] for name in of}} if of else {}
        card |= {ENDS: said[ENDS]} if ENDS in said else {}
        card |= {"after": after} if after != DISCARD else {}
    return {**data, LOST: [*lost], **({"dead": OUT} if made.dead == OUT else {})}


def get_cup(led: str) -> str:
    """The deck that leads the phase."""
    return led.partition("/")[0]


def get_chit(led: str) -> str:
    """The chit whose go it is; "" while none is drawn."""
    return led.partition("/")[2]


def is_drawn_next(game: Game) -> bool:
    """Return whether the next chit is to be drawn."""
    return bool(game.led) and not get_chit(game.led)


def get_chit_values(game: Game, led: str) -> Json:
    """What the chain has of a chit; {} for one of a deck that was declared anew without it."""
    listed = game.decks.get(get_cup(led), {}).get("cards", ())
    return next((one for one in listed if one["id"] == get_chit(led)), {})


def count_chits_left(game: Game) -> int:
    """Return how many chits are in the cup that leads the phase, as far as it was declared."""
    id = get_cup(game.led)
    return pile_size(id, deck_from_json(game.decks[id]), game.cards) if id in game.decks else 0


def get_nouns(led: str) -> tuple[str, str]:
    """What is drawn, and from what."""
    return ("card", "deck") if get_cup(led) == ELEMENTS else ("chit", "cup")


def describe_chits_left(game: Game) -> str:
    """`3 chits left in the cup`."""
    what, where = get_nouns(game.led)
    return f"{format_count(count_chits_left(game), what)} left in the {where}"


def describe_undrawn(game: Game) -> str:
    """Return what the phase left in its deck or cup: `2 elements never got their card.`"""
    count = count_chits_left(game)
    if get_cup(game.led) == ELEMENTS:
        return (
            f"{format_count(count, 'element')} never got {'its' if count == 1 else 'their'} card."
        )
    return f"{format_count(count, get_nouns(game.led)[0])} {'was' if count == 1 else 'were'} never drawn."


def put_chit_away(game: Game) -> Game:
    """The game once the go of its chit is over: the chit goes where it goes."""
    id = get_cup(game.led)
    chit = get_chit(game.led)
    if not chit or not game.cards.get(get_card_key(id, PLAY, chit)):
        return game
    return _move_card(game, id, chit, get_chit_values(game, game.led).get("after", DISCARD))


def _move_card(game: Game, id: str, card: str, to: str) -> Game:
    """The game with a card that is in play put where its deck says."""
    return replace(
        game, cards=cards.take_cards(id, game.cards, [card], [PLAY], cards.SETTLED.get(to, to))
    )


def start_led_phase(game: Game, cup: str) -> Game:
    """The game at the beginning of a phase that this deck leads, "" for none: the chit that was
    drawn goes where it goes, and the cup is filled anew but for what is out of the game."""
    was = put_chit_away(game)
    back = (
        {
            get_card_key(cup, place, card): 0
            for place in (PLAY, DISCARD)
            for card in count_at(cup, place, was.cards)
        }
        if cup
        else {}
    )
    return replace(was, led=cup, cards=set_counts(was.cards, back) if back else was.cards)


def end_chit_turn(game: Game) -> Game:
    """The game once the go of the chit is over: the next one is drawn by any side."""
    return replace(put_chit_away(game), led=get_cup(game.led), go=game.sides)


def apply_chit_draw(game: Game, id: str, card: str) -> Game:
    """The game once a chit is drawn, which is in play: it has the go, or is set aside where
    nobody of it is left.
    """
    led = f"{id}/{card}"
    go = get_sides_to_act(game, led)
    if go is None:
        aside = _move_card(
            game, id, card, REMOVED if game.decks[id].get("dead") == OUT else DISCARD
        )
        return replace(aside, led=id, go=game.sides)
    return replace(game, led=led, go=go)


def get_sides_to_act(game: Game, led: str) -> tuple[str, ...] | None:
    """Whose go a chit gives: its side's, or that of the sides of its units that are left, or of
    all; None where no unit of it is left. A side of which the roster knows nothing plays without
    one."""
    chit = get_chit_values(game, led)
    lost = game.decks[get_cup(led)].get(LOST, ())
    side = chit.get("side", "")
    of = chit.get("of", {})
    if not (side or of):
        return game.sides
    mine = [unit for unit in game.units.values() if _is_member(unit, side, of)]
    left = {unit.side for unit in mine if not {unit.state, *unit.marks} & {*lost}}
    if not left and (mine or (of and game.units)):
        return None
    return (side,) if side else tuple(one for one in game.sides if one in left) or game.sides


def is_called(game: Game, unit: RosterUnit) -> bool:
    """Return whether the chit whose go it is means the unit; one that names no formation means all
    of its side.
    """
    return _is_member(unit, "", get_chit_values(game, game.led).get("of", {}))


def _is_member(unit: RosterUnit, side: str, of: Json) -> bool:
    has = {**unit.numbers, HANDLE: unit.handle}
    return side in ("", unit.side) and all(has.get(name) == value for name, value in of.items())
