"""The check that an exported log is honest: chain, seeds, texts, dice, and heads from elsewhere.

Everything that the chain covers is computed again. A head is the beginning of an event's hash,
noted from a chat (`#41 1c9e06d2`, or whole pasted messages). Only heads from elsewhere show that the
end of a log was not cut off.

`bot/verification/check_file.py` checks what events may hold, and whether they follow on each other.
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
from bot.verification.export_format import Exported, ExportedEvent, ExportedText

ENOUGH = 16
"""The number of hex digits of a head that nobody can forge. Eight can be forged in minutes."""
_NUMBERED = re.compile(r"#(\d{1,9})[ \t\u00a0]*+(?:[·|,][ \t\u00a0]*+)?[`*]*+([0-9a-fA-F]{8,64})\b")
_BARE = re.compile(r"[0-9a-f]+")


class EventHead(NamedTuple):
    """The first hex digits of an event's hash. `number` is 0 if the event is not known."""

    number: int
    digits: str


def read_heads(texts: Iterable[str]) -> tuple[EventHead, ...]:
    """Read the heads in texts, each once. A text is one hash, or contains `#number hash` anywhere.

    Raises UserError for a text without a head, and for event number 0.
    """
    heads: dict[EventHead, None] = {}
    for text in texts:
        digits = text.strip().lower()
        if _BARE.fullmatch(digits) and SHORT <= len(digits) <= 64:
            heads[EventHead(0, digits)] = None
            continue
        matches = _NUMBERED.findall(text)
        numbered = [EventHead(int(number), digits.lower()) for number, digits in matches]
        if not numbered or any(head.number == 0 for head in numbered):
            raise UserError(
                f"A head has {SHORT} to 64 hex digits; this is not one: {' '.join(text.split())[:70]}",
                hint=phrase(
                    "It is shown below the start, turn, phase and hand-over cards, below undo and sealed rolls "
                    "(#41 · 1c9e06d2a4b80f13), and in `/fair show`."
                ),
                code="bad-head",
            )
        heads |= dict.fromkeys(numbered)
    return tuple(heads)


def find_head_faults(heads: Iterable[EventHead], game: str, hashes: Sequence[str]) -> Iterator[str]:
    """Yield a line for each head that fits none of the hashes of a log's events, given in order.

    A head without a number may be that of any event, or of the beginning of the game.
    """
    for head in heads:
        if not head.number:
            all_hashes = (*hashes, compute_genesis(game))
            if not any(hash.startswith(head.digits) for hash in all_hashes):
                yield f"No event has the head {head.digits}: the end was cut off, or the log rewritten."
        elif head.number > len(hashes):
            noted = f"#{head.number} {head.digits}"
            yield f"The log ends with event {len(hashes)}, but {noted} is known: its end was cut off."
        elif not hashes[head.number - 1].startswith(head.digits):
            digits = hashes[head.number - 1][: len(head.digits)]
            yield f"Event {head.number} has the hash {digits}, not {head.digits}: the log was rewritten."


def list_head_remarks(heads: Sequence[EventHead], hashes: Sequence[str] = ()) -> Iterator[str]:
    """Yield remarks about heads that fit: how many events they secure, and if they could be forged.

    Nothing is yielded without heads. Without `hashes` the number of events is left out.
    """
    if not heads:
        return
    last_covered = 0
    last_trusted = -1  # the same by heads that nobody can forge
    for head in heads:
        number = head.number or _find_event_number(head.digits, hashes)
        last_covered = max(last_covered, number)
        if len(head.digits) >= ENOUGH:
            last_trusted = max(last_trusted, number)
    if hashes:
        fit = "1 head fits: it covers" if len(heads) == 1 else f"{len(heads)} heads fit: they cover"
        yield f"{fit} {last_covered} of {len(hashes)} events."
    if last_trusted < last_covered:
        yield "A head of only 8 digits can be forged in minutes: give 16 digits."


def _find_event_number(digits: str, hashes: Sequence[str]) -> int:
    """Return the number of the first event whose hash starts with these digits, 0 if none does."""
    for number, hash in enumerate(hashes, 1):
        if hash.startswith(digits):
            return number
    return 0


# -- the proof of a whole log

MOST_FAULTS = 50
"""Maximum number of faults in the findings. One more line counts the rest."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a check: faults, one line each, and how much could be checked.

    An honest log has no faults. The numbers count events, dice, digests and outcomes of the log.
    """

    faults: tuple[str, ...]
    events: int
    dice: int
    """Dice that were computed again."""
    waiting: int
    """Dice with a seed that is not published yet."""
    by_hand: int
    """Real dice, which nobody can compute."""
    sealed: int
    """Events that are still closed."""
    unread: int = 0
    """Digests of players' texts that are not in the file any more."""
    played: int = 0
    """Outcomes that were replayed."""
    unplayed: int = 0
    """Outcomes of other tables than today's."""
    unplayed_dice: int = 0
    unplayed_at: tuple[int, ...] = ()
    """The events with those outcomes."""
    remarks: tuple[str, ...] = ()
    """Lines that are no faults, but worth knowing."""

    @property
    def status(self) -> int:
        """The exit status: 0 if all is sound, 1 for faults, 3 if outcomes could not be replayed."""
        if self.faults:
            return 1
        return 3 if self.unplayed else 0


@dataclass(slots=True)
class _Epoch:
    """A seed of the game's dice, promised by a commitment in the chain."""

    commitment: str
    event: int
    """The event that published the commitment."""
    protocol: int
    """The number of the dice protocol, 0 for one that this release does not know."""
    seed: bytes = b""
    """The seed itself, empty until the file publishes it."""


@dataclass(slots=True)
class _Texts:
    """The players' texts for one seed, and the digest of them all."""

    digest: str = NO_TEXTS
    entries: list[str] | None = None
    """The texts that give the digest, None if one of them is missing."""
    closed: bool = False
    wiped: bool = False
    """True if a player had their texts deleted since the seed was promised."""


def check_proof(log: Exported, heads: Iterable[str] = ()) -> Findings:
    """Check chain, seeds, texts and dice of a log, and that the heads fit. Return the findings.

    `heads` are texts, see `read_heads`, which raises UserError for one without a head.
    """
    return _Check(log).run(tuple(heads))


class _Check:
    """A check of one log. `run` collects faults and counts."""

    def __init__(self, log: Exported) -> None:
        self._log = log
        self._faults: list[str] = []
        self._epochs: dict[int, _Epoch] = {}
        self._texts = {(text.event, text.key): text for text in log.texts}
        self._digests: dict[int, str] = {}
        """The digest of the players' texts for the dice of each event."""
        self._dice = 0
        self._waiting = 0
        self._by_hand = 0
        self._sealed = 0
        self._unread = 0

    def run(self, head_texts: Sequence[str]) -> Findings:
        """Make all checks and return the findings. Remarks are left out if there are faults."""
        heads = read_heads(head_texts)
        hashes = [event.hash for event in self._log.events]
        self._check_chain()
        self._faults += find_head_faults(heads, self._log.game, hashes)
        self._check_promises()
        self._check_seeds()
        self._check_texts()
        self._check_dice()
        faults = self._faults[:MOST_FAULTS]
        if len(self._faults) > MOST_FAULTS:
            faults.append(f"... and {len(self._faults) - MOST_FAULTS} more.")
        remarks: list[str] = []
        if not faults:
            remarks += list_head_remarks(heads, hashes)
            remarks += self._list_start_remarks()
        return Findings(
            tuple(faults),
            events=len(self._log.events),
            dice=self._dice,
            waiting=self._waiting,
            by_hand=self._by_hand,
            sealed=self._sealed,
            unread=self._unread,
            remarks=tuple(remarks),
        )

    def _list_start_remarks(self) -> Iterator[str]:
        """Yield a remark if nobody could see the first seed's commitment before the game began.

        The first event then has the field `unannounced`.
        """
        first = self._log.events[0].body if self._log.events else {}
        if first.get("unannounced"):
            yield "Event 1: nobody could see the commitment of this free play in advance."

    def _fault(self, event: int, problem: str) -> None:
        self._faults.append(f"Event {event}: {problem}")

    def _check_chain(self) -> None:
        """Check the numbers and hashes of all events, and that the last hash is the file's head."""
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
                    event.number,
                    "the hash does not match (it, or something before it, was changed).",
                )
            previous = event.hash
            expected = event.number + 1
        if self._log.head != previous:
            self._faults.append(
                f"The file says that its head is {shorten_value(self._log.head)}, but it ends with {previous}."
            )

    def _check_promises(self) -> None:
        """Collect the promised seeds, and the digest of players' texts for each event's dice.

        Players may add texts to a seed until these are closed.
        """
        texts: _Texts | None = None
        for event in self._log.events:
            self._digests[event.number] = NO_TEXTS if texts is None else texts.digest
            secret = event.body.get("secret")
            if isinstance(secret, Mapping):
                if "commitment" in secret:
                    self._add_promise(event.number, secret)
                    texts = _Texts(entries=[])
                elif texts is not None:
                    self._add_text(event, secret, texts)
            if texts is not None:
                texts.closed |= bool(event.body.get("closes"))
                texts.wiped |= event.body.get("kind") == "privacy"

    def _add_promise(self, number: int, secret: Mapping[str, Any]) -> None:
        """Check the protocol, number and commitment of a promised seed, and add it."""
        commitment = str(secret["commitment"])
        epoch = secret.get("epoch")
        expected_epoch = len(self._epochs) + 1
        protocol = secret.get("protocol")
        if type(protocol) is not int or protocol != PROTOCOL:
            self._fault(number, f"its dice do not use protocol {shorten_value(protocol)}.")
            protocol = 0
        if type(epoch) is not int or epoch != expected_epoch:
            self._fault(
                number,
                f"it begins seed {shorten_value(epoch)}, but the next one is {expected_epoch}.",
            )
        if any(commitment == earlier.commitment for earlier in self._epochs.values()):
            self._fault(number, "it promises a seed that was promised before.")
        self._epochs[expected_epoch] = _Epoch(commitment, number, protocol)

    def _add_text(self, event: ExportedEvent, secret: Mapping[str, Any], texts: _Texts) -> None:
        """Add the text of an event to the `texts` for the dice, after a check of its new digest.

        The digest covers all texts, or, if some were deleted before, the last digest and the new
        text. If texts are missing in the file, count the digest as unread.
        """
        if texts.closed:
            self._fault(event.number, "players' words were changed after they were closed.")
        old_digest = texts.digest
        new_digest = secret.get("digest")
        texts.digest = str(new_digest)
        row = self._texts.get((event.number, "text"))
        if row is None:
            self._unread += 1
            texts.entries = None
            return
        for earlier_texts in (texts.entries, [old_digest] if texts.wiped else None):
            if earlier_texts is None:
                continue
            all_texts = [*earlier_texts, row.text]
            if compute_digest(all_texts) == new_digest:
                texts.entries = all_texts
                return
        if texts.entries is None:
            self._unread += 1
        else:
            self._fault(event.number, "the digest of the players' words does not match the words.")

    def _check_seeds(self) -> None:
        """Check the seeds in the file and in its events by their commitments.

        Keep each right one in its epoch, and add a fault for any other.
        """
        for row in self._log.seeds:
            epoch = self._epochs.get(row.epoch)
            if epoch is None:
                self._faults.append(f"Seed {row.epoch}: no event published its commitment.")
            elif row.commitment != epoch.commitment:
                self._faults.append(
                    f"Seed {row.epoch}: its commitment is not the one in event {epoch.event}."
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
        """Keep the seed that an event publishes if it is the promised one, else add a fault.

        An event that publishes none is right. The seed need not be in the file's list of seeds.
        """
        revealed = event.body.get("revealed")
        if not isinstance(revealed, Mapping):
            return
        number = revealed.get("epoch")
        epoch = self._epochs.get(number) if isinstance(number, int) else None
        try:
            seed = bytes.fromhex(str(revealed.get("seed", "")))
        except ValueError:
            seed = b""
        if epoch is None or compute_commitment(seed) != epoch.commitment:
            self._fault(
                event.number, "the seed that it publishes is not the one that was promised."
            )
        else:
            epoch.seed = seed

    def _check_texts(self) -> None:
        """Add a fault for each text in the file that its event does not prove.

        A text must have the hash of its event and a salt of one line. If it names a person, that
        must be the author of the event.
        """
        bodies = {event.number: event.body for event in self._log.events}
        for text in self._log.texts:
            body = bodies.get(text.event, {})
            promised_hash = self._find_promised_hash(body, text.event, text.key)
            key = shorten_value(text.key)
            if promised_hash is None:
                self._fault(text.event, f"it has no text {key}, but the file has one for it.")
            elif _compute_text_hash(text) != promised_hash:
                self._fault(text.event, f"the text {key} was changed.")
            elif "\n" in text.salt:  # a part of the text could be moved into such a salt
                self._fault(
                    text.event, f"the text {key} has no salt of the kind that Grognard writes."
                )
            elif text.person and text.person != body.get("who", text.person):
                self._fault(text.event, f"the text {key} is said to be another person's.")

    def _find_promised_hash(self, body: Mapping[str, Any], number: int, key: str) -> object:
        """Return the hash of a text in its event or in the sealed content, None if it has none."""
        if key in (SEALED, SAID):
            return body.get(key)
        for part in (body, self._read_sealed_content(number)):
            texts = part.get("texts")
            if isinstance(texts, Mapping) and key in texts:
                return texts[key]
        return None

    def _read_sealed_content(self, number: int) -> Mapping[str, Any]:
        """Return the content of a sealed event, {} if the file has none that can be read."""
        text = self._texts.get((number, SEALED))
        try:
            content = json.loads(text.text) if text is not None else {}
        except (ValueError, RecursionError):
            content = {}
        return content if isinstance(content, Mapping) else {}

    def _check_dice(self) -> None:
        """Check the dice of all events by the seeds in force, and count the events still closed."""
        current: _Epoch | None = None
        promised = {epoch.event: epoch for epoch in self._epochs.values()}
        for event in self._log.events:
            is_sealed = "sealed" in event.body
            content = self._read_sealed_content(event.number) if is_sealed else event.body
            if "closed" in event.body or any(map(names_card, _as_list(event.body.get("dice")))):
                content = self._read_closed_dice(event)
                is_sealed = not content
            self._sealed += is_sealed and (event.number, SEALED) not in self._texts
            dice = content.get("dice")
            if dice:
                self._check_event_dice(
                    event.number, dice, current, by_hand=content.get("hand") is True
                )
            # a seed is in force after the event that promises it
            current = promised.get(event.number, current)

    def _read_closed_dice(self, event: ExportedEvent) -> Mapping[str, Any]:
        """Return {"dice": notes} for an event that closed faces, with the faces from its texts.

        Return {} if one of these texts is missing. Cards that needed no die are left out.
        """
        id = event.body.get("deck")
        notes = [
            {"label": id, "sides": sides, "value": "", "deck": id}
            for sides in _as_list(event.body.get("closed"))
        ]
        dice = list[object]()
        for position, note in enumerate(notes or _as_list(event.body.get("dice")), 1):
            if not names_card(note):
                dice.append(note)
            elif note.get("sides", 1) != 0:
                row = self._texts.get((event.number, f"face.{position}"))
                if row is None or not re.fullmatch("[0-9]{1,9}", row.text):
                    return {}
                dice.append({**note, "value": int(row.text)})
        return {"dice": dice}

    def _check_event_dice(
        self, number: int, notes: object, epoch: _Epoch | None, *, by_hand: bool
    ) -> None:
        """Add a fault for each die that differs from what the seed in force (`epoch`) gives.

        Dice thrown by hand, and dice under a seed that is not published yet, are only counted. Dice
        before the first seed, or that cannot be read, are one fault. `notes` are the dice of the
        event.
        """
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
            for position, entry in enumerate(dice, 1):
                assert entry is not None
                die, value = entry
                drawn_value = stream.draw(die)
                if drawn_value != value or type(drawn_value) is not type(value):
                    label = shorten_value(die.label)
                    self._fault(
                        number,
                        f"die {position} ({label}) shows {shorten_value(value)}, "
                        f"the seed gives {drawn_value}.",
                    )
            self._dice += len(dice)


def _compute_text_hash(text: ExportedText) -> str:
    """Compute the hash that the event of a text must hold. The hash of a first line has no salt."""
    if text.key == SAID:
        return hash_first_line(text.text)
    return hash_salted(text.salt, text.text)


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _compute_hash(previous: str, event: ExportedEvent) -> str:
    """Compute the hash of an event after `previous`, "" for a body without canonical text."""
    try:
        return compute_event_hash(previous, to_canonical(event.body))
    except (TypeError, RecursionError):
        return ""


def _read_dice(notes: object) -> Iterator[tuple[Die, object] | None]:
    """Yield (die, logged value) for each note of a die in an event, and None for anything else."""
    for note in notes if isinstance(notes, list) else [None]:
        sides = note.get("sides") if isinstance(note, Mapping) else None
        if not isinstance(note, Mapping) or not is_number(sides, 1) or sides > MAX_SIDES:
            yield None
            continue
        faces = note.get("faces")
        if faces is None:
            yield Die(str(note.get("label", "")), sides, None), note.get("value")
        elif isinstance(faces, list) and len(faces) == sides:
            yield Die(str(note.get("label", "")), sides, tuple(faces)), note.get("value")
        else:
            yield None
