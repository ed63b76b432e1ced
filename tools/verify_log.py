#!/usr/bin/env python3
"""Check the log of a Grognard game. This one file needs only Python 3.11, and is meant to be read.

    python3 verify_log.py game.json --head "#57 1c9e06d2a4b80f13" --heads chat.txt

It checks five things:

1. Chain: each event carries a hash of itself and of everything before it.
2. Heads: hashes that somebody noted during the game are in this log.
3. Seeds: each published seed is the one that the log promised, no seed is promised twice, and the
   players' texts that are mixed into its dice give the digest that the log says.
4. Dice: the number on every die, and the number drawn for every card, follows from its seed, which
   was not yet published. Dice that are not opened, and dice rolled by hand, are only counted.
5. Texts: every text in the file is the one that was hashed into its event.

It does not check who may do what and when, which card a number means, or whether a result follows
from the rules of a game. `grognard verify` does that. Names of players are not hashed, so nothing
proves them.

These words have one meaning each in this file:

    seed          32 random bytes that dice follow from
    commitment    the SHA-256 of a seed, which does not give the seed away
    promise       a commitment that an event holds: the dice after that event follow from its seed,
                  until the next promise
    epoch         the number of a promise: 1, 2, 3, ...
    published     a published seed can be read by everybody, so its dice can be computed again
    text          a row of `texts` in the file: free text, a sealed roll or a hidden face
    player's text a text with the key "text" that a player adds to the dice of a promise
    digest        one hash that stands for all players' texts of a promise so far
    closing       after the players' texts are closed, none may be added to that promise
    sealed        of a sealed roll the event holds only a hash
    hidden        of a hidden die the event holds its sides, but of its face only a hash
    opened        a sealed roll or a hidden die is opened if its text is in the file
    head          the hash of an event, or its first digits, that somebody noted; `head` of the file
                  is the hash of its last event

Each event has a number, a hash and a body. This program reads these fields of a body:

    number      1, 2, 3, ...
    who         the person who did it, as a random id
    kind        "roll", "start", ...; "privacy" means that somebody's data was deleted
    secret      either a promise: {"commitment": "630d...", "epoch": 1, "protocol": 2}
                or a player's text: {"digest": "14a2..."}
                `protocol` says how dice follow from the seed; this program knows number 2
    unannounced true: nobody could see the first commitment before the game began
    closes      true: this event closes the players' texts
    revealed    {"epoch": 1, "seed": "0001..."}: this event publishes a seed
    dice        [{"label": "d6", "sides": 6, "value": 3}, ...]
                `faces` of a die, if it has them, are what its sides show: [2, 3, 3, 4, 4, 5]
                `deck` of a die: it drew a card of that deck. If its value is the name of a card,
                the die is hidden, and has 0 sides if no die was needed
    hand        true: these dice were rolled by hand
    closed      [10, 9]: the sides of hidden dice that drew cards (no players' texts are meant)
    sealed      the hash of a sealed roll, which has `dice`, `hand` and `texts` of its own
    texts       {"label": "...", "face.1": "...", ...}: the hashes of texts
    said        the hash of the first line of the bot's answer

Nothing here proves that `faces` and `deck` are those of the rules. `grognard verify` checks them.

docs/dice-protocol.md describes how the dice work, docs/export.md the file.

Exit status: 0 if nothing is wrong, 1 if something is (one line each), 2 if the file cannot be read.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import hmac
import json
import re
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]
TextRows = dict[tuple[int, str], Json]
"""The rows of `texts`, by number of the event and key of the text."""

EXPORT_VERSION = 2
DICE_PROTOCOL = 2
LAST_COMMIT_OF_OLD_FORMAT = "e8fe7cd8"
MAX_FILE_BYTES = 200_000_000
MAX_DIE_SIDES = 2**32
FIRST_UNSAFE_NUMBER = 2**53
"""From here on programs read a whole number differently."""
DIGITS_TO_TRUST = 16
"""Eight digits of a head can be forged in minutes, sixteen cannot."""
MAX_FAULTS_SHOWN = 50


class UnreadableFile(Exception):
    """The file, or a head on the command line, cannot be read."""


@dataclass
class Report:
    """The result of a check: the faults, and how much was checked."""

    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    events: int = 0
    dice_checked: int = 0
    dice_without_seed: int = 0
    dice_by_hand: int = 0
    unopened_events: int = 0
    unchecked_digests: int = 0

    def add_fault(self, event: int, problem: str) -> None:
        """Add a fault of one event."""
        self.faults.append(f"Event {event}: {problem}")


# --- The whole check


def main(arguments: list[str]) -> int:
    """Check the file that the command line names, print what was found, and return the exit
    status.
    """
    parser = argparse.ArgumentParser(description="Check the log of a Grognard game.")
    parser.add_argument(
        "file", help="the exported game (.json, .json.gz) or its after-action page (.html)"
    )
    parser.add_argument(
        "--head", action="append", default=[], help="a head that you noted; may be repeated"
    )
    parser.add_argument(
        "--heads", help="a file with heads in it, the text itself, or - for standard input"
    )
    options = parser.parse_args(arguments)
    heads = list(options.head)
    try:
        if options.heads == "-":
            heads.append(sys.stdin.read())
        elif options.heads is not None:
            heads.append(read_text_or_file(options.heads))
        report = check(load_log(Path(options.file)), heads)
    except (UnreadableFile, OSError, EOFError, ValueError, zlib.error) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(format_report(report)))
    return 1 if report.faults else 0


def read_text_or_file(argument: str) -> str:
    """Return the content of the file that an argument names, or else the argument itself. An
    argument with # is never the name of a file.
    """
    if "#" not in argument and Path(argument).is_file():
        return Path(argument).read_text("utf-8-sig", "replace")
    return argument


def check(log: Json, heads: Iterable[str] = ()) -> Report:
    """Check an exported game, and compare it with heads that somebody noted.

    Raises UnreadableFile if the log or a head cannot be read.
    """
    log = validate_log(log)
    known_heads = parse_heads(heads)
    texts = {(row["event"], row["key"]): row for row in log["texts"]}
    report = Report(events=len(log["events"]))
    check_chain(log, report)
    check_heads(log, known_heads, report)
    promises, sources = read_promises(log, texts, report)
    check_seeds(log, promises, report)
    check_dice(log, texts, sources, report)
    check_texts(log, texts, report)
    first_event = log["events"][0]["body"] if log["events"] else {}
    if first_event.get("unannounced"):
        report.notes.append(
            "Event 1: nobody could see the commitment of this seed before the game began."
        )
    return report


def format_report(report: Report) -> list[str]:
    """Format what was found, one line each."""
    lines = report.faults[:MAX_FAULTS_SHOWN]
    if len(report.faults) > MAX_FAULTS_SHOWN:
        lines.append(f"... and {len(report.faults) - MAX_FAULTS_SHOWN} more.")
    lines.append(
        f"Events: {report.events}. Dice computed again: {report.dice_checked}. Faults: {len(report.faults)}."
    )
    counts = {
        "Dice whose seed is not published yet (by /fair reveal)": report.dice_without_seed,
        "Dice rolled by hand, which nobody can check": report.dice_by_hand,
        "Events with sealed or hidden dice (not opened, or deleted)": report.unopened_events,
        "Digests of players' texts that cannot be checked": report.unchecked_digests,
    }
    lines += [f"{label}: {count}." for label, count in counts.items() if count]
    return lines + report.notes


# --- Reading the file


def load_log(path: Path) -> Any:
    """Load an exported game: JSON, JSON packed with gzip, or an after-action page that holds it.
    `check` validates it.
    """
    with path.open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
    opener = gzip.open if is_packed else open
    with opener(path, "rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise UnreadableFile("The file is too large for an exported game.")
    text = content.decode("utf-8-sig")
    if text.lstrip().startswith("<"):
        text = extract_from_page(text)
    return parse_json(text)


def extract_from_page(page: str) -> str:
    """Return the JSON in the page's one element `<script id="export">`."""
    pieces = re.split(r'<script type="application/(json|gzip)" id="export">', page)
    if len(pieces) != 3 or page.count('id="export"') != 1:
        raise UnreadableFile("The page does not hold exactly one game.")
    packing = pieces[1]
    data = pieces[2].partition("</script>")[0]
    if packing == "json":
        return data
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    unpacked = unpacker.decompress(base64.b64decode(data), MAX_FILE_BYTES + 1)
    if len(unpacked) > MAX_FILE_BYTES:
        raise UnreadableFile("The game in the page is too large.")
    return unpacked.decode()


def parse_json(text: str) -> Any:
    """Parse JSON, and refuse whatever two programs could read differently.

    Raises UnreadableFile.
    """

    def build_object(pairs: list[tuple[str, Any]]) -> Json:
        result = dict(pairs)
        if len(result) < len(pairs):
            raise UnreadableFile("The file has a key twice in one object.")
        return result

    def refuse_constant(word: str) -> Any:
        raise UnreadableFile(f"The file has {word}, which is not a number.")

    try:
        data = json.loads(text, object_pairs_hook=build_object, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise UnreadableFile("The file is not JSON.") from None
    # Half of a character, as in "\ud800", has no bytes to hash. Look closely only if one may be there.
    if r"\ud" in text.lower() and re.search(
        "[\ud800-\udfff]", json.dumps(data, ensure_ascii=False)
    ):
        raise UnreadableFile("The file has half a character.")
    return data


def validate_log(log: Any) -> Json:
    """Return the log, with an empty list for each part that it lacks.

    Raises UnreadableFile for a part of the wrong type. Types are compared exactly, since `true`
    would pass for 1.
    """
    if not isinstance(log, dict) or log.get("format") != "grognard-game":
        raise UnreadableFile("The file is not a game exported by Grognard.")
    version = log.get("version")
    if type(version) is not int:
        raise UnreadableFile("The file is damaged: version.")
    if version > EXPORT_VERSION:
        raise UnreadableFile(
            "A newer Grognard wrote this file. Take the verify_log.py of its release."
        )
    if version < EXPORT_VERSION:
        refuse_old_format(f"export version {version}")
    for key in ("game", "head"):
        if not isinstance(log.get(key), str):
            raise UnreadableFile(f"The file is damaged: {key}.")
    required_types: dict[str, dict[str, type]] = {
        "events": {"number": int, "body": dict, "hash": str},
        "seeds": {"epoch": int, "commitment": str},
        "texts": {"event": int, "key": str, "salt": str, "text": str},
        "persons": {"person": str, "name": str},
    }
    for part, columns in required_types.items():
        rows = log.setdefault(part, [])
        if not isinstance(rows, list):
            raise UnreadableFile(f"The file is damaged: {part}.")
        for row in rows:
            for column, required_type in columns.items():
                value = row.get(column) if isinstance(row, dict) else None
                if type(value) is not required_type:
                    raise UnreadableFile(f"The file is damaged: {column} of {part}.")
                if isinstance(value, int) and not 0 <= value < FIRST_UNSAFE_NUMBER:
                    raise UnreadableFile(f"The file is damaged: {column} of {part}.")
    for row in log["seeds"]:
        if read_seed(row.get("seed", "")) is None:  # a seed not yet published is "" or missing
            raise UnreadableFile("The file is damaged: seed of seeds.")
    return log


def refuse_old_format(what: str) -> None:
    """Refuse a format from before the first release."""
    raise UnreadableFile(
        f"This game was made by an unreleased build of Grognard ({what}). Commit {LAST_COMMIT_OF_OLD_FORMAT} opens it."
    )


def read_seed(text: Any) -> bytes | None:
    """Return the bytes of a seed in hex, or None if it is not hex."""
    try:
        return bytes.fromhex(text)
    except (TypeError, ValueError):
        return None


class Head(NamedTuple):
    """A head that somebody noted: the first hex digits of a hash, and the number of its event if
    that was noted too.
    """

    number: int | None
    digits: str


def parse_heads(texts: Iterable[str]) -> list[Head]:
    """Parse heads that somebody noted.

    A text is either one hash alone, or a text from a chat that holds `#57 1c9e06d2a4b80f13` at
    least once. All else in it is passed over. Raises UnreadableFile for a text without a head.
    """
    heads: list[Head] = []
    for text in texts:
        if re.fullmatch("[0-9a-fA-F]{8,64}", text.strip()):
            heads.append(Head(None, text.strip().lower()))
            continue
        # "#57 1c9e06d2", "#57 · 1c9e06d2", "#57 | `1c9e06d2`" or "#57, **1c9e06d2**"
        numbered = re.findall(
            r"#(\d{1,9})[ \t\u00a0]*[·|,]?[ \t\u00a0]*[`*]*([0-9a-fA-F]{8,64})\b", text
        )
        if not numbered:
            shortened = " ".join(text.split())[:70]
            raise UnreadableFile(f"A head has 8 to 64 hex digits; this is not one: {shortened}")
        for number, digits in numbered:
            if int(number) == 0:
                raise UnreadableFile(
                    f"Events are numbered from 1, so there is no #{number} {digits}."
                )
            heads.append(Head(int(number), digits.lower()))
    return list(dict.fromkeys(heads))


# --- 1. Chain


def sha256_hex(text: str) -> str:
    """Return the SHA-256 of a text in hex. `parse_json` has refused halves of characters, which
    would all be hashed as "?".
    """
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def canonical_json(body: Json) -> str:
    """Return the one JSON text of an event: keys sorted, no blanks, whole numbers without a point.

    Raises ValueError for a number that programs could write or read differently.
    """

    def normalize(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: normalize(item) for key, item in value.items()}
        if isinstance(value, list):
            return [normalize(item) for item in value]
        if isinstance(value, int | float) and abs(value) >= FIRST_UNSAFE_NUMBER:
            raise ValueError(
                "it contains a number of 2^53 or more, which programs read differently"
            )
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, float) and "e" in repr(value):
            raise ValueError(
                "it contains a number with an exponent, which programs write differently"
            )
        return value

    normalized = normalize(body)
    return json.dumps(normalized, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def check_chain(log: Json, report: Report) -> None:
    """Check that the events are numbered 1, 2, 3, ... and that each hash covers its event and the
    hash before.
    """
    previous_hash = sha256_hex(log["game"])
    for expected_number, row in enumerate(log["events"], 1):
        number = row["number"]
        body_number = row["body"].get("number")
        if number != expected_number or body_number != number or type(body_number) is not int:
            report.add_fault(
                number,
                f"it stands where event {expected_number} should be (its body says {body_number}).",
            )
        try:
            computed_hash = sha256_hex(previous_hash + "\n" + canonical_json(row["body"]))
            if computed_hash != row["hash"]:
                report.add_fault(
                    number,
                    "the hash does not fit: this event, or the hash before it, was changed.",
                )
        except (ValueError, RecursionError) as error:
            report.add_fault(number, f"it has no single text: {error}.")
        previous_hash = row["hash"]  # not the computed one, so that one change gives one fault
    if log["head"] != previous_hash:
        report.faults.append("The file does not end with the head that it names.")


# --- 2. Heads


def check_heads(log: Json, heads: list[Head], report: Report) -> None:
    """Check that each head that somebody noted is in the log, and note how far heads vouch for it.

    A head vouches for its event and for all events before it, but only if the chain is sound: heads
    are compared with the hashes in the file. So this follows on `check_chain`.
    """
    hashes = [row["hash"] for row in log["events"]]
    last_covered = 0
    last_trusted = 0  # the same, by heads that are too long to be forged
    for head in heads:
        number = find_event_of_head(log["game"], hashes, head, report)
        last_covered = max(last_covered, number)
        if len(head.digits) >= DIGITS_TO_TRUST:
            last_trusted = max(last_trusted, number)
    if not heads or report.faults:
        return
    fit = "1 head fits" if len(heads) == 1 else f"{len(heads)} heads fit"
    report.notes.append(
        f"{fit}. The log up to event {last_covered} of {len(hashes)} is vouched for."
    )
    if last_trusted < last_covered:
        beyond = f" after event {last_trusted}" if last_trusted else ""
        report.notes.append(
            f"Only short heads vouch for it{beyond}. "
            "A head of only 8 digits can be forged in minutes: give 16 digits."
        )


def find_event_of_head(game: str, hashes: list[str], head: Head, report: Report) -> int:
    """Return the number of the event that a head belongs to. Return 0 if it vouches for no event:
    no hash fits, which is a fault, or only the hash that the chain starts from.
    """
    if head.number is None:
        for number, event_hash in enumerate([sha256_hex(game), *hashes]):
            if event_hash.startswith(head.digits):
                return number  # the first one, to claim no more than the head proves
        report.faults.append(
            f"No event has the head {head.digits}: the end was cut off, or the log rewritten."
        )
        return 0
    if head.number > len(hashes):
        report.faults.append(
            f"The log ends with event {len(hashes)}, but #{head.number} {head.digits} is known: its end was cut off."
        )
        return 0
    event_hash = hashes[head.number - 1]
    if not event_hash.startswith(head.digits):
        found = event_hash[: len(head.digits)]
        report.add_fault(
            head.number, f"it has the hash {found}, not {head.digits}: the log was rewritten."
        )
        return 0
    return head.number


# --- 3. Seeds


@dataclass
class Promise:
    """A commitment in the log, and the players' texts that are mixed into its dice."""

    commitment: str
    digest: str = hashlib.sha256(b"").hexdigest()
    digest_parts: list[str] | None = field(default_factory=list)
    """The digest is the hash of these parts, joined by line breaks: all players' texts so far, or an
    older digest and the texts since. None if a text is not in the file: then nobody can tell.
    """
    texts_are_closed: bool = False
    data_was_deleted: bool = False
    seed: bytes | None = None
    """None until the file holds the promised seed."""
    published_in: int | None = None
    """The number of the first event that published the seed."""


@dataclass
class DiceSource:
    """The promise and the digest that the dice of one event are made with."""

    promise: Promise
    digest: str


def read_promises(
    log: Json, texts: TextRows, report: Report
) -> tuple[list[Promise], dict[int, DiceSource]]:
    """Read the promises and the players' texts of a log, and check both.

    Returns the promises in order, and for each event after the first promise what its dice are made
    with. A promise and a player's text count only from the next event on. So each event takes its
    source before this function looks at what the event itself adds.
    """
    promises: list[Promise] = []
    sources: dict[int, DiceSource] = {}
    for row in log["events"]:
        number = row["number"]
        body = row["body"]
        if promises:
            sources[number] = DiceSource(promises[-1], promises[-1].digest)
        secret = body.get("secret")
        if isinstance(secret, dict) and "commitment" in secret:
            add_promise(number, secret, promises, report)
        elif isinstance(secret, dict) and promises:
            add_player_text(number, str(secret.get("digest")), promises[-1], texts, report)
        if promises:
            note_closing_and_deletion(body, promises[-1])
    return promises, sources


def add_promise(number: int, secret: Json, promises: list[Promise], report: Report) -> None:
    """Add a promise, and check that it is a new one with the next number.

    Raises UnreadableFile for the dice protocol of an unreleased build.
    """
    protocol = secret.get("protocol", 1)
    if type(protocol) is int and protocol < DICE_PROTOCOL:
        refuse_old_format(f"dice protocol {protocol}")
    if type(protocol) is not int or protocol != DICE_PROTOCOL:
        report.add_fault(
            number, f"it uses dice protocol {protocol}, which this program does not know."
        )
    commitment = str(secret["commitment"])
    if any(commitment == earlier.commitment for earlier in promises):
        report.add_fault(number, "it promises a seed that was promised before.")
    promises.append(Promise(commitment))
    epoch = secret.get("epoch")
    if type(epoch) is not int or epoch != len(promises):
        report.add_fault(number, f"its seed should have the number {len(promises)}.")


def add_player_text(
    number: int, digest: str, promise: Promise, texts: TextRows, report: Report
) -> None:
    """Add a player's text to a promise, and check that it gives the new digest.

    If this text or an earlier one is not in the file, the digest cannot be computed. Then it is
    only counted.
    """
    if promise.texts_are_closed:
        report.add_fault(number, "a player's text was added after the texts were closed.")
    row = texts.get((number, "text"))
    if row is None:
        parts = None
        is_computable = False
    else:
        parts = find_digest_parts(promise, row["text"], digest)
        is_computable = promise.digest_parts is not None
    if parts is None and is_computable:
        report.add_fault(number, "the digest of the players' words does not match the words.")
    elif parts is None:
        report.unchecked_digests += 1
    # Later texts go on from the digest in the log, so that one change gives one fault.
    promise.digest = digest
    promise.digest_parts = parts


def find_digest_parts(promise: Promise, text: str, new_digest: str) -> list[str] | None:
    """Return what the new digest is the hash of, once a player's text is added. Returns None if
    nothing known gives it.

    Usually that is all players' texts. After somebody's data was deleted, Grognard may not have all
    texts any more. Then the old digest stands for them.
    """
    candidates: list[list[str]] = []
    if promise.digest_parts is not None:
        candidates.append([*promise.digest_parts, text])
    if promise.data_was_deleted:
        candidates.append([promise.digest, text])
    for candidate in candidates:
        if sha256_hex("\n".join(candidate)) == new_digest:
            return candidate
    return None


def note_closing_and_deletion(body: Json, promise: Promise) -> None:
    """Note whether an event closes the players' texts, and whether somebody's data was deleted.
    Neither is taken back: texts once closed stay closed until the next promise.
    """
    if body.get("closes"):
        promise.texts_are_closed = True
    if body.get("kind") == "privacy":
        promise.data_was_deleted = True


def check_seeds(log: Json, promises: list[Promise], report: Report) -> None:
    """Check that each published seed has the promised SHA-256, and keep it for its dice.

    The list `seeds` has a row for each promise, with its seed once that is published. The event that
    published a seed holds it, too.
    """
    for row in log["seeds"]:
        epoch = row["epoch"]
        place = f"Seed {epoch}"
        promise = find_promise(promises, epoch)
        if promise is None:
            report.faults.append(f"{place}: no event promised it.")
        elif row["commitment"] != promise.commitment:
            report.faults.append(f"{place}: its commitment is not the one that was promised.")
        elif row.get("seed"):
            keep_seed(place, read_seed(row["seed"]), promise, report)
    for row in log["events"]:
        revealed = row["body"].get("revealed")
        if isinstance(revealed, dict):
            place = f"Event {row['number']}"
            promise = find_promise(promises, revealed.get("epoch"))
            if promise is None:
                report.faults.append(f"{place}: no event promised the seed that it publishes.")
            else:
                keep_seed(place, read_seed(revealed.get("seed")), promise, report)
                if promise.published_in is None:
                    promise.published_in = row["number"]


def find_promise(promises: list[Promise], epoch: Any) -> Promise | None:
    """Return the promise of an epoch, or None."""
    is_promised = type(epoch) is int and 1 <= epoch <= len(promises)
    return promises[epoch - 1] if is_promised else None


def keep_seed(place: str, seed: bytes | None, promise: Promise, report: Report) -> None:
    """Keep a published seed if it is the promised one. `seed` is None if it cannot be read."""
    if seed is None or hashlib.sha256(seed).hexdigest() != promise.commitment:
        report.faults.append(f"{place}: it is not the seed that was promised.")
    else:
        promise.seed = seed


# --- 4. Dice


def roll_faces(seed: bytes, game: str, event: int, digest: str, sides: list[int]) -> list[int]:
    """Return the faces (1 to `sides`) that a seed gives for the dice of an event, in order.

    HMAC-SHA256 gives one row of 32-bit words for the event. Each die takes the next word that it
    can use: words too high to divide evenly among the faces are skipped.
    """

    def generate_words() -> Iterator[int]:
        block = 0
        while True:
            message = f"{DICE_PROTOCOL}:{game}:{event}:{digest}:{block}"
            yield from struct.unpack(">8I", hmac.digest(seed, message.encode(), "sha256"))
            block += 1

    words = generate_words()
    faces = []
    for count in sides:
        first_unusable = 2**32 // count * count
        word = next(words)
        while word >= first_unusable:
            word = next(words)
        faces.append(word % count + 1)
    return faces


def check_dice(log: Json, texts: TextRows, sources: dict[int, DiceSource], report: Report) -> None:
    """Check every die that was opened, or was never sealed or hidden."""
    for row in log["events"]:
        number = row["number"]
        body = row["body"]
        if sum(key in body for key in ("dice", "sealed", "closed")) > 1:
            report.add_fault(number, "it has dice of two kinds.")
        if not has_readable_hidden_dice(body):
            report.add_fault(number, "its dice cannot be read.")
            continue
        roll = find_roll(texts, number, body)
        if roll is None:
            report.unopened_events += 1
            continue
        dice = roll.get("dice", [])
        if not isinstance(dice, list) or not all(map(is_die, dice)):
            report.add_fault(number, "its dice cannot be read.")
        elif roll.get("hand") is True:
            report.dice_by_hand += len(dice)
        elif dice and number not in sources:
            report.add_fault(number, "dice were rolled before any seed was promised.")
        elif dice:
            check_dice_of_event(log["game"], number, dice, sources[number], report)


def check_dice_of_event(
    game: str, number: int, dice: list[Json], source: DiceSource, report: Report
) -> None:
    """Check the dice of one event against its seed, if that is published."""
    promise = source.promise
    if promise.published_in is not None and promise.published_in <= number:
        report.add_fault(
            number, f"its dice follow from a seed that event {promise.published_in} published."
        )
    if promise.seed is None:
        report.dice_without_seed += len(dice)
        return
    report.dice_checked += len(dice)
    sides = [die["sides"] for die in dice]
    rolled = roll_faces(promise.seed, game, number, source.digest, sides)
    for position, (die, face) in enumerate(zip(dice, rolled, strict=True), 1):
        expected = die["faces"][face - 1] if "faces" in die else face
        is_same_type = type(die["value"]) is type(expected)  # in Python 1 == 1.0 == True
        if die["value"] != expected or not is_same_type:
            report.add_fault(
                number, f"die {position} shows {die['value']}, the seed gives {expected}."
            )


def is_die(die: Any) -> bool:
    """Return whether a value is a die: its number of sides, its value, and its faces if they are
    not 1 to `sides`.
    """
    if not isinstance(die, dict) or "value" not in die or not is_number_of_sides(die.get("sides")):
        return False
    if "faces" not in die:
        return True
    return isinstance(die["faces"], list) and len(die["faces"]) == die["sides"]


def is_number_of_sides(value: Any) -> bool:
    """Return whether a die can have that many sides."""
    return type(value) is int and 1 <= value <= MAX_DIE_SIDES


def find_roll(texts: TextRows, number: int, body: Json) -> Json | None:
    """Return what holds the `dice` of an event, and `hand`: the event itself, or the sealed roll in
    it. Hidden dice get the faces that are in the file.

    Returns None if the roll, or any hidden face of it, is not opened. Without all of its dice an
    event cannot be computed. An event without dice returns itself.
    """
    if "sealed" in body:
        return open_sealed(texts, number)
    if "closed" in body:
        opened = open_hidden_draws(texts, number, body["closed"])
    elif isinstance(body.get("dice"), list):
        opened = open_hidden_cards(texts, number, body["dice"])
    else:
        return body
    return None if opened is None else {**body, "dice": opened}


def open_sealed(texts: TextRows, number: int) -> Json | None:
    """Return the sealed roll of an event, or None if it is not in the file.

    A roll that cannot be read is {}. `check_texts` names it.
    """
    row = texts.get((number, "sealed"))
    if row is None:
        return None
    try:
        content = parse_json(row["text"])
    except UnreadableFile:
        return {}
    return content if isinstance(content, dict) else {}


def is_hidden_card(die: Any) -> bool:
    """Return whether a die drew a card while other cards of its deck were hidden.

    Its value is the name of the card. Its face is hidden, since it tells how many cards are missing
    from the deck. If nothing of the deck is hidden, the value of a die is its face as always.
    """
    return isinstance(die, dict) and "deck" in die and isinstance(die.get("value"), str)


def has_readable_hidden_dice(body: Json) -> bool:
    """Return whether the sides of all hidden dice of an event can be read, if it has any. Only a
    hidden card can have 0 sides.
    """
    if "closed" in body:
        draws = body["closed"]
        if not isinstance(draws, list) or not all(map(is_number_of_sides, draws)):
            return False
    dice = body.get("dice")
    for die in dice if isinstance(dice, list) else []:
        if is_hidden_card(die):
            sides = die.get("sides")
            needed_no_die = type(sides) is int and sides == 0
            if not needed_no_die and not is_number_of_sides(sides):
                return False
    return True


def open_hidden_draws(texts: TextRows, number: int, closed: list[int]) -> list[Json] | None:
    """Return the dice of an event all of whose dice are hidden, or None if a face is not opened."""
    opened = []
    for position, sides in enumerate(closed, 1):
        face = find_hidden_face(texts, number, position)
        if face is None:
            return None
        opened.append({"sides": sides, "value": face})
    return opened


def open_hidden_cards(texts: TextRows, number: int, dice: list[Any]) -> list[Any] | None:
    """Return the dice of an event with the face of each hidden card in the place of its name, or
    None if a face is not opened.

    A hidden card with 0 sides is left out: no die was rolled, as its place in the deck was known.
    Whether it was is for `grognard verify`.
    """
    opened = []
    for position, die in enumerate(dice, 1):
        if not is_hidden_card(die):
            opened.append(die)
        elif die["sides"] > 0:
            face = find_hidden_face(texts, number, position)
            if face is None:
                return None
            opened.append({"sides": die["sides"], "value": face})
    return opened


def find_hidden_face(texts: TextRows, number: int, position: int) -> int | None:
    """Return the face of the hidden die in a position (1, 2, ...) of an event, or None if it is not
    in the file.

    A text that is no number is the face 0, which no seed gives.
    """
    row = texts.get((number, f"face.{position}"))
    if row is None:
        return None
    return int(row["text"]) if re.fullmatch("[0-9]{1,10}", row["text"]) else 0


# --- 5. Texts


def check_texts(log: Json, texts: TextRows, report: Report) -> None:
    """Check that each text in the file is the one whose hash its event holds.

    The hash covers a random salt, a line break and the text, so that nobody can guess a deleted
    text from its hash. The first line of the bot's answer (`said`) was public, and has no salt.
    """
    bodies = {row["number"]: row["body"] for row in log["events"]}
    for row in log["texts"]:
        number = row["event"]
        key = row["key"]
        body = bodies.get(number, {})
        name = f"the text {key[:40]}"
        if key == "said":
            computed_hash = sha256_hex(row["text"])
        else:
            computed_hash = sha256_hex(row["salt"] + "\n" + row["text"])
        # Without a hash in the event this compares with None, so a text too many is named as well.
        if computed_hash != find_text_hash(texts, number, body, key):
            report.add_fault(number, f"{name} was changed, or does not belong to it.")
        elif "\n" in row["salt"]:
            # The beginning of the text could have been moved into the salt, with the same hash.
            report.add_fault(number, f"{name} has no salt of the kind that Grognard writes.")
        elif key == "sealed" and not is_canonical_object(row["text"]):
            report.add_fault(number, f"{name} is not a roll as Grognard writes it.")
        elif row.get("person") and "who" in body and row["person"] != body["who"]:
            report.add_fault(number, f"{name} is said to be another person's.")


def find_text_hash(texts: TextRows, number: int, body: Json, key: str) -> Any:
    """Return the hash of a text as its event, or the sealed roll in it, holds it. Returns None if
    there is none.
    """
    if key in ("said", "sealed"):
        return body.get(key)
    sealed_roll = open_sealed(texts, number) or {}
    for part in (body, sealed_roll):
        hashes = part.get("texts")
        if isinstance(hashes, dict) and key in hashes:
            return hashes[key]
    return None


def is_canonical_object(text: str) -> bool:
    """Return whether a text is the canonical JSON of an object. Another text could be read in two
    ways, such as one with a key twice.
    """
    try:
        content = parse_json(text)
        return isinstance(content, dict) and canonical_json(content) == text
    except (UnreadableFile, ValueError, RecursionError):
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
