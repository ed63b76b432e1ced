"""Whether an exported log is honest: chain, commitments, texts and dice are computed again, and
hashes that somebody kept from a chat (`#41 1c9e06d2`, or whole pasted messages) are compared with
it.

Nothing is believed that the chain does not cover; and of the chain, only a head known from
elsewhere shows that its end was not cut off. What events may hold, and whether they follow on each
other, is decided in `bot/verification/check_file.py`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.game.event_kinds import is_number, names_card, shorten_value
from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.proof.chain import (
    SAID,
    SEALED,
    SHORT,
    compute_event_hash,
    compute_genesis,
    hash_first_line,
    hash_salted,
    to_canonical,
)
from bot.rules.proof.fair import (
    MAX_SIDES,
    NO_TEXTS,
    PROTOCOL,
    Stream,
    compute_commitment,
    compute_digest,
)
from bot.rules.text.phrase import phrase
from bot.verification.export_format import Exported, ExportedEvent

ENOUGH = 16
"""Hex digits that nobody can forge; eight can be tried out in minutes."""
_NUMBERED = re.compile(r"#(\d{1,9})[ \t\u00a0]*+(?:[·|,][ \t\u00a0]*+)?[`*]*+([0-9a-fA-F]{8,64})\b")
_BARE = re.compile(r"[0-9a-f]+")


class EventHead(NamedTuple):
    """The first digits of an event's hash; `number` 0 where nobody knows which event's."""

    number: int
    digits: str


def read_heads(texts: Iterable[str]) -> tuple[EventHead, ...]:
    """The heads in texts: one bare hash each, or any text with `#number hash` in it.

    Raises UserError for a text in which there is none.
    """
    found: dict[EventHead, None] = {}
    for text in texts:
        bare = text.strip().lower()
        if _BARE.fullmatch(bare) and SHORT <= len(bare) <= 64:
            found[EventHead(0, bare)] = None
            continue
        numbered = [
            EventHead(int(number), digits.lower()) for number, digits in _NUMBERED.findall(text)
        ]
        if not numbered or any(head.number == 0 for head in numbered):
            raise UserError(
                f"A head has {SHORT} to 64 hex digits; this is not one: {' '.join(text.split())[:70]}",
                hint=phrase(
                    "It is under the cards of start, turn, phase and hand-over, under undo and sealed rolls "
                    "(#41 · 1c9e06d2a4b80f13), and in `/fair show`."
                ),
                code="bad-head",
            )
        found |= dict.fromkeys(numbered)
    return tuple(found)


def find_head_faults(heads: Iterable[EventHead], game: str, hashes: Sequence[str]) -> Iterator[str]:
    """A line for each head that does not fit a log with these hashes of its events."""
    for head in heads:
        if not head.number:
            if not any(hash.startswith(head.digits) for hash in (*hashes, compute_genesis(game))):
                yield f"No event has the head {head.digits}: the end was cut off, or the log rewritten."
        elif head.number > len(hashes):
            known = f"#{head.number} {head.digits}"
            yield f"The log ends with event {len(hashes)}, but {known} is known: its end was cut off."
        elif not hashes[head.number - 1].startswith(head.digits):
            known = hashes[head.number - 1][: len(head.digits)]
            yield f"Event {head.number} has the hash {known}, not {head.digits}: the log was rewritten."


def list_head_remarks(heads: Sequence[EventHead], hashes: Sequence[str] = ()) -> Iterator[str]:
    """What to know of heads that fit: how many, and how much of the log they hold."""
    if not heads:
        return
    covered = 0
    trusted = -1  # the same, by heads that nobody can forge
    for head in heads:
        known = (number for number, hash in enumerate(hashes, 1) if hash.startswith(head.digits))
        number = head.number or next(known, 0)
        covered = max(covered, number)
        if len(head.digits) >= ENOUGH:
            trusted = max(trusted, number)
    if hashes:
        fit = "1 head fits: it holds" if len(heads) == 1 else f"{len(heads)} heads fit: they hold"
        yield f"{fit} {covered} of {len(hashes)} events."
    if trusted < covered:
        yield "8 digits of a head can be forged in minutes: give one with 16."


# -- the proof of a whole log

MOST_FAULTS = 50
"""After so many, one more line says how many there were."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a check found: `faults`, one line each (none: honest), and how much could be checked.

    `remarks` are no faults, but worth knowing.
    """

    faults: tuple[str, ...]
    events: int
    dice: int  # computed again
    waiting: int  # dice whose seed is not published yet
    by_hand: int  # real dice, which nobody can compute
    sealed: int  # events that are still closed
    unread: int = 0  # digests of players' texts that were deleted
    played: int = 0  # outcomes worked out again
    unplayed: int = 0  # outcomes of other tables than today's
    apart: int = 0  # the dice of those
    unplayed_at: tuple[int, ...] = ()  # the events whose outcomes they are
    remarks: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        """The exit status: 0 sound, 1 faults, 3 sound as far as can be seen."""
        return 1 if self.faults else 3 if self.unplayed else 0


@dataclass(slots=True)
class _Epoch:
    """A seed as the chain promised it."""

    commitment: str
    event: int  # that published the commitment
    protocol: int  # 0 for one that this release does not know
    seed: bytes = b""


@dataclass(slots=True)
class _Texts:
    """The players' texts of one seed: those known one by one, or None, and the digest that
    stands for all.
    """

    digest: str = NO_TEXTS
    known: list[str] | None = None
    closed: bool = False
    wiped: bool = False


def check_proof(log: Exported, heads: Iterable[str] = ()) -> Findings:
    """Check chain, heads, commitments, texts and dice of a log. Raises UserError for a head that
    is none.
    """
    return _Check(log).run(tuple(heads))


class _Check:
    """One check under way."""

    def __init__(self, log: Exported) -> None:
        self._log = log
        self._faults: list[str] = []
        self._epochs: dict[int, _Epoch] = {}
        self._texts = {(text.event, text.key): text for text in log.texts}
        self._digests: dict[int, str] = {}  # in force at the dice of an event
        self._dice = self._waiting = self._by_hand = self._sealed = self._unread = 0

    def run(self, heads: Sequence[str]) -> Findings:
        """All checks in turn."""
        known = read_heads(heads)
        self._check_chain()
        self._faults += find_head_faults(
            known, self._log.game, [event.hash for event in self._log.events]
        )
        self._check_promises()
        self._check_seeds()
        self._check_texts()
        self._check_dice()
        faults = self._faults[:MOST_FAULTS]
        if len(self._faults) > MOST_FAULTS:
            faults.append(f"... and {len(self._faults) - MOST_FAULTS} more.")
        return Findings(
            tuple(faults),
            events=len(self._log.events),
            dice=self._dice,
            waiting=self._waiting,
            by_hand=self._by_hand,
            sealed=self._sealed,
            unread=self._unread,
            remarks=(
                *list_head_remarks(known, [event.hash for event in self._log.events]),
                *self._check_beginning(),
            )
            if not faults
            else (),
        )

    def _check_beginning(self) -> Iterator[str]:
        """Yield a remark if nobody could see the first seed's commitment before the game began."""
        first = self._log.events[0].body if self._log.events else {}
        if first.get("unannounced"):
            yield "Event 1: nobody could see the commitment of this free play ahead."

    def _fault(self, event: int, problem: str) -> None:
        self._faults.append(f"Event {event}: {problem}")

    def _check_chain(self) -> None:
        """Each event follows on the one before, its hash covers it, and the file ends where it
        says it ends.
        """
        previous = compute_genesis(self._log.game)
        expected = 1
        for event in self._log.events:
            inner = event.body.get("number")
            if event.number != expected:
                self._fault(
                    event.number,
                    f"out of place, event {expected} should be here (removed or moved?).",
                )
            elif type(inner) is not int or inner != event.number:
                self._fault(
                    event.number, f"its content says that it is event {shorten_value(inner)}."
                )
            if _compute_hash(previous, event) != event.hash:
                self._fault(
                    event.number, "the hash does not fit (it, or something before it, was changed)."
                )
            previous = event.hash
            expected = event.number + 1
        if self._log.head != previous:
            self._faults.append(
                f"The file says that its head is {shorten_value(self._log.head)}, but it ends with {previous}."
            )

    def _check_promises(self) -> None:
        """Collect the commitments that the events published; texts may change only until they
        are closed.
        """
        texts: _Texts | None = None
        for event in self._log.events:
            self._digests[event.number] = texts.digest if texts is not None else NO_TEXTS
            secret = event.body.get("secret")
            if isinstance(secret, Mapping):
                if "commitment" in secret:
                    self._promise(event.number, secret)
                    texts = _Texts(known=[])
                elif texts is not None:
                    self._change_texts(event, secret, texts)
            if texts is not None:
                texts.closed |= bool(event.body.get("closes"))
                texts.wiped |= event.body.get("kind") == "privacy"

    def _promise(self, number: int, secret: Mapping[str, Any]) -> None:
        promised = str(secret["commitment"])
        epoch = secret.get("epoch")
        following = len(self._epochs) + 1
        protocol = secret.get("protocol")
        if type(protocol) is not int or protocol != PROTOCOL:
            self._fault(number, f"its dice have no protocol {shorten_value(protocol)}.")
            protocol = 0
        if type(epoch) is not int or epoch != following:
            self._fault(
                number, f"it begins seed {shorten_value(epoch)}, but the next one is {following}."
            )
        if any(promised == earlier.commitment for earlier in self._epochs.values()):
            self._fault(number, "it promises a seed that was promised before.")
        self._epochs[following] = _Epoch(promised, number, protocol)

    def _change_texts(self, event: ExportedEvent, secret: Mapping[str, Any], texts: _Texts) -> None:
        """A text is added to the dice: the digest is that of all of them, as far as they are in the
        file.

        Whose texts were deleted in between still have their part: the digest of before stands for
        them.
        """
        if texts.closed:
            self._fault(event.number, "players' texts were changed after they were closed.")
        given = secret.get("digest")
        added = self._texts.get((event.number, "text"))
        further = [] if added is None else [added.text]
        whole = None if texts.known is None else [*texts.known, *further]
        again = [texts.digest, *further] if texts.wiped else None
        texts.digest = str(given)
        if added is not None and whole is not None and compute_digest(whole) == given:
            texts.known = whole
        elif added is not None and again is not None and compute_digest(again) == given:
            texts.known = again
        elif added is not None and texts.known is not None:
            self._fault(
                event.number, "the digest of the players' texts is not that of their texts."
            )
        else:
            self._unread += 1
            texts.known = None

    def _check_seeds(self) -> None:
        """The seeds in the file are those that the chain promised."""
        for row in self._log.seeds:
            epoch = self._epochs.get(row.epoch)
            if epoch is None:
                self._faults.append(f"Seed {row.epoch}: no event published its commitment.")
            elif row.commitment != epoch.commitment:
                self._faults.append(
                    f"Seed {row.epoch}: its commitment is not the one of event {epoch.event}."
                )
            elif row.seed and compute_commitment(row.seed) != epoch.commitment:
                self._faults.append(
                    f"Seed {row.epoch}: it is not the one promised in event {epoch.event}."
                )
            else:
                epoch.seed = row.seed or epoch.seed
        for event in self._log.events:
            self._check_published(event)

    def _check_published(self, event: ExportedEvent) -> None:
        """An event that publishes a seed has the one that was promised; it need not be in the
        list of seeds.
        """
        told = event.body.get("revealed")
        if not isinstance(told, Mapping):
            return
        epoch = self._epochs.get(told["epoch"]) if isinstance(told.get("epoch"), int) else None
        try:
            seed = bytes.fromhex(str(told.get("seed", "")))
        except ValueError:
            seed = b""
        if epoch is None or compute_commitment(seed) != epoch.commitment:
            self._fault(
                event.number, "the seed that it publishes is not the one that was promised."
            )
        else:
            epoch.seed = seed

    def _check_texts(self) -> None:
        """Each text is the one whose salted hash is in its event."""
        bodies = {event.number: event.body for event in self._log.events}
        for text in self._log.texts:
            body = bodies.get(text.event, {})
            promised = self._find_promised_hash(body, text.event, text.key)
            if promised is None:
                self._fault(
                    text.event,
                    f"it has no text {shorten_value(text.key)}, but the file has one for it.",
                )
            elif (
                hash_first_line(text.text)
                if text.key == SAID
                else hash_salted(text.salt, text.text)
            ) != promised:
                self._fault(text.event, f"the text {shorten_value(text.key)} was changed.")
            elif "\n" in text.salt:  # with a part of the text in it, that could be cut
                self._fault(
                    text.event,
                    f"the text {shorten_value(text.key)} has no salt as Grognard writes it.",
                )
            elif text.person and text.person != body.get("who", text.person):
                self._fault(
                    text.event,
                    f"the text {shorten_value(text.key)} is said to be another person's.",
                )

    def _find_promised_hash(self, body: Mapping[str, Any], number: int, key: str) -> object:
        """The hash of a text as the event, or what was sealed in it, has it; None if it has
        none.
        """
        if key in (SEALED, SAID):
            return body.get(key)
        for part in (body, self._read_sealed_content(number)):
            texts = part.get("texts")
            if isinstance(texts, Mapping) and key in texts:
                return texts[key]
        return None

    def _read_sealed_content(self, number: int) -> Mapping[str, Any]:
        """The content of a sealed event as far as it is in the file."""
        text = self._texts.get((number, SEALED))
        try:
            content = json.loads(text.text) if text is not None else {}
        except (ValueError, RecursionError):
            content = {}
        return content if isinstance(content, Mapping) else {}

    def _check_dice(self) -> None:
        """Every die that was rolled shows what its seed gives."""
        current: _Epoch | None = None
        promised = {epoch.event: epoch for epoch in self._epochs.values()}
        for event in self._log.events:
            sealed = "sealed" in event.body
            content = self._read_sealed_content(event.number) if sealed else event.body
            if "closed" in event.body or any(map(names_card, _as_list(event.body.get("dice")))):
                content = self._read_closed_dice(event)
                sealed = not content
            self._sealed += sealed and (event.number, SEALED) not in self._texts
            dice = content.get("dice")
            if dice:
                self._check_event_dice(
                    event.number, dice, current, by_hand=content.get("hand") is True
                )
            # in force behind the event that promises it
            current = promised.get(event.number, current)

    def _read_closed_dice(self, event: ExportedEvent) -> Mapping[str, Any]:
        """The dice of an event that closed faces, those by their own texts; {} where one of these
        is not in the file. A card of known place came without a die."""
        id = event.body.get("deck")
        found = list[object]()
        closed = [
            {"label": id, "sides": sides, "value": "", "deck": id}
            for sides in _as_list(event.body.get("closed"))
        ]
        for at, die in enumerate(closed or _as_list(event.body.get("dice")), 1):
            if names_card(die) and die.get("sides", 1) != 0:
                row = self._texts.get((event.number, f"face.{at}"))
                if row is None or not re.fullmatch("[0-9]{1,9}", row.text):
                    return {}
                found.append({**die, "value": int(row.text)})
            elif not names_card(die):
                found.append(die)
        return {"dice": found}

    def _check_event_dice(
        self, number: int, notes: object, epoch: _Epoch | None, *, by_hand: bool
    ) -> None:
        dice = list(_read_dice(notes))
        if None in dice:
            self._fault(number, "its dice cannot be read.")
        elif by_hand:
            self._by_hand += len(dice)
        elif epoch is None:
            self._fault(number, "dice were rolled before any commitment was published.")
        elif not (epoch.seed and epoch.protocol):
            self._waiting += len(dice)
        else:
            stream = Stream(epoch.seed, self._log.game, number, self._digests[number])
            for at, entry in enumerate(dice, 1):
                assert entry is not None
                die, shows = entry
                given = stream.draw(die)
                if given != shows or type(given) is not type(shows):
                    self._fault(
                        number,
                        f"die {at} ({shorten_value(die.label)}) shows {shorten_value(shows)}, the seed gives {given}.",
                    )
            self._dice += len(dice)


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _compute_hash(previous: str, event: ExportedEvent) -> str:
    """The event's hash, or "" for a body that has no canonical text."""
    try:
        return compute_event_hash(previous, to_canonical(event.body))
    except (TypeError, RecursionError):
        return ""


def _read_dice(notes: object) -> Iterator[tuple[Die, object] | None]:
    """(die, value) of each note; None for one that is not a die."""
    for note in notes if isinstance(notes, list) else [None]:
        sides = note.get("sides") if isinstance(note, Mapping) else None
        if not isinstance(note, Mapping) or not is_number(sides, 1) or sides > MAX_SIDES:
            yield None
            continue
        faces = note.get("faces")
        if faces is not None and not (isinstance(faces, list) and len(faces) == sides):
            yield None
            continue
        yield (
            Die(str(note.get("label", "")), sides, None if faces is None else tuple(faces)),
            note.get("value"),
        )
