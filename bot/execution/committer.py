"""Storage of a command's changes in one commit, together with its answer and its recipients."""

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Many
from dataclasses import replace

from bot.commands.answer_footer import (
    OR_POST,
    add_footer,
    get_answer_topic,
    list_changed_messages,
    store_first_line,
)
from bot.commands.by_post.reminders import update_reminders_and_deadlines
from bot.commands.context import Context
from bot.execution.budgets import UNASKED, Budgets
from bot.game.ledger import Ledger
from bot.game.state import waited_for
from bot.loading.game_cache import GameCache
from bot.outbox.leases import LEASE
from bot.outbox.receipts import Receipts
from bot.packs.pack_store import build_used_docs, get_server_key
from bot.preferences.enabled_packs import EnabledPacks
from bot.rules.errors import UserError
from bot.rulesets.system import list_builtin_systems
from bot.storage.base import Clock, Deleted, Gate
from bot.storage.erased import ErasureMarks
from bot.storage.records import Doc, Outgoing, PressedMessage
from bot.storage.store import Store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command

MOST_KNOWN = 10_000
DELETED = Reply(
    "That was already answered, and the answer has since been deleted. Nothing was done again.",
    private=True,
)
"""The reply to a request that arrives again after its answer was deleted."""


class CommandCommitter:
    """The writer of commands' changes. It keeps the process's caches of games and servers true to
    them.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        games: GameCache,
        enabled: EnabledPacks,
        receipts: Receipts,
    ) -> None:
        self.erased = ErasureMarks()
        self._store = store
        self._clock = clock
        self._games = games
        self._enabled = enabled
        self._receipts = receipts
        self._used: set[tuple[str, object]] = set()
        self.listeners: list[Callable[[str], None]] = []
        """Who is told of each game in which hands may have changed, each place with another one,
        who is forgotten.
        """

    async def find_earlier_reply(self, command: Command) -> Reply | None:
        """Return the reply that was stored for this request before, marked as seen, or None.

        It goes out in place of an error of a repeated request, so that the error does not hide a
        success. Return DELETED if the reply was deleted since, and None if the store cannot be
        read.
        """
        try:
            stored = await self._store.load_earlier_reply(command.request_id)
        except Deleted:
            return DELETED
        except UserError:  # the store is the trouble, which is what the player reads
            return None
        return replace(Reply.from_json(stored), seen=True) if stored is not None else None

    async def store(
        self, context: Context, reply: Reply, gate: Gate | None, budgets: Budgets
    ) -> Reply:
        """Commit the changes of a command together with its reply and its recipients.

        Return the reply to show: `reply` with its footer, the earlier one of a repeated request, or
        DELETED if that was deleted. A command without changes stores nothing. After the commit,
        update the caches, charge `budgets` for long texts, and call the listeners. Raise the errors
        of `Store.commit`, apart from Deleted.
        """
        command = context.command
        commit = context.commit
        ledgers = [*context.other_ledgers, context.ledger]
        self._keep_packs(context, ledgers)
        await store_first_line(context, reply)
        await _update_reminders(context, ledgers)
        if not _has_changes(context, ledgers):
            return await self._find_echo(context, reply)
        reply = await add_footer(context, reply)
        await _fill_commit(context, ledgers, reply)
        commit.gate = gate
        erasure_docs: list[Doc] = []
        if commit.forget:
            erasure_docs = self.erased.build_docs(commit.forget, self._clock())
            commit.docs += erasure_docs
        try:
            result = await self._store.commit(commit)
        except Deleted:
            return DELETED
        if result.seen:
            return replace(Reply.from_json(result.reply), seen=True)
        if commit.erase or commit.forget:
            await self.erased.keep(erasure_docs)
            await self._forget_receipts(context)
            await self._store.purge_deleted()
        self._remember(context, ledgers)
        budgets.weigh(command, context.ledger.count_written_characters())
        self._call_listeners(context, ledgers)
        reply_to_show = context.unstored(reply) if context.unstored is not None else reply
        if command.delivery:
            return replace(reply_to_show, outbox=result.outbox[0])
        return reply_to_show

    async def _find_echo(self, context: Context, reply: Reply) -> Reply:
        """Return the reply to a command that changed nothing, and that is not stored.

        A second press of a button may only say "done already". Return the stored reply to the same
        request then, if there is one.
        """
        command = context.command
        is_press = context.spec.family == "button" and not command.request_id.startswith(UNASKED)
        if not is_press:
            return reply
        return await self.find_earlier_reply(command) or reply

    def _call_listeners(self, context: Context, ledgers: Many[Ledger]) -> None:
        """Call each listener with the key of all that this commit may have made out of date.

        These are forgotten users, erased games, places that play another game now, and games in
        which hands may have changed.
        """
        commit = context.commit
        places = (binding.place for binding in commit.bindings)
        for topic in (*commit.forget, *commit.erase, *places, *_list_changed_hands(ledgers)):
            for listener in self.listeners:
                listener(topic)

    def _keep_packs(self, context: Context, ledgers: Many[Ledger]) -> None:
        """Mark the packs in new events as used, so that they stay whatever the server does.

        Each is marked once.
        """
        visible = context.systems
        if visible is list_builtin_systems():
            return
        current_packs = [system for system in visible.values() if system.about is not None]
        packs = [*getattr(visible, "versions", ()), *current_packs]
        if not packs or not any(ledger.has_events for ledger in ledgers):
            return
        hashes = _list_editions(context, ledgers)
        server = get_server_key(context.command.where)
        new_packs = {}
        for pack in packs:
            if pack.version in hashes and (server, pack.version) not in self._used:
                new_packs[pack.version] = pack
        context.commit.docs += build_used_docs(new_packs.values(), server)

    async def _forget_receipts(self, context: Context) -> None:
        """Delete the receipts of erased games and forgotten users."""
        loaded = context.ledger.loaded
        erased_places = (
            loaded.places if loaded is not None and loaded.row in context.commit.erase else ()
        )
        for user in context.commit.forget or ("",):
            await self._receipts.forget(user, erased_places, but=context.command.request_id)

    def _remember(self, context: Context, ledgers: Many[Ledger]) -> None:
        """Update the caches of games, servers and used packs after a commit."""
        for row in context.commit.erase:
            self._games.drop(row)
        if context.commit.forget:
            self._games.clear()
            return
        for ledger in ledgers:
            if ledger.has_events and context.commit.bindings:
                self._games.drop(ledger.row)  # the places where it is played have changed
            elif ledger.has_events:
                places = (
                    ledger.loaded.places
                    if ledger.loaded is not None
                    else (context.command.where.key,)
                )
                self._games.keep(ledger.build_loaded_game(places))
            elif ledger.is_touched:
                self._games.drop(ledger.row)
        for doc in context.commit.docs:
            if doc.kind == "setup":
                self._enabled.forget(doc.key)
            elif doc.kind == "pack-used":
                self._used.add((doc.owner, doc.data["hash"]))
                if len(self._used) > MOST_KNOWN:
                    self._used.clear()


def _has_changes(context: Context, ledgers: Many[Ledger]) -> bool:
    """Return whether a command has anything to store."""
    commit = context.commit
    if any(ledger.has_events or ledger.is_touched for ledger in ledgers):
        return True
    if commit.docs or commit.drop_docs or commit.due or commit.drop_due:
        return True
    return bool(commit.bindings or commit.erase or commit.forget)


async def _update_reminders(context: Context, ledgers: Many[Ledger]) -> None:
    """Update reminders and deadlines if the command may have changed who is waited for, or where."""
    has_waits_changed = any(
        waited_for(ledger.game_before) != waited_for(ledger.game) for ledger in ledgers
    )
    if context.commit.bindings or has_waits_changed:
        await update_reminders_and_deadlines(context)


async def _fill_commit(context: Context, ledgers: Many[Ledger], reply: Reply) -> None:
    """Put the request, its reply, the new rows and all messages to post into the commit."""
    command = context.command
    commit = context.commit
    about = get_answer_topic(context, reply)
    message_changes = await list_changed_messages(context, reply, about)
    commit.request_id = command.request_id
    commit.reply = reply.to_json()
    commit.user = command.who.key
    _add_ledger_rows(context, ledgers)
    own_answer = build_outgoing(command, about)
    linked_answers = _list_linked_answers(context, ledgers, reply, about, message_changes)
    commit.outbox = [*own_answer, *commit.outbox, *message_changes, *linked_answers]
    commit.pressed = _find_pressed_message(context)


def _add_ledger_rows(context: Context, ledgers: Many[Ledger]) -> None:
    """Set the commit's changes, persons, texts and seeds to what is new in the ledgers."""
    commit = context.commit
    changes = [ledger.build_change() for ledger in ledgers]
    commit.changes = tuple([change for change in changes if change is not None])
    commit.persons = tuple(
        [row for ledger in ledgers for row in ledger.new_persons.values() if ledger.has_events]
    )
    commit.texts = tuple([row for ledger in ledgers for row in ledger.new_texts])
    commit.seeds = tuple([row for ledger in ledgers for row in ledger.new_seeds.values()])


def _list_editions(context: Context, ledgers: Many[Ledger]) -> set[object]:
    """Return the editions of the rules that new events name, and the pack versions in force."""
    editions: set[object] = set()
    for ledger in ledgers:
        editions |= {body.get("edition") for body in ledger.bodies}
        editions |= {*ledger.game.packs}
    system = context.systems.get(context.spec.system)
    if system is not None:
        editions.add(system.edition)  # the content of a sealed roll names it
    return editions


def _list_changed_hands(ledgers: Many[Ledger]) -> Iterator[str]:
    """Yield each game in which hands may have changed."""
    for ledger in ledgers:
        game = ledger.game
        old_game = ledger.loaded.game if ledger.loaded is not None else game
        old_values = (old_game.cards, old_game.players, old_game.ended)
        if old_values != (game.cards, game.players, game.ended):
            yield ledger.row


def build_outgoing(command: Command, about: str = "") -> tuple[Outgoing, ...]:
    """Build the outbox row for the answer to a command, () if no platform posts it.

    This process has LEASE seconds to post it; then any other process may. `about` is the answer's
    topic.
    """
    if not command.delivery:
        return ()
    place = command.where.channel_or_thread_key
    home = command.where.key
    if home == place:
        home = ""
    return (Outgoing(place, dict(command.delivery), LEASE, about=about, home=home),)


def _find_pressed_message(context: Context) -> PressedMessage | None:
    """Return the message with the button that was pressed, None if its spot is unknown.

    On some platforms the press is the first time that anybody learns the spot.
    """
    spot = context.command.delivery.get("pressed")
    if not context.pressed_topic or not isinstance(spot, Mapping) or not spot:
        return None
    return PressedMessage(context.pressed_topic, context.command.where.key, dict(spot))


def _list_linked_answers(
    context: Context,
    ledgers: Many[Ledger],
    reply: Reply,
    about: str,
    message_changes: Many[Outgoing],
) -> Iterator[Outgoing]:
    """Yield the public part of `reply` for each linked place. Yield nothing for an error.

    `about` is the answer's topic. The process that serves a place posts its answer.
    """
    public_reply = reply.announce if reply.private else reply
    if public_reply is None or public_reply.error or context.is_local:
        return
    for place in _list_linked_places(context, ledgers, message_changes):
        mention = public_reply.mention
        if context.mentions is not None:
            mention = context.mentions.get(place, ())
        linked_reply = replace(public_reply.standalone, mention=mention)
        yield Outgoing(place, {}, 0.0, linked_reply.to_json(), about)


def _list_linked_places(
    context: Context, ledgers: Many[Ledger], message_changes: Many[Outgoing]
) -> list[str]:
    """Return the other places that play one of these games and get no message otherwise.

    Games without new events are left out, unless the commit writes or deletes a document, as a
    request for consent does: that is no event, and the consent may come from another place.
    """
    commit = context.commit
    is_request = bool(commit.docs or commit.drop_docs)
    places: dict[str, None] = {}
    for ledger in ledgers:
        if ledger.loaded is not None and (ledger.has_events or is_request):
            places |= dict.fromkeys(ledger.loaded.places)
    served_places = {context.command.where.key}
    served_places |= {outgoing.place for outgoing in commit.outbox}
    served_places |= {change.place for change in message_changes if OR_POST in change.delivery}
    return [place for place in places if place not in served_places]
