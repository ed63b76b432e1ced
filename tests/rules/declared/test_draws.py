"""Cards drawn in a declared sequence: what is read of them, what is left, what an empty pile
does, and exact odds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations, product
from math import comb, prod
from time import process_time
from typing import Any

import pytest
import yaml

from bot.rules.declared.compile_context import SequenceHead, Setting
from bot.rules.declared.declared import Declared, Library
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.inputs.decks import GameDeck, Pile
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import Option
from bot.rules.odds.odds import compute_joint_odds
from bot.rules.sequence.sequence import Play, play
from bot.rulesets.deck_file import read_deck

CHANCES: dict[str, Any] = {
    "title": "Chances",
    "cards": [
        {"id": "quiet", "name": "All quiet", "count": 3, "ap": 0, "side": "none", "after": "back"},
        {"id": "rain", "name": "Rain", "count": 2, "ap": 1, "side": "both", "wet": True},
        {"id": "guide", "name": "A guide", "ap": 3, "side": "blue", "after": "removed"},
    ],
}
TROOPS = {"title": "Troops", "keep": "hand", "cards": [{"id": "lee"}]}


def made(data: dict[str, Any] = CHANCES, id: str = "chances") -> GameDeck:
    return read_deck(id, data, f"few/decks/{id}.yaml")


def sequence(
    steps: str, outputs: Mapping[str, str], odds_by: str = "result", **decks: GameDeck
) -> Declared:
    found = {"chances": made(), **decks}
    setting = Setting("steps.yaml", decks=found)
    head = SequenceHead((Option("n", "int", default=1, min=0, max=40),), outputs, odds_by)
    return Library(
        {"sequences": {"test": {"steps": yaml.safe_load(steps)}}}, setting, {"test": head}
    ).load_sequence("test")


def played(one: Declared, *faces: object, n: int = 1, named: bool = False, **piles: Pile) -> Play:
    script = Script(faces, named=named)
    given = Given({"n": n, **{f"deck.{id}": pile for id, pile in piles.items()}})
    came = play(one.plan(given), script)
    script.finish()
    return came


def odds(one: Declared, *paths: str, n: int = 1, **piles: Pile) -> dict[Any, Fraction]:
    return compute_joint_odds(
        one.plan(Given({"n": n, **{f"deck.{id}": pile for id, pile in piles.items()}})), [*paths]
    )


ONE = """
- draw: {card: chances}
- let: {result: "card.ap", id: card.id, wet: card.wet, side: card.side, card_name: card}
"""
OUT = {"result": "int", "id": "text", "wet": "bool", "side": "text", "card_name": "text"}


def test_a_card_is_a_die_over_what_is_left_and_all_that_is_said_of_it_is_read() -> None:
    came = played(sequence(ONE, OUT), 5)
    assert came.out == {"result": 1, "id": "rain", "wet": True, "side": "both", "card_name": "Rain"}
    (die,) = came.dice
    assert die.to_note() == {
        "label": "Chances",
        "sides": 6,
        "value": 5,
        "deck": "chances",
        "to": "discard",
    }
    assert [line.text() for line in came.lines] == ["Chances: Rain (ap 1, side both, wet)"]
    assert played(sequence(ONE, OUT), 1).out["wet"] is False, "a flag that is not said is false"


def test_each_card_says_where_it_goes_and_one_may_stay_in_play() -> None:
    goes = [played(sequence(ONE, OUT), face).dice[0].to_note()["to"] for face in (1, 4, 6)]
    assert goes == ["back", "discard", "removed"]
    kept = sequence(
        '- draw: {card: "chances, into play: a chance for {n}"}', {"result": "int or none"}
    )
    (die,) = played(kept, 6).dice
    assert (die.to_note()["to"], die.label) == ("play", "a chance for 1")


TWO = "- draw: {first: chances, second: chances}\n- let: {result: 'text(first.id, second.id)'}"


def test_two_cards_of_one_sequence_are_drawn_without_replacement() -> None:
    two = sequence(TWO, {"result": "text"})
    came = played(two, 6, 5)
    assert ([die.sides for die in came.dice], came.out) == ([6, 5], {"result": "guiderain"})
    with pytest.raises(UserError, match="d5 shows 1 to 5"):
        played(two, 6, 6)


def test_a_discard_that_joins_does_so_in_the_midst_of_it() -> None:
    two = sequence(TWO, {"result": "text"})
    came = played(two, 1, 2, chances=Pile.from_cards((("guide", 1),), (("quiet", 1), ("rain", 1))))
    assert ([die.sides for die in came.dice], came.out) == ([1, 2], {"result": "guiderain"})
    assert "Chances: the pile is empty: the discards are shuffled back in" in [
        line.text() for line in came.lines
    ]


def test_what_is_sure_to_be_drawn_is_refused_before_any_die_where_it_is_not_there() -> None:
    two = sequence(TWO, {"result": "text"})
    for pile in (
        Pile.from_cards((("guide", 1),)),
        Pile.from_cards(()),
        Pile.from_cards((), ()),
        Pile.from_cards((("guide", 1),), ()),
    ):
        with pytest.raises(UserError, match="Chances has too few cards left to draw"):
            two.plan(Given({"n": 1, "deck.chances": pile}))


def test_a_card_that_a_die_leads_to_is_none_where_none_is_left() -> None:
    steps = """
    - roll: {die: 1d6}
    - let: {result: 0, id: "'-'"}
    - when: die > 3
      draw: {card: chances}
      let: {result: card.ap, id: card.id}
    """
    one = sequence(steps, {"result": "int", "id": "text"})
    came = played(one, 5, chances=Pile.from_cards(()))
    assert came.out == {"result": 0, "id": "none"}
    assert [line.text() for line in came.lines] == ["Chances: no card of Chances is left"]
    assert odds(one, "id", chances=Pile.from_cards((), ())) == {
        ("-",): Fraction(1, 2),
        ("none",): Fraction(1, 2),
    }


def test_a_card_for_each_in_blocks_and_under_a_when() -> None:
    steps = {
        "blocks": {"chance": {
            "needs": ["sum"], "steps": [{"draw": {"card": "chances"}, "let": {"sum": "sum + card.ap"}}],
        }},
        "sequences": {"test": {"steps": [
            {"let": {"sum": 0}}, {"each": "numbers(n)", "steps": [{"when": "at != 1", "use": "chance"}]},
            {"let": {"result": "sum"}},
        ]}},
    }  # fmt: skip
    head = SequenceHead(
        (Option("n", "int", default=1, min=0, max=40),), {"result": "int"}, "result"
    )
    one = Library(
        steps, Setting("steps.yaml", decks={"chances": made()}), {"test": head}
    ).load_sequence("test")
    came = played(one, 6, 4, 4, n=4)
    assert (came.out, [die.sides for die in came.dice]) == ({"result": 5}, [6, 5, 4])
    assert odds(one, "result", n=4) == counted(lambda drawn: sum(AP[card] for card in drawn), 3)


AP = {"quiet": 0, "rain": 1, "guide": 3}


def counted(
    worth: Any, count: int, cards: tuple[str, ...] = ("quiet",) * 3 + ("rain",) * 2 + ("guide",)
) -> Any:
    """The odds by going through every order in which so many cards may come."""
    found = Counter(worth(drawn) for drawn in permutations(cards, count))
    return {(value,): Fraction(some, found.total()) for value, some in found.items()}


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_odds_are_those_of_every_order_in_which_cards_may_come(count: int) -> None:
    steps = f"""
    - let: {{sum: 0}}
    - each: numbers({count})
      draw: {{card: chances}}
      let: {{sum: sum + card.ap}}
    - let: {{result: sum}}
    """
    assert odds(sequence(steps, {"result": "int"}), "result") == counted(
        lambda drawn: sum(AP[card] for card in drawn), count
    )
    assert odds(sequence(TWO, {"result": "text"}), "result") == counted("".join, 2)


def test_odds_go_on_through_the_discards_that_join() -> None:
    pile = Pile.from_cards((("guide", 1), ("rain", 1)), (("quiet", 2), ("rain", 1)))
    steps = "- draw: {a: chances, b: chances, c: chances}\n- let: {result: c.id}"
    assert odds(sequence(steps, {"result": "text"}), "result", chances=pile) == {
        ("quiet",): Fraction(2, 3), ("rain",): Fraction(1, 3)
    }  # fmt: skip


def many(kinds: int = 10) -> GameDeck:
    cards = [
        {"id": f"c{at}", "ap": at % kinds, "suit": "red" if at % 2 else "black"}
        for at in range(110)
    ]
    return made({"title": "Cards", "cards": cards}, "cards")


FIVE = """
- let: {sum: 0, reds: 0}
- each: numbers(5)
  draw: {card: cards}
  let: {sum: sum + card.ap, reds: reds + (1 if card.suit == red else 0)}
- let: {result: sum, reds_out: reds}
"""


def test_five_cards_of_110_are_counted_at_once_and_are_hypergeometric() -> None:
    """Of ten kinds just under 50 ms of processor time on a quiet machine, when this was written."""
    five = sequence(FIVE, {"result": "int", "reds_out": "int"}, cards=many(6))
    five.plan(Given({"n": 1}))
    took = []
    for _ in range(5):
        since = process_time()
        found = odds(five, "result")
        took.append(process_time() - since)
    assert min(took) < 1, took  # the bound is for slow machines
    assert sum(found.values()) == 1
    assert found[0,] == Fraction(comb(19, 5), comb(110, 5)), "all five of the nineteen with 0"
    reds = odds(five, "reds_out")
    assert reds == {(n,): Fraction(comb(55, n) * comb(55, 5 - n), comb(110, 5)) for n in range(6)}


def test_odds_are_those_that_icepool_counts() -> None:
    icepool = pytest.importorskip("icepool")
    deck = icepool.Deck({at: sum(card % 6 == at for card in range(110)) for at in range(6)})
    five = sequence(FIVE, {"result": "int", "reds_out": "int"}, cards=many(6))
    counted = deck.deal(5).sum()
    assert odds(five, "result") == {(total,): counted.probability(total) for total in counted}


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_what_is_read_of_every_card_in_its_order_is_counted_out_of_ten_kinds(count: int) -> None:
    """The last card lies open apart from what is left: by its value, by the one before it, and
    by both together.
    """
    steps = f"""
    - let: {{sum: 0, before: 0, last: 0}}
    - each: numbers({count})
      draw: {{card: cards}}
      let: {{sum: "sum + card.ap", before: last, last: card.ap}}
    - let: {{result: sum, was: before, at_last: last}}
    """
    kinds = dict(enumerate([1, 2, 1, 3, 1, 1, 2, 1, 1, 1]))
    cards = [{"id": f"c{ap}", "ap": ap, "count": some} for ap, some in kinds.items()]
    few = made({"title": "Cards", "cards": cards}, "cards")
    one = sequence(steps, {"result": "int", "was": "int", "at_last": "int"}, cards=few)
    ways: Counter[tuple[int, ...]] = Counter()
    for drawn in product(kinds, repeat=count):
        ways[sum(drawn), drawn[-2] if count > 1 else 0, drawn[-1]] += prod(
            kinds[ap] - drawn[:at].count(ap) for at, ap in enumerate(drawn)
        )
    expected = {key: Fraction(some, ways.total()) for key, some in ways.items() if some}
    assert odds(one, "result", "was", "at_last") == expected
    assert odds(one, "at_last") == {(ap,): Fraction(some, 14) for ap, some in kinds.items()}


def test_a_dozen_decks_of_four_hundred_cards_are_bounded() -> None:
    cards = [{"id": f"c{at}", "ap": at, "count": 2} for at in range(400)]
    decks = {f"d{at}": made({"title": "D", "cards": cards}, f"d{at}") for at in range(12)}
    draws = "".join(
        f"  - draw: {{k{at}: d{at}}}\n    let: {{sum: sum + k{at}.ap}}\n" for at in range(12)
    )
    steps = f"- let: {{sum: 0}}\n- each: numbers(n)\n  steps:\n{draws}- let: {{result: sum}}"
    one = sequence(steps, {"result": "int"}, "result", **decks)
    bound = one.bound(40)
    assert bound is not None
    assert f"{bound.most:,.0f}" == "inf"
    assert len(played(one, *([1] * 360), n=30).dice) == 360
    with pytest.raises(UserError, match="more than 400 dice"):
        played(one, *([1] * 480), n=40)
