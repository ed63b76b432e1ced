"""Whether an exported log is honest: chain, commitments, texts and dice are computed again.

Nothing is believed that the chain does not cover; and of the chain, only a head known from elsewhere shows that
its end was not cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.chain import SHORT, canonical, event_hash, genesis, salted
from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.exported import SEALED, Exported, ExportedEvent, read_export
from bot.rules.fair import MAX_SIDES, NO_TEXTS, Stream, commitment

MOST_FAULTS = 50
"""After so many, one more line says how many there were."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a check found: `faults`, one line each (none: honest), and how much could be checked."""

    faults: tuple[str, ...]
    events: int
    dice: int  # computed again
    waiting: int  # dice whose seed is not published yet
    by_hand: int  # real dice, which nobody can compute
    sealed: int  # events that are still closed
    played: int  # outcomes worked out again


@dataclass(slots=True)
class _Epoch:
    """A seed as the chain promised it."""

    commitment: str
    digest: str
    event: int  # that published the commitment
    seed: bytes = b""
    drawn: bool = False


PlayAgain = Callable[[Mapping[str, Any]], Mapping[str, Any] | None]
"""The outcome that an event's inputs and dice lead to; None where it cannot be told."""


def verify(data: object, head: str = "", play_again: PlayAgain | None = None) -> Findings:
    """Check an export (parsed JSON) against itself and against a `head` known from elsewhere (8 to 64 hex digits).

    With `play_again` outcomes are worked out again too, beside being covered by the chain. Raises UserError for a
    head that is none, and for data that is no export at all.
    """
    known = head.strip().lower()
    if known and (not SHORT <= len(known) <= 64 or set(known) - set("0123456789abcdef")):
        raise UserError(
            f"A head has {SHORT} to 64 hex digits; this is not one: {head[:70]}",
            hint="It stands under each public answer, and in /fair show.",
        )
    return _Check(read_export(data), play_again).run(known)


class _Check:
    """One check under way."""

    def __init__(self, log: Exported, play_again: PlayAgain | None) -> None:
        self._log = log
        self._play_again = play_again
        self._faults: list[str] = []
        self._epochs: dict[int, _Epoch] = {}
        self._texts = {(text.event, text.key): text for text in log.texts}
        self._dice = self._waiting = self._by_hand = self._sealed = self._played = 0

    def run(self, head: str) -> Findings:
        """All checks in turn."""
        self._check_chain()
        self._check_head(head)
        self._check_promises()
        self._check_seeds()
        self._check_texts()
        self._check_dice()
        self._check_outcomes()
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
            played=self._played,
        )

    def _fault(self, event: int, problem: str) -> None:
        self._faults.append(f"Event {event}: {problem}")

    def _check_chain(self) -> None:
        """Each event follows on the one before, and its hash covers it."""
        previous, expected = genesis(self._log.game), 1
        for event in self._log.events:
            if event.number != expected:
                self._fault(event.number, f"out of place, event {expected} should stand here (removed or moved?).")
            elif event.body.get("number") != event.number:
                self._fault(event.number, f"its content says that it is event {_shown(event.body.get('number'))}.")
            if _hash(previous, event) != event.hash:
                self._fault(event.number, "the hash does not fit (it, or what stood before it, was changed).")
            previous, expected = event.hash, event.number + 1

    def _check_head(self, head: str) -> None:
        """The file ends where it says it ends, and a head known from elsewhere is in it."""
        hashes = [event.hash for event in self._log.events]
        last = hashes[-1] if hashes else genesis(self._log.game)
        if self._log.head != last:
            self._faults.append(f"The file says that its head is {_shown(self._log.head)}, but it ends with {last}.")
        if head and not any(hash.startswith(head) for hash in [*hashes, genesis(self._log.game)]):
            self._faults.append(f"No event has the head {head}: the end was cut off, or the log rewritten.")

    def _check_promises(self) -> None:
        """Collect the commitments that the events published; texts may change only before the first die."""
        current: _Epoch | None = None
        for event in self._log.events:
            secret = event.body.get("secret")
            if isinstance(secret, Mapping):
                if "commitment" in secret:
                    current = self._promise(event.number, secret)
                elif current is not None and current.drawn:
                    self._fault(event.number, "players' texts were changed after the first die.")
                if current is not None:
                    current.digest = str(secret.get("digest") or current.digest)
            drawn = event.body.get("dice") or "sealed" in event.body
            if current is not None and drawn and not event.body.get("hand"):
                current.drawn = True

    def _promise(self, number: int, secret: Mapping[str, Any]) -> _Epoch:
        promised, epoch = str(secret["commitment"]), secret.get("epoch")
        fresh = _Epoch(promised, NO_TEXTS, number)
        following = len(self._epochs) + 1
        if epoch != following:
            self._fault(number, f"it begins seed {_shown(epoch)}, but the next one is {following}.")
        self._epochs[following] = fresh
        return fresh

    def _check_seeds(self) -> None:
        """The seeds in the file are those that the chain promised."""
        for row in self._log.seeds:
            epoch = self._epochs.get(row.epoch)
            if epoch is None:
                self._faults.append(f"Seed {row.epoch}: no event published its commitment.")
            elif row.commitment != epoch.commitment:
                self._faults.append(f"Seed {row.epoch}: its commitment is not the one of event {epoch.event}.")
            elif row.seed and commitment(row.seed) != epoch.commitment:
                self._faults.append(f"Seed {row.epoch}: it is not the one promised in event {epoch.event}.")
            else:
                epoch.seed = row.seed or epoch.seed
        for event in self._log.events:
            self._check_published(event)

    def _check_published(self, event: ExportedEvent) -> None:
        """An event that publishes a seed has the one that was promised; it need not be in the list of seeds."""
        told = event.body.get("revealed")
        if not isinstance(told, Mapping):
            return
        epoch = self._epochs.get(told["epoch"]) if isinstance(told.get("epoch"), int) else None
        try:
            seed = bytes.fromhex(str(told.get("seed", "")))
        except ValueError:
            seed = b""
        if epoch is None or commitment(seed) != epoch.commitment:
            self._fault(event.number, "the seed that it publishes is not the one that was promised.")
        else:
            epoch.seed = seed

    def _check_texts(self) -> None:
        """Each text is the one whose salted hash stands in its event."""
        bodies = {event.number: event.body for event in self._log.events}
        for text in self._log.texts:
            promised = self._promised_text(bodies.get(text.event, {}), text.event, text.key)
            if promised is None:
                self._fault(text.event, f"it has no text {_shown(text.key)}, but the file has one for it.")
            elif salted(text.salt, text.text) != promised:
                self._fault(text.event, f"the text {_shown(text.key)} was changed.")

    def _promised_text(self, body: Mapping[str, Any], number: int, key: str) -> object:
        """The hash of a text as the event, or what was sealed in it, has it; None if it has none."""
        if key == SEALED:
            return body.get("sealed")
        for part in (body, self._opened(number)):
            texts = part.get("texts")
            if isinstance(texts, Mapping) and key in texts:
                return texts[key]
        return None

    def _opened(self, number: int) -> Mapping[str, Any]:
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
            content = self._opened(event.number) if sealed else event.body
            self._sealed += sealed and (event.number, SEALED) not in self._texts
            dice = content.get("dice")
            if dice:
                self._check_event_dice(event.number, dice, current, by_hand=content.get("hand") is True)
            current = promised.get(event.number, current)  # in force behind the event that promises it

    def _check_event_dice(self, number: int, notes: object, epoch: _Epoch | None, *, by_hand: bool) -> None:
        dice = list(_read_dice(notes))
        if None in dice:
            self._fault(number, "its dice cannot be read.")
        elif by_hand:
            self._by_hand += len(dice)
        elif epoch is None:
            self._fault(number, "dice were rolled before any commitment was published.")
        elif not epoch.seed:
            self._waiting += len(dice)
        else:
            stream = Stream.with_digest(epoch.seed, self._log.game, number, epoch.digest)
            for at, entry in enumerate(dice, 1):
                assert entry is not None
                die, shows = entry
                if (given := stream.draw(die)) != shows:
                    self._fault(
                        number, f"die {at} ({_shown(die.label)}) shows {_shown(shows)}, the seed gives {given}."
                    )
            self._dice += len(dice)

    def _check_outcomes(self) -> None:
        """What an event says came of it is what comes of its inputs and dice."""
        for event in self._log.events:
            content = self._opened(event.number) if "sealed" in event.body else event.body
            if self._play_again is None or "out" not in content:
                continue
            try:
                again = self._play_again(content)
                differs = again is not None and canonical({"out": again}) != canonical({"out": content["out"]})
                self._played += again is not None
            except (UserError, TypeError, ValueError, KeyError, AttributeError) as error:  # the file is a stranger's
                self._fault(event.number, f"its inputs and dice lead to no outcome ({_shown(error)})")
            else:
                if differs:
                    self._fault(event.number, "its inputs and dice lead to another outcome.")


def _hash(previous: str, event: ExportedEvent) -> str:
    """The event's hash, or "" for a body that has no canonical text."""
    try:
        return event_hash(previous, canonical(event.body))
    except (TypeError, RecursionError):
        return ""


def _read_dice(notes: object) -> Iterator[tuple[Die, object] | None]:
    """(die, value) of each note; None for one that is no die."""
    for note in notes if isinstance(notes, list) else [None]:
        sides = note.get("sides") if isinstance(note, Mapping) else None
        if not isinstance(note, Mapping) or not isinstance(sides, int) or not 1 <= sides <= MAX_SIDES:
            yield None
            continue
        faces = note.get("faces")
        if faces is not None and not (isinstance(faces, list) and len(faces) == sides):
            yield None
            continue
        yield Die(str(note.get("label", "")), sides, None if faces is None else tuple(faces)), note.get("value")


def _shown(value: object) -> str:
    """Something from the file, short enough for one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= 70 else f"{text[:67]}..."
