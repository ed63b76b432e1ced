"""The whole check of a game's log: chain, dice and texts, kinds and order of events, and a replay of
every outcome.
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
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import list_lost_states
from bot.verification import replay
from bot.verification.check_page import find_page_faults
from bot.verification.export_format import Exported, extract_export, read_export, read_json
from bot.verification.follows.cards import find_opened_faults, list_closed_hands
from bot.verification.follows.event import find_event_faults, find_order_faults
from bot.verification.follows.past import Past, find_missing_faults, read_sealed_contents
from bot.verification.follows.result import describe_decision_against_score
from bot.verification.packs_of_game import ExportedPacks
from bot.verification.proof import MOST_FAULTS, Findings, check_proof
from bot.verification.solo_orders import find_self_play_problem
from bot.verification.solo_phases import find_left_out_problem

_MOST_BYTES = 200_000_000
_MOST_LISTED = 8
Event = Mapping[str, Any]


def check(
    data: object, heads: Iterable[str] = (), *, with_tables: bool = True, imported_until: int = 0
) -> Findings:
    """Check an export (parsed JSON) and return the findings.

    `heads` are texts with hashes known from elsewhere, see `read_heads`. `with_tables` says whether
    to replay outcomes. Faults of events before `imported_until` become remarks, because a host
    answers only for what was played there. If chain, seeds, texts or dice have faults, nothing else
    is checked. Raises UserError for data that is no export, and for a text without a head.
    """
    log = read_export(data)
    proof = check_proof(log, heads)
    if proof.faults:
        return proof
    history = _History(log, with_tables=with_tables, imported_until=imported_until)
    history.follow_log()
    return replace(
        proof,
        faults=_limit_faults(history.faults),
        played=history.played,
        unplayed=history.unplayed,
        unplayed_dice=history.unplayed_dice,
        unplayed_at=tuple(history.unplayed_at),
        remarks=(*proof.remarks, *history.remarks),
    )


class _History:
    """A pass through the events of a log, with the faults and remarks it has collected.

    `played` and `unplayed` count outcomes that were or could not be replayed. `unplayed_dice`
    counts the dice of the unplayed ones.
    """

    def __init__(self, log: Exported, *, with_tables: bool, imported_until: int) -> None:
        self._log = log
        self._imported_until = imported_until
        self._with_tables = with_tables
        self._packs = ExportedPacks(log)
        self.faults: list[str] = list(self._packs.find_faults())
        self.remarks: list[str] = []
        self.played = 0
        self.unplayed = 0
        self.unplayed_dice = 0
        self.unplayed_at: list[int] = []

    def follow_log(self) -> None:
        """Check event after event and collect faults and remarks.

        Stop at an event with a wrong shape, unless it was imported, and at one that cannot be
        applied.
        """
        sealed_texts = {text.event: text.text for text in self._log.texts if text.key == SEALED}
        contents, content_faults = read_sealed_contents(sealed_texts)
        for sealed_event, fault in content_faults:
            self._fault(sealed_event, fault)
        past = Past(Game(self._log.game), contents, self._packs.systems)
        times = [0]
        editions = dict[str, int]()
        for event in (row.body for row in self._log.events):
            number = event.get("number")
            event_faults = list(find_event_faults(past, event))
            for fault in event_faults:
                self._fault(number, fault)
            if event_faults and not self._is_imported(number):
                return
            if not event_faults:
                self._follow(past, event, times, editions)
            try:
                past.add(event)
            except (ValueError, KeyError, TypeError, AttributeError):
                self._fault(number, "what it changes cannot be read.")
                return
        self._check_texts(past)

    def _check_texts(self, past: Past) -> None:
        """Check at the end of the log that no text is missing and that opened cards are right.

        Neither is checked in a log with faults. Closed cards that are left add remarks.
        """
        texts = {(text.event, text.key): text.text for text in self._log.texts}
        missing_faults = [] if self.faults else list(find_missing_faults(past, {*texts}))
        for number, fault in missing_faults:
            if number < past.imported_at:  # a player deleted the text where the game was played
                self.remarks.append(f"Event {number} was imported: {fault}")
            else:
                self._fault(number, fault)
        self.remarks += list_closed_hands(past.game)
        if not self.faults:
            for number, fault in find_opened_faults([*past.bodies.values()], texts):
                self._fault(number, fault)

    def _follow(self, past: Past, event: Event, times: list[int], editions: dict[str, int]) -> None:
        """Check an event of the right shape against the events before it, and replay its outcome.

        Add to the faults and remarks of this pass. After the first fault in the log no outcome is
        replayed. `times` are those of earlier events; that of the event is appended. `editions` are
        the highest ones so far by rule set; that of the event is noted. `past` is not changed.
        """
        number = event["number"]
        for fault in find_order_faults(past, event):
            self._fault(number, fault)
        self._note_host_words(event)
        if event["kind"] == "confirm" and not self.faults:
            remark = describe_decision_against_score(past, event)
            if remark:
                self.remarks.append(f"Event {number}: {remark}")
        if self._with_tables and not self.faults:
            content = past.contents.get(number, event)
            systems = self._packs.get_systems_at(past.game, content)
            self._play(past, event, editions, systems)
            self._check_self_play(past, event, systems)
        seconds_back = times[-1] - event["at"]
        if seconds_back > 0:
            self.remarks.append(
                f"Event {number} is {seconds_back} s earlier than the one before: a clock was set back."
            )
        times.append(event["at"])

    def _check_self_play(self, past: Past, event: Event, systems: RuleSets) -> None:
        """Check that sides that play themselves do what their tables say, and leave nothing out."""
        problem = find_left_out_problem(past, event, systems)
        if event.get("plays") and not problem:
            problem = find_self_play_problem(past, event, systems)
        if problem and not self.faults:
            self._fault(event["number"], problem)

    def _note_host_words(self, event: Event) -> None:
        """Add a remark on each thing in an event for which there is only the host's word."""
        remark = f"Event {event['number']}: there is only the host's word"
        if event.get("reason") == LEFT:
            self.remarks.append(f"{remark} that a player had left.")
        if event["kind"] == "undo" and event.get("by") and not event.get("asked"):
            self.remarks.append(f"{remark} that a manager wrote it.")
        if event.get("reason") == EDITION:
            self.remarks.append(f"{remark} that the rules had changed.")

    def _play(self, past: Past, event: Event, editions: dict[str, int], systems: RuleSets) -> None:
        """Replay the outcome of an event, or compare with today's tables what else they decide.

        That is the turn and phase after a start, next or pass, and the titles of opened rolls. Add
        to the faults, the counts and `editions`. `past` is the log before the event, `systems` are the
        rule sets then.
        """
        kind = event["kind"]
        number = event["number"]
        roll: Event | None = past.contents.get(number) if kind == "sealed" else None
        if kind in OUTCOMES:
            roll = merge_choices(event, past.bodies)
        if roll is not None:
            self._play_roll(past, event, roll, systems)
            self._note_edition(number, roll, editions, systems)
        elif kind in ("start", "next", "pass") and not event.get("free"):
            is_todays = replay.turn_is_todays(past.game, event, systems)
            self._count(number, is_todays=is_todays)
        elif kind in ("reveal", "end"):
            is_todays = replay.titles_are_todays(event, past.contents, systems)
            self._count(number, is_todays=is_todays)
        if kind == "end":
            problem = replay.find_score_problem(past.game, event, systems)
            if problem:
                self._fault(number, problem)

    def _play_roll(self, past: Past, event: Event, roll: Event, systems: RuleSets) -> None:
        """Replay a roll, table or sequence, and add its faults.

        `roll` is the content of a sealed `event`, or the event itself. A roll of another edition
        than today's is not replayed: its outcome and its dice, except real ones, count as unplayed.
        """
        number = event["number"]
        edition_problem = replay.find_edition_problem(roll, systems)
        if edition_problem:
            self._fault(number, edition_problem)
        elif replay.is_playable(roll, systems):
            problems = replay.find_replay_faults(
                past.game,
                roll,
                systems,
                sealed=event["kind"] == "sealed",
                side=event["side"],
                previous=past.bodies.get(number - 1, {}),
            )
            for problem in problems:
                self._fault(number, problem)
            self.played += 1
        else:
            self._count(number, is_todays=False)
            self.unplayed_dice += 0 if roll.get("hand") else len(roll.get("dice", ()))

    def _note_edition(
        self, number: int, roll: Event, editions: dict[str, int], systems: RuleSets
    ) -> None:
        """Add a remark if the pack of a roll is missing, or its edition is older than one before.

        `editions` are the highest ones so far by rule set; that of the roll is noted in it.
        """
        system = roll.get("system", "")
        edition = roll.get("edition", 0)
        if isinstance(edition, str):
            if edition not in self._log.packs and not replay.is_playable(roll, systems):
                remark = (
                    f"The pack {edition[:8]} is not in the file; "
                    "if you have it (--packs), more can be checked."
                )
                if remark not in self.remarks:
                    self.remarks.append(remark)
        elif isinstance(edition, int):
            if edition < editions.get(system, 0):
                self.remarks.append(
                    f"Event {number} names an older edition of {system} than an earlier event."
                )
            editions[system] = max(edition, editions.get(system, 0))

    def _count(self, number: int, *, is_todays: bool) -> None:
        """Count the outcome of an event as unplayed.

        Do nothing if it fits today's tables.
        """
        if not is_todays:
            self.unplayed += 1
            self.unplayed_at.append(number)

    def _fault(self, number: object, problem: str) -> None:
        """Add a fault of an event; a remark if the event was imported."""
        if self._is_imported(number):
            self.remarks.append(f"Event {number} was imported: {problem}")
        else:
            self.faults.append(f"Event {number}: {problem}")

    def _is_imported(self, number: object) -> bool:
        return isinstance(number, int) and number < self._imported_until


def _limit_faults(faults: list[str]) -> tuple[str, ...]:
    """Return the first MOST_FAULTS faults, and a line that counts the rest."""
    limited = faults[:MOST_FAULTS]
    omitted = len(faults) - MOST_FAULTS
    if omitted > 0:
        limited.append(f"... and {omitted} more.")
    return tuple(limited)


def check_file(path: Path, heads: Iterable[str] = ()) -> Findings:
    """Check the file of an export, or an after-action page, and return the findings.

    A page is also compared with the log inside it. Raises UserError for any other file.
    """
    text = read_raw_text(path)
    data = read_json(extract_export(text, _MOST_BYTES), f"The file {path}")
    findings = check(data, heads)
    is_page = text.lstrip().startswith("<")
    if not is_page or findings.faults or not isinstance(data, dict):
        return findings
    bodies = (row["body"] for row in data["events"])
    system_ids = (body["system"] for body in bodies if "system" in body)
    system_id = next(system_ids, data.get("system", ""))
    lost_states = list_lost_states(load_shared_systems().get(str(system_id)))
    faults, unproved = find_page_faults(text, data, frozenset(lost_states))
    remarks = []
    if not faults:
        remarks.append(
            "The page shows what is in its log; "
            "players' names, luck, odds and traces cannot be proved."
        )
    if unproved:
        events = format_count(len(unproved), "event")
        remarks.append(
            f"The sentences of {events} cannot be proved, because their answers were not saved."
        )
    return replace(findings, faults=tuple(faults), remarks=(*findings.remarks, *remarks))


def read_file_text(path: Path) -> str:
    """Return the JSON of an export from a file: plain, compressed, or inside an after-action page.

    Raises UserError for any other file.
    """
    return extract_export(read_raw_text(path), _MOST_BYTES)


def read_raw_text(path: Path) -> str:
    """Read the text of a file, compressed or not.

    Raises UserError if the file is unreadable, damaged, too large or not text.
    """
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
        problem = f"The file {path} is not text."
        hint = phrase("`/game export` writes a file that can be checked.")
        raise UserError(problem, hint=hint, code="not-text") from None
    if len(raw) > _MOST_BYTES:
        raise UserError(
            f"The file {path} is too large for an exported game.", code="file-too-large"
        )
    return text


def collect_heads(
    heads: Iterable[str], texts: Iterable[str], read_input: Callable[[], str]
) -> list[str]:
    """Return the texts that hold heads: all of `heads`, then one for each of `texts`.

    `heads` come from --head on the command line, `texts` from --heads. Among `texts`, `-` is
    for standard input, which `read_input` reads, and the path of a file for its content. A path is
    short and has no `#`. Other texts, also the path of a missing file, are returned as they are.
    """
    head_texts = list(heads)
    for text in texts:
        is_path = len(text) < 200 and "#" not in text
        if text == "-":
            head_texts.append(read_input())
        elif is_path and Path(text).is_file():
            head_texts.append(Path(text).read_text("utf-8-sig", "replace"))
        else:
            head_texts.append(text)
    return head_texts


def format_summary(findings: Findings) -> list[str]:
    """Format the findings as lines to print: counts, what could not be checked, and remarks.

    Faults are counted, not listed.
    """
    lines = [
        f"{format_count(findings.events, 'event')}, "
        f"{format_count(findings.dice, 'die', 'dice')} recomputed, "
        f"{format_count(findings.played, 'outcome')} replayed, "
        f"{format_count(len(findings.faults), 'fault')}."
    ]
    if findings.unplayed:
        lines.append(
            f"{format_count(findings.unplayed, 'outcome')} could not be replayed (other "
            f"tables). Events: {_format_events(findings.unplayed_at)}."
        )
    if findings.unplayed_dice:
        lines.append(
            f"Dice in those events: {findings.unplayed_dice}. "
            "There is no way to tell here whether they were asked for."
        )
    if findings.waiting:
        dice = format_count(findings.waiting, "die", "dice")
        lines.append(f"{dice} cannot be checked until /fair reveal publishes the seed.")
    if findings.by_hand:
        dice = format_count(findings.by_hand, "die", "dice")
        lines.append(f"{dice} thrown by hand, which nobody can check.")
    if findings.sealed:
        events = format_count(findings.sealed, "sealed event")
        lines.append(f"{events} with nothing to check: still closed, or the content was deleted.")
    if findings.unread:
        digests = format_count(findings.unread, "digest")
        lines.append(
            f"{digests} of players' words could be read only in the event: the words were deleted."
        )
    return [*lines, *findings.remarks]


def _format_events(numbers: Sequence[int]) -> str:
    """Format the first few event numbers: `#3, #7 ...`."""
    text = ", ".join(f"#{number}" for number in numbers[:_MOST_LISTED])
    return f"{text} ..." if len(numbers) > _MOST_LISTED else text
