"""A phase that a cup leads: one chit is drawn for each go, until the cup is empty or a chit ends
the phase.
"""

from dataclasses import replace

from bot.commands.context import Context, closes_texts
from bot.commands.play import decks
from bot.commands.turns.mentions import add_uncalled_players, call_sides, list_calls
from bot.commands.turns.turn import begin_phase, refuse_old_card
from bot.commands.turns.turn_card import build_phase_buttons, count_buttons_across, format_phase
from bot.game import cups
from bot.game.counter_faces import is_lost
from bot.game.phases import (
    describe_whose_go,
    format_phase_title,
    get_chit_name,
    get_phase,
    start_next_phase,
)
from bot.game.rights import need_go
from bot.game.roster import sort_units
from bot.rules import cards
from bot.rules.errors import UserError
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import capitalize_first, phrase
from bot.rulesets.game_file import LED_BY
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import WAITING, Reply
from bot.ui.spec import INTO_HAND
from bot.ui.typing.command_text import quote_value

MOST_DEAD = 40
"""Chits of nobody that one press sets aside."""


async def press_draw_chit(context: Context, about: str) -> Reply:
    """The button *Draw* of a phase: the chit for which it was made, once; then it shows the one
    that was drawn. Raises UserError."""
    moment, _, left = about.rpartition(":")
    if old := refuse_old_card(context, moment):
        return old
    game = context.need_started()
    if game.led and not cups.get_chit(game.led) and left != str(cups.count_chits_left(game)):
        raise UserError(
            "That chit was drawn, and its units are done.",
            hint="Draw the next one.",
            code="chit-drawn",
        )
    return await draw_next_chit(context)


def find_leading_cup(context: Context) -> str:
    """The deck that leads the phase, also by an optional rule that was just switched on; "" for
    none.
    """
    game = context.game
    return cups.get_cup(game.led) or str(get_phase(game, context.system).get(LED_BY, ""))


async def press_draw_card(context: Context, id: str) -> Reply:
    """The button *Draw* of a deck: one more; from the cup that leads the phase the chit for the
    next go.
    """
    return await (
        draw_next_chit(context)
        if id == find_leading_cup(context)
        else decks.press_draw(context, id)
    )


async def draw_from_deck_or_cup(context: Context) -> Reply:
    """Draw cards; from the cup that leads the phase the chit for the next go. Raises UserError."""
    options = context.clean_options()
    led = find_leading_cup(context)
    typed = options["deck"] or ""
    if not led or context.game.ended or comparison_key(typed) not in ("", led):
        return await decks.draw_cards(context, options)
    real = decks.parse_real_cards(context, options["hand"] or "")
    if options["count"] != 1 or options["to"] in INTO_HAND:
        what = f"{led} leads this phase: its chits are drawn one by one, for all to see."
        raise UserError(
            what,
            hint=phrase("The next one: `/deck draw {id}`", id=led),
            option="count",
            code="bad-value",
        )
    return await draw_next_chit(context, real)


async def draw_next_chit(context: Context, real: tuple[str, ...] = ()) -> Reply:
    """Draw the chit of the next go, or take the `real` ones that came out of a cup on the table;
    what it says of whose that is, or of the end of the phase. Raises UserError."""
    game = context.need_started()
    system = context.system
    id = find_leading_cup(context)
    name = get_chit_name(game, system)
    if not id or name:
        what = (
            f"{name} is drawn: {describe_whose_go(game) or 'it is to act'}."
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
        if not cups.count_chits_left(replace(context.game, led=id)):
            _check_all_used(real, at)
            return await _end_phase(context, [*because, f"The {cups.get_nouns(id)[1]} is empty."])
        if real and at == len(real):
            aside = f"Nothing is recorded yet. {because[-1]} Which came next?"
            more = phrase(
                "Type both: `/deck draw {id} hand={typed}`",
                id=id,
                typed=quote_value(", ".join((*real, "..."))),
            )
            raise UserError(aside, hint=more, option="hand", code="die-owed")
        number = context.ledger.next_number
        led = await _record_chit(context, id, real[at : at + 1])
        now = context.game
        name = get_chit_name(replace(game, led=led), system)
        if cups.get_chit(now.led):
            _check_all_used(real, at + 1)
        if (word := cups.get_chit_values(now, now.led).get("ends")) is not None:
            return await _end_phase(
                context, [*because, f"{context.user_name} draws {name}: the {word} is over."]
            )
        if cups.get_chit(now.led):
            break
        gone = "out of the game" if now.decks[id].get("dead") else "set aside"
        handle = cups.get_chit(led)
        lost = {*now.decks[id][cups.LOST]}
        marks = (unit.marks & lost for unit in now.units.values() if unit.handle == handle)
        why = next((f"marked {mark}" for marked in marks for mark in marked), "none of it is left")
        because.append(f"{name}: {gone}, {why}.")
        context.ledger.record_first_line(str(because[-1]))
    return await _build_chit_reply(context, number, because)


def _check_all_used(real: tuple[str, ...], used: int) -> None:
    """Raise UserError for chits of a real cup that were not asked for any more."""
    if real[used:]:
        what = f"{format_count(len(real) - used, 'chit')} left over: {', '.join(real[used:])}."
        raise UserError(what, hint="Leave the rest out.", option="hand", code="dice-left-over")


async def _record_chit(context: Context, id: str, real: tuple[str, ...]) -> str:
    """Draw the next chit and write it down; the cup and the chit."""
    game = context.game
    ledger = context.ledger
    if game.cards.get(cards.get_last_key(id)):
        what = f"Cards of {id} are closed, and its chits are drawn for all to see."
        raise UserError(
            what,
            hint=phrase("`/deck shuffle {id}`, or play what is in hands.", id=id),
            code="leads-phase",
        )
    deck = cards.deck_from_json(game.decks[id])
    source = (
        await decks.build_card_script(context, id, deck, real)
        if real
        else ledger.create_dice_source()
    )
    closes = not real and closes_texts(context)  # refused before the first die
    drawn = cards.draw(id, deck, game.cards, 1, source)
    after = cups.apply_chit_draw(replace(game, cards=drawn.out), id, drawn.cards[0])
    ledger.add(
        "draw", after, does="lead", deck=id, dice=[die.to_note() for die in drawn.dice], hand=bool(real),
        closes=closes, result=cards.format_cards(id, drawn.cards),
    )  # fmt: skip
    return f"{id}/{drawn.cards[0]}"


async def _end_phase(context: Context, because: list[Part]) -> Reply:
    """The next phase, since the cup is empty or a chit says so."""
    game = context.game
    after = start_next_phase(game, context.system)
    context.ledger.add("next", after, result=format_phase_title(after, context.system))
    return await begin_phase(context, game, after, tuple(map(str, because)))


async def _build_chit_reply(context: Context, number: int, because: list[Part]) -> Reply:
    """The answer to a chit: whose go it is, who are called."""
    game = context.game
    id = cups.get_cup(context.game.led)
    name = get_chit_name(game, context.system)
    whose = describe_whose_go(game)
    mention = await call_sides(context, game, game.go)
    where = (
        f"{format_phase(replace(game, led=id), context.system)} · {cups.describe_chits_left(game)}"
    )
    told = sort_units(game.units.values()) if cups.get_chit_values(game, game.led).get("of") else ()
    units = [
        one.name for one in told if cups.is_called(game, one) and not is_lost(one, context.system)
    ]
    lines = (*because, *decks.describe_cards(context, id, filter(None, [cups.get_chit(game.led)])))
    lines = (*lines, *([join_names(units)] if units and units != [name] else ()), Small(where))
    owed = [call for call in await list_calls(context) if call.roll]
    owes = any(cups.is_called(game, unit) for call in owed for unit in call.units)
    buttons = (
        *build_phase_buttons(context, owes=owes),
        context.build_button("undo", "Undo", number),
    )
    return Reply(
        add_uncalled_players(context, f"{name}: {whose}" if name and whose else name or capitalize_first(whose)),
        lines, by=f"{context.user_name} draws", buttons=buttons, across=count_buttons_across(buttons),
        tone=WAITING, mention=mention,
    )  # fmt: skip
