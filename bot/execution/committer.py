"""What a command changed goes to the disk in one commit, together with its answer and where that
goes.
"""

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Many
from typing import Any

from bot.commands.by_post.reminders import update_reminders_and_deadlines
from bot.commands.context import Context
from bot.commands.log.answer_footer import (
    OR_POST,
    add_footer,
    get_answer_topic,
    list_changed_messages,
    store_first_line,
)
from bot.execution.budgets import UNASKED, Budgets
from bot.game.game_cache import GameCache
from bot.game.ledger import Ledger
from bot.game.state import waited_for
from bot.outbox.leases import LEASE
from bot.outbox.receipts import Receipts
from bot.packs.pack_store import build_used_docs, get_server_key
from bot.preferences.enabled_packs import EnabledPacks
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rulesets.system import list_builtin_systems
from bot.storage.base import Clock, Deleted, Gate
from bot.storage.erased import ErasureMarks
from bot.storage.records import Outgoing
from bot.storage.store import Store
from bot.ui.reply.reply import Reply
from bot.ui.spec import Command

MOST_KNOWN = 10_000
DELETED = Reply(
    "That was answered before, and the answer has been deleted since. Nothing happens again.",
    private=True,
)
"""The answer to a request that comes once more after its answer was deleted."""


class CommandCommitter:
    """Stores what handlers wrote, and keeps what this process remembers of games and servers
    true to it.
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
        """The answer that this request got before, so that an error can be the echo of a
        success.
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
        """Commit what the handler wrote, together with the answer and where it goes. Raises what
        `Store.commit` does, but for Deleted."""
        command = context.command
        commit = context.commit
        ledgers = [*context.other_ledgers, context.ledger]
        self._keep_packs(context, ledgers)
        await store_first_line(context, reply)
        if commit.bindings or any(
            waited_for(one.before) != waited_for(one.game) for one in ledgers
        ):
            await update_reminders_and_deadlines(context)
        written = any(ledger.has_events or ledger.is_touched for ledger in ledgers)
        kept = commit.docs or commit.drop_docs or commit.due or commit.drop_due
        if not (written or kept or commit.bindings or commit.erase or commit.forget):
            is_press = context.spec.family == "button" and not command.request_id.startswith(
                UNASKED
            )
            # "done already" may be its echo
            return (await self.find_earlier_reply(command) or reply) if is_press else reply
        reply = await add_footer(context, reply)
        about = get_answer_topic(context, reply)
        changing = await list_changed_messages(context, reply, about)
        commit.request_id, commit.reply, commit.user = (
            command.request_id,
            reply.to_json(),
            command.who.key,
        )
        commit.changes = tuple(
            [change for ledger in ledgers if (change := ledger.build_change()) is not None]
        )
        commit.persons = tuple(
            [row for ledger in ledgers for row in ledger.new_persons.values() if ledger.has_events]
        )
        commit.texts = tuple([row for ledger in ledgers for row in ledger.new_texts])
        commit.seeds = tuple([row for ledger in ledgers for row in ledger.new_seeds.values()])
        linked = _list_linked_answers(context, ledgers, reply, about, changing)
        commit.outbox = [*build_outgoing(command, about), *commit.outbox, *changing, *linked]
        commit.pressed = _find_pressed_message(context)
        commit.gate = gate
        gone = self.erased.build_docs(commit.forget, self._clock()) if commit.forget else []
        commit.docs += gone
        try:
            done = await self._store.commit(commit)
        except Deleted:
            return DELETED
        if done.seen:
            return replace(Reply.from_json(done.reply), seen=True)
        if commit.erase or commit.forget:
            self.erased.keep(gone)
            await self._forget_receipts(context)
            await self._store.purge_deleted()
        self._remember(context, ledgers)
        budgets.weigh(command, context.ledger.count_written_characters())
        places = (binding.place for binding in commit.bindings)
        for about in (*commit.forget, *commit.erase, *places, *_list_changed_hands(ledgers)):
            for listener in self.listeners:
                listener(about)
        shown = context.unstored(reply) if context.unstored is not None else reply
        return replace(shown, outbox=done.outbox[0]) if command.delivery else shown

    def _keep_packs(self, context: Context, ledgers: Many[Ledger]) -> None:
        """The packs that new events name stay, whatever becomes of them on the server; written
        once each.
        """
        seen = context.systems
        if seen is list_builtin_systems():
            return
        versions = [
            *getattr(seen, "versions", ()),
            *(one for one in seen.values() if one.about is not None),
        ]
        if not versions or not any(ledger.has_events for ledger in ledgers):
            return
        named = {body.get("edition") for ledger in ledgers for body in ledger.bodies}
        named |= {hash for ledger in ledgers for hash in ledger.game.packs}
        if context.spec.system in seen:  # what is sealed names it inside
            named.add(seen[context.spec.system].edition)
        server = get_server_key(context.command.where)
        new = {
            one.version: one
            for one in versions
            if one.version in named and (server, one.version) not in self._used
        }
        context.commit.docs += build_used_docs(new.values(), server)

    async def _forget_receipts(self, context: Context) -> None:
        was = context.ledger.was
        erased = was.places if was is not None and was.row in context.commit.erase else ()
        for user in context.commit.forget or ("",):
            await self._receipts.forget(user, erased, but=context.command.request_id)

    def _remember(self, context: Context, ledgers: Many[Ledger]) -> None:
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
                    ledger.was.places if ledger.was is not None else (context.command.where.key,)
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


def _list_changed_hands(ledgers: Many[Ledger]) -> Iterator[str]:
    for ledger in ledgers:
        was = ledger.was.game if ledger.was is not None else ledger.game
        now = ledger.game
        if (was.cards, was.players, was.ended) != (now.cards, now.players, now.ended):
            yield ledger.row


def build_outgoing(command: Command, about: str = "") -> tuple[Outgoing, ...]:
    """Where the answer to a command goes; nowhere for one that nobody posts."""
    if not command.delivery:
        return ()
    place = command.where.channel_or_thread_key
    home = command.where.key
    return (
        Outgoing(
            place, dict(command.delivery), LEASE, about=about, home=home if home != place else ""
        ),
    )


def _find_pressed_message(context: Context) -> tuple[str, str, dict[str, Any]] | None:
    """Where the message is whose button was pressed: on some platforms nobody knew that until
    now.
    """
    spot = context.command.delivery.get("pressed")
    known = context.pressed_topic and isinstance(spot, Mapping) and spot
    return (context.pressed_topic, context.command.where.key, dict(known)) if known else None


def _list_linked_answers(
    context: Context, ledgers: Many[Ledger], reply: Reply, about: str, changing: Many[Outgoing]
) -> Iterator[Outgoing]:
    """What all may see of an answer, for every other place that plays the game; whoever serves
    it posts it.
    """
    told = reply.announce if reply.private else reply
    if told is None or told.error:
        return
    # A request for consent is no event, and the consent may have to come from another place.
    asked = bool(context.commit.docs or context.commit.drop_docs)
    games = [
        ledger.was for ledger in ledgers if (ledger.has_events or asked) and ledger.was is not None
    ]
    here = context.command.where.key
    places = dict.fromkeys([place for game in games for place in game.places if place != here])
    if not places:
        return
    told_already = {outgoing.place for outgoing in context.commit.outbox}
    told_already |= {change.place for change in changing if OR_POST in change.delivery}
    for place in places:
        if place not in told_already:
            mention = told.mention if context.called is None else context.called.get(place, ())
            yield Outgoing(
                place, {}, 0.0, replace(told.standalone, mention=mention).to_json(), about
            )
