"""A phase that a cup leads: one chit is drawn for each go, until the cup is empty or a chit ends
the phase.
"""

from dataclasses import replace

from bot.commands.context import Context, closes_texts
from bot.commands.play import decks
from bot.commands.turns.mentions import addressed, call_sides, calls
from bot.commands.turns.turn import old_card, phase_card
from bot.commands.turns.turn_card import across_of, phase_buttons, phase_name
from bot.game import cups
from bot.game.counter import is_lost
from bot.game.phases import chit_name, next_phase, phase_of, phase_title, whose_go
from bot.game.rights import need_go
from bot.game.roster import in_order
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import WAITING, Reply
from bot.interface.spec import INTO_HAND
from bot.interface.typing.command_text import quoted
from bot.rules import cards
from bot.rules.errors import UserError
from bot.rules.text.names import counted, joined
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import begun, phrase
from bot.systems.game_file import LED_BY

MOST_DEAD = 40
"""Chits of nobody that one press sets aside."""


async def press(context: Context, about: str) -> Reply:
    """The button *Draw* of a phase: the chit for which it was made, once; then it shows the one
    that was drawn. Raises UserError."""
    moment, _, left = about.rpartition(":")
    if old := old_card(context, moment):
        return old
    game = context.need_started()
    if game.led and not cups.chit_of(game.led) and left != str(cups.chits_left(game)):
        raise UserError(
            "That chit was drawn, and its units are done.",
            hint="Draw the next one.",
            code="chit-drawn",
        )
    return await lead(context)


def cup_now(context: Context) -> str:
    """The deck that leads the phase, also by an optional rule that was just switched on; "" for
    none.
    """
    game = context.game
    return cups.cup_of(game.led) or str(phase_of(game, context.system).get(LED_BY, ""))


async def press_card(context: Context, id: str) -> Reply:
    """The button *Draw* of a deck: one more; from the cup that leads the phase the chit for the
    next go.
    """
    return await (lead(context) if id == cup_now(context) else decks.press_draw(context, id))


async def draw(context: Context) -> Reply:
    """Draw cards; from the cup that leads the phase the chit for the next go. Raises UserError."""
    options = context.options()
    led = cup_now(context)
    typed = options["deck"] or ""
    if not led or context.game.ended or comparison_key(typed) not in ("", led):
        return await decks.draw(context, options)
    real = decks.real_cards(context, options["hand"] or "")
    if options["count"] != 1 or options["to"] in INTO_HAND:
        what = f"{led} leads this phase: its chits are drawn one by one, for all to see."
        raise UserError(
            what,
            hint=phrase("The next one: `/deck draw {id}`", id=led),
            option="count",
            code="bad-value",
        )
    return await lead(context, real)


async def lead(context: Context, real: tuple[str, ...] = ()) -> Reply:
    """Draw the chit of the next go, or take the `real` ones that came out of a cup on the table;
    what it says of whose that is, or of the end of the phase. Raises UserError."""
    game = context.need_started()
    system = context.system
    id = cup_now(context)
    name = chit_name(game, system)
    if not id or name:
        what = (
            f"{name} is drawn: {whose_go(game) or 'it is to act'}."
            if name
            else "No cup leads this phase."
        )
        hint = phrase("When that is over: `/game pass done`") if name else ""
        raise UserError(what, hint=hint, code="chit-drawn" if name else "no-chit")
    need_go(game, context.actor)
    decks.declare_cup(context, id)
    because = list[Part]()
    number = context.ledger.next_number
    for at in range(MOST_DEAD):
        if not cups.chits_left(replace(context.game, led=id)):
            _check_all(real, at)
            return await _over(context, [*because, f"The {cups.nouns(id)[1]} is empty."])
        if real and at == len(real):
            aside = f"Nothing is recorded yet. {because[-1]} Which came next?"
            more = phrase(
                "Type both: `/deck draw {id} hand={typed}`",
                id=id,
                typed=quoted(", ".join((*real, "..."))),
            )
            raise UserError(aside, hint=more, option="hand", code="die-owed")
        number = context.ledger.next_number
        led = await _drawn(context, id, real[at : at + 1])
        now = context.game
        name = chit_name(replace(game, led=led), system)
        if cups.chit_of(now.led):
            _check_all(real, at + 1)
        if (word := cups.said_of(now, now.led).get("ends")) is not None:
            return await _over(
                context, [*because, f"{context.who} draws {name}: the {word} is over."]
            )
        if cups.chit_of(now.led):
            break
        gone = "out of the game" if now.decks[id].get("dead") else "set aside"
        handle = cups.chit_of(led)
        lost = {*now.decks[id][cups.LOST]}
        marks = (unit.marks & lost for unit in now.units.values() if unit.handle == handle)
        why = next((f"marked {mark}" for marked in marks for mark in marked), "none of it is left")
        because.append(f"{name}: {gone}, {why}.")
        context.ledger.say(str(because[-1]))
    return await _shown(context, number, because)


def _check_all(real: tuple[str, ...], used: int) -> None:
    """Raise UserError for chits of a real cup that were not asked for any more."""
    if real[used:]:
        what = f"{counted(len(real) - used, 'chit')} left over: {', '.join(real[used:])}."
        raise UserError(what, hint="Leave the rest out.", option="hand", code="dice-left-over")


async def _drawn(context: Context, id: str, real: tuple[str, ...]) -> str:
    """Draw the next chit and write it down; the cup and the chit."""
    game = context.game
    ledger = context.ledger
    if game.cards.get(cards.last_key(id)):
        what = f"Cards of {id} are closed, and its chits are drawn for all to see."
        raise UserError(
            what,
            hint=phrase("`/deck shuffle {id}`, or play what is in hands.", id=id),
            code="leads-phase",
        )
    deck = cards.deck_from_json(game.decks[id])
    source = await decks.drawing_from(context, id, deck, real) if real else ledger.source()
    closes = not real and closes_texts(context)  # refused before the first die
    drawn = cards.draw(id, deck, game.cards, 1, source)
    after = cups.drawn(replace(game, cards=drawn.out), id, drawn.cards[0])
    ledger.add(
        "draw", after, does="lead", deck=id, dice=[die.note() for die in drawn.dice], hand=bool(real),
        closes=closes, result=cards.words(id, drawn.cards),
    )  # fmt: skip
    return f"{id}/{drawn.cards[0]}"


async def _over(context: Context, because: list[Part]) -> Reply:
    """The next phase, since the cup is empty or a chit says so."""
    game = context.game
    after = next_phase(game, context.system)
    context.ledger.add("next", after, result=phase_title(after, context.system))
    return await phase_card(context, game, after, tuple(map(str, because)))


async def _shown(context: Context, number: int, because: list[Part]) -> Reply:
    """The answer to a chit: whose go it is, who are called."""
    game = context.game
    id = cups.cup_of(context.game.led)
    name = chit_name(game, context.system)
    whose = whose_go(game)
    mention = await call_sides(context, game, game.go)
    where = f"{phase_name(replace(game, led=id), context.system)} · {cups.left_told(game)}"
    told = in_order(game.units.values()) if cups.said_of(game, game.led).get("of") else ()
    units = [
        one.name for one in told if cups.is_called(game, one) and not is_lost(one, context.system)
    ]
    lines = (*because, *decks.described(context, id, filter(None, [cups.chit_of(game.led)])))
    lines = (*lines, *([joined(units)] if units and units != [name] else ()), Small(where))
    owed = [call for call in await calls(context) if call.roll]
    owes = any(cups.is_called(game, unit) for call in owed for unit in call.units)
    buttons = (*phase_buttons(context, owes=owes), context.button("undo", "Undo", number))
    return Reply(
        addressed(context, f"{name}: {whose}" if name and whose else name or begun(whose)),
        lines, by=f"{context.who} draws", buttons=buttons, across=across_of(buttons), tone=WAITING, mention=mention,
    )  # fmt: skip
