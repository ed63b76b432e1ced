"""The decks of a game: decks/<id>.yaml, checked whole when it is read.

A file lists the cards, in the order in which faces count, and their places after use. A game
declares the deck in its log before the first die of it, so that draws follow that list even if the
file changes later.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from bot.rules import cards
from bot.rules.cards import RESHUFFLE, STANDARD, Deck
from bot.rules.errors import Slip, TableError, name_row_of_errors
from bot.rules.inputs.decks import HAND, OPEN, GameDeck, Said, find_kinds
from bot.rules.shapes import check_shape
from bot.rules.text.plain import remove_invisible
from bot.rulesets.deck_keys import AGAIN, CARD, DECK, LONGEST_TITLE, PARTS

CHIT_SAYS = SIDE, FORMATION, ENDS, HANDLE = ("side", "formation", "ends", "handle")
"""The keys of a chit in a cup that leads a phase: the side or formation to play, the end of the
phase or turn, and a handle.
"""
LONGEST = cards.LONGEST_CARD
MOST_FACTS = 12
"""The maximum number of numbers and words of its own that a card has."""
LARGEST = 1_000_000
"""Largest number of a card, also below 0."""
_DEFAULTS: Mapping[str, Any] = {
    "after": "discard",
    "keep": OPEN,
    "hand_limit": 0,
    "owner": "",
    "empty": RESHUFFLE,
    "shown": True,
    "dead": AGAIN,
}
"""The values of the keys of a deck that may be left out."""
_KEY = re.compile(r"[a-z][a-z0-9_]{0,23}")
_KINDS = {bool: "yes or no", int: "a number", float: "a number", str: "a word"}


@dataclass(frozen=True, slots=True)
class DeckCard:
    """A card of a deck file.

    `count` is the number of such cards, `after` the place after use, and `facts` the numbers and words of its own.
    """

    id: str
    name: str
    count: int
    after: str
    facts: Said


def read_deck(id: str, data: Any, file: str) -> GameDeck:
    """Return the deck of a file. Raises TableError that names row and column."""
    if not cards.ID.fullmatch(id) or id.isdecimal() or id in STANDARD:
        raise TableError(
            file,
            "a deck's name has at most 24 lowercase letters, digits and -, and is not that of a standard deck",
        )
    check_shape(data, "deck", PARTS, file)
    with name_row_of_errors(file, "title"):
        title = _read_text(data["title"], LONGEST_TITLE)
    settings = {**_DEFAULTS, **{key: value for key, value in data.items() if value is not None}}
    owner = settings["owner"]
    if owner:
        with name_row_of_errors(file, "owner"):
            owner = _read_text(owner, LONGEST_TITLE)
    deck_cards = [_read_card(card, settings["after"], file) for card in data["cards"]]
    deck = Deck(tuple((card.id, card.count) for card in deck_cards), settings["empty"])
    with name_row_of_errors(file, "cards"):
        size = cards.size(deck.cards)
        if size > cards.MOST_CARDS:
            raise Slip(f"has {size} cards; at most {cards.MOST_CARDS} go into a deck")
    _check_no_same_names(deck_cards, file)
    facts_by_id = {card.id: card.facts for card in deck_cards}
    _check_kinds(facts_by_id, file)
    return GameDeck(
        id,
        title,
        deck,
        {card.id: card.name for card in deck_cards},
        facts_by_id,
        {card.id: card.after for card in deck_cards},
        find_kinds(facts_by_id),
        settings["keep"],
        settings["hand_limit"],
        settings["shown"],
        settings["dead"],
        owner,
    )


def list_named_sides(game_deck: GameDeck) -> list[str]:
    """Return the sides that the chits of a deck name, each once."""
    sides = [str(facts[SIDE]) for facts in game_deck.said.values() if SIDE in facts]
    return list(dict.fromkeys(sides))


def check_cup(game_deck: GameDeck, attributes: Mapping[str, Any], file: str) -> None:
    """Raise TableError for a fault in a deck that leads a phase.

    It must be drawn openly, each chit's side, formation and end must be valid, and units need an
    attribute `formation` if a chit names one. `attributes` are those of units.
    """
    if game_deck.keep == HAND:
        raise TableError(
            file, "a deck that leads a phase is drawn face up: leave out keep", row="keep"
        )
    for id, facts in game_deck.said.items():
        row = f"cards {id}"
        end = facts.get(ENDS, "phase")
        if end not in ("phase", "turn"):
            raise TableError(file, "must be phase or turn", row=row, column=ENDS)
        for key in (SIDE, FORMATION):
            if not isinstance(facts.get(key, "-"), str):
                raise TableError(file, "must be text; quote it", row=row, column=key)
        if FORMATION in facts and attributes.get(FORMATION, {}).get("type") not in ("str", "enum"):
            problem = f"units have none: units: attributes: {FORMATION}: {{type: str, help: ...}} in game.yaml"
            raise TableError(file, problem, row=row, column=FORMATION)


def _in_one_line(text: str) -> str:
    """Return a text in one line, without invisible characters, as a deck file must have it."""
    return " ".join(remove_invisible(text).split())


def _is_one_line(value: Any, max_length: int) -> bool:
    """Return whether a value is a text in one line, not empty and not longer than `max_length`."""
    return isinstance(value, str) and 0 < len(value) <= max_length and _in_one_line(value) == value


def _read_text(value: Any, max_length: int) -> str:
    """Return a text in one line. Raises Slip for anything else, or a longer one."""
    if not _is_one_line(value, max_length):
        raise Slip(f"must be text on one line, at most {max_length} characters; quote it")
    return str(value)


def _read_card(card: Mapping[str, Any], default_after: str, file: str) -> DeckCard:
    """Return one card. Raises TableError for a name that cannot be used, and for its facts."""
    id = str(card["id"])
    row = f"cards {id}"
    if id.casefold() == "all":
        raise TableError(file, "all means all cards; call it something else", row=row, column="id")
    name = str(card.get("name", id))
    if not _is_one_line(name, LONGEST):
        raise TableError(file, "must be text on one line; quote it", row=row, column="name")
    facts = {key: value for key, value in card.items() if key not in CARD}
    if len(facts) > MOST_FACTS:
        raise TableError(file, f"has more than {MOST_FACTS} numbers and words of its own", row=row)
    for key, value in facts.items():
        _check_fact(key, value, file, row)
    return DeckCard(id, name, card.get("count") or 1, card.get("after") or default_after, facts)


def _check_fact(key: Any, value: Any, file: str, row: str) -> None:
    """Raise TableError for something that cannot be a number or word of a card's own.

    A key that looks like a misspelled key of deck files is refused, too.
    """
    column = str(key)[:40]
    similar_keys = get_close_matches(column, (*CARD, *DECK), 1, 0.8)
    if similar_keys:
        problem = (
            f"Did you mean {similar_keys[0]}? Call it something else if it is a number of your own."
        )
        raise TableError(file, problem, row=row, column=column)
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise TableError(
            file,
            "must have a name of at most 24 lowercase letters, digits and _",
            row=row,
            column=column,
        )
    is_word = isinstance(value, str)
    if type(value) not in _KINDS or (is_word and not _is_one_line(value, LONGEST)):
        raise TableError(
            file,
            f"must be a number, yes or no, or a word of at most {LONGEST}",
            row=row,
            column=column,
        )
    if not is_word and not (math.isfinite(value) and abs(value) <= LARGEST):
        problem = f"must be a number from -{LARGEST:,} to {LARGEST:,}"
        raise TableError(file, problem, row=row, column=column)


def _check_no_same_names(deck_cards: Iterable[DeckCard], file: str) -> None:
    """Raise TableError for a card that players could not name without doubt.

    It has the id or name of another card, in upper or lower case, or the name `all`.
    """
    ids_by_word: dict[str, str] = {}
    for card in deck_cards:
        id_word = card.id.casefold()
        name_word = card.name.casefold()
        for column, word in dict.fromkeys([("id", id_word), ("name", name_word)]):
            other_id = ids_by_word.get(word)
            if other_id is None or (other_id == card.id and column == "name"):
                continue
            if other_id == card.id:
                problem = "is listed twice; write count: 2"
            else:
                problem = f"is also the name of {other_id}: nobody could tell them apart"
            raise TableError(file, problem, row=f"cards {card.id}", column=column)
        if name_word == "all":
            problem = "all means all cards in play; call it something else"
            raise TableError(file, problem, row=f"cards {card.id}", column="name")
        ids_by_word |= {id_word: card.id, name_word: card.id}


def _check_kinds(facts_by_id: Mapping[str, Said], file: str) -> None:
    """Raise TableError if two cards have values of different kinds at a key, such as a number and
    a word.
    """
    first_uses: dict[str, tuple[str, str]] = {}
    for id, facts in facts_by_id.items():
        for key, value in facts.items():
            kind = _KINDS[type(value)]
            first_id, first_kind = first_uses.setdefault(key, (id, kind))
            if kind != first_kind:
                problem = f"is {kind} here but {first_kind} in {first_id}"
                raise TableError(file, problem, row=f"cards {id}", column=key)


def find_questions(game_deck: GameDeck, file: str, *, leads: bool = False) -> Iterator[str]:
    """Yield lines about things in a deck that may be mistakes, for a proofreader.

    These are numbers and words that only some cards have, and reshuffling without discards.
    `leads`: the deck leads a phase, so its chits have only the keys that they need.
    """
    for key in dict.fromkeys(key for facts in game_deck.said.values() for key in facts):
        if not (leads and key in CHIT_SAYS):
            yield from _find_missing_facts(game_deck, key, file)
    has_discards = "discard" in game_deck.after.values()
    if game_deck.deck.empty == RESHUFFLE and not has_discards and game_deck.keep == OPEN:
        yield f"{file}, row empty: no card goes to the discards, so an empty pile has nothing to reshuffle"


def _find_missing_facts(game_deck: GameDeck, key: str, file: str) -> Iterator[str]:
    """Yield a line if only some cards have a key, unless it is a flag, which may be left out."""
    facts_by_id = game_deck.said
    ids = [id for id, _ in game_deck.deck.cards]
    values = [facts_by_id[id][key] for id in ids if key in facts_by_id[id]]
    are_flags = all(type(value) is bool for value in values)
    if len(values) < len(ids) and not are_flags:
        id = next(id for id in ids if key not in facts_by_id[id])
        yield f"{file}, row cards {id}, column {key}: is missing, although {len(values)} of {len(ids)} cards have it"
