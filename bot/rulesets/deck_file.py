"""The decks of a game: decks/<id>.yaml, checked whole when it is read.

A file says what cards there are, in the order in which faces count, and what becomes of them. A
game declares the deck in its log before the first die of it, so that draws follow that list
whatever the file says later.
"""

import math
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from bot.rules import cards
from bot.rules.cards import REFUSE, RESHUFFLE, STANDARD, Deck
from bot.rules.errors import Slip, TableError, check_known, name_row_of_errors
from bot.rules.inputs.decks import HAND, KEEP, OPEN, GameDeck, Said, find_kinds
from bot.rules.text.plain import remove_invisible

KEYS = ("title", "cards", "after", "keep", "hand_limit", "empty", "shown", "dead", "owner")
CARD_KEYS = ("id", "name", "count", "after")
AFTER = {"discard": "discard", "removed": "remove", "back": "return"}
"""Where a card in play goes when it is discarded, and what the log calls that."""
EMPTY = (RESHUFFLE, REFUSE)
DEAD = AGAIN, OUT = ("again", "out")
"""What a chit does of which no unit is left: it is set aside, or goes out of the game; and
another is drawn.
"""
CHIT_SAYS = SIDE, FORMATION, ENDS, HANDLE = ("side", "formation", "ends", "handle")
"""What a chit says of a cup that leads a phase: whose go it is, or that it ends the phase or the
turn.
"""
LONGEST_TITLE = 60
LONGEST = cards.LONGEST_CARD
MOST_SAID = 12
LARGEST = 1_000_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,23}")
_KINDS = {bool: "yes or no", int: "a number", float: "a number", str: "a word"}


def read_deck(id: str, data: Any, file: str) -> GameDeck:
    """The deck of a file. Raises TableError that names row and column."""
    if not cards.ID.fullmatch(id) or id.isdecimal() or id in STANDARD:
        raise TableError(
            file,
            "a deck is called by small letters, digits and -, at most 24, and not as standard decks",
        )
    if not isinstance(data, Mapping):
        raise TableError(file, "must be {title: ..., cards: [{id: ..., name: ..., count: ...}]}")
    check_known(data, KEYS, file)
    with name_row_of_errors(file, "title"):
        title = _read_text(data.get("title"), LONGEST_TITLE)
    after = data.get("after", "discard")
    keep = data.get("keep", OPEN)
    empty = data.get("empty", RESHUFFLE)
    limit = data.get("hand_limit", 0)
    dead = data.get("dead", AGAIN)
    words_of = (AFTER, KEEP, EMPTY, DEAD)
    for key, value, words in zip(
        ("after", "keep", "empty", "dead"), (after, keep, empty, dead), words_of, strict=True
    ):
        if not isinstance(value, str) or value not in words:
            raise TableError(file, f"is one of {', '.join(words)}", row=key)
    if (
        type(limit) is not int
        or not 0 <= limit <= cards.MOST_DRAWN
        or ("hand_limit" in data and not limit)
    ):
        raise TableError(file, f"is a whole number from 1 to {cards.MOST_DRAWN}", row="hand_limit")
    owner = data.get("owner", "")
    if "owner" in data:
        with name_row_of_errors(file, "owner"):
            owner = _read_text(owner, LONGEST_TITLE)
    if type(shown := data.get("shown", True)) is not bool:
        raise TableError(file, "is yes or no: whether cards and the board show it", row="shown")
    if not isinstance(listed := data.get("cards"), list) or not 0 < len(listed) <= cards.MOST_KINDS:
        raise TableError(
            file,
            f"is a list of cards, 1 to {cards.MOST_KINDS}: - {{id: ambush, count: 2}}",
            row="cards",
        )
    read = [_read_card(number, card, after, file) for number, card in enumerate(listed, 1)]
    deck = Deck(tuple((id, count) for id, _, count, _, _ in read), empty)
    with name_row_of_errors(file, "cards"):
        if (size := cards.size(deck.cards)) > cards.MOST_CARDS:
            raise Slip(f"has {size} cards; at most {cards.MOST_CARDS} go into a deck")
    names = {one[0]: one[1] for one in read}
    said = {one[0]: one[4] for one in read}
    _check_apart([(one[0], one[1]) for one in read], file)
    _check_kinds(said, file)
    after_by = {one[0]: one[3] for one in read}
    return GameDeck(
        id, title, deck, names, said, after_by, find_kinds(said), keep, limit, shown, dead, owner
    )


def list_named_sides(made: GameDeck) -> list[str]:
    """The sides that its chits name."""
    return list(dict.fromkeys(str(said[SIDE]) for said in made.said.values() if SIDE in said))


def check_cup(made: GameDeck, attributes: Mapping[str, Any], file: str) -> None:
    """Raise TableError where a deck leads a phase whose cards cannot say whose go it is."""
    if made.keep == HAND:
        raise TableError(
            file, "a deck that leads a phase is drawn openly: leave keep out", row="keep"
        )
    for id, said in made.said.items():
        for key, known in ((ENDS, ("phase", "turn")), (SIDE, None), (FORMATION, None)):
            value = said.get(key, known[0] if known else "-")
            if not isinstance(value, str) or (known and value not in known):
                problem = f"is one of {', '.join(known)}" if known else "is a text; quote it"
                raise TableError(file, problem, row=f"cards {id}", column=key)
        if FORMATION in said and attributes.get(FORMATION, {}).get("type") not in ("str", "enum"):
            problem = f"units have none: units: attributes: {FORMATION}: {{type: str, help: ...}} in game.yaml"
            raise TableError(file, problem, row=f"cards {id}", column=FORMATION)


def _in_one_line(text: str) -> str:
    """Return a text as a deck may have it: in one line, with nothing that cannot be seen."""
    return " ".join(remove_invisible(text).split())


def _read_text(value: Any, most: int) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= most or _in_one_line(value) != value:
        raise Slip(f"is a text in one line, at most {most} characters; quote it")
    return value


def _read_card(number: int, card: Any, after: str, file: str) -> tuple[str, str, int, str, Said]:
    """Id, name, count, where it goes after, and what else is said of it."""
    if not isinstance(card, Mapping):
        raise TableError(file, "is {id: ..., name: ..., count: ...}", row=f"cards {number}")
    id = card.get("id")
    id = str(id) if type(id) is int else id
    if not isinstance(id, str) or not _ID.fullmatch(id) or id.casefold() == "all":
        problem = (
            f"is letters, digits and -, at most {LONGEST}, and not all; quote yes, no, on and off"
        )
        raise TableError(file, problem, row=f"cards {number}", column="id")
    row = f"cards {id}"
    count = card.get("count", 1)
    goes = card.get("after", after)
    name = str(card["name"]) if type(card.get("name")) is int else card.get("name", id)
    if (
        not isinstance(name, str)
        or not 0 < len(name) <= LONGEST
        or _in_one_line(name) != name
        or re.search("[,;]", name)
    ):
        problem = f"is a text of at most {LONGEST} characters without , and ; (cards are typed with commas between)"
        raise TableError(file, problem, row=row, column="name")
    if type(count) is not int or not 1 <= count <= cards.MOST_CARDS:
        problem = f"is a whole number from 1 to {cards.MOST_CARDS}: how many of it the deck has"
        raise TableError(file, problem, row=row, column="count")
    if not isinstance(goes, str) or goes not in AFTER:
        raise TableError(file, f"is one of {', '.join(AFTER)}", row=row, column="after")
    said = {key: value for key, value in card.items() if key not in CARD_KEYS}
    if len(said) > MOST_SAID:
        raise TableError(file, f"has more than {MOST_SAID} numbers and words of its own", row=row)
    for key, value in said.items():
        _check_said(key, value, file, row)
    return id, name, count, goes, said


def _check_said(key: Any, value: Any, file: str, row: str) -> None:
    """Raise TableError for what no card has as a number or word of its own."""
    column = str(key)[:40]
    if near := get_close_matches(column, (*CARD_KEYS, *KEYS), 1, 0.8):
        problem = f"Did you mean {near[0]}? Call it something else if it is a number of your own."
        raise TableError(file, problem, row=row, column=column)
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise TableError(
            file, "is called by small letters, digits and _, at most 24", row=row, column=column
        )
    if type(value) not in _KINDS or (
        isinstance(value, str) and not (0 < len(value) <= LONGEST and _in_one_line(value) == value)
    ):
        raise TableError(
            file, f"is a number, yes or no, or a word of at most {LONGEST}", row=row, column=column
        )
    if isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= LARGEST):
        raise TableError(file, f"is a number within {LARGEST:,}", row=row, column=column)


def _check_apart(listed: list[tuple[str, str]], file: str) -> None:
    """Raise TableError for a card that nobody could name: another has its id or name."""
    taken: dict[str, str] = {}
    for id, name in listed:
        for column, word in dict.fromkeys([("id", id.casefold()), ("name", name.casefold())]):
            if (other := taken.get(word)) is not None and (other != id or column == "id"):
                said = (
                    "is there twice; say count: 2"
                    if other == id
                    else f"is how {other} is called: nobody could tell"
                )
                raise TableError(file, said, row=f"cards {id}", column=column)
        if name.casefold() == "all":
            raise TableError(
                file,
                "all means all cards in play; call it otherwise",
                row=f"cards {id}",
                column="name",
            )
        taken |= {id.casefold(): id, name.casefold(): id}


def _check_kinds(said: Mapping[str, Said], file: str) -> None:
    """Raise TableError where one card has a number for what is a word of another."""
    kinds: dict[str, tuple[str, str]] = {}
    for id, more in said.items():
        for key, value in more.items():
            kind = _KINDS[type(value)]
            first, before = kinds.setdefault(key, (id, kind))
            if kind != before:
                raise TableError(
                    file, f"is {kind} here and {before} of {first}", row=f"cards {id}", column=key
                )


def find_questions(made: GameDeck, file: str, *, leads: bool = False) -> Iterator[str]:
    """What a proof-reader would look at again; of a deck that `leads` a phase each card says
    what it needs.
    """
    ids = [card for card, _ in made.deck.cards]
    for key in dict.fromkeys(key for more in made.said.values() for key in more):
        having = [id for id in ids if key in made.said[id]]
        flags = all(type(made.said[id][key]) is bool for id in having)
        if len(having) < len(ids) and not flags and not (leads and key in CHIT_SAYS):
            lacks = next(id for id in ids if id not in having)
            yield f"{file}, row cards {lacks}, column {key}: is not said, and of {len(having)} of {len(ids)} it is"
    if made.deck.empty == RESHUFFLE and "discard" not in made.after.values() and made.keep == OPEN:
        yield f"{file}, row empty: no card goes to the discards, so an empty pile has nothing to reshuffle"
