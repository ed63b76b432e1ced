"""`/deck` where cards are held: dealt and given closed, played, discarded and put back; and
`/hand`, one's own.

Nothing but the drawing itself and what its seat is shown reads a closed card: no refusal to anybody
else, no button, no count and no order of theirs hangs on one.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from bot.commands.closed_piles import find_game_deck, load_closed_hands
from bot.commands.context import Context
from bot.commands.log.undo import find_stand_in_reason, manages_game_channel
from bot.commands.play import decks
from bot.commands.turns.mentions import call_sides
from bot.game import cups
from bot.game.decks import get_seen_ends, list_deck_names
from bot.game.rights import need_player
from bot.game.sides import find_side
from bot.game.state import DRAW, Game, Json
from bot.preferences.forms import build_form_button
from bot.rules import cards
from bot.rules.cards import DISCARD, HAND, KNOWN, PLAY, REMOVED, Deck
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.inputs.decks import UNSEEN
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import ITEM_ENDS, NameIndex, comparison_key
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.rulesets.deck_file import AFTER
from bot.storage.base import DAY
from bot.storage.records import Doc
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
"""Cards of a menu; a larger hand has several pages."""
MOST_ASKED = 20
"""Persons whom one may give a card by a button; others by `/deck give`."""
_MOVES = {
    "discard": ((PLAY,), DISCARD, "discards"),
    "remove": ((PLAY, DISCARD), REMOVED, "takes out of the game"),
    "return": ((PLAY, DISCARD), "", "puts back into the pile"),
}


async def discard_cards(context: Context) -> Reply:
    """Cards in play, or in one's hand, go to the discards; out of the game where that is asked
    for.
    """
    return await _move_open_cards(
        context, "remove" if context.clean_options()["out"] else "discard"
    )


async def return_cards(context: Context) -> Reply:
    """Cards in play or discarded go back into the pile; those in one's hand do so closed."""
    return await _move_open_cards(context, "return", _ENDS[context.clean_options()["place"]])


_ENDS = {"pile": "", "top": cards.TOP, "bottom": cards.BOTTOM}


async def _move_open_cards(context: Context, does: str, end: str = "") -> Reply:
    options = context.clean_options()
    game = context.need_open()
    need_player(game, context.actor)
    id = await _find_deck(context, _MOVES[does][0])
    decks.check_chits(context, id)
    deck = cards.deck_from_json(game.decks[id])
    names = await decks.load_card_names(context, id, deck.ids)
    there = {place: cards.count_at(id, place, game.cards) for place in _MOVES[does][0]}
    typed = clean_name(options["cards"], 1_000)
    try:
        wanted = _find_open_cards(typed, id, deck, names, there)
    except UserError:
        if does == "remove" or not cards.count_hand_cards(id, game.cards).get(
            _get_hand_owner(context)
        ):
            raise
        return await _move_out_of_hand(
            context, id, "discard" if does == "discard" else "back", typed, end=end
        )
    if end:
        decks.check_no_cup(context, id)
        return await _put_at_end(context, id, deck, names, wanted, end)
    told = []
    for act, some in _group_by_destination(context, id, does, wanted).items():
        before, (places, to, verb) = context.game, _MOVES[act]
        out = cards.take_cards(id, before.cards, some, places, to)
        took = [
            card
            for _, card in cards.list_taken_cards(
                id, deck, before.cards, dict.fromkeys(before.cards, 0) | out
            )
        ]
        context.ledger.add(
            "cards", cards=out, deck=id, does=act, result=cards.format_cards(id, took)
        )
        told.append(f"{verb} {', '.join(names[card] for card in took)}")
    return decks.build_moved_reply(context, f"{context.user_name} {'; '.join(told)}", id, deck)


def _group_by_destination(
    context: Context, id: str, does: str, wanted: Sequence[str]
) -> Mapping[str, list[str]]:
    """The cards by what happens to them: those that are discarded go where the game's files say
    that they go after.
    """
    made = find_game_deck(context, id)
    found = dict[str, list[str]]()
    for card in wanted:
        goes = (
            AFTER[made.after.get(card, "discard")]
            if made is not None and does == "discard"
            else does
        )
        found.setdefault(goes, []).append(card)
    return found


async def _put_at_end(
    context: Context, id: str, deck: Deck, names: decks.Names, wanted: Sequence[str], end: str
) -> Reply:
    """Cards that lie open go on top of the pile or to its bottom, the first on top, and all know
    which they are.
    """
    game = context.game
    hands = await load_closed_hands(context, id)
    number = context.ledger.next_number
    put = [(f"{number}.{at}", card) for at, card in enumerate(wanted, 1)]
    hands[end] = cards.put_back_on_end(hands, end, put)
    decks.note_seen_cards(hands, cards.ALL, put)
    context.ledger.keep_hands(hands)
    out = cards.put_on_end(
        id, cards.take_cards(id, game.cards, wanted, (PLAY, DISCARD), ""), end, len(wanted), number
    )
    said = cards.format_cards(id, wanted)
    context.ledger.add("cards", cards=out, deck=id, does="return", to=end, result=said)
    where = f"{'on' if end == cards.TOP else 'at'} {cards.ENDS[end]}"
    return decks.build_moved_reply(
        context,
        f"{context.user_name} puts {where}: {', '.join(names[card] for card in wanted)}",
        id,
        deck,
    )


def _find_open_cards(
    typed: str, id: str, deck: Deck, names: decks.Names, there: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """The cards that are meant among those that lie open. Raises UserError for any other, and
    for none.
    """
    if comparison_key(typed) == "all":
        wanted = [card for card, _ in deck.cards for _ in range(there[PLAY].get(card, 0))]
    else:
        wanted = [_find_open_card(one, names, there) for one in _split_cards(typed)]
    if not wanted or len(wanted) > cards.MOST_DRAWN:
        what = (
            f"At most {cards.MOST_DRAWN} cards are moved at once."
            if wanted
            else f"No card of {id} is in play."
        )
        raise UserError(
            what, hint=phrase("`/deck show` lists them."), option="cards", code="unknown-card"
        )
    for card, count in Counter(wanted).items():
        if count > sum(some.get(card, 0) for some in there.values()):
            raise UserError(
                f"There are not so many of {names[card]}.", option="cards", code="unknown-card"
            )
    return wanted


def _split_cards(typed: str) -> list[str]:
    return [card for piece in re.split(ITEM_ENDS, typed) if (card := piece.strip())]


def _find_open_card(typed: str, names: decks.Names, there: Mapping[str, Mapping[str, int]]) -> str:
    """The card that is meant, by its name or id. Raises UserError for one that is not there."""
    card = _find_card_by_name(typed, names)
    if any(card in some for some in there.values()):
        return card
    shown = [names[card] for some in there.values() for card in some]
    where = "in play" if DISCARD not in there else "in play or discarded"
    what = (
        f"{names[card]} is not {where}." if card in names else f'There is no card "{typed[:40]}".'
    )
    hint = f"{where.capitalize()}: {', '.join(shown[:20])}." if shown else ""
    raise UserError(what, hint=hint, option="cards", code="unknown-card")


def _find_card_by_name(typed: str, names: decks.Names) -> str:
    """The card that is called so; what is typed, for none."""
    called = NameIndex({card.casefold(): card for card in names})
    called |= {name.casefold(): card for card, name in reversed([*names.items()])}
    return called.get(typed.casefold()) or typed


def _get_hand_owner(context: Context) -> str:
    """The seat of who asks."""
    return get_seat(context.game.players, context.ledger.find_person())


async def deal_cards(context: Context) -> Reply:
    """Cards for each side that somebody plays, one after the other, closed. Raises UserError."""
    options = context.clean_options()
    id, deck = decks.find_deck_to_draw_from(context, options["deck"] or "")
    game = context.game
    count = options["count"]
    sides = [side for side in game.sides if side in game.players.values()]
    if not sides:
        hint = phrase("`/deck draw` with `to=me` draws into your own hand.")
        raise UserError("Cards are dealt to sides that somebody plays.", hint=hint, code="no-sides")
    if count * len(sides) > cards.MOST_DRAWN:
        most = cards.MOST_DRAWN // len(sides)
        raise UserError(f"At most {most} each are dealt at once.", option="count", code="bad-value")
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
        buttons=(decks.build_hand_button(context), context.build_button("undo", "Undo", number)),
        tone=SEALED,
    )


async def play_cards(context: Context) -> Reply:
    """Cards out of one's hand, for all to see."""
    return await _move_typed_cards_from_hand(context, "play")


async def _move_typed_cards_from_hand(context: Context, does: str) -> Reply:
    need_player(context.need_open(), context.actor)
    id = await _find_deck(context)
    return await _move_out_of_hand(
        context, id, does, clean_name(context.clean_options()["cards"], 1_000)
    )


async def _find_deck(context: Context, places: Sequence[str] = ()) -> str:
    """The deck that is meant: of several, where none is named, the one that has cards in these
    `places` or in the hand of who asks; of several such the one that has there what is typed."""
    game = context.game
    options = context.clean_options()
    own = _get_hand_owner(context)
    typed = options["deck"] or ""
    words = {comparison_key(one) for one in _split_cards(clean_name(options["cards"], 1_000))}
    there = dict[str, set[str]]()
    for id in () if typed else game.decks:
        held = [card for _, card in (await load_closed_hands(context, id)).get(own, ())]
        for place in (*places, f"{KNOWN}/{own}"):
            held += cards.count_at(id, place, game.cards)
        if held:
            there[id] = {
                comparison_key(one)
                for one in (*held, *(await decks.load_card_names(context, id, held)).values())
            }
    likely = [id for id, said in there.items() if len(there) == 1 or words <= said]
    if places and words == {"all"}:
        likely = [id for id in there if cards.count_at(id, PLAY, game.cards)] or list(there)
    return likely[0] if len(likely) == 1 else decks.find_deck(context, typed)


async def give_cards(context: Context) -> Reply:
    """Cards of one's hand go to another, closed: sealed anew for whoever gets them."""
    return await _move_typed_cards_from_hand(context, "give")


async def press_card(context: Context, about: str) -> Reply:
    """A card that was chosen in the menu of one's hand; it names the draw that it came from, which
    only they know. The hand is shown anew in its place; a card that is to be given asks first for
    whom. Raises UserError."""
    does, id, draw, *rest = [*about.split(":"), "", ""]
    if does not in ("play", "discard", "give") or id not in context.need_game().decks:
        raise UserError("This button no longer works.", code="used-up")
    hands = await load_closed_hands(context, id)
    place = next(
        (at for at, one in enumerate(hands.get(_get_hand_owner(context), ())) if one[0] == draw), -1
    )
    try:
        need_player(context.need_open(), context.actor)
        if place < 0 and draw[:1] != "=":
            raise UserError("That card is no longer in your hand.", code="unknown-card")
        to = _list_recipients(context).get(rest[0], "") if does == "give" else ""
        if does == "give" and not to:
            return await _ask_recipient(context, id, draw)
        told = await _move_out_of_hand(context, id, does, "", draw, to)
    except UserError as error:
        shown = await press_hand(context, "")
        return replace(
            shown,
            title=str(error.message),
            lines=(*((error.hint,) if error.hint else ()), *shown.lines),
        )
    return replace(
        await press_hand(context, str(max(0, place) // MOST)), announce=told.announce or told
    )


def _list_recipients(context: Context) -> dict[str, str]:
    """Return the other seats that may be given a card, by button key: a side's index, or `@person`."""
    game = context.game
    own = _get_hand_owner(context)
    if game.sides:
        return {
            str(at): one
            for at, one in enumerate(game.sides)
            if one in game.players.values() and one != own
        }
    present = (f"@{person}" for person in sorted(context.ledger.list_present_persons()))
    return {seat: seat for seat in [one for one in present if one != own][:MOST_ASKED]}


async def _ask_recipient(context: Context, id: str, draw: str) -> Reply:
    """Build the private question of who gets a card. It replaces the hand's window."""
    names = await decks.load_card_names(
        context, id, cards.deck_from_json(context.game.decks[id]).ids
    )
    held = (await load_closed_hands(context, id)).get(_get_hand_owner(context), [])
    card = _find_own_cards(id, "", draw, held, {}, names)[0]
    labels = {
        at: context.ledger.get_name(one[1:]) if one[0] == "@" else one
        for at, one in _list_recipients(context).items()
    }
    buttons = [
        context.build_button("handcard", label[:40], "give", id, draw, at)
        for at, label in labels.items()
    ]
    back = context.build_button("handpage", "Back", 0)
    return Reply(
        f"Give {names[card]} to whom?", private=True, buttons=(*buttons, back), window=True
    )


async def _move_out_of_hand(
    context: Context, id: str, does: str, typed: str, draw: str = "", end: str = ""
) -> Reply:
    """Cards leave one's hand, into that of another or to an `end` of the pile. Of several copies it
    is one that all know, else the oldest."""
    game = context.game
    ledger = context.ledger
    seat = _get_hand_owner(context)
    deck = cards.deck_from_json(game.decks[id])
    names = await decks.load_card_names(context, id, deck.ids)
    hands = await load_closed_hands(context, id)
    own = hands.get(seat, [])
    known = Counter(cards.count_known_cards(id, seat, game.cards))
    if does in ("give", "back"):
        known.clear()
    wanted = _find_own_cards(id, typed, draw, own, known, names)
    to = (end or _find_receiver(context, seat)) if does == "give" else end
    moves = list[tuple[str, str]]()
    decks.check_room(context, id, [to] * len(wanted) if does == "give" else ())
    number = ledger.next_number
    out = dict(game.cards)
    hidden = dict[str, str]()
    for card in wanted:
        if known[card]:
            known[card] -= 1
            out[cards.get_card_key(id, f"{KNOWN}/{seat}", card)] -= 1
        else:
            held = next(one for one in own if one[1] == card)
            own.remove(held)
            at = sum(key.startswith("from.") for key in hidden) + 1
            hidden[f"from.{at}"] = held[0]
            out[cards.get_card_key(id, HAND, seat)] -= 1
            if to:
                hidden[f"card.{at}"] = card
                moves.append((f"{number}.{at}", card))
                out[cards.get_card_key(id, HAND, to)] = (
                    out.get(cards.get_card_key(id, HAND, to), 0) + 1
                )
        if goes := {"play": PLAY, "discard": DISCARD}.get(does):
            out[cards.get_card_key(id, goes, card)] = (
                out.get(cards.get_card_key(id, goes, card), 0) + 1
            )
    if hidden:
        if to:
            hands[to] = cards.put_back_on_end(hands, to, moves)
        if end in cards.ENDS:
            decks.note_seen_cards(hands, seat, moves)
        context.ledger.keep_hands(hands)
        out[cards.get_last_key(id)] = number
    said = wanted if does in ("play", "discard") else [closed_words(len(wanted))]
    now = {key: count for key, count in out.items() if count}
    ledger.add(
        "cards",
        cards=now,
        deck=id,
        does=does,
        seat=seat,
        to=to,
        hidden=hidden,
        result=cards.format_cards(id, said),
    )
    return _build_move_reply(context, id, deck, does, wanted, names, to)


def _build_move_reply(
    context: Context,
    id: str,
    deck: Deck,
    does: str,
    wanted: Sequence[str],
    names: decks.Names,
    to: str,
) -> Reply:
    """What all see of cards that left a hand, and what their holder does."""
    named = [names[card] for card in wanted]
    small = Small(f"{id}: {decks.format_counts(context, id, deck)}")
    buttons = (
        decks.build_hand_button(context),
        context.build_button("undo", "Undo", context.game.number),
    )
    if does in ("play", "discard"):
        title = (
            f"{context.user_name} {'plays' if does == 'play' else 'discards'} {', '.join(named)}"
        )
        uses = _build_use_buttons(context, id, wanted) if does == "play" else ()
        return Reply(title, (small,), by=f"from {id}", buttons=(*uses, *buttons))
    whose = decks.format_hand_name(context, to) if to else "the pile"
    into = f"into {whose}" if to else f"back into {whose}"
    if to in cards.ENDS:
        into = f"on {whose}" if to == cards.TOP else f"at {whose}"
    told = Reply(
        f"{context.user_name} {'puts' if does == 'back' else 'gives'} {format_count(len(named), 'closed card')} {into}",
        (small,), by=f"of {id}", buttons=buttons, tone=SEALED,
    )  # fmt: skip
    return (
        Reply(f"You give {', '.join(named)} {into}", private=True, announce=told)
        if does == "give"
        else told
    )


def _build_use_buttons(context: Context, id: str, played: Sequence[str]) -> tuple[Button, ...]:
    """Return a button that opens the form of each sequence that uses the card just played."""
    if context.system is None or len(played) != 1:
        return ()
    found = list[Button]()
    for sequence in context.system.sequences.values():
        for option in sequence.inputs:
            if id in option.in_play and played[0] in option.values:
                path = (context.system.id, sequence.id)
                given = {option.name: played[0]}
                found.append(build_form_button(path, given, sequence.verb, context.registry))
    return tuple([button._replace(style="primary") for button in found])


def _find_own_cards(
    id: str,
    typed: str,
    draw: str,
    own: Sequence[tuple[str, str]],
    known: Mapping[str, int],
    names: decks.Names,
) -> list[str]:
    """The cards of one's own hand that are meant. Raises UserError, which says only what who
    asks can see.
    """
    there = Counter(card for _, card in own) + Counter(known)
    if draw:
        wanted = [draw[1:]] if draw[0] == "=" else [card for held, card in own if held == draw]
    elif comparison_key(typed) == "all":
        wanted = [*there.elements()]
    else:
        wanted = [_find_card_by_name(one, names) for one in _split_cards(typed)]
    if not wanted or len(wanted) > cards.MOST_DRAWN or Counter(wanted) - there:
        lacking = next((names.get(card, typed) for card in Counter(wanted) - there), "such a card")
        what = f"You do not hold {lacking}." if there else f"You hold no cards of {id}."
        raise UserError(
            what, hint=phrase("`/hand` shows yours."), option="cards", code="unknown-card"
        )
    return wanted


def _find_receiver(context: Context, seat: str) -> str:
    """The seat that is given cards. Raises UserError for one's own, and for somebody who is not
    there.
    """
    game = context.game
    typed = context.clean_options()["to"]
    if game.sides:
        to = find_side(game, typed)
        if to not in game.players.values():
            raise UserError(f"Nobody plays {to}.", option="to", code="nobody")
    else:
        present = context.ledger.list_present_persons()
        persons = [row for row in context.ledger.persons.values() if row.person in present]
        to = next(
            (
                f"@{row.person}"
                for row in persons
                if comparison_key(row.name) == comparison_key(typed)
            ),
            "",
        )
        if not to:
            raise UserError(
                f'Nobody here is called "{typed[:40]}".', option="to", code="unknown-person"
            )
    if to == seat:
        raise UserError("That is your own hand.", option="to", code="bad-value")
    return to


async def show_hand_or_agree(context: Context) -> Reply:
    """One's own hand; or the word that hands may be opened when the game ends."""
    if context.clean_options()["agree"]:
        told = await agree_to_open_hands(context)
        return Reply("You agree to open your hand when the game ends", private=True, announce=told)
    return await press_hand(context, "")


async def press_hand(context: Context, about: str) -> Reply:
    """The button *Your hand*; `about` is the page, where there are several."""
    game = context.need_game()
    seat = _get_hand_owner(context)
    # behind it, of the hand on show: the event behind which that was drawn
    first = about.partition(":")[0]
    asked = int(first) if first.isdecimal() and len(first) < 4 else 0
    lines = list[Part]()
    entries = list[tuple[str, str, str]]()
    holds = False
    for id, declared in game.decks.items():
        deck = cards.deck_from_json(declared)
        known = cards.count_known_cards(id, seat, game.cards)
        hands = await load_closed_hands(context, id) if cards.count_at(id, HAND, game.cards) else {}
        own = hands.get(seat, [])
        ends = get_seen_ends(hands, seat)
        ends = {end: row for end, row in ends.items() if {*row} - {UNSEEN}}
        if not own and not known and not ends:
            continue
        names = await decks.load_card_names(context, id, deck.ids)
        holds = holds or bool(own or known)
        alike = Counter(card for _, card in own)
        told = [decks.name_copies(names[card], count) for card, count in alike.items()]
        told += [
            f"{decks.name_copies(names[card], count)} (known to all)"
            for card, count in known.items()
        ]
        lines += [Group(id, ", ".join(told), grave=True)] if told else []
        for end, row in ends.items():
            place = f"{'On top' if end == cards.TOP else 'At the bottom'} of {id}"
            lines.append(
                Group(place, ", ".join(names.get(card, "one you did not see") for card in row))
            )
        lines += decks.describe_cards(context, id, (alike + Counter(known)).elements())
        entries += [(f"{id}:{draw}", names[card], id) for draw, card in own]
        entries += [(f"{id}:={card}", f"{names[card]} (known to all)", id) for card in known]
    page = asked if asked * MOST < len(entries) else max(0, len(entries) - 1) // MOST
    refresh = context.build_button("handpage", "Refresh", page, game.number)
    if not lines:
        hint = phrase("`/deck draw` with `to=me` draws into it, `/deck deal` deals to all sides.")
        ids = list_deck_names(context.game, context.system)
        if ids and all(cups.is_leading_phase(context.game, id, context.system) for id in ids):
            hint = phrase("All chits of this game are drawn for all to see: `/deck draw`.")
        return Reply("Your hand is empty", (hint,), private=True, buttons=(refresh,), window=True)
    if holds:
        play = "/deck play " + quote_value(entries[0][1].removesuffix(" (known to all)"))
        lines.append(
            Small(phrase("By name: `{play}`; also `/deck discard`, `/deck give`.", play=play))
        )
    more = (
        [context.build_button("handpage", "More", (page + 1) % -(-len(entries) // MOST))]
        if len(entries) > MOST
        else []
    )
    shown = entries[page * MOST : (page + 1) * MOST]
    title = "Your hand" if holds else "Your hand is empty"
    menus = _build_hand_menus(context, shown)
    return Reply(
        title, tuple(lines), private=True, menus=menus, buttons=(refresh, *more), window=True
    )


def _build_hand_menus(context: Context, shown: Sequence[tuple[str, str, str]]) -> tuple[Menu, ...]:
    """What can be done with cards of one's own hand, while the game goes on; what all know
    cannot be given.
    """
    if context.game.ended:
        return ()
    labels = {
        "play": "Play",
        "discard": "Discard",
        **({"give": "Give"} if _list_recipients(context) else {}),
    }
    return tuple(
        Menu(
            label,
            tuple(
                MenuEntry(_build_card_action(context, does, key), name, id)
                for key, name, id in some
            ),
        )
        for does, label in labels.items()
        if (some := [one for one in shown if does != "give" or ":=" not in one[0]])
    )


def _build_card_action(context: Context, does: str, key: str) -> str:
    return context.build_button("handcard", "", f"{does}:{key}").action


async def agree_to_open_hands(context: Context, _about: str = "") -> Reply:
    """A side agrees that closed hands are opened when the game ends. Raises UserError."""
    game = context.need_started()
    seat = _get_hand_owner(context)
    if (
        not _holds_closed_cards(game, seat)
        and list_unopened_hands(context)
        and (stood := await _agree_for_absent_sides(context)) is not None
    ):
        return stood
    need_player(game, context.actor)
    if not _holds_closed_cards(game, seat) or game.cards.get(get_agreement_key(seat)):
        what = (
            "You have agreed already."
            if game.cards.get(get_agreement_key(seat))
            else "You hold no closed cards."
        )
        raise UserError(what, code="no-change")
    now = replace(game, cards={**game.cards, get_agreement_key(seat): 1})
    context.ledger.add("cards", now, does="agree", result="hands may be opened")
    doc = await context.store.load_doc(OPEN_HANDS, context.ledger.row)
    asked = doc.data if doc is not None else {}
    rest = list_unopened_hands(context)
    if rest == [asked.get("seat")]:  # who asked to end the game has agreed by that
        rest = []
    all_in = phrase("Everybody has agreed. Press the button or type `/game end` to finish.")
    hands = join_names(decks.format_hand_name(context, one) for one in rest)
    line = f"{hands}: not yet. Ending it counts as a yes." if rest else all_in
    title = f"{context.user_name} agrees to open {decks.format_hand_name(context, seat)} when the game ends"
    ends = () if rest else _build_end_buttons(context, asked)
    undo = context.build_button("undo", "Undo", context.game.number)
    return Reply(title, (Small(line),), buttons=(*ends, undo))


def _build_end_buttons(context: Context, asked: Json) -> tuple[Button, ...]:
    """Return a button that ends the game for the winner that was named when somebody `asked`."""
    if "winner" not in asked:
        return ()
    winner = str(asked["winner"])
    outcome = {"": "", DRAW: ": a draw"}.get(winner, f": {winner} wins")
    return (context.build_button("end", f"End the game{outcome}", winner, style="primary"),)


def agree_by_asking(context: Context) -> str:
    """Agree to open the hand of who asks to end the game, and return that as a sentence; "" if
    they hold no closed cards or have agreed before.
    """
    game = context.game
    seat = _get_hand_owner(context)
    if not _holds_closed_cards(game, seat) or game.cards.get(get_agreement_key(seat)):
        return ""
    now = replace(game, cards={**game.cards, get_agreement_key(seat): 1})
    context.ledger.add("cards", now, does="agree", result="hands may be opened")
    return f"{context.user_name} agrees to open {decks.format_hand_name(context, seat)}."


async def _agree_for_absent_sides(context: Context) -> Reply | None:
    """A manager, or where there is none the game's director, agrees for sides that are gone;
    None where none is.
    """
    where = context.command.where
    person = context.ledger.ensure_person()
    alone = (not where.server or where.key.startswith("console:")) and context.actor.directs
    if person in context.game.players or not (alone or await manages_game_channel(context)):
        return None
    seats = list[str]()
    for seat in list_unopened_hands(context):
        others = list_persons_at(context.game.players, seat)
        if person in others or not (reason := await find_stand_in_reason(context, others)):
            continue
        now = replace(context.game, cards={**context.game.cards, get_agreement_key(seat): 1})
        context.ledger.add(
            "cards",
            now,
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
    line = "The player has left, or been silent for seven days."
    undo = context.build_button("undo", "Undo", context.game.number)
    title = f"{context.user_name} agrees as manager to open {hands} when the game ends"
    return Reply(title, (Small(line),), buttons=(undo,))


def _holds_closed_cards(game: Game, seat: str) -> bool:
    return seat in list_holders(game.cards, game.decks)


def list_unopened_hands(context: Context) -> list[str]:
    """The seats that hold closed cards and have not agreed to open them."""
    game = context.game
    own = _get_hand_owner(context)
    holding = list_holders(game.cards, game.decks)
    return [seat for seat in holding if seat != own and not game.cards.get(get_agreement_key(seat))]


GONE = "If they have left or been silent for seven days, a manager who plays no side can agree for them."


OPEN_HANDS = "openhands"
"""The document of a request to end a game whose hands are closed, with the winner that it names."""


def _name_owners(context: Context, seats: Sequence[str]) -> str:
    """Return who must agree, with the verb: `Ben agrees`, `Ben and Carl agree`."""
    players = context.game.players
    persons = [person for seat in seats for person in list_persons_at(players, seat)]
    names = [context.ledger.get_name(person) for person in dict.fromkeys(persons)]
    if not names:
        return "the other side agrees"
    if len(names) == 1:
        return f"{names[0]} agrees"
    return f"{join_names(names)} agree"


async def ask_to_open(context: Context, seats: Sequence[str], winner: str | None = None) -> Reply:
    """Ask all, wherever the game is played, to open their hands, as somebody would end the game
    while others hold closed cards. `winner` is who they say has won.
    """
    data = {"seat": _get_hand_owner(context)} | ({} if winner is None else {"winner": winner})
    asked = Doc(OPEN_HANDS, context.ledger.row, data, context.now + DAY, context.command.who.key)
    context.commit.docs.append(asked)
    hands = join_names(decks.format_hand_name(context, seat) for seat in seats)
    told = Reply(
        f"{context.user_name} asks to end the game and open all hands",
        (
            f"The game ends when {_name_owners(context, seats)} to show {hands}.",
            Small(phrase("Press the button or type `/hand agree`.")),
            Small(GONE),
        ),
        buttons=(context.build_button("openhand", "Show my hand", style="good"),),
        mention=await call_sides(context, context.game, seats, spares=False),
    )
    return Reply(
        f"The game ends when {_name_owners(context, seats)} to show {hands}",
        private=True,
        announce=told,
    )


async def open_hands(context: Context, game: Game) -> tuple[Game, tuple[Part, ...]]:
    """The game once the end has opened all hands, and what was in them."""
    out = dict(game.cards)
    lines = list[Part]()
    for id, declared in game.decks.items():
        names = await decks.load_card_names(context, id, cards.deck_from_json(declared).ids)
        hands = (await load_closed_hands(context, id)).items()
        out = cards.remove_ends(id, out)
        for seat, held in hands:
            if seat in cards.ENDS or seat.startswith(cards.SAW):
                continue
            lines.append(
                Group(
                    decks.format_hand_name(context, seat),
                    ", ".join(names[card] for _, card in held),
                )
            )
            out.pop(cards.get_card_key(id, HAND, seat))
            for _, card in held:
                key = cards.get_card_key(id, f"{KNOWN}/{seat}", card)
                out[key] = out.get(key, 0) + 1
    kept = {
        key: count
        for key, count in out.items()
        if not (key.startswith("+") or key.endswith("/last"))
    }
    return replace(game, cards=kept), tuple(lines)
