"""`/hand`, and the parts of `/deck` about hands: deal, give, play, discard and put back.

Only the draw itself and the answers to the hand's owner read closed cards. No refusal, button,
count or order that another player sees depends on one.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from bot.commands.cards import decks
from bot.commands.closed_piles import find_game_deck, load_closed_hands
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.turns.mentions import call_sides
from bot.commands.undo.undo import find_stand_in_reason, manages_game_channel
from bot.game import cups
from bot.game.decks import get_seen_ends, list_deck_names
from bot.game.rights import need_player
from bot.game.sides import find_side
from bot.game.state import Game, Json
from bot.presentation.events import describe_outcome
from bot.rules import cards
from bot.rules.cards import DISCARD, HAND, KNOWN, PLAY, REMOVED, Deck
from bot.rules.errors import UserError
from bot.rules.inputs.decks import UNSEEN
from bot.rules.inputs.options import Option
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import ITEM_ENDS, NameIndex, comparison_key
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.rulesets.deck_keys import AFTER
from bot.storage.base import DAY
from bot.storage.records import Doc
from bot.ui.common_options import ANY_DECK, CARDS, DECK, build_flag
from bot.ui.form.form_buttons import build_form_button
from bot.ui.reply.parts import Group, Part, Small
from bot.ui.reply.reply import SEALED, Button, Menu, MenuEntry, Reply
from bot.ui.typing.command_text import quote_value
from bot.verification.follows.cards import format_closed_count as closed_words
from bot.verification.follows.cards import (
    get_agreement_key,
    get_seat,
    list_holders,
    list_persons_at,
)

MOST = 25
"""Maximum number of cards in a menu. A larger hand has several pages."""
MOST_ASKED = 20
"""Maximum number of buttons for the players who may get a card. `/deck give` takes all others."""
_MOVES = {
    "discard": ((PLAY,), DISCARD, "discards"),
    "remove": ((PLAY, DISCARD), REMOVED, "takes out of the game"),
    "return": ((PLAY, DISCARD), "", "puts back into the pile"),
}
"""The actions on open cards: the places that they come from, their destination, and the words.
The destination "" is the pile.
"""
KNOWN_TO_ALL = " (known to all)"
"""The words after the name of a card in a hand that all players have seen."""


class HandEntry(NamedTuple):
    """A card of a hand in its menus. `key` is the deck and the draw, or `=` and the card's id."""

    key: str
    name: str
    deck: str


@declare_command(
    "deck discard",
    "Discard cards that are in play, or in your hand",
    CARDS,
    DECK,
    build_flag("out", "remove them from the game instead of discarding them"),
    example="all",
)
async def discard_cards(context: Context) -> Reply:
    """Discard cards from play or from the player's hand. `out` removes them from the game.

    Raises UserError for cards that are neither in play nor in the player's hand.
    """
    if context.clean_options()["out"]:
        return await _move_open_cards(context, "remove")
    return await _move_open_cards(context, "discard")


@declare_command(
    "deck return",
    "Put cards in play, discards or cards from your hand back into the pile",
    Option("cards", "str", "which: 7, 12; or all in play"),
    DECK,
    Option(
        "place",
        "enum",
        "top or bottom: drawn first or last",
        values=("pile", "top", "bottom"),
        default="pile",
    ),
    example="all",
)
async def return_cards(context: Context) -> Reply:
    """Put cards in play, discards, or closed cards of the player's hand back into the pile.

    Raises UserError for cards that are in none of these places.
    """
    return await _move_open_cards(context, "return", _ENDS[context.clean_options()["place"]])


_ENDS = {"pile": "", "top": cards.TOP, "bottom": cards.BOTTOM}


async def _move_open_cards(context: Context, does: str, end: str = "") -> Reply:
    """Move the typed cards, which are open or else in the player's hand.

    `does` is a key of `_MOVES`. `end` puts cards on a known end of the pile. Raises UserError for
    cards that are in neither, and for a user who does not play.
    """
    options = context.clean_options()
    game = context.need_open()
    need_player(game, context.actor)
    id = await _find_deck(context, _MOVES[does][0])
    decks.check_chits(context, id)
    deck = cards.deck_from_json(game.decks[id])
    names = await decks.load_card_names(context, id, deck.ids)
    cards_at = {place: cards.count_at(id, place, game.cards) for place in _MOVES[does][0]}
    typed = clean_name(options["cards"], 1_000)
    try:
        chosen = _find_open_cards(typed, id, deck, names, cards_at)
    except UserError:
        hand_sizes = cards.count_hand_cards(id, game.cards)
        if does == "remove" or not hand_sizes.get(_get_hand_owner(context)):
            raise
        hand_action = "discard" if does == "discard" else "back"
        return await _move_out_of_hand(context, id, hand_action, typed, end=end)
    if end:
        decks.check_no_cup(context, id)
        return await _put_at_end(context, id, deck, names, chosen, end)
    sentences = []
    for action, group in _group_by_destination(context, id, does, chosen).items():
        origins, destination, verb = _MOVES[action]
        places_before = context.game.cards
        places = cards.take_cards(id, places_before, group, origins, destination)
        places_after = dict.fromkeys(places_before, 0) | places
        taken = cards.list_taken_cards(id, deck, places_before, places_after)
        moved = [card for _, card in taken]
        context.ledger.add(
            "cards", cards=places, deck=id, does=action, result=cards.format_cards(id, moved)
        )
        sentences.append(f"{verb} {', '.join(names[card] for card in moved)}")
    return decks.build_moved_reply(context, f"{context.user_name} {'; '.join(sentences)}", id, deck)


def _group_by_destination(
    context: Context, id: str, does: str, chosen: Sequence[str]
) -> Mapping[str, list[str]]:
    """Group cards by the action that moves them, a key of `_MOVES`.

    Discarded cards go where the game's files say that they go after play.
    """
    game_deck = find_game_deck(context, id)
    groups = dict[str, list[str]]()
    for card in chosen:
        action = does
        if game_deck is not None and does == "discard":
            action = AFTER[game_deck.after.get(card, "discard")]
        groups.setdefault(action, []).append(card)
    return groups


async def _put_at_end(
    context: Context, id: str, deck: Deck, names: decks.Names, chosen: Sequence[str], end: str
) -> Reply:
    """Put open cards on top of the pile or at its bottom, the first card uppermost.

    All players know which cards are there.
    """
    game = context.game
    hands = await load_closed_hands(context, id)
    number = context.ledger.next_number
    moves = [(f"{number}.{index}", card) for index, card in enumerate(chosen, 1)]
    hands[end] = cards.put_back_on_end(hands, end, moves)
    decks.note_seen_cards(hands, cards.ALL, moves)
    context.ledger.keep_hands(hands)
    places = cards.take_cards(id, game.cards, chosen, (PLAY, DISCARD), "")
    places = cards.put_on_end(id, places, end, len(chosen), number)
    result = cards.format_cards(id, chosen)
    context.ledger.add("cards", cards=places, deck=id, does="return", to=end, result=result)
    position = f"{'on' if end == cards.TOP else 'at'} {cards.ENDS[end]}"
    card_names = ", ".join(names[card] for card in chosen)
    title = f"{context.user_name} puts {position}: {card_names}"
    return decks.build_moved_reply(context, title, id, deck)


def _find_open_cards(
    typed: str, id: str, deck: Deck, names: decks.Names, cards_at: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Return the typed cards, which must all be open. "all" means all cards in play.

    `cards_at` gives the number of each card, by place. Raises UserError for a card that is not
    there that often, and for too many cards or none.
    """
    if comparison_key(typed) == "all":
        chosen = [card for card, _ in deck.cards for _ in range(cards_at[PLAY].get(card, 0))]
    else:
        chosen = [_find_open_card(piece, names, cards_at) for piece in _split_cards(typed)]
    if not chosen or len(chosen) > cards.MOST_DRAWN:
        message = f"No cards of {id} are in play."
        if chosen:
            message = f"You can move at most {cards.MOST_DRAWN} cards at once."
        raise UserError(
            message, hint=phrase("`/deck show` lists them."), option="cards", code="unknown-card"
        )
    for card, count in Counter(chosen).items():
        available = sum(counts.get(card, 0) for counts in cards_at.values())
        if count > available:
            raise UserError(
                f"There aren't that many copies of {names[card]}.",
                option="cards",
                code="unknown-card",
            )
    return chosen


def _split_cards(typed: str) -> list[str]:
    pieces = [piece.strip() for piece in re.split(ITEM_ENDS, typed)]
    return [piece for piece in pieces if piece]


def _find_open_card(
    typed: str, names: decks.Names, cards_at: Mapping[str, Mapping[str, int]]
) -> str:
    """Return the id of the typed card, by its name or id. Raises UserError if it is not open."""
    card = _find_card_by_name(typed, names)
    if any(card in counts for counts in cards_at.values()):
        return card
    open_names = [names[card] for counts in cards_at.values() for card in counts]
    places = "in play" if DISCARD not in cards_at else "in play or discarded"
    message = f'There is no card "{typed[:40]}".'
    if card in names:
        message = f"{names[card]} is not {places}."
    hint = f"{places.capitalize()}: {', '.join(open_names[:20])}." if open_names else ""
    raise UserError(message, hint=hint, option="cards", code="unknown-card")


def _find_card_by_name(typed: str, names: decks.Names) -> str:
    """Return the id of the card with this name or id, or the typed text if there is none."""
    index = NameIndex({card.casefold(): card for card in names})
    index |= {name.casefold(): card for card, name in reversed([*names.items()])}
    return index.get(typed.casefold()) or typed


def _get_hand_owner(context: Context) -> str:
    """Return the seat that owns the player's hand."""
    return get_seat(context.game.players, context.ledger.find_person())


@declare_command(
    "deck deal",
    "Deal hidden cards to each side that has a player",
    Option("count", "int", "how many each", min=1, max=30, default=1),
    ANY_DECK,
    example="5 standard-52",
    needs_game=True,
)
async def deal_cards(context: Context) -> Reply:
    """Deal closed cards in turn to each side that has a player.

    Raises UserError if nobody plays a side, if the deck is unknown, or has too few cards.
    """
    options = context.clean_options()
    id, deck = decks.find_deck_to_draw_from(context, options["deck"] or "")
    game = context.game
    count = options["count"]
    sides = [side for side in game.sides if side in game.players.values()]
    if not sides:
        hint = phrase("`/deck draw` with `to=me` draws into your own hand.")
        raise UserError(
            "Only sides that have a player are dealt cards.", hint=hint, code="no-sides"
        )
    if count * len(sides) > cards.MOST_DRAWN:
        limit = cards.MOST_DRAWN // len(sides)
        raise UserError(
            f"You can deal at most {limit} each at once.", option="count", code="bad-value"
        )
    number, drawn = await decks.record_draw(
        context, id, deck, count * len(sides), "deal", sides * count
    )
    return Reply(
        f"{context.user_name} deals {format_count(count, 'card')} each to {join_names(sides)}",
        (
            *decks.describe_reshuffle(drawn),
            Small(f"{id}: {decks.format_counts(context, id, deck)}"),
        ),
        by=f"from {id}",
        buttons=(context.build_hand_button(), context.build_undo_button(number)),
        tone=SEALED,
    )


@declare_command(
    "deck play", "Play cards from your hand", CARDS, DECK, example="7", needs_game=True
)
async def play_cards(context: Context) -> Reply:
    """Play cards out of the player's hand, face up.

    Raises UserError for cards that are not in the player's hand.
    """
    return await _move_typed_cards_from_hand(context, "play")


async def _move_typed_cards_from_hand(context: Context, does: str) -> Reply:
    need_player(context.need_open(), context.actor)
    id = await _find_deck(context)
    typed = clean_name(context.clean_options()["cards"], 1_000)
    return await _move_out_of_hand(context, id, does, typed)


async def _find_deck(context: Context, places: Sequence[str] = ()) -> str:
    """Return the id of the typed deck, or of the one that the typed cards belong to.

    If no deck is typed, it is the only one with cards in these `places` or in the player's hand. Of
    several such decks it is the only one with the typed cards there. Raises UserError if that
    leaves none or several.
    """
    game = context.game
    options = context.clean_options()
    typed = options["deck"] or ""
    if typed:
        return decks.find_deck(context, typed)
    words = {comparison_key(text) for text in _split_cards(clean_name(options["cards"], 1_000))}
    texts_by_deck = await _list_texts_by_deck(context, places)
    candidates = list(texts_by_deck)
    if places and words == {"all"}:
        in_play = [id for id in texts_by_deck if cards.count_at(id, PLAY, game.cards)]
        candidates = in_play or candidates
    elif len(texts_by_deck) > 1:
        candidates = [id for id, texts in texts_by_deck.items() if words <= texts]
    return candidates[0] if len(candidates) == 1 else decks.find_deck(context, typed)


async def _list_texts_by_deck(context: Context, places: Sequence[str]) -> dict[str, set[str]]:
    """Return the ids and names of the cards in these places or in the player's hand, by deck.

    They are folded for comparison. Decks without such cards are left out.
    """
    owner = _get_hand_owner(context)
    texts_by_deck = dict[str, set[str]]()
    for id in context.game.decks:
        hands = await load_closed_hands(context, id)
        ids = [card for _, card in hands.get(owner, ())]
        for place in (*places, f"{KNOWN}/{owner}"):
            ids += cards.count_at(id, place, context.game.cards)
        if ids:
            names = await decks.load_card_names(context, id, ids)
            texts_by_deck[id] = {comparison_key(text) for text in (*ids, *names.values())}
    return texts_by_deck


@declare_command(
    "deck give",
    "Give cards from your hand to another side, hidden",
    CARDS,
    Option("to", "str", "which side, or which player in a game without sides", complete="side"),
    DECK,
    example="7 VC",
    private=True,
    needs_game=True,
)
async def give_cards(context: Context) -> Reply:
    """Give closed cards of the player's hand to another hand.

    Raises UserError for cards that are not in the player's hand, and if it is unclear who gets
    them.
    """
    return await _move_typed_cards_from_hand(context, "give")


@declare_button("handcard", of=ButtonOf.GAME, private=True)
async def press_card(context: Context, does: str, id: str, draw: str, receiver_key: str) -> Reply:
    """Play, discard or give the card chosen in the menu of the player's hand.

    `does` is the action, `id` the deck, `draw` the draw that the card came from, which only the
    owner knows. Show the hand again in place of the menu. A card to give asks first who gets it. Raises
    UserError if the button is out of date.
    """
    if does not in ("play", "discard", "give") or id not in context.need_game().decks:
        raise UserError("This button no longer works.", code="used-up")
    hands = await load_closed_hands(context, id)
    draws = [own_draw for own_draw, _ in hands.get(_get_hand_owner(context), ())]
    position = draws.index(draw) if draw in draws else -1
    try:
        need_player(context.need_open(), context.actor)
        if position < 0 and draw[:1] != "=":
            raise UserError("That card is no longer in your hand.", code="unknown-card")
        receiver = ""
        if does == "give":
            receiver = _list_recipients(context).get(receiver_key, "")
            if not receiver:
                return await _ask_recipient(context, id, draw)
        reply = await _move_out_of_hand(context, id, does, "", draw, receiver)
    except UserError as error:
        hand_reply = await press_hand(context, "")
        hint = (error.hint,) if error.hint else ()
        return replace(hand_reply, title=str(error.message), lines=(*hint, *hand_reply.lines))
    hand_reply = await press_hand(context, str(max(0, position) // MOST))
    return replace(hand_reply, announce=reply.announce or reply)


def _list_recipients(context: Context) -> dict[str, str]:
    """Return the other seats that may get a card, by button key: a side's index, or `@person`."""
    game = context.game
    owner = _get_hand_owner(context)
    recipients = {}
    if game.sides:
        for index, side in enumerate(game.sides):
            if side in game.players.values() and side != owner:
                recipients[str(index)] = side
        return recipients
    for person in sorted(context.ledger.list_present_persons()):
        seat = f"@{person}"
        if seat != owner and len(recipients) < MOST_ASKED:
            recipients[seat] = seat
    return recipients


async def _ask_recipient(context: Context, id: str, draw: str) -> Reply:
    """Build the private question of who gets a card. It replaces the hand's window."""
    deck = cards.deck_from_json(context.game.decks[id])
    names = await decks.load_card_names(context, id, deck.ids)
    hand = (await load_closed_hands(context, id)).get(_get_hand_owner(context), [])
    card = _find_own_cards(id, "", draw, hand, {}, names)[0]
    buttons = []
    for key, seat in _list_recipients(context).items():
        label = context.ledger.get_name(seat[1:]) if seat[0] == "@" else seat
        buttons.append(context.build_button("handcard", label[:40], "give", id, draw, key))
    back_button = context.build_button("handpage", "Back", 0)
    return Reply(
        f"Who gets {names[card]}?", private=True, buttons=(*buttons, back_button), window=True
    )


async def _move_out_of_hand(
    context: Context, id: str, does: str, typed: str, draw: str = "", end: str = ""
) -> Reply:
    """Move cards out of the player's hand. `does` is play, discard, give or back (into the pile).

    `typed` names the cards, or `draw` the draw of one card. `end` is a known end of the pile, or
    the receiver of a given card. Of several copies, one that all players know moves first, then the
    oldest.

    Raises UserError for cards that are not in the hand, and for a receiver who is unknown or may
    not hold more.
    """
    game = context.game
    ledger = context.ledger
    seat = _get_hand_owner(context)
    deck = cards.deck_from_json(game.decks[id])
    names = await decks.load_card_names(context, id, deck.ids)
    hands = await load_closed_hands(context, id)
    hand = hands.get(seat, [])
    known_cards = Counter(cards.count_known_cards(id, seat, game.cards))
    if does in ("give", "back"):
        known_cards.clear()
    chosen = _find_own_cards(id, typed, draw, hand, known_cards, names)
    receiver = end
    if does == "give":
        receiver = end or _find_receiver(context, seat)
        decks.check_room(context, id, [receiver] * len(chosen))
    moves = list[tuple[str, str]]()
    number = ledger.next_number
    places = dict(game.cards)
    hidden = dict[str, str]()
    destination = {"play": PLAY, "discard": DISCARD}.get(does)
    for card in chosen:
        if known_cards[card]:
            known_cards[card] -= 1
            places[cards.get_card_key(id, f"{KNOWN}/{seat}", card)] -= 1
        else:
            item = next(pair for pair in hand if pair[1] == card)
            hand.remove(item)
            index = sum(key.startswith("from.") for key in hidden) + 1
            hidden[f"from.{index}"] = item[0]
            places[cards.get_card_key(id, HAND, seat)] -= 1
            if receiver:
                hidden[f"card.{index}"] = card
                moves.append((f"{number}.{index}", card))
                receiver_key = cards.get_card_key(id, HAND, receiver)
                places[receiver_key] = places.get(receiver_key, 0) + 1
        if destination is not None:
            destination_key = cards.get_card_key(id, destination, card)
            places[destination_key] = places.get(destination_key, 0) + 1
    if hidden:
        if receiver:
            hands[receiver] = cards.put_back_on_end(hands, receiver, moves)
        if end in cards.ENDS:
            decks.note_seen_cards(hands, seat, moves)
        context.ledger.keep_hands(hands)
        places[cards.get_last_key(id)] = number
    result = chosen if does in ("play", "discard") else [closed_words(len(chosen))]
    new_places = {key: count for key, count in places.items() if count}
    ledger.add(
        "cards",
        cards=new_places,
        deck=id,
        does=does,
        seat=seat,
        to=receiver,
        hidden=hidden,
        result=cards.format_cards(id, result),
    )
    return _build_move_reply(context, id, deck, does, chosen, names, receiver)


def _build_move_reply(
    context: Context,
    id: str,
    deck: Deck,
    does: str,
    chosen: Sequence[str],
    names: decks.Names,
    receiver: str,
) -> Reply:
    """Build the public answer about cards that left a hand. Giving has a private one as well."""
    card_names = [names[card] for card in chosen]
    small = Small(f"{id}: {decks.format_counts(context, id, deck)}")
    buttons = (
        context.build_hand_button(),
        context.build_undo_button(context.game.number),
    )
    if does == "discard":
        title = f"{context.user_name} discards {', '.join(card_names)}"
        return Reply(title, (small,), by=f"from {id}", buttons=buttons)
    if does == "play":
        title = f"{context.user_name} plays {', '.join(card_names)}"
        use_buttons = _build_use_buttons(context, id, chosen)
        return Reply(title, (small,), by=f"from {id}", buttons=(*use_buttons, *buttons))
    owner = decks.format_hand_name(context, receiver) if receiver else "the pile"
    target = f"into {owner}" if receiver else f"back into {owner}"
    if receiver in cards.ENDS:
        target = f"on {owner}" if receiver == cards.TOP else f"at {owner}"
    verb = "puts" if does == "back" else "gives"
    title = f"{context.user_name} {verb} {format_count(len(card_names), 'hidden card')} {target}"
    public_reply = Reply(title, (small,), by=f"of {id}", buttons=buttons, tone=SEALED)
    # the other players do not learn which cards were given
    if does == "give":
        private_title = f"You give {', '.join(card_names)} {target}"
        return Reply(private_title, private=True, announce=public_reply)
    return public_reply


def _build_use_buttons(context: Context, id: str, played: Sequence[str]) -> tuple[Button, ...]:
    """Return a button that opens the form of each sequence that uses the card just played."""
    if context.system is None or len(played) != 1:
        return ()
    buttons = list[Button]()
    for sequence in context.system.sequences.values():
        for option in sequence.inputs:
            if id in option.in_play and played[0] in option.values:
                path = (context.system.id, sequence.id)
                values = {option.name: played[0]}
                buttons.append(build_form_button(path, values, sequence.verb, context.registry))
    return tuple([button._replace(style="primary") for button in buttons])


def _find_own_cards(
    id: str,
    typed: str,
    draw: str,
    hand: Sequence[tuple[str, str]],
    known_cards: Mapping[str, int],
    names: decks.Names,
) -> list[str]:
    """Return the cards of the player's hand that are typed, or that `draw` names.

    `draw` is the draw of a closed card, or `=` and the id of one that all players know. `hand` are
    the closed cards as (draw, card); `known_cards`, the numbers of the others. Raises UserError,
    whose text holds nothing that the player cannot see.
    """
    available = Counter(card for _, card in hand) + Counter(known_cards)
    if draw.startswith("="):
        chosen = [draw[1:]]
    elif draw:
        chosen = [card for own_draw, card in hand if own_draw == draw]
    elif comparison_key(typed) == "all":
        chosen = [*available.elements()]
    else:
        chosen = [_find_card_by_name(piece, names) for piece in _split_cards(typed)]
    missing_cards = Counter(chosen) - available
    if not chosen or len(chosen) > cards.MOST_DRAWN or missing_cards:
        message = f"You have no cards of {id}."
        if available:
            missing = next((names.get(card, typed) for card in missing_cards), "that card")
            message = f"You don't have {missing}."
        raise UserError(
            message, hint=phrase("`/hand` shows yours."), option="cards", code="unknown-card"
        )
    return chosen


def _find_receiver(context: Context, seat: str) -> str:
    """Return the seat that the option `to` names, the receiver of given cards.

    Raises UserError for the player's own seat, and for a side or person without a player here.
    """
    game = context.game
    typed = context.clean_options()["to"]
    if game.sides:
        receiver = find_side(game, typed)
        if receiver not in game.players.values():
            raise UserError(f"Nobody plays {receiver}.", option="to", code="nobody")
    else:
        present = context.ledger.list_present_persons()
        persons = [row for row in context.ledger.persons.values() if row.person in present]
        receiver = ""
        for row in persons:
            if comparison_key(row.name) == comparison_key(typed):
                receiver = f"@{row.person}"
                break
        if not receiver:
            raise UserError(
                f'Nobody here is called "{typed[:40]}".', option="to", code="unknown-person"
            )
    if receiver == seat:
        raise UserError("That is your own hand.", option="to", code="bad-value")
    return receiver


@declare_command(
    "hand",
    "Your own cards, which only you see",
    build_flag("agree", "agree to show hands when the game ends"),
    private=True,
    needs_game=True,
)
async def show_hand_or_agree(context: Context) -> Reply:
    """Show the player's hand, or with `agree` agree that it is opened to all when the game ends.

    A manager who does not play agrees for sides whose players have left or been silent for long.
    Raises UserError for a user who has agreed already, or who has no closed cards to open.
    """
    if context.clean_options()["agree"]:
        announcement = await agree_to_open_hands(context)
        title = "You agree to open your hand when the game ends"
        if not context.game.cards.get(get_agreement_key(_get_hand_owner(context))):
            title = "You agree to open the hands of absent players when the game ends"
        return Reply(title, private=True, announce=announcement)
    return await press_hand(context, "")


@declare_button("hand", of=ButtonOf.GAME, private=True)
@declare_button("handpage", of=ButtonOf.GAME, private=True)
async def press_hand(context: Context, page_text: str, _newest: str = "") -> Reply:
    """Show the player's hand, page by page: the buttons *Your hand*, *Refresh* and *More*.

    `page_text` is the page, counted from 0. The newest event, which *Refresh* adds, only makes its
    button differ from the one before.
    """
    game = context.need_game()
    page = int(page_text) if page_text.isdecimal() and len(page_text) < 4 else 0
    lines = list[Part]()
    entries = list[HandEntry]()
    for id in game.decks:
        deck_lines, deck_entries = await _list_hand_of_deck(context, id)
        lines += deck_lines
        entries += deck_entries
    if page * MOST >= len(entries):
        page = max(0, len(entries) - 1) // MOST
    buttons = [context.build_button("handpage", "Refresh", page, game.number)]
    if not lines:
        hint = phrase(
            "`/deck draw` with `to=me` draws into your hand, `/deck deal` deals to all sides."
        )
        ids = list_deck_names(context.game, context.system)
        if ids and all(cups.is_leading_phase(context.game, id, context.system) for id in ids):
            hint = phrase("This game draws all its chits face up: `/deck draw`.")
        return Reply(
            "Your hand is empty", (hint,), private=True, buttons=tuple(buttons), window=True
        )
    if entries:
        play = "/deck play " + quote_value(entries[0].name.removesuffix(KNOWN_TO_ALL))
        lines.append(
            Small(phrase("By name: `{play}`; also `/deck discard`, `/deck give`.", play=play))
        )
    if len(entries) > MOST:
        page_count = -(-len(entries) // MOST)
        buttons.append(context.build_button("handpage", "More", (page + 1) % page_count))
    page_entries = entries[page * MOST : (page + 1) * MOST]
    return Reply(
        "Your hand" if entries else "Your hand is empty",
        tuple(lines),
        private=True,
        menus=_build_hand_menus(context, page_entries),
        buttons=tuple(buttons),
        window=True,
    )


async def _list_hand_of_deck(context: Context, id: str) -> tuple[list[Part], list[HandEntry]]:
    """Return the lines and menu entries about the cards of one deck in the player's hand.

    The lines also hold the cards that the player has seen on the known ends of the pile.
    """
    game = context.game
    seat = _get_hand_owner(context)
    deck = cards.deck_from_json(game.decks[id])
    known_cards = cards.count_known_cards(id, seat, game.cards)
    hands: cards.Hands = {}
    if cards.count_at(id, HAND, game.cards):
        hands = await load_closed_hands(context, id)
    hand = hands.get(seat, [])
    ends = get_seen_ends(hands, seat)
    seen_ends = {end: row for end, row in ends.items() if {*row} - {UNSEEN}}
    if not hand and not known_cards and not seen_ends:
        return [], []
    names = await decks.load_card_names(context, id, deck.ids)
    closed_cards = Counter(card for _, card in hand)
    card_names = [decks.name_copies(names[card], count) for card, count in closed_cards.items()]
    for card, count in known_cards.items():
        card_names.append(f"{decks.name_copies(names[card], count)}{KNOWN_TO_ALL}")
    all_cards = closed_cards + Counter(known_cards)
    descriptions = decks.describe_cards(context, id, all_cards.elements())
    summary = ", ".join(card_names)
    if len(descriptions) == len(closed_cards) and not known_cards:
        summary = format_count(len(hand), "card")  # each has a line of its own below
    lines = list[Part]()
    if card_names:
        lines.append(Group(id, summary, grave=True))
    for end, row in seen_ends.items():
        position = "On top" if end == cards.TOP else "At the bottom"
        seen_names = ", ".join(names.get(card, "one you have not seen") for card in row)
        lines.append(Group(f"{position} of {id}", seen_names))
    lines += descriptions
    entries = [HandEntry(f"{id}:{draw}", names[card], id) for draw, card in hand]
    for card in known_cards:
        entries.append(HandEntry(f"{id}:={card}", f"{names[card]}{KNOWN_TO_ALL}", id))
    return lines, entries


def _build_hand_menus(context: Context, entries: Sequence[HandEntry]) -> tuple[Menu, ...]:
    """Build the menus of what the player can do with cards of their hand. None after the end.

    A card that all players know cannot be given.
    """
    if context.game.ended:
        return ()
    labels = {"play": "Play", "discard": "Discard"}
    if _list_recipients(context):
        labels["give"] = "Give"
    menus = []
    for does, label in labels.items():
        menu_entries = []
        for entry in entries:
            if does != "give" or ":=" not in entry.key:
                action = _build_card_action(context, does, entry.key)
                menu_entries.append(MenuEntry(action, entry.name, entry.deck))
        if menu_entries:
            menus.append(Menu(label, tuple(menu_entries)))
    return tuple(menus)


def _build_card_action(context: Context, does: str, key: str) -> str:
    return context.build_button("handcard", "", f"{does}:{key}").action


@declare_button("openhand", of=ButtonOf.GAME)
async def agree_to_open_hands(context: Context) -> Reply:
    """Agree that the player's closed hand is opened when the game ends.

    A manager without cards agrees for the sides whose players are gone. Raises UserError for a user
    who has agreed already, or who has no closed cards to open.
    """
    game = context.need_started()
    seat = _get_hand_owner(context)
    holds_cards = _holds_closed_cards(game, seat)
    if not holds_cards and list_unopened_hands(context):
        stand_in_reply = await _agree_for_absent_sides(context)
        if stand_in_reply is not None:
            return stand_in_reply
    need_player(game, context.actor)
    agreement_key = get_agreement_key(seat)
    if game.cards.get(agreement_key):
        raise UserError("You have already agreed.", code="no-change")
    if not holds_cards:
        raise UserError("You have no hidden cards.", code="no-change")
    new_game = replace(game, cards={**game.cards, agreement_key: 1})
    context.ledger.add("cards", new_game, does="agree", result="hands may be opened")
    doc = await context.store.load_doc(OPEN_HANDS, context.ledger.row)
    request = doc.data if doc is not None else {}
    remaining = list_unopened_hands(context)
    if remaining == [request.get("seat")]:  # a request to end the game is an agreement
        remaining = []
    end_buttons: tuple[Button, ...] = ()
    sentence: Part
    if remaining:
        hands = join_names(decks.format_hand_name(context, other) for other in remaining)
        sentence = f"Still to agree: {hands}. Ending the game counts as a yes."
    else:
        sentence = phrase("Everybody has agreed. Press the button or type `/game end` to finish.")
        end_buttons = _build_end_buttons(context, request)
    hand = decks.format_hand_name(context, seat)
    title = f"{context.user_name} agrees to open {hand} when the game ends"
    undo = context.build_undo_button(context.game.number)
    return Reply(title, (Small(sentence),), buttons=(*end_buttons, undo))


def _build_end_buttons(context: Context, request: Json) -> tuple[Button, ...]:
    """Return a button that ends the game for the winner that the request names, if it does."""
    if "winner" not in request:
        return ()
    winner = str(request["winner"])
    label = f"End the game{describe_outcome(winner)}"
    return (context.build_button("end", label, winner, style="primary"),)


def agree_by_asking(context: Context) -> str:
    """Agree to open the hand of the player who asks to end the game.

    Return that as a sentence; "" if they hold no closed cards or have agreed before.
    """
    game = context.game
    seat = _get_hand_owner(context)
    if not _holds_closed_cards(game, seat) or game.cards.get(get_agreement_key(seat)):
        return ""
    new_game = replace(game, cards={**game.cards, get_agreement_key(seat): 1})
    context.ledger.add("cards", new_game, does="agree", result="hands may be opened")
    return f"{context.user_name} agrees to open {decks.format_hand_name(context, seat)}."


async def _agree_for_absent_sides(context: Context) -> Reply | None:
    """Agree as a manager for the sides whose players have left or been silent for seven days.

    Without a server, the game's director may do so. None if there is no such side, or if the user
    may not.
    """
    channel = context.command.where
    person = context.ledger.ensure_person()
    if person in context.game.players:
        return None
    has_no_managers = not channel.server or channel.key.startswith("console:")
    may_agree = has_no_managers and context.actor.directs
    if not may_agree and not await manages_game_channel(context):
        return None
    seats = list[str]()
    for seat in list_unopened_hands(context):
        persons = list_persons_at(context.game.players, seat)
        if person in persons:
            continue
        reason = await find_stand_in_reason(context, persons)
        if not reason:
            continue
        new_game = replace(context.game, cards={**context.game.cards, get_agreement_key(seat): 1})
        context.ledger.add(
            "cards",
            new_game,
            does="agree",
            seats=[seat],
            by="manager",
            reason=reason,
            result="hands may be opened",
        )
        seats.append(seat)
    if not seats:
        return None
    hands = join_names(decks.format_hand_name(context, seat) for seat in seats)
    line = "The player has left, or hasn't been heard from for seven days."
    undo = context.build_undo_button(context.game.number)
    title = f"{context.user_name} agrees as a manager to open {hands} when the game ends"
    return Reply(title, (Small(line),), buttons=(undo,))


def _holds_closed_cards(game: Game, seat: str) -> bool:
    return seat in list_holders(game.cards, game.decks)


def list_unopened_hands(context: Context) -> list[str]:
    """Return the other seats that hold closed cards and have not agreed to open them."""
    game = context.game
    owner = _get_hand_owner(context)
    holders = list_holders(game.cards, game.decks)
    others = [seat for seat in holders if seat != owner]
    return [seat for seat in others if not game.cards.get(get_agreement_key(seat))]


GONE = "If they've left or haven't been heard from for seven days, a manager who isn't playing can agree for them."


OPEN_HANDS = "openhands"
"""The kind of document of a request to end a game with closed hands, with the winner it names."""


def _name_owners(context: Context, seats: Sequence[str]) -> str:
    """Return who plays these seats, with the verb: `Ben agrees`, `Ben and Carl agree`.

    "the other side agrees" if nobody plays them.
    """
    players = context.game.players
    persons = [person for seat in seats for person in list_persons_at(players, seat)]
    names = [context.ledger.get_name(person) for person in dict.fromkeys(persons)]
    if not names:
        return "the other side agrees"
    if len(names) == 1:
        return f"{names[0]} agrees"
    return f"{join_names(names)} agree"


async def ask_to_open(context: Context, seats: Sequence[str], winner: str | None = None) -> Reply:
    """Ask the owners of closed hands to open them, because a player wants to end the game.

    `seats` are those hands. `winner` is the side that the player names as the winner; None for no
    word on it.
    """
    data = {"seat": _get_hand_owner(context)}
    if winner is not None:
        data["winner"] = winner
    doc = Doc(OPEN_HANDS, context.ledger.row, data, context.now + DAY, context.command.who.key)
    context.commit.docs.append(doc)
    hands = join_names(decks.format_hand_name(context, seat) for seat in seats)
    agreement = f"The game ends when {_name_owners(context, seats)} to show {hands}"
    announcement = Reply(
        f"{context.user_name} asks to end the game and open all hands",
        (
            f"{agreement}.",
            Small(phrase("Press the button or type `/hand agree`.")),
            Small(GONE),
        ),
        buttons=(context.build_button("openhand", "Show my hand", style="good"),),
        mention=await call_sides(context, context.game, seats, spares=False),
    )
    return Reply(agreement, private=True, announce=announcement)


async def open_hands(context: Context, game: Game) -> tuple[Game, tuple[Part, ...]]:
    """Open all hands at the end of the game. Return the new game, and a line for each hand."""
    places = dict(game.cards)
    lines = list[Part]()
    for id, declaration in game.decks.items():
        deck = cards.deck_from_json(declaration)
        names = await decks.load_card_names(context, id, deck.ids)
        hands = await load_closed_hands(context, id)
        places = cards.remove_ends(id, places)
        for seat, hand in hands.items():
            if seat in cards.ENDS or seat.startswith(cards.SAW):
                continue
            card_names = ", ".join(names[card] for _, card in hand)
            lines.append(Group(decks.format_hand_name(context, seat), card_names))
            places.pop(cards.get_card_key(id, HAND, seat))
            for _, card in hand:
                key = cards.get_card_key(id, f"{KNOWN}/{seat}", card)
                places[key] = places.get(key, 0) + 1
    remaining = {}
    for key, count in places.items():
        if not key.startswith("+") and not key.endswith("/last"):
            remaining[key] = count
    return replace(game, cards=remaining), tuple(lines)
