"""`/order`: sealed orders, opened together once every side has written its own, or at the deadline.

The log holds the salted hash of each order. The text is stored separately, and only its writer can
see it before the opening. A side is *in* once one of its players has written orders.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile

from bot.commands.context import Amendment, Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.turns.mentions import call_sides
from bot.forms.drafts import create_draft
from bot.game.events import list_effective_events
from bot.game.rights import need_player
from bot.game.sides import (
    COMMAND,
    ORDER,
    Seats,
    describe_order_sides,
    find_side,
    get_order_side,
    has_all_orders,
    list_missing_sides,
    list_sides_with_orders,
    may_open_early,
    sort_orders,
)
from bot.game.state import Game
from bot.loading.log_reader import iterate_events
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.text.names import join_names
from bot.rules.text.normalize import normalize_value
from bot.rules.text.phrase import Phrase, Typed, phrase
from bot.storage.records import DueRow, Outgoing
from bot.ui.common_options import build_optional
from bot.ui.reply.parts import Group, Part, Small, build_date
from bot.ui.reply.reply import OPEN_FORM, SEALED, Button, Reply
from bot.ui.typing.command_text import parse_text, quote_value

OPENS = "orders"
LONGEST = 1_500
MAX_EVENTS_OF_ORDERS = 200
"""Events that are searched for the sealed orders of a turn."""
LONGEST_WAIT = 60
"""Maximum number of days until a deadline."""
READY = ("sequence", "lookup", "roll")
"""Families of the commands that an order may hold ready."""
LATE = 1800.0
"""Seconds after the deadline from which the opening says that it is late."""
_WITHIN = re.compile(
    r"(\d{1,4}(?:[.,]\d)?)\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?)", re.IGNORECASE
)
_HOUR = 3600
_UNITS = {"m": 60, "h": _HOUR, "d": 24 * _HOUR, "w": 7 * 24 * _HOUR}
"""Seconds in a unit of time, by its first letter."""


@declare_command(
    "order write",
    "Write your side's sealed orders; all sides' orders open together",
    build_optional("text", "what your side does", label="Your orders"),
    build_optional(
        "command", "a roll or sequence to keep ready until they open", label="Roll to have ready"
    ),
    example='"Squads 3 + 4 advance to H5"',
    private=True,
    needs_game=True,
)
async def write_order(context: Context) -> Reply:
    """Seal the user's orders in place of their earlier ones. If all sides are in, open them all.

    Raises UserError for a user who plays no side, and for orders that are empty or too long.
    """
    options = context.clean_options()
    game = _need_sides(context)
    need_player(game, context.actor)
    side = context.actor.side
    if not side:
        raise UserError("Only players with a side can write orders.", code="not-player")
    texts = _build_order_texts(context, options["text"], options["command"])
    ledger = context.ledger
    person = ledger.ensure_person()
    orders = {number: writer for number, writer in game.orders.items() if writer != person}
    is_replaced = len(orders) < len(game.orders)
    orders[str(ledger.next_number)] = person
    ledger.add("order", replace(game, orders=orders), texts=texts, result=f"{side} is in")
    lines: list[Part] = []
    for key, text in texts.items():
        lines.append(text if key == ORDER else Phrase("Ready: ", Typed(text)))
    if has_all_orders(context.game):
        announcement = await _open_orders(context)
    else:
        # Only the first order of a turn calls the sides that are missing.
        is_first_order = not game.orders and not await _were_opened(context)
        called_sides = tuple(list_missing_sides(context.game)) if is_first_order else ()
        mention = await call_sides(context, context.game, called_sides, spares=False)
        card = await _amend_cards(context, _build_card(context))
        announcement = replace(card, mention=mention)
        lines += await _offer_early_opening(context)
    title = "Your orders are sealed"
    if is_replaced:
        title = "Your new orders are sealed and replace the old ones"
    return Reply(title, tuple(lines), private=True, tone=SEALED, announce=announcement)


def _build_order_texts(context: Context, text: str | None, command: str | None) -> dict[str, str]:
    """Return the text and the command of an order that are not empty, by ORDER and COMMAND.

    Raises UserError if both are empty, if one is too long, and for a command that is no roll, table
    or sequence.
    """
    texts = {}
    for key, typed in ((ORDER, text), (COMMAND, command)):
        one_line = " ".join((typed or "").split())
        if one_line:
            texts[key] = one_line
    if not texts:
        hint = phrase('For example: `/order write "Squads 3 + 4 advance to H5"`')
        raise UserError("What are your orders?", hint=hint, option="text", code="missing")
    for key, one_line in texts.items():
        if len(one_line) > LONGEST:
            option = "text" if key == ORDER else "command"
            raise UserError(
                f"Orders can have at most {LONGEST} characters.", option=option, code="too-long"
            )
    if COMMAND in texts:
        spec = parse_text(texts[COMMAND], context.registry).spec
        if spec.family not in READY:
            raise UserError(
                f"{spec.name} can't be an order: only rolls, tables and combat sequences can.",
                hint=phrase(
                    "Write it in words instead: `/order write {text}`",
                    text=quote_value(spec.name.removeprefix("/")),
                ),
                option="command",
                code="bad-value",
            )
    return texts


@declare_command(
    "order show",
    "Who has written orders, when they open, and your own",
    private=True,
    needs_game=True,
)
async def show_orders(context: Context) -> Reply:
    """Show the user alone which sides are in, when the orders open, and the user's own orders."""
    own_order = await _list_own_order(context)
    card = _build_card(context)
    offer = await _offer_early_opening(context) if context.game.orders else []
    return replace(card, lines=(*card.lines, *own_order, *offer), private=True)


@declare_button("ordermine", of=ButtonOf.GAME, private=True)
async def show_own_order(context: Context) -> Reply:
    """Show the user's own sealed orders to the user alone, by the button *Mine*."""
    own_order = tuple(await _list_own_order(context))
    title = "Your sealed orders" if own_order else "You have written no orders yet"
    return Reply(title, own_order, private=True)


async def _list_own_order(context: Context) -> list[Part]:
    """Return the user's sealed orders, [] if they have written none.

    Raises UserError if no game is on, or if it has no sides.
    """
    game = _need_sides(context)
    person = context.ledger.find_person()
    numbers = [int(number) for number, writer in game.orders.items() if writer == person]
    texts = await _load_order_texts(context, numbers)
    return [_format_order("Yours", texts.get(number, {})) for number in numbers]


def _compute_seconds(number: str, unit: str) -> int:
    """Return the seconds of a duration such as ("1.5", "d")."""
    return round(float(number.replace(",", ".")) * _UNITS[unit[0].casefold()])


@declare_command(
    "order deadline",
    "Set a deadline: the orders open then, even if some are missing",
    Option("within", "str", "2d or 36h from now; off for none"),
    example="2d",
    needs_game=True,
)
async def set_deadline(context: Context) -> Reply:
    """Set or remove the time at which the orders open even if not every side is in.

    Raises UserError for a duration that cannot be read, and for `off` without a deadline.
    """
    game = _need_sides(context)
    need_player(game, context.actor)
    typed = normalize_value(context.clean_options()["within"])
    match = _WITHIN.fullmatch(typed)
    seconds = _compute_seconds(match[1], match[2]) if match else 0
    is_off = typed.casefold() in ("off", "none", "no")
    if not is_off and not _HOUR <= seconds <= LONGEST_WAIT * 24 * _HOUR:
        raise UserError(
            f'"{typed[:40]}" is not a time from 1 hour to {LONGEST_WAIT} days.',
            hint="For example 2d or 36h; off for none.",
            option="within",
            code="bad-value",
        )
    due = 0 if is_off else int(context.now) + seconds
    if due == game.orders_due:
        raise UserError("There is no deadline.", code="no-orders")
    result = "a deadline" if due else "no deadline"
    context.ledger.add("order", replace(game, orders_due=due), result=result)
    return await _amend_cards(context, _build_card(context))


@declare_command("order open", "Open the orders when all are in", needs_game=True)
async def open_now(context: Context) -> Reply:
    """Open the orders. Raises UserError for a user who may not do so yet: see `may_open`."""
    game = _need_sides(context)
    need_player(game, context.actor)
    if not game.orders:
        raise UserError(
            "No orders have been written yet.",
            hint=phrase("Write yours: `/order write`"),
            code="no-orders",
        )
    if not await may_open(context):
        missing = list_missing_sides(game)
        verb = "is" if len(missing) == 1 else "are"
        hint = phrase("They open when all are in, or at the deadline: `/order deadline 2d`")
        raise UserError(f"{' and '.join(missing)} {verb} not in.", hint=hint, code="not-all-in")
    return await _open_orders(context, opener=context.user_name)


async def _offer_early_opening(context: Context) -> list[Part]:
    """Return a line on how to open the orders early, if nobody plays the sides that are missing and
    the user may open them. Return [] otherwise.
    """
    game = context.game
    missing = list_missing_sides(game)
    has_missing_players = bool(set(missing) & set(game.players.values()))
    if not missing or has_missing_players or not await may_open(context):
        return []
    sides = " or ".join(missing)
    return [Small(phrase("Nobody plays {sides}: `/order open` opens them now.", sides=sides))]


async def open_at_deadline(context: Context, row: DueRow) -> None:
    """Open the orders of the sides that are in, and post that in all channels of the game.

    Without orders the deadline just ends. Nothing happens if the game has ended or the deadline was
    changed.
    """
    context.commit.drop_due.append((row.key, row.at))
    game = context.game
    is_on = game.started and not game.ended
    if context.ledger.row != row.game or not is_on or game.orders_due != row.at:
        return
    late_note: tuple[Part, ...] = ()
    if context.now - row.at > LATE:
        late_note = (Small("Late: Grognard was not running at the deadline."),)
    if game.orders:
        reply = await _open_orders(context, *late_note)
    else:
        context.ledger.add("order", replace(game, orders_due=0), result="no deadline")
        reply = Reply(
            f"Nobody wrote {_format_orders_of_turn(game)} in time",
            late_note,
            by="the deadline has passed",
            tone=SEALED,
        )
    number = context.ledger.bodies[-1]["number"]
    reply = replace(reply, footer=(f"#{number}",))
    context.mentions = {}
    await call_sides(context, game, game.sides, all_of_them=True, spares=False)
    topic = context.build_topic(number)
    for channel in context.ledger.places:
        reply_there = replace(reply, mention=context.mentions.get(channel, ()))
        context.commit.outbox.append(Outgoing(channel, {}, 0.0, reply_there.to_json(), topic))


async def list_unopened_orders(context: Context) -> list[Part]:
    """Return the lines on sealed orders in the summary of a game that ends.

    The orders are opened if the user may do so. Otherwise they stay unopened, and the messages on
    them are reworded.
    """
    game = context.game
    if not game.orders:
        return []
    if await may_open(context):
        opened = await _open_orders(context)
        return [f"{opened.title}:", *opened.lines]
    orders = _format_orders_of_turn(game, capital=True)
    number = context.ledger.next_number
    title = f"{orders}: never opened, because the game ended in #{number}"
    await _amend_cards(context, Reply(title, tone=SEALED))
    sides = describe_order_sides(game).removeprefix("of ")
    text = f"the {_format_orders_of_turn(game)} of {sides}; only their authors can read them"
    return [Group("Unopened", text, grave=True)]


async def may_open(context: Context) -> bool:
    """Return whether the user may open the orders now: all sides are in, the deadline has passed,
    or `may_open_early` allows it.
    """
    game = context.game
    if has_all_orders(game) or 0 < game.orders_due <= context.now:
        return True
    seats = Seats()
    async for rows in iterate_events(context.store, context.ledger.row):
        for row in rows:
            seats.note(row.data)
    for body in context.ledger.bodies:
        seats.note(body)
    return may_open_early(game, context.ledger.find_person(), seats)


async def _open_orders(context: Context, *extra_lines: Part, opener: str = "") -> Reply:
    """Open all orders, and reword the messages that showed which sides are in.

    Commands that were held ready get a button that only their writer can press. `opener` is the
    name of the user who opens them, or "".
    """
    game = context.game
    ledger = context.ledger
    numbers = sorted(map(int, game.orders))
    texts_by_number = await _load_order_texts(context, numbers)
    lines: list[Part] = []
    buttons: list[Button] = []
    for number in sort_orders(game):
        person = game.orders[str(number)]
        texts = texts_by_number.get(number, {})
        label = get_order_side(game, person) or ledger.get_name(person)
        lines.append(_format_order(label, texts))
        if COMMAND in texts and person in ledger.persons:
            row = ledger.persons[person]
            command = parse_text(texts[COMMAND], context.registry)
            draft = create_draft(command.spec.path, command.options, row.user, ledger.row)
            context.commit.docs.append(draft.build_doc(context.now))
            button_label = f"{row.name}: {command.spec.name}"
            buttons.append(Button(f"roll:{draft.key}", button_label, "primary"))
    body = ledger.add(
        "orders",
        replace(game, orders={}, orders_due=0),
        reads=numbers,
        result=describe_order_sides(game),
    )
    orders = _format_orders_of_turn(game, capital=True)
    await _amend_cards(context, Reply(f"{orders}: opened in #{body['number']}", tone=SEALED))
    title = f"{orders} are open"
    if opener:
        title = f"{opener} opens the {_format_orders_of_turn(game)}"
    missing = list_missing_sides(game)
    if missing and opener:
        lines.append(Small(f"Not in: {' and '.join(missing)}."))
    buttons.append(context.build_proof_button())
    return Reply(
        title,
        (*lines, *extra_lines),
        by=describe_order_sides(game).removeprefix("of "),
        tone=SEALED,
        mention=await call_sides(context, game, game.sides, spares=False),
        buttons=tuple(buttons),
    )


async def _amend_cards(context: Context, card: Reply) -> Reply:
    """Replace the messages on the present sealed orders with `card`, and return it."""
    events = await context.load_recent_events(MAX_EVENTS_OF_ORDERS)
    since_opening = takewhile(lambda event: event["kind"] != "orders", events)
    for event in list_effective_events(since_opening):
        if event["kind"] == "order":
            topic = context.build_topic(event["number"])
            context.amendments.append(Amendment(topic, lambda _reply: card))
    return card


async def _were_opened(context: Context) -> bool:
    """Return whether orders were opened earlier in this turn."""
    events = await context.load_recent_events(MAX_EVENTS_OF_ORDERS)
    turn = takewhile(lambda event: "turn" not in event.get("after", {}).get("game", {}), events)
    return any(event["kind"] == "orders" for event in turn)


def _build_card(context: Context) -> Reply:
    """Return the message that shows which sides are in, and when the orders open."""
    game = context.game
    ledger = context.ledger
    side_texts = ", ".join(_format_side_status(game, side) for side in game.sides)
    condition = "both are in" if len(game.sides) == 2 else "all are in"
    opening: Part = f"They open when {condition}."
    if game.orders_due:
        due_date = build_date(game.orders_due)
        opening = Phrase(f"They open when {condition}, or at the latest ", due_date, ".")
    lines = [opening]
    names = [ledger.get_name(game.orders[str(number)]) for number in sort_orders(game)]
    if names:
        readers = "they can each read only their own"
        if len(names) == 1:
            readers = f"only {names[0]} can read them"
        lines.append(Small(f"Sealed by {join_names(names)}; {readers}."))
    return Reply(
        f"{_format_orders_of_turn(game, capital=True)}: {side_texts}",
        tuple(lines),
        by="all open together",
        tone=SEALED,
        buttons=(
            Button(f"{OPEN_FORM}order write", "Write orders", "primary"),
            context.build_button("ordermine", "Mine"),
            context.build_proof_button(),
        ),
    )


def _format_side_status(game: Game, side: str) -> str:
    """Return `US is in`, `VC is not in yet`, or `nobody plays VC`."""
    if side in list_sides_with_orders(game):
        return f"{side} is in"
    return f"{side} isn't in yet" if side in game.players.values() else f"nobody plays {side}"


def _format_orders_of_turn(game: Game, *, capital: bool = False) -> str:
    return f"{'Orders' if capital else 'orders'} for turn {game.turn}"


def _format_order(label: str, texts: Mapping[str, str]) -> Part:
    """Return an order under its label: its text (ORDER), and its command (COMMAND) held ready.

    Without texts, the line says that they are not stored here.
    """
    if not texts:
        return Group(
            label, "not available here: deleted, or saved only where it was written", grave=True
        )
    if COMMAND not in texts:
        return Group(label, texts[ORDER], grave=True)
    prefix = f"{texts[ORDER]} · ready: " if ORDER in texts else "ready: "
    command = Typed(f"/{texts[COMMAND].removeprefix('/')}")
    return Group(label, Phrase(prefix, command), grave=True)


async def _load_order_texts(context: Context, numbers: list[int]) -> dict[int, dict[str, str]]:
    """Load the texts of orders by event number, then by ORDER and COMMAND.

    Texts that this command has just written are included, deleted ones are left out.
    """
    if not numbers:
        return {}
    rows = await context.store.load_texts(
        context.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1
    )
    texts: dict[int, dict[str, str]] = {}
    for row in (*rows, *context.ledger.new_texts):
        if row.event in numbers and row.key in (ORDER, COMMAND):
            texts.setdefault(row.event, {})[row.key] = row.text
    return texts


def _need_sides(context: Context) -> Game:
    """Return the game that is on. Raises UserError if there is none, or if it has no sides."""
    game = context.need_started()
    find_side(game, game.sides[0] if game.sides else "")
    return game
