"""The events that one command writes onto a loaded game, and everything stored along with them."""

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
from bot.game.game_log import IMPORTED, DiceSeed, GameChange, LoggedEvent, LoggedText, Participant
from bot.game.loaded_game import (
    HANDS,
    SNAPSHOT_EVERY,
    DoneButton,
    LoadedGame,
    StoredHands,
    find_person,
    is_imported,
)
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
from bot.rulesets.rule_sets import RuleSets
from bot.runtime.entropy import create_id, create_salt, create_seed

MOST_NAMES = 12
_KEPT_EMPTY = ("closed",)
"""Fields that an event keeps when empty: cards were taken from the known top, without a die."""


class EventWriter(NamedTuple):
    """The author of events: the platform's user, their visible name, and the time in Unix seconds."""

    user: str
    name: str
    now: float


class Ledger:
    """The new events of one command in one game.

    Nothing is stored before the app commits `build_change()` and the new persons, texts and seeds.
    """

    def __init__(self, loaded: LoadedGame | None, writer: EventWriter, systems: RuleSets) -> None:
        self.writer = writer
        self.systems = systems
        """The rule sets that the command sees."""
        self.loaded = loaded
        """The game as it was loaded, None if the command began without one."""
        self.row = loaded.row if loaded else ""
        """Its id in the store; "" while no game is loaded or begun."""
        self._head = loaded.head if loaded else ""
        self.game: Game = loaded.game if loaded else Game("")
        self.game_before = self.game
        """The game as it was loaded; an empty one if it is new."""
        self.places = loaded.places if loaded else ()
        """The places in which the loaded game is played."""
        self.persons: dict[str, Participant] = dict(loaded.persons) if loaded else {}
        self.seed: DiceSeed | None = loaded.seed if loaded else None
        self._written: list[LoggedEvent] = []
        self.bodies: list[Json] = []
        self.has_events = False
        self._unwritten: Json | None = None
        """The last event, while it may still get what its answer says."""
        self.new_persons: dict[str, Participant] = {}
        self.new_texts: list[LoggedText] = []
        self.hands = loaded.hands if loaded else StoredHands()
        """The closed hands after the last event that moved closed cards."""
        self.new_seeds: dict[int, DiceSeed] = {}
        self._claimed = ""
        self.digits_event = loaded.digits_event if loaded else 0
        """The last event whose answer had digits of the head; -1 if that is not known."""
        self.done_button = loaded.done_button if loaded else DoneButton()
        """The last shot that has *Done* under it."""
        self.plays = ""
        """The side that plays itself and whose act the next events are; "" for the writer's own."""
        self.order = ""
        """The order that these events carry out; "" for none."""
        self.is_touched = False
        """Whether the game's version counts up without an event, so that no process goes on with its
        cached game."""
        self.is_unasked = False
        """Whether somebody has looked for open requests, and there are none."""

    @property
    def events(self) -> list[LoggedEvent]:
        """Return the new events as the store takes them, with their hashes.

        This computes the text and hash of the last event if they are missing. Raise UserError if it
        has a number too large for the log.
        """
        self._write()
        return self._written

    @property
    def head(self) -> str:
        """Return the hash of the last event, which covers all events before it."""
        return self.events[-1].hash if self.has_events else self._head

    @property
    def next_number(self) -> int:
        """Return the number of the next event."""
        return self.game.number + 1

    def ensure_person(self) -> str:
        """Return the writer's person id in this game.

        Create the person if there is none, and update a name that has changed.
        """
        writer = self._find_writer()
        if writer is None or writer.name != self.writer.name:
            person = writer.person if writer is not None else create_id()
            writer = Participant(self.row, person, self.writer.user, self.writer.name)
            self.persons[person] = writer
            self.new_persons[person] = writer
        return writer.person

    def find_person(self) -> str:
        """Return the writer's person id in this game, or "" if they have none."""
        writer = self._find_writer()
        return writer.person if writer is not None else ""

    def claim(self, imported: Participant) -> None:
        """Make the writer this person of an imported log from now on."""
        person = imported.person
        self._claimed = person
        claimed = imported._replace(user=self.writer.user, name=self.writer.name)
        self.persons[person] = claimed
        self.new_persons[person] = claimed

    def find_own_import(self) -> Participant | None:
        """Return the unclaimed person of an imported log whose key is that of the writer's account.

        Return None if there is none.
        """
        user = IMPORTED + compute_person_key(self.game.id, self.writer.user)
        return next((person for person in self.persons.values() if person.user == user), None)

    def _find_writer(self) -> Participant | None:
        return self.persons.get(self._claimed) or find_person(
            self.writer.user, self.persons, self.game
        )

    def list_present_persons(self) -> frozenset[str]:
        """Return one person id for each account that took part.

        People who are known only from an imported file are left out.
        """
        users = {person.user for person in self.persons.values() if not is_imported(person)}
        persons = (find_person(user, self.persons, self.game) for user in users)
        return frozenset(person.person for person in persons if person is not None)

    def list_unclaimed_names(self) -> str:
        """Return the unclaimed names of an imported file in one text, "" if there are none."""
        names = sorted(person.name for person in self.persons.values() if is_imported(person))
        text = ", ".join(names[:MOST_NAMES])
        extra_count = len(names) - MOST_NAMES
        if extra_count > 0:
            text += f" and {extra_count} more"
        return text

    def get_name(self, person: str) -> str:
        """Return the name of a person of this game, `someone` for an unknown one.

        An unclaimed name from a file is marked as imported.
        """
        participant = self.persons.get(person)
        if participant is None:
            return "someone"
        name = participant.name
        return f"{name} (imported)" if is_imported(participant) else name

    def list_players(self, *sides: str) -> list[str]:
        """Return the names of the players of these sides."""
        return [
            self.get_name(person) for person, side in self.game.players.items() if side in sides
        ]

    def begin(
        self, game: Game | None = None, prepared: PreparedSeed | None = None, **fields: Any
    ) -> Json:
        """Begin a new game with event 1, which publishes the commitment to its first seed.

        Return the event.
        """
        self.row = prepared.game if prepared is not None else create_id()
        self.hands = StoredHands()
        self._head = compute_genesis(self.row)
        self.game = Game(self.row)
        self.game_before = Game("")
        start = self.game
        if game is not None:
            start = replace(game, id=self.row, master=self.ensure_person())
        secret = self.create_secret(prepared)
        return self.add("start", start, game=self.row, secret=secret, **fields)

    def create_secret(self, prepared: PreparedSeed | None = None) -> Json:
        """Put a new seed, or the prepared one, in force after the next event.

        Return what that event publishes of it: its epoch and commitment.
        """
        seed = prepared.seed if prepared is not None else create_seed()
        epoch = self.game.epoch + 1
        commitment = compute_commitment(seed)
        first_event = self.next_number + 1
        self.seed = DiceSeed(self.row, epoch, seed, commitment, first_event, (), NO_TEXTS)
        self.new_seeds[epoch] = self.seed
        secret: Json = {
            "epoch": epoch,
            "commitment": commitment,
            "digest": NO_TEXTS,
            "closing": True,
            "protocol": PROTOCOL,
        }
        if prepared is not None:
            secret["announced"] = prepared.announced
        return secret

    def change_seed(self, seed: DiceSeed) -> None:
        """Store a changed seed: with more texts, or as revealed."""
        self.new_seeds[seed.epoch] = seed
        if self.seed is not None and self.seed.epoch == seed.epoch:
            self.seed = seed

    def create_dice_source(self) -> Stream:
        """Create the source of provable dice for the next event."""
        assert self.seed is not None
        game = self.game
        return Stream(self.seed.seed, game.id, self.next_number, game.digest)

    def add_salted_text(self, key: str, text: str, *, owned: bool = True) -> str:
        """Store a text of the next event outside the chain. Return its salted hash, for the chain.

        A text that is not `owned` stays when the writer has their texts deleted.
        """
        salt = create_salt()
        owner = self.ensure_person() if owned else ""
        self.new_texts.append(LoggedText(self.row, self.next_number, key, salt, text, owner))
        return hash_salted(salt, text)

    def keep_hands(self, hands: Hands) -> None:
        """Store the contents of the closed hands after the next event."""
        text = to_canonical(hands)
        self.hands = StoredHands(self.next_number, text)
        self.new_texts.append(LoggedText(self.row, self.next_number, HANDS, "", text))

    def add(
        self,
        kind: str,
        new_game: Game | None = None,
        *,
        texts: Mapping[str, str] | None = None,
        hidden: Mapping[str, str] | None = None,
        side: str | None = None,
        cards: Out | None = None,
        **fields: Any,
    ) -> Json:
        """Append an event and return its body.

        The event leads to `new_game`, or to the present game with these `cards`. `texts` and `hidden`
        are stored outside the chain, under their salted hashes. `hidden` texts belong to nobody.

        Raise UserError if a choice has to be made first.
        """
        person = self.ensure_person()
        if side is None:
            side = self.plays or self.game.players.get(person, "")
        body: Json = {
            "number": self.next_number,
            "at": int(self.writer.now),
            "who": person,
            "side": side,
            "kind": kind,
            "behind": self.game.last,
        }
        if self.plays:
            body["plays"] = True
            if self.order and kind != "pass":
                body["order"] = self.order
        for name, value in fields.items():
            if value or name in _KEPT_EMPTY or type(value) in (int, float):
                body[name] = value
        if texts or hidden:
            body["texts"] = self._add_texts(texts or {}, hidden or {})
        if new_game is not None or cards is not None:
            body |= self._build_patch(kind, new_game, cards)
        hold = find_event_hold(self.game, body) if self.game.waits else None
        if hold is not None:
            raise self._make_choice_first_error(hold)
        if self.game.redo and is_passed_over(body):
            body["keeps"] = True
        return self.append(body)

    def _add_texts(self, texts: Mapping[str, str], hidden: Mapping[str, str]) -> dict[str, str]:
        """Store the texts of the next event outside the chain. Return their salted hashes by key."""
        hashes = {key: self.add_salted_text(key, text) for key, text in texts.items() if text}
        for key, text in hidden.items():
            hashes[key] = self.add_salted_text(key, text, owned=False)
        return hashes

    def _build_patch(self, kind: str, new_game: Game | None, cards: Out | None) -> Json:
        """Return `before`, `after` and `extends` of an event, only those that are not empty."""
        patch: Json = {}
        if new_game:
            before, after = compute_difference(self.game, new_game)
        else:
            before, after = compute_card_difference(self.game.cards, cards or {})
        if before or after:
            patch |= {"before": before, "after": after}
        has_new_packs = new_game is not None and new_game.packs != self.game.packs
        if new_game is not None and has_new_packs and kind not in ("undo", "redo"):
            extends = get_extensions(self.game, new_game.packs, self.systems)
            if extends:
                patch["extends"] = extends
        return patch

    def need_choice_made(self) -> None:
        """Raise UserError while a choice is pending."""
        self.need_free(CommandReach(is_all=True))

    def need_free(self, reach: CommandReach, answered_event: int = 0) -> None:
        """Raise UserError if a pending choice holds anything in `reach`.

        The choice of event `answered_event` does not count.
        """
        hold = find_hold(self.game, reach, answered_event)
        if hold is not None:
            raise self._make_choice_first_error(hold)

    def need_settable(self, asking: Mapping[str, Any], keys: Iterable[str]) -> None:
        """Raise UserError if a pending choice depends on one of the tracks to be set.

        `asking` is the event that waits for it, and `keys` are those of the tracks. A value that is
        set before the choice has another result than after it. An addition does not.
        """
        track_values = asking.get("read") or {}
        held_keys = {*keys} & {
            *get_track_keys((name for name in track_values if "." in name), track_values)
        }
        if held_keys:
            raise self._make_choice_first_error(
                Hold(asking["number"], tracks=tuple(sorted(held_keys)))
            )

    def _make_choice_first_error(self, hold: Hold) -> UserError:
        """Build the error for a command that has to wait for a choice. It names what is held."""
        side = self.game.waits[hold.number].get("side")
        wait = f"#{hold.number} waits for a choice"
        if side:
            wait = f"#{hold.number} waits for {side} to choose"
        tracks = list_track_titles(hold.tracks, self.systems.get(self.game.system))
        limits = list[str]()
        if hold.units:
            limits.append(f"{join_names(hold.units)} can be neither used nor changed")
        if tracks:
            limits.append(f"{join_names(tracks)} cannot change")
        reason = f"until then {', and '.join(limits)}" if limits else "that comes first"
        return UserError(f"{wait}; {reason}.", code="choice-first", about=hold)

    def append(self, body: Json) -> Json:
        """Append a finished body to the chain and apply it to the game.

        The body is written once, when its answer is known.
        """
        self._write()
        self._unwritten = body
        self.has_events = True
        self.bodies.append(body)
        self.game = apply(self.game, body)
        return body

    def _write(self) -> None:
        """Compute the text and hash of the last event, unless they are there.

        Raise UserError for too large a number.
        """
        if self._unwritten is not None:
            self._add(self._unwritten, format_event(self._unwritten))

    def _add(self, body: Json, text: str) -> None:
        """Add the last event, with its text and hash, to those to store."""
        previous_hash = self._written[-1].hash if self._written else self._head
        self._unwritten = None
        self._written.append(
            LoggedEvent(self.row, body["number"], text, compute_event_hash(previous_hash, text))
        )

    def record_first_line(self, line: str, quoted: Iterable[LoggedText] = ()) -> None:
        """Record the first line of the answer with the last event, unless one is recorded.

        Its hash goes into the chain. Its words are stored outside, with marks for names and for free
        texts (those of the event, and those `quoted`).
        """
        body = self.bodies[-1]
        if SAID in body:
            return
        if self._unwritten is None:  # somebody has read it, so write it again
            self._written.pop()
        number = body["number"]
        own_texts = (text for text in self.new_texts if text.event == number and text.person)
        texts = ((text.event, text.key, text.text) for text in (*own_texts, *quoted))
        names = {person.person: person.name for person in self.persons.values()}
        body[SAID] = "?"  # a placeholder, so that the text is made only once
        blank = f'"{SAID}":"?"'
        text = format_event(body)
        words = mark_names(line, text.replace(f"{blank},", ""), names, texts)
        body[SAID] = hash_first_line(words)
        self._add(body, text.replace(blank, f'"{SAID}":"{body[SAID]}"'))
        self.new_texts.append(LoggedText(self.row, number, SAID, "", words))

    def copy(self, rows: Sequence[tuple[Json, str, str]], game: str) -> None:
        """Copy events from elsewhere unchanged. `rows` are (body, canonical text, hash) in order."""
        self.row = self.row or create_id()
        self.game = Game(game)
        for body, text, hash_ in rows:
            self.has_events = True
            self._written.append(LoggedEvent(self.row, body["number"], text, hash_))
            self.game = apply(self.game, body)

    def count_written_characters(self) -> int:
        """Return how many characters of events and texts were written."""
        event_count = sum(len(event.body) for event in self.events)
        text_count = sum(len(text.text) for text in self.new_texts)
        return event_count + text_count

    def build_change(self) -> GameChange | None:
        """Build the change of this game for the store, None if nothing happened.

        It includes a snapshot if one is due.
        """
        if not self.has_events:
            if self.is_touched and self.loaded is not None:
                return GameChange(self.row, self.loaded.version)
            return None
        version, snapshot_at = self._get_previous_version()
        is_due = self.game.number - snapshot_at >= SNAPSHOT_EVERY
        snapshot = to_json(self.game) if is_due else None
        return GameChange(self.row, version, tuple(self.events), snapshot)

    def _get_previous_version(self) -> tuple[int, int]:
        """Return the version and the last snapshot of the game as loaded, (0, 0) for a new game."""
        if self.loaded is None or self.loaded.row != self.row:
            return 0, 0
        return self.loaded.version, self.loaded.snapshot_at

    def build_loaded_game(self, places: tuple[str, ...]) -> LoadedGame:
        """Build the loaded game for the time after the change is committed."""
        assert self.has_events
        assert self.seed is not None
        version, snapshot_at = self._get_previous_version()
        if self.game.number - snapshot_at >= SNAPSHOT_EVERY:
            snapshot_at = self.game.number
        is_same_row = self.loaded is not None and self.loaded.row == self.row
        return LoadedGame(
            row=self.row,
            game=self.game,
            version=version + 1,
            head=self.head,
            persons=self.persons,
            seed=self.seed,
            places=places,
            snapshot_at=snapshot_at,
            has_board=is_same_row and self.loaded is not None and self.loaded.has_board,
            is_unasked=self._is_unasked(),
            digits_event=self.digits_event,
            done_button=self.done_button,
            hands=self.hands,
        )

    def _is_unasked(self) -> bool:
        """Return whether no request to undo can be open."""
        if self.loaded is None or self.loaded.row != self.row:
            return True
        return self.loaded.is_unasked or self.is_unasked
