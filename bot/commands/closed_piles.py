"""The decks of a game as commands declare and read them, and the closed cards in their piles and
hands.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

from bot.commands.context import Context
from bot.game import cups
from bot.game.decks import get_visible_pile
from bot.game.loaded_game import HANDS
from bot.game.roster import is_of_game
from bot.game.state import Game, Json
from bot.rules import cards
from bot.rules.cards import Deck
from bot.rules.errors import UserError
from bot.rules.inputs.decks import GameDeck
from bot.rules.text.phrase import Phrase, phrase
from bot.rulesets.system import Sequence, list_lost_states


def find_game_deck(context: Context, id: str) -> GameDeck | None:
    """Return the deck that the rule set defines under this id; None for any other deck.

    The cup of the roster's elements is built from the units of the game.
    """
    system = context.system
    if id == cups.ELEMENTS and cups.is_leading_phase(context.game, id, system):
        return cups.build_roster_deck(context.game, list_lost_states(system))
    return system.decks.get(id) if system is not None else None


def check_real_cards(context: Context, id: str, hint: Phrase) -> None:
    """Raise UserError, with this hint, if real cards of a deck cannot be typed because some of its
    cards are closed: refusing one of them would tell where it is.
    """
    if context.game.cards.get(cards.get_last_key(id)):
        message = (
            f"Some {id} cards are hidden, so you cannot type real ones: somebody might hold them."
        )
        raise UserError(message, hint=hint, option="hand", code="closed-cards")


def declare_deck(
    context: Context,
    id: str,
    cards_and_counts: Iterable[tuple[str, int]],
    empty: str,
    *,
    named: bool = True,
) -> None:
    """Store the event that declares the cards of a deck in order, all of them in its pile.

    `empty` says what an empty pile does. Without `named`, the cards are words that a player typed;
    they are stored as texts of the event. Raises UserError if the game has too many decks, if cards
    of the deck are closed, and if nothing changes.
    """
    game = context.game
    ledger = context.ledger
    _need_declarable(game, id)
    texts = dict[str, str]()
    ids = list[tuple[str, int]]()
    for card, count in cards_and_counts:
        if named or card.isdecimal():
            ids.append((card, count))
        else:
            key = f"w{len(texts) + 1}"
            texts[key] = card
            ids.append((f"{ledger.next_number}.{key}", count))
    deck = Deck(tuple(ids), empty)
    out = cards.set_counts(game.cards, dict.fromkeys(cards.select_deck(id, game.cards), 0))
    game_deck = find_game_deck(context, id) if named else None
    declaration = deck.to_json()
    if game_deck is not None and cups.is_leading_phase(game, id, context.system):
        declaration = build_cup_declaration(context, game_deck)
    game_after = replace(game, decks={**game.decks, id: declaration}, cards=out)
    if game_after.decks == game.decks and game_after.cards == game.cards:
        raise UserError(
            f"{id} already has exactly these cards, all of them in the pile.",
            hint=phrase("`/deck draw {id}` draws from it.", id=id),
            code="no-change",
        )
    ledger.add("deck", game_after, texts=texts, result=cards.format_deck_size(id, deck))


def _need_declarable(game: Game, id: str) -> None:
    """Raise UserError if the game has too many decks for another one, or if cards of this deck are
    closed: in hands, or known at an end of its pile.
    """
    if id not in game.decks and len(game.decks) >= cards.MOST_DECKS:
        hint = phrase(
            "`/deck make` with one of these names replaces that deck: {names}",
            names=", ".join(game.decks),
        )
        raise UserError(
            f"A game can have at most {cards.MOST_DECKS} decks.", hint=hint, code="too-many"
        )
    if not cards.count_at(id, cards.HAND, game.cards):
        return
    message = f"Players hold hidden cards of {id}. Pick another name, or wait until they have been played."
    if not cards.count_hand_cards(id, game.cards):
        message = (
            f"Somebody has seen the cards at the top or bottom of {id}. "
            "Shuffle it first, or pick another name."
        )
    raise UserError(message, option="name", code="name-taken")


def declare_decks(context: Context, sequence: Sequence) -> None:
    """Declare the decks that a sequence draws from, if the game does not have them yet."""
    for id, game_deck in sequence.decks.items():
        if id not in context.game.decks:
            declare_deck(context, id, game_deck.deck.cards, game_deck.deck.empty)


def build_cup_declaration(context: Context, cup: GameDeck) -> Json:
    """Return the declaration, for the log, of a cup that leads a phase, with the game's sides."""
    lost_states = list_lost_states(context.system)
    give_up_markers = cups.list_give_up_markers(context.system)
    return cups.build_declaration(cup, context.game.sides, [*lost_states, *give_up_markers])


async def list_closed_piles(context: Context, sequence: Sequence, *owners: str) -> list[Json]:
    """Return the piles with closed cards that a sequence draws from, as each hand owner has seen
    them: see `get_visible_pile`.

    A sequence of another rule set than the game's draws from none.
    """
    game = context.game
    piles_by_owner = [Json() for _ in owners]
    deck_ids = sequence.decks if is_of_game(game, sequence.system) else ()
    for id in deck_ids:
        if not game.cards.get(cards.get_last_key(id)):
            continue
        hands = await load_closed_hands(context, id)
        for piles, owner in zip(piles_by_owner, owners, strict=True):
            piles |= get_visible_pile(id, game, hands, owner)
    return piles_by_owner


async def load_closed_hands(
    context: Context, id: str, out: cards.Out | None = None
) -> dict[str, list[tuple[str, str]]]:
    """Load the closed cards of a deck by hand owner: now, or as they were with this `out`, the
    cards out of the piles.

    They are secret: for dice that draw from the deck, and for the owner of each hand alone. Draws
    that owners have seen are included, with "" for the card. Raises UserError if the text is lost.
    """
    cards_out = context.game.cards if out is None else out
    last_number = cards_out.get(cards.get_last_key(id), 0)
    if not last_number:
        return {}
    stored_hands = await _load_stored_hands(context, last_number)
    hands = cards.get_current_hands(id, cards_out, stored_hands)
    seen_number = context.game.cards.get(cards.SEEN, 0)
    if seen_number:
        seen_cards = await _load_stored_hands(context, seen_number)
        for owner, draws in seen_cards.items():
            hands[owner] = [*hands.get(owner, ()), *((draw, "") for draw, _ in draws)]
    return hands


async def _load_stored_hands(context: Context, number: int) -> cards.Hands:
    """Load the closed hands as they were stored with an event. Raises UserError if they are lost."""
    ledger = context.ledger
    cached_number, text = ledger.hands
    if cached_number != number:
        rows = [row for row in ledger.new_texts if row.event == number]
        if not rows:
            rows += await context.store.load_texts(ledger.row, after=number - 1, before=number + 1)
        text = next((row.text for row in rows if row.key == HANDS), "")
    if not text:
        raise UserError(
            "The bot has lost the cards from this deck that players hold.",
            hint="Ask the host.",
            code="unknown-card",
        )
    return dict(json.loads(text))


async def save_seen_cards(context: Context, event: Json) -> None:
    """Store which cards at the ends of piles have been seen, with the undo of an event that changed
    closed cards.

    After the undo such a card can be at its end again, and the players still know it.
    """
    game = context.game
    cards_before = cards.set_counts(game.cards, event["before"]["cards"])
    seen_number = game.cards.get(cards.SEEN, 0)
    stored_draws = await _load_stored_hands(context, seen_number) if seen_number else {}
    seen_draws = {owner: dict(draws) for owner, draws in stored_draws.items()}
    for id, declaration in game.decks.items():
        hands = await load_closed_hands(context, id)
        hands_before = await load_closed_hands(context, id, cards_before)
        size = cards.pile_size(id, cards.deck_from_json(declaration), cards_before)
        new_draws: list[tuple[str, str]] = []
        for owner, draws in hands.items():
            if owner.startswith(cards.SAW):
                new_draws += [(owner, draw) for draw, _ in draws]
        new_draws += cards.list_returned_draws(event, hands, hands_before, size)
        for owner, draw in new_draws:
            seen_draws.setdefault(owner, {})[draw] = ""
    context.ledger.keep_hands(
        {owner: [*draws.items()][-cards.MOST_CARDS :] for owner, draws in seen_draws.items()}
    )
