"""The whole check of a game's log: chain, dice and texts, kinds and order of events, and every
outcome played again.
"""

import gzip
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.game.events import OUTCOMES, merge_choices
from bot.game.state import Game
from bot.game.undo import EDITION, LEFT
from bot.rules.errors import UserError
from bot.rules.proof.chain import SEALED
from bot.rules.text.names import format_count
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import list_lost_states, load_shared_systems, use_systems
from bot.verification import replay
from bot.verification.check_page import find_page_faults
from bot.verification.export_format import Exported, extract_export, read_export, read_json
from bot.verification.follows.cards import find_opened_faults, list_closed_hands
from bot.verification.follows.event import find_event_faults, find_order_faults
from bot.verification.follows.past import Past, find_missing_faults, read_sealed_contents
from bot.verification.packs_of_game import ExportedPacks
from bot.verification.proof import MOST_FAULTS, Findings, check_proof

_MOST_BYTES = 200_000_000
_MOST_LISTED = 8
Event = Mapping[str, Any]


def check(
    data: object, heads: Iterable[str] = (), *, with_tables: bool = True, imported_until: int = 0
) -> Findings:
    """What a check of an export (parsed JSON) found; `heads` are known from elsewhere, see
    `read_heads`.

    Without tables outcomes are not played again; all else needs none. What is wrong with the
    history before event `imported_until` is a remark: a host answers for what was played here.
    Raises UserError for data that is no export.
    """
    log = read_export(data)
    proof = check_proof(log, heads)
    if proof.faults:
        return proof
    history = _History(log, with_tables=with_tables, imported_until=imported_until)
    history.follow_log()
    return replace(
        proof, faults=_cut(history.faults), played=history.played, unplayed=history.unplayed, apart=history.apart,
        unplayed_at=tuple(history.unplayed_at),
        remarks=(*proof.remarks, *history.remarks),
    )  # fmt: skip


class _History:
    """The events of a log, read one after another."""

    def __init__(self, log: Exported, *, with_tables: bool, imported_until: int) -> None:
        self._log = log
        self._imported_until = imported_until
        self._with_tables = with_tables
        self._packs = ExportedPacks(log)
        self.faults: list[str] = list(self._packs.find_faults())
        self.remarks: list[str] = []
        self.played = self.unplayed = self.apart = 0
        self.unplayed_at: list[int] = []

    def follow_log(self) -> None:
        """Follow the log to its end, or to the first event that cannot be followed."""
        texts = {text.event: text.text for text in self._log.texts if text.key == SEALED}
        contents, wrong = read_sealed_contents(texts)
        for at, fault in wrong:
            self._fault(at, fault)
        past = Past(Game(self._log.game), contents)
        times = [0]
        editions = dict[str, int]()
        for event in (row.body for row in self._log.events):
            number = event.get("number")
            if found := list(find_event_faults(past, event)):
                for fault in found:
                    self._fault(number, fault)
                if not self._is_imported(number):
                    return
            else:
                self._follow(past, event, times, editions)
            try:
                past.add(event)
            except (ValueError, KeyError, TypeError, AttributeError):
                self._fault(number, "what it changes cannot be read.")
                return
        held = {(text.event, text.key) for text in self._log.texts}
        for number, fault in find_missing_faults(past, held) if not self.faults else ():
            if number < past.imported_at:  # whoever asked for that did so where the game was played
                self.remarks.append(f"Event {number} was imported: {fault}")
            else:
                self._fault(number, fault)
        self.remarks += list_closed_hands(past.now)
        texts_by = {(text.event, text.key): text.text for text in self._log.texts}
        if not self.faults:
            for number, fault in find_opened_faults([*past.bodies.values()], texts_by):
                self._fault(number, fault)

    def _follow(self, past: Past, event: Event, times: list[int], editions: dict[str, int]) -> None:
        """Hold an event of the right shape against what went before."""
        number = event["number"]
        for fault in find_order_faults(past, event):
            self._fault(number, fault)
        if event.get("reason") == LEFT:
            self.remarks.append(f"Event {number}: that a player had left is the host's word.")
        if event["kind"] == "undo" and event.get("by") and not event.get("asked"):
            self.remarks.append(f"Event {number}: that a manager wrote it is the host's word.")
        if event.get("reason") == EDITION:
            self.remarks.append(f"Event {number}: that the rules had changed is the host's word.")
        if self._with_tables and not self.faults:
            with use_systems(
                self._packs.get_systems_at(past.now, past.contents.get(number, event))
            ):
                self._play(past, event, editions)
        if event["at"] < times[-1]:
            self.remarks.append(
                f"Event {number} is {times[-1] - event['at']} s earlier than the one before: a clock was set back."
            )
        times.append(event["at"])

    def _play(self, past: Past, event: Event, editions: dict[str, int]) -> None:
        kind = event["kind"]
        number = event["number"]
        roll: Event | None = past.contents.get(number) if kind == "sealed" else None
        if kind in OUTCOMES:
            roll = merge_choices(event, past.bodies)
        if roll is not None:
            if problem := replay.find_edition_problem(roll):
                self._fault(number, problem)
            elif replay.is_playable(roll):
                is_sealed = kind == "sealed"
                side = event["side"]
                before = past.bodies.get(number - 1, {})
                for problem in replay.find_replay_faults(
                    past.now, roll, sealed=is_sealed, side=side, before=before
                ):
                    self._fault(number, problem)
                self.played += 1
            else:
                self._count(number, is_todays=False)
                self.apart += 0 if roll.get("hand") else len(roll.get("dice", ()))
            system = roll.get("system", "")
            edition = roll.get("edition", 0)
            if (
                isinstance(edition, str)
                and edition not in self._log.packs
                and not replay.is_playable(roll)
            ):
                what = f"The pack {edition[:8]} is not in the file; where it is at hand (--packs) more can be checked."
                self.remarks += [what] if what not in self.remarks else []
            if isinstance(edition, int):
                if edition < editions.get(system, 0):
                    self.remarks.append(
                        f"Event {number} names an older edition of {system} than an event before it."
                    )
                editions[system] = max(edition, editions.get(system, 0))
        elif kind in ("start", "next", "pass") and not event.get("free"):
            self._count(number, is_todays=replay.turn_is_todays(past.now, event))
        elif kind in ("reveal", "end"):
            self._count(number, is_todays=replay.titles_are_todays(event, past.contents))

    def _count(self, number: int, *, is_todays: bool) -> None:
        if not is_todays:
            self.unplayed += 1
            self.unplayed_at.append(number)

    def _fault(self, number: object, problem: str) -> None:
        if self._is_imported(number):
            self.remarks.append(f"Event {number} was imported: {problem}")
        else:
            self.faults.append(f"Event {number}: {problem}")

    def _is_imported(self, number: object) -> bool:
        return isinstance(number, int) and number < self._imported_until


def _cut(faults: list[str]) -> tuple[str, ...]:
    more = len(faults) - MOST_FAULTS
    return (*faults[:MOST_FAULTS], *([f"... and {more} more."] if more > 0 else []))


def check_file(path: Path, heads: Iterable[str] = ()) -> Findings:
    """What a check of the export in `path`, or of a page that holds it, found. Raises UserError
    for any other file.
    """
    text = read_raw_text(path)
    data = read_json(extract_export(text, _MOST_BYTES), f"The file {path}")
    found = check(data, heads)
    if not text.lstrip().startswith("<") or found.faults or not isinstance(data, dict):
        return found
    system = next(
        (row["body"]["system"] for row in data["events"] if "system" in row["body"]),
        data.get("system", ""),
    )
    faults, unproved = find_page_faults(
        text, data, frozenset(list_lost_states(load_shared_systems().get(str(system))))
    )
    told = (
        "The page shows what its log holds; nothing proves names of persons, luck, odds and traces."
    )
    remarks = [] if faults else [told]
    if unproved:
        events = format_count(len(unproved), "event")
        remarks.append(f"Nothing proves the sentences of {events}, as their answers were not kept.")
    return replace(found, faults=tuple(faults), remarks=(*found.remarks, *remarks))


def read_file_text(path: Path) -> str:
    """The JSON of the export in `path`: as it is, compressed, or inside an after-action page.
    Raises UserError.
    """
    return extract_export(read_raw_text(path), _MOST_BYTES)


def read_raw_text(path: Path) -> str:
    """The text of an exported game or of a page that holds one, unpacked. Raises UserError."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UserError(
                f"The file {path} is too large for an exported game.", code="file-too-large"
            )
        raw = path.read_bytes()
        if raw.startswith(b"\x1f\x8b"):
            with gzip.open(path) as packed:
                raw = packed.read(_MOST_BYTES + 1)
        text = raw.decode("utf-8-sig")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise UserError(
            f"The file {path} is damaged: it cannot be unpacked.", code="damaged-file"
        ) from None
    except OSError as error:
        raise UserError(
            f"The file {path} cannot be read: {error.strerror}.", code="unreadable-file"
        ) from None
    except ValueError:
        what = f"The file {path} is not text."
        hint = phrase("`/game export` writes a file that can be checked.")
        raise UserError(what, hint=hint, code="not-text") from None
    if len(raw) > _MOST_BYTES:
        raise UserError(
            f"The file {path} is too large for an exported game.", code="file-too-large"
        )
    return text


def collect_heads(
    heads: Iterable[str], texts: Iterable[str], read_input: Callable[[], str]
) -> list[str]:
    """What was typed behind --head and --heads; a file with text from a chat is read, `-` is
    standard input.
    """
    found = list(heads)
    for text in texts:
        path = Path(text) if len(text) < 200 and "#" not in text else None
        if text == "-":
            found.append(read_input())
        elif path is not None and path.is_file():
            found.append(path.read_text("utf-8-sig", "replace"))
        else:
            found.append(text)
    return found


def format_summary(known: Findings) -> list[str]:
    """What was checked, as lines to print."""
    said = {
        f"{format_count(known.events, 'event')}, {format_count(known.dice, 'die', 'dice')} computed again, "
        f"{format_count(known.played, 'outcome')} played again, {format_count(len(known.faults), 'fault')}.": 1,
        f"{format_count(known.unplayed, 'outcome')} could not be played again (other tables). "
        f"Events: {_format_events(known.unplayed_at)}.": known.unplayed,
        f"Dice in those events: {known.apart}. Nobody can tell here whether they were asked for.": known.apart,
        f"{format_count(known.waiting, 'die', 'dice')} cannot be checked until /fair reveal publishes the seed.": (
            known.waiting
        ),
        f"{format_count(known.by_hand, 'die', 'dice')} thrown by hand: nobody can check those.": known.by_hand,
        f"{format_count(known.sealed, 'sealed event')} with nothing to check: still closed, or "
        "the content was deleted.": (known.sealed),
        f"{format_count(known.unread, 'digest')} of players' texts taken from the event alone: "
        "the texts were deleted.": (known.unread),
    }
    return [*(line for line, count in said.items() if count), *known.remarks]


def _format_events(events: Sequence[int]) -> str:
    """The first few events, by number."""
    return ", ".join(f"#{number}" for number in events[:_MOST_LISTED]) + (
        " ..." if events[_MOST_LISTED:] else ""
    )
