"""A phase led by a cup: each chit drawn says which units act next.

The phase ends when the cup is empty, or when a chit says so.
"""

from dataclasses import replace

from bot.commands.cards import decks
from bot.commands.context import Context, closes_texts
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.turns.mentions import add_uncalled_players, call_sides, list_calls
from bot.commands.turns.turn import begin_phase, refuse_old_card
from bot.commands.turns.turn_card import build_phase_buttons, count_buttons_across, format_phase
from bot.game import cups
from bot.game.phases import (
    describe_whose_go,
    format_phase_title,
    get_chit_name,
    get_phase,
    start_next_phase,
)
from bot.game.rights import need_go
from bot.game.roster import sort_units
from bot.game.state import Game
from bot.rules import cards
from bot.rules.dice import Source
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import capitalize_first, phrase
from bot.rulesets.game_keys import LED_BY
from bot.rulesets.system import is_lost
from bot.ui.common_options import ANY_DECK, build_optional
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import WAITING, Reply
from bot.ui.spec import INTO_HAND
from bot.ui.typing.command_text import quote_value

MOST_DEAD = 40
"""Maximum number of chits of dead units that one draw sets aside."""


@declare_button("lead", of=ButtonOf.GAME)
async def press_draw_chit(context: Context, moment: str, chits_left: str) -> Reply:
    """Draw the next chit: the button *Draw* of a phase, which works once for each chit.

    `moment` is the phase, `chits_left` the number of chits left when the button was made. If the
    phase is over, return a refusal. Raises UserError if that chit was drawn already.
    """
    refusal = refuse_old_card(context, moment)
    if refusal:
        return refusal
    game = context.need_started()
    if game.led and not cups.get_chit(game.led) and chits_left != str(cups.count_chits_left(game)):
        raise UserError(
            "That chit has been drawn, and its units are done.",
            hint="Draw the next one.",
            code="chit-drawn",
        )
    return await draw_next_chit(context)


def find_leading_cup(context: Context) -> str:
    """Return the id of the deck that leads the phase, "" for none.

    An optional rule that was just switched on can make a deck lead it.
    """
    game = context.game
    return cups.get_cup(game.led) or str(get_phase(game, context.system).get(LED_BY, ""))


@declare_button("drawcard", of=ButtonOf.GAME)
async def press_draw_card(context: Context, id: str) -> Reply:
    """Draw one more card: the button *Draw* of a deck.

    From the cup that leads the phase, draw the next chit. Raises UserError if there is no such
    deck, or if it has nothing left to draw.
    """
    if id == find_leading_cup(context):
        return await draw_next_chit(context)
    return await decks.press_draw(context, id)


@declare_command(
    "deck draw",
    "Draw cards or chits; each is a die roll that anyone can check",
    ANY_DECK,
    Option("count", "int", "how many", min=1, max=60, default=1),
    Option(
        "to",
        "enum",
        "play: face up; me: hidden, into your hand; full: until your hand is full",
        values=("play", "me", "full"),
        default="play",
    ),
    build_optional(
        "hand",
        "the cards you drew from a real deck on your table, by name",
        brief="cards of a real deck",
    ),
    example="standard-52",
)
async def draw_from_deck_or_cup(context: Context) -> Reply:
    """Draw the typed cards, or the next chit if the cup leads the phase.

    Chits are drawn one by one and openly. Raises UserError for an unknown or empty deck, and if
    several chits are to be drawn or one into a hand.
    """
    options = context.clean_options()
    leading_cup = find_leading_cup(context)
    typed = options["deck"] or ""
    if not leading_cup or context.game.ended or comparison_key(typed) not in ("", leading_cup):
        return await decks.draw_cards(context, options)
    real = decks.parse_real_cards(context, options["hand"] or "")
    if options["count"] != 1 or options["to"] in INTO_HAND:
        message = f"{leading_cup} leads this phase: draw its chits one at a time, face up."
        raise UserError(
            message,
            hint=phrase("The next one: `/deck draw {id}`", id=leading_cup),
            option="count",
            code="bad-value",
        )
    return await draw_next_chit(context, real)


async def draw_next_chit(context: Context, real: tuple[str, ...] = ()) -> Reply:
    """Draw the next chit, and answer whose turn it is, or that the phase is over.

    Chits of dead units are set aside until another chit comes. `real` are chits that were drawn
    from a real cup on the table; empty to draw with the game's dice.

    Raises UserError while the last chit's units act, if no cup leads the phase, and if `real` has
    too few chits or too many.
    """
    game = context.need_started()
    system = context.system
    id = find_leading_cup(context)
    acting_name = get_chit_name(game, system)
    if acting_name:
        message = (
            f"{acting_name} has been drawn: {describe_whose_go(game) or 'its turn has begun'}."
        )
        hint = phrase("When it's done: `/game pass done`")
        raise UserError(message, hint=hint, code="chit-drawn")
    if not id:
        raise UserError("No cup leads this phase.", code="no-chit")
    need_go(game, context.actor)
    decks.declare_cup(context, id)
    reasons = list[Part]()
    number = context.ledger.next_number
    for index in range(MOST_DEAD):
        if not cups.count_chits_left(replace(context.game, led=id)):
            _check_all_used(real, index)
            return await _end_phase(context, [*reasons, f"The {cups.get_nouns(id)[1]} is empty."])
        if real and index == len(real):
            raise _build_next_chit_error(id, real, str(reasons[-1]))
        number = context.ledger.next_number
        chit = await _record_chit(context, id, real[index : index + 1])
        game_after = context.game
        chit_name = get_chit_name(replace(game, led=chit), system)
        if cups.get_chit(game_after.led):
            _check_all_used(real, index + 1)
        word = cups.get_chit_values(game_after, game_after.led).get("ends")
        if word is not None:
            reasons.append(f"{context.user_name} draws {chit_name}: the {word} is over.")
            return await _end_phase(context, reasons)
        if cups.get_chit(game_after.led):
            break
        consequence = "out of the game" if game_after.decks[id].get("dead") else "set aside"
        cause = _explain_dead_chit(game_after, id, cups.get_chit(chit))
        reasons.append(f"{chit_name}: {consequence}, {cause}.")
        context.ledger.record_first_line(str(reasons[-1]))
    return await _build_chit_reply(context, number, reasons)


def _explain_dead_chit(game: Game, cup: str, handle: str) -> str:
    """Return why the unit with this handle cannot be drawn: its marker of a loss, or it is gone."""
    lost_states = {*game.decks[cup][cups.LOST]}
    for unit in game.units.values():
        lost_marks = unit.marks & lost_states
        if unit.handle == handle and lost_marks:
            return f"marked {next(iter(lost_marks))}"
    return "it has no units left"


def _build_next_chit_error(cup: str, real: tuple[str, ...], reason: str) -> UserError:
    """Build the error that asks for the chit after those of a real cup that were typed.

    `reason` says why the last of them was set aside.
    """
    message = f"Nothing is recorded yet. {reason} Which came next?"
    typed = quote_value(", ".join((*real, "...")))
    hint = phrase("Type both: `/deck draw {id} hand={typed}`", id=cup, typed=typed)
    return UserError(message, hint=hint, option="hand", code="die-owed")


def _check_all_used(real: tuple[str, ...], count: int) -> None:
    """Raise UserError if more chits of a real cup are typed than the `count` that were needed."""
    if real[count:]:
        message = f"{format_count(len(real) - count, 'chit')} left over: {', '.join(real[count:])}."
        raise UserError(message, hint="Leave those out.", option="hand", code="dice-left-over")


async def _record_chit(context: Context, id: str, real: tuple[str, ...]) -> str:
    """Draw the next chit and record it. Return the cup and the chit: `cup/chit`.

    Raises UserError while cards of the cup are closed.
    """
    game = context.game
    ledger = context.ledger
    if game.cards.get(cards.get_last_key(id)):
        message = f"Some cards of {id} are hidden, but its chits are drawn face up."
        raise UserError(
            message,
            hint=phrase("`/deck shuffle {id}`, or play the cards in hand.", id=id),
            code="leads-phase",
        )
    deck = cards.deck_from_json(game.decks[id])
    source: Source
    if real:
        source = await decks.build_card_script(context, id, deck, real)
    else:
        source = ledger.create_dice_source()
    closes = not real and closes_texts(context)  # refused before the first die
    drawn = cards.draw(id, deck, game.cards, 1, source)
    game_after = cups.apply_chit_draw(replace(game, cards=drawn.out), id, drawn.cards[0])
    ledger.add(
        "draw", game_after, does="lead", deck=id, dice=[die.to_note() for die in drawn.dice], hand=bool(real),
        closes=closes, result=cards.format_cards(id, drawn.cards),
    )  # fmt: skip
    return f"{id}/{drawn.cards[0]}"


async def _end_phase(context: Context, reasons: list[Part]) -> Reply:
    """Begin the next phase. `reasons` are the lines about why this one is over."""
    game = context.game
    game_after = start_next_phase(game, context.system)
    context.ledger.add("next", game_after, result=format_phase_title(game_after, context.system))
    return await begin_phase(context, game, game_after, tuple(map(str, reasons)))


async def _build_chit_reply(context: Context, number: int, reasons: list[Part]) -> Reply:
    """Build the answer to event `number`, a drawn chit, and mention the players of its side.

    `reasons` are the lines about the chits that were set aside before it.
    """
    game = context.game
    id = cups.get_cup(context.game.led)
    name = get_chit_name(game, context.system)
    turn_text = describe_whose_go(game)
    mention = await call_sides(context, game, game.go)
    phase_text = (
        f"{format_phase(replace(game, led=id), context.system)} · {cups.describe_chits_left(game)}"
    )
    lines = [*reasons]
    chit = cups.get_chit(game.led)
    if chit:
        lines += decks.describe_cards(context, id, [chit])
    if cups.get_chit_values(game, game.led).get("of"):
        units = []
        for unit in sort_units(game.units.values()):
            if cups.is_called(game, unit) and not is_lost(unit, context.system):
                units.append(unit.name)
        if units and units != [name]:
            lines.append(join_names(units))
    lines.append(Small(phase_text))
    calls = [call for call in await list_calls(context) if call.roll]
    has_open_calls = any(cups.is_called(game, unit) for call in calls for unit in call.units)
    buttons = (
        *build_phase_buttons(context, owes=has_open_calls),
        context.build_undo_button(number),
    )
    title = name or capitalize_first(turn_text)
    if name and turn_text:
        title = f"{name}: {turn_text}"
    return Reply(
        add_uncalled_players(context, title),
        tuple(lines),
        by=f"{context.user_name} draws",
        buttons=buttons,
        across=count_buttons_across(buttons),
        tone=WAITING,
        mention=mention,
    )
