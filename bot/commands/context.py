"""The context passed to each command handler: the command, the channel's game, the dice and the
ledger.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from bot.forms.drafts import Draft, build_earlier_game_error, create_draft, load_draft
from bot.game.free_play_seed import PreparedSeed
from bot.game.ledger import Ledger
from bot.game.rights import has_last_word, make_game_over_error
from bot.game.roster import find_units_by_name
from bot.game.state import Actor, Game, Json, get_actor, is_stranger, unit_to_json
from bot.loading.free_play_seed import UNUSED, build_seed_docs, load_next_seed, prepare_seed
from bot.presentation.play_record import PlayRecord, build_event_facts
from bot.rules.dice import Die, Source
from bot.rules.errors import UserError
from bot.rules.inputs.options import InputReader
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rules.odds.odds import Distribution
from bot.rules.text.phrase import phrase
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import Sequence, System
from bot.storage.base import DAY
from bot.storage.records import ROLLED, Binding, Commit, PostedMessages
from bot.storage.store import Store
from bot.ui.registry import Registry
from bot.ui.reply.reply import Button, Reply
from bot.ui.spec import Command, CommandSpec, Path, Person, Place, get_server_key

RunInProcess = Callable[..., Awaitable[Any]]
"""Runs a function of a module with its arguments in another process, within a time limit."""
CheckEnabled = Callable[[CommandSpec], Awaitable[None]]
"""Raises UserError for a command of a rule set that is not enabled on this server."""
IsMember = Callable[[str, str], Awaitable[bool | None]]
"""Asks the platform whether a user (by key) still has access to a channel (by key); None if it does
not say.
"""
OpenThread = Callable[[str, Json, str], Awaitable[str]]
"""Makes a thread of the message at a spot in a channel (by key), with a title. Returns the key of
the thread, which may be there already; "" if there can be none.
"""
CountOdds = Callable[
    [Sequence, Mapping[str, object], Many[str], Roster], Awaitable[dict[str, Distribution]]
]


Rewording = Callable[[Reply | None], Reply | None]


UNDO_LABEL = "Undo"


class Amendment(NamedTuple):
    """A change of the messages on the topic `about`.

    `change` makes the new form from the old one, which is None if it is no longer stored. Without
    a `change` the messages become the command's answer; if that is a message of its own,
    `change_if_separate` rewords them. `anywhere`: messages in channels that do not play the game
    are changed too, such as direct messages.
    """

    about: str
    change: Rewording | None = None
    change_if_separate: Rewording | None = None
    anywhere: bool = False


@dataclass(slots=True)
class Context:
    """The context of one run of a command.

    The events in the ledgers and the rows in `commit` are stored together, or not at all. The user
    of the command is "the user" in the docstrings of handlers.
    """

    command: Command
    ledger: Ledger
    store: Store
    registry: Registry
    count_odds: CountOdds
    """Computes odds within the time limit of a reply."""
    run_in_worker: RunInProcess
    """Runs longer computations."""
    run_in_checker: RunInProcess
    """Checks a file that a user sent, without delaying anybody's odds."""
    run_in_pack_checker: RunInProcess
    """Checks a pack that a user sent."""
    check_enabled: CheckEnabled
    """Must be called again for a command that replaces this one."""
    load_visible_systems: Callable[[Place, Game | None], Awaitable[RuleSets]]
    """Loads the rule sets that commands in a channel can use, for a game or for none."""
    systems: RuleSets
    """The rule sets that this command can use, by id."""
    other_ledgers: list[Ledger] = field(default_factory=list)
    """Ledgers of other games that the command changes."""
    commit: Commit = field(default_factory=Commit)
    amendments: list[Amendment] = field(default_factory=list)
    about: str = ""
    """The topic of the answer, if it is not that of its event."""
    pressed_topic: str = ""
    """The topic of the message with the button that was pressed."""
    address: str = ""
    """The web address below which shared games are served, or ""."""
    unstored: Callable[[Reply], Reply] | None = None
    """Makes the reply to show from the stored one, if it has content that must not be stored."""
    prepared: PreparedSeed | None = None
    """The seed of the next free play, if it was loaded."""
    moved: str = ""
    """A sentence on the channel to which a game has moved from here, if no game is on here."""
    lets_play: bool = False
    """The user lets the side act that plays itself and is to move."""
    order_answers: Any = None
    """The answers to the questions of an order of that side: see bot/commands/solo/self_play.py."""
    is_confirmed: bool = False
    """The user has confirmed a play about which they were asked."""
    acts_for: frozenset[str] = frozenset()
    """Sides of other players for which the user has agreed to act as game master."""
    mentions: dict[str, tuple[str, ...]] | None = None
    """The users to mention, by channel key; None until that is determined."""
    named_without_ping: tuple[str, ...] = ()
    """Users who are active and are therefore named without a ping."""
    members: Mapping[str, IsMember] = field(default_factory=dict)
    """Asks each platform, by its name, for its members."""
    threads: Mapping[str, OpenThread] = field(default_factory=dict)
    """Makes a thread on each platform, by its name."""
    is_local: bool = False
    """Whether the answer is of no concern to the channels that are linked with this one."""
    pages: asyncio.Semaphore = field(default_factory=asyncio.Semaphore)
    """Limits how many after-action pages are built at the same time."""
    _posted_messages: dict[str, PostedMessages] = field(default_factory=dict)
    """The messages that were loaded, by topic."""

    @property
    def spec(self) -> CommandSpec:
        """The definition of the command."""
        assert self.command.spec is not None
        return self.command.spec

    @property
    def user_name(self) -> str:
        """The visible name of the user; while a side plays itself, that of the side."""
        return self.ledger.plays or self.command.who.name

    @property
    def now(self) -> float:
        """The time of the command in Unix seconds."""
        return self.ledger.writer.now

    @property
    def game(self) -> Game:
        """The channel's game after the command's events so far; an empty one if there is none."""
        return self.ledger.game

    @property
    def actor(self) -> Actor:
        """The user as an actor in the game: their person, side and rights.

        In a private conversation that is linked with a game elsewhere, nobody counts as a manager.
        While a side plays itself, the actor directs that side.
        """
        ledger = self.ledger
        manages = self.command.who.manager and not self._is_linked_private_chat
        if ledger.plays:
            return Actor(ledger.find_person(), ledger.plays, True)
        actor = get_actor(ledger.game, ledger.find_person(), manager=manages)
        return actor._replace(acts_for=self.acts_for) if self.acts_for else actor

    @property
    def _is_linked_private_chat(self) -> bool:
        """Return whether this is a private conversation linked to a game elsewhere. Everybody is
        the manager of their own conversations.
        """
        channel = self.command.where
        return (bool(channel.owner) or not channel.server) and len(self.ledger.places) > 1

    @property
    def can_manage(self) -> bool:
        """Return whether the user may speak for this channel: they manage its server, or it is
        their own conversation with the bot.
        """
        user = self.command.who
        channel = self.command.where
        return user.manager or (bool(channel.owner) and channel.owner == user.key)

    @property
    def system(self) -> System | None:
        """The rule set of the game; None in free play that has not used one yet."""
        return self.systems.get(self.game.system)

    def act_as(self, user: Person) -> None:
        """Record what follows as done by this user, who has agreed to it beforehand."""
        self.command = replace(self.command, who=user)
        self.ledger.writer = self.ledger.writer._replace(user=user.key, name=user.name)

    async def use_systems_of_game(self, game: Game | None) -> None:
        """Switch the command to the rule sets that are visible with this game, or without one."""
        self.systems = await self.load_visible_systems(self.command.where, game)
        self.ledger.systems = self.systems

    def build_topic(self, subject: object) -> str:
        """Return the topic of messages on an event of this game (its number), or on a request."""
        return f"{self.ledger.row}/{subject}"

    async def load_event(self, number: int) -> Json | None:
        """Load the body of one stored event of this game, or None."""
        rows = await self.store.load_events_at(self.ledger.row, [number])
        return rows[0].data if rows else None

    async def need_settable(self, keys: Iterable[str]) -> None:
        """Raise UserError if a pending choice may change one of the tracks with these keys."""
        track_keys = tuple(keys)
        if not track_keys:
            return
        for number in self.game.waits:
            event = await self.load_event(number) or {}
            self.ledger.need_settable(event, track_keys)

    async def load_recent_events(
        self, limit: int, *, after: int = 0, before: int | None = None
    ) -> Iterator[Json]:
        """Load the bodies of the last `limit` stored events of this game, newest first.

        Only numbers greater than `after` and less than `before` count.
        """
        rows = await self.store.load_events(
            self.ledger.row, after=after, before=before, limit=limit, newest_first=True
        )
        return (row.data for row in rows)

    async def load_texts(self, number: int) -> dict[str, str]:
        """Load the texts of one event of this game by key. Deleted ones are left out."""
        rows = await self.store.load_texts(self.ledger.row, after=number - 1, before=number + 1)
        return {row.key: row.text for row in rows}

    async def load_posted_messages(self, about: str) -> PostedMessages:
        """Load the messages on a topic, and cache them in this context."""
        if about not in self._posted_messages:
            self._posted_messages[about] = await self.store.load_posted_messages(about)
        return self._posted_messages[about]

    async def load_answer(self, number: int) -> Reply | None:
        """Load the public part of the answer to an event; None if it is no longer stored."""
        messages = await self.load_posted_messages(self.build_topic(number))
        if messages.reply is None:
            return None
        reply = Reply.from_json(messages.reply)
        return (reply.announce or reply).standalone

    def build_button(self, name: str, label: str, *about: object, style: str = "plain") -> Button:
        """Build a button of this game with the arguments `about`: `undo:GAME:41`."""
        action = ":".join([name, self.ledger.row, *map(str, about)])
        return Button(action, label, style)

    # Buttons that several commands put under their answers

    def build_undo_button(self, number: int, *place: str) -> Button:
        """Build *Undo* for an event. `place` is where the button is, if not under its answer."""
        return self.build_button("undo", UNDO_LABEL, number, *place)

    def build_odds_button(self, number: int) -> Button:
        """Build *Odds*, which shows the odds of a shot, an event of the game."""
        return self.build_button("odds", "Odds", number)

    def build_hand_button(self) -> Button:
        """Build *Your hand*, which shows the player who presses it their own hand."""
        return self.build_button("hand", "Your hand")

    def build_proof_button(self) -> Button:
        """Build *Proof*, which shows how the dice of the game are proved."""
        return self.build_button("read", "Proof", "proof")

    def clean_options(self) -> dict[str, Any]:
        """Return the values of the command's options, with defaults.

        Raises UserError for a value that does not fit its option, and for an option that is
        missing.
        """
        return InputReader(self.spec.options).read(self.command.options, self.spec.name)

    def need_game(self) -> Game:
        """Return the channel's game. Raises UserError if there is none."""
        if not self.ledger.row:
            if self.command.where.is_own:
                hint = phrase("Just roll: `/roll 2d6`")
                raise UserError(
                    "You haven't rolled anything yet.",
                    hint=hint,
                    code="nothing-rolled",
                )
            hint = phrase("Start one here with `/game start`, or just roll.")
            raise UserError(self.moved or "There's no game here yet.", hint=hint, code="no-game")
        return self.game

    def need_open(self) -> Game:
        """Return the channel's game. Raises UserError if there is none, or if it has ended."""
        game = self.need_game()
        if game.ended:
            raise make_game_over_error(game)
        return game

    def need_started(self) -> Game:
        """Return the channel's game. Raises UserError if there is none, if it is free play, or if
        it has ended.
        """
        game = self.need_game()
        if not game.started:
            hint = phrase('Start a game: `/game start lnlt "Hill 875" sides="US, VC"`.')
            raise UserError(
                "No game is running here, just free play: no turns, no sides.",
                hint=hint,
                code="no-game",
            )
        if game.ended:
            raise make_game_over_error(game)
        return game

    def begin_game(self, game: Game | None = None, **fields: Any) -> None:
        """Begin a new game in this channel and those linked with it: `game`, or free play.

        The previous game stays in the store. `fields` are those of the game's first event.
        """
        previous_row = self.ledger.loaded.row if self.ledger.loaded is not None else None
        linked_channels = self.ledger.places
        writer = self.ledger.writer
        if self.ledger.row:
            if self.ledger.has_events:
                self.other_ledgers.append(self.ledger)
            self.ledger = Ledger(None, writer, self.systems)
        self.ledger.begin(game, **fields)
        self.bind_game(self.ledger.row, previous_row)
        current_channel = self.command.where.key
        for channel in linked_channels:
            if channel != current_channel:
                server = get_server_key(channel)
                binding = Binding(channel, self.ledger.row, previous_row, server)
                self.commit.bindings.append(binding)

    def bind_game(self, row: str | None, previous_row: str | None) -> None:
        """Let this channel play the game `row` in place of `previous_row`, or none."""
        channel = self.command.where
        self.commit.bindings.append(Binding(channel.key, row, previous_row, channel.server))

    def open_game(self) -> Game:
        """Return the channel's game. If there is none, begin free play.

        Raises UserError if the game has ended.
        """
        if not self.ledger.row:
            self._begin_free_play()
        if self.game.ended:
            raise make_game_over_error(self.game)
        return self.game

    def open_game_for_dice(self) -> Game:
        """Return the channel's game for a roll without a rule set. If there is none, or if it has
        ended, begin free play.
        """
        if not self.ledger.row or self.game.ended:
            self._begin_free_play()
        return self.game

    def _begin_free_play(self) -> None:
        """Begin free play with the prepared seed, and create the seed of the free play after it."""
        seed = self.prepared
        self.begin_game(free=True, prepared=seed, unannounced=seed is None)
        if seed is not None:
            self.commit.drop_docs.append((UNUSED, seed.commitment))
        self.create_next_seed()

    async def get_next_seed(self) -> PreparedSeed:
        """Return the seed for the next free play here, creating it if necessary.

        The caller must show its commitment.
        """
        return (
            self.prepared
            or await load_next_seed(self.store, self.command.where)
            or self.create_next_seed()
        )

    async def has_next_seed(self) -> bool:
        """Return whether there is a seed for the next free play here. Its commitment was shown."""
        return (self.prepared or await load_next_seed(self.store, self.command.where)) is not None

    def create_next_seed(self) -> PreparedSeed:
        """Create and store the seed for the next free play. The caller must show its commitment."""
        self.prepared = prepare_seed(self.now)
        self.commit.docs += build_seed_docs(self.prepared, self.command.where)
        return self.prepared

    def get_dice(self) -> Source:
        """Return the provable dice of the next event.

        The first die begins free play if no game goes on. It raises UserError if the player may not
        roll it.
        """
        return _NextEventDice(self)


def closes_texts(context: Context) -> bool:
    """Return whether a die of the user closes the texts that players add to the dice.

    It does if they are open, unless the user is a stranger to the game. Raises UserError if the
    user added the last text, because then somebody else must close them.
    """
    game = context.game
    if game.closed or is_stranger(game, context.actor):
        return False
    if not game.adder:
        return True
    user = context.command.who.key
    # A user can be several persons, because of imported files.
    own_persons = (row.person for row in context.ledger.persons.values() if row.user == user)
    if any(has_last_word(game, person) for person in own_persons):
        raise UserError(
            "You added the last words to these dice, so another player has to roll first.",
            hint=phrase(
                "Another player can roll, or type `/fair close`. `/fair reveal` starts a new seed without words."
            ),
            code="last-word",
        )
    return True


def build_play_facts(
    context: Context,
    path: Path,
    record: PlayRecord,
    units: Iterable[RosterUnit],
    *,
    secret: bool = False,
) -> Json:
    """Return the fields of the event of a play, with the `units` that it names as they were before.

    It closes the players' texts if it has dice that are not typed, or is `secret`. Raises UserError
    if the user may not close them.
    """
    uses_seed = (bool(record.dice) or secret) and not record.by_hand
    closes = uses_seed and closes_texts(context)
    source_units = find_units_by_name(context.game, record.sources)
    return build_event_facts(path, record, context.systems.get(record.system)) | {
        "used": [unit_to_json(unit) for unit in units],
        "acting": [unit.name for unit in units if unit.name in record.acting],
        "sources": [unit_to_json(unit) for unit in source_units],
        "closes": closes,
    }


def replace_command(
    context: Context, path: tuple[str, ...], options: Mapping[str, object]
) -> Context:
    """Replace the command in this context, and return the context. User, channel and request stay."""
    spec = context.registry.get(path)
    if spec is None:
        spec, _ = context.registry.find(path)
    command = context.command
    context.command = replace(command, path=spec.path, options=options, channels={}, spec=spec)
    return context


def save_draft(context: Context, path: Path, options: Mapping[str, object]) -> Draft:
    """Store a command of the user for a day, so that a button can run it in the game that is played
    here.
    """
    draft = create_draft(path, options, context.command.who.key, context.ledger.row)
    context.commit.docs.append(draft.build_doc(context.now, DAY))
    return draft


async def load_own_draft(context: Context, key: str) -> Draft:
    """Load the user's draft with this key.

    Raises UserError if it was used or is another user's, and for a sequence of another game.
    """
    draft = await load_draft(context.store, key)
    user = context.command.who.key
    if draft is not None and draft.owner == user:
        spec = context.registry.get(draft.path)
        uses_units = spec is not None and spec.family == "sequence"
        if uses_units and draft.game and draft.game != context.ledger.row:
            raise build_earlier_game_error()
        return draft
    rolled_doc = await context.store.load_doc(ROLLED, key)
    message = "This has already been rolled, or has expired."
    if rolled_doc is not None and rolled_doc.owner == user:
        message = f"Already done: {rolled_doc.data['title']}"
    raise UserError(message, hint="Type the command again.", code="used-up")


class _NextEventDice:
    """The provable dice of the next event, created when the first die is rolled.

    A lookup without dice therefore begins no game, and a roll that is refused shows no die.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    @cached_property
    def _stream(self) -> Source:
        context = self._context
        if not context.ledger.row or context.game.ended:
            context.open_game_for_dice()
        closes_texts(context)
        return context.ledger.create_dice_source()

    def draw(self, die: Die) -> int | str:
        """Return the value of the next die. Raises UserError if the player may not roll it."""
        return self._stream.draw(die)
