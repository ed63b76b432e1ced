"""`/deck`: draws of cards and chits from decks, which anybody can verify afterwards.

`/deck shuffle` also puts names in a random order.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bot.commands.closed_piles import (
    build_cup_declaration,
    check_real_cards,
    declare_deck,
    find_game_deck,
    load_closed_hands,
)
from bot.commands.context import Context, closes_texts
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.pictures import draw_deck, offer_picture
from bot.commands.turns.turn import refuse_old_card
from bot.game import cups
from bot.game.decks import (
    MOST_SHOWN,
    describe_card_counts,
    format_card_counts,
    get_seen_ends,
    list_deck_names,
    list_open_cards,
)
from bot.game.phases import get_phase
from bot.game.rights import need_player
from bot.game.sides import format_possessive
from bot.preferences.own_installs import ADD_IT, build_needs_game_error
from bot.rules import cards
from bot.rules.cards import DISCARD, STANDARD, Deck
from bot.rules.dice import Script, Source
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.decks import HAND as HAND_KEPT
from bot.rules.inputs.decks import OPEN as OPEN_KEPT
from bot.rules.inputs.decks import UNSEEN, GameDeck
from bot.rules.inputs.options import Option
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import ITEM_ENDS, comparison_key
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.rulesets.deck_file import CHIT_SAYS
from bot.rulesets.game_keys import LED_BY
from bot.ui.common_options import DECK, build_flag, build_optional
from bot.ui.reply.parts import Group, Part, Small
from bot.ui.reply.reply import SEALED, Button, Reply
from bot.ui.spec import FULL_HAND, HAND, INTO_HAND
from bot.verification.follows.cards import format_closed_count as closed_words
from bot.verification.follows.cards import get_seat

USUAL = "deck"
_MAKE = phrase(
    'Make one: `/deck make "1..20"`. Or draw from one that is always there: `/deck draw standard-52`'
)
Names = Mapping[str, str]
"""The names of a deck's cards by card id."""


@declare_command(
    "deck make",
    "Make a deck or cup for this game",
    Option("cards", "str", "1..20, or words: Ambush x3, Air strike; or standard-52"),
    build_optional("name", "its name: cup"),
    build_flag("once", "stop when the pile is empty instead of reshuffling the discards"),
    example='"1..20" cup',
)
async def make_deck(context: Context) -> Reply:
    """Make a deck of the typed cards, or replace the deck of the same name.

    Raises UserError for cards that cannot be read, for a name that is no deck's, and for a user who
    does not play.
    """
    options = context.clean_options()
    game = context.open_game()
    need_player(game, context.actor)
    typed = options["cards"].strip()
    ready_decks = _list_ready_decks(context)
    ready_deck = ready_decks.get(comparison_key(typed))
    if ready_deck is not None:
        typed = comparison_key(typed)
    name = options["name"]
    if not name:
        name = typed if ready_deck is not None else _find_free_name(context)
    name = comparison_key(name)
    if not cards.ID.fullmatch(name) or (name in ready_decks and typed != name):
        hint = "For example cup, or us-events. It stays in the log."
        message = "A deck's name can have up to 24 lowercase letters, digits and dashes."
        if name in ready_decks:
            message = f"{name} is already a deck with its own cards."
            hint = "Pick another name for yours."
        raise UserError(message, hint=hint, option="name", code="bad-value")
    empty = cards.REFUSE if options["once"] else cards.RESHUFFLE
    if ready_deck is None:
        cards_and_counts = cards.read_cards(typed)
    else:
        cards_and_counts = list(ready_deck.cards)
        if not options["once"]:
            empty = ready_deck.empty
    is_replaced = name in game.decks
    if is_replaced:
        check_chits(context, name)
    number = context.ledger.next_number
    declare_deck(context, name, cards_and_counts, empty, named=ready_deck is not None)
    deck = cards.deck_from_json(context.game.decks[name])
    rule = "When the pile is empty, the discards are shuffled back in."
    if deck.empty == cards.REFUSE:
        rule = "When the pile is empty, nothing more is drawn."
    if cups.is_leading_phase(context.game, name, context.system):
        rule = "The phase that it leads refills it."
    lines: tuple[Part, ...] = (Small(rule),)
    if ready_deck is None:
        names = await load_card_names(context, name, deck.ids)
        lines = (_format_card_list(names, deck), Small(rule))
    verb = "starts over:" if is_replaced else "makes a deck:"
    title = f"{context.user_name} {verb} {name}, {format_count(cards.size(deck.cards), 'card')}"
    return Reply(
        title,
        lines,
        buttons=(build_draw_button(context, name), context.build_undo_button(number)),
    )


def _format_card_list(names: Names, deck: Deck) -> str:
    """Return the names of a deck's cards with the number of copies: `Ambush x2, Sniper`."""
    items = []
    for card, count in deck.cards:
        items.append(f"{names[card]} x{count}" if count > 1 else names[card])
    return ", ".join(items)


def _list_ready_decks(context: Context) -> Mapping[str, Deck]:
    """Return the decks that players need not make, by id: the game's own and standard decks."""
    game_decks = context.system.decks if context.system is not None else {}
    ready_decks = {id: game_deck.deck for id, game_deck in game_decks.items()}
    return {**ready_decks, **STANDARD}


def _find_free_name(context: Context) -> str:
    """Return the first free one of the names deck, deck-2, deck-3 and so on."""
    taken = list_deck_names(context.game, context.system)
    name = USUAL
    number = 1
    while name in taken:
        number += 1
        name = f"{USUAL}-{number}"
    return name


def declare_cup(context: Context, id: str) -> None:
    """Record the chits of a cup that leads a phase, and their meanings, before the first draw.

    Record them again at the start of a phase if the pack's version or the roster has changed them,
    unless a chit is out of the game for good. That brings back the chits of dead units, which go
    out again when they are drawn.

    Raises UserError if the game no longer has the cup, or if no unit is left that has a chit in it.
    """
    game_deck = find_game_deck(context, id)
    declaration = context.game.decks.get(id, {})
    places = context.game.cards
    if game_deck is None and cups.LOST in declaration:
        return  # a newer version of the pack has no such cup: the phase continues as it began
    if game_deck is None or not game_deck.deck.cards:
        message = "There are no units left to draw for."
        hint = phrase("`/unit add` puts one on the roster.")
        if game_deck is None:
            message = f"The game no longer has a deck called {id}."
            hint = phrase("`/game next` goes on without it.")
        raise UserError(message, hint=hint, code="no-chit")
    if cups.LOST in declaration:
        if not _is_cup_full(id, declaration, places):
            return
        if declaration == build_cup_declaration(context, game_deck):
            return
    declare_deck(context, id, game_deck.deck.cards, game_deck.deck.empty)


def _is_cup_full(id: str, declaration: Mapping[str, Any], places: Mapping[str, int]) -> bool:
    """Return whether no chit of a cup is drawn, discarded, or out of the game for good."""
    if cards.count_at(id, cards.PLAY, places) or cards.count_at(id, DISCARD, places):
        return False
    removed = cards.count_at(id, cards.REMOVED, places)
    for card in declaration.get("cards", ()):
        if card.get("after") == cards.REMOVED and card["id"] in removed:
            return False
    return True


async def draw_cards(context: Context, options: Mapping[str, Any]) -> Reply:
    """Draw cards from a deck, one die each: face up, or closed into the player's hand.

    Raises UserError if the deck is unknown, empty or a cup that leads the phase, if the count is
    too high, and if typed real cards do not fit.
    """
    typed = options["deck"] or ""
    count = options["count"]
    real = parse_real_cards(context, options["hand"] or "")
    if typed.isdecimal() and typed not in context.game.decks:
        count = int(typed[:4])
        typed = ""
    if real and "count" not in context.command.options:
        count = len(real)
    if real and (count != len(real) or options["to"] in INTO_HAND):
        message = "Real cards can only be drawn face up, not into a hand."
        if count != len(real):
            message = f"You typed {format_count(len(real), 'card')} but asked for {count}."
        raise UserError(
            message,
            hint=phrase("For example: `/deck draw hand=7,12`"),
            option="hand",
            code="not-together",
        )
    if not 1 <= count <= cards.MOST_DRAWN:
        raise UserError(
            f"You can draw 1 to {cards.MOST_DRAWN} cards at once.", option="count", code="bad-value"
        )
    if options["to"] == FULL_HAND:
        return await _fill_hand(context, typed)
    if options["to"] == HAND:
        return await _draw_closed(context, typed, count)
    is_to_play = bool(context.command.options.get("to"))
    return await _draw_open(context, typed, count, openly=is_to_play, real=real)


def parse_real_cards(context: Context, typed: str) -> tuple[str, ...]:
    """Return the typed names of cards drawn from a real deck on the table.

    Raises UserError if the game does not allow dice by hand, or if no card is named.
    """
    if not typed:
        return ()
    real = tuple(filter(None, map(str.strip, re.split("[,;]", typed))))
    if real and not context.game.hand_dice:
        hint = phrase("`/game settings hand_dice=yes` allows them.")
        raise UserError(
            "This game does not allow dice or cards drawn by hand.", hint=hint, code="no-hand-dice"
        )
    if not real:
        message = f'No card in hand="{typed[:40]}".'
        raise UserError(
            message,
            hint=phrase("For example: `/deck draw hand=7,12`"),
            option="hand",
            code="bad-value",
        )
    return real


async def press_draw(context: Context, id: str) -> Reply:
    """Draw one more card of the same deck, face up: the button *Draw*."""
    return await _draw_open(context, id, 1)


@declare_button("drawmine", of=ButtonOf.GAME, private=True)
async def press_draw_closed(context: Context, id: str) -> Reply:
    """Draw one more card into the player's hand: the button *Draw* of a deck drawn into hands."""
    return await _draw_closed(context, id, 1)


@declare_button("drawup", of=ButtonOf.GAME, private=True)
async def press_draw_up(context: Context, about: str) -> Reply:
    """Draw cards until the player's hand is full: the button *Draw to five*.

    Return a refusal if the phase `about` is over. Raises UserError for a full hand or no such deck.
    """
    refusal = refuse_old_card(context, about)
    if refusal is not None:
        return refusal
    return await _fill_hand(context, "")


async def _fill_hand(context: Context, typed: str) -> Reply:
    """Draw into the player's hand as many cards as it may still hold, or as the deck has left.

    `typed` names the deck; "" means the deck of the player's side. Raises UserError if the hand is
    full, if the deck has no limit or nothing left, and for a user who does not play.
    """
    game = context.open_game()
    need_player(game, context.actor)
    seat = get_seat(game.players, context.ledger.ensure_person())
    game_deck = _find_deck_to_fill_hand(context, typed, seat)
    hand_size = cards.count_hand_cards(game_deck.id, game.cards).get(seat, 0)
    count = game_deck.hand_limit - hand_size
    if count <= 0:
        message = f"Your hand is full: {format_count(hand_size, 'card')}."
        raise UserError(message, hint=phrase("`/hand` shows it."), code="no-change")
    deck = _get_declared_deck(context, game_deck.id)
    available = _count_in_pile(context, game_deck.id, deck)
    if deck.empty == cards.RESHUFFLE:
        available += sum(cards.count_at(game_deck.id, DISCARD, game.cards).values())
    return await _draw_closed(context, game_deck.id, max(1, min(count, available)))


def _count_in_pile(context: Context, id: str, deck: Deck) -> int:
    """Return the number of cards in a deck's pile, including those on its known ends."""
    places = context.game.cards
    return cards.pile_size(id, deck, places) + cards.count_known_ends(id, places)


def _find_deck_to_fill_hand(context: Context, typed: str, seat: str) -> GameDeck:
    """Return the deck that fills the hand of a seat: the typed one, or for "" that of its side.

    The deck has a hand limit. Raises UserError if there is none.
    """
    system = context.system
    decks = system.decks.values() if system is not None else ()
    id = comparison_key(typed)
    for game_deck in decks:
        is_meant = game_deck.id == id if id else game_deck.is_of(seat, context.game.sides)
        if is_meant and game_deck.keep == HAND_KEPT and game_deck.hand_limit:
            return game_deck
    message = (
        f"You can't fill your hand from {id}." if id else "No deck in this game fills your hand."
    )
    hint = phrase("To draw three cards into it: `/deck draw 3 to=me`")
    raise UserError(message, hint=hint, option="deck", code="unknown-deck")


async def _draw_open(
    context: Context, typed: str, count: int, *, openly: bool = False, real: tuple[str, ...] = ()
) -> Reply:
    """Draw cards face up.

    `openly` allows that for a deck whose cards go into hands. `real` are the typed cards of a real
    deck. Raises UserError if the deck is unknown, empty or a cup, or if its cards go into hands and
    neither `openly` nor `real` is given.
    """
    id, deck = find_deck_to_draw_from(context, typed, "" if openly else OPEN_KEPT)
    game_deck = find_game_deck(context, id)
    check_chits(context, id, "drawn in that phase, one by one")
    if game_deck is not None and game_deck.keep == HAND_KEPT and not (openly or real):
        hint = phrase("`/deck draw {id} to=me` draws into your hand, `to=play` face up.", id=id)
        raise UserError(
            f"Cards of {id} go into hands, hidden.", hint=hint, option="to", code="missing"
        )
    number, drawn = await record_draw(context, id, deck, count, "draw", real=real)
    names = await load_card_names(context, id, drawn.cards)
    descriptions = describe_cards(context, id, drawn.cards)
    counts = Small(f"{id}: {format_counts(context, id, deck, drawn.sizes)}")
    lines: tuple[Part, ...] = (*describe_reshuffle(drawn), *descriptions, counts)
    title = f"{context.user_name} draws {', '.join(names[card] for card in drawn.cards)}"
    buttons = (build_draw_button(context, id), context.build_undo_button(number))
    return Reply(title, lines, by=f"from {id}", buttons=buttons)


async def _draw_closed(context: Context, typed: str, count: int) -> Reply:
    """Draw into the player's hand. Only its owner sees the cards; all see how many there are.

    Raises UserError, also in a user's own free play.
    """
    if context.command.where.is_own:
        raise build_needs_game_error(
            "Hands are", phrase("{add} `/deck draw` draws face up.", add=ADD_IT)
        )
    id, deck = find_deck_to_draw_from(context, typed, HAND_KEPT)
    seat = get_seat(context.game.players, context.ledger.ensure_person())
    number, drawn = await record_draw(context, id, deck, count, "hold", [seat] * count)
    names = await load_card_names(context, id, drawn.cards)
    hand = format_hand_name(context, seat)
    announcement = Reply(
        f"{context.user_name} draws {format_count(count, 'card')} into {hand}",
        (
            *describe_reshuffle(drawn),
            Small(f"{id}: {format_counts(context, id, deck, drawn.sizes)}"),
        ),
        by=f"from {id}",
        buttons=(context.build_hand_button(), context.build_undo_button(number)),
        tone=SEALED,
    )
    title = f"You draw {', '.join(names[card] for card in drawn.cards)}"
    lines: tuple[Part, ...] = (
        *describe_cards(context, id, drawn.cards),
        Small("Only you see this."),
    )
    return Reply(
        title, lines, private=True, announce=announcement, buttons=(context.build_hand_button(),)
    )


def describe_cards(context: Context, id: str, drawn: Iterable[str]) -> tuple[str, ...]:
    """Return a line for each card with its numbers and words from the game's files.

    Cards that are alike share one, `Ambush ×2: orders 2`; cards without any are skipped.
    """
    game_deck = find_game_deck(context, id)
    if game_deck is None:
        return ()
    excluded = CHIT_SAYS if cups.is_leading_phase(context.game, id, context.system) else ()
    lines = []
    for card, count in Counter(drawn).items():
        words = game_deck.format_words(card, excluded)
        if words:
            lines.append(f"{name_copies(game_deck.names[card], count)}: {words}")
    return tuple(lines)


def name_copies(name: str, count: int) -> str:
    """Return the name of a card with the number of its copies: `Ambush ×2`."""
    return f"{name} ×{count}" if count > 1 else name


def find_deck_to_draw_from(context: Context, typed: str, kept_in: str = "") -> tuple[str, Deck]:
    """Return (id, deck) of the typed deck, or for "" of the only deck that has cards to draw.

    `kept_in` restricts the latter to decks drawn into hands or to those drawn open; "" means both.
    Start free play if no game is played here, and declare a standard deck at its first draw.

    Raises UserError if the deck is unknown, if several are possible, and for a user who does not
    play.
    """
    need_player(context.open_game(), context.actor)
    game = context.game
    system = context.system

    def can_draw_from(id: str) -> bool:
        if cups.is_leading_phase(game, id, system):
            return False
        game_deck = find_game_deck(context, id)
        if kept_in and game_deck is not None and game_deck.keep != kept_in:
            return False
        deck = _get_declared_deck(context, id)
        if deck.empty == cards.RESHUFFLE and cards.count_at(id, DISCARD, game.cards):
            return True
        return _count_in_pile(context, id, deck) > 0

    id = find_deck(context, typed, can_draw_from, declares=True)
    if cups.LOST in game.decks.get(id, {}) and find_game_deck(context, id) is None:
        raise UserError(
            f"{id} no longer leads a phase.",
            hint=phrase("Other decks: `/deck show`"),
            code="leads-phase",
        )
    return id, cards.deck_from_json(context.game.decks[id])


def _get_declared_deck(context: Context, id: str) -> Deck:
    """Return a deck as the log declares it, or else as the game's files define it."""
    if id not in context.game.decks:
        game_deck = find_game_deck(context, id)
        if game_deck is not None:
            return game_deck.deck
    return cards.deck_from_json(context.game.decks[id])


async def record_draw(
    context: Context,
    id: str,
    deck: Deck,
    count: int,
    does: str,
    seats: Sequence[str] = (),
    real: Sequence[str] = (),
) -> tuple[int, cards.CardDraw]:
    """Draw cards and record the draw. Return (event number, draw).

    `seats` are the hands that get the cards, in order; empty for an open draw. `real` are typed
    cards of a real deck. Cards drawn into hands are closed. While cards of the deck are closed, all
    dice faces are closed as well: from an open face everybody could count which cards are missing
    before it.

    Raises UserError if too few cards are left, if a hand would hold too many, and if a cup's chits
    would be closed.
    """
    game = context.game
    ledger = context.ledger
    if seats:
        check_no_cup(context, id)
    check_room(context, id, seats)
    hands = await load_closed_hands(context, id)
    number = ledger.next_number
    source: Source
    if real:
        source = await build_card_script(context, id, deck, real)
    else:
        source = ledger.create_dice_source()
    closes = not real and closes_texts(context)  # refused before the first die
    drawn = cards.draw(id, deck, game.cards, count, source, hands, seats)
    if not seats and not game.cards.get(cards.get_last_key(id)):
        dice = [die.to_note() for die in drawn.dice]
        result = cards.format_cards(id, drawn.cards)
        ledger.add(
            "draw",
            cards=drawn.out,
            does=does,
            deck=id,
            dice=dice,
            hand=bool(real),
            closes=closes,
            result=result,
        )
        return number, drawn
    hidden = {f"face.{index}": str(die.value) for index, die in enumerate(drawn.dice, 1)}
    out = dict(drawn.out)
    hidden |= {f"card.{index}": card for index, card in enumerate(drawn.cards, 1)} if seats else {}
    if seats or any(drawn.end_counts):
        ledger.keep_hands(cards.compute_hands_after_draw(hands, drawn, seats, number))
        out[cards.get_last_key(id)] = number
    result = cards.format_cards(id, [closed_words(count)] if seats else drawn.cards)
    sides = [die.sides for die in drawn.dice]
    ledger.add(
        "draw", cards=out, does=does, deck=id, closed=sides, seats=[*seats], closes=closes,
        hidden=hidden, result=result,
    )  # fmt: skip
    return number, drawn


async def build_card_script(context: Context, id: str, deck: Deck, real: Sequence[str]) -> Script:
    """Return scripted dice that make deck `id` yield the cards in `real`, drawn from a real deck.

    Raises UserError for a card that is not left in the pile. Also while any cards of the deck are
    closed (hidden from other players), because refusing a card would tell where it is.
    """
    check_real_cards(context, id, phrase("`/deck draw {id}` draws one.", id=id))
    names = await load_card_names(context, id, deck.ids)
    return Script(cards.find_faces(id, deck, context.game.cards, real, names))


def check_chits(context: Context, id: str, rule: str = "") -> None:
    """Raise UserError if a player would move chits of a cup that leads a phase.

    A chit could then come twice, or never. `rule` says how the chits are moved instead.
    """
    if not (context.game.started and cups.is_leading_phase(context.game, id, context.system)):
        return
    actor = context.actor
    if actor.side or not actor.directs:
        hint = phrase("`/game undo` takes a chit back; a game master without a side may move them.")
        predicate = f"are {rule}" if rule else "move by themselves"
        message = f"{id} leads a phase, so its chits {predicate}."
        raise UserError(message, hint=hint, code="leads-phase")


def check_no_cup(context: Context, id: str) -> None:
    """Raise UserError if a deck leads a phase, because its chits are never closed."""
    if cups.is_leading_phase(context.game, id, context.system):
        message = f"{id} leads a phase, so its chits are drawn face up, and nobody may look ahead."
        hint = phrase("`/deck draw {id}` draws the next one.", id=id)
        raise UserError(message, hint=hint, option="deck", code="leads-phase")


def check_room(context: Context, id: str, seats: Iterable[str]) -> None:
    """Raise UserError if a hand would hold more cards of deck `id` than the game allows.

    `seats` names the owner of the hand once for each card that it is to get.
    """
    game_deck = find_game_deck(context, id) if seats else None
    if game_deck is None or not game_deck.hand_limit:
        return
    hand_sizes = cards.count_hand_cards(id, context.game.cards)
    for seat, count in Counter(seats).items():
        hand_size = hand_sizes.get(seat, 0)
        if hand_size + count > game_deck.hand_limit:
            hand = format_hand_name(context, seat)
            message = (
                f"{hand} would have {hand_size + count} cards of {id}, "
                f"and the limit is {game_deck.hand_limit}."
            )
            room = game_deck.hand_limit - hand_size
            hint = phrase("`/deck play` or `/deck discard` makes room.")
            if room > 0:
                hint = phrase("There is room for {room}.", room=str(room))
            raise UserError(message, hint=hint, code="too-many")


@declare_command(
    "deck peek",
    "Peek at a pile's next cards; everyone is told that you did",
    Option("count", "int", "how many", min=1, max=60, default=1),
    DECK,
    example="3",
    private=True,
    needs_game=True,
)
async def peek_at_cards(context: Context) -> Reply:
    """Show the player the next cards of a pile, which then stay on top in this order.

    All players learn that somebody looked, but not at which cards. Raises UserError if the deck is
    unknown, a cup that leads a phase, or has nothing left to look at.
    """
    options = context.clean_options()
    id, deck = find_deck_to_draw_from(context, options["deck"] or "")
    check_no_cup(context, id)
    game = context.game
    ledger = context.ledger
    hands = await load_closed_hands(context, id)
    available = _count_in_pile(context, id, deck)
    if not available:
        raise UserError(
            f"There's nothing left in {id} to look at.", option="deck", code="empty-pile"
        )
    count = min(options["count"], available)
    seat = get_seat(game.players, ledger.ensure_person())
    seats = [cards.TOP] * max(0, count - len(hands.get(cards.TOP, ())))
    closes = closes_texts(context)  # refused before the first die
    drawn = cards.draw(id, deck, game.cards, len(seats), ledger.create_dice_source(), hands, seats)
    number = ledger.next_number
    hands = cards.compute_hands_after_draw(hands, drawn, seats, number)
    note_seen_cards(hands, seat, hands[cards.TOP][:count])
    ledger.keep_hands(hands)
    hidden = {f"face.{index}": str(die.value) for index, die in enumerate(drawn.dice, 1)}
    hidden |= {f"card.{index}": card for index, card in enumerate(drawn.cards, 1)}
    ledger.add(
        "draw", cards={**drawn.out, cards.get_last_key(id): number}, does="peek", deck=id,
        closed=[die.sides for die in drawn.dice], closes=closes, hidden=hidden,
        result=cards.format_cards(id, [closed_words(count)]),
    )  # fmt: skip
    names = await load_card_names(context, id, deck.ids)
    next_cards = "the next card" if count == 1 else f"the next {count} cards"
    announcement = Reply(
        f"{context.user_name} looks at {next_cards} of {id}",
        (Small(f"{id}: {format_counts(context, id, deck)}"),),
        buttons=(build_draw_button(context, id), context.build_undo_button(number)),
        tone=SEALED,
    )
    title = f"On top of {id}: {', '.join(names[card] for _, card in hands[cards.TOP][:count])}"
    small = Small(
        phrase(
            "Only you see this. These come first in the next draws, in this order; `/hand` shows them again."
        )
    )
    return Reply(title, (small,), private=True, announce=announcement)


def note_seen_cards(
    hands: dict[str, list[tuple[str, str]]], seat: str, seen_cards: Iterable[tuple[str, str]]
) -> None:
    """Note that a seat, or all players, saw cards on the known ends of a pile.

    `seen_cards` are (draw, card). Forget all notes about cards that have left the ends.
    """
    ends = {draw for end in cards.ENDS for draw, _ in hands.get(end, ())}
    own_key = f"{cards.SAW}{seat}"
    keys = [key for key in hands if key.startswith(cards.SAW)]
    for key in [*keys, own_key]:
        draws = dict(hands.get(key, ()))
        if key == own_key:
            draws |= dict.fromkeys((draw for draw, _ in seen_cards), "")
        hands[key] = [(draw, "") for draw in draws if draw in ends]


def format_hand_name(context: Context, seat: str) -> str:
    """Return the name of a hand: `VC's hand`, `Anna's hand`; or of a known end of a pile."""
    if seat in cards.ENDS:
        return cards.ENDS[seat]
    owner = context.ledger.get_name(seat[1:]) if seat.startswith("@") else seat
    return format_possessive(owner, "hand")


def describe_reshuffle(drawn: cards.CardDraw) -> tuple[str, ...]:
    """Return the line about discards shuffled into the pile during a draw, if they were."""
    if drawn.reshuffle_index < 0:
        return ()
    if drawn.reshuffle_index == 0:
        return ("The pile was empty, so the discards were shuffled in first.",)
    count_text = format_count(drawn.reshuffle_index, "card")
    return (f"The pile ran out after {count_text}, so the discards were shuffled in.",)


def build_draw_button(context: Context, id: str) -> Button:
    """Build the button that draws one more card, closed if the game draws the deck into hands."""
    kind = "drawmine" if _is_kept_in_hand(context, id) else "drawcard"
    return context.build_button(kind, "Draw", id)


def _is_kept_in_hand(context: Context, id: str) -> bool:
    game_deck = find_game_deck(context, id)
    return game_deck is not None and game_deck.keep == HAND_KEPT


def build_moved_reply(context: Context, title: str, id: str, deck: Deck) -> Reply:
    """Build the public answer about moved cards. Only open decks have the button *Draw*."""
    draw_buttons = () if _is_kept_in_hand(context, id) else (build_draw_button(context, id),)
    buttons = (*draw_buttons, context.build_undo_button(context.game.number))
    lines = (Small(f"{id}: {format_counts(context, id, deck)}"),)
    return Reply(title, lines, by=id, buttons=buttons)


@declare_command(
    "deck shuffle",
    "Shuffle the discards back in, or put names in order",
    build_optional("what", "a deck; or names: Alice, Bob, Carol", complete="deck"),
    example='"Alice, Bob, Carol"',
)
async def shuffle_deck(context: Context) -> Reply:
    """Put a deck's discards back into the pile, or put typed names in a random order.

    Raises UserError if the deck is unknown or has nothing to put back, and for a user who does not
    play.
    """
    typed = context.clean_options()["what"] or ""
    if re.search("[,;]", typed):
        return await _order_names(context, typed)
    game = context.need_open()
    need_player(game, context.actor)

    def can_shuffle(id: str) -> bool:
        return bool(
            cards.count_at(id, DISCARD, game.cards) or cards.count_known_ends(id, game.cards)
        )

    id = find_deck(context, typed, can_shuffle)
    check_chits(context, id)
    deck = cards.deck_from_json(game.decks[id])
    discards = cards.count_at(id, DISCARD, game.cards)
    known = cards.count_known_ends(id, game.cards)
    if not discards and not known:
        hint = (
            "There's no need to shuffle the pile: each draw is a die roll over all the cards left."
        )
        raise UserError(f"{id} has no discards to shuffle in.", hint=hint, code="empty-pile")
    places = dict(cards.remove_ends(id, game.cards))
    for key in list(places):
        if key.startswith(f"{id}/{DISCARD}/"):
            del places[key]
    discard_count = sum(discards.values())
    result = cards.format_cards(id, [f"{discard_count + known} cards"])
    context.ledger.add("cards", cards=places, deck=id, does="shuffle", result=result)
    parts = []
    if discards:
        parts.append(format_count(discard_count, "discard"))
    if known:
        parts.append(f"{format_count(known, 'card')} whose place was known")
    return build_moved_reply(
        context, f"{context.user_name} shuffles {join_names(parts)} back into the pile", id, deck
    )


async def _order_names(context: Context, typed: str) -> Reply:
    """Put typed names in a random order, one die each. Like a roll, it is open to anybody.

    Raises UserError for fewer than two names, or too many.
    """
    pieces = [clean_name(piece, cards.LONGEST_CARD) for piece in re.split(ITEM_ENDS, typed)]
    names = [name for name in pieces if name]
    if not 2 <= len(names) <= cards.MOST_DRAWN:
        message = f"2 to {cards.MOST_DRAWN} names, separated by commas, can be put in order."
        raise UserError(message, option="what", code="bad-value")
    context.open_game_for_dice()
    ledger = context.ledger
    number = context.ledger.next_number
    ids = {f"{number}.w{index}": name for index, name in enumerate(names, 1)}
    closes = closes_texts(context)  # refused before the first die
    drawn = cards.draw_order([*ids], ledger.create_dice_source())
    texts = {id.partition(".")[2]: name for id, name in ids.items()}
    dice = [die.to_note() for die in drawn.dice]
    ledger.add(
        "draw", does="names", dice=dice, texts=texts, closes=closes, result=", ".join(drawn.cards)
    )
    title = f"In order: {', '.join(ids[card] for card in drawn.cards)}"
    return Reply(
        title,
        by=f"{context.user_name} shuffles names",
        buttons=(context.build_undo_button(number),),
    )


@declare_command("deck show", "What's in the pile, in play and discarded", DECK, private=True)
async def show_decks(context: Context) -> Reply:
    """Show the decks here, or one of them: the cards in the pile, in play, discarded and removed.

    Raises UserError for a deck that is unknown, and if there is none.
    """
    game = context.need_game()
    requested = context.clean_options()["deck"]
    game_decks = context.system.decks if context.system is not None else {}
    if requested:
        ids = [comparison_key(requested)]
    else:
        ids = [*list_deck_names(game, context.system)] or [""]
    lines: list[Part] = []
    for name in ids:
        id = name if name in game_decks else find_deck(context, name)
        deck = _get_declared_deck(context, id)
        names = await load_card_names(context, id, deck.ids)
        title = ""
        if id in game_decks and game_decks[id].title.casefold() != id:
            title = f"{game_decks[id].title}. "
        lines.append(Group(id, f"{title}{format_counts(context, id, deck)}", grave=True))
        pile = cards.list_pile(id, deck, game.cards)
        if requested or len(pile) <= MOST_SHOWN:
            lines.append(
                Group(_describe_closed_places(context, id), format_card_counts(names, pile))
            )
        for label, card_text in await _list_cards_seen_by_all(context, id, deck, names):
            lines.append(Group(label, card_text))
        if requested:
            lines += describe_cards(context, id, deck.ids)[:MOST_SHOWN]
    lines.append(
        Small(
            "A pile has no order. Each draw is a die roll over all the cards left, which grognard verify can prove."
        )
    )
    reply = Reply(
        "Decks",
        tuple(lines),
        private=True,
        buttons=tuple(build_draw_button(context, id) for id in ids[:1]),
    )
    if len(ids) != 1:
        return reply
    return await offer_picture(context, reply, context.build_button("drawdeck", "", id).action)


async def _list_cards_seen_by_all(
    context: Context, id: str, deck: Deck, names: Names
) -> list[tuple[str, str]]:
    """Return (place, cards) for the cards that all players have seen.

    These are the open cards, and those on the known ends of the pile.
    """
    ends = get_seen_ends(await load_closed_hands(context, id), cards.ALL).values()
    places = [*list_open_cards(id, deck, context.game.cards, names)]
    for label, row in zip(("On top", "At the bottom"), ends, strict=True):
        if {*row} - {UNSEEN}:
            card_names = (
                names.get(card, "a card that not everyone has seen") for card in row[:MOST_SHOWN]
            )
            places.append((label, ", ".join(card_names)))
    return places


def _describe_closed_places(context: Context, id: str) -> str:
    """Return the label of the cards that not all players know the place of."""
    if cards.count_hand_cards(id, context.game.cards):
        return "In the pile, or in a hand"
    return "In the pile"


@declare_button("drawdeck", of=ButtonOf.GAME, private=True)
async def press_picture(context: Context, id: str) -> Reply:
    """Draw a picture of what is left of a deck, as far as all players know.

    Raises UserError if the deck is no longer there, or if drawing takes too long.
    """
    game_deck = find_game_deck(context, id)
    game = context.need_game()
    if game_deck is None and id not in game.decks:
        raise UserError("This button no longer works.", code="used-up")
    deck = _get_declared_deck(context, id)
    names = await load_card_names(context, id, deck.ids)
    pile = dict(cards.list_pile(id, deck, game.cards))
    chips = [(names[card], pile.get(card, 0), count) for card, count in deck.cards]
    lines = [
        f"{label}: {card_text}"
        for label, card_text in await _list_cards_seen_by_all(context, id, deck, names)
    ]
    title = game_deck.title if game_deck is not None else id
    counts = format_counts(context, id, deck)
    return await draw_deck(
        context, title, counts, _describe_closed_places(context, id), chips, lines
    )


def format_counts(context: Context, id: str, deck: Deck, sizes: cards.Sizes | None = None) -> str:
    """Return where a deck's cards are, by number: `17 of 20 in the pile, 2 in play, 1 discarded`.

    `sizes` are those that a draw reports; None means those of the game.
    """

    def format_name(seat: str) -> str:
        return format_hand_name(context, seat)

    sizes = sizes or cards.count_places(id, context.game.cards)
    return describe_card_counts(deck, sizes, format_name)


def find_deck(
    context: Context,
    typed: str,
    is_candidate: Callable[[str], bool] | None = None,
    *,
    declares: bool = False,
) -> str:
    """Return the id of the typed deck, or for "" of the only deck or the only candidate.

    `is_candidate` takes the id of a deck. `declares` allows standard decks and those of the game's
    files, which are declared at their first draw.

    Raises UserError if there is no such deck, or if "" can mean several. Without `declares`, so
    does a deck that no card was drawn from yet.
    """
    decks = context.game.decks
    id = comparison_key(typed)
    if id in decks:
        return id
    deck_names = list_deck_names(context.game, context.system)
    ready_decks = _list_ready_decks(context)
    if not id:
        candidates = [*deck_names]
        if len(deck_names) != 1 and is_candidate is not None:
            candidates = [name for name in deck_names if is_candidate(name)]
        if len(candidates) == 1:
            id = candidates[0]
            if id in decks:
                return id
    if declares and id in ready_decks:
        declare_deck(context, id, ready_decks[id].cards, ready_decks[id].empty)
        return id
    raise _explain_no_deck(context, id, declares)


def _explain_no_deck(context: Context, id: str, declares: bool) -> UserError:
    """Return the error for a deck that is unknown or has no card out of its pile.

    `id` is "" if none is typed and several are possible. `declares`: see `find_deck`.
    """
    deck_names = list_deck_names(context.game, context.system)
    leading_deck = str(get_phase(context.game, context.system).get(LED_BY, ""))
    if id in deck_names or (leading_deck and not deck_names and id in ("", leading_deck)):
        return UserError(
            f"All cards of {id or leading_deck} are in the pile.",
            hint=phrase("`/deck draw {id}` draws the first.", id=id or leading_deck),
            option="deck",
            code="unknown-deck",
        )
    if not deck_names and not id:
        return UserError(
            "There is no deck here yet.", hint=_MAKE, option="deck", code="unknown-deck"
        )
    names = [*deck_names]
    if declares:
        names += [name for name in STANDARD if name not in context.game.decks]
    message = f'There is no deck "{id[:24]}".' if id else "Which deck?"
    hint = did_you_mean(id, names) if id else ""
    if not hint:
        hint = f"Decks: {', '.join(names)}." if names else _MAKE
    return UserError(message, hint=hint, option="deck", code="unknown-deck")


async def load_card_names(context: Context, id: str, ids: Iterable[str]) -> Names:
    """Load the names of these cards. A typed name that was deleted becomes `card 3`."""
    ledger = context.ledger
    ids = [*ids]
    matches: dict[str, re.Match[str]] = {}
    for card in ids:
        match = cards.WORD.fullmatch(card) if "." in card else None
        if match:
            matches[card] = match
    if not matches:
        game_deck = find_game_deck(context, id)
        if game_deck is not None:
            return {card: game_deck.names.get(card, card) for card in ids}
        return {card: cards.format_card_name(id, card) for card in ids}
    numbers = {int(match[1]) for match in matches.values()}
    rows = [row for row in ledger.new_texts if row.event in numbers]
    for number in sorted(numbers):
        rows += await context.store.load_texts(ledger.row, after=number - 1, before=number + 1)
    texts = {f"{row.event}.{row.key}": row.text for row in rows}
    typed_names = {
        card: texts.get(card) or f"card {match[2][1:]}" for card, match in matches.items()
    }
    return {card: typed_names.get(card, card) for card in ids}
