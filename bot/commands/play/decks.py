"""`/deck`: cards and chits drawn from decks, which anybody can prove afterwards; and names put
in order.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bot.commands.closed_piles import (
    build_cup_declaration,
    declare_deck,
    find_game_deck,
    load_closed_hands,
)
from bot.commands.context import Context, closes_texts
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
from bot.rules.dice import Script
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.decks import HAND as HAND_KEPT
from bot.rules.inputs.decks import OPEN as OPEN_KEPT
from bot.rules.inputs.decks import UNSEEN, GameDeck
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import ITEM_ENDS, comparison_key
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.rulesets.deck_file import CHIT_SAYS
from bot.rulesets.game_file import LED_BY
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
"""How the cards of a deck are called, by id."""


async def make_deck(context: Context) -> Reply:
    """A deck for the evening; one of the same name begins anew. Raises UserError."""
    options = context.clean_options()
    game = context.open_game()
    need_player(game, context.actor)
    typed = options["cards"].strip()
    ready = _list_ready_decks(context)
    empty = cards.REFUSE if options["once"] else cards.RESHUFFLE
    typed = comparison_key(typed) if comparison_key(typed) in ready else typed
    name = comparison_key(
        options["name"] or (typed if typed in ready else _find_free_name(context))
    )
    if not cards.ID.fullmatch(name) or (name in ready and typed != name):
        hint = "For example cup, or us-events. It stays in the log."
        what = "A deck is called by small letters, digits and dashes, at most 24."
        if name in ready:
            what = f"{name} is a deck with cards of its own."
            hint = "Take another name for yours."
        raise UserError(what, hint=hint, option="name", code="bad-value")
    listed = list(ready[typed].cards) if typed in ready else cards.read_cards(typed)
    if typed in ready and not options["once"]:
        empty = ready[typed].empty
    if was := name in game.decks:
        check_chits(context, name)
    number = context.ledger.next_number
    declare_deck(context, name, listed, empty, named=typed in ready)
    deck = cards.deck_from_json(context.game.decks[name])
    names = await load_card_names(context, name, deck.ids)
    shown = ", ".join(
        f"{names[card]} x{count}" if count > 1 else names[card] for card, count in deck.cards
    )
    ends = "When the pile is empty, the discards are shuffled in."
    if deck.empty == cards.REFUSE:
        ends = "When the pile is empty, nothing more is drawn."
    if cups.is_leading_phase(context.game, name, context.system):
        ends = "The phase that it leads fills it anew."
    lines: tuple[Part, ...] = (Small(ends),) if typed in ready else (shown, Small(ends))
    does = "begins anew:" if was else "makes a deck:"
    title = f"{context.user_name} {does} {name}, {format_count(cards.size(deck.cards), 'card')}"
    return Reply(
        title,
        lines,
        buttons=(build_draw_button(context, name), context.build_button("undo", "Undo", number)),
    )


def _list_ready_decks(context: Context) -> Mapping[str, Deck]:
    """The decks that need not be made: those of the game's files, and standard decks."""
    own = context.system.decks if context.system is not None else {}
    return {**{id: made.deck for id, made in own.items()}, **STANDARD}


def _find_free_name(context: Context) -> str:
    """What a deck is called that nobody named: deck, deck-2 and so on."""
    names = (
        USUAL if number == 1 else f"{USUAL}-{number}" for number in range(1, cards.MOST_DECKS + 2)
    )
    taken = list_deck_names(context.game, context.system)
    return next(name for name in names if name not in taken)


def declare_cup(context: Context, id: str) -> None:
    """Write down what chits are in a cup that leads a phase, and what each means, before the first
    is drawn; anew where another version of the pack, or the roster, has others or of another side
    when the phase begins, unless one is out of the game for good. Chits of the dead come back with
    that, and go out again when they are drawn. Raises UserError."""
    made = find_game_deck(context, id)
    old = context.game.decks.get(id, {})
    out = context.game.cards
    if made is None and cups.LOST in old:
        return  # a newer version of its pack is without it: the phase goes on as it began
    if made is None or not made.deck.cards:
        what = "No unit is left that could have a card."
        hint = phrase("`/unit add` puts one on the roster.")
        if made is None:
            what = f"The game has no deck {id} any more."
            hint = phrase("`/game next` goes on without it.")
        raise UserError(what, hint=hint, code="no-chit")
    stays = [card["id"] for card in old.get("cards", ()) if card.get("after") == cards.REMOVED]
    is_whole = not any(cards.count_at(id, place, out) for place in (cards.PLAY, DISCARD))
    is_whole &= not any(card in stays for card in cards.count_at(id, cards.REMOVED, out))
    if cups.LOST not in old or (is_whole and old != build_cup_declaration(context, made)):
        declare_deck(context, id, made.deck.cards, made.deck.empty)


async def draw_cards(context: Context, options: Mapping[str, Any]) -> Reply:
    """Draw cards from a deck, one die each: face up, or closed into one's own hand. Raises
    UserError.
    """
    typed = options["deck"] or ""
    count = options["count"]
    real = parse_real_cards(context, options["hand"] or "")
    if typed.isdecimal() and typed not in context.game.decks:
        typed, count = "", int(typed[:4])
    count = len(real) if real and "count" not in context.command.options else count
    if real and (count != len(real) or options["to"] in INTO_HAND):
        what = (
            f"{format_count(len(real), 'card')} typed for {count} drawn."
            if count != len(real)
            else ""
        )
        what = what or "Cards of a real deck are typed for all to see, not into a hand."
        raise UserError(
            what,
            hint=phrase("For example: `/deck draw hand=7,12`"),
            option="hand",
            code="not-together",
        )
    if not 1 <= count <= cards.MOST_DRAWN:
        raise UserError(
            f"1 to {cards.MOST_DRAWN} cards are drawn at once.", option="count", code="bad-value"
        )
    if options["to"] == FULL_HAND:
        return await _fill_hand(context, typed)
    if options["to"] == HAND:
        return await _draw_closed(context, typed, count)
    return await _draw_open(
        context, typed, count, openly=bool(context.command.options.get("to")), real=real
    )


def parse_real_cards(context: Context, typed: str) -> tuple[str, ...]:
    """The cards that came from a real deck, as typed. Raises UserError where the game allows no
    real dice.
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
        what = f'hand names no card: "{typed[:40]}".'
        raise UserError(
            what,
            hint=phrase("For example: `/deck draw hand=7,12`"),
            option="hand",
            code="bad-value",
        )
    return real


async def press_draw(context: Context, id: str) -> Reply:
    """The button *Draw*: one more of the same deck."""
    return await _draw_open(context, id, 1)


async def press_draw_closed(context: Context, id: str) -> Reply:
    """The button *Draw* of a deck that is drawn into hands."""
    return await _draw_closed(context, id, 1)


async def press_draw_up(context: Context, about: str) -> Reply:
    """Draw cards until one's hand has as many as its deck allows: the button *Draw to five*.

    Return a refusal if the phase `about` is over. Raises UserError for a full hand or no such deck.
    """
    return refuse_old_card(context, about) or await _fill_hand(context, "")


async def _fill_hand(context: Context, typed: str) -> Reply:
    """Draw into one's own hand as many cards as it may still hold, or as the deck has left: from
    the deck `typed`, or from that of one's side. Raises UserError.
    """
    game = context.open_game()
    need_player(game, context.actor)
    seat = get_seat(game.players, context.ledger.ensure_person())
    made = _find_deck_to_fill_hand(context, typed, seat)
    held = cards.count_hand_cards(made.id, game.cards).get(seat, 0)
    count = made.hand_limit - held
    if count <= 0:
        what = f"Your hand is full: {format_count(held, 'card')}."
        raise UserError(what, hint=phrase("`/hand` shows it."), code="no-change")
    deck = _get_declared_deck(context, made.id)
    joins = cards.count_at(made.id, DISCARD, game.cards) if deck.empty == cards.RESHUFFLE else {}
    left = cards.pile_size(made.id, deck, game.cards) + cards.count_known_ends(made.id, game.cards)
    left += sum(joins.values())
    return await _draw_closed(context, made.id, max(1, min(count, left)))


def _find_deck_to_fill_hand(context: Context, typed: str, seat: str) -> GameDeck:
    """Return the deck that fills a hand: it has a hand limit, and is the side's own if it has an
    owner. Raises UserError if there is none.
    """
    system = context.system
    decks = system.decks.values() if system is not None else ()
    id = comparison_key(typed)
    for made in decks:
        is_meant = made.id == id if id else made.is_of(seat, context.game.sides)
        if is_meant and made.keep == HAND_KEPT and made.hand_limit:
            return made
    what = f"{id} fills no hand." if id else "No deck of this game fills a hand."
    hint = phrase("`/deck draw 3 to=me` draws three cards into yours.")
    raise UserError(what, hint=hint, option="deck", code="unknown-deck")


async def _draw_open(
    context: Context, typed: str, count: int, *, openly: bool = False, real: tuple[str, ...] = ()
) -> Reply:
    id, deck = find_deck_to_draw_from(context, typed, "" if openly else OPEN_KEPT)
    made = find_game_deck(context, id)
    check_chits(context, id, "drawn in that phase, one by one")
    if made is not None and made.keep == HAND_KEPT and not (openly or real):
        hint = phrase("`/deck draw {id} to=me` draws into yours, `to=play` for all to see.", id=id)
        raise UserError(
            f"{id} is drawn closed, into hands.", hint=hint, option="to", code="missing"
        )
    number, drawn = await record_draw(context, id, deck, count, "draw", real=real)
    names = await load_card_names(context, id, drawn.cards)
    told = describe_cards(context, id, drawn.cards)
    left = Small(f"{id}: {format_counts(context, id, deck, drawn.sizes)}")
    lines: tuple[Part, ...] = (*describe_reshuffle(drawn), *told, left)
    title = f"{context.user_name} draws {', '.join(names[card] for card in drawn.cards)}"
    buttons = (build_draw_button(context, id), context.build_button("undo", "Undo", number))
    return Reply(title, lines, by=f"from {id}", buttons=buttons)


async def _draw_closed(context: Context, typed: str, count: int) -> Reply:
    """Draw into one's own hand: its seat sees the cards, all how many. Raises UserError in
    somebody's own play.
    """
    if context.command.where.is_own:
        raise build_needs_game_error(
            "Hands are", phrase("{add} `/deck draw` draws for all to see.", add=ADD_IT)
        )
    id, deck = find_deck_to_draw_from(context, typed, HAND_KEPT)
    seat = get_seat(context.game.players, context.ledger.ensure_person())
    number, drawn = await record_draw(context, id, deck, count, "hold", [seat] * count)
    names = await load_card_names(context, id, drawn.cards)
    told = Reply(
        f"{context.user_name} draws {format_count(count, 'card')} into {format_hand_name(context, seat)}",
        (
            *describe_reshuffle(drawn),
            Small(f"{id}: {format_counts(context, id, deck, drawn.sizes)}"),
        ),
        by=f"from {id}",
        buttons=(build_hand_button(context), context.build_button("undo", "Undo", number)),
        tone=SEALED,
    )
    title = f"You draw {', '.join(names[card] for card in drawn.cards)}"
    lines: tuple[Part, ...] = (
        *describe_cards(context, id, drawn.cards),
        Small("Only you see this."),
    )
    return Reply(title, lines, private=True, announce=told, buttons=(build_hand_button(context),))


def describe_cards(context: Context, id: str, drawn: Iterable[str]) -> tuple[str, ...]:
    """Return a line for each card with its numbers and words from the game's files.

    Cards that are alike share one, `Ambush ×2: orders 2`; cards without any are skipped.
    """
    if (made := find_game_deck(context, id)) is None:
        return ()
    but = CHIT_SAYS if cups.is_leading_phase(context.game, id, context.system) else ()
    return tuple(
        f"{name_copies(made.names[card], count)}: {said}"
        for card, count in Counter(drawn).items()
        if (said := made.format_words(card, but))
    )


def name_copies(name: str, count: int) -> str:
    """Return a card with how many of it there are: `Ambush ×2`."""
    return f"{name} ×{count}" if count > 1 else name


def find_deck_to_draw_from(context: Context, typed: str, into: str = "") -> tuple[str, Deck]:
    """The deck to draw from; free play begins with it where nothing is played, and a standard deck
    is declared. Where none is named it is the only one with cards that the game draws `into` hands,
    or open. Raises UserError."""
    need_player(context.open_game(), context.actor)
    game = context.game
    system = context.system

    def can_draw_from(id: str) -> bool:
        made = find_game_deck(context, id)
        if cups.is_leading_phase(game, id, system) or (
            into and made is not None and made.keep != into
        ):
            return False
        deck = _get_declared_deck(context, id)
        joins = cards.count_at(id, DISCARD, game.cards) if deck.empty == cards.RESHUFFLE else {}
        return (
            bool(joins)
            or cards.pile_size(id, deck, game.cards) + cards.count_known_ends(id, game.cards) > 0
        )

    id = find_deck(context, typed, can_draw_from, declares=True)
    if cups.LOST in game.decks.get(id, {}) and find_game_deck(context, id) is None:
        raise UserError(
            f"{id} leads no phase any more.",
            hint=phrase("Other decks: `/deck show`"),
            code="leads-phase",
        )
    return id, cards.deck_from_json(context.game.decks[id])


def _get_declared_deck(context: Context, id: str) -> Deck:
    """A deck as the log has it, or else as the game's files do."""
    made = None if id in context.game.decks else find_game_deck(context, id)
    return made.deck if made is not None else cards.deck_from_json(context.game.decks[id])


async def record_draw(
    context: Context,
    id: str,
    deck: Deck,
    count: int,
    does: str,
    seats: Sequence[str] = (),
    real: Sequence[str] = (),
) -> tuple[int, cards.CardDraw]:
    """Draw cards and write it down: (the event, what was drawn). Into hands they are closed, and so
    are the faces of all dice while cards of the deck are closed: with a face everybody could count
    what is missing before it."""
    game = context.game
    ledger = context.ledger
    if seats:
        check_no_cup(context, id)
    check_room(context, id, seats)
    hands = await load_closed_hands(context, id)
    number = ledger.next_number
    source = (
        await build_card_script(context, id, deck, real) if real else ledger.create_dice_source()
    )
    closes = not real and closes_texts(context)  # refused before the first die
    drawn = cards.draw(id, deck, game.cards, count, source, hands, seats)
    if not seats and not game.cards.get(cards.get_last_key(id)):
        dice = [die.to_note() for die in drawn.dice]
        said = cards.format_cards(id, drawn.cards)
        ledger.add(
            "draw",
            cards=drawn.out,
            does=does,
            deck=id,
            dice=dice,
            hand=bool(real),
            closes=closes,
            result=said,
        )
        return number, drawn
    hidden = {f"face.{at}": str(die.value) for at, die in enumerate(drawn.dice, 1)}
    out = dict(drawn.out)
    hidden |= {f"card.{at}": card for at, card in enumerate(drawn.cards, 1)} if seats else {}
    if seats or any(drawn.ends):
        ledger.keep_hands(cards.compute_hands_after_draw(hands, drawn, seats, number))
        out[cards.get_last_key(id)] = number
    said = cards.format_cards(id, [closed_words(count)] if seats else drawn.cards)
    sides = [die.sides for die in drawn.dice]
    ledger.add(
        "draw", cards=out, does=does, deck=id, closed=sides, seats=[*seats], closes=closes,
        hidden=hidden, result=said,
    )  # fmt: skip
    return number, drawn


async def build_card_script(context: Context, id: str, deck: Deck, real: Sequence[str]) -> Script:
    """The faces that draw these cards, of a real deck on the table. Raises UserError while cards of
    it are closed: what is left could be told from what is refused."""
    if context.game.cards.get(cards.get_last_key(id)):
        what = f"Cards of {id} are closed here, so those of a real deck cannot be typed."
        raise UserError(
            what,
            hint=phrase("`/deck draw {id}` draws one.", id=id),
            option="hand",
            code="closed-cards",
        )
    return Script(
        cards.find_faces(
            id, deck, context.game.cards, real, await load_card_names(context, id, deck.ids)
        )
    )


def check_chits(context: Context, id: str, how: str = "") -> None:
    """Raise UserError where a player would move chits of a cup that leads a phase: one could
    come twice, or never.
    """
    if not (context.game.started and cups.is_leading_phase(context.game, id, context.system)):
        return
    if (actor := context.actor).side or not actor.directs:
        hint = phrase("`/game undo` takes a chit back; a game master without a side may move them.")
        what = f"{id} leads a phase: its chits {f'are {how}' if how else 'move by themselves'}."
        raise UserError(what, hint=hint, code="leads-phase")


def check_no_cup(context: Context, id: str) -> None:
    """Raise UserError for a deck that leads a phase: nothing of it is ever closed."""
    if cups.is_leading_phase(context.game, id, context.system):
        what = f"{id} leads a phase: its chits are drawn for all to see, and nobody looks ahead."
        hint = phrase("`/deck draw {id}` draws the next one.", id=id)
        raise UserError(what, hint=hint, option="deck", code="leads-phase")


def check_room(context: Context, id: str, seats: Iterable[str]) -> None:
    """Raise UserError where a hand would hold more cards than the game allows, with one more for
    each of `seats`.
    """
    made = find_game_deck(context, id) if seats else None
    if made is None or not made.hand_limit:
        return
    held = cards.count_hand_cards(id, context.game.cards)
    for seat, count in Counter(seats).items():
        if (had := held.get(seat, 0)) + count > made.hand_limit:
            hand = format_hand_name(context, seat)
            what = (
                f"{hand} would hold {had + count} cards of {id}, and {made.hand_limit} is the most."
            )
            room = made.hand_limit - had
            hint = phrase("`/deck play` or `/deck discard` makes room.")
            if room > 0:
                hint = phrase("There is room for {room}.", room=str(room))
            raise UserError(what, hint=hint, code="too-many")


async def peek_at_cards(context: Context) -> Reply:
    """Look at the next cards of a pile, which only who looks sees; they are drawn next, and all are
    told. Raises UserError."""
    options = context.clean_options()
    id, deck = find_deck_to_draw_from(context, options["deck"] or "")
    check_no_cup(context, id)
    game = context.game
    ledger = context.ledger
    hands = await load_closed_hands(context, id)
    there = cards.pile_size(id, deck, game.cards) + cards.count_known_ends(id, game.cards)
    if not there:
        raise UserError(f"{id} has nothing left to look at.", option="deck", code="empty-pile")
    count = min(options["count"], there)
    seat = get_seat(game.players, ledger.ensure_person())
    seats = [cards.TOP] * max(0, count - len(hands.get(cards.TOP, ())))
    closes = closes_texts(context)  # refused before the first die
    drawn = cards.draw(id, deck, game.cards, len(seats), ledger.create_dice_source(), hands, seats)
    number = ledger.next_number
    hands = cards.compute_hands_after_draw(hands, drawn, seats, number)
    note_seen_cards(hands, seat, hands[cards.TOP][:count])
    ledger.keep_hands(hands)
    hidden = {f"face.{at}": str(die.value) for at, die in enumerate(drawn.dice, 1)}
    hidden |= {f"card.{at}": card for at, card in enumerate(drawn.cards, 1)}
    ledger.add(
        "draw", cards={**drawn.out, cards.get_last_key(id): number}, does="peek", deck=id,
        closed=[die.sides for die in drawn.dice], closes=closes, hidden=hidden,
        result=cards.format_cards(id, [closed_words(count)]),
    )  # fmt: skip
    names = await load_card_names(context, id, deck.ids)
    next_ones = "the next card" if count == 1 else f"the next {count} cards"
    told = Reply(
        f"{context.user_name} looks at {next_ones} of {id}",
        (Small(f"{id}: {format_counts(context, id, deck)}"),),
        buttons=(build_draw_button(context, id), context.build_button("undo", "Undo", number)),
        tone=SEALED,
    )
    title = f"On top of {id}: {', '.join(names[card] for _, card in hands[cards.TOP][:count])}"
    small = Small(
        phrase("Only you see this. They are drawn first, in this order; `/hand` shows them again.")
    )
    return Reply(title, (small,), private=True, announce=told)


def note_seen_cards(
    hands: dict[str, list[tuple[str, str]]], seat: str, held: Iterable[tuple[str, str]]
) -> None:
    """Note that a seat, or all, saw these cards on the known ends; what is there no more is
    forgotten.
    """
    ends = {draw for end in cards.ENDS for draw, _ in hands.get(end, ())}
    own = f"{cards.SAW}{seat}"
    for one in [*(one for one in hands if one.startswith(cards.SAW)), own]:
        seen = dict(hands.get(one, ())) | (
            dict.fromkeys((draw for draw, _ in held), "") if one == own else {}
        )
        hands[one] = [(draw, "") for draw in seen if draw in ends]


def format_hand_name(context: Context, seat: str) -> str:
    """Whose hand: `VC's hand`, `Anna's hand`; or which known end of a pile."""
    if seat in cards.ENDS:
        return cards.ENDS[seat]
    return format_possessive(
        context.ledger.get_name(seat[1:]) if seat.startswith("@") else seat, "hand"
    )


def build_hand_button(context: Context) -> Button:
    """What shows whoever presses it their own hand."""
    return context.build_button("hand", "Your hand")


def describe_reshuffle(drawn: cards.CardDraw) -> tuple[str, ...]:
    """What is said where the discards were shuffled in."""
    after = f" after {format_count(drawn.joined, 'card')}" if drawn.joined else ""
    told = f"The pile was empty{after}: the discards were shuffled in{'' if after else ' first'}."
    return (told,) if drawn.joined >= 0 else ()


def build_draw_button(context: Context, id: str) -> Button:
    """What draws one more, closed where the game says so."""
    return context.build_button(
        "drawmine" if _is_kept_in_hand(context, id) else "drawcard", "Draw", id
    )


def _is_kept_in_hand(context: Context, id: str) -> bool:
    made = find_game_deck(context, id)
    return made is not None and made.keep == HAND_KEPT


def build_moved_reply(context: Context, title: str, id: str, deck: Deck) -> Reply:
    """What all see of cards that were moved; *Draw* is only under cards of open decks."""
    draws = () if _is_kept_in_hand(context, id) else (build_draw_button(context, id),)
    buttons = (*draws, context.build_button("undo", "Undo", context.game.number))
    lines = (Small(f"{id}: {format_counts(context, id, deck)}"),)
    return Reply(title, lines, by=id, buttons=buttons)


async def shuffle_deck(context: Context) -> Reply:
    """The discards go back into the pile; or names, separated by commas, are put in order.
    Raises UserError.
    """
    typed = context.clean_options()["what"] or ""
    if re.search("[,;]", typed):
        return await _order_names(context, typed)
    game = context.need_open()
    need_player(game, context.actor)
    out = game.cards
    id = find_deck(
        context,
        typed,
        lambda one: bool(cards.count_at(one, DISCARD, out) or cards.count_known_ends(one, out)),
    )
    check_chits(context, id)
    deck = cards.deck_from_json(game.decks[id])
    discards = cards.count_at(id, DISCARD, game.cards)
    if not discards and not cards.count_known_ends(id, game.cards):
        hint = "Nothing is shuffled ahead, so the pile needs no shuffling: each draw is a die over all cards left."
        raise UserError(f"{id} has no discards to shuffle in.", hint=hint, code="empty-pile")
    known = cards.count_known_ends(id, game.cards)
    count = sum(discards.values()) + known
    out = cards.remove_ends(id, game.cards)
    out = {key: some for key, some in out.items() if not key.startswith(f"{id}/{DISCARD}/")}
    result = cards.format_cards(id, [f"{count} cards"])
    context.ledger.add("cards", cards=out, deck=id, does="shuffle", result=result)
    told = [format_count(count - known, "discard")] if discards else []
    told += [f"{format_count(known, 'card')} of known place"] if known else []
    return build_moved_reply(
        context, f"{context.user_name} shuffles {join_names(told)} back into the pile", id, deck
    )


async def _order_names(context: Context, typed: str) -> Reply:
    """The names in an order that dice give, one die each; anybody may ask for that, as for a
    roll.
    """
    names = [
        name for one in re.split(ITEM_ENDS, typed) if (name := clean_name(one, cards.LONGEST_CARD))
    ]
    if not 2 <= len(names) <= cards.MOST_DRAWN:
        what = f"2 to {cards.MOST_DRAWN} names are put in order, separated by commas."
        raise UserError(what, option="what", code="bad-value")
    context.open_game_for_dice()
    ledger = context.ledger
    number = context.ledger.next_number
    ids = {f"{number}.w{place}": name for place, name in enumerate(names, 1)}
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
        buttons=(context.build_button("undo", "Undo", number),),
    )


async def show_decks(context: Context) -> Reply:
    """The decks here: what is in the pile, in play, discarded and out of the game."""
    game = context.need_game()
    asked = context.clean_options()["deck"]
    own = context.system.decks if context.system is not None else {}
    ids = [comparison_key(asked)] if asked else [*list_deck_names(game, context.system)] or [""]
    lines: list[Part] = []
    for name in ids:
        id = name if name in own else find_deck(context, name)
        deck = _get_declared_deck(context, id)
        names = await load_card_names(context, id, deck.ids)
        title = f"{own[id].title}. " if id in own and own[id].title.casefold() != id else ""
        lines.append(Group(id, f"{title}{format_counts(context, id, deck)}", grave=True))
        pile = cards.list_pile(id, deck, game.cards)
        if asked or len(pile) <= MOST_SHOWN:
            lines.append(
                Group(_describe_closed_places(context, id), format_card_counts(names, pile))
            )
        lines += [
            Group(label, told)
            for label, told in await _list_cards_seen_by_all(context, id, deck, names)
        ]
        lines += (
            describe_cards(context, id, (card for card, _ in deck.cards))[:MOST_SHOWN]
            if asked
            else ()
        )
    lines.append(
        Small(
            "A pile has no order: each draw is one die over all cards left, and grognard verify proves it."
        )
    )
    reply = Reply(
        "Decks",
        tuple(lines),
        private=True,
        buttons=tuple(build_draw_button(context, id) for id in ids[:1]),
    )
    return (
        await offer_picture(context, reply, context.build_button("drawdeck", "", id).action)
        if len(ids) == 1
        else reply
    )


async def _list_cards_seen_by_all(
    context: Context, id: str, deck: Deck, names: Names
) -> list[tuple[str, str]]:
    """The cards of a deck that all have seen, and where they are: the open ones, and what is known
    of the ends of its pile."""
    ends = get_seen_ends(await load_closed_hands(context, id), cards.ALL).values()
    told = [
        ", ".join(names.get(card, "one that not all have seen") for card in row[:MOST_SHOWN])
        for row in ends
    ]
    known = [
        where
        for *where, row in zip(("On top", "At the bottom"), told, ends, strict=True)
        if {*row} - {UNSEEN}
    ]
    return [
        *list_open_cards(id, deck, context.game.cards, names),
        *((where, row) for where, row in known),
    ]


def _describe_closed_places(context: Context, id: str) -> str:
    return (
        "In the pile, or in a hand"
        if cards.count_hand_cards(id, context.game.cards)
        else "In the pile"
    )


async def press_picture(context: Context, id: str) -> Reply:
    """What all can tell of what is left of a deck, drawn. Raises UserError."""
    made = find_game_deck(context, id)
    game = context.need_game()
    if made is None and id not in game.decks:
        raise UserError("This button no longer works.", code="used-up")
    deck = _get_declared_deck(context, id)
    names = await load_card_names(context, id, deck.ids)
    left = dict(cards.list_pile(id, deck, game.cards))
    chips = [(names[card], left.get(card, 0), count) for card, count in deck.cards]
    lines = [
        f"{label}: {told}"
        for label, told in await _list_cards_seen_by_all(context, id, deck, names)
    ]
    title = made.title if made is not None else id
    under = format_counts(context, id, deck)
    return await draw_deck(
        context, title, under, _describe_closed_places(context, id), chips, lines
    )


def format_counts(context: Context, id: str, deck: Deck, sizes: cards.Sizes | None = None) -> str:
    """`17 of 20 in the pile, 2 in play, 1 discarded, 3 in VC's hand`: what all can tell, by the
    `sizes` of a draw.
    """
    return describe_card_counts(
        deck,
        sizes or cards.count_places(id, context.game.cards),
        lambda seat: format_hand_name(context, seat),
    )


def find_deck(
    context: Context,
    typed: str,
    may_be: Callable[[str], bool] | None = None,
    *,
    declares: bool = False,
) -> str:
    """The deck that is meant: where none is named the only one, or the only one that `may_be` it.
    Standard decks, and those of the game's files, are declared at their first draw. Raises
    UserError."""
    decks = context.game.decks
    id = comparison_key(typed)
    if id in decks:
        return id
    here = list_deck_names(context.game, context.system)
    ready = _list_ready_decks(context)
    likely = (
        here if id or len(here) == 1 or may_be is None else [one for one in here if may_be(one)]
    )
    if not id and len(likely) == 1 and (id := likely[0]) in decks:
        return id
    if declares and id in ready:
        declare_deck(context, id, ready[id].cards, ready[id].empty)
        return id
    led = str(get_phase(context.game, context.system).get(LED_BY, ""))
    if id in here or (led and not here and id in ("", led)):
        first = phrase("`/deck draw {id}` draws the first.", id=id or led)
        raise UserError(
            f"All cards of {id or led} are in the pile.",
            hint=first,
            option="deck",
            code="unknown-deck",
        )
    if not here and not id:
        raise UserError(
            "There is no deck here yet.", hint=_MAKE, option="deck", code="unknown-deck"
        )
    names = [*here, *(name for name in STANDARD if name not in decks and declares)]
    what = f'There is no deck "{id[:24]}".' if id else "Which deck?"
    hint = did_you_mean(id, names) if id else ""
    hint = hint or (f"Decks: {', '.join(names)}." if names else _MAKE)
    raise UserError(what, hint=hint, option="deck", code="unknown-deck")


async def load_card_names(context: Context, id: str, ids: Iterable[str]) -> Names:
    """How these cards are called; words that were deleted are numbered."""
    ledger = context.ledger
    ids = [*ids]
    typed_in = {
        card: found for card in ids if "." in card and (found := cards.WORD.fullmatch(card))
    }
    made = find_game_deck(context, id)
    if not typed_in:
        return {
            card: made.names.get(card, card)
            if made is not None
            else cards.format_card_name(id, card)
            for card in ids
        }
    numbers = {int(found[1]) for found in typed_in.values()}
    rows = [row for row in ledger.new_texts if row.event in numbers]
    for number in sorted(numbers):
        rows += await context.store.load_texts(ledger.row, after=number - 1, before=number + 1)
    typed = {f"{row.event}.{row.key}": row.text for row in rows}
    called = {card: typed.get(card) or f"card {found[2][1:]}" for card, found in typed_in.items()}
    return {card: called.get(card, card) for card in ids}
