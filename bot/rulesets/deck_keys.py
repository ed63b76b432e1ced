"""The keys of a deck file: what each may hold, and what it says.

`bot/rulesets/deck_file.py` checks a deck by them; the schema for editors and the page for authors
are made from them, and errors quote them.
"""

from collections.abc import Mapping

from bot.rules import cards
from bot.rules.cards import REFUSE, RESHUFFLE
from bot.rules.inputs.decks import KEEP
from bot.rules.shapes import (
    FLAG,
    SINGLE_VALUE,
    TEXT,
    Key,
    Keys,
    Part,
    allow_items,
    allow_words,
    ref,
)

AFTER = {"discard": "discard", "removed": "remove", "back": "return"}
"""The places of a card in play after its discard, each with its word in the log."""
EMPTY = (RESHUFFLE, REFUSE)
AGAIN = "again"
OUT = "out"
DEAD = (AGAIN, OUT)
"""The effects of a chit without a unit left: it is set aside, or goes out of the game; in both
cases another one is drawn.
"""
LONGEST_TITLE = 60

DECK: Keys = {
    "title": Key(
        {"type": "string", "minLength": 1, "maxLength": LONGEST_TITLE}, "its display name"
    ),
    "cards": Key(
        {**allow_items(ref("card")), "minItems": 1, "maxItems": cards.MOST_KINDS},
        "its cards, in the order of the die faces",
    ),
    "after": Key(
        allow_words(AFTER),
        "where a card in play goes when it is discarded: the discards, out of the game, or back"
        " into the pile; a card can override it",
    ),
    "keep": Key(
        allow_words(KEEP), "hand: its cards are drawn face down into hands; if left out, face up"
    ),
    "hand_limit": Key(
        {"type": "integer", "minimum": 1, "maximum": cards.MOST_DRAWN},
        "the most cards of this deck in a hand",
    ),
    "owner": Key(
        TEXT,
        "the side that owns the deck: only this side can draw from it with a button and use its cards",
    ),
    "empty": Key(
        allow_words(EMPTY),
        "what happens when the pile is empty: reshuffle shuffles the discards back in, refuse draws nothing",
    ),
    "shown": Key(FLAG, "whether turn cards and the board show it; `/deck show` always does"),
    "dead": Key(
        allow_words(DEAD),
        "for a deck that leads a phase, what happens to a chit with no units left: again sets it"
        " aside and draws another, out takes it out of the game first",
    ),
}
CARD: Keys = {
    "id": Key(
        {
            "type": ["string", "integer"],
            "pattern": f"^[A-Za-z0-9][A-Za-z0-9-]{{0,{cards.LONGEST_CARD - 1}}}$",
            "title": f"name of letters, digits and -, at most {cards.LONGEST_CARD}",
        },
        "what the log calls it; quote yes, no, on and off",
    ),
    "name": Key(
        {
            "type": ["string", "integer"],
            "pattern": "^[^,;]+$",
            "maxLength": cards.LONGEST_CARD,
            "title": f"text of at most {cards.LONGEST_CARD} characters without , and ;",
        },
        "its display name; its id if left out",
    ),
    "count": Key(
        {"type": "integer", "minimum": 1, "maximum": cards.MOST_CARDS},
        "the number of copies, 1 if left out; any other key is a number, word or flag of your own",
    ),
    "after": Key(allow_words(AFTER), "where it goes when it is discarded from play"),
}

PARTS: Mapping[str, Part] = {
    "deck": Part(DECK, ("title", "cards")),
    "card": Part(CARD, ("id",), other_keys=SINGLE_VALUE),
}
"""The parts of a deck file, the outermost first. A card has numbers and words of its own."""
