"""Tampered copies of an export, one for each kind of cheating."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from bot.rules.proof.chain import compute_genesis, link_bodies

Export = Any


@dataclass(frozen=True, slots=True)
class Case:
    """What is done to the export, what a check with this head must say, and under which part; ""
    for: it fits.
    """

    change: Callable[[Export], None]
    part: str = ""
    says: str = ""
    head: Callable[[Export], str] = lambda _true: ""


def tampered(export: Export, case: Case) -> Export:
    """A copy with the change made."""
    copy = deepcopy(export)
    case.change(copy)
    return copy


def _rolled(export: Export) -> list[int]:
    """The places of the shots by the game's own dice, open ones."""
    return [
        at
        for at, row in enumerate(export["events"])
        if row["body"]["kind"] == "sequence"
        and row["body"].get("dice")
        and not row["body"].get("hand")
    ]


def _shot(export: Export, which: int) -> Any:
    return export["events"][_rolled(export)[which]]["body"]


def relink(export: Export) -> None:
    """All hashes anew, as somebody would who knows how."""
    pairs = link_bodies(compute_genesis(export["game"]), [row["body"] for row in export["events"]])
    for row, (_, hash_) in zip(export["events"], pairs, strict=True):
        row["hash"] = hash_
    export["head"] = export["events"][-1]["hash"]


def _die(export: Export) -> None:
    die = _shot(export, 5)["dice"][1]
    die["value"] = die["value"] % die["sides"] + 1


def _inputs(export: Export) -> None:
    _shot(export, 5)["inputs"]["tm"] = "3"


def _outcome(export: Export) -> None:
    body = _shot(export, 6)
    body["result"] = "everybody eliminated"
    body["out"] = {"outcome": "eliminated"}


def _unit(export: Export) -> None:
    body = next(
        row["body"]
        for row in export["events"][12:]
        if row["body"]["kind"] == "sequence" and (row["body"].get("after") or {}).get("units")
    )
    next(iter(body["before"]["units"].values()))["numbers"]["morale"] = 11


def _order(export: Export) -> None:
    events, at = export["events"], _rolled(export)[4]
    events[at], events[at + 1] = events[at + 1], events[at]


def _remove(export: Export) -> None:
    del export["events"][_rolled(export)[7]]


def _remove_and_renumber(export: Export) -> None:
    gone = _rolled(export)[7] + 1
    del export["events"][gone - 1]
    for number, row in enumerate(export["events"], 1):
        row["number"] = row["body"]["number"] = number
    export["texts"] = [row for row in export["texts"] if row["event"] < gone]
    relink(export)


def _cut(export: Export) -> None:
    export["events"] = export["events"][:-6]
    export["head"] = export["events"][-1]["hash"]
    last = len(export["events"])
    export["texts"] = [row for row in export["texts"] if row["event"] <= last]
    promised = sum("commitment" in (row["body"].get("secret") or {}) for row in export["events"])
    export["seeds"] = [row for row in export["seeds"] if row["epoch"] <= promised]


def _seed(export: Export) -> None:
    export["seeds"][0]["seed"] = "11" * 32
    for row in export["events"]:
        if "revealed" in row["body"]:
            row["body"]["revealed"]["seed"] = "11" * 32
    relink(export)


def _seed_and_commitment(export: Export) -> None:
    _seed(export)
    promised = sha256(bytes.fromhex("11" * 32)).hexdigest()
    export["seeds"][0]["commitment"] = promised
    export["events"][0]["body"]["secret"]["commitment"] = promised
    relink(export)


def _first_protocol(export: Export) -> None:
    del export["events"][0]["body"]["secret"]["protocol"]
    relink(export)


def _unknown_protocol(export: Export) -> None:
    export["events"][0]["body"]["secret"]["protocol"] = 3
    relink(export)


def _text(export: Export) -> None:
    next(row for row in export["texts"] if row["key"] == "label")["text"] = "something else"


def _word(export: Export) -> None:
    next(row for row in export["texts"] if row["key"] == "text")["text"] = "everybody knew this"


def _sealed(export: Export) -> None:
    row = next(row for row in export["texts"] if row["key"] == "sealed")
    row["text"] = row["text"].replace('"value":', '"value":1', 1)


def _hash(export: Export) -> None:
    export["events"][_rolled(export)[3]]["hash"] = "0" * 64


def _by_hand(export: Export) -> None:
    _shot(export, 5)["hand"] = True
    relink(export)


def _and_relink(change: Callable[[Export], None]) -> Callable[[Export], None]:
    def both(export: Export) -> None:
        change(export)
        relink(export)

    return both


def _true_head(export: Export) -> str:
    return str(export["head"][:16])


def _earlier_head(export: Export) -> str:
    return f"#30 {export['events'][29]['hash'][:16]}"


def _wrong_head(export: Export) -> str:
    return f"#30 {export['events'][30]['hash'][:16]}"


def _nothing(_export: Export) -> None:
    return None


CASES = {
    "changed die": Case(_die, "chain", "Its dice were changed"),
    "changed input": Case(_inputs, "chain", "Its content was changed"),
    "changed outcome": Case(_outcome, "chain", "Its content was changed"),
    "changed unit": Case(_unit, "chain", "Its content was changed"),
    "changed order": Case(_order, "chain", "The order was changed"),
    "removed event": Case(_remove, "chain", "Something was removed"),
    "removed, and all numbered anew": Case(_remove_and_renumber, "dice", "hardly any dice fit"),
    "cut tail, head known": Case(_cut, "head", "the end was cut off", _true_head),
    "cut tail, no head": Case(_cut),
    "wrong seed": Case(_seed, "seeds", "is the wrong one"),
    "wrong seed and commitment": Case(_seed_and_commitment, "dice", "Hardly any dice fit"),
    "a protocol of unreleased builds": Case(_first_protocol, "file", "dice protocol 1"),
    "a protocol that nobody knows": Case(_unknown_protocol, "seeds", "do not use protocol 3"),
    "changed label": Case(_text, "texts", "Its text (label) was changed"),
    "changed word in the dice": Case(_word, "texts", "do not give the digest"),
    "changed sealed roll": Case(_sealed, "texts", "What was opened is not what was sealed"),
    "overwritten hash": Case(_hash, "chain", "Only its hash was overwritten"),
    "die, hashes anew": Case(_and_relink(_die), "dice", "the seed gives"),
    "unit, hashes anew": Case(_and_relink(_unit), "units", "was otherwise before"),
    "outcome, hashes anew, head known": Case(
        _and_relink(_outcome), "head", "written anew", _true_head
    ),
    "called real dice, head known": Case(_by_hand, "head", "written anew", _true_head),
    "a head of another event": Case(_nothing, "head", "the log was written anew", _wrong_head),
    "honest, with its head": Case(_nothing, head=_true_head),
    "honest, with an earlier head": Case(_nothing, head=_earlier_head),
}


def as_json(export: Export) -> str:
    """The export as a file."""
    return json.dumps(export, ensure_ascii=False)
