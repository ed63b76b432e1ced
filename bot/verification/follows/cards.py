"""Whether an event follows on those before it: decks, what is drawn from them, where cards go, and
what stays closed.

While cards are closed this tells what all can tell: how many, of which seat, with how many sides.
What they were is recomputed once an event has opened them (`find_opened_faults`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bot.game import cups
from bot.game.state import Game
from bot.game.undo import LEFT, SILENCE, are_silent
from bot.rules import cards
from bot.rules.cards import DISCARD, HAND, KNOWN, PLAY, Deck, Out
from bot.rules.copies import replace
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.inputs.decks import DECK, UNSEEN, read_known_ends
from bot.verification.follows.past import Event, Past, Said, find_words_problem
from bot.verification.follows.turn import find_cards_problem, is_exact_change

Texts = Mapping[tuple[int, str], str]
"""Texts by event and key."""


def check_deck(past: Past, event: Event, said: Said) -> str:
    """A deck is declared, in the place of one of the same name, whose cards all go; no hand has
    any of them.
    """
    now = past.now
    declared = said.get("decks", past.now.decks)
    new = [id for id in declared if declared[id] != now.decks.get(id)] or [
        event["result"].partition(":")[0]
    ]
    if (
        len(new) != 1
        or declared != {**now.decks, new[0]: declared.get(new[0])}
        or not cards.ID.fullmatch(new[0])
    ):
        return "it declares no deck."
    id = new[0]
    made = cards.deck_from_json(declared[new[0]])
    if problem := cards.find_deck_fault(made):
        return problem
    if id in cards.STANDARD and made.cards != cards.STANDARD[id].cards:
        return f"{id} has other cards."
    if cards.count_at(id, HAND, now.cards):
        return f"it declares {id} anew while hands hold closed cards of it."
    typed = [cards.WORD.fullmatch(card) for card, _ in made.cards]
    keys = {f"{event['number']}.{key}" for key in event.get("texts", {})}
    if {found[0] for found in typed if found} != keys:
        return "its cards have other words than are under its hashes."
    gone = dict.fromkeys(cards.select_deck(id, now.cards), 0)
    return find_moves_problem(past, event, cards.set_counts(now.cards, gone)) or find_words_problem(
        event, cards.format_deck_size(id, made)
    )


def check_draw(past: Past, event: Event, said: Said) -> str:
    """Cards are drawn, each by one die; or names are put in order."""
    if said and event["does"] != "lead":
        return "it changes whose go it is."
    if event.get("hand") and not (past.now.hand_dice and "deck" in event and "closed" not in event):
        return "its cards were drawn by hand, which this game did not allow."
    return _check_closed_draw(past, event) if "closed" in event else _check_open_draw(past, event)


def _check_open_draw(past: Past, event: Event) -> str:
    id = event.get("deck", "")
    dice = event.get("dice", [])
    made = past.now.decks.get(id)
    source = Script([die["value"] for die in dice])
    if "seats" in event or not (_is_ordering(event) or event["does"] in ("draw", "lead")):
        return "cards are drawn into hands with their faces closed."
    if event.get("texts", {}).keys() != (
        {f"w{n}" for n in range(1, len(dice) + 1)} if _is_ordering(event) else set()
    ):
        return "it has other texts than the names that it puts in order."
    if not 0 < len(dice) <= cards.MOST_DRAWN or (made is None and not _is_ordering(event)):
        return "it draws from a deck that nobody declared, or too much at once."
    if past.now.cards.get(cards.get_last_key(id)):
        return f"it shows its dice while cards of {id} are closed."
    try:
        if _is_ordering(event):
            drawn = cards.draw_order(
                [f"{event['number']}.w{n}" for n in range(1, len(dice) + 1)], source
            )
        else:
            drawn = cards.draw(
                id, cards.deck_from_json(made or {}), past.now.cards, len(dice), source
            )
    except UserError as error:
        return f"its dice draw no cards: {error}"
    if [die.to_note() for die in drawn.dice] != dice:
        return "its dice are not those that its pile asks for."
    if _is_ordering(event):
        return find_moves_problem(past, event, past.now.cards) or find_words_problem(
            event, ", ".join(drawn.cards)
        )
    if event["does"] == "lead":
        return _check_chit_draw(past, event, drawn)
    return find_moves_problem(past, event, drawn.out) or find_words_problem(
        event, cards.format_cards(id, drawn.cards)
    )


def _check_chit_draw(past: Past, event: Event, drawn: cards.CardDraw) -> str:
    """The chit of a cup that leads the phase is drawn: one, which has the go; or none of it is
    left.
    """
    now = past.now
    id = event["deck"]
    if (
        now.led not in ("", id)
        or len(drawn.cards) != 1
        or drawn.joined >= 0
        or not now.started
        or now.ended
    ):
        return "it draws a chit for a go that has one, or that no cup leads."
    if not is_exact_change(
        event, now, cups.apply_chit_draw(replace(now, cards=drawn.out), id, drawn.cards[0])
    ):
        return "it gives the go to others than the chit does."
    return find_words_problem(event, cards.format_cards(id, drawn.cards))


def _is_ordering(event: Event) -> bool:
    return event["does"] == "names" and "deck" not in event


def _check_closed_draw(past: Past, event: Event) -> str:
    """Cards are drawn whose faces stay closed: into hands, or open ones while others of the deck
    are closed.
    """
    id = event.get("deck", "")
    sides = event["closed"]
    seats = _list_seats(event)
    does = event["does"]
    now = past.now
    if id not in now.decks or "dice" in event or (does == "peek" and "seats" in event):
        return "it draws from a deck that nobody declared, or too much at once."
    own = get_seat(now.players, event["who"])
    peeks = does == "peek"
    fits = {
        "draw": not seats,
        "peek": True,
        "hold": set(seats) == {own},
        "deal": bool(seats) and set(seats) <= set(now.sides),
    }
    if not fits.get(does):
        return "it draws for hands that are not theirs."
    named = [] if seats or peeks else event["result"].removeprefix(f"{id}: ").split(", ")
    count = len(seats or named)
    top = now.cards.get(cards.get_card_key(id, HAND, cards.TOP), 0)
    if not 0 < (_count_peeked(event) if peeks else count) <= cards.MOST_DRAWN or (
        peeks and count > _count_peeked(event)
    ):
        return "it draws nothing, or too much at once."
    keys = {f"face.{n}" for n in range(1, len(sides) + 1)} | {
        f"card.{n}" for n in range(1, len(seats) + 1)
    }
    if event.get("texts", {}).keys() != keys or (
        peeks and count != max(0, _count_peeked(event) - top)
    ):
        return "it has other texts than the cards and faces that it closes."
    if not (seats or peeks or now.cards.get(cards.get_last_key(id))):
        return f"it closes its dice though no card of {id} is closed."
    made = cards.deck_from_json(now.decks[id])
    asked, out = cards.compute_draw_sides(id, made, now.cards, count, peeks=peeks)
    if asked != sides:
        return "its dice are not those that its pile asks for."
    ends = any(
        out.get(key, 0) != now.cards.get(key, 0)
        for key in (cards.get_card_key(id, HAND, end) for end in cards.ENDS)
    )
    for to in (
        (cards.get_card_key(id, HAND, seat) for seat in seats)
        if seats
        else (cards.get_card_key(id, PLAY, card) for card in named)
    ):
        out[to] = out.get(to, 0) + 1
    if named and (problem := _find_overdrawn(id, made, out)):  # into hands nothing more is open
        return problem
    out |= {cards.get_last_key(id): event["number"]} if seats or peeks or ends else {}
    said = (
        [format_closed_count(_count_peeked(event))]
        if peeks
        else named or [format_closed_count(count)]
    )
    return find_moves_problem(past, event, out) or find_words_problem(
        event, cards.format_cards(id, said)
    )


def _count_peeked(event: Event) -> int:
    """Return how many cards somebody peeked at, as the event says."""
    found = re.search(r": ([1-9][0-9]?) closed", event["result"])
    return int(found[1]) if found else 0


def _list_seats(event: Event) -> list[str]:
    """For whom cards were drawn; what a peek draws stays on top."""
    if event["does"] == "peek":
        return [cards.TOP] * sum(key.startswith("card.") for key in event.get("texts", ()))
    return list(event.get("seats", ()))


def get_seat(players: Mapping[str, str], person: str) -> str:
    """The seat of somebody: their side, or their own without one."""
    return players.get(person) or f"@{person}"


def format_closed_count(count: int) -> str:
    """How the log says how many closed cards."""
    return f"{count} closed"


FROM: Mapping[str, tuple[str, ...]] = {
    "discard": (PLAY,),
    "remove": (PLAY, DISCARD),
    "return": (PLAY, DISCARD),
    "shuffle": (DISCARD,),
}
TO = {"play": PLAY, "discard": DISCARD, "remove": cards.REMOVED}


def check_move(past: Past, event: Event, _: Said) -> str:
    """Cards go from play to the discards, out of the game, or back into the pile; or out of a
    hand.
    """
    does = event["does"]
    now = past.now
    if does == "agree":
        return _check_agreement(past, event)
    if event.keys() & {"seats", "by", "reason"}:
        return "it moves cards that do not go there."
    id = event.get("deck", "")
    if id not in now.decks or "shows" in event:
        return "it moves cards of a deck that nobody declared."
    if "seat" in event:
        return _check_move_from_hand(past, event)
    to = event.get("to", "")
    if does not in FROM or "texts" in event or (to and (does != "return" or to not in cards.ENDS)):
        return "it moves cards that do not go there."
    before, after = (past.get_patch(event, name, "cards") for name in ("before", "after"))
    took = cards.list_taken_cards(id, cards.deck_from_json(now.decks[id]), before, after)
    wrong = [place for place, _ in took if place not in FROM[does]]
    discards = sum(cards.count_at(id, DISCARD, now.cards).values())
    every = discards + cards.count_known_ends(id, now.cards)
    if wrong or (not every if does == "shuffle" else not took):
        return "it moves cards that do not go there."
    if len(took) != discards if does == "shuffle" else len(took) > cards.MOST_DRAWN:
        return "it moves cards that do not go there."
    out = cards.remove_ends(id, now.cards) if does == "shuffle" else now.cards
    try:
        for place, card in took:
            out = cards.take_cards(id, out, [card], [place], TO.get(does, ""))
    except UserError as error:  # of a deck that has a card twice, which was said before
        return f"it moves cards that are not there: {error}"
    names = [f"{every} cards"] if does == "shuffle" else [card for _, card in took]
    if to:
        said = event["result"].removeprefix(f"{id}: ").split(", ")
        names = said if sorted(said) == sorted(names) else names
        out = cards.put_on_end(id, out, to, len(names), event["number"])
    return find_moves_problem(past, event, out) or find_words_problem(
        event, cards.format_cards(id, names)
    )


def _check_move_from_hand(past: Past, event: Event) -> str:
    """Cards leave a hand: into play or to the discards by name, or closed, into another hand or
    back into the pile.
    """
    id = event["deck"]
    does = event["does"]
    seat = event["seat"]
    to = event.get("to", "")
    now = past.now
    to_end = does == "back" and to in cards.ENDS
    if (
        seat != get_seat(now.players, event["who"])
        or (does == "give") != (bool(to) and not to_end)
        or to == seat
    ):
        return "it takes cards out of a hand that is not theirs."
    if to and not to_end and not (to in now.sides or to.removeprefix("@") in past.acted):
        return "it gives cards to nobody."
    texts = event.get("texts", {})
    out = dict(now.cards)
    there = out.get(cards.get_card_key(id, HAND, seat), 0)
    if does in ("give", "back"):
        count = sum(key.startswith("from.") for key in texts)
        keys = {
            f"{what}.{n}"
            for n in range(1, count + 1)
            for what in ("from", *(("card",) if to else ()))
        }
        names = [format_closed_count(count)]
        out |= (
            {cards.get_card_key(id, HAND, to): out.get(cards.get_card_key(id, HAND, to), 0) + count}
            if to
            else {}
        )
    elif does in ("play", "discard"):
        names = event["result"].removeprefix(f"{id}: ").split(", ")
        count = 0
        for card in names:
            known = cards.get_card_key(id, f"{KNOWN}/{seat}", card)
            goes = cards.get_card_key(id, TO[does], card)
            is_known = bool(out.get(known))
            out |= {known: out.get(known, 0) - is_known, goes: out.get(goes, 0) + 1}
            count += not is_known
        keys = {f"from.{n}" for n in range(1, count + 1)}
        if not set(names) <= {card for card, _ in cards.deck_from_json(now.decks[id]).cards}:
            return "it plays a card that the deck does not have."
    else:
        return "it takes cards out of a hand for nothing."
    if (
        texts.keys() != keys
        or not 0 < len(names) <= cards.MOST_DRAWN
        or count > there
        or (not count and texts)
    ):
        return "it has other texts than the cards that it takes."
    out[cards.get_card_key(id, HAND, seat)] = there - count
    out |= {cards.get_last_key(id): event["number"]} if count else {}
    problem = _find_overdrawn(id, cards.deck_from_json(now.decks[id]), out)
    return (
        problem
        or find_moves_problem(past, event, out)
        or find_words_problem(event, cards.format_cards(id, names))
    )


def _find_overdrawn(id: str, made: Deck, out: Out) -> str:
    """Return whether more of a card lie open than the deck has."""
    return (
        "it plays a card more often than the deck has it."
        if cards.is_overdrawn(id, made, out)
        else ""
    )


def _check_agreement(past: Past, event: Event) -> str:
    """A side agrees that closed hands are opened when the game ends."""
    seat = get_seat(past.now.players, event["who"])
    if event.keys() & {"seats", "by", "reason"}:
        seat = (event.get("seats") or [""])[0]
        problem = _check_stand_in(past, event)
        if problem:
            return problem
    if event.keys() & {"deck", "seat", "to", "texts"} or past.now.cards.get(
        get_agreement_key(seat)
    ):
        return "it agrees to what was agreed to."
    return find_moves_problem(
        past, event, {**past.now.cards, get_agreement_key(seat): 1}
    ) or find_words_problem(event, "hands may be opened")


def _check_stand_in(past: Past, event: Event) -> str:
    """What is wrong with a manager who agrees in the place of a side that holds cards and is
    gone.
    """
    seats = event.get("seats", [])
    now = past.now
    others = list_persons_at(now.players, seats[0]) if len(seats) == 1 else set[str]()
    if (
        not event.keys() >= {"by", "reason"}
        or not others
        or event["who"] in {*others, *now.players}
    ):
        return "who agreed had no say in it."
    if seats[0] not in list_holders(now.cards, now.decks) or event["reason"] not in (LEFT, SILENCE):
        return "who agreed had no say in it."
    is_silent = event["reason"] == LEFT or are_silent(past.bodies.values(), others, event["at"])
    return (
        ""
        if is_silent
        else "it says that the other side was silent for seven days, but it was not."
    )


def list_persons_at(players: Mapping[str, str], seat: str) -> set[str]:
    """Who sits at a seat."""
    return (
        {seat[1:]}
        if seat.startswith("@")
        else {one for one, side in players.items() if side == seat}
    )


def get_agreement_key(seat: str) -> str:
    """Under which it is kept that a seat agrees to hands being opened."""
    return f"+agreed/{seat}"


def list_closed_hands(game: Game) -> Iterator[str]:
    """Which cards are still closed, so that nobody can check them, a line for each hand."""
    for id in game.decks:
        for seat, count in sorted(cards.count_at(id, HAND, game.cards).items()):
            held = "1 closed card" if count == 1 else f"{count} closed cards"
            whose = (
                "a person's hand"
                if seat.startswith("@")
                else cards.ENDS.get(seat, f"{seat}'s hand")
            )
            yield f"Still closed: {held} of {id} {'at' if seat in cards.ENDS else 'in'} {whose}."


def list_seats_with_cards(out: Out, decks: Mapping[str, object]) -> list[str]:
    """The seats that hold closed cards, and the known ends of piles."""
    return sorted({seat for id in decks for seat in cards.count_at(id, HAND, out)})


def list_holders(out: Out, decks: Mapping[str, object]) -> list[str]:
    """The seats that hold closed cards."""
    return [seat for seat in list_seats_with_cards(out, decks) if seat not in cards.ENDS]


def return_hands(out: Out, decks: Mapping[str, object], seats: Sequence[str]) -> dict[str, int]:
    """What is out of the piles once these seats have put their hands back."""
    gone = [key for id in decks for seat in seats for key in out
            if key == cards.get_card_key(id, HAND,
            seat) or key.startswith(cards.get_card_key(id, KNOWN, f"{seat}/"))]  # fmt: skip
    return cards.set_counts(out, dict.fromkeys(gone, 0))


def find_hands_problem(past: Past, event: Event, said: Said) -> str:
    """What is wrong with the hands that an event puts back or opens: those of seats where nobody
    sits any more, all at an import, whose closed cards stayed where they were, and at the end of a
    game."""
    now = past.now
    kind = event["kind"]
    if kind in ("join", "leave", "claim", "privacy"):
        players = said.get("players", now.players)
        master = said.get("master", now.master)
        gone = {event["who"], event.get("own", ""), *(now.players.keys() - players.keys())}
        gone |= {now.master} if master != now.master else set()
        return find_moves_problem(
            past, event, return_cards_of_leavers(now.cards, now.decks, now.players, players, gone)
        )
    if kind == "import":
        return find_moves_problem(past, event, return_closed_cards(now.cards, now.decks))
    if kind == "fair":
        if "revealed" in event:
            return _check_reveal(past, event)
        return (
            "it opens closed cards, which only the seed does."
            if event.keys() & {"shows", "before"}
            else ""
        )
    return _check_end(past, event) if kind == "end" else ""


def return_cards_of_leavers(
    out: Out,
    decks: Mapping[str, object],
    players: Mapping[str, str],
    now: Mapping[str, str],
    persons: Iterable[str],
) -> dict[str, int]:
    """What is out of the piles once those who left their seats have put their hands back."""
    sides = {*players.values()} - {*now.values()}
    return return_hands(out, decks, [*sides, *(f"@{one}" for one in persons)])


def apply_seat_changes(game: Game, players: Mapping[str, str], persons: Iterable[str]) -> Game:
    """The game with these players, once `persons` have taken or left their seats."""
    out = return_cards_of_leavers(game.cards, game.decks, game.players, players, persons)
    return replace(game, players=players, cards=out if out != game.cards else game.cards)


def return_closed_cards(out: Out, decks: Mapping[str, object]) -> dict[str, int]:
    """What is out of the piles when all hands go back, and nothing is closed any more."""
    back = return_hands(
        out, decks, [*list_seats_with_cards(out, decks), *_list_known_seats(out, decks)]
    )
    return cards.set_counts(
        back, {key: 0 for key in back if key.startswith("+") or key.endswith("/last")}
    )


def _list_known_seats(out: Out, decks: Mapping[str, object]) -> set[str]:
    return {key.rpartition("/")[0] for id in decks for key in cards.count_at(id, KNOWN, out)}


def find_moves_problem(past: Past, event: Event, out: Out) -> str:
    """What is wrong with what an event changes of cards, which is to lead to `out`."""
    return find_cards_problem(past, event, cards.set_counts(out, {}))


def _find_opening_problem(past: Past, event: Event) -> str:
    """What is wrong with what an event opens of closed cards: all since the first that is
    closed, and nothing else.
    """
    return (
        "" if event.get("shows", 0) == past.now.hidden else "it opens other cards than are closed."
    )


def _check_reveal(past: Past, event: Event) -> str:
    """What is wrong with closed cards when a seed is revealed: no hand has any, and what was
    closed is opened.
    """
    now = past.now
    if list_seats_with_cards(now.cards, now.decks):
        return "a seed is not revealed while a card under it is closed."
    out = {key: count for key, count in now.cards.items() if not key.endswith("/last")}
    return _find_opening_problem(past, event) or find_moves_problem(past, event, out)


def _check_end(past: Past, event: Event) -> str:
    """What is wrong with the hands that a game's end opens; each seat that holds one has agreed,
    or ends the game.
    """
    now = past.now
    out = dict(past.now.cards)
    holding = list_holders(out, now.decks)
    own = get_seat(now.players, event["who"])
    if any(not out.get(get_agreement_key(seat)) and seat != own for seat in holding):
        return "closed hands are opened though not every side agreed."
    after = past.get_patch(event, "after", "cards")
    for id, made in now.decks.items():
        out = cards.remove_ends(id, out)
        for seat, count in cards.count_at(id, HAND, out).items():
            shown = {
                one["id"]: after.get(cards.get_card_key(id, f"{KNOWN}/{seat}", one["id"]), 0)
                for one in made["cards"]
            }
            was = {
                card: out.get(cards.get_card_key(id, f"{KNOWN}/{seat}", card), 0) for card in shown
            }
            fresh = {card: max(some, was[card]) for card, some in shown.items()}
            if sum(fresh.values()) - sum(was.values()) != count:
                return "it opens other hands than there are."
            out |= {
                cards.get_card_key(id, f"{KNOWN}/{seat}", card): some
                for card, some in fresh.items()
            }
            out[cards.get_card_key(id, HAND, seat)] = 0
    out = {
        key: count
        for key, count in out.items()
        if not (key.startswith("+") or key.endswith("/last"))
    }
    return _find_opening_problem(past, event) or find_moves_problem(past, event, out)


def find_opened_faults(bodies: Sequence[Event], texts: Texts) -> Iterator[tuple[int, str]]:
    """What is wrong with closed cards and faces that an event opened, by event: each draw is
    computed again.
    """
    opens = [(body["shows"], body["number"]) for body in bodies if "shows" in body]
    out = dict[str, int]()
    decks = dict[str, Deck]()
    told = dict[int, cards.Hands]()
    seen = set[str]()
    by_number = {body["number"]: body for body in bodies}
    for body in bodies:
        number = body["number"]
        id = str(body.get("deck", ""))
        is_open = any(first <= number < by for first, by in opens)
        if is_open and any(name in body for name in cards.CLOSES):
            hands = cards.get_current_hands(
                id, out, told.get(out.get(cards.get_last_key(id), 0), {})
            )
            try:
                told[number] = (_replay_closed_draw if "closed" in body else _replay_hand_exit)(
                    body, decks[id], out, hands, texts
                )
            except (KeyError, ValueError, IndexError, StopIteration, UserError):
                yield (
                    number,
                    "what it closed is not in the file as it was opened, or not what its dice draw.",
                )
        for name in body.get("read", {}) if is_open and body["kind"] == "sequence" else ():
            one = name.removeprefix(DECK)
            hands = cards.get_current_hands(
                one, out, told.get(out.get(cards.get_last_key(one), 0), {})
            )
            try:
                if one in decks and out.get(cards.get_last_key(one)):
                    _check_named_cards(body, one, decks[one], out, hands, texts, seen)
            except (KeyError, ValueError, UserError):
                yield (
                    number,
                    "its closed faces are not in the file as they were opened, or do not draw its cards.",
                )
        if body.keys() & {"seat", "to"} == {"to"}:
            seen |= {f"{number}.{at}" for at in range(1, cards.MOST_DRAWN + 1)}
        if "shows" in body and body["kind"] == "end":
            for one in decks:
                hands = cards.get_current_hands(
                    one, out, told.get(out.get(cards.get_last_key(one), 0), {})
                )
                if not _is_showing_hands(one, hands, body):
                    yield number, "it opens other hands than were drawn."
        patch = body.get("after") or {}
        was = out
        out = cards.set_counts(out, patch.get("cards", {}))
        decks |= {
            one: cards.deck_from_json(made)
            for one, made in patch.get("game", {}).get("decks", {}).items()
        }
        for one in decks if patch.get("cards", {}).get(cards.SEEN) else ():
            now, back = (
                cards.get_current_hands(one, at, told.get(at.get(cards.get_last_key(one), 0), {}))
                for at in (was, out)
            )
            again = cards.list_returned_draws(by_number[body["event"]], now, back)
            seen |= {draw for whose, draw in again if whose == f"{cards.SAW}{cards.ALL}"}


def _replay_closed_draw(
    body: Event, made: Deck, out: Out, hands: Mapping[str, list[tuple[str, str]]], texts: Texts
) -> cards.Hands:
    """The hands behind a closed draw. Raises ValueError where its faces draw other cards."""
    number = body["number"]
    id = body["deck"]
    seats = _list_seats(body)
    told = [texts[number, f"face.{at}"] for at in range(1, len(body["closed"]) + 1)]
    faces = [int(face) if re.fullmatch("[0-9]{1,9}", face) else 0 for face in told]
    if seats or body["does"] == "peek":
        named = [texts[number, f"card.{at}"] for at in range(1, len(seats) + 1)]
    else:
        named = body["result"].removeprefix(f"{id}: ").split(", ")
    drawn = cards.draw(id, made, out, len(named), Script(faces), hands, seats)
    if list(drawn.cards) != named or [die.sides for die in drawn.dice] != body["closed"]:
        raise ValueError
    return cards.compute_hands_after_draw(hands, drawn, seats, number)


def _check_named_cards(
    body: Event, id: str, made: Deck, out: Out, hands: cards.Hands, texts: Texts, seen: set[str]
) -> None:
    """Raise ValueError where the closed faces of a combat sequence draw other cards of a deck than
    it names, or where others were known to all on its ends than it read: those whose draws all have
    `seen`."""
    dice = [(at, die) for at, die in enumerate(body.get("dice", ()), 1) if die.get("deck") == id]
    faces = [texts[body["number"], f"face.{at}"] for at, die in dice if die["sides"]]
    script = Script([int(face) if re.fullmatch("[0-9]{1,9}", face) else 0 for face in faces])
    drawn = cards.draw(id, made, out, len(dice), script, hands)
    rows = (hands.get(end, ()) for end in cards.ENDS)
    known = [[card if draw in seen else UNSEEN for draw, card in row] for row in rows]
    told = read_known_ends(body["read"][f"{DECK}{id}"], len(hands.get(cards.TOP, ())))
    if [*drawn.cards] != [die["value"] for _, die in dice] or [*told] != known:
        raise ValueError


def _replay_hand_exit(
    body: Event, _: Deck, out: Out, hands: Mapping[str, list[tuple[str, str]]], texts: Texts
) -> cards.Hands:
    """The hands behind an event that took cards out of one. Raises ValueError for a card that
    was not in it.
    """
    number = body["number"]
    id = body["deck"]
    seat = body.get("seat", "")
    to = body.get("to", "")
    now = {one: list(held) for one, held in hands.items()}
    if not seat:
        named = body["result"].removeprefix(f"{id}: ").split(", ")
        now[to] = cards.put_back_on_end(
            now, to, [(f"{number}.{at}", card) for at, card in enumerate(named, 1)]
        )
        return now
    moved = list[tuple[str, str]]()
    held = now.setdefault(seat, [])
    names: list[str | None] = list(body["result"].removeprefix(f"{id}: ").split(", "))
    known = dict(out)
    closed: list[str | None] = []
    for card in names if body["does"] in ("play", "discard") else []:
        open_one = cards.get_card_key(id, f"{KNOWN}/{seat}", str(card))
        if known.get(open_one):
            known[open_one] -= 1
        else:
            closed.append(card)
    keys = sorted(
        (key for key in body.get("texts", {}) if key.startswith("from.")),
        key=lambda key: int(key[5:]),
    )
    for at, key in enumerate(keys):
        found = next(one for one in held if one[0] == texts[number, key])
        card = closed[at] if closed else found[1]
        oldest = next(one for one in held if one[1] == found[1])
        if found[1] != card or (closed and found != oldest):
            raise ValueError
        held.remove(found)
        if to:
            if texts[number, f"card.{at + 1}"] != found[1]:
                raise ValueError
            moved.append((f"{number}.{at + 1}", found[1]))
    now |= {to: cards.put_back_on_end(now, to, moved)} if to else {}
    return now


def _is_showing_hands(id: str, hands: cards.Hands, body: Event) -> bool:
    """Return whether the end of a game shows just what is in the hands."""
    before, after = ((body.get(name) or {}).get("cards", {}) for name in ("before", "after"))
    for seat, held in ((seat, held) for seat, held in hands.items() if seat not in cards.ENDS):
        for card in {card for _, card in held}:
            name = cards.get_card_key(id, f"{KNOWN}/{seat}", card)
            if after.get(name, 0) - before.get(name, 0) != sum(one == card for _, one in held):
                return False
    return True
