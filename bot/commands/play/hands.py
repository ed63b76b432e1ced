"""`/deck` where cards are held: dealt and given closed, played, discarded and put back; and
`/hand`, one's own.

Nothing but the drawing itself and what its seat is shown reads a closed card: no refusal to anybody
else, no button, no count and no order of theirs hangs on one.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from bot.commands.context import Context
from bot.commands.log.undo import manages, reason_to_stand_in
from bot.commands.piles import closed_hands, game_deck
from bot.commands.play import decks
from bot.commands.turns.mentions import call_sides
from bot.game import cups
from bot.game.decks import deck_names, seen_ends
from bot.game.rights import need_player
from bot.game.sides import find_side
from bot.game.state import DRAW, Game, Json
from bot.interface.reply.parts import Group, Part, Small
from bot.interface.reply.reply import SEALED, Button, Menu, MenuEntry, Reply
from bot.interface.typing.command_text import quoted
from bot.places.forms import form_button
from bot.rules import cards
from bot.rules.cards import DISCARD, HAND, KNOWN, PLAY, REMOVED, Deck
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.inputs.decks import UNSEEN
from bot.rules.text.names import counted, joined
from bot.rules.text.normalize import ITEM_ENDS, NameIndex, comparison_key
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.stores.base import DAY
from bot.stores.records import Doc
from bot.systems.deck_file import AFTER
from bot.verification.follows.cards import agreed_key, holders, persons_at, seat_of
from bot.verification.follows.cards import counted as closed_words

MOST = 25
"""Cards of a menu; a larger hand has several pages."""
MOST_ASKED = 20
"""Persons whom one may give a card by a button; others by `/deck give`."""
_MOVES = {
    "discard": ((PLAY,), DISCARD, "discards"),
    "remove": ((PLAY, DISCARD), REMOVED, "takes out of the game"),
    "return": ((PLAY, DISCARD), "", "puts back into the pile"),
}


async def discard(context: Context) -> Reply:
    """Cards in play, or in one's hand, go to the discards; out of the game where that is asked
    for.
    """
    return await _move(context, "remove" if context.options()["out"] else "discard")


async def put_back(context: Context) -> Reply:
    """Cards in play or discarded go back into the pile; those in one's hand do so closed."""
    return await _move(context, "return", _ENDS[context.options()["place"]])


_ENDS = {"pile": "", "top": cards.TOP, "bottom": cards.BOTTOM}


async def _move(context: Context, does: str, end: str = "") -> Reply:
    options = context.options()
    game = context.need_open()
    need_player(game, context.actor)
    id = await _deck_of(context, _MOVES[does][0])
    decks.check_chits(context, id)
    deck = cards.deck_from_json(game.decks[id])
    names = await decks.names_of(context, id, deck.ids)
    there = {place: cards.at(id, place, game.cards) for place in _MOVES[does][0]}
    typed = clean_name(options["cards"], 1_000)
    try:
        wanted = _wanted(typed, id, deck, names, there)
    except UserError:
        if does == "remove" or not cards.hand_sizes(id, game.cards).get(_own(context)):
            raise
        return await _out_of_hand(
            context, id, "discard" if does == "discard" else "back", typed, end=end
        )
    if end:
        decks.check_no_cup(context, id)
        return await _put_at_end(context, id, deck, names, wanted, end)
    told = []
    for act, some in _by_what_becomes(context, id, does, wanted).items():
        before, (places, to, verb) = context.game, _MOVES[act]
        out = cards.take(id, before.cards, some, places, to)
        took = [
            card
            for _, card in cards.taken(id, deck, before.cards, dict.fromkeys(before.cards, 0) | out)
        ]
        context.ledger.add("cards", cards=out, deck=id, does=act, result=cards.words(id, took))
        told.append(f"{verb} {', '.join(names[card] for card in took)}")
    return decks.moved(context, f"{context.who} {'; '.join(told)}", id, deck)


def _by_what_becomes(
    context: Context, id: str, does: str, wanted: Sequence[str]
) -> Mapping[str, list[str]]:
    """The cards by what happens to them: those that are discarded go where the game's files say
    that they go after.
    """
    made = game_deck(context, id)
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
    hands = await closed_hands(context, id)
    number = context.ledger.next_number
    put = [(f"{number}.{at}", card) for at, card in enumerate(wanted, 1)]
    hands[end] = cards.with_ends(hands, end, put)
    decks.saw(hands, cards.ALL, put)
    context.ledger.keep_hands(hands)
    out = cards.put(
        id, cards.take(id, game.cards, wanted, (PLAY, DISCARD), ""), end, len(wanted), number
    )
    said = cards.words(id, wanted)
    context.ledger.add("cards", cards=out, deck=id, does="return", to=end, result=said)
    where = f"{'on' if end == cards.TOP else 'at'} {cards.ENDS[end]}"
    return decks.moved(
        context,
        f"{context.who} puts {where}: {', '.join(names[card] for card in wanted)}",
        id,
        deck,
    )


def _wanted(
    typed: str, id: str, deck: Deck, names: decks.Names, there: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """The cards that are meant among those that lie open. Raises UserError for any other, and
    for none.
    """
    if comparison_key(typed) == "all":
        wanted = [card for card, _ in deck.cards for _ in range(there[PLAY].get(card, 0))]
    else:
        wanted = [_card(one, names, there) for one in _split(typed)]
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


def _split(typed: str) -> list[str]:
    return [card for piece in re.split(ITEM_ENDS, typed) if (card := piece.strip())]


def _card(typed: str, names: decks.Names, there: Mapping[str, Mapping[str, int]]) -> str:
    """The card that is meant, by its name or id. Raises UserError for one that is not there."""
    card = _named(typed, names)
    if any(card in some for some in there.values()):
        return card
    shown = [names[card] for some in there.values() for card in some]
    where = "in play" if DISCARD not in there else "in play or discarded"
    what = (
        f"{names[card]} is not {where}." if card in names else f'There is no card "{typed[:40]}".'
    )
    hint = f"{where.capitalize()}: {', '.join(shown[:20])}." if shown else ""
    raise UserError(what, hint=hint, option="cards", code="unknown-card")


def _named(typed: str, names: decks.Names) -> str:
    """The card that is called so; what is typed, for none."""
    called = NameIndex({card.casefold(): card for card in names})
    called |= {name.casefold(): card for card, name in reversed([*names.items()])}
    return called.get(typed.casefold()) or typed


def _own(context: Context) -> str:
    """The seat of who asks."""
    return seat_of(context.game.players, context.ledger.known_person())


async def deal(context: Context) -> Reply:
    """Cards for each side that somebody plays, one after the other, closed. Raises UserError."""
    options = context.options()
    id, deck = decks.found_deck(context, options["deck"] or "")
    game = context.game
    count = options["count"]
    sides = [side for side in game.sides if side in game.players.values()]
    if not sides:
        hint = phrase("`/deck draw` with `to=me` draws into your own hand.")
        raise UserError("Cards are dealt to sides that somebody plays.", hint=hint, code="no-sides")
    if count * len(sides) > cards.MOST_DRAWN:
        most = cards.MOST_DRAWN // len(sides)
        raise UserError(f"At most {most} each are dealt at once.", option="count", code="bad-value")
    number, drawn = await decks.drawn_cards(
        context, id, deck, count * len(sides), "deal", sides * count
    )
    return Reply(
        f"{context.who} deals {counted(count, 'card')} each to {joined(sides)}",
        (*decks.joined_lines(drawn), Small(f"{id}: {decks.counts(context, id, deck)}")),
        by=f"from {id}",
        buttons=(decks.hand_button(context), context.button("undo", "Undo", number)),
        tone=SEALED,
    )


async def play(context: Context) -> Reply:
    """Cards out of one's hand, for all to see."""
    return await _from_options(context, "play")


async def _from_options(context: Context, does: str) -> Reply:
    need_player(context.need_open(), context.actor)
    id = await _deck_of(context)
    return await _out_of_hand(context, id, does, clean_name(context.options()["cards"], 1_000))


async def _deck_of(context: Context, places: Sequence[str] = ()) -> str:
    """The deck that is meant: of several, where none is named, the one that has cards in these
    `places` or in the hand of who asks; of several such the one that has there what is typed."""
    game = context.game
    options = context.options()
    own = _own(context)
    typed = options["deck"] or ""
    words = {comparison_key(one) for one in _split(clean_name(options["cards"], 1_000))}
    there = dict[str, set[str]]()
    for id in () if typed else game.decks:
        held = [card for _, card in (await closed_hands(context, id)).get(own, ())]
        for place in (*places, f"{KNOWN}/{own}"):
            held += cards.at(id, place, game.cards)
        if held:
            there[id] = {
                comparison_key(one)
                for one in (*held, *(await decks.names_of(context, id, held)).values())
            }
    likely = [id for id, said in there.items() if len(there) == 1 or words <= said]
    if places and words == {"all"}:
        likely = [id for id in there if cards.at(id, PLAY, game.cards)] or list(there)
    return likely[0] if len(likely) == 1 else decks.found(context, typed)


async def give(context: Context) -> Reply:
    """Cards of one's hand go to another, closed: sealed anew for whoever gets them."""
    return await _from_options(context, "give")


async def press_card(context: Context, about: str) -> Reply:
    """A card that was chosen in the menu of one's hand; it names the draw that it came from, which
    only they know. The hand is shown anew in its place; a card that is to be given asks first for
    whom. Raises UserError."""
    does, id, draw, *rest = [*about.split(":"), "", ""]
    if does not in ("play", "discard", "give") or id not in context.need_game().decks:
        raise UserError("This button no longer works.", code="used-up")
    hands = await closed_hands(context, id)
    place = next((at for at, one in enumerate(hands.get(_own(context), ())) if one[0] == draw), -1)
    try:
        need_player(context.need_open(), context.actor)
        if place < 0 and draw[:1] != "=":
            raise UserError("That card is no longer in your hand.", code="unknown-card")
        to = _others(context).get(rest[0], "") if does == "give" else ""
        if does == "give" and not to:
            return await _ask_recipient(context, id, draw)
        told = await _out_of_hand(context, id, does, "", draw, to)
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


def _others(context: Context) -> dict[str, str]:
    """Return the other seats that may be given a card, by button key: a side's index, or `@person`."""
    game = context.game
    own = _own(context)
    if game.sides:
        return {
            str(at): one
            for at, one in enumerate(game.sides)
            if one in game.players.values() and one != own
        }
    present = (f"@{person}" for person in sorted(context.ledger.present()))
    return {seat: seat for seat in [one for one in present if one != own][:MOST_ASKED]}


async def _ask_recipient(context: Context, id: str, draw: str) -> Reply:
    """Build the private question of who gets a card. It replaces the hand's window."""
    names = await decks.names_of(context, id, cards.deck_from_json(context.game.decks[id]).ids)
    held = (await closed_hands(context, id)).get(_own(context), [])
    card = _chosen(id, "", draw, held, {}, names)[0]
    labels = {
        at: context.ledger.name_of(one[1:]) if one[0] == "@" else one
        for at, one in _others(context).items()
    }
    buttons = [
        context.button("handcard", label[:40], "give", id, draw, at) for at, label in labels.items()
    ]
    back = context.button("handpage", "Back", 0)
    return Reply(
        f"Give {names[card]} to whom?", private=True, buttons=(*buttons, back), window=True
    )


async def _out_of_hand(
    context: Context, id: str, does: str, typed: str, draw: str = "", end: str = ""
) -> Reply:
    """Cards leave one's hand, into that of another or to an `end` of the pile. Of several copies it
    is one that all know, else the oldest."""
    game = context.game
    ledger = context.ledger
    seat = _own(context)
    deck = cards.deck_from_json(game.decks[id])
    names = await decks.names_of(context, id, deck.ids)
    hands = await closed_hands(context, id)
    own = hands.get(seat, [])
    known = Counter(cards.known_cards(id, seat, game.cards))
    if does in ("give", "back"):
        known.clear()
    wanted = _chosen(id, typed, draw, own, known, names)
    to = (end or _receiver(context, seat)) if does == "give" else end
    moves = list[tuple[str, str]]()
    decks.check_room(context, id, [to] * len(wanted) if does == "give" else ())
    number = ledger.next_number
    out = dict(game.cards)
    hidden = dict[str, str]()
    for card in wanted:
        if known[card]:
            known[card] -= 1
            out[cards.key(id, f"{KNOWN}/{seat}", card)] -= 1
        else:
            held = next(one for one in own if one[1] == card)
            own.remove(held)
            at = sum(key.startswith("from.") for key in hidden) + 1
            hidden[f"from.{at}"] = held[0]
            out[cards.key(id, HAND, seat)] -= 1
            if to:
                hidden[f"card.{at}"] = card
                moves.append((f"{number}.{at}", card))
                out[cards.key(id, HAND, to)] = out.get(cards.key(id, HAND, to), 0) + 1
        if goes := {"play": PLAY, "discard": DISCARD}.get(does):
            out[cards.key(id, goes, card)] = out.get(cards.key(id, goes, card), 0) + 1
    if hidden:
        if to:
            hands[to] = cards.with_ends(hands, to, moves)
        if end in cards.ENDS:
            decks.saw(hands, seat, moves)
        context.ledger.keep_hands(hands)
        out[cards.last_key(id)] = number
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
        result=cards.words(id, said),
    )
    return _told(context, id, deck, does, wanted, names, to)


def _told(
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
    small = Small(f"{id}: {decks.counts(context, id, deck)}")
    buttons = (decks.hand_button(context), context.button("undo", "Undo", context.game.number))
    if does in ("play", "discard"):
        title = f"{context.who} {'plays' if does == 'play' else 'discards'} {', '.join(named)}"
        uses = _use_buttons(context, id, wanted) if does == "play" else ()
        return Reply(title, (small,), by=f"from {id}", buttons=(*uses, *buttons))
    whose = decks.hand_of(context, to) if to else "the pile"
    into = f"into {whose}" if to else f"back into {whose}"
    if to in cards.ENDS:
        into = f"on {whose}" if to == cards.TOP else f"at {whose}"
    told = Reply(
        f"{context.who} {'puts' if does == 'back' else 'gives'} {counted(len(named), 'closed card')} {into}",
        (small,), by=f"of {id}", buttons=buttons, tone=SEALED,
    )  # fmt: skip
    return (
        Reply(f"You give {', '.join(named)} {into}", private=True, announce=told)
        if does == "give"
        else told
    )


def _use_buttons(context: Context, id: str, played: Sequence[str]) -> tuple[Button, ...]:
    """Return a button that opens the form of each sequence that uses the card just played."""
    if context.system is None or len(played) != 1:
        return ()
    found = list[Button]()
    for sequence in context.system.sequences.values():
        for option in sequence.inputs:
            if id in option.in_play and played[0] in option.values:
                path = (context.system.id, sequence.id)
                given = {option.name: played[0]}
                found.append(form_button(path, given, sequence.verb, context.registry))
    return tuple([button._replace(style="primary") for button in found])


def _chosen(
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
        wanted = [_named(one, names) for one in _split(typed)]
    if not wanted or len(wanted) > cards.MOST_DRAWN or Counter(wanted) - there:
        lacking = next((names.get(card, typed) for card in Counter(wanted) - there), "such a card")
        what = f"You do not hold {lacking}." if there else f"You hold no cards of {id}."
        raise UserError(
            what, hint=phrase("`/hand` shows yours."), option="cards", code="unknown-card"
        )
    return wanted


def _receiver(context: Context, seat: str) -> str:
    """The seat that is given cards. Raises UserError for one's own, and for somebody who is not
    there.
    """
    game = context.game
    typed = context.options()["to"]
    if game.sides:
        to = find_side(game, typed)
        if to not in game.players.values():
            raise UserError(f"Nobody plays {to}.", option="to", code="nobody")
    else:
        present = context.ledger.present()
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


async def hand(context: Context) -> Reply:
    """One's own hand; or the word that hands may be opened when the game ends."""
    if context.options()["agree"]:
        told = await agree(context)
        return Reply("You agree to open your hand when the game ends", private=True, announce=told)
    return await press_hand(context, "")


async def press_hand(context: Context, about: str) -> Reply:
    """The button *Your hand*; `about` is the page, where there are several."""
    game = context.need_game()
    seat = _own(context)
    # behind it, of the hand on show: the event behind which that was drawn
    first = about.partition(":")[0]
    asked = int(first) if first.isdecimal() and len(first) < 4 else 0
    lines = list[Part]()
    entries = list[tuple[str, str, str]]()
    holds = False
    for id, declared in game.decks.items():
        deck = cards.deck_from_json(declared)
        known = cards.known_cards(id, seat, game.cards)
        hands = await closed_hands(context, id) if cards.at(id, HAND, game.cards) else {}
        own = hands.get(seat, [])
        ends = seen_ends(hands, seat)
        ends = {end: row for end, row in ends.items() if {*row} - {UNSEEN}}
        if not own and not known and not ends:
            continue
        names = await decks.names_of(context, id, deck.ids)
        holds = holds or bool(own or known)
        told = [names[card] for _, card in own]
        opened = [
            f"{names[card]} (known to all)" for card, count in known.items() for _ in range(count)
        ]
        lines += [Group(id, ", ".join([*told, *opened]), grave=True)] if told or opened else []
        for end, row in ends.items():
            place = f"{'On top' if end == cards.TOP else 'At the bottom'} of {id}"
            lines.append(
                Group(place, ", ".join(names.get(card, "one you did not see") for card in row))
            )
        lines += decks.described(context, id, (*(card for _, card in own), *known))
        entries += [(f"{id}:{draw}", names[card], id) for draw, card in own]
        entries += [(f"{id}:={card}", f"{names[card]} (known to all)", id) for card in known]
    page = asked if asked * MOST < len(entries) else max(0, len(entries) - 1) // MOST
    refresh = context.button("handpage", "Refresh", page, game.number)
    if not lines:
        hint = phrase("`/deck draw` with `to=me` draws into it, `/deck deal` deals to all sides.")
        ids = deck_names(context.game, context.system)
        if ids and all(cups.leads(context.game, id, context.system) for id in ids):
            hint = phrase("All chits of this game are drawn for all to see: `/deck draw`.")
        return Reply("Your hand is empty", (hint,), private=True, buttons=(refresh,), window=True)
    if holds:
        play = "/deck play " + quoted(entries[0][1].removesuffix(" (known to all)"))
        lines.append(
            Small(phrase("By name: `{play}`; also `/deck discard`, `/deck give`.", play=play))
        )
    more = (
        [context.button("handpage", "More", (page + 1) % -(-len(entries) // MOST))]
        if len(entries) > MOST
        else []
    )
    shown = entries[page * MOST : (page + 1) * MOST]
    title = "Your hand" if holds else "Your hand is empty"
    menus = _menus(context, shown)
    return Reply(
        title, tuple(lines), private=True, menus=menus, buttons=(refresh, *more), window=True
    )


def _menus(context: Context, shown: Sequence[tuple[str, str, str]]) -> tuple[Menu, ...]:
    """What can be done with cards of one's own hand, while the game goes on; what all know
    cannot be given.
    """
    if context.game.ended:
        return ()
    labels = {
        "play": "Play",
        "discard": "Discard",
        **({"give": "Give"} if _others(context) else {}),
    }
    return tuple(
        Menu(
            label, tuple(MenuEntry(_action(context, does, key), name, id) for key, name, id in some)
        )
        for does, label in labels.items()
        if (some := [one for one in shown if does != "give" or ":=" not in one[0]])
    )


def _action(context: Context, does: str, key: str) -> str:
    return context.button("handcard", "", f"{does}:{key}").action


async def agree(context: Context, _about: str = "") -> Reply:
    """A side agrees that closed hands are opened when the game ends. Raises UserError."""
    game = context.need_started()
    seat = _own(context)
    if (
        not _holds(game, seat)
        and waiting(context)
        and (stood := await _stand_in(context)) is not None
    ):
        return stood
    need_player(game, context.actor)
    if not _holds(game, seat) or game.cards.get(agreed_key(seat)):
        what = (
            "You have agreed already."
            if game.cards.get(agreed_key(seat))
            else "You hold no closed cards."
        )
        raise UserError(what, code="no-change")
    now = replace(game, cards={**game.cards, agreed_key(seat): 1})
    context.ledger.add("cards", now, does="agree", result="hands may be opened")
    doc = await context.store.doc(OPEN_HANDS, context.ledger.row)
    asked = doc.data if doc is not None else {}
    rest = waiting(context)
    if rest == [asked.get("seat")]:  # who asked to end the game has agreed by that
        rest = []
    all_in = phrase("All have agreed: `/game end` opens them.")
    hands = joined(decks.hand_of(context, one) for one in rest)
    line = f"{hands}: not yet. Ending it counts as a yes." if rest else all_in
    title = f"{context.who} agrees to open {decks.hand_of(context, seat)} when the game ends"
    ends = () if rest else _end_buttons(context, asked)
    undo = context.button("undo", "Undo", context.game.number)
    return Reply(title, (Small(line),), buttons=(*ends, undo))


def _end_buttons(context: Context, asked: Json) -> tuple[Button, ...]:
    """Return a button that ends the game for the winner that was named when somebody `asked`."""
    if "winner" not in asked:
        return ()
    winner = str(asked["winner"])
    outcome = {"": "", DRAW: ": a draw"}.get(winner, f": {winner} wins")
    return (context.button("end", f"End the game{outcome}", winner, style="primary"),)


def agree_by_asking(context: Context) -> str:
    """Agree to open the hand of who asks to end the game, and return that as a sentence; "" if
    they hold no closed cards or have agreed before.
    """
    game = context.game
    seat = _own(context)
    if not _holds(game, seat) or game.cards.get(agreed_key(seat)):
        return ""
    now = replace(game, cards={**game.cards, agreed_key(seat): 1})
    context.ledger.add("cards", now, does="agree", result="hands may be opened")
    return f"{context.who} agrees to open {decks.hand_of(context, seat)}."


async def _stand_in(context: Context) -> Reply | None:
    """A manager, or where there is none the game's director, agrees for sides that are gone;
    None where none is.
    """
    where = context.command.where
    person = context.ledger.person()
    alone = (not where.server or where.key.startswith("console:")) and context.actor.directs
    if person in context.game.players or not (alone or await manages(context)):
        return None
    seats = list[str]()
    for seat in waiting(context):
        others = persons_at(context.game.players, seat)
        if person in others or not (reason := await reason_to_stand_in(context, others)):
            continue
        now = replace(context.game, cards={**context.game.cards, agreed_key(seat): 1})
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
    hands = joined(decks.hand_of(context, seat) for seat in seats)
    line = "Who plays there has left, or been silent for seven days."
    undo = context.button("undo", "Undo", context.game.number)
    title = f"{context.who} agrees as manager to open {hands} when the game ends"
    return Reply(title, (Small(line),), buttons=(undo,))


def _holds(game: Game, seat: str) -> bool:
    return seat in holders(game.cards, game.decks)


def waiting(context: Context) -> list[str]:
    """The seats that hold closed cards and have not agreed to open them."""
    game = context.game
    own = _own(context)
    holding = holders(game.cards, game.decks)
    return [seat for seat in holding if seat != own and not game.cards.get(agreed_key(seat))]


GONE = "Where they have left or been silent for seven days, a manager who plays no side may agree instead."


OPEN_HANDS = "openhands"
"""The document of a request to end a game whose hands are closed, with the winner that it names."""


async def ask_to_open(context: Context, seats: Sequence[str], winner: str | None = None) -> Reply:
    """Ask all, wherever the game is played, to open their hands, as somebody would end the game
    while others hold closed cards. `winner` is who they say has won.
    """
    data = {"seat": _own(context)} | ({} if winner is None else {"winner": winner})
    asked = Doc(OPEN_HANDS, context.ledger.row, data, context.now + DAY, context.command.who.key)
    context.commit.docs.append(asked)
    hands = joined(decks.hand_of(context, seat) for seat in seats)
    told = Reply(
        f"{context.who} asks to end the game and open all hands",
        (
            f"That opens {hands}, once {'its player agrees' if len(seats) == 1 else 'their players agree'}.",
            Small(phrase("Press Agree or type `/hand agree`.")),
            Small(GONE),
        ),
        buttons=(context.button("openhand", "Agree", style="good"),),
        mention=await call_sides(context, context.game, seats, spares=False),
    )
    return Reply(
        "The game ends once all who hold closed cards agree to open them",
        private=True,
        announce=told,
    )


async def opened(context: Context, game: Game) -> tuple[Game, tuple[Part, ...]]:
    """The game once the end has opened all hands, and what was in them."""
    out = dict(game.cards)
    lines = list[Part]()
    for id, declared in game.decks.items():
        names = await decks.names_of(context, id, cards.deck_from_json(declared).ids)
        hands = (await closed_hands(context, id)).items()
        out = cards.without_ends(id, out)
        for seat, held in hands:
            if seat in cards.ENDS or seat.startswith(cards.SAW):
                continue
            lines.append(
                Group(decks.hand_of(context, seat), ", ".join(names[card] for _, card in held))
            )
            out.pop(cards.key(id, HAND, seat))
            for _, card in held:
                key = cards.key(id, f"{KNOWN}/{seat}", card)
                out[key] = out.get(key, 0) + 1
    kept = {
        key: count
        for key, count in out.items()
        if not (key.startswith("+") or key.endswith("/last"))
    }
    return replace(game, cards=kept), tuple(lines)
