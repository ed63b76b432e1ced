"""What a page says of cards: where those of each deck are that all can see, what is still closed, and how many cards
each hand held. Nothing of it reads a closed card."""

from collections.abc import Iterator
from dataclasses import replace

from bot.game.decks import counted_cards, listed, open_cards
from bot.game.follows.cards import closed_hands
from bot.game.sides import of_side
from bot.game.state import Game
from bot.report.page_data import Row, Story
from bot.rules import cards
from bot.rules.cards import WORD

MOST = 60
"""Events about cards that a page lists; the others are in its log."""


def deck_lines(story: Story) -> Iterator[tuple[str, str, list[str]]]:
    """(its name, where its cards are, which of them lie open where) of each deck."""
    own = story.system.decks if story.system is not None else {}
    for id, declared in (story.game.get("decks") or {}).items():
        deck = cards.deck_from_json(declared)
        title, names = (own[id].title, own[id].names) if id in own else (id, {})
        called = {card: names.get(card) or _called(story, id, card) for card, _ in deck.cards}
        counts = counted_cards(deck, cards.sizes(id, story.cards), lambda seat: whose_hand(story, seat))
        held = {seat: cards.known_cards(id, seat, story.cards) for seat in story.seats}
        opened = [
            (whose_hand(story, seat), listed(called, some.items())) for seat, some in held.items() if any(some.values())
        ]
        lying = [*open_cards(id, deck, cards.moved(story.cards, {}), called), *opened]
        yield title, counts, [f"{label}: {told}" for label, told in lying]


def _called(story: Story, id: str, card: str) -> str:
    """How a card is called; one whose word was deleted by its number."""
    found = WORD.fullmatch(card)
    return (
        cards.name_of(id, card)
        if found is None
        else story.texts.get(int(found[1]), {}).get(found[2]) or f"card {found[2][1:]}"
    )


def whose_hand(story: Story, seat: str) -> str:
    """`VC's hand`, `Anna's hand`."""
    return of_side(story.name_of(seat[1:]) if seat.startswith("@") else seat, "hand")


def still_closed(story: Story) -> list[str]:
    """A line for each hand, and each known end of a pile, that holds closed cards."""
    decks = story.game.get("decks") or {}
    return [*closed_hands(replace(Game(""), decks=decks, cards=cards.moved(story.cards, {})))]


def card_rows(story: Story) -> list[tuple[int, Row]]:
    """(turn, event) of what was drawn, played and moved, the newest first."""
    found = [
        (turn.number, row)
        for turn in story.turns
        for phase in turn.phases
        for row in phase.rows
        if row.number in story.moved and not row.undone
    ]
    return found[::-1]
