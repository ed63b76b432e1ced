"""`/deck`: cards and chits drawn from decks, which anybody can prove afterwards; and names put in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from bot.commands.context import Context, closes_texts
from bot.game.rights import need_player
from bot.game.state import Game
from bot.interface.reply.parts import Group, Part, Small
from bot.interface.reply.reply import NOTHING, Button, Reply
from bot.rules import cards
from bot.rules.cards import DISCARD, PLACES, PLAY, REMOVED, STANDARD, Deck
from bot.rules.copies import replace
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.names import counted
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name

USUAL = "deck"
MOST_SHOWN = 60
"""Cards of a pile that are listed one by one."""
_MOVES = {
    "discard": ((PLAY,), DISCARD, "discards"),
    "remove": ((PLAY, DISCARD), REMOVED, "takes out of the game"),
    "return": ((PLAY, DISCARD), "", "puts back into the pile"),
}
Names = Mapping[str, str]
"""How the cards of a deck are called, by id."""


async def make(context: Context) -> Reply:
    """A deck for the evening; one of the same name begins anew."""
    options, game = context.options(), context.open_game()
    need_player(game, context.actor)
    typed = options["cards"].strip()
    empty = cards.REFUSE if options["once"] else cards.RESHUFFLE
    name = clean_name(options["name"] or (typed if typed in STANDARD else _free_name(game))).casefold()
    if not cards.ID.fullmatch(name) or (name in STANDARD and typed != name):
        hint = "For example cup, or us-events. It stays in the log."
        what = "A deck is called by small letters, digits and dashes, at most 24" if name not in STANDARD else name
        raise UserError(
            f"{what}{', and has its own cards' if name in STANDARD else '.'}",
            hint=hint,
            option="name",
            code="bad-value",
        )
    listed = [(card, count) for card, count in STANDARD[typed].cards] if typed in STANDARD else cards.read_cards(typed)
    was = name in game.decks
    number = context.ledger.next_number
    _declare(context, name, listed, empty, named=typed in STANDARD)
    deck = cards.deck_from_json(context.game.decks[name])
    shown = ", ".join(f"{card} x{count}" if count > 1 else card for card, count in await _named(context, name, deck))
    ends = (
        "When the pile is empty, nothing more is drawn."
        if options["once"]
        else "When the pile is empty, the discards are shuffled in."
    )
    lines: tuple[Part, ...] = (Small(ends),) if typed in STANDARD else (shown, Small(ends))
    title = (
        f"{context.who} {'begins anew:' if was else 'makes a deck:'} {name}, {counted(cards.size(deck.cards), 'card')}"
    )
    return Reply(title, lines, buttons=(_draw_button(context, name), context.button("undo", "Undo", number)))


def _free_name(game: Game) -> str:
    """What a deck is called that nobody named: deck, deck-2 and so on."""
    names = (USUAL if number == 1 else f"{USUAL}-{number}" for number in range(1, cards.MOST_DECKS + 2))
    return next(name for name in names if name not in game.decks)


def _declare(context: Context, id: str, listed: Iterable[tuple[str, int]], empty: str, *, named: bool = True) -> None:
    """Write down what cards a deck has, in order, before its first die; words that were typed are kept apart."""
    game, ledger = context.game, context.ledger
    if id not in game.decks and len(game.decks) >= cards.MOST_DECKS:
        hint = phrase("`/deck make` with the name of one begins it anew: {names}", names=", ".join(game.decks))
        raise UserError(f"A game has at most {cards.MOST_DECKS} decks.", hint=hint, code="too-many")
    texts, ids = dict[str, str](), list[tuple[str, int]]()
    for card, count in listed:
        own = card if named or card.isdecimal() else f"{ledger.next_number}.w{len(texts) + 1}"
        texts |= {} if own == card else {own.partition(".")[2]: card}
        ids.append((own, count))
    deck = Deck(tuple(ids), empty)
    out = cards.moved(game.cards, dict.fromkeys(cards.of_deck(id, game.cards), 0))
    now = replace(game, decks={**game.decks, id: deck.to_json()}, cards=out)
    if now.decks == game.decks and now.cards == game.cards:
        raise UserError(f"{id} has just these cards, all of them in the pile.", code="no-change")
    ledger.add("deck", now, texts=texts, result=cards.size_words(id, deck))


async def draw(context: Context) -> Reply:
    """Draw cards from a deck, face up: one die each."""
    options = context.options()
    typed, count = options["deck"] or "", options["count"]
    if typed.isdecimal() and typed not in context.game.decks:
        typed, count = "", int(typed[:4])
    if not 1 <= count <= cards.MOST_DRAWN:
        raise UserError(f"1 to {cards.MOST_DRAWN} cards are drawn at once.", option="count", code="bad-value")
    return await _draw(context, typed, count)


async def press_draw(context: Context, id: str) -> Reply:
    """The button *Draw*: one more of the same deck."""
    return await _draw(context, id, 1)


async def _draw(context: Context, typed: str, count: int) -> Reply:
    need_player(context.open_game(), context.actor)
    id = _found(context, typed, declares=True)
    game, ledger = context.game, context.ledger
    deck = cards.deck_from_json(game.decks[id])
    drawn = cards.draw(id, deck, game.cards, count, ledger.source())
    closes = closes_texts(context)
    dice = [die.note() for die in drawn.dice]
    now, said = replace(game, cards=drawn.out), cards.words(id, drawn.cards)
    number = ledger.add("draw", now, does="draw", deck=id, dice=dice, closes=closes, result=said)["number"]
    names = await _names(context, id, deck)
    lines: list[Part] = [Small(f"{id}: {_counts(id, deck, drawn.out)}")]
    if drawn.joined >= 0:
        lines.insert(0, _joined(drawn.joined))
    title = f"{context.who} draws {', '.join(names[card] for card in drawn.cards)}"
    buttons = (_draw_button(context, id), context.button("undo", "Undo", number))
    return Reply(title, tuple(lines), by=f"from {id}", buttons=buttons, tone=NOTHING)


def _joined(at: int) -> str:
    if not at:
        return "The pile was empty: the discards were shuffled in first."
    return f"The pile was empty after {counted(at, 'card')}: the discards were shuffled in."


def _draw_button(context: Context, id: str) -> Button:
    return context.button("drawcard", "Draw", id)


async def discard(context: Context) -> Reply:
    """Cards in play go to the discards; out of the game where that is asked for."""
    return await _move(context, "remove" if context.options()["out"] else "discard")


async def put_back(context: Context) -> Reply:
    """Cards in play or discarded go back into the pile."""
    return await _move(context, "return")


async def _move(context: Context, does: str) -> Reply:
    options, game = context.options(), context.need_open()
    need_player(game, context.actor)
    id = _found(context, options["deck"] or "")
    deck = cards.deck_from_json(game.decks[id])
    names = await _names(context, id, deck)
    places, to, verb = _MOVES[does]
    there = {place: cards.at(id, place, game.cards) for place in places}
    typed = clean_name(options["cards"], 1_000)
    if typed.casefold() == "all":
        wanted = [card for card, _ in deck.cards for _ in range(there[PLAY].get(card, 0))]
    else:
        wanted = [_card(one, names, there) for one in re.split(r"\s*[,;]\s*", typed) if one]
    if not wanted or len(wanted) > cards.MOST_DRAWN:
        what = f"At most {cards.MOST_DRAWN} cards are moved at once." if wanted else f"No card of {id} is in play."
        raise UserError(what, hint=phrase("`/deck show` lists them."), option="cards", code="unknown-card")
    out = cards.take(id, game.cards, wanted, places, to)
    changed = dict.fromkeys(game.cards, 0) | out
    moved = cards.taken(id, deck, game.cards, changed)
    context.ledger.add(
        "cards", replace(game, cards=out), deck=id, does=does, result=cards.words(id, [card for _, card in moved])
    )
    title = f"{context.who} {verb} {', '.join(names[card] for _, card in moved)}"
    return _moved(context, title, id, deck)


def _moved(context: Context, title: str, id: str, deck: Deck) -> Reply:
    """What all see of cards that were moved."""
    buttons = (_draw_button(context, id), context.button("undo", "Undo", context.game.number))
    lines = (Small(f"{id}: {_counts(id, deck, context.game.cards)}"),)
    return Reply(title, lines, by=id, buttons=buttons, tone=NOTHING)


async def shuffle(context: Context) -> Reply:
    """The discards go back into the pile; or names, separated by commas, are put in order."""
    typed = context.options()["what"] or ""
    if re.search("[,;]", typed):
        return await _order(context, typed)
    game = context.need_open()
    need_player(game, context.actor)
    id = _found(context, typed)
    deck, discards = cards.deck_from_json(game.decks[id]), cards.at(id, DISCARD, game.cards)
    if not discards:
        hint = "Nothing is shuffled ahead, so the pile needs no shuffling: each draw is a die over all cards left."
        raise UserError(f"{id} has no discards to shuffle in.", hint=hint, code="empty-pile")
    count = sum(discards.values())
    out = {key: some for key, some in game.cards.items() if not key.startswith(f"{id}/{DISCARD}/")}
    result = cards.words(id, [f"{count} cards"])
    context.ledger.add("cards", replace(game, cards=out), deck=id, does="shuffle", result=result)
    return _moved(context, f"{context.who} shuffles {counted(count, 'discard')} back into the pile", id, deck)


async def _order(context: Context, typed: str) -> Reply:
    """The names in an order that dice give, one die each; anybody may ask for that, as for a roll."""
    names = [name for one in re.split("[,;]", typed) if (name := clean_name(one, cards.LONGEST_CARD))]
    if not 2 <= len(names) <= cards.MOST_DRAWN:
        what = f"2 to {cards.MOST_DRAWN} names are put in order, separated by commas."
        raise UserError(what, option="what", code="bad-value")
    context.dice_game()
    ledger, number = context.ledger, context.ledger.next_number
    ids = {f"{number}.w{place}": name for place, name in enumerate(names, 1)}
    drawn = cards.order([*ids], ledger.source())
    texts = {id.partition(".")[2]: name for id, name in ids.items()}
    dice = [die.note() for die in drawn.dice]
    ledger.add(
        "draw", does="names", dice=dice, texts=texts, closes=closes_texts(context), result=", ".join(drawn.cards)
    )
    title = f"In order: {', '.join(ids[card] for card in drawn.cards)}"
    return Reply(
        title, by=f"{context.who} shuffles names", buttons=(context.button("undo", "Undo", number),), tone=NOTHING
    )


async def show(context: Context) -> Reply:
    """The decks here: what is in the pile, in play, discarded and out of the game."""
    game = context.need_game()
    asked = context.options()["deck"]
    ids = [_found(context, asked)] if asked else [*game.decks]
    if not ids:
        raise _no_deck()
    lines: list[Part] = []
    for id in ids:
        deck = cards.deck_from_json(game.decks[id])
        names = await _names(context, id, deck)
        lines.append(Group(id, _counts(id, deck, game.cards), grave=True))
        pile = cards.left(id, deck, game.cards)
        if asked or len(pile) <= MOST_SHOWN:
            lines.append(Group("In the pile", _list(names, pile)))
        for place, label in ((PLAY, "In play"), (DISCARD, "Discards"), (REMOVED, "Out of the game")):
            there = cards.at(id, place, game.cards)
            if there:
                lines.append(Group(label, _list(names, ((card, there.get(card, 0)) for card, _ in deck.cards))))
    lines.append(
        Small("A pile has no order: each draw is one die over all cards left, and `grognard verify` proves it.")
    )
    return Reply("Decks", tuple(lines), private=True, buttons=tuple(_draw_button(context, id) for id in ids[:1]))


def _list(names: Names, listed: Iterable[tuple[str, int]]) -> str:
    told = [f"{names[card]} x{count}" if count > 1 else names[card] for card, count in listed if count]
    more = f" and {len(told) - MOST_SHOWN} more" if len(told) > MOST_SHOWN else ""
    return f"{', '.join(told[:MOST_SHOWN])}{more}" or "nothing"


def _counts(id: str, deck: Deck, out: cards.Out) -> str:
    """`17 of 20 in the pile, 2 in play, 1 discarded`."""
    there = {place: sum(cards.at(id, place, out).values()) for place in PLACES}
    told = [f"{cards.size(cards.left(id, deck, out))} of {cards.size(deck.cards)} in the pile"]
    words = {PLAY: "in play", DISCARD: "discarded", REMOVED: "out of the game"}
    return ", ".join([*told, *(f"{count} {words[place]}" for place, count in there.items() if count)])


def _found(context: Context, typed: str, *, declares: bool = False) -> str:
    """The deck that is meant: the only one where none is named. A standard deck is declared at its first draw."""
    decks, id = context.game.decks, clean_name(typed).casefold()
    if not id and len(decks) == 1:
        return next(iter(decks))
    if id in decks:
        return id
    if declares and id in STANDARD:
        _declare(context, id, STANDARD[id].cards, cards.RESHUFFLE)
        return id
    if not decks and not id:
        raise _no_deck()
    names = [*decks, *(name for name in STANDARD if name not in decks and declares)]
    what = f'There is no deck "{id[:24]}".' if id else "Which deck?"
    hint = did_you_mean(id, names) if id else ""
    raise UserError(what, hint=hint or f"Decks: {', '.join(names)}.", option="deck", code="unknown-deck")


def _no_deck() -> UserError:
    hint = phrase('Make one: `/deck make "1..20"`. Or draw from one that is always there: `/deck draw standard-52`')
    return UserError("There is no deck here yet.", hint=hint, option="deck", code="unknown-deck")


def _card(typed: str, names: Names, there: Mapping[str, Mapping[str, int]]) -> str:
    """The card that is meant, by its name or id. Raises UserError for one that is not there."""
    folded = typed.casefold()
    found = [card for card, name in names.items() if folded in (card.casefold(), name.casefold())]
    if found and any(found[0] in some for some in there.values()):
        return found[0]
    shown = [names[card] for some in there.values() for card in some]
    what = (
        f"{names[found[0]]} is not {'in play' if DISCARD not in there else 'in play or discarded'}."
        if found
        else f'There is no card "{typed[:40]}".'
    )
    hint = f"There: {', '.join(shown[:20])}." if shown else ""
    raise UserError(what, hint=hint, option="cards", code="unknown-card")


async def _names(context: Context, id: str, deck: Deck) -> Names:
    """How the cards are called; words that were deleted are numbered."""
    ledger, typed_in = context.ledger, (cards.WORD.fullmatch(card) for card, _ in deck.cards)
    numbers = {int(found[1]) for found in typed_in if found}
    rows = [row for row in ledger.new_texts if row.event in numbers]
    for number in sorted(numbers):
        rows += await context.store.texts(ledger.row, after=number - 1, before=number + 1)
    typed = {f"{row.event}.{row.key}": row.text for row in rows}
    return {
        card: typed.get(card)
        or (f"card {card.partition('.w')[2]}" if cards.WORD.fullmatch(card) else cards.name_of(id, card))
        for card, _ in deck.cards
    }


async def _named(context: Context, id: str, deck: Deck) -> list[tuple[str, int]]:
    names = await _names(context, id, deck)
    return [(names[card], count) for card, count in deck.cards]
