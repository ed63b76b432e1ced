"""Decks as values: no card is lost or doubled, a die draws what docs/dice-protocol.md says, and every
card alike often.
"""

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.rules import cards
from bot.rules.cards import Deck
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.proof.fair import Stream

SEED, GAME = bytes(range(32)), "a1b2c3d4e5f60718"
ROWS = re.findall(
    r"^\| (\d+) \| ([^|]+) \| ([^|]*)\| ([\d ]+) \| ([\d ]+) \| ([^|]+) \|$",
    (Path(__file__).parents[2] / "docs/dice-protocol.md")
    .read_text()
    .partition("## Cards drawn")[2]
    .partition("## The chain")[0],
    re.MULTILINE,
)


def deck_of(text: str) -> Deck:
    """The deck that a row of the table names, or lists card by card."""
    return cards.STANDARD.get(text) or Deck(tuple(Counter(text.split()).items()))


def out_of(id: str, text: str) -> dict[str, int]:
    places = {"in play": cards.PLAY, "discarded": cards.DISCARD, "removed": cards.REMOVED}
    found = re.findall(r"(in play|discarded|removed): ([\w ]+)", text)
    return dict(
        Counter(
            cards.get_card_key(id, places[place], card)
            for place, names in found
            for card in names.split()
        )
    )


@pytest.mark.parametrize("row", ROWS)
def test_draws_are_those_of_the_published_vectors(row: tuple[str, ...]) -> None:
    event, deck, out, sides, faces, drawn = (text.strip() for text in row)
    id = deck if deck in cards.STANDARD else "cup"
    source = Stream(SEED, GAME, int(event))
    found = cards.draw(
        id, deck_of(deck), out_of(id, out.partition("which")[0]), len(drawn.split()), source
    )
    assert " ".join(found.cards) == drawn
    assert " ".join(str(die.sides) for die in found.dice) == sides
    assert " ".join(str(die.value) for die in found.dice) == faces


def test_there_are_six_vectors() -> None:
    assert len(ROWS) == 6


DECKS = st.lists(st.integers(1, 4), min_size=1, max_size=9).flatmap(
    lambda counts: st.sampled_from([cards.RESHUFFLE, cards.REFUSE]).map(
        lambda empty: Deck(tuple((f"c{n}", count) for n, count in enumerate(counts)), empty)
    )
)
ACTS = st.lists(
    st.tuples(
        st.sampled_from(["draw", "discard", "remove", "return", "shuffle"]), st.integers(1, 5)
    )
)


@given(DECKS, ACTS, st.integers(1, 10**6))
def test_no_card_is_lost_or_doubled(deck: Deck, acts: list[tuple[str, int]], first: int) -> None:
    out: cards.Out = {}
    for number, (act, count) in enumerate(acts, first):
        in_play = [
            card
            for card, some in cards.count_at("cup", cards.PLAY, out).items()
            for _ in range(some)
        ]
        discards = cards.count_at("cup", cards.DISCARD, out)
        if act == "draw":
            before = cards.size(cards.list_pile("cup", deck, out))
            there = before + (sum(discards.values()) if deck.empty == cards.RESHUFFLE else 0)
            if count > there:
                with pytest.raises(UserError):
                    cards.draw("cup", deck, out, count, Stream(SEED, GAME, number))
                continue
            found = cards.draw("cup", deck, out, count, Stream(SEED, GAME, number))
            assert found.reshuffle_index == (before if count > before else -1)
            out = found.out
        elif act == "shuffle":
            gone = [card for card, some in discards.items() for _ in range(some)]
            out = cards.take_cards("cup", out, gone, [cards.DISCARD])
        elif in_play:
            to = {"discard": cards.DISCARD, "remove": cards.REMOVED, "return": ""}[act]
            out = cards.take_cards("cup", out, in_play[:count], [cards.PLAY], to)
        places = [cards.count_at("cup", place, out) for place in cards.PLACES]
        every = Counter(dict(cards.list_pile("cup", deck, out)))
        for place in places:
            every.update(place)
        assert every == Counter(dict(deck.cards))
        assert all(out.values())


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9), st.data())
def test_faces_are_cards_in_the_declared_order_with_copies_side_by_side(
    counts: list[int], data: st.DataObject
) -> None:
    deck = Deck(tuple((f"c{n}", count) for n, count in enumerate(counts)))
    whole = [card for card, count in deck.cards for _ in range(count)]
    face = data.draw(st.integers(1, len(whole)))
    found = cards.draw("cup", deck, {}, 1, Script([face]))
    assert found.cards == (whole[face - 1],)
    rest = [card for card, count in cards.list_pile("cup", deck, found.out) for _ in range(count)]
    assert rest == [*whole[: face - 1], *whole[face:]]


@pytest.mark.parametrize("draws", [6_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_each_order_of_three_of_five_comes_alike_often(draws: int) -> None:
    """Chi-square over the 60 orders has 59 degrees of freedom, and 99.9 % are below 98.3."""
    deck, found = Deck(tuple((str(n), 1) for n in range(1, 6))), Counter[tuple[str, ...]]()
    for event in range(1, draws + 1):
        found[cards.draw("cup", deck, {}, 3, Stream(SEED, GAME, event)).cards] += 1
    expected = draws / 60
    assert len(found) == 60
    assert sum((count - expected) ** 2 / expected for count in found.values()) < 98.3


def test_names_come_in_an_order_of_all_of_them() -> None:
    names = ["Alice", "Bob", "Carol"]
    orders = {cards.draw_order(names, Stream(SEED, GAME, event)).cards for event in range(1, 60)}
    assert orders == {(a, b, c) for a in names for b in names for c in names if len({a, b, c}) == 3}


def test_an_empty_pile_without_discards_draws_nothing() -> None:
    deck = Deck((("1", 1),), cards.REFUSE)
    out = cards.take_cards("cup", {"cup/play/1": 1}, ["1"], [cards.PLAY], cards.DISCARD)
    with pytest.raises(UserError, match="nothing left"):
        cards.draw("cup", deck, out, 1, Script([1]))
    assert (
        cards.draw("cup", deck._replace(empty=cards.RESHUFFLE), out, 1, Script([1])).reshuffle_index
        == 0
    )


def test_a_card_that_is_not_there_is_not_moved() -> None:
    with pytest.raises(UserError, match="not there"):
        cards.take_cards("cup", {"cup/play/1": 1}, ["1", "1"], [cards.PLAY], cards.DISCARD)


def test_standard_decks_are_whole() -> None:
    for name, count in (("standard-52", 52), ("standard-54", 54)):
        deck = cards.STANDARD[name]
        assert cards.size(deck.cards) == count
        assert not cards.find_deck_fault(deck)
    assert cards.format_card_name("standard-52", "10H") == "10♥"
    assert cards.format_card_name("standard-54", "BJ") == "black joker"
    assert cards.format_card_name("cup", "10H") == "10H"


def test_a_deck_is_held_to_its_limits() -> None:
    assert cards.find_deck_fault(Deck((("1", 1), ("1", 1))))
    assert cards.find_deck_fault(Deck(tuple((str(n), 1) for n in range(cards.MOST_KINDS + 1))))
    assert cards.find_deck_fault(Deck((("1", cards.MOST_CARDS + 1),)))
    assert cards.deck_from_json(Deck((("1", 2),), cards.REFUSE).to_json()) == Deck(
        (("1", 2),), cards.REFUSE
    )
