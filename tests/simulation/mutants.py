"""Mends taken out again, one at a time: what the simulator must find. Each is named for its
finding.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import pytest

import adapters.slack.delivery
import adapters.slack.request_handler
import bot.commands.answer_footer
import bot.commands.cards.decks
import bot.commands.cards.hands
import bot.commands.closed_piles
import bot.commands.games.transfer_and_delete
import bot.commands.log.json_export
import bot.commands.undo.undo
import bot.execution.committer
import bot.game.undo
import bot.loading.undo_search
import bot.presentation.derived_inputs
import bot.storage.sqlite.link
import bot.storage.statements
import bot.verification.follows.cards
from bot.app import App
from bot.commands.context import Context, _NextEventDice
from bot.commands.dispatch import BUTTONS, HANDLERS
from bot.game.decks import build_pile_inputs
from bot.game.undo import UndoGroup, UndoTarget, find_together, find_undo_target
from bot.outbox.receipts import Receipts
from bot.rules.cards import get_last_key
from bot.runtime.entropy import create_id, create_throwaway_source
from bot.storage.records import Commit, Committed, Outgoing
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command, Person, Place
from bot.verification.export import TextPromises, build_appendix
from bot.verification.follows.cards import list_holders

REPEATABLE = ("again", "odds", "log")


@dataclass(frozen=True, slots=True)
class Mutant:
    """What is taken out, the first world that finds it, and the letters of the promises that may
    break.
    """

    name: str
    seed: int
    letters: str
    take_out: Callable[[pytest.MonkeyPatch], None]
    about: str = ""  # what the words of the broken promise must hold

    def __str__(self) -> str:
        return self.name


MUTANTS: list[Mutant] = []


def mutant(
    name: str, seed: int, letters: str, about: str = ""
) -> Callable[[Callable[[pytest.MonkeyPatch], None]], Callable[[pytest.MonkeyPatch], None]]:
    """Put a function that takes a mend out among the mutants."""

    def note(
        take_out: Callable[[pytest.MonkeyPatch], None],
    ) -> Callable[[pytest.MonkeyPatch], None]:
        MUTANTS.append(Mutant(name, seed, letters, take_out, about))
        return take_out

    return note


@mutant("C1: nobody is asked whether a channel may be linked", 5, "e")
def _links_unasked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Context, "can_manage", True)


@mutant(
    "C2: the id of a channel is believed, and a game moves there at once", 38, "e", "slack:T1/C2"
)
def _ids_believed(patch: pytest.MonkeyPatch) -> None:
    transfer = bot.commands.games.transfer_and_delete.transfer_game

    async def at_once(context: Context) -> Reply:
        context.command = replace(context.command, who=replace(context.command.who, manager=True))
        # as if it were played in one channel alone
        context.ledger.places = context.ledger.places[:1]
        return await transfer(context)

    async def believed(
        _: Any, __: Any, ask: Any, ___: Any, options: dict[str, Any]
    ) -> dict[str, Place]:
        place = (
            replace(ask, channel=str(options["channel"])).where
            if "channel" in options
            else ask.where
        )
        return {"channel": place}

    patch.setattr(Context, "can_manage", True)
    patch.setitem(cast(dict[Any, Any], HANDLERS), ("game", "transfer"), at_once)
    patch.setattr(adapters.slack.request_handler, "confirm_channels", believed)


@mutant("M2: a press that is under way answers everybody's", 6, "d")
def _presses_joined(patch: pytest.MonkeyPatch) -> None:
    run = App.run
    running: dict[str, asyncio.Task[Reply]] = {}

    async def joined(app: App, command: Command) -> Reply:
        if command.path[0] != "button" or command.path[1] in REPEATABLE:
            return await run(app, command)
        key = f"{id(app)} {command.where.key} {command.path} {command.options}"
        if (task := running.get(key)) is not None:
            return replace(await asyncio.shield(task), outbox=0)
        running[key] = asyncio.create_task(run(app, command))
        try:
            return await asyncio.shield(running[key])
        finally:
            running.pop(key, None)

    patch.setattr(App, "run", joined)


@mutant("M3: a button works once for ever", 3, "d")
def _pressed_once(patch: pytest.MonkeyPatch) -> None:
    press = App.press

    async def once(
        app: App,
        action: str,
        who: Person,
        where: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
    ) -> Reply:
        name = action.partition(":")[0]
        if name in BUTTONS and name not in REPEATABLE and request_id != "second-opinion":
            request_id = f"{where.key}/{action}"
        reply = await press(app, action, who, where, request_id, delivery)
        return Reply(f"Already done: {reply.title}", private=True) if reply.seen else reply

    patch.setattr(App, "press", once)


@mutant("M4: what is due is due by a clock that is never set back", 42, "c")
def _clock_trusted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bot.storage.statements, "OVERDUE", f"due <= {bot.storage.statements.NOW}")


@mutant("M1: receipts are not written down", 55, "b")
def _receipts_forgotten(patch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: Any) -> None:
        pass

    patch.setattr(Receipts, "note", nothing)


@mutant("M5: each command waits for a locked database anew", 40, "h")
def _waits_in_a_row(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bot.storage.sqlite.link, "IMPATIENT", 5_000)


@mutant("M7: what was deleted may run again", 24, "a")
def _no_tombstones(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bot.storage.statements, "compute_tombstone", lambda _: create_id())


@mutant("M9: nobody looks whether an answer stands in its channel", 75, "c")
def _posted_blindly(patch: pytest.MonkeyPatch) -> None:
    async def nowhere(*_: Any) -> bool:
        return False

    patch.setattr(adapters.slack.delivery, "find_posted_answer", nowhere)


@mutant("once: a request that comes twice runs twice", 9, "a")
def _run_twice(patch: pytest.MonkeyPatch) -> None:
    run = App.run

    async def anew(app: App, command: Command) -> Reply:
        return await run(app, replace(command, request_id=create_id()))

    patch.setattr(App, "run", anew)


@mutant("durable before visible: the answer does not wait for the commit", 3, "c")
def _shown_first(patch: pytest.MonkeyPatch) -> None:
    from bot.storage.sqlite.store import SqliteStore

    commit = SqliteStore.commit
    kept: set[asyncio.Task[Committed]] = set()

    async def later(store: SqliteStore, what: Commit) -> Committed:
        if len(what.outbox) != 1:
            return await commit(store, what)
        task = asyncio.create_task(commit(store, what))
        kept.add(task)
        task.add_done_callback(kept.discard)
        return Committed(what.reply, outbox=(0,))

    patch.setattr(SqliteStore, "commit", later)


@mutant("lease: an answer may be taken over at once", 15, "c")
def _no_lease(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bot.execution.committer, "LEASE", 0.0)


@mutant("sealed: an export holds what is closed", 22, "g")
def _unsealed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        bot.commands.log.json_export, "TextPromises", partial(TextPromises, with_secrets=True)
    )
    patch.setattr(
        bot.commands.log.json_export,
        "build_appendix",
        partial(build_appendix, with_secrets=True),
    )


@mutant("cards: an export holds what is closed", 68, "k")
def _cards_exported(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        bot.commands.log.json_export, "TextPromises", partial(TextPromises, with_secrets=True)
    )
    patch.setattr(
        bot.commands.log.json_export,
        "build_appendix",
        partial(build_appendix, with_secrets=True),
    )


@mutant("cards: who has no seat is shown the hand of one", 37, "k")
def _others_hand(patch: pytest.MonkeyPatch) -> None:
    own = bot.commands.cards.hands._get_hand_owner

    def anybody(context: Context) -> str:
        held = list_holders(context.game.cards, context.game.decks)
        return own(context) if own(context) in held or not held else held[0]

    patch.setattr(bot.commands.cards.hands, "_get_hand_owner", anybody)


@mutant("cards: what is drawn into a hand is told to all", 8, "k")
@mutant("cards: what is drawn out of a pack's deck into a hand is told to all", 9, "k", "k90")
@mutant("cards: what a sequence may draw from, too, is told to all", 9, "k", "k90")
def _drawn_openly(patch: pytest.MonkeyPatch) -> None:
    draw = bot.commands.cards.decks._draw_closed

    async def openly(*args: Any) -> Reply:
        reply = await draw(*args)
        assert reply.announce is not None
        return replace(reply, announce=replace(reply.announce, title=reply.title))

    patch.setattr(bot.commands.cards.decks, "_draw_closed", openly)


@mutant("cards: what was in hands before is believed to be so still", 239, "f")
def _hands_remembered(patch: pytest.MonkeyPatch) -> None:
    closed = bot.commands.closed_piles.load_closed_hands

    async def stale(context: Context, id: str) -> Any:
        if context.ledger.hands.event_number:
            number = context.game.cards.get(get_last_key(id), 0)
            context.ledger.hands = context.ledger.hands._replace(event_number=number)
        return await closed(context, id)

    for module in (bot.commands.closed_piles, bot.commands.cards.decks):
        patch.setattr(module, "load_closed_hands", stale)


@mutant("cards: who leaves takes their hand along", 56, "k", "nobody sits there")
def _hand_kept(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bot.verification.follows.cards, "return_hands", lambda out, *_: out)


@mutant("cards: a battle draws from a whole deck, whatever was drawn before", 6, "fk")
def _whole_pile(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        bot.presentation.derived_inputs,
        "build_pile_inputs",
        lambda decks, game, closed: build_pile_inputs(decks, replace(game, cards={}), closed),
    )


@mutant("dice: they come from elsewhere than the promised seed", 2, "f")
def _other_dice(patch: pytest.MonkeyPatch) -> None:
    draw = _NextEventDice.draw

    def other(dice: _NextEventDice, die: Any) -> int | str:
        draw(dice, die)
        return create_throwaway_source().draw(die)

    patch.setattr(_NextEventDice, "draw", other)


@mutant("board: it stays as it was posted", 18, "j")
def _board_left(patch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: Any) -> list[Outgoing]:
        return []

    patch.setattr(bot.commands.answer_footer, "list_board_updates", nothing)


@mutant("true: what was undone is left as it was", 19, "i")
def _left_as_it_was(patch: pytest.MonkeyPatch) -> None:
    async def nothing(*_: Any) -> list[Outgoing]:
        return []

    patch.setattr(bot.execution.committer, "list_changed_messages", nothing)


@mutant("undo: whoever plays the other side by now agrees, also who joined afterwards", 116, "f")
def _joined_afterwards(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bot.commands.undo.undo, "game_at", lambda _events, game, _number: game)


@mutant("undo: a manager agrees though the other side is there", 18, "f")
def _never_heard(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bot.commands.undo.undo, "are_silent", lambda *_: True)


@mutant("undo: it passes over what has changed a unit since", 64, "f")
def _passed_over(patch: pytest.MonkeyPatch) -> None:
    def without_units(events: Any) -> list[Any]:
        return [event for event in events if event["kind"] != "unit"]

    def find_past_units(newest_first: Any, last: int, number: int) -> UndoTarget:
        return find_undo_target(without_units(newest_first), last, number)

    def collect_past_units(newest_first: Any, number: int, person: str) -> UndoGroup:
        return find_together(without_units(newest_first), number, person)

    patch.setattr(bot.game.undo, "find_undo_target", find_past_units)
    patch.setattr(bot.loading.undo_search, "find_undo_target", find_past_units)
    patch.setattr(bot.commands.undo.undo, "find_undo_target", find_past_units)
    patch.setattr(bot.commands.undo.undo, "find_together", collect_past_units)
