"""Whether an event follows on those before it: decks, what is drawn from them, and where cards go."""

from __future__ import annotations

from collections.abc import Mapping

from bot.game.events import difference
from bot.game.follows.past import Event, Past, Said, words_problem
from bot.rules import cards
from bot.rules.copies import replace
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rules.proof.event_kinds import shown


def deck(past: Past, event: Event, said: Said) -> str:
    """A deck is declared, in the place of one of the same name, whose cards all go."""
    now, declared = past.now, said.get("decks", {})
    new = [id for id in declared if declared[id] != now.decks.get(id)]
    if len(new) != 1 or declared != {**now.decks, new[0]: declared[new[0]]} or not cards.ID.fullmatch(new[0]):
        return "it declares no deck."
    id, made = new[0], cards.deck_from_json(declared[new[0]])
    if problem := cards.faults(made):
        return problem
    if id in cards.STANDARD and made.cards != cards.STANDARD[id].cards:
        return f"{id} has other cards."
    typed = [cards.WORD.fullmatch(card) for card, _ in made.cards]
    keys = {f"{event['number']}.{key}" for key in event.get("texts", {})}
    if {found[0] for found in typed if found} != keys:
        return "its cards have other words than are under its hashes."
    gone = dict.fromkeys(cards.of_deck(id, now.cards), 0)
    return _moves(past, event, cards.moved(now.cards, gone)) or words_problem(event, cards.size_words(id, made))


def draw(past: Past, event: Event, _: Said) -> str:
    """Cards are drawn, each by one die; or names are put in order."""
    id, dice = event.get("deck", ""), event["dice"]
    made, source = past.now.decks.get(id), Script([die["value"] for die in dice])
    if event.get("texts", {}).keys() != ({f"w{n}" for n in range(1, len(dice) + 1)} if _orders(event) else set()):
        return "it has other texts than the names that it puts in order."
    if len(dice) > cards.MOST_DRAWN or (made is None and not _orders(event)):
        return "it draws from a deck that nobody declared, or too much at once."
    try:
        if _orders(event):
            drawn = cards.order([f"{event['number']}.w{n}" for n in range(1, len(dice) + 1)], source)
        else:
            drawn = cards.draw(id, cards.deck_from_json(made or {}), past.now.cards, len(dice), source)
    except UserError as error:
        return f"its dice draw no cards: {error}"
    if [die.note() for die in drawn.dice] != dice:
        return "its dice are not those that its pile asks for."
    if _orders(event):
        return _moves(past, event, past.now.cards) or words_problem(event, ", ".join(drawn.cards))
    return _moves(past, event, drawn.out) or words_problem(event, cards.words(id, drawn.cards))


def _orders(event: Event) -> bool:
    return event["does"] == "names" and "deck" not in event


FROM: Mapping[str, tuple[str, ...]] = {
    "discard": (cards.PLAY,),
    "remove": (cards.PLAY, cards.DISCARD),
    "return": (cards.PLAY, cards.DISCARD),
    "shuffle": (cards.DISCARD,),
}
TO = {"discard": cards.DISCARD, "remove": cards.REMOVED}


def move(past: Past, event: Event, _: Said) -> str:
    """Cards go from play to the discards, out of the game, or back into the pile."""
    id, does, now = event["deck"], event["does"], past.now
    if id not in now.decks or does not in FROM:
        return f"it moves cards of {shown(id)}, which nobody declared."
    took = cards.taken(
        id, cards.deck_from_json(now.decks[id]), event.get("before", {}).get("cards", {}), event["after"]["cards"]
    )
    wrong = [place for place, _ in took if place not in FROM[does]]
    every = sum(cards.at(id, cards.DISCARD, now.cards).values())
    if wrong or not took or (len(took) != every if does == "shuffle" else len(took) > cards.MOST_DRAWN):
        return "it moves cards that do not go there."
    out = now.cards
    for place, card in took:
        out = cards.take(id, out, [card], [place], TO.get(does, ""))
    names = [f"{every} cards"] if does == "shuffle" else [card for _, card in took]
    return _moves(past, event, out) or words_problem(event, cards.words(id, names))


def _moves(past: Past, event: Event, out: cards.Out) -> str:
    """What is wrong with what an event changes of cards, which is to lead to `out`."""
    before, after = difference(past.now, replace(past.now, cards=out))
    fits = all(
        event.get(name, {}).get("cards", {}) == patch.get("cards", {})
        for name, patch in (("before", before), ("after", after))
    )
    return "" if fits else "it changes other cards than it draws or moves."
