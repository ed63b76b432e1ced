#!/usr/bin/env python3
"""Check the log of a Grognard game. This one file needs only Python 3.11, and is meant to be read.

    python3 verify_log.py game.json --head "#57 1c9e06d2a4b80f13" --heads chat.txt

It checks five things:

1. Chain: each event carries a hash of itself and of everything before it.
2. Heads: hashes that somebody noted during the game are in this log.
3. Seeds: each published seed is the one that the log promised, and the players' texts that are
   mixed into its dice give the digest that the log says.
4. Dice: the number on every die, and the number drawn for every card, follows from its seed. What
   is still secret, and what players rolled by hand, is only counted.
5. Texts: every free text in the file is the one that was hashed into its event.

It does not check who may do what and when, which card a number means, or whether a result follows
from the rules of a game. `grognard verify` does that. Names of players are not hashed, so nothing
proves them.

Each event has a number, a hash and a body. This program reads these fields of a body:

    number    1, 2, 3, ...
    who       the person who did it, as a random id
    kind      "roll", "start", ...; "privacy" means that somebody's data was deleted
    secret    with a "commitment": a new seed is promised; with a "digest" alone: a player's text was
              added, and the digest is the hash of all texts so far
    closes    true: from here on no player's text is added to the dice of this seed
    revealed  an earlier seed is published
    dice      [{"label": "d6", "sides": 6, "value": 3}, ...]
    hand      true: these dice were rolled by hand
    closed    [10, 9]: hidden cards were drawn; only the sides of their dice are public
    sealed    the hash of a roll whose content is secret until it is opened
    texts     {"label": "...", ...}: the hashes of free texts
    said      the hash of the first line of the bot's answer

docs/dice.md describes how the dice work, docs/export.md the file.

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
from typing import Any

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
        elif options.heads and "#" not in options.heads and Path(options.heads).is_file():
            heads.append(Path(options.heads).read_text("utf-8-sig", "replace"))
        elif options.heads:
            heads.append(options.heads)
        report = check(load_log(Path(options.file)), heads)
    except (UnreadableFile, OSError, EOFError, ValueError, zlib.error) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(format_report(report)))
    return 1 if report.faults else 0


def check(log: Json, heads: Iterable[str] = ()) -> Report:
    """Check an exported game, and compare it with heads that somebody noted.

    Raises UnreadableFile if the log or a head cannot be read.
    """
    log = validate_log(log)
    known_heads = parse_heads(heads)
    texts = {(row["event"], row["key"]): row for row in log["texts"]}
    report = Report(events=len(log["events"]))
    promises, in_force = check_promises(log, texts, report)
    check_chain(log, report)
    check_heads(log, known_heads, report)
    check_seeds(log, promises, report)
    check_dice(log, texts, in_force, report)
    check_texts(log, texts, report)
    first_event = log["events"][0]["body"] if log["events"] else {}
    if first_event.get("unannounced"):
        report.notes.append(
            "Event 1: nobody could see the promise of this seed before the game began."
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
        "Events with secret dice (not opened, or deleted)": report.unopened_events,
        "Digests of players' texts that cannot be checked": report.unchecked_digests,
    }
    lines += [f"{label}: {count}." for label, count in counts.items() if count]
    return lines + report.notes


# --- Reading the file


def load_log(path: Path) -> Json:
    """Load an exported game: JSON, JSON packed with gzip, or an after-action page that holds it."""
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
    return validate_log(parse_json(text))


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
    """Parse JSON, and refuse whatever two programs could read differently."""

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
    if r"\ud" in text.lower() and re.search(
        "[\ud800-\udfff]", json.dumps(data, ensure_ascii=False)
    ):
        raise UnreadableFile("The file has half of a character.")
    return data


def validate_log(log: Any) -> Json:
    """Return the log with all its parts. Raises UnreadableFile for a part of the wrong type."""
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
        if read_seed(row.get("seed", "")) is None:
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


def parse_heads(texts: Iterable[str]) -> list[tuple[int, str]]:
    """Parse heads that somebody noted, as (number of the event, first hex digits of its hash).

    A text is either one hash alone, whose event is then unknown (0), or any text with `#57
    1c9e06d2a4b80f13` in it.
    """
    heads: list[tuple[int, str]] = []
    for text in texts:
        if re.fullmatch("[0-9a-fA-F]{8,64}", text.strip()):
            heads.append((0, text.strip().lower()))
            continue
        numbered = re.findall(
            r"#(\d{1,9})[ \t\u00a0]*[·|,]?[ \t\u00a0]*[`*]*([0-9a-fA-F]{8,64})\b", text
        )
        if not numbered:
            shortened = " ".join(text.split())[:70]
            raise UnreadableFile(f"A head has 8 to 64 hex digits; this is not one: {shortened}")
        heads += [(int(number), digits.lower()) for number, digits in numbered]
    return list(dict.fromkeys(heads))


# --- 1. Chain


def sha256_hex(text: str) -> str:
    """Return the SHA-256 of a text in hex."""
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
            raise ValueError("it holds a number from 2^53 on, which programs read differently")
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, float) and "e" in repr(value):
            raise ValueError("it holds a number with an exponent, which programs write differently")
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


def check_heads(log: Json, heads: list[tuple[int, str]], report: Report) -> None:
    """Check that each head that somebody noted is in the log.

    Heads are compared with the hashes in the file, so they prove something only if the chain is
    sound: then a head vouches for its event and for all events before it.
    """
    hashes = [row["hash"] for row in log["events"]]
    start = sha256_hex(log["game"])
    last_covered = 0
    for number, digits in heads:
        if number == 0:
            matches = [
                index
                for index, event_hash in enumerate([start, *hashes])
                if event_hash.startswith(digits)
            ]
            if matches:
                last_covered = max(last_covered, matches[0])  # 0 is the start, before event 1
            else:
                report.faults.append(
                    f"No event has the head {digits}: the end was cut off, or the log rewritten."
                )
        elif number > len(hashes):
            report.faults.append(
                f"The log ends with event {len(hashes)}, but #{number} {digits} is known: its end was cut off."
            )
        elif not hashes[number - 1].startswith(digits):
            found = hashes[number - 1][: len(digits)]
            report.add_fault(
                number, f"it has the hash {found}, not {digits}: the log was rewritten."
            )
        else:
            last_covered = max(last_covered, number)
    if not heads:
        return
    if not report.faults:
        fit = "1 head fits" if len(heads) == 1 else f"{len(heads)} heads fit"
        report.notes.append(
            f"{fit}. The log up to event {last_covered} of {len(hashes)} is vouched for."
        )
    if max(len(digits) for _, digits in heads) < DIGITS_TO_TRUST:
        report.notes.append("8 digits of a head can be forged in minutes: give one with 16.")


# --- 3. Seeds


@dataclass
class Promise:
    """A seed that the log promised, and the players' texts that are mixed into its dice.

    The seeds of a game are numbered 1, 2, 3, ...: its epochs. `player_texts` is None once a text is
    missing from the file, so that the digest can no longer be computed.
    """

    commitment: str
    player_texts: list[str] | None = field(default_factory=list)
    digest: str = hashlib.sha256(b"").hexdigest()
    texts_closed: bool = False
    data_deleted: bool = False
    seed: bytes | None = None


def check_promises(
    log: Json, texts: TextRows, report: Report
) -> tuple[list[Promise], dict[int, tuple[Promise, str]]]:
    """Walk through the log and collect the promised seeds.

    Returns the promises in order, and for each event the promise and the digest of the players'
    texts that its dice are made with. A promise counts from the event after the one that makes it.
    """
    promises: list[Promise] = []
    in_force: dict[int, tuple[Promise, str]] = {}
    for row in log["events"]:
        number = row["number"]
        body = row["body"]
        if promises:
            in_force[number] = (promises[-1], promises[-1].digest)
        secret = body.get("secret")
        if isinstance(secret, dict) and "commitment" in secret:
            protocol = secret.get("protocol", 1)
            if type(protocol) is int and protocol < DICE_PROTOCOL:
                refuse_old_format(f"dice protocol {protocol}")
            if type(protocol) is not int or protocol != DICE_PROTOCOL:
                report.add_fault(
                    number, f"it uses dice protocol {protocol}, which this program does not know."
                )
            promises.append(Promise(str(secret["commitment"])))
            if secret.get("epoch") != len(promises):
                report.add_fault(number, f"its seed should have the number {len(promises)}.")
        elif isinstance(secret, dict) and promises:
            add_player_text(number, str(secret.get("digest")), promises[-1], texts, report)
        if promises:
            note_closing_and_deletion(body, promises[-1])
    return promises, in_force


def add_player_text(
    number: int, digest: str, promise: Promise, texts: TextRows, report: Report
) -> None:
    """Check that a player's text gives the new digest. No text may be added once they are closed.

    The new digest is the hash of all texts so far. After somebody's data was deleted it may also be
    the hash of the old digest and the new text. If the text is not in the file, its digest is only
    counted, and so are those after it, until one is made from the old digest again.
    """
    if promise.texts_closed:
        report.add_fault(number, "a player's text was added after the texts were closed.")
    row = texts.get((number, "text"))
    candidates: list[list[str]] = []
    if row and promise.player_texts is not None:
        candidates.append([*promise.player_texts, row["text"]])
    if row and promise.data_deleted:
        candidates.append([promise.digest, row["text"]])
    fitting = [candidate for candidate in candidates if sha256_hex("\n".join(candidate)) == digest]
    if not fitting:
        report.unchecked_digests += 1
        if row and promise.player_texts is not None:
            report.add_fault(number, "the digest of the players' texts is not that of their texts.")
    promise.player_texts = fitting[0] if fitting else None
    promise.digest = digest


def note_closing_and_deletion(body: Json, promise: Promise) -> None:
    """Note whether an event closes the players' texts, and whether somebody's data was deleted."""
    promise.texts_closed = promise.texts_closed or body.get("closes") is True
    promise.data_deleted = promise.data_deleted or body.get("kind") == "privacy"


def check_seeds(log: Json, promises: list[Promise], report: Report) -> None:
    """Check that each published seed has the promised SHA-256, and keep it for its dice.

    Seeds are in the list `seeds`, those not yet published without a `seed`, and in the events that
    published them.
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


def find_promise(promises: list[Promise], epoch: Any) -> Promise | None:
    """Return the promise of an epoch (1, 2, ...), or None."""
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


def check_dice(
    log: Json, texts: TextRows, in_force: dict[int, tuple[Promise, str]], report: Report
) -> None:
    """Check every die that is not secret any more."""
    for row in log["events"]:
        number = row["number"]
        body = row["body"]
        if sum(key in body for key in ("dice", "sealed", "closed")) > 1:
            report.add_fault(number, "it has dice of two kinds.")
        roll = find_roll(texts, number, body)
        if roll is None:
            report.unopened_events += 1
            continue
        dice = roll.get("dice")
        if not dice:
            continue
        if not isinstance(dice, list) or not all(map(is_die, dice)):
            report.add_fault(number, "its dice cannot be read.")
        elif roll.get("hand") is True:
            report.dice_by_hand += len(dice)
        elif number not in in_force:
            report.add_fault(number, "dice were rolled before any seed was promised.")
        else:
            promise, digest = in_force[number]
            check_dice_of_event(log["game"], number, dice, promise.seed, digest, report)


def find_roll(texts: TextRows, number: int, body: Json) -> Json | None:
    """Return where the `dice` of an event are, and whether they were rolled by `hand`.

    That is the event itself, or what was sealed in it. Hidden draws come with the faces that were
    hidden. Returns None if the dice, or any of them, are still secret or were deleted.
    """
    if "sealed" in body:
        return open_sealed(texts, number) if (number, "sealed") in texts else None
    dice = body.get("dice")
    has_hidden_cards = isinstance(dice, list) and any(map(is_hidden_card, dice))
    if "closed" not in body and not has_hidden_cards:
        return body
    opened = open_hidden_draws(texts, number, body)
    return None if opened is None else {**body, "dice": opened}


def check_dice_of_event(
    game: str, number: int, dice: list[Json], seed: bytes | None, digest: str, report: Report
) -> None:
    """Check the dice of one event against its seed, if that is published."""
    if seed is None:
        report.dice_without_seed += len(dice)
        return
    report.dice_checked += len(dice)
    faces = roll_faces(seed, game, number, digest, [die["sides"] for die in dice])
    for position, (die, face) in enumerate(zip(dice, faces, strict=True), 1):
        expected = die["faces"][face - 1] if "faces" in die else face
        if die["value"] != expected or type(die["value"]) is not type(expected):
            report.add_fault(
                number, f"die {position} shows {die['value']}, the seed gives {expected}."
            )


def is_die(die: Any) -> bool:
    """Return whether a value is a die: its number of sides, its value, and its faces if they are
    not 1 to `sides`.
    """
    if not isinstance(die, dict) or "value" not in die:
        return False
    sides = die.get("sides")
    if type(sides) is not int or not 1 <= sides <= MAX_DIE_SIDES:
        return False
    return "faces" not in die or (isinstance(die["faces"], list) and len(die["faces"]) == sides)


def is_hidden_card(die: Any) -> bool:
    """Return whether a die drew a card of a deck with hidden cards.

    Such a die names the card as its value. Its face is kept in a text of its own, `face.N`, since
    it tells which cards are missing from the deck. The card of a public deck has its face as value.
    """
    return isinstance(die, dict) and "deck" in die and isinstance(die.get("value"), str)


def open_sealed(texts: TextRows, number: int) -> Json:
    """Return what was sealed in an event, or {} if it is not in the file."""
    row = texts.get((number, "sealed"))
    try:
        content = json.loads(row["text"]) if row else {}
    except (ValueError, RecursionError):
        content = {}
    return content if isinstance(content, dict) else {}


def open_hidden_draws(texts: TextRows, number: int, body: Json) -> list[Json] | None:
    """Return the dice of an event with hidden faces, or None if a face is not in the file.

    The face of the N-th die is the text `face.N`. A die with 0 sides was not rolled: the players
    already knew which card lay on top. Whether they did is for `grognard verify`.
    """
    dice = body.get("dice")
    if isinstance(body.get("closed"), list):
        # These dice are secret altogether: write them as hidden cards, which are opened below.
        dice = [{"sides": sides, "value": "", "deck": ""} for sides in body["closed"]]
    opened = []
    for position, die in enumerate(dice if isinstance(dice, list) else [], 1):
        if not is_hidden_card(die):
            opened.append(die)
        elif die.get("sides"):
            row = texts.get((number, f"face.{position}"))
            if row is None or not re.fullmatch("[0-9]{1,9}", row["text"]):
                return None
            opened.append({"sides": die["sides"], "value": int(row["text"])})
    return opened


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
        if key == "said":
            computed_hash = sha256_hex(row["text"])
        else:
            computed_hash = sha256_hex(row["salt"] + "\n" + row["text"])
        if computed_hash != find_text_hash(body, open_sealed(texts, number), key):
            report.add_fault(number, f"the text {key[:40]} was changed, or does not belong to it.")
        elif "\n" in row["salt"]:
            # Else the beginning of the text could be moved into the salt, with the same hash.
            report.add_fault(number, f"the text {key[:40]} has no salt as Grognard writes it.")
        elif row.get("person") and row["person"] != body.get("who", row["person"]):
            report.add_fault(number, f"the text {key[:40]} is said to be another person's.")


def find_text_hash(body: Json, sealed_content: Json, key: str) -> Any:
    """Return the hash of a text as its event, or what was sealed in it, holds it. Returns None if
    there is none.
    """
    if key in ("said", "sealed"):
        return body.get(key)
    for part in (body, sealed_content):
        hashes = part.get("texts")
        if isinstance(hashes, dict) and key in hashes:
            return hashes[key]
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
