"""The decks of a game as commands read and declare them: what the files say, what the chain has,
what is closed.
"""

import json
from collections.abc import Iterable

from bot.commands.context import Context
from bot.game import cups
from bot.game.decks import get_visible_pile
from bot.game.game_cache import HANDS
from bot.game.roster import is_of_game
from bot.game.state import Json
from bot.rules import cards
from bot.rules.cards import Deck
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.inputs.decks import GameDeck
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import list_lost_states
from bot.rulesets.system import Sequence


def find_game_deck(context: Context, id: str) -> GameDeck | None:
    """What the game's files say of a deck; None for one of the evening."""
    if id == cups.ELEMENTS and cups.is_leading_phase(context.game, id, context.system):
        return cups.build_roster_deck(context.game, list_lost_states(context.system))
    return system.decks.get(id) if (system := context.system) is not None else None


def declare_deck(
    context: Context, id: str, listed: Iterable[tuple[str, int]], empty: str, *, named: bool = True
) -> None:
    """Write down what cards a deck has, in order, before its first die; words that were typed are
    kept apart. Raises UserError."""
    game = context.game
    ledger = context.ledger
    if id not in game.decks and len(game.decks) >= cards.MOST_DECKS:
        hint = phrase(
            "`/deck make` with the name of one starts it over: {names}", names=", ".join(game.decks)
        )
        raise UserError(f"A game has at most {cards.MOST_DECKS} decks.", hint=hint, code="too-many")
    if cards.count_at(id, cards.HAND, game.cards):
        what = f"Hands hold closed cards of {id}. Take another name, or let these be played first."
        if not cards.count_hand_cards(id, game.cards):
            what = f"Cards of {id} are known on top or at the bottom. Shuffle it first, or take another name."
        raise UserError(what, option="name", code="name-taken")
    texts = dict[str, str]()
    ids = list[tuple[str, int]]()
    for card, count in listed:
        own = card if named or card.isdecimal() else f"{ledger.next_number}.w{len(texts) + 1}"
        texts |= {} if own == card else {own.partition(".")[2]: card}
        ids.append((own, count))
    deck = Deck(tuple(ids), empty)
    out = cards.set_counts(game.cards, dict.fromkeys(cards.select_deck(id, game.cards), 0))
    made = find_game_deck(context, id) if named else None
    data = deck.to_json()
    if made is not None and cups.is_leading_phase(game, id, context.system):
        data = build_cup_declaration(context, made)
    now = replace(game, decks={**game.decks, id: data}, cards=out)
    if now.decks == game.decks and now.cards == game.cards:
        first = phrase("`/deck draw {id}` draws from it.", id=id)
        raise UserError(
            f"{id} has just these cards, all of them in the pile.", hint=first, code="no-change"
        )
    ledger.add("deck", now, texts=texts, result=cards.format_deck_size(id, deck))


def declare_decks(context: Context, sequence: Sequence) -> None:
    """The same of the decks that a sequence draws from."""
    for id, made in sequence.decks.items():
        if id not in context.game.decks:
            declare_deck(context, id, made.deck.cards, made.deck.empty)


def build_cup_declaration(context: Context, made: GameDeck) -> Json:
    """What the chain has of a cup that leads a phase, as the game has it now."""
    game = context.game
    return cups.build_declaration(
        made,
        game.sides,
        [*list_lost_states(context.system), *cups.list_give_up_markers(context.system)],
    )


async def list_closed_piles(context: Context, sequence: Sequence, *seats: str) -> list[Json]:
    """The piles with closed cards that a sequence draws from, as each of these seats has seen
    them: see `get_visible_pile`.
    """
    game = context.game
    found = [Json() for _ in seats]
    for id in sequence.decks if is_of_game(game, sequence.system.id) else ():
        if game.cards.get(cards.get_last_key(id)):
            hands = await load_closed_hands(context, id)
            for piles, seat in zip(found, seats, strict=True):
                piles |= get_visible_pile(id, game, hands, seat)
    return found


async def load_closed_hands(
    context: Context, id: str, out: cards.Out | None = None
) -> dict[str, list[tuple[str, str]]]:
    """What is in the closed hands of a deck, now or as it was with this `out` of the piles: for the
    dice that draw from it, and for who sits there alone."""
    now = context.game.cards if out is None else out
    if not (number := now.get(cards.get_last_key(id), 0)):
        return {}
    hands = cards.get_current_hands(id, now, await _load_stored_hands(context, number))
    if at := context.game.cards.get(cards.SEEN, 0):
        for one, seen in (await _load_stored_hands(context, at)).items():
            hands[one] = [*hands.get(one, ()), *((draw, "") for draw, _ in seen)]
    return hands


async def _load_stored_hands(context: Context, number: int) -> cards.Hands:
    """What was kept of closed hands behind an event."""
    ledger, (at, told) = context.ledger, context.ledger.hands
    if at != number:
        rows = [row for row in ledger.new_texts if row.event == number]
        rows = rows or [
            *await context.store.load_texts(ledger.row, after=number - 1, before=number + 1)
        ]
        told = next((row.text for row in rows if row.key == HANDS), "")
    if not told:
        raise UserError(
            "What is in the hands of this deck was lost.", hint="Ask the host.", code="unknown-card"
        )
    return dict(json.loads(told))


async def save_seen_cards(context: Context, event: Json) -> None:
    """Keep what seats, or all, have seen of known ends behind the undo of an event that changed
    closed cards: nobody forgets one that is there again."""
    game = context.game
    out = cards.set_counts(game.cards, event["before"]["cards"])
    at = game.cards.get(cards.SEEN, 0)
    seen = {
        one: dict(held)
        for one, held in (await _load_stored_hands(context, at) if at else {}).items()
    }
    for id, made in game.decks.items():
        hands = await load_closed_hands(context, id)
        back = await load_closed_hands(context, id, out)
        rows = [
            (one, draw)
            for one, held in hands.items()
            if one.startswith(cards.SAW)
            for draw, _ in held
        ]
        size = cards.pile_size(id, cards.deck_from_json(made), out)
        for one, draw in (*rows, *cards.list_returned_draws(event, hands, back, size)):
            seen.setdefault(one, {})[draw] = ""
    context.ledger.keep_hands(
        {one: [*held.items()][-cards.MOST_CARDS :] for one, held in seen.items()}
    )
