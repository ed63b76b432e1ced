"""What a handler has before it: the command, the channel's game, the dice, and the ledger that
it may write to.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from bot.game.free_play_seed import UNUSED, PreparedSeed, load_next_seed, prepare_seed
from bot.game.ledger import Ledger
from bot.game.rights import has_last_word, make_game_over_error
from bot.game.roster import find_units_by_name
from bot.game.state import Actor, Game, Json, get_actor, is_stranger, unit_to_json
from bot.preferences.forms import Draft, build_earlier_game_error, create_draft, load_draft
from bot.presentation.play_record import PlayRecord, build_event_facts
from bot.rules.dice import Die, Source
from bot.rules.errors import UserError
from bot.rules.inputs.options import InputReader
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rules.odds.odds import Distribution
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import VISIBLE_SYSTEMS
from bot.rulesets.system import Sequence, System
from bot.storage.base import DAY
from bot.storage.records import ROLLED, Binding, Commit, PostedMessages
from bot.storage.store import Store
from bot.ui.registry import Registry
from bot.ui.reply.reply import Button, Reply
from bot.ui.spec import Command, CommandSpec, Path, Place, get_server_key

Apart = Callable[..., Awaitable[Any]]
"""Runs a function of a module in the worker process, within its time limit."""
CheckEnabled = Callable[[CommandSpec], Awaitable[None]]
"""Raises UserError for a command whose system is not enabled on this server."""
IsMember = Callable[[str, str], Awaitable[bool | None]]
"""Whether a user (by key) is still where a place is (by key), as the platform says now; None
where it does not say.
"""
CountOdds = Callable[
    [Sequence, Mapping[str, object], Many[str], Roster], Awaitable[dict[str, Distribution]]
]


Rewording = Callable[[Reply | None], Reply | None]


UNDO_LABEL = "Undo"


class Amendment(NamedTuple):
    """A message that no longer holds: what it is about, and how it reads from now on, made from
    what it said.

    Without `change` it reads as the command's own answer; `beside` is for where that is a message
    of its own. What a message said is not kept for ever. `anywhere`: also in direct messages, where
    nobody plays the game.
    """

    about: str
    change: Rewording | None = None
    beside: Rewording | None = None
    anywhere: bool = False


@dataclass(slots=True)
class Context:
    """One command at work. What a handler puts into the ledger and the `commit` is stored together,
    or not at all.

    `count_odds` counts within a time limit; `apart` runs a longer sum in the worker process,
    `check` the check of a file in one of its own, where it keeps nobody's odds waiting;
    `run_in_pack_checker` is that of a pack. `about` is what the answer is about, unless that is its event,
    `pressed` what the message is about whose button was pressed; `amends` are the messages that it
    changes. `check_enabled` is asked again by whoever puts another command on the desk. `prepared`
    is the seed for the next free play, where none is under way; `moved` says there where a game
    went that was played here. `called` says who is called in which place, once somebody has worked
    that out; `spared` is who is there and is only named. `address` is where shared games are
    served, or nothing; `unstored` makes the answer that is shown of the one that is stored, where
    it holds what nobody keeps. `systems` are those that the command sees, `load_visible_systems` those of a
    game that was played here before. `members` asks each platform who is there. `sure` says that
    they were asked and mean it, `acts_for` for which sides of other players they mean to act as
    game master. Whoever builds an after-action page takes one of `pages`.
    """

    command: Command
    ledger: Ledger
    store: Store
    registry: Registry
    count_odds: CountOdds
    run_in_worker: Apart
    run_in_checker: Apart
    run_in_pack_checker: Apart
    check_enabled: CheckEnabled
    load_visible_systems: Callable[[Place, Game | None], Awaitable[Mapping[str, System]]]
    systems: Mapping[str, System]
    other_ledgers: list[Ledger] = field(default_factory=list)
    commit: Commit = field(default_factory=Commit)
    amendments: list[Amendment] = field(default_factory=list)
    about: str = ""
    pressed_topic: str = ""
    address: str = ""
    unstored: Callable[[Reply], Reply] | None = None
    prepared: PreparedSeed | None = None
    moved: str = ""
    is_confirmed: bool = False
    acts_for: frozenset[str] = frozenset()
    called: dict[str, tuple[str, ...]] | None = None
    named_without_ping: tuple[str, ...] = ()
    members: Mapping[str, IsMember] = field(default_factory=dict)
    pages: asyncio.Semaphore = field(default_factory=asyncio.Semaphore)
    _shown: dict[str, PostedMessages] = field(default_factory=dict)

    @property
    def spec(self) -> CommandSpec:
        """What the command is; whoever puts one on the desk has looked it up."""
        assert self.command.spec is not None
        return self.command.spec

    @property
    def user_name(self) -> str:
        """The name of who asks."""
        return self.command.who.name

    @property
    def now(self) -> float:
        """Unix seconds."""
        return self.ledger.writer.now

    @property
    def game(self) -> Game:
        """The channel's game as it is; an empty one while there is none."""
        return self.ledger.game

    @property
    def actor(self) -> Actor:
        """Who asks, as the game sees them."""
        ledger = self.ledger
        manages = self.command.who.manager and not self._is_linked_private_chat
        actor = get_actor(ledger.game, ledger.find_person(), manager=manages)
        return actor._replace(acts_for=self.acts_for) if self.acts_for else actor

    @property
    def _is_linked_private_chat(self) -> bool:
        """Return whether this is a private conversation linked to a game elsewhere: everybody
        manages their own messages.
        """
        where = self.command.where
        return (bool(where.owner) or not where.server) and len(self.ledger.places) > 1

    @property
    def can_manage(self) -> bool:
        """Return whether who asks may agree for this place: they manage its server, or it is their
        own with the bot.
        """
        who = self.command.who
        where = self.command.where
        return who.manager or (bool(where.owner) and where.owner == who.key)

    @property
    def system(self) -> System | None:
        """The game's system; None in free play that has not used one yet."""
        return self.systems.get(self.game.system)

    async def use_systems_of_game(self, game: Game | None) -> None:
        """From here on the command sees what is seen with this game, or with none."""
        self.systems = await self.load_visible_systems(self.command.where, game)
        VISIBLE_SYSTEMS.set(self.systems)

    def build_topic(self, what: object) -> str:
        """What a message is about: an event of this game, or a request in it."""
        return f"{self.ledger.row}/{what}"

    async def load_event(self, number: int) -> Json | None:
        """The body of one event of this game, or None."""
        rows = await self.store.load_events_at(self.ledger.row, [number])
        return rows[0].data if rows else None

    async def need_settable(self, keys: Iterable[str]) -> None:
        """Raise UserError if a pending choice may change one of the tracks with these keys."""
        wanted = tuple(keys)
        for number in self.game.waits if wanted else ():
            self.ledger.need_settable(await self.load_event(number) or {}, wanted)

    async def load_recent_events(
        self, limit: int, *, after: int = 0, before: int | None = None
    ) -> Iterator[Json]:
        """The bodies of the last events of this game between two numbers, so many at most,
        newest first.
        """
        rows = await self.store.load_events(
            self.ledger.row, after=after, before=before, limit=limit, newest_first=True
        )
        return (row.data for row in rows)

    async def load_texts(self, number: int) -> dict[str, str]:
        """The texts of one event of this game that were not deleted, by their keys."""
        rows = await self.store.load_texts(self.ledger.row, after=number - 1, before=number + 1)
        return {row.key: row.text for row in rows}

    async def load_posted_messages(self, about: str) -> PostedMessages:
        """Where messages about something are, and what they said; asked once."""
        if about not in self._shown:
            self._shown[about] = await self.store.load_posted_messages(about)
        return self._shown[about]

    async def load_answer(self, number: int) -> Reply | None:
        """What all saw of the answer to an event, while that is kept."""
        shown = await self.load_posted_messages(self.build_topic(number))
        said = Reply.from_json(shown.reply) if shown.reply is not None else None
        return said and (said.announce or said).standalone

    def build_button(self, name: str, label: str, *about: object, style: str = "plain") -> Button:
        """A button that names its game, and in it what it is about: `undo:GAME:41`."""
        return Button(":".join([name, self.ledger.row, *map(str, about)]), label, style)

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
        """The options cleaned, defaults filled in. Raises UserError."""
        return InputReader(self.spec.options).read(self.command.options, self.spec.name)

    def need_game(self) -> Game:
        """The channel's game. Raises UserError while there is none."""
        if not self.ledger.row:
            if self.command.where.is_own:
                hint = phrase("Just roll: `/roll 2d6`")
                raise UserError(
                    "You have not rolled anything of your own yet.",
                    hint=hint,
                    code="nothing-rolled",
                )
            hint = phrase("Start one here with `/game start`, or just roll.")
            raise UserError(self.moved or "No game is played here yet.", hint=hint, code="no-game")
        return self.game

    def need_open(self) -> Game:
        """The channel's game, if it may still be changed. Raises UserError otherwise."""
        game = self.need_game()
        if game.ended:
            raise make_game_over_error(game)
        return game

    def need_started(self) -> Game:
        """The channel's game, if it was started and goes on. Raises UserError otherwise."""
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
        """Begin a new game in this place: free play, or `game`. The one before stays in the
        store.
        """
        before = self.ledger.was.row if self.ledger.was is not None else None
        linked = self.ledger.places
        writer = self.ledger.writer
        if self.ledger.row:
            if self.ledger.has_events:
                self.other_ledgers.append(self.ledger)
            self.ledger = Ledger(None, writer)
        self.ledger.begin(game, **fields)
        self.bind_game(self.ledger.row, before)
        here = self.command.where.key
        for place in linked:  # a linked channel goes on with the new game
            if place != here:
                self.commit.bindings.append(
                    Binding(place, self.ledger.row, before, get_server_key(place))
                )

    def bind_game(self, row: str | None, was: str | None) -> None:
        """Let this place play the game `row` from now on."""
        where = self.command.where
        self.commit.bindings.append(Binding(where.key, row, was, where.server))

    def open_game(self) -> Game:
        """The channel's game; free play begins where there is none. Raises UserError for a game
        that is over.
        """
        if not self.ledger.row:
            self._begin_free_play()
        if self.game.ended:
            raise make_game_over_error(self.game)
        return self.game

    def open_game_for_dice(self) -> Game:
        """The game that a roll of mere dice belongs to: one that is over makes room for free
        play, and is kept.
        """
        if not self.ledger.row or self.game.ended:
            self._begin_free_play()
        return self.game

    def _begin_free_play(self) -> None:
        """Free play with the seed whose commitment was shown before."""
        ready = self.prepared
        self.begin_game(free=True, prepared=ready, unannounced=ready is None)
        if ready is not None:
            self.commit.drop_docs.append((UNUSED, ready.commitment))
        self.create_next_seed()

    async def get_next_seed(self) -> PreparedSeed:
        """The seed for the next free play here, laid ready if none is. Whoever asks shows its
        commitment.
        """
        return (
            self.prepared
            or await load_next_seed(self.store, self.command.where)
            or self.create_next_seed()
        )

    async def has_next_seed(self) -> bool:
        """Return whether the seed for the next free play here is ready, so that it was shown."""
        return (self.prepared or await load_next_seed(self.store, self.command.where)) is not None

    def create_next_seed(self) -> PreparedSeed:
        """Lay the seed for the next free play ready. Whoever does so shows its commitment in the
        answer.
        """
        self.prepared = prepare_seed(self.now)
        self.commit.docs += self.prepared.build_docs(self.command.where)
        return self.prepared

    def get_dice(self) -> Source:
        """Return the provable dice of the next event.

        The first die begins free play if no game goes on. It raises UserError if the player may not
        roll it.
        """
        return _NextEventDice(self)


def closes_texts(context: Context) -> bool:
    """Return whether the asker's die, or word, closes the players' texts. Raises UserError where
    the last one is theirs.
    """
    game = context.game
    if game.closed or is_stranger(game, context.actor):
        return False
    if not game.adder:
        return True
    own = (
        row.person for row in context.ledger.persons.values() if row.user == context.command.who.key
    )
    # Their text may also be another person's, from an imported file.
    if any(has_last_word(game, person) for person in own):
        raise UserError(
            "The last text in these dice is yours, so somebody else has to roll first.",
            hint=phrase(
                "Another player rolls first, or types `/fair close`. Or `/fair reveal` starts a new seed without texts."
            ),
            code="last-word",
        )
    return True


def build_play_facts(
    context: Context,
    path: Path,
    happening: PlayRecord,
    named: Iterable[RosterUnit],
    *,
    secret: bool = False,
) -> Json:
    """What the event of something that was played says: also which units it named, as they were,
    who acts, and whether it closes the players' texts."""
    closes = (bool(happening.dice) or secret) and not happening.by_hand and closes_texts(context)
    return build_event_facts(path, happening, context.systems.get(happening.system)) | {
        "used": [unit_to_json(unit) for unit in named],
        "acting": [unit.name for unit in named if unit.name in happening.acting],
        "sources": [
            unit_to_json(unit) for unit in find_units_by_name(context.game, happening.sources)
        ],
        "closes": closes,
    }


def replace_command(
    context: Context, path: tuple[str, ...], options: Mapping[str, object]
) -> Context:
    """The same desk with another command on it: by the same person, here and now, for the same
    request.
    """
    spec = context.registry.get(path)
    if spec is None:
        spec, _ = context.registry.find(path)
    command = context.command
    context.command = replace(command, path=spec.path, options=options, channels={}, spec=spec)
    return context


def save_draft(context: Context, path: Path, options: Mapping[str, object]) -> Draft:
    """A command kept for a day, so that a button does just this, in the game that is played
    here.
    """
    draft = create_draft(path, options, context.command.who.key, context.ledger.row)
    context.commit.docs.append(draft.build_doc(context.now, DAY))
    return draft


async def load_own_draft(context: Context, key: str) -> Draft:
    """Their own draft. Raises UserError for one that is used up."""
    draft = await load_draft(context.store, key)
    who = context.command.who.key
    if draft is not None and draft.owner == who:
        spec = context.registry.get(draft.path)
        uses_units = spec is not None and spec.family == "sequence"
        if uses_units and draft.game and draft.game != context.ledger.row:
            raise build_earlier_game_error()
        return draft
    rolled = await context.store.load_doc(ROLLED, key)
    what = (
        f"Already done: {rolled.data['title']}"
        if rolled is not None and rolled.owner == who
        else ""
    )
    raise UserError(
        what or "This was rolled already, or is too old.",
        hint="Type the command again.",
        code="used-up",
    )


class _NextEventDice:
    """The provable dice of the next event, which nobody asks for before the first one falls.

    So a lookup without dice begins no game, and a roll that is refused shows no die.
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
