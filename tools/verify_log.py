#!/usr/bin/env python3
"""Checks the log of a Grognard game, and needs nothing but Python: one file, to be read before it is believed.

    python3 verify_log.py game.json --head "#57 1c9e06d2a4b80f13" --heads chat.txt

It computes again: the chain of hashes, the promises of the seeds, every die whose seed was published, the players'
texts; and replays who plays, turns, units, undo and what was sealed. What inputs and dice lead to stands in tables,
which are not here: `grognard verify` plays that again too. docs/dice.md and docs/export.md describe all of it.
Exit status: 0 sound, 1 faults (a line each), 2 the file or a head cannot be read, 3 sound, but not all played again.
"""

# ruff: noqa: D103 (a check is called what it checks)

import functools
import gzip
import hmac
import itertools
import json
import re
import struct
import sys
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

Json = dict[str, Any]

NO_TEXTS = sha256(b"").hexdigest()
PATCH = ("before", "after")
# The closed list: bot/rules/proof/event_kinds.py has it too, and says how it is read.
TURN = "turn phase turn_of go passes led"
SET = "hand_dice answers confirm rules master packs tracks decks"
UNDONE = f"{TURN} initiative plans orders orders_due system players {SET}"
RULED = "inputs dice out edition base tables hand result used acting texts closes before after read upkeep"
EVENTS: Json = {
    "common": "number at who side kind behind",
    "kinds": {
        "start": [
            "game secret", "free unannounced result before after extends",
            "system name started sides master turn phase turn_of go packs tracks led", "units final barrier",
        ],
        "join": ["before after", "", "players", "beside final playing cards"],
        "leave": ["before after", "", "players", "beside playing cards"],
        "next": ["result before after", "", TURN, "units cards playing"],
        "pass": ["result before after", "", TURN, "units cards playing"],
        "initiative": ["result", "before after", "initiative turn_of go passes", "playing"],
        "plan": ["result before after", "texts", "plans", "beside playing"],
        "order": ["result before after", "texts", "orders orders_due", "beside playing"],
        "orders": ["reads result before after", "", "orders orders_due", "beside final playing"],
        "end": ["before after", "opens shows result texts", "ended winner tracks", "units cards final barrier"],
        "resume": ["", "before after", "ended winner", "final barrier"],
        "unit": ["result", "before after renamed extends", "system packs", "units"],
        "settings": ["", "result before after extends", "hand_dice answers confirm rules master packs", ""],
        "transfer": ["result", "", "", "beside final", "to another channel"],
        "link": [
            "result", "", "", "beside final",
            "played from two channels", "one channel fewer", "a channel agreed to a link",
        ],
        "import": ["secret result", "before after", "master", "final barrier cards"],
        "claim": ["", "own before after", "players master", "beside final cards"],
        "privacy": [
            "result", "before after", "players master", "beside final cards", "somebody's name and texts were deleted",
        ],
        "fair": ["result", "secret texts revealed closes shows before after", "", "beside final cards"],
        "roll": ["command inputs out", "dice hand result texts closes", "", "quiet sealable"],
        "table": [
            "command system target dice", "inputs out edition base tables result texts closes", "", "quiet",
        ],
        "sequence": [
            "command system target", f"{RULED} extends asks", "system initiative go passes packs tracks",
            "units cards quiet sealable",
        ],
        "choice": [
            "event picks system target",
            "edition base read dice out hand result used acting as asks closes before after",
            "tracks", "units",
        ],
        "deck": ["result before after", "texts", "decks", "cards"],
        "draw": ["does result", "dice hand closed seats deck texts closes before after", "go led", "cards quiet"],
        "cards": ["does result before after", "deck seat to texts seats by reason", "", "cards"],
        "sealed": ["of sealed", "hand closes", "", "beside"],
        "reveal": ["opens", "result last before after", "tracks", "units final quiet"],
        "track": ["result before after", "", "tracks", ""],
        "undo": ["event last", "asked alone by reason before after", UNDONE, "units cards"],
        "redo": ["event", "asked by reason asks before after", UNDONE, "units cards"],
    },
    "fields": {
        "number": "count", "at": "time", "who": "word", "side": "name", "kind": "word", "behind": "whole",
        "event": "count", "last": "whole", "asked": "word", "alone": "true", "by": "=manager",
        "reason": "=left|=silent|=edition", "game": "word", "free": "true", "unannounced": "true", "own": "word",
        "renamed": "word", "secret": "seed|digest", "revealed": "revealed", "texts": "{word:hash}", "closes": "true",
        "asks": "asks", "picks": "word+", "as": "=else|=director",
        "keeps": "true", "command": "word", "system": "word", "target": "word", "edition": "count|hash", "base": "word",
        "extends": "{hash:word}",
        "tables": "tables", "inputs": "object", "out": "object", "result": "text", "dice": "die+", "hand": "yes",
        "said": "hash", "used": "unit+", "acting": "word+", "of": "=roll|=sequence", "sealed": "hash",
        "changes": "change+", "read": "{word:value}+", "tracks": "{word:value}+",
        "opens": "count+", "reads": "count+", "before": "patch", "after": "patch",
        "deck": "word", "upkeep": "word",
        "does": "=draw|=lead|=peek|=names|=hold|=deal|=play|=discard|=remove|=return|=shuffle|=give|=back|=agree",
        "closed": "sides*60", "seats": "word+60", "seat": "word", "to": "word", "shows": "count",
    },
    "game": {
        "system": "name", "name": "name", "master": "name", "phase": "name", "initiative": "name", "turn_of": "name",
        "winner": "name", "led": "name", "started": "yes", "ended": "yes", "hand_dice": "yes", "confirm": "yes",
        "answers": "=full|=compact", "turn": "whole", "passes": "whole", "go": "word*", "sides": "word*",
        "plans": "{digits:count}", "orders": "{digits:word}", "orders_due": "time", "players": "{word:word}",
        "packs": "hash*20", "rules": "{word:yes}200", "tracks": "{word:value}200",
        "decks": "{word:deck}12",
    },
    "records": {
        "seed": {
            "epoch": "count", "commitment": "hash", "digest": f"={NO_TEXTS}", "closing?": "true", "announced?": "whole",
            "protocol?": "second",
        },
        "digest": {"digest": "hash"},
        "revealed": {"epoch": "count", "seed": "hash"},
        "asks": {
            "name": "word", "ask": "text", "options": "word+", "says": "name+", "else": "word", "side?": "word",
            "items?": "word+", "units?": "word+", "due?": "time",
        },
        "die": {
            "label": "name", "sides": "whole", "value": "face", "faces?": "face*", "deck?": "word",
            "to?": "=play|=discard|=removed|=back",
        },
        "back": {"type?": "word", "numbers?": "{word:value}+"},
        "unit": {
            "name": "word", "handle": "word", "type": "word", "side?": "word", "state?": "word",
            "numbers?": "{word:value}+", "marks?": "word+", "back?": "back", "turned?": "true",
        },
        "patch": {"game?": "game", "units?": "units", "cards?": "{word:whole}+"},
        "card": {
            "id": "word", "count": "count", "side?": "word", "of?": "{word:word}+", "ends?": "=phase|=turn",
            "after?": "=removed|=back",
        },
        "deck": {"cards": "card+400", "empty": "=reshuffle|=refuse", "lost?": "word*", "dead?": "=out"},
        "change": {"unit": "word", "set": "{word:value|none}", "mark?": "word+", "unmark?": "word+", "turn?": "true"},
    },
    "faces": [2, 3, 3, 4, 4, 5],
}  # fmt: skip
KINDS: dict[str, list[str]] = EVENTS["kinds"]


def is_of(kind: str, trait: str) -> bool:
    """Whether something is true of a kind of event: `units`, `beside`, `final` and so on."""
    return kind in KINDS and trait in KINDS[kind][3].split()


SILENT = 7 * 24 * 3600  # seconds after which a manager may agree in the place of the other side
GONE = ("eliminated", "destroyed", "killed", "combat-ineffective")
MOST_VERSIONS = 20  # of packs that a game remembers
VERSION = 2  # of the file; one that holds nothing new is written as 1
MOST_BYTES = 200_000_000  # also unpacked: a small file may unpack to no end
SINCE = 1_795_392_000  # Unix seconds from when every release promises new seeds under protocol 2


class BadInput(Exception):
    """A file or a head that cannot be read."""


# --- reading ---------------------------------------------------------------------------------------------


def read_json(text: str) -> Any:
    """The JSON of a file that nobody can read in two ways."""

    def once(pairs: list[tuple[str, Any]]) -> Json:
        if len(dict(pairs)) < len(pairs):
            raise BadInput("The file has a key twice in one object.")
        return dict(pairs)

    def no_number(word: str) -> Json:
        raise BadInput(f"The file has {word}, which is not a number.")

    try:
        data = json.loads(text, object_pairs_hook=once, parse_constant=no_number)
    except (ValueError, RecursionError):
        raise BadInput("The file is not JSON.") from None
    if r"\ud" in text.lower() and re.search("[\ud800-\udfff]", json.dumps(data, ensure_ascii=False)):
        raise BadInput("The file has half of a character.")
    return data


def log_text(text: str) -> str:
    """The JSON of the game: the text itself, or what the script element of an after-action page holds."""
    if not text.lstrip().startswith("<"):
        return text
    found = re.findall(r'<script type="application/(json|gzip)" id="export">(.*?)</script>', text, re.DOTALL)
    if len(found) != 1 or text.count('id="export"') != 1:
        raise BadInput("The page does not hold one game.")
    kind, data = found[0]
    if kind == "json":
        return str(data)
    unpacked = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(b64decode(data), MOST_BYTES + 1)
    if len(unpacked) > MOST_BYTES:
        raise BadInput("The game in the page is too large.")
    return unpacked.decode()


def read_log(data: Any) -> Json:
    """The parts of an export, each of its type."""
    if not isinstance(data, dict) or data.get("format") != "grognard-game" or not number(data.get("version")):
        raise BadInput("The file is not a game exported by Grognard.")
    if data["version"] > VERSION:
        raise BadInput("The file was written by a newer Grognard. Take the verify_log.py of its release.")
    shapes: dict[str, dict[str, Any]] = {  # what stands there where nothing does, if that may be
        "events": {"number": None, "body": None, "hash": None},
        "seeds": {"epoch": None, "commitment": None, "seed": ""},
        "texts": {"event": None, "key": None, "salt": None, "text": None, "person": ""},
        "persons": {"person": None, "name": None, "key": "", "user": ""},
    }
    types = {**dict.fromkeys(("number", "epoch", "event"), number), "body": lambda value: isinstance(value, dict)}
    for part, shape in shapes.items():
        rows = data.get(part, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadInput(f"The file is damaged: {part}.")
        for row in rows:
            for key, absent in shape.items():
                if not types.get(key, is_text)(row.get(key, absent)):
                    raise BadInput(f"The file is damaged: {key} of {part}.")
    if not is_text(data.get("game")) or not is_text(data.get("head")):
        raise BadInput("The file is damaged.")
    if not all(re.fullmatch(r"(?a:(\s*[0-9a-fA-F]{2})*\s*)", row.get("seed", "")) for row in data.get("seeds", [])):
        raise BadInput("The file is damaged: seed.")
    persons = [row["person"] for row in data.get("persons", [])]
    if len(set(persons)) < len(persons):
        raise BadInput("The file has a person twice.")
    return data


def read_heads(texts: Any) -> list[tuple[int, str]]:
    """(number, digits) of each head; number 0 for a bare hash."""
    heads = []
    for text in texts:
        if re.fullmatch("[0-9a-f]{8,64}", text.strip().lower()):
            heads.append((0, text.strip().lower()))
            continue
        found = re.findall(r"#(\d{1,9})[ \t\u00a0]*[·|,]?[ \t\u00a0]*[`*]*([0-9a-fA-F]{8,64})\b", text)
        if not found:
            raise BadInput(f"A head has 8 to 64 hex digits; this is not one: {' '.join(text.split())[:70]}")
        heads += [(int(number), digits.lower()) for number, digits in found]
    return list(dict.fromkeys(heads))


# --- chain and dice --------------------------------------------------------------------------------------


def canonical(value: Json) -> str:
    """The one JSON text of an event; ValueError for what has none."""

    def plain(item: Any) -> Any:
        if isinstance(item, dict):
            return {key: plain(entry) for key, entry in item.items()}
        if isinstance(item, list):
            return [plain(entry) for entry in item]
        if isinstance(item, float):
            if item.is_integer() and abs(item) < 2**53:
                return int(item)
            if not repr(item).replace(".", "").lstrip("-").isdecimal():
                raise ValueError("no single text")
        return item

    return json.dumps(plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def hashed(*lines: str) -> str:
    """SHA-256 over lines of text, in hex."""
    return sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()


def face(seed: bytes, game: str, event: int, draw: int, sides: int, digest: str) -> int:
    """1 to `sides`: what the seed gives for a die of an event."""
    attempt = 0
    while True:
        message = f"{game}:{event}:{draw}:{digest}:{attempt}".encode()
        for word in struct.unpack(">8I", hmac.digest(seed, message, "sha256")):
            if word < 2**32 // sides * sides:
                return int(word) % sides + 1
        attempt += 1


def word_row(seed: bytes, game: str, event: int, digest: str) -> Iterator[int]:
    """The row of words from which the dice of an event are taken under protocol 2."""
    for block in itertools.count():
        message = f"2:{game}:{event}:{digest}:{block}".encode()
        yield from struct.unpack(">8I", hmac.digest(seed, message, "sha256"))


def faces(protocol: int, seed: bytes, game: str, event: int, digest: str, sides: list[int]) -> Iterator[int]:
    """What the seed gives for the dice of an event, in the order in which they were asked for."""
    if protocol == 1:
        yield from (face(seed, game, event, draw, each, digest) for draw, each in enumerate(sides))
        return
    row = word_row(seed, game, event, digest)
    for each in sides:
        yield next(word for word in row if word < 2**32 // each * each) % each + 1


def proof_faults(log: Json, heads: Any, count: dict[str, int]) -> Iterator[str]:
    """What is wrong with chain, heads, seeds, texts and dice. `count` gets how much was checked."""
    texts = {(row["event"], row["key"]): row for row in log.get("texts", [])}
    yield from chain_faults(log)
    yield from head_faults(log, heads)
    promises = Promises(texts, count)
    for row in log["events"]:
        yield from promises.read(row["number"], row["body"])
    seeds: dict[int, bytes] = {}
    yield from seed_faults(log, promises.promised, seeds)
    yield from text_faults(log, texts)
    for row in log["events"]:
        at, body = row["number"], row["body"]
        if "sealed" in body:
            count["sealed"] += (at, "sealed") not in texts
            body = content_of(texts, at)
        elif "closed" in body or any(map(names_card, listed(body.get("dice")))):
            body = closed_dice(texts, at, body)
            count["sealed"] += not body
        if body.get("dice"):
            yield from dice_faults(log["game"], at, body, promises.in_force[at], seeds, count)


def chain_faults(log: Json) -> Iterator[str]:
    """Numbers in order, each hash over what stood before it, and the head at the end."""
    previous = sha256(log["game"].encode()).hexdigest()
    for expected, row in enumerate(log["events"], 1):
        at, inner = row["number"], row["body"].get("number")
        if at != expected or type(inner) is not int or inner != at:
            yield f"Event {at}: it stands where event {expected} should."
        try:
            fits = row["hash"] == hashed(previous, canonical(row["body"]))
        except (ValueError, RecursionError):
            fits = False
        if not fits:
            yield f"Event {at}: the hash does not fit (it, or something before it, was changed)."
        previous = row["hash"]
    if log["head"] != previous:
        yield "The file does not end with the head that it names."


def head_faults(log: Json, heads: Any) -> Iterator[str]:
    """Heads that somebody noted down and that are not in this log."""
    hashes = [row["hash"] for row in log["events"]]
    for at, digits in heads:
        if at > len(hashes):
            yield f"The log ends with event {len(hashes)}, but #{at} {digits} is known: its end was cut off."
        elif at and not hashes[at - 1].startswith(digits):
            yield f"Event {at} has the hash {hashes[at - 1][: len(digits)]}, not {digits}: the log was rewritten."
        elif not at and not any(one.startswith(digits) for one in [*hashes, sha256(log["game"].encode()).hexdigest()]):
            yield f"No event has the head {digits}: the end was cut off, or the log rewritten."


class Promises:
    """The seeds that were promised, event by event, and the players' texts in the one that is in force."""

    def __init__(self, texts: Any, count: dict[str, int]) -> None:
        self.texts, self.count = texts, count
        self.promised: list[str] = []
        self.protocol = 1
        self.in_force: dict[int, tuple[int, str, int]] = {}  # event: (epoch, digest, protocol) for its dice
        self.begin(closing=False)

    def begin(self, closing: bool) -> None:
        self.known: list[str] | None = []  # the players' texts, one by one, as far as they are in the file
        self.wiped, self.closed, self.closing, self.digest = False, False, closing, NO_TEXTS

    def read(self, at: int, body: Json) -> Iterator[str]:
        self.in_force[at] = (len(self.promised), self.digest, self.protocol)
        secret = body.get("secret")
        if isinstance(secret, dict) and "commitment" in secret:
            self.promised.append(str(secret["commitment"]))
            named = secret.get("protocol", 1)
            self.protocol = named if type(named) is int and named in (1, 2) else 0
            if not self.protocol:
                yield f"Event {at}: its dice have no protocol {str(named)[:40]}."
            self.begin(closing=secret.get("closing") is True)
            if type(secret.get("epoch")) is not int or secret["epoch"] != len(self.promised):
                yield f"Event {at}: it begins another seed than the next one, {len(self.promised)}."
        elif isinstance(secret, dict) and self.promised:
            yield from self.add(at, secret)
        self.wiped |= body.get("kind") == "privacy"
        rolls = (body.get("dice") or "sealed" in body or "closed" in body) and not body.get("hand")
        if body.get("closes") is True if self.closing else rolls:
            self.closed = True

    def add(self, at: int, secret: Json) -> Iterator[str]:
        """A player's text, which changes the digest."""
        if self.closed:
            yield f"Event {at}: players' texts were changed after they were closed."
        added, given, known = self.texts.get((at, "text")), secret.get("digest"), self.known
        # Whose texts were deleted in between still have their part: the digest of before stands for them.
        ways = [*([known] if known is not None else []), *([[self.digest]] if self.wiped else [])] if added else []
        word_now = added["text"] if added else ""
        fits = [[*way, word_now] for way in ways if hashed(*way, word_now) == given]
        if added and not fits and known is not None:
            yield f"Event {at}: the digest of the players' texts is not that of their texts."
        self.count["digests"] += not fits
        self.known, self.digest = fits[0] if fits else None, str(given)


def seed_faults(log: Json, promised: list[str], seeds: dict[int, bytes]) -> Iterator[str]:
    """Published seeds that are not those promised; the others are put into `seeds`."""
    published = [(row["number"], row["body"].get("revealed")) for row in log["events"]]
    published += [(0, row) for row in log.get("seeds", [])]
    for at, row in published:
        if not isinstance(row, dict):
            continue
        epoch, where = row.get("epoch"), f"Event {at}" if at else f"Seed {row.get('epoch')}"
        right = promised[epoch - 1] if type(epoch) is int and 0 < epoch <= len(promised) else None
        try:
            seed = bytes.fromhex(row.get("seed", ""))
        except (ValueError, TypeError):
            seed = b""
        unfit = (seed or at) and sha256(seed).hexdigest() != right
        if right is None or row.get("commitment", right) != right or unfit:
            yield f"{where}: it is not the seed that was promised."
        elif seed and type(epoch) is int:
            seeds[epoch] = seed


def text_faults(log: Json, texts: Any) -> Iterator[str]:
    """Texts whose salted hash is in no event, or that are said to be another person's."""
    bodies = {row["number"]: row["body"] for row in log["events"]}
    for row in log.get("texts", []):
        body = bodies.get(row["event"], {})
        sealed = content_of(texts, row["event"])
        held = [part["texts"] for part in (body, sealed) if isinstance(part.get("texts"), dict)]
        right = body.get(row["key"]) if row["key"] in ("sealed", "said") else next(
            (part[row["key"]] for part in held if row["key"] in part), None
        )  # fmt: skip
        if right != (hashed(row["text"]) if row["key"] == "said" else hashed(row["salt"], row["text"])):
            yield f"Event {row['event']}: the text {row['key'][:40]} was changed, or is none of it."
        elif "\n" in row["salt"]:  # with a part of the text in it, that could be cut
            yield f"Event {row['event']}: the text {row['key'][:40]} has no salt as Grognard writes it."
        elif row.get("person") and row["person"] != body.get("who", row["person"]):
            yield f"Event {row['event']}: the text {row['key'][:40]} is said to be another person's."


def dice_faults(
    game: str, at: int, body: Json, in_force: tuple[int, str, int], seeds: dict[int, bytes], count: dict[str, int]
) -> Iterator[str]:
    """Dice of one event that its seed does not give."""
    dice, (epoch, digest, protocol) = body["dice"], in_force
    if not isinstance(dice, list) or not all(map(fits("die"), dice)):
        yield f"Event {at}: its dice cannot be read."
    elif body.get("hand") is True:
        count["by_hand"] += len(dice)
    elif not epoch:
        yield f"Event {at}: dice were rolled before any commitment was published."
    elif epoch not in seeds or not protocol:
        count["waiting"] += len(dice)
    else:
        count["dice"] += len(dice)
        places = faces(protocol, seeds[epoch], game, at, digest, [die["sides"] for die in dice])
        for draw, (die, place) in enumerate(zip(dice, places, strict=True)):
            given = die["faces"][place - 1] if "faces" in die else place
            if given != die["value"] or type(given) is not type(die["value"]):
                yield f"Event {at}: die {draw + 1} shows {die['value']}, the seed gives {given}."


def closed_dice(texts: Any, at: int, body: Json) -> Json:
    """The dice of an event that closed faces, those by their own texts; {} where one is not in the file. A card of
    known place came without a die."""
    closed = [{"label": body.get("deck"), "sides": n, "value": "", "deck": ""} for n in listed(body.get("closed"))]
    dice = [*enumerate(closed or listed(body.get("dice")), 1)]
    keys = [(n, (at, f"face.{n}")) for n, die in dice if names_card(die) and die.get("sides")]
    faces = {n: str(texts.get(key, {}).get("text", "")) for n, key in keys}
    if not all(re.fullmatch("[0-9]{1,9}", face) for face in faces.values()):
        return {}
    plain = ("label", "sides", "value")
    return {"dice": [{key: die[key] for key in plain} | {"value": int(faces[n])} if n in faces else die
                     for n, die in dice if n in faces or not names_card(die)]}  # fmt: skip


def names_card(die: Any) -> bool:
    """Whether a die is of a deck with closed cards: it names the card that it drew, its face is closed."""
    return isinstance(die, dict) and "deck" in die and isinstance(die.get("value"), str)


def content_of(texts: Any, at: int) -> Json:
    """What was sealed in an event, or {} where it is not in the file."""
    try:
        found = json.loads(texts[at, "sealed"]["text"]) if (at, "sealed") in texts else {}
    except (ValueError, RecursionError):
        found = {}
    return found if isinstance(found, dict) else {}


# --- the closed list: what an event may be ---------------------------------------------------------------


def number(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value < 2**53


def has_large_number(body: Any) -> bool:
    """Whether a whole number in it is one that a browser would read as another."""
    rest = [body]
    while rest:
        value = rest.pop()
        rest += value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        if isinstance(value, (int, float)) and abs(value) >= 2**53:
            return True
    return False


def is_text(value: Any, least: int = 0, most: int = 10**9) -> bool:
    return isinstance(value, str) and least <= len(value) <= most


def is_hex(value: Any, count: int) -> bool:
    return isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{count}}}", value) is not None


def is_value(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= 200 and all(not isinstance(item, list) and is_value(item) for item in value)
    return isinstance(value, (bool, int, float)) or is_text(value, 0, 200)


BASE: dict[str, Callable[[Any], bool]] = {
    "whole": number, "count": lambda value: number(value, 1), "time": lambda value: number(value) and value < 10**11,
    "sides": lambda value: number(value, 1) and value <= 2**32, "second": lambda value: number(value, 2) and value == 2,
    "word": lambda value: is_text(value, 1, 200), "digits": lambda value: is_text(value, 1, 200) and value.isdecimal(),
    "name": lambda value: is_text(value, 0, 200), "text": lambda value: is_text(value, 1, 8000),
    "hash": lambda value: is_hex(value, 64), "tables": lambda value: is_hex(value, 12),
    "true": lambda value: value is True, "yes": lambda value: isinstance(value, bool),
    "none": lambda value: value is None, "face": lambda value: type(value) in (int, str), "value": is_value,
    "object": lambda value: isinstance(value, dict) and bool(value),
    "game": lambda value: isinstance(value, dict) and all(
        fits(EVENTS["game"][field])(item) for field, item in value.items() if field in EVENTS["game"]),
    "units": lambda value: isinstance(value, dict) and all(
        unit is None or (fits("unit")(unit) and unit["name"].casefold() == key) for key, unit in value.items()),
}  # fmt: skip


RECORDS = {
    kind: ({key.rstrip("?"): of for key, of in record.items()}, {key for key in record if key[-1] != "?"})
    for kind, record in EVENTS["records"].items()
}


def _check_of(kind: str) -> Callable[[Any], bool]:
    """What tells whether a value is of a kind, as EVENTS writes it: each is read once."""
    if kind in BASE:
        return BASE[kind]
    if kind in RECORDS:
        return lambda value: fits_record(kind, value)
    if found := re.fullmatch(r"\{(\w+):(.+)\}(\+?)(\d*)", kind):
        name, of, least, most = fits(found[1]), fits(found[2]), len(found[3]), int(found[4] or 10**9)
        return lambda value: isinstance(value, dict) and least <= len(value) <= most and all(
            name(key) and of(item) for key, item in value.items())  # fmt: skip
    if "|" in kind:
        either = [*map(fits, kind.split("|"))]
        return lambda value: any(one(value) for one in either)
    if found := re.fullmatch(r"(\w+)([*+])(\d*)", kind):
        item, few, many = fits(found[1]), found[2] == "+", int(found[3] or 10**9)
        return lambda value: isinstance(value, list) and few <= len(value) <= many and all(map(item, value))
    return lambda value: isinstance(value, str) and value == kind.removeprefix("=")


fits: Callable[[str], Callable[[Any], bool]] = functools.cache(_check_of)


def fits_record(kind: str, value: Any) -> bool:
    """Whether a value is a record of a kind: it has the keys that it needs, and no others than it may have."""
    kinds, needed = RECORDS[kind]
    if not isinstance(value, dict) or not needed <= value.keys():
        return False
    if not all(key in kinds and fits(kinds[key])(item) for key, item in value.items()):
        return False
    if kind == "unit":
        marks = value.get("marks", [])
        return marks == sorted(set(marks)) and ("back" in value or "turned" not in value)
    if kind != "die":
        return kind != "patch" or bool(value)
    if not (0 < value["sides"] <= 2**32 or (value["sides"] == 0 and names_card(value))):
        return False
    is_card = "deck" in value and "to" in value and "faces" not in value
    return is_card or (
        len(value.get("faces", "x" * value["sides"])) == value["sides"] and not value.keys() & {"deck", "to"}
    )


def shape_faults(body: Json) -> Iterator[str]:
    """What is wrong with one event by itself."""
    kind = body.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        yield f"Grognard writes no event of the kind {str(kind)[:70]}."
        return
    needs, may, game, _, *told = KINDS[kind]
    keeps = ["keeps"] if is_of(kind, "beside") or is_of(kind, "quiet") else []
    yield from field_faults(body, f"{EVENTS['common']} {needs}".split(), [*may.split(), *keeps, "said"])
    if has_large_number(body):
        yield "it has a whole number of 2^53 or more, which not every reader of JSON takes for the same."
    if all(fits("patch")(body[part]) for part in PATCH if part in body):
        before, after = (body.get(part, {}) for part in PATCH)
        for part in ("game", "units", "cards"):
            was, now = before.get(part, {}), after.get(part, {})
            if was.keys() != now.keys() or any(was[key] == now[key] for key in was):
                yield "before and after do not tell one change."
        yield from (f"an event of the kind {kind} cannot change {field}." for field in after.get("game", {})
                    if field not in game.split())  # fmt: skip
        for part in ("units", "cards"):
            if after.get(part) and not is_of(kind, part):
                yield f"an event of the kind {kind} cannot change {part}."
    if told and body.get("result") not in told:
        yield "its words are none that Grognard writes."


def field_faults(body: Json, needs: list[str], may: list[str]) -> Iterator[str]:
    """Fields that are missing, unknown or not of their type; of a roll also what its kind must not have."""
    for field in needs:
        if field not in body:
            yield f"it needs {field}."
    for field, value in body.items():
        if field not in needs and field not in may:
            yield f"it cannot hold {field[:70]}."
        elif not fits(EVENTS["fields"][field])(value):
            yield f"its {field} cannot be read."
    draws = any(isinstance(die, dict) and "deck" in die for die in listed(body.get("dice")))
    if draws and (body["kind"] != "sequence" or "number" not in body):
        yield "it draws cards, which only open sequences do."
    if body["kind"] in ("sequence", "table", "choice"):
        if ("edition" in body) == ("tables" in body):
            yield "it must name one edition of the rules."
        if any(
            isinstance(die, dict) and die.get("faces", EVENTS["faces"]) != EVENTS["faces"]
            for die in listed(body.get("dice"))
        ):
            yield "a die has faces that no rule asks for."
    if "number" in body and body.get("hand") is False:
        yield "its hand cannot be read."
    yield from closing_faults(body)


def closing_faults(body: Json) -> Iterator[str]:
    """Of a roll other texts than its label, of a sequence other ones than the faces that it closes."""
    dice, texts = [*enumerate(listed(body.get("dice")), 1)], body.get("texts")
    faces = {f"face.{n}" for n, die in dice if names_card(die) and die.get("sides")}
    if faces - {*(texts if isinstance(texts, dict) else ())}:
        yield "it shows no hash of a face that it closes."
    if body.get("hand") and any(names_card(die) for _, die in dice):
        yield "it closes faces of real cards."
    may_hold = {"roll": {"label"}, "table": set[str](), "sequence": faces}.get(body["kind"])
    if may_hold is not None and isinstance(texts, dict) and not texts.keys() <= may_hold:
        yield "it cannot hold such texts."


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def pack_hash(files: Any) -> str:
    """The version of a pack: the SHA-256 over its files in the order of their names."""
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        return ""
    total = sha256()
    for file in sorted(files):
        data = files[file].encode("utf-8", "replace")
        total.update(f"{file}\n{len(data)}\n".encode() + data)
    return total.hexdigest()


DECK_ID, WORD = "[a-z0-9][a-z0-9-]{0,23}", r"([1-9][0-9]{0,15})\.(w[1-9][0-9]{0,2})"


TOP, BOTTOM = ENDS = ("=top", "=bottom")  # known ends of a pile: as hands that nobody holds
SEEN = "+seen"  # the undo behind which it is kept what seats, or all, have seen of known ends
OPEN = ("play", "discard", "removed")  # places where cards lie open, by card; hands are counted by seat


class Pile:
    """What is left of a deck, and what is out of it: see "Cards drawn" in docs/dice.md."""

    def __init__(self, id: str, deck: Json, out: dict[str, int], held: Iterable[str] = ()) -> None:
        self.id, self.deck, self.out = id, deck, dict(out)
        self.left = {card["id"]: card["count"] for card in deck.get("cards", [])}
        for name, count in out.items():
            if name.startswith(f"{id}/"):
                place, _, card = name[len(id) + 1 :].partition("/")
                if place in OPEN or place == "known":
                    card = card if place in OPEN else card.rpartition("/")[2]
                    self.left[card] = self.left.get(card, 0) - count
        for card in held:
            self.left[card] = self.left.get(card, 0) - 1

    def at(self, place: str) -> dict[str, int]:
        """How many of which card are in a place."""
        start = f"{self.id}/{place}/"
        return {key[len(start) :]: count for key, count in self.out.items() if key.startswith(start)}

    @property
    def size(self) -> int:
        """How many cards it has, which all can tell."""
        return int(sum(self.left.values()) - sum(self.at("hand").values()))

    @property
    def no_ends(self) -> dict[str, int]:
        """What is out of it once its known ends are shuffled in."""
        return {key: n for key, n in self.out.items() if key not in [f"{self.id}/hand/{end}" for end in ENDS]}

    @property
    def text(self) -> str:
        """What is left, and where they would join it the discards, as a sequence says what it drew from."""
        order, discards = [card["id"] for card in self.deck["cards"]], self.at("discard")
        halves = [self.left, discards][: 1 + (self.deck["empty"] == "reshuffle")]
        rows = (
            (card if half[card] == 1 else f"{card}*{half[card]}" for card in order if half.get(card)) for half in halves
        )
        return " / ".join(" ".join(row) or "-" for row in rows)

    def closed_text(self, ends: list[str]) -> str:
        """The same of a deck with closed cards: what all have not seen, and how it comes; `ends` are those of known
        place, "?" for one that only some have seen. "" for ends that it cannot have."""
        pile = Pile(self.id, self.deck, self.out, [card for card in ends if card != "?"])
        top, size = self.out.get(f"{self.id}/hand/{TOP}", 0), self.size
        if len(ends) != top + self.out.get(f"{self.id}/hand/{BOTTOM}", 0) or min(pile.left.values()) < 0:
            return ""
        row = [(card, len([*some])) for card, some in itertools.groupby([*ends[:top], *["_"] * size, *ends[top:]])]
        return f"{pile.text} | {' '.join(card if n == 1 else f'{card}*{n}' for card, n in row) or '-'}"

    def sides(self, count: int, peeks: bool) -> list[int]:
        """The sides of the dice of so many cards; what is on the known ends is taken off without one."""
        size, sides = self.size, list[int]()
        for _ in range(count):
            ends = [TOP] * (not peeks) + [BOTTOM] * (not size)
            end = next((end for end in ends if self.out.get(f"{self.id}/hand/{end}")), "")
            if end:
                self.put("hand", end, -1)
                continue
            if not size and self.deck["empty"] == "reshuffle":
                size = sum(self.at("discard").values())
                self.refill()
            sides.append(size)
            size -= 1
        return sides

    def put(self, place: str, what: str, count: int = 1) -> None:
        """So many more cards are in a place."""
        key = f"{self.id}/{place}/{what}"
        self.out[key] = self.out.get(key, 0) + count

    def refill(self) -> None:
        """Where it is empty its discards are the pile, if the deck says so."""
        discards = self.at("discard")
        if self.deck["empty"] == "reshuffle" and discards:
            for card, count in discards.items():
                self.left[card] = self.left.get(card, 0) + count
            self.out = {key: count for key, count in self.out.items() if not key.startswith(f"{self.id}/discard/")}

    def draw(self, die: Json, seat: str = "") -> str | None:
        """The card that a die draws; None for a die that the pile does not ask for."""
        if not sum(self.left.values()):
            self.refill()
        face, size = die["value"], sum(self.left.values())
        if die.keys() != {"label", "sides", "value"} or (die["label"], die["sides"]) != (self.id, size):
            return None
        if type(face) is not int or not 1 <= face <= size:
            return None
        row = (card for card, count in self.left.items() for _ in range(count))
        card: str = next(itertools.islice(row, face - 1, None))
        self.left[card] -= 1
        self.put("hand" if seat else "play", seat or card)
        return card


def opened_faults(events: list[Json], texts: dict[tuple[int, str], str]) -> Iterator[tuple[int, str]]:
    """Closed cards and faces that an event opened, computed again: (event, what is wrong)."""
    opens = [(body["shows"], body["number"]) for body in events if "shows" in body]
    out, decks, told, seen = dict[str, int](), dict[str, Json](), dict[int, Json](), set[str]()
    by_number = {body["number"]: body for body in events}

    def hands_of(deck: str) -> Json:
        """What is in its closed hands now: [draw, card] by seat, the oldest first; of known ends what is left there."""
        hands, there = told.get(out.get(f"{deck}/last", 0), {}), Pile(deck, {}, out).at("hand")
        gone = {end: max(0, len(hands.get(end, ())) - there.get(end, 0)) for end in ENDS}
        return {seat: [*held[gone.get(seat, 0) :]] for seat, held in hands.items() if there.get(seat)}

    for body in events:
        at, deck = body["number"], body.get("deck", "")
        if any(first <= at < by for first, by in opens) and body.keys() & {"closed", "seat", "to"}:
            hands = hands_of(deck)
            try:
                follow = drawn_hands if "closed" in body else left_hands
                told[at] = follow(body, decks[deck], out, hands, texts)
            except (KeyError, ValueError, IndexError, StopIteration):
                yield at, "what it closed is not in the file as it was opened, or not what its dice draw."
        if any(first <= at < by for first, by in opens) and body["kind"] == "sequence":
            read = [one for one in decks if f"deck.{one}" in body.get("read", {}) and out.get(f"{one}/last")]
            yield from named_faults(body, decks, out, {one: hands_of(one) for one in read}, texts, seen)
        seen |= {f"{at}.{n}" for n in range(1, 61)} if body.keys() & {"seat", "to"} == {"to"} else set()
        if "shows" in body and body["kind"] == "end":
            before, after = (body.get(part, {}).get("cards", {}) for part in PATCH)
            for one in decks:
                for seat, held in hands_of(one).items():
                    for card in set[str]() if seat in ENDS else {card for _, card in held}:
                        key = f"{one}/known/{seat}/{card}"
                        if after.get(key, 0) - before.get(key, 0) != sum(other == card for _, other in held):
                            yield at, "it opens other hands than were drawn."
        out = {**out, **body.get("after", {}).get("cards", {})}
        decks |= body.get("after", {}).get("game", {}).get("decks", {})
        undone = by_number[body["event"]] if body.get("after", {}).get("cards", {}).get(SEEN) else {}
        seen |= seen_again(undone, {one: hands_of(one) for one in decks if undone})


def seen_again(undone: Json, closed: Json) -> set[str]:
    """The draws that an event, now undone, took off the known ends for all to see, by the hands of each deck then."""
    if "seats" in undone or undone.get("does") == "peek":
        return set()
    found = set[str]()
    for one, hands in closed.items():
        for end in ENDS:
            was, now = (undone.get(part, {}).get("cards", {}).get(f"{one}/hand/{end}", 0) for part in PATCH)
            found |= {draw for draw, _ in hands.get(end, [])[: max(0, was - now)]}
    return found


def is_remembered(event: Json) -> bool:
    """Whether it changed closed cards: then its undo says that nobody forgets what they saw of known ends."""
    changed = event.get("before", {}).get("cards", {}) if event.get("does") != "shuffle" else {}
    return any(name.endswith("/last") or "/hand/=" in name for name in changed)


def ends_in(pile: Any) -> list[str]:
    """The cards of known place of a pile as an event says that it was read: "?" for one that only some had seen."""
    words = [word for word in " ".join(map(str, listed(pile))).partition("|")[2].split() if word != "-"]
    found = [re.fullmatch(r"([A-Za-z0-9.-]{1,40}|[?])(?:\*([1-9][0-9]{0,3}))?", word) for word in words]
    rows = [(one[1], int(one[2] or 1)) for one in found if one]
    return [card for card, count in rows for _ in range(count)] if sum(n for _, n in rows) <= 1000 else ["|"]


def named_faults(
    body: Json, decks: Json, out: dict[str, int], closed: Json, texts: dict[tuple[int, str], str], seen: set[str]
) -> Iterator[tuple[int, str]]:
    """What is wrong with the opened faces of a combat sequence, by the hands of each deck that was `closed`."""
    try:
        for deck, hands in closed.items():
            named_cards(body, deck, decks[deck], out, hands, texts, seen)
    except (KeyError, ValueError, IndexError):
        yield body["number"], "its closed faces are not in the file as they were opened, or do not draw its cards."


def named_cards(
    body: Json, id: str, deck: Json, out: dict[str, int], hands: Json, texts: dict[tuple[int, str], str], seen: set[str]
) -> None:
    """ValueError where the closed faces of a combat sequence draw other cards of a deck than it names, or where others
    were known to all on its ends than it says: those whose draws all have `seen`."""
    rows = [*hands.get(TOP, []), *hands.get(BOTTOM, [])]
    if ends_in(body["read"][f"deck.{id}"]) != [card if draw in seen else "?" for draw, card in rows]:
        raise ValueError
    pile = Pile(id, deck, out, [card for held in hands.values() for _, card in held])
    for n, die in enumerate(body.get("dice", []), 1):
        if die.get("deck") != id:
            continue
        end = next((end for end in (TOP, *[BOTTOM] * (not sum(pile.left.values()))) if hands.get(end)), "")
        if end:
            card = hands[end].pop(0)[1]
        else:
            face = texts[body["number"], f"face.{n}"]
            value = int(face) if re.fullmatch("[0-9]{1,9}", face) else 0
            card = pile.draw({"label": id, "sides": die["sides"], "value": value})
        if card != die["value"]:
            raise ValueError


def drawn_hands(body: Json, deck: Json, out: dict[str, int], hands: Json, texts: dict[tuple[int, str], str]) -> Json:
    """The hands behind a closed draw; ValueError where its faces draw other cards."""
    at, seats, sides, peeks = body["number"], seats_of(body), [*body["closed"]], body["does"] == "peek"
    pile = Pile(body["deck"], deck, out, [card for held in hands.values() for _, card in held])
    named = body["result"].partition(": ")[2].split(", ")
    if seats or peeks:
        named = [texts[at, f"card.{n}"] for n in range(1, len(seats) + 1)]
    new = list[tuple[str, tuple[str, str]]]()
    for n, name in enumerate(named, 1):
        ends = [TOP] * (not peeks) + [BOTTOM] * (not sum(pile.left.values()))
        end, draw = next((end for end in ends if hands.get(end)), ""), f"{at}.{n}"
        if end:
            was, card = hands[end].pop(0)
            draw = was if peeks else draw  # it is on top then, and still the same draw to whoever knew it
        else:
            told = texts[at, f"face.{len(body['closed']) - len(sides) + 1}"]
            face = int(told) if re.fullmatch("[0-9]{1,9}", told) else 0
            card = pile.draw({"label": body["deck"], "sides": sides.pop(0), "value": face})
        if card != name:
            raise ValueError
        new += [(seats[n - 1], (draw, name))] if seats else []
    for seat, one in new:
        hands.setdefault(seat, []).append(one)
    if sides:
        raise ValueError
    return hands


def seats_of(body: Json) -> list[str]:
    """For whom cards were drawn; what a peek draws stays on top."""
    peeked = sum(key.startswith("card.") for key in body.get("texts", {}))
    return [TOP] * peeked if body["does"] == "peek" else body.get("seats", [])


def with_ends(hands: Json, end: str, held: list[tuple[str, str]]) -> Json:
    """The hands once more is put on a known end, or into one of them."""
    was = hands.get(end, [])
    return {**hands, end: [*held, *was] if end == TOP else [*was, *held]}


def left_hands(body: Json, _: Json, out: dict[str, int], hands: Json, texts: dict[tuple[int, str], str]) -> Json:
    """The hands behind an event that took cards out of one; ValueError for a card that was not in it."""
    at, deck, seat, to = body["number"], body["deck"], body.get("seat", ""), body.get("to", "")
    if not seat:
        named = body["result"].partition(": ")[2].split(", ")
        return with_ends(hands, to, [(f"{at}.{n}", card) for n, card in enumerate(named, 1)])
    moves = list[tuple[str, str]]()
    held, known, closed = hands.setdefault(seat, []), dict(out), list[str]()
    for card in body["result"].partition(": ")[2].split(", ") if body["does"] in ("play", "discard") else []:
        key = f"{deck}/known/{seat}/{card}"
        if known.get(key):
            known[key] -= 1
        else:
            closed.append(card)
    for n in range(1, sum(key.startswith("from.") for key in body.get("texts", {})) + 1):
        found = next(one for one in held if one[0] == texts[at, f"from.{n}"])
        if closed and found != next((one for one in held if one[1] == closed[n - 1]), None):
            raise ValueError
        held.remove(found)
        if to and texts[at, f"card.{n}"] != found[1]:
            raise ValueError
        moves.append((f"{at}.{n}", found[1]))
    return with_ends(hands, to, moves) if to else hands


# --- replay: whether each event follows on those before --------------------------------------------------


class Game:
    """The state that the events lead to; `faults` says what does not follow."""

    def __init__(self, log: Json) -> None:
        self.id: str = log["game"]
        self.now: Json = {
            "system": "", "name": "", "started": False, "ended": False, "winner": "",
            "sides": [], "players": {}, "master": "",
            "turn": 0, "phase": "", "initiative": "", "turn_of": "", "go": [], "passes": 0, "led": "", "plans": {},
            "orders": {}, "orders_due": 0,
            "hand_dice": True, "answers": "full", "confirm": False, "rules": {}, "packs": [], "tracks": {},
            "decks": {},
        }  # fmt: skip
        self.faults: list[str] = []
        self.remarks: list[str] = []
        self.events: dict[int, Json] = {}
        self.contents: dict[int, Json] = {}  # of sealed events
        self.units: Json = {}
        self.hidden = 0  # the first event with closed cards or faces that none has opened
        self.cards: dict[str, int] = {}  # out of their piles: how many, by DECK/PLACE/CARD
        self.sealed: dict[int, str] = {}
        self.waits: dict[int, Json] = {}  # events that ask a side for a choice, with what they ask
        self.redo: list[int] = []
        self.withdrawn: list[int] = []
        self.acted, self.here, self.left = set[str](), set[str](), set[str]()
        self.acted_before, self.left_here = set[str](), set[str]()  # up to the last import; left: since then
        self.claimed: dict[str, str] = {}  # as whom somebody went on
        self.agreed: dict[int, bool] = {}  # of what was undone: whether by agreement
        self.left_sides: dict[str, str] = {}  # who left which side
        self.joined: dict[str, int] = {}  # since which event somebody plays their side
        self.closing = self.closed = self.all_closing = self.has_texts = False
        self.imported = self.last = self.epoch = self.promised = self.outcomes = 0  # imported: by which event, last
        self.last_word, self.protocol = "", 1
        for version, files in log.get("packs", {}).items():
            if pack_hash(files) != version:
                self.faults.append(f"The pack {version[:8]} in the file is not what its hash says.")
        for row in log.get("texts", []):
            if row["key"] == "sealed":
                self.read_content(row["event"], row["text"])

    def read_content(self, at: int, text: str) -> None:
        """What was sealed in an event: a roll or sequence with the changes of units that it makes."""
        try:
            content = json.loads(text)
            content = content if canonical(content) == text else None  # else it could be read in two ways
        except (ValueError, TypeError, RecursionError):
            content = None
        kind = content.get("kind") if isinstance(content, dict) and not has_large_number(content) else None
        if kind not in ("roll", "sequence"):
            wrong = ["what was sealed in it cannot be read."]
        else:
            needs, may = (" ".join(field for field in fields.split() if field not in (*PATCH, "closes"))
                          for fields in KINDS[kind][:2])  # fmt: skip
            wrong = list(field_faults(content, ["kind", *needs.split()], [*may.split(), "changes", "tracks"]))
        self.faults += [f"Event {at}: {line}" for line in wrong]
        if not wrong:
            self.contents[at] = content

    def read(self, events: list[Json]) -> None:
        """Follow the events to the end, or to one that cannot be followed."""
        at_before = 0
        for body in events:
            wrong = list(shape_faults(body))
            if not self.events and body.get("kind") != "start":
                wrong.append("a log begins with a start.")
            if wrong:
                self.faults += [f"Event {body.get('number')}: {line}" for line in wrong]
                return
            self.faults += [f"Event {body['number']}: {line}" for line in self.order_faults(body)]
            if body["at"] < at_before:
                self.remarks.append(f"Event {body['number']} is earlier than the one before: a clock was set back.")
            at_before = body["at"]
            self.outcomes += body["kind"] in ("roll", "table", "sequence", "choice") or body["number"] in self.contents
            try:
                self.add(body)
            except (KeyError, IndexError, TypeError, ValueError, AttributeError):
                self.faults.append(f"Event {body['number']}: what it changes cannot be read.")
                return

    def note_cards(self, body: Json) -> None:
        """Which cards are out of their piles behind an event, and from where on they are closed."""
        if "shows" in body or body["kind"] == "import":
            self.hidden = 0
        elif body.keys() & {"closed", "seat", "to"}:
            self.hidden = self.hidden or body["number"]
        self.cards = {**self.cards, **body.get("after", {}).get("cards", {})}
        self.cards = {key: count for key, count in self.cards.items() if count}

    def note_seats(self, body: Json) -> None:
        """Note who leaves or joins a side in an event; who claims a person goes on as that one."""
        old, own, who = self.now["players"], body.get("own", ""), body["who"]
        new = body.get("after", {}).get("game", {}).get("players", old)
        if own:
            if own in self.left_sides:
                self.left_sides[who] = self.left_sides.pop(own)
            self.joined[who] = max(self.joined.pop(own, 0), self.joined.get(who, 0))
        self.left_sides |= {by: side for by, side in old.items() if new.get(by) != side and by != own}
        if not own:
            self.joined |= {by: body["number"] for by, side in new.items() if old.get(by) != side}

    def may_open_early(self, who: str) -> bool:
        """Return whether somebody may open the orders before every side is in and before the deadline."""
        players, orders = self.now["players"], self.now["orders"]
        side = players.get(who, "")
        if not side:
            return who == self.now["master"] and who not in self.left_sides
        missing = {*self.now["sides"]} - {players.get(by, "") for by in orders.values()}
        if side in missing or missing & {*players.values()}:
            return False
        if {*orders.values()} == {who}:
            return True
        return not missing & {*self.left_sides.values()} and self.joined.get(who, 0) < min(map(int, orders))

    def add(self, body: Json) -> None:
        """Move on behind an event."""
        at, kind, who, secret = body["number"], body["kind"], body["who"], body.get("secret", {})
        self.note_seats(body)
        self.now.update(body.get("after", {}).get("game", {}))
        self.units.update(body.get("after", {}).get("units", {}))
        self.units = {key: unit for key, unit in self.units.items() if unit}
        self.note_cards(body)
        if kind == "sealed":
            self.sealed[at] = who
        if kind in ("choice", "undo"):
            self.waits.pop(body["event"], None)
        if "asks" in body:
            self.waits[body["event"] if kind == "redo" else at] = body["asks"]
        for opened in body.get("opens", []):
            self.sealed.pop(opened, None)
        if kind == "undo":
            self.last = body["last"]
            self.redo.append(body["event"])
            self.withdrawn += [body["event"]] if body["event"] in self.sealed else []
            self.agreed[body["event"]] = "asked" in body
        elif kind == "redo":
            self.last = max(self.last, body["event"])
            self.redo.pop()
            self.withdrawn = [one for one in self.withdrawn if one != body["event"]]
        else:
            self.last = body["last"] if kind == "reveal" and "last" in body else at
            self.redo = self.redo if "keeps" in body else []
        self.events[at] = body
        self.acted.add(who)
        if kind == "import":
            self.imported, self.here, self.left_here, self.acted_before = at, set(), set(), set(self.acted)
        if "own" in body:
            self.here.discard(body["own"])
            self.claimed[body["own"]] = who
        self.here.add(who)
        if kind == "privacy":
            self.left_here |= {who, *self.claims_of(who)}
            self.left |= self.left_here
        if "commitment" in secret:
            self.epoch, self.promised, self.closing = secret["epoch"], at, "closing" in secret
            self.protocol = secret.get("protocol", 1)
            self.closed, self.last_word, self.has_texts = False, "", False
            self.all_closing = self.closing if at == 1 else self.all_closing
        elif secret:
            self.last_word, self.has_texts = who, True
        self.closed |= "closes" in body

    def claims_of(self, who: str) -> set[str]:
        """Who somebody was before they claimed a person of an imported log."""
        return {own for own, by in self.claimed.items() if by == who}

    def order_faults(self, body: Json) -> Iterator[str]:
        """What does not follow on the events before."""
        now, kind, who = self.now, body["kind"], body["who"]
        self.before, self.after = ({"game": {}, "units": {}, "cards": {}, **body.get(part, {})} for part in PATCH)
        if body["behind"] != self.last:
            yield f"it says that the last event before it was #{body['behind']}, but that was #{self.last}."
        plays = self.after["game"].get("players", {}) if kind == "join" else now["players"]
        if body["side"] != plays.get(who, ""):
            yield f"it was written for {body['side'] or 'no side'}, but who wrote it plays {plays.get(who) or 'none'}."
        if who in self.left_here:
            yield "who wrote it had left the game for good."
        if (
            any(now.get(field) != value for field, value in self.before["game"].items())
            or any(self.units.get(key) != unit for key, unit in self.before["units"].items())
            or any(self.cards.get(key, 0) != count for key, count in self.before["cards"].items())
        ):
            yield "the state that it says was there before is not what the log led to."
            return
        rule = getattr(self, "rule_" + str({"table": "roll", "sequence": "roll"}.get(kind, kind)), None)
        problem = (
            (rule(body) if rule else "")
            or self.waiting_problem(body)
            or self.hands_problem(body)
            or self.packs_problem(body)
            or self.closing_problem(body)
            or self.protocol_problem(body)
            or self.keeping_problem(body)
        )
        if problem:
            yield problem

    def value(self, field: str) -> Any:
        """A field of the game as it is behind the event."""
        return self.after["game"].get(field, self.now[field])

    def packs_problem(self, body: Json) -> str:
        """One version of a pack comes in force: in a game that was started, by its settings alone."""
        said, was, kind = self.after["game"].get("packs"), self.now["packs"], body["kind"]
        if said is None or kind in ("undo", "redo"):
            return "other packs come in force than it says." if "extends" in body else ""
        if extends := body.get("extends"):  # several at once, each of the game that is played
            due = was
            for one in said[-len(extends) :]:
                due = [*(other for other in due if other != one), one][-MOST_VERSIONS:]
            if said == was or said != due or {*said[-len(extends) :]} != {*extends}:
                return "other packs come in force than it says."
            if {*extends.values()} != {self.value("system")}:
                return "it says of a pack that it extends another game than is played."
            is_first = kind == "sequence" and [*extends] == [body.get("edition")] and body.get("used")
            stays = kind in ("sequence", "unit") and self.now["started"] and not is_first
            return "the version of a pack stays in a game that was started." if stays else ""
        if not said or said == was or said != [*(one for one in was if one != said[-1]), said[-1]][-MOST_VERSIONS:]:
            return "one version of a pack comes in force at a time."
        if kind == "sequence" and said[-1] != body.get("edition"):
            return "another version of the pack comes in force than it was played with."
        stays = kind in ("sequence", "unit") and self.now["started"]
        return "the version of a pack stays in a game that was started." if stays else ""

    def playing(self) -> str:
        return "" if self.now["started"] and not self.now["ended"] else "no started game was going on."

    def guarded(self) -> bool:
        return self.now["started"] and not self.now["ended"] and bool(self.now["sides"])

    def protocol_problem(self, body: Json) -> str:
        """A new seed is never used under an earlier protocol."""
        secret = body.get("secret", {})
        goes_back = "commitment" in secret and secret.get("protocol", 1) < self.protocol
        return "its dice go back to an earlier protocol." if goes_back else ""

    def closing_problem(self, body: Json) -> str:
        """When players' texts close, see docs/dice.md."""
        who, now, kind = body["who"], self.now, body["kind"]
        rolled = bool(body.get("dice") or "closed" in body or kind == "sealed") and not body.get("hand")
        if "closes" in body:
            alone = set(now["players"]) | {now["master"]} <= {who, ""} if self.guarded() else (
                self.all_closing and self.acted <= {who}
            )  # fmt: skip
            if not self.closing or self.closed or not (rolled or (kind == "fair" and self.has_texts)):
                return "it closes texts that cannot be closed there."
            return "who added the last text closed the texts." if who == self.last_word and not alone else ""
        used = self.contents.get(body["number"], body).get("used")
        passes_by = self.guarded() and who not in now["players"] and who != now["master"] and not used
        if rolled and self.closing and not self.closed and not passes_by:
            return "dice fell while players' texts were open, and it does not close them."
        return ""

    def turn_words(self, said: str) -> str:
        turn = self.value("turn")
        pattern = rf"turn {turn}(, .{{1,100}})?" if self.value("phase") else f"turn {turn}"
        return "" if re.fullmatch(pattern, said) else f"its words are not those of turn {turn}."

    def seats_problem(self, players: Json) -> str:
        return "" if self.value("players") == players else "it changes who plays for which side."

    def rule_start(self, body: Json) -> str:
        said, sides = self.after["game"], self.after["game"].get("sides", [])
        if self.events:
            return "a log has one start."
        if body["game"] != self.id:
            return "it starts another game than the file is of."
        if "commitment" not in body["secret"]:
            return "a start promises the first seed."
        if "announced" in body["secret"] and body["game"] != body["secret"]["commitment"][:16]:
            return "the id of its game is not that of the seed announced before."
        if "free" in body:
            return "free play begins without sides, turns and units." if "after" in body or "result" in body else ""
        if not said.get("started") or not said.get("name") or not said.get("system") or said.get("turn") != 1:
            return "a game starts with a name, a system and its first turn."
        if said.get("master") != body["who"]:
            return "who starts a game is its game master."
        if len(sides) == 1 or len({side.casefold() for side in sides}) < len(sides):
            return "a game has no sides, or several."
        return self.turn_words(body.get("result", "")) or self.go_faults(sides) or self.led_faults({})

    def rule_join(self, body: Json) -> str:
        if body["who"] in self.now["players"] or body["side"] not in self.now["sides"]:
            return self.playing() or "it joins a side that does not exist, or while playing for another."
        return self.playing() or self.seats_problem({**self.now["players"], body["who"]: body["side"]})

    def rule_leave(self, body: Json) -> str:
        players = {who: side for who, side in self.now["players"].items() if who != body["who"]}
        if body["who"] not in self.now["players"]:
            return self.playing() or "who leaves plays no side."
        return self.playing() or self.seats_problem(players)

    def go_faults(self, sides: Any) -> str:
        """Whose go it is behind the event."""
        go, turn_of = self.value("go"), self.value("turn_of")
        fits = len(set(go)) == len(go) and set(go) <= set(sides) and turn_of in ("", *sides)
        return "" if fits else "the go is that of sides of the game."

    def new_phase(self, said: str) -> str:
        """How an event leads into another phase, and what it says of it."""
        moves = self.after["game"].keys() & {"turn", "phase", "turn_of"}
        if self.value("turn") not in (self.now["turn"], self.now["turn"] + 1) or not moves:
            return "the next phase is in this turn or in the next one."
        for key, after in self.after["units"].items():
            before = self.before["units"][key]
            if not before or not after or not takes_off(before, after):
                return f"a new phase only takes markers and numbers off, but it changes {key}."
        if self.value("passes"):
            return "nobody has passed in a phase that has just begun."
        return self.go_faults(self.now["sides"]) or self.turn_words(said) or self.led_faults(self.settled())

    def settled(self) -> dict[str, int]:
        """The cards out of their piles once the go of the chit that leads the phase is over."""
        deck, _, card = self.now["led"].partition("/")
        out, key = dict(self.cards), f"{deck}/play/{card}"
        if card and out.get(key):
            out[key] -= 1
            to = self.chit(deck, card).get("after", "discard")
            if to != "back":
                out[f"{deck}/{to}/{card}"] = out.get(f"{deck}/{to}/{card}", 0) + 1
        return {name: count for name, count in out.items() if count}

    def chit(self, deck: str, card: str) -> Json:
        """What the chain has of a chit."""
        cards: list[Json] = self.now["decks"].get(deck, {}).get("cards", [])
        return next((one for one in cards if one["id"] == card), {})

    def led_faults(self, out: dict[str, int]) -> str:
        """How a phase begins: led by no deck, or by one that is filled anew and from which any side draws; else `out`
        are the cards out of their piles."""
        led = self.value("led")
        if led and not (re.fullmatch(DECK_ID, led) and self.value("go") == self.value("sides")):
            return "a phase that a deck leads begins without a chit."
        back = (f"{led}/play/", f"{led}/discard/") if led else ()
        return self.cards_problem({key: count for key, count in out.items() if not key.startswith(back)})

    def go_of(self, deck: str, card: str) -> list[str] | None:
        """Whose go a chit gives; None where none of its units is left."""
        chit, sides = self.chit(deck, card), self.now["sides"]
        side, of, lost = chit.get("side", ""), chit.get("of", {}), self.now["decks"][deck].get("lost", [])
        if not (side or of):
            return list(sides)
        mine = [
            unit for unit in self.units.values()
            if side in ("", unit.get("side", ""))
            and all({**unit.get("numbers", {}), "handle": unit["handle"]}.get(one) == word for one, word in of.items())
        ]  # fmt: skip
        left = {unit.get("side", "") for unit in mine
                if not {unit.get("state", ""), *unit.get("marks", [])} & {*lost}}  # fmt: skip
        if not left and (mine or (of and self.units)):
            return None
        return [side] if side else [one for one in sides if one in left] or list(sides)

    def rule_lead(self, body: Json) -> str:
        """The chit of a cup that leads the phase is drawn: one, which has the go, or is set aside with none left."""
        deck, dice = body.get("deck", ""), body.get("dice", [])
        if deck not in self.now["decks"] or self.now["led"] not in ("", deck) or len(dice) != 1:
            return "it draws a chit for a go that has one, or that no cup leads."
        if body.keys() & {"closed", "seats", "texts"} or self.cards.get(f"{deck}/last"):
            return "a chit that leads a phase is drawn openly."
        pile = Pile(deck, self.now["decks"][deck], self.cards)
        card = pile.draw(dice[0]) if pile.size > 0 else None
        if card is None:
            return "its dice are not those that its pile asks for."
        go, led = self.go_of(deck, card), f"{deck}/{card}"
        if go is None:
            pile.put("play", card, -1)
            pile.put("removed" if self.now["decks"][deck].get("dead") == "out" else "discard", card)
            go, led = self.now["sides"], deck
        if (self.value("led"), self.value("go")) != (led, go):
            return "it gives the go to others than the chit does."
        out = {key: count for key, count in pile.out.items() if count}
        right = body["result"] == f"{deck}: {card}"
        return self.playing() or self.cards_problem(out) or ("" if right else "its words are not what it draws.")

    def chit_done(self, words: str, where: str) -> str:
        """The go of a chit is over: any side draws the next, or with the last one the phase is over."""
        deck, _, card = self.now["led"].partition("/")
        if not card or words != f"{card} is done":
            return "it ends the go of another chit than has it."
        if where:
            return self.new_phase(where)
        if not self.after["game"].keys() <= {"go", "led"} or self.after["units"]:
            return "a pass changes more than whose go it is."
        if self.value("led") != deck or self.value("go") != self.now["sides"]:
            return "behind the go of a chit the next one is drawn."
        return self.cards_problem(self.settled())

    def rule_next(self, body: Json) -> str:
        return self.playing() or self.new_phase(body["result"])

    def rule_pass(self, body: Json) -> str:
        words, _, where = body["result"].partition("; ")
        if self.now["led"]:
            return self.playing() or self.chit_done(words, where)
        sides = self.now["go"] or self.now["sides"]
        side = next((one for one in sides if words in (f"{one} passes", f"{one} hands over")), None)
        if side is None:
            return self.playing() or "nobody passes whose go it is not."
        if where:
            return self.playing() or self.new_phase(where)
        if not self.after["game"].keys() <= {"go", "passes"} or self.after["units"] or self.after["cards"]:
            return self.playing() or "a pass changes more than whose go it is."
        if self.value("passes") != (self.now["passes"] + 1 if words.endswith("passes") else 0):
            return self.playing() or "it counts the passes in a row wrongly."
        if side in self.value("go"):
            return self.playing() or "whoever passes hands the go over."
        return self.playing() or self.go_faults(self.now["sides"])

    def rule_initiative(self, body: Json) -> str:
        fits = self.value("initiative") == body["result"] and body["result"] in self.now["sides"]
        return self.playing() or ("" if fits else "the initiative goes to one of the sides.") or self.initiative_go()

    def initiative_go(self) -> str:
        """The go that comes with the initiative."""
        if self.after["game"].get("passes"):
            return "nobody has passed when the initiative brings the go anew."
        if self.now["led"] and "go" in self.after["game"]:
            return "a chit says whose go it is."
        return self.go_faults(self.now["sides"])

    def rule_plan(self, body: Json) -> str:
        own, was, plans = str(body["number"]), self.now["plans"], self.after["game"].get("plans", {})
        gone = [at for at in was if at not in plans]
        if not gone and body.get("texts", {}).keys() == {"text"} and plans == {**was, own: plans.get(own)}:
            right = f"for turn {plans[own]}"
        elif len(gone) == 1 and "texts" not in body and {**plans, gone[0]: was[gone[0]]} == was:
            right = f"#{gone[0]} removed"
        else:
            return self.playing() or "it neither plans something nor removes a plan."
        return self.playing() or ("" if body["result"] == right else "its words are not those of what it plans.")

    def rule_order(self, body: Json) -> str:
        said, who, due = self.after["game"], body["who"], self.after["game"].get("orders_due")
        own = {**{at: by for at, by in self.now["orders"].items() if by != who}, str(body["number"]): who}
        if "texts" not in body and (said.keys() != {"orders_due"} or 0 < due <= body["at"]):
            return self.playing() or "it neither seals an order nor says when they open."
        if "texts" in body and not (said == {"orders": own} and set() < body["texts"].keys() <= {"order", "command"}):
            return self.playing() or "it seals something else than an order of who wrote it."
        if "texts" in body and body["side"] not in self.now["sides"]:
            return self.playing() or "who plays no side writes no orders."
        right = f"{body['side']} is in" if "texts" in body else "a deadline" if due else "no deadline"
        return self.playing() or ("" if body["result"] == right else "its words are not those of what it does.")

    def rule_orders(self, body: Json) -> str:
        now, who = self.now, body["who"]
        sides = {now["players"].get(by, "") for by in now["orders"].values()} - {""}
        if body["reads"] != sorted(map(int, now["orders"])):
            return self.playing() or "it opens other orders than were sealed."
        if {"orders_due": 0, **self.after["game"]} != {"orders": {}, "orders_due": 0} or self.value("orders_due"):
            return self.playing() or "it opens the orders, but they stay sealed."
        all_in = bool(sides) and {*now["sides"]} <= sides
        if not (all_in or 0 < now["orders_due"] <= body["at"] or self.may_open_early(who)):
            return self.playing() or "the orders are opened though not every side is in."
        right = f"of {' and '.join(side for side in now['sides'] if side in sides) or 'nobody'}"
        return self.playing() or ("" if body["result"] == right else "its words are not those of what it opens.")

    def rule_end(self, body: Json) -> str:
        opens = body.get("opens", [])
        if self.now["ended"] or not (self.now["started"] or opens):
            return "no game was going on that could end."
        if opens != list(self.sealed):
            return "the end opens all that is sealed, and nothing else."
        if {**self.after["game"], "winner": "", "tracks": {}} != {"ended": True, "winner": "", "tracks": {}}:
            return "it is the end of the game, but does not say so."
        if self.value("winner") not in ("", "draw", *self.now["sides"]):
            return "a game is won by one of its sides, or drawn."
        if body.get("texts", {"text": ""}).keys() != {"text"}:
            return "the end of a game has one sentence."
        return self.opened(body)

    def rule_resume(self, _body: Json) -> str:
        expected = {field: now for field, now in (("ended", False), ("winner", "")) if self.now[field] != now}
        return "" if self.after["game"] == expected else "it takes the game up again, but changes something else."

    def rule_unit(self, body: Json) -> str:
        before, after, said = self.before["units"], self.after["units"], body["result"]
        new = [unit["name"] for key, unit in after.items() if before[key] is None]
        lost = [before[key]["name"] for key, unit in after.items() if unit is None]
        edited = [unit["name"] for key, unit in after.items() if unit and before[key]]
        if "renamed" in body:
            olds, news = [one for one in before.values() if one], [one for one in after.values() if one]
            fits = len(after) == 2 and len(olds) == len(news) == 1 and olds[0]["name"] == body["renamed"]
            fits = fits and {**olds[0], "name": news[0]["name"]} == news[0] and len(self.after["game"]) == 0
            fits = fits and said == f"{body['renamed']} is now {news[0]['name']}"
            return "" if fits else "it renames a unit otherwise than it says."
        free = not self.now["system"] or not (self.now["started"] or self.units)
        if "system" in self.after["game"] and not (new and free):
            return "the system of a game that has units stays."
        if touched := lost or edited:
            who = touched[0] if len(touched) == 1 else f"{len(touched)} units"
            right = f"{who} {'removed' if lost else 'edited'}" if len(after) == len(touched) else ""
        elif said == f"{len(new)} unit{'' if len(new) == 1 else 's'} carried over" and not self.units:
            return ""
        else:
            right = f"{new[0] if len(new) == 1 else f'{len(new)} units'} added" if new else ""
        return "" if said == right else "its words are not what it does to units."

    def cards_problem(self, after: dict[str, int]) -> str:
        """Whether the event changes the cards that are out of their piles to `after`, and nothing else."""
        keys = [key for key in self.cards.keys() | after.keys() if self.cards.get(key, 0) != after.get(key, 0)]
        right = self.after["cards"] == {key: after.get(key, 0) for key in keys}
        right = right and self.before["cards"] == {key: self.cards.get(key, 0) for key in keys}
        return "" if right else "it changes other cards than it draws or moves."

    def rule_deck(self, body: Json) -> str:
        decks, now = self.value("decks"), self.now["decks"]
        new = [deck for deck in decks if decks[deck] != now.get(deck)] or [body["result"].partition(":")[0]]
        if len(new) != 1 or decks != {**now, new[0]: decks.get(new[0])} or not re.fullmatch(DECK_ID, new[0]):
            return "it declares no deck."
        cards = decks[new[0]]["cards"]
        ids, size = [card["id"] for card in cards], sum(card["count"] for card in cards)
        if len(set(ids)) < len(ids) or size > 1000 or not all(re.fullmatch("[A-Za-z0-9.-]{1,40}", one) for one in ids):
            return "its cards are too many, or twice there, or have no ids."
        jokers: dict[str, list[str]] = {"standard-52": [], "standard-54": ["RJ", "BJ"]}
        french = [f"{rank}{suit}" for suit in "SHDC" for rank in ("A", *range(2, 11), "J", "Q", "K")]
        if new[0] in jokers and cards != [{"id": card, "count": 1} for card in [*french, *jokers[new[0]]]]:
            return f"{new[0]} has other cards."
        if {one for one in ids if re.fullmatch(WORD, one)} != {
            f"{body['number']}.{key}" for key in body.get("texts", {})
        }:
            return "its cards have other words than are under its hashes."
        if any(key.startswith(f"{new[0]}/hand/") for key in self.cards):
            return "it declares a deck anew while hands hold closed cards of it."
        after = {key: count for key, count in self.cards.items() if not key.startswith(f"{new[0]}/")}
        right = body["result"] == f"{new[0]}: {size} cards"
        return self.cards_problem(after) or ("" if right else "its words are not those of its deck.")

    def rule_draw(self, body: Json) -> str:
        if body.get("hand") and (not self.now["hand_dice"] or "deck" not in body or "closed" in body):
            return "its cards were drawn by hand, which this game did not allow."
        if body["does"] == "lead":
            return self.rule_lead(body)
        if self.after["game"]:
            return "it changes whose go it is."
        if "closed" in body:
            return self.closed_draw(body)
        names = body["does"] == "names" and "deck" not in body
        dice, deck, pile = body.get("dice", []), body.get("deck", ""), Pile(body.get("deck", ""), {}, {})
        if "seats" in body or not (names or body["does"] == "draw"):
            return "cards are drawn into hands with their faces closed."
        texts = {f"w{place}" for place in range(1, len(dice) + 1)} if names else set[str]()
        if body.get("texts", {}).keys() != texts:
            return "it has other texts than the names that it puts in order."
        if names:
            cards = [{"id": f"{body['number']}.w{place}", "count": 1} for place in range(1, len(dice) + 1)]
            pile = Pile("names", {"cards": cards, "empty": "refuse"}, {})
        elif deck in self.now["decks"]:
            pile = Pile(deck, self.now["decks"][deck], self.cards)
        if not 0 < len(dice) <= 60 or not pile.deck:
            return "it draws from a deck that nobody declared, or too much at once."
        if self.cards.get(f"{deck}/last"):
            return "it shows its dice while cards of the deck are closed."
        drawn = [pile.draw(die) for die in dice]
        if None in drawn:
            return "its dice are not those that its pile asks for."
        said = ", ".join(map(str, drawn)) if names else f"{deck}: {', '.join(map(str, drawn))}"
        after = self.cards if names else pile.out
        return self.cards_problem(after) or ("" if body["result"] == said else "its words are not what it draws.")

    def seat_of(self, person: str) -> str:
        """The seat of somebody: their side, or their own without one."""
        return str(self.now["players"].get(person) or f"@{person}")

    def closed_draw(self, body: Json) -> str:
        """Cards drawn whose faces stay closed: into hands, or open ones while others of the deck are closed."""
        deck, sides, seats, does = body.get("deck", ""), body["closed"], seats_of(body), body["does"]
        peeks = does == "peek"
        if deck not in self.now["decks"] or "dice" in body or (peeks and "seats" in body):
            return "it draws from a deck that nobody declared, or too much at once."
        own = {self.seat_of(body["who"])}
        fits = {
            "draw": not seats,
            "peek": True,
            "hold": set(seats) == own,
            "deal": bool(seats) and set(seats) <= set(self.now["sides"]),
        }
        if not fits.get(does):
            return "it draws for hands that are not theirs."
        named = [] if seats or peeks else body["result"].removeprefix(f"{deck}: ").split(", ")
        looked = re.search(": ([1-9][0-9]?) closed", body["result"])
        count, asked = len(seats or named), int(looked[1]) if looked else 0
        if not 0 < (asked if peeks else count) <= 60:
            return "it draws nothing, or too much at once."
        keys = {f"face.{n}" for n in range(1, len(sides) + 1)} | {f"card.{n}" for n in range(1, len(seats) + 1)}
        fresh = max(0, asked - self.cards.get(f"{deck}/hand/{TOP}", 0)) if peeks else count
        if body.get("texts", {}).keys() != keys or count != fresh:
            return "it has other texts than the cards and faces that it closes."
        if not (seats or peeks or self.cards.get(f"{deck}/last")):
            return "it closes its dice though no card of the deck is closed."
        pile = Pile(deck, self.now["decks"][deck], self.cards)
        if pile.sides(count, peeks) != sides:
            return "its dice are not those that its pile asks for."
        ends = any(pile.out.get(key) != self.cards.get(key) for key in [f"{deck}/hand/{end}" for end in ENDS])
        for what in seats or named:
            pile.put("hand" if seats else "play", what)
        after = {**pile.out, **({f"{deck}/last": body["number"]} if seats or peeks or ends else {})}
        said = f"{deck}: {', '.join(named) if named else f'{asked if peeks else count} closed'}"
        right = "" if body["result"] == said else "its words are not what it draws."
        wrong = self.too_many(deck, after) if named else ""  # into hands nothing more lies open
        return wrong or self.cards_problem(after) or right

    def too_many(self, deck: str, out: dict[str, int]) -> str:
        """Whether more of a card lie open than the deck has."""
        told = {card["id"]: card["count"] for card in self.now["decks"][deck]["cards"]}
        open = tuple([f"{deck}/{place}/" for place in OPEN])
        for name, count in out.items():
            if name.startswith(open):
                card = name.split("/", 2)[2]
                told[card] = told.get(card, 0) - count
        return "it plays a card more often than the deck has it." if min(told.values()) < 0 else ""

    def out_of_hand(self, body: Json) -> str:
        """Cards leave a hand: into play or to the discards by name, or closed, into another hand or the pile."""
        deck, does, seat, to, out = body["deck"], body["does"], body["seat"], body.get("to", ""), dict(self.cards)
        to_end = does == "back" and to in ENDS
        if seat != self.seat_of(body["who"]) or (does == "give") != (bool(to) and not to_end) or to == seat:
            return "it takes cards out of a hand that is not theirs."
        if to and not to_end and not (to in self.now["sides"] or to.removeprefix("@") in self.acted):
            return "it gives cards to nobody."
        texts, hand = body.get("texts", {}), f"{deck}/hand/{seat}"
        there, count = out.get(hand, 0), 0
        if does in ("give", "back"):
            count = sum(key.startswith("from.") for key in texts)
            keys, names = {f"card.{n}" for n in range(1, count + 1)} if to else set[str](), [f"{count} closed"]
            out |= {f"{deck}/hand/{to}": out.get(f"{deck}/hand/{to}", 0) + count} if to else {}
        elif does in ("play", "discard"):
            names, keys = body["result"].removeprefix(f"{deck}: ").split(", "), set[str]()
            for card in names:
                known, goes = f"{deck}/known/{seat}/{card}", f"{deck}/{does}/{card}"
                out[goes] = out.get(goes, 0) + 1
                count += not out.get(known)
                out |= {known: out[known] - 1} if out.get(known) else {}
            if not set(names) <= {card["id"] for card in self.now["decks"][deck]["cards"]}:
                return "it plays a card that the deck does not have."
        else:
            return "it takes cards out of a hand for nothing."
        keys |= {f"from.{n}" for n in range(1, count + 1)}
        if (
            texts.keys() != keys
            or not 0 < len(names) <= 60
            or count > there
            or (does in ("give", "back") and not count)
        ):
            return "it has other texts than the cards that it takes."
        out[hand] = there - count
        out |= {f"{deck}/last": body["number"]} if count else {}
        right = "" if body["result"] == f"{deck}: {', '.join(names)}" else "its words are not what it takes."
        return self.too_many(deck, out) or self.cards_problem(out) or right

    def hands_problem(self, body: Json) -> str:
        """Hands that an event puts back or opens: of seats where nobody sits any more, at an import, at the end."""
        kind, who, out, now = body["kind"], body["who"], dict(self.cards), self.now
        holding = {key.partition("/hand/")[2] for key in out if "/hand/" in key and key.split("/")[0] in now["decks"]}
        closed = {key for key in out if key.startswith("+") or key.endswith("/last")}
        if kind in ("join", "leave", "claim", "privacy"):
            players = self.value("players")
            gone = {who, body.get("own", ""), *(now["players"].keys() - players.keys())}
            gone |= {now["master"]} if self.value("master") != now["master"] else set()
            seats = {*now["players"].values()} - {*players.values()} | {f"@{one}" for one in gone}
            return self.cards_problem(self.put_back(seats))
        if kind == "import":
            seats = holding | {
                name.rpartition("/")[0] for deck in now["decks"] for name in Pile(deck, {}, out).at("known")
            }
            return self.cards_problem({key: count for key, count in self.put_back(seats).items() if key not in closed})
        if kind == "fair" and "revealed" not in body:
            return "it opens closed cards, which only the seed does." if body.keys() & {"shows", "before"} else ""
        if kind not in ("fair", "end"):
            return ""
        if body.get("shows", 0) != self.hidden:
            return "it opens other cards than are closed."
        if kind == "fair":
            last = {key for key in out if key.endswith("/last")}
            after = {key: count for key, count in out.items() if key not in last}
            return "a seed is not revealed while a card under it is closed." if holding else self.cards_problem(after)
        if any(not out.get(f"+agreed/{seat}") for seat in holding - {self.seat_of(who), *ENDS}):
            return "closed hands are opened though not every side agreed."
        for deck, made in now["decks"].items():
            out = Pile(deck, {}, out).no_ends
            for seat, count in Pile(deck, {}, out).at("hand").items():
                keys = [f"{deck}/known/{seat}/{card['id']}" for card in made["cards"]]
                more = {key: max(0, self.after["cards"].get(key, 0) - out.get(key, 0)) for key in keys}
                if sum(more.values()) != count:
                    return "it opens other hands than there are."
                out |= {key: out.get(key, 0) + some for key, some in more.items()}
                del out[f"{deck}/hand/{seat}"]
        return self.cards_problem({key: count for key, count in out.items() if key not in closed})

    def closed_hands(self) -> Iterator[str]:
        """Which cards are still closed, a line for each hand."""
        for deck in self.now["decks"]:
            for seat, count in sorted(Pile(deck, {}, self.cards).at("hand").items()):
                held = "1 closed card" if count == 1 else f"{count} closed cards"
                ends = {TOP: "the top of the pile", BOTTOM: "the bottom of the pile"}
                whose = ends.get(seat, f"{'a person' if seat[0] == '@' else seat}'s hand")
                yield f"Still closed: {held} of {deck} {'at' if seat in ENDS else 'in'} {whose}."

    def put_back(self, seats: set[str]) -> dict[str, int]:
        """The cards out of their piles once these seats have put their hands back."""
        starts = tuple(
            f"{deck}/{what}/{seat}" for deck in self.now["decks"] for seat in seats for what in ("hand", "known")
        )
        return {
            key: count for key, count in self.cards.items()
            if not any(key == start if "/hand/" in start else key.startswith(f"{start}/") for start in starts)
        }  # fmt: skip

    def stands_in(self, body: Json, seat: str) -> str:
        """What is wrong with a manager who agrees in the place of a side that holds cards and is gone."""
        players, at = self.now["players"], body["number"]
        others = {seat[1:]} if seat[:1] == "@" else {one for one, side in players.items() if side == seat}
        holds = seat not in ENDS and any(f"{deck}/hand/{seat}" in self.cards for deck in self.now["decks"])
        if not body.keys() >= {"by", "reason"} or not seat or not others or body["who"] in {*others, *players}:
            return "who agreed had no say in it."
        if not holds or body["reason"] not in ("left", "silent"):
            return "who agreed had no say in it."
        if body["reason"] == "left":
            self.remarks.append(f"Event {at}: that the other side had left is the host's word.")
            return ""
        return "" if self.are_silent(others, body["at"]) else "it says that the other side was silent, but it was not."

    def rule_cards(self, body: Json) -> str:
        deck, does = body.get("deck", ""), body["does"]
        if does == "agree":
            return self.agrees(body)
        if deck in self.now["decks"] and "seat" in body and not body.keys() & {"seats", "by", "reason"}:
            return self.out_of_hand(body)
        return self.moves_open(body, deck, does)

    def agrees(self, body: Json) -> str:
        """A side agrees that hands are opened at the end, or a manager in its place."""
        key, seats = f"+agreed/{self.seat_of(body['who'])}", body.get("seats", [])
        if body.keys() & {"seats", "by", "reason"}:
            if problem := self.stands_in(body, seats[0] if len(seats) == 1 else ""):
                return problem
            key = f"+agreed/{seats[0]}"
        if body.keys() & {"deck", "seat", "to", "texts"} or self.cards.get(key):
            return "it agrees to what was agreed to."
        right = body["result"] == "hands may be opened"
        return self.cards_problem({**self.cards, key: 1}) or ("" if right else "its words are not those.")

    def moves_open(self, body: Json, deck: str, does: str) -> str:
        """Cards that lie open go elsewhere, or a shuffle puts back what it puts back."""
        end = body.get("to", "")
        if body.keys() & {"seats", "by", "reason", "seat"}:
            return "it moves cards that do not go there."
        if "texts" in body or (end and (does != "return" or end not in ENDS)):
            return "it moves cards that do not go there."
        sources = {"discard": ["play"], "remove": ["play", "discard"], "return": ["play", "discard"],
                   "shuffle": ["discard"]}.get(does)  # fmt: skip
        if deck not in self.now["decks"] or sources is None:
            return "it moves cards of a deck that nobody declared."
        out, took, before = dict(self.cards), list[str](), self.before["cards"]
        to = {"discard": "discard", "remove": "removed"}.get(does)
        for place in ("play", "discard", "removed"):
            for card in (one["id"] for one in self.now["decks"][deck]["cards"]):
                key = f"{deck}/{place}/{card}"
                fewer = before.get(key, 0) - self.after["cards"].get(key, 0)
                if fewer > 0 and place not in sources:
                    return "it moves cards that do not go there."
                took += [card] * fewer
                if fewer > 0:
                    out[key] -= fewer
                    out |= {f"{deck}/{to}/{card}": out.get(f"{deck}/{to}/{card}", 0) + fewer} if to else {}
        discards = sum(count for key, count in self.cards.items() if key.startswith(f"{deck}/discard/"))
        every = discards + sum(self.cards.get(f"{deck}/hand/{one}", 0) for one in ENDS)
        if len(took) != discards or not every if does == "shuffle" else not 0 < len(took) <= 60:
            return "it moves cards that do not go there."
        out = Pile(deck, {}, out).no_ends if does == "shuffle" else out
        said = f"{deck}: {every} cards" if does == "shuffle" else f"{deck}: {', '.join(took)}"
        if end:
            told = body["result"].removeprefix(f"{deck}: ").split(", ")
            said = body["result"] if sorted(told) == sorted(took) else said
            out |= {f"{deck}/hand/{end}": out.get(f"{deck}/hand/{end}", 0) + len(took), f"{deck}/last": body["number"]}
        return self.cards_problem(out) or ("" if body["result"] == said else "its words are not what it moves.")

    def rule_settings(self, body: Json) -> str:
        told = body["result"].split(", ") if "result" in body else []
        words = {
            "hand_dice": f"real dice {'allowed' if self.value('hand_dice') else 'not allowed'}",
            "answers": f"{self.value('answers')} answers",
            "confirm": f"other targets {'confirmed' if self.value('confirm') else 'at once'}",
            "rules": self.rule_switched(),
            "master": "another game master",
            "packs": f"pack version {(self.after['game'].get('packs') or [''])[-1][:8]}",
        }
        right = [say for field, say in words.items()
                 if field in self.after["game"] or (say in told and field != "master")]  # fmt: skip
        return "" if told == right else "its words are not the settings that it changes."

    def rule_switched(self) -> str:
        was, rules = self.now["rules"], self.value("rules")
        switched = [f"rule {rule} {'on' if on else 'off'}" for rule, on in rules.items() if was.get(rule) is not on]
        return switched[0] if len(switched) == 1 and was.keys() <= rules.keys() else ""

    def rule_track(self, body: Json) -> str:
        said, was = self.value("tracks"), self.now["tracks"]
        changed = [(key.rpartition("/")[0], value) for key, value in said.items() if was.get(key) != value]
        ending = "".join(f" ({side}): {value}" if side else f": {value}" for side, value in changed)
        fits = len(changed) == 1 and was.keys() <= said.keys() and body["result"].endswith(ending)
        return "" if fits else "its words are not the track that it sets."

    def tracks_problem(self, roll: Json, body: Json) -> str:
        """The tracks that a sequence read are as the log led to, of the side that acts; it changes no others."""
        now, own = self.now, self.is_of_game(home_of(roll))
        read = {name: value for name, value in roll.get("read", {}).items() if not name.startswith("deck.")}
        said = {**self.value("tracks"), **roll.get("tracks", {})}
        told = {whose: read.pop(whose) for whose in ("side", "foe") if whose in read}
        side = foe = ""
        if any(name.partition(".")[0] in ("side", "foe") for name in read):
            units = [unit for unit in roll.get("used", []) if unit.get("side")]
            acts = [unit["side"] for unit in units if unit["name"] in roll.get("acting", [])]
            side = [*acts, *filter(None, [body["side"]]), *(unit["side"] for unit in units), now["turn_of"]][0]
            others = [other for other in now["sides"] if other != side]
            foe = others[0] if side and len(others) == 1 else ""
        if told != {whose: owner for whose, owner in (("side", side), ("foe", foe)) if owner}:
            return "it reads the tracks of another side than acts."
        may = set()
        for name, value in read.items():
            whose, _, track = name.partition(".")
            owner = {"track": "", "side": f"{side}/" if side else None, "foe": f"{foe}/" if foe else None}.get(whose)
            if whose not in ("track", "side", "foe") or not track:
                return "it reads what is no track."
            key = "" if owner is None else f"{owner}{track}"
            if own and (
                now["tracks"].get(key, value) != value or type(now["tracks"].get(key, value)) is not type(value)
            ):
                return f"it reads {name} otherwise than the log led to."
            may |= {key} if own else set()
        changed = {key for key, value in said.items() if key not in now["tracks"] or now["tracks"][key] != value}
        return (
            "" if changed <= may and now["tracks"].keys() <= said.keys() else "it changes a track that it did not read."
        )

    def rule_import(self, body: Json) -> str:
        master = self.after["game"].get("master", body["who"])
        if "commitment" not in body["secret"]:
            return "an import promises a new seed."
        if self.after["game"] and not (self.now["started"] and master == body["who"]):
            return "who imports a game directs it, and nobody else."
        return "" if body["result"] == f"{len(self.events)} events" else "its words are none that Grognard writes."

    def rule_claim(self, body: Json) -> str:
        who, own, players = body["who"], body.get("own", ""), self.now["players"]
        mine, theirs = players.get(own, ""), players.get(who, "")
        is_there = who in self.acted_before - self.here and (not own or own in self.here)
        if not self.imported or own == who or not is_there:
            return "nobody is claimed but a person of an imported log."
        if mine and theirs and mine != theirs:
            return "nobody plays two sides."
        if self.value("master") != (who if own and self.now["master"] == own else self.now["master"]):
            return "it changes who is game master."
        seat = {who: theirs or mine} if theirs or mine else {}
        return self.seats_problem({**{one: side for one, side in players.items() if one != own}, **seat})

    def rule_privacy(self, body: Json) -> str:
        master, who, players = self.now["master"], body["who"], self.now["players"]
        left = (
            {who} | (players.keys() - self.value("players").keys()) | ({master} if not self.value("master") else set())
        )
        along = left - {who, ""} - self.claims_of(who)  # the account's own person of an imported log, if there is one
        if len(along) > 1 or not along <= self.acted_before - self.here:
            return "somebody else leaves with who had their data deleted."
        if self.value("master") != ("" if master in left else master):
            return "it changes who is game master."
        return self.seats_problem({one: side for one, side in players.items() if one not in left})

    def rule_fair(self, body: Json) -> str:
        secret, said = body.get("secret", {}), body["result"]
        if "revealed" in body:
            epoch = body["revealed"]["epoch"]
            if "commitment" not in secret or "texts" in body or "closes" in body or epoch != self.epoch:
                return "who reveals a seed reveals the one in force, and promises a new one."
            if any(at > self.promised for at in self.sealed):
                return "a seed is not revealed while a roll under it is sealed."
            right = f"seed {epoch} revealed"
        elif "closes" in body:
            if secret or "texts" in body:
                return "who closes the texts adds none."
            right = "the texts are closed"
        else:
            if secret.keys() != {"digest"} or body.get("texts", {}).keys() != {"text"}:
                return "it neither adds a text to the dice nor reveals a seed."
            right = "a text was added"
        return "" if said == right else "its words are none that Grognard writes."

    def is_of_game(self, system: str) -> bool:
        """Whether a system's results belong to its units."""
        return not self.now["system"] or not (self.now["started"] or self.units) or system == self.now["system"]

    def roll_problem(self, roll: Json, body: Json) -> str:
        """Of a roll, table or sequence, open or sealed: command, real dice, and the units as they were then."""
        system, target = re.escape(roll.get("system", "")), re.escape(roll.get("target", ""))
        command = {"roll": "roll", "sequence": f"{system} {target}", "table": f"{system}-table [a-z0-9-]+ {target}"}
        if roll["kind"] != "choice" and not re.fullmatch(command[roll["kind"]], roll["command"]):
            return "its command is not that of what was rolled."
        simple = (
            re.fullmatch(r"(\d*)d(\d+)([+-]\d+)?", str(roll["inputs"].get("dice"))) if roll["kind"] == "roll" else None
        )
        if simple:  # all that is asked for is plain to see
            count, dice = int(simple[1] or 1), roll.get("dice", [])
            total = sum(die["value"] for die in dice) + int(simple[3] or 0)
            if len(dice) != count or any(die["sides"] != int(simple[2]) or "faces" in die for die in dice):
                return "other dice than what was asked for."
            if roll.get("result") != str(total) or roll["out"] != {
                "total": total,
                "dice": [die["value"] for die in dice],
            }:
                return "its dice lead to another outcome."
        if roll.get("hand") and not self.now["hand_dice"]:
            return "its dice were thrown by hand, which this game did not allow."
        used = roll.get("used", [])
        for unit in used:
            if self.units.get(unit["name"].casefold()) != unit:
                return f"{unit['name']} was not as it says when it was used."
        names, acting = [unit["name"] for unit in used], roll.get("acting", [])
        if [one for one in names if one in acting] != acting:
            return "units act that it does not use."
        if roll["kind"] not in ("sequence", "choice"):
            return ""
        return self.piles_problem(roll) or self.tracks_problem(roll, body)

    def piles_problem(self, roll: Json) -> str:
        """The piles that a sequence says it drew from are as the log led to, or as what it carries on said."""
        first = self.events[roll["event"]].get("read", {}) if roll["kind"] == "choice" else {}
        for name, value in roll.get("read", {}).items():
            id = name.removeprefix("deck.")
            if name == id:
                continue
            right = first.get(name) == value
            if roll["kind"] != "choice":
                right = id in self.now["decks"]
                pile = Pile(id, self.now["decks"].get(id, {"empty": "refuse", "cards": []}), self.cards)
                due = pile.closed_text(ends_in(value)) if self.cards.get(f"{id}/last") else pile.text
                right = right and " ".join(map(str, listed(value))) == due
            if not right:
                return f"it draws from {id[:40]} otherwise than the log led to."
        return ""

    def draws_problem(self, body: Json) -> str:
        """Each card that a sequence draws is drawn by a die over its pile, and goes where its die says. Of a deck with
        closed cards a die names it; that this is what its face draws is told once that is open."""
        piles, gone, out = dict[str, Pile](), list[tuple[str, str, str]](), dict(self.cards)
        for die in body.get("dice", []):
            if (id := die.get("deck")) is None:
                continue
            is_there = id in self.now["decks"] and f"deck.{id}" in body.get("read", {})
            pile = piles.setdefault(id, Pile(id, self.now["decks"].get(id, {"empty": "refuse"}), out))
            card = None
            if is_there and not out.get(f"{id}/last"):
                card = pile.draw({"label": id, "sides": die["sides"], "value": die["value"]})
            elif is_there and names_card(die):
                pile = piles[id] = Pile(id, pile.deck, pile.out)
                sides, card = pile.sides(1, False), die["value"]
                pile.put("play", card)
                if (sides or [0]) != [die["sides"]] or sides == [0] or self.too_many(id, pile.out):
                    card = None
            if card is None:
                return "its dice are not those that its pile asks for."
            gone.append((id, card, die["to"]))
        for id, card, to in gone:
            piles[id].put("play", card, -1)
            piles[id].put(*(("play", card, 0) if to == "back" else (to, card, 1)))
        for id, pile in piles.items():
            out = {key: count for key, count in out.items() if not key.startswith(f"{id}/")}
            out |= {key: count for key, count in pile.out.items() if key.startswith(f"{id}/")}
        return self.cards_problem(out)

    def rule_roll(self, body: Json) -> str:
        said, now = self.after["game"], self.now
        if problem := self.roll_problem(body, body) or self.asking_problem(body):
            return problem
        if body["kind"] == "sequence" and (problem := self.draws_problem(body)):
            return problem
        if "upkeep" in body:
            earlier = (self.events[at] for at in range(body["number"] - 1, 0, -1))  # its decks are declared before it
            last: Json = next((one for one in earlier if one["kind"] != "deck"), {"kind": ""})
            moved = last["kind"] in ("start", "next", "pass") and last.get("after", {}).get("game", {}).keys()
            begins = "upkeep" in last or (moved and moved & {"turn", "phase", "turn_of"})
            if body["upkeep"] != now["phase"] or not begins:
                return "it is the upkeep of a phase that has not just begun."
        if "system" in said and (said["system"] != home_of(body) or (now["system"] and (now["started"] or self.units))):
            return "the system of a game that has units stays."
        if "initiative" in said and (body["target"] != "initiative" or said["initiative"] not in now["sides"]):
            return "it gives the initiative away."
        if said.keys() & {"go", "passes"} and body["target"] != "initiative":
            return "it gives the go away."
        if problem := self.initiative_go():
            return problem
        names = {unit["name"].casefold() for unit in body.get("used", [])}
        for key, unit in self.after["units"].items():
            was = self.before["units"][key]
            if unit and not was and self.joins(body, unit):
                continue
            if key not in names or not unit or not was or was["name"] != unit["name"]:
                return f"it changes {key}, which it may not."
        return ""

    def joins(self, body: Json, unit: Json) -> bool:
        """Whether a new unit came into play beside one that was used: of its side, without numbers."""
        sides = [one.get("side") for one in body.get("used", [])]
        is_new = all(one["handle"] != unit["handle"] for one in self.units.values())
        return (
            body["kind"] in ("sequence", "choice") and is_new and unit.get("side") in sides
            and unit.keys() <= {"name", "handle", "type", "side"}
        )  # fmt: skip

    def asking_problem(self, body: Json) -> str:
        """What is wrong with what an event asks a side for."""
        asks = body.get("asks")
        if asks is None:
            return ""
        options, due = asks["options"], asks.get("due", 0)
        fits = asks["else"] in options and len(asks["says"]) == len(set(options)) == len(options)
        fits = fits and asks.get("units", []) == [unit["name"] for unit in body.get("used", [])]
        if not fits or asks.get("side", "") not in ("", *self.now["sides"]) or 0 < due <= body["at"]:
            return "it asks for a choice as Grognard does not."
        return "it changes units before the choice is made." if self.after["units"] else ""

    def rule_choice(self, body: Json) -> str:
        at, how, picks = body["event"], body.get("as", ""), set(body["picks"])
        asks, first = self.waits.get(at), self.events.get(at)
        if asks is None or first is None:
            return f"it answers #{at}, which asks for no choice."
        if (body["system"], body["target"]) != (first["system"], first["target"]):
            return f"it carries on something else than #{at}."
        if len(body["picks"]) != len(asks.get("items", [""])) or not picks <= set(asks["options"]):
            return f"it chooses what #{at} does not ask for."
        side = asks.get("side", "")
        if how == "else":
            if picks != {asks["else"]} or not 0 < asks.get("due", 0) <= body["at"]:
                return "it counts as nobody chose, before its deadline."
        elif side and body["side"] != side and not (how and side not in self.now["players"].values()):
            return "who chose does not play the side that was asked."
        if body.get("edition") != first.get("edition"):
            return f"it goes on under other rules than #{at}."
        while first["kind"] == "choice":
            first = self.events[first["event"]]
        return self.rule_roll({**body, "side": first["side"]})

    def waiting_problem(self, body: Json) -> str:
        """What is wrong with an event while a side is asked for a choice, which comes first."""
        kind, own = body["kind"], body["event"] if body["kind"] in ("choice", "undo") else 0
        names = {*self.after["units"], *(unit["name"].casefold() for unit in body.get("used", []))}
        held = kind in ("next", "pass", "end") or self.after["game"].keys() & {"packs", "system", "tracks", "led"}
        for at, asks in self.waits.items():
            if at != own and (held or any(unit.casefold() in names for unit in asks.get("units", []))):
                return f"#{at} waits for a choice, which comes first."
        return ""

    def rule_sealed(self, body: Json) -> str:
        roll = self.contents.get(body["number"])
        if not roll:
            return ""
        if roll["kind"] != body["of"] or roll.get("hand", False) != body.get("hand", False):
            return "what was sealed in it is something else than it says."
        return self.roll_problem(roll, body)

    def rule_reveal(self, body: Json) -> str:
        opens = body["opens"]
        if len(opens) != 1 or opens[0] not in self.sealed:
            return "it opens what is not sealed."
        if opens[0] >= self.imported and self.sealed[opens[0]] not in {body["who"]} | self.left:
            return "only who rolled may open what is sealed."
        if body.get("last", self.last) != self.last:
            return "opening what is sealed leaves the last event that held as it was."
        return self.opened(body)

    def was_gone(self, at: int) -> bool:
        """Whether what was sealed was gone before it is opened."""
        return at not in self.contents and (at < self.imported or self.sealed[at] in self.left)

    def missing(self, texts: set[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """What the file has to hold, but does not, though nobody had it deleted; else anything could stand for it."""
        imported = 0
        for at, body in self.events.items():
            imported = at if body["kind"] == "import" else imported
            if "secret" in body and "text" in body.get("texts", {}) and (at, "text") not in texts:
                wanted = [at]
            else:
                wanted = [one for one in body.get("opens", []) if one >= imported and one not in self.contents]
                orders = [one for one in body.get("reads", []) if one >= imported and one in self.events]
                wanted += [
                    one for one in orders if any((one, key) not in texts for key in self.events[one].get("texts", []))
                ]
            if any(
                self.events[one]["who"] not in self.left and not (one < self.imported and self.left) for one in wanted
            ):
                yield at, "what it adds or opens is not in the file, though nobody had it deleted."

    def opened(self, body: Json) -> str:
        """What opening sealed rolls says and does to units: what they hold, where they are in the file."""
        opens, due = [at for at in body.get("opens", []) if not self.was_gone(at)], dict(self.units)
        tracks = dict(self.now["tracks"])
        if not all(at in self.contents for at in opens):
            return ""
        said = []
        for at in opens:
            roll = self.contents[at]
            title = re.escape(str(roll["inputs"].get("dice", ""))) if roll["kind"] == "roll" else "[^\n]{1,100}"
            said.append(rf"#{at} {title}: {re.escape(roll.get('result', ''))}")
            counts = ("system" not in roll or self.is_of_game(home_of(roll))) and at not in self.withdrawn
            tracks |= roll.get("tracks", {}) if counts else {}
            here = {key for key, unit in due.items() if unit and unit.get("state") not in GONE}
            for change in roll.get("changes", []) if counts else []:  # who was in play before is changed by all of it
                if (key := change["unit"].casefold()) in here:
                    due[key] = changed(due[key], change)
        if not re.fullmatch("; ".join(said), body.get("result", ""), re.DOTALL):
            return "its words are not what was sealed."
        if self.value("tracks") != tracks:
            return "it changes tracks otherwise than was sealed."
        for key, unit in self.units.items():
            after = self.after["units"].get(key, unit)
            if not after or unmarked(after) != unmarked(due[key]) or not marks(after) <= marks(due[key]):
                return f"it changes {key} otherwise than was sealed."
        return "" if self.after["units"].keys() <= self.units.keys() else "it brings units that were not there."

    def keeping_problem(self, body: Json) -> str:
        fits = "keeps" not in body or (self.redo and is_passed_over(body))
        return "" if fits else "it keeps what could be brought back, which it cannot."

    def consenters(self, asking: str, persons: Iterable[str], undone: Json) -> set[str]:
        """Who could agree that an event is taken back: the other sides, and a game master who plays none, as they
        were when it fell."""
        players, master = self.seats(undone["number"])
        if not (self.guarded() or (self.now["sides"] and players)):
            return set(persons) - {asking}
        side = players.get(asking, "")
        others = {one for one, plays in players.items() if plays != (side or undone["side"])}
        others -= set() if side else {undone["who"]}
        return (others | ({master} if master and master not in players else set())) - {asking}

    def seats(self, number: int) -> tuple[Json, str]:
        """Who played which side when an event fell, and the game master, where they are that still and play no side."""
        players, master, claims = dict(self.now["players"]), self.now["master"], []
        for body in reversed(self.events.values()):
            if body["number"] <= number:
                break
            fields = body.get("before", {}).get("game", {})
            players, master = dict(fields.get("players", players)), fields.get("master", master)
            claims += [(body["own"], body["who"])] if "own" in body else []
        for own, who in reversed(claims):
            players = {who if one == own else one: side for one, side in players.items()}
            master = who if master == own else master
        return players, master if master == self.now["master"] and master not in self.now["players"] else ""

    def holding(self) -> Iterator[Json]:
        """The events that are not undone, newest first."""
        turned: dict[int, str] = {}
        for body in reversed(self.events.values()):
            if body["kind"] in ("undo", "redo"):
                turned.setdefault(body["event"], body["kind"])
            elif turned.get(body["number"]) != "undo":
                yield body

    def rule_undo(self, body: Json) -> str:
        at, events = body["event"], self.holding()
        undone: Json = {}
        for one in events:
            if one["number"] <= at:
                undone = one if one["number"] == at else {}
                break
            if one["kind"] != "reveal" and not is_passed_over(one):
                return f"it takes back #{at}, but #{one['number']} changed the game since."
        if not undone:
            return f"it takes back #{at}, but the last event that held was #{self.last}."
        if is_of(undone["kind"], "final"):
            return f"it takes back #{at}, of the kind {undone['kind']}, which is never undone."
        chain = (one["number"] for one in events if not (one["kind"] == "reveal" and "last" in one))
        last = self.last if at != self.last else next(chain, 0)
        patch = [undone.get(part) for part in ("after", "before")]
        if is_remembered(undone):
            ends = self.cards.get(SEEN, 0), body["number"]
            patch = [{**was, "cards": {**was["cards"], SEEN: n}} for was, n in zip(patch, ends, strict=True) if was]
        if [body["last"], body.get("before"), body.get("after")] != [last, *patch]:
            return f"it does not turn round what #{at} did."
        if body.get("reason") == "edition" and at in self.waits:
            self.remarks.append(f"Event {body['number']}: that the rules had changed is the host's word.")
            return ""
        rolled = undone.get("dice") or undone["kind"] in ("sealed", "choice") or undone.keys() & {"closed", "seat"}
        if rolled and "asked" not in body and "alone" not in body:
            return "dice are taken back, and nobody agreed."
        return self.agreed_faults(body, undone)

    def rule_redo(self, body: Json) -> str:
        at = body["event"]
        if not self.redo or self.redo[-1] != at:
            return f"it brings back #{at}, which was not undone last."
        done = self.events[at]
        if any(body.get(part) != done.get(part) for part in (*PATCH, "asks")):
            return f"it does not do again what #{at} did."
        return self.agreed_faults(body, done)

    def agreed_faults(self, body: Json, undone: Json) -> str:
        """Who agreed: where nothing was passed over, nobody can have come or gone since."""
        who, asked, at, what = body["who"], body.get("asked", ""), body["event"], body["kind"]
        no_say = f"who agreed to the {what} had no say in it."
        if asked and "alone" in body:
            return "somebody alone in a game asks nobody."
        if asked and asked not in self.acted:
            return f"who asked for the {what} had no part in the game."
        if ("by" in body) != ("reason" in body) or ("by" in body and not asked):
            return no_say if asked else "nobody agrees where nobody asked."
        passes_over = what == "undo" and at != body["behind"]
        by_then = {one["who"] for one in self.events.values() if one["number"] <= at} if passes_over else self.acted
        others = self.consenters(asked or who, by_then, undone)
        if "by" in body:
            plays = who in self.now["players"] or who in self.seats(at)[0]
            if plays or who in (asked, undone["who"]) or not others:
                return no_say
            if body["reason"] == "left":
                self.remarks.append(f"Event {body['number']}: that the other side had left is the host's word.")
            elif not self.are_silent(others, body["at"]):
                return "it says that the other side was silent for seven days, but it was not."
        elif asked:
            return "" if who != asked and who in others else no_say
        elif what == "redo" and self.agreed.get(at):
            here = (self.here - self.left_here) & {one["who"] for one in self.events.values() if one["number"] <= at}
            if self.consenters(who, here, undone):
                return "it was undone by agreement, and nobody agreed to bring it back."
        elif "alone" in body and self.consenters(who, (self.here - self.left_here) & by_then, undone):
            return "it says that nobody else could agree, but others play."
        return ""

    def are_silent(self, persons: set[str], at: int) -> bool:
        """Whether none of them wrote an event in the seven days before."""
        known, since = set(persons), set[str]()
        for one in self.events.values():
            since |= {one["who"]} if one["at"] > at - SILENT else set()
            known |= {one["who"]} if one.get("own") in known else set()
        return not known & since


def home_of(roll: Json) -> str:
    """The game with whose units it is played: that which a pack extends."""
    return str(roll.get("base") or roll["system"]).partition("@")[0]


def is_passed_over(body: Json) -> bool:
    """Whether undo passes over it: it happened beside the game, or is a roll or an opening that changed nothing."""
    return is_of(body["kind"], "beside") or (is_of(body["kind"], "quiet") and "after" not in body)


def unmarked(unit: Json) -> Json:
    return {key: value for key, value in unit.items() if key != "marks"}


def marks(unit: Json) -> set[str]:
    return set(unit.get("marks", []))


def takes_off(before: Json, after: Json) -> bool:
    """Whether a unit only loses markers, and numbers that last no longer than a turn."""
    was, now = ({key: value for key, value in unmarked(unit).items() if key != "numbers"} for unit in (before, after))
    left = after.get("numbers", {})
    return was == now and marks(after) <= marks(before) and left.items() <= before.get("numbers", {}).items()


def turned(unit: Json) -> Json:
    """A unit with its reduced side up."""
    back, numbers = unit["back"], unit.get("numbers", {})
    down = {
        "type": unit["type"] if "type" in back else "",
        "numbers": {key: numbers[key] for key in back.get("numbers", {}) if key in numbers},
    }
    down = {key: value for key, value in down.items() if value}
    numbers = {**numbers, **back.get("numbers", {})}
    return {**unit, "type": back.get("type", unit["type"]), "numbers": numbers, "back": down, "turned": True}


def changed(unit: Json, change: Json) -> Json:
    """A unit behind what a roll makes of it; what is empty is left out."""
    unit = turned(unit) if change.get("turn") and "back" in unit and "turned" not in unit else unit
    own = {key: value for key, value in change["set"].items() if key in ("state", "type", "side")}
    numbers = {**unit.get("numbers", {}), **{key: value for key, value in change["set"].items() if key not in own}}
    whole = {
        **unit, **own, "numbers": {key: value for key, value in numbers.items() if value is not None},
        "marks": sorted(marks(unit) - set(change.get("unmark", [])) | set(change.get("mark", []))),
    }  # fmt: skip
    return {key: value for key, value in whole.items() if key == "back" or value not in ("", {}, [])}


# --- what a page shows beside its log ----------------------------------------------------------------------

LOST = {
    "asl": ("recalled", "destroyed", "burning", "disabled"), "baps": ("killed", "knocked-out"),
    "lnlt": ("destroyed", "eliminated"), "nhis": ("eliminated",),
    "ucn": ("combat-ineffective", "out-of-action", "destroyed"),
}  # fmt: skip
MOST_DICE = 14
_VOID = ("meta", "link", "br", "input", "img", "hr")
_FACTS = re.compile(r'FACTS = "([0-9a-f]{64})"')


class Node:
    """An element of a page, with what is inside it."""

    def __init__(self, tag: str, attrs: dict[str, str]) -> None:
        self.tag, self.attrs, self.inside = tag, attrs, list[Any]()

    def every(self, what: str) -> Iterator["Node"]:
        """The nodes inside with this class, tag or `#id`, in order."""
        for one in self.inside:
            if isinstance(one, Node):
                names = (one.tag, "#" + one.attrs.get("id", ""), *one.attrs.get("class", "").split())
                if what in names:
                    yield one
                yield from one.every(what)

    def text(self, what: str = "") -> str:
        """The words inside, or inside the nodes called so."""
        if what:
            return "|".join(one.text() for one in self.every(what))
        return " ".join(self.raw().split())

    def raw(self) -> str:
        """The text inside, as it is."""
        return "".join(one.raw() if isinstance(one, Node) else one for one in self.inside)


class Reader(HTMLParser):
    """Reads a page into elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open = [Node("", {})]
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].inside.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if any(node.tag == tag for node in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


class Rebuilt:
    """What a page of a log has to show; `lost` are the states in which a unit is out of the game."""

    def __init__(self, log: Json, lost: frozenset[str]) -> None:
        self.log, self.lost = log, lost
        self.bodies = [row["body"] for row in log["events"]]
        self.names = {row["person"]: row["name"] for row in log.get("persons", ())}
        self.texts = {(row["event"], row["key"]): row["text"] for row in log.get("texts", ())}
        self.undone: set[int] = set()
        for body in self.bodies:
            if body["kind"] in ("undo", "redo"):
                (self.undone.add if body["kind"] == "undo" else self.undone.discard)(body["event"])
        self.units: dict[str, Any] = {}
        self.game: dict[str, Any] = {}
        self.first: dict[str, Any] = {}
        self.ends: list[tuple[int, dict[str, Any]]] = []
        for body in self.bodies:
            after = body.get("after") or {}
            self.units |= after.get("units") or {}
            self.first = {**{key: unit for key, unit in (after.get("units") or {}).items() if unit}, **self.first}
            self.game |= after.get("game") or {}
            turn = self.game.get("turn", 0)
            self.ends[-1 if self.ends and self.ends[-1][0] == turn else len(self.ends) :] = [(turn, dict(self.units))]
        declared = ((body.get("after") or {}).get("game") or {} for body in self.bodies)
        self.sides = next((list(game["sides"]) for game in declared if game.get("sides")), [])
        self.sides = self.sides or sorted({unit.get("side", "") for unit in self.units.values() if unit} - {""})

    def first_line(self, body: Json, shown: str) -> str | None:
        """What the row of an event has to begin with; None where nothing proves its words."""
        if "said" not in body:
            return None
        words = self.texts.get((body["number"], "said"))
        if words is None:  # not in the file: what is shown has to be it, as far as no name is in it
            return shown if hashed(shown) == body["said"] else ""

        def one(found: re.Match[str]) -> str:
            at, point, key = found[1].partition(".")
            if point and at.isdecimal():
                return str(self.texts.get((int(at), key), "(deleted)"))
            return str(self.names.get(found[1], "someone"))

        return " ".join(re.sub("⟦([^⟦⟧]+)⟧", one, words).split())

    def row(self, body: Json, shown: str) -> dict[str, Any]:
        """The parts of an event's row; those that nothing proves are missing."""
        at, opened = body["number"], self.texts.get((body["number"], "sealed"))
        held = {**body, **json.loads(opened)} if opened else body
        dice = [str(die["value"]) for die in held.get("dice") or ()]
        tags = ["taken back"] * (at in self.undone) + ["real dice"] * bool(held.get("hand"))
        tags += ["sealed"] * ("sealed" in body)
        tags += ["loss"] * (self.loses(held) and at not in self.undone)
        parts: dict[str, Any] = {
            "no": f"#{at}",
            "sd": held.get("side", ""),
            "who": self.names.get(held["who"], "someone"),
            "tag": "|".join(tags),
            "dice": ["dice", *dice[:MOST_DICE], *(["…"] if dice[MOST_DICE:] else [])] if dice else [],
        }
        line = self.first_line(body, shown)
        return parts | ({"log": as_logged(held, self.sides)} if line is None else {"line": line, "log": ""})

    def loses(self, body: Json) -> bool:
        """Whether a unit is out of the game by it."""
        return body["kind"] in ("sequence", "roll", "reveal") and bool(self.taken(body))

    def taken(self, body: Json) -> list[str]:
        """Who is out of the game by it."""
        before, after = ((body.get(part) or {}).get("units") or {} for part in ("before", "after"))
        return [unit["name"] for key, unit in after.items()
                if unit and before.get(key) and self.gone(unit) and not self.gone(before[key])]  # fmt: skip

    def gone(self, unit: Json | None) -> bool:
        """Whether a unit is out of the game."""
        return unit is None or unit.get("state", "") in self.lost

    def count(self, side: str) -> tuple[int, int]:
        """(lost, all) units of a side."""
        own = [unit for unit in self.units.values() if unit and unit.get("side", "") == side]
        return sum(map(self.gone, own)), len(own)

    def sentence(self) -> str:
        """The sentence at the head, as a pattern: the name of a phase is not in the log."""
        winner, turn = self.game.get("winner"), self.game.get("turn", 0)
        won = "A draw. " if winner == "draw" else f"{winner} won. " if winner else ""
        where = f"Ended in turn {turn}" if self.game.get("ended") else f"Turn {turn}, \0" if turn else "Free play"
        counts = [(side, *self.count(side)) for side in self.sides]
        lost = ", ".join(f"{side} lost {gone or 'none'} of {every} units" for side, gone, every in counts if every)
        return re.escape(f"{won}{where}. {lost}." if lost else f"{won}{where}.").replace("\0", "[^.]*")

    def hands(self) -> list[list[str]]:
        """How many cards were in each hand at the end of each turn; of a game without turns now."""
        out, ends, turn, seats = dict[str, int](), list[tuple[int, dict[str, int]]](), 0, set[str]()
        for body in self.bodies:
            after, held = body.get("after") or {}, dict[str, int]()
            out |= after.get("cards") or {}
            turn = (after.get("game") or {}).get("turn", turn)
            for name, count in out.items():
                _, place, rest = (*name.split("/", 2), "", "")[:3]
                seat = rest if place == "hand" else rest.rpartition("/")[0] if place == "known" else ""
                if seat and seat not in ENDS and name[0] != "+":
                    held[seat] = held.get(seat, 0) + count
            seats |= {*held}
            ends[-1 if ends and ends[-1][0] == turn else len(ends) :] = [(turn, held)]
        told = [held for at, held in ends if at] or [held for _, held in ends[-1:]]
        return [[str(held.get(seat, 0)) for seat in sorted(seats)] for held in told]

    def losses(self) -> list[list[str]]:
        """Who was lost in each turn, by side."""
        found, earlier = [], dict[str, Any]()
        for turn, end in self.ends:
            rows = [[unit["name"] for key, unit in end.items() if unit and unit.get("side", "") == side
                     and self.gone(unit) and not self.gone(earlier.get(key, self.first[key]))]
                    for side in self.sides]  # fmt: skip
            earlier = end
            if turn:
                found.append([", ".join(names) for names in rows])
        return found


def as_logged(body: Json, sides: list[str]) -> str:
    """What an event from before answers were kept has in the log: its result, and the states that it led to."""
    before, after = ((body.get(part) or {}).get("units") or {} for part in ("before", "after"))
    states = [
        f"{unit['name']}: {unit.get('state') or 'no state'}"
        for key, unit in sorted(after.items())
        if unit and before.get(key) and before[key].get("state") != unit.get("state")
    ]
    result = " ".join(str(body.get("result", "")).split())
    if len(sides) == 2:
        result = re.sub(r"\b[Ss]ide ([ab])\b", lambda found: sides["ab".index(found[1])], result)
    return "; ".join([*([f"as logged: {result}"] if result else []), *states])


def shown_faults(page: str, log: Json, lost: frozenset[str]) -> tuple[list[str], list[int], bool]:
    """(what the page shows otherwise than its log has it, a line each; the events whose sentences nothing proves;
    whether a release made it that did not show all that is compared)."""
    tree, due = Reader(page).open[0], Rebuilt(log, lost)
    faults, unproved, rows, made = [], [], list(tree.every("ev")), _FACTS.search(page)
    is_old = made is None and not any("said" in body for body in due.bodies)
    if [row.attrs.get("id") for row in rows] != [f"e{body['number']}" for body in due.bodies]:
        faults.append("The page shows other events than its log has.")
    for node, body in zip(rows, due.bodies, strict=False):
        summary = next(node.every("summary"), node)
        line = " · ".join(filter(None, (summary.text("res"), summary.text("by"))))
        want = due.row(body, line)
        have: dict[str, Any] = {name: summary.text(name) for name in ("no", "sd", "who", "tag", "log")}
        have |= {"line": line, "dice": [word for one in summary.every("dice") for word in one.text().split()]}
        if is_old:
            have |= {name: want[name] for name in ("who", "log") if name in want}
        if wrong := [name for name, value in want.items() if have[name] != value]:
            faults.append(f"Event {body['number']}: the page shows something else than its log ({_WORDS[wrong[0]]}).")
        if "line" not in want:
            unproved.append(body["number"])
    faults += [*_head_faults(tree, due, is_old), *_list_faults(tree, due)]
    facts = "".join(one.raw() for one in tree.every("#facts")).strip()
    if not is_old and (made is None or sha256(facts.encode()).hexdigest() != made[1]):
        faults.append("The odds and traces in the page are not those that it was made with.")
    return faults, unproved, is_old


_WORDS = {"no": "its number", "sd": "its side", "who": "who did it", "tag": "its marks", "dice": "its dice",
          "log": "its result", "line": "its words"}  # fmt: skip


def _head_faults(tree: Node, due: Rebuilt, is_old: bool) -> Iterator[str]:
    if tree.text("h1") != (" ".join(due.game.get("name", "").split()) or "Free play"):
        yield "The page shows another name of the game than its log."
    if not is_old and not re.fullmatch(due.sentence(), tree.text("#sum")):
        yield "The sentence at the head of the page is not what its log comes to."
    counts = {side: due.count(side) for side in due.sides}
    for node in tree.every("left"):
        gone, every = counts.get(node.attrs.get("data-side", ""), (0, 0))
        if node.text().split() != f"{every - gone} of {every} units left".split():
            yield f"The page counts the units of {node.attrs.get('data-side')} otherwise than its log."
    cells = [[cell.text() for cell in row.every("td")] for one in tree.every("losses") for row in one.every("tr")]
    shown = [["" if cell == "none" or cell.startswith("hurt: ") else cell.partition("; hurt: ")[0] for cell in row]
             for row in cells if row]  # fmt: skip
    if shown and shown != due.losses():
        yield "The losses by turn in the page are not those of its log."
    hands = [[cell.text() for cell in row.every("td")] for one in tree.every("hands") for row in one.every("tr")]
    if hands and hands[1:] != due.hands():
        yield "The sizes of hands in the page are not those of its log."
    for node in (one for part in tree.every("rosters") for one in part.every("li")):
        unit = due.units.get(node.attrs.get("data-key", ""))
        state = _plain(unit.get("state", "")) if unit else set()
        if unit and (node.text("nm") != unit["name"] or not _fits(_plain(node.text("st")), state, due.lost)):
            yield f"The roster in the page shows {unit['name']} otherwise than its log."


def _list_faults(tree: Node, due: Rebuilt) -> Iterator[str]:
    ends = [body["number"] for body in due.bodies if body["kind"] == "end" and body["number"] not in due.undone]
    words = due.texts.get((ends[-1], "text"), "") if ends and due.game.get("ended") else ""
    if tree.text("closing") != (f"“{' '.join(words.split())}”" if words else ""):
        yield "The closing words in the page are not those of its log."
    heads = {"#" + row.attrs.get("id", ""): row.text("res") for row in tree.every("ev")}
    taken = {f"#e{body['number']}": ", ".join(due.taken(body)) for body in due.bodies}
    for node in (one for part in ("shots", "#p-now") for place in tree.every(part) for one in place.every("div")):
        for link in (one for one in node.inside if isinstance(one, Node) and one.tag == "a"):
            at = link.attrs.get("href", "")
            if heads.get(at) != link.text() or node.text("out") not in ("", taken.get(at)):
                yield f"A list of the page tells event {at[2:]} otherwise than its log."


def _plain(words: str) -> set[str]:
    return set(re.split(r"[^\w]+", words.replace("_", " "))) - {"", "and"}


def _fits(shown: set[str], state: set[str], lost: frozenset[str]) -> bool:
    """Whether these words tell the state of a unit. One that is well may have none; wounds that are numbers may be told
    beside it, but nothing may put it out of the game."""
    return state - _WELL <= shown and not (shown - state) & {word for one in lost for word in _plain(one)}


_WELL = {"good", "order", "normal", "working", "ready", "operable", "sound", "none"}


# --- the command line ------------------------------------------------------------------------------------


def check(data: Any, heads: Iterable[str] = ()) -> tuple[list[str], list[str], int]:
    """(faults, lines to know, exit status) of an export."""
    log, known = read_log(data), read_heads(heads)
    count = dict.fromkeys(("dice", "waiting", "by_hand", "sealed", "digests"), 0)
    faults = list(proof_faults(log, known, count))
    game = Game(log)
    if not faults:
        game.read([row["body"] for row in log["events"]])
        held = {(row["event"], row["key"]) for row in log.get("texts", [])}
        for at, line in game.missing(held) if not game.faults else ():
            (game.remarks if at < game.imported else game.faults).append(f"Event {at}: {line}")
        game.remarks += game.closed_hands()
        words = {(row["event"], row["key"]): row["text"] for row in log.get("texts", [])}
        for at, line in opened_faults([*game.events.values()], words) if not game.faults else ():
            game.faults.append(f"Event {at}: {line}")
        faults = game.faults
    lines = [f"Events: {len(log['events'])}. Dice computed again: {count['dice']}. Faults: {len(faults)}."]
    says = {
        "waiting": "Dice that cannot be checked until /fair reveal publishes the seed",
        "by_hand": "Dice thrown by hand, which nobody can check",
        "sealed": "Sealed events with nothing to check (still closed, or the content was deleted)",
        "digests": "Digests of players' texts taken from the event alone (the texts were deleted)",
    }
    lines += [f"{say}: {count[key]}." for key, say in says.items() if count[key]]
    if game.outcomes:
        lines.append(f"Outcomes that only grognard verify, with its tables, can play again: {game.outcomes}.")
    if known and not faults:
        hashes = [row["hash"] for row in log["events"]]
        upto = max(
            at or next((n for n, one in enumerate(hashes, 1) if one.startswith(digits)), 0) for at, digits in known
        )
        fit = "1 head fits: it holds" if len(known) == 1 else f"{len(known)} heads fit: they hold"
        lines.append(f"{fit} {upto} of {len(hashes)} events.")
    first = log["events"][0]["body"] if log["events"] else {}
    if not faults and "protocol" not in first.get("secret", {}) and number(first.get("at"), SINCE):
        lines.append("Event 1 promises its seed under protocol 1, as no release has since: look who wrote it.")
    if not faults and first.get("unannounced"):
        lines.append("Event 1: nobody could see the commitment of this free play ahead.")
    if known and sum(len(digits) for _, digits in known) < 16:
        lines.append(f"{len(known[0][1])} digits of one head can be forged in minutes: give several, or a longer one.")
    return faults, lines + game.remarks, 1 if faults else 3 if game.outcomes else 0


def main(words: list[str]) -> int:
    """Check the file that is named on the command line."""
    files, heads, rest = [], [], iter(words)
    try:
        for one in rest:
            if one not in ("--head", "--heads"):
                files.append(one)
                continue
            text = next(rest, "")
            if one == "--heads" and text == "-":
                text = sys.stdin.read()
            elif one == "--heads" and len(text) < 200 and "#" not in text and Path(text).is_file():
                text = Path(text).read_text("utf-8-sig", "replace")
            heads.append(text)
        if len(files) != 1:
            raise BadInput("usage: verify_log.py FILE [--head HASH]... [--heads TEXT]...")
        with open(files[0], "rb") as file:
            is_packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(files[0]) if is_packed else open(files[0], "rb") as file:
            raw = file.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise BadInput("The file is too large for an exported game.")
        text = raw.decode("utf-8-sig")
        log = read_json(log_text(text))
        faults, lines, status = check(log, heads)
        if not faults and text.lstrip().startswith("<"):
            system = next((row["body"]["system"] for row in log["events"] if "system" in row["body"]), "")
            faults, unproved, is_old = shown_faults(text, log, frozenset(LOST.get(system, GONE)))
            status = 1 if faults else 3 if is_old else status
            told = "The page shows what its log holds; nothing proves names, luck, odds and traces."
            old = "An older Grognard made this page: its words are not held against the log."
            lines += [] if faults else [old if is_old else told]
            lines += [f"Nothing proves the sentences of {len(unproved)} events from before that."] if unproved else []
    except (BadInput, OSError, EOFError, ValueError, zlib.error) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join([*faults[:50], *lines]))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
