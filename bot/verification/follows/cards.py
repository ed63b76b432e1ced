"""The checks whether an event follows the log: decks, draws, moves of cards, and closed hands.

A hand owner ("seat" in the events) is a side, or `@` and the id of a player without a side. While
cards are closed, all can check only how many there are, where, and by dice with how many sides they
were drawn. Once an event opens them, `find_opened_faults` draws them again.

Each `check_` takes the log so far, the event, and the fields of the game that it changes. It
returns a fault, or "" if there is none. `out` are counts of the cards that are out of their piles,
see `bot.rules.cards.Out`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.game import cups
from bot.game.state import Game
from bot.game.undo import LEFT, SILENCE, are_silent
from bot.rules import cards
from bot.rules.cards import DISCARD, HAND, KNOWN, PLAY, Deck, Out
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.inputs.decks import DECK, UNSEEN, read_known_ends
from bot.verification.follows.past import Event, GameFields, Past, find_words_problem
from bot.verification.follows.turn import find_cards_problem, is_exact_change

Texts = Mapping[tuple[int, str], str]
"""Texts by event and key."""
Held = tuple[str, str]
"""A closed card in a hand: the draw that it came from, as `41.2`, and the card."""

FROM: Mapping[str, tuple[str, ...]] = {
    "discard": (PLAY,),
    "remove": (PLAY, DISCARD),
    "return": (PLAY, DISCARD),
    "shuffle": (DISCARD,),
}
"""The places from which each kind of move of open cards may take them."""
TO = {"play": PLAY, "discard": DISCARD, "remove": cards.REMOVED}
"""The place to which a move takes cards; other moves put them back into the pile."""
_STAND_IN_FIELDS = {"seats", "by", "reason"}
"""The fields of an agreement by a manager, in place of a hand owner."""
_BAD_MOVE = "it moves cards that do not go there."


def check_deck(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless an event declares one deck with cards as decks have them, else "".

    It may replace a deck with the same id, all of whose cards go back then. No hand may hold any of
    them.
    """
    game = past.game
    declared_decks = fields.get("decks", game.decks)
    new_ids = [id for id, deck in declared_decks.items() if deck != game.decks.get(id)]
    if not new_ids:  # the same deck once more
        new_ids = [event["result"].partition(":")[0]]
    id = new_ids[0]
    expected_decks = {**game.decks, id: declared_decks.get(id)}
    is_one_deck = len(new_ids) == 1 and declared_decks == expected_decks
    if not is_one_deck or not cards.ID.fullmatch(id):
        return "it declares no deck."
    deck = cards.deck_from_json(declared_decks[id])
    problem = _find_deck_cards_problem(id, deck)
    if problem:
        return problem
    if cards.count_at(id, HAND, game.cards):
        return f"it declares {id} again while hands still hold closed cards from it."
    if _list_typed_cards(deck) != {f"{event['number']}.{key}" for key in event.get("texts", {})}:
        return "the words of its cards do not match its hashes."
    zero_counts = dict.fromkeys(cards.select_deck(id, game.cards), 0)
    out = cards.set_counts(game.cards, zero_counts)
    words = cards.format_deck_size(id, deck)
    return find_moves_problem(past, event, out) or find_words_problem(event, words)


def _find_deck_cards_problem(id: str, deck: Deck) -> str:
    """Return what is wrong with the cards of a deck, or "". A standard deck has its usual cards."""
    deck_fault = cards.find_deck_fault(deck)
    if deck_fault:
        return deck_fault
    if id in cards.STANDARD and deck.cards != cards.STANDARD[id].cards:
        return f"{id} has different cards."
    return ""


def _list_typed_cards(deck: Deck) -> set[str]:
    """Return the cards with typed names. Their ids are the event and the key of the text."""
    return {card for card in deck.ids if cards.WORD.fullmatch(card)}


def check_draw(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless cards are drawn by a die each, or names are put in order; else "".

    Only the draw of a chit that leads a phase (`lead`) may change fields of the game. Real cards
    must be allowed, and drawn openly from a deck.
    """
    if fields and event["does"] != "lead":
        return "it changes whose turn it is."
    if event.get("hand"):
        may_be_real = past.game.hand_dice and "deck" in event and "closed" not in event
        if not may_be_real:
            return "its cards were drawn by hand, which this game did not allow."
    if "closed" in event:
        return _check_closed_draw(past, event)
    return _check_open_draw(past, event)


def _check_open_draw(past: Past, event: Event) -> str:
    """Return a fault unless the event's open dice draw its cards or order its names, else ""."""
    game = past.game
    problem = _find_open_count_problem(game, event)
    if problem:
        return problem
    try:
        card_draw = _draw_again(game, event)
    except UserError as error:
        return f"its dice draw no cards: {error}"
    if [die.to_note() for die in card_draw.dice] != event.get("dice", []):
        return "its dice are not the ones its pile needs."
    if _orders_names(event):
        words = ", ".join(card_draw.cards)
        return find_moves_problem(past, event, game.cards) or find_words_problem(event, words)
    if event["does"] == "lead":
        return _check_chit_draw(past, event, card_draw)
    words = cards.format_cards(event["deck"], card_draw.cards)
    return find_moves_problem(past, event, card_draw.out) or find_words_problem(event, words)


def _find_open_count_problem(game: Game, event: Event) -> str:
    """Return what is wrong with the deck, texts and number of dice of an open draw, or "".

    There are 1 to MOST_DRAWN dice. A draw needs a declared deck without closed cards, and has no
    texts. Names put in order need no deck, and have a text for each die.
    """
    id = event.get("deck", "")
    dice_count = len(event.get("dice", []))
    orders_names = _orders_names(event)
    if "seats" in event or not (orders_names or event["does"] in ("draw", "lead")):
        return "cards are drawn into hands with their faces closed."
    text_keys = _number_keys("w", dice_count) if orders_names else set()
    if event.get("texts", {}).keys() != text_keys:
        return "its texts are not the names that it puts in order."
    is_declared = orders_names or id in game.decks
    if not is_declared or not 0 < dice_count <= cards.MOST_DRAWN:
        return "it draws from a deck that nobody declared, or too much at once."
    if game.cards.get(cards.get_last_key(id)):
        return f"it shows its dice while cards of {id} are closed."
    return ""


def _orders_names(event: Event) -> bool:
    """Return whether a draw puts typed names in order, and so needs no deck."""
    return event["does"] == "names" and "deck" not in event


def _number_keys(prefix: str, count: int) -> set[str]:
    """Return the keys of numbered texts: `w1`, `w2` and so on."""
    return {f"{prefix}{number}" for number in range(1, count + 1)}


def _draw_again(game: Game, event: Event) -> cards.CardDraw:
    """Draw with the open dice of an event: from its deck, or from the names that it orders.

    Raises UserError if the dice draw no cards.
    """
    dice = event.get("dice", [])
    source = Script([die["value"] for die in dice])
    if _orders_names(event):
        names = [f"{event['number']}.w{number}" for number in range(1, len(dice) + 1)]
        return cards.draw_order(names, source)
    id = event["deck"]
    return cards.draw(id, cards.deck_from_json(game.decks[id]), game.cards, len(dice), source)


def _check_chit_draw(past: Past, event: Event, card_draw: cards.CardDraw) -> str:
    """Return a fault unless one chit is drawn that may become active now, else "".

    It may if no other is active and its cup leads the phase. Discards do not join the cup.
    """
    game = past.game
    id = event["deck"]
    is_one_card = len(card_draw.cards) == 1 and card_draw.reshuffle_index < 0
    is_going_on = game.started and not game.ended
    if game.led not in ("", id) or not is_one_card or not is_going_on:
        return "it draws a chit for an activation that has one, or that no cup leads."
    expected_game = cups.apply_chit_draw(replace(game, cards=card_draw.out), id, card_draw.cards[0])
    if not is_exact_change(event, game, expected_game):
        return "it activates units other than those of the chit."
    return find_words_problem(event, cards.format_cards(id, card_draw.cards))


@dataclass(frozen=True, slots=True)
class _ClosedDraw:
    """A draw with closed dice, as its event describes it."""

    owners: list[str]
    """The hand owner of each card that stays closed; after a peek, the top of the pile."""
    names: list[str]
    """The cards that were drawn openly into play."""
    peeks: bool
    """True if somebody looked at the top of the pile instead of drawing."""
    peeked_count: int
    """The number of cards that they looked at, including those already known on top."""

    @property
    def count(self) -> int:
        """The number of cards that were drawn, one by each die or from a known end."""
        return len(self.owners) or len(self.names)

    @property
    def result_count(self) -> int:
        """The number of cards that the player draws or looks at."""
        return self.peeked_count if self.peeks else self.count

    def list_new_keys(self, id: str) -> list[str]:
        """List the key among the card counts of each drawn card."""
        if self.owners:
            return [cards.get_card_key(id, HAND, owner) for owner in self.owners]
        return [cards.get_card_key(id, PLAY, name) for name in self.names]


def _read_closed_draw(event: Event) -> _ClosedDraw:
    """Read a closed draw from its event."""
    owners = _list_owners(event)
    peeks = event["does"] == "peek"
    names = [] if owners or peeks else _list_result_cards(event)
    return _ClosedDraw(owners, names, peeks, _count_peeked(event) if peeks else 0)


def _check_closed_draw(past: Past, event: Event) -> str:
    """Return a fault of a draw with closed dice, or "".

    It draws into hands, looks at the top of the pile, or draws open cards while others of the deck
    are closed.
    """
    game = past.game
    id = event.get("deck", "")
    seats_on_peek = event["does"] == "peek" and "seats" in event
    if id not in game.decks or "dice" in event or seats_on_peek:
        return "it draws from a deck that nobody declared, or too much at once."
    draw = _read_closed_draw(event)
    problem = _find_closed_draw_problem(game, event, draw)
    if problem:
        return problem
    deck = cards.deck_from_json(game.decks[id])
    sides, out = cards.compute_draw_sides(id, deck, game.cards, draw.count, peeks=draw.peeks)
    if sides != event["closed"]:
        return "its dice are not the ones its pile needs."
    if _takes_known_ends(id, game.cards, out) or draw.owners or draw.peeks:
        out[cards.get_last_key(id)] = event["number"]
    for key in draw.list_new_keys(id):
        out[key] = out.get(key, 0) + 1
    if draw.names:  # cards drawn into hands are not open
        problem = _find_overdrawn_problem(id, deck, out)
        if problem:
            return problem
    names = draw.names or [format_closed_count(draw.result_count)]
    words = cards.format_cards(id, names)
    return find_moves_problem(past, event, out) or find_words_problem(event, words)


def _takes_known_ends(id: str, old_out: Out, new_out: Out) -> bool:
    """Return whether the number of cards on a known end of the pile changes."""
    keys = [cards.get_card_key(id, HAND, pile_end) for pile_end in cards.ENDS]
    return any(old_out.get(key, 0) != new_out.get(key, 0) for key in keys)


def _may_hold(game: Game, event: Event, owners: Sequence[str]) -> bool:
    """Return whether a closed draw may give cards to these hand owners.

    `draw` gives to none, `hold` to the author, `deal` to sides. `peek` puts all back on top.
    """
    does = event["does"]
    if does == "draw":
        return not owners
    if does == "hold":
        return set(owners) == {get_seat(game.players, event["who"])}
    if does == "deal":
        return bool(owners) and set(owners) <= set(game.sides)
    return bool(does == "peek")


def _find_closed_draw_problem(game: Game, event: Event, draw: _ClosedDraw) -> str:
    """Return a fault unless a closed draw has the right hands, number of cards and texts, else "".

    See `_may_hold` for the hands. There are 1 to MOST_DRAWN cards, a text for each die and for each
    card that stays closed. A draw into play is closed only while cards of its deck are.
    """
    id = event["deck"]
    if not _may_hold(game, event, draw.owners):
        return "it draws for hands that are not the player's own."
    if not 0 < draw.result_count <= cards.MOST_DRAWN or draw.count > draw.result_count:
        return "it draws nothing, or too much at once."
    face_keys = _number_keys("face.", len(event["closed"]))
    card_keys = _number_keys("card.", len(draw.owners))
    has_right_keys = event.get("texts", {}).keys() == face_keys | card_keys
    known_on_top = game.cards.get(cards.get_card_key(id, HAND, cards.TOP), 0)
    needed_count = max(0, draw.result_count - known_on_top)
    if not has_right_keys or (draw.peeks and draw.count != needed_count):
        return "its texts are not the cards and faces that it closes."
    may_close = draw.owners or draw.peeks or game.cards.get(cards.get_last_key(id))
    if not may_close:
        return f"it closes its dice although no card of {id} is closed."
    return ""


def _list_result_cards(event: Event) -> list[str]:
    """List the cards that the result of an event names after the id of their deck."""
    words: str = event["result"].removeprefix(f"{event['deck']}: ")
    return words.split(", ")


def _count_peeked(event: Event) -> int:
    """Return how many cards somebody looked at, by the result of the event; 0 if unclear."""
    match = re.search(r": ([1-9][0-9]?) closed", event["result"])
    return int(match[1]) if match else 0


def _list_owners(event: Event) -> list[str]:
    """List the hand owner of each closed card that was drawn. A peek leaves its cards on top."""
    if event["does"] == "peek":
        count = sum(key.startswith("card.") for key in event.get("texts", ()))
        return [cards.TOP] * count
    return list(event.get("seats", ()))


def get_seat(players: Mapping[str, str], person: str) -> str:
    """Return the hand owner for a person: their side, or `@` and their id if they have none.

    `players` are sides by person.
    """
    return players.get(person) or f"@{person}"


def format_closed_count(count: int) -> str:
    """Format a number of closed cards as in the log: `3 closed`."""
    return f"{count} closed"


def check_move(past: Past, event: Event, _: GameFields) -> str:
    """Return a fault unless open cards or cards of the author's hand move where they may, else "".

    With `seat`, the cards leave that hand, see `_check_move_from_hand`, else see
    `_check_open_move`. The event can also be the agreement that hands may be opened.
    """
    if event["does"] == "agree":
        return _check_agreement(past, event)
    if event.keys() & _STAND_IN_FIELDS:
        return _BAD_MOVE
    if event.get("deck", "") not in past.game.decks or "shows" in event:
        return "it moves cards of a deck that nobody declared."
    if "seat" in event:
        return _check_move_from_hand(past, event)
    return _check_open_move(past, event)


def _check_open_move(past: Past, event: Event) -> str:
    """Return the first fault of a move of open cards, or "" if it is right.

    `FROM` and `TO` say which cards may move where. A shuffle takes all discards, and makes the
    known ends of the pile unknown (cards on top or at the bottom that somebody has seen). Any other
    move takes 1 to MOST_DRAWN cards; only a return may go to a known end. Counts and words must
    fit.
    """
    game = past.game
    id = event["deck"]
    does = event["does"]
    pile_end = event.get("to", "")
    if not _is_known_move(event):
        return _BAD_MOVE
    deck = cards.deck_from_json(game.decks[id])
    old_counts = past.get_patch(event, "before", "cards")
    new_counts = past.get_patch(event, "after", "cards")
    moved = cards.list_taken_cards(id, deck, old_counts, new_counts)
    if any(place not in FROM[does] for place, _ in moved):
        return _BAD_MOVE
    discard_count = sum(cards.count_at(id, DISCARD, game.cards).values())
    shuffled_count = discard_count + cards.count_known_ends(id, game.cards)
    if does == "shuffle":
        is_right_count = shuffled_count > 0 and len(moved) == discard_count
        names = [f"{shuffled_count} cards"]
        out: Out = cards.remove_ends(id, game.cards)
    else:
        is_right_count = 0 < len(moved) <= cards.MOST_DRAWN
        names = [card for _, card in moved]
        out = game.cards
    if not is_right_count:
        return _BAD_MOVE
    try:
        for place, card in moved:
            out = cards.take_cards(id, out, [card], [place], TO.get(does, ""))
    except UserError as error:  # a deck with a card twice, which is a fault of its event
        return f"it moves cards that are not there: {error}"
    if pile_end:
        result_cards = _list_result_cards(event)
        if sorted(result_cards) == sorted(names):  # in the order in which they were put there
            names = result_cards
        out = cards.put_on_end(id, out, pile_end, len(names), event["number"])
    words = cards.format_cards(id, names)
    return find_moves_problem(past, event, out) or find_words_problem(event, words)


def _is_known_move(event: Event) -> bool:
    """Return whether open cards can move in this way. Only a return may go to a known end."""
    does = event["does"]
    pile_end = event.get("to", "")
    is_right_end = not pile_end or (does == "return" and pile_end in cards.ENDS)
    return does in FROM and "texts" not in event and is_right_end


@dataclass(frozen=True, slots=True)
class _HandMove:
    """The cards that leave a hand, as the event describes them."""

    names: list[str]
    """The cards in the result: their names, or how many are closed."""
    closed_count: int
    """The number of them that were closed in the hand."""
    text_keys: set[str]
    """The keys of the texts that the event needs for closed cards."""
    out: dict[str, int]
    """The counts after the move, with the hand itself still as before."""


def _check_move_from_hand(past: Past, event: Event) -> str:
    """Return a fault of a move of cards out of the author's hand, or "".

    `play` and `discard` name their cards. `give` moves closed cards into another hand, `back` into
    the pile or on a known end of it.
    """
    game = past.game
    id = event["deck"]
    does = event["does"]
    hand_owner = event["seat"]
    deck = cards.deck_from_json(game.decks[id])
    problem = _find_target_problem(past, event)
    if problem:
        return problem
    if does in ("give", "back"):
        move = _read_closed_move(game, event)
    elif does in ("play", "discard"):
        move = _read_named_move(game, event)
        if not set(move.names) <= {*deck.ids}:
            return "it plays a card that the deck does not have."
    else:
        return "it takes cards out of a hand for no reason."
    hand_key = cards.get_card_key(id, HAND, hand_owner)
    held_count = game.cards.get(hand_key, 0)
    has_right_keys = event.get("texts", {}).keys() == move.text_keys
    is_right_count = 0 < len(move.names) <= cards.MOST_DRAWN and move.closed_count <= held_count
    if not has_right_keys or not is_right_count:
        return "its texts are not the cards that it takes."
    out = {**move.out, hand_key: held_count - move.closed_count}
    if move.closed_count:
        out[cards.get_last_key(id)] = event["number"]
    words = cards.format_cards(id, move.names)
    return (
        _find_overdrawn_problem(id, deck, out)
        or find_moves_problem(past, event, out)
        or find_words_problem(event, words)
    )


def _find_target_problem(past: Past, event: Event) -> str:
    """Return a fault unless cards leave the author's hand for a place where they may go, else "".

    Only `give` names another hand (of a side, or of somebody who has written in the log), and it
    must. Only `back` may name an end of the pile.
    """
    game = past.game
    does = event["does"]
    hand_owner = event["seat"]
    target = event.get("to", "")
    is_to_end = does == "back" and target in cards.ENDS
    is_to_hand = bool(target) and not is_to_end
    is_own = hand_owner == get_seat(game.players, event["who"])
    if not is_own or (does == "give") != is_to_hand or target == hand_owner:
        return "it takes cards out of a hand that is not the player's own."
    is_hand = target in game.sides or target.removeprefix("@") in past.authors
    if is_to_hand and not is_hand:
        return "it gives the cards to nobody."
    return ""


def _read_closed_move(game: Game, event: Event) -> _HandMove:
    """Read a move of closed cards into another hand, into the pile or on a known end of it."""
    target = event.get("to", "")
    count = sum(key.startswith("from.") for key in event.get("texts", {}))
    text_keys = _number_keys("from.", count)
    out = dict(game.cards)
    if target:
        text_keys |= _number_keys("card.", count)
        key = cards.get_card_key(event["deck"], HAND, target)
        out[key] = out.get(key, 0) + count
    return _HandMove([format_closed_count(count)], count, text_keys, out)


def _read_named_move(game: Game, event: Event) -> _HandMove:
    """Read a move of named cards into play or to the discards.

    Cards of the hand that were opened before leave it first.
    """
    id = event["deck"]
    names = _list_result_cards(event)
    closed_count = 0
    out = dict(game.cards)
    for name in names:
        known_key = cards.get_card_key(id, f"{KNOWN}/{event['seat']}", name)
        target_key = cards.get_card_key(id, TO[event["does"]], name)
        if out.get(known_key):
            out[known_key] -= 1
        else:
            closed_count += 1
        out[target_key] = out.get(target_key, 0) + 1
    return _HandMove(names, closed_count, _number_keys("from.", closed_count), out)


def _find_overdrawn_problem(id: str, deck: Deck, out: Out) -> str:
    """Return a fault if more copies of a card lie open than the deck has, else ""."""
    if cards.is_overdrawn(id, deck, out):
        return "it plays more copies of a card than the deck has."
    return ""


def _check_agreement(past: Past, event: Event) -> str:
    """Return a fault unless a hand owner agrees for the first time to open hands, else "".

    The hands are opened when the game ends. A manager may agree for an owner who is gone.
    """
    owner = get_seat(past.game.players, event["who"])
    if event.keys() & _STAND_IN_FIELDS:
        owners = event.get("seats") or [""]
        owner = owners[0]
        problem = _find_stand_in_problem(past, event)
        if problem:
            return problem
    key = get_agreement_key(owner)
    if event.keys() & {"deck", "seat", "to", "texts"} or past.game.cards.get(key):
        return "it agrees to something already agreed."
    out = {**past.game.cards, key: 1}
    return find_moves_problem(past, event, out) or find_words_problem(event, "hands may be opened")


def _find_stand_in_problem(past: Past, event: Event) -> str:
    """Return what is wrong with a manager who agrees for a hand owner that holds cards; or "".

    The owner must have left, or have been silent for seven days.
    """
    game = past.game
    owners = event.get("seats", [])
    persons = list_persons_at(game.players, owners[0]) if len(owners) == 1 else set[str]()
    takes_part = event["who"] in {*persons, *game.players}
    if not event.keys() >= {"by", "reason"} or not persons or takes_part:
        return "the player who agreed had no say in it."
    reason = event["reason"]
    if owners[0] not in list_holders(game.cards, game.decks) or reason not in (LEFT, SILENCE):
        return "the player who agreed had no say in it."
    if reason == LEFT or are_silent(past.bodies.values(), persons, event["at"]):
        return ""
    return "it says that the other side was silent for seven days, but it was not."


def list_persons_at(players: Mapping[str, str], seat: str) -> set[str]:
    """Return the persons who may look into the hand of an owner: one, or the players of a side."""
    if seat.startswith("@"):
        return {seat[1:]}
    return {person for person, side in players.items() if side == seat}


def get_agreement_key(seat: str) -> str:
    """Return the key among the card counts that records a hand owner's agreement to open hands."""
    return f"+agreed/{seat}"


def list_closed_hands(game: Game) -> Iterator[str]:
    """Yield a sentence for each hand and known end with closed cards, which nobody can check."""
    for id in game.decks:
        for owner, count in sorted(cards.count_at(id, HAND, game.cards).items()):
            amount = "1 closed card" if count == 1 else f"{count} closed cards"
            if owner in cards.ENDS:
                position = f"at {cards.ENDS[owner]}"
            elif owner.startswith("@"):
                position = "in a person's hand"
            else:
                position = f"in {owner}'s hand"
            yield f"Still closed: {amount} of {id} {position}."


def list_seats_with_cards(out: Out, decks: Mapping[str, object]) -> list[str]:
    """Return the hand owners with closed cards, and the known ends of piles (`=top`, `=bottom`)."""
    return sorted({owner for id in decks for owner in cards.count_at(id, HAND, out)})


def list_holders(out: Out, decks: Mapping[str, object]) -> list[str]:
    """Return the hand owners with closed cards."""
    return [owner for owner in list_seats_with_cards(out, decks) if owner not in cards.ENDS]


def return_hands(out: Out, decks: Mapping[str, object], seats: Sequence[str]) -> dict[str, int]:
    """Return the card counts after these hand owners put all cards of their hands back."""
    zero_counts = dict[str, int]()
    for id in decks:
        for owner in seats:
            hand_key = cards.get_card_key(id, HAND, owner)
            known_prefix = cards.get_card_key(id, KNOWN, f"{owner}/")
            keys = [key for key in out if key == hand_key or key.startswith(known_prefix)]
            zero_counts |= dict.fromkeys(keys, 0)
    return cards.set_counts(out, zero_counts)


def find_hands_problem(past: Past, event: Event, fields: GameFields) -> str:
    """Return what is wrong with the hands that an event returns or opens, or "".

    When players change, the hands of owners with no player left go back to the piles. At an import
    all do, since closed cards stay where the file came from. A revealed seed opens closed draws, and
    the end of a game opens hands. Other kinds of events are not checked.
    """
    game = past.game
    kind = event["kind"]
    if kind in ("join", "leave", "claim", "privacy"):
        players = fields.get("players", game.players)
        master = fields.get("master", game.master)
        removed_players = game.players.keys() - players.keys()
        leavers = {event["who"], event.get("own", ""), *removed_players}
        if master != game.master:
            leavers.add(game.master)
        out = return_cards_of_leavers(game.cards, game.decks, game.players, players, leavers)
        return find_moves_problem(past, event, out)
    if kind == "import":
        return find_moves_problem(past, event, return_closed_cards(game.cards, game.decks))
    if kind == "end":
        return _find_end_problem(past, event)
    if kind == "fair" and "revealed" in event:
        return _find_reveal_problem(past, event)
    if kind == "fair" and event.keys() & {"shows", "before"}:
        return "it opens closed cards, which only the seed can do."
    return ""


def return_cards_of_leavers(
    out: Out,
    decks: Mapping[str, object],
    old_players: Mapping[str, str],
    new_players: Mapping[str, str],
    persons: Iterable[str],
) -> dict[str, int]:
    """Return the card counts after the hands of leavers went back to the piles.

    These are the hands of sides without any player left, and the own hands of `persons`. Players
    are sides by person.
    """
    empty_sides = {*old_players.values()} - {*new_players.values()}
    return return_hands(out, decks, [*empty_sides, *(f"@{person}" for person in persons)])


def apply_seat_changes(game: Game, players: Mapping[str, str], persons: Iterable[str]) -> Game:
    """Return the game with other players, and with the cards of leavers back in the piles.

    `persons` are those who took or left a side.
    """
    out = return_cards_of_leavers(game.cards, game.decks, game.players, players, persons)
    return replace(game, players=players, cards=out if out != game.cards else game.cards)


def return_closed_cards(out: Out, decks: Mapping[str, object]) -> dict[str, int]:
    """Return the card counts after all hands and known ends went back and nothing is closed.

    Agreements to open hands are removed, too.
    """
    owners = [*list_seats_with_cards(out, decks), *_list_owners_of_known(out, decks)]
    return _remove_marks(return_hands(out, decks, owners))


def _remove_marks(out: Out) -> dict[str, int]:
    """Return the counts without agreements and last closed draws, which count no cards."""
    return {
        key: count
        for key, count in out.items()
        if count and not key.startswith("+") and not key.endswith("/last")
    }


def _list_owners_of_known(out: Out, decks: Mapping[str, object]) -> set[str]:
    """Return the owners of hands with cards that were opened to all."""
    return {key.rpartition("/")[0] for id in decks for key in cards.count_at(id, KNOWN, out)}


def find_moves_problem(past: Past, event: Event, out: Out) -> str:
    """Return a fault unless the patch of an event leads exactly to the card counts `out`, else "".

    `out` may hold zero counts.
    """
    return find_cards_problem(past, event, cards.set_counts(out, {}))


def _find_opening_problem(past: Past, event: Event) -> str:
    """Return a fault unless an event opens all closed cards, from the first on (`shows`); else ""."""
    if event.get("shows", 0) == past.game.hidden:
        return ""
    return "it opens cards other than the closed ones."


def _find_reveal_problem(past: Past, event: Event) -> str:
    """Return what is wrong with the closed cards when a seed is revealed, or "".

    No hand may hold any. All that was closed is opened.
    """
    game = past.game
    if list_seats_with_cards(game.cards, game.decks):
        return "a seed must not be revealed while a card under it is closed."
    out = {key: count for key, count in game.cards.items() if not key.endswith("/last")}
    return _find_opening_problem(past, event) or find_moves_problem(past, event, out)


def _find_end_problem(past: Past, event: Event) -> str:
    """Return what is wrong with the hands that the end of a game opens, or "".

    All hands are opened. Each hand owner must have agreed, unless it is the author's hand.
    """
    game = past.game
    own_hand = get_seat(game.players, event["who"])
    for owner in list_holders(game.cards, game.decks):
        if owner != own_hand and not game.cards.get(get_agreement_key(owner)):
            return "closed hands are opened although not every side agreed."
    counts_after = past.get_patch(event, "after", "cards")
    out = dict(game.cards)
    for id, deck in game.decks.items():
        out = cards.remove_ends(id, out)
        for owner, closed_count in cards.count_at(id, HAND, out).items():
            opened_count = 0
            for card in deck["cards"]:
                key = cards.get_card_key(id, f"{KNOWN}/{owner}", card["id"])
                known_count = out.get(key, 0)
                out[key] = max(counts_after.get(key, 0), known_count)
                opened_count += out[key] - known_count
            if opened_count != closed_count:
                return "it opens hands that do not exist."
            out[cards.get_card_key(id, HAND, owner)] = 0
    out = _remove_marks(out)
    return _find_opening_problem(past, event) or find_moves_problem(past, event, out)


def find_opened_faults(bodies: Sequence[Event], texts: Texts) -> Iterator[tuple[int, str]]:
    """Draw all cards again that were closed and opened since. Yield (event, fault).

    `bodies` are all events of a log in order, `texts` the texts in the file.
    """
    yield from _CardReplay(bodies, texts).find_faults()


class _CardReplay:
    """A replay of the cards of a log, with the closed cards that were opened."""

    def __init__(self, bodies: Sequence[Event], texts: Texts) -> None:
        self._bodies = {body["number"]: body for body in bodies}
        self._texts = texts
        self._openings = [
            range(body["shows"], body["number"]) for body in bodies if "shows" in body
        ]
        self._out: Mapping[str, int] = {}
        self._decks = dict[str, Deck]()
        self._hands_after = dict[int, cards.Hands]()
        """The closed hands and known ends of a deck after each event that changed them."""
        self._public_draws = set[str]()
        """The draws of known ends whose cards all players have seen, as `41.2`."""

    def find_faults(self) -> Iterator[tuple[int, str]]:
        """Yield (event, fault) for each event that differs from its replay."""
        for number, body in self._bodies.items():
            if any(number in events for events in self._openings):
                for fault in self._replay_opened(body):
                    yield number, fault
            if body.keys() & {"seat", "to"} == {"to"}:  # open cards put on a known end
                self._public_draws |= {
                    f"{number}.{position}" for position in range(1, cards.MOST_DRAWN + 1)
                }
            if "shows" in body and body["kind"] == "end":
                for id in self._decks:
                    if not _is_showing_hands(id, self._get_hands(id, self._out), body):
                        yield number, "it opens hands that were not drawn."
            self._apply_patch(body)

    def _get_hands(self, id: str, out: Out) -> dict[str, list[Held]]:
        """Return the closed hands and known ends of a deck at these counts."""
        last_event = out.get(cards.get_last_key(id), 0)
        return cards.get_current_hands(id, out, self._hands_after.get(last_event, {}))

    def _replay_opened(self, body: Event) -> Iterator[str]:
        """Replay the closed cards and faces of an event that was opened since. Yield its faults.

        Note the hands after the event, which later ones are replayed from.
        """
        if any(name in body for name in cards.CLOSES):
            replay = self._replay_hand_exit
            if "closed" in body:
                replay = self._replay_closed_draw
            try:
                self._hands_after[body["number"]] = replay(body)
            except (KeyError, ValueError, IndexError, UserError):
                yield "what it sealed does not match what the file reveals, or what its dice draw."
        if body["kind"] != "sequence":
            return
        for name in body.get("read", {}):
            id = name.removeprefix(DECK)
            if id not in self._decks or not self._out.get(cards.get_last_key(id)):
                continue
            try:
                self._check_sequence_cards(body, id)
            except (KeyError, ValueError, UserError):
                yield (
                    "the card faces it sealed do not match the ones revealed in the file, "
                    "or do not produce the cards that were drawn."
                )

    def _replay_closed_draw(self, body: Event) -> cards.Hands:
        """Return the closed hands after a closed draw. Raises ValueError if it drew other cards."""
        number = body["number"]
        id = body["deck"]
        sides = body["closed"]
        hands = self._get_hands(id, self._out)
        owners = _list_owners(body)
        faces = [
            _parse_face(self._texts[number, f"face.{position}"])
            for position in range(1, len(sides) + 1)
        ]
        if owners or body["does"] == "peek":
            names = [
                self._texts[number, f"card.{position}"] for position in range(1, len(owners) + 1)
            ]
        else:
            names = _list_result_cards(body)
        card_draw = cards.draw(
            id, self._decks[id], self._out, len(names), Script(faces), hands, owners
        )
        if list(card_draw.cards) != names or [die.sides for die in card_draw.dice] != sides:
            raise ValueError
        return cards.compute_hands_after_draw(hands, card_draw, owners, number)

    def _check_sequence_cards(self, body: Event, id: str) -> None:
        """Check the cards that a combat sequence drew from a deck with closed cards.

        Raises ValueError if its faces draw other cards, or if the known ends that it read are not
        those that all players had seen.
        """
        hands = self._get_hands(id, self._out)
        dice = [
            (position, die)
            for position, die in enumerate(body.get("dice", ()), 1)
            if die.get("deck") == id
        ]
        faces = [
            _parse_face(self._texts[body["number"], f"face.{position}"])
            for position, die in dice
            if die["sides"]
        ]
        card_draw = cards.draw(id, self._decks[id], self._out, len(dice), Script(faces), hands)
        if [*card_draw.cards] != [die["value"] for _, die in dice]:
            raise ValueError
        public_ends = [self._list_public_cards(hands.get(pile_end, [])) for pile_end in cards.ENDS]
        lines = body["read"][f"{DECK}{id}"]
        read_ends = read_known_ends(lines, len(hands.get(cards.TOP, ())))
        if [*read_ends] != public_ends:
            raise ValueError

    def _list_public_cards(self, pile_end: Sequence[Held]) -> list[str]:
        """Return the cards on a known end as all players know them: UNSEEN if not all saw it."""
        return [card if draw in self._public_draws else UNSEEN for draw, card in pile_end]

    def _replay_hand_exit(self, body: Event) -> cards.Hands:
        """Return the closed hands after cards left a hand, or open cards were put on a known end.

        Raises ValueError for a card that was not in the hand.
        """
        number = body["number"]
        target = body.get("to", "")
        hands = self._get_hands(body["deck"], self._out)
        if body.get("seat", ""):
            moved = self._take_from_hand(body, hands)
        else:
            names = _list_result_cards(body)
            moved = [(f"{number}.{position}", name) for position, name in enumerate(names, 1)]
        if target:
            hands[target] = cards.put_back_on_end(hands, target, moved)
        return hands

    def _take_from_hand(self, body: Event, hands: dict[str, list[Held]]) -> list[Held]:
        """Remove the closed cards of an event from their hand in `hands`, and return them.

        Each returned card counts as a draw of this event. Named cards must be the oldest copies in
        the hand. If the cards go to another hand or a known end, texts of the event must name them.
        Raises ValueError, KeyError or IndexError if a card or text does not fit.
        """
        number = body["number"]
        hand = hands.setdefault(body["seat"], [])
        closed_names = self._list_closed_names(body)
        text_keys = [key for key in body.get("texts", {}) if key.startswith("from.")]
        text_keys.sort(key=lambda key: int(key.removeprefix("from.")))
        moved = list[Held]()
        for index, key in enumerate(text_keys):
            draws = [draw for draw, _ in hand]
            moved_card = hand[draws.index(self._texts[number, key])]
            name = moved_card[1]
            if closed_names:
                same_cards = [card for card in hand if card[1] == name]
                if name != closed_names[index] or moved_card != same_cards[0]:
                    raise ValueError
            hand.remove(moved_card)
            new_draw = f"{number}.{index + 1}"
            if body.get("to", "") and self._texts[number, f"card.{index + 1}"] != name:
                raise ValueError
            moved.append((new_draw, name))
        return moved

    def _list_closed_names(self, body: Event) -> list[str]:
        """List the cards that an event plays or discards from the closed part of a hand.

        Cards of the hand that were opened before leave it first, and are not listed. Return [] for
        an event that does not name its cards, as it neither plays nor discards.
        """
        if body["does"] not in ("play", "discard"):
            return []
        known_counts = dict(self._out)
        closed_names = []
        for name in _list_result_cards(body):
            key = cards.get_card_key(body["deck"], f"{KNOWN}/{body['seat']}", name)
            if known_counts.get(key):
                known_counts[key] -= 1
            else:
                closed_names.append(name)
        return closed_names

    def _apply_patch(self, body: Event) -> None:
        """Apply the cards and decks that an event sets.

        The undo of a draw returns cards to a known end. If all have seen them, note their draws.
        """
        patch = body.get("after") or {}
        counts = patch.get("cards", {})
        old_out = self._out
        self._out = cards.set_counts(old_out, counts)
        for id, deck in patch.get("game", {}).get("decks", {}).items():
            self._decks[id] = cards.deck_from_json(deck)
        if not counts.get(cards.SEEN):
            return
        undone = self._bodies[body["event"]]
        for id in self._decks:
            hands = self._get_hands(id, old_out)
            hands_after = self._get_hands(id, self._out)
            for viewer_key, draw in cards.list_returned_draws(undone, hands, hands_after):
                if viewer_key == f"{cards.SAW}{cards.ALL}":
                    self._public_draws.add(draw)


def _parse_face(text: str) -> int:
    """Parse the face of a die in a text. Return 0 for any other text."""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 0


def _is_showing_hands(id: str, hands: cards.Hands, body: Event) -> bool:
    """Return whether the end of a game opens all closed cards of a deck as the hands have them.

    `body` is the event of the end, `id` the deck, `hands` its closed hands; known ends among them
    are passed over. Cards that no hand has are not looked for, see `_find_end_problem`.
    """
    old_counts = (body.get("before") or {}).get("cards", {})
    new_counts = (body.get("after") or {}).get("cards", {})
    for owner, hand in hands.items():
        if owner in cards.ENDS:
            continue
        names = [name for _, name in hand]
        for name in names:
            key = cards.get_card_key(id, f"{KNOWN}/{owner}", name)
            if new_counts.get(key, 0) - old_counts.get(key, 0) != names.count(name):
                return False
    return True
