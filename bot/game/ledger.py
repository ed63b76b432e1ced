"""What one command writes: events chained onto a loaded game, and everything that must be stored
along with them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from bot.game.events import (
    apply,
    compute_card_difference,
    compute_difference,
    get_extensions,
    is_passed_over,
)
from bot.game.free_play_seed import PreparedSeed
from bot.game.game_cache import HANDS, SNAPSHOT_EVERY, LoadedGame, find_person, is_imported
from bot.game.pending import CommandReach, Hold, find_event_hold, find_hold
from bot.game.state import Game, Json, to_json
from bot.game.tracks import get_track_keys, list_track_titles
from bot.rules.cards import Hands, Out
from bot.rules.errors import UserError
from bot.rules.proof.chain import (
    SAID,
    compute_event_hash,
    compute_genesis,
    compute_person_key,
    format_event,
    hash_first_line,
    hash_salted,
    mark_names,
    to_canonical,
)
from bot.rules.proof.fair import NO_TEXTS, PROTOCOL, Stream, compute_commitment
from bot.rules.text.names import join_names
from bot.rulesets.catalog import get_systems
from bot.runtime.entropy import create_id, create_salt, create_seed
from bot.storage.records import IMPORTED, EventRow, GameChange, PersonRow, SeedRow, TextRow

MOST_NAMES = 12


class EventWriter(NamedTuple):
    """Who writes: the platform's user, the name to show, and the time in Unix seconds."""

    user: str
    name: str
    now: float


class Ledger:
    """Events under way in one game. Nothing is stored before the app commits `build_change()` and the
    rows beside it.
    """

    def __init__(self, loaded: LoadedGame | None, writer: EventWriter) -> None:
        self.writer = writer
        self.was = loaded
        self.row = loaded.row if loaded else ""
        """Its id in the store; "" while no game is loaded or begun."""
        self._head = loaded.head if loaded else ""
        self.game: Game = loaded.game if loaded else Game("")
        self.before = self.game
        """The game as it was loaded; an empty one where it is new."""
        self.places = loaded.places if loaded else ()
        """Where the game that was loaded is played."""
        self.persons: dict[str, PersonRow] = dict(loaded.persons) if loaded else {}
        self.seed: SeedRow | None = loaded.seed if loaded else None
        self._written: list[EventRow] = []
        self.bodies: list[Json] = []
        self.has_events = False
        self._unwritten: Json | None = None
        """The last event, while it may still get what its answer says."""
        self.new_persons: dict[str, PersonRow] = {}
        self.new_texts: list[TextRow] = []
        self.hands = loaded.hands if loaded else (0, "")
        """The last event here that moved closed cards, and what is in hands behind it; 0 where
        nobody has looked.
        """
        self.new_seeds: dict[int, SeedRow] = {}
        self._claimed = ""
        self.shown = loaded.shown if loaded else 0
        """The last event whose answer had digits of the head; -1 where nobody has looked."""
        self.done_under = loaded.done_under if loaded else 0
        """The last shot that has *Done* under it; 0 for none, -1 where nobody has looked."""
        self.is_touched = False
        """Whether the game's version counts up although nothing happened in it: others must not go
        on with what they know of it."""
        self.is_unasked = False
        """Whether somebody has looked for open requests, and there are none."""

    @property
    def events(self) -> list[EventRow]:
        """The events as they are stored, with their hashes. Raises UserError for too large a
        number in one.
        """
        self._write()
        return self._written

    @property
    def head(self) -> str:
        """The hash of the last event, which covers all before it."""
        return self.events[-1].hash if self.has_events else self._head

    @property
    def next_number(self) -> int:
        """The number that the next event will have."""
        return self.game.number + 1

    def ensure_person(self) -> str:
        """The writer's person id in this game; they get one, or their new name, on the way."""
        row = self._find_own_row()
        if row is None or row.name != self.writer.name:
            person = row.person if row is not None else create_id()
            row = PersonRow(self.row, person, self.writer.user, self.writer.name)
            self.persons[person] = self.new_persons[person] = row
        return row.person

    def find_person(self) -> str:
        """The writer's person id, or "" while they have none here."""
        row = self._find_own_row()
        return row.person if row is not None else ""

    def claim(self, row: PersonRow) -> None:
        """Let the writer be this person of an imported log from now on."""
        self._claimed = row.person
        self.persons[row.person] = self.new_persons[row.person] = row._replace(
            user=self.writer.user, name=self.writer.name
        )

    def find_own_import(self) -> PersonRow | None:
        """The person of an imported log whose key is that of the writer's account, if nobody has
        claimed it.
        """
        user = IMPORTED + compute_person_key(self.game.id, self.writer.user)
        return next((row for row in self.persons.values() if row.user == user), None)

    def _find_own_row(self) -> PersonRow | None:
        return self.persons.get(self._claimed) or find_person(
            self.writer.user, self.persons, self.game
        )

    def list_present_persons(self) -> frozenset[str]:
        """One person for each account that took part; nobody who is known from an imported file
        only.
        """
        users = {row.user for row in self.persons.values() if not is_imported(row)}
        return frozenset(
            row.person
            for user in users
            if (row := find_person(user, self.persons, self.game)) is not None
        )

    def list_unclaimed_names(self) -> str:
        """The names that are known from an imported file only, as they are listed; "" for none."""
        names = sorted(row.name for row in self.persons.values() if is_imported(row))
        return ", ".join(names[:MOST_NAMES]) + (
            f" and {len(names) - MOST_NAMES} more" if names[MOST_NAMES:] else ""
        )

    def get_name(self, person: str) -> str:
        """The name of a person of this game, marked where it comes from a file and no account
        has claimed it.
        """
        row = self.persons.get(person)
        if row is None:
            return "someone"
        return f"{row.name} (imported)" if is_imported(row) else row.name

    def list_players(self, *sides: str) -> list[str]:
        """The names of those who play for one of these sides."""
        return [
            self.get_name(person) for person, side in self.game.players.items() if side in sides
        ]

    def begin(
        self, game: Game | None = None, prepared: PreparedSeed | None = None, **fields: Any
    ) -> Json:
        """Begin a new game with event 1, which publishes the commitment to its first seed.
        Returns the event.
        """
        self.row = prepared.game if prepared is not None else create_id()
        self.hands = (0, "")
        self._head = compute_genesis(self.row)
        self.game, self.before = Game(self.row), Game("")
        start = (
            replace(game, id=self.row, master=self.ensure_person())
            if game is not None
            else self.game
        )
        return self.add(
            "start", start, game=self.row, secret=self.create_secret(prepared), **fields
        )

    def create_secret(self, prepared: PreparedSeed | None = None) -> Json:
        """A new seed, or the prepared one, in force behind the event that publishes this: its
        epoch and commitment.
        """
        seed = prepared.seed if prepared is not None else create_seed()
        epoch = self.game.epoch + 1
        row = SeedRow(
            self.row, epoch, seed, compute_commitment(seed), self.next_number + 1, (), NO_TEXTS
        )
        self.seed = self.new_seeds[epoch] = row
        told: Json = {
            "epoch": epoch,
            "commitment": row.commitment,
            "digest": NO_TEXTS,
            "closing": True,
            "protocol": PROTOCOL,
        }
        return told | ({"announced": prepared.announced} if prepared is not None else {})

    def change_seed(self, row: SeedRow) -> None:
        """Store a changed seed row: with more texts, or as revealed."""
        self.new_seeds[row.epoch] = row
        if self.seed is not None and self.seed.epoch == row.epoch:
            self.seed = row

    def create_dice_source(self) -> Stream:
        """The provable dice of the next event."""
        assert self.seed is not None
        game = self.game
        return Stream(self.seed.seed, game.id, self.next_number, game.digest)

    def add_salted_text(self, key: str, text: str, *, owned: bool = True) -> str:
        """Keep a text of the next event apart from the chain; returns the salted hash that is in
        it. One that is not `owned` stays when who writes has their texts deleted."""
        salt = create_salt()
        self.new_texts.append(
            TextRow(
                self.row, self.next_number, key, salt, text, self.ensure_person() if owned else ""
            )
        )
        return hash_salted(salt, text)

    def keep_hands(self, hands: Hands) -> None:
        """Keep what is in closed hands behind the next event."""
        self.hands = self.next_number, (text := to_canonical(hands))
        self.new_texts.append(TextRow(self.row, self.next_number, HANDS, "", text))

    def add(
        self,
        kind: str,
        new: Game | None = None,
        *,
        texts: Mapping[str, str] | None = None,
        hidden: Mapping[str, str] | None = None,
        side: str | None = None,
        cards: Out | None = None,
        **fields: Any,
    ) -> Json:
        """Append an event that leads to `new`, or to these `cards` and all else as it is; `texts`
        are kept apart under their salted hashes, and so is what is `hidden`, which is nobody's.
        Returns its body.

        Raises UserError if a choice comes first."""
        person = self.ensure_person()
        body: Json = {
            "number": self.next_number,
            "at": int(self.writer.now),
            "who": person,
            "side": side if side is not None else self.game.players.get(person, ""),
            "kind": kind,
            "behind": self.game.last,
            **{
                name: value
                for name, value in fields.items()
                if value or name in _BARE or type(value) in (int, float)
            },
        }
        if texts:
            body["texts"] = {
                key: self.add_salted_text(key, text) for key, text in texts.items() if text
            }
        if hidden:
            body.setdefault("texts", {}).update(
                {key: self.add_salted_text(key, text, owned=False) for key, text in hidden.items()}
            )
        if new is not None or cards is not None:
            before, after = (
                compute_difference(self.game, new)
                if new
                else compute_card_difference(self.game.cards, cards or {})
            )
            if before or after:
                body |= {"before": before, "after": after}
            if new and new.packs != self.game.packs and kind not in ("undo", "redo"):
                extends = get_extensions(self.game, new.packs)
                body |= {"extends": extends} if extends else {}
        hold = find_event_hold(self.game, body) if self.game.waits else None
        if hold is not None:
            raise self._make_choice_first_error(hold)
        if self.game.redo and is_passed_over(body):
            body["keeps"] = True
        return self.append(body)

    def need_choice_made(self) -> None:
        """Raise UserError while a side is asked for a choice."""
        self.need_free(CommandReach(is_all=True))

    def need_free(self, reach: CommandReach, own: int = 0) -> None:
        """Raise UserError if a pending choice, other than that of event `own`, holds what is in
        reach.
        """
        hold = find_hold(self.game, reach, own)
        if hold is not None:
            raise self._make_choice_first_error(hold)

    def need_settable(self, asking: Mapping[str, Any], keys: Iterable[str]) -> None:
        """Raise UserError if tracks with these keys cannot be set until the choice of the event
        `asking` is made.

        An addition comes to the same before the choice and after it; a value that is set does not.
        """
        read = asking.get("read") or {}
        held = {*keys} & {*get_track_keys((name for name in read if "." in name), read)}
        if held:
            raise self._make_choice_first_error(Hold(asking["number"], tracks=tuple(sorted(held))))

    def _make_choice_first_error(self, hold: Hold) -> UserError:
        """Return the refusal of what has to wait for a choice; it names what the choice holds."""
        side = self.game.waits[hold.number].get("side")
        what = (
            f"#{hold.number} waits for {side} to choose"
            if side
            else f"#{hold.number} waits for a choice"
        )
        tracks = list_track_titles(hold.tracks, get_systems().get(self.game.system))
        held = [f"{join_names(hold.units)} can be neither used nor changed"] if hold.units else []
        held += [f"{join_names(tracks)} cannot change"] if tracks else []
        first = f"until then {', and '.join(held)}" if held else "that comes first"
        return UserError(f"{what}; {first}.", code="choice-first", about=hold)

    def append(self, body: Json) -> Json:
        """Append a finished body to the chain and move the state on. It is written once, when
        its answer is known.
        """
        self._write()
        self._unwritten = body
        self.has_events = True
        self.bodies.append(body)
        self.game = apply(self.game, body)
        return body

    def _write(self) -> None:
        """Make text and hash of the last event, if they are not made. Raises UserError for too
        large a number.
        """
        if self._unwritten is not None:
            self._add(self._unwritten, format_event(self._unwritten))

    def _add(self, body: Json, text: str) -> None:
        before = self._written[-1].hash if self._written else self._head
        self._unwritten = None
        self._written.append(
            EventRow(self.row, body["number"], text, compute_event_hash(before, text))
        )

    def record_first_line(self, first: str, quoted: Iterable[TextRow] = ()) -> None:
        """Let the last event keep the first line of its answer: its hash in the chain, the words
        beside it, with marks for names and for free texts (its own and those `quoted`). What is
        said of an event once stays."""
        body = self.bodies[-1]
        if SAID in body:
            return
        if self._unwritten is None:  # somebody has read it: it is written anew
            self._written.pop()
        number = body["number"]
        own = (text for text in self.new_texts if text.event == number and text.person)
        texts = ((text.event, text.key, text.text) for text in (*own, *quoted))
        names = {person.person: person.name for person in self.persons.values()}
        body[SAID], blank = "?", f'"{SAID}":"?"'  # so that its text is made but once
        text = format_event(body)
        words = mark_names(first, text.replace(f"{blank},", ""), names, texts)
        body[SAID] = hash_first_line(words)
        self._add(body, text.replace(blank, f'"{SAID}":"{body[SAID]}"'))
        self.new_texts.append(TextRow(self.row, number, SAID, "", words))

    def copy(self, rows: Sequence[tuple[Json, str, str]], game: str) -> None:
        """Take over events from elsewhere as they are: (body, its canonical text, its hash) in
        order.
        """
        self.row = self.row or create_id()
        self.game = Game(game)
        for body, text, hash_ in rows:
            self.has_events = True
            self._written.append(EventRow(self.row, body["number"], text, hash_))
            self.game = apply(self.game, body)

    def count_written_characters(self) -> int:
        """Return how many characters of events and texts were written."""
        return sum(len(row.body) for row in self.events) + sum(
            len(row.text) for row in self.new_texts
        )

    def build_change(self) -> GameChange | None:
        """What the store has to write for this game, with a snapshot now and then; None where
        nothing happened.
        """
        if not self.has_events:
            return (
                GameChange(self.row, self.was.version)
                if self.is_touched and self.was is not None
                else None
            )
        version, at = self._get_previous_version()
        is_due = self.game.number - at >= SNAPSHOT_EVERY
        return GameChange(
            self.row, version, tuple(self.events), to_json(self.game) if is_due else None
        )

    def _get_previous_version(self) -> tuple[int, int]:
        """Version and last snapshot of the game as it was loaded; 0 for a new one."""
        if self.was is None or self.was.row != self.row:
            return 0, 0
        return self.was.version, self.was.snapshot_at

    def build_loaded_game(self, places: tuple[str, ...]) -> LoadedGame:
        """The game as it is loaded once the change has been committed."""
        assert self.has_events
        assert self.seed is not None
        version, at = self._get_previous_version()
        return LoadedGame(
            row=self.row,
            game=self.game,
            version=version + 1,
            head=self.head,
            persons=self.persons,
            seed=self.seed,
            places=places,
            snapshot_at=self.game.number if self.game.number - at >= SNAPSHOT_EVERY else at,
            has_board=self.was is not None and self.was.row == self.row and self.was.has_board,
            is_unasked=self._is_unasked(),
            shown=self.shown,
            done_under=self.done_under,
            hands=self.hands,
        )

    def _is_unasked(self) -> bool:
        """Return whether nobody can have asked for anything: nobody had, or what they asked for is
        over.
        """
        if self.was is None or self.was.row != self.row:
            return True
        return self.was.is_unasked or self.is_unasked


_BARE = ("closed",)
"""Fields that an event has empty, too: cards were taken from the known top, without a die."""
