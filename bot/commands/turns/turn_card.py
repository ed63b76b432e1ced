"""The card of a phase: its lines, its buttons, and its changes when the phase is over.

`/game plan` stores what is due in a later turn. The card of that turn announces it.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sized
from dataclasses import replace
from typing import Any

from bot.commands.context import Amendment, Context
from bot.commands.declare import declare_command
from bot.commands.turns.landings import DueLanding, build_due_buttons, format_due_landing, list_due
from bot.commands.turns.mentions import add_uncalled_players, build_call_buttons, list_calls
from bot.game import cups
from bot.game.counter_faces import VEHICLES, get_frame
from bot.game.events import TURNING, is_card, list_effective_events
from bot.game.ledger import Ledger
from bot.game.phases import (
    IMPULSES,
    describe_whose_go,
    format_numbered_phase,
    get_chit_name,
    get_go_kind,
    get_phase,
    get_phase_brief,
    is_alternating,
    is_past_last_turn,
    is_undecided,
    list_phases,
    list_reminders,
    start_next_phase,
)
from bot.game.rights import need_player
from bot.game.roster import sort_units
from bot.game.self_play import find_self_played_side
from bot.game.sides import fit_verb
from bot.game.state import Game, Json
from bot.game.tracks import format_tracks
from bot.presentation.unit_reasons import can_anyone_act
from bot.rules.cards import count_hand_cards
from bot.rules.errors import UserError
from bot.rules.inputs.decks import HAND
from bot.rules.inputs.options import format_code_word
from bot.rules.text.names import join_names, number_in_words
from bot.rules.text.phrase import capitalize_first, phrase
from bot.rulesets.game_keys import DRAW_UP, LED_BY, OWN_BUTTONS, OWN_HAND
from bot.rulesets.system import System, format_code, is_lost
from bot.ui.common_options import build_optional
from bot.ui.form.form_buttons import build_form_button
from bot.ui.reply.reply import LINK, OPEN_FORM, Button, Reply

MOST_IN_ROW, PHONE_ROW = 5, 4
"""Maximum number of buttons in one row, and the number in a row if more than one row is needed.
A phone shows four side by side.
"""
_COUNTS = ("", "one pass so far", "two passes in a row", "three passes in a row")
CARDS = ("start", "resume", *TURNING)
FROM_BOARD = "board"
"""The last argument of the board's buttons *Done* and *Pass*."""
OF_A_PHASE = (
    "initiative", "first", "next", "pass", "done", "lead", "remember", "end", "playon", "sequence",
    "selfplay", "order",
)  # fmt: skip
"""Kinds of buttons that are made for one phase, besides those that open its forms."""
MAX_EVENTS_WITH_CARDS = 100
"""Events that are searched for earlier cards of phases."""
MOST_DUE = 2
"""Maximum number of buttons for what lands in a turn. Further landings are only lines."""
MAX_PLANS = 30
DELETED = "a plan whose text was deleted"


def format_headline(game: Game, system: System | None) -> str:
    """Return the headline of a phase: `Turn 3, Operations: US goes first`."""
    title = format_phase(game, system)
    first_side = _format_first_side(game, system)
    return f"{title}: {first_side}" if first_side else title


def format_phase(game: Game, system: System | None) -> str:
    """Return the turn and phase, and the chit in play, if any: `Turn 3, Operations`.

    A final word "phase" is left out.
    """
    title = format_numbered_phase(game, system)
    title = title.removesuffix(" phase").removesuffix(" Phase")
    return capitalize_first(", ".join(filter(None, (title, get_chit_name(game, system)))))


def phase_over(game: Game, system: System | None) -> str:
    """Return `The Operations phase is over.`, with the side whose turn it is, if one has its own."""
    title = str(get_phase(game, system).get("title", "")) or "turn"
    is_named = title.lower().endswith(("phase", "round", "turn"))
    words = ("The", game.turn_of, title, "" if is_named else "phase", "is over.")
    return " ".join(filter(None, words))


def _format_first_side(game: Game, system: System | None) -> str:
    """Return who begins the phase: `US goes first`, or a question if that is not decided yet.

    If the sides act together, return whose move it is. Return "" if no side is to play.
    """
    if not game.go:
        return ""
    if not is_alternating(game, system):
        return describe_whose_go(game)
    if len(game.go) == 1:
        return f"{game.go[0]} {fit_verb(game.go[0], 'goes', 'go')} first"
    return (
        "who has the initiative?"
        if system is not None and "initiative" in system.sequences
        else "who goes first?"
    )


def format_passes(game: Game, system: System | None) -> str:
    """Return how many passes in a row there were, where that ends a phase; else nothing."""
    if get_go_kind(game, system) != IMPULSES or "passes" not in get_phase(game, system):
        return ""
    return _COUNTS[game.passes] if game.passes < len(_COUNTS) else f"{game.passes} passes in a row"


async def build_card(
    context: Context,
    game_before: Game,
    game_after: Game,
    mention: tuple[str, ...],
    reasons: Iterable[str] = (),
) -> Reply:
    """Build the card of the phase that has just begun.

    `game_before` and `game_after` are the game before and after that, without the upkeep of the
    phase. `mention` are the users to ping, `reasons` the first lines of the card.
    """
    game = context.game
    system = context.system
    phase = get_phase(game, system)
    lines = list(reasons)
    reminders = list_reminders(game, system) if game.turn <= 1 else ()
    tracks = format_tracks(game, system, whole_piles=False)
    lines += filter(None, (*(reminders or (get_phase_brief(game, system),)), tracks))
    states: list[str] = phase.get("names") or []
    names = []
    for unit in sort_units(game.units.values()):
        if unit.state in states and not is_lost(unit, system):
            names.append(unit.name)
    if names:
        lines.append(f"{format_code_word(states[0])}: {join_names(names)}")
    calls = await list_calls(context)
    lines += [call.line for call in calls]
    landings: list[DueLanding] = []
    if game.turn != game_before.turn:
        plans = await load_plans(context, game)
        texts = [text for turn, _, text in plans if turn == game.turn]
        if texts:
            lines.append(f"Due now: {'; '.join(texts)}")
        landings = [landing for landing in await list_due(context) if landing.turn == game.turn]
    lines += map(format_due_landing, landings)
    lines += list_removed_markers(game_before, game_after, system)
    buttons = (
        *build_call_buttons(context, calls),
        *build_phase_buttons(context, begins=True),
        *build_due_buttons(context, landings[:MOST_DUE]),
        *build_add_units_buttons(context),
    )
    title = add_uncalled_players(context, format_headline(game, system))
    return Reply(
        title, tuple(lines), buttons=buttons, across=count_buttons_across(buttons), mention=mention
    )


def list_removed_markers(game_before: Game, game_after: Game, system: System | None) -> list[str]:
    """Return a line about the markers that came off, and one about numbers that are gone.

    Numbers without a label, such as the AP spent, only serve the count and are not mentioned.
    """
    words = system.words["units"].keys if system is not None else {}
    marks = dict[str, list[str]]()
    numbers = dict[str, list[str]]()
    for key, unit in game_before.units.items():
        unit_after = game_after.units[key]
        for mark in sorted(unit.marks - unit_after.marks):
            marks.setdefault(mark.replace("-", " ").replace("_", " "), []).append(unit.name)
        for name in sorted(unit.numbers.keys() - unit_after.numbers.keys()):
            if name in words and words[name].label:
                numbers.setdefault(words[name].label, []).append(unit.name)
    lines = list[str]()
    if marks:
        lines.append(f"Markers removed: {_format_by_word(marks)}")
    if numbers:
        lines.append(f"Gone: {_format_by_word(numbers)}")
    return lines


def _format_by_word(words: Mapping[str, list[str]]) -> str:
    """Return words with the names of their units: `moved (Rifle 1 and 2); fired (Local 1)`."""
    return "; ".join(f"{word} ({join_names(names)})" for word, names in words.items())


def count_buttons_across(buttons: Sized) -> int:
    """Return the number of buttons in a row if they need a second row; 0 if one row is enough."""
    return PHONE_ROW if len(buttons) > MOST_IN_ROW else 0


def build_phase_buttons(
    context: Context,
    *,
    without: tuple[str, ...] = (),
    leads: str = "",
    folded: bool = False,
    begins: bool = False,
    owes: bool = True,
) -> tuple[Button, ...]:
    """Return the buttons that the present phase needs.

    The first one that somebody can use now leads on, or the one that is called `leads`; none does
    while it is open which side goes first. A phase that `begins` also offers that another side
    goes first. What to remember has a button if it is `folded`, as it always is after turn 1.
    If its units could owe a roll but do not (`owes` is false), they are done.
    """
    game = context.game
    system = context.system
    self_played_side = find_self_played_side(game) if game.self_played else ""
    if self_played_side:
        label = f"{self_played_side} {fit_verb(self_played_side, 'acts', 'act')}"
        acts = context.build_button("selfplay", label)._replace(style="primary")
        return (acts,) if "next" in without else (acts, _build_button(context, "next"))
    words = [word for word in _order_phase_words(game, system, owes=owes) if word not in without]
    if is_undecided(game, system) and not is_initiative_rolled(game, system):
        buttons = [
            *build_first_side_buttons(context),
            *(_build_button(context, word) for word in words),
        ]
    else:
        leads = leads or _leading_word(game, system, words, owes=owes)
        buttons = [
            _build_button(context, word)._replace(style="primary" if word == leads else "plain")
            for word in words
        ]
        if begins:
            buttons += build_first_side_buttons(context)
    if (folded or game.turn > 1) and "remember" not in without and list_reminders(game, system):
        buttons.append(context.build_button("remember", "Checklist", game.phase))
    return tuple(buttons)


def build_add_units_buttons(context: Context) -> tuple[Button, ...]:
    """Return the button that opens the form of `/unit add`, if the game may have units and has
    none; else ().
    """
    game = context.game
    system = context.system
    is_on = game.started and not game.ended
    if not is_on or game.units or system is None or not system.words["units"].types:
        return ()
    return (build_form_button(("unit", "add"), {}, "Add units", context.registry),)


def _leading_word(game: Game, system: System | None, words: list[str], *, owes: bool) -> str:
    """Return the word of the button that the side to play would press next; "" for none.

    It is the first one that a unit of that side can use. If no unit can do what the phase is for,
    each side says *Done* where both act at once. Elsewhere units may still move: nothing leads.
    """
    if not owes and _find_owed_roll(game, system):  # the state calls for it in the next turn only
        return "done"
    sequences = system.sequences if system is not None else {}
    usable = []
    for word in words:
        is_usable = word not in sequences or can_anyone_act(sequences[word], game)
        if is_usable and not _is_used_up(game, system, word):
            usable.append(word)
    if usable[:1] == words[:1]:
        return words[0]
    if is_alternating(game, system):
        return _find_word_with_stock(game, system, usable)
    usable_sequences = [word for word in usable if word in sequences]
    if usable_sequences:
        return usable_sequences[0]
    return "done" if "done" in usable else ""


def _find_word_with_stock(game: Game, system: System | None, usable: list[str]) -> str:
    """Return the first word that a track of the side still pays for, or *Pass* if none is left.

    Return "" in a phase whose tracks do not say that: its units may still move.
    """
    needs: Mapping[str, str] = get_phase(game, system).get("needs") or {}
    if not needs:
        return ""
    paid = [word for word in usable if word in (*needs, "pass")]
    return next(iter(paid), "")


def _is_used_up(game: Game, system: System | None, word: str) -> bool:
    """Return whether a button has nothing left for the sides to play: its track is at 0, or no hand
    has room for a card.
    """
    if system is None or not game.go:
        return False
    if word == DRAW_UP:
        return not any(_has_room_in_hand(game, system, side) for side in game.go)
    needs: Mapping[str, str] = get_phase(game, system).get("needs") or {}
    track = system.tracks.get(needs.get(word, ""))
    if track is None:
        return False
    return not any(track.get_value(game.tracks, side) for side in game.go)


def _has_room_in_hand(game: Game, system: System, side: str) -> bool:
    """Return whether a side may draw from a deck that fills its hand."""
    decks = [
        deck
        for deck in system.decks.values()
        if deck.keep == HAND and deck.hand_limit and deck.is_of(side, game.sides)
    ]
    return any(
        count_hand_cards(deck.id, game.cards).get(side, 0) < deck.hand_limit for deck in decks
    )


def _list_phase_words(game: Game, system: System | None) -> list[str]:
    """Return the words of the buttons that the present phase needs."""
    words = [
        word
        for word in get_phase(game, system).get("buttons") or ("next",)
        if _is_useful(game, system, word)
    ]
    if is_undecided(game, system):
        words = [word for word in words if word not in ("done", "pass")]
        if is_initiative_rolled(game, system):
            words.insert(0, "initiative")
    if (
        len(game.go) > 1
        and not is_alternating(game, system)
        and not ({"pass", "done"} & {*words} or game.led)
    ):
        # each side for itself
        words.insert(words.index("next") if "next" in words else len(words), "done")
    if game.led or LED_BY in get_phase(game, system):
        chit_words = [*(word for word in words if word not in OWN_BUTTONS), "done"]
        words = (
            chit_words
            if cups.get_chit(game.led)
            else ["lead", *(word for word in words if word == "next")]
        )
    return words


def build_first_side_buttons(context: Context) -> tuple[Button, ...]:
    """Return `US first` for each side that may begin the phase, but for the one to play.

    There are none if a roll decides it, or if the sides do not take turns in this phase.
    """
    game = context.game
    is_chosen = is_alternating(game, context.system) and not game.led
    if not is_chosen or is_initiative_rolled(game, context.system):
        return ()
    return tuple(
        context.build_button("first", f"{side} first", format_turn_and_phase(game), index)
        for index, side in enumerate(game.sides)
        if game.go != (side,)
    )


def _order_phase_words(game: Game, system: System | None, *, owes: bool) -> list[str]:
    """Return the words of the buttons of the phase, the roll first that is owed before all else."""
    words = _list_phase_words(game, system)
    owed_roll = _find_owed_roll(game, system) if owes else ""
    return (
        [owed_roll, *(word for word in words if word != owed_roll)] if owed_roll in words else words
    )


def _find_owed_roll(game: Game, system: System | None) -> str:
    """Return the roll that every unit of the chit in play owes before anything else; "" for none."""
    if not cups.get_chit(game.led):
        return ""
    units = [unit for unit in game.units.values() if cups.is_called(game, unit)]
    states = {unit.state for unit in units if not is_lost(unit, system)}
    rows: list[Mapping[str, Any]] = get_phase(game, system).get("calls") or []
    return next(
        (
            str(row["roll"])
            for row in rows
            if states and row.get("roll") and states <= {*row.get("states", ())}
        ),
        "",
    )


def can_hand_over(game: Game, system: System | None) -> bool:
    """Return whether the side to play can hand over to another one in the present phase."""
    is_on = game.started and not game.ended and not game.waits and bool(game.go)
    hands_over = bool(cups.get_chit(game.led)) or is_alternating(game, system)
    words = get_phase(game, system).get("buttons") or ()
    return is_on and hands_over and ("done" in words or bool(game.led))


def _is_useful(game: Game, system: System | None, word: str) -> bool:
    """Return whether a unit can use the button of a sequence. One for vehicles needs a vehicle.

    Without a roster every button is useful.
    """
    sequence = system.sequences.get(word) if system is not None else None
    if not game.units or sequence is None or sequence.group != "vehicles":
        return True
    return any(get_frame(unit.type, system) in VEHICLES for unit in game.units.values())


def _build_button(context: Context, word: str) -> Button:
    """Build the button of a phase with this word, such as `next`, `done` or a sequence's id."""
    game = context.game
    system = context.system
    if word == "initiative":
        return context.build_button("initiative", "Initiative", format_turn_and_phase(game))
    if word == "next":
        game_after = start_next_phase(game, system)
        label = (
            "Next phase" if game_after.turn == game.turn and list_phases(system) else "Next turn"
        )
        if is_past_last_turn(game_after) and not is_past_last_turn(game):
            label = f"End turn {game.turn}"
        return context.build_button("next", label, format_turn_and_phase(game))
    if word == "lead":
        return context.build_button(
            word, "Draw", f"{format_turn_and_phase(game)}:{cups.count_chits_left(game)}"
        )
    if word in (DRAW_UP, OWN_HAND):
        return _build_hand_button(context, word)
    if word in ("pass", "done"):
        return _build_hand_over_button(context, word)
    assert system is not None
    label = format_code(word, system.game.get("words") or {}) or format_code_word(word)
    if word in system.sequences and not system.sequences[word].inputs:
        return context.build_button("sequence", label, format_turn_and_phase(game), word)
    return Button(f"{OPEN_FORM}{system.id} {word}", label)


def _build_hand_over_button(context: Context, word: str) -> Button:
    """Return *Done* or *Pass*. It names the side to play, unless several may act."""
    game = context.game
    is_single_side = len(game.go) == 1 and game.go[0] in game.sides
    side = game.sides.index(game.go[0]) if is_single_side else ""
    return context.build_button(word, format_code_word(word), format_turn_and_phase(game), side)


def _build_hand_button(context: Context, word: str) -> Button:
    """Return *Draw to five*, or *Your hand*."""
    if word == OWN_HAND:
        return context.build_hand_button()
    return context.build_button(
        "drawup", _format_draw_up_label(context.system), format_turn_and_phase(context.game)
    )


def _format_draw_up_label(system: System | None) -> str:
    """Return `Draw to five`, if all hands of the game may hold as many cards."""
    decks = system.decks.values() if system is not None else ()
    limits = {deck.hand_limit for deck in decks if deck.keep == HAND}
    return f"Draw to {number_in_words(limits.pop())}" if len(limits) == 1 else "Fill your hand"


def format_turn_and_phase(game: Game) -> str:
    """Return the turn and phase as a button holds them: `3.0.fire`.

    With them an old card cannot end a later phase.
    """
    turn_of_index = game.sides.index(game.turn_of) if game.turn_of in game.sides else 0
    return f"{game.turn}.{turn_of_index}.{game.phase}"


def is_initiative_rolled(game: Game, system: System | None) -> bool:
    """Return whether the initiative is rolled for in this game."""
    return system is not None and "initiative" in system.sequences and len(game.sides) == 2


async def list_old_card_amendments(context: Context, ledger: Ledger) -> AsyncIterator[Amendment]:
    """Yield the changes that remove outdated buttons from earlier cards after the new events.

    A new card takes the buttons from the card before it, and the end of the game from the card of
    the start as well. When the texts of the dice are closed, *Close* goes from their messages.
    """
    assert ledger.loaded is not None
    card_body = next(filter(is_card, ledger.bodies), ledger.bodies[0])
    store = context.store
    number = card_body["number"]
    change = _remove_phase_buttons
    numbers = list[int]()
    if card_body["kind"] == "end":  # nobody joins a game that is over
        change = _close_card
        numbers = [
            row.number
            for row in await store.load_events(ledger.row, limit=MAX_EVENTS_WITH_CARDS)
            if row.data["kind"] == "start"
        ]
    elif not (is_card(card_body) or any(body["kind"] == "end" for body in ledger.bodies)):
        number = 0
    if number:
        card_number = await _find_card_before(context, ledger, number)
        if card_number is not None:
            numbers.append(card_number)
    for card_number in dict.fromkeys(numbers):
        yield Amendment(f"{ledger.row}/{card_number}", change)
    if any(body.get("closes") for body in ledger.bodies):
        for row in await store.load_events(
            ledger.row, limit=MAX_EVENTS_WITH_CARDS, newest_first=True
        ):
            if row.data["kind"] == "fair":
                yield Amendment(
                    f"{ledger.row}/{row.number}", lambda reply: remove_buttons(reply, ("close",))
                )


async def list_card_amendments(context: Context, event: Json, *, is_undo: bool) -> list[Amendment]:
    """Return the change of the card before `event`, a card that was just undone or redone.

    After an undo it gets its buttons back; after a redo it loses them.
    """
    card_number = await _find_card_before(context, context.ledger, event["number"])
    if card_number is None:
        return []
    change = _reopen_card if is_undo else _remove_phase_buttons
    return [Amendment(context.build_topic(card_number), change)]


def remove_buttons(reply: Reply | None, names: tuple[str, ...]) -> Reply | None:
    """Remove the buttons of these kinds from a message. Return None if it has none of them."""
    if reply is None:
        return None
    remaining = tuple(
        button for button in reply.buttons if button.action.partition(":")[0] not in names
    )
    return replace(reply, buttons=remaining, mention=()) if remaining != reply.buttons else None


async def _find_card_before(context: Context, ledger: Ledger, end_number: int) -> int | None:
    """Return the number of the last event before `end_number` that showed the card of a phase.

    Events that are undone do not count. None if there is none among the latest events.
    """
    rows = await context.store.load_events(
        ledger.row, limit=MAX_EVENTS_WITH_CARDS, newest_first=True
    )
    events = list_effective_events([*reversed(ledger.bodies), *(row.data for row in rows)])
    cards = (event["number"] for event in events if is_card(event) or event["kind"] in CARDS)
    return next((number for number in cards if number < end_number), None)


def _is_phase_button(button: Button) -> bool:
    """Return True if a button is of use in one phase only, or opens a form."""
    is_form = button.action.startswith(OPEN_FORM) and button.style != LINK
    return is_form or button.action.partition(":")[0] in OF_A_PHASE


def _remove_phase_buttons(reply: Reply | None) -> Reply | None:
    """Remove the buttons of its phase from a card. Return None if it has none of them."""
    if reply is None or not any(map(_is_phase_button, reply.buttons)):
        return None
    remaining = tuple(button for button in reply.buttons if not _is_phase_button(button))
    return replace(reply, buttons=remaining, across=reply.across if remaining else 0, mention=())


def _close_card(reply: Reply | None) -> Reply | None:
    closed = _remove_phase_buttons(reply)
    return remove_buttons(closed or reply, ("join",)) or closed


def _reopen_card(reply: Reply | None) -> Reply | None:
    """Restore a card with its buttons, without mentions. None if it is not stored or has none."""
    if reply is None or not reply.buttons:
        return None
    return replace(reply, mention=())


@declare_command(
    "game plan",
    "Plan events for a turn, such as reinforcements, or list the plans",
    build_optional("turn", "the turn in which it happens", type="int", min=1, max=200),
    build_optional("text", "what happens then"),
    build_optional("remove", "the number of a plan to remove", type="int", min=1, max=10**9),
    example='4 "US reinforcements at A1"',
    needs_game=True,
)
async def manage_plans(context: Context) -> Reply:
    """Plan something for a turn, remove a plan, or list them without options.

    Raises UserError if no game is on, for a turn that has begun, for a plan without turn or text,
    for too many plans, and for one that is not there.
    """
    options = context.clean_options()
    game = context.need_started()
    turn = options["turn"]
    text = options["text"]
    number = options["remove"]
    if number is not None:
        return await _remove_plan(context, game, number)
    if turn is None and not text:
        plans = await load_plans(context, game)
        lines = [
            f"Turn {plan_turn}: {plan_text} (#{plan_number})"
            for plan_turn, plan_number, plan_text in plans
        ]
        landings = await list_due(context)
        lines += [
            f"Turn {landing.turn}: {landing.landing.says} (#{landing.number})"
            for landing in landings
        ]
        add = phrase('Plan something: `/game plan 4 "US reinforcements at A1"`')
        return Reply(
            "Plans of this game" if lines else "Nothing is planned", (*lines, add), private=True
        )
    need_player(game, context.actor)
    if turn is None or not text:
        problem = "A plan needs a turn and some text."
        hint = phrase('For example: `/game plan 4 "US reinforcements at A1"`')
        raise UserError(
            problem, hint=hint, option="text" if turn is not None else "turn", code="missing"
        )
    if turn <= game.turn:
        raise UserError(f"It is already turn {game.turn}.", option="turn", code="bad-value")
    if len(game.plans) >= MAX_PLANS:
        raise UserError(f"A game can have at most {MAX_PLANS} plans.", code="too-many")
    game_after = replace(game, plans={**game.plans, str(context.ledger.next_number): turn})
    context.ledger.add(
        "plan", game_after, texts={"text": " ".join(text.split())}, result=f"for turn {turn}"
    )
    return Reply(f"Planned for turn {turn}: {' '.join(text.split())}", by=context.user_name)


async def _remove_plan(context: Context, game: Game, number: int) -> Reply:
    """Remove the plan that event `number` made. Raises UserError if there is none."""
    need_player(game, context.actor)
    plan = next(
        (
            (turn, text)
            for turn, event_number, text in await load_plans(context, game)
            if event_number == number
        ),
        None,
    )
    if plan is None:
        raise UserError(
            f"There is no plan #{number}.",
            hint=phrase("List them: `/game plan`"),
            option="remove",
            code="not-planned",
        )
    remaining = {
        event_number: turn
        for event_number, turn in game.plans.items()
        if event_number != str(number)
    }
    context.ledger.add("plan", replace(game, plans=remaining), result=f"#{number} removed")
    return Reply(f"No longer planned for turn {plan[0]}: {plan[1]}", by=context.user_name)


async def load_plans(context: Context, game: Game) -> list[tuple[int, int, str]]:
    """Load all plans as (turn, number of the event, text), sorted by turn."""
    plans = [(turn, int(event_number)) for event_number, turn in game.plans.items()]
    return sorted(
        [
            (turn, event_number, (await context.load_texts(event_number)).get("text", DELETED))
            for turn, event_number in plans
        ]
    )
