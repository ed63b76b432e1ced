"""`/order`: sealed orders, opened together when every side is in, or at the deadline.

The log holds the salted hash of what was written; the text is kept apart, and nobody but its writer
sees it before.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile

from bot.commands.context import Amendment, Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.turns.mentions import call_sides
from bot.game.events import list_effective_events
from bot.game.game_cache import iterate_events
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
from bot.preferences.forms import create_draft
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.text.normalize import normalize_value
from bot.rules.text.phrase import Phrase, Typed, phrase
from bot.storage.records import DueRow, Outgoing
from bot.ui.common_options import build_optional
from bot.ui.reply.parts import Group, Part, Small, build_date
from bot.ui.reply.reply import OPEN_FORM, SEALED, Button, Reply
from bot.ui.typing.command_text import parse_text, quote_value

OPENS = "orders"
LONGEST = 1_500
READ_BACK = 200
LONGEST_WAIT = 60
"""Days until a deadline at most."""
READY = ("sequence", "lookup", "roll")
"""Families whose commands an order may hold ready."""
LATE = 1800.0
_WITHIN = re.compile(
    r"(\d{1,4}(?:[.,]\d)?)\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?)", re.IGNORECASE
)
_HOUR = 3600
_UNITS = {"m": 60, "h": _HOUR, "d": 24 * _HOUR, "w": 7 * 24 * _HOUR}
"""Seconds by the first letter of a unit of time."""


@declare_command(
    "order write",
    "Seal your side's orders; all open together",
    build_optional("text", "what your side does", label="Your orders"),
    build_optional(
        "command", "a roll or sequence to have ready when they open", label="Roll to have ready"
    ),
    example='"Squads 3 + 4 advance to H5"',
    private=True,
    needs_game=True,
)
async def write_order(context: Context) -> Reply:
    """Seal an order; with that of the last side, all are opened. Raises UserError."""
    options = context.clean_options()
    game = _need_sides(context)
    need_player(game, context.actor)
    if not (side := context.actor.side):
        raise UserError("Only who plays a side writes orders.", code="not-player")
    texts = _build_order_texts(context, options["text"], options["command"])
    ledger = context.ledger
    person = context.ledger.ensure_person()
    was = game.orders
    orders = {at: who for at, who in was.items() if who != person} | {
        str(ledger.next_number): person
    }
    ledger.add("order", replace(game, orders=orders), texts=texts, result=f"{side} is in")
    told: list[Part] = [
        texts[key] if key == ORDER else Phrase("Ready: ", Typed(texts[key])) for key in texts
    ]
    if has_all_orders(context.game):
        told_all = await _open_orders(context)
    else:
        is_again = bool(was) or await _were_opened(context)
        new = () if is_again else tuple(list_missing_sides(context.game))
        mention = await call_sides(context, context.game, new, spares=False)
        told_all = replace(await _amend_cards(context, _build_card(context)), mention=mention)
        told += await _offer_early_opening(context)
    first = (
        "Your orders are sealed"
        if len(orders) > len(was)
        else "Your new orders are sealed and replace the old ones"
    )
    return Reply(first, tuple(told), private=True, tone=SEALED, announce=told_all)


def _build_order_texts(context: Context, text: str | None, command: str | None) -> dict[str, str]:
    texts = {
        key: " ".join(said.split())
        for key, said in ((ORDER, text), (COMMAND, command))
        if said and said.strip()
    }
    if not texts:
        hint = phrase('For example: `/order write "Squads 3 + 4 advance to H5"`')
        raise UserError("What are your orders?", hint=hint, option="text", code="missing")
    for key, said in texts.items():
        if len(said) > LONGEST:
            option = "text" if key == ORDER else "command"
            raise UserError(
                f"An order has at most {LONGEST} characters.", option=option, code="too-long"
            )
    if COMMAND in texts:
        spec = parse_text(texts[COMMAND], context.registry).spec
        if spec.family not in READY:
            what = f"{spec.name} cannot be an order: only a roll, a table or a combat sequence can."
            words = phrase(
                "In words it can: `/order write {text}`",
                text=quote_value(spec.name.removeprefix("/")),
            )
            raise UserError(what, hint=words, option="command", code="bad-value")
    return texts


@declare_command(
    "order show", "Who is in, when they open, and yours", private=True, needs_game=True
)
async def show_orders(context: Context) -> Reply:
    """Show who is in, when the orders open, and the reader's own."""
    own = await _list_own_order(context)
    card = _build_card(context)
    way_out = await _offer_early_opening(context) if context.game.orders else []
    return replace(card, lines=(*card.lines, *own, *way_out), private=True)


@declare_button("ordermine", of=ButtonOf.GAME, private=True)
async def show_own_order(context: Context) -> Reply:
    """The button *Mine*."""
    own = tuple(await _list_own_order(context))
    return Reply(
        "Your sealed orders" if own else "You have written no orders yet", own, private=True
    )


async def _list_own_order(context: Context) -> list[Part]:
    game = _need_sides(context)
    person = context.ledger.find_person()
    numbers = [int(at) for at, who in game.orders.items() if who == person]
    kept = await _load_order_texts(context, numbers)
    return [_format_order("Yours", kept.get(number, {})) for number in numbers]


def _seconds_of(number: str, unit: str) -> int:
    """Return the seconds of a time such as `1.5` and `d`."""
    return round(float(number.replace(",", ".")) * _UNITS[unit[0].casefold()])


@declare_command(
    "order deadline",
    "Open them at the latest then, whoever is in",
    Option("within", "str", "2d or 36h from now; off for none"),
    example="2d",
    needs_game=True,
)
async def set_deadline(context: Context) -> Reply:
    """When the orders open at the latest, whoever is in. Raises UserError."""
    game = _need_sides(context)
    need_player(game, context.actor)
    typed = normalize_value(context.clean_options()["within"])
    found = _WITHIN.fullmatch(typed)
    seconds = _seconds_of(found[1], found[2]) if found else 0
    is_off = typed.casefold() in ("off", "none", "no")
    if not is_off and not _HOUR <= seconds <= LONGEST_WAIT * 24 * _HOUR:
        what = f'"{typed[:40]}" cannot be read as a time from 1 hour to {LONGEST_WAIT} days.'
        raise UserError(
            what, hint="For example 2d or 36h; off for none.", option="within", code="bad-value"
        )
    due = 0 if is_off else int(context.now) + seconds
    if due == game.orders_due:
        raise UserError("There is no deadline.", code="no-orders")
    context.ledger.add(
        "order", replace(game, orders_due=due), result="a deadline" if due else "no deadline"
    )
    return await _amend_cards(context, _build_card(context))


@declare_command("order open", "Open the orders when all are in", needs_game=True)
async def open_now(context: Context) -> Reply:
    """Open the orders: when all are in, at the deadline, or early for whoever may do so. Raises
    UserError.
    """
    game = _need_sides(context)
    need_player(game, context.actor)
    if not game.orders:
        raise UserError(
            "Nobody has written orders.", hint=phrase("`/order write` does."), code="no-orders"
        )
    if not await may_open(context):
        waits = list_missing_sides(game)
        what = f"{' and '.join(waits)} {'is' if len(waits) == 1 else 'are'} not in."
        hint = phrase("They open when all are in, or at the deadline: `/order deadline 2d`")
        raise UserError(what or "You cannot open them yet.", hint=hint, code="not-all-in")
    return await _open_orders(context, opener=context.user_name)


async def _offer_early_opening(context: Context) -> list[Part]:
    """Return how to open the orders early, for a reader who may, if nobody plays the sides that
    are missing.
    """
    game = context.game
    missing = list_missing_sides(game)
    if not missing or set(missing) & set(game.players.values()) or not await may_open(context):
        return []
    return [
        Small(
            phrase(
                "Nobody plays {sides}: `/order open` opens them now.", sides=" or ".join(missing)
            )
        )
    ]


async def open_at_deadline(context: Context, row: DueRow) -> None:
    """The deadline: they open with whoever is in."""
    context.commit.drop_due.append((row.key, row.at))
    game = context.game
    if (
        context.ledger.row != row.game
        or not game.started
        or game.ended
        or game.orders_due != row.at
    ):
        return
    late = (
        (Small("Late: Grognard was not running at the deadline."),)
        if context.now - row.at > LATE
        else ()
    )
    if game.orders:
        reply = await _open_orders(context, *late)
    else:
        context.ledger.add("order", replace(game, orders_due=0), result="no deadline")
        reply = Reply(
            f"Nobody wrote {_format_orders_of_turn(game)} in time",
            late,
            by="the deadline has passed",
            tone=SEALED,
        )
    number = context.ledger.bodies[-1]["number"]
    reply = replace(reply, footer=(f"#{number}",))
    context.called = {}
    await call_sides(context, game, game.sides, all_of_them=True, spares=False)
    for place in context.ledger.places:
        told = replace(reply, mention=context.called.get(place, ())).to_json()
        context.commit.outbox.append(Outgoing(place, {}, 0.0, told, context.build_topic(number)))


async def list_unopened_orders(context: Context) -> list[Part]:
    """Orders that nobody will open, as the game's story tells of them; they are opened where
    that may be done.
    """
    game = context.game
    if not game.orders:
        return []
    if await may_open(context):
        opened = await _open_orders(context)
        return [f"{opened.title}:", *opened.lines]
    where = f"#{context.ledger.next_number}"
    await _amend_cards(
        context,
        Reply(
            f"{_format_orders_of_turn(game, capital=True)}: unopened, the game ended in {where}",
            tone=SEALED,
        ),
    )
    sides = describe_order_sides(game).removeprefix("of ")
    return [
        Group(
            "Unopened",
            f"the {_format_orders_of_turn(game)} of {sides}; only who wrote them can read them",
            grave=True,
        )
    ]


async def may_open(context: Context) -> bool:
    """Return whether the actor may open the orders now: all are in, the deadline is over, or
    they may do so early.
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


async def _open_orders(context: Context, *more: Part, opener: str = "") -> Reply:
    """Open all orders, and let the messages that said who is in lead to them.

    `opener` is who asked for it, if anyone.
    """
    game = context.game
    ledger = context.ledger
    missing = list_missing_sides(game)
    numbers = sorted(map(int, game.orders))
    kept = await _load_order_texts(context, numbers)
    lines: list[Part] = []
    buttons: list[Button] = []
    for number in sort_orders(game):
        person = game.orders[str(number)]
        texts = kept.get(number, {})
        lines.append(_format_order(get_order_side(game, person) or ledger.get_name(person), texts))
        if COMMAND in texts and person in ledger.persons:
            row = ledger.persons[person]
            typed = parse_text(texts[COMMAND], context.registry)
            draft = create_draft(typed.spec.path, typed.options, row.user, ledger.row)
            context.commit.docs.append(draft.build_doc(context.now))
            buttons.append(Button(f"roll:{draft.key}", f"{row.name}: {typed.spec.name}", "primary"))
    body = ledger.add(
        "orders",
        replace(game, orders={}, orders_due=0),
        reads=numbers,
        result=describe_order_sides(game),
    )
    card = Reply(
        f"{_format_orders_of_turn(game, capital=True)}: opened in #{body['number']}", tone=SEALED
    )
    await _amend_cards(context, card)
    proof = context.build_proof_button()
    mention = await call_sides(context, game, game.sides, spares=False)
    not_in = [Small(f"Not in: {' and '.join(missing)}.")] if missing and opener else []
    return Reply(
        f"{opener} opens the {_format_orders_of_turn(game)}"
        if opener
        else f"{_format_orders_of_turn(game, capital=True)} are open",
        (*lines, *not_in, *more),
        by=describe_order_sides(game).removeprefix("of "),
        tone=SEALED,
        mention=mention,
        buttons=(*buttons, proof),
    )


async def _amend_cards(context: Context, card: Reply) -> Reply:
    """The messages that said who was in, or until when, read so from now on: the card."""
    since = takewhile(
        lambda event: event["kind"] != "orders", await context.load_recent_events(READ_BACK)
    )
    for event in list_effective_events(since):
        if event["kind"] == "order":
            context.amendments.append(
                Amendment(context.build_topic(event["number"]), lambda _said: card)
            )
    return card


async def _were_opened(context: Context) -> bool:
    """Return whether orders were opened in this turn before: what follows is an afterthought, for
    which nobody is called.
    """
    events = await context.load_recent_events(READ_BACK)
    turn = takewhile(lambda event: "turn" not in event.get("after", {}).get("game", {}), events)
    return any(event["kind"] == "orders" for event in turn)


def _build_card(context: Context) -> Reply:
    """Who is in, and when they open."""
    game = context.game
    ledger = context.ledger
    said = ", ".join(_format_side_status(game, side) for side in game.sides)
    together = "both are in" if len(game.sides) == 2 else "all are in"
    until: Part = f"They open when {together}."
    if game.orders_due:
        until = Phrase(
            f"They open when {together}, at the latest ", build_date(game.orders_due), "."
        )
    names = [ledger.get_name(game.orders[str(number)]) for number in sort_orders(game)]
    sealed = [Small(f"Sealed by {', '.join(names)}; only they can read theirs.")] if names else []
    return Reply(
        f"{_format_orders_of_turn(game, capital=True)}: {said}",
        (until, *sealed),
        by="opened together",
        tone=SEALED,
        buttons=(
            Button(f"{OPEN_FORM}order write", "Write orders", "primary"),
            context.build_button("ordermine", "Mine"),
            context.build_proof_button(),
        ),
    )


def _format_side_status(game: Game, side: str) -> str:
    """Return `US is in`, `VC is not`, or `nobody plays VC`."""
    if side in list_sides_with_orders(game):
        return f"{side} is in"
    return f"{side} is not" if side in game.players.values() else f"nobody plays {side}"


def _format_orders_of_turn(game: Game, *, capital: bool = False) -> str:
    return f"{'Orders' if capital else 'orders'} for turn {game.turn}"


def _format_order(label: str, texts: Mapping[str, str]) -> Part:
    if not texts:
        return Group(label, "not here: deleted, or kept where it was written", grave=True)
    if COMMAND not in texts:
        return Group(label, texts[ORDER], grave=True)
    before = f"{texts[ORDER]} · ready: " if ORDER in texts else "ready: "
    return Group(label, Phrase(before, Typed(f"/{texts[COMMAND].removeprefix('/')}")), grave=True)


async def _load_order_texts(context: Context, numbers: list[int]) -> dict[int, dict[str, str]]:
    """What was written, by event and key; also what this very command wrote."""
    if not numbers:
        return {}
    rows = await context.store.load_texts(
        context.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1
    )
    found: dict[int, dict[str, str]] = {}
    for row in (*rows, *context.ledger.new_texts):
        if row.event in numbers and row.key in (ORDER, COMMAND):
            found.setdefault(row.event, {})[row.key] = row.text
    return found


def _need_sides(context: Context) -> Game:
    game = context.need_started()
    find_side(game, game.sides[0] if game.sides else "")
    return game
